"""From a checked ruleset to the bytes of its module."""

from __future__ import annotations

from dataclasses import dataclass

from pwtool.ir.model import Ruleset
from pwtool.kernel.layout import Uncompilable
from pwtool.kernel.wasm.judge import Answer, Judge
from pwtool.kernel.wasm.kernel import Kernel
from pwtool.kernel.wasm.legal import Legal
from pwtool.kernel.wasm.module import PAGE


@dataclass(frozen=True, slots=True)
class Built:
    """A module: its bytes, the rules by the numbers that it answers, where in an answer what stands, and the first byte of
    memory that the caller may use.
    """

    wasm: bytes
    rules: tuple[str, ...]
    answer: Answer
    free: int


def build_module(ruleset: Ruleset) -> Built:
    """The module of a ruleset; raises `Uncompilable`."""
    kernel = Kernel(ruleset)
    judge = Judge(kernel)
    legal = Legal(kernel, judge.shared, judge.actions)
    judge.judge(judge.can_go_on())
    written: set[str] = set()
    while len(written) < len(judge.shared.exists):
        for name, made in list(judge.shared.exists.items()):
            if name not in written:
                written.add(name)
                legal.exists(ruleset.actions[name], made)
    judge.table.finish()
    kernel.module.pages = kernel.layout.free // PAGE + 1
    return Built(kernel.module.encode(), tuple(kernel.rule_ids), judge.answer, kernel.layout.free)


__all__ = ["Built", "Uncompilable", "build_module"]
