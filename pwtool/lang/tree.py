"""The syntax tree of a rules file. One class for each construct of `grammar/rules.lark`; every node knows its place."""

from __future__ import annotations

import msgspec

from pwtool.text.source import Span


class Node(msgspec.Struct, frozen=True, eq=False):
    """The base of all nodes. Nodes are equal if they mean the same, whatever their place."""

    span: Span

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in fields(self))

    def __ne__(self, other: object) -> bool:
        # Without this one a struct compares by identity.
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, name) for name in fields(self))))

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={getattr(self, name)!r}" for name in fields(self))
        return f"{type(self).__name__}({parts})"


def fields(node: Node | type[Node]) -> tuple[str, ...]:
    """The names of the fields in order, without the place."""
    return node.__struct_fields__[1:]


# ---- expressions ---------------------------------------------------------------------------------------------------


class Number(Node, frozen=True):
    value: int


class Name(Node, frozen=True):
    name: str


class Nothing(Node, frozen=True):
    """`none`: the absent value."""


class Seat(Node, frozen=True):
    """`seat 2`: the player in that seat, counted from 1."""

    number: int


class Call(Node, frozen=True):
    name: Name
    arguments: tuple[Node, ...]


class Attribute(Node, frozen=True):
    value: Node
    name: Name


class Index(Node, frozen=True):
    value: Node
    indices: tuple[Node, ...]


class Unary(Node, frozen=True):
    """`operator` is one of `- not count sum top tops cards neighbours diagonal surrounding all any`."""

    operator: str
    operand: Node


class CountTrue(Node, frozen=True):
    """`count { a, b }`: how many of the conditions hold."""

    conditions: tuple[Node, ...]


class CellsAt(Node, frozen=True):
    cells: tuple[Node, ...]


class SumOf(Node, frozen=True):
    attribute: Name
    operand: Node


class TokenQuery(Node, frozen=True):
    """`holds T` (operator `holds`) and `place of T` (operator `place`)."""

    operator: str
    token: Name


class Can(Node, frozen=True):
    """`player` None: the player who acts."""

    action: Name
    player: Node | None = None


class AfterThis(Node, frozen=True):
    """A condition in the position after an action."""

    body: Node


class Binary(Node, frozen=True):
    """`operator` is one of `+ - * and or else == != < <= > >= in on fulfils towards between belongs`."""

    operator: str
    left: Node
    right: Node


class Test(Node, frozen=True):
    """`x is empty`, `x is full`, `x is connected`: `operator` is the last word."""

    operator: str
    operand: Node


class Fits(Node, frozen=True):
    board: Node
    cell: Node | None
    width: int
    height: int


class Reads(Node, frozen=True):
    operand: Node
    values: tuple[int, ...]


class Alike(Node, frozen=True):
    """`same`, `distinct` or `ascending` attribute, of a collection or (None) of the matched cells."""

    operator: str
    attribute: Name
    operand: Node | None


class If(Node, frozen=True):
    condition: Node
    then: Node
    otherwise: Node


class CountDistinct(Node, frozen=True):
    """`count distinct attribute`, of a collection or (None) of the matched cells."""

    attribute: Name
    operand: Node | None


class Extreme(Node, frozen=True):
    """`max attribute of x`, `min attribute of x`; `which` is `max` or `min`."""

    which: str
    attribute: Name
    operand: Node


class Where(Node, frozen=True):
    """`x where condition`; `variable` is the name of an element in it (None: attributes are those of the element)."""

    operand: Node
    condition: Node
    variable: Name | None = None


class Range(Node, frozen=True):
    low: int
    high: int


class Comprehension(Node, frozen=True):
    """`(x in domain: body)`, the operand of `count` or `sum`; `other`: except the one in a surrounding variable."""

    variable: Name
    domain: Node
    body: Node
    other: bool = False


class Placements(Node, frozen=True):
    """`(shape on grid: body)`, the operand of `count`."""

    subject: Node
    grid: Node
    body: Node
    separate: bool = False


class Around(Node, frozen=True):
    """`group n around start: body`. `reach` is `diagonally`, `in all directions`, or empty: side by side."""

    variable: Name
    start: Node
    body: Node
    reach: str = ""


