"""From the JSON of a record to the engine's form, strictly and fast.

The decoder accepts what the ruleset's schema accepts and nothing else, and stops at the first thing that is wrong.
`validation.py` then says
everything that is wrong, with pydantic and the schema; keeping both off the path of a good record is what makes
the verdict quick.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pwtool.eval.values import UNSEEN
from pwtool.ir.model import ActionModel, ParameterModel, SetupModel
from pwtool.ir.types import Type
from pwtool.play.game import Game
from pwtool.play.record import EVERYBODY, Move, Outcome, Record, Turn
from pwtool.play.state import zone_labels
from pwtool.records.encoding import label_key
from pwtool.records.words import FORMAT, MARKS, MAX_NAME, MAX_TURNS, UNSEEN_CODE

Path = tuple[str | int, ...]
_T = TypeVar("_T")


class Malformed(Exception):
    """The first thing in a record that its schema does not allow. Never leaves `formats`."""

    def __init__(self, path: Path, message: str, help_line: str | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.message = message
        self.help = help_line


Decode = Callable[[Any, "Context"], Any]


class Context:
    """The names that a record's values refer to."""

    __slots__ = ("goals", "players", "unseen")

    def __init__(self, players: dict[str, int], goals: dict[str, int]) -> None:
        self.players = players
        self.goals = goals
        self.unseen = False


class _Wrong(Exception):
    """A value that cannot be; the caller knows where it stands."""


