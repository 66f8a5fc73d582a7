"""Editions and variants of a game that lies in a folder of one's own, beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library

GAME = """game rows "Rows"
players 2..2
component stone { color: black "B" | white "W"  owner: player by color }
supply bowl "Stones": 9 of stone per player
zone board: grid 3x3 of stone
turn = lay
action lay "Lay" (at: cell of board) {
  rule free "Free" require board[at] is empty
  move top of bowl to board[at]
}
ending full "Full" when board is full then stop
score row "A row" = count { some line of 3 on board: all owner == player }
ranking most total
"""


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    folder = tmp_path / "rows"
    folder.mkdir()
    (folder / "game.rules").write_text(GAME, "utf-8")
    (folder / "large.rules").write_text(
        'edition large of rows "Large"\nchange zone board: grid 4x4 of stone\n', "utf-8"
    )
    (folder / "larger.rules").write_text(
        'edition larger of rows/large "Larger"\nchange zone board: grid 5x4 of stone\n', "utf-8"
    )
    (folder / "quick.rules").write_text(
        'variant quick of rows "Quick"\nending row "A row" when some line of 3 on board: same color then stop\n',
        "utf-8",
    )
    return folder


@pytest.mark.parametrize(
    ("address", "cells", "endings"),
    [
        ("game.rules", 9, 1), ("large.rules", 16, 1), ("larger.rules", 20, 1), ("quick.rules", 9, 2),
        ("game.rules+quick", 9, 2), ("larger.rules+quick", 20, 2),
    ],
)  # fmt: skip
@pytest.mark.parametrize("inside", [True, False])
def test_they_are_found_beside_their_game(
    address: str, cells: int, endings: int, inside: bool, rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(rows if inside else rows.parent)
    found = load_ruleset(address if inside else f"rows/{address}", Library())
    assert found.value is not None, [d.message for d in found.diagnostics]
    board = found.value.zones["board"]
    assert (board.width * board.height, len(found.value.endings)) == (cells, endings)


def test_a_folder_of_another_name_is_not_the_game(rows: Path) -> None:
    elsewhere = rows.rename(rows.parent / "columns")
    found = load_ruleset(str(elsewhere / "large.rules"), Library())
    assert found.value is None and [d.message for d in found.diagnostics] == ["there is no game `rows`"]


def test_the_library_comes_first(rows: Path) -> None:
    """A file beside an edition does not stand for a game that comes with the program."""
    folder = rows.rename(rows.parent / "pig")
    (folder / "game.rules").write_text(GAME.replace("game rows", "game pig"), "utf-8")
    (folder / "large.rules").write_text('edition large of pig "Large"\nvar more: 0..9 = 0 per turn\n', "utf-8")
    found = load_ruleset(str(folder / "large.rules"), Library())
    assert found.value is not None and not found.value.zones and len(found.value.actions) == 2


def test_no_link_leads_out_of_the_folder(rows: Path) -> None:
    other = rows.parent / "secret.rules"
    other.write_text(GAME, "utf-8")
    (rows / "game.rules").unlink()
    (rows / "game.rules").symlink_to(other)
    found = load_ruleset(str(rows / "large.rules"), Library())
    assert found.value is None and "outside" in found.diagnostics[0].message
