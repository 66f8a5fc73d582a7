"""From the tree of a game in notation to the JSON form of its record, with the place of every value in the text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from pwtool.ir.grids import cells_of
from pwtool.ir.model import ActionModel, ParameterModel
from pwtool.ir.types import Type
from pwtool.play.game import Game
from pwtool.records.notation.headers import read_headers, read_recorded
from pwtool.records.notation.places import Notes, Path
from pwtool.records.notation.starts import StartReader
from pwtool.records.notation.tables import TableReader
from pwtool.records.notation.tree import Argument, Atom, Comment, Deed, Item, Joined, Notation, Reveal, Step, Turn
from pwtool.records.notation.words import Lexicon, Unclear, choose, short
from pwtool.records.words import MARKS
from pwtool.text import Diagnostic, Result
from pwtool.text.diagnostic import first_problems
from pwtool.text.source import Span
from pwtool.text.speech import Told

_PILE = re.compile(r"[1-9][0-9]{0,3}")


@dataclass(frozen=True, slots=True)
class ReadRecord:
    """The JSON form of a record, and the place of each of its values in the text."""

    data: dict[str, Any]
    locate: Callable[[Path], Span]


def read_notation(tree: Notation, game: Game) -> Result[ReadRecord]:
    """The record of a game in notation, read with a ruleset; no value if a word is unclear, a part is missing ..."""
    notes = Notes(tree.file)
    data = read_headers(tree, notes)
    read_recorded(data, list(game.ruleset.recordable), notes)
    names = data.get("players")
    if not names or len(set(names)) < len(names) or not all(names):
        message = Told("`players` is missing") if not names else Told("two players have the same name, or one has none")
        notes.report(
            "PW716", notes.locate(("players",)), message, Told("players are listed in seat order: `players: Ana, Ben`")
        )
        return Result(None, _sorted(notes))
    lexicon = Lexicon(game, names, [])
    tables = TableReader(lexicon, notes)
    lexicon.goals = tables.goals(tree.setup or tree.start, "setup" if tree.setup else "start")
    if tree.comments:
        data["comment"] = _text(tree.comments)
        notes.places["comment",] = tree.comments[0].span
    if tree.setup is not None:
        data["setup"] = tables.setup(tree.setup)
    elif tree.start is None and _has_setup(game):
        notes.report("PW716", notes.locate(()), Told("`setup` is missing"))
    if tree.start is not None:
        if tree.setup is not None:
            notes.report("PW716", tree.start.span, Told("a record has a `setup` or a `start`, not both"))
        data["start"] = StartReader(lexicon, notes).start(tree.start)
    data["turns"] = _TurnReader(lexicon, notes).turns(tree.turns, data.get("start", {}))
    if tree.result is not None:
        data["result"] = tables.result(tree.result)
    return Result(None if notes.problems else ReadRecord(data, notes.locate), _sorted(notes))


def _has_setup(game: Game) -> bool:
    return bool(game.ruleset.goal_zone) or any(step.recorded for step in game.ruleset.setup)


def read_head(tree: Notation) -> ReadRecord:
    """The values of the headers alone: enough to find the ruleset. `read_notation` reports problems."""
    notes = Notes(tree.file)
    return ReadRecord(read_headers(tree, notes), notes.locate)


def _sorted(notes: Notes) -> tuple[Diagnostic, ...]:
    unique = {(d.code, d.message, d.span.start if d.span else -1): d for d in notes.problems}
    return first_problems(sorted(unique.values(), key=lambda d: d.span.start if d.span else -1))


def _text(comments: tuple[Comment, ...]) -> str:
    return " ".join(comment.text for comment in comments)


class _Wrong(Exception):
    """An error in a value that was already reported."""


class _TurnReader:
    def __init__(self, lexicon: Lexicon, notes: Notes) -> None:
        self.lexicon = lexicon
        self.notes = notes
        self.rounds = lexicon.game.ruleset.rounds

    def turns(self, turns: tuple[Turn, ...], start: dict[str, Any]) -> list[dict[str, Any]]:
        """The turns; the first one is that of the position in `start`."""
        found: list[dict[str, Any]] = []
        due, first = start.get("turn", 1), start.get("player")
        seat = self.lexicon.players.index(first) if first in self.lexicon.players else 0
        for at, turn in enumerate(turns):
            if turn.intact and turn.number != due:
                cycle = self.lexicon.game.ruleset.cycle
                message = (
                    Told("this is numbered {number}, turn {due} is due here", number=str(turn.number), due=str(due))
                    if cycle == "turn"
                    else Told(
                        "this is numbered {number}, round {due} is due here", number=str(turn.number), due=str(due)
                    )
                )
                self.notes.report("PW715", turn.number_span, message)
            due = turn.number + 1
            self.notes.places["turns", at] = turn.span
            data = self._turn(turn, ("turns", at), seat)
            if not self.rounds and data["player"] in self.lexicon.players:
                seat = (self.lexicon.players.index(data["player"]) + 1) % len(self.lexicon.players)
            found.append(data)
        return found

    def _turn(self, turn: Turn, path: Path, seat: int) -> dict[str, Any]:
        data: dict[str, Any] = {}
        comments = turn.comments
        steps = list(turn.steps)
        if not self.rounds:
            said = steps[0].said if steps else ()
            self.notes.places[*path, "player"] = said[0].span if said else turn.number_span
            data["player"] = self.lexicon.players[seat]
            if said:
                data["player"] = self._player(said[0])
                steps[0] = Step(said[1:], steps[0].comments, steps[0].deed, steps[0].span)
        if steps:
            comments += steps[0].comments
        data["actions"] = []
        for number, step in enumerate(steps):
            if number and step.comments:
                self.notes.report("PW711", step.comments[0].span, Told("a comment goes after the whole action"))
            if step.deed is None:
                if number or step.said:
                    self.notes.report("PW711", step.span, Told("an action is missing after the name"))
                continue
            data["actions"].append(self._action(step, step.deed, (*path, "actions", len(data["actions"]))))
        if comments:
            data["comment"] = _text(comments)
            self.notes.places[*path, "comment"] = comments[0].span
        return data

    def _player(self, word: Atom) -> str:
        try:
            return self.lexicon.player(word.text, word.quoted)
        except Unclear as unclear:
            self.notes.unclear(word.span, unclear)
            return ""

    def _action(self, step: Step, deed: Deed, path: Path) -> dict[str, Any]:
        self.notes.places[path] = deed.span
        self.notes.places[*path, "action"] = deed.name.span
        data: dict[str, Any] = {"action": deed.name.text}
        if len(step.said) > 1:
            self.notes.report("PW711", step.said[1].span, Told("an action is done by one player"))
        if step.said:
            self.notes.places[*path, "by"] = step.said[0].span
            data["by"] = self._player(step.said[0])
        try:
            model = self.lexicon.action(deed.name.text)
        except Unclear as unclear:
            self.notes.unclear(deed.name.span, unclear)
            return data
        data["action"] = model.name
        if self.rounds and not step.said and not model.joint and not model.is_consequence:
            help_line = Told(
                "write the player's name before it: `{player}: {action}`",
                player=self.lexicon.players[0],
                action=deed.name.text,
            )
            self.notes.report("PW714", deed.name.span, Told("who did `{name}`?", name=model.name), help_line)
        if step.said and model.joint:
            self.notes.report(
                "PW714",
                step.said[0].span,
                Told("all players do `{name}` at once, no name comes before it", name=model.name),
            )
        self._arguments(deed, model, path, data)
        if deed.reveals:
            data["reveal"] = self._reveals(deed.reveals, (*path, "reveal"))
        if deed.mark is not None:
            self.notes.places[*path, "mark"] = deed.mark.span
            data["mark"] = deed.mark.text
            assert deed.mark.text in MARKS
        if deed.comments:
            data["comment"] = _text(deed.comments)
            self.notes.places[*path, "comment"] = deed.comments[0].span
        return data

    # ---- arguments

    def _arguments(self, deed: Deed, model: ActionModel, path: Path, data: dict[str, Any]) -> None:
        given = self._assigned(deed, model)
        for p in model.parameters:
            argument = given.get(p.name)
            if argument is not None:
                self.notes.places[*path, p.name] = argument.values[0].span if argument.name else argument.span
                try:
                    data[p.name] = self._value(p, argument, (*path, p.name))
                except _Wrong:
                    continue
            elif p.listed:
                data[p.name] = []
            elif p.kind == "tops":
                data[p.name] = {}
            elif p.kind != "derived":
                self.notes.report(
                    "PW714",
                    deed.name.span,
                    Told("`{name}` has no `{parameter}`", name=model.name, parameter=p.name),
                    _form(model),
                )

    def _assigned(self, deed: Deed, model: ActionModel) -> dict[str, Argument]:
        """The argument of each parameter: arguments without a name follow the one before them."""
        names = [p.name for p in model.parameters]
        given: dict[str, Argument] = {}
        at = 0
        for argument in deed.arguments:
            if argument.name is not None:
                try:
                    name = choose(argument.name.text, names, Told("parameter of `{name}`", name=model.name))
                except Unclear as unclear:
                    self.notes.unclear(argument.name.span, unclear)
                    continue
                at = names.index(name)
            if at >= len(names):
                self.notes.report(
                    "PW714",
                    argument.span,
                    Told("`{text}` is one value too many", text=short(argument.span.text)),
                    _form(model),
                )
                break
            if names[at] in given:
                self.notes.report("PW714", argument.span, Told("`{name}` appears twice", name=names[at]), _form(model))
            given[names[at]] = argument
            at += 1
        return given

    def _value(self, p: ParameterModel, argument: Argument, path: Path) -> Any:
        element = p.type.element or p.type
        if p.each:
            return self._of_each(element, argument, path)
        if len(argument.values) > 1:
            self._fail("PW714", argument.span, Told("`{name}` is one value, leave out the `/`", name=p.name))
        joined = argument.values[0]
        if p.kind == "tops":
            return self._tops(element, joined, path, _PILE.fullmatch)
        if p.listed:
            if any(item.sign == "-" for item in joined.items):
                if len(joined.items) > 1:
                    self._fail("PW714", joined.span, Told("`-` stands for nothing and cannot be joined with anything"))
                return []
            return [self._item(element, item, (*path, at)) for at, item in enumerate(joined.items)]
        if len(joined.items) > 1:
            self._fail("PW714", joined.span, Told("`{name}` is one value, leave out the `+`", name=p.name))
        if p.type.kind == "cell":
            return self._cell(p, joined.items[0])
        return self._item(element, joined.items[0], path)

    def _of_each(self, element: Type, argument: Argument, path: Path) -> dict[str, Any]:
        players = self.lexicon.players
        if len(argument.values) != len(players):
            seats = "/".join(players)
            self._fail(
                "PW714",
                argument.span,
                Told("{number} values are needed, one for each player: {players}", number=len(players), players=seats),
            )
        found: dict[str, Any] = {}
        for name, value in zip(players, argument.values, strict=True):
            if len(value.items) != 1:
                self._fail("PW714", value.span, Told("each player names one value"))
            found[name] = self._item(element, value.items[0], (*path, name))
        return found

    def _tops(
        self,
        element: Type,
        joined: Joined,
        path: Path,
        is_place: Callable[[str], object],
        what: Told | None = None,
    ) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for item in joined.items:
            if item.sign == "-" and len(joined.items) == 1:
                break
            if item.sign != "@":
                self._fail(
                    "PW714",
                    item.span,
                    Told("`{text}` does not say where it lay", text=short(item.span.text)),
                    Told("such as `K2@3`"),
                )
            thing, place = item.atoms
            if not is_place(place.text):
                self._fail(
                    "PW712",
                    place.span,
                    Told("there is no {what} {name}", what=what or Told("pile"), name=f"`{short(place.text)}`"),
                )
            if place.text in found:
                self._fail("PW714", place.span, Told("`{name}` appears twice", name=place.text))
            self.notes.places[*path, place.text] = item.span
            found[place.text] = self._word(element, thing)
        return found

    def _cell(self, p: ParameterModel, item: Item) -> list[int]:
        self._sign(item, ("", ","))
        words = tuple(atom.text for atom in item.atoms)
        try:
            if item.sign == ",":
                return self.lexicon.coordinates(words)
        except Unclear as unclear:
            self._fail("PW712", item.span, unclear.message, self._cell_form(p))
        cell = self.lexicon.named_cell(p, words[0])
        if cell is None:
            self._fail("PW712", item.span, Told("`{text}` is not a cell", text=short(words[0])), self._cell_form(p))
        return cell

    def _cell_form(self, p: ParameterModel) -> Told:
        """How a cell of a grid is written, by an example that it has."""
        zone = self.lexicon.grid(p)
        if zone is None:
            return Told("a cell is `x,y`, such as `-1,0`")
        cells = [cell for cell in cells_of(zone.grid) if zone.own_name(cell) or not zone.names_cells]
        example = cells[len(cells) // 3]
        name = self.lexicon.cell_word(p, list(example))
        return Told("a cell is such as `{name}` or `{cell}`", name=name, cell=f"{example[0]},{example[1]}")

    def _item(self, t: Type, item: Item, path: Path) -> Any:
        self._sign(item, ("",))
        self.notes.places[path] = item.span
        return self._word(t, item.atoms[0])

    def _sign(self, item: Item, known: tuple[str, ...]) -> None:
        if item.sign not in known:
            message = (
                Told("a value is needed here")
                if item.sign == "-"
                else Told("unexpected `{sign}` in `{text}`", sign=item.sign, text=short(item.span.text))
            )
            self._fail("PW714", item.span, message)

    def _word(self, t: Type, word: Atom) -> Any:
        try:
            return self.lexicon.value(t, word.text, word.quoted)
        except Unclear as unclear:
            self.notes.unclear(word.span, unclear)
            raise _Wrong from None

    def _fail(self, code: str, span: Span, message: str, help_line: str | None = None) -> NoReturn:
        self.notes.report(code, span, message, help_line)
        raise _Wrong

    # ---- what is revealed

    def _reveals(self, reveals: tuple[Reveal, ...], path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for reveal in reveals:
            if reveal.zone is None:
                if len(reveals) > 1:
                    self.notes.report("PW711", reveal.span, Told("something is missing after `>`"))
                continue
            try:
                name = choose(reveal.zone.text, self.lexicon.revealed, Told("pile"))
                if name in found:
                    self._fail("PW714", reveal.span, Told("`{name}` appears twice", name=name))
                self.notes.places[*path, name] = reveal.span
                found[name] = self._shown(name, reveal, (*path, name))
            except Unclear as unclear:
                self.notes.unclear(reveal.zone.span, unclear)
            except _Wrong:
                continue
        return found

    def _shown(self, name: str, reveal: Reveal, path: Path) -> Any:
        zone = self.lexicon.revealed[name]
        if reveal.shown is None:
            self._fail("PW714", reveal.span, Told("what shows on `{name}`?", name=name))
        if zone.dimensions:
            labels = self.lexicon.labels(zone)
            return self._tops(
                zone.element, reveal.shown, path, labels.__contains__, Told("place of `{name}`", name=name)
            )
        if len(reveal.shown.items) != 1:
            self._fail("PW714", reveal.shown.span, Told("`{name}` is one pile, one thing shows on it", name=name))
        return self._item(zone.element, reveal.shown.items[0], path)


def _form(model: ActionModel) -> str:
    """How an action is written."""
    if not model.parameters:
        return Told("`{name}` is written alone", name=model.name)
    parts = [f"[{p.name}]" if p.listed or p.kind in ("tops", "derived") else p.name for p in model.parameters]
    return Told("it is written {form}", form=f"`{model.name} {' '.join(parts)}`")
