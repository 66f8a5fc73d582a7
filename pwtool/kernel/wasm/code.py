"""Writing the code of a function: expressions that put a value on the stack, statements, and blocks to leave.

    with code.loop() as again:
        with code.when(at < end):
            at.set(at + 4)
            code.branch(again)

An expression (`Value`) is written where it is used: it can be used several times, and is then computed several times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from pwtool.kernel.wasm.module import I32, I64, Function, Module, signed, unsigned

_BLOCK, _LOOP, _IF, _ELSE, _END = 0x02, 0x03, 0x04, 0x05, 0x0B
_VOID = 0x40


class Value:
    """A computation that leaves one value on the stack."""

    __slots__ = ("kind", "write")

    def __init__(self, write: Callable[[], None], kind: int = I32) -> None:
        self.write, self.kind = write, kind


class Expression(Value):
    """An expression in the code being written, with arithmetic operators; `//`, `<` etc. are signed."""

    __slots__ = ("code",)
    is_joined = False
    """Whether this consists of conditions that can jump one by one."""

    def __init__(self, code: Code, write: Callable[[], None], kind: int = I32) -> None:
        super().__init__(write, kind)
        self.code = code

    def _binary(self, other: Expression | int, op32: int, op64: int, kind: int | None = None) -> Expression:
        code, right = self.code, self.code.value(other, self.kind)
        op = op32 if self.kind == I32 else op64

        def write() -> None:
            self.write()
            right.write()
            code.emit(op)

        return Expression(code, write, self.kind if kind is None else kind)

    def __add__(self, other: Expression | int) -> Expression:
        if isinstance(other, int) and other == 0:
            return self
        return self._binary(other, 0x6A, 0x7C)

    def __sub__(self, other: Expression | int) -> Expression:
        return self._binary(other, 0x6B, 0x7D)

    def __mul__(self, other: Expression | int) -> Expression:
        return self._binary(other, 0x6C, 0x7E)

    def __floordiv__(self, other: Expression | int) -> Expression:
        return self._binary(other, 0x6D, 0x7F)

    def __mod__(self, other: Expression | int) -> Expression:
        return self._binary(other, 0x6F, 0x81)

    def remainder(self, other: Expression | int) -> Expression:
        """The remainder of an unsigned division."""
        return self._binary(other, 0x70, 0x82)

    def __and__(self, other: Expression | int) -> Expression:
        return self._binary(other, 0x71, 0x83)

    def __or__(self, other: Expression | int) -> Expression:
        return self._binary(other, 0x72, 0x84)

    def __xor__(self, other: Expression | int) -> Expression:
        return self._binary(other, 0x73, 0x85)

    def __lshift__(self, other: Expression | int) -> Expression:
        return self._binary(other, 0x74, 0x86)

    def __rshift__(self, other: Expression | int) -> Expression:
        return self._binary(other, 0x75, 0x87)

    def shifted_down(self, other: Expression | int) -> Expression:
        """Unsigned shift to the right."""
        return self._binary(other, 0x76, 0x88)

    def equals(self, other: Expression | int) -> Expression:
        if isinstance(other, int) and other == 0:
            return self.is_zero()
        return self._binary(other, 0x46, 0x51, I32)

    def differs(self, other: Expression | int) -> Expression:
        return self._binary(other, 0x47, 0x52, I32)

    def __lt__(self, other: Expression | int) -> Expression:
        return self._binary(other, 0x48, 0x53, I32)

    def __gt__(self, other: Expression | int) -> Expression:
        return self._binary(other, 0x4A, 0x55, I32)

    def __le__(self, other: Expression | int) -> Expression:
        return self._binary(other, 0x4C, 0x57, I32)

    def __ge__(self, other: Expression | int) -> Expression:
        return self._binary(other, 0x4E, 0x59, I32)

    def below(self, other: Expression | int) -> Expression:
        """Unsigned comparison."""
        return self._binary(other, 0x49, 0x54, I32)

    def _unary(self, op32: int, op64: int, kind: int | None = None) -> Expression:
        op = op32 if self.kind == I32 else op64

        def write() -> None:
            self.write()
            self.code.emit(op)

        return Expression(self.code, write, self.kind if kind is None else kind)

    def is_zero(self) -> Expression:
        return _Not(self) if self.kind == I32 else self._unary(0x45, 0x50, I32)

    def jump(self, label: Label, holds: bool = True) -> None:
        """Branch to a label if this condition holds (or if it does not)."""
        self.write()
        if not holds:
            self.code.emit(0x45)
        self.code.emit(0x0D)
        self.code.raw(unsigned(self.code.depth - label.depth))

    def trailing_zeros(self) -> Expression:
        return self._unary(0x68, 0x7A)

    def leading_zeros(self) -> Expression:
        return self._unary(0x67, 0x79)

    def bit_count(self) -> Expression:
        return self._unary(0x69, 0x7B)

    def wide(self) -> Expression:
        """As `i64`, zero-extended."""
        return self._unary(0xAD, 0xAD, I64)

    def narrow(self) -> Expression:
        """The lower half of an `i64`."""
        return self._unary(0xA7, 0xA7, I32)

    # ---- memory at the address that this value is

    def _load(self, op: int, align: int, offset: int, kind: int) -> Expression:
        def write() -> None:
            self.write()
            self.code.emit(op, align)
            self.code.raw(unsigned(offset))

        return Expression(self.code, write, kind)

    def word(self, offset: int = 0) -> Expression:
        """The 32 bits at this address."""
        return self._load(0x28, 2, offset, I32)

    def long(self, offset: int = 0) -> Expression:
        """The 64 bits at this address, which need not be aligned."""
        return self._load(0x29, 0, offset, I64)

    def long_before(self) -> Expression:
        """The 64 bits that end at this address."""
        return (self - 8).long()

    def byte(self, offset: int = 0) -> Expression:
        """The byte at this address, unsigned."""
        return self._load(0x2D, 0, offset, I32)

    def half(self, offset: int = 0) -> Expression:
        """The 16 bits at this address, unsigned."""
        return self._load(0x2F, 0, offset, I32)


class _Not(Expression):
    """Whether a condition does not hold."""

    __slots__ = ("condition", "is_joined")

    def __init__(self, condition: Expression) -> None:
        self.condition, self.is_joined = condition, condition.is_joined

        def write() -> None:
            condition.write()
            condition.code.emit(0x45)

        super().__init__(condition.code, write)

    def jump(self, label: Label, holds: bool = True) -> None:
        self.condition.jump(label, not holds)


class _Joined(Expression):
    """Two conditions of which `both` have to hold, or one; the second is evaluated only if it matters. A jump needs no
    value, so each of them jumps by itself.
    """

    __slots__ = ("both", "left", "right")
    is_joined = True

    def __init__(self, left: Expression, right: Expression, both: bool) -> None:
        self.left, self.right, self.both = left, right, both
        code = left.code
        value = code.either(left, right, 0) if both else code.either(left, 1, right)
        super().__init__(code, value.write)

    def jump(self, label: Label, holds: bool = True) -> None:
        if holds != self.both:
            self.left.jump(label, holds)
            self.right.jump(label, holds)
            return
        with self.code.block() as past:
            self.left.jump(past, not holds)
            self.right.jump(label, holds)


class _Sought(Expression):
    """Whether something is found: `seek` writes code that looks for it and runs what it is given where it is found."""

    __slots__ = ("seek",)
    is_joined = True

    def __init__(self, code: Code, seek: Callable[[Callable[[], None]], None]) -> None:
        self.seek = seek

        def write() -> None:
            with code.block(I32) as yes:

                def found() -> None:
                    code.value(1).write()
                    code.branch(yes)

                seek(found)
                code.value(0).write()

        super().__init__(code, write)

    def jump(self, label: Label, holds: bool = True) -> None:
        code = self.code
        if holds:
            self.seek(lambda: code.branch(label))
            return
        with code.block() as found:
            self.seek(lambda: code.branch(found))
            code.branch(label)


class Local(Expression):
    """A local variable."""

    __slots__ = ("index",)

    def __init__(self, code: Code, index: int, kind: int) -> None:
        self.index = index

        def write() -> None:
            code.emit(0x20)
            code.raw(unsigned(index))

        super().__init__(code, write, kind)

    def set(self, value: Expression | int) -> None:
        """Assign a value."""
        self.code.value(value, self.kind).write()
        self.code.emit(0x21)
        self.code.raw(unsigned(self.index))

    def pop(self) -> None:
        """Assign the value on top of the stack."""
        self.code.emit(0x21)
        self.code.raw(unsigned(self.index))

    def tee(self, value: Expression | int) -> Expression:
        """Assign a value and leave it on the stack."""

        def write() -> None:
            self.code.value(value, self.kind).write()
            self.code.emit(0x22)
            self.code.raw(unsigned(self.index))

        return Expression(self.code, write, self.kind)

    def add(self, value: Expression | int) -> None:
        self.set(self + value)


class Global(Expression):
    """A global variable of the module."""

    __slots__ = ("index",)

    def __init__(self, code: Code, index: int, kind: int = I32) -> None:
        self.index = index

        def write() -> None:
            code.emit(0x23)
            code.raw(unsigned(index))

        super().__init__(code, write, kind)

    def set(self, value: Expression | int) -> None:
        """Assign a value."""
        self.code.value(value, self.kind).write()
        self.code.emit(0x24)
        self.code.raw(unsigned(self.index))


@dataclass(frozen=True, slots=True)
class Label:
    """A block that can be left, or a loop that can be restarted, by a branch."""

    depth: int


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
        return _Sought(self, seek)

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

    def loop(self) -> AbstractContextManager[Label]:
        """A loop: a branch to it restarts it; it ends if there is no branch."""
        return self._block(_LOOP, _VOID)

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
        return _Joined(left, right, both=True)

    def one_of(self, left: Expression, right: Expression) -> Expression:
        """Whether at least one condition holds; the second is evaluated only if the first does not hold."""
        return _Joined(left, right, both=False)
