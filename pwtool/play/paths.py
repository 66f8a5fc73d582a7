"""Places in a record: where its beginning and its turns stand."""

from __future__ import annotations

from pwtool.play.finding import Path
from pwtool.play.play import Play
from pwtool.play.record import Record


def beginning(record: Record) -> Path:
    """The place of what comes before the turns."""
    return ("setup",) if record.start is None else ("start",)


def turn_of(play: Play, record: Record) -> int | None:
    """The index of the turn under way among those of a record; None if the first has not begun."""
    return play.turn - record.first if play.turn >= record.first else None


def turn_path(record: Record, number: int) -> Path:
    """The place of a turn in the file."""
    index = record.turns[number].index
    return ("turns", number if index is None else index)
