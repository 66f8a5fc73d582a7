"""Open points: what later layers settle, and readings that are chosen together."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.cli.app import run
from pwtool.play.game import Game
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.show.text.comparing import open_points
from tests.daily import one_day_in
from tests.rules.test_own_editions import GAME

OPEN = """edition open of rows "Open"
ambiguity place "Where" reads "on an empty cell"
  alternative anywhere "on any" { change rule lay.free "Any" require at.row >= 0 }
  alternative top "on the first row" { change rule lay.free "First" require board[at] is empty and at.row == 0 }
ambiguity when "When it ends" reads "when it is full"
  alternative soon "with two" { change ending full "Two" when count board == 2 then stop }
"""


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    folder = tmp_path / "rows"
    folder.mkdir()
    (folder / "game.rules").write_text(GAME, "utf-8")
    (folder / "open.rules").write_text(OPEN, "utf-8")
    return tmp_path


def points(folder: Path, text: str) -> list[str]:
    """The points that are open, and said to be."""
    (folder / "rows" / "next.rules").write_text(f'edition next of rows/open "Next"\n{text}\n', "utf-8")
    ruleset = load_ruleset("rows/next", Library(folder)).value
    assert ruleset is not None
    shown = [name for _, name, *_ in open_points(Game(ruleset))]
    assert shown == [
        name
        for kind, name in ruleset.merged.items
        if kind == "ambiguity" and (kind, name) not in ruleset.merged.restated
    ]
    return shown


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", ["place", "when"]),
        ('change rule lay.free "Any" require at.row >= 0', ["when"]),
        # Neither what it was nor what it could be.
        ('change rule lay.free "Last" require board[at] is empty and at.row == 2', ["when"]),
        # Other words mean the same.
        ('change rule lay.free "Not taken" require board[at] is empty', ["place", "when"]),
        ('change score row "Rows" = 2 * count { some line of 3 on board: all owner == player }', ["place", "when"]),
        ('change ending full "Three" when count board == 3 then stop', ["place"]),
    ],
)
def test_a_later_layer_settles_what_it_changes(text: str, left: list[str], rows: Path) -> None:
    assert points(rows, text) == left


def test_readings_of_different_points_go_together_in_any_order(rows: Path) -> None:
    library = Library(rows)
    first = load_ruleset("rows/open", library, ("place=top", "when=soon")).value
    second = load_ruleset("rows/open", library, ("when=soon", "place=top")).value
    assert first is not None and second is not None and first.version == second.version


def test_readings_that_change_the_same_are_not_chosen_together(rows: Path) -> None:
    path = rows / "rows" / "open.rules"
    path.write_text(
        OPEN
        + 'ambiguity how "How" reads "as it is"\n  alternative last "last row" { change rule lay.free "Last" require at.row == 2 }\n',
        "utf-8",
    )
    library = Library(rows)
    for readings in (("place=top", "how=last"), ("how=last", "place=top")):
        found = load_ruleset("rows/open", library, readings)
        assert found.value is None
        assert [d.message for d in found.diagnostics] == [
            f"the readings `{readings[0]}`, `{readings[1]}` change the same and cannot be chosen together"
        ]
    found = load_ruleset("rows/open", library, ("place=top", "place=anywhere"))
    assert [d.message for d in found.diagnostics] == ["the reading of `place` is chosen twice"]


@one_day_in(4)
def test_a_sheet_does_not_say_how_older_rules_were_read(rows: Path, capsys: pytest.CaptureFixture[str]) -> None:
    house = rows / "house.rules"
    change = 'change rule place.skip_once "Two skips in a turn" require skips <= 2 or gap <= 0'
    house.write_text(f'edition house of paper_world/en "House"\n{change}\n', "utf-8")
    assert run(["rules", "show", str(house)]) == 0
    said = capsys.readouterr().out
    assert "what it is about has been changed since" in said
    assert run(["compare", "paper_world/en", str(house), "--sheet"]) in (0, 1)
    said = capsys.readouterr().out
    assert "How often one may skip in a turn" not in said and "Whether the 1 may be skipped" in said
