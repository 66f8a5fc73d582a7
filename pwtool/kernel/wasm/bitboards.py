"""The tops of the cells of a grid that does not float, as bits that are kept up to date: for each value of an attribute
(and for an empty cell) one bit per cell, row by row.
"""

from __future__ import annotations

from dataclasses import dataclass

from pwtool.kernel.layout import NONE, GridPlace, Layout

LONG = 8
MOST_LONGS = 7
"""Nothing is kept for larger grids."""
MOST_VALUES = 8
MOST_FACES = 16
Attribute = tuple[str, str] | None
"""The component and the name of an attribute, no name for the face itself; None: whether the cell is occupied."""


def longs_of(size: int) -> int:
    """How many 64-bit words are needed for one bit per cell."""
    return (size + 63) // 64


@dataclass(frozen=True, slots=True)
class BitBoard:
    """The address of the bits of each value, and for each face (nothing first) those of its value."""

    bits: dict[int, int]
    of_face: tuple[int, ...]


class BitBoards:
    """The bits kept for the grids of a kernel under construction."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.begun: list[tuple[int, bytes]] = []
        """The memory contents required when a game begins."""
        self._kept: dict[tuple[int, Attribute], BitBoard | None] = {}
        self._piled: dict[int, int] = {}

    def of(self, zone: int, attribute: Attribute) -> BitBoard | None:
        """The bits kept for a grid; None if that would be too much."""
        key = zone, attribute
        if key not in self._kept:
            self._kept[key] = self._begin(zone, attribute)
        return self._kept[key]

    def faces(self, zone: int) -> BitBoard | None:
        """The bits kept for each face on top of a grid; None if that would be too much."""
        return self.of(zone, (self.layout.zones[zone].zone.element.component, ""))

    def piled(self, zone: int) -> int:
        """The address of the bits of the cells on which several things lie."""
        if zone not in self._piled:
            place = self.layout.zones[zone]
            size = longs_of(place.zone.width * place.zone.height) * LONG
            self._piled[zone] = self.layout.reserve(size)
            self.begun.append((self._piled[zone], bytes(size)))
        return self._piled[zone]

    def is_piled(self, zone: int) -> int | None:
        """The same, if it is kept."""
        return self._piled.get(zone)

    def _begin(self, number: int, attribute: Attribute) -> BitBoard | None:
        place = self.layout.zones[number]
        if not isinstance(place, GridPlace) or place.zone.floating or place.zone.dimensions:
            return None
        if place.zone.element.kind != "face":
            return None
        component = self.layout.ruleset.components[place.zone.element.component]
        if attribute is not None and attribute[0] != component.name:
            return None
        faces, most = [0] * len(component.codes), MOST_VALUES
        if attribute is not None and not attribute[1]:
            faces, most = list(range(len(component.codes))), 1 + MOST_FACES
        elif attribute is not None:
            faces = [self.layout.atom(value) for value in component.attributes[attribute[1]].table]
        size = place.slots
        values = list(dict.fromkeys([NONE, *faces]))
        if longs_of(size) > MOST_LONGS or len(values) > most:
            return None
        bits = {value: self.layout.reserve(longs_of(size) * LONG) for value in values}
        for value, at in bits.items():
            all_cells = (1 << size) - 1 if value == NONE else 0
            self.begun.append((at, all_cells.to_bytes(longs_of(size) * LONG, "little")))
        return BitBoard(bits, tuple(bits[value] for value in (NONE, *faces)))

    def all_of(self, zone: int) -> list[BitBoard]:
        """All bits kept for a grid."""
        return [kept for (of, _), kept in self._kept.items() if of == zone and kept is not None]


__all__ = ["LONG", "MOST_LONGS", "Attribute", "BitBoard", "BitBoards", "longs_of"]
