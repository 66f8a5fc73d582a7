"""An error at one place of a record or position."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from pwtool.play import facts

if TYPE_CHECKING:
    from pwtool.play.play import Play
    from pwtool.play.state import State

Path = tuple[str | int, ...]


class Finding(Struct):
    """One finding of a replay or of the check of a position.

    `path` leads to the value in the record; `rule` is the id of the broken rule; `turn` counts from 1; `player` is the
    seat of the actor. `play` is the game before the finding, `state` its position; `follows` says that an earlier
    finding explains this one.
    """

    code: str
    path: Path
    rule: str | None
    fact: facts.Fact
    turn: int | None = None
    player: int | None = None
    play: Play | None = None
    state: State | None = None
    follows: bool = False

    @property
    def undetermined(self) -> bool:
        return self.code in ("PW611", "PW617")

    @property
    def place(self) -> Path:
        """The action, turn or part of the record that the finding is about."""
        return self.path[:4] if self.path[2:3] == ("actions",) else self.path[:2]
