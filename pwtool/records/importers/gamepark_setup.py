"""The names and the start position of a Game Park export.

Exports contain only numbers; the tables here map them to the names in our rulesets.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pwtool.records.importers.json_exports import Part
from pwtool.text.words import counted

__all__ = ["COLOURS", "GOALS", "Card", "Setup", "read_colour", "read_setup"]

COLOURS = {1: "yellow", 2: "blue", 3: "green", 4: "black"}
_LETTERS = {1: "Y", 2: "B", 3: "G", 4: "K"}

GOALS = {
    1: "l_same_color",
    2: "corners_value",
    3: "l_of_2s",
    4: "square_4_colors",
    5: "nine_piles",
    6: "diagonal_color",
    7: "row_of_3s",
    8: "two_5s",
    9: "one_to_five",
    10: "column_2_5_2",
    11: "diagonal_2_3_4",
    12: "three_4s",
    13: "five_1s",
    14: "row_sum_9",
    15: "column_sum_12",
    16: "three_scissors",
    17: "square_of_3s",
    18: "square_same_color",
    19: "cross_values",
    20: "cross_colors",
}

PILES = 5
_GOALS_IN_PLAY = 3
# location.type of the material before the first move
_OBJECTIVE, _LANDSCAPE, _PILE, _CENTRE = 1, 3, 4, 7


@dataclass(frozen=True, slots=True)
class Card:
    """A card's face; `colour` is the export's number, which is also the number of the player with that start card."""

    colour: int
    value: int
    scissors: bool

    @property
    def code(self) -> str:
        return f"{_LETTERS[self.colour]}{'S' if self.scissors else ''}{self.value}"


@dataclass(frozen=True, slots=True)
class Setup:
    """The start position. Cards are indices into `cards`, because the moves of an export speak of them so."""

    players: tuple[int, ...]
    goals: tuple[str, ...]
    cards: tuple[Card, ...]
    piles: tuple[tuple[int, ...], ...]
    start: dict[int, int]


def read_setup(export: Part) -> Setup | None:
    """The start position, players in turn order beginning with the one to move; None when anything in it is wrong."""
    players = _read_players(export)
    items = export.at("setup", "items")
    if items is None:
        return None
    goals = _read_goals(items)
    scissors_free = _check_scissors(items)
    read = _read_cards(items, players)
    if players is None or goals is None or read is None or not scissors_free:
        return None
    cards, piles, start = read
    return Setup(players, goals, cards, piles, start)


def read_colour(part: Part | None) -> int | None:
    """The number of a colour, which is also that of a player."""
    return part.number(1, len(COLOURS), "a colour from 1 to 4") if part is not None else None


def _read_players(export: Part) -> tuple[int, ...] | None:
    part = export.key("players")
    entries = part.entries() if part is not None else None
    first = export.at("setup", "rule", "player")
    to_move = read_colour(first)
    if part is None or entries is None:
        return None
    players = [read_colour(entry) for entry in entries]
    known = [player for player in players if player is not None]
    if len(known) < len(players):
        return None
    if not 2 <= len(known) <= 4:
        part.report(f"lists {counted(len(known), 'player')}, the game is for 2 to 4")
        return None
    if len(set(known)) < len(known):
        part.report("lists a player twice")
        return None
    if first is None or to_move is None:
        return None
    if to_move not in known:
        first.report(f"says that {COLOURS[to_move]} begins, who is not in the game")
        return None
    # The seats are in a circle: only the first player matters here.
    begin = known.index(to_move)
    return tuple(known[begin:] + known[:begin])


def _read_goals(items: Part) -> tuple[str, ...] | None:
    part = items.key("ObjectiveCard")
    entries = part.entries() if part is not None else None
    if part is None or entries is None:
        return None
    places: dict[int, str] = {}
    sound = True
    for entry in entries:
        goal = _number(entry.key("id"), 1, len(GOALS), "an objective from 1 to 20")
        kind = _location_type(entry, {_OBJECTIVE}, "an objective before the first move")
        place = _number(entry.at("location", "id"), 0, _GOALS_IN_PLAY - 1, "a place from 0 to 2")
        if goal is None or kind is None or place is None:
            sound = False
        elif place in places:
            entry.report(f"lies at the same place as another objective, {place}")
            sound = False
        elif GOALS[goal] in places.values():
            entry.report(f"is objective {goal}, which is in play already")
            sound = False
        else:
            places[place] = GOALS[goal]
    if sound and len(places) != _GOALS_IN_PLAY:
        part.report(f"lists {counted(len(places), 'objective')}, the game is played with {_GOALS_IN_PLAY}")
        return None
    return tuple(places[place] for place in sorted(places)) if sound else None


def _check_scissors(items: Part) -> bool:
    part = items.key("ScissorsToken")
    entries = part.entries() if part is not None else None
    if part is None or entries is None:
        return False
    if len(entries) != 1:
        part.report(f"lists {counted(len(entries), 'scissors token')}, the game has one")
        return False
    return _location_type(entries[0], {_CENTRE}, "the scissors token before the first move") is not None


def _read_cards(
    items: Part, players: tuple[int, ...] | None
) -> tuple[tuple[Card, ...], tuple[tuple[int, ...], ...], dict[int, int]] | None:
    part = items.key("LandscapeCard")
    entries = part.entries() if part is not None else None
    if part is None or entries is None:
        return None
    cards: list[Card] = []
    piles: list[dict[int, int]] = [{} for _ in range(PILES)]
    start: dict[int, int] = {}
    sound = True
    for index, entry in enumerate(entries):
        card = _read_card(entry)
        kind = _location_type(entry, {_LANDSCAPE, _PILE}, "a card before the first move")
        if card is None or kind is None:
            sound = False
            continue
        cards.append(card)
        if kind == _PILE:
            sound &= _into_pile(entry, index, piles)
        else:
            sound &= _into_landscape(entry, index, card, start)
    if not sound:
        return None
    for number, pile in enumerate(piles):
        if sorted(pile) != list(range(len(pile))):
            part.report(f"leaves a gap in pile {number + 1}: {counted(len(pile), 'card')}, the highest at {max(pile)}")
            sound = False
    for player in players or ():
        if player not in start:
            part.report(f"has no start card for {COLOURS[player]}")
            sound = False
    for player, index in start.items():
        if players is not None and player not in players:
            entries[index].report(f"is a start card of {COLOURS[player]}, who is not in the game")
            sound = False
    ordered = tuple(tuple(pile[height] for height in sorted(pile)) for pile in piles)
    return (tuple(cards), ordered, start) if sound else None


def _read_card(entry: Part) -> Card | None:
    part = entry.key("id")
    number = _number(part, 1, 99, "a card number")
    if part is None or number is None:
        return None
    colour, rest = divmod(number, 10)
    # 1 to 5 are plain values; 6 to 9 the values 1 to 4 with scissors (no 5 bears them).
    if colour not in COLOURS or rest == 0:
        part.report(f"is `{number}`, which is not a card")
        return None
    return Card(colour, rest - 5 if rest > 5 else rest, rest > 5)


def _into_pile(entry: Part, index: int, piles: list[dict[int, int]]) -> bool:
    number = _number(entry.at("location", "id"), 0, PILES - 1, "a pile from 0 to 4")
    height = _number(entry.at("location", "x"), 0, 999, "a height from 0 up")
    if number is None or height is None:
        return False
    if height in piles[number]:
        entry.report(f"lies at the same height of pile {number + 1} as another card, {height}")
        return False
    piles[number][height] = index
    return True


def _into_landscape(entry: Part, index: int, card: Card, start: dict[int, int]) -> bool:
    owner = read_colour(entry.at("location", "player"))
    cell = [_number(entry.at("location", axis), 0, 0, "0, the cell of a start card,") for axis in ("x", "y")]
    if owner is None or None in cell:
        return False
    if owner in start:
        entry.report(f"is a second start card of {COLOURS[owner]}")
        return False
    if card != Card(owner, 1, False):
        entry.report(f"is `{card.code}`, which is not the start card of {COLOURS[owner]}")
        return False
    start[owner] = index
    return True


def _location_type(entry: Part, allowed: Iterable[int], what: str) -> int | None:
    part = entry.at("location", "type")
    kind = _number(part, 0, 99, "a kind of place")
    if part is None or kind is None:
        return None
    if kind not in allowed:
        part.report(f"is `{kind}`, which is not a place for {what}")
        return None
    return kind


def _number(part: Part | None, low: int, high: int, what: str) -> int | None:
    return part.number(low, high, what) if part is not None else None
