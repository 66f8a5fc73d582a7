"""How things lie said in words, where it is drawn: `two diagonal piles: same color`."""

from __future__ import annotations

import re

from pwtool.lang.mistakes.stuck import Stuck, short, told, unexpected, written
from pwtool.lang.mistakes.words import NUMBERS
from pwtool.text import Diagnostic
from pwtool.text.source import Span
from pwtool.text.speech import Told

_LONGEST = 5
_NUMBERS = {word: number for number, word in enumerate(NUMBERS)} | {
    "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5,
}  # fmt: skip
_BESIDE = (
    r"adjacent(?:es)?|neighbou?r(?:s|ing)?|touching|voisin(?:e?s)?|benachbarte[rn]?|(?:that\s+(?:are\s+)?)?(?:side\s+by\s+side|next\s+to\s+each\s+other)"
    r"|in\s+a\s+(?:row|line|column)|côte\s+à\s+côte|en\s+ligne|nebeneinander|in\s+einer\s+(?:reihe|zeile)"
)
_DIAGONAL = (
    r"diagonal(?:ly|es?|er|en)?(?:[\s-]+(?:adjacent|neighbou?ring|touching|benachbarte))?|(?:in\s+a|on\s+a|en)\s+diagonale?"
    r"|(?:that\s+)?touch(?:ing)?\s+at\s+a\s+corner|corner\s+to\s+corner"
)
_MANY = rf"(?:(?:some|at\s+least|exactly|au\s+moins|mindestens|genau)\s+)?(?:(?P<number>\d+|{'|'.join(_NUMBERS)})\s+)?"
_PLACED = rf"(?:(?P<diagonal>{_DIAGONAL})|(?:{_BESIDE}))"
_SAME = r"(?:\s*:?\s*(?:of|with)\s+(?:one|(?:the\s+)?same|equal)\s+(?P<same>\w+)|\s*(?P<colon>:))?"
_WORDS = re.compile(
    rf"(?<![\w.\]])(?:{_MANY}{_PLACED}\s+[^\W\d]\w*|{_MANY.replace('number', 'how_many')}[^\W\d]\w*\s+{_PLACED.replace('diagonal>', 'corners>')}){_SAME}(?!\w)",
    re.IGNORECASE,
)
_EACH = re.compile(r"\b(?:each|every)\s+(?=\w+\s*[<>=!])")


def drawn(at: Stuck) -> Diagnostic | None:
    """`two diagonal piles: same color`, `three cards in a row`: how things lie is a picture."""
    if at.declaration()[1] != "objective":
        return None
    before, behind = at.line_before(), at.line_behind()
    begin = at.span.start - len(before)
    for found in _WORDS.finditer(before + behind):
        if not found.start() <= len(before) < found.end():
            continue
        word = found["number"] or found["how_many"] or "2"
        number = int(word) if word.isdigit() else _NUMBERS[word.lower()]
        if not 1 < number <= _LONGEST:
            return None
        picture = _picture(number, bool(found["diagonal"] or found["corners"]))
        said = f": same {found['same']}" if found["same"] else found["colon"] or ""
        place = Span(at.file, begin + found.start(), begin + found.end())
        fix = written(place, f"some {picture} turned{said}", safe=False)
        shown = fix.text if found["same"] else f"{fix.text.rstrip(':')}: ..."
        message, help_line = (unexpected(short(place.text.rstrip(": "))), Told("draw how they lie: `{shown}`", shown=shown))  # fmt: skip
        if at.mended(fix):
            return told(message, place, help_line, fix)
        # What is said of each of them comes behind, often in words of its own.
        rest = (before + behind)[found.end() :].rstrip()
        whole = written(
            Span(at.file, place.start, place.end + len(rest)), fix.text + _EACH.sub("all ", rest), safe=False
        )
        return told(message, place, help_line, whole if at.mended(whole) else None)
    return None


def _picture(number: int, diagonal: bool) -> str:
    if not diagonal:
        return f"[ {' '.join('#' * number)} ]"
    rows = (" ".join("#" if x == y else "." for x in range(number)) for y in range(number))
    return f"[ {' / '.join(rows)} ]"
