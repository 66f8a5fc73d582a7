"""Code of kernels is written where a value is used, not where the value was made: no local that it reads may have got
another value in between.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from pwtool.kernel.module import compile_kernel
from pwtool.kernel.wasm import code, operands
from pwtool.kernel.wasm.module import I32
from tests.daily import some
from tests.kernel.judging import GAMES, rulebook, short

CLASSICS = ("amazons", "checkers", "chess", "go", "gomoku+exactly_five", "hearts", "mancala", "othello")
EVERYDAY = (
    "paper_world/gamepark",
    "chess",
    *(address for address in GAMES if short(address) in ("marsh", "siege", "spill")),
)


class Clock:
    """Counts the changes of locals, and collects the values that came too late."""

    def __init__(self) -> None:
        self.now = 0
        self.changed: dict[tuple[int, int], int] = {}
        self.writing: list[tuple[int, int, str]] = []
        self.late: set[str] = set()

    def read(self, local: operands.Local) -> None:
        last = self.changed.get((id(local.code), local.index), 0)
        # What is changed while a value is written belongs to it.
        self.late |= {place for made, begun, place in self.writing if made < last <= begun}

    def change(self, local: operands.Local) -> None:
        self.now += 1
        self.changed[id(local.code), local.index] = self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    clock, kept = Clock(), []

    def made(self: operands.Expression, of: code.Code, write: object, kind: int = I32) -> None:
        now, place = clock.now, _place()
        kept.append(of)  # so that no other code gets its number

        def watched() -> None:
            if isinstance(self, operands.Local):
                clock.read(self)
            clock.writing.append((now, clock.now, place))
            write()  # type: ignore[operator]
            clock.writing.pop()

        operands.Value.__init__(self, watched, kind)
        self.code = of

    monkeypatch.setattr(operands.Expression, "__init__", made)
    for name in ("set", "pop"):

        def changed(self: operands.Local, *value: object, before: object = getattr(operands.Local, name)) -> None:
            before(self, *value)  # type: ignore[operator]
            clock.change(self)

        monkeypatch.setattr(operands.Local, name, changed)
    yield clock


def _place() -> str:
    """Where a value is made, beyond the operators."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename in (code.__file__, operands.__file__):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


@pytest.mark.parametrize("address", some([*EVERYDAY], 1), ids=short)
def test_values_are_written_before_what_they_read_changes(address: str, clock: Clock) -> None:
    compile_kernel(rulebook(address).game.ruleset)
    assert not clock.late


@pytest.mark.slow
@pytest.mark.parametrize("address", (*GAMES, *CLASSICS), ids=short)
def test_in_all_rulesets_values_are_written_before_what_they_read_changes(address: str, clock: Clock) -> None:
    compile_kernel(rulebook(address).game.ruleset)
    assert not clock.late


def test_a_value_that_comes_too_late_is_noticed(clock: Clock) -> None:
    module = code.Module()
    written = code.Code(module, module.function("late", (I32,), ()))
    local = written.local(1)
    value = local + 1
    local.set(2)
    written.local(value)
    assert clock.late
