"""How fast whole archives are checked, from a thousand games to a million, by one process and by two.

    python benchmarks/archives.py [--most N] [--rounds N] [--quick]

The 72 recorded games, repeated. Each line is a command of its own, from its start to its end, but for the table that says
otherwise. Everything is measured in the same run: compare the ratios, not the numbers of different machines. README.md says what each line means.
"""

from __future__ import annotations

import argparse
import io
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

from games import Games, write_archive
from measuring import ROOT, Table, best_of, rate, run_pwtool

from pwtool.checking.archives import Checker
from pwtool.checking.pieces import cut
from pwtool.checking.workers import Settings, judge_all
from pwtool.cli.common import open_store

SIZES = (1_000, 10_000, 100_000, 1_000_000)
QUICK = 100
"""So many games show whether it works."""
BESIDE = 10_000
"""So many games the other programs get."""
MOST_PACKED = 100_000
"""So many games are packed at most; a larger table repeats them."""
DIFFERENT = 5_000
"""So many random games tell how small packed ones are."""


def sizes_up_to(most: int) -> list[int]:
    """The sizes of archives that are measured."""
    return [size for size in SIZES if size <= most] or [most]


def sizes(table: Table, folder: Path, games: Games, most: int, rounds: int) -> dict[int, float]:
    """Archives of lines of all sizes; the best seconds by the number of games."""
    alone: dict[int, float] = {}
    for count in sizes_up_to(most):
        path = folder / f"{count}.jsonl"
        write_archive(path, games, count)
        # The clock, and whatever else the machine does, weigh more on short runs.
        times = rounds if count > 100_000 or most == QUICK else 3 * rounds
        one, two = best_of(times, [lambda jobs=jobs: run_pwtool("check", path, "-q", "--jobs", jobs) for jobs in "12"])  # type: ignore[misc] # noqa: B023
        alone[count] = min(one.seconds, two.seconds)
        table.value(f"{count:,} games, one process, at most {one.megabytes:.0f} MB", rate(count, one.seconds, "games"))
        table.ratio(
            f"{count:,} games, two processes, at most {two.megabytes:.0f} MB each", rate(count, two.seconds, "games"),
            one.seconds / two.seconds, "one process", least=1.7 if count >= 100_000 else None,
        )  # fmt: skip
        if count > BESIDE:
            path.unlink()
    return alone


