"""The commands of `pwtool`. Each parses its options here and does its work in a module that is imported only then."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from pwtool import __version__
from pwtool.cli.groups import HELP, cache_app, rules_app
from pwtool.cli.options import (
    AtOption,
    AuditOption,
    BaselineOption,
    BesideOption,
    CheckFormatOption,
    ConvertedOption,
    EachGamesOption,
    File,
    Files,
    ForceOption,
    FormatOption,
    HowManyOption,
    LangOption,
    NoConfigOption,
    OneRules,
    OnlyOption,
    OutputOption,
    PageOption,
    PolicyOption,
    PrintedOption,
    ReadingOption,
    ReportOption,
    Rulesets,
    RulesFromOption,
    RulesOption,
    SchedulerOption,
    SeedOption,
    SimulatedOption,
    WriteBaselineOption,
)
from pwtool.cli.start import complain_of_command, guarded

app = typer.Typer(
    name="pwtool",
    help="Rules as data for board games: check recorded games and positions against a chosen ruleset.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=HELP,
)


app.add_typer(rules_app, name="rules")
app.add_typer(cache_app, name="cache")


def _version(value: bool) -> None:
    if value:
        typer.echo(f"pwtool {__version__}")
        raise typer.Exit()


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
def check(
    files: Files,
    rules: RulesOption = None,
    reading: ReadingOption = None,
    format: CheckFormatOption = None,
    report: ReportOption = None,
    all_: Annotated[bool, typer.Option("--all", help="Show findings that only follow from earlier ones too.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing for clean files, no progress.")] = False,
    as_printed: PrintedOption = False,
    lang: LangOption = None,
    kernel: Annotated[
        bool, typer.Option("--kernel/--no-kernel", help="Whether compiled kernels may judge games of archives.")
    ] = True,
    audit: AuditOption = 0.0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite reports that are there.")] = False,
    rules_from: RulesFromOption = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="Processes for long archives; 0: one for each core.", min=0)
    ] = 0,
    limit: Annotated[Optional[int], typer.Option("--limit", help="Only the first so many documents.", min=1)] = None,
    sample: Annotated[
        Optional[int], typer.Option("--sample", help="Only so many documents, drawn at random.", min=1)
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Which documents --sample draws.")] = 0,
    only: OnlyOption = None,
    statistics: Annotated[bool, typer.Option("--statistics", help="Say at the end what all findings come to.")] = False,
    results: Annotated[
        Optional[str],
        typer.Option("--results", help="Write a row for each document: .jsonl, .parquet or .duckdb.", metavar="FILE"),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Judge only what an earlier run with these --results has not.")
    ] = False,
    baseline: BaselineOption = None,
    write_baseline: WriteBaselineOption = None,
    no_config: NoConfigOption = False,
    causes: Annotated[
        bool,
        typer.Option("--causes/--no-causes", help="Whether to find out what caused what in a game that is refused."),
    ] = True,
    scheduler: SchedulerOption = None,
) -> None:
    """Check recorded games and positions. With several --rules: which ruleset accepts which record."""
    from pwtool.cli.check import Request, run_check

    request = Request(
        files, rules or [], reading or [], format, report or [], all_, quiet, lang, as_printed, kernel, audit, force,
        rules_from or [], jobs, limit, sample, seed, only or [], statistics, results, resume, baseline,
        write_baseline, no_config, causes, scheduler,
    )  # fmt: skip
    raise typer.Exit(run_check(request))


@app.command()
def replay(
    file: File, at: AtOption = None, rules: OneRules = None, lang: LangOption = None, rules_from: RulesFromOption = None
) -> None:
    """Show a recorded game turn by turn, each position drawn; with --at only that turn."""
    from pwtool.cli.show import run_replay

    raise typer.Exit(run_replay(file, at, rules, lang, rules_from or []))


@app.command()
def legal(
    file: File,
    at: AtOption = None,
    rules: OneRules = None,
    limit: Annotated[int, typer.Option("--limit", help="At most so many actions; 0 for all.", min=0)] = 50,
    rules_from: RulesFromOption = None,
) -> None:
    """List the legal actions at the beginning of a turn (by default after the last recorded one)."""
    from pwtool.cli.show import run_legal

    raise typer.Exit(run_legal(file, at, rules, limit, rules_from or []))


@app.command()
def score(
    file: File,
    rules: OneRules = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    rules_from: RulesFromOption = None,
) -> None:
    """Compute scores and ranking of a record or a position, line by line."""
    from pwtool.cli.show import run_score

    raise typer.Exit(run_score(file, rules, json_, rules_from or []))


@app.command()
def play(
    ruleset: Annotated[str, typer.Argument(help="Ruleset address.", metavar="RULESET")],
    seed: Annotated[
        Optional[int], typer.Option("--seed", help="The same seed gives the same game.", min=0, metavar="N")
    ] = None,
    policy: PolicyOption = "random",
    players: Annotated[Optional[int], typer.Option("--players", help="How many play.", min=1, metavar="N")] = None,
    name: Annotated[
        Optional[list[str]], typer.Option("--name", help="A player's name, in seat order. May be repeated.")
    ] = None,
    person: Annotated[
        Optional[list[str]],
        typer.Option("--person", help="Only this player is a person (with --policy person). May be repeated."),
    ] = None,
    games: Annotated[
        Optional[int],
        typer.Option("--games", help="So many games, of --seed and those after it, one record a line.", min=1),
    ] = None,
    output: Annotated[
        Optional[Path], typer.Option("--output", "-o", help="Where the record goes; else it is printed.", metavar="OUT")
    ] = None,
    force: ForceOption = False,
    reading: ReadingOption = None,
) -> None:
    """Play a complete legal game by chance, or choose each action yourself, and record it."""
    from pwtool.cli.playing import Wanted, run_play

    names = list(name or [])
    names += [f"P{seat}" for seat in range(len(names) + 1, (players or 0) + 1)]
    wanted = Wanted(names, list(person or []), policy, seed, games, output, force)
    raise typer.Exit(run_play(ruleset, wanted, reading or []))


@app.command()
def report(
    results: Annotated[Path, typer.Argument(help="What `pwtool check --results` has written.", metavar="RESULTS")],
    output: OutputOption = None,
    force: ForceOption = False,
) -> None:
    """Make a page of charts of the results of a check: what is refused, how the games go."""
    from pwtool.cli.reporting import run_report

    raise typer.Exit(run_report(results, output, force))


@app.command()
def simulate(
    rulesets: Annotated[
        list[str],
        typer.Argument(help="Ruleset addresses; each is compared with the first.", metavar="RULESET [OTHER...]"),
    ],
    games: EachGamesOption = 10_000,
    players: HowManyOption = None,
    seed: Annotated[
        Optional[int], typer.Option("--seed", help="The same seed gives the same games.", min=0, metavar="N")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes; 0: one for each core.", min=0)] = 0,
    format: Annotated[str, typer.Option("--format", "-f", help="text or json.", metavar="FORMAT")] = "text",
    reading: ReadingOption = None,
    as_printed: PrintedOption = False,
    policy: SimulatedOption = "random",
    output: PageOption = None,
    force: ForceOption = False,
) -> None:
    """Play many games by chance: lengths, scores, seats; of several rulesets what differs beyond chance."""
    from pwtool.cli.simulating import Asked, run_simulate

    asked = Asked(rulesets, games, players or [], seed, jobs, format, reading or [], as_printed, policy, output, force)
    raise typer.Exit(run_simulate(asked))


@app.command()
def schema(
    ruleset: Annotated[str, typer.Argument(help="Ruleset address.", metavar="RULESET")],
    state: Annotated[bool, typer.Option("--state", help="The schema of a position instead of a record.")] = False,
) -> None:
    """Print the JSON Schema (2020-12) of a ruleset's records."""
    from pwtool.cli.rules import run_schema

    raise typer.Exit(run_schema(ruleset, state))


