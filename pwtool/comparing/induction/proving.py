"""Two rulesets are the same game if from every position that play can reach the same actions are legal, lead to the same
position, end alike and score alike. That is proven here by induction over the steps of play, for each number of players.

A place in play is the player whose turn it is, and how far the turn has come in the order of both games. At each place there is
an arbitrary position, of which only what was proven to hold there is known (`invariants.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import product
from typing import Any

from msgspec import Struct

from pwtool.comparing.canonical import Normalizer
from pwtool.comparing.induction.actions import available, bound, carry_out, in_bounds, origins, refused
from pwtool.comparing.induction.beginning import dealt, set_first_values
from pwtool.comparing.induction.checking import Checker
from pwtool.comparing.induction.guesses import Guess, dependences, guesses, of_everybody
from pwtool.comparing.induction.invariants import BEGIN, AnyGuess, Invariants, Place, Side
from pwtool.comparing.induction.limits import limits, values
from pwtool.comparing.induction.order import ways
from pwtool.comparing.induction.position import Position, alike, empty_zone, piles_of, unlike
from pwtool.comparing.induction.reading import Locals, Reader
from pwtool.comparing.induction.shared import (
    AlikeParts,
    alike_actions,
    check_declared,
    names_of,
    parts_of,
    read_by_action,
    treated_by,
)
from pwtool.comparing.induction.terms import (
    NOTHING,
    Open,
    Unread,
    Value,
    Work,
    World,
    conj,
    disj,
    equal,
    negated,
    same,
    total,
)
from pwtool.comparing.items import Items, asks_for_order, expressions
from pwtool.comparing.row import Row
from pwtool.ir.access import read_by, written_by_effect
from pwtool.ir.model import ActionModel, RuleModel, Ruleset, SetupModel
from pwtool.kernel.material import material_of
from pwtool.play.game import Game
from pwtool.play.record import EVERYBODY

MAX_WORK = 6_000_000
"""The limit of one proof at ordinary effort: an operation that is read costs 1, a question what is known when it is asked and
what the solver says it took: about a minute."""
MOST_COUNTS = 400
"""Things are listed one by one in every zone if there are no more numbers than this."""


class Proof(Struct, frozen=True):
    """A proof that two rulesets are the same game: at how many places in play how many steps were compared."""

    places: int
    steps: int


def prove_same(first: Game, second: Game, rows: Sequence[Row], effort: float = 1.0) -> Proof | None:
    """A proof that no game from a setup tells two rulesets apart; None if there is none within the work."""
    a, b = first.ruleset, second.ruleset
    try:
        check_declared(a, b, rows)
    except (Open, Unread):
        return None
    work = Work(round(MAX_WORK * effort))
    # Most proofs need little, and what the rules ask takes long to read.
    for conditions, closer in ((False, False), (True, False), (True, True)):
        with suppress(Open, Unread):
            proof = _Proof(a, b, work, conditions, closer)
            places = sum(proof.run(players) for players in range(a.min_players, a.max_players + 1))
            return Proof(places, proof.steps)
    return None


class _Proof:
    """The proof for one number of players after the other."""

    def __init__(self, a: Ruleset, b: Ruleset, work: Work, conditions: bool, closer: bool) -> None:
        self.makers = makers = [Items(Normalizer(r), list(range(a.min_players, a.max_players + 1))) for r in (a, b)]
        forms = [dict(maker.items()) for maker in makers]
        unlike = {key for key in forms[0].keys() | forms[1].keys() if forms[0].get(key) != forms[1].get(key)}
        self.alike = AlikeParts(a, b, makers)
        changed = {name.split(".")[0] for kind, name in unlike if kind in ("action", "consequence", "rule")}
        same = alike_actions(a, changed | self.alike.changed_by_bounds)
        self.sides = (Side(a, same), Side(b, same))
        self.ordered = asks_for_order(a) or asks_for_order(b)
        self.bags, self.grids = (frozenset(z.name for z in a.zones.values() if z.kind == k) for k in ("bag", "grid"))
        self.goals = sum(s.amount for s in a.setup if s.kind == "choose")
        related = treated_by(a, unlike) | treated_by(b, unlike) if closer else set()
        self.guesses: list[AnyGuess] = [*guesses(a, b, conditions), *limits(a, b, related)]
        if closer:
            parts = [list(expressions(parts_of(ruleset, unlike))) for ruleset in (a, b)]
            self.guesses += [*of_everybody(a, b, parts), *dependences(a, b, parts, related), *values(a, b, related)]
        self.kept = [names_of(a)[p][1] for items in a.histories for p in read_by(*items) if p[0] == "variable"]
        """The variables that histories keep."""
        self.steps, self.work, self.closer = 0, work, closer

    def run(self, players: int) -> int:
        """Compare all places in play with this number of players."""
        self.players = players
        names = self.sides[0].names
        self.things = {}
        for component in self.sides[0].ruleset.components:
            held = names.things(component)
            if held is not None:
                self.things[component] = dict(held)
        self.invariants = Invariants(self.guesses, self.sides, self.closer)
        self.begin()
        while (place := self.invariants.next_place()) is not None:
            self.visit(place)
        return len(self.invariants.holds)

    # ---- positions

    def world(self) -> World:
        """A new world."""
        return World(self.sides[0].ruleset, self.players, self.goals, self.things, self.work)

    def list_things(self, world: World, position: Position) -> None:
        """Ask how many of each thing every zone has, where all things of a component are in play and the zones are few."""
        for component, things in self.things.items():
            material = material_of(self.sides[0].ruleset, component, self.players, self.goals)
            zones = [z for z in self.sides[0].ruleset.zones.values() if z.element.component == component]
            held = [p for z in zones for one in position.zones[z.name] for p in piles_of(one)]
            whole = material is not None and not material.partly.total() and dict(material.whole) == things
            if whole and None not in held and len(held) * len(things) <= MOST_COUNTS:
                for pile in held:
                    for value in pile.values:
                        pile.count(value)
                world.listed.add(component)

    def first_positions(self, world: World) -> tuple[tuple[Position, Position], list[Any]]:
        """The positions after the setup, and what is known about them."""
        ruleset = self.sides[0].ruleset
        steps_of: dict[int, list[SetupModel]] = {}
        for step in ruleset.setup:
            if step.kind in ("deal", "put"):
                steps_of.setdefault(step.zone, []).append(step)
        known: list[Any] = []
        positions = Position(world), Position(world)
        for zone in ruleset.zones.values():
            ours = positions[0]
            steps = steps_of.get(zone.number, [])
            ours.any_zones([zone], "setup", counted=True)
            if not steps:
                ours.zones[zone.name] = [empty_zone(world, zone) for _ in ours.zones[zone.name]]
            elif len(steps) == 1:
                known += dealt(ruleset, self.players, zone, steps[0], ours.zones[zone.name])
        for token in ruleset.tokens.values():
            positions[0].tokens[token.name] = (NOTHING, NOTHING)
        self.list_things(world, positions[0])
        positions[1].zones = {name: list(held) for name, held in positions[0].zones.items()}
        positions[1].tokens = dict(positions[0].tokens)
        for side, position in zip(self.sides, positions, strict=True):
            for per in ("game", "turn"):
                set_first_values(side, position, per, 0)
        return positions, known

    def positions_at(self, place: Place, world: World) -> tuple[Position, Position]:
        """Arbitrary positions of both games at a place: they have the same variables as far as that is known."""
        ruleset = self.sides[0].ruleset
        positions = Position(world), Position(world)
        single = {g.name for g in self.invariants.holds[place] if isinstance(g, Guess) and g.kind == "single"}
        positions[0].any_zones(ruleset.zones.values(), "at", counted=True, single=single)
        self.list_things(world, positions[0])
        zones = list(ruleset.zones.values())
        for token in ruleset.tokens.values():
            positions[0].any_token(token, zones[token.zone], ("token", token.name))
        positions[1].zones = {name: list(held) for name, held in positions[0].zones.items()}
        positions[1].tokens = dict(positions[0].tokens)
        shared = self.invariants.shared(place)
        for number, (side, position) in enumerate(zip(self.sides, positions, strict=True)):
            for v in side.ruleset.variables.values():
                if number and v.name in shared:
                    position.variables[v.name] = positions[0].variables[v.name]
                else:
                    key = ("variable", v.name, 0 if v.name in shared else number)
                    position.any_variable(v, key)
        return positions

    # ---- steps

    def begin(self) -> None:
        """The first turn after every setup."""
        world = self.world()
        positions, known = self.first_positions(world)
        checker = Checker(world, known)
        refusals = [
            refused(side.ruleset.setup_rules, side.reader(p, 0), {})
            for side, p in zip(self.sides, positions, strict=True)
        ]
        checker.demand(equal(*refusals), ())
        for owner in [EVERYBODY] if self.sides[0].ruleset.rounds else range(self.players):
            self.next_turn(checker, positions, owner, None, [negated(refusals[0])])

    def next_turn(
        self, checker: Checker, positions: tuple[Position, Position], owner: int, left: int | None, given: list[Any]
    ) -> None:
        """Begin a turn, before which the histories keep the same."""
        for name in self.kept:
            checker.demand(alike(positions[0].variables[name], positions[1].variables[name]), given)
        there = positions[0].copy(), positions[1].copy()
        for side, position in zip(self.sides, there, strict=True):
            position.moment += 1
            position.alike = None
            set_first_values(side, position, "turn", max(0, owner))
        self.invariants.arrive(checker, there, Place(owner, BEGIN, left), given)

    def visit(self, place: Place) -> None:
        """Compare everything that may happen at a place."""
        world = self.world()
        positions = self.positions_at(place, world)
        self.invariants.visit(place, positions)
        known = self.invariants.known(place, positions)
        checker = Checker(world, known)
        self.look(checker, positions, ())
        self.compare_results(checker, positions, ())
        self.end_turn(checker, positions, place)
        for name in self.sides[0].ruleset.actions:
            joint = self.sides[0].ruleset.actions[name].joint
            for actor in [EVERYBODY] if joint else range(self.players):
                self.act(checker, positions, place, name, actor)

    def look(self, checker: Checker, there: tuple[Position, Position], given: Sequence[Any]) -> None:
        """From now on it may be asked which actions are possible alike in these positions."""
        alike = _AlikeHere(self, checker, (there[0].copy(), there[1].copy()), given)
        for position in there:
            position.alike = alike

    def is_possible_alike(
        self, checker: Checker, positions: tuple[Position, Position], name: str, given: Sequence[Any]
    ) -> bool:
        """Whether the rules of an action allow the same to every player."""
        try:
            for actor in range(self.players):
                there = positions[0].copy(), positions[1].copy()
                self.compare_action(checker, there, name, actor, [conj(*given)] * 2)
        except Open:
            return False
        return True

    def end_turn(self, checker: Checker, positions: tuple[Position, Position], place: Place) -> None:
        here = [not r.isdisjoint(s.ruleset.order.last) for s, r in zip(self.sides, place.reached, strict=True)]
        if here == [False, False]:
            return
        readers = [side.reader(p, place.owner) for side, p in zip(self.sides, positions, strict=True)]
        refusals = self.refused_by_both(positions, [side.ruleset.turn_rules for side in self.sides], readers, ({}, {}))
        may = [conj(last, negated(refuses)) for last, refuses in zip(here, refusals, strict=True)]
        checker.demand(equal(*may), ())
        if may[0] is False or not checker.is_possible(*may):
            return
        self.steps += 1
        there = positions[0].copy(), positions[1].copy()
        self.consequences(checker, there, place.owner, False, may)
        rounds = self.sides[0].ruleset.rounds
        following = EVERYBODY if rounds else (place.owner + 1) % self.players
        self.look(checker, there, may)
        self.compare_results(checker, there, may)
        if place.left is not None:
            if place.left != 1:
                self.next_turn(checker, there, following, place.left and place.left - 1, may)
            return
        ended = self.compare_endings(checker, there, place.owner, False, may)
        self.next_turn(checker, there, following, None, [*may, negated(disj(*ended))])
        slow = [e for e in self.sides[0].ruleset.endings if not e.at_once]
        each = 1 if rounds else self.players
        lefts: dict[int, list[Any]] = {}
        for ending, met in zip(slow, ended, strict=True):
            left = (ending.more_turns or 0) * (each - 1 if ending.others else each)
            if left:
                # Without a closer look any number of turns may be left.
                lefts.setdefault(left if self.closer else 0, []).append(met)
        for left, met in lefts.items():
            if disj(*met) is not False:
                self.next_turn(checker, there, following, left, [*may, disj(*met)])

    def act(self, checker: Checker, positions: tuple[Position, Position], place: Place, name: str, actor: int) -> None:
        led = [
            list(ways(side.reader(p, place.owner), place.owner, reached, name, actor))
            for side, p, reached in zip(self.sides, positions, place.reached, strict=True)
        ]
        allowed = [disj(*(condition for condition, _ in side)) for side in led]
        if allowed[0] is False and allowed[1] is False:
            return
        if not checker.is_possible(disj(*allowed)):
            return
        there = positions[0].copy(), positions[1].copy()
        here, legal = self.compare_action(checker, there, name, actor, allowed)
        given = [here, *legal]
        if not checker.is_possible(*given):
            return
        self.steps += 1
        self.unify(checker, there, given)
        self.consequences(checker, there, actor, True, given)
        self.look(checker, there, given)
        ended = self.compare_endings(checker, there, actor, True, given)
        self.compare_results(checker, there, given)
        for position in there:
            position.alike = None
        given = [*given, negated(disj(*ended))]
        for (one, reached), (other, also) in product(*led):
            self.invariants.arrive(
                checker, there, Place(place.owner, (reached, also), place.left), [*given, one, other]
            )

    def compare_action(
        self, checker: Checker, there: tuple[Position, Position], name: str, actor: int, allowed: list[Any]
    ) -> tuple[Any, list[Any]]:
        """Carry out an action in both games with any arguments, which has to be legal in both or in none; returns what is known
        about the arguments, and the condition under which it is legal in each.
        """
        return self.carry_out_both(checker, there, [side.ruleset.actions[name] for side in self.sides], actor, allowed)

    def carry_out_both(
        self,
        checker: Checker,
        there: tuple[Position, Position],
        models: list[ActionModel],
        actor: int,
        allowed: list[Any],
    ) -> tuple[Any, list[Any]]:
        """Carry out an action or a consequence; see `compare_action`."""
        if self.ordered and self.makers[0].done(models[0]) != self.makers[1].done(models[1]):
            names = names_of(self.sides[0].ruleset)
            written = {names.get(p) for e in models[0].all_effects for p in written_by_effect(e, models[0])}
            if any(("zone", grid) in written for grid in self.grids):
                # Cells may come into use in another order.
                raise Open
        readers = [side.reader(p, actor) for side, p in zip(self.sides, there, strict=True)]
        locals_: list[Locals] = [bound(m, r) for m, r in zip(models, readers, strict=True)]
        come = [origins(m, r, e) for m, r, e in zip(models, readers, locals_, strict=True)]
        if come[0] != come[1]:
            raise Open
        here = available(models[0], readers[0], locals_[0])
        refusals = self.refused_by_both(there, [m.rules for m in models], readers, locals_)
        inside = [in_bounds(m, e) for m, e in zip(models, locals_, strict=True)]
        if self.alike.is_settled(there, "does", models[0].name):
            room = [self.carry_out_once(there, models[0], readers[0], locals_[0])] * 2
        else:
            room = [carry_out(m, r, e) for m, r, e in zip(models, readers, locals_, strict=True)]
        legal = [conj(*parts) for parts in zip(allowed, inside, map(negated, refusals), room, strict=True)]
        checker.demand(equal(*legal), (here,))
        return here, legal

    def carry_out_once(self, there: tuple[Position, Position], model: ActionModel, reader: Reader, e: Locals) -> Any:
        """Carry out what is the same in both games; returns whether there is room. What has no terms changes in any way, the same
        in both.
        """
        names = names_of(self.sides[0].ruleset)
        written = {names[p] for effect in model.all_effects for p in written_by_effect(effect, model)}
        before = there[0].copy()
        try:
            room = carry_out(model, reader, e)
        except (Open, Unread):
            there[0].zones, there[0].tokens, there[0].variables = before.zones, before.tokens, before.variables
            moment = ("done", model.name, reader.actor, before.key)
            self.change(0, there, written, moment)
            room = before.world.symbol(moment, "bool")
        there[1].alike = None
        for kind, name in written:
            held = getattr(there[0], f"{kind}s")[name]
            getattr(there[1], f"{kind}s")[name] = list(held) if isinstance(held, list) else held
        return room

    def change(
        self, side: int, there: tuple[Position, Position], written: Iterable[tuple[str, str]], moment: Any
    ) -> None:
        """Any change of these zones, tokens and variables in the position of one game."""
        ruleset, position = self.sides[side].ruleset, there[side]
        zones = list(ruleset.zones.values())
        for kind, name in sorted(written):
            if kind == "zone":
                position.any_zones([ruleset.zones[name]], moment)
            elif kind == "token":
                position.any_token(ruleset.tokens[name], zones[ruleset.tokens[name].zone], (moment, name))
            else:
                position.any_variable(ruleset.variables[name], (moment, name))

    def refused_by_both(
        self,
        there: tuple[Position, Position],
        rules: Sequence[tuple[RuleModel, ...]],
        readers: Sequence[Reader],
        locals_: Sequence[Locals],
    ) -> list[Any]:
        """Whether a rule refuses, in each game; what is the same in both is read once."""
        first = {rule.id: refused((rule,), readers[0], locals_[0]) for rule in rules[0]}
        second = [
            first[rule.id]
            if rule.id in first and self.alike.is_settled(there, "rule", rule.id)
            else refused((rule,), readers[1], locals_[1])
            for rule in rules[1]
        ]
        return [disj(*first.values()), disj(*second)]

    def unify(self, checker: Checker, there: tuple[Position, Position], given: Sequence[Any]) -> None:
        """The same zones and tokens from now on. Raises `Open` if they may differ."""
        # What asks for the order in a bag needs the same order there, and cells have to come into use alike.
        different = list(unlike(*there, frozenset() if self.ordered else self.bags))
        if self.ordered and any(name in self.grids for name, _ in different):
            raise Open
        checker.demand(conj(*(wanted for _, wanted in different)), given)
        there[1].zones = {name: list(held) for name, held in there[0].zones.items()}
        there[1].tokens = dict(there[0].tokens)
        for name, held in there[0].variables.items():
            other = there[1].variables.get(name)
            if other is None:
                continue
            wanted = alike(held, other)
            if wanted is not True and wanted is not False and not checker.is_possible(*given, negated(wanted)):
                there[1].variables[name] = list(held) if isinstance(held, list) else held

    def consequences(
        self, checker: Checker, there: tuple[Position, Position], actor: int, each_action: bool, given: Sequence[Any]
    ) -> None:
        """Whatever the consequences do: the same in both, as they see the same, and are the same or do the same in any position."""
        models = [
            [c for c in side.ruleset.consequences.values() if c.each_action == each_action] for side in self.sides
        ]
        if not models[0]:
            return
        for position in there:
            position.alike = None
        written = []
        for side, own in zip(self.sides, models, strict=True):
            names = names_of(side.ruleset)
            read = {names[p] for c in own for p in read_by_action(c) if p in names}
            for kind, name in read:
                one, other = (p.variables.get(name) if kind == "variable" else NOTHING for p in there)
                if one is None or other is None or alike(one, other) is not True:
                    raise Open
            written.append({names[p] for c in own for e in c.effects for p in written_by_effect(e, c) if p in names})
        if written[0] != written[1] or any(
            kind == "variable" and name in self.alike.bounded for kind, name in written[0]
        ):
            raise Open
        moment = ("after", there[0].moment, each_action)
        apart = {
            place for place in written[0]
            if place[0] == "variable" and alike(there[0].variables[place[1]], there[1].variables[place[1]]) is not True
        }  # fmt: skip
        self.change(0, there, written[0], moment)
        for kind, name in written[0] - apart:
            held = getattr(there[0], f"{kind}s")[name]
            getattr(there[1], f"{kind}s")[name] = list(held) if isinstance(held, list) else held
        self.change(1, there, apart, (moment, "apart"))
        for one, other in zip(*models, strict=True):
            if not {("does", one.name), ("comes", one.name)} <= self.alike.reads.keys():
                readers = [side.reader(p, actor) for side, p in zip(self.sides, there, strict=True)]
                due = [negated(refused(m.rules, r, bound(m, r))) for m, r in zip((one, other), readers, strict=True)]
                checker.demand(equal(*due), ())
            if ("does", one.name) not in self.alike.reads:
                after = there[0].copy(), there[1].copy()
                here, legal = self.carry_out_both(checker, after, [one, other], actor, [True, True])
                self.unify(checker, after, [here, *legal])
                changed = [name for kind, name in written[0] if kind == "variable"]
                same_after = [alike(after[0].variables[name], after[1].variables[name]) for name in changed]
                checker.demand(conj(*same_after), [here, *legal])

    # ---- ends

    def compare_endings(
        self, checker: Checker, there: tuple[Position, Position], actor: int, at_once: bool, given: Sequence[Any]
    ) -> list[Any]:
        """The endings of one kind, which come alike in both."""
        found = []
        for one, other in zip(self.sides[0].ruleset.endings, self.sides[1].ruleset.endings, strict=True):
            if one.at_once != at_once:
                continue
            if self.alike.is_settled(there, "ending", one.name):
                found.append(self.sides[0].reader(there[0], actor).condition(one.condition, {}))
                continue
            met = [
                side.reader(p, actor).condition(e.condition, {})
                for side, p, e in zip(self.sides, there, (one, other), strict=True)
            ]
            # Within a turn everything that comes counts, at its end the first ending.
            checker.demand(equal(*met), [*given, *map(negated, () if at_once else found)])
            found.append(met[0])
        return found

    def compare_results(self, checker: Checker, there: tuple[Position, Position], given: Sequence[Any]) -> None:
        """The lines of the score and the ranking."""
        if self.alike.is_settled(there, "score", ""):
            return
        lines: list[list[list[Value]]] = []
        keys: list[list[list[Any]]] = []
        for side, position in zip(self.sides, there, strict=True):
            readers = [side.reader(position, seat) for seat in range(self.players)]
            lines.append([[r.value(s.value, {}) for s in side.ruleset.scores] for r in readers])
            for reader, own in zip(readers, lines[-1], strict=True):
                reader.totals = Value((total(v.parts[0] for v in own),))
            keys.append(
                [
                    [(r.value(c.value, {}).parts[0], c.kind) for c in side.ruleset.ranking if c.value is not None]
                    for r in readers
                ]
            )
        checker.demand(
            conj(*(same(x, y) for a, b in zip(*lines, strict=True) for x, y in zip(a, b, strict=True))), given
        )
        kinds = [[kind for _, kind in own[0]] for own in keys]
        if kinds[0] == kinds[1] and all(
            equal(x, y) is True for a, b in zip(*keys, strict=True) for (x, _), (y, _) in zip(a, b, strict=True)
        ):
            return
        for p in range(self.players):
            for q in range(p):
                before = [(_before(own[p], own[q]), _before(own[q], own[p])) for own in keys]
                checker.demand(conj(equal(before[0][0], before[1][0]), equal(before[0][1], before[1][1])), given)


class _AlikeHere:
    """The actions that are possible in both games or in none in two positions, found out where a condition asks."""

    def __init__(
        self, proof: _Proof, checker: Checker, positions: tuple[Position, Position], given: Sequence[Any]
    ) -> None:
        self.proof, self.checker, self.positions, self.given = proof, checker, positions, given
        for position in positions:
            position.alike = self
        self.known = dict.fromkeys(proof.sides[0].alike, True)
        self.asked: list[str] = []

    def __contains__(self, name: object) -> bool:
        assert isinstance(name, str)
        if name in self.known:
            return self.known[name]
        if name in self.asked:
            return False
        self.asked.append(name)
        found = self.proof.is_possible_alike(self.checker, self.positions, name, self.given)
        self.asked.pop()
        if found or not self.asked:
            # What was refuted while another one was asked may hold by then.
            self.known[name] = found
        return found


def _before(a: Sequence[tuple[Any, str]], b: Sequence[tuple[Any, str]]) -> Any:
    """Whether one seat is placed before another."""
    found: Any = False
    for (x, kind), (y, _) in reversed(list(zip(a, b, strict=True))):
        more, less = (x, y) if kind == "most" else (y, x)
        found = disj(more > less, conj(equal(x, y), found))
    return found
