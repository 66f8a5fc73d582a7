"""Mistakes with single signs: operators of other languages, quotation marks, spaces, letters, pictures."""

from __future__ import annotations

import re
import unicodedata

from pwtool.lang.mistakes.stuck import NAME_HELP, Stuck, short, told, unexpected, written
from pwtool.lang.pictures import SIGN_HELP
from pwtool.text import Diagnostic, Fix
from pwtool.text.source import Span

_Found = Diagnostic | None
# What others write, and what it is here. Longer signs first.
_SIGNS = {
    "&&": "and", "||": "or", "<>": "!=", "=<": "<=", "=>": ">=", "===": "==", "≤": "<=", "≥": ">=", "≠": "!=", "×": "*",
    "−": "-", "–": "-", "&": "and", "|": "or", "!": "not",
}  # fmt: skip
_QUOTES = "“”„«»‟″'‘’`"
_CLOSING = {"“": "”", "„": "“”", "«": "»", "»": "«", "'": "'", "‘": "’", "’": "’", "`": "`'", "”": "”", "″": "″"}
_PICTURE = re.compile(r"\[[^\]\n\"]*\]")
_LISTED = 1000
_ADDS = "__ANON_1"
_ASSIGNMENT = re.compile(r"(\*[ ]?=|\+\+|--|:=)")


def blank(at: Stuck) -> _Found:
    """An invisible or unusual space, as word processors write it."""
    sign = at.file.text[at.span.start : at.span.start + 1]
    if not sign or sign.isascii():
        return None
    place = Span(at.file, at.span.start, at.span.start + 1)
    if unicodedata.category(sign) == "Cf":
        message = "an invisible sign ({sign}) is not allowed here"
        return told(message, place, None, Fix(place, "", "remove it", safe=True), sign=f"U+{ord(sign):04X}")
    if unicodedata.category(sign) == "Zs":
        message = "an unusual space ({sign}) is not allowed here"
        if "<noBreak>" in unicodedata.decomposition(sign):
            message = "a non-breaking space ({sign}) is not allowed here"
        return told(message, place, None, Fix(place, " ", "write a normal space", safe=True), sign=f"U+{ord(sign):04X}")
    return None


def letter(at: Stuck) -> _Found:
    """A name with a letter that names cannot have."""
    sign = at.file.text[at.span.start : at.span.start + 1]
    if sign.isascii() or not sign.isalpha():
        return None
    begun, rest = at.said_before(r"\w*\Z"), re.match(r"\w+", at.line_behind())
    if begun is None or rest is None:
        return None
    place = Span(at.file, at.group(begun, 0).start, at.span.start + rest.end())
    return told("`{place}` is not a name", place, NAME_HELP, place=place.text)


def operator(at: Stuck) -> _Found:
    """An operator of other languages."""
    text, start = at.file.text, at.span.start
    if text.startswith(("//", "/*"), start):
        comment = Span(at.file, start, start + 2)
        fix = written(comment, "#") if text.startswith("//", start) else None
        return told(unexpected(comment.text), comment, "a comment begins with `#` and ends with the line", fix)
    # `=` before `>` or `=` may be what the reader of signs stopped at.
    for sign, meant in _SIGNS.items():
        for begin in (start, start - 1):
            if len(sign) + begin <= start or not text.startswith(sign, begin):
                continue
            place = Span(at.file, begin, begin + len(sign))
            if sign == "|" and "COMPARE" not in at.expected and "AND" not in at.expected:
                return None
            return told(unexpected(sign), place, None, written(place, meant))
    sign = at.text[:1]
    if sign == "%":
        help_line = "there is no remainder; a table lists the numbers that count: `by n { 2: 1 4: 1 else 0 }`"
        return told(unexpected("%"), at.span, help_line)
    if sign == "/":
        return told(unexpected("/"), at.span, "there is no division; compare with a product: `2 * 3`")
    if at.text == "=" and "COMPARE" in at.expected:
        return told(unexpected("="), at.span, "values are compared with `==`", written(at.span, "=="))
    return None


