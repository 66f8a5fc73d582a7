"""Games of chess in PGN: games at random by python-chess are clean, and with one move that is not legal refused at that move."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import pytest

import pwtool
from pwtool.checking.documents import load_document
from pwtool.checking.report import FileResult
from pwtool.cli.app import run
from pwtool.records.importers.installed import import_game
from pwtool.records.importers.pgn import PGN
from pwtool.records.importers.pgn_writing import write_pgn
from pwtool.records.inputs import read_documents
from pwtool.records.json_text import decode_bytes
from pwtool.text.source import SourceFile
from tests.daily import numbers, one_day_in, some
from tests.support import drafted_of, for_rules, games_in

chess = pytest.importorskip("chess")
pgn = pytest.importorskip("chess.pgn")
find_variant = pytest.importorskip("chess.variant").find_variant


def is_over(board: chess.Board) -> bool:
    """Whether the game ends here without a claim."""
    return bool(board.is_game_over())


@cache
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
    result = import_game(SourceFile("game.pgn", text), "pgn")
    assert result.value is not None, [d.message for d in result.diagnostics]
    return result.value[0]


@pytest.mark.parametrize("games", numbers(3, 1000))
def test_games_at_random_are_clean(games: Sequence[int]) -> None:
    rules = pwtool.load("chess")
    written = [random_moves(seed) for seed in games]
    records = [read(as_pgn(moves, result_of(moves))) for moves in written]
    assert sum("result" in record for record in records) >= len(games) // 20
    for moves, verdict in zip(written, rules.check_many(records), strict=True):
        assert verdict.status == "clean", (moves, verdict.causes)


@pytest.mark.parametrize("games", numbers(2, 300))
def test_a_move_that_is_not_legal_is_refused_where_it_stands(games: Sequence[int], tmp_path: Path) -> None:
    rules = pwtool.load("chess")
    for seed in games:
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
    first, second = (read(text.decode()) for _, text in games_in(CLUB.encode(), PGN))
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


@pytest.mark.parametrize("games", numbers(3, 100))
def test_games_are_read_as_python_chess_reads_them(games: Sequence[int]) -> None:
    """Also with the comments, side lines and marks that its own writer sets."""
    for seed in games:
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
        ('[FEN "8/8/8/8/8/8/8/Kk6 w - - 0 1"]\n\n*', "[FEN", "opposite check"),
        ("", "", "the file contains no game"),
        ('[White "Ana"\n[Black "Ben"]\n\n1. e4 *', '[White "Ana"', "this is not a tag"),
        ("[White Ana]\n\n1. e4 *", "[White Ana]", "this is not a tag"),
        ('[White "Ana" (2100)]\n\n1. e4 *', '[White "Ana" (2100)]', "this is not a tag"),
    ],
)
def test_what_cannot_be_read_is_told_where_it_stands(text: str, place: str, says: str) -> None:
    result = import_game(SourceFile("game.pgn", text), "pgn")
    [found] = result.diagnostics
    assert result.value is None and found.code == "PW704" and says in found.message
    assert found.span is not None and found.span.text.startswith(place)


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ('""Mephisto""', '"Mephisto"'), ('"Robert "Bobby" Fischer"', 'Robert "Bobby" Fischer'), ('"a" b"', 'a" b'),
        (r'"a \"b\" c"', 'a "b" c'), ('""x"', '"x'),
    ],
)  # fmt: skip
def test_a_quotation_mark_in_a_tag_needs_no_escape(tmp_path: Path, tag: str, name: str) -> None:
    """python-chess reads it like this, too."""
    game = f'[White {tag}] [Black "Ben"]\n[Round "1"]\n\n1. e4 *\n\n'
    record = read(game)
    assert record["meta"] == {"White": name, "Black": "Ben", "Round": "1"}
    parts = games_in((game * 3).encode(), PGN)
    assert [line for line, _ in parts] == [1, 6, 11]
    assert read(write_pgn(record))["meta"]["White"] == name  # type: ignore[index]
    if "\\" not in tag:
        assert pgn.read_headers(io.StringIO(game.replace('] [Black "Ben"', "")))["White"] == name


def test_clocks_stay_on_one_line() -> None:
    """Lines are broken elsewhere: other programs read `[%clk 0:01:00]` only so, and what comes back is the same."""
    moves = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6".split()
    text = " ".join(f"{move} {{[%clk 0:0{number}:00] a word}}" for number, move in enumerate(moves))
    record = read(f"{text} *")
    for more in range(60):
        longer = {**record, "comment": "x" * more}
        written = write_pgn(longer)
        assert written.count("[%clk 0:") == len(moves) and max(map(len, written.splitlines())) <= 79
        assert read(written)["turns"] == record["turns"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1. e4 e5 1-0\nand some text,\nover lines\n\n1. d4 *", ["`and some text, over lines`"]),
        ("1. e4 xx yy 2. d4 zz {c} ww Nf6 *", ["`xx yy`", "`zz`", "`ww`"]),
        ("1. xx O-O yy e8=Q zz 1... e5 *", ["`xx`", "`yy`", "`zz`"]),
    ],
)
def test_words_that_stand_together_are_one_finding(text: str, told: list[str], tmp_path: Path) -> None:
    (tmp_path / "games.pgn").write_text(text)
    found = [f for verdict in pwtool.check_many(tmp_path / "games.pgn") for f in verdict.findings]
    assert [f.message for f in found] == [f"{words} is not a move" for words in told]


@pytest.mark.parametrize("variant", ["Crazyhouse", "Antichess", "no-king"])
def test_games_of_a_variant_without_ruleset_are_one_finding_whatever_their_moves(tmp_path: Path, variant: str) -> None:
    path = tmp_path / "games.pgn"
    game = f'[Variant "{variant}"]\n\n1. e4 d5 2. exd5 Qxd5 3. P@e4 N@d3# 4. b8=K P@h3 {{!}} 5. P@e4 *\n\n'
    path.write_text(game * 3, "utf-8")
    for verdict in pwtool.check_many(path):
        [found] = verdict.findings
        assert verdict.status == "unreadable" and variant in found.message and found.column == 26
    assert run(["check", str(path)]) == 2


@one_day_in(8)
@pytest.mark.parametrize(
    ("tag", "end", "status", "code"),
    [
        ("1-0", "1-0", "clean", ""), ("1-0", "*", "clean", ""), ("1-0", "", "clean", ""), ("*", "1-0", "clean", ""),
        ("0-1", "1-0", "unreadable", "PW704"), ("1/2-1/2", "1-0", "unreadable", "PW704"),
        ("0-1", "0-1", "findings", "PW608"), ("0-1", "*", "findings", "PW608"), ("0-1", "", "findings", "PW608"),
    ],
)  # fmt: skip
def test_the_result_of_a_mate_is_compared_wherever_it_stands(
    tmp_path: Path, tag: str, end: str, status: str, code: str
) -> None:
    path = tmp_path / "mate.pgn"
    path.write_text(f'[Result "{tag}"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# {end}\n', "utf-8")
    verdict = pwtool.check(path)
    assert (verdict.status, [found.code for found in verdict.causes]) == (status, [code] if code else [])
    assert not code or (verdict.causes[0].line, verdict.causes[0].column) == ((1, 1) if end != tag else (3, 41))


@one_day_in(8)
@pytest.mark.parametrize(
    ("result", "told", "status", "code"),
    [
        ("", "1/2-1/2", "findings", "PW608"), ("#", "1/2-1/2", "findings", "PW608"), ("", "1-0", "findings", "PW608"),
        ("", "0-1", "clean", ""), ("", "*", "clean", ""), ("#", "*", "clean", ""), ("#", "0-1", "clean", ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("has_tag", [True, False])
def test_whatever_ended_a_game_a_mate_has_one_result(
    result: str, told: str, status: str, code: str, has_tag: bool
) -> None:
    tag = f'[Result "{told}"]\n\n' if has_tag else ""
    verdict = pwtool.load("chess").check(read(f"{tag}1. f3 e5 2. g4 Qh4{result} {told}"))
    assert (verdict.status, [found.code for found in verdict.causes]) == (status, [code] if code else [])


@pytest.mark.parametrize(
    ("tag", "end"), [("1/2", "1/2"), ("1/2", ""), ("1/2-1/2", "1/2"), ("", "1/2"), ("1/2", "1/2-1/2")]
)
def test_a_draw_may_be_a_half(tag: str, end: str) -> None:
    """pgn-extract reads it, too."""
    game = f'[White "Ana"]\n[Result "{tag}"]\n\n1. e4 e5 {end}\n\n'
    assert read(game)["result"] == {"ranking": [["Ana", "Black"]], "stopped": "unknown"}
    assert [line for line, _ in games_in((game + "1. d4 *\n").encode(), PGN)] == [1, 6]


def test_a_wrong_result_is_told_with_what_ended_the_game() -> None:
    """Both have 0 points then, which does not say that it is a stalemate."""
    stalemate = '[SetUp "1"]\n[FEN "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"]\n\n1. Qf7 1-0'
    report = pwtool.load("chess").check(read(stalemate)).report()
    assert "the result is a draw" in report and "the game is over: Checkmate or stalemate" in report


@one_day_in(8)
@pytest.mark.parametrize("told", ["1-0", "0-1", "1/2-1/2", "*", ""])
def test_a_mate_that_is_none_does_not_end_a_game(told: str) -> None:
    verdict = pwtool.load("chess").check(read(f"1. f3 e5 2. Nh3# {told}"))
    assert [found.code for found in verdict.causes] == ["PW607"]


@pytest.mark.parametrize(("tag", "why"), [("", "unknown"), ("Time forfeit", "time"), ("abandoned", "abandonment")])
def test_a_game_that_the_players_stopped_has_their_result(tag: str, why: str) -> None:
    record = read(f'[White "Ana"]\n[Termination "{tag}"]\n\n1. e4 e5 1/2-1/2')
    assert record["result"] == {"ranking": [["Ana", "Black"]], "stopped": why}
    assert pwtool.load("chess").check(record).status == "clean"


@pytest.mark.parametrize(
    "moves",
    some([
        "ea8=N", "1. Na8=Q", "1. e4 dh1=Q", "1. e8=Q", "1. e4=Q", "1. Nf3=Q", "1. e2e4q", "1. Ng1-f3=Q", "1. Nf3Q",
        "1. Nf3 Nc6 2. e4 Nb8=R", "1. e3 e6 2. Ke2=Q", "1. e4 e5 2. Nf3 a6 3. Bc4 a5 4. e1g1q",
        "1. a4 b5 2. axb5 a6 3. bxa6 Nc6 4. a7 Rb8 5. a8", "1. a4 b5 2. axb5 a6 3. bxa6 Nc6 4. a7 Rb8 5. a7a6q",
        "1. a4 b5 2. axb5 a6 3. bxa6 Nc6 4. a7 Rb8 5. a8=K", "1. a4 b5 2. axb5 a6 3. bxa6 Nc6 4. a7 Rb8 5. a8=P",
    ], 3),
)  # fmt: skip
def test_a_promotion_that_no_pawn_can_do_is_refused(moves: str) -> None:
    result = import_game(SourceFile("game.pgn", moves), "pgn")
    assert result.value is None or pwtool.load("chess").check(result.value[0]).status == "findings", moves


@pytest.mark.parametrize(
    "moves, rule, called, remark",
    some(
        [
            ("1. e4 e5 2. Nd5", "step.knight", "2. Nd5", None),
            ("1. e4 e5 2. cxd6", "step.pawn", "2. cxd6", None),
            ("1. e4 d5 2. e5 f5 3. e8=Q", "promote.last_row", "3. e8=Q", None),
            ("1. Nf3 a6 2. Nbe5", "step.knight", "2. Nbe5", None),
            ("1. Nf3 a6 2. N3c3", "step.knight", "2. N3c3", None),
            (
                "1. e4 e5 2. Nb4c6",
                "step.own",
                "2. Nb4c6",
                "White has no piece that `Nb4c6` can mean; it is judged as a move from b4, which is empty",
            ),
            (
                "1. e4 e5 2. b4c6",
                "step.own",
                "2. b4c6",
                "White has no piece that `b4c6` can mean; it is judged as a move from b4, which is empty",
            ),
            (
                "1. Nc3 e5 2. Nbd5",
                "step.own",
                "2. Nbd5",
                "White has no piece that `Nbd5` can mean; it is judged as a move from b3, which is empty",
            ),
            (
                "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qxg2 4. Bxg2 Qd4",
                "step.own",
                "4... Qd4",
                "Black has no piece that `Qd4` can mean; it is judged as a move from d4, which is empty",
            ),
            (
                "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qxg2 4. Bxg2 Qxg2",
                "step.own",
                "4... Qxg2",
                "Black has no piece that `Qxg2` can mean; it is judged as a move from f1, which is empty",
            ),
        ],
        2,
    ),
)
def test_a_refused_move_is_that_of_a_piece_of_its_kind_or_of_none(
    moves: str, rule: str, called: str, remark: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.pgn"
    # Behind it, nobody knows what stands where.
    path.write_text(f"{moves} Qxb2 Qxh7 *", encoding="utf-8")
    verdict = pwtool.load("chess").check(path)
    assert verdict.causes[0].rule == rule
    assert run(["check", str(path), "--format", "concise"]) == 1
    assert f"({called}, turn" in capsys.readouterr().out
    told = [note for found in verdict.findings for note in found.notes if "has no piece" in note]
    assert told == ([] if remark is None else [remark])


@one_day_in(4)
@pytest.mark.parametrize(
    ("form", "text", "where"),
    [
        ("pgn", "1. e4 a2xf7 *\n\n", "1... a2xf7, turn 2, Black"),
        ("pgn", "1. e4=Q *\n\n", "1. e4=Q, turn 1, White"),
        ("pgn", "1. 0-0-0+ *\n\n", "1. 0-0-0+, turn 1, White"),
        ("pdn", "1. 11-15 22-18 2. 15 x 22 24-20 *\n\n", "2... 24-20, turn 4, White"),
        ("pdn", "1. 11-15 22 : 6 *\n\n", "1... 22 : 6, turn 2, White"),
        ("sgf", "(;GM[1]SZ[9];B[aa];W[aa])\n", "move 2, A9, White"),
        ("sgf", "(;GM[2];B[aa])\n", "turn 1, a1, Black"),
    ],
)
def test_a_move_is_named_as_its_file_writes_it_also_in_one_line(
    form: str, text: str, where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"games.{form}"
    path.write_text(text * 3)
    for explained in ("0", "1", "all"):
        assert run(["check", str(path), "--explain", explained, "--format", "json"]) == 1
        found = [document["findings"][0] for document in json.loads(capsys.readouterr().out)["files"]]
        assert [finding["where"] for finding in found] == [where] * 3


AHEAD = "1. a4 b5 2. axb5 a6 3. bxa6 Nc6 4. a7 Bb7"
"""White's pawn stands before the last row; on a8 and b8 are a rook and nothing."""


