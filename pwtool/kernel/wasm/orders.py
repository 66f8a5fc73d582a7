"""Random orders of a pile: checking that they consist of the things in it, and applying them."""

from __future__ import annotations

from collections.abc import Callable

from pwtool.ir import nodes as ir
from pwtool.ir.model import ActionModel, EffectModel, ParameterModel
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.layout import WORD
from pwtool.kernel.lower import lower
from pwtool.kernel.wasm.bindings import PileOf, Scope
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.expressions import Expressions
from pwtool.kernel.wasm.kernel import KernelWriter
from pwtool.kernel.wasm.module_functions import ModuleFunctions
from pwtool.kernel.wasm.operands import Expression, Local


class Orders:
    """Writes code that checks an order of a pile and applies it."""

    def __init__(self, kernel: KernelWriter, shared: ModuleFunctions) -> None:
        self.kernel, self.shared = kernel, shared

    def _pile(self, code: Code, p: ParameterModel, scope: Scope) -> Local:
        assert p.origin is not None
        return code.local(Expressions(self.kernel, code, self.shared).address(lower(p.origin), scope))

    def _size(self, code: Code, p: ParameterModel, pile: Local) -> Expression:
        """The number of things of a pile in an order."""
        return code.choose(pile.word() > 0, pile.word() - 1, 0) if p.below else pile.word()

    def lies(self, code: Code, p: ParameterModel, scope: Scope, to: Expression) -> None:
        """Copy the things of an order in their current order."""
        pile = self._pile(code, p, scope)
        code.copy_words(to, pile, pile.word() + 1)
        code.store(to, self._size(code, p, pile))

    def check(self, code: Code, p: ParameterModel, named: Local, scope: Scope, wrong: Callable[[], None]) -> None:
        """Code for an order that does not consist of the things there; `wrong` leaves the function."""
        pile = self._pile(code, p, scope)
        left = code.value(self.kernel.list_space(self.kernel.place(p.zone).capacity))
        index = code.local(0)
        with code.when(named.word().differs(self._size(code, p, pile))):
            wrong()
        code.copy_words(left, pile, pile.word() + 1)
        code.store(left, named.word())
        with code.until(index >= named.word()):
            index.add(1)
            with code.when(code.call(self.shared.strike(), left, (named + index * WORD).word()).is_zero()):
                wrong()

    def shuffle(self, code: Code, model: ActionModel, effect: EffectModel, scope: Scope) -> None:
        """Put a pile into the given order."""
        p = next(p for p in model.parameters if p.slot == effect.slot)
        if isinstance(p.origin, ir.PileAt):
            raise Uncompilable("it shuffles what lies on a cell of a grid")
        bound = scope[effect.slot]
        assert isinstance(bound, PileOf)
        pile = self._pile(code, p, scope)
        with code.when(bound.address.word().equals(self._size(code, p, pile))):
            self.kernel.undo.note_all(code, pile + WORD, bound.address.word())
            code.copy_words(pile + WORD, bound.address + WORD, bound.address.word())
