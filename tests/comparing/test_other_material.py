"""What rules say of a board, a pile or a number of players that only one of two rulesets has."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest

from pwtool.cli.app import run
from pwtool.comparing import exploring
from pwtool.comparing.evidence import weigh_rows
from pwtool.comparing.row import Row
from pwtool.comparing.rows import compare_rulesets
from pwtool.records.ruleset_store import Rulebook
from pwtool.show.text.comparing import exit_code
from tests.comparing.test_houses import loaded
from tests.daily import numbers

GAME = """game men "Men"
players 2..{most}

component man {{ side: white "w" | black "b" owner: player by side }}

zone board: grid {board} of man
zone hand: pile of man per player

deck men of man = {{ 2 w 2 b }}
setup deal hand "Hand": all of men to hand by owner

turn = put | skip
action put "Put" (at: cell of board) {{
  rule free "Free" require board[at] is empty and hand is not empty and {allowed}
  move top of hand to board[at]
}}
action skip "Skip" () {{ rule stuck "Stuck" require not can put }}

ending full "Full" when no q in players: can put for q then stop
score p "Points" = count (c in cells of board: (top of board[c]).owner == player and {scored})
ranking most total, shared
"""
SIZE = (3, 2)


def rows_of(first: Rulebook, second: Rulebook) -> list[Row]:
    return weigh_rows(first, second, compare_rulesets(first.game, second.game))[0]


def told(rows: Sequence[Row]) -> dict[tuple[str, str], str]:
    return {(row.kind, row.name): row.status for row in rows}


def written(rng: random.Random) -> tuple[str, set[tuple[int, int]], set[tuple[int, int]]]:
    """A game on a board with holes; the cells on which men may be put, and those of them that count."""
    cells = list(product(range(SIZE[0]), range(SIZE[1])))
    board = {c for c in cells if rng.random() < 0.7} or {(0, 0)}
    allowed, scored = (set(rng.sample(cells, rng.randint(2, 5))) for _ in range(2))
    rows = " / ".join(" ".join(".#"[(x, y) in board] for x in range(SIZE[0])) for y in range(SIZE[1]))

    def within(name: str, chosen: set[tuple[int, int]]) -> str:
        # A cell that the board does not have cannot be named.
        return "(" + " or ".join(f"{name}.column == {x} and {name}.row == {y}" for x, y in sorted(chosen)) + ")"

    text = GAME.format(board=f"[ {rows} ]", allowed=within("at", allowed), scored=within("c", scored), most=2)
    return text, board & allowed, board & allowed & scored


def pair_of(seed: int, folder: Path) -> tuple[list[Rulebook], bool, bool]:
    """Two games, whether men are put on the same cells in both, and whether they count the same as well; so in half of the pairs."""
    rng = random.Random(seed)
    one, *ours = written(rng)
    for _ in range(200):
        other, *theirs = written(rng)
        if (theirs == ours) == bool(seed % 2):
            break
    books = [loaded(folder / f"{name}.rules", text) for name, text in (("one", one), ("other", other))]
    return books, ours[0] == theirs[0], ours == theirs


@pytest.mark.parametrize("seeds", numbers(8, 400))
def test_rules_and_boards_are_the_same_only_together(seeds: Sequence[int], tmp_path: Path) -> None:
    for seed in seeds:
        books, puts, same = pair_of(seed, tmp_path)
        rows = rows_of(*books)
        assert exit_code(rows) == (0 if same else 1), (seed, rows)
        assert not puts or told(rows).get(("rule", "put.free")) != "different", (seed, rows)


@pytest.mark.parametrize("seeds", numbers(4, 200))
def test_games_with_one_board_are_no_evidence(
    seeds: Sequence[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in a game with too many positions.
    monkeypatch.setattr(exploring, "MAX_ACTIONS", 0)
    for seed in seeds:
        books, puts, _ = pair_of(seed, tmp_path)
        rows = rows_of(*books)
        # Where men are put on other cells, the boards alone may make the difference.
        assert told(rows).get(("rule", "put.free")) != "different" or not puts, (seed, rows)
        assert exit_code(rows) == 1 and told(rows)["zone", "board"] == "different", (seed, rows)


def test_a_rule_about_more_players_than_the_other_allows_says_nothing(tmp_path: Path) -> None:
    books = [
        loaded(tmp_path / f"{most}.rules", GAME.format(board="2x2", allowed=allowed, scored="c.row == 0", most=most))
        for most, allowed in ((3, "count board < 3"), (2, "(count board < 3 and count players <= 2)"))
    ]
    rows = told(rows_of(*books))
    assert rows["players", ""] == "different" and rows["rule", "put.free"] == "no_effect"
    assert told(rows_of(*books[::-1]))["rule", "put.free"] == "no_effect"


def test_a_sheet_tells_what_lies_on_the_table_otherwise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who has which color makes no difference in play, and players have to know it."""
    text = GAME.format(board="2x2", allowed="count board < 3", scored="c.row == 0", most=2)
    kinds = ('state up: flag "U"', 'state up: off "" | on "U"')
    texts = {
        "one": text, "turned": text.replace("by side", "by side { white: 2 black: 1 }"),
        **{f"kind{at}": text.replace("owner: player", f"{kind} owner: player") for at, kind in enumerate(kinds)},
    }  # fmt: skip
    for name, words in texts.items():
        (tmp_path / f"{name}.rules").write_text(words, "utf-8")
    pairs = (("one", "turned", "“owner”: white 2, black 1"), ("kind0", "kind1", "“man”: white off, white on"))
    for first, second, said in pairs:
        run(["compare", *(str(tmp_path / f"{name}.rules") for name in (first, second)), "--sheet", "--lang", "en"])
        assert said in capsys.readouterr().out
