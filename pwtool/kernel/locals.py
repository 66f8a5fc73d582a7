"""The locals of a form: which ones it binds itself, which come from outside, and substitutions."""

from __future__ import annotations

from collections.abc import Mapping

from pwtool.kernel import form as f
from pwtool.kernel.form import Form

BINDING = f.Let | f.Where | f.Around | f.Any_ | f.AtLeast | f.Separate | f.Count | f.Sum | f.First
"""What gives its local `slot` values while its body is computed."""


def locals_of(x: Form) -> set[int]:
    """All that are asked for."""
    return {part.slot for part in f.walk(x) if isinstance(part, f.Local)}


def free_of(x: Form) -> set[int]:
    """Those that get their values outside of a form."""
    if isinstance(x, f.Local):
        return {x.slot}
    if not isinstance(x, BINDING):
        return set().union(*map(free_of, f.parts(x)))
    body = set() if x.body is None else free_of(x.body) - {x.slot}
    return body.union(*(free_of(part) for part in f.parts(x) if part is not x.body))


def replaced(x: Form, slot: int, value: Form) -> Form:
    """A form with a value in the place of a local."""
    if isinstance(x, f.Local):
        return value if x.slot == slot else x
    return f.rebuilt(x, lambda part: replaced(part, slot, value))


def with_values(x: Form, values: Mapping[int, Form]) -> Form:
    """A form with what locals stand for in their places, as far as nothing in it has the same local."""
    inside = {part.slot for part in f.walk(x) if isinstance(part, BINDING)}
    for slot in sorted(free_of(x) & values.keys(), reverse=True):
        if not free_of(values[slot]) & inside:
            x = with_values(replaced(x, slot, values[slot]), {s: value for s, value in values.items() if s != slot})
    return x
