"""Actions in an arbitrary position, as terms: when they are legal, and what they do."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from pwtool.comparing.induction.piles import (
    Items,
    Named,
    Pile,
    Squares,
    changed,
    no_things,
    one_of,
    with_one,
    without_top,
)
from pwtool.comparing.induction.position import merged
from pwtool.comparing.induction.reading import Locals, Reader
from pwtool.comparing.induction.terms import Open, Unread, Value, chosen, conj, disj, equal, implied, negated, total
from pwtool.ir import nodes as ir
from pwtool.ir.bounds import in_full, on_trial
from pwtool.ir.model import ActionModel, EffectModel, ParameterModel, RuleModel
from pwtool.ir.nodes import Expr
from pwtool.ir.types import MAX_NUMBER

MOST_AT_ONCE = 8
"""More things than this are not taken from the top of a pile at once."""


def bound(action: ActionModel, reader: Reader) -> Locals:
    """The locals of an action with any arguments, and its named values as they are before it."""
    e: Locals = {}
    for p in action.parameters:
        if p.kind == "derived":
            assert p.origin is not None
            e[p.slot] = reader.kept(p.origin, e)
        else:
            e[p.slot] = _argument(p, action, reader)
    for _, slot, value in action.lets:
        e[slot] = reader.kept(value, e)
    return e


def is_number(p: ParameterModel) -> bool:
    """Whether somebody names a plain number, which may have other bounds in another game."""
    return p.kind == "number" and p.type.kind == "int" and not (p.each or p.chance or p.type.optional)


def in_bounds(action: ActionModel, e: Locals) -> Any:
    """Whether the numbers that are named are among those that can be."""
    named = [(p.type, e[p.slot].parts[0]) for p in action.parameters if is_number(p)]
    return conj(*(conj(number >= type_.low, number <= type_.high) for type_, number in named))


def _argument(p: ParameterModel, action: ActionModel, reader: Reader) -> Any:
    world, key = reader.world, ("argument", action.name, p.name)
    if p.each:
        return [world.value((key, seat), p.type) for seat in range(world.players)]
    if p.kind in ("tops", "order"):
        return Named(world, key)
    if p.kind == "elements":
        values = world.values_of(p.type.element)
        return Items(tuple((world.symbol((key, v), "int", 0), Value((v,))) for v in values), ordered=False)
    if is_number(p) and not action.is_consequence:
        return world.value(key, replace(p.type, low=-MAX_NUMBER, high=MAX_NUMBER))
    try:
        return world.value(key, p.type)
    except Unread:
        raise Open from None


def origins(action: ActionModel, reader: Reader, e: Locals) -> list[Any]:
    """What identifies where the things come from that an action names."""
    return [
        reader.key(p.origin, e) for p in action.parameters if p.origin is not None and p.kind not in ("cell", "derived")
    ]


def available(action: ActionModel, reader: Reader, e: Locals) -> Any:
    """A consequence of everything that an action names being where it has to be."""
    used: dict[Any, tuple[Pile, list[Items]]] = {}
    for p in action.parameters:
        if p.origin is None or p.kind not in ("element", "elements"):
            continue
        try:
            origin = reader.read(p.origin, e)
        except Unread:
            continue
        argument = e[p.slot]
        if isinstance(origin, Pile):
            one = Items(((True, argument),)) if isinstance(argument, Value) else argument
            used.setdefault(origin.key, (origin, []))[1].append(one)
    wanted = []
    for pile, named in used.values():
        for value in pile.values:
            many = total(
                chosen(equal(thing.parts[0], value), count, 0) for items in named for count, thing in items.counted()
            )
            wanted.append(many <= pile.count(value))
    return conj(*wanted)


def refused(rules: tuple[RuleModel, ...], reader: Reader, e: Locals) -> Any:
    """Whether a rule refuses."""
    return disj(*(conj(reader.condition(r.when, e), negated(reader.condition(r.require, e))) for r in rules))


def carry_out(action: ActionModel, reader: Reader, e: Locals) -> Any:
    """Carry out the effects of an action on the reader's position; returns whether there is room for all of it."""
    steps = (*on_trial(action, reader.ruleset), *in_full(action, reader.ruleset))
    reader.position.alike = None
    doing = _Doing(action, reader, any(step.asked for step in steps))
    doing.run(action.effects, dict(e), True)
    return conj(*doing.room)


