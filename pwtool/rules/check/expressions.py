"""Expressions: names resolved and types checked, with several findings at once.

The functions for the constructs are in `names`, `operators`, `collections`, `histories`, `places`, `quantifiers` and
`through`; importing this module registers them all.
"""

from pwtool.rules.check import collections, histories, names, operators, places, quantifiers, through
from pwtool.rules.check.dispatch import check, check_condition

__all__ = [
    "check",
    "check_condition",
    "collections",
    "histories",
    "names",
    "operators",
    "places",
    "quantifiers",
    "through",
]
