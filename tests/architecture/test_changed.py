"""Which tests `make test-changed` calls near."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests import changed
from tests.daily import numbers, one_day_in

ROOT = Path(__file__).resolve().parents[2]
GRAPH = {
    "tests/eval/test_sums.py": {"pwtool/eval/sums.py"},
    "tests/cli/test_check.py": {"pwtool/cli/app.py"},
    "tests/cli/test_help.py": {"pwtool/cli/app.py"},
    "pwtool/cli/app.py": {"pwtool/eval/sums.py"},
    "tests/cli/test_apart.py": set(),
}


def test_fewer_steps_are_nearer() -> None:
    far = changed.distances(["pwtool/eval/sums.py"], GRAPH, {})
    assert sorted(far, key=lambda path: far[path])[0] == "tests/eval/test_sums.py"
    assert far.keys() == GRAPH.keys() - {"pwtool/cli/app.py", "tests/cli/test_apart.py"}
    assert changed.distances(["tests/cli/test_apart.py"], GRAPH, {}) == {"tests/cli/test_apart.py": 0}


def test_what_fits_is_kept_the_nearest_first() -> None:
    far = {"a": 0.0, "b": 1.0, "c": 2.0, "d": 3.0}
    assert changed.chosen(far, {"a": 50, "b": 9, "c": 2, "d": 1}, 60) == (["a", "b", "d"], ["c"])
    # What changed itself is run even if it takes too long.
    assert changed.chosen(far, {"a": 99}, 60)[0] == ["a"]


@one_day_in(7)
@pytest.mark.skipif(not (ROOT / "Makefile").is_file(), reason="only a checkout has changes")
@pytest.mark.parametrize("parts", numbers(1, 30))
def test_every_module_and_every_file_of_data_is_near_to_some_test(parts: Sequence[int]) -> None:
    graph = changed.imports()
    texts = {path: (ROOT / path).read_text("utf-8") for path in graph}
    alone = {"pwtool/__main__.py"}
    modules = [path for path in graph if path.startswith("pwtool/") and path not in alone]
    assert [
        path for at, path in enumerate(modules) if at % 30 in parts and not changed.distances([path], graph, texts)
    ] == []
    near = {
        "rulesets/paper_world/fr.rules": "tests/comparing/test_rows.py",
        "grammar/rules.lark": "tests/lang/test_tables.py",
        "tests/golden/mistakes/a_card.txt": "tests/golden/test_mistakes.py",
        "docs/errors/PW601.md": "tests/docs/test_errors.py",
        "Makefile": "tests/release/test_ready.py",
        "pwtool/show/machine/github.py": "tests/cli/test_config.py",
    }
    for path, test in near.items():
        far = changed.distances([path], graph, texts)
        assert test in sorted(far, key=lambda name: far[name])[: max(3, len(far) // 2)], path
