"""The locals of a form: bound and free ones, and substitution."""

from __future__ import annotations

from collections.abc import Mapping

from pwtool.kernel import form as f
from pwtool.kernel.form import Form

BINDING = f.Let | f.Where | f.Around | f.Any_ | f.AtLeast | f.Separate | f.Count | f.Sum | f.First
"""Operations that bind the local `slot` while their body is computed."""


def locals_of(x: Form) -> set[int]:
    """All locals that a form reads."""
    return {part.slot for part in f.walk(x) if isinstance(part, f.Local)}


def free_of(x: Form) -> set[int]:
    """The locals that a form reads but does not bind."""
    if isinstance(x, f.Local):
        return {x.slot}
    if not isinstance(x, BINDING):
        return set().union(*map(free_of, f.parts(x)))
    body = set() if x.body is None else free_of(x.body) - {x.slot}
    return body.union(*(free_of(part) for part in f.parts(x) if part is not x.body))


def replaced(x: Form, slot: int, value: Form) -> Form:
    """A form with a value substituted for a local."""
    if isinstance(x, f.Local):
        return value if x.slot == slot else x
    return f.rebuilt(x, lambda part: replaced(part, slot, value))


def with_values(x: Form, values: Mapping[int, Form]) -> Form:
    """A form with the values of locals substituted, unless something in it binds the same local."""
    inside = {part.slot for part in f.walk(x) if isinstance(part, BINDING)}
    for slot in sorted(free_of(x) & values.keys(), reverse=True):
        if not free_of(values[slot]) & inside:
            x = with_values(replaced(x, slot, values[slot]), {s: value for s, value in values.items() if s != slot})
    return x
