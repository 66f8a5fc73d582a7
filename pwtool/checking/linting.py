"""Linting rules files: errors, oddities, and writing the requested fixes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from pwtool.checking.examples import run_examples
from pwtool.checking.fixing import with_sound_fixes
from pwtool.checking.known_clean import KnownClean
from pwtool.checking.report import FileResult, Verdict
from pwtool.checking.rewriting import holds_text, write_rules
from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.lang.cache import parse_cached
from pwtool.lang.merged import Merged
from pwtool.play.game import Game
from pwtool.rules.build import build_ruleset
from pwtool.rules.choices import Choice, other_choices, pairings
from pwtool.rules.layers import merge_layers
from pwtool.rules.library import RULES, Layer, Library
from pwtool.rules.lint import check_lints
from pwtool.rules.readings import printed_readings
from pwtool.rules.targets import Family, Target, own_documents, read_family
from pwtool.text import Diagnostic, Fix, Severity, apply_fixes, choose_fixes
from pwtool.text.source import SourceFile
from pwtool.text.speech import Speech, Told
from pwtool.text.store import reason_of

MAX_ROUNDS = 10
_UNREADABLE = ("PW104", "PW203", "PW705")
# Codes that say that part of a condition never or always holds, and codes that say so of an objective.
_CAUSES = ("PW306", "PW406")
_HAS_CAUSE = ("PW501", "PW502")
_Kind = tuple[str, str, str, Severity]


@dataclass(frozen=True, slots=True)
class Adopted:
    """Readings of open points to lint with, and whether known misprints are read as printed."""

    readings: tuple[str, ...] = ()
    as_printed: bool = False

    def merged(self, layers: list[Layer]) -> Merged:
        """The layers of a ruleset with these readings."""
        merged = merge_layers(layers)
        chosen = self.chosen(merged)
        return merge_layers(layers, chosen) if chosen else merged

    def chosen(self, merged: Merged) -> tuple[str, ...]:
        """All readings that are adopted in a ruleset."""
        return (*self.readings, *(printed_readings(merged) if self.as_printed else ()))


_AS_IT_STANDS = Adopted()


def lint_all(targets: list[Target], library: Library, adopted: Adopted, known: KnownClean) -> list[FileResult]:
    """The findings for each ruleset that is not `known` to have none; those that several rulesets share are reported once."""
    told: set[_Kind] = set()
    results = []
    for target in targets:
        found = [] if known.look(target) else lint_target(target, library, adopted)
        if found:
            known.forget(target)
        results.append(_result(target, found, told))
    return results


def _result(target: Target, found: list[Diagnostic], told: set[_Kind]) -> FileResult:
    # Rulesets share findings in the file they build on. What is an error of one may be a note of another.
    new = [d for d in found if (d.code, d.message, str(d.span), d.level) not in told]
    told |= {(d.code, d.message, str(d.span), d.level) for d in new}
    if not found:
        return FileResult(target.name, None, Verdict.CLEAN)
    if all(d.level is Severity.NOTE for d in found):
        return FileResult(target.name, None, Verdict.CLEAN, tuple(new))
    unreadable = all(d.code in _UNREADABLE and d.span is None for d in found)
    return FileResult(target.name, None, Verdict.UNREADABLE if unreadable else Verdict.FINDINGS, tuple(new))


def lint_target(target: Target, library: Library, adopted: Adopted = _AS_IT_STANDS) -> list[Diagnostic]:
    """All findings of one ruleset: what keeps it from loading; otherwise what is odd about its own files, and proven
    mistakes in their objectives. Fixes are only offered if they leave no error.
    """
    found = _found(target, library, adopted)
    return with_sound_fixes(found, library, lambda drafts: _errors(target, drafts, adopted))


def _errors(target: Target, library: Library, adopted: Adopted) -> list[Diagnostic]:
    """The errors that keep a ruleset from loading."""
    layers = library.layers(target.address)
    if layers.value is None:
        return list(layers.diagnostics)
    built = build_ruleset(target.address, adopted.merged(layers.value))
    return [d for d in built.diagnostics if d.level is Severity.ERROR]


def _found(target: Target, library: Library, adopted: Adopted) -> list[Diagnostic]:
    layers = library.layers(target.address)
    if layers.value is None:
        return list(layers.diagnostics)
    merged = adopted.merged(layers.value)
    built = build_ruleset(target.address, merged)
    found = list(built.diagnostics)
    own = own_documents(layers.value, target)
    if built.value is not None:
        # Misspelled names would also look unused, so errors come before oddities.
        family = read_family(target.folder(library), library, merged.headers[-1])
        # What an overlay changes is used by the files below it, which may be elsewhere.
        family = Family([*family.documents, *(layer.document for layer in layers.value)], family.words)
        found += check_lints(own, merged, family)
        found += _impossible_examples(built.value, own)
        files = {d.header.span.file.name for d in own}
        named = [name for name, o in built.value.objectives.items() if o.span.file.name in files]
        found = _with_causes(_proven_faults(built.value, named, found), found)
        found += pairings(target, library, merged)
        found += _of_another_game(target, layers.value, library)
        choices, dropped = other_choices(target.address, library, layers.value, adopted.chosen(merged))
        found += [*_of_choices(choices, own, family), *dropped]
    if target.part is not None:
        files = {d.header.span.file.name for d in own}
        found = [d for d in found if d.span is None or d.span.file.name in files]
    return sorted(found, key=_place)


def _of_another_game(target: Target, layers: list[Layer], library: Library) -> list[Diagnostic]:
    """A warning for an overlay beside a game of the user's that bears the name of one of the library, on which it is built."""
    path, header = target.path, layers[-1].document.header
    game, base = header.base, library.home(layers[0].document.header.name.name)
    if path is None or game is None or path.name == RULES or path.resolve().parent == base.resolve():
        return []
    beside = library.read(path.parent / RULES, RULES)
    if path.resolve().parent.name != base.name or not isinstance(beside, SourceFile) or not library.holds(base / RULES):
        return []
    message = Told("this is built on the library's game, not on `{file}` beside it", file=RULES)
    help_line = Told("give the game of your own a name that none of the library has")
    return [Diagnostic("PW203", message, header.span, severity=Severity.WARNING, help=help_line)]


