"""What takes time to find out about a whole ruleset, in the background of a page: what its examples show, and random games."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pwtool.eval.work import MAX_WORK, TooMuchWork
from pwtool.ir.model import Ruleset
from pwtool.lsp.watching import THREADS, workers
from pwtool.records.ruleset_store import RulesetStore
from pwtool.simulating.oddities import Seen, Subject, look, subject_of
from pwtool.studio.document_context import DocumentContext
from pwtool.why.coverage import Part, conditions, measure_in_steps

PAUSE = 0.4 if THREADS else 1.0
"""Seconds for which nothing is typed or asked before work begins; longer where answers wait for a step that is being done."""
STEPS, REST = 5, 0.03
"""So many steps are done at once; where there are no threads, what is asked is answered in the seconds between."""
MAX_KEPT = 8
EACH = 20 * MAX_WORK
"""The steps for one example: without functions, judging takes many times those of a question."""

_Meaning = tuple[Any, ...]
_Place = tuple[str, int]
"""A condition by its item, and how many others of this item come before it."""


@dataclass
class Measured:
    """What is known of a ruleset so far; `shown` is which values each condition has in examples (None: not known)."""

    ruleset: Ruleset
    shown: dict[_Place, frozenset[bool]] | None = None
    subject: Subject | None = None
    seen: Seen | None = None
    problem: str | None = None
    done: bool = False


@dataclass
class Background:
    """Measures one ruleset after the other, the last one that was asked for; `tell` is called when more is known of a file."""

    tell: Callable[[Path], None]
    _kept: OrderedDict[_Meaning, Measured] = field(default_factory=OrderedDict)
    _task: asyncio.Task[None] | None = None
    _now: _Meaning | None = None

    def __post_init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._pool = workers(1, "measuring", REST)

    def of(self, asked: DocumentContext) -> Measured | None:
        """What is known of a ruleset as it stands in the editor; begins to measure it. None if it has mistakes."""
        ruleset = asked.analysis.ruleset
        if ruleset is None:
            return None
        meaning = _meaning(asked, ruleset)
        found = self._kept.get(meaning)
        if found is None or not found.done:
            library = asked.workspace.library(strict=True)
            # Unsaved rulesets are not cached on disk.
            library.cache = None
            target, path = asked.analysis.target, asked.path
            self._loop.call_soon_threadsafe(
                self._begin, meaning, path, lambda now: _measure(now, lambda: subject_of(target, RulesetStore(library))), ruleset
            )  # fmt: skip
        return found

    def _begin(
        self, meaning: _Meaning, path: Path, measure: Callable[[Measured], Iterator[bool]], ruleset: Ruleset
    ) -> None:
        if meaning == self._now or (meaning in self._kept and self._kept[meaning].done):
            return
        self._drop()
        self._now = meaning
        self._task = self._loop.create_task(self._work(meaning, path, measure, Measured(ruleset)))

    async def _work(
        self, meaning: _Meaning, path: Path, measure: Callable[[Measured], Iterator[bool]], found: Measured
    ) -> None:
        await asyncio.sleep(PAUSE)
        steps = measure(found)
        while not found.done:
            if await self._loop.run_in_executor(self._pool, _go_on, steps, found):
                self._kept[meaning] = found
                self._kept.move_to_end(meaning)
                if len(self._kept) > MAX_KEPT:
                    self._kept.popitem(last=False)
                self.tell(path)
        self._now = None

    def typed(self, path: Path) -> None:
        """A file was changed: stop measuring it until somebody asks again."""
        if self._now is not None and self._now[0] == path:
            self._drop()

    def _drop(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._now = None

    def stop(self) -> None:
        """Stop all work."""
        self._drop()
        self._pool.shutdown(wait=False, cancel_futures=True)


def _go_on(steps: Iterator[bool], found: Measured) -> bool:
    """Do some steps, until the end or until there is something to tell; returns whether there is."""
    for _ in range(STEPS):
        try:
            told = next(steps, None)
        except Exception as error:
            told, found.problem = None, f"{type(error).__name__}: {error}"
        found.done = told is None
        if told or found.done:
            return True
    return False


def _measure(found: Measured, subject: Callable[[], Subject | None]) -> Iterator[bool]:
    """Measure in steps; each says whether there is something new to tell."""
    try:
        coverage = yield from _silent(measure_in_steps(found.ruleset, EACH))
        found.shown = {
            place: frozenset(coverage.seen.get(part.place, ())) for place, part in placed(found.ruleset).items()
        }
    except TooMuchWork:
        found.shown = None
    yield True
    found.subject = subject()
    yield False
    if found.subject is not None:
        found.seen = yield from _silent(look(found.subject))


def _silent(steps: Generator[None, None, Any]) -> Generator[bool, None, Any]:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value
        yield False


def placed(ruleset: Ruleset) -> dict[_Place, Part]:
    """The conditions of a ruleset by what stays the same while the text moves."""
    found: dict[_Place, Part] = {}
    count: dict[str, int] = {}
    for part in conditions(ruleset):
        count[part.owner] = number = count.get(part.owner, -1) + 1
        found[part.owner, number] = part
    return found


def _meaning(asked: DocumentContext, ruleset: Ruleset) -> _Meaning:
    """What the measurements depend on: the meaning of the rules, their examples, which of them are this file's own, and what it changes."""
    own = {document.header.span.file.name for document in asked.analysis.own}
    items, examples = ruleset.merged.items, ruleset.merged.examples
    return (
        asked.path, ruleset.version, tuple(example.span.text for example in examples),
        tuple(key for key, node in items.items() if node.span.file.name in own),
        tuple(file.text for file in asked.analysis.files.values() if file.name not in own),
    )  # fmt: skip
