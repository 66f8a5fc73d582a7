"""From expressions to functions: the compiler, or the interpreter, which supports unknowns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from msgspec import Struct

from pwtool.eval.history import kept
from pwtool.eval.kleene import is_unknown
from pwtool.ir.model import Ruleset
from pwtool.ir.nodes import Expr

Evaluator = Callable[[Any, list[Any]], Any]
"""A function of (position, locals) that gives the value of an expression."""


class Let(Struct, frozen=True):
    """A named value: its local, and whether a collection is kept as it is now, whatever moves later."""

    slot: int
    value: Expr
    stored: bool = False


class Refuse(Struct, frozen=True):
    """A condition that refuses."""

    condition: Expr


class Backend(ABC):
    """Makes functions from expressions; `three_valued` if they may return `UNKNOWN`."""

    three_valued: ClassVar[bool]
    ruleset: Ruleset

    @abstractmethod
    def compile(self, expr: Expr) -> Evaluator:
        """The function of an expression."""

    def value(self, expr: Expr) -> Evaluator:
        """The function of a named value: a condition that may be nothing stays nothing."""
        return self.compile(expr)

    def history(self, number: int) -> Evaluator:
        """The function that extracts what a history keeps of a position."""
        items = self.ruleset.histories[number]
        types, values = [item.type for item in items], [self.compile(item) for item in items]
        return lambda s, e: kept(types, [value(s, e) for value in values])

    def allows(self, steps: Sequence[Let | Refuse], kept: bool = False) -> Evaluator:
        """A function that takes these steps until one refuses for sure: whether none did. With `kept`, the last of its
        locals is a dictionary for what is the same however often it is called in this position.
        """
        made = self._made(steps)

        def allows(s: Any, e: list[Any]) -> bool:
            for slot, value in made:
                if slot is not None:
                    e[slot] = value(s, e)
                elif value(s, e) is True:
                    return False
            return True

        return allows

    def refusals(self, steps: Sequence[Let | Refuse]) -> Evaluator:
        """A function that takes all of these steps: which refuse or may refuse, by their number, with the verdict."""
        made = self._made(steps)

        def refusals(s: Any, e: list[Any]) -> list[tuple[int, Any]]:
            found = []
            for number, (slot, value) in enumerate(made):
                if slot is not None:
                    e[slot] = value(s, e)
                elif verdict := value(s, e):
                    found.append((number, verdict))
            return found

        return refusals

    def _made(self, steps: Sequence[Let | Refuse]) -> list[tuple[int | None, Evaluator]]:
        return [
            (None, self.compile(step.condition))
            if isinstance(step, Refuse)
            else (step.slot, _stored(self.value(step.value)) if step.stored else self.value(step.value))
            for step in steps
        ]

    def condition(self, expr: Expr | None) -> Evaluator | None:
        """The function of an expression that may be missing."""
        return None if expr is None else self.compile(expr)


def stored(value: Any) -> Any:
    """A collection as it is now, whatever moves later."""
    if isinstance(value, dict):
        return {cell: list(pile) for cell, pile in value.items()}
    if is_unknown(value) or not isinstance(value, Iterable):
        return value
    return [list(part) if isinstance(part, list) else part for part in value]


def _stored(value: Evaluator) -> Evaluator:
    return lambda s, e: stored(value(s, e))
