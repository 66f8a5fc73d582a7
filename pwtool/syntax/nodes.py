"""The syntax tree of a rules file. One class for each construct of `grammar/rules.lark`; every node knows its place."""

from __future__ import annotations

from dataclasses import dataclass, field

from pwtool.source import Span


@dataclass(frozen=True, slots=True)
class Node:
    """The base of all nodes. Two nodes are equal when they say the same, wherever they stand."""

    span: Span = field(compare=False, repr=False)


# ---- expressions ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number(Node):
    value: int


@dataclass(frozen=True, slots=True)
class Name(Node):
    name: str


@dataclass(frozen=True, slots=True)
class Nothing(Node):
    """`none`: the absent value."""


@dataclass(frozen=True, slots=True)
class Call(Node):
    name: Name
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Attribute(Node):
    value: Node
    name: Name


@dataclass(frozen=True, slots=True)
class Index(Node):
    value: Node
    indices: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """`operator` is one of `- not count sum top tops cards neighbours all any`."""

    operator: str
    operand: Node


@dataclass(frozen=True, slots=True)
class SumOf(Node):
    attribute: Name
    operand: Node


@dataclass(frozen=True, slots=True)
class TokenQuery(Node):
    """`holds T` (operator `holds`) and `place of T` (operator `place`)."""

    operator: str
    token: Name


@dataclass(frozen=True, slots=True)
class Can(Node):
    action: Name


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """`operator` is one of `+ - * and or else == != < <= > >= in on fulfils`."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Test(Node):
    """`x is empty` (`empty`), `x is connected` (`connected`)."""

    operator: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Fits(Node):
    board: Node
    cell: Node | None
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Reads(Node):
    operand: Node
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Alike(Node):
    """`same`, `distinct` or `ascending` attribute, of a collection or (None) of the matched cells."""

    operator: str
    attribute: Name
    operand: Node | None


@dataclass(frozen=True, slots=True)
class If(Node):
    condition: Node
    then: Node
    otherwise: Node


@dataclass(frozen=True, slots=True)
class Range(Node):
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Comprehension(Node):
    """`(x in domain: body)`, the operand of `count` or `sum`."""

    variable: Name
    domain: Node
    body: Node


@dataclass(frozen=True, slots=True)
class Quantifier(Node):
    """`kind` is `some every no least most exactly`; `number` counts for the last three."""

    kind: str
    number: int


@dataclass(frozen=True, slots=True)
class PictureCell(Node):
    """A cell of a picture: row and column from 0, and what stands in it (`#`, `_`, a name, a number, `Y1+Y2`)."""

    row: int
    column: int
    content: str


@dataclass(frozen=True, slots=True)
class Picture(Node):
    """A grid picture; cells written `.` are left out."""

    width: int
    height: int
    cells: tuple[PictureCell, ...]
    turned: bool
    mirrored: bool


@dataclass(frozen=True, slots=True)
class OverNamed(Node):
    """`some L: body`, `some card: body`: a shape or a component on the board."""

    quantifier: Quantifier
    subject: Name
    body: Node


@dataclass(frozen=True, slots=True)
class OverPicture(Node):
    quantifier: Quantifier
    picture: Picture
    body: Node | None


@dataclass(frozen=True, slots=True)
class OverDomain(Node):
    quantifier: Quantifier
    variable: Name
    domain: Node
    body: Node


# ---- shared parts --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cite(Node):
    source: Name
    section: str


@dataclass(frozen=True, slots=True)
class Reason(Node):
    cite: Cite | None
    words: str


@dataclass(frozen=True, slots=True)
class Guarded(Node):
    """An optional `when`."""

    condition: Node


# ---- declarations --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Players(Node):
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Source(Node):
    name: Name
    title: str


@dataclass(frozen=True, slots=True)
class Section(Node):
    name: Name
    cites: tuple[Cite, ...]


@dataclass(frozen=True, slots=True)
class Member(Node):
    name: str
    code: str


@dataclass(frozen=True, slots=True)
class AttributeDeclaration(Node):
    """`kind` is `enum range flag table`; the other fields hold what that kind needs."""

    name: Name
    kind: str
    members: tuple[Member, ...]
    low: int
    high: int
    code: str
    key: Name | None
    rows: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Component(Node):
    name: Name
    attributes: tuple[AttributeDeclaration, ...]


@dataclass(frozen=True, slots=True)
class DeckPart(Node):
    """Either cards (code, how many) or the name of another deck."""

    cards: tuple[tuple[Name, int], ...]
    deck: Name | None
    when: Node | None


@dataclass(frozen=True, slots=True)
class Deck(Node):
    name: Name
    component: Name
    parts: tuple[DeckPart, ...]


@dataclass(frozen=True, slots=True)
class ZoneKind(Node):
    """`kind` is `pile bag slot grid`; `component` or a number range lies in it; grids have a size and may float."""

    kind: str
    component: Name | None
    low: int
    high: int
    width: int
    height: int
    floating: bool


@dataclass(frozen=True, slots=True)
class Zone(Node):
    name: Name
    size: int | None
    kind: ZoneKind
    per: tuple[Name, ...]
    seen: Name | None


@dataclass(frozen=True, slots=True)
class Token(Node):
    name: Name
    zone: Name


@dataclass(frozen=True, slots=True)
class SetupStep(Node):
    """`kind` is `choose deal put first`. `amount` is the number each receives, 0 for all; `cases` are put's lists."""

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


