"""Whether a change leaves a ruleset as it was, as far as that can be seen from its conditions."""

from __future__ import annotations

from typing import Any

from pwtool.eval.closures import Compiler
from pwtool.ir.model import Expr, Ruleset

_ORDER = frozenset("eq ne lt le gt ge".split())
# What speaks of nothing but the face it is given: its verdict on every face says all there is to say.
_OF_FACES = frozenset("attr const eq ne lt le gt ge and or not add sub mul neg".split())


def same_meaning(first: Ruleset, second: Ruleset) -> bool:
    """Whether all conditions of two rulesets are surely alike, as they are after a square was turned."""
    return conditions_of(first) == conditions_of(second)


def conditions_of(ruleset: Ruleset) -> list[Any]:
    """The conditions of a ruleset in a form that is equal where they surely mean the same."""
    form = _Form(ruleset)
    return [form.of_objective(name) for name in ruleset.objectives] + _others(form)


def same_but_objectives(first: Ruleset, second: Ruleset) -> bool:
    """Whether all conditions but those of objectives are surely alike."""
    return _others(_Form(first)) == _others(_Form(second))


def _others(form: _Form) -> list[Any]:
    ruleset = form.ruleset
    found: list[Any] = []
    for action in (*ruleset.actions.values(), *ruleset.consequences.values()):
        found += [(form.of(r.when), form.of(r.require)) for r in action.rules]
        found += [form.of(value) for _, _, value in action.lets]
        found += [(form.of(e.when), form.of(e.value), form.of(e.target)) for e in action.effects]
    found += [(form.of(r.when), form.of(r.require)) for r in (*ruleset.turn_rules, *ruleset.setup_rules)]
    found += [(form.of(i.when), form.of(i.require)) for i in ruleset.invariants]
    found += [form.of(e.condition) for e in ruleset.endings]
    found += [form.of(s.value) for s in ruleset.scores]
    return found


def changed_objectives(first: Ruleset, second: Ruleset) -> list[str]:
    """The objectives that may mean something else in the second ruleset."""
    one, two = _Form(first), _Form(second)
    both = [name for name in first.objectives if name in second.objectives]
    return [name for name in both if one.of_objective(name) != two.of_objective(name)]


class _Form:
    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.compiler = Compiler(ruleset)
        self.on_grid = False

    def of_objective(self, name: str) -> Any:
        """The form of an objective, which is asked about one grid: it knows how many cards can be visible there."""
        self.on_grid = True
        form = self.of(self.ruleset.objectives[name].condition)
        self.on_grid = False
        return form

    def of(self, expr: Expr | None) -> Any:
        if expr is None:
            return None
        table = self._table(expr)
        if table is not None:
            return table
        if expr.op in _ORDER and expr.args[1].op == "const" and expr.args[0].type.kind == "int":
            return self._interval(expr, *expr.args)
        data = expr.data
        if expr.op == "shape":
            # The order in which the places are tried decides nothing.
            data = (*data[:3], frozenset(data[3]))
        elif expr.op in ("same", "distinct", "ascending"):
            data = self._classes(data, expr.op == "ascending")
        return expr.op, data, tuple(self.of(arg) for arg in expr.args)

    def _interval(self, expr: Expr, left: Expr, right: Expr) -> Any:
        """A comparison with a number as the numbers that it lets through: of one that is never below 0, `== 0` and
        `<= 0` let the same through.
        """
        low, high, value = left.type.low, left.type.high, right.data
        board = self.ruleset.board
        if self.on_grid and board is not None and left.op == "count" and left.args[0].op == "slot":
            # Local 1 of an objective holds the visible cards.
            high = board.width * board.height if left.args[0].data == 1 else high
        parts = {
            "eq": [(value, value)], "ne": [(low, value - 1), (value + 1, high)], "lt": [(low, value - 1)],
            "le": [(low, value)], "gt": [(value + 1, high)], "ge": [(value, high)],
        }[expr.op]  # fmt: skip
        kept = tuple((max(a, low), min(b, high)) for a, b in parts if max(a, low) <= min(b, high))
        # Where there may be no value, only `!=` lets that through.
        return "number", self.of(left), kept, expr.op == "ne" and left.type.optional

    def _classes(self, attribute: tuple[str, str], ordered: bool) -> Any:
        """Which faces an attribute tells apart; two attributes that tell the same apart say the same."""
        table = self.ruleset.components[attribute[0]].attributes[attribute[1]].table
        values = sorted(set(table)) if ordered else list(dict.fromkeys(table))
        return attribute[0], tuple(values.index(v) for v in table)

    def _table(self, expr: Expr) -> Any:
        """A condition on one face as its verdict on each."""
        if expr.type.kind != "bool" or expr.op not in _OF_FACES:
            return None
        slots: dict[int, str] = {}
        if not _only_faces(expr, slots) or len(slots) != 1:
            return None
        slot, component = next(iter(slots.items()))
        evaluate = self.compiler.compile(expr)
        e: list[Any] = [None] * (slot + 1)
        verdicts = []
        for face in range(len(self.ruleset.components[component].codes)):
            e[slot] = face
            verdicts.append(bool(evaluate(None, e)))
        return "face", slot, tuple(verdicts)


def _only_faces(expr: Expr, slots: dict[int, str]) -> bool:
    if expr.op == "slot":
        slots[expr.data] = expr.type.component
        return expr.type.kind == "face"
    return expr.op in _OF_FACES and all(_only_faces(arg, slots) for arg in expr.args)
