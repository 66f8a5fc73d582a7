"""The checked ruleset, input of evaluation and engine. Names are resolved and types are known; nothing has to be looked up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from pwtool.ir.grids import FLOATING, Cell, Grid, cells_of
from pwtool.ir.nodes import And, Expr, Not
from pwtool.ir.types import Type
from pwtool.text.source import Span

if TYPE_CHECKING:
    from pwtool.lang.merged import Key, Merged


class AttributeModel(msgspec.Struct, frozen=True):
    """An attribute of a component: its type and its value for every face. `state`: whether actions may change it."""

    name: str
    type: Type
    table: tuple[Any, ...]
    in_code: bool
    state: bool = False


class ComponentModel(msgspec.Struct, frozen=True):
    """A component: its faces by number, their codes and attributes. `-1` is an unseen face, written `?`."""

    name: str
    codes: tuple[str, ...]
    numbers: dict[str, int]
    attributes: dict[str, AttributeModel]
    choice: bool = False
    """Whether there are no such things, only the values of its attribute."""
    first: tuple[int, ...] = ()
    """What each face is before anything changes its state; empty if nothing does."""

    def at_first(self, face: int) -> int:
        """What a thing was before anything changed its state: decks count by that."""
        return self.first[face] if self.first else face

    def turned(self, attribute: str, value: Any) -> tuple[int, ...]:
        """What each face becomes where an attribute gets another value."""
        others = [model.table for name, model in self.attributes.items() if model.in_code and name != attribute]
        faces = {
            (*(table[face] for table in others), held): face
            for face, held in enumerate(self.attributes[attribute].table)
        }
        return tuple(faces[*(table[face] for table in others), value] for face in range(len(self.codes)))


class DeckModel(msgspec.Struct, frozen=True):
    """A deck: parts of (faces with counts, condition on the number of players)."""

    name: str
    component: str
    parts: tuple[tuple[tuple[tuple[int, int], ...], Expr | None], ...]


class ZoneModel(msgspec.Struct, frozen=True):
    """A zone. `dimensions` are `("player", 0)`, `("goal", 0)` and `("number", n)`, outermost first; `places` are the
    values of an attribute that the numbers stand for. People may call a cell by its column and row (`columns`, `rows`),
    or by a name of its own (`names`, row by row, "" for one without).
    """

    name: str
    number: int
    kind: str
    element: Type
    dimensions: tuple[tuple[str, int], ...]
    width: int
    height: int
    floating: bool
    seen: str
    mask: str = ""
    hexagonal: bool = False
    columns: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    joined: tuple[tuple[Cell, ...], ...] = ()
    places: tuple[str, ...] = ()

    def place_name(self, number: int) -> str:
        """What people call one of its places."""
        return self.places[number - 1] if self.places else str(number)

    @property
    def grid(self) -> Grid:
        """The cells of a grid."""
        return FLOATING if self.floating else self.lying

    @property
    def lying(self) -> Grid:
        """The cells of a grid; of one that floats, those within its size."""
        return Grid(self.width, self.height, self.mask, self.hexagonal, joined=self.joined)

    def cell_name(self, cell: Cell) -> str:
        """What people call a cell: its name, or its column and row."""
        return self.own_name(cell) or f"({cell[0]}, {cell[1]})"

    def own_name(self, cell: Cell) -> str:
        """The name of a cell, "" if it has none."""
        x, y = cell
        if not self.names_cells or not self.grid.has(cell):
            return ""
        return self.columns[x] + self.rows[y] if self.columns else self.names[y * self.width + x]

    def cell_named(self, name: str) -> Cell | None:
        """The cell of this name, in capitals or not; None if there is none."""
        wanted = name.casefold()
        return next((cell for cell in cells_of(self.grid) if self.own_name(cell).casefold() == wanted), None)

    @property
    def names_cells(self) -> bool:
        """Whether its cells have names."""
        return bool(self.columns or self.names)

    def column_name(self, x: int) -> str:
        """What is written above a column."""
        return self.columns[x] if self.columns else str(x)

    def row_name(self, y: int) -> str:
        """What is written beside a row."""
        return self.rows[y] if self.rows else str(y)


class TokenModel(msgspec.Struct, frozen=True):
    name: str
    number: int
    zone: int


class VariableModel(msgspec.Struct, frozen=True):
    """A variable. `per` is `turn` or `game`; `initial` is None for an empty collection or no value; with `each`, every
    player has one, with a value of its `type`; `seen` (by) is `all`, `owner` or `none`.
    """

    name: str
    number: int
    type: Type
    initial: Expr | None
    per: str
    each: bool = False
    seen: str = "all"

    def seen_by(self, viewer: int, owner: int) -> bool:
        """Whether the seat `viewer` sees the value of the seat `owner` (-1: of the game)."""
        return self.seen == "all" or (self.seen == "owner" and viewer == owner)

    @property
    def held(self) -> Type:
        """The type of everything that it holds."""
        return Type("each", element=self.type) if self.each else self.type


class SetupModel(msgspec.Struct, frozen=True):
    """A step of the setup. `kind` is `choose`, `deal`, `put` or `first`.

    A deal gives `amount` to each zone of the name (0: everything, `rest`: what other deals leave of the deck); `board`
    is what a put lays on the cells of a grid; `spread`: to each cell of the grid; `owner`: each thing goes to the
    player that this attribute of it names.
    """

    name: str
    kind: str
    text: str
    amount: int
    deck: str
    zone: int
    cell: tuple[int, int] | None
    manner: str
    cases: tuple[tuple[tuple[int, ...], Expr | None], ...]
    sees: tuple[str, ...]
    span: Span
    rest: bool = False
    board: tuple[tuple[tuple[int, int], tuple[int, ...]], ...] = ()
    spread: bool = False
    owner: str = ""

    @property
    def recorded(self) -> bool:
        """Whether a record has to contain its result: a deal that leaves nothing open is not recorded."""
        return self.kind == "deal" and not self.owner


def refusal(when: Expr | None, require: Expr) -> Expr:
    """Whether something is refused that has to be so if `when` holds (None: always)."""
    broken = Not(operand=require)
    return broken if when is None else And(left=when, right=broken)


class RuleModel(msgspec.Struct, frozen=True):
    """A named rule: if `when` holds (None: always), `require` has to hold."""

    id: str
    text: str
    sees: tuple[str, ...]
    when: Expr | None
    require: Expr
    span: Span


class ParameterModel(msgspec.Struct, frozen=True):
    """A parameter. `kind`: `element`, `elements` (from `origin`), `tops` (from the zones of a family), `order` (of
    `origin`, made by chance; `below`: the top keeps its place), `cell`, `value`, `number`; with `chance`, it is drawn
    by chance and nobody chooses it.

    `exact` is, for a collection, the number of elements that a rule demands (an expression over earlier parameters);
    with `each`, all players name a value at once, and the argument holds one for each seat.
    """

    name: str
    slot: int
    kind: str
    type: Type
    zone: int
    origin: Expr | None
    text: str
    span: Span
    exact: Expr | None = None
    each: bool = False
    below: bool = False
    chance: bool = False

    @property
    def listed(self) -> bool:
        """Whether the argument is a list of things."""
        return self.kind in ("elements", "order")


class EffectModel(msgspec.Struct, frozen=True):
    """An effect. `kind`: `move put return shuffle turn add set each`. For moves, `source` is `parameter` (slot), `tops`
    (slot), `top` (of a pile), `some` (`amount` things of a pile), `whole` (a pile) or `found` (a thing, from `origin`).
    A shuffle puts `origin` into the order that a parameter (slot) names. `each` runs `effects` with the local `slot`
    holding each element of a collection (`value`), which is computed before the first iteration. `seat` says whose
    variable is added to or set, if it is per player. A thing that is turned (`whole`, `found` or `last`, as with moves)
    stays where it is, and becomes what `faces` says of its face.
    """

    kind: str
    when: Expr | None
    source: str = ""
    slot: int = 0
    value: Expr | None = None
    target: Expr | None = None
    cell: Expr | None = None
    number: int = 0
    origin: Expr | None = None
    amount: Expr | None = None
    effects: tuple[EffectModel, ...] = ()
    seat: Expr | None = None
    faces: tuple[int, ...] = ()

    @property
    def all(self) -> Iterator[EffectModel]:
        """This effect and all nested ones."""
        yield self
        for effect in self.effects:
            yield from effect.all

    @property
    def moves_parameter(self) -> bool:
        """Whether it moves something that a player names."""
        return self.kind == "move" and self.source in ("parameter", "tops")

    @property
    def parts(self) -> tuple[Expr | None, ...]:
        """The expressions in the effect itself, without nested ones."""
        return self.when, self.value, self.target, self.cell, self.origin, self.amount, self.seat


class ActionModel(msgspec.Struct, frozen=True):
    """An action or a consequence: parameters, the named values its rules use, rules and effects, in order. A
    consequence may come after `each_action`, and be `repeated` at most `rounds` times, a number that is written or
    `counted`.
    """

    name: str
    number: int
    text: str
    parameters: tuple[ParameterModel, ...]
    lets: tuple[tuple[str, int, Expr], ...]
    rules: tuple[RuleModel, ...]
    effects: tuple[EffectModel, ...]
    slots: int
    span: Span
    is_consequence: bool = False
    each_action: bool = False
    repeated: bool = False
    rounds: int = 0
    counted: bool = False

    @property
    def all_effects(self) -> tuple[EffectModel, ...]:
        """Its effects, each before those nested in it."""
        return tuple(inner for effect in self.effects for inner in effect.all)

    @property
    def joint(self) -> bool:
        """Whether all players do it at once."""
        return any(p.each for p in self.parameters)

    @property
    def shuffles(self) -> bool:
        """Whether chance plays a part: it makes a parameter's value or order."""
        return any(p.kind == "order" or p.chance for p in self.parameters)

    @property
    def left_to_chance(self) -> bool:
        """Whether chance alone chooses the arguments."""
        return bool(self.parameters) and all(p.kind == "order" or p.chance for p in self.parameters)


