"""How other editions, variants and readings of the same game have an item."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from pwtool.comparing.accepting import addresses_of
from pwtool.lang import tree as n
from pwtool.lang.merged import Key, Merged
from pwtool.lang.traversal import walk
from pwtool.learning.kinds import Variant
from pwtool.learning.near import UNTOUCHED
from pwtool.learning.texts import Items, items_of, written
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.overlays import apply_layer

PRICE = 0.0
MOST_MORE = 6
"""The number of further items that come along because an item names them."""


def sister_variants(items: Items, merged: Merged, address: str, ruleset_store: RulesetStore) -> list[Variant]:
    """The items of the other rulesets of a game that differ from these, and the readings that it leaves open."""
    found: dict[tuple[Key, str | None], Variant] = {}
    for name, others in _others(merged, address, ruleset_store):
        for variant in _differences(items, others, name):
            found.setdefault((variant.key, variant.text), variant)
    for name, others in _readings(merged):
        # A reading changes all of its items together.
        changes = [(key, _text(others, key)) for key in _changed(items, others)]
        if changes and len(changes) <= MOST_MORE:
            (key, text), *more = changes
            found.setdefault((key, text), Variant(key, "reading", text, PRICE, None, tuple(more), name))
    return list(found.values())


def _others(merged: Merged, address: str, ruleset_store: RulesetStore) -> Iterator[tuple[str, Items]]:
    game = merged.headers[0].name.name
    library = ruleset_store.library
    for other in addresses_of(library, game) if game in library.games() else []:
        book = ruleset_store.get(other).value if other != address else None
        if book is not None:
            yield other, book.game.ruleset.merged.items
            for name, items in _readings(book.game.ruleset.merged):
                yield f"{other}, {name}", items


def _readings(merged: Merged) -> Iterator[tuple[str, Items]]:
    for (kind, point), node in merged.items.items():
        readings: list[tuple[str, tuple[n.Node, ...]]] = []
        if isinstance(node, n.Ambiguity):
            readings = [(a.name.name, a.declarations) for a in node.alternatives]
        elif isinstance(node, n.Erratum):
            readings = [("printed", node.printed)]
        for name, declarations in readings:
            trial = copied(merged)
            apply_layer(trial, declarations, f"{kind} {point}")
            if not trial.diagnostics:
                yield f"{point}={name}", trial.items


def copied(merged: Merged) -> Merged:
    """The items of a ruleset, to be changed; without examples, translations and notes, which nothing here reads."""
    return Merged(
        list(merged.headers), dict(merged.items), {key: list(steps) for key, steps in merged.history.items()},
        own=merged.own,
    )  # fmt: skip


def trimmed(merged: Merged) -> Merged:
    """The items of a ruleset without what no game is judged by."""
    found = copied(merged)
    return replace(found, items={key: node for key, node in found.items.items() if not isinstance(node, n.Invariant)})


def _changed(items: Items, others: Items) -> list[Key]:
    return [
        key
        for key in {**others, **items}
        if key[0] not in UNTOUCHED and key[0] != "component" and items.get(key) != others.get(key)
    ]


def _text(items: Items, key: Key) -> str | None:
    found = written(items, key) if key in items else None
    return None if found is None else found.text


def _differences(items: Items, others: Items, name: str) -> Iterator[Variant]:
    for key in _changed(items, others):
        text = _text(others, key)
        if text is None:
            if key in items:
                yield Variant(key, "sister", None, PRICE, source=name)
            continue
        more = tuple((k, _text(others, k)) for k in _needed(items, others, key))
        if len(more) <= MOST_MORE:
            yield Variant(key, "sister", text, PRICE, None, more, name)


def _needed(items: Items, others: Items, key: Key) -> list[Key]:
    """The items that an item of another ruleset names and this one lacks, and theirs."""
    found: list[Key] = []
    open_ = [key]
    lacking = {k[1]: k for k in others if k not in items and k[0] not in UNTOUCHED and k[0] != "rule"}
    while open_:
        declared = items_of(_text(others, open_.pop()) or "") or {}
        for node in declared.values():
            for part in walk(node):
                other = lacking.get(part.name) if isinstance(part, n.Name) else None
                if other is not None and other != key and other not in found:
                    found.append(other)
                    open_.append(other)
    return found
