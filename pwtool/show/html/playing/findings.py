"""The findings of a game, at the moments that they are about."""

from __future__ import annotations

from collections.abc import Sequence

from pwtool.play.finding import Finding
from pwtool.show.html.playing.views import Note
from pwtool.show.html.playing.watching import Watched
from pwtool.text import Diagnostic, Severity
from pwtool.why.voice import Voice, raised

PLAYERS, RULES = ("legal",), ("rule", "source")
"""The parts of the full report that are shown, what players ask first before what the rules say, with the notes between
them: the board is drawn anyway, and commands are for a terminal.
"""


def notes_of(watched: Watched, findings: Sequence[Finding], told: Sequence[Diagnostic], voice: Voice) -> list[Note]:
    """The findings of a replay, each with its lines, in the order of play; findings without a moment are placed at the
    end of what was judged.
    """
    notes = [
        _note(diagnostic, watched.place(finding.path), voice)
        for finding, diagnostic in zip(findings, told, strict=False)
    ]
    last = len(watched.moments) - 1
    notes += [_note(diagnostic, last, voice) for diagnostic in told[len(findings) :]]
    return sorted(notes, key=lambda note: note.step)


def _note(diagnostic: Diagnostic, step: int, voice: Voice) -> Note:
    def parts(titles: Sequence[str]) -> list[tuple[str, Sequence[str]]]:
        shown = (detail for detail in diagnostic.details if detail.title in titles)
        return [(voice.caption(f"finding_{detail.title}"), detail.shown) for detail in shown]

    notes = [*diagnostic.notes, *([diagnostic.help] if diagnostic.help else [])]
    lines = [*parts(PLAYERS), *([(voice.caption("finding_note"), notes)] if notes else []), *parts(RULES)]
    unsure = diagnostic.level is not Severity.ERROR
    return Note(
        step, raised(diagnostic.message), raised(diagnostic.where or ""), diagnostic.rule or diagnostic.code, lines, diagnostic.follows, unsure
    )  # fmt: skip
