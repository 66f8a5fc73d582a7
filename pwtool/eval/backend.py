"""What turns expressions into functions: the compiler of closures, or the interpreter, which knows unknowns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from pwtool.ir.nodes import Expr

Evaluator = Callable[[Any, list[Any]], Any]
"""A function of (position, locals) that gives the value of an expression."""


class Backend(ABC):
    """Makes functions of expressions; `three_valued` where they may give `UNKNOWN`."""

    three_valued: ClassVar[bool]

    @abstractmethod
    def compile(self, expr: Expr) -> Evaluator:
        """The function of an expression."""

    def value(self, expr: Expr) -> Evaluator:
        """The function of a named value: a condition that may be nothing stays nothing."""
        return self.compile(expr)

    def condition(self, expr: Expr | None) -> Evaluator | None:
        """The function of an expression that may not be there."""
        return None if expr is None else self.compile(expr)
