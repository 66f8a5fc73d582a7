"""Words that are nearly keywords, and words of other languages for them. A guess is only reported if the declaration
can be read with it.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from pwtool.lang.mistakes.stuck import Stuck, short, told, unexpected, written
from pwtool.text import Diagnostic
from pwtool.text.source import Span
from pwtool.text.speech import Told

_Found = Diagnostic | None
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_PAIRS = re.compile(
    r"(at\s+least|at\s+most|at\s+once|top\s+of|tops\s+of|cards\s+of|cells\s+of|cells\s+from|cells\s+between|neighbours\s+of|place\s+of|player\s+after)\b", re.I
)  # fmt: skip
# What others say, and what it is here.
_MEANT = {
    "each": "every", "all": "every", "any": "some", "rotated": "turned", "rotatable": "turned", "flipped": "mirrored",
    "reflected": "mirrored", "mirror": "mirrored", "different": "distinct", "unique": "distinct", "equal": "same",
    "identical": "same", "increasing": "ascending", "rising": "ascending", "total": "sum", "exact": "exactly",
}  # fmt: skip
_NEAR = 0.7
_SURE = 0.8
# Words of other languages that designers think in. Longer ones first.
FOREIGN = (
    ("au\\s+moins", "at least"), ("au\\s+plus", "at most"), ("exactement", "exactly"), ("mindestens", "at least"),
    ("hoechstens", "at most"), ("maximal", "at most"), ("genau", "exactly"), ("chaque", "every"), ("tou(?:s|tes)", "every"),
    ("jede[rs]?", "every"), ("alle", "every"), ("aucune?", "no"), ("keine?", "no"), ("quelques?", "some"), ("einige", "some"),
    ("somme", "sum"), ("summe", "sum"), ("nombre", "count"), ("anzahl", "count"), ("et", "and"), ("und", "and"),
    ("ou", "or"), ("oder", "or"), ("nicht", "not"), ("gleiche[rs]?", "same"), ("objectif", "objective"), ("ziel", "objective"),
)  # fmt: skip
# How far back a picture is looked for that has a name for its cells.
_DRAWN = 4000


def near_word(at: Stuck) -> _Found:
    """A misspelled keyword, or another word for it: here, or right before, where it was taken for a name."""
    for place in (at.span, at.word_before()):
        if (
            place is None
            or not re.fullmatch(r"[A-Za-z_]{3,}", place.text)
            or place.text in at.keywords - {"all", "any"}
        ):
            continue
        word = place.text.lower()
        for meant, sure in _alike(word, at.keywords):
            fix = written(place, meant, sure)
            if meant == place.text or not at.mended(fix):
                continue
            if meant == word:
                return told(unexpected(place.text), place, "keywords are written in lower case: `{meant}`", fix, meant=meant)  # fmt: skip
            help_line = None if _MEANT.get(word) == meant else Told("did you mean {name}?", name=f"`{meant}`")
            return told("`{text}` is not a word of the language", place, help_line, fix, text=place.text)
    return None


def _alike(word: str, keywords: frozenset[str]) -> list[tuple[str, bool]]:
    """The keywords that may be meant, the likeliest first, each with whether there is no doubt."""
    if word in keywords and word not in _MEANT:
        return [(word, True)]
    if word in _MEANT:
        return [(_MEANT[word], True)]
    likeness = {
        k: SequenceMatcher(None, word, k).ratio() for k in keywords if len(k) > 2 and abs(len(k) - len(word)) < 3
    }
    near = sorted((k for k, ratio in likeness.items() if ratio >= _NEAR), key=lambda k: (-likeness[k], k))
    return [(k, likeness[k] >= _SURE) for k in near[:3]]


def removed(at: Stuck) -> _Found:
    """`remove choice way`, `remove supply bowl`: what stands for other items is removed as these."""
    if at.text not in ("choice", "supply") or at.said_before(r"\bremove\s+\Z") is None:
        return None
    kinds = "`remove deck NAME`, `remove zone NAME`, `remove setup NAME`"
    kinds = "`remove component NAME`" if at.text == "choice" else kinds
    return told(unexpected(at.text), at.span, "what it declares is removed: {kinds}", kinds=kinds)


def line_counted(at: Stuck) -> _Found:
    """`count (line of 3 on board: ...)`."""
    if at.text != "of" or at.said_before(r"\bcount\s*\(\s*(separate\s+)?line\s*\Z") is None:
        return None
    help_line = "what is counted is a shape with a name: `shape row = line of 3`, `count (row on ...: ...)`"
    return told(unexpected("of"), at.span, help_line)


def of_a_card(at: Stuck) -> _Found:
    """`sum of value`."""
    found = at.said_before(r"\bsum\s+(of)\s+\Z")
    if found is None or not re.match(r"[A-Za-z_]", at.text):
        return None
    what = "ATTRIBUTE" if at.text in at.keywords else at.text
    help_line = "the attribute comes before `of`: `sum {what} of ...`, of the cells of a shape `sum {what}`"
    return told(unexpected("of"), at.group(found, 1), help_line, what=what)


def dot_missing(at: Stuck) -> _Found:
    """`a value`, where `a` is a letter of a picture or a name bound by `in`."""
    word = at.word_before()
    if word is None or not at.behind or not re.fullmatch(r"[A-Za-z_]\w*", at.text) or at.text in at.keywords:
        return None
    begin, _ = at.declaration()
    before = at.file.text[max(begin, word.start - _DRAWN) : word.start]
    drawn = re.search(rf"\[[^\]\"]*(?<!\w){word.text}(?!\w)[^\]\"]*\]", before)
    if drawn is None and re.search(rf"\b{word.text}\s+in\b", before) is None:
        return None
    fix = written(Span(at.file, word.start, at.span.end), f"{word.text}.{at.text}")
    if not at.mended(fix):
        return None
    return told(at.unexpected(), at.span, "a dot goes between them: `{text}`", fix, text=fix.text)


def counted(at: Stuck) -> _Found:
    """A number in words, or a missing one."""
    if "INT" not in at.expected or not re.fullmatch(r"[A-Za-z]+", at.text):
        return None
    if at.text.lower() in NUMBERS:
        number = str(NUMBERS.index(at.text.lower()))
        return told(at.unexpected(), at.span, "numbers are written in digits: `{number}`", written(at.span, number), number=number)  # fmt: skip
    word = at.word_before()
    if word is not None and word.text in ("least", "most", "exactly"):
        said = "exactly" if word.text == "exactly" else f"at {word.text}"
        return told("`{said}` of how many", at.span, "a number is missing: `{said} 2 {text}`", said=said, text=at.text)
    return None


def range_ends(at: Stuck) -> _Found:
    """`players 2`: one number where a range has two."""
    number = at.said_before(r"(-?\d+)\s*\Z")
    if (
        number is None
        or at.expected != {"__ANON_0"}
        or at.declaration()[1] not in ("players", "component", "var", "zone")
    ):
        return None
    place = at.group(number, 1)
    fix = written(place, f"{place.text}..{place.text}")
    help_line = "`{text}` is this number alone"
    return told("a range has two ends", place, help_line, fix if at.mended(fix) else None, text=fix.text)


def code_of_digits(at: Stuck) -> _Found:
    """`deck small of card = { 11 12 }`: numbers here say how many."""
    if at.declaration()[1] != "deck" or "CODE" not in at.expected or not at.text.isdigit():
        return None
    help_line = 'a number says how many, so a code needs a letter here; one before all codes of a component is written `component NAME "c"`'
    return told(at.unexpected(), at.span, help_line)


def foreign(at: Stuck) -> _Found:
    """A French or German word for a keyword."""
    before, line = at.word_before(), at.line_behind()
    starts = [at.span.start] if before is None else [before.start, at.span.start]
    for start in starts:
        said = at.file.text[start : at.span.start] + line
        for words, meant in FOREIGN:
            found = re.match(rf"{words}\b", said, re.I)
            if found is not None:
                place = Span(at.file, start, start + found.end())
                fix = written(place, meant)
                help_line = "the words of the language are English: write `{meant}`"
                return told(unexpected(place.text), place, help_line, fix if at.mended(fix) else None, meant=meant)
    return None


def is_value(at: Stuck) -> _Found:
    """`color is yellow`."""
    found = at.said_before(r"\b(is(?:\s+not)?)\s+\Z")
    if found is None or not at.expected & {"EMPTY", "IN"} or not re.match(r"\w", at.text):
        return None
    if at.text in ("even", "odd", "prime", "divisible"):
        return told(at.unexpected(), at.span, "there is no remainder; name the values: `value == 2 or value == 4`")
    sign = "!=" if "not" in found[1] else "=="
    return told(at.unexpected(), at.span, "values are compared with `{sign}`", written(at.group(found, 1), sign), sign=sign)  # fmt: skip


def small_letters(at: Stuck) -> _Found:
    """A keyword with capital letters."""
    near = range(max(0, at.span.start - 20), at.span.start + 1)
    pairs = _PAIRS.finditer(at.file.text, near[0], at.span.end + 20)
    pair = next((m for m in pairs if m.start() in near and at.span.start < m.end()), None)
    if pair is not None and pair[0] != pair[0].lower():
        place, meant = Span(at.file, pair.start(), pair.end()), " ".join(pair[0].lower().split())
    elif at.text.lower() in at.keywords and at.text != at.text.lower():
        place, meant = at.span, at.text.lower()
    else:
        return None
    fix = written(place, meant)
    return told(unexpected(short(place.text)), place, "keywords are written in lower case: `{meant}`", fix, meant=meant)
