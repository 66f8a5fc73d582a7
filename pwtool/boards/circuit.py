"""Boolean circuits in which equal parts are shared.

A node is a number. Every node is created by a method of `Circuit` that first simplifies and then checks whether the same
node already exists (hash consing, as in the and-inverter graphs of Kuehlmann, Paruthi, Krohm and Ganai, "Robust Boolean
Reasoning", IEEE TCAD 2002). Operands always have smaller numbers than the nodes built from them, so numerical order is an
order of evaluation.

Some inputs say that a card exists; others describe it and are false if it does not. A node remembers which inputs of the
first kind it needs (`needs`), and `all_of` omits them if another part needs them anyway.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

FALSE, TRUE = 0, 1
CONST, INPUT, NOT, AND, OR, XOR = range(6)


class Circuit:
    """A growing circuit. `ops[i]`, `left[i]` and `right[i]` are node `i`; `keys` says what an input stands for."""

    __slots__ = ("_made", "keys", "left", "needs", "ops", "right")

    def __init__(self) -> None:
        self.ops = [CONST, CONST]
        self.left = [0, 1]
        self.right = [0, 0]
        self.needs = [-1, 0]  # a part that never holds may be said to need everything
        self.keys: dict[int, Hashable] = {}
        self._made: dict[tuple[int, int, int], int] = {}

    def __len__(self) -> int:
        return len(self.ops)

    def _node(self, op: int, a: int, b: int, needs: int) -> int:
        key = (op, a, b)
        found = self._made.get(key)
        return self._new(key, needs) if found is None else found

    def _new(self, key: tuple[int, int, int], needs: int) -> int:
        made = self._made[key] = len(self.ops)
        op, a, b = key
        self.ops.append(op)
        self.left.append(a)
        self.right.append(b)
        self.needs.append(needs)
        return made

    def input(self, key: Hashable, needs: Iterable[int] = (), presence: bool = False) -> int:
        """A new input. It is false whenever one of the inputs in `needs` is false; `all_of` leaves out `presence` inputs that others
        need anyway.
        """
        node = len(self.ops)
        mask = 0
        for other in needs:
            mask |= self.needs[other]
        if presence:
            mask |= 1 << node
        self.ops.append(INPUT)
        self.left.append(node)
        self.right.append(0)
        self.needs.append(mask)
        self.keys[node] = key
        return node

    # ---- single gates

    def not_(self, a: int) -> int:
        if a <= TRUE:
            return TRUE - a
        return self.left[a] if self.ops[a] == NOT else self._node(NOT, a, 0, 0)

    def and_(self, a: int, b: int) -> int:
        if a > b:
            a, b = b, a
        if a <= TRUE:
            return b if a else FALSE
        if a == b:
            return a
        # Whatever was built from the two before would come out the same again.
        key = (AND, a, b)
        found = self._made.get(key)
        if found is not None:
            return found
        ops, left, needs = self.ops, self.left, self.needs
        first, op = ops[a], ops[b]
        # The smaller one does not depend on the larger one.
        if first == INPUT and needs[b] >> a & 1 and needs[a] >> a & 1:
            return b
        if op == NOT and left[b] == a:
            return FALSE
        if op in (AND, OR) and (left[b] == a or self.right[b] == a):
            return b if op == AND else a
        for x, y in ((a, b), (b, a)):
            if ops[y] == NOT:
                under = left[y]
                if ops[under] == INPUT and needs[x] >> under & 1 and needs[under] >> under & 1:
                    return FALSE
        if first == op == NOT:
            return self.not_(self.or_(left[a], left[b]))
        return self._new(key, needs[a] | needs[b])

    def or_(self, a: int, b: int) -> int:
        if a > b:
            a, b = b, a
        if a <= TRUE:
            return TRUE if a else b
        if a == b:
            return a
        key = (OR, a, b)
        found = self._made.get(key)
        if found is not None:
            return found
        left, needs = self.left, self.needs
        first, op = self.ops[a], self.ops[b]
        if first == INPUT and needs[b] >> a & 1 and needs[a] >> a & 1:
            return a
        if op == NOT and left[b] == a:
            return TRUE
        if op in (AND, OR) and (left[b] == a or self.right[b] == a):
            return b if op == OR else a
        if first == op == NOT:
            return self.not_(self.and_(left[a], left[b]))
        return self._new(key, needs[a] & needs[b])

    def xor(self, a: int, b: int) -> int:
        negated = False
        for x in (a, b):
            negated ^= self.ops[x] == NOT
        if self.ops[a] == NOT:
            a = self.left[a]
        if self.ops[b] == NOT:
            b = self.left[b]
        if a > b:
            a, b = b, a
        if a == b:
            made = FALSE
        elif a == FALSE:
            made = b
        elif a == TRUE:
            made = self.not_(b)
        else:
            made = self._node(XOR, a, b, self.needs[a] & self.needs[b])
        return self.not_(made) if negated else made

    def mux(self, choose: int, then: int, otherwise: int) -> int:
        """`then` where `choose` holds, else `otherwise`."""
        if choose == TRUE or then == otherwise:
            return then
        if choose == FALSE:
            return otherwise
        return self.or_(self.and_(choose, then), self.and_(self.not_(choose), otherwise))

    def remake(self, steps: Iterable[tuple[int, int, int, int]], made: dict[int, int]) -> None:
        """Rebuild nodes whose operands have changed (`made`): each is given by its number, its operation and its operands, in order
        of evaluation. A node that is missing from `made` is unchanged.
        """
        get, known = made.get, self._made.get
        for node, op, left, right in steps:
            a = get(left, left)
            if op == NOT:
                made[node] = self.not_(a)
                continue
            b = get(right, right)
            low, high = (a, b) if a < b else (b, a)
            if op == XOR:
                found = known((op, low, high))
                made[node] = self.xor(low, high) if found is None else found
            elif low <= TRUE:
                # An operand that decides the result, or that changes nothing.
                made[node] = (high if low else FALSE) if op == AND else (TRUE if low else high)
            elif low == high:
                made[node] = low
            else:
                found = known((op, low, high))
                if found is None:
                    found = self.and_(low, high) if op == AND else self.or_(low, high)
                made[node] = found

    # ---- many

    def all_of(self, parts: Iterable[int]) -> int:
        """Whether all hold. Inputs that another part needs anyway are left out."""
        kept = sorted(set(parts))
        if FALSE in kept:
            return FALSE
        needs = self.needs
        needed = 0
        for part in kept:
            needed |= needs[part] & ~(1 << part)
        made = TRUE
        for part in kept:
            if not needed >> part & 1:
                made = self.and_(made, part)
        return made

    def any_of(self, parts: Iterable[int]) -> int:
        """Whether at least one holds."""
        made = FALSE
        for part in sorted(set(parts)):
            made = self.or_(made, part)
        return made

    def at_least(self, parts: Sequence[int], wanted: int) -> int:
        """Whether at least that many of them hold."""
        # In a fixed order: the same parts give the same node, in whatever order they come.
        parts = sorted(p for p in parts if p != FALSE)
        wanted -= parts.count(TRUE)
        parts = [p for p in parts if p != TRUE]
        if wanted <= 0:
            return TRUE
        if wanted > len(parts):
            return FALSE
        if wanted == 1:
            return self.any_of(parts)
        if wanted == len(parts):
            return self.all_of(parts)
        if wanted == 2:
            # This takes three gates per part; counting with adders takes five.
            one = two = FALSE
            for part in parts:
                two = self.or_(two, self.and_(one, part))
                one = self.or_(one, part)
            return two
        return self.not_(self.less_than(self.count(parts), wanted))

    def count(self, parts: Sequence[int]) -> tuple[int, ...]:
        """How many hold, as bits, the lowest first: full adders over columns (C. S. Wallace, "A Suggestion for a Fast
        Multiplier", 1964).
        """
        return self.sum([(p,) for p in parts])

    def sum(self, numbers: Iterable[Sequence[int]]) -> tuple[int, ...]:
        """The sum of numbers given as bits, lowest first; the same node whatever their order."""
        columns: list[list[int]] = []
        for number in sorted(map(tuple, numbers)):
            for at, bit in enumerate(number):
                while len(columns) <= at:
                    columns.append([])
                if bit != FALSE:
                    columns[at].append(bit)
        bits = []
        at = 0
        while at < len(columns):
            column = columns[at]
            if len(column) > 1 and at + 1 == len(columns):
                columns.append([])
            while len(column) > 2:
                a, b, c = column.pop(0), column.pop(0), column.pop(0)
                half = self.xor(a, b)
                column.append(self.xor(half, c))
                columns[at + 1].append(self.or_(self.and_(a, b), self.and_(half, c)))
            if len(column) == 2:
                a, b = column
                columns[at + 1].append(self.and_(a, b))
                column[:] = [self.xor(a, b)]
            bits.append(column[0] if column else FALSE)
            at += 1
        return tuple(bits)

    # ---- numbers as bits, lowest first

    def is_number(self, bits: Sequence[int], number: int) -> int:
        """Whether the bits represent the number."""
        if number < 0 or number >> len(bits):
            return FALSE
        return self.all_of(bit if number >> at & 1 else self.not_(bit) for at, bit in enumerate(bits))

    def equal(self, a: Sequence[int], b: Sequence[int]) -> int:
        """Whether two numbers are equal."""
        size = max(len(a), len(b))
        differ = [
            self.xor(a[i] if i < len(a) else FALSE, b[i] if i < len(b) else FALSE) for i in range(size)
        ]  # fmt: skip
        return self.not_(self.any_of(differ))

    def less(self, a: Sequence[int], b: Sequence[int]) -> int:
        """Whether the first number is less than the second."""
        made = FALSE
        for i in range(max(len(a), len(b))):
            x, y = a[i] if i < len(a) else FALSE, b[i] if i < len(b) else FALSE
            if y == TRUE:
                made = self.or_(self.not_(x), made)
            elif y == FALSE:
                made = self.and_(self.not_(x), made)
            elif x == TRUE:
                made = self.and_(y, made)
            elif x == FALSE:
                made = self.or_(y, made)
            else:
                made = self.mux(self.xor(x, y), y, made)
        return made

    def less_than(self, bits: Sequence[int], number: int) -> int:
        """Whether the bits represent a number below this one."""
        if number <= 0:
            return FALSE
        if number >> len(bits):
            return TRUE
        return self.less(bits, [TRUE if number >> i & 1 else FALSE for i in range(len(bits))])

    # ---- the parts of a node

    def cone(self, roots: Iterable[int]) -> list[int]:
        """All nodes that these depend on, in order of evaluation."""
        ops, left, right = self.ops, self.left, self.right
        seen = set(roots)
        pending = list(seen)
        for node in pending:
            op = ops[node]
            if op >= NOT:
                under = left[node]
                if under not in seen:
                    seen.add(under)
                    pending.append(under)
                if op != NOT:
                    under = right[node]
                    if under not in seen:
                        seen.add(under)
                        pending.append(under)
        pending.sort()
        return pending

    def inputs_of(self, roots: Iterable[int]) -> list[int]:
        """The inputs that these nodes read."""
        return [node for node in self.cone(roots) if self.ops[node] == INPUT]
