"""Common mistakes in rules, each recognized by what stands at the place of the error, with what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec.structs import replace

from pwtool.lang.mistakes import conditions, deals, declared, phrases, placing, signs, words
from pwtool.lang.mistakes.stuck import Stuck, told, unexpected, written
from pwtool.text import Diagnostic, Label
from pwtool.text.source import Span
from pwtool.text.speech import Told, mark

_Found = Diagnostic | None
# What has to stand behind a word that was left alone.
_OPERANDS = {
    "sum": mark(
        "what is summed comes after it: `sum ATTRIBUTE` of the cells of a shape, `sum ATTRIBUTE of ...` of others"
    ),
    "count": mark("what is counted comes after it: `count ...`"),
    "same": mark("an attribute comes after it: `same ATTRIBUTE`"),
    "distinct": mark("an attribute comes after it: `distinct ATTRIBUTE`"),
    "ascending": mark("an attribute comes after it: `ascending ATTRIBUTE`"),
    "all": mark("what holds of all cells comes after it: `all ATTRIBUTE == ...`"),
    "any": mark("what holds of one of the cells comes after it: `any ATTRIBUTE == ...`"),
    "not": mark("a condition comes after it: `not ...`"),
}


_OVERLAYS = ("edition", "variant", "part")


def known_mistake(at: Stuck) -> Diagnostic | None:
    """The finding for a known mistake at this place, or None."""
    for check in _CHECKS:
        found = check(at)
        if found is not None:
            return found
    return None


def _operand(at: Stuck) -> _Found:
    """A keyword used as a name, or without anything after it: `return += 1`, `sum == 9`."""
    left = at.said_before(rf"\b({'|'.join(_OPERANDS)})\s*\Z") if at.text in ("", ")") or at.begins_line else None
    if left is not None and at.expected & {"LPAR", "NAME"}:
        return told("`{word}` of what", at.group(left, 1), _OPERANDS[left[1]], word=left[1])
    word = at.word_before()
    if word is None or word.text not in at.keywords or not re.match(r"[+=<>!.]", at.text):
        return None
    if word.text in _OPERANDS and at.expected & {"LPAR", "NAME"}:
        return told("`{word}` of what", word, _OPERANDS[word.text], word=word.text)
    return told("`{word}` is a word of the language and names nothing here", word, "choose another name for it", word=word.text)  # fmt: skip


def _own_name(at: Stuck) -> _Found:
    """A name that the declaration gives to something, used where it is read as a word of the language: `a = first`."""
    start, _ = at.declaration()
    used = at.said_before(r"(\w+)(?:\s+\w+)?\s*\Z")
    if used is None or used[1] not in at.keywords or at.group(used, 1).start < start:
        return None
    # Another name in its place would have to do.
    if not at.mended(written(at.group(used, 1), f"{used[1]}_n")):
        return None
    name, before = re.escape(used[1]), at.file.text[start : at.group(used, 1).start]
    given = re.search(rf"[(,]\s*({name})\s*:|\blet\s+({name})\s*=|\bdefine\s+\w+\([^)]*\b({name})\b[^)]*\)", before)
    if given is None:
        return None
    begin, end = given.span(given.lastindex or 0)
    message = "`{name}` is a word of the language: this name could not be used everywhere"
    place = Span(at.file, start + begin, start + end)
    return told(message, place, "choose another name, such as `{name}_n`", name=used[1])


def _order(at: Stuck) -> _Found:
    """The parts of a rule in the wrong order."""
    if "OBJECTIVE" not in at.expected and "RBRACE" not in at.expected:
        return None
    if at.text == "when":
        return told(unexpected("when"), at.span, "`when` comes before `require`")
    if at.text == "per" and at.said_before(r"\b(named|joined)\b") is not None and at.declaration()[1] == "zone":
        return told(unexpected("per"), at.span, "`per player` comes before `named` and `joined`")
    if at.text == "see":
        return told(unexpected("see"), at.span, "`see` comes right after the text")
    return None


def _name(at: Stuck) -> _Found:
    """`objective two piles "..."`, `objective 2piles "..."`."""
    if "NAME" in at.expected and re.fullmatch(r"\d+[A-Za-z_]\w*", at.text) and at.word_before() is not None:
        return told(at.unexpected(), at.span, "a name begins with a letter")
    name, more = at.word_before(), re.match(r"\w+(?:[ \t]+\w+){0,8}(?=\s*\")", at.line_behind())
    if "STRING" not in at.expected or name is None or more is None or name.text in at.keywords:
        return None
    place = Span(at.file, name.start, at.span.start + more.end())
    fix = written(place, "_".join(place.text.split()))
    return (told(at.unexpected(), at.span, "a name is one word: `{text}`", fix, text=fix.text) if at.mended(fix) else None)  # fmt: skip


def _equals(at: Stuck) -> _Found:
    """`objective twins "Two": some ...`."""
    start, kind = at.declaration()
    if at.text != ":" or kind not in ("objective", "shape", "score") or "=" in at.file.text[start : at.span.start]:
        return None
    fix = written(at.span, " =")
    return told(at.unexpected(), at.span, "here stands `=`", fix) if at.mended(fix) else None


def _text(at: Stuck) -> _Found:
    if "STRING" not in at.expected or "COMPARE" in at.expected:
        return None
    if at.text.lower() in ("of", "=") or "RULE" in at.expected:
        return None
    if "NAME" in at.expected:
        help_line = 'a source with its section belongs here, or words of your own: `"..."`'
        return told(at.unexpected(), at.span, help_line)
    return told(at.unexpected(), at.span, 'the text for the players belongs here, between `"`')


def _kind_missing(at: Stuck) -> _Found:
    """`a "A" = ...` without a keyword before the name."""
    if not (at.begins_line and at.behind and "OBJECTIVE" in at.expected):
        return None
    if at.text in at.keywords or not re.match(r"[A-Za-z_]\w*(?:\s*\([\w, ]*\))?\s*(?:\"|=(?!=))", at.line_behind()):
        return None
    kind = at.declaration()[1]
    if kind in ("game", *_OVERLAYS):
        help_line = "a declaration begins with its kind; what is declared already is changed: `change rule NAME ...`"
        return told(at.unexpected(), at.span, help_line)
    help_line = "a declaration begins with its kind: `{kind} {text} ...`"
    return told(at.unexpected(), at.span, help_line, kind=kind, text=at.text)


def _header(at: Stuck) -> _Found:
    before = at.file.text[: at.span.start]
    if (
        at.expected == {"OF"}
        and at.declaration()[1] in _OVERLAYS
        and re.match(r"\s*(?:#[^\n]*\n\s*)*(edition|variant|part)\b", before)
    ):
        found = re.match(r"\s*(?:#[^\n]*\n\s*)*(\w+)\s+(\w+)", before)
        if found:
            help_line = 'it has to say what it is based on: `{kind} {name} of GAME "..."`'
            return told(at.unexpected(), at.span, help_line, kind=found[1], name=found[2])
    if {"GAME", "EDITION", "VARIANT", "PART"} <= at.expected:
        if at.text.lower() in ("game", "edition", "variant", "part"):
            return None
        help_line = "a rules file begins with what it is: `game`, `edition`, `variant` or `part`"
        return told(at.unexpected() if at.text else "the file is empty", at.span, help_line)
    return None


def with_bracket(finding: Diagnostic, opened: Span) -> Diagnostic:
    """The finding, with the bracket that may be the real cause."""
    label = Label(opened, Told("opened here and not closed yet"))
    sign, closing = opened.text, {"(": ")", "[": "]", "{": "}"}[opened.text]
    help_line = Told("`{closing}` is missing, for the `{sign}` in line {line}", closing=closing, sign=sign, line=opened.line)  # fmt: skip
    return replace(finding, labels=(label,), help=help_line)


_CHECKS: tuple[Callable[[Stuck], _Found], ...] = (
    signs.blank, signs.letter, _own_name, _header, declared.called_otherwise, declared.unfinished,  declared.said_otherwise, deals.deal, declared.said_of,
    _kind_missing, _name, _equals, signs.assignment, signs.operator, signs.quotation, signs.closed_by_semicolon,
    signs.picture,
    conditions.turned_first, conditions.body_missing, conditions.else_missing, words.removed, words.line_counted, placing.drawn, words.foreign,
    words.counted, words.range_ends, words.code_of_digits,
    conditions.turn_for_turned, conditions.different_values,
    phrases.phrase, words.is_value, conditions.colon, conditions.alike_behind, conditions.open_ended, signs.comma, _order,
    _text, _operand, words.small_letters, conditions.counted_things, conditions.picture_alone, conditions.reads_alone,
    words.of_a_card, words.dot_missing, conditions.compared_twice, conditions.comparison_missing, words.near_word,
)  # fmt: skip
