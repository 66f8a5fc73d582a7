"""Archives cut into pieces and judged by several processes: nothing is lost, doubled or told in another order."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from pwtool.checking import workers
from pwtool.checking.archives import Checker
from pwtool.checking.pieces import cut
from pwtool.checking.statistics import Statistics
from pwtool.checking.workers import Settings, judge_all
from pwtool.cli.app import run
from pwtool.records.inputs import Document, Text, read_texts
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from tests.daily import one_day_in, some
from tests.support import few_or_many, random_game


def told(text: Text | Document) -> tuple[object, ...]:
    if isinstance(text, Document):
        return text.name, [(d.code, d.message) for d in text.diagnostics]
    return text.name, text.file, text.line, text.data, text.limit, text.command


@pytest.mark.parametrize("times", few_or_many(40, 2000))
def test_pieces_are_what_the_files_hold(times: int, tmp_path: Path) -> None:
    for seed in range(times):
        folder = tmp_path / str(seed)
        folder.mkdir()
        compare_pieces(random.Random(seed), folder)


def compare_pieces(rng: random.Random, tmp_path: Path) -> None:
    """Files at random, cut into pieces of several sizes."""
    paths = []
    for number in range(rng.randrange(1, 5)):
        suffix = rng.choice([".jsonl", ".jsonl", ".ndjson", ".json", ".pwn"])
        ends = rng.choice([b"\n", b"\r\n"])
        lines = [
            rng.choice([b"", b"  ", b"{}", b'{"a": 1}', b"x" * rng.randrange(1, 90), b"\xff\xfe", b"\r"])
            for _ in range(rng.randrange(60))
        ]
        path = tmp_path / f"{number}{suffix}"
        path.write_bytes(ends.join(lines) + ends * rng.randrange(2))
        paths.append(str(path))
    paths += rng.choice([[], [str(tmp_path / "none.json")], [f"{paths[0]}:2"]])
    expected = [told(text) for path in paths for text in read_texts(path)]
    for size in (7, 64, 300, 4 << 20):
        pieces = list(cut(paths, size))
        assert [told(text) for piece in pieces for text in piece.documents()] == expected


def test_a_file_that_becomes_shorter_is_told(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"{}\n" * 100)
    pieces = list(cut([str(path)], 90))
    path.write_bytes(b"{}\n" * 50)
    last = [told(text) for text in pieces[-1].documents()]
    assert last == [(str(path), [("PW703", "the file became shorter while it was read")])]


@pytest.mark.parametrize("size", [900, 1 << 16])
def test_a_file_that_becomes_shorter_while_it_is_read_is_told(size: int, tmp_path: Path) -> None:
    """Also if nobody has seen yet how long it was, as where one process reads and judges."""
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"{}\n" * 200_000)
    pieces = cut([str(path)], size)
    first = next(pieces)
    os.truncate(path, 3 * 100_000)
    found = [text for piece in (first, *pieces) for text in piece.documents()]
    problems = [d.code for text in found if isinstance(text, Document) for d in text.diagnostics]
    assert len(found) - len(problems) <= 100_000 and "PW703" in problems


def test_what_is_read_of_a_file_that_becomes_shorter_is_judged_and_the_rest_told(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"{}\n" * 200_000)
    read = read_texts(str(path))
    told_of = [told(next(read))]
    os.truncate(path, 3 * 100_000)
    told_of += map(told, read)
    assert told_of[-1] == (
        str(path),
        [("PW703", f"the file cannot be read after line {len(told_of) - 1}: it became shorter in the meantime")],
    )
    assert len(told_of) - 1 == 100_000


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games of several rulesets, some damaged, some no games."""
    rng = random.Random(3)
    lines = []
    for address in ("paper_world/fr", "pierre_papier_morpion"):
        records = [random_game(address, 2, seed)[0] for seed in range(30)]
        for number, record in enumerate(records * 4):
            if rng.random() < 0.1:
                turns = record["turns"][1:]
            else:
                turns = record["turns"]
            lines.append(json.dumps({**record, "turns": turns, "id": f"{address} {number}"}))
    lines += ["", "{", '{"format": "pwtool/1"}', "[]"]
    rng.shuffle(lines)
    path = tmp_path_factory.mktemp("many") / "games.jsonl"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def judged(path: Path, jobs: int, kills: int = 0) -> tuple[list[object], Statistics]:
    settings = Settings(Checker(RulesetStore(Library()), [], summaries=True), each=True)
    found: list[object] = []
    statistics = Statistics()
    for one in judge_all(cut([str(path)], 40_000), settings, jobs):
        found += [
            (r.name, r.verdict, r.summary, [(d.code, d.rule, d.turn) for d in r.diagnostics]) for r in one.results
        ]
        statistics.merge(one.statistics)
        if kills and (children := multiprocessing.active_children()):
            children[-1].kill()
            kills -= 1
    assert not kills
    return found, statistics


