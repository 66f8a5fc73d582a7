"""The short way of `pwtool check`: the same as the usual one, without the library that parses command lines."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pwtool.cli import check, common
from pwtool.cli.app import _command, run
from pwtool.cli.fast_path import parse_check, run_plain
from pwtool.cli.output_settings import output_settings
from tests.daily import one_day_in, some
from tests.support import few_or_many

ROOT = Path(__file__).resolve().parents[2]
CLEAN, ILLEGAL, UNSEEN = (f"examples/records/{n}.json" for n in ("clean", "illegal", "unseen"))
PLAIN = [
    [CLEAN], [ILLEGAL], [UNSEEN, CLEAN], ["no.json"], ["examples"], [CLEAN, "-q"], ["--quiet", CLEAN], [ILLEGAL, "--all"],
    [ILLEGAL, "-f", "concise"], [ILLEGAL, "--format", "json"], ["--format=jsonl", ILLEGAL],
    [CLEAN, "-r", "paper_world/fr"], [CLEAN, "--rules", "paper_world/fr", "--rules=paper_world/gamepark"],
    [CLEAN, "--rules", "paper_world/nowhere"], [CLEAN, "--rules", "-q"], [ILLEGAL, "--lang", "fr"], [ILLEGAL, "--lang", "xx"],
    [ILLEGAL, "--lang", "de", "--lang", "fr"], [CLEAN, "--reading", "no=where"], [CLEAN, "--as-printed"], [CLEAN, "--no-kernel"],
    [ILLEGAL, "--json"], [ILLEGAL, "--json", "-f", "json"], [ILLEGAL, "--color", "always"], [ILLEGAL, "--color=never"],
    [CLEAN, "--report", "nonsense=x"], [CLEAN, "--report", "json="], ["", CLEAN], [CLEAN, "--no-kernel", "--kernel"],
    [CLEAN, "--jobs", "1"], [CLEAN, "-j", "2", "--jobs=1"], [ILLEGAL, "--no-causes"], [ILLEGAL, "--no-causes", "--causes"], [CLEAN, "--resume"],
    [CLEAN, "--results", "x.y"],
]  # fmt: skip
NOT_PLAIN = [
    ["check"], ["check", "--help"], ["check", "-h", CLEAN], ["check", CLEAN, "--unknown"], ["check", CLEAN, "-qf", "json"],
    ["check", CLEAN, "--rules"], ["check", "--", CLEAN], ["check", CLEAN, "-fjson"], ["check", CLEAN, "--quiet=1"],
    ["check", CLEAN, "--audit", "5"], ["replay", CLEAN], [], ["--version"], ["check", CLEAN, "--rule", "x"],
    ["check", CLEAN, "--format", "nonsense"], ["check", CLEAN, "--format="], ["check", CLEAN, "--json", "-f", "sarif"], ["check", CLEAN, "--color", "blue"],
    ["check", CLEAN, "--jobs", "-1"], ["check", CLEAN, "--jobs", "many"], ["check", CLEAN, "-j2"], ["check", CLEAN, "--jobs"],
    ["check", CLEAN, "--jobs="], ["check", CLEAN, "-j=2"], ["check", CLEAN, "--jobs", "9" * 50], ["check", CLEAN, "--jobs", "\u0663"],
]  # fmt: skip


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("LANG", "C")


@pytest.mark.parametrize("words", some([*PLAIN], 4), ids=" ".join)
def test_both_ways_say_the_same(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if "" in words:
        # A folder that is the same both times: other tests write below the root.
        monkeypatch.chdir(ROOT / "examples" / "records")
    short = run_plain(["check", *words]), *capsys.readouterr()
    usual = run(["check", *words]), *capsys.readouterr()
    assert short == usual and short[0] is not None


@pytest.mark.parametrize("times", few_or_many(40, 150))
def test_both_ways_understand_the_same(times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Command lines made at random: the same arguments arrive."""
    arrived: list[tuple[check.Request, str, bool]] = []

    def taken(request: check.Request) -> int:
        arrived.append((request, output_settings.color, output_settings.quiet))
        return 0

    monkeypatch.setattr(check, "run_check", taken)
    rng = random.Random(5)
    words = [
        "a.json", "-", "--rules", "-r", "x/y", "--rules=z", "--format", "-f", "json", "--format=sarif", "--report", "json=o", "--all",
        "-q", "--quiet", "--lang", "--lang=fr", "--reading=a=b", "--reading", "--as-printed", "--no-kernel", "--kernel", "-x", "--", "-rq",
        "--report=json=o", "--force", "--json", "--color", "--color=never", "always", "--rules-from", "--rules-from=d", "--rules=", "-r=x",
        "--jobs", "--jobs=3", "-j", "2", "007", "--results=r.jsonl", "--resume", "--no-causes", "--causes",
    ]  # fmt: skip
    short = 0
    for size, _ in itertools.product(range(6), range(times)):
        line = ["check", *(rng.choice(words) for _ in range(size))]
        arrived.clear()
        code = run_plain(line)
        if code is None:
            continue
        short += 1
        assert run(line) == code == 0, line
        assert len(arrived) == 2 and arrived[0] == arrived[1], line
    assert short > times // 2


@pytest.mark.parametrize("words", NOT_PLAIN, ids=" ".join)
def test_what_is_not_plain_goes_the_usual_way(words: list[str]) -> None:
    assert parse_check(words) is None and run_plain(words) is None


