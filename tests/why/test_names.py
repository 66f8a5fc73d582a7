"""Moves have the names of those who play the game, wherever a record comes from; everything else is shown as before."""

from __future__ import annotations

import io
import itertools
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.cli.app import run
from pwtool.play.record import EVERYBODY
from pwtool.records.importers.pdn import PDN
from pwtool.records.importers.pgn import PGN
from pwtool.why.names import MoveNames
from pwtool.why.voice import PLAIN
from tests.daily import one_day_in
from tests.support import book, few_or_many, random_game, without_package

chess = pytest.importorskip("chess")
find_variant = pytest.importorskip("chess.variant").find_variant
PLAYERS = ["Ana", "Ben"]


def step(start: str, target: str) -> dict[str, Any]:
    cells = ([ord(cell[0]) - ord("a"), 8 - int(cell[1])] for cell in (start, target))
    return {"action": "step", **dict(zip(("start", "target"), cells, strict=True))}


def game_of(ruleset: str, *turns: list[dict[str, Any]]) -> dict[str, Any]:
    played = [{"player": PLAYERS[n % 2], "actions": actions} for n, actions in enumerate(turns)]
    return {"format": "pwtool/1", "ruleset": ruleset, "players": PLAYERS, "setup": {}, "turns": played}


def chess_game(moves: str) -> dict[str, Any]:
    return game_of("chess", *([step(*move.split("-"))] for move in moves.split()))


ILLEGAL = chess_game("e2-e4 e7-e5 g1-f3 g8-e6 a2-a3")
GO = game_of("go", *([{"action": "place", "at": at}] for at in ([4, 4], [2, 2], [4, 4])), [{"action": "pass"}])
CAPTURE = game_of(
    "checkers",
    *([{"action": "step", "start": start, "target": to}] for start, to in [([2, 5], [3, 4]), ([5, 2], [4, 3])]),
    [{"action": "jump", "start": [3, 4], "over": [4, 3]}],
)


def board_of(record: Mapping[str, Any], address: str) -> Any:
    """The board of python-chess at the beginning of a record."""
    if address.endswith("960"):
        row = "".join(code[1] for code in record["setup"]["row"][0])
        return chess.Board(f"{row.lower()}/pppppppp/8/8/8/8/PPPPPPPP/{row} w KQkq - 0 1", chess960=True)
    return find_variant("Three-check")() if address.endswith("check") else chess.Board()


@one_day_in(8)
@pytest.mark.parametrize("games", few_or_many(1, 12))
@pytest.mark.parametrize("address", ["chess", "chess+three_check", "chess+chess960"])
def test_legal_moves_have_the_names_that_python_chess_gives_them(address: str, games: int) -> None:
    for seed in range(games):
        record = random_game(address, 2, seed + 3, 200 if games > 1 else 30)[0]
        board = board_of(record, address)
        begin = {key: value for key, value in record.items() if key != "result"} | {"turns": []}
        position = pwtool.load(address).replay(begin).end
        for turn in record["turns"]:
            # What the rules do by themselves nobody chooses.
            for action in (action for action in turn["actions"] if action["action"] != "counted"):
                legal = position.legal()
                if action["action"] != "arrange":
                    names = {position.called(one) for one in legal if one.name != "claim"}
                    assert names == {board.san(move) for move in board.legal_moves}
                done = next(one for one in legal if {"action": one.name, **one.arguments} == action)
                name = position.called(done)
                assert (name is None) == (done.name in ("arrange", "claim"))
                if name is not None:
                    board.push_san(name)
                position = position.play(done)
            if not position.over:
                position = position.end_turn()


