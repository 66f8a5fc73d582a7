"""Orders of play against each other: what is said to be impossible is, and what could not be compared is undecided."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.comparing.orders import may_be_turn
from pwtool.comparing.prover import Comparison as Compared
from pwtool.comparing.row import Row
from pwtool.comparing.rows import differing_items
from pwtool.play.chance import Chance
from pwtool.play.selfplay import deal_at_random, play_game, random_policy
from pwtool.show.text.comparing import Comparison
from tests.support import book

EN, FR, GP = (f"paper_world/{name}" for name in ("en", "fr", "gamepark"))
PPM = "pierre_papier_morpion/fr"


@pytest.mark.parametrize("address", [EN, GP, f"{FR}+advanced", PPM, "nine_mens_morris", "nim"])
def test_turns_that_were_played_are_possible(address: str) -> None:
    """Whatever else a turn asks for: what is said to be no longer possible never happens."""
    rules = book(address)
    names, whole = [*rules.game.ruleset.actions], 0
    for seed in range(3):
        chance = Chance(seed)
        record = deal_at_random(rules.game, ["P1", "P2"], chance)
        play_game(rules.game, record, random_policy(chance), rules.legal, 100)
        for turn in record.turns[:-1]:
            told = [names[move.number] for move in turn.moves if not move.consequence]
            assert not told or may_be_turn(rules.game.ruleset, told), told
            whole += bool(told)
    assert whole > 5
    assert not may_be_turn(rules.game.ruleset, ["no such action"])


@pytest.mark.parametrize(
    ("order", "status"),
    [
        ("(take | (place grab?)+ | pass when (count hand > 1)) trim*", "undecided"),
        ("(take | place when (count hand > 1) grab? | pass) trim*", "different"),
    ],
)
def test_conditions_of_steps_that_are_not_compared_are_undecided(
    order: str, status: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless some turn differs whatever they say."""
    house = tmp_path / "house.rules"
    house.write_text(f'edition house of {EN} "House"\nchange turn = {order} because "a test"\n', "utf-8")
    for verdict in (Compared(None, None), Compared(True, True)):
        monkeypatch.setattr("pwtool.comparing.orders.compare_conditions", lambda *_, found=verdict: found)
        (row,) = [r for r in differing_items(book(EN).game, book(str(house)).game) if r.kind == "turn"]
        assert row.status == (status if verdict.only_first is None else "different")


def test_undecided_rules_of_play_are_not_the_same() -> None:
    game = book(EN).game
    row = Row("deck", "blue_back", "material", "different", "", "a", "b")
    open_ = Row("rule", "place.ascends", "semantic", "undecided", "", "a", "b")
    assert "the rules of play are the same" in Comparison((EN, EN), (game, game), [row], 0).summary()
    told = Comparison((EN, EN), (game, game), [row, open_], 0).summary()
    assert told.startswith("no rule of play is known to differ; 1 item of material differs")