@one_day_in(4)
@pytest.mark.parametrize(
    ("moves", "san", "rules", "into"),
    [
        ("1.", "a2-a8=Q", ["promote.last_row"], "wQ"),
        ("1.", "a2-c8=N", ["promote.last_row", "promote.move"], "wN"),
        (f"{AHEAD[:-4]} Rb8 5. Nf3 Rb7 6. a8 Rb8 7.", "a8-b1=Q", ["step.last_row", "promote.move"], "wQ"),
        ("1. e4", "a7a1r", ["promote.last_row"], "bR"),
        (f"{AHEAD} 5.", "a7-c8=Q", ["promote.move"], "wQ"),
        (f"{AHEAD} 5.", "a7-a5=Q", ["promote.move"], "wQ"),
        (f"{AHEAD} 5.", "axb7=Q", ["promote.move"], "wQ"),
        # As promotions they would be a8=Q, which is legal.
        ("1. a4 b5 2. axb5 a6 3. bxa6 Nc6 4. a7 Rb8 5.", "a7-a5=Q", ["step.pawn"], None),
        ("1. a4 b5 2. axb5 a6 3. bxa6 Nc6 4. a7 Rb8 5.", "a7-c8=Q", ["step.pawn", "step.last_row"], None),
    ],
)
def test_a_promotion_that_is_written_is_kept_or_said_to_be_left_out(
    moves: str, san: str, rules: list[str], into: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.pgn"
    path.write_text(f"{moves} {san} *")
    verdict = pwtool.load("chess").check(path)
    assert [f.rule for f in verdict.findings if f.level == "error"] == rules
    is_told = any("as a promotion, it would be another move" in note for f in verdict.findings for note in f.notes)
    assert is_told == (into is None)
    assert run(["convert", str(path), "-o", str(tmp_path / "game.jsonl")]) == 0
    said = capsys.readouterr().err
    assert ("no place for it: `=Q` (1)" in said) == (into is None)
    action = json.loads((tmp_path / "game.jsonl").read_text())["turns"][-1]["actions"][0]
    assert action.get("into") == into


def test_a_promotion_in_a_record_is_named_where_it_would_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A record does not say where, but beside which column."""
    (tmp_path / "a.json").write_text(json.dumps(read("1. e4=Q")))
    assert run(["check", str(tmp_path / "a.json"), "--format", "concise"]) == 1
    assert "(1. e3=Q, turn 1, White)" in capsys.readouterr().out


@pytest.mark.parametrize("games", numbers(2, 40))
def test_a_promotion_is_written_behind_no_other_move(games: Sequence[int]) -> None:
    """Moves of games at random that are no promotions, with the sign of one in each spelling."""
    rules = pwtool.load("chess")
    for seed in games:
        board, moves = chess.Board(), random_moves(seed)[:60]
        for at, san in enumerate(moves):
            move = board.parse_san(san)
            if at % 9 == seed % 9 and not (move.promotion or board.is_castling(move)):
                plain = san.rstrip("+#")
                spelled = (f"{plain}=Q", f"{move.uci()}n", f"{plain}R")[at % 3]
                verdict = rules.check(read(as_pgn([*moves[:at], spelled])))
                assert [verdict.status, verdict.causes[0].turn] == ["findings", at + 1], (moves[:at], spelled)
            board.push(move)


def test_signs_that_are_not_true_are_warnings(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text("1. e4+ dxe5 2. Nxf3 a6 e.p. 3. Ng1# Nf6 4. Nf3 d5 5. exd5 Nxd5+ *", "utf-8")
    verdict = pwtool.load("chess").check(path)
    assert [(f.code, f.message.split("`")[1]) for f in verdict.findings if f.level == "warning"] == [("PW718", "e4+")]
    path.write_text("1. e4 e5 2. Nxf3 a6 e.p. 3. Ng1# Nf6 4. Nf3 d5 5. exd5 Nxd5+ *", "utf-8")
    verdict = pwtool.load("chess").check(path)
    assert verdict.status == "clean"
    said = [(f.message.split("`")[1], f.message.split("` ")[1], f.column) for f in verdict.findings]
    assert said == [
        ("Nxf3", "captures nothing", 13), ("e.p.", "is not a capture in passing", 21),
        ("Ng1#", "does not mate", 29), ("Nxd5+", "does not give check", 56),
    ]  # fmt: skip


@pytest.mark.parametrize("games", numbers(6, 300))
def test_no_sign_that_python_chess_writes_is_doubted(games: Sequence[int]) -> None:
    for seed in games:
        result = import_game(SourceFile("game.pgn", as_pgn(random_moves(seed))), "pgn")
        assert result.value is not None and not result.value[1].warnings


def test_what_a_record_has_no_place_for_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.pgn"
    path.write_text("1. e4 $14 e5 $1 $7 (1... d5) (1... c5) 2. Nf3 $14 ! ?? *", "utf-8")
    names = "`$14` (2), `$7` (1), `(…)` (2), `??` (1)\n"
    for command in (["convert", "--to", "json", "-o", "-"], ["pack", "-o", str(tmp_path / "out.parquet")]):
        assert run([command[0], str(path), *command[1:]]) == 0
        assert capsys.readouterr().err.endswith(f"left out, because a record has no place for it: {names}")


def test_games_that_begin_in_one_line_have_names_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text("1. e4 e5 1-0 1. d4 Nf3 0-1 1. c4 *\n1. a4 *", "utf-8")
    names = [f"{path}:1", f"{path}:1.2", f"{path}:1.3", f"{path}:2"]
    assert [document.name for document in read_documents(str(path))] == names
    assert [v.status for name in names for v in pwtool.load("chess").check_many(name)] == [
        "clean", "findings", "clean", "clean",
    ]  # fmt: skip
    assert run(["convert", str(path), "--to", "json", "-o", str(tmp_path / "out")]) == 0
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
        f"games-{name}.json" for name in ("1.2", "1.3", "1", "2")
    ]
    assert run(["check", f"{path}:1.4"]) == 2


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

    monkeypatch.delitem(sys.modules, "pwtool.records.importers.pgn_reading", raising=False)
    monkeypatch.setitem(sys.modules, "chess", None)
    path = tmp_path / "game.pgn"
    path.write_text("1. e4 *", "utf-8")
    [document] = read_documents(str(path))
    found = load_document(document)
    assert isinstance(found, FileResult)
    assert "pwtool[import]" in (found.diagnostics[0].help or "")


@pytest.mark.parametrize("texts", numbers(12, 400))
def test_no_text_makes_the_reader_fail(texts: Sequence[int]) -> None:
    """Pieces of games in disorder: a record that can be read, or findings inside of the text."""
    rules = pwtool.load("chess")
    for seed in texts:
        rng = random.Random(seed)
        text = as_pgn(random_moves(seed % 5)[:40]) + CLUB
        for _ in range(rng.randrange(1, 6)):
            start, length, to = rng.randrange(len(text)), rng.choice([1, 3, 40]), rng.randrange(len(text))
            piece = rng.choice(
                [text[start : start + length], "", rng.choice(['"', "[", "{", "O-O-O", "Kxe8", "a8=N", "e1", "\x00"])]
            )
            text = text[:to] + piece + text[to + rng.choice([0, length]) :]
        for _, game in games_in(text.encode(), PGN):
            result = import_game(SourceFile("game.pgn", game.decode()), "pgn")
            assert (result.value is None) == bool(result.diagnostics)
            if result.value is not None:
                names_set_up = result.value[0].get("ruleset") is None
                assert names_set_up or rules.check(result.value[0]).status in ("clean", "findings", "undetermined")


HEAD, NEXT = '[Event "one"]\n[White "Ana"]\n\n', '[Event "two"]\n[White "Ben"]\n\n'
# What a file holds, and for each game in it its moves, or None if it is refused.
SPLIT: dict[str, tuple[str, list[int | None]]] = {
    "no tags behind a result": ("1. e4 e5 1-0\n\n1. d4 *\n", [2, 1]),
    "the same in one line": ("1. e4 e5 1-0 1. d4 *", [2, 1]),
    "no numbers behind a result": ("e4 e5 1-0 d4 *", [2, 1]),
    "no result": ("1. e4 e5\n\n1. d4\n", [2, 1]),
    "no result before tags": (f"{HEAD}1. e4 e5\n{NEXT}1. d4 *", [2, 1]),
    "tags alone": (f"{HEAD}{NEXT}1. e4 *", [0, 1]),
    "tags and a result": (f"{HEAD}*\n\n{NEXT}*", [0, 0]),
    "byte order mark": (f"\ufeff{HEAD}1. e4 *\n\n{NEXT}1. d4 *", [1, 1]),
    "CRLF": (f"{HEAD}1. e4 ; so\ne5 *\n\n{NEXT}1. d4 *".replace("\n", "\r\n"), [2, 1]),
    "CR": (f"{HEAD}1. e4 ; so\ne5 *\n\n{NEXT}1. d4 *".replace("\n", "\r"), [2, 1]),
    "tags in a comment": (f"{HEAD}1. e4 {{so\n\n{NEXT}}} e5 *\n\n{NEXT}1. d4 *", [2, 1]),
    "a comment that never ends": (f"{HEAD}1. e4 {{so e5 *\n\n{NEXT}1. d4 *", [None, 1]),
    "the same before another one": (f"{HEAD}1. e4 {{so e5 *\n\n{NEXT}1. d4 {{yes}} d5 *", [None, 2]),
    "a brace in a comment": (HEAD + "1. e4 {so { so} e5 *\n\n" + NEXT + "1. d4 *", [2, 1]),
    "a side line that never ends": (f"{HEAD}1. e4 (1. d4 *\n\n{NEXT}1. d4 *", [None, 1]),
    "a result in a side line": ("1. e4 (1. d4 1-0) e5 1-0 {resigns} $1\n; so\n\n1. d4 *", [2, 1]),
    "a result in the middle": ("1. e4 * e5 2. Nf3 *", [1, None]),
    "two results": ("1. e4 1-0 0-1\n\n1. d4 *", [None, 1]),
    "an escaped line": ("% 1. d4 1-0\n1. e4\n%1. d4 1-0\ne5 *", [2]),
    "a blank line in the moves": (f"{HEAD}1. e4 e5\n\n2. Nf3 *\n\n{NEXT}*", [3, 0]),
    "words before the tags": (f"hello\n{HEAD}1. e4 *", [None, 1]),
    "comments before the tags": (f"; so\n{{so}}\n{HEAD}1. e4 *", [1]),
    "moves behind tags": ('[Event "x"] [White "y"] 1. e4 *\n[Event "y"] 1. d4 d5 *', [1, 2]),
    "a tag with two values": ('[White "a"]\n[White "b"]\n\n1. e4 *', [None]),
    "a tag that never ends": ('[White "a]\n\n1. e4 *\n\n[White "a"]\n\n1. e4 *', [None, 1]),
    "a comment alone": ("{so}", [None]),
    "a missing move": ("1. e4 e5 3. Nf3 *", [None]),
    "Black first": ("1... e5 2. Nf3 *", [None]),
    "numbers of all kinds": ("1.e4 {so} 1... e5 2 Nf3 {so} 2. ... Nc6 3 . Bc4 .. Nf6 *", [6]),
}  # fmt: skip


@one_day_in(8)
@pytest.mark.parametrize("name", SPLIT)
def test_no_game_of_a_file_is_lost(name: str, tmp_path: Path) -> None:
    text, expected = SPLIT[name]
    found: list[int | None] = []
    for _, game in games_in(text.encode(), PGN):
        file = decode_bytes(game, "game.pgn", len(game)).value
        assert file is not None
        result = import_game(file, "pgn")
        assert (result.value is None) == bool(result.diagnostics)
        found.append(None if result.value is None else len(result.value[0]["turns"]))  # type: ignore[arg-type]
    assert found == expected
    path = tmp_path / "games.pgn"
    path.write_bytes(text.encode())
    statuses = [v.status for v in pwtool.load("chess").check_many(path)]
    assert [status != "unreadable" for status in statuses] == [moves is not None for moves in expected]


OPENING = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. "
PASSANT = "1. e4 a6 2. e5 d5 3. "
PROMOTING = "1. a4 b5 2. axb5 a6 3. bxa6 Nc6 4. a7 Rb8 5. "
SPELLINGS = [
    (OPENING, ("O-O", "0-0", "o-o", "e1g1", "e1-g1", "Ke1g1", "Kg1", "O-O!?", "O-O $5")),
    (OPENING, ("Ng5", "f3g5", "Nf3g5", "Nf3-g5", "N3g5", "Nfg5", "Ng5!?")),
    (PASSANT, ("exd6", "exd6 e.p.", "exd6e.p.", "e5xd6", "e5d6", "e5:d6", "ed6", "ed", "exd6 ep")),
    (PROMOTING, ("a8=Q", "a8Q", "a7a8q", "a7a8=Q", "a7-a8Q", "a8/Q", "Pa8=Q")),
]  # fmt: skip


@one_day_in(8)
@pytest.mark.parametrize(("before", "spelling", "same"), [(b, s, all_[0]) for b, all_ in SPELLINGS for s in all_])
def test_a_move_has_many_spellings(before: str, spelling: str, same: str) -> None:
    """Each is the same move, or refused."""
    result = import_game(SourceFile("game.pgn", f"{before}{spelling} *"), "pgn")
    if spelling == "ed":
        assert result.value is None
        return
    assert result.value is not None, [d.message for d in result.diagnostics]
    record, plain = result.value[0], read(f"{before}{same} *")
    assert isinstance(record["turns"], list) and isinstance(plain["turns"], list)
    [action], [expected] = record["turns"][-1]["actions"], plain["turns"][-1]["actions"]
    assert {key: value for key, value in action.items() if key != "mark"} == expected
    assert pwtool.load("chess").check(record).status == "clean"


@pytest.mark.parametrize("move", ["Nd2", "N:d2", "N-d2"])
def test_a_move_with_two_meanings_is_refused_in_every_spelling(move: str) -> None:
    for third in ("c3", "Pc3"):
        text = f"1. d4 d5 2. Nf3 Nf6 3. {third} a6 4. {move} *"
        [found] = import_game(SourceFile("game.pgn", text), "pgn").diagnostics
        assert "can come from f3 or from b1" in found.message


@pytest.mark.parametrize("tags", ['[Variant "Chess960"]', '[SetUp "1"]'])
def test_a_position_has_to_be_there(tags: str) -> None:
    assert import_game(SourceFile("game.pgn", f"{tags}\n\n*"), "pgn").value is None


@pytest.mark.parametrize(
    ("fen", "variant", "expected"),
    [
        ("w KQkq - 99 40", "", {"quiet": 99, "mover": "Ben", "touched": []}),
        ("w Qkq - 0 1", "", {"quiet": 0, "mover": "Ben", "touched": [[7, 7]]}),
        ("b KQkq - 0 1", "", {"quiet": 0, "mover": "Ana", "touched": []}),
        (
            "w KQkq - 1+3 0 1",
            "Three-check",
            {"quiet": 0, "mover": "Ben", "touched": [], "checks": {"Ana": 2, "Ben": 0}},
        ),
    ],
)
def test_another_beginning_is_a_position(fen: str, variant: str, expected: dict[str, object]) -> None:
    """Also if the pieces stand as always: rights and counters matter, too."""
    tag = f'[Variant "{variant}"]\n' if variant else ""
    record = read(f'[White "Ana"]\n[Black "Ben"]\n{tag}[FEN "{chess.STARTING_BOARD_FEN} {fen}"]\n\n*')
    start = record["start"]
    assert isinstance(start, dict) and start["variables"] == expected
    assert (start["player"], start["turn"]) == (
        ("Ana", 2 * int(fen.rsplit(maxsplit=1)[-1]) - 1) if fen[0] == "w" else ("Ben", 2)
    )
    assert pwtool.check(record).status == "clean"


@one_day_in(4)
@pytest.mark.parametrize(
    ("tags", "address", "says"),
    [
        ('[Variant "Crazyhouse"]', "chess", "the variant `Crazyhouse`"),
        ('[Variant "Nobody knows it"]', "chess", "the variant `Nobody knows it`"),
        ('[Variant "King of the Hill"]', "chess+three_check", "the variant `King of the Hill`"),
        ('[Variant "Three-check"]', "chess", "the variant `Three-check`"),
        ('[Variant "Three-check"]', "chess+three_check", ""),
        ('[Variant "3check"]', "chess+three_check", ""),
        ('[Variant "Standard"]', "chess", ""),
        ('[Variant "Standard"]', "chess+automatic_draws", ""),
        ('[Variant "Standard"]', "chess+three_check", "the ruleset is a variant"),
        ('[Variant "Chess"]', "chess+three_check", "the ruleset is a variant"),
        ('[Variant "From Position"]', "chess+chess960", "the ruleset is a variant"),
        ('[White "Ana"]', "checkers", "a game of chess"),
    ],
)
def test_a_variant_is_honoured_or_refused(tags: str, address: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text(f"{tags}\n\n*", "utf-8")
    found = [finding.message for finding in pwtool.load(address).check(path).findings]
    assert (len(found), says in " ".join(found)) == (1 if says else 0, True)


# ---- many games ------------------------------------------------------------------------------------------------------


def in_many_ways(moves: Sequence[str], rng: random.Random) -> str:
    """A game with the comments, marks, signs and side lines that some programs write, mostly none."""
    words, odds = list[str](), rng.choice([0, 0, 0.02])
    for at, move in enumerate(moves):
        words += [f"{at // 2 + 1}."] if at % 2 == 0 else [f"{at // 2 + 1}..."] if rng.random() < odds else []
        words.append(move.rstrip("+#") if rng.random() < odds else move)
        if rng.random() < odds:
            words.append(
                rng.choice(["{[%clk 0:01:00]}", "{ a\nlong  one }", "{}", "$1", "!?", "(1. e4 e5)", "; aside\n"])
            )
    return (
        '[White "Ana"]\n[Black "Ben"]\n\n' + " ".join(words) + rng.choice([" *", "", f" {result_of(moves)}"]) + "\n\n"
    )


def archive(games: Iterable[int], seed: int) -> bytes:
    """Games at random, some of them not legal, cut short, or of other kinds."""
    texts = []
    for number in games:
        rng = random.Random(f"{seed} {number}")
        moves = random_moves(seed * 1000 + number)
        moves = damaged(moves, rng)[0] if rng.random() < 0.1 else moves[: rng.randrange(1, len(moves))]
        text = in_many_ways(moves, rng)
        if rng.random() < 0.03:
            text = (
                rng.choice(['[Variant "Crazyhouse"]\n', '[FEN "8/8/8/4k3/8/8/8/4K2R w K - 0 1"]\n', "[White]\n"]) + text
            )
        texts.append(text)
    return "".join(texts).encode()


@one_day_in(7)
@pytest.mark.parametrize("games", numbers(10, 2000))
def test_a_draft_says_what_the_reader_says(games: Sequence[int]) -> None:
    drafted = 0
    for line, game in games_in(archive(games, 7), PGN):
        draft, whole = drafted_of(game.decode(), "pgn"), import_game(SourceFile("game.pgn", game.decode(), line), "pgn")
        if draft is None or pwtool.check(draft.record()).status != "clean":
            continue
        drafted += 1
        assert whole.value is not None
        record, notes = whole.value
        assert draft.record() == for_rules(record) and not (notes.side_lines or notes.warnings)
    assert drafted > len(games) // 3


@one_day_in(4)
@pytest.mark.parametrize("games", numbers(8, 2000))
def test_kernels_say_of_an_archive_what_the_engine_says(
    games: Sequence[int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(archive(games, 11))
    said = []
    for how in ((), ("--no-kernel",)):
        code = run(["check", str(path), "--format", "json", "--explain", "2", "--jobs", "1", *how])
        data = json.loads(capsys.readouterr().out)
        said.append((code, data["counts"], data["files"]))
    assert said[0] == said[1]
    assert sum(said[0][1].values()) == len(games_in(path.read_bytes(), PGN)) >= len(games)


@one_day_in(8)
@pytest.mark.parametrize("block", [50, 5000, 20_000])
def test_a_long_file_is_read_in_blocks(block: int) -> None:
    data = archive(range(30), 3) + CLUB.encode() + archive(range(30), 4)
    data += b'{ never closed\n\n[White "A"]\n1. e4 *\n' + archive(range(2), 5)
    whole = games_in(data, PGN, len(data) + 1)
    assert games_in(data, PGN, block) == whole and len(whole) > 60


def test_games_of_other_variants_are_told_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each is a result, but a reason is told once."""
    variants = ["Crazyhouse"] * 5 + ["Atomic"] * 3 + [""] * 4 + ["Crazyhouse"] * 2
    tags = [f'[White "{n}"]\n[Black "B"]\n' + (f'[Variant "{v}"]\n' if v else "") for n, v in enumerate(variants)]
    path = tmp_path / "club.pgn"
    path.write_text("".join(f"{tag}\n1. e4 e5 *\n\n" for tag in tags))
    for rules, code in (((), "PW706"), (("--rules", "chess"), "PW704")):
        assert run(["check", str(path), *rules]) == 2
        said = capsys.readouterr().out
        assert said.count(f"error[{code}]") == 2 and "14 checked: 4 clean, 10 unreadable" in said
        assert said.count("`Crazyhouse`") == said.count("`Atomic`") == 1
        assert "6 more games of this file" in said and "2 more games of this file" in said
    assert run(["check", str(path), "--format", "json"]) == 2
    data = json.loads(capsys.readouterr().out)
    assert len(data["files"]) == 14 and data["counts"]["unreadable"] == 10


@one_day_in(7)
@pytest.mark.parametrize("games", numbers(4, 100))
def test_legal_moves_are_named_as_in_the_file(
    games: Sequence[int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = 0
    for seed in games:
        moves, at = damaged(random_moves(seed)[:60], random.Random(seed))
        path = tmp_path / "game.pgn"
        path.write_text(as_pgn(moves))
        run(["check", str(path), "--format", "json"])
        [file] = json.loads(capsys.readouterr().out)["files"]
        board = chess.Board()
        for move in moves[:at]:
            board.push_san(move)
        legal = {board.san(move) for move in board.legal_moves}
        first = file["findings"][0]
        lines = first.get("details", {}).get("legal", [])
        shown = {line for line in lines if line not in ("and others", "claim")}
        assert shown <= legal and first["turn"] == at + 1
        named += len(shown)
    assert named > len(games)


# ---- positions -------------------------------------------------------------------------------------------------------


def from_position(rng: random.Random, variant: str = "") -> tuple[chess.Board, list[str]]:
    """A position of a random game, and moves at random from there."""
    board = find_variant(variant)() if variant else chess.Board()
    for _ in range(rng.randrange(1, 120)):
        moves = list(board.legal_moves)
        if not moves or is_over(board):
            break
        board.push(rng.choice(moves))
    there = chess.Board(board.fen()) if not variant else type(board)(board.fen())
    moves_: list[str] = []
    while not is_over(board) and len(moves_) < 30:
        move = rng.choice(list(board.legal_moves))
        moves_.append(board.san(move))
        board.push(move)
    return there, moves_


def with_fen(board: chess.Board, moves: Sequence[str], first: int | None = None, variant: str = "") -> str:
    """A game that begins from a position; `first` is the number of its first move if that is not the position's."""
    number, words = first or board.fullmove_number, []
    for at, move in enumerate(moves):
        ply = at + (not board.turn)
        words += [f"{number + ply // 2}{'.' if ply % 2 == 0 else '...'}"] if ply % 2 == 0 or at == 0 else []
        words.append(move)
    tag = f'[Variant "{variant}"]\n' if variant else ""
    return f'[White "Ana"]\n[Black "Ben"]\n{tag}[SetUp "1"]\n[FEN "{board.fen()}"]\n\n{" ".join(words)} *\n\n'


@pytest.mark.parametrize("games", numbers(2, 400))
@pytest.mark.parametrize("variant", ["", "Three-check"])
def test_a_game_may_begin_from_a_position(variant: str, games: Sequence[int], tmp_path: Path) -> None:
    """Clean from any position, refused at the move that is not legal, and written with the same position."""
    for seed in games:
        rng = random.Random(seed)
        board, moves = from_position(rng, variant)
        if not moves:
            continue
        first_number = rng.choice([None, None, 1, 47])
        record = read(with_fen(board, moves, first_number, variant))
        verdict = pwtool.check(record)
        assert verdict.status == "clean", (board.fen(), moves, verdict.causes)
        # A capture in passing that is not possible is no part of a position.
        written = pgn.read_game(io.StringIO(write_pgn(record)))
        if board.fen() != type(board)().fen():
            expected = board.copy()
            # The file numbers its moves, whatever the position says.
            expected.fullmove_number = first_number or board.fullmove_number
            assert type(board)(written.headers["FEN"]).fen() == expected.fen()
        assert [board_move.uci() for board_move in written.mainline_moves()] == uci_of(board, moves)
        at = rng.randrange(len(moves))
        bad = rng.choice(["Ke4", "Qa8", "Nh7", "a5", "O-O", "Rd4"])
        there = type(board)(board.fen())
        for move in moves[:at]:
            there.push_san(move)
        try:
            there.parse_san(bad)
        except chess.AmbiguousMoveError:
            continue
        except ValueError:
            found = pwtool.check(read(with_fen(board, [*moves[:at], bad, *moves[at + 1 :]], None, variant)))
            first = found.findings[0]
            assert first.turn == board.ply() + at + 1, (board.fen(), moves, at, bad, first)


@one_day_in(8)
@pytest.mark.parametrize(
    ("number", "side", "first", "move"),
    [(1, "w", 47, "47. Ra2 Kh5"), (100, "w", 1, "1. Ra2 Kh5"), (100, "b", 3, "3... Kh5"), (7, "b", 7, "7... Kh5")],
)
def test_moves_from_a_position_count_as_in_the_file(
    number: int, side: str, first: int, move: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "game.pgn").write_text(f'[FEN "7k/8/8/8/8/8/8/RK6 {side} - - 0 {number}"]\n\n{move} *\n')
    assert run(["check", str(tmp_path / "game.pgn"), "-f", "concise"]) == 1
    assert f"({first}... Kh5, turn {2 * first}, Black)" in capsys.readouterr().out


def uci_of(board: chess.Board, moves: Sequence[str]) -> list[str]:
    there, found = type(board)(board.fen()), []
    for move in moves:
        found.append(there.push_san(move).uci())
    return found


@pytest.mark.parametrize(
    ("fen", "says"),
    [
        ("8/8/8/4k3/8/8/8/8 w - - 0 1", "no white king"),
        ("k7/8/K7/8/8/8/8/7r w - - 0 1", "clean"),
        ("k7/8/K7/8/8/8/8/r7 b - - 0 1", "opposite check"),
        ("k7/8/KP6/8/8/8/PPPPPPP1/P7 w - - 0 1", "pawns on backrank"),
        ("k7/8/KPP5/8/8/8/PPPPPPP1/8 w - - 0 1", "`wP` is there 9 times, the game has 8"),
        ("k7/2p5/K7/8/8/8/8/QQQQQQQ1 w - - 0 1", "clean"),
        ("kb6/ppp5/K7/8/8/8/1QQQQQQQ/1QQQQQQQ w - - 0 1", "`wQ` is there 14"),
        ("k7/8/K7/8/8/8/8/8 w - - 200 1", "PW702"),
        ("k7/8/K7/8/8/8/8/8 w - - 20 1 and more", "not a position"),
    ],
)
def test_a_position_has_to_be_possible(fen: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.pgn"
    path.write_text(f'[FEN "{fen}"]\n\n*\n')
    code = run(["check", str(path), "--format", "concise"])
    said = capsys.readouterr().out
    assert (code == 0) == (says == "clean") and says in said and "Traceback" not in said, said


@one_day_in(8)
@pytest.mark.parametrize(
    ("fen", "says", "move"),
    [
        ("4k3/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "cannot have: `kq`", ""),
        ("4k3/8/8/8/8/8/8/4K2R w KQ - 0 1", "cannot have: `Q`", "O-O-O"),
        ("4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1", "cannot have: `KQ`", "O-O"),
        ("4k3/8/8/8/8/8/4P3/4KR2 w K - 0 1", "cannot have: `K`", "O-O"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "", ""),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "", ""),
        ("r3k2r/8/8/8/8/8/8/R3K2R w", "", "O-O"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "", ""),
        ("4k3/8/8/8/8/8/8/R3K2R w HAh - 0 1", "cannot have: `h`", ""),
        ("4k3/8/8/4P3/8/8/8/4K3 w - d6 0 1", "in passing on d6", "exd6"),
        ("4k3/3p4/8/3pP3/8/8/8/4K3 w - d6 0 1", "in passing on d6", "exd6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 b - d6 0 1", "in passing on d6", ""),
        ("4k3/8/8/3pP3/8/8/8/4K3 w Q d3 0 1", "cannot have: `Q`;in passing on d3", ""),
    ],
)
def test_rights_that_a_position_cannot_give_are_told_and_not_given(
    fen: str, says: str, move: str, tmp_path: Path
) -> None:
    path = tmp_path / "game.pgn"
    path.write_text(f'[FEN "{fen}"]\n\n*\n')
    verdict = pwtool.check(path)
    assert verdict.status == "clean" and len(verdict.findings) == (says.count(";") + 1 if says else 0)
    for found, told in zip(verdict.findings, says.split(";"), strict=False):
        assert (found.code, found.line) == ("PW718", 1) and told in found.message
    if move:
        path.write_text(f'[FEN "{fen}"]\n\n1. {move} *\n')
        assert pwtool.check(path).status == "findings"
    if move.startswith("O"):
        # Captures in passing that capture nothing it lets pass.
        with pytest.raises(ValueError, match="illegal"):
            chess.Board(fen).parse_san(move)


def test_games_share_lines_and_end_with_a_star(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`*` ends a game also behind a move, and columns are those of the file."""
    path = tmp_path / "line.pgn"
    text = "1. e4 e5 1-0 1. d4 d5 0-1 1. c4 c4 *\n\n1.e4 e5 2.Nf3*1. d4 Ke4 *\n"
    path.write_text(text)
    assert run(["check", str(path), "--format", "concise"]) == 1
    said = capsys.readouterr().out
    first, third = text.splitlines()[0], text.splitlines()[2]
    assert (
        f"line.pgn:1:{first.index('c4 *') + 1}: error" in said and f"line.pgn:3:{third.index('Ke4') + 1}: error" in said
    )
    assert said.count("line.pgn:") == 5, said


def test_a_winner_named_alone_is_written_as_one() -> None:
    record = read(as_pgn(["e4", "e5"], "1-0"))
    record["result"] = {"ranking": [["Ana"]], "stopped": "time"}
    assert '[Result "1-0"]' in write_pgn(record)
    record["result"] = {"ranking": [["Ben", "Ana"]], "stopped": "agreement"}
    assert '[Result "1/2-1/2"]' in write_pgn(record)
