"""The notation of games and `pwtool convert`: what is written how, what is told of mistakes, what is written where."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pwtool.checking.documents import check_loaded, load_document
from pwtool.checking.report import FileResult
from pwtool.cli.app import run
from pwtool.lang.limits import MAX_NOTATION
from pwtool.records.inputs import Document
from pwtool.records.notation.parser import parse_notation
from pwtool.records.notation.reading import read_notation
from pwtool.records.notation.writing import format_notation
from pwtool.records.ruleset_store import Rulebook
from pwtool.text import Diagnostic
from pwtool.text.source import SourceFile
from tests.daily import one_day_in
from tests.support import book, ruleset_store

ROOT = Path(__file__).resolve().parents[2]
RECORDS = ROOT / "examples" / "records"
NOTATED = ROOT / "examples" / "notation"
HEAD = "ruleset: paper_world/fr\nplayers: Ana, Ben\n\nsetup\n  goals: l_of_2s two_5s diagonal_2_3_4\n  start: Ana K1; Ben B1\n"
SUPPLY = "  supply: 1 G1 BS1; 2 B2 ?; 3; 4 K4; 5 YS4\n"
DUEL = "ruleset: duel\nplayers: Ana, Leo\n"


def read(text: str, rules: Rulebook | None = None) -> dict[str, Any]:
    parsed = parse_notation(SourceFile("game.pwn", text))
    assert parsed.value is not None and not parsed.diagnostics, [f"{d.span} {d.message}" for d in parsed.diagnostics]
    found = read_notation(parsed.value, (rules or book("paper_world/fr")).game)
    assert found.value is not None, [f"{d.span} {d.message}" for d in found.diagnostics]
    return found.value.data


def actions(turns: str) -> list[dict[str, Any]]:
    return [a for t in read(HEAD + SUPPLY + turns)["turns"] for a in t["actions"]]


def findings(text: str) -> list[Diagnostic]:
    loaded = load_document(Document("game.pwn", SourceFile("game.pwn", text)))
    result = (
        loaded
        if isinstance(loaded, FileResult)
        else check_loaded(loaded, replace(ruleset_store(), rules_from=("/",)), None, "en")
    )
    return list(result.diagnostics)


def told(text: str) -> list[tuple[str, str]]:
    """The code of each finding and the text it points at."""
    return [(d.code, d.span.text if d.span else "") for d in findings(text)]


@pytest.fixture
def rounds(tmp_path: Path) -> Rulebook:
    """A game in rounds with a joint choice, a grid that does not float, and cards dealt to each of its cells."""
    path = tmp_path / "duel.rules"
    path.write_text(
        'game duel "Duel"\nplayers 2..3\n'
        'component hand { sign: rock "R" | paper "P" | scissors "S" }\n'
        'component reward { kind: gold "G" | tin "T" }\n'
        "deck rewards of reward = { 3 G 3 T }\n"
        "zone shown: grid 2x3 of reward\nzone won: bag of reward per player\n"
        'setup { deal shown "A reward on each place": 1 each of rewards to shown by chance }\n'
        "var tally: 0..99 = 0 per game\n"
        "round = show take by (first q in players: true)\n"
        'action show "Show" (sign: sign per player) { tally += 1 }\n'
        'action take "Take" (at: cell of shown) { move top of shown[at] to won }\n'
        'ending done "Done" when tally == 6 then stop\nscore won "Won" = count won\nranking most total, shared\n',
        "utf-8",
    )
    result = ruleset_store().get(str(path))
    assert result.value is not None, [f"{d.span} {d.message}" for d in result.diagnostics]
    return result.value


# ---- reading


def test_headers_and_free_entries() -> None:
    text = HEAD.replace(
        "players: Ana, Ben\n",
        'version: 12\nid: 7\nplayers: "Ana Maria", Ben\nrecorded: cl\nplace: Lyon, upstairs\ntable: 3\nnote: "3"\ntags: ["a", 1]\n'
        '"players": none\nlong: one\n  two\n',
    ).replace("Ana K1", '"Ana Maria" K1')
    data = read(text + SUPPLY)
    assert (data["version"], data["id"], data["players"], data["recorded"]) == (
        "12",
        "7",
        ["Ana Maria", "Ben"],
        ["claim"],
    )
    assert data["meta"] == {
        "place": "Lyon, upstairs", "table": 3, "note": "3", "tags": ["a", 1], "players": "none", "long": "one two",
    }  # fmt: skip


def test_setup() -> None:
    assert read(HEAD + SUPPLY)["setup"] == {
        "goals": ["l_of_2s", "two_5s", "diagonal_2_3_4"],
        "start": {"Ana": "K1", "Ben": "B1"},
        "supply": [["G1", "BS1"], ["B2", "?"], [], ["K4"], ["YS4"]],
    }


def test_actions_are_prefixes_and_values_stand_in_order() -> None:
    assert actions("1. Ana: ta K B4@2+?@3; take announced=4 > su K2@2; tr K2") == [
        {"action": "take", "announced": "black", "cards": {"2": "B4", "3": "?"}},
        {"action": "take", "announced": 4, "cards": {}, "reveal": {"supply": {"2": "K2"}}},
        {"action": "trim", "card": "K2"},
    ]
    assert actions("1. Ana: pl YS1 0,-1 B3+Y2; pl pay=B3 card=K1 at=1,0; pl ? 1,1 -; c l; c two_5s 2; pa") == [
        {"action": "place", "card": "YS1", "at": [0, -1], "pay": ["B3", "Y2"]},
        {"action": "place", "card": "K1", "at": [1, 0], "pay": ["B3"]},
        {"action": "place", "card": "?", "at": [1, 1], "pay": []},
        {"action": "claim", "goal": "l_of_2s"},
        {"action": "claim", "goal": "two_5s", "prize": 2},
        {"action": "pass"},
    ]


def test_who_plays_is_the_next_seat_or_said() -> None:
    turns = read(HEAD + SUPPLY + "1. pa 2. Ben: pa 3. A: pa 4. pa 5. Ana: Ben: pa\n  ; pa\n6.")["turns"]
    assert [t["player"] for t in turns] == ["Ana", "Ben", "Ana", "Ben", "Ana", "Ben"]
    assert turns[4]["actions"] == [{"action": "pass", "by": "Ben"}, {"action": "pass"}] and turns[5]["actions"] == []


def test_marks_and_comments() -> None:
    text = HEAD.replace("setup\n", "{A \\}brace\\}\n  on two lines}\nsetup\n", 1) + SUPPLY
    data = read(text + "1. Ana: {turn} pa!? {action;\n  1. still} {more}; pl ? 0,0?; pl K1 0,0 ?; pl K1 0,0 ??")
    assert data["comment"] == "A }brace} on two lines"
    turn = data["turns"][0]
    assert turn["comment"] == "turn"
    assert turn["actions"] == [
        {"action": "pass", "mark": "!?", "comment": "action; 1. still more"},
        {"action": "place", "card": "?", "at": [0, 0], "pay": [], "mark": "?"},
        {"action": "place", "card": "K1", "at": [0, 0], "pay": ["?"]},
        {"action": "place", "card": "K1", "at": [0, 0], "pay": [], "mark": "??"},
    ]


def test_result() -> None:
    data = read(
        HEAD
        + SUPPLY
        + "result\n  scores: Ana 7; Ben -1\n  parts: Ana stars 7 hand 0; B\n  ranking: Ana = Ben\n  end: exh 12\n"
    )
    assert data["result"] == {
        "scores": {"Ana": 7, "Ben": -1}, "parts": {"Ana": {"stars": 7, "hand": 0}, "Ben": {}},
        "ranking": [["Ana", "Ben"]], "end": {"rule": "exhausted", "turn": 12},
    }  # fmt: skip
    assert read(HEAD + SUPPLY + "result\nranking: Ben > Ana\n")["result"] == {"ranking": [["Ben"], ["Ana"]]}


def test_rounds_joint_choices_and_cells(rounds: Rulebook) -> None:
    text = DUEL + "\nsetup\n  shown: G T / G ? / T T\n\n1. s R/P; Leo: t b3\n2. s R/R; s S/sc; Ana: t 0,0\n"
    data = read(text, rounds)
    assert data["setup"] == {"shown": [["G", "T"], ["G", "?"], ["T", "T"]]}
    assert data["turns"] == [
        {
            "actions": [
                {"action": "show", "sign": {"Ana": "rock", "Leo": "paper"}},
                {"action": "take", "by": "Leo", "at": [1, 2]},
            ]
        },
        {
            "actions": [
                {"action": "show", "sign": {"Ana": "rock", "Leo": "rock"}},
                {"action": "show", "sign": {"Ana": "scissors", "Leo": "scissors"}},
                {"action": "take", "by": "Ana", "at": [0, 0]},
            ]
        },
    ]
    assert format_notation(data, rounds.game) == text.replace("sc", "S").replace("0,0", "a1")


# ---- mistakes


@pytest.mark.parametrize(
    ("text", "code", "word"),
    [
        ("1. Ana: tka 4", "PW712", "tka"), ("1. Ana: t 4", "PW713", "t"), ("1. Bob: pa", "PW712", "Bob"),
        ("1. Ana: ta 7", "PW712", "7"), ("1. Ana: ta bl", "PW713", "bl"), ("1. Ana: ta 4 X9@2", "PW712", "X9"),
        ("1. Ana: ta 4 B4@0", "PW712", "0"), ("1. Ana: ta 4 B4", "PW714", "B4"), ("1. Ana: ta 4 B4@1+B4@1", "PW714", "1"),
        ("1. Ana: pl K1", "PW714", "pl"), ("1. Ana: pl K1 a1", "PW712", "a1"), ("1. Ana: pl K1 0,0 K2 K3", "PW714", "K3"),
        ("1. Ana: pl K1+K2 0,0", "PW714", "K1+K2"), ("1. Ana: pl K1/K2 0,0", "PW714", "K1/K2"), ("1. Ana: pl K1 1,2000", "PW712", "1,2000"),
        ("1. Ana: pl K1 0,0 card=K2", "PW714", "card=K2"), ("1. Ana: pl K1 0,0 price=K2", "PW712", "price"),
        ("1. Ana: c one_to_nine", "PW712", "one_to_nine"), ("1. Ana: pa > hand K1@Ana", "PW712", "hand"),
        ("1. Ana: pa > supply K1@9", "PW712", "9"), ("2. Ana: pa", "PW715", "2"), ("1. Ana: Ben: Ana: pa", "PW711", "Ana"),
        ("1. Ana: pa {never", "PW711", "{"), ("1. Ana: pa } pa", "PW711", "}"), ("1. Ana: pa;; pa", "PW711", ";"),
        ('1. Ana: pl "K1', "PW711", '"'), ("1. Ana: pa {\\q}", "PW711", "{\\q}"), ("1. Ana: pa\n{late}", "PW711", "{late}"),
        ("# remark", "PW711", "#"), ("pa", "PW711", "pa"), ("1. Ana: pa\nplace: Lyon", "PW711", "place"),
        ("99999999999. pa", "PW711", "99999999999. pa"), ("result\n  scores: Ana x", "PW712", "x"),
        ("result\n  score: Ana 1", "PW712", "score"), ("result\n  ranking: Ana Ben", "PW711", "Ben"),
        ("result\n  ranking: Ana > Ana", "PW714", "Ana"), ("result\n  scores: Ana 1; Ana 2", "PW714", "Ana"),
        ("result\n  end: drawn", "PW712", "drawn"), ("result\n  parts: Ana stars", "PW714", "stars"),
        ("result\n1. Ana: pa", "PW711", "1. Ana: pa"), ("setup\n  goals: l_of_2s", "PW711", "setup"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_at_its_word(text: str, code: str, word: str) -> None:
    assert (code, word) in told(HEAD + SUPPLY + text)


@pytest.mark.parametrize(
    ("old", "new", "code", "word"),
    [
        ("Ana, Ben", "Ana, Ana", "PW716", "Ana, Ana"), ("Ana, Ben", "Ana,, Ben", "PW711", ", Ben"), ("Ana, Ben", "Ana,", "PW711", ","),
        ("players:", "playrs:", "PW716", "playrs"), ("Ana, Ben\n", "Ana, Ben\nversoin: 3\n", "PW716", "versoin"),
        ("Ana, Ben\n", "Ana, Ben\nplayers: Ana, Ben\n", "PW716", "players"), ("Ana, Ben\n", "Ana, Ben\ntags: [1\n", "PW711", "1"),
        ("Ana, Ben\n", "Ana, Ben\nrecorded: clam\n", "PW712", "clam"), ("  start: Ana K1; Ben B1\n", "", "PW716", "setup"),
        ("Ben B1", "Ben", "PW714", "Ben"), ("Ben B1", "Ben B1 B2", "PW714", "Ben B1 B2"), ("Ben B1", "Leo B1", "PW712", "Leo"),
        ("; Ben B1", "", "PW714", "start"), ("Ben B1", "Ben X1", "PW712", "X1"), ("two_5s", "two_6s", "PW712", "two_6s"),
        ("start:", "starts:", "PW712", "starts"), ("3; 4", "4; 4", "PW714", "4"), ("3; 4", "3/ 4", "PW711", "/"),
        ("supply:", "supply: 1;", "PW714", "1"),
    ],
)  # fmt: skip
def test_a_mistake_before_the_turns_is_told_at_its_word(old: str, new: str, code: str, word: str) -> None:
    assert (code, word) in told((HEAD + SUPPLY).replace(old, new, 1))


def test_several_mistakes_are_told_at_once_and_in_order() -> None:
    text = HEAD + SUPPLY.replace("K4", "K9") + "1. Ana: tka 4; pl X1 0,0 {\n2. Ben: pl Y7 0,z; pa x\n4. pa"
    found = findings(text)
    assert [d.span.line for d in found if d.span] == sorted(d.span.line for d in found if d.span)
    assert {("PW712", "K9"), ("PW711", "{"), ("PW712", "Y7"), ("PW712", "0,z"), ("PW714", "x"), ("PW715", "4")} <= set(
        told(text)
    )
    assert "did you mean `Y4`?" in {d.help for d in findings(HEAD + SUPPLY + "1. Ana: pl y4 0,0")}


def test_mistakes_in_rounds(rounds: Rulebook) -> None:
    head = (
        DUEL.replace("ruleset: duel", f"ruleset: {rounds.game.ruleset.address}") + "setup\n  shown: G T / G ? / T T\n"
    )
    assert told(head + "1. s R/Q; t a1")[:2] == [("PW712", "Q"), ("PW714", "t")]
    assert told(head + "1. s R/P/S; Ana: s R/P; Leo: t c9 a1") == [
        ("PW714", "R/P/S"),
        ("PW714", "Ana"),
        ("PW714", "a1"),
    ]
    assert told(head.replace("/ T T", "") + "1. s R/P")[0] == ("PW714", "shown")


def test_findings_of_rules_point_into_the_text() -> None:
    text = (NOTATED / "illegal.pwn").read_text("utf-8")
    assert ("PW601", "p B1 1,1") in told(text)
    assert ("PW608", "9") in told((NOTATED / "club.pwn").read_text("utf-8").replace("Ana 7", "Ana 9"))
    assert ("PW613", "0000") in told((NOTATED / "club.pwn").read_text("utf-8").replace("3d898d4c37f3a9c2", "0000"))


def test_the_own_ruleset_gives_the_words_whichever_judges(capsys: pytest.CaptureFixture[str]) -> None:
    """`p` is `place` where there is no `pass`; a ruleset that has both may judge the game all the same."""
    path = str(NOTATED / "club.pwn")
    assert " p K1 " in Path(path).read_text("utf-8")
    assert run(["check", path, "--rules", "paper_world/fr", "-f", "concise"]) == 1
    assert "PW71" not in capsys.readouterr().out


def test_a_game_without_ruleset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.pwn"
    path.write_text((HEAD + SUPPLY).partition("\n")[2], "utf-8")
    assert run(["check", str(path)]) == 2
    assert "PW706" in capsys.readouterr().out
    assert run(["convert", str(path), "-o", str(tmp_path / "x.json"), "--rules", "paper_world/fr"]) == 0
    assert "ruleset" not in json.loads((tmp_path / "x.json").read_text("utf-8"))


@one_day_in(8)
def test_hostile_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "binary.pwn").write_bytes(b"\x00\x01\x02" * 50)
    (tmp_path / "latin.pwn").write_bytes(b"players: Andr\xe9\n")
    (tmp_path / "empty.pwn").write_text("")
    (tmp_path / "blank.pwn").write_text(" \n\t\n")
    (tmp_path / "huge.pwn").write_text("players: Ana\n" + "1. pa\n" * (MAX_NOTATION // 6))
    (tmp_path / "braces.pwn").write_text(HEAD + "{" * 50_000)
    (tmp_path / "closed.pwn").write_text(HEAD + "1. Ana: pa " + "}" * 50_000)
    (tmp_path / "quotes.pwn").write_text(HEAD + "1. Ana: " + '"' * 50_001)
    (tmp_path / "open.pwn").write_text(HEAD + "1. Ana: pa " + "{" * 90_000)
    (tmp_path / "escapes.pwn").write_text(HEAD + "1. Ana: pa " + '"\\' * 40_000)
    (tmp_path / "spaces.pwn").write_text("a: x" + " " * 1_000_000 + "y")
    (tmp_path / "words.pwn").write_text(HEAD + SUPPLY + "1. Ana: " + "pa;" * 60_000)
    (tmp_path / "wide.pwn").write_text(HEAD + SUPPLY + "1. Ana: pl K1 0,0 " + "B1+" * 20_000 + "X")
    (tmp_path / "deep.pwn").write_text("players: Ana\nmeta_like: " + "[" * 5000 + "]" * 5000)
    (tmp_path / "nested.pwn").write_text(HEAD + "1. Ana: " + "Ana: " * 20_000)
    (tmp_path / "numbers.pwn").write_text(
        HEAD + SUPPLY + "1. Ana: ta " + "9" * 5000 + "\nresult\n  scores: Ana " + "9" * 5000
    )
    for path in sorted(tmp_path.glob("*.pwn")):
        assert run(["check", str(path)]) == 2, path
        shown = capsys.readouterr()
        assert shown.out.startswith("error[PW7"), path
        assert "Traceback" not in shown.out + shown.err
        assert run(["convert", str(path), "-o", str(tmp_path / "never.json")]) == 2
        capsys.readouterr()
        assert not (tmp_path / "never.json").exists()


# ---- the commands


@pytest.mark.parametrize("path", sorted(NOTATED.glob("*.pwn")), ids=lambda p: p.stem)
def test_examples_are_canonical(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["convert", str(path), "-o", str(tmp_path / "x.json")]) == 0
    assert run(["convert", str(tmp_path / "x.json"), "-o", str(tmp_path / "x.pwn")]) == 0
    assert (tmp_path / "x.pwn").read_text("utf-8") == path.read_text("utf-8")
    capsys.readouterr()


def test_every_command_takes_notation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    club = NOTATED / "club.pwn"
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "club.pwn").write_bytes(club.read_bytes())
    outputs = {}
    for command in (["check"], ["replay"], ["score"], ["legal", "--at", "3"]):
        assert run([command[0], str(tmp_path / "folder" / "club.pwn"), *command[1:]]) == 0
        outputs[command[0]] = capsys.readouterr().out
    assert (
        "7 legal actions" in outputs["legal"]
        and "Ben > Ana" in outputs["score"]
        and "turn 42  Ben" in outputs["replay"]
    )
    assert run(["check", str(tmp_path / "folder")]) == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(club.read_bytes())))
    assert run(["check", "-"]) == 0
    assert "<stdin>: clean" in capsys.readouterr().out


def test_convert_between_all_forms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    records = {n: json.loads((RECORDS / f"{n}.json").read_text("utf-8")) for n in ("clean", "illegal", "unseen")}
    paths = [str(RECORDS / f"{n}.json") for n in records]
    assert run(["convert", *paths, "-o", "all.jsonl"]) == 0
    assert run(["convert", "all.jsonl", "-o", "folder", "--to", "pwn"]) == 0
    assert sorted(p.name for p in Path("folder").iterdir()) == ["all-1.pwn", "all-2.pwn", "all-3.pwn"]
    assert run(["convert", "folder", "-o", "back.jsonl"]) == 0
    assert [json.loads(line) for line in Path("back.jsonl").read_text("utf-8").splitlines()] == list(records.values())
    assert run(["convert", "all.jsonl:2", "-o", "two.pwn"]) == 0
    capsys.readouterr()
    assert run(["convert", "two.pwn", "-o", "-", "--to", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == records["illegal"]


def test_convert_writes_what_can_be_converted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    good = str(RECORDS / "clean.json")
    damaged = json.loads(Path(good).read_text("utf-8"))
    del damaged["turns"][0]["actions"][0]["cards"]
    Path("bad.json").write_text(json.dumps(damaged), "utf-8")
    assert run(["convert", good, "bad.json", "-o", "all.jsonl"]) == 2
    said = capsys.readouterr().err
    assert "PW702" in said and "1 of 2 converted" in said and len(Path("all.jsonl").read_text().splitlines()) == 1
    assert run(["convert", "bad.json", "-o", "none.jsonl"]) == 2 and not Path("none.jsonl").exists()
    assert run(["convert", good, "bad.json", "-o", "one.pwn"]) == 2 and not Path("one.pwn").exists()
    assert "2 records" in capsys.readouterr().err
    assert run(["convert", good, "-o", "game.pwn"]) == 0
    assert run(["convert", good, "-o", "game.pwn"]) == 2
    assert "already exists" in capsys.readouterr().err
    assert run(["convert", good, "-o", "game.pwn", "--force"]) == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-o", "x.txt"], "not a file name for records"), (["-o", "-"], "which format"), (["-o", "folder"], "which format"),
        (["-o", "x.pwn", "--to", "json"], "does not match"), (["-o", "folder", "--to", "jsonl"], "one file"),
        (["-o", "-", "--to", "pgn"], "cannot be `pgn`"), (["-o", "x.pwn"], "2 records"), (["-o", "-", "--to", "pwn"], "2 records"),
    ],
)  # fmt: skip
def test_convert_says_what_is_wrong_with_the_command(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    files = [str(RECORDS / f"{n}.json") for n in ("clean", "illegal")]
    assert run(["convert", *files, *arguments]) == 2
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
