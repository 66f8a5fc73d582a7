"""What is the same in two rulesets under another name. Rulesets are compared under the names of the first: then nothing
else has to know of names.

A pair that is not the same makes forms differ, it never makes them agree: all names are given to all of the second
ruleset at once, and no two things get the same one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain, islice, permutations
from typing import Any, TypeVar

from msgspec.structs import replace

from pwtool.comparing.canonical import Normalizer
from pwtool.comparing.expression_queries import Env
from pwtool.comparing.forms import NormalForm
from pwtool.comparing.items import ON_GRID, Items, timing
from pwtool.ir.model import (
    ActionModel,
    AttributeModel,
    ComponentModel,
    ParameterModel,
    RuleModel,
    Ruleset,
    SetupModel,
    ZoneModel,
)
from pwtool.ir.renaming import renamed
from pwtool.lang.merged import Key
from pwtool.play.game import Game
from pwtool.play.record import Record

_M = TypeVar("_M", bound=Any)
_CONFIRMED = ("component", "zone", "token")
"""What is the same only if something that is said of it is the same."""
FEW = 24
"""Of so many things it is asked what is said of each, and so many orders of parameters are tried."""
SHOWN = 3
"""So many codes of a component are told."""
_PARTS = {"action": ("param",), "consequence": ("param",), "component": ("attribute", "value", "code")}
"""What has a name within an item."""


@dataclass(frozen=True)
class Alike:
    """A game under the names of another one; `names` are the names that it got, by kind and own name."""

    game: Game
    names: dict[Key, str]

    @cached_property
    def twins(self) -> dict[Key, str]:
        """What the game calls an item, by the other's name."""
        parts = {part for kinds in _PARTS.values() for part in kinds}
        return {(kind, new): own for (kind, own), new in self.names.items() if kind not in parts}

    @property
    def items(self) -> Iterator[Key]:
        """The items that have, or contain, other names; by the other's name."""
        yield from self.twins
        for kind in _PARTS:
            for name in getattr(self.game.ruleset, f"{kind}s"):
                if (kind, name) not in self.twins and self.parts((kind, name)):
                    yield kind, name

    def parts(self, key: Key) -> list[tuple[str, str]]:
        """The other's names for parameters, attributes and values in an item, each with the game's own one."""
        of, kinds = f"{self.twins.get(key, key[1])}.", _PARTS.get(key[0], ())
        found = [(kind, new, own) for (kind, own), new in self.names.items() if kind in kinds and own.startswith(of)]
        codes = [one for one in found if one[0] == "code"]
        told = [(new, own.rpartition(".")[2]) for kind, new, own in found if (kind, new, own) not in codes[SHOWN:]]
        return [*dict.fromkeys(told)]

    def own(self, record: Record) -> Record:
        """A record of this game under the game's own names."""
        back = {(kind, new): old for (kind, old), new in self.names.items()}

        def name(kind: str, known: str) -> str:
            return back.get((kind, known), known)

        outcome = record.outcome
        if outcome is not None:
            parts = outcome.parts and {
                seat: {name("score", line): value for line, value in lines.items()}
                for seat, lines in outcome.parts.items()
            }
            ending = outcome.ending and name("ending", outcome.ending)
            outcome = replace(outcome, parts=parts, ending=ending)
        return replace(
            record, goals=[name("objective", goal) for goal in record.goals], outcome=outcome,
            setup={name("setup", step): dealt for step, dealt in record.setup.items()},
            recorded=frozenset(name("consequence", one) for one in record.recorded),
        )  # fmt: skip


@lru_cache(maxsize=4)
def named_alike(game: Game, other: Game) -> Alike:
    """A game in which everything that the other one calls something else has the other's name."""
    names = find_names(other.ruleset, game.ruleset)
    if not names:
        return Alike(game, {})
    return Alike(Game(renamed(game.ruleset, names)), names)


def find_names(first: Ruleset, second: Ruleset) -> dict[Key, str]:
    """The first ruleset's names for what the second calls otherwise, by the second's."""
    names: dict[Key, str] = {}
    for stage in (_components, _zones, _material, _actions, _items):
        names |= stage(first, renamed(second, names))
    doubtful = [key for key in names if key[0] in _CONFIRMED]
    if doubtful:
        said = _Sayings(first, renamed(second, names)).alike()
        gone = {key for key in doubtful if names[key] not in said}
        names = {key: new for key, new in names.items() if key not in gone and not _is_part(key, gone)}
    return names


def _is_part(key: Key, gone: set[Key]) -> bool:
    return key[0] in _PARTS["component"] and ("component", key[1].partition(".")[0]) in gone


