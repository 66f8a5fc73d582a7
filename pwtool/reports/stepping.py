"""Recorded games board by board under two rulesets, for a page: the position before each action and what is done."""

from __future__ import annotations

from dataclasses import dataclass

from pwtool.engine.finding import Finding
from pwtool.engine.play import Play
from pwtool.engine.record import EVERYBODY, Move, Record
from pwtool.engine.replay import Replay, replay_record
from pwtool.engine.state import State
from pwtool.formats.shelf import Rulebook, Shelf
from pwtool.reports.checking import Loaded, choose_rulebook, decode_loaded
from pwtool.reports.findings import describe_action
from pwtool.reports.impact import bare
from pwtool.reports.report import FileResult
from pwtool.reports.svg import pad, to_svg
from pwtool.reports.svg_boards import Positions

# A page stays small enough for a phone: of longer games the last boards are drawn.
MAX_STEPS = 120

_At = tuple[int, int | None]
"""A place in a game: (turn, action), (turn, None) at the end of a turn, or one of the two below."""
AT_START: _At = (-2, None)
AT_END: _At = (-1, None)


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
    `labels` the rulesets where they are not those of the page, `comment` what the record says of itself.
    """

    name: str
    file: str
    verdicts: tuple[str, str]
    rules: tuple[str, ...]
    steps: tuple[Step, ...]
    left_out: int = 0
    labels: tuple[str, str] | None = None
    comment: str = ""


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
    able = [pair for pair in replays if pair is not None]
    if not able:
        return None
    book, replay = max(able, key=lambda pair: _length(pair[1]))
    # A game that was looked for is about play: what a ruleset says of its material is left aside.
    refusals = _refusals(replays, labels, as_recorded)
    steps = _steps(book, replay.record, refusals)
    kept = steps[-MAX_STEPS:]
    rules = tuple(dict.fromkeys(f.rule for _, r in able for f in _first(r, as_recorded) if f.rule))
    verdicts = tuple(_verdict(pair, as_recorded) for pair in replays)
    name = replay.record.id or loaded.document.name
    comment = loaded.data.get("comment") if as_recorded and isinstance(loaded.data, dict) else None
    return SteppedGame(
        name, loaded.document.name, (verdicts[0], verdicts[1]), rules, tuple(kept), len(steps) - len(kept), labels,
        comment if isinstance(comment, str) else "",
    )  # fmt: skip


def _replayed(loaded: Loaded, address: str, shelf: Shelf, as_recorded: bool) -> tuple[Rulebook, Replay] | None:
    """The record as one ruleset reads it: the numbers in it are that ruleset's own."""
    chosen = choose_rulebook(loaded, shelf, address)
    if isinstance(chosen, FileResult):
        return None
    whole, book, _ = chosen
    record = decode_loaded(whole, book)
    if isinstance(record, FileResult):
        return None
    return book, replay_record(book.game, record if as_recorded else bare(record), book.legal)


def _steps(book: Rulebook, record: Record, refusals: dict[_At, str]) -> list[Step]:
    positions = Positions(book.game, record.players)
    cycle = book.game.ruleset.cycle
    steps: list[Step] = []

    def observe(play: Play, turn: int, action: int | None) -> None:
        where = f"{cycle} {turn + 1}" + _who(record, turn)
        if action is not None:
            move = record.turns[turn].moves[action]
            done = _done(book, record, turn, move, play.state)
            early = [refusals[AT_START]] if AT_START in refusals and not steps else []
            refused = "; ".join([*early, *(refusals[at] for at in [(turn, move.index)] if at in refusals)])
            steps.append(Step(where, done, _drawn(positions, play.state, where), refused))
        elif (turn, None) in refusals:
            where = f"end of {where}"
            steps.append(Step(where, "", _drawn(positions, play.state, where), refusals[turn, None]))

    replay = replay_record(book.game, record, book.legal, observe)
    last = "at the end"
    return [*steps, Step(last, "", _drawn(positions, replay.play.state, last), refusals.get(AT_END, ""))]


def _drawn(positions: Positions, state: State, title: str) -> str:
    return to_svg(pad(positions.draw(state), 8), title, inline=True)


def _length(replay: Replay) -> tuple[int, int]:
    return replay.prefix if replay.prefix is not None else (len(replay.record.turns), 0)


def _who(record: Record, turn: int) -> str:
    player = record.turns[turn].player
    return "" if player == EVERYBODY else f", {record.players[player]}"


def _done(book: Rulebook, record: Record, turn: int, move: Move, state: State) -> str:
    model = book.game.action(move.number)
    arguments = tuple("" if a is None else a for a in move.arguments)
    # An objective may be named by its name, where the position has it by its place.
    if any(isinstance(a, str) and p.type.kind == "goal" for p, a in zip(model.parameters, arguments, strict=True)):
        return model.name
    text = describe_action(book.game, model, arguments, record.players, state.goals)
    return text if move.actor in (record.turns[turn].player, EVERYBODY) else f"{record.players[move.actor]}: {text}"


def _refusals(
    replays: list[tuple[Rulebook, Replay] | None], labels: tuple[str, str], play_only: bool
) -> dict[_At, str]:
    """The first refusal of each ruleset by its place."""
    found: dict[_At, str] = {}
    for pair, label in zip(replays, labels, strict=True):
        for finding in _first(pair[1], play_only) if pair is not None else ():
            path = finding.path
            place = AT_START if path[:1] == ("setup",) else AT_END
            if path[:1] == ("turns",) and len(path) > 1:
                place = int(path[1]), int(path[3]) if len(path) > 3 and path[2] == "actions" else None
            rule = f" ({finding.rule})" if finding.rule else ""
            text = f"{label} refuses: {finding.message}{rule}"
            found[place] = f"{found[place]}; {text}" if place in found else text
    return found


def _first(replay: Replay, play_only: bool) -> list[Finding]:
    """The first finding, and the first about play where that is about the setup: material that differs hides nothing.
    With `play_only` the latter alone, where there is one.
    """
    play = [f for f in replay.findings if f.path[:1] != ("setup",)]
    if play_only and play:
        return play[:1]
    return [*replay.findings[:1], *(play[:1] if play[:1] != replay.findings[:1] else [])]


def _verdict(pair: tuple[Rulebook, Replay] | None, play_only: bool) -> str:
    if pair is None:
        return "cannot be read"
    replay = pair[1]
    if replay.findings:
        first = _first(replay, play_only)
        rules = ", ".join(dict.fromkeys(f.rule for f in first if f.rule))
        rule = f" ({rules})" if rules else ""
        if first[0] is not replay.findings[0]:
            rule += "; what it says of the setup is left aside"
        return ("refused" if any(not f.undetermined for f in replay.findings) else "undecided") + rule
    result = replay.result
    if not replay.play.over or result is None or not result.ranking:
        return "accepted"
    names = replay.record.players
    points = ", ".join(f"{name} {total}" for name, total in zip(names, result.totals, strict=True))
    return f"accepted: {points}; won by {' and '.join(names[p] for p in result.ranking[0])}"
