"""Symbolic values of expressions: comparing them, choosing between them, reading attributes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pwtool.boards.circuit import FALSE, TRUE
from pwtool.boards.encoding import Encoding, Spot
from pwtool.boards.numbers import Arithmetic, Number
from pwtool.boards.symbols import Board, Card, Choice, Items, Maybe, PileOf, Unsupported, Value
from pwtool.text.speech import Told


class Values:
    """Operations that depend only on the kinds of values, not on the operation that uses them."""

    numbers: Arithmetic

    def __init__(self, encoding: Encoding) -> None:
        self.encoding, self.circuit = encoding, encoding.circuit
        self._attributes: dict[tuple[tuple[tuple[int, Spot | int], ...], str], Value] = {}

    # ---- making

    def constant(self, value: Any) -> Value:
        """A value that the ruleset itself names."""
        if value is None:
            return Maybe(FALSE, None)
        if isinstance(value, bool):
            return TRUE if value else FALSE
        return Number.constant(value) if isinstance(value, int) else Choice({value: TRUE})

    def maybe(self, there: int, value: Value) -> Value:
        """A value that exists under a condition."""
        if isinstance(value, Maybe):
            return Maybe(self.circuit.and_(there, value.there), value.value)
        return value if there == TRUE else Maybe(there, value)

    # ---- kinds

    def boolean(self, value: Value) -> int:
        if not isinstance(value, int):
            raise Unsupported(Told("a condition that may be absent cannot be proven"))
        return value

    def number(self, value: Value) -> Number:
        if isinstance(value, Number):
            return value
        raise Unsupported(Told("it computes with a value that may be absent"))

    def items(self, value: Value) -> Sequence[tuple[int, Value]]:
        """The elements of a collection: the cards of a pile from bottom to top, the piles of the grid."""
        if isinstance(value, Items):
            return value.items
        if isinstance(value, PileOf):
            levels = reversed(range(self.encoding.tallest))
            return [(self.encoding.there(value.cell, n), Card(((TRUE, Spot(value.cell, n)),))) for n in levels]
        if isinstance(value, Board):
            return [(self.filled_at(pile), pile) for pile in self.all_piles()]
        raise Unsupported(Told("it loops over something that is not a collection"))

    def certain(self, value: Value) -> list[Value]:
        """The elements of a collection that is the same on every board."""
        items = self.items(value)
        if any(g != TRUE for g, _ in items):
            raise Unsupported(Told("it counts places in a collection that changes"))
        return [item for _, item in items]

    # ---- the grid

    def all_piles(self) -> list[PileOf]:
        return [PileOf(cell) for cell in range(self.encoding.cells)]

    def filled_at(self, pile: PileOf) -> int:
        return self.encoding.there(pile.cell)

    def not_empty(self, value: Value) -> int:
        """Whether the cell is filled."""
        if isinstance(value, PileOf):
            return self.filled_at(value)
        return self.circuit.any_of(g for g, _ in self.items(value))

    def top_of(self, pile: Value) -> Card:
        """The visible card of a cell. Undefined if there is none."""
        if not isinstance(pile, PileOf):
            raise Unsupported(Told("it reads the top of something that is not a pile of the grid"))
        return Card(((TRUE, Spot(pile.cell, 0)),))

    # ---- attributes

    def has(self, card: Value, name: str, value: Any) -> int:
        """Whether a card has this value."""
        assert isinstance(card, Card)
        found = []
        for g, of in card.options:
            if isinstance(of, Spot):
                found.append(self.circuit.and_(g, self.encoding.is_value(of, name, value)))
            elif self.encoding.component.attributes[name].table[of] == value:
                found.append(g)
        return self.circuit.any_of(found)

    def attribute(self, card: Value, name: str) -> Value:
        """An attribute of a card, cached because it is read again and again."""
        assert isinstance(card, Card)
        key = card.options, name
        found = self._attributes.get(key)
        if found is None:
            found = self._attributes[key] = self.read(card, name)
        return found

    def read(self, card: Card, name: str) -> Value:
        """An attribute of a card, computed."""
        model = self.encoding.component.attributes[name]
        if model.type.kind == "bool":
            return self.has(card, name, True)
        spot = card.options[0][1] if len(card.options) == 1 else None
        if model.type.kind == "int":
            if isinstance(spot, Spot):
                return self.encoding.number(spot, name)
            return Number.of_cases(self.circuit, {v: self.has(card, name, v) for v in self.encoding.values(name)})
        bits = self.encoding.bits(spot, name) if isinstance(spot, Spot) and model.in_code else None
        return Choice({v: self.has(card, name, v) for v in self.encoding.values(name)}, bits, name)

    def alike(self, a: Value, b: Value, name: str) -> int:
        """Whether two cards agree in an attribute."""
        return self.equal(self.attribute(a, name), self.attribute(b, name))

    # ---- comparing and choosing

    def equal(self, a: Value, b: Value) -> int:
        """Whether two values are equal; `none` equals nothing but itself."""
        circuit = self.circuit
        if isinstance(a, Maybe) or isinstance(b, Maybe):
            there = [v.there if isinstance(v, Maybe) else TRUE for v in (a, b)]
            inner = [v.value if isinstance(v, Maybe) else v for v in (a, b)]
            neither = circuit.not_(circuit.or_(*there))
            if inner[0] is None or inner[1] is None:
                return neither
            return circuit.or_(neither, circuit.all_of([*there, self.equal(inner[0], inner[1])]))
        if isinstance(a, int) and isinstance(b, int):
            return circuit.not_(circuit.xor(a, b))
        if isinstance(a, Number) and isinstance(b, Number):
            return self.numbers.equal(a, b)
        if isinstance(a, Card) and isinstance(b, Card):
            return self._same_face(a, b)
        if isinstance(a, Choice) and isinstance(b, Choice):
            if a.bits is not None and b.bits is not None and a.of == b.of:
                return circuit.equal(a.bits, b.bits)
            return circuit.any_of(circuit.and_(g, b.cases[v]) for v, g in a.cases.items() if v in b.cases)
        # Two kinds that never agree: a colour and a number compared through a definition.
        return FALSE

    def _same_face(self, a: Card, b: Card) -> int:
        names = [m.name for m in self.encoding.component.attributes.values() if m.in_code]
        return self.circuit.all_of(self.alike(a, b, name) for name in names)

    def chosen(self, when: int, then: Value, otherwise: Value) -> Value:
        """`then` where the condition holds, else `otherwise`."""
        circuit = self.circuit
        if when == TRUE or then is otherwise:
            return then
        if when == FALSE:
            return otherwise
        if isinstance(then, Maybe) or isinstance(otherwise, Maybe):
            there = [v.there if isinstance(v, Maybe) else TRUE for v in (then, otherwise)]
            inner = [v.value if isinstance(v, Maybe) else v for v in (then, otherwise)]
            known = [v for v in inner if v is not None]
            both = known[0] if len(known) == 1 else self.chosen(when, known[0], known[1]) if known else None
            return Maybe(circuit.mux(when, there[0], there[1]), both)
        if isinstance(then, int) and isinstance(otherwise, int):
            return circuit.mux(when, then, otherwise)
        if isinstance(then, Number) and isinstance(otherwise, Number):
            return self.numbers.chosen(when, then, otherwise)
        rest = circuit.not_(when)
        if isinstance(then, Card) and isinstance(otherwise, Card):
            options = [(circuit.and_(when, g), c) for g, c in then.options]
            options += [(circuit.and_(rest, g), c) for g, c in otherwise.options]
            return Card(tuple(options))
        if isinstance(then, Choice) and isinstance(otherwise, Choice):
            cases: dict[Any, int] = {}
            for guard, choice in ((when, then), (rest, otherwise)):
                for v, g in choice.cases.items():
                    cases[v] = circuit.or_(cases.get(v, FALSE), circuit.and_(guard, g))
            return Choice(cases)
        items = [(circuit.and_(when, g), v) for g, v in self.items(then)]
        return Items((*items, *((circuit.and_(rest, g), v) for g, v in self.items(otherwise))))

    def first(self, items: Sequence[tuple[int, Value]]) -> Value:
        """The first element that exists, `none` if there is none."""
        value: Value = Maybe(FALSE, None)
        for g, item in reversed(items):
            value = self.chosen(g, item, value)
        return value

    def lifted(self, value: Value, function: Callable[[Value], Value]) -> Value:
        """A function lifted to values that may be `none`, for which the result is `none`."""
        if not isinstance(value, Maybe):
            return function(value)
        return value if value.value is None else self.maybe(value.there, function(value.value))
