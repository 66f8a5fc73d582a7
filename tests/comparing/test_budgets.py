"""The work of a comparison: games for tables too, none at `--effort 0`, and the same answer each time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import pwtool
from pwtool.cli.app import run
from pwtool.comparing.prover import ENDLESS, MAX_CASES, Facts
from pwtool.comparing.rows import compare_rulesets
from pwtool.comparing.witness.search import Budget, Search, find_witnesses
from tests.daily import one_day_in, some
from tests.support import book

TABLE = ["compare", "tic_tac_toe", "tic_tac_toe+misere", "tic_tac_toe", "--format", "json"]


@one_day_in(7)
def test_a_table_plays_games_as_two_rulesets_do(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("wasmtime")
    assert run([*TABLE, "--effort", "0.1"]) == 1
    told = json.loads(capsys.readouterr().out)
    # Two of the three pairs differ.
    assert told["games"]["played"] > told["games"]["alike"] > 0
    assert [len(pair["rows"]) > 0 for pair in told["pairs"]] == [True, False, True]
    assert run([*TABLE, "--effort", "0"]) == 1
    assert json.loads(capsys.readouterr().out)["games"] == {"played": 0, "alike": 0, "material": "own"}


def test_a_table_tells_how_many_games_were_played(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("wasmtime")
    assert run(["compare", "nim", "nim", "nim", "--effort", "0.1"]) == 0
    assert "games played at random" in capsys.readouterr().out


TILES = """game tiles "Tiles"
players 2..3
component tile { kind: ash "A" | elm "B" | oak "C" }
deck tiles of tile = 12 all
zone store: pile of tile
zone gone: pile of tile
setup deal store "Shuffled": all of tiles to store by chance
var closed: flag per game
var debt: -4..4 = 0 per player
turn = (turn_up | give)
action turn_up "Turn up a tile" () {
  move top of store to gone
  closed = true when store is empty
}
action give "Give to the next" () {
  rule limit "Limits" require debt > -4 and debt[player after player] < 4
  debt -= 1
  debt[player after player] += 1
}
ending over "All turned" when closed then 1 more turn for the others
score debt "Debt" = debt
ranking most total, shared
"""


@one_day_in(8)
@pytest.mark.parametrize(
    ("old", "new", "without", "told"),
    some(
        [
            ("when closed then", "when closed and count players >= 2 then", 3, "same"),
            ("when closed then", "when count gone >= 10 then", 3, "different"),
            ("= 0 per player", "= 0 per player per turn", 3, "different"),
        ],
        1,
    ),
)
def test_without_games_nothing_is_different_that_is_not_proven(
    old: str, new: str, without: int, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("z3")
    files = [tmp_path / "one.rules", tmp_path / "other.rules"]
    for file, text in zip(files, (TILES, TILES.replace(old, new)), strict=True):
        file.write_text(text, "utf-8")
    names = [str(file) for file in files]
    assert run(["compare", *names, "--effort", "0", "--format", "json"]) == without
    assert json.loads(capsys.readouterr().out)["verdict"] == "not decided"
    assert pwtool.compare(*names, effort=0).same is None
    run(["compare", *names, "--effort", "0", "--sheet"])
    assert "\\n" not in capsys.readouterr().out
    assert run(["compare", *names, "--format", "json"]) == (told == "different")
    assert json.loads(capsys.readouterr().out)["verdict"] == told
    if told == "same":
        assert run(["compare", *names, "--sheet"]) == 0
        assert "\n\nOnly the wording changes.\n" in capsys.readouterr().out
    else:
        # Games that were played show it, whatever a search finds.
        assert run(["compare", *names, "--witness", str(tmp_path / "shown")]) == 1
        assert len(list((tmp_path / "shown").glob("*.json"))) >= 1


def test_without_deals_no_rule_of_the_setup_is_different(tmp_path: Path) -> None:
    dealt = TILES.replace(
        "all of tiles to store by chance\n",
        'all of tiles to store by chance\n  rule dealt "Dealt" require count store == 36 }\n',
    ).replace("setup deal", "setup { deal")
    same = dealt.replace("== 36", "== 36 and count (t in store: t.kind == ash) == 12")
    assert dealt != same
    names = [str(tmp_path / "one.rules"), str(tmp_path / "other.rules")]
    for name, text in zip(names, (dealt, same), strict=True):
        Path(name).write_text(text, "utf-8")
    assert pwtool.compare(*names, effort=0).same is None


def searched(steps: int) -> tuple[Search, int]:
    first, second = book("tic_tac_toe").game, book("tic_tac_toe+misere").game
    budget = Budget((first, second), 0)
    return find_witnesses(first, second, compare_rulesets(first, second), steps=steps), budget.used


@one_day_in(8)
def test_a_search_ends_after_so_many_steps_wherever_it_runs() -> None:
    (few, used), (again, same), (many, more) = searched(20_000), searched(20_000), searched(200_000)
    assert few.games == again.games and few.found == again.found and used == same
    assert sum(few.games) < sum(many.games) and used < more


@pytest.mark.parametrize("rest", [[], [None]])
def test_a_number_with_too_many_values_is_sampled_and_not_listed(rest: list[None]) -> None:
    forms = [("variable", 1), ("variable", 2)]
    compared = [{(): 10**12, **{(form,): 1 for form in forms}}]
    facts = Facts({form: [*range(-ENDLESS, ENDLESS + 1), *rest] for form in forms}, compared)
    facts.cut()
    for values in facts.domains.values():
        assert (MAX_CASES < len(values) < 3 * MAX_CASES and values[-len(rest) :] == rest) or not rest
        assert values[0] < -(10**12) and max(v for v in values if v is not None) > 10**12
    assert facts.cases() > MAX_CASES


@pytest.mark.parametrize("sign", [1, -1])
def test_values_far_from_zero_are_not_cut_off(sign: int) -> None:
    """Nothing follows from there being no case: then any two conditions would be equivalent."""
    forms = [("variable", 1), ("variable", 2)]
    compared = [{(): 7, **{(form,): 1 for form in forms}}]
    facts = Facts({form: [sign * n for n in range(16383, 46342)][::sign] for form in forms}, compared)
    facts.cut()
    assert all(sign * 16383 in values and sign * 16390 in values for values in facts.domains.values())
