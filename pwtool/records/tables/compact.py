"""A record as a few bytes, encoded with the vocabulary of its ruleset, and back. `docs/kernel.md` documents the form;
kernels read it.

Numbers are written with seven bits per byte, lowest first; numbers that may be negative are zigzag-encoded. The
players' names, the id and everything else in a record besides the game are not part of these bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from pwtool.kernel.answers import HAS_PARTS, HAS_RANKING, HAS_RESULT, HAS_SCORES, HAS_STOPPED, STOPPED
from pwtool.kernel.wasm.module import unsigned
from pwtool.play.record import EVERYBODY, Move, Outcome, Record, Start, Turn
from pwtool.records.tables.vocabulary import Action, Kept, Parameter, Place, Step, Value, Vocabulary
from pwtool.records.words import FORMAT, MAX_CELL, MAX_PLAYERS, MAX_TURNS

MAX_GAME = 256 << 10
"""The most bytes of a game; longer ones are kept as text."""
MAX_NUMBER = 999_999_999
BEGINS = b"\x80\x00"
"""What a game begins with that begins from a position: no number is written like that."""
_CELL = Value("cell")


class Unpackable(Exception):
    """A record that has no such form: it has unseen things, shows what turned up, or exceeds a limit."""


class Damaged(ValueError):
    """Bytes that are not a game in this vocabulary."""


def pack_game(record: Record, words: Vocabulary) -> bytes:
    """The bytes of a record; raises `Unpackable`."""
    if record.has_unseen:
        raise Unpackable
    out = _Writer(words, len(record.players))
    if record.start is not None:
        if not words.zones and record.start.state.zones:
            raise Unpackable
        out.start(record.start)
    else:
        out.goals(record.goals)
    for step in words.steps if record.start is None else ():
        for faces in record.setup[step.name]:
            if not step.single:
                out.number(len(faces))
            for face in faces:
                out.number(face)
    out.number(sum(1 << n for n, c in enumerate(words.consequences) if c.name in record.recorded))
    out.number(len(record.turns))
    for turn in record.turns:
        out.turn(turn)
    out.outcome(record.outcome)
    if len(out.data) > MAX_GAME:
        raise Unpackable
    return bytes(out.data)


def pack_turn(turn: Turn, words: Vocabulary, players: int) -> bytes:
    """The bytes of a turn within those of a game; raises `Unpackable`."""
    out = _Writer(words, players)
    out.turn(turn)
    return bytes(out.data)


def pack_outcome(outcome: Outcome | None, words: Vocabulary, players: int) -> bytes:
    """The bytes of an outcome, with which those of a game end; raises `Unpackable`."""
    out = _Writer(words, players)
    out.outcome(outcome)
    return bytes(out.data)


class _Writer:
    def __init__(self, words: Vocabulary, players: int) -> None:
        self.words, self.players = words, players
        self.data = bytearray()

    def number(self, number: int) -> None:
        """A number that is not negative."""
        if number < 0:
            raise Unpackable
        if number > 127:
            self.data += unsigned(number)
        else:
            self.data.append(number)

    def signed(self, number: int, more: int = 0) -> None:
        if abs(number) > MAX_NUMBER:
            raise Unpackable
        self.number((number * 2 if number >= 0 else -2 * number - 1) + more)

    def maybe(self, number: int | None) -> None:
        """A number, or none."""
        if number is None:
            self.data.append(0)
        else:
            self.signed(number, 1)

    def goals(self, goals: list[str]) -> None:
        """The objectives in play."""
        if self.words.goals:
            self.number(len(goals))
            for goal in goals:
                self.number(self.words.objectives.index(goal))

    def start(self, start: Start) -> None:
        """A position that a game begins from."""
        self.data += BEGINS
        if not self.words.rounds:
            self.number(start.player)
        self.number(start.before)
        self.number(0 if start.trigger is None else start.trigger[0] + 1)
        if start.trigger is not None:
            self.number(start.trigger[1])
        state = start.state
        self.goals(state.goals)
        for place, zones in zip(self.words.zones, state.zones, strict=True):
            for zone in zones:
                if place.kind == "grid":
                    self.number(len(zone))
                    for cell, pile in sorted(zone.items(), key=lambda one: one[0][::-1]):
                        self.value(_CELL, cell)
                        self.several(place.value, pile)
                else:
                    self.several(place.value, zone)
        for (_, divided), token in zip(self.words.tokens, state.tokens, strict=True):
            self.number(0 if token is None else token[0] + 1 if divided else 1)
            if token is not None:
                self.value(_CELL, token[1])
        for variable in self.words.variables:
            value = state.variables[variable.number]
            self.number(1)
            if variable.form == "list":
                self.several(variable.value, value)
                continue
            for one in value if variable.form == "each" else [value]:
                if variable.optional:
                    self.number(one is not None)
                if one is not None:
                    self.value(variable.value, one)

    def several(self, kind: Value, values: Sequence[Any]) -> None:
        """A number of values, and the values."""
        self.number(len(values))
        for value in values:
            self.value(kind, value)

    def turn(self, turn: Turn) -> None:
        if not self.words.rounds:
            self.number(turn.player)
        self.number(len(turn.moves))
        for move in turn.moves:
            self.move(move, turn.player)

    def move(self, move: Move, owner: int) -> None:
        if move.reveals:
            raise Unpackable
        models = self.words.consequences if move.consequence else self.words.actions
        model = models[move.number]
        self.number(move.number + (len(self.words.actions) if move.consequence else 0))
        self.number(0 if model.joint or move.actor == owner else move.actor + 1)
        for p, argument in zip(model.parameters, move.arguments, strict=True):
            if p.optional:
                self.data.append(argument is not None)
                if argument is None:
                    continue
            match p.form:
                case "tops":
                    self.number(len(argument))
                    for _, face in argument:
                        self.value(p.value, face)
                    for number, _ in argument:
                        self.number(number)
                case "list":
                    self.number(len(argument))
                    for item in argument:
                        self.value(p.value, item)
                case "each":
                    for item in argument:
                        self.value(p.value, item)
                case _:
                    self.value(p.value, argument)

    def value(self, kind: Value, value: Any) -> None:
        match kind.kind:
            case "int":
                self.signed(value)
            case "member":
                self.number(self.words.members.index(value))
            case "cell":
                self.signed(value[0])
                self.signed(value[1])
            case "key" if isinstance(value, str):
                self.number(2 * self.words.members.index(value) + 1)
            case "key" if type(value) is int or (kind.truth and type(value) is bool):
                self.number(2 * (value * 2 if value >= 0 else -2 * value - 1))
            case "face" | "bool" | "player" | "goal" if isinstance(value, int):
                self.number(value)
            case _:
                # An objective that exists and is not in play.
                raise Unpackable

    def outcome(self, outcome: Outcome | None) -> None:
        if outcome is None:
            self.number(0)
            return
        flags = HAS_RESULT if outcome.stopped is None else HAS_STOPPED
        flags |= HAS_PARTS if outcome.parts is not None else 0
        flags |= HAS_SCORES if outcome.scores is not None else 0
        flags |= HAS_RANKING if outcome.ranking is not None else 0
        self.number(flags)
        if outcome.parts is not None:
            for seat in range(self.players):
                lines = outcome.parts.get(seat, {})
                for line in self.words.lines:
                    self.maybe(lines.get(line))
        if outcome.scores is not None:
            for seat in range(self.players):
                self.maybe(outcome.scores.get(seat))
        if outcome.ranking is not None:
            places = {seat: number for number, group in enumerate(outcome.ranking) for seat in group}
            self.number(len(outcome.ranking))
            for seat in range(self.players):
                self.number(places.get(seat, -1) + 1)
        self.number(0 if outcome.ending is None else self.words.endings.index(outcome.ending) + 1)
        self.maybe(outcome.ending_turn)
        if outcome.stopped is not None:
            self.number(STOPPED.index(outcome.stopped))


def unpack_game(data: bytes, players: list[str], words: Vocabulary) -> dict[str, Any]:
    """The game of a record as JSON data; raises `Damaged`."""
    if len(data) > MAX_GAME or not 0 < len(players) <= MAX_PLAYERS:
        raise Damaged
    try:
        return _Reader(data, players, words).game()
    except (LookupError, StopIteration) as error:
        raise Damaged from error


class _Reader:
    def __init__(self, data: bytes, players: list[str], words: Vocabulary) -> None:
        self.begins = data.startswith(BEGINS)
        data = data[len(BEGINS) :] if self.begins else data
        self.size, self.byte = len(data), iter(data).__next__
        self.players, self.words = players, words
        self.goals: list[str] = []
        self.codes = dict(words.components)
        self.actions = (*words.actions, *words.consequences)

    def number(self) -> int:
        found = self.byte()
        if found < 128:
            return found
        found &= 127
        for shift in (7, 14, 21, 28):
            byte = self.byte()
            found |= (byte & 127) << shift
            if byte < 128:
                if byte == 0 or found >= 1 << 31:
                    # Every number has only one form.
                    break
                return found
        raise Damaged

    def signed(self) -> int:
        found = self.number()
        return -(found + 1 >> 1) if found & 1 else found >> 1

    def maybe(self) -> int | None:
        found = self.number() - 1
        return None if found < 0 else -(found + 1 >> 1) if found & 1 else found >> 1

    def game(self) -> dict[str, Any]:
        words = self.words
        begin = {"start": self.start()} if self.begins else {"setup": self.setup()}
        mask = self.number()
        recorded = sorted(c.name for n, c in enumerate(words.consequences) if mask >> n & 1)
        if mask >> len(words.consequences):
            raise Damaged
        turns = self.number()
        if turns > MAX_TURNS:
            raise Damaged
        data: dict[str, Any] = {"format": FORMAT, "recorded": recorded, **begin}
        data["turns"] = [self.turn() for _ in range(turns)]
        result = self.outcome()
        if result is not None:
            data["result"] = result
        with suppress(StopIteration):
            self.byte()
            raise Damaged
        if not recorded:
            del data["recorded"]
        return data

    def setup(self) -> dict[str, Any]:
        setup = self.in_play()
        for step in self.words.steps:
            setup[step.name] = self.dealt(step)
        return setup

    def in_play(self) -> dict[str, Any]:
        """The objectives, if there are any."""
        if not self.words.goals:
            return {}
        self.goals = [self.words.objectives[self.number()] for _ in self.counted()]
        return {self.words.goals: self.goals}

    def start(self) -> dict[str, Any]:
        words = self.words
        data: dict[str, Any] = {} if words.rounds else {"player": self.players[self.number()]}
        if before := self.number():
            data["turn"] = before + 1
        if ending := self.number():
            data["end"] = {"rule": words.endings[ending - 1], "turn": self.number()}
        data |= self.in_play()
        data["zones"] = {place.name: self.places(place, place.dimensions) for place in words.zones}
        if words.tokens:
            data["tokens"] = {name: self.token(divided) for name, divided in words.tokens}
        variables = {variable.name: self.kept(variable) for variable in words.variables if self.truth()}
        return data | ({"variables": variables} if variables else {})

    def places(self, place: Place, dimensions: tuple[tuple[str, int], ...]) -> Any:
        """What lies in the zones of a name, divided as they are."""
        if not dimensions:
            return self.lying(place)
        name, size = dimensions[0]
        if name == "number" and len(place.dimensions) == 1:
            if not 0 <= size <= self.size:
                raise Damaged
            return [self.lying(place) for _ in range(size)]
        keys = {"player": self.players, "goal": self.goals}.get(name)
        if keys is None and not 0 <= size <= self.size:
            raise Damaged
        return {str(key): self.places(place, dimensions[1:]) for key in keys or range(1, size + 1)}

    def lying(self, place: Place) -> Any:
        if place.kind == "grid":
            return [[*self.value(_CELL), self.several(place.value)] for _ in self.counted()]
        things = self.several(place.value)
        if place.kind != "slot":
            return things
        if len(things) > 1:
            raise Damaged
        return things[0] if things else None

    def several(self, kind: Value) -> list[Any]:
        return [self.value(kind) for _ in self.counted()]

    def token(self, divided: bool) -> dict[str, Any] | None:
        owner = self.number()
        if not owner:
            return None
        if not divided and owner > 1:
            raise Damaged
        return {**({"player": self.players[owner - 1]} if divided else {}), "at": self.value(_CELL)}

    def kept(self, variable: Kept) -> Any:
        def one() -> Any:
            return self.value(variable.value) if not variable.optional or self.truth() else None

        if variable.form == "list":
            return self.several(variable.value)
        return {name: one() for name in self.players} if variable.form == "each" else one()

    def counted(self) -> range:
        """As many items as the next number says: each takes at least a byte."""
        count = self.number()
        if count > self.size:
            raise Damaged
        return range(count)

    def dealt(self, step: Step) -> Any:
        codes = self.codes[step.component]
        count = 1
        sizes = step.rows or [
            {"player": len(self.players), "goal": len(self.goals)}.get(name, size) for name, size in step.dimensions
        ]
        for size in sizes:
            count *= size
        if not 0 <= count <= self.size:
            raise Damaged
        parts: list[Any] = []
        for _ in range(count):
            if step.single:
                parts.append(codes[self.number()])
            else:
                parts.append([codes[self.number()] for _ in self.counted()])
        if step.rows is not None:
            width = step.rows[1]
            return [parts[at : at + width] for at in range(0, len(parts), width)]
        if not step.dimensions:
            return parts[0]
        if len(step.dimensions) == 1 and step.dimensions[0][0] == "number":
            return parts
        labels = [""]
        for name, size in step.dimensions:
            own = {"player": self.players, "goal": self.goals}.get(name) or list(map(str, range(1, size + 1)))
            labels = [f"{label}/{part}" if label else part for label in labels for part in own]
        return dict(zip(labels, parts, strict=False))

    def turn(self) -> dict[str, Any]:
        owner = EVERYBODY
        turn: dict[str, Any] = {}
        if not self.words.rounds:
            owner = self.number()
            turn["player"] = self.players[owner]
        turn["actions"] = [self.move(owner) for _ in self.counted()]
        return turn

    def move(self, owner: int) -> dict[str, Any]:
        number, who = self.number(), self.number()
        model: Action = self.actions[number]
        move: dict[str, Any] = {"action": model.name}
        if who:
            if who - 1 == owner or model.joint:
                raise Damaged
            move["by"] = self.players[who - 1]
        for p in model.parameters:
            if p.optional and not self.truth():
                continue
            move[p.name] = self.argument(p)
        return move

    def argument(self, p: Parameter) -> Any:
        match p.form:
            case "tops":
                faces = [self.value(p.value) for _ in self.counted()]
                found = {str(self.number()): face for face in faces}
                if len(found) < len(faces):
                    raise Damaged
                return found
            case "list":
                return [self.value(p.value) for _ in self.counted()]
            case "each":
                return {name: self.value(p.value) for name in self.players}
        return self.value(p.value)

    def truth(self) -> bool:
        found = self.number()
        if found > 1:
            raise Damaged
        return found == 1

    def value(self, kind: Value) -> Any:
        match kind.kind:
            case "face":
                return self.codes[kind.component][self.number()]
            case "member":
                return self.words.members[self.number()]
            case "int":
                return self.signed()
            case "bool":
                return self.truth()
            case "player":
                return self.players[self.number()]
            case "goal":
                return self.goals[self.number()]
            case "cell":
                cell = [self.signed(), self.signed()]
                if max(map(abs, cell)) > MAX_CELL:
                    raise Damaged
                return cell
        found = self.number()
        if found & 1:
            return self.words.members[found >> 1]
        found >>= 1
        if kind.truth:
            if found not in (0, 2):
                raise Damaged
            return found == 2
        return -(found + 1 >> 1) if found & 1 else found >> 1

    def outcome(self) -> dict[str, Any] | None:
        flags, players = self.number(), self.players
        if not flags:
            return None
        if (flags & HAS_RESULT) + flags // HAS_STOPPED != 1:
            raise Damaged
        data: dict[str, Any] = {}
        if flags & HAS_PARTS:
            parts = {}
            for name in players:
                lines = {line: self.maybe() for line in self.words.lines}
                parts[name] = {line: value for line, value in lines.items() if value is not None}
        if flags & HAS_SCORES:
            scores = {name: self.maybe() for name in players}
            data["scores"] = {name: value for name, value in scores.items() if value is not None}
        if flags & HAS_PARTS:
            data["parts"] = {name: lines for name, lines in parts.items() if lines or not self.words.lines}
        if flags & HAS_RANKING:
            ranking: list[list[str]] = [[] for _ in self.counted()]
            data["ranking"] = ranking
            for name in players:
                place = self.number()
                if place:
                    ranking[place - 1].append(name)
            if not all(ranking):
                raise Damaged
        end: dict[str, Any] = {}
        ending, turn = self.number(), self.maybe()
        if ending:
            end["rule"] = self.words.endings[ending - 1]
        if turn is not None:
            end["turn"] = turn
        if end:
            data["end"] = end
        if flags & HAS_STOPPED:
            data["stopped"] = STOPPED[self.number()]
        return data
