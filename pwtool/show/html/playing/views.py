"""A recorded game as used by the template of its page."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup
from msgspec import Struct, field

from pwtool.show.html.playing.pictures import Inked


class Note(Struct):
    """A remark or a finding at a moment: `step` is its number; `lines` have titles; `later`: whether it is a follow-up
    error; `unsure`: whether it is undetermined.
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
        """Whether something is wrong here that is not a follow-up error."""
        return not self.later and not self.unsure


class MoveView(Struct):
    """An entry of the list of moves."""

    step: int
    words: Inked
    mark: str = ""
    comment: str = ""
    notes: list[int] = field(default_factory=list)
    is_refused: bool = False


class TurnView(Struct):
    """A turn in the list of moves."""

    number: int
    heading: str
    moves: list[MoveView] = field(default_factory=list)
    comment: str = ""


class PlaceView(Struct):
    """A place that the script fills; a `layer` lies on the board of another."""

    number: int
    label: str
    kind: str
    title: str


class ZoneView(Struct):
    """All places of one title, shown together."""

    title: str
    places: list[PlaceView]

    @property
    def is_grid(self) -> bool:
        return any(place.kind == "grid" for place in self.places)

    @property
    def is_value(self) -> bool:
        return all(place.kind == "value" for place in self.places)


class GoalView(Struct):
    """An objective in play; `is_wide`: whether its picture takes the full width."""

    title: str
    picture: Markup
    is_wide: bool
    zones: list[ZoneView]
    seats: list[tuple[int, str]]


class SeatView(Struct):
    """A player with their places."""

    name: str
    zones: list[ZoneView]


class GameView(Struct):
    """A game on a page. `hidden`: whether some things are not visible to all, so that each seat has its own view."""

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
        """Whether one sentence is all that is reported."""
        return not any(note.lines for note in self.notes)

    @property
    def reported(self) -> list[tuple[int, Note]]:
        """The findings that are not follow-up errors, with their numbers."""
        return [(number, note) for number, note in enumerate(self.notes) if not note.later]
