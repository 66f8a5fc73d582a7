"""Records as PGN, SGF and PDN: other libraries read the same moves, and so do we."""

from __future__ import annotations

import contextlib
import gzip
import io
import itertools
import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.cli.app import run
from pwtool.records.importers import NoForm
from pwtool.records.importers.installed import find_format, import_game
from pwtool.records.importers.pdn import PDN
from pwtool.records.importers.pgn import PGN
from pwtool.records.importers.sgf import SGF
from pwtool.records.json_form import Malformed
from pwtool.text.source import SourceFile
from tests import daily
from tests.classics import test_pdn as pdn
from tests.classics import test_wthor as wthor
from tests.classics.test_pgn import archive
from tests.daily import numbers, one_day_in, some
from tests.support import book, few_or_many

chess_pgn = pytest.importorskip("chess.pgn")
chess = pytest.importorskip("chess")
sgf = pytest.importorskip("sgfmill.sgf")


def converted(records: list[dict[str, Any]], folder: Path, name: str) -> tuple[bytes, list[dict[str, Any]]]:
    """The file that `convert` writes of records, and the records that it reads from it."""
    source = folder / "records.jsonl"
    source.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert run(["convert", str(source), "-o", str(folder / name), "--force"]) == 0
    again = folder / "again.jsonl"
    assert run(["convert", str(folder / name), "-o", str(again), "--force"]) == 0
    return (folder / name).read_bytes(), [json.loads(line) for line in again.read_text().splitlines()]


def played(record: dict[str, Any]) -> list[Any]:
    """The moves, without what these formats have no move for: draws that are claimed, what rules make of a move."""
    left_out = ("claim", "counted", "arrange")
    return [a for turn in record["turns"] for a in turn["actions"] if a["action"] not in left_out]


def pieces_of(fen: str) -> dict[tuple[int, int], list[str]]:
    """What lies on the cells, by a position of draughts."""
    found = {}
    for side in fen.split(":")[1:]:
        for square in filter(None, side[1:].split(",")):
            x, y = pdn.cell(int(square.removeprefix("K")))
            found[x, 7 - y] = [side[0].lower() + "K" * square.startswith("K")]
    return found


@pytest.mark.parametrize("games", numbers(2, 400))
@pytest.mark.parametrize("address", some(["chess", "chess+chess960", "chess+three_check", "chess+automatic_draws"], 1))
def test_python_chess_reads_what_is_written(address: str, games: Sequence[int], tmp_path: Path) -> None:
    rules = pwtool.load(address)
    records = [rules.play(2, seed=seed) for seed in games]
    for number, record in enumerate(records):
        record["meta"] = {"Event": f"Round {number}", "Annotator": 'A "B" \\ C'}
        record["turns"][0]["actions"][-1] |= {"comment": "a {fine} move", "mark": "!?"}
    text, again = converted(records, tmp_path, "games.pgn")
    read = io.StringIO(text.decode())
    for number, (record, ours) in enumerate(zip(records, again, strict=True)):
        # It does not take the escapes out of tags.
        assert ours["meta"]["Annotator"] == record["meta"]["Annotator"]
        game = chess_pgn.read_game(read)
        assert not game.errors and game.headers["Event"] == f"Round {number}"
        assert len(list(game.mainline_moves())) == len(played(record))
        assert game.variations[0].comment == "a {fine) move" and game.variations[0].nags == {5}
        ours["turns"][0]["actions"][-1]["comment"] = "a {fine} move"
        assert played(ours) == played(record) and ours["players"] == record["players"]
        assert ours["ruleset"] == address.replace("+automatic_draws", "")
    assert chess_pgn.read_game(read) is None and max(map(len, text.splitlines())) <= 80


@one_day_in(4)
@pytest.mark.parametrize("games", few_or_many(10, 250))
@pytest.mark.parametrize("address", ["go", "othello", "gomoku", "go+open_spiel"])
def test_sgfmill_reads_what_is_written(address: str, games: int, tmp_path: Path) -> None:
    rules = pwtool.load(address)
    records = [rules.play(2, seed=seed) for seed in range(games)]
    for record in records:
        record["meta"] = {"EV": "a [b] \\ c", "no_property": "left out"}
        record["turns"][0]["actions"][-1]["comment"] = "a ] b"
    text, again = converted(records, tmp_path, "games.sgf")
    for record, ours, part in zip(records, again, text.decode().split(")\n(;"), strict=False):
        game = sgf.Sgf_game.from_string("(;" + part.removeprefix("(;").removesuffix(")\n") + ")")
        assert game.get_root().get("EV") == "a [b] \\ c"
        moves = [node.get_move() for node in game.get_main_sequence()[1:]]
        size = game.get_size()
        expected = [(size - 1 - a["at"][1], a["at"][0]) if "at" in a else None for a in played(record)]
        assert [move for _, move in moves] == expected
        assert played(ours) == played(record) and ours["players"] == record["players"]


