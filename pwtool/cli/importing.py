"""`pwtool import`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from pwtool.checking.documents import load_document
from pwtool.checking.report import FileResult
from pwtool.cli.common import check_format, fail, print_diagnostics, told_apart, without_notes
from pwtool.cli.streams import note, say
from pwtool.cli.writing import Game, check_name, tell_left_out, write_games
from pwtool.records.file_names import ARCHIVES
from pwtool.records.importers import JsonFormat
from pwtool.records.importers.installed import find_format, format_names
from pwtool.records.inputs import find_paths, read_documents
from pwtool.records.record_text import format_record
from pwtool.text import Diagnostic
from pwtool.text.speech import Told


def list_formats() -> int:
    """Print all formats: how the names of their files end, which games they hold, and the package that reads them. Exit
    code 2 if one cannot be used.
    """
    rows: list[tuple[str, ...]] = []
    problems: list[Diagnostic] = []
    for name in format_names():
        found = find_format(name)
        if found is not None and found.value is not None:
            form = found.value.form
            suffix = ".json" if isinstance(form, JsonFormat) else f".{name}"
            rows.append((name, suffix, form.holds, found.value.package))
        elif found is not None:
            problems += found.diagnostics
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    print_diagnostics(tuple(problems))
    return 2 if problems else 0


def run_import(form: str, files: list[str], output: Path | None, force: bool) -> int:
    """Import every file; write those that could be read completely. Exit code 2 if one could not."""
    check_format(form)
    if not files:
        fail(Told("there is nothing to import"), Told("name the files, or - for standard input"))
    if output is None:
        fail(Told("where do the records go?"), Told("name a file or a folder: `-o OUT`"))
    check_name(output, ("", ".json", *ARCHIVES))
    paths, problems = find_paths(files, form)
    diagnostics = told_apart(problems)
    games: list[Game] = []
    left_out: Counter[str] = Counter()
    count = 0
    for path in paths:
        for document in without_notes(read_documents(path, form)):
            count += 1
            loaded = load_document(document)
            if isinstance(loaded, FileResult):
                diagnostics += loaded.diagnostics
                continue
            diagnostics += loaded.warnings
            left_out += loaded.left_out
            games.append(Game(document.name, loaded.data, format_record(loaded.data)))
    if diagnostics:
        print_diagnostics(tuple(diagnostics))
    written = write_games(games, output, force, count > 1, ".json")
    if count > 1:
        note(Told("{written} of {count} imported", written=str(written), count=str(count)))
    else:
        note(Told("{written} imported", written=str(written)))
    tell_left_out(left_out)
    return 2 if len(games) < count or problems else 0
