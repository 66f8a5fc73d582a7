"""Games of real collections: each is judged or reported, and judged as python-chess and sgfmill's board judge it.

`python -m tests.real_games FOLDER` fetches them from packages of other projects; `PWTOOL_COLLECTIONS=FOLDER` shows them here.
Other collections may lie in the folder, too.
"""

from __future__ import annotations

import io
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.records.importers.installed import find_format, import_game
from pwtool.records.importers.pgn import PGN
from pwtool.records.importers.sgf import SGF
from pwtool.text.source import SourceFile
from tests.real_games import SUFFIXES, VARIABLE
from tests.support import games_in

chess = pytest.importorskip("chess")
chess_pgn = pytest.importorskip("chess.pgn")
variant = pytest.importorskip("chess.variant")
sgf = pytest.importorskip("sgfmill.sgf")
boards = pytest.importorskip("sgfmill.boards")

FOLDER = Path(os.environ.get(VARIABLE, "-"))
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not FOLDER.is_dir(), reason=f"`python -m tests.real_games FOLDER`, then {VARIABLE}=FOLDER"),
]
UNREAD = {
    "chess/data-pgn-anastasian-lewis.pgn": "a move that is none (Z0)",
    "kokopu/test-resources-games-escaped-text-database.pgn": "a closing brace with a backslash in a comment, which PGN does not have",
    "kokopu/test-resources-games-null-moves-database.pgn": "a move that is none (--)",
    "kokopu/test-resources-pgns-misc-database.pgn:12": "a closing brace with a backslash in a comment",
    "kokopu/test-resources-pgns-misc-database.pgn:134": "the first move has the number 0",
    "kokopu/test-resources-pgns-misc-database.pgn:15": "a word that is no move (RR)",
    "kokopu/test-resources-pgns-misc-database.pgn:87": "a move that is none (--)",
    "kokopu/test-resources-pgns-redos-comment-database.pgn": "a comment that never ends",
    "kokopu/test-resources-pgns-redos-header-database.pgn": "a tag that never ends",
    "kokopu/test-resources-pgns-semantic-error-database.pgn:26": "Chess960 without a position",
    "kokopu/test-resources-pgns-semantic-error-database.pgn:40": "a move that is none (--)",
    "kokopu/test-resources-pgns-syntactic-error-1-database.pgn:1": "a word that is no move",
    "kokopu/test-resources-pgns-syntactic-error-1-database.pgn:103": "a tag without a bracket",
    "kokopu/test-resources-pgns-syntactic-error-1-database.pgn:108": "signs instead of the name of a tag",
    "kokopu/test-resources-pgns-syntactic-error-1-database.pgn:11": "a tag without a name",
    "kokopu/test-resources-pgns-syntactic-error-1-database.pgn:114": "signs behind the value of a tag",
    "kokopu/test-resources-pgns-syntactic-error-1-database.pgn:17": "a tag without a value",
    "kokopu/test-resources-pgns-syntactic-error-1-database.pgn:23": "a tag over two lines",
    "kokopu/test-resources-pgns-syntactic-error-1-database.pgn:36": "a word that is no move",
    "kokopu/test-resources-pgns-syntactic-error-1-database.pgn:47": "a tag that never ends",
    "kokopu/test-resources-pgns-syntactic-error-1-database.pgn:67": "words that are no moves",
    "kokopu/test-resources-pgns-syntactic-error-1-database.pgn:84": "a bracket that closes nothing",
    "kokopu/test-resources-pgns-syntactic-error-1-database.pgn:93": "a tag within the moves, so two games, the second without a first move",
    "kokopu/test-resources-pgns-syntactic-error-1-database.pgn:98": "a tag without a bracket",
    "kokopu/test-resources-pgns-syntactic-error-2-database.pgn": "a text that is no game",
    "kokopu/test-resources-pgns-syntactic-error-3-database.pgn": "a text that is no game",
    "kokopu/test-resources-pgns-syntactic-error-4-database.pgn:1": "a comment that never ends",
    "kokopu/test-resources-pgns-syntactic-error-5-database.pgn:1": "a tag that never ends",
    "kombilo/kombilo-tests-sgfs-1600JSTP06.sgf": "the rules of 1600 (Old Chinese), which no ruleset has",
    "mliebelt-pgn-parser/doc-sampleGameThrow.pgn": "letters of pieces in German, which python-chess passes over",
}
"""Games that another reader reads, most of them by passing over what it does not know, and pwtool does not: the file, the line
of the game if there are several, and why.
"""
ERRORS_BESIDE = {"kokopu/test-resources-pgns-syntactic-error-1-database.pgn:79": "the error is in a side line"}
"""Games that pwtool reads and python-chess finds an error in."""


def files(suffix: str) -> list[Path]:
    return sorted(path for path in FOLDER.rglob(f"*{suffix}") if "fuzz-corpus" not in path.name)


def named(path: Path, line: int, count: int) -> str:
    """The name of a game among the exceptions."""
    name = f"{path.parent.name}/{path.name}"
    return name if count == 1 else f"{name}:{line}"


@cache
def judged(suffix: str) -> list[tuple[str, bytes, Any]]:
    """The name, the bytes and the verdict of each game."""
    found: list[tuple[str, bytes, Any]] = []
    form = find_format(suffix[1:])
    assert form is not None and form.value is not None
    for path in files(suffix):
        games = games_in(path.read_bytes(), form.value.form)
        verdicts = list(pwtool.check_many(path))
        assert len(verdicts) == len(games), path
        for (line, data), verdict in zip(games, verdicts, strict=True):
            assert verdict.status == "clean" or verdict.findings
            found.append((named(path, line, len(games)), data, verdict))
    return found


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_game_is_judged_or_reported(suffix: str) -> None:
    statuses = [verdict.status for _, _, verdict in judged(suffix)]
    assert all(status in ("clean", "findings", "undetermined", "unreadable") for status in statuses)


