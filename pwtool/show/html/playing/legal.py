"""The legal actions at a point of a game: in words for each action, and as marks on the table."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pwtool.eval.values import Cell
from pwtool.eval.work import TooMuchWork
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY, Move
from pwtool.show.html.playing.table import Table
from pwtool.why.marks import marks_of
from pwtool.why.moves import as_text
from pwtool.why.names import MoveNames

MOST_COUNTED = 400
"""The most ways of an action that are counted and marked on the table."""
MOST_TOLD = 24
MAX_LEGAL_WORK = 100_000
"""The steps for the legal actions of one position: enough for boards of 361 cells."""

Box = tuple[int, int, int, int]


def legal_now(table: Table, names: MoveNames, boxes: Mapping[int, Box], play: Play, title: str) -> list[list[Any]]:
    """The legal actions in a position: for each its title, the number of ways (-1: too many to count), some of them in
    words, and the cells and things that they name; `title` is the name for ending the turn. Cells are bits, row by row
    of the drawn part of their grid, in base64.
    """
    play = play.copy()
    play.act(play.owner)
    found: list[list[Any]] = []
    try:
        with table.game.work.limited(MAX_LEGAL_WORK):
            found += _actions(table, names, boxes, play)
            if not play.over and play.may_end_turn() and play.places != frozenset([0]):
                found.append([title, 1, [], [], []])
    except TooMuchWork:
        found.append(["…", -1, [], [], []])
    return found


def _actions(table: Table, names: MoveNames, boxes: Mapping[int, Box], play: Play) -> Iterator[list[Any]]:
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
        cells: dict[int, set[Cell]] = {}
        things: dict[int, set[int]] = {}
        for way in ways[:MOST_COUNTED]:
            marks = marks_of(table.game, play.state, Move(number, way, 0, actor))
            for zone, index, cell in marks.cells:
                place = table.find(zone, index)
                # What lies on the board of another zone is marked there.
                if place is not None and not table.looks.zone(table.game.zone_list[zone]).on:
                    cells.setdefault(place, set()).add(cell)
            for zone, index, face in marks.things:
                if (place := table.find(zone, index)) is not None:
                    things.setdefault(place, set()).add(table.picture(table.game.zone_list[zone], face))
        count = len(ways) if len(ways) <= MOST_COUNTED else -1
        yield [
            who + moves.title(model), count, [words for words in told if words],
            [[place, _bits(named, boxes[place])] for place, named in sorted(cells.items())],
            [[place, *sorted(drawn)] for place, drawn in sorted(things.items())],
        ]  # fmt: skip


def _bits(cells: Iterable[Cell], box: Box) -> str:
    left, top, right, bottom = box
    wide = right - left + 1
    inside = [(y - top) * wide + x - left for x, y in cells if left <= x <= right and top <= y <= bottom]
    bits = sum(1 << at for at in inside)
    return base64.b64encode(bits.to_bytes((bits.bit_length() + 7) // 8, "little")).decode()
