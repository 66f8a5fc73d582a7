"""Where grammar and rulesets lie: inside of the installed package, or beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def data_folder(name: str) -> Path:
    """The folder `grammar` or `rulesets` that belongs to this program."""
    installed = _PACKAGE / "_data" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def read_grammar(name: str) -> str:
    """The text of a grammar file."""
    return (data_folder("grammar") / name).read_text("utf-8")
