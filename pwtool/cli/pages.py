"""`pwtool replay --html`: a recorded game as a page, or a folder with a page for each of several games."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pwtool.cli.common import Under, deliver, fail, keep_file, write_file
from pwtool.cli.loading import load, load_one, load_record
from pwtool.cli.writing import Game, write_games
from pwtool.records.inputs import read_documents
from pwtool.text.speech import Told
from pwtool.text.store import STANDARD

if TYPE_CHECKING:
    from pwtool.show.html.playing.views import Note


def run_replay_page(
    file: str,
    output: Path | None,
    at: int | None,
    under: Under,
    lang: str | None,
    force: bool,
) -> int:
    """Write the page, or a page for each game if the output is a folder; 1 if there are findings, 3 if something is undetermined."""
    if at is not None:
        fail(
            Told("the page shows every turn; --at is for the terminal"),
            Told("open the page at a turn: {address}", address=f"`PAGE.html#turn={at}`"),
        )
    language = under.language(lang)
    from pwtool.show.html.playing.page import render_replay

    if output is not None and output != STANDARD and (output.is_dir() or not output.suffix):
        return _write_pages(file, output, under, language, force)
    if output is not None:
        keep_file(output, force)
    loaded, book = load_one(file, under.ruleset_store(), under.address)
    page, notes = render_replay(loaded, book, load_record(loaded, book), language)
    deliver(page, output, force)
    return _status(notes)


def _write_pages(file: str, folder: Path, under: Under, language: str, force: bool) -> int:
    """Pages that lie together share the kernels that lie beside them."""
    from pwtool.show.html.playing.branching import kernel_file
    from pwtool.show.html.playing.page import render_replay
    from pwtool.show.html.playing.pictures import Pictures

    store = under.ruleset_store()
    kernels: dict[str, str] = {}
    pages: list[Game] = []
    found: list[Note] = []
    for document in read_documents(file):
        if document.is_note:
            continue
        loaded, book = load(document, store, under.address)
        pictures = Pictures(apart=True)
        page, notes = render_replay(loaded, book, load_record(loaded, book), language, pictures=pictures)
        kernels |= pictures.kernels
        pages.append(Game(document.name, {}, page))
        found += notes
    write_games(pages, folder, force, True, ".html")
    for name, text in kernels.items():
        # Its name says what is in it: one that is there already is the same.
        write_file(folder / f"{name}.js", kernel_file(name, text), force=True)
    return _status(found)


def _status(notes: Sequence[Note]) -> int:
    return 1 if any(not note.unsure for note in notes) else 3 if notes else 0
