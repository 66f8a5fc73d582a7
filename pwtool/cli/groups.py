"""Commands of two words: `pwtool rules ...` and `pwtool cache ...`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from pwtool.cli import arguments as a
from pwtool.cli import options as o
from pwtool.cli.command import HELP, OTHER, RULES, ColorOption, QuietOption, register, speak
from pwtool.cli.help import Group


class _Rules(Group):
    """The group of `pwtool rules`: any word that is not one of its commands is a ruleset to show."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["show", *args]
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Commands and rulesets."""
        rulesets = self.commands["show"].params[0].shell_complete(ctx, incomplete)
        return [*super().shell_complete(ctx, incomplete), *(rulesets if not incomplete.startswith("-") else ())]


rules_app = typer.Typer(cls=_Rules, rich_markup_mode=None, context_settings=HELP)


@rules_app.callback(invoke_without_command=True)
def rules(
    context: typer.Context,
    format: o.TextOption = "text",
    json_: Annotated[bool, typer.Option("--json", help="The same as --format json.", rich_help_panel=o.OUTPUT)] = False,
    lang: o.LangOption = None,
    quiet: QuietOption = False,
    color: ColorOption = "auto",
) -> None:
    """List all rulesets, or show one: `pwtool rules ADDRESS`."""
    speak(color, quiet, lang)
    form = "json" if json_ else format
    if context.invoked_subcommand is None:
        from pwtool.cli.rules import list_rules

        raise typer.Exit(list_rules(form == "json", lang))
    if form != "text":
        from pwtool.cli.common import fail

        fail(f"the format is asked for behind `{context.invoked_subcommand}`", f"move `--format {form}` to the end")


@register(RULES, name="list", to=rules_app, prints=True)
def list_(format: o.TextOption = "text", lang: o.LangOption = None) -> None:
    """List all rulesets."""
    from pwtool.cli.rules import list_rules

    raise typer.Exit(list_rules(format == "json", lang))


@register(RULES, to=rules_app)
def show(
    ruleset: a.Address,
    reading: o.ReadingOption = None,
    as_printed: o.PrintedOption = False,
    format: Annotated[
        Literal["text", "json", "html"],
        typer.Option(
            "--format", "-f", help="Output format (html: a page of the objectives to print).", rich_help_panel=o.OUTPUT
        ),
    ] = "text",
    html: Annotated[bool, typer.Option("--html", help="The same as --format html.", rich_help_panel=o.OUTPUT)] = False,
    lang: o.LangOption = None,
    output: o.OutputOption = None,
    force: o.ForceOption = False,
) -> None:
    """Show a ruleset: every item with its sources and the changes of each layer."""
    from pwtool.cli.common import Under, fail
    from pwtool.cli.rules import show_rules

    if html and format == "json":
        fail("--html and --format json cannot be combined")
    under = Under(ruleset, reading, as_printed)
    raise typer.Exit(show_rules(under, lang, "html" if html else format, output, force))


@register(RULES, name="compile", to=rules_app, writes="wasm")
def compile_(
    ruleset: a.Address,
    output: o.ModuleOption,
    reading: o.ReadingOption = None,
    as_printed: o.PrintedOption = False,
    force: o.ForceOption = False,
) -> None:
    """Compile a ruleset to a WebAssembly module that judges its records and plays games at random."""
    from pwtool.cli.compiling import run_compile

    raise typer.Exit(run_compile(ruleset, output, reading or [], as_printed, force))


cache_app = typer.Typer(
    help="Show or empty the cache of rulesets and kernels.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings=HELP,
    cls=Group,
)


@register(OTHER, name="path", to=cache_app)
def cache_path() -> None:
    """Print the folder of the cache."""
    from pwtool.cli.caching import run_path

    raise typer.Exit(run_path())


@register(OTHER, name="clear", to=cache_app)
def cache_clear() -> None:
    """Empty the cache; it is rebuilt when needed."""
    from pwtool.cli.caching import run_clear

    raise typer.Exit(run_clear())
