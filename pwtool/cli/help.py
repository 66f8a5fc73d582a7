"""Help pages: options in groups, one column of names and one of explanations, at most 100 columns wide.

The pages of typer need the library `rich`, whose import takes longer than everything else together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from typer.core import TyperCommand, TyperGroup

from pwtool.cli.options import OUTPUT
from pwtool.cli.output_settings import output_settings
from pwtool.text.data import data_folder
from pwtool.text.terminal import BOLD, paint

NAMES = 30
"""The widest column of names."""
OWN = "Options"
Entry = tuple[str, str, str]
"""A command with its panel and what it does."""


def examples(command: str) -> list[str]:
    """The command lines in `docs/commands.txt` that show how to use a command."""
    lines = (data_folder("docs") / "commands.txt").read_text("utf-8").splitlines()
    return [line for line in lines if f"{line} ".startswith(f"pwtool {command} ")]


class Command(TyperCommand):
    """A command whose help ends with examples."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What comes behind its name."""
        return ["[OPTIONS]", *map(_metavar, _arguments(self, ctx))]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help page."""
        _write_head(self, ctx, formatter)
        _write_parameters(self, ctx, formatter)
        found = examples(ctx.command_path.partition(" ")[2])
        if found:
            _write_heading(formatter, "Example" if len(found) == 1 else "Examples")
            formatter.write("".join(f"  {line}\n" for line in found))


class Group(TyperGroup):
    """A command with others below it; the root has `entries` for commands that are not made unless they are called."""

    entries: Sequence[Entry] = ()

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help page."""
        _write_head(self, ctx, formatter)
        entries = self.entries or [
            (getattr(one, "rich_help_panel", None) or "Commands", name, one.help or "")
            for name, one in self.commands.items()
        ]
        for panel in dict.fromkeys(panel for panel, _, _ in entries):
            rows = [(name, _first_sentence(told)) for other, name, told in entries if other == panel]
            _write_rows(formatter, panel, rows)
        _write_parameters(self, ctx, formatter)


def _first_sentence(told: str) -> str:
    return " ".join(told.split()).partition(". ")[0].removesuffix(".")


def _write_head(command: Any, ctx: Any, formatter: Any) -> None:
    formatter.write_usage(ctx.command_path, " ".join(command.collect_usage_pieces(ctx)))
    if command.help:
        formatter.write_paragraph()
        # What comes after `\f` is for readers of the code.
        formatter.write_text(command.help.partition("\f")[0].strip())


def _arguments(command: Any, ctx: Any) -> list[Any]:
    return [one for one in command.get_params(ctx) if one.param_type_name == "argument"]


def _metavar(argument: Any) -> str:
    name = str(argument.metavar or argument.name.upper())
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _write_parameters(command: Any, ctx: Any, formatter: Any) -> None:
    panels: dict[str, list[tuple[str, str]]] = {}
    arguments = _arguments(command, ctx)
    if arguments:
        panels["Arguments"] = [(str(one.metavar or one.name.upper()), one.help or "") for one in arguments]
    for one in command.get_params(ctx):
        if one.param_type_name != "argument" and not one.hidden:
            panel = OUTPUT if one.name == "help" else getattr(one, "rich_help_panel", None) or OWN
            panels.setdefault(panel, []).append(one.get_help_record(ctx))
    # What most commands have comes last.
    for panel in sorted(panels, key=lambda panel: (panel == OUTPUT, panel not in ("Arguments", OWN))):
        _write_rows(formatter, panel, panels[panel])


def _write_rows(formatter: Any, panel: str, rows: Iterable[tuple[str, str]]) -> None:
    _write_heading(formatter, panel)
    formatter.indent()
    formatter.write_dl(rows, col_max=NAMES)
    formatter.dedent()


def _write_heading(formatter: Any, heading: str) -> None:
    import sys

    formatter.write_paragraph()
    formatter.write(f"{paint(f'{heading}:', BOLD, output_settings.colors(sys.stdout))}\n")
