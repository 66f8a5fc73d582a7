"""The binary format of WebAssembly, as far as the kernel needs it (WebAssembly Core Specification 2.0, chapter 5)."""

from __future__ import annotations

from dataclasses import dataclass, field

I32, I64 = 0x7F, 0x7E
_FUNC, _EMPTY = 0x60, 0x40
PAGE = 1 << 16
FUEL = "fuel"


def unsigned(value: int) -> bytes:
    """LEB128 of a number that is not negative."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value: int) -> bytes:
    """Signed LEB128."""
    out = bytearray()
    while not -64 <= value < 64:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value & 0x7F)
    return bytes(out)


def _vector(items: list[bytes]) -> bytes:
    return unsigned(len(items)) + b"".join(items)


def _name(text: str) -> bytes:
    data = text.encode()
    return unsigned(len(data)) + data


@dataclass(slots=True)
class Function:
    """A function: its number in the module, the types of its parameters, results and other locals, its code, and
    where in it which functions are called.
    """

    index: int
    name: str
    parameters: tuple[int, ...]
    results: tuple[int, ...]
    locals: list[int] = field(default_factory=list)
    code: bytearray = field(default_factory=bytearray)
    calls: list[tuple[int, Function]] = field(default_factory=list)
    exported: bool = False


@dataclass(slots=True)
class Module:
    """A module under construction: functions, global variables (mutable `i32` or `i64`), data and one memory."""

    functions: list[Function] = field(default_factory=list)
    globals: list[tuple[int, int]] = field(default_factory=list)
    data: list[tuple[int, bytes]] = field(default_factory=list)
    pages: int = 1
    counter: int | None = None
    """A variable, exported as `fuel`, that each round of a loop lowers; below 0 the module stops."""
    sections: dict[str, bytes] = field(default_factory=dict)

    def function(self, name: str, parameters: tuple[int, ...], results: tuple[int, ...]) -> Function:
        """A new function, which can be called before its code is written."""
        made = Function(len(self.functions), name, parameters, results)
        self.functions.append(made)
        return made

    def variable(self, kind: int = I32, value: int = 0) -> int:
        """A new global variable: its number."""
        self.globals.append((kind, value))
        return len(self.globals) - 1

    def encode(self) -> bytes:
        """The module as bytes; custom `sections` come last."""
        types = list(dict.fromkeys((f.parameters, f.results) for f in self.functions))
        signatures = [
            bytes((_FUNC,)) + _vector([bytes((p,)) for p in ps]) + _vector([bytes((r,)) for r in rs])
            for ps, rs in types
        ]
        uses = [unsigned(types.index((f.parameters, f.results))) for f in self.functions]
        globals_ = [
            bytes((kind, 1, 0x41 if kind == I32 else 0x42)) + signed(value) + b"\x0b" for kind, value in self.globals
        ]
        exports = [_name("memory") + b"\x02\x00"]
        exports += [_name(f.name) + b"\x00" + unsigned(f.index) for f in self.functions if f.exported]
        exports += [_name(FUEL) + b"\x03" + unsigned(self.counter)] if self.counter is not None else []
        bodies = []
        for f in self.functions:
            body = _vector([b"\x01" + bytes((kind,)) for kind in f.locals]) + bytes(f.code) + b"\x0b"
            bodies.append(unsigned(len(body)) + body)
        data = [b"\x00\x41" + signed(at) + b"\x0b" + unsigned(len(part)) + part for at, part in self.data]
        parts = [(1, signatures), (3, uses), (5, [b"\x00" + unsigned(self.pages)]), (6, globals_)]
        parts += [(7, exports), (10, bodies), (11, data)]
        out = bytearray(b"\0asm\1\0\0\0")
        for number, items in parts:
            section = _vector(items)
            out += bytes((number,)) + unsigned(len(section)) + section
        for name, content in self.sections.items():
            section = _name(name) + content
            out += b"\x00" + unsigned(len(section)) + section
        return bytes(out)
