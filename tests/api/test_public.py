"""The public interface: its names, its types, its page, and what it gives."""

from __future__ import annotations

import doctest
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pwtool
from pwtool import api
from pwtool.cli.app import run
from tests.daily import one_day_in

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "api.md"
NAMES = {
    "Action", "Comparison", "Contradiction", "END", "Endless", "Finding", "Game", "LearnedRules", "NoSetup",
    "Objective", "OutOfBounds", "Position", "RecordError", "Result", "Row", "Rules", "RulesError", "Stepper",
    "TooMuchWork", "Verdict", "__version__", "check", "check_many", "compare", "learn", "load", "replay", "rulesets",
}  # fmt: skip
MEMBERS = {
    "Action": {"name", "player", "arguments", "text"},
    "Comparison": {"first", "games", "second", "rows", "shared", "same"},
    "Finding": {
        "code", "level", "message", "rule", "turn", "player", "path", "line", "column", "follows", "help", "notes"
    },
    "Game": {"players", "turns", "first", "record", "verdict", "at", "end"},
    "LearnedRules": {"ruleset", "edition", "changes", "games", "clean", "wrong", "unexplained", "undetermined", "sure", "data"},
    "Objective": {"name", "text", "holds"},
    "Stepper": {
        "moves", "over", "finished", "played", "seat", "player", "turn", "totals", "ranking", "action", "record", "play", "undo",
        "restart", "play_out", "random",
    },
    "Position": {
        "over", "turn", "player", "may_end_turn", "legal", "called", "play", "end_turn", "board", "draw", "state", "record", "score",
    },
    "RecordError": {"findings"},
    "Result": {"scores", "lines", "ranking", "ending", "ending_turn", "winners"},
    "Row": {
        "kind", "name", "nature", "status", "direction", "first", "second", "proof", "example", "witness", "without", "twin",
    },
    "Rules": {
        "address", "title", "version", "players", "objectives", "check", "check_many", "replay", "play", "play_many", "analyze", "stepper"},
    "RulesError": {"address", "messages"},
    "Verdict": {
        "name", "status", "ruleset", "version", "findings", "result", "turns", "actions", "cut_short", "clean", "causes", "report",
    },
}  # fmt: skip


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "examples")
    monkeypatch.setenv("LANG", "C")


def test_the_names_are_stable() -> None:
    """A name that goes, or a new one, is a decision: the page and the changelog tell it."""
    assert set(pwtool.__all__) == set(dir(pwtool)) == NAMES == {*api.__all__, "__version__"}
    listed = re.findall(r"`(\w+)`", PAGE.read_text("utf-8").split("## Names")[1])
    assert sorted(listed) == sorted(NAMES)


@pytest.mark.parametrize("name", sorted(MEMBERS))
def test_the_members_are_stable(name: str) -> None:
    kind = getattr(pwtool, name)
    public = {member for member in vars(kind) if not member.startswith("_")}
    own = {member for member in public | set(getattr(kind, "__annotations__", ())) if not member.startswith("_")}
    # What a constructor sets stands in no class body; an instance has it.
    assert own <= MEMBERS[name], own - MEMBERS[name]
    assert kind.__doc__ and all(
        getattr(getattr(kind, m, None), "__doc__", "") for m in public if callable(vars(kind).get(m))
    )


def test_the_names_are_no_packages() -> None:
    """`pwtool.check` is a function whatever was imported before."""
    for module in sorted(ROOT.glob("pwtool/*/__init__.py")):
        importlib.import_module(f"pwtool.{module.parent.name}")
        assert module.parent.name not in NAMES
    assert callable(pwtool.check) and callable(pwtool.compare)
    with pytest.raises(AttributeError):
        pwtool.nothing  # noqa: B018


