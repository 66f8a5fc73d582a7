"""The checked ruleset: what evaluation and engine work on. Names are resolved, types are known, nothing is left to
look up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pwtool.ir.nodes import Expr
from pwtool.ir.types import Type
from pwtool.lang.merged import Key, Merged
from pwtool.text.source import Span


@dataclass(frozen=True, slots=True)
class AttributeModel:
    """An attribute of a component: its type and its value for every face."""

    name: str
    type: Type
    table: tuple[Any, ...]
    in_code: bool


@dataclass(frozen=True, slots=True)
class ComponentModel:
    """A component: its faces by number, their codes and attributes. `-1` is a face nobody saw, written `?`."""

    name: str
    codes: tuple[str, ...]
    numbers: dict[str, int]
    attributes: dict[str, AttributeModel]


@dataclass(frozen=True, slots=True)
class DeckModel:
    """A deck: parts of (faces with counts, condition on the number of players)."""

    name: str
    component: str
    parts: tuple[tuple[tuple[tuple[int, int], ...], Expr | None], ...]


@dataclass(frozen=True, slots=True)
class ZoneModel:
    """A zone. `dimensions` are `("player", 0)`, `("goal", 0)` and `("number", n)`, outermost first."""

    name: str
    number: int
    kind: str
    element: Type
    dimensions: tuple[tuple[str, int], ...]
    width: int
    height: int
    floating: bool
    seen: str


@dataclass(frozen=True, slots=True)
class TokenModel:
    name: str
    number: int
    zone: int


@dataclass(frozen=True, slots=True)
class VariableModel:
    """A variable; `per` is `turn` or `game`; `initial` None for an empty collection or no value."""

    name: str
    number: int
    type: Type
    initial: Expr | None
    per: str


@dataclass(frozen=True, slots=True)
class SetupModel:
    """A step of the setup. `kind` is `choose deal put first`.

    A deal gives `amount` to each zone of the name (0: everything, `rest`: what other deals leave of the deck);
    `board` is what a put lays on the cells of a grid; `spread`: to each cell of the grid; `owner`: each thing to the player that this attribute of it names.
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
        """Whether a record has to tell how it went: a deal that leaves nothing open does not stand in a record."""
        return self.kind == "deal" and not self.owner


@dataclass(frozen=True, slots=True)
class RuleModel:
    """A named rule: where `when` holds (None: always), `require` has to hold."""

    id: str
    text: str
    sees: tuple[str, ...]
    when: Expr | None
    require: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class ParameterModel:
    """A parameter. `kind`: `element`, `elements` (from `origin`), `tops` (from the zones of a family), `cell`,
    `value`, `number`.

    `exact` is, for a collection, the number of elements that a rule demands (an expression over earlier parameters);
    `each`: all players name a value at once, the argument holds one for each seat.
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


@dataclass(frozen=True, slots=True)
class EffectModel:
    """`kind`: `move put return add set`. For moves `source` tells how: `parameter` (slot), `tops` (slot) or `top`
    (expression).
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


@dataclass(frozen=True, slots=True)
class ActionModel:
    """An action or a consequence: parameters, the named values its rules use, rules and effects, in order."""

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

    @property
    def joint(self) -> bool:
        """Whether all players do it at once."""
        return any(p.each for p in self.parameters)


@dataclass(frozen=True, slots=True)
class OrderStep:
    """A place in the order of play: the action, who acts (None: whose turn it is), under which condition."""

    action: int
    actor: Expr | None
    guard: Expr | None


@dataclass(frozen=True, slots=True)
class OrderModel:
    """The order of play as a position automaton (Glushkov): `follow[0]` is the start, position i is `steps[i - 1]`."""

    steps: tuple[OrderStep, ...]
    follow: tuple[frozenset[int], ...]
    last: frozenset[int]


@dataclass(frozen=True, slots=True)
class EndingModel:
    name: str
    text: str
    sees: tuple[str, ...]
    condition: Expr
    more_turns: int | None
    others: bool
    span: Span
    at_once: bool = False


@dataclass(frozen=True, slots=True)
class ScoreModel:
    name: str
    text: str
    sees: tuple[str, ...]
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class CriterionModel:
    """`kind` is `most` or `fewest` of `value`; `shared` and `replayed` (value None) say what a full tie means."""

    kind: str
    value: Expr | None


@dataclass(frozen=True, slots=True)
class InvariantModel:
    name: str
    text: str
    sees: tuple[str, ...]
    each_player: bool
    when: Expr | None
    require: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class ObjectiveModel:
    """An objective: a condition on one grid, local 0 the piles and 1 the tops by cell number."""

    name: str
    text: str
    condition: Expr
    slots: int
    span: Span


@dataclass(frozen=True, slots=True)
class Ruleset:
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
    merged: Merged
    slots: int
    rounds: bool = False

    @property
    def cycle(self) -> str:
        """What the game goes in: `turn` (of a player) or `round` (of all)."""
        return "round" if self.rounds else "turn"

    def rule(self, rule_id: str) -> RuleModel | None:
        """The rule with this id, None when there is none."""
        for action in (*self.actions.values(), *self.consequences.values()):
            for rule in action.rules:
                if rule.id == rule_id:
                    return rule
        return next((r for r in (*self.turn_rules, *self.setup_rules) if r.id == rule_id), None)

    def text(self, key: Key, english: str, language: str) -> str:
        """The text of an item in a language, else in English."""
        translation = self.merged.texts.get(language, {}).get(key)
        return english if translation is None else translation.text

    def layer_names(self) -> list[str]:
        return [h.name.name for h in self.merged.headers]
