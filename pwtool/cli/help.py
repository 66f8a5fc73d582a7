"""Help pages: options in groups, one column of names and one of explanations, at most 100 columns wide, in the reader's language.

The texts are written in English where commands and options are declared, and translated here.

The pages of typer need the library `rich`, whose import takes longer than everything else together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Any

from typer.core import TyperCommand, TyperGroup

from pwtool.cli.example_lines import examples
from pwtool.cli.options import ARCHIVES, KNOWN, OUTPUT
from pwtool.cli.output_settings import output_settings
from pwtool.text import did_you_mean
from pwtool.text.terminal import BOLD, paint
from pwtool.text.words import quoted

NAMES = 30
"""The widest column of names."""
LINES = 40
"""A page has no more lines, if it can do with fewer panels of options; the others have pages of their own."""
OWN, COMMON, MORE = "Options", "Common options", "More help"
ARGUMENTS, COMMANDS, EXAMPLE, EXAMPLES, USAGE = "Arguments", "Commands", "Example", "Examples", "Usage"
DEFAULT, SHOW = "[default: {value}]", "Show this message and exit."
OWN_WORDS = (OWN, COMMON, MORE, ARGUMENTS, COMMANDS, EXAMPLE, EXAMPLES, USAGE, DEFAULT, SHOW)
"""What pages say beside the texts of commands and options."""
CONTEXT = "help"
"""The context of all these texts in the catalogs."""
_COMMON = frozenset(("lang", "output", "force", "quiet", "color", "json_", "help"))
Entry = tuple[str, str, str]
"""A command with its panel and what it does."""


class Command(TyperCommand):
    """A command whose help ends with examples."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What comes behind its name."""
        return ["[OPTIONS]", *map(_metavar, _arguments(self, ctx))]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help page, or that of the wanted panel of options."""
        if _write_wanted(self, ctx, formatter):
            return
        _write_head(self, ctx, formatter)
        found = examples(ctx.command_path.partition(" ")[2])
        _write_panels(self, ctx, formatter, len(found) + 2 if found else 0)
        if found:
            _write_heading(formatter, EXAMPLE if len(found) == 1 else EXAMPLES)
            formatter.write("".join(f"  {line}\n" for line in found))


class Group(TyperGroup):
    """A command with others below it; the root has `entries` for commands that are not made unless they are called."""

    entries: Sequence[Entry] = ()

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help page, or that of the options."""
        if _write_wanted(self, ctx, formatter):
            return
        _write_head(self, ctx, formatter)
        entries = self.entries or [
            (getattr(one, "rich_help_panel", None) or COMMANDS, name, one.help or "")
            for name, one in self.commands.items()
        ]
        for panel in dict.fromkeys(panel for panel, _, _ in entries):
            rows = [(name, _first_sentence(told)) for other, name, told in entries if other == panel]
            _write_rows(formatter, panel, rows)
        _write_panels(self, ctx, formatter, 0)


def paragraphs(told: str) -> list[str]:
    """The paragraphs of what a command does; what comes after `\f` is for readers of the code."""
    return [" ".join(part.split()) for part in told.partition("\f")[0].strip().split("\n\n")]


def _said(text: str) -> str:
    return output_settings.speech.about(CONTEXT, text) if text else ""


def _first_sentence(told: str) -> str:
    return _said(paragraphs(told)[0]).partition(". ")[0].removesuffix(".")


def _write_head(command: Any, ctx: Any, formatter: Any) -> None:
    prefix = output_settings.speech.headed(_said(USAGE), "")
    formatter.write_usage(ctx.command_path, " ".join(command.collect_usage_pieces(ctx)), prefix)
    if command.help:
        formatter.write_paragraph()
        formatter.write_text("\n\n".join(map(_said, paragraphs(command.help))))


def _arguments(command: Any, ctx: Any) -> list[Any]:
    return [one for one in command.get_params(ctx) if one.param_type_name == "argument"]


