"""Board, card and dice games written from the page of the language alone, in lock-step with OpenSpiel where it has them, and
else with a few lines of Python made from the published rules: what is legal at every ply, and the result.
"""

from __future__ import annotations

import random
import re
from collections.abc import Hashable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, ClassVar, Protocol

import pytest

import pwtool
from pwtool import Action
from tests.classics.lockstep import Match, Plies, play
from tests.classics.tables import ByInterface, ByKernel, Compiled, Table
from tests.daily import one_day_in, some
from tests.support import book, few_or_many

OUTSIDE = Path(__file__).resolve().parent / "outside"
NAMES = ["P1", "P2"]
LETTERS = "abcdefghi"
Cell = tuple[int, int]
SIDES = ((0, -1), (1, 0), (0, 1), (-1, 0))
CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))


@cache
def compiled(name: str, file: str = "game") -> Compiled:
    return Compiled(book(str(OUTSIDE / name / f"{file}.rules")))


@pytest.fixture(scope="module", autouse=True)
def kernels() -> Iterator[None]:
    """Kernels go before the interpreter does."""
    yield
    compiled.cache_clear()


def table(name: str, seed: int, file: str = "game") -> Table:
    """The first game is played by the interface, the others by a kernel."""
    if seed:
        return ByKernel(compiled(name, file), 2, seed)
    return ByInterface(pwtool.load(str(OUTSIDE / name / f"{file}.rules")), 2, seed)


# ---- beside OpenSpiel


def men_of_lines(action: Action) -> Plies:
    if action.name == "pass":
        return ("pass",)
    (x, y), (to_x, to_y) = action.arguments["start"], action.arguments["target"]
    return (f"{LETTERS[x]}{8 - y}-{LETTERS[to_x]}{8 - to_y}",)


def pawn_or_wall(action: Action) -> Plies:
    x, y = action.arguments["at"]
    if action.name == "step":
        return (f"{LETTERS[x // 2]}{y // 2 + 1}",)
    return (f"{LETTERS[x]}{y + 1}{'h' if action.arguments['along'] == 'across' else 'v'}",)


SPIEL = {
    "lines_of_action": Match("open_spiel", "lines_of_action", men_of_lines, text=lambda text: text.replace("x", "-")),
    "quoridor": Match("game", "quoridor", pawn_or_wall),
}


@pytest.mark.parametrize("games", few_or_many(4, 300))
@pytest.mark.parametrize("name", some(list(SPIEL), 1))
def test_beside_open_spiel(name: str, games: int) -> None:
    spiel, match = pytest.importorskip("pyspiel").load_game(name), SPIEL[name]
    # OpenSpiel stops a game that is too long.
    most = spiel.max_game_length() - 2
    for seed in range(games):
        state = spiel.new_initial_state()
        assert play(match, table(name, seed, match.address), NAMES, state, random.Random(seed), most) > 0


@pytest.mark.parametrize("games", few_or_many(6, 400))
def test_a_recipe_beside_open_spiel(games: int, tmp_path: Path) -> None:
    """Havannah as the page of recipes has it; there, columns are counted from the other side."""
    spiel = pytest.importorskip("pyspiel").load_game("havannah(board_size=4)")
    page = (Path(__file__).resolve().parents[2] / "docs" / "idioms.md").read_text("utf-8")
    rules = tmp_path / "bridges.rules"
    rules.write_text(page.split("```rules file=bridges.rules\n")[1].split("```")[0], "utf-8")
    made = Compiled(book(str(rules)))
    match = Match(
        "bridges", "havannah", lambda action: (action.arguments["at"][1] * 7 + 6 - action.arguments["at"][0],)
    )
    for seed in range(games):
        state = spiel.new_initial_state()
        assert play(match, ByKernel(made, 2, seed), NAMES, state, random.Random(seed), 100) > 0 and state.is_terminal()


BOXES = (
    "ones twos threes fours fives sixes any_dice four_of_a_kind full_house little_straight big_straight five_of_a_kind"
).split()
DICE = "one two three four five".split()


