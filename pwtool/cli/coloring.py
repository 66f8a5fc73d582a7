"""Drawn positions in the colors of their things, and with the signs of their pieces, as in pictures. Without color, and in what is
not written to a terminal, the codes carry the same information.
"""

from __future__ import annotations

import re
import sys

from pwtool.cli.common import use_color
from pwtool.play.game import Game
from pwtool.show.svg.cards import component_art
from pwtool.text.terminal import BOLD, escape, ink, paint


class Coloring:
    """Lines in which the codes of a game's things are colored or are the signs of pieces, if standard output supports color."""

    def __init__(self, game: Game) -> None:
        self.wanted = use_color()
        self._shown: dict[str, str] = {}
        for component in game.ruleset.components.values() if self.wanted else ():
            art = component_art(game.ruleset, component)
            for face, code in enumerate(component.codes):
                drawn = art.face(face)
                sign = drawn.piece.letter if drawn.piece is not None and _can_write(drawn.piece.letter) else ""
                # As wide as the code, so that columns stay straight.
                said, color = sign.rjust(len(code)) if sign else code, drawn.paint.terminal
                if sign or color is not None:
                    self._shown[code] = said if color is None else paint(said, ink(color), True)
        codes = sorted(self._shown, key=len, reverse=True)
        self._codes = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, codes))})(?![\w.-])") if codes else None

    def line(self, text: str) -> str:
        """A line of a drawn position, escaped."""
        safe = escape(text)
        if self._codes is None:
            return safe
        return self._codes.sub(lambda found: self._shown[found[0]], safe)

    def heading(self, text: str) -> str:
        """A heading for a position."""
        return paint(escape(text), BOLD, self.wanted)


def _can_write(sign: str) -> bool:
    """Whether standard output has the letters of a sign."""
    try:
        sign.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
