"""Functions of expressions for positions in which everything is known: the back end that needs no further packages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import CodeType, FunctionType, MappingProxyType
from typing import Any

from pwtool.eval.backend import Backend, Evaluator, Let, Refuse
from pwtool.eval.values import by_cell
from pwtool.eval.work import Work
from pwtool.ir import nodes as ir
from pwtool.ir.model import Ruleset
from pwtool.ir.nodes import Expr
from pwtool.kernel.functions import CALLED
from pwtool.kernel.lower import lower, lower_value
from pwtool.kernel.python import ROOM, Writer


class Compiler(Backend):
    """Makes functions of the expressions of one ruleset. Objectives are compiled when first asked for.

    `loops` is how many loops stand around what is compiled, `numbered` says which zones have a dimension that is
    counted from 1, and `roomy` whether any zone can hold so much that a loop that traverses it costs more than one step.
    """

    three_valued = False

    def __init__(self, ruleset: Ruleset, work: Work | None = None) -> None:
        self.ruleset = ruleset
        self.work = work or Work()
        self.loops = 0
        self.numbered = [any(d == "number" for d, _ in z.dimensions) for z in ruleset.zones.values()]
        self.roomy = _roomy(ruleset)
        self._objectives: dict[str, Callable[[Any, Any, Any], bool]] = {}
        self._globals: dict[str, Any] = {**CALLED, "work": self.work}
        self._constants: dict[int, str] = {}
        self._numbers: dict[object, int] = {}
        self._compiled: dict[tuple[int, int], tuple[Expr, Evaluator]] = {}

    def compile(self, expr: Expr) -> Evaluator:
        # Effects are compiled twice. An expression is kept, so that no other one gets its id.
        key = id(expr), self.loops
        if key not in self._compiled:
            self._compiled[key] = (
                expr,
                _simple(expr) or self.later(lambda writer: writer.value(lower(expr)), self.loops),
            )
        return self._compiled[key][1]

    def value(self, expr: Expr) -> Evaluator:
        return self.later(lambda writer: writer.value(lower_value(expr)))

    def of(self, x: Expr) -> Evaluator:
        """The function of what `lower` made."""
        return self.later(lambda writer: writer.value(x))

    def allows(self, steps: Sequence[Let | Refuse], kept: bool = False) -> Evaluator:
        return self.later(lambda writer: writer.allows(steps), kept=kept) if steps else lambda s, e: True

    def refusals(self, steps: Sequence[Let | Refuse]) -> Evaluator:
        return self.later(lambda writer: writer.refusals(steps))

    def later(
        self,
        write: Callable[[Writer], str],
        loops: int = 0,
        bound: Mapping[int, str] = MappingProxyType({}),
        kept: bool = False,
    ) -> Evaluator:
        """A function that is written when it is first called: in most games, many never are. `loops` stand around it, and
        it gets the values of the names in `bound` too. `kept` is as for `Writer`.
        """

        def complete() -> FunctionType:
            made = self.made(write(Writer(self, loops, bound, kept)))
            later.__code__, later.__kwdefaults__ = made.__code__, None
            return later

        later = FunctionType(_first.__code__, self._globals)
        later.__kwdefaults__ = {"complete": complete}
        return later

    def made(self, text: str) -> FunctionType:
        """The function whose text a `Writer` wrote; nothing of a rules file is in it but numbers."""
        exec(_code(text), self._globals)
        return self._globals.pop("f")  # type: ignore[no-any-return]

    def constant(self, value: Any) -> str:
        """The name under which functions find a value."""
        name = self._constants.get(id(value))
        if name is None:
            name = self._constants[id(value)] = f"k{len(self._constants)}"
            # The value is kept too, so that no other one gets its id.
            self._globals[name] = value
        return name

    def number(self, key: object) -> int:
        """A number for something that functions find once; equal ones have the same."""
        return self._numbers.setdefault(key, len(self._numbers) + 1)

    def objective(self, name: str) -> Callable[[Any, Any], bool]:
        """A function of (position, grid): whether the grid fulfils the objective."""
        judge, by_cells = self._objective(name), self._by_cells
        return lambda s, grid: judge(s, *by_cells(grid))

    def _objective(self, name: str) -> Callable[[Any, Any, Any], bool]:
        """A function of (position, piles by cell, tops)."""
        found = self._objectives.get(name)
        if found is None:
            objective = self.ruleset.objectives[name]
            # Code that asks for objectives does so for many of them.
            self.loops += 1
            slots, condition = objective.slots, self.compile(objective.condition)
            self.loops -= 1

            def holds(s: Any, cells: Any, tops: Any) -> bool:
                e: list[Any] = [None] * slots
                e[0], e[1] = cells, tops
                return bool(condition(s, e))

            found = self._objectives[name] = holds
        return found

    def _by_cells(self, grid: Any) -> tuple[list[Any], list[int]]:
        board = self.ruleset.board
        assert board is not None
        cells = by_cell(grid, board.width, board.height, board.floating)
        return cells, [pile[-1] for pile in cells if pile]

    def fulfils(self, s: Any, grid: Any, goal: int) -> bool:
        """Whether a grid of the position fulfils an objective; the verdict is kept until something moves on the grid."""
        name = s.goals[goal]
        known = s.boards.get(id(grid))
        if known is None:
            known = s.boards[id(grid)] = {}
        verdict = known.get((self, name))
        if verdict is None:
            cells = known.get(self)
            if cells is None:
                cells = known[self] = self._by_cells(grid)
            verdict = known[self, name] = self._objective(name)(s, *cells)
        return verdict  # type: ignore[no-any-return]

    def repeats(self, number: int) -> Evaluator:
        """How often the part of the position that a history keeps was the same at the beginning of an earlier turn."""
        now, work = self.history(number), self.work

        def times(s: Any, e: list[Any]) -> Any:
            history = s.history[number]
            work.spend(len(history))
            return history.count(now(s, e))

        return times


def _simple(x: Expr) -> Evaluator | None:
    """The function of what is at hand, without writing one."""
    if x.type.kind == "bool":
        # Nothing counts as false.
        return None
    if isinstance(x, ir.Local):
        slot = x.slot
        return lambda s, e: e[slot]
    if isinstance(x, ir.Const) and not isinstance(x.value, tuple):
        value = x.value
        return lambda s, e: value
    return (lambda s, e: s.player) if isinstance(x, ir.Actor) else None


@lru_cache(maxsize=4096)
def _code(text: str) -> CodeType:
    """The code of a text; other games have the same rules, or the same ruleset is loaded again."""
    return compile(text, "<expression>", "exec")


def _first(*values: Any, complete: Callable[[], Evaluator]) -> Any:
    """What a function does that is not written yet."""
    return complete()(*values)


def _roomy(ruleset: Ruleset) -> bool:
    grids = (zone.width * zone.height for zone in ruleset.zones.values())
    decks = (sum(count for cards, _ in deck.parts for _, count in cards) for deck in ruleset.decks.values())
    return max(grids, default=0) > ROOM or max(decks, default=0) > ROOM