@one_day_in(8)
@pytest.mark.parametrize("games", few_or_many(3, 200))
def test_yacht_beside_open_spiel(games: int) -> None:
    """There, a player says first that the dice stay, and then which line they go to."""
    spiel = pytest.importorskip("pyspiel").load_game("yacht")
    for seed in range(games):
        rng, state, ours = random.Random(seed), spiel.new_initial_state(), table("yacht", seed)
        while not ours.over:
            again = {sum(2**n for n in range(5) if o.arguments[DICE[n]]): o for o in ours.options if o.name == "again"}
            fill = {32 + BOXES.index(o.arguments["line"][1:]): o for o in ours.options if o.name == "fill"}
            if state.is_chance_node():
                state.apply_action(rng.choice(state.legal_actions()))
            if not fill:
                (option,) = ours.options
            else:
                if again:
                    assert set(state.legal_actions()) == {0, *again}
                    chosen = rng.choice([0, 0, *again])
                    state.apply_action(chosen)
                if again and chosen:
                    option = again[chosen]
                    state.apply_action(rng.choice(state.legal_actions()))
                else:
                    assert set(state.legal_actions()) == set(fill)
                    chosen = rng.choice(list(fill))
                    state.apply_action(chosen)
                    option = fill[chosen]
            dice = re.findall(r"\d", str(state).partition("Dice:")[2])[:5]
            drawn = {} if option.name == "fill" else {f"die{n + 1}": int(die) for n, die in enumerate(dice)}
            play_with(ours, option, drawn)
        told = [int(n) for n in re.findall(r"total: (-?\d+)", str(state))]
        assert state.is_terminal() and ours.points() == told, (seed, str(state))


def play_with(ours: Table, option: Action, drawn: dict[str, int]) -> None:
    """Carry out an option with what chance gives."""
    if isinstance(ours, ByKernel):
        words = ours._words[id(option)]
        names = list(option.arguments)
        for name, value in drawn.items():
            words[2 + names.index(name)] = value
        ours.play(option)
    else:
        ours.play(Action(option.name, option.player, {**option.arguments, **drawn}, ""))


# ---- beside models of their own


class Model(Protocol):
    """A game as its rules tell it."""

    over: bool
    seat: int

    def __init__(self, setup: dict[str, Any]) -> None: ...

    def legal(self) -> set[Hashable]: ...

    def play(self, move: Any) -> None: ...

    def named(self, action: Action) -> Hashable: ...

    def points(self) -> list[int]: ...


class Quarto:
    """Sixteen pieces of four properties each. Who gets a piece lays it, and wins by four in a line that share one."""

    def __init__(self, setup: dict[str, Any]) -> None:
        self.pool = {"".join(p) for p in product("DL", "TS", "RQ", "HO")}
        self.board: dict[Cell, str] = {}
        self.given, self.mover, self.seat, self.over, self.won = "", 1, 1, False, [0, 0]

    def legal(self) -> set[Hashable]:
        cells = set[Hashable](product(range(4), repeat=2)) - set(self.board)
        return cells if self.given else set(self.pool)

    def named(self, action: Action) -> Hashable:
        return action.arguments["piece"] if action.name == "give" else tuple(action.arguments["at"])

    def play(self, move: Any) -> None:
        if not self.given:
            self.pool.remove(move)
            self.given, self.seat = move, 1 - self.seat
            return
        self.board[move] = self.given
        self.given = ""
        rows = [[(x, y) for x in range(4)] for y in range(4)]
        lines = [*rows, *map(list, zip(*rows, strict=True)), [(n, n) for n in range(4)], [(n, 3 - n) for n in range(4)]]
        full = [[self.board[c] for c in line] for line in lines if all(c in self.board for c in line)]
        if any(len(set(kinds)) == 1 for line in full for kinds in zip(*line, strict=True)):
            self.won[self.seat], self.over = 1, True
        self.over |= len(self.board) == 16

    def points(self) -> list[int]:
        return self.won


