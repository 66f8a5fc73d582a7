"""A summary of a results file, computed by DuckDB: it reads all three formats, and memory does not grow with the file."""

from __future__ import annotations

import glob
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from pwtool.checking.results import FORMATS
from pwtool.checking.rows import FindingRow, Row

MEMORY = "1GB"
"""The memory limit; what exceeds it goes to disk."""
MOST_RULES = 30
MOST_NAMES = 60
"""How many rules and other names are listed individually."""


class Unreadable(Exception):
    """Not a results file of this version; the argument says why."""


class Finding(Struct, frozen=True):
    """A kind of findings: in how many games it is, and the file, line and turn of the first one."""

    ruleset: str
    version: str
    code: str
    rule: str
    severity: str
    games: int
    file: str
    line: int | None
    turn: int | None

    @property
    def document(self) -> str:
        """The first game, named as on the command line."""
        return self.file if self.line is None else f"{self.file}:{self.line}"


class Seat(Struct, frozen=True):
    """A seat with this number of players: in how many games its score is known, the sum of the scores and of their
    squares, quartiles and median (None: none is known); and in how many games the ranking is known. `wins` maps the
    number of others that share the first place to the number of games won so.
    """

    players: int
    seat: int
    games: int
    total: int
    squares: int
    quartiles: tuple[int, int, int] | None
    ranked: int
    wins: dict[int, int] = field(default_factory=dict)


class Line(Struct, frozen=True):
    """A score line with this number of players: its sum, minimum and maximum."""

    name: str
    players: int
    total: int
    low: int
    high: int


class Ending(Struct, frozen=True):
    """An ending and how many games it ended."""

    name: str
    games: int


class Objective(Struct, frozen=True):
    """An objective: the number of games in which it was in play and in which somebody claimed it; quartiles and median
    of the turns of the first claims, if there are any.
    """

    name: str
    games: int
    claimed: int
    quartiles: tuple[int, int, int] | None


class Judged(Struct):
    """What is known under one ruleset. Everything but `verdicts` covers games that are clean and over: `lengths` counts
    them by number of turns for each number of players. `more` is how many lines, endings and objectives are not listed,
    and `ended` how many games the listed endings leave out.
    """

    ruleset: str
    version: str
    verdicts: dict[str, int]
    over: int = 0
    lengths: dict[int, dict[int, int]] = field(default_factory=dict)
    seats: list[Seat] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    endings: list[Ending] = field(default_factory=list)
    objectives: list[Objective] = field(default_factory=list)
    more: dict[str, int] = field(default_factory=dict)
    ended: int = 0

    @property
    def name(self) -> str:
        """The rules as shown to people: address and version; empty if there are none."""
        return f"{self.ruleset} {self.version}".strip()


class Overview(Struct):
    """The summary of results: `rows` is how many there are (one for each of the `documents` under each ruleset), with
    how many of each verdict and number of players (0: not known). Findings that follow from others do not count;
    `more_rules` kinds of them, in `more_games` games, are not listed individually. Of `unexplained` games only the first
    refusal is known.
    """

    rows: int = 0
    documents: int = 0
    verdicts: dict[str, int] = field(default_factory=dict)
    players: dict[int, int] = field(default_factory=dict)
    judged: list[Judged] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    more_rules: int = 0
    more_games: int = 0
    unexplained: int = 0


