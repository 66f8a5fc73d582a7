"""Games of Othello from WTHOR archives, each in one line of text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pwtool.records.importers.formats import Actions, Draft, GameText
from pwtool.records.importers.stated import has_board, is_called
from pwtool.text.speech import Told

if TYPE_CHECKING:
    from pwtool.play.game import Game

_GAME = re.compile(r"(\d+), tournament (\d+), (\d+) - (\d+), (\d+) \((\d+)\): (.*)", re.DOTALL)
_FILE = re.compile(r"board (\d+), solitaires (\d+), games (\d+): (\d+) and (\d+) bytes")
_ALL = 64
_RULESET = "othello"
_OTHERWISE = Told("this is a game of {name}, and the ruleset is called otherwise", name=_RULESET)
_ACTIONS: Mapping[str, Actions] = {
    "--": ({"action": "pass"},),
    **{f"{'abcdefgh'[x]}{y + 1}": ({"action": "lay", "at": [x, y]},) for x in range(8) for y in range(8)},
}
"""The actions of turns, which all games share."""


def read_wthor(notes: GameText) -> dict[str, object] | None:
    """The record of one game."""
    game = _GAME.fullmatch(notes.text)
    if game is None:
        _report_file(notes)
        return None
    year, tournament, black, white, discs, best, moves = game.groups()
    begin = game.start(7)
    if int(discs) > _ALL:
        notes.problem(game.start(5), game.end(5), Told("there are only {count} discs", count=_ALL))
        return None
    try:
        draft = _drafted(int(black), int(white), int(discs), moves.split())
    except KeyError as unknown:
        word = str(unknown.args[0])
        at = begin + 3 * moves.split().index(word)
        message = Told("a move is missing") if word == "?0" else Told("`{text}` is not a cell", text=word[1:])
        notes.problem(at, at + len(word), message)
        return None
    notes.place_turns(lambda: _places(begin, len(draft.turns)))
    notes.places["result",] = notes.span(game.start(5), game.end(5))
    _state_rules(notes)
    tags = {"Year": year, "Tournament": tournament, "Black": black, "White": white, "Theoretical": best}
    return {**draft.record(), "meta": tags}


def draft_wthor(notes: GameText, black: int, white: int, discs: int, words: list[str]) -> Draft | None:
    """A game in which nothing is damaged: the numbers of the players, Black's discs, and the moves."""
    if discs > _ALL:
        return None
    _state_rules(notes)
    try:
        return _drafted(black, white, discs, words)
    except KeyError:
        return None


def _drafted(black: int, white: int, discs: int, words: list[str]) -> Draft:
    """A game. Raises `KeyError` with what is not a move."""
    names = [f"Player {black}", f"Player {white}"] if black != white else ["Black", "White"]
    turns = [*map(_ACTIONS.__getitem__, words)]
    return Draft(_RULESET, names, turns, result=_result(discs, _ALL - 4 - len(words) + words.count("--"), names))


def _report_file(notes: GameText) -> None:
    """Report what is wrong with the file as a whole."""
    found = _FILE.fullmatch(notes.text)
    if found is None:
        notes.report("PW704", notes.locate(()), Told("this is shorter than the header of a WTHOR file"))
        return
    size, solitaires, told, count, rest = map(int, found.groups())
    span = notes.span(0, len(notes.text))
    if solitaires:
        notes.report("PW704", span, Told("what the file contains are solitaires, not games"))
    elif size != 8:
        message = Told(
            "{count} game is played on a board of {size} lines, for which there is no ruleset",
            "{count} games are played on a board of {size} lines, for which there is no ruleset",
            count, size=size,
        )  # fmt: skip
        notes.report("PW704", span, message)
    elif told != count or rest:
        message = Told("the header counts {told} games, but the file has {count}", told=told, count=count)
        if rest:
            message = Told("behind {count} games, {rest} bytes are left: the file is cut off", count=count, rest=rest)
        notes.report("PW704", span, message)
    else:
        notes.report("PW704", span, Told("the file contains no game"))


def _places(begin: int, count: int) -> Iterator[tuple[int, int]]:
    """Where the moves are: each takes two characters and a space."""
    return ((at, at + 2) for at in range(begin, begin + 3 * count, 3))


def _result(discs: int, empty: int, names: list[str]) -> dict[str, object]:
    """What Black's discs say of the score: the winner gets the empty cells, which the rules do not count. If the game is
    not over, nobody knows what the board would have been, and the score is not compared.
    """
    black, white = discs, _ALL - discs
    if black > white:
        black -= empty
    elif white > black:
        white -= empty
    else:
        black, white = black - empty // 2, white - (empty - empty // 2)
    ranking = [names] if 2 * discs == _ALL else [names[:1], names[1:]] if 2 * discs > _ALL else [names[1:], names[:1]]
    return {"scores": dict(zip(names, (black, white), strict=True)), "ranking": ranking, "stopped": "unknown"}


def _state_rules(notes: GameText) -> None:
    """Note the game: the ruleset may be chosen by somebody who did not read the file."""
    notes.state(notes.locate(()), _is_othello, _OTHERWISE)


def _is_othello(game: Game) -> bool:
    return is_called(game, _RULESET) and has_board(game, 8, 8)
