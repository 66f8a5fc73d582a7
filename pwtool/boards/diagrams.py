"""Decision diagrams over the cells of a board: a node branches on the content of one cell and leads to the next.

These are the multi-valued relatives of the binary diagrams of R. E. Bryant ("Graph-Based Algorithms for Boolean
Function Manipulation", 1986): A. Srinivasan, T. Kam, S. Malik and R. Brayton, "Algorithms for Discrete Function
Manipulation", 1990. Only differences that a circuit can see are branches: if it only asks for values, a cell has as
many branches as there are values. So a diagram contains only real boards, and its two terminals mean: no board, every
board. docs/decisions/0008-proofs.md says why they are not binary.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from pwtool.boards.circuit import AND, CONST, INPUT, NOT, OR, Circuit

if TYPE_CHECKING:
    from pwtool.boards.encoding import Encoding
    from pwtool.boards.spaces import Space

# The branches of all nodes together: one node may have hundreds. Beyond the smaller number, other methods may be quicker.
MAX_BRANCHES = 6_000_000
FEW_BRANCHES = 120_000


class TooLarge(Exception):
    """A diagram grew beyond its bound. Never leaves the package: whatever depends on it is undecided."""


class Diagram:
    """`levels[n]` is the place of node `n`'s cell in the space's order, `kids[n]` its branches; nodes 0 and 1 are the terminals.

    `classes[level][value]` is the branch that a value takes, `dead` the terminal that no board reaches.
    """

    __slots__ = ("_branches", "_made", "_memo", "_most", "classes", "dead", "kids", "levels", "root", "space")

    def __init__(self, space: Space, classes: Sequence[tuple[int, ...]], most: int = MAX_BRANCHES) -> None:
        self.space, self.classes = space, list(classes)
        end = len(space.order)
        self.levels = [end, end]
        self.kids: list[tuple[int, ...]] = [(), ()]
        self.root, self.dead = 0, 0
        self._branches, self._most = 0, most
        self._made: dict[tuple[int, tuple[int, ...]], int] = {}
        self._memo: dict[tuple[int, int, int], int] = {}

    def node(self, level: int, kids: tuple[int, ...]) -> int:
        """The node with these branches; if all of them lead to the same node, that node."""
        first = kids[0]
        if kids.count(first) == len(kids):
            return first
        key = (level, kids)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = len(self.kids)
            self._branches += len(kids)
            if self._branches > self._most:
                raise TooLarge
            self.levels.append(level)
            self.kids.append(kids)
        return found

    def negate(self, u: int) -> int:
        """The boards that are not in `u`."""
        if u <= 1:
            return 1 - u
        key = (NOT, u, 0)
        found = self._memo.get(key)
        if found is None:
            kids = []
            for kid in self.kids[u]:
                kids.append(self.negate(kid))
            found = self._memo[key] = self.node(self.levels[u], tuple(kids))
            self._memo[NOT, found, 0] = u
        return found

    def apply(self, op: int, u: int, v: int) -> int:
        """The boards that are in both (`AND`), in either (`OR`) or in exactly one (`XOR`) of the two."""
        if u > v:
            u, v = v, u
        if u == v:
            return 0 if op not in (AND, OR) else u
        if u == 0:
            return 0 if op == AND else v
        if u == 1:
            return v if op == AND else 1 if op == OR else self.negate(v)
        key = (op, u, v)
        memo = self._memo
        found = memo.get(key)
        if found is None:
            a, b = self.levels[u], self.levels[v]
            pairs: Iterable[tuple[int, int]]
            if a == b:
                pairs = zip(self.kids[u], self.kids[v], strict=True)
            elif a < b:
                pairs = [(x, v) for x in self.kids[u]]
            else:
                pairs = [(u, y) for y in self.kids[v]]
            kids = []
            for x, y in pairs:
                # Simple and known cases are settled here: a call for each would take most of the time.
                low, high = (x, y) if x < y else (y, x)
                if low <= 1 and op == AND:
                    kids.append(high if low else 0)
                elif low <= 1 and op == OR:
                    kids.append(1 if low else high)
                else:
                    known = memo.get((op, low, high))
                    kids.append(self.apply(op, low, high) if known is None else known)
            found = memo[key] = self.node(min(a, b), tuple(kids))
        return found

    def contrary(self) -> Diagram:
        """The diagram of all other boards: the same nodes with the terminals swapped."""
        other = Diagram(self.space, self.classes)
        other.levels, other.kids, other.root, other.dead = self.levels, self.kids, self.root, 1 - self.dead
        return other

    def lifted(self, space: Space) -> Diagram:
        """The same diagram over a space with more values, of which it reads only the visible card."""
        numbers = {pile[-1:]: v for v, pile in enumerate(self.space.values)}
        tops = [numbers[pile[-1:]] for pile in space.values]
        other = Diagram(space, [tuple(classes[v] for v in tops) for classes in self.classes])
        other.levels, other.kids, other.root, other.dead = self.levels, self.kids, self.root, self.dead
        return other

    def finish(self) -> None:
        """Free what only building needs: most nodes were intermediate results, and no search has to go through them."""
        self._memo.clear()
        self._made.clear()
        kept, pending = {0, 1, self.root}, [self.root]
        while pending:
            found = set(self.kids[pending.pop()]) - kept
            kept |= found
            pending += found
        # The order is kept: a branch still leads to a lower number.
        order = sorted(kept)
        numbers = {node: at for at, node in enumerate(order)}
        self.levels = [self.levels[node] for node in order]
        self.kids = [tuple([numbers[kid] for kid in self.kids[node]]) for node in order]
        self.root = numbers[self.root]


def build_diagram(
    circuit: Circuit, encoding: Encoding, space: Space, root: int, most: int = MAX_BRANCHES
) -> Diagram:  # fmt: skip
    """The diagram of a circuit's node; raises `TooLarge`.

    Parts of the circuit that read only one cell are settled first, for every value of the cell: values that agree in all of
    them share a branch. The rest is combined gate by gate.
    """
    cone = circuit.cone([root])
    cells = cells_read(circuit, cone)
    single = [n for n in cone if cells[n].bit_count() <= 1]
    wanted: dict[int, list[int]] = {}
    for node in {root} | {o for n in cone if cells[n].bit_count() > 1 for o in operands(circuit, n)}:
        if cells[node].bit_count() == 1:
            wanted.setdefault(cells[node].bit_length() - 1, []).append(node)
    planes = cell_planes(circuit, encoding, space, single, cells)
    classes, made = [], {0: 0, 1: 1}
    leaves: list[tuple[int, int, tuple[int, ...]]] = []
    for level, cell in enumerate(space.order):
        nodes = sorted(wanted.get(cell, []))
        numbers: dict[tuple[int, ...], int] = {}
        of = [
            numbers.setdefault(tuple(planes[n] >> v & 1 for n in nodes), len(numbers)) for v in range(len(space.values))
        ]
        classes.append(tuple(of))
        for at, node in enumerate(nodes):
            leaves.append((node, level, tuple(signature[at] for signature in numbers)))
    diagram = Diagram(space, classes, most)
    for node, level, kids in leaves:
        made[node] = diagram.node(level, kids)
    for node in cone:
        if node in made or cells[node].bit_count() <= 1:
            continue
        op = circuit.ops[node]
        a = made[circuit.left[node]]
        made[node] = diagram.negate(a) if op == NOT else diagram.apply(op, a, made[circuit.right[node]])
    diagram.root = made[root]
    diagram.finish()
    return diagram


def operands(circuit: Circuit, node: int) -> tuple[int, ...]:
    """The operands of a node."""
    op = circuit.ops[node]
    if op < NOT:
        return ()
    return (circuit.left[node],) if op == NOT else (circuit.left[node], circuit.right[node])


def cells_read(circuit: Circuit, cone: Iterable[int]) -> dict[int, int]:
    """The cells that each node of a cone reads, as a mask."""
    cells: dict[int, int] = {}
    for node in cone:
        if circuit.ops[node] == INPUT:
            cells[node] = 1 << circuit.keys[node][1]  # type: ignore[index]
        else:
            cells[node] = reduce(or_, (cells[operand] for operand in operands(circuit, node)), 0)
    return cells


def cell_planes(
    circuit: Circuit, encoding: Encoding, space: Space, single: list[int], cells: dict[int, int]
) -> dict[int, int]:
    """For every part that reads one cell: the values of the cell for which it holds, one bit per value."""
    full = (1 << len(space.values)) - 1
    planes: dict[int, int] = {}
    for node in single:
        op = circuit.ops[node]
        if op == CONST:
            planes[node] = full if node else 0
        elif op == INPUT:
            key = circuit.keys[node]
            planes[node] = sum(1 << v for v, pile in enumerate(space.values) if encoding.has(key, pile))
        elif op == NOT:
            planes[node] = planes[circuit.left[node]] ^ full
        else:
            a, b = planes[circuit.left[node]], planes[circuit.right[node]]
            planes[node] = a & b if op == AND else a | b if op == OR else a ^ b
    return planes
