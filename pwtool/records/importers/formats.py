"""Formats of other programs: how a file is cut into games, and how a game becomes a record.

A package offers formats as entry points; `installed` finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec import Struct

from pwtool.records.importers.json_exports import Locate, Part, Problems
from pwtool.records.json_places import JsonMap
from pwtool.records.json_text import load_json
from pwtool.records.notation.places import Notes
from pwtool.records.words import FORMAT
from pwtool.text import Diagnostic, Result
from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import Told

if TYPE_CHECKING:
    from pwtool.records.importers.stated import Stated

__all__ = [
    "Actions",
    "Draft",
    "Format",
    "GameText",
    "JsonFormat",
    "NoForm",
    "ToldResult",
    "read_block",
]

MAX_GAME = 64 << 20
"""The size limit for one game, in bytes."""
_BLOCK = 1 << 17


class NoForm(ValueError):
    """A format has no form for a record, or for the part of it at a path; with a text for people."""

    def __init__(self, message: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.path = path


class GameText(Notes):
    """The text of one game, and what is found while it is read: problems, warnings, the places of the parts of the record,
    what a record has no place for, why it names no ruleset.
    """

    unnamed: Diagnostic | None = None
    _find_turns: Callable[[], Iterable[tuple[int, int]]] | None = None

    def __init__(self, file: SourceFile, data: bytes = b"") -> None:
        super().__init__(file)
        self.data = data
        """The bytes of a draft. In a binary format it has no text yet."""

    @property
    def text(self) -> str:
        return self.file.text

    def span(self, start: int, end: int) -> Span:
        """A part of the text: character offsets, end exclusive."""
        return Span(self.file, start, end)

    def problem(self, start: int, end: int, message: str, help: str | None = None) -> None:
        """Report (PW704) that this part of the text cannot be read; the game is not imported then."""
        self.report("PW704", self.span(start, end), message, help)

    def has_no_ruleset(self, span: Span, message: str) -> None:
        """Say why the record names no ruleset: its rules are none that come with pwtool."""
        help_line = Told("give one with --rules, `pwtool rules` lists all")
        self.unnamed = Diagnostic("PW706", message, span, help=help_line)

    def place(self, path: tuple[str | int, ...], start: int, end: int) -> None:
        """Note where a part of the record stands, as in `("turns", 3)`: findings about it point there."""
        self.places[path] = self.span(start, end)

    def place_turns(self, find: Callable[[], Iterable[tuple[int, int]]]) -> None:
        """Let the places of all turns be found when one is asked for, which it seldom is."""
        self._find_turns = find

    def locate(self, path: Sequence[str | int]) -> Span:
        if self._find_turns is not None and path[:1] == ("turns",):
            for number, (start, end) in enumerate(self._find_turns()):
                self.place(("turns", number), start, end)
            self._find_turns = None
        return super().locate(path)


Actions = Sequence[dict[str, object]]


class ToldResult(Struct, frozen=True):
    """What a file says of the end of a game, by seats: who shares which place, the scores, why the game was stopped."""

    ranking: tuple[tuple[int, ...], ...] = ()
    scores: tuple[int, ...] = ()
    stopped: str | None = None

    def record(self, players: Sequence[str]) -> dict[str, object]:
        """The result of a record."""
        parts: dict[str, object] = {
            "scores": dict(zip(players, self.scores, strict=True)) if self.scores else None,
            "ranking": [[players[seat] for seat in group] for group in self.ranking],
            "stopped": self.stopped,
        }
        return {name: part for name, part in parts.items() if part}


class Draft(Struct):
    """A plain game: its ruleset, its players, and each turn by a key, for which `actions` has what is done in it: a table
    that many games share and that never says anything else of a key, so that it is packed once. The players take turns;
    the one in the seat `first` begins. `stated`: what the file says of its rules.
    """

    ruleset: str
    players: list[str]
    turns: Sequence[Hashable]
    actions: Mapping[Any, Actions]
    first: int = 0
    setup: dict[str, object] | None = None
    start: dict[str, object] | None = None
    result: ToldResult | None = None
    stated: tuple[Stated, ...] = ()

    def record(self) -> dict[str, object]:
        """The game as a record."""
        names = self.players[self.first :] + self.players[: self.first]
        result = None if self.result is None else self.result.record(self.players)
        parts = {"setup": self.setup, "start": self.start, "result": result}
        return {
            "format": FORMAT, "ruleset": self.ruleset, "players": self.players,
            **{name: part for name, part in parts.items() if part is not None},
            "turns": [
                {"player": names[number % len(names)], "actions": [*self.actions[key]]}
                for number, key in enumerate(self.turns)
            ],
        }  # fmt: skip


class Format:
    """How files of one format are read. A package derives from it and offers an instance as an entry point.

    `holds` says what the files are about, `extra` is the package that reading needs and the extra of pwtool that
    installs it; `is_binary`: its games are no text of their own (see `text`); `is_written`: records can be written in it;
    `shares_lines`: a game may begin behind another one in its line. Then blanks stand for what is before it, so that the
    columns of findings are right. `names_moves_of`: the games, by the names of their rulesets, whose moves are shown as
    this format says, wherever a record comes from; `counts_moves`: players call their turns moves, and number each.
    `writes_names`: a turn is written as players call it, so that a finding about it has the words of the file.
    `own_notes`: the keys of `meta` that say in this format what the game is, so that a record cannot have others there.
    """

    holds: str = ""
    extra: tuple[str, str] | None = None
    is_binary: bool = False
    is_written: bool = False
    shares_lines: bool = False
    names_moves_of: Collection[str] = ()
    counts_moves: bool = False
    writes_names: bool = False
    own_notes: Collection[str] = ()

    def recognises(self, begin: bytes) -> bool:
        """Whether the first bytes of a file say that it has this format."""
        return False

    def starts(self, data: bytes, is_end: bool) -> Iterable[int]:
        """Where each game begins in a file, or in the rest of one from the beginning of a game. If the file goes on
        (not `is_end`), only beginnings that do not depend on what follows; the first one is 0.
        """
        return (0,)

    def drafted_starts(self, data: bytes, is_end: bool) -> Iterable[tuple[int, Draft | None]]:
        """The same as `starts`, with the drafts of games that were read on the way."""
        return ((start, None) for start in self.starts(data, is_end))

    def games(self, stream: BinaryIO) -> Iterator[tuple[int, bytes] | tuple[int, bytes, Draft | None]]:
        """The games of a file, read piece by piece: the line in which each begins (from 1), its bytes, and perhaps its
        draft.
        """
        rest, line, size, is_end = b"", 1, _BLOCK, False
        last: Draft | None = None
        # What is before the rest in its line.
        before = b""
        while not is_end:
            block = read_block(stream, size)
            is_end = len(block) < size
            rest += block
            found = _in_order(self.drafted_starts(rest, is_end), len(rest))
            for (start, draft), (end, _) in pairwise(found):
                game = rest[start:end]
                yield line, self._in_its_line(before) + game if before else game, draft
                line += game.count(b"\n")
                before = b"" if game.endswith(b"\n") else (before + game).rpartition(b"\n")[2]
            rest, last = rest[found[-1][0] :], found[-1][1]
            # A long game is not searched again for each block.
            size = max(_BLOCK, len(rest))
            if len(rest) > MAX_GAME:
                break
        if not self.is_binary:
            # Some programs fill a file up.
            rest = rest.rstrip(b"\0") or rest
        yield line, self._in_its_line(before) + rest, last if is_end else None

    def _in_its_line(self, before: bytes) -> bytes:
        """Blanks for what is before a game in its line."""
        return b" " * len(before.decode("utf-8", "replace")) if self.shares_lines else b""

    def encoding(self, data: bytes) -> str:
        """The encoding of a game's text."""
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            return "iso-8859-1"
        return "utf-8"

    def text(self, data: bytes) -> str:
        """A game of a binary format as text, in which findings point at moves."""
        raise NotImplementedError

    def read(self, game: GameText) -> dict[str, object] | None:
        """The record of a game; None if a problem was reported."""
        raise NotImplementedError

    def draft(self, game: GameText) -> Draft | None:
        """A game as far as it matters to rules, read faster than `read` does; None if it is not as plain as most are. A
        draft counts only if kernels find it clean.
        """
        return None

    def name_moves(self, position: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], str | None]:
        """What players call the moves in a position: that of a state file, with the `player` who moves. The answer names an
        action of a record, legal or not; with None it is called by its cell, or as pwtool writes it if it has more.
        """
        return _no_name

    def join_moves(self, names: Sequence[str]) -> str | None:
        """What several moves of one turn are called together; None: one after the other."""
        return None

    def number_of(self, turn: int, seat: int) -> str | None:
        """What players write before the moves of a turn instead of its number: `4...`. Turns count from 1, seats from 0."""
        return None

    def write(self, record: Mapping[str, Any]) -> str:
        """A record in this format; games one after another make a file. Raises `NoForm` for what the format has no form
        for.
        """
        raise NotImplementedError


