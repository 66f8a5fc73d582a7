"""Whatever a file holds: a clear finding, an exit code, no traceback, nothing executed, nothing read that was not named."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pwtool.checking.documents import check_loaded, load_document
from pwtool.checking.report import FileResult
from pwtool.cli.app import run
from pwtool.lang.parser import parse_rules
from pwtool.records.inputs import Document
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.text.source import SourceFile
from tests.daily import one_day_in, some, times
from tests.kernel.written import foreign_words
from tests.support import ruleset_store

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "examples" / "records" / "clean.json").read_text("utf-8")
STATE = (ROOT / "examples" / "states" / "final.json").read_text("utf-8")
ODD: list[Any] = [None, True, 3.5, -1, 10**18, "", "x" * 300, "\x1b[31m\n", [], {}, [[]], {"": None}]


def verdict(text: str) -> str:
    """The verdict on a document's text; anything raised is a failure."""
    loaded = load_document(Document("odd.json", SourceFile("odd.json", text)))
    result = loaded if isinstance(loaded, FileResult) else check_loaded(loaded, ruleset_store(), None, "en")
    assert all(d.message for d in result.diagnostics)
    return result.verdict.value


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [at] if at else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found += places(item, (*at, key))
    return found


def replaced(data: Any, place: tuple[Any, ...], new: Any) -> Any:
    damaged = copy.deepcopy(data)
    at = damaged
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = new
    return damaged


@pytest.mark.parametrize("text", [TEXT, STATE], ids=["record", "state"])
def test_a_cut_off_file_is_unreadable(text: str) -> None:
    for at in range(0, len(text.rstrip()) - 1, 97):
        assert verdict(text[:at]) == "unreadable"


@pytest.mark.parametrize(("text", "every"), some([(TEXT, 7), (STATE, 2)], 1), ids=["record", "state"])
def test_a_wrong_value_anywhere_is_no_crash(text: str, every: int) -> None:
    data = json.loads(text)
    rng = random.Random(1)
    tried = 0
    for place in places(data)[::every]:
        for odd in rng.sample(ODD, 3):
            result = verdict(json.dumps(replaced(data, place, odd)))
            assert result in ("unreadable", "findings", "clean", "undetermined")
            tried += 1
    assert tried > 100


@pytest.mark.parametrize(
    "place", [("players",), ("setup",), ("turns",), ("setup", "supply"), ("turns", 0), ("turns", 0, "actions", 0)]
)
def test_a_wrong_type_at_an_important_place_is_unreadable(place: tuple[Any, ...]) -> None:
    for odd in (None, 3, "x", True):
        assert verdict(json.dumps(replaced(json.loads(TEXT), place, odd))) == "unreadable"


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, len(TEXT) - 1), st.integers(0, 6), st.text(max_size=6))
def test_random_damage_to_a_record_never_crashes(at: int, cut: int, inserted: str) -> None:
    verdict(TEXT[:at] + inserted + TEXT[at + cut :])


@one_day_in(8)
def test_files_that_are_no_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as archive:
        for number in range(10_000):
            archive.writestr(f"{number}.json", "{}")
    (tmp_path / "huge.json").touch()
    with (tmp_path / "huge.json").open("r+b") as stream:
        stream.truncate(100 << 20)
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "deeper.json").write_text('{"format":"pwtool/1","meta":' + '{"a":' * 5000 + "1" + "}" * 5001)
    (tmp_path / "nan.json").write_text('{"format": NaN}')
    (tmp_path / "latin.json").write_bytes(b'{"players": ["Andr\xe9"]}')
    (tmp_path / "list.json").write_text("[1, 2]")
    (tmp_path / "empty.json").write_text("")
    (tmp_path / "null.json").write_text("null")
    (tmp_path / "twice.json").write_text('{"format": "pwtool/1", "format": "pwtool/1"}')
    (tmp_path / "long.jsonl").write_text("{" + " " * (17 << 20) + "}\n")
    (tmp_path / "none").mkdir()
    (tmp_path / "loop").mkdir()
    (tmp_path / "loop" / "self").symlink_to(tmp_path / "loop")
    for path in sorted(tmp_path.iterdir()):
        assert run(["check", str(path)]) == 2, path
        shown = capsys.readouterr()
        assert shown.out.startswith("error[PW70"), path
        assert "Traceback" not in shown.err + shown.out
        assert run(["import", "gamepark", str(path), "-o", str(tmp_path / "never.json")]) == 2
        assert not (tmp_path / "never.json").exists()
        capsys.readouterr()


