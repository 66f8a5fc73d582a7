"""`--quiet` leaves out notes and progress and nothing else: every command, in every format, gives the same data."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pwtool.cli.app import app, run
from pwtool.cli.groups import cache_app, rules_app
from tests.cli.test_terminal import command_names
from tests.daily import one_day_in, some
from tests.support import few_or_many, random_game

ROOT = Path(__file__).resolve().parents[2]
GAMEPARK = str(min((ROOT / "tests" / "games" / "data" / "gamepark").glob("*/*.json")))
RULES = 'edition house of nim "House rules"\n\n'
SETTINGS = '[ignore]\n"ill*.json" = ["place.inside_3x3"]\n'
CHECKED = (
    ["clean.json"], ["clean.json", "illegal.json", "unseen.json", "final.json"], ["illegal.json"], ["games.jsonl"], ["missing.json"],
    ["clean.json", "missing.json", "--only", "clean"], ["games.jsonl", "--statistics"], ["games.jsonl", "--only", "refused"],
    ["clean.json", "--rules", "paper_world/en", "--rules", "paper_world/fr"], ["illegal.json", "--baseline", "known.json"],
    ["games.jsonl", "--limit", "3", "-o", "out"], ["games.jsonl", "--report", "json=r.json", "--report", "html=r.html"],
    ["illegal.json", "games.jsonl", "--results", "r.jsonl"],
)  # fmt: skip
LINES: dict[tuple[str, ...], tuple[list[str], ...]] = {
    ("check",): tuple([*words, "--no-causes", "--jobs", "1"] for words in CHECKED),
    ("which",): (["clean.json", "--rules", "paper_world/en"], ["games.jsonl:1", "--rules", "nim"]),
    ("learn",): (["clean.json", "--of", "paper_world/gamepark", "--quick"], ["missing.json"], ["clean.json", "--of", "nim", "-o", "a.rules"]),
    ("replay",): (["clean.json"], ["illegal.json"], ["clean.json", "--at", "3"], ["clean.json", "-o", "out"]),
    ("legal",): (["clean.json", "--at", "3"], ["illegal.json"]),
    ("score",): (["clean.json"], ["illegal.json"]),
    ("render",): (["clean.json"], ["two_5s", "--rules", "paper_world/en"]),
    ("convert",): (["clean.json", "-o", "a.pwn"], ["games.jsonl", "-o", "-", "--to", "jsonl"], ["missing.json", "-o", "a.pwn"]),
    ("pack",): (["games.jsonl", "-o", "a.parquet"],),
    ("import",): (["gamepark", GAMEPARK, "-o", "a.json"], ["gamepark", GAMEPARK, "clean.json", "-o", "a.jsonl"]),
    ("report",): (["rows.jsonl"], ["rows.jsonl", "-o", "a.html"]),
    ("schema",): (["nim"],),
    ("play",): (["nim", "--seed", "1"], ["nim", "--seed", "1", "--games", "3"], ["nim", "--seed", "1", "-o", "a.json"]),
    ("simulate",): (["nim", "--seed", "1", "--games", "3"], ["nim", "nim", "--seed", "1", "--games", "3"]),
    ("lint",): (["house.rules"], ["nim"], ["missing.rules"], ["bad.rules"]),
    ("test",): (["house.rules"], ["missing.rules"]),
    ("fmt",): (["ugly.rules", "--check"], ["ugly.rules", "--diff"], ["ugly.rules"], ["house.rules"], ["missing.rules"]),
    ("new",): (["game", "mine"], ["game", "mine", "-o", "-"]),
    ("analyze",): (["paper_world/en:two_5s"],),
    ("match",): (["two_5s", "clean.json"],),
    ("compare",): (
        ["nim", "nim", "--effort", "0"], ["nim", "house.rules", "--effort", "0", "--sheet"], ["nim", "nim", "house.rules"],
        ["nim", "house.rules", "--effort", "0", "--games", "clean.json"],
    ),
    ("explain",): (["PW601"], ["place.inside_3x3", "--rules", "paper_world"]),
    ("rules", "show"): (["nim"],),
    ("rules", "compile"): (["nim", "-o", "a.wasm"],),
    ("cache", "path"): ([],),
}  # fmt: skip
# They read all rulesets, serve, or empty a shared folder; the first differs from others in nothing that `-q` touches.
APART = {("rules",), ("rules", "list"), ("cache", "clear"), ("cache",), ("lsp",), ("studio",), ("help",)}


def choices(kind: object) -> list[str]:
    """The choices in the type of an option, however it is wrapped."""
    inner = getattr(kind, "__args__", ())
    return [found for part in inner for found in ([part] if isinstance(part, str) else choices(part))]


def formats(command: tuple[str, ...]) -> list[list[str]]:
    """Each format of a command, as options."""
    group = {"rules": rules_app, "cache": cache_app}.get(command[0], app)
    named = {
        (known.name or getattr(known.callback, "__name__", "")): known.callback for known in group.registered_commands
    }
    kind = getattr(named[command[-1]], "__annotations__", {}).get("format")
    return [["--format", choice] for choice in choices(kind)] or [[]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that commands are given, made once."""
    folder = tmp_path_factory.mktemp("made")
    for name in ("records/clean", "records/illegal", "records/unseen", "states/final"):
        shutil.copy(ROOT / "examples" / f"{name}.json", folder)
    games = [json.dumps(random_game("paper_world/gamepark", 2, seed)[0]) for seed in range(4)]
    (folder / "games.jsonl").write_text(
        "\n".join([*games, games[0].replace('"take"', '"tale"', 1), "{"]) + "\n", "utf-8"
    )
    (folder / "house.rules").write_text(RULES, "utf-8")
    (folder / "ugly.rules").write_text(RULES.replace("of nim", "of   nim"), "utf-8")
    (folder / "bad.rules").write_text("edition house of nowhere\n", "utf-8")
    with pytest.MonkeyPatch.context() as there:
        there.chdir(folder)
        there.setenv("LANG", "C")
        run(["check", "illegal.json", "--write-baseline", "known.json"])
        run(["check", "games.jsonl", "--results", "rows.jsonl"])
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANG", "C")
    return tmp_path


