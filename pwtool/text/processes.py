"""Parallel work: each worker has its own resources, and results come in the order of the tasks."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from traceback import format_exc
from typing import TYPE_CHECKING, Any, TypeVar

from pwtool.text.cores import cores

if TYPE_CHECKING:
    from concurrent.futures import Future
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

Given = TypeVar("Given")
Task = TypeVar("Task")
Done = TypeVar("Done")

AHEAD = 3
"""How many tasks are queued for each worker: enough to keep it busy, few enough to save memory."""
SHORT = 16 << 10
"""The number of bytes up to which a task is sent to a worker that is still at another: it fits into any pipe, so that
the sender cannot be kept waiting by a worker that itself waits for somebody to take its result.
"""


def in_processes(
    tasks: Iterator[Task],
    jobs: int,
    begin: Callable[[Given], Callable[[Task], Done]],
    given: Given,
    here: Callable[[Task], Done],
) -> Iterator[tuple[Task, Done]]:
    """Each task with its result, in order, from this process and its workers: `jobs` processes altogether, at least 2."""
    with Crew(jobs - 1, begin) as crew:
        crew.give(given)
        yield from crew.share(tasks, here)


class _Died(Exception):
    """The worker that had a task is gone, or could not be started."""


class Crew:
    """Worker processes, each with a thread in this process that hands it tasks through a pipe of its own.

    They start when it is entered, and get the function for their tasks from `begin(given)`, called once in each; before they are
    given anything, they `prepare`. For each, `early` results may wait for the one before them. If a worker dies, at
    whatever moment, its pipe ends, no other worker waits for it, and a new one takes its place. There are at most twice
    as many as cores: more of them only need memory.
    """

    def __init__(
        self,
        size: int,
        begin: Callable[[Any], Callable[[Any], Any]],
        prepare: Callable[[], object] | None = None,
        early: int = AHEAD,
    ) -> None:
        from concurrent.futures import Future

        self._size, self._begin, self._prepare, self._early = min(size, 2 * cores()), begin, prepare, early
        self._given: Future[bytes] = Future()
        self._handed: deque[tuple[bytes, Future[Any]] | None] = deque()
        self._lock = threading.Lock()
        self._is_handed = threading.Condition()
        self._processes: set[BaseProcess] = set()
        self._finished = self._stopped = False
        self._started: list[Future[None]] = [Future() for _ in range(self._size)]
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Crew:
        for started in self._started:
            self._threads.append(threading.Thread(target=self._serve, args=(started,), daemon=True))
            self._threads[-1].start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop(at_once=not self._finished)

    def give(self, given: Any) -> None:
        """Tell the workers what they begin with; until then they have no task."""
        self._given.set_result(_pickled(given))

    def share(self, tasks: Iterator[Task], here: Callable[[Task], Done]) -> Iterator[tuple[Task, Done]]:
        """Each task with its result, in order, from the workers and this process, which uses `here`: for tasks until
        the workers have started, later for those that no worker has room for, and for the task of a worker that died.
        """
        room, self._finished = self._size * AHEAD, False
        waiting: deque[tuple[Task, Future[Done]]] = deque()
        while not _has_worker(self._started) and (task := next(tasks, None)) is not None:
            yield task, here(task)
        while True:
            left = sum(not future.done() for _, future in waiting)
            while left < room and (task := next(tasks, None)) is not None:
                waiting.append((task, self._submit(task)))
                left += 1
            if not waiting:
                self._finished = True
                return
            most = room + self._size * self._early
            if not waiting[0][1].done():
                if len(waiting) < most and (task := next(tasks, None)) is not None:
                    waiting.append((task, _done(task, here)))
                    continue
                if (taken := self._taken_back()) is not None:
                    task = next(task for task, future in waiting if future is taken)
                    _do(task, here, taken)
                    continue
            task, future = waiting.popleft()
            try:
                done = future.result()
            except _Died:
                done = here(task)
            yield task, done

    def _submit(self, task: Any) -> Future[Any]:
        """The task under way."""
        from concurrent.futures import Future

        future: Future[Any] = Future()
        try:
            self._hand((_pickled(task), future))
        except Exception as error:
            future.set_exception(error)
        return future

    def _hand(self, task: tuple[bytes, Future[Any]] | None) -> None:
        """A task for whichever thread is free; None: there are no more for one of them."""
        with self._is_handed:
            self._handed.append(task)
            self._is_handed.notify()

    def _taken_back(self) -> Future[Any] | None:
        """The last task, if no worker has it: at the end, a few long ones would wait for others."""
        with self._is_handed:
            handed = self._handed.pop() if self._handed else None
        return None if handed is None else handed[1]

    def _stop(self, at_once: bool) -> None:
        """Let the workers go; `at_once`: whatever they are at."""
        with self._lock:
            self._stopped = True
            if at_once:
                for process in self._processes:
                    process.terminate()
        if not self._given.done():
            self._given.set_exception(InterruptedError())
        for _ in self._threads:
            self._hand(None)
        for thread in self._threads:
            # Whoever interrupts the command may do so before all of them run.
            if thread.ident is not None:
                thread.join()

    def _serve(self, started: Future[None]) -> None:
        """One worker after the other, as long as there are tasks; the first task is none, to see that it has `started`."""
        worker = None
        under_way: deque[Future[Any]] = deque()
        following: tuple[bytes, Future[Any]] | None = (_pickled(None), started)
        is_over = False
        while True:
            if following is None and not is_over and len(under_way) < 2:
                with self._is_handed:
                    while not self._handed and not under_way:
                        self._is_handed.wait()
                    if self._handed:
                        following = self._handed.popleft()
                        is_over = following is None
            if following is None and not under_way:
                break
            try:
                if worker is None:
                    worker = self._start()
                    worker[1].send_bytes(self._given.result())
                if following is not None and (not under_way or len(following[0]) <= SHORT):
                    # The second one waits in the pipe, so that the worker does not have to.
                    data, future = following
                    following = None
                    under_way.append(future)
                    worker[1].send_bytes(data)
                    continue
                received = worker[1].recv_bytes()
            except Exception as error:
                if worker is not None:
                    self._part(*worker)
                worker = None
                lost = [*under_way, *([following[1]] if following is not None else ())]
                under_way.clear()
                following = None
                for future in lost:
                    future.set_exception(_Died() if isinstance(error, EOFError | OSError) else error)
            else:
                _answer(under_way.popleft(), received)
        if worker is not None:
            self._part(*worker)

    def _start(self) -> tuple[BaseProcess, Connection]:
        """A new worker; raises `OSError` where there can be none."""
        from multiprocessing import get_context

        # A fresh process on every platform: what threads of this one may hold is not copied.
        context = get_context("spawn")
        with self._lock:
            if self._stopped:
                raise InterruptedError
            pipe, theirs = context.Pipe()
            with theirs, _uninterrupted():
                process = context.Process(target=_work, args=(theirs, self._begin, self._prepare), daemon=True)
                process.start()
            self._processes.add(process)
            return process, pipe

    def _part(self, process: BaseProcess, pipe: Connection) -> None:
        """A worker whose pipe is closed has nothing more to do."""
        pipe.close()
        process.join()
        with self._lock:
            self._processes.discard(process)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Where there is such a thing, what is started here is not interrupted with the command, not even while it starts."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    # It would lift the block when it starts for the first worker.
    ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _pickled(what: Any) -> bytes:
    """As it is sent to a worker."""
    from multiprocessing.reduction import ForkingPickler

    return bytes(ForkingPickler.dumps(what))


def _answer(future: Future[Any], received: bytes) -> None:
    """Give a task the result that a worker has sent."""
    from multiprocessing.reduction import ForkingPickler

    try:
        is_done, answer = ForkingPickler.loads(received)
    except Exception as error:
        is_done, answer = False, error
    (future.set_result if is_done else future.set_exception)(answer)


def _done(task: Task, here: Callable[[Task], Done]) -> Future[Done]:
    """A task that this process does; its exceptions are raised when its turn comes."""
    from concurrent.futures import Future

    return _do(task, here, Future())


def _do(task: Task, here: Callable[[Task], Done], future: Future[Done]) -> Future[Done]:
    try:
        future.set_result(here(task))
    except Exception as error:
        future.set_exception(error)
    return future


def _has_worker(started: list[Future[Any]]) -> bool:
    return any(future.done() for future in started)


def _work(pipe: Connection, begin: Callable[[Any], Callable[[Any], Any]], prepare: Callable[[], object] | None) -> None:
    """What a worker does, until the other end of its pipe is closed."""
    # Who interrupts the command interrupts this process too; the first one says when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    with pipe, suppress(EOFError, OSError):
        if prepare is not None:
            prepare()
        do = begin(pipe.recv())
        while True:
            task = pipe.recv()
            try:
                answer = True, None if task is None else do(task)
            except Exception as error:
                # The traceback itself stays in this process.
                error.add_note(format_exc())
                answer = False, error
            pipe.send(answer)
    # Its results are handed over: nothing of what an interpreter clears away at its end is needed.
    os._exit(0)


def _leave_with_parent() -> None:
    """End this process when the one that started it is gone, however that came: it may be at a long task."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
