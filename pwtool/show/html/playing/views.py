"""A recorded game as the template of its page reads it."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup
from msgspec import Struct, field

from pwtool.show.html.playing.pictures import Inked


class Note(Struct):
    """Something that is wrong or worth saying at a moment: `step` is its number; `lines` are titled; `later`: it follows from
    an earlier one; `unsure`: nobody knows.
    """

    step: int
    text: str
    where: str = ""
    rule: str = ""
    lines: Sequence[tuple[str, Sequence[str]]] = ()
    later: bool = False
    unsure: bool = False

    @property
    def is_refusal(self) -> bool:
        """Whether something is wrong here, and not for what came before."""
        return not self.later and not self.unsure


class MoveView(Struct):
    """A line of the list of moves."""

    step: int
    words: Inked
    mark: str = ""
    comment: str = ""
    notes: list[int] = field(default_factory=list)
    is_refused: bool = False


class TurnView(Struct):
    """A turn of the list of moves."""

    number: int
    heading: str
    moves: list[MoveView] = field(default_factory=list)
    comment: str = ""


class PlaceView(Struct):
    """A place that the script fills."""

    number: int
    label: str
    kind: str


class ZoneView(Struct):
    """All places of one title that stand together."""

    title: str
    places: list[PlaceView]

    @property
    def is_grid(self) -> bool:
        return any(place.kind == "grid" for place in self.places)

    @property
    def is_value(self) -> bool:
        return all(place.kind == "value" for place in self.places)


class GoalView(Struct):
    """An objective in play; `is_wide`: its picture takes the whole width."""

    title: str
    picture: Markup
    is_wide: bool
    zones: list[ZoneView]
    seats: list[tuple[int, str]]


class SeatView(Struct):
    """A player with what is theirs."""

    name: str
    zones: list[ZoneView]


class GameView(Struct):
    """A game on a page. `hidden`: some of it is not seen by all, so that each seat has a view of its own."""

    title: str
    names: list[str]
    seats: list[SeatView]
    shared: list[ZoneView]
    goals: list[GoalView]
    turns: list[TurnView]
    notes: list[Note]
    score: list[tuple[str, list[str]]]
    ranking: str
    steps: int
    left_out: int
    hidden: bool
    comment: str
    data: Markup
    parts: Markup
    printed: list[tuple[str, list[Note], Markup]]
    tokens: list[tuple[str, str]]
    curve: bool

    @property
    def is_brief(self) -> bool:
        """Whether a sentence is all that is said of what is wrong."""
        return not any(note.lines for note in self.notes)

    @property
    def reported(self) -> list[tuple[int, Note]]:
        """The findings that follow from no other, with their numbers."""
        return [(number, note) for number, note in enumerate(self.notes) if not note.later]
