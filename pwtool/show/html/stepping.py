"""Recorded games board by board under two rulesets, for a page: the position before each action and what is done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pwtool.checking.documents import Loaded, choose_rulebook, decode_loaded
from pwtool.checking.report import FileResult
from pwtool.comparing.impact import bare
from pwtool.play.finding import Finding
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY, Record
from pwtool.play.replay import Replay, replay_record
from pwtool.play.state import State
from pwtool.records.shelf import Rulebook, Shelf
from pwtool.show.svg.boards import Positions
from pwtool.show.svg.writer import pad, to_svg
from pwtool.why.describe import describe_move
from pwtool.why.marks import NO_MARKS, Marks, marks_of
from pwtool.why.messages import Messages

# A page stays small enough for a phone: of longer games the last boards are drawn.
MAX_STEPS = 120

_At = tuple[int, int | None]
"""A place in a game: (turn, action), (turn, None) at the end of a turn, or one of the two below."""
AT_START: _At = (-2, None)
AT_END: _At = (-1, None)
_BEFORE_PLAY = ("setup", "players", "goals")


@dataclass(frozen=True, slots=True)
class Step:
    """A board and what is done on it; `refused` says by whom and why where an action is refused."""

    title: str
    done: str
    drawing: str
    refused: str = ""


@dataclass(frozen=True, slots=True)
class SteppedGame:
    """A recorded game as steps. `file` is where it was read from, `rules` what is broken first under either ruleset,
    `labels` the rulesets where they are not those of the page, `comment` what the record says of itself, `moves` the
    whole game in words, by turn.
    """

    name: str
    file: str
    verdicts: tuple[str, str]
    rules: tuple[str, ...]
    steps: tuple[Step, ...]
    left_out: int = 0
    labels: tuple[str, str] | None = None
    comment: str = ""
    moves: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Unread:
    """What a ruleset says of a record that it cannot even read, and where."""

    message: str
    at: _At


_Judged = tuple[Rulebook, Replay] | _Unread


def step_document(
    loaded: Loaded,
    addresses: tuple[str, str],
    shelves: tuple[Shelf, Shelf],
    labels: tuple[str, str],
    as_recorded: bool = False,
) -> SteppedGame | None:
    """A document as steps under two rulesets, drawn under the one that accepts more of it; None where neither can
    read it. `as_recorded`: with what it says of claims and result, which is otherwise worked out anew under each.
    """  # fmt: skip
    replays = [
        _replayed(loaded, address, shelf, as_recorded) for address, shelf in zip(addresses, shelves, strict=True)
    ]
    able = [found for found in replays if not isinstance(found, _Unread)]
    if not able:
        return None
    book, replay = max(able, key=lambda pair: _length(pair[1]))
    # A game that was looked for is about play: what a ruleset says of its material is left aside.
    refusals = _refusals(replays, labels, as_recorded)
    steps, moves = _steps(book, replay.record, refusals)
    kept = steps[-MAX_STEPS:]
    rules = tuple(dict.fromkeys(f.rule for _, r in able for f in _first(r, as_recorded) if f.rule))
    verdicts = tuple(_verdict(pair, as_recorded) for pair in replays)
    name = replay.record.id or loaded.document.name
    comment = loaded.data.get("comment") if as_recorded and isinstance(loaded.data, dict) else None
    return SteppedGame(
        name, loaded.document.name, (verdicts[0], verdicts[1]), rules, tuple(kept), len(steps) - len(kept), labels,
        comment if isinstance(comment, str) else "", tuple(moves),
    )  # fmt: skip


def _replayed(loaded: Loaded, address: str, shelf: Shelf, as_recorded: bool) -> _Judged:
    """The record as one ruleset reads it: the numbers in it are that ruleset's own."""
    chosen = choose_rulebook(loaded, shelf, address)
    if isinstance(chosen, FileResult):
        return _Unread("it cannot read this", AT_START)
    whole, book, _ = chosen
    record = decode_loaded(whole, book)
    if isinstance(record, FileResult):
        return _unread(whole, record)
    return book, replay_record(book.game, record if as_recorded else bare(record), book.legal)


def _unread(loaded: Loaded, result: FileResult) -> _Unread:
    """The first thing in play that a ruleset does not know, the first of all where play has none."""
    found = []
    for diagnostic in result.diagnostics:
        inside = [at for at, span in _spans(loaded) if diagnostic.span is not None and diagnostic.span.start in span]
        found.append(_Unread(diagnostic.message, inside[0] if inside else AT_START))
    return next((unread for unread in found if unread.at != AT_START), found[0])


def _spans(loaded: Loaded) -> Iterator[tuple[_At, range]]:
    """Where each action of a record stands in its file."""
    turns = loaded.data.get("turns") if isinstance(loaded.data, dict) else None
    for number, turn in enumerate(turns if isinstance(turns, list) else []):
        actions = turn.get("actions") if isinstance(turn, dict) else None
        for at in range(len(actions) if isinstance(actions, list) else 0):
            span = loaded.locate(("turns", number, "actions", at))
            yield (number, at), range(span.start, span.end)


