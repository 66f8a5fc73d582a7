"""How large the packages are, and which of their modules import each other: both may only change by decision."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[2]
LINES = {
    "api": 1540, "boards": 5920, "checking": 4910, "cli": 8790, "comparing": 12020, "eval": 1360, "ir": 2960, "kernel": 12930,
    "lang": 5750, "learning": 4310, "lsp": 4160, "play": 4890, "records": 14570, "rules": 10070, "show": 9730, "simulating": 1380, "studio": 4080,
    "text": 2310, "why": 6000,
}  # fmt: skip
"""The lines of each package. A change that needs more raises its number and says why; one that needs less lowers it."""
SLACK = 40
"""A package may be smaller than its number by so many lines."""
CIRCLES = [
    {"pwtool.api.games", "pwtool.api.rules"},
    {"pwtool.comparing.prover", "pwtool.comparing.solver"},
    {"pwtool.play.legal", "pwtool.play.play"},
    {f"pwtool.records.{name}" for name in ("inputs", "tables.arrow", "tables.foreign", "tables.reading")},
    {"pwtool.records.encoding", "pwtool.records.variables_json"},
]
"""Modules that import each other. There may be fewer."""


def test_growth_is_a_decision() -> None:
    folders = {path.parent.name: path.parent for path in (ROOT / "pwtool").glob("*/__init__.py")}
    lines = {
        name: sum(len(path.read_text("utf-8").splitlines()) for path in folder.rglob("*.py"))
        for name, folder in folders.items()
    }
    assert set(lines) == set(LINES)
    assert {name: count for name, count in lines.items() if count > LINES[name]} == {}, "say why, and raise the number"
    assert {name: count for name, count in lines.items() if count < LINES[name] - SLACK} == {}, "lower the number"


def test_no_new_circle_of_imports() -> None:
    graph = grimp.build_graph("pwtool", exclude_type_checking_imports=True, cache_dir=None)
    # The package's own face names its version, and imports what is public when that is first used.
    modules = graph.modules - {"pwtool"}
    behind = {name: reached(graph, name) - {"pwtool"} for name in modules}
    circles = {frozenset(b for b in behind[a] if a in behind[b]) for a in modules if a in behind[a]}
    assert [circle for circle in circles if circle not in CIRCLES] == []


def reached(graph: grimp.ImportGraph, name: str) -> set[str]:
    """The modules that a module imports, directly or through others, except through the package's own face."""
    found: set[str] = set()
    pending = [name]
    while pending:
        for other in graph.find_modules_directly_imported_by(pending.pop()) - {"pwtool"}:
            if other not in found:
                found.add(other)
                pending.append(other)
    return found


def test_the_drawing_has_the_layers_of_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    drawn = re.findall(r"^(\w+) {2,}\S", text.split("```")[1], re.M)
    assert [f"pwtool.{name}" for name in drawn] == layers


def test_every_file_that_the_page_names_exists() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = re.findall(r"`((?:\w+/)+[\w.]+)`", text)
    assert len(named) > 30
    missing = [n for n in named if not any((ROOT / base / n).exists() for base in ("pwtool", "."))]
    assert missing == []
