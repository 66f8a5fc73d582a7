"""The commands with their arguments and options, from the command line itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from make_man import word

from pwtool.cli.app import app
from pwtool_site.markdown import MarkdownDirective, plain, table


class CommandReference(MarkdownDirective):
    """A section for each command."""

    def markdown(self) -> str:
        """All sections, in the order of `pwtool --help`."""
        return "\n".join(_sections("pwtool", typer.main.get_command(app)))


def _sections(name: str, command: Any) -> Iterator[str]:
    for inner, one in command.commands.items():
        if one.hidden:
            continue
        if not hasattr(one, "commands") or one.invoke_without_command:
            yield _section(f"{name} {inner}", one)
        if hasattr(one, "commands"):
            yield from _sections(f"{name} {inner}", one)


def _section(name: str, command: Any) -> str:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    usage = " ".join([name, *(word(p) for p in arguments)])
    # What a help text has behind `\f` is not shown on the terminal either.
    said = (command.help or "").split("\f")[0].strip()
    text = f"### {name}\n\n{plain(said)}\n\n```text\n{usage} [OPTIONS]\n```\n\n"
    rows = [(f"`{word(p)}`", plain(p.help or "")) for p in arguments]
    rows += [(f"`{_flags(p)}`", plain(p.help or "")) for p in options if p.help]
    return text + (table(("argument or option", "what it does"), rows) if rows else "")


def _flags(option: Any) -> str:
    names = ", ".join([*option.opts, *option.secondary_opts])
    return names if option.is_flag else f"{names} {word(option)}"
