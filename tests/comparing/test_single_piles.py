"""Piles of at most one thing: what is done with them is what is done with any pile that has no more."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("z3")

import z3

from pwtool.comparing.induction.piles import (
    Items,
    Pile,
    at_most_one_thing,
    changed,
    no_things,
    one_of,
    same_piles,
    with_one,
    without_top,
)
from pwtool.comparing.induction.terms import NOTHING, Value, Work, World, conj, equal, implied, negated, same
from tests.daily import numbers
from tests.support import book

VALUES = [2, 3, 5]


def new_world() -> World:
    return World(book("breakthrough").game.ruleset, 2, 0, {}, Work(10**9))


def both(world: World, number: int) -> tuple[Pile, Pile]:
    """The same pile twice: once known to have at most one thing, once any pile of which that is said."""
    one, other = at_most_one_thing(world, ("one", number), VALUES), Pile(world, ("any", number), VALUES)
    world.facts += [equal(one.count(v), other.count(v)) for v in VALUES]
    return one, other


def empty(world: World) -> Pile:
    """A pile of which nothing is known but how many of each thing it has: none."""
    return Pile(world, "nothing there", VALUES, (), lambda _: 0, lambda: NOTHING)


def done(rng: random.Random, world: World, at: int, pairs: list[tuple[Pile, Pile]]) -> tuple[Pile, Pile]:
    one, other = rng.choice(pairs)
    condition = world.symbol(("condition", rng.randrange(3)), "bool")
    match rng.randrange(7):
        case 0:
            there = one.some
            # Only a pile that is not empty has a top to be taken.
            return one_of(there, without_top(one), one), one_of(there, without_top(other), other)
        case 1:
            thing = Value((world.symbol(("thing", at), "int", 2, 3),))
            free = negated(one.some)
            return one_of(free, with_one(one, thing), one), one_of(free, with_one(other, thing), other)
        case 6:
            # Then there may be more than one.
            thing = Value((world.symbol(("more", at), "int", 2, 3),))
            return with_one(one, thing), with_one(other, thing)
        case 2:
            return one_of(condition, no_things(world, VALUES), one), one_of(condition, empty(world), other)
        case 3:
            more = rng.choice(pairs)
            return one_of(condition, one, more[0]), one_of(condition, other, more[1])
        case 4:
            value = rng.choice(VALUES)
            there = equal(one.top.parts[0], value)
            by = Items(((True, Value((value,))),))
            here = conj(one.some, there)
            return one_of(here, changed(one, "without", by, -1), one), one_of(
                here, changed(other, "without", by, -1), other
            )
        case _:
            thing = Value((rng.choice(VALUES),))
            return with_one(no_things(world, VALUES), thing), with_one(empty(world), thing)


@pytest.mark.parametrize("seeds", numbers(6, 100))
def test_they_do_what_piles_do(seeds: list[int]) -> None:
    for seed in seeds:
        rng, world = random.Random(seed), new_world()
        pairs = [both(world, number) for number in range(2)]
        for at in range(8):
            pairs.append(done(rng, world, at, pairs))
        first, second = rng.choice(pairs), rng.choice(pairs)
        asked = [
            *(equal(one.count(v), other.count(v)) for one, other in pairs for v in VALUES),
            *(equal(one.size, other.size) for one, other in pairs),
            *(equal(one.some, other.some) for one, other in pairs),
            *(implied(one.some, same(one.top, other.top)) for one, other in pairs),
            equal(same_piles(first[0], second[0], True), same_piles(first[0], second[0], False)),
            equal(same_piles(first[0], second[0], False), same_piles(first[1], second[1], False)),
        ]
        solver = z3.Solver(ctx=world.context)
        solver.add(*world.facts)
        assert solver.check() == z3.sat
        for question in asked:
            if question is not True:
                assert solver.check(negated(question)) == z3.unsat, (seed, question)