_RECORD_KEYS = {
    "format", "ruleset", "version", "id", "players", "recorded", "meta", "comment", "setup", "turns", "result",
}  # fmt: skip
_TURN_KEYS = {"player", "actions", "comment"}
_RESULT_KEYS = {"scores", "parts", "ranking", "end"}


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
            count = len(consequence.parameters)
            actions[consequence.name] = (number, True, False, self._parameters(consequence), count)
        self.actions = actions
        self.scores = {s.name for s in ruleset.scores}
        self.rounds = ruleset.rounds

    # ---- values

    def _parameters(self, action: ActionModel) -> list[tuple[str, Decode, bool]]:
        return [(p.name, self._parameter(p), p.kind == "derived") for p in action.parameters]

    def _parameter(self, p: ParameterModel) -> Decode:
        if p.kind == "element":
            return self._value(p.type)
        if p.kind == "elements":
            return self._list(self._value(p.type.element or p.type))
        if p.kind == "tops":
            return self._tops(p)
        if p.kind == "cell":
            return _cell
        if p.each:
            return _of_each(self._value(p.type.element or p.type))
        return self._value(p.type)

    def _list(self, element: Decode) -> Decode:
        def decode(value: Any, context: Context) -> list[Any]:
            if type(value) is not list:
                raise _Wrong
            return [element(v, context) for v in value]

        return decode

    def _tops(self, p: ParameterModel) -> Decode:
        element = self._value(p.type.element or p.type)

        def decode(value: Any, context: Context) -> list[tuple[int, Any]]:
            if type(value) is not dict:
                raise _Wrong
            found = []
            for key, item in value.items():
                if not (key.isascii() and key.isdigit()) or len(key) > 4 or key[0] == "0":
                    raise _Wrong
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
                    raise _Wrong from None
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
            # An objective that exists and is not in play is the rules' business, not the format's.
            return lambda value, context: (
                context.goals.get(value, value) if type(value) is str and value in names else _wrong()
            )
        if t.kind == "key":
            options = [self._value(o) for o in t.options]

            def key(value: Any, context: Context) -> Any:
                for option in options:
                    try:
                        return option(value, context)
                    except _Wrong:
                        continue
                raise _Wrong

            return key
        return lambda value, context: _wrong()

    # ---- the record

    def record(self, data: Any, problems: list[Malformed] | None = None) -> Record:
        """The record in the engine's form; raises `Malformed`. With a list, what is wrong in turns is noted there and left out."""
        if type(data) is not dict:
            raise Malformed((), "a record is an object")
        _noting(problems, lambda: _known_keys(data, _RECORD_KEYS, ()))
        if data.get("format") != FORMAT:
            raise Malformed(("format",), f"this is no record of the form `{FORMAT}`")
        names = data.get("players")
        if type(names) is not list or not names or not all(type(p) is str and 0 < len(p) <= MAX_NAME for p in names):
            raise Malformed(("players",), "`players` is a list of names")
        players = {name: seat for seat, name in enumerate(names)}
        if len(players) < len(names):
            raise Malformed(("players",), "two players have the same name")
        setup = data.get("setup", {})
        if type(setup) is not dict:
            raise Malformed(("setup",), "`setup` is an object")
        goals = self._goals(setup)
        context = Context(players, {goal: i for i, goal in enumerate(goals)})
        turns = data.get("turns")
        if type(turns) is not list or len(turns) > MAX_TURNS:
            raise Malformed(("turns",), "`turns` is a list")
        labels: dict[str, list[Path]] = {}
        record = Record(names, goals, self._setup(setup, names, goals, labels), [], labels=labels)
        record.has_unseen = any(UNSEEN in faces for dealt in record.setup.values() for faces in dealt)
        record.turns = [self._turn(turn, number, context, problems) for number, turn in enumerate(turns)]
        record.has_unseen |= context.unseen
        for key in ("ruleset", "version", "id", "comment"):
            if key in data and type(data[key]) is not str:
                raise Malformed((key,), f"`{key}` is a text")
        record.ruleset, record.version, record.id = data.get("ruleset"), data.get("version"), data.get("id")
        record.recorded = self._recorded(data.get("recorded", []))
        if type(data.get("meta", {})) is not dict:
            raise Malformed(("meta",), "`meta` is an object")
        if "result" in data:
            record.outcome = _noting(problems, lambda: self._result(data["result"], context))
        return record

    def _goals(self, setup: dict[str, Any]) -> list[str]:
        name = self.game.ruleset.goal_zone
        if not name:
            return []
        goals = setup.get(name)
        if type(goals) is not list or not all(type(g) is str for g in goals):
            raise Malformed(("setup", name), f"`{name}` is a list of objectives")
        for at, goal in enumerate(goals):
            if goal not in self.game.ruleset.objectives:
                raise Malformed(("setup", name, at), f"there is no objective `{goal}`")
        return goals

    def _recorded(self, names: Any) -> frozenset[str]:
        if type(names) is not list:
            raise Malformed(("recorded",), "`recorded` is a list of consequences")
        for at, name in enumerate(names):
            if type(name) is not str or name not in self.game.ruleset.consequences:
                raise Malformed(("recorded", at), "there is no such consequence")
        return frozenset(names)

    def _setup(
        self, setup: dict[str, Any], players: list[str], goals: list[str], found_labels: dict[str, list[Path]]
    ) -> dict[str, Any]:
        found: dict[str, Any] = {}
        steps = [s for s in self.game.ruleset.setup if s.recorded]
        _known_keys(setup, {s.name for s in steps} | {self.game.ruleset.goal_zone} - {""}, ("setup",))
        for step in steps:
            if step.name not in setup:
                raise Malformed(("setup",), f"`{step.name}` is missing")
            found[step.name] = self._dealt(setup[step.name], step, players, goals, found_labels)
        return found

    def _dealt(
        self,
        value: Any,
        step: SetupModel,
        players: list[str],
        goals: list[str],
        found_labels: dict[str, list[Path]],
    ) -> list[list[int]]:
        zone = self.game.zone_list[step.zone]
        labels = zone_labels(zone, players, goals)
        codes = self.components[zone.element.component]
        dealt: list[list[int]] = []
        path: Path = ("setup", step.name)
        keys = [label_key(label) for label in labels]
        found_labels[step.name] = [(key,) for key in keys]
        if step.spread:
            rows_wrong = type(value) is not list or len(value) != zone.height
            if rows_wrong or any(type(row) is not list or len(row) != zone.width for row in value):
                message = f"`{step.name}` is a list of {zone.height} rows, each with {zone.width} places"
                raise Malformed(path, message)
            found_labels[step.name] = [(row, column) for row in range(zone.height) for column in range(zone.width)]
            parts = [part for row in value for part in row]
        elif zone.dimensions and zone.dimensions[-1][0] == "number" and len(zone.dimensions) == 1:
            if type(value) is not list or len(value) != len(labels):
                raise Malformed(path, f"`{step.name}` is a list of {len(labels)}")
            found_labels[step.name] = [(at,) for at in range(len(labels))]
            parts = list(value)
        elif not zone.dimensions:
            found_labels[step.name] = [()]
            parts = [value]
        else:
            if type(value) is not dict or set(value) != set(keys):
                raise Malformed(path, f"`{step.name}` says what goes to each of " + ", ".join(f"`{k}`" for k in keys))
            parts = [value[k] for k in keys]
        for label, part in zip(found_labels[step.name], parts, strict=True):
            cards = [part] if step.amount == 1 else part
            if type(cards) is not list:
                raise Malformed((*path, *label), "a list of cards is needed")
            try:
                dealt.append([codes[c] for c in cards])
            except (KeyError, TypeError):
                wrong = next(i for i, c in enumerate(cards) if type(c) is not str or c not in codes)
                where: Path = (*path, *label) if step.amount == 1 else (*path, *label, wrong)
                raise Malformed(where, f"there is no {zone.element.component} `{cards[wrong]}`") from None
        return dealt

    def _turn(self, turn: Any, number: int, context: Context, problems: list[Malformed] | None) -> Turn:
        if problems is None:
            return self._strict_turn(turn, number, context)
        try:
            return self._strict_turn(turn, number, context)
        except Malformed as malformed:
            problems.append(malformed)
        actions = turn.get("actions") if type(turn) is dict else None
        for at, action in enumerate(actions if type(actions) is list else []):
            try:
                self._move(action, number, at, 0, context)
            except Malformed as malformed:
                if malformed.path != problems[-1].path:
                    problems.append(malformed)
        return Turn(0, [])

    def _strict_turn(self, turn: Any, number: int, context: Context) -> Turn:
        if type(turn) is not dict:
            raise Malformed(("turns", number), "a turn is an object")
        player = turn.get("player")
        actions = turn.get("actions")
        if self.rounds:
            seat: int | None = EVERYBODY
            plain = len(turn) == 1
        else:
            seat = context.players.get(player) if type(player) is str else None
            plain = len(turn) == 2
        if seat is None or type(actions) is not list or not plain:
            _known_keys(turn, _TURN_KEYS - {"player"} if self.rounds else _TURN_KEYS, ("turns", number))
            if type(turn.get("comment", "")) is not str:
                raise Malformed(("turns", number, "comment"), "a comment is a text")
            if seat is None:
                raise Malformed(("turns", number, "player"), f"there is no player `{player}`")
            if type(actions) is not list:
                raise Malformed(("turns", number, "actions"), "`actions` is a list")
        return Turn(seat, [self._move(a, number, at, seat, context) for at, a in enumerate(actions)])

    def _move(self, data: Any, turn: int, at: int, seat: int, context: Context) -> Move:
        path: Path = ("turns", turn, "actions", at)
        if type(data) is not dict:
            raise Malformed(path, "an action is an object")
        name = data.get("action")
        found = self.actions.get(name) if type(name) is str else None
        if found is None:
            raise Malformed((*path, "action"), f"there is no action `{name}`")
        number, consequence, joint, parameters, count = found
        arguments = []
        for key, decode, optional in parameters:
            if key in data:
                try:
                    arguments.append(decode(data[key], context))
                except _Wrong:
                    raise Malformed((*path, key), f"this cannot be the {key} of `{name}`") from None
            elif optional:
                arguments.append(None)
                count -= 1
            else:
                raise Malformed(path, f"`{name}` has no `{key}`")
        actor = EVERYBODY if joint else seat
        reveals: tuple[tuple[int, int, int], ...] = ()
        extra = len(data) - count - 1
        if extra and "by" in data:
            if type(data["by"]) is not str or data["by"] not in context.players:
                raise Malformed((*path, "by"), "there is no such player")
            if joint:
                raise Malformed((*path, "by"), f"all players do `{name}` at once")
            actor, extra = context.players[data["by"]], extra - 1
        elif self.rounds and not joint and not consequence:
            raise Malformed(path, "who did it? `by` is missing")
        if extra and "reveal" in data:
            reveals, extra = self._reveals(data["reveal"], path, context), extra - 1
        if extra:
            _known_keys(data, {"action", "by", "reveal", "mark", "comment", *(k for k, _, _ in parameters)}, path)
            _check_annotations(data, path)
        return Move(number, tuple(arguments), at, actor, consequence, reveals)

    def _reveals(self, data: Any, path: Path, context: Context) -> tuple[tuple[int, int, int], ...]:
        if type(data) is not dict:
            raise Malformed((*path, "reveal"), "`reveal` is an object")
        found: list[tuple[int, int, int]] = []
        for name, shown in data.items():
            zone = self.game.ruleset.zones.get(name)
            tops = {"": shown} if zone is not None and not zone.dimensions else shown
            if zone is None or zone.kind != "pile" or zone.element.kind != "face" or type(tops) is not dict:
                raise Malformed((*path, "reveal", name), "piles of cards are revealed, each with what shows")
            labels = [label_key(x) for x in zone_labels(zone, list(context.players), list(context.goals))]
            codes = self.components[zone.element.component]
            for label, code in tops.items():
                if label not in labels or type(code) is not str or code not in codes or code == UNSEEN_CODE:
                    raise Malformed((*path, "reveal", name, label), "this cannot show there")
                found.append((zone.number, labels.index(label), codes[code]))
        return tuple(found)

    # ---- the result

    def _result(self, data: Any, context: Context) -> Outcome:
        if type(data) is not dict:
            raise Malformed(("result",), "`result` is an object")
        _known_keys(data, _RESULT_KEYS, ("result",))
        outcome = Outcome()
        if "scores" in data:
            outcome.scores = self._per_player(data["scores"], ("result", "scores"), context, _integer)
        if "parts" in data:
            outcome.parts = self._per_player(data["parts"], ("result", "parts"), context, self._lines)
        if "ranking" in data:
            outcome.ranking = self._ranking(data["ranking"], context)
        end = data.get("end")
        if end is not None:
            if type(end) is not dict or not set(end) <= {"rule", "turn"}:
                raise Malformed(("result", "end"), "`end` has a `rule` and a `turn`")
            names = {e.name for e in self.game.ruleset.endings}
            if "rule" in end and (type(end["rule"]) is not str or end["rule"] not in names):
                raise Malformed(("result", "end", "rule"), "there is no such ending")
            if "turn" in end and type(end["turn"]) is not int:
                raise Malformed(("result", "end", "turn"), "a turn is a number")
            outcome.ending, outcome.ending_turn = end.get("rule"), end.get("turn")
        return outcome

    def _per_player(
        self, data: Any, path: Path, context: Context, decode: Callable[[Any, Path], Any]
    ) -> dict[int, Any]:
        if type(data) is not dict:
            raise Malformed(path, "an object with a value for each player is needed")
        found = {}
        for name, value in data.items():
            if name not in context.players:
                raise Malformed((*path, name), f"there is no player `{name}`")
            found[context.players[name]] = decode(value, (*path, name))
        return found

    def _lines(self, data: Any, path: Path) -> dict[str, int]:
        if type(data) is not dict:
            raise Malformed(path, "an object with score lines is needed")
        for line, value in data.items():
            if line not in self.scores:
                raise Malformed((*path, line), f"there is no score line `{line}`")
            _integer(value, (*path, line))
        return data

    def _ranking(self, data: Any, context: Context) -> list[list[int]]:
        path: Path = ("result", "ranking")
        if type(data) is not list or not all(type(g) is list and g for g in data):
            raise Malformed(path, "`ranking` is a list of places, each a list of players")
        names = [n for g in data for n in g]
        if not all(type(n) is str and n in context.players for n in names) or len(set(names)) != len(names):
            raise Malformed(path, "`ranking` names players, each once")
        return [[context.players[n] for n in group] for group in data]


