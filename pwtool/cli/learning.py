"""`pwtool learn`: the smallest change of a known edition under which games are clean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path

from pwtool.checking.documents import Loaded, load_document
from pwtool.checking.report import FileResult
from pwtool.cli.common import (
    choose_language,
    deliver,
    fail,
    keep_file,
    open_book,
    open_store,
    print_diagnostics,
    print_lines,
    told_apart,
    without_notes,
    write_file,
)
from pwtool.cli.start import collect_garbage
from pwtool.cli.streams import clear_progress, note, print_data, show_progress, watched
from pwtool.learning import Learned, Learner, NothingToLearn, Prices
from pwtool.records.inputs import find_paths, identity_of, read_documents
from pwtool.show.text.learning import folder_line, learned_data, learned_lines, left_out_lines
from pwtool.text.cores import cores
from pwtool.text.speech import Speech, Told
from pwtool.text.store import STANDARD
from pwtool.text.terminal import dump_json


@dataclass(frozen=True, slots=True)
class Asked:
    """The options and arguments of the command line."""

    files: list[str]
    addresses: list[str]
    form: str = "text"
    output: Path | None = None
    force: bool = False
    price: float = 2.0
    excuse: float = 1.0
    quick: bool = False
    language: str | None = None
    jobs: int = 0


def run_learn(asked: Asked) -> int:
    """Print what was learned, and write the edition; 0 if it explains all games but slips, 1 if it explains too few, 2 if there is
    nothing to learn from, 3 if the games cannot tell between explanations.
    """
    if not (0 < asked.price < inf and 0 < asked.excuse < inf):
        fail("prices are numbers above 0", "leave out --price and --excuse for the usual ones")
    if asked.output is not None:
        if asked.output != STANDARD and asked.output.suffix not in (".rules", ".html"):
            fail(f"`{asked.output}` is not a rules file", "its name has to end in `.rules`, or in `.html` for a page")
        if asked.form == "json" and asked.output.suffix == ".html":
            fail(
                Told("{one} and {other} cannot be combined", one=f"--output {asked.output}", other="--format json"),
                "name a rules file, or leave out one of them",
            )
        keep_file(asked.output, asked.force)
    language = choose_language(asked.language, asked.addresses)
    ruleset_store = open_store()
    for address in asked.addresses:
        open_book(address, ruleset_store, quiet=True)
    paths, problems = find_paths(asked.files)
    problems = told_apart(problems)
    if problems:
        print_diagnostics(tuple(problems))
        return 2
    name = _name(asked.output)
    learner = Learner(
        ruleset_store, tuple(asked.addresses), Prices(asked.price, asked.excuse), name, not asked.quick, not asked.quick,
        _show, language, asked.jobs or cores(),
    )  # fmt: skip
    collect_garbage()
    try:
        learned = learner.learn(_documents(_once(paths)))
    except NothingToLearn as nothing:
        clear_progress()
        if nothing.findings:
            print_diagnostics(nothing.findings)
        for line in left_out_lines(nothing.left_out, Speech(language)):
            note(line)
        if asked.addresses and nothing.left_out:
            fail(str(nothing), "leave out --of to begin from the rulesets of the game that they name")
        fail(str(nothing), "name recorded games, and with --of the rulesets to begin from")
    clear_progress()
    page = asked.output is not None and asked.output.suffix == ".html"
    if page or asked.form == "html":
        from pwtool.show.html.learned import render_learned

        deliver(render_learned(learned, language), asked.output if page else None, asked.force)
    if page:
        return exit_code(learned)
    if asked.output is not None and learned.changes:
        write_file(asked.output, learned.text, asked.force)
        if learned.folder is not None and asked.output.resolve().parent != learned.folder:
            note(f"note: {folder_line(learned, Speech(language))}")
    elif asked.output is not None:
        why = (
            "no small change explains the games"
            if learned.unexplained
            else f"{learned.address} explains the games as it is"
        )
        note(f"note: `{asked.output}` was not written: {why}")
    if asked.form == "html":
        return exit_code(learned)
    if asked.form == "json":
        print_data(dump_json(learned_data(learned), indent=2) + "\n")
    else:
        speech = Speech(language)
        lines = learned_lines(learned, speech)
        if learned.changes and asked.output is None:
            lines += ["", *learned.text.rstrip().splitlines()]
        print_lines(lines)
    return exit_code(learned)


def exit_code(learned: Learned) -> int:
    """0 if the games are explained but for slips, 1 if many are not, 3 if other explanations are as likely or accept more."""
    if learned.unexplained:
        return 1
    return 0 if all(change.sure for change in learned.changes) else 3


def _once(paths: list[str]) -> list[str]:
    """The files without those that were named before, alone or in a folder: their games count once."""
    return list({identity_of(path): path for path in paths}.values())


def _documents(paths: list[str]) -> Iterator[Loaded | FileResult]:
    documents = without_notes(document for path in paths for document in read_documents(path))
    for document in watched(documents, "reading game"):
        yield load_document(document)


def _show(message: str) -> None:
    show_progress(f"trying changes: {message}")


def _name(output: Path | None) -> str:
    """The name of the edition: that of its file."""
    name = re.sub(r"\W", "_", output.stem, flags=re.ASCII) if output is not None else ""
    return name if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) else "house"
