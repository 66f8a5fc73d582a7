"""Go in plain Python: one board after the other, groups counted anew each time."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import product

Cell = tuple[int, int]
Board = dict[Cell, int]
"""The stones by column and row (from above): 0 is black, 1 white."""


def beside(size: int, cell: Cell) -> list[Cell]:
    near = ((cell[0] + x, cell[1] + y) for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)))
    return [(x, y) for x, y in near if 0 <= x < size and 0 <= y < size]


def region(board: Board, size: int, start: Cell) -> tuple[set[Cell], set[int | None]]:
    """The cells connected with one through cells with the same stone or none, and what lies beside them."""
    kind, seen, waiting, edge = board.get(start), {start}, [start], set[int | None]()
    while waiting:
        for near in beside(size, waiting.pop()):
            if board.get(near) != kind:
                edge.add(board.get(near))
            elif near not in seen:
                seen.add(near)
                waiting.append(near)
    return seen, edge


def laid(board: Board, size: int, at: Cell, color: int, suicide: bool = False) -> tuple[Board, int] | None:
    """The board after a stone is laid, and how many are taken; None if the point is taken or the stone has no liberty. With
    `suicide`, its chain is taken off then.
    """
    if at in board:
        return None
    board = {**board, at: color}
    dead = set[Cell]()
    for near in beside(size, at):
        if board.get(near) == 1 - color:
            chain, edge = region(board, size, near)
            dead |= chain if None not in edge else set()
    board = {cell: stone for cell, stone in board.items() if cell not in dead}
    chain, edge = region(board, size, at)
    if None not in edge and suicide:
        return {cell: stone for cell, stone in board.items() if cell not in chain}, len(dead)
    return (board, len(dead)) if None in edge else None


@dataclass
class Game:
    """A game with a ko rule (`positional`, `situational` or `simple`), perhaps `with suicide`."""

    size: int
    ko: str
    boards: list[Board] = field(default_factory=lambda: [{}])
    moves: list[Cell | None] = field(default_factory=list)
    taken: list[int] = field(default_factory=lambda: [0, 0])

    @property
    def color(self) -> int:
        return len(self.moves) % 2

    def after(self, at: Cell) -> tuple[Board, int] | None:
        """The board after a move and how many stones it takes; None if it is not legal."""
        found = laid(self.boards[-1], self.size, at, self.color, self.ko.endswith(" with suicide"))
        if found is None:
            return None
        # The other player made the last board, and before them this one, and so on back to the empty one.
        # Who takes only their own stone after a pass or after the same of the other player takes nothing back.
        back = [board for board in self.boards[-2:-1] if board != self.boards[-1]]
        before = {"positional": self.boards, "situational": self.boards[-2::-2], "simple": back}
        return None if found[0] in before[self.ko.split()[0]] else found

    def legal(self) -> set[Cell]:
        return {at for at in product(range(self.size), repeat=2) if self.after(at) is not None}

    def play(self, at: Cell | None) -> None:
        board, taken = (self.boards[-1], 0) if at is None else self.after(at) or ({}, 0)
        self.taken[self.color] += taken
        self.boards.append(board)
        self.moves.append(at)

    def play_at_random(self, rng: random.Random, most: int) -> None:
        """Play, rarely into own eyes, up to a number of moves; then both pass."""
        while len(self.moves) < most:
            board, points = self.boards[-1], list(product(range(self.size), repeat=2))
            rng.shuffle(points)
            for at in points:
                eye = all(board.get(near) == self.color for near in beside(self.size, at))
                if (not eye or rng.random() < 0.02) and self.after(at) is not None:
                    self.play(at)
                    break
            else:
                break
        self.play(None)
        self.play(None)

    def points(self) -> list[tuple[int, int]]:
        """For each color the stones, and the empty points that only it reaches."""
        board, found = self.boards[-1], []
        edges = {at: region(board, self.size, at)[1] for at in product(range(self.size), repeat=2) if at not in board}
        for color in (0, 1):
            stones = sum(1 for stone in board.values() if stone == color)
            found.append((stones, sum(1 for edge in edges.values() if edge == {color})))
        return found

    def record(self) -> dict[str, object]:
        """The game as a record."""
        turns = [
            {
                "player": "ab"[n % 2],
                "actions": [{"action": "pass"} if at is None else {"action": "place", "at": list(at)}],
            }
            for n, at in enumerate(self.moves)
        ]
        return {"format": "pwtool/1", "players": ["a", "b"], "turns": turns}
