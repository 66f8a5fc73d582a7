"""What is handed in costs no more than docs/trust.md says: in work, memory and output, or it is refused with the bound
named. The limits for memory are ten times what was measured.
"""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pwtool.checking.archives import Checker
from pwtool.checking.report import FileResult, Verdict
from pwtool.cli.app import run
from pwtool.records import json_places
from pwtool.records.decoding import MAX_NOTED
from pwtool.records.excerpts import MAX_ACTIONS, excerpt
from pwtool.records.json_places import JsonMap
from pwtool.records.ruleset_store import MAX_KEPT, RulesetStore
from pwtool.records.words import MAX_GOALS, MAX_ITEMS, MAX_PLAYERS
from pwtool.rules.library import Library
from pwtool.text.diagnostic import MAX_PROBLEMS
from pwtool.text.source import SourceFile
from pwtool.why.drawing import MAX_SIDE, drawn_part
from tests.daily import one_day_in, some

ROOT = Path(__file__).resolve().parents[2]
GAME: dict[str, Any] = json.loads((ROOT / "examples/records/clean.json").read_text("utf-8"))
STATE: dict[str, Any] = json.loads((ROOT / "examples/states/final.json").read_text("utf-8"))
LONG = "x" * 1_000_000
FAR = {"action": "place", "card": "B1", "at": [900, 1], "pay": []}
Change = Callable[[dict[str, Any]], object]


def changed(change: Change, base: dict[str, Any] = GAME) -> dict[str, Any]:
    record = copy.deepcopy(base)
    change(record)
    return record


def checked(record: object, folder: Path) -> FileResult:
    path = folder / "game.json"
    path.write_text(json.dumps(record), "utf-8")
    (result,) = Checker(RulesetStore(Library()), []).check([str(path)])
    return result


def messages(result: FileResult) -> str:
    return " | ".join(d.message for d in result.diagnostics)


TOO_MANY: dict[str, tuple[Change, str]] = {
    "goals": (lambda r: r["setup"].update(goals=["l_of_2s"] * 200_000), f"at most {MAX_GOALS} objectives"),
    "players": (lambda r: r.update(players=[f"p{n}" for n in range(200_000)]), f"at most {MAX_PLAYERS} players"),
    "cards": (lambda r: r["setup"]["supply"][0].extend(["G1"] * 300_000), f"at most {MAX_ITEMS:,} cards"),
    "piles": (lambda r: r["setup"].update(supply=[["G1"]] * 300_000), "`supply` is a list of 5"),
    "paid": (lambda r: r["turns"][2].update(actions=[{**FAR, "pay": ["B1"] * 150_000}]), "cannot be the pay"),
    "turns": (lambda r: r.update(turns=r["turns"] * 3_000), "at most 100,000 turns"),
}


@one_day_in(8)
@pytest.mark.parametrize("case", some([*TOO_MANY], 2))
def test_what_is_too_much_is_refused_with_the_bound_named(case: str, tmp_path: Path) -> None:
    change, bound = TOO_MANY[case]
    result = checked(changed(change), tmp_path)
    assert result.verdict is Verdict.UNREADABLE and bound in messages(result)


def _keyed(*path: str | int) -> Change:
    """Make the key `x...` in the object at a path."""

    def change(record: dict[str, Any]) -> None:
        at: Any = record
        for part in path:
            at = at[part]
        at[LONG] = 1

    return change


LONG_NAMES: dict[str, Change] = {
    "key": _keyed(), "setup key": _keyed("setup"), "action key": _keyed("turns", 0, "actions", 0),
    "score": _keyed("result", "scores"), "line": _keyed("result", "parts", "Ana"),
    "player": lambda r: r["players"].__setitem__(0, LONG), "who": lambda r: r["turns"][0].update(player=LONG),
    "action": lambda r: r["turns"][0]["actions"][0].update(action=LONG),
    "card": lambda r: r["setup"]["supply"][0].append(LONG), "goal": lambda r: r["setup"]["goals"].__setitem__(0, LONG),
    "taken": lambda r: r["turns"][0]["actions"][0].update(cards={LONG: LONG}),
    "format": lambda r: r.update(format=LONG), "ruleset": lambda r: r.update(ruleset=LONG),
    "version": lambda r: r.update(version=LONG), "start": lambda r: r["setup"].update(start={LONG: "K1"}),
    "ending": lambda r: r["result"]["end"].update(rule=LONG), "by": lambda r: r["turns"][0]["actions"][0].update(by=LONG),
    "mark": lambda r: r["turns"][0]["actions"][0].update(mark=LONG), "recorded": lambda r: r.update(recorded=[LONG]),
    "reveal": lambda r: r["turns"][0]["actions"][0].update(reveal={LONG: LONG}),
}  # fmt: skip