# ---- one kind after the other; each under the names found so far (`alike`)


def _components(first: Ruleset, second: Ruleset) -> dict[Key, str]:
    """Components, and the attributes and values of those that both have."""
    names: dict[Key, str] = {}
    ours, theirs = _unmatched(first.components, second.components)
    pairs = {name: name for name in first.components if name in second.components}

    @cache
    def said() -> _Sayings:
        return _Sayings(first, second)

    for name in ours:
        twin = next((o for o in theirs if _parts(first.components[name], second.components[o], said) is not None), None)
        if twin is not None:
            theirs.remove(twin)
            names["component", twin] = name
            pairs[name] = twin
    for name, twin in pairs.items():
        names |= _parts(first.components[name], second.components[twin], said) or {}
    return names


def _parts(a: ComponentModel, b: ComponentModel, said: Callable[[], _Sayings]) -> dict[Key, str] | None:
    """The names of the attributes, values and codes of the second component; None if its things are not those of the first."""
    if a.choice != b.choice or len(a.codes) != len(b.codes) or len(a.attributes) != len(b.attributes):
        return None
    ours, theirs = _unmatched(a.attributes, b.attributes)
    for asked in (said, None):
        order = _faces(a, b, asked)
        found = _attributes(a, b, order, [*a.attributes], [*b.attributes])
        if len({found.get(name, (name,))[0] for name in b.attributes}) < len(b.attributes):
            # An attribute that has changed keeps its name.
            found = _attributes(a, b, order, ours, theirs)
        if len(found) == len(b.attributes):
            break
    if len(found) < len(b.attributes):
        if a.name != b.name:
            return None
        # Things are known by their codes, and what these stand for may have other names.
        found = (
            {own: pair for own, pair in found.items() if b.attributes[own].in_code}
            if a.numbers.keys() == b.numbers.keys()
            else {}
        )
    names: dict[Key, str] = {}
    for own, (new, values) in found.items():
        names |= {("attribute", f"{b.name}.{own}"): new} if own != new else {}
        names |= {("value", f"{b.name}.{own}.{old}"): value for old, value in values.items() if old != value}
    codes = ((b.codes[face], code) for face, code in zip(order, a.codes, strict=True))
    return names | {("code", f"{b.name}.{own}"): code for own, code in codes if own != code}


def _faces(a: ComponentModel, b: ComponentModel, said: Callable[[], _Sayings] | None = None) -> list[int]:
    """For each thing of the first component that of the second: with the same code; else with the same values; else without a
    value that both have and only one of these things, those first of which the same is `said`; else in their order. Without
    `said`, by codes and order alone.
    """
    found = {face: b.numbers[code] for face, code in enumerate(a.codes) if code in b.numbers}
    taken = set(found.values())
    left = [
        [face for face in range(len(a.codes)) if face not in found],
        [f for f in range(len(b.codes)) if f not in taken],
    ]
    unlike = _unmatched(a.attributes, b.attributes)
    pairs = [(x, b.attributes[name]) for name, x in a.attributes.items() if name in b.attributes]
    pairs += [(a.attributes[x], b.attributes[y]) for x, y in zip(*unlike, strict=False)]
    both = [set(x.table) & set(y.table) for x, y in pairs]

    def same(face: int, other: int) -> bool:
        return all(x.table[face] == y.table[other] for x, y in pairs)

    def perhaps(face: int, other: int) -> bool:
        return all(
            x.table[face] == y.table[other] or not {x.table[face], y.table[other]} & shared
            for (x, y), shared in zip(pairs, both, strict=True)
        )

    @cache
    def told(face: int, side: int) -> list[list[str]]:
        values = [pair[side].table[face] for pair in pairs]
        assert said is not None
        return [said().of(name, side) for name in ((a, b)[side].codes[face], *values) if isinstance(name, str)]

    def alike(face: int, other: int) -> bool:
        return len(left[0]) <= FEW and perhaps(face, other) and told(face, 0) == told(other, 1)

    for fits in (*((same, alike, perhaps) if said is not None else ()), lambda face, other: True):
        for face in [*left[0]]:
            other = next((o for o in left[1] if fits(face, o)), None)
            if other is not None:
                found[face] = other
                left[0].remove(face)
                left[1].remove(other)
    return [found[face] for face in range(len(a.codes))]


