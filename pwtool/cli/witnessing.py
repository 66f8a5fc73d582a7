"""`pwtool compare --witness`: look for games that show the differences and write them."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from pwtool.analysis.comparison.rows import Row, compare_rulesets
from pwtool.analysis.comparison.witness import Witness, either_side, find_variant_witness, find_witnesses, sides_of
from pwtool.cli.common import fail, make_folder, write_file
from pwtool.formats.shelf import Rulebook, Shelf
from pwtool.reports.witnesses import SIDES, summary_text, witness_file

SUMMARY = "summary.md"


def write_witnesses(
    addresses: tuple[str, str],
    books: tuple[Rulebook, Rulebook],
    rows: list[Row],
    shelves: tuple[Shelf, Shelf],
    folder: Path,
    force: bool,
) -> list[Row]:
    """Write a game for each difference into a folder; the rows then name their games, or say that none was found."""
    if folder.exists() and not folder.is_dir():
        fail(f"`{folder}` is no folder")
    if (folder / SUMMARY).exists() and not force:
        fail(f"`{folder / SUMMARY}` is already there", "--force overwrites")
    watched = sys.stderr.isatty()
    search = find_witnesses(books[0].game, books[1].game, rows, progress=_show if watched else None)
    if watched:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    files, named, unshown = [], [], []
    for row in rows:
        found = search.of(row)
        lines: list[str] = []
        records: list[tuple[Witness, Rulebook]] = [(w, books[w.side]) for w in found]
        if row.kind == "variant" and row.nature == "semantic":
            records = _variant(row, addresses, books, shelves)
        for witness, book in records:
            written = witness_file(witness, book, addresses)
            files.append(written)
            lines.append(str(folder / written.name))
        missing = [] if row.nature != "semantic" or row.status == "undecided" else _missing(row, records)
        for side in missing:
            if ((row.kind, row.name), side) in search.none:
                lines.append(f"none that only the {SIDES[side]} allows: proven, over all turns and their variables")
            else:
                lines.append(f"no witness found within {search.games[side]} games that only the {SIDES[side]} allows")
            unshown.append(f"{row.kind} {row.name}".rstrip() + f": {lines[-1]}")
        named.append(replace(row, witness=tuple(lines)))
    taken = [folder / f.name for f in files if (folder / f.name).exists()]
    if taken and not force:
        fail(f"`{taken[0]}` is already there", "--force overwrites")
    make_folder(folder)
    for written in files:
        write_file(folder / written.name, written.text, force)
    write_file(folder / SUMMARY, summary_text(files, addresses, unshown), force)
    return named


def _missing(row: Row, found: list[tuple[Witness, Rulebook]]) -> list[int]:
    sides = {w.side for w, _ in found}
    if either_side(row) and sides:
        return []
    return [side for side in sides_of(row) if side not in sides]


def _variant(
    row: Row, addresses: tuple[str, str], books: tuple[Rulebook, Rulebook], shelves: tuple[Shelf, Shelf]
) -> list[tuple[Witness, Rulebook]]:
    """A game with a variant that only one of the two rulesets has."""
    side = 0 if row.status == "only_first" else 1
    book = shelves[side].get(f"{addresses[side]}+{row.name}").value
    if book is None:
        return []
    other = books[1 - side].game
    found = find_variant_witness(row, side, book.game, other, compare_rulesets(book.game, other))
    return [] if found is None else [(found, book)]


def _show(message: str) -> None:
    print(f"\r\x1b[Klooking for games: {message}", end="", file=sys.stderr, flush=True)
