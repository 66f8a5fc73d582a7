"""A checked ruleset in words: what a change of the checker does to the shipped games is seen in these files.

python -m pwtool.rules.show chess > tests/golden/programs/chess.txt
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.rules.show import Shower

PROGRAMS = Path(__file__).resolve().parents[1] / "golden" / "programs"
GAMES = ["tic_tac_toe", "kuhn_poker", "othello", "chess", "paper_world/en", "pierre_papier_morpion/fr"]
LIBRARY = Library()


@pytest.mark.parametrize("address", GAMES)
def test_the_program_of_a_shipped_game(address: str) -> None:
    ruleset = load_ruleset(address, LIBRARY).value
    assert ruleset is not None
    kept = PROGRAMS / f"{address.replace('/', '_')}.txt"
    assert "\n".join(Shower(ruleset).lines()) + "\n" == kept.read_text("utf-8")


def test_every_shipped_ruleset_is_shown() -> None:
    for address in (
        a for game in LIBRARY.games() for a in (game, *(f"{game}/{e}" for e in LIBRARY.overlays(game)["edition"]))
    ):
        ruleset = load_ruleset(address, LIBRARY).value
        if ruleset is not None:
            lines = list(Shower(ruleset).lines())
            assert all(line == line.rstrip() and "\n" not in line for line in lines)
            assert all(any(action in line for line in lines) for action in ruleset.actions)


def test_it_is_a_command() -> None:
    run = [sys.executable, "-m", "pwtool.rules.show"]
    done = subprocess.run([*run, "tic_tac_toe"], capture_output=True, text=True, check=True)
    assert done.stdout == (PROGRAMS / "tic_tac_toe.txt").read_text("utf-8")
    for words in (["nowhere"], []):
        failed = subprocess.run([*run, *words], capture_output=True, text=True, check=False)
        assert failed.returncode == 1 and failed.stderr.strip() and not failed.stdout
