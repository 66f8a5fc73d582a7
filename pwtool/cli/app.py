"""The command line: all commands, and running one of them."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Optional

import typer
import typer.main

from pwtool import __version__
from pwtool.cli.command import NAME, OTHER, ColorOption, QuietOption, app, register, speak
from pwtool.cli.commands import documents, games, rulesets
from pwtool.cli.completing import answer, complete_commands, shell_that_asks
from pwtool.cli.groups import cache_app, rules_app
from pwtool.cli.options import LangOption
from pwtool.cli.output_settings import output_settings
from pwtool.cli.start import complain_of_command, guarded

__all__ = ["app", "documents", "games", "rulesets", "run"]

app.add_typer(rules_app, name="rules", rich_help_panel="Rules")
app.add_typer(cache_app, name="cache", rich_help_panel=OTHER)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"pwtool {__version__}")
        raise typer.Exit()


@app.callback()
def _main(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    lang: LangOption = None,
    quiet: QuietOption = False,
    color: ColorOption = "auto",
) -> None:
    from pwtool.cli.config import defaults

    command = context.invoked_subcommand or ""
    settings = defaults(command)
    usual = settings.pop("lang", None)
    output_settings.lang = lang if lang is not None else usual
    context.default_map = {command: settings}
    speak(color, quiet, lang)


@register(OTHER, name="help")
def help_(
    command: Annotated[
        Optional[list[str]], typer.Argument(help="The command.", metavar="COMMAND", autocompletion=complete_commands)
    ] = None,
) -> None:
    """Show the help of a command."""
    _command()([*(command or []), "--help"], prog_name=NAME, standalone_mode=False)


@cache
def _command() -> Any:
    """All commands as the library has them; made once, however many are run."""
    return typer.main.get_command(app)


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code; never shows a traceback."""
    return guarded(lambda: _run(arguments))


def _run(arguments: list[str] | None) -> int:
    shell = shell_that_asks()
    if shell is not None:
        return answer(shell, lambda: _command()(arguments, prog_name=NAME, standalone_mode=False))
    try:
        result = _command()(arguments, prog_name=NAME, standalone_mode=False)
    except typer.Exit as stop:
        return stop.exit_code
    except typer.Abort:
        raise KeyboardInterrupt from None
    except SystemExit as stop:
        # The library's exception for a reader that has gone.
        raise BrokenPipeError from stop
    except Exception as error:
        # Usage errors know how to display themselves.
        if not hasattr(error, "format_message"):
            raise
        complain_of_command(error)
        return 2
    return result if isinstance(result, int) else 0
