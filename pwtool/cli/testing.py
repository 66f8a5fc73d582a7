"""`pwtool test`: runs the examples of rulesets, and shows what they leave open and which changes they would not
notice.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

from pwtool.checking.accepting import accept_examples
from pwtool.cli.common import fail, open_store, print_lines, use_color
from pwtool.cli.oddities import oddities_of
from pwtool.cli.output_settings import output_settings
from pwtool.cli.streams import print_data, print_text, watched
from pwtool.lang.merged import Key
from pwtool.play.game import Game
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.choices import other_choices
from pwtool.rules.library import Library
from pwtool.rules.targets import Target, find_targets, own_documents
from pwtool.show.machine.json_report import diagnostic_data
from pwtool.show.text.examples import example_findings, findings_of_choices
from pwtool.show.text.full import render_diagnostic
from pwtool.text import Diagnostic, did_you_mean
from pwtool.text.speech import Listed, Told
from pwtool.text.terminal import dump_json
from pwtool.text.words import shorten
from pwtool.why.coverage import coverage_findings, coverage_line, measure_coverage
from pwtool.why.examples import missing_examples
from pwtool.why.mutants import Mutant
from pwtool.why.mutation import Survivor, Tally, items_to_mutate, mutate, survivor_finding

MAX_PLACE = 60


class _Told:
    """The output: printed as it comes, or kept as data until the end. Findings that several rulesets share are reported once."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self.targets: list[dict[str, Any]] = []
        self.problems: list[dict[str, Any]] = []
        self._told: set[tuple[str, str]] = set()

    def begin(self, name: str) -> None:
        """What follows is about this target."""
        self.targets.append({"name": name, "findings": []})

    def findings(self, found: Iterable[Diagnostic], again: bool = False) -> None:
        """Report findings, each followed by a blank line; with `again` also those that were reported before."""
        speech = output_settings.speech
        for diagnostic in found:
            # Two findings that are shortened for display may look alike.
            key = (f"{diagnostic.message} {diagnostic.data}", str(diagnostic.span))
            if key in self._told and not again:
                continue
            self._told.add(key)
            if self.as_json:
                where = self.targets[-1]["findings"] if self.targets else self.problems
                where.append(diagnostic_data(diagnostic.within(speech)))
            else:
                print_text("\n".join(render_diagnostic(diagnostic, use_color(), speech)) + "\n\n")

    def lines(self, *lines: str, **data: Any) -> None:
        """Lines for people, or the same as data."""
        if not self.as_json:
            print_lines(map(output_settings.speech.tell, lines))
        elif self.targets:
            self.targets[-1].update(data)

    def finish(self) -> None:
        """Print the data."""
        if self.as_json:
            print_data(dump_json({"problems": self.problems, "rulesets": self.targets}, indent=2) + "\n")


def run_test(
    arguments: list[str], coverage: bool, mutation: bool, only: str | None, add: bool = False, as_json: bool = False
) -> int:
    """Run the examples of rulesets; exit code 2 if a ruleset cannot be loaded, 1 if an example fails. With `add`, the
    examples that would notice a change are written into the files.
    """
    told = _Told(as_json)
    worst = _run(arguments, coverage, mutation, only, add, told)
    told.finish()
    return worst


def _run(arguments: list[str], coverage: bool, mutation: bool, only: str | None, add: bool, told: _Told) -> int:
    if add and not mutation:
        fail(Told("--add writes the examples that --mutate finds"), Told("ask for both: {command}", command="`pwtool test FILE --mutate --add`"))  # fmt: skip
    ruleset_store = open_store()
    targets, problems = find_targets(arguments, ruleset_store.library)
    told.findings(problems)
    worst = 2 if problems else 0
    known: set[str] = set()
    for target in targets:
        told.begin(target.name)
        book = ruleset_store.get(target.address)
        if book.value is None:
            told.findings(book.diagnostics)
            worst = 2
            continue
        game = book.value.game
        known |= {name for _, name in game.ruleset.merged.items}
        layers = ruleset_store.library.layers(target.address).value or []
        choices, dropped = other_choices(target.address, ruleset_store.library, layers)
        errors = [d for choice in choices for d in choice.errors]
        found = example_findings(game) + findings_of_choices(choices)
        failed = [d for d in found if d.code != "PW416"]
        missing = missing_examples(game)
        # Who asks for something in particular is told that alone.
        played = [] if failed or coverage or mutation or only else oddities_of(target, ruleset_store)
        told.findings((*book.diagnostics, *dropped, *errors, *found, *missing, *played))
        run = chain(game.ruleset.merged.examples, *(choice.examples for choice in choices))
        outcomes = sum(len(e.outcomes) for e in run)
        lacking = Told("no item lacks an example")
        if missing:
            lacking = Told("{count} item lacks an example", "{count} items lack an example", len(missing))
        ran = Told("{count} example", "{count} examples", outcomes)
        told.lines(
            Told("{name}: {examples}, {failed} failed, {lacking}", name=target.name, examples=ran, failed=str(len(failed)), lacking=lacking),
            examples=outcomes, failed=len(failed), lacking=len(missing),
        )  # fmt: skip
        worst = max(worst, 2 if errors else 1 if found else 0)
        if len(found) > len(failed):
            if coverage or mutation:
                told.lines("", Told("nothing more is asked of examples that take so many steps"))
        elif coverage or mutation:
            # A requested item may belong to the game that an edition builds on.
            files = _own_files(target, ruleset_store) if only is None else None
            if coverage:
                _coverage(game, only, files, told)
            if mutation:
                survivors = _mutation(game, only, files, bool(failed), told)
                if add and survivors:
                    added = accept_examples(game, target, ruleset_store.library, survivors)
                    told.lines("", *added, added=added)
    if only is not None and known and not _is_known(only, known):
        fail(Told("there is nothing called {name}", name=f"`{only}`"), did_you_mean(only, known))
    return worst


