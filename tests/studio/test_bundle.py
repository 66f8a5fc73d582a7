"""The page of the studio is what its sources make of it, and holds nothing of the machine on which it was built."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.daily import one_day_in

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "web"
BUILT = ROOT / "pwtool" / "studio" / "static"
NAMES = [
    "index.html", "playground/offline.js", "playground/pack.mjs", "playground/worker.js", "studio.css", "studio.js", "studio.licences.txt",
]  # fmt: skip
NPM = shutil.which("npm")
WAIT = 300

checkout = pytest.mark.skipif(not SOURCES.is_dir(), reason="only a checkout has the sources")


def test_the_built_page_needs_nothing_from_elsewhere() -> None:
    page = (BUILT / "index.html").read_text("utf-8")
    asked = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert set(asked) == {"/static/studio.css", "/static/studio.js", "data:,"}
    style, program = ((BUILT / name).read_text("utf-8") for name in ("studio.css", "studio.js"))
    assert "url(" not in style and "@import" not in style
    assert "sourceMappingURL" not in program and not re.search(r"\beval\(|new Function\(", program)
    for text in (page, style, program):
        assert not re.search(r"/(?:home|root|tmp|work|Users)/|node_modules", text)


def test_licences_of_what_is_built_in_are_kept() -> None:
    licences = (BUILT / "studio.licences.txt").read_text("utf-8")
    assert len(re.findall(r"^@?[\w/-]+ \d+\.\d+\.\d+ \(MIT\)$", licences, re.M)) >= 10
    assert licences.count("Permission is hereby granted") >= 10


@checkout
def test_versions_are_pinned_and_no_registry_is_named() -> None:
    package = json.loads((SOURCES / "package.json").read_text("utf-8"))
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in package["devDependencies"].values())
    lock = (SOURCES / "package-lock.json").read_text("utf-8")
    assert "resolved" not in lock and "registry" not in lock
    whole = {name: entry for name, entry in json.loads(lock)["packages"].items() if name}
    assert all(entry["integrity"].startswith("sha512-") for entry in whole.values())


@checkout
def test_the_words_of_the_page_stand_in_one_module() -> None:
    """No other module has a sentence; only the console is told something there."""
    for path in sorted((SOURCES / "src").rglob("*.ts")):
        if path.name == "words.ts":
            continue
        code = re.sub(r"//[^\n]*|/\*.*?\*/|`[^`]*`|console\.\w+\([^)]*\)", "", path.read_text("utf-8"), flags=re.S)
        assert not re.findall(r'"[A-Z][a-z]+ [a-z]+[^"]*"', code), path.name


@checkout
def test_modules_stay_readable() -> None:
    for path in (SOURCES / "src").rglob("*.*"):
        assert len(path.read_text("utf-8").split("\n")) <= 460, path.name


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources with the packages that they need, in a checkout of their own."""
    if NPM is None:
        pytest.skip("Node and npm are not installed")
    top = tmp_path_factory.mktemp("checkout")
    shutil.copytree(SOURCES, top / "web", ignore=shutil.ignore_patterns("node_modules"))
    shutil.copytree(ROOT / "editors" / "vscode" / "syntaxes", top / "editors" / "vscode" / "syntaxes")
    command = [NPM, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    try:
        done = subprocess.run(command, cwd=top / "web", capture_output=True, text=True, check=False, timeout=WAIT)
    except subprocess.TimeoutExpired:
        pytest.skip("the packages of the page did not come in time")
    if done.returncode:
        pytest.skip(f"the packages of the page cannot be had here: {done.stderr.strip()[-200:]}")
    return top / "web"


@one_day_in(4)
@checkout
def test_the_page_is_built_from_its_sources(installed: Path) -> None:
    made = installed.parent / "made"
    subprocess.run([str(NPM), "run", "--silent", "build", "--", str(made)], cwd=installed, check=True, timeout=WAIT)
    assert sorted(path.relative_to(made).as_posix() for path in made.rglob("*.*")) == NAMES
    for name in NAMES:
        assert (made / name).read_text("utf-8") == (BUILT / name).read_text("utf-8"), f"{name}: run `make web`"


@checkout
@pytest.mark.slow
def test_types_are_right(installed: Path) -> None:
    done = subprocess.run(
        [str(NPM), "run", "--silent", "types"], cwd=installed, capture_output=True, text=True, check=False, timeout=WAIT
    )
    assert done.returncode == 0, done.stdout
