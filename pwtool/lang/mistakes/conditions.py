"""Conditions that are unfinished or in the wrong order."""

from __future__ import annotations

import re
from bisect import bisect_right

from pwtool.lang.mistakes.stuck import DECLARATION, REACH, Stuck, declarations, short, told, unexpected, written
from pwtool.text import Diagnostic, Fix
from pwtool.text.source import Span
from pwtool.text.speech import mark

_Found = Diagnostic | None
_SOME = r"some|every|no|at least \d+|at most \d+|exactly \d+"
# Behind it a condition has to follow, or may.
_QUANTIFIED = re.compile(
    rf"\b((?P<how>{_SOME})\s+(?:(?P<picture>\[)[^\]\n\"]*\](?:\s+(?:turned|mirrored))*|(?P<name>\w+)))\s*\Z"
)
_SIGNIFICANT = re.compile(r'"(?:[^"\\\n]|\\.)*"|\[[#._A-Za-z0-9+/ \t\r\n]*\]|#[^\n]*|\w+|[=!<>]=|\S')
# What has to follow behind `=`, by the word that a declaration begins with.
_BODIES = {
    "objective": mark("the condition of `{name}` is missing"), "score": mark("the number that `{name}` counts is missing"),
    "define": mark("what `{name}` stands for is missing"), "shape": mark("the picture of `{name}` is missing"),
    "deck": mark("the contents of `{name}` are missing"),
}  # fmt: skip
_SHOWN = {"objective": "some ...: ...", "score": "count ...", "shape": "[ # # ]", "deck": "{ ... }"}
_UNFINISHED = frozenset("== != <= >= < > : + - * and or not if then else require when count sum in of".split())


def body_missing(at: Stuck) -> _Found:
    """A declaration that ends before it is complete: reported where it ends, not where the next one begins."""
    end = _declaration_end(at)
    if end is None:
        return None
    starts, words = declarations(at.file)
    number = bisect_right(starts, end - 1)
    begin, kind = (starts[number - 1], words[number - 1]) if number else (0, "")
    signs = [m for m in _SIGNIFICANT.finditer(at.file.text, begin, end) if not m[0].startswith("#")]
    if not signs:
        return None
    last = signs[-1]
    place = Span(at.file, last.start(), last.end())
    name = signs[1][0] if len(signs) > 2 else ""
    lacks_sign = "EQUAL" in at.expected and len(signs) in (2, 3)
    if kind in _BODIES and name and (last[0] == "=" or lacks_sign):
        shown = _SHOWN.get(kind, "...")
        return told(_BODIES[kind], place, "it comes after `=`: `= {shown}`", name=name, shown=shown)
    if last[0] not in _UNFINISHED:
        return _cut_short(at, place, f"{kind} {name}".strip())
    if last[0] == ":":
        said = re.search(_QUANTIFIED, at.file.text[max(begin, place.start - REACH) : place.start])
        message = "there is no condition for `{said}`" if said else "what comes after `:` is missing"
        return told(message, place, "after a `:` comes what has to hold", said=said and short(said[1]))
    help_line = "write a value after it, or leave out `{last}`"
    if last[0] in ("and", "or", "not", "if", "require", "when"):
        help_line = "write a condition after it, or leave out `{last}`"
    return told("what comes after `{last}` is missing", place, help_line, last=last[0])


def _cut_short(at: Stuck, last: Span, named: str) -> _Found:
    """The finding about an incomplete declaration, after its last sign."""
    if "ELSE" in at.expected:
        return told("`{named}` has an `if` without `else`", last, "add an `else`: `if ... then ... else ...`", named=named)  # fmt: skip
    asked = at.said_before(_QUANTIFIED)
    if "COLON" in at.expected and asked is not None:
        said = short(asked[1])
        return told("there is no condition for `{said}`", at.group(asked, 1), "after a `:` comes what has to hold: `{said}: ...`", said=said)  # fmt: skip
    if "COLON" in at.expected and not at.behind:
        return told("`{named}` is not finished", last, "after a `:` comes what has to hold", named=named)
    return None