@one_day_in(4)
@pytest.mark.parametrize("games", few_or_many(20, 250))
def test_the_discs_of_a_full_board_come_back_from_sgf(games: int, tmp_path: Path) -> None:
    """As a margin; another one is refused."""
    rules, full = pwtool.load("othello"), 0
    records = [rules.play(2, seed=seed) for seed in range(games)]
    records += [{**record, "result": {**record["result"], "stopped": "unknown"}} for record in records]
    text, again = converted(records, tmp_path, "games.sgf")
    told = re.findall(r"RE\[(0|[BW]\+(\d*))\]", text.decode())
    for record, ours, (_, margin) in zip(records, again, told, strict=True):
        scores = record["result"]["scores"]
        black, white = (scores[name] for name in record["players"])
        assert ours["result"]["ranking"] == record["result"]["ranking"]
        is_full = black + white == 64
        assert ours["result"].get("scores") == (scores if is_full else None)
        has_margin = black != white and (is_full or "stopped" not in record["result"])
        assert margin == (str(abs(black - white)) if has_margin else "")
        full += is_full
        if is_full and margin and full < 4:
            for other in (int(margin) + 2, int(margin) + 1, int(margin) - 1, 0, 99, 100):
                wrong = SGF.write(record).replace(f"+{margin}]", f"+{other}]")
                result = import_game(SourceFile("game.sgf", wrong), "sgf").value
                assert result is not None and rules.check(result[0]).status == "findings", (wrong, other)
                assert f"+{other}]" in SGF.write(result[0]) or other == 0
                path = tmp_path / "wrong.sgf"
                path.write_text(wrong)
                notes = [note for finding in pwtool.check(path).findings for note in finding.notes]
                is_told = any(f"+{other}` is not a margin of a full board" in note for note in notes)
                assert is_told == (other % 2 == 1 or other > 64)
    assert full


def test_the_discs_of_wthor_are_written_as_sgf(tmp_path: Path) -> None:
    played = [(moves, wthor.score(board)) for moves, board in wthor.some_games(20) if len(board) == 64]
    games = tmp_path / "games.wtb"
    games.write_bytes(wthor.as_file([wthor.as_bytes(*game) for game in played]))
    for name in ("games.sgf", "games.jsonl"):
        assert run(["convert", str(games), "-o", str(tmp_path / name), "-q"]) == 0
        games = tmp_path / name
    results = [json.loads(line)["result"] for line in games.read_text().splitlines()]
    assert [[*result["scores"].values()] for result in results] == [[discs, 64 - discs] for _, discs in played]


def test_the_score_of_a_stopped_game_of_wthor_is_written_as_sgf(tmp_path: Path) -> None:
    [(moves, _)] = wthor.some_games(1)
    games = tmp_path / "games.wtb"
    games.write_bytes(wthor.as_file([wthor.as_bytes(moves[:20], discs) for discs in (33, 24, 32, 64)]))
    assert run(["convert", str(games), "-o", str(tmp_path / "games.sgf"), "-q"]) == 0
    text = (tmp_path / "games.sgf").read_text()
    assert re.findall(r"RE\[(.*?)\]", text) == ["B+2", "W+16", "0", "B+64"]
    assert [verdict.status for verdict in pwtool.check_many(tmp_path / "games.sgf")] == ["clean"] * 4


@one_day_in(4)
@pytest.mark.parametrize("games", numbers(4, 1000))
def test_what_was_read_is_written_again(games: Sequence[int], tmp_path: Path) -> None:
    """A file of clean games is the same after it was written once more."""
    rules = pwtool.load("chess")
    records = [rules.play(2, seed=seed) for seed in games]
    text, again = converted(records, tmp_path, "games.pgn")
    once_more, _ = converted(again, tmp_path, "more.pgn.gz")
    assert gzip.decompress(once_more) == text


