"""The moves of a Game Park export by their form only: what each does, not whether it is possible."""

from __future__ import annotations

from msgspec import Struct

from pwtool.records.importers.gamepark_setup import COLOURS, PILES, read_colour
from pwtool.records.importers.json_exports import Part

__all__ = [
    "Act", "Announce", "Decline", "EndPlacing", "Grab", "Move", "Pay", "Place", "Point", "Trim", "read_moves"
]  # fmt: skip

# `kind` of a move, and the `itemType` of a card
_ITEM_MOVE, _CUSTOM, _CARD = 1, 3, 1
# `type` of an item move (there is one), of the custom moves, and `location.type` of an item move
_MOVE_ITEM = 1
_BY_VALUE, _BY_COLOUR, _END_PLACING, _TAKE_SCISSORS, _DECLINE_SCISSORS = 1, 2, 3, 4, 5
_TO_LANDSCAPE, _TO_DISCARD, _TO_PENDING = 3, 6, 8
# Far beyond any landscape, near enough that numbers stay printable.
_FARTHEST = 999


class Point(Struct, frozen=True):
    """First half of a take: the card pointed at, and its pile counted from 0."""

    card: int
    pile: int


class Announce(Struct, frozen=True):
    """Second half of a take: a value (1 to 5), or a colour by name."""

    key: int | str


class Place(Struct, frozen=True):
    card: int
    x: int
    y: int
    height: int


class Pay(Struct, frozen=True):
    """A discard for a skip."""

    card: int


class Trim(Struct, frozen=True):
    """A discard for the hand limit."""

    card: int


class EndPlacing(Struct, frozen=True):
    pass


class Grab(Struct, frozen=True):
    """The scissors token goes onto this card."""

    card: int


class Decline(Struct, frozen=True):
    """The scissors token is left where it is."""


Act = Point | Announce | Place | Pay | Trim | EndPlacing | Grab | Decline


class Move(Struct, frozen=True):
    part: Part
    player: int
    act: Act


def read_moves(export: Part, players: tuple[int, ...] | None, cards: int | None) -> list[Move] | None:
    """The moves; None when any is malformed. `players` and the number of `cards` are None when the setup is wrong."""
    part = export.key("moves")
    entries = part.entries() if part is not None else None
    if entries is None:
        return None
    moves: list[Move] = []
    for entry in entries:
        seat = entry.key("playerId")
        player = read_colour(seat)
        if seat is not None and player is not None and players is not None and player not in players:
            seat.report(f"is `{player}` ({COLOURS[player]}), who is not in the game")
            player = None
        inner = entry.key("move")
        act = _Reader(inner, player, cards).act() if inner is not None else None
        if player is not None and act is not None:
            moves.append(Move(entry, player, act))
    return moves if len(moves) == len(entries) else None


class _Reader(Struct, frozen=True):
    """One move under the key `move`; `player` is None when unknown."""

    move: Part
    player: int | None
    cards: int | None

    def act(self) -> Act | None:
        kind = self._code(self.move, "kind")
        if kind == _ITEM_MOVE:
            return self._item_move()
        if kind == _CUSTOM:
            return self._custom_move()
        if kind is not None:
            self.move.report(f"is of the unknown kind `{kind}`")
        return None

    def _item_move(self) -> Act | None:
        what, item = self._code(self.move, "type"), self._code(self.move, "itemType")
        location = self.move.key("location")
        if what is None or item is None or location is None:
            return None
        if (what, item) != (_MOVE_ITEM, _CARD):
            self.move.report(f"does `{what}` to an item of type `{item}`, which no move of this game does")
            return None
        card = self._card(self.move, "itemIndex")
        place = self._code(location, "type")
        if card is None or place is None:
            return None
        if place == _TO_PENDING:
            pile = self._number(location, "id", 0, PILES - 1, "a pile from 0 to 4")
            return Point(card, pile) if pile is not None else None
        if place == _TO_LANDSCAPE:
            return self._place(location, card)
        if place == _TO_DISCARD:
            if not location.has("player"):
                return Trim(card)
            return Pay(card) if self._own(location) else None
        location.report(f"is of type `{place}`, where no move of this game leads")
        return None

    def _place(self, location: Part, card: int) -> Place | None:
        own = self._own(location)
        x = self._number(location, "x", -_FARTHEST, _FARTHEST, "a coordinate")
        y = self._number(location, "y", -_FARTHEST, _FARTHEST, "a coordinate")
        height = self._number(location, "id", 0, _FARTHEST, "the height of a pile, from 0 up,")
        if not own or x is None or y is None or height is None:
            return None
        return Place(card, x, y, height)

    def _custom_move(self) -> Act | None:
        what, data = self._code(self.move, "type"), self.move.key("data")
        if what is None or data is None:
            return None
        if what == _BY_VALUE:
            value = self._number(data, "value", 1, 5, "a value from 1 to 5")
            return Announce(value) if value is not None else None
        if what == _BY_COLOUR:
            colour = read_colour(data.key("color"))
            return Announce(COLOURS[colour]) if colour is not None else None
        if what == _END_PLACING:
            return EndPlacing()
        if what == _TAKE_SCISSORS:
            card = self._card(data, "scissorsCardIndex")
            return Grab(card) if card is not None else None
        if what == _DECLINE_SCISSORS:
            return Decline()
        self.move.report(f"is of the unknown type `{what}`")
        return None

    def _own(self, location: Part) -> bool:
        """Whether a landscape or discard is the mover's own: nobody moves a card into another player's."""
        part = location.key("player")
        owner = read_colour(part)
        if part is None or owner is None or self.player is None:
            return False
        if owner != self.player:
            part.report(f"is `{owner}` ({COLOURS[owner]}) in a move of {COLOURS[self.player]}")
            return False
        return True

    def _code(self, part: Part, name: str) -> int | None:
        return self._number(part, name, 0, 10**6, "a number from 0 up")

    def _card(self, part: Part, name: str) -> int | None:
        if self.cards is None:
            return self._number(part, name, 0, 10**6, "the index of a card")
        return self._number(part, name, 0, self.cards - 1, f"the index of one of the {self.cards} cards")

    @staticmethod
    def _number(part: Part, name: str, low: int, high: int, what: str) -> int | None:
        inner = part.key(name)
        return inner.number(low, high, what) if inner is not None else None