class Pair(Node, frozen=True):
    """`(x, y)`, `(x, y) of board`: a cell in a column and a row, or a direction of so many columns and rows."""

    left: Node
    right: Node
    grid: Name | None


class GroupSize(Node, frozen=True):
    """`largest group of same color`: how many cards of the grid are connected; `which` is `largest` or `smallest`."""

    which: str
    attribute: Name
    grid: Node | None


class Repeats(Node, frozen=True):
    """`repeats of { board, player }`: how often all of these were the same when an earlier turn began or ended."""

    items: tuple[Node, ...]


class Table(Node, frozen=True):
    """`by n { 1: 10  2: 20  else 0 }`: a number looked up by another; `otherwise` None: every number has a row."""

    operand: Node
    rows: tuple[tuple[int, int], ...]
    otherwise: int | None


class Quantifier(Node, frozen=True):
    """`kind` is `some every no least most exactly`; `number` counts for the last three."""

    kind: str
    number: int


class PictureCell(Node, frozen=True):
    """A cell of a picture: its content is `#`, `_`, a name, a number or `Y1+Y2`; `maybe`: may be missing (`#?`)."""

    row: int
    column: int
    content: str
    maybe: bool = False

    @property
    def sign(self) -> str:
        """The content as written."""
        return self.content + "?" * self.maybe


class Picture(Node, frozen=True):
    """A grid picture; cells written `.` are omitted. `line`: so many cells in a line, in any direction of the grid."""

    width: int
    height: int
    cells: tuple[PictureCell, ...]
    turned: bool
    mirrored: bool
    line: bool = False


class OverNamed(Node, frozen=True):
    """`some L through c on G: body`: a shape (`separate`: no card twice), a component or `pile`; G None: of objectives."""

    quantifier: Quantifier
    subject: Name
    body: Node
    grid: Node | None = None
    separate: bool = False
    through: Node | None = None


class OverPicture(Node, frozen=True):
    quantifier: Quantifier
    picture: Picture
    body: Node | None
    grid: Node | None = None
    separate: bool = False
    through: Node | None = None


class OverDomain(Node, frozen=True):
    quantifier: Quantifier
    variable: Name
    domain: Node
    body: Node
    other: bool = False


class Pick(Node, frozen=True):
    """`first x in domain: body`, `last ...`: the first element for which the body holds, or `none`."""

    which: str
    variable: Name
    domain: Node
    body: Node
    other: bool = False


# ---- shared parts --------------------------------------------------------------------------------------------------


class Cite(Node, frozen=True):
    source: Name
    section: str


class Reason(Node, frozen=True):
    cite: Cite | None
    words: str


# ---- declarations --------------------------------------------------------------------------------------------------


class Players(Node, frozen=True):
    low: int
    high: int


class Source(Node, frozen=True):
    name: Name
    title: str


class Section(Node, frozen=True):
    name: Name
    cites: tuple[Cite, ...]


class Member(Node, frozen=True):
    name: str
    code: str


NOBODY = -1


class AttributeDeclaration(Node, frozen=True):
    """`kind` is `enum range flag table owner`, the others are its details; an owner's `NOBODY` is no seat; a `state` may change."""

    name: Name
    kind: str
    members: tuple[Member, ...]
    low: int
    high: int
    code: str
    key: Name | None
    rows: tuple[tuple[str, int], ...]
    state: bool = False


class Component(Node, frozen=True):
    """`code` begins the codes of all its faces. `choice`: only values of its one attribute, of the same name; no things."""

    name: Name
    attributes: tuple[AttributeDeclaration, ...]
    code: str = ""
    choice: bool = False


class DeckPart(Node, frozen=True):
    """Either cards (code, number), the name of another deck, or each face a number of times (`every`)."""

    cards: tuple[tuple[Name, int], ...]
    deck: Name | None
    when: Node | None
    every: int = 0


class Deck(Node, frozen=True):
    name: Name
    component: Name
    parts: tuple[DeckPart, ...]


class ZoneKind(Node, frozen=True):
    """`kind` is `pile bag slot grid`; a component or a number range lies in it; grids have a size and may float."""

    kind: str
    component: Name | None
    low: int
    high: int
    width: int
    height: int
    floating: bool
    mask: Picture | None = None
    hexagonal: bool = False


