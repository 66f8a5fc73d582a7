"""Small changes of a ruleset: every number, word of choice, list and item of its trees, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.lang.merged import Key
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.records.decoding import Decoder
from pwtool.records.ruleset_store import Rulebook
from pwtool.rules.build import build_ruleset

WORDS = {"span", "text", "sees", "reason"}
UNTOUCHED = ("source", "section", "ambiguity", "erratum", "shape")
OTHERS = {
    "==": ("!=", "<="), "!=": ("==",), "<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<="),
    "and": ("or",), "or": ("and",), "every": ("some", "no"), "some": ("every", "no"), "no": ("some",), "+": ("-",), "-": ("+",),
    "turn": ("game",), "game": ("turn",), "most": ("fewest",), "fewest": ("most",), "least": ("most",), "add": ("set",),
    "set": ("add",), "largest": ("smallest",),
}  # fmt: skip
"""What may stand for a word that the language chooses from."""


def changed(held: Any) -> Iterator[Any]:
    """The tree, or a part of it, with one thing changed."""
    match held:
        case n.Node():
            for name in n.fields(held):
                if name not in WORDS:
                    found = (replace(held, **{name: new}) for new in changed(getattr(held, name)))
                    yield from (new for new in found if not isinstance(new, n.Picture) or _is_drawn(new))
        case bool():
            yield not held
        case int():
            yield held + 1
            if held:
                yield held - 1
        case str():
            yield from OTHERS.get(held, ())
        case tuple():
            for at, part in enumerate(held):
                yield from ((*held[:at], new, *held[at + 1 :]) for new in changed(part))
            if all(isinstance(part, n.Node) for part in held):
                yield from ((*held[:at], *held[at + 1 :]) for at in range(len(held)))
                yield from ((*held[:at], held[at + 1], held[at], *held[at + 2 :]) for at in range(len(held) - 1))


def _is_drawn(picture: n.Picture) -> bool:
    """Whether a text can make this picture: none has a cell outside of it."""
    return all(0 <= cell.row < picture.height and 0 <= cell.column < picture.width for cell in picture.cells)


def mutants(ruleset: Ruleset) -> Iterator[tuple[Key, n.Node | None]]:
    """Every change, by the item that it is made in; None: the item is left out."""
    for key, item in ruleset.merged.items.items():
        if key[0] not in UNTOUCHED:
            yield key, None
            yield from ((key, new) for new in changed(item))


def built(ruleset: Ruleset, key: Key, new: n.Node | None) -> Rulebook | None:
    """The ruleset with one item changed; None where that is not a ruleset."""
    items = {**ruleset.merged.items, key: new}
    kept = {name: item for name, item in items.items() if item is not None}
    try:
        made = build_ruleset(ruleset.address, replace(ruleset.merged, items=kept)).value
    except (IndexError, AssertionError, ValueError, AttributeError, TypeError):
        # A tree that no text makes: a list that has to hold something is empty.
        return None
    if made is None:
        return None
    game = Game(made)
    return Rulebook(game, Decoder(game), LegalActions(game))
