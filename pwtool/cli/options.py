"""Arguments and options, each declared once: the same name means the same in every command."""

from __future__ import annotations

from enum import StrEnum
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

RULES, OUTPUT, ARCHIVES, KNOWN = "Rules", "Output", "Archives", "Known findings"
"""Titles of the panels in the help."""

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
    typer.Option(
        "--rules",
        "-r",
        help="Ruleset address or rules file (./house.rules). May be repeated.",
        metavar="ADDRESS",
        autocompletion=complete_rulesets,
        rich_help_panel=RULES,
    ),
]
OneRules = Annotated[
    Optional[str],
    typer.Option(
        "--rules",
        "-r",
        help="Ruleset address or rules file (default: the record's own).",
        metavar="ADDRESS",
        autocompletion=complete_rulesets,
        rich_help_panel=RULES,
    ),
]
RulesFromOption = Annotated[
    Optional[list[str]],
    typer.Option(
        "--rules-from",
        help="Allow records to name rules files in this folder. May be repeated.",
        metavar="DIR",
        rich_help_panel=RULES,
    ),
]
ReadingOption = Annotated[
    Optional[list[str]],
    typer.Option(
        "--reading",
        help="Choose another reading of an open point. May be repeated.",
        metavar="POINT=ALTERNATIVE",
        autocompletion=complete_readings,
        rich_help_panel=RULES,
    ),
]
PrintedOption = Annotated[
    bool,
    typer.Option("--as-printed", help="Follow known misprints as they are printed.", rich_help_panel=RULES),
]
OfOption = Annotated[
    Optional[str],
    typer.Option(
        "--of",
        help="The ruleset that an edition or objective is for.",
        metavar="ADDRESS",
        autocompletion=complete_rulesets,
        rich_help_panel=RULES,
    ),
]
NoConfigOption = Annotated[
    bool,
    typer.Option(
        "--no-config", help="Ignore the settings in pwtool.toml and pyproject.toml.", rich_help_panel=RULES
    ),
]  # fmt: skip

# ---- output

ReportForm = Literal["full", "concise", "json", "jsonl", "sarif", "junit", "github", "markdown", "html"]
_REPORT = typer.Option(
    "--format",
    "-f",
    help=f"Output format: {', '.join(get_args(ReportForm))}.",
    metavar="FORMAT",
    rich_help_panel=OUTPUT,
)
FormatOption = Annotated[ReportForm, _REPORT]
CheckFormatOption = Annotated[Optional[ReportForm], _REPORT]
TextForm = Literal["text", "json"]
TextOption = Annotated[TextForm, typer.Option("--format", "-f", help="Output format.", rich_help_panel=OUTPUT)]
PictureForm = Literal["svg", "json"]
PictureFormatOption = Annotated[
    PictureForm,
    typer.Option("--format", "-f", help="json: what is drawn, as data.", rich_help_panel=OUTPUT),
]
ReplayForm = Literal["text", "html", "json"]
ReplayFormatOption = Annotated[
    ReplayForm, typer.Option("--format", "-f", help="Output format.", rich_help_panel=OUTPUT)
]
SimulateForm = Literal["text", "html", "json"]
SimulateFormatOption = Annotated[
    SimulateForm,
    typer.Option("--format", "-f", help="Output format (html: a page of charts).", rich_help_panel=OUTPUT),
]
CompareForm = Literal["text", "markdown", "html", "json"]
CompareFormatOption = Annotated[
    CompareForm, typer.Option("--format", "-f", help="Output format.", rich_help_panel=OUTPUT)
]
RecordForm = Literal["pwn", "json", "jsonl"]
ToOption = Annotated[
    Optional[RecordForm],
    typer.Option("--to", help="The format, if the name of OUT does not tell.", rich_help_panel=OUTPUT),
]
LangOption = Annotated[
    Optional[str],
    typer.Option(
        "--lang",
        help="Language: en, fr, de, or another that the rules have texts in (default: the locale's).",
        metavar="LANG",
        autocompletion=complete_languages,
        rich_help_panel=OUTPUT,
    ),
]
OutputOption = Annotated[
    Optional[Path],
    typer.Option(
        "--output",
        "-o",
        help="Output file; its name may tell the format (default: standard output).",
        metavar="OUT",
        rich_help_panel=OUTPUT,
    ),
]
PictureOption = Annotated[
    Optional[Path],
    typer.Option(
        "--output",
        "-o",
        help="Output file, .svg, .png or .json (default: SVG on standard output).",
        metavar="OUT",
        rich_help_panel=OUTPUT,
    ),
]
NewFileOption = Annotated[
    Optional[Path],
    typer.Option("--output", "-o", help="The file to write.", metavar="FILE.rules", rich_help_panel=OUTPUT),
]
ModuleOption = Annotated[
    Path, typer.Option("--output", "-o", help="The file to write.", metavar="FILE.wasm", rich_help_panel=OUTPUT)
]
ConvertedOption = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        help="A .pwn or .json file, an archive (.jsonl, .zip, .tar; all also .gz, .xz, .zst), a table (.parquet, .arrow), a folder, or - for standard output.",
        metavar="OUT",
        rich_help_panel=OUTPUT,
    ),
]
PackedOption = Annotated[
    str,
    typer.Option(
        "--output", "-o", help="The .parquet file to write.", metavar="OUT", rich_help_panel=OUTPUT
    ),
]  # fmt: skip
ImportedOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="A file for one record, a .jsonl archive (also .gz, .xz, .zst), or a folder.",
        metavar="OUT",
        rich_help_panel=OUTPUT,
    ),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite existing files.", rich_help_panel=OUTPUT)]