class CellNames(Node, frozen=True):
    """What people call the cells of a grid: from the first to the last one, or each by its place in a picture."""

    first: str
    last: str
    picture: Picture | None = None


class Joins(Node, frozen=True):
    """Lines of cells of a grid, by their names, which decide something here: `named` is those of the grid."""

    lines: tuple[str, ...]
    named: CellNames | None


class Zone(Node, frozen=True):
    name: Name
    size: int | None
    kind: ZoneKind
    per: tuple[Name, ...]
    seen: Name | None
    called: CellNames | None = None
    joins: Joins | None = None


class Token(Node, frozen=True):
    name: Name
    zone: Name


class SetupStep(Node, frozen=True):
    """`kind` is `choose deal put first`. `amount` is the number each receives, 0 for all; `rest`: all that other steps
    leave; `cases` are the lists of `put`, `board` its picture.
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


class Step(Node, frozen=True):
    """An action in the order of play, who does it (None: the player whose turn it is) and its condition."""

    action: Name
    actor: Node | None
    guard: Node | None


class Group(Node, frozen=True):
    """`( ... ) by actor when (guard)`: for every step inside; the actor does those that name nobody else."""

    order: Node
    actor: Node | None
    guard: Node | None = None


class Sequence(Node, frozen=True):
    items: tuple[Node, ...]


class Choice(Node, frozen=True):
    items: tuple[Node, ...]


class Repeat(Node, frozen=True):
    """`high` None: no limit."""

    item: Node
    low: int
    high: int | None


class Turn(Node, frozen=True):
    """The order of play: of each player's turn, or (`rounds`) of a round in which each step says who acts."""

    order: Node
    rounds: bool = False


class Anytime(Node, frozen=True):
    action: Name
    actor: Node


class Var(Node, frozen=True):
    """`kind` is `number bag cell cells named`; `type_name` is the component, the grid or the named type (`flag`, `cells`);
    `each` (a player) if every player has one; `seen` (by) says who sees it; `over` is what else it is divided by.
    """

    name: Name
    kind: str
    type_name: Name | None
    low: int
    high: int
    initial: Node | None
    per: Name
    each: Name | None = None
    seen: Name | None = None
    over: tuple[Name | Range, ...] = ()


class Define(Node, frozen=True):
    name: Name
    parameters: tuple[Name, ...]
    body: Node


class Parameter(Node, frozen=True):
    """`kind` is `element order cell number value`; `names` are the attributes or domains of the value; with `per` (a
    player) all players do the action at once, each with their own value; `below` excludes the top from an order;
    with `chance` the value is drawn, not chosen.
    """

    name: Name
    kind: str
    names: tuple[Name, ...]
    origin: Node | None
    low: int
    high: int
    text: str
    per: Name | None = None
    below: bool = False
    chance: bool = False


class Let(Node, frozen=True):
    name: Name
    value: Node


class Rule(Node, frozen=True):
    """`name` is qualified (`move.once`) outside an action."""

    name: Name
    text: str
    sees: tuple[Name, ...]
    when: Node | None
    require: Node


class Effect(Node, frozen=True):
    """`kind` is `move put return shuffle turn add take set`; `what` (`amount` of it) moves or, maybe of a player, changes."""

    kind: str
    what: Node
    target: Node | None
    when: Node | None
    amount: Node | None = None


class ForEach(Node, frozen=True):
    """The same effects for each element of a collection."""

    variable: Name
    domain: Node
    effects: tuple[Node, ...]


class Action(Node, frozen=True):
    name: Name
    text: str
    parameters: tuple[Parameter, ...]
    statements: tuple[Node, ...]


class ConsequenceParameter(Node, frozen=True):
    """`domain`: it ranges over something; `grid`: over its cells; `value`: it follows from the others."""

    name: Name
    domain: Name | None
    value: Node | None
    grid: Name | None = None


class Consequence(Node, frozen=True):
    """`each_action`: checked after each action, not at the end of a turn; `repeated`: at most `rounds` times (0: as often as needed)."""

    name: Name
    text: str
    parameters: tuple[ConsequenceParameter, ...]
    statements: tuple[Node, ...]
    each_action: bool = False
    repeated: bool = False
    rounds: int = 0


