"""Games that programs step through, forwards and back: for searches, and for players of one's own."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from pwtool.api.actions import Action
from pwtool.api.given import whole_number
from pwtool.api.one_thread import alone
from pwtool.ir.grids import cells_of
from pwtool.ir.model import ActionModel, ParameterModel
from pwtool.ir.types import Type
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.layout import Layout, packed_cell
from pwtool.kernel.module import load_kernel
from pwtool.kernel.run import Reply, Runner
from pwtool.kernel.stepping import Beyond, Moment
from pwtool.kernel.stepping import Stepper as Steps
from pwtool.play.chance import Chance
from pwtool.play.record import EVERYBODY
from pwtool.play.selfplay import OutOfBounds, deal_at_random
from pwtool.records.encoding import encode_action, encode_record
from pwtool.records.packed import Unpacker
from pwtool.records.ruleset_store import Rulebook
from pwtool.why.moves import tell_action
from pwtool.why.voice import PLAIN

Move = tuple[int, ...]
"""An action in the numbers of a kernel: its number, the seat of its player (-1: all at once), its arguments."""
END: Move = ()
"""The move that ends a turn in which more could be done."""
_TRIES = 1000


class Stepper:
    """A game in progress, played by a kernel. `moves` are the legal actions, `play` carries one out, `undo` takes back
    the last one. Turns in which nothing else is left to do end by themselves; where a turn may end and more could be
    done, `END` is one of the moves. What chance decides is drawn by `random` when an action is played.
    """

    def __init__(self, book: Rulebook, names: list[str], seed: int) -> None:
        self._book, self._names, self.random = book, names, Random(seed)
        ruleset = book.game.ruleset
        self._models = list(ruleset.actions.values())
        self._layout, self._unpacker = Layout(ruleset), Unpacker(ruleset)
        self._sizes = [_size(model, len(names)) for model in self._models]
        for model, p in ((m, p) for m in self._models for p in m.parameters):
            if p.chance and p.kind == "element":
                raise ValueError(f"chance draws `{p.name}` of `{model.name}` from a zone, which a stepper does not")
        self._dealt = deal_at_random(book.game, names, Chance(seed))
        try:
            self._kernel = Steps(Runner(load_kernel(ruleset, book.cache), metered=False))
        except Uncompilable as why:
            raise ValueError(f"kernels cannot play this game: {why}") from None
        packed = self._kernel.pack(json.dumps(encode_record(book.game, self._dealt)).encode(), own=False)
        if packed is None:
            raise ValueError("kernels do not read the beginning of this game")
        # Between the number of words and those of the turns and the result.
        self._head = packed[1:-2]
        self.restart()

    def __reduce__(self) -> str | tuple[Any, ...]:
        raise TypeError(
            "a stepper cannot be copied or pickled: make another one with the same seed and play the same moves"
        )

    # ---- the position

    @property
    def over(self) -> bool:
        """Whether the game is over, or nobody can go on."""
        return self._ended or not self._known

    @property
    def finished(self) -> bool:
        """Whether the rules have ended the game, so that there are scores."""
        return self._ended

    @property
    def played(self) -> list[Move]:
        """The actions that were played, in order, with what chance drew."""
        return [move for turn in self._turns for move in turn]

    @property
    def seat(self) -> int:
        """The seat of the player whose turn it is, from 0; -1 in a round of all."""
        return self._seat

    @property
    def player(self) -> str | None:
        """The name of this player; None in a round of all."""
        return None if self._seat == EVERYBODY else self._names[self._seat]

    @property
    def turn(self) -> int:
        """The number of the turn, from 1."""
        return len(self._turns)

    def totals(self) -> list[int]:
        """The score of each seat. Raises `ValueError` before the game is over."""
        return self._answer().totals

    def ranking(self) -> list[list[int]]:
        """The seats by rank, best first, tied ones together. Raises `ValueError` before the game is over."""
        return self._answer().ranking

    def _answer(self) -> Reply:
        if not self._ended:
            raise ValueError("the game is not over")
        return self._kernel.reply()

    @alone
    def action(self, move: Move) -> Action:
        """A move as people and records say it. Raises `ValueError` for what is no move of this game."""
        if _move(move) == END:
            return Action("end turn", self.player, {}, "end turn")
        try:
            unpacked, end = self._unpacker.unpack_move(move, 0, 0, len(self._names))
            if end != len(move) or unpacked.consequence or not EVERYBODY <= unpacked.actor < len(self._names):
                raise IndexError
        except (IndexError, KeyError, TypeError, ValueError):
            raise ValueError(f"{move} is no move of this game") from None
        game, goals, model = self._book.game, self._dealt.goals, self._models[unpacked.number]
        told = encode_action(game, model, unpacked.arguments, self._names, goals)
        name = told.pop("action")
        actor = None if unpacked.actor == EVERYBODY else self._names[unpacked.actor]
        return Action(name, actor, told, tell_action(PLAIN, game, model, unpacked.arguments, self._names, goals, True))

    @alone
    def record(self) -> dict[str, Any]:
        """The game so far as the JSON of a record."""
        turns = self._turns if self._turns[-1] else self._turns[:-1]
        record = self._unpacker.unpack(self._packed(turns), self._names)
        return encode_record(self._book.game, record)

    # ---- forwards and back

    def play(self, move: Move) -> None:
        """Carry out one of `moves`. Raises `ValueError` for any other, and `OutOfBounds` if the rules go wrong."""
        if _move(move) not in self._known:
            raise ValueError(f"{move} is not legal here")
        turn = len(self._turns)
        if move == END:
            self._kernel.end_turn()
            self._begin_turn()
            self._take(*self._step())
        else:
            done, found = self._drawn(move)
            self._turns[-1].append(done)
            self._take(*found)
        self._log.append((turn, move == END))

    def undo(self) -> None:
        """Take back the last move. Raises `ValueError` at the beginning."""
        if not self._log:
            raise ValueError("nothing has been played")
        turn, ended = self._log.pop()
        del self._turns[turn:], self._seats[turn:]
        if not ended:
            self._turns[-1].pop()
        self._kernel.begin(self._packed(self._turns[:-1]))
        found = self._step()
        # A turn under way is played again: a record that stops there would end it.
        for move in self._turns[-1]:
            found = self._step(move)
        self._take(0, found[1])

    def restart(self) -> None:
        """Go back to the beginning."""
        self._turns: list[list[Move]] = []
        self._seats: list[int] = []
        self._log: list[tuple[int, bool]] = []
        self._kernel.begin(self._packed(()))
        self._seat = EVERYBODY
        self._begin_turn()
        self._take(0, self._step()[1])

    def play_out(self, policies: Sequence[Callable[[Stepper], Move]], most: int = 10_000) -> None:
        """Play until the game is over, or so many moves were made: the policy of the seat whose turn it is chooses one of
        `moves` (in a round of all, that of the seat that the move names first). Raises `ValueError` unless every seat has one,
        and `TypeError` for what is no list of functions.
        """
        if not isinstance(policies, Sequence) or not all(map(callable, policies)):
            raise TypeError("`policies` is a list of functions, one for each seat")
        if len(policies) != len(self._names):
            raise ValueError(f"each of {len(self._names)} players has a policy, not {len(policies)} of them")
        for _ in range(whole_number("most", most, 0)):
            if self.over:
                return
            seat = self._seat if self._seat >= 0 else max(0, self.moves[0][1] if self.moves[0] else 0)
            self.play(policies[seat](self))

    def _step(self, action: Move = ()) -> tuple[int, Moment]:
        try:
            return self._kernel.step(action)
        except Beyond:
            raise OutOfBounds("the rules lead out of their bounds, or an action has too many ways") from None

    def _take(self, ended: int, moment: Moment) -> None:
        """Note what the kernel says after a step that ended so many turns."""
        self._ended, self._seat = moment.over, moment.owner
        # Behind the last turn of a game there is no other.
        for _ in range(ended - moment.over):
            self._begin_turn()
        self._seats[-1] = moment.owner
        self.moves: list[Move] = list(self._listed(moment))
        """The legal actions, and `END` where the turn may end."""
        if moment.may_end and not moment.over:
            self.moves.append(END)
        self._known = set(self.moves)

    def _begin_turn(self) -> None:
        self._turns.append([])
        self._seats.append(self._seat)

    def _listed(self, moment: Moment) -> Iterator[Move]:
        words, at = moment.options, 0
        for _ in range(moment.count):
            size = self._sizes[words[at]]
            end = at + 2 + (self._length(words, at) if size is None else size)
            yield tuple(words[at:end])
            at = end

    def _length(self, words: Sequence[int], at: int) -> int:
        """The number of words for the arguments of an action that begins there."""
        begin = end = at + 2
        for p in self._models[words[at]].parameters:
            end += _size_at(p, words, end, len(self._names))
        return end - begin

    def _packed(self, turns: Sequence[Sequence[Move]]) -> array[int]:
        words = array("i", [0, *self._head, len(turns)])
        for seat, moves in zip(self._seats, turns, strict=False):
            words.extend((seat, len(moves)))
            for move in moves:
                words.extend(move)
        words.append(0)
        words[0] = len(words)
        return words

    # ---- what chance decides

    def _drawn(self, move: Move) -> tuple[Move, tuple[int, Moment]]:
        """A move with what chance draws, evenly among all that the rules allow, and what the kernel says after it."""
        parameters = self._models[move[0]].parameters
        if not any(p.chance or p.kind == "order" for p in parameters):
            return move, self._step(move)
        for _ in range(_TRIES):
            words, at = list(move[:2]), 2
            for p in parameters:
                size = _size_at(p, move, at, len(self._names))
                held = list(move[at : at + size])
                if p.kind == "order":
                    rest = held[1:-1] if p.below else held[1:]
                    self.random.shuffle(rest)
                    held[1 : 1 + len(rest)] = rest
                elif p.chance:
                    held = [self.random.choice(self._values(p.type, p))]
                words += held
                at += size
            try:
                return tuple(words), self._kernel.step(words)
            except Beyond:
                continue
        raise OutOfBounds("chance draws nothing that the rules allow")

    def _values(self, type_: Type, p: ParameterModel) -> Sequence[int]:
        """Everything that chance may draw."""
        match type_.kind:
            case "int":
                return range(type_.low, type_.high + 1)
            case "bool":
                return range(2)
            case "player":
                return range(len(self._names))
            case "goal":
                return range(len(self._dealt.goals))
            case "cell":
                zone = self._book.game.zone_list[p.zone]
                return [packed_cell(*cell) for cell in cells_of(zone.grid)]
            case "member":
                table = self._book.game.ruleset.components[type_.component].attributes[type_.attribute].table
                return [self._layout.members[value] for value in dict.fromkeys(table)]
            case "key":
                return [value for option in type_.options for value in self._values(option, p)]
        raise AssertionError(type_.kind)


def _size(model: ActionModel, players: int) -> int | None:
    """The number of words for the arguments of an action; None if it varies."""
    if any(p.listed or p.kind == "tops" for p in model.parameters):
        return None
    return sum(players if p.each else 1 for p in model.parameters)


def _size_at(p: ParameterModel, words: Sequence[int], at: int, players: int) -> int:
    """The number of words for an argument that begins there."""
    if p.kind == "tops":
        return 1 + 2 * words[at]
    return 1 + words[at] if p.listed else players if p.each else 1


def _move(move: Move) -> Move:
    """Check that it is a tuple. Raises `TypeError`."""
    if not isinstance(move, tuple):
        raise TypeError(f"`move` is one of `moves`, not {type(move).__name__}")
    return move
