"""Which refused games are explained: of each rule the first ones of a run, as many as are asked for.

An explanation takes a thousand times as long as a verdict. The other games are told in short: their first refusal, as a
kernel finds it. What is said of a game does not depend on who judges it, nor on how many processes do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from pwtool.checking.report import FileResult, Played, Verdict
from pwtool.records.inputs import Text
from pwtool.records.ruleset_store import Rulebook
from pwtool.text import Diagnostic, Severity
from pwtool.text.codes import CODES
from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import Told
from pwtool.text.words import MAX_QUOTED, shorten

if TYPE_CHECKING:
    from pwtool.checking.documents import Loaded
    from pwtool.play.replay import Replay
    from pwtool.why.names import MoveNames
    from pwtool.why.voice import Voice

STOPPED = "PW612"
USUAL = 10
"""The number of games that are explained for each rule, unless another is asked for."""


class Refusal(Struct, frozen=True):
    """What refuses a game first: the code of the finding and the rule ("" if there is none), the turn (from 1; None if it
    belongs to none) and the index of the action in it (None if it is about no action). `first` is the number of the first
    turn in the record.
    """

    code: str
    rule: str
    turn: int | None
    action: int | None
    first: int = 1


def refusal_of(result: FileResult) -> Refusal | None:
    """The first refusal in a result; None if there is none."""
    first = next((d for d in result.diagnostics if d.level is Severity.ERROR), None)
    if first is None:
        return None
    path = first.data.get("path")
    action = path[3] if isinstance(path, list) and path[2:3] == ["actions"] else None
    begin = 1
    if isinstance(path, list) and path[:1] == ["turns"] and len(path) > 1 and first.turn is not None:
        # Where a record stops too early, the turn that is missing is told at the one before.
        begin = first.turn - path[1] - (first.code == STOPPED)
    return Refusal(first.code, first.rule or "", first.turn, action, begin)


def refusal_in(replay: Replay) -> Refusal | None:
    """What refuses a replayed game first."""
    first = next((f for f in replay.findings if CODES[f.code].severity == Severity.ERROR), None)
    if first is None:
        return None
    action = first.path[3] if first.path[2:3] == ("actions",) else None
    begin = replay.record.first if first.turn is not None and first.path[0] == "turns" else 1
    return Refusal(first.code, first.rule or "", first.turn, action if isinstance(action, int) else None, begin)


class Budget(Struct):
    """How many games of each ruleset and rule may still be explained; `most` None: all."""

    most: int | None = None
    given: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def renewed(self) -> Budget:
        """The same, with nothing explained yet."""
        return Budget(self.most)

    def takes(self, ruleset: str, refusal: Refusal) -> bool:
        """Whether another game that this refuses is explained; it is counted then."""
        kind = ruleset, refusal.code, refusal.rule
        if self.most is None:
            return True
        if self.given[kind] >= self.most:
            return False
        self.given[kind] += 1
        return True


class Asked(Struct, frozen=True):
    """A refused game that is among the first of its rule in a piece, and may be among those of the whole run: its text,
    the ruleset, what refuses it, whether a kernel found that, and the number of its row in the piece.
    """

    text: Text
    ruleset: str
    refusal: Refusal
    by_kernel: bool
    row: int = 0

    @property
    def game(self) -> SourceFile:
        """Where it is."""
        return SourceFile(self.text.file, "", self.text.line)


def in_short(
    book: Rulebook,
    game: SourceFile,
    name: str,
    address: str,
    refusal: Refusal,
    language: str,
    played: Played | None = None,
    imported: Loaded | None = None,
) -> FileResult:
    """The result for a game that is not explained: its first refusal, at the beginning of the game, or at its place if it
    was `imported` from the format of another program. Of how it was `played`, the players and the id are known.
    """
    from pwtool.why.names import MoveNames
    from pwtool.why.voice import Voice

    ruleset, voice = book.game.ruleset, Voice(language)
    path: list[str | int] = [] if refusal.turn is None else ["turns", refusal.turn - refusal.first]
    if refusal.action is not None:
        path += ["actions", refusal.action]
    begin = Span(SourceFile(game.name, "", game.first_line), 0, 0) if imported is None else imported.locate(tuple(path))
    where = None
    if refusal.turn is not None:
        players, seat = _seat_of(imported, refusal)
        names = MoveNames(book.game, players, voice)
        where = names.place(refusal.turn, seat, _name_of(imported, path, names))
    found = Diagnostic(
        refusal.code, _message(book, refusal, voice), begin, name, refusal.rule or None, ruleset.address, where,
        refusal.turn, data={"path": path},
    )  # fmt: skip
    return FileResult(
        name, address, Verdict.FINDINGS, (found,), (Told("not judged to the end"),), played=played,
        version=ruleset.version, cut_short=True, explained=False,
    )  # fmt: skip


def word_at(loaded: Loaded, path: Sequence[str | int]) -> str | None:
    """What stands at the turn of a path in a file, if that is what players call it."""
    from pwtool.records.importers.installed import find_format

    found = None if loaded.document.form is None or path[:1] != ("turns",) else find_format(loaded.document.form)
    if found is None or found.value is None or not found.value.form.writes_names:
        return None
    span = loaded.locate(tuple(path[:2]))
    word = shorten(" ".join(span.text.split()), MAX_QUOTED)
    return word if word.isprintable() and span != loaded.locate(()) else None


def _name_of(imported: Loaded | None, path: list[str | int], names: MoveNames) -> str | None:
    """What players call the action at a path, or the only one of its turn, as far as the file alone says it."""
    turns = [] if imported is None else imported.data.get("turns", [])
    at = path[1] if len(path) > 1 else None
    if imported is None or not isinstance(at, int) or at >= len(turns):
        return None
    actions = turns[at]["actions"][path[3] if len(path) > 3 else 0 :]
    if not actions or (len(path) < 4 and len(actions) > 1):
        return None
    return word_at(imported, tuple(path)) or names.written_cell(actions[0])


def _seat_of(imported: Loaded | None, refusal: Refusal) -> tuple[list[str], int | None]:
    """The players and the seat whose turn is refused, if the record of a game is known (None otherwise)."""
    if imported is None or refusal.turn is None:
        return [], None
    players, turns = imported.data["players"], imported.data.get("turns", [])
    at = min(refusal.turn - refusal.first, len(turns) - 1)
    return players, players.index(turns[at]["player"]) if at >= 0 and "player" in turns[at] else None


def _message(book: Rulebook, refusal: Refusal, voice: Voice) -> str:
    rule = book.game.ruleset.rule(refusal.rule) if refusal.code == "PW601" else None
    if rule is not None:
        return voice.say("broken: {rule}", rule=voice.text(book.game.ruleset, ("rule", rule.id), rule.text))
    return voice.say(CODES[refusal.code].summary)