def assignment(at: Stuck) -> _Found:
    """`n++`, `n *= 2`, `n := 1`: other ways to set a variable."""
    name = at.said_before(r"(\w+(?:\[[^\]\n]*\])?)\s*\Z") if _ADDS in at.expected else None
    found = _ASSIGNMENT.match(at.line_behind())
    if name is None or found is None:
        return None
    sign = found[1].replace(" ", "")
    place = Span(at.file, at.span.start, at.span.start + found.end(1))
    if sign == ":=":
        return told(unexpected(":="), place, "a variable is set with `=`", written(place, "="))
    if sign in ("++", "--"):
        whole = Span(at.file, at.span.start, at.span.start + found.end())
        meant = f"{sign[0]}= 1"
        fix = written(whole, meant if at.file.text[whole.start - 1].isspace() else f" {meant}")
        return told(unexpected(sign), place, "write `{name} {meant}`", fix, name=name[1], meant=meant)
    return told(unexpected(sign), place, "write it out: `{name} = {name} {sign} ...`", name=name[1], sign=sign[0])


def quotation(at: Stuck) -> _Found:
    """Quotation marks as word processors write them."""
    line = at.line_behind()
    sign = line[:1]
    if not sign or sign not in _QUOTES:
        return None
    close = next((i for i, c in enumerate(line[1:], 1) if c in _CLOSING.get(sign, sign) or c == '"'), None)
    fix = None
    if close is not None and '"' not in line[1:close]:
        place = Span(at.file, at.span.start, at.span.start + close + 1)
        fix = written(place, f'"{line[1:close]}"')
    place = Span(at.file, at.span.start, at.span.start + 1)
    return told(unexpected(sign), place, 'texts go between straight `"`', fix)


def picture(at: Stuck) -> _Found:
    """A malformed picture."""
    if not at.text.startswith("[") or "PICTURE" not in at.expected:
        return None
    whole = _PICTURE.match(at.file.text, at.span.start)
    if whole is None:
        return told("the picture is not closed", at.span, "a picture is written `[ # # / # . ]`")
    if not whole[0].strip("[] \t"):
        place = Span(at.file, whole.start(), whole.end())
        return Diagnostic.of("PW102", "the picture is empty", place, help="mark a cell with `#`: `[ # # ]`")
    if "," in whole[0]:
        meant = re.sub(r"\s*,\s*", " ", whole[0])
        fix = written(Span(at.file, whole.start(), whole.end()), meant)
        place = Span(at.file, whole.start() + whole[0].index(","), whole.start() + whole[0].index(",") + 1)
        help_line = "cells are separated by spaces, rows by `/`: `{meant}`"
        return Diagnostic.of("PW102", "there are no commas in a picture", place, help=help_line, fix=fix, meant=short(meant))  # fmt: skip
    for sign in re.finditer(r"[^\s/\[\]]+", whole[0]):
        if re.search(r"[^#._?A-Za-z0-9+]", sign[0]):
            place = Span(at.file, whole.start() + sign.start(), whole.start() + sign.end())
            return Diagnostic.of("PW102", "`{sign}` is not a sign of a picture", place, help=SIGN_HELP, sign=sign[0])
    return None


def closed_by_semicolon(at: Stuck) -> _Found:
    """A `;` after a declaration."""
    if at.text[:1] != ";":
        return None
    place = Span(at.file, at.span.start, at.span.start + 1)
    help_line = "nothing goes between declarations: leave it out"
    return told(unexpected(";"), place, help_line, Fix(place, "", "leave `;` out", safe=True))


def comma(at: Stuck) -> _Found:
    """A comma where spaces or `and` are needed."""
    if at.text != ",":
        return None
    opened = at.file.text.rfind("{", 0, at.span.start)
    closed = at.file.text.find("}", at.span.start)
    inside = at.file.text[opened + 1 : closed] if 0 <= opened < closed < opened + _LISTED else "}"
    if re.fullmatch(r"[\w\s,]*", inside):
        place = Span(at.file, opened + 1, closed)
        meant = " " + " ".join(inside.replace(",", " ").split()) + " "
        help_line = "between `{{` and `}}`, spaces are enough: `{{{meant}}}`"
        return told(unexpected(","), at.span, help_line, Fix(place, meant, "write `{{{meant}}}`", safe=True), meant=meant)  # fmt: skip
    if at.behind:
        return told(unexpected(","), at.span, "conditions are joined by `and` or `or`")
    return None
