"""What lies on top of piles has one normal form, however one goes through the piles."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

from pwtool.comparing.canonical import Normalizer
from pwtool.play.chance import Chance
from pwtool.play.score import score_game
from pwtool.play.selfplay import deal_at_random, play_game, random_policy
from tests import daily
from tests.comparing.test_houses import loaded

GAME = """game tops "Tops"
players 2..2

component card {{ color: red "R" | blue "B" value: 1..3 }}
deck cards of card = {{ 3 R1 3 R2 3 R3 3 B1 3 B2 3 B3 }}
zone rest: bag of card
zone land: floating grid 2x3 of card
zone rows[4]: pile of card
setup deal rest "Rest": all of cards to rest by chance

define is_red(p) = (top of p).color == red
define worth(p) = ((top of p).value else 0)

turn = lay | queue
action lay "Lay" (card: card from rest, at: cell of land) {{ move card to land[at] }}
action queue "Queue" (card: card from rest, n: 1..4) {{ move card to rows[n] }}

ending over "Over" when count rest <= 8 then stop
{scores}
ranking most total, shared
"""
NUMBERS = [
    # Each line says one thing.
    ("count (p in land: (top of p).color == red)", "count (card on land: color == red)", "count (c in tops of land: c.color == red)",
     "count (p in land: is_red(p))"),
    ("count (p in land: (top of p).value != 2)", "count (c in tops of land: c.value != 2)", "count land - count (p in land: (top of p).value == 2)"),
    ("sum value of tops of land", "sum (p in land: ((top of p).value else 0))", "sum (p in land: (if p is empty then 7 else ((top of p).value else 3)))"),
    ("sum (p in land: count p * ((top of p).value else 0))",),
    ("sum value of land",),
    ("count (p in land: (top of p).color == red and count p > 1)",),
    ("count (p in rows: (top of p).color == red)", "count (c in tops of rows: c.color == red)"),
    ("sum value of tops of rows", "sum (p in rows: ((top of p).value else 0))", "sum (p in rows: worth(p))",
     "sum (p in rows: (if p is empty then 0 else ((top of p).value else 9)))"),
    # An empty pile counts, too.
    ("count (p in rows: (top of p).value != 2)", "4 - count (c in tops of rows: c.value == 2)"),
    ("sum (p in rows: ((top of p).value else 1))",),
    ("sum (p in rows: ((top of p).value else 0) + 1)", "4 + sum value of tops of rows"),
]  # fmt: skip
CONDITIONS = [
    ("every p in land: (top of p).color == red", "every c in tops of land: c.color == red", "no card on land: color == blue"),
    ("at least 2 p in land: (top of p).value == 3", "at least 2 card on land: value == 3"),
    ("every p in rows: (top of p).color == red", "count (c in tops of rows: c.color == red) >= 4"),
    ("every c in tops of rows: c.color == red", "no p in rows: (top of p).color == blue"),
    ("some p in rows: p is empty or (top of p).value == 2",),
]  # fmt: skip


def wordings() -> list[tuple[int, str]]:
    """All numbers, each with that of the line that says it."""
    found = [(at, text) for at, line in enumerate(NUMBERS) for text in line]
    tests = [(len(NUMBERS) + at, text) for at, line in enumerate(CONDITIONS) for text in line]
    return found + [(at, f"(if {text} then 1 else 0)") for at, text in tests]


def test_what_lies_on_top_has_one_form(tmp_path: Path) -> None:
    scores = "\n".join(f'score s{n} "S" = {text}' for n, (_, text) in enumerate(wordings()))
    game = loaded(tmp_path / "tops.rules", GAME.format(scores=scores)).game
    names = Normalizer(game.ruleset)
    forms = [names.form(score.value) for score in game.ruleset.scores]
    played = []
    for seed in range(daily.seed(), daily.seed() + 40):
        rng = Chance(seed)
        play = play_game(game, deal_at_random(game, ["A", "B"], rng), random_policy(rng))
        played.append(list(score_game(game, play.state).parts[0].values()))
    for (a, (line, one)), (b, (other, two)) in combinations(enumerate(wordings()), 2):
        assert (forms[a] == forms[b]) == (line == other), (one, two)
        assert line != other or all(values[a] == values[b] for values in played), (one, two)