def test_no_text_of_a_record_reaches_the_terminal_raw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(TEXT)
    old, evil = data["players"][0], "\x1b[31mAna\x07\n::error::x"
    text = json.dumps(data).replace(json.dumps(old), json.dumps(evil))
    (tmp_path / "evil.json").write_text(text)
    for command in (
        ["check"],
        ["check", "-f", "concise"],
        ["check", "-f", "github"],
        ["check", "-f", "markdown"],
        ["replay"],
        ["score"],
        ["legal"],
    ):
        run([*command, str(tmp_path / "evil.json")])
        assert "\x1b" not in capsys.readouterr().out, command


HOSTILE_RULES = {
    "deep": "define a = " + "(" * 5000 + "1" + ")" * 5000,
    "sum": 'score s "x" = ' + " + ".join(["1"] * 10_000),
    "and": "objective s = " + " and ".join(["count card == 9"] * 5000),
    "not": "objective s = " + "not " * 5000 + "count card == 9",
    "digits": "define a = " + "9" * 10_000,
    "range": 'rule turn.q "x" require every a in 1..999999999: a > 0',
    "ranges": 'rule turn.q "x" require every a in 1..900: every b in 1..900: every c in 1..900: a + b + c > 0',
    "repeat": "change turn = (take | (place grab?)+ | pass){1000000} trim*",
    "repeats": "change turn = ((((take{200}){200}){200}){200} | pass) trim*",
    "faces": "component c { a: 1..99999 b: 1..99999 }",
    "cards": "deck d of card = { 999999999 Y1 }",
    "grid": "zone z: grid 99999x99999 of card",
    "picture": "objective s = some [ " + " / ".join(["# " * 1000] * 100) + "]: same color",
    "define": "define a = b  define b = a  objective s = a",
    "text": 'rule turn.q "never closed require true',
    "quantifiers": "define a = " + "every x in grid: " * 500 + "true",
    "choices": "define a = " + "if started then 1 else " * 2_000 + "0",
    "include": "include nothing_like_this",
    "include_path": 'include "../../../etc/passwd"',
    "part": "include objectives\ninclude fr",
    "base": "ambiguity x",
}


@pytest.mark.parametrize("name", HOSTILE_RULES)
def test_a_hostile_ruleset_is_refused_with_a_finding(name: str, tmp_path: Path) -> None:
    path = tmp_path / "house.rules"
    path.write_text(f'edition house of paper_world/en "x"\n{HOSTILE_RULES[name]}\n')
    result = load_ruleset(str(path), Library())
    assert result.value is None and result.diagnostics
    assert all(d.code.startswith("PW") and d.code != "PW901" for d in result.diagnostics)


def test_rules_files_that_are_too_large_or_no_text(tmp_path: Path) -> None:
    path = tmp_path / "house.rules"
    for data, code in (
        (b"# x\n" * 3_000_000, "PW103"),
        (b"game \xff", "PW104"),
        (b"", "PW101"),
        (b"\0" * 100, "PW101"),
    ):
        path.write_bytes(data)
        result = load_ruleset(str(path), Library())
        assert result.value is None and [d.code for d in result.diagnostics] == [code]


def test_rulesets_that_build_on_each_other(tmp_path: Path) -> None:
    game = tmp_path / "g"
    game.mkdir()
    (game / "game.rules").write_text('game g "G"')
    (game / "one.rules").write_text('edition one of g/two "1"')
    (game / "two.rules").write_text('edition two of g/one "2"')
    (game / "own.rules").write_text('edition own of g/own "0"')
    for name in ("one", "two", "own"):
        result = load_ruleset(f"g/{name}", Library(folder=tmp_path))
        assert [d.code for d in result.diagnostics] == ["PW206"]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=200))
