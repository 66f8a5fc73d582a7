"""Formatting records: JSON that a person can read and compare line by line."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from pwtool.text.terminal import dump_json

__all__ = ["format_record"]

_STEP = "  "


def format_record(record: Mapping[str, object]) -> str:
    """The record as JSON text with a final line break: each action, and each list or object without inner ones, takes
    one line, as does each row of a grid; everything above it is spread over several lines. Reading the text gives the
    record back.
    """
    lines = [f"{_STEP}{_one_line(key)}: {_top_level(key, value)}" for key, value in record.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n" if lines else "{}\n"


def _top_level(key: str, value: object) -> str:
    if key == "turns" and isinstance(value, list) and value:
        turns = [f"{_STEP * 2}{_turn(turn)}" for turn in value]
        return "[\n" + ",\n".join(turns) + f"\n{_STEP}]"
    return _spread(value, _STEP)


def _turn(turn: object) -> str:
    """A turn opens on a line with its player; its actions follow, one per line whatever they contain."""
    if not isinstance(turn, dict):
        return _spread(turn, _STEP * 2)
    parts = []
    for key, value in turn.items():
        text = _one_line(value)
        if key == "actions" and isinstance(value, list) and value:
            actions = [f"{_STEP * 3}{_one_line(action)}" for action in value]
            text = "[\n" + ",\n".join(actions) + f"\n{_STEP * 2}]"
        parts.append(f"{_one_line(key)}: {text}")
    return "{" + ", ".join(parts) + "}"


def _spread(value: object, indent: str) -> str:
    inner = indent + _STEP
    if isinstance(value, dict) and _holds_containers(list(value.values())):
        parts = [f"{inner}{_one_line(key)}: {_spread(part, inner)}" for key, part in value.items()]
        return "{\n" + ",\n".join(parts) + f"\n{indent}}}"
    if isinstance(value, list) and _holds_containers(value):
        if all(map(_is_cell, value)):
            rows = [", ".join(map(_one_line, row)) for _, row in groupby(value, key=lambda cell: cell[1])]
            return "[\n" + ",\n".join(inner + row for row in rows) + f"\n{indent}]"
        parts = [f"{inner}{_spread(part, inner)}" for part in value]
        return "[\n" + ",\n".join(parts) + f"\n{indent}]"
    return _one_line(value)


def _is_cell(value: object) -> bool:
    """Whether this is a cell of a position, with what lies on it."""
    return isinstance(value, list) and [type(part) for part in value] == [int, int, list]


def _holds_containers(parts: list[object]) -> bool:
    return any(isinstance(part, dict | list) for part in parts)


def _one_line(value: object) -> str:
    return dump_json(value, spaced=True)