def _attributes(
    a: ComponentModel, b: ComponentModel, order: list[int], ours: list[str], theirs: list[str]
) -> dict[str, tuple[str, dict[Any, Any]]]:
    """For each attribute of the second component that the first has, too: its name there, and those of its values. Those that
    have the same name are tried first, others if they are among these.
    """
    found: dict[str, tuple[str, dict[Any, Any]]] = {}
    for x in a.attributes.values():
        some = [y for y in b.attributes.values() if y.name == x.name or (x.name in ours and y.name in theirs)]
        for y in sorted(some, key=lambda y: y.name != x.name):
            values = None if y.name in found else _values(x, y, order)
            if values is not None:
                found[y.name] = x.name, values
                break
    return found


def _values(x: AttributeModel, y: AttributeModel, order: list[int]) -> dict[Any, Any] | None:
    """What the values of the second attribute are in the first; None if it is another one."""
    if (x.type.kind, x.state, x.in_code) != (y.type.kind, y.state, y.in_code):
        return None
    pairs = {y.table[face]: value for face, value in zip(order, x.table, strict=True)}
    if tuple(pairs[y.table[face]] for face in order) != x.table or len(set(pairs.values())) < len(pairs):
        return None
    return pairs if x.type.kind == "member" or all(old == new for old, new in pairs.items()) else None


def _zones(first: Ruleset, alike: Ruleset) -> dict[Key, str]:
    def form(zone: ZoneModel, side: int) -> Any:
        return replace(zone, name="", number=0, columns=(), rows=(), names=())

    pairs = _paired(first.zones, alike.zones, form, sayings=lambda: _Sayings(first, alike))
    return {("zone", new): old for new, old in pairs}


def _material(first: Ruleset, alike: Ruleset) -> dict[Key, str]:
    """Tokens, variables, decks and the steps of the setup."""
    items = _makers(first, alike)
    zones = [{zone.number: name for name, zone in ruleset.zones.items()} for ruleset in (first, alike)]

    @cache
    def said() -> _Sayings:
        return _Sayings(first, alike)

    tokens = _paired(first.tokens, alike.tokens, lambda token, side: zones[side][token.zone])
    variables = _paired(
        first.variables, alike.variables, lambda v, _: replace(v, name="", number=0),
        # Bounds and first values may differ; how long they last, if the same is said of them.
        lambda v, _: (v.type.kind, v.type.component, v.type.attribute, v.type.element, v.per, v.each),
        lambda v, side: (v.type.kind, v.type.component, v.type.attribute, v.type.element, v.each, said().of(v.name, side)),
        sayings=said,
    )  # fmt: skip
    decks = dict(_paired(first.decks, alike.decks, lambda deck, side: items[side].deck(deck)))
    ours, theirs = ({step.name: step for step in r.setup if step.kind in ("deal", "put")} for r in (first, alike))

    def dealt(step: SetupModel, side: int) -> Any:
        return items[side].form(replace(step, deck=decks.get(step.deck, step.deck) if side else step.deck))

    steps = dict(_paired(ours, theirs, dealt, lambda step, side: (step.kind, zones[side][step.zone]), _text))
    # What is dealt to the same places in the same step may be another deck.
    dealing = {(steps.get(name, name), step.deck) for name, step in theirs.items()}
    used = [{(step.name, step.deck) for step in ours.values()}, dealing]
    decks |= _paired(
        {name: deck for name, deck in first.decks.items() if name not in decks.values()},
        {name: deck for name, deck in alike.decks.items() if name not in decks},
        lambda deck, side: {step for step, of in used[side] if of == deck.name} or deck.name,
        lambda deck, _: deck.component,
    )
    found = {"token": tokens, "deck": decks.items(), "var": variables, "setup": steps.items()}
    return {(kind, new): old for kind, pairs in found.items() for new, old in pairs}


