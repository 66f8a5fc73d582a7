"""What the reference interpreter reads from a position: zones, things and their attributes, collections, grids.

A collection may be partly unknown: it then consists of what is certainly in it and what may be.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from pwtool.eval.backend import Backend
from pwtool.eval.geometry import GEOMETRY
from pwtool.eval.history import kept, times_before
from pwtool.eval.kleene import (
    all_of,
    any_of,
    between,
    equal,
    high_of,
    is_unknown,
    less,
    low_of,
    one_of,
    same_face,
    total,
)  # fmt: skip
from pwtool.eval.values import UNKNOWN, UNSEEN, around, by_cell, connected, fits, group_sizes, holds_unseen, without
from pwtool.eval.work import INTERPRETED, Sizes, Work
from pwtool.ir import nodes as ir
from pwtool.ir.model import Ruleset
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import like, operands, same_for_all

_OF_SOME = ir.Where | ir.Around | ir.TopsAt
"""Collections whose contents may be partly unknown."""


@dataclass(slots=True)
class Traced:
    """One evaluated part of a condition."""

    expr: Expr
    value: Any
    ago: tuple[int, ...] = ()
    """Of `repeats`: how many turns before this one the same came about, each time that it certainly did."""


class Unknowable(Exception):
    """Something lies in a place that cannot be known. Never leaves the interpreter: whatever depends on it is UNKNOWN."""


class PositionReader(Backend):
    """Reads positions; the other operations are defined in `interpreter.py`."""

    three_valued = True

    def __init__(self, ruleset: Ruleset, work: Work | None = None) -> None:
        self.ruleset = ruleset
        self.work = work or Work()
        self.trace: list[Traced] | None = None
        self.reads: set[tuple[Any, ...]] | None = None
        self.sizes = Sizes()
        self.found: dict[Any, tuple[Any, dict[Any, Any]]] | None = None
        """The groups that are found once in an evaluation, by the position and the condition, each with the position."""
        self._wanted: dict[int, tuple[ir.Around, object]] = {}
        self._numbered = [any(d == "number" for d, _ in z.dimensions) for z in ruleset.zones.values()]

    @abstractmethod
    def evaluate(self, expr: Expr, s: Any, e: list[Any]) -> Any:
        """The value of an expression in a position with these locals."""

    # ---- reads, to tell root causes from follow-up errors

    def _note(self, *key: Any) -> None:
        if self.reads is not None:
            self.reads.add(key)

    # ---- zones

    def _index(self, zone: int, args: Iterable[Expr], s: Any, e: list[Any]) -> int:
        at = -1 if self._numbered[zone] else 0
        for stride, arg in zip(s.strides[zone], args, strict=False):
            at += stride * self._known(arg, s, e)
        return at

    def _known(self, x: Expr, s: Any, e: list[Any]) -> Any:
        """The value of an expression that says where something lies."""
        value = self.evaluate(x, s, e)
        if is_unknown(value):
            raise Unknowable
        return value

    def _zone_index(self, x: ir.ZoneIndex, s: Any, e: list[Any]) -> Any:
        return self._index(x.zone, x.indices, s, e)

    def _zone(self, x: ir.Zone, s: Any, e: list[Any]) -> Any:
        at = self._index(x.zone, x.indices, s, e)
        if x.type.kind != "grid":
            self._note("zone", x.zone, at)
        return s.zones[x.zone][at]

    def _family(self, x: ir.Family, s: Any, e: list[Any]) -> Any:
        zone, strides = x.zone, s.strides[x.zone]
        start = sum(stride * self._known(arg, s, e) for stride, arg in zip(strides, x.indices, strict=False))
        size = strides[-x.open - 1] if x.indices else len(s.zones[zone])
        for at in range(start, start + size):
            self._note("zone", zone, at)
        return s.zones[zone][start : start + size]

    def _pile_at(self, x: ir.PileAt, s: Any, e: list[Any]) -> Any:
        grid, cell = self.evaluate(x.grid, s, e), self._known(x.cell, s, e)
        if isinstance(x.grid, ir.Zone):
            self._note("cell", x.grid.zone, self._index(x.grid.zone, x.grid.indices, s, e), cell)
        return grid.get(cell, [])

    def _whole_grid(self, x: Expr, s: Any, e: list[Any]) -> Any:
        value = self.evaluate(x, s, e)
        if isinstance(x, ir.Zone):
            self._note("zone", x.zone, self._index(x.zone, x.indices, s, e))
        return value

    def _piles(self, x: ir.Piles, s: Any, e: list[Any]) -> Any:
        return list(self._whole_grid(x.grid, s, e).values())

    def _piles_by_cell(self, x: ir.PilesByCell, s: Any, e: list[Any]) -> Any:
        return by_cell(self._whole_grid(x.grid, s, e), x.width, x.height, x.floating)

    def _each(self, x: ir.Each, s: Any, e: list[Any]) -> Any:
        value = self._whole_grid(x.piles, s, e)
        piles = [pile for pile in (value.values() if isinstance(value, dict) else value) if pile]
        match x.part:
            case "pile":
                return piles
            case "top":
                return [pile[-1] for pile in piles]
            case "all":
                return [thing for pile in piles for thing in pile]
            case "covered":
                return [thing for pile in piles for thing in pile[:-1]]

    def _top(self, x: ir.Top, s: Any, e: list[Any]) -> Any:
        pile = self.evaluate(x.pile, s, e)
        return pile[-1] if pile else None

    def _top_at(self, x: ir.TopAt, s: Any, e: list[Any]) -> Any:
        at = self._known(x.at, s, e)
        pile = None if at is None else self.evaluate(x.piles, s, e)[at]
        return pile[-1] if pile else None

    def _height_at(self, x: ir.HeightAt, s: Any, e: list[Any]) -> Any:
        at = self._known(x.at, s, e)
        pile = None if at is None else self.evaluate(x.piles, s, e)[at]
        return len(pile) if pile else None

    # ---- attributes and collections

    def _read_attribute(self, component: str, name: str, face: Any, s: Any) -> Any:
        if face is None:
            return None
        model = self.ruleset.components[component].attributes[name]
        type_, table = model.type, model.table
        if face != UNSEEN:
            return table[face]
        pool = None if holds_unseen(s) else s.pool.get(component)
        values = {table[f] for f, count in pool.items() if count > 0} if pool else set(table)
        if not values:
            values = set(table)
        if type_.kind == "int":
            return between(min(values), max(values))
        return UNKNOWN if type_.kind == "bool" and len(values) > 1 else one_of(values)

    def _attribute(self, x: ir.Attribute, s: Any, e: list[Any]) -> Any:
        face = self.evaluate(x.of, s, e)
        # Which face was picked is unknown; perhaps none was.
        return UNKNOWN if face is UNKNOWN else self._read_attribute(x.component, x.name, face, s)

    def _between(self, x: Expr, s: Any, e: list[Any]) -> tuple[list[Any], list[Any]]:
        """What is certainly in a collection, and what may be."""
        certain, possible = self._bounds(x, s, e)
        if self.trace is not None and isinstance(x, _OF_SOME):
            self.trace.append(Traced(x, certain if len(certain) == len(possible) else UNKNOWN))
        return certain, possible

    def _bounds(self, x: Expr, s: Any, e: list[Any]) -> tuple[list[Any], list[Any]]:
        match x:
            case ir.Where():
                items, verdicts = self._bodies(x, s, e)
                certain = [i for i, v in zip(items, verdicts, strict=True) if v is not UNKNOWN and v]
                possible = [i for i, v in zip(items, verdicts, strict=True) if v is UNKNOWN or v]
            case ir.Around():
                certain, possible = self._groups(x, s, e)
            case ir.TopsAt():
                piles = self.evaluate(x.piles, s, e)
                certain, possible = ([piles[at][-1] for at in cells] for cells in self._between(x.cells, s, e))
            case ir.Attributes():
                certain, possible = (
                    [self._read_attribute(x.component, x.name, face, s) for face in faces]
                    for faces in self._between(x.of, s, e)
                )
            case _:
                certain = possible = self._whole_grid(x, s, e)
        return certain, possible

    def _groups(self, x: ir.Around, s: Any, e: list[Any]) -> tuple[list[Any], list[Any]]:
        start = self._known(x.start, s, e)
        known: dict[Any, Any] = {}
        if self.found is not None and not self.is_watched:
            _, key = self._wanted.get(id(x)) or self._wanted.setdefault(
                id(x), (x, like(x) if same_for_all(x) else None)
            )
            if key is not None:
                # The position is kept, so that no other one gets its id.
                _, known = self.found.setdefault((id(s), key), (s, {}))
        if start not in known:
            known[start] = found = self._group(x, start, s, e)
            if len(found[0]) == len(found[1]):
                known |= dict.fromkeys(found[0], found)
        return known[start]  # type: ignore[no-any-return]

    @property
    def is_watched(self) -> bool:
        """Whether somebody wants to know all that an evaluation looks at."""
        return self.trace is not None or self.reads is not None

    def _group(self, x: ir.Around, start: Any, s: Any, e: list[Any]) -> tuple[list[Any], list[Any]]:
        places = {value: at for at, value in enumerate(x.cells)}
        verdicts: dict[int, Any] = {}
        steps = max(INTERPRETED, self.sizes.steps(x.body))

        def verdict(at: int) -> Any:
            if at not in verdicts:
                self.work.spend(steps)
                e[x.slot] = x.cells[at]
                verdicts[at] = self.evaluate(x.body, s, e)
            return verdicts[at]

        certain = around(places.get(start), x.beside, lambda at: verdict(at) is not UNKNOWN and verdict(at))
        possible = around(places.get(start), x.beside, lambda at: verdict(at) is UNKNOWN or verdict(at))
        return [x.cells[at] for at in certain], [x.cells[at] for at in possible]

    def _exactly(self, x: ir.Where | ir.Around | ir.TopsAt | ir.Attributes, s: Any, e: list[Any]) -> Any:
        certain, possible = self._bounds(x, s, e)
        if len(certain) < len(possible):
            raise Unknowable
        return certain

    _attributes = _around = _tops_at = _where = _exactly

    def _repeats(self, x: ir.Repeats, s: Any, e: list[Any]) -> Any:
        now = kept([item.type for item in x.items], [self.evaluate(item, s, e) for item in x.items])
        history = s.history[x.number]
        self.work.spend(len(history))
        times = times_before(history, now)
        if self.trace is not None and now is not None:
            # A history has the beginning of each turn: what lies there came about in the turn before.
            ago = tuple(len(history) - at for at, before in enumerate(history) if before == now)
            self.trace.append(Traced(x, times, ago))
        return times

    def _group_size(self, x: ir.GroupSize, s: Any, e: list[Any]) -> Any:
        piles = self.evaluate(x.piles, s, e)
        values = [(self._read_attribute(x.component, x.name, pile[-1], s),) if pile else None for pile in piles]
        choose = max if x.which == "largest" else min
        # More cards that may be alike make groups larger, never smaller: the two extremes are the bounds.
        least = group_sizes(values, x.width, lambda a, b: equal(a[0], b[0]) is True)
        most = group_sizes(values, x.width, lambda a, b: equal(a[0], b[0]) is not False)
        return between(choose(least, default=0), choose(most, default=0))

    def _coordinate(self, x: ir.Coordinate, s: Any, e: list[Any]) -> Any:
        cell = self._known(x.cell, s, e)
        return None if cell is None else cell[x.axis]

    def _player_after(self, x: ir.PlayerAfter, s: Any, e: list[Any]) -> Any:
        player = self.evaluate(x.player, s, e)
        return player if player is None or player is UNKNOWN else (player + 1) % s.players

    def _element(self, x: ir.Element, s: Any, e: list[Any]) -> Any:
        return self.evaluate(x.of, s, e)[self._known(x.at, s, e)]

    def _values(self, x: ir.Values, s: Any, e: list[Any]) -> Any:
        return [self.evaluate(item, s, e) for item in x.items]

    def _count(self, x: ir.Count, s: Any, e: list[Any]) -> Any:
        certain, possible = self._between(x.of, s, e)
        return between(len(certain), len(possible))

    def _empty(self, x: ir.Empty, s: Any, e: list[Any]) -> Any:
        certain, possible = self._between(x.of, s, e)
        return False if certain else UNKNOWN if possible else True

    def _sum(self, x: ir.Sum, s: Any, e: list[Any]) -> Any:
        certain, possible = self._between(x.of, s, e)
        if len(certain) == len(possible):
            return total(certain)
        # A thing that may be there adds nothing, or its value.
        low = sum(min(0, low_of(v)) for v in possible) - sum(min(0, low_of(v)) for v in certain)
        high = sum(max(0, high_of(v)) for v in possible) - sum(max(0, high_of(v)) for v in certain)
        known = total(certain)
        return between(low_of(known) + low, high_of(known) + high)

    def _count_distinct(self, x: ir.CountDistinct, s: Any, e: list[Any]) -> Any:
        certain, possible = self._between(x.of, s, e)
        known, may = ({v for v in values if not is_unknown(v)} for values in (certain, possible))
        values = set(self._table_of(x.of))
        unseen = sum(map(is_unknown, possible))
        return between(max(len(known), min(1, len(certain))), min(len(may) + unseen, len(values)))

    def _extreme(self, x: ir.Extreme, s: Any, e: list[Any]) -> Any:
        certain, possible = self._between(x.of, s, e)
        if not certain:
            return UNKNOWN if possible else None
        if x.which == "max":
            return between(max(map(low_of, certain)), max(map(high_of, possible)))
        return between(min(map(low_of, possible)), min(map(high_of, certain)))

    def _table_of(self, x: ir.Attributes) -> tuple[Any, ...]:
        return self.ruleset.components[x.component].attributes[x.name].table

    def _alike(self, x: ir.Alike, s: Any, e: list[Any]) -> Any:
        certain, possible = self._between(x.of, s, e)
        if x.kind == "ascending":
            # An ascending sequence also ascends without some of its elements.
            sure, perhaps = (all_of([less(a, b) for a, b in pairwise(values)]) for values in (certain, possible))
            return False if sure is False else True if perhaps is True else UNKNOWN
        known = [v for v in certain if not is_unknown(v)]
        if x.kind == "same":
            if any(v != known[0] for v in known):
                return False
            alike = len(possible) < 2 or not any(is_unknown(v) or v != possible[0] for v in possible)
            return True if alike else UNKNOWN
        if len(set(known)) < len(known):
            return False
        if not any(map(is_unknown, possible)) and len(set(possible)) == len(possible):
            return True
        # More cards than values: two have to agree, whatever the unseen cards are.
        return False if len(certain) > len(set(self._table_of(x.of))) else True if len(possible) < 2 else UNKNOWN

    def _reads(self, x: ir.Reads, s: Any, e: list[Any]) -> Any:
        values = self.evaluate(x.of, s, e)
        return all_of([equal(value, wanted) for value, wanted in zip(values, x.values, strict=True)])

    def _concat(self, x: ir.Concat, s: Any, e: list[Any]) -> Any:
        return [*self.evaluate(x.left, s, e), *self.evaluate(x.right, s, e)]

    def _without(self, x: ir.Without, s: Any, e: list[Any]) -> Any:
        return without(self.evaluate(x.left, s, e), self.evaluate(x.right, s, e))

    def _in(self, x: ir.In, s: Any, e: list[Any]) -> Any:
        item, items = self.evaluate(x.item, s, e), self._whole_grid(x.items, s, e)
        alike = same_face if x.item.type.kind == "face" else equal
        return any_of([alike(item, other) for other in items])

    def _on_cells(self, x: Expr, s: Any, e: list[Any]) -> Any:
        return GEOMETRY[type(x)](x, *(self._known(part, s, e) for part in operands(x)))

    def _beside(self, x: ir.Beside, s: Any, e: list[Any]) -> Any:
        of = self._known(x.of, s, e)
        return [x.cells[at] for at in x.beside[x.cells.index(of)]] if of in x.cells else []

    def _connected(self, x: ir.Connected, s: Any, e: list[Any]) -> Any:
        return connected(self._whole_grid(x.grid, s, e))

    def _fits(self, x: ir.Fits, s: Any, e: list[Any]) -> Any:
        grid = self._whole_grid(x.grid, s, e)
        cell = None if x.cell is None else self.evaluate(x.cell, s, e)
        return fits(grid, x.width, x.height, cell)

    # ---- folds

    def _bodies(
        self,
        x: ir.Where | ir.CountWhere | ir.SumWhere | ir.Quantified,
        s: Any,
        e: list[Any],
        until: bool | None = None,
    ) -> tuple[list[Any], list[Any]]:
        """All elements, and the value of the body for each, or only up to the first for which it is `until`."""
        results = []
        items = self.evaluate(x.domain, s, e)
        steps = max(INTERPRETED, self.sizes.steps(x.body))
        for item in items:
            self.work.spend(steps)
            e[x.slot] = item
            verdict = self.evaluate(x.body, s, e)
            results.append(verdict)
            if until is not None and verdict is until:
                break
        return items, results
