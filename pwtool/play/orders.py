"""Random orders of the things in a pile."""

from __future__ import annotations

from collections import Counter

from pwtool.eval.values import UNSEEN
from pwtool.ir.model import ParameterModel
from pwtool.play import facts


def part_of(parameter: ParameterModel, pile: list[int]) -> list[int]:
    """The things in an order: all that lies there, or all but the top."""
    return pile[:-1] if parameter.below else pile[:]


def component_of(parameter: ParameterModel) -> str:
    """The component of the things in an order."""
    return (parameter.type.element or parameter.type).component


def not_the_same(there: list[int], named: list[int], pool: Counter[int] | None = None) -> facts.Difference | None:
    """What an order leaves out and what it has too many of; None if it may contain everything exactly once: an unseen
    thing there may be any named one (that the `pool` still has), and an unseen one in the order may be any thing there.
    """
    left_out, too_much = Counter(there) - Counter(named), Counter(named) - Counter(there)
    new = +Counter({face: count for face, count in too_much.items() if face != UNSEEN})
    may_be = pool is None or all(pool[face] >= count for face, count in new.items())
    if len(there) == len(named) and new.total() <= there.count(UNSEEN) and may_be:
        return None
    return facts.Difference(left_out, too_much)
