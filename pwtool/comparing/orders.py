"""Whether one order of play allows everything that another allows: inclusion of two automata, by pairs of reachable places."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from pwtool.comparing.canonical import Normalizer
from pwtool.comparing.forms import NormalForm
from pwtool.comparing.prover import compare_conditions
from pwtool.ir.model import Ruleset
from pwtool.play.order import START

Label = tuple[str, NormalForm, NormalForm]
Places = frozenset[int]


@dataclass(frozen=True, slots=True)
class OrderComparison:
    """A shortest turn that only one of two orders allows, as the names of its actions; None: there is none. `undecided`: there may
    be none, because some conditions of steps could not be compared.
    """

    only_first: tuple[str, ...] | None
    only_second: tuple[str, ...] | None
    undecided: bool = False

    @property
    def same(self) -> bool:
        return self.only_first is None and self.only_second is None


class _Automaton:
    def __init__(self, names: Normalizer) -> None:
        ruleset = names.ruleset
        self.order = ruleset.order
        actions = {a.number: a.name for a in ruleset.actions.values()}
        self.labels: list[Label] = [
            (actions.get(s.action, "?"), names.form(s.actor), names.condition(s.guard)) for s in self.order.steps
        ]

    def moves(self, places: Places) -> dict[Label, Places]:
        found: dict[Label, set[int]] = {}
        for place in places:
            for following in self.order.follow[place]:
                found.setdefault(self.labels[following - 1], set()).add(following)
        return {label: frozenset(reached) for label, reached in found.items()}

    def may_end(self, places: Places) -> bool:
        return not places.isdisjoint(self.order.last)


def compare_orders(first: Normalizer, second: Normalizer) -> OrderComparison:
    """A shortest whole turn that one order allows and the other does not, in each direction."""
    a, b = _Automaton(first), _Automaton(second)

    @cache
    def exceeds(guard: NormalForm, other: NormalForm) -> bool | None:
        return False if guard == other else compare_conditions(guard, other, (first, second)).only_first

    certain, found = (
        OrderComparison(_only(a, b, implies), _only(b, a, implies))
        for implies in (lambda g, other: exceeds(g, other) is not True, lambda g, other: exceeds(g, other) is False)
    )
    return replace(found, undecided=certain.same and not found.same)


def may_be_turn(ruleset: Ruleset, names: Sequence[str]) -> bool:
    """Whether the order of play allows these actions as a whole turn if all of its conditions hold."""
    order, known = ruleset.order, {a.number: a.name for a in ruleset.actions.values()}
    anytime = {known.get(step.action) for step in ruleset.anytime}
    places = START
    for name in names:
        reached = {p for place in places for p in order.follow[place] if known.get(order.steps[p - 1].action) == name}
        places = frozenset(reached | places if name in anytime else reached)
    return not places.isdisjoint(order.last)


def _only(a: _Automaton, b: _Automaton, implies: Callable[[NormalForm, NormalForm], bool]) -> tuple[str, ...] | None:
    """A shortest turn of `a` that is not a turn of `b`: breadth first over pairs of sets of places. A step of `b` can also be taken
    if its guard holds whenever that of `a` does.
    """
    start = (START, START)
    seen = {start}
    pending: deque[tuple[Places, Places, tuple[str, ...]]] = deque([(*start, ())])
    while pending:
        here, there, word = pending.popleft()
        if word and a.may_end(here) and not b.may_end(there):
            return word
        theirs = b.moves(there)
        for label, reached in sorted(a.moves(here).items(), key=repr):
            taken = (
                places for other, places in theirs.items() if other[:2] == label[:2] and implies(label[2], other[2])
            )
            pair = (reached, frozenset().union(*taken))
            if pair not in seen:
                seen.add(pair)
                pending.append((*pair, (*word, label[0])))
    return None
