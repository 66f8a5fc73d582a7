"""From expressions to functions: the compiler, or the interpreter, which supports unknowns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from pwtool.eval.history import kept
from pwtool.ir.model import Ruleset
from pwtool.ir.nodes import Expr

Evaluator = Callable[[Any, list[Any]], Any]
"""A function of (position, locals) that gives the value of an expression."""


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

    def condition(self, expr: Expr | None) -> Evaluator | None:
        """The function of an expression that may be missing."""
        return None if expr is None else self.compile(expr)
