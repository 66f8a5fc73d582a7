"""Which places of a position an illegal action changed, so that later findings can be told to follow from it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pwtool.ir.model import ParameterModel
from pwtool.play.game import Game
from pwtool.play.state import State

Read = tuple[Any, ...]


class Taint:
    """Places are named as the interpreter names what it reads: `("zone", z, i)`, `("cell", z, i, cell)`,
    `("token", n)`, `("var", n)`;
    a card of a bag is `("face", z, i, face)`."""

    def __init__(self, game: Game) -> None:
        self._places: set[Read] = set()
        self._turn_variables = {("var", v.number) for v in game.variable_list if v.per == "turn"}

    def begin_turn(self) -> None:
        """The variables of a turn start afresh."""
        self._places -= self._turn_variables

    @property
    def marked(self) -> bool:
        """Whether an illegal action changed anything that lasts."""
        return bool(self._places - self._turn_variables)

    def explains(self, reads: set[Read]) -> bool:
        """Whether one of these places was changed by an illegal action."""
        return not self._places.isdisjoint(reads)

    def mark_changes(self, before: State, after: State) -> None:
        """Remember everything in which two positions differ."""
        for number, (old_zones, new_zones) in enumerate(zip(before.zones, after.zones, strict=True)):
            for at, (old, new) in enumerate(zip(old_zones, new_zones, strict=True)):
                if old == new:
                    continue
                self._places.add(("zone", number, at))
                if isinstance(new, dict):
                    changed = {c for c in (*old, *new) if old.get(c) != new.get(c)}
                    self._places |= {("cell", number, at, cell) for cell in changed}
                else:
                    difference = Counter(new)
                    difference.subtract(Counter(old))
                    self._places |= {("face", number, at, face) for face, count in difference.items() if count}
        for number, (old_token, new_token) in enumerate(zip(before.tokens, after.tokens, strict=True)):
            if old_token != new_token:
                self._places.add(("token", number))
        for number, (old_value, new_value) in enumerate(zip(before.variables, after.variables, strict=True)):
            if old_value != new_value:
                self._places.add(("var", number))

    def zone_reads(self, parameter: ParameterModel, state: State, what: Any) -> set[Read]:
        """What the verdict "not there" was read from."""
        if parameter.kind == "tops":
            return {("zone", parameter.zone, what[0] - 1)}
        return {("face", parameter.zone, state.player, what)}
