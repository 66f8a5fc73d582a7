"""Translating a game of one ruleset into a game of another, by names, so that the other can judge it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from pwtool.eval.values import UNSEEN
from pwtool.ir.model import ActionModel, ParameterModel
from pwtool.kernel.material import places
from pwtool.play.game import Game
from pwtool.play.record import Move, Record, Start, Turn
from pwtool.records.decoding import Decoder
from pwtool.records.encoding import encode_start
from pwtool.records.json_form import Malformed
from pwtool.records.states import decode_start
from pwtool.text.words import counted

Key = tuple[str, str]


@dataclass
class Unknown(Exception):
    """Something that the other ruleset has no name for: its kind and name, the turn and the place in the turn (None: the setup)."""

    key: Key
    message: str
    turn: int | None = None
    at: int | None = None

    def seen_at(self, turn: int, at: int) -> Unknown:
        """The same, encountered at an action of a turn."""
        return Unknown(self.key, self.message, turn, at)


class Translation:
    """Translates records and moves from one ruleset to another."""

    def __init__(self, source: Game, target: Game) -> None:
        self.source, self.target = source, target
        self.actions = [_parameters(a, target.ruleset.actions.get(name)) for name, a in source.ruleset.actions.items()]
        self.consequences = [
            _parameters(c, target.ruleset.consequences.get(name)) for name, c in source.ruleset.consequences.items()
        ]
        self.faces: dict[str, list[int | None]] = {}
        for name, component in source.ruleset.components.items():
            other = target.ruleset.components.get(name)
            self.faces[name] = [other.numbers.get(code) if other else None for code in component.codes]

    def record(self, record: Record) -> Record:
        """The whole record; raises `Unknown` at the first thing that the other ruleset does not know."""
        ruleset = self.target.ruleset
        setup = self.setup(record) if record.start is None else {}
        start = None if record.start is None else self.start(record.start, record.players)
        for name in record.goals:
            if name not in ruleset.objectives:
                raise Unknown(("objective", name), f"there is no objective `{name}`")
        turns = []
        for number, turn in enumerate(record.turns):
            moves = []
            for at, move in enumerate(turn.moves):
                try:
                    moves.append(self.move(move))
                except Unknown as found:
                    raise found.seen_at(number, at) from None
            turns.append(Turn(turn.player, moves))
        recorded = frozenset(name for name in record.recorded if name in ruleset.consequences)
        return replace(
            record, setup=setup, turns=turns, ruleset=ruleset.address, version=ruleset.version,
            recorded=recorded, start=start,
        )  # fmt: skip

    def unknown_actions(self, record: Record) -> list[Unknown]:
        """The first action (at most one) that the other ruleset does not have, whatever else it cannot read."""
        for number, turn in enumerate(record.turns):
            for at, move in enumerate(turn.moves):
                try:
                    self.move(move)
                except Unknown as found:
                    if found.key[0] == "action":
                        return [found.seen_at(number, at)]
        return []

    def start(self, start: Start, players: list[str]) -> Start:
        """The position that a game begins from."""
        try:
            return decode_start(Decoder(self.target), encode_start(self.source, start, players), players)
        except Malformed as malformed:
            raise Unknown(("setup", str(malformed.path[1])), malformed.message) from None

    def setup(self, record: Record) -> dict[str, Any]:
        """What was dealt; steps that the other ruleset does not have are left out."""
        ours = {s.name: s for s in self.source.ruleset.setup}
        found: dict[str, Any] = {}
        for step in self.target.ruleset.setup:
            if not step.recorded:
                continue
            if step.name not in record.setup or step.name not in ours:
                raise Unknown(("setup", step.name), f"nothing is recorded of the setup step `{step.name}`")
            dealt = len(record.setup[step.name])
            wanted = places(self.target.ruleset, step, len(record.players), len(record.goals))
            if dealt != wanted:
                raise Unknown(("setup", step.name), f"`{step.name}` deals to {counted(wanted, 'place')}, not {dealt}")
            component = self.source.ruleset.decks[ours[step.name].deck].component
            found[step.name] = [[self.face(component, face) for face in faces] for faces in record.setup[step.name]]
        return found

    def face(self, component: str, face: int) -> int:
        """A card, token or the like, by its code."""
        if face == UNSEEN:
            return face
        other = self.faces[component][face]
        if other is None:
            code = self.source.ruleset.components[component].codes[face]
            raise Unknown(("component", component), f"there is no `{code}`")
        return other

    def move(self, move: Move) -> Move:
        """One action or recorded consequence."""
        table = self.consequences if move.consequence else self.actions
        models = self.source.ruleset.consequences if move.consequence else self.source.ruleset.actions
        model = [*models.values()][move.number]
        kind = "consequence" if move.consequence else "action"
        order = table[move.number]
        if order is None:
            raise Unknown((kind, model.name), f"there is no {kind} `{model.name}`")
        theirs = self.target.consequence_numbers if move.consequence else self.target.action_numbers
        number = theirs[model.name]
        if len(order) != len(model.parameters):
            raise Unknown((kind, model.name), f"`{model.name}` asks for other things")
        given = [self.argument(p, a) for p, a in zip(model.parameters, move.arguments, strict=True)]
        arguments = tuple(given[at] for at in order)
        others = self.target.ruleset.consequences if move.consequence else self.target.ruleset.actions
        for p, argument in zip(others[model.name].parameters, arguments, strict=True):
            if not _may_be(p, argument):
                raise Unknown((kind, model.name), f"this cannot be the {p.name} of `{model.name}`")
        return replace(move, number=number, arguments=arguments)

    def argument(self, p: ParameterModel, value: Any) -> Any:
        """An argument; its faces are given by their codes."""
        element = p.type.element if p.type.is_collection and p.type.element is not None else p.type
        if element.kind != "face" or value is None:
            return value
        if p.kind == "tops":
            return [(number, self.face(element.component, face)) for number, face in value]
        if isinstance(value, list | tuple):
            return type(value)(self.face(element.component, face) for face in value)
        return self.face(element.component, value)


def _may_be(p: ParameterModel, argument: Any) -> bool:
    """Whether a number is a possible argument; other arguments are judged by the rules."""
    kind = p.type.element if p.each and p.type.element is not None else p.type
    if kind.kind != "int":
        return True
    return all(value is None or kind.low <= value <= kind.high for value in (argument if p.each else [argument]))


def _parameters(ours: ActionModel, theirs: ActionModel | None) -> list[int] | None:
    """For each parameter of the other's action the index of ours; of a different length if they need different things."""
    if theirs is None:
        return None
    shapes = {p.name: (p.kind, p.each, p.type.kind) for p in ours.parameters}
    if shapes != {p.name: (p.kind, p.each, p.type.kind) for p in theirs.parameters}:
        return [-1] * (len(ours.parameters) + 1)
    places = {p.name: at for at, p in enumerate(ours.parameters)}
    return [places[p.name] for p in theirs.parameters]
