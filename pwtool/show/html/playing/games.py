"""A recorded game for its page: the visible parts as text, and the positions as data for the script."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from pwtool.eval.kleene import is_unknown
from pwtool.eval.values import UNSEEN, Cell
from pwtool.eval.work import MAX_TOLD_WORK, TooMuchWork
from pwtool.ir.model import ActionModel
from pwtool.lang import tree as n
from pwtool.play.game import Game
from pwtool.play.record import EVERYBODY, Move, Record
from pwtool.play.score import Result, score_game
from pwtool.play.state import State
from pwtool.show.html.playing.branching import branching_data, can_go_on, share_kernel
from pwtool.show.html.playing.legal import MOST_COUNTED, Box, legal_now
from pwtool.show.html.playing.pictures import Pictures
from pwtool.show.html.playing.table import Table
from pwtool.show.html.playing.views import (
    Annotations,
    Figure,
    GoalView,
    MoveView,
    Note,
    PlaceView,
    SeatView,
    TurnView,
    ZoneView,
)
from pwtool.show.html.playing.watching import ACTION, CONSEQUENCE, END, TURN_END, Moment, Watched
from pwtool.show.svg.boards import Positions
from pwtool.show.svg.patterns import Patterns
from pwtool.show.svg.places import Place, letter
from pwtool.show.svg.sharing import share_parts
from pwtool.show.svg.writer import NOTHING, pad, to_svg
from pwtool.text.terminal import dump_json, escape
from pwtool.why.describe import face_code
from pwtool.why.drawing import seen_by
from pwtool.why.marks import NO_MARKS, marks_of
from pwtool.why.moves import Moves, as_text, hidden_parameters
from pwtool.why.names import MoveNames
from pwtool.why.voice import Voice, raised

MOST_MOMENTS = 1500
"""For longer games only this many of the last positions are shown."""
MOST_LEGAL = 600
"""Games with more positions do not list the legal actions."""
MOST_PRINTED = 4
MOST_IN_COLUMN = 32
"""The most letters of a move in a list of two columns."""
MOST_OF_RESULT = 2
"""A score with no more than so many points above the lowest says who has won, or that nobody has."""

SAID = (
    "move_of", "at_end", "since", "not_fulfilled", "from_start", "play_button", "pause_button", "empty_place", "ways",
    "and_others", "nothing_legal", "unseen_thing", "copied", "yes", "no", "choose", "no_branch", "after_refused", "colon", "stuck",
)  # fmt: skip


class GameView:
    """A watched game on a page, shown from the first finding on. `notes` name the moments that they are about; `goes_on`: the page
    can play on from any position, by the `kernel` of this name ("" if it cannot); `hidden`: whether some things are not visible to
    all, so that each seat has its own view; `has_points`: whether one may play for points.
    """

    is_new = False
    """Whether the page is there to play on, from the start."""
    is_hosted = False
    """Whether it tells a page around it what is played."""

    def __init__(
        self,
        watched: Watched,
        notes: Sequence[Note],
        pictures: Pictures,
        voice: Voice,
        annotations: Annotations | None = None,
        goes_on: bool = False,
    ) -> None:
        self.voice, self.annotations = voice, annotations or Annotations(None)
        self.watched, self.record, self.game = watched, watched.record, watched.book.game
        self.names = watched.record.players
        self.kernel = share_kernel(watched.book, pictures.kernels) if goes_on and can_go_on(watched.record) else ""
        self.left_out = max(0, len(watched.moments) - MOST_MOMENTS)
        self.moments = watched.moments[self.left_out :]
        self.notes = [_moved(note, self.left_out, len(self.moments)) for note in notes]
        self.moves = Moves(self.game, self.names, watched.replay.play.state.goals, voice)
        self.move_names = MoveNames(self.game, self.names, voice)
        self.table = Table(self.moves, pictures)
        self.pictures = pictures
        self.contents = [self.table.contents(moment.play.state) for moment in self.moments]
        self.boxes: dict[int, Box] = {}
        self.with_legal = len(self.moments) <= MOST_LEGAL
        sights = {zone.seen for zone in self.game.zone_list} | {v.seen for v in self.game.variable_list}
        self.hidden = bool(sights - {"all"}) and len(self.names) > 1
        self.has_points = any(s.value.type.high - s.value.type.low > MOST_OF_RESULT for s in self.game.ruleset.scores)
        described = self.table.described(self.contents, self._named_cells())
        kinds = [str(place["k"]) for place in described]
        self.seats = [SeatView(name, self._zones(kinds, owner=seat)) for seat, name in enumerate(self.names)]
        self.parts, self.printed = self._printed()
        self.shared = self._zones(kinds)
        self.goals = self._goals(kinds, self.moments[-1].play.state)
        self.turns = self._turns()
        self.score, self.ranking = self._result()
        self.scores = self._scores()
        self.tokens = [(letter(token), self.table.called(token)) for token in self.game.ruleset.tokens.values()]
        self.data = _as_data(self._data(described))

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

    @property
    def flips(self) -> bool:
        """Whether a board can be turned."""
        return any(p.zone is not None and p.is_grid and not p.zone.floating for p in self.table.places)

    @property
    def has_curve(self) -> bool:
        """Whether points are won in several steps: who has won is no curve."""
        known = {total for totals in self.scores for total in totals if total is not None}
        return len(known) > 2 and len({tuple(totals) for totals in self.scores}) > 2

    # ---- visible parts of the page

    def _zones(self, kinds: Sequence[str], owner: int = -1, goal: int = -1) -> list[ZoneView]:
        """The places of a seat, of an objective, or shared ones, grouped by title: grids first, values last."""
        found: dict[tuple[str, int], ZoneView] = {}
        for number, place in enumerate(self.table.places):
            host = self.table.host(place)
            home = place if host is None else self.table.places[host]
            if (home.owner, home.goal) == (owner, goal):
                key = (home.title, -1 if home.zone is None else home.zone.number)
                title = place.title if place.owner == owner else f"{place.title}, {self.names[place.owner]}"
                view = PlaceView(number, place.label, kinds[number] if host is None else "layer", title)
                found.setdefault(key, ZoneView(place.title, [])).places.append(view)
        return sorted(found.values(), key=lambda zone: (zone.is_value, not zone.is_grid))

    def _goals(self, kinds: Sequence[str], state: State) -> list[GoalView]:
        ruleset = self.game.ruleset
        board = ruleset.board
        own = board is not None and bool(board.dimensions) and board.dimensions[0][0] == "player"
        seats = [(seat, name) for seat, name in enumerate(self.names)] if own else [(0, "")]
        patterns = Patterns(ruleset, self.voice.language)
        found = []
        for number, name in enumerate(state.goals):
            title = self.moves.goal(name)
            drawing = pad(patterns.objective(name), 2) if name in ruleset.objectives else NOTHING
            picture = (
                Markup(to_svg(drawing, self._alt(patterns, name, title), inline=True)) if drawing.width else Markup()
            )
            found.append(
                GoalView(
                    title,
                    picture,
                    drawing.width > 2 * drawing.height,
                    self._zones(kinds, goal=number),
                    seats if board is not None else [],
                )
            )
        return found

    def _alt(self, patterns: Patterns, name: str, title: str) -> str:
        """The alternative text for a picture of an objective."""
        node = self.game.ruleset.merged.items.get(("objective", name))
        said = patterns.sayings.words(node.condition) if isinstance(node, n.Objective) else None
        return title if said is None else f"{title}. {said}."

    def _heading(self, turn: int) -> str:
        seat = self.record.turns[turn].player if turn < len(self.record.turns) else None
        number = self.move_names.number(self.record.first + turn, seat)
        if number is not None and seat is not None:
            return f"{number} {self.names[seat]}"
        return raised(self.move_names.place(self.record.first + turn, seat))

    def _turn(self, turn: int) -> TurnView:
        seat = self.record.turns[turn].player if turn < len(self.record.turns) else EVERYBODY
        number = self.record.first + turn
        return TurnView(self._heading(turn), self.move_names.number(number, seat) or f"{number}.", seat)

    def _turns(self) -> list[TurnView]:
        found: dict[int, TurnView] = {}
        about: dict[int, list[Note]] = {}
        for note in self.notes:
            about.setdefault(note.step, []).append(note)
        for step, moment in enumerate(self.moments):
            if moment.kind == END:
                continue
            turn = found.get(moment.turn)
            if turn is None:
                turn = found[moment.turn] = self._turn(moment.turn)
            turn.comment = turn.comment or self.annotations.turn(moment.path)
            mark, comment = self.annotations.action(moment.path)
            words = self.pictures.words(self.game.ruleset, self._words(moment), self.voice)
            turn.moves.append(MoveView(step, words, mark, comment, about.get(step, [])))
        return list(found.values())

    def _words(self, moment: Moment, hidden: frozenset[str] = frozenset()) -> Any:
        if moment.model is None:
            return (self.voice.caption("end_of_turn" if self.game.ruleset.cycle == "turn" else "end_of_round"),)
        name = self.move_names.here(moment.play.state, moment.actor)(moment.model, moment.arguments)
        words = self.moves.words(moment.model, moment.arguments, hidden) if name is None or hidden else (name,)
        if len(words) > 1 and len(self.game.ruleset.actions) == 1:
            # Where there is but one action, everybody knows which it is.
            words = words[1:]
        own = moment.turn < len(self.record.turns) and moment.actor in (
            self.record.turns[moment.turn].player,
            EVERYBODY,
        )
        who = () if own or moment.actor == EVERYBODY else (self.names[moment.actor],)
        return (*(self.voice.caption("move_told", name) for name in who), *words)

    def _result(self) -> tuple[list[tuple[str, list[str]]], str]:
        """The score lines with the points of each seat, and the ranking in words."""
        result = self.watched.replay.result
        if result is None:
            return [], ""
        text, seats = self.game.ruleset.text, range(len(self.names))
        # A line that gives nobody anything, such as the winner's after a draw, tells what did not happen.
        lines = [
            (
                raised(text(("score", line.name), line.text or line.name, self.voice.language)),
                [str(result.parts[p][line.name]) for p in seats],
            )
            for line in self.game.ruleset.scores
            if any(result.parts[p][line.name] != 0 for p in seats)
        ]
        if len(self.game.ruleset.scores) > 1:
            lines.append((self.voice.caption("total"), [str(result.totals[p]) for p in seats]))
        ranking = " > ".join(" = ".join(self.names[p] for p in group) for group in result.ranking or ())
        return lines, ranking

    def _printed(self) -> tuple[Markup, list[Figure]]:
        """Drawings of the first position, those with findings and the last one, for printing and for browsers without scripts."""
        wrong = list(dict.fromkeys(note.step for note in self.notes if not note.later))[:MOST_PRINTED]
        positions = Positions(self.moves)
        figures = []
        for step in sorted({0, *wrong, len(self.moments) - 1}):
            moment = self.moments[step]
            is_start = step == 0 and step not in wrong and moment.kind != END
            marks = NO_MARKS if is_start else marks_of(self.game, moment.play.state, *_moves_of(self.record, moment))
            if is_start or moment.kind == END:
                caption = self.voice.caption("at_start" if is_start else "at_end")
            else:
                caption = self.voice.headed(self._heading(moment.turn), as_text(self._words(moment)))
            drawing = pad(positions.draw(moment.play.state, marks), 8)
            notes = [note for note in self.notes if note.step == step and not note.later]
            figures.append(Figure(caption, notes, Markup(to_svg(drawing, caption, inline=True))))
        parts, drawn = share_parts([figure.drawing for figure in figures], self.pictures.prefix())
        for figure, text in zip(figures, drawn, strict=True):
            figure.drawing = Markup(text)
        return Markup(parts), figures

    # ---- data for the script

    def _data(self, described: list[dict[str, Any]]) -> dict[str, Any]:
        start = self.table.start(self.contents[0])
        self.boxes = {number: place["x"] for number, place in enumerate(described) if "x" in place}
        steps = [self._step(number) for number in range(len(self.moments))]
        return {
            "names": self.names,
            "tokens": dict(self.tokens),
            "begin": next((note.step for note in self.notes if not note.later), 0),
            "codes": self._codes(),
            "owners": self.table.owners(),
            "say": {key: self.voice.caption(key) for key in SAID}
            | {"many_ways": self.voice.caption("many_ways", MOST_COUNTED)}
            | {"end_turn": self.voice.caption(f"end_the_{self.game.ruleset.cycle}")},
            "places": described,
            "start": start,
            "steps": steps,
            "refused": sorted({note.step for note in self.notes if note.kind == "refused"}),
            "scores": self.scores,
            "points": self.has_points,
            **self._guessed(),
            "goals": self._fulfilled(),
            **({"branch": branching_data(self.watched, self.table, self.moments, self.kernel)} if self.kernel else {}),
        }

    def _codes(self) -> dict[int, str]:
        """What stands for each picture in a position as text."""
        found = {}
        for place in self.table.places:
            zone = place.zone
            if zone is None:
                continue
            seen: set[Any] = set()
            for moment in self.moments:
                content = moment.play.state.zones[zone.number][place.index]
                seen.update(
                    item for pile in content.values() for item in pile[-1:]
                ) if zone.kind == "grid" else seen.update(content)
            for item in seen:
                code = face_code(self.game, zone.element.component, item) if zone.element.kind == "face" else str(item)
                found[self.table.picture(zone, item)] = code
        return found

    def _step(self, number: int) -> dict[str, Any]:
        moment = self.moments[number]
        step: dict[str, Any] = {"t": self.record.first + moment.turn, "k": moment.kind}
        if moment.kind == END:
            return step | {"h": self.voice.caption("at_end"), **self._ended(moment)}
        if number == 0 or self.moments[number - 1].turn != moment.turn:
            step["h"] = self._heading(moment.turn)
        if moment.actor != EVERYBODY:
            step["a"] = moment.actor
        changes = self.table.changes(self.contents[number], self.contents[number + 1])
        if changes:
            step["c"] = changes
        step |= self._marks(moment, changes)
        if moment.kind in (ACTION, TURN_END) and self.with_legal:
            step["l"] = self._legal(moment)
        if self.hidden and moment.model is not None and moment.kind == ACTION:
            views = self._seen_otherwise(number, moment, moment.model)
            if views:
                step["v"] = views
        return step

    def _legal(self, moment: Moment) -> list[list[Any]]:
        title = self.voice.caption(f"end_the_{self.game.ruleset.cycle}")
        return legal_now(self.table, self.move_names, self.boxes, moment.play, title)

    def _ended(self, moment: Moment) -> dict[str, Any]:
        """The text for the last position: who won, or what could be done if the record ends early."""
        if self.ranking:
            return {"e": escape(self.voice.caption("cond_told", self.voice.caption("ranking"), self.ranking))}
        if moment.play.over:
            return {}
        ended: dict[str, Any] = {"e": self.voice.caption("record_ends")}
        if moment.play.owner != EVERYBODY:
            ended["a"] = moment.play.owner
        if self.with_legal:
            ended["l"] = self._legal(moment)
        return ended

    def _marks(self, moment: Moment, changes: Sequence[Sequence[Any]]) -> dict[str, Any]:
        """What a move names without moving it: cells, things, and the place where a refused thing would lie."""
        moves = _moves_of(self.record, moment)
        if not moves:
            return {}
        marks = marks_of(self.game, moment.play.state, *moves)
        changed = {change[0] for change in changes}
        cells: list[list[Any]] = []
        things: list[list[int]] = []
        for zone, index, (x, y) in sorted(marks.cells):
            place = self.table.find(zone, index)
            if place is not None and place not in changed and self._is_cell(self.table.places[place], (x, y)):
                cells.append([place, f"{x},{y}"])
        for zone, index, face in sorted(marks.things):
            place = self.table.find(zone, index)
            if place is not None and place not in changed:
                things.append([place, self.table.picture(self.game.zone_list[zone], face)])
        found: dict[str, Any] = {}
        if cells:
            found["m"] = cells
        if things:
            found["n"] = things
        ghost = self._ghost(moment, cells)
        return found | ({"g": ghost} if ghost is not None and not changes else {})

    @staticmethod
    def _is_cell(place: Place, cell: Cell) -> bool:
        return place.zone is not None and place.zone.grid.has(cell)

    def _ghost(self, moment: Moment, cells: Sequence[Sequence[Any]]) -> int | None:
        """The picture of the thing that an action would have placed on the cell that it names."""
        if moment.model is None or len(cells) != 1 or moment.kind != ACTION:
            return None
        for parameter, argument in zip(moment.model.parameters, moment.arguments, strict=True):
            if (
                parameter.kind == "element"
                and parameter.type.kind == "face"
                and isinstance(argument, int)
                and argument != UNSEEN
            ):
                return self.pictures.face(self.game.ruleset, parameter.type.component, argument, self.voice)
        return None

    def _seen_otherwise(self, number: int, moment: Moment, model: ActionModel) -> dict[int, str]:
        """A move as seen by players who do not see everything it names."""
        found = {}
        for seat in range(len(self.names)):
            if seat == moment.actor:
                continue
            gained = self._gained(number, seat)
            hidden = hidden_parameters(self.game, model, moment.arguments, moment.actor == seat, gained)
            if hidden:
                found[seat] = escape(as_text(self._words(moment, hidden)))
        return found

    def _gained(self, number: int, seat: int) -> set[tuple[str, int]]:
        """The things that a move places where a seat can see them."""
        before, after = self.moments[number].play.state, self.moments[number + 1].play.state
        found: set[tuple[str, int]] = set()
        for place in self.table.places:
            zone = place.zone
            if (
                zone is None
                or zone.element.kind != "face"
                or not (zone.seen == "all" or (zone.seen == "owner" and place.owner == seat))
            ):
                continue
            old, new = before.zones[zone.number][place.index], after.zones[zone.number][place.index]
            if old != new:
                faces = [f for pile in new.values() for f in pile] if isinstance(new, dict) else new
                found |= {(zone.element.component, face) for face in faces}
        return found

    def _named_cells(self) -> list[tuple[int, Cell]]:
        """The cells that moves name, including those that stayed empty."""
        found = []
        for moment in self.moments:
            for zone, index, cell in marks_of(self.game, moment.play.state, *_moves_of(self.record, moment)).cells:
                place = self.table.find(zone, index)
                if place is not None:
                    found.append((place, cell))
        return found

    def _scores(self, viewer: int | None = None) -> list[list[int | None]]:
        """The totals of each seat at every moment, as far as a `viewer` (if given) can tell; none before the end if they only
        say who has won.
        """
        if not self.has_points:
            last = self.moments[-1]
            return [[] for _ in self.moments[1:]] + [_totals(self.game, last, viewer) if last.play.over else []]
        known: list[list[int | None]] = []
        for before, moment in zip([None, *self.moments], self.moments, strict=False):
            if before is not None and before.turn == moment.turn and moment.kind not in (CONSEQUENCE, END) and known:
                known.append(known[-1])
                continue
            known.append(_totals(self.game, moment, viewer))
        return known

    def _guessed(self) -> dict[str, Any]:
        """What each seat can tell of the scores, if that is not everything."""
        if not self.hidden:
            return {}
        told = [self._scores(seat) for seat in range(len(self.names))]
        return {"told": told} if any(known != self.scores for known in told) else {}

    def _fulfilled(self) -> list[list[list[list[int]]]]:
        """For each objective and each seat with a board, the moments from which it is or is not fulfilled."""
        board = self.game.ruleset.board
        if board is None:
            return []
        found = []
        for name in self.moments[-1].play.state.goals:
            if name not in self.game.ruleset.objectives:
                continue
            holds = self.game.interpreter.objective(name)
            boards = range(len(self.moments[0].play.state.zones[board.number]))
            found.append([self._since(holds, board.number, index) for index in boards])
        return found

    def _since(self, holds: Any, board: int, index: int) -> list[list[int]]:
        found: list[list[int]] = []
        grid, verdict = None, False
        for number, moment in enumerate(self.moments):
            state = moment.play.state
            new = state.zones[board][index]
            if new != grid:
                grid = new
                try:
                    with self.game.work.limited(MAX_TOLD_WORK):
                        said = holds(state, new)
                except TooMuchWork:
                    said = False
                now = not is_unknown(said) and bool(said)
                if now != verdict:
                    found.append([number, int(now)])
                    verdict = now
        return found


def _moved(note: Note, left_out: int, count: int) -> Note:
    note.step = min(max(0, note.step - left_out), count - 1)
    return note


def _moves_of(record: Record, moment: Moment) -> list[Move]:
    """A moment as moves that name cells and things."""
    if moment.move is not None and moment.kind != END:
        return [moment.move]
    if moment.kind == CONSEQUENCE and moment.model is not None:
        number = moment.play.game.consequence_numbers[moment.model.name]
        return [Move(number, moment.arguments, 0, moment.actor, True)]
    if moment.kind == TURN_END and moment.turn < len(record.turns):
        return [move for move in record.turns[moment.turn].moves if move.consequence]
    return []


def _totals(game: Game, moment: Moment, viewer: int | None) -> list[int | None]:
    state = moment.play.state
    if viewer is not None:
        state = seen_by(game, state, viewer)
        # Enumerating what the hidden ones could be is too expensive: bounds have to suffice.
        state.blurred = True
    try:
        with game.work.limited(MAX_TOLD_WORK):
            result: Result = score_game(game, state)
    except TooMuchWork:
        return [None] * moment.play.state.players
    return [None if is_unknown(total) else int(total) for total in result.totals]


def _as_data(data: Mapping[str, Any]) -> Markup:
    """Data for a script: JSON that cannot end the element or be read as markup."""
    text = dump_json(json.loads(json.dumps(data)))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)
