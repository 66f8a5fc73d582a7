"""Games of Go, Othello and gomoku as SGF."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pwtool.records.importers.formats import NoForm
from pwtool.records.importers.positions import pieces_on_board
from pwtool.records.importers.sgf_plain import COLORS
from pwtool.records.importers.sgf_reading import KINDS, Kind, players_of, result_of
from pwtool.records.importers.sgf_stated import edition_of
from pwtool.text.speech import Told

__all__ = ["write_sgf"]

_HOW = {"resignation": "R", "time": "T", "forfeit": "F"}
_MOST_LETTERS = 26
_PROPERTY = re.compile("(?!(?:A[BEW]|PL|[BW])$)[A-Z]+")
"""The names of properties that the tags of a record may be, but for those that set up a position, and moves."""


def write_sgf(record: Mapping[str, Any]) -> str:
    """A record as a game in SGF. Raises `NoForm` for what SGF has no form for."""
    ruleset = str(record.get("ruleset", ""))
    address, *variants = ruleset.split("+")
    name, _, edition = address.partition("/")
    number, kind = next(((n, k) for n, k in KINDS.items() if k.ruleset == name), (0, None))
    if kind is None:
        raise NoForm(Told("SGF has no number for games of {ruleset}", ruleset=f"`{ruleset}`"))
    size = next((size for size, variant in kind.sizes.items() if variant in variants), kind.size)
    names = [record["players"][0], record["players"][1]]
    own = {"GM": str(number), "FF": "4", "CA": "UTF-8", "SZ": str(size), "PB": names[0], "PW": names[1]}
    tags = {name: str(value) for name, value in {**own, **record.get("meta", {}), **own}.items()}
    _name_rules(tags, edition, kind)
    if players_of(tags | _names_in(record)) == names:
        # Also if both have the same name.
        tags |= _names_in(record)
    result = _result(record, kind, size)
    if result is not None and result_of(tags.get("RE", "")) != result_of(result):
        tags["RE"] = result
    if "comment" in record:
        tags["C"] = record["comment"]
    turns, laid = list(record["turns"]), list[Any]()
    lays = None if kind.handicap is None else kind.handicap[1]
    if turns and lays is not None and all(action["action"] == lays for action in turns[0]["actions"]):
        laid = [action["at"] for action in turns.pop(0)["actions"]]
        tags["HA"] = str(len(laid))
    elif tags.get("HA", "").strip() not in ("", "0", "1"):
        del tags["HA"]
    first = "".join(f"{tag}[{_escaped(value)}]" for tag, value in tags.items() if _PROPERTY.fullmatch(tag))
    nodes = [first + _set_up(kind, record, laid)]
    before = len(record["turns"]) - len(turns)
    for at, turn in enumerate(turns, before):
        color = COLORS[names.index(turn["player"])]
        for action in turn["actions"]:
            cell = _cell(action, kind)
            if cell is None:
                number = record.get("start", {}).get("turn", 1) + at
                told = Told("SGF has no form for {action} in turn {turn}", action=f"`{action['action']}`", turn=number)
                raise NoForm(told, ("turns", at))
            nodes.append(f"{color}[{cell}]" + _comment(action))
    return "(;" + "\n;".join(nodes) + ")\n"


def _name_rules(tags: dict[str, str], edition: str, kind: Kind) -> None:
    """Let the tags name the rules of an edition, as they do already, or as other programs do; and no other ones."""
    named = edition_of(tags.get("RU", ""), kind.rules)
    if edition and named != edition:
        plain = edition.replace("_", " ").capitalize()
        tags["RU"] = next((name for name, known in kind.rules.items() if known == edition), plain)
    elif named is not None and not edition:
        del tags["RU"]


def _names_in(record: Mapping[str, Any]) -> dict[str, str]:
    """The names of the players that the notes have."""
    return {name: str(value) for name, value in record.get("meta", {}).items() if name in ("PB", "PW")}


def _set_up(kind: Kind, record: Mapping[str, Any], laid: list[Any]) -> str:
    """What lies on the board before the first move, and who makes it if that is not Black."""
    cells = {tag: sorted(found) for tag, found in kind.start.items()}
    start = record.get("start")
    if start is not None:
        board = [*pieces_on_board(start, COLORS, Told("SGF has no form for this position"))]
        cells = {f"A{color}": [_letters(cell) for cell, code in board if code == color] for color in COLORS}
    if laid:
        cells = {**cells, "AB": [*cells.get("AB", ()), *map(_letters, laid)]}
    said = "".join(tag + "".join(f"[{cell}]" for cell in found) for tag, found in cells.items() if found)
    if start is None:
        return said
    # Behind the stones that Black lays, White moves.
    seat = 1 if laid else list(record["players"]).index(start["player"])
    return f"{said}PL[{COLORS[seat]}]"


def _letters(cell: Sequence[int]) -> str:
    return "".join(chr(ord("a") + at) for at in cell)


def _cell(action: Mapping[str, Any], kind: Kind) -> str | None:
    """The cell of a move, empty for a pass; None if SGF has no form for the action."""
    if action["action"] == "pass":
        return ""
    if action["action"] != kind.place or not all(0 <= at < _MOST_LETTERS for at in action["at"]):
        return None
    return _letters(action["at"])


def _comment(action: Mapping[str, Any]) -> str:
    return f"C[{_escaped(action['comment'])}]" if action.get("comment") else ""


def _result(record: Mapping[str, Any], kind: Kind, size: int) -> str | None:
    """Who won and how, or by how many points, as far as the record says it."""
    result = record.get("result", {})
    ranking = result.get("ranking")
    if not ranking:
        return None
    if len(ranking) == 1 and len(ranking[0]) > 1:
        return "0"
    winner = COLORS[list(record["players"]).index(ranking[0][0])]
    return f"{winner}+{_HOW.get(result.get('stopped', ''), '') or _margin(result, kind, size)}"


def _margin(result: Mapping[str, Any], kind: Kind, size: int) -> str:
    """By how many points the winner has won; empty if the players stopped, since nobody knows whose the rest is then."""
    points = result.get("scores", {})
    if (
        not kind.is_shared
        or len(points) != len(COLORS)
        or (result.get("stopped") and sum(points.values()) < size * size)
    ):
        return ""
    margin = 2 * points[result["ranking"][0][0]] - sum(points.values())
    return str(margin) if margin > 0 else ""


def _escaped(value: object) -> str:
    return str(value).replace("\\", "\\\\").replace("]", "\\]")
