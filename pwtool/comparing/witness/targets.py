"""Playing toward a board that fulfils an objective in one ruleset but not in the other."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable

from pwtool.boards.diagrams import TooLarge
from pwtool.boards.invariants import pile_rules
from pwtool.boards.proofs import Analysis
from pwtool.boards.search import Cheapest, Deepening
from pwtool.boards.spaces import EMPTY, dealt_cards
from pwtool.boards.symbols import Unsupported
from pwtool.comparing.witness.players import Favoured, Rating
from pwtool.eval.values import Cell, Grid
from pwtool.kernel.compiler import Compiler
from pwtool.play.game import Game
from pwtool.play.play import Play
from pwtool.play.selfplay import Option
from pwtool.play.state import State
from pwtool.text import InternalError

DRAWN = 12
TOO_EARLY = 400.0
STEPS = (8.0, 16.0, 16.0, 24.0)
Pile = tuple[int, ...]
Target = dict[Cell, Pile]


class Targets:
    """Boards on which an objective of `first` is fulfilled and the same one of `second` is not."""

    def __init__(self, first: Game, second: Game, name: str) -> None:
        self.game, self.name = first, name
        self.analysis: Analysis | None = None
        rulesets = {"first": first.ruleset, "second": second.ruleset}
        sides = {side: r.objectives[name] for side, r in rulesets.items() if name in r.objectives}
        self.fulfilled = [Compiler(rulesets[side]).objective(name) for side in sides]
        try:
            self.analysis = Analysis(first, sides)
            if self.analysis.space.tall:
                # If our own objective reads only what is visible, what lies below is free.
                simple = Analysis(first, {"first": sides["first"]})
                self.analysis = self.analysis if simple.space.tall else simple
            self.diagrams = [self.analysis.diagram("first")]
            if "second" in self.analysis.roots:
                self.diagrams.append(self.analysis.diagram("second").contrary())
        except (Unsupported, TooLarge, InternalError):
            self.analysis = None
        self.rules = pile_rules(first.ruleset)

    def choose(self, rng: random.Random, players: int) -> Target | None:
        """A board for which there are enough cards: of several random ones, the one that needs the fewest cards; None if none was found."""
        if self.analysis is None:
            return None
        best: tuple[int, Target] | None = None
        cards = dealt_cards(self.game, self.analysis.encoding.component.name, players)
        for _ in range(DRAWN):
            target = self._drawn(rng)
            if target is None:
                break
            needed = Counter(face for pile in target.values() for face in pile)
            if cards is not None and any(needed[face] > cards[face] for face in needed):
                continue
            work = sum(self._work(pile) for pile in target.values())
            if best is None or work < best[0]:
                best = work, target
        return None if best is None else best[1]

    def _drawn(self, rng: random.Random) -> Target | None:
        """A board that needs few cards, with different faces and cells each time."""
        assert self.analysis is not None
        space = self.analysis.space
        spread = rng.choice((4, 12, 30))
        costs = [
            [
                0 if v == EMPTY else 8 * self._work(space.values[v]) + rng.randint(0, spread)
                for v in range(len(space.values))
            ]
            for _ in space.order
        ]
        for diagrams in ([*self.diagrams, self.analysis.connected], self.diagrams):
            try:
                search = Deepening([Cheapest(d, costs) for d in diagrams])
                if search.exists():
                    return {cell: tuple(pile) for cell, pile in space.grid(search.board()).items()}
            except TooLarge:
                continue
        return None

    def _work(self, pile: Pile) -> int:
        """Approximately how many cards a pile needs."""
        ascending = [name for kind, name in self.rules if kind == "ascending"]
        if not ascending:
            return len(pile)
        ranks = [self._rank(face, ascending[0]) for face in pile]
        assert self.analysis is not None
        if not self.analysis.space.tall:
            return 1 + ranks[-1]
        # Skipped values have to be paid for, if they can be skipped at all.
        gaps = [b - a - 1 for a, b in zip([-1, *ranks], ranks, strict=False)]
        return len(pile) + sum(1 << 2 * gap for gap in gaps if gap)

    def _rank(self, face: int, attribute: str) -> int:
        board = self.game.ruleset.board
        assert board is not None
        table = self.game.ruleset.components[board.element.component].attributes[attribute].table
        return sorted(set(table)).index(table[face])

    def below(self, face: int, wanted: int) -> bool:
        """Whether a card can lie under another one in a pile, by the rules for piles."""
        board = self.game.ruleset.board
        assert board is not None
        attributes = self.game.ruleset.components[board.element.component].attributes
        for kind, name in self.rules:
            a, b = attributes[name].table[face], attributes[name].table[wanted]
            if (kind == "same" and a != b) or (kind == "ascending" and not a < b):
                return False
        return True

    def favour(self, target: Target) -> Favoured:
        """The cards of the target first, then those that can lie under them."""
        tops = Counter(face for pile in target.values() for face in pile)

        def favoured(face: int) -> float:
            if face in tops:
                return 2.0
            return 1.0 if any(self.below(face, wanted) for wanted in tops) else 0.0

        return favoured

    def rating(self, target: Target, seat: int, rng: random.Random) -> Rating:
        """How close an option brings a player to the target; options of the others are rated by what they leave."""
        marks = _Marks(self, target, seat, rng.choice(STEPS))

        def rate(play: Play, option: Option | None) -> float:
            after = play
            if option is not None:
                after = play.copy()
                after.do(*option)
            value = marks.of(after.state)
            if self.agreed(after.state, seat) and (
                option is None or not marks.missing(after.state) <= _placeable(after)
            ):
                value -= TOO_EARLY
            return value

        return rate

    def agreed(self, state: State, seat: int) -> bool:
        """Whether the objective is fulfilled on a player's board in both: then both let it be claimed, and the target comes too late."""
        board = self.game.ruleset.board
        assert board is not None
        grid = state.zones[board.number][seat if board.dimensions else 0]
        return len(self.fulfilled) == 2 and all(holds(state, grid) for holds in self.fulfilled)