def test_random_text_never_crashes_the_parser(text: str) -> None:
    result = parse_rules(SourceFile("x.rules", text))
    assert result.value is None or not result.diagnostics
    parse_rules(SourceFile("x.rules", 'game g "G"\n' + text))


GAME = (ROOT / "rulesets" / "paper_world" / "game.rules").read_text("utf-8")


@one_day_in(4)
@settings(max_examples=times(20, 60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.integers(0, len(GAME) - 1),
    st.integers(0, 8),
    st.sampled_from(["", " ", "(", "}", "Y", "require", "0", ":", "[ # ]", "not"]),
)
def test_a_damaged_ruleset_never_crashes_the_checker(
    tmp_path_factory: pytest.TempPathFactory, at: int, cut: int, inserted: str
) -> None:
    folder = tmp_path_factory.mktemp("r") / "paper_world"
    folder.mkdir()
    for path in (ROOT / "rulesets" / "paper_world").glob("*.rules"):
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "game.rules").write_text(GAME[:at] + inserted + GAME[at + cut :], "utf-8")
    result = load_ruleset("paper_world", Library(folder=folder.parent))
    assert result.value is not None or result.diagnostics


@one_day_in(8)
def test_nothing_is_executed_and_nothing_else_is_read(tmp_path: Path) -> None:
    """An audit hook watches a whole check: no process, no socket, no code made of a word in a file, not a file outside of
    the named folders.
    """
    (tmp_path / "game.json").write_text(TEXT)
    (tmp_path / "house.rules").write_text(
        'edition house of paper_world/en "x"\nchange rule turn.hand_limit "x" require count hand <= 7\n'
    )
    script = tmp_path / "watch.py"
    script.write_text(
        "import sys\n"
        "from pwtool.cli.app import run\n"
        "import pwtool.cli.check, pwtool.why.findings, pwtool.show.text.full, pwtool.why.causes, pwtool.lang.parser, pwtool.records.validation\n"
        "import pydantic, jsonschema, pwtool.records.models, pwtool.records.schema\n"
        "run(['check', 'game.json'])\n"
        "seen = []\n"
        "def hook(event, args):\n"
        "    if event == 'open' and isinstance(args[0], str): seen.append(('open', args[0]))\n"
        "    elif event in ('subprocess.Popen', 'os.system', 'socket.connect', 'os.exec', 'os.posix_spawn'): seen.append((event, ''))\n"
        "    elif event == 'compile' and args[1] == '<expression>': seen.append((event, args[0] if isinstance(args[0], str) else args[0].decode()))\n"
        "    elif event == 'compile' and args[1] not in ('<string>',) and 'site-packages' not in str(args[1]): seen.append((event, str(args[1])))\n"
        "sys.addaudithook(hook)\n"
        "code = run(['check', 'game.json', '--rules', './house.rules', '-f', 'concise'])\n"
        "import json; print('SEEN', json.dumps(seen)); print('CODE', code)\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PATH": "", "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert "CODE 1" in done.stdout, done.stdout + done.stderr
    seen = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("SEEN"))[5:])
    library = [
        str(tmp_path),
        str(ROOT / "rulesets"),
        str(ROOT / "grammar"),
        str(ROOT / "pwtool"),
        "game.json",
        "house.rules",
        sys.prefix,
        sys.base_prefix,
    ]
    # Modules of the program itself may be compiled when they are first imported, and functions of expressions, of which
    # files give nothing but numbers.
    functions = [text for event, text in seen if event == "compile" and text.startswith("def f(s, e")]
    assert len(functions) > 5 and [word for text in functions for word in foreign_words(text)] == []
    outside = [
        [event, text]
        for event, text in seen
        if text not in functions and (event not in ("open", "compile") or not text.startswith(tuple(library)))
    ]
    assert outside == []
