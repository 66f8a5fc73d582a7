"""The proof by induction: its terms mean what the engine computes, and it proves what is true only."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("z3")

from pwtool.comparing.canonical import Normalizer
from pwtool.comparing.induction.actions import carry_out, refused
from pwtool.comparing.induction.piles import Items, Named, Pile, Squares, no_things, with_one, without_top
from pwtool.comparing.induction.position import Places, Position, alike, no_pile
from pwtool.comparing.induction.proving import prove_same
from pwtool.comparing.induction.reading import Reader
from pwtool.comparing.induction.terms import NOTHING, Open, Unread, Value, Work, World, same
from pwtool.comparing.renames import named_alike
from pwtool.comparing.rows import compare_rulesets
from pwtool.ir.grids import cells_of
from pwtool.ir.model import ActionModel, Ruleset, ZoneModel
from pwtool.ir.nodes import Expr
from pwtool.ir.types import Type
from pwtool.play.chance import Chance
from pwtool.play.game import Game
from pwtool.play.opening import opening
from pwtool.play.play import Play
from pwtool.play.selfplay import deal_at_random, legal_options
from pwtool.play.state import State
from tests.comparing.test_houses import CASES, HOUSES, base_text, books, loaded
from tests.daily import one_day_in, some
from tests.support import book

GAMES = (
    *HOUSES["games"], "nim", "kuhn_poker", "pig", "breakthrough", "crazy_eights",
    "mancala", "hearts", "gomoku", "leduc_poker", "piles", "pierre_papier_morpion/fr", "paper_world/en",
)  # fmt: skip
PILES = """game piles "Piles"
players 2..2
component card { kind: ash "A" | elm "B" | oak "C"  worth: 1..2 }
deck cards of card = 2 all
zone left: pile of card
zone right: pile of card
zone hand: bag of card per player
setup deal left "All": all of cards to left by chance
turn = two | some | all | top | take | put
action two "Two" () { rule any "x" require left is not empty  move 2 of left to right }
action some "Some" (n: 1..3) { rule any "x" require count right > n - 2  move n of right to left }
action all "All" () { rule any "x" require count right > 1  move right to left }
action top "Top" () { rule any "x" require left is not empty  move top of left to hand }
action take "The first ash" () { let a = first c in hand: c.kind == ash  rule any "x" require a != none  move a to right }
action put "The last worth 2" () { let b = last c in hand: c.worth == 2  rule any "x" require b != none and (some c in hand: c.kind != oak)  move b to left }
score hand "H" = sum worth of hand
ending never "N" when count hand == 12 then stop
ranking most total, shared
"""
ACTIONS = 30
"""So many actions of a random game are followed."""


def known(world: World, value: Any, type_: Type) -> Any:
    """A value of the engine as terms."""
    if type_.is_collection:
        found = no_pile(world, type_.element)
        for thing in value if not isinstance(found, Named) else ():
            found = with_one(found, known(world, thing, type_.element or type_))
        return found if not value or not isinstance(found, Named) else Named(world, repr(value))
    if value is None:
        return NOTHING
    if isinstance(value, tuple):
        return Value(value)
    return Value((value if isinstance(value, int) else world.code(value),))


def known_zone(world: World, zone: ZoneModel, held: Any) -> Any:
    if zone.kind == "grid" and zone.floating:
        return Named(world, repr(sorted(held.items())))

    def pile(things: list[int]) -> Any:
        found = no_things(world, world.values_of(zone.element))
        for thing in things:
            found = with_one(found, known(world, thing, zone.element))
        return found

    if zone.kind == "grid":
        return Squares(zone.grid, {cell: pile(held.get(cell, [])) for cell in cells_of(zone.grid)})
    return pile(held)


def known_position(world: World, ruleset: Ruleset, state: State) -> Position:
    """A position of the engine as terms."""
    found = Position(world)
    for zone in ruleset.zones.values():
        found.zones[zone.name] = [known_zone(world, zone, held) for held in state.zones[zone.number]]
    for v in ruleset.variables.values():
        value = state.variables[v.number]
        found.variables[v.name] = [known(world, x, v.type) for x in value] if v.each else known(world, value, v.type)
    for token in ruleset.tokens.values():
        place = state.tokens[token.number]
        found.tokens[token.name] = (NOTHING, NOTHING) if place is None else (Value((place[0],)), Value(place[1]))
    return found


def argument(world: World, kind: str, type_: Type, each: bool, value: Any) -> Any:
    if each:
        return [known(world, x, type_) for x in value]
    if kind == "elements":
        values = world.values_of(type_.element)
        return Items(tuple((Counter(value)[v], Value((v,))) for v in values), ordered=False)
    if kind in ("tops", "order"):
        raise Unread
    return known(world, value, type_)


class Compared:
    """A game that is played by the engine and read as terms."""

    def __init__(self, game: Game) -> None:
        self.game, self.ruleset = game, game.ruleset
        self.places = Places(Normalizer(game.ruleset))
        self.counts: Counter[str] = Counter()

    def reader(self, world: World, state: State, actor: int) -> Reader:
        return Reader(self.places, known_position(world, self.ruleset, state), actor, frozenset())

    def expression(self, reader: Reader, expr: Expr | None, wanted: Any) -> None:
        """An expression without locals."""
        if expr is None:
            return
        try:
            found = reader.value(expr, {}).known
        except (Unread, Open):
            self.counts["unread"] += 1
            return
        if isinstance(wanted, str):
            wanted = reader.world.code(wanted)
        self.counts["read"] += 1
        assert found == wanted, expr.span

    def position(self, play: Play) -> None:
        """Every condition and number that asks about the position alone."""
        state, machine = play.state, play.game.machine(play.state)
        world = World(self.ruleset, state.players, len(state.goals), {}, Work(10**9))
        own = state.player
        for seat in range(state.players):
            state.player = seat
            reader = self.reader(world, state, seat)
            for (who, guard), step in zip(machine.guards, self.ruleset.order.steps, strict=True):
                for expr, compiled in ((step.actor, who), (step.guard, guard)):
                    if expr is not None and compiled is not None:
                        self.expression(reader, expr, compiled(state, play.game.locals()))
            for rule, refuses in machine.turn_rules:
                try:
                    found = refused((rule,), reader, {})
                except (Unread, Open):
                    found = None
                if isinstance(found, bool):
                    assert found == bool(refuses(state, play.game.locals())), rule.id
            for ending, holds in zip(self.ruleset.endings, machine.endings, strict=True):
                self.expression(reader, ending.condition, holds(state, play.game.locals()))
            for score, points in zip(self.ruleset.scores, machine.scores, strict=True):
                self.expression(reader, score.value, points(state, play.game.locals()))
        state.player = own

    def action(self, play: Play, model: ActionModel, actor: int, arguments: tuple[Any, ...]) -> None:
        """What the rules of an action say, and what its effects do."""
        other = play.copy()
        other.act(actor)
        state = other.state
        world = World(self.ruleset, state.players, len(state.goals), {}, Work(10**9))
        reader = self.reader(world, state, state.player)
        try:
            e = {
                p.slot: argument(world, p.kind, p.type, p.each, value)
                for p, value in zip(model.parameters, arguments, strict=True)
            }
            for _, slot, value in model.lets:
                e[slot] = reader.kept(value, e)
            refuses = refused(model.rules, reader, e)
            room = carry_out(model, reader, e)
        except (Unread, Open):
            self.counts["not done"] += 1
            return
        runner = other.game.machine(state).actions[model.number]
        bound = runner.bind(arguments)
        runner.compute(state, bound)
        if isinstance(refuses, bool):
            assert refuses == bool(runner.judge(state, bound)[0]), model.name
        legal = runner.overflow(state, bound) is None
        if isinstance(room, bool):
            assert room == legal, model.name
        if not legal:
            return
        runner.apply(state, bound)
        after = known_position(world, self.ruleset, state)
        self.counts["done"] += 1
        for zone in self.ruleset.zones.values():
            for mine, theirs in zip(reader.position.zones[zone.name], after.zones[zone.name], strict=True):
                # What is named is known by how it came about; what has no order, by its counts.
                if not isinstance(mine, Named):
                    assert alike(mine, theirs, ordered=False) is not False, (model.name, zone.name)
                    if zone.kind == "pile":
                        self.order(mine, theirs)
                    if alike(mine, theirs, ordered=False) is True:
                        self.counts["equal"] += 1
        for name, value in after.variables.items():
            if not isinstance(value, Named):
                assert alike(reader.position.variables[name], value, ordered=False) is not False, (model.name, name)
        for name, place in after.tokens.items():
            assert all(alike(x, y) is not False for x, y in zip(reader.position.tokens[name], place, strict=True))

    def order(self, mine: Pile, theirs: Pile) -> None:
        """The same things from the top on, as far as they are known."""
        while theirs.made:
            assert same(mine.top, theirs.top) is not False
            if same(mine.top, theirs.top) is not True or not mine.made:
                return
            self.counts["in order"] += 1
            mine, theirs = without_top(mine), without_top(theirs)


def followed(address: str, seed: int, folder: Path) -> Counter[str]:
    rules = PILES if address == "piles" else base_text(address) if address in HOUSES["games"] else ""
    game = loaded(folder / "base.rules", rules).game if rules else book(address).game
    rng = Chance(seed)
    compared = Compared(game)
    names = list(
        "ABCDEFGH"[: game.ruleset.min_players + seed % (game.ruleset.max_players - game.ruleset.min_players + 1)]
    )
    play = opening(game, deal_at_random(game, names, rng))[0]
    actions = 0
    while not play.over and actions < ACTIONS:
        play.begin_turn(play.next_player())
        moved = False
        while not play.over:
            compared.position(play)
            options = legal_options(play, rng)
            if not options or (moved and play.may_end_turn() and rng.below(2)):
                break
            for at in {rng.below(len(options)) for _ in range(3)}:
                number, actor, arguments = options[at]
                compared.action(play, game.action(number), actor, arguments)
            number, actor, arguments = options[rng.below(len(options))]
            arguments = play.drawn(number, actor, arguments, rng)
            play.do(number, actor, arguments)
            moved = True
            actions += 1
        if not moved or (not play.over and not play.may_end_turn()):
            break
        if not play.over:
            play.derive_consequences()
            play.end_turn()
    return compared.counts


@one_day_in(8)
@pytest.mark.parametrize("address", some([*GAMES], 2))
def test_terms_of_a_known_position_are_what_the_engine_computes(address: str, tmp_path: Path) -> None:
    counts = sum((followed(address, seed, tmp_path) for seed in (1, 2)), Counter[str]())
    assert counts["read"] + counts["done"] > 10


# ---- proofs -----------------------------------------------------------------------------------------------------------


def is_proven(name: str, folder: Path, effort: float = 1.0) -> bool:
    first, second = books(CASES[name], folder)
    rows = compare_rulesets(first.game, second.game)
    return prove_same(first.game, named_alike(second.game, first.game).game, rows, effort) is not None


@one_day_in(8)
@pytest.mark.parametrize(
    "name",
    some(
        [
            "v_turn_guard",  # an invariant: a purse with coins says that something was grabbed
            "c4_falls_next",  # discs never float
            "c4_no_more",  # all discs are on the board or in a stock
            "q_winner_selfguard",  # players one by one
            "q_high_dead",  # a variable that nobody reads
            "q_winner_game",  # the life of a variable
            "q_take_left_rm",  # the game ends before
            "v_rank_combined17",  # one number instead of two criteria
        ],
        1,
    ),
)
def test_what_holds_in_all_play_is_proven(name: str, tmp_path: Path) -> None:
    assert is_proven(name, tmp_path)


@one_day_in(8)
@pytest.mark.parametrize("name", some(sorted(n for n, c in CASES.items() if c["truth"] in ("other", "rare")), 2))
def test_what_differs_is_never_proven(name: str, tmp_path: Path) -> None:
    assert not is_proven(name, tmp_path, 0.25)


def is_edit_proven(text: str, old: str, new: str, folder: Path) -> bool:
    assert text.count(old) == 1
    first = loaded(folder / "base.rules", text).game
    second = loaded(folder / "house.rules", text.replace(old, new)).game
    return prove_same(first, second, compare_rulesets(first, second)) is not None


BOUNDED = """game bounded "Bounded"
players 2..2
component card { suit: red "R" | blue "B" }
deck cards of card = { 6 R 6 B }
zone hand: bag of card per player
zone out: pile of card
setup { deal hand "h": 6 each of cards to hand by chance }
var spent: 0..4 = 0 per game
turn = pay
action pay "Pay" (card: card from hand) {
  move card to out
  spent += 1
}
ending over "o" when spent == 4 then stop
score left "l" = count hand
ranking most total, shared
"""


@one_day_in(8)
@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("0..4 = 0", "0..9 = 0", True),  # no turn takes it further
        ("0..4 = 0", "0..3 = 0", False),  # the fourth payment is out of its bounds
        ("spent == 4", "count out == 4", True),
        ("spent == 4", "count out == 5", False),
        ("= count hand", "= 6 - count hand", False),
        ("= count hand", "= count (c in hand: c.suit == red) + count (c in hand: c.suit == blue)", True),
        ("ranking most total, shared", "ranking most 2 * total, shared", True),
        ("ranking most total, shared", "ranking fewest total, shared", False),
        ("move card to out\n", "move card to out when card.suit == red\n", False),
        ("then stop", "then 1 more turn for the others", False),
    ],
)
def test_bounds_counts_and_results(old: str, new: str, same: bool, tmp_path: Path) -> None:
    assert is_edit_proven(BOUNDED, old, new, tmp_path) == same


HOUSE = """game house "House"
players 2..3
component card { suit: red "R" | blue "B" value: 1..3 }
deck cards of card = { 2 R1 2 R2 2 R3 2 B1 2 B2 2 B3 }
zone hand: bag of card per player
zone out: pile of card
zone tray: bag of card
setup { deal hand "h": 4 each of cards to hand by chance }
var spent: 0..30 = 0 per game
var turns: 0..99 = 0 per game
var now: 0..9 = 0 per turn
var flag1: flag per game
turn = (pay | swap)+ | dump | skip
anytime cry by any
action pay "Pay" (card: card from hand, extra: cards from hand) {
  let n = count out
  rule other "o" require count extra <= 1
  rule apart "a" require card is not in extra
  rule limit "l" require now < 2
  move card to out
  move extra to tray
  spent += 1
  now += 1
}
action swap "Swap" (card: card from hand, to: player) {
  rule self "s" require to != player
  rule some "m" require hand[to] is not empty
  move card to hand[to]
  now += 1
}
action dump "Dump" () {
  rule top "t" require out is not empty and (top of out).suit == red
  move hand to out
  turns += 1
}
action skip "Skip" () { rule late "late" require spent < 20
  turns += 1 }