def test_a_mistake_of_the_program_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(common, "open_store", broken)
    monkeypatch.setattr(check, "open_store", broken)
    said = [(way(["check", CLEAN]), *capsys.readouterr()) for way in (run_plain, run)]
    assert said[0] == said[1] and said[0][0] == 101 and "PW901" in said[0][2]


def test_a_plain_check_does_without_heavy_libraries(tmp_path: Path) -> None:
    code = (
        "import atexit, sys; sys.argv = ['pwtool', 'check', 'examples/records/clean.json']\n"
        "from pwtool.cli import main\n"
        "atexit.register(lambda: print(sorted({'typer', 'lark', 'pydantic', 'jsonschema', 'rich', 'numpy', "
        "'wasmtime', 'jinja2', 'fsspec', 'asyncio', "
        "'importlib.metadata', 'typing_extensions', 'inspect', 'hashlib', 'gzip', "
        "'threading', 'traceback', 'pwtool.checking.results', 'pwtool.lang.tree', 'pwtool.rules.build', 'pwtool.kernel.wasm'} & set(sys.modules))))\n"
        "main()\n"
    )
    variables = {"PATH": "", "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    # Without and with what is kept of the ruleset.
    for loaded in (["pwtool.lang.tree", "pwtool.rules.build"], []):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT, env=variables
        )
        assert done.stdout.splitlines()[-1] == f"{loaded}", done.stdout + done.stderr


@one_day_in(4)
@pytest.mark.parametrize(
    "more", ["", "import threading", "import atexit; atexit.register(print, 'last')", "sys.setprofile(lambda *_: None)"]
)
def test_a_plain_check_ends_at_once_unless_something_waits(more: str) -> None:
    code = f"import sys; from pwtool.cli import main\n{more}\ntry: main()\nfinally: print('taken apart')"
    for file, exit_code in ((CLEAN, 0), ("nothing.json", 2)):
        done = subprocess.run(
            [sys.executable, "-c", code, "check", file], capture_output=True, text=True, check=False, cwd=ROOT
        )
        assert (
            done.returncode == exit_code
            and (done.stdout + done.stderr).count("nothing.json" if exit_code else "clean under") >= 1
        )
        assert ("taken apart" in done.stdout) == bool(more) and ("last" in done.stdout) == ("atexit" in more)


@one_day_in(8)
@pytest.mark.parametrize("words", ["lint pig", f"replay --html {CLEAN}", "compare pig pig", "explain PW601"])
def test_no_other_library_converts_what_needs_no_conversion(words: str) -> None:
    code = (
        "import sys; from pwtool.cli import main\n"
        "try: main()\nexcept SystemExit as stop: print('\\n', stop.code, 'pydantic' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words.split()], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.splitlines()[-1] == " 0 False", done.stderr


def test_parameters_are_what_the_library_makes_of_them() -> None:
    """What is given as it is, and what the library converts: the same values of the same types, the same complaints."""
    given: list[object] = [
        None,
        (),
        [],
        "",
        "x",
        "7",
        "2.5",
        "json",
        "text",
        "auto",
        ("a",),
        ["a", "b"],
        ("1", None),
        3,
        0,
        1.0,
        True,
    ]
    given += [("legal",), "never", b"x", -5]

    def outcome(convert: Callable[[Any, Any], Any], context: Any, value: object) -> object:
        try:
            found = convert(context, value)
        except Exception as error:
            return type(error), str(error)
        return type(found), found, [type(part) for part in found] if isinstance(found, (list, tuple)) else None

    def compared(command: Any) -> int:
        context = command.make_context("x", [], resilient_parsing=True)
        count = 0
        for one in command.get_params(context):
            # A version or a help page is written, once is enough.
            values = [*given, one.default] if one.callback is None else [None]
            for value in values:
                whole = outcome(partial(type(one).process_value, one), context, value)
                assert outcome(one.process_value, context, value) == whole, (command.name, one.name, value)
                count += 1
        return count + sum(compared(below) for below in getattr(command, "commands", {}).values())

    assert compared(_command()) > 2_000


def test_no_regular_expression_is_compiled_before_a_check_asks_for_it() -> None:
    code = (
        "import re, sys\n"
        "compiled, compile_ = [], re.compile\n"
        "def noted(*given):\n"
        "    compiled.append(sys._getframe(1).f_globals['__name__'])\n"
        "    return compile_(*given)\n"
        "re.compile = noted\n"
        "import pwtool.cli.fast_path, pwtool.cli.check\n"
        "print([name for name in compiled if name.startswith('pwtool')])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "[]\n", "`pwtool.text.regex.regex` compiles them when they are used"


@pytest.mark.parametrize("module", ["pwtool.cli.fast_path", "pwtool.cli.start", "msgspec", "gc"])
def test_ctrl_c_is_caught_from_the_first_import_on(module: str) -> None:
    """What is imported before that is none of the heavy ones: it takes no time to speak of."""
    code = (
        f"import sys; sys.path[:0] = {[str(ROOT), *sys.path]!r}\n"
        "known = set(sys.modules)\n"
        "from pwtool.cli import main\n"
        "print(sorted(set(sys.modules) - known))\n"
        "class Pressed:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == {module!r}: raise KeyboardInterrupt\n"
        f"sys.modules.pop({module!r}, None); sys.meta_path.insert(0, Pressed())\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, "check", CLEAN], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (130, "")
    assert done.stdout == "['__future__', 'pwtool', 'pwtool.cli']\n"