@one_day_in(7)
def test_long_names_are_shortened_in_every_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    forms = ["concise", "json", "sarif", "junit", "github", "markdown"]
    reports = [word for form in forms for word in ("--report", f"{form}={form}.out")]
    for case, change in LONG_NAMES.items():
        Path("game.json").write_text(json.dumps(changed(change)), "utf-8")
        assert run(["check", "game.json", *reports, "--force"]) in (1, 2), case
        told = {form: Path(f"{form}.out").read_text("utf-8") for form in forms} | {"full": capsys.readouterr().out}
        for form, text in told.items():
            assert 0 < len(text) < 20_000, (case, form)


def test_a_long_word_of_a_notation_is_shortened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "examples/notation/club.pwn").read_text("utf-8")
    word = LONG[:900_000]
    for bad in (text.replace("1. Ana: ta", f"1. Ana: {word}"), text.replace("goals", word), f'"{word}'):
        path = tmp_path / "game.pwn"
        path.write_text(bad, "utf-8")
        assert run(["check", str(path)]) == 2
        assert len(capsys.readouterr().out) < 20_000


def test_of_everything_wrong_the_first_is_told_and_that_there_is_more(tmp_path: Path) -> None:
    wrong = {"player": "nobody", "actions": [{"action": "nothing"}]}
    for turns in ([wrong] * 20_000, [{"player": "Ana", "actions": [{"action": "nothing"}] * 20_000}]):
        result = checked({**GAME, "turns": turns}, tmp_path)
        assert len(result.diagnostics) == MAX_PROBLEMS
        assert "there are more errors" in " ".join(result.diagnostics[-1].notes)


@pytest.mark.parametrize("wrong", [10, MAX_PROBLEMS, MAX_PROBLEMS + 1, 200])
@pytest.mark.parametrize("turn", ["Ana: lay", "Ana: fly a1", "Ana: lay a1 ("], ids=["missing", "unknown", "syntax"])
def test_of_everything_wrong_with_a_notation_the_first_is_told_and_that_there_is_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: int, turn: str
) -> None:
    path = tmp_path / "game.pwn"
    turns = [f"{n}. {turn}" for n in range(1, wrong + 1)]
    path.write_text("\n".join(["ruleset: tic_tac_toe", "players: Ana, Ben", "", *turns]), "utf-8")
    assert run(["check", str(path)]) == 2
    out = capsys.readouterr().out
    assert out.count("error[") == min(wrong, MAX_PROBLEMS)
    assert ("there are more errors" in out) == (wrong > MAX_PROBLEMS)


def test_only_what_the_decoder_refused_is_gone_through_again() -> None:
    from pwtool.records.json_form import Malformed

    turns = [{"player": "Ana", "actions": [{"action": "take"}] * 3}] * 50_000
    part = excerpt({"turns": turns}, [Malformed(("turns", 49_999, "actions", 1, "card"), "wrong")])
    assert part.data["turns"] == [{"player": "Ana", "actions": [{"action": "take"}]}]
    assert part.path(("turns", 0, "actions", 0, "card")) == ("turns", 49_999, "actions", 1, "card")
    before = excerpt({"turns": turns}, [Malformed(("setup",), "wrong")])
    assert len(before.data["turns"]) == MAX_ACTIONS and MAX_NOTED < MAX_ACTIONS


def test_the_last_card_of_a_large_record_is_found_along_its_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = copy.deepcopy(GAME)
    record["meta"] = {"a": [{"b": n} for n in range(20_000)]}
    record["turns"] = (record["turns"] * 200)[:8_000]
    record["turns"][-1] = {"player": "Ana", "actions": [{**FAR, "card": "ZZ"}]}
    steps = 0
    real = json_places._end_of

    def counted(text: str, start: int) -> int | None:
        nonlocal steps
        steps += 1
        return real(text, start)

    monkeypatch.setattr(json_places, "_end_of", counted)
    result = checked(record, tmp_path)
    assert [d.span.text for d in result.diagnostics if d.span] == ['"ZZ"']
    # The keys of the record, its turns, what is in the last one: nothing beside the way.
    assert steps < 8_000 + 200


