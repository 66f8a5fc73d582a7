"""A game under way, by pwtool's public interface or by a kernel: the same to whoever plays."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol

import pwtool
from pwtool import Action
from pwtool.kernel.run import Runner
from pwtool.kernel.stepping import Stepper
from pwtool.play.record import EVERYBODY
from pwtool.records.encoding import encode_action
from pwtool.records.ruleset_store import Rulebook
from tests.kernel.packing import Packer


class Table(Protocol):
    """What one sees and does at a table. Turns that cannot but end do so by themselves."""

    setup: dict[str, Any]
    over: bool
    may_end: bool
    options: list[Action]

    def play(self, action: Action) -> None: ...

    def end_turn(self) -> None: ...

    def points(self) -> list[int]: ...

    def winners(self) -> list[int]: ...


class ByInterface:
    """`pwtool.Position`."""

    def __init__(self, rules: pwtool.Rules, players: int, seed: int) -> None:
        record = rules.play(players, seed=seed, max_turns=0)
        self.names = list(record["players"])
        self.setup = record.get("setup", {})
        self._look(rules.replay(record).at(1))

    def _look(self, position: pwtool.Position) -> None:
        while True:
            self.position, self.over, self.may_end = position, position.over, position.may_end_turn
            self.options = position.legal()
            if self.over or self.options or not self.may_end:
                return
            position = position.end_turn()

    def play(self, action: Action) -> None:
        self._look(self.position.play(action))

    def end_turn(self) -> None:
        self._look(self.position.end_turn())

    def points(self) -> list[int]:
        return [int(value) for value in self.position.score().scores.values()]

    def winners(self) -> list[int]:
        return [self.names.index(name) for name in self.position.score().winners or []]


class Compiled:
    """A ruleset as a kernel, for many games."""

    def __init__(self, book: Rulebook) -> None:
        self.book = book
        self.stepper = Stepper(Runner(book.runner().kernel, metered=False))
        self.packer = Packer(book.game.ruleset)
        self.rules = pwtool.load(book.game.ruleset.address)


class ByKernel:
    """A kernel, one action after the other."""

    def __init__(self, compiled: Compiled, players: int, seed: int) -> None:
        self.compiled = compiled
        record = compiled.rules.play(players, seed=seed, max_turns=0)
        self.names = list(record["players"])
        self.setup = record.get("setup", {})
        words = compiled.packer.pack(compiled.book.decoder.record(record))
        assert compiled.stepper.begin(words).is_clean
        self._look()

    def _look(self) -> None:
        stepper, packer, game = self.compiled.stepper, self.compiled.packer, self.compiled.book.game
        moment = stepper.legal()
        while not moment.over and not moment.count and moment.may_end:
            assert stepper.end_turn()
            moment = stepper.legal()
        self.over, self.may_end = moment.over, moment.may_end
        self.options: list[Action] = []
        self._words: dict[int, list[int]] = {}
        at = 0
        for _ in range(moment.count):
            move, end = packer.unpack_move(moment.options, at, 0, len(self.names))
            model = game.action(move.number)
            told = encode_action(game, model, move.arguments, self.names, [])
            del told["action"]
            player = None if move.actor == EVERYBODY else self.names[move.actor]
            action = Action(model.name, player, told, "")
            self._words[id(action)] = list(moment.options[at:end])
            self.options.append(action)
            at = end

    def play(self, action: Action) -> None:
        """Carry out an option, perhaps with other numbers where chance has a say."""
        option = next((o for o in self.options if o is action), None) or next(
            o for o in self.options if o.name == action.name and o.arguments.keys() == action.arguments.keys()
        )
        words = list(self._words[id(option)])
        for at, (name, value) in enumerate(action.arguments.items(), start=2):
            if option.arguments[name] != value:
                words[at] = value
        assert self.compiled.stepper.act(words)
        self._look()

    def end_turn(self) -> None:
        assert self.compiled.stepper.end_turn()
        self._look()

    @cached_property
    def _reply(self) -> Any:
        return self.compiled.stepper.reply()

    def points(self) -> list[int]:
        return list(self._reply.totals)

    def winners(self) -> list[int]:
        return list(self._reply.ranking[0])


__all__ = ["ByInterface", "ByKernel", "Compiled", "Table"]
