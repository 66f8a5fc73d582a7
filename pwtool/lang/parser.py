"""From the text of a rules file to its tree, with every syntax error in words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from pwtool.lang.bounds import NAME_PARTS, out_of_bounds
from pwtool.lang.builder import TreeBuilder
from pwtool.lang.limits import MAX_BYTES
from pwtool.lang.mistakes.stuck import DECLARATION, declarations
from pwtool.lang.naming import unusable_names
from pwtool.lang.reading import Tree, automaton
from pwtool.lang.tree import Document
from pwtool.text import Diagnostic, InternalError, Result
from pwtool.text.diagnostic import MAX_PROBLEMS, first_problems
from pwtool.text.source import SourceFile, Span

if TYPE_CHECKING:
    from lark import UnexpectedInput

MAX_ALONE = 200


def parse_rules(file: SourceFile) -> Result[Document]:
    """Parse a rules file. Several syntax errors are reported at once, each at its place; then the value is None."""
    beyond = beyond_reading(file)
    if beyond:
        return Result(None, (beyond,))
    return read_left(file, file.text)


def beyond_reading(file: SourceFile) -> Diagnostic | None:
    """Why a file cannot be read at all."""
    if len(file.text) > MAX_BYTES:
        message = "the file is larger than {most} MiB, the limit for a rules file"
        return Diagnostic.of("PW103", message, file=file.name, most=MAX_BYTES >> 20)
    return out_of_bounds(file)


def read_left(file: SourceFile, left: str) -> Result[Document]:
    """The tree of a rules file, or its errors. `left` is its text, with spaces in place of declarations that are known
    to be correct.
    """
    problems: list[Diagnostic] = []
    text = kept = left
    explainer = None
    while True:
        tree = automaton().tree(text)
        if tree is None:
            # Few files have mistakes.
            from pwtool.lang.mistakes.explain import Explainer

            explainer, error = explainer or Explainer(keywords(), _first_error), _first_error(text)
            if error is None:
                raise InternalError("the parsers do not agree whether a text can be read")
            problem = explainer.explain(file, error)
            problems.append(problem)
            at = problem.span.start if problem.span else 0
            # Where a bracket is still open, the unfinished declaration is the one to leave out, not the one after it.
            cut_short = bool(problem.labels) and DECLARATION.match(file.text, at) is not None
            opened = problem.labels[0].span.start if cut_short else None
            broken = _declaration(file, at if opened is None else opened, None if opened is None else at)
            if len(problems) > MAX_PROBLEMS or broken is None:
                return Result(None, _sorted(problems))
            kept = blanked(kept, *broken)
            if not file.text[broken[1] :].strip():
                return Result(None, _sorted([*problems, *_inside(file, kept)]))
            # What stands before the place was read: so every declaration is read once, however many are wrong.
            text = blanked(left, declarations(file)[0][1], broken[1])
            continue
        document, wrong = build_tree(file, tree)
        if problems:
            return Result(None, _sorted([*problems, *_inside(file, kept)]))
        return Result(None if wrong else document, _sorted(wrong))


def build_tree(file: SourceFile, tree: Tree) -> tuple[Document | None, list[Diagnostic]]:
    """Our tree from the plain one, and the errors in its pictures and names."""
    builder = TreeBuilder(file)
    try:
        document = builder.build(tree)
    except RecursionError:
        # `out_of_bounds` bounds the depth, but for chains of words without brackets.
        message = "something here is nested too deeply, or a chain of dots or `else if` is too long"
        return None, [Diagnostic.of("PW103", message, _too_deep(file, tree), help=NAME_PARTS)]
    if not isinstance(document, Document):
        raise InternalError("the grammar's start rule did not give a document")
    return document, [*builder.diagnostics, *unusable_names(document)]


def _too_deep(file: SourceFile, tree: Tree) -> Span:
    """The declaration that is too deep to be built."""
    for part in tree.parts:
        try:
            TreeBuilder(file).build(part)
        except RecursionError:
            return Span(file, part.start, part.end)
    return Span(file, 0, 0)


def _inside(file: SourceFile, text: str) -> list[Diagnostic]:
    """The errors in pictures and names of the declarations that can be read."""
    tree = automaton().tree(text)
    if tree is None:
        return [problem for one in _alone(file, text) for problem in one]
    return build_tree(file, tree)[1]


def _alone(file: SourceFile, text: str) -> Iterator[list[Diagnostic]]:
    """The same for each declaration by itself: one that uses a word as a name may leave nothing of the others to read."""
    starts, _ = declarations(file)
    for begin, end in islice(pairwise([*starts[1:], len(text)]), MAX_ALONE):
        tree = automaton().tree(blanked(text[:end], starts[1], begin))
        if tree is not None:
            yield build_tree(file, tree)[1]


def _sorted(problems: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    unique = {(p.code, p.message, p.span.start if p.span else -1): p for p in problems}
    return first_problems(sorted(unique.values(), key=lambda p: p.span.start if p.span else -1))


def _declaration(file: SourceFile, at: int, until: int | None) -> tuple[int, int] | None:
    """Start and end of the declaration around an error; None for the header."""
    starts, _ = declarations(file)
    number = bisect_right(starts, at)
    if number < 2:
        return None
    begin = starts[number - 1]
    end = starts[number] if number < len(starts) else len(file.text)
    if until is not None and until > begin:
        end = until
    return begin, end


def blanked(text: str, begin: int, end: int) -> str:
    """A text with spaces from one place to another."""
    return text[:begin] + " " * (end - begin) + text[end:]


def _first_error(text: str) -> UnexpectedInput | None:
    from lark import UnexpectedInput

    from pwtool.lang.tables import rules_parser

    try:
        rules_parser().parse(text)
    except UnexpectedInput as error:
        return error
    return None


@cache
def keywords() -> frozenset[str]:
    """All keywords of the language."""
    from pwtool.lang.mistakes.explain import is_keyword

    return frozenset(name.lower() for name in automaton().terminals if is_keyword(name))
