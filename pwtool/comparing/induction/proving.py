"""Two rulesets are the same game if from every position that play can reach the same actions are legal, lead to the same
position, end alike and score alike. That is proven here by induction over the steps of play, for each number of players.

A place in play is the player whose turn it is, and how far the turn has come in the order of both games. At each place there is
an arbitrary position, of which only what was proven to hold there is known: invariants are found by leaving out of many guesses
all that some step does not keep (C. Flanagan, K. R. M. Leino, Houdini, an annotation assistant for ESC/Java, FME 2001).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import product
from typing import Any

import z3
from msgspec import Struct

from pwtool.comparing.canonical import Normalizer
from pwtool.comparing.exploring import asks_for_order
from pwtool.comparing.induction.actions import available, bound, carry_out, origins, refused
from pwtool.comparing.induction.checking import Checker
from pwtool.comparing.induction.guesses import Guess, guesses
from pwtool.comparing.induction.order import ways
from pwtool.comparing.induction.position import Places, Position, alike, empty_zone, no_pile, piles_of, unlike
from pwtool.comparing.induction.reading import Locals, Reader
from pwtool.comparing.induction.shared import (
    AlikeParts,
    alike_actions,
    asked_about,
    check_declared,
    names_of,
    read_by_action,
)
from pwtool.comparing.induction.terms import (
    NOTHING,
    Open,
    Unread,
    Value,
    Work,
    World,
    as_term,
    conj,
    disj,
    equal,
    negated,
    same,
    total,
)
from pwtool.comparing.items import Items, expressions
from pwtool.comparing.row import Row
from pwtool.ir.access import written_by_effect
from pwtool.ir.model import Ruleset, VariableModel
from pwtool.kernel.material import material_of
from pwtool.play.game import Game
from pwtool.play.record import EVERYBODY

MAX_WORK = 2_000_000
"""The limit of one proof at ordinary effort: an operation that is read costs 1, a question as much as is known when it is asked, and some more."""
MOST_COUNTS = 400
"""Things are listed one by one in every zone if there are no more numbers than this."""


class Proof(Struct, frozen=True):
    """A proof that two rulesets are the same game: at how many places in play how many steps were compared."""

    places: int
    steps: int


class _Place(Struct, frozen=True):
    """Whose turn it is, the places that both games may have reached in their order of play, and whether the end was triggered
    before, so that only some turns are left.
    """

    owner: int
    reached: tuple[frozenset[int], frozenset[int]]
    late: bool = False


def prove_same(first: Game, second: Game, rows: Sequence[Row], effort: float = 1.0) -> Proof | None:
    """A proof that no game from a setup tells two rulesets apart; None if there is none within the work."""
    a, b = first.ruleset, second.ruleset
    try:
        check_declared(a, b, rows)
        proof = _Proof(a, b, round(MAX_WORK * effort))
        places = sum(proof.run(players) for players in range(a.min_players, a.max_players + 1))
    except (Open, Unread):
        return None
    return Proof(places, proof.steps)


class _Side:
    """One of the two games."""

    def __init__(self, ruleset: Ruleset, alike: frozenset[str]) -> None:
        self.ruleset, self.names = ruleset, Normalizer(ruleset)
        self.places = Places(self.names)
        self.alike = self.alike_here = alike

    def reader(self, position: Position, actor: int) -> Reader:
        return Reader(self.places, position, max(0, actor), self.alike, self.alike_here)


class _Proof:
    """The proof for one number of players after the other."""

    def __init__(self, a: Ruleset, b: Ruleset, work: int) -> None:
        makers = [Items(Normalizer(r), list(range(a.min_players, a.max_players + 1))) for r in (a, b)]
        forms = [dict(maker.items()) for maker in makers]
        unlike = {key for key in forms[0].keys() | forms[1].keys() if forms[0].get(key) != forms[1].get(key)}
        self.alike = AlikeParts(a, b, makers)
        changed = {name.split(".")[0] for kind, name in unlike if kind in ("action", "consequence", "rule")}
        same = alike_actions(a, changed | self.alike.changed_by_bounds)
        self.sides = (_Side(a, same), _Side(b, same))
        self.asked_about = asked_about(a, [*expressions(a)]) - same
        self.ordered = asks_for_order(a) or asks_for_order(b)
        self.bags = frozenset(z.name for z in a.zones.values() if z.kind == "bag")
        self.goals = sum(s.amount for s in a.setup if s.kind == "choose")
        self.guesses = guesses(a, b)
        self.steps, self.work = 0, Work(work)

    def run(self, players: int) -> int:
        """Compare all places in play with this number of players."""
        self.players = players
        names = self.sides[0].names
        self.things = {}
        for component in self.sides[0].ruleset.components:
            held = names.things(component)
            if held is not None:
                self.things[component] = dict(held)
        self.holds: dict[_Place, list[Guess]] = {}
        self.left: deque[_Place] = deque()
        self.begin()
        while self.left:
            self.visit(self.left.popleft())
        return len(self.holds)

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
        dealt: dict[int, list[Any]] = {}
        for step in ruleset.setup:
            if step.kind in ("deal", "put"):
                dealt.setdefault(step.zone, []).append(step)
        known: list[Any] = []
        positions = Position(world), Position(world)
        for zone in ruleset.zones.values():
            ours = positions[0]
            steps = dealt.get(zone.number, [])
            ours.any_zones([zone], "setup", counted=True)
            if not steps:
                ours.zones[zone.name] = [empty_zone(world, zone) for _ in ours.zones[zone.name]]
            elif len(steps) == 1 and _deals_exactly(steps[0]) and zone.kind != "grid":
                known += [equal(pile.size, steps[0].amount) for pile in ours.zones[zone.name]]
        for token in ruleset.tokens.values():
            positions[0].tokens[token.name] = (NOTHING, NOTHING)
        self.list_things(world, positions[0])
        positions[1].zones = {name: list(held) for name, held in positions[0].zones.items()}
        positions[1].tokens = dict(positions[0].tokens)
        for side, position in zip(self.sides, positions, strict=True):
            for per in ("game", "turn"):
                self.fresh(side, position, per, 0)
        return positions, known

    def fresh(self, side: _Side, position: Position, per: str, actor: int) -> None:
        """The first values of the variables of a game or turn."""
        for v in side.ruleset.variables.values():
            if v.per != per:
                continue
            if v.each:
                position.variables[v.name] = [
                    self.first_value(v, side.reader(position, seat)) for seat in range(self.players)
                ]
            else:
                position.variables[v.name] = self.first_value(v, side.reader(position, actor))

    def first_value(self, v: VariableModel, reader: Reader) -> Any:
        if v.type.kind in ("list", "pile", "bag"):
            if v.initial is not None:
                raise Open
            return no_pile(reader.world, v.type.element)
        if v.initial is None:
            return Value((False,)) if v.type.kind == "bool" else NOTHING
        return reader.value(v.initial, {})

    def positions_at(self, place: _Place, world: World) -> tuple[Position, Position]:
        """Arbitrary positions of both games at a place: they have the same variables as far as that is known."""
        ruleset = self.sides[0].ruleset
        positions = Position(world), Position(world)
        positions[0].any_zones(ruleset.zones.values(), "at", counted=True)
        self.list_things(world, positions[0])
        zones = list(ruleset.zones.values())
        for token in ruleset.tokens.values():
            positions[0].any_token(token, zones[token.zone], ("token", token.name))
        positions[1].zones = {name: list(held) for name, held in positions[0].zones.items()}
        positions[1].tokens = dict(positions[0].tokens)
        shared = {guess.name for guess in self.holds[place] if guess.kind == "same"}
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
            self.next_turn(checker, positions, owner, False, [negated(refusals[0])])

    def next_turn(
        self, checker: Checker, positions: tuple[Position, Position], owner: int, late: bool, given: list[Any]
    ) -> None:
        """Begin a turn."""
        there = positions[0].copy(), positions[1].copy()
        for side, position in zip(self.sides, there, strict=True):
            position.moment += 1
            position.is_visited = False
            self.fresh(side, position, "turn", max(0, owner))
        self.arrive(checker, there, _Place(owner, (frozenset([0]), frozenset([0])), late), given)

    def arrive(
        self, checker: Checker, positions: tuple[Position, Position], place: _Place, given: Sequence[Any]
    ) -> None:
        """Keep of the guesses about a place those that hold in these positions too."""
        new = place not in self.holds
        left = self.guesses if new else self.holds[place]
        terms: dict[Guess, Any] = {}
        for guess in left:
            try:
                terms[guess] = self.term(guess, positions, place.owner)
            except (Open, Unread):
                terms[guess] = False
        doubtful = [guess for guess in left if terms[guess] is not True and terms[guess] is not False]
        while doubtful:
            model = checker.model(*given, disj(*(negated(terms[guess]) for guess in doubtful)))
            if model is None:
                break
            if model is False:
                # Nothing is known of any of them.
                terms |= dict.fromkeys(doubtful, False)
                break
            broken = [g for g in doubtful if z3.is_false(model.eval(as_term(terms[g]), model_completion=True))]
            terms |= dict.fromkeys(broken or doubtful, False)
            doubtful = [guess for guess in doubtful if terms[guess] is not False]
        kept = [guess for guess in left if terms[guess] is not False]
        if new and doubtful and not checker.is_possible(*given):
            # Play never comes there.
            return
        if new or len(kept) < len(left):
            self.holds[place] = kept
            if place not in self.left:
                self.left.append(place)

    def term(self, guess: Guess, positions: tuple[Position, Position], owner: int) -> Any:
        """A guess about two positions."""
        readers = [side.reader(p, owner) for side, p in zip(self.sides, positions, strict=True)]
        if guess.kind == "same":
            return alike(positions[0].variables[guess.name], positions[1].variables[guess.name])
        return guess.term(readers[guess.side])

    def visit(self, place: _Place) -> None:
        """Compare everything that may happen at a place."""
        world = self.world()
        positions = self.positions_at(place, world)
        known = [self.term(guess, positions, place.owner) for guess in self.holds[place] if guess.kind != "same"]
        checker = Checker(world, known)
        self.compare_asked(checker, positions)
        self.compare_results(checker, positions, ())
        self.end_turn(checker, positions, place)
        for name in self.sides[0].ruleset.actions:
            joint = self.sides[0].ruleset.actions[name].joint
            for actor in [EVERYBODY] if joint else range(self.players):
                self.act(checker, positions, place, name, actor)

    def compare_asked(self, checker: Checker, positions: tuple[Position, Position]) -> None:
        """Find out which of the actions that conditions ask about are possible in both games or in none."""
        for side, position in zip(self.sides, positions, strict=True):
            side.alike_here = side.alike
            position.is_visited = True
        left, before = set(self.asked_about), -1
        while len(left) != before:
            before = len(left)
            for name in sorted(left):
                if self.is_possible_alike(checker, positions, name):
                    left.discard(name)
                    for side in self.sides:
                        side.alike_here |= {name}

    def is_possible_alike(self, checker: Checker, positions: tuple[Position, Position], name: str) -> bool:
        """Whether the rules of an action allow the same to every player."""
        try:
            for actor in range(self.players):
                self.compare_action(checker, (positions[0].copy(), positions[1].copy()), name, actor, [True, True])
        except Open:
            return False
        return True

    def end_turn(self, checker: Checker, positions: tuple[Position, Position], place: _Place) -> None:
        here = [not r.isdisjoint(s.ruleset.order.last) for s, r in zip(self.sides, place.reached, strict=True)]
        if here == [False, False]:
            return
        refusals = [
            refused(side.ruleset.turn_rules, side.reader(p, place.owner), {})
            for side, p in zip(self.sides, positions, strict=True)
        ]
        if self.alike.is_settled(positions, "turn", ""):
            refusals[1] = refusals[0]
        may = [conj(last, negated(refuses)) for last, refuses in zip(here, refusals, strict=True)]
        checker.demand(equal(*may), ())
        if may[0] is False or not checker.is_possible(*may):
            return
        self.steps += 1
        there = positions[0].copy(), positions[1].copy()
        self.consequences(checker, there, place.owner, False, may)
        rounds = self.sides[0].ruleset.rounds
        following = EVERYBODY if rounds else (place.owner + 1) % self.players
        self.compare_results(checker, there, may)
        if place.late:
            self.next_turn(checker, there, following, True, may)
            return
        ended = self.compare_endings(checker, there, place.owner, False, may)
        self.next_turn(checker, there, following, False, [*may, negated(disj(*ended))])
        if any(e.more_turns and not e.at_once for e in self.sides[0].ruleset.endings) and disj(*ended) is not False:
            self.next_turn(checker, there, following, True, [*may, disj(*ended)])

    def act(self, checker: Checker, positions: tuple[Position, Position], place: _Place, name: str, actor: int) -> None:
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
        ended = self.compare_endings(checker, there, actor, True, given)
        self.compare_results(checker, there, given)
        given = [*given, negated(disj(*ended))]
        for (one, reached), (other, also) in product(*led):
            self.arrive(checker, there, _Place(place.owner, (reached, also), place.late), [*given, one, other])

    def compare_action(
        self, checker: Checker, there: tuple[Position, Position], name: str, actor: int, allowed: list[Any]
    ) -> tuple[Any, list[Any]]:
        """Carry out an action in both games with any arguments, which has to be legal in both or in none; returns what is known
        about the arguments, and the condition under which it is legal in each.
        """
        readers = [side.reader(p, actor) for side, p in zip(self.sides, there, strict=True)]
        models = [side.ruleset.actions[name] for side in self.sides]
        if self.alike.is_settled(there, "action", name):
            e = bound(models[0], readers[0])
            here = available(models[0], readers[0], e)
            body = conj(negated(refused(models[0].rules, readers[0], e)), carry_out(models[0], readers[0], e))
            there[1].zones = {name: list(held) for name, held in there[0].zones.items()}
            there[1].tokens, there[1].is_visited = dict(there[0].tokens), False
            for variable in self.alike.reads["action", name]:
                there[1].variables[variable] = there[0].variables[variable]
            legal = [conj(may, body) for may in allowed]
            checker.demand(equal(*legal), (here,))
            return here, legal
        locals_: list[Locals] = [bound(m, r) for m, r in zip(models, readers, strict=True)]
        come = [origins(m, r, e) for m, r, e in zip(models, readers, locals_, strict=True)]
        if come[0] != come[1]:
            raise Open
        here = available(models[0], readers[0], locals_[0])
        legal = []
        for model, reader, e, may in zip(models, readers, locals_, allowed, strict=True):
            refuses = refused(model.rules, reader, e)
            legal.append(conj(may, negated(refuses), carry_out(model, reader, e)))
        checker.demand(equal(*legal), (here,))
        return here, legal

    def unify(self, checker: Checker, there: tuple[Position, Position], given: Sequence[Any]) -> None:
        """The same zones and tokens from now on. Raises `Open` if they may differ."""
        different = list(unlike(*there, self.bags))
        if self.ordered and any(name in there[0].zones for name, _ in different):
            # The same things may lie there in another order.
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
        """Whatever the consequences do: the same in both, as they are the same and see the same."""
        models = [
            [c for c in side.ruleset.consequences.values() if c.each_action == each_action] for side in self.sides
        ]
        if not models[0]:
            return
        for position in there:
            position.is_visited = False
        if not self.alike.what_consequences_do:
            raise Open
        written = []
        for side, own in zip(self.sides, models, strict=True):
            names = names_of(side.ruleset)
            read = {names[p] for c in own for p in read_by_action(c) if p in names}
            for kind, name in read:
                if kind == "variable" and alike(there[0].variables.get(name), there[1].variables.get(name)) is not True:
                    raise Open
            written.append({names[p] for c in own for e in c.effects for p in written_by_effect(e, c) if p in names})
        if written[0] != written[1] or any(
            kind == "variable" and name in self.alike.bounded for kind, name in written[0]
        ):
            raise Open
        moment = ("after", there[0].moment, each_action)
        ruleset = self.sides[0].ruleset
        zones = list(ruleset.zones.values())
        for kind, name in sorted(written[0]):
            if kind == "zone":
                there[0].any_zones([ruleset.zones[name]], moment)
                there[1].zones[name] = list(there[0].zones[name])
            elif kind == "token":
                token = ruleset.tokens[name]
                there[0].any_token(token, zones[token.zone], (moment, name))
                there[1].tokens[name] = there[0].tokens[name]
            else:
                equal_before = alike(there[0].variables.get(name), there[1].variables.get(name)) is True
                for side, position in zip(self.sides, there, strict=True):
                    v = side.ruleset.variables[name]
                    position.any_variable(v, (moment, name, 0 if equal_before else side is self.sides[1]))
        if not self.alike.when_consequences_come:
            for one, other in zip(*models, strict=True):
                readers = [side.reader(p, actor) for side, p in zip(self.sides, there, strict=True)]
                due = [negated(refused(m.rules, r, bound(m, r))) for m, r in zip((one, other), readers, strict=True)]
                checker.demand(equal(*due), ())

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
            checker.demand(equal(*met), given)
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


def _before(a: Sequence[tuple[Any, str]], b: Sequence[tuple[Any, str]]) -> Any:
    """Whether one seat is placed before another."""
    found: Any = False
    for (x, kind), (y, _) in reversed(list(zip(a, b, strict=True))):
        more, less = (x, y) if kind == "most" else (y, x)
        found = disj(more > less, conj(equal(x, y), found))
    return found


def _deals_exactly(step: Any) -> bool:
    """Whether a step of the setup gives every zone of its name a fixed number of things."""
    return step.kind == "deal" and step.amount > 0 and not (step.spread or step.owner or step.cell)
