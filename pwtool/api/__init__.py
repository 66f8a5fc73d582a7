"""The public interface: everything that `pwtool` exports is defined here, and nothing else is public."""

from pwtool.api.actions import Action
from pwtool.api.comparing import Comparison, compare
from pwtool.api.games import Game, Position
from pwtool.api.learning import LearnedRules, learn
from pwtool.api.rules import (
    Objective,
    RecordError,
    Rules,
    RulesError,
    check,
    check_many,
    load,
    replay,
    rulesets,
)
from pwtool.api.stepping import END, Stepper
from pwtool.api.verdicts import Finding, Result, Verdict
from pwtool.comparing.evidence import Contradiction
from pwtool.comparing.row import Row
from pwtool.eval.work import TooMuchWork
from pwtool.play.selfplay import Endless, NoSetup, OutOfBounds

__all__ = [
    "END",
    "Action",
    "Comparison",
    "Contradiction",
    "Endless",
    "Finding",
    "Game",
    "LearnedRules",
    "NoSetup",
    "Objective",
    "OutOfBounds",
    "Position",
    "RecordError",
    "Result",
    "Row",
    "Rules",
    "RulesError",
    "Stepper",
    "TooMuchWork",
    "Verdict",
    "check",
    "check_many",
    "compare",
    "learn",
    "load",
    "replay",
    "rulesets",
]
