"""What runs WebAssembly: Wasmtime (the extra `fast`), or the browser in which Python itself runs under Pyodide."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from time import sleep
from typing import Any, Protocol, TypeVar

from pwtool.kernel.wasm.module import FUEL

IN_BROWSER = sys.platform == "emscripten"
"""Browsers do not count instructions: there, a kernel that has to be metered is a counted one."""
T = TypeVar("T")
TRIES = 20
PAUSE = 0.05
EACH_ROUND = 32
"""About so many instructions take a round of a loop."""
BEGINNING = 1_000_000_000
"""Instructions for the beginning of an instance."""


class Machine(Protocol):
    """An instance of a module, with its memory."""

    def function(self, name: str) -> Callable[..., Any]:
        """An exported function."""

    def long(self, number: int) -> Any:
        """A number of 64 bits, as functions take it."""

    def fuel(self, most: int) -> None:
        """Let the next call take so many instructions, if they are counted."""

    def size(self) -> int:
        """The size of the memory in bytes."""

    def grow(self, pages: int) -> None:
        """Make the memory larger."""

    def read(self, start: int, size: int) -> array[int]:
        """Words of the memory; `size` in bytes."""

    def write(self, start: int, *parts: bytes | memoryview) -> None:
        """Write these bytes into the memory, one part after the other."""


def is_installed() -> bool:
    """Whether kernels can run here."""
    return IN_BROWSER or find_spec("wasmtime") is not None


def failures() -> tuple[type[Exception], ...]:
    """The exceptions raised when a kernel traps, runs out of memory or takes too long."""
    if IN_BROWSER:
        from pyodide.ffi import JsException

        return (JsException,)
    import wasmtime

    return (wasmtime.WasmtimeError, wasmtime.Trap)


def compile_module(wasm: bytes, metered: bool) -> tuple[Any, Any]:
    """An engine and a module for `machine`."""
    if IN_BROWSER:
        import js

        return None, js.WebAssembly.Module.new(_bytes(wasm))
    import wasmtime

    engine = _engine(metered)
    return engine, patiently(lambda: wasmtime.Module(engine, wasm))


def read_module(code: bytes, metered: bool) -> tuple[Any, Any]:
    """The same from the machine code of Wasmtime."""
    import wasmtime

    engine = _engine(metered)
    return engine, patiently(lambda: wasmtime.Module.deserialize(engine, code))


def machine(engine: Any, module: Any, metered: bool) -> Machine:
    """A new instance."""
    return _Browser(module) if IN_BROWSER else _Wasmtime(engine, module, metered)


def patiently(make: Callable[[], T]) -> T:
    """Call a function of Wasmtime, retrying for a while. Linux may hold on to pages of a new memory for a moment, so
    that it cannot be sealed.
    """
    for _ in range(TRIES):
        try:
            return make()
        except failures() as error:
            if "seals" not in str(error):
                raise
        sleep(PAUSE)
    return make()


def _engine(metered: bool) -> Any:
    import wasmtime

    config = wasmtime.Config()
    config.consume_fuel = metered
    return wasmtime.Engine(config)


class _Wasmtime:
    def __init__(self, engine: Any, module: Any, metered: bool) -> None:
        import wasmtime

        self._metered, self._store = metered, wasmtime.Store(engine)
        if metered:
            # Without any, a module cannot even begin.
            self._store.set_fuel(BEGINNING)
        made = patiently(lambda: wasmtime.Instance(self._store, module, []))
        self._exports: Any = made.exports(self._store)
        self._memory: Any = self._exports["memory"]
        self._view = self._viewed()

    def function(self, name: str) -> Callable[..., Any]:
        return partial(self._exports[name], self._store)

    def long(self, number: int) -> int:
        return number

    def fuel(self, most: int) -> None:
        if self._metered:
            self._store.set_fuel(most)

    def size(self) -> int:
        return int(self._memory.data_len(self._store))

    def grow(self, pages: int) -> None:
        self._memory.grow(self._store, pages)
        self._view = self._viewed()

    def read(self, start: int, size: int) -> array[int]:
        words = array("i")
        words.frombytes(self._view[start : start + size])
        return words

    def write(self, start: int, *parts: bytes | memoryview) -> None:
        # Wasmtime's own function copies them three times.
        for part in parts:
            self._view[start : start + len(part)] = part
            start += len(part)

    def _viewed(self) -> memoryview:
        """The current memory: it may move when it grows, which modules themselves never ask for."""
        return memoryview(self._memory.get_buffer_ptr(self._store)).cast("B")


class _Browser:
    """Between Python, which is a module of WebAssembly itself, and another one; bytes are copied."""

    def __init__(self, module: Any) -> None:
        import js

        self._exports = js.WebAssembly.Instance.new(module).exports
        self._memory = self._exports.memory

    def function(self, name: str) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(self._exports, name)
        return found

    def long(self, number: int) -> Any:
        import js

        return js.BigInt(str(number))

    def fuel(self, most: int) -> None:
        if hasattr(self._exports, FUEL):
            getattr(self._exports, FUEL).value = self.long(most // EACH_ROUND)

    def size(self) -> int:
        return int(self._memory.buffer.byteLength)

    def grow(self, pages: int) -> None:
        self._memory.grow(pages)

    def read(self, start: int, size: int) -> array[int]:
        return array("i", self._part(start, size).to_bytes())

    def write(self, start: int, *parts: bytes | memoryview) -> None:
        for part in parts:
            if len(part):
                self._part(start, len(part)).assign(part)
            start += len(part)

    def _part(self, start: int, size: int) -> Any:
        import js

        return js.Uint8Array.new(self._memory.buffer, start, size)


def _bytes(data: bytes) -> Any:
    import js

    copied = js.Uint8Array.new(len(data))
    copied.assign(data)
    return copied
