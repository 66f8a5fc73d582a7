"""Variables that are divided by the values of an attribute or by numbers: `var left: 0..9 = 9 per color per game`.

Each value has a plain variable of its own (`left_red`), so that whatever reads a ruleset knows them already. An index
that is known names one of them; of any other index it is asked which value it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import product
from math import prod
from typing import Any

from msgspec.structs import replace

from pwtool.ir import nodes as ir
from pwtool.ir import types as t
from pwtool.ir.model import EffectModel, VariableModel
from pwtool.ir.nodes import Expr
from pwtool.ir.types import ERROR, Type
from pwtool.lang import tree as n
from pwtool.rules.check.dispatch import check, value_beside
from pwtool.rules.check.scope import Declared, Divided, Division, Scope
from pwtool.text.source import Span
from pwtool.text.speech import Told

MAX_PARTS = 64
"""The most variables that one declaration stands for, and places of a zone that is divided by an attribute."""


def divisions_of(node: n.Var, declared: Declared) -> tuple[Division, ...] | None:
    """What a variable is divided by beside the players; None if this has an error, which is reported."""
    words = ["round" if declared.rounds else "turn", "game", "player"]
    found = [division_of(word, words, declared) for word in node.over]
    known = tuple(division for division in found if division is not None)
    if len(known) < len(found):
        return None
    return None if too_many(known, node, declared) else known


def too_many(divisions: Sequence[Division], node: n.Var | n.Zone, declared: Declared) -> bool:
    """Whether something would be divided into too many parts; a finding if so."""
    if prod(len(division.values) for division in divisions) <= MAX_PARTS:
        return False
    message = "`{name}` would have more than {most} values"
    help_line = "things on the cells of a grid, or in a zone, can be more"
    declared.report("PW306", message, node.span, help_line, name=node.name.name, most=MAX_PARTS)
    return True


def division_of(
    word: n.Name | n.Range, words: Sequence[str], declared: Declared, component: str | None = None
) -> Division | None:
    """What a variable or a zone is divided by; None with a finding for anything but numbers, an attribute or `words`.

    Of attributes with the same name, that of the `component` that lies in a zone is meant, or else the first.
    """
    if isinstance(word, n.Range):
        if word.low > word.high:
            declared.report("PW306", "the range is empty", word.span)
            return None
        told = Told("a number from {low} to {high}", low=str(word.low), high=str(word.high))
        return _numbers(told, word.low, word.high)
    attributes = [
        a for c in declared.components.values() for a in c.attributes.values() if a.type.kind in ("member", "int")
    ]
    own = declared.components[component].attributes.get(word.name) if component else None
    attribute = own if own in attributes else next((a for a in attributes if a.name == word.name), None)
    if attribute is None:
        declared.unknown("division", word, [*words, *(a.name for a in attributes)])
        return None
    if attribute.type.kind == "int":
        return _numbers(word.name, attribute.type.low, attribute.type.high)
    return Division(word.name, attribute.type, tuple(dict.fromkeys(attribute.table)))


def _numbers(told: Told | str, low: int, high: int) -> Division:
    return Division(told, t.number(low, high), tuple(range(low, min(high, low + MAX_PARTS) + 1)))


def divide(whole: VariableModel, node: n.Var, divisions: tuple[Division, ...], declared: Declared) -> None:
    """Declare the variables that stand for the values of a divided one."""
    parts = {}
    for values in product(*(division.values for division in divisions)):
        name = "_".join([whole.name, *(str(value).replace("-", "m") for value in values)])
        if name in declared.variables:
            message = "`{name}` stands for `{part}`, which is another variable"
            declared.report("PW202", message, node.name.span, name=whole.name, part=name)
            return
        parts[values] = declared.variables[name] = replace(whole, name=name, number=len(declared.variables))
    declared.divided[whole.name] = Divided(whole.name, divisions, parts, whole.each)


def read_part(node: n.Index, divided: Divided, scope: Scope) -> Expr:
    """`left[c]`, `left[q, c]`: the value of a part."""
    indices = _indices(node, divided, scope)
    if indices is None:
        return ir.Const(ERROR, None, span=node.span)
    seat, rest = indices

    def held(variable: VariableModel) -> Expr:
        value = ir.Variable(variable.held, variable.number, span=node.span)
        return value if seat is None else ir.Element(variable.type, value, seat, span=node.span)

    named: list[tuple[int, Expr]] = []
    for at, index in enumerate(rest):
        if not isinstance(index, ir.Const | ir.Local):
            slot = scope.new_slot()
            named.append((slot, index))
            rest[at] = ir.Local(index.type, slot, span=index.span)
    chosen = _choice(divided, rest, (), held, node.span)
    return reduce(lambda body, one: ir.Let(one[0], one[1], body, span=node.span), reversed(named), chosen)


def _choice(
    divided: Divided, indices: list[Expr], before: tuple[Any, ...], held: Callable[[VariableModel], Expr], span: Span
) -> Expr:
    if len(before) == len(indices):
        return held(divided.parts[before])
    index = indices[len(before)]
    possible = _possible(index, divided.divisions[len(before)])
    *others, found = [_choice(divided, indices, (*before, value), held, span) for value in possible]
    for value, one in zip(reversed(possible[:-1]), reversed(others), strict=True):
        found = ir.If(found.type, _is(index, value), one, found, span=span)
    return found


def set_part(
    node: n.Index,
    divided: Divided,
    scope: Scope,
    effect: Callable[[VariableModel, Expr | None, Expr | None], EffectModel],
) -> EffectModel | None:
    """The effect on a part: `effect` makes that on a variable of the game or of a player, with a condition."""
    indices = _indices(node, divided, scope)
    if indices is None:
        return None
    seat, rest = indices
    slots: list[tuple[int, Expr]] = []
    for at, index in enumerate(rest):
        if not isinstance(index, ir.Const):
            # It is found once: what the effect changes may be what the index is made of.
            slot = scope.new_slot()
            slots.append((slot, index))
            rest[at] = ir.Local(index.type, slot, span=index.span)
    effects = []
    for values in product(*(_possible(*one) for one in zip(rest, divided.divisions, strict=True))):
        asked = [_is(i, value) for i, value in zip(rest, values, strict=True) if not isinstance(i, ir.Const)]
        effects.append(effect(divided.parts[values], reduce(ir.And, asked) if asked else None, seat))
    for slot, index in reversed(slots):
        one = ir.Values(t.list_of(index.type), (index,), span=index.span)
        effects = [EffectModel("each", None, slot=slot, value=one, effects=tuple(effects))]
    return effects[0]


def _is(index: Expr, value: Any) -> Expr:
    return ir.Compare("==", index, ir.Const(index.type, value, span=index.span), span=index.span)


def _possible(index: Expr, division: Division) -> tuple[Any, ...]:
    """The values that an index may have."""
    if isinstance(index, ir.Const):
        return (index.value,)
    if index.type.kind == "int":
        return tuple(value for value in division.values if index.type.low <= value <= index.type.high)
    return division.values


def _indices(node: n.Index, divided: Divided, scope: Scope) -> tuple[Expr | None, list[Expr]] | None:
    """The checked indices, the player's apart: None where a variable has no owner."""
    declared = scope.declared
    declared.used.add(("var", divided.name))
    written = [check(index, scope) for index in node.indices]
    first = max(0, len(written) - len(divided.divisions))
    meant = [value_beside(i, d.type, scope) for i, d in zip(written[first:], divided.divisions, strict=False)]
    written[first : first + len(meant)] = meant
    if any(index.type.kind == "error" for index in written):
        return None
    seat: Expr | None = None
    if divided.each and len(written) > len(divided.divisions):
        seat = written.pop(0)
        if seat.type.kind != "player":
            declared.report("PW302", "a player is needed here, this is {type}", seat.span, type=seat.type)
            return None
    elif divided.each and not scope.has_player:
        message = "every player has a `{name}`, and no player is meant here"
        declared.report("PW302", message, node.span, scope.nobody, name=divided.name)
        return None
    elif divided.each:
        seat = ir.Actor(span=node.span)
    if len(written) != len(divided.divisions):
        declared.report(
            "PW302", "`{name}` is indexed by {indices}", node.span, name=divided.name, indices=divided.indices
        )
        return None
    for index, division in zip(written, divided.divisions, strict=True):
        if not fits(index, division, divided.name, divided.indices, declared):
            return None
    if seat is not None and seat.type.optional:
        declared.report("PW301", "this may be no player", seat.span, "an index needs one")
        return None
    return seat, written


