"""Numbers computed by a circuit: their bounds, and bits above a fixed lowest value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from pwtool.boards.circuit import FALSE, TRUE, Circuit

# A sum with this many terms is compared case by case: a diagram of its carry bits is larger than one of the sum.
MANY_TERMS = 5
MAX_RANGE = 400
Term = Mapping[int, int]
"""Numbers other than 0, each with its condition; at most one of the conditions holds."""


class Number:
    """The number `low` plus the value of the bits (lowest first); never more than `high`.

    If given, `cases` says for each possible value when it occurs; `steps(n)` when the number is at least `n`; `terms` that the
    number is their sum, which says more than the bits of the sum: each term is a set of numbers with conditions, and 0 if
    none of these holds. Bits that are given as a function are computed when first needed: steps or terms are often enough.
    """

    __slots__ = ("_bits", "cases", "high", "low", "steps", "terms")

    def __init__(
        self,
        low: int,
        high: int,
        bits: tuple[int, ...] | Callable[[], tuple[int, ...]],
        cases: Mapping[int, int] | None = None,
        steps: Callable[[int], int] | None = None,
        terms: tuple[Term, ...] | None = None,
    ) -> None:
        self.low, self.high, self._bits, self.cases, self.steps, self.terms = low, high, bits, cases, steps, terms

    @property
    def bits(self) -> tuple[int, ...]:
        if callable(self._bits):
            self._bits = self._bits()
        return self._bits

    @property
    def is_constant(self) -> bool:
        return not callable(self._bits) and not self._bits

    @staticmethod
    def constant(value: int) -> Number:
        return Number(value, value, ())

    @staticmethod
    def of_cases(circuit: Circuit, cases: Mapping[int, int]) -> Number:
        """The number that has each value under its condition; exactly one of the conditions holds."""
        possible = {value: when for value, when in cases.items() if when != FALSE}
        if not possible:
            return Number.constant(0)
        low, high = min(possible), max(possible)
        if low > 0 and high.bit_length() == (high - low).bit_length():
            low = 0
        width = (high - low).bit_length()
        bits = tuple(circuit.any_of(w for v, w in possible.items() if (v - low) >> at & 1) for at in range(width))
        return Number(low, high, bits, possible)

    @staticmethod
    def of_steps(circuit: Circuit, high: int, steps: Callable[[int], int]) -> Number:
        """The number from 0 to `high` that is at least `n` where `steps(n)` holds."""
        return Number(0, high, lambda: circuit.count([steps(n) for n in range(1, high + 1)]), steps=steps)

    @staticmethod
    def of_count(circuit: Circuit, parts: Sequence[int]) -> Number:
        """How many of the parts hold."""
        certain = list(parts).count(TRUE)
        open_ = [p for p in parts if p not in (TRUE, FALSE)]
        return trimmed(certain, certain + len(open_), circuit.count(open_))


def trimmed(low: int, high: int, bits: Sequence[int]) -> Number:
    """A number without the bits that, by its bounds, are never set."""
    return Number(low, high, tuple(bits[: (high - low).bit_length()]))


class Arithmetic:
    """Arithmetic on numbers, as parts of one circuit."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit

    def _aligned(self, a: Number, b: Number) -> tuple[Sequence[int], Sequence[int]]:
        """The bits of both numbers above a common lowest value."""
        return self._above(a, min(a.low, b.low)), self._above(b, min(a.low, b.low))

    def _above(self, a: Number, low: int) -> Sequence[int]:
        if a.low == low:
            return a.bits
        rest = a.low - low
        constant = [TRUE if rest >> at & 1 else FALSE for at in range(rest.bit_length())]
        return self.circuit.sum([a.bits, constant])[: (a.high - low).bit_length()]

    def sum(self, numbers: Sequence[Number]) -> Number:
        """The sum of all numbers."""
        low, high = sum(n.low for n in numbers), sum(n.high for n in numbers)
        if low == high:
            return Number.constant(low)
        terms = tuple(term for n in numbers for term in terms_of(n))
        size = (high - low).bit_length()
        return Number(low, high, lambda: self.circuit.sum([n.bits for n in numbers])[:size], terms=terms)

    def negated(self, a: Number) -> Number:
        circuit, most = self.circuit, (1 << (a.high - a.low).bit_length()) - 1
        if a.is_constant:
            return Number.constant(-a.low)

        def bits() -> tuple[int, ...]:
            short = most.bit_length() - len(a.bits)
            return tuple(circuit.not_(b) for b in (*a.bits, *[FALSE] * short))

        return Number(-a.low - most, -a.low, bits, terms=opposite(terms_of(a)))

    def product(self, a: Number, b: Number) -> Number:
        """Shifted copies added up; the negative part of either factor is added as a multiple of the other."""
        if a.is_constant:
            a, b = b, a
        if b.is_constant:
            return self._times(a, b.low)
        circuit = self.circuit
        rows = [
            [FALSE] * at + [circuit.and_(bit, other) for other in a.bits] for at, bit in enumerate(b.bits)
        ]  # fmt: skip
        both = (1 << len(a.bits)) - 1, (1 << len(b.bits)) - 1
        pure = trimmed(0, both[0] * both[1], circuit.sum(rows))
        left = self._times(Number(0, both[0], a.bits), b.low)
        right = self._times(Number(0, both[1], b.bits), a.low)
        return self.sum([pure, left, right, Number.constant(a.low * b.low)])

    def _times(self, a: Number, factor: int) -> Number:
        if factor < 0:
            return self._times(self.negated(a), -factor)
        copies = [[FALSE] * at + list(a.bits) for at in range(factor.bit_length()) if factor >> at & 1]
        return trimmed(a.low * factor, a.high * factor, self.circuit.sum(copies))

    def equal(self, a: Number, b: Number) -> int:
        for x, y in ((a, b), (b, a)):
            if not y.is_constant:
                continue
            if not x.low <= y.low <= x.high:
                return FALSE
            if x.cases is not None:
                return x.cases.get(y.low, FALSE)
            if x.steps is not None:
                return self.circuit.and_(self._step(x, y.low), self.circuit.not_(self._step(x, y.low + 1)))
            if x.terms is None:
                return self.circuit.is_number(x.bits, y.low - x.low)
        # The same node, whichever comes first.
        a, b = sorted((a, b), key=lambda n: [sorted(term.items()) for term in terms_of(n)])
        sums = self._difference(a, b)
        return self.circuit.equal(*self._aligned(a, b)) if sums is None else sums.equal(0)

    def less(self, a: Number, b: Number) -> int:
        if a.high < b.low:
            return TRUE
        if a.low >= b.high:
            return FALSE
        if b.is_constant and a.steps is not None:
            return self.circuit.not_(self._step(a, b.low))
        if a.is_constant and b.steps is not None:
            return self._step(b, a.low + 1)
        sums = self._difference(a, b)
        return self.circuit.less(*self._aligned(a, b)) if sums is None else self.circuit.not_(sums.at_least(0))

    def _difference(self, a: Number, b: Number) -> Sums | None:
        """The first number minus the second; None if bits will do: if it has few terms or too many cases, or if a term reads
        several cards, or several attributes of a card while neither number is constant.
        """
        if a.terms is None and b.terms is None:
            return None
        sums = Sums(self.circuit, (*terms_of(a), *opposite(terms_of(b))))
        many = len(sums.terms) >= MANY_TERMS and sums.range <= MAX_RANGE
        return sums if many and all(self._is_plain(t, a.is_constant or b.is_constant) for t in sums.terms) else None

    def _is_plain(self, term: Term, any_attribute: bool) -> bool:
        keys = {self.circuit.keys[node][:2] for node in self.circuit.inputs_of(term.values())}  # type: ignore[index]
        attributes, cells = {key for key in keys if key[0] != "there"}, {key[1] for key in keys}
        return len(cells) <= 1 and (any_attribute or len(attributes) <= 1)

    @staticmethod
    def _step(a: Number, value: int) -> int:
        assert a.steps is not None
        return TRUE if value <= a.low else FALSE if value > a.high else a.steps(value)

    def chosen(self, when: int, then: Number, otherwise: Number) -> Number:
        """`then` where the condition holds, else `otherwise`."""
        if when == TRUE:
            return then
        if when == FALSE:
            return otherwise
        low = min(then.low, otherwise.low)
        a, b = self._aligned(then, otherwise)
        size = max(len(a), len(b))
        pairs = [(a[i] if i < len(a) else FALSE, b[i] if i < len(b) else FALSE) for i in range(size)]
        bits = [self.circuit.mux(when, x, y) for x, y in pairs]
        chosen = trimmed(low, max(then.high, otherwise.high), bits)
        first, second = terms_of(then), terms_of(otherwise)
        if len(first) <= 1 and len(second) <= 1:
            term: dict[int, int] = {}
            for guard, own in ((when, first), (self.circuit.not_(when), second)):
                for value, had in own[0].items() if own else ():
                    term[value] = self.circuit.or_(term.get(value, FALSE), self.circuit.and_(guard, had))
            chosen.terms = (term,)
        return chosen

    def only(self, when: int, a: Number) -> Number:
        """The number where the condition holds, else 0."""
        if a.low == 0:
            terms = tuple({v: self.circuit.and_(when, had) for v, had in term.items()} for term in terms_of(a))
            return Number(0, a.high, tuple(self.circuit.and_(when, bit) for bit in a.bits), terms=terms)
        return self.chosen(when, a, Number.constant(0))

    def looked_up(self, a: Number, rows: Sequence[tuple[int, int]], otherwise: int | None) -> Number:
        """The entry of a table for this number."""
        cases: dict[int, list[int]] = {}
        found = []
        for key, value in rows:
            when = self.equal(a, Number.constant(key))
            found.append(when)
            cases.setdefault(value, []).append(when)
        if otherwise is not None:
            cases.setdefault(otherwise, []).append(self.circuit.not_(self.circuit.any_of(found)))
        return Number.of_cases(self.circuit, {v: self.circuit.any_of(whens) for v, whens in cases.items()})


