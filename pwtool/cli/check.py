"""`pwtool check`."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

from pwtool import __version__
from pwtool.cli.common import choose_language, fail, open_shelf, print_diagnostics, use_color
from pwtool.diagnostics import did_you_mean
from pwtool.formats.inputs import find_paths, read_documents
from pwtool.reports import FORMATS, render
from pwtool.reports.checking import check_loaded, load_document, unreadable
from pwtool.reports.report import FileResult, Report, Verdict


def run_check(
    files: list[str],
    addresses: list[str],
    readings: list[str],
    form: str,
    reports: list[str],
    show_all: bool,
    quiet: bool,
    lang: str | None,
) -> int:
    """Check all files, print the report, write the other reports; the exit code."""
    wanted = _report_files(form, reports)
    language = choose_language(lang)
    shelf = open_shelf(readings)
    for address in addresses:
        book = shelf.get(address)
        if book.value is None:
            print_diagnostics(book.diagnostics)
            return 2
    paths, problems = find_paths(files)
    results = [unreadable(p.file or "", (p,)) for p in problems]
    progress = _Progress(len(paths), quiet)
    # From here on an archive may be long: what is loaded stays, what comes is collected.
    gc.freeze()
    gc.enable()
    for path in paths:
        progress.step(path)
        for document in read_documents(path):
            loaded = load_document(document)
            if isinstance(loaded, FileResult):
                results.append(loaded)
                continue
            results += [check_loaded(loaded, shelf, address, language) for address in addresses or [None]]  # type: ignore[list-item]
    progress.done()
    report = Report(tuple(results), "pwtool", __version__)
    if form == "full" and len(addresses) > 1:
        _print_matrix(report, addresses, show_all)
    else:
        shown = report
        if quiet:
            shown = Report(tuple(r for r in results if r.verdict is not Verdict.CLEAN), "pwtool", __version__)
        if not quiet or shown.results:
            print(render(shown, form, color=use_color(), show_all=show_all), end="")
    for name, target in wanted:
        _write(target, render(report, name, color=False, show_all=True))
    return report.exit_code


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


def _write(path: Path, text: str) -> None:
    """Write a report whole or not at all."""
    temporary = path.with_name(path.name + ".part")
    try:
        temporary.write_text(text, "utf-8")
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        fail(f"cannot write `{path}`: {(error.strerror or 'unknown reason').lower()}")


def _print_matrix(report: Report, addresses: list[str], show_all: bool) -> None:
    """Several rulesets: for each record which of them accept it, and the first action each refuses."""
    by_name: dict[str, list[FileResult]] = {}
    for result in report.results:
        by_name.setdefault(result.name, []).append(result)
    width = max(len(a) for a in addresses)
    for name, results in by_name.items():
        print(name)
        for result in results:
            address = result.ruleset or ""
            causes = [d for d in result.diagnostics if not d.follows or show_all]
            if result.verdict is Verdict.CLEAN:
                print(f"  {address:<{width}}  accepted   " + ", ".join(result.summary))
                continue
            first = causes[0] if causes else result.diagnostics[0]
            word = "undecided" if result.verdict is Verdict.UNDETERMINED else "refused"
            where = f"{first.where}: " if first.where else ""
            rule = f" ({first.rule})" if first.rule else ""
            place = f"  {first.span}" if first.span else ""
            print(f"  {address:<{width}}  {word:<9}  {where}{first.message}{rule}{place}")
            if len(causes) > 1:
                print(
                    f"  {'':<{width}}             and {len(causes) - 1} more; `pwtool check {name} --rules {address}` shows them"
                )


class _Progress:
    """A line on standard error that counts files; only on a terminal and only when there are many."""

    MANY = 20

    def __init__(self, total: int, quiet: bool) -> None:
        self.total = total
        self.count = 0
        self.shown = not quiet and total >= self.MANY and sys.stderr.isatty()

    def step(self, path: str) -> None:
        self.count += 1
        if self.shown:
            filled = 24 * self.count // self.total
            print(
                f"\r[{'#' * filled}{'.' * (24 - filled)}] {self.count}/{self.total} {path[-40:]:<40}",
                end="",
                file=sys.stderr,
                flush=True,
            )

    def done(self) -> None:
        if self.shown:
            print("\r" + " " * 90 + "\r", end="", file=sys.stderr, flush=True)
