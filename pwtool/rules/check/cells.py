"""Cells and directions: the grid of a cell, cells and steps computed from numbers, rays, and the cells between two
others.
"""

from __future__ import annotations

from functools import reduce
from typing import Literal

from pwtool.ir import nodes as ir
from pwtool.ir import types as t
from pwtool.ir.grids import BESIDE, DIAGONAL, FAR, FLOATING, HEXAGONAL, Grid, Step, cells_of
from pwtool.ir.nodes import Expr
from pwtool.ir.types import ERROR, Type
from pwtool.lang import tree as n
from pwtool.rules.check.dispatch import check, checks, expect_number, value_beside
from pwtool.rules.check.scope import Scope
from pwtool.text.source import Span
from pwtool.text.speech import Told
from pwtool.text.words import one_line

NAMED: dict[str, Step] = {
    "right": (1, 0), "left": (-1, 0), "down": (0, 1), "up": (0, -1),
    "down_right": (1, 1), "down_left": (-1, 1), "up_right": (1, -1), "up_left": (-1, -1),
}  # fmt: skip
"""The named directions; on a hexagonal grid the rows are slanted."""
SEVERAL = ("directions", "diagonals", "all directions")
"""The names of several."""


def grid_of(cell: Expr, scope: Scope) -> Grid:
    """The grid of a cell; a finding if several are possible."""
    if cell.type.grid is None and cell.type.kind != "error":
        text = one_line(cell.span.text) if cell.span else "this"
        message = "`{text}` may be a cell of several grids"
        scope.declared.report("PW301", message, cell.span, "name the grid where it is declared: `cell of GRID`", text=text)  # fmt: skip
    return cell.type.grid or FLOATING


def direction(name: str, span: Span, scope: Scope) -> Expr | None:
    """A predefined name: a direction or several."""
    if name in NAMED:
        return _step(NAMED[name], span)
    if name not in SEVERAL:
        return None
    hexagonal = {zone.hexagonal for zone in scope.declared.zones.values() if zone.kind == "grid"}
    if len(hexagonal) > 1:
        message = "`{name}` means something else on a hexagonal grid, and there are both kinds"
        return scope.declared.report("PW301", message, span, "name each direction", name=name)
    straight = HEXAGONAL if True in hexagonal else BESIDE
    if name != "directions" and True in hexagonal:
        return no_diagonals(span, scope)
    steps = {"directions": straight, "diagonals": DIAGONAL, "all directions": straight + DIAGONAL}[name]
    return ir.Const(t.list_of(t.direction(-1, 1)), steps, span=span)


def no_diagonals(span: Span, scope: Scope) -> Expr:
    """The finding about diagonals of a grid that has none."""
    grids = [zone for zone in scope.declared.zones.values() if zone.kind == "grid"]
    if not any(zone.hexagonal for zone in grids):
        return scope.declared.report("PW301", "cells that are joined by lines touch along these alone", span)
    help_line = "`directions` are all six" if span.text != "diagonals" else None
    return scope.declared.report("PW301", "a hexagonal grid has no diagonals", span, help_line)


def _step(step: Step, span: Span | None) -> Expr:
    return ir.Const(t.direction(min(step), max(step)), step, span=span)


def check_as(node: n.Node, type_: Type, scope: Scope) -> Expr:
    """An expression next to a value of this type: the type decides the meaning of two numbers and of a
    value that two attributes have.
    """
    if not isinstance(node, n.Pair) or node.grid is not None:
        return value_beside(check(node, scope), type_, scope)
    of = type_.element or type_
    return check_step(node, scope) if of.kind == "direction" else check_cell(node, of.grid, scope)


def check_step(node: n.Node, scope: Scope) -> Expr:
    """A direction; two numbers are columns and rows."""
    if not isinstance(node, n.Pair) or node.grid is not None:
        return check(node, scope)
    numbers = _numbers(node, scope)
    if numbers is None:
        return ir.Const(ERROR, None, span=node.span)
    column, row = numbers
    low, high = min(column.type.low, row.type.low), max(column.type.high, row.type.high)
    if isinstance(column, ir.Const) and isinstance(row, ir.Const):
        return _step((column.value, row.value), node.span)
    return ir.Direction(t.direction(low, high), column, row, span=node.span)