def terms_of(a: Number) -> tuple[Term, ...]:
    """The terms whose sum is the number."""
    if a.terms is not None:
        return a.terms
    if a.is_constant:
        return ({a.low: TRUE},) if a.low else ()
    if a.cases is not None:
        return ({value: when for value, when in a.cases.items() if value},)
    base: tuple[Term, ...] = ({a.low: TRUE},) if a.low else ()
    return (*base, *({1 << at: bit} for at, bit in enumerate(a.bits)))


def opposite(terms: Iterable[Term]) -> tuple[Term, ...]:
    """The terms of the negated number."""
    return tuple({-value: when for value, when in term.items()} for term in terms)


class Sums:
    """A sum by its terms, from the last cell up: only the total of the remaining terms matters, and a diagram looks at the cells
    in the same order.
    """

    def __init__(self, circuit: Circuit, terms: Iterable[Term]) -> None:
        self.circuit = circuit
        self.base = 0
        found = []
        for term in terms:
            possible = {value: when for value, when in term.items() if value and when != FALSE}
            if TRUE in possible.values():
                self.base += next(value for value, when in possible.items() if when == TRUE)
            elif possible:
                found.append(possible)
        self.terms = sorted(found, key=self._place)
        # The least and the greatest sum of the remaining terms, from each term on.
        self.low, self.high = [0], [0]
        for term in reversed(self.terms):
            self.low.append(self.low[-1] + min(0, *term))
            self.high.append(self.high[-1] + max(0, *term))
        self.low.reverse()
        self.high.reverse()
        self.range = self.high[0] - self.low[0]
        self._made: dict[tuple[bool, int, int], int] = {}

    def _place(self, term: Term) -> tuple[int, list[tuple[int, int]]]:
        needs = self.circuit.needs
        mask = 0
        for when in term.values():
            mask |= needs[when]
        return mask & -mask, sorted(term.items())

    def equal(self, number: int) -> int:
        """Whether the sum is this number."""
        return self._from(True, 0, number - self.base)

    def at_least(self, number: int) -> int:
        """Whether the sum is at least this number."""
        return self._from(False, 0, number - self.base)

    def _from(self, exactly: bool, at: int, number: int) -> int:
        if number > self.high[at] or (exactly and number < self.low[at]):
            return FALSE
        if (not exactly and number <= self.low[at]) or at == len(self.terms):
            return TRUE
        key = (exactly, at, number)
        found = self._made.get(key)
        if found is None:
            circuit, term = self.circuit, self.terms[at]
            rest = circuit.not_(circuit.any_of(term.values()))
            ways = [circuit.and_(rest, self._from(exactly, at + 1, number))]
            ways += [circuit.and_(had, self._from(exactly, at + 1, number - value)) for value, had in term.items()]
            found = self._made[key] = circuit.any_of(ways)
        return found
