"""Probable mistakes in a ruleset that loads: each lint is a function from its input to findings."""

from __future__ import annotations

from pwtool.lang import tree as n
from pwtool.lang.merged import Merged
from pwtool.rules.lint.cells import check_cell_names
from pwtool.rules.lint.conditions import check_conditions
from pwtool.rules.lint.pictures import check_pictures
from pwtool.rules.lint.reach import check_reach
from pwtool.rules.lint.repetition import check_examples_repeated, check_objectives_repeated
from pwtool.rules.lint.texts import check_texts
from pwtool.rules.lint.unused import check_unused
from pwtool.rules.targets import Family
from pwtool.text import Diagnostic

__all__ = ["check_lints"]


def check_lints(own: list[n.Document], merged: Merged, family: Family) -> list[Diagnostic]:
    """The lints of some documents of a ruleset (a file and the parts that it includes).

    `merged` is the whole ruleset; `family` are all files based on the same game: a name that one of them uses counts as
    used.
    """
    found = check_unused(own, family)
    found += check_cell_names(own, merged, family)
    for document in own:
        found += check_conditions(document)
        found += check_reach(document)
        found += check_pictures(document)
        found += check_texts(document)
    found += check_objectives_repeated(own, merged)
    found += check_examples_repeated(own, merged)
    return found