def running(table: Table, folder: Path, games: Games, most: int, rounds: int) -> None:
    """The same archives in a process that runs already, with its rules and kernel: what a game costs, whatever their number."""
    checker = Checker(open_store(), [], summaries=False, heads=False)
    settings, rates = Settings(checker), {}
    measured = sizes_up_to(most)
    for count in (measured[0], *measured):
        path = folder / f"{count}.jsonl"
        write_archive(path, games, count)
        # A short one several times: otherwise the clock is measured.
        times = 1 if most == QUICK else max(1, 20_000 // count)
        seconds = float("inf")
        for _ in range(rounds):
            begun = perf_counter()
            for _ in range(times):
                assert all(not judged.statistics.engine for judged in judge_all(cut([str(path)]), settings, 1))
            seconds = min(seconds, (perf_counter() - begun) / times)
        # The first size comes twice: its first time makes the kernel.
        rates[count] = count / seconds
        path.unlink()
    for count, games_per_second in rates.items():
        table.value(f"{count:,} games", f"{games_per_second:,.0f} games/s")
    slowest, fastest = min(rates.values()), max(rates.values())
    table.ratio("the slowest of these", f"{slowest:,.0f} games/s", slowest / fastest, "the fastest", least=0.8)


def pack(path: Path, target: Path, count: int, folder: Path, games: Games) -> None:
    """The archive packed: its first games by `pwtool pack`, and their row groups repeated, which takes less time."""
    from pyarrow import parquet

    part, first = folder / "part.jsonl", folder / "part.parquet"
    write_archive(part, games, min(count, MOST_PACKED))
    run_pwtool("pack", part, "-o", first, "--force")
    found = parquet.ParquetFile(first)
    with parquet.ParquetWriter(target, found.schema_arrow, compression="zstd", store_schema=False) as written:
        for number in range(found.num_row_groups):
            for _ in range(max(1, count // MOST_PACKED)):
                written.write_table(found.read_row_group(number))
        written.add_key_value_metadata(found.metadata.metadata)
    assert parquet.read_metadata(target).num_rows == count


def packed(table: Table, folder: Path, games: Games, count: int, rounds: int) -> None:
    """The same games packed: how fast; and games that are all different: how large."""
    if find_spec("pyarrow") is None:
        table.missing("packed")
        return
    import zstandard

    path, target = folder / "games.jsonl", folder / "games.parquet"
    write_archive(path, games, count)
    pack(path, target, count, folder, games)
    works = [lambda file=file: run_pwtool("check", file, "-q", "--jobs", "1") for file in (path, target)]  # type: ignore[misc]
    text, binary = best_of(rounds, works)
    table.value(f"{count:,} games of text, one process", rate(count, text.seconds, "games"))
    table.ratio(
        "the same games packed", rate(count, binary.seconds, "games"), text.seconds / binary.seconds, "text", least=3
    )
    different = min(count, DIFFERENT)
    run_pwtool("play", "paper_world/gamepark", "--players", "3", "--games", str(different), "-o", path, "--force")
    run_pwtool("pack", path, "-o", target, "--force")
    data = path.read_bytes()
    small = len(zstandard.ZstdCompressor().compress(data)) / different
    table.value("a random game as text", f"{len(data) / different:,.0f} bytes")
    table.value("compressed by zstd", f"{small:,.0f} bytes")
    table.ratio(
        "packed", f"{target.stat().st_size / different:,.0f} bytes", target.stat().st_size / different / small, "zstd", most=1
    )  # fmt: skip


def beside(table: Table, folder: Path, games: Games, ours: float, count: int) -> None:
    """What others take for the same games, or as many of their own."""
    path = folder / "beside.jsonl"
    write_archive(path, games, count)
    table.value(f"pwtool check, {count:,} games", rate(count, ours, "games"))

    def timed(name: str, work: Callable[[], object], done: int = count) -> None:
        begun = perf_counter()
        work()
        seconds = perf_counter() - begun
        table.ratio(name, rate(done, seconds, "games"), (ours / count) / (seconds / done), "pwtool check")

    if find_spec("orjson"):
        import orjson

        def parse() -> None:
            with path.open("rb") as stream:
                for line in stream:
                    orjson.loads(line)

        timed("orjson.loads alone", parse)
    else:
        table.missing("orjson.loads alone")
    if find_spec("zstandard"):
        import zstandard

        data = zstandard.ZstdCompressor().compress(path.read_bytes())

        def unpack() -> None:
            with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data)) as stream:
                while stream.read(1 << 20):
                    pass

        timed("zstd, unpacked alone", unpack)
    else:
        table.missing("zstd, unpacked alone")


def main() -> None:
    """Run all measurements and print tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=100_000, help="how many games the largest archive has (100,000)")
    parser.add_argument("--rounds", type=int, default=3, help="how often everything is measured (3)")
    parser.add_argument("--quick", action="store_true", help="few games, once: only whether it works")
    options = parser.parse_args()
    most, rounds = (QUICK, 1) if options.quick else (max(1_000, options.most), max(1, options.rounds))
    games = Games(72)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run_pwtool("check", ROOT / "examples" / "records" / "clean.json", "-q")
        table = Table("Archives")
        times = sizes(table, folder, games, most, rounds)
        table.print()
        table = Table("Archives, one process that runs already")
        running(table, folder, games, most, rounds)
        table.print()
        table = Table("Packed archives")
        packed(table, folder, games, most, rounds)
        table.print()
        table = Table("Beside others")
        count = min(most, BESIDE)
        beside(table, folder, games, times[count], count)
        table.print()


if __name__ == "__main__":
    main()