def _actions(first: Ruleset, alike: Ruleset) -> dict[Key, str]:
    """Actions and consequences that do the same, and the parameters of those that both have."""
    names: dict[Key, str] = {}
    items = _makers(first, alike)
    # They may ask about each other, and about themselves.
    open_ = dict.fromkeys(chain(*_unmatched(first.actions, alike.actions)), "?")
    for kind in ("actions", "consequences"):
        ours, theirs = getattr(first, kind), getattr(alike, kind)

        def rule(pair: tuple[ActionModel, RuleModel], side: int) -> str:
            env = items[side].names.locals_of(_numbered(pair[0]))
            return repr(_masked(items[side].names.rule(pair[1], env), open_))

        def done(model: ActionModel, side: int) -> Any:
            bare = _numbered(model)
            return _masked((items[side].asked(bare), items[side].done(bare), timing(bare)), open_)

        def whole(model: ActionModel, side: int) -> Any:
            return done(model, side), sorted(rule((model, one), side) for one in model.rules)

        def said(model: ActionModel, side: int) -> list[str]:
            bare = replace(model, name="")
            env = items[side].names.locals_of(bare)
            forms = [(items[side].asked(bare), items[side].done(bare), timing(bare))]
            return [
                repr(_masked(form, open_)) for form in (*forms, *(items[side].names.rule(r, env) for r in bare.rules))
            ]

        for new, old in _paired(ours, theirs, whole, done, _text):
            names[kind.removesuffix("s"), new] = old
            rules = [{one.id: (model, one) for one in model.rules} for model in (ours[old], theirs[new])]
            pairs = dict(
                _paired(rules[0], rules[1], rule, lambda pair, _: _suffix(pair[1].id), lambda pair, _: pair[1].text)
            )
            taken = {*rules[0], *pairs.values()}
            for id_ in rules[1]:
                other = pairs.get(id_) or f"{old}.{_suffix(id_)}"
                while id_ not in pairs and other in taken:
                    # A rule that got the name of another one would be lost.
                    other += "_"
                taken.add(other)
                names["rule", id_] = other
            same = _parameters(ours[old], theirs[new], said)
            names |= {("param", f"{new}.{own}"): name for own, name in same.items()}
        for name in ours.keys() & theirs.keys():
            same = _parameters(ours[name], theirs[name], said)
            names |= {("param", f"{name}.{own}"): other for own, other in same.items()}
    return names


def _parameters(
    ours: ActionModel, theirs: ActionModel, said: Callable[[ActionModel, int], list[str]]
) -> dict[str, str]:
    """The first action's names for parameters of the second, by its own: those with which most of what is `said` is the same."""
    left = _unmatched({p.name: p for p in ours.parameters}, {p.name: p for p in theirs.parameters})
    kinds = [{p.name: _kind(p) for p in model.parameters} for model in (ours, theirs)]
    one, other = ({name: known[name] for name in names} for known, names in zip(kinds, left, strict=True))
    pairs = dict(_paired(one, other, lambda kind, _: kind))
    if not pairs:
        return {}

    def called(model: ActionModel, names: Mapping[str, str]) -> ActionModel:
        # Behind a sign, so that a parameter is never taken for an action of its name.
        return replace(model, parameters=tuple(replace(p, name=names.get(p.name, p.name)) for p in model.parameters))

    own = {name: f"{name}'" for name in one}
    whole = Counter(said(called(ours, own), 0))

    def likeness(names: Mapping[str, str]) -> int:
        theirs_named = {name: own[names[name]] if name in names else f'{name}"' for name in other}
        return (whole & Counter(said(called(theirs, theirs_named), 1))).total()

    others = (dict(zip(pairs, order, strict=True)) for order in islice(permutations(pairs.values()), FEW))
    fitting = [names for names in others if all(kinds[0][names[x]] == kinds[1][x] for x in names)]
    best = max(fitting, key=likeness)
    # What nothing is said of may have any name; otherwise something has to be the same under this one.
    unsaid = whole == Counter(said(called(ours, {name: f'{name}"' for name in one}), 0))
    return best if unsaid or likeness(best) > likeness({}) else {}


def _items(first: Ruleset, alike: Ruleset) -> dict[Key, str]:
    """Rules, endings, score lines, invariants and objectives that say the same."""
    items = _makers(first, alike)
    names: dict[Key, str] = {}

    def rules(ruleset: Ruleset) -> dict[str, dict[str, tuple[Any, Env]]]:
        found: dict[str, dict[str, tuple[Any, Env]]] = {}
        side = items[ruleset is alike]
        for rule in (*ruleset.turn_rules, *ruleset.setup_rules):
            found.setdefault(rule.id.partition(".")[0], {})[rule.id] = rule, {}
        for action in (*ruleset.actions.values(), *ruleset.consequences.values()):
            env = side.names.locals_of(action)
            found.setdefault(action.name, {}).update({rule.id: (rule, env) for rule in action.rules})
        return found

    ours, theirs = rules(first), rules(alike)
    for owner in ours.keys() & theirs.keys():
        pairs = _paired(
            ours[owner], theirs[owner], lambda rule, side: items[side].names.rule(*rule), lambda rule, _: rule[0].text
        )
        names |= {("rule", new): old for new, old in pairs}
    for kind in ("ending", "score", "invariant", "objective"):
        held = [getattr(r, f"{kind}s") for r in (first, alike)]
        sides = [of if isinstance(of, dict) else {model.name: model for model in of} for of in held]
        env = ON_GRID if kind == "objective" else {}

        def form(model: Any, side: int, env: Env = env) -> Any:
            return items[side].form(model, env)

        names |= {(kind, new): old for new, old in _paired(sides[0], sides[1], form, _text)}
    return names


