"""Phrases that are nearly right. A guess is only reported if the declaration can be read with it."""

from __future__ import annotations

import re
from collections.abc import Callable

from pwtool.lang.mistakes.stuck import Stuck, short, told, unexpected, written
from pwtool.lang.mistakes.words import NUMBERS
from pwtool.text import Diagnostic
from pwtool.text.source import Span

_Found = Diagnostic | None
_ASKED = r"(?:some|every|no|(?:at\s+(?:least|most)|exactly)\s+\d+)\s+(?:\[[^\]\n]*\](?:\s+(?:turned|mirrored))*|\w+)"
_COUNTED = r"(?=\w+\s*(?:on\s+\w+\s*)?:|\[[^\]\n]*\](?:\s+(?:turned|mirrored))*\s*:)"


def _whole(sign: str, more: int = 0) -> Callable[[re.Match[str]], str]:
    return lambda found: f"{sign} {max(0, int(found[1]) + more)}"


def _number(word: str) -> int:
    return int(word) if word.isdigit() else NUMBERS.index(word.lower())


def _one_of(found: re.Match[str]) -> str:
    values = re.findall(r"\w+", found[2])
    return "(" + " or ".join(f"{found[1]} == {value}" for value in values) + ")"


_BETWEEN = r"\1 >= \2 and \1 <= \3"
_Written = str | Callable[[re.Match[str]], str]
# Ways of saying it, what they are here, and whether nothing else can be meant.
_PHRASES: tuple[tuple[str, _Written, bool], ...] = (
    (r"(?<=\] )(?:mirror|flip)\b", "mirrored", True),
    (r"\bneighbou?rs?\s+of\b", "neighbours of", True),
    (r"\b(?:highest|greatest|largest|biggest|maximum)\s+(?!group\b)(\w+)\s+of\b", r"max \1 of", True),
    (r"\b(?:lowest|least|smallest|minimum)\s+(?!group\b)(\w+)\s+of\b", r"min \1 of", True),
    (r"(?<!\()\b((?:max|min)\s+\w+\s+of\s+\w+)\s+else\s+(-?\d+)", r"(\1 else \2)", True),
    (
        r"\b(?!(?:and|or|not|if|then|else|when|require)\b)([A-Za-z_][\w. ]{0,40}?) ?([<>]=?|[=!]=) ?(-?\w+) (and|or) ([<>]=?|[=!]=) ?(?=[\w-])",
        r"\1 \2 \3 \4 \1 \5 ",
        False,
    ),
    (
        r"\bbetween\s+(\d+)\s+and\s+(\d+)\s+(\w+): ([^:]+)\Z",
        r"(at least \1 \3: \4) and at most \2 \3: \4",
        False,
    ),
    (r"\bevery\s+(\d+)(?=\s+[A-Za-z\[])", r"at least \1", False),
    (r"\b(largest|smallest)\s+group(?:\s+of)?(?:\s+same)?\b", r"\1 group of same", True),
    (r"\bin\s+(\d+)\s*(?:to|-|until|\.\.\.)\s*(\d+)\s*(?=:)", r"in \1..\2", True),
    (
        r"\b([A-Za-z_][\w.]*)\s+(?:is\s+)?(?:in|one\s+of)\s*[\[{(]?\s*(\w+(?:\s*(?:,|\bor\b)\s*\w+)+)\s*[\]})]?",
        _one_of,
        False,
    ),
    (r"\b([A-Za-z_][\w.]*)\s+(?:is\s+)?in\s*[\[{(]\s*(\w+(?:\s+\w+)+)\s*[\]})]", _one_of, False),
    (r"\bthere\s+(?:is|are|exists?)\s+(?=(?:at|exactly|some|no)\b)", "", True),
    (rf"\bthere\s+(?:is|are|exists?)\s+(?:an?\s+|some\s+)?{_COUNTED}", "some ", True),
    (rf"(?<![\w.])(?:an?|one)\s+{_COUNTED}", "some ", False),
    (rf"\bnone\s+(?:of\s+)?(?:the\s+)?{_COUNTED}", "no ", True),
    (r"\bboth\s+(?=some|every|no|at|exactly)", "", True),
    (rf"\b({_ASKED})\s+(?:has|have|having|with|of)\s+(\w+)\s+(\w+)\b", r"\1: \2 == \3", True),
    (r"\bif\s+([^:\n]+?)\s*:\s*(?=[\w(-])", r"if \1 then ", True),
    (r"\b([\w.]+(?:\s+[\w.]+)*\s*(?:[=!<>]=|<|>)\s*\w+)\s*\?\s*(\w+)\s*:\s*(\w+)", r"(if \1 then \2 else \3)", False),
    (r"\b([A-Za-z_][\w.]*)\s+(?:is\s+)?between\s+(\w+)\s+and\s+(\w+)", _BETWEEN, False),
    (r"\b([A-Za-z_][\w.]*)\s+(?:is\s+)?(?:in|from)\s+(\w+)\s*(?:\.\.|\bto\b)\s*(\w+)", _BETWEEN, False),
    (r"(?<!least )(?<!most )(?<!exactly )\b(\d+)\s+or\s+more\b", _whole("at least"), True),
    (r"(?<!least )(?<!most )(?<!exactly )\b(\d+)\s+or\s+(?:less|fewer)\b", _whole("at most"), True),
    (r"\bmore\s+than\s+(\d+)\b", _whole("at least", 1), True),
    (r"\b(?:less|fewer)\s+than\s+(\d+)\b", _whole("at most", -1), True),
    (r"\bcount\s+of\b", "count", True),
    (r"\bturned\s+and\s+mirrored\b", "turned mirrored", True),
    (r"\b((?:at\s+(?:least|most)|exactly)\s+\d+)\s+of(?:\s+the)?\b", r"\1", True),
    (rf"\b({_ASKED})\s+(?:with|where|has|have|having|such\s+that)\s+", r"\1: ", True),
    (r"\bfor\s+(?:each|every|all)\b", "every", True),
    (r"\b(?:each|every)\s+(?=\w+\s*[<>=!])", "all ", False),
    (rf"\bnot\s+{_COUNTED}", "no ", False),
    (rf"\ball\s+{_COUNTED}", "every ", True),
    (rf"\bany\s+{_COUNTED}", "some ", False),
    (rf"\b(?i:(\d+|{'|'.join(NUMBERS)}))\s+{_COUNTED}", lambda found: f"at least {_number(found[1])} ", False),
)


def phrase(at: Stuck) -> _Found:
    """A phrase that is nearly right."""
    if at.declaration()[1] == "ranking":
        # Its criteria stand beside each other, and are no conditions.
        return None
    line, before = at.line_before() + at.line_behind(), len(at.line_before())
    begin = at.span.start - before
    for pattern, meant, safe in _PHRASES:
        for found in re.finditer(pattern, line):
            if not found.start() <= before <= found.end() + len(at.text) + 40:
                continue
            place = Span(at.file, begin + found.start(), begin + found.end())
            fix = written(place, found.expand(meant) if isinstance(meant, str) else meant(found), safe)
            if fix.text == place.text or not at.mended(fix):
                continue
            what = re.match(r"\s*\w*", line[found.end() :]) if fix.text.endswith(" ") else None
            text = fix.text + what[0] if what else fix.text
            said = short(place.text + what[0] if what else place.text)
            fix = written(place, fix.text, safe)
            if not text:
                return told(unexpected(said.strip()), place, "leave `{said}` out", fix, said=said.strip())
            help_line = "write `{text}`, or `{other}`" if pattern is _PHRASES[-1][0] else "write `{text}`"
            return told(unexpected(said), place, help_line, fix, text=text, other=text.replace("at least", "exactly"))
    return None
