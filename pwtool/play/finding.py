"""What the engine finds: a place in a record, a rule, the values that decided."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pwtool.play.state import State

Path = tuple[str | int, ...]


@dataclass(slots=True)
class Finding:
    """One finding of a replay or of the check of a position.

    `path` leads to the value in the record; `turn` counts from 1; `values` are the parts of the condition with
    what they were; `player` is who acted, `owner` whose turn it was;
    `state` is the position before the action; `reads` is what the verdict was read from; `follows` that an earlier
    finding explains it.
    """

    code: str
    message: str
    path: Path
    rule: str | None = None
    turn: int | None = None
    player: int | None = None
    owner: int = 0
    values: tuple[tuple[str, str], ...] = ()
    sentence: str | None = None
    notes: tuple[str, ...] = ()
    help: str | None = None
    state: State | None = None
    places: frozenset[int] = frozenset()
    reads: set[tuple[Any, ...]] = field(default_factory=set)
    follows: bool = False

    @property
    def undetermined(self) -> bool:
        return self.code == "PW611"
