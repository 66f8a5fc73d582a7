"""Markdown made by the directives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class MarkdownDirective(SphinxDirective):
    """A directive that stands for Markdown; `markdown` makes it."""

    def markdown(self) -> str:
        """What stands in its place."""
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        """The nodes of that text."""
        return self.parse_text_to_nodes(self.markdown(), allow_section_headings=True)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a bar within a cell is escaped."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in lines) + "\n"


def code(text: str) -> str:
    """Text as code, whatever it holds."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence}{text}{fence}"


def plain(text: str) -> str:
    """Text in which nothing is markup but options, which are code."""
    parts = re.split(r"(?<![\w-])(--[a-z][\w-]*)", text)
    return "".join(
        f"`{part}`" if at % 2 else re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", part) for at, part in enumerate(parts)
    )
