"""Pieces judged on a Dask cluster: the same results as here, whatever happens to workers."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from pwtool.checking import cluster
from pwtool.cli.app import run
from tests.daily import one_day_in
from tests.support import few_or_many, random_game, started

distributed = pytest.importorskip("distributed", reason="needs the extra `dask`")

ROOT = Path(__file__).resolve().parents[2]


def write_archive(path: Path, count: int, seed: int = 0) -> Path:
    """Games under several rulesets, some of them damaged, unreadable lines between them."""
    rng = random.Random(seed)
    addresses = ("paper_world/fr", "paper_world/gamepark+advanced", "pierre_papier_morpion")
    sample = [json.dumps(random_game(address, 2, number)[0]) for address in addresses for number in range(10)]
    with path.open("w", encoding="utf-8") as stream:
        for number in range(count):
            game = rng.choice(sample)
            if number % 97 == 5:
                data = json.loads(game)
                data["turns"].pop(rng.randrange(len(data["turns"])))
                game = json.dumps(data)
            stream.write("{]\n" if number % 101 == 7 else game + "\n")
    return path


def rows(target: Path, *words: Any) -> bytes:
    """The rows that `pwtool check` writes."""
    assert run(["check", *map(str, words), "--results", str(target), "--no-causes"]) in (0, 1, 2)
    return target.read_bytes()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A scheduler with two workers that run in another folder."""
    folder = tmp_path_factory.mktemp("elsewhere")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    told = folder / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, "env": environment}
    with started([*command, "--no-dashboard", "--scheduler-file", str(told)], **quiet):
        while not told.exists() or not told.read_text():
            time.sleep(0.1)
        found = json.loads(told.read_text())["address"]
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", found, "--no-dashboard", "--host", "127.0.0.1"]
        with (
            started([*worker, "--nthreads", "2", "--no-nanny", "--local-directory", str(folder / "a")], **quiet),
            started([*worker, "--nthreads", "1", "--no-nanny", "--local-directory", str(folder / "b")], **quiet),
        ):
            yield found


@one_day_in(8, "cluster")
def test_the_results_are_those_of_this_machine(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_archive(tmp_path / "games.jsonl", 400)
    (tmp_path / "one.json").write_text((ROOT / "examples" / "records" / "illegal.json").read_text("utf-8"))
    (tmp_path / "packed.jsonl.gz").write_bytes(
        __import__("gzip").compress((tmp_path / "games.jsonl").read_bytes()[:400_000])
    )
    house = tmp_path / "house.rules"
    house.write_text(
        'edition house of paper_world/gamepark "House rules"\n\nremove rule place.skip_one because "faster"\n'
    )
    names = ["games.jsonl", "one.json", "packed.jsonl.gz"]
    for words in (names, [*names, "--rules", str(house)], [str(tmp_path / "games.jsonl")]):
        capsys.readouterr()
        here = rows(tmp_path / "here.jsonl", *words, "--force")
        said = capsys.readouterr()
        there = rows(tmp_path / "there.jsonl", *words, "--force", "--scheduler", address)
        assert there == here
        assert capsys.readouterr() == said
        assert here.count(b"\n") >= 400
    assert not list(tmp_path.glob("*.parts"))


@one_day_in(8, "cluster")
def test_what_was_judged_before_is_not_judged_again(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = write_archive(tmp_path / "games.jsonl", 300)
    once = rows(tmp_path / "rows.jsonl", archive, "--resume", "--scheduler", address)
    assert "known" not in capsys.readouterr().err
    assert rows(tmp_path / "rows.jsonl", archive, "--resume", "--scheduler", address) == once
    assert "300 documents known from an earlier run" in capsys.readouterr().err


@one_day_in(8)
@pytest.mark.parametrize("count", few_or_many(1_000, 100_000))
def test_a_worker_that_is_killed_changes_nothing(count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = write_archive(tmp_path / "games.jsonl", count)
    here = rows(tmp_path / "here.jsonl", archive)
    killed: list[int] = []
    real = cluster.judge_on_cluster

    def with_murder(pieces: Any, settings: Any, client: Any, *more: Any) -> Any:
        def kill() -> None:
            time.sleep(1.0)
            pids = client.run(os.getpid)
            killed.append(pids[min(pids)])
            os.kill(killed[0], signal.SIGKILL if os.name == "posix" else signal.SIGTERM)

        murderer = threading.Thread(target=kill)
        murderer.start()
        results = real(slowly(pieces, murderer), settings, client, *more)
        yield from results
        murderer.join()

    def slowly(pieces: Any, murderer: threading.Thread) -> Any:
        for piece in pieces:
            yield piece
            if murderer.is_alive():
                time.sleep(0.3)

    monkeypatch.setattr(cluster, "judge_on_cluster", with_murder)
    monkeypatch.setattr("pwtool.cli.check.LARGE", 1 << 20)
    there = rows(tmp_path / "there.jsonl", archive, "--scheduler", "local", "--jobs", "2")
    assert killed and there == here


OLDER = "import pwtool\npwtool.__version__ = '0.0.1'\n"
POORER = "import sys\nsys.modules['pyarrow'] = None\n"


@contextmanager
def joining(address: str, folder: Path, changed: str) -> Iterator[None]:
    """One more worker of a cluster, in whose Python something is otherwise; the others have something else to do at
    first, so that it gets pieces.
    """
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(changed)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(ROOT)))}
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-dashboard", "--host", "127.0.0.1"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, "env": environment}
    with (
        distributed.Client(address, set_as_default=False) as client,
        started([*command, "--nthreads", "4", "--no-nanny", "--local-directory", str(folder / "a")], **quiet),
    ):
        others = client.nthreads()
        client.wait_for_workers(len(others) + 1, timeout=60)
        kept = [client.submit(time.sleep, 2, pure=False, workers=[one]) for one in others for _ in range(others[one])]
        yield
        client.cancel(kept)