def else_missing(at: Stuck) -> _Found:
    """`(if a then 1)`."""
    if at.said_before(r"\bthen\b(?:(?!\belse\b)[^()])*\Z") is None:
        return None
    if re.fullmatch(r"el(?:s|se)?if", at.text):
        return told(at.unexpected(), at.span, None, written(at.span, "else if"))
    if at.text not in (")", "]", "}", ",") or "ELSE" not in at.expected:
        return None
    return told("this `if` has no `else`", at.span, "add an `else`: `if ... then ... else ...`")


def _declaration_end(at: Stuck) -> int | None:
    """The end of the unfinished declaration, if the error is at the next one (or at the end of the file)."""
    text = at.file.text
    if at.span.start >= len(text.rstrip()):
        return at.span.start
    if at.begins_line and DECLARATION.match(text, at.span.start):
        return at.span.start
    # Where a value could stand, the first word of the next declaration was taken for a name.
    word = re.fullmatch(r"(\w+)[ \t]+", at.line_before())
    return at.line_start if word and DECLARATION.match(text, at.line_start) else None


def colon(at: Stuck) -> _Found:
    """`some card value == 5`."""
    asked = at.said_before(_QUANTIFIED)
    if at.begins_line and DECLARATION.match(at.file.text, at.line_start):
        return None
    if asked is not None and ("COLON" in at.expected or (asked["picture"] and at.behind)):
        word = asked["name"]
        said, end = short(asked[1]), at.group(asked, 1).end
        # Some words of the language are names as well, here and there: `pile`.
        taken = word is not None and (word in at.keywords or word in ("largest", "smallest"))
        if taken and not at.mended(Fix(Span(at.file, end, end), ":")):
            return _no_subject(at, asked)
        same_line = "\n" not in at.file.text[end : at.span.start]
        if re.match(r"[A-Za-z(]", at.text) and at.text not in ("and", "or"):
            found = _with_colon(at, end, said)
            if found is not None and (same_line or found.fix is not None):
                return found
        if "COLON" in at.expected:
            whole = at.group(asked, 1)
            here = same_line and at.text
            message = at.unexpected() if here else "there is no condition for `{said}`"
            return told(message, at.span if here else whole, "after a `:` comes what has to hold: `{said}: ...`", said=said)  # fmt: skip
    word_before = at.word_before()
    if not {"COLON", "IN"} <= at.expected or word_before is None or not re.match(r"\w|\(", at.text):
        return None
    return _with_colon(at, word_before.end, word_before.text)


def _with_colon(at: Stuck, end: int, said: str) -> _Found:
    fix: Fix | None = Fix(Span(at.file, end, end), ":", "write a `:`", safe=True)
    if fix is not None and not at.mended(fix):
        if re.match(r"\w+(?:[ \t]+\w+){0,3}[ \t]*(?:\[[^\]\n]*\])?[ \t]*:", at.line_behind()):
            # The `:` is there: what comes before it is wrong.
            return None
        fix = None
    return told(at.unexpected(), at.span, "a `:` comes before the condition: `{said}: {text} ...`", fix, said=said, text=at.text)  # fmt: skip


def _no_subject(at: Stuck, asked: re.Match[str]) -> _Found:
    word, place = asked["name"], at.group(asked, "name")
    if word == "or":
        help_line = "write `at least`, `at most` or `exactly` before the number"
        return told(unexpected("or"), place, help_line)
    help_line = "after `{how}` comes what is looked for: a shape, a picture, the name of a component"
    return told(unexpected(word), place, help_line, how=asked["how"])


def alike_behind(at: Stuck) -> _Found:
    """`color same`."""
    word = at.word_before()
    if at.text not in ("same", "distinct", "ascending") or word is None or not at.behind or word.text in at.keywords:
        return None
    fix = written(Span(at.file, word.start, at.span.end), f"{at.text} {word.text}")
    if at.mended(fix):
        return told(at.unexpected(), at.span, None, fix)
    looked_for = re.match(rf"\w+\s+((?:{_SOME})\s+(?:\[[^\]\n]*\](?:\s+(?:turned|mirrored))*|\w+))", at.line_behind())
    if looked_for is None:
        return None
    place = Span(at.file, word.start, at.span.start + looked_for.end())
    fix = written(place, f"{looked_for[1]}: {fix.text}", safe=False)
    return told(at.unexpected(), at.span, None, fix) if at.mended(fix) else None