def _noting(problems: list[Malformed] | None, decode: Callable[[], _T]) -> _T | None:
    """What `decode` gives; with a list, what is wrong is noted there instead of raised."""
    if problems is None:
        return decode()
    try:
        return decode()
    except Malformed as malformed:
        problems.append(malformed)
        return None


def _known_keys(data: dict[str, Any], known: set[str], path: Path) -> None:
    for key in data:
        if key not in known:
            raise Malformed(
                (*path, key), f"`{key}` is not known here", "known here: " + ", ".join(f"`{k}`" for k in sorted(known))
            )


def _check_annotations(data: dict[str, Any], path: Path) -> None:
    if "mark" in data and (type(data["mark"]) is not str or data["mark"] not in MARKS):
        raise Malformed((*path, "mark"), "a mark is one of " + ", ".join(f"`{m}`" for m in MARKS))
    if type(data.get("comment", "")) is not str:
        raise Malformed((*path, "comment"), "a comment is a text")


def _of_each(value: Decode) -> Decode:
    """A value for every player, by name; the engine has them by seat."""

    def decode(data: Any, context: Context) -> tuple[Any, ...]:
        if type(data) is not dict or data.keys() != context.players.keys():
            raise _Wrong
        return tuple(value(data[name], context) for name in context.players)

    return decode


def _cell(value: Any, context: Context) -> tuple[int, int]:
    if type(value) is list and len(value) == 2:
        x, y = value
        if type(x) is int and type(y) is int and -999 <= x <= 999 and -999 <= y <= 999:
            return (x, y)
    raise _Wrong


def _integer(value: Any, path: Path) -> int:
    if type(value) is not int:
        raise Malformed(path, "a whole number is needed")
    return value


def _wrong() -> Any:
    raise _Wrong
