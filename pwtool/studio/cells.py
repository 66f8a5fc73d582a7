"""Boards exchanged between the page and the rules: piles of codes by cell, and their pictures."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

from pwtool.eval.values import Cell, Grid, bounds
from pwtool.ir.looks import looks_of
from pwtool.ir.model import ComponentModel, Ruleset, ZoneModel
from pwtool.lang import tree as n
from pwtool.play.game import Game
from pwtool.show.svg.boards import Spot, draw_cells, draw_picture
from pwtool.show.svg.cards import component_art
from pwtool.show.svg.writer import to_svg
from pwtool.studio.refusing import Refused
from pwtool.text import did_you_mean
from pwtool.text.speech import Told
from pwtool.why.voice import Voice
from pwtool.why.witnesses import write_board

MAX_PILE = 40
MAX_AWAY = 100


class Board(msgspec.Struct):
    """A board: the column, row and codes of each pile, from bottom to top."""

    cells: list[tuple[int, int, list[str]]]


def grid_of(ruleset: Ruleset, board: Board) -> Grid:
    """A board with the numbers of its faces. Raises `Refused` if it is not a possible one."""
    zone, component = board_of(ruleset)
    found: Grid = {}
    for x, y, codes in board.cells:
        if not codes:
            continue
        if len(codes) > MAX_PILE or abs(x) > MAX_AWAY or abs(y) > MAX_AWAY:
            raise Refused(Told("this board is too large"))
        unknown = next((code for code in codes if code not in component.numbers), None)
        if unknown is not None:
            raise Refused(
                Told("there is nothing with the code {code}", code=f"`{unknown}`"),
                did_you_mean(unknown, component.codes),
            )
        if (x, y) in found:
            raise Refused(Told("two piles lie on column {column}, row {row}", column=x + 1, row=y + 1))
        found[x, y] = [component.numbers[code] for code in codes]
    if found:
        left, top, right, bottom = bounds(found)
        wide, high = right - left + 1, bottom - top + 1
        inside = zone.floating or all(zone.grid.has(cell) for cell in found)
        if wide > zone.width or high > zone.height or not inside:
            raise Refused(
                Told("this does not fit on a board of {columns} by {rows}", columns=zone.width, rows=zone.height)
            )
    return found


def board_of(ruleset: Ruleset) -> tuple[ZoneModel, ComponentModel]:
    """The grid that objectives look at, and what lies on it."""
    if ruleset.board is None:
        raise Refused(Told("these rules have no board that objectives speak of"))
    return ruleset.board, ruleset.components[ruleset.board.element.component]


def cells_data(ruleset: Ruleset, grid: Grid) -> dict[str, Any]:
    """A board for the page."""
    codes = board_of(ruleset)[1].codes
    return {"cells": [[x, y, [codes[face] for face in pile]] for (x, y), pile in sorted(grid.items()) if pile]}


def picture_data(picture: n.Picture) -> dict[str, Any]:
    """A board written as in examples, for the page; `#` stands for any card."""
    known = [(c.column, c.row, c.content.split("+")) for c in picture.cells if c.content not in ("_", ".")]
    return {"cells": [[x, y, codes] for x, y, codes in known]}


def draw_grid(game: Game, grid: Grid, voice: Voice, marked: Collection[Cell] = ()) -> str:
    """Draw a board as players see it, with some cells framed."""
    ruleset = game.ruleset
    zone, component = board_of(ruleset)
    art = component_art(ruleset, component)
    spots = {cell: Spot(art.face(pile[-1]), len(pile) - 1) for cell, pile in grid.items() if pile}
    box = (0, 0, zone.width - 1, zone.height - 1)
    if zone.floating:
        places = [*spots, *marked]
        columns, rows = [c[0] for c in places] or [0], [c[1] for c in places] or [0]
        box = min(columns), min(rows), max(columns), max(rows)
    drawing = draw_cells(spots, box, marked=marked, zone=zone, look=looks_of(ruleset).zone(zone))
    return to_svg(drawing, write_board(ruleset, grid) if grid else voice.say("an empty board"), inline=True)


def draw_example(ruleset: Ruleset, picture: n.Picture) -> str:
    """Draw the board of an example as players see it; nothing if a card is not in the rules."""
    zone, component = board_of(ruleset)
    if any(codes[-1] not in ("#", *component.codes) for _, _, codes in picture_data(picture)["cells"]):
        return ""
    drawing = draw_picture(ruleset, zone, picture)
    return to_svg(drawing, picture.span.text, inline=True)
