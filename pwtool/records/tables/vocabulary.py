"""The names in the records of a ruleset, by number: everything that is needed to unpack them without the ruleset.

A file of packed records contains the vocabularies of its records, so that they can be read under any later rules. If a
vocabulary is that of the current ruleset, its kernel reads the records directly.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from pwtool.ir.model import ActionModel, Ruleset, VariableModel
from pwtool.ir.types import Type
from pwtool.records.variables_json import kept
from pwtool.text.speech import Told

MAX_WORD = 200
"""The most characters of a word: one byte of a packed record may stand for a whole word."""
MAX_WORDS = 100_000
KINDS = ("face", "member", "int", "bool", "player", "goal", "cell", "key")


class Value(Struct, frozen=True, omit_defaults=True):
    """A value: its kind, the component of a face, and whether a key may be a Boolean."""

    kind: str
    component: str = ""
    truth: bool = False


class Parameter(Struct, frozen=True, omit_defaults=True):
    """A parameter. `form`: `one` value, a `list`, the `tops` of piles, or `each` player's; `optional`: whether it may be omitted."""

    name: str
    form: str
    value: Value
    optional: bool = False


class Action(Struct, frozen=True, omit_defaults=True):
    """An action or a consequence; `joint`: whether all players do it at once."""

    name: str
    parameters: tuple[Parameter, ...]
    joint: bool = False


class Step(Struct, frozen=True, omit_defaults=True):
    """A step of the setup: `single`: whether each zone gets one card; `dimensions` of the zone by kind and size, or
    `rows` and columns of a grid.
    """

    name: str
    component: str
    single: bool = False
    dimensions: tuple[tuple[str, int], ...] = ()
    rows: tuple[int, int] | None = None


class Place(Struct, frozen=True, omit_defaults=True):
    """A zone of a position: its kind (`grid`, `slot` or `list`), what lies there, and its dimensions by kind
    and size.
    """

    name: str
    kind: str
    value: Value
    dimensions: tuple[tuple[str, int], ...] = ()


class Kept(Struct, frozen=True, omit_defaults=True):
    """A variable of a position, and its number among all variables. `form`: `one` value, a `list`, or `each` player's;
    `optional`: whether a value may be none.
    """

    name: str
    form: str
    value: Value
    optional: bool = False
    number: int = 0


class Vocabulary(Struct, frozen=True, omit_defaults=True):
    """All of a ruleset's words. `goals` is the setup's name for the objectives in play; `rounds`: whether turns have no
    player; `zones`, `tokens` (and whether each lies in one of several zones) and `variables` are those of positions that
    games begin from, in files that have such games.
    """

    goals: str
    objectives: tuple[str, ...]
    components: tuple[tuple[str, tuple[str, ...]], ...]
    members: tuple[str, ...]
    steps: tuple[Step, ...]
    actions: tuple[Action, ...]
    consequences: tuple[Action, ...]
    lines: tuple[str, ...]
    endings: tuple[str, ...]
    rounds: bool = False
    zones: tuple[Place, ...] = ()
    tokens: tuple[tuple[str, bool], ...] = ()
    variables: tuple[Kept, ...] = ()

    def without_positions(self) -> Vocabulary:
        """The words of games that begin from their setup."""
        return replace(self, zones=(), tokens=(), variables=())

    def problem(self) -> str:
        """Why this is not a valid vocabulary; empty if it is."""
        kinds = [p.value for a in (*self.actions, *self.consequences) for p in a.parameters]
        kinds += [*(zone.value for zone in self.zones), *(variable.value for variable in self.variables)]
        known = {"", *(name for name, _ in self.components)}
        words = [
            self.goals, *self.objectives, *(w for name, codes in self.components for w in (name, *codes)),
            *self.members, *self.lines, *self.endings, *(s.name for s in self.steps),
            *(a.name for a in (*self.actions, *self.consequences)),
            *(p.name for a in (*self.actions, *self.consequences) for p in a.parameters),
            *(zone.name for zone in self.zones), *(v.name for v in self.variables), *(name for name, _ in self.tokens),
        ]  # fmt: skip
        if len(words) > MAX_WORDS or any(len(word) > MAX_WORD for word in words):
            return Told("it has too many words, or one that is too long")
        good = all(v.kind in KINDS and v.component in known for v in kinds)
        good = good and all(step.component in known for step in self.steps)
        divided = [d[0] for step in self.steps for d in step.dimensions]
        divided += [d[0] for zone in self.zones for d in zone.dimensions]
        good = good and all(name in ("player", "goal", "number") for name in divided)
        good = good and all(zone.kind in ("grid", "slot", "list") for zone in self.zones)
        good = good and all(variable.form in ("one", "list", "each") for variable in self.variables)
        return "" if good else Told("it has values that are not known here")


def vocabulary_of(ruleset: Ruleset, positions: bool = False) -> Vocabulary:
    """The vocabulary of a ruleset; with `positions`, also for games that begin from one."""
    zones = list(ruleset.zones.values())
    steps = []
    for step in ruleset.setup:
        if step.recorded:
            zone = zones[step.zone]
            dimensions = () if step.spread else tuple((name, size) for name, size in zone.dimensions)
            rows = (zone.height, zone.width) if step.spread else None
            steps.append(Step(step.name, zone.element.component, step.amount == 1, dimensions, rows))
    words = Vocabulary(
        goals=ruleset.goal_zone,
        objectives=tuple(ruleset.objectives),
        components=tuple((name, tuple(c.codes)) for name, c in ruleset.components.items()),
        members=members_of(ruleset),
        steps=tuple(steps),
        actions=tuple(map(_action, ruleset.actions.values())),
        consequences=tuple(map(_action, ruleset.consequences.values())),
        lines=tuple(score.name for score in ruleset.scores),
        endings=tuple(ending.name for ending in ruleset.endings),
        rounds=ruleset.rounds,
    )
    if not positions:
        return words
    return replace(
        words,
        zones=tuple(
            Place(z.name, z.kind if z.kind in ("grid", "slot") else "list", _value(z.element), tuple(z.dimensions))
            for z in zones
        ),
        tokens=tuple((t.name, bool(zones[t.zone].dimensions)) for t in ruleset.tokens.values()),
        variables=tuple(map(_kept, kept(ruleset).values())),
    )


def members_of(ruleset: Ruleset) -> tuple[str, ...]:
    """The members of all attributes, in the kernels' order."""
    found = dict.fromkeys(
        value
        for component in ruleset.components.values()
        for attribute in component.attributes.values()
        for value in (attribute.table if attribute.type.kind == "member" else ())
    )
    return tuple(map(str, found))


def _action(model: ActionModel) -> Action:
    parameters = []
    for p in model.parameters:
        type_ = p.type.element or p.type if p.listed or p.kind == "tops" or p.each else p.type
        form = "tops" if p.kind == "tops" else "list" if p.listed else "each" if p.each else "one"
        parameters.append(Parameter(p.name, form, _value(type_), p.kind == "derived"))
    return Action(model.name, tuple(parameters), model.joint)


def _kept(variable: VariableModel) -> Kept:
    t = variable.type
    if t.is_collection:
        return Kept(variable.name, "list", _value(t.element or t), number=variable.number)
    return Kept(variable.name, "each" if variable.each else "one", _value(t), t.optional, variable.number)


def _value(type_: Type) -> Value:
    truth = type_.kind == "key" and any(option.kind == "bool" for option in type_.options)
    truth = truth and not any(option.kind == "int" for option in type_.options)
    return Value(type_.kind, type_.component if type_.kind == "face" else "", truth)
