"""`pwtool convert` writes every form that is read, and nothing is lost on the way through any of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pwtool.cli.app import run
from pwtool.records.inputs import Text, read_texts
from tests.daily import some
from tests.support import full_record, random_game, raw_games

pytest.importorskip("pyarrow")
pytest.importorskip("zstandard")
ROOT = Path(__file__).resolve().parents[2]
PACKED = ("", ".gz", ".xz", ".zst")
SINGLE = [f"one{form}{packed}" for form in (".json", ".pwn") for packed in PACKED]
MANY = [
    *(f"all{form}{packed}" for form in (".jsonl", ".ndjson", ".tar") for packed in PACKED),
    "all.zip", "all.tgz", "all.txz", "all.tzst", "all.parquet", "all.arrow", "all.arrows", "all.feather", "all.ipc",
]  # fmt: skip


def games() -> list[dict[str, Any]]:
    """The example, real games with all that was said of them, and random ones of two more rulesets."""
    found = [json.loads((ROOT / "examples" / "records" / "clean.json").read_text("utf-8"))]
    found += [full_record(raw) for _, raw in raw_games("base", "advanced")[::12]]
    found += [random_game(a, 2, s)[0] for a in ("pierre_papier_morpion/fr+bonus", "paper_world/de") for s in (1, 2)]
    found[0]["meta"] = {"where": "Lyon", "who": "\u00d6"}
    found[1]["turns"][3]["comment"] = "well"
    return found


def data_of(path: Path, tmp_path: Path) -> list[dict[str, Any]]:
    """The records of a file, as JSON data, by way of an archive of lines."""
    back = tmp_path / f"{path.name}.back.jsonl"
    assert run(["convert", str(path), "-o", str(back)]) == 0
    return [json.loads(text.data) for text in read_texts(str(back)) if isinstance(text, Text)]


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("games") / "games.jsonl"
    path.write_text("\n".join(map(json.dumps, games())), "utf-8")
    return path


@pytest.mark.parametrize("name", some(MANY, 3))
def test_archives_and_tables(name: str, lines: Path, tmp_path: Path) -> None:
    path = tmp_path / name
    assert run(["convert", str(lines), "-o", str(path)]) == 0
    found = data_of(path, tmp_path)
    assert sorted(map(key, found)) == sorted(map(key, games()))
    first = path.read_bytes()
    assert run(["convert", str(lines), "-o", str(path)]) == 2 and path.read_bytes() == first
    assert run(["convert", str(lines), "-o", str(path), "--force"]) == 0 and path.read_bytes() == first


@pytest.mark.parametrize("name", some([*SINGLE], 2))
def test_single_games(name: str, lines: Path, tmp_path: Path) -> None:
    path = tmp_path / name
    assert run(["convert", f"{lines}:2", "-o", str(path)]) == 0
    assert [key(game) for game in data_of(path, tmp_path)] == [key(games()[1])]
    assert run(["convert", str(lines), "-o", str(path), "--force"]) == 2


def test_notation_in_an_archive_of_files(lines: Path, tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    assert run(["convert", str(lines), "-o", str(path), "--to", "pwn"]) == 0
    assert sorted(map(key, data_of(path, tmp_path))) == sorted(map(key, games()))
    assert run(["convert", str(lines), "-o", str(tmp_path / "b.zip"), "--to", "jsonl"]) == 2
    assert run(["convert", str(lines), "-o", str(tmp_path / "b.parquet"), "--to", "pwn"]) == 2


def key(game: dict[str, Any]) -> str:
    return json.dumps(game, sort_keys=True)
