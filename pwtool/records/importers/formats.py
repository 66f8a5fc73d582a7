"""Formats of other programs: how a file is cut into games, and how a game becomes a record.

Every format, also those that come with pwtool, is an entry point of the group `pwtool.importers`. Its name is the suffix
of its files, so that names of files tell the format without loading any package; only the one that is needed is loaded.
Whatever a format does wrong is a finding.
"""

from __future__ import annotations

import codecs
import json
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from msgspec import Struct

from pwtool.records.importers.json_exports import Locate, Part, Problems
from pwtool.records.json_places import JsonMap
from pwtool.records.json_text import decode_bytes, load_json
from pwtool.records.notation.places import Notes
from pwtool.records.words import FORMAT
from pwtool.text import Diagnostic, Result
from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import Told

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

__all__ = [
    "Actions",
    "Draft",
    "Format",
    "GameText",
    "Installed",
    "JsonFormat",
    "NoForm",
    "ToldResult",
    "find_format",
    "format_names",
    "import_game",
    "naming_format",
    "read_block",
    "recognised",
]

T = TypeVar("T")
GROUP = "pwtool.importers"
MAX_GAME = 64 << 20
"""The size limit for one game, in bytes."""
_BLOCK = 1 << 20
_RECOGNISED_BY = 1 << 16
"""How many bytes from the beginning of a file tell its format."""


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
    """A plain game: its ruleset, its players, and the actions of each turn. The players take turns; the one in the seat
    `first` begins. Actions in a tuple belong to many games and never change: they are packed once.
    """

    ruleset: str
    players: list[str]
    turns: Sequence[Actions]
    first: int = 0
    setup: dict[str, object] | None = None
    start: dict[str, object] | None = None
    result: ToldResult | None = None

    def record(self) -> dict[str, object]:
        """The game as a record."""
        names = self.players[self.first :] + self.players[: self.first]
        result = None if self.result is None else self.result.record(self.players)
        parts = {"setup": self.setup, "start": self.start, "result": result}
        return {
            "format": FORMAT, "ruleset": self.ruleset, "players": self.players,
            **{name: part for name, part in parts.items() if part is not None},
            "turns": [
                {"player": names[number % len(names)], "actions": [*actions]}
                for number, actions in enumerate(self.turns)
            ],
        }  # fmt: skip