@pytest.mark.parametrize(
    ("fen", "action", "name"),
    [
        (chess.STARTING_FEN, step("a1", "a5"), "Ra5"),
        (chess.STARTING_FEN, step("a1", "a7"), "Rxa7"),
        (chess.STARTING_FEN, step("e2", "e5"), "e5"),
        (chess.STARTING_FEN, step("e2", "d3"), "exd3"),
        (chess.STARTING_FEN, step("e2", "f7"), "exf7"),
        (chess.STARTING_FEN, step("g8", "f6"), "Ng8f6"),
        (chess.STARTING_FEN, step("e4", "e5"), "e4e5"),
        (chess.STARTING_FEN, {"action": "castle", "tower": [7, 7]}, "O-O"),
        (chess.STARTING_FEN, {"action": "castle", "tower": [0, 7]}, "O-O-O"),
        (chess.STARTING_FEN, {"action": "castle", "tower": [0, 3]}, "castle a5"),
        # Its rook has been taken.
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", {"action": "castle", "tower": [0, 7]}, "O-O-O"),
        (chess.STARTING_FEN, {"action": "promote", "start": [4, 6], "aside": 0, "into": "wQ"}, "e3=Q"),
        # The other knight, or the other pawn, may go there.
        ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", step("b1", "d4"), "Nb1d4"),
        ("4k3/8/8/8/4P3/8/4P3/4K3 w - - 0 1", step("e2", "e5"), "e2e5"),
        # A king has no right to castle any more.
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", {"action": "castle", "tower": [7, 7]}, "O-O"),
    ],
)
def test_what_is_not_legal_has_the_name_that_somebody_would_write(
    fen: str, action: dict[str, Any], name: str, tmp_path: Path
) -> None:
    (tmp_path / "g.pgn").write_text(f'[SetUp "1"]\n[FEN "{fen}"]\n\n*\n', "utf-8")
    game = pwtool.replay(tmp_path / "g.pgn")
    rules, play = book("chess"), game.end._play
    model = rules.game.ruleset.actions[action["action"]]
    record = game.record | {"turns": [{"player": game.end.player, "actions": [action]}]}
    move = rules.decoder.record(record).turns[0].moves[0]
    assert MoveNames(rules.game, game.players, PLAIN).tell(play.state, play.owner, model, move.arguments) == name


