"""Schedules checks of documents: quick ones shortly after an edit, slow ones when nobody types."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
SOON = 0.015
"""Seconds without typing before a document is checked, so that a series of edits is checked once."""
LATER = 0.35


THREADS = sys.platform != "emscripten"
"""Whether there are threads: browsers have none."""
REST = 0.1
"""Seconds for which slow work waits where there are no threads, so that what was asked before is answered first."""


def workers(count: int, name: str, rest: float = 0) -> Executor:
    """Threads for work in the background. Without threads, it is done in turn with messages, after a `rest`."""
    return ThreadPoolExecutor(count, name) if THREADS else _InTurn(rest)


class _InTurn(Executor):
    def __init__(self, rest: float) -> None:
        self.rest = rest

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        done: Future[T] = Future()

        def run() -> None:
            try:
                done.set_result(fn(*args, **kwargs))
            except Exception as error:
                done.set_exception(error)

        asyncio.get_running_loop().call_later(self.rest, run)
        return done


class Watch:
    """Runs work on documents in the background; results for a document that has changed since are dropped."""

    def __init__(self) -> None:
        self._quick = workers(1, "quick")
        self._slow = workers(1, "slow", REST)
        self._serials: dict[Path, int] = {}
        self._timers: dict[tuple[Path, bool], asyncio.TimerHandle] = {}

    def touched(self, path: Path) -> int:
        """A document was changed: all running work on it is outdated."""
        self._serials[path] = self._serials.get(path, 0) + 1
        for slow in (False, True):
            timer = self._timers.pop((path, slow), None)
            if timer is not None:
                timer.cancel()
        return self._serials[path]

    def serial(self, path: Path) -> int:
        """The number of changes so far."""
        return self._serials.get(path, 0)

    def soon(
        self,
        path: Path,
        work: Callable[[Callable[[], bool]], T | None],
        done: Callable[[T], None],
        slow: bool = False,
        after: float | None = None,
    ) -> None:
        """Work on a document after a delay, unless it changes before; `work` can ask whether the result is still needed."""

        def begin() -> None:
            self._timers.pop((path, slow), None)
            self.now(path, work, done, slow)

        before = self._timers.pop((path, slow), None)
        if before is not None:
            before.cancel()
        delay = after if after is not None else LATER if slow else SOON
        self._timers[path, slow] = asyncio.get_running_loop().call_later(delay, begin)

    def now(
        self, path: Path, work: Callable[[Callable[[], bool]], T | None], done: Callable[[T], None], slow: bool = True
    ) -> None:
        """Work on a document right away; the result is dropped if the document changes in the meantime."""
        loop, serial = asyncio.get_running_loop(), self.serial(path)

        def stale() -> bool:
            return self.serial(path) != serial

        def run() -> None:
            found = None if stale() else work(stale)
            if found is not None:
                loop.call_soon_threadsafe(finish, found)

        def finish(found: T) -> None:
            if not stale():
                done(found)

        (self._slow if slow else self._quick).submit(run)

    def stop(self) -> None:
        """Stop all work."""
        for path in list(self._serials):
            self.touched(path)
        for pool in (self._quick, self._slow):
            pool.shutdown(wait=False, cancel_futures=True)
