"""What people wait for: whole commands on one core, beside something of the same run.

    python benchmarks/waiting.py [--only PART] [--games N] [--rounds N] [--quick]

The parts: `archives`, `start`, `commands`, `analyze`, `compare`, `learn` and `play`. README.md says what each line means.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

from games import Games, write_archive
from measuring import ROOT, Finished, Table, best_of, best_seconds, milliseconds, rate, run, run_pwtool

QUICK = 200
"""So many games show whether it works."""
KINDS = 10_000
"""So many games with illegal ones are different; a larger archive repeats them."""
HOUSES = {
    "pig": 'change ending hundred "Thirty" when some q in players: points[q] >= 30 then stop at once because "b"',
    "paper_world/en": '''
change rule turn.hand_limit "At most ten cards stay in hand" see taking require count hand <= 10 because "b"
change rule trim.only_excess "Cards are discarded only above ten in hand" see taking require count hand > 10 because "b"''',
}
"""What is played differently at a table from whose games it is learned."""
RECORD = ROOT / "examples" / "records" / "clean.json"
THIRTY = ROOT / "tests" / "boards" / "data" / "thirty.rules"
# Each with the most seconds that it should take.
COMMANDS = {
    "--version": 0.12, "--help": 0.12, "check --help": 0.12, "lint paper_world/en": 0.35, "analyze paper_world/en": 0.4,
    f"replay --html {RECORD}": 0.4, "compare paper_world/en paper_world/fr": 1.0,
}  # fmt: skip


def write_both(clean: Path, mixed: Path, count: int) -> None:
    """An archive of clean games, and one with illegal games."""
    write_archive(clean, Games(72), count)
    some = Games(min(count, KINDS))
    some.texts = some.with_illegal()
    write_archive(mixed, some, count)


def archives(folder: Path, count: int, rounds: int) -> None:
    """An archive with illegal games, under the wrong edition and with a row for each game, beside the clean one."""
    clean, mixed, rows = folder / "clean.jsonl", folder / "mixed.jsonl", folder / "rows.jsonl"
    # In a new process: what this one holds would count as memory of the commands that it starts.
    writing = get_context("spawn").Process(target=write_both, args=(clean, mixed, count))
    writing.start()
    writing.join()
    if writing.exitcode:
        raise SystemExit(1)
    wrong = ("check", clean, "--rules", "paper_world/en")
    commands: dict[str, tuple[str | Path, ...]] = {
        "5 % illegal": ("check", mixed),
        "5 % illegal, concise": ("check", mixed, "-f", "concise"),
        "under the wrong edition": wrong,
        "a row for each game": ("check", clean, "--results", rows, "--force"),
    }
    one = ("--jobs", "1")
    works = [("check", clean, *one), *((*words, *one) for words in commands.values())]
    plain, *found = best_of(rounds, [lambda words=words: run_pwtool(*words) for words in works])  # type: ignore[misc]
    table = Table(f"Archives of {count:,} games")
    table.value(f"all clean, {plain.megabytes:.0f} MB", rate(count, plain.cpu, "games"))
    least = {"5 % illegal": 0.5, "5 % illegal, concise": 0.5, "a row for each game": 1 / 1.3}
    for (name, words), one_run in zip(commands.items(), found, strict=True):
        ratio, shown = plain.cpu / one_run.cpu, rate(count, one_run.cpu, "games")
        table.ratio(f"{name}, {one_run.megabytes:.0f} MB", shown, ratio, "all clean", least=least.get(name))
        if words == wrong:
            each = one_run.cpu * 100_000 / count
            table.ratio("the same, for 100,000 games", f"{each:.1f} s", each / 60, "60 s", most=1)
    table.print()
    for path in (clean, mixed, rows):
        path.unlink()


def start(folder: Path, rounds: int) -> None:
    """One recorded game, beside a Python that does nothing: with the rules in the cache, and with an empty cache."""

    def cold() -> Finished:
        with tempfile.TemporaryDirectory(dir=folder) as empty:
            return run_pwtool("check", RECORD, cache=Path(empty))

    works = {
        "python -c pass": lambda: run([sys.executable, "-c", "pass"]),
        "pwtool check, rules in the cache": lambda: run_pwtool("check", RECORD, cache=folder),
        "pwtool check, empty cache": cold,
    }
    run_pwtool("check", RECORD, cache=folder)
    bare, warm, first = best_of(rounds, [*works.values()])
    table = Table("One game")
    table.value("python -c pass", milliseconds(bare.cpu))
    for name, found, most in zip([*works][1:], (warm, first), (6, 15), strict=True):
        table.ratio(name, milliseconds(found.cpu), found.cpu / bare.cpu, "bare Python", most=most)
    table.print()


def commands(folder: Path, rounds: int) -> None:
    """Other commands, with the rules in the cache."""

    def changed() -> Finished:
        # Nothing is known of rulesets that were clean before.
        shutil.rmtree(folder / "pwtool" / "lint", ignore_errors=True)
        return run_pwtool("lint", "paper_world/en", cache=folder)

    works: list[Callable[[], Finished]] = [changed]
    for words in COMMANDS:
        works.append(lambda words=words: run_pwtool(*words.split(), cache=folder))  # type: ignore[misc]
        works[-1]()
    table = Table("Commands")
    again, *unchanged = best_of(rounds, works)
    for (words, most), found in zip(COMMANDS.items(), unchanged, strict=True):
        shown = words.replace(str(RECORD), "").strip()
        table.ratio(f"pwtool {shown}", milliseconds(found.cpu), found.cpu / most, f"{most} s", most=1)
    table.value("pwtool lint paper_world/en, after a change", milliseconds(again.cpu))
    table.print()


def analyze(folder: Path, rounds: int) -> None:
    """Everything that is proved about thirty rich objectives."""
    (found,) = best_of(rounds, [lambda: run_pwtool("analyze", THIRTY, cache=folder)])
    table = Table("analyze")
    table.ratio("thirty objectives, CPU time", f"{found.cpu:.1f} s", found.cpu / 5, "5 s", most=1)
    table.ratio("thirty objectives, memory", f"{found.megabytes:.0f} MB", found.megabytes / 300, "300 MB", most=1)
    table.print()


def compare(folder: Path, rounds: int) -> None:
    """Two games whose setups differ: proofs, and random games of both."""
    (found,) = best_of(rounds, [lambda: run_pwtool("compare", "chess", "chess+chess960", cache=folder)])
    table = Table("compare")
    table.ratio("chess and chess960", f"{found.cpu:.1f} s", found.cpu / 8, "8 s", most=1)
    table.print()


def learn(folder: Path, count: int) -> None:
    """Games of a house, of which one in twenty lacks an action, and what is learned from them."""
    table = Table(f"Learning from {count:,} games")
    for base, change in HOUSES.items():
        house, games = folder / "house.rules", folder / "house.jsonl"
        house.write_text(f'edition house of {base} "House"\n{change}\n', "utf-8")
        run_pwtool("play", house, "--games", str(count), "--seed", "1", "-o", games, "--force")
        records = [json.loads(line) for line in games.read_text("utf-8").splitlines()]
        for record in records[::20]:
            next(turn for turn in reversed(record["turns"]) if turn["actions"])["actions"].pop()
        games.write_text("".join(json.dumps({**record, "ruleset": base}) + "\n" for record in records), "utf-8")
        found = run_pwtool("learn", games, "--quick", "-o", folder / "learned.rules", "--force", cache=folder)
        seconds = found.cpu * 1000 / count
        table.ratio(f"{base}, {found.megabytes:.0f} MB", f"{found.cpu:.1f} s", seconds / 60, "60 s", most=1)
    table.print()


def play(folder: Path, rounds: int, games: int) -> None:
    """Connect Four at random: by a kernel, and by a short program in C that keeps no record."""
    table = Table("Connect Four at random")
    compiler = shutil.which("cc")
    if compiler is None or find_spec("wasmtime") is None:
        table.missing("simple C")
        table.print()
        return
    from random_play import SLICES, Playing

    from pwtool.records.ruleset_store import RulesetStore
    from pwtool.rules.library import Library

    program = folder / "connect_four"
    subprocess.run([compiler, "-O2", ROOT / "benchmarks" / "connect_four.c", "-o", program], check=True)
    book = RulesetStore(Library()).get("connect_four").value
    assert book is not None
    kernel, each = Playing(book, 2), games // SLICES
    simple = [lambda: run([str(program), str(10 * each)])] * SLICES
    slices = [lambda seed=seed: kernel.play(seed, each) for seed in range(0, each * SLICES, each)]
    best = best_seconds({"C": simple, "kernel": slices}, rounds)
    speeds = {"C": 10 * each * SLICES / best["C"], "kernel": each * SLICES / best["kernel"]}
    table.value("simple C", rate(speeds["C"], 1, "games"))
    ratio = speeds["kernel"] / speeds["C"]
    table.ratio("kernel, recorded and scored", rate(speeds["kernel"], 1, "games"), ratio, "simple C", least=1 / 6)
    table.print()


def main() -> None:
    """Run all parts and print their tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="one of the parts")
    parser.add_argument("--games", type=int, default=100_000, help="how many games the archives have (100,000)")
    parser.add_argument(
        "--rounds", type=int, default=3, help="how often archives are checked (3); short ones more often"
    )
    parser.add_argument("--quick", action="store_true", help="once, few games: only whether it works")
    options = parser.parse_args()
    games, rounds = (QUICK, 1) if options.quick else (max(1_000, options.games), max(1, options.rounds))
    more = 1 if options.quick else 5 * rounds
    if hasattr(os, "sched_setaffinity"):
        # One core, also for what compiles modules with threads.
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    compileall.compile_dir(ROOT / "pwtool", quiet=1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Archives first: what this process holds later on would count as memory of the commands that it starts.
        parts: dict[str, Callable[[], None]] = {
            "archives": lambda: archives(folder, games, rounds),
            "start": lambda: start(folder, more),
            "commands": lambda: commands(folder, more),
            "analyze": lambda: analyze(folder, rounds),
            "compare": lambda: compare(folder, rounds),
            "learn": lambda: learn(folder, 100 if options.quick else 1_000),
            "play": lambda: play(folder, more, 2_000 if options.quick else 50_000),
        }
        for part in [options.only] if options.only else parts:
            parts[part]()


if __name__ == "__main__":
    main()