def _numbers(node: n.Pair, scope: Scope) -> tuple[Expr, Expr] | None:
    column, row = (expect_number(check(part, scope), scope) for part in (node.left, node.right))
    return None if "error" in (column.type.kind, row.type.kind) else (column, row)


def check_cell(node: n.Node, grid: Grid | None, scope: Scope) -> Expr:
    """A cell; two numbers are its column and row."""
    if not isinstance(node, n.Pair):
        return check(node, scope)
    name: str = Told("the grid")
    if node.grid is not None:
        zone = scope.declared.zones.get(node.grid.name)
        if zone is None or zone.kind != "grid":
            grids = [z.name for z in scope.declared.zones.values() if z.kind == "grid"]
            return scope.declared.unknown("grid", node.grid, grids)
        scope.declared.used.add(("zone", zone.name))
        name, grid = f"`{zone.name}`", zone.grid
    grid = grid or scope.declared.grid
    if grid is None:
        text = one_line(node.span.text)
        help_line = "name it: `{text} of GRID`"
        return scope.declared.report("PW301", "`{text}` may be a cell of several grids", node.span, help_line, text=text)  # fmt: skip
    numbers = _numbers(node, scope)
    if numbers is None:
        return ir.Const(ERROR, None, span=node.span)
    column, row = numbers
    if isinstance(column, ir.Const) and isinstance(row, ir.Const):
        cell = (column.value, row.value)
        if not grid.has(cell):
            return scope.declared.report("PW306", "{name} has no cell {cell}", node.span, name=name, cell=str(cell))
        return ir.Const(t.cell(grid), cell, span=node.span)
    return ir.CellAt(column, row, grid, span=node.span)


@checks(n.CellsAt)
def _cells_at(node: n.CellsAt, scope: Scope) -> Expr:
    """The cells of a grid that are one of several, in reading order; what is no cell is none of them."""
    found = [check_cell(part, None, scope) for part in node.cells]
    strange = next((cell for cell in found if cell.type.kind not in ("cell", "error")), None)
    if strange is not None:
        return scope.declared.report("PW301", "this is {type}, a cell is needed", strange.span, type=strange.type)
    if any(cell.type.kind == "error" for cell in found):
        return ir.Const(ERROR, None, span=node.span)
    grid = grid_of(found[0], scope)
    other = next((cell for cell in found if cell.type.grid not in (None, grid)), None)
    if other is not None:
        return scope.declared.report("PW301", "these are cells of several grids", other.span)
    if grid.floating:
        return scope.declared.report("PW301", "cells of a grid that floats have no order", node.span)
    type_ = t.list_of(t.cell(grid))
    if all(isinstance(cell, ir.Const) for cell in found):
        values = {cell.value for cell in found if isinstance(cell, ir.Const)}
        return ir.Const(type_, tuple(cell for cell in cells_of(grid) if cell in values), span=node.span)
    slot = scope.new_slot()
    here = ir.Local(t.cell(grid), slot)
    one_of: list[Expr] = [ir.Compare("==", here, cell, span=cell.span) for cell in found]
    return ir.Where(type_, slot, ir.Const(type_, cells_of(grid)), reduce(ir.Or, one_of), span=node.span)


@checks(n.Pair)
def _pair(node: n.Pair, scope: Scope) -> Expr:
    return check_cell(node, None, scope)


def on_a_grid(cell: Expr, scope: Scope) -> Grid | None:
    """The grid of a starting cell; None after a finding."""
    if cell.type.kind == "error":
        return None
    if cell.type.kind != "cell":
        scope.declared.report("PW301", "this is {type}, a cell is needed", cell.span, type=cell.type)
        return None
    if cell.type.optional:
        help_line = "give a default: `(... else ...)`"
        scope.declared.report("PW301", "this may be no cell at all", cell.span, help_line)
        return None
    grid = grid_of(cell, scope)
    if cell.type.grid is not None and grid.floating:
        scope.declared.report("PW301", "a grid that floats has no edge where this would end", cell.span)
        return None
    return grid if cell.type.grid is not None else None