def checkers(games: int) -> list[dict[str, Any]]:
    """Games at random, with remarks, and some of them from a position on."""
    rules, rng, found = pwtool.load("checkers"), random.Random(9), []
    for seed in range(games):
        record = rules.play(2, seed=seed)
        at = rng.randrange(1, len(record["turns"])) if seed % 3 == 1 else 0
        if at:
            state = rules.replay(record).at(at + 1).state()
            record["start"] = {"player": record["turns"][at]["player"], "turn": at + 1} | {
                name: state[name] for name in ("zones", "variables")
            }
            del record["setup"]
        record["turns"] = record["turns"][at:]
        record["meta"] = {"Event": f"Round {seed}", "GameType": "21,W,8,8,N1,0" if seed % 5 == 0 else "21"}
        record["turns"][0]["actions"][-1] |= {"comment": "a {fine} move", "mark": "!?"}
        found.append(record)
    return found


@pytest.mark.parametrize("games", few_or_many(15, 250))
def test_checkers_come_back_from_pdn(games: int, tmp_path: Path) -> None:
    """Also through pydraughts, if it is there."""
    records = checkers(games)
    text, again = converted(records, tmp_path, "games.pdn")
    assert max(map(len, text.splitlines())) <= 80
    for record, ours in zip(records, again, strict=True):
        assert record["turns"][0]["actions"][-1]["comment"] == "a {fine} move"
        record["turns"][0]["actions"][-1]["comment"] = "a {fine) move"
        assert played(ours) == played(record) and ours["players"] == record["players"]
        assert ours["result"]["ranking"] == record["result"]["ranking"]
        assert ours["meta"]["GameType"] == record["meta"]["GameType"]
        assert ("start" in ours) == ("start" in record)
        if "start" in ours:
            start, other = ours["start"], record["start"]
            assert [start[name] for name in ("player", "turn")] == [other[name] for name in ("player", "turn")]
            assert sorted(start["zones"]["board"]) == sorted(other["zones"]["board"])
            assert start["variables"]["quiet"] == other["variables"]["quiet"]
    once_more, third = converted(again, tmp_path, "more.pdn")
    assert once_more == text and third == again


@one_day_in(8)
@pytest.mark.parametrize("games", few_or_many(8, 250))
def test_pydraughts_reads_what_is_written(games: int, tmp_path: Path) -> None:
    """The same moves, all of them legal to it, with the same position at the end. Games from a position it numbers as in
    international draughts, where White moves first.
    """
    draughts, reading = pytest.importorskip("draughts"), pytest.importorskip("draughts.PDN")
    records = [r for r in checkers(games) if r["meta"]["GameType"] == "21" and "start" not in r]
    for record in records:
        # It takes a comment to end before a brace in it.
        record["turns"][0]["actions"][-1] |= {"comment": "a fine move"}
    text, _ = converted(records, tmp_path, "games.pdn")
    found = reading.PDNReader(pdn_text=text.decode()).games
    assert len(found) == len(records) > games // 3
    for record, game in zip(records, found, strict=True):
        assert game.variant == "english" and game.tags["Event"] == record["meta"]["Event"]
        board = draughts.Board("english", game.tags.get("FEN", "startpos"))
        for move in game.moves:
            board.push(draughts.Move(board, pdn_move=move))
        # It shows no captures of several jumps as one; a word of ours is a turn.
        assert len(game.moves) == len([t for t in record["turns"] if t["actions"][0]["action"] != "claim"])
        replay = pwtool.load("checkers").replay(record)
        end = replay.at(replay.first + replay.turns).state()
        there = {(x, y): pile for x, y, pile in end["zones"]["board"]}
        assert pieces_of(board.fen) == there


@pytest.mark.parametrize("games", numbers(60, 400))
def test_an_illegal_game_of_checkers_is_written_as_it_was_read(games: Sequence[int]) -> None:
    words = ["1."]
    for number in games:
        moves, _ = pdn.damaged(pdn.ways(pdn.played(number % 20))[:60], random.Random(number))
        text = pdn.as_pdn(moves)
        record = pdn.read(text)
        try:
            again = pdn.read(PDN.write(record))
        except ValueError as error:
            words.append(str(error.args[0]))
            continue
        assert again["turns"] == record["turns"], text
    assert len(words) < 3 + len(games) // 10, words


