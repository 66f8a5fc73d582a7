"""Workers: whatever becomes of the process that has them, none stays behind."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from pwtool.text.processes import Crew, in_processes
from tests.daily import one_day_in, some

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import itertools, os, sys, time
from pwtool.text.processes import in_processes

def begin(given):
    return lambda seconds: (os.getpid(), time.sleep(seconds))[0]

def here(seconds):
    # Not long, or it would keep this process from printing what the workers have done.
    time.sleep(min(seconds, 0.01))

if __name__ == "__main__":
    seconds = 0.01
    def tasks():
        # Short tasks until a worker is there.
        while True:
            yield seconds
    for _, worker in in_processes(tasks(), 3, begin, None, here):
        if worker is not None:
            seconds = float(sys.argv[1])
            print(worker, flush=True)
"""


def there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@one_day_in(8)
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
        # By then the workers are at long tasks, if there are any.
        time.sleep(0.5)
        process.send_signal(getattr(signal, sign))
        process.stdout.close()
    end = time.monotonic() + 10
    while (left := [worker for worker in workers if there(worker)]) and time.monotonic() < end:
        time.sleep(0.05)
    for worker in left:
        os.kill(worker, signal.SIGKILL)
    assert not left


def slow_worker(_: object) -> Callable[[int], tuple[int, int]]:
    def work(task: int) -> tuple[int, int]:
        time.sleep(0.002)
        return task, os.getpid()

    return work


@one_day_in(8)
def test_this_process_works_too_and_results_come_in_order() -> None:
    def here(task: int) -> tuple[int, int]:
        time.sleep(0.001)
        return task, os.getpid()

    done = list(in_processes(iter(range(3_000)), 2, slow_worker, None, here))
    assert [task for task, _ in done] == [result[0] for _, result in done] == list(range(3_000))
    workers = [result[1] for _, result in done]
    # Alone until the worker has started, then both.
    assert set(workers[:5]) == {os.getpid()} and len(set(workers)) == 2
    assert workers[-500:].count(os.getpid()) < 500


def worker_that_waits(folder: Path) -> Callable[[int], int]:
    def work(task: int) -> int:
        if task:
            wait_for((folder / "done").exists)
        return os.getpid()

    return work


def test_the_last_tasks_do_not_wait_for_a_worker_that_is_at_others(tmp_path: Path) -> None:
    me = os.getpid()
    seen = [me]

    def tasks() -> Iterator[int]:
        while seen[-1] == me:
            yield 0
        yield from (1, 2, 3)

    def here(task: int) -> int:
        if task:
            (tmp_path / "done").touch()
        return me

    found: dict[int, int] = {}
    for task, process in in_processes(tasks(), 2, worker_that_waits, tmp_path, here):
        seen.append(process)
        found[task] = process
    # A worker has two of them at most, and ends the first when this process has done another.
    assert me in (found[1], found[2], found[3])


def sign(folder: Path) -> None:
    (folder / str(os.getpid())).touch()


def test_workers_start_before_it_is_known_what_they_begin_with(tmp_path: Path) -> None:
    with Crew(2, slow_worker, partial(sign, tmp_path)) as crew:
        wait_for(lambda: len(list(tmp_path.iterdir())) == 2)
        crew.give(None)
        done = list(crew.share(iter(range(200)), slow_worker(None)))
    assert [result[0] for _, result in done] == list(range(200)) and not multiprocessing.active_children()
    workers = {str(result[1]) for _, result in done} - {str(os.getpid())}
    assert workers and workers <= {path.name for path in tmp_path.iterdir()}


def mask(folder: Path) -> None:
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    (folder / str(os.getpid())).write_text(str(signal.SIGINT in blocked), "utf-8")


@one_day_in(4)
@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals of POSIX systems")
def test_workers_are_not_interrupted_while_they_start_and_are_not_more_than_help(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pwtool.text.processes.cores", lambda: 2)
    # An interrupt goes to all processes of a terminal, and Python tells of it while it still imports.
    with Crew(500, slow_worker, partial(mask, tmp_path)):
        wait_for(lambda: sum(bool(path.read_text("utf-8")) for path in tmp_path.iterdir()) == 4)
    assert {path.read_text("utf-8") for path in tmp_path.iterdir()} == {"True"}
    assert len(list(tmp_path.iterdir())) == 4
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.mark.parametrize("gives", [False, True])
@pytest.mark.parametrize("waits", [False, True])
def test_workers_that_are_left_without_tasks_end(gives: bool, waits: bool) -> None:
    before = threading.active_count()
    with pytest.raises(LookupError), Crew(2, slow_worker) as crew:
        if waits:
            wait_for(lambda: len(multiprocessing.active_children()) == 2)
        if gives:
            crew.give(None)
        raise LookupError
    assert not multiprocessing.active_children() and threading.active_count() == before


def test_what_cannot_be_given_is_raised_here() -> None:
    with pytest.raises((AttributeError, TypeError)), Crew(1, slow_worker) as crew:
        crew.give(threading.Lock())
    assert not multiprocessing.active_children()


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("wrong", some(range(40, 46), 1))
def test_what_goes_wrong_in_a_task_is_raised_in_its_turn(wrong: int) -> None:
    def here(task: int) -> tuple[int, int]:
        if task == wrong:
            raise LookupError(task)
        time.sleep(0.03)
        return task, 0

    found = []
    with pytest.raises(LookupError, match=str(wrong)):
        for task, _ in in_processes(iter(range(100)), 2, slow_and_wrong, wrong, here):
            found.append(task)
    assert found == list(range(wrong)) and not multiprocessing.active_children()


def slow_and_wrong(wrong: int) -> Callable[[int], tuple[int, int]]:
    def work(task: int) -> tuple[int, int]:
        if task == wrong:
            raise LookupError(task)
        time.sleep(0.03)
        return task, 1

    return work


HANDING_OVER = """
import itertools, os, pathlib, sys, time
from pwtool.text.processes import in_processes

def begin(folder):
    def work(task):
        folder.joinpath("begun").write_text(str(os.getpid()))
        folder.joinpath("begun").replace(folder / "at")
        time.sleep(0.1)
        return bytes(1 << 22)
    return work

def here(task):
    time.sleep(0.01)

if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    def tasks():
        yield from itertools.takewhile(lambda _: not folder.joinpath("at").exists(), itertools.count())
        yield from range(-6, 0)
    print([task for task, _ in in_processes(tasks(), 2, begin, folder, here)][-6:])
"""


@one_day_in(8)
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX systems")
def test_a_worker_killed_while_it_hands_over_a_result_takes_nothing_with_it(tmp_path: Path) -> None:
    script, at = tmp_path / "script.py", tmp_path / "at"
    script.write_text(HANDING_OVER, "utf-8")
    with subprocess.Popen(
        [sys.executable, str(script), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    ) as process:
        try:
            while not at.exists():
                time.sleep(0.01)
            # More than fits into a pipe: the worker stands in the middle of it.
            process.send_signal(signal.SIGSTOP)
            time.sleep(1)
            os.kill(int(at.read_text("utf-8")), signal.SIGKILL)
            process.send_signal(signal.SIGCONT)
            said, _ = process.communicate(timeout=30)
        finally:
            process.kill()
    assert said == b"[-6, -5, -4, -3, -2, -1]\n"


def test_without_room_for_workers_this_process_does_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "no process more")

    monkeypatch.setattr(multiprocessing.get_context("spawn").Process, "start", refused)
    assert list(in_processes(iter(range(50)), 3, slow_worker, None, str)) == [(task, str(task)) for task in range(50)]
