"""Boards with places beside them: everything is within the picture, and nothing lies on something else."""

from __future__ import annotations

import random
import re
from itertools import combinations
from pathlib import Path

import pytest

from pwtool.ir.looks import SIDES, ZoneLook, looks_of
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.show.svg.grounds import Around, Ground

GRIDS = {
    "squares": "grid 3x3 of chip", "named": 'grid 4x2 of chip named "a2".."d1"', "row": "grid 6x1 of chip", "column": "grid 1x5 of chip",
    "hexes": 'hex grid 4x4 of chip named "a1".."d4"', "hexagon": "hex grid [ . # # / # # # / # # . ] of chip",
}  # fmt: skip
RULES = """game g "G"
players 2..3
component chip {{ kind: sun "S" | moon "M" }}
deck chips of chip = {{ 30 S  30 M }}
zone board: {}
zone held: bag of chip per player
zone kept: bag of chip per player
zone bowl: bag of chip
setup {{ deal bowl "Chips": all of chips to bowl }}
turn = put
action put (chip: chip from bowl, at: cell of board) {{ move chip to board[at] }}
ending full "Full" when count board == 2 then stop
"""


def meet(one: Around, other: Around) -> bool:
    return all(one[n] < other[n] + other[n + 2] - 0.01 and other[n] < one[n] + one[n + 2] - 0.01 for n in (0, 1))


@pytest.mark.parametrize("grid", GRIDS)
def test_what_stands_beside_a_board_covers_nothing_and_is_not_cut(grid: str, tmp_path: Path) -> None:
    (tmp_path / "g.rules").write_text(RULES.format(GRIDS[grid]), "utf-8")
    ruleset = load_ruleset(str(tmp_path / "g.rules"), Library()).value
    assert ruleset is not None
    zone, chance = ruleset.zones["board"], random.Random(grid)
    hexes = ("cards", "hexes")
    for _ in range(60):
        edges = {side: "#fff" for side in SIDES if zone.hexagonal and chance.random() < 0.5}
        kinds = hexes if zone.hexagonal else ("cards", "squares", "plain", "points", "pits", "holes", "dots")
        look = ZoneLook(ground=chance.choice(kinds), edges=edges)
        beside = [(chance.choice(SIDES), "Open") for _ in range(chance.randint(1, 5))]
        size, box = 60.0, (0, 0, zone.width - 1, zone.height - 1)
        ground = Ground(zone, look, box, size, 6.0, beside=beside)
        half = size * 0.46
        cells = [(x - half, y - half, 2 * half, 2 * half) for x, y in ground.centers.values()]
        boxes = [tray.box for tray in ground.beside]
        for x, y, wide, high in (*boxes, *cells):
            assert x >= 0 and y >= 0 and x + wide <= ground.width and y + high <= ground.height, (look, beside)
        assert not [pair for pair in combinations([*boxes, *cells], 2) if meet(*pair)], (look, beside)
        for tray in ground.beside:
            for x, y, scale in tray.line(3, size):
                away = scale * size / 2 - 0.01
                left, top, wide, high = tray.box
                assert left <= x - away and x + away <= left + wide and top <= y - away and y + away <= top + high
        # Whatever is as wide as a cell can be read.
        if all(tray.box[2] >= size for tray in ground.beside):
            assert len(re.findall(">Open<", ground.body)) == len(beside)


def test_what_stands_beside_a_board_has_one_name(tmp_path: Path) -> None:
    held = "zone held: beside board { seat 1: left  seat 2: right } zone bowl: beside board top"
    for more, said in (
        ("", ["Ana", "Ben", "bowl"]),
        (" zone kept: beside board top", ["Ana · held", "Ben · held", "Ana · kept", "Ben · kept", "bowl"]),
    ):
        (tmp_path / "g.rules").write_text(RULES.format("grid 3x3 of chip") + f"look {{ {held}{more} }}\n", "utf-8")
        ruleset = load_ruleset(str(tmp_path / "g.rules"), Library()).value
        assert ruleset is not None
        zones = ruleset.zones
        assert (
            looks_of(ruleset).names_beside(zones["board"], zones.values(), ["Ana", "Ben"], lambda zone: zone.name)
            == said
        )
