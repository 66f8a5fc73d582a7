"""Recorded games, and the positions in them."""

from __future__ import annotations

from functools import cached_property
from sys import maxsize
from typing import Any

from pwtool.api.actions import Action, find_legal, make_action, read_action
from pwtool.api.given import text, whole_number
from pwtool.api.one_thread import alone
from pwtool.api.rules import RecordError, judge
from pwtool.api.verdicts import Result, Verdict, make_result, make_verdict
from pwtool.checking.documents import choose_rulebook, decode_loaded, known, load_document, unreadable
from pwtool.checking.report import FileResult, Played
from pwtool.ir.model import ZoneModel
from pwtool.play.game import Game as Engine
from pwtool.play.order import START
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY, Record, Start
from pwtool.play.score import score_game
from pwtool.play.selfplay import playable
from pwtool.play.stepping import step_through
from pwtool.records.encoding import encode_record, encode_state
from pwtool.records.inputs import Document
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.text import Diagnostic
from pwtool.text.words import quoted
from pwtool.why.drawing import draw_grid, draw_state, draw_zones, is_per_player, seen_by
from pwtool.why.names import Here, MoveNames
from pwtool.why.voice import PLAIN


def open_game(document: Document, ruleset_store: RulesetStore, address: str | None) -> Game:
    """Load a recorded game. Raises `RecordError` if it cannot be read or is a position."""
    verdict = judge(document, ruleset_store, address)
    if verdict.status == "unreadable":
        raise RecordError(verdict)
    loaded = load_document(document)
    assert not isinstance(loaded, FileResult), "it was read just now"
    found = choose_rulebook(loaded, ruleset_store, address)
    assert not isinstance(found, FileResult), "it was judged just now"
    whole, book, _ = found
    if whole.is_state:
        problem = Diagnostic("PW702", "this is a position, not a recorded game", whole.locate(("format",)))
        raise RecordError(make_verdict(unreadable(document.name, (problem,), book.game.ruleset.address)))
    record = decode_loaded(whole, book)
    assert not isinstance(record, FileResult), "it was read just now"
    return Game(book, record, verdict)


class Game:
    """A recorded game, played through as recorded; `verdict` says whether it is legal."""

    def __init__(self, book: Rulebook, record: Record, verdict: Verdict) -> None:
        self._book, self._record = book, record
        self.verdict = verdict

    @property
    def players(self) -> list[str]:
        """The names of the players, by seat."""
        return list(self._record.players)

    @property
    def turns(self) -> int:
        """The number of turns (or rounds) in the record."""
        return len(self._record.turns)

    @property
    def first(self) -> int:
        """The number of the first turn: 1 unless the game begins from a position with another."""
        return self._record.first

    @property
    @alone
    def record(self) -> dict[str, Any]:
        """The record as JSON."""
        return encode_record(self._book.game, self._record)

    @cached_property
    def _plays(self) -> tuple[list[Play], bool]:
        """The game before each turn and after the last one that was played through, and whether it stops within a
        turn.
        """
        replay, plays = step_through(self._book.game, self._record, self._book.legal)
        return plays, replay.within

    @alone
    def at(self, turn: int) -> Position:
        """The position at the beginning of a turn, by its number.

        `first + turns` is the end of the record; if the record stops within its last turn, that is a position within that
        turn. Turns that were not played through, after the end of the game or of what could be judged, do not change
        the position. Raises `IndexError` for other numbers.
        """
        turn = whole_number("turn", turn)
        if not self.first <= turn <= self._record.end:
            raise IndexError(f"there is no turn {turn}, the record has {self.turns} from turn {self.first} on")
        plays, within = self._plays
        at = min(turn - self.first, len(plays) - 1)
        return begun(self._book, plays[at], self.players, within and at == self.turns)

    @property
    def end(self) -> Position:
        """The position at the end of the record."""
        return self.at(self._record.end)


def begun(book: Rulebook, play: Play, names: list[str], within: bool = False) -> Position:
    """The position after the next turn has begun, unless the game is over or still `within` a turn."""
    play = play.copy()
    if not play.over and not within:
        play.begin_turn(play.next_player())
    return Position(book, play, names)