class _Marks:
    """How far a player has come. `step` is the value of a card on the way to the target: if small, cards are gathered first; if
    large, each is placed as soon as possible.
    """

    def __init__(self, targets: Targets, target: Target, seat: int, step: float) -> None:
        self.targets, self.target, self.seat, self.step = targets, target, seat, step
        ruleset = targets.game.ruleset
        board = ruleset.board
        assert board is not None
        self.board = board
        self.tall = targets.analysis is not None and targets.analysis.space.tall
        models = ruleset.actions.values()
        own: set[int] = set()
        shared: set[int] = set()
        for p in (p for m in models for p in m.parameters):
            if p.kind in ("element", "elements", "tops"):
                zone = targets.game.zone_list[p.zone]
                if zone.element.kind == "face" and zone.element.component == board.element.component:
                    (own if zone.dimensions and zone.dimensions[0][0] == "player" else shared).add(zone.number)
        self.own, self.shared = sorted(own), sorted(shared)

    def of(self, state: State) -> float:
        """The marks of a position."""
        grid = self._grid(state)
        hand = Counter(f for z in self.own for f in _faces([state.zones[z][self.seat]]))
        tops = Counter(pile[-1] for z in self.shared for pile in state.zones[z] if isinstance(pile, list) and pile)
        best = max((self._at(grid, hand, tops, dx, dy) for dx, dy in self._offsets(grid)), default=-1000.0)
        return best + 0.2 * sum(hand.values())

    def missing(self, state: State) -> set[int]:
        """The cards that are still missing on the board, in the best position of the target."""
        grid = self._grid(state)
        lacking = [
            {p[-1] for (x, y), p in self.target.items() if grid.get((x + dx, y + dy), [None])[-1] != p[-1]}
            for dx, dy in self._offsets(grid)
        ]
        return min(lacking, key=lambda faces: (len(faces), sorted(faces)), default=set())

    def _grid(self, state: State) -> Grid:
        grid: Grid = state.zones[self.board.number][self.seat if self.board.dimensions else 0]
        return grid

    def _offsets(self, grid: Grid) -> Iterable[Cell]:
        if not self.board.floating or not grid:
            return [(0, 0)]
        found = []
        for dx in range(-self.board.width, self.board.width + 1):
            for dy in range(-self.board.height, self.board.height + 1):
                cells = [(x + dx, y + dy) for x, y in self.target] + list(grid)
                xs, ys = [x for x, _ in cells], [y for _, y in cells]
                if max(xs) - min(xs) < self.board.width and max(ys) - min(ys) < self.board.height:
                    found.append((dx, dy))
        return found

    def _at(self, grid: Grid, hand: Counter[int], tops: Counter[int], dx: int, dy: int) -> float:
        marks = 0.0
        left, above = hand.copy(), tops.copy()
        for (x, y), pile in self.target.items():
            held = grid.get((x + dx, y + dy), [])
            marks += self._cell(held, pile, left, above)
        return marks

    def _cell(self, held: list[int], pile: Pile, hand: Counter[int], tops: Counter[int]) -> float:
        if self.tall:
            return self._tall_cell(held, pile, hand, tops)
        wanted, below = pile[-1], self.targets.below
        if held and held[-1] == wanted:
            return 150.0
        if held and not below(held[-1], wanted):
            return -40.0
        # A wanted card is worth keeping until its turn comes, and is not used as payment; the cards that can lie under it count a
        # little each.
        marks = self.step * len(held)
        if hand[wanted]:
            marks += 60.0
            hand[wanted] -= 1
        elif tops[wanted]:
            marks += 2.0
        for face in [f for f in hand if hand[f] and below(f, wanted) and (not held or below(held[-1], f))]:
            marks += 5.0
            hand[face] -= 1
        return marks

    def _tall_cell(self, held: list[int], pile: Pile, hand: Counter[int], tops: Counter[int]) -> float:
        if tuple(held) != pile[: len(held)]:
            return -40.0
        marks = 60.0 * len(held)
        for face in pile[len(held) :]:
            if hand[face]:
                marks += 30.0
                hand[face] -= 1
            elif tops[face]:
                marks += 2.0
        return marks


def _placeable(play: Play) -> set[int]:
    """The cards that can be placed before the turn ends."""
    found: set[int] = set()
    for number, actor in play.next_steps():
        places = [at for at, p in enumerate(play.game.action(number).parameters) if p.kind == "element"]
        if places:
            found |= {arguments[at] for arguments in play.arguments(number, actor) for at in places}
    return found


def _faces(zones: list[object]) -> list[int]:
    return [f for zone in zones if isinstance(zone, list) for f in zone]