@one_day_in(8)
@pytest.mark.parametrize("changed", [OLDER, pytest.param(POORER, marks=pytest.mark.slow)])
def test_workers_that_come_later_have_to_be_fit(
    changed: str, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = write_archive(tmp_path / "games.jsonl", 400)
    if changed == POORER:
        pytest.importorskip("pyarrow")
        packed = tmp_path / "games.parquet"
        monkeypatch.setattr("pwtool.records.tables.writing.GROUP", 40)
        assert run(["pack", str(archive), "-o", str(packed)]) == 0
        archive = packed
    here = rows(tmp_path / "here.jsonl", archive)
    real = cluster.judge_on_cluster

    def with_another(pieces: Any, *more: Any) -> Any:
        with ExitStack() as stack:

            def some() -> Any:
                for number, piece in enumerate(pieces):
                    if number == 2:
                        stack.enter_context(joining(address, tmp_path / "late", changed))
                    yield piece

            yield from real(some(), *more)

    monkeypatch.setattr(cluster, "judge_on_cluster", with_another)
    monkeypatch.setattr("pwtool.cli.check.LARGE", 1 << 16)
    monkeypatch.setattr("pwtool.checking.pieces.ROWS", 40)
    capsys.readouterr()
    assert rows(tmp_path / "there.jsonl", archive, "--scheduler", address) == here
    lack = (
        r"has pwtool 0\.0\.1, but this is \S+"
        if changed == OLDER
        else "lacks the package `pyarrow`, which these files need"
    )
    assert re.fullmatch(rf"the worker \S+ {lack}: it is left out\n", capsys.readouterr().err)


@one_day_in(8, "cluster")
def test_a_cluster_that_cannot_be_used_is_told(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    record = str(ROOT / "examples" / "records" / "clean.json")
    target = tmp_path / "rows.jsonl"
    for wrong in ("tcp://127.0.0.1:9", "tcp://127.0.0.1:99999", "nowhere", "tcp://", "", "x://y", "tcp://[::"):
        assert run(["check", record, "--scheduler", wrong, "--results", str(target)]) == 2
        assert "error: no scheduler answers at" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(cluster, "__version__", "0.0.0")
    assert run(["check", record, "--scheduler", address]) == 2
    assert re.search(r"the worker \S+ has pwtool \S+, but this is 0\.0\.0\n", capsys.readouterr().err)
    monkeypatch.setattr(cluster, "find_spec", lambda name: None)
    assert run(["check", record, "--scheduler", address]) == 2
    assert "pip install pwtool[dask]" in capsys.readouterr().err


@one_day_in(7)
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX systems")
def test_an_interrupt_ends_the_cluster_too(tmp_path: Path) -> None:
    archive = write_archive(tmp_path / "games.jsonl", 30_000)
    command = [
        sys.executable,
        "-m",
        "pwtool",
        "check",
        str(archive),
        "--scheduler",
        "local",
        "--no-causes",
        "-f",
        "concise",
    ]
    with started(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert re.fullmatch(rb"interrupted: \d+ documents judged so far\n", err), err
