"""The question of `prover.py`, answered by the solver Z3 (extra `proofs`) if there are many cases.

Numbers, values of attributes and conditions become bounded integers and Booleans; an opaque part is a separate variable. An
absent value is an integer that no other value can be.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from pwtool.comparing.canonical import Normalizer
from pwtool.comparing.forms import NormalForm
from pwtool.comparing.prover import Builder, Comparison, Facts, TooMany, limits, never_more

RESOURCES = 10_000_000
"""The limit of one question, in the solver's own unit of work; a second is some millions."""
_NOTHING = -(1 << 40)


def is_installed() -> bool:
    """Whether the solver is installed."""
    return find_spec("z3") is not None


def own_context() -> Any:
    """A memory of the solver for one question or proof, so that its answer does not depend on what was asked before.

    The solver may be used in one thread only for each memory, but Python may drop its terms in any thread.
    """
    import z3

    found = z3.Context()
    z3.Z3_enable_concurrent_dec_ref(found.ref())
    return found


def ask_conditions(
    first: NormalForm, second: NormalForm, names: tuple[Normalizer, Normalizer], facts: Facts
) -> Comparison | None:
    """Which of two conditions over these facts can hold without the other; None if the solver gives no answer."""
    import z3

    asked = _Question(names, facts)
    a, b = asked.condition(first), asked.condition(second)
    only = [asked.possible(z3.And(a, z3.Not(b))), asked.possible(z3.And(b, z3.Not(a)))]
    return None if None in only else Comparison(only[0], only[1], facts.cases())


def ask_values(
    first: NormalForm, second: NormalForm, names: tuple[Normalizer, Normalizer], facts: Facts
) -> Comparison | None:
    """Whether two numbers over these facts can differ, reported in both directions; None if the solver gives no answer."""
    asked = _Question(names, facts)
    differ = asked.possible(asked.number(first) != asked.number(second))
    return None if differ is None else Comparison(differ, differ, facts.cases())


class _Question(Builder):
    """Conditions in normal form as terms of the solver."""

    def __init__(self, names: Sequence[Normalizer], facts: Facts) -> None:
        super().__init__(names, facts)
        self.context = own_context()
        self.known: dict[NormalForm, Any] = {}
        self.codes: dict[Any, int] = {}
        self.limits: list[Any] | None = None

    def possible(self, wanted: Any) -> bool | None:
        """Whether something can be true; None if that takes too much work to decide."""
        import z3

        solver = z3.Solver(ctx=self.context)
        solver.set("rlimit", RESOURCES)
        if self.limits is None:
            self.limits = self.bounds()
        solver.add(*self.limits, wanted)
        found = solver.check()
        return True if found == z3.sat else False if found == z3.unsat else None

    def bounds(self) -> list[Any]:
        """The bounds of the facts, and which of them are never greater than others."""
        import z3

        found = []
        for form, term in self.known.items():
            if z3.is_bool(term):
                continue
            values = [v for v in self.facts.domains[form] if v is not None]
            if _is_range(values):
                low, high = limits(values)
                inside = [
                    z3.And(
                        [
                            term > _NOTHING,
                            *([term >= low] if low is not None else []),
                            *([term <= high] if high is not None else []),
                        ]
                    )
                ]
            else:
                inside = [z3.Or([term == self.code(v) for v in values])]
            inside += [term == _NOTHING] if None in self.facts.domains[form] else []
            found.append(z3.Or(inside))
        both = [(self.known[a], self.known[b]) for a in self.known for b in self.known if a != b and self.ordered(a, b)]
        return found + [z3.Implies(a, b) if z3.is_bool(a) else a <= b for a, b in both]

    def ordered(self, a: NormalForm, b: NormalForm) -> bool:
        """Whether the first fact is never greater than the second."""
        return never_more(a, b, (self.names[0], self.names[-1]))

    def code(self, value: Any) -> int:
        """A value as a whole number."""
        return int(value) if type(value) in (int, bool) else self.codes.setdefault(value, 1_000_000 + len(self.codes))

    def condition(self, form: NormalForm) -> Any:
        """A condition as a term."""
        import z3

        match form[0]:
            case "none":
                return z3.BoolVal(True, self.context)
            case "Const":
                return z3.BoolVal(bool(form[1][1]), self.context)
            case "Not":
                return z3.Not(self.condition(form[2]))
            case "And":
                return z3.And([self.condition(part) for part in form[2:]])
            case "Truth":
                return self.number(form[2]) == self.code(True)
            case "Below":
                return self.total(form) < 0
            case "Zero":
                return self.total(form) == 0
            case "Equal" if self.is_open(form):
                return self.number(form[2]) == self.number(form[3])
            case "Compare" if self.is_open(form):
                a, b = self.number(form[2]), self.number(form[3])
                less = a < b if form[1][0] == "<" else a <= b
                return z3.And(a != _NOTHING, b != _NOTHING, less)
        return self.unknown(form, truth=True)

    def total(self, form: NormalForm) -> Any:
        """A constant and terms with their factors."""
        import z3

        constant, *factors = form[1]
        return constant + z3.Sum([f * self.number(part) for f, part in zip(factors, form[2:], strict=True)])

    def number(self, form: NormalForm) -> Any:
        """A number, or another value encoded as a number, as a term."""
        import z3

        match form[0]:
            case "Const":
                return z3.IntVal(_NOTHING if form[1][1] is None else self.code(form[1][1]), self.context)
            case "Linear":
                return self.total(form)
            case "One":
                return z3.If(self.condition(form[2]), 1, 0)
            case "If":
                return z3.If(self.condition(form[2]), self.number(form[3]), self.number(form[4]))
            case "Else":
                value = self.number(form[2])
                return z3.If(value == _NOTHING, self.number(form[3]), value)
            case "Product":
                return self.number(form[2]) * self.number(form[3])
        if form[0] in ("Not", "And", "Below", "Zero", "Equal", "Compare", "Truth"):
            return z3.If(self.condition(form), self.code(True), self.code(False))
        if self.type_of(form).kind == "bool" and not self.type_of(form).optional:
            return z3.If(self.unknown(form, truth=True), self.code(True), self.code(False))
        return self.unknown(form, truth=False)

    def unknown(self, form: NormalForm, truth: bool) -> Any:
        """An opaque part."""
        import z3

        if form not in self.known:
            if form not in self.facts.domains:
                raise TooMany
            name = f"{'b' if truth else 'i'}{len(self.known)}"
            plain = truth and None not in self.facts.domains[form]
            self.known[form] = z3.Bool(name, self.context) if plain else z3.Int(name, self.context)
        term = self.known[form]
        if truth and not z3.is_bool(term):
            return term == self.code(True)
        return term if truth or not z3.is_bool(term) else z3.If(term, self.code(True), self.code(False))


def _is_range(values: list[Any]) -> bool:
    return bool(values) and all(type(v) is int for v in values) and max(values) - min(values) == len(set(values)) - 1
