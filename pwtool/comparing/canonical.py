"""The one normal form of expressions: two expressions with the same form mean the same, in whichever rulesets they stand.

Names stand instead of numbers, named values are written out, and what may be said in several ways is said in one:

- a quantifier is a comparison of a count; `is empty` and `!= none` of a pile's top are too
- a comparison of whole numbers is `sum of terms + constant < 0` or `= 0`, without common factors, the first term positive
- what is counted is counted positively: those that do not fulfil something are all less those that do
- `or` is the contrary of `and`, whose parts stand in a fixed order, without those that others imply
- a condition on one face is the list of faces that fulfil it
- in what is only counted, summed or searched, joined collections stand in a fixed order
"""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd
from typing import Any, assert_never

from msgspec.structs import asdict, replace

from pwtool.comparing.forms import (
    FALSE,
    NOTHING,
    TRUE,
    Form,
    Linear,
    add,
    all_of,
    any_of,
    as_bag,
    joined,
    negated,
    ordered,
    scaled,
    subtract,
)  # fmt: skip
from pwtool.comparing.twins import Twins
from pwtool.ir import nodes as ir
from pwtool.ir.access import unbounded_in_play
from pwtool.ir.model import ActionModel, Ruleset
from pwtool.ir.nodes import Expr
from pwtool.ir.types import BOOL, Type, number
from pwtool.ir.walk import operands, rebuilt, walk
from pwtool.kernel.closures import Compiler

Env = Mapping[int, Form | Expr]
"""What the locals stand for."""

_COUNT = number(0, ir.MANY)
_ANY = number(-ir.MANY, ir.MANY)
_OF_FACES = ir.Attribute | ir.Const | ir.Compare | ir.And | ir.Or | ir.Not | ir.Arithmetic | ir.Negative


