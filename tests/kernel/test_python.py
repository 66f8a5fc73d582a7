"""The text of compiled expressions: nothing of a rules file is in it, and no nesting is too deep for Python."""

from __future__ import annotations

import ast
import builtins
import re
from types import FunctionType

import pytest

from pwtool.kernel import form as f
from pwtool.kernel.compiler import Compiler
from pwtool.kernel.functions import CALLED
from pwtool.play.game import Game
from tests.support import ADDRESSES, book

MOST = 150
"""More than twice as deep as the language allows brackets to be."""
MADE = re.compile(r"[sefk]|work|[avk]\d+")


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
    for node in (node for text in texts for node in ast.walk(ast.parse(text))):
        match node:
            case ast.Constant(value):
                assert value is None or isinstance(value, int)
            case ast.Name(name):
                assert MADE.fullmatch(name) or name in CALLED or hasattr(builtins, name), name
            case ast.Call(ast.Name(name)):
                assert name not in ("eval", "exec", "compile", "getattr", "open", "__import__")


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
