"""The command line as a whole: options that mean the same everywhere, examples, completion, slips."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pwtool
from pwtool import __version__
from pwtool.cli.app import run
from pwtool.cli.example_lines import examples
from tests.cli.test_terminal import command_names
from tests.daily import one_day_in

ROOT = Path(__file__).resolve().parents[2]
CLEAN, ILLEGAL = (str(ROOT / "examples" / "records" / f"{name}.json") for name in ("clean", "illegal"))
LINES = (ROOT / "docs" / "commands.txt").read_text("utf-8").splitlines()
OBJECTIVE = (
    'objective twins "Twins" = some [ # # ] turned: same value\nexample twins {\n  yes [ Y1 B1 ]\n  no [ Y1 B2 ]\n}\n'
)
HOUSE = """edition ours of paper_world/en "Ours"
change ending exhausted "Three piles or fewer are left at the end of a turn" see the_end
  when count (p in supply: p is not empty) <= 3
  then 1 more turn each
  because "a short evening"
"""
Words = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANG", "C")
    return tmp_path


# ---- examples --------------------------------------------------------------------------------------------------------


@pytest.fixture
def workplace(here: Path) -> Path:
    """All files that the examples name."""
    shutil.copy(CLEAN, here / "game.json")
    (here / "games").mkdir()
    assert run(["new", "objective", "twins", "--of", "paper_world/en", "-o", "my.rules"]) == 0
    assert run(["play", "nim", "--games", "20", "--seed", "1", "-o", "archive.jsonl.zst"]) == 0
    assert run(["check", "archive.jsonl.zst", "--results", "results.parquet"]) == 0
    return here


@pytest.mark.slow
def test_every_example_runs(workplace: Path, capfd: pytest.CaptureFixture[str]) -> None:
    # No known edition accepts them: `learn` writes one.
    house = workplace / "ours.rules"
    house.write_text(HOUSE, "utf-8")
    records = [
        {name: held for name, held in game.items() if name != "version"} | {"ruleset": "paper_world/en"}
        for game in pwtool.load(house).play_many(5, seed=1)
    ]
    for number, record in enumerate(records):
        (workplace / "games" / f"{number}.json").write_text(json.dumps(record), "utf-8")
    # What `import` would make of them.
    (workplace / "games.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    for line in LINES:
        words = shlex.split(line)[1:]
        if words[:1] == ["import"]:
            # Its files are those of another program.
            continue
        if "--person" in words or words in (["cache", "clear"], ["lsp"]) or words[:1] == ["studio"]:
            continue
        made = [words[at + 1] for at, word in enumerate(words) if word in ("-o", "--witness")]
        if "--results" in words:
            (workplace / "results.parquet").unlink()
        if "--games" in words and "100000" in words:
            words[words.index("100000")] = "100"
        capfd.readouterr()
        assert run(words) in (0, 1), (line, capfd.readouterr().err)
        assert "Usage" not in capfd.readouterr().err
        assert all((workplace / name).exists() for name in made), line


def test_every_command_has_an_example_in_its_help(capsys: Words) -> None:
    from pwtool.cli.app import app
    from pwtool.cli.groups import cache_app, rules_app

    names = [c.name or c.callback.__name__ for c in app.registered_commands if c.callback]
    names += [f"rules {c.name or c.callback.__name__}" for c in rules_app.registered_commands if c.callback]
    names += [f"cache {c.name or c.callback.__name__}" for c in cache_app.registered_commands if c.callback]
    assert len(names) > 24
    for name in names:
        assert examples(name), name
    known = {line for name in names for line in examples(name)}
    assert known == set(LINES)
    assert run(["score", "--help"]) == 0
    told = capsys.readouterr().out
    assert "Examples" in told and "pwtool score game.json" in told and "--as-printed" in told


# ---- options that all have -------------------------------------------------------------------------------------------


def test_version_and_help(capsys: Words) -> None:
    for word in ("-V", "--version"):
        assert run([word]) == 0 and capsys.readouterr().out == f"pwtool {__version__}\n"
    assert run(["score", "--help"]) == 0
    asked = capsys.readouterr().out
    assert run(["help", "score"]) == 0 and capsys.readouterr().out == asked
    assert run(["help", "rules", "show"]) == 0 and "--html" in capsys.readouterr().out
    assert run(["help"]) == 0 and "check" in capsys.readouterr().out
    assert run(["help", "nothing"]) == 2


@one_day_in(8)
@pytest.mark.parametrize(
    "words",
    [["score", CLEAN], ["legal", CLEAN, "--at", "3"], ["rules"], ["rules", "list"], ["rules", "show", "nim"], ["which", CLEAN],
     ["check", CLEAN], ["lint", "nim"], ["test", "nim"], ["explain", "PW601"], ["explain", "turn.must_take"],
     ["match", "corners_value", "[ Y1 ]"]],
    ids=lambda words: " ".join(words[:2]),
)  # fmt: skip
def test_json_in_both_spellings(words: list[str], capsys: Words) -> None:
    code = run([*words, "--json"])
    short = capsys.readouterr().out
    json.loads(short)
    assert run([*words, "--format", "json"]) == code and capsys.readouterr().out == short
    assert run([*words, "--format", "nothing"]) == 2
    assert "cannot be `nothing`" in capsys.readouterr().err


@one_day_in(8)
@pytest.mark.parametrize("command", list(command_names()), ids=" ".join)
def test_every_command_has_what_all_have(command: tuple[str, ...], capsys: Words) -> None:
    for option in ("--quiet", "--color", "--lang"):
        assert run([*command, option, "auto", "--help"]) == 0, option
    assert "there is no option" not in capsys.readouterr().err


def test_the_language_is_known_in_every_command(capsys: Words) -> None:
    for words, told in (
        (["convert", "no.json", "--to", "json", "-o", "-"], "ce fichier n'existe pas"),
        (["import", "gamepark", "no.json", "-o", "-"], "ce fichier n'existe pas"),
        (["check", "no.json"], "ce fichier n'existe pas"),
    ):
        for lang in ("fr", "fr-CA", "FR_CA.UTF-8"):
            assert run([*words, "--lang", lang]) == 2
            said = capsys.readouterr()
            assert told in said.out + said.err
        assert run([*words, "--lang", "xx"]) == 2 and "there are no texts in `xx`" in capsys.readouterr().err
    for words in (["list"], []):
        assert run(["rules", "--lang", "fr", *words]) == 0
        assert "Paper World, livret anglais" in capsys.readouterr().out


def test_two_formats_are_one_too_many(capsys: Words) -> None:
    assert run(["check", CLEAN, "--json", "--format", "sarif"]) == 2
    assert "--json and --format sarif cannot be combined" in capsys.readouterr().err


def test_the_language_may_stand_before_the_command(capsys: Words) -> None:
    assert run(["--lang", "fr", "check", ILLEGAL]) == 1
    before = capsys.readouterr().out
    assert run(["check", ILLEGAL, "--lang", "fr"]) == 1 and capsys.readouterr().out == before
    assert run(["--lang", "fr", "check", ILLEGAL, "--lang", "de"]) == 1
    behind = capsys.readouterr().out
    assert run(["check", ILLEGAL]) == 1 and capsys.readouterr().out not in (before, behind)
    assert before != behind


def test_color_is_asked_for_or_forbidden(capsys: Words, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(["check", ILLEGAL]) == 1 and "\x1b" not in capsys.readouterr().out
    assert run(["check", ILLEGAL, "--color", "always"]) == 1 and "\x1b[" in capsys.readouterr().out
    assert run(["--color", "always", "check", ILLEGAL]) == 1 and "\x1b[" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    assert run(["check", ILLEGAL, "--color", "always"]) == 1 and "\x1b[" in capsys.readouterr().out
    assert run(["explain", "PW601", "--color", "always"]) == 0 and "\x1b[1;4m" in capsys.readouterr().out
    assert run(["explain", "PW601"]) == 0 and "\x1b" not in capsys.readouterr().out
    assert run(["check", ILLEGAL, "--color", "blue"]) == 2


def test_quiet_says_only_what_was_asked_for(capsys: Words) -> None:
    assert run(["convert", CLEAN, "-o", "a.pwn"]) == 0
    assert "1 converted" in capsys.readouterr().err
    assert run(["convert", CLEAN, "-o", "a.pwn", "--force", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    assert run(["-q", "play", "nim", "--seed", "1", "-o", "b.json"]) == 0 and capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    "words",
    [["convert", CLEAN, "--to", "json"], ["play", "nim", "--seed", "1"], ["play", "nim", "--seed", "1", "--games", "3"],
     ["schema", "nim"], ["rules", "show", "nim"], ["rules", "show", "paper_world/en", "--html"], ["render", CLEAN],
     ["compare", "nim", "nim", "--effort", "0"], ["new", "game", "mine"]],
    ids=lambda words: " ".join(w for w in words if w != CLEAN),
)  # fmt: skip
def test_a_hyphen_is_standard_output(words: list[str], here: Path, capsys: Words) -> None:
    assert run([*words, "-o", "-"]) == 0
    told = capsys.readouterr()
    assert len(told.out) > 20
    assert list(here.iterdir()) == []
    file = {"render": "x.svg", "new": "x.rules", "convert": "x.json"}.get(
        words[0], "x.jsonl" if "--games" in words else "x.json" if words[0] in ("play", "schema") else "x.txt"
    )
    assert run([*words, "-o", file]) == 0
    assert Path(file).read_text("utf-8").replace(file, "-").split() == told.out.split()
    assert run([*words, "-o", file]) == 2 and "--force" in capsys.readouterr().err


def test_packed_records_go_to_standard_output_too() -> None:
    pytest.importorskip("pyarrow")
    command = [sys.executable, "-m", "pwtool", "pack", CLEAN, "-o", "-"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=120)
    Path("x.parquet").write_bytes(done.stdout)
    assert done.stdout[:4] == b"PAR1" and b"1 packed" in done.stderr
    assert run(["check", "x.parquet"]) == 0


# ---- names -----------------------------------------------------------------------------------------------------------


def test_names_with_their_ruleset(capsys: Words) -> None:
    Path("mine.rules").write_text(f'edition mine of paper_world "Mine"\n{OBJECTIVE}')
    for name in ("paper_world/en:corners_value", "paper_world:corners_value"):
        assert run(["match", name, "[ Y1 ]"]) == 1 and run(["render", name]) == 0
    assert run(["match", "mine.rules:twins", "[ Y1 B1 ]"]) == 0 and run(["render", "mine.rules:twins"]) == 0
    assert run(["explain", "paper_world/fr:turn.must_take"]) == 0
    assert "paper_world/fr" in capsys.readouterr().out
    for command in (["match", "paper_world:x", "[ Y1 ]"], ["render", "paper_world:x"], ["explain", "paper_world:x"]):
        assert run([*command, "--rules", "nim"]) == 2
        assert "already names its ruleset" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["rules", "fr"], "did you mean `paper_world/fr`?"),
        (["compare", "exactly_five", "gomoku"], "did you mean `gomoku+exactly_five`?"),
        (["check", CLEAN, "--rules", "de+advanced"], "did you mean `paper_world/de+advanced`?"),
        (["match", "[ Y1 ]", "corners_value"], "the objective comes first"),
        (["match", CLEAN, "corners_value"], "the objective comes first"),
        (["check", "a.rules"], "this is a rules file, not a record"),
        (["chekc", CLEAN], "did you mean"),
        (["check", CLEAN, "-f", "sarf"], "did you mean `sarif`?"),
        (["play", "nim", "--policy", "rando"], "did you mean `random`?"),
        (["new", "gam", "x"], "did you mean `game`?"),
        (["convert", CLEAN, "-o", "x", "--to", "pwm"], "did you mean `pwn`?"),
    ],
    ids=lambda given: " ".join(given[:2]) if isinstance(given, list) else "",
)
def test_slips_are_understood(words: list[str], told: str, capsys: Words) -> None:
    Path("a.rules").write_text('game a "A"\n')
    assert run(words) == 2
    said = capsys.readouterr()
    assert told in said.out + said.err


def test_a_ruleset_is_shown_without_a_word_for_it(capsys: Words) -> None:
    assert run(["rules", "show", "nim"]) == 0
    shown = capsys.readouterr().out
    assert run(["rules", "nim"]) == 0 and capsys.readouterr().out == shown


def test_a_format_before_the_second_word_is_not_passed_over(capsys: Words) -> None:
    for words in (["--json", "list"], ["--format", "json", "show", "nim"], ["--json", "nim"]):
        assert run(["rules", *words]) == 2
        told = capsys.readouterr()
        assert told.out == "" and "move `--format json` to the end" in told.err


# ---- illegal records -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", [["score"], ["legal"], ["render"], ["replay"], ["score", "--json"], ["legal", "--json"]]
)
def test_an_illegal_record_is_treated_alike(command: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    """The valid part on standard output, the first error at its turn, and exit code 1."""
    assert run([command[0], ILLEGAL, *command[1:]]) == 1
    told = capfd.readouterr()
    assert "place.inside_3x3" in told.out + told.err and "turn 23" in told.out + told.err
    assert len(told.out) > 100
    if "--json" in command:
        json.loads(told.out)
    cut = json.loads(Path(ILLEGAL).read_text("utf-8"))
    cut["turns"] = cut["turns"][:22]
    cut.pop("result", None)
    Path("cut.json").write_text(json.dumps(cut))
    if command[0] in ("score", "legal"):
        # What is shown is the position in which the first error was made.
        assert run([command[0], "cut.json", *command[1:]]) == 0
        kept = [line for line in told.out.splitlines() if "as it stands" not in line]
        assert kept == [line for line in capfd.readouterr().out.splitlines() if "as it stands" not in line]


# ---- a reader that has gone ------------------------------------------------------------------------------------------


@one_day_in(8)
@pytest.mark.parametrize(("file", "code"), [(CLEAN, 0), (ILLEGAL, 1)])
@pytest.mark.parametrize("reader", ["head -c 1", "grep -q e", "true"])
def test_a_closed_pipe_keeps_the_code(file: str, code: int, reader: str) -> None:
    if shutil.which("bash") is None:
        pytest.skip("no bash here")
    line = f'{shlex.quote(sys.executable)} -m pwtool check {shlex.quote(file)} --format json | {reader} >/dev/null; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, timeout=120)
    assert (done.stdout, done.stderr) == (f"{code}\n", "")


@one_day_in(8)
@pytest.mark.parametrize("words", [["pack", CLEAN], ["rules", "compile", "nim"]], ids=lambda words: words[0])
def test_bytes_end_with_their_reader(words: list[str]) -> None:
    if shutil.which("bash") is None:
        pytest.skip("no bash here")
    line = f'{shlex.join([sys.executable, "-m", "pwtool", *words])} -o - -q | true; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, timeout=120)
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_endless_output_ends_with_its_reader() -> None:
    if shutil.which("bash") is None:
        pytest.skip("no bash here")
    line = (
        f'{shlex.quote(sys.executable)} -m pwtool play nim --games 1000000 | head -2 | wc -l; echo "${{PIPESTATUS[0]}}"'
    )
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, timeout=120)
    assert (done.stdout.split(), done.stderr) == (["2", "0"], "")


def test_what_no_edition_has_is_told_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    """An address that does not load is one that an edition says it has not, never one of layers that do not fit."""
    assert run(["rules"]) == 0
    rows = [line.split(None, 2) for line in capsys.readouterr().out.splitlines()]
    missing = [row for row in rows if row[1] == "-"]
    assert missing and all("has no variant" in why for _, _, why in missing), missing


@pytest.mark.parametrize(
    ("board", "code"),
    [("[ ]", 1), ("[ . ]", 1), ("[ . . / . . ]", 1), ("[ . . / . ]", 2), ("[ . . . . ]", 2), ("[ . Y1 / . B2 ]", 1)],
)
def test_a_board_may_be_empty(board: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["match", "paper_world/en:row_of_3s", board]) == code
    assert ("is not fulfilled" in capsys.readouterr().out) == (code == 1)


def test_legal_says_that_unseen_things_may_decide(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seen, unseen = tmp_path / "seen.json", tmp_path / "unseen.json"
    assert run(["play", "crazy_eights", "--seed", "1", "-o", str(seen), "-q"]) == 0
    record = json.loads(seen.read_text("utf-8"))
    record = {**record, "turns": [], "result": None}
    del record["result"]
    seen.write_text(json.dumps(record), "utf-8")
    record["setup"]["hand"] = {name: ["?" for _ in cards] for name, cards in record["setup"]["hand"].items()}
    unseen.write_text(json.dumps(record), "utf-8")
    capsys.readouterr()
    for path, is_unseen in ((seen, False), (unseen, True)):
        assert run(["legal", str(path)]) == 0
        assert ("some things are unseen" in capsys.readouterr().err) is is_unseen
        assert run(["legal", str(path), "-f", "json"]) == 0
        assert json.loads(capsys.readouterr().out)["unseen"] is is_unseen


def test_a_rules_file_stands_for_its_only_objective(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "one.rules"
    path.write_text('edition one of paper_world/en "One"\nobjective flat "Flat" = some pile: value == 5\n', "utf-8")
    assert run(["match", str(path), "[ Y5 B3 / . G2 ]"]) == 0
    assert capsys.readouterr().out.startswith("flat is fulfilled")
    monkeypatch.chdir(tmp_path)
    for name in ("one.rules", "./one.rules", f"../{tmp_path.name}/one.rules"):
        assert run(["match", name, "[ Y5 B3 / . G2 ]"]) == 0
        assert capsys.readouterr().out.startswith("flat is fulfilled")
    with path.open("a", encoding="utf-8") as file:
        file.write('objective four "Four" = some pile: value == 4\n')
    assert run(["match", str(path), "[ Y5 B3 / . G2 ]"]) == 2
    assert f"name one: `{path}:flat` or `{path}:four`" in capsys.readouterr().err
    path.write_text('edition one of paper_world/en "One"\n', "utf-8")
    assert run(["match", str(path), "[ Y5 ]"]) == 2
    assert "declares no objective" in capsys.readouterr().err