class Format:
    """How files of one format are read. A package derives from it and offers an instance as an entry point.

    `holds` says what the files are about, `extra` is the package that reading needs and the extra of pwtool that
    installs it; `is_binary`: its games are no text of their own (see `text`); `is_written`: records can be written in it;
    `shares_lines`: a game may begin behind another one in its line. Then blanks stand for what is before it, so that the
    columns of findings are right. `names_moves_of`: the games, by the names of their rulesets, whose moves are shown as
    this format says, wherever a record comes from; `counts_moves`: players call their turns moves, and number each.
    """

    holds: str = ""
    extra: tuple[str, str] | None = None
    is_binary: bool = False
    is_written: bool = False
    shares_lines: bool = False
    names_moves_of: Collection[str] = ()
    counts_moves: bool = False

    def recognises(self, begin: bytes) -> bool:
        """Whether the first bytes of a file say that it has this format."""
        return False

    def starts(self, data: bytes, is_end: bool) -> Iterable[int]:
        """Where each game begins in a file, or in the rest of one from the beginning of a game. If the file goes on
        (not `is_end`), only beginnings that do not depend on what follows; the first one is 0.
        """
        return (0,)

    def games(self, stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
        """The games of a file, read piece by piece: the line in which each begins (from 1), and its bytes."""
        rest, line, size, is_end = b"", 1, _BLOCK, False
        # What is before the rest in its line.
        before = b""
        while not is_end:
            block = read_block(stream, size)
            is_end = len(block) < size
            rest += block
            starts = _in_order(self.starts(rest, is_end), len(rest))
            for start, end in pairwise(starts):
                yield line, self._in_its_line(before) + rest[start:end]
                line += rest.count(b"\n", start, end)
                before = (before + rest[start:end]).rpartition(b"\n")[2]
            rest = rest[starts[-1] :]
            # A long game is not searched again for each block.
            size = max(_BLOCK, len(rest))
            if len(rest) > MAX_GAME:
                break
        yield line, self._in_its_line(before) + rest

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


def _in_order(starts: Iterable[int], length: int) -> list[int]:
    """The beginnings of games in data of this length. Raises `ValueError` if some of it belongs to no game, or to two."""
    found = list(starts)
    if not found or found[0] != 0:
        raise ValueError("the first game begins at 0")
    if any(start >= end for start, end in pairwise((*found, max(length, 1)))):
        raise ValueError("games begin one after another, within the data")
    return found


def read_block(stream: BinaryIO, size: int) -> bytes:
    """The next bytes of a stream; fewer than `size` only at its end."""
    found = bytearray()
    while len(found) < size and (block := stream.read(size - len(found))):
        found += block
    return bytes(found)


def format_names() -> tuple[str, ...]:
    """The names of all formats in order, without loading any."""
    return _names(tuple(sys.path))


def find_format(name: str) -> Result[Installed] | None:
    """The format with this name, or why it cannot be used; None if there is none."""
    return _found(name, tuple(sys.path))


def recognised(begin: bytes) -> str | None:
    """The format that the first bytes of a file belong to. A format that cannot be loaded recognises nothing."""
    for name in format_names():
        found = find_format(name)
        if found is not None and found.value is not None and found.value.recognises(begin[:_RECOGNISED_BY]):
            return name
    return None


def naming_format(game: str) -> Installed | None:
    """The format that names the moves of a game; None if no installed one does. This loads formats."""
    return _naming(game, tuple(sys.path))


def import_game(file: SourceFile, form: str) -> Result[tuple[dict[str, object], GameText]]:
    """The record of one game, with the places of its parts; or findings (PW704) that say why there is none."""
    found = find_format(form)
    if found is None or found.value is None:
        problems = () if found is None else found.diagnostics
        return Result(None, problems or (Diagnostic("PW704", no_format(form), file=file.name),))
    return found.value.read(file)


def draft_game(data: bytes, form: str, file: str, limit: int, line: int) -> tuple[Draft, GameText] | None:
    """The draft of one game (see `Format.draft`) that begins in a line of a file."""
    found = find_format(form)
    return None if found is None or found.value is None else found.value.draft(data, file, limit, line)


def no_format(name: str) -> Told:
    """What is said of a format that no installed package offers."""
    return Told("there is no importer `{name}`", name=name)


@lru_cache(maxsize=4)
def _names(path: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(_entries(path).names))


@lru_cache(maxsize=4)
def _entries(path: tuple[str, ...]) -> EntryPoints:
    """The entry points of the packages in these folders."""
    # Imported here: a check of a record does not need it, and importing it takes a tenth of that time.
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


@lru_cache(maxsize=64)
def _naming(game: str, path: tuple[str, ...]) -> Installed | None:
    found = (_found(name, path) for name in _names(path))
    installed = (one.value for one in found if one is not None and one.value is not None)
    return next((one for one in installed if game in one.form.names_moves_of), None)


@lru_cache(maxsize=64)
def _found(name: str, path: tuple[str, ...]) -> Result[Installed] | None:
    found = tuple(_entries(path).select(name=name))
    if not found:
        return None
    if len(found) > 1:
        packages = " and ".join(sorted(_package(entry) for entry in found))
        message = f"`{name}` is an importer of several packages: {packages}"
        return Result(None, (Diagnostic("PW704", message, help="uninstall all but one of them"),))
    package = _package(found[0])
    try:
        form = found[0].load()
    except (Exception, SystemExit) as error:
        return Result(None, (_failure(name, package, f"cannot be loaded: {_told(error)}"),))
    if not isinstance(form, Format):
        return Result(None, (_failure(name, package, "is not a format"),))
    return Result(Installed(name, package, form))


class Installed(Struct, frozen=True):
    """A format of an installed package. Its errors are findings."""

    name: str
    package: str
    form: Format

    @property
    def is_own(self) -> bool:
        """Whether it comes with pwtool."""
        return type(self.form).__module__.startswith("pwtool.")

    def recognises(self, begin: bytes) -> bool:
        """Whether the first bytes of a file say that it has this format."""
        try:
            return bool(self.form.recognises(begin))
        except (Exception, SystemExit) as error:
            _told(error)
            return False

    def games(self, stream: BinaryIO, file: str) -> Iterator[tuple[int, bytes] | Diagnostic]:
        """The games of a file with the lines in which they begin; a finding if the rest cannot be read."""
        games = self.form.games(stream)
        while True:
            try:
                game = next(games, None)
            except OSError:
                # The file is damaged, not the format.
                raise
            except (Exception, SystemExit) as error:
                yield self._failed(error, file)
                return
            if game is None:
                return
            if not (isinstance(game, tuple) and [*map(type, game)] == [int, bytes]):
                yield _failure(self.name, self.package, f"returned no game but {type(game).__name__}", file)
                return
            yield game

    def decoded(self, data: bytes, name: str, limit: int, line: int) -> Result[SourceFile]:
        """The text of a game, or why it has none."""
        try:
            if self.form.is_binary:
                return Result(SourceFile(name, self.form.text(data), line))
            encoding = codecs.lookup(self.form.encoding(data)).name
        except (Exception, SystemExit) as error:
            return Result(None, (self._failed(error, name),))
        return decode_bytes(data, name, limit, line, encoding)

    def draft(self, data: bytes, name: str, limit: int, line: int) -> tuple[Draft, GameText] | None:
        """The draft of a game, if there is one."""
        file = SourceFile(name, "", line) if self.form.is_binary else self.decoded(data, name, limit, line).value
        if file is None:
            return None
        game = GameText(file, data)
        try:
            draft = self.form.draft(game)
        except (Exception, SystemExit) as error:
            # `read` says it, too.
            _told(error)
            return None
        return None if draft is None or game.problems else (draft, game)

    def read(self, file: SourceFile) -> Result[tuple[dict[str, object], GameText]]:
        """The record of a game and the places of its parts; or findings (PW704)."""
        game = GameText(file)
        try:
            record: object = self.form.read(game)
        except ModuleNotFoundError as missing:
            if self.form.extra is None or missing.name != self.form.extra[0]:
                return Result(None, (self._failed(missing, file.name),))
            return Result(None, (self._not_installed(*self.form.extra, game.locate(())),))
        except (Exception, SystemExit) as error:
            return Result(None, (self._failed(error, file.name),))
        found = tuple(game.problems)
        if found:
            return Result(None, found)
        problem = None if self.is_own and record is not None else _nonsense(record)
        if problem is not None:
            return Result(None, (_failure(self.name, self.package, problem, file.name),))
        assert isinstance(record, dict)
        return Result((record, game))

    def name_moves(self, position: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], str | None] | None:
        """What players call the moves in a position (see `Format.name_moves`); None if the format cannot say it."""
        name = self._told(lambda: self.form.name_moves(position))
        return None if name is None else lambda action: _line(self._told(lambda: name(action)))

    def join_moves(self, names: Sequence[str]) -> str | None:
        """What several moves of one turn are called together, if the format says it."""
        return _line(self._told(lambda: self.form.join_moves(names)))

    def number_of(self, turn: int, seat: int) -> str | None:
        """What players write before the moves of a turn instead of its number, if the format says it."""
        return _line(self._told(lambda: self.form.number_of(turn, seat)))

    def _told(self, ask: Callable[[], T]) -> T | None:
        """What the format says of names, None if it fails: that matters less than what would be shown with them."""
        try:
            return ask()
        except ModuleNotFoundError as missing:
            if self.form.extra is None or missing.name != self.form.extra[0]:
                _told(missing)
        except (Exception, SystemExit) as error:
            _told(error)
        return None

    def write(
        self, record: Mapping[str, Any], name: str, locate: Callable[[tuple[str | int, ...]], Span] | None = None
    ) -> Result[str]:
        """A record of this name in this format, or a finding (PW721) that says why it has no form there, and where."""
        try:
            return Result(self.form.write(_without_turn_comments(record)))
        except NoForm as error:
            place = locate(error.path) if locate is not None and error.path else None
            return Result(None, (Diagnostic("PW721", error.args[0], place, file=name),))
        except ModuleNotFoundError as missing:
            if self.form.extra is None or missing.name != self.form.extra[0]:
                return Result(None, (self._failed(missing, name),))
            return Result(None, (self._not_installed(*self.form.extra, file=name),))
        except (Exception, SystemExit) as error:
            return Result(None, (self._failed(error, name),))

    def _not_installed(self, package: str, extra: str, span: Span | None = None, file: str | None = None) -> Diagnostic:
        message = Told("{suffix} files need the package {package}", suffix=f"`.{self.name}`", package=f"`{package}`")
        help_line = Told("install it with the extra: {command}", command=f"`pip install 'pwtool[{extra}]'`")
        return Diagnostic("PW704", message, span, file, help=help_line)

    def _failed(self, error: BaseException, file: str) -> Diagnostic:
        return _failure(self.name, self.package, f"failed: {_told(error)}", file)


