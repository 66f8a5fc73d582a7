"""Games of chess in PGN: games at random by python-chess are clean, and with one move that is not legal refused at that move."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

import pwtool
from pwtool.checking.documents import load_document
from pwtool.checking.report import FileResult
from pwtool.cli.app import run
from pwtool.records.importers.texts import games_of, import_text
from pwtool.records.inputs import read_documents
from pwtool.text.source import SourceFile
from tests.support import few_or_many

chess = pytest.importorskip("chess")
pgn = pytest.importorskip("chess.pgn")


def is_over(board: chess.Board) -> bool:
    """Whether the game ends here without a claim."""
    return bool(board.is_game_over())


def random_moves(seed: int) -> list[str]:
    """A game at random, as chess players write it."""
    rng, board, moves = random.Random(seed), chess.Board(), []
    while not is_over(board):
        move = rng.choice(list(board.legal_moves))
        moves.append(board.san(move))
        board.push(move)
    return moves


def as_pgn(moves: Sequence[str], result: str = "*") -> str:
    numbered = [f"{at // 2 + 1}. {move}" if at % 2 == 0 else move for at, move in enumerate(moves)]
    return f'[White "Ana"]\n[Black "Ben"]\n\n{" ".join(numbered)} {result}\n'


def result_of(moves: Sequence[str]) -> str:
    return ("1-0" if len(moves) % 2 else "0-1") if moves[-1].endswith("#") else "1/2-1/2"


def damaged(moves: Sequence[str], rng: random.Random) -> tuple[list[str], int]:
    """The moves with one that is not legal among them, and where it stands."""
    at, board = rng.randrange(len(moves)), chess.Board()
    for move in moves[:at]:
        board.push_san(move)
    while True:
        san = rng.choice(["", "N", "B", "R", "Q", "K"]) + chess.square_name(rng.randrange(64))
        san = rng.choice([san, san, san, "O-O", "O-O-O"])
        try:
            board.parse_san(san)
        except chess.AmbiguousMoveError:
            continue
        except ValueError:
            return [*moves[:at], san, *moves[at + 1 :]], at


def read(text: str) -> dict[str, object]:
    result = import_text(SourceFile("game.pgn", text), ".pgn")
    assert result.value is not None, [d.message for d in result.diagnostics]
    return result.value[0]


@pytest.mark.parametrize("games", few_or_many(15, 1000))
def test_games_at_random_are_clean(games: int) -> None:
    rules = pwtool.load("chess")
    written = [random_moves(seed) for seed in range(games)]
    records = [read(as_pgn(moves, result_of(moves))) for moves in written]
    assert sum("result" in record for record in records) >= games // 20
    for moves, verdict in zip(written, rules.check_many(records), strict=True):
        assert verdict.status == "clean", (moves, verdict.causes)


@pytest.mark.parametrize("games", few_or_many(3, 200))
def test_a_move_that_is_not_legal_is_refused_where_it_stands(games: int, tmp_path: Path) -> None:
    rules = pwtool.load("chess")
    for seed in range(games):
        rng = random.Random(seed)
        moves, at = damaged(random_moves(seed)[:150], rng)
        path = tmp_path / "game.pgn"
        path.write_text(as_pgn(moves), "utf-8")
        verdict = rules.check(path)
        assert verdict.status == "findings"
        assert verdict.causes[0].turn == at + 1, (moves, at, verdict.causes)


CLUB = """[Event "The \\"Club\\""]
[White "Ana"]
[Black "Ben"]

