"""One name for one thing, and the words that belong to things: definitions, translations, citations, readings."""

from __future__ import annotations

from collections.abc import Iterator

from pwtool.ir import types as t
from pwtool.lang import tree as n
from pwtool.lang.merged import Key, Merged, key_of, quoted
from pwtool.rules.check.expressions import check
from pwtool.rules.check.scope import Declared, Scope
from pwtool.text import Diagnostic, Label


def check_names(merged: Merged, declared: Declared) -> None:
    """One name, one meaning: zones, variables, definitions, tokens and components share a namespace."""
    parts = [(whole.name, part) for whole in declared.divided.values() for part in whole.parts.values()]
    seen: dict[str, n.Node] = {part.name: merged.items["var", name] for name, part in parts}
    for node in merged.items.values():
        if isinstance(node, n.Zone | n.Var | n.Define | n.Token | n.Component):
            first = seen.setdefault(node.name.name, node)
            if first is not node:
                message = "`{name}` already names something else"
                label = Label(first.span, "declared here")
                declared.diagnostics.append(Diagnostic.of("PW202", message, node.name.span, labels=(label,), name=node.name.name))  # fmt: skip


def check_defines(declared: Declared) -> None:
    """Definitions are checked where they are used; this checks the unused ones of the ruleset itself."""
    for define in declared.defines.values():
        if ("define", define.name.name) not in declared.used and declared.is_own(define.span):
            declared.begin(quoted(key_of(define)), define.span)
            scope = Scope(declared, defining=(define.name.name,))
            for parameter in define.parameters:
                scope, _ = scope.bind(parameter.name, t.ERROR)
            check(define.body, scope)


def check_words(merged: Merged, declared: Declared) -> None:
    """Citations name existing sources, translations name existing things, readings have unique names."""
    sources = [name for kind, name in merged.items if kind == "source"]
    reasons = [step.reason for steps in merged.history.values() for step in steps]
    reasons += [node.reason for node in merged.items.values() if isinstance(node, n.Ambiguity | n.Erratum)]
    reasons += [node.reason for node in merged.without.values()]
    for reason in reasons:
        if reason is not None and reason.cite is not None and reason.cite.source.name not in sources:
            declared.unknown("source", reason.cite.source, sources)
    for key, name in _worded(merged):
        owner = (_OWNERS[key[0]], key[1].partition(".")[0]) if key[0] in _OWNERS else key
        if owner not in merged.history:
            declared.unknown(key[0], name, [name for kind, name in merged.history if kind == owner[0]])
    for ambiguity in merged.of_kind(n.Ambiguity):
        names = [a.name.name for a in ambiguity.alternatives]
        for at, alternative in enumerate(ambiguity.alternatives):
            if alternative.name.name in names[:at]:
                declared.report("PW202", "the reading `{name}` appears twice", alternative.name.span, name=alternative.name.name)  # fmt: skip


_OWNERS = {"param": "action", "reading": "ambiguity", "component": "component"}
"""Things that can be named as a part of something else, and what they are a part of."""


def _worded(merged: Merged) -> Iterator[tuple[Key, n.Name]]:
    """Everything that has a translation or a note."""
    for translations in merged.texts.values():
        for key, translation in translations.items():
            if key[0] not in ("game", "edition", "variant"):
                yield key, translation.name
    for notes in merged.notes.values():
        yield from ((key, note.name) for key, note in notes.items())
