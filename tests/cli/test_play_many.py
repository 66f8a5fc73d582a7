"""`pwtool play --games`: the same games from the same seeds with and without kernels, one record a line as they are played."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from array import array
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TextIO

import pytest

from pwtool.cli.app import run
from pwtool.kernel import run as kernels
from pwtool.kernel.answers import ENDLESS, FAILED, NO_SETUP, Uncompilable
from pwtool.kernel.module import Kernel, compile_kernel
from pwtool.play.record import Record
from pwtool.records import random_records
from tests.daily import one_day_in, some
from tests.support import book, started

ROOT = Path(__file__).resolve().parents[2]
QUICK = "pierre_papier_morpion/fr+bonus+binoculars"
UNSEEN = [f"tests/rulesets/{name}/game.rules" for name in ("gulls", "harbour", "sandwich")]
EXAMPLES = [f"rulesets/classics/{name}/game.rules" for name in ("tic_tac_toe", "connect_four")]
GAMES = 24
needs_wasmtime = pytest.mark.skipif(not kernels.is_installed(), reason="kernels need wasmtime")


@pytest.fixture(autouse=True)
def _at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def play(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    """The lines that are printed."""
    capsys.readouterr()
    assert run(["play", *words]) == 0
    printed = capsys.readouterr()
    assert printed.err == "" and printed.out.endswith("\n")
    return printed.out.splitlines()


def by_engine(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    """The lines that are printed where no kernel can run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "is_installed", lambda: False)
        return play(capsys, *words)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The rulesets that are compiled."""
    found: list[str] = []

    def compile_(ruleset: Any, *_: object, **_more: object) -> Kernel:
        found.append(ruleset.address)
        return compile_kernel(ruleset)

    monkeypatch.setattr("pwtool.kernel.module.load_kernel", compile_)
    return found


# ---- with and without kernels ----------------------------------------------------------------------------------------


@needs_wasmtime
@pytest.mark.parametrize(
    ("address", "players"),
    some([("paper_world/gamepark+advanced", 3), (QUICK, 2), *((address, 2) for address in EXAMPLES)], 1),
)
def test_the_games_are_the_same_and_clean(
    address: str, players: int, compiled: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [address, "--games", str(GAMES), "--seed", "11", "--players", str(players)]
    lines = play(capsys, *words)
    assert compiled == [address]
    assert by_engine(capsys, *words) == lines
    assert compiled == [address]
    records = [json.loads(line) for line in lines]
    assert [record["id"] for record in records] == [f"seed-{seed}" for seed in range(11, 11 + GAMES)]
    assert all(record["players"] == [f"P{seat}" for seat in range(1, players + 1)] for record in records)
    (tmp_path / "games.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    assert run(["check", str(tmp_path / "games.jsonl"), "--rules", address]) == 0, capsys.readouterr().out


@needs_wasmtime
@pytest.mark.parametrize("address", some([*UNSEEN], 1))
def test_rules_of_every_kind_are_played_alike(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    for players in range(book(address).game.ruleset.min_players, book(address).game.ruleset.max_players + 1):
        words = [address, "--games", "20", "--seed", "90", "--players", str(players)]
        assert play(capsys, *words) == by_engine(capsys, *words)


@pytest.mark.parametrize("games", [3, GAMES])
def test_each_is_the_game_of_its_seed_alone(games: int, capsys: pytest.CaptureFixture[str]) -> None:
    lines = play(capsys, QUICK, "--games", str(games), "--seed", "70", "--name", "Zoé", "--name", "B\u2028n")
    assert len(lines) == games
    for number in (0, games - 1):
        assert run(["play", QUICK, "--seed", str(70 + number), "--name", "Zoé", "--name", "B\u2028n"]) == 0
        assert json.loads(lines[number]) == json.loads(capsys.readouterr().out)


@needs_wasmtime
def test_seeds_beyond_64_bits_are_those_of_the_engine(capsys: pytest.CaptureFixture[str]) -> None:
    words = [EXAMPLES[0], "--games", str(GAMES), "--seed", str(2**64 - 2)]
    lines = play(capsys, *words)
    assert lines == by_engine(capsys, *words)
    assert json.loads(lines[-1])["id"] == f"seed-{2**64 - 3 + GAMES}"


@needs_wasmtime
def test_more_games_than_one_call_plays(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = [EXAMPLES[0], "--games", str(2 * random_records.BLOCK + 5), "--seed", "0"]
    lines = play(capsys, *words)
    monkeypatch.setattr(random_records, "BLOCK", 7)
    assert play(capsys, *words) == lines
    assert [json.loads(line)["id"] for line in lines] == [f"seed-{seed}" for seed in range(2 * 64 + 5)]


def test_a_ruleset_that_kernels_refuse_is_played_by_the_engine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / EXAMPLES[0]).read_text("utf-8").replace("players 2..2", "players 2..61")
    crowd = tmp_path / "crowd.rules"
    crowd.write_text(text, "utf-8")
    with pytest.raises(Uncompilable):
        compile_kernel(book(str(crowd)).game.ruleset)
    words = [str(crowd), "--games", str(GAMES), "--seed", "4"]
    lines = play(capsys, *words)
    assert len(lines) == GAMES and lines == by_engine(capsys, *words)


# ---- when a kernel cannot --------------------------------------------------------------------------------------------


def answering(monkeypatch: pytest.MonkeyPatch, word: int | None) -> None:
    """Let kernels answer this for seed 7; None: stop."""
    whole = kernels.Instance.play

    def play_(self: kernels.Instance, seed: int, games: int, players: int, most: int) -> Iterator[array[int]]:
        for number, words in enumerate(whole(self, seed, games, players, most)):
            if seed + number == 7 and word is None:
                raise kernels.failures()[0]("stopped")
            yield words if seed + number != 7 or word is None else array("i", [word])

    monkeypatch.setattr(kernels.Instance, "play", play_)


@needs_wasmtime
@pytest.mark.parametrize("word", [FAILED, None])
def test_the_engine_plays_what_a_kernel_cannot(
    word: int | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [EXAMPLES[0], "--games", str(GAMES), "--seed", "0"]
    lines = play(capsys, *words)
    answering(monkeypatch, word)
    monkeypatch.setattr(random_records, "BLOCK", 5)
    assert play(capsys, *words) == lines


@needs_wasmtime
@pytest.mark.parametrize(("word", "said"), [(NO_SETUP, "no setup was found"), (ENDLESS, "did not end within")])
@pytest.mark.parametrize("to_file", [False, True])
def test_a_game_that_cannot_be_played_is_told(
    word: int,
    said: str,
    to_file: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    answering(monkeypatch, word)
    output = ["-o", str(tmp_path / "games.jsonl")] * to_file
    assert run(["play", EXAMPLES[0], "--games", str(GAMES), "--seed", "0", *output]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert len(printed.out.splitlines()) == (0 if to_file else 7)
    assert list(tmp_path.iterdir()) == []


# ---- where they go ---------------------------------------------------------------------------------------------------


def test_one_game_is_a_line_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = play(capsys, QUICK, "--games", "1", "--seed", "3")
    archive = tmp_path / "one.jsonl"
    assert run(["play", QUICK, "--games", "1", "--seed", "3", "-o", str(archive)]) == 0
    assert archive.read_bytes() == line.encode() + b"\n"
    assert run(["play", QUICK, "--seed", "3", "-o", str(archive), "--force"]) == 0
    assert archive.read_bytes() == line.encode() + b"\n"


def test_without_a_seed_the_games_are_new_ones(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (play(capsys, EXAMPLES[1], "--games", "2") for _ in range(2))
    assert first != second


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--policy", "person"], "`--games` is for `--policy random`"),
        (["--policy", "clever"], "`--policy` cannot be `clever`"),
        (["-o", "games.json"], "write `-o OUT.jsonl`"),
        (["-o", "nowhere/games.jsonl"], "cannot write `nowhere/games.jsonl`"),
        (["-o", "there.jsonl"], "--force overwrites"),
        (["--players", "3"], "3 players, the game is for 2 to 2"),
        (["--games", "0"], "--games"),
        (["--games", "many"], "--games"),
        (["--seed", "-1"], "--seed"),
    ],
)
def test_what_cannot_be_is_said(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there.jsonl").write_text("mine", "utf-8")
    assert run(["play", QUICK, "--games", "4", *words]) == 2
    printed = capsys.readouterr()
    assert said in printed.err and printed.out == ""
    assert [(p.name, p.read_text("utf-8")) for p in tmp_path.iterdir()] == [("there.jsonl", "mine")]


@pytest.mark.parametrize("there", [False, True])
def test_an_interrupted_command_leaves_files_as_they_were(
    there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = tmp_path / "games.jsonl"
    if there:
        archive.write_text("mine", "utf-8")
    whole = random_records.play_many

    def interrupted(*words: Any) -> Iterator[Record]:
        games = whole(*words)
        yield next(games)
        yield next(games)
        raise KeyboardInterrupt

    monkeypatch.setattr(random_records, "play_many", interrupted)
    assert run(["play", QUICK, "--games", "9", "-o", str(archive), "--force"]) != 0
    assert "Traceback" not in capsys.readouterr().err
    assert [(p.name, p.read_text("utf-8")) for p in tmp_path.iterdir()] == [("games.jsonl", "mine")] * there


def endless_play(output: int | TextIO) -> AbstractContextManager[subprocess.Popen[str]]:
    """A command that would go on for hours."""
    command = [sys.executable, "-m", "pwtool", "play", QUICK, "--games", "100000000", "--seed", "5"]
    return started(command, stdout=output, stderr=subprocess.PIPE, text=True, encoding="utf-8")


@one_day_in(8)
def test_games_are_printed_as_they_are_played_and_a_closed_pipe_ends_it() -> None:
    with endless_play(subprocess.PIPE) as command:
        assert command.stdout is not None and command.stderr is not None
        first = json.loads(command.stdout.readline())
        command.stdout.close()
        assert command.stderr.read() == ""
        command.wait(60)
    assert first["id"] == "seed-5"


@one_day_in(8)
def test_an_interrupt_leaves_no_half_line_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with path.open("w", encoding="utf-8") as file, endless_play(file) as command:
        while path.stat().st_size < 1 << 16:
            assert command.poll() is None
            time.sleep(0.05)
        command.send_signal(signal.SIGINT)
        _, said = command.communicate(timeout=60)
    assert "Traceback" not in said and command.returncode != 0
    text = path.read_text("utf-8")
    assert text.endswith("\n")
    ids = [json.loads(line)["id"] for line in text.splitlines()]
    assert ids == [f"seed-{seed}" for seed in range(5, 5 + len(ids))]