class _Doing:
    """One action being carried out: what is needed for it, and which of the things that it names have moved."""

    def __init__(self, action: ActionModel, reader: Reader, asked: bool) -> None:
        self.action, self.reader, self.asked = action, reader, asked
        self.world, self.position = reader.world, reader.position
        self.room: list[Any] = []
        self.moved: dict[int, Any] = {}

    def run(self, effects: tuple[EffectModel, ...], e: Locals, given: Any) -> None:
        for effect in effects:
            holds = conj(given, self.reader.condition(effect.when, e))
            if holds is not False:
                self.do(effect, e, holds)

    def do(self, effect: EffectModel, e: Locals, holds: Any) -> None:
        match effect.kind:
            case "add" | "set":
                self.change(effect, e, holds)
            case "move":
                self.move(effect, e, holds)
            case "each":
                assert effect.value is not None
                try:
                    items = self.reader.items(effect.value, e)
                except Unread:
                    raise Open from None
                if not items.ordered or any(inner.moves_parameter for inner in effect.all):
                    raise Open
                for there, thing in items.there():
                    self.run(effect.effects, {**e, effect.slot: thing}, conj(holds, there))
            case "put" | "return":
                self.token(effect, e, holds)
            case "shuffle":
                assert effect.origin is not None or effect.value is not None or effect.slot
                self.shuffle(effect, e, holds)
            case _:
                raise Open

    # ---- variables

    def change(self, effect: EffectModel, e: Locals, holds: Any) -> None:
        model = next(v for v in self.reader.ruleset.variables.values() if v.number == effect.number)
        held = self.position.variables[model.name]
        assert effect.value is not None
        if effect.seat is None:
            if model.each:
                raise Open
            new = self.new_value(effect, held, e, holds)
            self.position.variables[model.name] = merged(holds, new, held)
            return
        seat = self.reader.value(effect.seat, e)
        mine = [conj(holds, negated(seat.absent), equal(seat.parts[0], at)) for at in range(len(held))]
        self.position.variables[model.name] = [
            merged(here, self.new_value(effect, x, e, here), x) for here, x in zip(mine, held, strict=True)
        ]

    def new_value(self, effect: EffectModel, held: Any, e: Locals, holds: Any) -> Any:
        assert effect.value is not None
        model = next(v for v in self.reader.ruleset.variables.values() if v.number == effect.number)
        if isinstance(held, Pile | Named):
            if effect.kind == "set":
                return self.collection(effect.value, held, e)
            thing = self.reader.value(effect.value, e)
            if isinstance(held, Named):
                return merged(thing.absent, held, Named(self.world, ("with", held.key, self.world.key_of(thing))))
            return held if thing.absent is True else one_of(thing.absent, held, with_one(held, thing))
        found = self.reader.value(effect.value, e)
        if effect.kind == "add":
            found = Value((total([held.parts[0], found.parts[0]]),), found.absent)
        if model.type.kind == "int":
            low, high = model.type.low, model.type.high
            number = found.parts[0]
            inside = low <= number <= high if isinstance(number, int) else conj(number >= low, number <= high)
            self.room.append(implied(holds, inside))
        return found

    def collection(self, value: Expr, held: Pile | Named, e: Locals) -> Pile | Named:
        found = self.reader.kept(value, e)
        if isinstance(held, Named):
            nothing = isinstance(found, Items) and not found.entries
            if nothing:
                return Named(self.world, "nothing", False)
            return Named(self.world, ("set", self.world.key_of(found)))
        if isinstance(found, Pile) and found.values == held.values:
            return found
        empty = no_things(self.world, held.values)
        if isinstance(found, Items):
            return changed(empty, "set", found, 1) if found.entries else empty
        key = self.world.number(self.reader.key(value, e))
        return Pile(self.world, ("set", key), held.values)

    # ---- tokens

    def token(self, effect: EffectModel, e: Locals, holds: Any) -> None:
        name = next(t.name for t in self.reader.ruleset.tokens.values() if t.number == effect.number)
        index, at = self.position.tokens[name]
        if effect.kind == "return":
            new = (Value(index.parts, True), Value(at.parts, True))
        else:
            assert effect.target is not None and effect.cell is not None
            new = self.reader.value(effect.target, e), self.reader.value(effect.cell, e)
        self.position.tokens[name] = (merged(holds, new[0], index), merged(holds, new[1], at))

    # ---- things

    def replace(self, place: Expr, e: Locals, new: Any, holds: Any) -> None:
        """Put a pile where a zone, or a cell of a grid, is: `new` makes it of what lies there."""
        if isinstance(place, ir.PileAt):
            cell = self.reader.value(place.cell, e)
            self.on_grid(place.grid, cell, e, new, holds)
            return
        if not isinstance(place, ir.Zone):
            raise Open
        held = self.position.zones[self.reader.names.zones[place.zone]]
        at = self.reader.index(place.zone, place.indices, e)
        for number, pile in enumerate(held):
            here = conj(holds, equal(at, number))
            if here is not False:
                held[number] = one_of(here, new(pile), pile)

    def on_grid(self, grid: Expr, cell: Value, e: Locals, new: Any, holds: Any) -> None:
        if not isinstance(grid, ir.Zone):
            raise Open
        held = self.position.zones[self.reader.names.zones[grid.zone]]
        at = self.reader.index(grid.zone, grid.indices, e)
        zone = next(z for z in self.reader.ruleset.zones.values() if z.number == grid.zone)
        for number, one in enumerate(held):
            here = conj(holds, equal(at, number), negated(cell.absent))
            if here is False:
                continue
            if isinstance(one, Named):
                pile = new(one.at(cell, self.world.values_of(zone.element)))
                key = ("on board", one.key, self.world.key_of(cell), pile.key)
                left = self.world.symbol((self.world.number(key), "left"), "bool")
                held[number] = merged(here, Named(self.world, key, disj(pile.some, left)), one)
            else:
                piles = {
                    c: one_of(conj(here, equal(cell.parts[0], c[0]), equal(cell.parts[1], c[1])), new(pile), pile)
                    for c, pile in one.piles.items()
                    if conj(equal(cell.parts[0], c[0]), equal(cell.parts[1], c[1])) is not False
                }
                held[number] = Squares(one.grid, {**one.piles, **piles})

    def put_down(self, effect: EffectModel, e: Locals, new: Any, some: Any, holds: Any) -> None:
        """Lay things down: `new` makes the pile there with them, if there are any (`some`)."""
        target = effect.target
        if not isinstance(target, ir.Zone):
            raise Open
        if effect.cell is not None:
            cell = self.reader.value(effect.cell, e)
            if self.asked:
                self.room.append(implied(conj(holds, some), negated(cell.absent)))
            self.on_grid(target, cell, e, new, conj(holds, some))
            return
        zone = next(z for z in self.reader.ruleset.zones.values() if z.number == target.zone)
        if zone.kind == "slot":
            there = self.reader.read(target, e)
            self.room.append(implied(conj(holds, some), new(there).size <= 1))
        self.replace(target, e, new, conj(holds, some))

    def move(self, effect: EffectModel, e: Locals, holds: Any) -> None:
        if effect.moves_parameter:
            # A thing that has moved is no longer there to be moved.
            holds = conj(holds, negated(self.moved.get(effect.slot, False)))
            self.moved[effect.slot] = disj(self.moved.get(effect.slot, False), holds)
            if effect.source == "tops":
                self.move_tops(effect, e, holds)
            else:
                self.move_named(effect, e, holds)
            return
        assert effect.value is not None
        if effect.source in ("found", "last"):
            self.move_found(effect, e, holds)
        else:
            self.move_out(effect, e, holds)

    def move_named(self, effect: EffectModel, e: Locals, holds: Any) -> None:
        """The things that an argument names."""
        p = next(p for p in self.action.parameters if p.slot == effect.slot)
        argument = e[effect.slot]
        if p.origin is None or not isinstance(argument, Value | Items):
            raise Open
        named = Items(((True, argument),)) if isinstance(argument, Value) else argument
        some: Any = True if isinstance(argument, Value) else named.size > 0

        def more(pile: Pile) -> Pile:
            return with_one(pile, argument) if isinstance(argument, Value) else changed(pile, "and", named, 1)

        self.replace(p.origin, e, lambda pile: changed(pile, "without", named, -1), holds)
        self.put_down(effect, e, more, some, holds)

    def move_tops(self, effect: EffectModel, e: Locals, holds: Any) -> None:
        """The tops of several piles: nothing is known of them but their name."""
        p = next(p for p in self.action.parameters if p.slot == effect.slot)
        argument = e[effect.slot]
        if not isinstance(p.origin, ir.Family) or not isinstance(argument, Named):
            raise Open
        held = self.position.zones[self.reader.names.zones[p.origin.zone]]
        for number, pile in enumerate(held):
            left = Pile(self.world, ("without tops", pile.key, argument.key), pile.values)
            held[number] = one_of(holds, left, pile)
        self.put_down(
            effect, e, lambda pile: Pile(self.world, ("and tops", pile.key, argument.key), pile.values), True, holds
        )

    def move_out(self, effect: EffectModel, e: Locals, holds: Any) -> None:
        """The top of a pile, some things from the top, or all of it."""
        assert effect.value is not None
        pile = self.reader.read(effect.value, e)
        if not isinstance(pile, Pile):
            raise Open
        some = pile.some
        if effect.source == "whole":
            self.replace(effect.value, e, lambda there: no_things(self.world, there.values), conj(holds, some))
            self.put_down(effect, e, lambda there: _on_top(there, pile), some, holds)
            return
        if effect.amount is None:
            there_are, wanted = [some], [True]
        else:
            amount, most = self.reader.value(effect.amount, e), effect.amount.type.high
            if amount.absent is not False or most > MOST_AT_ONCE:
                raise Open
            wanted = [amount.parts[0] > at for at in range(most)]
            there_are = [conj(pile.size > at, want) for at, want in enumerate(wanted)]
            some = there_are[0] if there_are else False
        tops, left = [], pile
        for _ in there_are:
            tops.append(Value(left.top.parts))
            left = without_top(left)

        def fewer(there: Pile) -> Pile:
            for at, want in enumerate(wanted):
                there = one_of(conj(want, there.some if at else True), without_top(there), there)
            return there

        def more(there: Pile) -> Pile:
            for taken, top in reversed(list(zip(there_are, tops, strict=True))):
                there = one_of(taken, with_one(there, top), there)
            return there

        self.replace(effect.value, e, fewer, conj(holds, some))
        self.put_down(effect, e, more, some, holds)

    def move_found(self, effect: EffectModel, e: Locals, holds: Any) -> None:
        """A thing that is looked for."""
        assert effect.value is not None
        place = effect.value if effect.origin is None else effect.origin
        thing, pile = self.reader.value(effect.value, e), self.reader.read(place, e)
        if not isinstance(pile, Pile):
            raise Open
        there = disj(*(conj(equal(thing.parts[0], v), pile.count(v) > 0) for v in pile.values))
        some = conj(negated(thing.absent), there)
        one = Items(((True, Value(thing.parts)),))
        self.replace(place, e, lambda x: changed(x, effect.source, one, -1), conj(holds, some))
        self.put_down(effect, e, lambda x: with_one(x, Value(thing.parts)), some, holds)

    def shuffle(self, effect: EffectModel, e: Locals, holds: Any) -> None:
        p = next(p for p in self.action.parameters if p.slot == effect.slot)
        argument = e[effect.slot]
        if p.origin is None or not isinstance(argument, Named):
            raise Open
        self.replace(
            p.origin, e,
            lambda x: Pile(self.world, ("shuffled", x.key, argument.key), x.values, count=x.count), holds,
        )  # fmt: skip


def _on_top(pile: Pile, more: Pile) -> Pile:
    """A pile with another one on top."""
    return Pile(
        pile.world, ("under", pile.key, more.key), pile.values, (),
        lambda v: total([pile.count(v), more.count(v)]), lambda: merged(more.some, more.top, pile.top),
    )  # fmt: skip
