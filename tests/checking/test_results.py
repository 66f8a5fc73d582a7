"""Results as data: the same rows however they came about, in one run, in several, or after one that was killed."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pwtool.checking import pieces, results
from pwtool.cli.app import run
from tests.checking.test_pieces import archive  # noqa: F401 - a fixture
from tests.daily import one_day_in
from tests.support import few_or_many, full_record, random_game, raw_games

ROOT = Path(__file__).resolve().parents[2]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def checked(target: Path, *words: object) -> bytes:
    run(["check", *map(str, words), "--results", str(target), "-f", "concise"])
    return target.read_bytes()


@one_day_in(7)
def test_a_row_says_what_the_report_says(archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: F811
    checked(tmp_path / "r.jsonl", archive)
    capsys.readouterr()
    run(["check", str(archive), "-f", "jsonl", "--all"])
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    found = rows(tmp_path / "r.jsonl")
    assert len(found) == len(told) == 243
    for row, one in zip(found, told, strict=True):
        assert f"{row['file']}:{row['line']}" == one["name"]
        assert [row["ruleset"], row["version"], row["verdict"]] == [
            one[k] for k in ("ruleset", "ruleset_version", "verdict")
        ]
        assert [(f["code"], f["rule"], f["turn"], f["message"]) for f in row["findings"]] == [
            (f["code"], f["rule"], f["turn"], f["message"]) for f in one["findings"]
        ]
    lines = archive.read_text("utf-8").splitlines()
    clean = [row for row in found if row["verdict"] == "clean"]
    assert len(clean) > 150
    for row in clean:
        record = json.loads(lines[row["line"] - 1])
        assert [row["id"], row["players"], row["turns"]] == [record["id"], record["players"], len(record["turns"])]
        scores = record["result"]["scores"]
        assert dict(zip(row["players"], row["scores"], strict=True)) == scores
        best = {name for name, place in zip(row["players"], row["places"], strict=True) if place == 1}
        assert best == set(record["result"]["ranking"][0])
        assert [sum(lines.values()) for lines in row["lines"]] == row["scores"]
        assert claims_of(row) == claimed(record)


def claims_of(row: dict[str, Any]) -> dict[str, int | None]:
    return {claim["objective"]: claim["turn"] for claim in row["claims"]}


def claimed(record: dict[str, Any]) -> dict[str, int | None]:
    """The objectives of a record, each with the turn of the first claim that it writes down."""
    found: dict[str, int | None] = dict.fromkeys(record["setup"].get("goals", []))
    for number, turn in enumerate(record["turns"], 1):
        for action in turn["actions"]:
            if "goal" in action and found[action["goal"]] is None:
                found[action["goal"]] = number
    return found


@one_day_in(7)
def test_rows_of_standard_input_are_those_of_a_file(archive: Path, tmp_path: Path) -> None:  # noqa: F811
    checked(tmp_path / "file.jsonl", archive, "--no-causes")
    with archive.open("rb") as given:
        words = ["check", "-", "--results", str(tmp_path / "input.jsonl"), "-q", "--no-causes"]
        subprocess.run([sys.executable, "-m", "pwtool", *words], stdin=given, cwd=ROOT, check=False)
    there = [row | {"file": "<stdin>"} for row in rows(tmp_path / "file.jsonl")]
    assert rows(tmp_path / "input.jsonl") == there and all(row["line"] for row in there)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files that are not Unicode")
@pytest.mark.parametrize("suffix", ["jsonl", "parquet", "duckdb"])
def test_names_of_files_that_are_not_unicode_are_escaped(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = tmp_path / os.fsdecode(b"\xff.jsonl")
    named.write_text("{}\n{\n", "utf-8")
    target = tmp_path / f"r.{suffix}"
    words = ["check", str(named), "--results", str(target), "--resume", "--statistics", "-f", "concise"]
    assert run(words) == run(words) == 2
    told = capsys.readouterr()
    assert told.out.count("\\udcff.jsonl:2:") == 1 and "\\udcff.jsonl:2" in told.err
    if suffix == "jsonl":
        assert [row["file"] for row in rows(target)] == [str(tmp_path / "\\udcff.jsonl")] * 2


def test_claims_that_a_record_leaves_out_are_known(tmp_path: Path) -> None:
    raw = [full_record(raw) for _, raw in raw_games("base")][:40]
    bare = [{**game, "turns": [without_claims(turn) for turn in game["turns"]]} for game in raw]
    for game in bare:
        del game["recorded"]
    games = tmp_path / "games.jsonl"
    games.write_text("".join(json.dumps(game) + "\n" for game in bare), "utf-8")
    by_kernel = checked(tmp_path / "a.jsonl", games)
    assert checked(tmp_path / "b.jsonl", games, "--no-kernel") == by_kernel
    found = rows(tmp_path / "a.jsonl")
    assert [claims_of(row) for row in found] == [claimed(game) for game in raw]
    assert sum(turn is not None for row in found for turn in claims_of(row).values()) > 5
    assert {row["engine"] for row in found} == {None}


@one_day_in(8)
def test_rows_of_clean_games_are_the_same_whoever_judges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = [full_record(raw) for _, raw in raw_games("base", "advanced")][::6]
    names = ['with "quotes"', "100 %s", "Zoë", "\U0001f600", "line\nbreak", "", "tab\t", "\x7f"]
    games = []
    for number, one in enumerate([*raw, *raw, *raw]):
        record = {**one, "id": names[number % len(names)]}
        if number % 3 == 1:
            # Not over, and without an id.
            record = {**record, "turns": record["turns"][:9]}
            del record["result"], record["id"]
        if number % 5 == 2:
            record = json.loads(json.dumps(record).replace(f'"{record["players"][0]}"', json.dumps(f"{names[2]}%d")))
        if number % 7 == 3:
            record = {**record, "turns": record["turns"][1:]}
        games.append(
            json.dumps(record, ensure_ascii=number % 2 == 0, indent=None if number % 4 else 0).replace("\n", "")
        )
    path = tmp_path / "100 %d ë.jsonl"
    path.write_text("\n".join(games) + "\n", "utf-8")
    told = []
    for how in ("--kernel", "--no-kernel"):
        capsys.readouterr()
        run(["check", str(path), "--results", str(tmp_path / f"{how}.jsonl"), "--statistics", how])
        told.append([line for line in capsys.readouterr().out.splitlines() if "players" in line])
    assert (tmp_path / "--kernel.jsonl").read_bytes() == (tmp_path / "--no-kernel.jsonl").read_bytes()
    found = rows(tmp_path / "--kernel.jsonl")
    assert len({row["id"] for row in found}) > 5 and {row["verdict"] for row in found} >= {"clean", "findings"}
    assert {row["over"] for row in found if row["verdict"] == "clean"} == {True, False}
    assert told[0] == told[1] and told[0]


def without_claims(turn: dict[str, Any]) -> dict[str, Any]:
    return {**turn, "actions": [action for action in turn["actions"] if action["action"] != "claim"]}


def test_what_kernels_leave_to_the_engine_is_told(tmp_path: Path) -> None:
    examples = ROOT / "examples"
    broken = tmp_path / "broken.json"
    broken.write_text("{", "utf-8")
    told = {
        "records/clean.json": None, "records/illegal.json": "refused", "records/unseen.json": "unseen things",
        "notation/club.pwn": "another form",
    }  # fmt: skip
    checked(tmp_path / "r.jsonl", *(examples / name for name in told), broken)
    assert [row["engine"] for row in rows(tmp_path / "r.jsonl")] == [*told.values(), "unreadable"]


@one_day_in(8)
def test_kernels_and_workers_change_no_row(
    archive: Path,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    workers_at_once: Callable[[], None],
) -> None:
    alone = checked(tmp_path / "a.jsonl", archive, "--jobs", 1)
    assert checked(tmp_path / "b.jsonl", archive, "--jobs", 1, "--no-kernel") == alone
    workers_at_once()
    monkeypatch.setattr(pieces, "SIZE", 30_000)
    assert checked(tmp_path / "c.jsonl", archive, "--jobs", 2) == alone
    assert not list(tmp_path.glob("*.parts")), "what is finished leaves nothing behind"


@one_day_in(7)
def test_what_was_added_or_changed_is_judged_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    for seed in range(6):
        (folder / f"{seed}.jsonl").write_text(json.dumps(random_game("paper_world/fr", 2, seed)[0]) * 1 + "\n", "utf-8")
    big = "\n".join(json.dumps(random_game("paper_world/en", 2, seed)[0]) for seed in range(30))
    (folder / "big.jsonl.gz").write_bytes(__import__("gzip").compress(big.encode()))
    target = tmp_path / "r.jsonl"
    first = checked(target, folder, "--resume")
    assert checked(target, folder, "--resume") == first
    assert "36 documents known from an earlier run" in capsys.readouterr().err
    (folder / "2.jsonl").write_text("{}\n", "utf-8")
    (folder / "7.jsonl").write_text("[]\n", "utf-8")
    again = checked(target, folder, "--resume")
    assert "30 documents known from an earlier run" in capsys.readouterr().err
    assert checked(tmp_path / "fresh.jsonl", folder) == again != first


def test_results_in_the_folder_that_is_checked_are_no_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.json").write_text(json.dumps(random_game("paper_world/fr", 2, 1)[0]), "utf-8")
    first = checked(Path("r.jsonl"), ".", "--resume")
    assert checked(Path("r.jsonl"), ".", "--resume") == first
    assert "1 document known" in capsys.readouterr().err
    # What has no parts beside it may be somebody's games.
    Path("other.jsonl").write_bytes(first)
    assert run(["check", ".", "--results", "other.jsonl", "--resume"]) == 2
    assert "one of the files to check" in capsys.readouterr().err and Path("other.jsonl").read_bytes() == first


@one_day_in(7)
def test_a_run_goes_on_with_its_own_results_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        game = random_game("paper_world/fr", 2, ord(name))[0]
        Path(f"{name}.jsonl").write_text(f"{json.dumps(game)}\n" * 3, "utf-8")
    target = Path("r.jsonl")
    (tmp_path / "pwtool.toml").write_text("[ignore]\n'z.json' = ['PW613']\n", "utf-8")
    first = checked(target, "a.jsonl", "--resume", "--no-config")
    others: tuple[tuple[list[str], str], ...] = (
        (["b.jsonl"], "FILE"), (["a.jsonl", "--rules", "paper_world/en"], "--rules"), (["a.jsonl", "--limit", "1"], "--limit"),
        (["a.jsonl", "--sample", "1"], "--sample"), (["a.jsonl", "--lang", "fr"], "--lang"), (["a.jsonl", "--no-causes"], "--no-causes"),
        (["a.jsonl", "--as-printed"], "--as-printed"), (["a.jsonl", "--rules-from", "."], "--rules-from"),
    )  # fmt: skip
    for words, option in others:
        assert run(["check", *words, "--no-config", "--results", "r.jsonl", "--resume"]) == 2, words
        told = capsys.readouterr().err
        # Another language speaks in that language.
        other = "une exécution où ceci est différent" if "fr" in words else "belongs to a run with another"
        assert other in told and f"`{option}`" in told and "--force" in told, (words, told)
        assert target.read_bytes() == first
    assert run(["check", "a.jsonl", "--results", "r.jsonl", "--resume"]) == 2
    assert "another `ignore`" in capsys.readouterr().err
    # How it judges, and under which name a file is given, makes no other run; further files are added to it.
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    again = checked(tmp_path / "r.jsonl", "../a.jsonl", "--resume", "--no-config", "--no-kernel", "--jobs", 1)
    assert len(again.splitlines()) == len(first.splitlines())
    monkeypatch.chdir(tmp_path)
    assert checked(target, "a.jsonl", "--resume", "--no-config") == first
    both = checked(target, "a.jsonl", "b.jsonl", "--resume", "--no-config")
    assert both.startswith(first) and len(both.splitlines()) == 6
    assert (
        run(["check", "a.jsonl", "--no-config", "--results", "r.jsonl", "--resume"]) == 2
        and target.read_bytes() == both
    )
    # Whoever asks for it starts over.
    capsys.readouterr()
    other = checked(target, "a.jsonl", "--resume", "--no-config", "--force", "--rules", "paper_world/en")
    assert "known from" not in capsys.readouterr().err
    assert {row["ruleset"] for row in map(json.loads, other.splitlines())} == {"paper_world/en"}
    assert checked(target, "a.jsonl", "--resume", "--no-config", "--rules", "paper_world/en") == other


def test_results_that_name_no_run_are_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tmp_path / "a.jsonl"
    game.write_text(json.dumps(random_game("paper_world/fr", 2, 1)[0]) + "\n", "utf-8")
    target = tmp_path / "r.jsonl"
    first = checked(target, game)
    for content in (first, b"mine\n"):
        target.write_bytes(content)
        assert run(["check", str(game), "--results", str(target), "--resume"]) == 2
        assert "not known which run its results are of" in capsys.readouterr().err
        assert target.read_bytes() == content and not list(tmp_path.glob("*.parts"))
    assert checked(target, game, "--resume", "--force") == first == checked(target, game, "--resume")


def test_standard_input_is_not_taken_for_that_of_a_finished_run(tmp_path: Path) -> None:
    target = tmp_path / "r.jsonl"
    command = [sys.executable, "-m", "pwtool", "check", "-", "--results", str(target), "--resume"]
    given = [json.dumps(random_game("paper_world/fr", 2, seed)[0]).encode() for seed in (1, 2)]
    assert subprocess.run(command, input=given[0], cwd=ROOT, check=False, stdout=subprocess.DEVNULL).returncode == 0
    first = target.read_bytes()
    refused = subprocess.run(command, input=given[1], cwd=ROOT, check=False, capture_output=True)
    assert refused.returncode == 2 and b"standard input" in refused.stderr and target.read_bytes() == first


@one_day_in(8)
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX systems")
@pytest.mark.parametrize("times", few_or_many(1, 10))
def test_a_run_that_is_killed_goes_on(times: int, archive: Path, tmp_path: Path) -> None:  # noqa: F811
    rng = random.Random(times)
    path = tmp_path / "many.jsonl"
    path.write_text(archive.read_text("utf-8") * 4, "utf-8")
    whole = checked(tmp_path / "whole.jsonl", path)
    command = [sys.executable, "-m", "pwtool", "check", str(path), "--resume", "-q", "--no-kernel", "--results"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for number in range(times):
        target = tmp_path / f"{number}.jsonl"
        for _ in range(2):
            with subprocess.Popen(
                [*command, str(target)], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            ) as process:
                time.sleep(rng.uniform(0.5, 3.5))
                process.send_signal(rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
        subprocess.run([*command, str(target)], env=environment, check=False, stdout=subprocess.DEVNULL)
        assert target.read_bytes() == whole


@one_day_in(7)
def test_a_full_disk_loses_nothing(
    archive: Path,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real, left = results.write_whole, [3]  # the name of the run and two parts

    def full(path: Path, data: bytes) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        real(path, data)

    gz = tmp_path / "games.jsonl.gz"
    gz.write_bytes(__import__("gzip").compress(archive.read_bytes()))
    monkeypatch.setattr(results, "write_whole", full)
    target = tmp_path / "r.jsonl"
    words = ["check", str(gz), "--results", str(target), "--resume", "-f", "concise", "--jobs", "1"]
    assert run(words) == 2
    told = capsys.readouterr().err
    assert f"cannot write to `{target}.parts`: no space left" in told and "--resume" in told and not target.exists()
    monkeypatch.setattr(results, "write_whole", real)
    run(words)
    assert "192 documents known from an earlier run" in capsys.readouterr().err
    assert target.read_bytes() == checked(tmp_path / "whole.jsonl", gz)


@one_day_in(8)
def test_a_file_that_does_not_fit_is_not_there(archive: Path, tmp_path: Path) -> None:  # noqa: F811
    resource = pytest.importorskip("resource")
    pytest.importorskip("duckdb")
    checked(tmp_path / "rows.jsonl", archive)
    found = (tmp_path / "rows.jsonl").read_bytes().splitlines()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    for ending in ("jsonl", "parquet", "duckdb"):
        target = tmp_path / ending / f"r.{ending}"
        target.parent.mkdir()
        results.write_results(target, iter(found))
        size = target.stat().st_size
        target.unlink()
        # Of DuckDB's files the log grows first, the file itself when it is closed.
        for share in (0.02, 0.3, 0.5, 0.9):
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(size * share), limits[1]))
            try:
                with pytest.raises(OSError, match=r"(?i)too large"):
                    results.write_results(target, iter(found))
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            assert not list(target.parent.iterdir())
        results.write_results(target, iter(found))
        assert [path.stat().st_size for path in target.parent.iterdir()] == [size]


@one_day_in(7)
def test_formats_hold_the_same(archive: Path, tmp_path: Path) -> None:  # noqa: F811
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    for ending in ("jsonl", "parquet", "duckdb"):
        checked(tmp_path / f"r.{ending}", archive)
    assert (tmp_path / "r.parquet").read_bytes() == checked(tmp_path / "again.parquet", archive)
    found = rows(tmp_path / "r.jsonl")
    with duckdb.connect(str(tmp_path / "r.duckdb")) as database:
        columns = "file, line, verdict, rule, scores, players, places"
        expected = [tuple(row[key] for key in columns.split(", ")) for row in found]
        assert database.sql(f"select {columns} from games").fetchall() == expected
        assert duckdb.sql(f"select {columns} from '{tmp_path / 'r.parquet'}'").fetchall() == expected
        told = [(row["line"], f["code"], f["message"]) for row in found for f in row["findings"]]
        assert database.sql("select document_line, code, message from findings").fetchall() == told
        lines = duckdb.sql(
            f"select lines[1]['hand'] from '{tmp_path / 'r.parquet'}' where verdict = 'clean'"
        ).fetchall()
        assert len(lines) > 100


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--results", "r.csv"], "results file ends in"),
        (["--results", "games.jsonl"], "one of the files to check"),
        (["--resume"], "`--resume` needs a file for the results"),
        (["--results", "r.jsonl", "--resume", "--report", "sarif=x"], "`--report sarif=x` needs all findings"),
        (["--results", "r.jsonl", "--resume", "--format", "json"], "`--format json` needs all findings"),
        (["--results", "there.jsonl"], "already exists"),
    ],
)
def test_what_cannot_be_written_is_told_first(
    words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("games.jsonl").write_text("{}\n", "utf-8")
    Path("there.jsonl").write_text("mine\n", "utf-8")
    assert run(["check", "games.jsonl", *words]) == 2
    assert says in capsys.readouterr().err
    assert Path("there.jsonl").read_text("utf-8") == "mine\n"
    assert not list(tmp_path.glob("*.parts"))


@one_day_in(4)
def test_what_an_earlier_run_found_is_not_thrown_away_unasked(
    archive: Path,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    target = tmp_path / "r.jsonl"
    first = checked(target, archive, "--limit", 5, "--resume")
    target.unlink()
    folder = tmp_path / "r.jsonl.parts"
    (folder / "mine.txt").write_text("mine", "utf-8")
    capsys.readouterr()
    assert run(["check", str(archive), "--limit", "5", "--results", str(target)]) == 2
    assert "contains the work of an earlier run" in capsys.readouterr().err and not target.exists()
    assert checked(target, archive, "--limit", 5, "--force") == first
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
