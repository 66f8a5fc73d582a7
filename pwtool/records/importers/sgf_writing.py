"""Games of Go, Othello and gomoku as SGF."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pwtool.records.importers.sgf_reading import COLORS, KINDS, Kind
from pwtool.text.speech import Told

__all__ = ["write_sgf"]

_HOW = {"resignation": "R", "time": "T", "forfeit": "F"}
_MOST_LETTERS = 26


def write_sgf(record: Mapping[str, Any]) -> str:
    """A record as a game in SGF. Raises `ValueError`, with a text for people, for what SGF has no form for."""
    ruleset = str(record.get("ruleset", ""))
    name = ruleset.partition("+")[0].partition("/")[0]
    number, kind = next(((n, k) for n, k in KINDS.items() if k.ruleset == name), (0, None))
    if kind is None:
        raise ValueError(Told("SGF has no number for games of {ruleset}", ruleset=f"`{ruleset}`"))
    names = [record["players"][0], record["players"][1]]
    tags = {"GM": str(number), "FF": "4", "CA": "UTF-8", "SZ": str(kind.size)} | dict(record.get("meta", {}))
    tags |= {"PB": names[0], "PW": names[1]}
    if (result := _result(record)) is not None:
        tags["RE"] = result
    if "comment" in record:
        tags["C"] = record["comment"]
    nodes = ["".join(f"{tag}[{_escaped(value)}]" for tag, value in tags.items() if tag.isalpha() and tag.isupper())]
    nodes[0] += _set_up(kind)
    for number, turn in enumerate(record["turns"], 1):
        color = COLORS[names.index(turn["player"])]
        for action in turn["actions"]:
            nodes.append(f"{color}[{_cell(action, kind, number)}]" + _comment(action))
    return "(;" + "\n;".join(nodes) + ")\n"


def _set_up(kind: Kind) -> str:
    return "".join(f"{tag}{''.join(f'[{cell}]' for cell in sorted(cells))}" for tag, cells in kind.start.items())


def _cell(action: Mapping[str, Any], kind: Kind, turn: int) -> str:
    if action["action"] == "pass":
        return ""
    if action["action"] != kind.place or max(action["at"]) >= _MOST_LETTERS:
        raise ValueError(Told("SGF has no form for {action} in turn {turn}", action=f"`{action['action']}`", turn=turn))
    return "".join(chr(ord("a") + at) for at in action["at"])


def _comment(action: Mapping[str, Any]) -> str:
    return f"C[{_escaped(action['comment'])}]" if action.get("comment") else ""


def _result(record: Mapping[str, Any]) -> str | None:
    """Who won and how, as far as the record says it."""
    result = record.get("result", {})
    ranking = result.get("ranking")
    if not ranking:
        return None
    if len(ranking) == 1:
        return "0"
    winner = COLORS[list(record["players"]).index(ranking[0][0])]
    return f"{winner}+{_HOW.get(result.get('stopped', ''), '')}"


def _escaped(value: object) -> str:
    return str(value).replace("\\", "\\\\").replace("]", "\\]")
