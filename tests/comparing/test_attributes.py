"""Numbers that follow from things, called alike in two rulesets and not the same: beside what each thing is worth in both."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from pwtool.cli.app import run
from pwtool.comparing.evidence import weigh_rows
from pwtool.comparing.row import Row
from pwtool.comparing.rows import compare_rulesets
from pwtool.comparing.witness.search import find_witnesses
from pwtool.play.replay import replay_record
from pwtool.records.ruleset_store import Rulebook
from tests.comparing.test_houses import loaded
from tests.daily import numbers

GAME = """game mini "Mini"
players 2..2
component card {{ color: red "R" | blue "B"  value: 1..3 {attributes} }}
deck cards of card = {{ {deck} }}
zone board: grid 2x2 of card
zone stock: pile of card
zone hand: bag of card per player
setup {{
  deal hand "h": 2 each of cards to hand by chance
  deal stock "s": rest of cards to stock by chance
}}
turn = lay | keep
action lay "Lay" (it: card from hand, at: cell of board) {{
  rule free "f" require board[at] is empty
  rule good "g" require {rule}
  move it to board[at]
  move top of stock to hand
}}
action keep "Keep" (it: card from hand) {{
  move it to stock
  move top of stock to hand
}}
objective one "One" = {objective}
var turns: 0..9 = 0 per game
consequence tick "t" () {{ turns += 1 }}
ending out "Out" when turns == 8 or (some c in cells of board: {ending}) then stop
score worth "w" = {score}
ranking most total
"""
DECK = "2 R1 2 R2 2 R3 2 B1 2 B2 2 B3"
MEN = """
change component man {{
  side: black "B" | white "W"
  owner: player by side
  ahead: by side {{ black: 1  white: -1 }}
  goal_row: by side {{ black: {black}  white: {white} }}
}}
"""
ROWS = "(top of board[c]).side == black and c.row == 6 or (top of board[c]).side == white and c.row == 1"


def rows_of(first: Rulebook, second: Rulebook) -> dict[tuple[str, str], Row]:
    rows, _ = weigh_rows(first, second, compare_rulesets(first.game, second.game))
    return {(row.kind, row.name): row for row in rows}


def differs(rows: dict[tuple[str, str], Row], *key: str) -> bool | None:
    row = rows.get((key[0], key[1]))
    if row is None or row.status in ("reworded", "no_effect"):
        return False
    return None if row.status == "undecided" else True


def written(rng: random.Random) -> tuple[str, dict[str, set[int]], dict[int, int]]:
    """A game whose card has a number that follows from its value; the values for which each item holds, and the numbers."""
    pts = {value: rng.randint(0, 2) for value in (1, 2, 3)}
    # Some rules do not allow everything.
    asked = {item: (rng.choice(["==", ">=", "<"]), rng.randint(0, 2)) for item in ("rule", "objective", "ending")}
    holds = {
        item: {v for v in pts if (pts[v] == k if op == "==" else pts[v] >= k if op == ">=" else pts[v] < k)}
        for item, (op, k) in asked.items()
    }
    parts = {"rule": "it.pts {} {}", "objective": "some card: pts {} {}", "ending": "(top of board[c]).pts {} {}"}
    texts = {item: parts[item].format(*asked[item]) for item in asked}
    if rng.random() < 0.5:
        texts["rule"] = " or ".join(f"it.value == {v}" for v in sorted(holds["rule"])) or "it.value > 3"
    table = " ".join(f"{value}: {number}" for value, number in pts.items())
    text = GAME.format(deck=DECK, attributes=f"pts: by value {{ {table} }}", score="sum pts of tops of board", **texts)
    return text, holds, pts


@pytest.mark.parametrize("seeds", numbers(3, 200))
def test_a_number_is_that_of_its_own_ruleset(seeds: Sequence[int], tmp_path: Path) -> None:
    for seed in seeds:
        rng = random.Random(seed)
        sides = [written(rng) for _ in range(2)]
        books = [loaded(tmp_path / f"{at}.rules", text) for at, (text, _, _) in enumerate(sides)]
        rows = rows_of(*books)
        told = [text.splitlines()[2] for text, _, _ in sides], rows
        for key in (("rule", "lay.good"), ("objective", "one"), ("ending", "out")):
            item = key[0]
            same = sides[0][1][item] == sides[1][1][item]
            # What is not decided is not wrong.
            assert differs(rows, *key) in ((False, None) if same else (True, None)), (key, told)
        assert differs(rows, "objective", "one") is not None, told
        assert differs(rows, "score", "worth") in ((False,) if sides[0][2] == sides[1][2] else (True, None)), told


@pytest.fixture
def men(tmp_path: Path) -> tuple[Rulebook, Rulebook]:
    """Two editions of breakthrough that end a row earlier: one says it of the rows, the other one of the men."""
    words = f"""edition first of breakthrough "First"
change ending across "Across" when some c in cells of board: {ROWS} then stop
change score won "Won" = count {{ (some c in cells of board: board[c] belongs to player and ({ROWS}))
  or (no man on board: owner == other player) }}
