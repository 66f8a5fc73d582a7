"""Boards counted without a diagram: one set of filled cells after the other, the attributes of the cards in two parts.

An objective that looks at two attributes at once, such as groups of one attribute and groups of another, may need a
diagram that no machine holds: after a row it has to remember both of every card. But where the decks hold each kind of
the one with each kind of the other, the two do not know of each other. So for every set of filled cells all ways to
fill it are gone through for each part alone (one bit a way, as in `bulk`), and brought together by what the rest of the
circuit is told of them: of thousands of millions of boards only a few thousand cases are left.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

from pwtool.boards.bulk import Program
from pwtool.boards.circuit import AND, CONST, FALSE, INPUT, NOT, OR, TRUE, XOR, Circuit
from pwtool.boards.diagrams import TooLarge, cell_planes, cells_read, operands
from pwtool.boards.encoding import Encoding
from pwtool.boards.search import Board
from pwtool.boards.spaces import EMPTY, Space
from pwtool.boards.symmetry import Move, Symmetry, ways_to_share

# The ways to fill a set of cells in one part, and the cases that those of the outer part are brought down to.
MAX_WAYS = 1 << 22
MAX_CASES = 20_000
MAX_CELLS = 12
# All in all: steps of a plain machine (an operation, and one more for every so many bits), some 4 s of time.
MAX_STEPS = 6_000_000
FEW_STEPS = 1_000_000
BITS_A_STEP = 4_000
# Bits of results that are kept for the next case.
MAX_KEPT = 1 << 29
PARTS = (1, 2)
BOTH = 3
TRIES = 200


@dataclass(slots=True)
class Case:
    """What the rest of the circuit is told by the outer part, the weight of all ways that tell it so, and the first of
    these ways.
    """

    told: tuple[int, ...]
    weight: int
    first: int


@dataclass(slots=True)
class Ways:
    """The ways to fill some cells in one part: all that there are with so many kinds on each, or (`shared`) those that
    may not be exchanged for each other, each with how many come to the same.
    """

    count: int
    cells: tuple[int, ...]
    sizes: list[int]
    shared: Sequence[tuple[tuple[int, ...], int]] = ()

    def plane(self, cell: int, kinds: Sequence[int]) -> int:
        """The ways, as bits, that have one of these kinds on a cell."""
        at = self.cells.index(cell)
        if self.shared:
            return sum(1 << number for number, (way, _) in enumerate(self.shared) if way[at] in kinds)
        stride = prod(self.sizes[:at])
        plane = sum(((1 << stride) - 1) << kind * stride for kind in kinds)
        stride *= self.sizes[at]
        for size in self.sizes[at + 1 :]:
            plane, stride = _repeated(plane, stride, size), stride * size
        return plane

    def kinds(self, number: int) -> dict[int, int]:
        """The kinds that lie on the cells in one of the ways."""
        if self.shared:
            return dict(zip(self.cells, self.shared[number][0], strict=True))
        digits = zip(self.cells, self.sizes, _digits(number, self.sizes), strict=True)
        return {cell: digit for cell, size, digit in digits if size > 1}


class Apart:
    """An objective's boards by the set of cells that is filled; raises `TooLarge` where they do not come apart.
    `symmetry` is what may be exchanged: what comes to the same is gone through once.
    """

    def __init__(
        self, circuit: Circuit, encoding: Encoding, space: Space, root: int, symmetry: Symmetry, most: int = MAX_STEPS
    ) -> None:  # fmt: skip
        self.circuit, self.space, self.root, self.symmetry, self.most = circuit, space, root, symmetry, most
        self.cells = len(space.order)
        if space.tall or self.cells > MAX_CELLS:
            raise TooLarge
        self.steps = 0
        self._known: dict[tuple[object, ...], int] = {}
        self._last: tuple[tuple[int, ...], bool, Meeting] | None = None
        cone = circuit.cone([root])
        self.faces = [v for v in range(1, len(space.values)) if space.weights[v]]
        cells: dict[int, int] = {}
        for node in cone:
            cells[node] = cells_read(circuit, node, cells)
        self.whole = sum(space.weights[v] for v in self.faces)
        self.cone, self.cells_of = cone, cells
        for sides in _sides(encoding, [space.values[v][-1] for v in self.faces], _attributes(circuit, cone)):
            self._split(encoding, sides)
            if self._is_product():
                return
        raise TooLarge

    def _split(self, encoding: Encoding, sides: dict[str, int]) -> None:
        """Find what each part asks of single cards, and what is made of that."""
        circuit, cone, cells = self.circuit, self.cone, self.cells_of
        reads: dict[int, int] = {}
        for node in cone:
            reads[node] = _side_of(circuit, node, sides, reads)
        # Leaves ask one part of one card and nothing else.
        leaves = {n for n in cone if cells[n].bit_count() <= 1 and reads[n] != BOTH}
        self.above = [n for n in cone if n not in leaves]
        self.asked = sorted(
            {o for n in self.above for o in operands(circuit, n) if o in leaves} | ({self.root} & leaves)
        )
        self.cell_of = {n: cells[n].bit_length() - 1 for n in self.asked}
        self.planes = cell_planes(circuit, encoding, self.space, sorted(leaves), cells)
        self.side = {n: reads[n] for n in self.asked}
        self.shared = {part: self._shared(encoding, [name for name in sides if sides[name] == part]) for part in PARTS}
        self.classes = [
            {part: self.shared[part] or self._classes(cell, part) for part in PARTS} for cell in range(self.cells)
        ]

    def _shared(self, encoding: Encoding, names: list[str]) -> list[list[int]]:
        """The faces by the value of the only attribute of a part, where its values may be exchanged for each other."""
        if len(names) != 1 or names[0] not in self.symmetry.alike:
            return []
        table = encoding.component.attributes[names[0]].table
        groups: dict[object, list[int]] = {}
        for v in self.faces:
            groups.setdefault(table[self.space.values[v][-1]], []).append(v)
        found = list(groups.values())
        whole = len(encoding.values(names[0]))
        even = len({sum(self.space.weights[v] for v in kind) for kind in found}) == 1
        return found if even and len(found) == whole else []

    # ---- kinds of cards

    def _classes(self, cell: int, part: int) -> list[list[int]]:
        """The faces that one part of the circuit tells apart on a cell."""
        nodes = [n for n in self.asked if self.cell_of[n] == cell and self.side[n] == part]
        groups: dict[tuple[int, ...], list[int]] = {}
        for v in self.faces:
            groups.setdefault(tuple(self.planes[n] >> v & 1 for n in nodes), []).append(v)
        return list(groups.values())

    def _is_product(self) -> bool:
        """Whether each kind of the one part goes with each kind of the other as often as its share says."""
        weights = self.space.weights
        for classes in self.classes:
            for one in classes[1]:
                for other in classes[2]:
                    both = sum(weights[v] for v in set(one) & set(other))
                    if both * self.whole != sum(weights[v] for v in one) * sum(weights[v] for v in other):
                        return False
        return True

    # ---- counting

    def count(self, filled: Sequence[int]) -> int:
        """How many boards with cards on just these cells fulfil the objective."""
        return sum(self._meeting(filled, True).weights()) // self.whole ** len(filled)

    def exists(self, filled: Sequence[int]) -> bool:
        """Whether there is one."""
        return self._meeting(filled).exists()

    def boards(self, filled: Sequence[int], rng: random.Random | None = None) -> Iterator[Board]:
        """Some boards with cards on just these cells that fulfil the objective."""
        for ways in self._meeting(filled).pairs(rng):
            board = [EMPTY] * self.cells
            for cell in filled:
                # Where one part asks nothing of a cell, anything goes there.
                one, other = (
                    self.classes[cell][part][ways[part][cell]] if cell in ways[part] else self.faces for part in PARTS
                )
                fitting = [v for v in one if v in other]
                board[cell] = rng.choice(fitting) if rng else fitting[0]
            yield tuple(board)

    def _meeting(self, filled: Sequence[int], weighed: bool = False) -> Meeting:
        """The circuit on these cells, with what the outer part tells it; the last one is kept, for it is often asked
        again. Unless it is `weighed`, nothing is said about how many ways there are.
        """
        if self._last is None or self._last[0] != tuple(filled) or self._last[1] < weighed:
            self._last = (tuple(filled), weighed, self._met(filled, weighed))
        return self._last[2]

    def _met(self, filled: Sequence[int], weighed: bool) -> Meeting:
        circuit, made = Circuit(), dict[int, int]()
        some = set(filled)
        asked: dict[int, int] = {}
        side: dict[int, int] = {}
        every = sum(1 << v for v in self.faces)
        for node in self.asked:
            cell, plane = self.cell_of[node], self.planes[node]
            if self.circuit.ops[node] == CONST:
                made[node] = node
            elif cell not in some or plane & every in (0, every):
                made[node] = TRUE if plane & (1 if cell not in some else every) else FALSE
            else:
                made[node] = circuit.input(node)
                side[made[node]] = self.side[node]
                asked[made[node]] = node
        for node in self.above:
            made[node] = _remade(circuit, self.circuit.ops[node], [made[o] for o in operands(self.circuit, node)])
        self._spend(len(self.above), 0)
        root = made[self.root]
        cone = circuit.cone([root])
        for node in cone:
            side.setdefault(node, 0)
            for operand in operands(circuit, node):
                side[node] |= side[operand]
        asked = {node: of for node, of in asked.items() if node in side and node in cone}
        cells = {part: tuple(sorted({self.cell_of[of] for of in asked.values() if self.side[of] == part})) for part in PARTS}
        both = {part: self._ways(part, filled, cells[part], self.symmetry.within(filled)) for part in PARTS}
        outer, inner = sorted(PARTS, key=lambda part: both[part].count)
        ways = both[outer]
        if ways.count > MAX_WAYS:
            raise TooLarge
        mixed = [n for n in cone if side[n] == BOTH]
        meets = {o for n in mixed for o in operands(circuit, n)} | {root}
        told = [n for n in cone if side[n] == outer and n in meets]
        program = Program(circuit, told)
        self._spend(len(program.steps), ways.count)
        found = program.run({node: self._plane(ways, asked[node]) for node in program.inputs}, ways.count)
        full = (1 << ways.count) - 1
        cases = self._cases(found, self._weights(ways, outer) if weighed else {1: full}, full)

        def box(cells: tuple[int, ...]) -> Box:
            own = self._ways(inner, cells, cells, frozenset())
            if own.count > MAX_WAYS:
                raise TooLarge
            leaf = {node: of for node, of in asked.items() if self.side[of] == inner}
            weights = self._weights(own, inner) if weighed else {1: (1 << own.count) - 1}
            return Box(circuit, own, weights, lambda node: self._plane(own, leaf[node]), self._spend)

        reads = {node: (self.cell_of[of], self.planes[of] & every) for node, of in asked.items()}
        each = self.whole if weighed else 1
        # Unless they are weighed, ways are counted by kinds, of which not every cell has as many.
        known = self._known if weighed else {}
        return Meeting(
            circuit, root, mixed, told, cases, ways, (outer, inner), filled, reads, each, box, known, self._spend
        )  # fmt: skip

    def _ways(self, part: int, filled: Sequence[int], asked: Collection[int], moves: frozenset[Move] | None) -> Ways:
        """The ways to fill the cells with the kinds that one part tells apart; of ways that may be exchanged, one."""
        if self.shared[part]:
            shared = ways_to_share(len(filled), len(self.shared[part]), moves)
            return Ways(len(shared), tuple(filled), [], shared)
        sizes = [len(self.classes[cell][part]) if cell in asked else 1 for cell in filled]
        return Ways(prod(sizes), tuple(filled), sizes)

    def _plane(self, ways: Ways, of: int) -> int:
        """The ways, as bits, for which what is asked of a card holds."""
        cell = self.cell_of[of]
        kinds = self.classes[cell][self.side[of]]
        return ways.plane(cell, [at for at, kind in enumerate(kinds) if self.planes[of] >> kind[0] & 1])

    def _weights(self, ways: Ways, part: int) -> dict[int, int]:
        """The ways, as bits, by how many boards they stand for: most decks hold some kinds as often as others, so there
        are few such numbers.
        """
        weights: dict[int, int] = {}
        if ways.shared:
            each = sum(self.space.weights[v] for v in self.shared[part][0]) ** len(ways.cells)
            for number, (_, times) in enumerate(ways.shared):
                weights[times * each] = weights.get(times * each, 0) | 1 << number
            return weights
        weights, stride = {1: 1}, 1
        for cell, size in zip(ways.cells, ways.sizes, strict=True):
            kinds = self.classes[cell][part] if size > 1 else [self.faces]
            own = [sum(self.space.weights[v] for v in kind) for kind in kinds]
            grown: dict[int, int] = {}
            for weight, plane in weights.items():
                for at, more in enumerate(own):
                    grown[weight * more] = grown.get(weight * more, 0) | plane << at * stride
            weights, stride = grown, stride * size
        return weights

    def _cases(self, told: list[int], weights: dict[int, int], full: int) -> list[Case]:
        cases: list[Case] = []
        pending: list[tuple[int, tuple[int, ...]]] = [(full, ())] if full else []
        size = full.bit_length()
        while pending:
            ways, known = pending.pop()
            if len(known) == len(told):
                if len(cases) >= MAX_CASES:
                    raise TooLarge
                self._spend(len(weights) + 2, size)
                weight = sum(w * (ways & of).bit_count() for w, of in weights.items())
                cases.append(Case(known, weight, (ways & -ways).bit_length() - 1))
                continue
            self._spend(2, size)
            holds = ways & told[len(known)]
            if holds != ways:
                pending.append((ways ^ holds, (*known, 0)))
            if holds:
                pending.append((holds, (*known, 1)))
        return cases

    def _spend(self, operations: int, bits: int) -> None:
        self.steps += operations * (1 + bits // BITS_A_STEP)
        if self.steps > self.most:
            raise TooLarge


class Box:
    """Nodes of the inner part computed for all ways to fill some cells, one bit a way."""

    def __init__(
        self, circuit: Circuit, ways: Ways, weights: dict[int, int], leaf: Callable[[int], int],
        spend: Callable[[int, int], None],
    ) -> None:  # fmt: skip
        self.circuit, self.ways, self.weights, self.leaf, self.spend = circuit, ways, weights, leaf, spend
        self.full = (1 << ways.count) - 1
        self.planes: dict[int, int] = {}

    def weight(self, node: int) -> int:
        """The weight of the ways for which a node holds."""
        plane = self.plane(node)
        self.spend(len(self.weights), self.ways.count)
        return sum(weight * (plane & of).bit_count() for weight, of in self.weights.items())

    def plane(self, root: int) -> int:
        """The ways, as bits, for which a node holds."""
        circuit, planes = self.circuit, self.planes
        if len(planes) * self.ways.count > MAX_KEPT:
            planes.clear()
        pending = [root]
        while pending:
            node = pending[-1]
            of = [o for o in operands(circuit, node) if o not in planes]
            if node not in planes and not of:
                self.spend(1, self.ways.count)
                planes[node] = self._computed(node)
            if node in planes:
                pending.pop()
            pending += of
        return planes[root]

    def _computed(self, node: int) -> int:
        circuit, planes = self.circuit, self.planes
        op = circuit.ops[node]
        if op == CONST:
            return self.full if node else 0
        if op == INPUT:
            return self.leaf(node)
        a = planes[circuit.left[node]]
        if op == NOT:
            return a ^ self.full
        b = planes[circuit.right[node]]
        return a & b if op == AND else a | b if op == OR else a ^ b


class Meeting:
    """What is left of the circuit when the outer part has told it a case, weighed over the ways of the inner part."""

    def __init__(
        self, circuit: Circuit, root: int, mixed: list[int], told: list[int], cases: list[Case], ways: Ways,
        parts: tuple[int, int], filled: Sequence[int], reads: dict[int, tuple[int, int]], each: int,
        box: Callable[[tuple[int, ...]], Box], known: dict[tuple[object, ...], int], spend: Callable[[int, int], None],
    ) -> None:  # fmt: skip
        self.circuit, self.root, self.told, self.cases, self.ways = circuit, root, told, cases, ways
        self.parts, self.filled, self.each, self.spend = parts, tuple(filled), each, spend
        self.mixed = [(n, circuit.ops[n], circuit.left[n], circuit.right[n]) for n in mixed]
        self._make_box = box
        self._boxes: dict[tuple[int, ...], Box] = {}
        self.reads, self.known = reads, known
        self._reads = {node: 1 << cell for node, (cell, _) in reads.items()}
        self._weights: dict[int, int] = {}

    def rest(self, case: Case) -> int:
        """The node of the inner part to which the root comes down in a case."""
        circuit = self.circuit
        functions = {AND: circuit.and_, OR: circuit.or_, XOR: circuit.xor}
        made = dict(zip(self.told, case.told, strict=True))
        self.spend(len(self.mixed), 0)
        for node, op, left, right in self.mixed:
            a = made.get(left, left)
            made[node] = circuit.not_(a) if op == NOT else functions[op](a, made.get(right, right))
        return made.get(self.root, self.root)

    # ---- weighing

    def weights(self) -> Iterator[int]:
        """For each case the weight of all boards on which it holds."""
        for case in self.cases:
            node = self.rest(case)
            yield case.weight * self.weight(node) * self._whole(len(self.filled) - self.cells(node).bit_count())

    def cells(self, node: int) -> int:
        """The cells that a node of the inner part reads, as a mask."""
        reads, circuit = self._reads, self.circuit
        pending = [node]
        while pending:
            at = pending[-1]
            of = operands(circuit, at)
            missing = [o for o in of if o not in reads]
            if not missing:
                mask = reads.get(at, 0)
                for o in of:
                    mask |= reads[o]
                reads[at] = mask
                pending.pop()
            pending += missing
        return reads[node]

    def _whole(self, cells: int) -> int:
        return self.each**cells

    def weight(self, node: int) -> int:
        """The weight of the ways to fill the cells that a node reads for which it holds: parts that share no cell are
        weighed one by one.
        """
        if node <= TRUE:
            return node
        found = self._weights.get(node)
        if found is None:
            op, size = self.circuit.ops[node], self.cells(node).bit_count()
            if op == NOT:
                found = self._whole(size) - self.weight(self.circuit.left[node])
            elif op in (AND, OR) and len(apart := self._apart(node, op)) > 1:
                found = 1
                for part in apart:
                    holds, whole = self.weight(part), self._whole(self.cells(part).bit_count())
                    found *= holds if op == AND else whole - holds
                if op == OR:
                    found = self._whole(size) - found
            else:
                key = self._said(node)
                if key not in self.known:
                    self.known[key] = self.box(self.cells(node)).weight(node)
                found = self.known[key]
            self._weights[node] = found
        return found

    def _said(self, node: int) -> tuple[object, ...]:
        """What a node says, whatever its cells are: the same key on two sets of cells has the same weight."""
        circuit, cone = self.circuit, self.circuit.cone([node])
        numbers = {n: at for at, n in enumerate(cone)}
        mask = self.cells(node)
        said: list[object] = []
        for n in cone:
            if circuit.ops[n] == INPUT:
                cell, asked = self.reads[n]
                said.append((asked, (mask & ((1 << cell) - 1)).bit_count()))
            else:
                said.append((circuit.ops[n], *[numbers[o] for o in operands(circuit, n)]))
        self.spend(len(cone), 0)
        return tuple(said)

    def _apart(self, node: int, op: int) -> list[int]:
        """The parts of which a node is made by one operation, those put together that share cells."""
        circuit = self.circuit
        parts: list[tuple[int, int]] = []
        pending = [node]
        while pending:
            at = pending.pop()
            if circuit.ops[at] == op:
                pending += operands(circuit, at)
                continue
            mask, together = self.cells(at), at
            for other in [one for one in parts if one[0] & mask]:
                parts.remove(other)
                mask |= other[0]
                together = circuit.and_(together, other[1]) if op == AND else circuit.or_(together, other[1])
            if together <= TRUE:
                return [node]
            parts.append((mask, together))
        return [part for _, part in parts]

    def box(self, mask: int) -> Box:
        cells = tuple(cell for cell in self.filled if mask >> cell & 1)
        if cells not in self._boxes:
            self._boxes[cells] = self._make_box(cells)
        return self._boxes[cells]

    # ---- boards

    def exists(self) -> bool:
        """Whether there is a board."""
        return any(self.weight(self.rest(case)) for case in self.cases)

    def pairs(self, rng: random.Random | None) -> Iterator[dict[int, dict[int, int]]]:
        """Ways of both parts that go together, as the kinds of the cells: the first found, or some by chance."""
        outer, inner = self.parts
        for case in rng.sample(self.cases, len(self.cases)) if rng else self.cases:
            node = self.rest(case)
            if not self.weight(node):
                continue
            box = self.box(self.cells(node))
            going = box.plane(node)
            for _ in range(min(going.bit_count(), TRIES if rng is None else 4)):
                start = rng.randrange(box.ways.count) if rng else 0
                above = going >> start
                way = (above & -above).bit_length() - 1 + start if above else (going & -going).bit_length() - 1
                if rng is None:
                    going &= going - 1
                yield {outer: self.ways.kinds(case.first), inner: box.ways.kinds(way)}


def filled_sets(cells: int) -> Iterator[tuple[int, ...]]:
    """All sets of cells, small ones first."""
    for size in range(cells + 1):
        yield from combinations(range(cells), size)


# ---- making it -------------------------------------------------------------------------------------------------------


def _attributes(circuit: Circuit, cone: list[int]) -> list[str]:
    found: dict[str, None] = {}
    for node in cone:
        if circuit.ops[node] == INPUT:
            found[circuit.keys[node][0]] = None  # type: ignore[index]
    return sorted(name for name in found if name != "there")


def _sides(encoding: Encoding, faces: list[int], names: list[str]) -> Iterator[dict[str, int]]:
    """The attributes in two parts, first in those of as few kinds of cards as can be."""

    def kinds(part: tuple[str, ...]) -> int:
        tables = [encoding.component.attributes[name].table for name in part]
        return len({tuple(table[face] for table in tables) for face in faces})

    ways = [part for size in range(len(names) + 1) for part in combinations(names, size)]
    ways.sort(key=lambda part: max(kinds(part), kinds(tuple(n for n in names if n not in part))))
    for one in ways:
        yield {name: 1 if name in one else 2 for name in names}


def _side_of(circuit: Circuit, node: int, sides: dict[str, int], reads: dict[int, int]) -> int:
    if circuit.ops[node] == INPUT:
        return sides.get(circuit.keys[node][0], 0)  # type: ignore[index]
    mask = 0
    for operand in operands(circuit, node):
        mask |= reads[operand]
    return mask


def _remade(circuit: Circuit, op: int, of: list[int]) -> int:
    if op == NOT:
        return circuit.not_(of[0])
    return (circuit.and_, circuit.or_, circuit.xor)[op - NOT - 1](*of)


def _repeated(plane: int, stride: int, times: int) -> int:
    made = 0
    for at in range(times):
        made |= plane << at * stride
    return made


def _digits(way: int, sizes: list[int]) -> list[int]:
    digits = []
    for size in sizes:
        way, digit = divmod(way, size)
        digits.append(digit)
    return digits
