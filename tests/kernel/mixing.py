"""Random numbers and conditions put together from checked parts, without text: many of them in a short time.

The parts are what `writer.py` wrote and the checker accepted; they are combined with arithmetic, choices, named values and
loops, and with the numbers at which something changes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

from pwtool.ir import nodes as ir
from pwtool.ir.model import Ruleset
from pwtool.ir.nodes import Expr
from pwtool.ir.types import combined, join, list_of, number
from pwtool.ir.walk import free_locals, walk
from tests.kernel.asking import questions

SLOTS = 400
SIGNS: tuple[ir.Sign, ...] = ("==", "!=", "<", "<=", ">", ">=")


class Mixer:
    """Puts expressions together. Locals are numbered from `first` on."""

    def __init__(self, ruleset: Ruleset, edges: Iterable[int], rng: random.Random, first: int = 100) -> None:
        self.ruleset, self.edges, self.rng, self.first = ruleset, sorted(edges), rng, first
        self.slot = first
        self.numbers: list[Expr] = []
        self.conditions: list[Expr] = []
        self.collections: list[Expr] = []
        self.elements = [zone.element for zone in ruleset.zones.values()]
        for question in questions(ruleset):
            if question.model is None and not question.objective and not question.name.startswith("key "):
                for part in walk(question.expr):
                    self._keep(part)

    def _keep(self, x: Expr) -> None:
        if x.type.optional or free_locals(x) or len(list(walk(x))) > 30:
            return
        if x.type.kind == "int" and not isinstance(x, ir.Const):
            self.numbers.append(x)
        elif x.type.kind == "bool" and not isinstance(x, ir.Const):
            self.conditions.append(x)
        elif x.type.kind in ("list", "pile", "bag") and x.type.element in self.elements:
            self.collections.append(x)

    def any(self) -> Expr:
        """A number or a condition."""
        self.slot = self.first
        depth = self.rng.randint(1, 4)
        return self.number(depth, ()) if self.rng.random() < 0.6 else self.condition(depth, ())

    def constant(self) -> Expr:
        value = self.rng.choice(self.edges) if self.rng.random() < 0.7 else self.rng.randint(-9, 9)
        return ir.Const(number(value, value), value)

    def number(self, depth: int, known: tuple[Expr, ...]) -> Expr:
        """A number, in which the locals `known` may occur."""
        locals_ = [x for x in known if x.type.kind == "int"]
        if depth <= 0 or self.rng.random() < 0.1:
            if locals_ and self.rng.random() < 0.5:
                return self.rng.choice(locals_)
            return self.constant() if self.rng.random() < 0.35 else self._part(self.numbers)
        ways: list[tuple[int, Callable[[int, tuple[Expr, ...]], Expr]]] = [
            (6, self._arithmetic), (1, self._negative), (2, self._if), (2, self._let), (3, self._sum), (1, self._count), (1, self._table),
            (1, self._attribute),
        ]  # fmt: skip
        return self.rng.choices([way for _, way in ways], [weight for weight, _ in ways])[0](depth - 1, known)

    def _part(self, found: list[Expr]) -> Expr:
        return self.rng.choice(found)

    def _arithmetic(self, depth: int, known: tuple[Expr, ...]) -> Expr:
        left, right = self.number(depth, known), self.number(depth, known)
        sign = self.rng.choice(("+", "-", "*", "*"))
        return ir.Arithmetic(combined(sign, left.type, right.type), sign, left, right)

    def _negative(self, depth: int, known: tuple[Expr, ...]) -> Expr:
        of = self.number(depth, known)
        return ir.Arithmetic(number(-of.type.high, -of.type.low), "-", ir.Const(number(0, 0), 0), of)

    def _if(self, depth: int, known: tuple[Expr, ...]) -> Expr:
        then, otherwise = self.number(depth, known), self.number(depth, known)
        return ir.If(join(then.type, otherwise.type) or then.type, self.condition(depth, known), then, otherwise)

    def _let(self, depth: int, known: tuple[Expr, ...]) -> Expr:
        value = self.number(depth, known)
        held = self._local(value)
        return ir.Let(held.slot, value, self.number(depth, (*known, held)))

    def _local(self, of: Expr) -> ir.Local:
        self.slot += 1
        return ir.Local(of.type, self.slot)

    def _domain(self) -> tuple[Expr, ir.Local]:
        domain: Expr
        if self.rng.random() < 0.3 or not self.collections:
            values = tuple(self.rng.choice(self.edges) for _ in range(self.rng.choice((1, 2, 5, 20))))
            domain = ir.Const(list_of(number(min(values), max(values))), values)
        else:
            domain = self._part(self.collections)
        assert domain.type.element is not None
        self.slot += 1
        return domain, ir.Local(domain.type.element, self.slot)

    def _sum(self, depth: int, known: tuple[Expr, ...]) -> Expr:
        domain, element = self._domain()
        return ir.SumWhere(element.slot, domain, self.number(depth, (*known, element)))

    def _count(self, depth: int, known: tuple[Expr, ...]) -> Expr:
        domain, element = self._domain()
        return ir.CountWhere(element.slot, domain, self.condition(depth, (*known, element)))

    def _table(self, depth: int, known: tuple[Expr, ...]) -> Expr:
        of = self.number(depth, known)
        first = self.rng.choice(self.edges)
        rows = tuple((key, self.rng.choice(self.edges)) for key in range(first, first + 3))
        otherwise = self.rng.choice(self.edges)
        values = [otherwise, *(value for _, value in rows)]
        return ir.Table(number(min(values), max(values)), of, rows, otherwise)

    def _attribute(self, depth: int, known: tuple[Expr, ...]) -> Expr:
        faces = [x for x in known if x.type.kind == "face"]
        if not faces:
            return self._arithmetic(depth, known)
        of = self.rng.choice(faces)
        attributes = self.ruleset.components[of.type.component].attributes.values()
        model = self.rng.choice([a for a in attributes if a.type.kind == "int"])
        return ir.Attribute(model.type, of, of.type.component, model.name)

    def condition(self, depth: int, known: tuple[Expr, ...]) -> Expr:
        """A condition, in which the locals `known` may occur."""
        if depth <= 0 and self.rng.random() < 0.3 and self.conditions:
            return self._part(self.conditions)
        choice = self.rng.random()
        if depth > 0 and choice < 0.3:
            left, right = self.condition(depth - 1, known), self.condition(depth - 1, known)
            return self.rng.choice((ir.And, ir.Or))(left, right)
        if depth > 0 and choice < 0.4:
            return ir.Not(self.condition(depth - 1, known))
        if depth > 0 and choice < 0.5:
            domain, element = self._domain()
            kind = self.rng.choice(("some", "every", "no", "least", "exactly"))
            count = self.rng.choice((0, 1, 2, 3))
            return ir.Quantified(kind, count, element.slot, domain, self.condition(depth - 1, (*known, element)))
        right = self.constant() if self.rng.random() < 0.5 else self.number(depth - 1, known)
        return ir.Compare(self.rng.choice(SIGNS), self.number(depth - 1, known), right)


__all__ = ["SLOTS", "Mixer"]