def open_ended(at: Stuck) -> _Found:
    """`not at least 2 card: ...` after something else: a part that extends to the end needs brackets."""
    word = at.word_before()
    if word is None:
        return None
    many = word.text == "at" and at.text in ("least", "most")
    if not many and not (word.text in ("some", "every", "no", "exactly") and re.match(r"\w|\[", at.text)):
        return None
    said = f"at {at.text}" if many else word.text
    place = Span(at.file, word.start, at.span.end)
    help_line = "put what begins with `{said}` in brackets: `({said} ...)`"
    return told(unexpected(short(place.text)), place, help_line, said=said)


def turned_first(at: Stuck) -> _Found:
    """`some turned [ # # ]`."""
    words = at.said_before(r"((?:turned|mirrored)(?:\s+(?:turned|mirrored))?)\s*\Z")
    if words is None or not at.text.startswith("["):
        return None
    place = at.group(words, 1)
    meant = f"{' '.join(at.text.split())} {words[1]}"
    fix = written(Span(at.file, place.start, at.span.end), meant)
    return told("`{word}` comes after the picture", place, None, fix, word=words[1])


def counted_things(at: Stuck) -> _Found:
    """`count (card: value == 1)`, `count card where value == 1`, `count ([ # # ]: same color)`."""
    drawn = at.text.startswith("[")
    if not drawn and at.text not in (":", "where", "with", "having"):
        return None
    found = at.said_before(r"\bcount\s*\(\s*\Z" if drawn else r"\bcount\s*\(?\s*(\w+)\s*\Z")
    if found is None:
        return None
    _, kind = at.declaration()
    named = None if drawn else found[1]
    place = at.span if named is None else at.group(found, 1)
    what = short(at.text if named is None else named)
    if kind == "objective" and (named is None or named == "pile"):
        help_line = "say how many there are: `at least 2 {what}: ...`, `exactly 2 {what}: ...`"
    elif kind == "objective":
        of_cells = re.match(r"\S+\s*(?:same|distinct|ascending|all|any|sum)\b", at.line_behind())
        help_line = "name each one: `count ({each})`, or say how many there are: `at least 2 {what}: ...`"
        help_line = "say how many there are: `at least 2 {what}: ...`" if of_cells else help_line
    elif named is None:
        help_line = "declare a `shape` and name the grid: `count (NAME on GRID: ...)`"
    else:
        help_line = "name the grid: `count ({what} on GRID: ...)`, or each one: `count (c in ...: ...)`"
    return told("`{what}` cannot be counted like this", place, help_line, what=what, each=_each(at, what))


def _each(at: Stuck, what: str) -> str:
    """The thing with a name, and its condition if that is short."""
    said = re.match(r"(?::|\w+\s)\s*([A-Za-z_]\w*)(\s*(?:[=!<>]=|<|>)\s*\w+)?\s*(?:\)|\Z)", at.line_behind())
    name = "c" if what != "c" else "x"
    body = f"{name}.{said[1]}{said[2] or ''}" if said else f"{name}.ATTRIBUTE ..."
    return f"{name} in {what}: {' '.join(body.split())}"


def turn_for_turned(at: Stuck) -> _Found:
    """`some [ # # ] turn`: the word begins another declaration."""
    found = at.said_before(r"\]\s+(turn)\s*\Z")
    if found is None:
        return None
    place = at.group(found, 1)
    return told(unexpected("turn"), place, None, written(place, "turned"))