def _without_turn_comments(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """A record in which the last action of a turn says what the turn said: other formats have comments of moves alone."""

    def joined(turn: Mapping[str, Any]) -> Mapping[str, Any]:
        if not turn.get("comment") or not turn["actions"]:
            return turn
        *others, last = turn["actions"]
        said = " ".join(filter(None, (last.get("comment"), turn["comment"])))
        return {**turn, "actions": [*others, {**last, "comment": said}]}

    return {**record, "turns": [*map(joined, record["turns"])]}


def _line(text: object) -> str | None:
    """A text of one line; None for anything else."""
    return text if isinstance(text, str) and text.isprintable() else None


def _failure(name: str, package: str, problem: str, file: str | None = None) -> Diagnostic:
    """The finding that says what a format did wrong."""
    return Diagnostic(
        "PW704",
        f"the importer `{name}` of {package} {problem}",
        file=file,
        help=f"this is a mistake of {package}; PWTOOL_TRACEBACK=1 shows more",
    )


def _nonsense(record: object) -> str | None:
    """What is wrong with a value that should be a record; None for one."""
    if record is None:
        return "returned neither a record nor findings"
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        return f'returned something that is not a record (`"format": "{FORMAT}"`)'
    try:
        is_json = json.loads(json.dumps(record)) == record
    except (TypeError, ValueError, RecursionError):
        is_json = False
    return None if is_json else "returned a record with values that JSON does not have"


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.module


def _told(error: BaseException) -> str:
    """An error in one line, or raised again if a traceback was requested."""
    if os.environ.get("PWTOOL_TRACEBACK"):
        raise error
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
