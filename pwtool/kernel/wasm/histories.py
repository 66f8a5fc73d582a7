"""Earlier positions in a kernel: what is kept of each turn, and how often the current position has occurred."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pwtool.ir import nodes as ir
from pwtool.ir.nodes import Expr
from pwtool.ir.types import Type
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.layout import MAX_LIST, WORD, GridPlace
from pwtool.kernel.lower import lower
from pwtool.kernel.wasm.bitboards import LONG, MOST_FACES, longs_of
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.expressions import Expressions
from pwtool.kernel.wasm.kernel import KernelWriter, once
from pwtool.kernel.wasm.module import I64
from pwtool.kernel.wasm.operands import Expression, Local
from pwtool.rules.extents import lying

if TYPE_CHECKING:
    from pwtool.kernel.wasm.module_functions import ModuleFunctions

SPACE = 1 << 20
"""The number of bytes for all positions that a history keeps of a game; the engine judges longer games."""
MOST_KINDS = 512
_HEAD = 2 * WORD
_MARK = 2 * WORD
"""What is kept of each position in a row, to be looked through: its hash and its address."""


class Histories:
    """Writes the functions that keep and look up positions. A position is kept as its length in bytes, a hash, and
    words: for a pile the number of things and the things, for a bag how many of each kind, for a grid bits for the cells
    on which each face is on top and those on which several things lie, then these piles.
    """

    def __init__(self, kernel: KernelWriter, shared: ModuleFunctions) -> None:
        self.kernel, self.shared = kernel, shared
        self._places: dict[int, tuple[int, int, int]] = {}

    def remember(self, code: Code) -> None:
        """Code that keeps the current position."""
        for number in range(len(self.kernel.ruleset.histories)):
            code.do(self._remember(number))

    @once(0, None)
    def _remember(self, code: Code, number: int) -> None:
        used, space, marks = self._place(number)
        at, end = code.local(code.value(used).word() + space), code.local()
        with code.when(at > space + SPACE - self._size(number)):
            self.kernel.give_up(code)
            code.leave()
        end.set(code.call(self._keep(number), at))
        code.store(used, end - space)
        end.set(code.value(used).word(WORD) + marks)
        code.store(end, at.word(WORD))
        code.store(end, at, WORD)
        code.store(used, end + (_MARK - marks), WORD)

    @once(0)
    def repeats(self, code: Code, number: int) -> None:
        """`()`: how often the position occurred before."""
        used, _, marks = self._place(number)
        now = self.kernel.layout.reserve(self._size(number))
        length = code.local(code.call(self._keep(number), now) - now)
        at, end, hashed = (
            code.local(marks),
            code.local(code.value(used).word(WORD) + marks),
            code.local(code.value(now).word(WORD)),
        )
        kept, word, count = code.local(), code.local(), code.local(0)
        with code.until(at >= end) as (_, again):
            kept.set(at)
            at.add(_MARK)
            # Mostly the hashes differ.
            code.branch_if(again, kept.word().differs(hashed))
            kept.set(kept.word(WORD))
            word.set(0)
            with code.block() as differs:
                with code.while_below(word, length, WORD):
                    code.branch_if(differs, (kept + word).word().differs((word + now).word()))
                count.add(1)
        count.write()

    def _place(self, number: int) -> tuple[int, int, int]:
        """The address of the numbers of bytes used for positions and for marks, and those of the first of each."""
        if number not in self._places:
            reserve = self.kernel.layout.reserve
            marks = SPACE // _HEAD * _MARK
            self._places[number] = self.kernel.remembered(2 * WORD), reserve(SPACE), reserve(marks)
        return self._places[number]

    # ---- contents

    @once(1)
    def _keep(self, code: Code, number: int) -> None:
        """`(at)`: write the position to an address; the address after it."""
        start = code.arguments[0]
        to, hashed, at = code.local(start + _HEAD), code.local(0), code.local(start + _HEAD)
        for item in self.kernel.ruleset.histories[number]:
            self._write(code, item, to)
        with code.while_below(at, to, WORD):
            hashed.set(hashed * 31 + at.word())
        code.store(start, to - start)
        code.store(start, hashed, WORD)
        to.write()

    def _write(self, code: Code, item: Expr, to: Local) -> None:
        write = Expressions(self.kernel, code, self.shared)
        match item:
            case ir.Family():
                if item.indices:
                    raise Uncompilable("a history keeps some of the places of a zone")
                place = self.kernel.place(item.zone)
                element = item.type.element or item.type
                write.each_zone(
                    item.zone, 0, code.value(place.address), lambda zone: self._zone(code, element, item.zone, zone.address, to)  # type: ignore[union-attr]
                )  # fmt: skip
            case ir.Zone():
                self._zone(code, item.type, item.zone, write.address(lower(item), {}), to)
            case ir.Variable() if item.type.is_collection:
                self._things(code, item.type, code.value(self.kernel.layout.variables[item.number]), to)
            case _ if item.type.is_collection:
                raise Uncompilable("a history keeps a collection that is computed")
            case _:
                code.store(to, write.value(lower(item), {}))
                to.add(WORD)

    def _zone(self, code: Code, type_: Type, zone: int, address: Expression, to: Local) -> None:
        if type_.kind != "grid":
            self._things(code, type_, address, to)
            return
        place = self.kernel.grid(zone)
        if place.zone.floating:
            raise Uncompilable("a history keeps a grid that floats")
        faces = self.kernel.watch.faces(zone)
        if faces is not None:
            self._bits(code, type_, place, [at for top, at in faces.bits.items() if top >= 0], address, to)
            return
        with code.borrowed() as pile, code.borrowed() as end:
            pile.set(address + place.piles)
            end.set(pile + place.slots * place.pile_size)
            with code.while_below(pile, end, place.pile_size):
                self._things(code, type_.element or type_, pile, to)

    def _bits(
        self, code: Code, type_: Type, place: GridPlace, faces: Sequence[int], address: Expression, to: Local
    ) -> None:
        """The bits of a grid, and the piles of several things."""
        piled, longs = self.kernel.watch.piled(place.zone.number), longs_of(place.slots)
        for start in (*faces, piled):
            for at in range(longs):
                code.store_long(to, code.value(start).long(at * LONG), at * LONG)
            to.add(longs * LONG)
        with code.borrowed(I64) as left, code.borrowed() as pile:
            for at in range(longs):
                left.set(code.value(piled).long(at * LONG))
                with code.until(left.equals(0)):
                    pile.set(address + (left.trailing_zeros().narrow() + 64 * at) * place.pile_size + place.piles)
                    left.set(left & (left - 1))
                    self._things(code, type_.element or type_, pile, to)

    def _things(self, code: Code, type_: Type, pile: Expression, to: Local) -> None:
        if type_.kind != "bag":
            code.copy_words(to, pile, pile.word() + 1)
            to.add((pile.word() + 1) * WORD)
            return
        first, kinds = self._kinds(type_)
        code.fill(to, 0, kinds * WORD)
        with code.borrowed() as at, code.borrowed() as end, code.borrowed() as one:
            at.set(pile)
            end.set(pile + pile.word() * WORD)
            with code.until(at >= end):
                at.add(WORD)
                one.set((at.word() - first) * WORD + to)
                code.store(one, one.word() + 1)
        to.add(kinds * WORD)

    def _kinds(self, type_: Type) -> tuple[int, int]:
        """The first number of a thing in a bag, and how many there are."""
        element = type_.element
        if element is not None and element.kind == "face":
            first, kinds = 0, len(self.kernel.ruleset.components[element.component].codes)
        elif element is not None and element.kind == "int":
            numbers = lying(self.kernel.zones)
            first, kinds = numbers.low, numbers.high - numbers.low + 1
        else:
            raise Uncompilable("a history keeps a bag of other things")
        if kinds > MOST_KINDS:
            raise Uncompilable("a history keeps a bag of very many kinds")
        return first, kinds

    def _size(self, number: int) -> int:
        """The maximum size of one position in bytes."""
        return _HEAD + sum(map(self._most, self.kernel.ruleset.histories[number]))

    def _most(self, item: Expr) -> int:
        if isinstance(item, ir.Zone | ir.Family):
            place = self.kernel.place(item.zone)
            each = place.zone.width * place.zone.height if place.zone.kind == "grid" else 1
            kinds = MOST_KINDS if place.zone.kind == "bag" else 0
            bits = (2 + MOST_FACES) * longs_of(each) * LONG if place.zone.kind == "grid" else 0
            # All piles of a grid together hold as much as one could.
            return place.count * ((each + place.capacity + kinds) * WORD + bits)
        return (1 + max(MAX_LIST, MOST_KINDS)) * WORD
