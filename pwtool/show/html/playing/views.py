"""A recorded game as used by the template of its page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from markupsafe import Markup
from msgspec import Struct, field

from pwtool.show.html.playing.pictures import Inked

MOST_IN_COLUMN = 32
"""The most letters of a move in a list of two columns."""


class Note(Struct):
    """A remark or a finding at a moment: `step` is its number; `lines` have titles; `later`: whether it is a follow-up
    error; `unsure`: whether it is undetermined; `head`: what stands before the text, if not that something is refused.
    """

    step: int
    text: str
    where: str = ""
    rule: str = ""
    lines: Sequence[tuple[str, Sequence[str]]] = ()
    later: bool = False
    unsure: bool = False
    head: str = ""

    @property
    def kind(self) -> str:
        """`refused`, `unsure` (undetermined), or `later` (a follow-up error)."""
        return "later" if self.later else "unsure" if self.unsure else "refused"


class MoveView(Struct):
    """An entry of the list of moves, with what is wrong with it."""

    step: int
    words: Inked
    mark: str = ""
    comment: str = ""
    notes: list[Note] = field(default_factory=list)


class TurnView(Struct):
    """A turn in the list of moves; `label` is its number as players write it, `seat` whose turn it is (-1: nobody's)."""

    number: int
    heading: str
    label: str
    seat: int
    moves: list[MoveView] = field(default_factory=list)
    comment: str = ""


class PlaceView(Struct):
    """A place that the script fills; a `layer` lies on or beside the board of another."""

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


class Figure(Struct):
    """A drawn position for paper, with what is wrong in it."""

    caption: str
    notes: list[Note]
    drawing: Markup


class GameView(Struct):
    """A game on a page. `hidden`: whether some things are not visible to all, so that each seat has its own view;
    `flips`: whether a board can be turned; `curve`: whether scores are worth a chart; `has_points`: whether one may
    play for points.
    """

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
    printed: list[Figure]
    tokens: list[tuple[str, str]]
    curve: bool
    flips: bool
    has_points: bool
    kernel: str = ""
    """The name of the kernel by which the game can be played on, "" if it cannot."""
    is_new: bool = False
    """Whether the page is there to play on, from the start."""
    is_hosted: bool = False
    """Whether it tells a page around it what is played."""

    @property
    def has_board(self) -> bool:
        """Whether all play on one board, which then comes first."""
        of_seats = [view for seat in self.seats for view in seat.zones]
        grids = [place for view in [*self.shared, *of_seats] for place in view.places if place.kind == "grid"]
        return len(grids) == 1 and bool(self.shared) and self.shared[0].is_grid

    @property
    def is_sheet(self) -> bool:
        """Whether moves are listed in two columns: two players take turns, and nearly all their moves are short."""
        seats = [turn.seat for turn in self.turns]
        said = ["".join(text for text, *_ in move.words) for turn in self.turns for move in turn.moves]
        takes_turns = set(seats) <= {0, 1} and all(a != b for a, b in pairwise(seats))
        long = sum(len(words) > MOST_IN_COLUMN for words in said)
        return len(self.names) == 2 and takes_turns and long * 20 <= len(said)

    @property
    def is_brief(self) -> bool:
        """Whether one sentence is all that is reported."""
        return not any(note.lines for note in self.notes)
