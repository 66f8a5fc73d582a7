"""A game in a kernel: the first position, turns, consequences, endings, scores."""

from __future__ import annotations

from collections.abc import Callable

from pwtool.ir.grids import cells_of
from pwtool.ir.model import ActionModel, SetupModel, VariableModel
from pwtool.kernel import material
from pwtool.kernel.answers import START, Uncompilable
from pwtool.kernel.layout import MAX_LIST, NONE, WORD, GridPlace, packed_cell
from pwtool.kernel.lower import lower
from pwtool.kernel.wasm.actions import SETUP, Actions
from pwtool.kernel.wasm.bitboards import LONG
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.expressions import Expressions
from pwtool.kernel.wasm.kernel import KernelWriter
from pwtool.kernel.wasm.module import Function
from pwtool.kernel.wasm.module_functions import ModuleFunctions
from pwtool.kernel.wasm.operands import Expression, Local
from pwtool.kernel.wasm.order import EVERYBODY, Order
from pwtool.kernel.wasm.starts import StartLoader


class GameWriter:
    """Writes the functions that set up a game and proceed from turn to turn."""

    def __init__(self, kernel: KernelWriter, shared: ModuleFunctions, actions: Actions) -> None:
        self.kernel, self.shared, self.actions = kernel, shared, actions
        self.ruleset, self.layout = kernel.ruleset, kernel.layout
        self.order = Order(kernel, shared)
        self.reset, self._reset_code = kernel.function("reset", 0, None)
        self.first_values = {per: self._variables(per) for per in ("game", "turn")}

    # ---- the first position

    def finish(self) -> None:
        """Write `reset`: it clears all remembered values, so it is written last."""
        code, kernel = self._reset_code, self.kernel
        self.shared.grids.finish()
        for address in self.layout.tokens:
            # What is nowhere has no cell either: positions that are the same are the same words.
            code.store(address, NONE)
            code.store(address, NONE, WORD)
        for zone, place in enumerate(self.layout.zones):
            if isinstance(place, GridPlace):
                self.shared.grids.reset(code, zone)
            elif place.count == 1:
                code.store(place.address, 0)
            else:
                with code.borrowed() as pile:
                    pile.set(place.address)
                    with code.loop() as again:
                        code.store(pile, 0)
                        pile.add(place.size)
                        code.branch_if(again, pile < place.address + place.size * place.count)
        for address, size in kernel.cleared:
            code.fill(address, 0, size)
        for address, content in kernel.watch.begun:
            for at in range(0, len(content), LONG):
                code.store_long(address + at, int.from_bytes(content[at : at + LONG], "little"))
        for variable, value in (
            (kernel.turn, 0), (kernel.left, NONE), (kernel.ending, -1), (kernel.ending_turn, 0), (kernel.beyond, 0),
            (kernel.actor, 0), (kernel.rule, 0), (kernel.undo.next, 0), (kernel.before, 0),
        ):  # fmt: skip
            code.global_(variable).set(value)
        # The seat after which the first player comes.
        code.global_(kernel.owner).set(code.global_(kernel.players) - 1)

    def _variables(self, per: str) -> Function:
        """`()`: give the variables of a turn (or of the game) their initial values."""
        made, code = self.kernel.function(f"first values per {per}", 0, None)
        write = Expressions(self.kernel, code, self.shared)
        for variable in self.ruleset.variables.values():
            if variable.per != per:
                continue
            address = self.layout.variables[variable.number]
            if variable.each:
                self._of_each(code, write, variable)
            elif not variable.type.is_collection:
                code.store(address, self._first_value(write, variable))
            elif variable.initial is None:
                code.store(address, 0)
            else:
                with write.listed(lower(variable.initial), {}) as pile, code.when(pile.address.word() > MAX_LIST):
                    self.kernel.give_up(code)
                    code.otherwise()
                    code.copy(code.value(address), pile.address, (pile.address.word() + 1) * WORD)
        return made

    def _of_each(self, code: Code, write: Expressions, variable: VariableModel) -> None:
        """Give a per-player variable its initial values."""
        actor, address = code.global_(self.kernel.actor), self.layout.variables[variable.number]
        own = code.local(actor)
        with self.kernel.each_player(code):
            code.store(actor * WORD, self._first_value(write, variable), address)
        actor.set(own)

    def _first_value(self, write: Expressions, variable: VariableModel) -> Expression:
        nothing = write.code.value(0 if variable.type.kind == "bool" else NONE)
        return nothing if variable.initial is None else write.value(lower(variable.initial), {})

    def setup(self) -> Function:
        """`(setup)`: the first position from the recorded deals: the number of objectives in play and the objectives,
        then for each zone (or cell) that a deal goes to a pile; or from a packed position. 0, or 1 if something is wrong
        with it; `next_argument` is then the address after it.
        """
        made, code = self.kernel.function("set up", 1)
        at = code.arguments[0]
        if self.kernel.starts:
            load = StartLoader(self.kernel, self.shared, self.actions).load(self.first_values)
            with code.when(at.word().equals(START)):
                code.leave(code.call(load, at + WORD))
        goals = code.local(at)
        at.set(at + (at.word() + 1) * WORD)
        pools: dict[str, int] = {}
        for step in self.ruleset.setup:
            match step.kind:
                case "choose":
                    self._choose(code, step, goals)
                case "put":
                    self._put(code, step)
                case "deal":
                    self._deal(code, step, at, pools)
        code.global_(self.actions.next_argument).set(at)
        code.do(self.first_values["game"])
        code.do(self.first_values["turn"])
        for rule in self.ruleset.setup_rules:
            self.actions.judge(code, {}, rule, lambda rule=rule: self.actions.refuse(code, SETUP, rule.id))  # type: ignore[misc]
        code.value(0).write()
        return made

    def _choose(self, code: Code, step: SetupModel, goals: Local) -> None:
        def refuse() -> None:
            self.actions.refuse(code, SETUP, f"setup.{step.name}")

        with code.when(goals.word().differs(step.amount)):
            refuse()
        code.copy(code.value(self.layout.goal_table), goals + WORD, step.amount * WORD)
        with code.borrowed() as one, code.borrowed() as other:
            for number in range(1, step.amount):
                one.set(goals.word((number + 1) * WORD))
                for before in range(number):
                    other.set(goals.word((before + 1) * WORD))
                    with code.when(one.equals(other)):
                        refuse()

    def _each_zone(self, code: Code, zone: int, body: Callable[[Expression], None]) -> None:
        """Code for each zone of a name, given the numbers of players and objectives."""
        place = self.kernel.place(zone)
        write = Expressions(self.kernel, code, self.shared)
        write.each_zone(zone, 0, code.value(place.address), lambda binding: body(binding.address))  # type: ignore[union-attr]

    def _put(self, code: Code, step: SetupModel) -> None:
        zone = step.zone
        capacity = self.kernel.place(zone).capacity

        def lay_board(grid: Expression) -> None:
            for (x, y), faces in step.board:
                for face in faces:
                    code.do(self.shared.grids.push(zone), grid, packed_cell(x, y), face)

        if step.board:
            self._each_zone(code, zone, lay_board)
        write = Expressions(self.kernel, code, self.shared)
        with code.block() as done:
            for values, when in step.cases:
                condition = code.value(1) if when is None else write.value(lower(when), {})
                with code.when(condition):

                    def lay(pile: Expression, values: tuple[int, ...] = values) -> None:
                        for value in values:
                            self.shared.push(code, pile, code.value(value), capacity)

                    self._each_zone(code, zone, lay)
                    code.branch(done)

    def _deal(self, code: Code, step: SetupModel, at: Local, pools: dict[str, int]) -> None:
        players = range(self.ruleset.min_players, self.layout.max_players + 1)
        component = self.ruleset.components[self.ruleset.decks[step.deck].component]
        faces = len(component.codes)
        if step.owner:
            self._deal_by_owner(code, step)
            return
        if step.deck not in pools:
            pools[step.deck] = self.layout.reserve(faces * WORD)
            counts = []
            for p in players:
                deck = material.deck_counts(self.ruleset, step.deck, p)
                counts += [deck[face] for face in range(faces)]
            table = self.kernel.table(counts)
            which = code.global_(self.kernel.players) - players[0]
            code.copy(code.value(pools[step.deck]), which * (faces * WORD) + table, faces * WORD)
        pool = pools[step.deck]

        def refuse() -> None:
            self.actions.refuse(code, SETUP, f"setup.{step.name}")

        index, face, slot = code.local(), code.local(), code.local()

        def take(lay: Callable[[Expression], None]) -> None:
            if step.amount:
                with code.when(at.word().differs(step.amount)):
                    refuse()
            index.set(0)
            with code.until(index >= at.word()):
                index.add(1)
                face.set((at + index * WORD).word())
                slot.set(face * WORD + pool)
                code.store(slot, slot.word() - 1)
                with code.when(slot.word() < 0):
                    refuse()
                lay(face)
            at.add((at.word() + 1) * WORD)

        self._to_places(code, step, take)
        if not step.amount:
            index.set(0)
            with code.while_below(index, faces), code.when((index * WORD).word(pool) > 0):
                refuse()

    def _to_places(self, code: Code, step: SetupModel, take: Callable[[Callable[[Expression], None]], None]) -> None:
        """Each place that a deal goes to, in order."""
        zone = self.kernel.zone(step.zone)
        place = self.kernel.place(step.zone)
        push = self.shared.grids.push(step.zone) if zone.kind == "grid" else None
        if step.spread:
            assert push is not None
            cell = code.local()
            for y in range(zone.height):
                for x in range(zone.width):
                    cell.set(packed_cell(x, y))
                    take(lambda face: code.do(push, place.address, cell, face))
            return
        if push is not None:
            assert step.cell is not None
            where = packed_cell(*step.cell)
            self._each_zone(code, step.zone, lambda grid: take(lambda face: code.do(push, grid, where, face)))
            return
        self._each_zone(
            code, step.zone, lambda pile: take(lambda face: self.shared.push(code, pile, face, place.capacity))
        )

    def _deal_by_owner(self, code: Code, step: SetupModel) -> None:
        component = self.ruleset.components[self.ruleset.decks[step.deck].component]
        owners = component.attributes[step.owner].table
        place = self.kernel.place(step.zone)
        players = range(self.ruleset.min_players, self.layout.max_players + 1)
        for p in players:
            dealt: list[list[int]] = [[] for _ in range(p)]
            for face, count in sorted(material.deck_counts(self.ruleset, step.deck, p).items()):
                if owners[face] < p:
                    dealt[owners[face]] += [face] * count
            with code.when(code.global_(self.kernel.players).equals(p)):
                for seat, things in enumerate(dealt):
                    source = self.kernel.table([len(things), *things])
                    code.copy(
                        code.value(place.address + seat * place.size), code.value(source), (len(things) + 1) * WORD
                    )  # fmt: skip

    # ---- turns

    def begin_turn(self) -> Function:
        """`(owner)`: begin the next turn, played by this seat (`EVERYBODY`: a round)."""
        made, code = self.kernel.function("begin turn", 1, None)
        turn, owner = code.global_(self.kernel.turn), code.global_(self.kernel.owner)
        if self.ruleset.histories:
            # The last actor is the player of the previous turn; before the first turn, the seat before its player.
            code.global_(self.kernel.actor).set(code.choose(owner > 0, owner, 0))
            self.shared.histories.remember(code)
        turn.set(turn + 1)
        owner.set(code.arguments[0])
        code.global_(self.kernel.actor).set(code.choose(owner > 0, owner, 0))
        self.order.start(code)
        code.do(self.first_values["turn"])
        return made

    def next_player(self, code: Code) -> Expression:
        """Who plays the next turn."""
        if self.ruleset.rounds:
            return code.value(EVERYBODY)
        owner, players = code.global_(self.kernel.owner), code.global_(self.kernel.players)
        return code.choose(owner + 1 < players, owner + 1, 0)

    def over(self, code: Code) -> Expression:
        return code.global_(self.kernel.left).is_zero()

    def at_once(self) -> Function:
        """`()`: check for an ending that comes right after an action."""
        made, code = self.kernel.function("end at once", 0, None)
        write = Expressions(self.kernel, code, self.shared)
        for number, ending in enumerate(self.ruleset.endings):
            if ending.at_once:
                with code.when(code.both(write.value(lower(ending.condition), {}), self.over(code).is_zero())):
                    self._trigger(code, number)
                    code.global_(self.kernel.left).set(0)
        return made

    def _trigger(self, code: Code, number: int) -> None:
        code.global_(self.kernel.ending).set(number)
        code.global_(self.kernel.ending_turn).set(code.global_(self.kernel.turn))

    def end_turn(self) -> Function:
        """`()`: count the turn and check whether an ending is triggered."""
        made, code = self.kernel.function("end turn", 0, None)
        write = Expressions(self.kernel, code, self.shared)
        left = code.global_(self.kernel.left)
        with code.when(left.differs(NONE)):
            left.set(code.choose(left > 0, left - 1, 0))
            code.leave()
        for number, ending in enumerate(self.ruleset.endings):
            if ending.at_once:
                continue
            with code.when(write.value(lower(ending.condition), {})):
                self._trigger(code, number)
                rounds = ending.more_turns or 0
                each = code.value(1) if self.ruleset.rounds else code.global_(self.kernel.players)
                left.set((each - int(ending.others)) * rounds)
                code.leave()
        return made

    # ---- consequences

    def each_case(self, code: Code, model: ActionModel, body: Callable[[list[Expression]], None]) -> None:
        """Code for every value of the parameters of a consequence."""
        given = [p for p in model.parameters if p.kind != "derived"]

        def deeper(values: list[Expression]) -> None:
            if len(values) == len(given):
                body(values)
                return
            p = given[len(values)]
            with code.borrowed() as value, code.borrowed() as end, code.block() as done:
                if p.kind == "cell":
                    space = self._cells(code, p.zone)
                    value.set(space)
                    end.set(space + space.word() * WORD)
                    with code.loop() as again:
                        code.branch_if(done, value >= end)
                        value.add(WORD)
                        with code.borrowed() as cell:
                            cell.set(value.word())
                            deeper([*values, cell])
                        code.branch(again)
                    return
                value.set(0)
                end.set(self.layout.goals if p.type.kind == "goal" else code.global_(self.kernel.players))
                with code.loop() as again:
                    code.branch_if(done, value >= end)
                    deeper([*values, value])
                    value.add(1)
                    code.branch(again)

        deeper([])

    def _cells(self, code: Code, number: int) -> Expression:
        """The address of a list of all cells of a grid, by rows. Raises `Uncompilable` for a floating grid."""
        place = self.kernel.grid(number)
        zone = place.zone
        if not zone.floating:
            cells = [packed_cell(x, y) for x, y in cells_of(zone.grid)]
            return code.value(self.kernel.table([len(cells), *cells]))
        raise Uncompilable("a consequence goes through the cells of a grid that floats")

    # ---- scores

    def score(self) -> tuple[Function, int, int]:
        """`()`: score the game as if it ended here; together with the addresses of its results: for each seat the total
        and the lines; for each seat its rank from 0, followed by the number of ranks.
        """
        made, code = self.kernel.function("score", 0, None)
        write = Expressions(self.kernel, code, self.shared)
        most, lines = self.layout.max_players, len(self.ruleset.scores)
        scores = self.layout.reserve(most * (1 + lines) * WORD)
        ranks = self.layout.reserve((most + 1) * WORD)
        criteria = [c for c in self.ruleset.ranking if c.value is not None]
        keys = self.layout.reserve(max(1, most * len(criteria)) * WORD)
        players, actor = code.global_(self.kernel.players), code.global_(self.kernel.actor)
        own = code.local(actor)
        total, at = code.local(), code.local()
        with self.kernel.each_player(code):
            at.set(actor * ((1 + lines) * WORD) + scores)
            total.set(0)
            for number, score in enumerate(self.ruleset.scores):
                code.store(at, write.value(lower(score.value), {}), (1 + number) * WORD)
                total.add(at.word((1 + number) * WORD))
            code.store(at, total)
            code.store(actor * WORD, total, self.layout.totals)
        with self.kernel.each_player(code):
            for number, criterion in enumerate(criteria):
                assert criterion.value is not None
                value = write.value(lower(criterion.value), {})
                key = code.value(0) - value if criterion.kind == "most" else value
                code.store(actor * (len(criteria) * WORD), key, keys + number * WORD)
        before, one, other = code.local(), code.local(), code.local()
        less = self._less(len(criteria), keys)
        code.store(ranks + most * WORD, 0)
        with self.kernel.each_player(code):
            # One rank lower for each key that is less, counted once by the first seat that has it.
            before.set(0)
            one.set(0)
            with code.while_below(one, players), code.when(code.call(less, one, actor)):
                before.add(1)
                other.set(0)
                with code.while_below(other, one) as (counted, _):
                    alike = code.call(less, other, one) | code.call(less, one, other)
                    with code.when(alike.is_zero()):
                        before.set(before - 1)
                        code.branch(counted)
            code.store(actor * WORD, before, ranks)
            last = code.value(ranks + most * WORD)
            with code.when(before >= last.word()):
                code.store(last, before + 1)
        actor.set(own)
        return made, scores, ranks

    def _less(self, count: int, keys: int) -> Function:
        """`(one, other)`: whether the key of one seat is less than that of another."""
        made, code = self.kernel.function("ranks before", 2)
        one, other = code.arguments
        a, b = code.local(), code.local()
        for number in range(count):
            a.set((one * (count * WORD)).word(keys + number * WORD))
            b.set((other * (count * WORD)).word(keys + number * WORD))
            with code.when(a.differs(b)):
                code.leave(a < b)
        code.value(0).write()
        return made