@one_day_in(8)
def test_workers_change_nothing(archive: Path, workers_at_once: Callable[[], None]) -> None:
    alone = judged(archive, 1)
    workers_at_once()
    assert judged(archive, 2) == alone
    assert alone[1].documents == 243 and alone[1].refused > 10
    assert not multiprocessing.active_children()


@one_day_in(7)
def test_a_worker_that_dies_changes_nothing(archive: Path, workers_at_once: Callable[[], None]) -> None:
    alone = judged(archive, 1)
    workers_at_once()
    assert judged(archive, 2, kills=2) == alone


@one_day_in(4)
@pytest.mark.parametrize("form", some(["full", "concise", "json"], 1))
def test_the_output_is_the_same(
    form: str, archive: Path, capsys: pytest.CaptureFixture[str], workers_at_once: Callable[[], None]
) -> None:
    said = []
    for jobs in ("1", "2"):
        code = run(["check", str(archive), "--format", form, "--jobs", jobs])
        said.append((code, capsys.readouterr().out))
        workers_at_once()
    assert said[0] == said[1]


@one_day_in(7)
def test_the_first_and_some(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def names(*options: str) -> list[str]:
        run(["check", str(archive), "-f", "jsonl", *options])
        return [json.loads(line)["name"] for line in capsys.readouterr().out.splitlines()]

    every = names()
    assert names("--limit", "5") == every[:5]
    some = names("--sample", "40", "--seed", "3")
    assert len(some) == 40 and some == [name for name in every if name in set(some)]
    assert names("--sample", "40", "--seed", "3") == some != names("--sample", "40", "--seed", "4")
    assert names("--sample", "1000") == every
    few = names("--sample", "3", "--limit", "10")
    assert len(few) == 3 and set(few) <= set(every[:10]) and few != every[:3]
    assert names("--sample", "40", "--limit", "10") == every[:10]


def test_only_some_verdicts(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["check", str(archive), "-f", "jsonl", "--only", "unreadable"])
    found = [json.loads(line)["verdict"] for line in capsys.readouterr().out.splitlines()]
    assert code == 2 and found == ["unreadable"] * 3
    assert run(["check", str(archive), "--only", "wrong"]) == 2
    assert "known here: `clean`, `refused`, `undetermined`, `unreadable`" in capsys.readouterr().err


@one_day_in(7)
def test_statistics_add_up(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["check", str(archive), "--statistics"])
    said = capsys.readouterr().out
    assert code == 2
    tail = said[said.index("243 documents\n") :]
    for line in ("paper_world/fr", "pierre_papier_morpion", "Findings, by the number of games", "judged by the engine"):
        assert line in tail
    _, statistics = judged(archive, 1)
    for (address, code_, rule), refusals in statistics.rules.items():
        assert f"{refusals.games:,}" in tail and code_ in tail and rule in tail and address in tail


@one_day_in(7)
def test_a_document_under_two_rulesets_counts_once(
    archive: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "PAUSE", -1)
    words = [word for address in ("paper_world/fr", "paper_world/en") for word in ("--rules", address)]
    run(["check", str(archive), "--jobs", "1", "--limit", "30", "--statistics", *words])
    assert "\n30 documents\n" in capsys.readouterr().out


def test_what_no_ruleset_judges_fits_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("{\n" * 12 + json.dumps(random_game("paper_world/fr", 2, 1)[0]) + "\n", "utf-8")
    assert run(["check", str(path), "--statistics"]) == 2
    said = capsys.readouterr().out
    assert "without a ruleset: 12 unreadable" in said
    assert " under \n" not in said and "under\n" not in said and "games are refused" not in said and " fit " not in said
