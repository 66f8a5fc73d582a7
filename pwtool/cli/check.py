"""`pwtool check`."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from msgspec import Struct

from pwtool import __version__
from pwtool.checking.archives import Checker
from pwtool.checking.documents import unreadable
from pwtool.checking.report import FileResult, Report, Verdict, worst
from pwtool.cli.common import (
    choose_language,
    fail,
    keep_file,
    open_shelf,
    print_diagnostics,
    print_lines,
    print_report,
    write_file,
)
from pwtool.cli.start import INTERRUPTED
from pwtool.cli.streams import Pace, complain, show_progress
from pwtool.records.inputs import Document, Text, find_paths, read_texts
from pwtool.show import FORMATS, render
from pwtool.text import did_you_mean
from pwtool.text.store import is_stream
from pwtool.text.words import counted

PRINTED = 200
"""How many results are printed at once."""
# Formats whose output for a document stands by itself: an archive of millions is never held in memory.
_STREAMED = frozenset(("concise", "jsonl", "github"))
_LISTING = frozenset(("json", "jsonl", "junit"))


def run_check(
    files: list[str],
    addresses: list[str],
    readings: list[str],
    form: str,
    reports: list[str],
    show_all: bool,
    quiet: bool,
    lang: str | None,
    as_printed: bool = False,
    kernel: bool = True,
    audit: float = 0.0,
    force: bool = False,
    rules_from: list[str] | None = None,
) -> int:
    """Check all files, print the report, write the other reports; the exit code."""
    wanted = _report_files(form, reports)
    language = choose_language(lang)
    shelf = open_shelf(readings, as_printed, rules_from)
    for address in addresses:
        book = shelf.get(address)
        if book.value is None:
            print_diagnostics(book.diagnostics)
            return 2
    checker = Checker(shelf, addresses, language, kernel, audit / 100, bool({form, *(n for n, _ in wanted)} & _LISTING))
    paths, problems = find_paths(files)
    _check_targets([target for _, target in wanted], paths, force)
    results = [unreadable(p.file or "", (p,)) for p in problems]
    tally = _Tally(len(addresses) or 1)
    found = chain(results, tally.counted(_check_all(paths, checker, quiet)))
    try:
        if form in _STREAMED and not wanted:
            return _print_as_they_come(found, form, show_all, quiet)
        report = Report(_gather(found, form, wanted), "pwtool", __version__)
    except KeyboardInterrupt:
        left_out = "" if form in _STREAMED and not wanted else ", no report is made of them"
        complain(f"interrupted: {counted(tally.results // tally.each, 'document')} judged so far{left_out}")
        return INTERRUPTED
    if form == "full" and len(addresses) > 1:
        print_lines(_matrix_lines(report, addresses, show_all))
    else:
        _print(list(report.results), form, show_all, quiet)
    for name, target in wanted:
        write_file(target, render(report, name, color=False, show_all=True))
    return report.exit_code


class _Tally(Struct):
    """Counts results, of which each document has so many."""

    each: int
    results: int = 0

    def counted(self, results: Iterable[FileResult]) -> Iterator[FileResult]:
        """The results, counted as they pass."""
        for result in results:
            self.results += 1
            yield result


def _print_as_they_come(found: Iterator[FileResult], form: str, show_all: bool, quiet: bool) -> int:
    """Print results some at a time, and nothing less when the command is interrupted; the exit code."""
    codes = {0}
    some: list[FileResult] = []

    def flush() -> None:
        shown, some[:] = list(some), []
        codes.add(Report(tuple(shown), "pwtool", __version__).exit_code)
        _print(shown, form, show_all, quiet)

    try:
        for result in found:
            some.append(result)
            if len(some) >= PRINTED:
                flush()
    except KeyboardInterrupt:
        flush()
        raise
    flush()
    return worst(codes)


def _check_all(paths: list[str], checker: Checker, quiet: bool) -> Iterator[FileResult]:
    """The results one by one."""
    # From here on an archive may be long: what is loaded stays, what comes is collected.
    gc.freeze()
    gc.enable()
    yield from checker.check_texts(_read(paths, quiet))


def _read(paths: list[str], quiet: bool) -> Iterator[Text | Document]:
    """All documents, with a progress line that tells how much of their bytes is read."""
    pace, read, whole = Pace(), 0, None
    for number, text in enumerate((text for path in paths for text in read_texts(path)), 1):
        read += len(text.data) if isinstance(text, Text) else 0
        if not quiet and pace.is_due():
            whole = _size_of(paths) if whole is None else whole
            share = f", {min(100, read * 100 // whole)}%" if whole else ""
            show_progress(f"checking document {number:,}{share}")
        yield text


def _size_of(paths: list[str]) -> int:
    """How many bytes the files have together; 0 where that is not known."""
    try:
        return sum(Path(path).stat().st_size for path in paths)
    except (OSError, ValueError):
        return 0


def _print(results: list[FileResult], form: str, show_all: bool, quiet: bool) -> None:
    shown = tuple(r for r in results if not quiet or r.verdict is not Verdict.CLEAN or r.diagnostics)
    if shown or not quiet:
        print_report(Report(shown, "pwtool", __version__), form, show_all)


def _gather(results: Iterable[FileResult], form: str, wanted: list[tuple[str, Path]]) -> tuple[FileResult, ...]:
    """The clean games of an archive as one result as they come, unless a format lists every document."""
    if {form, *(name for name, _ in wanted)} & _LISTING:
        return tuple(results)
    gathered: list[FileResult] = []
    places: dict[tuple[str, str], int] = {}
    for result in results:
        archive, colon, line = result.name.rpartition(":")
        if result.verdict is not Verdict.CLEAN or result.diagnostics or not (colon and line.isdigit()):
            gathered.append(result)
            continue
        place = places.setdefault((archive, result.rules), len(gathered))
        count = gathered[place].documents + 1 if place < len(gathered) else 1
        games = counted(count, "game")
        both = FileResult(archive, result.ruleset, Verdict.CLEAN, (), (games,), count, version=result.version)
        gathered[place : place + 1] = [both]
    return tuple(gathered)


def _report_files(form: str, reports: list[str]) -> list[tuple[str, Path]]:
    wanted: list[tuple[str, Path]] = []
    for name, target in [(form, None), *((r.partition("=")[0], r.partition("=")[2]) for r in reports)]:
        if name not in FORMATS:
            fail(f"there is no format `{name}`", did_you_mean(name, FORMATS))
        if target is not None:
            if not target:
                fail(f"`--report {name}` names no file", f"write `--report {name}=FILE`")
            wanted.append((name, Path(target)))
    return wanted


def _check_targets(targets: list[Path], paths: list[str], force: bool) -> None:
    """Stop before anything is judged where a report would replace what it is about, another report, or a file that nobody
    spoke of.
    """
    places: set[Path] = set()
    for target in targets:
        if is_stream(target):
            continue
        place = target.parent.resolve() / target.name
        if place in places:
            fail(f"two reports would be written to `{target}`", "name a file for each")
        places.add(place)
        if any(path != "-" and _is_same(Path(path), target) for path in paths):
            fail(f"`{target}` is checked itself, no report can be written to it")
        keep_file(target, force)


def _is_same(path: Path, target: Path) -> bool:
    try:
        return path.samefile(target)
    except (OSError, ValueError):
        return False


def _matrix_lines(report: Report, addresses: list[str], show_all: bool) -> list[str]:
    """Several rulesets: for each record which of them accept it, and the first action each refuses."""
    by_name: dict[str, list[FileResult]] = {}
    for result in report.results:
        by_name.setdefault(result.name, []).append(result)
    width = max(len(r.rules) for r in report.results)
    words = {Verdict.UNDETERMINED: "undecided", Verdict.FINDINGS: "refused", Verdict.UNREADABLE: "unreadable"}
    lines: list[str] = []
    for name, results in by_name.items():
        lines.append(name)
        for result in results:
            address, rules = result.ruleset or "", result.rules
            if result.verdict is Verdict.CLEAN:
                lines.append(f"  {rules:<{width}}  accepted    " + ", ".join(result.summary))
                continue
            causes = [d for d in result.diagnostics if not d.follows or show_all]
            first = causes[0] if causes else result.diagnostics[0]
            where = f"{first.where}: " if first.where else ""
            rule = f" ({first.rule})" if first.rule else ""
            place = f"  {first.span}" if first.span else ""
            lines.append(f"  {rules:<{width}}  {words[result.verdict]:<10}  {where}{first.message}{rule}{place}")
            if len(causes) > 1:
                more = f"and {len(causes) - 1} more; `pwtool check {name} --rules {address}` shows them"
                lines.append(f"  {'':<{width}}              {more}")
    return lines
