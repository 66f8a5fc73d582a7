"""Commands about records and positions."""

from __future__ import annotations

import typer

from pwtool.cli import arguments as a
from pwtool.cli import options as o
from pwtool.cli.command import RECORDS, register
from pwtool.text.speech import Told


@register(RECORDS)
def check(
    files: a.Files,
    rules: o.RulesOption = None,
    written_in: o.FromOption = None,
    reading: o.ReadingOption = None,
    as_printed: o.PrintedOption = False,
    rules_from: o.RulesFromOption = None,
    no_config: o.NoConfigOption = False,
    format: o.CheckFormatOption = None,
    report: o.ReportOption = None,
    all_: o.AllOption = False,
    only: o.OnlyOption = None,
    causes: o.CausesOption = True,
    explain: o.ExplainOption = None,
    allow_undetermined: o.AllowUndeterminedOption = False,
    skip_foreign: o.SkipForeignOption = False,
    statistics: o.StatisticsOption = False,
    lang: o.LangOption = None,
    force: o.ForceOption = False,
    jobs: o.JobsOption = 0,
    limit: o.LimitOption = None,
    sample: o.SampleOption = None,
    seed: o.DrawnSeedOption = 0,
    results: o.ResultsOption = None,
    resume: o.ResumeOption = False,
    kernel: o.KernelOption = True,
    audit: o.AuditOption = None,
    scheduler: o.SchedulerOption = None,
    baseline: o.BaselineOption = None,
    write_baseline: o.WriteBaselineOption = None,
    output: o.OutputOption = None,
) -> None:
    """Check recorded games and positions. With several --rules, show which ruleset accepts which record."""
    given = {name: value for name, value in locals().items() if value is not None}
    from pwtool.cli.check import run_check
    from pwtool.cli.check_request import Request

    raise typer.Exit(run_check(Request(**given)))


@register(RECORDS, prints=True)
def which(
    files: a.Files,
    rules: o.RulesOption = None,
    rules_from: o.RulesFromOption = None,
    format: o.TextOption = "text",
    all_: o.EveryAnswerOption = False,
    lang: o.LangOption = None,
) -> None:
    """Show which editions accept each record, and what the others refuse. It is the first thing that each of them refuses."""
    from pwtool.cli.which import run_which

    raise typer.Exit(run_which(files, rules or [], format == "json", all_, lang, rules_from or []))


@register(RECORDS)
def learn(
    files: a.Files,
    of: o.LearnedFromOption = None,
    price: o.PriceOption = 2.0,
    excuse: o.ExcuseOption = 1.0,
    quick: o.QuickOption = False,
    jobs: o.JobsOption = 0,
    format: o.LearnFormatOption = "text",
    lang: o.LangOption = None,
    output: o.LearnedFileOption = None,
    force: o.ForceOption = False,
) -> None:
    """Find the rules by which recorded games were played. It is the smallest change of a known edition under which they are clean, as an edition of its own."""
    from pwtool.cli.learning import Asked, run_learn

    asked = Asked(files, of or [], format, output, force, price, excuse, quick, lang, jobs)
    raise typer.Exit(run_learn(asked))


@register(RECORDS)
def replay(
    file: a.File,
    at: o.AtOption = None,
    after: o.AfterOption = None,
    rules: o.OneRules = None,
    reading: o.ReadingOption = None,
    as_printed: o.PrintedOption = False,
    rules_from: o.RulesFromOption = None,
    format: o.ReplayFormatOption = "text",
    lang: o.LangOption = None,
    html: o.HtmlOption = False,
    output: o.OutputOption = None,
    force: o.ForceOption = False,
    pager: o.PagerOption = False,
) -> None:
    """Show a recorded game turn by turn. It shows every position, or one with --at or --after."""
    from pwtool.cli.common import Under

    under = Under(rules, reading, as_printed, rules_from)
    if format == "json":
        from pwtool.cli.common import fail
        from pwtool.cli.replaying import run_replay_data

        if html:
            fail(
                Told("{one} and {other} cannot be combined", one="--html", other="--json"),
                Told("leave one of them out"),
            )
        raise typer.Exit(run_replay_data(file, at, after, under, lang, output, force))
    if html or format == "html":
        from pwtool.cli.pages import run_replay_page

        raise typer.Exit(run_replay_page(file, output, at or after, under, lang, force))
    from pwtool.cli.common import written_to
    from pwtool.cli.show import run_replay

    with written_to(output, force):
        raise typer.Exit(run_replay(file, at, under, lang, after, pager and output is None))


