"""The unique normal form of expressions: two expressions with the same form mean the same, in whichever rulesets they occur.

Names replace numbers, named values are written out, and what can be said in several ways is said in one:

- a quantifier is a comparison of a count; so are `is empty` and `!= none` of a pile's top
- a comparison of whole numbers is `sum of terms + constant < 0` or `= 0`, without common factors, the first term positive
- counts are of positive conditions: elements that do not meet a condition are all elements minus those that do
- `or` is the negation of `and`, whose parts have a fixed order and omit those that others imply
- a condition on one face is the list of faces that meet it
- what is asked of the tops of piles is asked of what lies on top; a board is counted by what lies on top
- in what is only counted, summed or searched, joined collections have a fixed order
- a sum of values of faces is a tally by face; a table of numbers is the list of its values
"""

from __future__ import annotations

from collections import Counter
from math import gcd
from typing import Any, assert_never

from msgspec.structs import replace

from pwtool.comparing.expression_queries import (
    Env,
    each_like,
    form_of,
    may_lack,
    over_tops,
    split,
    type_of,
    written_out,
)
from pwtool.comparing.face_values import FaceValues
from pwtool.comparing.forms import (
    FALSE,
    TRUE,
    Linear,
    NormalForm,
    add,
    all_of,
    any_of,
    as_bag,
    joined,
    mentions,
    negated,
    ordered,
    scaled,
    subtract,
)  # fmt: skip
from pwtool.comparing.tallies import attribute_worth
from pwtool.ir import nodes as ir
from pwtool.ir.model import ActionModel, InvariantModel, RuleModel, Ruleset
from pwtool.ir.nodes import Expr
from pwtool.ir.types import BOOL, COUNT, SUM, Type, join, list_of, number
from pwtool.ir.walk import operands
from pwtool.kernel.compiler import Compiler
from pwtool.kernel.material import material_of

_MIXED = Type("mixed")
"""The type of values that have nothing in common: nobody can go through them."""


def either_type(a: Type, b: Type) -> Type:
    """The type of a value that is one of the two."""
    return a if a == b else join(a, b) or _MIXED


