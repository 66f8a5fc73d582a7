"""Bounds are looked at when an effect sets a value or puts something down, in order: random rules, and what they mean
as this file reads `docs/language.md`, held against the engine (with known and with unknown cards) and the kernel.
"""

from __future__ import annotations

import os
import random
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pwtool.eval.values import UNSEEN
from pwtool.kernel.module import compile_kernel
from pwtool.kernel.run import CLEAN, NOT_MINE, REFUSED, Runner
from pwtool.kernel.wasm.chance import FAILED
from pwtool.play.chance import Chance
from pwtool.play.game import Game
from pwtool.play.play import Play
from pwtool.play.record import Move, Record, Turn
from pwtool.play.replay import replay_record
from pwtool.play.selfplay import OutOfBounds, deal_at_random, play_game, random_policy
from pwtool.play.setup import build_state
from tests.daily import one_day_in, some
from tests.kernel.packing import Packer
from tests.rules.test_constructs import load, loaded

GAME = """\
game mini "Mini"
players 2..2
component card "C" { value: 1..3 }
deck pack of card = { 3 C1 3 C2 3 C3 }
zone hand: bag of card per player
zone stock: pile of card
zone heap: pile of card
zone shown[3]: slot of card
zone board: grid 2x2 of card
setup deal hand "h": 2 each of pack to hand
setup deal stock "s": rest of pack to stock
var n: 0..4 = 0 per game
var m: -1..3 = 0 per game
var t: 0..2 = 0 per turn
var p: 0..3 = 0 per player
var over: flag per game
turn = play | rest | roll
action play "Play" (card: card from hand, x: 0..2) {
PLAY}
action rest "Rest" () {
REST}
action roll "Roll" (d: 1..3 by chance) {
ROLL}
FOLLOWS
ending done "d" when over then stop
score s "s" = n + m + p
ranking most total, shared
"""


class Full(Exception):
    """An effect exceeds a bound; the name of what it changes."""


class Faulty(Exception):
    """A consequence, or chance, exceeds a bound: its name, and that of what it changes."""


@contextmanager
def by_rules(name: str) -> Iterator[None]:
    """No player is to blame for what happens inside the block."""
    try:
        yield
    except Full as full:
        raise Faulty(f"{name}.{full}") from None


class Table:
    """A position, in plain Python."""

    def __init__(self, game: Game, record: Record) -> None:
        codes = game.ruleset.components["card"].codes
        dealt = {name: [[int(codes[f][1:]) for f in pile] for pile in piles] for name, piles in record.setup.items()}
        self.hands, self.stock = dealt["hand"], dealt["stock"][0]
        self.heap: list[int] = []
        self.shown: list[list[int]] = [[], [], []]
        self.board: dict[tuple[int, int], list[int]] = {}
        self.n, self.m, self.t, self.p = 0, 0, 0, [0, 0]
        self.player = 0
        self.rolled = False
        """Whether what chance decides happens; it does not while the legality of an action is found out."""
        self.local: dict[str, Any] = {}

    def copy(self, keep: bool = False) -> Table:
        other = Table.__new__(Table)
        vars(other).update(vars(self))
        other.hands, other.shown = [h[:] for h in self.hands], [s[:] for s in self.shown]
        other.stock, other.heap, other.p = self.stock[:], self.heap[:], self.p[:]
        other.board = {c: pile[:] for c, pile in self.board.items()}
        other.local = dict(self.local) if keep else {}
        return other

    def set(self, name: str, value: int, seat: int = 0) -> None:
        low, high = {"n": (0, 4), "m": (-1, 3), "t": (0, 2), "p": (0, 3)}[name]
        if not low <= value <= high:
            raise Full(name)
        if name == "p":
            self.p[seat] = value
        else:
            setattr(self, name, value)

    def show(self, slot: int, things: list[int]) -> None:
        if things and len(self.shown[slot]) + len(things) > 1:
            raise Full("shown")
        self.shown[slot] += things

    def lay(self, column: Callable[[Table], int], things: list[int]) -> None:
        """Lay things on a cell; which one is looked at when they have left their place."""
        if things and not 0 <= column(self) < 2:
            raise Full("board")
        if things:
            self.board.setdefault((column(self), 0), []).extend(things)

    def same(self, play: Play) -> bool:
        """Whether the engine is in this position."""
        ruleset, state = play.game.ruleset, play.state
        codes = ruleset.components["card"].codes
        named = {name: state.zones[z.number] for name, z in ruleset.zones.items()}
        piles = [[int(codes[f][1:]) for f in pile] for name in ("stock", "heap", "shown") for pile in named[name]]
        hands = [Counter(int(codes[f][1:]) for f in hand) for hand in named["hand"]]
        board = {c: [int(codes[f][1:]) for f in pile] for c, pile in named["board"][0].items()}
        numbers = [state.variables[ruleset.variables[name].number] for name in ("n", "m", "p")]
        return (piles, hands, board, numbers) == (
            [self.stock, self.heap, *self.shown], list(map(Counter, self.hands)), self.board, [self.n, self.m, self.p]
        )  # fmt: skip


