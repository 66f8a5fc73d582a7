"""Judging pieces on all cores: each worker is a process with its own rulesets and kernels; results come in order.

The result of a piece is small if its games are clean; `each` requests one for every document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice, repeat
from time import monotonic
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from pwtool.checking.accepted import Accepted
from pwtool.checking.archives import Checker
from pwtool.checking.explaining import Asked, Budget
from pwtool.checking.pieces import Piece
from pwtool.checking.report import FileResult, gather
from pwtool.checking.statistics import Statistics, count

if TYPE_CHECKING:
    from pwtool.checking.results import Parts
    from pwtool.checking.rows import Part

WORTH = 0.7
"""The number of seconds after which starting workers pays off: each takes some tenths of a second to start."""
LOOKED_AT = 32
"""How many pieces are cut in advance to see how many there are; if there are this many, workers start at once."""
PAUSE = 0.1
"""The number of seconds after which intermediate findings are reported if one process judges."""


class Judged(Struct):
    """What was found in a piece: the results (with the clean games of an archive as one, unless each is wanted) and
    their statistics; the name of the part that stores its rows, and whether it is known from an earlier run, in which
    case there are no results. `rows` are the contents of such a part if another machine writes it. `asked` are the games
    that may be explained, in order; `told` are the rows of those that were, by their numbers in the piece.
    """

    results: list[FileResult]
    statistics: Statistics
    size: int = 0
    part: str = ""
    known: bool = False
    rows: Part | None = None
    asked: list[Asked] = field(default_factory=list)
    told: dict[int, bytes] = field(default_factory=dict)

    @staticmethod
    def of(results: list[FileResult]) -> Judged:
        """Results that belong to no piece."""
        statistics = Statistics()
        return Judged(list(count(results, statistics)), statistics)


class Settings(Struct, frozen=True):
    """How pieces are judged. `each`: whether every result is wanted; `parts`: where rows are stored; `accepted`: the
    findings that are removed; `carries`: whether rows come with the results.
    """

    checker: Checker
    each: bool = False
    parts: Parts | None = None
    accepted: Accepted = field(default_factory=Accepted)
    carries: bool = False

    def in_a_worker(self, here: bool = True) -> Settings:
        """The same without anything already loaded, as another process gets it, `here` or on another machine."""
        return replace(
            self,
            checker=replace(
                self.checker,
                ruleset_store=self.checker.ruleset_store.in_a_worker(here),
                budget=self.checker.budget.renewed(),
                defers=True,
                _kernels=None,
            ),
        )

    def out_of_order(self) -> Settings:
        """The same for pieces that this process may judge before others that come first."""
        return replace(self, checker=replace(self.checker, budget=self.checker.budget.renewed(), defers=True))


def judge(piece: Piece, settings: Settings) -> Judged:
    """Judge the documents of a piece."""
    (found,) = _judged(piece, settings, None)
    return found


def _judged(piece: Piece, settings: Settings, pause: float | None) -> Iterator[Judged]:
    """The findings of a piece, all at once or every few seconds. If interrupted, yields what was found so far before raising."""
    parts, ruleset_store = settings.parts, settings.checker.ruleset_store
    piece = piece if parts is None else piece.held()
    name = parts.name(piece) if parts is not None else ""
    known = parts.find(name, ruleset_store) if parts is not None else None
    if known is not None:
        yield Judged([], known.statistics, piece.size, name, known=True, asked=known.asked)
        return
    results: list[FileResult] = []
    rows: list[bytes] = []
    versions: dict[str, str | None] = {}
    asked: list[Asked] = []
    told_before = 0
    addresses = settings.checker.addresses
    settings.checker.begin_piece()
    statistics, whole = Statistics(), Statistics()
    interrupted: KeyboardInterrupt | None = None
    told = monotonic()
    keeps = parts is not None or settings.carries
    if keeps:
        # Not needed otherwise.
        from pwtool.checking.rows import Part, encoded, row_of
    try:
        for judged in settings.checker.check_texts(piece.documents(), settings.each, rows if keeps else None):
            result = settings.accepted.keep(judged, statistics.accepted)
            if not (result.documents or result.diagnostics):
                continue
            statistics.add(result)
            results.append(result)
            if result.asked is not None:
                asked.append(replace(result.asked, row=len(rows)))
            if keeps and result.documents:
                if result.seats is None:
                    rows.append(encoded(row_of(result)))
                if result.ruleset is not None:
                    versions[result.ruleset] = None
            # What several rulesets say of a document stays together.
            is_whole = len(addresses) < 2 or result.ruleset in (None, addresses[-1])
            if pause is not None and is_whole and monotonic() > told + pause:
                whole.merge(statistics)
                yield Judged(results if settings.each else gather(results), statistics, asked=asked[told_before:])
                results, statistics, told = [], statistics.beginning_behind(), monotonic()
                told_before = len(asked)
    except KeyboardInterrupt as error:
        interrupted = error
    whole.merge(statistics)
    if parts is not None and interrupted is None:
        parts.write(name, Part(rows, whole, asked, versions), ruleset_store)
    carried = Part(rows, whole, asked, versions) if settings.carries else None
    yield Judged(
        results if settings.each else gather(results),
        statistics,
        piece.size,
        name,
        rows=carried,
        asked=asked[told_before:],
    )
    if interrupted is not None:
        raise interrupted


def judge_all(pieces: Iterable[Piece], settings: Settings, jobs: int) -> Iterator[Judged]:
    """Judge pieces in this many processes (1: in this one) once there is enough work for them; results come in the
    order of the pieces. If a worker dies, its pieces are judged here.
    """
    pieces = iter(pieces)
    following = list(islice(pieces, LOOKED_AT if jobs > 1 else 0))
    known, left = len(following), chain(following, pieces)
    del following  # it would keep these pieces in memory
    if known == LOOKED_AT:
        # Imported where they are used: a short check needs no other processes.
        from pwtool.text.processes import Crew

        with Crew(jobs - 1, _judging, _prepare) as crew:
            # While the workers start, this process makes the kernels that they need.
            yield from _judged(next(left), settings, PAUSE)
            crew.give(settings.in_a_worker())
            for _, found in crew.share(left, _judging(settings.out_of_order())):
                yield found
        return
    begun = monotonic()
    for done, piece in enumerate(left, 1):
        yield from _judged(piece, settings, PAUSE)
        # Whether what is left takes as long as what is done.
        if jobs > 1 and monotonic() > begun + WORTH and known >= 2 * done:
            from pwtool.text.processes import in_processes

            here = _judging(settings.out_of_order())
            for _, found in in_processes(left, jobs, _judging, settings.in_a_worker(), here):
                yield found
            return


def explained(found: Iterable[Judged], checker: Checker) -> Iterator[Judged]:
    """The results for all pieces in order, with the first games of each rule explained, as many as the checker's budget
    allows.
    """
    budget = checker.budget.renewed() if checker.defers else checker.budget
    for judged in found:
        yield _explained(judged, checker, budget) if judged.asked else judged


def _explained(judged: Judged, checker: Checker, budget: Budget) -> Judged:
    from pwtool.checking.rows import encoded, row_of

    results, statistics, told = list(judged.results), Statistics(), dict[int, bytes]()
    # Of a piece that is known from an earlier run there are no results.
    places: Iterable[int | None] = [at for at, result in enumerate(results) if result.asked is not None]
    for at, asked in zip(places or repeat(None), judged.asked, strict=False):
        if at is not None:
            result = short = replace(results[at], asked=None)
        else:
            result = short = checker.short(asked)
        if budget.takes(asked.ruleset, asked.refusal):
            result = checker.explanation(asked)
            result = result if asked.by_kernel else replace(result, by=short.by)
            statistics.explain(short, result)
            told[asked.row] = encoded(row_of(result))
        else:
            statistics.add_findings(short)
        if at is not None:
            results[at] = result
    # The first game of each rule of a piece is among those that may be explained.
    statistics.merge(judged.statistics)
    return replace(judged, results=results, statistics=statistics, told=told)


def _prepare() -> None:
    """Load what kernels need while a worker has nothing to judge yet."""
    import pwtool.checking.kernels  # noqa: F401
    from pwtool.kernel import run

    if run.is_installed():
        run.failures()


def _judging(settings: Settings) -> Callable[[Piece], Judged]:
    """The function that a worker applies to a piece."""
    return partial(judge, settings=settings)
