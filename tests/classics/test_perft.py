"""All ways in which a game of chess can go on, counted by its kernel: from the start, and from five positions that programs are
tried with because castling, passing, promotion and pins meet in them.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from pathlib import Path

import pytest

from pwtool.play.record import Record, Turn
from tests.classics.tables import Compiled
from tests.daily import one_day_in, some
from tests.support import book, few_or_many

pytest.importorskip("wasmtime")

BEGINNINGS = (1, 20, 400, 8_902, 197_281)


@dataclass(frozen=True)
class Position:
    """The pieces as FEN writes them, White to move; who may still castle, by the corner of the rook; and how many ways there
    are to go on by so many moves.
    """

    pieces: str
    castling: tuple[tuple[int, int], ...]
    ways: tuple[int, ...]

    def rules(self) -> str:
        """The game that begins here. A corner without a right to castle is none."""
        rows = [" ".join("".join("." * int(p) if p.isdigit() else p for p in row)) for row in self.pieces.split("/")]
        words = {p: f"{'w' if p.isupper() else 'b'}{p.upper()}" for p in "KQRBNPkqrbnp"}
        picture = " / ".join(" ".join(words.get(p, p) for p in row.split()) for row in rows)
        corners = " or ".join(f"c == {corner}" for corner in self.castling) or "c == (0, 0) and c == (7, 7)"
        return f'edition position of chess "From here"\nchange setup put board "So they stand": [ {picture} ]\nchange define corner(c) = {corners}\n'


POSITIONS = {
    "kiwipete": Position(
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R", ((0, 0), (7, 0), (0, 7), (7, 7)), (1, 48, 2_039, 97_862)
    ),
    "pins along a row": Position("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8", (), (1, 14, 191, 2_812)),
    "promotions": Position("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1", ((0, 0), (7, 0)), (1, 6, 264, 9_467)),
    "a pawn about to promote": Position("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R", ((0, 7), (7, 7)), (1, 44, 1_486, 62_379)),
    "a middle game": Position("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1", (), (1, 46, 2_079, 89_890)),
}  # fmt: skip


def count(here: Compiled, record: Record, depth: int) -> int:
    """How many ways there are to go on by so many moves."""
    assert here.stepper.begin(here.packer.pack(record)).is_clean
    moment = here.stepper.legal()
    if depth == 1:
        return moment.count
    total = at = 0
    for _ in range(moment.count):
        move, at = here.packer.unpack_move(moment.options, at, 0, 2)
        following = copy(record)
        following.turns = [*record.turns, Turn(move.actor, [move])]
        total += count(here, following, depth - 1)
    return total


def from_the_start(here: Compiled) -> Record:
    return here.book.decoder.record(here.rules.play(2, seed=0, max_turns=0))


@one_day_in(4)
@pytest.mark.parametrize("depth", few_or_many(3, 4))
def test_the_beginnings_of_chess_are_counted(depth: int) -> None:
    here = Compiled(book("chess"))
    assert count(here, from_the_start(here), depth) == BEGINNINGS[depth]


EVERY_DAY = ("kiwipete", "promotions")
NAMES = some([*POSITIONS], 1)


@one_day_in(4)
@pytest.mark.parametrize("depth", few_or_many(2, 3))
@pytest.mark.parametrize("name", some(NAMES, 1))
def test_what_can_follow_known_positions_is_counted(name: str, depth: int, tmp_path: Path) -> None:
    path = tmp_path / "position.rules"
    path.write_text(POSITIONS[name].rules(), "utf-8")
    here = Compiled(book(str(path)))
    assert count(here, from_the_start(here), depth) == POSITIONS[name].ways[depth]
