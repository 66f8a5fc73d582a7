"""What variables can hold, whose they are, and what is told of those that cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library

GAME = """\
game kept "Kept"
players 2..3
component card {{ suit: hearts "H" | spades "S"  value: 1..3 }}
deck pack of card = {{ 3 H1  3 S2  3 H3 }}
zone hand: bag of card per player
zone board: grid 3x3 of card
zone loose: floating grid 3x3 of card
zone stock: pile of card
setup deal stock "All": all of pack to stock by chance
{vars}
turn = go
action go "Go" (at: cell of board, who: player, far: cell of loose) {{
  rule open "Open" require {rule}
  {effect}
}}
ending full "Full" when {ending} then stop {once}
score cards "Cards" = {score}
ranking most total, shared
"""


def told(tmp_path: Path, vars: str = "", rule: str = "board[at] is empty", effect: str = "move top of stock to board[at]",
         score: str = "count board", ending: str = "stock is empty", once: str = "") -> list[str]:  # fmt: skip
    """The findings about the game with these parts, each with its help."""
    path = tmp_path / "kept.rules"
    path.write_text(GAME.format(vars=vars, rule=rule, effect=effect, score=score, ending=ending, once=once), "utf-8")
    found = load_ruleset(str(path), Library()).diagnostics
    return [" / ".join([d.code, d.message, *([d.help] if d.help else [])]) for d in found]


POINTS = "var points: -3..40 = 0 per player"


@pytest.mark.parametrize(
    "parts",
    [
        {"vars": POINTS, "effect": "points += 2", "score": "points"},
        {"vars": POINTS, "effect": "points[who] = 0 when who != player", "score": "points + points[player after player]"},
        {"vars": "var points: 0..40 = 0 per player per turn", "effect": "points[seat 2] += 1", "score": "points"},
        {"vars": "var points: 0..40 = 0 per turn per player", "effect": "points += 1", "score": "points"},
        {"vars": "var points: 0..9 = (if hand is empty then 9 else 0) per player", "effect": "points = 9", "score": "points"},
        {"vars": "var called: suit per game", "effect": "called = hearts", "rule": "called != hearts"},
        {"vars": "var called: suit = spades per game", "effect": "called = (top of stock else S2).suit"},
        {"vars": "var trump: card per game", "effect": "trump = top of stock", "rule": "trump.suit != spades"},
        {"vars": "var deep: value = 1 per game", "effect": "deep = 3", "score": "deep"},
        {"vars": "var spot: cell of board per game", "effect": "spot = at", "score": "by (spot.row else 0) { 0: 1  1: 5  2: 7 }"},
        {"vars": "var spots: cells of board per game", "effect": "spots += at", "score": "sum (c in spots: c.column)"},
        {"vars": "var spots: cells per game", "effect": "spots += (first c in cells of board: true)"},
        {"vars": "var spot: cell per game", "effect": "spot = far"},
        {"vars": "var lead: player = seat 2 per game", "effect": "lead = player after lead", "rule": "hand[lead] is empty"},
        {"rule": "by at.row { 0: 1  1: 1  2: 0 } == 1"},
        {"rule": "player == seat 2 or hand[seat 1] is empty"},
        {"ending": "player == seat 1 and hand is empty", "once": "at once"},
    ],
)  # fmt: skip
def test_what_can_be_said(tmp_path: Path, parts: dict[str, str]) -> None:
    assert told(tmp_path, **parts) == []


@pytest.mark.parametrize(
    ("parts", "finding"),
    [
        (
            {"vars": POINTS, "rule": "seat 3 == player"},
            "PW306 / there may be no seat 3, the game is for 2 to 3 players / `seat 1` to `seat 2` are always there",
        ),
        ({"vars": "var points: 5..1 = 5 per game"}, "PW306 / the range is empty"),
        ({"vars": "var points: 0..9 per player"}, "PW209 / `points` needs a first value / write `= 0`"),
        (
            {"vars": "var points: 0..9 = 0 per goal"},
            "PW201 / there is no division `goal` / known here: `game`, `player`, `suit`, `turn`, `value`",
        ),
        (
            {"vars": "var points: 0..9 = 0 per player per round"},
            "PW201 / there is no time `round` / known here: `game`, `player`, `turn`",
        ),
        (
            {"vars": "var held: bag of card per player"},
            "PW301 / `held` is a bag of cards, a player has one value / a zone may be `per player`",
        ),
        ({"vars": "var called: suite per game"}, "PW201 / there is no type `suite` / did you mean `suit`?"),
        ({"vars": "var spot: cell of hand per game"}, "PW201 / there is no grid `hand` / known here: `board`, `loose`"),
        (
            {"vars": "var spot: cell of board per game", "effect": "spot = far"},
            "PW301 / this is a cell of another grid than `spot`",
        ),
        (
            {"vars": POINTS, "effect": "points += (top of stock).value"},
            "PW301 / this may have no value / give a default: `((top of stock).value else 0)`",
        ),
        (
            {"vars": POINTS, "effect": "points = (top of stock).value"},
            "PW301 / this may have no value / give a default: `((top of stock).value else 0)`",
        ),
        (
            {"vars": "var called: suit = hearts per game", "effect": "called = none"},
            "PW301 / `called` is a suit, this is nothing / only a variable without a first value may be `none` again",
        ),
        ({"vars": "var called: suit per game", "effect": "called = 3"}, "PW301 / `called` is a suit, this is a number"),
        (
            {"vars": "var total_: 0..9 = 0 per game", "effect": "total_[who] += 1"},
            "PW302 / there is one `total_`, not one of each player",
        ),
        (
            {"vars": POINTS, "effect": "points[at] += 1"},
            "PW302 / a player is needed here, this is a cell",
        ),
        (
            {"vars": "var spots: cells of board per game", "effect": "spots += far"},
            "PW301 / this is a cell of another grid than `spots`",
        ),
    ],
)
def test_what_cannot_be_said_is_told(tmp_path: Path, parts: dict[str, str], finding: str) -> None:
    assert told(tmp_path, **parts) == [finding]


def test_a_definition_may_be_used_with_what_is_sure_and_with_what_may_be_absent(tmp_path: Path) -> None:
    define = "define depth(c) = (c.row else 0)\nvar spot: cell of board per game"
    assert told(tmp_path, vars=define, rule="depth(at) < 2 or depth(spot) < 2", effect="spot = at") == []


def test_what_may_be_absent_stays_so_where_its_stand_in_may_be_absent_too(tmp_path: Path) -> None:
    parts = {"rule": "((top of stock).value else (top of hand).value) + 1 > 2"}
    (finding,) = told(tmp_path, **parts)
    assert finding.startswith("PW301 / this may have no value")
