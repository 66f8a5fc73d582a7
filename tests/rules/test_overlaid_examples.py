"""Which examples of an action's rules an overlay keeps that changes the action."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.lang.merged import Merged
from pwtool.rules.library import Layer, Library
from pwtool.rules.overlays import apply_layer

ROOT = Path(__file__).resolve().parents[2]
ENOUGH = '  rule enough "So many sticks lie there" see taking require number <= count heaps[heap]\n'
ASKED = {
    "heap: cell of heaps, number: 1..7": 4,
    'heap: cell of heaps, number: 1..7 "As many as one likes"': 4,
    "heap: cell of heaps, number: 1..6": 0,
    "heap: cell of heaps, number: 1..7, hand: 1..2": 0,
    "number: 1..7, heap: cell of heaps": 0,
}


def _layers(path: Path) -> list[Layer]:
    layers = Library().layers(str(path)).value
    assert layers
    return layers


@pytest.mark.parametrize("asked", ASKED)
def test_examples_go_with_the_parameters_that_they_name(asked: str, tmp_path: Path) -> None:
    path = tmp_path / "house.rules"
    action = f'change action take "Take" ({asked}) {{\n{ENOUGH}  move number of heaps[heap] to taken\n  taker = player after player\n}}\n'
    path.write_text(f'edition house of nim "House"\n{action}', "utf-8")
    merged = Merged()
    for layer in _layers(path):
        apply_layer(merged, layer.document.declarations, layer.name)
    [kept] = [e for e in merged.examples if e.name.name == "take.enough"] or [None]
    assert len(kept.outcomes if kept else ()) == ASKED[asked]


GAME = (ROOT / "rulesets" / "classics" / "nim" / "game.rules").read_text("utf-8")
OTHER = """
rule take.some "Somebody takes" require number > 0
objective take "Take" = some stick: height == 3
example take { given heaps = [ stick+stick ] yes take((0, 0), 2) no take((0, 0), 3) }
example take { yes [ stick+stick+stick ] }
example take.number { no take((2, 0), 8) }
"""
HEAD = 'change action take "Take" (heap: cell of heaps, number: 1..7'
BODY = """) {
  rule enough "So many sticks lie there" see taking require number <= count heaps[heap]
  %s
  move number of heaps[heap] to taken
  taker = player
}
"""
RULE = 'rule some "Somebody takes" require number > 0'
OWN = "example take { yes take((3, 0), 7) }\n"
KEPT = {
    "": "action objective number",
    "add effect to take taker = none when number == 7": "action objective number",
    'change rule take.some "Some" require number > 1': "objective number",
    "remove rule take.some": "objective number",
    'rule take.odd "Odd" require number != 2': "objective number",
    "change objective take = some stick: height == 2": "action number",
    HEAD + BODY % RULE.replace("> 0", ">= 1"): "objective number",
    HEAD + BODY % "": "objective number",
    HEAD + BODY % (RULE + "\n  taken_now = number"): "objective number",
    HEAD + ", hand: 1..2" + BODY % RULE: "objective",
    'remove action take\nchange turn = pass\naction pass "Pass" () { taker = none }': "objective",
    OWN + 'rule take.odd "Odd" require number != 2': "objective number own",
    'rule take.odd "Odd" require number != 2\n' + OWN: "objective number own",
}


@pytest.mark.parametrize("change", KEPT)
def test_examples_of_an_action_go_with_its_rules_and_parameters(change: str, tmp_path: Path) -> None:
    game, house = tmp_path / "game.rules", tmp_path / "house.rules"
    game.write_text(GAME + OTHER, "utf-8")
    house.write_text(f'edition house of nim "House"\n{change}\n', "utf-8")
    merged = Merged()
    for layer in (*_layers(game), _layers(house)[-1]):
        apply_layer(merged, layer.document.declarations, layer.name)
    assert not merged.diagnostics
    found = []
    for example in merged.examples:
        text = example.span.text
        if example.name.name == "take":
            found.append("objective" if "[ stick+stick+stick ]" in text else "own" if "7" in text else "action")
        elif example.name.name == "take.number":
            found.append("number")
    assert found == KEPT[change].split()
