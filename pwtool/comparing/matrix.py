"""Comparing more than two rulesets: for each item, the groups of rulesets that agree on it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from string import ascii_uppercase
from typing import TypeVar

from pwtool.comparing.row import NATURES, Row
from pwtool.lang.merged import Key

ABSENT = "-"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """An item that differs somewhere. `letters`: one for each ruleset, equal if the meaning is the same, `-` if there is no such
    item; `readings`: what each letter stands for; `undecided`: some pair could neither be distinguished nor proven equal.
    """

    kind: str
    name: str
    nature: str
    letters: tuple[str, ...]
    readings: tuple[tuple[str, str], ...]
    undecided: bool = False


@dataclass(frozen=True, slots=True)
class Matrix:
    """All items that differ between any of the rulesets, and the rows of each pair; and the pairs that are the same once only
    these two are put under the same names: one of them has names of the first ruleset for other things.
    """

    rows: tuple[MatrixRow, ...]
    pairs: dict[tuple[int, int], list[Row]]
    by_names: tuple[tuple[int, int], ...] = ()


def compare_all(
    rulesets: Sequence[T], compare: Callable[[T, T], list[Row]], keys: Callable[[T], Collection[Key]] = lambda _: ()
) -> Matrix:
    """Compare every pair as `compare` does; items that differ only in their words are left out. `keys`: the items of a ruleset."""
    pairs = {(i, j): compare(rulesets[i], rulesets[j]) for i, j in combinations(range(len(rulesets)), 2)}
    found: dict[Key, dict[tuple[int, int], Row]] = {}
    for pair, rows in pairs.items():
        for row in rows:
            if row.nature != "wording":
                found.setdefault((row.kind, row.name), {})[pair] = row
    known = [keys(ruleset) for ruleset in rulesets]
    table = [
        _row(key, rows, [any(key in k for k in known) and key not in own for own in known])
        for key, rows in found.items()
    ]
    return Matrix(tuple(sorted(table, key=lambda r: NATURES.index(r.nature))), pairs)


def _row(key: Key, rows: dict[tuple[int, int], Row], lacking: list[bool]) -> MatrixRow:
    count, absent = len(lacking), list(lacking)
    texts = [""] * count
    for (i, j), row in rows.items():
        texts[i], texts[j] = row.first or texts[i], row.second or texts[j]
        absent[i] |= row.status == "only_second"
        absent[j] |= row.status == "only_first"
    letters: list[str] = []
    readings: dict[str, str] = {}
    for j in range(count):
        if absent[j]:
            letters.append(ABSENT)
            continue
        same = next((letters[i] for i in range(j) if (i, j) not in rows and not absent[i]), None)
        letter = same or _letter(len(readings))
        letters.append(letter)
        readings.setdefault(letter, texts[j])
        # The text of a reading is known from any pair of rulesets that includes one of its own.
        readings[letter] = readings[letter] or texts[j]
    nature = min((row.nature for row in rows.values()), key=NATURES.index)
    undecided = any(row.status == "undecided" for row in rows.values())
    return MatrixRow(*key, nature, tuple(letters), tuple(readings.items()), undecided)


def _letter(number: int) -> str:
    """A, B, ... Z, A2, B2, ..."""
    turn, place = divmod(number, len(ascii_uppercase))
    return ascii_uppercase[place] + (str(turn + 1) if turn else "")
