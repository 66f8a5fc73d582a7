"""How one ruleset settles a point that another leaves open, in terms of the other's readings."""

from __future__ import annotations

from msgspec.structs import replace

from pwtool.lang import tree as n
from pwtool.lang.merged import Key, Merged
from pwtool.rules.overlays import apply_layer


def chosen_reading(open_in: Merged, point: n.Ambiguity, other: Merged) -> n.Alternative | None:
    """The alternative whose rules the other ruleset has; None if it has none of them."""
    for alternative in point.alternatives:
        changed = _changed(open_in, alternative)
        if changed and all(_same(node, other.items.get(key)) for key, node in changed.items()):
            return alternative
    return None


def keeps_reading(open_in: Merged, point: n.Ambiguity, other: Merged) -> bool:
    """Whether the other ruleset has everything that alternatives would change in the form of the first one."""
    touched = {key for alternative in point.alternatives for key in _changed(open_in, alternative)}
    return all(_same(open_in.items.get(key), other.items.get(key)) for key in touched)


def _changed(merged: Merged, alternative: n.Alternative) -> dict[Key, n.Node | None]:
    """The items that an alternative changes, in their new form; None for those it removes."""
    trial = Merged(items=dict(merged.items), history={key: [*steps] for key, steps in merged.history.items()})
    apply_layer(trial, alternative.declarations, "reading")
    keys = trial.items.keys() | merged.items.keys()
    return {key: trial.items.get(key) for key in keys if trial.items.get(key) != merged.items.get(key)}


def _same(a: n.Node | None, b: n.Node | None) -> bool:
    """Whether two items decide the same, apart from words and citations."""
    return a is b or (a is not None and b is not None and type(a) is type(b) and _bare(a) == _bare(b))


def _bare(node: n.Node) -> n.Node:
    silent = {"text": "", "sees": ()}
    return replace(node, **{name: value for name, value in silent.items() if name in n.fields(node)})
