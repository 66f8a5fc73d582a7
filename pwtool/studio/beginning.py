"""What a new file begins with: house rules, an objective, or a small game."""

from __future__ import annotations

import re

import msgspec

from pwtool.lang.parser import keywords
from pwtool.lsp.model.records import Records
from pwtool.rules.beginnings import GAMES, NoBeginning, begin_game, begin_objective
from pwtool.studio.folder import NAMED, bases
from pwtool.studio.refusing import Refused
from pwtool.text.speech import Told


class Begun(msgspec.Struct):
    """What to begin: `house` rules or an `objective`, both of a `base`, or a kind of game; `name` is the one of its file."""

    name: str
    kind: str = "house"
    base: str = ""


def beginning(records: Records, begun: Begun) -> str:
    """The text to begin with. Raises `Refused`."""
    name = re.sub(r"^[^A-Za-z]+", "", re.sub(r"\W+", "_", begun.name, flags=re.ASCII))
    if not name:
        raise Refused(NAMED)
    if name in keywords():
        raise Refused(Told("`{name}` is a word of the language; choose another name", name=name))
    title = name.replace("_", " ").capitalize()
    if begun.kind in GAMES:
        return begin_game(begun.kind, name, title)
    if begun.base not in {base.address for base in bases()}:
        raise Refused(Told("there is no {what} {name}", what=Told("ruleset"), name=f"`{begun.base}`"))
    if begun.kind != "objective":
        return f'edition {name} of {begun.base} "{title}"\n'
    book = records.ruleset_store().get(begun.base).value
    assert book is not None, "a ruleset of the library"
    try:
        return begin_objective(book.game.ruleset, name, title, begun.base)
    except NoBeginning as reason:
        raise Refused(reason.message, reason.help) from reason
