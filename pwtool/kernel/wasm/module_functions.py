"""The functions that expressions call, each generated once per kernel."""

from __future__ import annotations

from collections.abc import Callable

from pwtool.ir import nodes as ir
from pwtool.ir.grids import Grid
from pwtool.ir.types import Type, list_of
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.layout import WORD
from pwtool.kernel.lower import lower
from pwtool.kernel.wasm.bindings import (
    Binding,
    BoardOf,
    Scope,
    WrittenOut,
)
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.expressions import Expressions
from pwtool.kernel.wasm.grids import Grids
from pwtool.kernel.wasm.histories import Histories
from pwtool.kernel.wasm.kernel import KernelWriter, once
from pwtool.kernel.wasm.module import Function
from pwtool.kernel.wasm.operands import Expression, Local


def _nowhere(code: Code, action: str, scope: Scope) -> None:
    raise Uncompilable(f"nobody knows where `{action}` leads")


class ModuleFunctions:
    """The functions that expressions call."""

    def __init__(self, kernel: KernelWriter) -> None:
        self.kernel = kernel
        self.grids = Grids(kernel)
        self.histories = Histories(kernel, self)
        self.exists: dict[str, Function] = {}
        self.fills: dict[tuple[Grid, tuple[tuple[int, ...], ...]], tuple[Function, int]] = {}
        """For each grid the function that finds groups, and the address of the set of cells."""
        self.leads: Callable[[Code, str, Scope], None] = _nowhere
        """Writes the position after an action; set by `judge.py`."""

    def can(self, action: str) -> Function:
        """The function that says whether the actor can do an action at all; `legal.py` writes it."""
        if action not in self.exists:
            self.exists[action], _ = self.kernel.function(f"can {action}")
        return self.exists[action]

    @once(2)
    def remove(self, code: Code) -> None:
        """`(pile, thing)`: take the first such thing out of a pile; whether there was one."""
        pile = code.arguments[0]
        self._close(code, pile, *self._found(code))

    def _close(self, code: Code, pile: Local, at: Local, end: Local) -> None:
        """Let a pile close up over the thing that is taken out of it."""
        self.kernel.undo.note_all(code, at, (end - at).shifted_down(2) + 1)
        code.copy_words(at, at + WORD, (end - at).shifted_down(2))
        self.kernel.undo.store(code, pile, pile.word() - 1)
        code.value(1).write()

    def _found(self, code: Code) -> tuple[Local, Local]:
        """The address of a thing in a pile and that of the pile's last one; the function returns 0 if it is not there."""
        pile, thing = code.arguments
        at, end = code.local(pile + WORD), code.local(pile + pile.word() * WORD)
        with code.loop() as again:
            with code.when(at > end):
                code.leave(0)
            with code.when(at.word().differs(thing)):
                at.add(WORD)
                code.branch(again)
        return at, end

    @once(2)
    def find(self, code: Code) -> None:
        """`(pile, thing)`: the address of the first such thing in a pile; 0 if there is none."""
        self._found(code)[0].write()

    @once(2)
    def find_last(self, code: Code) -> None:
        """`(pile, thing)`: the address of the last such thing in a pile; 0 if there is none."""
        self._found_last(code)[0].write()

    @once(2)
    def remove_last(self, code: Code) -> None:
        """`(pile, thing)`: take the last such thing out of a pile; whether there was one."""
        self._close(code, code.arguments[0], *self._found_last(code))

    def _found_last(self, code: Code) -> tuple[Local, Local]:
        """The address of the last such thing in a pile and that of the pile's last one; the function returns 0 if it is not there."""
        pile, thing = code.arguments
        end = code.local(pile + pile.word() * WORD)
        at = code.local(end)
        with code.loop() as again:
            with code.when(at <= pile):
                code.leave(0)
            with code.when(at.word().differs(thing)):
                at.add(-WORD)
                code.branch(again)
        return at, end

    @once(2)
    def strike(self, code: Code) -> None:
        """`(list, thing)`: take one such thing out of a list whose order does not matter; whether there was one."""
        pile = code.arguments[0]
        at, end = self._found(code)
        code.store(at, end.word())
        code.store(pile, pile.word() - 1)
        code.value(1).write()

    @once(2)
    def holds(self, code: Code) -> None:
        """`(pile, thing)`: whether a pile contains a thing."""
        pile, thing = code.arguments
        at, end = code.local(pile + WORD), code.local(pile + pile.word() * WORD)
        with code.while_(at <= end):
            with code.when(at.word().equals(thing)):
                code.leave(1)
            at.add(WORD)
        code.value(0).write()

    @once(4)
    def separate(self, code: Code) -> None:
        """`(at, end, size, wanted)`: whether this many of the places listed from one address to another, each of `size`
        bytes, share no cell with each other or with those already taken. A place is its number of cells, followed by
        the cells.
        """
        at, end, size, wanted = code.arguments
        taken = self.kernel.remembered(WORD * self.kernel.most_things)
        cell, last, verdict = code.local(), code.local(), code.local()

        def each_cell(do: Callable[[], None]) -> None:
            cell.set(at + WORD)
            last.set(cell + at.word() * WORD)
            with code.while_below(cell, last, WORD):
                do()

        with code.while_(at < end):
            verdict.set(1)

            def look() -> None:
                with code.when(cell.word().word(taken)):
                    verdict.set(0)

            each_cell(look)
            with code.when(verdict):
                with code.when(wanted.equals(1)):
                    code.leave(1)
                each_cell(lambda: code.store(cell.word(), 1, taken))
                verdict.set(code.call(self.separate(), at + size, end, size, wanted - 1))
                each_cell(lambda: code.store(cell.word(), 0, taken))
                with code.when(verdict):
                    code.leave(1)
            at.add(size)
        code.value(0).write()

    def push(self, code: Code, pile: Expression, thing: Expression, capacity: int) -> None:
        """Put a thing on a pile."""
        count = code.local(pile.word() + 1)
        with code.when(count > capacity):
            self.kernel.give_up(code)
            code.otherwise()
            self.kernel.undo.store(code, pile + count * WORD, thing)
            self.kernel.undo.store(code, pile, count)

    def board_of(self, code: Code, zone: int, grid: Expression) -> BoardOf:
        """A grid by cell number."""
        place = self.kernel.grid(zone)
        size = place.zone.width * place.zone.height
        if not place.zone.floating:
            return BoardOf(
                grid + place.tops, lambda cell: grid + place.piles + cell * place.pile_size, size
            )  # fmt: skip
        buffer = code.local(code.call(self.grids.board(zone), grid))
        return BoardOf(buffer, lambda cell: (buffer + cell * WORD).word(size * WORD), size)

    @once(1)
    def objective(self, code: Code, name: str) -> None:
        """`(grid)`: whether a grid fulfils an objective."""
        model, board = self.kernel.ruleset.objectives[name], self.kernel.ruleset.board
        assert board is not None
        piles = self.board_of(code, board.number, code.arguments[0])
        scope: dict[int, Binding] = {0: piles}
        piles_of = ir.Local(list_of(Type("pile", element=board.element)), 0)
        scope[1] = WrittenOut(ir.Each(list_of(board.element), piles_of, "top"), dict(scope))
        Expressions(self.kernel, code, self).value(lower(model.condition), scope).write()

    @once(2)
    def fulfils(self, code: Code) -> None:
        """`(grid, goal)`: whether a grid fulfils an objective in play, from memory if the grid has not changed."""
        kernel, layout = self.kernel, self.kernel.layout
        objectives, board = list(kernel.ruleset.objectives), kernel.ruleset.board
        if board is None:
            raise Uncompilable("it asks for objectives without a board")
        place = kernel.grid(board.number)
        known = kernel.remembered(place.count * len(objectives) * 2 * WORD)
        grid, goal = code.arguments
        number = code.local((goal * WORD).word(layout.goal_table))
        at = code.local(((grid - place.address) // place.size * len(objectives) + number) * (2 * WORD) + known)
        with code.when(at.word().equals(grid.word())):
            code.leave(at.word(WORD))
        code.store(at, grid.word())
        verdict = code.local(0)
        functions = [self.objective(name) for name in objectives]
        code.switch(number, [lambda of=of: verdict.set(code.call(of, grid)) for of in functions])  # type: ignore[misc]
        code.store(at, verdict, WORD)
        verdict.write()