class Position:
    """An immutable position in a game, including the order of play. Playing returns a new position."""

    def __init__(self, book: Rulebook, play: Play, names: list[str]) -> None:
        self._book, self._play, self._names = book, play, names

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self._play.over

    @property
    def turn(self) -> int:
        """The number of the turn, starting from 1."""
        return self._play.turn

    @property
    def player(self) -> str | None:
        """The player whose turn it is; None in a round of all players, and when the game is over."""
        owner = self._play.owner
        return None if owner == EVERYBODY or self._play.over else self._names[owner]

    @property
    @alone
    def may_end_turn(self) -> bool:
        """Whether the turn may end here."""
        return not self.over and self._play.may_end_turn()

    @alone
    def legal(self, limit: int | None = None, language: str = "en") -> list[Action]:
        """The legal actions, at most `limit`, with texts in the given language. Raises `TooMuchWork` if finding them
        takes too many steps.
        """
        limit = None if limit is None else min(whole_number("limit", limit, 0), maxsize)
        text("language", language)
        play = self._play.copy()
        found: list[Action] = []
        with play.game.work.limited():
            for number, actor in play.all_steps():
                for arguments in play.arguments(number, actor, None if limit is None else limit - len(found)):
                    option = (number, actor, arguments)
                    found.append(make_action(self._book, play, self._names, option, language))
                if limit is not None and len(found) >= limit:
                    break
        return found

    @alone
    def called(self, action: Action) -> str | None:
        """What players call an action of the player whose turn it is, such as `Nf6`; None if they have no name for it.
        Raises `TypeError` if it is not an `Action`.
        """
        if not isinstance(action, Action):
            raise TypeError(f"an Action is needed, such as legal() returns, not {type(action).__name__}")
        option = read_action(self._book, self._play, self._names, action)
        if option is None or option[1] != self._play.owner:
            return None
        return self._here(self._game.action(option[0]), option[2])

    @cached_property
    def _here(self) -> Here:
        return MoveNames(self._game, self._names, PLAIN).here(self._play.state, self._play.owner)

    @property
    def _game(self) -> Engine:
        return self._book.game

    @alone
    def play(self, action: Action) -> Position:
        """The position after a legal action, taken from this position or from another one with the same action.

        Raises `ValueError` if the action is not legal here, `TypeError` if it is not an `Action`, and `Endless` or
        `OutOfBounds` if the rules go wrong.
        """
        if not isinstance(action, Action):
            raise TypeError(f"an Action is needed, such as legal() returns, not {type(action).__name__}")
        play = self._play.copy()
        option = find_legal(self._book, play, self._names, action)
        if option is None:
            raise ValueError(f"`{action}` is not legal here")
        with playable():
            play.do(*option)
        return Position(self._book, play, self._names)

    @alone
    def end_turn(self) -> Position:
        """The position at the beginning of the next turn. Raises `ValueError` if the turn may not end here, or the
        game is over, and `Endless` or `OutOfBounds` if the rules go wrong.
        """
        if not self.may_end_turn:
            raise ValueError("the game is over" if self.over else "the turn may not end here")
        play = self._play.copy()
        with playable():
            play.derive_consequences()
        play.end_turn()
        return begun(self._book, play, self._names)

    @alone
    def board(self, player: str | None = None, zone: str | None = None) -> str:
        """A text drawing of a zone: the grid, or the zone called `zone`; for zones per player that of `player`
        (default: the player whose turn it is). Raises `ValueError` for unknown names.
        """
        model = self._zone(None if zone is None else text("zone", zone))
        seat = self._play.state.player if player is None else self._seat(player)
        if model.kind == "grid" and is_per_player(model) == bool(model.dimensions):
            return "\n".join(draw_grid(self._game, model, self._play.state, seat if model.dimensions else 0))
        return "\n".join(draw_zones(self._game, model, self._play.state, self._names, seat)) or "-"

    def _seat(self, player: str) -> int:
        if player not in self._names:
            raise ValueError(f"there is no player {quoted([player])}, only {quoted(self._names)}")
        return self._names.index(player)

    def _zone(self, name: str | None) -> ZoneModel:
        zones = self._game.ruleset.zones
        found = zones.get(name) if name else next((z for z in zones.values() if z.kind == "grid"), None)
        if found is None:
            raise ValueError(f"there is no zone {quoted([name])}" if name else "the game has no grid")
        return found

    @alone
    def draw(self, viewer: str | None = None) -> str:
        """The whole position as text; with `viewer`, as this player sees it. Raises `ValueError` for an unknown name."""
        state = self._play.state
        if viewer is not None:
            state = seen_by(self._game, state, self._seat(viewer))
        return "\n".join(draw_state(self._game, state, self._names))

    @alone
    def state(self) -> dict[str, Any]:
        """The position as the JSON of a state file."""
        return encode_state(self._game, self._play.state, self._names)

    @alone
    def record(self) -> dict[str, Any]:
        """The JSON of a record that begins from this position and has no turns yet. Raises `ValueError` within a turn."""
        play, game = self._play, self._game
        if play.over:
            before, player = play.turn, play.next_player()
        elif play.places == START:
            before, player = play.turn - 1, play.owner
        else:
            raise ValueError("a record begins between two turns, this position is within one")
        start = Start(play.state, player, before, play.trigger)
        ruleset = game.ruleset
        return encode_record(
            game, Record(self._names, play.state.goals, {}, [], ruleset.address, ruleset.version, start=start)
        )

    @alone
    def score(self) -> Result:
        """Scores and ranking as if the game ended here."""
        found = score_game(self._game, self._play.state)
        lines = tuple({name: known(value) for name, value in part.items()} for part in found.parts)
        ranking = None if found.ranking is None else tuple(map(tuple, found.ranking))
        totals = tuple(map(known, found.totals))
        return make_result(Played(tuple(self._names), self.turn, 0, True, totals, lines, ranking))