def _metavar(argument: Any) -> str:
    name = str(argument.metavar or argument.name.upper())
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _panels(command: Any, ctx: Any) -> dict[str, list[Any]]:
    """The parameters by their panels; what most commands have comes last."""
    panels: dict[str, list[Any]] = {}
    for one in command.get_params(ctx):
        if one.param_type_name == "argument":
            panels.setdefault(ARGUMENTS, []).append(one)
        elif not one.hidden:
            panel = OUTPUT if one.name == "help" else getattr(one, "rich_help_panel", None) or OWN
            # Those of a group are few.
            panels.setdefault(OWN if isinstance(command, Group) else panel, []).append(one)
    order = sorted(panels, key=lambda panel: (panel == OUTPUT, panel not in (ARGUMENTS, OWN)))
    return {panel: panels[panel] for panel in order}


def _record(parameter: Any, ctx: Any) -> tuple[str, str]:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper()), _said(parameter.help or "")
    names, told = parameter.get_help_record(ctx)
    text, bracket, added = told.partition("  [")
    default = added.removeprefix("default: ")
    if default != added:
        return names, f"{_said(text)}  {_said(DEFAULT).format(value=default[:-1])}"
    return names, _said(text) + bracket + added


def _write_panels(command: Any, ctx: Any, formatter: Any, behind: int) -> None:
    """Write the panels of parameters, if necessary without those that few need, or all know; `behind`: how many lines
    will follow.
    """
    panels, apart = _panels(command, ctx), dict[str, list[Any]]()
    before = formatter.getvalue().count("\n") + behind
    for panel in (COMMON, ARCHIVES, KNOWN, OUTPUT, OWN):
        if before + 1 + _text(command, ctx, panels, apart).count("\n") <= LINES:
            break
        if panel == COMMON and OUTPUT in panels:
            apart[COMMON] = [one for one in panels[OUTPUT] if one.name in _COMMON]
            panels[OUTPUT] = [one for one in panels[OUTPUT] if one.name not in _COMMON]
        elif panels.get(panel):
            apart[panel] = panels.pop(panel) + (apart.pop(COMMON, []) if panel == OUTPUT else [])
    formatter.write_paragraph()
    formatter.write(_text(command, ctx, panels, apart))


def _text(command: Any, ctx: Any, panels: dict[str, list[Any]], apart: dict[str, list[Any]]) -> str:
    formatter = ctx.make_formatter()
    for panel, parameters in panels.items():
        if parameters:
            _write_rows(formatter, panel, [_record(one, ctx) for one in parameters])
    if apart:
        path = ["pwtool help", *ctx.command_path.split()[1:]]
        names = [" ".join([*path, _key(panel)]) for panel in apart]
        behind = max(map(len, names)) + 4
        _write_heading(formatter, MORE)
        for name, parameters in zip(names, apart.values(), strict=True):
            told = ", ".join(max(one.opts, key=len) for one in parameters)
            lines = wrap(told, formatter.width - behind, break_on_hyphens=False)
            formatter.write(f"  {name:<{behind - 4}}  " + f"\n{' ' * behind}".join(lines) + "\n")
    return str(formatter.getvalue())


def _key(panel: str) -> str:
    """The word for a panel on the command line."""
    return "common" if panel == COMMON else panel.rsplit(maxsplit=1)[-1].lower()


def _write_wanted(command: Any, ctx: Any, formatter: Any) -> bool:
    """Write the one panel of options that was asked for, if any was."""
    if output_settings.panel is None:
        return False
    panels = _panels(command, ctx)
    panels[COMMON] = [one for one in panels.get(OUTPUT, ()) if one.name in _COMMON]
    known = {_key(panel): panel for panel, parameters in panels.items() if parameters}
    if output_settings.panel not in known:
        from pwtool.cli.common import fail

        fail(
            f"`{ctx.command_path}` has no command or options called `{output_settings.panel}`",
            did_you_mean(output_settings.panel, known) or f"known here: {quoted(known)}",
        )
    panel = known[output_settings.panel]
    _write_rows(formatter, panel, [_record(one, ctx) for one in panels[panel]])
    return True


def _write_rows(formatter: Any, panel: str, rows: Iterable[tuple[str, str]]) -> None:
    _write_heading(formatter, panel)
    formatter.indent()
    formatter.write_dl(rows, col_max=NAMES)
    formatter.dedent()


def _write_heading(formatter: Any, heading: str) -> None:
    import sys

    formatter.write_paragraph()
    headed = output_settings.speech.headed(_said(heading), "").rstrip()
    formatter.write(f"{paint(headed, BOLD, output_settings.colors(sys.stdout))}\n")
