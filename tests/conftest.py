"""What holds for all tests."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from pwtool.checking import workers
from pwtool.ir.model import Ruleset
from pwtool.lang.tree import Document
from pwtool.rules import build
from pwtool.rules.library import Library
from pwtool.simulating import runs
from pwtool.text import Result, processes
from pwtool.text.source import SourceFile

# How long something takes says how busy a machine is, not that it is wrong.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

RULESETS = Path(__file__).resolve().parents[1] / "rulesets"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The long tests take hours: they may be run in so many parts, on as many machines or days."""
    parser.addoption("--part", metavar="N/OF", help="run one part of the tests: 2/8 is the second of eight")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests of the asked part. A test belongs to the same part whatever is run beside it."""
    asked = config.getoption("--part")
    if asked is None:
        return
    number, _, of = asked.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise pytest.UsageError(f"--part is written as 2/8, not `{asked}`")
    mine = [item for item in items if zlib.crc32(item.nodeid.encode()) % int(of) == int(number) - 1]
    left = {id(item) for item in mine}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in left])
    items[:] = mine


@pytest.fixture
def workers_at_once(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Called, it lets every run with several jobs start workers at once and wait for them: they get a share of the smallest task."""

    def begin() -> None:
        monkeypatch.setattr(workers, "WORTH", 0)
        monkeypatch.setattr(runs, "WORTH", 0)
        monkeypatch.setattr(processes, "_has_worker", lambda _: True)

    return begin


def pytest_configure() -> None:
    """Parse and check the shipped rules once: most tests begin with a library of their own, and most of their time, and of the
    time until they are found, would go into reading the same few files.

    Only what comes with the program is kept, and only where the library has no cache itself.
    """
    shipped = {path.read_text("utf-8") for path in RULESETS.rglob("*.rules")}
    parse, load = Library.parse, build.load_ruleset
    checked: dict[tuple[Any, ...], Result[Ruleset]] = {}

    @cache
    def parsed(name: str, text: str, first_line: int) -> Result[Document]:
        return parse(Library(), SourceFile(name, text, first_line))

    def parse_once(library: Library, file: SourceFile) -> Result[Document]:
        if library.cache is None and file.text in shipped:
            return parsed(file.name, file.text, file.first_line)
        return parse(library, file)

    def load_once(address: str, library: Library, readings: tuple[str, ...] = ()) -> Result[Ruleset]:
        layers = library.layers(address).value if library.cache is None else None
        if layers is None or not all(layer.document.header.span.file.text in shipped for layer in layers):
            return load(address, library, readings)
        key = (address, readings, *(id(layer.document) for layer in layers))
        if key not in checked:
            checked[key] = load(address, library, readings)
        return checked[key]

    Library.parse = parse_once  # type: ignore[method-assign]
    build.load_ruleset = load_once
