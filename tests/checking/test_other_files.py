"""Files that are no records: what they are called, and what is said of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.checking.documents import load_document
from pwtool.checking.report import FileResult
from pwtool.records.file_names import STDIN
from pwtool.records.inputs import Document
from pwtool.text.source import SourceFile


def finding(name: str, text: str) -> tuple[str, str]:
    result = load_document(Document(name, SourceFile(name, text)))
    assert isinstance(result, FileResult)
    return result.diagnostics[0].code, str(result.diagnostics[0].message)


@pytest.mark.parametrize("name", ["README.md", "notes.txt", "LICENSE", STDIN])
@pytest.mark.parametrize("text", ["# pwtool\n\nIt checks games.\n", "# a {\n text {", "Ana begins."])
def test_a_text_is_not_a_record(name: str, text: str) -> None:
    assert finding(name, text) == ("PW703", "this is not a record")


@pytest.mark.parametrize("name", ["game.json", "games.jsonl:3"])
def test_a_record_by_its_name_is_read_as_json(name: str) -> None:
    assert finding(name, "# pwtool\n")[0] == "PW701"


@pytest.mark.parametrize("name", ["game.txt", STDIN])
@pytest.mark.parametrize("text", ['{"format": ', '# mine\n{"format": "pwtool/1"}', "// mine\n[1, ]", " "])
def test_json_with_a_mistake_is_told_as_such(name: str, text: str) -> None:
    assert finding(name, text)[0] == "PW701"


def test_a_text_among_the_files_keeps_none_from_being_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pwtool.cli.app import run

    monkeypatch.chdir(tmp_path)
    record = Path(__file__).resolve().parents[2] / "examples" / "records" / "clean.json"
    (tmp_path / "README.md").write_text("# Our games\n", "utf-8")
    assert run(["check", "README.md", str(record)]) == 2
    told = capsys.readouterr().out
    assert "error[PW703]: this is not a record\n  --> README.md\n  help     records are files that end in" in told
    assert "2 checked: 1 clean, 1 unreadable" in told