SheetOption = Annotated[
    bool, typer.Option("--sheet", help="Write a page for players who switch from the first to the second.")
]
ReportOption = Annotated[
    Optional[list[str]],
    typer.Option(
        "--report",
        help="Also write a report to a file. May be repeated.",
        metavar="FORMAT=FILE",
        rich_help_panel=OUTPUT,
    ),
]
StatisticsOption = Annotated[
    bool, typer.Option("--statistics", help="Print a summary of all findings at the end.", rich_help_panel=OUTPUT)
]
AllOption = Annotated[
    bool,
    typer.Option(
        "--all", help="Also show follow-up errors: findings that only follow from earlier ones.", rich_help_panel=OUTPUT
    ),
]
CausesOption = Annotated[
    bool,
    typer.Option(
        "--causes/--no-causes",
        help="Separate root causes from follow-up errors in refused games.",
        rich_help_panel=OUTPUT,
    ),
]

AllowUndeterminedOption = Annotated[
    bool,
    typer.Option(
        "--allow-undetermined",
        help="Exit with 0 if all that is open depends on what nobody saw.",
        rich_help_panel=OUTPUT,
    ),
]

ExplainOption = Annotated[
    Optional[str],
    typer.Option(
        "--explain",
        help="Explain the first N refused games of each rule (default: 10), or all; the others take one line.",
        metavar="N|all",
        rich_help_panel=OUTPUT,
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
    typer.Option(
        "--only",
        help=f"Show only this verdict: {', '.join(Shown)}. May be repeated.",
        metavar="VERDICT",
        rich_help_panel=OUTPUT,
    ),
]

# ---- parts of a record

HtmlOption = Annotated[
    bool,
    typer.Option(
        "--html",
        help="Make a self-contained page to step through the game; the same as --format html.",
        rich_help_panel=OUTPUT,
    ),
]
AtOption = Annotated[
    Optional[int], typer.Option("--at", help="The position before this turn, counted from 1.", min=1, metavar="TURN")
]
AfterOption = Annotated[
    Optional[int], typer.Option("--after", help="The position after this turn.", min=1, metavar="TURN")
]
PagerOption = Annotated[bool, typer.Option("--pager", help="Use $PAGER, if in a terminal.", rich_help_panel=OUTPUT)]
ViewOption = Annotated[Optional[str], typer.Option("--player", help="Show only what this player sees.", metavar="NAME")]
BoardOfOption = Annotated[
    Optional[str], typer.Option("--player", help="Look only at the board of this player.", metavar="NAME")
]
MostOption = Annotated[int, typer.Option("--limit", help="List at most N actions (0: all).", min=0, metavar="N")]

# ---- archives

JobsOption = Annotated[
    int,
    typer.Option(
        "--jobs", "-j", help="Number of processes (0: one per core).", min=0, metavar="N", rich_help_panel=ARCHIVES
    ),
]  # fmt: skip
LimitOption = Annotated[
    Optional[int],
    typer.Option("--limit", help="Judge only the first N documents.", min=1, metavar="N", rich_help_panel=ARCHIVES),
]
SampleOption = Annotated[
    Optional[int],
    typer.Option("--sample", help="Judge only N random documents.", min=1, metavar="N", rich_help_panel=ARCHIVES),
]
DrawnSeedOption = Annotated[
    int, typer.Option("--seed", help="Random seed for --sample.", metavar="N", rich_help_panel=ARCHIVES)
]
ResultsOption = Annotated[
    Optional[str],
    typer.Option(
        "--results",
        help="Write one row per document: .jsonl, .parquet or .duckdb.",
        metavar="FILE",
        rich_help_panel=ARCHIVES,
    ),
]
ResumeOption = Annotated[
    bool,
    typer.Option("--resume", help="Continue an earlier run with the same --results.", rich_help_panel=ARCHIVES),
]
KernelOption = Annotated[
    bool,
    typer.Option(
        "--kernel/--no-kernel", help="Use compiled kernels to judge the games of archives.", rich_help_panel=ARCHIVES
    ),
]
AuditOption = Annotated[
    float | None,
    typer.Option(
        "--audit",
        help="Have the engine check this share of the kernels' verdicts (default: a few; 0: none).",
        min=0,
        max=100,
        metavar="PERCENT",
        rich_help_panel=ARCHIVES,
    ),
]
SchedulerOption = Annotated[
    Optional[str],
    typer.Option(
        "--scheduler",
        help="Use a Dask cluster: the address of its scheduler, or local.",
        metavar="ADDRESS",
        rich_help_panel=ARCHIVES,
    ),
]
LevelOption = Annotated[int, typer.Option("--level", help="Compression level of zstd, 1 to 22.", metavar="N")]
BaselineOption = Annotated[
    Optional[str],
    typer.Option(
        "--baseline", help="Accept the findings in this file; report only new ones.", metavar="FILE", rich_help_panel=KNOWN
    ),
]  # fmt: skip
WriteBaselineOption = Annotated[
    Optional[str],
    typer.Option(
        "--write-baseline", help="Write the current findings to this file.", metavar="FILE", rich_help_panel=KNOWN
    ),
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
]  # fmt: skip
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
EveryAnswerOption = Annotated[
    bool, typer.Option("--all", help="List every game, even in archives.", rich_help_panel=OUTPUT)
]  # fmt: skip

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