def _of_choices(choices: Iterable[Choice], own: list[n.Document], family: Family) -> list[Diagnostic]:
    """What is wrong with rulesets that may be chosen instead, and what is odd about that which is declared for them alone."""
    own_files = {d.header.span.file.name for d in own}
    told: dict[tuple[str, str, str], Diagnostic] = {}
    for choice in choices:
        found, ruleset = choice.errors, choice.result.value
        is_misprint = ruleset is not None and ("erratum", choice.reading.partition("=")[0]) in ruleset.merged.items
        is_own = any(node.span.file.name in own_files for node in choice.declarations)
        # What a misprint says may well be odd.
        if ruleset is not None and is_own and not is_misprint:
            odd = [*choice.result.diagnostics, *([] if choice.variant else check_lints(own, ruleset.merged, family))]
            names = [
                name for name, o in ruleset.objectives.items() if any(d.span.holds(o.span) for d in choice.declarations)
            ]
            odd = _with_causes(_proven_faults(ruleset, names, odd), odd)
            found = choice.mark(d for d in odd if any(node.span.holds(d.span) for node in choice.declarations))
        for d in found:
            # A mistake may be in several ways to play.
            told.setdefault((d.code, d.message, str(d.span)), d)
    return list(told.values())


def _proven_faults(ruleset: Ruleset, names: list[str], told: list[Diagnostic]) -> list[Diagnostic]:
    if not names or any(d.level is Severity.ERROR for d in told):
        return []
    from pwtool.boards.study import prove_faults

    repeated = {d.span.line for d in told if d.code == "PW404" and d.span is not None}
    found = prove_faults(Game(ruleset), names)
    return [d for d in found if d.code != "PW503" or d.span is None or d.span.line not in repeated]


