"""`pwtool rules compile`: a ruleset as a WebAssembly module that judges its records."""

from __future__ import annotations

from pathlib import Path

from pwtool.cli.common import fail, open_book, open_store, write_bytes
from pwtool.cli.streams import note
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.module import compile_kernel


def run_compile(address: str, output: Path, readings: list[str], as_printed: bool, force: bool) -> int:
    """Write the module of a ruleset; exit code 2 if the ruleset cannot be loaded or compiled."""
    book = open_book(address, open_store(readings, as_printed))
    try:
        kernel = compile_kernel(book.game.ruleset)
    except Uncompilable as bound:
        fail(f"`{address}` cannot be compiled: {bound}", "nothing is written; `pwtool check` judges its games without")
    write_bytes(output, kernel.wasm, force)
    note(f"{kernel.address}: {len(kernel.wasm):,} bytes, version {kernel.version}")
    return 0
