"""Games of Othello in WTHOR archives: games at random are clean, and with one move that is not legal refused at that move."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.cli.app import run
from pwtool.records.importers import wthor
from pwtool.records.importers.installed import find_format, import_game, recognised
from pwtool.records.importers.wthor import WTHOR
from pwtool.records.importers.wthor_passes import NOT_OVER, play_moves
from pwtool.records.inputs import read_documents
from pwtool.text.source import SourceFile
from tests.daily import numbers, one_day_in
from tests.support import few_or_many

Cell = tuple[int, int]
"""Column and row, from 0."""

# ---- Othello, played by force ----------------------------------------------------------------------------------------


def turned(board: dict[Cell, int], at: Cell, side: int) -> list[Cell]:
    """The discs that one disc turns, cell by cell."""
    found: list[Cell] = []
    for dx in (-1, 0, 1):
        for dy in (-1, 0, 1):
            line, (x, y) = [], (at[0] + dx, at[1] + dy)
            while (dx or dy) and board.get((x, y)) == 1 - side:
                line.append((x, y))
                x, y = x + dx, y + dy
            found += line if board.get((x, y)) == side else []
    return found


def legal(board: dict[Cell, int], side: int) -> list[Cell]:
    cells = [(x, y) for y in range(8) for x in range(8)]
    return [at for at in cells if at not in board and turned(board, at, side)]


def random_game(rng: random.Random) -> tuple[list[Cell | None], dict[Cell, int]]:
    """A game at random, with the passes (None), and its last board."""
    board = {(3, 3): 1, (4, 4): 1, (4, 3): 0, (3, 4): 0}
    moves: list[Cell | None] = []
    side = 0
    while True:
        cells = legal(board, side)
        if not cells and not legal(board, 1 - side):
            return moves, board
        at = rng.choice(cells) if cells else None
        if at is not None:
            board |= dict.fromkeys([at, *turned(board, at, side)], side)
        moves.append(at)
        side = 1 - side


def score(board: dict[Cell, int]) -> int:
    """Black's discs; the winner gets the empty cells."""
    black = sum(side == 0 for side in board.values())
    white, empty = len(board) - black, 64 - len(board)
    return black + (empty if black > white else empty // 2 if black == white else 0)


# ---- our own writer --------------------------------------------------------------------------------------------------


def as_bytes(moves: Sequence[Cell | None], discs: int, players: tuple[int, int] = (7, 12)) -> bytes:
    cells = bytes(10 * (at[1] + 1) + at[0] + 1 for at in moves if at is not None)
    return struct.pack("<HHHBB60s", 3, *players, discs, 40, cells)


def as_file(games: Sequence[bytes], told: int | None = None, size: int = 8, solitaire: int = 0) -> bytes:
    count = len(games) if told is None else told
    head = struct.pack("<BBBBIHHBBBB", 20, 1, 12, 31, count, 0, 2001, size, solitaire, 24, 0)
    return head + b"".join(games)


@cache
def some_games(count: int) -> list[tuple[list[Cell | None], dict[Cell, int]]]:
    rng = random.Random(count)
    return [random_game(rng) for _ in range(count)]


def games_of(data: bytes) -> list[tuple[int, SourceFile]]:
    found = []
    for number, game, _ in WTHOR.games(BytesIO(data)):
        form = find_format("wtb")
        assert form is not None and form.value is not None
        file = form.value.decoded(game, "games.wtb", len(game), number).value
        assert file is not None
        found.append((number, file))
    return found


def read(file: SourceFile) -> dict[str, Any]:
    result = import_game(file, "wtb")
    assert result.value is not None, [d.message for d in result.diagnostics]
    return result.value[0]


def problems(data: bytes) -> list[str]:
    """What is said of the games that cannot be read."""
    return [d.message for _, file in games_of(data) for d in import_game(file, "wtb").diagnostics]


def cells_of(record: dict[str, Any]) -> list[Cell | None]:
    actions = [turn["actions"][0] for turn in record["turns"]]
    return [None if action["action"] == "pass" else tuple(action["at"]) for action in actions]


# ---- games at random -------------------------------------------------------------------------------------------------


@one_day_in(8)
@pytest.mark.parametrize("games", few_or_many(150, 1000))
@pytest.mark.parametrize("at_once", [1024, 7])
def test_games_at_random_come_back_and_are_clean(games: int, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wthor, "_AT_ONCE", at_once)
    played = some_games(games)
    records = [read(file) for _, file in games_of(as_file([as_bytes(moves, score(board)) for moves, board in played]))]
    assert len(records) == games and sum(None in moves for moves, _ in played) > games // 5
    assert any(len(board) < 64 for _, board in played)
    for record, (moves, board) in zip(records, played, strict=True):
        assert cells_of(record) == moves
        assert [turn["player"] for turn in record["turns"][:2]] == ["Player 7", "Player 12"]
        assert [*record["result"]["scores"].values()] == [sum(s == side for s in board.values()) for side in (0, 1)]
    assert not any(verdict.findings for verdict in pwtool.load("othello").check_many(records))


@pytest.mark.parametrize("games", numbers(5, 300))
def test_games_of_the_engine_come_back(games: Sequence[int]) -> None:
    rules = pwtool.load("othello")
    for seed in games:
        record = rules.play(2, seed=seed)
        moves = cells_of(record)
        [(_, file)] = games_of(as_file([as_bytes(moves, 32)]))
        assert [turn["actions"] for turn in read(file)["turns"]] == [turn["actions"] for turn in record["turns"]]


@one_day_in(8)
@pytest.mark.parametrize("games", few_or_many(20, 400))
def test_an_illegal_move_is_refused_where_it_stands(games: int, tmp_path: Path) -> None:
    rng = random.Random(3)
    data: list[bytes] = []
    places: list[tuple[int, str]] = []
    for moves, _ in some_games(games):
        at = rng.choice([number for number, cell in enumerate(moves) if cell is not None])
        board = {(3, 3): 1, (4, 4): 1, (4, 3): 0, (3, 4): 0}
        for number, cell in enumerate(moves[:at]):
            if cell is not None:
                board |= dict.fromkeys([cell, *turned(board, cell, number % 2)], number % 2)
        wrong = [(x, y) for x in range(8) for y in range(8) if (x, y) not in legal(board, at % 2)]
        cell = rng.choice(wrong)
        data.append(as_bytes([*moves[:at], cell, *moves[at + 1 :]], 32))
        # Whoever cannot move has passed before it, whatever the move is.
        places.append((at + 1, f"{'abcdefgh'[cell[0]]}{cell[1] + 1}"))
    path = tmp_path / "games.wtb"
    path.write_bytes(as_file(data))
    verdicts = list(pwtool.load("othello").check_many(path))
    assert len(verdicts) == games
    texts = [file.text for _, file in games_of(as_file(data))]
    for number, (verdict, (turn, cell_name)) in enumerate(zip(verdicts, places, strict=True)):
        first = verdict.causes[0]
        assert (verdict.status, first.turn, first.line) == ("findings", turn, number + 1)
        assert first.column is not None and texts[number][first.column - 1 :].startswith(cell_name)


# ---- what else is in a file ------------------------------------------------------------------------------------------


def test_a_file_of_several_games_has_them_by_number(tmp_path: Path) -> None:
    path = tmp_path / "club.wtb"
    path.write_bytes(as_file([as_bytes(moves, score(board)) for moves, board in some_games(3)]))
    assert [document.name for document in read_documents(str(path))] == [f"{path}:{number}" for number in (1, 2, 3)]
    assert pwtool.load("othello").check(f"{path}:2").status == "clean"
    assert run(["convert", str(path), "-o", str(tmp_path / "club.jsonl")]) == 0
    assert [v.status for v in pwtool.load("othello").check_many(tmp_path / "club.jsonl")] == ["clean"] * 3
    [_, (_, file), _] = games_of(path.read_bytes())
    assert read(file)["meta"] == {
        "Year": "2001", "Tournament": "3", "Black": "7", "White": "12", "Theoretical": "40",
    }  # fmt: skip


def test_the_only_game_has_the_name_of_its_file(tmp_path: Path) -> None:
    [(moves, board)] = some_games(1)
    path = tmp_path / "game.wtb"
    path.write_bytes(as_file([as_bytes(moves, score(board))]))
    assert [document.name for document in read_documents(str(path))] == [str(path)]
    assert pwtool.check(path).status == "clean"


@one_day_in(8)
@pytest.mark.parametrize("games", few_or_many(60, 500))
def test_a_wrong_score_of_a_finished_game_is_refused(games: int, tmp_path: Path) -> None:
    path = tmp_path / "games.wtb"
    played = [(moves, (score(board) + 1 + number % 64) % 65) for number, (moves, board) in enumerate(some_games(games))]
    path.write_bytes(as_file([as_bytes(moves, discs) for moves, discs in played]))
    verdicts = list(pwtool.load("othello").check_many(path))
    assert len(verdicts) == games
    for number, verdict in enumerate(verdicts):
        assert (verdict.status, verdict.causes[0].code) == ("findings", "PW608"), number
        assert verdict.causes[0].line == number + 1


@pytest.mark.parametrize("length", [0, 1, 20, 40])
def test_a_game_that_is_not_over_has_the_score_of_its_file(length: int, tmp_path: Path) -> None:
    rules = pwtool.load("othello")
    played = [(moves[:length], discs) for moves, _ in some_games(5) for discs in (0, 31, 32, 33, 40, 64)]
    data = as_file([as_bytes(moves, discs) for moves, discs in played])
    for (_, file), (_, discs) in zip(games_of(data), played, strict=True):
        record = read(file)
        assert rules.check(record).status == "clean"
        assert record["result"]["scores"] == {"Player 7": discs, "Player 12": 64 - discs}
        ranking = record["result"]["ranking"]
        assert len(ranking) == (1 if discs == 32 else 2)
        assert ranking[0][0] == ("Player 12" if discs < 32 else "Player 7")
    path, packed = tmp_path / "games.wtb", tmp_path / "games.parquet"
    path.write_bytes(data)
    assert [verdict.status for verdict in rules.check_many(path)] == ["clean"] * len(played)
    assert run(["pack", str(path), "-o", str(packed), "-q"]) == 0
    rows = pytest.importorskip("pyarrow.parquet").read_table(packed, columns=["scores"])["scores"].to_pylist()
    assert rows == [[discs, 64 - discs] for _, discs in played]


def test_a_game_is_over_where_nobody_can_move() -> None:
    """After each move of games at random, all of them together and one by one."""
    games: list[bytes] = []
    counted: list[int] = []
    for moves, _ in some_games(10):
        board, laid = {(3, 3): 1, (4, 4): 1, (4, 3): 0, (3, 4): 0}, b""
        for number, at in enumerate(moves):
            if at is not None:
                board |= dict.fromkeys([at, *turned(board, at, number % 2)], number % 2)
                laid += bytes([10 * (at[1] + 1) + at[0] + 1])
                games.append(laid)
                is_over = not legal(board, 0) and not legal(board, 1)
                counted.append([*board.values()].count(0) if is_over else NOT_OVER)
    together = play_moves([bytes(one) for one in zip(*(game.ljust(60, b"\0") for game in games), strict=True)])
    assert [discs for _, discs in together] == counted
    assert [play_moves([bytes([byte]) for byte in game])[0][1] for game in games] == counted
    assert len(counted) - counted.count(NOT_OVER) == 10


@one_day_in(4)
def test_a_wrong_score_is_told_as_the_file_has_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Discs as they lie on the board, although cells are empty."""
    played = [
        (moves, black, len(board) - black, score(board))
        for moves, board in some_games(150)
        if len(board) < 64 and (black := [*board.values()].count(0)) != score(board)
    ]
    assert played
    path = tmp_path / "games.wtb"
    for moves, black, white, right in played:
        path.write_bytes(as_file([as_bytes(moves, black)]))
        assert run(["check", str(path)]) == 1
        told = capsys.readouterr().out
        assert f"Player 12 has {white} points, not {64 - black}" in told
        assert f"the file says {black}:{64 - black}" in told and f"the board gives {right}:{64 - right}" in told
        record = read(games_of(path.read_bytes())[0][1])
        assert [*record["result"]["scores"].values()] == [black, 64 - black]


def test_a_game_with_an_illegal_move_has_the_score_of_its_file() -> None:
    for moves, board in some_games(5):
        for wrong in ([*moves[:-1], (3, 3)], [(0, 0), *moves[1:]]):
            [(_, file)] = games_of(as_file([as_bytes(wrong, score(board))]))
            assert [*read(file)["result"]["scores"].values()] == [score(board), 64 - score(board)]


def test_players_with_one_number_are_called_by_their_colors() -> None:
    [(_, file)] = games_of(as_file([as_bytes([(3, 2)], 64, (0, 0))]))
    assert read(file)["players"] == ["Black", "White"]


D3 = bytes([34])


@pytest.mark.parametrize(
    ("data", "says", "readable"),
    [
        (b"", "shorter than the header", 0),
        (as_file([])[:15], "shorter than the header", 0),
        (as_file([]), "contains no game", 0),
        (as_file([as_bytes([(3, 2)], 64)] * 3, told=5), "counts 5 games, but the file has 3", 3),
        (as_file([as_bytes([(3, 2)], 64)] * 3, told=1), "counts 1 games, but the file has 3", 3),
        (as_file([as_bytes([(3, 2)], 64)] * 3)[:-5], "behind 2 games, 63 bytes are left", 2),
        (b"hello world, this is no archive of games\n", "does not begin with the header of a WTHOR file", 0),
        (as_file([as_bytes(some_games(1)[0][0], 64)] * 2)[16:], "does not begin with the header of a WTHOR file", 0),
        (as_file([as_bytes([(3, 2)], 65)]), "only 64 discs", 0),
        (as_file([struct.pack("<HHHBB60s", 3, 1, 2, 64, 40, D3 + b"\x00\x2b")]), "a move is missing", 0),
        (as_file([struct.pack("<HHHBB60s", 3, 1, 2, 64, 40, D3 + b"\x5a")]), "`90` is not a cell", 0),
        (as_file([struct.pack("<HHHBB60s", 3, 1, 2, 64, 40, b"\xff" * 60)]), "`255` is not a cell", 0),
    ],
)
def test_what_cannot_be_read_is_told(data: bytes, says: str, readable: int, tmp_path: Path) -> None:
    [message] = problems(data)
    assert says in message
    path = tmp_path / "games.wtb"
    path.write_bytes(data)
    statuses = [verdict.status for verdict in pwtool.load("othello").check_many(path)]
    assert statuses == ["clean"] * readable + ["unreadable"]


@pytest.mark.parametrize(
    ("size", "solitaire", "says"),
    [
        (10, 0, "the game is played on a board of 10 lines, for which there is no ruleset"),
        (6, 0, "the game is played on a board of 6 lines, for which there is no ruleset"),
        (8, 1, "this is a solitaire, not a game"),
        (10, 1, "this is a solitaire, not a game"),
        (8, 2, "games of the kind `2` are not read"),
    ],
)
def test_each_game_of_another_kind_is_reported(
    size: int, solitaire: int, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.wtb"
    for told, more in ((5, []), (7, ["the header counts 7 games, but the file has 5"])):
        path.write_bytes(as_file([as_bytes([(3, 2)], 64)] * 5, told, size, solitaire))
        assert problems(path.read_bytes()) == [says] * 5 + more
        assert [verdict.status for verdict in pwtool.check_many(path)] == ["unreadable"] * (5 + len(more))
        capsys.readouterr()
        assert run(["check", str(path)]) == 2
        printed = capsys.readouterr().out
        assert printed.count(says) == 1 and "4 more games of this file cannot be judged for this reason" in printed


def test_a_file_is_recognised_by_its_header_and_its_first_move() -> None:
    data = as_file([as_bytes(moves, 32) for moves, _ in some_games(3)])
    assert recognised(data) == "wtb"
    assert recognised(as_file([as_bytes([(0, 0)], 32)])) is None
    assert recognised(data[:80]) is None and recognised(b"\0" * 200) is None


def test_another_game_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.wtb"
    path.write_bytes(as_file([as_bytes(some_games(1)[0][0], 32)]))
    [found] = pwtool.load("gomoku").check(path).findings
    assert found.code == "PW704" and "a game of othello" in found.message


@one_day_in(7)
@pytest.mark.parametrize("files", numbers(50, 5000))
def test_no_bytes_make_the_reader_fail(files: Sequence[int]) -> None:
    """Damaged bytes: each game is a record or has a finding, and no game is lost."""
    rules = pwtool.load("othello")
    records = []
    for seed in files:
        rng = random.Random(seed)
        data = bytearray(as_file([as_bytes(moves, score(board)) for moves, board in some_games(4)]))
        for _ in range(rng.randrange(1, 12)):
            data[rng.randrange(len(data))] = rng.choice([0, 11, 34, 88, 99, 255, rng.randrange(256)])
        data = data[: rng.choice([len(data), rng.randrange(len(data) + 1)])]
        games = games_of(bytes(data))
        whole = max(0, len(data) - 16) // 68
        is_othello = len(data) >= 16 and data[12] in (0, 8) and not data[13]
        assert len(games) >= (whole if is_othello else 1)
        for _, file in games:
            result = import_game(file, "wtb")
            assert (result.value is None) == bool(result.diagnostics)
            records += [] if result.value is None else [result.value[0]]
    assert {verdict.status for verdict in rules.check_many(records)} <= {"clean", "findings"}
