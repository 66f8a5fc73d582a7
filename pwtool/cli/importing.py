"""`pwtool import`."""

from __future__ import annotations

from pathlib import Path

from pwtool.cli.common import fail, print_diagnostics, stop, told_apart, without_notes
from pwtool.cli.streams import note
from pwtool.cli.writing import Game, check_name, write_games
from pwtool.records.importers import find_importer, importer_names
from pwtool.records.inputs import ARCHIVES, find_paths, read_documents
from pwtool.records.json_places import JsonMap
from pwtool.records.json_text import load_json
from pwtool.records.record_text import format_record
from pwtool.text import did_you_mean
from pwtool.text.speech import Told


def run_import(form: str, files: list[str], output: Path, force: bool) -> int:
    """Import every file; write those that could be read completely. Exit code 2 if one could not."""
    check_name(output, ("", ".json", *ARCHIVES))
    found = find_importer(form)
    if found is None:
        fail(Told("there is no importer `{name}`", name=form), did_you_mean(form, importer_names()))
    if found.value is None:
        stop(found.diagnostics)
    importer = found.value
    paths, problems = find_paths(files)
    diagnostics = told_apart(problems)
    games: list[Game] = []
    for path in paths:
        for document in without_notes(read_documents(path)):
            diagnostics += document.diagnostics
            if document.source is None:
                continue
            loaded = load_json(document.source)
            diagnostics += loaded.diagnostics
            if loaded.value is None:
                continue
            result = importer(loaded.value, document.source, JsonMap(document.source).span)
            diagnostics += result.diagnostics
            if result.value is not None:
                games.append(Game(document.name, result.value, format_record(result.value)))
    if diagnostics:
        print_diagnostics(tuple(diagnostics))
    written = write_games(games, output, force, len(paths) > 1, ".json")
    if len(paths) > 1:
        note(Told("{written} of {count} imported", written=str(written), count=str(len(paths))))
    else:
        note(Told("{written} imported", written=str(written)))
    return 2 if diagnostics else 0