def _is_known(only: str, known: set[str]) -> bool:
    return only in known or any(name.partition(".")[0] == only for name in known)


def _own_files(target: Target, ruleset_store: RulesetStore) -> frozenset[str]:
    """The files that are meant: for an edition its own, not those of the game that it builds on."""
    library: Library = ruleset_store.library
    layers = library.layers(target.address).value
    whole = Target(target.name, target.address, target.path, target.part if _is_part(target) else None)
    documents = own_documents(layers, whole) if layers else []
    return frozenset(d.header.span.file.name for d in documents)


def _is_part(target: Target) -> bool:
    return target.part is not None and Path(target.name).name == target.part.name


def _coverage(game: Game, only: str | None, files: frozenset[str] | None, told: _Told) -> None:
    measured = measure_coverage(game.ruleset, only, files)
    told.lines("")
    told.findings(coverage_findings(measured))
    told.lines(coverage_line(measured), coverage=output_settings.speech.tell(coverage_line(measured)))


def _mutation(game: Game, only: str | None, files: frozenset[str] | None, failed: bool, told: _Told) -> list[Survivor]:
    told.lines("")
    if failed:
        told.lines(Told("no changes tried: first let all examples hold"))
        return []
    items = items_to_mutate(game.ruleset, only, files)
    survivors, tally = mutate(game, watched(items, "changing item"))
    # All that are counted are shown, even if another ruleset has shown them before.
    told.findings((survivor_finding(survivor) for survivor in survivors if survivor.witness), again=True)
    left = [s for s in survivors if not s.witness]
    numbers = {
        "tried": tally.tried, "noticed": tally.noticed, "unnoticed": len(survivors) - len(left), "same": len(tally.same),
        "undecided": len(left), "items_without_examples": tally.without_examples,
    }  # fmt: skip
    told.lines(*_proven_same(tally), *_undecided(left), _tally_line(survivors, tally), mutation=numbers)
    return [s for s in survivors if s.witness]


def _proven_same(tally: Tally) -> list[str]:
    """The changes that are proven to have no effect, one per line."""
    if not tally.same:
        return []
    return [Told("the same, proven for all boards:"), *(_change_line(key, mutant) for key, mutant in tally.same), ""]


def _change_line(key: Key, mutant: Mutant) -> str:
    before, after = (shorten(text, MAX_PLACE) for text in (mutant.before, mutant.after))
    return Told("  {place}  in {item}: {before} or {after}", place=mutant.span, item=key[1], before=f"`{before}`", after=f"`{after}`")  # fmt: skip


def _undecided(survivors: list[Survivor]) -> list[str]:
    """The changes for which it is undecided whether they have an effect, one per line."""
    lines: list[str] = []
    for tried in dict.fromkeys(s.tried for s in survivors):
        alike = [s for s in survivors if s.tried == tried]
        lines.append(Told("perhaps the same, {reason}:", reason=tried))
        lines += [_change_line(survivor.key, survivor.mutant) for survivor in alike]
        lines.append("")
    return lines


def _tally_line(survivors: list[Survivor], tally: Tally) -> str:
    open_ = sum(1 for s in survivors if s.witness)
    undecided = len(survivors) - open_
    parts = Listed([
        Told("{count} small changes tried", count=str(tally.tried)), Told("{count} noticed by an example", count=str(tally.noticed)),
        Told("{count} not", count=str(open_)),
    ])  # fmt: skip
    if tally.same:
        parts.append(Told("{count} the same", count=str(len(tally.same))))
    if undecided:
        parts.append(Told("{count} perhaps without effect", count=str(undecided)))
    if not tally.without_examples:
        return Told("{parts}", parts=parts)
    return Told(
        "{parts}; not changed, as no example is about them: {count}", parts=parts, count=str(tally.without_examples)
    )
