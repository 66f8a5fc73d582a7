"""The command line: exit codes, many inputs, reports written whole, nothing lost."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pwtool.checking.workers import Judged
from pwtool.cli.app import run
from pwtool.show import FORMATS
from tests.daily import one_day_in, some
from tests.support import book

ROOT = Path(__file__).resolve().parents[2]
GAMES = ROOT / "tests" / "games" / "data" / "gamepark"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own with the examples, English texts."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANG", "C")
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def record(name: str = "clean") -> dict[str, Any]:
    data: dict[str, Any] = json.loads(Path(f"examples/records/{name}.json").read_text("utf-8"))
    return data


def version(address: str) -> str:
    return book(address).game.ruleset.version


def write(name: str, data: Any) -> str:
    Path(name).write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
    return name


CLEAN, ILLEGAL, UNSEEN = (f"examples/records/{n}.json" for n in ("clean", "illegal", "unseen"))


@one_day_in(8)
@pytest.mark.parametrize(
    ("files", "code"),
    [
        ([CLEAN], 0), ([ILLEGAL], 1), ([UNSEEN], 3), (["no.json"], 2), ([CLEAN, UNSEEN], 3), ([UNSEEN, ILLEGAL], 1),
        ([ILLEGAL, "no.json"], 2), (["examples/states/final.json"], 0), (["examples/states/impossible.json"], 1), (["examples"], 1),
    ],
)  # fmt: skip
def test_exit_codes(files: list[str], code: int) -> None:
    assert run(["check", *files]) == code


@pytest.mark.parametrize("turns", range(1, 9))
def test_a_finding_says_whether_other_actions_are_legal(turns: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Nine cells, none of which makes a line too early: after some turns, a mark on one that is taken, a1. The nearest
    cells come first.
    """
    cells = ["a1", "b1", "c1", "a2", "c2", "b2", "a3", "c3", "b3"]

    def far(cell: str) -> tuple[int, int, str]:
        return "abc".index(cell[0]) + int(cell[1]), -int(cell[1]), cell

    played = [f"{n}. {'BA'[n % 2]}: lay {cell}" for n, cell in enumerate([*cells[:turns], cells[0]], 1)]
    write("game.pwn", "\n".join(["ruleset: tic_tac_toe", "players: A, B", "", *played]))
    assert run(["check", "game.pwn"]) == 1
    lines = capsys.readouterr().out.splitlines()
    legal = [line[11:] for line in lines[lines.index(next(x for x in lines if x.startswith("  legal"))) :]]
    shown = [text for text in legal if text.startswith("lay ")]
    assert shown == [f"lay {cell}" for cell in sorted(cells[turns:], key=far)][:5]
    assert ("(and others)" in legal) == (9 - turns > 5)


def test_what_is_not_shown_is_counted_all_the_same(here: Path) -> None:
    """`--only` chooses what is listed; the numbers and the exit code are of all documents, and files have all findings."""
    lines = [json.dumps(record())] * 3 + [json.dumps(record("illegal"))] * 2 + ["{broken"]
    write("all.jsonl", "\n".join(lines))
    whole = {"clean": 3, "findings": 2, "undetermined": 0, "unreadable": 1}
    for word in ("clean", "refused", "unreadable"):
        given = ["check", "all.jsonl", "--only", word, "--force", "-f", "json", "-o", "shown.out"]
        assert run([*given, "--report", "json=file.out", "--report", "junit=file.xml"]) == 2
        shown, report = (json.loads(Path(name).read_text("utf-8")) for name in ("shown.out", "file.out"))
        for told in (shown, report):
            assert (told["counts"], told["exit_code"]) == (whole, 2)
        listed = {"clean": 3, "refused": 2, "unreadable": 1}[word]
        assert len(shown["files"]) == listed and len(report["files"]) == 6
        suite = Path("file.xml").read_text("utf-8")
        assert suite.count("<testcase") == 6 and suite.count("<failure") == 2