def test_what_has_no_form_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hex.json").write_text(json.dumps(pwtool.load("hex").play(2, seed=1)))
    for source, target, message in (
        ("hex.json", "out.pgn", "PGN is a format for chess, not for `hex`"),
        ("hex.json", "out.pdn", "PDN is a format for checkers, not for `hex`"),
        ("hex.json", "out.sgf", "SGF has no number for games of `hex`"),
        ("hex.json", "out.gamepark", "is not a file name for records"),
    ):
        assert run(["convert", str(tmp_path / source), "-o", str(tmp_path / target)]) == 2
        said = capsys.readouterr().err
        assert message in said and "Traceback" not in said and not (tmp_path / target).exists()


@one_day_in(8)
def test_games_without_a_form_are_told_and_the_others_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, rules = tmp_path / "games.pgn", pwtool.load("chess")
    source.write_bytes(archive(range(25), 11) + b"1. xx *\n")
    refused = {v.name: v.status for v in rules.check_many(source) if v.status != "clean"}
    assert set(refused.values()) == {"findings", "unreadable"}
    assert run(["convert", str(source), "-o", str(tmp_path / "out.pgn")]) == 2
    said = capsys.readouterr().err
    written = list(rules.check_many(tmp_path / "out.pgn"))
    count = len(list(rules.check_many(source)))
    assert len(written) == count - len(refused) and {v.status for v in written} == {"clean"}
    assert f"{len(written)} of {count} converted" in said and "Traceback" not in said
    illegal = [name for name, status in refused.items() if status == "findings"]
    places = re.findall(r"error\[PW721\].*\n  --> .*games\.pgn:(\d+):\d+", said)
    assert len(places) == len(illegal) and said.count("PGN has no form for moves that are not legal") == len(illegal)
    # Each points at the move, which is in its game.
    begins = sorted(int(v.name.rsplit(":", 1)[1]) for v in rules.check_many(source))
    for name, place in zip(illegal, places, strict=True):
        assert max(line for line in begins if line <= int(place)) == int(name.rsplit(":", 1)[1])


