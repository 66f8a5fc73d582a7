"""The queries that `docs/archives.md` shows are run over the results that its commands write."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pwtool.cli.app import run
from tests.daily import one_day_in

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
    assert len(QUERIES) == 5
    answers = [duckdb.sql(query).fetchall() for query in QUERIES]
    assert all(answers), answers
    assert {row[0] for row in answers[1]} == {1, 2, 3}
    assert sum(row[2] for row in answers[3]) == 1


@one_day_in(7)
def test_the_kernel_is_a_function_of_duckdb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games").mkdir()
    for seed in range(30):
        assert run(["play", "paper_world/gamepark", "--seed", str(seed), "-o", f"games/{seed}.json"]) == 0
    broken = tmp_path / "games" / "7.json"
    broken.write_text(broken.read_text("utf-8").replace('"place"', '"take"', 1), "utf-8")
    capsys.readouterr()
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    exec(compile(code, str(PAGE), "exec"), {"__name__": "__main__"})
    said = capsys.readouterr().out
    assert re.search(r"clean\s+│\s+29\b", said) and re.search(r"(unreadable|findings)\s+│\s+1\b", said), said
