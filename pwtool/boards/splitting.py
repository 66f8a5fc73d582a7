"""Counting boards without a diagram: one set of filled cells after another, with the attributes of the cards in two parts.

An objective about two attributes at once, such as groups of one attribute and groups of another, may need a diagram that
is too large for any machine: after a row it has to remember both attributes of every card. But if the decks have each
value of the one with each value of the other, the two are independent. So for every set of filled cells, all ways to fill
it are enumerated for each part separately (one bit per way, as in `bulk`) and combined by what the rest of the circuit
sees of them: thousands of millions of boards are reduced to a few thousand cases.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import factorial, prod

from pwtool.boards.bulk import Program
from pwtool.boards.circuit import CONST, FALSE, INPUT, NOT, TRUE, Circuit
from pwtool.boards.diagrams import TooLarge, cell_planes, cells_read, operands
from pwtool.boards.encoding import Encoding
from pwtool.boards.meet_in_the_middle import MAX_KNOWN, Box, Case, Known, MeetInTheMiddle, Ways
from pwtool.boards.search import Board
from pwtool.boards.spaces import EMPTY, Space
from pwtool.boards.symmetry import Move, Symmetry, ways_to_share

# The ways to fill a set of cells in one part, and the cases to which those of the outer part are reduced.
MAX_WAYS = 1 << 22
MAX_CASES = 20_000
MAX_CELLS = 12
# In total: machine steps (one per operation, plus one for every given number of bits), about 4 s.
MAX_STEPS = 6_000_000
FEW_STEPS = 1_000_000
BITS_A_STEP = 4_000
PARTS = (1, 2)
BOTH = 3


class SplitBoards:
    """The boards of an objective by the set of filled cells; raises `TooLarge` if the attributes cannot be split. `symmetry` is
    what can be exchanged: equivalent cases are computed once.
    """

    def __init__(
        self, circuit: Circuit, encoding: Encoding, space: Space, root: int, symmetry: Symmetry, most: int = MAX_STEPS
    ) -> None:  # fmt: skip
        self.circuit, self.space, self.root, self.symmetry, self.most = circuit, space, root, symmetry, most
        self.cells = len(space.order)
        if space.tall or self.cells > MAX_CELLS:
            raise TooLarge
        self.steps = 0
        self._known = Known()
        self._last: tuple[tuple[int, ...], MeetInTheMiddle] | None = None
        cone = circuit.cone([root])
        self.faces = [v for v in range(1, len(space.values)) if space.weights[v]]
        cells = cells_read(circuit, cone)
        self.whole = sum(space.weights[v] for v in self.faces)
        self.cone, self.cells_of = cone, cells
        for sides in _sides(encoding, [space.values[v][-1] for v in self.faces], _attributes(circuit, cone)):
            self._split(encoding, sides)
            if self._is_product():
                return
        raise TooLarge

    def _split(self, encoding: Encoding, sides: dict[str, int]) -> None:
        """Find what each part reads of single cards, and what is built from that."""
        circuit, cone, cells = self.circuit, self.cone, self.cells_of
        reads: dict[int, int] = {}
        for node in cone:
            reads[node] = _side_of(circuit, node, sides, reads)
        # Leaves read one part of one card and nothing else.
        leaves = {n for n in cone if cells[n].bit_count() <= 1 and reads[n] != BOTH}
        self.above = [n for n in cone if n not in leaves]
        self.steps_above = [(n, circuit.ops[n], circuit.left[n], circuit.right[n]) for n in self.above]
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
        weights = self.space.weights
        self._shares = [
            {part: tuple(sum(weights[v] for v in kind) for kind in own[part]) for part in PARTS} for own in self.classes
        ]

    def _shared(self, encoding: Encoding, names: list[str]) -> list[list[int]]:
        """The faces by the value of a part's only attribute, if its values are interchangeable."""
        if len(names) != 1 or names[0] not in self.symmetry.alike:
            return []
        table = encoding.component.attributes[names[0]].table
        groups: dict[object, list[int]] = {}
        for v in self.faces:
            groups.setdefault(table[self.space.values[v][-1]], []).append(v)
        return list(groups.values()) if len(groups) == len(encoding.values(names[0])) else []

    # ---- kinds of cards

    def _classes(self, cell: int, part: int) -> list[list[int]]:
        """The faces that one part of the circuit distinguishes on a cell."""
        nodes = [n for n in self.asked if self.cell_of[n] == cell and self.side[n] == part]
        groups: dict[tuple[int, ...], list[int]] = {}
        for v in self.faces:
            groups.setdefault(tuple(self.planes[n] >> v & 1 for n in nodes), []).append(v)
        return list(groups.values())

    def _is_product(self) -> bool:
        """Whether each kind of one part occurs with each kind of the other as often as their shares predict."""
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
        """How many boards with cards on exactly these cells fulfil the objective."""
        total: int = self.whole ** len(filled)
        return sum(self._meeting(filled).weights()) // total

    def exists(self, filled: Sequence[int]) -> bool:
        """Whether there is such a board."""
        return self._meeting(filled).exists()

    def boards(self, filled: Sequence[int], rng: random.Random | None = None) -> Iterator[Board]:
        """Some boards with cards on exactly these cells that fulfil the objective."""
        for ways in self._meeting(filled).pairs(rng):
            board = [EMPTY] * self.cells
            for cell in filled:
                # If one part reads nothing of a cell, any value will do there.
                one, other = (
                    self.classes[cell][part][ways[part][cell]] if cell in ways[part] else self.faces for part in PARTS
                )
                fitting = [v for v in one if v in other]
                board[cell] = rng.choice(fitting) if rng else fitting[0]
            yield tuple(board)

    def _meeting(self, filled: Sequence[int]) -> MeetInTheMiddle:
        """The circuit on these cells, given what the outer part tells it; the last one is kept because it is often needed again."""
        if self._last is None or self._last[0] != tuple(filled):
            self._last = (tuple(filled), self._met(filled))
        return self._last[1]

    def _met(self, filled: Sequence[int]) -> MeetInTheMiddle:
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
        circuit.remake(self.steps_above, made)
        self._spend(len(self.above), 0)
        root = made[self.root]
        cone = circuit.cone([root])
        read = set(cone)
        ops, left, right = circuit.ops, circuit.left, circuit.right
        for node in cone:
            if (op := ops[node]) >= NOT:
                side[node] = side[left[node]] if op == NOT else side[left[node]] | side[right[node]]
            else:
                side.setdefault(node, 0)
        asked = {node: of for node, of in asked.items() if node in read}
        cells = {
            part: tuple(sorted({self.cell_of[of] for of in asked.values() if self.side[of] == part})) for part in PARTS
        }
        outer, inner = sorted(PARTS, key=lambda part: self._kinds(part, filled, cells[part]))
        ways = self._ways(outer, filled, cells[outer], self.symmetry.within(filled))
        if ways.count > MAX_WAYS:
            raise TooLarge
        mixed = [n for n in cone if side[n] == BOTH]
        meets = {o for n in mixed for o in operands(circuit, n)} | {root}
        told = [n for n in cone if side[n] == outer and n in meets]
        program = Program(circuit, told)
        self._spend(len(program.steps), ways.count)
        found = program.run({node: self._plane(ways, asked[node]) for node in program.inputs}, ways.count)
        cases = self._cases(found, self._weights(ways, outer), (1 << ways.count) - 1)

        def box(cells: tuple[int, ...]) -> Box:
            own = self._ways(inner, cells, cells, frozenset())
            if own.count > MAX_WAYS:
                raise TooLarge
            leaf = {node: of for node, of in asked.items() if self.side[of] == inner}
            return Box(circuit, own, self._weights(own, inner), lambda node: self._plane(own, leaf[node]), self._spend)

        reads = {node: (self.cell_of[of], self.planes[of] & every) for node, of in asked.items()}
        return MeetInTheMiddle(
            circuit, root, mixed, told, cases, ways, (outer, inner), filled, reads, self.whole, box, self._known,
            self._spend,
        )  # fmt: skip

    def _kinds(self, part: int, filled: Sequence[int], asked: Collection[int]) -> int:
        """The approximate number of ways in one part."""
        count = prod(len(self.classes[cell][part]) for cell in asked)
        return count // factorial(min(len(filled), len(self.shared[part]))) if self.shared[part] else count

    def _ways(self, part: int, filled: Sequence[int], asked: Collection[int], moves: frozenset[Move] | None) -> Ways:
        """The ways to fill the cells with the kinds that one part distinguishes; one of each class of interchangeable ways."""
        if self.shared[part]:
            shared = ways_to_share(len(filled), len(self.shared[part]), moves)
            return Ways(len(shared), tuple(filled), [], shared)
        sizes = [len(self.classes[cell][part]) if cell in asked else 1 for cell in filled]
        return Ways(prod(sizes), tuple(filled), sizes)

    def _plane(self, ways: Ways, of: int) -> int:
        """The ways, as bits, for which an input about a card holds."""
        cell = self.cell_of[of]
        kinds = self.classes[cell][self.side[of]]
        return ways.plane(cell, [at for at, kind in enumerate(kinds) if self.planes[of] >> kind[0] & 1])

    def _weights(self, ways: Ways, part: int) -> dict[int, int]:
        """The ways, as bits, by how many boards they stand for: most decks hold many kinds equally often, so there are few such
        numbers.
        """
        if ways.shared is not None:
            return ways.shared.weights(tuple(sum(self.space.weights[v] for v in kind) for kind in self.shared[part]))
        own = tuple(
            self._shares[cell][part] if size > 1 else (self.whole,)
            for cell, size in zip(ways.cells, ways.sizes, strict=True)
        )
        return (_known_weights if ways.count <= MAX_KNOWN else _weights)(own)

    def _cases(self, told: list[int], weights: dict[int, int], full: int) -> list[Case]:
        cases: list[Case] = []
        pending: list[tuple[int, list[int]]] = [(full, [])] if full else []
        size = full.bit_length()
        while pending:
            ways, known = pending.pop()
            self._spend(2 * (len(told) - len(known)), size)
            for plane in told[len(known) :]:
                holds = ways & plane
                if holds and holds != ways:
                    pending.append((ways ^ holds, [*known, 0]))
                    ways = holds
                known.append(1 if holds else 0)
            if len(cases) >= MAX_CASES:
                raise TooLarge
            self._spend(len(weights) + 2, size)
            weight = sum(w * (ways & of).bit_count() for w, of in weights.items())
            cases.append(Case(tuple(known), weight, (ways & -ways).bit_length() - 1))
        return cases

    def _spend(self, operations: int, bits: int) -> None:
        self.steps += operations * (1 + bits // BITS_A_STEP)
        if self.steps > self.most:
            raise TooLarge


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
    """The attributes in two parts, first those splits with the fewest kinds of cards."""

    def kinds(part: tuple[str, ...]) -> int:
        tables = [encoding.component.attributes[name].table for name in part]
        return len({tuple(table[face] for table in tables) for face in faces})

    ways = [part for size in range(len(names) + 1) for part in combinations(names, size)]
    ways.sort(key=lambda part: max(kinds(part), kinds(tuple(n for n in names if n not in part))))
    for one in ways:
        yield {name: 1 if name in one else 2 for name in names}


def _weights(shares: tuple[tuple[int, ...], ...]) -> dict[int, int]:
    """The ways to fill some cells, as bits, by how many boards they stand for, given this number for each kind on each cell."""
    weights, stride = {1: 1}, 1
    for own in shares:
        grown: dict[int, int] = {}
        for weight, plane in weights.items():
            for at, more in enumerate(own):
                grown[weight * more] = grown.get(weight * more, 0) | plane << at * stride
        weights, stride = grown, stride * len(own)
    return weights


_known_weights = lru_cache(maxsize=512)(_weights)


def _side_of(circuit: Circuit, node: int, sides: dict[str, int], reads: dict[int, int]) -> int:
    if circuit.ops[node] == INPUT:
        return sides.get(circuit.keys[node][0], 0)  # type: ignore[index]
    mask = 0
    for operand in operands(circuit, node):
        mask |= reads[operand]
    return mask
