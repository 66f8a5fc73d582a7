"""What a ruleset that loads may still say by mistake: each lint is a function from what it looks at to findings."""

from __future__ import annotations

from pwtool.diagnostics import Diagnostic
from pwtool.semantics.lints.cells import check_cell_names
from pwtool.semantics.lints.conditions import check_conditions
from pwtool.semantics.lints.pictures import check_pictures
from pwtool.semantics.lints.reach import check_reach
from pwtool.semantics.lints.repetition import check_examples_repeated, check_objectives_repeated
from pwtool.semantics.lints.texts import check_texts
from pwtool.semantics.lints.unused import check_unused
from pwtool.semantics.overlays import Merged
from pwtool.syntax import nodes as n

__all__ = ["check_lints"]


def check_lints(own: list[n.Document], merged: Merged, family: list[n.Document]) -> list[Diagnostic]:
    """The lints of some documents of a ruleset (a file and the parts that it includes).

    `merged` is the whole ruleset as it loads; `family` are all documents that build on the same game: what one of them
    uses is used.
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