class Ending(Node, frozen=True):
    """`more_turns` None: no more; `others`: none for the player who ended it; `at_once`: checked after every action."""

    name: Name
    text: str
    sees: tuple[Name, ...]
    condition: Node
    more_turns: int | None
    others: bool
    at_once: bool = False


class Score(Node, frozen=True):
    name: Name
    text: str
    sees: tuple[Name, ...]
    value: Node


class Criterion(Node, frozen=True):
    """`kind` is `most fewest shared replayed`."""

    kind: str
    value: Node | None


class Ranking(Node, frozen=True):
    criteria: tuple[Criterion, ...]


class Invariant(Node, frozen=True):
    """A condition on every position; with `between` (`turns` or `rounds`), only on those between two of them."""

    name: Name
    text: str
    sees: tuple[Name, ...]
    each_player: bool
    when: Node | None
    require: Node
    between: str = ""


class Shape(Node, frozen=True):
    """A named shape: one picture, or several alternatives."""

    name: Name
    picture: Picture
    more: tuple[Picture, ...] = ()


class Objective(Node, frozen=True):
    name: Name
    text: str
    condition: Node


# ---- examples ------------------------------------------------------------------------------------------------------


class ItemSet(Node, frozen=True):
    """`{ Y1 Y2 }`, `{ Y1 from 3 }`: codes or numbers, each with the pile it comes from (0: not given)."""

    items: tuple[tuple[str, int], ...]


class CellValue(Node, frozen=True):
    x: int
    y: int


class CellSet(Node, frozen=True):
    """`{ (0, 0) (1, 0) }`."""

    cells: tuple[tuple[int, int], ...]


class Given(Node, frozen=True):
    """`kind` is `value token players`; `value` is a Picture, ItemSet, CellValue, CellSet, Name or Number."""

    kind: str
    name: Name | None
    indices: tuple[str, ...]
    value: Node | None
    number: int


class CallExample(Node, frozen=True):
    action: Name
    arguments: tuple[tuple[str, Node], ...]


class Outcome(Node, frozen=True):
    """`kind` is `yes no then`; `what` a board picture, an action, or None: the position as given."""

    kind: str
    what: Node | None
    name: Name | None
    number: int


class Example(Node, frozen=True):
    name: Name
    text: str
    givens: tuple[Given, ...]
    outcomes: tuple[Outcome, ...]


# ---- overlays and files --------------------------------------------------------------------------------------------


class Change(Node, frozen=True):
    declaration: Node
    reason: Reason | None


class Remove(Node, frozen=True):
    kind: str
    name: Name
    reason: Reason | None


class AddEffect(Node, frozen=True):
    action: Name
    effect: Effect
    reason: Reason | None


class Alternative(Node, frozen=True):
    name: Name
    text: str
    declarations: tuple[Node, ...]


class Ambiguity(Node, frozen=True):
    name: Name
    text: str
    reads: str
    alternatives: tuple[Alternative, ...]
    reason: Reason | None


class Erratum(Node, frozen=True):
    name: Name
    text: str
    printed: tuple[Node, ...]
    reason: Reason | None


class Without(Node, frozen=True):
    variant: Name
    reason: Reason


class Within(Node, frozen=True):
    """What an edition changes when it is played with a variant."""

    variant: Name
    declarations: tuple[Node, ...]


class Include(Node, frozen=True):
    name: Name


class Translation(Node, frozen=True):
    kind: str
    name: Name
    text: str


class Texts(Node, frozen=True):
    language: Name
    translations: tuple[Translation, ...]


class Note(Node, frozen=True):
    """What players are told about an item that differs elsewhere, one entry per sentence."""

    kind: str
    name: Name
    sentences: tuple[str, ...]


class Notes(Node, frozen=True):
    language: Name
    notes: tuple[Note, ...]


class Header(Node, frozen=True):
    """`kind` is `game edition variant part`; `base` is the address below (None: a game); `online`: a program plays by it."""

    kind: str
    name: Name
    base: str | None
    text: str
    online: bool = False


class Document(Node, frozen=True):
    """A whole rules file."""

    header: Header
    declarations: tuple[Node, ...]
