"""Slips that many make when they write rules, each known by what stands where it cannot stand: told in words, with
what to write instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from pwtool.diagnostics import Diagnostic, Fix, Label
from pwtool.source import SourceFile, Span

_Found = Diagnostic | None
# A declaration may follow, or an operator: what stood before was a whole expression.
_AFTER_EXPRESSION = frozenset(("AND", "OBJECTIVE"))
# What others write, and what it is here. Longer signs first.
_SIGNS = {
    "&&": "and", "||": "or", "<>": "!=", "=<": "<=", "=>": ">=", "===": "==", "≤": "<=", "≥": ">=", "≠": "!=", "×": "*",
    "−": "-", "–": "-", "&": "and", "|": "or", "!": "not",
}  # fmt: skip
_QUOTES = "“”„«»‟″'‘’`"
_CLOSING = {"“": "”", "„": "“”", "«": "»", "»": "«", "'": "'", "‘": "’", "’": "’", "`": "`'", "”": "”", "″": "″"}
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_PAIRS = re.compile(
    r"(at\s+least|at\s+most|at\s+once|top\s+of|tops\s+of|cards\s+of|cells\s+of|neighbours\s+of|place\s+of|player\s+after)\b", re.I
)  # fmt: skip
# Behind it a condition has to follow, or may.
_QUANTIFIED = re.compile(
    r"\b((?:some|every|no|at least \d+|at most \d+|exactly \d+)\s+(?:(\[)[^\]\n\"]*\](?:\s+(?:turned|mirrored))*|\w+))\s*\Z"
)
_PICTURE = re.compile(r"\[[^\]\n\"]*\]")
_SIGN_HELP = "use `#` for a card, `.` for any cell, `_` for an empty one, a number or a name"


def known_mistake(file: SourceFile, span: Span, expected: set[str], keywords: frozenset[str]) -> Diagnostic | None:
    """The finding for a slip that is known at this place, None for any other breach of the grammar. `expected` are the
    grammar's signs that could stand here, `keywords` all words of the language.
    """
    for check in _CHECKS:
        found = check(file, span, expected)
        if found is not None:
            return found
    return _keyword_name(file, span, expected, keywords) or _small_letters(file, span, expected, keywords)


def _told(message: str, span: Span, help_line: str, fix: Fix | None = None) -> Diagnostic:
    return Diagnostic("PW101", message, span, help=help_line, fix=fix)


def _written(span: Span, text: str) -> Fix:
    return Fix(span, text, f"write `{text}`", safe=True)


def _before(file: SourceFile, span: Span) -> re.Match[str] | None:
    """The word right before a place."""
    return re.search(r"(\w+)[ \t]*$", file.text[max(0, span.start - 80) : span.start])


def _word_span(file: SourceFile, span: Span, word: re.Match[str]) -> Span:
    start = max(0, span.start - 80) + word.start(1)
    return Span(file, start, start + len(word[1]))


# ---- signs


def _sign(file: SourceFile, span: Span, expected: set[str]) -> _Found:
    at = span.start
    if file.text.startswith(("//", "/*"), at):
        mark = Span(file, at, at + 2)
        fix = _written(mark, "#") if file.text.startswith("//", at) else None
        return _told(
            "unexpected `//`" if fix else "unexpected `/*`",
            mark,
            "a comment begins with `#` and ends with the line",
            fix,
        )
    # `=` before `>` or `=` may be what the reader of signs stopped at.
    for sign, meant in _SIGNS.items():
        for start in (at, at - 1):
            if len(sign) + start <= at or not file.text.startswith(sign, start):
                continue
            place = Span(file, start, start + len(sign))
            if sign == "|" and "COMPARE" not in expected and "AND" not in expected:
                return None
            return _told(f"unexpected `{sign}`", place, f"write `{meant}`", _written(place, meant))
    sign = span.text[:1]
    if sign == "%":
        return _told(
            "unexpected `%`",
            span,
            "there is no remainder; a table lists the numbers that count: `by n { 2: 1 4: 1 else 0 }`",
        )
    if sign == "/":
        return _told("unexpected `/`", span, "there is no division; compare with a product: `2 * 3`")
    if span.text == "=" and "COMPARE" in expected:
        return _told("unexpected `=`", span, "values are compared with `==`", _written(span, "=="))
    return None


def _quotation(file: SourceFile, span: Span, expected: set[str]) -> _Found:
    sign = file.text[span.start : span.start + 1]
    if not sign or sign not in _QUOTES:
        return None
    line_end = file.text.find("\n", span.start)
    line = file.text[span.start : line_end if line_end >= 0 else len(file.text)]
    close = next((i for i, c in enumerate(line[1:], 1) if c in _CLOSING.get(sign, sign) or c == '"'), None)
    fix = None
    if close is not None and '"' not in line[1:close]:
        place = Span(file, span.start, span.start + close + 1)
        fix = _written(place, f'"{line[1:close]}"')
    return _told(
        f"unexpected `{sign}`", Span(file, span.start, span.start + 1), 'texts stand between straight `"`', fix
    )


# ---- pictures


def _picture(file: SourceFile, span: Span, expected: set[str]) -> _Found:
    if not span.text.startswith("[") or "PICTURE" not in expected:
        return None
    whole = _PICTURE.match(file.text, span.start)
    if whole is None:
        return _told("the picture is not closed", span, "a picture is written `[ # # / # . ]`")
    if not whole[0].strip("[] \t"):
        place = Span(file, whole.start(), whole.end())
        return Diagnostic("PW102", "the picture is empty", place, help="mark a cell with `#`: `[ # # ]`")
    for sign in re.finditer(r"[^\s/\[\]]+", whole[0]):
        if re.search(r"[^#._A-Za-z0-9+]", sign[0]):
            place = Span(file, whole.start() + sign.start(), whole.start() + sign.end())
            return Diagnostic("PW102", f"`{sign[0]}` is no sign of a picture", place, help=_SIGN_HELP)
    return None


def _turned_first(file: SourceFile, span: Span, expected: set[str]) -> _Found:
    words = re.search(
        r"((?:turned|mirrored)(?:\s+(?:turned|mirrored))?)\s*$", file.text[max(0, span.start - 40) : span.start]
    )
    if words is None or not span.text.startswith("["):
        return None
    start = max(0, span.start - 40) + words.start(1)
    meant = f"{' '.join(span.text.split())} {words[1]}"
    fix = _written(Span(file, start, span.end), meant)
    return _told(
        f"`{words[1]}` stands before the picture", Span(file, start, start + len(words[1])), f"write `{meant}`", fix
    )


# ---- words


def _counted(file: SourceFile, span: Span, expected: set[str]) -> _Found:
    if "INT" not in expected or not re.fullmatch(r"[A-Za-z]+", span.text):
        return None
    word = _before(file, span)
    if span.text.lower() in _NUMBERS:
        number = str(_NUMBERS.index(span.text.lower()))
        return _told(
            f"unexpected `{span.text}`", span, f"numbers are written in figures: `{number}`", _written(span, number)
        )
    if word is not None and word[1] in ("least", "most", "exactly"):
        said = "exactly" if word[1] == "exactly" else f"at {word[1]}"
        return _told(f"`{said}` of how many", span, f"a number is missing: `{said} 2 {span.text}`")
    return None


def _is_value(file: SourceFile, span: Span, expected: set[str]) -> _Found:
    """`color is yellow`."""
    found = re.search(r"\b(is(?:\s+not)?)\s+$", file.text[max(0, span.start - 20) : span.start])
    if found is None or not expected & {"EMPTY", "IN"} or not re.match(r"\w", span.text):
        return None
    start = max(0, span.start - 20) + found.start(1)
    sign = "!=" if "not" in found[1] else "=="
    place = Span(file, start, start + len(found[1]))
    return _told(f"unexpected `{span.text}`", span, f"values are compared with `{sign}`", _written(place, sign))


def _alike_behind(file: SourceFile, span: Span, expected: set[str]) -> _Found:
    """`color same`."""
    word = _before(file, span)
    if span.text not in ("same", "distinct", "ascending") or word is None or not expected & _AFTER_EXPRESSION:
        return None
    if word[1] in ("and", "or", "not"):
        return None
    meant = f"{span.text} {word[1]}"
    place = Span(file, _word_span(file, span, word).start, span.end)
    return _told(f"unexpected `{span.text}`", span, f"write `{meant}`", _written(place, meant))


def _colon(file: SourceFile, span: Span, expected: set[str]) -> _Found:
    asked = _QUANTIFIED.search(file.text, max(0, span.start - 80), span.start)
    if asked is not None and ("COLON" in expected or (asked[2] and expected & _AFTER_EXPRESSION)):
        said, behind = _short(asked[1]), Span(file, asked.end(1), asked.end(1))
        same_line = "\n" not in file.text[behind.start : span.start]
        if same_line and re.match(r"[A-Za-z(]", span.text) and span.text not in ("and", "or"):
            help_line = f"a `:` stands before the condition: `{said}: {span.text} ...`"
            fix = Fix(behind, ":", "write a `:`", safe=True)
            return _told(f"unexpected `{_short(span.text)}`", span, help_line, fix)
        if "COLON" in expected:
            message = f"unexpected `{_short(span.text)}`" if same_line and span.text else f"nothing is said of `{said}`"
            place = span if same_line and span.text else Span(file, asked.start(1), asked.end(1))
            return _told(message, place, f"behind a `:` stands what has to hold: `{said}: ...`")
    word = _before(file, span)
    if not {"COLON", "IN"} <= expected or word is None or not re.match(r"\w|\(", span.text):
        return None
    end = _word_span(file, span, word).end
    fix = Fix(Span(file, end, end), ":", "write a `:`", safe=True)
    return _told(
        f"unexpected `{span.text}`", span, f"a `:` stands before the condition: `{word[1]}: {span.text} ...`", fix
    )


def _open_ended(file: SourceFile, span: Span, expected: set[str]) -> _Found:
    """`not at least 2 card: ...` behind something else: what reaches to the end needs brackets."""
    word = _before(file, span)
    if word is None:
        return None
    counted = word[1] == "at" and span.text in ("least", "most")
    if not counted and not (word[1] in ("some", "every", "no", "exactly") and re.match(r"\w|\[", span.text)):
        return None
    said = f"at {span.text}" if counted else word[1]
    place = Span(file, _word_span(file, span, word).start, span.end)
    return _told(
        f"unexpected `{_short(place.text)}`", place, f"put what begins with `{said}` in brackets: `({said} ...)`"
    )


def _comma(file: SourceFile, span: Span, expected: set[str]) -> _Found:
    if span.text != ",":
        return None
    opened = file.text.rfind("{", 0, span.start)
    closed = file.text.find("}", span.start)
    inside = file.text[opened + 1 : closed] if 0 <= opened < closed else "}"
    if re.fullmatch(r"[\w\s,]*", inside):
        place = Span(file, opened + 1, closed)
        meant = " " + " ".join(inside.replace(",", " ").split()) + " "
        help_line = f"between `{{` and `}}` blanks are enough: `{{{meant}}}`"
        return _told("unexpected `,`", span, help_line, Fix(place, meant, f"write `{{{meant}}}`", safe=True))
    if expected & _AFTER_EXPRESSION:
        return _told("unexpected `,`", span, "conditions are joined by `and` or `or`")
    return None


def missing_and(file: SourceFile, span: Span, expected: set[str]) -> Diagnostic | None:
    """The finding for two conditions with nothing between them, the last guess of all."""
    line_start = file.text.rfind("\n", 0, span.start) + 1
    begins_line = not file.text[line_start : span.start].strip()
    if begins_line or not expected & _AFTER_EXPRESSION or not re.match(r"[A-Za-z_(]", span.text):
        return None
    help_line = f"conditions are joined by `and` or `or`: write `and {span.text}`"
    return _told(f"unexpected `{_short(span.text)}`", span, help_line)


def _keyword_name(file: SourceFile, span: Span, expected: set[str], keywords: frozenset[str]) -> _Found:
    """A word of the language where a name was meant: `return += 1`, `not == 3`."""
    word = _before(file, span)
    if word is None or word[1] not in keywords or not re.match(r"[+=<>!.]", span.text):
        return None
    place = _word_span(file, span, word)
    message = f"`{word[1]}` is a word of the language and names nothing here"
    return _told(message, place, "choose another name for it")


def _order(file: SourceFile, span: Span, expected: set[str]) -> _Found:
    """The parts of a rule in another order."""
    if "OBJECTIVE" not in expected and "RBRACE" not in expected:
        return None
    if span.text == "when":
        return _told("unexpected `when`", span, "`when` stands before `require`")
    if span.text == "see":
        return _told("unexpected `see`", span, "`see` stands right behind the text")
    return None


def _text(file: SourceFile, span: Span, expected: set[str]) -> _Found:
    if "STRING" not in expected or "COMPARE" in expected:
        return None
    if span.text.lower() in ("of", "=") or "RULE" in expected:
        return None
    message = f"unexpected `{_short(span.text)}`" if span.text else "the file ends too early"
    if "NAME" in expected:
        return _told(message, span, 'here stands a source with its section, or words of your own: `"..."`')
    return _told(message, span, 'here stands the text for the players, between `"`')


def _header(file: SourceFile, span: Span, expected: set[str]) -> _Found:
    if expected == {"OF"} and re.match(r"\s*(?:#[^\n]*\n\s*)*(edition|variant|part)\b", file.text[: span.start]):
        found = re.match(r"\s*(?:#[^\n]*\n\s*)*(\w+)\s+(\w+)", file.text[: span.start])
        if found:
            help_line = f'it has to say what it stands on: `{found[1]} {found[2]} of GAME "..."`'
            return _told(f"unexpected `{_short(span.text)}`", span, help_line)
    if {"GAME", "EDITION", "VARIANT", "PART"} <= expected:
        if span.text.lower() in ("game", "edition", "variant", "part"):
            return None
        help_line = "a rules file begins with what it is: `game`, `edition`, `variant` or `part`"
        return _told(f"unexpected `{_short(span.text)}`" if span.text else "the file is empty", span, help_line)
    return None


def _small_letters(file: SourceFile, span: Span, expected: set[str], keywords: frozenset[str]) -> _Found:
    pair = next(
        (
            m
            for m in _PAIRS.finditer(file.text, max(0, span.start - 20), span.end + 20)
            if m.start() <= span.start < m.end()
        ),
        None,
    )
    if pair is not None and pair[0] != pair[0].lower():
        place, meant = Span(file, pair.start(), pair.end()), " ".join(pair[0].lower().split())
    elif span.text.lower() in keywords and span.text != span.text.lower():
        place, meant = span, span.text.lower()
    else:
        return None
    help_line = f"words of the language are written small: `{meant}`"
    return _told(f"unexpected `{_short(place.text)}`", place, help_line, _written(place, meant))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 30 else text[:29] + "…"


def with_bracket(finding: Diagnostic, opened: Span) -> Diagnostic:
    """The finding, with the bracket that may be what it is really about."""
    label = Label(opened, "opened here and not closed yet")
    closing = {"(": ")", "[": "]", "{": "}"}[opened.text]
    return replace(
        finding, labels=(label,), help=f"`{closing}` is missing, for the `{opened.text}` in line {opened.line}"
    )


_CHECKS: tuple[Callable[[SourceFile, Span, set[str]], _Found], ...] = (
    _header, _sign, _quotation, _picture, _turned_first, _counted, _is_value, _colon, _alike_behind, _open_ended, _comma, _order, _text,
)  # fmt: skip
