"""`pwtool compare --witness`: finds games that show the differences and writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from pwtool.cli.common import fail, keep_file, make_folder, write_file
from pwtool.cli.streams import clear_progress, show_progress
from pwtool.comparing.renames import named_alike
from pwtool.comparing.row import Row, either_side, sides_of
from pwtool.comparing.rows import compare_rulesets
from pwtool.comparing.witness.judging import Pair
from pwtool.comparing.witness.search import GAMES, STEPS, Witness, find_variant_witness, find_witnesses
from pwtool.play.record import Record
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.show.html.witnesses import is_shown, no_witness, summary_text, with_variant, witness_file
from pwtool.show.text.comparing import item_name
from pwtool.text.speech import Told

SUMMARY = "summary.md"


def write_witnesses(
    addresses: tuple[str, str],
    labels: tuple[str, str],
    books: tuple[Rulebook, Rulebook],
    rows: list[Row],
    shelves: tuple[RulesetStore, RulesetStore],
    folder: Path,
    force: bool,
    effort: float = 1.0,
    played: Sequence[tuple[int, Record]] = (),
) -> list[Row]:
    """Write a game for each difference into a folder; the rows then name their games, or say that none was found. `played` are games
    that differ, with the ruleset that accepts each: they stand for a difference for which no game is found.
    """
    if folder.exists() and not folder.is_dir():
        fail(Told("`{file}` is not a folder", file=str(folder)))
    keep_file(folder / SUMMARY, force)
    search = find_witnesses(
        books[0].game, books[1].game, rows, round(STEPS * effort), round(GAMES * effort), _show, starts=True
    )
    clear_progress()
    files, named, unshown = [], [], []
    for row in rows:
        records: list[tuple[Witness, Rulebook]] = [(w, books[w.side]) for w in search.of(row)]
        if row.kind == "variant" and row.nature == "semantic":
            records = _variant(row, addresses, books, shelves, rows, effort)
        elif not records and row.nature == "semantic" and row.status == "different":
            records = _played(row, books, rows, played)
        drawn = [(record, witness_file(record[0], record[1], labels)) for record in records]
        # The verdict of `check` is what counts.
        under = with_variant(addresses, row)
        drawn = [(record, file) for record, file in drawn if is_shown(file, record[0].side, under, shelves)]
        records, shown = [record for record, _ in drawn], [file for _, file in drawn]
        files += shown
        missing = [] if row.nature != "semantic" or row.status == "undecided" else _missing(row, records)
        without = tuple(no_witness(side) for side in missing)
        unshown += [f"{item_name(row)}: {words}" for words in without]
        named.append(replace(row, witness=tuple(str(folder / w.name) for w in shown), without=without))
    for written in files:
        keep_file(folder / written.name, force)
    make_folder(folder)
    for written in files:
        write_file(folder / written.name, written.text, force)
    write_file(folder / SUMMARY, summary_text(files, labels, unshown), force)
    return named


def _played(
    row: Row, books: tuple[Rulebook, Rulebook], rows: list[Row], played: Sequence[tuple[int, Record]]
) -> list[tuple[Witness, Rulebook]]:
    """The shortest game of each side that was played and differs."""
    alike = named_alike(books[1].game, books[0].game)
    pair = Pair(books[0].game, alike.game, rows)
    found = []
    for side, judges in enumerate((pair, pair.turned())):
        games = sorted((record for under, record in played if under == side), key=lambda record: len(record.turns))
        verdicts = (
            (alike.own(record) if side else record, verdict) for record in games for verdict in judges.judge(record)
        )
        found += [(Witness(row, side, *shown), books[side]) for shown in islice(verdicts, 1)]
    return found


def _missing(row: Row, found: list[tuple[Witness, Rulebook]]) -> list[int]:
    sides = {w.side for w, _ in found}
    if either_side(row) and sides:
        return []
    return [side for side in sides_of(row) if side not in sides]


def _variant(
    row: Row,
    addresses: tuple[str, str],
    books: tuple[Rulebook, Rulebook],
    shelves: tuple[RulesetStore, RulesetStore],
    rows: list[Row],
    effort: float,
) -> list[tuple[Witness, Rulebook]]:
    """A game with a variant that only one of the two rulesets has."""
    side = 0 if row.status == "only_first" else 1
    book = shelves[side].get(with_variant(addresses, row)[side]).value
    if book is None:
        return []
    played, base, other = book.game, books[side].game, books[1 - side].game
    known = rows if side == 0 else compare_rulesets(base, other)
    found, _ = find_variant_witness(
        row,
        side,
        played,
        other,
        compare_rulesets(played, other),
        known,
        round(STEPS * effort / 4),
        round(GAMES * effort / 4),
    )
    return [] if found is None else [(found, book)]


def _show(message: str) -> None:
    show_progress(f"looking for games: {message}")
