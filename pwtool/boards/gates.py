"""Objectives as circuits: their lowered conditions evaluated on all boards at once.

What is lowered is executed (`pwtool/kernel/lower.py`), so proofs and execution cannot differ. An objective
that depends on more than its grid (players, variables, other zones) raises `Unsupported`, which becomes a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any, assert_never

from pwtool.boards.circuit import FALSE, TRUE
from pwtool.boards.conditions import known_condition, notices_corner
from pwtool.boards.disjoint_placements import Spot, any_apart
from pwtool.boards.encoding import Encoding
from pwtool.boards.groups import Groups
from pwtool.boards.numbers import Arithmetic, Number
from pwtool.boards.symbols import Board, Card, Choice, Items, Maybe, PileOf, Unsupported, Value
from pwtool.boards.values import Values
from pwtool.ir import nodes as ir
from pwtool.ir.grids import Cell, Cells, Step, cells_between, moved, near, ray
from pwtool.ir.model import ObjectiveModel
from pwtool.ir.nodes import Expr
from pwtool.text import InternalError
from pwtool.text.speech import Told

Locals = dict[int, Value]
MAX_GATES = 400_000
"""How many parts an objective adds to a circuit."""


def compile_objective(objective: ObjectiveModel, encoding: Encoding) -> int:
    """The node that says whether a board fulfils the objective; raises `Unsupported`.

    A floating grid is viewed from the upper left corner of what lies on it. If an objective could notice that, it is compiled
    once for every such corner.
    """
    if encoding.board.mask or encoding.board.hexagonal or encoding.board.joined:
        raise Unsupported(Told("its grid is not a rectangle of squares"), objective.span)
    try:
        return _compiled(known_condition(objective, encoding), encoding)
    except Unsupported as found:
        found.span = None if found.at is None else found.at.span
        raise


def _compiled(condition: Expr, encoding: Encoding) -> int:
    board, circuit = encoding.board, encoding.circuit
    if not board.floating or not notices_corner(condition, board.width, board.height):
        return Gates(encoding).condition(condition)
    width, height = board.width, board.height
    there = [[encoding.there(row * width + column) for column in range(width)] for row in range(height)]
    empty = circuit.not_(circuit.any_of(p for row in there for p in row))
    found = [circuit.and_(empty, Gates(encoding).condition(condition))]
    for top in range(height):
        for left in range(width):
            first = circuit.all_of(
                [
                    circuit.any_of(there[top]),
                    *(circuit.not_(p) for row in there[:top] for p in row),
                    circuit.any_of(row[left] for row in there),
                    *(circuit.not_(p) for row in there for p in row[:left]),
                ]
            )
            moved = Gates(encoding, left, top).condition(condition)
            found.append(circuit.and_(first, moved))
    return circuit.any_of(found)


class Gates(Values):
    """Computes the lowered form over one grid; cells are counted from the corner (`left`, `top`)."""

    # Whether all cards that must be alike are compared: which comparisons are enough depends on the order of the cells.
    thorough = False

    def __init__(self, encoding: Encoding, left: int = 0, top: int = 0) -> None:
        super().__init__(encoding)
        self.numbers = Arithmetic(encoding.circuit)
        self.left, self.top = left, top
        self.most = len(self.circuit.ops) + MAX_GATES

    def condition(self, x: Expr) -> int:
        """The node of an objective's condition."""
        width, height = self.encoding.board.width, self.encoding.board.height
        cells = [
            PileOf((row + self.top) * width + column + self.left)
            if row + self.top < height and column + self.left < width
            else Items(())
            for row in range(height)
            for column in range(width)
        ]
        faces = Items(tuple((self.filled_at(c), self.top_of(c)) for c in cells if isinstance(c, PileOf)))
        return self.boolean(self.value(x, {0: Items(tuple((TRUE, c) for c in cells)), 1: faces}))

    def value(self, x: Expr, e: Locals) -> Value:
        """The value of an operation with these locals."""
        if len(self.circuit.ops) > self.most:
            raise Unsupported(Told("it compares too many things with each other"))
        try:
            return self._value(x, e)
        except Unsupported as found:
            found.at = found.at or x
            raise

    def _value(self, x: Expr, e: Locals) -> Value:
        circuit = self.circuit
        match x:
            # The most frequent come first.
            case ir.Local():
                return e[x.slot]
            case ir.Attribute():
                if x.component != self.encoding.component.name:
                    raise Unsupported(
                        Told("it reads a {component}, which does not lie on the board", component=x.component)
                    )
                return self.lifted(self.value(x.of, e), lambda card: self.attribute(card, x.name))
            case ir.Compare(sign="=="):
                return self.equal(self.value(x.left, e), self.value(x.right, e))
            case ir.Compare():
                return self.numbers.less(self._there(x.left, e), self._there(x.right, e))
            case ir.TopAt():
                return self.lifted(self.value(x.at, e), lambda number: self._top_at(x, number, e))
            case ir.Const() if x.type.kind == "face" and x.value is not None:
                return Card(((TRUE, x.value),))
            case ir.Const():
                return self.constant(x.value)
            case ir.Let():
                return self.value(x.body, {**e, x.slot: self.value(x.value, e)})
            case ir.Not():
                return circuit.not_(self.truth(x.operand, e))
            case ir.And():
                return circuit.and_(self.truth(x.left, e), self.truth(x.right, e))
            case ir.Or():
                return circuit.or_(self.truth(x.left, e), self.truth(x.right, e))
            case ir.If():
                when = self.truth(x.condition, e)
                return self.chosen(when, self.value(x.then, e), self.value(x.otherwise, e))
            case ir.Else():
                value = self.value(x.value, e)
                if not isinstance(value, Maybe):
                    return value
                otherwise = self.value(x.default, e)
                return otherwise if value.value is None else self.chosen(value.there, value.value, otherwise)
            case ir.Arithmetic():
                left, right = self._number(x.left, e), self._number(x.right, e)
                if x.sign == "*":
                    return self.numbers.product(left, right)
                return self.numbers.sum([left, right if x.sign == "+" else self.numbers.negated(right)])
            case ir.Table():
                return self.numbers.looked_up(self._number(x.operand, e), x.rows, x.otherwise)
            case ir.Coordinate():
                return self.lifted(self.value(x.cell, e), lambda cell: self._coordinate(cell, x.axis))
            case ir.Steps():
                return self._of_both(x.left, x.right, e, lambda a, b: self._steps(x.sign, a, b))
            case ir.Moved():
                return self._of_both(x.cell, x.step, e, lambda cell, step: moved(x.on, cell, step))
            case ir.Ray():
                return self._listed(x.cell, x.step, e, lambda cell, step: ray(x.on, cell, step))
            case ir.Between():
                return self._listed(x.left, x.right, e, lambda one, other: cells_between(x.on, one, other))
            case ir.Neighbours():
                cases = self._cell(x.cell, e).cases.items()
                around = [(g, near(x.on, at, x.diagonally) if x.on.has(at) else ()) for at, g in cases]
                return Items(tuple((g, self.constant(cell)) for g, cells in around for cell in cells))
            case ir.Top():
                pile = self.value(x.pile, e)
                if isinstance(pile, PileOf):
                    return self.maybe(self.filled_at(pile), self.top_of(pile))
                return self.first(list(reversed(self.items(pile))))
            case ir.HeightAt():
                return self.lifted(self.value(x.at, e), lambda number: self._height_at(x, number, e))
            case ir.Element():
                if not isinstance(x.at, ir.Const):
                    raise Unsupported(_BEYOND)
                return self.certain(self.value(x.of, e))[int(x.at.value)]
            case ir.Zone():
                board = self.encoding.board
                if x.zone != board.number or board.dimensions:
                    raise Unsupported(Told("it reads a zone other than the grid of the objectives"))
                return Board()
            case ir.PileAt():
                return self._pile_at(x, e)
            case ir.Values():
                return Items(tuple((TRUE, self._present(item, e)) for item in x.items))
            case ir.Piles():
                self.value(x.grid, e)
                return Items(tuple((self.filled_at(p), p) for p in self.all_piles()))
            case ir.PilesByCell():
                if self.encoding.board.floating:
                    # Where the grid lies in its zone is not a part of the board.
                    raise Unsupported(_BY_CELLS)
                self.value(x.grid, e)
                return Items(tuple((TRUE, p) for p in self.all_piles()))
            case ir.Each():
                return self._each(x, e)
            case ir.Attributes():
                return Items(tuple((g, self.attribute(card, x.name)) for g, card in self._cards(x.of, e)))
            case ir.TopsAt():
                piles = self._sequence(x.piles, e)
                return Items(
                    tuple(
                        (circuit.and_(g, h), c)
                        for g, n in self._sequence(x.cells, e)
                        if g != FALSE
                        for h, c in self._tops(piles, n)
                    )
                )
            case ir.Beside():
                of = self._places(x.cells, self.value(x.of, e))
                return Items(tuple((g, self.constant(x.cells[to])) for g, at in of for to in x.beside[at]))
            case ir.Around():
                return self._around(x, e)
            case ir.Where():
                items = [(g, item) for g, item in self._sequence(x.domain, e) if g != FALSE]
                return Items(
                    tuple((circuit.and_(g, self.truth(x.body, {**e, x.slot: item})), item) for g, item in items)
                )
            case ir.Concat():
                return Items((*self._sequence(x.left, e), *self._sequence(x.right, e)))
            case ir.Without():
                return self._minus(x, e)
            case ir.Empty():
                return circuit.not_(self.not_empty(self.value(x.of, e)))
            case ir.Quantified(kind="some"):
                return circuit.any_of(circuit.and_(g, v) for g, v in self._holding(x, e))
            case ir.Quantified(kind="least", domain=ir.Places(separate=True) as places):
                return self._separate(x, places, e)
            case ir.Quantified(kind="least"):
                return circuit.at_least([circuit.and_(g, v) for g, v in self._holding(x, e)], x.number)
            case ir.Count():
                return self._size(self.value(x.of, e))
            case ir.CountWhere():
                return Number.of_count(circuit, [circuit.and_(g, v) for g, v in self._holding(x, e)])
            case ir.Sum():
                parts = self._sequence(x.of, e)
                return self.numbers.sum([self.numbers.only(g, self.number(v)) for g, v in parts])
            case ir.SumWhere():
                parts = [
                    (g, self.value(x.body, {**e, x.slot: v})) for g, v in self._sequence(x.domain, e) if g != FALSE
                ]
                return self.numbers.sum([self.numbers.only(g, self.number(v)) for g, v in parts])
            case ir.Pick():
                items = [(g, item) for g, item in self._sequence(x.domain, e) if g != FALSE]
                if x.which == "last":
                    items.reverse()
                return self.first(
                    [(circuit.and_(g, self.truth(x.body, {**e, x.slot: item})), item) for g, item in items]
                )
            case ir.Alike():
                return self._alike(x, e)
            case ir.CountDistinct():
                return Number.of_count(circuit, [g for _, g in self._values_of(x, e)])
            case ir.Extreme():
                return self._extreme(x, e)
            case ir.In():
                item = self.value(x.item, e)
                return circuit.any_of(
                    circuit.and_(g, self.equal(item, other)) for g, other in self._sequence(x.items, e)
                )
            case ir.Connected():
                from pwtool.boards.spaces import connected_circuit

                self.value(x.grid, e)
                return connected_circuit(self.encoding)
            case ir.Fits():
                return self._fits(x, e)
            case ir.GroupSize():
                on = [pile if isinstance(pile, PileOf) else None for _, pile in self._sequence(x.piles, e)]
                groups = Groups(self, on, x.name, x.width, self.thorough)
                return Number.of_steps(circuit, len(on), groups.largest if x.which == "largest" else groups.smallest)
            case ir.Places():
                raise Unsupported(Told("it keeps the places of a shape for later"))
            case (
                ir.Variable() | ir.Actor() | ir.Total() | ir.TokenIndex() | ir.TokenCell() | ir.ZoneIndex() | ir.PlayerAfter()
                | ir.Can() | ir.After() | ir.CellAt() | ir.Direction() | ir.Fulfils() | ir.Repeats() | ir.Players() | ir.Goals()
                | ir.Family()
            ):  # fmt: skip
                raise Unsupported(_BEYOND)
            case ir.Quantified() | ir.Reads():
                raise InternalError(f"{type(x).__name__} is not lowered")
            case _:
                assert_never(x)

    # ---- operands

    def truth(self, x: Expr, e: Locals) -> int:
        """The node of a condition."""
        return self.boolean(self.value(x, e))

    def _number(self, x: Expr, e: Locals) -> Number:
        return self.number(self.value(x, e))

    def _there(self, x: Expr, e: Locals) -> Number:
        """A number that is compared only where it exists."""
        value = self.value(x, e)
        if isinstance(value, Maybe):
            return Number.constant(0) if value.value is None else self.number(value.value)
        return self.number(value)

    def _present(self, x: Expr, e: Locals) -> Value:
        value = self.value(x, e)
        # A cell of a shape beyond the grid is known to be empty.
        if isinstance(value, Maybe) and value.value is not None:
            raise Unsupported(Told("it adds a value that may be absent to a collection"))
        return value

    def _sequence(self, x: Expr, e: Locals) -> Sequence[tuple[int, Value]]:
        return self.items(self.value(x, e))

    def _cell(self, x: Expr, e: Locals) -> Choice:
        cell = self.value(x, e)
        if not isinstance(cell, Choice):
            raise Unsupported(Told("it reads the grid at an unknown cell"))
        return cell

    def _cards(self, x: Expr, e: Locals) -> list[tuple[int, Card]]:
        found = []
        for g, card in self._sequence(x, e):
            if not isinstance(card, Card):
                raise Unsupported(Told("it compares a value that may be absent"))
            found.append((g, card))
        return found

    def _coordinate(self, cell: Value, axis: int) -> Value:
        assert isinstance(cell, Choice)
        cases: dict[int, int] = {}
        for at, g in cell.cases.items():
            cases[at[axis]] = self.circuit.or_(cases.get(at[axis], FALSE), g)
        return Number.of_cases(self.circuit, cases)

    @staticmethod
    def _steps(sign: str, a: Step, b: Any) -> Step:
        if sign == "*":
            return a[0] * b, a[1] * b
        return (a[0] + b[0], a[1] + b[1]) if sign == "+" else (a[0] - b[0], a[1] - b[1])

    def _both(self, left: Expr, right: Expr, e: Locals) -> Iterator[tuple[Any, Any, int]]:
        """The pairs that two values can form, each under its condition."""
        first, second = self.value(left, e), self.value(right, e)
        if not isinstance(first, Choice) or not isinstance(second, Choice):
            raise Unsupported(Told("it moves over the grid by unknown steps"))
        for a, g in first.cases.items():
            for b, h in second.cases.items():
                yield a, b, self.circuit.and_(g, h)

    def _of_both(self, left: Expr, right: Expr, e: Locals, of: Callable[[Any, Any], Cell | None]) -> Value:
        cases: dict[Cell, int] = {}
        for a, b, g in self._both(left, right, e):
            found = of(a, b)
            if found is not None:
                cases[found] = self.circuit.or_(cases.get(found, FALSE), g)
        return self.maybe(self.circuit.any_of(cases.values()), Choice(cases))

    def _listed(self, left: Expr, right: Expr, e: Locals, of: Callable[[Any, Any], Cells]) -> Value:
        pairs = self._both(left, right, e)
        return Items(tuple((g, self.constant(cell)) for a, b, g in pairs for cell in of(a, b)))

    # ---- piles

    def _pile_at(self, x: ir.PileAt, e: Locals) -> Value:
        board = self.encoding.board
        if board.floating:
            raise Unsupported(_BY_CELLS)
        self.value(x.grid, e)
        piles = [
            (g, PileOf(row * board.width + column))
            for (column, row), g in self._cell(x.cell, e).cases.items()
            if 0 <= column < board.width and 0 <= row < board.height
        ]
        if len(piles) == 1 and piles[0][0] == TRUE:
            return piles[0][1]
        return Items(tuple((self.circuit.and_(g, h), card) for g, p in piles for h, card in self.items(p)))

    def _each(self, x: ir.Each, e: Locals) -> Value:
        found: list[tuple[int, Value]] = []
        for g, pile in self._sequence(x.piles, e):
            match x.part:
                case "pile":
                    found.append((self.circuit.and_(g, self.not_empty(pile)), pile))
                case "all":
                    found += [(self.circuit.and_(g, h), card) for h, card in self.items(pile)]
                case "covered":
                    if isinstance(pile, PileOf):
                        found += [(self.circuit.and_(g, h), card) for h, card in self.items(pile)[:-1]]
                case "top":
                    top = self.top_of(pile) if isinstance(pile, PileOf) else self.first(self.items(pile)[::-1])
                    card = top.value if isinstance(top, Maybe) else top
                    if card is not None:
                        found.append((self.circuit.and_(g, self.not_empty(pile)), card))
        return Items(tuple(found))

    def _size(self, value: Value) -> Number:
        if isinstance(value, PileOf):
            cell, tallest = value.cell, self.encoding.tallest
            return Number.of_steps(self.circuit, tallest, lambda n: self.encoding.there(cell, n - 1))
        return Number.of_count(self.circuit, [g for g, _ in self.items(value)])

    def _minus(self, x: ir.Without, e: Locals) -> Value:
        circuit = self.circuit
        left = list(self._sequence(x.left, e))
        for guard, removed in self._sequence(x.right, e):
            open_ = guard
            for at, (g, item) in enumerate(left):
                here = circuit.all_of([open_, g, self.equal(item, removed)])
                left[at] = (circuit.and_(g, circuit.not_(here)), item)
                open_ = circuit.and_(open_, circuit.not_(here))
        return Items(tuple(left))

    # ---- cells by number, and graphs that are known

    def _places(self, cells: Sequence[Any], value: Value) -> list[tuple[int, int]]:
        """The indices of the elements of a graph that a value may equal, each with its condition."""
        if isinstance(value, Number) and value.is_constant and (not cells or isinstance(cells[0], int)):
            return [(TRUE, cells.index(value.low))] if value.low in cells else []
        found = [(self.equal(value, self.constant(cell)), at) for at, cell in enumerate(cells)]
        return [(g, at) for g, at in found if g != FALSE]

    def _tops(self, piles: Sequence[tuple[int, Value]], number: Value) -> list[tuple[int, Card]]:
        """The visible cards on the cells that a number may be, each with its condition."""
        places = self._places(range(len(piles)), number)
        return [(g, self.top_of(piles[at][1])) for g, at in places if isinstance(piles[at][1], PileOf)]

    def _on_cells(self, x: Expr, number: Value, e: Locals) -> list[tuple[int, PileOf]]:
        """The piles on the cells that a number may be, each with its condition."""
        piles = self._sequence(x, e)
        places = [(g, piles[at][1]) for g, at in self._places(range(len(piles)), number)]
        return [(g, pile) for g, pile in places if isinstance(pile, PileOf)]

    def _height_at(self, x: ir.HeightAt, number: Value, e: Locals) -> Value:
        options = self._on_cells(x.piles, number, e)
        height = Number.constant(0)
        for g, pile in options:
            height = self.numbers.chosen(g, self._size(pile), height)
        if not x.type.optional:
            return height
        return self.maybe(self.circuit.any_of(self.circuit.and_(g, self.filled_at(p)) for g, p in options), height)

    def _top_at(self, x: ir.TopAt, number: Value, e: Locals) -> Value:
        options = self._on_cells(x.piles, number, e)
        card = Card(tuple((g, of) for g, pile in options for _, of in self.top_of(pile).options))
        if not x.type.optional:
            return card
        return self.maybe(self.circuit.any_of(self.circuit.and_(g, self.filled_at(p)) for g, p in options), card)

    def _around(self, x: ir.Around, e: Locals) -> Value:
        """Everything that can be reached, step by step, until nothing new is reached."""
        circuit = self.circuit
        starts = self._places(x.cells, self.value(x.start, e))
        holds: dict[int, int] = {}

        def asked(at: int, from_: int) -> int:
            if from_ == FALSE:
                return FALSE
            if at not in holds:
                holds[at] = self.truth(x.body, {**e, x.slot: self.constant(x.cells[at])})
            return circuit.and_(from_, holds[at])

        reached = [FALSE] * len(x.cells)
        for g, at in starts:
            reached[at] = asked(at, g)
        for _ in x.cells:
            further = [
                circuit.or_(had, asked(at, circuit.any_of(reached[other] for other in x.beside[at])))
                for at, had in enumerate(reached)
            ]
            if further == reached:
                break
            reached = further
        return Items(tuple((g, self.constant(x.cells[at])) for at, g in enumerate(reached) if g != FALSE))

    # ---- operations over a sequence

    def _holding(self, x: ir.Quantified | ir.CountWhere, e: Locals) -> list[tuple[int, int]]:
        """For each element: whether it is present, and whether the body holds for it."""
        if isinstance(x.domain, ir.Places):
            return [(TRUE, node) for _, node in self._in_places(x.domain, x.slot, x.body, e)]
        items = self._sequence(x.domain, e)
        return [(g, self.truth(x.body, {**e, x.slot: item})) for g, item in items if g != FALSE]

    def _separate(self, x: ir.Quantified, places: ir.Places, e: Locals) -> int:
        cells = self._sequence(places.piles, e)
        spots = []
        for number, holds in self._in_places(places, x.slot, x.body, e):
            needs = frozenset(places.places[number][0])
            marked = places.cells[number] if places.cells else ()
            spots.append(Spot(holds, needs, frozenset(at for at in marked if at is not None) - needs))
        return any_apart(self.circuit, spots, x.number, lambda at: self.not_empty(cells[at][1]))

    def _in_places(self, x: ir.Places, slot: int, body: Expr, e: Locals) -> list[tuple[int, int]]:
        """The placements that can lie there, by number, each with the node that says whether it fulfils the condition."""
        cells = self._sequence(x.piles, e)
        found = []
        for number, (needs, free) in enumerate(x.places):
            filled = [self.not_empty(cells[at][1]) for at in needs]
            clear = [self.circuit.not_(self.not_empty(cells[at][1])) for at in free]
            if self.circuit.all_of([*filled, *clear]) == FALSE:
                continue
            if x.cells:
                matched = Items(tuple((TRUE, self.constant(cell)) for cell in x.cells[number]))
            else:
                matched = Items(tuple((TRUE, self.top_of(cells[at][1])) for at in needs))
            holds = self.truth(body, {**e, slot: matched})
            found.append((number, self.circuit.all_of([*filled, *clear, holds])))
        return found

    def _values_of(self, x: ir.CountDistinct | ir.Extreme, e: Locals) -> list[tuple[Any, int]]:
        """Each value of an attribute, and whether one of the elements has it."""
        cards, name, circuit = self._cards(x.of.of, e), x.of.name, self.circuit
        return [
            (value, circuit.any_of(circuit.and_(g, self.has(card, name, value)) for g, card in cards))
            for value in self.encoding.values(name)
        ]

    def _extreme(self, x: ir.Extreme, e: Locals) -> Value:
        """The greatest value: it occurs, and none above it does."""
        found = sorted(self._values_of(x, e), reverse=x.which == "max")
        there, cases = FALSE, {}
        for value, had in found:
            cases[value] = self.circuit.and_(had, self.circuit.not_(there))
            there = self.circuit.or_(there, had)
        return self.maybe(there, Number.of_cases(self.circuit, cases))

    def _alike(self, x: ir.Alike, e: Locals) -> int:
        circuit = self.circuit
        cards, name = self._cards(x.of.of, e), x.of.name
        certain = all(g == TRUE for g, _ in cards)
        if x.kind == "ascending":
            values = [(g, self.number(self.attribute(card, name))) for g, card in cards]
            # `<` is transitive, so comparing neighbours is enough unless elements may be missing; then every pair is compared.
            pairs = pairwise(values) if certain else ((a, b) for i, a in enumerate(values) for b in values[i + 1 :])
            return circuit.not_(
                circuit.any_of(
                    circuit.all_of([g, h, circuit.not_(self.numbers.less(a, b))]) for (g, a), (h, b) in pairs
                )
            )
        if x.kind == "same":
            if certain:
                compared = (lambda cards: combinations(cards, 2)) if self.thorough else pairwise
                return circuit.all_of(self.alike(a, b, name) for (_, a), (_, b) in compared(cards))
            return circuit.any_of(
                circuit.all_of(circuit.or_(circuit.not_(g), self.has(card, name, v)) for g, card in cards)
                for v in self.encoding.values(name)
            )
        if certain:
            values_ = self.encoding.values(name)
            if len(cards) > len(values_):
                return FALSE
            if len(cards) == len(values_):
                # As many cards as values: if no two are alike, every value occurs.
                return circuit.all_of(circuit.any_of(self.has(card, name, v) for _, card in cards) for v in values_)
        both = [(a, b) for i, a in enumerate(cards) for b in cards[i + 1 :]]
        return circuit.not_(circuit.any_of(circuit.all_of([g, h, self.alike(a, b, name)]) for (g, a), (h, b) in both))

    def _fits(self, x: ir.Fits, e: Locals) -> int:
        self.value(x.grid, e)
        circuit, board = self.circuit, self.encoding.board
        there = [[self.encoding.there(r * board.width + c) for c in range(board.width)] for r in range(board.height)]
        if x.cell is not None:
            if board.floating:
                raise Unsupported(Told("it asks whether an unknown cell fits"))
            for (column, row), g in self._cell(x.cell, e).cases.items():
                if not (0 <= column < board.width and 0 <= row < board.height):
                    raise Unsupported(Told("it asks whether a cell outside the grid fits"))
                there[row][column] = circuit.or_(there[row][column], g)
        apart = []
        for lines, size in (
            ([circuit.any_of(column) for column in zip(*there, strict=True)], x.width),
            ([circuit.any_of(row) for row in there], x.height),
        ):
            apart += [circuit.and_(lines[i], lines[j]) for i in range(len(lines)) for j in range(i + size, len(lines))]
        return circuit.not_(circuit.any_of(apart))


_BEYOND = Told("it depends on more than the grid")
_BY_CELLS = Told("it reads a floating grid by its cells")
