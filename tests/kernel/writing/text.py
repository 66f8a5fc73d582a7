"""Pieces of written expressions, and what is known where one stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pwtool.ir.model import ZoneModel

NUMBER = "number"


class NoWayError(Exception):
    """Nothing of this kind can be written here."""


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of an expression of one kind, made of words and smaller pieces."""

    kind: str
    parts: tuple[str | Text, ...]

    def __str__(self) -> str:
        return "".join(map(str, self.parts))

    def pieces(self) -> Iterator[Text]:
        """This piece and all inside of it."""
        yield self
        for part in self.parts:
            if isinstance(part, Text):
                yield from part.pieces()


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition: the kinds of its parameters and what it stands for."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    body: Text
    has_player: bool

    def __str__(self) -> str:
        names = ", ".join(name for name, _ in self.parameters)
        return f"define {self.name}{f'({names})' if names else ''} = {self.body}"


@dataclass(frozen=True, slots=True)
class Local:
    """A name that stands for something here; numbers with their bounds."""

    name: str
    kind: str
    low: int = -999
    high: int = 999
    placed: str = ""
    """The component of a card that is known by its cell of a grid."""


@dataclass(frozen=True, slots=True)
class Matched:
    """The cells that a shape matched: how many there are (None: it differs), and the names of some."""

    component: str
    size: int | None
    names: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """What is known where an expression stands."""

    has_player: bool = True
    in_objective: bool = False
    in_ranking: bool = False
    locals: tuple[Local, ...] = ()
    each: tuple[tuple[str, str], ...] = ()
    keys: tuple[tuple[str, tuple[str, ...]], ...] = ()
    board: ZoneModel | None = None
    matched: Matched | None = None
    subject: str = ""


def holds(zone: ZoneModel) -> str:
    """The kind of what a zone holds."""
    return NUMBER if zone.element.kind == "int" else f"face:{zone.element.component}"
