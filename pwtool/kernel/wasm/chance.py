"""Random games in a kernel. The draws and their order are those of `pwtool/play/selfplay.py`, so that the same seed
gives the same game.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from operator import or_

from pwtool.ir.ahead import judged_late
from pwtool.ir.model import ActionModel, ParameterModel, SetupModel
from pwtool.kernel import material
from pwtool.kernel.answers import (
    ENDLESS,
    FAILED,
    HAS_PARTS,
    HAS_RANKING,
    HAS_RESULT,
    HAS_SCORES,
    NO_SETUP,
    Uncompilable,
)
from pwtool.kernel.layout import NONE, WORD
from pwtool.kernel.lower import lower
from pwtool.kernel.wasm.actions import APPLY, JUDGE
from pwtool.kernel.wasm.bindings import ArrayOf, PileOf, ValueOf
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.effects import Arguments
from pwtool.kernel.wasm.expressions import Expressions
from pwtool.kernel.wasm.greedy import Greedy
from pwtool.kernel.wasm.judge import Judge
from pwtool.kernel.wasm.kernel import KernelWriter
from pwtool.kernel.wasm.legal import Legal
from pwtool.kernel.wasm.module import I32, I64, Function
from pwtool.kernel.wasm.operands import Expression, Local

STEP = 0x9E3779B97F4A7C15
FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
MAX_DEALS = 1000
MAX_ACTIONS = 10_000
MAX_JOINT = 2_000
MAX_DRAWN = 200
OPTIONS = 1 << 20
"""The number of bytes for the legal ways to do actions at one moment."""
MARGIN = 1 << 16


class RandomPlay:
    """Writes the functions that deal and play at random."""

    def __init__(self, kernel: KernelWriter, judge: Judge, legal: Legal, greedy: bool = False) -> None:
        self.kernel, self.judge, self.legal = kernel, judge, legal
        self.layout, self.ruleset = kernel.layout, kernel.ruleset
        variable = kernel.module.variable
        self.state = variable(I64)
        self.choices, self.single = variable(), variable()
        """The largest number of options in a turn; the number of turns in a game with at most one."""
        self.option_to, self.option_count, self.room_to = variable(), variable(), variable()
        self.options = kernel.layout.reserve(OPTIONS)
        self.pointers = kernel.layout.reserve(OPTIONS)
        self.kinds = kernel.layout.reserve(len(judge.models) * 64 * 4 * WORD)
        self.below = self._below()
        self.ways = [self._ways(model) for model in judge.models]
        self.greedy = Greedy(kernel, judge, self.kinds, self.pointers, OPTIONS // WORD, self.below) if greedy else None
        self.likely = [
            self._listed(model, early=True) if judged_late(model) and not greedy else ways
            for model, ways in zip(judge.models, self.ways, strict=True)
        ]

    # ---- random numbers

    def _below(self) -> Function:
        """`(count)`: a number from 0 to `count` - 1."""
        draw, code = self.kernel.function("draw", 0, I64)
        state, z = code.global_(self.state, I64), code.local(kind=I64)
        state.set(state + STEP)
        z.set((state ^ state.shifted_down(30)) * FIRST)
        z.set((z ^ z.shifted_down(27)) * SECOND)
        (z ^ z.shifted_down(31)).write()
        made, code = self.kernel.function("below", 1)
        count = code.arguments[0]
        product, least = code.local(kind=I64), code.local()

        def take() -> None:
            product.set(code.call(draw).shifted_down(32) * count.wide())

        take()
        with code.when(product.narrow().below(count)):
            least.set((code.value(0) - count).remainder(count))
            with code.while_(product.narrow().below(least)):
                take()
        product.shifted_down(32).narrow().write()
        return made

    # ---- dealing

    def _deal(self) -> Function:
        """`(to)`: deal at random; `to` is the address after the packed setup."""
        made, code = self.kernel.function("deal", 1)
        to = code.arguments[0]
        choose = next((s for s in self.ruleset.setup if s.kind == "choose"), None)
        code.store(to, 0 if choose is None else choose.amount)
        to.add(WORD)
        if choose is not None:
            count = len(self.ruleset.objectives)
            deck = code.value(self.layout.reserve(count * WORD))
            code.copy(deck, code.value(self.kernel.table(list(range(count)))), count * WORD)
            with code.borrowed() as at:
                at.set(0)
                with code.while_(at < choose.amount):
                    self._swap(code, deck, at, at + code.call(self.below, code.value(count) - at))
                    code.store(to, (deck + at * WORD).word())
                    to.add(WORD)
                    at.add(1)
        decks: dict[str, tuple[int, Local]] = {}
        for step in self.ruleset.setup:
            if step.recorded:
                if step.deck not in decks:
                    decks[step.deck] = self._shuffled(code, step.deck)
                self._dealt(code, step, *decks[step.deck], to)
        to.write()
        return made

    def _swap(self, code: Code, deck: Expression, one: Expression, other: Expression) -> None:
        with code.borrowed() as a, code.borrowed() as b, code.borrowed() as held:
            a.set(deck + one * WORD)
            b.set(deck + other * WORD)
            held.set(a.word())
            code.store(a, b.word())
            code.store(b, held)

    def _shuffled(self, code: Code, deck: str) -> tuple[int, Local]:
        """A shuffled deck: its address, and the index of its next card; the number of cards is stored before it."""
        low, high = self.ruleset.min_players, self.layout.max_players
        sorted_ = {p: sorted(material.deck_counts(self.ruleset, deck, p).elements()) for p in range(low, high + 1)}
        address = self.layout.reserve((1 + max(map(len, sorted_.values()))) * WORD)
        for players, cards in sorted_.items():
            with code.when(code.global_(self.kernel.players).equals(players)):
                source = self.kernel.table([len(cards), *cards])
                code.copy(code.value(address), code.value(source), (1 + len(cards)) * WORD)
        self._shuffle(code, code.value(address))
        return address, code.local(0)

    def _shuffle(self, code: Code, pile: Expression) -> None:
        with code.borrowed() as last:
            last.set(pile.word() - 1)
            with code.while_(last > 0):
                self._swap(code, pile + WORD, last, code.call(self.below, last + 1))
                last.add(-1)

    def _with_chance(self, code: Code, number: Expression, chosen: Local) -> None:
        """Shuffle the orders among the arguments of an action, and draw the values that are left to chance."""
        for model in self.judge.models:
            if model.shuffles and model.number not in self.ruleset.idle:
                with code.when(number.equals(model.number)):
                    end = code.local(chosen)
                    read = self.judge.actions.read(code, model, end)
                    origins: dict[str, Local] = {}
                    last = len(model.parameters)
                    for at, p in enumerate(model.parameters):
                        order = read.scope[p.slot]
                        if p.kind == "order" and isinstance(order, PileOf):
                            self._shuffle(code, order.address)
                        if p.kind in ("element", "elements") and not p.chance and p.origin is not None:
                            write = Expressions(self.kernel, code, self.judge.shared)
                            origins[p.name] = code.local(write.address(lower(p.origin), read.scope))
                        if p.chance:
                            drawn = code.local(self._drawn(code, model, p, read, origins))
                            read.scope[p.slot] = ValueOf(drawn)
                            code.store(end - (last - at) * WORD, drawn)

    def _drawn(
        self, code: Code, model: ActionModel, p: ParameterModel, read: Arguments, origins: dict[str, Local]
    ) -> Expression:
        """The value that chance draws for a parameter, each thing or value equally likely."""
        if p.kind == "element":
            space = self.legal.available(code, model, p, read, origins)
            at = code.local(code.call(self.below, code.value(space).word()))
            return (at * WORD).word(space + WORD)
        if p.kind == "cell":
            zone = self.kernel.zone(p.zone)
            at = code.local(code.call(self.below, code.value(zone.width * zone.height)))
            return (at // zone.width << 16) | at.remainder(zone.width)
        count, of = self.legal.domain(code, p.type)
        return of(code.local(code.call(self.below, count)))

    def _dealt(self, code: Code, step: SetupModel, deck: int, taken: Local, to: Local) -> None:
        """The cards of a step, dealt one at a time to each of its places in turn."""
        players, goals = code.global_(self.kernel.players), self.layout.goals
        zone = self.kernel.zone(step.zone)
        places: Expression = code.value(1)
        if step.spread:
            places = code.value(zone.width * zone.height)
        else:
            for name, size in zone.dimensions:
                places = places * (players if name == "player" else code.value(goals if name == "goal" else size))
        count, place, at, start = code.local(places), code.local(0), code.local(), code.local()
        rest = code.value(deck).word() - taken
        total = code.local(code.choose(count * step.amount < rest, count * step.amount, rest) if step.amount else rest)
        with code.while_below(place, count):
            start.set(to)
            to.add(WORD)
            at.set(place)
            with code.while_(at < total):
                code.store(to, ((at + taken) * WORD).word(deck + WORD))
                to.add(WORD)
                at.set(at + count)
            code.store(start, (to - start).shifted_down(2) - 1)
        taken.add(total)

    # ---- legal actions

    def _ways(self, model: ActionModel) -> Function:
        """`()`: list the arguments of every legal way to do an action; if very many joint actions are possible, of a
        random selection of them.
        """
        listed = self._listed(model)
        if not model.joint:
            return listed
        made, code = self.kernel.function(f"some ways to {model.name}", 0, None)
        # Counted only as far as it matters.
        ways = code.local(1, I64)
        domains = [self.legal.domain(code, p.type.element or p.type) for p in model.parameters]
        most = code.value(1 << 32, I64)
        for p, (count, _) in zip(model.parameters, domains, strict=True):
            times = code.local(code.global_(self.kernel.players) if p.each else code.value(1))
            with code.while_(times > 0):
                ways.set(ways * count.wide())
                ways.set(code.choose(ways > most, most, ways))
                times.add(-1)
        with code.when(ways <= MAX_JOINT):
            code.do(listed)
            code.leave()
        before = code.local(code.global_(self.option_count))
        drawn, to, seat = code.local(0), code.local(), code.local()
        act = self.judge.acts[model.number][0]
        with code.while_below(drawn, MAX_DRAWN):
            to.set(code.global_(self.option_to))
            for p, (count, of) in zip(model.parameters, domains, strict=True):
                if not p.each:
                    code.store(to, of(code.local(code.call(self.below, count))))
                    to.add(WORD)
                    continue
                seat.set(0)
                with code.while_below(seat, code.global_(self.kernel.players)):
                    code.store(to, of(code.local(code.call(self.below, count))))
                    to.add(WORD)
            with code.when(code.call(act, code.global_(self.option_to), -1, JUDGE).is_zero()):
                self._noted(code, to)
        count_ = code.global_(self.option_count)
        with code.when(count_.equals(before)):
            # If none of them is legal, the first one that is.
            code.do(listed)
            count_.set(code.choose(count_ > before, before + 1, before))
        return made

    def _listed(self, model: ActionModel, early: bool = False) -> Function:
        """`()`: list the arguments of every legal way to do an action. Local variables hold the next address meanwhile."""
        made, code = self.kernel.function(f"{'likely ' * early}ways to {model.name}", 0, None)
        option_to, count = code.global_(self.option_to), code.global_(self.option_count)
        to, noted = code.local(option_to), code.local(count * WORD + self.pointers)
        self.legal.each_way(code, model, lambda arguments: self._note(code, model, arguments, to, noted), early)
        option_to.set(to)
        count.set((noted - self.pointers).shifted_down(2))
        return made

    def _note(self, code: Code, model: ActionModel, arguments: Arguments, to: Local, noted: Local) -> None:
        """Write down the arguments of one way."""
        code.store(noted, to)
        for p in model.parameters:
            bound = arguments.scope[p.slot]
            match bound:
                case ValueOf():
                    code.store(to, bound.value)
                    to.add(WORD)
                case PileOf():
                    count = code.local(bound.address.word() + 1)
                    code.copy_words(to, bound.address, count)
                    to.set(to + count * WORD)
                    if p.kind == "tops":
                        code.copy_words(to, arguments.numbers[p.slot], count - 1)
                        to.set(to + (count - 1) * WORD)
                case ArrayOf():
                    code.copy_words(to, bound.address, code.global_(self.kernel.players))
                    to.set(to + code.global_(self.kernel.players) * WORD)
                case _:
                    raise Uncompilable("an argument is not a value")
        noted.add(WORD)
        # Hardly any action has no arguments: there is room for as many ways as for their contents.
        with code.when(to > self.options + OPTIONS - MARGIN):
            self.kernel.give_up(code)
            to.set(code.value(noted - WORD).word())
            noted.add(-WORD)

    def _noted(self, code: Code, to: Local) -> None:
        option_to, count = code.global_(self.option_to), code.global_(self.option_count)
        with code.when((to > self.options + OPTIONS - MARGIN) | (count >= OPTIONS // WORD - 1)):
            self.kernel.give_up(code)
            code.otherwise()
            code.store(count * WORD, option_to, self.pointers)
            count.set(count + 1)
            option_to.set(to)

    # ---- playing

    def play(self) -> Function:
        """`(seed, players, most turns, out, room)`: play a game at random into a packed record; its number of words, or
        `FAILED`, `NO_SETUP`, `ENDLESS`.
        """
        deal, turn = self._deal(), self._turn()
        made, code = self.kernel.function("play", (I64, I32, I32, I32, I32), I32, exported=True)
        seed, players, most, out, room = code.arguments
        kernel, judge = self.kernel, self.judge
        code.global_(self.state, I64).set(seed)
        code.global_(self.room_to).set(out + room - MARGIN)
        with code.when(
            (players - self.ruleset.min_players).below(self.layout.max_players - self.ruleset.min_players + 1).is_zero()
        ):
            code.leave(FAILED)
        to, deals = code.local(), code.local(0)
        with code.loop() as again:
            with code.when(deals >= MAX_DEALS):
                code.leave(NO_SETUP)
            deals.add(1)
            code.global_(kernel.players).set(players)
            code.do(judge.table.reset)
            to.set(code.call(deal, out + 2 * WORD))
            code.branch_if(again, code.call(judge.set_up, out + 2 * WORD))
        code.store(to, sum(1 << number for number, model in enumerate(judge.outcomes) if not model.each_action))
        turns_at = code.local(to + WORD)
        code.store(turns_at, 0)
        single = code.global_(self.single)
        single.set(0)
        to.add(2 * WORD)
        after = code.local()
        with code.until(judge.table.over(code) | (turns_at.word() >= most)) as (stalled, _):
            after.set(code.call(turn, to))
            with code.when(code.global_(kernel.beyond) | (after > code.global_(self.room_to))):
                code.leave(FAILED)
            with code.when(after < 0):
                code.leave(ENDLESS)
            code.branch_if(stalled, after.is_zero())
            code.store(turns_at, turns_at.word() + 1)
            single.set(single + (code.global_(self.choices) <= 1))
            to.set(after)
        self._put_result(code, to)
        with code.when(code.global_(kernel.beyond)):
            code.leave(FAILED)
        code.store(out, (to - out).shifted_down(2))
        code.store(out, players, WORD)
        (to - out).shifted_down(2).write()
        return made

    def _turn(self) -> Function:
        """`(to)`: play a turn and write it down; the address after it, 0 if nobody can do anything, -1 if it does not end."""
        made, code = self.kernel.function("play a turn", 1)
        kernel, judge = self.kernel, self.judge
        start = code.arguments[0]
        to, moves, ends = code.local(start + 2 * WORD), code.local(0), code.local()
        owner = code.global_(kernel.owner)
        code.do(judge.begin_turn, judge.table.next_player(code))
        code.store(start, owner)
        chosen, kind, kinds, first, count, at = (code.local() for _ in range(6))
        choices = code.global_(self.choices)
        choices.set(0)
        with code.until(judge.table.over(code)) as (done, _):
            self.list_kinds(code, kinds, self.likely)
            ends.set(code.both(moves, code.call(judge.may_stop).is_zero()))
            count.set(code.global_(self.option_count) + ends)
            choices.set(code.choose(count > choices, count, choices))
            if self.greedy is None:
                with code.when(ends):
                    code.branch_if(done, code.one_of(kinds.is_zero(), code.call(self.below, 5) < 2))
            with code.loop() as other:
                with code.when(kinds.is_zero()):
                    code.branch_if(done, ends)
                    code.leave(0)
                if self.greedy is None:
                    kind.set(code.call(self.below, kinds) * (4 * WORD) + self.kinds)
                    first.set(kind.word(2 * WORD))
                    count.set(kind.word(3 * WORD))
                    at.set((first + code.call(self.below, count)) * WORD + self.pointers)
                else:
                    first.set(code.call(self.greedy.pick, kinds, ends))
                    code.branch_if(done, first.is_zero())
                    kind.set(first.word())
                    at.set(first.word(WORD))
                chosen.set(at.word())
                acting = code.global_(kernel.actor)
                acting.set(code.choose(kind.word(WORD) > 0, kind.word(WORD), 0))
                self._with_chance(code, kind.word(), chosen)
                acting.set(code.choose(owner > 0, owner, 0))
                with code.when(moves >= MAX_ACTIONS):
                    code.leave(-1)
                refused = code.call(judge.do, kind.word(), chosen, kind.word(WORD), self._asked(code, kind.word()))
                with code.when(refused):
                    self._put_aside(code, kind, kinds, at)
                    code.branch(other)
            code.store(to, kind.word())
            code.store(to, kind.word(WORD), WORD)
            count.set(code.global_(judge.actions.next_argument) - chosen)
            code.copy_words(to + 2 * WORD, chosen, count.shifted_down(2))
            to.set(to + count + 2 * WORD)
            moves.add(1)
            with code.when((to > code.global_(self.room_to)) | code.global_(kernel.beyond)):
                self.kernel.give_up(code)
                code.leave(0)
        log = code.global_(judge.log)
        with code.when(judge.table.over(code).is_zero()):
            log.set(to)
            code.do(judge.follow, to, to, 0)
            self._count_log(code, to, log, moves)
            to.set(log)
            log.set(0)
        code.store(start, moves, WORD)
        code.do(judge.end_turn)
        to.write()
        return made

    def _asked(self, code: Code, number: Expression) -> Expression:
        """The steps for a chosen action: it is judged unless all its rules were evaluated before."""
        late = [number.equals(model.number) for model in self.judge.models if judged_late(model)]
        return code.choose(reduce(or_, late), JUDGE | APPLY, APPLY) if late else code.value(APPLY)

    def _put_aside(self, code: Code, kind: Local, kinds: Local, at: Local) -> None:
        """Remove one way from the options, and its kind if it was the last one; the last way takes its place."""
        count = code.local(kind.word(3 * WORD) - 1)
        code.store(at, ((kind.word(2 * WORD) + count) * WORD).word(self.pointers))
        code.store(kind, count, 3 * WORD)
        with code.when(count.is_zero()):
            kinds.add(-1)
            code.copy_words(kind, kinds * (4 * WORD) + self.kinds, 4)

    def _count_log(self, code: Code, to: Local, log: Expression, moves: Local) -> None:
        """Count the consequences that were noted from `to` to `log`."""
        at = code.local(to)
        with code.block() as done, code.loop() as again:
            code.branch_if(done, at >= log)
            moves.add(1)
            for number, model in enumerate(self.judge.outcomes):
                with code.when(at.word().equals(-1 - number)):
                    at.add((2 + len(model.parameters)) * WORD)
                    code.branch(again)
            code.branch(done)

    def list_kinds(self, code: Code, kinds: Local, ways_to: list[Function]) -> None:
        """List all options at `self.kinds`, using these functions for the ways to do each action: for each action and
        actor, the index of the first of its ways, and how many there are.
        """
        kernel, judge = self.kernel, self.judge
        actor, owner = code.global_(kernel.actor), code.global_(kernel.owner)
        option_to, option_count = code.global_(self.option_to), code.global_(self.option_count)
        option_to.set(self.options)
        option_count.set(0)
        kinds.set(0)
        total = code.local(0)
        for model, actors, ways in zip(judge.models, judge.actors, ways_to, strict=True):
            if model.number in self.ruleset.idle:
                continue
            bits, seat, entry = code.local(code.call(actors), I64), code.local(), code.local()
            with code.until(bits.equals(0)):
                seat.set(bits.trailing_zeros().narrow() - 1)
                bits.set(bits & (bits - 1))
                actor.set(code.choose(seat > 0, seat, 0))
                self._list_ways(code, ways, total)
                actor.set(code.choose(owner > 0, owner, 0))
                with code.when(option_count > total):
                    entry.set(kinds * (4 * WORD) + self.kinds)
                    code.store(entry, model.number)
                    code.store(entry, seat, WORD)
                    code.store(entry, total, 2 * WORD)
                    code.store(entry, option_count - total, 3 * WORD)
                    kinds.add(1)
                    total.set(option_count)

    def _list_ways(self, code: Code, ways: Function, total: Local) -> None:
        code.global_(self.option_count).set(total)
        code.do(ways)

    def _put_result(self, code: Code, to: Local) -> None:
        """Write what follows the turns: nothing, or the result if the game is over."""
        judge, players, lines = self.judge, code.global_(self.kernel.players), len(self.ruleset.scores)
        most = self.layout.max_players
        with code.when(judge.table.over(code).is_zero()):
            code.store(to, 0)
            to.add(WORD)
            code.otherwise()
            code.do(judge.score)
            code.store(to, HAS_RESULT | HAS_SCORES | HAS_PARTS | HAS_RANKING)
            to.add(WORD)
            seat = code.local(0)

            def put(value: Expression) -> None:
                code.store(to, value)
                to.add(WORD)

            @contextmanager
            def each() -> Iterator[Expression]:
                seat.set(0)
                with code.while_below(seat, players):
                    yield seat * ((1 + lines) * WORD)

            with each() as own:
                for line in range(lines):
                    put(own.word(judge.scores + (1 + line) * WORD))
            with each() as own:
                put(own.word(judge.scores))
            put(code.value(judge.ranks + most * WORD).word())
            with each():
                put((seat * WORD).word(judge.ranks))
            ending = code.global_(self.kernel.ending)
            put(code.choose(ending < 0, NONE, ending))
            put(code.choose(ending < 0, NONE, code.global_(self.kernel.ending_turn)))
