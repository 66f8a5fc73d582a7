"""Removes from the comparison of two rules the differences that never occur in play."""

from __future__ import annotations

from dataclasses import replace

from pwtool.comparing.row import Row, proven, sides_of
from pwtool.comparing.turn_reachability import Reach, Reachability
from pwtool.play.game import Game
from pwtool.text.speech import Told

_KINDS = ("turn", "rule", "action")
_NO_MORE = (
    Told("that the first allows nothing more: all turns and their variables"),
    Told("that the second allows nothing more: all turns and their variables"),
)


def settle_rows(first: Game, second: Game, rows: list[Row]) -> list[Row]:
    """The rows with the directions that some game can show, as far as turns can be followed: a rule may be looser as a formula and
    still allow nothing more, because another rule forbids it or its condition never occurs.
    """
    turns = (Reachability(first, second, rows), Reachability(second, first, rows))
    return [_settled(turns, row) for row in rows]


def _settled(turns: tuple[Reachability, Reachability], row: Row) -> Row:
    if row.nature != "semantic" or row.kind not in _KINDS or row.status == "undecided":
        return row
    sides = sides_of(row)
    reached = {side: turns[side].reach(row) for side in sides}
    left = [side for side in sides if not _never(reached[side])]
    if not left:
        never = Told("no game shows it: all turns and their variables")
        return replace(row, nature="wording", status="no_effect", direction="", proof=never, example="")
    if row.kind == "turn" and row.example:
        # A turn that only the order allows may be ruled out by a rule: a turn that can occur is the better example.
        words = dict(zip(sides, row.example.split(" / "), strict=True))
        words |= {side: " ".join(r.turn) for side, r in reached.items() if r is not None and r.turn is not None}
        row = replace(row, example=" / ".join(words[side] for side in left))
    if len(left) == len(sides):
        return row
    proof = proven(row.proof, _NO_MORE[1 - left[0]])
    return replace(row, direction=("stricter", "permissive")[left[0]], proof=proof)


def _never(found: Reach | None) -> bool:
    return found is not None and found.turn is None