@app.command("import")
def import_(
    importer: Annotated[str, typer.Argument(help="The form of the foreign records.", metavar="FORM")],
    files: Annotated[list[str], typer.Argument(help="Foreign records.", metavar="FILE...")],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="A file for one record, a .jsonl archive (also .gz, .xz, .zst), or a folder.",
            metavar="OUT",
        ),
    ],
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
) -> None:
    """Import records of other programs. What cannot be read whole is reported and not written."""
    from pwtool.cli.importing import run_import

    raise typer.Exit(run_import(importer, files, output, force))


@app.command()
def convert(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Records (also .pgn, .sgf), archives (.jsonl), folders, or - for standard input.", metavar="FILE..."
        ),
    ],
    output: ConvertedOption,
    to: Annotated[
        Optional[str], typer.Option("--to", help="pwn, json or jsonl, where OUT does not say it.", metavar="FORM")
    ] = None,
    rules: OneRules = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    rules_from: RulesFromOption = None,
) -> None:
    """Turn records into the text notation or back into JSON. All of them, or nothing is written."""
    from pwtool.cli.converting import run_convert

    raise typer.Exit(run_convert(files, output, to, rules, force, rules_from or []))


@app.command()
def pack(
    files: Annotated[
        list[str],
        typer.Argument(help="Archives, records, folders, or - for standard input.", metavar="ARCHIVE..."),
    ],
    output: Annotated[str, typer.Option("--output", "-o", help="A file that ends in .parquet.", metavar="OUT")],
    rules: OneRules = None,
    level: Annotated[int, typer.Option("--level", help="How hard zstd tries, 1 to 22.", metavar="N")] = 9,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="So many processes; 0: one for each core.", metavar="N")
    ] = 0,
    force: ForceOption = False,
    rules_from: RulesFromOption = None,
) -> None:
    """Pack records into a small table that kernels read as it is. Needs `pip install pwtool[archive]`."""
    from pwtool.cli.packing import run_pack

    raise typer.Exit(run_pack(files, output, rules, force, rules_from or [], level, jobs))


