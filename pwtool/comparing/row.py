"""One item in which two rulesets differ."""

from __future__ import annotations

from dataclasses import dataclass

from pwtool.text.speech import Told

NATURES = ("semantic", "material", "setup", "position", "clarification", "erratum", "wording")
"""What a difference is about: which games are legal or who wins; the components; the start; which positions can arise; an open
point; a misprint; only the words.
"""

GROUPS = (NATURES[0], "undecided", *NATURES[1:])
"""What rows are told under: their natures, and play or result that could not be decided apart."""

ORDERS = frozenset((kind, "") for kind in ("setup", "consequence", "ending"))
"""The rows about the order in which items of a kind come; their texts are the names of these items."""


@dataclass(frozen=True, slots=True)
class Row:
    """One item of two rulesets.

    `status`: `reworded` (proven to mean the same), `no_effect` (different, and proven to make no difference in any game),
    `different`, `only_first`, `only_second` or `undecided`; `direction` of the second as seen from the first: `permissive`,
    `stricter`, `incomparable`, or "" if that makes no sense; `proof` says in words what was examined, `example` is a shortest
    turn or a board that shows the difference, `witness` names the files of games that show it, `without` says for which side
    there is none, proven or not found; `twin` is the name of the same item in the other ruleset.
    """

    kind: str
    name: str
    nature: str
    status: str
    direction: str
    first: str
    second: str
    proof: str = ""
    example: str = ""
    witness: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    twin: str = ""


def group_of(row: Row) -> str:
    """What a row is told under, one of `GROUPS`."""
    return "undecided" if row.nature == "semantic" and row.status == "undecided" else row.nature


def proven(*parts: str) -> str:
    """What was examined, one thing after the other; empty parts are left out."""
    found = [part for part in parts if part]
    return (
        found[0]
        if len(found) == 1
        else Told("{first}; {second}", first=found[0], second=proven(*found[1:]))
        if found
        else ""
    )


def sides_of(row: Row) -> tuple[int, ...]:
    """Which of the two rulesets, according to a row, accepts what the other refuses: 0 the first, 1 the second; if a row has no
    direction (`either_side`), one of them is enough.
    """
    if row.direction:
        return {"permissive": (1,), "stricter": (0,)}.get(row.direction, (0, 1))
    return {"only_first": (0,), "only_second": (1,)}.get(row.status, (0, 1))


def either_side(row: Row) -> bool:
    """Whether one witness is enough for a row: if a result differs, it differs from either side."""
    return not row.direction or row.kind == "ending"
