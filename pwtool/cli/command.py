"""The root of the command line, and the options of all commands, each declared once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from pwtool.cli.common import choose_language, fail, form_of, written_to
from pwtool.cli.help import Command, Group
from pwtool.cli.options import OUTPUT, ForceOption, LangOption, OutputOption, PictureOption
from pwtool.cli.output_settings import When, output_settings
from pwtool.text.speech import Told

NAME = "pwtool"
HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
RECORDS, RULES, OTHER = "Records and games", "Rules", "Other"
"""The panels of commands in the help."""

app = typer.Typer(
    name=NAME,
    help="Check recorded board games, compare editions, and design objectives.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=HELP,
    cls=Group,
)

ColorOption = Annotated[
    When, typer.Option("--color", help="When to use color (auto: only in a terminal).", rich_help_panel=OUTPUT)
]
QuietOption = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", help="Suppress notes and progress.", rich_help_panel=OUTPUT
    ),
]  # fmt: skip
_JsonOption = Annotated[bool, typer.Option("--json", help="The same as --format json.", rich_help_panel=OUTPUT)]

Body = Callable[..., None]


def register(
    panel: str, *, name: str | None = None, to: typer.Typer = app, prints: bool = False, writes: str = ""
) -> Callable[[Body], Body]:
    """Register a function as a command with the common options: `--lang`, `--color`, `--quiet`, and `--json` if it has
    a `--format` with JSON. A command that only `prints` gets `--output` and `--force`. If there is no `--format`, the
    name of the output file tells it; it may not tell another than those of the command, or the one that it `writes`.
    """

    def decorate(body: Body) -> Body:
        hints = get_type_hints(body, include_extras=True)
        own = list(inspect.signature(body).parameters.values())
        shared: dict[str, tuple[Any, Any]] = {"quiet": (QuietOption, False), "color": (ColorOption, "auto")}
        speaks = "lang" not in hints
        if speaks:
            shared["lang"] = (LangOption, None)
        if prints:
            shared["output"] = (OutputOption, None)
            shared["force"] = (ForceOption, False)
        forms = _choices(hints["format"]) if "format" in hints else (writes,) if writes else ()
        has_json = "format" in hints and "json" in forms
        tells = prints or writes != "" or ("format" in hints and hints.get("output") in (OutputOption, PictureOption))
        if has_json:
            shared["json_"] = (_JsonOption, False)
        added = [
            inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
            for key, (kind, default) in shared.items()
        ]
        added.append(inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context))

        @wraps(body)
        def command(context: typer.Context, **values: Any) -> None:
            sources = {key: context.get_parameter_source(key) for key in values}
            output_settings.settled = frozenset(
                key for key, found in sources.items() if found and found.name == "DEFAULT_MAP"
            )
            lang = values.pop("lang") if speaks else values.get("lang")
            speak(values.pop("color"), values.pop("quiet"), lang)
            if speaks and lang is not None:
                choose_language(lang)
            output, force = (values.pop("output"), values.pop("force")) if prints else (None, False)
            source = sources.get("format")
            is_chosen = source is not None and source.name == "COMMANDLINE"
            if tells and not (is_chosen or values.get("html") or values.get("json_")):
                told = form_of(output or values.get("output"), forms)
                if told is not None and "format" in hints:
                    values["format"] = told
            if has_json and values.pop("json_"):
                if is_chosen and values["format"] != "json":
                    fail(
                        Told(
                            "{one} and {other} cannot be combined",
                            one="--json",
                            other=f"--format {values['format']}",
                        )
                    )
                values["format"] = "json"
            with written_to(output, force):
                body(**values)

        signature = inspect.Signature([p.replace(annotation=hints[p.name]) for p in own] + added)
        command.__signature__ = signature  # type: ignore[attr-defined]
        command.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
        to.command(name, cls=Command, rich_help_panel=panel, context_settings=HELP)(command)
        return body

    return decorate


def speak(color: When, quiet: bool, lang: str | None) -> None:
    """Store an option that was given before or after the command."""
    output_settings.lang = lang or output_settings.lang
    if color != "auto":
        output_settings.color = color
    output_settings.quiet = output_settings.quiet or quiet


def _choices(kind: Any) -> tuple[str, ...]:
    """The choices in an option's type, however it is wrapped."""
    inner: tuple[Any, ...] = getattr(kind, "__args__", ())
    return tuple(found for part in inner for found in ((part,) if isinstance(part, str) else _choices(part)))
