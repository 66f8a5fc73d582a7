"""What a ruleset declares and nothing uses: an overlay may leave it over in the files that it builds on."""

from __future__ import annotations

from pwtool.lang import tree as n
from pwtool.lang.merged import Merged
from pwtool.rules.check.scope import Declared


def forget_unused(merged: Merged, declared: Declared) -> None:
    """Whoever writes an overlay cannot change the files below it: what the overlay leaves unused there and holds nothing in
    play may be wrong by now.
    """
    idle = [
        item.span
        for key, item in merged.items.items()
        if key[0] in ("deck", "shape") and key not in declared.used and not declared.is_own(item.span)
    ]
    declared.diagnostics = [d for d in declared.diagnostics if not any(span.holds(d.span) for span in idle)]


def check_placed(merged: Merged, declared: Declared) -> None:
    """Actions that nobody can do. Only said of rules without an error, which may be what leaves them out."""
    for action in merged.items.values():
        if isinstance(action, n.Action) and ("action", action.name.name) not in declared.used:
            message = "action `{name}` has no place in the order of play"
            declared.warn("PW401", message, action.name.span, "remove it: `remove action {name}`", name=action.name.name)  # fmt: skip
