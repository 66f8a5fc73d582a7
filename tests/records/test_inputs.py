"""How standard input is told apart: an archive, whatever is wrong with its lines, or one document of many lines."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from pwtool.records.inputs import Document, read_documents
from pwtool.records.json_text import load_json

ROOT = Path(__file__).resolve().parents[2]
DATA = json.loads((ROOT / "examples" / "records" / "clean.json").read_text("utf-8"))
GAME = json.dumps(DATA).encode()
STATE = json.dumps(json.loads((ROOT / "examples" / "states" / "final.json").read_text("utf-8"))).encode()
NOTATION = (ROOT / "examples" / "notation" / "club.pwn").read_bytes()
DAMAGED = [
    b"garbage", b"\0\0\0\0", b'{"format"', b"[]", b"{", b"5", b"# hi", b'"a', b"\x01", b"[" * 200, b'{"a":[', b"[",
    b'{"a": 1}, 2', "caf\u00e9".encode("utf-16"), b"\xff", b"error: something", b"{}]", b'{"format": "pwtool/1",',
]  # fmt: skip


def piped(text: bytes, monkeypatch: pytest.MonkeyPatch) -> list[Document]:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    return list(read_documents("-"))


def told(documents: list[Document]) -> list[tuple[str, bool, str, list[str]]]:
    """Of each document its line, whether it is notation, its text, what is wrong with its bytes."""
    return [
        (
            d.name.rpartition(":")[2],
            d.is_notation,
            d.source.text if d.source else "",
            [f.message for f in d.diagnostics],
        )
        for d in documents
    ]


@pytest.mark.parametrize("damaged", DAMAGED, ids=lambda line: ascii(line[:12])[2:-1])
@pytest.mark.parametrize("game", [GAME, STATE], ids=["record", "position"])
def test_a_damaged_line_hides_no_game(
    damaged: bytes, game: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.jsonl"
    for lines in (
        [damaged, game, game, game],
        [damaged, game],
        [b"", damaged, b"", game, game],
        [game, damaged, game],
        [game, damaged],
    ):
        path.write_bytes(b"\n".join(lines) + b"\n")
        documents = piped(path.read_bytes(), monkeypatch)
        assert [d.name for d in documents] == [f"<stdin>:{n}" for n, line in enumerate(lines, 1) if line]
        assert told(documents) == told(list(read_documents(str(path))))


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(DATA, indent=1).encode(),
        json.dumps(DATA, indent=1).replace(",\n", "\n,").encode(),
        json.dumps(DATA, separators=(",\n", ": ")).encode(),
        b'{"setup": {"a": 1}\n,"turns": [\n{}\n]}\n',
        b"\n\n" + GAME + b"\n\n",
    ],
    ids=["pretty", "commas first", "no indent", "objects in lines", "one line"],
)
def test_one_game_may_have_many_lines(text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    (document,) = piped(text, monkeypatch)
    assert document.name == "<stdin>" and not document.is_notation and document.source is not None
    assert load_json(document.source).value == json.loads(text)


def test_a_game_in_notation_is_one_document(monkeypatch: pytest.MonkeyPatch) -> None:
    (document,) = piped(NOTATION, monkeypatch)
    assert document.is_notation and document.source is not None and document.source.text == NOTATION.decode()


@pytest.mark.parametrize("text", [b"[%s,\n%s]", b"[\n%s,\n%s\n]\n", b"[\n%s\n,\n%s\n,\n%b\n]", b"[\n%s\n,%s\n]"])
def test_a_list_of_games_is_one_document(text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = text % ((GAME,) * text.count(b"%"))
    (document,) = piped(whole, monkeypatch)
    assert document.name == "<stdin>" and document.source is not None and document.source.text == whole.decode()


@pytest.mark.parametrize("text", [b"", b"\n \n", b"garbage\nmore\n", b"{\n", b"[\n1\n}\n", b"\0\n\0\n"])
def test_what_holds_no_game_is_one_document(text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [d.name for d in piped(text, monkeypatch)] == ["<stdin>"]
