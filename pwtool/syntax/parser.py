"""From the text of a rules file to its tree, with every syntax error told in words."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from lark import Lark, Token, UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken
from lark.exceptions import VisitError
from lark.lexer import PatternRE, PatternStr, TerminalDef

from pwtool.diagnostics import Diagnostic, InternalError, Label, Result, closest, name_fix
from pwtool.source import SourceFile, Span
from pwtool.syntax.builder import TreeBuilder
from pwtool.syntax.data import read_grammar
from pwtool.syntax.limits import MAX_BYTES, MAX_CHAIN, MAX_DEPTH, MAX_DIGITS
from pwtool.syntax.mistakes import known_mistake, missing_and, with_bracket
from pwtool.syntax.nodes import Document

MAX_PROBLEMS = 20
_NAME_PARTS = "name parts with `define` or `let`"

_DECLARATION = re.compile(
    r"^(?=(game|edition|variant|part|players|source|section|component|deck|zone|token|setup|turn|round|anytime|var|define"
    r"|action|rule|consequence|ending|score|ranking|invariant|shape|objective|example|change|remove|add|ambiguity"
    r"|erratum|without|include|texts)\b)",
    re.MULTILINE,
)
_NAMES = {
    "NAME": "a name", "INT": "a number", "SIGNED": "a number", "STRING": "a text in double quotes", "PICTURE": "a picture",
    "SIZE": "a size such as `3x3`", "COMPARE": "a comparison", "$END": "the end of the file", "LBRACE": "`{`", "RBRACE": "`}`",
    "LPAR": "`(`", "RPAR": "`)`", "LSQB": "`[`", "RSQB": "`]`", "EQUAL": "`=`", "COLON": "`:`", "COMMA": "`,`", "DOT": "`.`",
    "VBAR": "`|`", "PLUS": "`+`", "MINUS": "`-`", "STAR": "`*`", "QMARK": "`?`", "SLASH": "`/`", "__ANON_0": "`..`", "__ANON_1": "`+=`",
    "AT_LEAST": "`at least`", "AT_MOST": "`at most`", "TOP_OF": "`top of`", "TOPS_OF": "`tops of`", "CARDS_OF": "`cards of`",
    "NEIGHBOURS_OF": "`neighbours of`", "PLACE_OF": "`place of`", "CELLS_OF": "`cells of`", "GROUP_OF": "`largest group of same`",
    "PLAYER_AFTER": "`player after`",
    "AT_ONCE": "`at once`",
}  # fmt: skip


_BEGIN_CONDITIONS = frozenset("not some every no count sum same distinct ascending all any holds can".split())
_CLOSING = {"(": "RPAR", "[": "RSQB", "{": "RBRACE"}


@cache
def _parser() -> Lark:
    return Lark(
        read_grammar("rules.lark"),
        parser="lalr",
        maybe_placeholders=True,
        propagate_positions=True,
        edit_terminals=_whole_words,
    )


def _whole_words(terminal: TerminalDef) -> None:
    """A word of the language ends where the word ends: `perplayer` is not `per player`."""
    if isinstance(terminal.pattern, PatternStr) and terminal.pattern.value.isalpha():
        terminal.pattern = PatternRE(terminal.pattern.value + r"\b")
        terminal.priority = 1


def parse_rules(file: SourceFile) -> Result[Document]:
    """Parse a rules file. Several syntax errors are told at once, each at its place; the value is None if there is
    one.
    """
    if len(file.text) > MAX_BYTES:
        message = f"the file is larger than {MAX_BYTES >> 20} MiB, the most a rules file may have"
        return Result(None, (Diagnostic("PW103", message, file=file.name),))
    deep = _out_of_bounds(file)
    if deep:
        return Result(None, (deep,))
    problems: list[Diagnostic] = []
    text = file.text
    while True:
        builder = TreeBuilder(file)
        try:
            document = _parse(text, builder)
        except RecursionError:
            message = "something here is nested too deeply, or a chain of dots or `else if` is too long"
            return Result(None, (Diagnostic("PW103", message, file=file.name, help=_NAME_PARTS),))
        except UnexpectedInput as error:
            problem = _explain(file, error)
            problems.append(problem)
            at = problem.span.start if problem.span else 0
            # Where a bracket is still open, the unfinished declaration is the one to leave out, not the one after it.
            cut_short = bool(problem.labels) and _DECLARATION.match(text, at) is not None
            opened = problem.labels[0].span.start if cut_short else None
            text = _without_declaration(text, at if opened is None else opened, None if opened is None else at)
            if len(problems) < MAX_PROBLEMS and text.strip() and _DECLARATION.search(text):
                continue
            return Result(None, _sorted(problems))
        problems.extend(builder.diagnostics)
        return Result(None if problems else document, _sorted(problems))


def _parse(text: str, builder: TreeBuilder) -> Document:
    parser = _parser()
    # Lark builds a plain tree and our builder walks it; `_out_of_bounds` bounds the depth of both, but for chains of
    # words without brackets, which only the walk itself finds too deep.
    try:
        document = builder.transform(parser.parse(text))
    except VisitError as error:
        if isinstance(error.orig_exc, RecursionError):
            raise RecursionError from None
        raise
    if not isinstance(document, Document):
        raise InternalError("the grammar's start rule did not give a document")
    return document


def _sorted(problems: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    unique = {(p.code, p.message, p.span.start if p.span else -1): p for p in problems}
    return tuple(sorted(unique.values(), key=lambda p: p.span.start if p.span else -1))


_TOKENS = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|#[^\n]*|\[[#._A-Za-z0-9+/ \t\r\n]*\]|^(?=\S)|[\[({]|[\])}]'
    r"|\b(?:and|or)\b|[+*]|\b(?:not|count|sum|top of|if)\b|-|[0-9]+|\w+",
    re.MULTILINE,
)


def _out_of_bounds(file: SourceFile) -> Diagnostic | None:
    """What no parser should have to stomach: deep nesting, endless chains of operators, numbers of a thousand digits."""
    depth = run = chain = 0
    for match in _TOKENS.finditer(file.text):
        sign = match.group()
        if not sign:
            chain = 0
            continue
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth = max(0, depth - 1)
        elif sign in ("not", "count", "sum", "top of", "if", "-"):
            run += 1
            chain += sign == "-"
        elif sign in ("and", "or", "+", "*"):
            chain += 1
            run = 0
        elif sign[0] not in '"#[':
            run = 0
        place = Span(file, match.start(), match.end())
        if sign.isdigit() and len(sign) > MAX_DIGITS:
            return Diagnostic("PW306", f"a number has at most {MAX_DIGITS} digits", place)
        if depth + run > MAX_DEPTH:
            return Diagnostic("PW103", f"nested more than {MAX_DEPTH} levels deep", place, help=_NAME_PARTS)
        if chain > MAX_CHAIN:
            return Diagnostic("PW103", f"more than {MAX_CHAIN} operators in one declaration", place, help=_NAME_PARTS)
    return None


def _without_declaration(text: str, at: int, until: int | None) -> str:
    """The text with the declaration around an error blanked out, so that the next parse finds the next error."""
    starts = [m.end() for m in _DECLARATION.finditer(text)]
    begin = max((s for s in starts if s <= at), default=0)
    end = min((s for s in starts if s > max(at, begin)), default=len(text))
    if until is not None and until > begin:
        end = until
    if text[begin:end].strip() == "":
        end = len(text)
    blank = "".join("\n" if c == "\n" else " " for c in text[begin:end])
    if begin == min(starts, default=0):
        # The header itself is broken: without one nothing parses, so stop here.
        return " " * len(text)
    return text[:begin] + blank + text[end:]


def _explain(file: SourceFile, error: UnexpectedInput) -> Diagnostic:
    if isinstance(error, UnexpectedCharacters):
        at = error.pos_in_stream or 0
        return _bad_character(file, at, error.allowed or set())
    expected: set[str] = set(getattr(error, "accepts", None) or getattr(error, "expected", None) or ())
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        token = error.token
        span = Span(file, token.start_pos or 0, token.end_pos or 0)
        return _unexpected(file, span, f"unexpected `{_short(token)}`", expected)
    end = len(file.text.rstrip())
    span = Span(file, end, end)
    if isinstance(error, UnexpectedEOF | UnexpectedToken):
        return _unexpected(file, span, "the file ends too early", expected)
    raise InternalError(f"unknown parse error {error!r}")


def _short(token: Token) -> str:
    text = str(token)
    return text if len(text) <= 30 else text[:29] + "…"


def _bad_character(file: SourceFile, at: int, expected: set[str]) -> Diagnostic:
    sign = file.text[at]
    span = Span(file, at, at + 1)
    if sign == '"':
        return Diagnostic("PW101", "the text is never closed", span, help='end it with `"` on the same line')
    return _unexpected(file, span, f"unexpected `{sign}`", expected)


@cache
def _keywords() -> frozenset[str]:
    return frozenset(t.name.lower() for t in _parser().terminals if t.name.isalpha() and t.name not in _NAMES)


def _unexpected(file: SourceFile, span: Span, message: str, expected: set[str]) -> Diagnostic:
    diagnostic = Diagnostic("PW101", message, span)
    opened = _never_closed(file, span.start)
    begins = _line_start(file, span)
    above = opened is not None and opened.start < begins
    if (
        opened is not None
        and above
        and (span.start >= len(file.text.rstrip()) or _DECLARATION.match(file.text, begins))
    ):
        label = Label(opened, "opened here and never closed")
        return replace(diagnostic, labels=(label,), help=f"close `{opened.text}` from line {opened.line}")
    known = known_mistake(file, span, expected, _keywords())
    if known is not None:
        return known
    if (
        opened is not None
        and above
        and not file.text[begins : span.start].strip()
        and _CLOSING[opened.text] in expected
    ):
        return with_bracket(diagnostic, opened)
    found = span.text
    keywords = sorted(e.lower() for e in expected if e not in _NAMES and e.isalpha())
    if found.isidentifier() and "NAME" in expected:
        return replace(diagnostic, help=f"`{found}` is a word of the language; choose another name")
    if found.isidentifier() and keywords and found not in _keywords():
        close = closest(found, keywords) if len(keywords) > 8 and span.start == begins else None
        if close is not None:
            return replace(diagnostic, help=f"did you mean `{close}`?", fix=name_fix(span, keywords))
        close = closest(found, keywords)
        if close is not None and len(keywords) <= 8 and len(found) > 2:
            fix = name_fix(span, keywords)
            if fix is not None and fix.safe:
                return replace(diagnostic, help=f"did you mean `{close}`?", fix=fix)
    if found not in _keywords() or found in _BEGIN_CONDITIONS:
        joined = missing_and(file, span, expected)
        if joined is not None:
            return joined
    words = sorted({_NAMES[e] for e in expected if e in _NAMES})
    if len(words) + len(keywords) <= 12:
        options = words + [f"`{k}`" for k in keywords]
        if options:
            return replace(diagnostic, help="here stands " + " or ".join(options))
    elif words:
        return replace(diagnostic, help="here may stand " + ", ".join(words[:6]) + " or one of the keywords")
    return diagnostic


def _line_start(file: SourceFile, span: Span) -> int:
    return file.text.rfind("\n", 0, span.start) + 1


def _never_closed(file: SourceFile, before: int) -> Span | None:
    """The innermost bracket that is still open at `before`, texts, comments and pictures left aside."""
    stack: list[int] = []
    for match in re.finditer(
        r'"(?:[^"\\\n]|\\.)*"|\[[#._A-Za-z0-9+/ \t\r\n]*\]|#[^\n]*|[({\[]|[)}\]]', file.text[:before]
    ):
        sign = match.group()
        if sign in "({[":
            stack.append(match.start())
        elif sign in ")}]" and stack:
            stack.pop()
    return Span(file, stack[-1], stack[-1] + 1) if stack else None
