"""Rendering results. Each format is a separate module that is imported on demand."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pwtool.checking.report import Report

_MODULES = {
    "full": "text.full", "concise": "text.concise", "json": "machine.json_report", "jsonl": "machine.json_report",
    "sarif": "machine.sarif", "junit": "machine.junit", "github": "machine.github", "markdown": "machine.markdown",
    "html": "html.checked",
}  # fmt: skip
FORMATS: tuple[str, ...] = tuple(_MODULES)


def render(report: Report, form: str, *, color: bool = False, show_all: bool = False) -> str:
    """The report in a format of `FORMATS`. Findings that only follow from others are left out unless `show_all`;
    data formats mark them.
    """
    from pwtool.text.terminal import without_commands

    module = import_module(f"pwtool.show.{_MODULES[form]}")
    text: str = getattr(module, f"render_{form}")(report, color=color, show_all=show_all)
    # Only the GitHub format emits workflow commands.
    return text if form == "github" else without_commands(text)
