"""The command line: all commands, and running one of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from copy import copy
from functools import cache, partial
from inspect import getdoc
from typing import Annotated, Any, Optional, get_args

import typer
import typer.main

from pwtool.cli.command import NAME, OTHER, ColorOption, QuietOption, app, register, speak
from pwtool.cli.commands import documents, games, rulesets
from pwtool.cli.completing import answer, complete_commands, shell_that_asks
from pwtool.cli.groups import cache_app, rules_app
from pwtool.cli.options import LangOption
from pwtool.cli.output_settings import output_settings
from pwtool.cli.start import INTERRUPTED, guarded, say_version

__all__ = ["app", "documents", "games", "rulesets", "run"]

app.add_typer(rules_app, name="rules", rich_help_panel="Rules")
app.add_typer(cache_app, name="cache", rich_help_panel=OTHER)


def _version(value: bool) -> None:
    if value:
        raise typer.Exit(say_version())


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
    output_settings.lang = lang or output_settings.lang or usual
    context.default_map = {command: settings}
    speak(color, quiet, lang)


@register(OTHER, name="help")
def help_(
    command: Annotated[
        Optional[list[str]],
        typer.Argument(
            help="The command, and the last word of the title of options to show.",
            metavar="COMMAND",
            autocompletion=complete_commands,
        ),
    ] = None,
) -> None:
    """Show the help of a command, or of some of its options."""
    words = list(command or [])
    depth = _depth(words)
    if len(words) == depth + 1 and (depth or words == ["options"]):
        output_settings.panel = words.pop()
    _call([*words, "--help"])


def _depth(words: Sequence[str]) -> int:
    """How many words at the beginning of a command line are names of commands."""
    found, commands = 0, _command().commands
    while found < len(words) and words[found] in commands:
        commands = getattr(commands[words[found]], "commands", {})
        found += 1
    return found


def _call(words: list[str]) -> Any:
    """Run a command line in the library; returns what it returns."""
    name = _named(words)
    root = _command(name)
    # A help page is written before the other options are read, and so is what is wrong with one of them.
    output_settings.lang = _asked_language(words) or output_settings.lang
    if name and words in ([name, "--help"], [name, "-h"]):
        # To read the options of the root, the library would import another one.
        return root.commands[name](words[1:], prog_name=f"{NAME} {name}", standalone_mode=False)
    return root(words, prog_name=NAME, standalone_mode=False)


def _asked_language(words: Sequence[str]) -> str | None:
    """The language that a command line asks for."""
    options = [word.partition("=") for word in words]
    given = [
        value or (words[at + 1] if at + 1 < len(words) else "")
        for at, (name, _, value) in enumerate(options)
        if name == "--lang"
    ]
    return given[-1] if given else None


def _named(words: Sequence[str]) -> str | None:
    """The command that a command line names; "" if it names none, None if that is not sure."""
    first = next((word for word in words if not word.startswith("-")), "")
    known = {_name(told) for told in (*app.registered_commands, *app.registered_groups)}
    return first if first in known or not first else None


@cache
def _command(name: str | None = None) -> Any:
    """The root as the library has it, with one command, none (""), or all: making all takes as long as a short command.
    Made once, however many commands are run.
    """
    if name is None:
        return _lightened(typer.main.get_command(app))
    narrow = copy(app)
    narrow.registered_commands = [told for told in app.registered_commands if _name(told) == name]
    narrow.registered_groups = [told for told in app.registered_groups if _name(told) == name]
    root: Any = typer.main.get_command(narrow)
    root.entries = [
        *((str(told.rich_help_panel), _name(told), getdoc(told.callback) or "") for told in app.registered_commands),
        *((str(told.rich_help_panel), _name(told), _about(told.typer_instance)) for told in app.registered_groups),
    ]
    return _lightened(root)


def _lightened(command: Any) -> Any:
    """The command, and those below it, without the library's conversion of what needs none: to build conversions, it
    imports another library, which takes longer than all the rest of a command line.
    """
    for one in command.get_params(command.context_class(command, **command.context_settings)):
        one.process_value = partial(_value, one, one.process_value)
    for below in getattr(command, "commands", {}).values():
        _lightened(below)
    return command


def _value(parameter: Any, convert: Any, context: Any, given: Any) -> Any:
    """The value of a parameter, which is often as it was given."""
    # An older library has no such types, and imports no other one.
    kind = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
    value: Any
    if given is None and kind is not None and not parameter.required:
        value = () if parameter.multiple or parameter.nargs == -1 else None
    elif kind == list[str] and isinstance(given, (tuple, list)) and given and all(type(word) is str for word in given):
        value = list(given)
    elif type(given) is str and (kind is str or given in get_args(kind)):
        value = given
    elif kind in (int, float) and given is parameter.default and type(given) in (int, float):
        value = kind(given)
    else:
        return convert(context, given)
    return value if parameter.callback is None else parameter.callback(context, parameter, value)


def _name(told: Any) -> str:
    """The name of a command, by default that of its function."""
    return str(told.name or told.callback.__name__)


def _about(group: typer.Typer | None) -> str:
    """What a group of commands does."""
    assert group is not None
    called = group.registered_callback
    return group.info.help if isinstance(group.info.help, str) else getdoc(called.callback if called else None) or ""


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code; never shows a traceback."""
    return guarded(lambda: _run(arguments))


def _run(arguments: list[str] | None) -> int:
    shell = shell_that_asks()
    if shell is not None:
        return answer(shell, lambda: _command()(arguments, prog_name=NAME, standalone_mode=False))
    try:
        result = _call(sys.argv[1:] if arguments is None else arguments)
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
        from pwtool.cli.usage import complain_of_usage

        complain_of_usage(error)
        return 2
    if result == INTERRUPTED:
        # The library makes this of an interrupt.
        raise KeyboardInterrupt
    return result if isinstance(result, int) else 0
