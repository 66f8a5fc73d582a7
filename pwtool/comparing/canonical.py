"""Expressions of different rulesets in one form: names instead of numbers, named values written out, parts that may
change places in a fixed order. Two expressions with the same form mean the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, assert_never

from msgspec.structs import asdict

from pwtool.ir import nodes as ir
from pwtool.ir.model import ActionModel, Ruleset
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import operands

Form = tuple[Any, ...]
"""The class of an expression, what its other fields hold, and the forms of its operands; or what a local stands for."""
Env = Mapping[int, Form | Expr]
"""What the locals stand for."""


class Names:
    """What the numbers in the expressions of one ruleset stand for."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.zones = {z.number: z.name for z in ruleset.zones.values()}
        self.variables = {v.number: v.name for v in ruleset.variables.values()}
        self.tokens = {t.number: t.name for t in ruleset.tokens.values()}

    def locals_of(self, action: ActionModel) -> dict[int, Form | Expr]:
        """The locals of an action: parameters by name, named values by their expression."""
        found: dict[int, Form | Expr] = {p.slot: ("parameter", p.name) for p in action.parameters}
        found |= {slot: value for _, slot, value in action.lets}
        return found

    def form(self, expr: Expr | None, env: Env | None = None, depth: int = 0) -> Form:
        """The form of an expression inside of `depth` loops."""
        env = env or {}
        match expr:
            case None:
                return ("none",)
            case ir.Local():
                held = env[expr.slot]
                return held if isinstance(held, tuple) else self.form(held, env, depth)
            case ir.Let():
                return self.form(expr.body, {**env, expr.slot: self.form(expr.value, env, depth)}, depth)
            case ir.Pick() | ir.CountWhere() | ir.SumWhere() | ir.Quantified() | ir.Placements():
                body = self.form(expr.body, {**env, expr.slot: ("bound", depth)}, depth + 1)
                domain = self.form(expr.piles if isinstance(expr, ir.Placements) else expr.domain, env, depth)
                return _loop(expr, domain, body, depth)
        parts = [self.form(part, env, depth) for part in operands(expr)]
        match expr:
            case ir.Const():
                return _form(expr, parts, value=self._value(expr))
            case ir.Variable():
                return _form(expr, parts, number=self.variables[expr.number])
            case ir.Zone() | ir.ZoneIndex() | ir.Family():
                return _form(expr, parts, zone=self.zones[expr.zone])
            case ir.Holds() | ir.TokenOn() | ir.TokenPlace():
                return _form(expr, parts, token=self.tokens[expr.token])
            case ir.Not():
                return negated(parts[0])
            case ir.And() | ir.Or():
                return _form(expr, _ordered(dict.fromkeys(_flat(_form(expr, parts)))))
            case ir.Compare():
                return _compared(expr, parts)
            case ir.Arithmetic():
                return _calculated(expr, parts)
            case ir.Concat():
                return _form(expr, _ordered(parts))
            case (
                ir.Actor() | ir.Players() | ir.Goals() | ir.Total()
                | ir.PileAt() | ir.Piles() | ir.PilesByCell() | ir.Filled() | ir.Flat() | ir.Buried() | ir.Top() | ir.Tops()
                | ir.Attribute() | ir.Coordinate() | ir.PlayerAfter() | ir.EachAt() | ir.Item() | ir.Items() | ir.Table()
                | ir.Count() | ir.Empty() | ir.Sum() | ir.SumAttribute()
                | ir.Same() | ir.Distinct() | ir.Ascending() | ir.Reads() | ir.Append() | ir.Without() | ir.In()
                | ir.Neighbours() | ir.Connected() | ir.Fits() | ir.GroupSize() | ir.Can() | ir.Fulfils()
                | ir.If() | ir.Else() | ir.Negative()
            ):  # fmt: skip
                return _form(expr, parts)
            case _:
                assert_never(expr)

    def _value(self, expr: ir.Const) -> Any:
        if expr.type.kind == "face" and isinstance(expr.value, int):
            return self.ruleset.components[expr.type.component].codes[expr.value]
        return expr.value


def negated(form: Form) -> Form:
    """The form of the contrary."""
    if form[0] == "Not":
        inner: Form = form[2]
        return inner
    return ("Not", (), form)


def contains(form: Form, *kinds: type[ir.Node]) -> bool:
    """Whether there is an operation of one of these classes in a form."""
    return any(form[0] == kind.__name__ for kind in kinds) or any(contains(part, *kinds) for part in form[2:])


def _form(expr: Expr, parts: Iterable[Form], **named: Any) -> Form:
    """The class, the fields, some of them by names, and the operands; the type follows from these."""
    fields = {name: held for name, held in asdict(expr).items() if name not in ("type", "span") and not _is_part(held)}
    return (type(expr).__name__, tuple((fields | named).items()), *parts)


def _is_part(held: Any) -> bool:
    """Whether a field holds operands."""
    return any(isinstance(part, ir.Node) for part in (held if isinstance(held, tuple) else (held,)))


def _ordered(parts: Iterable[Form]) -> list[Form]:
    return sorted(parts, key=repr)


def _flat(form: Form) -> list[Form]:
    """The operands, those of operands that are the same operation among them."""
    return [inner for part in form[2:] for inner in (part[2:] if part[:2] == form[:2] else (part,))]


def _compared(expr: ir.Compare, parts: list[Form]) -> Form:
    match expr.sign:
        case "==":
            return _form(expr, _ordered(parts))
        case "!=":
            return negated(_form(expr, _ordered(parts), sign="=="))
        case "<" | "<=":
            return _form(expr, parts)
        case ">":
            return _form(expr, parts[::-1], sign="<")
        case ">=":
            return _form(expr, parts[::-1], sign="<=")


def _calculated(expr: ir.Arithmetic, parts: list[Form]) -> Form:
    match expr.sign:
        case "+":
            return _form(expr, _ordered(_flat(_form(expr, parts))))
        case "*":
            return _form(expr, _ordered(parts))
        case "-":
            return _form(expr, parts)


def _loop(expr: ir.Loop, domain: Form, body: Form, depth: int) -> Form:
    """The form of a loop, its local counted from outside: what is written out into it keeps its own."""
    match expr:
        case ir.Pick() | ir.CountWhere() | ir.SumWhere():
            return _form(expr, (domain, body), slot=depth)
        case ir.Quantified():
            places = {}
        case ir.Placements():
            places = {"places": tuple(sorted(expr.places))}
    some = {"kind": "some", "number": 1, "slot": depth, **places}
    match expr.kind:
        case "some":
            return _form(expr, (domain, body), **some)
        case "least" if expr.number == 1:
            return _form(expr, (domain, body), **some)
        case "no":
            return negated(_form(expr, (domain, body), **some))
        case "every" if isinstance(expr, ir.Quantified):
            return negated(_form(expr, (domain, negated(body)), **some))
        case "every":
            return _form(expr, (domain, body), **{**some, "kind": "every"})
        case "least" | "most" | "exactly" | "count":
            return _form(expr, (domain, body), slot=depth, **places)
