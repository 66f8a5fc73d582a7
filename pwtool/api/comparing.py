"""Comparing rulesets."""

from __future__ import annotations

from dataclasses import dataclass

from pwtool.api.given import amount
from pwtool.api.one_thread import alone_with
from pwtool.api.rules import Rules, load
from pwtool.comparing.evidence import weigh_rows
from pwtool.comparing.renames import named_alike
from pwtool.comparing.row import Row
from pwtool.comparing.rows import compare_rulesets, shared_items


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences between two rulesets: a row for each item, the number of equal items, and the number of games
    that were played under one and judged by the other.
    """

    first: str
    second: str
    rows: tuple[Row, ...]
    shared: int
    games: int = 0

    @property
    def same(self) -> bool | None:
        """Whether they are proven to mean the same; None if something is undecided."""
        statuses = {row.status for row in self.rows}
        if statuses <= {"reworded", "no_effect"}:
            return True
        return None if statuses <= {"reworded", "no_effect", "undecided"} else False


def compare(first: str | Rules, second: str | Rules, effort: float = 1.0) -> Comparison:
    """Compare two rulesets, given or by address.

    `effort` sets how many games check the claims, counted and not timed: 1 takes about a second, 0 plays none.

    Raises `RulesError`, `TypeError` and `ValueError` for another effort, and `Contradiction` if a game refutes a proof, which is a bug in pwtool.
    """
    amount("effort", effort)
    a, b = (rules if isinstance(rules, Rules) else load(rules) for rules in (first, second))
    one, other = a._book.game, b._book.game
    # Both always in the same order: two threads never wait for each other.
    before, after = sorted((a._book, b._book), key=lambda book: id(book.game))
    with alone_with(before), alone_with(after):
        rows, evidence = weigh_rows(a._book, b._book, compare_rulesets(one, other), effort)
        shared = shared_items(one, named_alike(other, one).game)
    return Comparison(a.address, b.address, tuple(rows), shared, evidence.games)
