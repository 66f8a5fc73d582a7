"""`pwtool lint`: errors and oddities in rules files, and safe fixes."""

from __future__ import annotations

from msgspec.structs import replace

from pwtool import __version__
from pwtool.checking.known_clean import KnownClean
from pwtool.checking.linting import Adopted, fix_all, lint_all
from pwtool.checking.report import FileResult, Report, Verdict
from pwtool.cli.common import open_store, print_lines, print_report
from pwtool.cli.oddities import oddities_of
from pwtool.cli.output_settings import output_settings
from pwtool.cli.streams import note, say
from pwtool.rules.library import Library
from pwtool.rules.targets import Target, find_targets
from pwtool.text import Severity
from pwtool.text.store import cache_folder


def run_lint(arguments: list[str], form: str, fix: bool, unsafe: bool, adopted: Adopted) -> int:
    """Lint rulesets, fix what can be fixed if requested, and print the report; returns the exit code."""
    library = Library(cache=cache_folder())
    targets, problems = find_targets(arguments, library)
    known = KnownClean(library, adopted)
    results = lint_all(targets, library, adopted, known)
    if fix or unsafe:
        results, lines = fix_all(targets, results, library, adopted, known, unsafe, output_settings.speech)
        _say(lines, form)
    results = [_played(result, target, adopted, known) for result, target in zip(results, targets, strict=True)]
    results = [FileResult(p.file or "", None, Verdict.UNREADABLE, (p,)) for p in problems] + results
    speech = output_settings.speech
    report = Report(tuple(r.within(speech) for r in results), "pwtool", __version__, speech.language)
    print_report(report, form, show_all=True)
    if form == "full":
        _offer(results, targets)
    return report.exit_code


def _played(result: FileResult, target: Target, adopted: Adopted, known: KnownClean) -> FileResult:
    """The result with what random games show, if the ruleset has no error and is not known to be clean."""
    if any(d.level is Severity.ERROR for d in result.diagnostics) or target in known.targets:
        return result
    seen = oddities_of(target, open_store(list(adopted.readings), adopted.as_printed))
    if not (seen or result.diagnostics):
        known.keep(target)
    return replace(result, diagnostics=(*result.diagnostics, *seen))


def _offer(results: list[FileResult], targets: list[Target]) -> None:
    """Say what `--fix` could do, if there are files that it may write."""
    found = sum(d.fix is not None and d.fix.safe for r in results for d in r.diagnostics)
    if found and any(t.path is not None for t in targets):
        speech = output_settings.speech
        print_lines(
            [
                speech.many(
                    "1 finding can be fixed by {option}",
                    "{count} of the findings can be fixed by {option}",
                    found,
                    option="`--fix`",
                )
            ]
        )


def _say(lines: list[str], form: str) -> None:
    # Data formats contain nothing else.
    if lines:
        (say if form in ("full", "concise") else note)(*lines, *([""] if form == "full" else []))
