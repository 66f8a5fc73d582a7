"""A position of a recorded game: the requested one, or the last one before the record breaks a rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pwtool.checking.documents import Loaded, place_of
from pwtool.cli.common import fail, print_diagnostics
from pwtool.cli.loading import load_record
from pwtool.play.finding import Finding
from pwtool.play.play import Play
from pwtool.play.record import Record
from pwtool.play.replay import Replay, replay_record
from pwtool.records.ruleset_store import Rulebook
from pwtool.text import Diagnostic
from pwtool.text.speech import ENGLISH, Speech, Told
from pwtool.why.findings import to_diagnostics

_NO_CAUSE = ("PW611", "PW612")
"""Codes of findings after which the actions so far still count as legal: an unseen card, and a game in which nobody can move."""


@dataclass(frozen=True, slots=True)
class Reached:
    """The game at the beginning of a turn (None: after the last one) and whether it is within a turn; `record` is
    complete. If the record is not legal up to there, `problem` is the first error, and the position is that of its
    turn.
    """

    play: Play
    record: Record
    turn: int | None
    within: bool
    problem: Diagnostic | None = None
    code: int = 0
    speech: Speech = ENGLISH

    def complain(self) -> None:
        """Print the problem of the record, if there is one."""
        if self.problem is not None:
            print_diagnostics((self.problem,), speech=self.speech)


def reach(loaded: Loaded, book: Rulebook, at: int | None, language: str) -> Reached:
    """The position at the beginning of a turn (None: after the last one); stops the command if there is no such turn."""
    record = load_record(loaded, book)
    check_turn(at, record)
    record.outcome = None
    turn = at if at is not None and at < record.end else None
    play, within, findings = _replayed(book, record, turn)
    if not findings:
        return Reached(play, record, turn, within)
    first = findings[0]
    problem = to_diagnostics(book, [first], place_of(loaded, record.players, record), language)[0]
    turn = record.first if first.turn is None else first.turn
    play, within, _ = _replayed(book, record, turn)
    return Reached(play, record, turn, within, problem, 3 if first.undetermined else 1, Speech(language))


def _replayed(book: Rulebook, record: Record, turn: int | None) -> tuple[Play, bool, list[Finding]]:
    turns, whole = record.turns, record.whole
    if turn is not None:
        # The next turn exists, so the last one here is over.
        record.turns, record.whole = turns[: turn - record.first], True
    try:
        replay = replay_record(book.game, record, book.legal)
    finally:
        record.turns, record.whole = turns, whole
    findings = [f for f in replay.findings if f.code not in _NO_CAUSE]
    # What nobody can know of the cards is no cause, unless nothing is judged from there on.
    return replay.play, replay.within, findings or (replay.findings[-1:] if replay.cut else [])


def refused_turn(replay: Replay) -> int | None:
    """The first turn that is not legal, or in which judging stops; None if there is none. Turns after it need not be legal."""
    findings = [f for f in replay.findings if not (f.follows or f.undetermined or f.code in _NO_CAUSE)]
    turns = [f.turn for f in findings if f.turn]
    if replay.cut:
        turns += [f.turn or replay.record.first for f in replay.findings[-1:]]
    return min(turns, default=None)


def shown_findings(findings: Sequence[Finding], asked: int | None, refused: int | None) -> list[Finding]:
    """The findings for a turn (None: for the whole game), or for a game up to the first refused turn."""
    if refused is None:
        return [f for f in findings if asked is None or f.turn in (None, asked)]
    return [
        f for f in findings
        if (f.turn is None and not f.follows) or f.turn == asked or (f.turn and asked is None and f.turn <= refused)
    ]  # fmt: skip


def choose_turn(at: int | None, after: int | None) -> int | None:
    """The turn before which the position is requested: `after` a turn is before the next one."""
    if at is not None and after is not None:
        fail(
            Told("--at and --after cannot be combined"),
            Told("--at N is before turn N, --after N after it"),
        )
    return at if after is None else after + 1


def check_turn(at: int | None, record: Record) -> None:
    """Stop the command if a record has no such turn."""
    if at is not None and at > record.end:
        # The user asked for the position at this turn, or for that after the turn before it.
        fail(Told("the record has no such turn, it ends with turn {number}", number=str(record.end - 1)))
    if at is not None and at < record.first:
        fail(Told("the record has no such turn, it begins with turn {number}", number=str(record.first)))
