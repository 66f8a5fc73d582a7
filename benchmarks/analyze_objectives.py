"""`pwtool analyze` of thirty rich objectives: the CPU time of all of it, of the objectives that take longest, and what it
would take to go through all that may be exchanged.

Usage: python benchmarks/analyze_objectives.py [--quick]
"""

from __future__ import annotations

import gc
import sys
from time import process_time

from measuring import ROOT, Table, milliseconds

from pwtool.boards.diagrams import TooLarge
from pwtool.boards.proofs import Analysis
from pwtool.boards.set_counts import SetCounts
from pwtool.boards.splitting import SplitBoards
from pwtool.boards.study import own_objectives, study_objectives
from pwtool.boards.symmetry import Symmetry
from pwtool.play.game import Game
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library

FILE = ROOT / "tests" / "boards" / "data" / "thirty.rules"
# Those of the thirty that are counted set by set and, with nothing exchanged, in less than a minute.
BESIDE = ("neighbours_differ", "exactly_two_ells", "islands")
NO_BOUND = 1 << 40


def main() -> None:
    quick = "--quick" in sys.argv[1:]
    # As the command does: what is made here stays until the end.
    gc.disable()
    start = process_time()
    ruleset = load_ruleset(str(FILE), Library()).value
    assert ruleset is not None
    game, names = Game(ruleset), own_objectives(ruleset, FILE)
    read = process_time() - start
    names = names[:5] if quick else names
    table = Table("objectives")
    table.value("rules read", milliseconds(read))
    start = process_time()
    study = study_objectives(game, names, [name for name in ruleset.objectives if name not in names])
    table.value(
        f"{len(study.studied)} of {len(names)} decided, with all relations", milliseconds(process_time() - start)
    )
    table.value("relations not decided", f"{sum(len(one.unrelated) for one in study.studied)} of {len(names) * 49}")

    analysis = Analysis(game, [one.name for one in study.studied if one.name in study.flat.roots])
    times = {}
    for name in analysis.roots:
        start = process_time()
        analysis.measure(name)
        times[name] = process_time() - start
    for name in sorted(times, key=lambda name: -times[name])[:5]:
        table.value(f"counted: {name}", milliseconds(times[name]))
    for name in () if quick else BESIDE:
        parts = analysis.circuit, analysis.encoding, analysis.space, analysis.roots[name]
        counts, seconds = [], []
        for symmetry in (analysis.symmetry(name), Symmetry()):
            start = process_time()
            try:
                counts.append(SetCounts(SplitBoards(*parts, symmetry, NO_BOUND), analysis.space.width).count())
            except TooLarge:
                break
            seconds.append(process_time() - start)
        if len(counts) == 2:
            assert counts[0] == counts[1]
            ratio = seconds[1] / seconds[0]
            table.ratio(f"with nothing exchanged: {name}", milliseconds(seconds[1]), ratio, "with")
    table.print()


if __name__ == "__main__":
    main()
