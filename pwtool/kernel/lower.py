"""From checked expressions to the form that the back ends run: one case for each operation of the language.

Attributes, kinds of quantifiers, optional values and nested collections are expressed here in the few operations of
`form.py`; nothing downstream looks at a checked expression again.
"""

from __future__ import annotations

from typing import Any, assert_never

from pwtool.ir import nodes as ir
from pwtool.ir.types import Type
from pwtool.kernel import form as f
from pwtool.kernel.form import Form
from pwtool.kernel.locals import replaced


def lower(x: ir.Expr) -> Form:
    """The form of an expression; its locals keep their slots. A condition that may be nothing is then false."""
    made = lower_value(x)
    return f.Else(made, f.FALSE) if x.type.kind == "bool" and x.type.optional else made


def lower_value(x: ir.Expr) -> Form:
    """The form of a named value: a condition that may be nothing stays nothing."""
    match x:
        case ir.Const():
            if isinstance(x.value, tuple) and x.type.element is not None:
                return f.Values(tuple(_constant(value, x.type.element) for value in x.value))
            return _constant(x.value, x.type)
        case ir.Local():
            return f.Local(x.slot)
        case ir.Variable():
            return f.Variable(x.number)
        case ir.Actor():
            return f.Actor()
        case ir.Players():
            return f.Seats()
        case ir.Goals():
            return f.GoalsInPlay()
        case ir.Total():
            return f.Total()
        case ir.Let():
            return _let(x.slot, lower_value(x.value), lower_value(x.body))
        case ir.ZoneIndex():
            return f.ZoneIndex(x.zone, _all(x.indices))
        case ir.Zone():
            return f.Pile(x.zone, _all(x.indices))
        case ir.Family():
            return f.Piles(x.zone, x.open, _all(x.indices))
        case ir.PileAt():
            return f.PileAt(lower(x.grid), lower(x.cell))
        case ir.Piles():
            return f.Used(lower(x.grid))
        case ir.PilesByCell():
            return f.Board(lower(x.grid), x.width, x.height, x.floating)
        case ir.Filled():
            return f.Each(_sequence(x.piles), "pile")
        case ir.Flat():
            return f.Each(_sequence(x.piles), "all")
        case ir.Buried():
            return f.Each(_sequence(x.piles), "covered")
        case ir.Tops():
            return f.Each(_sequence(x.piles), "top")
        case ir.Top():
            return f.Top(lower(x.pile))
        case ir.TopAt():
            return f.TopAt(_sequence(x.piles), lower(x.at), x.type.optional)
        case ir.HeightAt():
            return f.HeightAt(_sequence(x.piles), lower(x.at), x.type.optional)
        case ir.TopsAt():
            return f.TopsAt(_sequence(x.piles), _sequence(x.cells))
        case ir.Attribute():
            return f.Attribute(lower(x.of), x.component, x.name, x.of.type.optional)
        case ir.Coordinate():
            return f.Coordinate(lower(x.cell), x.axis, x.cell.type.optional)
        case ir.PlayerAfter():
            return f.Next(lower(x.player), x.player.type.optional)
        case ir.EachAt():
            return f.Element(lower(x.values), lower(x.player))
        case ir.Item():
            return f.Element(lower(x.items), f.Const(x.at))
        case ir.Items():
            items = lower(x.items)
            return f.Values(tuple(f.Element(items, f.Const(at)) for at in x.at))
        case ir.Table():
            return f.Lookup(lower(x.operand), x.rows, x.otherwise)
        case ir.Count():
            return f.Count(-1, _sequence(x.of), None)
        case ir.Empty():
            return f.Not(f.Any_(-1, _sequence(x.of), None))
        case ir.Sum():
            return f.Sum(-1, _sequence(x.of), None)
        case ir.SumAttribute():
            return f.Sum(-1, _attributes(x), None)
        case ir.CountDistinct():
            return f.Different(_attributes(x))
        case ir.Extreme():
            return f.Extreme(x.which, _attributes(x))
        case ir.Same():
            return f.Alike("same", _attributes(x))
        case ir.Distinct():
            return f.Alike("distinct", _attributes(x))
        case ir.Ascending():
            return f.Alike("ascending", _attributes(x))
        case ir.Reads():
            of = lower(x.of)
            read: Form = f.TRUE
            for at, value in enumerate(x.values):
                one = f.Equal(
                    f.Attribute(f.Element(of, f.Const(at)), x.component, x.name, optional=False), f.Const(value)
                )
                read = one if at == 0 else f.And(read, one)
            return read
        case ir.Append():
            return f.Chain(_sequence(x.left), f.Values((lower(x.right),)))
        case ir.Concat():
            return f.Chain(_sequence(x.left), _sequence(x.right))
        case ir.Without():
            return f.Minus(_sequence(x.left), _sequence(x.right))
        case ir.In():
            return f.Contains(_sequence(x.items), lower(x.item))
        case ir.Neighbours():
            return f.Near(lower(x.cell), x.on, x.diagonally)
        case ir.Direction():
            return f.Direction(lower(x.column), lower(x.row))
        case ir.Steps():
            optional = x.left.type.optional or x.right.type.optional
            return f.Steps(x.sign, lower(x.left), lower(x.right), optional)
        case ir.Moved():
            return f.Moved(lower(x.cell), lower(x.step), x.on)
        case ir.Ray():
            return f.Ray(lower(x.cell), lower(x.step), x.on)
        case ir.Between():
            return f.Between(lower(x.left), lower(x.right), x.on)
        case ir.CellAt():
            return f.CellAt(lower(x.column), lower(x.row), x.on)
        case ir.Beside():
            return f.Beside(lower(x.of), x.cells, x.beside)
        case ir.Connected():
            return f.Connected(lower(x.grid))
        case ir.Fits():
            return f.Fits(lower(x.grid), None if x.cell is None else lower(x.cell), x.width, x.height)
        case ir.Repeats():
            return f.Repeats(x.number)
        case ir.GroupSize():
            return f.Group(_sequence(x.piles), x.which, x.component, x.name, x.width)
        case ir.Holds():
            return f.Equal(f.TokenIndex(x.token), f.Actor())
        case ir.TokenOn():
            here = f.Equal(f.TokenIndex(x.token), lower(x.index))
            return f.And(here, f.Equal(f.TokenCell(x.token), lower(x.cell)))
        case ir.TokenPlace():
            return f.If(f.Equal(f.TokenIndex(x.token), f.Actor()), f.TokenCell(x.token), f.NOTHING)
        case ir.Can():
            return f.Can(x.action, None if x.player is None else lower(x.player))
        case ir.After():
            return f.After(x.action, lower(x.body))
        case ir.Fulfils():
            return f.Fulfils(lower(x.grid), lower(x.goal))
        case ir.And():
            return f.And(lower(x.left), lower(x.right))
        case ir.Or():
            return f.Or(lower(x.left), lower(x.right))
        case ir.Not():
            return _negated(lower(x.operand))
        case ir.If():
            return f.If(lower(x.condition), lower_value(x.then), lower_value(x.otherwise))
        case ir.Else():
            return f.Else(lower_value(x.value), lower_value(x.default) if x.type.optional else lower(x.default))
        case ir.Compare():
            return _compared(x)
        case ir.Arithmetic():
            left, right = lower(x.left), lower(x.right)
            match x.sign:
                case "+":
                    return f.Add(left, right)
                case "-":
                    return f.Subtract(left, right)
                case "*":
                    return f.Multiply(left, right)
        case ir.Negative():
            return f.Subtract(f.Const(0), lower(x.operand))
        case ir.Pick():
            return f.First(x.slot, _sequence(x.domain), lower(x.body), x.which == "last")
        case ir.Where():
            return f.Where(x.slot, _sequence(x.domain), lower(x.body))
        case ir.Around():
            return f.Around(x.slot, lower(x.start), x.cells, x.beside, lower(x.body))
        case ir.CountWhere():
            return f.Count(x.slot, _sequence(x.domain), lower(x.body))
        case ir.SumWhere():
            return f.Sum(x.slot, _sequence(x.domain), lower(x.body))
        case ir.Quantified():
            return _quantified(x.kind, x.number, x.slot, _sequence(x.domain), lower(x.body))
        case ir.Placements():
            places, body = f.Places(x.places, _sequence(x.piles), x.cells), lower(x.body)
            return _separate(x, places, body) if x.separate else _quantified(x.kind, x.number, x.slot, places, body)
        case _:
            assert_never(x)


