"""Wheel and sdist: the same bytes wherever they are built, and nothing that an index would refuse."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow
EPOCH = 1_700_000_000


def build(source: Path, out: Path) -> dict[str, bytes]:
    """The distributions of a tree, by their names."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(source)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name: path.read_bytes() for path in out.iterdir()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built")
    build(ROOT, out)
    return out


def test_the_sdist_builds_the_same_again(built: Path, tmp_path: Path) -> None:
    """Elsewhere, later, by somebody whose new files nobody else may read."""
    (sdist,) = built.glob("*.tar.gz")
    before = os.umask(0o077)
    try:
        with tarfile.open(sdist) as archive:
            archive.extractall(tmp_path, filter="data")
            assert {member.mtime for member in archive.getmembers()} == {EPOCH}
        (source,) = tmp_path.iterdir()
        for path in source.rglob("*"):
            path.chmod(0o700 if path.is_dir() else 0o600)
            os.utime(path, (EPOCH - 86400, EPOCH - 86400))
        again = build(source, tmp_path / "again")
    finally:
        os.umask(before)
    assert again == {path.name: path.read_bytes() for path in built.iterdir()}


def test_the_sdist_has_what_the_tests_need(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if tracked.returncode == 0:
        missing = {name for name in tracked.stdout.split("\0") if name} - names
        assert missing <= {".ci/run"}, sorted(missing)
    assert not any(name.endswith(".pyc") or "node_modules" in name for name in names)
    assert not any(name.startswith(("docs/_build", "docs/library")) for name in names)


def test_checkers_of_distributions_find_nothing(built: Path) -> None:
    files = sorted(map(str, built.iterdir()))
    (wheel,) = (name for name in files if name.endswith(".whl"))
    for command in (["twine", "check", "--strict", *files], ["check_wheel_contents", wheel]):
        done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, check=False)
        assert done.returncode == 0 and "WARNING" not in done.stdout.upper(), done.stdout + done.stderr


def test_the_wheel_has_the_manual_page(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".data/data/share/man/man1/pwtool.1"))
        assert archive.read(name) == (ROOT / "docs" / "pwtool.1").read_bytes()


def test_the_wheel_has_the_page_of_the_studio(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        static = ROOT / "pwtool" / "studio" / "static"
        for path in sorted(filter(Path.is_file, static.rglob("*"))):
            assert archive.read(f"pwtool/studio/static/{path.relative_to(static).as_posix()}") == path.read_bytes()
