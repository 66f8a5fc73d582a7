"""From an error of the parser to a finding in words."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import partial

from lark import Token, UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken
from msgspec.structs import replace

from pwtool.lang.mistakes.conditions import missing_and
from pwtool.lang.mistakes.slips import known_mistake, with_bracket
from pwtool.lang.mistakes.stuck import DECLARATION, Stuck, declarations
from pwtool.text import Diagnostic, Fix, InternalError, Label, closest, name_fix
from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import AnyOf, Listed, Told, mark

_NAMES = {
    "NAME": mark("a name"), "CODE": mark("a code"), "INT": mark("a number"), "SIGNED": mark("a number"), "PICTURE": mark("a picture"),
    "STRING": mark("a text in double quotes"),
    "SIZE": mark("a size such as `3x3`"), "COMPARE": mark("a comparison"), "$END": mark("the end of the file"), "LBRACE": "`{`", "RBRACE": "`}`",
    "LPAR": "`(`", "RPAR": "`)`", "LSQB": "`[`", "RSQB": "`]`", "EQUAL": "`=`", "COLON": "`:`", "COMMA": "`,`", "DOT": "`.`",
    "VBAR": "`|`", "PLUS": "`+`", "MINUS": "`-`", "STAR": "`*`", "QMARK": "`?`", "SLASH": "`/`", "__ANON_0": "`..`", "__ANON_1": "`+=`",
    "AT_LEAST": "`at least`", "AT_MOST": "`at most`", "TOP_OF": "`top of`", "TOPS_OF": "`tops of`", "CARDS_OF": "`cards of`",
    "NEIGHBOURS_OF": "`neighbours of`", "PLACE_OF": "`place of`", "CELLS_OF": "`cells of`", "CELLS_AT": "`cells at`", "CELLS_FROM": "`cells from`",
    "CELLS_BETWEEN": "`cells between`", "GROUP_OF": "`largest group of same`",
    "REPEATS_OF": "`repeats of`", "PLAYER_AFTER": "`player after`", "ORDER_OF": "`order of`", "BELOW_TOP": "`below top`",
    "SEAT": mark("a seat such as `seat 1`"), "AT_ONCE": "`at once`", "BETWEEN": "`between turns`",
}  # fmt: skip
_BEGIN_CONDITIONS = frozenset("not some every no count sum same distinct ascending all any holds can".split())
_CLOSING = {"(": "RPAR", "[": "RSQB", "{": "RBRACE"}
# Guesses are tried on short declarations only, and not too often: nobody waits for a better help line.
_MAX_TRIED = 4000
_MAX_TRIALS = 80
_GUESSES_DEEP = 2
_TRIAL_HEADER = "part a of a\n"
_BEGUN = re.compile(r"([A-Za-z_]\w*)\s*=?\s*\Z")
# What never goes on with an effect or a condition.
_NEVER = '""'
_TEXT_ENDS = re.compile(r"(?<=[^\s\"])(?:\s+(\w*)|(?=[:,])|$)")
"""Where a text may end, and the word that comes next."""


class Explainer:
    """Explains the errors of one file. `attempt` gives the error of a text, or None if it can be read."""

    def __init__(self, keywords: frozenset[str], attempt: Callable[[str], UnexpectedInput | None]) -> None:
        self._keywords = keywords
        self._attempt = attempt
        self._trials = 0

    def explain(self, file: SourceFile, error: UnexpectedInput, deep: int = _GUESSES_DEEP) -> Diagnostic:
        """The finding about an error, with what to write instead if that is known."""
        if isinstance(error, UnexpectedCharacters):
            at = error.pos_in_stream or 0
            if file.text[at] == '"':
                place = Span(file, at, at + 1)
                help_line = 'end it with `"` on the same line'
                return Diagnostic.of(
                    "PW101", "the text is never closed", place, help=help_line, fix=self._closed(file, at, deep)
                )
            return self._unexpected(file, Span(file, at, at + 1), error.allowed or set(), deep)
        expected = _expected(error)
        if isinstance(error, UnexpectedToken) and error.token.type != "$END":
            return self._unexpected(file, _token_span(file, error.token), expected, deep)
        end = len(file.text.rstrip())
        if isinstance(error, UnexpectedEOF | UnexpectedToken):
            return self._unexpected(file, Span(file, end, end), expected, deep)
        raise InternalError(f"unknown parse error {error!r}")

    def _mended(self, file: SourceFile, deep: int, fix: Fix) -> bool:
        """Whether the declaration around a fix can be read to its end once the fix is applied, and with it any further
        safe fixes.
        """
        starts, _ = declarations(file)
        before, behind = bisect_right(starts, fix.span.start), bisect_left(starts, fix.span.end)
        begin = starts[before - 1] if before else 0
        behind = max(before, behind)
        end = starts[behind] if behind < len(starts) else len(file.text)
        if end - begin > _MAX_TRIED or self._trials >= _MAX_TRIALS:
            return False
        self._trials += 1
        text = file.text[begin : fix.span.start] + fix.text + file.text[fix.span.end : end]
        # The first is the header itself.
        header = _TRIAL_HEADER if before > 1 else ""
        trial = SourceFile(file.name, header + text)
        error = self._attempt(trial.text)
        if error is None:
            return True
        if deep == 0:
            return False
        mend = self.explain(trial, error, deep - 1).fix
        onward = len(header) + fix.span.start - begin
        return mend is not None and mend.safe and mend.span.end > onward and self._mended(trial, deep - 1, mend)

    def _closed(self, file: SourceFile, at: int, deep: int) -> Fix | None:
        """Where a text ends, if what comes behind it on the line can be read then."""
        line = file.text[at:].partition("\n")[0]
        for match in _TEXT_ENDS.finditer(line):
            end, word = match.start(), match[1] or ""
            # No declaration begins within a line, and its first word may well be the last of a text.
            if word and (word not in self._keywords or DECLARATION.match(line[match.start(1) :] + " ")):
                continue
            place = Span(file, at + end, at + end)
            fix = Fix(place, '"', Told("close the text: `{text}`", text=f'{line[:end]}"'))
            if self._mended(file, deep, fix):
                return fix
        return None

    def _unexpected(self, file: SourceFile, span: Span, expected: set[str], deep: int) -> Diagnostic:
        at = Stuck(file, span, expected, self._keywords, partial(self._mended, file, deep))
        diagnostic = Diagnostic.of("PW101", at.unexpected(), span)
        opened = _never_closed(file, span.start)
        begins = at.line_start
        above = opened is not None and opened.start < begins
        if (
            opened is not None
            and above
            and (span.start >= len(file.text.rstrip()) or DECLARATION.match(file.text, begins))
        ):
            label = Label(opened, Told("opened here and never closed"))
            return replace(diagnostic, labels=(label,), help=Told("close `{sign}` from line {line}", sign=opened.text, line=opened.line))  # fmt: skip
        known = known_mistake(at)
        if known is not None:
            return known
        if opened is not None and above and at.begins_line and _CLOSING[opened.text] in expected:
            return with_bracket(diagnostic, opened)
        begun = self._begun(at)
        if begun is not None:
            return self._unexpected(file, *begun, deep)
        return self._misspelt(at, diagnostic) or self._last_guess(at, diagnostic)

    def _begun(self, at: Stuck) -> tuple[Span, set[str]] | None:
        """The word before, where it was taken for a variable that an effect sets although it stands in the middle of a line; and
        what is allowed there instead.
        """
        line = at.line_before()
        found = _BEGUN.search(line) if "__ANON_1" in at.expected or at.text.startswith("=") else None
        if found is None or not line[: found.start(1)].strip() or self._trials >= _MAX_TRIALS:
            return None
        self._trials += 1
        place = Span(at.file, at.span.start - len(line) + found.start(1), at.span.start - len(line) + found.end(1))
        error = self._attempt(at.file.text[: place.start] + _NEVER)
        return None if error is None or error.pos_in_stream != place.start else (place, _expected(error))

    def _misspelt(self, at: Stuck, diagnostic: Diagnostic) -> Diagnostic | None:
        """A word where only keywords are allowed."""
        found, keywords = at.text, _expected_words(at.expected)
        if found.isidentifier() and "NAME" in at.expected and not (at.behind or "MOVE" in at.expected):
            return replace(diagnostic, help=Told("`{name}` is a word of the language; choose another name", name=found))
        if not found.isidentifier() or not keywords or found in self._keywords:
            return None
        close = closest(found, keywords)
        if close is None:
            return None
        if len(keywords) > 8:
            if not at.begins_line:
                return None
            return replace(diagnostic, help=Told("did you mean {name}?", name=f"`{close}`"), fix=name_fix(at.span, keywords))  # fmt: skip
        fix = name_fix(at.span, keywords)
        if len(found) > 2 and fix is not None and fix.safe:
            return replace(diagnostic, help=Told("did you mean {name}?", name=f"`{close}`"), fix=fix)
        return None

    def _last_guess(self, at: Stuck, diagnostic: Diagnostic) -> Diagnostic:
        if at.text not in self._keywords or at.text in _BEGIN_CONDITIONS:
            joined = missing_and(at)
            if joined is not None:
                return joined
        return replace(diagnostic, help=_may_stand(at.expected))


def _expected(error: UnexpectedInput) -> set[str]:
    """The terminals that are allowed where the parser stopped."""
    return set(getattr(error, "accepts", None) or getattr(error, "expected", None) or ())


def _may_stand(expected: set[str]) -> str | None:
    """What is allowed at a place, in words."""
    if {"LPAR", "COUNT"} <= expected:
        condition = Told("a condition belongs here")
        return condition if "SOME" in expected else Told("a value belongs here: a number, a name, `count ...`")
    if "AND" in expected:
        signs = [Told(_NAMES[e]) for e in ("COMPARE", "COLON", "COMMA", "RPAR", "RSQB") if e in expected]
        return Told("the part before is complete; after it may come {signs}", signs=Listed(["`and`", "`or`", *signs]))
    if "OBJECTIVE" in expected:
        # Another declaration may begin: what was read is one already.
        more = [f"`{word}`" for word in _expected_words(expected) if not DECLARATION.match(f"{word} ")]
        if not more:
            return Told(
                "the declaration before is complete; another one begins with its kind: `zone`, `action`, `rule` ..."
            )
        return Told("the declaration before is complete; after it may come {signs}", signs=AnyOf(more))
    if "MOVE" in expected:
        return Told("what is before is complete; another rule or effect may follow, each in a line of its own")
    keywords, words = _expected_words(expected), [*map(Told, sorted({_NAMES[e] for e in expected if e in _NAMES}))]
    if len(words) + len(keywords) <= 12:
        options = AnyOf([*words, *(f"`{k}`" for k in keywords)])
        return Told("here stands {options}", options=options) if options else None
    return Told("expected here: {words} or one of the keywords", words=Listed(words[:6])) if words else None


def _expected_words(expected: set[str]) -> list[str]:
    return sorted(e.lower() for e in expected if is_keyword(e))


def is_keyword(terminal: str) -> bool:
    """Whether a sign of the grammar is a keyword."""
    return terminal not in _NAMES and terminal.isalpha()


def _token_span(file: SourceFile, token: Token) -> Span:
    return Span(file, token.start_pos or 0, token.end_pos or 0)


def _never_closed(file: SourceFile, before: int) -> Span | None:
    """The innermost bracket that is still open at `before`, ignoring texts, comments and pictures."""
    stack: list[int] = []
    for match in re.finditer(
        r'"(?:[^"\\\n]|\\.)*+"?|\[[#._A-Za-z0-9+/ \t\r\n]*\]|#[^\n]*|[({\[]|[)}\]]', file.text[:before]
    ):
        sign = match.group()
        if sign in "({[":
            stack.append(match.start())
        elif sign in ")}]" and stack:
            stack.pop()
    return Span(file, stack[-1], stack[-1] + 1) if stack else None
