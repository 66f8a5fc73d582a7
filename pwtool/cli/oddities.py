"""What `pwtool lint` and `pwtool test` tell of random games of the rulesets that they examine."""

from __future__ import annotations

from pwtool.cli.streams import show_progress
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.targets import Target
from pwtool.simulating.oddities import find_oddities, subject_of
from pwtool.text import Diagnostic


def oddities_of(target: Target, ruleset_store: RulesetStore) -> list[Diagnostic]:
    """Notes about what random games of a ruleset show; none if it cannot be loaded."""
    subject = subject_of(target, ruleset_store)
    if subject is None:
        return []
    show_progress(f"playing {target.name}")
    return find_oddities(subject)