def _with_causes(proven: list[Diagnostic], found: list[Diagnostic]) -> list[Diagnostic]:
    """All findings. A proof about an objective and the finding inside it that explains it are merged into one, at the
    place of the cause.
    """
    told: list[Diagnostic] = []
    left = list(found)
    for proof in proven:
        cause = next(
            (
                d
                for d in left
                if proof.code in _HAS_CAUSE
                and d.code in _CAUSES
                and proof.span is not None
                and proof.span.holds(d.span)
            ),
            None,
        )
        if cause is None:
            told.append(proof)
        else:
            left.remove(cause)
            message = Told("{head}: {text}", head=proof.message, text=cause.message)
            told.append(replace(cause, code=proof.code, severity=None, message=message))
    return [*left, *told]


def _impossible_examples(ruleset: Ruleset, own: list[n.Document]) -> list[Diagnostic]:
    """Findings for examples that name what does not exist. Whether the others hold is checked by `pwtool test`."""
    files = {d.header.span.file.name for d in own}
    examples = [e for e in ruleset.merged.examples if e.span.file.name in files]
    failed, too_dear = run_examples(Game(ruleset), examples)
    return [f.diagnostic for f in failed if f.outcome is None] + ([too_dear] if too_dear else [])


def _place(diagnostic: Diagnostic) -> tuple[str, int]:
    span = diagnostic.span
    return (span.file.name, span.start) if span else ("", 0)


# ---- fixing


def fix_all(
    targets: list[Target],
    results: list[FileResult],
    library: Library,
    adopted: Adopted,
    known: KnownClean,
    unsafe: bool,
    speech: Speech,
) -> tuple[list[FileResult], list[str]]:
    """Write the fixes of all findings (the `unsafe` ones too) until there are no more; returns the remaining findings and what was done."""
    done = _Fixing(unsafe)
    for _ in range(MAX_ROUNDS):
        if not done.apply(targets, results):
            break
        results = lint_all(targets, library, adopted, known)
    return results, done.lines(speech)


@dataclass(slots=True)
class _Fixing:
    """The fixes written so far, by file."""

    unsafe: bool
    done: dict[Path, list[str]] = field(default_factory=dict)
    refused: dict[Path, str] = field(default_factory=dict)

    def apply(self, targets: list[Target], results: list[FileResult]) -> bool:
        """Apply the fixes that can be applied now; returns whether anything was written."""
        wanted: dict[Path, list[Fix]] = {}
        for target, result in zip(targets, results, strict=True):
            folder = target.path.parent if target.path is not None else None
            for diagnostic in result.diagnostics:
                fix = diagnostic.fix
                if fix is None or folder is None or not (fix.safe or self.unsafe):
                    continue
                path = folder / Path(fix.span.file.name).name
                # Only files of the named folder are written, never those of the library they build on.
                if path not in self.refused and path.is_file() and holds_text(path, fix.span.file):
                    wanted.setdefault(path, []).append(fix)
        written = [self._fix_file(path, fixes) for path, fixes in wanted.items()]
        return any(written)

    def _fix_file(self, path: Path, fixes: Iterable[Fix]) -> bool:
        chosen = choose_fixes(fixes)
        file = chosen[0].span.file
        text = apply_fixes(file, chosen)
        # If the text had syntax errors before, fixing one may reveal the next.
        broken = bool(parse_cached(file, None).diagnostics)
        if not broken and parse_cached(SourceFile(file.name, text), None).diagnostics:
            self.refused[path] = Told("what is written would not be a rules file")
            return False
        try:
            write_rules(path, text)
        except OSError as error:
            self.refused[path] = reason_of(error)
            return False
        lines = [Told("line {line}: {fix}", line=f.span.line, fix=f.title) for f in chosen]
        self.done.setdefault(path, []).extend(lines)
        return True

    def lines(self, speech: Speech) -> list[str]:
        """What was done, file by file."""
        lines = []
        for path, done in self.done.items():
            lines.append(speech.say("{file}: {count} fixed", file=path, count=len(done)))
            lines += [f"  {speech.tell(line)}" for line in done]
        for path, reason in self.refused.items():
            lines.append(speech.say("{file}: nothing fixed, {reason}", file=path, reason=speech.tell(reason)))
        return lines or [speech.say("nothing to fix")]
