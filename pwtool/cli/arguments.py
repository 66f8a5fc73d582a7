"""The arguments of commands, by their places."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Literal, Optional

import typer

from pwtool.cli.completing import (
    complete_codes,
    complete_drawn,
    complete_importers,
    complete_objectives,
    complete_rulesets,
    complete_studied,
)

_rulesets = partial(typer.Argument, autocompletion=complete_rulesets)

Files = Annotated[
    list[str],
    typer.Argument(
        help="Records (.json, .pwn, .pgn, .sgf, .pdn, .wtb), state files, archives (.jsonl, .zip, .tar, also compressed), folders, "
        "URLs (https://, s3://), or - for standard input.",
        metavar="FILE...",
    ),
]
File = Annotated[str, typer.Argument(help="A record or state file, or - for standard input.", metavar="FILE")]
Archives = Annotated[
    list[str], typer.Argument(help="Archives, records, folders, or - for standard input.", metavar="ARCHIVE...")
]
ForeignFiles = Annotated[
    list[str] | None, typer.Argument(help="Records of another program.", metavar="FILE...", show_default=False)
]
Importer = Annotated[
    str | None,
    typer.Argument(
        help="The format of the records; without one, all formats are listed.",
        metavar="FORMAT",
        autocompletion=complete_importers,
        show_default=False,
    ),
]
Address = Annotated[str, _rulesets(help="Ruleset address.", metavar="RULESET")]
Simulated = Annotated[
    list[str], _rulesets(help="Ruleset addresses; each is compared with the first.", metavar="RULESET [OTHER...]")
]
Compared = Annotated[list[str], _rulesets(help="Ruleset addresses, two or more.", metavar="FIRST SECOND [THIRD...]")]
Rulesets = Annotated[
    list[str], _rulesets(help="Rules files, folders or ruleset addresses.", metavar="FILE|FOLDER|ADDRESS...")
]
RulesFiles = Annotated[
    list[str], typer.Argument(help="Rules files, folders, or - for standard input.", metavar="FILE|FOLDER...")
]
Studied = Annotated[
    str,
    typer.Argument(
        help="Ruleset address or rules file; with :NAME, only that objective (paper/en:row, own.rules:row).",
        metavar="RULESET|FILE",
        autocompletion=complete_studied,
    ),
]
Objective = Annotated[
    str,
    typer.Argument(
        help="The objective: NAME, ADDRESS:NAME or FILE.rules:NAME.",
        metavar="OBJECTIVE",
        autocompletion=complete_objectives,
    ),
]
Board = Annotated[
    str, typer.Argument(help='A board ("[ Y1+Y2 B3 / . G2 ]"), a record or a state file.', metavar="BOARD|FILE")
]
Drawn = Annotated[
    str,
    typer.Argument(
        help='An objective or shape (NAME, ADDRESS:NAME, FILE.rules:NAME), a board ("[ Y1+Y2 B3 / . G2 ]"), a record or a state file.',
        metavar="OBJECTIVE|BOARD|FILE",
        autocompletion=complete_drawn,
    ),
]
Explained = Annotated[
    str,
    typer.Argument(
        help="The code of a finding (PW601), or a rule (move.once, ADDRESS:move.once).",
        metavar="CODE|RULE",
        autocompletion=complete_codes,
    ),
]
Results = Annotated[Path, typer.Argument(help="The results of `pwtool check --results`.", metavar="RESULTS")]
Kind = Annotated[
    Literal["game", "board-game", "die-game", "edition", "objective"],
    typer.Argument(help="What to create.", metavar="KIND"),
]
NewName = Annotated[str, typer.Argument(help="Its name in the rules.", metavar="NAME")]
StudioOf = Annotated[
    Optional[str],
    typer.Argument(
        metavar="FILE|FOLDER|ADDRESS",
        help="A rules file, a folder of rules files, or a ruleset to look at (default: this folder).",
    ),
]
