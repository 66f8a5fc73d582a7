"""Sums over the faces of things: however they are written, they are compared by what each face contributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import gcd

from pwtool.comparing.forms import Linear, NormalForm
from pwtool.ir import nodes as ir
from pwtool.ir.model import Ruleset

Typed = Callable[[NormalForm, int, int], NormalForm]
"""Notes the bounds of a new number and returns the number."""


def tally(worth: Mapping[str, int], depth: int, domain: NormalForm) -> NormalForm:
    """The sum of the values that faces (by code) have, over things. `depth`: the number of enclosing loops."""
    return ("Tally", (depth, *sorted(worth.items())), domain)


def attribute_worth(expr: ir.Attributes, ruleset: Ruleset) -> dict[str, int] | None:
    """What each face contributes to the sum of an attribute; None if some faces lack it."""
    component = ruleset.components[expr.component]
    table = component.attributes[expr.name].table
    worth = {code: table[at] for at, code in enumerate(component.codes)}
    return worth if all(type(value) is int for value in worth.values()) else None


def gathered(value: Linear, codes_of: Callable[[NormalForm], list[str] | None], typed: Typed) -> Linear:
    """A number in which the counts of the same things are put together: as the number of things, the number with some faces, or, if
    faces have more than two different values, as a tally. `codes_of` gives the codes of what a collection can contain.
    """
    constant, terms = value
    groups: dict[NormalForm, list[NormalForm]] = {}
    for term in terms:
        if _is_counted(term) and codes_of(term[2]) is not None:
            groups.setdefault(term[2], []).append(term)
    for domain, counted in groups.items():
        depth = next((_depth(term) for term in counted if term[0] != "Count"), None)
        codes = codes_of(domain)
        if depth is None or codes is None or (len(counted) == 1 and counted[0][0] != "Tally"):
            continue
        worth = dict.fromkeys(sorted(codes), 0)
        for term in counted:
            each = _worth(term, worth)
            worth = {code: held + terms[term] * each[code] for code, held in worth.items()}
        kept = {term: factor for term, factor in terms.items() if term not in counted}
        terms = kept | _written(worth, depth, domain, typed)
    return constant, terms


def _is_counted(term: NormalForm) -> bool:
    if term[0] == "CountWhere":
        return bool(term[3][0] == "Faces" and term[3][2][0] == "bound")
    return term[0] in ("Count", "Tally")


def _depth(term: NormalForm) -> int:
    depth = term[3][2][1] if term[0] == "CountWhere" else term[1][0]
    assert isinstance(depth, int)
    return depth


def _worth(term: NormalForm, codes: Mapping[str, int]) -> dict[str, int]:
    """The value of each face."""
    if term[0] == "Tally":
        return dict(term[1][1:])
    listed = codes if term[0] == "Count" else term[3][1]
    return {code: int(code in listed) for code in codes}


def _written(worth: Mapping[str, int], depth: int, domain: NormalForm, typed: Typed) -> dict[NormalForm, int]:
    """The terms that give the value of each face, in a unique form."""
    values = [*dict.fromkeys(worth.values())]
    found: dict[NormalForm, int] = {}
    if len(values) > 2:
        shared = gcd(*worth.values()) * (1 if next(v for v in worth.values() if v) > 0 else -1)
        parts = {code: value // shared for code, value in worth.items()}
        low, high = (0 if bound(parts.values()) * sign <= 0 else sign for bound, sign in ((min, -1), (max, 1)))
        return {typed(tally(parts, depth, domain), low, high): shared}
    if values[0]:
        found[typed(("Count", (), domain), 0, 1)] = values[0]
    if len(values) == 2:
        listed = tuple(code for code, value in worth.items() if value != values[0])
        counted = ("CountWhere", (), domain, ("Faces", listed, ("bound", depth)))
        found[typed(counted, 0, 1)] = values[1] - values[0]
    return found
