"""Open points and misprints: which other readings there are, which are settled by later layers, and those that are chosen."""

from __future__ import annotations

from msgspec import Struct

from pwtool.lang import tree as n
from pwtool.lang.merged import Key, Merged, Step
from pwtool.lang.merged import quoted as quoted_key
from pwtool.rules.content_hash import meaning
from pwtool.rules.overlays import apply_layer
from pwtool.text import Diagnostic, too_many
from pwtool.text.speech import Told
from pwtool.text.words import quoted

MAX_OPEN = 500


def printed_readings(merged: Merged) -> tuple[str, ...]:
    """The readings that follow every known misprint of a ruleset."""
    return tuple(f"{name}=printed" for kind, name in merged.items if kind == "erratum")


def readings_of(node: n.Node) -> list[tuple[str, tuple[n.Node, ...]]]:
    """The other readings of an open point or a misprint: the name of each and what it declares."""
    if isinstance(node, n.Ambiguity):
        return [(a.name.name, a.declarations) for a in node.alternatives]
    return [("printed", node.printed)] if isinstance(node, n.Erratum) else []


class _Trial(dict[Key, list[Step]]):
    """The history while a reading is tried: the history of an item is copied before it is changed."""

    def __init__(self, history: dict[Key, list[Step]]) -> None:
        super().__init__()
        self._history = history

    def __missing__(self, key: Key) -> list[Step]:
        steps = self[key] = list(self._history[key])
        return steps


def _try_reading(merged: Merged, declarations: tuple[n.Node, ...], advises: bool = True) -> Merged:
    trial = Merged(items=dict(merged.items), history=_Trial(merged.history), advises=advises)
    apply_layer(trial, declarations, "reading")
    return trial


class Decided(Struct, frozen=True):
    """How the layer that leaves a point open reads it: the items that its other readings change, as they are there."""

    point: n.Node
    layer: str
    items: dict[Key, n.Node | None]

    def is_restated(self, merged: Merged) -> bool:
        """Whether later layers have changed all of them, other words apart."""
        found = [(node, merged.items.get(key)) for key, node in self.items.items()]
        return bool(found) and all(
            now is not node and (now is None or meaning(now) != meaning(node)) for node, now in found
        )


def check_readings(merged: Merged, layer: str, decided: dict[Key, Decided]) -> None:
    """A reading that a layer offers has to be applicable there: the items in it exist, and it changes them. How the points are read
    is kept. A layer may have several files: what counts is what the last one leaves.
    """
    points = 0
    for key, node in merged.items.items():
        points += key[0] in ("ambiguity", "erratum")
        if points > MAX_OPEN:
            message = "the ruleset has more than {most} open points and misprints"
            merged.diagnostics.append(Diagnostic.of("PW308", message, node.span, most=MAX_OPEN))
            return
        known = decided.get(key)
        if known is not None and known.point is node:
            if known.layer == layer:
                decided[key] = Decided(node, layer, {k: merged.items.get(k) for k in known.items})
            continue
        changed: set[Key] = set()
        for name, declarations in readings_of(node):
            trial = _try_reading(merged, declarations)
            merged.diagnostics.extend(trial.diagnostics)
            changed |= trial.history.keys()
            if not declarations:
                message = "the reading `{name}` changes nothing"
                merged.diagnostics.append(Diagnostic.of("PW205", message, node.span, name=name))
        if readings_of(node):
            decided[key] = Decided(node, layer, {k: merged.items[k] for k in changed if k in merged.items})


def drop_settled(merged: Merged, decided: dict[Key, Decided]) -> None:
    """A point is settled if a later layer changed the items of its other readings to what one of them makes of them, or so that they
    no longer apply. If it says something else of all of them, its author has settled it, too: only the comparison keeps it, since
    other words may mean the same.
    """
    if too_many(merged.diagnostics) or any(d.code == "PW308" for d in merged.diagnostics):
        return
    for key, node in list(merged.items.items()):
        tried = (_try_reading(merged, declarations, False) for _, declarations in readings_of(node))
        if any(trial.diagnostics for trial in tried):
            del merged.items[key]
            merged.history[key].append(Step(merged.headers[-1].name.name, "settles", None, node, None))
        elif key in decided and decided[key].is_restated(merged):
            merged.restated.add(key)


def adopt_readings(merged: Merged, readings: tuple[str, ...]) -> None:
    """Apply the chosen readings, each `point=alternative` or `erratum=printed`."""
    points = [reading.partition("=")[0] for reading in readings]
    twice = [point for point in dict.fromkeys(points) if points.count(point) > 1]
    for point in twice:
        merged.diagnostics.append(Diagnostic.of("PW202", "the reading of `{name}` is chosen twice", None, name=point))
    if twice:
        return
    if len(readings) > 1:
        _check_together(merged, readings)
    for reading in readings:
        _adopt(merged, reading)


def _check_together(merged: Merged, readings: tuple[str, ...]) -> None:
    """Readings that are chosen together mean the same in any order."""
    one, other = (Merged(items=dict(merged.items), history=_Trial(merged.history), advises=False) for _ in range(2))
    for trial, order in ((one, readings), (other, readings[::-1])):
        for reading in order:
            _adopt(trial, reading)
    if one.diagnostics and other.diagnostics:
        # They are told when they are adopted.
        return
    pairs = ((key, one.items.get(key), other.items.get(key)) for key in one.items.keys() | other.items.keys())
    apart = sorted(k for k, a, b in pairs if a is not b and (a is None or b is None or meaning(a) != meaning(b)))
    if apart or one.diagnostics or other.diagnostics:
        message = "the readings {names} change the same and cannot be chosen together"
        help_line = Told("both change {items}", items=", ".join(map(quoted_key, apart))) if apart else None
        merged.diagnostics.append(Diagnostic.of("PW202", message, None, help=help_line, names=quoted(readings)))


def _adopt(merged: Merged, reading: str) -> None:
    point, _, choice = reading.partition("=")
    ambiguity = merged.items.get(("ambiguity", point))
    erratum = merged.items.get(("erratum", point))
    if isinstance(ambiguity, n.Ambiguity):
        for alternative in ambiguity.alternatives:
            if alternative.name.name == choice:
                apply_layer(merged, alternative.declarations, f"reading {reading}")
                return
        names = quoted(a.name.name for a in ambiguity.alternatives)
        merged.diagnostics.append(
            Diagnostic.of("PW201", Told("`{point}` has no reading `{name}`", point=point, name=choice), help=Told("known here: {names}", names=names))
        )  # fmt: skip
    elif isinstance(erratum, n.Erratum) and choice == "printed":
        apply_layer(merged, erratum.printed, f"reading {reading}")
    else:
        points = [name for kind, name in merged.items if kind in ("ambiguity", "erratum")]
        merged.diagnostics.append(
            Diagnostic.of(
                "PW201",
                Told("there is no {what} {name}", what=Told("open point"), name=f"`{point}`"),
                help=Told("known here: {names}", names=", ".join(points)) if points else None,
            )
        )
