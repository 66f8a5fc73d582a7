"""The legal actions at a point of a game: in words for each action, and as marks on the table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pwtool.eval.work import MAX_TOLD_WORK, TooMuchWork
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY, Move
from pwtool.show.html.playing.table import Table
from pwtool.why.marks import marks_of
from pwtool.why.moves import as_text
from pwtool.why.names import MoveNames

MOST_COUNTED = 200
"""The most ways of an action that are counted and marked on the table."""
MOST_TOLD = 24


def legal_now(table: Table, names: MoveNames, play: Play, title: str) -> list[list[Any]]:
    """The legal actions in a position: for each its title, the number of ways (-1: too many to count), some of them in
    words, and the cells and things that they name; `title` is the name for ending the turn.
    """
    play = play.copy()
    play.act(play.owner)
    found: list[list[Any]] = []
    try:
        with table.game.work.limited(MAX_TOLD_WORK):
            found += _actions(table, names, play)
            if not play.over and play.may_end_turn() and play.places != frozenset([0]):
                found.append([title, 1, [], [], []])
    except TooMuchWork:
        found.append(["…", -1, [], [], []])
    return found


def _actions(table: Table, names: MoveNames, play: Play) -> Iterator[list[Any]]:
    moves, here = table.moves, names.here(play.state, play.owner)
    for number, actor in play.all_steps():
        model = table.game.action(number)
        ways = play.arguments(number, actor, MOST_COUNTED + 1)
        if not ways:
            continue
        who = moves.voice.caption("move_told", moves.names[actor]) if actor not in (play.owner, EVERYBODY) else ""
        head = len(moves.voice.caption("move_told", moves.title(model)))
        told = [
            (here(model, way) if actor == play.owner else None) or as_text(moves.words(model, way, to_come=True))[head:]
            for way in ways[:MOST_TOLD]
        ]
        cells: dict[int, set[str]] = {}
        things: dict[int, set[int]] = {}
        for way in ways[:MOST_COUNTED]:
            marks = marks_of(table.game, play.state, Move(number, way, 0, actor))
            for zone, index, (x, y) in marks.cells:
                if (place := table.find(zone, index)) is not None:
                    cells.setdefault(place, set()).add(f"{x},{y}")
            for zone, index, face in marks.things:
                if (place := table.find(zone, index)) is not None:
                    things.setdefault(place, set()).add(table.picture(table.game.zone_list[zone], face))
        count = len(ways) if len(ways) <= MOST_COUNTED else -1
        yield [
            who + moves.title(model), count, [words for words in told if words],
            [[place, *sorted(named)] for place, named in sorted(cells.items())],
            [[place, *sorted(drawn)] for place, drawn in sorted(things.items())],
        ]  # fmt: skip