class Normalizer(FaceValues):
    """The names behind the numbers in the expressions of one ruleset, and the types of all forms that were made.

    `faces` is False if the components differ from those compared with: lists of faces would then differ for expressions that are
    written alike.
    """

    def __init__(self, ruleset: Ruleset, faces: bool = True) -> None:
        self.ruleset, self.faces = ruleset, faces
        self.zones = {z.number: z.name for z in ruleset.zones.values()}
        self.variables = {v.number: v.name for v in ruleset.variables.values()}
        self.tokens = {t.number: t.name for t in ruleset.tokens.values()}
        self.types: dict[NormalForm, Type] = {}
        self.elements: dict[NormalForm, str] = {}
        """The components that the elements of collections of faces belong to."""
        self._compiler: Compiler | None = None
        self._held: dict[str, Counter[int]] = {}

    def things(self, component: str) -> Counter[int] | None:
        """How many of each face of a component there are at most, whatever the number of players; None if nobody counts
        them, or if actions turn them.
        """
        if self.ruleset.components[component].first:
            return None
        if component not in self._held:
            ruleset, goals = self.ruleset, len(self.ruleset.objectives)
            found: Counter[int] = Counter()
            for players in range(ruleset.min_players, ruleset.max_players + 1):
                material = material_of(ruleset, component, players, goals)
                if material is None:
                    return None
                found |= material.whole + material.partly
            self._held[component] = found
        return self._held[component]

    def rule(self, rule: RuleModel | InvariantModel, env: Env) -> NormalForm:
        """The condition of a rule: that it does not apply, or that what it requires holds."""
        return any_of([negated(self.condition(rule.when, env)), self.condition(rule.require, env)])

    def locals_of(self, action: ActionModel) -> dict[int, NormalForm | Expr]:
        """The locals of an action: parameters by name, named values by their expression."""
        found: dict[int, NormalForm | Expr] = {}
        for p in action.parameters:
            form = ("parameter", p.name)
            self.types[form] = p.type
            found[p.slot] = form
        found |= {slot: value for _, slot, value in action.lets}
        return found

    def form(self, expr: Expr | None, env: Env | None = None, depth: int = 0) -> NormalForm:
        """The form of an expression inside `depth` loops."""
        if expr is None:
            return ("none",)
        env = {} if env is None else env
        expr = written_out(expr, env)
        if expr.type.kind == "int" and not may_lack(expr):
            return self.number(self._linear(expr, env, depth))
        if expr.type.kind == "bool" and not may_lack(expr):
            return self.condition(expr, env, depth)
        return self._typed(self._form(expr, env, depth), type_of(expr))

    def condition(self, expr: Expr | None, env: Env | None = None, depth: int = 0) -> NormalForm:
        """The form of a condition; a condition without a value does not hold."""
        if expr is None:
            return TRUE
        env = {} if env is None else env
        if not isinstance(expr, ir.Const | ir.Local):
            table = self._face_table(expr, env, depth) if self.faces else None
            if table is not None:
                return table
        form = self._typed(self._form(expr, env, depth), type_of(expr))
        return self._typed(("Truth", (), form), BOOL) if self._may_lack(form) else form

    def _typed(self, form: NormalForm, type_: Type) -> NormalForm:
        known = self.types.setdefault(form, type_)
        if form[0] == "bound" and known != type_:
            # The elements of loops at the same depth have the same form, and may be anything that one of them is.
            self.types[form] = either_type(known, type_)
        return form

    def _form(self, expr: Expr, env: Env, depth: int) -> NormalForm:
        match expr:
            case ir.Local():
                held = env[expr.slot]
                return held if isinstance(held, tuple) else self.form(held, env, depth)
            case ir.Let():
                return self.form(expr.body, {**env, expr.slot: expr.value}, depth)
            case ir.Pick():
                return form_of(expr, self.form(expr.domain, env, depth), self._body(expr, env, depth), which=expr.which)
            case ir.Where():
                return form_of(expr, self.form(expr.domain, env, depth), self._body(expr, env, depth))
            case ir.Around():
                return form_of(expr, self.form(expr.start, env, depth), self._body(expr, env, depth))
            case ir.CountWhere() | ir.SumWhere() | ir.Quantified():
                counted = self._linear(expr, env, depth)
                if isinstance(expr, ir.Quantified):
                    return self._quantified(expr, counted, env, depth)
                return self.number(counted)
            case ir.Not():
                return negated(self.condition(expr.operand, env, depth))
            case ir.And():
                return all_of([self.condition(part, env, depth) for part in operands(expr)])
            case ir.Or():
                return any_of([self.condition(part, env, depth) for part in operands(expr)])
            case ir.If():
                c = self.condition(expr.condition, env, depth)
                a, b = self.form(expr.then, env, depth), self.form(expr.otherwise, env, depth)
                if expr.type.kind == "bool" and not may_lack(expr):
                    return all_of([any_of([negated(c), a]), any_of([c, b])])
                return ("If", (), c[2], b, a) if c[0] == "Not" else ("If", (), c, a, b)
            case ir.Compare():
                return self._compared(expr, env, depth)
            case ir.Empty():
                return self._below(*subtract(self._count(expr.of, env, depth), (1, {})))
            case ir.Alike(kind="same", of=ir.Attributes(of=ir.Concat(left=rest, right=ir.Values(items=(one,))))) if (
                not one.type.optional
            ):
                return self.form(each_like(expr, rest, one, self.ruleset), env, depth)
        parts = [self.form(part, env, depth) for part in operands(expr)]
        match expr:
            case ir.Const():
                return ("Const", (expr.type.kind, self._value(expr)))
            case ir.Variable():
                return ("Variable", (self.variables[expr.number],))
            case ir.Zone() | ir.ZoneIndex() | ir.Family():
                return form_of(expr, *parts, zone=self.zones[expr.zone])
            case ir.TokenIndex() | ir.TokenCell():
                return form_of(expr, *parts, token=self.tokens[expr.token])
            case ir.Concat():
                return ("Concat", (), *joined(parts))
            case ir.Sum() | ir.CountDistinct() | ir.Extreme() | ir.Alike(kind="same" | "distinct") | ir.Count():
                return form_of(expr, as_bag(parts[0]))
            case ir.In(items=ir.Neighbours() as beside) if not (expr.item.type.optional or beside.cell.type.optional):
                # Adjacency is symmetric.
                a, b = ordered((parts[0], parts[1][2]))
                return ("In", (), a, (*parts[1][:2], b))
            case ir.Repeats():
                # Neither their order nor the number of other histories makes a difference.
                return ("Repeats", (), *sorted(parts, key=repr))
            case ir.In() | ir.Without():
                return form_of(expr, parts[0], as_bag(parts[1]))
            case (
                ir.Actor() | ir.Players() | ir.Goals() | ir.Total()
                | ir.PileAt() | ir.Piles() | ir.PilesByCell() | ir.Each() | ir.Places() | ir.Top() | ir.TopAt() | ir.HeightAt() | ir.TopsAt() | ir.Beside()
                | ir.Attribute() | ir.Attributes() | ir.Coordinate() | ir.PlayerAfter() | ir.Element() | ir.Values() | ir.Table()
                | ir.Alike() | ir.Reads()
                | ir.Neighbours() | ir.CellAt() | ir.Direction() | ir.Steps() | ir.Moved() | ir.Ray() | ir.Between()
                | ir.Connected() | ir.Fits() | ir.GroupSize() | ir.Can() | ir.After() | ir.Fulfils()
                | ir.Else() | ir.Arithmetic()
            ):  # fmt: skip
                return form_of(expr, *parts)
            case _:
                assert_never(expr)

    def _value(self, expr: ir.Const) -> Any:
        if expr.type.kind == "face" and isinstance(expr.value, int):
            return self.ruleset.components[expr.type.component].codes[expr.value]
        return expr.value

    def _body(self, expr: ir.Loop, env: Env, depth: int) -> NormalForm:
        """The form of what a loop asks of each element, with its local counted from the outermost loop."""
        read = self.condition if expr.body.type.kind == "bool" else self.form
        return read(expr.body, self._inner(expr, env, depth), depth + 1)

    # ---- comparisons

    def _compared(self, expr: ir.Compare, env: Env, depth: int) -> NormalForm:
        sides = [written_out(side, env) for side in (expr.left, expr.right)]
        if all(side.type.kind == "int" and not may_lack(side) for side in sides):
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

    def _equal(self, a: NormalForm, b: NormalForm) -> NormalForm:
        for form, other in ((a, b), (b, a)):
            if form[0] == "Top" and other[0] == "Const" and other[1][1] is None:
                # Nothing lies on top of an empty pile.
                return self._below(-1, {self._typed(("Count", (), form[2]), COUNT): 1})
            if form in (TRUE, FALSE) and not self._may_lack(other):
                return other if form == TRUE else negated(other)
        if a == b:
            return TRUE
        return self._typed(("Equal", (), *ordered((a, b))), BOOL)

    def _may_lack(self, form: NormalForm) -> bool:
        """Whether the value may be missing: then the condition is neither true nor false."""
        return form in self.types and self.types[form].optional

    def _quantified(self, expr: ir.Quantified, counted: Linear, env: Env, depth: int) -> NormalForm:
        wanted: Linear = (expr.number, {})
        match expr.kind:
            case "some":
                return negated(self._below(*subtract(counted, (1, {}))))
            case "no":
                return self._below(*subtract(counted, (1, {})))
            case "every":
                # The whole collection: nothing in it is left over.
                left = subtract(self._count_where(expr.domain, TRUE, env, depth), counted)
                return self._below(*subtract(left, (1, {})))
            case "least":
                return negated(self._below(*subtract(counted, wanted)))
            case "most":
                return self._below(*subtract(counted, (expr.number + 1, {})))
            case "exactly":
                return self._zero(*subtract(counted, wanted))
        assert_never(expr.kind)

    def _below(self, constant: int, terms: dict[NormalForm, int]) -> NormalForm:
        """`constant + terms < 0`."""
        constant, terms = self._gathered((constant, terms))
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
        constant, factors = constant // shared, [terms[t] // shared for t in order]
        if factors[0] < 0:
            # -x < c is x > -c, which is the negation of x < 1 - c.
            return negated(self._typed(("Below", (-constant - 1, *(-f for f in factors)), *order), BOOL))
        return self._typed(("Below", (constant, *factors), *order), BOOL)

    def _zero(self, constant: int, terms: dict[NormalForm, int]) -> NormalForm:
        """`constant + terms = 0`."""
        constant, terms = self._gathered((constant, terms))
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

    def _range(self, constant: int, terms: dict[NormalForm, int]) -> tuple[int | None, int | None]:
        """The least and the greatest value, as far as play keeps within bounds; None: unknown."""
        low: int | None = constant
        high: int | None = constant
        for term, factor in terms.items():
            bounds = self._bounds(term)
            least, most = bounds if factor > 0 else bounds[::-1]
            low = None if low is None or least is None else low + factor * least
            high = None if high is None or most is None else high + factor * most
        return low, high

    def _bounds(self, term: NormalForm) -> tuple[int | None, int | None]:
        if term[0] in ("Count", "CountWhere", "Placements", "Separate"):
            return 0, None
        if term[0] == "Tally" and term in self.types:
            low, high = self.types[term].low, self.types[term].high
            return (None if low else 0), (None if high else 0)
        if term[0] == "One":
            return 0, 1
        if term[0] in ("Variable", "Attribute", "parameter") and term in self.types:
            type_ = self.types[term]
            return (type_.low, type_.high) if type_.kind == "int" and not type_.optional else (None, None)
        return None, None

    # ---- numbers

    def number(self, value: Linear) -> NormalForm:
        """The form of a number."""
        constant, terms = self._gathered(value)
        if not terms:
            return ("Const", ("int", constant))
        if not constant and [*terms.values()] == [1]:
            return next(iter(terms))
        order = sorted(terms, key=repr)
        return self._typed(("Linear", (constant, *(terms[t] for t in order)), *order), SUM)

    def _linear(self, expr: Expr, env: Env, depth: int) -> Linear:
        match expr:
            case ir.Const():
                return (expr.value, {})
            case ir.Local() if isinstance(held := env[expr.slot], ir.Node):
                return self._linear(held, env, depth)
            case ir.Let():
                return self._linear(expr.body, {**env, expr.slot: expr.value}, depth)
            case ir.Arithmetic(sign="*"):
                return self._product(*(self._linear(part, env, depth) for part in (expr.left, expr.right)))
            case ir.Arithmetic():
                a, b = self._linear(expr.left, env, depth), self._linear(expr.right, env, depth)
                return add(a, b) if expr.sign == "+" else subtract(a, b)
            case ir.Count():
                return self._count(expr.of, env, depth)
            case ir.CountWhere() | ir.Quantified():
                return self._number_of(expr, env, depth)
            case ir.SumWhere():
                return self._sum_where(expr, env, depth)
            case ir.Sum(of=ir.Each(part="all", piles=ir.Family() as them)) if parts := split(them, env, self.ruleset):
                return self._sum_where(parts, env, depth)
            case ir.Sum(of=ir.Attributes(of=ir.Concat() as both) as of):
                halves = (replace(expr, of=replace(of, of=part)) for part in (both.left, both.right))
                return add(*(self._linear(half, env, depth) for half in halves))
            case ir.Sum(of=ir.Attributes() as of) if (
                self.faces and (worth := attribute_worth(of, self.ruleset)) is not None
            ):
                return self._tallied(worth, self._things(of.of, env, depth), depth)
            case ir.If():
                condition = self.condition(expr.condition, env, depth)
                a, b = self._linear(expr.then, env, depth), self._linear(expr.otherwise, env, depth)
                return self._either(condition, a, b)
            case ir.Table():
                return self._looked_up(expr, env, depth)
        form = self._form(expr, env, depth)
        if form[0] == "Linear":
            # A local that stands for a sum.
            return (form[1][0], dict(zip(form[2:], form[1][1:], strict=True)))
        if form[0] == "Const":
            return (form[1][1], {})
        return (0, {self._typed(form, type_of(expr)): 1})

    def _product(self, a: Linear, b: Linear) -> Linear:
        if not a[1] or not b[1]:
            (constant, _), other = (a, b) if not a[1] else (b, a)
            return scaled(other, constant)
        form = ("Product", (), *ordered((self.number(a), self.number(b))))
        return (0, {self._typed(form, SUM): 1})

    def _count(self, of: Expr, env: Env, depth: int) -> Linear:
        """The number of elements."""
        match of:
            case ir.Concat():
                return add(self._count(of.left, env, depth), self._count(of.right, env, depth))
            case ir.Values():
                return (len(of.items), {})
            case ir.Piles(grid=grid) | ir.Each(part="pile", piles=grid) if grid.type.kind == "grid":
                return self._count(grid, env, depth)
            case _ if of.type.kind == "grid" and (pile := of.type.element) and pile.element is not None:
                # No pile is empty: one thing lies on top of each.
                of = ir.Each(list_of(pile.element), of, "top")
            case ir.Family():
                zone = next(z for z in self.ruleset.zones.values() if z.number == of.zone)
                left = zone.dimensions[len(of.indices) :]
                if all(kind == "number" for kind, _ in left):
                    size = 1
                    for _, many in left:
                        size *= many
                    return (size, {})
        return (0, {self._typed(("Count", (), self._things(of, env, depth)), COUNT): 1})

    def _number_of(self, expr: ir.CountWhere | ir.Quantified, env: Env, depth: int) -> Linear:
        """The number of elements for which a condition holds."""
        if tops := over_tops(expr, self.ruleset):
            of_empty = FALSE if tops.of_empty is None else self.condition(tops.of_empty, env, depth)
            if of_empty == FALSE:
                expr = tops.loop
            elif of_empty == TRUE:
                # It holds for all piles but those on which lies something else.
                others = replace(tops.loop, body=ir.Not(tops.loop.body))
                return subtract(self._count(expr.domain, env, depth), self._number_of(others, env, depth))
        match expr.domain:
            case ir.Concat() as both:
                parts = (replace(expr, domain=part) for part in (both.left, both.right))
                return add(*(self._number_of(part, env, depth) for part in parts))
            case ir.Values() as listed:
                total: Linear = (0, {})
                for item in listed.items:
                    holds = self.condition(expr.body, {**env, expr.slot: item}, depth)
                    total = add(total, self._either(holds, (1, {}), (0, {})))
                return total
        return self._count_where(expr.domain, self._body(expr, env, depth), env, depth)

    def _count_where(self, domain: Expr, body: NormalForm, env: Env, depth: int) -> Linear:
        if body != TRUE and not mentions(body, ("bound", depth)):
            # It holds for all elements or for none: what is asked of elements is about them.
            return self._either(body, self._count_where(domain, TRUE, env, depth), (0, {}))
        if isinstance(domain, ir.Places):
            return self._placed(domain, body, env, depth)
        if body == TRUE:
            return self._count(domain, env, depth)
        found: Linear
        positive = body[2] if body[0] == "Not" else body
        if isinstance(domain, ir.Neighbours) and positive[0] == "Equal" and ("bound", depth) in positive[2:]:
            other = next(part for part in positive[2:] if part != ("bound", depth))
            if not mentions(other, ("bound", depth)) and not self._may_lack(other) and not domain.cell.type.optional:
                # No cell occurs twice.
                kind, fields, cell = self.form(domain, env, depth)
                a, b = ordered((other, cell))
                one = self._typed(("One", (), self._typed(("In", (), a, (kind, fields, b)), BOOL)), number(0, 1))
                found = (0, {one: 1})
                whole = (4, {}) if domain.on.floating else self._count(domain, env, depth)
                return found if positive is body else subtract(whole, found)
        form = ("CountWhere", (), self._things(domain, env, depth), positive)
        found = (0, {self._typed(form, COUNT): 1})
        return found if positive is body else subtract(self._count(domain, env, depth), found)

    def _placed(self, expr: ir.Places, body: NormalForm, env: Env, depth: int) -> Linear:
        piles, (found_at, cells) = self.form(expr.piles, env, depth), expr.in_order()
        # The condition is about faces, or with `cells` about the numbers of cells.
        places = (found_at, cells) if cells else found_at
        if expr.separate:
            # The number of those that share no card: counting the others does not give the rest.
            return (0, {self._typed(("Separate", places, piles, body), COUNT): 1})
        whole: Linear = (0, {self._typed(("Placements", places, piles, TRUE), COUNT): 1})
        positive = body[2] if body[0] == "Not" else body
        if positive == TRUE:
            return whole
        found: Linear = (0, {self._typed(("Placements", places, piles, positive), COUNT): 1})
        return found if positive is body else subtract(whole, found)

    def _sum_where(self, expr: ir.SumWhere, env: Env, depth: int) -> Linear:
        if isinstance(expr.domain, ir.Concat):
            both = (expr.domain.left, expr.domain.right)
            return add(*(self._sum_where(replace(expr, domain=part), env, depth) for part in both))
        if isinstance(expr.domain, ir.Values):
            summed: Linear = (0, {})
            for item in expr.domain.items:
                summed = add(summed, self._linear(expr.body, {**env, expr.slot: item}, depth))
            return summed
        if tops := over_tops(expr, self.ruleset):
            of_empty = (0, {}) if tops.of_empty is None else self._linear(tops.of_empty, env, depth)
            if of_empty == (0, {}):
                expr = tops.loop
            elif not of_empty[1]:
                more = ir.Arithmetic(SUM, "-", tops.loop.body, ir.Const(SUM, of_empty[0]))
                of_all = scaled(self._count(expr.domain, env, depth), of_empty[0])
                return add(of_all, self._sum_where(replace(tops.loop, body=more), env, depth))
        domain = self._things(expr.domain, env, depth)
        worth = self._worth_by_face(expr, self._inner(expr, env, depth), depth) if domain in self.elements else None
        if worth is not None:
            return self._tallied(worth, domain, depth)
        constant, terms = self._linear(expr.body, self._inner(expr, env, depth), depth + 1)
        total = scaled(self._count(expr.domain, env, depth), constant)
        for term, factor in terms.items():
            if term[0] == "One":
                part = self._count_where(expr.domain, term[2], env, depth)
            elif term[0] == "Attribute" and term[2] == ("bound", depth):
                part = (0, {self._typed(("Sum", (), as_bag(("Attributes", term[1], domain))), SUM): 1})
            else:
                part = (0, {self._typed(("SumWhere", (), domain, term), SUM): 1})
            total = add(total, scaled(part, factor))
        return total

    def _either(self, condition: NormalForm, a: Linear, b: Linear) -> Linear:
        """A number that depends on a condition."""
        if condition[0] == "Not":
            condition, a, b = condition[2], b, a
        if condition in (TRUE, FALSE):
            return a if condition == TRUE else b
        difference = subtract(a, b)
        if not difference[1]:
            return add(b, scaled((0, {self._typed(("One", (), condition), number(0, 1)): 1}), difference[0]))
        return (0, {self._typed(("If", (), condition, self.number(a), self.number(b)), SUM): 1})

    def _looked_up(self, expr: ir.Table, env: Env, depth: int) -> Linear:
        """A table of numbers, as its value for each number in turn."""
        operand = self._linear(expr.operand, env, depth)
        rows = [*expr.rows]
        rest = expr.otherwise if expr.otherwise is not None else rows.pop()[1]
        found: Linear = (rest, {})
        for key, value in reversed(rows):
            if value != rest:
                found = self._either(self._zero(*subtract(operand, (key, {}))), (value, {}), found)
        return found