@pytest.mark.parametrize("target", ["out.pgn", "out.jsonl", "out", "out.zip", "out.parquet", "-"])
def test_nothing_is_written_halfway(target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever holds the games: those that were converted, and where there is none, no file."""
    for text, count in (("1. e4 e5 *\n\n1. xx *\n\n1. d4 *", 2), ("1. xx *\n\n1. yy *", 0)):
        source = tmp_path / f"{count}.pgn"
        source.write_text(text)
        folder = tmp_path / f"made{count}"
        folder.mkdir()
        where = target if target == "-" else str(folder / target)
        form = {"out": ["--to", "json"], "-": ["--to", "jsonl"]}.get(target, [])
        assert run(["convert", str(source), "-o", where, *form]) == 2
        printed = capsys.readouterr()
        if target == "-":
            assert len(printed.out.splitlines()) == count
        elif count == 0:
            assert list(folder.iterdir()) == [] and "nothing was written" in printed.err
        else:
            assert [v.status for v in pwtool.check_many(folder / target)] == ["clean"] * count


@pytest.mark.parametrize("board", [[[0, 0, ["b"]]], [[1, 0, ["b", "w"]]], [[1, 0, ["b", "b", "b"]]]])
def test_a_position_without_a_form_is_told(board: list[Any]) -> None:
    record = pwtool.load("checkers").play(2, seed=1)
    start = {"player": "P1", "zones": {"board": board}}
    with pytest.raises(NoForm, match="PDN has no form for this position"):
        PDN.write({**record, "turns": [], "start": start})


def test_notes_that_are_no_tags_are_left_out(tmp_path: Path) -> None:
    record = pwtool.load("checkers").play(2, seed=1)
    record["meta"] = {"two words": "x", "a]b": "y", "": "z", "Round": "4"}
    _, [again] = converted([record], tmp_path, "game.pdn")
    assert again["meta"]["Round"] == "4" and played(again) == played(record)
    assert not {"two words", "a]b", ""} & again["meta"].keys()


def test_a_finding_without_a_form_points_at_the_turn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = pwtool.load("checkers").play(2, seed=3)
    record["turns"][4]["actions"][0] = {"action": "step", "start": [0, 0], "target": [1, 1]}
    source = tmp_path / "game.json"
    head = json.dumps({"format": "pwtool/1", "ruleset": "checkers", "players": record["players"]})
    turns = ",\n".join(map(json.dumps, record["turns"]))
    source.write_text(f'{head[:-1]}, "setup": {{}}, "turns": [\n{turns}]}}')
    assert run(["convert", str(source), "-o", str(tmp_path / "out.pdn")]) == 2
    said = capsys.readouterr().err
    assert f"PDN has no form for turn 5\n  --> {source}:6:1" in said


def test_a_game_of_chess960_from_the_usual_position_is_read_back(tmp_path: Path) -> None:
    first = chess.STARTING_FEN
    text = f'[Variant "Chess960"]\n[SetUp "1"]\n[FEN "{first}"]\n\n1. e4 *\n'
    (tmp_path / "a.pgn").write_text(text)
    assert run(["convert", str(tmp_path / "a.pgn"), "-o", str(tmp_path / "b.pgn"), "-q"]) == 0
    assert run(["check", str(tmp_path / "b.pgn")]) == 0


@pytest.mark.parametrize(("address", "form"), [("chess", "pgn"), ("checkers", "pdn"), ("gomoku", "sgf")])
def test_what_is_said_of_a_turn_is_written(address: str, form: str, tmp_path: Path) -> None:
    """Behind its last move: other formats have no place for it."""
    record = pwtool.load(address).play(2, seed=1)
    record["turns"] = record["turns"][:3]
    record.pop("result", None)
    record["turns"][1]["comment"] = "thought long"
    record["turns"][1]["actions"][-1]["comment"] = "bold"
    (tmp_path / "a.json").write_text(json.dumps(record))
    assert run(["convert", str(tmp_path / "a.json"), "-o", str(tmp_path / f"b.{form}"), "-q"]) == 0
    assert run(["convert", str(tmp_path / f"b.{form}"), "-o", str(tmp_path / "c.json"), "-q"]) == 0
    assert json.loads((tmp_path / "c.json").read_text())["turns"][1]["actions"][-1]["comment"] == "bold thought long"


def test_what_is_lost_in_a_format_is_said_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = pwtool.load("chess").play(2, seed=1)
    record = {name: part for name, part in record.items() if name in ("format", "ruleset", "players", "turns")}
    record["turns"] = [
        *record["turns"][:4],
        {"player": record["players"][0], "actions": [{"action": "claim", "comment": "so"}]},
    ]
    record["turns"][1]["actions"][0] |= {"mark": "!", "comment": "kept"}
    record["turns"][2]["comment"] = "kept, too"
    record |= {"meta": {"Event": "The cup", "two words": 3}, "comment": "kept", "id": "7"}
    record["result"] = {
        "ranking": [record["players"]],
        "stopped": "agreement",
        "scores": dict.fromkeys(record["players"], 0),
    }
    (tmp_path / "games.jsonl").write_text((json.dumps(record) + "\n") * 3)
    for output in (str(tmp_path / "out.pgn"), str(tmp_path / "out.pgn.gz")):
        assert run(["convert", str(tmp_path / "games.jsonl"), "-o", output]) == 0
        said = capsys.readouterr().err.splitlines()[-1]
        names = "`claim` (3), `comment` (3), `id` (3), `meta.two words` (3), `result.scores` (3), `result.stopped` (3)"
        assert said == f"left out, because nothing in `.pgn` files is read as this: {names}"
    board = {
        "format": "pwtool/1",
        "ruleset": "gomoku",
        "players": ["Ana", "Ben"],
        "meta": {"Event": "a", "EV": "b"},
        "turns": [
            {"player": "Ana", "actions": [{"action": "place", "at": [7, 7], "mark": "?!", "comment": "kept"}]},
            {"player": "Ben", "actions": [], "comment": "thinks"},
        ],
    }
    (tmp_path / "game.json").write_text(json.dumps(board))
    assert run(["convert", str(tmp_path / "game.json"), "-o", str(tmp_path / "out.sgf")]) == 0
    assert capsys.readouterr().err.endswith(
        "`.sgf` files is read as this: `comment` (1), `mark` (1), `meta.Event` (1)\n"
    )


def test_what_would_not_be_read_again_is_not_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(type(SGF), "write", lambda self, record: "(;GM[1]SZ[9];B[zz])")
    record = pwtool.load("gomoku").play(2, seed=1)
    (tmp_path / "game.json").write_text(json.dumps(record))
    assert run(["convert", str(tmp_path / "game.json"), "-o", str(tmp_path / "out.sgf")]) == 2
    assert "what would be written in `.sgf` cannot be read: `zz` is not a cell" in capsys.readouterr().err
    assert not (tmp_path / "out.sgf").exists()


WRITTEN = [
    *((address, "pgn") for address in ("chess", "chess+automatic_draws", "chess+chess960", "chess+three_check")),
    *((address, "pdn") for address in ("checkers", "checkers+open_spiel")),
    *((f"gomoku{variant}", "sgf") for variant in ("", "+exactly_five", "+renju_like")),
    ("othello", "sgf"),
    *((f"go{edition}", "sgf") for edition in ("", "/aga", "/chinese", "/japanese", "/new_zealand")),
    *((f"go/{edition}+{variant}", "sgf") for edition in ("new_zealand", "aga") for variant in ("handicap", "thirteen")),
    *(
        (f"go+{v}", "sgf")
        for v in ("agreed", "handicap", "nineteen", "open_spiel", "simple_ko", "situational", "suicide")
    ),
]
"""The rulesets whose games are written, and the format."""


@pytest.mark.parametrize(("address", "form"), some(WRITTEN, 4))
def test_whatever_is_written_can_be_read_without_the_record(address: str, form: str, tmp_path: Path) -> None:
    """By those who do not know the ruleset; it is the same one, unless the format has no name for it."""
    record = pwtool.load(address).play(2, seed=1)
    (tmp_path / "a.json").write_text(json.dumps(record))
    code = run(["convert", str(tmp_path / "a.json"), "-o", str(tmp_path / f"a.{form}"), "-q"])
    assert code == 0 or address == "go+agreed"
    if code == 0:
        verdict = pwtool.check(tmp_path / f"a.{form}")
        assert verdict.status != "unreadable", verdict.findings
        is_named = "/" in address or address.partition("+")[2] in ("handicap", "thirteen", "nineteen", "three_check")
        # A game without stones of a handicap is one without a handicap.
        assert not is_named or verdict.ruleset in (address, address.removesuffix("+handicap"))


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ("(;GM[1]SZ[9]RU[Ing];B[aa])", "the game is played by the rules `Ing`, and no part or source"),
        ("(;GM[1]SZ[11];B[aa])", "the game is played on a board of 11 lines"),
        ("(;GM[1]SZ[9];B[aa])(;GM[1]SZ[9];B[aa])", "it is taken for 2 games"),
    ],
)
def test_what_nobody_could_judge_is_not_written(
    told: str, reason: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(type(SGF), "write", lambda self, record: told)
    (tmp_path / "game.json").write_text(json.dumps(pwtool.load("go").play(2, seed=1)))
    assert run(["convert", str(tmp_path / "game.json"), "-o", str(tmp_path / "out.sgf")]) == 2
    said = capsys.readouterr().err
    assert f"error[PW721]: what would be written in `.sgf` cannot be read: {reason}" in said
    assert not (tmp_path / "out.sgf").exists()


def from_turn(record: dict[str, Any], rules: Any, turn: int) -> dict[str, Any]:
    """The rest of a record, from the position before a turn on."""
    state, names = rules.replay(record).at(turn).state(), record["players"]
    player = names[(turn - 1) % len(names)]
    start = {"player": player, "turn": turn, "zones": state["zones"], "variables": state.get("variables", {})}
    rest = {name: part for name, part in record.items() if name != "setup"}
    return {**rest, "start": start, "turns": record["turns"][turn - 1 :]}


@one_day_in(4)
@pytest.mark.parametrize(("address", "form"), some(WRITTEN, 4))
def test_a_game_from_a_position_is_written_or_has_no_form(address: str, form: str) -> None:
    """And whatever is changed in its position: a record of it that can be read raises no exception."""
    rules, rng = pwtool.load(address), random.Random(address)
    decoder, found = book(address).decoder, find_format(form)
    assert found is not None and found.value is not None
    record = rules.play(2, seed=2)
    written = 0
    for turn in (1, 2, len(record["turns"]) // 2, len(record["turns"]) + 1):
        whole = from_turn(record, rules, turn)
        result = found.value.write(whole, "game")
        assert [d.code for d in result.diagnostics] in ([], ["PW721"]), result.diagnostics
        if result.value is not None:
            written += 1
            assert played(dict(result.value.record)) == played(whole)
        for _ in range(30):
            other = json.loads(json.dumps(whole))
            change_one(other["start"], rng)
            with contextlib.suppress(Malformed):
                decoder.record(other)
                assert [d.code for d in found.value.write(other, "game").diagnostics] in ([], ["PW721"]), other["start"]
    assert written or address in ("chess+chess960", "go+agreed")


def change_one(value: Any, rng: random.Random) -> None:
    """Change, leave out or double something in a value of JSON."""
    inside = [value]
    for one in inside:
        inside += [part for part in (one.values() if isinstance(one, dict) else one) if isinstance(part, dict | list)]
    one = rng.choice([part for part in inside if part])
    key = rng.choice([*one]) if isinstance(one, dict) else rng.randrange(len(one))
    if rng.random() < 0.25:
        del one[key]
    else:
        one[key] = rng.choice(["?", None, "wK", "w", "B", -1, 0, 7, 99, [], [one[key]] * 2])


@pytest.mark.parametrize("form", ["pgn", "sgf", "pdn"])
def test_no_record_makes_a_writer_fail(form: str) -> None:
    """Of whatever game."""
    found = find_format(form)
    assert found is not None and found.value is not None
    for address in ("hex", "pig", "hearts", "tic_tac_toe", "paper_world/gamepark"):
        rules = pwtool.load(address)
        result = found.value.write(rules.play(4 if address == "hearts" else 2, seed=1), "game")
        assert [d.code for d in result.diagnostics] == ["PW721"]


def test_a_game_of_chess960_from_a_later_position_has_no_form(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = pwtool.load("chess+chess960")
    (tmp_path / "a.json").write_text(json.dumps(from_turn(rules.play(2, seed=1), rules, 4)))
    assert run(["convert", str(tmp_path / "a.json"), "-o", str(tmp_path / "b.pgn")]) == 2
    said = capsys.readouterr().err
    assert "error[PW721]: games of Chess960 are read from their beginning, and this is another position" in said


@pytest.mark.parametrize(
    "action",
    [
        {"action": "promote", "start": [0, 1], "aside": -1, "into": "wQ"},
        {"action": "promote", "start": [0, 1], "aside": 0, "into": "?"},
        {"action": "promote", "start": [0, 0], "aside": 0, "into": "wQ"},
        {"action": "step", "start": [-1, 0], "target": [0, 99]},
        {"action": "castle", "tower": [8, 0]},
    ],
)
def test_a_move_beside_the_board_has_no_form(action: dict[str, Any]) -> None:
    record = {"format": "pwtool/1", "ruleset": "chess", "players": ["A", "B"], "setup": {}}
    with pytest.raises(NoForm, match="PGN has no form for moves that are not legal, as in turn 1"):
        PGN.write({**record, "turns": [{"player": "A", "actions": [action]}]})


def test_a_position_before_the_stones_of_a_handicap_is_written(tmp_path: Path) -> None:
    rules = pwtool.load("go+handicap")
    record = next(r for r in (rules.play(2, seed=seed) for seed in range(9)) if len(r["turns"][0]["actions"]) > 1)
    _, [again] = converted([from_turn(record, rules, 1)], tmp_path, "a.sgf")
    assert again["turns"] == record["turns"] and again["ruleset"] == "go+handicap"


@pytest.mark.parametrize(
    ("ruleset", "noted", "written"),
    [
        ("go", "Japanese", None),
        ("go/japanese", "Korean", "Korean"),
        ("go/japanese", "Chinese", "Japanese"),
        ("go/new_zealand", None, "New Zealand"),
    ],
)
def test_rules_are_named_as_those_of_the_record(
    ruleset: str, noted: str | None, written: str | None, tmp_path: Path
) -> None:
    """Whatever its notes say of them."""
    record = pwtool.load(ruleset).play(2, seed=1)
    record["meta"] = {"CA": "ISO-8859-1", "EV": "é"} | ({} if noted is None else {"RU": noted})
    _, [again] = converted([record], tmp_path, "a.sgf")
    assert again["ruleset"] == ruleset and again["meta"].get("RU") == written and again["meta"]["EV"] == "é"


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("pgn", '[White "Ana"]\n[Black "Ana"]\n[Termination "normal"]\n[Result "1-0"]\n\n1. e4 1-0'),
        ("pgn", '[White "?"]\n[Black "Ben"]\n[Termination "Time Forfeit"]\n[Result "0-1"]\n\n1. e4 0-1'),
        ("pgn", '[Variant "From Position"]\n[SetUp "0"]\n\n1. e4 *'),
        ("pgn", f'[Variant "Fischerandom"]\n[SetUp "1"]\n[FEN "{chess.STARTING_FEN}"]\n\n1. e4 *'),
        ("pgn", f'[FEN "{chess.STARTING_FEN}"]\n\n1. e4 *'),
        ("pgn", '[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - -"]\n\n1. e4 Kd7 *'),
        ("pdn", '[Black "Ana"]\n[White "Ana"]\n[Termination "agreed"]\n[GameType "21"]\n\n1. 11-15 *'),
        ("pdn", '[GameType "21,B,8,8"]\n[Setup "1"]\n[FEN "B:WK27:B12,16."]\n\n12. 12-8 *'),
        ("sgf", "(;FF[4]CA[UTF-8]GM[1]SZ[9]PB[Ana]PW[Ana]HA[0]RU[jp]KM[6.5]RE[B+Resign];B[aa])"),
        ("sgf", "(;FF[4]CA[UTF-8]GM[4]SZ[15]PB[Ana]PW[Ben]RE[W+Time];B[aa])"),
    ],
)
def test_what_the_tags_say_of_a_game_is_kept(
    form: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the words in which they were read, where they say the same as the game."""
    (tmp_path / f"a.{form}").write_text(text)
    assert run(["convert", str(tmp_path / f"a.{form}"), "-o", str(tmp_path / f"b.{form}")]) == 0
    assert capsys.readouterr().err.splitlines() == ["1 converted"]
    first, again = (
        import_game(SourceFile(n, (tmp_path / n).read_text()), form).value for n in (f"a.{form}", f"b.{form}")
    )
    assert first is not None and again is not None
    assert first[0]["meta"].items() <= again[0]["meta"].items()  # type: ignore[attr-defined]
    assert {**first[0], "meta": 0} == {**again[0], "meta": 0}


def test_notes_that_contradict_the_game_are_not_written_and_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = pwtool.load("chess").play(2, seed=1)
    record["turns"] = record["turns"][:4]
    record["result"] = {"ranking": [[name] for name in record["players"]], "stopped": "resignation"}
    record["meta"] = {
        "White": "Zoe",
        "Result": "0-1",
        "Termination": "time forfeit",
        "FEN": "8/8/8/8/8/8/8/8 w - - 0 1",
    }
    del record["id"], record["version"]
    (tmp_path / "a.json").write_text(json.dumps(record))
    assert run(["convert", str(tmp_path / "a.json"), "-o", str(tmp_path / "b.pgn")]) == 0
    assert capsys.readouterr().err.splitlines() == [
        "1 converted",
        "left out, because nothing in `.pgn` files is read as this: `result.stopped` (1)",
        "not as in the notes, because `.pgn` files say this of the game itself: "
        "`meta.FEN` (1), `meta.Result` (1), `meta.Termination` (1), `meta.White` (1)",
    ]
    assert not {"FEN", "Termination"} & set(re.findall(r"\[(\w+)", (tmp_path / "b.pgn").read_text()))


@pytest.mark.parametrize(
    ("address", "form"), [("chess", "pgn"), ("checkers", "pdn"), ("othello", "sgf"), ("go", "sgf")]
)
def test_no_illegal_game_is_written_as_a_legal_one(
    address: str, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A turn without actions, and one of the other player, are not there to whoever reads the file."""
    ruleset = pwtool.load(address)
    games = (ruleset.play(2, seed=seed) for seed in itertools.count(daily.seed()))
    whole = next(game for game in games if len(game["turns"]) > 6)
    players, turns, target = whole["players"], whole["turns"], tmp_path / f"game.{form}"
    begun = {"player": players[4 % 2], "actions": []}
    damaged = {
        "middle": [*turns[:3], {"player": players[3 % 2], "actions": []}, *turns[3:6]],
        "twice": [*turns[:3], {**turns[3], "player": players[0]}, *turns[4:6]],
        "after the end": [*turns, {"player": players[len(turns) % 2], "actions": []}],
    }
    for name, wrong in damaged.items():
        record = {key: part for key, part in whole.items() if key != "result"} | {"turns": wrong}
        assert ruleset.check(record).status == "findings", name
        (tmp_path / "game.json").write_text(json.dumps(record))
        code = run(["convert", str(tmp_path / "game.json"), "-o", str(target)])
        if code:
            assert "PW721" in capsys.readouterr().err and not target.exists()
        else:
            assert ruleset.check(target).status == "findings", name
            target.unlink()
    # The next turn has begun, and nothing was done yet.
    record = {key: part for key, part in whole.items() if key != "result"} | {"turns": [*turns[:4], begun]}
    (tmp_path / "game.json").write_text(json.dumps(record))
    assert ruleset.check(record).status == "clean"
    assert run(["convert", str(tmp_path / "game.json"), "-o", str(target)]) in (0, 2)
    assert not target.exists() or ruleset.check(target).status == "clean"
