"""Removes from the comparison of two rules the differences that never occur in play."""

from __future__ import annotations

from dataclasses import replace

from pwtool.comparing.row import Row, sides_of
from pwtool.comparing.turn_reachability import Reach, Reachability
from pwtool.play.game import Game

_KINDS = ("turn", "rule", "action")
DOMAIN = "all turns and their variables"


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
        proof = f"no game shows it: {DOMAIN}"
        return replace(row, nature="wording", status="no_effect", direction="", proof=proof, example="")
    if row.kind == "turn" and row.example:
        # A turn that only the order allows may be ruled out by a rule: a turn that can occur is the better example.
        words = dict(zip(sides, row.example.split(" / "), strict=True))
        words |= {side: " ".join(r.turn) for side, r in reached.items() if r is not None and r.turn is not None}
        row = replace(row, example=" / ".join(words[side] for side in left))
    if len(left) == len(sides):
        return row
    allows = ("first", "second")[1 - left[0]]
    proof = "; ".join(filter(None, (row.proof, f"that the {allows} allows nothing more: {DOMAIN}")))
    return replace(row, direction=("stricter", "permissive")[left[0]], proof=proof)


def _never(found: Reach | None) -> bool:
    return found is not None and found.turn is None
