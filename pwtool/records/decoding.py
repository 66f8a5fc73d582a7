"""From the JSON of a record to the engine's form, strictly and fast.

The decoder accepts exactly what the ruleset's schema accepts, and stops at the first error. `validation.py` then finds
all errors with pydantic and the schema; valid records never need either, which makes checking fast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pwtool.eval.values import UNSEEN
from pwtool.ir.model import ActionModel, ParameterModel, SetupModel
from pwtool.ir.types import Type
from pwtool.play.game import Game
from pwtool.play.record import EVERYBODY, Move, Record, Start, Turn
from pwtool.play.state import zone_labels
from pwtool.records.json_form import (
    Context,
    Decode,
    Malformed,
    Path,
    Wrong,
    _wrong,
    check_texts,
    is_list,
    known_keys,
    label_key,
    need,
    no_such,
    read_cell,
    read_players,
)
from pwtool.records.words import (
    FORMAT,
    MARKS,
    MAX_GOALS,
    MAX_ITEMS,
    MAX_TURNS,
    SCHEMA,
    UNSEEN_CODE,
)
from pwtool.text.diagnostic import MAX_PROBLEMS
from pwtool.text.speech import Told
from pwtool.text.words import quoted

_RECORD_KEYS = {
    SCHEMA, "format", "ruleset", "version", "id", "players", "recorded", "meta", "comment", "setup", "start", "turns",
    "result",
}  # fmt: skip
_TURN_KEYS = {"player", "actions", "comment"}
_T = TypeVar("_T")
MAX_NOTED = 4 * MAX_PROBLEMS
"""The number of problems of turns that are noted: some are reported together."""


class Decoder:
    """Decodes the records of one ruleset."""

    def __init__(self, game: Game) -> None:
        self.game = game
        ruleset = game.ruleset
        self.components: dict[str, dict[str, int]] = {
            name: {**c.numbers, UNSEEN_CODE: UNSEEN} for name, c in ruleset.components.items()
        }
        actions: dict[str, tuple[int, bool, bool, list[tuple[str, Decode, bool]], int]] = {}
        for action in ruleset.actions.values():
            count = len(action.parameters)
            actions[action.name] = (action.number, False, action.joint, self._parameters(action), count)
        for number, consequence in enumerate(ruleset.consequences.values()):
            if consequence.each_action:
                # It follows automatically and is not in records.
                continue
            count = len(consequence.parameters)
            actions[consequence.name] = (number, True, False, self._parameters(consequence), count)
        self.actions = actions
        self.steps = [step for step in ruleset.setup if step.recorded]
        self.rounds = ruleset.rounds

    # ---- values

    def _parameters(self, action: ActionModel) -> list[tuple[str, Decode, bool]]:
        return [(p.name, self._parameter(p), p.kind == "derived") for p in action.parameters]

    def _parameter(self, p: ParameterModel) -> Decode:
        if p.kind == "element":
            return self._value(p.type)
        if p.listed:
            return self._list(self._value(p.type.element or p.type))
        if p.kind == "tops":
            return self._tops(p)
        if p.each:
            return _of_each(self._value(p.type.element or p.type))
        return self._value(p.type)

    def value(self, t: Type, data: Any, context: Context) -> Any:
        """One value; raises `Wrong`."""
        return self._value(t)(data, context)

    def _list(self, element: Decode) -> Decode:
        def decode(value: Any, context: Context) -> list[Any]:
            if type(value) is not list or len(value) > MAX_ITEMS:
                raise Wrong
            return [element(v, context) for v in value]

        return decode

    def _tops(self, p: ParameterModel) -> Decode:
        element = self._value(p.type.element or p.type)

        def decode(value: Any, context: Context) -> list[tuple[int, Any]]:
            if type(value) is not dict:
                raise Wrong
            found = []
            for key, item in value.items():
                if not (key.isascii() and key.isdigit()) or len(key) > 4 or key[0] == "0":
                    raise Wrong
                found.append((int(key), element(item, context)))
            return found

        return decode

    def _value(self, t: Type) -> Decode:
        if t.kind == "face":
            numbers = self.components[t.component]

            def face(value: Any, context: Context) -> int:
                try:
                    number = numbers[value]
                except (KeyError, TypeError):
                    raise Wrong from None
                if number < 0:
                    context.unseen = True
                return number

            return face
        if t.kind == "member":
            table = frozenset(self.game.ruleset.components[t.component].attributes[t.attribute].table)
            return lambda value, context: value if type(value) is str and value in table else _wrong()
        if t.kind == "int":
            low, high = t.low, t.high
            return lambda value, context: value if type(value) is int and low <= value <= high else _wrong()
        if t.kind == "bool":
            return lambda value, context: value if type(value) is bool else _wrong()
        if t.kind == "player":
            return lambda value, context: (
                context.players[value] if type(value) is str and value in context.players else _wrong()
            )
        if t.kind == "goal":
            names = self.game.ruleset.objectives
            # Whether an existing objective is in play is checked by the rules, not by the format.
            return lambda value, context: (
                context.goals.get(value, value) if type(value) is str and value in names else _wrong()
            )
        if t.kind == "cell":
            return read_cell
        if t.kind == "key":
            options = [self._value(o) for o in t.options]

            def key(value: Any, context: Context) -> Any:
                for option in options:
                    try:
                        return option(value, context)
                    except Wrong:
                        continue
                raise Wrong

            return key
        return lambda value, context: _wrong()

    # ---- the record

    def record(self, data: Any, problems: list[Malformed] | None = None) -> Record:
        """The record in the engine's form; raises `Malformed`. With a list, problems of turns are noted there and left out."""
        need(type(data) is dict, (), "a record is an object")
        _noting(problems, lambda: known_keys(data, _RECORD_KEYS, ()))
        need(data.get("format") == FORMAT, ("format",), "this is not a record in the format `{format}`", format=FORMAT)
        names = read_players(data)
        setup = data.get("setup", {})
        need(type(setup) is dict, ("setup",), "`setup` is an object")
        start = self._start(data, names) if "start" in data else None
        goals = self._goals(setup) if start is None else start.state.goals
        context = Context(names, goals)
        turns: Any = data.get("turns")
        need(type(turns) is list, ("turns",), "`turns` is a list")
        need(len(turns) <= MAX_TURNS, ("turns",), "a record has at most {most} turns", most=MAX_TURNS)
        record = Record(names, goals, {}, [], start=start)
        if start is None:
            self._setup(setup, record)
        if problems is None:
            record.turns = [self.turn(turn, number, context) for number, turn in enumerate(turns)]
        else:
            for number, turn in enumerate(turns):
                self._note_turn(turn, number, context, problems)
        record.has_unseen = context.unseen or any(UNSEEN in f for dealt in record.setup.values() for f in dealt)
        record.has_unseen |= start is not None and start.state.unseen
        check_texts(data, (SCHEMA, "ruleset", "version", "id", "comment"))
        record.ruleset, record.version, record.id = data.get("ruleset"), data.get("version"), data.get("id")
        record.recorded = self._recorded(data.get("recorded", []))
        need(type(data.get("meta", {})) is dict, ("meta",), "`meta` is an object")
        if "result" in data:
            from pwtool.records.outcome_json import decode_outcome

            record.outcome = _noting(problems, lambda: decode_outcome(self.game.ruleset, data["result"], context))
        return record

    def _start(self, data: dict[str, Any], names: list[str]) -> Start:
        from pwtool.records.states import decode_start

        need("setup" not in data, ("setup",), "a record has a `setup` or a `start`, not both")
        try:
            return decode_start(self, data["start"], names)
        except Malformed as malformed:
            malformed.path = ("start", *malformed.path)
            raise

    def _goals(self, setup: dict[str, Any]) -> list[str]:
        name = self.game.ruleset.goal_zone
        if not name:
            return []
        goals: Any = setup.get(name)
        good = type(goals) is list and all(type(g) is str for g in goals)
        need(good, ("setup", name), "`{name}` is a list of objectives", name=name)
        need(
            len(goals) <= MAX_GOALS,
            ("setup", name),
            "`{name}` names at most {most} objectives",
            name=name,
            most=MAX_GOALS,
        )
        for at, goal in enumerate(goals):
            if goal not in self.game.ruleset.objectives:
                raise Malformed(("setup", name, at), no_such(Told("objective"), goal))
        return list(goals)

    def _recorded(self, names: Any) -> frozenset[str]:
        need(type(names) is list, ("recorded",), "`recorded` is a list of consequences")
        for at, name in enumerate(names):
            known = type(name) is str and name in self.game.ruleset.recordable
            need(known, ("recorded", at), "there is no such consequence")
        return frozenset(names)

    def _setup(self, setup: dict[str, Any], record: Record) -> None:
        known_keys(setup, {s.name for s in self.steps} | {self.game.ruleset.goal_zone} - {""}, ("setup",))
        for step in self.steps:
            need(step.name in setup, ("setup",), "`{name}` is missing", name=step.name)
            record.setup[step.name], record.labels[step.name] = self._dealt(setup[step.name], step, record)

    def _dealt(self, value: Any, step: SetupModel, record: Record) -> tuple[list[list[int]], list[Path]]:
        """What was dealt to each zone with a name, and where that is below the step."""
        zone, path = self.game.zone_list[step.zone], ("setup", step.name)
        codes = self.components[zone.element.component]
        keys = [label_key(label) for label in zone_labels(zone, record.players, record.goals)]
        places: list[Path] = [(key,) for key in keys] if zone.dimensions else [()]
        if step.spread:
            good = type(value) is list and len(value) == zone.height
            good = good and all(type(row) is list and len(row) == zone.width for row in value)
            need(
                good,
                path,
                "`{name}` is a list of {height} rows, each with {width} places",
                name=step.name,
                height=zone.height,
                width=zone.width,
            )
            places = [(row, column) for row in range(zone.height) for column in range(zone.width)]
        elif is_list(zone):
            need(
                type(value) is list and len(value) == len(keys),
                path,
                "`{name}` is a list of {length}",
                name=step.name,
                length=len(keys),
            )
            places = [(at,) for at in range(len(keys))]
        elif zone.dimensions and (type(value) is not dict or set(value) != set(keys)):
            raise Malformed(
                path,
                Told(
                    "`{name}` says what goes to each of {places}",
                    name=step.name,
                    places=quoted(keys, most=MAX_PROBLEMS),
                ),
            )
        dealt: list[list[int]] = []
        left = MAX_ITEMS
        for place in places:
            part = value
            for key in place:
                part = part[key]
            cards = [part] if step.amount == 1 else part
            need(type(cards) is list, (*path, *place), "a list of cards is needed")
            left -= len(cards)
            need(left >= 0, (*path, *place), "`{name}` deals at most {most} cards", name=step.name, most=MAX_ITEMS)
            try:
                dealt.append([codes[c] for c in cards])
            except (KeyError, TypeError):
                wrong = next(i for i, c in enumerate(cards) if type(c) is not str or c not in codes)
                where = (*path, *place) if step.amount == 1 else (*path, *place, wrong)
                raise Malformed(where, no_such(zone.element.component, cards[wrong])) from None
        return dealt, places

    def _note_turn(self, turn: Any, number: int, context: Context, problems: list[Malformed]) -> None:
        """Note what is wrong with a turn and with each of its actions."""
        if len(problems) >= MAX_NOTED:
            return
        before = len(problems)
        _noting(problems, lambda: self.turn(turn, number, context))
        if len(problems) == before or type(turn) is not dict or type(turn.get("actions")) is not list:
            return
        for at, action in enumerate(turn["actions"]):
            if len(problems) >= MAX_NOTED:
                return
            try:
                self._move(action, number, at, 0, context)
            except Malformed as malformed:
                if malformed.path != problems[-1].path:
                    problems.append(malformed)

    def turn(self, turn: Any, number: int, context: Context) -> Turn:
        """A turn in the engine's form, the first is number 0; raises `Malformed`."""
        if type(turn) is not dict:
            raise Malformed(("turns", number), Told("a turn is an object"))
        player = turn.get("player")
        actions = turn.get("actions")
        if self.rounds:
            seat: int | None = EVERYBODY
            plain = len(turn) == 1
        else:
            seat = context.players.get(player) if type(player) is str else None
            plain = len(turn) == 2
        if seat is None or type(actions) is not list or not plain:
            path: Path = ("turns", number)
            known_keys(turn, _TURN_KEYS - {"player"} if self.rounds else _TURN_KEYS, path)
            _check_comment(turn, path)
            if seat is None:
                raise Malformed((*path, "player"), no_such(Told("player"), player))
            if type(actions) is not list:
                raise Malformed((*path, "actions"), Told("`actions` is a list"))
        return Turn(seat, [self._move(a, number, at, seat, context) for at, a in enumerate(actions)])

    def _move(self, data: Any, turn: int, at: int, seat: int, context: Context) -> Move:
        path: Path = ("turns", turn, "actions", at)
        if type(data) is not dict:
            raise Malformed(path, Told("an action is an object"))
        name = data.get("action")
        found = self.actions.get(name) if type(name) is str else None
        if found is None:
            raise Malformed((*path, "action"), no_such(Told("action"), name))
        number, consequence, joint, parameters, count = found
        arguments = []
        for key, decode, optional in parameters:
            if key in data:
                try:
                    arguments.append(decode(data[key], context))
                except Wrong:
                    raise Malformed(
                        (*path, key), Told("this cannot be the {parameter} of `{name}`", parameter=key, name=name)
                    ) from None
            elif optional:
                arguments.append(None)
                count -= 1
            else:
                raise Malformed(path, Told("`{name}` has no `{parameter}`", name=name, parameter=key))
        actor = EVERYBODY if joint else seat
        reveals: tuple[tuple[int, int, int], ...] = ()
        extra = len(data) - count - 1
        if extra and "by" in data:
            if type(data["by"]) is not str or data["by"] not in context.players:
                raise Malformed((*path, "by"), Told("there is no such player"))
            if joint:
                raise Malformed((*path, "by"), Told("all players do `{name}` at once", name=name))
            if consequence and context.players[data["by"]] != seat:
                raise Malformed((*path, "by"), Told("`{name}` is done by the rules, not by another player", name=name))
            actor, extra = context.players[data["by"]], extra - 1
        elif self.rounds and not joint and not consequence:
            raise Malformed(path, Told("who did it? `by` is missing"))
        if extra and "reveal" in data and not consequence:
            reveals, extra = self._reveals(data["reveal"], path, context), extra - 1
        if extra:
            also = {"action", "by", "mark", "comment", *(k for k, _, _ in parameters)}
            known_keys(data, also if consequence else also | {"reveal"}, path)
            need(data.get("mark", "!") in MARKS, (*path, "mark"), "a mark is one of {marks}", marks=quoted(MARKS))
            _check_comment(data, path)
        return Move(number, tuple(arguments), at, actor, consequence, reveals)

    def _reveals(self, data: Any, path: Path, context: Context) -> tuple[tuple[int, int, int], ...]:
        if type(data) is not dict:
            raise Malformed((*path, "reveal"), Told("`reveal` is an object"))
        found: list[tuple[int, int, int]] = []
        for name, shown in data.items():
            zone = self.game.ruleset.zones.get(name)
            tops = {"": shown} if zone is not None and not zone.dimensions else shown
            if zone is None or zone.kind != "pile" or zone.element.kind != "face" or type(tops) is not dict:
                raise Malformed((*path, "reveal", name), Told("piles of cards are revealed, each with what shows"))
            labels = context.labels(zone)
            codes = self.components[zone.element.component]
            for label, code in tops.items():
                if label not in labels or type(code) is not str or code not in codes or code == UNSEEN_CODE:
                    raise Malformed((*path, "reveal", name, label), Told("this cannot show there"))
                found.append((zone.number, labels[label], codes[code]))
        return tuple(found)


def _noting(problems: list[Malformed] | None, decode: Callable[[], _T]) -> _T | None:
    """The result of `decode`; with a list, problems are noted there instead of raised."""
    if problems is None:
        return decode()
    try:
        return decode()
    except Malformed as malformed:
        problems.append(malformed)
        return None


def _check_comment(data: dict[str, Any], path: Path) -> None:
    need(type(data.get("comment", "")) is str, (*path, "comment"), "a comment is a text")


def _of_each(value: Decode) -> Decode:
    """A value for every player, by name; the engine has them by seat."""

    def decode(data: Any, context: Context) -> tuple[Any, ...]:
        if type(data) is not dict or data.keys() != context.players.keys():
            raise Wrong
        return tuple(value(data[name], context) for name in context.players)

    return decode
