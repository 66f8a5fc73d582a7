"""Running the examples of a ruleset within a budget of steps: rules that are too expensive are reported instead of
waited for.
"""

from __future__ import annotations

from collections.abc import Iterable

from pwtool.eval.work import MAX_WORK, TooMuchWork
from pwtool.lang import tree as n
from pwtool.play.game import Game
from pwtool.text import Diagnostic
from pwtool.why.examples import Failed, failed_examples

EACH = 100
"""The steps that each outcome adds to the budget."""


def run_examples(game: Game, examples: Iterable[n.Example] | None = None) -> tuple[list[Failed], Diagnostic | None]:
    """The examples of the ruleset (or of these) that fail, and a finding if running all of them takes too many steps;
    it names the one that took the most.
    """
    wanted = list(game.ruleset.merged.examples if examples is None else examples)
    steps = MAX_WORK + EACH * sum(len(example.outcomes) for example in wanted)
    failed: list[Failed] = []
    dearest, most = None, -1
    with game.work.limited(steps):
        for number, example in enumerate(wanted):
            before = game.work.left
            cut = False
            try:
                failed += failed_examples(game, [example])
            except TooMuchWork:
                cut = True
            if before - game.work.left > most:
                dearest, most = example, before - game.work.left
            if cut and dearest is not None:
                message = "the examples take more than {steps} steps; {left} of {all} were not run to their end, and the most, {most}, are for this one"
                help_line = "nest fewer loops in what is judged here, or loop over less"
                left = len(wanted) - number
                return failed, Diagnostic.of("PW416", message, dearest.span, help=help_line, steps=steps, left=left, all=len(wanted), most=most)  # fmt: skip
    return failed, None
