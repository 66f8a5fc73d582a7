"""The commands of two words: `pwtool rules ...` and `pwtool cache ...`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from typer.core import TyperGroup

from pwtool.cli.options import LangOption, PrintedOption, ReadingOption

HELP = {"help_option_names": ["-h", "--help"]}


class _Showing(TyperGroup):
    """The group of `pwtool rules`; who forgets `show` is told."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            ctx.fail(f"`pwtool rules` lists all rulesets, `pwtool rules show {args[0]}` shows this one.")
        return super().resolve_command(ctx, args)


rules_app = typer.Typer(cls=_Showing, rich_markup_mode=None, context_settings=HELP)


@rules_app.callback(invoke_without_command=True)
def rules(
    context: typer.Context,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List all rulesets, or `show` one."""
    if context.invoked_subcommand is None:
        from pwtool.cli.rules import list_rules

        raise typer.Exit(list_rules(json_))


@rules_app.command()
def show(
    ruleset: Annotated[str, typer.Argument(help="Ruleset address.", metavar="RULESET")],
    lang: LangOption = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    html: Annotated[bool, typer.Option("--html", help="The objectives as a page to print.")] = False,
    output: Annotated[
        Optional[Path], typer.Option("--output", "-o", help="Where the page goes; else it is printed.", metavar="OUT")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Show a ruleset resolved: every item with its sources and what each layer changed."""
    if html or output is not None:
        from pwtool.cli.render import run_sheet

        raise typer.Exit(run_sheet(ruleset, html and not json_, output, lang, force))
    from pwtool.cli.rules import show_rules

    raise typer.Exit(show_rules(ruleset, lang, json_))


@rules_app.command("compile")
def compile_(
    ruleset: Annotated[str, typer.Argument(help="Ruleset address.", metavar="RULESET")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.", metavar="FILE.wasm")],
    reading: ReadingOption = None,
    as_printed: PrintedOption = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Compile a ruleset to a WebAssembly module that judges its records and plays games at random."""
    from pwtool.cli.compiling import run_compile

    raise typer.Exit(run_compile(ruleset, output, reading or [], as_printed, force))


cache_app = typer.Typer(
    help="What is kept to start faster.", no_args_is_help=True, rich_markup_mode=None, context_settings=HELP
)


@cache_app.command("path")
def cache_path() -> None:
    """Print the folder of the cache."""
    from pwtool.cli.caching import run_path

    raise typer.Exit(run_path())


@cache_app.command("clear")
def cache_clear() -> None:
    """Delete what is kept; the next start reads it anew."""
    from pwtool.cli.caching import run_clear

    raise typer.Exit(run_clear())
