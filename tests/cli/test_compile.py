"""`pwtool rules compile` and `docs/kernel.md`: the modules, the interface as the page has it, and its examples."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pwtool.cli.app import run
from pwtool.kernel.answers import (
    CLEAN,
    ENDLESS,
    FAILED,
    HAS_PARTS,
    HAS_RANKING,
    HAS_RESULT,
    HAS_SCORES,
    HAS_STOPPED,
    NO_SETUP,
    NOT_MINE,
    REFUSED,
    STOPPED,
    Answer,
)
from pwtool.kernel.layout import MAX_LIST, MAX_MEMORY, MAX_NUMBER, NONE
from pwtool.kernel.module import INTERFACE, SECTION, compile_kernel, read_kernel
from pwtool.lang import tree
from pwtool.play.chance import Chance
from pwtool.play.replay import replay_record
from pwtool.play.selfplay import deal_at_random, play_game, random_policy
from pwtool.records.json_text import load_json
from pwtool.text.source import SourceFile
from tests.support import book

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "kernel.md").read_text("utf-8")
ADDRESS = "paper_world/gamepark"
RECORDS = ("clean", "illegal", "unseen", "duels", "gamepark-b2-0005")


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)


def block(file: str) -> tuple[str, str]:
    """A program of the page, and what the page says that it prints (empty: nothing is said)."""
    found = re.search(rf"^```\w+ file={re.escape(file)}\n(.*?)^```$(.*?)(?=^#|\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None
    printed = re.search(r"^```text\n(.*?)^```$", found[2], re.DOTALL | re.MULTILINE)
    return found[1], printed[1] if printed else ""


def said_by_engine(name: str) -> str:
    """What `judge.mjs` prints of a record, from what the engine finds."""
    path = f"examples/records/{name}.json"
    data = load_json(SourceFile(path, Path(path).read_text("utf-8"))).value
    record = book(ADDRESS).decoder.record(data) if isinstance(data, dict) and data.get("ruleset") == ADDRESS else None
    if record is None or record.has_unseen:
        return f"{path}: not mine"
    replay = replay_record(book(ADDRESS).game, record)
    if not replay.findings:
        assert replay.result is not None and replay.play.over
        return f"{path}: clean, {replay.play.turn} turns, scores {' '.join(map(str, replay.result.totals))}"
    first = replay.findings[0]
    assert first.path[2] == "actions"
    return f"{path}: {first.code} {first.rule}, turn {first.turn}, action {first.path[3]}"


# ---- the command -----------------------------------------------------------------------------------------------------


def test_a_module_is_written_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "compile", ADDRESS, "-o", "gamepark.wasm"]) == 0
    printed, wasm = capsys.readouterr(), Path("gamepark.wasm").read_bytes()
    ruleset = book(ADDRESS).game.ruleset
    assert printed.err == f"{ADDRESS}: {len(wasm):,} bytes, version {ruleset.version}\n"
    assert printed.out == ""
    assert wasm == compile_kernel(ruleset).wasm
    assert read_kernel(wasm) == compile_kernel(ruleset)
    assert sorted(p.name for p in Path().iterdir()) == ["examples", "gamepark.wasm"]


def test_it_needs_no_wasmtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wasmtime", None)
    assert run(["rules", "compile", "tic_tac_toe", "-o", "game.wasm"]) == 0
    assert read_kernel(Path("game.wasm").read_bytes()).address == "tic_tac_toe"


def test_nothing_is_overwritten_unasked(capsys: pytest.CaptureFixture[str]) -> None:
    Path("game.wasm").write_text("mine", "utf-8")
    words = ["rules", "compile", "pierre_papier_morpion", "-o", "game.wasm"]
    assert run(words) == 2
    assert "already exists" in capsys.readouterr().err and Path("game.wasm").read_text("utf-8") == "mine"
    assert run([*words, "--force"]) == 0
    assert read_kernel(Path("game.wasm").read_bytes()).address == "pierre_papier_morpion"


@pytest.mark.parametrize(("address", "option"), [("paper_world/en", "--reading"), ("paper_world/fr", "--as-printed")])
def test_readings_make_other_modules(address: str, option: str) -> None:
    node = book("paper_world/en").game.ruleset.merged.items["ambiguity", "once_a_turn"]
    assert isinstance(node, tree.Ambiguity)
    words = [option, f"once_a_turn={node.alternatives[0].name.name}"] if option == "--reading" else [option]
    assert run(["rules", "compile", address, "-o", "plain.wasm"]) == 0
    assert run(["rules", "compile", address, *words, "-o", "other.wasm"]) == 0
    plain, other = (read_kernel(Path(f"{name}.wasm").read_bytes()) for name in ("plain", "other"))
    assert plain.address == other.address and plain.version != other.version


def crowd() -> Path:
    """A ruleset for more players than kernels hold."""
    text = (ROOT / "rulesets" / "classics" / "tic_tac_toe" / "game.rules").read_text("utf-8")
    Path("crowd.rules").write_text(text.replace("players 2..2", "players 2..61"), "utf-8")
    return Path("crowd.rules")


@pytest.mark.parametrize("there", [False, True])
def test_a_bound_of_kernels_is_told(there: bool, capsys: pytest.CaptureFixture[str]) -> None:
    if there:
        Path("crowd.wasm").write_text("mine", "utf-8")
    assert run(["rules", "compile", str(crowd()), "-o", "crowd.wasm", "--force"]) == 2
    printed = capsys.readouterr()
    assert "cannot be compiled: more than 60 can play" in printed.err and printed.out == ""
    assert Path("crowd.wasm").exists() == there
    assert not there or Path("crowd.wasm").read_text("utf-8") == "mine"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["paper_world/frr", "-o", "x.wasm"], "did you mean `fr`?"),
        (["paper_world/en"], "`--output` is missing"),
        (["paper_world/en", "-o", "nowhere/x.wasm"], "cannot write `nowhere/x.wasm`"),
        (["paper_world/en", "--reading", "once_a_turn=never", "-o", "x.wasm"], "once_a_turn"),
    ],
)
def test_what_cannot_be_is_said(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "compile", *words]) == 2
    assert said in capsys.readouterr().err
    assert [p.name for p in Path().iterdir()] == ["examples"]


# ---- the examples of the page ----------------------------------------------------------------------------------------


def printed_by(program: str, file: str, *arguments: str) -> str:
    """What a program of the page prints."""
    Path(file).write_text(block(file)[0], "utf-8")
    done = subprocess.run([program, file, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("there is no node")
    return found


def test_the_example_in_javascript_judges_as_the_engine_does(node: str) -> None:
    assert run(["rules", "compile", ADDRESS, "-o", "gamepark.wasm"]) == 0
    records = [f"examples/records/{name}.json" for name in RECORDS]
    lines = printed_by(node, "judge.mjs", "gamepark.wasm", *records).splitlines()
    assert lines == [said_by_engine(name) for name in RECORDS]
    assert [re.sub(r".*: (clean|PW\d+|not mine).*", r"\1", line) for line in lines[:4]] == [
        "clean", "PW601", "not mine", "not mine",
    ]  # fmt: skip
    assert lines[:3] == block("judge.mjs")[1].splitlines()


def test_the_example_in_javascript_plays_as_the_engine_does(node: str) -> None:
    assert run(["rules", "compile", ADDRESS, "-o", "gamepark.wasm"]) == 0
    game, expected = book(ADDRESS).game, []
    for seed in (5, 6):
        rng = Chance(seed)
        record = deal_at_random(game, ["Ana", "Ben"], rng)
        play_game(game, record, random_policy(rng), rng=rng)
        assert record.outcome is not None and record.outcome.scores is not None
        expected.append(f"seed {seed}: {len(record.turns)} turns, {' '.join(map(str, record.outcome.scores.values()))}")
    assert printed_by(node, "play.mjs", "gamepark.wasm", "5", "2", "2").splitlines() == expected


def test_the_example_in_python_prints_what_the_page_shows() -> None:
    pytest.importorskip("wasmtime")
    assert run(["rules", "compile", ADDRESS, "-o", "gamepark.wasm"]) == 0
    assert printed_by(sys.executable, "judge.py") == block("judge.py")[1] != ""


def test_every_program_of_the_page_is_run() -> None:
    assert set(re.findall(r"^```(?:js|python)(.*)$", PAGE, re.MULTILINE)) == {
        f" file={name}" for name in ("judge.mjs", "judge.py", "play.mjs")
    }
    assert len(block("judge.mjs")[0].splitlines()) <= 50


# ---- the page says what is so ----------------------------------------------------------------------------------------


def rows(heading: str, number: int = 0) -> list[list[str]]:
    """The rows of a table below a heading, as cells."""
    text = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    tables = re.findall(r"^\|[- |]+\|\n((?:^\|.*\|\n)+)", text, re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in tables[number].splitlines()]


def test_the_page_names_every_export_with_its_arguments() -> None:
    wasmtime = pytest.importorskip("wasmtime")
    engine = wasmtime.Engine()
    module = wasmtime.Module(engine, compile_kernel(book("pierre_papier_morpion").game.ruleset).wasm)
    assert list(module.imports) == []
    exports = {e.name: e.type for e in module.exports}
    memory = exports.pop("memory")
    assert isinstance(memory, wasmtime.MemoryType)
    documented = {name.strip("`"): (arguments.split(","), result) for name, arguments, result in rows("Functions")}
    assert set(documented) == set(exports)
    for name, type_ in exports.items():
        arguments, result = documented[name]
        wide = ["i64" if argument.strip() == "seed" else "i32" for argument in arguments if argument.strip()]
        assert [str(kind) for kind in type_.params] == wide, name
        assert len(type_.results) == (not result.startswith("none")), name


def test_the_page_names_every_key_of_the_section() -> None:
    wasm = compile_kernel(book(ADDRESS).game.ruleset).wasm
    start = wasm.rindex(SECTION.encode() + b"{") + len(SECTION)
    keys = list(json.loads(wasm[start:]))
    named = [key for names, _ in rows("The custom section") for key in re.findall(r"`(\w+)`", names)]
    assert sorted(named) == sorted(keys)
    assert f"everything on this page: {INTERFACE} |" in PAGE


def test_the_page_has_the_words_of_answers() -> None:
    answer, table = Answer(4, 2, 3), rows("Answers")
    places = {row[1]: row[0] for row in table}
    for name in (
        "VERDICT",
        "CODE",
        "RULE",
        "TURN",
        "ACTION",
        "TURNS",
        "ACTIONS",
        "OVER",
        "ENDING",
        "PLAYERS",
        "BEFORE",
        "TOTALS",
    ):
        assert places[name.lower()] == str(getattr(answer, name)), name
    assert places["its turn"] == str(answer.ENDING_TURN)
    assert places["names"] == f"{answer.NAMES}, {answer.NAMES_END}"
    assert places["id"] == f"{answer.ID}, {answer.ID_END}"
    assert table[0][2] == f"{CLEAN} clean, {REFUSED} refused, {NOT_MINE} not mine"
    assert f"{answer.TOTALS} + `players` × (1 + the number of `lines`) + `players` + 1 + 2 × `goals` words" in PAGE
    assert answer.size == 16 + 4 * (1 + 2) + 4 + 1 + 2 * 3
    for name, value in re.findall(r"\b([A-Z]+) = (\d+)[,;]", block("judge.mjs")[0]):
        known = {"CLEAN": CLEAN, "REFUSED": REFUSED}
        assert int(value) == (known[name] if name in known else getattr(answer, name)), name


def test_the_page_has_the_numbers_of_packed_records_and_of_the_limits() -> None:
    assert [row[0] for row in rows("Games at random")] == [str(FAILED), str(NO_SETUP), str(ENDLESS)]
    assert [HAS_RESULT, HAS_SCORES, HAS_PARTS, HAS_RANKING, HAS_STOPPED] == [1, 2, 4, 8, 16]
    assert "1 the rules ended the game, 16 the players stopped it, 2 scores, 4 score lines, 8 a ranking" in PAGE
    assert ", ".join(f"{number} {word}" for number, word in enumerate(STOPPED)) in PAGE
    assert PAGE.count(str(NONE)) == 4
    limits = PAGE.split("\n## Limits\n")[1].replace(" 456", "456").replace("268 ", "268")
    for number in (MAX_NUMBER, MAX_MEMORY >> 20, MAX_LIST):
        assert re.search(rf"\b{number}\b", limits), number