def _constant(value: Any, type_: Type) -> Form:
    return f.Face(value) if type_.kind == "face" and value is not None else f.Const(value)


def _all(indices: tuple[ir.Expr, ...]) -> tuple[Form, ...]:
    return tuple(map(lower, indices))


def _sequence(x: ir.Expr) -> Form:
    """The elements of a collection; for a grid, its piles."""
    match x:
        case ir.Let():
            return _let(x.slot, lower_value(x.value), _sequence(x.body))
        case ir.If():
            return f.If(lower(x.condition), _sequence(x.then), _sequence(x.otherwise))
    made = lower(x)
    if isinstance(made, f.Pile | f.PileAt | f.Local | f.Variable):
        return f.Used(made) if x.type.kind == "grid" else f.Held(made)
    return made


def _attributes(x: ir.SumAttribute | ir.CountDistinct | ir.Extreme | ir.Same | ir.Distinct | ir.Ascending) -> Form:
    return f.Attributes(_sequence(x.of), x.component, x.name)


def _negated(x: Form) -> Form:
    return x.operand if isinstance(x, f.Not) else f.Not(x)


def _compared(x: ir.Compare) -> Form:
    left, right = lower_value(x.left), lower_value(x.right)
    match x.sign:
        case "==":
            return f.Equal(left, right)
        case "!=":
            return f.Not(f.Equal(left, right))
        case "<":
            compared: Form = f.Less(left, right)
        case ">":
            compared = f.Less(right, left)
        case "<=":
            compared = f.Not(f.Less(right, left))
        case ">=":
            compared = f.Not(f.Less(left, right))
    # An absent number is neither greater nor less than another.
    for side, made in ((x.right, right), (x.left, left)):
        if side.type.optional:
            compared = f.And(f.Not(f.Equal(made, f.NOTHING)), compared)
    return compared


