"""Games of checkers in PDN.

A move names the squares from which and to which a man goes, of a capture perhaps also those between. It is read as what it
says, whether or not the rules allow it, and judging is left to the rules. Only the way of a capture of which squares are
left out needs the board: it is the one with which the rules would be satisfied.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from pwtool.records.importers.formats import Draft, GameText, ToldResult
from pwtool.records.importers.pdn_board import CELLS, LAST, MEN, SIGNS, SQUARES, START, Board, is_capture
from pwtool.records.importers.pdn_plain import TURNS, actions_of, turns_of
from pwtool.records.importers.stated import Stated, is_called
from pwtool.records.importers.tagged_games import (
    STOPPED,
    TAGS,
    TurnReader,
    compare_results,
    find_result,
    player_names,
    read_tags,
    tokens,
    tokens_of,
)
from pwtool.records.words import FORMAT
from pwtool.text.regex import regex
from pwtool.text.source import Span
from pwtool.text.speech import Told
from pwtool.text.words import shorten

if TYPE_CHECKING:
    from pwtool.play.game import Game

RESULTS = r"1-0|0-1|1/2-1/2|2-0|0-2|1-1|0-0"
"""How a result is written, as a pattern."""

_RULESET = "checkers"
_ENGLISH = "21"
_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "20": "international draughts", "22": "Italian draughts", "23": "American pool checkers",
        "24": "Spanish draughts", "25": "Russian draughts", "26": "Brazilian draughts", "27": "Canadian draughts",
        "28": "Portuguese draughts", "29": "Czech draughts", "30": "Turkish draughts", "31": "Thai draughts",
        "40": "Frisian draughts", "41": "Spantsiretti draughts",
    }
)  # fmt: skip
"""Other games that `GameType` names by a number (PDN 3.0, GameType tag)."""
_TYPE = regex(r"\s*(\d{1,3})\s*(?:,\s*([WB])\s*,\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*(\w+)\s*(?:,\s*(\w+)\s*)?)?)?")
_TOKENS = tokens_of(
    # The star may also separate games.
    results=rf"\*\s+(?:{RESULTS})|(?:{RESULTS})\s+\*|{RESULTS}|\*",
    move=r"\d{1,2}(?:[ \t]*[-xX:][ \t]*\d{1,2})+(?![^\s{};()$!?*])\*?|/[^/]*/|[^\s{};()$!?]+",
    mark=r"[!?]{1,2}|\([!?]{1,2}\)",
    bare=r"\d{1,3}(?![ \t]*[-xX:])",
)
_MOVE = regex(r"(?P<squares>\d{1,2}(?:\s*(?P<sign>[-xX:])\s*\d{1,2})+|\d{4})(?P<star>\*?)")
_FEN = regex(
    r"\s*([BW])?\s*:\s*([BW])([^:]*):\s*([BW])([^:]*?)\s*(?::\s*H(\d{1,3}))?\s*(?::\s*F(\d{1,4}))?", re.IGNORECASE
)
"""A position: the side whose turn it is, the pieces of both, and as some programs write it the quiet moves and the number
of the next move.
"""
_PIECES = regex(r"(K?)(\d{1,2})(?:-(\d{1,2}))?", re.IGNORECASE)
MOST_QUIET = 80
"""As far as the ruleset counts moves without a capture and with kings alone."""
_FIRST, _SECOND, _DRAW, _BOTH_LOST = range(4)


_NUMBERS: Sequence[str] = [f"{number}." for number in range(1, 1000)]
_RESULTS: Mapping[str, int] = MappingProxyType(
    {
        "1-0": _FIRST, "2-0": _FIRST, "0-1": _SECOND, "0-2": _SECOND, "1/2-1/2": _DRAW, "1-1": _DRAW,
        "0-0": _BOTH_LOST,
    }
)  # fmt: skip
"""Whose points a result puts first, or that nobody won or both lost."""


@dataclass(frozen=True, slots=True)
class Position:
    """A first position: what stands on each square, whether it is the turn of the side that moves first in a game, how many
    moves were quiet, and the number of the next one.
    """

    pieces: Sequence[int] = START
    is_first: bool = True
    quiet: int = 0
    number: int = 1

    @property
    def is_usual(self) -> bool:
        """Whether this is the beginning of a game."""
        return self.is_first and not self.quiet and [*self.pieces] == [*START]

    @property
    def before(self) -> int:
        """The number of turns before it."""
        return 2 * (self.number - 1) + (not self.is_first)


def read_pdn(notes: GameText) -> dict[str, object] | None:
    """The record of one game."""
    tags, at = read_tags(notes.text, notes)
    first = first_side(tags, notes)
    position = _first_position(tags, first, notes)
    if position is None or notes.problems:
        return None
    moves = _Moves(player_names(tags, sides_of(tags, first)), notes, None if position.is_usual else position)
    for token in tokens(notes.text, at, notes, _TOKENS):
        moves.read(token)
    moves.close()
    if not tags and not moves.turns and not notes.problems:
        notes.report("PW704", notes.locate(()), Told("the file contains no game"))
    return _whole(tags, first, moves, notes, position)


def draft_pdn(told_tags: str, moves: str) -> Draft | None:
    """A plain game: the lines of its tags, and its moves; None if only `read_pdn` can tell."""
    found = TAGS.findall(told_tags)
    tags, words = dict(found), moves.split()
    if not words or len(tags) < len(found) or not tags.keys().isdisjoint(("FEN", "SetUp", "Setup")):
        return None
    end = words.pop() if words[-1] in _RESULTS or words[-1] == "*" else "*"
    told = find_result(tags, end, _RESULTS)
    if told is None or tags.get("GameType", _ENGLISH) != _ENGLISH:
        return None
    numbers = words[::3]
    # A number alone is no move.
    if numbers != _NUMBERS[: len(numbers)] or len(words) % 3 == 1:
        return None
    del words[::3]
    turns = turns_of(words)
    if turns is None:
        return None
    # If White's points are written first, and the game is over, the rules refuse this result: it is no draft then.
    result = _result(_RESULTS[told], STOPPED.get(tags.get("Termination", "").casefold(), "unknown")) if told else None
    return Draft(_RULESET, player_names(tags, sides_of(tags, "B")), turns, TURNS, result=result, stated=_STATED)


def sides_of(tags: Mapping[str, str], first: str) -> tuple[str, str]:
    """The tags with the players in the order of their moves. The first side is red in some files."""
    sides = ("Red" if "Red" in tags and "Black" not in tags else "Black", "White")
    return sides if first == "B" else sides[::-1]


def _whole(
    tags: dict[str, str], first: str, moves: _Moves, notes: GameText, position: Position | None = None
) -> dict[str, object] | None:
    """The record with its turns and result; None if something was reported."""
    end = moves.result.strip("* \t\r\n")
    told = compare_results(tags, end, _RESULTS, notes)
    if notes.problems:
        return None
    notes.stated += _STATED
    record: dict[str, object] = {"format": FORMAT, "ruleset": _RULESET, "players": moves.names, "meta": tags}
    if position is not None and not position.is_usual:
        record["start"] = _start(position, moves.names, moves.before + 1)
        notes.places["start",] = notes.locate(("meta", "FEN"))
    if moves.comment:
        record["comment"] = moves.comment
    record["turns"] = moves.turns
    if told:
        notes.places["result",] = notes.span(*moves.end) if end == told else notes.locate(("meta", "Result"))
        stopped = STOPPED.get(tags.get("Termination", "").casefold(), "unknown")
        record["result"] = _result(_meant(told, first, moves), stopped).record(moves.names)
    return record


def first_side(tags: dict[str, str], notes: GameText) -> str:
    """The side that moves first, `B` or `W`; a finding if the tag `GameType` names another game."""
    told = tags.get("GameType")
    if told is None or told.strip() in ("", "?"):
        return "B"
    place = notes.locate(("meta", "GameType"))
    known = _TYPE.fullmatch(told)
    if known is None:
        notes.report(
            "PW704",
            place,
            Told("`{text}` is not a kind of game", text=shorten(told, 80)),
            Told('{name} is `[GameType "21"]`', name=_RULESET),
        )
        return "B"
    number, first, width, height, squares, _ = known.groups()
    if number != _ENGLISH:
        name = _KINDS.get(number)
        message = (
            Told("this is a game of {name}, for which there is no ruleset", name=name)
            if name is not None
            else Told("games of the kind `{number}` are not read", number=number)
        )
        notes.report("PW704", place, message, Told("games of {name} (kind 21) are read", name=_RULESET))
    elif (width or "8", height or "8") != ("8", "8") or squares not in (None, "N1"):
        message = Told(
            "{name} is played on a board of 8x8 whose squares are numbered from the first side's right ({spec})",
            name=_RULESET,
            spec="`21,B,8,8,N1,0`",
        )
        notes.report("PW704", place, message)
    return first or "B"


def _first_position(tags: dict[str, str], first: str, notes: GameText) -> Position | None:
    """The position before the first move; None, and a finding, if it is not known."""
    fen = tags.get("FEN")
    if fen is None:
        if tags.get("SetUp", tags.get("Setup", "0")) != "0":
            tag = "SetUp" if "SetUp" in tags else "Setup"
            notes.report("PW704", notes.locate(("meta", tag)), Told("the tag `FEN` with the first position is missing"))
            return None
        return Position()
    place = notes.locate(("meta", "FEN"))
    position = position_of(fen, first)
    if position is None:
        notes.report("PW704", place, Told("this is not a position: {error}", error=f"`{shorten(fen, 80)}`"))
        return None
    for piece in (1, -1):
        if sum(other * piece > 0 for other in position.pieces) > MEN:
            notes.report("PW704", place, Told("a side has more than {count} pieces", count=MEN))
            return None
        uncrowned = next((n for n in LAST[piece] if position.pieces[n] == piece), None)
        if uncrowned is not None:
            told = Told("the man on {square} would be a king there", square=uncrowned)
            notes.report("PW704", place, told, Told("a king is written as in {king}", king=f"`K{uncrowned}`"))
            return None
    return position


def position_of(fen: str, first: str) -> Position | None:
    """The position of a FEN such as `B:W21-32:BK1,2,3.`; None if it is none."""
    found = _FEN.fullmatch(fen.strip().rstrip("."))
    if found is None or found[2].upper() == found[4].upper():
        return None
    board = [0] * (SQUARES + 1)
    for side, squares in ((found[2], found[3]), (found[4], found[5])):
        sign = 1 if side.upper() == first else -1
        for piece in filter(None, (part.strip() for part in squares.split(","))):
            known = _PIECES.fullmatch(piece)
            if known is None:
                return None
            begin = int(known[2])
            end = int(known[3] or begin)
            if not 1 <= begin <= end <= SQUARES or any(board[begin : end + 1]):
                return None
            board[begin : end + 1] = [sign * (2 if known[1] else 1)] * (end + 1 - begin)
    is_first = (found[1] or first).upper() == first
    return Position(board, is_first, min(int(found[6] or 0), MOST_QUIET), max(1, int(found[7] or 1)))


def _start(position: Position, names: Sequence[str], turn: int) -> dict[str, object]:
    """A position as the start of a record; what is not on the board was taken."""
    pieces = [SIGNS[piece] for piece in position.pieces]
    return {
        "player": names[not position.is_first],
        "turn": turn,
        "zones": {
            "board": [[*CELLS[n], [code]] for n, code in enumerate(pieces) if code],
            "taken": [side for side in "bw" for _ in range(MEN - sum(code.startswith(side) for code in pieces))],
        },
        "variables": {"quiet": position.quiet, "mover": names[position.is_first]},
    }


_OTHERWISE = Told("this is a game of {name}, and the ruleset is called otherwise", name=_RULESET)
_OTHER_JUMPS = Told(
    "this is a game of {name} in which one jumps over the next square, and the ruleset has other jumps", name=_RULESET
)
_CHOOSE = Told("choose a ruleset with --rules that has it")


def _is_checkers(game: Game) -> bool:
    return is_called(game, _RULESET)


def _jumps_over_the_next(game: Game) -> bool:
    jump = game.ruleset.actions.get("jump")
    return jump is None or [parameter.name for parameter in jump.parameters] == ["start", "over"]


_STATED = (Stated(_is_checkers, None, _OTHERWISE), Stated(_jumps_over_the_next, None, _OTHER_JUMPS, _CHOOSE))
"""What game it is: the ruleset may be chosen by somebody who did not read the file."""


def _meant(told: str, first: str, moves: _Moves) -> int:
    """What a result means. In archives of checkers, the points of the side that moves first are written first; other files
    have White's first, as in chess. If the game is over and only the latter is true, it is meant.
    """
    winner = _RESULTS[told]
    if winner == _BOTH_LOST:
        moves.notes.left_out[told] += 1
    count = moves.before + len(moves.turns)
    if winner in (_FIRST, _SECOND) and first == "B" and winner == count % 2 and moves.is_over():
        winner = 1 - winner
        message = Told("`{result}` is only true if White's points are written first", result=told)
        moves.notes.warn("PW718", moves.notes.locate(("result",)), message)
    return winner


@cache
def _result(means: int, stopped: str) -> ToldResult:
    """A result for players in the order of their moves."""
    if means == _BOTH_LOST:
        return ToldResult(stopped="forfeit" if stopped == "unknown" else stopped)
    return ToldResult(((0, 1),) if means == _DRAW else ((means,), (1 - means,)), stopped=stopped)


class _Moves(TurnReader):
    """The turns of a game, and the board, on which the ways of captures are found."""

    def __init__(self, names: Sequence[str], notes: GameText, position: Position | None = None) -> None:
        super().__init__(names, notes, None if position is None else position.before)
        self._board = Board() if position is None else Board(position.pieces)
        self._goes_on_from = 0

    def is_over(self) -> bool:
        """Whether the side whose turn it is cannot move."""
        return not (self._goes_on_from or self._board.can_move(self._side()))

    def close(self) -> None:
        """End the last turn: a record may stop within a turn, but a move that is written is a whole one."""
        if self._goes_on_from:
            at = len(self.turns)
            self.notes.places["turns", at] = self.notes.locate(("turns", at - 1))
            self.turns.append({"player": self.names[(self.before + at) % 2], "actions": []})

    def move(self, word: str, span: Span) -> None:
        squares = self._squares(word, span)
        if not squares:
            return
        way = self._way(squares, span)
        if not way:
            return
        if is_capture(way) and way[0] == self._goes_on_from:
            self._add_to_turn(actions_of(way), span)
        else:
            is_step = len(way) == 2 and not is_capture(way)
            if is_step and any(sign in word for sign in "xX:") and self._board.can_step(way[0], way[1], self._side()):
                self.notes.warn("PW718", span, Told("`{san}` captures nothing", san=word))
            self.add(actions_of(way), span)
        self._goes_on_from = self._board.play(way)

    def _side(self) -> int:
        """The side whose turn it is, as on the board."""
        return -1 if (self.before + len(self.turns)) % 2 else 1

    def _squares(self, word: str, span: Span) -> list[int]:
        """The squares that a move names; none, and a finding, if it is not one."""
        if word.startswith("/"):
            self.notes.report("PW704", span, Told("a position is set up, which a record has no place for"))
            return []
        found = _MOVE.fullmatch(word)
        told = found["squares"] if found else ""
        numbers = re.findall(r"\d+", told) if found and found["sign"] else [told[:2], told[2:]]
        squares = [int(number) for number in numbers if number]
        if found is not None and all(1 <= square <= SQUARES for square in squares):
            if found["star"]:
                self.notes.left_out["*"] += 1
            return squares
        large = next((square for square in squares if square > SQUARES), None)
        help_line = (
            Told("moves are written as in `11-15`, `15x24` or `15x24x31`")
            if large is None
            else Told(
                "{name} has no square {number}; the tag `GameType` names another game", name=_RULESET, number=large
            )
        )
        self.notes.report("PW704", span, Told("`{san}` is not a move", san=shorten(word, 80)), help_line)
        return []

    def _way(self, squares: list[int], span: Span) -> list[int]:
        """All squares on which the piece stands one after the other: those that are named, or by the rules also others
        between them. None, and a finding, if there are several ways.
        """
        ways = self._board.meant(squares)
        is_due = self._board.pieces[squares[0]] * self._side() > 0 and self._goes_on_from in (0, squares[0])
        if len(ways) == 1 or not is_due:
            # The rules refuse every move of a piece whose turn it is not.
            return ways[0]
        told = [" and ".join(map(str, way[1:-1])) for way in ways[:4]]
        message = Told(
            "`{word}` can go over {ways}",
            word=self.notes.text[span.start : span.end], ways=" or over ".join(told),
        )  # fmt: skip
        self.notes.report("PW704", span, message, Told("write the squares between, as in `15x24x31`"))
        return []

    def _add_to_turn(self, actions: list[dict[str, object]], span: Span) -> None:
        """Add the rest of a capture that is written in several parts, as in `11x18 18x25`."""
        at = len(self.turns) - 1
        before = self.turns[at]["actions"]
        assert isinstance(before, list)
        for action in actions:
            self.notes.places["turns", at, "actions", len(before)] = span
            before.append(action)
        self._last = actions[-1]
