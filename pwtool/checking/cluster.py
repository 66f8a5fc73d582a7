"""Pieces judged by the workers of a Dask cluster, on this machine or on many; results come in the order of the pieces.

The requested rulesets are sent to the workers as data, their kernels as bytes. Workers read the files that they see
exactly as this machine does; the contents of other files are sent to them. If a worker dies, Dask gives its work to
another one.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from pwtool import __version__
from pwtool.checking.pieces import Piece
from pwtool.checking.workers import Judged, Settings, judge
from pwtool.ir.model import Ruleset
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.module import compile_kernel
from pwtool.records.ruleset_store import Rulebook
from pwtool.rules.library import Library
from pwtool.text import Diagnostic
from pwtool.text.processes import AHEAD
from pwtool.text.words import MAX_QUOTED, shorten

if TYPE_CHECKING:
    from distributed import Client, Future

LOCAL = "local"
"""In place of an address: a cluster of processes on this machine that ends with the command."""
WAIT = 20
"""How many seconds a scheduler, and its first worker, may take to answer."""
RETRIES = 3
"""How often a piece is given to another worker before it is judged here."""
Stamps = dict[str, tuple[int, int] | None]


class ClusterError(Exception):
    """A cluster cannot be used; the argument says why."""


class _Away(Exception):
    """A worker does not see a file as this machine does."""


class _Unfit(Exception):
    """A worker cannot judge as this machine does."""


class _Shipped(Struct, frozen=True):
    """A checked ruleset for a worker, with its kernel."""

    ruleset: Ruleset
    diagnostics: tuple[Diagnostic, ...]
    is_ours: bool
    wasm: bytes | None

    @staticmethod
    def of(book: Rulebook) -> _Shipped:
        try:
            wasm = compile_kernel(book.game.ruleset).wasm
        except Uncompilable:
            wasm = None
        return _Shipped(book.game.ruleset, book.diagnostics, book.shipped, wasm)

    def book(self) -> Rulebook:
        return Rulebook.of(self.ruleset, self.diagnostics, self.is_ours, self.wasm)


class _Task(Struct, frozen=True):
    """Everything that a worker has to know: how to judge, and by which rulesets. `library`: whether the rulesets are
    those of its own program.
    """

    settings: Settings
    books: dict[str, _Shipped]
    library: bool

    def begin(self) -> Settings:
        checker = self.settings.checker
        ruleset_store = replace(
            checker.ruleset_store, library=Library() if self.library else checker.ruleset_store.library, _books={}
        )
        for address, shipped in self.books.items():
            ruleset_store.put(address, shipped.book())
        return replace(self.settings, checker=replace(checker, ruleset_store=ruleset_store, _kernels=None))


@contextmanager
def cluster(address: str, jobs: int, packages: tuple[str, ...] = ()) -> Iterator[Client]:
    """The cluster of a scheduler, or one of this many processes on this machine. Raises `ClusterError`, also if one of
    its workers lacks something.
    """
    from distributed import Client, LocalCluster

    # Workers may come and go without a warning: their work is judged anyway.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if address == LOCAL:
        with (
            LocalCluster(
                n_workers=jobs, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL
            ) as own,
            Client(own) as client,
        ):
            yield client
        return
    try:
        client = Client(address, timeout=WAIT, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterError(f"no scheduler answers at `{address}`") from error
    with client:
        _make_sure(client, packages)
        yield client


def reach(address: str) -> None:
    """Check that something listens at a scheduler's address, because a client waits long and complains otherwise.
    Raises `ClusterError`.
    """
    if find_spec("distributed") is None:
        raise ClusterError("a cluster needs the package `distributed`: `pip install pwtool[dask]`")
    if address == LOCAL:
        return
    from distributed.comm.addressing import get_address_host_port

    async def call() -> None:
        host, port = get_address_host_port(address, strict=True)
        _, writer = await asyncio.wait_for(asyncio.open_connection(host, port), WAIT)
        writer.close()

    try:
        asyncio.run(call())
    except (OSError, ValueError, OverflowError, NotImplementedError) as error:
        raise ClusterError(f"no scheduler answers at `{shorten(address, MAX_QUOTED)}`") from error


def _make_sure(client: Client, packages: tuple[str, ...]) -> None:
    """Check that there are workers with the same program as this machine."""
    try:
        client.wait_for_workers(1, timeout=WAIT)
    except (OSError, TimeoutError) as error:
        raise ClusterError("the cluster has no workers") from error
    for worker, lack in _lacks(client, packages).items():
        if lack:
            raise ClusterError(f"the worker {worker} {lack}")


def _lacks(client: Client, packages: tuple[str, ...]) -> dict[str, str]:
    """What each worker lacks, by its address; an empty text for suitable ones."""
    found = client.run(_lack, __version__, packages, on_error="return")
    return {
        worker: lack if isinstance(lack, str) else "has no pwtool that can be asked for its version"
        for worker, lack in found.items()
    }


def judge_on_cluster(
    pieces: Iterable[Piece],
    settings: Settings,
    client: Client,
    packages: tuple[str, ...] = (),
    tell: Callable[[str], None] = lambda _: None,
) -> Iterator[Judged]:
    """Judge pieces on a cluster whose workers need these packages; results come in the order of the pieces. Workers
    that join later and are not suitable get no pieces and are reported to `tell`. Raises `ClusterError` if no other
    worker is left.
    """
    from distributed import CancelledError, KilledWorker

    run = _Run(client, settings, packages, tell)
    waiting: deque[tuple[Piece, str, Future[Judged] | Judged]] = deque()
    left = iter(pieces)
    try:
        while True:
            while len(waiting) < run.ahead() and (piece := next(left, None)) is not None:
                waiting.append((piece, *run.start(piece)))
            if not waiting:
                return
            piece, part, found = waiting.popleft()
            if not isinstance(found, Judged):
                try:
                    found = run.result(found, piece)
                except (KilledWorker, CancelledError):
                    found = judge(piece, replace(settings, parts=None, carries=settings.parts is not None))
            yield run.kept(found, part)
    finally:
        client.cancel([found for _, _, found in waiting if not isinstance(found, Judged)], force=True)


class _Run:
    """A run on a cluster: the instructions for the workers, and whether they see the files."""

    def __init__(
        self, client: Client, settings: Settings, packages: tuple[str, ...], tell: Callable[[str], None]
    ) -> None:
        self.client, self.parts, self.ruleset_store = client, settings.parts, settings.checker.ruleset_store
        self.packages, self.tell = packages, tell
        self.unfit: set[str] = set()
        # The suitable workers if there are unsuitable ones, otherwise any.
        self.fit: list[str] | None = None
        found = {address: self.ruleset_store.get(address).value for address in settings.checker.addresses}
        task = _Task(
            replace(settings.in_a_worker(here=False), parts=None, carries=settings.parts is not None),
            {address: _Shipped.of(book) for address, book in found.items() if book is not None},
            self.ruleset_store.library.folder == Library().folder,
        )
        self.name = uuid.uuid4().hex
        # The result of a task rather than scattered data: it is recomputed if the worker that held it is gone.
        self.task = client.submit(_same, task, key=f"task-{self.name}", retries=RETRIES)
        self.sees_files = True

    def ahead(self) -> int:
        threads: dict[str, int] = self.client.nthreads()
        return max(1, sum(threads.values())) * AHEAD

    def start(self, piece: Piece) -> tuple[str, Future[Judged] | Judged]:
        """The name of a piece's part, and its result: known from an earlier run, or pending."""
        part = "" if self.parts is None else self.parts.name(piece)
        known = None if self.parts is None else self.parts.find(part, self.ruleset_store)
        if known is not None:
            return part, Judged([], known.statistics, piece.size, part, known=True, asked=known.asked)
        return part, self._submit(piece if self.sees_files and not piece.texts else _read(piece))

    def _submit(self, piece: Piece) -> Future[Judged]:
        stamps: Stamps = {path: _stamp(path) for path in piece.paths}
        return self.client.submit(
            _judge, __version__, self.packages, self.task, self.name, piece, stamps,
            pure=False, retries=RETRIES, workers=self.fit,
        )  # fmt: skip

    def result(self, found: Future[Judged], piece: Piece) -> Judged:
        """The result of a worker. A piece of a file that the worker does not see is sent to it; a piece that it cannot
        judge goes to another worker.
        """
        from distributed import CancelledError, KilledWorker

        try:
            judged: Judged = found.result()
        except _Away:
            self.sees_files = False
            return self.result(self._submit(_read(piece)), piece)
        except (KilledWorker, CancelledError):
            raise
        except Exception:
            # A worker with another program may fail in any way.
            if not self._leaves_out_some():
                raise
            return self.result(self._submit(piece if self.sees_files else _read(piece)), piece)
        return judged

    def _leaves_out_some(self) -> bool:
        """Whether there are now unsuitable workers, which get no more work."""
        lacks = _lacks(self.client, self.packages)
        unfit = {worker for worker, lack in lacks.items() if lack}
        for worker in sorted(unfit - self.unfit):
            self.tell(f"the worker {worker} {lacks[worker]}: it is left out")
        self.unfit |= unfit
        self.fit = [worker for worker in lacks if worker not in self.unfit]
        if not self.fit:
            raise ClusterError("no worker is left that could judge")
        return bool(unfit)

    def kept(self, judged: Judged, part: str) -> Judged:
        """The same result, with its rows stored if the run may be resumed."""
        if self.parts is None or judged.known:
            return judged
        assert judged.rows is not None
        self.parts.write(part, judged.rows, self.ruleset_store)
        return replace(judged, part=part, rows=None)


def _read(piece: Piece) -> Piece:
    """The piece with the contents of its files, and packed games as text, so that a worker needs no files."""
    return Piece(texts=tuple(piece.unpacked()), size=piece.size)


# ---- on the workers

_here = threading.local()
"""How the last run judges, per thread: a ruleset's working data belongs to one thread."""


def _same(task: _Task) -> _Task:
    return task


def _judge(version: str, packages: tuple[str, ...], task: _Task, name: str, piece: Piece, stamps: Stamps) -> Judged:
    lack = _lack(version, packages)
    if lack:
        raise _Unfit(lack)
    if any(_stamp(path) != stamp for path, stamp in stamps.items()):
        raise _Away
    if getattr(_here, "name", None) != name:
        _here.settings, _here.name = task.begin(), name
    return judge(piece, _here.settings)


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_size, found.st_mtime_ns


def _lack(version: str, packages: tuple[str, ...]) -> str:
    """What this worker lacks compared with this version and these packages."""
    if version != __version__:
        return f"has pwtool {__version__}, but this is {version}"
    missing = [name for name in packages if find_spec(name) is None]
    return f"lacks the package `{missing[0]}`, which these files need" if missing else ""