class Onitama:
    """Each card shows steps, to the right and ahead; the card that is used goes to the side, the one there to the hand."""

    STEPS: ClassVar = {
        "tiger": "0+2 0-1", "dragon": "-2+1 +2+1 -1-1 +1-1", "frog": "-2+0 -1+1 +1-1", "rabbit": "+2+0 +1+1 -1-1",
        "crab": "0+1 -2+0 +2+0", "elephant": "-1+1 +1+1 -1+0 +1+0", "goose": "-1+1 -1+0 +1+0 +1-1",
        "rooster": "+1+1 +1+0 -1+0 -1-1", "monkey": "-1+1 +1+1 -1-1 +1-1", "mantis": "-1+1 +1+1 0-1",
        "horse": "0+1 -1+0 0-1", "ox": "0+1 +1+0 0-1", "crane": "0+1 -1-1 +1-1", "boar": "0+1 -1+0 +1+0",
        "eel": "-1+1 +1+0 -1-1", "cobra": "+1+1 -1+0 +1-1",
    }  # fmt: skip

    def __init__(self, setup: dict[str, Any]) -> None:
        self.board = {(x, y): (1 - y // 4, x == 2) for x in range(5) for y in (0, 4)}
        self.hands = [set(setup["hand"][name]) for name in NAMES]
        self.aside = setup["aside"]
        self.seat, self.over, self.won = 0, False, [0, 0]

    def legal(self) -> set[Hashable]:
        found = set[Hashable]()
        for card, ((x, y), (seat, _)) in product(self.hands[self.seat], self.board.items()):
            for step in self.STEPS[card].split() if seat == self.seat else ():
                right, ahead = int(step[:-2]), int(step[-2:])
                to = (x + right, y - ahead) if seat == 0 else (x - right, y + ahead)
                if to in set(product(range(5), repeat=2)) and self.board.get(to, (None,))[0] != seat:
                    found.add((card, (x, y), to))
        return found or set(self.hands[self.seat])

    def named(self, action: Action) -> Hashable:
        card = action.arguments["card"]
        if action.name == "swap":
            return str(card)
        return card, tuple(action.arguments["start"]), tuple(action.arguments["target"])

    def play(self, move: Any) -> None:
        card = move if isinstance(move, str) else move[0]
        self.hands[self.seat] ^= {card, self.aside}
        self.aside = card
        if move != card:
            seat, master = self.board.pop(move[1])
            taken = self.board.pop(move[2], (0, False))
            self.board[move[2]] = seat, master
            self.over = taken[1] or (master and move[2] == (2, 4 * seat))
            self.won[seat] = int(self.over)
        self.seat = 1 - self.seat

    def points(self) -> list[int]:
        return self.won


class Couriers:
    """A courier collects four letters before sixty rides are made, three guards leave him no road."""

    ROADS = (
        "alba-bern bern-cadiz kiel-linz linz-metz alba-delft delft-genua genua-jena jena-metz cadiz-evora evora-genua "
        "genua-imola imola-kiel alba-fano fano-kiel cadiz-hanko hanko-metz bern-delft delft-fano hanko-jena jena-linz bern-evora"
    ).split()
    TOWNS: ClassVar = {
        (0, 0): "alba", (2, 0): "bern", (4, 0): "cadiz", (1, 1): "delft", (3, 1): "evora", (0, 2): "fano", (2, 2): "genua",
        (4, 2): "hanko", (1, 3): "imola", (3, 3): "jena", (0, 4): "kiel", (2, 4): "linz", (4, 4): "metz",
    }  # fmt: skip

    def __init__(self, setup: dict[str, Any]) -> None:
        self.riders = {"kiel": 0, "cadiz": 1, "delft": 1, "metz": 1}
        self.letters = {"cadiz", "fano", "linz", "metz"}
        self.seat, self.over, self.rides = 0, False, 0

    def ways(self, seat: int) -> set[Hashable]:
        roads = [tuple(road.split("-")) for road in self.ROADS]
        both = [*roads, *((b, a) for a, b in roads)]
        return {(a, b) for a, b in both if self.riders.get(a) == seat and b not in self.riders}

    def legal(self) -> set[Hashable]:
        return self.ways(self.seat) or {"wait"}

    def named(self, action: Action) -> Hashable:
        if action.name == "wait":
            return "wait"
        return tuple(self.TOWNS[tuple(action.arguments[name])] for name in ("start", "target"))

    def play(self, move: Any) -> None:
        if move != "wait":
            self.riders[move[1]] = self.riders.pop(move[0])
            self.rides += 1
            if self.seat == 0:
                self.letters.discard(move[1])
        self.over = not self.ways(0) or not self.letters or self.rides == 60
        self.seat = 1 - self.seat

    def points(self) -> list[int]:
        return [2 * (4 - len(self.letters)), 3 + 6 * (not self.ways(0))]


class LostCities:
    """Five expeditions each, values rise; two steps a turn; the game ends with the stock."""

    def __init__(self, setup: dict[str, Any]) -> None:
        self.hands = [list(setup["hand"][name]) for name in NAMES]
        self.stock = list(setup["stock"])
        self.laid: list[dict[str, list[int]]] = [{c: [] for c in "YBWGR"} for _ in NAMES]
        self.thrown: dict[str, list[str]] = {c: [] for c in "YBWGR"}
        self.seat, self.over, self.second, self.left = 0, False, False, ""

    def legal(self) -> set[Hashable]:
        if self.second:
            return {c for c in "YBWGR" if self.thrown[c] and c != self.left} | ({"draw"} if self.stock else set())
        hand = self.hands[self.seat]
        rising = {("play", c) for c in hand if int(c[1:]) >= max(self.laid[self.seat][c[0]], default=0)}
        return rising | {("discard", c) for c in hand}

    def named(self, action: Action) -> Hashable:
        if action.name in ("play", "discard"):
            return action.name, action.arguments["card"]
        return "draw" if action.name == "draw" else "YBWGR"[action.arguments["lane"] - 1]

    def play(self, move: Any) -> None:
        hand = self.hands[self.seat]
        if self.second:
            hand.append(self.stock.pop() if move == "draw" else self.thrown[move].pop())
            self.second, self.left, self.seat = False, "", 1 - self.seat
            self.over = not self.stock
            return
        kind, card = move
        hand.remove(card)
        if kind == "play":
            self.laid[self.seat][card[0]].append(int(card[1:]))
        else:
            self.thrown[card[0]].append(card)
            self.left = card[0]
        self.second = True

    def points(self) -> list[int]:
        return [
            sum((sum(v) - 20) * (1 + v.count(0)) + 20 * (len(v) >= 8) for v in laid.values() if v) for laid in self.laid
        ]


class Routes:
    """Roads between towns for cards of their color; tickets for towns that are joined by own roads."""

    ROADS: ClassVar = {
        (1, 0): "alba-bern R2", (5, 0): "bern-cadiz B3", (0, 1): "alba-delft G1", (3, 1): "bern-delft R1",
        (8, 1): "cadiz-gera G4", (0, 3): "alba-evora B2", (2, 3): "delft-evora G2", (8, 3): "bern-fano B1",
        (1, 4): "evora-fano R3", (5, 4): "fano-gera G3",
    }  # fmt: skip
    TICKETS: ClassVar = {
        "AG": ("alba", "gera", 9), "BF": ("bern", "fano", 6), "CE": ("cadiz", "evora", 8), "DC": ("delft", "cadiz", 5),
        "AF": ("alba", "fano", 7), "EB": ("evora", "bern", 4),
    }  # fmt: skip

    def __init__(self, setup: dict[str, Any]) -> None:
        self.stock, self.tickets = list(setup["stock"]), [setup["secret"][name] for name in NAMES]
        self.hands = [dict.fromkeys("RBG", 0) for _ in NAMES]
        self.built: dict[Cell, int] = {}
        self.seat, self.over, self.taken, self.left = 0, False, 0, -1

    def legal(self) -> set[Hashable]:
        hand, roads = (
            self.hands[self.seat],
            {c: road.split()[1] for c, road in self.ROADS.items() if c not in self.built},
        )
        claims = {c for c, (color, length) in roads.items() if hand[color] >= int(length)}
        return ({"take"} if self.stock else {"pass"}) | (claims if self.taken == 0 else set())

    def named(self, action: Action) -> Hashable:
        return tuple(action.arguments["at"]) if action.name == "claim" else action.name

    def play(self, move: Any) -> None:
        if move == "take":
            self.hands[self.seat][self.stock.pop()[0]] += 1
            self.taken += 1
        elif move != "pass":
            color, length = self.ROADS[move].split()[1]
            self.hands[self.seat][color] -= int(length)
            self.built[move] = self.seat
        if move == "take" and self.taken < 2:
            return
        self.left -= 1
        if self.left < 0 and (not self.stock or sum(seat == self.seat for seat in self.built.values()) == 3):
            self.left = 2
        self.seat, self.taken, self.over = 1 - self.seat, 0, self.left == 0

    def points(self) -> list[int]:
        found = []
        for seat, tickets in enumerate(self.tickets):
            roads = [self.ROADS[c].split() for c, owner in self.built.items() if owner == seat]
            towns = {town: {town} for one, other, _ in self.TICKETS.values() for town in (one, other)}
            for road, _ in roads:
                one, other = road.split("-")
                both = towns[one] | towns[other]
                towns |= dict.fromkeys(both, both)
            worth = [
                points if other in towns[one] else -points for one, other, points in map(self.TICKETS.get, tickets)
            ]
            found.append(sum((0, 1, 2, 4, 7)[int(kind[1])] for _, kind in roads) + sum(worth))
        return found


class Corners:
    """Pieces of one to four cells, turned and flipped, that touch pieces of their side at corners and never at sides."""

    FORMS: ClassVar = {
        "dot": "#", "bar2": "##", "bar3": "###", "bend": "##/#.", "bar4": "####", "ell": "###/#..", "tee": "###/.#.",
        "square": "##/##", "zig": "##./.##",
    }  # fmt: skip

    def __init__(self, setup: dict[str, Any]) -> None:
        self.hands = [set(self.FORMS), set(self.FORMS)]
        self.board: dict[Cell, int] = {}
        self.seat, self.over = 0, False

    def cells(self, form: str) -> set[frozenset[Cell]]:
        """The forms a piece has, each with its least row and column 0."""
        first = {
            (x, y) for y, row in enumerate(self.FORMS[form].split("/")) for x, sign in enumerate(row) if sign == "#"
        }
        found, ways = set(), [first, {(-x, y) for x, y in first}]
        for _ in range(4):
            ways = [{(-y, x) for x, y in way} for way in ways]
            for way in ways:
                left, top = min(x for x, _ in way), min(y for _, y in way)
                found.add(frozenset((x - left, y - top) for x, y in way))
        return found

    def ways(self, seat: int) -> set[Hashable]:
        own = {c for c, s in self.board.items() if s == seat}
        home = (0, 7) if seat == 0 else (7, 0)
        beside = {(x + a, y + b) for x, y in own for a, b in SIDES}
        near = {(x + a, y + b) for x, y in own for a, b in CORNERS} if own else {home}
        free = set(product(range(8), repeat=2)) - set(self.board) - beside
        found = set[Hashable]()
        for form in self.hands[seat]:
            for way, (x, y) in product(self.cells(form), product(range(8), repeat=2)):
                laid = frozenset((x + a, y + b) for a, b in way)
                if laid <= free and laid & near:
                    found.add((form, laid))
        return found

    def legal(self) -> set[Hashable]:
        return self.ways(self.seat) or {"pass"}

    def named(self, action: Action) -> Hashable:
        if action.name == "pass":
            return "pass"
        form, (x, y) = action.arguments["piece"][1:], action.arguments["at"]
        cells = [
            (a, b) for b, row in enumerate(self.FORMS[form].split("/")) for a, sign in enumerate(row) if sign == "#"
        ]
        if action.arguments["flipped"]:
            cells = [(-a, b) for a, b in cells]
        for _ in range(action.arguments["turned"]):
            cells = [(-b, a) for a, b in cells]
        return form, frozenset((x + a, y + b) for a, b in cells)

    def play(self, move: Any) -> None:
        if move != "pass":
            self.hands[self.seat].remove(move[0])
            self.board |= dict.fromkeys(move[1], self.seat)
        self.over = not self.ways(0) and not self.ways(1)
        self.seat = 1 - self.seat

    def points(self) -> list[int]:
        return [sum(s == seat for s in self.board.values()) for seat in (0, 1)]


MODELS: dict[str, type[Model]] = {
    "quarto": Quarto, "onitama": Onitama, "couriers": Couriers, "lost_cities": LostCities, "corners": Corners,
    "routes": Routes,
}  # fmt: skip


@one_day_in(8)
@pytest.mark.parametrize("games", few_or_many(2, 300))
@pytest.mark.parametrize("name", MODELS)
def test_beside_a_model(name: str, games: int) -> None:
    for seed in range(games):
        rng, ours = random.Random(seed), table(name, seed)
        model = MODELS[name](ours.setup)
        plies = 0
        while not ours.over and plies < 400:
            assert not model.over, (seed, plies)
            options = {model.named(option): option for option in ours.options}
            assert set(options) == model.legal(), (seed, plies)
            assert {option.player for option in ours.options} == {NAMES[model.seat]}
            move = rng.choice(sorted(options, key=repr))
            ours.play(options[move])
            model.play(move)
            plies += 1
        assert (model.over or plies == 400) and (not ours.over or ours.points() == model.points()), seed