def cells_towards(node: n.Binary, scope: Scope) -> Expr:
    """`cells from c towards d`; for several directions the cells in each."""
    cell, step = check(node.left, scope), check_step(node.right, scope)
    grid = on_a_grid(cell, scope)
    if grid is None or step.type.kind == "error":
        return ir.Const(ERROR, None, span=node.span)
    if step.type.kind == "list" and (step.type.element or ERROR).kind == "direction":
        return _rays(cell, step, grid, node.span, scope)
    if step.type.kind != "direction":
        message = "this is {type}, a direction is needed"
        help_line = "`up`, `down_left`, `(1, 2)`, or one or all of `directions`"
        return scope.declared.report("PW301", message, step.span, help_line, type=step.type)
    if step.type.optional:
        help_line = "give a default: `(... else ...)`"
        return scope.declared.report("PW301", "this may be no direction at all", step.span, help_line)
    if isinstance(step, ir.Const):
        if not any(step.value):
            return scope.declared.report("PW306", "this points nowhere", step.span)
    elif step.type.low < -1 or step.type.high > 1:
        message = "this may lead further than to the next cell"
        return scope.declared.report("PW301", message, step.span, "write such a direction as two numbers: `(1, 2)`")
    return ir.Ray(cell, step, grid, span=node.span)


def _rays(cell: Expr, steps: Expr, grid: Grid, span: Span, scope: Scope) -> Expr:
    """The cells in several directions, one ray after the other."""
    if isinstance(steps, ir.Concat):
        left, right = (_rays(cell, part, grid, span, scope) for part in (steps.left, steps.right))
        return ir.Concat(t.list_of(t.cell(grid)), left, right, span=span)
    if not isinstance(steps, ir.Const):
        help_line = "`directions`, `diagonals` or `all directions`; `some d in ...: ... towards d` for a choice of them"
        return scope.declared.report("PW301", "it is not known which directions these are", steps.span, help_line)
    rays: list[Expr] = [ir.Ray(cell, _step(step, steps.span), grid, span=span) for step in steps.value]
    return reduce(lambda one, other: ir.Concat(t.list_of(t.cell(grid)), one, other, span=span), rays)


def cells_between(node: n.Binary, scope: Scope) -> Expr:
    """`cells between a and b`."""
    left = check(node.left, scope)
    right = check_as(node.right, left.type, scope)
    grids = [on_a_grid(side, scope) for side in (left, right)]
    if grids[0] is None or grids[1] is None:
        return ir.Const(ERROR, None, span=node.span)
    if grids[0] != grids[1]:
        return scope.declared.report("PW301", "these are cells of two grids", node.span)
    return ir.Between(left, right, grids[0], span=node.span)


def moved(operator: str, left: Expr, right: Expr, node: n.Node, scope: Scope) -> Expr | None:
    """A cell and a direction, two directions, two cells, or a multiple of a direction; None for anything else."""
    kinds = (left.type.kind, right.type.kind)
    a, b = left.type, right.type
    if kinds == ("cell", "direction") and operator in "+-":
        return ir.Moved(left, right if operator == "+" else opposite(right), grid_of(left, scope), span=node.span)
    if kinds == ("int", "direction") and operator == "*":
        left, right, a, b = right, left, b, a
    elif kinds == ("cell", "cell") and operator == "-":
        grids = [side.grid for side in (a, b)]
        far = 2 * FAR if None in grids else max(2 * FAR if g.floating else max(g.width, g.height) for g in grids if g)
        a = b = t.direction(0, far)
    elif kinds == ("direction", "int") and operator == "*":
        pass
    elif kinds != ("direction", "direction") or operator not in "+-":
        return None
    if operator == "*":
        right = expect_number(right, scope)
    if isinstance(left, ir.Const) and isinstance(right, ir.Const):
        (x, y), by = left.value, right.value
        if operator == "*":
            return _step((x * by, y * by), node.span)
        sign = 1 if operator == "+" else -1
        return _step((x + sign * by[0], y + sign * by[1]), node.span)
    operation: Literal["+", "-", "*"] = "+" if operator == "+" else "-" if operator == "-" else "*"
    ends = t.combined(operation, a, b)
    type_ = t.direction(ends.low, ends.high, optional=left.type.optional or right.type.optional)
    return ir.Steps(type_, operation, left, right, span=node.span)


def opposite(step: Expr) -> Expr:
    """The opposite direction."""
    if isinstance(step, ir.Const):
        return _step((-step.value[0], -step.value[1]), step.span)
    type_ = t.direction(-step.type.high, -step.type.low, step.type.optional)
    return ir.Steps(type_, "*", step, ir.Const(t.number(-1, -1), -1, span=step.span), span=step.span)
