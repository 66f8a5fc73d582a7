"""The benchmarks run; how fast anything is depends on the machine and is not tested."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.daily import some

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
SHOWN = {
    "archives.py": ["100 games, two processes", "the same games packed", "packed", "zstd, unpacked alone"],
    "check_records.py": ["engine, JSON text", "kernel, packed records", "archive, 5 % illegal, with kernels"],
    "language_server.py": ["600 lines", "completion", "findings, requests beside them"],
    "random_play.py": ["tic_tac_toe, kernel in one call", "connect_four, engine"],
    "simulate.py": ["connect_four, 2 players, added up", "a whole run, two processes"],
    "waiting.py": ["pwtool check, empty cache", "thirty objectives, memory", "5 % illegal, concise"],
}
LONG = ("random_play.py", "waiting.py")


@pytest.mark.skipif(not BENCHMARKS.is_dir(), reason="only a checkout has the benchmarks")
@pytest.mark.parametrize(
    "name",
    [
        *some([name for name in SHOWN if name not in LONG], 1),
        *(pytest.param(name, marks=pytest.mark.slow) for name in LONG),
    ],
)
def test_a_benchmark_runs(name: str) -> None:
    pytest.importorskip("wasmtime")
    if name == "random_play.py":
        pytest.importorskip("pyspiel")
    command = [sys.executable, str(BENCHMARKS / name), "--quick"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(any(row.startswith(shown) for row in done.stdout.splitlines()) for shown in SHOWN[name]), done.stdout
