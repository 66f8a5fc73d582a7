"""Going through all cases and the solver say the same."""

from __future__ import annotations

import os
import random

import pytest

from pwtool.comparing import rows, solver
from pwtool.comparing.canonical import Normalizer
from pwtool.comparing.forms import FALSE, TRUE, NormalForm, negated
from pwtool.comparing.prover import Comparison, compare_conditions, compare_values
from pwtool.ir.types import BOOL, number
from tests.comparing.mutants import built, mutants
from tests.daily import one_day_in, some, times
from tests.support import book

N: NormalForm = ("parameter", "n")
M: NormalForm = ("parameter", "m")
P: NormalForm = ("parameter", "p")


@pytest.fixture(params=["cases", "solver"])
def names(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[Normalizer, Normalizer]:
    """The names of a ruleset, with and without the solver."""
    monkeypatch.setattr(solver, "is_installed", lambda: request.param == "solver")
    found = Normalizer(book("paper_world/en").game.ruleset)
    found.types |= {N: number(0, 999), M: number(0, 999), P: BOOL}
    return found, found


def below(constant: int, **factors: int) -> NormalForm:
    terms = {"n": N, "m": M}
    return ("Below", (constant, *factors.values()), *(terms[name] for name in factors))


def test_far_numbers_are_followed_far_enough(names: tuple[Normalizer, Normalizer]) -> None:
    """`n < 16 * m` is not `n < 3 * m`, nor `n < m` what it is for small numbers alone."""
    assert compare_conditions(below(0, n=1, m=-16), below(0, n=1, m=-3), names).same is False
    assert compare_conditions(below(0, n=1, m=-3), below(0, n=1, m=-16), names).only_first is False
    assert compare_conditions(below(-300, n=1), below(-301, n=1), names).only_second is True
    assert compare_conditions(negated(below(-2, n=1)), negated(below(-2, n=2)), names).only_first is False
    product: NormalForm = ("Product", (), N, M)
    names[0].types[product] = number(-999, 999)
    far = compare_conditions(("Below", (-16, 1), product), ("Below", (-17, 1), product), names)
    assert far.same is not True


FAR = [
    number(0, 999),
    number(-999, 999),
    number(0, 150),
    number(-5, 80),
    number(70, 200),
    number(-300, -90),
    number(0, 3),
]


def _random_number(rng: random.Random, depth: int) -> NormalForm:
    kinds = ["leaf", "leaf", "constant", "linear", "linear", "if", "one"]
    match rng.choice(kinds if depth else kinds[:3]):
        case "leaf":
            return rng.choice([N, M])
        case "constant":
            return ("Const", ("int", rng.choice([0, 1, -2, 7, 40])))
        case "if":
            return ("If", (), _random_condition(rng, depth - 1), *(_random_number(rng, depth - 1) for _ in range(2)))
        case "one":
            return ("One", (), _random_condition(rng, depth - 1))
    parts = [_random_number(rng, depth - 1) for _ in range(rng.choice([1, 2]))]
    return ("Linear", (rng.choice([0, 0, 1, -9, 30]), *(rng.choice([1, 1, -1, 2, -3]) for _ in parts)), *parts)


def _random_condition(rng: random.Random, depth: int) -> NormalForm:
    match rng.choice(["below", "below", "zero", "and", "not", "fact"]) if depth else "below":
        case "and":
            return ("And", (), *(_random_condition(rng, depth - 1) for _ in range(2)))
        case "not":
            return ("Not", (), _random_condition(rng, depth - 1))
        case "fact":
            return P
        case "zero":
            return ("Zero", *_random_number_as_sum(rng, depth))
    return ("Below", *_random_number_as_sum(rng, depth))


def _random_number_as_sum(rng: random.Random, depth: int) -> tuple[object, ...]:
    parts = [_random_number(rng, depth) for _ in range(2)]
    return ((rng.choice([0, -1, 5, -60]), rng.choice([1, 2, -4]), rng.choice([1, -1, 3])), *parts)


@one_day_in(8)
@pytest.mark.skipif(not solver.is_installed(), reason="z3 is not installed")
def test_what_all_cases_show_the_solver_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers are cut off only where nothing distinguishes them, whatever their bounds and factors are."""
    rng = random.Random(int(os.environ.get("PWTOOL_SEED", "1")))
    monkeypatch.setattr("pwtool.comparing.prover.MAX_CASES", 30_000)
    settled = 0
    count = int(os.environ.get("PWTOOL_COUNT", times(50, 150)))
    for _ in range(count):
        found = Normalizer(book("paper_world/en").game.ruleset)
        found.types |= {N: rng.choice(FAR), M: rng.choice(FAR), P: BOOL}
        first, second = _random_condition(rng, 2), _random_condition(rng, 2)
        answers = []
        for installed in (False, True):
            monkeypatch.setattr(solver, "is_installed", lambda known=installed: known)
            answers.append(compare_conditions(first, second, (found, found)))
        cases, asked = answers
        settled += cases.whole
        for known, right in ((cases.only_first, asked.only_first), (cases.only_second, asked.only_second)):
            assert known is None or right is None or known == right, (first, second, found.types[N], found.types[M])
    assert settled > count // 5


def test_sums_and_counts_have_no_end(names: tuple[Normalizer, Normalizer]) -> None:
    """The bounds of their types are those of the checker, not of play."""
    total: NormalForm = ("SumWhere", (), ("parameter", "cards"), N)
    count: NormalForm = ("Count", (), ("parameter", "cards"))
    names[0].types |= {total: number(-999, 999), count: number(0, 999)}
    for form in (total, count):
        found = compare_conditions(("Below", (-1500, 1), form), ("Below", (-2000, 1), form), names)
        assert (found.only_first, found.only_second) == (False, True)
    assert compare_conditions(("Below", (0, 1), count), FALSE, names).same is True


def test_what_always_and_never_holds(names: tuple[Normalizer, Normalizer]) -> None:
    found = compare_conditions(TRUE, negated(below(-1000, n=1)), names)
    assert (found.only_first, found.only_second) == (True, False)
    assert compare_conditions(FALSE, P, names).only_first is False
    assert compare_conditions(P, P, names).same is True


def test_numbers(names: tuple[Normalizer, Normalizer]) -> None:
    assert compare_values(("Linear", (0, 1, 1), N, M), ("Linear", (1, 1, 1), N, M), names).same is False
    assert (
        compare_values(("One", (), P), ("If", (), P, ("Const", ("int", 1)), ("Const", ("int", 0))), names).same is True
    )


@one_day_in(8)
@pytest.mark.parametrize("address", some(["paper_world/en+advanced", "pierre_papier_morpion/fr"], 1))
def test_the_solver_agrees_on_changed_rules(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the solver shows, going through all cases never denies."""
    pairs: list[tuple[NormalForm, NormalForm, tuple[Normalizer, Normalizer]]] = []

    def noted(first: NormalForm, second: NormalForm, names: tuple[Normalizer, Normalizer]) -> Comparison:
        pairs.append((first, second, names))
        return Comparison(None, None)

    monkeypatch.setattr(rows, "compare_conditions", noted)
    base = book(address)
    every = [(key, new) for key, new in mutants(base.game.ruleset) if key[0] in ("rule", "ending", "define")]
    for key, new in random.Random(3).sample(every, 14):
        other = built(base.game.ruleset, key, new)
        if other is not None:
            rows.differing_items(base.game, other.game)
    assert len(pairs) > 3
    for pair in pairs:
        said = []
        for there in (True, False):
            monkeypatch.setattr(solver, "is_installed", lambda there=there: there)
            said.append(compare_conditions(*pair))
        by_solver, by_cases = said
        assert by_solver.whole
        for one, other in zip(
            (by_solver.only_first, by_solver.only_second), (by_cases.only_first, by_cases.only_second), strict=True
        ):
            assert not (one and other is False), pair
