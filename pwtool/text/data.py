"""Where the grammar and the rulesets are: inside the installed package, or next to it in a checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


@cache
def data_folder(name: str) -> Path:
    """The folder `grammar`, `rulesets` or `docs` of this program."""
    installed = _PACKAGE / "_data" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def read_grammar(name: str) -> str:
    """The text of a grammar file."""
    return (data_folder("grammar") / name).read_text("utf-8")


def error_page(code: str) -> Path | None:
    """The page about a finding code; None if it is missing."""
    page = data_folder("docs") / "errors" / f"{code}.md"
    return page if page.is_file() else None