def place_of(index: Expr, division: Division) -> Expr:
    """The number, from 1, of a place in a zone that is divided by the values of an attribute."""
    numbers: list[Expr] = [ir.Const(t.number(at, at), at, span=index.span) for at in range(1, len(division.values) + 1)]
    if isinstance(index, ir.Const):
        return numbers[division.values.index(index.value)]
    type_, found = t.number(1, len(numbers)), numbers[-1]
    for value, one in zip(reversed(division.values[:-1]), reversed(numbers[:-1]), strict=True):
        found = ir.If(type_, _is(index, value), one, found, span=index.span)
    return found


def seat_meant(index: Expr, wanted: Type) -> Told | None:
    """A player is no number."""
    if wanted.kind != "player" or not isinstance(index, ir.Const) or index.type.kind != "int":
        return None
    return Told("a player by number is written `seat {number}`", number=str(index.value))


def fits(index: Expr, division: Division, name: str, indices: list[Told | str], declared: Declared) -> bool:
    """Whether an index is one of the values that `name` is divided by; a finding if not."""
    if index.type.kind == "error":
        return False
    if index.type.kind != division.type.kind or t.join(index.type, division.type) is None:
        message, type_ = "`{zone}` is indexed by {dimensions}, this is {type}", t.apart(index.type, division.type)[0]
        declared.report(
            "PW302", message, index.span, seat_meant(index, division.type), zone=name, dimensions=indices, type=type_
        )
        return False
    if index.type.optional:
        declared.report("PW301", "this may have no value", index.span, "an index needs one: `(... else ...)`")
        return False
    low, high, values = index.type.low, index.type.high, division.values
    if index.type.kind == "int" and not (values[0] <= low and high <= values[-1]):
        beyond = Told("there is no {number}", number=str(low))
        if low != high:
            beyond = Told("this goes from {low} to {high}", low=str(low), high=str(high))
        code = "PW302" if isinstance(index, ir.Const) else "PW306"
        message = "there are values for {first} to {last}, {beyond}"
        declared.report(code, message, index.span, first=str(values[0]), last=str(values[-1]), beyond=beyond)
        return False
    return True
