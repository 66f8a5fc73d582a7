"""What a record says about the end of its game, from JSON to the engine's form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pwtool.ir.model import Ruleset
from pwtool.play.record import Outcome
from pwtool.records.json_form import Context, Path, entries, known_keys, need
from pwtool.text.speech import Told
from pwtool.text.words import quoted

_RESULT_KEYS = {"scores", "parts", "ranking", "end", "stopped"}


def decode_outcome(ruleset: Ruleset, data: Any, context: Context) -> Outcome:
    """What a record says about the end of its game; raises `Malformed`."""
    need(type(data) is dict, ("result",), "`result` is an object")
    known_keys(data, _RESULT_KEYS, ("result",))
    outcome = Outcome()
    if "scores" in data:
        scores = _per_player(data["scores"], ("result", "scores"), context)
        outcome.scores = {seat: _integer(value, path) for seat, value, path in scores}
    if "parts" in data:
        parts = _per_player(data["parts"], ("result", "parts"), context)
        outcome.parts = {seat: _lines(ruleset, lines, path) for seat, lines, path in parts}
    if "ranking" in data:
        outcome.ranking = _ranking(data["ranking"], context)
    end = data.get("end")
    if end is not None:
        path: Path = ("result", "end")
        need(type(end) is dict and end.keys() <= {"rule", "turn"}, path, "`end` has a `rule` and a `turn`")
        known = "rule" not in end or end["rule"] in [e.name for e in ruleset.endings]
        need(known, (*path, "rule"), "there is no such ending")
        need(type(end.get("turn", 1)) is int, (*path, "turn"), "a turn is a number")
        outcome.ending, outcome.ending_turn = end.get("rule"), end.get("turn")
    if "stopped" in data:
        from pwtool.kernel.answers import STOPPED

        outcome.stopped = data["stopped"]
        named = type(outcome.stopped) is str and outcome.stopped in STOPPED
        need(named, ("result", "stopped"), Told("`stopped` is one of {words}", words=quoted(STOPPED)))
    return outcome


def _lines(ruleset: Ruleset, data: Any, path: Path) -> dict[str, int]:
    known = {score.name for score in ruleset.scores}
    lines = entries(data, path, Told("an object with score lines is needed"), known, Told("score line"))
    return {name: _integer(value, at) for name, value, at in lines}


def _per_player(data: Any, path: Path, context: Context) -> Iterator[tuple[int, Any, Path]]:
    message = Told("an object with a value for each player is needed")
    for name, value, at in entries(data, path, message, context.players, Told("player")):
        yield context.players[name], value, at


def _ranking(data: Any, context: Context) -> list[list[int]]:
    path: Path = ("result", "ranking")
    groups = type(data) is list and all(type(g) is list and g for g in data)
    need(groups, path, "`ranking` is a list of places, each a list of players")
    names = [n for g in data for n in g]
    known = all(type(n) is str and n in context.players for n in names) and len(set(names)) == len(names)
    need(known, path, "`ranking` names players, each once")
    return [[context.players[n] for n in group] for group in data]


def _integer(value: Any, path: Path) -> Any:
    need(type(value) is int, path, "a whole number is needed")
    return value
