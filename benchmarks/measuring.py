"""What the benchmarks share: measuring several things side by side, and the table of what came out."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

Slice = Callable[[], object]
NOT_INSTALLED = "not installed"


def best_seconds(works: Mapping[str, Sequence[Slice]], rounds: int) -> dict[str, float]:
    """The seconds that each of these works takes, in slices.

    In every round the slices of all works are run in turn, each work spread over the whole round. Of each slice the
    best time of all rounds counts: whatever else the machine does meanwhile hits all works alike, and is left out.
    """
    order = sorted(((at + 0.5) / len(slices), name, at) for name, slices in works.items() for at in range(len(slices)))
    best = {(name, at): float("inf") for _, name, at in order}
    for _ in range(rounds):
        for _, name, at in order:
            start = perf_counter()
            works[name][at]()
            best[name, at] = min(best[name, at], perf_counter() - start)
    return {name: sum(best[name, at] for at in range(len(slices))) for name, slices in works.items()}


@dataclass(frozen=True, slots=True)
class Finished:
    """What a command took: seconds of the clock and of the processor, and the most MB that any of its processes held."""

    seconds: float
    cpu: float
    megabytes: float


def run(command: Sequence[str], cache: Path | None = None) -> Finished:
    """Run a command, with its caches in a folder if one is given. Exit codes 0 and 1 are as they should be."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PWTOOL_")}
    environment["PYTHONPATH"] = str(ROOT)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if cache is not None:
        environment["XDG_CACHE_HOME"] = str(cache)
    begun = perf_counter()
    process = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    # On macOS in bytes, elsewhere in kB.
    megabytes = usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    return Finished(seconds, usage.ru_utime + usage.ru_stime, megabytes)


def run_pwtool(*words: str | Path, cache: Path | None = None) -> Finished:
    """Run a command of pwtool as the installed script does."""
    return run([sys.executable, "-c", "from pwtool.cli import main; main()", *map(str, words)], cache)


def best_of(rounds: int, works: Sequence[Callable[[], Finished]]) -> list[Finished]:
    """The best times of each of these, and the most memory; they are run in turn."""
    found = [[work() for work in works] for _ in range(rounds)]
    return [
        Finished(min(one.seconds for one in of), min(one.cpu for one in of), max(one.megabytes for one in of))
        for of in zip(*found, strict=True)
    ]


@dataclass(slots=True)
class Table:
    """One line per measurement, with the ratio to something measured in the same run and the target for it."""

    title: str
    rows: list[tuple[str, str, str, str, str]] = field(default_factory=list)

    def value(self, name: str, value: str) -> None:
        """A measurement without a target."""
        self.rows.append((name, value, "", "", ""))

    def ratio(
        self, name: str, value: str, ratio: float, to: str, least: float | None = None, most: float | None = None
    ) -> None:
        """A measurement, how many times that of `to` it is, and its lower or upper target."""
        target, met = "", ""
        if least is not None:
            target, met = f"at least {least:g}", "met" if ratio >= least else "NOT MET"
        if most is not None:
            target, met = f"at most {most:g}", "met" if ratio <= most else "NOT MET"
        shown = f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"
        self.rows.append((name, value, f"{shown} x {to}", target, met))

    def share(self, name: str, value: str, most: float, share: float) -> None:
        """A share of all games in percent, and its upper target."""
        met = "met" if share <= most else "NOT MET"
        self.rows.append((name, value, f"{share:.2g} %", f"at most {most:g} %", met))

    def missing(self, name: str) -> None:
        """Something that cannot be measured here."""
        self.value(name, NOT_INSTALLED)

    def print(self) -> None:
        """Print the table, its columns aligned; numbers to the right."""
        head = (self.title, "value", "ratio", "target", "")
        widths = [max(len(row[at]) for row in (head, *self.rows)) for at in range(5)]
        for row in (head, *self.rows):
            name, value, ratio, target, met = (part.ljust(width) for part, width in zip(row, widths, strict=True))
            print(f"{name}  {value.strip().rjust(widths[1])}  {ratio}  {target}  {met}".rstrip())
        print(flush=True)


def rate(count: float, seconds: float, unit: str) -> str:
    """So many in so many seconds, as text."""
    return f"{count / seconds:,.0f} {unit}/s"


def milliseconds(seconds: float) -> str:
    """A time as text."""
    return f"{seconds * 1000:.1f} ms" if seconds < 0.01 else f"{seconds * 1000:.0f} ms"