def test_places_in_a_long_list_are_not_looked_for_again() -> None:
    text = json.dumps({"a": [[n, {"b": "]"}] for n in range(1_000)]})
    places = JsonMap(SourceFile("x", text))
    assert [places.span(("a", n, 0)).text for n in (0, 999, 500)] == ["0", "999", "500"]
    assert places.span(("a", 7, 1, "b")).text == '"]"'


def test_a_wide_grid_is_drawn_in_part_and_the_rest_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    owner = next(iter(STATE["zones"]["landscape"]))
    state = changed(lambda s: s["zones"]["landscape"][owner].append([999, 999, ["B1"]]), STATE)
    path, picture = tmp_path / "state.json", tmp_path / "state.svg"
    path.write_text(json.dumps(state), "utf-8")
    assert run(["render", str(path), "-o", str(picture)]) == 0
    assert picture.stat().st_size < 1_000_000
    assert "not drawn: 1 cell in use, (999, 999)" in picture.read_text("utf-8")
    assert run(["match", "l_of_2s", str(path)]) in (0, 1)
    out = capsys.readouterr().out
    assert "not drawn: 1 cell in use, (999, 999)" in out and len(out) < 20_000


def test_the_part_that_is_drawn_is_where_the_cells_are() -> None:
    cells = [(0, 0), (1, 0), (1, 1), (-999, 5)]
    (left, top, right, bottom), rest = drawn_part(cells, (-999, 0, 1, 5))
    assert right - left + 1 == MAX_SIDE and left <= 0 and right == 1 and (top, bottom) == (0, 5)
    assert rest == "not drawn: 1 cell in use, (-999, 5)"
    assert drawn_part(cells[:3], (0, 0, 1, 1)) == ((0, 0, 1, 1), "")


@one_day_in(8)
def test_blanks_around_an_address_make_no_other_ruleset() -> None:
    ruleset_store = RulesetStore(Library())
    first = ruleset_store.get("paper_world/fr")
    assert all(ruleset_store.get(" " * n + "paper_world/fr" + "\t" * n) is first for n in range(400))
    assert len(ruleset_store._books) == 1
    assert ruleset_store.get(LONG).value is None and len(ruleset_store._books) == 1
    for number in range(2 * MAX_KEPT):
        ruleset_store.get(f"no_game_{number}")
    assert len(ruleset_store._books) == MAX_KEPT


# ---- memory, in a process of its own

_MEASURE = """
import re, sys
from pwtool.cli.app import run
code = run(["check", sys.argv[1], "--format", "concise"])
# `resource` would tell the memory of the process that started this one, if that is larger.
print(code, int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) // 1024, file=sys.stderr)
"""


def memory(text: str, folder: Path) -> tuple[int, int]:
    """The exit code of a check and the MiB that it took at most."""
    path = folder / "game.json"
    path.write_text(text, "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, str(path)], capture_output=True, text=True, check=False, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=120,
    )  # fmt: skip
    code, most = done.stderr.split()[-2:]
    return int(code), int(most)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
@pytest.mark.parametrize(
    ("text", "code"),
    some([
        ('{"format": "pwtool/1", "nobody": "' + "x" * 8_000_000 + '"}', 2),
        ('"' + "x" * 8_000_000, 2),
        ('{"a": "' + "\\u0041" * 1_000_000, 2),
        ('{"format": "pwtool/1", "meta": {"a": ' + "[" * 3_000_000 + "]" * 3_000_000 + "}}", 2),
        (json.dumps(changed(lambda r: r.update(meta={"a": list(range(1_000_000))}))), 0),
        (json.dumps(changed(lambda r: r.update(turns=[*r["turns"][:3], {"player": "Ben", "actions": [FAR] * 20_000}]))), 1),
    ], 2),
    ids=["wrong key", "open text", "escapes", "deep", "numbers", "illegal actions"],
)  # fmt: skip
def test_memory_is_bounded(text: str, code: int, tmp_path: Path) -> None:
    found, most = memory(text, tmp_path)
    # Each took less than 100 MiB; before there were bounds some took more than 1,000 MiB.
    assert found == code and most < 700
