"""Every part of the rules matters to a kernel: one that lacks a rule, a condition, an effect or an ending plays games that
the engine judges otherwise.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from pwtool.ir import nodes
from pwtool.ir.model import ActionModel, RuleModel, Ruleset
from tests.daily import one_day_in, some
from tests.kernel.changes import Changer, copied
from tests.kernel.judging import GAMES, Bench, bench, by_engine, dumped, names, sample, seats, short, verdicts

EVERYDAY = ("paper_world", "pierre_papier_morpion")
EVERY_GAME = pytest.mark.parametrize("address", GAMES, ids=short)
PLAYED, DAMAGED, MANY = 150, 1500, 6000

# What nobody can notice by the beginning of the address, with the reason.
IMPLIED = {
    "paper_world": {
        "place.skip_price when": "below the pile `place.ascends` has refused before",
        "grab fresh": "no second token is taken before the next card is placed: the order of the turn",
    },
    "pierre_papier_morpion": {
        "face_down.left": "the token that is taken lies there",
        "peek.token_there": "the token that is looked at lies there",
    },
    "mole": {
        "restock.some": "the game is over by then",
        "stir 1": "what lies below the top of a hole stays there, and nothing asks for it",
    },
    "expeditions": {"draw.left": "when the stock has run out, the game is over, and one draws once a turn"},
    "siege": {
        "move 2 when": "from an empty cell nothing moves",
        "pass moves": "random play does not see a player stuck",
    },
    "wander": {
        "walk asleep": "nothing but `asleep` itself asks for it",
        "walk asleep when": "nothing but `asleep` itself asks for it",
        "sow 2 when": "what went to the heap is in the sack no more",
    },
    "marsh": {
        "land.not_last when": "nothing is the same cell as nothing",
        "rest rounds": "random play does not see a player stuck",
        "ending late": "no random game goes on so long",
    },
    "ko": {"put.alive": "where the stone is taken at once the board is as it was, which `put.ko` refuses"},
    "harbour": {"buy 2 when": "from an empty pile nothing moves"},
    "sandwich": {"pass quiet": "random play does not see a player stuck and forty quiet turns after that"},
}


def without(items: tuple[Any, ...], at: int) -> tuple[Any, ...]:
    return (*items[:at], *items[at + 1 :])


def fewer_rules(rules: tuple[RuleModel, ...]) -> Iterator[tuple[str, tuple[RuleModel, ...]]]:
    """Each rule taken out, then each condition of a rule, so that it is asked always."""
    for at, rule in enumerate(rules):
        yield rule.id, without(rules, at)
        if rule.when is not None:
            yield f"{rule.id} when", (*rules[:at], replace(rule, when=None), *rules[at + 1 :])


def fewer_parts(ruleset: Ruleset, model: ActionModel) -> Iterator[tuple[str, ActionModel]]:
    variables = list(ruleset.variables)
    for name, rules in fewer_rules(model.rules):
        yield name, replace(model, rules=rules)
    for at, effect in enumerate(model.effects):
        name = f"{model.name} {variables[effect.number] if effect.kind in ('add', 'set') else at + 1}"
        yield name, replace(model, effects=without(model.effects, at))
        if effect.when is not None:
            always = (*model.effects[:at], replace(effect, when=None), *model.effects[at + 1 :])
            yield f"{name} when", replace(model, effects=always)


def mutilated(ruleset: Ruleset) -> Iterator[tuple[str, Ruleset]]:
    """Everything that can be taken out of a ruleset, and the ruleset without it."""
    for name, model in ruleset.actions.items():
        for what, fewer in fewer_parts(ruleset, model):
            yield what, replace(ruleset, actions={**ruleset.actions, name: fewer})
    for name, model in ruleset.consequences.items():
        for what, fewer in fewer_parts(ruleset, model):
            yield what, replace(ruleset, consequences={**ruleset.consequences, name: fewer})
    for what, rules in fewer_rules(ruleset.turn_rules):
        yield what, replace(ruleset, turn_rules=rules)
    for what, rules in fewer_rules(ruleset.setup_rules):
        yield what, replace(ruleset, setup_rules=rules)
    for at, ending in enumerate(ruleset.endings):
        yield f"ending {ending.name}", replace(ruleset, endings=without(ruleset.endings, at))


def games_of(here: Bench, lame: Bench) -> Iterator[list[array[int]]]:
    """Packed games: some that are played by the lacking rules, then damaged ones and such as the whole rules allow, then
    very many played ones.
    """
    for count in (PLAYED, MANY):
        for players in seats(here.ruleset):
            played = lame.instance.play(7, count // len(seats(here.ruleset)), players, 400)
            yield [words for words in played if len(words) > 1]
        if count == PLAYED:
            yield list(damaged(here.ruleset.address))
            yield list(unusual(here.ruleset.address))
            yield list(allowed(here.ruleset.address))


@cache
def damaged(address: str) -> tuple[array[int], ...]:
    here, rng = bench(address), random.Random(11)
    changer, games = Changer(address, rng), sample(address, 60)
    packed = (here.instance.pack(dumped(changer.changed(rng.choice(games))), False) for _ in range(DAMAGED))
    return tuple(words for words in packed if words is not None)


@cache
def allowed(address: str) -> tuple[array[int], ...]:
    """Games that the whole rules allow: a rule without its condition refuses some of them."""
    here = bench(address)
    numbers = seats(here.ruleset)
    played = [here.instance.play(7, MANY // len(numbers), players, 400) for players in numbers]
    return tuple(words for games in played for words in games if len(words) > 1)


@cache
def unusual(address: str) -> tuple[array[int], ...]:
    """Games with what random play and small changes do not do: things of the setup that lie on another pile, and shuffles
    of piles on which there is nothing to shuffle.
    """
    here, rng = bench(address), random.Random(5)
    found: list[array[int] | None] = []
    for game in sample(address, 20):
        piles = [holder[key] for holder, key in Changer(address, rng).places(game.get("setup", {}), list)]
        piles = [pile for pile in piles if pile and isinstance(pile[0], str)]
        if len(piles) > 1:
            changed = copied(game)
            for zone in [value for value in changed["setup"].values() if isinstance(value, list)]:
                lists = sorted((pile for pile in zone if isinstance(pile, list)), key=len)
                if len(lists) > 1 and lists[0]:
                    lists[-1].insert(0, lists[0].pop(0))
            found.append(here.instance.pack(dumped(changed), False))
    codes = [[], *([code] for component in here.ruleset.components.values() for code in component.codes)]
    for model in here.ruleset.actions.values():
        order = next((p.name for p in model.parameters if p.kind == "order"), None)
        others = [p for p in model.parameters if p.name != order]
        if order is None or any(p.kind != "number" for p in others):
            continue
        for game in sample(address, 6):
            for number, code, turn in product(range(1, 6), codes, (0, -1)):
                changed = copied(game)
                action = {"action": model.name, **{p.name: number for p in others}, order: code}
                changed["turns"][turn]["actions"].insert(0, action)
                changed.pop("result", None)
                found.append(here.instance.pack(dumped(changed), False))
    return tuple(words for words in found if words is not None)


def noticed(here: Bench, lacking: Ruleset) -> bool:
    """Whether one of the games that a kernel plays by the lacking rules, or a damaged one, is judged otherwise by the engine."""
    lame = Bench(here.rules, lacking)
    for games in games_of(here, lame):
        ours, right = verdicts(lame, lame.instance.judge(games)), verdicts(here, here.instance.judge(games))
        found = next((at for at, verdict in enumerate(right) if verdict != ours[at]), None)
        if found is not None:
            record = here.packer.unpack(games[found], names(games[found][1]))
            assert by_engine(here, record) == right[found] != ours[found]
            return True
    return False


def unread(ruleset: Ruleset) -> set[str]:
    """The variables that are written and that nothing reads."""
    return {name for name, variable in ruleset.variables.items() if variable.number not in set(read_variables(ruleset))}


def read_variables(value: Any) -> Iterator[int]:
    """The variables in all expressions of a part of a model."""
    if isinstance(value, nodes.Variable):
        yield value.number
    parts: Iterable[Any] = ()
    if isinstance(value, msgspec.Struct):
        parts = [getattr(value, name) for name in value.__struct_fields__]
    elif isinstance(value, dict | tuple):
        parts = value.values() if isinstance(value, dict) else value
    for part in parts:
        yield from read_variables(part)


def implied(here: Bench) -> set[str]:
    """What cannot be noticed in a ruleset."""
    idle = unread(here.ruleset)
    address = short(here.ruleset.address)
    found = {what for begin, parts in IMPLIED.items() if address.startswith(begin) for what in parts}
    found |= {what for what, _ in mutilated(here.ruleset) if set(what.split()) & idle}
    return found & {what for what, _ in mutilated(here.ruleset)}


@one_day_in(4)
@pytest.mark.parametrize("address", some([*EVERYDAY], 1))
def test_whatever_is_taken_out_is_noticed(address: str) -> None:
    here = bench(address)
    parts = {what: lacking for what, lacking in mutilated(here.ruleset) if what not in implied(here)}
    assert len(parts) > 6
    # Of each ruleset a part of it; the full run has them all, and all rulesets.
    assert [what for what, lacking in list(parts.items())[::3] if not noticed(here, lacking)] == []


@pytest.mark.slow
@EVERY_GAME
def test_whatever_is_taken_out_of_any_ruleset_is_noticed_unless_it_is_implied(address: str) -> None:
    here = bench(address)
    assert {what for what, lacking in mutilated(here.ruleset) if not noticed(here, lacking)} == implied(here)
