"""Expressions: every name resolved, every type right, several findings at once.

The functions for the single constructs lie in `names`, `operators`, `collections` and `quantifiers`; importing this module registers them all.
"""

from pwtool.rules.check import collections, names, operators, quantifiers
from pwtool.rules.check.dispatch import check, check_condition

__all__ = ["check", "check_condition", "collections", "names", "operators", "quantifiers"]
