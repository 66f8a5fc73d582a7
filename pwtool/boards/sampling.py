"""Random boards, many evaluated at once: what they show need not be proven."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cached_property, reduce
from operator import or_

from pwtool.boards.bulk import Program
from pwtool.boards.encoding import Encoding
from pwtool.boards.search import Board
from pwtool.boards.spaces import EMPTY, Space, connected_circuit

BOARDS = 1 << 17
BATCH = 1 << 11


class Sample:
    """Random boards with the verdicts of some objectives, one bit per board.

    Uniformly drawn boards are nearly full, and their cards are hardly ever alike. So every batch draws from a few values of
    its own, and some batches leave many cells empty, so that rare patterns occur too. `known` boards are added.
    """

    def __init__(
        self, space: Space, encoding: Encoding, program: Program, names: list[str], known: Sequence[Board] = ()
    ) -> None:  # fmt: skip
        self._encoding = encoding
        rng = random.Random(1)
        tables = {node: _digits(encoding, node, space) for node in program.inputs}
        there = [_filled_digits(space), *tables.values()]
        self.columns: list[bytes] | list[list[int]]
        columns: list[list[bytes]] = [[] for _ in space.order]
        small = len(space.values) <= 256
        self.boards = BOARDS if small else BOARDS >> 4
        wide: list[list[int]] = [[] for _ in space.order]
        for _ in range(self.boards // BATCH):
            few = [rng.randrange(len(space.values)) for _ in range(rng.choice((2, 3, 4, 6, 10, 40)))]
            few += [EMPTY] * rng.choice((0, 0, 1, len(few)))
            for cell in range(len(space.order)):
                if small:
                    pick = bytes([few[i % len(few)] for i in range(256)])
                    columns[cell].append(rng.randbytes(BATCH).translate(pick))
                else:
                    wide[cell] += rng.choices(few, k=BATCH)
        for cell in range(len(space.order)):
            own = [board[cell] for board in known]
            if small:
                columns[cell].append(bytes(own))
            else:
                wide[cell] += own
        self.boards += len(known)
        self.columns = [b"".join(parts) for parts in columns] if small else wide
        planes = {}
        for node, table in tables.items():
            cell = encoding.circuit.keys[node][1]  # type: ignore[index]
            planes[node] = self._plane(cell, table)
        self.filled = [self._plane(cell, there[0]) for cell in range(len(space.order))]
        results = program.run(planes, self.boards)
        self.verdicts = dict(zip(names, results, strict=True))
        self.full = (1 << self.boards) - 1

    def _plane(self, cell: int, table: bytes) -> int:
        column = self.columns[cell]
        if isinstance(column, bytes):
            # Board 0 is the lowest bit, but numbers are written with the highest bit first.
            return int(column.translate(table)[::-1], 2)
        return int(bytes(table[v] for v in reversed(column)), 2)

    @cached_property
    def connected(self) -> int:
        """The boards with at least one card whose cards are connected, as bits."""
        program = Program(self._encoding.circuit, [connected_circuit(self._encoding)])
        planes = {node: self.filled[self._encoding.circuit.keys[node][1]] for node in program.inputs}  # type: ignore[index]
        return program.run(planes, self.boards)[0] & reduce(or_, self.filled)

    def exists(self, wanted: Mapping[str, bool], connected: bool = False) -> bool:
        """Whether a (connected) board of the sample gives these objectives these verdicts."""
        found = self.connected if connected else self.full
        for name, holds in wanted.items():
            found &= self.verdicts[name] if holds else ~self.verdicts[name]
        return found != 0


def _digits(encoding: Encoding, node: int, space: Space) -> bytes:
    """For each value, the digit `0` or `1` of an input."""
    key = encoding.circuit.keys[node]
    return bytes(ord("1") if encoding.has(key, pile) else ord("0") for pile in space.values).ljust(256, b"0")


def _filled_digits(space: Space) -> bytes:
    return bytes(ord("1") if pile else ord("0") for pile in space.values).ljust(256, b"0")
