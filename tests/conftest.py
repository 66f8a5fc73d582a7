"""What holds for all tests."""

from __future__ import annotations

import gc
import zlib
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, settings

from pwtool.checking import workers
from pwtool.learning import workers as trying
from pwtool.simulating import runs
from pwtool.text import processes
from tests import daily, once

# How long something takes says how busy a machine is, not that it is wrong.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
SECONDS: Counter[str] = Counter()
"""How long the tests of each file took."""


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
        monkeypatch.setattr(trying, "WORTH", 0)
        monkeypatch.setattr(processes, "_has_worker", lambda _: True)

    return begin


def pytest_configure(config: pytest.Config) -> None:
    daily.begin(everyday=config.getoption("markexpr") == "not slow")
    once.install()


def pytest_collection_finish() -> None:
    """What was imported and collected stays: no later search for garbage has to go through it. The others are seldom: what
    tests keep (rulesets, kernels, games) is much, and little of what they leave is a cycle.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Beside failures, say which cases were tried."""
    if terminalreporter.stats.get("failed") or terminalreporter.stats.get("error"):
        terminalreporter.write_line(f"The same cases are tried again with PWTOOL_SEED={daily.seed()}")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    SECONDS[report.nodeid.partition("::")[0]] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Note how long each file took, for `make test-changed`. Where several processes work, the first gets all reports."""
    config = session.config
    if hasattr(config, "workerinput") or any("::" in word for word in config.args):
        return
    if config.getoption("keyword") or config.getoption("--part") or config.getoption("markexpr") != "not slow":
        return
    cache = getattr(config, "cache", None)
    if cache is not None:
        known = cache.get("pwtool/seconds", {})
        cache.set("pwtool/seconds", known | {path: round(spent, 2) for path, spent in SECONDS.items()})