@one_day_in(7)
@pytest.mark.usefixtures("examples")
def test_the_page_shows_what_comes_out() -> None:
    text = "\n".join(re.findall(r"^```pycon\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE))
    test = doctest.DocTestParser().get_doctest(text, {}, "api.md", str(PAGE), 0)
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    result = runner.run(test, out=told.append)
    assert result.attempted > 40 and result.failed == 0, "".join(told)


@one_day_in(7)
def test_a_client_is_typed(tmp_path: Path) -> None:
    client = tmp_path / "client.py"
    client.write_text(
        """import pwtool

rules: pwtool.Rules = pwtool.load("paper_world/fr+advanced", readings={})
verdict: pwtool.Verdict = rules.check("game.json")
rule: str | None = verdict.findings[0].rule
if verdict.result is not None:
    points: int | None = verdict.result.scores["Ana"]
for one in rules.check_many(["a.jsonl", {"format": "pwtool/1"}, b"{}"], audit=0.1):
    print(one.clean, one.report(show_all=True))
game: pwtool.Game = rules.replay({"format": "pwtool/1"})
position: pwtool.Position = game.at(12)
actions: list[pwtool.Action] = position.legal(limit=3)
board: str = position.play(actions[0]).end_turn().board("Ana")
held: bool | None = rules.objectives["row_of_3s"].holds("[ Y3 ]")
rows: tuple[pwtool.Row, ...] = pwtool.compare("paper_world/en", rules).rows
record = rules.play(3, seed=4)
try:
    pwtool.load("nowhere")
except pwtool.RulesError as error:
    print(error.messages)
""",
        "utf-8",
    )
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import pwtool\nn: int = pwtool.load('x').check('y').status\n", "utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--config-file=", str(client), str(wrong)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 1, done.stdout
    (told,) = [line for line in done.stdout.splitlines() if "error:" in line]
    assert "wrong.py:2:" in told and "Incompatible types" in told


@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("name", ["clean.json", "illegal.json", "unseen.json"])
def test_a_verdict_says_what_the_command_line_says(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    verdict = pwtool.check(f"records/{name}")
    code = run(["check", f"records/{name}", "-f", "json"])
    told = json.loads(capsys.readouterr().out)
    assert {"clean": 0, "findings": 1, "undetermined": 3}[verdict.status] == code
    found = told["findings"] if "findings" in told else told["files"][0]["findings"]
    assert [(f.code, f.rule, f.message, f.follows) for f in verdict.findings] == [
        (f["code"], f["rule"], f["message"], f["follows"]) for f in found
    ]
    run(["check", f"records/{name}"])
    assert capsys.readouterr().out.startswith(verdict.report())


@pytest.mark.usefixtures("examples")
def test_every_form_of_a_record_is_read() -> None:
    path = Path("records/clean.json")
    text = path.read_text("utf-8")
    forms = [path, str(path), text, text.encode(), json.loads(text)]
    assert {pwtool.check(form).status for form in forms} == {"clean"}
    assert pwtool.check(Path("notation/club.pwn").read_text("utf-8")).clean
    assert [v.clean for v in pwtool.check_many(forms)] == [True] * 5
    for wrong in ("", "no.json", b"", b"\xff\0", "{", {}, {"format": "pwtool/1"}, {"a": [1] * 9}, "{]\n"):
        verdict = pwtool.check(wrong)  # type: ignore[arg-type]
        assert verdict.status == "unreadable" and verdict.findings, wrong
        with pytest.raises(pwtool.RecordError):
            pwtool.replay(wrong)  # type: ignore[arg-type]


def test_kernel_and_engine_give_the_same_verdicts() -> None:
    rules = pwtool.load("pierre_papier_morpion")
    games = list(rules.play_many(25, seed=3))
    games[3]["turns"][0]["actions"].reverse()
    with_kernel = list(rules.check_many(games))
    without = list(rules.check_many(games, kernel=False))
    assert with_kernel == without and sum(v.clean for v in without) == 24
    assert all(v.result is not None and v.turns for v in without if v.clean)


def test_a_game_is_played_by_hand() -> None:
    rules = pwtool.load("paper_world")
    position = rules.replay(rules.play(2, seed=1, max_turns=1)).at(1)
    turns = set()
    while not position.over and position.turn <= 12:
        turns.add(position.turn)
        actions = position.legal(2)
        position = position.play(actions[-1]) if actions and not position.may_end_turn else position.end_turn()
    assert turns == set(range(1, 13))
    assert position.state()["format"] and "P1" in position.draw("P1")
    with pytest.raises(ValueError, match="no zone"):
        position.board(zone="nowhere")
    with pytest.raises(IndexError):
        rules.replay(rules.play(2, seed=1, max_turns=1)).at(99)


def test_turns_that_are_not_gone_through_leave_the_position_as_it_was() -> None:
    rules = pwtool.load("paper_world/gamepark")
    record = json.loads((ROOT / "examples" / "records" / "clean.json").read_text("utf-8"))
    last = rules.replay(record).end
    record["turns"] += record["turns"][:2]
    longer = rules.replay(record)
    assert longer.turns == 44 and longer.at(44).state() == longer.end.state() == last.state()
    # Goals that are there twice: no turn can be judged.
    record["setup"]["goals"][1] = record["setup"]["goals"][0]
    unplayed = rules.replay(record)
    assert not unplayed.verdict.clean
    assert unplayed.end.state() == unplayed.at(1).state()


def test_a_record_names_an_objective_that_is_not_in_play() -> None:
    rules = pwtool.load("paper_world/gamepark")
    record = json.loads((ROOT / "examples" / "records" / "clean.json").read_text("utf-8"))
    other = next(name for name in rules.objectives if name not in record["setup"]["goals"])
    record["turns"][5]["actions"].append({"action": "claim", "goal": other, "prize": 4})
    game = rules.replay(record)
    assert not game.verdict.clean
    assert game.record["turns"][5]["actions"][-1] == {"action": "claim", "goal": other, "prize": 4}
