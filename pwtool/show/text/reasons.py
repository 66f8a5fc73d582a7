"""Why a layer of the rules says something, in a reader's words."""

from __future__ import annotations

from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n


def reason_text(ruleset: Ruleset, reason: n.Reason | None, between: str = ": ") -> str:
    """A reason: the document and section, and what is said of it; nothing where none is given."""
    if reason is None or reason.cite is None:
        return reason.words if reason else ""
    source = ruleset.merged.items.get(("source", reason.cite.source.name))
    title = source.title if isinstance(source, n.Source) else reason.cite.source.name
    return f'{title}, "{reason.cite.section}"' + (f"{between}{reason.words}" if reason.words else "")