def different_values(at: Stuck) -> _Found:
    """`at least 2 different color: value == 2`."""
    found = at.said_before(r"\b(at least|at most|exactly)\s+(\d+)\s+(?:different|distinct|unique)\s+\Z")
    if found is None or not re.match(r"[A-Za-z_]", at.text):
        return None
    sign = {"at least": ">=", "at most": "<=", "exactly": "=="}[found[1]]
    help_line = "different values are counted: `count distinct {text} of ... {sign} {number}`"
    return told(unexpected(at.text), at.span, help_line, text=at.text, sign=sign, number=found[2])


def picture_alone(at: Stuck) -> _Found:
    """`[ # # ]: same color`."""
    if not at.text.startswith("[") or not {"SOME", "LPAR"} <= at.expected:
        return None
    fix = Fix(Span(at.file, at.span.start, at.span.start), "some ")
    shown = short(at.text)
    help_line = "say how often: `some {shown}`, `no {shown}`, `at least 2 {shown}`"
    return told(unexpected(shown), at.span, help_line, fix, shown=shown)


def reads_alone(at: Stuck) -> _Found:
    """`reads 1 2 3`."""
    found = at.said_before(r"(?:[=:(]|\b(?:and|or|not|all|any))\s*(reads)\s+\Z")
    if found is None or not re.match(r"\d", at.text):
        return None
    numbers = re.match(r"\d+(?:[ \t]+\d+)*", at.line_behind())
    shown = numbers[0] if numbers else at.text
    return told("`reads` of what", at.group(found, 1), "an attribute comes before it: `ATTRIBUTE reads {shown}`", shown=shown)  # fmt: skip


def compared_twice(at: Stuck) -> _Found:
    """`0 < x < 9`."""
    if not re.fullmatch(r"[=!<>]=|<|>", at.text) or "COMPARE" in at.expected or not at.behind:
        return None
    restricted = at.said_before(r"\b((?:count|sum|max|min)\s+[^:()]*?\bwhere\b[^:()]*?)\s*\Z")
    if restricted is not None:
        place = at.group(restricted, 1)
        meant = f"({' '.join(place.text.split())})"
        fix = Fix(place, meant, safe=True)
        if at.mended(fix):
            return told(at.unexpected(), at.span, "put what is counted in brackets: `{meant} {text} ...`", fix, meant=meant, text=at.text)  # fmt: skip
    found = at.said_before(r"(?:[=!<>]=|<|>)\s*([^=!<>:]+?)\s*\Z")
    if found is None:
        return None
    meant = f"and {' '.join(found[1].split())} "
    fix = Fix(Span(at.file, at.span.start, at.span.start), meant, safe=True)
    if not at.mended(fix):
        return None
    return told(at.unexpected(), at.span, "two comparisons are joined by `and`: `... {meant}{text} ...`", fix, meant=meant, text=at.text)  # fmt: skip


def comparison_missing(at: Stuck) -> _Found:
    """`value 3`."""
    word = at.word_before()
    if word is None or "COMPARE" not in at.expected or not re.fullmatch(r"\d+", at.text):
        return None
    fix = Fix(Span(at.file, at.span.start, at.span.start), "== ")
    if word.text.isdigit() or not at.mended(fix):
        return None
    return told(at.unexpected(), at.span, "a comparison is missing: `{word} == {text}`", fix, word=word.text, text=at.text)  # fmt: skip


def missing_and(at: Stuck) -> _Found:
    """Two conditions with nothing between them; tried last."""
    if at.begins_line or not at.behind or not re.match(r"[A-Za-z_(]", at.text):
        return None
    fix = Fix(Span(at.file, at.span.start, at.span.start), "and ")
    if not at.mended(fix):
        return None
    alone = at.said_before(r"(?<![=!<>])(?:[=:(]|\b(?:and|or|not))\s*(\w+)\s+\Z")
    if alone is not None and alone[1].isdigit():
        return None
    help_line, word = "conditions are joined by `and` or `or`: write `and {text}`", alone[1] if alone else ""
    if alone is not None and word not in at.keywords:
        help_line = "conditions are joined by `and` or `or`: write `and {text}`, unless `{word}` is misspelt"
    return told(at.unexpected(), at.span, help_line, text=short(at.text), word=word)
