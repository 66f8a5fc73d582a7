"""Comparisons of multiples: `3 * n < 4` is `n < 2`, not `n < 1`."""

from __future__ import annotations

import pytest

from pwtool.comparing.canonical import Normalizer
from pwtool.ir import nodes as ir
from pwtool.ir.types import combined, number
from tests.daily import some
from tests.kernel.batches import base


@pytest.mark.parametrize("factor", some([2, 3, 7, 268435456, -2, -3], 1))
@pytest.mark.parametrize("bound", [-8, -7, -3, -1, 1, 3, 4, 5, 6, 7, 999999999])
@pytest.mark.parametrize("sign", ["<", "<=", ">", ">="])
def test_a_multiple_is_compared_with_the_right_number(factor: int, bound: int, sign: ir.Sign) -> None:
    ruleset = base("brink")
    variable = ruleset.variables["square"]
    n = ir.Variable(variable.type, variable.number)
    times = ir.Const(number(factor, factor), factor)
    product = ir.Arithmetic(combined("*", n.type, times.type), "*", n, times)
    wide = ir.Compare(sign, product, ir.Const(number(bound, bound), bound))
    holds = {"<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__}[sign]
    values = [value for value in range(variable.type.low, variable.type.high + 1) if holds(value * factor, bound)]
    names = Normalizer(ruleset)
    if not values or len(values) > variable.type.high - variable.type.low:
        return
    rising = values[-1] == variable.type.high
    edge = values[0] if rising else values[-1]
    narrow = ir.Compare(">=" if rising else "<=", n, ir.Const(number(edge, edge), edge))
    assert names.condition(wide) == names.condition(narrow)
