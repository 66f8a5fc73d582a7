"""The plugin for pytest, run in projects of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.daily import one_day_in

pytest_plugins = ["pytester"]
ROOT = Path(__file__).resolve().parents[2]
SETTINGS = "[pytest]\npwtool_records = games/*.json games/*.jsonl\n"


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    games = pytester.mkdir("games")
    for name in ("clean", "illegal", "unseen"):
        shutil.copy(ROOT / f"examples/records/{name}.json", games)
    monkeypatch.setenv("LANG", "C")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return pytester


def run(project: pytest.Pytester, *words: str) -> pytest.RunResult:
    installed = any(e.value == "pwtool.pytest_plugin" for e in entry_points(group="pytest11"))
    plugin = [] if installed else ["-p", "pwtool.pytest_plugin"]
    return project.runpytest_subprocess("-p", "no:cacheprovider", "-rs", *plugin, *words)


@one_day_in(8)
def test_each_record_is_a_test_and_its_findings_the_failure(project: pytest.Pytester) -> None:
    project.makeini(SETTINGS)
    (project.path / "games/other.toml").write_text("")
    done = run(project, "-v")
    done.assert_outcomes(passed=1, failed=1, skipped=1)
    done.stdout.fnmatch_lines(
        [
            "games/illegal.json::pwtool FAILED*",
            "error[[]PW601[]] place.inside_3x3: broken: The landscape stays within 3x3 piles",
            "  legal    place B1 at (-1, 1)",
            "SKIPPED*undetermined: *",
        ]
    )
    done.stdout.no_fnmatch_line("*Traceback*")


@one_day_in(7)
def test_an_archive_is_one_test_and_records_are_found_beside_the_tests(project: pytest.Pytester) -> None:
    project.makepyprojecttoml(
        '[tool.pytest.ini_options]\ntestpaths = ["tests"]\npwtool_records = ["games/all.jsonl"]\n'
        '[tool.pwtool]\nrules = ["paper_world/gamepark"]\n'
    )
    project.mkdir("tests").joinpath("test_one.py").write_text("def test_one(): pass\n")
    line = " ".join((project.path / "games/clean.json").read_text("utf-8").split())
    (project.path / "games/all.jsonl").write_text(f"{line}\n" * 3, "utf-8")
    run(project).assert_outcomes(passed=2)
    run(project, "tests").assert_outcomes(passed=1)


@one_day_in(7)
def test_what_the_settings_ignore_is_no_failure(project: pytest.Pytester) -> None:
    project.makeini(SETTINGS)
    (project.path / "pwtool.toml").write_text('[ignore]\n"games" = ["PW601", "PW611"]\n', "utf-8")
    run(project).assert_outcomes(passed=3)
    (project.path / "pwtool.toml").write_text('[ignor]\n"games" = ["PW601", "PW611"]\n', "utf-8")
    assert run(project).ret != 0


def test_it_costs_other_projects_nothing() -> None:
    code = (
        "import sys, pytest; before = set(sys.modules); import pwtool.pytest_plugin; "
        "print(sorted(m for m in set(sys.modules) - before if m.split('.')[0] != 'pytest'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert eval(done.stdout) == ["pwtool", "pwtool.pytest_plugin"]


@one_day_in(7)
def test_what_a_baseline_knows_is_no_failure(project: pytest.Pytester) -> None:
    project.makeini(SETTINGS)
    written = project.run(
        sys.executable, "-m", "pwtool", "check", "games/illegal.json", "--write-baseline", "known.json"
    )
    assert written.ret == 1
    (project.path / "pwtool.toml").write_text('baseline = "known.json"\n')
    run(project).assert_outcomes(passed=2, skipped=1)
    (project.path / "known.json").write_text("{")
    done = run(project)
    done.assert_outcomes(errors=3)
    done.stdout.fnmatch_lines(["the settings of pwtool are wrong*", "*`known.json` is not a baseline*"])
    done.stdout.no_fnmatch_line("*Traceback*")
    done.stdout.no_fnmatch_line("*def _judge*")


@one_day_in(8)
def test_other_plugins_may_look_at_what_a_test_was_handed(project: pytest.Pytester) -> None:
    project.makeini(SETTINGS)
    project.makeconftest("def pytest_runtest_call(item):\n    assert not item.funcargs\n")
    run(project, "games/clean.json").assert_outcomes(passed=1)
