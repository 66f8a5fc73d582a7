"""Hundreds of small games and house editions, written to find the comparison wrong, each against its base.

`houses.json` has what is changed and what is true of it: `other` (recorded games or games at random show it), `material`
(other things, another setup), `same` (proven, and no game speaks against it), `open` (the same to whoever knows the game; not
decided so far), `told` (the same, and told as a difference so far), `rare` (a difference that hardly any game shows).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pwtool.comparing.evidence import weigh_rows
from pwtool.comparing.rows import compare_rulesets
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.library import Library
from pwtool.show.text.comparing import exit_code
from tests.daily import one_day_in, seed, some
from tests.support import book

ROOT = Path(__file__).resolve().parents[2]
HOUSES = json.loads((ROOT / "tests" / "comparing" / "houses.json").read_text("utf-8"))
CASES: dict[str, dict[str, Any]] = {case["name"]: case for case in HOUSES["cases"] + HOUSES["editions"]}
EVERY_DAY = 12
"""One in so many is compared every other day."""
RUNS = 3
"""A full run compares a third of the others, and the next two the rest."""
ANSWERS = {"other": {1}, "material": {1}, "same": {0}, "open": {0, 3}, "told": {0, 1, 3}, "rare": {1, 3}}


def of(truth: str) -> list[str]:
    return [name for name, case in CASES.items() if case["truth"] == truth]


def base_text(game: str) -> str:
    text: str = HOUSES["games"][game]
    return text


def loaded(path: Path, text: str) -> Rulebook:
    path.write_text(text, "utf-8")
    found = RulesetStore(Library()).get(str(path))
    assert found.value is not None, [d.message for d in found.diagnostics]
    return found.value


def books(case: dict[str, Any], folder: Path) -> tuple[Rulebook, Rulebook]:
    """The base and what somebody made of it."""
    if "edition" in case:
        text = f'edition house of {case["edition"]} "House"\n{case["body"]}\n'
        return book(case["edition"]), loaded(folder / "house.rules", text)
    text = changed = base_text(case["game"])
    for old, new in case["edits"]:
        assert changed.count(old) == 1
        changed = changed.replace(old, new)
    return loaded(folder / "base.rules", text), loaded(folder / "house.rules", changed + case.get("extra", ""))


DEAR = ("c4_full41", "p_home_dead", "r_limit_guard", "w_blk3", "w_blk4", "w_var1", "x_oth_full")
"""Each of these takes as long as ten others."""


def chosen() -> list[Any]:
    names = sorted(CASES.keys() - DEAR)
    rest = [name for at, name in enumerate(names) if at % EVERY_DAY]
    full = (*rest, *DEAR)[seed() % RUNS :: RUNS]
    return [*some(names[::EVERY_DAY], 3), *(pytest.param(name, marks=pytest.mark.slow) for name in full)]


@one_day_in(8)
@pytest.mark.parametrize("name", chosen())
def test_the_answer_is_true(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    first, second = books(case, tmp_path)
    rows = compare_rulesets(first.game, second.game)
    if case["truth"] in ("other", "material", "rare"):
        # Games cannot mend this: a proof that it is the same would be wrong, whichever way it is asked for.
        assert exit_code(rows) != 0 and exit_code(compare_rulesets(second.game, first.game)) != 0
    weighed, _ = weigh_rows(first, second, rows, effort=0.25)
    if exit_code(weighed) not in ANSWERS[case["truth"]]:
        # Little effort finds few games.
        weighed, _ = weigh_rows(first, second, rows, effort=2)
    assert exit_code(weighed) in ANSWERS[case["truth"]], [(r.kind, r.name, r.status) for r in weighed]


def test_every_edit_is_one_of_its_game() -> None:
    for name, case in CASES.items():
        text = base_text(case["game"]) if "game" in case else ""
        for old, new in case.get("edits", ()):
            assert text.count(old) == 1, name
            text = text.replace(old, new)


def test_there_are_enough_of_each_kind() -> None:
    assert len(of("other")) + len(of("material")) >= 150 and len(of("same")) >= 100
    assert len(of("rare")) <= 0.05 * len(of("other"))
    assert len(of("told")) <= 0.05 * len([*of("same"), *of("open"), *of("told")])


@one_day_in(4)
@pytest.mark.parametrize(
    ("name", "condition"),
    [
        # One game in some four hundred shows it.
        ("breaks", "when trick[(leader else player)] is empty require card.suit != hearts or broken"),
        # Only a deal shows it in which somebody has nothing but what counts.
        ("clean", "when first_trick require points(card) == 0"),
    ],
)
def test_what_hardly_any_game_shows_is_found(name: str, condition: str, tmp_path: Path) -> None:
    text = f'edition house of hearts "House"\nchange rule play.{name} "House rule" {condition}\n'
    first, second = book("hearts"), loaded(tmp_path / "house.rules", text)
    weighed, found = weigh_rows(first, second, compare_rulesets(first.game, second.game))
    assert [(r.name, r.status, r.direction) for r in weighed if r.nature == "semantic"] == [
        (f"play.{name}", "different", "stricter")
    ]
    assert (("rule", f"play.{name}"), 0) in found.shown
