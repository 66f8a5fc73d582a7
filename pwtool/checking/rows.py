"""Results as data: a row for each document with its findings, as written to files and kept between runs."""

from __future__ import annotations

from collections import Counter
from typing import Any, cast

import msgspec
from msgspec import Struct, field

from pwtool.checking.explaining import Asked
from pwtool.checking.report import FileResult, Verdict
from pwtool.checking.statistics import Statistics
from pwtool.records.file_names import NOTATION, split_line
from pwtool.text.speech import mark


class FindingRow(Struct, frozen=True, omit_defaults=False):
    """One finding. `turn` and `action` (within its turn) count from 1; `line` and `column` are its place in the file."""

    code: str
    severity: str
    rule: str | None
    turn: int | None
    action: int | None
    line: int | None
    column: int | None
    message: str
    follows: bool


class Claim(Struct, frozen=True):
    """An objective in play, and the turn of its first claim (None: nobody claimed it)."""

    objective: str
    turn: int | None


class Row(Struct, frozen=True):
    """One document under one ruleset. `line` is that in an archive of lines; `code`, `rule`, `turn` and `action` are
    those of the first error, or of the first finding if there is none; `cut_short`: judging stopped before the end of the
    document; `over` is None if that is why it is not known; `explained` is false if only its first refusal is told;
    scores, score lines and places in the ranking (1 is the best) are by seat, for games that are over; `claims` are those
    of the objectives in play; `engine` says why kernels leave the document to the engine.
    """

    file: str
    line: int | None
    id: str | None
    ruleset: str | None
    version: str | None
    verdict: str
    cut_short: bool
    code: str | None
    rule: str | None
    turn: int | None
    action: int | None
    players: list[str]
    turns: int | None
    actions: int | None
    over: bool | None
    ending: str | None
    ending_turn: int | None
    scores: list[int | None]
    places: list[int]
    lines: list[dict[str, int | None]]
    claims: list[Claim]
    engine: str | None
    findings: list[FindingRow]
    explained: bool = True


def left_to_engine(result: FileResult) -> str | None:
    """Why no kernel can have the final word on a document of a file, whoever judged it; None if one can."""
    if result.verdict is Verdict.UNREADABLE:
        return mark("unreadable")
    if result.verdict is Verdict.FINDINGS:
        return mark("refused")
    if result.name.endswith(NOTATION):
        return mark("another form")
    if result.played is None:
        return mark("position")
    return mark("unseen things") if result.played.unseen else None


def row_of(result: FileResult) -> Row:
    """The row for a result."""
    file, line = split_line(result.name)
    findings = []
    for d in result.diagnostics:
        path = cast(list[str | int], d.data.get("path") or [])
        at_action = path[3] if path[2:3] == ["actions"] and len(path) > 3 else None
        action = at_action + 1 if isinstance(at_action, int) else None
        at, column = d.span.file.line_column(d.span.start) if d.span is not None else (None, None)
        findings.append(
            FindingRow(d.code, d.level.value, d.rule, d.turn, action, at, column, str(d.message), d.follows)
        )
    played, first = result.played, next((f for f in findings if f.severity == "error"), next(iter(findings), None))
    places: list[int] = []
    if played is not None and played.ranking is not None:
        place = {seat: number for number, seats in enumerate(played.ranking, 1) for seat in seats}
        places = [place[seat] for seat in range(len(played.players))]
    # Where judging stopped before the result, what was reached is not what the record leads to.
    over = played.over if played is not None and (played.totals or not result.cut_short) else None
    judged = played if result.explained else None
    return Row(
        file, line, played.id if played else None, result.ruleset, result.version, result.verdict.value, result.cut_short,
        first.code if first else None, first.rule if first else None, first.turn if first else None,
        first.action if first else None, list(played.players) if played else [], judged.turns if judged else None,
        judged.actions if judged else None, over, played.ending if played else None,
        played.ending_turn if played else None, list(played.totals) if played else [], places,
        list(played.lines) if played else [], [Claim(*claim) for claim in played.claims.items()] if played else [],
        left_to_engine(result), findings, result.explained,
    )  # fmt: skip


def encoded(row: Row) -> bytes:
    """A row as a line of JSON. A file name need not be Unicode: other bytes are escaped."""
    try:
        return msgspec.json.encode(row)
    except UnicodeEncodeError:
        return msgspec.json.encode(_in_unicode(msgspec.to_builtins(row)))


class Part(Struct):
    """The rows of a piece as stored, each a line of JSON, with their statistics, the games that may be explained, and
    the versions of the rulesets that judged (None for one that cannot be loaded).
    """

    rows: list[bytes]
    statistics: Statistics
    asked: list[Asked] = field(default_factory=list)
    versions: dict[str, str | None] = field(default_factory=dict)


def pack_part(part: Part) -> bytes:
    """A part as bytes. A file name need not be Unicode: other bytes are escaped."""
    try:
        return msgspec.msgpack.encode(part)
    except UnicodeEncodeError:
        return msgspec.msgpack.encode(_in_unicode(msgspec.to_builtins(part, builtin_types=(tuple, bytes))))


def _in_unicode(value: Any) -> Any:
    """Data with lone surrogates in its texts escaped, as in reports."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, list | tuple):
        return type(value)(map(_in_unicode, value))
    if isinstance(value, dict):
        return {_in_unicode(key): _in_unicode(item) for key, item in value.items()}
    return value


def unpack_part(data: bytes) -> Part:
    """The part that `pack_part` wrote; raises `msgspec.DecodeError` for other bytes."""

    def counter(type_: type, value: Any) -> Any:
        return Counter(value) if type_ is Counter or getattr(type_, "__origin__", None) is Counter else value

    return msgspec.msgpack.decode(data, type=Part, dec_hook=counter)
