"""Decides which fixes are offered: those that leave no error in the declaration that they change.

A fix is a guess about one place; only the whole ruleset shows whether the result can be read and makes sense. So the
fixes of a declaration are tried on a draft, together with those that become possible after them, and withheld if an
error remains.
"""

from __future__ import annotations

import dataclasses
import re
from bisect import bisect_right
from collections.abc import Callable

from msgspec import field
from msgspec.structs import replace

from pwtool.lang import tree as n
from pwtool.lang.mistakes.stuck import declarations
from pwtool.rules.library import Library
from pwtool.text import Diagnostic, Fix, Result, Severity, apply_fixes, choose_fixes
from pwtool.text.source import SourceFile, Span

_ROUNDS = 6
_SYNTAX = "PW101"
Errors = Callable[[Library], list[Diagnostic]]
"""The errors of a ruleset when its files are read through this library."""


def with_sound_fixes(found: list[Diagnostic], library: Library, errors: Errors) -> list[Diagnostic]:
    """The findings, without the fixes that would leave an error in the declaration that they change."""
    if all(d.fix is None for d in found):
        return found
    paths = {file.name: path for path, file in library.opened.items()}
    unsound: set[Fix] = set()
    for name in dict.fromkeys(d.fix.span.file.name for d in found if d.fix is not None):
        if name not in paths:
            continue
        here = [d for d in found if d.span is not None and d.span.file.name == name]
        fixes = [d.fix for d in here if d.fix is not None and d.fix.span.file.name == name]
        trial = _Trial(library, paths[name], fixes[0].span.file, here, errors)
        safe = [fix for fix in fixes if fix.safe]
        unsound |= trial.unsound(safe)
        for fix in fixes:
            if not fix.safe:
                unsound |= trial.unsound([fix])
    return [replace(d, fix=None) if d.fix in unsound else d for d in found] if unsound else found


class _Drafts(Library):
    """A library that reads a draft, and reads every text only once."""

    trees: dict[tuple[str, str], Result[n.Document]] = field(default_factory=dict)

    def parse(self, file: SourceFile) -> Result[n.Document]:
        known = self.trees.get((file.name, file.text))
        if known is None:
            known = self.trees[file.name, file.text] = super().parse(file)
        return known


@dataclasses.dataclass(slots=True)
class _Trial:
    """The fixes of one file, tried out."""

    library: Library
    path: str
    file: SourceFile
    found: list[Diagnostic]
    errors: Errors
    trees: dict[tuple[str, str], Result[n.Document]] = dataclasses.field(default_factory=dict)

    def unsound(self, fixes: list[Fix]) -> set[Fix]:
        """The fixes that leave an error in a declaration that one of them changes."""
        if not fixes:
            return set()
        draft = SourceFile(self.file.name, self._others_left_out({_number(self.file, fix.span) for fix in fixes}))
        numbers = {fix: _number(draft, fix.span) for fix in fixes}
        count = len(declarations(draft)[0])
        chosen = choose_fixes(fixes)
        wrong: set[int] = set()
        for _ in range(_ROUNDS):
            draft = SourceFile(self.file.name, apply_fixes(draft, chosen))
            left = [d for d in self._errors(draft.text) if d.span is not None and d.span.file.name == draft.name]
            wrong = {_number(draft, d.span) for d in left if d.span is not None}
            mends = [d.fix for d in left if d.fix is not None and d.fix.safe]
            if len(declarations(draft)[0]) == count:
                wrong &= set(numbers.values())
                mends = [fix for fix in mends if _number(draft, fix.span) in wrong]
            elif wrong:
                # The number of declarations has changed, so they cannot be matched.
                wrong = set(numbers.values())
            chosen = choose_fixes(mends)
            if not chosen or not wrong:
                break
        return {fix for fix, number in numbers.items() if number in wrong}

    def _others_left_out(self, touched: set[int]) -> str:
        """The text without the other unreadable declarations, which would hide what is wrong with these."""
        text = self.file.text
        starts, _ = declarations(self.file)
        for finding in self.found:
            if finding.code != _SYNTAX or finding.span is None:
                continue
            number = _number(self.file, finding.span)
            if number in touched or number < 2:
                continue
            end = starts[number] if number < len(starts) else len(text)
            begin = starts[number - 1]
            text = text[:begin] + re.sub(r"[^\n]", " ", text[begin:end]) + text[end:]
        return text

    def _errors(self, text: str) -> list[Diagnostic]:
        drafts = _Drafts(self.library.folder, self.library.cache, drafts={**self.library.drafts, self.path: text})
        drafts.trees = self.trees
        return [d for d in self.errors(drafts) if d.level is Severity.ERROR]


def _number(file: SourceFile, span: Span) -> int:
    """Which declaration of a file a place belongs to."""
    starts, _ = declarations(file)
    return bisect_right(starts, span.start)
