"""What files of other programs have now and then: results for which nobody is ranked, signs of annotators, bytes behind the
end, moves that nobody can make.
"""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

import pwtool
from pwtool.cli.app import run
from pwtool.records.importers.pdn import PDN
from pwtool.records.importers.pgn import PGN
from tests.daily import one_day_in

pytest.importorskip("chess")
pytest.importorskip("sgfmill")

_TAGS = '[White "Ana"]\n[Black "Ben"]\n'


def _read(address: str, path: Path, data: str | bytes) -> pwtool.Verdict:
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return pwtool.load(address).check(path)


def _concise(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    run(["check", "--no-config", "-f", "concise", *words])
    return capsys.readouterr().out


class TestPgn:
    @pytest.mark.parametrize("moves", ["0-0", "1. e4 e5 2. Nf3 0-0", "1. e4 e5 *", "1. e4 e5"])
    def test_both_lose(self, moves: str, tmp_path: Path) -> None:
        assert _read("chess", tmp_path / "a.pgn", f'{_TAGS}[Result "0-0"]\n\n{moves}\n').status == "clean"
        told = (tmp_path / "a.pgn").read_text()
        run(["convert", str(tmp_path / "a.pgn"), "-o", str(tmp_path / "b.pgn")])
        again = (tmp_path / "b.pgn").read_text()
        assert '[Result "0-0"]' in told and '[Result "0-0"]' in again and again.rstrip().endswith("0-0")

    def test_castling_with_zeros_at_the_end_is_a_move(self, tmp_path: Path) -> None:
        moves = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0"
        for result in ("", '[Result "*"]\n', '[Result "1-0"]\n'):
            path = tmp_path / "a.pgn"
            assert _read("chess", path, f"{_TAGS}{result}\n{moves}\n").status == "clean"
            run(["convert", str(path), "-o", str(tmp_path / "b.pgn"), "--force"])
            assert "O-O" in (tmp_path / "b.pgn").read_text()

    def test_signs_of_annotators_are_left_out(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        text = f"{_TAGS}\n1. e4 += e5 = 2. Nf3 N Nc6 +- 3. Bc4 -/+ Bc5 +/= 4. Nd5 ∞ *\n"
        (tmp_path / "a.pgn").write_text(text)
        assert "error[PW601] step.knight" in (told := _concise(capsys, str(tmp_path / "a.pgn")))
        assert "4. Nd5, turn 7" in told

    def test_a_sign_is_no_piece_that_moves(self, tmp_path: Path) -> None:
        assert _read("chess", tmp_path / "a.pgn", f"{_TAGS}\n1. N *\n").status == "unreadable"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (f'{_TAGS}[Result "*"]\n\n1. f3 e5 2. g4 Qh4# *\n', PGN),
        ('[Black "A"]\n[White "B"]\n[Result "*"]\n[FEN "B:W9:B5"]\n\n1. 5x14 *\n', PDN),
    ],
)
def test_an_open_result_stays_open(text: str, form: object, tmp_path: Path) -> None:
    suffix = "pgn" if form is PGN else "pdn"
    path, again = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    path.write_text(text)
    run(["convert", str(path), "-o", str(again)])
    assert again.read_text().rstrip().endswith(" *") and '[Result "*"]' in again.read_text()


def test_nul_behind_a_game_of_go(tmp_path: Path) -> None:
    assert _read("go", tmp_path / "a.sgf", b"(;GM[1]SZ[9];B[ee];W[ec])" + bytes(40)).status == "clean"


def test_a_capture_of_several_ways_by_the_wrong_side_is_a_move(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fen = "B:WK27,28,32:B24,23,22,15,16,1"
    # White's king may go two ways; it is Black's turn.
    (tmp_path / "a.pdn").write_text(f'[Black "A"]\n[White "B"]\n[FEN "{fen}"]\n\n1. 27x11 *\n')
    assert "error[PW601]" in _concise(capsys, str(tmp_path / "a.pdn"))


def _wthor(moves: list[list[int]]) -> bytes:
    head = struct.pack("<4BIHH4B", 20, 20, 1, 1, len(moves), 0, 2020, 8, 0, 0, 0)
    return head + b"".join(struct.pack("<3H2B60s", 1, 2, 3, 32, 32, bytes(game)) for game in moves)


@one_day_in(8)
def test_an_illegal_move_behind_a_forced_pass_is_told_at_its_own_turn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, seen, seed = pwtool.load("othello"), 0, 0
    while seen < 8:
        seed += 1
        turns = [turn["actions"][0] for turn in rules.play(2, seed=seed)["turns"]]
        at = next((at for at, action in enumerate(turns[:-1]) if action["action"] == "pass"), None)
        if at is None or turns[at + 1]["action"] == "pass":
            continue
        seen += 1
        cells = [action["at"] for action in turns[: at + 2] if "at" in action]
        # On a cell of the start there always is a disc.
        moves = [10 * (y + 1) + x + 1 for x, y in cells[:-1]] + [44]
        (tmp_path / "a.wtb").write_bytes(_wthor([moves]))
        for words in ((), ("--no-kernel",)):
            told = _concise(capsys, str(tmp_path / "a.wtb"), *words)
            assert f"turn {at + 2}," in told and "d4" in told
