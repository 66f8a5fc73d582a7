"""What `pwtool lint` and `pwtool test` tell of random games of the rulesets that they examine."""

from __future__ import annotations

import shlex

from pwtool.cli.streams import show_progress
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.build import build_ruleset, merge_layers
from pwtool.rules.library import Layer
from pwtool.rules.targets import Target, own_documents
from pwtool.simulating.oddities import Subject, find_oddities
from pwtool.text import Diagnostic, Severity


def oddities_of(target: Target, ruleset_store: RulesetStore) -> list[Diagnostic]:
    """Notes about what random games of a ruleset show; none if it cannot be loaded."""
    library = ruleset_store.library
    book, layers = ruleset_store.get(target.address).value, library.layers(target.address).value
    if book is None or not layers:
        return []
    own = own_documents(layers, target)
    if not own or any(d.level is Severity.ERROR for d in book.diagnostics):
        return []
    show_progress(f"playing {target.name}")
    chosen = [word for reading in ruleset_store.readings for word in ("--reading", reading)]
    named = shlex.join([target.address, *chosen, *["--as-printed"] * ruleset_store.as_printed])
    files = frozenset(document.header.span.file.name for document in own)
    return find_oddities(Subject(book, files, own[0].header.span, named, lambda: _base(layers, book)))


def _base(layers: list[Layer], book: Rulebook) -> Rulebook | None:
    """The ruleset that the last layer changes; None if there is none."""
    below = [layer for layer in layers if layer.name != layers[-1].name]
    built = build_ruleset(below[-1].name, merge_layers(below)).value if below else None
    return None if built is None else Rulebook.of(built, (), book.shipped, cache=book.cache)
