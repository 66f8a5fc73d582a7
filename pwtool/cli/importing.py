"""`pwtool import`."""

from __future__ import annotations

import json
import os
from pathlib import Path

from pwtool.cli.common import fail, print_diagnostics
from pwtool.diagnostics import Diagnostic, did_you_mean
from pwtool.formats.importers import IMPORTERS, find_importer
from pwtool.formats.inputs import find_paths, read_documents
from pwtool.formats.json_text import JsonMap, load_json
from pwtool.formats.record_text import format_record


def run_import(form: str, files: list[str], output: Path, force: bool) -> int:
    """Import every file; write those that could be read whole. Exit code 2 when one could not."""
    importer = find_importer(form)
    if importer is None:
        fail(f"there is no importer `{form}`", did_you_mean(form, IMPORTERS))
        return 2
    paths, problems = find_paths(files)
    diagnostics: list[Diagnostic] = list(problems)
    records: list[tuple[str, dict[str, object]]] = []
    for path in paths:
        for document in read_documents(path):
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
                records.append((document.name, result.value))
    if diagnostics:
        print_diagnostics(tuple(diagnostics))
    written = _write_all(records, output, force, several=len(paths) > 1)
    print(f"{written} of {len(paths)} imported" if len(paths) > 1 else f"{written} imported")
    return 2 if diagnostics else 0


def _write_all(records: list[tuple[str, dict[str, object]]], output: Path, force: bool, several: bool) -> int:
    if not records:
        return 0
    if output.suffix == ".jsonl":
        lines = [json.dumps(record, ensure_ascii=False, separators=(",", ":")) for _, record in records]
        _write(output, "\n".join(lines) + "\n", force)
        return len(records)
    if several or output.is_dir() or not output.suffix:
        targets = [output / f"{Path(name).stem}.json" for name, _ in records]
        if len(set(targets)) < len(targets):
            fail(
                "two files would be written under one name",
                "import them into different folders, or into one archive: -o OUT.jsonl",
            )
        taken = [t for t in targets if t.exists()]
        if taken and not force:
            fail(f"`{taken[0]}` is already there", "--force overwrites")
        try:
            output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            fail(f"cannot make the folder `{output}`: {(error.strerror or 'unknown reason').lower()}")
        for target, (_, record) in zip(targets, records, strict=True):
            _write(target, format_record(record), force)
        return len(records)
    _write(output, format_record(records[0][1]), force)
    return 1


def _write(path: Path, text: str, force: bool) -> None:
    """Write a file whole or not at all."""
    if path.exists() and not force:
        fail(f"`{path}` is already there", "--force overwrites")
    temporary = path.with_name(path.name + ".part")
    try:
        temporary.write_text(text if text.endswith("\n") else text + "\n", "utf-8")
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        fail(f"cannot write `{path}`: {(error.strerror or 'unknown reason').lower()}")
