"""What refuses an action in a position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pwtool.ir.model import ActionModel, ParameterModel, RuleModel
from pwtool.play.actions import Runner
from pwtool.play.changes import Overflows
from pwtool.play.game import Game
from pwtool.play.legal import Arguments
from pwtool.play.state import State


@dataclass(frozen=True, slots=True)
class Refusals:
    """The rules that refuse an action, those of which nobody knows, the parameters that name what is not there (`missing`)
    or what they cannot have (`strange`), and the bound that an effect would exceed.
    """

    model: ActionModel
    rules: tuple[RuleModel, ...]
    unknown: tuple[RuleModel, ...] = ()
    missing: tuple[ParameterModel, ...] = ()
    strange: tuple[ParameterModel, ...] = ()
    bound: Overflows | None = None

    @property
    def items(self) -> list[str]:
        """The rules and the parameters that refuse, as examples call them."""
        return [r.id for r in self.rules] + [f"{self.model.name}.{p.name}" for p in (*self.missing, *self.strange)]

    @property
    def names(self) -> list[str]:
        """All that refuses, a bound as findings call it."""
        return self.items + ([f"{self.model.name}.{self.bound.name}"] if self.bound is not None else [])


def refusals(game: Game, runner: Runner, state: State, arguments: Arguments, bounds: bool = True) -> Refusals:
    """What refuses an action of the player who acts, whether or not it is its time in the order of play; without `bounds`,
    whatever its effects would exceed.
    """
    model = runner.model
    e = runner.bind(arguments)
    missing = tuple(parameter for parameter, _ in runner.unavailable(state, e))
    values = list(zip(model.parameters, arguments, strict=True))
    outside = [p for p, a in values if p.kind == "cell" and not p.each and not game.zone_list[p.zone].grid.has(a)]
    if outside:
        # Nothing can be asked about a cell that is not there.
        return Refusals(model, (), (), missing, tuple(outside))
    strange = tuple(p for p, a in values if not all(_in_range(p, one) for one in (a if p.each else (a,))))
    runner.compute(state, e)
    broken, unknown = runner.judge(state, e)
    bound = runner.overflow(state, e) if bounds and not missing and not strange else None
    return Refusals(model, tuple(broken), tuple(unknown), missing, strange, bound)


def _in_range(parameter: ParameterModel, value: Any) -> bool:
    """Whether a value, if it is a number, is one that the parameter can have."""
    ranges = [t for t in parameter.type.options or (parameter.type,) if t.kind == "int"]
    return not ranges or not isinstance(value, int) or any(t.low <= value <= t.high for t in ranges)