class OrderStep(msgspec.Struct, frozen=True):
    """A place in the order of play: the action, who acts (None: the player whose turn it is), and under which condition."""

    action: int
    actor: Expr | None
    guard: Expr | None


class OrderModel(msgspec.Struct, frozen=True):
    """The order of play as a position automaton (Glushkov): `follow[0]` is the start, position i is `steps[i - 1]`."""

    steps: tuple[OrderStep, ...]
    follow: tuple[frozenset[int], ...]
    last: frozenset[int]


class EndingModel(msgspec.Struct, frozen=True):
    name: str
    text: str
    sees: tuple[str, ...]
    condition: Expr
    more_turns: int | None
    others: bool
    span: Span
    at_once: bool = False


class ScoreModel(msgspec.Struct, frozen=True):
    name: str
    text: str
    sees: tuple[str, ...]
    value: Expr
    span: Span


class CriterionModel(msgspec.Struct, frozen=True):
    """A criterion for the ranking. `kind` is `most` or `fewest` of `value`; `shared` and `replayed` (value None) say
    what a full tie means.
    """

    kind: str
    value: Expr | None


class InvariantModel(msgspec.Struct, frozen=True):
    """A condition on every position; with `between` only on those between two turns (or rounds)."""

    name: str
    text: str
    sees: tuple[str, ...]
    each_player: bool
    when: Expr | None
    require: Expr
    span: Span
    between: bool = False


