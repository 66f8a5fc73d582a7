"""Expressions: every name resolved, every type right, several findings at once.

The functions for the single constructs lie in `names`, `operators`, `collections` and `quantifiers`; importing this module registers them all.
"""

from pwtool.semantics import collections, names, operators, quantifiers
from pwtool.semantics.dispatch import check, check_condition

__all__ = ["check", "check_condition", "collections", "names", "operators", "quantifiers"]
