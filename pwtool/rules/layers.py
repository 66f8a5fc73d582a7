"""The layers of a ruleset, a game, its edition and its variants, as one."""

from __future__ import annotations

from pwtool.lang import tree as n
from pwtool.lang.merged import Key, Merged
from pwtool.rules.library import Layer
from pwtool.rules.overlays import apply_layer
from pwtool.rules.readings import Decided, adopt_readings, check_readings, drop_settled
from pwtool.text import Diagnostic, Label, too_many
from pwtool.text.speech import Told


def merge_layers(layers: list[Layer], readings: tuple[str, ...] = ()) -> Merged:
    """All layers applied in order, then the chosen readings."""
    merged = Merged(own=frozenset(d.document.header.span.file.name for d in layers if d.name == layers[-1].name))
    decided: dict[Key, Decided] = {}
    refused = ""
    for layer in layers:
        header = layer.document.header
        if header.kind == "part" and layer.name == refused:
            continue
        if header.kind == "variant":
            excluded = merged.without.get(header.name.name)
            if excluded is not None:
                reason = excluded.reason
                source = _source_title(merged, reason.cite.source.name) if reason.cite else ""
                note = f'{source}, "{reason.cite.section}"' if reason.cite else None
                words = reason.words or Told("the edition has no such variant")
                # Variants that come between have nothing to do with it.
                said = excluded.span.file
                edition = next((h for h in merged.headers if h.span.file is said), merged.headers[-1]).name.name
                message = Told("{game} has no variant {name}: {reason}", game=f"`{edition}`", name=f"`{header.name.name}`", reason=words)  # fmt: skip
                merged.diagnostics.append(
                    Diagnostic.of(
                        "PW207", message, None,
                        labels=(Label(excluded.span, Told("said here")),), notes=(Told("source: {source}", source=note),) if note else (),
                    )
                )  # fmt: skip
                refused = layer.name
                continue
        if header.kind != "part":
            merged.headers.append(header)
        apply_layer(merged, layer.document.declarations, layer.name)
        if header.kind == "variant":
            for name, within in merged.within.get(header.name.name, []):
                apply_layer(merged, within.declarations, name)
        check_readings(merged, layer.name, decided)
        if too_many(merged.diagnostics):
            break
    drop_settled(merged, decided)
    adopt_readings(merged, readings)
    return merged


def _source_title(merged: Merged, name: str) -> str:
    node = merged.items.get(("source", name))
    return node.title if isinstance(node, n.Source) else name
