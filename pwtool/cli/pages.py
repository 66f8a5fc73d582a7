"""`pwtool replay --html`: a recorded game as a page."""

from __future__ import annotations

from pathlib import Path

from pwtool.cli.common import Under, deliver, fail, keep_file
from pwtool.cli.loading import load_one, load_record
from pwtool.text.speech import Told


def run_replay_page(
    file: str,
    output: Path | None,
    at: int | None,
    under: Under,
    lang: str | None,
    force: bool,
) -> int:
    """Write the page; 1 if there are findings, 3 if something is undetermined."""
    if at is not None:
        fail(
            Told("the page shows every turn; --at is for the terminal"),
            Told("open the page at a turn: {address}", address=f"`PAGE.html#turn={at}`"),
        )
    language = under.language(lang)
    if output is not None:
        keep_file(output, force)
    loaded, book = load_one(file, under.ruleset_store(), under.address)
    record = load_record(loaded, book)
    from pwtool.show.html.playing.page import render_replay

    page, notes = render_replay(loaded, book, record, language)
    deliver(page, output, force)
    return 1 if any(not note.unsure for note in notes) else 3 if notes else 0
