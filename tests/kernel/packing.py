"""Packing records as 32-bit words, as kernels do, with none of their code."""

from __future__ import annotations

from array import array
from typing import Any

from pwtool.ir.model import ParameterModel
from pwtool.kernel.answers import HAS_PARTS, HAS_RANKING, HAS_RESULT, HAS_SCORES, HAS_STOPPED, START, STOPPED
from pwtool.kernel.layout import NONE, packed_cell
from pwtool.play.record import Move, Outcome, Record, Start
from pwtool.records.packed import Unpacker
from pwtool.records.variables_json import kept


class Unpackable(Exception):
    """A record that the packed form cannot represent: it has unseen things, or shows what turned up."""


class Packer(Unpacker):
    """Packs and unpacks the records of one ruleset."""

    def pack(self, record: Record) -> array[int]:
        """The words of a record, without its names, id and comments; raises `Unpackable`."""
        if record.has_unseen:
            raise Unpackable
        words = array("i", [0, len(record.players)])
        if record.start is not None:
            self._pack_start(words, record.start)
        elif self.ruleset.goal_zone:
            words.append(len(record.goals))
            words.extend(self.objectives.index(goal) for goal in record.goals)
        else:
            words.append(0)
        for step in self.steps if record.start is None else ():
            for faces in record.setup[step.name]:
                words.append(len(faces))
                words.extend(faces)
        words.append(sum(1 << n for n, model in enumerate(self.consequences) if model.name in record.recorded))
        words.append(len(record.turns))
        for turn in record.turns:
            words.append(turn.player)
            words.append(len(turn.moves))
            for move in turn.moves:
                self._pack_move(words, move)
        self._pack_outcome(words, record.outcome, len(record.players))
        words[0] = len(words)
        return words

    def _pack_start(self, words: array[int], start: Start) -> None:
        state = start.state
        words.extend((START, start.player, start.before, *(start.trigger or (NONE, 0)), len(state.goals)))
        words.extend(self.objectives.index(goal) for goal in state.goals)
        for zones in state.zones:
            for zone in zones:
                if isinstance(zone, dict):
                    words.append(len(zone))
                cells = sorted(zone.items(), key=lambda one: one[0][::-1]) if isinstance(zone, dict) else [(None, zone)]
                for cell, pile in cells:
                    words.extend(() if cell is None else (packed_cell(*cell),))
                    words.append(len(pile))
                    words.extend(pile)
        for token in state.tokens:
            words.extend((NONE, NONE) if token is None else (token[0], packed_cell(*token[1])))
        for variable in kept(self.ruleset).values():
            held = state.variables[variable.number]
            words.append(1)
            if variable.type.is_collection:
                words.append(len(held))
            words.extend(map(self._word, held if isinstance(held, list) else [held]))

    def _pack_move(self, words: array[int], move: Move) -> None:
        if move.reveals:
            raise Unpackable
        models = self.consequences if move.consequence else self.actions
        words.append(-1 - move.number if move.consequence else move.number)
        words.append(move.actor)
        for p, argument in zip(models[move.number].parameters, move.arguments, strict=True):
            if p.kind == "tops":
                words.append(len(argument))
                words.extend(face for _, face in argument)
                words.extend(number for number, _ in argument)
            elif p.listed:
                words.append(len(argument))
                words.extend(argument)
            elif p.each:
                words.extend(self._word(value) for value in argument)
            else:
                words.append(self._argument(p, argument))

    def _argument(self, p: ParameterModel, argument: Any) -> int:
        if p.type.kind == "goal" and isinstance(argument, str):
            # An objective that exists and is not in play.
            raise Unpackable
        return self._word(argument)

    def _word(self, value: Any) -> int:
        return self.layout.members[value] if isinstance(value, str) else self.layout.atom(value)

    def _pack_outcome(self, words: array[int], outcome: Outcome | None, players: int) -> None:
        if outcome is None:
            words.append(0)
            return
        at = len(words)
        words.append(HAS_RESULT if outcome.stopped is None else HAS_STOPPED)
        if outcome.parts is not None:
            words[at] |= HAS_PARTS
            for seat in range(players):
                lines = outcome.parts.get(seat, {})
                words.extend(lines.get(line, NONE) for line in self.lines)
        if outcome.scores is not None:
            words[at] |= HAS_SCORES
            words.extend(outcome.scores.get(seat, NONE) for seat in range(players))
        if outcome.ranking is not None:
            words[at] |= HAS_RANKING
            places = {seat: number for number, group in enumerate(outcome.ranking) for seat in group}
            words.append(len(outcome.ranking))
            words.extend(places.get(seat, -1) for seat in range(players))
        words.append(NONE if outcome.ending is None else self.endings.index(outcome.ending))
        words.append(NONE if outcome.ending_turn is None else outcome.ending_turn)
        if outcome.stopped is not None:
            words.append(STOPPED.index(outcome.stopped))
