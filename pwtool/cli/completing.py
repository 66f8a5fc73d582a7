"""Shell completion: names of rulesets, objectives, rules, readings, codes, languages.

Each function takes the text typed so far and returns possible values. Rulesets that cannot be loaded offer nothing:
completion never reports errors.
"""

from __future__ import annotations

import io
import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout, suppress
from typing import TYPE_CHECKING, Any

import typer

from pwtool.cli.streams import print_bytes, say
from pwtool.text.terminal import escape

if TYPE_CHECKING:
    from pwtool.play.game import Game


ASKED_BY = "_PWTOOL_COMPLETE"
"""The variable that a completing shell sets."""


_LINE, _WHAT = "_TYPER_COMPLETE_ARGS", "_TYPER_COMPLETE_FISH_ACTION"


def shell_that_asks() -> str | None:
    """The shell that requests completions, if it is one that is answered here."""
    shell = os.environ.get(ASKED_BY, "").removeprefix("complete_")
    return shell if shell in _ANSWERS else None


def answer(shell: str, ask: Callable[[], object]) -> int:
    """Answer a shell in its own format with what the library finds. For `--option=value` the library returns the value
    alone, while a shell replaces the whole word.
    """
    if shell == "fish" and os.environ.get(_WHAT) == "is-args":
        # If nothing is found, fish completes file names itself: no second search is needed.
        return 0
    before = _join_words() if shell == "bash" else ""
    line = os.environ.get(_LINE, "")
    word = "" if line.endswith(" ") else line.split()[-1] if line.split() else ""
    option = word[: word.find("=") + 1] if word.startswith("--") else ""
    os.environ[ASKED_BY], os.environ[_WHAT] = "complete_fish", "get-args"
    with redirect_stdout(io.StringIO()) as answers, suppress(SystemExit):
        ask()
    each = (line.partition("\t") for line in answers.getvalue().splitlines() if line)
    found = [(option + value, told) for value, _, told in each]
    _ANSWERS[shell](found, before if shell == "bash" else option)
    return 0


Found = list[tuple[str, str]]
"""The possible words, each with a description."""


def _answer_bash(found: Found, before: str) -> None:
    if found:
        say(*(word.removeprefix(before) for word, _ in found))


def _answer_zsh(found: Found, option: str) -> None:
    if not found:
        say(f"compset -P {shlex.quote(option)}; _files" if option else "_files")
        return
    words = [word.replace("\\", "\\\\").replace(":", "\\:") + (f":{told}" if told else "") for word, told in found]
    say(f"local -a found; found=({' '.join(map(shlex.quote, words))}); _describe pwtool found")


def _answer_fish(found: Found, option: str) -> None:
    lines = ["\t".join(escape(part) for part in each if part) + "\n" for each in found]
    print_bytes("".join(lines).encode())


_ANSWERS = {"bash": _answer_bash, "zsh": _answer_zsh, "fish": _answer_fish}


def _join_words() -> str:
    """Rejoin the words that bash breaks at `:` and `=`; also returns the part of the last one before its last break,
    because bash only completes what follows it.
    """
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
    end = joined[-1]
    os.environ[_LINE] = " ".join([*joined[:-1], end])
    return end[: max(end.rfind(":"), end.rfind("=")) + 1] if words[last : last + 1] != [end] else ""


def complete_rulesets(incomplete: str) -> list[str]:
    """Addresses: games, their editions, and variants once an address is complete."""
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
    """Objectives, by name alone or after an address."""
    return _complete_named(incomplete, "objective")


def complete_drawn(incomplete: str) -> list[str]:
    """Objectives and shapes."""
    return _complete_named(incomplete, "objective", "shape")


def _complete_named(incomplete: str, *kinds: str) -> list[str]:
    address, colon, _ = incomplete.rpartition(":")
    names = [key[1] for game in _games(address or None) for key in game.ruleset.merged.items if key[0] in kinds]
    return _fitting([f"{address}{colon}{name}" for name in names], incomplete)


def complete_studied(incomplete: str) -> list[str]:
    """Rulesets, and after the colon their objectives."""
    return complete_objectives(incomplete) if ":" in incomplete else complete_rulesets(incomplete)


def complete_items(incomplete: str) -> list[str]:
    """Rules, objectives and everything else in the rulesets that has a name."""
    return _fitting((key[1] for game in _games(None) for key in game.ruleset.merged.items), incomplete)


def complete_codes(incomplete: str) -> list[str]:
    """Codes of findings and ids of rules."""
    from pwtool.text import CODES

    address, colon, _ = incomplete.rpartition(":")
    if not colon and incomplete[:2].upper() == "PW":
        return _fitting(CODES, incomplete.upper())
    rules = [key[1] for game in _games(address or None) for key in game.ruleset.merged.items if key[1]]
    return _fitting([f"{address}{colon}{rule}" for rule in rules], incomplete)


def complete_readings(incomplete: str) -> list[str]:
    """Other readings of the open points of all rulesets."""
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
    from pwtool.records.importers.installed import format_names

    return _fitting(format_names(), incomplete)


def complete_commands(ctx: typer.Context, incomplete: str) -> list[str]:
    """Commands, or those of the group that was named."""
    group: Any = ctx.find_root().command
    for name in ctx.params.get("command") or ():
        group = getattr(group, "commands", {}).get(name)
    return _fitting(getattr(group, "commands", ()), incomplete)


def _games(address: str | None) -> Iterator[Game]:
    from pwtool.cli.common import open_store

    ruleset_store = open_store()
    for each in [address] if address else ruleset_store.library.games():
        book = ruleset_store.get(each).value
        if book is not None:
            yield book.game


def _fitting(found: Iterable[str], incomplete: str) -> list[str]:
    return [one for one in dict.fromkeys(found) if one.startswith(incomplete)]
