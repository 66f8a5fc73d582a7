"""A kernel as a file: the WebAssembly module of a ruleset with its description in a custom section."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from pwtool.ir.model import Ruleset
from pwtool.kernel.answers import Answer
from pwtool.text.blake2b import blake2b
from pwtool.text.store import Store, fingerprint

SECTION = "pwtool"
MAKERS = ("kernel", "eval")
"""The packages that make kernels of rulesets."""
INTERFACE = 5
"""The version of the interface that `docs/kernel.md` documents."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A module: its bytes, the ids of the rules by the numbers in its answers, the layout of an answer, the address of
    the number of turns without a choice and that of what is asked of `step`, and the first byte of memory that belongs to
    the caller.
    """

    wasm: bytes
    address: str
    version: str
    rules: tuple[str, ...]
    answer: Answer
    single: int
    step: int
    free: int


def compile_kernel(ruleset: Ruleset, greedy: bool = False, counted: bool = False) -> Kernel:
    """The kernel of a ruleset, playing at random or greedily; a `counted` one counts the rounds of its loops, for machines that do
    not count. Raises `Uncompilable` if the ruleset exceeds a bound of kernels.
    """
    from pwtool.kernel.wasm.build import build_module

    built = build_module(ruleset, greedy, counted)
    described = {
        "interface": INTERFACE, "ruleset": ruleset.address, "version": ruleset.version, "rules": list(built.rules),
        "players": built.answer.players, "lines": [score.name for score in ruleset.scores],
        "endings": [ending.name for ending in ruleset.endings], "objectives": list(ruleset.objectives),
        "goals": built.answer.goals, "single": built.single, "step": built.step, "free": built.free,
    }  # fmt: skip
    built.module.sections[SECTION] = json.dumps(described, separators=(",", ":")).encode()
    wasm = built.module.encode()
    return Kernel(
        wasm, ruleset.address, ruleset.version, built.rules, built.answer, built.single, built.step, built.free
    )


def load_kernel(ruleset: Ruleset, folder: Path | None, greedy: bool = False, counted: bool = False) -> Kernel:
    """The kernel of a ruleset as made by `compile_kernel`, from the cache in a folder if it is there."""
    if folder is None or not ruleset.origin.stored:
        return compile_kernel(ruleset, greedy, counted)
    made_by = [fingerprint(MAKERS), ruleset.origin.stored, greedy, counted]
    key = blake2b(json.dumps(made_by).encode(), digest_size=20).hexdigest()
    store = Store(folder / "kernels")
    stored = store.get(key)
    if stored is not None:
        try:
            return read_kernel(stored)
        except (ValueError, LookupError, TypeError):
            pass
    kernel = compile_kernel(ruleset, greedy, counted)
    store.put(key, kernel.wasm)
    return kernel


def read_kernel(wasm: bytes) -> Kernel:
    """The kernel in a file. Raises `ValueError` if it is not a kernel of this version of the interface."""
    described = json.loads(_section(wasm))
    if described["interface"] != INTERFACE:
        raise ValueError("a kernel of another version")
    answer = Answer(described["players"], len(described["lines"]), described["goals"])
    return Kernel(
        wasm, described["ruleset"], described["version"], tuple(described["rules"]), answer, described["single"],
        described["step"], described["free"],
    )  # fmt: skip


def _section(wasm: bytes) -> bytes:
    """The description that the module contains."""
    if wasm[:8] != b"\0asm\1\0\0\0":
        raise ValueError("no WebAssembly module")
    at = 8
    while at < len(wasm):
        kind, at = wasm[at], at + 1
        size, at = _unsigned(wasm, at)
        if kind == 0:
            length, start = _unsigned(wasm, at)
            if wasm[start : start + length] == SECTION.encode():
                return wasm[start + length : at + size]
        at += size
    raise ValueError("a module of something else")


def _unsigned(wasm: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte, at = wasm[at], at + 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at
