"""Arguments and options, each declared once: the same name means the same in every command."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, Optional, get_args

import typer

from pwtool.cli.completing import (
    complete_importers,
    complete_items,
    complete_languages,
    complete_objectives,
    complete_readings,
    complete_rulesets,
)

RULES, OUTPUT, ARCHIVES, KNOWN = "Rules", "Output", "Large archives", "Known findings"
"""Titles of the panels in the help."""
_rules, _output, _archive, _known = (
    partial(typer.Option, rich_help_panel=panel) for panel in (RULES, OUTPUT, ARCHIVES, KNOWN)
)
_by_address = partial(_rules, metavar="ADDRESS", autocompletion=complete_rulesets)
_to_file, _format = partial(_output, "--output", "-o"), partial(_output, "--format", "-f")

# ---- arguments

FromOption = Annotated[
    str | None,
    typer.Option(
        "--from",
        help="The format of another program in which the files are written, whatever they are called.",
        metavar="FORMAT",
        autocompletion=complete_importers,
    ),
]

# ---- choosing rules

RulesOption = Annotated[
    Optional[list[str]],
    _by_address("--rules", "-r", help="Ruleset address or rules file (./house.rules). May be repeated."),
]
OneRules = Annotated[
    Optional[str], _by_address("--rules", "-r", help="Ruleset address or rules file (default: the record's own).")
]
RulesFromOption = Annotated[
    Optional[list[str]],
    _rules("--rules-from", help="Allow records to name rules files in this folder. May be repeated.", metavar="DIR"),
]
ReadingOption = Annotated[
    Optional[list[str]],
    _rules(
        "--reading",
        help="Choose another reading of an open point. May be repeated.",
        metavar="POINT=ALTERNATIVE",
        autocompletion=complete_readings,
    ),
]
PrintedOption = Annotated[bool, _rules("--as-printed", help="Follow known misprints as they are printed.")]
OfOption = Annotated[Optional[str], _by_address("--of", help="The ruleset that an edition or objective is for.")]
NoConfigOption = Annotated[bool, _rules("--no-config", help="Ignore the settings in pwtool.toml and pyproject.toml.")]

# ---- output

ReportForm = Literal["full", "concise", "json", "jsonl", "sarif", "junit", "github", "markdown", "html"]
_REPORT = _format(help=f"Output format: {', '.join(get_args(ReportForm))}.", metavar="FORMAT")
FormatOption = Annotated[ReportForm, _REPORT]
CheckFormatOption = Annotated[Optional[ReportForm], _REPORT]
TextForm = Literal["text", "json"]
TextOption = Annotated[TextForm, _format(help="Output format.")]
PictureForm = Literal["svg", "json"]
PictureFormatOption = Annotated[PictureForm, _format(help="json: what is drawn, as data.")]
ReplayForm = Literal["text", "html", "json"]
ReplayFormatOption = Annotated[ReplayForm, _format(help="Output format.")]
SimulateForm = Literal["text", "html", "json"]
SimulateFormatOption = Annotated[SimulateForm, _format(help="Output format (html: a page of charts).")]
LearnFormatOption = Annotated[SimulateForm, _format(help="Output format (html: a page for players).")]
CompareForm = Literal["text", "markdown", "html", "json"]
CompareFormatOption = Annotated[CompareForm, _format(help="Output format.")]
RecordForm = Literal["pwn", "json", "jsonl"]
ToOption = Annotated[Optional[RecordForm], _output("--to", help="The format, if the name of OUT does not tell.")]
LangOption = Annotated[
    Optional[str],
    _output(
        "--lang",
        help="Language: en, fr, de, or another that the rules have texts in (default: the locale's).",
        metavar="LANG",
        autocompletion=complete_languages,
    ),
]
OutputOption = Annotated[
    Optional[Path],
    _to_file(help="Output file; its name may tell the format (default: standard output).", metavar="OUT"),
]
PictureOption = Annotated[
    Optional[Path], _to_file(help="Output file, .svg, .png or .json (default: SVG on standard output).", metavar="OUT")
]
NewFileOption = Annotated[Optional[Path], _to_file(help="The file to write.", metavar="FILE.rules")]
ModuleOption = Annotated[Path, _to_file(help="The file to write.", metavar="FILE.wasm")]
ConvertedOption = Annotated[
    str,
    _to_file(
        help="A .pwn or .json file, an archive (.jsonl, .zip, .tar; all also .gz, .xz, .zst), a table (.parquet, .arrow), a folder, or - for standard output.",
        metavar="OUT",
    ),
]
PackedOption = Annotated[str, _to_file(help="The .parquet file to write.", metavar="OUT")]
ImportedOption = Annotated[
    Path | None,
    _to_file(help="A file for one record, a .jsonl archive (also .gz, .xz, .zst), or a folder.", metavar="OUT"),
]
ForceOption = Annotated[bool, _output("--force", help="Overwrite existing files.")]
SheetOption = Annotated[
    bool, typer.Option("--sheet", help="Write a page for players who switch from the first to the second.")
]
ReportOption = Annotated[
    Optional[list[str]],
    _output("--report", help="Also write a report to a file. May be repeated.", metavar="FORMAT=FILE"),
]
StatisticsOption = Annotated[bool, _output("--statistics", help="Print a summary of all findings at the end.")]
AllOption = Annotated[
    bool, _output("--all", help="Also show follow-up errors: findings that only follow from earlier ones.")
]
CausesOption = Annotated[
    bool, _output("--causes/--no-causes", help="Separate root causes from follow-up errors in refused games.")
]

SkipForeignOption = Annotated[
    bool,
    _output("--skip-foreign", help="Leave out and count .json files that are nobody's games, also if they are named."),
]
AllowUndeterminedOption = Annotated[
    bool, _output("--allow-undetermined", help="Exit with 0 if all that is open depends on what nobody saw.")
]

ExplainOption = Annotated[
    Optional[str],
    _output(
        "--explain",
        help="Explain the first N refused games of each rule (default: 10), or all; the others take one line.",
        metavar="N|all",
    ),
]


class Shown(StrEnum):
    """Verdicts; an option that may be repeated takes no `Literal`."""

    CLEAN = "clean"
    REFUSED = "refused"
    UNDETERMINED = "undetermined"
    UNREADABLE = "unreadable"


OnlyOption = Annotated[
    Optional[list[Shown]],
    _output("--only", help=f"Show only this verdict: {', '.join(Shown)}. May be repeated.", metavar="VERDICT"),
]

# ---- parts of a record

HtmlOption = Annotated[
    bool, _output("--html", help="Make a self-contained page to step through the game; the same as --format html.")
]
BoardOption = Annotated[bool, _output("--html", help="Make a self-contained page on which people play the game.")]
AtOption = Annotated[
    Optional[int], typer.Option("--at", help="The position before this turn, counted from 1.", min=1, metavar="TURN")
]
AfterOption = Annotated[
    Optional[int], typer.Option("--after", help="The position after this turn.", min=1, metavar="TURN")
]
PagerOption = Annotated[bool, _output("--pager", help="Use $PAGER, if in a terminal.")]
ViewOption = Annotated[Optional[str], typer.Option("--player", help="Show only what this player sees.", metavar="NAME")]
BoardOfOption = Annotated[
    Optional[str], typer.Option("--player", help="Look only at the board of this player.", metavar="NAME")
]
MostOption = Annotated[int, typer.Option("--limit", help="List at most N actions (0: all).", min=0, metavar="N")]

# ---- archives

JobsOption = Annotated[int, _archive("--jobs", "-j", help="Number of processes (0: one per core).", min=0, metavar="N")]
LimitOption = Annotated[
    Optional[int], _archive("--limit", help="Judge only the first N documents.", min=1, metavar="N")
]
SampleOption = Annotated[Optional[int], _archive("--sample", help="Judge only N random documents.", min=1, metavar="N")]
DrawnSeedOption = Annotated[int, _archive("--seed", help="Random seed for --sample.", metavar="N")]
ResultsOption = Annotated[
    Optional[str],
    _archive("--results", help="Write one row per document: .jsonl, .parquet or .duckdb.", metavar="FILE"),
]
ResumeOption = Annotated[bool, _archive("--resume", help="Continue an earlier run with the same --results.")]
KernelOption = Annotated[
    bool, _archive("--kernel/--no-kernel", help="Use compiled kernels to judge the games of archives.")
]
AuditOption = Annotated[
    float | None,
    _archive(
        "--audit",
        help="Have the engine check this share of the kernels' verdicts (default: a few; 0: none).",
        min=0,
        max=100,
        metavar="PERCENT",
    ),
]
SchedulerOption = Annotated[
    Optional[str],
    _archive("--scheduler", help="Use a Dask cluster: the address of its scheduler, or local.", metavar="ADDRESS"),
]
LevelOption = Annotated[int, typer.Option("--level", help="Compression level of zstd, 1 to 22.", metavar="N")]
BaselineOption = Annotated[
    Optional[str], _known("--baseline", help="Accept the findings in this file; report only new ones.", metavar="FILE")
]
WriteBaselineOption = Annotated[
    Optional[str], _known("--write-baseline", help="Write the current findings to this file.", metavar="FILE")
]

# ---- rules files

FixOption = Annotated[bool, typer.Option("--fix", help="Apply safe fixes to the files.")]
UnsafeOption = Annotated[
    bool, typer.Option("--unsafe", help="Also apply fixes that may change the meaning; review the result.")
]
CoverageOption = Annotated[
    bool, typer.Option("--coverage", help="List the parts of conditions that no example makes true, or none false.")
]
MutateOption = Annotated[
    bool, typer.Option("--mutate", help="List small changes of the rules that no example would notice.")
]
OnlyItemOption = Annotated[
    Optional[str],
    typer.Option(
        "--only",
        help="Test only this rule or objective (with --coverage and --mutate).",
        metavar="NAME",
        autocompletion=complete_items,
    ),
]
AddOption = Annotated[bool, typer.Option("--add", help="Write the examples that --mutate suggests into the files.")]
CheckOption = Annotated[bool, typer.Option("--check", help="Change nothing; exit with 1 if a file would change.")]
DiffOption = Annotated[bool, typer.Option("--diff", help="Change nothing; print the changes.")]
ObjectivesOption = Annotated[
    Optional[list[str]],
    typer.Option(
        "--objective",
        help="Analyze only this objective. May be repeated.",
        metavar="NAME",
        autocompletion=complete_objectives,
    ),
]
StateOption = Annotated[bool, typer.Option("--state", help="Print the schema of positions instead of records.")]

# ---- random games

SeedOption = Annotated[
    Optional[int], typer.Option("--seed", help="The same seed gives the same games.", min=0, metavar="N")
]
BesideOption = Annotated[
    int,
    typer.Option(
        "--games", help="Also play N random games to see how often objectives are claimed.", min=0, metavar="N"
    ),
]
EachGamesOption = Annotated[
    int,
    typer.Option("--games", help="Number of games under each ruleset, for each number of players.", min=1, metavar="N"),
]
PlayedOption = Annotated[
    Optional[int],
    typer.Option(
        "--games", help="Play N games, with --seed and the seeds after it, one record per line.", min=1, metavar="N"
    ),
]
SimulatedOption = Annotated[
    Literal["random", "greedy"],
    typer.Option("--policy", help="How players choose their actions (greedy: the most points at once)."),
]
PolicyOption = Annotated[
    Literal["random", "greedy", "person"],
    typer.Option("--policy", help="How players choose their actions (person: in the terminal)."),
]
HowManyOption = Annotated[
    Optional[list[int]],
    typer.Option(
        "--players", help="Number of players. May be repeated (default: all allowed numbers up to four).", metavar="N"
    ),
]
PlayersOption = Annotated[Optional[int], typer.Option("--players", help="Number of players.", min=1, metavar="N")]
NameOption = Annotated[
    Optional[list[str]],
    typer.Option("--name", help="Name of a player, in seat order. May be repeated.", metavar="NAME"),
]
PersonOption = Annotated[
    Optional[list[str]],
    typer.Option(
        "--person", help="With --policy person: only this player is a person. May be repeated.", metavar="NAME"
    ),
]

# ---- comparison

ArchivesOption = Annotated[
    Optional[list[str]],
    typer.Option("--games", help="Show what changes for these recorded games. May be repeated.", metavar="DIR|FILE"),
]
WitnessOption = Annotated[
    Optional[str],
    typer.Option(
        "--witness", help="Write games that show the differences to this folder, with a summary.", metavar="DIR"
    ),
]
EffortOption = Annotated[
    float,
    typer.Option(
        "--effort", min=0, max=1000, metavar="TIMES", help="How many games to play (1: the usual number, 0: none)."
    ),
]
EveryAnswerOption = Annotated[bool, _output("--all", help="List every game, even in archives.")]
LearnedFromOption = Annotated[
    Optional[list[str]],
    _by_address("--of", help="A ruleset to begin from. May be repeated (default: all of the game)."),
]
LearnedFileOption = Annotated[
    Optional[Path], _to_file(help="The edition file to write, or a page for players (.html).", metavar="FILE.rules")
]
PriceOption = Annotated[
    float,
    typer.Option("--price", help="How many games a change has to explain, and one in a hundred more.", metavar="N"),
]
ExcuseOption = Annotated[
    float, typer.Option("--excuse", help="The price of calling a game wrong, in the same unit.", metavar="N")
]
QuickOption = Annotated[
    bool, typer.Option("--quick", help="Look for no games that decide, and for nothing suspicious.")
]

# ---- the studio

BegunOfOption = Annotated[
    Optional[str],
    typer.Option(
        "--of",
        help="If the file does not exist, create it as an edition of this ruleset.",
        metavar="ADDRESS",
        autocompletion=complete_rulesets,
    ),
]
PortOption = Annotated[int, typer.Option("--port", help="The port to listen on (0: any free port).", min=0, max=65535)]
BrowserOption = Annotated[bool, typer.Option("--browser/--no-browser", help="Open the browser.")]
ExportOption = Annotated[
    Optional[Path],
    typer.Option(
        "--export",
        help="Instead, write the studio into this folder as static files that need no program: the playground.",
        metavar="FOLDER",
    ),
]
PyodideOption = Annotated[
    Path,
    typer.Option(
        "--pyodide",
        help="With --export: the package `pyodide` of npm, with the wheel beside its files.",
        metavar="FOLDER",
    ),
]
