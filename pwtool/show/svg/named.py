"""The picture of an objective or a shape of a ruleset, by its name."""

from __future__ import annotations

from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.show.svg.patterns import Patterns
from pwtool.show.svg.writer import to_svg
from pwtool.text.words import one_line


def draw_named(ruleset: Ruleset, name: str, language: str) -> str | None:
    """The picture of an objective, or of a shape, with its title and what is written; None when there is none."""
    patterns = Patterns(ruleset, language)
    objective = ruleset.merged.items.get(("objective", name))
    if isinstance(objective, n.Objective):
        title = ruleset.text(("objective", name), objective.text or name, language)
        text = one_line(objective.condition.span.text)
        said = patterns.sayings.sentence(objective.condition)
        return to_svg(patterns.titled(patterns.objective(name), title, text), title, said)
    shape = ruleset.merged.items.get(("shape", name))
    if isinstance(shape, n.Shape):
        text = one_line(shape.span.text)
        return to_svg(patterns.titled(patterns.shape(name), name, text), name, text)
    return None