@pytest.mark.parametrize("form", ["json", "junit", "sarif", "markdown", "html"])
def test_a_run_that_was_interrupted_writes_no_report(
    form: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from pwtool.cli import check

    def interrupted(found: Iterator[Judged], paths: list[str]) -> Iterator[Judged]:
        yield next(iter(found))
        raise KeyboardInterrupt

    monkeypatch.setattr(check, "_watched", interrupted)
    write("all.jsonl", "\n".join([json.dumps(record())] * 30))
    for way in (["-f", form], ["-f", form, "-o", "whole.out"], ["--report", f"{form}=whole.out", "-f", "concise"]):
        assert run(["check", "all.jsonl", *way]) == 130
        told = capsys.readouterr()
        assert "interrupted" in told.err and not Path("whole.out").exists()
        assert way[0] == "--report" or told.out == ""


@pytest.mark.parametrize(
    "outputs",
    [
        ["--results", "q.jsonl", "-o", "./q.jsonl"], ["--results", "q.jsonl", "--report", "jsonl=q.jsonl"],
        ["--write-baseline", "q.json", "-f", "json", "-o", "q.json"], ["--write-baseline", "q.jsonl", "--results", "q.jsonl"],
        ["--baseline", "known.json", "-f", "json", "-o", "known.json"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_no_output_takes_the_place_of_another_or_of_an_input(outputs: list[str]) -> None:
    assert run(["check", ILLEGAL, "--write-baseline", "known.json"]) in (0, 1)
    before = Path("known.json").read_bytes()
    assert run(["check", ILLEGAL, *outputs, "--force"]) == 2
    assert Path("known.json").read_bytes() == before and not [*Path().glob("q.json*")]


def test_standard_input_and_archives(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = io.BytesIO(json.dumps(record()).encode())

    monkeypatch.setattr(sys, "stdin", Input())
    assert run(["check", "-"]) == 0
    lines = [json.dumps(record()), json.dumps(record("illegal")), "{broken", "", json.dumps(record())]
    write("all.jsonl", "\n".join(lines))
    capsys.readouterr()
    assert run(["check", "all.jsonl", "--format", "concise"]) == 2
    out = capsys.readouterr().out.splitlines()
    assert (
        out[0].startswith("all.jsonl:1: clean [paper_world/gamepark ")
        and out[1].startswith("all.jsonl:2:")
        and "place.inside_3x3" in out[1]
    )
    assert out[2].startswith("all.jsonl:3:2: error[PW701]") and out[-1].startswith("all.jsonl:5: clean [")
    assert run(["check", "all.jsonl"]) == 2
    assert (
        f"all.jsonl: clean under paper_world/gamepark {version('paper_world/gamepark')}  (2 games)"
        in capsys.readouterr().out
    )
    assert run(["replay", "all.jsonl:5", "--at", "1"]) == 0
    assert run(["check", "all.jsonl:4"]) == 2


def test_a_game_of_several_is_named_by_its_line_whatever_its_file_is_called(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write("games.txt", '[GameType "21"]\n1. 9-14 *\n\n[GameType "21"]\n1. 9-18 *\n')
    assert run(["check", "games.txt"]) == 1
    shown = next(line for line in capsys.readouterr().out.splitlines() if "pwtool replay" in line)
    assert shown.split()[-3:] == ["games.txt:4", "--at", "1"]
    assert run(["check", "games.txt:1"]) == 0
    assert run(["check", "games.txt:4"]) == 1
    assert run(["check", "missing.txt:4"]) == 2


def test_standard_input_is_not_read_again(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1. 9-18 *\n")))
    assert run(["check", "--from", "pdn", "-"]) == 1
    told = capsys.readouterr().out
    assert "pwtool explain" in told and "pwtool replay" not in told


def test_reports_are_written_whole_beside_the_printed_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run(
            [
                "check",
                CLEAN,
                ILLEGAL,
                "--report",
                "sarif=out.sarif",
                "--report",
                "junit=out.xml",
                "--report",
                "json=out.json",
            ]
        )
        == 1
    )
    assert json.loads(Path("out.sarif").read_text("utf-8"))["version"] == "2.1.0"
    assert Path("out.xml").read_text("utf-8").startswith("<?xml")
    assert [f["verdict"] for f in json.loads(Path("out.json").read_text("utf-8"))["files"]] == ["clean", "findings"]
    assert run(["check", CLEAN, "--report", "sarif=no/such/folder/x"]) == 2
    assert not list(Path().rglob("*.part"))
    assert run(["check", CLEAN, "--report", "sarf=x"]) == 2
    assert "did you mean `sarif`?" in capsys.readouterr().err


def test_several_rulesets_give_a_matrix(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", CLEAN, "-r", "paper_world/gamepark", "-r", "paper_world/fr"]) == 1
    out = capsys.readouterr().out
    gamepark, french = version("paper_world/gamepark"), version("paper_world/fr")
    assert f"paper_world/gamepark {gamepark}  accepted" in out and "turn.must_take" in out
    assert f"paper_world/fr {french}        refused" in out


def test_ruleset_problems(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", CLEAN, "--rules", "paper_world/frr"]) == 2
    assert "did you mean `fr`?" in capsys.readouterr().err
    assert run(["check", CLEAN, "--rules", "paper_world/bga+advanced"]) == 2
    assert "no advanced mode" in capsys.readouterr().err
    for address in (
        "../../etc/passwd",
        "/etc/passwd",
        "y" * 400,
        "z" * 400 + ".rules",
        "paper_world/../x",
        "x" * 5000,
        "paper_world/fr\n+advanced",
        "",
    ):
        assert run(["check", CLEAN, "--rules", address]) == 2


def test_a_record_for_another_version_is_never_silently_judged(capsys: pytest.CaptureFixture[str]) -> None:
    data = record()
    data["version"] = "0" * 16
    assert run(["check", write("old.json", data)]) == 1
    assert "PW613" in capsys.readouterr().out
    assert run(["check", "old.json", "--rules", data["ruleset"]]) == 0
    del data["ruleset"]
    assert run(["check", write("none.json", data)]) == 2
    assert "PW706" in capsys.readouterr().out


def test_quiet_all_and_language(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(["check", CLEAN]) == 0
    told = capsys.readouterr().out
    assert run(["check", CLEAN, "--quiet"]) == 0
    assert capsys.readouterr().out == told
    run(["check", ILLEGAL, "--all", "-f", "concise"])
    assert len(capsys.readouterr().out.splitlines()) > 5
    run(["check", ILLEGAL, "-f", "concise", "--lang", "de"])
    german = capsys.readouterr().out
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    run(["check", ILLEGAL, "-f", "concise"])
    assert capsys.readouterr().out == german and "Stapel" in german
    assert run(["check", CLEAN, "--lang", "xx"]) == 2


def test_another_reading_can_be_adopted(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", CLEAN, "--rules", "paper_world/gamepark", "--reading", "last_round=others"]) == 1
    assert run(["check", CLEAN, "--reading", "last_round=other"]) == 2
    assert "known here: `others`" in capsys.readouterr().out
    assert run(["rules", "show", "paper_world/fr"]) == 0


def test_rules_show_how_an_action_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "show", "paper_world/fr"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    for name, parameters in (
        ("grab", "(at: cell of landscape)"),
        ("claim", "(goal: goal, prize = top of prizes[goal])"),
    ):
        at = next(n for n, line in enumerate(lines) if line.split()[:1] == [name])
        assert lines[at + 1] == parameters, lines[at : at + 3]


def test_import_writes_whole_files_and_reports_broken_ones(capsys: pytest.CaptureFixture[str]) -> None:
    good = GAMES / "base" / "b2-0005.json"
    shutil.copy(good, "good.json")
    broken = json.loads(good.read_text("utf-8"))
    broken["moves"][3]["move"]["kind"] = 99
    write("broken.json", broken)
    assert run(["import", "gamepark", "good.json", "broken.json", "-o", "out"]) == 2
    assert "PW704" in capsys.readouterr().err
    assert [p.name for p in Path("out").iterdir()] == ["good.json"]
    assert run(["check", "out"]) == 0
    assert run(["import", "gamepark", "good.json", "-o", "out/good.json"]) == 2
    assert run(["import", "gamepark", "good.json", "-o", "out/good.json", "--force"]) == 0
    assert run(["import", "gamepack", "good.json", "-o", "x.json"]) == 2 and not Path("x.json").exists()
    assert run(["import", "gamepark", "good.json", "-o", "all.jsonl"]) == 0 and run(["check", "all.jsonl"]) == 0


def test_show_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", CLEAN, "--at", "23"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("before turn 23\n") and "turn 24" not in out
    assert out.endswith("\nturn 23  Ana: place G1 at (-2, 0); place B1 at (-1, 2)\n")
    assert run(["replay", CLEAN]) == 0
    assert "ranking     Ben > Ana" in capsys.readouterr().out
    capsys.readouterr()
    for command, asked in (
        (["replay"], "--at"),
        (["replay"], "--after"),
        (["match", "l_of_2s"], "--after"),
        (["legal"], "--at"),
    ):
        assert run([*command, CLEAN, asked, "99"]) == 2
        assert "no such turn, it ends with turn 42" in capsys.readouterr().err
    assert run(["legal", CLEAN, "--at", "1"]) == 0
    assert "turn 1  Ana: " in capsys.readouterr().out
    assert run(["legal", CLEAN]) == 0 and "the game is over" in capsys.readouterr().out
    assert run(["legal", ILLEGAL]) == 1 and capsys.readouterr().out
    assert run(["score", CLEAN, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scores"] == {"Ana": 7, "Ben": 13}
    assert run(["score", "examples/states/final.json"]) == 0
    assert run(["replay", "examples/states/final.json"]) == 2


@one_day_in(8)
def test_rules_explain_schema_test(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules"]) == 0 and re.search(r"paper_world/bga\+advanced +-", capsys.readouterr().out)
    assert run(["rules", "show", "paper_world/fr+advanced", "--json"]) == 0
    items = json.loads(capsys.readouterr().out)["items"]
    assert any(i["name"] == "place.skip_price" and "Mode avancé" in i["source"] for i in items)
    assert run(["explain", "turn.must_take"]) == 0 and "paper_world/" in capsys.readouterr().out
    assert run(["explain", "pw601"]) == 0 and "rule-broken" in capsys.readouterr().out
    assert run(["explain", "place.skip_onc"]) == 2 and "did you mean `place.skip_once`?" in capsys.readouterr().err
    assert run(["schema", "paper_world/en"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema["$schema"].endswith("2020-12/schema")
    assert run(["test", "paper_world/en"]) == 0 and ", 0 failed, no item lacks an example" in capsys.readouterr().out


def test_usage_mistakes_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) in (0, 2)
    assert run(["chekc"]) == 2 and "check" in capsys.readouterr().err
    assert run(["check"]) == 2
    assert run(["check", CLEAN, "--format", "ful"]) == 2 and "did you mean `full`?" in capsys.readouterr().err
    assert run(["--version"]) == 0 and capsys.readouterr().out.startswith("pwtool ")


def test_a_reader_that_stops_early_is_no_error() -> None:
    command = f"{sys.executable} -m pwtool replay {CLEAN} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == "" and len(done.stdout.splitlines()) == 1


def test_a_mistake_of_the_program_is_told_as_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import pwtool.cli.check as module

    def fail(*_: object) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(module, "run_check", fail)
    assert run(["check", CLEAN]) == 101
    err = capsys.readouterr().err
    assert err.startswith("error[PW901]") and "Traceback" not in err


@one_day_in(4)
@pytest.mark.parametrize("form", some([*FORMATS], 2))
@pytest.mark.parametrize("kernel", ["--kernel", "--no-kernel"])
def test_every_verdict_names_the_very_rules(form: str, kernel: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever judged it, and whatever was judged."""
    write("all.jsonl", "\n".join([json.dumps(record())] * 30 + [json.dumps(record("illegal"))]))
    files = [
        "all.jsonl",
        "examples/states/final.json",
        "examples/notation/club.pwn",
        UNSEEN,
        "examples/states/impossible.json",
    ]
    run(["check", *files, "--format", form, kernel])
    out = capsys.readouterr().out
    used = version("paper_world/gamepark")
    if form in ("json", "jsonl"):
        found = [json.loads(line) for line in out.splitlines()] if form == "jsonl" else json.loads(out)["files"]
        assert len(found) == 35 and {(f["ruleset"], f["ruleset_version"]) for f in found} == {
            ("paper_world/gamepark", used)
        }
    elif form == "sarif":
        (told,) = json.loads(out)["runs"]
        assert told["properties"]["rulesets"] == {"paper_world/gamepark": used}
        assert {r["properties"]["rulesetVersion"] for r in told["results"]} == {used}
    elif form == "junit":
        assert out.count("<testcase ") == out.count(f'name="ruleset_version" value="{used}"') == 35
    else:
        verdicts = [line for line in out.splitlines() if re.search(r"gamepark(?!`)\b", line) and "explain" not in line]
        assert verdicts and all(used in line for line in verdicts), out
        assert len(verdicts) >= (5 if form == "markdown" else 4)


@one_day_in(7)
def test_other_commands_that_judge_name_the_very_rules(capsys: pytest.CaptureFixture[str]) -> None:
    english, french = version("paper_world/en"), version("paper_world/fr")
    run(["which", CLEAN, "--json", "-r", "paper_world/fr"])
    answers = json.loads(capsys.readouterr().out)["documents"][0]["rulesets"]
    assert answers and all(a["version"] == version(a["address"]) for a in answers)
    run(["compare", "paper_world/en", "paper_world/fr", "--json"])
    assert json.loads(capsys.readouterr().out)["versions"] == [english, french]
    for form in ("html", "markdown"):
        run(["compare", "paper_world/en", "paper_world/fr", "--format", form])
        page = capsys.readouterr().out.replace("\\_", "_")
        assert f"ersions: paper_world/en {english}, paper_world/fr {french}" in page