@app.command()
def lsp() -> None:
    """Serve an editor over standard input and output. Needs `pip install pwtool[lsp]`."""
    from pwtool.cli.serving import run_lsp

    raise typer.Exit(run_lsp())


@app.command()
def lint(
    rulesets: Rulesets,
    fix: Annotated[bool, typer.Option("--fix", help="Fix what is beyond doubt, in the files.")] = False,
    unsafe: Annotated[
        bool, typer.Option("--unsafe", help="Fix the rest too, where there is a suggestion: look at the result.")
    ] = False,
    format: FormatOption = "full",
    reading: ReadingOption = None,
    as_printed: PrintedOption = False,
) -> None:
    """Look through rules files: what is wrong, what is odd, and what to write instead."""
    from pwtool.checking.linting import Adopted
    from pwtool.cli.linting import run_lint

    raise typer.Exit(run_lint(rulesets, format, fix, unsafe, Adopted(tuple(reading or ()), as_printed)))


@app.command()
def test(
    rulesets: Rulesets,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Name the parts of conditions that no example makes true, or none false.")
    ] = False,
    mutate: Annotated[
        bool, typer.Option("--mutate", help="Name the small changes of the rules that no example would notice.")
    ] = False,
    only: Annotated[
        Optional[str],
        typer.Option("--only", help="Only this rule or objective (for --coverage and --mutate).", metavar="NAME"),
    ] = None,
    add: Annotated[
        bool, typer.Option("--add", help="Write the examples that --mutate suggests into the files.")
    ] = False,
) -> None:
    """Run the examples of rulesets as tests, and name rules without examples."""
    from pwtool.cli.testing import run_test

    raise typer.Exit(run_test(rulesets, coverage, mutate, only, add))


@app.command()
def fmt(
    files: Annotated[
        list[str],
        typer.Argument(help="Rules files, folders, or - for standard input.", metavar="FILE|FOLDER..."),
    ],
    check: Annotated[bool, typer.Option("--check", help="Change nothing; exit code 1 when something would.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Change nothing; print what would.")] = False,
) -> None:
    """Put rules files into the common style, in place. Rules and comments stay what they are."""
    from pwtool.cli.formatting import run_fmt

    raise typer.Exit(run_fmt(files, check, diff))


@app.command()
def new(
    kind: Annotated[str, typer.Argument(help="game, edition or objective.", metavar="KIND")],
    name: Annotated[str, typer.Argument(help="Its name in the rules.", metavar="NAME")],
    of: Annotated[
        Optional[str], typer.Option("--of", help="The ruleset that an edition or objective is for.", metavar="ADDRESS")
    ] = None,
    output: Annotated[
        Optional[Path], typer.Option("--output", "-o", help="The file to write.", metavar="FILE.rules")
    ] = None,
    force: ForceOption = False,
) -> None:
    """Begin a game, an edition or an objective: a commented rules file that passes `pwtool test`."""
    from pwtool.cli.scaffolding import run_new

    raise typer.Exit(run_new(kind, name, of, output, force))


@app.command()
def render(
    what: Annotated[
        str,
        typer.Argument(
            help='An objective or shape (NAME, FILE.rules:NAME), a board ("[ Y1+Y2 B3 / . G2 ]"), a record or a state.',
            metavar="OBJECTIVE|BOARD|FILE",
        ),
    ],
    output: Annotated[
        Optional[Path],
        typer.Option("--output", "-o", help="A .svg or .png file; without one SVG is printed.", metavar="OUT"),
    ] = None,
    rules: OneRules = None,
    at: AtOption = None,
    player: Annotated[
        Optional[str], typer.Option("--player", help="Only what this player sees.", metavar="NAME")
    ] = None,
    lang: LangOption = None,
    force: ForceOption = False,
    rules_from: RulesFromOption = None,
) -> None:
    """Draw an objective, a board, or the position at the beginning of a turn (by default after the last one)."""
    from pwtool.cli.render import run_render

    raise typer.Exit(run_render(what, output, rules, at, player, lang, force, rules_from or []))


