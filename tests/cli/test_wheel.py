"""The built wheel, installed into an empty environment, works from any directory."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.daily import one_day_in

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "pwtool" / "show" / "html" / "templates"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(out.glob("*.whl"))


def test_the_wheel_carries_grammar_rulesets_and_pages(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for name in (
        "grammar/rules.lark",
        "grammar/rules.tables.json",
        "rulesets/paper_world/game.rules",
        "rulesets/paper_world/fr.rules",
        "docs/errors/PW601.md",
        "docs/commands.txt",
    ):
        assert f"pwtool/_data/{name}" in names
    templates = {f"pwtool/show/html/templates/{path.name}" for path in TEMPLATES.glob("*")}
    assert templates and templates <= set(names)
    assert "pwtool/py.typed" in names
    assert not any(name.startswith(("tests/", "benchmarks/")) for name in names)


def test_a_package_index_can_follow_the_links_of_the_readme(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    text = archive.read(metadata).decode("utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 10 and all(link.startswith("https://") for link in links), links


@one_day_in(7)
def test_the_installed_tool_works_from_elsewhere(wheel: Path, tmp_path: Path) -> None:
    environment, elsewhere = tmp_path / "env", tmp_path / "elsewhere"
    elsewhere.mkdir()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    folder = environment / ("Scripts" if sys.platform == "win32" else "bin")
    installed = subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(folder / "python"), "install", "--quiet", "--no-compile", str(wheel)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert installed.returncode == 0, f"the wheel could not be installed:\n{installed.stderr}"
    for name in ("clean", "illegal"):
        shutil.copy(ROOT / "examples" / "records" / f"{name}.json", elsewhere)

    def pwtool(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(folder / "pwtool"), *arguments]
        variables = {"PATH": "", "LANG": "C", "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
        return subprocess.run(command, cwd=elsewhere, capture_output=True, text=True, check=False, env=variables)

    for _ in range(2):  # without and with the cache of parsed trees
        clean = pwtool("check", "clean.json")
        assert clean.returncode == 0 and clean.stdout.startswith("clean.json: clean under paper_world/gamepark"), clean
    illegal = pwtool("check", "illegal.json")
    assert illegal.returncode == 1 and "error[PW601] place.inside_3x3" in illegal.stdout
    assert pwtool("rules").stdout.count("paper_world") >= 11
    assert "An action breaks a rule" in pwtool("explain", "PW601").stdout
    assert "</html>" in pwtool("rules", "show", "paper_world", "--html").stdout
    assert list((tmp_path / "cache").rglob("rulesets/*")), "the ruleset was not kept"
