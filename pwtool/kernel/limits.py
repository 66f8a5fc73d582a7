"""Whether a kernel can compute with the numbers of a ruleset: all of them, also those in between, fit into a word."""

from __future__ import annotations

from pwtool.ir import nodes as ir
from pwtool.ir.ahead import looks_ahead
from pwtool.ir.model import Ruleset
from pwtool.ir.nodes import Expr
from pwtool.ir.types import Type
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.layout import MAX_LIST, MAX_NUMBER
from pwtool.rules.extents import Extent
from pwtool.rules.intervals import Intervals
from pwtool.text.words import one_line

LOOSE = 16
"""How many times as far a variable may go that leaves its range."""
MAX_TURNS = 1 << 17
"""No history remembers more turns."""


def loose_variables(ruleset: Ruleset) -> dict[int, Extent]:
    """The variables that may leave their ranges when looking ahead, with bounds at which a kernel gives up."""
    if not any(looks_ahead(rule) for model in ruleset.actions.values() for rule in model.rules):
        # An action is looked ahead before it is known whether it stays within the bounds.
        return {}
    types = {v.number: v.type for v in ruleset.variables.values() if v.type.kind == "int"}
    most = {number: LOOSE * max(64, -type_.low, type_.high) for number, type_ in types.items()}
    return {number: Extent(low=-high, high=high) for number, high in most.items()}


def check_limits(ruleset: Ruleset) -> None:
    """Raises `Uncompilable` if a number may be larger than `MAX_NUMBER`."""
    for variable in ruleset.variables.values():
        _check_range(f"`{variable.name}`", variable.type)
    for model in (*ruleset.actions.values(), *ruleset.consequences.values()):
        for p in model.parameters:
            element = p.type.element or p.type
            for type_ in element.options or (element,) if p.kind != "derived" else ():
                _check_range(f"`{p.name}`", type_)
    for zone in ruleset.zones.values():
        _check_range(f"`{zone.name}`", zone.element)
    for ending in ruleset.endings:
        _check("the number of further turns", (ending.more_turns or 0) * ruleset.max_players)
    for consequence in ruleset.consequences.values():
        _check("the number of repetitions", consequence.rounds)
    intervals = Intervals(ruleset, check_expression, kept=MAX_LIST, turns=MAX_TURNS)
    intervals.extents.loose = loose_variables(ruleset)
    _check("a variable", max((extent.high for extent in intervals.extents.loose.values()), default=0))
    for _ in intervals.everything():
        pass
    _check("a total", intervals.total().magnitude)


def check_expression(x: Expr, extent: Extent) -> None:
    """Raises `Uncompilable` if an expression with these bounds may be larger than `MAX_NUMBER`."""
    largest = extent.magnitude
    match x:
        case ir.Table():
            largest = max([largest, *(abs(n) for row in x.rows for n in row), abs(x.otherwise or 0)])
        case ir.Quantified():
            largest = max(largest, x.number)
    if largest > MAX_NUMBER:
        _check("a number" if x.span is None else f"`{one_line(x.span.text)}`", largest)


def _check_range(name: str, type_: Type) -> None:
    if type_.kind == "int":
        _check(name, max(-type_.low, type_.high))


def _check(name: str, largest: int) -> None:
    if largest > MAX_NUMBER:
        raise Uncompilable(f"{name} may be as large as {largest:,}")
