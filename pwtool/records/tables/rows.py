"""One record as a row of a table: the values of the columns, the game as bytes, and the rest.

The rest is everything else in a record, such as `meta` or comments, as a JSON patch of what the columns unpack to. A
record that cannot be packed is kept as the bytes of its text.
"""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec
from msgspec import Struct

from pwtool.play.record import Record
from pwtool.records.tables.compact import Damaged, Unpackable, pack_game, unpack_game
from pwtool.records.tables.vocabulary import Vocabulary

MAX_REST = 64 << 10
_OWN = ("ruleset", "version", "id")
_LONG = re.compile(r"[0-9]{25}")
Change = list[Any]
"""A path of keys and numbers from the top, and the new value; without a value, the entry is removed."""


class Row(Struct, frozen=True):
    """A record: packed with one of a file's vocabularies (`words` is its number), or as text. `turns` and `scores` are
    for queries; reading does not use them.
    """

    id: str | None = None
    ruleset: str | None = None
    version: str | None = None
    players: list[str] | None = None
    turns: int | None = None
    scores: list[int | None] | None = None
    words: int | None = None
    game: bytes | None = None
    rest: str | None = None
    text: bytes | None = None


def row_of(data: dict[str, Any], record: Record, words: Vocabulary, number: int) -> Row:
    """The row for a record, given as JSON data and decoded; raises `Unpackable`."""
    game = pack_game(record, words)
    bare = Row(record.id, record.ruleset, record.version, record.players, words=number, game=game)
    made = unpacked(bare, words)
    # A decoded game has no Boolean or fraction in place of a number, so equal data is identical.
    changes = differences(made, data) if made != data else []
    rest = json.dumps(changes, ensure_ascii=False, separators=(",", ":")) if changes else None
    if rest is not None and len(rest) > MAX_REST:
        raise Unpackable
    scores = record.outcome.scores if record.outcome is not None else None
    by_seat = [scores.get(seat) for seat in range(len(record.players))] if scores is not None else None
    row = msgspec.structs.replace(bare, rest=rest, turns=len(record.turns), scores=by_seat)
    if rest is not None and differences(unpacked(row, words), data):
        raise Unpackable
    return row


def unpacked(row: Row, words: Vocabulary) -> dict[str, Any]:
    """The JSON data of a packed record; raises `Damaged`."""
    if row.game is None or row.players is None or None in row.players:
        raise Damaged
    game = unpack_game(row.game, row.players, words)
    own = {name: value for name in _OWN if (value := getattr(row, name)) is not None}
    data = {"format": game.pop("format"), **own, "players": row.players, **game}
    return data if row.rest is None else changed(data, row.rest)


def differences(old: Any, new: Any, path: tuple[str | int, ...] = ()) -> list[Change]:
    """The changes that turn JSON data into other data; 1, 1.0 and true are different."""
    if type(old) is not type(new):
        return [[list(path), new]]
    if isinstance(old, dict):
        found = [[[*path, key]] for key in old if key not in new]
        for key, value in new.items():
            found += differences(old[key], value, (*path, key)) if key in old else [[[*path, key], value]]
        return found
    if isinstance(old, list) and len(old) == len(new):
        return [
            change for at, pair in enumerate(zip(old, new, strict=True)) for change in differences(*pair, (*path, at))
        ]
    return [] if old == new else [[list(path), new]]


def changed(data: dict[str, Any], rest: str) -> dict[str, Any]:
    """Apply the changes of a rest to data; raises `Damaged`."""
    if len(rest) > MAX_REST:
        raise Damaged
    try:
        changes = json.loads(rest)
        for path, *value in changes:
            *way, last = path
            holder: Any = data
            for step in way:
                holder = holder[step]
            if value:
                (holder[last],) = value
            else:
                del holder[last]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise Damaged from error
    return data


def is_beside(rest: str) -> bool:
    """Whether a rest can be seen not to affect the verdict: `meta` or a comment on the whole record."""
    if len(rest) > 4096 or rest.count("[") + rest.count("{") > 50 or _LONG.search(rest) or "\\u" in rest:
        return False
    try:
        changes = json.loads(rest, object_pairs_hook=_pairs, parse_constant=_refused)
    except (ValueError, RecursionError):
        return False
    if type(changes) is not list:
        return False
    for change in changes:
        match change:
            case [["meta"], dict()] | [["comment" | "$schema"], str()]:
                continue
        return False
    return True


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _refused(text: str) -> Any:
    raise ValueError(text)
