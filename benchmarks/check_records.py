"""How fast recorded games are checked, by the engine and by kernels, beside reading JSON alone.

    python benchmarks/check_records.py [--games N] [--rounds N] [--quick]

Everything is measured in the same run: compare the ratios, not the numbers of different machines. README.md says what
each line means.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import tempfile
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

from games import BATCH, EVERY, Batch, Games
from measuring import Slice, Table, best_seconds, milliseconds, rate

from pwtool.cli.app import run as run_pwtool
from pwtool.kernel.module import compile_kernel
from pwtool.kernel.run import CLEAN, Instance, Runner
from pwtool.play.replay import replay_record
from pwtool.records.json_text import load_json
from pwtool.text.source import SourceFile

T = TypeVar("T")
QUICK = 720
SAMPLE = 400
"""How many games of an archive the engine judges."""


def cut(things: Sequence[T], size: int, work: Callable[[Sequence[T]], object]) -> list[Slice]:
    """Work on some things, in slices."""
    parts = [things[at : at + size] for at in range(0, len(things), size)]
    return [lambda part=part: work(part) for part in parts]  # type: ignore[misc]


def loading(table: Table, games: Games, rounds: int) -> None:
    """Making the modules of the rulesets and compiling them."""
    for address in games.addresses:
        ruleset = games.book(address).game.ruleset
        kernel = compile_kernel(ruleset)
        best = best_seconds({"make": [lambda: compile_kernel(ruleset)], "load": [lambda: Runner(kernel)]}, rounds)  # noqa: B023
        name, size = address.partition("/")[2], f"{len(kernel.wasm) / 1000:.0f} kB"
        table.value(f"{name}: ruleset to module", milliseconds(best["make"]))
        table.value(f"{name}: module of {size} to machine code", milliseconds(best["load"]))


def single(table: Table, games: Games, rounds: int) -> None:
    """One core: the engine, kernels, JSON alone."""
    instances, left = games.instances(), 0

    def by_engine(texts: Sequence[bytes]) -> None:
        for text in texts:
            data = load_json(SourceFile("record", text.decode())).value
            assert data is not None
            book = games.book(data["ruleset"])
            assert replay_record(book.game, book.decoder.record(data), book.legal).clean

    def by_kernel(batches: Sequence[Batch]) -> None:
        nonlocal left
        for batch in batches:
            answers = instances[batch.address].check(batch.texts, own=True)
            left += len(answers) - answers.column(answers.kernel.answer.VERDICT).count(CLEAN)

    def by_kernel_packed(batches: Sequence[Batch]) -> None:
        for batch in batches:
            answers = instances[batch.address].judge_block(batch.packed, len(batch.texts))
            assert answers.column(answers.kernel.answer.VERDICT).count(CLEAN) == len(batch.texts)

    sample = games.texts[: len(games.records)]
    works: dict[str, Sequence[Slice]] = {
        "engine": cut(sample, 6, by_engine),
        "kernel": cut(games.batches, 10, by_kernel),
        "packed": cut(games.batches, 10, by_kernel_packed),
    }
    if find_spec("orjson"):
        from orjson import loads

        def by_orjson(texts: Sequence[bytes]) -> None:
            for text in texts:
                loads(text)

        works["orjson"] = cut(games.texts, 10 * BATCH, by_orjson)
    best = best_seconds(works, rounds)
    count, few = games.count, len(sample)
    engine = best["engine"] / few
    table.value("engine, JSON text", rate(few, best["engine"], "games"))
    kernel, packed = rate(count, best["kernel"], "games"), rate(count, best["packed"], "games")
    table.ratio("kernel, JSON text", kernel, engine * count / best["kernel"], "engine", least=100)
    if "orjson" in best:
        table.value("orjson.loads alone", rate(count, best["orjson"], "games"))
        table.ratio("kernel, JSON text", kernel, best["orjson"] / best["kernel"], "orjson", least=1.5)
    else:
        table.missing("orjson.loads alone")
    table.ratio("kernel, packed records", packed, engine * count / best["packed"], "engine", least=300)
    share = 100 * left / (rounds * count)
    table.share("clean games left to the engine", f"{left // rounds:,} of {count:,}", 0, share)


def threads(table: Table, games: Games, rounds: int) -> None:
    """Two threads against one: each with instances of its own, which take batches from one list."""
    if (os.cpu_count() or 1) < 2:
        table.value("two threads, kernel, JSON text", "only one core here")
        return
    own = threading.local()

    def judge(batch: Batch) -> None:
        instances: dict[str, Instance] | None = getattr(own, "instances", None)
        if instances is None:
            instances = own.instances = games.instances()
        answers = instances[batch.address].check(batch.texts, own=True)
        assert answers.column(answers.kernel.answer.VERDICT).count(CLEAN) == len(batch.texts)

    def by(pool: ThreadPoolExecutor) -> Callable[[Sequence[Batch]], None]:
        def work(batches: Sequence[Batch]) -> None:
            for _ in pool.map(judge, batches):
                pass

        return work

    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(2) as two:
        for pool in (one, two):
            by(pool)(games.batches[:8])
        slices = {"one": cut(games.batches, 40, by(one)), "two": cut(games.batches, 40, by(two))}
        best = best_seconds(slices, 2 * rounds)
    table.value("one thread, kernel, JSON text", rate(games.count, best["one"], "games"))
    ratio = best["one"] / best["two"]
    table.ratio("two threads, kernel, JSON text", rate(games.count, best["two"], "games"), ratio, "one", least=1.7)


def archives(table: Table, games: Games, rounds: int, sample: int) -> None:
    """Whole commands on archives, with all that is printed: with kernels, and on a sample without."""

    def check(path: Path, *options: str) -> None:
        code = run_pwtool(["check", str(path), "--format", "concise", *options])
        assert code in (0, 1), code

    with (
        tempfile.TemporaryDirectory() as folder,
        open(os.devnull, "w", encoding="utf-8") as nothing,
        contextlib.redirect_stdout(nothing),
    ):
        path = Path(folder)
        mixed = games.with_illegal()
        for name, texts in (("one", games.texts[:1]), ("clean", games.texts), ("mixed", mixed)):
            (path / f"{name}.jsonl").write_bytes(b"\n".join(texts) + b"\n")
            (path / f"{name}-sample.jsonl").write_bytes(b"\n".join(texts[:sample]) + b"\n")
        works: dict[str, Sequence[Slice]] = {"start": [lambda: check(path / "one.jsonl")] * 5}
        for name in ("clean", "mixed"):
            works[name] = [lambda name=name: check(path / f"{name}.jsonl")]  # type: ignore[misc]
            works[f"{name} engine"] = [lambda name=name: check(path / f"{name}-sample.jsonl", "--no-kernel")]  # type: ignore[misc]
        check(path / "one.jsonl")
        best = best_seconds(works, rounds)
    start, count = best["start"] / 5, games.count
    for name, words in (("clean", "all clean"), ("mixed", f"{100 // EVERY} % illegal")):
        whole = start + (best[f"{name} engine"] - start) * count / sample
        table.value(f"archive, {words}, without kernels", rate(count, whole, "games"))
        target = 50 if name == "mixed" else None
        table.ratio(
            f"archive, {words}, with kernels", rate(count, best[name], "games"), whole / best[name], "without", target
        )


def main() -> None:
    """Run all measurements and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20_000, help="how many games there are (20000)")
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is measured (5)")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} games, once: only whether it works")
    options = parser.parse_args()
    count, rounds = (QUICK, 1) if options.quick else (max(1, options.games), max(1, options.rounds))
    if not find_spec("wasmtime"):
        raise SystemExit("wasmtime is not installed: no kernels (`pip install 'pwtool[fast]'`)")
    games = Games(count)
    assert games.batches and games.instances()
    gc.collect()
    gc.freeze()
    table = Table(f"{count:,} recorded games")
    loading(table, games, rounds)
    single(table, games, rounds)
    threads(table, games, rounds)
    archives(table, games, min(rounds, 3), min(count, 2 * EVERY if options.quick else SAMPLE))
    table.print()


if __name__ == "__main__":
    main()
