"""What is wrong with a document: first the quick results of reading and checking, then the slow ones (oddities, proofs,
examples that fail).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec.structs import replace

from pwtool.checking.fixing import with_sound_fixes
from pwtool.checking.linting import lint_target
from pwtool.lsp.model.analysis import Analysis
from pwtool.lsp.model.workspace import Workspace
from pwtool.play.game import Game
from pwtool.rules.build import build_ruleset
from pwtool.rules.choices import other_choices
from pwtool.rules.layers import merge_layers
from pwtool.rules.library import Library
from pwtool.show.text.examples import example_findings, findings_of_choices
from pwtool.text import Diagnostic, Fix, Severity, choose_fixes
from pwtool.text.source import SourceFile, Span

Stop = Callable[[], bool]
"""Whether the result is no longer needed."""


def quick_findings(workspace: Workspace, path: Path) -> tuple[Analysis, list[Diagnostic]]:
    """The findings of reading and checking a document."""
    analysis = workspace.analysis(path)
    return analysis, _of_document(analysis, analysis.findings)


def thorough_findings(workspace: Workspace, path: Path, stop: Stop) -> tuple[Analysis, list[Diagnostic]] | None:
    """Everything that `pwtool lint` reports of a document, and its failing examples; None if cancelled."""
    analysis = workspace.analysis(path)
    if stop():
        return None
    library = workspace.library(strict=True)
    found = lint_target(analysis.target, library)
    if stop():
        return None
    if analysis.ruleset is not None:
        told = {(d.code, str(d.span)) for d in found}
        layers = library.layers(analysis.target.address).value or []
        choices, _ = other_choices(analysis.target.address, library, layers)
        failed = example_findings(Game(analysis.ruleset)) + findings_of_choices(choices)
        found += [d for d in failed if (d.code, str(d.span)) not in told]
    return analysis, _of_document(analysis, found)


def _of_document(analysis: Analysis, found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The findings shown in a document: those of its text and, at its first line, those without a place or of another
    file that it needs.
    """
    told: dict[tuple[str, str, int], Diagnostic] = {}
    for finding in found:
        span = finding.span
        if span is None or span.file.name != analysis.file.name:
            if finding.level is not Severity.ERROR:
                continue
            where = "" if span is None else f"{span.file.name}:{span.line}: "
            told.setdefault(
                (finding.code, finding.message, -1),
                replace(finding, message=where + finding.message, span=_header(analysis), fix=None),
            )
        else:
            told.setdefault((finding.code, finding.message, span.start), finding)
    return list(told.values())


def _header(analysis: Analysis) -> Span:
    document = analysis.read.document
    if document is not None:
        return document.header.span
    return Span(analysis.file, 0, max(0, analysis.file.text.find("\n")))


def sound_fixes(workspace: Workspace, path: Path, found: list[Diagnostic]) -> list[Diagnostic]:
    """The findings with the fixes that leave no error."""
    target = workspace.analysis(path).target

    def errors(library: Library) -> list[Diagnostic]:
        layers = library.layers(target.address)
        if layers.value is None:
            return list(layers.diagnostics)
        built = build_ruleset(target.address, merge_layers(layers.value), bounded=False)
        return [d for d in built.diagnostics if d.level is Severity.ERROR]

    library = workspace.library(strict=True)
    library.layers(target.address)
    return with_sound_fixes(found, library, errors)


def safe_fixes(file: SourceFile, found: Iterable[Diagnostic]) -> list[Fix]:
    """All safe fixes of a file that can be applied together."""
    return choose_fixes(d.fix for d in found if d.fix is not None and d.fix.safe and d.fix.span.file.name == file.name)
