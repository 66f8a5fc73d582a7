"""Statistics of a run: verdicts by ruleset and by number of players, findings by rule, and what kernels left to the
engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from pwtool.checking.report import FileResult, Verdict, exit_of

MAX_RULES = 10_000
"""The number of rules counted individually."""


class Refusals(Struct):
    """The games that a rule refuses: how many, and the first of them (document and place)."""

    level: str
    games: int = 0
    document: str = ""
    where: str = ""

    def add(self, other: Refusals) -> None:
        """Add games that were found later."""
        self.games += other.games


class Statistics(Struct):
    """Counts of a run. `verdicts` are by ruleset, `players` by ruleset and number of players (0: not known), `rules` by
    ruleset, code and rule, `engine` by why the engine judged instead of a kernel, `accepted` by what accepts them;
    `unexplained` are the refused games of which only the first refusal is told.
    """

    documents: int = 0
    verdicts: dict[str, Counter[str]] = field(default_factory=dict)
    players: dict[str, Counter[int]] = field(default_factory=dict)
    rules: dict[tuple[str, str, str], Refusals] = field(default_factory=dict)
    engine: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    unexplained: int = 0
    _last: str = ""
    _judged_by: set[str] = field(default_factory=set)

    def add(self, result: FileResult) -> None:
        """Count a result."""
        address = result.rules
        if result.name != self._last or address in self._judged_by:
            # With several rulesets a document has several results in a row; two documents may have one name.
            self.documents += result.documents
            self._last, self._judged_by = result.name, set()
        self._judged_by.add(address)
        if result.documents:
            if address not in self.verdicts:
                self.verdicts[address], self.players[address] = Counter(), Counter()
            self.verdicts[address][result.verdict] += result.documents
            if result.seats:
                self.players[address].update(result.seats)
            else:
                self.players[address][len(result.played.players) if result.played is not None else 0] += (
                    result.documents
                )
        if result.by != "":
            self.engine[result.by] += result.documents
        self.unexplained += not result.explained
        if result.asked is None and result.documents:
            self.add_findings(result)

    def explain(self, short: FileResult, told: FileResult) -> None:
        """Count an explanation instead of what was told in `short` of the same game, whose findings were not counted."""
        self.unexplained -= 1
        if short.verdict != told.verdict:
            counts = Counter({short.verdict.value: -1, told.verdict.value: 1})
            self.verdicts.setdefault(told.rules, Counter()).update(counts)
        if short.by != told.by:
            self.engine[told.by] += 1
        self.add_findings(told)

    def add_findings(self, result: FileResult) -> None:
        """Count the findings of a result."""
        address = result.rules
        seen: set[tuple[str, str, str]] = set()
        for diagnostic in result.diagnostics:
            key = (address, diagnostic.code, diagnostic.rule or "")
            if diagnostic.follows or key in seen or (key not in self.rules and len(self.rules) >= MAX_RULES):
                continue
            new = Refusals(diagnostic.level.value, 1, result.name, diagnostic.where or "")
            seen.add(key)
            known = self.rules.setdefault(key, new)
            if known is not new:
                known.add(new)

    def beginning_behind(self) -> Statistics:
        """Empty statistics for the results that follow these; the last document may have more of them."""
        return Statistics(_last=self._last, _judged_by=set(self._judged_by))

    def merge(self, later: Statistics) -> None:
        """Add the statistics of a later part of the same run."""
        self.documents += later.documents
        for address, verdicts in later.verdicts.items():
            self.verdicts.setdefault(address, Counter()).update(verdicts)
        for address, seats in later.players.items():
            self.players.setdefault(address, Counter()).update(seats)
        self.engine.update(later.engine)
        self.accepted.update(later.accepted)
        self.unexplained += later.unexplained
        for key, found in later.rules.items():
            if key in self.rules:
                self.rules[key].add(found)
            else:
                self.rules[key] = replace(found)

    @property
    def by_verdict(self) -> dict[Verdict, int]:
        """The number of results for each verdict."""
        return {verdict: sum(counts[verdict] for counts in self.verdicts.values()) for verdict in Verdict}

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        verdicts = {verdict for counts in self.verdicts.values() for verdict in +counts}
        return exit_of(verdicts, any(code == "PW901" for _, code, _ in self.rules))

    @property
    def refused(self) -> int:
        """The number of results that are not clean."""
        return sum(n for counts in self.verdicts.values() for v, n in counts.items() if v != Verdict.CLEAN)


def count(results: Iterable[FileResult], into: Statistics) -> Iterator[FileResult]:
    """Pass results on and count them."""
    for result in results:
        into.add(result)
        yield result
