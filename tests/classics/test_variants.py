"""Variants of the classics: those of chess beside python-chess at every ply, the others beside a few lines that say the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any, Protocol

import pytest

from pwtool import Action
from tests.classics.matches import LETTERS, cell
from tests.classics.tables import ByKernel, Compiled, Table
from tests.support import book, few_or_many

chess = pytest.importorskip("chess")
pytest.importorskip("chess.variant")
pytest.importorskip("wasmtime")


class Other(Protocol):
    """The same game elsewhere: what is legal, by name, and at its end the winner's seat (None: nobody's)."""

    def legal(self) -> set[str]: ...

    def play(self, move: str) -> None: ...

    def over(self) -> bool: ...

    def winner(self) -> int | None: ...


class Chess:
    """A board of python-chess."""

    def __init__(self, board: Any, fifty: int = 100, times: int = 3) -> None:
        self.board, self.fifty, self.times = board, fifty, times

    def legal(self) -> set[str]:
        return {move.uci() for move in self.board.legal_moves}

    def play(self, move: str) -> None:
        self.board.push_uci(move)

    def over(self) -> bool:
        board = self.board
        return bool(
            board.is_variant_end() or board.is_checkmate() or board.is_stalemate() or board.is_insufficient_material()
            or board.is_repetition(self.times) or board.halfmove_clock >= self.fifty
        )  # fmt: skip

    def winner(self) -> int | None:
        lost = self.board.is_checkmate() or self.board.is_variant_loss()
        return int(self.board.turn) if lost else None

    @staticmethod
    def say(action: Action, board: Any) -> str:
        if action.name == "castle":
            x, y = cell(action, "tower")
            king = chess.square_name(board.king(board.turn))
            return f"{king}{LETTERS[x] if board.chess960 else 'g' if x else 'c'}{8 - y}"
        x, y = cell(action, "start")
        if action.name == "step":
            to_x, to_y = cell(action, "target")
            return f"{LETTERS[x]}{8 - y}{LETTERS[to_x]}{8 - to_y}"
        to_y, kind = y - 1 if board.turn else y + 1, action.arguments["into"][1].lower()
        return f"{LETTERS[x]}{8 - y}{LETTERS[x + action.arguments['aside']]}{8 - to_y}{kind}"


Disc = int | None
LINES = [(1, 0), (0, 1), (1, 1), (1, -1)]


class Lines:
    """Discs on a board; lines of one color win."""

    def __init__(self, width: int, height: int) -> None:
        self.board: dict[tuple[int, int], Disc] = {(x, y): None for x in range(width) for y in range(height)}
        self.seat = 0

    def longest(self, seat: int) -> set[int]:
        """The lengths of the lines of a seat."""
        found = set()
        for (x, y), disc in self.board.items():
            for dx, dy in LINES:
                if disc == seat and self.board.get((x - dx, y - dy)) != seat:
                    length = next(n for n in range(1, 20) if self.board.get((x + n * dx, y + n * dy)) != seat)
                    found.add(length)
        return found

    def over(self) -> bool:
        return self.winner() is not None or not self.legal()

    def legal(self) -> set[str]:
        return {f"{x},{y}" for (x, y), disc in self.board.items() if disc is None}

    def play(self, move: str) -> None:
        x, y = map(int, move.split(","))
        self.board[x, y] = self.seat
        self.seat = 1 - self.seat

    def winner(self) -> int | None:
        return next((seat for seat in (0, 1) if 5 in self.longest(seat)), None)


class RenjuLike(Lines):
    """Black makes no more than five, and no two fours: sets of four that one stone more makes five."""

    def line(self, x: int, y: int, dx: int, dy: int) -> frozenset[tuple[int, int]]:
        """The cells of the line of one color that a disc belongs to."""
        seat, found = self.board[x, y], {(x, y)}
        for way in (1, -1):
            n = way
            while self.board.get((x + n * dx, y + n * dy)) == seat:
                found.add((x + n * dx, y + n * dy))
                n += way
        return frozenset(found)

    def allows(self, x: int, y: int) -> bool:
        self.board[x, y] = 0
        lengths = [len(self.line(x, y, *way)) for way in LINES]
        fours = set()
        for way in LINES:
            for n in range(-5, 6):
                cell = (x + n * way[0], y + n * way[1])
                if cell in self.board and self.board[cell] is None:
                    self.board[cell] = 0
                    line = self.line(*cell, *way)
                    self.board[cell] = None
                    if len(line) == 5 and (x, y) in line:
                        fours.add(line - {cell})
        self.board[x, y] = None
        return 5 in lengths or (max(lengths) <= 5 and len(fours) <= 1)

    def legal(self) -> set[str]:
        empty = [cell for cell, disc in self.board.items() if disc is None]
        return {f"{x},{y}" for x, y in empty if self.seat == 1 or self.allows(x, y)}

    def winner(self) -> int | None:
        return next((seat for seat in (0, 1) if max(self.longest(seat), default=0) >= 5), None)

    def over(self) -> bool:
        return self.winner() is not None or None not in self.board.values()


class PopOut(Lines):
    def __init__(self) -> None:
        super().__init__(7, 6)
        self.both = False

    def legal(self) -> set[str]:
        drops = {f"drop {x}" for x in range(7) if self.board[x, 0] is None}
        return drops | {f"pop {x}" for x in range(7) if self.board[x, 5] == self.seat}

    def play(self, move: str) -> None:
        kind, _, column = move.partition(" ")
        x = int(column)
        if kind == "drop":
            self.board[x, max(y for y in range(6) if self.board[x, y] is None)] = self.seat
        else:
            for y in range(5, 0, -1):
                self.board[x, y] = self.board[x, y - 1]
            self.board[x, 0] = None
        self.seat = 1 - self.seat

    def over(self) -> bool:
        return any(max(self.longest(seat), default=0) >= 4 for seat in (0, 1)) or not self.legal()

    def winner(self) -> int | None:
        lined = [seat for seat in (0, 1) if max(self.longest(seat), default=0) >= 4]
        return lined[0] if len(lined) == 1 else None


def by_cell(action: Action, other: Any) -> str:
    return "{},{}".format(*cell(action))


def by_column(action: Action, other: Any) -> str:
    return f"{action.name} {cell(action)[0]}"


def by_board(action: Action, other: Any) -> str:
    return Chess.say(action, other.board)


def chess960_of(table: Table) -> Chess:
    pieces = "".join(code[1] for code in table.setup["row"][0])
    fen = f"{pieces.lower()}/pppppppp/8/8/8/8/PPPPPPPP/{pieces} w KQkq - 0 1"
    return Chess(chess.Board(fen, chess960=True))


OTHERS: dict[str, tuple[Callable[[Table], Any], Callable[[Action, Any], str], int]] = {
    "chess+chess960": (chess960_of, by_board, 4),
    "chess+three_check": (lambda _: Chess(chess.variant.ThreeCheckBoard()), by_board, 3),
    "chess+unclaimed": (lambda _: Chess(chess.Board(), 150, 5), by_board, 2),
    "connect_four+pop_out": (lambda _: PopOut(), by_column, 20),
    "gomoku+renju_like": (lambda _: RenjuLike(15, 15), by_cell, 1),
    "gomoku+exactly_five": (lambda _: Lines(15, 15), by_cell, 2),
}


def told(options: Iterable[Action], say: Callable[[Action, Any], str], other: Any) -> dict[str, Action]:
    return {say(action, other): action for action in options}


# What a few lines of Python take long to say is not said every day.
RARE = ("gomoku+renju_like",)
SOME = [pytest.param(a, marks=pytest.mark.slow if a in RARE else ()) for a in OTHERS]


@pytest.mark.parametrize("times", few_or_many(1, 50))
@pytest.mark.parametrize("address", SOME)
def test_variants_play_as_others_do(address: str, times: int) -> None:
    make, say, few = OTHERS[address]
    compiled, won = Compiled(book(address)), set()
    for seed in range(few * times):
        rng, table = random.Random(seed), ByKernel(compiled, 2, seed)
        other = make(table)
        if [action.name for action in table.options] == ["arrange"]:
            table.play(table.options[0])
        while not table.over:
            assert not other.over()
            options = told(table.options, say, other)
            assert set(options) == other.legal()
            move = rng.choice(sorted(options))
            table.play(options[move])
            other.play(move)
        assert other.over()
        winners = table.winners()
        assert (winners[0] if len(winners) == 1 else None) == other.winner()
        won.add(other.winner())
    assert len(won) > 1 or few < 10