class ObjectiveModel(msgspec.Struct, frozen=True):
    """An objective: a condition on one grid, local 0 the piles and 1 the tops by cell number."""

    name: str
    text: str
    condition: Expr
    slots: int
    span: Span


class Origin:
    """What a ruleset was made from: the trees of its layers. A stored ruleset reads them on demand. `stored` names the
    form in which it is stored: two of the same name are the same, made by the same program; "" if it is not stored.
    """

    def __init__(self, merged: Merged | None = None, read: Callable[[], Merged] | None = None) -> None:
        self._merged, self._read = merged, read
        self.stored = ""

    def __eq__(self, other: object) -> bool:
        # Two rulesets are equal if their contents are.
        return isinstance(other, Origin)

    def __hash__(self) -> int:
        return 0

    def __reduce__(self) -> tuple[Any, ...]:
        # The files may not exist where it is loaded.
        return Origin, (self.merged,)

    @property
    def merged(self) -> Merged:
        """The merged tree."""
        if self._merged is None:
            assert self._read is not None
            self._merged = self._read()
        return self._merged


class Ruleset(msgspec.Struct, frozen=True):
    """A checked ruleset. "It loads" implies "it can play"."""

    address: str
    title: str
    version: str
    min_players: int
    max_players: int
    components: dict[str, ComponentModel]
    decks: dict[str, DeckModel]
    zones: dict[str, ZoneModel]
    tokens: dict[str, TokenModel]
    variables: dict[str, VariableModel]
    setup: tuple[SetupModel, ...]
    setup_rules: tuple[RuleModel, ...]
    actions: dict[str, ActionModel]
    order: OrderModel
    anytime: tuple[OrderStep, ...]
    turn_rules: tuple[RuleModel, ...]
    consequences: dict[str, ActionModel]
    endings: tuple[EndingModel, ...]
    scores: tuple[ScoreModel, ...]
    ranking: tuple[CriterionModel, ...]
    invariants: tuple[InvariantModel, ...]
    objectives: dict[str, ObjectiveModel]
    board: ZoneModel | None
    goal_zone: str
    slots: int
    rounds: bool = False
    histories: tuple[tuple[Expr, ...], ...] = ()
    origin: Origin = msgspec.field(default_factory=Origin)

    def counts_with(self, other: Ruleset) -> range:
        """The numbers of players that both allow."""
        return range(max(self.min_players, other.min_players), min(self.max_players, other.max_players) + 1)

    def cell_name(self, cell: Cell, grid: Grid | None) -> str:
        """What people call a cell of a grid, if all zones that have names for it call it the same; else its column and row."""
        meant = [zone for zone in self.zones.values() if zone.names_cells and grid in (None, zone.grid)]
        names = {zone.cell_name(cell) for zone in meant}
        return names.pop() if len(names) == 1 else f"({cell[0]}, {cell[1]})"

    def cell_named(self, name: str, grid: Grid | None) -> Cell | None:
        """The cell of a grid that all zones with names for it call so; None if there is none."""
        meant = [zone for zone in self.zones.values() if zone.names_cells and grid in (None, zone.grid)]
        cells = {zone.cell_named(name) for zone in meant}
        return cells.pop() if len(cells) == 1 else None

    @property
    def recordable(self) -> tuple[str, ...]:
        """The consequences that a record may contain: those at the end of a turn."""
        return tuple(c.name for c in self.consequences.values() if not c.each_action)

    @property
    def claiming(self) -> bool:
        """Whether actions or consequences name objectives, which claims them."""
        models = (*self.actions.values(), *self.consequences.values())
        return any(p.type.kind == "goal" for model in models for p in model.parameters)

    @property
    def idle(self) -> frozenset[int]:
        """The actions that are possible at any time and only shuffle: they do not advance the game."""
        in_order = {step.action for step in self.order.steps}
        only_shuffle = (a for a in self.actions.values() if a.effects and all(e.kind == "shuffle" for e in a.effects))
        return frozenset(a.number for a in only_shuffle) - in_order

    @property
    def merged(self) -> Merged:
        """The merged tree of all items, and what each layer changed in it."""
        return self.origin.merged

    @property
    def cycle(self) -> str:
        """The unit in which the game proceeds: `turn` (of a player) or `round` (of all)."""
        return "round" if self.rounds else "turn"

    def rule(self, rule_id: str) -> RuleModel | None:
        """The rule with this id, None if there is none."""
        for action in (*self.actions.values(), *self.consequences.values()):
            for rule in action.rules:
                if rule.id == rule_id:
                    return rule
        return next((r for r in (*self.turn_rules, *self.setup_rules) if r.id == rule_id), None)

    def text(self, key: Key, english: str, language: str) -> str:
        """The text of an item in a language, or in English if it is missing."""
        if language == "en":
            return english
        translation = self.merged.texts.get(language, {}).get(key)
        return english if translation is None else translation.text

    def layer_names(self) -> list[str]:
        return [h.name.name for h in self.merged.headers]
