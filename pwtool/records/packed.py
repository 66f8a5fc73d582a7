"""Records as 32-bit words: the form that kernels read. `docs/kernel.md` documents it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pwtool.ir.model import ActionModel, Ruleset
from pwtool.ir.types import Type
from pwtool.kernel.answers import HAS_PARTS, HAS_RANKING, HAS_SCORES, HAS_STOPPED, START, STOPPED
from pwtool.kernel.layout import NONE, Layout
from pwtool.kernel.material import places
from pwtool.play.record import Move, Outcome, Record, Start
from pwtool.play.state import State
from pwtool.records.variables_json import kept


class Unpacker:
    """Unpacks the records of one ruleset."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.layout = Layout(ruleset)
        self.actions = list(ruleset.actions.values())
        self.consequences = list(ruleset.consequences.values())
        self.objectives = list(ruleset.objectives)
        self.steps = [step for step in ruleset.setup if step.recorded]
        self.lines = [score.name for score in ruleset.scores]
        self.endings = [ending.name for ending in ruleset.endings]
        self.members = {number: name for name, number in self.layout.members.items()}

    def unpack(self, words: Sequence[int], names: list[str]) -> Record:
        """The record for these words, with these names for its players."""
        at, players = 2, words[1]
        goals: list[str] = []
        setup: dict[str, Any] = {}
        start = None
        if words[at] == START:
            start, at = self._unpack_start(words, at + 1, players)
            goals = start.state.goals
        else:
            goals, at = self._unpack_goals(words, at)
            for step in self.steps:
                dealt = []
                for _ in range(places(self.ruleset, step, players, len(goals))):
                    dealt.append(list(words[at + 1 : at + 1 + words[at]]))
                    at += 1 + words[at]
                setup[step.name] = dealt
        record = Record(names, goals, setup, [], self.ruleset.address, self.ruleset.version, start=start)
        mask, turns = words[at], words[at + 1]
        record.recorded = frozenset(m.name for n, m in enumerate(self.consequences) if mask >> n & 1)
        at += 2
        from pwtool.play.record import Turn

        for _ in range(turns):
            turn = Turn(words[at], [])
            moves = words[at + 1]
            at += 2
            for index in range(moves):
                move, at = self.unpack_move(words, at, index, players)
                turn.moves.append(move)
            record.turns.append(turn)
        record.outcome = self._unpack_outcome(words, at, players)
        return record

    def _unpack_goals(self, words: Sequence[int], at: int) -> tuple[list[str], int]:
        end = at + 1 + words[at]
        return [self.objectives[number] for number in words[at + 1 : end]], end

    def _unpack_start(self, words: Sequence[int], at: int, players: int) -> tuple[Start, int]:
        player, before, ending, turn = words[at : at + 4]
        goals, at = self._unpack_goals(words, at + 4)
        state = State(self.ruleset, players, goals)

        def pile() -> list[int]:
            nonlocal at
            begin, at = at + 1, at + 1 + words[at]
            return list(words[begin:at])

        for zones in state.zones:
            for zone in zones:
                if not isinstance(zone, dict):
                    zone.extend(pile())
                    continue
                at += 1
                for _ in range(words[at - 1]):
                    cell, at = unpacked_cell(words[at]), at + 1
                    zone[cell] = pile()
        for number in range(len(state.tokens)):
            if words[at] != NONE:
                state.tokens[number] = words[at], unpacked_cell(words[at + 1])
            at += 2
        for variable in kept(self.ruleset).values():
            at += 1
            if not words[at - 1]:
                continue
            t = variable.type
            if t.is_collection:
                state.variables[variable.number] = [self._value(t.element or t, word) for word in pile()]
                continue
            count = players if variable.each else 1
            held = [self._value(t, word) for word in words[at : at + count]]
            state.variables[variable.number] = held if variable.each else held[0]
            at += count
        return Start(state, player, before, None if ending == NONE else (ending, turn)), at

    def unpack_move(self, words: Sequence[int], at: int, index: int, players: int) -> tuple[Move, int]:
        consequence = words[at] < 0
        number = -1 - words[at] if consequence else words[at]
        actor = words[at + 1]
        at += 2
        model: ActionModel = (self.consequences if consequence else self.actions)[number]
        arguments: list[Any] = []
        for p in model.parameters:
            if p.listed or p.kind == "tops":
                count = words[at]
                faces = list(words[at + 1 : at + 1 + count])
                at += 1 + count
                if p.kind == "tops":
                    arguments.append(list(zip(words[at : at + count], faces, strict=True)))
                    at += count
                else:
                    arguments.append(faces)
            elif p.each:
                element = p.type.element or p.type
                arguments.append(tuple(self._value(element, word) for word in words[at : at + players]))
                at += players
            else:
                arguments.append(self._value(p.type, words[at]))
                at += 1
        return Move(number, tuple(arguments), index, actor, consequence), at

    def _value(self, type_: Type, word: int) -> Any:
        if word == NONE:
            return None
        if word in self.members and type_.kind in ("member", "key"):
            return self.members[word]
        if type_.kind == "cell":
            return unpacked_cell(word)
        return bool(word) if type_.kind == "bool" else word

    def _unpack_outcome(self, words: Sequence[int], at: int, players: int) -> Outcome | None:
        flags = words[at]
        at += 1
        if not flags:
            return None
        outcome = Outcome()
        if flags & HAS_PARTS:
            outcome.parts = {}
            for seat in range(players):
                lines = {name: words[at + n] for n, name in enumerate(self.lines) if words[at + n] != NONE}
                at += len(self.lines)
                if lines or not self.lines:
                    outcome.parts[seat] = lines
        if flags & HAS_SCORES:
            outcome.scores = {seat: words[at + seat] for seat in range(players) if words[at + seat] != NONE}
            at += players
        if flags & HAS_RANKING:
            count, places = words[at], words[at + 1 : at + 1 + players]
            outcome.ranking = [[seat for seat in range(players) if places[seat] == n] for n in range(count)]
            at += 1 + players
        if words[at] != NONE:
            outcome.ending = self.endings[words[at]]
        if words[at + 1] != NONE:
            outcome.ending_turn = words[at + 1]
        if flags & HAS_STOPPED:
            outcome.stopped = STOPPED[words[at + 2]]
        return outcome


def unpacked_cell(word: int) -> tuple[int, int]:
    """The column and the row of a packed cell."""
    return (word & 0xFFFF) - (0x10000 if word & 0x8000 else 0), word >> 16
