"""What tests share never hides a fault: it is known by the code that makes it, and not used while a test changes that code."""

from __future__ import annotations

import grimp
import pytest

from pwtool.kernel.module import MAKERS, compile_kernel
from pwtool.kernel.wasm import operands
from pwtool.rules import bounds
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.rules.stored import SETTINGS
from tests.architecture.test_size import reached
from tests.support import book

ADDRESS = "pierre_papier_morpion"


@pytest.mark.parametrize(
    ("maker", "packages"),
    [("pwtool.rules.build", SETTINGS), ("pwtool.kernel.wasm.build", (*MAKERS, *SETTINGS))],
)
def test_what_is_stored_is_known_by_all_code_that_makes_it(maker: str, packages: tuple[str, ...]) -> None:
    graph = grimp.build_graph("pwtool", exclude_type_checking_imports=True, cache_dir=None)
    imported = {name.split(".")[1] for name in reached(graph, maker)}
    assert imported - set(packages) == set()


def test_a_changed_check_is_not_passed_by_what_was_checked_before(monkeypatch: pytest.MonkeyPatch) -> None:
    known = book(ADDRESS).game.ruleset
    with monkeypatch.context() as changed:
        changed.setattr(bounds, "MAX_STEPS", 1)
        changed.setattr(bounds, "MAX_ALL_STEPS", 1)
        assert load_ruleset(ADDRESS, Library()).value is None
    assert load_ruleset(ADDRESS, Library()).value is known


def test_a_changed_compiler_makes_kernels_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    ruleset = book(ADDRESS).game.ruleset
    known = compile_kernel(ruleset)
    with monkeypatch.context() as changed:
        changed.setattr(operands.Expression, "__init__", None)
        with pytest.raises(TypeError):
            compile_kernel(ruleset)
    assert compile_kernel(ruleset) is known
