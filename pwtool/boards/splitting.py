"""Boards counted without a diagram: one set of filled cells after the other, the attributes of the cards in two parts.

An objective that looks at two attributes at once, such as groups of one attribute and groups of another, may need a
diagram that no machine holds: after a row it has to remember both of every card. But where the decks hold each kind of
the one with each kind of the other, the two do not know of each other. So for every set of filled cells all ways to
fill it are gone through for each part alone (one bit a way, as in `bulk`), and brought together by what the rest of the
circuit is told of them: of thousands of millions of boards only a few thousand cases are left.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import gcd, prod

from pwtool.boards.bulk import Program
from pwtool.boards.circuit import AND, CONST, FALSE, INPUT, NOT, TRUE, Circuit
from pwtool.boards.diagrams import TooLarge, cell_planes, cells_read, operands
from pwtool.boards.encoding import Encoding
from pwtool.boards.search import Board
from pwtool.boards.spaces import EMPTY, Space

# Of one part: the ways to fill a set of cells, and the cases that they are brought down to.
MAX_WAYS = 1 << 23
MAX_CASES = 20_000
MAX_CELLS = 12
# All in all: steps of a plain machine (an operation, and one more for every so many bits), some 4 s of time.
MAX_STEPS = 30_000_000
FEW_STEPS = 4_000_000
BITS_A_STEP = 4_000
PARTS = (1, 2)
BOTH = 3
TRIES = 200


@dataclass(slots=True)
class Case:
    """What the rest of the circuit is told, the weight of all ways that tell it so, and the first of these ways."""

    told: tuple[int, ...]
    weight: int
    first: int


@dataclass(slots=True)
class Part:
    """One part of the attributes on one set of cells: where it meets the rest of the circuit, and its cases."""

    meets: list[int]
    cases: list[Case]
    sizes: list[int]


class Apart:
    """An objective's boards by the set of cells that is filled; raises `TooLarge` where they do not come apart."""

    def __init__(
        self, circuit: Circuit, encoding: Encoding, space: Space, root: int, most: int = MAX_STEPS
    ) -> None:  # fmt: skip
        self.circuit, self.space, self.root, self.most = circuit, space, root, most
        self.cells = len(space.order)
        if space.tall or self.cells > MAX_CELLS:
            raise TooLarge
        self.steps = 0
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
        self.classes = [{part: self._classes(cell, part) for part in PARTS} for cell in range(self.cells)]

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
        meeting = self._meeting(filled, True)
        total: int = sum(outer * inner for outer, inner in meeting.weights())
        self.steps = meeting.steps
        return int(total // self.whole ** len(filled))

    def exists(self, filled: Sequence[int]) -> bool:
        """Whether there is one."""
        meeting = self._meeting(filled)
        found = any(going for _, going in meeting.results())
        self.steps = meeting.steps
        return found

    def boards(self, filled: Sequence[int], rng: random.Random | None = None) -> Iterator[Board]:
        """Some boards with cards on just these cells that fulfil the objective."""
        meeting = self._meeting(filled)
        for ways in meeting.pairs(rng):
            board = [EMPTY] * self.cells
            digits = {part: _digits(way, meeting.parts[part].sizes) for part, way in ways.items()}
            for at, cell in enumerate(filled):
                one, other = (self.classes[cell][part][digits[part][at]] for part in PARTS)
                fitting = [v for v in one if v in other]
                board[cell] = rng.choice(fitting) if rng else fitting[0]
            yield tuple(board)

    def _meeting(self, filled: Sequence[int], weighed: bool = False) -> Meeting:
        """The circuit on these cells, with what each part tells it; the last one is kept, for it is often asked again.
        Unless it is `weighed`, nothing is said about how many ways there are.
        """
        if self._last is None or self._last[0] != tuple(filled) or self._last[1] < weighed:
            self._last = (tuple(filled), weighed, self._met(filled, weighed))
        meeting = self._last[2]
        meeting.steps = self.steps
        return meeting

    def _met(self, filled: Sequence[int], weighed: bool) -> Meeting:
        circuit, made = Circuit(), dict[int, int]()
        some = set(filled)
        asked: dict[int, list[tuple[int, int]]] = {1: [], 2: []}
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
                asked[self.side[node]].append((made[node], node))
        for node in self.above:
            made[node] = _remade(circuit, self.circuit.ops[node], [made[o] for o in operands(self.circuit, node)])
        root = made[self.root]
        cone = circuit.cone([root])
        for node in cone:
            side.setdefault(node, 0)
            for operand in operands(circuit, node):
                side[node] |= side[operand]
        mixed = [n for n in cone if side[n] == BOTH]
        meets = {o for n in mixed for o in operands(circuit, n)} | {root}
        self.steps += len(self.above)
        parts = {}
        for part in PARTS:
            nodes = [n for n in cone if n in meets and side[n] == part]
            parts[part] = self._part(circuit, part, filled, nodes, asked[part], weighed)
        return Meeting(circuit, root, parts, self.steps, self.most)

    def _part(
        self, circuit: Circuit, part: int, filled: Sequence[int], meets: list[int], asked: list[tuple[int, int]],
        weighed: bool,
    ) -> Part:  # fmt: skip
        """All ways to fill the cells with the kinds that one part tells apart, brought down to cases."""
        known = {node for node in circuit.cone(meets) if circuit.ops[node] == INPUT}
        asked = [(node, of) for node, of in asked if node in known]
        sizes = [
            len(self.classes[cell][part]) if any(self.cell_of[of] == cell for _, of in asked) else 1 for cell in filled
        ]
        count = prod(sizes)
        if count > MAX_WAYS:
            raise TooLarge
        planes: dict[int, int] = {}
        # Ways by their weight: most decks hold some kinds as often as others, so there are few weights.
        weights: dict[int, int] = {1: 1}
        stride = 1
        for cell, size in zip(filled, sizes, strict=True):
            kinds = self.classes[cell][part] if size > 1 else [self.faces]
            own = [sum(self.space.weights[v] for v in kind) if weighed else 1 for kind in kinds]
            planes = {n: _repeated(plane, stride, size) for n, plane in planes.items()}
            for node, of in asked:
                if self.cell_of[of] == cell:
                    holds = [self.planes[of] >> kind[0] & 1 for kind in kinds]
                    planes[node] = sum(((1 << stride) - 1) << at * stride for at, bit in enumerate(holds) if bit)
            grown: dict[int, int] = {}
            for weight, ways in weights.items():
                for at, more in enumerate(own):
                    grown[weight * more] = grown.get(weight * more, 0) | ways << at * stride
            weights, stride = grown, stride * size
        program = Program(circuit, meets)
        self._spend(len(program.steps), count)
        return Part(meets, self._cases(program.run(planes, count), weights, (1 << count) - 1), sizes)

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


class Meeting:
    """The cases of both parts brought together: the fewer are gone through one by one, the others all at once."""

    def __init__(self, circuit: Circuit, root: int, parts: dict[int, Part], steps: int, most: int) -> None:
        self.parts, self.steps, self.most = parts, steps, most
        self.one, self.all = sorted(PARTS, key=lambda part: len(parts[part].cases))
        outer, inner = parts[self.one], parts[self.all]
        self.count = len(inner.cases)
        self.told = [
            sum(1 << at for at, case in enumerate(inner.cases) if case.told[n]) for n in range(len(inner.meets))
        ]
        # The weights of the inner cases as planes of their bits: then a sum of weights is a few counts of bits.
        self.unit = gcd(*(case.weight for case in inner.cases)) or 1
        bits = max(case.weight // self.unit for case in inner.cases).bit_length()
        self.bits = [
            sum(1 << at for at, case in enumerate(inner.cases) if case.weight // self.unit >> bit & 1)
            for bit in range(bits)
        ]
        self.constant = root if root <= TRUE else None
        self.met = [*outer.meets, *inner.meets]
        self.rest = _rest(circuit, root, self.met)

    def results(self) -> Iterator[tuple[Case, int]]:
        """Each outer case with the inner cases, one bit each, that go with it."""
        full = (1 << self.count) - 1
        for case in self.parts[self.one].cases:
            self.steps += (len(self.rest) + len(self.bits)) * (1 + self.count // BITS_A_STEP)
            if self.steps > self.most:
                raise TooLarge
            if self.constant is not None:
                yield case, full if self.constant else 0
                continue
            r = [full if told else 0 for told in case.told] + self.told
            for op, a, b in self.rest:
                r.append(_computed(op, r[a], r[b], full))
            yield case, r[-1]

    def weights(self) -> Iterator[tuple[int, int]]:
        """For each outer case its weight, and that of all inner ones that go with it."""
        for case, going in self.results():
            if going:
                yield case.weight, self.unit * sum((going & of).bit_count() << at for at, of in enumerate(self.bits))

    def pairs(self, rng: random.Random | None) -> Iterator[dict[int, int]]:
        """Ways of both parts that go together: the first found, or some by chance."""
        inner = self.parts[self.all].cases
        for case, going in self.results():
            if not going:
                continue
            fitting = [at for at in range(self.count) if going >> at & 1]
            if rng is not None:
                rng.shuffle(fitting)
            for at in fitting[: TRIES if rng is None else 4]:
                yield {self.one: case.first, self.all: inner[at].first}


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


def _computed(op: int, a: int, b: int, full: int) -> int:
    if op == NOT:
        return a ^ full
    return (a & b, a | b, a ^ b)[op - NOT - 1]


def _rest(circuit: Circuit, root: int, met: list[int]) -> list[tuple[int, int, int]]:
    """What is computed from where the parts meet, as steps over a growing list of results."""
    if root <= TRUE:
        return []
    places = {node: at for at, node in enumerate(met)}
    steps = []
    for node in _between(circuit, root, places):
        of = operands(circuit, node)
        steps.append((circuit.ops[node], places[of[0]], places[of[-1]]))
        places[node] = len(places)
    if places[root] != len(places) - 1:
        # The root is itself such a place: read once more, so that it is the last.
        steps.append((AND, places[root], places[root]))
    return steps


def _between(circuit: Circuit, root: int, known: dict[int, int]) -> list[int]:
    seen: set[int] = set()
    pending = [root]
    while pending:
        node = pending.pop()
        if node not in seen and node not in known:
            seen.add(node)
            pending += operands(circuit, node)
    return sorted(seen)


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
