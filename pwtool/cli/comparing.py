"""`pwtool compare` and `pwtool which`."""

from __future__ import annotations

import json
from dataclasses import asdict

from pwtool.analysis.comparison.rows import NATURES, Row, compare_rulesets, shared_items
from pwtool.cli.common import fail, open_shelf, print_diagnostics, print_lines
from pwtool.formats.shelf import Rulebook

_HEADINGS = {
    "semantic": "What changes play or result", "material": "Material", "setup": "Setup", "position": "Which positions can arise",
    "clarification": "Open points that only one leaves open", "erratum": "Misprints", "wording": "Only worded otherwise",
}  # fmt: skip
_WORDS = {
    "reworded": "the same in other words", "different": "different", "only_first": "only in the first",
    "only_second": "only in the second", "undecided": "not decided",
}  # fmt: skip


def run_compare(addresses: list[str], readings: list[str], as_json: bool) -> int:
    """Print in what two rulesets differ; 0 when they mean the same, 1 when not, 3 when something is not decided."""
    if len(addresses) != 2:
        fail("two rulesets are compared", "name them: `pwtool compare GAME/EDITION GAME/OTHER`")
    books: list[Rulebook] = []
    # Readings change what the second ruleset says: `compare fr fr --reading ...` shows what a reading changes.
    for address, chosen in zip(addresses, ([], readings), strict=True):
        found = open_shelf(chosen).get(address)
        if found.value is None:
            print_diagnostics(found.diagnostics)
            return 2
        books.append(found.value)
    first, second = (b.game for b in books)
    rows = compare_rulesets(first, second)
    if as_json:
        print(
            json.dumps(
                {"first": addresses[0], "second": addresses[1], "rows": [asdict(r) for r in rows]},
                indent=2,
                ensure_ascii=False,
            )
        )
    else:
        print_lines(_lines(rows, addresses, shared_items(first, second)))
    real = [r for r in rows if r.nature in ("semantic", "material", "setup", "position")]
    if any(r.status != "undecided" for r in real):
        return 1
    return 3 if real else 0


def _lines(rows: list[Row], addresses: list[str], shared: int) -> list[str]:
    lines = [f"first   {addresses[0]}", f"second  {addresses[1]}"]
    for nature in NATURES:
        found = [r for r in rows if r.nature == nature]
        if found:
            lines += ["", _HEADINGS[nature]]
        for row in found:
            lines += _row_lines(row)
    differing = sum(r.nature == "semantic" for r in rows)
    words = (
        f"{differing} difference{'s' * (differing != 1)} in play or result"
        if differing
        else "nothing differs in play or result"
    )
    return [*lines, "", f"{words}, {shared} items are the same word for word"]


def _row_lines(row: Row) -> list[str]:
    name = f"{row.kind} {row.name}".rstrip()
    direction = {
        "permissive": "; the second allows more",
        "stricter": "; the second allows less",
        "incomparable": "; each allows what the other does not",
    }
    lines = [f"  {name}: {_WORDS[row.status]}{direction.get(row.direction, '')}"]
    if row.status != "reworded":
        lines += [f"    {label:<8}{text}" for label, text in (("first", row.first), ("second", row.second)) if text]
    if row.example:
        lines.append(f"    shown by {row.example}")
    if row.proof and row.status in ("reworded", "different", "undecided"):
        lines.append(f"    proof   {row.proof}")
    return lines
