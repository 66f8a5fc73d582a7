"""Kernels that count the rounds of their loops: what they play is the same, and they stop when the count is used up."""

from __future__ import annotations

from typing import Any

import pytest
import wasmtime

from pwtool.kernel.machine import EACH_ROUND
from pwtool.kernel.module import compile_kernel
from pwtool.kernel.run import FUEL_EACH_PLAYED, Instance, Runner
from pwtool.kernel.wasm.module import FUEL
from tests.daily import one_day_in
from tests.kernel.judging import bench


class Counted:
    """A machine that counts as in a browser, where nobody else does."""

    def __init__(self, machine: Any) -> None:
        self._machine = machine
        self.given = 0
        self.share = 1.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._machine, name)

    def fuel(self, most: int) -> None:
        self.given = int(most * self.share) // EACH_ROUND
        self._variable().set_value(self._machine._store, self.given)

    def used(self) -> int:
        """The rounds of the last call."""
        return self.given - int(self._variable().value(self._machine._store))

    def _variable(self) -> Any:
        return self._machine._exports[FUEL]


def counted(address: str) -> tuple[Instance, Counted]:
    instance = Runner(compile_kernel(bench(address).ruleset, counted=True), metered=False).instance()
    machine = Counted(instance._machine)
    instance._machine = machine  # type: ignore[assignment]
    return instance, machine


@one_day_in(8)
@pytest.mark.parametrize("address", ["tic_tac_toe", "paper_world/en"])
def test_the_same_is_played_and_judged(address: str) -> None:
    instance, machine = counted(address)
    other = bench(address).runner.instance()  # Words of seats that nobody has remain from games before.
    played = list(other.play(7, 20, 2, 400))
    assert list(instance.play(7, 20, 2, 400)) == played
    assert 0 < machine.used() < 20 * FUEL_EACH_PLAYED // EACH_ROUND
    assert instance.judge(played).words == other.judge(played).words


def test_a_kernel_stops_when_its_rounds_are_used_up() -> None:
    instance, machine = counted("paper_world/en")
    machine.share = 1e-6
    with pytest.raises(wasmtime.Trap):
        list(instance.play(7, 20, 2, 400))
    machine.share = 1.0
    assert len(list(instance.play(7, 20, 2, 400))) == 20


def test_other_kernels_count_nothing() -> None:
    assert FUEL.encode() not in compile_kernel(bench("tic_tac_toe").ruleset).wasm.partition(b"pwtool")[0]
