"""Shared by all parts of a kernel under construction: its module, layout, tables and scratch memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from struct import pack
from typing import Any, Concatenate, ParamSpec

from pwtool.ir.bounds import on_trial
from pwtool.ir.grids import FAR, Grid, cells_of
from pwtool.ir.model import Ruleset, ZoneModel
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.layout import NONE, WORD, GridPlace, Layout, PilePlace
from pwtool.kernel.wasm.bitboards import BitBoards
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.module import I32, I64, Function, Module
from pwtool.kernel.wasm.operands import Expression, Global
from pwtool.kernel.wasm.undo import Undo


class KernelWriter:
    """A module under construction. Its global variables hold the state of the whole game. `looking`: any
    action may be looked ahead; `starts`: games may begin from a position.
    """

    def __init__(self, ruleset: Ruleset, looking: bool = False, starts: bool = True) -> None:
        self.ruleset, self.starts = ruleset, starts
        self.module = Module()
        self.layout = Layout(ruleset)
        self.zones = list(ruleset.zones.values())
        self._tables: dict[bytes, int] = {}
        self._functions: dict[object, Function] = {}
        self.cleared: list[tuple[int, int]] = []
        self.tabled: dict[object, tuple[Any, ...] | None] = {}
        """The values of forms that are looked up, by what they depend on."""
        self.reading: dict[int, tuple[object, bool]] = {}
        """Forms by their ids, and whether they read nothing of a position except variables and the actor."""
        self.watch = BitBoards(self.layout)
        self.in_order = {number for number, zone in enumerate(self.zones) if zone.kind == "grid" and zone.floating}
        """The grids whose cells are traversed in the order in which they came into use; for others the order is not kept."""
        self.rays: dict[Grid, int] = {}
        """The addresses of the tables of rays."""
        self.has_so_many_players = ruleset.min_players == ruleset.max_players
        variable = self.module.variable
        self.players = variable()
        self.actor = variable()
        self.owner = variable()
        self.turn = variable()
        self.left = variable()
        self.before = variable()
        """How many turns of the game came before the first recorded one."""
        self.ending = variable()
        self.ending_turn = variable()
        self.beyond = variable()
        """Whether a bound of the kernel was exceeded, which makes its answer meaningless."""
        self.rule = variable()
        """The rule that refused, by its number in `rule_ids`."""
        self.rule_ids: list[str] = []
        self.trial = {action.name: on_trial(action, ruleset) for action in ruleset.actions.values()}
        """For each action the effects that show whether a bound is exceeded."""
        looking |= any(step.changes for steps in self.trial.values() for step in steps)
        self.undo = Undo(ruleset, self.module, self.layout, self.give_up, looking)
        self.words = (len(ruleset.order.steps) + 64) // 64
        self.places = [variable(I64) for _ in range(self.words)]
        self.reached = [variable(I64) for _ in range(self.words)]

    # ---- functions

    def function(
        self, name: str, parameters: int | tuple[int, ...] = 0, result: int | None = I32, exported: bool = False
    ) -> tuple[Function, Code]:
        """A new function with this many parameters, and its code."""
        kinds = (I32,) * parameters if isinstance(parameters, int) else parameters
        made = self.module.function(name, kinds, () if result is None else (result,))
        made.exported = exported
        return made, Code(self.module, made)

    def once(
        self, key: object, write: Callable[[Code], None], parameters: int = 0, result: int | None = I32
    ) -> Function:
        """The function of this name, which `write` writes when it is first asked for."""
        if key not in self._functions:
            made, code = self.function(str(key), parameters, result)
            self._functions[key] = made
            write(code)
        return self._functions[key]

    @contextmanager
    def each_player(self, code: Code) -> Iterator[Global]:
        """Code for each player in turn, who is the actor in it."""
        actor = code.global_(self.actor)
        actor.set(0)
        with code.until(actor >= code.global_(self.players)):
            yield actor
            actor.set(actor + 1)

    def variable(self, code: Code, number: int) -> Global:
        """A global variable of one word, in a function."""
        return code.global_(number)

    def rule_number(self, rule_id: str) -> int:
        """The number of a rule in the kernel's answers."""
        if rule_id not in self.rule_ids:
            self.rule_ids.append(rule_id)
        return self.rule_ids.index(rule_id)

    # ---- memory

    def data(self, content: bytes) -> int:
        """The address of constant bytes; equal ones are stored once."""
        if content not in self._tables:
            at = self._tables[content] = self.layout.reserve(len(content))
            self.module.data.append((at, content))
        return self._tables[content]

    def table(self, values: Sequence[int]) -> int:
        """The address of a table of constant words."""
        wide = next((value for value in values if not -(1 << 31) <= value < 1 << 32), None)
        if wide is not None:
            raise Uncompilable(f"it contains {wide:,}")
        return self.data(b"".join(pack("<I", value & 0xFFFFFFFF) for value in values))

    def attribute_table(self, component: str, name: str, optional: bool = False) -> int:
        """The address of an attribute's values by face; with `optional`, preceded by nothing."""
        attribute = self.ruleset.components[component].attributes[name]
        return self.table([NONE] * optional + [self.layout.atom(value) for value in attribute.table])

    def list_space(self, capacity: int) -> int:
        """The address of scratch memory for a list of this many things."""
        return self.layout.reserve((1 + capacity) * WORD)

    def remembered(self, size: int) -> int:
        """The address of bytes that are 0 when a game begins."""
        at = self.layout.reserve(size)
        self.cleared.append((at, size))
        return at

    @property
    def most_things(self) -> int:
        """The maximum length of a list of things, cells, players or objectives in an expression."""
        return 2 * max([400, *(p.capacity for p in self.layout.zones)])

    def place(self, zone: int) -> PilePlace:
        return self.layout.zones[zone]

    def grid(self, zone: int) -> GridPlace:
        place = self.layout.zones[zone]
        assert isinstance(place, GridPlace)
        return place

    def zone(self, number: int) -> ZoneModel:
        return self.zones[number]

    def grid_with(self, cells: Sequence[object]) -> Grid | None:
        """A grid large enough for all of these cells, preferably one that has no others; None if there is none."""
        found = None
        for place in self.layout.zones:
            if isinstance(place, GridPlace) and not place.zone.floating:
                width, height = place.zone.width, place.zone.height
                within = all(isinstance(c, tuple) and 0 <= c[0] < width and 0 <= c[1] < height for c in cells)
                if within and (found is None or tuple(cells) == cells_of(place.zone.grid)):
                    found = place.zone.grid
        return found if cells else None

    def grid_of(self, cells: Sequence[object]) -> tuple[int, int] | None:
        """The width and height of that grid."""
        grid = self.grid_with(cells)
        return None if grid is None else (grid.width, grid.height)

    def inside(self, code: Code, column: Expression, row: Expression, grid: Grid) -> Expression:
        """Whether these are the column and row of a cell of a grid."""
        if grid.floating:
            return (column + FAR).below(2 * FAR + 1) & (row + FAR).below(2 * FAR + 1)
        found = column.below(grid.width) & row.below(grid.height)
        if not grid.mask:
            return found
        table = self.data(bytes(sign == "#" for sign in grid.mask))
        return code.both(found, (row * grid.width + column).byte(table))

    def give_up(self, code: Code) -> None:
        """Note that a bound was exceeded."""
        code.global_(self.beyond).set(1)

    def zone_address(self, code: Code, zone: int, indices: Sequence[Expression]) -> Expression:
        """The address of one zone; its indices are seats, numbers of objectives, and written numbers from 1."""
        place = self.place(zone)
        base = place.address
        total: Expression | None = None
        for (dimension, _), index, stride in zip(place.zone.dimensions, indices, place.strides, strict=False):
            if dimension == "number":
                base -= stride
            part = index * stride
            total = part if total is None else total + part
        return code.value(base) if total is None else total + base


P = ParamSpec("P")


def once(
    parameters: int, result: int | None = I32
) -> Callable[[Callable[Concatenate[Any, Code, P], None]], Callable[Concatenate[Any, P], Function]]:
    """Turns a method that writes the code of a function into one that gives the function, which is written when it is first asked for
    with these arguments.
    """

    def decorate(write: Callable[Concatenate[Any, Code, P], None]) -> Callable[Concatenate[Any, P], Function]:
        @wraps(write)
        def function(self: Any, /, *arguments: P.args, **named: P.kwargs) -> Function:
            kernel: KernelWriter = self.kernel
            key = (write.__qualname__, *arguments)
            return kernel.once(key, lambda code: write(self, code, *arguments, **named), parameters, result)

        return function

    return decorate
