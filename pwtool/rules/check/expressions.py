"""Expressions: names resolved and types checked, with several findings at once.

The functions for the constructs are in `names`, `operators`, `collections`, `histories`, `places`, `quantifiers` and
`loops`; importing this module registers them all.
"""

from pwtool.rules.check import collections, histories, loops, names, operators, places, quantifiers
from pwtool.rules.check.dispatch import check, check_condition

__all__ = [
    "check",
    "check_condition",
    "collections",
    "histories",
    "loops",
    "names",
    "operators",
    "places",
    "quantifiers",
]
