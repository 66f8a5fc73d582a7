"""Parallel work: each worker has its own resources, and results come in the order of the tasks."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

Given = TypeVar("Given")
Task = TypeVar("Task")
Done = TypeVar("Done")

AHEAD = 3
"""How many tasks are queued for each worker: enough to keep it busy, few enough to save memory."""


def in_processes(
    tasks: Iterator[Task],
    jobs: int,
    begin: Callable[[Given], Callable[[Task], Done]],
    given: Given,
    here: Callable[[Task], Done],
) -> Iterator[tuple[Task, Done]]:
    """Each task with its result, in order, from this process and its workers: `jobs` processes altogether, at least 2.

    A worker gets the function for its tasks from `begin(given)`, called once. This process uses `here`: for tasks until
    the workers have started, later for those that no worker has room for, and for the task of a worker that died.
    """
    from concurrent.futures.process import BrokenProcessPool

    room = (jobs - 1) * AHEAD
    pool = _start(jobs - 1, begin, given)
    waiting: deque[tuple[Task, Future[Done]]] = deque()
    finished = False
    try:
        started = [_submit(pool, None) for _ in range(jobs - 1)]
        while not _has_worker(started) and (task := next(tasks, None)) is not None:
            yield task, here(task)
        while True:
            left = sum(not future.done() for _, future in waiting)
            while left < room and (task := next(tasks, None)) is not None:
                waiting.append((task, _submit(pool, task)))
                left += 1
            if not waiting:
                finished = True
                return
            if not waiting[0][1].done() and len(waiting) < 2 * room and (task := next(tasks, None)) is not None:
                waiting.append((task, _done(task, here)))
                continue
            task, future = waiting.popleft()
            try:
                done = future.result()
            except BrokenProcessPool:
                _stop(pool, at_once=True)
                done = here(task)
                pool = _start(jobs - 1, begin, given)
                waiting = deque((other, _again(pool, other, future)) for other, future in waiting)
            yield task, done
    finally:
        _stop(pool, at_once=not finished)


def _start(jobs: int, begin: Callable[[Given], Callable[[Task], Done]], given: Given) -> ProcessPoolExecutor:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # A fresh process on every platform: what threads of this one may hold is not copied.
    return ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (begin, given))


def _submit(pool: ProcessPoolExecutor, task: Any) -> Future[Any]:
    """Submit a task (None: nothing to do); if the pool refuses it because a worker has died in the meantime, the task
    counts as failed.
    """
    from concurrent.futures import Future
    from concurrent.futures.process import BrokenProcessPool

    try:
        return pool.submit(_do, task)
    except BrokenProcessPool as broken:
        failed: Future[Any] = Future()
        failed.set_exception(broken)
        return failed


def _again(pool: ProcessPoolExecutor, task: Any, before: Future[Any]) -> Future[Any]:
    """The result of a task before its pool broke, or the task submitted to another pool."""
    return before if before.done() and before.exception() is None else _submit(pool, task)


def _done(task: Task, here: Callable[[Task], Done]) -> Future[Done]:
    """Do a task in this process; its exceptions are raised when its turn comes."""
    from concurrent.futures import Future

    made: Future[Done] = Future()
    try:
        made.set_result(here(task))
    except Exception as error:
        made.set_exception(error)
    return made


def _has_worker(futures: list[Future[Any]]) -> bool:
    return any(future.done() for future in futures)


def _stop(pool: ProcessPoolExecutor, at_once: bool) -> None:
    """Shut down the workers; `at_once`: whatever they are doing."""
    if at_once:
        for process in list((pool._processes or {}).values()):
            process.terminate()
    pool.shutdown(wait=True, cancel_futures=True)


_work: list[Callable[[Any], Any]] = []
"""In a worker: the function for its tasks."""


def _begin(begin: Callable[[Any], Callable[[Any], Any]], given: Any) -> None:
    # Who interrupts the command interrupts this process too; the first one says when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    _work[:] = [begin(given)]


def _leave_with_parent() -> None:
    """End this process when its parent is gone for any reason: a pool would wait for its next task forever."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _do(task: Any) -> Any:
    return None if task is None else _work[0](task)


def cores() -> int:
    """How many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
