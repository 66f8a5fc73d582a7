"""The form as Python closures: the back end that needs no further packages, for positions in which everything is known.

Each operation becomes one function of the position and the locals. No code is generated as text, and nothing is
executed that is not in this file.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from operator import add, eq, lt, mul, sub
from typing import Any, assert_never

from pwtool.eval.backend import Backend, Evaluator
from pwtool.eval.values import around, by_cell, connected, fits, group_sizes, without
from pwtool.eval.work import Work
from pwtool.ir.grids import rays_all
from pwtool.ir.model import Ruleset
from pwtool.ir.nodes import Expr
from pwtool.kernel import form as f
from pwtool.kernel.form import Form
from pwtool.kernel.functions import (
    ALIKE,
    holding,
    make_and,
    make_any,
    make_beside,
    make_between,
    make_cell,
    make_coordinate,
    make_each,
    make_else,
    make_first,
    make_height_at,
    make_let,
    make_listed,
    make_looked_up,
    make_moved,
    make_near,
    make_next,
    make_placed,
    make_ray,
    make_separate,
    make_steps,
    make_sum,
    make_top,
    make_top_at,
    make_tops_at,
    make_values,
)
from pwtool.kernel.locals import BINDING, replaced
from pwtool.kernel.lower import lower, lower_value

# With more faces than this, making the table costs more than it saves.
_TABLED = 300

ROOM = 100
"""Loops over fewer elements than this all cost the same."""
PASSED = 16
"""The number of elements, traversed in one round of a loop, that cost an extra step if there can be many."""


class Compiler(Backend):
    """Compiles the expressions of one ruleset. Objectives are compiled when first asked for."""

    three_valued = False

    def __init__(self, ruleset: Ruleset, work: Work | None = None) -> None:
        self.ruleset = ruleset
        self.work = work or Work()
        self._objectives: dict[str, Callable[[Any, Any, Any], bool]] = {}
        self._numbered = [any(d == "number" for d, _ in z.dimensions) for z in ruleset.zones.values()]
        self._roomy = _roomy(ruleset)
        self._loops = 0

    def compile(self, expr: Expr) -> Evaluator:
        return self.closure(lower(expr))

    def value(self, expr: Expr) -> Evaluator:
        return self.closure(lower_value(expr))

    def objective(self, name: str) -> Callable[[Any, Any], bool]:
        """A function of (position, grid): whether the grid fulfils the objective."""
        judge, by_cells = self._objective(name), self._by_cells
        return lambda s, grid: judge(s, *by_cells(grid))

    def _objective(self, name: str) -> Callable[[Any, Any, Any], bool]:
        """A function of (position, piles by cell, tops)."""
        found = self._objectives.get(name)
        if found is None:
            objective = self.ruleset.objectives[name]
            # Code that asks for objectives does so for many of them.
            slots, condition = objective.slots, self._body(lower(objective.condition))

            def holds(s: Any, cells: Any, tops: Any) -> bool:
                e: list[Any] = [None] * slots
                e[0], e[1] = cells, tops
                return bool(condition(s, e))

            found = self._objectives[name] = holds
        return found

    def _by_cells(self, grid: Any) -> tuple[list[Any], list[int]]:
        board = self.ruleset.board
        assert board is not None
        cells = by_cell(grid, board.width, board.height, board.floating)
        return cells, [pile[-1] for pile in cells if pile]

    def _fulfils(self, x: f.Fulfils) -> Evaluator:
        """Whether a grid of the position fulfils an objective; the verdict is kept until something moves on the grid."""
        grid, goal, objective, by_cells = self.closure(x.grid), self.closure(x.goal), self._objective, self._by_cells

        def fulfils(s: Any, e: list[Any]) -> bool:
            board, name = grid(s, e), s.goals[goal(s, e)]
            known = s.boards.get(id(board))
            if known is None:
                known = s.boards[id(board)] = {}
            verdict = known.get((self, name))
            if verdict is None:
                cells = known.get(self)
                if cells is None:
                    cells = known[self] = by_cells(board)
                verdict = known[self, name] = objective(name)(s, *cells)
            return verdict  # type: ignore[no-any-return]

        return fulfils

    def closure(self, x: Form) -> Evaluator:
        """The function for one operation."""
        if isinstance(x, f.Not | f.And | f.Or | f.Equal | f.Less):
            table = self._by_face(x)
            if table is not None:
                return self._closure(table)
        return self._closure(x)

    def _by_face(self, x: Form) -> f.ByFace | None:
        """A condition on a single thing, as a table of its verdicts for every face."""
        things = _things(x)
        if things is None or len(things) != 1:
            return None
        slot, component = next(iter(things.items()))
        if len(self.ruleset.components[component].codes) > _TABLED:
            return None
        verdict = self._closure(x)
        e: list[Any] = [None] * (slot + 1)
        table = []
        for face in range(len(self.ruleset.components[component].codes)):
            e[slot] = face
            table.append(bool(verdict(None, e)))
        return f.ByFace(f.Local(slot), tuple(table))

    def _table(self, component: str, name: str) -> tuple[Any, ...]:
        return self.ruleset.components[component].attributes[name].table

    def _closure(self, x: Form) -> Evaluator:
        match x:
            case f.Const():
                value = x.value
                return lambda s, e: value
            case f.Face():
                face = x.face
                return lambda s, e: face
            case f.Local():
                slot = x.slot
                return lambda s, e: e[slot]
            case f.Let():
                if isinstance(x.value, f.Local | f.Const | f.Face) and not _binds(x.body, x.slot, x.value):
                    return self.closure(replaced(x.body, x.slot, x.value))
                return make_let(x.slot, self.closure(x.value), self.closure(x.body))
            case f.Variable():
                number = x.number
                return lambda s, e: s.variables[number]
            case f.Actor():
                return lambda s, e: s.player
            case f.Total():
                return lambda s, e: s.totals[s.player]
            case f.TokenIndex():
                token = x.token
                return lambda s, e: None if s.tokens[token] is None else s.tokens[token][0]
            case f.TokenCell():
                token = x.token
                return lambda s, e: None if s.tokens[token] is None else s.tokens[token][1]
            case f.ZoneIndex():
                return self._index(x.zone, x.indices)
            case f.Not():
                operand = self.closure(x.operand)
                return lambda s, e: not operand(s, e)
            case f.And():
                return make_and([*self._operands(x.left), *self._operands(x.right)])
            case f.Or():
                left, right = self.closure(x.left), self.closure(x.right)
                return lambda s, e: left(s, e) or right(s, e)
            case f.If():
                condition, then, otherwise = self.closure(x.condition), self.closure(x.then), self.closure(x.otherwise)
                return lambda s, e: then(s, e) if condition(s, e) else otherwise(s, e)
            case f.Else():
                return make_else(self.closure(x.value), self.closure(x.default))
            case f.Equal():
                return self._binary(eq, x.left, x.right)
            case f.Less():
                return self._binary(lt, x.left, x.right)
            case f.Add():
                return self._binary(add, x.left, x.right)
            case f.Subtract():
                return self._binary(sub, x.left, x.right)
            case f.Multiply():
                return self._binary(mul, x.left, x.right)
            case f.Lookup():
                operand, rows, default = self.closure(x.operand), dict(x.rows), x.otherwise
                return lambda s, e: rows.get(operand(s, e), default)
            case f.Attribute():
                return self._looked_up(x.of, self._table(x.component, x.name), x.optional)
            case f.ByFace():
                return self._looked_up(x.of, x.table, optional=False)
            case f.Coordinate():
                return self._coordinate(x)
            case f.CellAt():
                return make_cell(self.closure(x.column), self.closure(x.row), x.on)
            case f.Direction():
                column, row = self.closure(x.column), self.closure(x.row)
                return lambda s, e: (column(s, e), row(s, e))
            case f.Steps():
                return make_steps(x.sign, self.closure(x.left), self.closure(x.right), x.optional)
            case f.Moved():
                return make_moved(self.closure(x.cell), self.closure(x.step), x.on)
            case f.Ray():
                if isinstance(x.step, f.Const):
                    return make_listed(self.closure(x.cell), rays_all(x.on, x.step.value))
                return make_ray(self.closure(x.cell), self.closure(x.step), x.on)
            case f.Between():
                return make_between(self.closure(x.left), self.closure(x.right), x.on)
            case f.Near():
                return make_near(self.closure(x.cell), x.on, x.diagonally)
            case f.Next():
                return make_next(self.closure(x.player), x.optional)
            case f.Top():
                return make_top(self.closure(x.pile))
            case f.Element():
                vector, index = self.closure(x.vector), self.closure(x.index)
                return lambda s, e: vector(s, e)[index(s, e)]
            case f.Can():
                action = x.action
                if x.player is None:
                    return lambda s, e: s.can(action)
                player = self.closure(x.player)
                return lambda s, e: s.can(action, player(s, e))
            case f.After():
                leads, body = x.action, self.closure(x.body)
                return lambda s, e: body(s.ahead(leads, e), e)
            case f.Fulfils():
                return self._fulfils(x)
            case f.Pile():
                zone = x.zone
                if x.indices == (f.Actor(),):
                    return lambda s, e: s.zones[zone][s.player]
                if not x.indices:
                    return lambda s, e: s.zones[zone][0]
                index = self._index(zone, x.indices)
                return lambda s, e: s.zones[zone][index(s, e)]
            case f.PileAt():
                grid, cell = self.closure(x.grid), self.closure(x.cell)
                return lambda s, e: grid(s, e).get(cell(s, e), ())
            case f.TopAt():
                return make_top_at(self.closure(x.piles), self.closure(x.at))
            case f.HeightAt():
                return make_height_at(self.closure(x.piles), self.closure(x.at))
            case f.Values():
                return make_values([self.closure(item) for item in x.items])
            case f.Held():
                return self.closure(x.pile)
            case f.Seats():
                return lambda s, e: range(s.players)
            case f.GoalsInPlay():
                return lambda s, e: range(len(s.goals))
            case f.Piles():
                return self._piles(x)
            case f.Used():
                grid = self.closure(x.grid)
                return lambda s, e: grid(s, e).values()
            case f.Board():
                grid, width, height, floating = self.closure(x.grid), x.width, x.height, x.floating
                return lambda s, e: by_cell(grid(s, e), width, height, floating)
            case f.Each():
                return make_each(self.closure(x.piles), x.part)
            case f.Attributes():
                of, table = self.closure(x.of), self._table(x.component, x.name)
                return lambda s, e: [table[face] for face in of(s, e)]
            case f.TopsAt():
                piles, cells = self.closure(x.piles), self.closure(x.cells)
                return make_tops_at(piles, cells)
            case f.Beside():
                return make_beside(self.closure(x.of), x.cells, x.beside)
            case f.Around():
                return self._around(x)
            case f.Where():
                sequence, slot, body = self._sequence(x), x.slot, self._body(x.body)
                return lambda s, e: list(holding(sequence(s, e), slot, body, s, e))
            case f.Chain():
                left, right = self.closure(x.left), self.closure(x.right)
                return lambda s, e: [*left(s, e), *right(s, e)]
            case f.Minus():
                left, right = self.closure(x.left), self.closure(x.right)
                return lambda s, e: without(left(s, e), right(s, e))
            case f.Places():
                return make_placed(x.places, self.closure(x.piles), x.cells)
            case f.Any_():
                return self._any(x)
            case f.AtLeast():
                number, slot, body = x.number, x.slot, self._body(x.body)
                sequence = self._sequence(x)
                return lambda s, e: len(list(islice(holding(sequence(s, e), slot, body, s, e), number))) == number
            case f.Separate():
                places, piles = x.sequence, self.closure(x.sequence.piles)
                return make_separate(places, piles, x.slot, self._body(x.body), x.number, self.work)
            case f.Count():
                sequence = self._sequence(x)
                if x.body is None:
                    return lambda s, e: len(sequence(s, e))
                if x.body == f.Any_(x.body.slot if isinstance(x.body, f.Any_) else 0, f.Local(x.slot), None):
                    return lambda s, e: sum(map(bool, sequence(s, e)))
                slot, body = x.slot, self._body(x.body)
                return lambda s, e: sum(1 for _ in holding(sequence(s, e), slot, body, s, e))
            case f.Sum():
                sequence = self._sequence(x)
                return make_sum(sequence, x.slot, None if x.body is None else self._body(x.body))
            case f.First():
                return make_first(self._sequence(x), x.slot, self._body(x.body), x.backwards)
            case f.Alike():
                return ALIKE[x.kind](self._passed(x.sequence))
            case f.Different():
                sequence = self._passed(x.sequence)
                return lambda s, e: len(set(sequence(s, e)))
            case f.Extreme():
                sequence, extreme = self._passed(x.sequence), max if x.which == "max" else min
                return lambda s, e: extreme(sequence(s, e), default=None)
            case f.Contains():
                sequence, item = self._passed(x.sequence), self.closure(x.item)
                if isinstance(x.item, f.Local):
                    slot = x.item.slot
                    return lambda s, e: e[slot] in sequence(s, e)
                return lambda s, e: item(s, e) in sequence(s, e)
            case f.Connected():
                grid = self._passed(x.grid)
                return lambda s, e: connected(grid(s, e))
            case f.Fits():
                grid, width, height = self._passed(x.grid), x.width, x.height
                if x.cell is None:
                    return lambda s, e: fits(grid(s, e), width, height)
                cell = self.closure(x.cell)
                return lambda s, e: fits(grid(s, e), width, height, cell(s, e))
            case f.Repeats():
                return self._repeats(x)
            case f.Group():
                return self._group(x)
            case _:
                assert_never(x)

    def _operands(self, x: Form) -> list[Evaluator]:
        """The conjuncts of nested `and`s, in order; one that is a table of faces is not split."""
        if isinstance(x, f.And) and self._by_face(x) is None:
            return [*self._operands(x.left), *self._operands(x.right)]
        return [self.closure(x)]

    def _binary(self, op: Callable[[Any, Any], Any], left: Form, right: Form) -> Evaluator:
        """A function of two operands; constants and locals are read in place."""
        one, other = self.closure(left), self.closure(right)
        if isinstance(right, f.Const | f.Face):
            constant = right.value if isinstance(right, f.Const) else right.face
            if isinstance(left, f.Local):
                first = left.slot
                return lambda s, e: op(e[first], constant)
            return lambda s, e: op(one(s, e), constant)
        if isinstance(right, f.Local):
            second = right.slot
            if isinstance(left, f.Local):
                first = left.slot
                return lambda s, e: op(e[first], e[second])
            return lambda s, e: op(one(s, e), e[second])
        return lambda s, e: op(one(s, e), other(s, e))

    def _looked_up(self, of: Form, table: tuple[Any, ...], optional: bool) -> Evaluator:
        if isinstance(of, f.Local) and not optional:
            slot = of.slot
            return lambda s, e: table[e[slot]]
        return make_looked_up(self.closure(of), table, optional)

    def _coordinate(self, x: f.Coordinate) -> Evaluator:
        if isinstance(x.cell, f.Local) and not x.optional:
            slot, axis = x.cell.slot, x.axis
            return lambda s, e: e[slot][axis]
        return make_coordinate(self.closure(x.cell), x.axis, x.optional)

    def _index(self, zone: int, indices: tuple[Form, ...]) -> Evaluator:
        first = -1 if self._numbered[zone] else 0
        closures = [self.closure(index) for index in indices]
        if not closures:
            return lambda s, e: 0
        if len(closures) == 1:
            only = closures[0]
            return only if first == 0 else lambda s, e: only(s, e) - 1

        if len(closures) == 2:
            # Neighbours in the last dimension are adjacent in memory.
            if isinstance(indices[0], f.Actor) and isinstance(indices[1], f.Local):
                slot = indices[1].slot
                return lambda s, e: first + s.strides[zone][0] * s.player + e[slot]
            row, column = closures
            return lambda s, e: first + s.strides[zone][0] * row(s, e) + column(s, e)

        def index(s: Any, e: list[Any]) -> int:
            at = first
            for stride, closure in zip(s.strides[zone], closures, strict=True):
                at += stride * closure(s, e)
            return at

        return index

    def _piles(self, x: f.Piles) -> Evaluator:
        zone, open_ = x.zone, x.open
        closures = [self.closure(index) for index in x.indices]
        if not closures:
            return lambda s, e: s.zones[zone]

        def piles(s: Any, e: list[Any]) -> Any:
            strides = s.strides[zone]
            start = sum(stride * closure(s, e) for stride, closure in zip(strides, closures, strict=False))
            return s.zones[zone][start : start + strides[-open_ - 1]]

        return piles

    def _any(self, x: f.Any_) -> Evaluator:
        sequence = self._sequence(x)
        if x.body is None and isinstance(x.sequence, f.Local):
            slot = x.sequence.slot
            return lambda s, e: len(e[slot]) > 0
        if x.body is None:
            return lambda s, e: len(sequence(s, e)) > 0
        table = self._by_face(x.body)
        if table is not None and table.of == f.Local(x.slot):
            holds = table.table.__getitem__
            return lambda s, e: any(map(holds, sequence(s, e)))
        if isinstance(x.body, f.Not):
            table = self._by_face(x.body.operand)
            if table is not None and table.of == f.Local(x.slot):
                holds = table.table.__getitem__
                return lambda s, e: not all(map(holds, sequence(s, e)))
        return make_any(sequence, x.slot, self._body(x.body))

    def _body(self, x: Form) -> Evaluator:
        """The body of a loop, which is evaluated many times."""
        self._loops += 1
        closure = self.closure(x)
        self._loops -= 1
        return closure

    def _around(self, x: f.Around) -> Evaluator:
        start, slot, cells, beside, body = self.closure(x.start), x.slot, x.cells, x.beside, self._body(x.body)
        places = {value: at for at, value in enumerate(cells)}

        def group(s: Any, e: list[Any]) -> list[Any]:
            def holds(at: int) -> Any:
                e[slot] = cells[at]
                return body(s, e)

            return [cells[at] for at in around(places.get(start(s, e)), beside, holds)]

        return self.work.counted(group, len(cells)) if f.depth(x.body) or len(cells) > ROOM else group

    def _sequence(self, x: f.Any_ | f.AtLeast | f.Count | f.Sum | f.First | f.Where) -> Evaluator:
        """The sequence of a loop; its length counts as work if the loop contains another one (for places of a shape: two more)."""
        depth = 0 if x.body is None else f.depth(x.body)
        size = len(x.sequence.places) if isinstance(x.sequence, f.Places) else None
        if depth > (size is not None):
            return self.work.counted(self.closure(x.sequence), size)
        return self._passed(x.sequence)

    def _passed(self, x: Form) -> Evaluator:
        """A sequence that is only traversed; inside a loop it counts as work if it can be long."""
        sequence = self.closure(x)
        few = (isinstance(x, f.Values) and len(x.items) < ROOM) or isinstance(x, f.Near | f.Ray | f.Between | f.Places)
        # The contents of a variable can grow as long as the game lasts.
        room = self._roomy or any(isinstance(part, f.Variable) for part in f.walk(x))
        if few or not room or not self._loops:
            return sequence
        return self.work.counted(sequence, each=PASSED)

    def _repeats(self, x: f.Repeats) -> Evaluator:
        now, number, work = self.history(x.number), x.number, self.work

        def times(s: Any, e: list[Any]) -> Any:
            history = s.history[number]
            work.spend(len(history))
            return history.count(now(s, e))

        return times

    def _group(self, x: f.Group) -> Evaluator:
        piles, table, width = self._passed(x.piles), self._table(x.component, x.name), x.width
        choose = max if x.which == "largest" else min

        def size(s: Any, e: list[Any]) -> int:
            values = [table[pile[-1]] if pile else None for pile in piles(s, e)]
            return choose(group_sizes(values, width, eq), default=0)

        return size


def _roomy(ruleset: Ruleset) -> bool:
    """Whether any zone can hold so many things or cells that a loop round that traverses it costs more than one step."""
    grids = (zone.width * zone.height for zone in ruleset.zones.values())
    decks = (sum(count for cards, _ in deck.parts for _, count in cards) for deck in ruleset.decks.values())
    return max(grids, default=0) > ROOM or max(decks, default=0) > ROOM


def _things(x: Form) -> dict[int, str] | None:
    """The locals whose attributes are all that a form reads, each with its component; None if it reads more."""
    match x:
        case f.Const() | f.Face():
            return {}
        case f.Attribute():
            return {x.of.slot: x.component} if isinstance(x.of, f.Local) and not x.optional else None
        case f.Not():
            return _things(x.operand)
        case f.And() | f.Or() | f.Equal() | f.Less() | f.Add() | f.Subtract() | f.Multiply():
            left, right = _things(x.left), _things(x.right)
            return None if left is None or right is None else left | right
    return None


def _binds(x: Form, slot: int, value: Form) -> bool:
    """Whether something inside a form gives a new value to a local, or to the one that it stands for."""
    slots = {slot, value.slot} if isinstance(value, f.Local) else {slot}
    return any(isinstance(part, BINDING) and part.slot in slots for part in f.walk(x))
