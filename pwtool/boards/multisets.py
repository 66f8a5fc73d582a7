"""Objectives that do not depend on where a card lies: their diagrams, computed from the number of cards of each kind.

A circuit counts cell by cell and has to distinguish places even if they make no difference; a diagram that is composed
of its parts contains all of that in intermediate results. If only the numbers of cards of each kind matter, the diagram
is built from its end instead: one node for each combination of numbers of cards that the cells so far can have.
"""

from __future__ import annotations

from bisect import bisect
from itertools import combinations_with_replacement
from math import comb

from pwtool.boards.bulk import Program
from pwtool.boards.circuit import Circuit
from pwtool.boards.diagrams import Diagram, TooLarge, cell_planes, cells_read
from pwtool.boards.diagrams import operands as inputs
from pwtool.boards.encoding import Encoding
from pwtool.boards.spaces import Space
from pwtool.ir import nodes as ir
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import operands

# For all nodes together.
MAX_BRANCHES = 600_000
# Operations whose result does not depend on the order of a collection. Anything else may depend on an order or a place.
_ORDERLESS = (
    ir.Const | ir.Local | ir.Let | ir.And | ir.Or | ir.Not | ir.If | ir.Compare | ir.Arithmetic | ir.Table | ir.Attribute
    | ir.Values | ir.Attributes | ir.Quantified | ir.Empty | ir.Count | ir.CountWhere | ir.Sum | ir.SumWhere | ir.Alike | ir.In
)  # fmt: skip


def reads_cards_alone(x: Expr) -> bool:
    """Whether a condition reads the visible cards but not where they lie."""
    if ir.is_local(x, 0) or (isinstance(x, ir.Alike) and x.kind == "ascending"):
        return False
    return isinstance(x, _ORDERLESS) and all(map(reads_cards_alone, operands(x)))


def counted_diagram(circuit: Circuit, encoding: Encoding, space: Space, root: int) -> Diagram:
    """The diagram of a circuit that reads only cards; raises `TooLarge` if there are too many kinds of them."""
    cone = circuit.cone([root])
    cells = cells_read(circuit, cone)
    single = [n for n in cone if cells[n].bit_count() <= 1]
    asked = {o for n in cone if cells[n].bit_count() > 1 for o in inputs(circuit, n)} | {root}
    planes = cell_planes(circuit, encoding, space, single, cells)
    # The same kinds on every cell, even if simplification removed some of the inputs of one cell.
    kinds: dict[tuple[int, ...], int] = {}
    nodes = sorted(asked & set(single))
    classes = tuple(
        kinds.setdefault(tuple(planes[n] >> v & 1 for n in nodes), len(kinds)) for v in range(len(space.values))
    )
    count, size = len(kinds), len(space.order)
    if comb(size + count, count) * count > MAX_BRANCHES:
        raise TooLarge
    verdicts = _verdicts(circuit, encoding, space, root, [classes.index(kind) for kind in range(count)])
    diagram = Diagram(space, [classes] * size)
    made = verdicts
    for level in reversed(range(size)):
        above = made
        made = {
            lying: diagram.node(level, tuple([above[_with(lying, kind)] for kind in range(count)]))
            for lying in combinations_with_replacement(range(count), level)
        }
    diagram.root = made[()]
    diagram.finish()
    return diagram


def _with(kinds: tuple[int, ...], kind: int) -> tuple[int, ...]:
    """Sorted kinds with one more."""
    at = bisect(kinds, kind)
    return (*kinds[:at], kind, *kinds[at:])


def _verdicts(
    circuit: Circuit, encoding: Encoding, space: Space, root: int, values: list[int]
) -> dict[tuple[int, ...], int]:
    """For every full board, given as the sorted kinds on it, whether the diagram contains it."""
    boards = list(combinations_with_replacement(range(len(values)), len(space.order)))
    program = Program(circuit, [root])
    planes = {}
    for node in program.inputs:
        key = circuit.keys[node]
        holds = ["1" if encoding.has(key, space.values[v]) else "0" for v in values]
        cell: int = key[1]  # type: ignore[index]
        planes[node] = int("".join([holds[board[cell]] for board in reversed(boards)]), 2)
    result = program.run(planes, len(boards))[0]
    return {board: result >> at & 1 for at, board in enumerate(boards)}
