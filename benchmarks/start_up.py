"""How long one whole command takes, beside a Python that does nothing.

    python benchmarks/start_up.py [--rounds N] [--quick]

Checks one recorded game with the rules in the cache, and with an empty cache as at the very first start; then other
commands that people wait for. Everything is measured in turn: compare the ratios, not the numbers of different machines.
README.md says what each line means.
"""

from __future__ import annotations

import argparse
import compileall
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from measuring import ROOT, Table, milliseconds

# Each with the most seconds that it should take on the machine of README.md.
OTHERS = {
    "--version": 0.12, "--help": 0.12, "check --help": 0.12, "lint paper_world/en": 0.35, "analyze paper_world/en": 0.4,
    "replay --html": 0.4, "compare paper_world/en paper_world/fr": 1.0,
}  # fmt: skip
RECORD = ROOT / "examples" / "records" / "clean.json"


def timed(command: list[str], cache: str) -> float:
    """Seconds that a command takes with its caches in a folder."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PWTOOL_")}
    environment["XDG_CACHE_HOME"] = cache
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, check=False, cwd=ROOT)
    seconds = perf_counter() - start
    if done.returncode not in (0, 1):
        raise SystemExit(done.stdout.decode() + done.stderr.decode())
    return seconds


def main() -> None:
    """Run all measurements and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20, help="how often everything is measured (20)")
    parser.add_argument("--quick", action="store_true", help="once: only whether it works")
    options = parser.parse_args()
    rounds = 1 if options.quick else max(1, options.rounds)
    script = Path(sys.executable).with_name("pwtool")
    pwtool = [str(script)] if script.exists() else [sys.executable, "-m", "pwtool"]
    check = [*pwtool, "check", str(RECORD)]
    bare = [sys.executable, "-c", "pass"]
    times: dict[str, list[float]] = {"bare": [], "warm": [], "cold": []}
    others = {
        words: [*pwtool, *words.split(), *([str(RECORD)] if words.startswith("replay") else [])] for words in OTHERS
    }
    times |= {words: [] for words in OTHERS}
    compileall.compile_dir(ROOT / "pwtool", quiet=1)
    with tempfile.TemporaryDirectory() as warm:
        timed(bare, warm)
        timed(check, warm)
        for _ in range(rounds):
            times["bare"].append(timed(bare, warm))
            times["warm"].append(timed(check, warm))
            with tempfile.TemporaryDirectory() as cold:
                times["cold"].append(timed(check, cold))
        for _ in range(1 if options.quick else max(2, rounds // 5)):
            for words, command in others.items():
                times[words].append(timed(command, warm))
    table = Table("Start-up")
    best = {name: min(found) for name, found in times.items()}
    shown = {name: f"{milliseconds(min(t))} (median {milliseconds(median(t))})" for name, t in times.items()}
    table.value("python -c pass", shown["bare"])
    table.ratio("pwtool check, rules in the cache", shown["warm"], best["warm"] / best["bare"], "bare Python", most=8)
    table.ratio("pwtool check, empty cache", shown["cold"], best["cold"] / best["warm"], "warm", most=3)
    for words, most in OTHERS.items():
        table.ratio(f"pwtool {words}", shown[words], best[words] / most, f"{most} s", most=1)
    table.print()


if __name__ == "__main__":
    main()
