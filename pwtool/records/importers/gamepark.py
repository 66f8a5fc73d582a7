"""Converts raw exports of Game Park's Paper World into records.

Only `id`, `options`, `players`, `setup.items`, `setup.rule` and `moves` are read; other keys of a file may be
somebody's notes. An option or material that is not known belongs to a game by other rules and is refused. An export
says less than a record: only one card of a take, and never where a grabbed card lies. So the importer follows every
card across the table, and refuses a file whose moves do not fit together. It does not check whether the moves are
legal; `pwtool check` does that with the record.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType

from pwtool.records.importers.formats import JsonFormat
from pwtool.records.importers.gamepark_moves import (
    Act,
    Announce,
    Decline,
    EndPlacing,
    Grab,
    Move,
    Pay,
    Place,
    Point,
    Trim,
    read_moves,
)
from pwtool.records.importers.gamepark_setup import COLOURS, Setup, read_setup
from pwtool.records.importers.json_exports import Part
from pwtool.text import InternalError

__all__ = ["GAMEPARK", "Table", "follow_moves"]

Cell = tuple[int, int]
_OPTIONS = ("advancedMode", "firstGame", "players")
_ITEMS = ("LandscapeCard", "ObjectiveCard", "ScissorsToken", "ScoreToken", "PlaceMarker")


class _Gamepark(JsonFormat):
    holds = "Paper World"
    counted = MappingProxyType({"moves": "move"})

    def recognises(self, begin: bytes) -> bool:
        return begin.lstrip().startswith(b"{") and b'"moves"' in begin and b'"setup"' in begin

    def record(self, export: Part) -> dict[str, object] | None:
        """The record of a raw export; None if something was reported."""
        if not isinstance(export.value, dict):
            export.report(
                "is not an object", help="this importer reads single games of Paper World as exported by Game Park"
            )
            return None
        name = export.key("id")
        game = name.text() if name is not None else None
        mode = export.at("options", "advancedMode")
        advanced = mode.truth() if mode is not None else None
        _refuse_unknown(export.at("options"), _OPTIONS, "an option that is not known")
        _refuse_unknown(export.at("setup", "items"), _ITEMS, "material that is not known")
        setup = read_setup(export)
        moves = read_moves(export, setup.players if setup else None, len(setup.cards) if setup else None)
        if game is None or advanced is None or setup is None or moves is None or export.problems.found:
            return None
        table = follow_moves(setup, moves)
        cards = setup.cards
        return {
            "format": "pwtool/1",
            "ruleset": "paper_world/gamepark+advanced" if advanced else "paper_world/gamepark",
            "id": game,
            "players": [COLOURS[player] for player in setup.players],
            "setup": {
                "goals": list(setup.goals),
                "start": {COLOURS[player]: cards[setup.start[player]].code for player in setup.players},
                "supply": [[cards[card].code for card in pile] for pile in setup.piles],
            },
            "turns": [{"player": COLOURS[turn.player], "actions": turn.actions} for turn in table.turns],
        }


GAMEPARK = _Gamepark()


def _refuse_unknown(part: Part | None, known: tuple[str, ...], what: str) -> None:
    """Report the keys of a part that are set and not known."""
    if part is None or not isinstance(part.value, dict):
        return
    for name, value in part.value.items():
        if value and name not in known:
            Part(part.problems, (*part.path, name), value).report(f"is {what}")


def follow_moves(setup: Setup, moves: list[Move]) -> Table:
    """The table after the moves. The first move that does not fit is reported and ends it: later ones rest on it."""
    table = Table(setup)
    last: Move | None = None
    for move in moves:
        problem = table.apply(move.player, move.act)
        if problem is not None:
            move.part.report(f"({COLOURS[move.player]}) {problem}")
            return table
        last = move
    if last is not None and table.pointed is not None:
        last.part.report(f"({COLOURS[last.player]}) begins a take that is never finished")
    return table


@dataclass(slots=True)
class Turn:
    """A turn as it grows. `placing` is None until an action decides between taking and placing."""

    player: int
    actions: list[dict[str, object]] = field(default_factory=list)
    placing: bool | None = None
    ended: bool = False


class Table:
    """Where every card lies, and the turns so far. Cards are indices into the setup's cards."""

    def __init__(self, setup: Setup) -> None:
        self._cards = setup.cards
        self.piles = [list(pile) for pile in setup.piles]
        self.landscapes: dict[int, dict[Cell, list[int]]] = {p: {(0, 0): [setup.start[p]]} for p in setup.players}
        self.hands: dict[int, list[int]] = {p: [] for p in setup.players}
        self.paid: dict[int, list[int]] = {p: [] for p in setup.players}
        self.trimmed: dict[int, list[int]] = {p: [] for p in setup.players}
        self.scissors: tuple[int, Cell, int] | None = None  # holder, cell, card
        self.turns: list[Turn] = []
        self.pointed: tuple[int, Point] | None = None
        self._payment: list[str] | None = None  # of the place action that the next discard would pay for

    def apply(self, player: int, act: Act) -> str | None:
        """Carries out a move; says in words what does not fit, and then leaves the table as it was."""
        if self.pointed is not None and not isinstance(act, Announce):
            return "does something else although a take was begun and not finished"
        if not isinstance(act, Pay):
            self._payment = None
        match act:
            case Point():
                return self._point(player, act)
            case Announce():
                return self._take(player, act)
            case Place():
                return self._place(player, act)
            case Pay():
                return self._pay(player, act)
            case Trim():
                return self._trim(player, act)
            case Grab():
                return self._grab(player, act)
            case Decline():
                return None if self._placing(player) else "declines the scissors token without having placed a card"
            case EndPlacing():
                turn = self._placing(player)
                if turn is None:
                    return "ends a placing turn without having placed a card"
                turn.ended = True
                return None

    def _point(self, player: int, act: Point) -> str | None:
        pile = self.piles[act.pile]
        if not pile or pile[-1] != act.card:
            top = f"whose top is `{self._code(pile[-1])}`" if pile else "which is empty"
            return f"points at `{self._code(act.card)}` as the top of pile {act.pile + 1}, {top}"
        self.pointed = (player, act)
        return None

    def _take(self, player: int, act: Announce) -> str | None:
        if self.pointed is None:
            return f"announces `{act.key}` without having pointed at a pile"
        pointer, point = self.pointed
        if pointer != player:
            return f"finishes a take that {COLOURS[pointer]} began"
        if not self._matches(point.card, act.key):
            return f"announces `{act.key}` although it pointed at `{self._code(point.card)}`"
        self.pointed = None
        # The export moves one card; the engine took every showing card that matches, as the rules say.
        cards: dict[str, str] = {}
        for number, pile in enumerate(self.piles, start=1):
            if pile and self._matches(pile[-1], act.key):
                cards[str(number)] = self._code(pile[-1])
                self.hands[player].append(pile.pop())
        turn = Turn(player, [{"action": "take", "announced": act.key, "cards": cards}], placing=False)
        self.turns.append(turn)
        return None

    def _place(self, player: int, act: Place) -> str | None:
        if act.card not in self.hands[player]:
            return f"places `{self._code(act.card)}`, {self._whereabouts(act.card)}"
        cell = (act.x, act.y)
        height = len(self.landscapes[player].get(cell, ()))
        if height != act.height:
            return f"places a card on a pile of height {act.height} at {act.x},{act.y}, where the height is {height}"
        self.hands[player].remove(act.card)
        self.landscapes[player].setdefault(cell, []).append(act.card)
        turn = self._placing(player)
        if turn is None:
            turn = Turn(player, placing=True)
            self.turns.append(turn)
        self._payment = []
        turn.actions.append(
            {"action": "place", "card": self._code(act.card), "at": [act.x, act.y], "pay": self._payment}
        )
        return None

    def _pay(self, player: int, act: Pay) -> str | None:
        if self._payment is None or self.turns[-1].player != player:
            return f"pays `{self._code(act.card)}` for a skip without having placed a card just before"
        if act.card not in self.hands[player]:
            return f"pays `{self._code(act.card)}` for a skip, {self._whereabouts(act.card)}"
        self.hands[player].remove(act.card)
        self.paid[player].append(act.card)
        self._payment.append(self._code(act.card))
        return None

    def _trim(self, player: int, act: Trim) -> str | None:
        if act.card not in self.hands[player]:
            return f"discards `{self._code(act.card)}` for the hand limit, {self._whereabouts(act.card)}"
        self.hands[player].remove(act.card)
        self.trimmed[player].append(act.card)
        turn = self.turns[-1] if self.turns else None
        # A discard with no turn of the player before it is for the rules to refuse, not for us to lose.
        if turn is None or turn.player != player:
            turn = Turn(player)
            self.turns.append(turn)
        turn.actions.append({"action": "trim", "card": self._code(act.card)})
        return None

    def _grab(self, player: int, act: Grab) -> str | None:
        turn = self._placing(player)
        if turn is None:
            return "takes the scissors token without having placed a card"
        for cell, pile in self.landscapes[player].items():
            if pile[-1] == act.card:
                self.scissors = (player, cell, act.card)
                turn.actions.append({"action": "grab", "at": list(cell)})
                return None
        return f"puts the scissors token on `{self._code(act.card)}`, {self._whereabouts(act.card)}"

    def _placing(self, player: int) -> Turn | None:
        """The player's placing turn that is still going on, if there is one."""
        turn = self.turns[-1] if self.turns else None
        return turn if turn and turn.player == player and turn.placing and not turn.ended else None

    def _matches(self, card: int, key: int | str) -> bool:
        return key in (self._cards[card].value, COLOURS[self._cards[card].colour])

    def _code(self, card: int) -> str:
        return self._cards[card].code

    def _whereabouts(self, card: int) -> str:
        """Where a card lies, in words that continue a sentence."""
        for number, pile in enumerate(self.piles, start=1):
            if card in pile:
                return f"which lies in pile {number}"
        for player, name in COLOURS.items():
            if card in self.hands.get(player, ()):
                return f"which is in {name}'s hand"
            if card in self.paid.get(player, ()) or card in self.trimmed.get(player, ()):
                return f"which {name} has discarded"
            for (x, y), pile in self.landscapes.get(player, {}).items():
                if card in pile:
                    covered = " under another card" if pile[-1] != card else ""
                    return f"which lies in {name}'s landscape at {x},{y}{covered}"
        raise InternalError(f"card {card} is nowhere on the table")
