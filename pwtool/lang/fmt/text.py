"""The formatter: rewrites a rules file in the common style without changing its meaning.

`docs/decisions/0007-formatter.md` says what stays as the author wrote it.
"""

from __future__ import annotations

from lark import Token, Tree, UnexpectedInput

from pwtool.lang.fmt.layout import LayoutBuilder
from pwtool.lang.fmt.lines import render_lines
from pwtool.lang.fmt.printer import Printer
from pwtool.lang.fmt.tokens import Tokens, read_tokens
from pwtool.lang.parser import parse_rules
from pwtool.text import InternalError, Result
from pwtool.text.source import SourceFile


def format_rules(file: SourceFile) -> Result[str]:
    """The formatted text of a rules file, lines ended by `\n`. With syntax errors there is none: they are returned."""
    parsed = parse_rules(file)
    if parsed.value is None:
        return Result(None, parsed.diagnostics)
    tokens = read_tokens(file.text)
    printer = Printer()
    for group in LayoutBuilder(tokens).items():
        printer.item(group)
    printer.comments(tokens.rest)
    text = render_lines(printer.lines)
    # A mistake in a layout must never cost anybody a rule or a comment.
    if not _says_the_same(text, tokens):
        raise InternalError("the formatted text does not say what the file says")
    return Result(text)


def comments_of(tokens: Tokens) -> list[tuple[int, bool, str]]:
    """All comments in order: the number of the token that each precedes, whether it comes after something on its line,
    its text.
    """
    comments = [*(leaf.comments for leaf in tokens.leaves), tokens.rest]
    return [(number, c.behind, c.text) for number, before in enumerate(comments) for c in before]


def _says_the_same(text: str, tokens: Tokens) -> bool:
    try:
        again = read_tokens(text)
    except UnexpectedInput:
        return False
    return _structure(again) == _structure(tokens) and comments_of(again) == comments_of(tokens)


def _structure(tokens: Tokens) -> list[str]:
    """The tree as a list: the name of a construct, the number of its parts, then the parts; for a token, its text."""
    found: list[str] = []
    pending: list[Token | Tree[Token]] = [tokens.tree]
    while pending:
        node = pending.pop()
        if isinstance(node, Token):
            found += [leaf.text for leaf in tokens.of_token[id(node)]]
        else:
            found.append(f"{node.data}/{len(node.children)}")
            pending += reversed(node.children)
    return found