{A trap} 1. e4 e5 2. Bc4 Nc6 $6 (2... Nf6 {is (better} 3. d3) 3. Qh5 Nf6?? {loses} ; at once
4. Qxf7# 1-0

[White "Ana"]
[Black "Ana"]

1. Nf3 {
[no tag]
} d5 *
"""


def test_comments_marks_and_side_lines(tmp_path: Path) -> None:
    first, second = (read(text.decode()) for _, text in games_of(CLUB.encode(), ".pgn"))
    assert first["players"] == ["Ana", "Ben"]
    assert first["comment"] == "A trap"
    assert first["meta"] == {"Event": 'The "Club"', "White": "Ana", "Black": "Ben"}
    assert first["result"] == {"ranking": [["Ana"], ["Ben"]]}
    assert isinstance(first["turns"], list)
    said = [(action.get("mark"), action.get("comment")) for turn in first["turns"] for action in turn["actions"]]
    assert said == [(None, None)] * 3 + [("?!", None), (None, None), ("??", "loses at once"), (None, None)]
    assert second["players"] == ["White", "Black"]
    path = tmp_path / "club.pgn"
    path.write_text(CLUB, "utf-8")
    assert [document.name for document in read_documents(str(path))] == [f"{path}:1", f"{path}:8"]
    assert [v.status for v in pwtool.load("chess").check_many(path)] == ["clean", "clean"]
    assert pwtool.load("chess").check(f"{path}:8").status == "clean"
    assert run(["convert", str(path), "-o", str(tmp_path / "club.jsonl")]) == 0
    assert [v.status for v in pwtool.load("chess").check_many(tmp_path / "club.jsonl")] == ["clean", "clean"]


@pytest.mark.parametrize("games", few_or_many(5, 100))
def test_games_are_read_as_python_chess_reads_them(games: int) -> None:
    """Also with the comments, side lines and marks that its own writer sets."""
    for seed in range(games):
        rng, game = random.Random(seed), pgn.Game()
        node = game
        for move in random_moves(seed)[:60]:
            board = node.board()
            if rng.random() < 0.2:
                side = node.add_variation(rng.choice(list(board.legal_moves)), comment="else [e4] (or 1. d4)")
                node.promote_to_main(side) if len(node.variations) == 1 else None
            played = board.parse_san(move)
            node = (
                node.variation(played)
                if node.has_variation(played)
                else node.add_variation(played, nags=[rng.randrange(1, 20)])
            )
            node.parent.promote_to_main(node)
            if rng.random() < 0.2:
                node.comment = "a comment; with $1 (and more)"
        turns = read(str(game))["turns"]
        board = pgn.read_game(io.StringIO(str(game))).end().board()
        assert isinstance(turns, list) and len(turns) == len(board.move_stack)
        for turn, move in zip(turns, board.move_stack, strict=True):
            [action] = turn["actions"]
            at = action.get("start")
            assert at is None or chess.square(at[0], 7 - at[1]) == move.from_square


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("1. e4 e5 2. xx", "xx", "`xx` is not a move"),
        ("1. d4 d5 2. Nf3 Nf6 3. Nd2", "Nd2", "`Nd2` can come from"),
        ("1. e4 {e5", "{", "this comment never ends"),
        ("1. e4 (d4", "4", "a side line never ends"),
        ("1. e4 )", ")", "no side line begins before this"),
        ('[FEN "8/8/8/8/8/8/8/Kk6 w - - 0 1"]\n\n*', "[FEN", "a position of its own"),
        ("", "", "the file contains no game"),
    ],
)
def test_what_cannot_be_read_is_told_where_it_stands(text: str, place: str, says: str) -> None:
    result = import_text(SourceFile("game.pgn", text), ".pgn")
    [found] = result.diagnostics
    assert result.value is None and found.code == "PW704" and says in found.message
    assert found.span is not None and found.span.text.startswith(place)


def test_a_promotion_that_no_pawn_can_do_is_refused() -> None:
    for moves in ("ea8=N", "1. Na8=Q", "1. e4 dh1=Q", "1. e8=Q"):
        verdict = pwtool.load("chess").check(read(moves))
        assert verdict.status == "findings", (moves, verdict.findings)


def test_a_variant_names_its_own_ruleset_or_none() -> None:
    assert "ruleset" not in read('[Variant "King of the Hill"]\n\n1. e4 *')
    assert "ruleset" not in read('[Variant "Nobody knows it"]\n\n1. e4 *')
    assert read("1. e4 *")["ruleset"] == read('[Variant "standard"]\n\n1. e4 *')["ruleset"] == "chess"
    assert read('[Variant "Three-check"]\n\n1. e4 *')["ruleset"] == "chess+three_check"


def test_chess960_begins_as_its_position_says() -> None:
    head = f'[Variant "Chess960"]\n[FEN "{chess.Board.from_chess960_pos(100).fen()}"]\n\n'
    record = read(head + "1. e4 e5 *")
    assert record["ruleset"] == "chess+chess960"
    assert pwtool.load("chess+chess960").check(record).status == "clean"
    record["setup"]["row"][0].reverse()
    assert pwtool.load("chess+chess960").check(record).status == "clean"
    record["setup"]["row"][0].sort()
    assert pwtool.load("chess+chess960").check(record).status == "findings"


def test_where_python_chess_is_missing_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import sys

    monkeypatch.delitem(sys.modules, "pwtool.records.importers.pgn", raising=False)
    monkeypatch.setitem(sys.modules, "chess", None)
    path = tmp_path / "game.pgn"
    path.write_text("1. e4 *", "utf-8")
    [document] = read_documents(str(path))
    found = load_document(document)
    assert isinstance(found, FileResult)
    assert "pwtool[import]" in (found.diagnostics[0].help or "")


@pytest.mark.parametrize("texts", few_or_many(25, 400))
def test_no_text_makes_the_reader_fail(texts: int) -> None:
    """Pieces of games in disorder: a record that can be read, or findings inside of the text."""
    rules = pwtool.load("chess")
    for seed in range(texts):
        rng = random.Random(seed)
        text = as_pgn(random_moves(seed % 5)[:40]) + CLUB
        for _ in range(rng.randrange(1, 6)):
            start, length, to = rng.randrange(len(text)), rng.choice([1, 3, 40]), rng.randrange(len(text))
            piece = rng.choice(
                [text[start : start + length], "", rng.choice(['"', "[", "{", "O-O-O", "Kxe8", "a8=N", "e1", "\x00"])]
            )
            text = text[:to] + piece + text[to + rng.choice([0, length]) :]
        for _, game in games_of(text.encode(), ".pgn"):
            result = import_text(SourceFile("game.pgn", game.decode()), ".pgn")
            assert (result.value is None) == bool(result.diagnostics)
            if result.value is not None:
                names_set_up = result.value[0].get("ruleset") is None
                assert names_set_up or rules.check(result.value[0]).status in ("clean", "findings", "undetermined")