def _steps(book: Rulebook, record: Record, refusals: dict[_At, str]) -> tuple[list[Step], list[str]]:
    """The boards of a game, and its moves in words, a line for each turn."""
    positions = Positions(book.game, record.players)
    cycle = book.game.ruleset.cycle
    steps: list[Step] = []
    moves: list[str] = []

    def observe(play: Play, turn: int, action: int | None) -> None:
        where = f"{cycle} {turn + 1}" + _who(record, turn)
        if action is not None:
            move = record.turns[turn].moves[action]
            done = describe_move(book.game, record, turn, move, play.state.goals)
            marks = marks_of(book.game, play.state, move)
            drawing = _drawn(positions, play.state, where, marks)
            steps.append(Step(where, done, drawing, refusals.get((turn, move.index), "")))
            moves.append(f"{where}: {done}" if action == 0 else f"{moves.pop()}; {done}")
        elif (turn, None) in refusals:
            where = f"end of {where}"
            claimed = [move for move in record.turns[turn].moves if move.consequence]
            marks = marks_of(book.game, play.state, *claimed)
            steps.append(Step(where, "", _drawn(positions, play.state, where, marks), refusals[turn, None]))

    replay = replay_record(book.game, record, book.legal, observe)
    last = "at the end"
    end = Step(last, "", _drawn(positions, replay.play.state, last), refusals.get(AT_END, ""))
    return [*steps, end], moves


def _drawn(positions: Positions, state: State, title: str, marks: Marks = NO_MARKS) -> str:
    return to_svg(pad(positions.draw(state, marks), 8), title, inline=True)


def _length(replay: Replay) -> tuple[int, int]:
    return replay.prefix if replay.prefix is not None else (len(replay.record.turns), 0)


def _who(record: Record, turn: int) -> str:
    player = record.turns[turn].player
    return "" if player == EVERYBODY else f", {record.players[player]}"


def _refusals(replays: list[_Judged], labels: tuple[str, str], play_only: bool) -> dict[_At, str]:
    """The first refusal of each ruleset by its place. What is said of the setup belongs to no board: it is told with the
    verdicts.
    """
    found: dict[_At, str] = {}
    for judged, label in zip(replays, labels, strict=True):
        if isinstance(judged, _Unread):
            said = [(judged.at, judged.message)]
        else:
            record = judged[1].record
            said = [(_place(record, finding), _said(judged, finding)) for finding in _first(judged[1], play_only)]
        for place, words in said:
            if place != AT_START:
                # A result that is another one is no refused action.
                text = f"{label} {'says' if place == AT_END else 'refuses'}: {words}"
                found[place] = f"{found[place]}; {text}" if place in found else text
    return found


def _said(judged: tuple[Rulebook, Replay], finding: Finding) -> str:
    book, replay = judged
    message = Messages(book.game, replay.record.players).message(finding)
    return message.text + (f" ({finding.rule})" if finding.rule else "")


def _place(record: Record, finding: Finding) -> _At:
    path = finding.path
    if path[0] in _BEFORE_PLAY:
        return AT_START
    if path[:1] != ("turns",) or len(path) < 2:
        return AT_END
    turn, at = int(path[1]), int(path[3]) if len(path) > 3 and path[2] == "actions" else None
    # What follows from a turn is claimed at its end, which is the board that it is about.
    claimed = any(move.index == at and move.consequence for move in record.turns[turn].moves)
    return turn, None if claimed else at


def _first(replay: Replay, play_only: bool) -> list[Finding]:
    """The first finding, and the first about play where that is about the setup: material that differs hides nothing.
    With `play_only` the latter alone, where there is one.
    """
    play = [f for f in replay.findings if f.path[0] not in _BEFORE_PLAY]
    if play_only and play:
        return play[:1]
    return [*replay.findings[:1], *(play[:1] if play[:1] != replay.findings[:1] else [])]


def _verdict(judged: _Judged, play_only: bool) -> str:
    if isinstance(judged, _Unread):
        return f"refused: {judged.message}"
    replay = judged[1]
    if replay.findings:
        first = _first(replay, play_only)
        words = "refused" if any(not f.undetermined for f in replay.findings) else "undecided"
        if _place(replay.record, first[0]) == AT_START:
            words, first = f"{words}: {_said(judged, first[0])}", first[1:]
        rules = ", ".join(dict.fromkeys(f.rule for f in first if f.rule))
        words += f" ({rules})" if rules else ""
        aside = play_only and len(first) == 1 and first[0] is not replay.findings[0]
        return words + ("; what it says of the setup is left aside" if aside else "")
    result = replay.result
    if not replay.play.over or result is None or not result.ranking:
        return "accepted"
    names = replay.record.players
    points = ", ".join(f"{name} {total}" for name, total in zip(names, result.totals, strict=True))
    return f"accepted: {points}; won by {' and '.join(names[p] for p in result.ranking[0])}"
