"""Calls of small functions are replaced by their code, because a call takes as long as a dozen simple instructions and
Wasmtime does not do this.
"""

from __future__ import annotations

from collections.abc import Iterator

from pwtool.kernel.wasm.module import I32, Function, Module, unsigned

SMALL = 130
"""The number of bytes of code up to which a function is inlined."""
LARGE = 8_000
"""The number of bytes from which on a function inlines no more, so that it compiles quickly."""

_BLOCKS, _END, _RETURN, _CALL = (0x02, 0x03, 0x04), 0x0B, 0x0F, 0x10
_BR, _BR_IF, _BR_TABLE = 0x0C, 0x0D, 0x0E
_LOCALS = (0x20, 0x21, 0x22)
_GLOBALS = (0x23, 0x24)
_SET = 0x21
_CONSTANTS = (0x41, 0x42)
_MEMORY = range(0x28, 0x3F)
_LONG, _COPY, _FILL = 0xFC, 10, 11
_ALONE = frozenset((0x00, 0x01, 0x05, _END, _RETURN, 0x1A, 0x1B, *range(0x45, 0xC5)))
"""Instructions that nothing follows."""


def inline(module: Module) -> None:
    """Replace the calls of small functions in a module whose functions are complete."""
    done: set[int] = set()
    under_way: set[int] = set()

    def visit(function: Function) -> None:
        if function.index in done or function.index in under_way:
            return
        under_way.add(function.index)
        for _, called in function.calls:
            visit(called)
        # A function that calls itself, even through others, stays a call there.
        _inline(function, done)
        done.add(function.index)

    for function in module.functions:
        visit(function)


def _inline(function: Function, done: set[int]) -> None:
    """Replace calls of the functions that are `done`, as far as they are small."""
    code, written = bytearray(), 0
    first: dict[int, int] = {}
    for at, called in function.calls:
        code += function.code[written:at]
        written = at
        if called.index not in done or len(called.code) > SMALL or len(code) > LARGE:
            continue
        if called.index not in first:
            first[called.index] = len(function.parameters) + len(function.locals)
            function.locals += [*called.parameters, *called.locals]
        code += _body(called, first[called.index])
        written = at + 1 + len(unsigned(called.index))
    function.code = code + function.code[written:]


def _body(called: Function, first: int) -> bytes:
    """The code of a function whose arguments are on the stack, with its locals from number `first` on; it leaves its
    result on the stack.
    """
    given = len(called.parameters)
    out = bytearray()
    for number in reversed(range(given)):
        out += bytes((_SET,)) + unsigned(first + number)
    for number, kind in enumerate(called.locals, given):
        out += bytes((_CONSTANTS[kind != I32], 0, _SET)) + unsigned(first + number)
    out += bytes((_BLOCKS[0], called.results[0] if called.results else 0x40))
    depth, code = 0, called.code
    for start, op, end in _instructions(code):
        if op in _LOCALS:
            out += bytes((op,)) + unsigned(first + _number(code, start + 1)[0])
        elif op == _RETURN:
            out += bytes((_BR,)) + unsigned(depth)
        else:
            depth += (op in _BLOCKS) - (op == _END)
            out += code[start:end]
    out.append(_END)
    return bytes(out)


def _instructions(code: bytearray) -> Iterator[tuple[int, int, int]]:
    """Each instruction: where it begins, its opcode, and where it ends (chapter 5.4 of the specification)."""
    at = 0
    while at < len(code):
        start, op = at, code[at]
        at += 1
        if op in _BLOCKS:
            at += 1
        elif op in (_BR, _BR_IF, _CALL) or op in _LOCALS or op in _GLOBALS or op in _CONSTANTS:
            at = _number(code, at)[1]
        elif op == _BR_TABLE:
            count, at = _number(code, at)
            for _ in range(count + 1):
                at = _number(code, at)[1]
        elif op in _MEMORY:
            at = _number(code, _number(code, at)[1])[1]
        elif op == _LONG and code[at] in (_COPY, _FILL):
            at += 3 if code[at] == _COPY else 2
        elif op not in _ALONE:
            raise NotImplementedError(f"instruction {op:#x}")
        yield start, op, at


def _number(code: bytearray, at: int) -> tuple[int, int]:
    """A number and where it ends."""
    value = shift = 0
    while True:
        byte = code[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
