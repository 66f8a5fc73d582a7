"""The values behind a broken rule: in its own words, not in those of the definitions that it uses."""

from __future__ import annotations

from pathlib import Path

import pytest

import pwtool

RULES = """
game marks "Marks"
players 2..2
component mark {
  side: a "a" | b "b"
  owner: player by side
}
supply stock "Each player takes the marks of one side": 9 of mark per player
zone board: grid 4x4 of mark

define is_low(n) = n <= 0
define is_low_cell(c) = is_low(c.row + c.column)
define heavy(c, d) = count board[c] + count board[d] >= 2 * (c.row + 1)

turn = lay
action lay "Lay a mark" (at: cell of board, beside: cell of board) {
  rule low "The cell is low" require is_low_cell(at)
  rule heavy "There are marks" require heavy(at, beside)
  move top of stock to board[at]
}
ending full "The board is full" when board is full then stop
score marks "Marks" = count stock
ranking most total, shared
"""


def told(verdict: pwtool.Verdict, rule: str) -> str:
    """The values that stand in the report below a rule."""
    lines = verdict.report().splitlines()
    at = next(number for number, line in enumerate(lines) if f"] {rule}: " in line)
    below = next(number for number in range(at, len(lines)) if lines[number].startswith("  rule"))
    return lines[below + 1].strip()


@pytest.mark.parametrize(
    ("rule", "values"),
    [
        ("lay.low", "at = (0, 1), at.row = 1, at.column = 0, at.row + at.column = 1"),
        (
            "lay.heavy",
            "at = (0, 1), beside = (3, 3), board[at] = {}, count board[at] = 0, board[beside] = {}, count board[beside] = 0, "
            "at.row = 1",
        ),
    ],
)
def test_values_are_told_in_the_words_of_the_rule(rule: str, values: str, tmp_path: Path) -> None:
    (tmp_path / "marks.rules").write_text(RULES, "utf-8")
    record = {
        "format": "pwtool/1", "ruleset": "marks", "players": ["Ana", "Ben"],
        "turns": [{"player": "Ana", "actions": [{"action": "lay", "at": [0, 1], "beside": [3, 3]}]}],
    }  # fmt: skip
    assert told(pwtool.load(tmp_path / "marks.rules").check(record), rule) == values


def test_a_player_of_checkers_looks_up_nothing(tmp_path: Path) -> None:
    """`is_of(c, q)` is a definition: what `c` and `q` are is not written in the rule."""
    path = tmp_path / "game.pdn"
    path.write_text('[Black "Ana"]\n[White "Ben"]\n\n1. 9-14 22-17 2. 11-15 23-18 3. 10x19 *\n', "utf-8")
    assert told(pwtool.check(path), "jump.other") == "over = 15, other player = Ben, board[over] = {b}"


def test_what_lies_in_a_pile_is_told_once(tmp_path: Path) -> None:
    """How many pieces there are and what the upper one can do is seen in the pile, where players name cells."""
    path = tmp_path / "game.pdn"
    path.write_text('[Black "Ana"]\n[White "Ben"]\n\n1. 11-15 23-19 2. 8-11 22-17 3. 11-8 *\n', "utf-8")
    assert told(pwtool.check(path), "step.ahead") == "start = 11, target = 8, board[start] = {b}"
