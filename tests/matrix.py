"""The tests under other Pythons and other versions of the packages that are needed: what CI does, on this machine.

    python -m tests.matrix [--python 3.12]... [--versions newest|lowest]... [--extra test] [--all] [TEST...]

Each Python that is found gets an environment with the newest versions of everything, the oldest supported one also an
environment with the lowest versions that pyproject.toml allows. Tests of the everyday suite are run in each: a sample,
those that are named, or with --all every one. Needs uv (`pip install uv`).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SAMPLE = (
    "tests/cli/test_check.py",
    "tests/cli/test_command_line.py",
    "tests/cli/test_quick.py",
    "tests/cli/test_windows.py",
    "tests/lang/test_builder.py",
    "tests/lang/test_recovery.py",
    "tests/records/test_importers.py",
    "tests/records/test_inputs.py",
    "tests/records/test_schema.py",
    "tests/release/test_metadata.py",
)
"""What shows soonest that a version does not fit: what reads, what writes, and where libraries do most. No extra is needed."""
TOOLS = ("pytest", "pytest-timeout", "hypothesis", "junitparser")
UV = (sys.executable, "-m", "uv", "--quiet")


def find_pythons(wanted: tuple[str, ...] = PYTHONS) -> dict[str, Path]:
    """The interpreters of this machine, by version."""
    return {version: path for version in wanted for path in _candidates(version) if _is(path, version)}


def _candidates(version: str) -> Iterator[Path]:
    """Where an interpreter may be, the one that is to be taken last."""
    yield from sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    named = shutil.which(f"python{version}")
    if named is not None:
        yield Path(named)
    yield Path(sys.executable)


def _is(path: Path, version: str) -> bool:
    code = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([str(path), "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() == version


def run_in(python: Path, versions: str, extra: str, tests: list[str]) -> tuple[bool, str]:
    """Whether the tests pass in a new environment, and the last line of what they say (or why there is none)."""
    resolution = "lowest-direct" if versions == "lowest" else "highest"
    with tempfile.TemporaryDirectory() as folder:
        inside = Path(folder) / "environment"
        binary = inside / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        project = f"{ROOT}[{extra}]" if extra else str(ROOT)
        steps = (
            [*UV, "venv", "--python", str(python), str(inside)],
            [*UV, "pip", "install", "--python", str(binary), "--resolution", resolution, "--editable", project],
            # Where the extra does not bring them, the tests' own tools are the newest.
            *([] if extra == "test" else [[*UV, "pip", "install", "--python", str(binary), *TOOLS]]),
        )
        for step in steps:
            done = subprocess.run(step, capture_output=True, text=True, check=False)
            if done.returncode:
                return False, done.stderr.strip()
        pytest = [str(binary), "-m", "pytest", "-m", "not slow", "-p", "no:cacheprovider", *tests]
        variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        done = subprocess.run(pytest, capture_output=True, text=True, check=False, cwd=ROOT, env=variables)
        return done.returncode == 0, done.stdout.strip() if done.returncode else done.stdout.strip().rpartition("\n")[2]


def main(arguments: list[str] | None = None) -> int:
    """Run all that is asked for; 1 where something failed, 2 where a Python is missing that was named."""
    parser = argparse.ArgumentParser(prog="python -m tests.matrix")
    parser.add_argument("tests", nargs="*", default=[])
    parser.add_argument("--python", action="append", choices=PYTHONS)
    parser.add_argument("--versions", action="append", choices=("newest", "lowest"))
    parser.add_argument("--extra", default="test", help="the extra to install; empty for a plain pwtool")
    parser.add_argument("--all", action="store_true", help="every test of the everyday suite")
    asked = parser.parse_args(arguments)
    found = find_pythons(tuple(asked.python or PYTHONS))
    missing = [version for version in PYTHONS if version not in found and version in (asked.python or PYTHONS)]
    if missing:
        print(f"not on this machine: Python {', '.join(missing)}")
    versions = asked.versions or ["newest", "lowest"]
    runs = [(version, "newest") for version in found if "newest" in versions]
    # Packages as old as the bounds have been built for Pythons of their time.
    runs += [(version, "lowest") for version in list(found)[:1] if "lowest" in versions]
    tests = ["tests"] if asked.all else asked.tests or list(SAMPLE)
    failed = False
    for version, which in runs:
        start = time.monotonic()
        passed, said = run_in(found[version], which, asked.extra, tests)
        failed |= not passed
        seconds = time.monotonic() - start
        print(
            f"Python {version}, {which} versions: {'passed' if passed else 'FAILED'} ({seconds:.0f} s)\n{said}",
            flush=True,
        )
    return 1 if failed else 2 if asked.python and missing else 0


if __name__ == "__main__":
    sys.exit(main())
