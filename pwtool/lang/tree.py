"""The syntax tree of a rules file. One class for each construct of `grammar/rules.lark`; every node knows its place."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypeVar, dataclass_transform

from pwtool.text.source import Span

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True)
def node(cls: type[_T]) -> type[_T]:
    """A frozen, slotted dataclass. Comparison and text form come from `Node`: writing them anew for seventy classes costs 15 ms a start."""
    return dataclass(frozen=True, slots=True, eq=False, repr=False)(cls)


@node
class Node:
    """The base of all nodes. Two nodes are equal when they say the same, wherever they stand."""

    span: Span

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, f.name) == getattr(other, f.name) for f in fields(self)[1:])

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, f.name) for f in fields(self)[1:])))

    def __repr__(self) -> str:
        parts = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self)[1:])
        return f"{type(self).__name__}({parts})"


# ---- expressions ---------------------------------------------------------------------------------------------------


@node
class Number(Node):
    value: int


@node
class Name(Node):
    name: str


@node
class Nothing(Node):
    """`none`: the absent value."""


@node
class Call(Node):
    name: Name
    arguments: tuple[Node, ...]


@node
class Attribute(Node):
    value: Node
    name: Name


@node
class Index(Node):
    value: Node
    indices: tuple[Node, ...]


@node
class Unary(Node):
    """`operator` is one of `- not count sum top tops cards neighbours all any`."""

    operator: str
    operand: Node


@node
class SumOf(Node):
    attribute: Name
    operand: Node


@node
class TokenQuery(Node):
    """`holds T` (operator `holds`) and `place of T` (operator `place`)."""

    operator: str
    token: Name


@node
class Can(Node):
    action: Name


@node
class Binary(Node):
    """`operator` is one of `+ - * and or else == != < <= > >= in on fulfils`."""

    operator: str
    left: Node
    right: Node


@node
class Test(Node):
    """`x is empty` (`empty`), `x is connected` (`connected`)."""

    operator: str
    operand: Node


@node
class Fits(Node):
    board: Node
    cell: Node | None
    width: int
    height: int


@node
class Reads(Node):
    operand: Node
    values: tuple[int, ...]


@node
class Alike(Node):
    """`same`, `distinct` or `ascending` attribute, of a collection or (None) of the matched cells."""

    operator: str
    attribute: Name
    operand: Node | None


@node
class If(Node):
    condition: Node
    then: Node
    otherwise: Node


@node
class Range(Node):
    low: int
    high: int


@node
class Comprehension(Node):
    """`(x in domain: body)`, the operand of `count` or `sum`."""

    variable: Name
    domain: Node
    body: Node


@node
class Placements(Node):
    """`(shape on grid: body)`, the operand of `count`."""

    subject: Node
    grid: Node
    body: Node


@node
class GroupSize(Node):
    """`largest group of same color`: how many cards of the grid hang together; `which` is `largest` or `smallest`."""

    which: str
    attribute: Name
    grid: Node | None


@node
class Table(Node):
    """`by n { 1: 10  2: 20  else 0 }`: a number looked up by another; `otherwise` None: every number has a row."""

    operand: Node
    rows: tuple[tuple[int, int], ...]
    otherwise: int | None


@node
class Quantifier(Node):
    """`kind` is `some every no least most exactly`; `number` counts for the last three."""

    kind: str
    number: int


@node
class PictureCell(Node):
    """A cell of a picture: row and column from 0, and what stands in it (`#`, `_`, a name, a number, `Y1+Y2`)."""

    row: int
    column: int
    content: str


@node
class Picture(Node):
    """A grid picture; cells written `.` are left out."""

    width: int
    height: int
    cells: tuple[PictureCell, ...]
    turned: bool
    mirrored: bool


@node
class OverNamed(Node):
    """`some L: body`, `some card on board: body`: a shape, a component or `pile` on a grid (None: the objectives')."""

    quantifier: Quantifier
    subject: Name
    body: Node
    grid: Node | None = None


@node
class OverPicture(Node):
    quantifier: Quantifier
    picture: Picture
    body: Node | None
    grid: Node | None = None


@node
class OverDomain(Node):
    quantifier: Quantifier
    variable: Name
    domain: Node
    body: Node


@node
class Pick(Node):
    """`first x in domain: body`, `last ...`: the first element for which the body holds, or `none`."""

    which: str
    variable: Name
    domain: Node
    body: Node


# ---- shared parts --------------------------------------------------------------------------------------------------


@node
class Cite(Node):
    source: Name
    section: str


@node
class Reason(Node):
    cite: Cite | None
    words: str


@node
class Guarded(Node):
    """An optional `when`."""

    condition: Node


# ---- declarations --------------------------------------------------------------------------------------------------


@node
class Players(Node):
    low: int
    high: int


@node
class Source(Node):
    name: Name
    title: str


@node
class Section(Node):
    name: Name
    cites: tuple[Cite, ...]


@node
class Member(Node):
    name: str
    code: str


@node
class AttributeDeclaration(Node):
    """`kind` is `enum range flag table owner`; the other fields hold what that kind needs."""

    name: Name
    kind: str
    members: tuple[Member, ...]
    low: int
    high: int
    code: str
    key: Name | None
    rows: tuple[tuple[str, int], ...]


@node
class Component(Node):
    name: Name
    attributes: tuple[AttributeDeclaration, ...]


@node
class DeckPart(Node):
    """Either cards (code, how many) or the name of another deck."""

    cards: tuple[tuple[Name, int], ...]
    deck: Name | None
    when: Node | None


@node
class Deck(Node):
    name: Name
    component: Name
    parts: tuple[DeckPart, ...]


@node
class ZoneKind(Node):
    """`kind` is `pile bag slot grid`; `component` or a number range lies in it; grids have a size and may float."""

    kind: str
    component: Name | None
    low: int
    high: int
    width: int
    height: int
    floating: bool


@node
class Zone(Node):
    name: Name
    size: int | None
    kind: ZoneKind
    per: tuple[Name, ...]
    seen: Name | None


@node
class Token(Node):
    name: Name
    zone: Name


@node
class SetupStep(Node):
    """`kind` is `choose deal put first`. `amount` is the number each receives, 0 for all; `rest`: all that other steps
    leave; `cases` are put's lists, `board` its picture.
    """

    kind: str
    name: Name
    text: str
    amount: int
    what: Name | None
    to: Name | None
    cell: tuple[int, int] | None
    manner: str | None
    cases: tuple[tuple[tuple[int, ...], Node | None], ...]
    sees: tuple[Name, ...]
    rest: bool = False
    board: Picture | None = None


@node
class Step(Node):
    """An action in the order of play, who does it (None: the player whose turn it is) and under which condition."""

    action: Name
    actor: Node | None
    guard: Node | None


@node
class Group(Node):
    """`( ... ) by actor`: whoever is named does every step inside that names nobody else."""

    order: Node
    actor: Node


@node
class Sequence(Node):
    items: tuple[Node, ...]


@node
class Choice(Node):
    items: tuple[Node, ...]


@node
class Repeat(Node):
    """`high` None: no limit."""

    item: Node
    low: int
    high: int | None


@node
class Turn(Node):
    """The order of play: of each player's turn, or (`rounds`) of a round in which each step says who acts."""

    order: Node
    rounds: bool = False


@node
class Anytime(Node):
    action: Name
    actor: Node


@node
class Var(Node):
    """`kind` is `number bag named`; `type_name` the component or the named type (`flag`, `cell`, `cells`)."""

    name: Name
    kind: str
    type_name: Name | None
    low: int
    high: int
    initial: Node | None
    per: Name


@node
class Define(Node):
    name: Name
    parameters: tuple[Name, ...]
    body: Node


@node
class Parameter(Node):
    """`kind` is `element cell number value`; `names` the attributes or domains a value may come from; `per` (a player)
    makes the action one that all players do at once, each with a value of their own.
    """

    name: Name
    kind: str
    names: tuple[Name, ...]
    origin: Node | None
    low: int
    high: int
    text: str
    per: Name | None = None


@node
class Let(Node):
    name: Name
    value: Node


@node
class Rule(Node):
    """`name` is qualified (`move.once`) outside of an action."""

    name: Name
    text: str
    sees: tuple[Name, ...]
    when: Node | None
    require: Node


@node
class Effect(Node):
    """`kind` is `move put return add set`; `what` is what moves or the name that changes."""

    kind: str
    what: Node
    target: Node | None
    when: Node | None


@node
class Action(Node):
    name: Name
    text: str
    parameters: tuple[Parameter, ...]
    statements: tuple[Node, ...]


@node
class ConsequenceParameter(Node):
    """`domain` for a parameter that ranges over something, `grid` over its cells, `value` for one that follows from
    the others.
    """

    name: Name
    domain: Name | None
    value: Node | None
    grid: Name | None = None


@node
class Consequence(Node):
    name: Name
    text: str
    parameters: tuple[ConsequenceParameter, ...]
    statements: tuple[Node, ...]


@node
class Ending(Node):
    """`more_turns` None: no turn is left; `others`: the player who triggered the end has no further turn;
    `at_once`: judged after every action, the game stops there.
    """

    name: Name
    text: str
    sees: tuple[Name, ...]
    condition: Node
    more_turns: int | None
    others: bool
    at_once: bool = False


@node
class Score(Node):
    name: Name
    text: str
    sees: tuple[Name, ...]
    value: Node


@node
class Criterion(Node):
    """`kind` is `most fewest shared replayed`."""

    kind: str
    value: Node | None


@node
class Ranking(Node):
    criteria: tuple[Criterion, ...]


@node
class Invariant(Node):
    name: Name
    text: str
    sees: tuple[Name, ...]
    each_player: bool
    when: Node | None
    require: Node


@node
class Shape(Node):
    """A named shape: one picture, or several of which each counts."""

    name: Name
    picture: Picture
    more: tuple[Picture, ...] = ()


@node
class Objective(Node):
    name: Name
    text: str
    condition: Node


# ---- examples ------------------------------------------------------------------------------------------------------


@node
class ItemSet(Node):
    """`{ Y1 Y2 }`, `{ Y1 from 3 }`: codes or numbers, each with the pile it comes from (0: not said)."""

    items: tuple[tuple[str, int], ...]


@node
class CellValue(Node):
    x: int
    y: int


@node
class CellSet(Node):
    """`{ (0, 0) (1, 0) }`."""

    cells: tuple[tuple[int, int], ...]


@node
class Given(Node):
    """`kind` is `value token players`; `value` is a Picture, ItemSet, CellValue, CellSet, Name or Number."""

    kind: str
    name: Name | None
    indices: tuple[str, ...]
    value: Node | None
    number: int


@node
class CallExample(Node):
    action: Name
    arguments: tuple[tuple[str, Node], ...]


@node
class Outcome(Node):
    """`kind` is `yes no then`; `what` a board picture, an action, or None: the position as given."""

    kind: str
    what: Node | None
    name: Name | None
    number: int


@node
class Example(Node):
    name: Name
    text: str
    givens: tuple[Given, ...]
    outcomes: tuple[Outcome, ...]


# ---- overlays and files --------------------------------------------------------------------------------------------


@node
class Change(Node):
    declaration: Node
    reason: Reason | None


@node
class Remove(Node):
    kind: str
    name: Name
    reason: Reason | None


@node
class AddEffect(Node):
    action: Name
    effect: Effect
    reason: Reason | None


@node
class Alternative(Node):
    name: Name
    text: str
    declarations: tuple[Node, ...]


@node
class Ambiguity(Node):
    name: Name
    text: str
    reads: str
    alternatives: tuple[Alternative, ...]
    reason: Reason | None


@node
class Erratum(Node):
    name: Name
    text: str
    printed: tuple[Node, ...]
    reason: Reason | None


@node
class Without(Node):
    variant: Name
    reason: Reason


@node
class Include(Node):
    name: Name


@node
class Translation(Node):
    kind: str
    name: Name
    text: str


@node
class Texts(Node):
    language: Name
    translations: tuple[Translation, ...]


@node
class Header(Node):
    """`kind` is `game edition variant part`; `base` the address it builds on, None for a game."""

    kind: str
    name: Name
    base: str | None
    text: str


@node
class Document(Node):
    """A whole rules file."""

    header: Header
    declarations: tuple[Node, ...]
