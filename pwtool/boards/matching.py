"""One board and one objective: where it is fulfilled and, if it is not, the fewest changes that would fulfil it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from pwtool.boards.diagrams import Diagram, TooLarge
from pwtool.boards.nearest_boards import Neighbours
from pwtool.boards.possible import Decks, broken_by, decks_of, lacking
from pwtool.boards.proofs import Analysis, position_with
from pwtool.boards.search import Board, Cheapest, Deepening
from pwtool.boards.spaces import EMPTY
from pwtool.boards.symbols import Unsupported
from pwtool.eval.values import UNKNOWN, UNSEEN, Cell, Grid, bounds, by_cell, connected, fits
from pwtool.ir import nodes as ir
from pwtool.ir.nodes import Expr
from pwtool.play.game import Game
from pwtool.play.state import State
from pwtool.text import InternalError
from pwtool.text.speech import Told

MAX_FILLED = 2_000
"""So many ways to fill in the unseen cards of a board are tried."""
MAX_EXCHANGED = 3_000
"""So many cards are tried in the place of those that the deck does not have."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change to a board: `place`, `replace` or `remove`; `before` and `after` are piles, bottom to top."""

    kind: str
    cell: Cell
    before: tuple[int, ...]
    after: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NearMiss:
    """The fewest changes after which a board fulfils an objective, and the resulting board; which cards it has more often than
    the game, and which invariants it breaks.
    """

    changes: tuple[Change, ...]
    grid: Grid
    lacking: tuple[int, ...]
    broken: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Farther:
    """More changes are needed than `than`, the number up to which all boards were searched."""

    than: int


# ---- whether


def verdict_on(game: Game, name: str, grid: Grid, state: State) -> Any:
    """Whether a board fulfils an objective; UNKNOWN if that depends on cards that nobody saw. Where few such cards lie on the
    board, every way to fill them in is tried.
    """
    holds, board = game.interpreter.objective(name), game.ruleset.board
    found = holds(state, grid)
    places = [(cell, at) for cell, pile in grid.items() for at, face in enumerate(pile) if face == UNSEEN]
    if found is not UNKNOWN or board is None or board.element.kind != "face":
        return found
    faces = range(len(game.ruleset.components[board.element.component].codes))
    if len(faces) ** len(places) > MAX_FILLED:
        return found
    verdicts = set()
    for ways in product(faces, repeat=len(places)):
        filled = {cell: [*pile] for cell, pile in grid.items()}
        for (cell, at), face in zip(places, ways, strict=True):
            filled[cell][at] = face
        verdicts.add(holds(state, filled))
    return verdicts.pop() if len(verdicts) == 1 else UNKNOWN


# ---- where


