"""Chess, draughts and variants of the classics: those of chess beside python-chess at every ply, the others beside a few lines
that say the same. Draws that players claim are offered where the other one knows them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any, Protocol

import pytest

from pwtool import Action
from tests.classics.matches import LETTERS, cell
from tests.classics.tables import ByKernel, Compiled, Table
from tests.daily import one_day_in, some
from tests.support import book, few_or_many

chess = pytest.importorskip("chess")
pytest.importorskip("chess.variant")
pytest.importorskip("wasmtime")


class Other(Protocol):
    """The same game elsewhere: what is legal, by name, whether a draw may be claimed before or after a move, and at
    its end the winner's seat (None: nobody's).
    """

    def legal(self) -> set[str]: ...

    def claimable(self, moved: bool) -> bool: ...

    def play(self, move: str) -> None: ...

    def over(self) -> bool: ...

    def winner(self) -> int | None: ...


class Chess:
    """A board of python-chess."""

    def __init__(self, board: Any, automatic: bool = False) -> None:
        self.board, self.automatic = board, automatic

    def legal(self) -> set[str]:
        return {move.uci() for move in self.board.legal_moves}

    def play(self, move: str) -> None:
        self.board.push_uci(move)

    def drawn(self, times: int, moves: int) -> bool:
        return bool(self.board.is_repetition(times) or self.board.halfmove_clock >= 2 * moves)

    def claimable(self, moved: bool) -> bool:
        return not self.automatic and self.drawn(3, 50)

    def over(self) -> bool:
        board = self.board
        return bool(
            board.is_variant_end() or board.is_checkmate() or board.is_stalemate() or board.is_insufficient_material()
            or (self.drawn(3, 50) if self.automatic else self.drawn(5, 75))
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

    def claimable(self, moved: bool) -> bool:
        return False

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


class Draughts:
    """The seat of each man, and whether it is a king; `fly`: as far as it likes."""

    def __init__(self, fly: bool) -> None:
        self.fly = fly
        self.men = {(x, y): (1 if y < 3 else 0, False) for x in range(8) for y in (0, 1, 2, 5, 6, 7) if (x + y) % 2}
        self.seat, self.jumper, self.quiet, self.seen = 0, None, 0, [self.position(1)]

    def position(self, mover: int) -> tuple[int, frozenset[Any]]:
        return mover, frozenset(self.men.items())

    def claimable(self, moved: bool) -> bool:
        """Forty moves each with kings alone, or the position that a move has just made for the third time."""
        return self.quiet >= 80 or (moved and self.seen.count(self.seen[-1]) >= 3)

    def ways(self, cell: tuple[int, int]) -> Iterable[tuple[bool, str]]:
        """What the man on a cell can do: whether it is a jump, and its start and end."""
        seat, king = self.men[cell]
        for dx, dy in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            if not king and dy != (1 if seat else -1):
                continue
            over, flies = False, king and self.fly
            for n in range(1, 8 if flies else 3):
                at = (cell[0] + n * dx, cell[1] + n * dy)
                if not (0 <= at[0] < 8 and 0 <= at[1] < 8) or (at in self.men and (over or self.men[at][0] == seat)):
                    break
                if at in self.men:
                    over = True
                elif over or flies or n == 1:
                    yield over, f"{cell}{at}"
                    if not flies:
                        break

    def legal(self) -> set[str]:
        mine = [c for c, (seat, _) in self.men.items() if seat == self.seat and self.jumper in (None, c)]
        ways = [way for cell in mine for way in self.ways(cell)]
        jumps = {name for over, name in ways if over}
        return jumps or {name for _, name in ways if self.jumper is None}

    def play(self, move: str) -> None:
        x, y, to_x, to_y = (int(sign) for sign in move if sign.isdigit())
        seat, king = self.men.pop((x, y))
        side, down = (1 if to_x > x else -1), (1 if to_y > y else -1)
        taken = [c for n in range(1, abs(to_x - x)) if (c := (x + n * side, y + n * down)) in self.men]
        for over in taken:
            del self.men[over]
        crowned = not king and to_y == (7 if seat else 0)
        self.men[to_x, to_y] = (seat, king or crowned)
        self.quiet = self.quiet + 1 if king and not taken else 0
        self.jumper = (to_x, to_y) if taken and not crowned else None
        if self.jumper is None or not any(over for over, _ in self.ways(self.jumper)):
            self.seen.append(self.position(self.seat))
            self.seat, self.jumper = 1 - self.seat, None

    def over(self) -> bool:
        return not self.legal()

    def winner(self) -> int | None:
        return 1 - self.seat if self.over() else None


def by_ends(action: Action, other: Any) -> str:
    start = cell(action, "start")
    if "over" in action.arguments:
        over = cell(action, "over")
        return f"{start}{(2 * over[0] - start[0], 2 * over[1] - start[1])}"
    return f"{start}{cell(action, 'target')}"


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
    "chess": (lambda _: Chess(chess.Board()), by_board, 3),
    "chess+automatic_draws": (lambda _: Chess(chess.Board(), automatic=True), by_board, 2),
    "connect_four+pop_out": (lambda _: PopOut(), by_column, 20),
    "checkers": (lambda _: Draughts(fly=False), by_ends, 10),
    "checkers+flying_kings": (lambda _: Draughts(fly=True), by_ends, 10),
    "gomoku+renju_like": (lambda _: RenjuLike(15, 15), by_cell, 1),
    "gomoku+exactly_five": (lambda _: Lines(15, 15), by_cell, 2),
}


def told(options: Iterable[Action], say: Callable[[Action, Any], str], other: Any) -> dict[str, Action]:
    return {say(action, other): action for action in options}


CLAIMED = 0.05
"""How often a draw is claimed that could be."""

# What a few lines of Python take long to say is not said every day.
RARE = ("gomoku+renju_like",)
SOME = [pytest.param(a, marks=pytest.mark.slow if a in RARE else ()) for a in OTHERS]


@one_day_in(4)
@pytest.mark.parametrize("times", few_or_many(1, 15))
@pytest.mark.parametrize("address", some(SOME, 2))
def test_variants_play_as_others_do(address: str, times: int) -> None:
    make, say, few = OTHERS[address]
    compiled, won = Compiled(book(address)), set()
    for seed in range(few * times):
        rng, table = random.Random(seed), ByKernel(compiled, 2, seed)
        other = make(table)
        if [action.name for action in table.options] == ["arrange"]:
            table.play(table.options[0])
        while not table.over:
            claim = next((action for action in table.options if action.name == "claim"), None)
            assert (claim is not None) == other.claimable(table.may_end)
            if claim is not None and rng.random() < CLAIMED:
                table.play(claim)
                break
            if table.may_end:
                # Nothing but the claim could follow.
                table.end_turn()
                continue
            assert not other.over()
            options = told((action for action in table.options if action is not claim), say, other)
            assert set(options) == other.legal()
            move = rng.choice(sorted(options))
            table.play(options[move])
            other.play(move)
        else:
            assert other.over()
        assert table.over
        winners = table.winners()
        assert (winners[0] if len(winners) == 1 else None) == other.winner()
        won.add(other.winner())
    assert len(won) > 1 or few < 10
