"""Which examples of an action's rules an overlay keeps that changes the action."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.lang.merged import Merged
from pwtool.rules.library import Library
from pwtool.rules.overlays import apply_layer

ENOUGH = '  rule enough "So many sticks lie there" see taking require number <= count heaps[heap]\n'
ASKED = {
    "heap: cell of heaps, number: 1..7": 4,
    'heap: cell of heaps, number: 1..7 "As many as one likes"': 4,
    "heap: cell of heaps, number: 1..6": 0,
    "heap: cell of heaps, number: 1..7, hand: 1..2": 0,
    "number: 1..7, heap: cell of heaps": 0,
}


@pytest.mark.parametrize("asked", ASKED)
def test_examples_go_with_the_parameters_that_they_name(asked: str, tmp_path: Path) -> None:
    path = tmp_path / "house.rules"
    action = f'change action take "Take" ({asked}) {{\n{ENOUGH}  move number of heaps[heap] to taken\n  taker = player after player\n}}\n'
    path.write_text(f'edition house of nim "House"\n{action}', "utf-8")
    layers = Library().layers(str(path)).value
    assert layers
    merged = Merged()
    for layer in layers:
        apply_layer(merged, layer.document.declarations, layer.name)
    [kept] = [e for e in merged.examples if e.name.name == "take.enough"] or [None]
    assert len(kept.outcomes if kept else ()) == ASKED[asked]
