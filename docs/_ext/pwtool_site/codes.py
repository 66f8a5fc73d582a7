"""Tables of the codes of findings, and the list of decisions."""

from __future__ import annotations

import re

from pwtool.text import CODES
from pwtool_site.markdown import MarkdownDirective, plain, table
from pwtool_site.places import DOCS


class CodeTable(MarkdownDirective):
    """The codes that begin with a digit, each with a link to its page."""

    required_arguments = 1

    def markdown(self) -> str:
        """A row for each code."""
        rows = [
            (f"[{number}](/errors/{number}.md)", plain(code.slug), code.severity, plain(code.summary))
            for number, code in CODES.items()
            if number.startswith(f"PW{self.arguments[0]}")
        ]
        if not rows:
            raise self.error("no code begins so")
        return table(("code", "name", "severity", "what it means"), rows)


class DecisionList(MarkdownDirective):
    """The decisions by number, each with a link to its page."""

    def markdown(self) -> str:
        """A line for each decision."""
        titles = [
            (path.stem, re.search(r"^# (?:\d+\. )?(.+)$", path.read_text("utf-8"), re.MULTILINE))
            for path in sorted((DOCS / "decisions").glob("[0-9]*.md"))
        ]
        return "\n".join(f"1. [{title[1]}](/decisions/{stem}.md)" for stem, title in titles if title) + "\n"