def read_overview(path: Path) -> Overview:
    """Summarize a file written by `pwtool check --results`. Raises `Unreadable`, and `ImportError` without DuckDB."""
    import duckdb

    if path.suffix.lower() not in FORMATS:
        raise Unreadable(f"results end in {', '.join(FORMATS)}")
    try:
        with _opened(path) as database:
            ((others,),) = database.execute(
                "select count(*) from rows where file is null or verdict is null"
            ).fetchall()
            if others:
                raise Unreadable("its rows name no file or verdict")
            return _Reader(database).overview()
    except (duckdb.Error, OSError) as error:
        raise Unreadable(str(error).splitlines()[0]) from error


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """The results as two views: `rows` with one row per result, and `found` with one per finding that follows from no other."""
    import duckdb

    path.open("rb").close()
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        # DuckDB does not accept other names.
        raise Unreadable("its name is not UTF-8; rename it") from error
    suffix = path.suffix.lower()
    with tempfile.TemporaryDirectory(prefix="pwtool-report-") as folder:
        settings: dict[str, Any] = {
            "memory_limit": MEMORY,
            "temp_directory": folder,
            "autoinstall_known_extensions": "false",
        }
        if suffix == ".duckdb":
            # Its views could read other files.
            settings["enable_external_access"] = "false"
            del settings["temp_directory"]
        database = duckdb.connect(
            str(path) if suffix == ".duckdb" else ":memory:", suffix == ".duckdb", config=settings
        )
        try:
            if suffix == ".duckdb":
                database.execute("create temp view rows as select * from games")
                database.execute(
                    "create temp view found as select game, f.rowid as spot, g.file, g.line, g.ruleset, version, f.code, f.rule,"
                    " severity, f.turn from findings f join games g using (game) where not follows"
                )
            else:
                database.execute(f"create temp view rows as select * from {_source(path, suffix)}")
                database.execute(
                    "create temp view found as select game, game as spot, file, line, ruleset, version, f.code as code,"
                    " f.rule as rule, f.severity as severity, f.turn as turn from (select game, file, line, ruleset, version,"
                    " unnest(findings) as f from (select row_number() over () as game, * from rows) where len(findings) > 0)"
                    " where not f.follows"
                )
            yield database
        finally:
            database.close()


def _source(path: Path, suffix: str) -> str:
    """The expression that reads this file; special characters in its name are escaped."""
    name = "'" + glob.escape(str(path)).replace("'", "''") + "'"
    if suffix == ".parquet":
        return f"read_parquet({name})"
    return f"read_json({name}, format = 'newline_delimited', columns = {{{_columns()}}})"


def _columns() -> str:
    """The columns of lines as DuckDB types; odd values in the first lines do not change the types."""
    finding = ", ".join(f'"{name}" {_TYPES.get(name, "varchar")}' for name in FindingRow.__struct_fields__)
    types = _TYPES | {"findings": f"struct({finding})[]"}
    return ", ".join(f"'{name}': '{types.get(name, 'varchar')}'" for name in Row.__struct_fields__)


_TYPES = {
    "line": "bigint", "turn": "integer", "action": "integer", "column": "integer", "follows": "boolean", "players": "varchar[]",
    "turns": "integer", "actions": "integer", "over": "boolean", "cut_short": "boolean", "ending_turn": "integer", "scores": "bigint[]",
    "places": "integer[]", "lines": "map(varchar, bigint)[]", "claims": "struct(objective varchar, turn integer)[]",
}  # fmt: skip