class JsonFormat(Format):
    """A format in which each file is the JSON of one game. `counted` says what the entries of its top-level lists are
    called in findings.
    """

    counted: Mapping[str, str] = MappingProxyType({})

    def record(self, export: Part) -> dict[str, object] | None:
        """The record of a game; None if a problem was reported."""
        raise NotImplementedError

    def convert(self, data: object, file: SourceFile, locate: Locate | None = None) -> Result[dict[str, object]]:
        """The record of a game whose JSON is parsed, or findings; `locate` finds a path in the text of the file."""
        problems = Problems(file, locate, self.counted)
        record = self.record(Part(problems, (), data))
        return Result(None if problems.found else record, problems.found)

    def read(self, game: GameText) -> dict[str, object] | None:
        loaded = load_json(game.file)
        game.problems += loaded.diagnostics
        if loaded.value is None:
            return None
        result = self.convert(loaded.value, game.file, JsonMap(game.file).span)
        game.problems += result.diagnostics
        return result.value


def _no_name(action: Mapping[str, Any]) -> str | None:
    return None


def _in_order(games: Iterable[tuple[int, Draft | None]], length: int) -> list[tuple[int, Draft | None]]:
    """The games by their beginnings in data of this length. Raises `ValueError` if some of it belongs to no game, or to
    two.
    """
    found = list(games)
    if not found or found[0][0] != 0:
        raise ValueError("the first game begins at 0")
    if any(start >= end for (start, _), (end, _) in pairwise((*found, (max(length, 1), None)))):
        raise ValueError("games begin one after another, within the data")
    return found


def read_block(stream: BinaryIO, size: int) -> bytes:
    """The next bytes of a stream; fewer than `size` only at its end."""
    found = bytearray()
    while len(found) < size and (block := stream.read(size - len(found))):
        found += block
    return bytes(found)