def _quantified(kind: ir.Kind, number: int, slot: int, sequence: Form, body: Form) -> Form:
    match kind:
        case "some":
            return f.Any_(slot, sequence, body)
        case "no":
            return f.Not(f.Any_(slot, sequence, body))
        case "every":
            return f.Not(f.Any_(slot, sequence, _negated(body)))
        case "count":
            return f.Count(slot, sequence, body)
        case "least":
            return _at_least(number, slot, sequence, body)
        case "most":
            return _negated(_at_least(number + 1, slot, sequence, body))
        case "exactly":
            fewer = _at_least(number, slot, sequence, body)
            more = _at_least(number + 1, slot, sequence, body)
            return f.And(fewer, _negated(more)) if number else _negated(more)


def _at_least(number: int, slot: int, sequence: Form, body: Form) -> Form:
    if number <= 0:
        return f.TRUE
    return f.Any_(slot, sequence, body) if number == 1 else f.AtLeast(number, slot, sequence, body)


def _separate(x: ir.Placements, places: f.Places, body: Form) -> Form:
    def at_least(number: int) -> Form:
        if number > x.most:
            return f.FALSE
        return _at_least(number, x.slot, places, body) if number < 2 else f.Separate(number, x.slot, places, body)

    match x.kind:
        case "least":
            return at_least(x.number)
        case "most":
            return _negated(at_least(x.number + 1))
        case "exactly":
            return f.And(at_least(x.number), _negated(at_least(x.number + 1)))
    found: Form = f.Const(x.most)
    for number in range(x.most, 0, -1):
        found = f.If(at_least(number), found, f.Const(number - 1))
    return found


def _let(slot: int, value: Form, body: Form) -> Form:
    """A body with a local bound to a value; a value that is another local, the actor or a constant is substituted instead."""
    return replaced(body, slot, value) if isinstance(value, f.Local | f.Const | f.Actor) else f.Let(slot, value, body)
