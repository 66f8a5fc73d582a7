"""Comparing a changed objective with the original on all boards: proven equal, or a smallest board that distinguishes
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pwtool.boards.diagrams import TooLarge
from pwtool.boards.proofs import Analysis
from pwtool.boards.symbols import Unsupported
from pwtool.eval.values import Grid
from pwtool.ir.model import ObjectiveModel
from pwtool.play.game import Game

# Of one objective: after so many changes that are too much to decide the next ones are not tried.
MAX_TRIED = 2


@dataclass(frozen=True, slots=True)
class Difference:
    """What an objective and a change of it come to: whether they are proven to be fulfilled by the `same` boards; else
    a board that tells them apart and what the original says of it, if an example can show one (not an empty board).
    """

    same: bool
    grid: Grid | None = None
    holds: bool = False


class Exact:
    """Changes of the objectives of one ruleset, all over the same boards."""

    def __init__(self, game: Game, changes: Sequence[tuple[str, ObjectiveModel]]) -> None:
        """`changes` are names of objectives, each with the objective as it would be."""
        self.analysis: Analysis | None = None
        self.tried: dict[str, int] = {}
        originals = game.ruleset.objectives
        objectives = {name: originals[name] for name, _ in changes}
        self.names = [f"{name}__{number}" for number, (name, _) in enumerate(changes)]
        objectives |= {other: changed for other, (_, changed) in zip(self.names, changes, strict=True)}
        try:
            self.analysis = Analysis(game, objectives, patient=False)
        except Unsupported:
            # There is no grid that could be gone through.
            return

    def difference(self, number: int, name: str) -> Difference | None:
        """What change number `number`, one of the objective `name`, comes to; None where that is not decided."""
        analysis, other = self.analysis, self.names[number]
        if analysis is None or not {name, other} <= analysis.roots.keys() or self.tried.get(name, 0) >= MAX_TRIED:
            return None
        try:
            boards = [
                (analysis.smallest({name: holds, other: not holds}, filled=True), holds) for holds in (True, False)
            ]
            found = [(analysis.space.cards(board), board, holds) for board, holds in boards if board is not None]
            if found:
                _, board, holds = min(found, key=lambda one: one[0])
                return Difference(False, analysis.space.grid(board), holds)
            empty = any(analysis.exists({name: holds, other: not holds}) for holds in (True, False))
            return Difference(not empty)
        except TooLarge:
            self.tried[name] = self.tried.get(name, 0) + 1
            return None
