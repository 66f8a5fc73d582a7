"""The values of a function being written: expressions, variables, and conditions that can jump.

An expression is written where it is used: it can be used several times, and is then computed several times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pwtool.kernel.wasm.module import I32, I64, unsigned

if TYPE_CHECKING:
    from pwtool.kernel.wasm.code import Code


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
        return Not(self) if self.kind == I32 else self._unary(0x45, 0x50, I32)

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


class Not(Expression):
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


class Joined(Expression):
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


class Sought(Expression):
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


class _Variable(Expression):
    """A variable of a function or of the module; `get` is the instruction that reads it, the next one assigns."""

    __slots__ = ("index",)
    get: ClassVar[int]

    def __init__(self, code: Code, index: int, kind: int = I32) -> None:
        self.index = index

        def write() -> None:
            code.emit(self.get)
            code.raw(unsigned(index))

        super().__init__(code, write, kind)

    def pop(self) -> None:
        """Assign the value on top of the stack."""
        self.code.emit(self.get + 1)
        self.code.raw(unsigned(self.index))

    def set(self, value: Expression | int) -> None:
        """Assign a value."""
        self.code.value(value, self.kind).write()
        self.pop()


class Local(_Variable):
    """A local variable."""

    __slots__ = ()
    get = 0x20

    def add(self, value: Expression | int) -> None:
        self.set(self + value)


class Global(_Variable):
    """A global variable of the module."""

    __slots__ = ()
    get = 0x23


@dataclass(frozen=True, slots=True)
class Label:
    """A block that can be left, or a loop that can be restarted, by a branch."""

    depth: int
