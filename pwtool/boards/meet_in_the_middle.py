"""An objective on one set of filled cells, when one part of the attributes is known: how many values of the other part
fulfil it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod

from pwtool.boards.circuit import AND, CONST, FALSE, INPUT, NOT, OR, TRUE, Circuit
from pwtool.boards.diagrams import operands
from pwtool.boards.symmetry import Shared

# Bits of results that are kept for the next case.
MAX_KEPT = 1 << 27
TRIES = 200
# Up to this many ways it is remembered which of them have some kinds on a cell: other sets of cells need it again.
MAX_KNOWN = 1 << 16


@dataclass(slots=True)
class Case:
    """What the outer part tells the rest of the circuit, the total weight of all ways that tell it this, and the first of these
    ways.
    """

    told: tuple[int, ...]
    weight: int
    first: int


@dataclass(slots=True)
class Ways:
    """The ways to fill some cells in one part: all of them, with a given number of kinds on each cell, or (`shared`) one of each
    class of interchangeable ways, with the size of the class.
    """

    count: int
    cells: tuple[int, ...]
    sizes: list[int]
    shared: Shared | None = None

    def plane(self, cell: int, kinds: Sequence[int]) -> int:
        """The ways, as bits, that have one of these kinds on a cell."""
        at = self.cells.index(cell)
        if self.shared is not None:
            return sum(self.shared.plane(at, kind) for kind in kinds)
        make = _known_plane if self.count <= MAX_KNOWN else _known_large_plane
        return make(tuple(self.sizes), at, tuple(kinds))

    def kinds(self, number: int) -> dict[int, int]:
        """The kinds that lie on the cells in one of the ways."""
        if self.shared is not None:
            return dict(zip(self.cells, self.shared.ways[number], strict=True))
        digits = zip(self.cells, self.sizes, _digits(number, self.sizes), strict=True)
        return {cell: digit for cell, size, digit in digits if size > 1}


class Box:
    """Nodes of the inner part, computed for all ways to fill some cells, one bit per way."""

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
        ops, left, right, full = circuit.ops, circuit.left, circuit.right, self.full
        order = self._order(root)
        # If they are too many to be kept, each is forgotten when it was used for the last time.
        forgets = len(order) * self.ways.count > MAX_KEPT
        self.spend(len(order), self.ways.count)
        uses = Counter(operand for node in order for operand in operands(circuit, node)) if forgets else Counter[int]()
        for node in order:
            op = ops[node]
            if op == CONST:
                plane = full if node else 0
            elif op == INPUT:
                plane = self.leaf(node)
            else:
                a = planes[left[node]]
                b = a if op == NOT else planes[right[node]]
                plane = a ^ full if op == NOT else a & b if op == AND else a | b if op == OR else a ^ b
            planes[node] = plane
            for operand in operands(circuit, node) if forgets else ():
                uses[operand] -= 1
                if not uses[operand]:
                    planes.pop(operand, None)
        return planes[root]

    def _order(self, root: int) -> list[int]:
        """The nodes that have to be computed for a node, operands first."""
        ops, left, right, planes = self.circuit.ops, self.circuit.left, self.circuit.right, self.planes
        found = set() if root in planes else {root}
        pending = list(found)
        for node in pending:
            if (op := ops[node]) >= NOT:
                if (under := left[node]) not in planes and under not in found:
                    found.add(under)
                    pending.append(under)
                if op != NOT and (under := right[node]) not in planes and under not in found:
                    found.add(under)
                    pending.append(under)
        return sorted(found)


@dataclass(slots=True)
class Known:
    """Weights that were computed on other sets of cells: numbers for statements about cards, and the weights by these numbers."""

    said: dict[tuple[int, ...], int] = field(default_factory=dict)
    weights: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class Stage:
    """Some parts of the root: the outer nodes that they read (`asked`), by number, the steps that compute the parts from these
    nodes, and the results so far. `made` are the nodes of the `last` case, of which the next one changes those that it
    `reaches`: for each step the asked nodes on which it depends, as bits.
    """

    asked: frozenset[int]
    parts: list[int]
    steps: list[tuple[int, int, int, int]]
    reaches: list[int] = field(default_factory=list)
    made: dict[int, int] = field(default_factory=dict)
    last: tuple[int, ...] = ()
    known: dict[tuple[int, ...], int] = field(default_factory=dict)


class MeetInTheMiddle:
    """What is left of the circuit once the outer part has told it a case, weighed over the ways of the inner part."""

    def __init__(
        self, circuit: Circuit, root: int, mixed: list[int], told: list[int], cases: list[Case], ways: Ways,
        parts: tuple[int, int], filled: Sequence[int], reads: dict[int, tuple[int, int]], each: int,
        box: Callable[[tuple[int, ...]], Box], known: Known, spend: Callable[[int, int], None],
    ) -> None:  # fmt: skip
        self.circuit, self.root, self.told, self.cases, self.ways = circuit, root, told, cases, ways
        self.parts, self.filled, self.each, self.spend = parts, tuple(filled), each, spend
        self.stages = self._staged(mixed)
        self._make_box = box
        self._boxes: dict[tuple[int, ...], Box] = {}
        self.reads, self.known = reads, known
        self._reads = {node: 1 << cell for node, (cell, _) in reads.items()}
        self._weights: dict[int, int] = {}
        self._numbers: dict[int, int] = {FALSE: -2, TRUE: -1}

    def _staged(self, mixed: list[int]) -> list[Stage]:
        """The parts that the root combines by one operation, those with few steps first."""
        circuit, known = self.circuit, set(mixed)
        op = circuit.ops[self.root]
        if op not in (AND, OR):
            op = CONST
        parts, pending = dict[int, None](), [self.root]
        while pending:
            at = pending.pop()
            if circuit.ops[at] == op and at in known:
                pending += operands(circuit, at)
            else:
                parts[at] = None
        numbers = {node: at for at, node in enumerate(self.told)}
        groups: dict[frozenset[int], list[int]] = {}
        for part in parts:
            own = self._mixed_in([part], known)
            asked = frozenset(numbers[o] for n in (*own, part) for o in (*operands(circuit, n), n) if o in numbers)
            groups.setdefault(asked, []).append(part)
        stages: list[Stage] = []
        for asked, own in sorted(groups.items(), key=lambda group: -len(group[0])):
            # A part that reads no more than another stage is computed with that stage.
            home = next((stage for stage in stages if asked <= stage.asked), None)
            if home is None:
                stages.append(Stage(asked, own, []))
            else:
                home.parts += own
        for stage in stages:
            cone = self._mixed_in(stage.parts, known)
            stage.steps = [(n, circuit.ops[n], circuit.left[n], circuit.right[n]) for n in cone]
            reach = {self.told[at]: 1 << place for place, at in enumerate(stage.asked)}
            for n, op, left, right in stage.steps:
                reach[n] = reach.get(left, 0) | (0 if op == NOT else reach.get(right, 0))
                stage.reaches.append(reach[n])
        return sorted(stages, key=lambda stage: len(stage.steps))

    def _mixed_in(self, roots: list[int], mixed: set[int]) -> list[int]:
        """The mixed nodes that these depend on, in order of evaluation: what depends on one is mixed itself."""
        found = mixed.intersection(roots)
        pending = list(found)
        for node in pending:
            for under in operands(self.circuit, node):
                if under in mixed and under not in found:
                    found.add(under)
                    pending.append(under)
        return sorted(found)

    def rest(self, case: Case) -> int:
        """The node of the inner part to which the root simplifies in a case."""
        op = self.circuit.ops[self.root]
        found = []
        for stage in self.stages:
            key = tuple([case.told[at] for at in stage.asked])
            if key not in stage.known:
                stage.known[key] = self._remade(stage, key)
            found.append(stage.known[key])
            if found[-1] == (FALSE if op == AND else TRUE):
                return found[-1]
        return self._together(found)

    def _remade(self, stage: Stage, key: tuple[int, ...]) -> int:
        """The node of the parts of a stage if the nodes that it asks are these."""
        steps, made = stage.steps, stage.made
        if made:
            # Cases that follow each other differ in little.
            changed = sum(1 << at for at, (new, old) in enumerate(zip(key, stage.last, strict=True)) if new != old)
            steps = [step for step, reach in zip(steps, stage.reaches, strict=True) if reach & changed]
        self.spend(len(steps), 0)
        made.update(zip([self.told[at] for at in stage.asked], key, strict=True))
        stage.last = key
        self.circuit.remake(steps, made)
        return self._together([made.get(part, part) for part in stage.parts])

    def _together(self, parts: list[int]) -> int:
        if len(parts) == 1:
            return parts[0]
        return self.circuit.all_of(parts) if self.circuit.ops[self.root] == AND else self.circuit.any_of(parts)

    # ---- weighing

    def weights(self) -> Iterator[int]:
        """For each case, the weight of all boards on which the root holds."""
        for case in self.cases:
            node = self.rest(case)
            yield case.weight * self.weight(node) * self._whole(len(self.filled) - self.cells(node).bit_count())

    def cells(self, node: int) -> int:
        """The cells that a node of the inner part reads, as a mask."""
        reads, circuit = self._reads, self.circuit
        found = reads.get(node)
        if found is not None:
            return found
        ops, left, right = circuit.ops, circuit.left, circuit.right
        pending = [node]
        while pending:
            at = pending[-1]
            op = ops[at]
            if at in reads or op in (CONST, INPUT):
                reads.setdefault(at, 0)
                pending.pop()
                continue
            a = reads.get(left[at])
            b = a if op == NOT else reads.get(right[at])
            if a is None:
                pending.append(left[at])
            if b is None and op != NOT:
                pending.append(right[at])
            if a is not None and b is not None:
                reads[at] = a | b
                pending.pop()
        return reads[node]

    def _whole(self, cells: int) -> int:
        whole: int = self.each**cells
        return whole

    def weight(self, node: int) -> int:
        """The weight of the ways to fill the cells that a node reads, for which the node holds: parts that share no cell are weighed
        separately.
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
                if key not in self.known.weights:
                    self.known.weights[key] = self.box(self.cells(node)).weight(node)
                found = self.known.weights[key]
            self._weights[node] = found
        return found

    def _said(self, root: int) -> int:
        """A number for what a node says about its cards: the same for every set of cells."""
        circuit, said, made = self.circuit, self._numbers, self.known.said
        ops, left, right = circuit.ops, circuit.left, circuit.right
        pending = [root]
        while pending:
            node = pending[-1]
            if node in said:
                pending.pop()
                continue
            op = ops[node]
            if op == INPUT:
                key: tuple[int, ...] = (op, *self.reads[node])
            else:
                a = said.get(left[node])
                b = a if op == NOT else said.get(right[node])
                if a is None or b is None:
                    if a is None:
                        pending.append(left[node])
                    if b is None and op != NOT:
                        pending.append(right[node])
                    continue
                key = (op, a) if op == NOT else (op, a, b) if a < b else (op, b, a)
            said[node] = made.setdefault(key, len(made))
            pending.pop()
        return said[root]

    def _apart(self, node: int, op: int) -> list[int]:
        """The parts that a node combines by one operation; parts that share cells are put together."""
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
        """Pairs of ways of both parts that go together, as the kinds on the cells: the first found, or random ones."""
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


def _plane(sizes: tuple[int, ...], at: int, kinds: tuple[int, ...]) -> int:
    """Of all ways with a given number of kinds on each cell, those, as bits, that have one of some kinds on a cell."""
    stride = prod(sizes[:at])
    one = (1 << stride) - 1
    plane = sum(one << kind * stride for kind in kinds)
    stride *= sizes[at]
    for size in sizes[at + 1 :]:
        plane, stride = _repeated(plane, stride, size), stride * size
    return plane


_known_plane = lru_cache(maxsize=2048)(_plane)
# Each has up to half a megabyte: few sizes of boxes have so many ways.
_known_large_plane = lru_cache(maxsize=96)(_plane)


def _repeated(plane: int, stride: int, times: int) -> int:
    made, done = plane if times else 0, 1
    while done < times:
        # What repeats may overlap itself.
        more = min(done, times - done)
        made |= made << more * stride
        done += more
    return made


def _digits(way: int, sizes: list[int]) -> list[int]:
    digits = []
    for size in sizes:
        way, digit = divmod(way, size)
        digits.append(digit)
    return digits
