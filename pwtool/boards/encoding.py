"""Boards as bits: for every cell, and every card of its pile from the top down, whether the card exists and the bits of its
attributes.

Level 0 is the visible card, level 1 the one below it, and so on: a card on level `n` means that the pile is higher than
`n`. Without a card all bits are 0. Only what an objective reads becomes an input.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from msgspec import Struct

from pwtool.boards.circuit import FALSE, TRUE, Circuit
from pwtool.boards.numbers import Number
from pwtool.ir.model import AttributeModel, ComponentModel, ZoneModel

Pile = Sequence[int]


class Bits(Struct, frozen=True):
    """An attribute as bits: how many, and the number that stands for each of its values."""

    width: int
    numbers: dict[Any, int]


class Spot(Struct, frozen=True):
    """A place where a card can lie: a cell and a level."""

    cell: int
    level: int


class Encoding:
    """The inputs of the circuits about one grid, created when first needed.

    `tallest` is the greatest height that a pile may have.
    """

    def __init__(self, circuit: Circuit, component: ComponentModel, board: ZoneModel, tallest: int) -> None:
        self.circuit, self.component, self.board, self.tallest = circuit, component, board, tallest
        self.cells = board.width * board.height
        self._inputs: dict[Hashable, int] = {}
        self._known: dict[tuple[Spot, str, Any], int] = {}
        self._numbers: dict[tuple[Spot, str], Number] = {}
        self._bits = {a.name: _bits(a) for a in component.attributes.values() if a.in_code}
        # Created first: the circuit keeps sets of them as masks, which are short for small numbers.
        self._there = [circuit.input(("there", cell, 0), (), presence=True) for cell in range(self.cells)]

    # ---- inputs

    def there(self, cell: int, level: int = 0) -> int:
        """Whether a card lies at this spot."""
        if level >= self.tallest:
            return FALSE
        if level == 0:
            return self._there[cell]
        key = ("there", cell, level)
        found = self._inputs.get(key)
        if found is None:
            above = self.there(cell, level - 1)
            found = self._inputs[key] = self.circuit.input(key, (above,), presence=True)
        return found

    def _bit(self, spot: Spot, attribute: str, at: int) -> int:
        key = (attribute, spot.cell, spot.level, at)
        found = self._inputs.get(key)
        if found is None:
            there = self.there(spot.cell, spot.level)
            found = self._inputs[key] = self.circuit.input(key, (there,))
        return found

    def bits(self, spot: Spot, attribute: str) -> tuple[int, ...]:
        """The bits of an attribute of the card at this spot."""
        return tuple(self._bit(spot, attribute, at) for at in range(self._bits[attribute].width))

    def is_value(self, spot: Spot, attribute: str, value: Any) -> int:
        """Whether the card at this spot has this value. Undefined if no card lies there."""
        key = (spot, attribute, value)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._is_value(spot, attribute, value)
        return found

    def _is_value(self, spot: Spot, attribute: str, value: Any) -> int:
        model = self.component.attributes[attribute]
        if not model.in_code:
            return self.circuit.any_of(self._cases(spot, model).get(value, ()))
        coded = self._bits[attribute]
        number = coded.numbers.get(value)
        if number is None:
            return FALSE
        if len(coded.numbers) == 1:
            return TRUE
        bits = self.bits(spot, attribute)
        return self.circuit.all_of(
            bits[at] if number >> at & 1 else self.circuit.not_(bits[at]) for at in _telling(number, coded)
        )

    def _cases(self, spot: Spot, model: AttributeModel) -> dict[Any, list[int]]:
        """For an attribute that is derived from another one: each value with the conditions under which it occurs."""
        key = self.key_of(model)
        pairs = dict.fromkeys(zip(self.component.attributes[key].table, model.table, strict=True))
        cases: dict[Any, list[int]] = {}
        for of, value in pairs:
            cases.setdefault(value, []).append(self.is_value(spot, key, of))
        return cases

    def key_of(self, model: AttributeModel) -> str:
        """The attribute from which this one is derived."""
        for other in self.component.attributes.values():
            pairs = set(zip(other.table, model.table, strict=True))
            if other.in_code and len(pairs) == len(set(other.table)):
                return other.name
        raise ValueError(model.name)

    def values(self, attribute: str) -> list[Any]:
        """All values of an attribute."""
        return list(dict.fromkeys(self.component.attributes[attribute].table))

    def number(self, spot: Spot, attribute: str) -> Number:
        """A numeric attribute of the card at this spot."""
        found = self._numbers.get((spot, attribute))
        if found is None:
            found = self._numbers[spot, attribute] = self._number(spot, attribute)
        return found

    def _number(self, spot: Spot, attribute: str) -> Number:
        model = self.component.attributes[attribute]
        cases = {value: self.is_value(spot, attribute, value) for value in self.values(attribute)}
        coded = self._bits.get(attribute)
        if coded is None:
            return Number.of_cases(self.circuit, cases)
        value, code = next(iter(coded.numbers.items()))
        low = value - code
        return Number(low, max(model.table), self.bits(spot, attribute), cases)

    # ---- boards into bits

    def planes(self, columns: Sequence[Sequence[Pile]], nodes: Iterable[int]) -> dict[int, int]:
        """Many boards, one bit per board: for each of these inputs the bits of all boards.

        `columns[cell]` are the piles on that cell, board by board, bottom to top.
        """
        wanted = []
        for node in nodes:
            key = self.circuit.keys[node]
            assert isinstance(key, tuple)
            wanted.append((node, key))
        planes = {}
        for node, key in wanted:
            column = columns[key[1]]
            # Python parses a binary number faster than bits can be set one by one.
            digits = "".join(["1" if self.has(key, pile) else "0" for pile in reversed(column)])
            planes[node] = int(digits, 2) if digits else 0
        return planes

    def has(self, key: Hashable, pile: Pile) -> bool:
        """The value of an input for a pile."""
        assert isinstance(key, tuple)
        level = key[2]
        if level >= len(pile):
            return False
        if key[0] == "there":
            return True
        value = self.component.attributes[key[0]].table[pile[-1 - level]]
        return bool(self._bits[key[0]].numbers[value] >> key[3] & 1)

    def levels(self, nodes: Iterable[int]) -> int:
        """How many levels of the piles these inputs cover."""
        return max((self.circuit.keys[node][2] + 1 for node in nodes), default=1)  # type: ignore[index]


def _bits(model: AttributeModel) -> Bits:
    """The numbers for an attribute's values. 0 is kept free if that costs no extra bit: it means that there is no card."""
    values = list(dict.fromkeys(model.table))
    if model.type.kind == "bool":
        return Bits(1, {False: 0, True: 1})
    low, high = 0, len(values) - 1
    if model.type.kind == "int":
        low, high = min(values), max(values)
        if low > 0 and high.bit_length() == (high - low).bit_length():
            return Bits(high.bit_length(), {v: v for v in values})
    first = 1 if model.type.kind != "int" and (high + 1).bit_length() == high.bit_length() else 0
    numbers = {v: (v - low if model.type.kind == "int" else at) + first for at, v in enumerate(values)}
    return Bits(max(numbers.values()).bit_length(), numbers)


def _telling(number: int, coded: Bits) -> list[int]:
    """The fewest bits (chosen greedily) that distinguish a number from all others of its attribute, and from a missing card if
    that costs nothing more.
    """
    others = set(coded.numbers.values()) - {number}
    if number:
        others.add(0)
    kept = list(range(coded.width))
    for at in reversed(range(coded.width)):
        fewer = [k for k in kept if k != at]
        if all(any((number ^ other) >> k & 1 for k in fewer) for other in others):
            kept = fewer
    return kept
