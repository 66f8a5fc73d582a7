"""Loops over collections: quantifiers, counts, sums and picks with a variable, and collections restricted by a
condition.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from pwtool.ir import nodes as ir
from pwtool.ir import types as t
from pwtool.ir.nodes import Expr
from pwtool.ir.types import ERROR, Type
from pwtool.lang import tree as n
from pwtool.rules.check.dispatch import check, check_condition, checks, expect_number
from pwtool.rules.check.places import as_faces, at_places, card_at, cards_at, with_local
from pwtool.rules.check.scope import Passed, Scope
from pwtool.rules.check.slips import minus_for_range
from pwtool.rules.check.unknown import attribute_values, no_attribute
from pwtool.text import Fix
from pwtool.text.regex import regex
from pwtool.text.source import Span
from pwtool.text.words import one_line

MAX_CASES = 10_000
_SIGNS = ("==", "!=", "<", "<=", ">", ">=")
KINDS: dict[str, ir.Kind] = {
    "some": "some", "every": "every", "no": "no", "least": "least", "most": "most", "exactly": "exactly",
}  # fmt: skip


class Loops(Struct):
    """A loop: the collection, the local that holds its elements, and the scope of the condition on them; only the elements that fulfil
    the condition count.
    """

    domain: Expr
    slot: int
    scope: Scope
    condition: Expr | None = None

    @property
    def element(self) -> Type:
        return self.domain.type.element or ERROR

    def counted(self, kind: ir.Counting, number: int, body: Expr, span: Span | None) -> Expr:
        """A quantifier over it."""
        slot, (domain, whole) = self.slot, self._told(self._if_not(body) if kind == "every" else self._and(body))
        return ir.counted(kind, number, slot, domain, whole, span)

    def summed(self, body: Expr, span: Span | None) -> Expr:
        """The sum over it."""
        if self.condition is not None:
            zero = ir.Const(t.number(0, 0), 0)
            type_ = t.join(body.type, zero.type) or body.type
            body = ir.If(type_, self.condition, body, zero, span=body.span)
        domain, body = self._told(body)
        return ir.SumWhere(self.slot, domain, body, span=span)

    def picked(self, which: str, body: Expr, span: Span | None) -> Expr:
        """The first or last of its elements."""
        type_ = replace(self.element, optional=self.element.kind != "error")
        found = ir.Pick(
            type_, "last" if which == "last" else "first", self.slot, self.domain, self._and(body), span=span
        )
        board = self.scope.places.get(self.slot)
        return found if board is None else card_at(board, found, span, optional=True)

    def collected(self, span: Span | None) -> Expr:
        """The elements that fulfil the condition, as a collection."""
        assert self.condition is not None
        if self.condition.type.kind == "error":
            return ir.Const(ERROR, None, span=span)
        domain, body = self._told(self.condition)
        found = ir.Where(t.list_of(domain.type.element or ERROR), self.slot, domain, body, span=span)
        board = self.scope.places.get(self.slot)
        return cards_at(board, found, span) if board is not None and found.type.element != board.zone.element else found

    def _and(self, body: Expr) -> Expr:
        return body if self.condition is None else ir.And(self.condition, body, span=body.span)

    def _if_not(self, body: Expr) -> Expr:
        if self.condition is None:
            return body
        return ir.Or(ir.Not(self.condition, span=self.condition.span), body, span=body.span)

    def _told(self, body: Expr) -> tuple[Expr, Expr]:
        """The collection and the condition on each element: for all cards of a grid, the elements are the cards themselves unless the
        condition depends on where they lie.
        """
        board = self.scope.places.get(self.slot)
        if board is None or not (isinstance(self.domain, ir.Where) and isinstance(self.domain.domain, ir.Const)):
            return self.domain, body
        faces = as_faces(self.slot, body, board)
        return (self.domain, body) if faces is None else (board.faces, faces)


# ---- domains


def _range(node: n.Range, scope: Scope) -> Expr:
    if node.low > node.high:
        return scope.declared.report("PW306", "the range is empty", node.span)
    if (node.high - node.low + 1) * scope.cases > MAX_CASES:
        message = "there are more than {most} cases"
        return scope.declared.report("PW306", message, node.span, most=str(MAX_CASES))
    type_ = t.number(node.low, node.high)
    return ir.Const(t.list_of(type_), tuple(range(node.low, node.high + 1)), span=node.span)


def domain_of(node: n.Node, scope: Scope) -> Expr:
    """The domain of a loop."""
    if isinstance(node, n.Range):
        return _range(node, scope)
    values = attribute_values(node, scope) or minus_for_range(node, scope)
    if values is not None:
        return values
    value = check(node, scope)
    if value.type.kind == "error":
        return value
    if not value.type.is_collection or value.type.element is None:
        help_line = "all of them are `players`" if value.type.kind == "player" else None
        return scope.declared.report("PW301", "{type} has no elements to loop over", node.span, help_line, type=value.type)  # fmt: skip
    if value.type.kind == "grid":
        return ir.Piles(t.list_of(value.type.element), value, span=node.span)
    return value


def _through(node: n.Node, variable: n.Name | None, other: bool, scope: Scope) -> Loops:
    """The domain of a loop in this place, with its restrictions separate."""
    restrictions: list[n.Where] = []
    while isinstance(node, n.Where):
        restrictions.append(node)
        node = node.operand
    names = [v for v in (variable, *(where.variable for where in restrictions)) if v is not None]
    for name in names:
        no_attribute(name, node, scope)
    domain = domain_of(node, scope)
    inherited: list[ir.Where] = []
    while isinstance(domain, ir.Where):
        # A restricted collection that has a name elsewhere: its elements are evaluated once.
        inherited.append(domain)
        domain = domain.domain
    placed = at_places(domain, scope)
    whole = domain if placed is None else placed[0]
    element = whole.type.element or ERROR
    slot = scope.new_slot()
    local = ir.Local(element, slot)
    conditions = [with_local(where.body, where.slot, local) for where in inherited]
    domain = whole
    if other:
        domain, apart = _others(node, whole, local, scope)
        conditions += [] if apart is None else [apart]
    size = len(whole.value) if isinstance(whole, ir.Const) and isinstance(whole.value, tuple) else 1
    inner = scope.copy(
        locals={**scope.locals, **{name.name: (slot, element) for name in names}},
        places=scope.places if placed is None else {**scope.places, slot: placed[1]},
        cases=scope.cases * max(1, size),
        through=(*scope.through, Passed(slot, node, whole, other)),
    )
    thing = element.kind in ("face", "place", "pile")
    # Piles in a loop may be empty, and then have no visible card.
    seen = (
        replace(element, element=replace(element.element, optional=True))
        if element.kind == "pile" and element.element
        else element
    )
    for where in reversed(restrictions):
        if not names and not thing and element.kind != "error":
            text = one_line(node.span.text)
            scope.declared.report(
                "PW301", "{element} has no attributes", where.span, "name it: `(x in {text} where ...)`", element=element, text=text,
            )  # fmt: skip
        conditions.append(_restriction(where, inner.copy(subject=(slot, seen)) if thing else inner))
    condition: Expr | None = None
    for part in conditions:
        condition = part if condition is None else ir.And(condition, part, span=part.span)
    return Loops(domain, slot, inner, condition)


def _others(node: n.Node, whole: Expr, local: ir.Local, scope: Scope) -> tuple[Expr, Expr | None]:
    """A collection without the element that the nearest variable over the same one holds: the remaining collection, or the condition
    that excludes that element.
    """
    found = next((p for p in reversed(scope.through) if p.goes_through(node, whole)), None)
    text = one_line(node.span.text)
    if found is None:
        help_line = "loop over them twice: `some c in {text}: some other d in {text}: ...`"
        scope.declared.report("PW301", "other than which? no variable around goes through `{text}`", node.span, help_line, text=text)  # fmt: skip
        return whole, None
    held = ir.Local(local.type, found.slot)
    if local.type.is_collection:
        scope.declared.report("PW301", "one {type} cannot be told from another", node.span, type=local.type)
    if local.type.kind in ("place", "player", "goal") or isinstance(whole, ir.Const):
        return whole, ir.Compare("!=", local, held)
    one = ir.Values(t.list_of(local.type), (held,))
    return ir.Without(t.list_of(local.type), whole, one), None


def faces_compared(node: n.Binary, left: Expr, right: Expr, scope: Scope) -> None:
    """The warning about comparing two variables over the same things: two equal things are equal too."""
    held = [side.at if isinstance(side, ir.TopAt) else side for side in (left, right)]
    slots = [side.slot for side in held if isinstance(side, ir.Local)]
    passed = [p for p in scope.through if p.slot in slots]
    if len(passed) < 2 or passed[1].other or not passed[0].goes_through(passed[1].written, passed[1].domain):
        return
    names = [name for name, (slot, _) in scope.locals.items() if slot == passed[1].slot]
    text = one_line(passed[1].written.span.text)
    help_line = "to leave out this one, write `every other {name} in {domain}: ...`" if names else None
    message = "`{text}` compares faces: two equal ones are alike here"
    scope.declared.warn("PW306", message, node.span, help_line, text=one_line(node.span.text), name=names[0] if names else "", domain=text)  # fmt: skip


# ---- restrictions


_COUNTED = regex(r"(?:\b(?:count(?:\s+distinct\s+\w+\s+of)?|(?:sum|max|min)\s+\w+\s+of|sum)\s+|-\s*)+\Z")
"""The words before a collection that make a number of it."""


def _restriction(where: n.Where, scope: Scope) -> Expr:
    """The condition after `where`, which extends as far to the right as possible: if it includes a comparison that was meant for the
    number before it, that is reported.
    """
    node = where.condition
    while isinstance(node, n.Binary) and node.operator in ("and", "or"):
        node = node.left
    text, start = where.span.file.text, where.operand.span.start
    counted = _COUNTED.search(text[:start])
    if counted is not None and isinstance(node, n.Binary) and node.operator in _SIGNS:
        diagnostics = scope.declared.diagnostics
        before = len(diagnostics)
        sides = check(node.left, scope).type, check(node.right, scope).type
        del diagnostics[before:]
        if sides[0].kind == "bool" and sides[1].kind == "int":
            whole = Span(where.span.file, counted.start(), node.left.span.end)
            meant = f"({one_line(whole.text)})"
            fix = Fix(whole, meant, safe=True)
            help_line = "put what is counted in brackets: `{meant} {operator} {right}`"
            message = "`where` reaches as far to the right as it can, this belongs to its condition"
            return scope.declared.report(
                "PW301", message, node.span, help_line, fix, meant=meant, operator=node.operator, right=one_line(node.right.span.text),
            )  # fmt: skip
    return check_condition(where.condition, scope)


@checks(n.Where)
def _where(node: n.Where, scope: Scope) -> Expr:
    return _through(node, None, False, scope).collected(node.span)


def count_of(value: Expr, span: Span | None) -> Expr:
    """The number of elements in a collection."""
    of = value.cells if isinstance(value, ir.TopsAt) else value
    if isinstance(of, ir.Where):
        return ir.CountWhere(of.slot, of.domain, of.body, span=span)
    return ir.Count(of, span=span)


# ---- with a variable


@checks(n.OverDomain)
def _over_domain(node: n.OverDomain, scope: Scope) -> Expr:
    through = _through(node.domain, node.variable, node.other, scope)
    body = check_condition(node.body, through.scope)
    return through.counted(KINDS[node.quantifier.kind], node.quantifier.number, body, node.span)


def comprehension(node: n.Unary, inside: n.Comprehension, scope: Scope) -> Expr:
    through = _through(inside.domain, inside.variable, inside.other, scope)
    if node.operator == "count":
        return through.counted("count", 0, check_condition(inside.body, through.scope), node.span)
    return through.summed(expect_number(check(inside.body, through.scope), through.scope), node.span)


@checks(n.Comprehension)
@checks(n.Placements)
def _loose_comprehension(node: n.Node, scope: Scope) -> Expr:
    return scope.declared.report("PW301", "this stands only after `count` or `sum`", node.span)


@checks(n.Pick)
def _pick(node: n.Pick, scope: Scope) -> Expr:
    through = _through(node.domain, node.variable, node.other, scope)
    body = check_condition(node.body, through.scope)
    if through.element.is_collection:
        return scope.declared.report("PW301", "{element} cannot be picked", node.domain.span, element=through.element)
    return through.picked(node.which, body, node.span)
