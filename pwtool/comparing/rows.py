"""The differences between two rulesets, item by item."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import gcd

from msgspec import structs

from pwtool.comparing.attributes import has_others, with_all_attributes
from pwtool.comparing.canonical import Normalizer
from pwtool.comparing.drop_unreachable import settle_rows
from pwtool.comparing.exploring import CROWDED, Crowded, settle_by_exploring
from pwtool.comparing.expression_queries import Env
from pwtool.comparing.forms import ELSEWHERE, NOTHING, TRUE, NormalForm, all_of, contains
from pwtool.comparing.items import Items, components_in_use, decks_in_use, reachable, timing, zones_in_use
from pwtool.comparing.objectives import compare_objectives
from pwtool.comparing.orders import compare_orders
from pwtool.comparing.prover import Comparison, alike, compare_conditions, compare_values
from pwtool.comparing.renames import named_alike
from pwtool.comparing.row import ORDERS, Row, proven
from pwtool.comparing.words import deck_difference, with_definitions, words_of
from pwtool.ir.access import is_simultaneous
from pwtool.ir.ahead import looks_ahead
from pwtool.ir.grids import cells_of
from pwtool.ir.model import ActionModel, RuleModel, Ruleset, SetupModel
from pwtool.lang import tree as n
from pwtool.lang.merged import Key
from pwtool.play.game import Game
from pwtool.text.speech import Told, mark

_MATERIAL = ("component", "deck", "zone", "token")
_UNKNOWN = Told("what this item does is not compared")
_SAME = Told("the same form")
_UNUSED: dict[str, tuple[Callable[[Ruleset], set[str]], str]] = {
    "zone": (zones_in_use, Told("nothing comes there and nothing asks about it")),
    "deck": (decks_in_use, Told("it is not dealt")),
    "component": (components_in_use, Told("no zone holds it and nothing asks about it")),
}
"""What is used of a kind of material, and what is true of the rest."""


def compare_rulesets(first: Game, second: Game, crowded: Crowded = CROWDED) -> list[Row]:
    """Every item in which two rulesets differ, in words or in meaning; equal items are left out. `crowded` says when exploring
    positions stops.
    """
    first, second = with_all_attributes(first, second)
    rows = differing_items(first, second)
    second = named_alike(second, first).game
    rows = settle_rows(first, second, rows)
    return settle_by_exploring(first, second, rows, crowded)


def differing_items(first: Game, second: Game) -> list[Row]:
    """Every item in which two rulesets differ, each considered on its own: a difference between two rules may never occur in play."""
    return _Comparer(*with_all_attributes(first, second)).all_rows()


def shared_items(first: Game, second: Game) -> int:
    """The number of items that are the same, word for word."""
    a, b = first.ruleset.merged.items, second.ruleset.merged.items
    return sum(1 for key, node in a.items() if key in b and b[key] == node)


class _Comparer:
    def __init__(self, first: Game, second: Game) -> None:
        self.named = named_alike(second, first)
        second = self.named.game
        self.games = (first, second)
        self.rulesets = (first.ruleset, second.ruleset)
        ours, theirs = first.ruleset.components, second.ruleset.components
        alike = all(ours[name] == theirs[name] for name in ours.keys() & theirs.keys())
        self.names = (Normalizer(first.ruleset, alike), Normalizer(second.ruleset, alike))
        self.items = (first.ruleset.merged.items, second.ruleset.merged.items)
        counts = first.ruleset.counts_with(second.ruleset) or first.ruleset.counts_with(first.ruleset)
        self.makers = tuple(Items(names, list(counts)) for names in self.names)
        self.forms = tuple(dict(maker.items()) for maker in self.makers)
        self.settled: set[Key] = set()
        """Items that are written differently but proven to mean the same, or that differ only because something else does."""
        self.derived: set[Key] = set()

    def all_rows(self) -> list[Row]:
        """The rows of all items; items that no pass has settled are undecided."""
        rows = [*self.rows()]
        rows += self.called_otherwise({(r.kind, r.name) for r in rows})
        told = {(r.kind, r.name) for r in rows} | self.settled
        if any(r.nature in ("material", "setup", "semantic") for r in rows):
            told |= self.derived
        for key in dict.fromkeys([*self.forms[0], *self.forms[1]]):
            if key not in told and self.differs(key):
                rows.append(self.row(key, "semantic", "undecided", "", "" if key in ORDERS else _UNKNOWN))
        return [self.with_names(row) for row in rows]

    def differs(self, key: Key) -> bool:
        """Whether the forms of an item in the two rulesets differ."""
        a, b = (forms.get(key) for forms in self.forms)
        if key == ("setup", "") and a is not None and b is not None:
            return _reordered(*(r.setup for r in self.rulesets))
        if not key[1] and key[0] in ("consequence", "ending") and a is not None and b is not None:
            # The order of what both have: what only one has gets a row of its own.
            return [name for name in a if name in b] != [name for name in b if name in a]
        return a != b

    def rows(self) -> Iterator[Row]:
        yield from self.material()
        yield from self.order()
        for kind in ("actions", "consequences"):
            yield from self.actions(kind)
        yield from self.variables()
        yield from self.between_turns()
        yield from self.endings()
        yield from self.scores()
        yield from self.objectives()
        yield from self.invariants()
        yield from self.open_points()

    def texts(self, key: Key) -> tuple[str, str]:
        first, second = self.items
        if key in ORDERS:
            a, b = (", ".join(forms.get(key, ())) for forms in self.forms)
            return a, b
        a, b = words_of(first.get(key)), words_of(second.get(key))
        return with_definitions(a, b, self.items) if a == b else (a, b)

    def keys(self, *kinds: str) -> list[Key]:
        return [key for key in dict.fromkeys([*self.items[0], *self.items[1]]) if key[0] in kinds]

    def unequal(self, *kinds: str) -> Iterator[tuple[Key, n.Node | None, n.Node | None]]:
        for key in self.keys(*kinds):
            a, b = self.items[0].get(key), self.items[1].get(key)
            if a != b:
                yield key, a, b

    # ---- items that need no game

    def material(self) -> Iterator[Row]:
        for key in self.keys(*_MATERIAL, "players", "setup"):
            a, b = self.items[0].get(key), self.items[1].get(key)
            nature = "material" if key[0] in _MATERIAL else "setup"
            unlike = self.differs(key)
            if key[0] == "players":
                unlike = any(self.differs(("ruleset", name)) for name in ("min_players", "max_players"))
                self.settled |= {("ruleset", "min_players"), ("ruleset", "max_players")}
            if a == b:
                # It contains something that differs and has a row of its own.
                self.derived |= {key} if unlike else set()
            elif key[0] in _UNUSED and not self.is_used(key):
                self.settled.add(key)
                yield self.row(key, "wording", "no_effect", "", _UNUSED[key[0]][1])
            elif key[0] == "deck" and self.dealt_alike(key[1]):
                self.settled.add(key)
                proof = _SAME if a is not None and b is not None else Told("the same cards are dealt")
                yield self.row(key, "wording", _status(a, b) if None in (a, b) else "reworded", "", proof)
            elif unlike or a is None or b is None:
                shown = deck_difference(a, b, self.rulesets) if isinstance(a, n.Deck) and isinstance(b, n.Deck) else ""
                yield self.row(key, nature, _status(a, b), "", "", shown)
            elif key[0] == "component" and has_others(self.rulesets[0].components[key[1]]):
                # Like definitions, numbers are told where they are read.
                self.settled.add(key)
            else:
                same = "" if _silent(a) == _silent(b) else _SAME
                yield self.row(key, "wording", "reworded", "", self.called(key) or same)

    def dealt_alike(self, deck: str) -> bool:
        """Whether what is dealt from a deck of one ruleset is dealt from a deck of the other in the same steps."""
        pools = [maker.pools() for maker in self.makers]
        return all(deck not in own or own[deck] in other.values() for own, other in (pools, pools[::-1])) and any(
            deck in own for own in pools
        )

    def is_used(self, key: Key) -> bool:
        """Whether a game uses a kind of material, or a deck is in one that is dealt and differs."""
        used = set().union(*(_UNUSED[key[0]][0](r) for r in self.rulesets))
        return key[1] in used or (key[0] == "deck" and not all(map(self.dealt_alike, used)))

    def called(self, key: Key) -> str:
        """How the names of the cells of a zone differ: records written by hand do not mean the same."""
        if key[0] != "zone":
            return ""
        a, b = (r.zones[key[1]] for r in self.rulesets)
        if not (a.names_cells or b.names_cells):
            return ""
        other = [(a.cell_name(at), b.cell_name(at)) for at in cells_of(a.grid) if a.cell_name(at) != b.cell_name(at)]
        if not other:
            return ""
        (old, new), *more = other
        if not more:
            return Told("`{old}` is called `{new}`", old=old, new=new)
        return Told("`{old}` is called `{new}`, {more} more have other names", old=old, new=new, more=len(more))

    def variables(self) -> Iterator[Row]:
        """The lifetime, the initial value and the bounds of variables. A variable that only one ruleset has makes no difference by
        itself: whatever reads or changes it is reported.
        """
        for key in [k for k in dict.fromkeys([*self.forms[0], *self.forms[1]]) if k[0] == "var"]:
            if key not in self.forms[0] or key not in self.forms[1]:
                self.settled.add(key)
            elif self.differs(key):
                # Who can see it makes no difference to any game.
                models = [structs.replace(r.variables[key[1]], seen="") for r in self.rulesets]
                same = self.makers[0].form(models[0]) == self.makers[1].form(models[1])
                yield self.row(key, "material" if same else "semantic", "different", "")

    def open_points(self) -> Iterator[Row]:
        for key, a, b in self.unequal("ambiguity", "erratum"):
            if a is not None and b is not None and _as_said(a) == _as_said(b):
                continue
            nature = "clarification" if key[0] == "ambiguity" else "erratum"
            yield self.row(key, nature, _status(a, b), "")
        without = [r.merged.without for r in self.rulesets]
        for name in sorted(without[0].keys() ^ without[1].keys()):
            gone = name in without[0]
            status, direction = ("only_second", "permissive") if gone else ("only_first", "stricter")
            sides = Told("not played"), Told("can be played")
            yield Row("variant", name, "semantic", status, direction, sides[not gone], sides[gone])

    def with_names(self, row: Row) -> Row:
        """The row of an item with the names that the second ruleset has for it and for what it contains."""
        key = (row.kind, row.name)
        parts = self.named.parts(key) if row.nature == "wording" else ()
        other = [Told("`{old}` is `{new}`", old=old, new=new) for old, new in parts]
        said = mark("{names}") if row.kind == "component" else mark("in records {names}")
        told = Told(said, names=other) if other else ""
        return replace(row, twin=self.named.twins.get(key, ""), proof=proven(row.proof, told))

    def called_otherwise(self, told: set[Key]) -> Iterator[Row]:
        """The rows of items that differ in names alone."""
        for key in self.named.items:
            if key not in told and key[0] != "var":
                yield self.row(key, "wording", "reworded", "")

    def row(self, key: Key, nature: str, status: str, direction: str, proof: str = "", example: str = "") -> Row:
        return Row(key[0], key[1], nature, status, direction, *self.texts(key), proof, example)

    # ---- items that are compared by their meaning

    def order(self) -> Iterator[Row]:
        found = compare_orders(*self.names)
        key = ("turn", "")
        if self.rulesets[0].rounds != self.rulesets[1].rounds:
            yield self.row(key, "semantic", "different", "incomparable")
            self.settled.add(("ruleset", "rounds"))
        elif found.undecided:
            yield self.row(key, "semantic", "undecided", "", Told("the conditions of its steps could not be compared"))
        elif not found.same:
            words = [" ".join(w) for w in (found.only_first, found.only_second) if w]
            direction = _direction(found.only_first is not None, found.only_second is not None)
            yield self.row(key, "semantic", "different", direction, Told("all turns"), " / ".join(words))
        elif self.items[0].get(key) != self.items[1].get(key):
            yield self.row(key, "wording", "reworded", "", Told("all turns of both orders"))
        self.settled.add(key)
        known = [r.actions for r in self.rulesets]
        for key, a, b in self.unequal("anytime"):
            if not all(key[1] in actions for actions in known):
                # The row of the action says that only one ruleset has it: when it can be done is no separate difference.
                self.settled.add(key)
            elif self.differs(key):
                yield self.row(key, "semantic", _status(a, b), _direction(a is not None, b is not None))

    def actions(self, kind: str) -> Iterator[Row]:
        first, second = (getattr(r, kind) for r in self.rulesets)
        used = [reachable(r) for r in self.rulesets]
        word = kind.removesuffix("s")
        for name in dict.fromkeys([*first, *second]):
            a, b = first.get(name), second.get(name)
            key = (word, name)
            if word == "action" and not any(name in names for names in used):
                if self.items[0].get(key) != self.items[1].get(key):
                    yield self.row(key, "wording", "no_effect", "", Told("no turn contains it"))
                continue
            if a is None or b is None:
                gone = a is None
                yield self.row(
                    key, "semantic", "only_second" if gone else "only_first", "permissive" if gone else "stricter"
                )
                self.settled |= {("rule", r.id) for model in (a, b) if model is not None for r in model.rules}
                continue
            if word == "action" and not all(name in names for names in used):
                # The order of play shows that only one of them can do it.
                self.settled |= {key, *(("rule", r.id) for model in (a, b) for r in model.rules)}
                continue
            asked = [maker.asked(model) for maker, model in zip(self.makers, (a, b), strict=True)]
            done = [maker.done(model) for maker, model in zip(self.makers, (a, b), strict=True)]
            if asked[0] != asked[1] or timing(a) != timing(b) or not self.done_alike(a, b, done):
                # With the same arguments the same is allowed; a difference in the effects is neither more permissive nor stricter.
                direction = "incomparable" if asked[0] != asked[1] else ""
                yield self.row(key, "semantic", "different", direction)
            elif self.items[0].get(key) != self.items[1].get(key):
                yield self.row(key, "wording", "reworded", "")
            # An item reported here is settled: it differs, or it is the same.
            self.settled.add(key)
            for row in self.rules(a.rules, b.rules, (a, b)):
                # Whether a consequence comes is neither more permissive nor stricter.
                yield replace(row, direction="") if word == "consequence" else row

    def done_alike(self, a: ActionModel, b: ActionModel, done: list[NormalForm]) -> bool:
        """Whether two actions do the same: by their forms, otherwise effect by effect in all cases that the rules of both allow, if
        these still hold when the effect happens.
        """
        if done[0] == done[1]:
            return True
        if len(done[0]) != len(done[1]) or any(looks_ahead(rule) for action in (a, b) for rule in action.rules):
            # A rule that looks ahead sees the effects even where other rules refuse the action.
            return False
        envs = [names.locals_of(action) for names, action in zip(self.names, (a, b), strict=True)]
        allowed = [
            all_of(names.rule(r, env) for r in action.rules)
            for names, env, action in zip(self.names, envs, (a, b), strict=True)
        ]
        untouched = all(is_simultaneous(action) for action in (a, b))
        premise = allowed[0] if untouched and allowed[0] == allowed[1] else TRUE
        for ours, theirs in zip(*done, strict=True):
            one, other = dict(ours), dict(theirs)
            if {**one, "value": None, "when": None} != {**other, "value": None, "when": None}:
                return False
            whens = [x["when"] if x["when"] is not None else TRUE for x in (one, other)]
            reached = [all_of([premise, when]) for when in whens]
            if not self.compared(reached[0], reached[1]).same:
                return False
            values = [x["value"] for x in (one, other)]
            if values[0] != values[1]:
                if None in values or one["kind"] not in ("add", "set"):
                    return False
                worth = [("If", (), reached[0], value, NOTHING) for value in values]
                same = alike(values[0], values[1], self.names) or compare_values(worth[0], worth[1], self.names).same
                if not same:
                    return False
        return True

    def rules(
        self,
        first: tuple[RuleModel, ...],
        second: tuple[RuleModel, ...],
        owners: tuple[ActionModel, ActionModel] | None,
    ) -> Iterator[Row]:
        envs: list[Env] = [{}, {}]
        if owners is not None:
            envs = [names.locals_of(owner) for names, owner in zip(self.names, owners, strict=True)]
        found = [
            {r.id: names.rule(r, env) for r in rules}
            for rules, names, env in zip((first, second), self.names, envs, strict=True)
        ]
        together = all_of(found[0].values()) == all_of(found[1].values())
        for name in dict.fromkeys([*found[0], *found[1]]):
            key = ("rule", name)
            if together and found[0].get(name) != found[1].get(name):
                self.settled.add(key)
                status = "reworded" if name in found[0] and name in found[1] else "no_effect"
                yield self.row(key, "wording", status, "", Told("all rules together say the same"))
            elif name not in found[0] or name not in found[1]:
                status, direction = (
                    ("only_second", "stricter") if name not in found[0] else ("only_first", "permissive")
                )
                yield from self.alone(key, status, direction, found)
            else:
                yield from self.judged(key, self.compared(found[0][name], found[1][name]), "semantic")

    def alone(self, key: Key, status: str, direction: str, found: list[dict[str, NormalForm]]) -> Iterator[Row]:
        """A rule that only one ruleset has: the other rules may forbid what it forbids."""
        side = 0 if status == "only_first" else 1
        rule, others = found[side][key[1]], all_of(found[1 - side].values())
        # The values of variables, and what can be done, may themselves differ between the two.
        open_ = contains(rule, *ELSEWHERE)
        if rule == TRUE or (not open_ and compare_conditions(others, rule, self.names).only_first is False):
            yield self.row(key, "wording", "no_effect", "", Told("what it forbids is forbidden anyway"))
        else:
            yield self.row(key, "semantic", status, direction)

    def compared(self, first: NormalForm, second: NormalForm) -> Comparison:
        """Two conditions compared by their forms, otherwise over all cases."""
        found = Comparison(False, False) if first == second else compare_conditions(first, second, self.names)
        return Comparison(False, False) if not found.same and alike(first, second, self.names) else found

    def judged(self, key: Key, found: Comparison, nature: str) -> Iterator[Row]:
        """The row of a rule that was compared; none if both say it in the same words."""
        if found.same:
            self.settled.add(key)
            if self.items[0].get(key) != self.items[1].get(key):
                forms = [form.get(key) for form in self.forms]
                proof = _SAME if not found.cases and forms[0] == forms[1] else _cases(found)
                yield self.row(key, "wording", "reworded", "", proof)
            return
        if found.same is None:
            yield self.row(key, nature, "undecided", "", _too_many(found))
            return
        direction = _direction(bool(found.only_first), bool(found.only_second)) if found.whole else ""
        yield self.row(key, nature, "different", direction, _cases(found))

    def between_turns(self) -> Iterator[Row]:
        yield from self.rules(self.rulesets[0].turn_rules, self.rulesets[1].turn_rules, None)
        for row in self.rules(self.rulesets[0].setup_rules, self.rulesets[1].setup_rules, None):
            yield replace(row, nature="setup") if row.nature == "semantic" else row

    def endings(self) -> Iterator[Row]:
        first, second = ({e.name: e for e in r.endings} for r in self.rulesets)
        for name in dict.fromkeys([*first, *second]):
            key = ("ending", name)
            a, b = first.get(name), second.get(name)
            if a is None or b is None:
                yield self.row(key, "semantic", "only_second" if a is None else "only_first", "incomparable")
            elif (a.more_turns, a.others, a.at_once) != (b.more_turns, b.others, b.at_once):
                yield self.row(key, "semantic", "different", "incomparable")
            else:
                conditions = [names.condition(e.condition) for names, e in zip(self.names, (a, b), strict=True)]
                for row in self.judged(key, self.compared(*conditions), "semantic"):
                    # Ending earlier or later is neither more permissive nor stricter.
                    direction = "incomparable" if row.direction else ""
                    yield replace(row, direction=direction)

    def scores(self) -> Iterator[Row]:
        first, second = ({s.name: s for s in r.scores} for r in self.rulesets)
        for name in dict.fromkeys([*first, *second]):
            key = ("score", name)
            a, b = first.get(name), second.get(name)
            if a is None or b is None:
                yield self.row(key, "semantic", "only_second" if a is None else "only_first", "")
                continue
            values = [names.form(s.value) for names, s in zip(self.names, (a, b), strict=True)]
            if values[0] != values[1]:
                found = compare_values(values[0], values[1], self.names)
                same = not found.same and alike(values[0], values[1], self.names)
                yield self.valued(key, Comparison(False, False) if same else found)
            elif self.items[0].get(key) != self.items[1].get(key):
                yield self.row(key, "wording", "reworded", "", _SAME)
        ranking = [
            _criteria([_criterion(c.kind, names.form(c.value)) for c in r.ranking])
            for r, names in zip(self.rulesets, self.names, strict=True)
        ]
        key = ("ranking", "")
        if ranking[0] != ranking[1]:
            yield self.row(key, "semantic", "different", "")
        elif self.differs(key):
            yield self.row(key, "wording", "reworded", "", _SAME)

    def valued(self, key: Key, found: Comparison) -> Row:
        """The row of a number that is written differently."""
        if found.same is None:
            return self.row(key, "semantic", "undecided", "", _too_many(found))
        status, nature = ("reworded", "wording") if found.same else ("different", "semantic")
        return self.row(key, nature, status, "", _cases(found))

    def objectives(self) -> Iterator[Row]:
        boards = [r.board and structs.replace(r.board, number=0, name="") for r in self.rulesets]
        for row in compare_objectives(*self.games, boards[0] == boards[1], self.forms):
            self.settled.add((row.kind, row.name))
            yield row
        if boards[0] != boards[1]:
            # The words are the same but the board differs: that belongs to the zone's row.
            self.derived |= {
                k for k in self.forms[0] if k[0] == "objective" and self.items[0].get(k) == self.items[1].get(k)
            }

    def invariants(self) -> Iterator[Row]:
        first, second = ({i.name: i for i in r.invariants} for r in self.rulesets)
        for name in dict.fromkeys([*first, *second]):
            key = ("invariant", name)
            a, b = first.get(name), second.get(name)
            if a is None or b is None:
                yield self.row(key, "position", "only_second" if a is None else "only_first", "")
            elif (a.between, a.each_player) != (b.between, b.each_player):
                direction = "" if a.each_player != b.each_player else "permissive" if b.between else "stricter"
                yield self.row(key, "position", "different", direction)
            else:
                forms = [k.rule(i, {}) for k, i in zip(self.names, (a, b), strict=True)]
                yield from self.judged(key, self.compared(*forms), "position")


def _reordered(first: tuple[SetupModel, ...], second: tuple[SetupModel, ...]) -> bool:
    """Whether steps of the setup that both have come in a different order, if they take from the same deck or lay to the same
    zone. Steps that each take a fixed number of cards from a deck are equivalent in any order.
    """
    places = {step.name: at for at, step in enumerate(second)}
    both = [step for step in first if step.name in places]
    swapped = [(a, b) for at, a in enumerate(both) for b in both[at + 1 :] if places[a.name] > places[b.name]]
    return any(_meet(a, b) for a, b in swapped)


def _meet(a: SetupModel, b: SetupModel) -> bool:
    counted = all(step.kind == "deal" and step.recorded and step.amount for step in (a, b))
    return a.zone == b.zone or (a.deck == b.deck and not counted)


def _criterion(kind: str, value: NormalForm) -> NormalForm:
    """A ranking criterion: the fewest of a number is the most of its negation, and a constant distinguishes nobody."""
    if kind not in ("most", "fewest"):
        return (kind, value)
    terms = dict(zip(value[2:], value[1][1:], strict=True)) if value[0] == "Linear" else {value: 1}
    terms = {term: factor for term, factor in terms.items() if term[0] != "Const"}
    if not terms:
        return ("most", ())
    sign = 1 if kind == "most" else -1
    shared = gcd(*terms.values())
    return ("most", tuple(sorted(((t, sign * f // shared) for t, f in terms.items()), key=repr)))


def _criteria(forms: list[NormalForm]) -> list[NormalForm]:
    """The criteria that distinguish players: a tie by one is still a tie by the same one again, or by its negation."""
    kept: list[NormalForm] = []
    for form in forms:
        # That a tie is shared says that it is meant to be.
        if (
            form[0] == "shared"
            or form == ("most", ())
            or (form[0] == "most" and any(form[1] in (k[1], _contrary(k[1])) for k in kept if k[0] == "most"))
        ):
            continue
        kept.append(form)
    return kept


def _contrary(terms: NormalForm) -> NormalForm:
    return tuple((term, -factor) for term, factor in terms)


def _cases(found: Comparison) -> str:
    """What was examined."""
    if not found.cases:
        return Told("part by part the same")
    if not found.whole:
        return Told("some of {count} cases of what they ask about", count=found.cases)
    return Told(
        "{cases} case of what they ask about", "{cases} cases of what they ask about", found.cases, cases=found.cases
    )


def _too_many(found: Comparison) -> str:
    return Told("more than {count} cases to go through", count=found.cases)


def _direction(only_first: bool, only_second: bool) -> str:
    if only_first and only_second:
        return "incomparable"
    return "stricter" if only_first else "permissive" if only_second else ""


def _status(a: n.Node | None, b: n.Node | None) -> str:
    return "only_second" if a is None else "only_first" if b is None else "different"


def _as_said(node: n.Node) -> n.Node:
    """An open point in its own words: what a reading changes is written differently if its surroundings differ."""
    if isinstance(node, n.Ambiguity):
        alternatives = tuple(structs.replace(a, declarations=()) for a in node.alternatives)
        return structs.replace(node, reason=None, alternatives=alternatives)
    return structs.replace(node, reason=None) if isinstance(node, n.Erratum) else node


def _silent(node: n.Node) -> list[object]:
    """The part of a node that matters: everything but its words and citations."""
    return [getattr(node, name) for name in n.fields(node) if name not in ("text", "sees")]