def expected(suffix: str) -> set[str]:
    """The exceptions in the files that are there."""
    here = {f"{path.parent.name}/{path.name}" for path in files(suffix)}
    return {name for name in UNREAD if name.partition(":")[0] in here}


def first_error(verdict: Any) -> Any:
    return next((f for f in verdict.findings if f.level == "error"), None)


def text_of(data: bytes, form: Any) -> str:
    return data.decode(form.encoding(data)).removeprefix("\ufeff")


def test_chess_is_judged_as_python_chess_judges_it() -> None:
    """Up to the same move; what pwtool does not read has errors for python-chess, too, a variant that no ruleset has, or is
    an exception with a reason.
    """
    wrong: list[tuple[str, str]] = []
    unread: set[str] = set()
    for name, data, verdict in judged(".pgn"):
        game = chess_pgn.read_game(io.StringIO(plain(text_of(data, PGN))))
        moves = [] if game is None else list(game.mainline_moves())
        if verdict.status == "unreadable":
            if is_read(game) and name in UNREAD:
                unread.add(name)
            elif is_read(game):
                wrong.append((name, first_error(verdict).message))
            continue
        error = first_error(verdict)
        record = import_game(SourceFile(name, text_of(data, PGN)), "pgn").value
        assert record is not None
        first = record[0].get("start", {}).get("turn", 1)  # type: ignore[attr-defined]
        if name in ERRORS_BESIDE:
            assert error is None and game.errors
        elif error is None and (game.errors or len(moves) != len(record[0]["turns"])):  # type: ignore[arg-type]
            wrong.append((name, f"python-chess reads {len(moves)} moves: {game.errors}"))
        if error is not None and error.code == "PW601" and (not game.errors or len(moves) != error.turn - first):
            wrong.append((name, f"refused in turn {error.turn}, python-chess reads {len(moves)} moves"))
        if error is not None and error.code != "PW601":
            wrong.append((name, f"{error.code} {error.message}"))
    assert not wrong, "\n".join(map(str, wrong))
    assert expected(".pgn") == unread


def plain(text: str) -> str:
    """A game whose moves have no blank lines, where python-chess ends it, and lines as it knows them."""
    lines = [line for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n") if line.strip()]
    at = next((n for n, line in enumerate(lines) if line[0] not in "[%;"), len(lines))
    return "\n".join([*lines[:at], "", *lines[at:]])


def is_read(game: Any) -> bool:
    """Whether python-chess reads a game of a variant that there is a ruleset for without an error."""
    if game is None or game.errors:
        return False
    board = game.board()
    return type(board) in (chess.Board, variant.ThreeCheckBoard)


def test_go_is_judged_as_sgfmills_board_judges_it() -> None:
    """Every move of a game that is not refused goes to an empty point of sgfmill's board, and the same stones lie on both
    at the end; a move that is refused is none there, or takes a ko or one's own stones.
    """
    wrong: list[tuple[str, str]] = []
    unread: set[str] = set()
    for name, data, verdict in judged(".sgf"):
        if verdict.status == "unreadable":
            if is_go(data) and name in UNREAD:
                unread.add(name)
            elif is_go(data):
                wrong.append((name, first_error(verdict).message))
            continue
        imported = import_game(SourceFile(name, text_of(data, SGF)), "sgf").value
        assert imported is not None
        record: Any = imported[0]
        if not record["ruleset"].startswith("go"):
            continue
        error = first_error(verdict)
        count = len(record["turns"]) if error is None else error.turn - 1
        game = sgf.Sgf_game.from_bytes(text_of(data, SGF).encode(), override_encoding="utf-8")
        board, is_legal = replayed(game, count)
        size = board.side
        there = {(at[1], size - 1 - at[0]): color for color, at in board.list_occupied_points()}
        replay = pwtool.load(record["ruleset"]).replay(record)
        lies = replay.at(replay.first + count).state()["zones"]["board"]
        if not is_legal or there != {(x, y): pile[0].lower() for x, y, pile in lies}:
            wrong.append((name, "another position"))
        if error is not None:
            wrong.append((name, f"turn {error.turn}: {error.message}"))
    assert not wrong, "\n".join(map(str, wrong))
    assert expected(".sgf") == unread


def is_go(data: bytes) -> bool:
    """Whether sgfmill reads a game of Go."""
    try:
        game = sgf.Sgf_game.from_bytes(data)
    except ValueError:
        return False
    root = game.get_root()
    return not root.has_property("GM") or root.get_raw("GM") == b"1"


def replayed(game: Any, count: int) -> tuple[Any, bool]:
    """sgfmill's board after so many turns, and whether all were legal there."""
    board, played, is_laid = boards.Board(game.get_size()), 0, False
    for node in game.get_main_sequence():
        black, white, empty = node.get_setup_stones()
        if black or white or empty:
            board.apply_setup(black, white, empty)
            # A handicap is a turn of its own.
            is_laid = is_laid or (bool(black) and not white)
        color, at = node.get_move()
        if color is None:
            continue
        if played == 0 and is_laid and color == "w" and len(board.list_occupied_points()) in range(2, 10):
            played += 1
        if played >= count:
            break
        played += 1
        if at is not None:
            try:
                board.play(*at, color)
            except ValueError:
                return board, False
    return board, True
