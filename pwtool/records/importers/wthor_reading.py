"""Games of Othello from WTHOR archives, each in one line of text."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, MutableSequence, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from pwtool.records.importers.formats import Actions, Draft, GameText, ToldResult
from pwtool.records.importers.stated import Stated, has_board, is_called
from pwtool.records.importers.wthor_passes import NOT_OVER, play_moves
from pwtool.text.speech import Told

if TYPE_CHECKING:
    from pwtool.play.game import Game

T = TypeVar("T")

_GAME = re.compile(r"(\d+), tournament (\d+), (\d+) - (\d+), (\d+) \((\d+)\): (.*)", re.DOTALL)
_OTHER = re.compile(r"board (\d+), solitaire (\d+): .*")
_FILE = re.compile(r"games (\d+): (\d+) and (\d+) bytes")
_ALL = 64
_RULESET = "othello"
_OTHERWISE = Told("this is a game of {name}, and the ruleset is called otherwise", name=_RULESET)
_PASS = "--"
_ACTIONS: Mapping[str, Actions] = {
    _PASS: ({"action": "pass"},),
    **{f"{'abcdefgh'[x]}{y + 1}": ({"action": "lay", "at": [x, y]},) for x in range(8) for y in range(8)},
}
"""The actions of turns by the words of a game's text."""
_NO_CELL = 0
_BYTE_OF = {f"{'abcdefgh'[x]}{y + 1}": 10 * (y + 1) + x + 1 for x in range(8) for y in range(8)} | {_PASS: _NO_CELL}
"""How a file has the words; of a pass it has nothing."""
_BYTES: Mapping[int, Actions] = {byte: _ACTIONS[word] for word, byte in _BYTE_OF.items()}
_CELL_BYTES = bytes(set(_BYTES) - {_NO_CELL})


def read_wthor(notes: GameText) -> dict[str, object] | None:
    """The record of one game."""
    game = _GAME.fullmatch(notes.text)
    if game is None:
        _report_other(notes)
        return None
    year, tournament, black, white, discs, best, moves = game.groups()
    begin = game.start(7)
    if int(discs) > _ALL:
        notes.problem(game.start(5), game.end(5), Told("there are only {count} discs", count=_ALL))
        return None
    words = moves.split()
    word = next((word for word in words if word not in _ACTIONS), None)
    if word is not None:
        at = begin + 3 * words.index(word)
        message = Told("a move is missing") if word == "?0" else Told("`{text}` is not a cell", text=word[1:])
        notes.problem(at, at + len(word), message)
        return None
    laid = [bytes([_BYTE_OF[word]]) for word in words if word != _PASS]
    [(_, counted)] = play_moves(laid or [b"\0"])
    told = _result(int(discs), counted, len(laid))
    draft = _drafted(int(black), int(white), told, words, _ACTIONS)
    notes.place_turns(lambda: _places(begin, len(words)))
    place = notes.places["result",] = notes.span(game.start(5), game.end(5))
    if counted != NOT_OVER and (right := _with_empty(counted, len(laid))) != int(discs):
        notes.remarks[place] = Told(
            "the file says {told}; with the empty cells for the winner, the board gives {right}",
            told=f"{discs}:{_ALL - int(discs)}", right=f"{right}:{_ALL - right}",
        )  # fmt: skip
    notes.stated += draft.stated
    tags = {"Year": year, "Tournament": tournament, "Black": black, "White": white, "Theoretical": best}
    return {**draft.record(), "meta": tags}


def draft_wthor(black: int, white: int, discs: int, moves: bytes, passes: int, counted: int) -> Draft | None:
    """A game in which nothing is damaged: the numbers of the players, Black's discs as the file has them, the cells of the
    moves as WTHOR has them, the moves before which the other side passes, as bits, and Black's discs on the board at the
    end, perhaps `NOT_OVER`.
    """
    if discs > _ALL or moves.translate(None, _CELL_BYTES):
        return None
    turns = bytearray(moves)
    insert_passes(turns, passes, _NO_CELL)
    return _drafted(black, white, _result(discs, counted, len(moves)), turns, _BYTES)


def insert_passes(turns: MutableSequence[T], passes: int, a_pass: T) -> None:
    """Put passes before the moves whose bits are set."""
    while passes:
        at = passes.bit_length() - 1
        turns.insert(at, a_pass)
        passes ^= 1 << at


def _drafted(
    black: int, white: int, result: ToldResult, turns: Sequence[Hashable], actions: Mapping[Any, Actions]
) -> Draft:
    names = [f"Player {black}", f"Player {white}"] if black != white else ["Black", "White"]
    return Draft(_RULESET, names, turns, actions, result=result, stated=_STATED)


def _report_other(notes: GameText) -> None:
    """Report what is wrong with a game of another kind, or with the file as a whole."""
    span = notes.span(0, len(notes.text))
    if other := _OTHER.fullmatch(notes.text):
        size, solitaire = map(int, other.groups())
        message = Told("the game is played on a board of {size} lines, for which there is no ruleset", size=size)
        if solitaire:
            message = Told("this is a solitaire, not a game")
        if solitaire > 1:
            message = Told("games of the kind `{number}` are not read", number=solitaire)
    elif found := _FILE.fullmatch(notes.text):
        told, count, rest = map(int, found.groups())
        message = Told("the header counts {told} games, but the file has {count}", told=told, count=count)
        if rest:
            message = Told("behind {count} games, {rest} bytes are left: the file is cut off", count=count, rest=rest)
        elif told == count:
            message = Told("the file contains no game")
    elif notes.text.startswith("begins"):
        message = Told("the file does not begin with the header of a WTHOR file")
    else:
        span, message = notes.locate(()), Told("this is shorter than the header of a WTHOR file")
    notes.report("PW704", span, message)


def _places(begin: int, count: int) -> Iterator[tuple[int, int]]:
    """Where the moves are: each takes two characters and a space."""
    return ((at, at + 2) for at in range(begin, begin + 3 * count, 3))


@cache
def _result(discs: int, counted: int, laid: int) -> ToldResult:
    """What Black's discs in the file say of the score. It has the empty cells, which the rules do not count, so the points
    are those of the board if the file is right about it. Otherwise, or if the game is not over, they are the file's.
    """
    points = (counted, 4 + laid - counted)
    if counted == NOT_OVER or _with_empty(counted, laid) != discs:
        points = (discs, _ALL - discs)
    ranking = ((0, 1),) if 2 * discs == _ALL else ((0,), (1,)) if 2 * discs > _ALL else ((1,), (0,))
    return ToldResult(ranking, points, "unknown")


def _with_empty(black: int, laid: int) -> int:
    """Black's points as a file has them: the winner gets the empty cells, and both get half of them in a draw."""
    white, empty = 4 + laid - black, _ALL - 4 - laid
    return black + (empty if black > white else empty // 2 if black == white else 0)


def _is_othello(game: Game) -> bool:
    return is_called(game, _RULESET) and has_board(game, 8, 8)


_STATED = (Stated(_is_othello, None, _OTHERWISE),)
"""What game it is: the ruleset may be chosen by somebody who did not read the file."""
