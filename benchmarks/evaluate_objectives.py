"""All objectives of a ruleset on a million boards: plain Python, the circuit on Python integers, and a hand-written
NumPy version, compared in one run.

Usage: python benchmarks/evaluate_objectives.py [BOARDS]
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from statistics import median
from typing import Any

from pwtool.boards.bulk import Program
from pwtool.boards.proofs import Analysis
from pwtool.boards.spaces import EMPTY
from pwtool.play.state import State
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library

ROUNDS = 7
PLAIN_BOARDS = 20_000

L_PLACES = [
    (a, b, c)
    for r in range(2) for k in range(2)
    for a, b, c in combinations((3 * r + k, 3 * r + k + 1, 3 * r + k + 3, 3 * r + k + 4), 3)
]  # fmt: skip
SQUARES = [(i, i + 1, i + 3, i + 4) for i in (0, 1, 3, 4)]
ROWS = [(0, 1, 2), (3, 4, 5), (6, 7, 8)]
COLUMNS = [(0, 3, 6), (1, 4, 7), (2, 5, 8)]
DIAGONALS = [(0, 4, 8), (2, 4, 6)]
CORNERS = (0, 2, 6, 8)
CROSS = (1, 3, 4, 5, 7)
ARMS = (1, 3, 5, 7)


def plain(board: list[tuple[int, bool, int] | None]) -> list[bool]:
    """The twenty objectives as one would write them down: a board is (color, scissors, value) or None for each cell."""

    def there(cells: tuple[int, ...]) -> bool:
        return all(board[c] is not None for c in cells)

    def colors(cells: tuple[int, ...]) -> list[int]:
        return [board[c][0] for c in cells]  # type: ignore[index]

    def values(cells: tuple[int, ...]) -> list[int]:
        return [board[c][2] for c in cells]  # type: ignore[index]

    def some(places: list[tuple[int, ...]], holds: Callable[[tuple[int, ...]], bool]) -> bool:
        return any(there(cells) and holds(cells) for cells in places)

    cards = [card for card in board if card is not None]
    count = Counter(card[2] for card in cards)
    return [
        some(L_PLACES, lambda c: len(set(colors(c))) == 1),
        some([CORNERS], lambda c: len(set(values(c))) == 1),
        some(L_PLACES, lambda c: set(values(c)) == {2}),
        some(SQUARES, lambda c: len(set(colors(c))) == 4),
        len(cards) == 9,
        some(DIAGONALS, lambda c: len(set(colors(c))) == 1),
        some(ROWS, lambda c: set(values(c)) == {3}),
        count[5] >= 2,
        all(count[v] for v in range(1, 6)),
        some(COLUMNS, lambda c: values(c) == [2, 5, 2]),
        some(DIAGONALS, lambda c: values(c) in ([2, 3, 4], [4, 3, 2])),
        count[4] >= 3,
        count[1] >= 5,
        some(ROWS, lambda c: sum(values(c)) == 9),
        some(COLUMNS, lambda c: sum(values(c)) == 12),
        sum(card[1] for card in cards) >= 3,
        some(SQUARES, lambda c: set(values(c)) == {3}),
        some(SQUARES, lambda c: len(set(colors(c))) == 1),
        some([CROSS], lambda c: len(set(values(c))) == 5),
        some([CROSS], lambda c: len(set(colors(ARMS))) == 4),
    ]


class ByHand:
    """The twenty objectives on NumPy words, one bit a board, written by hand with what they have in common shared."""

    def __init__(self, numpy: Any, p: list[Any], s: list[Any], c: list[list[Any]], v: list[list[Any]]) -> None:
        self.n = numpy
        self.p, self.s, self.c, self.v = p, s, c, v

    def adder(self, a: Any, b: Any, c: Any) -> tuple[Any, Any]:
        half = a ^ b
        return half ^ c, (a & b) | (half & c)

    def count(self, x: list[Any]) -> tuple[Any, Any, Any, Any]:
        s1, c1 = self.adder(x[0], x[1], x[2])
        s2, c2 = self.adder(x[3], x[4], x[5])
        s3, c3 = self.adder(x[6], x[7], x[8])
        low, c4 = self.adder(s1, s2, s3)
        t1, d1 = self.adder(c1, c2, c3)
        two = t1 ^ c4
        d2 = t1 & c4
        return low, two, d1 ^ d2, d1 & d2

    def sum3(self, a: list[Any], b: list[Any], c: list[Any]) -> tuple[Any, Any, Any, Any]:
        s0, k0 = self.adder(a[0], b[0], c[0])
        s1, k1 = self.adder(a[1], b[1], c[1])
        s2, k2 = self.adder(a[2], b[2], c[2])
        b1 = s1 ^ k0
        carry = s1 & k0
        b2, carry2 = self.adder(s2, k1, carry)
        return s0, b1, b2, k2 ^ carry2

    def all(self, parts: list[Any]) -> Any:
        found = parts[0] & parts[1]
        for part in parts[2:]:
            found &= part
        return found

    def any(self, parts: list[Any]) -> Any:
        found = parts[0] | parts[1]
        for part in parts[2:]:
            found |= part
        return found

    def run(self) -> list[Any]:
        p, s, c, v = self.p, self.s, self.c, self.v
        n0 = [~x[0] for x in v]
        is1 = [x[0] & ~(x[1] | x[2]) for x in v]
        is2 = [x[1] & n for x, n in zip(v, n0, strict=True)]
        is3 = [x[1] & x[0] for x in v]
        is4 = [x[2] & n for x, n in zip(v, n0, strict=True)]
        is5 = [x[2] & x[0] for x in v]
        differ: dict[tuple[int, int], Any] = {}

        def apart(a: int, b: int) -> Any:
            if (a, b) not in differ:
                differ[a, b] = (c[a][0] ^ c[b][0]) | (c[a][1] ^ c[b][1])
            return differ[a, b]

        ells = []
        for x, y, z in L_PLACES:
            ells.append(p[x] & p[y] & p[z] & ~(apart(x, y) | apart(y, z)))
        squares_there = [self.all([p[i] for i in cells]) for cells in SQUARES]
        four = []
        for cells, there in zip(SQUARES, squares_there, strict=True):
            both = self.any([c[i][0] & c[i][1] for i in cells])
            none = ~self.all([c[i][0] | c[i][1] for i in cells])
            first = self.any([c[i][0] & ~c[i][1] for i in cells])
            second = self.any([c[i][1] & ~c[i][0] for i in cells])
            four.append(there & both & none & first & second)
        same_square = [
            there & ~(apart(a, b) | apart(b, x) | apart(x, d))
            for (a, b, x, d), there in zip(SQUARES, squares_there, strict=True)
        ]
        rows9, columns12 = [], []
        for cells in ROWS:
            b0, b1, b2, b3 = self.sum3(*(v[i] for i in cells))
            rows9.append(b0 & b3 & ~(b1 | b2) & p[cells[0]] & p[cells[1]] & p[cells[2]])
        for cells in COLUMNS:
            b0, b1, b2, b3 = self.sum3(*(v[i] for i in cells))
            columns12.append(b2 & b3 & ~(b0 | b1) & p[cells[0]] & p[cells[1]] & p[cells[2]])
        one = two = self.n.zeros_like(p[0])
        for x in is5:
            two = two | (one & x)
            one = one | x
        f0, f1, f2, f3 = self.count(is4)
        g0, g1, g2, g3 = self.count(is1)
        h0, h1, h2, h3 = self.count(s)
        every = [self.any(is1), self.any(is2), self.any(is3), self.any(is4), one]
        by_value = [is1, is2, is3, is4, is5]
        cross_there = self.all([p[i] for i in CROSS])
        arm_both = self.any([c[i][0] & c[i][1] for i in ARMS])
        arm_none = ~self.all([c[i][0] | c[i][1] for i in ARMS])
        arm_first = self.any([c[i][0] & ~c[i][1] for i in ARMS])
        arm_second = self.any([c[i][1] & ~c[i][0] for i in ARMS])
        corner = self.any([v[a][i] ^ v[b][i] for a, b in ((0, 2), (2, 6), (6, 8)) for i in range(3)])
        return [
            self.any(ells),
            self.all([p[i] for i in CORNERS]) & ~corner,
            self.any([is2[a] & is2[b] & is2[x] for a, b, x in L_PLACES]),
            self.any(four),
            self.all(p),
            self.any([p[a] & p[b] & p[x] & ~(apart(a, b) | apart(b, x)) for a, b, x in DIAGONALS]),
            self.any([is3[a] & is3[b] & is3[x] for a, b, x in ROWS]),
            two,
            self.all(every),
            self.any([is2[a] & is5[b] & is2[x] for a, b, x in COLUMNS]),
            self.any([is3[4] & ((is2[a] & is4[b]) | (is4[a] & is2[b])) for a, _, b in DIAGONALS]),
            (f0 & f1) | f2 | f3,
            ((g0 | g1) & g2) | g3,
            self.any(rows9),
            self.any(columns12),
            (h0 & h1) | h2 | h3,
            self.any([self.all([is3[i] for i in cells]) for cells in SQUARES]),
            self.any(same_square),
            self.all([self.any([x[i] for i in CROSS]) for x in by_value]),
            cross_there & arm_both & arm_none & arm_first & arm_second,
        ]


def timed(function: Callable[[], Any]) -> tuple[float, Any]:
    result = function()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return median(times), result


def main() -> None:
    boards = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    book = RulesetStore(Library()).get("paper_world").value
    assert book is not None
    game = book.game
    analysis = Analysis(game)
    space, encoding = analysis.space, analysis.encoding
    program = Program(analysis.circuit, list(analysis.roots.values()))
    rng = random.Random(1)
    few = bytes(rng.choice([EMPTY, *range(1, len(space.values))]) for _ in range(256))
    columns = [rng.randbytes(boards).translate(few) for _ in range(9)]
    planes = {}
    for node in program.inputs:
        key: Any = analysis.circuit.keys[node]
        digits = bytes(ord("1") if encoding.has(key, pile) else ord("0") for pile in space.values).ljust(256, b"0")
        planes[node] = int(columns[key[1]].translate(digits)[::-1], 2)
    print(f"{boards:,} boards, {len(program.steps)} gates for {len(program.results)} objectives\n")
    rows: list[tuple[str, float]] = []

    seconds, numbers = timed(lambda: program.run(planes, boards))
    rows.append(("circuit on Python integers", boards / seconds))
    by_hand_rate = 0.0
    try:
        import numpy
    except ImportError:
        print("numpy is not installed: nothing to compare with (`pip install pwtool[fast]`)")
    else:
        size = (boards + 63) // 64 * 8
        lanes = [numpy.frombuffer(planes[n].to_bytes(size, "little"), dtype="<u8") for n in program.inputs]
        by_key = {analysis.circuit.keys[n]: lane for n, lane in zip(program.inputs, lanes, strict=True)}
        words = len(lanes[0])

        def by_hand(block: int) -> list[Any]:
            results: list[list[Any]] = [[] for _ in program.results]
            for start in range(0, words, block):
                cut = slice(start, start + block)
                p = [by_key["there", i, 0][cut] for i in range(9)]
                s = [by_key["scissors", i, 0, 0][cut] for i in range(9)]
                c = [[by_key["color", i, 0, b][cut] for b in range(2)] for i in range(9)]
                v = [[by_key["value", i, 0, b][cut] for b in range(3)] for i in range(9)]
                for out, part in zip(results, ByHand(numpy, p, s, c, v).run(), strict=True):
                    out.append(part)
            return [numpy.concatenate(out) for out in results]

        best = min(
            (timed(lambda block=block: by_hand(block)) for block in (1 << 10, 1 << 11, 1 << 12, 1 << 13)),
            key=lambda t: t[0],
        )
        by_hand_rate = boards / best[0]
        rows.append(("hand-written NumPy, best block size", by_hand_rate))
        for row, number in zip(best[1], numbers, strict=True):
            assert int.from_bytes(row.tobytes(), "little") & ((1 << boards) - 1) == number

    component = encoding.component
    tables = [component.attributes[a].table for a in ("color", "scissors", "value")]
    colors = list(dict.fromkeys(tables[0]))
    cards: list[Any] = [None]
    for pile in space.values[1:]:
        cards.append((colors.index(tables[0][pile[0]]), tables[1][pile[0]], tables[2][pile[0]]))
    some = [[cards[columns[i][at]] for i in range(9)] for at in range(min(boards, PLAIN_BOARDS))]
    start = time.perf_counter()
    verdicts = [plain(board) for board in some]
    rows.append(("plain Python", len(some) / (time.perf_counter() - start)))
    for at, verdict in enumerate(verdicts):
        assert verdict == [bool(number >> at & 1) for number in numbers], at
    holds = [game.fast.backend.objective(name) for name in analysis.roots]
    state = State(game.ruleset, 2, [])
    grids = [space.grid([columns[i][at] for i in range(9)]) for at in range(len(some) // 10)]
    start = time.perf_counter()
    for grid in grids:
        for judge in holds:
            judge(state, grid)
    rows.append(("compiled functions, board by board", len(grids) / (time.perf_counter() - start)))
    for name, rate in rows:
        beside = f"   {by_hand_rate / rate:8.2f} x the time of hand-written NumPy" if by_hand_rate else ""
        print(f"{name:<36} {rate:>14,.0f} boards/s{beside}")


if __name__ == "__main__":
    main()