Value = tuple[str, Callable[[Table], Any]]
"""An expression as text, and what it means."""
Effect = tuple[str, Callable[[Table], None]]
Option = tuple[int, tuple[Any, ...]]
"""An action by its number, with its arguments."""


class Writer:
    """Writes random effects, each as text and as what it does."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.names: list[str] = []
        self.chance = False
        """Whether `p` is left to chance."""

    def number(self, depth: int = 2) -> Value:
        rng = self.rng
        if depth and rng.random() < 0.3:
            (a, one), (b, other) = self.number(depth - 1), self.number(depth - 1)
            if rng.random() < 0.3:
                return f"({a} - {b})", lambda s: one(s) - other(s)
            return f"({a} + {b})", lambda s: one(s) + other(s)
        k = rng.randrange(3)
        values: list[Value] = [
            (str(k), lambda s: k), ("n", lambda s: s.n), ("m", lambda s: s.m), ("t", lambda s: s.t),
            ("p", lambda s: s.p[s.player]), ("p[player after player]", lambda s: s.p[1 - s.player]),
            ("count hand", lambda s: len(s.hands[s.player])), ("count heap", lambda s: len(s.heap)),
            (f"count shown[{k + 1}]", lambda s: len(s.shown[k])),
            (f"count board[({k % 2}, 0) of board]", lambda s: len(s.board.get((k % 2, 0), []))),
            ("((top of heap).value else 0)", lambda s: s.heap[-1] if s.heap else 0),
            ("((top of stock).value else 0)", lambda s: s.stock[-1] if s.stock else 0),
            (f"count (c in hand: c.value > {k})", lambda s: sum(c > k for c in s.hands[s.player])),
        ]  # fmt: skip
        if self.chance:
            values = [v for v in values if not v[0].startswith("p")]
        values += [(name, lambda s, name=name: s.local[name]) for name in self.names]  # type: ignore[misc]
        return rng.choice(values)

    def when(self, often: float = 0.35) -> tuple[str, Callable[[Table], bool]]:
        if self.rng.random() > often:
            return "", lambda s: True
        (a, one), (b, other) = self.number(1), self.number(1)
        if self.rng.random() < 0.5:
            return f" when {a} == {b}", lambda s: one(s) == other(s)
        return f" when {a} > {b}", lambda s: one(s) > other(s)

    def change(self) -> Effect:
        name, adds = self.rng.choice("nnmmtp"[: 5 if self.chance else 6]), self.rng.random() < 0.6
        text, value = self.number()
        other = name == "p" and self.rng.random() < 0.5

        def do(s: Table) -> None:
            seat = 1 - s.player if other else s.player
            held = s.p[seat] if name == "p" else getattr(s, name)
            s.set(name, value(s) + held * adds, seat)

        return f"{name}{'[player after player]' * other} {'+=' if adds else '='} {text}", do

    def move(self, loop: str = "") -> Effect:
        """A move; in a loop over numbers, of something to or from the place of that number."""
        rng = self.rng
        k = rng.randrange(3)
        index = loop or str(k + 1)
        at: Callable[[Table], int] = (lambda s: s.local[loop] - 1) if loop else (lambda s: k)
        amount, many = self.number(0)
        column, x = self.number(1)

        def pop(pile: list[int], count: int = 1) -> list[int]:
            taken = pile[max(0, len(pile) - max(0, count)) :]
            del pile[len(pile) - len(taken) :]
            return taken

        def found(s: Table) -> list[int]:
            thing = next((c for c in s.heap if c == k + 1), None)
            if thing is not None:
                s.heap.remove(thing)
            return [] if thing is None else [thing]

        effects: list[Effect] = [
            ("move top of stock to heap", lambda s: s.heap.extend(pop(s.stock))),
            ("move top of stock to hand", lambda s: s.hands[s.player].extend(pop(s.stock))),
            (f"move top of stock to shown[{index}]", lambda s: s.show(at(s), pop(s.stock))),
            (f"move top of heap to shown[{index}]", lambda s: s.show(at(s), pop(s.heap))),
            (f"move top of shown[{index}] to heap", lambda s: s.heap.extend(pop(s.shown[at(s)]))),
            (f"move {amount} of heap to stock", lambda s: s.stock.extend(pop(s.heap, many(s)))),
            (f"move (first c in heap: c.value == {k + 1}) to stock", lambda s: s.stock.extend(found(s))),
        ]
        if not loop:
            effects += [
                (f"move top of shown[{index}] to shown[1]", lambda s: s.show(0, pop(s.shown[k]))),
                (f"move {amount} of stock to shown[{index}]", lambda s: s.show(k, pop(s.stock, many(s)))),
                (f"move heap to shown[{index}]", lambda s: s.show(k, pop(s.heap, 99))),
                (f"move top of stock to board[({column}, 0) of board]", lambda s: s.lay(x, pop(s.stock))),
                (f"move (first c in heap: c.value == {k + 1}) to shown[1]", lambda s: s.show(0, found(s))),
                (f"move top of heap to board[({column}, 0) of board]", lambda s: s.lay(x, pop(s.heap))),
            ]  # fmt: skip
        return rng.choice(effects)

    def place(self) -> Effect:
        """What becomes of the named card."""
        k = self.rng.randrange(3)
        column, x = self.number(1)

        def take(s: Table) -> list[int]:
            s.hands[s.player].remove(s.local["card"])
            return [s.local["card"]]

        effects: list[Effect] = [
            (f"move card to shown[{k + 1}]", lambda s: s.show(k, take(s))),
            ("move card to heap", lambda s: s.heap.extend(take(s))),
            (f"move card to board[({column}, 0) of board]", lambda s: s.lay(x, take(s))),
        ]
        return self.rng.choice(effects)

    def loop(self) -> Effect:
        rng, name = self.rng, f"v{len(self.names)}"
        if rng.random() < 0.6:
            over, values = "1..3", lambda s: [1, 2, 3]
            self.names.append(name)
            inside = [self.effect(name) for _ in range(rng.randint(1, 3))]
            self.names.pop()
        else:
            over, values = "heap", lambda s: s.heap[:]
            text, value = self.when()
            inside = [(f"n += {name}.value - 1{text}", lambda s: value(s) and s.set("n", s.n + s.local[name] - 1))]
            inside += [self.effect() for _ in range(rng.randint(0, 2))]

        def do(s: Table) -> None:
            for element in values(s):
                s.local[name] = element
                for _, one in inside:
                    one(s)

        return f"for each {name} in {over} {{ {' '.join(text for text, _ in inside)} }}", do

    def effect(self, loop: str = "") -> Effect:
        chosen = self.rng.random()
        if not loop and chosen < 0.2:
            return self.loop()
        text, do = self.change() if chosen < 0.6 else self.move(loop)
        when, holds = self.when()
        return text + when, lambda s: do(s) if holds(s) else None

    def action(self, card: bool) -> tuple[str, Callable[[Table], None]]:
        """The body of an action: named values, and effects in order."""
        rng = self.rng
        self.names = ["x"] if card else []
        (text, value), over = self.number(), rng.randrange(2)
        lets = f"  let one = {text}\n  let big = hand where value > {over}\n  let held = hand\n"
        effects = [self.effect() for _ in range(rng.randint(1, 4))]
        self.names += ["one", "count big", "count held"]
        effects += [self.effect() for _ in range(rng.randint(1, 3))]
        if card:
            effects.insert(rng.randrange(len(effects) + 1), self.place())
        self.names = []

        def do(s: Table) -> None:
            hand = s.hands[s.player]
            s.local |= {"one": value(s), "count big": sum(c > over for c in hand), "count held": len(hand)}
            for _, one in effects:
                one(s)

        return lets + "".join(f"  {text}\n" for text, _ in effects), do

    def roll(self) -> tuple[str, Callable[[Table], None]]:
        """The body of an action by chance, which decides what becomes of `p`, and of nothing else."""
        rng, self.chance = self.rng, True
        effects = [self.effect() for _ in range(rng.randint(1, 3))]
        self.chance = False
        self.names = ["d"]
        for _ in range(rng.randint(1, 2)):
            (text, value), adds = self.number(1), rng.random() < 0.6
            when, holds = self.when()

            def by_chance(s: Table, value: Any = value, adds: bool = adds, holds: Any = holds) -> None:
                if s.rolled and holds(s):
                    with by_rules("roll"):
                        s.set("p", s.p[s.player] * adds + s.local["d"] + value(s), s.player)

            text = f"p {'+=' if adds else '='} d + {text}{when}"
            effects.insert(rng.randrange(len(effects) + 1), (text, by_chance))
        self.names = []

        def do(s: Table) -> None:
            for _, one in effects:
                one(s)

        return "".join(f"  {text}\n" for text, _ in effects), do

    def consequence(self, each_action: bool) -> tuple[str, Callable[[Table], None]]:
        """What follows an action or a turn."""
        (a, one), (b, other) = self.number(1), self.number(1)
        effects = [self.change() for _ in range(self.rng.randint(1, 2))] + [self.move()]
        # A consequence whose thing may have no cell is refused when the ruleset is loaded.
        effects = [effect for effect in effects if "board" not in effect[0]]
        text = " ".join(text for text, _ in effects)
        name, after = ("at_once", " after each action") if each_action else ("later", "")

        def do(s: Table) -> None:
            if one(s) > other(s):
                with by_rules(name):
                    for _, effect in effects:
                        effect(s)

        return f'consequence {name} "f"{after} () {{ rule r "r" require {a} > {b} {text} }}\n', do


class Rules:
    """A random game, and what its actions do."""

    def __init__(self, rng: random.Random, folder: Path) -> None:
        while True:
            write = Writer(rng)
            play, rest, roll = write.action(True), write.action(False), write.roll()
            follows = [write.consequence(e) if rng.random() < 0.5 else ("", lambda s: None) for e in (True, False)]
            self.actions, self.follows = (play[1], rest[1], roll[1]), [do for _, do in follows]
            text = "".join(text for text, _ in follows)
            self.text = GAME.replace("PLAY", play[0]).replace("REST", rest[0]).replace("ROLL", roll[0])
            self.text = self.text.replace("FOLLOWS", text)
            game, _ = load(folder, self.text)
            if game is not None:
                self.game = game
                return

    def act(self, table: Table, number: int, arguments: tuple[int, ...]) -> None:
        """Carry out an action, or raise `Full` or `Faulty`."""
        codes = self.game.ruleset.components["card"].codes
        table.local = dict(zip(("d",) if number == 2 else ("card", "x"), arguments, strict=False))
        if number == 0:
            table.local["card"] = int(codes[arguments[0]][1:])
        table.rolled = False
        # Chance has no part in what is legal.
        self.actions[number](table.copy(keep=True))
        table.rolled = True
        self.actions[number](table)
        self.follows[0](table)

    def ways(self, table: Table, turn: int) -> tuple[dict[Option, Table], dict[Option, str], dict[Option, str]]:
        """For every way to act in this turn, where it leads, what would exceed its bounds, or what is at fault."""
        numbers = self.game.ruleset.components["card"].numbers
        table.player, table.t = turn % 2, 0
        hand = sorted({numbers[f"C{value}"] for value in table.hands[table.player]})
        leads, refused, faulty = dict[Option, Table](), dict[Option, str](), dict[Option, str]()
        for option in [*((0, pair) for pair in product(hand, range(3))), (1, ()), *((2, (d,)) for d in (1, 2, 3))]:
            copy = table.copy()
            try:
                self.act(copy, *option)
                leads[option] = copy
            except Full as full:
                refused[option] = str(full)
            except Faulty as fault:
                faulty[option] = str(fault)
        return leads, refused, faulty

    def end(self, table: Table) -> str | None:
        """What follows the turn; returns what is at fault."""
        try:
            self.follows[1](table)
        except Faulty as fault:
            return str(fault)
        return None


@contextmanager
def careful(game: Game) -> Iterator[None]:
    """Every position is judged as if cards were unknown."""
    game.machine = lambda state: game.careful  # type: ignore[method-assign]
    yield
    del game.machine


def check(rng: random.Random, folder: Path, kernel: bool = True) -> Counter[str]:
    """One random game, played as long as something is legal; with or without its kernel."""
    rules = Rules(rng, folder)
    game, done = rules.game, Counter[str]()
    record = deal_at_random(game, ["a", "b"], Chance(rng.randrange(1 << 30)))
    table, play = Table(game, record), Play(game, build_state(game, record)[0])
    packer = Packer(game.ruleset)
    instance = Runner(compile_kernel(game.ruleset)).instance() if kernel else None

    def with_turn(turn: int, option: Option) -> Record:
        other = Record(**{f: getattr(record, f) for f in record.__struct_fields__})
        other.turns = [*record.turns, Turn(turn % 2, [Move(option[0], option[1], 0, turn % 2)])]
        return other

    def is_faulty(turn: int, option: Option, rule: str) -> None:
        """A turn after which nothing is judged, because the rules are at fault."""
        wrong = with_turn(turn, option)
        for known in (True, False):
            with careful(game) if not known else nullcontext():
                replay = replay_record(game, wrong)
            assert [(f.code, f.rule, f.turn) for f in replay.findings] == [("PW619", rule, turn + 1)], rules.text
            assert replay.cut
        for said in instance.judge([packer.pack(wrong)]) if instance else ():
            assert said.verdict == NOT_MINE, rules.text
        done[rule] += 1

    for turn in range(8):
        play.begin_turn(turn % 2)
        after, refused, faulty = rules.ways(table, turn)
        # One way stands for all outcomes of chance.
        legal = {(2, (1,)) if option[0] == 2 else option for option in [*after, *faulty]}
        assert {(number, arguments) for number, _, arguments in play.legal_actions()} == legal, rules.text
        with careful(game):
            assert {(number, arguments) for number, _, arguments in play.legal_actions()} == legal, rules.text
        for option, rule in rng.sample(sorted(faulty.items()), min(2, len(faulty))):
            is_faulty(turn, option, rule)
        for option, name in rng.sample(sorted(refused.items()), min(2, len(refused))):
            wrong = with_turn(turn, option)
            rule = f"{game.action(option[0]).name}.{name}"
            found = replay_record(game, wrong).findings[0]
            assert (found.code, found.rule, found.turn) == ("PW602", rule, turn + 1), rules.text
            for said in instance.judge([packer.pack(wrong)]) if instance else ():
                assert (said.verdict, said.code, said.rule, said.turn) == (REFUSED, "PW602", rule, turn + 1), rules.text
            with careful(game):
                found = replay_record(game, wrong).findings[0]
            assert (found.code, found.rule, found.turn) == ("PW602", rule, turn + 1), rules.text
            done[name] += 1
        if not after:
            break
        option = rng.choice(sorted(after))
        if rule := rules.end(after[option]):
            is_faulty(turn, option, rule)
            break
        record.turns.append(Turn(turn % 2, [Move(option[0], option[1], 0, turn % 2)]))
        play.do(option[0], turn % 2, option[1])
        table = after[option]
        for _ in play.following(each_action=False):
            pass
        play.end_turn()
        assert table.same(play), rules.text
        done["legal"] += 1
    after, _, faulty = rules.ways(table, len(record.turns))
    stuck = [] if after or faulty else ["PW612"]
    assert [f.code for f in replay_record(game, record).findings] == stuck, rules.text
    with careful(game):
        assert [f.code for f in replay_record(game, record).findings] == stuck, rules.text
    for said in instance.judge([packer.pack(record)]) if instance else ():
        assert said.verdict == (REFUSED if stuck else CLEAN), rules.text
    seed = rng.randrange(1000)
    chance = Chance(seed)
    played = deal_at_random(game, ["a", "b"], chance)
    words = array("i", [FAILED])
    with suppress(OutOfBounds):
        play_game(game, played, random_policy(chance), max_turns=8, rng=chance)
        words = packer.pack(played)
    if instance:
        assert list(instance.play(seed, 1, 2, 8)) == [words], rules.text
    record.setup = {**record.setup, "stock": [[UNSEEN] * len(record.setup["stock"][0])]}
    # Whether a consequence happens may depend on a hidden card; what follows then may be a finding too.
    assert [f.code for f in replay_record(game, record).findings][:1] in ([], ["PW611"], stuck), rules.text
    return done


@pytest.mark.parametrize("seed", some(range(6), 1))
def test_bounds_are_looked_at_when_a_value_is_set(seed: int, tmp_path: Path) -> None:
    rng, done = random.Random(seed), Counter[str]()
    for number in range(3):
        done += check(rng, tmp_path, kernel=not number)
    assert done["legal"]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_in_many_rules_bounds_are_looked_at_when_a_value_is_set(part: int, tmp_path: Path) -> None:
    seed = int(os.environ.get("PWTOOL_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 30)
    print("PWTOOL_SEED:", seed)
    rng, done = random.Random(seed + part), Counter[str]()
    for _ in range(100):
        done += check(rng, tmp_path)
    assert {"n", "m", "t", "p", "shown", "board", "legal", "roll.p"} <= set(done)
    assert {"at_once", "later", "roll"} <= {name.partition(".")[0] for name in done}


def test_the_first_turn_that_exceeds_a_bound_is_refused(tmp_path: Path) -> None:
    game = loaded(tmp_path, OVER)
    record = deal_at_random(game, ["p"], Chance(1))
    record.turns = [Turn(0, [Move(0, (), 0, 0)]) for _ in range(6)]
    findings = replay_record(game, record).findings
    assert [(f.code, f.rule, f.turn) for f in findings] == [("PW602", "go.b", turn) for turn in (4, 5, 6)]
    (said,) = Runner(compile_kernel(game.ruleset)).instance().judge([Packer(game.ruleset).pack(record)])
    assert (said.code, said.rule, said.turn) == ("PW602", "go.b", 4)


OVER = """\
game mini "Mini"
players 1..1
var a: 0..9 = 0 per game
var b: 0..3 = 0 per game
turn = go
action go "Go" () { a += 1  b = a }
ending done "d" when a == 6 then stop
score s "s" = b
ranking most total, shared
"""
CASES = [
    ("n = 4  n += 1", "n"),
    ("m = 2  n = m + 2", None),
    ("m = 2  n = m + 3", "n"),
    ("n = 3 + count hand", "n"),
    ("move card to heap  n = 3 + count hand", None),
    ("move card to heap  n = 3 + count heap", None),
    ("move card to heap  move top of stock to heap  n = 3 + count heap", "n"),
    ("m = 1  p[player after player] = 3  p[player after player] += m", "p"),
    ("m = 1  p = 3  p[player after player] += m", None),
    ("m = 1  n = 5 when m == 0", None),
    ("m = 1  n = 5 when m == 1", "n"),
    ("n = 5  n = 1", "n"),
    ("n = 3  for each k in 1..3 { n += k when k == 2  n += - 1 }", None),
    ("for each k in 1..2 { n = m  m += k }", None),
    ("for each k in 1..3 { n = m  m += k }", "m"),
    ("for each k in 1..3 { m += k - 1  n = m + 2 }", "n"),
    ("for each k in 1..3 { move top of stock to shown[k] }  n = 4 when shown[3] is empty", None),
    ("for each k in 1..3 { move top of stock to shown[k] }  n = 5 when shown[3] is not empty", "n"),
    ("move card to shown[1]  move top of stock to shown[1]", "shown"),
    ("move card to shown[1]  move top of shown[1] to heap  move top of stock to shown[1]", None),
    ("move card to shown[1]  move top of heap to shown[1]", None),
    ("move card to shown[1]  move top of shown[1] to shown[1]", None),
    ("move card to shown[1] when m == 1  m = 1  move top of stock to shown[1]", None),
    ("m = 1  move card to shown[1] when m == 1  move top of stock to shown[1]", "shown"),
    ("move 2 of stock to shown[1]", "shown"),
    ("move 1 of stock to shown[1]", None),
    ("move hand to shown[1]", "shown"),
    ("move card to heap  move hand to shown[1]", None),
    ("n = 1  move card to board[(n, 0) of board]", None),
    ("n = 2  move card to board[(n, 0) of board]", "board"),
    ("n = 2  move top of heap to board[(n, 0) of board]", None),
    ("n = 2  move card to board[(n, 0) of board] when (n, 0) of board != none", None),
    ("move card to heap  move top of heap to board[(count heap, 0) of board]", None),
    ("let held = hand  move card to heap  n = 2 + count held", None),
    ("let held = hand  move card to heap  n = 3 + count held", "n"),
    ("let held = heap + hand  move card to heap  n = 3 + count held", "n"),
    ('let held = hand  rule keep "k" require after this: count held == 2  move card to heap', None),
    ('let more = heap + hand  rule keep "k" require after this: count more == 2  move card to heap', None),
    ("move card to heap  n = if can rest then 5 else 1", "n"),
    ("t = 1  n = if can rest then 5 else 1", None),
]


@one_day_in(4)
@pytest.mark.parametrize(("effects", "exceeded"), some(CASES, 7), ids=[effects for effects, _ in CASES])
def test_an_effect_sees_what_the_effects_before_it_did(effects: str, exceeded: str | None, tmp_path: Path) -> None:
    rest = '  rule free "Nothing is counted" require t == 0\n'
    text = GAME.replace("PLAY", effects + "\n").replace("REST", rest).replace("ROLL", "").replace("FOLLOWS", "")
    game = loaded(tmp_path, text)
    record = deal_at_random(game, ["a", "b"], Chance(1))
    options = [(0, (card, x)) for card in sorted(set(record.setup["hand"][0])) for x in range(3)]
    record.turns = [Turn(0, [Move(0, options[0][1], 0, 0)])]
    (said,) = Runner(compile_kernel(game.ruleset)).instance().judge([Packer(game.ruleset).pack(record)])
    assert (said.rule if said.verdict == REFUSED else None) == (exceeded and f"play.{exceeded}")
    for known in (True, False):
        with careful(game) if not known else nullcontext():
            replay = replay_record(game, record)
            assert [f.rule for f in replay.findings] == ([f"play.{exceeded}"] if exceeded else [])
            play = Play(game, build_state(game, record)[0])
            play.begin_turn(0)
            before = play.copy().state
            legal = [(number, arguments) for number, _, arguments in play.legal_actions() if number == 0]
            assert legal == ([] if exceeded else options)
            assert (play.state.zones, play.state.variables) == (before.zones, before.variables)
            if exceeded:
                assert (replay.play.state.zones, replay.play.state.variables) == (before.zones, before.variables)


FOLLOWING = [
    case for case in CASES if not any(word in case[0] for word in ("card", "let ", "can rest", "hand", "board"))
]


@pytest.mark.parametrize("each_action", [True, False])
@pytest.mark.parametrize(("effects", "exceeded"), some(FOLLOWING, 3), ids=[effects for effects, _ in FOLLOWING])
def test_so_does_an_effect_of_a_consequence(
    effects: str, exceeded: str | None, each_action: bool, tmp_path: Path
) -> None:
    follows = f'consequence more "f"{" after each action" * each_action} () {{ {effects} }}\n'
    text = GAME.replace("PLAY", "").replace("REST", "").replace("ROLL", "").replace("FOLLOWS", follows)
    game = loaded(tmp_path, text)
    record = deal_at_random(game, ["a", "b"], Chance(1))
    record.turns = [Turn(0, [Move(1, (), 0, 0)])]
    for known in (True, False):
        with careful(game) if not known else nullcontext():
            replay = replay_record(game, record)
        assert [(f.code, f.rule) for f in replay.findings] == [("PW619", f"more.{exceeded}")] * bool(exceeded)
        number = game.ruleset.variables.get(exceeded or "")
        if number is not None:
            low, high = number.type.low, number.type.high
            held = replay.play.state.variables[number.number]
            assert all(low <= value <= high for value in (held if isinstance(held, list) else [held]))
    (said,) = Runner(compile_kernel(game.ruleset)).instance().judge([Packer(game.ruleset).pack(record)])
    assert said.verdict == (NOT_MINE if exceeded else CLEAN)


@pytest.mark.parametrize(
    ("effects", "refused"),
    [
        ("n = 2 + ((top of stock).value else 0)", False),
        ("m = ((top of stock).value else 0)  n = m + 3", False),
        ("m = ((top of stock).value else 0)  n = m + 4", True),
        ("n = 4  n += 1 when ((top of stock).value else 0) > 1", False),
        ("n = 4  n += 1 when ((top of stock).value else 0) > 0", True),
    ],
)
def test_what_no_unseen_card_can_keep_within_its_bounds_is_refused(effects: str, refused: bool, tmp_path: Path) -> None:
    text = GAME.replace("PLAY", effects + "\n").replace("REST", "").replace("ROLL", "").replace("FOLLOWS", "")
    game = loaded(tmp_path, text)
    record = deal_at_random(game, ["a", "b"], Chance(1))
    record.turns = [Turn(0, [Move(0, (record.setup["hand"][0][0], 0), 0, 0)])]
    record.setup = {**record.setup, "stock": [[UNSEEN] * 5]}
    assert [(f.code, f.rule) for f in replay_record(game, record).findings] == [("PW602", "play.n")] * refused