class Names:
    """What the numbers in the expressions of one ruleset stand for, and the types of all forms that were made.

    `twins` are the names under which the other ruleset has the same; `faces` is False where the components are others than
    those compared with: lists of faces would then tell apart what is written alike.
    """

    def __init__(self, ruleset: Ruleset, twins: Twins | None = None, faces: bool = True) -> None:
        self.ruleset, self.faces = ruleset, faces
        self.renamed = twins.parameters if twins is not None else {}
        variables = twins.variables if twins is not None else {}
        self.zones = {z.number: z.name for z in ruleset.zones.values()}
        self.variables = {v.number: variables.get(v.name, v.name) for v in ruleset.variables.values()}
        self.tokens = {t.number: t.name for t in ruleset.tokens.values()}
        self.types: dict[Form, Type] = {}
        self.unbounded = unbounded_in_play(ruleset)
        self._compiler: Compiler | None = None

    def locals_of(self, action: ActionModel) -> dict[int, Form | Expr]:
        """The locals of an action: parameters by name, named values by their expression."""
        found: dict[int, Form | Expr] = {}
        for p in action.parameters:
            form = ("parameter", self.renamed.get((action.name, p.name), p.name))
            self.types[form] = p.type
            found[p.slot] = form
        found |= {slot: value for _, slot, value in action.lets}
        return found

    def form(self, expr: Expr | None, env: Env | None = None, depth: int = 0) -> Form:
        """The form of an expression inside of `depth` loops."""
        if expr is None:
            return ("none",)
        env = env or {}
        expr = _written_out(expr, env)
        if expr.type.kind == "int" and not _may_lack(expr):
            return self._number(self._linear(expr, env, depth))
        if expr.type.kind == "bool" and not _may_lack(expr):
            return self.condition(expr, env, depth)
        return self._typed(self._form(expr, env, depth), self._type_of(expr))

    def condition(self, expr: Expr | None, env: Env | None = None, depth: int = 0) -> Form:
        """The form of a condition: where there is no value it does not hold."""
        if expr is None:
            return TRUE
        env = env or {}
        if not isinstance(expr, ir.Const | ir.Local):
            table = self._face_table(expr, env, depth) if self.faces else None
            if table is not None:
                return table
        form = self._typed(self._form(expr, env, depth), self._type_of(expr))
        return self._typed(("Truth", (), form), BOOL) if self._may_lack(form) else form

    def _type_of(self, expr: Expr) -> Type:
        """The type of what an expression is worth in play."""
        if expr.type.kind == "int" and any(
            isinstance(part, ir.Variable) and part.number in self.unbounded for part in walk(expr)
        ):
            return replace(_ANY, optional=_may_lack(expr))
        return _type_of(expr)

    def _typed(self, form: Form, type_: Type) -> Form:
        self.types.setdefault(form, type_)
        return form

    def _form(self, expr: Expr, env: Env, depth: int) -> Form:
        match expr:
            case ir.Local():
                held = env[expr.slot]
                return held if isinstance(held, tuple) else self.form(held, env, depth)
            case ir.Let():
                return self.form(expr.body, self._with(env, expr, depth), depth)
            case ir.Pick():
                return _of(expr, self.form(expr.domain, env, depth), self._body(expr, env, depth), which=expr.which)
            case ir.CountWhere() | ir.SumWhere() | ir.Quantified() | ir.Placements():
                counted = self._linear(expr, env, depth)
                if isinstance(expr, ir.Quantified | ir.Placements) and expr.kind != "count":
                    return self._quantified(expr, counted, env, depth)
                return self._number(counted)
            case ir.Not():
                return negated(self.condition(expr.operand, env, depth))
            case ir.And():
                return all_of([self.condition(part, env, depth) for part in operands(expr)])
            case ir.Or():
                return any_of([self.condition(part, env, depth) for part in operands(expr)])
            case ir.If():
                c = self.condition(expr.condition, env, depth)
                a, b = self.form(expr.then, env, depth), self.form(expr.otherwise, env, depth)
                if expr.type.kind == "bool" and not _may_lack(expr):
                    return all_of([any_of([negated(c), a]), any_of([c, b])])
                return ("If", (), c[2], b, a) if c[0] == "Not" else ("If", (), c, a, b)
            case ir.Compare():
                return self._compared(expr, env, depth)
            case ir.Empty():
                return self._below(*subtract(self._count(expr.of, env, depth), (1, {})))
        parts = [self.form(part, env, depth) for part in operands(expr)]
        match expr:
            case ir.Const():
                return ("Const", (expr.type.kind, self._value(expr)))
            case ir.Variable():
                return ("Variable", (self.variables[expr.number],))
            case ir.Zone() | ir.ZoneIndex() | ir.Family():
                return _of(expr, *parts, zone=self.zones[expr.zone])
            case ir.Holds() | ir.TokenOn() | ir.TokenPlace():
                return _of(expr, *parts, token=self.tokens[expr.token])
            case ir.Concat():
                return ("Concat", (), *joined(parts))
            case ir.Sum() | ir.SumAttribute() | ir.Same() | ir.Distinct() | ir.Count():
                return _of(expr, as_bag(parts[0]))
            case ir.In() | ir.Without():
                return _of(expr, parts[0], as_bag(parts[1]))
            case (
                ir.Actor() | ir.Players() | ir.Goals() | ir.Total()
                | ir.PileAt() | ir.Piles() | ir.PilesByCell() | ir.Filled() | ir.Flat() | ir.Buried() | ir.Top() | ir.Tops()
                | ir.Attribute() | ir.Coordinate() | ir.PlayerAfter() | ir.EachAt() | ir.Item() | ir.Items() | ir.Table()
                | ir.Ascending() | ir.Reads() | ir.Append()
                | ir.Neighbours() | ir.Connected() | ir.Fits() | ir.GroupSize() | ir.Can() | ir.Fulfils()
                | ir.Else() | ir.Arithmetic() | ir.Negative()
            ):  # fmt: skip
                return _of(expr, *parts)
            case _:
                assert_never(expr)

    def _value(self, expr: ir.Const) -> Any:
        if expr.type.kind == "face" and isinstance(expr.value, int):
            return self.ruleset.components[expr.type.component].codes[expr.value]
        return expr.value

    def _with(self, env: Env, expr: ir.Let, depth: int) -> Env:
        return {**env, expr.slot: self.form(expr.value, env, depth)}

    def _body(self, expr: ir.Loop, env: Env, depth: int) -> Form:
        """The form of what a loop asks of each element, its local counted from outside."""
        read = self.condition if expr.body.type.kind == "bool" else self.form
        return read(expr.body, self._inner(expr, env, depth), depth + 1)

    def _inner(self, expr: ir.Loop, env: Env, depth: int) -> Env:
        return {**env, expr.slot: ("bound", depth)}

    # ---- conditions on one face

    def _face_table(self, expr: Expr, env: Env, depth: int) -> Form | None:
        """A condition on one face as the list of those that fulfil it."""
        holes = _faces_in(expr)
        if not holes:
            return None
        forms = {self.form(hole, env, depth) for hole in holes}
        type_ = holes[0].type
        if len(forms) > 1 or any(hole.type != type_ for hole in holes):
            return None
        hole = ir.Local(type_, 0)

        def opened(part: Expr) -> Expr:
            return hole if any(part is found for found in holes) else rebuilt(part, opened)

        self._compiler = self._compiler or Compiler(self.ruleset)
        test = self._compiler.compile(opened(expr))
        codes = self.ruleset.components[type_.component].codes
        verdicts: dict[str, bool] = {}
        for face, code in [*enumerate(codes), *([(None, "")] if type_.optional else [])]:
            verdicts[code] = bool(test(None, [face]))
        return self._listed(verdicts, forms.pop())

    def _listed(self, verdicts: dict[str, bool], of: Form) -> Form:
        order = sorted(verdicts)
        first = verdicts[order[0]]
        if "" in verdicts and len({verdicts[code] for code in order[1:]}) == 1 and verdicts[order[1]] != first:
            # It only asks whether there is one at all.
            return self._equal(of, NOTHING) if first else negated(self._equal(of, NOTHING))
        listed = tuple(code for code in order if verdicts[code] != first)
        if not listed:
            return TRUE if first else FALSE
        form = self._typed(("Faces", listed, of), BOOL)
        return negated(form) if first else form

    # ---- comparisons

    def _compared(self, expr: ir.Compare, env: Env, depth: int) -> Form:
        sides = [_written_out(side, env) for side in (expr.left, expr.right)]
        if all(side.type.kind == "int" and not _may_lack(side) for side in sides):
            a, b = (self._linear(side, env, depth) for side in (expr.left, expr.right))
            match expr.sign:
                case "==":
                    return self._zero(*subtract(a, b))
                case "!=":
                    return negated(self._zero(*subtract(a, b)))
                case "<":
                    return self._below(*subtract(a, b))
                case ">":
                    return self._below(*subtract(b, a))
                case "<=":
                    return negated(self._below(*subtract(b, a)))
                case ">=":
                    return negated(self._below(*subtract(a, b)))
        a_form, b_form = (self.form(side, env, depth) for side in (expr.left, expr.right))
        match expr.sign:
            case "==":
                return self._equal(a_form, b_form)
            case "!=":
                return negated(self._equal(a_form, b_form))
            case "<" | "<=":
                return self._typed(("Compare", (expr.sign,), a_form, b_form), BOOL)
            case ">" | ">=":
                return self._typed(("Compare", ("<" if expr.sign == ">" else "<=",), b_form, a_form), BOOL)

    def _equal(self, a: Form, b: Form) -> Form:
        for form, other in ((a, b), (b, a)):
            if form[0] == "Top" and other[0] == "Const" and other[1][1] is None:
                # Nothing lies on top of a pile that is empty.
                return self._below(-1, {self._typed(("Count", (), form[2]), _COUNT): 1})
            if form in (TRUE, FALSE) and not self._may_lack(other):
                return other if form == TRUE else negated(other)
        if a == b:
            return TRUE
        return self._typed(("Equal", (), *ordered((a, b))), BOOL)

    def _may_lack(self, form: Form) -> bool:
        """Whether there may be no value: that is neither true nor false."""
        return form in self.types and self.types[form].optional

    def _quantified(self, expr: ir.Quantified | ir.Placements, counted: Linear, env: Env, depth: int) -> Form:
        wanted: Linear = (expr.number, {})
        match expr.kind:
            case "some":
                return negated(self._below(*subtract(counted, (1, {}))))
            case "no":
                return self._below(*subtract(counted, (1, {})))
            case "every":
                whole = self._placed(expr, TRUE, env, depth) if isinstance(expr, ir.Placements) else None
                # Everything that is gone through: none of it is left over.
                left = subtract(whole or self._count(expr.domain, env, depth), counted)  # type: ignore[union-attr]
                return self._below(*subtract(left, (1, {})))
            case "least":
                return negated(self._below(*subtract(counted, wanted)))
            case "most":
                return self._below(*subtract(counted, (expr.number + 1, {})))
            case "exactly":
                return self._zero(*subtract(counted, wanted))
            case "count":
                raise AssertionError
        assert_never(expr.kind)

    def _below(self, constant: int, terms: dict[Form, int]) -> Form:
        """`constant + terms < 0`."""
        if not terms:
            return TRUE if constant < 0 else FALSE
        low, high = self._range(constant, terms)
        if high is not None and high < 0:
            return TRUE
        if low is not None and low >= 0:
            return FALSE
        shared = gcd(*terms.values())
        order = sorted(terms, key=repr)
        # g * sum < -c is sum < -c / g, rounded up.
        constant, factors = -(-constant // shared), [terms[t] // shared for t in order]
        if factors[0] < 0:
            # -x < c is x > -c, which is the contrary of x < 1 - c.
            return negated(self._typed(("Below", (-constant - 1, *(-f for f in factors)), *order), BOOL))
        return self._typed(("Below", (constant, *factors), *order), BOOL)

    def _zero(self, constant: int, terms: dict[Form, int]) -> Form:
        """`constant + terms = 0`."""
        if not terms:
            return TRUE if constant == 0 else FALSE
        low, high = self._range(constant, terms)
        if (low is not None and low > 0) or (high is not None and high < 0):
            return FALSE
        if low == 0:
            return self._below(constant - 1, terms)
        if high == 0:
            return negated(self._below(constant, terms))
        shared = gcd(*terms.values())
        if constant % shared:
            return FALSE
        order = sorted(terms, key=repr)
        sign = shared if terms[order[0]] > 0 else -shared
        return self._typed(("Zero", (constant // sign, *(terms[t] // sign for t in order)), *order), BOOL)

    def _range(self, constant: int, terms: dict[Form, int]) -> tuple[int | None, int | None]:
        """The least and the greatest value, as far as bounds are kept by play; None: not known."""
        low: int | None = constant
        high: int | None = constant
        for term, factor in terms.items():
            bounds = self._bounds(term)
            least, most = bounds if factor > 0 else bounds[::-1]
            low = None if low is None or least is None else low + factor * least
            high = None if high is None or most is None else high + factor * most
        return low, high

    def _bounds(self, term: Form) -> tuple[int | None, int | None]:
        if term[0] in ("Count", "CountWhere", "Placements"):
            return 0, None
        if term[0] == "One":
            return 0, 1
        if term[0] in ("Variable", "Attribute", "parameter") and term in self.types:
            type_ = self.types[term]
            return (type_.low, type_.high) if type_.kind == "int" and not type_.optional else (None, None)
        return None, None

    # ---- numbers

    def _number(self, value: Linear) -> Form:
        constant, terms = value
        if not terms:
            return ("Const", ("int", constant))
        if not constant and [*terms.values()] == [1]:
            return next(iter(terms))
        order = sorted(terms, key=repr)
        return self._typed(("Linear", (constant, *(terms[t] for t in order)), *order), _ANY)

    def _linear(self, expr: Expr, env: Env, depth: int) -> Linear:
        match expr:
            case ir.Const():
                return (expr.value, {})
            case ir.Local() if isinstance(held := env[expr.slot], ir.Node):
                return self._linear(held, env, depth)
            case ir.Let():
                return self._linear(expr.body, self._with(env, expr, depth), depth)
            case ir.Arithmetic(sign="*"):
                return self._product(*(self._linear(part, env, depth) for part in (expr.left, expr.right)))
            case ir.Arithmetic():
                a, b = self._linear(expr.left, env, depth), self._linear(expr.right, env, depth)
                return add(a, b) if expr.sign == "+" else subtract(a, b)
            case ir.Negative():
                return scaled(self._linear(expr.operand, env, depth), -1)
            case ir.Count():
                return self._count(expr.of, env, depth)
            case ir.CountWhere() | ir.Quantified():
                return self._count_where(expr.domain, self._body(expr, env, depth), env, depth)
            case ir.Placements():
                return self._placed(expr, self._body(expr, env, depth), env, depth)
            case ir.SumWhere():
                return self._sum_where(expr, env, depth)
            case ir.If():
                return self._chosen(expr, env, depth)
        form = self._form(expr, env, depth)
        if form[0] == "Linear":
            # A local that stands for a sum.
            return (form[1][0], dict(zip(form[2:], form[1][1:], strict=True)))
        if form[0] == "Const":
            return (form[1][1], {})
        return (0, {self._typed(form, self._type_of(expr)): 1})

    def _product(self, a: Linear, b: Linear) -> Linear:
        if not a[1] or not b[1]:
            (constant, _), other = (a, b) if not a[1] else (b, a)
            return scaled(other, constant)
        form = ("Product", (), *ordered((self._number(a), self._number(b))))
        return (0, {self._typed(form, _ANY): 1})

    def _count(self, of: Expr, env: Env, depth: int) -> Linear:
        """How many things there are."""
        match of:
            case ir.Concat():
                return add(self._count(of.left, env, depth), self._count(of.right, env, depth))
            case ir.Append():
                return add(self._count(of.left, env, depth), (1, {}))
            case ir.Piles():
                return self._count(of.grid, env, depth)
            case ir.Family():
                zone = next(z for z in self.ruleset.zones.values() if z.number == of.zone)
                left = zone.dimensions[len(of.indices) :]
                if all(kind == "number" for kind, _ in left):
                    size = 1
                    for _, many in left:
                        size *= many
                    return (size, {})
        return (0, {self._typed(("Count", (), as_bag(self.form(of, env, depth))), _COUNT): 1})

    def _count_where(self, domain: Expr, body: Form, env: Env, depth: int) -> Linear:
        if body == FALSE:
            return (0, {})
        if body == TRUE:
            return self._count(domain, env, depth)
        positive = body[2] if body[0] == "Not" else body
        form = ("CountWhere", (), as_bag(self.form(domain, env, depth)), positive)
        found: Linear = (0, {self._typed(form, _COUNT): 1})
        return found if positive is body else subtract(self._count(domain, env, depth), found)

    def _placed(self, expr: ir.Placements, body: Form, env: Env, depth: int) -> Linear:
        if body == FALSE:
            return (0, {})
        places, piles = tuple(sorted(expr.places)), self.form(expr.piles, env, depth)
        whole: Linear = (0, {self._typed(("Placements", places, piles, TRUE), _COUNT): 1})
        positive = body[2] if body[0] == "Not" else body
        if positive == TRUE:
            return whole
        found: Linear = (0, {self._typed(("Placements", places, piles, positive), _COUNT): 1})
        return found if positive is body else subtract(whole, found)

    def _sum_where(self, expr: ir.SumWhere, env: Env, depth: int) -> Linear:
        constant, terms = self._linear(expr.body, self._inner(expr, env, depth), depth + 1)
        total = scaled(self._count(expr.domain, env, depth), constant)
        domain = as_bag(self.form(expr.domain, env, depth))
        for term, factor in terms.items():
            if term[0] == "One":
                part = self._count_where(expr.domain, term[2], env, depth)
            else:
                part = (0, {self._typed(("SumWhere", (), domain, term), _ANY): 1})
            total = add(total, scaled(part, factor))
        return total

    def _chosen(self, expr: ir.If, env: Env, depth: int) -> Linear:
        """A number that depends on a condition."""
        condition = self.condition(expr.condition, env, depth)
        a, b = self._linear(expr.then, env, depth), self._linear(expr.otherwise, env, depth)
        if condition[0] == "Not":
            condition, a, b = condition[2], b, a
        if condition in (TRUE, FALSE):
            return a if condition == TRUE else b
        difference = subtract(a, b)
        if not difference[1]:
            return add(b, scaled((0, {self._typed(("One", (), condition), number(0, 1)): 1}), difference[0]))
        return (0, {self._typed(("If", (), condition, self._number(a), self._number(b)), _ANY): 1})


def _written_out(expr: Expr, env: Env) -> Expr:
    """What a named value stands for."""
    while isinstance(expr, ir.Local) and isinstance(held := env.get(expr.slot), ir.Node):
        expr = held
    return expr


def _may_lack(expr: Expr) -> bool:
    """Whether there may be no value: what stands for a value that lacks may lack too."""
    match expr:
        case ir.Else():
            return _may_lack(expr.default)
        case ir.If():
            return _may_lack(expr.then) or _may_lack(expr.otherwise)
        case ir.Let():
            return _may_lack(expr.body)
    return expr.type.optional


def _type_of(expr: Expr) -> Type:
    return replace(expr.type, optional=True) if _may_lack(expr) else expr.type


def _faces_in(expr: Expr) -> list[Expr]:
    """The faces that a condition is about; nothing where it asks about anything else."""
    if expr.type.kind == "face" and not isinstance(expr, ir.Const):
        return [expr]
    if not isinstance(expr, _OF_FACES):
        return []
    found = []
    for part in operands(expr):
        inner = _faces_in(part)
        if not inner and not isinstance(part, ir.Const):
            return []
        found += inner
    return found


def _of(expr: Expr, *parts: Form, **named: Any) -> Form:
    """The class, the fields, some of them by names, and the operands; the type follows from these."""
    fields = {
        name: held
        for name, held in asdict(expr).items()
        if name not in ("type", "span", "slot")
        and not any(_is_part(p) for p in (held if isinstance(held, tuple) else (held,)))
    }
    return (type(expr).__name__, tuple((fields | named).items()), *parts)


def _is_part(held: Any) -> bool:
    return isinstance(held, ir.Node)
