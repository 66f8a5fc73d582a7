"""The queries that `docs/archives.md` shows are run over the results that its commands write."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pwtool.cli.app import run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "archives.md"
QUERIES = re.findall(r"^```sql\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def test_every_query_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    assert (
        run(["play", "paper_world/gamepark", "--players", "3", "--games", "40", "--seed", "1", "-o", "games.jsonl"])
        == 0
    )
    with Path("games.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(
            Path("games.jsonl").read_text("utf-8").splitlines()[0].replace('"action":"take"', '"action":"tale"', 1)
        )
    assert run(["check", "games.jsonl", "--results", "games.parquet", "-q"]) in (1, 2)
    assert len(QUERIES) == 4
    answers = [duckdb.sql(query).fetchall() for query in QUERIES]
    assert all(answers), answers
    assert {row[0] for row in answers[1]} == {1, 2, 3}
    assert sum(row[2] for row in answers[3]) == 1
