"""Deals in other words: `deal 4 cards to each player`, `the remaining cards go to stock`."""

from __future__ import annotations

import re

from pwtool.lang.mistakes.stuck import Stuck, short, told, unexpected, written
from pwtool.lang.mistakes.words import NUMBERS
from pwtool.text import Diagnostic
from pwtool.text.source import Span

_DEAL = re.compile(r"(\bdeal\s+\w+\s+\"[^\"\n]*\"\s*:\s*)([^\n#{}]*[^\n#{}\s])")
_CHANCE = re.compile(r"\b(?:by\s+chance|at\s+random|randomly|random|shuffled|blindly)\b")
_KEPT = re.compile(r"\b(?:by\s+owner|seen\s+by\s+\w+)\b")
_REST = {"rest", "remaining", "remainder", "others", "else", "leftover", "left"}
_ALL = {"all", "every", "everything"}
# What says nothing that a deal does not say anyway.
_FILLERS = {
    *("a", "an", "the", "of", "from", "to", "into", "in", "on", "onto", "per", "each", "every", "player", "players", "other"),
    *("deal", "give", "put", "place", "draw", "get", "gets", "go", "goes", "receive", "receives", "s"),
}  # fmt: skip


def deal(at: Stuck) -> Diagnostic | None:
    """What a deal says in words of its own, where nothing else can be meant."""
    line = at.line_before() + at.line_behind()
    found = _DEAL.search(line) if at.declaration()[1] in ("setup", "add", "change") else None
    if found is None or not found.start() <= len(at.line_before()) <= found.end():
        return None
    meant = _meant(found[2], at.file.text)
    begin = at.span.start - len(at.line_before()) + found.start(2)
    place = Span(at.file, begin, begin + len(found[2]))
    if meant is None or meant == found[2]:
        return None
    fix = written(place, meant, False)
    return told(unexpected(short(found[2])), place, "write `{text}`", fix, text=meant) if at.mended(fix) else None


def _meant(said: str, text: str) -> str | None:
    decks = dict(re.findall(r"^\s*deck\s+(\w+)\s+of\s+(\w+)", text, re.M))
    zones = re.findall(r"^\s*zone\s+(\w+)", text, re.M)
    kept = [found[0] for found in _KEPT.finditer(said)]
    chance = ["by chance"] if _CHANCE.search(said) else []
    # To all players, and not all of what is dealt.
    said = re.sub(r"\b(?:all|every)\s+(?=players?\b)", "each ", _KEPT.sub(" ", _CHANCE.sub(" ", said)).lower())
    words = re.findall(r"\w+", said)
    numbers = [word for word in words if word.isdigit() or word in NUMBERS]
    named_zones = [zone for zone in zones if _names(zone, words)]
    named_decks = [deck for deck, component in decks.items() if _names(deck, words) or _names(component, words)]
    if not named_decks and len(decks) == 1:
        named_decks = [*decks]
    if not named_zones and {"each", "every", "per", "player", "players"} & set(words):
        own = re.findall(r"^\s*zone\s+(\w+)[^\n]*\bper\s+player\b", text, re.M)
        named_zones = own if len(own) == 1 else []
    if len(numbers) > 1 or len(named_decks) != 1 or len(named_zones) != 1:
        return None
    known = [*decks, *decks.values(), *zones]
    left = [word for word in words if not any(_names(name, [word]) for name in known) and word not in numbers]
    rest, all_of = _REST & set(left), _ALL & set(left)
    if set(left) - _FILLERS - _REST - _ALL or (numbers and (rest or all_of - {"every"})):
        return None
    if numbers:
        number = numbers[0] if numbers[0].isdigit() else str(NUMBERS.index(numbers[0]))
    elif not (rest or all_of):
        return None
    amount = f"{number} each" if numbers else "rest" if rest else "all"
    return " ".join([amount, "of", named_decks[0], "to", named_zones[0], *chance, *kept])


def _names(name: str, words: list[str]) -> bool:
    """Whether one of the words is the name, or one or several of it."""
    return any(word in (name.lower(), f"{name.lower()}s", name.lower().removesuffix("s")) for word in words)