class _Reader:
    """Runs the queries for a page one after the other."""

    def __init__(self, database: Any) -> None:
        self.database = database

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        return list(self.database.execute(query).fetchall())

    def overview(self) -> Overview:
        judged = self.rulesets()
        verdicts = dict(self.ask("select verdict, count(*) from rows group by all order by all"))
        players = dict(self.ask("select coalesce(len(players), 0), count(*) from rows group by all order by all"))
        # Documents may have one name; each has at most one row under a ruleset.
        ((documents, unexplained),) = self.ask(
            "select coalesce(sum(n), 0), (select count(*) from rows where not explained) from (select max(n) as n from"
            " (select file, line, count(*) as n from rows group by file, line, ruleset, version) group by file, line)"
        )
        found = Overview(sum(verdicts.values()), int(documents), verdicts, players, judged)
        found.unexplained = int(unexplained)
        self.findings(found)
        self.lengths(judged)
        self.seats(judged)
        self.parts(judged)
        return found

    def rulesets(self) -> list[Judged]:
        """The rulesets that judged; the table `shown` has their numbers."""
        whole: dict[tuple[str, str], Judged] = {}
        for ruleset, version, verdict, games in self.ask(
            "select coalesce(ruleset, ''), coalesce(version, ''), verdict, count(*) from rows group by all order by all"
        ):
            whole.setdefault((ruleset, version), Judged(ruleset, version, {})).verdicts[verdict] = games
        judged = list(whole.values())
        self.database.execute("create temp table shown (number integer, ruleset varchar, version varchar)")
        for number, one in enumerate(judged):
            self.database.execute("insert into shown values (?, ?, ?)", [number, one.ruleset, one.version])
        self.database.execute(
            "create temp view numbered as select shown.number as number, rows.* from rows join shown"
            " on coalesce(rows.ruleset, '') = shown.ruleset and coalesce(rows.version, '') = shown.version"
        )
        self.database.execute(
            "create temp view played as select * from numbered"
            " where verdict = 'clean' and over and len(players) > 0 and turns is not null"
        )
        return judged

    def findings(self, found: Overview) -> None:
        self.database.execute(
            "create temp table kinds as select ruleset, version, code, rule, count(*) as games,"
            " arg_min({'s': severity, 'f': file, 'l': line, 't': turn}, first_spot) as first from"
            " (select ruleset, version, code, rule, game, min(spot) as first_spot, arg_min(file, spot) as file,"
            " arg_min(line, spot) as line, arg_min(turn, spot) as turn, arg_min(severity, spot) as severity from found"
            " group by ruleset, version, code, rule, game) group by ruleset, version, code, rule"
        )
        for ruleset, version, code, rule, games, first in self.ask(
            f"select * from kinds order by games desc, ruleset, version, code, rule limit {MOST_RULES}"
        ):
            where = (first["f"], first["l"], first["t"])
            found.findings.append(Finding(ruleset or "", version or "", code, rule or "", first["s"], games, *where))
        ((kinds, games),) = self.ask("select count(*), coalesce(sum(games), 0) from kinds")
        found.more_rules = kinds - len(found.findings)
        found.more_games = int(games) - sum(one.games for one in found.findings)

    def lengths(self, judged: list[Judged]) -> None:
        for number, players, turns, games in self.ask(
            "select number, len(players), turns, count(*) from played group by all order by all"
        ):
            judged[number].lengths.setdefault(players, {})[turns] = games
            judged[number].over += games

    def seats(self, judged: list[Judged]) -> None:
        self.database.execute(
            "create temp view seats as select number, len(players) as players, unnest(range(1, len(players) + 1)) as seat,"
            " scores, places from played"
        )
        wins: dict[tuple[int, int, int], dict[int, int]] = {}
        for number, players, seat, others, games in self.ask(
            "select number, players, seat, len(list_filter(places, lambda place: place = 1)) - 1, count(*) from seats"
            " where places[seat] = 1 group by all order by all"
        ):
            wins.setdefault((number, players, seat), {})[others] = games
        for number, players, seat, games, total, squares, quartiles, ranked in self.ask(
            "select number, players, seat, count(score), coalesce(sum(score), 0),"
            " coalesce(sum(score::hugeint * score), 0), quantile_disc(score, [0.25, 0.5, 0.75]), count(place) from"
            " (select number, players, seat, scores[seat] as score, places[seat] as place from seats)"
            " group by all having count(score) + count(place) > 0 order by number, players, seat"
        ):
            shared = wins.get((number, players, seat), {})
            between = tuple(quartiles) if games else None
            judged[number].seats.append(Seat(players, seat, games, int(total), int(squares), between, ranked, shared))

    def parts(self, judged: list[Judged]) -> None:
        """Score lines, endings and objectives."""
        for number, name, *rest in self.ask(
            "select number, line.key, count(*), sum(line.value), min(line.value), max(line.value) from (select number,"
            " unnest(map_entries(lines)) as line from (select number, unnest(lines) as lines from played))"
            " where line.value is not null group by all order by number, 4 desc, 2"
        ):
            _list(judged[number], "lines", Line(name, *map(int, rest)))
        for number, name, games in self.ask(
            "select number, ending, count(*) from played where ending is not null group by all order by number, 3 desc, 2"
        ):
            if not _list(judged[number], "endings", Ending(name, games)):
                judged[number].ended += games
        for number, name, games, claimed, quartiles in self.ask(
            "select number, c.objective, count(*), count(c.turn), quantile_disc(c.turn, [0.25, 0.5, 0.75]) from"
            " (select number, unnest(claims) as c from played) group by all order by number, count(c.turn) / count(*) desc, 2"
        ):
            between = tuple(quartiles) if claimed else None
            _list(judged[number], "objectives", Objective(name, games, claimed, between))


def _list(one: Judged, kind: str, item: Line | Ending | Objective) -> bool:
    """Add an item to a list that is not full, or count it as left out; returns whether it is listed."""
    listed: list[Any] = getattr(one, kind)
    if len(listed) < MOST_NAMES:
        listed.append(item)
        return True
    one.more[kind] = one.more.get(kind, 0) + 1
    return False
