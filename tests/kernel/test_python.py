"""The text of compiled expressions: nothing of a rules file is in it, and no nesting is too deep for Python."""

from __future__ import annotations

from types import FunctionType

import pytest

from pwtool.kernel import form as f
from pwtool.kernel.compiler import Compiler
from pwtool.play.game import Game
from tests.kernel.written import foreign_words
from tests.support import ADDRESSES, book

MOST = 150
"""More than twice as deep as the language allows brackets to be."""


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
        assert isinstance(function, FunctionType) and function.__kwdefaults__ is not None
        function.__kwdefaults__["complete"]()
    assert len(texts) > 5
    assert [word for text in texts for word in foreign_words(text)] == []


def test_loops_may_be_nested_more_deeply_than_python_allows() -> None:
    compiler = Compiler(book("othello").game.ruleset)
    one, two, depth = f.Values((f.Const(1),)), f.Values((f.Const(1), f.Const(2))), 40
    total: f.Form = f.Local(0)
    for slot in range(1, depth):
        total = f.Add(total, f.Local(slot))
    holds: f.Form = f.Equal(total, f.Const(depth + 3))
    for slot in range(depth):
        total = f.Sum(slot, one, total)
        holds = f.Any_(slot, two if slot % 9 == 0 else one, f.And(f.Less(f.Const(0), f.Local(slot)), holds))
    assert compiler.of(total)(None, []) == depth
    assert compiler.of(holds)(None, []) is True


@pytest.mark.parametrize("words", ["brackets", "branches", "conditions"])
def test_all_else_may_be_nested_more_deeply_than_python_allows(words: str) -> None:
    compiler = Compiler(book("othello").game.ruleset)
    deep: f.Form = f.Local(0)
    some = f.Any_(1, f.Values((f.Const(0), f.Const(7))), f.Equal(f.Local(1), f.Local(0)))
    for number in range(MOST):
        match words:
            case "brackets":
                deep = f.Subtract(f.Const(number), deep)
            case "branches":
                deep = f.If(f.And(f.Less(f.Local(0), f.Const(number)), some), f.Const(number), deep)
            case "conditions":
                deep = f.Or(f.Equal(f.Local(0), f.Const(number)), f.And(some, deep))
    expected = {"brackets": MOST // 2 + 7, "branches": MOST - 1, "conditions": True}[words]
    assert compiler.of(deep)(None, [7]) == expected
