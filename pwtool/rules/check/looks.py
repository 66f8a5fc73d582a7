"""Checks what is said of looks."""

from __future__ import annotations

from typing import Any

from pwtool.ir.looks import read_looks
from pwtool.lang.merged import Merged
from pwtool.rules.check.scope import Declared
from pwtool.text.source import Span


def check_looks(merged: Merged, declared: Declared) -> None:
    """What the last layer says of looks fits. A look that an item below it had may be out of date: it is left out."""

    def report(code: str, message: str, span: Span, help_line: str | None, **values: Any) -> None:
        if declared.is_own(span):
            declared.report(code, message, span, help_line, **values)

    there = {key: look for key, look in merged.looks.items() if key in merged.items or key not in merged.history}
    read_looks(there, declared.zones, declared.components, declared.variables, declared.max_players, report)
