"""What is known about the ruleset of a rules file, as its text stands now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from pwtool.ir.model import Ruleset
from pwtool.ir.nodes import Expr
from pwtool.lang import tree as n
from pwtool.lang.merged import Key, Merged
from pwtool.lang.pieces import Read, declared_names
from pwtool.lsp.model.library import OpenLibrary
from pwtool.rules.build import build_ruleset
from pwtool.rules.check.scope import Scope
from pwtool.rules.layers import merge_layers
from pwtool.rules.library import Layer, shown_name
from pwtool.rules.targets import Target, find_targets, own_documents
from pwtool.text import Diagnostic, Result, Severity
from pwtool.text.source import SourceFile


@dataclass(frozen=True, slots=True)
class Checked:
    """A checked expression: its place, its result, and the names in scope."""

    node: n.Node
    expr: Expr
    scope: Scope


_DECLARED = re.compile(r"\s*(?:change\s+)?\w+\s+([\w.]+)")
"""The name in a declaration that cannot be parsed."""
_ROUNDS = 3
"""How often items with errors are left out: what uses them may be wrong then."""
_ABSENT = ("PW209", "PW401")
"""Codes that say that something is not there, which nobody knows of a text that is read in part."""


class Seen:
    """All checked expressions, by file."""

    def __init__(self) -> None:
        self._by_file: dict[str, list[Checked]] = {}

    def note(self, node: n.Node, scope: Scope, expr: Expr) -> None:
        """Add an expression."""
        self._by_file.setdefault(node.span.file.name, []).append(Checked(node, expr, scope))

    def at(self, file: str, offset: int) -> Checked | None:
        """The smallest expression around a place."""
        return min(self.around(file, offset), key=lambda c: c.node.span.end - c.node.span.start, default=None)

    def around(self, file: str, offset: int) -> Iterator[Checked]:
        """All expressions around a place."""
        for checked in self._by_file.get(file, ()):
            if checked.node.span.start <= offset <= checked.node.span.end:
                yield checked

    def in_file(self, file: str) -> Sequence[Checked]:
        """All expressions of a file."""
        return self._by_file.get(file, ())


@dataclass(frozen=True)
class Analysis:
    """A rules file and its ruleset. `files` are all files that it consists of, by path; `ruleset` is None if there are
    errors. Then `usable` is the ruleset without the declarations in which they are, or with what these meant before
    (None: it makes no sense without them), and `stale` are their names.
    """

    path: Path
    target: Target
    read: Read
    files: dict[Path, SourceFile]
    layers: Sequence[Layer]
    merged: Merged
    ruleset: Ruleset | None
    findings: tuple[Diagnostic, ...]
    seen: Seen = field(default_factory=Seen)
    usable: Ruleset | None = None
    stale: frozenset[str] = frozenset()

    @property
    def file(self) -> SourceFile:
        """The file itself."""
        return self.read.file

    @property
    def document(self) -> n.Document | None:
        """The tree of the file, as far as it could be parsed."""
        return next((d.document for d in self.layers if d.document.header.span.file is self.file), self.read.document)

    @property
    def own(self) -> list[n.Document]:
        """The documents of this ruleset without those that it builds on."""
        return own_documents(list(self.layers), self.target) if self.layers else []

    def path_of(self, file: str) -> Path | None:
        """The path of a file of this ruleset, by its name in findings."""
        return next((path for path, source in self.files.items() if source.name == file), None)


def analyze(path: Path, library: OpenLibrary, before: Merged | None = None) -> Analysis:
    """Read, merge and check everything that a rules file builds on. `library` is used for this call only; `before` are
    the items of the last ruleset that could be used.
    """
    target = find_targets([str(path)], library)[0][0]
    found = library.layers(target.address)
    files = {Path(p): file for p, file in library.opened.items()}
    own = files.get(path) or library.read(path, shown_name(path))
    file = own if isinstance(own, SourceFile) else SourceFile(shown_name(path), "")
    read = library.reading.read(file)
    if read.file is not file:
        # Earlier findings for the same text have their places in an older text object.
        file = read.file
    if path not in files:
        files[path] = file
    problems = [*found.diagnostics, *([own] if isinstance(own, Diagnostic) else [])]
    for source in files.values():
        problems += library.reading.read(source).problems
    if found.value is None:
        return Analysis(path, target, read, files, (), Merged(), None, tuple(problems))
    seen = Seen()
    merged = merge_layers(found.value)
    built = build_ruleset(target.address, merged, seen.note, bounded=False)
    reads = [library.reading.read(source) for source in files.values()]
    meant = [d for d in built.diagnostics if not _of_broken(d, reads)]
    if built.value is not None and not problems:
        return Analysis(path, target, read, files, found.value, merged, built.value, tuple(meant), seen, built.value)
    stretches = [one.file.text[stretch.start : stretch.end] for one in reads for stretch in one.broken]
    broken = {match[1] for text in stretches if (match := _DECLARED.match(text)) is not None}
    usable, stale = _without_errors(target.address, merged, built, before)
    return Analysis(
        path, target, read, files, found.value, merged, None, (*problems, *meant), seen, usable, frozenset(broken | stale)
    )  # fmt: skip


def _without_errors(
    address: str, merged: Merged, built: Result[Ruleset], before: Merged | None
) -> tuple[Ruleset | None, set[str]]:
    """The ruleset without the items in which errors are, or with what they were `before`; and their names."""
    stale: set[Key] = set()
    for _ in range(_ROUNDS):
        if built.value is not None:
            break
        places = [d.span for d in built.diagnostics if d.level is Severity.ERROR]
        spans = [span for span in places if span is not None]
        wrong = [key for key, node in merged.items.items() if any(node.span.holds(span) for span in spans)]
        if not wrong and not merged.diagnostics:
            return None, set()
        items = {}
        for key, node in merged.items.items():
            old = before.items.get(key) if before is not None and key not in stale else None
            kept = node if key not in wrong else old if old != node else None
            if kept is not None:
                items[key] = kept
        stale |= set(wrong)
        examples = [e for e in merged.examples if not any(e.span.holds(span) for span in spans)]
        merged = replace(merged, items=items, examples=examples, diagnostics=[])
        built = build_ruleset(address, merged, bounded=False)
    return built.value, {name for _, name in stale}


def _of_broken(finding: Diagnostic, reads: list[Read]) -> bool:
    """Whether a finding is about a declaration that cannot be parsed at the moment, or may be a consequence of one."""
    if finding.code in _ABSENT and any(read.broken for read in reads):
        return True
    for read in reads:
        for stretch in read.broken:
            span = finding.span
            if span is not None and span.file.name == read.file.name and stretch.start <= span.start < stretch.end:
                return True
            names = declared_names(read.file.text[stretch.start : stretch.end])
            if any(f"`{name}`" in finding.message for name in names):
                return True
    return False
