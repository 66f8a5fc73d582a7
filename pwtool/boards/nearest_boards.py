"""The nearest boards that fulfil an objective for which no diagram can be built: first all boards that are one change away,
then all that are two away, and so on, as far as is feasible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

from pwtool.boards.bulk import Program
from pwtool.boards.diagrams import cell_planes, cells_read
from pwtool.boards.meet_in_the_middle import Ways
from pwtool.boards.proofs import Analysis
from pwtool.boards.search import Board
from pwtool.boards.spaces import EMPTY, connected_circuit

# Machine steps, as in `splitting`: about 3 s.
MAX_STEPS = 20_000_000
BITS_A_STEP = 4_000


@dataclass(frozen=True, slots=True)
class Near:
    """One of the nearest boards (`board`, in frame number `frame`), `changes` away. Without a board: all boards up to that many
    changes away were searched in vain.
    """

    changes: int
    frame: int = 0
    board: Board | None = None


class Neighbours:
    """The boards a few changes away from others."""

    def __init__(self, analysis: Analysis, name: str) -> None:
        self.analysis, self.space = analysis, analysis.space
        circuit, encoding, root = analysis.circuit, analysis.encoding, analysis.roots[name]
        self.program = Program(circuit, [root, connected_circuit(encoding)])
        self.inputs = {n: circuit.keys[n][1] for n in self.program.inputs}  # type: ignore[index]
        cone = circuit.cone(self.program.inputs)
        cells = cells_read(circuit, cone)
        self.planes = cell_planes(circuit, encoding, self.space, cone, cells)
        self.kinds = [self._kinds(cell) for cell in range(len(self.space.order))]

    def _kinds(self, cell: int) -> list[int]:
        """One value of each distinguishable kind on a cell; an empty cell and a filled one are always distinguished."""
        nodes = [n for n, of in self.inputs.items() if of == cell]
        found: dict[tuple[int, ...], int] = {}
        for v in range(len(self.space.values)):
            if v == EMPTY or self.space.weights[v]:
                found.setdefault((int(v == EMPTY), *(self.planes[n] >> v & 1 for n in nodes)), v)
        return list(found.values())

    def nearest(self, frames: Sequence[Sequence[int]], before: Sequence[int], joined: bool) -> Near:
        """One of the nearest boards to any of these, each after so many changes `before`; if `joined`, preferably a connected one."""
        steps, changes = 0, 0
        cells = range(len(self.space.order))
        while changes < len(cells):
            left = [(f, changes + 1 - done) for f, done in enumerate(before)]
            sets = [(f, chosen) for f, more in left if more >= 0 for chosen in combinations(cells, more)]
            for _, chosen in sets:
                steps += len(self.program.steps) * (1 + prod(len(self.kinds[c]) for c in chosen) // BITS_A_STEP)
            if steps > MAX_STEPS:
                break
            changes += 1
            # The best board keeps most of the cards, so changes that only place cards are tried first.
            sets.sort(key=lambda one: sum(frames[one[0]][cell] != EMPTY for cell in one[1]))
            first: Near | None = None
            for frame, chosen in sets:
                holds, together = self._verdicts(frames[frame], chosen)
                for found in (holds & together, holds) if joined else (holds,):
                    if found and (first is None or (joined and found & together)):
                        near = Near(changes, frame, self._board(frames[frame], chosen, found))
                        if not joined or found & together:
                            return near
                        first = near
            if first is not None:
                return first
        return Near(changes)

    def _verdicts(self, board: Sequence[int], chosen: tuple[int, ...]) -> list[int]:
        """For all ways to fill the chosen cells, one bit each: whether the objective holds, and whether the cards are connected."""
        ways = self._ways(chosen)
        full = (1 << ways.count) - 1
        planes = {node: full if self.planes[node] >> board[cell] & 1 else 0 for node, cell in self.inputs.items()}
        for node, cell in self.inputs.items():
            if cell in chosen:
                kinds = [at for at, v in enumerate(self.kinds[cell]) if self.planes[node] >> v & 1]
                planes[node] = ways.plane(cell, kinds)
        return self.program.run(planes, ways.count)

    def _board(self, board: Sequence[int], chosen: tuple[int, ...], found: int) -> Board:
        changed = dict(enumerate(board))
        for cell, kind in self._ways(chosen).kinds((found & -found).bit_length() - 1).items():
            changed[cell] = self.kinds[cell][kind]
        return tuple(changed.values())

    def _ways(self, chosen: tuple[int, ...]) -> Ways:
        sizes = [len(self.kinds[cell]) for cell in chosen]
        return Ways(prod(sizes), chosen, sizes)