"""
    other = 'edition second of breakthrough "Second"' + MEN.format(black=6, white=1)
    return loaded(tmp_path / "first.rules", words), loaded(tmp_path / "second.rules", other)


def test_what_is_said_of_things_or_of_cells_is_the_same(men: tuple[Rulebook, Rulebook]) -> None:
    for first, second in (men, men[::-1]):
        rows = rows_of(first, second)
        assert differs(rows, "ending", "across") is False and differs(rows, "score", "won") is False


def test_another_number_is_told_where_it_is_read_and_games_show_it(
    men: tuple[Rulebook, Rulebook], tmp_path: Path
) -> None:
    base = loaded(tmp_path / "base.rules", 'edition base of breakthrough "Base"')
    rows = rows_of(base, men[1])
    row = rows["ending", "across"]
    assert row.status == "different"
    assert "goal_row: by side { black: 7 white: 0 }" in row.first
    assert "goal_row: by side { black: 6 white: 1 }" in row.second
    assert ("component", "man") not in rows
    search = find_witnesses(base.game, men[1].game, [row])
    assert search.found
    for (_, side), witness in search.found.items():
        own, other = (base, men[1])[side], (base, men[1])[1 - side]
        assert replay_record(own.game, witness.record, own.legal).clean
        assert not replay_record(other.game, witness.record, other.legal).clean


@pytest.mark.parametrize(
    ("attributes", "score", "same"),
    [
        # Called otherwise, and read.
        (("pts: by value { 1: 0 2: 1 3: 1 }", "worth: by value { 1: 0 2: 1 3: 1 }"), ("pts", "worth"), True),
        # Only one has it, and the other says it of the value.
        (("pts: by value { 1: 1 2: 2 3: 3 }", ""), ("pts", "value"), True),
        # What nobody reads.
        (("pts: by value { 1: 1 2: 2 3: 3 }", "pts: by value { 1: 0 2: 0 3: 0 }"), ("value", "value"), True),
        # The other one follows from the color.
        (("pts: by value { 1: 1 2: 2 3: 3 }", "pts: by color { red: 1 blue: 2 }"), ("pts", "pts"), False),
    ],
)  # fmt: skip
def test_a_number_may_be_missing_or_follow_from_something_else(
    attributes: tuple[str, str], score: tuple[str, str], same: bool, tmp_path: Path
) -> None:
    texts = [
        GAME.format(deck=DECK, attributes=attribute, rule="it.value > 0", objective="some card: value == 1",
                    ending="board is full", score=f"sum {name} of tops of board")
        for attribute, name in zip(attributes, score, strict=True)
    ]  # fmt: skip
    books = [loaded(tmp_path / f"{at}.rules", text) for at, text in enumerate(texts)]
    for first, second in (books, books[::-1]):
        assert differs(rows_of(first, second), "score", "worth") in ((False, None) if same else (True,))


def test_with_the_cards_of_the_other_one_numbers_stay_what_they_are(tmp_path: Path) -> None:
    """Games are played with the cards of the first, by the numbers of each."""
    table = "pts: by value {{ 1: {} 2: {} 3: {} }}"
    ways = (((0, 0, 1), "pts == 1", DECK), ((0, 0, 2), "pts == 2", f"{DECK} 2 R1"))
    texts = [
        GAME.format(deck=deck, attributes=table.format(*numbers), rule=f"it.{asked}", objective=f"some card: {asked}",
                    ending=f"(top of board[c]).{asked}", score="count tops of board")
        for numbers, asked, deck in ways
    ]  # fmt: skip
    rows = rows_of(*(loaded(tmp_path / f"{at}.rules", text) for at, text in enumerate(texts)))
    assert rows["deck", "cards"].status == "different"
    for key in (("rule", "lay.good"), ("ending", "out"), ("objective", "one")):
        assert differs(rows, *key) is not True, rows[key]


def test_things_are_known_by_their_codes_whatever_these_stand_for(tmp_path: Path) -> None:
    """Two kinds exchange their codes: the same words give other things the numbers."""
    texts = [
        GAME.format(
            deck=DECK, attributes="worth: by color { red: 2 blue: 0 }", rule="it.value > 0", score="count tops of board",
            objective=asked, ending="board is full",
        ).replace('red "R" | blue "B"', colors)
        for colors, asked in (
            ('red "R" | blue "B"', "count (c in card: c.worth > 0) > 1"),
            ('red "B" | blue "R"', "not (count (c in card: c.worth > 0) <= 1)"),
        )
    ]  # fmt: skip
    books = [loaded(tmp_path / f"{at}.rules", text) for at, text in enumerate(texts)]
    for first, second in (books, books[::-1]):
        rows = rows_of(first, second)
        assert differs(rows, "objective", "one") is True
        assert rows["component", "card"].nature == "wording"


@pytest.mark.parametrize(
    ("men", "told"),
    [
        (MEN.format(black=6, white=1), "“goal row”: black 6, white 1"),
        (MEN.format(black=7, white=0).replace("player by side", "player by side { black: 2 white: 1 }"), "“owner”: black 2, white 1"),
    ],
)  # fmt: skip
def test_a_sheet_tells_the_numbers(men: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "second.rules"
    path.write_text(f'edition second of breakthrough "Second"{men}', "utf-8")
    run(["compare", "breakthrough", str(path), "--sheet", "--effort", "0"])
    assert told in capsys.readouterr().out
