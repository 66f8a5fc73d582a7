"""Documents that rules cite, in words for readers."""

from __future__ import annotations

from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.why.voice import PLAIN, Voice


def reason_text(ruleset: Ruleset, reason: n.Reason | None, voice: Voice = PLAIN, between: str | None = None) -> str:
    """The reason that a layer of the rules gives: the document and section, and the remark about it; empty if none is given."""
    if reason is None or reason.cite is None:
        return reason.words if reason else ""
    cited = cite_text(ruleset, reason.cite, voice)
    if not reason.words:
        return cited
    return voice.headed(cited, reason.words) if between is None else f"{cited}{between}{reason.words}"


def cite_text(ruleset: Ruleset, cite: n.Cite, voice: Voice = PLAIN) -> str:
    """A place in a document; headings are given as printed."""
    name = cite.source.name
    source = ruleset.merged.items.get(("source", name))
    title = voice.translated(ruleset, ("source", name)) or (source.title if isinstance(source, n.Source) else name)
    section = f'"{cite.section}"' if voice.language == "en" else voice.quote(cite.section)
    return f"{title}, {section}"
