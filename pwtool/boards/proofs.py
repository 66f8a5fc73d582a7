"""Facts about objectives on all boards, each proven or shown by a board.

Sampled boards come first: they refute nearly everything that is false, and only the rest is proven.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce

from pwtool.boards.bulk import Program
from pwtool.boards.circuit import Circuit
from pwtool.boards.decks import within_deck
from pwtool.boards.diagrams import FEW_BRANCHES, MAX_BRANCHES, Diagram, TooLarge, build_diagram
from pwtool.boards.encoding import Encoding
from pwtool.boards.gates import compile_objective
from pwtool.boards.multisets import counted_diagram, reads_cards_alone
from pwtool.boards.sampling import Sample
from pwtool.boards.search import Board, Cheapest, Deepening, Search
from pwtool.boards.set_counts import SetCounts
from pwtool.boards.spaces import Space, connected_diagram, dealt_cards, filled_diagram, make_space, tallest_pile
from pwtool.boards.splitting import FEW_STEPS, MAX_STEPS, SplitBoards
from pwtool.boards.symbols import Unsupported
from pwtool.boards.symmetry import Symmetry, find_symmetry
from pwtool.eval.values import UNKNOWN, Grid
from pwtool.ir.model import ObjectiveModel
from pwtool.kernel.lower import lower
from pwtool.play.game import Game
from pwtool.play.state import State
from pwtool.rules.bounds import objective_steps
from pwtool.text import InternalError
from pwtool.text.source import Span
from pwtool.text.speech import Told

# The total number of judging steps, per face, up to which objectives are proven; the smaller number is for little patience.
MAX_LOOKS = 20_000_000
FEW_LOOKS = 1_500_000
# The constant cost of each objective.
_WEIGHT = 100


@dataclass(frozen=True, slots=True)
class Undecided:
    """An objective about which nothing can be proven, and why. `of_grid`: whether it depends only on the grid, so that single
    boards can still be judged.
    """

    reason: str
    span: Span | None = None
    of_grid: bool = False


@dataclass(frozen=True, slots=True)
class Measure:
    """What is known about one objective: how many boards fulfil it, of all and of the connected ones, and those with the fewest
    cards. `decks[n]` is a board with the fewest cards of the deck for `n` players, None if the deck allows none;
    `decks_open` are the numbers of players for which that could not be decided.
    """

    name: str
    count: int
    connected: int
    smallest: Board | None
    smallest_connected: Board | None
    decks: dict[int, Board | None]
    decks_open: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """The relation of two objectives, on all boards and on the connected ones: `same`, `implies`, `implied`, `excludes` or
    `apart`.
    """

    first: str
    second: str
    kind: str
    connected_kind: str

    def surely_exists(self, first: bool, second: bool) -> bool:
        """Whether its kind says that there is a board with these verdicts of the two."""
        kinds = {(True, False): ("implied", "apart"), (False, True): ("implies", "apart")}
        return self.kind in kinds.get((first, second), ("implies", "implied", "apart") if first else ())


def kind_of(only_first: bool, only_second: bool, both: bool) -> str:
    """The relation of two objectives, given which kinds of boards exist."""
    if not only_first and not only_second:
        return "same"
    if not both:
        return "excludes"
    return "apart" if only_first and only_second else "implied" if only_first else "implies"


def position_with(game: Game, grid: Grid) -> State:
    """A position with this board and nothing else; a shared grid is the grid of the position."""
    state = State(game.ruleset, game.ruleset.min_players, [])
    board = game.ruleset.board
    if board is not None and not board.dimensions:
        state.zones[board.number][0] = grid
    return state


# The size of the diagrams that are tried, and how many steps counting without one may then take; small values of both
# first, because nobody knows which of the two is quicker.
_ROUNDS = (FEW_BRANCHES // 4, FEW_STEPS // 2), (FEW_BRANCHES, MAX_STEPS), (MAX_BRANCHES, 0)
_IMPATIENT = ((FEW_BRANCHES, 0),)


_TOO_MANY = Told("it looks at too many places of the grid")
_TOGETHER = Told("together with the others, it looks at too many places of the grid")


class Analysis:
    """Objectives as circuits and diagrams, over one space of boards of a game: the game's own objectives by name (all of them by
    default), or any others under given names. Without `patient`, what takes more than about a second is left undecided.
    """

    def __init__(
        self,
        game: Game,
        objectives: Iterable[str] | Mapping[str, ObjectiveModel] | None = None,
        more: Iterable[tuple[int, ...]] = (),
        patient: bool = True,
    ) -> None:
        ruleset = game.ruleset
        if ruleset.board is None:
            raise Unsupported(Told("the game has no grid for objectives"))
        self.game = game
        self.circuit = Circuit()
        component = ruleset.components[ruleset.board.element.component]
        self.encoding = Encoding(self.circuit, component, ruleset.board, tallest_pile(game))
        self.roots: dict[str, int] = {}
        self.undecided: dict[str, Undecided] = {}
        self.more = tuple(more)
        own = ruleset.objectives
        if not isinstance(objectives, Mapping):
            objectives = own if objectives is None else {name: own[name] for name in objectives}
        self.objectives = objectives
        left = MAX_LOOKS if patient else FEW_LOOKS
        for name, objective in objectives.items():
            looks = (_WEIGHT + objective_steps(ruleset, objective)) * len(component.codes)
            if looks > left:
                alone = looks > (MAX_LOOKS if patient else FEW_LOOKS)
                self.undecided[name] = Undecided(_TOO_MANY if alone else _TOGETHER, objective.span)
                continue
            left -= looks
            try:
                self.roots[name] = compile_objective(objective, self.encoding)
            except Unsupported as found:
                self.undecided[name] = Undecided(found.reason, found.span or objective.span)
        try:
            self.space  # noqa: B018 - made here, so that what it cannot hold is known from the start
        except Unsupported as found:
            for name in [n for n, r in self.roots.items() if self.encoding.levels(self.circuit.inputs_of([r])) > 1]:
                del self.roots[name]
                self.undecided[name] = Undecided(found.reason, objectives[name].span, True)
        self.patient = patient
        self._diagrams: dict[str, Diagram | None] = {}
        self._setwise: dict[frozenset[tuple[str, bool]], SetCounts | None] = {}
        self._known: dict[tuple[frozenset[tuple[str, bool]], bool], bool | None] = {}
        self._flat: Analysis | None = None
        self._symmetries: dict[str, Symmetry] = {}
        self._cheapest: dict[tuple[str, bool], Cheapest] = {}

    @cached_property
    def space(self) -> Space:
        """All boards: every cell empty or with one of the faces that a deck holds (with piles of every height if an objective reads
        what lies below).
        """
        return make_space(self.game, self.encoding, self.circuit.inputs_of(self.roots.values()), self.more)

    def flat(self) -> Analysis:
        """The same for the objectives that read only visible cards."""
        if self._flat is None:
            circuit, levels = self.circuit, self.encoding.levels
            flat = {n: self.objectives[n] for n, r in self.roots.items() if levels(circuit.inputs_of([r])) == 1}
            self._flat = Analysis(self.game, flat, patient=self.patient)
        return self._flat

    @cached_property
    def connected(self) -> Diagram:
        """The boards with at least one card whose cards are connected."""
        return connected_diagram(self.space)

    @cached_property
    def sample(self) -> Sample:
        names = list(self.roots)
        known = [board for found in self._setwise.values() if found is not None for board in found.drawn]
        return Sample(self.space, self.encoding, Program(self.circuit, [self.roots[n] for n in names]), names, known)

    def diagram(self, name: str) -> Diagram:
        """The boards that fulfil an objective; raises `TooLarge`."""
        if name not in self._diagrams:
            self._diagrams[name] = None
            try:
                self._diagrams[name] = self._built(name)
            except TooLarge:
                self.give_up(name)
        found = self._diagrams[name]
        if found is None:
            raise TooLarge
        return found

    def _built(self, name: str) -> Diagram:
        root = self.roots[name]
        if self._flat is not None and name in self._flat.roots:
            # It reads only the visible card of a pile, so it is as large as over boards of visible cards.
            return self._flat.diagram(name).lifted(self.space)
        if reads_cards_alone(lower(self.objectives[name].condition)):
            try:
                return counted_diagram(self.circuit, self.encoding, self.space, root)
            except TooLarge:
                pass
        rounds = _ROUNDS if self.patient else _IMPATIENT
        # Tall piles are counted by diagrams or not at all.
        for branches, steps in rounds[-1:] if self.space.tall else rounds:
            try:
                diagram = build_diagram(self.circuit, self.encoding, self.space, root, branches)
            except TooLarge:
                # What can be counted without a diagram does not justify a large one.
                if not steps or self._counts_setwise(name, steps):
                    raise
            else:
                self._setwise.pop(frozenset([(name, True)]), None)
                return diagram
        raise TooLarge

    def setwise(self, wanted: dict[str, bool]) -> SetCounts:
        """The boards with these verdicts of these objectives, without a diagram; raises `TooLarge`."""
        key = frozenset(wanted.items())
        if key not in self._setwise:
            self._setwise[key] = None
            if self.space.tall:
                # Tall piles cannot be split, so symmetries need not be searched for.
                raise TooLarge
            root = self.circuit.all_of(
                self.roots[name] if holds else self.circuit.not_(self.roots[name]) for name, holds in wanted.items()
            )
            alone = [(self._setwise.get(frozenset([(name, True)])), holds) for name, holds in wanted.items()]
            parts = [(part, holds) for part, holds in alone if part is not None]
            most = MAX_STEPS if self.patient else FEW_STEPS
            if len(wanted) > 1:
                # There are many questions about pairs: all of them together get the time of one objective.
                most -= sum(s.apart.steps for key, s in self._setwise.items() if s is not None and len(key) > 1)
            symmetry = reduce(Symmetry.both, map(self.symmetry, wanted))
            apart = SplitBoards(self.circuit, self.encoding, self.space, root, symmetry, most)
            self._setwise[key] = SetCounts(apart, self.space.width, parts)
        found = self._setwise[key]
        if found is None:
            raise TooLarge
        return found

    def symmetry(self, name: str) -> Symmetry:
        """What can be exchanged on every board without changing an objective."""
        if name not in self._symmetries:
            self._symmetries[name] = find_symmetry(self.objectives[name], self.encoding)
        return self._symmetries[name]

    def _counts_setwise(self, name: str, steps: int) -> bool:
        """Whether that many steps are enough to count the boards without a diagram; a later call with more goes on from there."""
        try:
            boards = self.setwise({name: True})
            boards.apart.most = steps
            boards.count()
        except TooLarge:
            if steps == MAX_STEPS:
                self._setwise[frozenset([(name, True)])] = None
            return False
        return True

    def give_up(self, name: str) -> None:
        """Note that an objective is too large for a diagram."""
        span = self.objectives[name].span
        self.undecided[name] = Undecided(Told("there are too many boards to examine"), span, True)

    def cheapest(self, name: str, holds: bool = True) -> Cheapest:
        """The boards with the fewest cards that fulfil an objective, or that do not; raises `TooLarge`."""
        found = self._cheapest.get((name, holds))
        if found is None:
            diagram = self.diagram(name) if holds else self.diagram(name).contrary()
            found = self._cheapest[name, holds] = Cheapest(diagram)
        return found

    # ---- one objective

    def measure(self, name: str) -> Measure:
        """Counts and smallest boards of one objective; raises `TooLarge`."""
        try:
            measure = self._measured(name)
        except TooLarge:
            measure = self._measured_setwise(name)
            self.undecided.pop(name, None)
        for board in (measure.smallest, measure.smallest_connected, *measure.decks.values()):
            if board is not None:
                self.confirm(board, {name: True})
        return measure

    def _measured(self, name: str) -> Measure:
        diagram = self.diagram(name)
        smallest = self.cheapest(name).board()
        decks = self._within_decks(name) if smallest is not None else ({}, ())
        joined = self.count(diagram, self.connected)
        together = Cheapest(self.connected)
        connected = Deepening([self.cheapest(name), together]).board() if joined else None
        return Measure(name, self.count(diagram), joined, smallest, connected, *decks)

    def _measured_setwise(self, name: str) -> Measure:
        boards = self.setwise({name: True})
        count, joined = boards.count(), boards.count(together=True)
        decks = self._within_decks(name, boards) if count else ({}, ())
        return Measure(name, count, joined, boards.smallest(), boards.smallest(together=True), *decks)

    def _within_decks(
        self, name: str, boards: SetCounts | None = None
    ) -> tuple[dict[int, Board | None], tuple[int, ...]]:
        """The boards with the fewest cards of the deck for each number of players, and the numbers for which that could not
        be decided. A set of `boards` shows only that there is one.
        """
        decks: dict[int, Board | None] = {}
        left: list[int] = []
        known: dict[frozenset[tuple[int, int]], tuple[bool, Board | None]] = {}
        for players, cards in self.dealt():
            key = frozenset(cards.items())
            if key not in known:
                try:
                    known[key] = True, within_deck([self.cheapest(name)], cards)
                except TooLarge:
                    board = None if boards is None else boards.within_deck(cards)
                    known[key] = board is not None, board
            is_decided, board = known[key]
            if is_decided:
                decks[players] = board
            else:
                left.append(players)
        return decks, tuple(left)

    def dealt(self) -> Iterator[tuple[int, Counter[int]]]:
        """The cards that are in the game, as they are at first, for each number of players."""
        ruleset = self.game.ruleset
        for players in range(ruleset.min_players, ruleset.max_players + 1):
            cards = dealt_cards(self.game, self.encoding.component.name, players)
            if cards is not None:
                yield players, cards

    def count(self, *diagrams: Diagram) -> int:
        """How many boards are in all of these diagrams."""
        return Search(self.space, diagrams).count()

    def fewest(self, name: str) -> int | None:
        """The fewest cards with which a board fulfils an objective, None if none does; raises `TooLarge`."""
        try:
            return self.cheapest(name).least()
        except TooLarge:
            board = self.setwise({name: True}).smallest()
            return None if board is None else self.space.cards(board)

    def number(self, name: str) -> int:
        """How many boards fulfil an objective; raises `TooLarge`."""
        try:
            return self.count(self.diagram(name))
        except TooLarge:
            found = self.setwise({name: True}).count()
            self.undecided.pop(name, None)
            return found

    # ---- two objectives

    def relation(self, first: str, second: str) -> Relation:
        """The relation of two objectives, on all boards and on the connected ones; raises `TooLarge`."""
        wanted = ((True, False), (False, True), (True, True))
        seen = [self.exists({first: a, second: b}) for a, b in wanted]
        joined = [s and self.exists({first: a, second: b}, True) for s, (a, b) in zip(seen, wanted, strict=True)]
        return Relation(first, second, kind_of(*seen), kind_of(*joined))

    def exists(self, wanted: dict[str, bool], connected: bool = False) -> bool:
        """Whether there is a (connected) board with these verdicts of these objectives; raises `TooLarge`, and `Unsupported` if nothing
        can be proven about one of them.
        """
        for name in wanted.keys() - self.roots.keys():
            raise Unsupported(self.undecided[name].reason, self.undecided[name].span)
        key = frozenset(wanted.items()), connected
        if key not in self._known:
            self._known[key] = None
            self._known[key] = self.sample.exists(wanted, connected) or self._proven(wanted, connected)
        found = self._known[key]
        if found is None:
            raise TooLarge
        return found

    def _proven(self, wanted: dict[str, bool], connected: bool) -> bool:
        try:
            parts = self._parts(wanted)
            if connected:
                parts.append(Cheapest(self.connected))
            return Deepening(parts).exists()
        except TooLarge:
            return self.setwise(wanted).exists(connected)

    def smallest(self, wanted: dict[str, bool], filled: bool = False, connected: bool = False) -> Board | None:
        """A board with the fewest cards and with these verdicts of these objectives (`filled`: with at least one card; `connected`:
        a connected one), None if there is none; raises `TooLarge`.
        """
        if not self.exists(wanted, connected):
            return None
        try:
            parts = self._parts(wanted)
            parts += [Cheapest(filled_diagram(self.space))] if filled else []
            search = Deepening([*parts, *([Cheapest(self.connected)] if connected else [])])
            board = search.board() if not filled or search.exists() else None
        except TooLarge:
            board = self.setwise(wanted).smallest(connected, filled)
        if board is not None:
            self.confirm(board, wanted)
        return board

    def dealt_board(self, wanted: dict[str, bool], cards: Mapping[int, int], connected: bool = False) -> Board | None:
        """A board with these verdicts of these objectives and as few of these cards as possible (`connected`: a connected one);
        None if they allow none. Raises `TooLarge`.
        """
        board = within_deck([*self._parts(wanted), *([Cheapest(self.connected)] if connected else [])], cards)
        if board is not None:
            self.confirm(board, wanted)
        return board

    def _parts(self, wanted: dict[str, bool]) -> list[Cheapest]:
        return [self.cheapest(name, holds) for name, holds in wanted.items()]

    # ---- the reference

    def confirm(self, board: Board, expected: dict[str, bool]) -> None:
        """Check a board against the reference interpreter before it is shown."""
        self.confirm_grid(self.space.grid(board), expected)

    def confirm_grid(self, grid: Grid, expected: dict[str, bool]) -> None:
        """The same for a grid; raises `InternalError` if the reference disagrees."""
        for name, wanted in expected.items():
            if not self.has(grid, {name: wanted}):
                raise InternalError(f"circuit and interpreter disagree about `{name}`")

    def has(self, grid: Grid, wanted: dict[str, bool]) -> bool:
        """Whether the reference has these verdicts of a grid."""
        state = position_with(self.game, grid)
        found = {name: self.game.interpreter.holds(self.objectives[name], state, grid) for name in wanted}
        return all(verdict is not UNKNOWN and bool(verdict) == wanted[name] for name, verdict in found.items())
