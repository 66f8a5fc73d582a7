"""What a shell offers while a command line is typed: names of rulesets, objectives, rules, readings, codes, languages.

Each takes what is typed so far and returns what may stand there. Rulesets that cannot be loaded offer nothing: a
completion never complains.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from pwtool.cli.streams import collected, say

if TYPE_CHECKING:
    from pwtool.play.game import Game


ASKED_BY = "_PWTOOL_COMPLETE"
"""The variable by which a shell asks."""


def answer_bash(ask: Callable[[], object]) -> int:
    """Answer bash, which breaks words at `:` and `=`: they are put together before the library is asked, and what stands
    on the line already is left out of the answers.
    """
    before = _join_words()
    with collected() as answers, suppress(SystemExit):
        ask()
    found = answers.getvalue().splitlines()
    if found:
        say(*(one.removeprefix(before) for one in found))
    return 0


def _join_words() -> str:
    """Put the words on the line together again, and return what of the last one stands before its last break."""
    line, last = os.environ.get("COMP_WORDS", ""), int(os.environ.get("COMP_CWORD", "0"))
    words = line.split("\n" if "\n" in line else " ")
    joined: list[str] = []
    goes_on = False
    for word in words[: last + 1]:
        is_break = bool(word) and not word.strip(":=")
        if joined and (goes_on or is_break):
            joined[-1] += word
        else:
            joined.append(word)
        goes_on = is_break
    os.environ["COMP_WORDS"], os.environ["COMP_CWORD"] = "\n".join(joined), str(len(joined) - 1)
    end = joined[-1]
    return end[: max(end.rfind(":"), end.rfind("=")) + 1] if words[last : last + 1] != [end] else ""


def complete_rulesets(incomplete: str) -> list[str]:
    """Addresses: games, their editions, and with variants once an address stands."""
    from pwtool.rules.library import Library

    library = Library()
    found: list[str] = []
    for game in library.games():
        overlays = library.overlays(game)
        addresses = [game, *(f"{game}/{edition}" for edition in overlays["edition"])]
        found += addresses
        found += [f"{address}+{variant}" for address in addresses for variant in overlays["variant"]]
    return _fitting(found, incomplete)


def complete_objectives(incomplete: str) -> list[str]:
    """Objectives and shapes, by their names alone or behind an address."""
    address, colon, _ = incomplete.rpartition(":")
    names = [key[1] for game in _games(address or None) for key in game.ruleset.merged.items if key[0] in _DRAWN]
    return _fitting([f"{address}{colon}{name}" for name in names], incomplete)


_DRAWN = ("objective", "shape")


def complete_codes(incomplete: str) -> list[str]:
    """Codes of findings and ids of rules."""
    from pwtool.text import CODES

    address, colon, _ = incomplete.rpartition(":")
    if not colon and incomplete[:2].upper() == "PW":
        return _fitting(CODES, incomplete.upper())
    rules = [key[1] for game in _games(address or None) for key in game.ruleset.merged.items if key[1]]
    return _fitting([f"{address}{colon}{rule}" for rule in rules], incomplete)


def complete_readings(incomplete: str) -> list[str]:
    """Other readings of open points, of all rulesets."""
    found = []
    for game in _games(None):
        items = game.ruleset.merged.items
        found += [f"{key[1]}={a.name.name}" for key, node in items.items() for a in getattr(node, "alternatives", ())]
        found += [f"{key[1]}=printed" for key in items if key[0] == "erratum"]
    return _fitting(found, incomplete)


def complete_languages(incomplete: str) -> list[str]:
    """Languages of messages and of the texts of rules."""
    from pwtool.cli.common import languages

    return _fitting(languages(), incomplete)


def complete_importers(incomplete: str) -> list[str]:
    """Formats of other programs."""
    from pwtool.records.importers import importer_names

    return _fitting(importer_names(), incomplete)


def _games(address: str | None) -> Iterator[Game]:
    from pwtool.cli.common import open_shelf

    shelf = open_shelf()
    for each in [address] if address else shelf.library.games():
        book = shelf.get(each).value
        if book is not None:
            yield book.game


def _fitting(found: Iterable[str], incomplete: str) -> list[str]:
    return [one for one in dict.fromkeys(found) if one.startswith(incomplete)]
