"""The plugin for pytest: with `pwtool_records` in its settings, each file of records is a test that fails if there are
findings.

A project without this setting pays nothing: the checker is imported when the first such file is collected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

if TYPE_CHECKING:
    from pwtool.checking.accepted import Accepted
    from pwtool.checking.archives import Checker

_INI = "pwtool_records"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The settings of pytest that are ours."""
    parser.addini(_INI, "patterns of files, seen from the root folder: each is a test that pwtool judges", type="args")


def pytest_configure(config: pytest.Config) -> None:
    """Where pytest looks for tests in the folders that the project names, it looks where records lie too."""
    patterns = config.getini(_INI)
    if patterns and config.args_source == pytest.Config.ArgsSource.TESTPATHS:
        from pwtool.checking.accepted import begin_of

        places = dict.fromkeys(str(config.rootpath / begin_of(pattern)) for pattern in patterns)
        config.args += [place for place in places if Path(place).exists()]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A file of records, where a pattern means it."""
    patterns = parent.config.getini(_INI)
    if not patterns or not file_path.is_relative_to(parent.config.rootpath):
        return None
    from pwtool.checking.accepted import matches
    from pwtool.records.file_names import names_record

    place = file_path.relative_to(parent.config.rootpath).as_posix()
    if not names_record(place) or not any(matches(pattern, place) for pattern in patterns):
        return None
    return RecordFile.from_parent(parent, path=file_path)


class Refused(Exception):
    """The findings, as people read them."""


class RecordFile(pytest.File):
    """A file of records. An archive is one test too: kernels judge it at their speed, and one failure shows all that is wrong."""

    def collect(self) -> Iterator[pytest.Item]:
        """Its test."""
        _judge(self.config)
        yield RecordTest.from_parent(self, name="pwtool")


class RecordTest(pytest.Item):
    """The test of a file: passed when all in it is clean, skipped when things that nobody saw decide."""

    # Other plugins look here for what a test was handed, as every item of pytest's own has it.
    funcargs: ClassVar[dict[str, object]] = {}

    def runtest(self) -> None:
        """Judge the file."""
        from pwtool import __version__
        from pwtool.checking.report import Report, Verdict
        from pwtool.show import render

        checker, accepted = _judge(self.config)
        met: Counter[str] = Counter()
        found = [accepted.keep(result, met) for result in checker.check([str(self.path)])]
        wrong = tuple(r for r in found if r.verdict is not Verdict.CLEAN)
        if not wrong:
            return
        text = render(Report(wrong, "pwtool", __version__), "full", color=False, show_all=False)
        if all(r.verdict is Verdict.UNDETERMINED for r in wrong):
            pytest.skip(f"undetermined: {wrong[0].diagnostics[0].message}")
        raise Refused(text)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The findings alone, for no line of Python has to do with them."""
        if isinstance(excinfo.value, Refused):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """What the test is called."""
        return self.path, None, f"pwtool: {self.path.name}"


_JUDGE = pytest.StashKey[Any]()


def _judge(config: pytest.Config) -> tuple[Checker, Accepted]:
    """What judges in this session, by the settings of the project."""
    if _JUDGE not in config.stash:
        from pwtool.checking.accepted import Accepted
        from pwtool.checking.archives import Checker
        from pwtool.cli.baseline import know
        from pwtool.cli.common import choose_language, open_store
        from pwtool.cli.config import read_config
        from pwtool.cli.start import Stop

        try:
            settings = read_config()
            ruleset_store = open_store(settings.readings, False, settings.rules_from)
            checker = Checker(
                ruleset_store,
                settings.rules or [],
                choose_language(settings.lang, settings.rules or [], settings.rules_from or []),
            )
            accepted = Accepted(settings.folder, settings.ignores)
            if settings.baseline is not None:
                know(accepted, settings.baseline)
        except Stop:
            raise pytest.Collector.CollectError("the settings of pwtool are wrong, see below") from None
        config.stash[_JUDGE] = checker, accepted
    found: tuple[Checker, Accepted] = config.stash[_JUDGE]
    return found
