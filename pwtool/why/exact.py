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

# For one objective: after this many changes that are too expensive to decide, the next ones are not tried.
MAX_TRIED = 2


@dataclass(frozen=True, slots=True)
class Difference:
    """The effect of a change to an objective: whether both are proven to be fulfilled by the `same` boards; otherwise a board that
    distinguishes them and the original's verdict on it, if an example can show one (not an empty board).
    """

    same: bool
    grid: Grid | None = None
    holds: bool = False


class Exact:
    """Changes to the objectives of one ruleset, all over the same boards."""

    def __init__(self, game: Game, changes: Sequence[tuple[str, ObjectiveModel]]) -> None:
        """`changes` are names of objectives, each with the changed objective."""
        self.analysis: Analysis | None = None
        self.tried: dict[str, int] = {}
        originals = game.ruleset.objectives
        objectives = {name: originals[name] for name, _ in changes}
        self.names = [f"{name}__{number}" for number, (name, _) in enumerate(changes)]
        objectives |= {other: changed for other, (_, changed) in zip(self.names, changes, strict=True)}
        try:
            self.analysis = Analysis(game, objectives, patient=False)
        except Unsupported:
            # There is no grid whose boards could be enumerated.
            return

    def difference(self, number: int, name: str) -> Difference | None:
        """The effect of change number `number`, to the objective `name`; None if that is undecided."""
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
