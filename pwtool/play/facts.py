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
    """The game is not for so many players."""

    players: int


class GoalCount(Base, frozen=True, eq=False):
    """Not so many objectives are chosen."""

    chosen: int
    wanted: int


class GoalTwice(Base, frozen=True, eq=False):
    goal: str


class DealtAmount(Base, frozen=True, eq=False):
    """A zone does not get as many cards as are due."""

    dealt: int
    due: int


class TooOften(Base, frozen=True, eq=False):
    """A face is dealt, or there, more often than the game has it."""

    component: str
    face: int
    there: int
    has: int


class Missing(Base, frozen=True, eq=False):
    """Cards that the deck has are nowhere; `faces` is empty where unseen cards may be they."""

    component: str
    faces: tuple[int, ...]
    count: int


class Surplus(Base, frozen=True, eq=False):
    """More cards are there than the deck has."""

    count: int


# ---- rules -----------------------------------------------------------------------------------------------------------


class Broken(Base, frozen=True, eq=False):
    """A rule does not hold, or cannot be judged (`unknown`). `runner` and `arguments` belong to the action or
    consequence that it is a rule of; both are None for a rule of the setup or of the end of a turn.
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


class AfterTheEnd(Base, frozen=True, eq=False):
    """Something is played after the game has ended."""


class TooMuch(Base, frozen=True, eq=False):
    """What comes next takes more steps to judge than one game has."""


class NotThere(Base, frozen=True, eq=False):
    """What a parameter names is not where it has to be: a face or a number; of `tops` (pile number, face)."""

    runner: Runner
    arguments: tuple[Any, ...]
    parameter: ParameterModel
    item: Any


class Difference(msgspec.Struct, frozen=True):
    """What an order leaves out of the faces that lie there, and what it has too much, each with how often."""

    left_out: Counter[int]
    too_much: Counter[int]


class WrongOrder(Base, frozen=True, eq=False):
    """What a parameter gives as the new order of a pile is not made of the things that lie there."""

    parameter: ParameterModel
    difference: Difference


class OutsideGrid(Base, frozen=True, eq=False):
    parameter: ParameterModel
    cell: Cell


class OutOfRange(Base, frozen=True, eq=False):
    """A variable would leave its range."""

    variable: str
    value: int
    low: int
    high: int


class NoCell(Base, frozen=True, eq=False):
    """There is no cell of a zone where something should go."""

    zone: str


class SlotTaken(Base, frozen=True, eq=False):
    """A slot would hold a second thing."""

    zone: str


class CannotShow(Base, frozen=True, eq=False):
    """A card cannot be what shows on a pile. `top` is what lies there, None where the pile is empty, -1 (unseen) where
    every card of this face is known to lie elsewhere.
    """

    zone: int
    at: int
    face: int
    top: int | None


class Endless(Base, frozen=True, eq=False):
    """A consequence that is repeated comes again and again, more often than it may."""

    name: str
    rounds: int


class Lost(Base, frozen=True, eq=False):
    """What an action or a consequence does depends on unseen cards: from here on nobody knows what lies where."""

    name: str


# ---- the end of a turn -----------------------------------------------------------------------------------------------


class TooEarly(Base, frozen=True, eq=False):
    """The turn ends before everything that it needs was done."""


class PerhapsTooEarly(Base, frozen=True, eq=False):
    """The turn ends too early unless an ending was reached, which cannot be known."""

    ending: str


class AfterConsequences(Base, frozen=True, eq=False):
    """An action stands behind the consequences of its turn."""

    action: int


class NotInPlay(Base, frozen=True, eq=False):
    """A consequence names what is not in play."""

    parameter: ParameterModel
    name: str


class WrongValue(Base, frozen=True, eq=False):
    """A recorded consequence gives a value that another one is right for."""

    parameter: ParameterModel
    right: Any
    given: Any


class Due(Base, frozen=True, eq=False):
    """A consequence that the rules demand is not recorded."""

    runner: Runner
    values: tuple[Any, ...]


class Stuck(Base, frozen=True, eq=False):
    """The record stops although nobody can do anything and the game is not over."""


# ---- the result ------------------------------------------------------------------------------------------------------


class PerhapsNotOver(Base, frozen=True, eq=False):
    """The game is over only if an ending was reached, which cannot be known."""

    ending: str


class NotOver(Base, frozen=True, eq=False):
    """The record gives a result and the game is not over. `left`: turns to play, None where no ending is triggered."""

    left: int | None


class WrongLine(Base, frozen=True, eq=False):
    """Of a line that unseen cards leave open, `right` are its bounds."""

    line: str
    player: int
    right: Any
    given: int


class UnknownLine(Base, frozen=True, eq=False):
    line: str
    player: int
    bounds: Any


class WrongTotal(Base, frozen=True, eq=False):
    """Of a total that unseen cards leave open, `right` are its bounds."""

    player: int
    right: Any
    given: int
    lines: tuple[tuple[str, Any], ...]


class UnknownTotal(Base, frozen=True, eq=False):
    player: int
    bounds: Any


class WrongRanking(Base, frozen=True, eq=False):
    """`right` is None where unseen cards leave the ranking open, but not so far."""

    right: tuple[tuple[int, ...], ...] | None
    totals: tuple[Any, ...]


class UnknownRanking(Base, frozen=True, eq=False):
    totals: tuple[Any, ...]


class NoFilling(Base, frozen=True, eq=False):
    """Each number of the result may be right, all of them together with none of so many fillings."""

    fillings: int


class WrongEnding(Base, frozen=True, eq=False):
    """`right` are the endings by which the game may have ended."""

    right: tuple[str, ...]
    given: str


class WrongEndTurn(Base, frozen=True, eq=False):
    right: tuple[int, ...]
    given: int


class UnknownEnding(Base, frozen=True, eq=False):
    endings: tuple[str, ...]


# ---- positions -------------------------------------------------------------------------------------------------------


class CardTotal(Base, frozen=True, eq=False):
    """Not as many cards are there as belong to the game."""

    there: int
    belong: int


Plain = (
    PlayerCount | GoalCount | GoalTwice | DealtAmount | Surplus | CardTotal
    | WrongPlayer | AfterTheEnd | OutsideGrid | OutOfRange | NoCell | SlotTaken | CannotShow | Lost | Endless
    | PerhapsTooEarly | NotInPlay | WrongValue
    | PerhapsNotOver | WrongLine | UnknownLine | UnknownTotal | NoFilling | UnknownEnding | WrongEnding | WrongEndTurn | TooMuch
)  # fmt: skip
"""What can be said without looking at the position."""

Fact = (
    Plain | TooOften | Missing | Broken | BrokenInvariant | OutOfOrder | NotThere | WrongOrder | TooEarly | AfterConsequences | Due | Stuck
    | NotOver | WrongTotal | WrongRanking | UnknownRanking
)  # fmt: skip
