"""Declarations of games that are nearly right. A guess that is written as a fix is only reported if the declaration can be read
with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from pwtool.lang.mistakes.rewordings import ASKED, CALLED, CHANGED, NEVER_RIGHT, SAID
from pwtool.lang.mistakes.stuck import Stuck, short, told, unexpected, written
from pwtool.text import Diagnostic, Fix, closest
from pwtool.text.source import Span
from pwtool.text.speech import mark

# Of many words, one is like nearly any other.
_FEW = 8


def said_otherwise(at: Stuck) -> Diagnostic | None:
    """A declaration of a game in other words, and what to write: `ending out "..." if ...`, `move 2 cards from stock to hand`."""
    for place, meant, safe in _meant(at, _kind(at)):
        fix = _shortest(written(place, meant, safe))
        if fix.text != fix.span.text and at.mended(fix):
            said = fix.span.text.strip()
            help_line = "write `{text}`" if fix.text.strip() else "leave `{said}` out"
            return told(unexpected(short(said)), fix.span, help_line, fix, text=fix.text.strip(), said=said)
    return None


def _kind(at: Stuck) -> str:
    """What kind of declaration it is; what an overlay changes or adds is declared as in a game."""
    begin, kind = at.declaration()
    if kind in ("change", "add") and at.text != "because":
        found = re.match(r"(?:change|add)\s+(\w+)", at.file.text[begin : at.span.start])
        kind = found[1] if found else kind
    return kind


def said_of(at: Stuck) -> Diagnostic | None:
    """What helps with a declaration in other words that no fix is known for: `deal two cards each`."""
    kind = _kind(at)
    words = [word.lower() for word in at.expected if word.isalpha()]
    if len(words) <= _FEW and at.text not in at.keywords and closest(at.text, words):
        return None  # one of these, misspelt
    for kinds, pattern, help_line in ASKED:
        if (not kinds or kind in kinds) and any(_around(at, pattern)):
            return told(at.unexpected(), at.span, help_line)
    for begin, line, place in _lines(at)[1:]:
        for _, pattern, help_line in NEVER_RIGHT if kind in CHANGED else ():
            for found in _near(pattern, line, place):
                said = Span(at.file, begin + found.start(), begin + found.end())
                return told(unexpected(short(said.text)), said, help_line)
    return None


def unfinished(at: Stuck) -> Diagnostic | None:
    """A declaration without its last part: the next one begins instead."""
    kind = at.declaration()[1]
    asked = {
        "ending": ("THEN", mark("what follows is missing: `then stop`, `then stop at once` or `then 1 more turn each`")),
        "token": ("ON", mark("where it can lie is missing: `token NAME on ZONE`")),
        "zone": ("OF", mark("what lies there is missing: `of COMPONENT`")),
        "var": ("PER", mark("how long it lasts is missing: `per turn`, `per round` or `per game`")),
    }  # fmt: skip
    sign, help_line = asked.get(kind, ("", ""))
    if not sign or sign not in at.expected or not (at.begins_line or not at.text):
        return None
    end = len(at.file.text[: at.span.start].rstrip())
    last = at.file.text.rfind("\n", 0, end) + 1
    return told("the declaration is not complete", Span(at.file, last, end), help_line)


def called_otherwise(at: Stuck) -> Diagnostic | None:
    """A declaration that begins with another word: `winner most points`."""
    if not at.begins_line or "OBJECTIVE" not in at.expected or at.text in at.keywords:
        return None
    for pattern, help_line in CALLED:
        if re.fullmatch(pattern, at.text, re.I):
            return told("`{text}` is not a word of the language", at.span, help_line, text=at.text)
    return None


def _shortest(fix: Fix) -> Fix:
    """The fix without the words at its beginning and the space at its end that stay, as long as something is left of both."""
    end = fix.span.end
    if fix.span.text[-1:].isspace() and fix.text[-1:].isspace():
        fix, end = written(Span(fix.span.file, fix.span.start, end - 1), fix.text[:-1], fix.safe), end - 1
    old, new = (re.split(r"(?<=\s)(?=\S)", text) for text in (fix.span.text, fix.text))
    stay = 0
    while stay < min(len(old), len(new)) - 1 and old[stay] == new[stay]:
        stay += 1
    begin = fix.span.start + len("".join(old[:stay]))
    return written(Span(fix.span.file, begin, end), "".join(new[stay:]), fix.safe)


def _around(at: Stuck, pattern: str) -> Iterator[re.Match[str]]:
    """What is said on the line of the place, at the place or right before."""
    before = at.line_before()
    return _near(pattern, before + at.line_behind(), len(before))


def _near(pattern: str, line: str, place: int) -> Iterator[re.Match[str]]:
    return (found for found in re.finditer(pattern, line) if found.start() <= place <= found.end() + 1)


def _lines(at: Stuck) -> list[tuple[int, str, int]]:
    """The line of the place, and the one before if its end may be meant: where each begins, its text, and the place in it."""
    before = at.line_before()
    lines = [(at.span.start - len(before), before + at.line_behind(), len(before))]
    # The first word of a line may have been taken for a name that belongs to the line before.
    if re.fullmatch(r"\s*(?:\w+\s+)?", before):
        above = at.file.text[: at.line_start].rstrip().rpartition("\n")[2]
        lines.append((len(at.file.text[: at.line_start].rstrip()) - len(above), above, len(above)))
    return lines


def _meant(at: Stuck, kind: str) -> Iterator[tuple[Span, str, bool]]:
    """What may be meant on the line of the place, or at the end of the line before where a line begins there."""
    for (begin, line, place), (kinds, pattern, meant, safe) in product(_lines(at), SAID):
        for found in _near(pattern, line, place) if not kinds or kind in kinds else ():
            if not _declared(found.groupdict(), at.file.text):
                continue
            text = found.expand(meant) if isinstance(meant, str) else meant(found)
            yield Span(at.file, begin + found.start(), begin + found.end()), text, safe


def _declared(named: dict[str, str | None], text: str) -> bool:
    """Whether what is taken for an attribute, a component, a zone, an action or a variable is one; `own` is of each player."""
    attribute, component = named.get("attribute"), named.get("component")
    if attribute is not None and not (
        re.search(rf"\b{attribute}\s*:", text) and not re.search(rf"\bcomponent\s+{attribute}\b", text)
    ):
        return False
    if component is not None and re.search(rf"\bcomponent\s+{component.removesuffix('s')}s?\b", text) is None:
        return False
    own = named.get("own")
    if own is not None and re.search(rf"\b(?:var|zone)\s+{own}\b[^\n]*\bper\s+player\b", text) is None:
        return False
    for kind in ("zone", "action", "var"):
        name = re.match(r"\w*", named.get(kind) or "")
        if name is not None and name[0] and re.search(rf"\b{kind}\s+{name[0]}\b", text) is None:
            return False
    return True