def ran(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, dict[str, bytes], list[str]]:
    """What a command gives: its exit code, what it prints, the files that it changes (which are put back), and the
    lines of standard error.
    """
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    capsys.readouterr()
    code = run(words)
    told = capsys.readouterr()
    files = {}
    for path in [path for path in Path().rglob("*") if path.is_file()]:
        content = path.read_bytes()
        if before.get(path) != content:
            files[str(path)] = content
            path.write_bytes(before[path]) if path in before else path.unlink()
    return code, told.out, files, told.err.splitlines()


def test_all_commands_are_here() -> None:
    assert {tuple(command) for command in command_names()} - APART == set(LINES)


@pytest.mark.parametrize("every", few_or_many(False, True), ids=["some", "every"])
@pytest.mark.parametrize("command", some([pytest.param(words) for words in LINES], 3), ids=" ".join)
def test_quiet_changes_no_data(
    every: bool, command: tuple[str, ...], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command line in every format; every day the first line in every format, and the others in one of them."""
    given, forms = False, formats(command)
    for number, arguments in enumerate(LINES[command]):
        for form in forms if every or number == 0 else [forms[number % len(forms)]]:
            words = [*command, *arguments, *form]
            code, out, files, error = ran(words, capsys)
            quiet = ran([*words, "-q"], capsys)
            assert quiet[0] == code, words
            assert quiet[1] == out, words
            assert quiet[2] == files, words
            assert set(quiet[3]) <= set(error), words
            given = given or bool(out or files)
    assert given


@one_day_in(8)
@pytest.mark.parametrize("form", formats(("check",)), ids=lambda form: form[1])
def test_settings_do_not_leave_out_anything_in_silence(
    form: list[str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the settings or a baseline leave out changes the verdict, and whoever reads the verdict learns it."""
    (here / "pwtool.toml").write_text(SETTINGS, "utf-8")
    for words, told in (
        (["-q"], "ignored, as `pwtool.toml` says"),
        (["-q", "--baseline", "known.json", "--no-config"], "in the baseline"),
    ):
        assert run(["check", "illegal.json", *form, *words]) == 0
        assert told in capsys.readouterr().err