@app.command()
def analyze(
    target: Annotated[
        str,
        typer.Argument(
            help="Ruleset address or rules file; with :NAME only that objective (paper/en:row, own.rules:row).",
            metavar="RULESET|FILE",
        ),
    ],
    objective: Annotated[
        Optional[list[str]],
        typer.Option("--objective", help="Only this objective. May be repeated.", metavar="NAME"),
    ] = None,
    games: BesideOption = 0,
    seed: SeedOption = 1,
    reading: ReadingOption = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    lang: LangOption = None,
) -> None:
    """Prove what is true of objectives: how many boards fulfil them, with how few cards, how they stand to others."""
    from pwtool.cli.analyzing import run_analyze

    raise typer.Exit(run_analyze(target, objective or [], reading or [], json_, lang, games, seed))


@app.command()
def match(
    objective: Annotated[str, typer.Argument(help="The objective's name.", metavar="OBJECTIVE")],
    board: Annotated[
        str, typer.Argument(help='A board ("[ Y1+Y2 B3 / . G2 ]"), a record or a state.', metavar="BOARD|FILE")
    ],
    rules: OneRules = None,
    player: Annotated[
        Optional[str], typer.Option("--player", help="Only the board of this player.", metavar="NAME")
    ] = None,
    at: AtOption = None,
    rules_from: RulesFromOption = None,
) -> None:
    """Tell whether a board fulfils an objective, where and since when, or what is missing."""
    from pwtool.cli.matching import run_match

    raise typer.Exit(run_match(objective, board, rules, player, at, rules_from or []))


@app.command()
def compare(
    rulesets: Annotated[
        list[str], typer.Argument(help="Ruleset addresses, two or more.", metavar="FIRST SECOND [THIRD...]")
    ],
    reading: ReadingOption = None,
    as_printed: PrintedOption = False,
    games: Annotated[
        Optional[list[str]],
        typer.Option("--games", help="What changes for these recorded games. May be repeated.", metavar="DIR|FILE"),
    ] = None,
    witness: Annotated[
        Optional[Path],
        typer.Option(
            "--witness", help="A folder of games that show the differences; a page draws them.", metavar="DIR"
        ),
    ] = None,
    format: Annotated[
        Optional[str],
        typer.Option("--format", "-f", help="text (without it), markdown, html or json.", metavar="FORMAT"),
    ] = None,
    sheet: Annotated[
        bool, typer.Option("--sheet", help="One page for players: switching from the first to the second.")
    ] = False,
    output: OutputOption = None,
    force: ForceOption = False,
    json_: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    effort: Annotated[
        float, typer.Option("--effort", min=0, max=1000, help="How many games are played: 1 is usual.")
    ] = 1,
    lang: LangOption = None,
) -> None:
    """Show how rulesets differ, item by item, with proofs. --reading and --as-printed are for the last one."""
    from pwtool.cli.comparing import Asked, run_compare

    if json_ and format not in (None, "json"):
        from pwtool.cli.common import fail

        fail(f"--json and --format {format} ask for two different things")
    form = "json" if json_ else format or "text"
    asked = Asked(rulesets, reading or [], as_printed, games or [], form, sheet, output, force, witness, effort, lang)
    raise typer.Exit(run_compare(asked))


@app.command()
def which(
    files: Files,
    rules: RulesOption = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    all_: Annotated[bool, typer.Option("--all", help="Every answer, for archives too.")] = False,
    lang: LangOption = None,
    rules_from: RulesFromOption = None,
) -> None:
    """Tell which editions and variants accept each record, and what the others refuse first."""
    from pwtool.cli.which import run_which

    raise typer.Exit(run_which(files, rules or [], json_, all_, lang, rules_from or []))


@app.command()
def explain(
    what: Annotated[
        str, typer.Argument(help="A finding's code (PW601), or a rule's id (move.once).", metavar="CODE|RULE")
    ],
    rules: OneRules = None,
    lang: LangOption = None,
) -> None:
    """Explain a finding's code or a rule: its text, condition, sources and history."""
    from pwtool.cli.rules import run_explain

    raise typer.Exit(run_explain(what, rules, lang))


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code; never lets a traceback out."""
    return guarded(lambda: _run(arguments))


def _run(arguments: list[str] | None) -> int:
    try:
        result = app(arguments, standalone_mode=False)
    except typer.Exit as stop:
        return stop.exit_code
    except typer.Abort:
        raise KeyboardInterrupt from None
    except SystemExit as stop:
        # How the library answers a reader that has gone.
        raise BrokenPipeError from stop
    except Exception as error:
        # What is wrong with the command line itself knows how to say so.
        if not hasattr(error, "format_message"):
            raise
        complain_of_command(error)
        return 2
    return result if isinstance(result, int) else 0
