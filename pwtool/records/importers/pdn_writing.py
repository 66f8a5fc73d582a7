"""Games of checkers as PDN."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from pwtool.records.importers.formats import GameText, NoForm
from pwtool.records.importers.pdn_board import NUMBERS, OVER, SIGNS, Board, sign_of
from pwtool.records.importers.pdn_reading import Position, first_side, position_of, sides_of
from pwtool.records.importers.positions import known_variables, pieces_on_board
from pwtool.records.importers.tagged_writing import DRAW, notes_of, variant_of, write_game, written_move, written_result
from pwtool.text.source import SourceFile
from pwtool.text.speech import Told

__all__ = ["name_move", "write_pdn"]

_VARIANTS = ("", "open_spiel")
"""Of the ruleset, with the same moves."""
_PIECES: Mapping[str, int] = MappingProxyType({code: piece for piece, code in SIGNS.items() if piece})
_TYPES = MappingProxyType({"B": "21", "W": "21,W,8,8,N1,0"})
"""The kind of game by the side that moves first."""


def write_pdn(record: Mapping[str, Any]) -> str:
    """A record as a game in PDN. Raises `NoForm` for what PDN has no form for."""
    variant_of(record, "PDN", "checkers", _VARIANTS)
    tags, doubts = notes_of(record), GameText(SourceFile("", ""))
    first = first_side(tags, doubts)
    position = _first_position(record)
    moves = _Moves(position)
    turns = record["turns"]
    unwritten = next((at for at, turn in enumerate(turns) if not moves.add(turn["actions"])), None)
    if moves.goes_on_from and not moves.is_stopped:
        unwritten = len(turns) - 1
    if unwritten is not None:
        number = record.get("start", {}).get("turn", 1) + unwritten
        raise NoForm(Told("PDN has no form for turn {turn}", turn=number), ("turns", unwritten))
    is_start = not position.is_usual
    own = {
        "GameType": _TYPES[first] if doubts.problems else tags.get("GameType", _TYPES[first]),
        "FEN": _fen(position, first) if is_start else "",
    }
    told = position_of(tags.get("FEN", ""), first)
    if told is not None and _is_same(told, position):
        own["FEN"] = tags["FEN"]
    return write_game(record, sides_of(tags, first), own, moves.words, _result(record, moves))


def _is_same(one: Position, other: Position) -> bool:
    """Whether two positions are the same. The number of the move stands beside that of quiet moves, if there are some."""
    sides = [(p.is_first, p.quiet, [*p.pieces], p.number if p.quiet else 0) for p in (one, other)]
    return sides[0] == sides[1]


def _result(record: Mapping[str, Any], moves: _Moves) -> str:
    """What the record says of the result, or what the rules make of the end."""
    result = written_result(record)
    if result:
        return result
    if record.get("result", {}).get("stopped") == "forfeit":
        return "0-0"
    if moves.is_claimed:
        return DRAW
    return ("0-1", "1-0")[moves.before % 2] if moves.is_legal and not moves.can_go_on() else "*"


def _first_position(record: Mapping[str, Any]) -> Position:
    start = record.get("start")
    if start is None:
        return Position()
    pieces = [0] * len(Position().pieces)
    no_form = Told("PDN has no form for this position")
    for cell, code in pieces_on_board(start, _PIECES, no_form):
        if cell not in NUMBERS:
            raise NoForm(no_form, ("start", "zones", "board"))
        pieces[NUMBERS[cell]] = _PIECES[code]
    is_first = start["player"] == record["players"][0]
    number = (start.get("turn", 1) + 1) // 2
    return Position(pieces, is_first, known_variables(start, no_form).get("quiet", 0), number)


def _fen(position: Position, first: str) -> str:
    """A position as a tag says it; counters only if there is something to count."""
    second = "W" if first == "B" else "B"
    sides = []
    for side, sign in ((first, 1), (second, -1)):
        placed = ((n, piece * sign) for n, piece in enumerate(position.pieces))
        sides.append(side + ",".join(f"K{n}" if piece == 2 else str(n) for n, piece in placed if piece > 0))
    counted = f":H{position.quiet}:F{position.number}" if position.quiet else ""
    # White's pieces stand first in both.
    sides.sort(reverse=True)
    return f"{first if position.is_first else second}:{':'.join(sides)}{counted}"


class _Moves:
    """The words of a game, and the board on which they are read: each names as few squares as tell the move."""

    def __init__(self, position: Position) -> None:
        self.words: list[str] = []
        self.before, self.goes_on_from, self.is_claimed, self.is_stopped = position.before, 0, False, False
        self.is_legal = True
        """Whether the rules allow all moves: what they make of the end means nothing after one that they refuse."""
        self._board = Board(position.pieces)

    def can_go_on(self) -> bool:
        """Whether the side whose turn it is can move."""
        return bool(self.goes_on_from) or self._board.can_move(self._side)

    @property
    def _side(self) -> int:
        return -1 if self.before % 2 else 1

    def add(self, actions: list[Mapping[str, Any]]) -> bool:
        """Add a turn; False for one that would not be read as it is."""
        played = [action for action in actions if action["action"] != "claim"]
        self.is_claimed = self.is_claimed or len(played) < len(actions)
        if not played and not self.is_stopped and bool(self.goes_on_from) != bool(actions):
            # A claim is no move. Behind a capture that has to go on, the reader puts an empty turn.
            self.is_stopped = True
            return True
        way = None if self.is_stopped else _way(played)
        if way is None or way[0] == self.goes_on_from:
            return False
        named = next((some for some in ([way[0], way[-1]], way) if self._board.meant(some) == [way]), None)
        if named is None:
            return False
        comments = " ".join(action["comment"] for action in played if action.get("comment"))
        word = sign_of(way).join(map(str, named))
        self.words += written_move(word, self.before, {**played[-1], "comment": comments}, is_begin=not self.words)
        self.is_legal = self.is_legal and self._board.is_legal(way, self._side)
        self.goes_on_from = self._board.play(way)
        self.before += 1
        return True


def _way(actions: list[Mapping[str, Any]]) -> list[int] | None:
    """The squares on which a piece stands one after the other; None if these actions are no move that can be written."""
    way: list[int] = []
    for action in actions:
        start, over = NUMBERS.get(tuple(action["start"])), tuple(action.get("over", ()))
        to = tuple(action["target"]) if action["action"] == "step" else _behind(action["start"], action["over"])
        if start is None or to not in NUMBERS or (way and way[-1] != start):
            return None
        if OVER.get((start, NUMBERS[to])) != NUMBERS.get(over):
            return None
        way = [*(way or [start]), NUMBERS[to]]
    return way or None


def name_move(action: Mapping[str, Any], men: Collection[tuple[int, int]]) -> str | None:
    """What players call a step, or a jump, which with flying kings names the square behind; None if it is no such move. `men` are the
    cells on which somebody stands.
    """
    if action["action"] not in ("step", "jump"):
        return None
    to = tuple(action["target"]) if "target" in action else _behind(action["start"], action["over"])
    squares = [NUMBERS[cell] for cell in (tuple(action["start"]), to) if cell in NUMBERS]
    if len(squares) < 2:
        return None
    # Over a man the capture is another action.
    between = OVER.get((squares[0], squares[1]))
    is_step = between is not None and action["action"] == "step" and any(NUMBERS.get(cell) == between for cell in men)
    return ("-" if is_step else sign_of(squares)).join(map(str, squares))


def _behind(start: list[int], over: list[int]) -> tuple[int, int]:
    return 2 * over[0] - start[0], 2 * over[1] - start[1]
