"""Drawn positions in the colors of their things, as in pictures. The codes carry the same information without color."""

from __future__ import annotations

import re

from pwtool.cli.common import use_color
from pwtool.play.game import Game
from pwtool.show.svg.cards import component_art
from pwtool.text.terminal import BOLD, escape, ink, paint


class Coloring:
    """Lines in which the codes of a game's things are colored, if standard output supports color."""

    def __init__(self, game: Game) -> None:
        self.wanted = use_color()
        self._styles: dict[str, str] = {}
        for component in game.ruleset.components.values() if self.wanted else ():
            art = component_art(game.ruleset, component)
            for face, code in enumerate(component.codes):
                shown = art.face(face).paint.terminal
                if shown is not None:
                    self._styles[code] = ink(shown)
        codes = sorted(self._styles, key=len, reverse=True)
        self._codes = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, codes))})(?![\w.-])") if codes else None

    def line(self, text: str) -> str:
        """A line of a drawn position, escaped."""
        safe = escape(text)
        if self._codes is None:
            return safe
        return self._codes.sub(lambda found: paint(found[0], self._styles[found[0]], True), safe)

    def heading(self, text: str) -> str:
        """A heading for a position."""
        return paint(escape(text), BOLD, self.wanted)
