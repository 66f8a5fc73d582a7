"""Changes of a position while looking ahead, or on trial, are logged so that they can be undone.

An entry is the address of a word and its old value. The stamp of a grid (its address with the lowest bit set) is not
restored: it keeps counting, so that nothing found out in between is considered still valid.
"""

from __future__ import annotations

from collections.abc import Callable

from pwtool.ir.ahead import looks_ahead
from pwtool.ir.model import Ruleset
from pwtool.kernel.layout import WORD, Layout
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.module import Function, Module
from pwtool.kernel.wasm.operands import Expression, Local

ENTRY = 2 * WORD
SPACE = 1 << 19
"""The number of bytes for the changes of one look ahead."""


class Undo:
    """Writes changes of positions that can be undone. `give_up` writes the code for too many changes."""

    def __init__(
        self, ruleset: Ruleset, module: Module, layout: Layout, give_up: Callable[[Code], None], looking: bool = False
    ) -> None:
        self.module, self.layout, self.give_up = module, layout, give_up
        self.needed = (
            looking
            or bool(ruleset.recordable)
            or any(looks_ahead(r) for a in ruleset.actions.values() for r in a.rules)
        )
        self.next = module.variable()
        """The address of the next entry; 0: nothing is logged."""
        self._log = 0
        self._notes: Function | None = None

    # ---- changes

    def store(self, code: Code, address: Expression | int, value: Expression | int, offset: int = 0) -> None:
        """Write a word of the position."""
        if not self.needed:
            code.store(address, value, offset)
            return
        with code.borrowed() as place, code.borrowed() as new:
            place.set(code.value(address))
            new.set(code.value(value))
            self.note(code, place + offset)
            code.store(place, new, offset)

    def note(self, code: Code, place: Expression) -> None:
        """Code for a word that is about to change."""
        if self.needed:
            with code.when(code.global_(self.next)):
                code.do(self._note(), place)

    def note_all(self, code: Code, first: Expression, count: Expression) -> None:
        """Code for this many words that are about to change."""
        if not self.needed:
            return
        with code.when(code.global_(self.next)), code.borrowed() as at, code.borrowed() as end:
            at.set(first)
            end.set(at + count * WORD)
            with code.while_(at < end):
                code.do(self._note(), at)
                at.add(WORD)

    def stamp(self, code: Code, grid: Expression) -> None:
        """Code for a grid that changes."""
        self.note(code, grid | 1)
        code.store(grid, grid.word() + 1)

    def _note(self) -> Function:
        """`(place)`: log the content of a word."""
        if self._notes is None:
            self._notes = self.module.function("note", (0x7F,), ())
            code = Code(self.module, self._notes)
            place, next_ = code.arguments[0], code.global_(self.next)
            with code.when(next_ >= self.log + SPACE):
                self.give_up(code)
                code.leave()
            code.store(next_, place)
            code.store(next_, (place & -2).word(), WORD)
            next_.set(next_ + ENTRY)
        return self._notes

    @property
    def log(self) -> int:
        """The address of the log."""
        self._log = self._log or self.layout.reserve(SPACE)
        return self._log

    # ---- undoing

    def begin(self, code: Code) -> Local:
        """Code from which on changes can be undone; the value that `take_back` and `keep` need."""
        next_ = code.global_(self.next)
        before = code.local(next_)
        with code.when(next_.is_zero()):
            next_.set(self.log)
        return before

    def take_back(self, code: Code, before: Local) -> None:
        """Code that undoes the changes, the last one first."""
        with code.borrowed() as at, code.borrowed() as first, code.borrowed() as place:
            at.set(code.global_(self.next))
            first.set(code.choose(before, before, self.log))
            code.global_(self.next).set(before)
            with code.until(at <= first):
                at.add(-ENTRY)
                place.set(at.word())
                with code.when(place & 1):
                    place.add(-1)
                    code.store(place, place.word() + 1)
                    code.otherwise()
                    code.store(place, at.word(WORD))

    def keep(self, code: Code, before: Local) -> None:
        """Code that makes the changes permanent."""
        with code.when(before.is_zero()):
            code.global_(self.next).set(0)