@dataclass(frozen=True, slots=True)
class Step(Node):
    """An action in the order of play, who does it (None: the player whose turn it is) and under which condition."""

    action: Name
    actor: Node | None
    guard: Node | None


@dataclass(frozen=True, slots=True)
class Sequence(Node):
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice(Node):
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat(Node):
    """`high` None: no limit."""

    item: Node
    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class Turn(Node):
    order: Node


@dataclass(frozen=True, slots=True)
class Anytime(Node):
    action: Name
    actor: Node


@dataclass(frozen=True, slots=True)
class Var(Node):
    """`kind` is `number bag named`; `type_name` the component or the named type (`flag`, `cell`, `cells`)."""

    name: Name
    kind: str
    type_name: Name | None
    low: int
    high: int
    initial: Node | None
    per: Name


@dataclass(frozen=True, slots=True)
class Define(Node):
    name: Name
    parameters: tuple[Name, ...]
    body: Node


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    """`kind` is `element cell number value`; `names` the attributes or domains a value may come from."""

    name: Name
    kind: str
    names: tuple[Name, ...]
    origin: Node | None
    low: int
    high: int
    text: str


@dataclass(frozen=True, slots=True)
class Let(Node):
    name: Name
    value: Node


@dataclass(frozen=True, slots=True)
class Rule(Node):
    """`name` is qualified (`move.once`) outside of an action."""

    name: Name
    text: str
    sees: tuple[Name, ...]
    when: Node | None
    require: Node


@dataclass(frozen=True, slots=True)
class Effect(Node):
    """`kind` is `move put return add set`; `what` is what moves or the name that changes."""

    kind: str
    what: Node
    target: Node | None
    when: Node | None


@dataclass(frozen=True, slots=True)
class Action(Node):
    name: Name
    text: str
    parameters: tuple[Parameter, ...]
    statements: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class ConsequenceParameter(Node):
    """`domain` for a parameter that ranges over something, `value` for one that follows from the others."""

    name: Name
    domain: Name | None
    value: Node | None


@dataclass(frozen=True, slots=True)
class Consequence(Node):
    name: Name
    text: str
    parameters: tuple[ConsequenceParameter, ...]
    statements: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Ending(Node):
    """`more_turns` None: the game stops at once; `others`: the player who triggered the end has no further turn."""

    name: Name
    text: str
    sees: tuple[Name, ...]
    condition: Node
    more_turns: int | None
    others: bool


@dataclass(frozen=True, slots=True)
class Score(Node):
    name: Name
    text: str
    sees: tuple[Name, ...]
    value: Node


@dataclass(frozen=True, slots=True)
class Criterion(Node):
    """`kind` is `most fewest shared`."""

    kind: str
    value: Node | None


@dataclass(frozen=True, slots=True)
class Ranking(Node):
    criteria: tuple[Criterion, ...]


@dataclass(frozen=True, slots=True)
class Invariant(Node):
    name: Name
    text: str
    sees: tuple[Name, ...]
    each_player: bool
    when: Node | None
    require: Node


@dataclass(frozen=True, slots=True)
class Shape(Node):
    name: Name
    picture: Picture


@dataclass(frozen=True, slots=True)
class Objective(Node):
    name: Name
    text: str
    condition: Node


# ---- examples ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ItemSet(Node):
    """`{ Y1 Y2 }`, `{ Y1 from 3 }`: codes or numbers, each with the pile it comes from (0: not said)."""

    items: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class CellValue(Node):
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Given(Node):
    """`kind` is `value token players`; `value` is a Picture, ItemSet, CellValue, Name or Number."""

    kind: str
    name: Name | None
    indices: tuple[str, ...]
    value: Node | None
    number: int


@dataclass(frozen=True, slots=True)
class CallExample(Node):
    action: Name
    arguments: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True)
class Outcome(Node):
    """`kind` is `yes no then`; `what` a board picture, an action, or None: the position as given."""

    kind: str
    what: Node | None
    name: Name | None
    number: int


@dataclass(frozen=True, slots=True)
class Example(Node):
    name: Name
    text: str
    givens: tuple[Given, ...]
    outcomes: tuple[Outcome, ...]


# ---- overlays and files --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Change(Node):
    declaration: Node
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class Remove(Node):
    kind: str
    name: Name
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class AddEffect(Node):
    action: Name
    effect: Effect
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class Alternative(Node):
    name: Name
    text: str
    declarations: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Ambiguity(Node):
    name: Name
    text: str
    reads: str
    alternatives: tuple[Alternative, ...]
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class Erratum(Node):
    name: Name
    text: str
    printed: tuple[Node, ...]
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class Without(Node):
    variant: Name
    reason: Reason


@dataclass(frozen=True, slots=True)
class Include(Node):
    name: Name


@dataclass(frozen=True, slots=True)
class Translation(Node):
    kind: str
    name: Name
    text: str


@dataclass(frozen=True, slots=True)
class Texts(Node):
    language: Name
    translations: tuple[Translation, ...]


@dataclass(frozen=True, slots=True)
class Header(Node):
    """`kind` is `game edition variant part`; `base` the address it builds on, None for a game."""

    kind: str
    name: Name
    base: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Document(Node):
    """A whole rules file."""

    header: Header
    declarations: tuple[Node, ...]