@one_day_in(7)
def test_a_finding_speaks_of_moves_as_players_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A record in JSON, in notation and in PGN; the turn stays, as commands ask for it."""
    path = tmp_path / "g.json"
    path.write_text(json.dumps(ILLEGAL), "utf-8")
    assert run(["convert", str(path), "-o", str(tmp_path / "g.pwn")]) == 0
    (tmp_path / "g.pgn").write_text('[White "Ana"]\n[Black "Ben"]\n\n1. e4 e5 2. Nf3 Ne6 3. a3 *\n', "utf-8")
    for name in ("g.json", "g.pwn", "g.pgn"):
        capsys.readouterr()
        assert run(["check", str(tmp_path / name)]) == 1
        out = capsys.readouterr().out
        assert "        2... Ne6, turn 4, Ben\n" in out and "as if it were `Ne7`" in out
        assert f"pwtool replay {tmp_path / name} --at 4\n" in out
        assert '  source   FIDE, Laws of Chess, 2023, "Article 3"\n' in out
        # The same knight first, then what goes to the same cell or near it.
        shown = "step g8 e7 {Ne7}\n" if name == "g.pwn" else "Ne7, Nf6, Nh6, "
        assert f"  legal    {shown}" in out and "step g8 target" not in out
        assert run(["check", str(tmp_path / name), "--format", "concise"]) == 1
        assert "(2... Ne6, turn 4, Ben)" in capsys.readouterr().out
        assert run(["replay", str(tmp_path / name)]) == 1
        out = capsys.readouterr().out
        assert "turn 1  Ana: 1. e4\n" in out and "turn 3  Ana: 2. Nf3\n" in out and "turn 4  Ben: 2... Ne6\n" in out
        assert run(["legal", str(tmp_path / name), "--at", "2", "--limit", "0"]) == 0
        out = capsys.readouterr().out
        assert out.startswith("turn 2 (1...)  Ben: 20 legal actions\n")
        assert ("  step b8 a6 {Na6}\n" if name == "g.pwn" else "  Na6  Nc6  Nf6  Nh6  a5  a6  b5") in out


def test_programs_get_the_actions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "g.json"
    path.write_text(json.dumps(ILLEGAL), "utf-8")
    assert run(["check", str(path), "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)["files"][0]["findings"][0]
    assert found["turn"] == 4 and found["details"]["legal"][:3] == ["Ne7", "Nf6", "Nh6"]
    assert found["data"]["legal"][:2] == [step("g8", "e7"), step("g8", "f6")]
    assert run(["legal", str(path), "--at", "2", "--format", "json", "--limit", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["actions"] == [
        {"player": "Ben", "action": step("b8", "a6"), "text": "step b8 target a6", "called": "Na6"}
    ]
    assert run(["replay", str(path), "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["turns"][0]["text"] == "step e2 target e4"


def test_without_the_package_everything_is_shown_as_in_a_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    without_package(monkeypatch, "chess")
    path = tmp_path / "g.json"
    path.write_text(json.dumps(ILLEGAL), "utf-8")
    assert run(["check", str(path)]) == 1
    out, err = capsys.readouterr()
    assert "        turn 4, Ben\n" in out and "  legal    step g8 target e7\n" in out and not err
    assert run(["legal", str(path), "--at", "2", "--limit", "1"]) == 0
    assert capsys.readouterr().out.startswith("turn 2  Ben: 20 legal actions\n  step b8 target a6\n")


def test_a_format_that_fails_changes_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: Any) -> Any:
        raise SystemExit("no names today")

    monkeypatch.setattr(type(PGN), "name_moves", fail)
    monkeypatch.setattr(type(PGN), "number_of", lambda *given: "two\nlines")
    path = tmp_path / "g.json"
    path.write_text(json.dumps(ILLEGAL), "utf-8")
    assert run(["check", str(path)]) == 1
    out = capsys.readouterr().out
    assert "        turn 4, Ben\n" in out and "step g8 target e7" in out
    monkeypatch.setenv("PWTOOL_TRACEBACK", "1")
    with pytest.raises(SystemExit, match="no names today"):
        start = pwtool.replay(path).at(1)
        start.called(start.legal()[0])


def test_clean_games_load_no_formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("pwtool.records.importers.installed.naming_format", asked.append)
    path = tmp_path / "g.json"
    path.write_text(json.dumps(ILLEGAL | {"turns": ILLEGAL["turns"][:3]}), "utf-8")
    assert run(["check", str(path)]) == 0 and not asked
    path.write_text(json.dumps(ILLEGAL), "utf-8")
    assert run(["check", str(path)]) == 1 and set(asked) == {"chess"}


@pytest.mark.parametrize("turns", [8, 16])
def test_a_game_is_named_in_one_pass(turns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each move costs one position, however many were before it."""
    there_and_back = ("g1-f3", "g8-f6", "f3-g1", "f6-g8")
    path = tmp_path / "g.json"
    path.write_text(json.dumps(chess_game(" ".join(there_and_back * (turns // 4)))), "utf-8")
    name, pushed, named = type(PGN).name_moves, [0], [0]

    def counted(form: Any, position: Mapping[str, Any]) -> Any:
        named[0] += 1
        return name(form, position)

    push = chess.Board.push

    def pushing(board: Any, move: Any) -> None:
        pushed[0] += 1
        push(board, move)

    monkeypatch.setattr(type(PGN), "name_moves", counted)
    monkeypatch.setattr(chess.Board, "push", pushing)
    assert run(["replay", str(path)]) == 0
    assert named[0] == turns and pushed[0] <= 4 * turns


def test_turns_of_go_are_moves_and_moves_are_points(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "g.json"
    path.write_text(json.dumps(GO), "utf-8")
    assert run(["check", str(path)]) == 1
    out = capsys.readouterr().out
    assert "        move 3, E5, Ana\n" in out and "  legal    E6, D5, F5, E4, " in out
    assert run(["legal", str(path), "--at", "2", "--limit", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "move 2  Ben: 81 legal actions" and lines[1].startswith("  A1  A2  ") and lines[-1] == "  pass"
    assert run(["check", str(path), "--lang", "fr"]) == 1
    assert "E6, D5, F5, E4" in capsys.readouterr().out


@one_day_in(8)
def test_the_nearest_points_of_a_large_board_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """To ask about all of them whether they repeat a position would take too much work."""
    cells = [[x, y] for x in range(19) for y in range(19)]
    random.Random(1).shuffle(cells)
    record = game_of("go+nineteen", *([{"action": "place", "at": at}] for at in [*cells[:150], cells[100]]))
    path = tmp_path / "g.json"
    path.write_text(json.dumps(record), "utf-8")
    assert run(["check", str(path), "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)["files"][0]["findings"][0]
    assert found["where"] == "move 151, D4, Ana" and found["details"]["legal"][-1] == "and others"
    far = [abs(x - 3) + abs(y - 15) for x, y in (action["at"] for action in found["data"]["legal"])]
    assert len(far) == 10 and far == sorted(far) and far[0] == 1 and far[-1] < 5


@one_day_in(8)
def test_the_jumps_of_a_turn_are_one_move() -> None:
    assert PDN.join_moves(["15x22", "22x31"]) == "15x22x31"
    assert PDN.join_moves(["15x22", "23x30"]) is None and PDN.join_moves(["11-15", "15-18"]) is None
    for address in ("checkers", "checkers+flying_kings"):
        seen = 0
        for seed in range(6):
            record = random_game(address, 2, seed, 60)[0]
            rules = book(address)
            moves = MoveNames(rules.game, record["players"], PLAIN)
            plays = pwtool.load(address).replay({k: v for k, v in record.items() if k != "result"})._plays[0]
            decoded = rules.decoder.record(record)
            for number, turn in enumerate(decoded.turns[: len(plays) - 1]):
                told = moves.tell_turn(decoded, number, plays[number], [])
                assert told.startswith(f"{number // 2 + 1}. " if number % 2 == 0 else f"{number // 2 + 1}... ")
                assert told.count("x") == (0 if len(turn.moves) == 1 and "x" not in told else len(turn.moves))
                seen = max(seen, told.count("x"))
        assert seen > 1


def test_a_capture_is_shown_as_its_squares(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "g.json"
    path.write_text(json.dumps(CAPTURE), "utf-8")
    assert run(["replay", str(path)]) == 0
    out = capsys.readouterr().out
    assert "turn 1  Ana: 1. 11-15\n" in out and "turn 2  Ben: 1... 22-18\n" in out and "turn 3  Ana: 2. 15x22\n" in out


def test_a_game_may_begin_with_the_second_side() -> None:
    for form in (PGN, PDN):
        assert [form.number_of(turn, seat) for turn, seat in ((1, 0), (2, 1), (3, 0), (8, 1))] == [
            "1.",
            "1...",
            "2.",
            "4...",
        ]
        assert [form.number_of(turn, seat) for turn, seat in ((1, 1), (2, 0), (3, 1))] == ["1...", "2.", "2..."]
    moves = MoveNames(book("chess").game, PLAYERS, PLAIN)
    assert moves.place(8, 1, "Nd5") == "4... Nd5, turn 8, Ben" and moves.place(8, None) == "turn 8"
    assert moves.place(8, EVERYBODY) == "turn 8"


def test_a_page_has_the_names(tmp_path: Path) -> None:
    path, page = tmp_path / "g.json", tmp_path / "g.html"
    path.write_text(json.dumps(ILLEGAL), "utf-8")
    assert run(["replay", str(path), "--html", "-o", str(page)]) == 1
    text = page.read_text("utf-8")
    assert "2... Ben: Ne6" in text and "2... Ne6, turn 4, Ben" in text and "Ne7, Nf6, Nh6" in text


def test_a_picture_says_what_comes_next(tmp_path: Path) -> None:
    path, picture = tmp_path / "g.json", tmp_path / "g.svg"
    path.write_text(json.dumps(ILLEGAL), "utf-8")
    assert run(["render", str(path), "--at", "3", "-o", str(picture)]) == 0
    assert "next: 2. Nf3" in picture.read_text("utf-8")


def test_games_that_are_told_in_short_have_the_name_of_the_move(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "g.pgn").write_text("1. e4 e5 2. Nf3 Ne6 *\n\n" * 3, "utf-8")
    assert run(["check", str(tmp_path / "g.pgn"), "--format", "concise", "--explain", "1"]) == 1
    out = capsys.readouterr().out
    assert out.count("(2... Ne6, turn 4, ") == 3


def test_a_person_answers_with_a_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = tmp_path / "r.json"
    monkeypatch.setattr("sys.stdin", io.StringIO("nf3\nd5\nq\n"))
    assert run(["play", "chess", "--policy", "person", "--seed", "1", "-o", str(record)]) == 0
    turns = json.loads(record.read_text("utf-8"))["turns"]
    assert [turn["actions"] for turn in turns] == [[step("g1", "f3")], [step("d7", "d5")]]


@one_day_in(8)
@pytest.mark.parametrize(
    ("moves", "name"),
    [
        ("1. e4 e5 2. e5", "2. e5, turn 3"), ("1. d4 d4", "1... d4, turn 2"), ("1. e4 e5 2. exd5", "2. exd5, turn 3"),
        ("1. e4 e5 2. h8=Q", "2. h8=Q, turn 3"), ("1. Ng8xb7", "1. Ng8xb7, turn 1"),
    ],
)  # fmt: skip
def test_what_nobody_could_mean_is_called_what_it_says(
    moves: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("chess")
    path = tmp_path / "my games.pgn"
    path.write_text(f"{moves} *\n")
    assert run(["check", str(path)]) == 1
    said = capsys.readouterr().out
    assert f"        {name}, White\n" in said or f"        {name}, Black\n" in said
    assert f"pwtool replay '{path}' --at" in said


def test_a_shown_command_has_the_rules_of_the_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = {"format": "pwtool/1", "ruleset": "tic_tac_toe", "players": ["Ana", "Ben"], "setup": {}, "turns": []}
    lay = [{"player": name, "actions": [{"action": "lay", "at": [1, 1]}]} for name in ("Ana", "Ben")]
    for rules, shown in (("tic_tac_toe", ""), ("tic_tac_toe", " --rules tic_tac_toe")):
        (tmp_path / "a.json").write_text(json.dumps(record | {"turns": lay} | ({"ruleset": ""} if shown else {})))
        assert run(["check", str(tmp_path / "a.json"), "--rules", rules]) == 1
        assert f"a.json --at 2{shown}\n" in capsys.readouterr().out


def test_a_finding_about_a_board_with_names_does_not_count_columns_and_rows(tmp_path: Path) -> None:
    """A player of chess would have to find out that `row = 3` is the fifth one; and no condition fills the screen."""
    path = tmp_path / "game.pgn"
    path.write_text("1. e4 e5 2. Nf3 Nc6 3. Nd5 *", "utf-8")
    [found] = [finding for finding in pwtool.check(path).causes if finding.rule == "step.knight"]
    rule, values = next(
        pair for pair in itertools.pairwise(pwtool.check(path).report().splitlines()) if " rule " in pair[0]
    )
    assert rule.endswith("…") and values.split(", ")[-2:] == ["target = d5", "start = f3"]
    assert found.turn == 5


def test_a_step_does_not_bear_the_name_of_a_jump() -> None:
    """Over a man from 15 to 22 is a jump; where nothing is between, 15x22 is what somebody wrote."""
    far = {"action": "step", "start": [3, 4], "target": [5, 2]}
    board = [[3, 4, ["b"]], [4, 3, ["w"]]]
    assert PDN.name_moves({"zones": {"board": board}})(far) == "15-22"
    assert PDN.name_moves({"zones": {"board": board}})({"action": "jump", "start": [3, 4], "over": [4, 3]}) == "15x22"
    assert PDN.name_moves({"zones": {"board": board[:1]}})(far) == "15x22"
