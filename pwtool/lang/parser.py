"""From the text of a rules file to its tree, with every syntax error told in words."""

from __future__ import annotations

import re
from functools import cache

from lark import UnexpectedInput

from pwtool.lang.builder import TreeBuilder
from pwtool.lang.limits import MAX_BYTES, MAX_CHAIN, MAX_DEPTH, MAX_DIGITS
from pwtool.lang.mistakes.explain import Explainer, is_keyword
from pwtool.lang.mistakes.stuck import DECLARATION
from pwtool.lang.tables import rules_parser
from pwtool.lang.tree import Document
from pwtool.text import Diagnostic, InternalError, Result
from pwtool.text.source import SourceFile, Span

MAX_PROBLEMS = 20
_NAME_PARTS = "name parts with `define` or `let`"


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
    explainer = Explainer(keywords(), _first_error)
    while True:
        builder = TreeBuilder(file)
        try:
            document = _parse(text, builder)
        except RecursionError:
            message = "something here is nested too deeply, or a chain of dots or `else if` is too long"
            return Result(None, (Diagnostic("PW103", message, file=file.name, help=_NAME_PARTS),))
        except UnexpectedInput as error:
            problem = explainer.explain(file, error)
            problems.append(problem)
            at = problem.span.start if problem.span else 0
            # Where a bracket is still open, the unfinished declaration is the one to leave out, not the one after it.
            cut_short = bool(problem.labels) and DECLARATION.match(text, at) is not None
            opened = problem.labels[0].span.start if cut_short else None
            text = _without_declaration(text, at if opened is None else opened, None if opened is None else at)
            if len(problems) < MAX_PROBLEMS and text.strip() and DECLARATION.search(text):
                continue
            return Result(None, _sorted(problems))
        problems.extend(builder.diagnostics)
        return Result(None if problems else document, _sorted(problems))


def _parse(text: str, builder: TreeBuilder) -> Document:
    # Lark builds a plain tree and our builder walks it; `_out_of_bounds` bounds the depth of both, but for chains of
    # words without brackets, which only the walk itself finds too deep.
    document = builder.build(rules_parser().parse(text))
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
    starts = [m.end() for m in DECLARATION.finditer(text)]
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


def _first_error(text: str) -> UnexpectedInput | None:
    try:
        rules_parser().parse(text)
    except UnexpectedInput as error:
        return error
    return None


@cache
def keywords() -> frozenset[str]:
    """All words of the language."""
    return frozenset(t.name.lower() for t in rules_parser().terminals if is_keyword(t.name))
