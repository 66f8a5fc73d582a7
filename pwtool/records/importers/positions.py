"""What lies on the board of a position from which a game begins that is written in the format of another program."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from pwtool.records.importers.formats import NoForm

__all__ = ["known_variables", "pieces_on_board"]

_BOARD = "start", "zones", "board"


def pieces_on_board(
    start: Mapping[str, Any], known: Container[str], no_form: str
) -> Iterator[tuple[tuple[int, int], str]]:
    """Each cell with the piece on it. Raises `NoForm` with this text if it is another piece than those that are known, such as one
    that nobody saw, or if there are several on a cell.
    """
    for x, y, pile in start["zones"].get("board", ()):
        if len(pile) > 1 or any(code not in known for code in pile):
            raise NoForm(no_form, _BOARD)
        for code in pile:
            yield (x, y), code


def known_variables(start: Mapping[str, Any], no_form: str) -> Mapping[str, Any]:
    """The variables of a position. Raises `NoForm` with this text if nobody knows one of them."""
    variables: Mapping[str, Any] = start.get("variables", {})
    for name, value in variables.items():
        if _is_unknown(value):
            raise NoForm(no_form, ("start", "variables", name))
    return variables


def _is_unknown(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(map(_is_unknown, value.values()))
    return any(map(_is_unknown, value)) if isinstance(value, list) else value == "?"
