"""Possible errors of a record or a position, as data. `pwtool/why/messages.py` puts them into words.

Seats count from 0, pile numbers from 1; faces are numbers of the component.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from pwtool.eval.values import Cell
    from pwtool.ir.model import InvariantModel, ParameterModel, RuleModel
    from pwtool.play.actions import Runner


class Base(msgspec.Struct, frozen=True, eq=False):
    """The base of all facts."""


# ---- the setup -------------------------------------------------------------------------------------------------------


class PlayerCount(Base, frozen=True, eq=False):
    """The game does not allow this number of players."""

    players: int


class GoalCount(Base, frozen=True, eq=False):
    """The wrong number of objectives is chosen."""

    chosen: int
    wanted: int


class GoalTwice(Base, frozen=True, eq=False):
    goal: str


class DealtAmount(Base, frozen=True, eq=False):
    """A zone gets too few or too many cards."""

    dealt: int
    due: int


class TooOften(Base, frozen=True, eq=False):
    """A face is dealt, or present, more often than the game has it."""

    component: str
    face: int
    there: int
    has: int


class Missing(Base, frozen=True, eq=False):
    """Cards of the deck are nowhere; `faces` is empty if they may be unseen cards."""

    component: str
    faces: tuple[int, ...]
    count: int


class Surplus(Base, frozen=True, eq=False):
    """More cards are there than the deck has."""

    count: int


# ---- rules -----------------------------------------------------------------------------------------------------------


class Broken(Base, frozen=True, eq=False):
    """A rule does not hold, or cannot be judged (`unknown`). `runner` and `arguments` belong to its action or
    consequence; both are None for a rule of the setup or of the end of a turn.
    """

    rule: RuleModel
    unknown: bool
    runner: Runner | None = None
    arguments: tuple[Any, ...] = ()


class BrokenInvariant(Base, frozen=True, eq=False):
    """An invariant does not hold for a player, or cannot be judged."""

    invariant: InvariantModel
    player: int
    unknown: bool


# ---- actions ---------------------------------------------------------------------------------------------------------


class WrongPlayer(Base, frozen=True, eq=False):
    expected: int
    player: int


class OutOfOrder(Base, frozen=True, eq=False):
    """The order of play does not allow the action here."""

    action: int
    actor: int


class PerhapsOutOfOrder(Base, frozen=True, eq=False):
    """Whether the order of play allows the action here depends on unseen cards."""

    action: int
    actor: int


class AfterTheEnd(Base, frozen=True, eq=False):
    """Something is played after the end of the game."""


class TooMuch(Base, frozen=True, eq=False):
    """The next action takes too many steps to judge."""


class NotThere(Base, frozen=True, eq=False):
    """An argument is not where it has to be: a face or a number; for `tops` (pile number, face)."""

    runner: Runner
    arguments: tuple[Any, ...]
    parameter: ParameterModel
    item: Any


class Difference(msgspec.Struct, frozen=True):
    """The faces that an order leaves out, and those that it has too many of, each with their number."""

    left_out: Counter[int]
    too_much: Counter[int]


class WrongOrder(Base, frozen=True, eq=False):
    """The new order of a pile, given by a parameter, does not consist of the things in it."""

    parameter: ParameterModel
    difference: Difference


class OutsideGrid(Base, frozen=True, eq=False):
    parameter: ParameterModel
    cell: Cell


class OutOfRange(Base, frozen=True, eq=False):
    """A variable would leave its range; if unseen cards leave the value open, all that it may be lies outside."""

    variable: str
    value: Any
    low: int
    high: int


class NoCell(Base, frozen=True, eq=False):
    """A zone has no cell for something."""

    zone: str


class SlotTaken(Base, frozen=True, eq=False):
    """A slot would hold a second thing."""

    zone: str


Bound = OutOfRange | NoCell | SlotTaken
"""A bound that an effect would exceed."""


class OutOfBounds(Base, frozen=True, eq=False):
    """A consequence, or an action because of chance, exceeds a bound."""

    name: str
    bound: Bound


class CannotShow(Base, frozen=True, eq=False):
    """A card cannot show on a pile. `top` is the card that lies there, None if the pile is empty, or -1 (unseen) if
    every card of this face is known to lie elsewhere.
    """

    zone: int
    at: int
    face: int
    top: int | None


class Endless(Base, frozen=True, eq=False):
    """A repeated consequence happens more often than it may."""

    name: str
    rounds: int


class Lost(Base, frozen=True, eq=False):
    """The effect of an action or a consequence depends on unseen cards: from here on the position is unknown."""

    name: str


class PerhapsTurned(Base, frozen=True, eq=False):
    """The position that a record begins from has unseen things whose state may have changed before."""


# ---- the end of a turn -----------------------------------------------------------------------------------------------


class TooEarly(Base, frozen=True, eq=False):
    """The turn ends before it is complete."""


class PerhapsTooEarly(Base, frozen=True, eq=False):
    """The turn ends too early unless an ending was reached, which is unknown."""

    ending: str


class AfterConsequences(Base, frozen=True, eq=False):
    """An action comes after the consequences of its turn."""

    action: int


class NotInPlay(Base, frozen=True, eq=False):
    """A consequence names something that is not in play."""

    parameter: ParameterModel
    name: str


class WrongValue(Base, frozen=True, eq=False):
    """A recorded consequence has a wrong value."""

    parameter: ParameterModel
    right: Any
    given: Any


class Due(Base, frozen=True, eq=False):
    """A consequence that the rules require is not recorded."""

    runner: Runner
    values: tuple[Any, ...]


class Stuck(Base, frozen=True, eq=False):
    """The record stops although the game is not over and nobody can do anything."""


# ---- the result ------------------------------------------------------------------------------------------------------


class PerhapsNotOver(Base, frozen=True, eq=False):
    """The game is over only if an ending was reached, which is unknown."""

    ending: str


class NotOver(Base, frozen=True, eq=False):
    """The record gives a result although the game is not over. `left`: turns to play, None if no ending is triggered."""

    left: int | None


class WrongLine(Base, frozen=True, eq=False):
    """A wrong score line; if unseen cards leave it open, `right` are its bounds."""

    line: str
    player: int
    right: Any
    given: int


class UnknownLine(Base, frozen=True, eq=False):
    line: str
    player: int
    bounds: Any


class WrongTotal(Base, frozen=True, eq=False):
    """A wrong total; if unseen cards leave it open, `right` are its bounds."""

    player: int
    right: Any
    given: int
    lines: tuple[tuple[str, Any], ...]


class UnknownTotal(Base, frozen=True, eq=False):
    player: int
    bounds: Any


class WrongRanking(Base, frozen=True, eq=False):
    """`right` is None if unseen cards leave the ranking open, but exclude this one. `ending` is the one that was triggered,
    if it is known.
    """

    right: tuple[tuple[int, ...], ...] | None
    totals: tuple[Any, ...]
    ending: str | None = None


class UnknownRanking(Base, frozen=True, eq=False):
    totals: tuple[Any, ...]


class NothingFits(Base, frozen=True, eq=False):
    """A game that is legal as far as it can be seen, and with none of so many fillings of what nobody saw."""

    count: int


class NoFilling(Base, frozen=True, eq=False):
    """Each number of the result is possible, but not all of them together, with any of the fillings."""

    fillings: int


class WrongEnding(Base, frozen=True, eq=False):
    """`right` are the possible endings."""

    right: tuple[str, ...]
    given: str


class WrongEndTurn(Base, frozen=True, eq=False):
    right: tuple[int, ...]
    given: int


class UnknownEnding(Base, frozen=True, eq=False):
    endings: tuple[str, ...]


# ---- positions -------------------------------------------------------------------------------------------------------


class CardTotal(Base, frozen=True, eq=False):
    """There are too few or too many cards."""

    there: int
    belong: int


Plain = (
    PlayerCount | GoalCount | GoalTwice | DealtAmount | Surplus | CardTotal
    | WrongPlayer | OutsideGrid | Bound | CannotShow | Lost | Endless | OutOfBounds
    | PerhapsOutOfOrder | PerhapsTooEarly | NotInPlay | WrongValue
    | PerhapsNotOver | WrongLine | UnknownLine | UnknownTotal | NoFilling | NothingFits | PerhapsTurned | UnknownEnding | WrongEnding | WrongEndTurn | TooMuch
)  # fmt: skip
"""Facts that do not depend on the position."""

Fact = (
    Plain | TooOften | Missing | Broken | BrokenInvariant | OutOfOrder | NotThere | WrongOrder | AfterTheEnd | TooEarly | AfterConsequences | Due | Stuck
    | NotOver | WrongTotal | WrongRanking | UnknownRanking
)  # fmt: skip
