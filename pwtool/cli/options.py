"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

Files = Annotated[
    list[str],
    typer.Argument(
        help="Records (.json, .pwn, .pgn, .sgf), states, archives (.jsonl, .zip, .tar), also compressed, folders, "
        "addresses (https://, s3://), or - for standard input.",
        metavar="FILE...",
    ),
]
File = Annotated[str, typer.Argument(help="A record or state, or - for standard input.", metavar="FILE")]
Rulesets = Annotated[
    list[str], typer.Argument(help="Rules files, folders or ruleset addresses.", metavar="FILE|FOLDER|ADDRESS...")
]
RulesOption = Annotated[
    Optional[list[str]],
    typer.Option("--rules", "-r", help="Ruleset address or ./house.rules. May be repeated.", metavar="ADDRESS"),
]
RulesFromOption = Annotated[
    Optional[list[str]],
    typer.Option(
        "--rules-from", help="Records may name the rules files of this folder. May be repeated.", metavar="DIR"
    ),
]
OneRules = Annotated[
    Optional[str],
    typer.Option("--rules", "-r", help="Ruleset address. Without it the record's own is used.", metavar="ADDRESS"),
]
ReadingOption = Annotated[
    Optional[list[str]],
    typer.Option(
        "--reading", help="Adopt another reading of an open point. May be repeated.", metavar="POINT=ALTERNATIVE"
    ),
]
PrintedOption = Annotated[
    bool, typer.Option("--as-printed", help="Read every known misprint of a ruleset as it is printed.")
]
LangOption = Annotated[
    Optional[str],
    typer.Option("--lang", help="Language of rule texts: en, fr, de. Default: the locale's.", metavar="LANG"),
]
_FORMAT = typer.Option(
    "--format", "-f", help="full, concise, json, jsonl, sarif, junit, github or markdown.", metavar="FORMAT"
)
FormatOption = Annotated[str, _FORMAT]
CheckFormatOption = Annotated[Optional[str], _FORMAT]
ReportOption = Annotated[
    Optional[list[str]],
    typer.Option("--report", help="Also write a report to a file. May be repeated.", metavar="FORMAT=FILE"),
]
AuditOption = Annotated[
    float,
    typer.Option("--audit", help="Judge so many % of what kernels judged again.", min=0, max=100, metavar="PERCENT"),
]
BaselineOption = Annotated[
    Optional[str], typer.Option("--baseline", help="Accept the findings that this file knows.", metavar="FILE")
]
WriteBaselineOption = Annotated[
    Optional[str], typer.Option("--write-baseline", help="Write a file that knows what is found now.", metavar="FILE")
]
NoConfigOption = Annotated[
    bool, typer.Option("--no-config", help="Read no settings from pwtool.toml or pyproject.toml.")
]
AtOption = Annotated[Optional[int], typer.Option("--at", help="Turn, counted from 1.", min=1, metavar="TURN")]
ConvertedOption = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        help="A .pwn or .json file, an archive (.jsonl, .zip, .tar; all also .gz, .xz, .zst), a table (.parquet, .arrow), a folder, or - to print.",
        metavar="OUT",
    ),
]
OutputOption = Annotated[
    Optional[Path], typer.Option("--output", "-o", help="Output file (default: standard output).", metavar="OUT")
]
PageOption = Annotated[
    Optional[Path], typer.Option("--output", "-o", help="A page of charts instead of text.", metavar="PAGE.html")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
SimulatedOption = Annotated[
    str, typer.Option("--policy", help="random, or greedy: what brings most points at once.", metavar="POLICY")
]
EachGamesOption = Annotated[
    int, typer.Option("--games", help="So many under each ruleset, for each number of players.", min=1, metavar="N")
]
HowManyOption = Annotated[
    Optional[list[int]],
    typer.Option("--players", help="How many play. May be repeated. Default: all that may, up to four.", metavar="N"),
]
OnlyOption = Annotated[
    Optional[list[str]],
    typer.Option(
        "--only", help="Show only: clean, refused, undetermined, unreadable. May be repeated.", metavar="VERDICT"
    ),
]
SchedulerOption = Annotated[
    Optional[str],
    typer.Option("--scheduler", help="Judge on a Dask cluster: its scheduler's address, or local.", metavar="ADDRESS"),
]
BesideOption = Annotated[
    int, typer.Option("--games", help="How often they are claimed in so many games by chance.", min=0, metavar="N")
]
SeedOption = Annotated[int, typer.Option("--seed", help="The same seed gives the same games.", min=0, metavar="N")]
PolicyOption = Annotated[
    str,
    typer.Option("--policy", help="random, greedy, or person: choose each action at the terminal.", metavar="POLICY"),
]
