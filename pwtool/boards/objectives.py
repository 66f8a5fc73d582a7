"""Objectives as circuits: every operation computed on all boards at once.

The operations are those of `eval/interpreter.py`, which says what they mean; the differential tests hold both
equal. To add one, write a method of its name here. What an objective cannot say of its grid alone (players,
variables, other zones) raises `Unsupported` and ends as a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from pwtool.boards.circuit import FALSE, TRUE
from pwtool.boards.encoding import Encoding, Spot
from pwtool.boards.groups import Groups
from pwtool.boards.numbers import Arithmetic, Number
from pwtool.boards.symbols import Board, Card, Choice, Items, Maybe, PileOf, Unsupported, Value
from pwtool.boards.values import Values
from pwtool.ir.model import Expr, ObjectiveModel

Locals = dict[int, Value]


def compile_objective(objective: ObjectiveModel, encoding: Encoding) -> int:
    """The node that tells whether a board fulfils the objective; raises `Unsupported`.

    A grid that floats is looked at from the upper left corner of what lies on it. Where an objective could notice
    that, it is compiled once for every such corner.
    """
    board, circuit = encoding.board, encoding.circuit
    condition = with_known(objective.condition)
    if not board.floating or not notices_corner(condition, board.width, board.height):
        return ObjectiveCompiler(encoding).condition(condition)
    width, height = board.width, board.height
    there = [[encoding.there(row * width + column) for column in range(width)] for row in range(height)]
    empty = circuit.not_(circuit.any_of(p for row in there for p in row))
    found = [circuit.and_(empty, ObjectiveCompiler(encoding).condition(condition))]
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
            moved = ObjectiveCompiler(encoding, left, top).condition(condition)
            found.append(circuit.and_(first, moved))
    return circuit.any_of(found)


def notices_corner(expr: Expr, width: int, height: int) -> bool:
    """Whether some picture of the expression could notice where the grid begins: it has cells that must be empty, or it
    does not lie everywhere where its cells would fit, as one with an empty border does not.
    """
    if expr.op == "shape":
        placements = expr.data[3]
        if any(free for _, free in placements) or not _lies_everywhere([n for n, _ in placements], width, height):
            return True
    return any(notices_corner(arg, width, height) for arg in expr.args)


def _lies_everywhere(placements: list[tuple[int, ...]], width: int, height: int) -> bool:
    known = {tuple(needs) for needs in placements}
    for needs in known:
        columns, rows = [at % width for at in needs], [at // width for at in needs]
        for down in range(-min(rows, default=0), height - max(rows, default=0)):
            for aside in range(-min(columns, default=0), width - max(columns, default=0)):
                if tuple(at + down * width + aside for at in needs) not in known:
                    return False
    return True


def with_known(x: Expr) -> Expr:
    """The same condition; where a part of an `and` says which value an attribute of a card has, the others need not
    read it: fewer kinds of cards are left to tell apart.
    """
    if not x.args:
        return x
    args = tuple(with_known(arg) for arg in x.args)
    if x.op == "and":
        left, right = args
        right = _replaced(right, dict(_facts(left)))
        args = (_replaced(left, dict(_facts(right))), right)
    return x if args == x.args else replace(x, args=args)


def _facts(x: Expr) -> Iterator[tuple[Expr, Expr]]:
    if x.op == "and":
        for arg in x.args:
            yield from _facts(arg)
    elif x.op == "eq":
        of, value = x.args if x.args[1].op == "const" else x.args[::-1]
        if of.op == "attr" and of.args[0].op == "slot" and value.op == "const" and of.type.kind == value.type.kind:
            yield of, value


def _replaced(x: Expr, known: dict[Expr, Expr]) -> Expr:
    if not known or not x.args:
        return x
    if x.op == "attr" and x in known:
        return known[x]
    args = tuple(_replaced(arg, known) for arg in x.args)
    return x if args == x.args else replace(x, args=args)


class ObjectiveCompiler(Values):
    """Computes expressions over one grid; cells are counted from the corner (`left`, `top`)."""

    def __init__(self, encoding: Encoding, left: int = 0, top: int = 0) -> None:
        super().__init__(encoding)
        self.numbers = Arithmetic(encoding.circuit)
        self.left, self.top = left, top

    def condition(self, expr: Expr) -> int:
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
        return self.boolean(self.value(expr, {0: Items(tuple((TRUE, c) for c in cells)), 1: faces}))

    def value(self, x: Expr, e: Locals) -> Value:
        """The value of an expression with these locals."""
        method: Callable[[Expr, Locals], Value] | None = getattr(self, "_" + x.op, None)
        if method is None:
            raise Unsupported(_REASONS.get(x.op, f"`{x.op}` cannot be proven yet"), x.span)
        try:
            return method(x, e)
        except Unsupported as found:
            if found.span is None:
                found.span = x.span
            raise

    # ---- leaves

    def _const(self, x: Expr, e: Locals) -> Value:
        return self.constant(x.data, x.type)

    def _slot(self, x: Expr, e: Locals) -> Value:
        return e[x.data]

    def _let(self, x: Expr, e: Locals) -> Value:
        return self.value(x.args[1], {**e, x.data: self.value(x.args[0], e)})

    def _zone(self, x: Expr, e: Locals) -> Value:
        board = self.encoding.board
        if x.data != board.number or board.dimensions:
            raise Unsupported("it reads a zone other than the grid that objectives speak of", x.span)
        return Board()

    # ---- piles and collections

    def _piles(self, x: Expr, e: Locals) -> Value:
        return Items(tuple((self.filled_at(p), p) for p in self.all_piles()))

    def _cells(self, x: Expr, e: Locals) -> Value:
        if self.encoding.board.floating:
            # Where it lies on its zone is no part of the board.
            raise Unsupported("it reads a floating grid by its cells", x.span)
        return Items(tuple((TRUE, p) for p in self.all_piles()))

    def _filled(self, x: Expr, e: Locals) -> Value:
        piles = self.items(self.value(x.args[0], e))
        return Items(tuple((self.circuit.and_(g, self.not_empty(p)), p) for g, p in piles))

    def _flat(self, x: Expr, e: Locals) -> Value:
        piles = self.items(self.value(x.args[0], e))
        return Items(tuple((self.circuit.and_(g, h), card) for g, p in piles for h, card in self.items(p)))

    def _top(self, x: Expr, e: Locals) -> Value:
        pile = self.value(x.args[0], e)
        if isinstance(pile, PileOf):
            return self.maybe(self.filled_at(pile), self.top_of(pile))
        return self.first(list(reversed(self.items(pile))))

    def _tops(self, x: Expr, e: Locals) -> Value:
        piles = self.items(self.value(x.args[0], e))
        found = []
        for g, pile in piles:
            top = self.first(list(reversed(self.items(pile)))) if not isinstance(pile, PileOf) else self.top_of(pile)
            found.append((self.circuit.and_(g, self.not_empty(pile)), top.value if isinstance(top, Maybe) else top))
        return Items(tuple((g, t) for g, t in found if t is not None))

    def _pile_at(self, x: Expr, e: Locals) -> Value:
        if self.encoding.board.floating:
            raise Unsupported("it reads a floating grid by its cells", x.span)
        self.value(x.args[0], e)
        cell = self.value(x.args[1], e)
        if not isinstance(cell, Choice):
            raise Unsupported("it reads the grid at a cell that is not known", x.span)
        board = self.encoding.board
        piles = [
            (g, PileOf(y * board.width + x_))
            for (x_, y), g in cell.cases.items()
            if 0 <= x_ < board.width and 0 <= y < board.height
        ]
        if len(piles) == 1 and piles[0][0] == TRUE:
            return piles[0][1]
        return Items(tuple((self.circuit.and_(g, h), card) for g, p in piles for h, card in self.items(p)))

    def _item(self, x: Expr, e: Locals) -> Value:
        cards = self.certain(self.value(x.args[0], e))
        return cards[int(x.data)]

    def _items(self, x: Expr, e: Locals) -> Value:
        faces = self.certain(self.value(x.args[0], e))
        return Items(tuple((TRUE, faces[i]) for i in x.data))

    def _append(self, x: Expr, e: Locals) -> Value:
        left, right = self.items(self.value(x.args[0], e)), self.value(x.args[1], e)
        if isinstance(right, Maybe):
            raise Unsupported("it adds what may be nothing to a collection", x.span)
        return Items((*left, (TRUE, right)))

    def _concat(self, x: Expr, e: Locals) -> Value:
        return Items((*self.items(self.value(x.args[0], e)), *self.items(self.value(x.args[1], e))))

    def _without(self, x: Expr, e: Locals) -> Value:
        circuit = self.circuit
        left = list(self.items(self.value(x.args[0], e)))
        for guard, removed in self.items(self.value(x.args[1], e)):
            open_ = guard
            for at, (g, item) in enumerate(left):
                here = circuit.all_of([open_, g, self.equal(item, removed)])
                left[at] = (circuit.and_(g, circuit.not_(here)), item)
                open_ = circuit.and_(open_, circuit.not_(here))
        return Items(tuple(left))

    def _in(self, x: Expr, e: Locals) -> Value:
        item, items = self.value(x.args[0], e), self.items(self.value(x.args[1], e))
        return self.circuit.any_of(self.circuit.and_(g, self.equal(item, other)) for g, other in items)

    def _count(self, x: Expr, e: Locals) -> Value:
        value = self.value(x.args[0], e)
        if isinstance(value, PileOf):
            cell, tallest = value.cell, self.encoding.tallest
            return Number.of_steps(self.circuit, tallest, lambda n: self.encoding.there(cell, n - 1))
        if isinstance(value, Board):
            return self.counted([self.filled_at(p) for p in self.all_piles()])
        return self.counted([g for g, _ in self.items(value)])

    def counted(self, parts: Sequence[int]) -> Number:
        return Number.of_count(self.circuit, parts)

    def _empty(self, x: Expr, e: Locals) -> Value:
        return self.circuit.not_(self.not_empty(self.value(x.args[0], e)))

    def _neighbours(self, x: Expr, e: Locals) -> Value:
        cell = self.value(x.args[0], e)
        if not isinstance(cell, Choice):
            raise Unsupported("it reads the neighbours of a cell that is not known", x.span)
        near = ((1, 0), (-1, 0), (0, 1), (0, -1))
        moved = [Choice({(at[0] + dx, at[1] + dy): g for at, g in cell.cases.items()}) for dx, dy in near]
        return Items(tuple((TRUE, c) for c in moved))

    def _connected(self, x: Expr, e: Locals) -> Value:
        from pwtool.boards.spaces import connected_circuit

        self.value(x.args[0], e)
        return connected_circuit(self.encoding)

    def _fits(self, x: Expr, e: Locals) -> Value:
        self.value(x.args[0], e)
        circuit, board = self.circuit, self.encoding.board
        there = [[self.encoding.there(r * board.width + c) for c in range(board.width)] for r in range(board.height)]
        if len(x.args) > 1:
            cell = self.value(x.args[1], e)
            if board.floating or not isinstance(cell, Choice):
                raise Unsupported("it asks whether a cell that is not known fits", x.span)
            for (column, row), g in cell.cases.items():
                if not (0 <= column < board.width and 0 <= row < board.height):
                    raise Unsupported("it asks whether a cell outside of the grid fits", x.span)
                there[row][column] = circuit.or_(there[row][column], g)
        apart = []
        for lines, size in (
            ([circuit.any_of(column) for column in zip(*there, strict=True)], x.data[0]),
            ([circuit.any_of(row) for row in there], x.data[1]),
        ):
            apart += [circuit.and_(lines[i], lines[j]) for i in range(len(lines)) for j in range(i + size, len(lines))]
        return circuit.not_(circuit.any_of(apart))

    def _buried(self, x: Expr, e: Locals) -> Value:
        found = []
        for g, pile in self.items(self.value(x.args[0], e)):
            if isinstance(pile, PileOf):
                found += [(self.circuit.and_(g, h), card) for h, card in self.items(pile)[:-1]]
        return Items(tuple(found))

    def _group_size(self, x: Expr, e: Locals) -> Value:
        which, (_, name), width = x.data
        piles = self.items(self.value(x.args[0], e))
        groups = Groups(self, [pile if isinstance(pile, PileOf) else None for _, pile in piles], name, width)
        return Number.of_steps(self.circuit, len(piles), groups.largest if which == "largest" else groups.smallest)

    # ---- attributes

    def _attr(self, x: Expr, e: Locals) -> Value:
        return self.lifted(self.value(x.args[0], e), lambda card: self.attribute(card, x.data[1]))

    def _coordinate(self, x: Expr, e: Locals) -> Value:
        def coordinate(cell: Value) -> Value:
            assert isinstance(cell, Choice)
            cases: dict[int, int] = {}
            for at, g in cell.cases.items():
                cases[at[x.data]] = self.circuit.or_(cases.get(at[x.data], FALSE), g)
            return Number.of_cases(self.circuit, cases)

        return self.lifted(self.value(x.args[0], e), coordinate)

    def _cards(self, x: Expr, e: Locals) -> list[tuple[int, Card]]:
        found = []
        for g, card in self.items(self.value(x.args[0], e)):
            if not isinstance(card, Card):
                raise Unsupported("it compares what may be nothing", x.span)
            found.append((g, card))
        return found

    def _sum(self, x: Expr, e: Locals) -> Value:
        return self.total(self.items(self.value(x.args[0], e)))

    def _sum_attr(self, x: Expr, e: Locals) -> Value:
        return self.total([(g, self.attribute(card, x.data[1])) for g, card in self._cards(x, e)])

    def total(self, parts: Iterable[tuple[int, Value]]) -> Number:
        return self.numbers.sum([self.numbers.only(g, self.number(v)) for g, v in parts])

    def _same(self, x: Expr, e: Locals) -> Value:
        cards, name, circuit = self._cards(x, e), x.data[1], self.circuit
        if all(g == TRUE for g, _ in cards):
            return circuit.all_of(self.alike(a, b, name) for (_, a), (_, b) in pairwise(cards))
        absent = [circuit.not_(g) for g, _ in cards]
        return circuit.any_of(
            circuit.all_of(
                circuit.or_(no, self.has(card, name, v)) for no, (_, card) in zip(absent, cards, strict=True)
            )
            for v in self.encoding.values(name)
        )

    def _distinct(self, x: Expr, e: Locals) -> Value:
        cards, name, circuit = self._cards(x, e), x.data[1], self.circuit
        values = self.encoding.values(name)
        if all(g == TRUE for g, _ in cards):
            if len(cards) > len(values):
                return FALSE
            if len(cards) == len(values):
                # As many cards as values: no two alike means that every value is there.
                return circuit.all_of(circuit.any_of(self.has(card, name, v) for _, card in cards) for v in values)
        pairs = [(a, b) for i, a in enumerate(cards) for b in cards[i + 1 :]]
        return circuit.not_(
            circuit.any_of(circuit.all_of([g, h, self.alike(a, b, name)]) for (g, a), (h, b) in pairs)
        )  # fmt: skip

    def _ascending(self, x: Expr, e: Locals) -> Value:
        values = [(g, self.number(self.attribute(card, x.data[1]))) for g, card in self._cards(x, e)]
        certain = all(g == TRUE for g, _ in values)
        # `<` passes on from each to the next, so where some may be missing every pair may be compared.
        pairs = pairwise(values) if certain else ((a, b) for i, a in enumerate(values) for b in values[i + 1 :])
        circuit = self.circuit
        wrong = [circuit.all_of([g, h, circuit.not_(self.numbers.less(a, b))]) for (g, a), (h, b) in pairs]
        return circuit.not_(circuit.any_of(wrong))

    def _reads(self, x: Expr, e: Locals) -> Value:
        cards = self.certain(self.value(x.args[0], e))
        pairs = zip(cards, x.data[2], strict=True)
        return self.circuit.all_of(self.has(card, x.data[1], v) for card, v in pairs if isinstance(card, Card))

    # ---- logic and numbers

    def _and(self, x: Expr, e: Locals) -> Value:
        return self.circuit.and_(*(self.boolean(self.value(a, e)) for a in x.args))

    def _or(self, x: Expr, e: Locals) -> Value:
        return self.circuit.or_(*(self.boolean(self.value(a, e)) for a in x.args))

    def _not(self, x: Expr, e: Locals) -> Value:
        return self.circuit.not_(self.boolean(self.value(x.args[0], e)))

    def _if(self, x: Expr, e: Locals) -> Value:
        when = self.boolean(self.value(x.args[0], e))
        return self.chosen(when, self.value(x.args[1], e), self.value(x.args[2], e))

    def _else(self, x: Expr, e: Locals) -> Value:
        value = self.value(x.args[0], e)
        if not isinstance(value, Maybe):
            return value
        otherwise = self.value(x.args[1], e)
        return otherwise if value.value is None else self.chosen(value.there, value.value, otherwise)

    def _eq(self, x: Expr, e: Locals) -> Value:
        return self.equal(self.value(x.args[0], e), self.value(x.args[1], e))

    def _ne(self, x: Expr, e: Locals) -> Value:
        return self.circuit.not_(self.equal(self.value(x.args[0], e), self.value(x.args[1], e)))

    def _order(self, x: Expr, e: Locals) -> Value:
        there = TRUE
        pair: list[Number] = []
        for arg in x.args:
            value = self.value(arg, e)
            if isinstance(value, Maybe):
                if value.value is None:
                    return FALSE
                there, value = self.circuit.and_(there, value.there), value.value
            pair.append(self.number(value))
        a, b = pair if x.op in ("lt", "le") else pair[::-1]
        if x.op in ("lt", "gt"):
            return self.circuit.and_(there, self.numbers.less(a, b))
        return self.circuit.and_(there, self.circuit.not_(self.numbers.less(b, a)))

    _lt = _le = _gt = _ge = _order

    def _pair(self, x: Expr, e: Locals) -> tuple[Number, Number]:
        return self.number(self.value(x.args[0], e)), self.number(self.value(x.args[1], e))

    def _add(self, x: Expr, e: Locals) -> Value:
        return self.numbers.sum(self._pair(x, e))

    def _sub(self, x: Expr, e: Locals) -> Value:
        a, b = self._pair(x, e)
        return self.numbers.sum([a, self.numbers.negated(b)])

    def _mul(self, x: Expr, e: Locals) -> Value:
        return self.numbers.product(*self._pair(x, e))

    def _neg(self, x: Expr, e: Locals) -> Value:
        return self.numbers.negated(self.number(self.value(x.args[0], e)))

    def _table(self, x: Expr, e: Locals) -> Value:
        return self.numbers.looked_up(self.number(self.value(x.args[0], e)), *x.data)

    # ---- quantifiers

    def _each(self, x: Expr, slot: int, e: Locals) -> list[tuple[int, Value]]:
        items = self.items(self.value(x.args[0], e))
        return [(g, self.value(x.args[1], {**e, slot: item})) for g, item in items if g != FALSE]

    def _pick(self, x: Expr, e: Locals) -> Value:
        which, slot = x.data
        items = [(g, item) for g, item in self.items(self.value(x.args[0], e)) if g != FALSE]
        if which == "last":
            items.reverse()
        found = []
        for g, item in items:
            holds = self.boolean(self.value(x.args[1], {**e, slot: item}))
            found.append((self.circuit.and_(g, holds), item))
        return self.first(found)

    def _count_where(self, x: Expr, e: Locals) -> Value:
        return self.counted([self.circuit.and_(g, self.boolean(v)) for g, v in self._each(x, x.data, e)])

    def _sum_where(self, x: Expr, e: Locals) -> Value:
        return self.total(self._each(x, x.data, e))

    def _quant(self, x: Expr, e: Locals) -> Value:
        kind, number, slot = x.data
        return self._quantified(kind, number, [(g, self.boolean(v)) for g, v in self._each(x, slot, e)])

    def _shape(self, x: Expr, e: Locals) -> Value:
        kind, number, slot, placements = x.data
        cells = self.items(self.value(x.args[0], e))
        results = []
        for needs, free in placements:
            filled = [self.not_empty(cells[at][1]) for at in needs]
            clear = [self.circuit.not_(self.not_empty(cells[at][1])) for at in free]
            fits = self.circuit.all_of([*filled, *clear])
            if fits == FALSE:
                continue
            matched = Items(tuple((TRUE, self.top_of(cells[at][1])) for at in needs))
            body = self.boolean(self.value(x.args[1], {**e, slot: matched}))
            if kind == "every":
                results.append((fits, body))
            else:
                results.append((TRUE, self.circuit.all_of([*filled, *clear, body])))
        return self._quantified(kind, number, results)

    def _quantified(self, kind: str, number: int, cases: list[tuple[int, int]]) -> Value:
        circuit = self.circuit
        if kind == "every":
            return circuit.not_(circuit.any_of(circuit.and_(g, circuit.not_(v)) for g, v in cases))
        found = [circuit.and_(g, v) for g, v in cases]
        if kind == "count":
            return self.counted(found)
        if kind == "some":
            return circuit.any_of(found)
        if kind == "no":
            return circuit.not_(circuit.any_of(found))
        if kind == "least":
            return circuit.at_least(found, number)
        if kind == "most":
            return circuit.not_(circuit.at_least(found, number + 1))
        return circuit.exactly(found, number)


_REASONS = dict.fromkeys(
    ("var", "player", "players", "goals", "total", "zone_index", "family", "after", "each_at", "holds", "token_on",
     "token_place", "can", "fulfils"),
    "it depends on more than what lies on the grid",
)  # fmt: skip


__all__ = ["ObjectiveCompiler", "Spot", "compile_objective", "notices_corner"]