# ---- forms


def _makers(first: Ruleset, alike: Ruleset) -> tuple[Items, Items]:
    ours, theirs = first.components, alike.components
    faces = all(ours[name] == theirs[name] for name in ours.keys() & theirs.keys())
    counts = list(range(first.min_players, first.max_players + 1))
    one, other = (Items(Normalizer(ruleset, faces), counts) for ruleset in (first, alike))
    return one, other


def _text(model: Any, side: int) -> Any:
    """What players read of something; its name if they read nothing."""
    return model.text or (side, model.name)


def _kind(parameter: ParameterModel, side: int = 0) -> Any:
    # Of several attributes, the order makes no difference.
    options = tuple(sorted(parameter.type.options, key=repr))
    return parameter.kind, replace(parameter.type, options=options), parameter.each


def _suffix(rule: str) -> str:
    return rule.partition(".")[2]


def _numbered(action: ActionModel) -> ActionModel:
    """An action whose name says nothing, and whose parameters have numbers as names."""
    return replace(
        action, name="", parameters=tuple(replace(p, name=str(at)) for at, p in enumerate(action.parameters))
    )


def _masked(form: Any, signs: Mapping[str, str]) -> Any:
    """A form with signs in place of names, and its parts in an order that no name decides."""
    if not isinstance(form, tuple):
        return signs.get(form, form) if isinstance(form, str) else form
    parts = tuple(_masked(part, signs) for part in form)
    match parts:
        case ("Linear" | "Below" | "Zero" as head, (constant, *factors), *terms):
            # That something is zero says the same with all signs changed.
            both = (1, -1) if head == "Zero" else (1,)
            return head, *min(
                (sign * constant, *sorted(repr((sign * f, t)) for f, t in zip(factors, terms, strict=True)))
                for sign in both
            )
        case ("And" | "Or" | "Concat" | "Repeats" as head, *some):
            return head, *sorted(map(repr, some))
    return parts


class _Sayings:
    """What both rulesets say of their things, whatever else has other names."""

    def __init__(self, first: Ruleset, alike: Ruleset) -> None:
        self.forms = [dict(items.items()) for items in _makers(first, alike)]
        self.words = [{key: set(_words(form)) for key, form in forms.items()} for forms in self.forms]
        one, other = (set().union(*words.values()) for words in self.words)
        self.others = one ^ other

    def of(self, name: str, side: int) -> list[str]:
        """Everything that one side says of something; a component says only in which order its values come."""
        told = (key for key, words in self.words[side].items() if name in words and key[0] != "component")
        signs = dict.fromkeys(self.others, "?") | {name: "*"}
        return sorted(repr(_masked(self.forms[side][key], signs)) for key in told)

    def alike(self) -> set[str]:
        """Every name that occurs in something that both say alike, other than where it is declared."""
        one, other = self.forms
        # Orders without a name list steps and actions, which may be called like a zone.
        same = [key for key, form in one.items() if key[1] and other.get(key) == form]
        return set().union(*(self.words[0][key] - ({key[1]} if key[0] in _CONFIRMED else set()) for key in same))


def _words(form: NormalForm) -> Iterator[str]:
    """All words in a form."""
    pending: list[Any] = [form]
    while pending:
        part = pending.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, tuple):
            pending += part


def _unmatched(first: Mapping[str, _M], second: Mapping[str, _M]) -> tuple[list[str], list[str]]:
    """What only one of them has, on either side."""
    ours = [name for name in first if name not in second]
    return ours, [name for name in second if name not in first] if ours else []


def _paired(
    first: Mapping[str, _M],
    second: Mapping[str, _M],
    *forms: Callable[[_M, int], Any],
    sayings: Callable[[], _Sayings] | None = None,
) -> Iterator[tuple[str, str]]:
    """The second's and the first's name of each thing that has the same form on both sides, and other names; then of those left
    that have the next form. Where several have it, that of which the same is said (`sayings`), otherwise the first one.
    """
    ours, theirs = _unmatched(first, second)
    if not theirs:
        return
    said = sayings() if sayings is not None and len(ours) + len(theirs) > 2 else None
    exact = [] if said is None else [lambda x, side: (forms[0](x, side), said.of(x.name, side))]
    for form in [*exact, *forms]:
        left = [(name, form(second[name], 1)) for name in theirs]
        for name in [*ours]:
            own = form(first[name], 0)
            twin = next((other for other in left if other[1] == own), None)
            if twin is not None:
                left.remove(twin)
                theirs.remove(twin[0])
                ours.remove(name)
                yield twin[0], name
