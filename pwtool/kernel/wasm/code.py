"""Writing the code of a function: statements, and blocks to leave.

with code.while_(at < end):
    at.set(at + 4)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.wasm.module import I32, I64, Function, Module, signed, unsigned
from pwtool.kernel.wasm.operands import Expression, Global, Joined, Label, Local, Sought

_BLOCK, _LOOP, _IF, _ELSE, _END = 0x02, 0x03, 0x04, 0x05, 0x0B
_VOID = 0x40
_UNREACHABLE = 0x00


class Code:
    """The code of one function. `arguments` are its parameters as locals."""

    def __init__(self, module: Module, function: Function) -> None:
        self.module, self.function = module, function
        self.depth = 0
        self._whens: list[Label | None] = []
        """The cases that are being written: the label behind both, or None if they are an `if` of WebAssembly."""
        self.arguments = [Local(self, at, kind) for at, kind in enumerate(function.parameters)]
        self._free: dict[int, list[int]] = {I32: [], I64: []}

    # ---- writing

    def emit(self, *codes: int) -> None:
        self.function.code += bytes(codes)

    def raw(self, data: bytes) -> None:
        self.function.code += data

    def value(self, of: Expression | int, kind: int = I32) -> Expression:
        """A value as an expression of this code; numbers become constants."""
        if isinstance(of, Expression):
            return of
        size = 32 if kind == I32 else 64
        if of.bit_length() > size or of < -(1 << size - 1):
            raise Uncompilable(f"it contains {of:,}")
        number = of - (1 << size) if of >> size - 1 == 1 else of

        def write() -> None:
            self.emit(0x41 if kind == I32 else 0x42)
            self.raw(signed(number))

        return Expression(self, write, kind)

    def written(self, write: Callable[[], None], kind: int = I32) -> Expression:
        """The value that a piece of code leaves on the stack."""
        return Expression(self, write, kind)

    def sought(self, seek: Callable[[Callable[[], None]], None]) -> Expression:
        """Whether something is found by code that runs what it is given where it finds it."""
        return Sought(self, seek)

    # ---- variables

    def local(self, value: Expression | int | None = None, kind: int = I32) -> Local:
        """A new local variable."""
        self.function.locals.append(kind)
        made = Local(self, len(self.function.parameters) + len(self.function.locals) - 1, kind)
        if value is not None:
            made.set(value)
        return made

    @contextmanager
    def borrowed(self, kind: int = I32) -> Iterator[Local]:
        """A temporary local variable, reused afterwards."""
        free = self._free[kind]
        made = Local(self, free.pop(), kind) if free else self.local(kind=kind)
        yield made
        free.append(made.index)

    def global_(self, index: int, kind: int = I32) -> Global:
        return Global(self, index, kind)

    # ---- memory

    def store(self, address: Expression | int, value: Expression | int, offset: int = 0) -> None:
        """Write 32 bits."""
        self._store(address, value, offset, 0x36, 2, I32)

    def store_byte(self, address: Expression | int, value: Expression | int, offset: int = 0) -> None:
        self._store(address, value, offset, 0x3A, 0, I32)

    def store_long(self, address: Expression | int, value: Expression | int, offset: int = 0) -> None:
        """Write 64 bits."""
        self._store(address, value, offset, 0x37, 0, I64)

    def _store(
        self, address: Expression | int, value: Expression | int, offset: int, op: int, align: int, kind: int
    ) -> None:
        self.value(address).write()
        self.value(value, kind).write()
        self.emit(op, align)
        self.raw(unsigned(offset))

    def copy(self, to: Expression, source: Expression, size: Expression | int) -> None:
        """Copy bytes; the two places may overlap."""
        for part in (to, source, self.value(size)):
            part.write()
        self.emit(0xFC, 10, 0, 0)

    def copy_words(self, to: Expression | int, source: Expression | int, count: Expression | int) -> None:
        """Copy a few words from the first to the last: for a list, a loop is faster than a copy of bytes, which is a
        call. If the places overlap, `to` is below `source`.
        """
        with self.borrowed() as at, self.borrowed() as place, self.borrowed() as end, self.block() as done:
            at.set(source)
            place.set(to)
            end.set(at + self.value(count) * 4)
            with self.loop() as again:
                self.branch_if(done, at >= end)
                self.store(place, at.word())
                at.add(4)
                place.add(4)
                self.branch(again)

    def fill(self, to: Expression | int, byte: int, size: Expression | int) -> None:
        """Fill memory with a byte."""
        for part in (self.value(to), self.value(byte), self.value(size)):
            part.write()
        self.emit(0xFC, 11, 0)

    # ---- blocks

    @contextmanager
    def _block(self, op: int, kind: int) -> Iterator[Label]:
        self.emit(op, kind)
        self.depth += 1
        yield Label(self.depth)
        self.depth -= 1
        self.emit(_END)

    def block(self, kind: int = _VOID) -> AbstractContextManager[Label]:
        """A block: a branch to it leaves it."""
        return self._block(_BLOCK, kind)

    @contextmanager
    def loop(self) -> Iterator[Label]:
        """A loop: a branch to it restarts it; it ends if there is no branch."""
        with self._block(_LOOP, _VOID) as again:
            if self.module.counter is not None:
                left = self.global_(self.module.counter, I64)
                left.set(left - 1)
                with self.when(left < 0):
                    self.emit(_UNREACHABLE)
            yield again

    @contextmanager
    def until(self, condition: Expression) -> Iterator[tuple[Label, Label]]:
        """Code that runs again and again until a condition holds before it: the label behind the loop, and that of its beginning."""
        with self.block() as done, self.loop() as again:
            self.branch_if(done, condition)
            yield done, again
            self.branch(again)

    @contextmanager
    def while_below(
        self, at: Local, end: Expression | int, step: Expression | int = 1
    ) -> Iterator[tuple[Label, Label]]:
        """Code that runs while a number is below an end; after each round, the number goes up by a step."""
        with self.until(at >= end) as labels:
            yield labels
            at.add(step)

    @contextmanager
    def while_(self, condition: Expression) -> Iterator[None]:
        """Code that runs again and again while a condition holds before it."""
        with self.loop() as again, self.when(condition):
            yield
            self.branch(again)

    @contextmanager
    def when(self, condition: Expression, kind: int = _VOID) -> Iterator[Label]:
        """Code that runs if a condition holds; `otherwise()` inside separates the two cases."""
        if condition.is_joined:
            with self._block(_BLOCK, kind) as label, self._case(label):
                self.emit(_BLOCK, _VOID)
                self.depth += 1
                inner = self.depth
                condition.jump(Label(inner), holds=False)
                yield label
                if self.depth == inner:
                    self.depth -= 1
                    self.emit(_END)
            return
        condition.write()
        with self._block(_IF, kind) as label, self._case(None):
            yield label

    @contextmanager
    def _case(self, label: Label | None) -> Iterator[None]:
        self._whens.append(label)
        yield
        self._whens.pop()

    def otherwise(self) -> None:
        """From here on, the code that runs if the condition of `when` does not hold."""
        label = self._whens[-1]
        if label is None:
            self.emit(_ELSE)
            return
        self.branch(label)
        self.depth -= 1
        self.emit(_END)

    def branch(self, label: Label) -> None:
        self.emit(0x0C)
        self.raw(unsigned(self.depth - label.depth))

    def branch_if(self, label: Label, condition: Expression) -> None:
        condition.jump(label)

    def switch(self, index: Expression, cases: Sequence[Callable[[], None]]) -> None:
        """Run one of the cases by a number from 0; none if the number is too large."""
        self.emit(*(_BLOCK, _VOID) * (len(cases) + 1))
        self.depth += len(cases) + 1
        index.write()
        self.emit(0x0E)
        for depth in (len(cases), *range(len(cases) + 1)):
            self.raw(unsigned(depth))
        for number, case in enumerate(cases):
            self.emit(_END)
            self.depth -= 1
            case()
            self.emit(0x0C)
            self.raw(unsigned(len(cases) - number - 1))
        self.emit(_END)
        self.depth -= 1

    def leave(self, value: Expression | int | None = None) -> None:
        """Return from the function."""
        if value is not None:
            self.value(value, self.function.results[0]).write()
        self.emit(0x0F)

    def call(self, function: Function, *arguments: Expression | int) -> Expression:
        """The result of a function; for one without a result, use `do`."""

        def write() -> None:
            for argument, kind in zip(arguments, function.parameters, strict=True):
                self.value(argument, kind).write()
            self.function.calls.append((len(self.function.code), function))
            self.emit(0x10)
            self.raw(unsigned(function.index))

        return Expression(self, write, function.results[0] if function.results else I32)

    def do(self, function: Function, *arguments: Expression | int) -> None:
        """Call a function and drop its result, if it has one."""
        self.call(function, *arguments).write()
        if function.results:
            self.emit(0x1A)

    def choose(self, condition: Expression, then: Expression | int, otherwise: Expression | int) -> Expression:
        """One of two values; both are computed."""
        a = self.value(then)
        b = self.value(otherwise, a.kind)

        def write() -> None:
            a.write()
            b.write()
            condition.write()
            self.emit(0x1B)

        return Expression(self, write, a.kind)

    def either(self, condition: Expression, then: Expression | int, otherwise: Expression | int) -> Expression:
        """One of two values; only that one is computed."""

        def write() -> None:
            with self.when(condition, I32):
                self.value(then).write()
                self.otherwise()
                self.value(otherwise).write()

        return Expression(self, write)

    def both(self, left: Expression, right: Expression) -> Expression:
        """Whether both conditions hold; the second is evaluated only if the first holds."""
        return Joined(left, right, both=True)

    def one_of(self, left: Expression, right: Expression) -> Expression:
        """Whether at least one condition holds; the second is evaluated only if the first does not hold."""
        return Joined(left, right, both=False)