def find_places(game: Game, name: str, grid: Grid, state: State | None = None) -> list[tuple[Cell, ...]]:
    """The placements of shapes and the cards that fulfil an objective on a board, each as its cells. A part that holds because
    something is missing has no place.
    """
    board, objective = game.ruleset.board, game.ruleset.objectives[name]
    if board is None or not grid:
        return []
    left, top = bounds(grid)[:2] if board.floating else (0, 0)
    cells = by_cell(grid, board.width, board.height, board.floating)
    locals_: list[Any] = [None] * objective.slots
    locals_[0], locals_[1] = cells, [pile[-1] for pile in cells if pile]
    finder = _Finder(game, state or position_with(game, grid), locals_)
    places = dict.fromkeys(finder.find(objective.condition))
    return [tuple((c % board.width + left, c // board.width + top) for c in place) for place in places]


class _Finder:
    def __init__(self, game: Game, state: State, locals_: list[Any]) -> None:
        self.interpreter, self.state, self.e = game.interpreter, state, locals_
        self.cells: list[Any] = locals_[0]

    def holds(self, x: Expr) -> bool:
        value = self.interpreter.evaluate(x, self.state, self.e)
        return value is not UNKNOWN and bool(value)

    def find(self, x: Expr) -> list[tuple[int, ...]]:
        if x.type.kind == "bool" and not self.holds(x):
            return []
        match x:
            case ir.And() | ir.Or() | ir.Compare() | ir.Arithmetic():
                return [*self.find(x.left), *self.find(x.right)]
            case ir.Table():
                return self.find(x.operand)
            case ir.Let():
                self.e[x.slot] = self.interpreter.evaluate(x.value, self.state, self.e)
                return self.find(x.body)
            case ir.If():
                return self.find(x.then if self.holds(x.condition) else x.otherwise)
            case ir.Quantified(kind="some" | "least" | "exactly", domain=ir.Places() as places):
                return self.placements(x, places)
            case ir.CountWhere(domain=ir.Places() as places):
                return self.placements(x, places)
            case ir.Quantified() if x.kind not in ("no", "most") and not isinstance(x.domain, ir.Places):
                return self.things(x)
            case ir.CountWhere():
                return self.things(x)
            case ir.Count(of=ir.Local(slot=1)):
                return [tuple(at for at, pile in enumerate(self.cells) if pile)]
        # Nothing else has a place of its own.
        return []

    def placements(self, x: ir.Quantified | ir.CountWhere, places: ir.Places) -> list[tuple[int, ...]]:
        found = []
        for cells, held in places.lying(self.cells):
            self.e[x.slot] = held
            if self.holds(x.body):
                found.append(tuple(sorted(cells)))
        return found

    def things(self, x: ir.Quantified | ir.CountWhere) -> list[tuple[int, ...]]:
        """The cards or piles of the board; for numbers and other values, whatever is found for each of them."""
        filled = [at for at, pile in enumerate(self.cells) if pile]
        items = self.interpreter.evaluate(x.domain, self.state, self.e)
        match x.domain:
            case ir.Local(slot=1) | ir.Each(piles=ir.Local(), part="pile"):
                cells = []
                for at, item in zip(filled, items, strict=True):
                    self.e[x.slot] = item
                    if self.holds(x.body):
                        cells.append(at)
                return [tuple(cells)] if cells else []
        found = [place for item in items for place in self._bound(x.body, x.slot, item)]
        # What has to be found for every element counts as one place.
        together = isinstance(x, ir.Quantified) and x.kind == "every" and found
        return [tuple(sorted({at for place in found for at in place}))] if together else found

    def _bound(self, body: Expr, slot: int, item: Any) -> list[tuple[int, ...]]:
        self.e[slot] = item
        return self.find(body)


# ---- what is missing


def nearest_miss(game: Game, name: str, grid: Grid) -> NearMiss | Farther | None:
    """The fewest cells to change until a board fulfils an objective; None if no board does.

    Proven by a search through all boards, in which every cell that differs costs one. Among several nearest boards, a
    connected one is preferred if the given board is connected. If there are too many boards, only those a few changes away
    are searched. Raises `Unsupported`.
    """
    board = game.ruleset.board
    assert board is not None
    piles = [tuple(pile) for pile in grid.values() if pile]
    if any(UNSEEN in pile for pile in piles):
        raise Unsupported(Told("it depends on cards that nobody saw"))
    if not fits(grid, board.width, board.height):
        left, top, right, bottom = bounds(grid)
        raise Unsupported(
            Told(
                "it covers {size} cells, but objectives are proven on a grid of {most}",
                size=f"{right - left + 1}x{bottom - top + 1}",
                most=f"{board.width}x{board.height}",
            )
        )
    analysis = Analysis(game, [name], piles, patient=False)
    if name in analysis.undecided:
        raise Unsupported(analysis.undecided[name].reason, analysis.undecided[name].span)
    frames = _frames(game, grid)
    try:
        best = _nearest(analysis, name, grid, frames)
    except TooLarge:
        near = Neighbours(analysis, name).nearest(
            [[_value(analysis, pile) for pile in cells] for _, _, cells, _ in frames],
            [outside for *_, outside in frames],
            bool(grid) and connected(grid),
        )
        if near.board is None:
            return None if near.changes == board.width * board.height else Farther(near.changes)
        best = (near.changes, *frames[near.frame][:2], near.board)
    return None if best is None else _described(name, analysis, grid, best)


def _nearest(analysis: Analysis, name: str, grid: Grid, frames: list[_Frame]) -> tuple[int, int, int, Board] | None:
    diagrams = [analysis.diagram(name)]
    best: tuple[int, int, int, Board] | None = None
    for left, top, cells, outside in frames:
        if best is not None and outside >= best[0]:
            break
        current = [_value(analysis, pile) for pile in cells]
        ways = [diagrams, [*diagrams, analysis.connected]] if connected(grid) and grid else [diagrams]
        for way in ways:
            found = _closest(analysis, way, current)
            if found is None:
                continue
            changes = outside + sum(a != b for a, b in zip(found, current, strict=True))
            if best is None or changes < best[0] or (changes == best[0] and len(way) > 1 and way is ways[-1]):
                best = (changes, left, top, found)
    return best


_Frame = tuple[int, int, list[list[int] | None], int]


def _frames(game: Game, grid: Grid) -> list[_Frame]:
    """The positions of the board in its frame: a floating grid may grow on every side, and where the cards of an edge are removed, on
    the other side instead. Each comes with the cell of the grid that lies in the upper left corner, and with the number of
    cards outside, the fewest first.
    """
    board = game.ruleset.board
    assert board is not None
    if not board.floating or not grid:
        return [(0, 0, by_cell(grid, board.width, board.height, False), 0)]
    left, top, right, bottom = bounds(grid)
    found = []
    for down in range(top - bottom, board.height):
        for aside in range(left - right, board.width):
            moved = {(x - left + aside, y - top + down): pile for (x, y), pile in grid.items() if pile}
            inside = {at: pile for at, pile in moved.items() if _is_inside(at, board.width, board.height)}
            cells = by_cell(inside, board.width, board.height, False)
            found.append((left - aside, top - down, cells, len(moved) - len(inside)))
    return sorted(found, key=lambda frame: frame[3])


def _is_inside(cell: Cell, width: int, height: int) -> bool:
    return 0 <= cell[0] < width and 0 <= cell[1] < height


def _value(analysis: Analysis, pile: list[int] | None) -> int:
    if not pile:
        return EMPTY
    space = analysis.space
    seen = tuple(pile) if space.tall else (pile[-1],)
    return space.values.index(seen)


def _closest(analysis: Analysis, diagrams: list[Diagram], current: list[int]) -> Board | None:
    space = analysis.space
    # With the same number of changes, the nearest board is the one that keeps most of the cards: placing a card costs a little
    # less than replacing or removing one, but the difference never adds up to one change.
    one = len(space.order) + 1
    costs = [
        [0 if v == current[at] else one if current[at] == EMPTY else one + 1 for v in range(len(space.values))]
        for at in space.order
    ]
    parts = [Cheapest(d, costs) for d in diagrams]
    search = Deepening(parts)
    return search.board() if search.exists() else None


def _described(name: str, analysis: Analysis, grid: Grid, best: tuple[int, int, int, Board]) -> NearMiss:
    _, left, top, found = best
    space = analysis.space
    after: Grid = {cell: list(pile) for cell, pile in grid.items() if pile}
    outside = [cell for cell in after if not _is_inside((cell[0] - left, cell[1] - top), space.width, space.height)]
    changes = [Change("remove", cell, tuple(after.pop(cell)), ()) for cell in outside]
    for at, value in enumerate(found):
        cell = (at % space.width + left, at // space.width + top)
        before = tuple(after.get(cell, ()))
        if value == (_value(analysis, list(before)) if before else EMPTY):
            continue
        new = space.values[value]
        if value == EMPTY:
            del after[cell]
        else:
            after[cell] = list(new) if space.tall else [*before[:-1], *new]
        kind = "remove" if value == EMPTY else "replace" if before else "place"
        changes.append(Change(kind, cell, before, tuple(after.get(cell, ()))))
    analysis.confirm_grid(after, {name: True})
    if len(changes) != best[0]:
        raise InternalError("a near miss with more changes than it costs")
    decks = decks_of([analysis.game], analysis.encoding.component)
    _exchange(name, analysis, after, [change.cell for change in changes if change.after], decks)
    for cell in [change.cell for change in changes if len(change.after) > 1] if not space.tall else ():
        # What is covered is not read: a card that may not lie on it lies alone.
        broken, pile = broken_by(analysis.game, after), after[cell]
        if broken:
            after[cell] = pile[-1:]
            after[cell] = pile[-1:] if set(broken_by(analysis.game, after)) < set(broken) else pile
    changes = [replace(change, after=tuple(after.get(change.cell, ()))) for change in changes]
    beyond = tuple(sorted(lacking(analysis.encoding.component, decks, after)))
    return NearMiss(tuple(changes), after, beyond, tuple(broken_by(analysis.game, after)))


def _exchange(name: str, analysis: Analysis, grid: Grid, cells: list[Cell], decks: Decks) -> None:
    """Lay other cards on these cells where the deck has none of those that lie there, as long as the objective stays fulfilled and
    no invariant is broken for it.
    """
    component, tried = analysis.encoding.component, 0
    for cell in cells:
        while (
            component.at_first(grid[cell][-1]) in (beyond := lacking(component, decks, grid)) and tried < MAX_EXCHANGED
        ):
            face, broken = grid[cell][-1], broken_by(analysis.game, grid)
            for other in range(len(component.codes)):
                tried, grid[cell][-1] = tried + 1, other
                if (
                    lacking(component, decks, grid).total() < beyond.total()
                    and analysis.has(grid, {name: True})
                    and set(broken_by(analysis.game, grid)) <= set(broken)
                ):
                    break
            else:
                grid[cell][-1] = face
                break