@register(RECORDS, prints=True)
def legal(
    file: a.File,
    at: o.AtOption = None,
    after: o.AfterOption = None,
    limit: o.MostOption = 50,
    rules: o.OneRules = None,
    reading: o.ReadingOption = None,
    as_printed: o.PrintedOption = False,
    rules_from: o.RulesFromOption = None,
    format: o.TextOption = "text",
    lang: o.LangOption = None,
) -> None:
    """List the legal actions at the beginning of a turn. By default, it is the turn after the last recorded one."""
    from pwtool.cli.common import Under
    from pwtool.cli.position_at import choose_turn
    from pwtool.cli.show import run_legal

    under = Under(rules, reading, as_printed, rules_from)
    raise typer.Exit(run_legal(file, choose_turn(at, after), under, limit, format == "json", lang))


@register(RECORDS, prints=True)
def score(
    file: a.File,
    rules: o.OneRules = None,
    reading: o.ReadingOption = None,
    as_printed: o.PrintedOption = False,
    rules_from: o.RulesFromOption = None,
    format: o.TextOption = "text",
    lang: o.LangOption = None,
) -> None:
    """Compute the scores and the ranking of a record or a position. Each score line is shown."""
    from pwtool.cli.common import Under
    from pwtool.cli.show import run_score

    raise typer.Exit(run_score(file, Under(rules, reading, as_printed, rules_from), format == "json", lang))


@register(RECORDS)
def render(
    what: a.Drawn,
    at: o.AtOption = None,
    after: o.AfterOption = None,
    player: o.ViewOption = None,
    rules: o.OneRules = None,
    reading: o.ReadingOption = None,
    as_printed: o.PrintedOption = False,
    rules_from: o.RulesFromOption = None,
    lang: o.LangOption = None,
    format: o.PictureFormatOption = "svg",
    output: o.PictureOption = None,
    force: o.ForceOption = False,
) -> None:
    """Draw an objective, a board or a position. It is the position at the beginning of a turn, by default after the last one."""
    from pwtool.cli.common import Under
    from pwtool.cli.position_at import choose_turn
    from pwtool.cli.render import run_render

    under = Under(rules, reading, as_printed, rules_from)
    raise typer.Exit(run_render(what, output, under, choose_turn(at, after), player, lang, force, format == "json"))


@register(RECORDS)
def convert(
    files: a.Files,
    output: o.ConvertedOption,
    to: o.ToOption = None,
    written_in: o.FromOption = None,
    rules: o.OneRules = None,
    rules_from: o.RulesFromOption = None,
    force: o.ForceOption = False,
) -> None:
    """Convert records into another format. Formats are JSON, the text notation, archives and tables, and those of other programs."""
    from pwtool.cli.converting import run_convert

    raise typer.Exit(run_convert(files, output, to, rules, force, rules_from or [], written_in))


@register(RECORDS)
def pack(
    files: a.Archives,
    output: o.PackedOption,
    rules: o.OneRules = None,
    rules_from: o.RulesFromOption = None,
    level: o.LevelOption = 9,
    jobs: o.JobsOption = 0,
    format: o.TextOption = "text",
    force: o.ForceOption = False,
) -> None:
    """Pack records into a small table that kernels read directly. Needs `pip install pwtool[archive]`."""
    from pwtool.cli.packing import run_pack

    raise typer.Exit(run_pack(files, output, rules, force, rules_from or [], level, jobs, format == "json"))


@register(RECORDS, name="import")
def import_(
    importer: a.Importer = None,
    files: a.ForeignFiles = None,
    output: o.ImportedOption = None,
    force: o.ForceOption = False,
) -> None:
    """Import records of other programs, or list their formats. What cannot be read completely is reported and not written."""
    from pwtool.cli.importing import list_formats, run_import

    raise typer.Exit(list_formats() if importer is None else run_import(importer, files or [], output, force))


@register(RECORDS, writes="html")
def report(results: a.Results, output: o.OutputOption = None, force: o.ForceOption = False) -> None:
    """Make a page of charts from the results of a check. It shows refusals, lengths, scores, wins, objectives."""
    from pwtool.cli.reporting import run_report

    raise typer.Exit(run_report(results, output, force))


@register(RECORDS, writes="json")
def schema(
    ruleset: a.Address,
    state: o.StateOption = False,
    reading: o.ReadingOption = None,
    as_printed: o.PrintedOption = False,
    output: o.OutputOption = None,
    force: o.ForceOption = False,
) -> None:
    """Print the JSON Schema (2020-12) of a ruleset's records."""
    from pwtool.cli.common import Under
    from pwtool.cli.rules import run_schema

    raise typer.Exit(run_schema(Under(ruleset, reading, as_printed), state, output, force))
