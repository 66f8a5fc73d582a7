"""Operations on normal forms of any kind: joining and negating conditions, adding numbers, sorting collections."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

NormalForm = tuple[Any, ...]
"""The name of an operation, the values of its other fields, and the forms of its operands; or what a local stands for."""
Linear = tuple[int, dict[NormalForm, int]]
"""A constant and terms with their factors."""

TRUE: NormalForm = ("Const", ("bool", True))
FALSE: NormalForm = ("Const", ("bool", False))
NOTHING: NormalForm = ("Const", ("nothing", None))


ELSEWHERE = ("Variable", "Can", "After", "Fulfils", "Total", "Repeats")
"""Operations whose value depends on other items, which may differ: effects, rules, objectives, scores."""


def negated(form: NormalForm) -> NormalForm:
    """The form of the negation."""
    if form[0] == "Not":
        inner: NormalForm = form[2]
        return inner
    if form in (TRUE, FALSE):
        return FALSE if form == TRUE else TRUE
    return ("Not", (), form)


def all_of(forms: Iterable[NormalForm]) -> NormalForm:
    """The form of the conjunction of these conditions."""
    parts: dict[NormalForm, None] = {}
    for form in forms:
        parts |= dict.fromkeys(form[2:] if form[0] == "And" else (form,))
    parts.pop(TRUE, None)
    kept = [p for p in parts if not any(_implied(p, q) for q in parts if q != p)]
    if FALSE in parts or any(_contrary(p, q) for p in kept for q in kept):
        return FALSE
    return TRUE if not kept else kept[0] if len(kept) == 1 else ("And", (), *ordered(kept))


def any_of(forms: Iterable[NormalForm]) -> NormalForm:
    """The form of the disjunction of these conditions."""
    return negated(all_of(negated(form) for form in forms))


def _bound(form: NormalForm) -> tuple[NormalForm, int, bool] | None:
    """A bound of a sum: the sum, the number that it is below, and whether the bound is negated."""
    inner = form[2] if form[0] == "Not" else form
    if inner[0] != "Below":
        return None
    return (inner[1][1:], *inner[2:]), -inner[1][0], inner is not form


def _implied(form: NormalForm, by: NormalForm) -> bool:
    """Whether a bound follows from another one of the same sum."""
    ours, theirs = _bound(form), _bound(by)
    if ours is None or theirs is None or ours[0] != theirs[0] or ours[2] != theirs[2]:
        return False
    return theirs[1] < ours[1] if not ours[2] else theirs[1] > ours[1]


def _contrary(a: NormalForm, b: NormalForm) -> bool:
    if a == negated(b):
        return True
    ours, theirs = _bound(a), _bound(b)
    if ours is None or theirs is None or ours[0] != theirs[0]:
        return False
    # Below one number, and not below that or a greater one.
    return not ours[2] and theirs[2] and theirs[1] >= ours[1]


def contains(form: NormalForm, *names: str) -> bool:
    """Whether there is an operation of one of these names in a form."""
    return form[0] in names or any(contains(part, *names) for part in form[2:])


def mentions(form: NormalForm, part: NormalForm) -> bool:
    """Whether a form is another one or contains it."""
    return form == part or any(mentions(inner, part) for inner in form[2:])


def add(a: Linear, b: Linear) -> Linear:
    """The sum of two numbers."""
    terms = {t: a[1].get(t, 0) + b[1].get(t, 0) for t in {**a[1], **b[1]}}
    return (a[0] + b[0], {t: f for t, f in terms.items() if f})


def scaled(a: Linear, factor: int) -> Linear:
    """A number multiplied by a factor."""
    return (a[0] * factor, {t: f * factor for t, f in a[1].items() if factor})


def subtract(a: Linear, b: Linear) -> Linear:
    """The difference of two numbers."""
    return add(a, scaled(b, -1))


def ordered(parts: Iterable[NormalForm]) -> list[NormalForm]:
    """Parts whose order makes no difference, in a fixed order."""
    return sorted(parts, key=repr)


def joined(parts: list[NormalForm]) -> list[NormalForm]:
    """The parts of joined collections, including those of nested ones."""
    return [inner for part in parts for inner in (part[2:] if part[0] == "Concat" else (part,))]


def as_bag(form: NormalForm) -> NormalForm:
    """A collection whose order makes no difference."""
    return ("Concat", (), *ordered(form[2:])) if form[0] == "Concat" else form
