"""Writes docs/pwtool.1, the manual page, from the help of the commands and the tables of these pages.

    python docs/make_man.py [--check]

`--check` only compares the result with the existing file. The wheel installs it where `man pwtool` finds it.
"""

from __future__ import annotations

import re
import sys
import typing
from collections.abc import Iterator
from itertools import dropwhile, islice, takewhile
from pathlib import Path
from typing import Any

import typer

from pwtool import __version__
from pwtool.cli.app import app
from pwtool.cli.command import NAME
from pwtool.cli.example_lines import examples

DOCS = Path(__file__).resolve().parent
STORED = DOCS / "pwtool.1"
# Variables that are not settings.
VARIABLES = (
    ("PWTOOL_CONFIG", "The file with the settings of pwtool check (empty: no settings)."),
    ("PWTOOL_NO_CACHE", "If set, nothing is cached."),
    ("PWTOOL_TRACEBACK", "If set, internal errors are shown with a traceback."),
    ("NO_COLOR", "If set, there is no color unless --color asks for it."),
    ("LC_ALL, LC_MESSAGES, LANG", "The language, unless --lang is given."),
)


def manual() -> str:
    """The manual page in troff with the man macros."""
    return "\n".join(_page()) + "\n"


def _page() -> Iterator[str]:
    root: Any = typer.main.get_command(app)
    what = root.help.rstrip(".")
    yield '.\\" Made by docs/make_man.py.'
    yield f'.TH {NAME.upper()} 1 "" "{NAME} {__version__}" "User Commands"'
    yield from (".SH NAME", f"{NAME} \\- {_said(what[0].lower() + what[1:])}")
    yield from (".SH SYNOPSIS", f"{_bold(NAME)} [OPTIONS] {_slanted('COMMAND')} [ARGUMENTS]")
    yield from (".SH DESCRIPTION", _said(root.help), ".SH OPTIONS")
    yield from _options(root)
    for panel in dict.fromkeys(one.rich_help_panel for one in root.commands.values()):
        yield f".SH COMMANDS: {panel.upper()}"
        for name, one in root.commands.items():
            if one.rich_help_panel == panel:
                yield from _command(name, one)
    yield ".SH EXIT STATUS"
    for code, meaning in _rows("reports.md", "Exit codes"):
        yield from _entry(_bold(code), meaning)
    yield ".SH ENVIRONMENT"
    for _, variable, option in _rows("teams.md", "Settings"):
        name, _, form = variable.replace("`", "").partition(" ")
        if name:
            yield from _entry(_bold(name), f"For pwtool check the same as {option}{' ' + form if form else ''}.")
    for name, meaning in VARIABLES:
        yield from _entry(_bold(name), meaning)
    yield ".SH FILES"
    yield from _entry(_bold("pwtool.toml, pyproject.toml"), "Settings of pwtool check, in this folder or one above.")
    yield from _entry(_bold("the folder that pwtool cache path prints"), "The cache of rulesets and kernels.")


def _command(name: str, command: Any) -> Iterator[str]:
    if command.hidden:
        return
    if not hasattr(command, "commands") or command.invoke_without_command:
        arguments = [p for p in command.params if p.param_type_name == "argument"]
        words = " ".join(_slanted(word(p)) for p in arguments)
        yield f".SS {_bold(f'{NAME} {name}')} [OPTIONS] {words}".rstrip()
        # The terminal does not show what comes after `\f` either.
        yield _said((command.help or "").split("\f")[0])
        for argument in arguments:
            yield from _entry(_slanted(word(argument)), argument.help or "")
        yield from _options(command)
        shown = examples(name)
        if shown:
            yield from (
                ".PP",
                "Examples:" if len(shown) > 1 else "Example:",
                ".PP",
                ".EX",
                *map(_escaped, shown),
                ".EE",
            )
    for inner, one in getattr(command, "commands", {}).items():
        yield from _command(f"{name} {inner}", one)


def _options(command: Any) -> Iterator[str]:
    for option in command.params:
        if option.param_type_name == "option" and not option.hidden:
            names = ", ".join(map(_bold, [*option.opts, *option.secondary_opts]))
            yield from _entry(names if option.is_flag else f"{names} {_slanted(word(option))}", option.help or "")


def word(parameter: Any) -> str:
    """The placeholder for the value of an argument or option: its metavar, its choices or its type."""
    kind = parameter.type_descriptor.annotation
    choices = "|".join(typing.get_args(kind)) if typing.get_origin(kind) is typing.Literal else None
    return parameter.metavar or choices or {int: "N", float: "X"}.get(kind, parameter.name.upper())


def _rows(page: str, heading: str) -> Iterator[list[str]]:
    """The cells of the first table below a heading."""
    lines = iter((DOCS / page).read_text("utf-8").splitlines())
    assert any(re.fullmatch(f"#+ {heading}", line) for line in lines), f"{page} has no heading {heading}"
    table = takewhile(_is_row, dropwhile(lambda line: not _is_row(line), lines))
    for line in islice(table, 2, None):
        yield [cell.strip() for cell in line.strip("|").split("|")]


def _is_row(line: str) -> bool:
    return line.startswith("|")


def _entry(term: str, text: str) -> tuple[str, ...]:
    return ".TP", term, _said(text)


def _bold(text: str) -> str:
    return f"\\fB{_escaped(text)}\\fR"


def _slanted(text: str) -> str:
    return f"\\fI{_escaped(text)}\\fR"


def _said(text: str) -> str:
    """Markdown text as troff: code in bold, links as plain words."""
    text = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", " ".join(text.split()))
    return "".join(_bold(part) if at % 2 else _escaped(part) for at, part in enumerate(text.split("`")))


_SIGNS = str.maketrans({"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", '"': "\\(dq"})


def _escaped(text: str) -> str:
    """A text with everything escaped that troff would interpret."""
    safe = "".join(c if c.isascii() else f"\\[u{ord(c):04X}]" for c in text.translate(_SIGNS))
    return f"\\&{safe}" if safe.startswith(".") else safe


def main(arguments: list[str]) -> int:
    """Write the page, or compare it: the exit code is 1 if it is out of date."""
    text = manual()
    if "--check" in arguments:
        return 0 if STORED.read_text("utf-8") == text else 1
    STORED.write_text(text, "utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
