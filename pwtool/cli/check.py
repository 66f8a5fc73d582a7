"""`pwtool check`."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

from pwtool import __version__
from pwtool.checking.archives import Checker
from pwtool.checking.documents import unreadable
from pwtool.checking.report import FileResult, Report, Verdict, worst
from pwtool.cli.common import choose_language, fail, open_shelf, print_diagnostics, print_lines, use_color, write_file
from pwtool.records.inputs import find_paths
from pwtool.show import FORMATS, render
from pwtool.text import did_you_mean

MANY_FILES = 20
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
    if form in _STREAMED and not wanted:
        codes = {0}
        found = chain(results, _check_all(paths, checker, quiet))
        while some := list(islice(found, PRINTED)):
            codes.add(Report(tuple(some), "pwtool", __version__).exit_code)
            _print(some, form, show_all, quiet)
        return worst(codes)
    checked = _check_all(paths, checker, quiet)
    report = Report(_gather(chain(results, checked), form, wanted), "pwtool", __version__)
    if form == "full" and len(addresses) > 1:
        print_lines(_matrix_lines(report, addresses, show_all))
    else:
        _print(list(report.results), form, show_all, quiet)
    for name, target in wanted:
        write_file(target, render(report, name, color=False, show_all=True))
    return report.exit_code


def _check_all(paths: list[str], checker: Checker, quiet: bool) -> Iterator[FileResult]:
    """The results one by one; a progress bar on standard error when there are many files and somebody watches."""
    # From here on an archive may be long: what is loaded stays, what comes is collected.
    gc.freeze()
    gc.enable()
    if quiet or len(paths) < MANY_FILES or not sys.stderr.isatty():
        yield from checker.check(paths)
        return
    import typer

    with typer.progressbar(paths, label="checking", file=sys.stderr) as bar:
        yield from checker.check(bar)


def _print(results: list[FileResult], form: str, show_all: bool, quiet: bool) -> None:
    shown = tuple(r for r in results if not quiet or r.verdict is not Verdict.CLEAN or r.diagnostics)
    if shown or not quiet:
        print(render(Report(shown, "pwtool", __version__), form, color=use_color(), show_all=show_all), end="")


def _gather(results: Iterable[FileResult], form: str, wanted: list[tuple[str, Path]]) -> tuple[FileResult, ...]:
    """The clean games of an archive as one result as they come, unless a format lists every document."""
    if {form, *(name for name, _ in wanted)} & _LISTING:
        return tuple(results)
    gathered: list[FileResult] = []
    places: dict[tuple[str, str | None], int] = {}
    for result in results:
        archive, colon, line = result.name.rpartition(":")
        if result.verdict is not Verdict.CLEAN or result.diagnostics or not (colon and line.isdigit()):
            gathered.append(result)
            continue
        place = places.setdefault((archive, result.ruleset), len(gathered))
        count = gathered[place].documents + 1 if place < len(gathered) else 1
        games = "1 game" if count == 1 else f"{count} games"
        gathered[place : place + 1] = [FileResult(archive, result.ruleset, Verdict.CLEAN, (), (games,), count)]
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
    """Stop before anything is judged where a report would replace what it is about, or a file that nobody spoke of."""
    for target in targets:
        if not target.exists():
            continue
        if any(path != "-" and _is_same(Path(path), target) for path in paths):
            fail(f"`{target}` is checked itself, no report can be written to it")
        if not force:
            fail(f"`{target}` is already there", "--force overwrites")


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
    width = max(len(a) for a in addresses)
    words = {Verdict.UNDETERMINED: "undecided", Verdict.FINDINGS: "refused", Verdict.UNREADABLE: "unreadable"}
    lines: list[str] = []
    for name, results in by_name.items():
        lines.append(name)
        for result in results:
            address = result.ruleset or ""
            if result.verdict is Verdict.CLEAN:
                lines.append(f"  {address:<{width}}  accepted    " + ", ".join(result.summary))
                continue
            causes = [d for d in result.diagnostics if not d.follows or show_all]
            first = causes[0] if causes else result.diagnostics[0]
            where = f"{first.where}: " if first.where else ""
            rule = f" ({first.rule})" if first.rule else ""
            place = f"  {first.span}" if first.span else ""
            lines.append(f"  {address:<{width}}  {words[result.verdict]:<10}  {where}{first.message}{rule}{place}")
            if len(causes) > 1:
                more = f"and {len(causes) - 1} more; `pwtool check {name} --rules {address}` shows them"
                lines.append(f"  {'':<{width}}              {more}")
    return lines
