"""Words that are nearly those of the language, and what others say in their place. A guess is only told when the
declaration can be read with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import SequenceMatcher

from pwtool.lang.mistakes.stuck import Stuck, short, told, written
from pwtool.text import Diagnostic
from pwtool.text.source import Span

_Found = Diagnostic | None
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_PAIRS = re.compile(
    r"(at\s+least|at\s+most|at\s+once|top\s+of|tops\s+of|cards\s+of|cells\s+of|neighbours\s+of|place\s+of|player\s+after)\b", re.I
)  # fmt: skip
# What others say, and what it is here.
_MEANT = {
    "each": "every", "all": "every", "any": "some", "rotated": "turned", "rotatable": "turned", "flipped": "mirrored",
    "reflected": "mirrored", "mirror": "mirrored", "different": "distinct", "unique": "distinct", "equal": "same",
    "identical": "same", "increasing": "ascending", "rising": "ascending", "total": "sum", "exact": "exactly",
}  # fmt: skip
_NEAR = 0.7
_SURE = 0.8
# How far back a picture is looked for that has a name for its cells.
_DRAWN = 4000
_ASKED = r"(?:some|every|no|(?:at\s+(?:least|most)|exactly)\s+\d+)\s+(?:\[[^\]\n]*\](?:\s+(?:turned|mirrored))*|\w+)"
_COUNTED = r"(?=\w+\s*(?:on\s+\w+\s*)?:|\[[^\]\n]*\](?:\s+(?:turned|mirrored))*\s*:)"


def _whole(sign: str, more: int = 0) -> Callable[[re.Match[str]], str]:
    return lambda found: f"{sign} {max(0, int(found[1]) + more)}"


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS.index(word.lower())


_BETWEEN = r"\1 >= \2 and \1 <= \3"
_Written = str | Callable[[re.Match[str]], str]
# Ways of saying it, what they are here, and whether nothing else can be meant.
_PHRASES: tuple[tuple[str, _Written, bool], ...] = (
    (r"\b(largest|smallest)\s+group(?:\s+of)?(?:\s+same)?\b", r"\1 group of same", True),
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
    (rf"\bnot\s+{_COUNTED}", "no ", False),
    (rf"\ball\s+{_COUNTED}", "every ", True),
    (rf"\bany\s+{_COUNTED}", "some ", False),
    (rf"\b(?i:(\d+|{'|'.join(_NUMBERS)}))\s+{_COUNTED}", lambda found: f"at least {_number(found[1])} ", False),
)


def phrase(at: Stuck) -> _Found:
    """A way of saying it that is nearly right."""
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
            other = f", or `{text.replace('at least', 'exactly')}`" if pattern is _PHRASES[-1][0] else ""
            fix = written(place, fix.text, safe)
            return told(f"unexpected `{said}`", place, f"write `{text}`{other}", fix)
    return None


def near_word(at: Stuck) -> _Found:
    """A word of the language misspelt, or another word for it: here, or right before, where it was taken for a name."""
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
                return told(
                    f"unexpected `{place.text}`", place, f"words of the language are written small: `{meant}`", fix
                )
            help_line = f"write `{meant}`" if _MEANT.get(word) == meant else f"did you mean `{meant}`?"
            return told(f"`{place.text}` is no word of the language", place, help_line, fix)
    return None


def _alike(word: str, keywords: frozenset[str]) -> list[tuple[str, bool]]:
    """The words of the language that may be meant, the likeliest first, each with whether there is no doubt."""
    if word in keywords and word not in _MEANT:
        return [(word, True)]
    if word in _MEANT:
        return [(_MEANT[word], True)]
    likeness = {
        k: SequenceMatcher(None, word, k).ratio() for k in keywords if len(k) > 2 and abs(len(k) - len(word)) < 3
    }
    near = sorted((k for k, ratio in likeness.items() if ratio >= _NEAR), key=lambda k: (-likeness[k], k))
    return [(k, likeness[k] >= _SURE) for k in near[:3]]


def of_a_card(at: Stuck) -> _Found:
    """`sum of value`."""
    found = at.said_before(r"\bsum\s+(of)\s+\Z")
    if found is None or not re.match(r"[A-Za-z_]", at.text):
        return None
    what = "ATTRIBUTE" if at.text in at.keywords else at.text
    help_line = f"the attribute stands before `of`: `sum {what} of ...`, of the cells of a shape `sum {what}`"
    return told("unexpected `of`", at.group(found, 1), help_line)


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
    return told(at.unexpected(), at.span, f"a dot stands between them: `{fix.text}`", fix)


def counted(at: Stuck) -> _Found:
    """A number in words, or none at all."""
    if "INT" not in at.expected or not re.fullmatch(r"[A-Za-z]+", at.text):
        return None
    if at.text.lower() in _NUMBERS:
        number = str(_NUMBERS.index(at.text.lower()))
        return told(at.unexpected(), at.span, f"numbers are written in figures: `{number}`", written(at.span, number))
    word = at.word_before()
    if word is not None and word.text in ("least", "most", "exactly"):
        said = "exactly" if word.text == "exactly" else f"at {word.text}"
        return told(f"`{said}` of how many", at.span, f"a number is missing: `{said} 2 {at.text}`")
    return None


def is_value(at: Stuck) -> _Found:
    """`color is yellow`."""
    found = at.said_before(r"\b(is(?:\s+not)?)\s+\Z")
    if found is None or not at.expected & {"EMPTY", "IN"} or not re.match(r"\w", at.text):
        return None
    sign = "!=" if "not" in found[1] else "=="
    return told(at.unexpected(), at.span, f"values are compared with `{sign}`", written(at.group(found, 1), sign))


def small_letters(at: Stuck) -> _Found:
    """A word of the language with capital letters."""
    near = range(max(0, at.span.start - 20), at.span.start + 1)
    pairs = _PAIRS.finditer(at.file.text, near[0], at.span.end + 20)
    pair = next((m for m in pairs if m.start() in near and at.span.start < m.end()), None)
    if pair is not None and pair[0] != pair[0].lower():
        place, meant = Span(at.file, pair.start(), pair.end()), " ".join(pair[0].lower().split())
    elif at.text.lower() in at.keywords and at.text != at.text.lower():
        place, meant = at.span, at.text.lower()
    else:
        return None
    help_line = f"words of the language are written small: `{meant}`"
    return told(f"unexpected `{short(place.text)}`", place, help_line, written(place, meant))
