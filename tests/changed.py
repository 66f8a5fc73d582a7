"""The tests nearest to what changed: `make test-changed`, or `python -m tests.changed [--since COMMIT] [--seconds N] [--list]`.

Nearly every test reaches nearly every module over a few that all import, so that imports alone would choose the whole suite. The
tests are put in order instead: the fewer steps of imports, and the fewer others that import what stands between, the nearer.
As many as fit are run, by the time that each file took before; what was left out is said. Files that are not Python,
and modules that nobody imports, count as imported by whatever names them or their folder. `make test` runs all.
"""

from __future__ import annotations

import argparse
import heapq
import json
import math
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TIMES = ROOT / ".pytest_cache" / "v" / "pwtool" / "seconds"
"""How long each file of tests took when it was last run as a whole, written by conftest.py."""
UNKNOWN = 4.0
"""The seconds of a file of tests that was never run here; half of them take less than one."""
ALWAYS = ("tests/architecture/test_structure.py",)
Graph = Mapping[str, Iterable[str]]


def changed_files(since: str) -> list[str]:
    """Files that differ from a commit, and those that no commit has."""
    found = []
    for words in (["diff", "--name-only", since], ["ls-files", "--others", "--exclude-standard"]):
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
        found += done.stdout.splitlines()
    return sorted(set(found))


def imports() -> dict[str, set[str]]:
    """What each file of Python imports, anywhere in it, with the packages around that."""
    command = [str(Path(sys.executable).with_name("ruff")), "analyze", "graph", "--preview", "."]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    graph = {name: set(used) for name, used in json.loads(done.stdout).items()}
    known = graph.keys()
    return {
        name: used | ({f"{folder}/__init__.py" for other in used for folder in Path(other).parents} & known)
        for name, used in graph.items()
    }


def naming(path: str, texts: Mapping[str, str]) -> Iterator[set[str]]:
    """The files of Python that name a file, then those that name only its stem, then each folder around it."""
    file, seen = Path(path), set[str]()
    for name in dict.fromkeys((file.name, file.stem, *(folder.name for folder in file.parents if folder.name))):
        word = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
        found = {other for other, text in texts.items() if word.search(text)} - seen
        seen |= found
        yield found


def distances(changed: Iterable[str], graph: Graph, texts: Mapping[str, str]) -> dict[str, float]:
    """How far each file of tests is from what changed; those that cannot be reached are left out."""
    users: dict[str, set[str]] = defaultdict(set)
    for name, used in graph.items():
        for other in used:
            users[other].add(name)
    known: dict[str, float] = {}
    pending = [(0.0, path) for path in changed]
    while pending:
        far, path = heapq.heappop(pending)
        if path in known:
            continue
        known[path] = far
        # Some modules are imported by a name that is put together.
        is_named = not path.endswith(".py") or (far == 0 and not users[path] and path.startswith("pwtool/"))
        for level, after in enumerate(naming(path, texts) if is_named else [users[path]]):
            # What many import says little about each of them.
            step = 1 + level + math.log2(1 + len(after))
            for other in after:
                # Tests of a package are in the folder of its name, those of data in a folder that holds it.
                near = (
                    other.split("/")[:2] == ["tests", *path.split("/")[1:2]] or Path(other).parent in Path(path).parents
                )
                heapq.heappush(pending, (far + step / (2 if near else 1), other))
    return {path: far for path, far in known.items() if is_test(path)}


def is_test(path: str) -> bool:
    return path.startswith("tests/") and Path(path).name.startswith("test_") and path.endswith(".py")


def chosen(far: Mapping[str, float], seconds: Mapping[str, float], most: float) -> tuple[list[str], list[str]]:
    """The nearest files of tests that fit together into so many seconds of one process, and those left out."""
    kept: list[str] = []
    left: list[str] = []
    spent = 0.0
    for path in sorted(far, key=lambda path: (far[path], path)):
        takes = seconds.get(path, UNKNOWN)
        # What changed itself is always run.
        if spent + takes <= most or not far[path]:
            kept.append(path)
            spent += takes
        else:
            left.append(path)
    return kept, left


def main() -> int:
    """Run the nearest tests; the exit code is that of pytest."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--since", default="HEAD", help="compare with this commit (HEAD)")
    parser.add_argument("--seconds", type=float, default=100, help="seconds of tests in all processes together (100)")
    parser.add_argument("--list", action="store_true", help="only say which files of tests would be run")
    asked = parser.parse_args()
    changed = [path for path in changed_files(asked.since) if (ROOT / path).is_file()]
    graph = imports()
    texts = {path: (ROOT / path).read_text("utf-8") for path in graph}
    far = dict.fromkeys(ALWAYS, 0.0) | distances(changed, graph, texts)
    seconds = json.loads(TIMES.read_text("utf-8")) if TIMES.is_file() else {}
    kept, left = chosen(far, seconds, asked.seconds)
    if not changed:
        print(f"nothing differs from {asked.since}")
        return 0
    print(
        f"{len(changed)} changed: {len(kept)} files of tests are near, {len(left)} farther ones are left to `make test`"
    )
    if asked.list:
        print(*kept, sep="\n")
        return 0
    sys.stdout.flush()
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "worksteal", "-m", "not slow", *kept]
    # What is near waits for no turn.
    return subprocess.run(command, cwd=ROOT, check=False, env={**os.environ, "PWTOOL_TURNS": "all"}).returncode


if __name__ == "__main__":
    raise SystemExit(main())
