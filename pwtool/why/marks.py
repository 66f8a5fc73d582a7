"""The cells and things that a move is about, to be marked in drawings of the position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from pwtool.eval.kleene import is_unknown
from pwtool.eval.values import UNSEEN, Cell
from pwtool.ir import nodes as ir
from pwtool.ir.model import ActionModel, ZoneModel
from pwtool.ir.walk import walk
from pwtool.play.game import Game
from pwtool.play.record import Move
from pwtool.play.state import State


class Marks(Struct, frozen=True):
    """Cells of grids and things in zones, each with the number of the zone and its index among the zones of that name."""

    cells: frozenset[tuple[int, int, Cell]] = frozenset()
    things: frozenset[tuple[int, int, int]] = frozenset()

    def cells_of(self, zone: ZoneModel, index: int) -> frozenset[Cell]:
        """The marked cells of a grid."""
        return frozenset(cell for number, which, cell in self.cells if (number, which) == (zone.number, index))

    def things_of(self, zone: ZoneModel, index: int) -> frozenset[int]:
        """The marked faces in a zone; of equal ones, one is marked."""
        return frozenset(face for number, which, face in self.things if (number, which) == (zone.number, index))


NO_MARKS = Marks()


def marks_of(game: Game, state: State, *moves: Move) -> Marks:
    """What moves name: cells, and things where they lie; for an objective, a minimal set of cells of the grid that fulfils it."""
    cells: set[tuple[int, int, Cell]] = set()
    things: set[tuple[int, int, int]] = set()
    for move in moves:
        model = _model(game, move)
        for p, argument in zip(model.parameters, move.arguments, strict=True):
            if p.each:
                # Each seat names something different.
                continue
            if p.kind == "tops":
                # Each is named with the number of the zone that it lies on.
                things |= {(p.zone, number - 1, face) for number, face in argument if face != UNSEEN}
            elif p.kind in ("element", "elements"):
                which = _which(game.zone_list[p.zone], move.actor)
                faces = argument if isinstance(argument, list | tuple) else [argument]
                things |= {(p.zone, which, face) for face in faces if isinstance(face, int) and face != UNSEEN}
            elif p.type.kind == "cell" and isinstance(argument, tuple):
                # The cells of other grids are not meant, as far as they are others.
                grids = [z for z in game.zone_list if z.kind == "grid" and p.type.grid in (None, z.grid)]
                cells |= {(zone.number, _which(zone, move.actor), argument) for zone in grids}
            elif p.type.kind == "goal" and isinstance(argument, int):
                cells |= set(_deciding_cells(game, state, model, move, state.goals[argument]))
    return Marks(frozenset(cells), frozenset(things))


def moved_between(game: Game, before: State, after: State) -> Marks:
    """The differences between two positions: cells of grids, and things at their new places."""
    cells: set[tuple[int, int, Cell]] = set()
    things: set[tuple[int, int, int]] = set()
    for zone in game.zone_list:
        for which, (old, new) in enumerate(zip(before.zones[zone.number], after.zones[zone.number], strict=True)):
            if old == new:
                continue
            if isinstance(new, dict):
                changed = {cell for cell in old.keys() | new.keys() if old.get(cell) != new.get(cell)}
                cells |= {(zone.number, which, cell) for cell in changed}
            else:
                things |= {(zone.number, which, face) for face in Counter(new) - Counter(old)}
    return Marks(frozenset(cells), frozenset(things))


def _model(game: Game, move: Move) -> ActionModel:
    return [*game.ruleset.consequences.values()][move.number] if move.consequence else game.action(move.number)


def _which(zone: ZoneModel, seat: int) -> int:
    """The zone among those of the same name that belongs to this seat, or the only one."""
    kinds = [kind for kind, _ in zone.dimensions]
    return seat if kinds == ["player"] and seat >= 0 else 0


def _deciding_cells(
    game: Game, state: State, model: ActionModel, move: Move, name: str
) -> Iterator[tuple[int, int, Cell]]:
    """A minimal set of cells of the mover's grid on which the objective still holds: cells are removed as long as it does."""
    asked = [part for rule in model.rules for part in walk(rule.require) if isinstance(part, ir.Fulfils)]
    board = game.ruleset.board
    if not asked or board is None or name not in game.ruleset.objectives:
        return
    which = _which(board, move.actor)
    grid = state.zones[board.number][which]
    holds = game.interpreter.objective(name)

    def fulfilled(cells: dict[Cell, list[int]]) -> bool:
        verdict = holds(state, cells)
        return not is_unknown(verdict) and bool(verdict)

    if not isinstance(grid, dict) or not fulfilled(grid):
        return
    kept = dict(grid)
    for cell in sorted(grid):
        fewer = {c: pile for c, pile in kept.items() if c != cell}
        if fulfilled(fewer):
            kept = fewer
    yield from ((board.number, which, cell) for cell in kept)
