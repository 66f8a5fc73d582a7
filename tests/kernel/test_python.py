"""The text of compiled expressions: nothing of a rules file is in it, and no nesting is too deep for Python."""

from __future__ import annotations

from types import FunctionType

import pytest

from pwtool.ir import nodes as ir
from pwtool.ir.nodes import Expr
from pwtool.ir.types import COUNT, list_of
from pwtool.kernel.compiler import Compiler
from pwtool.play.game import Game
from tests.daily import one_day_in
from tests.kernel.written import foreign_words
from tests.support import ADDRESSES, book

MOST = 150
"""More than twice as deep as the language allows brackets to be."""


@one_day_in(8)
@pytest.mark.parametrize("address", ADDRESSES)
def test_nothing_of_a_rules_file_becomes_text(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    made = Compiler.made

    def noted(self: Compiler, text: str) -> FunctionType:
        texts.append(text)
        return made(self, text)

    monkeypatch.setattr(Compiler, "made", noted)
    ruleset = book(address).game.ruleset
    game = Game(ruleset)
    compiler = game.fast.backend
    assert isinstance(compiler, Compiler)
    for name in ruleset.objectives:
        compiler.objective(name)
    for _, function in list(compiler._compiled.values()):
        assert isinstance(function, FunctionType)
        # What is at hand is not written.
        if function.__kwdefaults__ is not None:
            function.__kwdefaults__["complete"]()
    assert len(texts) > 5
    assert [word for text in texts for word in foreign_words(text)] == []


def _const(value: int) -> Expr:
    return ir.Const(COUNT, value)


def _local(slot: int) -> Expr:
    return ir.Local(COUNT, slot)


def _values(*values: int) -> Expr:
    return ir.Values(list_of(COUNT), tuple(map(_const, values)))


def test_loops_may_be_nested_more_deeply_than_python_allows() -> None:
    compiler = Compiler(book("othello").game.ruleset)
    one, two, depth = _values(1), _values(1, 2), 40
    total: Expr = _local(0)
    for slot in range(1, depth):
        total = ir.Arithmetic(COUNT, "+", total, _local(slot))
    holds: Expr = ir.Compare("==", total, _const(depth + 3))
    for slot in range(depth):
        total = ir.SumWhere(slot, one, total)
        holds = ir.Quantified(
            "some", 1, slot, two if slot % 9 == 0 else one, ir.And(ir.Compare("<", _const(0), _local(slot)), holds)
        )
    assert compiler.of(total)(None, []) == depth
    assert compiler.of(holds)(None, []) is True


@pytest.mark.parametrize("words", ["brackets", "branches", "conditions"])
def test_all_else_may_be_nested_more_deeply_than_python_allows(words: str) -> None:
    compiler = Compiler(book("othello").game.ruleset)
    deep: Expr = _local(0)
    some = ir.Quantified("some", 1, 1, _values(0, 7), ir.Compare("==", _local(1), _local(0)))
    for number in range(MOST):
        match words:
            case "brackets":
                deep = ir.Arithmetic(COUNT, "-", _const(number), deep)
            case "branches":
                deep = ir.If(COUNT, ir.And(ir.Compare("<", _local(0), _const(number)), some), _const(number), deep)
            case "conditions":
                deep = ir.Or(ir.Compare("==", _local(0), _const(number)), ir.And(some, deep))
    expected = {"brackets": MOST // 2 + 7, "branches": MOST - 1, "conditions": True}[words]
    assert compiler.of(deep)(None, [7]) == expected
