"""The page of one recorded game."""

from __future__ import annotations

from collections.abc import Sequence

from pwtool.checking.documents import Loaded, place_of
from pwtool.play.record import Record
from pwtool.records.ruleset_store import Rulebook
from pwtool.show.html.pages import render
from pwtool.show.html.playing.findings import notes_of
from pwtool.show.html.playing.games import GameView
from pwtool.show.html.playing.pictures import Pictures
from pwtool.show.html.playing.views import Annotations, Note
from pwtool.show.html.playing.watching import watch
from pwtool.why.causes import mark_causes
from pwtool.why.findings import not_judged, to_diagnostics
from pwtool.why.voice import Voice


def render_replay(
    loaded: Loaded,
    book: Rulebook,
    record: Record,
    language: str,
    hosted: bool = False,
    pictures: Pictures | None = None,
) -> tuple[str, list[Note]]:
    """The page of a game with its findings; `hosted`: inside another page, which it tells what is played and chosen."""
    voice, pictures = Voice(language), pictures or Pictures()
    view = view_loaded(loaded, book, record, pictures, voice)
    view.is_hosted = hosted
    return _page(book, view, pictures, voice, record.id or loaded.document.name), view.notes


def render_played(book: Rulebook, record: Record, name: str, said: str, why: Sequence[str], language: str) -> str:
    """The page of a game that the program played, shown at its end, with what is `said` of it and why."""
    voice, pictures = Voice(language), Pictures()
    watched = watch(book, record)
    lines = [(voice.about("detail_because", "because"), why)] if why else []
    note = Note(len(watched.moments) - 1, said, lines=lines, unsure=True, head=name)
    return _page(book, GameView(watched, [note], pictures, voice, goes_on=True), pictures, voice, name)


def _page(book: Rulebook, view: GameView, pictures: Pictures, voice: Voice, name: str) -> str:
    ruleset = book.game.ruleset
    return render(
        "replay.html", language=voice.language, caption=voice.caption, title=voice.title(book.game), game=view, pictures=pictures,
        ruleset=f"{ruleset.address} {ruleset.version}", name=name,
    )  # fmt: skip


def render_board(book: Rulebook, record: Record, language: str, hosted: bool = False) -> str | None:
    """A page on which people play on from the end of a record that breaks no rule; None if the ruleset has no kernel. `hosted`: as for
    `render_replay`.
    """
    voice, pictures = Voice(language), Pictures()
    view = GameView(watch(book, record), [], pictures, voice, goes_on=True)
    if not view.kernel:
        return None
    view.is_new, view.is_hosted = True, hosted
    return _page(book, view, pictures, voice, voice.caption("board_page"))


def view_loaded(loaded: Loaded, book: Rulebook, record: Record, pictures: Pictures, voice: Voice) -> GameView:
    """A game with all of its findings, which can be played on from any position."""
    watched = watch(book, record)
    replay = watched.replay
    causes = mark_causes(book.game, replay, book.legal) if replay.findings else None
    place = place_of(loaded, record.players, record)
    told = [
        *to_diagnostics(book, replay.findings, place, voice.language, causes),
        *not_judged(book, replay, place, voice.language),
    ]
    notes = notes_of(watched, replay.findings, told, voice)
    return GameView(watched, notes, pictures, voice, Annotations(loaded.data), goes_on=True)
