"""Rulesets compared."""

from __future__ import annotations

from dataclasses import dataclass

from pwtool.api.rules import Rules, load
from pwtool.comparing.row import Row
from pwtool.comparing.rows import compare_rulesets, shared_items


@dataclass(frozen=True, slots=True)
class Comparison:
    """In what two rulesets differ: a row for each item, and how many items are the same."""

    first: str
    second: str
    rows: tuple[Row, ...]
    shared: int

    @property
    def same(self) -> bool | None:
        """Whether they are proven to mean the same; None where something is not decided."""
        statuses = {row.status for row in self.rows}
        if statuses <= {"reworded", "no_effect"}:
            return True
        return None if statuses <= {"reworded", "no_effect", "undecided"} else False


def compare(first: str | Rules, second: str | Rules) -> Comparison:
    """Compare two rulesets, given or by address; raises `RulesError`."""
    a, b = (rules if isinstance(rules, Rules) else load(rules) for rules in (first, second))
    one, other = a._book.game, b._book.game
    return Comparison(a.address, b.address, tuple(compare_rulesets(one, other)), shared_items(one, other))
