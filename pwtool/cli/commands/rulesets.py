"""Commands about rulesets and objectives."""

from __future__ import annotations

from pathlib import Path

import typer

from pwtool.cli import arguments as a
from pwtool.cli import options as o
from pwtool.cli.command import RULES, register


@register(RULES, prints=True)
def lint(
    rulesets: a.Rulesets,
    fix: o.FixOption = False,
    unsafe: o.UnsafeOption = False,
    reading: o.ReadingOption = None,
    as_printed: o.PrintedOption = False,
    format: o.FormatOption = "full",
) -> None:
    """Find mistakes and oddities in rules files, and suggest fixes."""
    from pwtool.checking.linting import Adopted
    from pwtool.cli.linting import run_lint

    raise typer.Exit(run_lint(rulesets, format, fix, unsafe, Adopted(tuple(reading or ()), as_printed)))


@register(RULES, prints=True)
def test(
    rulesets: a.Rulesets,
    coverage: o.CoverageOption = False,
    mutate: o.MutateOption = False,
    only: o.OnlyItemOption = None,
    add: o.AddOption = False,
    format: o.TextOption = "text",
) -> None:
    """Run the examples of rulesets, and list rules without examples."""
    from pwtool.cli.testing import run_test

    raise typer.Exit(run_test(rulesets, coverage, mutate, only, add, format == "json"))


@register(RULES)
def fmt(
    files: a.RulesFiles, check: o.CheckOption = False, diff: o.DiffOption = False, format: o.TextOption = "text"
) -> None:
    """Format rules files in place, without changing rules or comments."""
    from pwtool.cli.formatting import run_fmt

    raise typer.Exit(run_fmt(files, check, diff, format == "json"))


@register(RULES)
def new(
    kind: a.Kind,
    name: a.NewName,
    of: o.OfOption = None,
    format: o.TextOption = "text",
    output: o.NewFileOption = None,
    force: o.ForceOption = False,
) -> None:
    """Create a rules file for a game, an edition or an objective. It has comments and passes `pwtool test`."""
    from pwtool.cli.scaffolding import run_new

    raise typer.Exit(run_new(kind, name, of, output, force, format == "json"))


@register(RULES, prints=True)
def analyze(
    target: a.Studied,
    objective: o.ObjectivesOption = None,
    games: o.BesideOption = 0,
    seed: o.SeedOption = 1,
    reading: o.ReadingOption = None,
    as_printed: o.PrintedOption = False,
    format: o.TextOption = "text",
    lang: o.LangOption = None,
) -> None:
    """Prove how rare objectives are, and how they relate to others. That is how many boards fulfil them, and how few cards it takes."""
    from pwtool.cli.analyzing import run_analyze
    from pwtool.cli.common import Under

    under = Under(None, reading, as_printed)
    raise typer.Exit(run_analyze(target, objective or [], under, format == "json", lang, games, seed or 0))


@register(RULES, prints=True)
def match(
    objective: a.Objective,
    board: a.Board,
    player: o.BoardOfOption = None,
    at: o.AtOption = None,
    after: o.AfterOption = None,
    rules: o.OneRules = None,
    reading: o.ReadingOption = None,
    as_printed: o.PrintedOption = False,
    rules_from: o.RulesFromOption = None,
    lang: o.LangOption = None,
    format: o.TextOption = "text",
) -> None:
    """Show whether a board fulfils an objective, or what is missing. It also says where, and since when."""
    from pwtool.cli.common import Under
    from pwtool.cli.matching import run_match
    from pwtool.cli.position_at import choose_turn

    under = Under(rules, reading, as_printed, rules_from)
    raise typer.Exit(run_match(objective, board, under, player, choose_turn(at, after), lang, format == "json"))


@register(RULES)
def compare(
    rulesets: a.Compared,
    games: o.ArchivesOption = None,
    witness: o.WitnessOption = None,
    sheet: o.SheetOption = False,
    effort: o.EffortOption = 1,
    reading: o.ReadingOption = None,
    as_printed: o.PrintedOption = False,
    format: o.CompareFormatOption = "text",
    lang: o.LangOption = None,
    output: o.OutputOption = None,
    force: o.ForceOption = False,
) -> None:
    """Show how rulesets differ, item by item, with proofs. --reading and --as-printed apply to the last one."""
    from pwtool.cli.common import fail
    from pwtool.cli.comparing import Asked, run_compare

    if witness == "":
        fail("`--witness` names no folder", "write `--witness DIR`")
    folder = None if witness is None else Path(witness)
    asked = Asked(rulesets, reading or [], as_printed, games or [], format, sheet, output, force, folder, effort, lang)
    raise typer.Exit(run_compare(asked))


@register(RULES, prints=True)
def explain(
    what: a.Explained,
    rules: o.OneRules = None,
    reading: o.ReadingOption = None,
    as_printed: o.PrintedOption = False,
    format: o.TextOption = "text",
    lang: o.LangOption = None,
) -> None:
    """Explain a finding's code, or a rule. Of a rule, it shows the text, the condition, sources and history."""
    from pwtool.cli.common import Under
    from pwtool.cli.rules import run_explain

    raise typer.Exit(run_explain(what, Under(rules, reading, as_printed), lang, format == "json"))


@register(RULES)
def lsp() -> None:
    """Start the language server for editors (standard input and output). Needs `pip install pwtool[lsp]`."""
    from pwtool.cli.serving import run_lsp

    raise typer.Exit(run_lsp())


@register(RULES)
def studio(
    what: a.StudioOf = None,
    of: o.BegunOfOption = None,
    port: o.PortOption = 0,
    browser: o.BrowserOption = True,
    lang: o.LangOption = None,
    export: o.ExportOption = None,
    pyodide: o.PyodideOption = Path("node_modules/pyodide"),
) -> None:
    """Write and try objectives in the browser, on your own machine. Needs `pip install pwtool[studio]`."""
    from pwtool.cli.common import choose_language
    from pwtool.cli.studio_command import run_export, run_studio

    if export is not None:
        raise typer.Exit(run_export(export, pyodide))
    raise typer.Exit(run_studio(what, of, port, browser, choose_language(lang)))
