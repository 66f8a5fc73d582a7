"""Check recorded board games against their rules, compare editions, and design objectives.

The names exported here are stable and documented in `docs/api.md`; everything else is private. They are imported on
first use, so that the command line starts fast.
"""

# mypy reads the names from `pwtool.api`, where they are listed again.
# ruff: noqa: F405

from __future__ import annotations

# As `typing` has it, which takes so long to import that Ctrl-C may come in between, before anybody catches it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pwtool.api import *  # noqa: F403

__version__ = "0.1.0"

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
    "__version__",
    "check",
    "check_many",
    "compare",
    "learn",
    "load",
    "replay",
    "rulesets",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'pwtool' has no attribute {name!r}")
    from pwtool import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted(__all__)