action cry "Cry" () { rule c "c" require turns >= 2 and not flag1
  flag1 = true }
rule turn.two "two" require now <= 3
ending enough "e" when spent >= 3 then 1 more turn for the others
ending long "g" when turns >= 6 then stop
score w "w" = sum value of hand
score f "f" = (if flag1 then 1 else 0)
ranking most total, fewest count hand, shared
"""
EDITS = [
    (
        "  spent += 1\n  now += 1\n}\naction swap",
        "  spent += (if n > 3 then 2 else 1)\n  now += 1\n}\naction swap",
        False,
    ),
    ("  spent += 1\n", "  spent += (if n >= 0 then 1 else 2)\n", True),
    ("  move card to out\n  move extra to tray\n", "  move extra to tray\n  move card to out\n", True),
    ("require card is not in extra", "require count extra <= 1", False),
    ("require spent < 20", "require spent < 3", False),
    (
        'rule top "t" require out is not empty and (top of out).suit == red',
        'rule top "t" require (top of out).suit == red',
        True,
    ),
    ("require now < 2", "require now < 2 or count players == 3", False),
    ("var now: 0..9 = 0 per turn", "var now: 0..9 = 0 per game", False),
    ("turns >= 2 and not flag1", "turns >= 2", False),
    ("var spent: 0..30 = 0 per game", "var spent: 0..4 = 0 per game", False),
    ("require hand[to] is not empty", "require count hand[to] >= 1 or to == player", True),
    ("require hand[to] is not empty", "require count hand >= 1", False),
    ('rule turn.two "two" require now <= 3', 'rule turn.two "two" require now <= 4', False),
    ("spent >= 3 then", "count out >= 3 then", False),
    ("= sum value of hand", "= sum value of hand + count tray - count tray", True),
    ("fewest count hand, shared", "most count hand, shared", False),
    ("  move hand to out\n", "  move hand to out when count hand > 1\n  move hand to tray\n", False),
    ("turn = (pay | swap)+ | dump | skip", "turn = (pay | swap) (pay | swap)? (pay | swap)? | dump | skip", False),
    (
        'rule c "c" require turns >= 2 and not flag1',
        'rule c "c" require turns >= 2 and not flag1 and spent <= 30',
        True,
    ),
    ("(if flag1 then 1 else 0)", "(if flag1 and turns >= 3 then 1 else 0)", False),
    ("anytime cry by any", "anytime cry by (player after player)", False),
]
"""Small edits, each with whether no game can show it."""


@one_day_in(8)
@pytest.mark.parametrize(("old", "new", "same"), some(EDITS, 2))
def test_small_edits_are_proven_if_and_only_if_they_change_nothing(
    old: str, new: str, same: bool, tmp_path: Path
) -> None:
    assert is_edit_proven(HOUSE, old, new, tmp_path) == same
