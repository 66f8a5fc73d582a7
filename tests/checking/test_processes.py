"""Workers: whatever becomes of the process that has them, none stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import itertools, os, sys, time
from pwtool.text.processes import in_processes

def begin(given):
    return lambda seconds: (os.getpid(), time.sleep(seconds))[0]

if __name__ == "__main__":
    # Short tasks first: all workers are there when a line is read.
    tasks = itertools.chain([0.01] * 4, itertools.repeat(float(sys.argv[1])))
    for _, worker in in_processes(tasks, 2, begin, None, len):
        print(worker, flush=True)
"""


def there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX systems")
@pytest.mark.parametrize(("sign", "seconds"), [("SIGTERM", "0.01"), ("SIGKILL", "30")])
def test_workers_go_with_the_process_that_has_them(sign: str, seconds: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, "utf-8")
    with subprocess.Popen(
        [sys.executable, str(script), seconds],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None
        workers = {int(process.stdout.readline()) for _ in range(4)}
        process.send_signal(getattr(signal, sign))
        process.stdout.close()
    end = time.monotonic() + 10
    while (left := [worker for worker in workers if there(worker)]) and time.monotonic() < end:
        time.sleep(0.05)
    for worker in left:
        os.kill(worker, signal.SIGKILL)
    assert not left
