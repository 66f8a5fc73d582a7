"""What the games of a page share: pictures and colors, each thing on the table drawn once, and the kernels to play on."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup
from msgspec.structs import replace

from pwtool.eval.values import UNSEEN
from pwtool.ir.model import Ruleset
from pwtool.show.svg.cards import ComponentArt, component_art, draw_coin, draw_face
from pwtool.show.svg.pieces import draw_pips
from pwtool.show.svg.writer import Drawing, element, group, number
from pwtool.why.moves import Words
from pwtool.why.voice import Voice

SIDE = 60
"""The side length of a thing in its picture; the margin is for parts that extend beyond its edge."""
ROOM = 3

Inked = Sequence[tuple[str, int, str]]
"""A sentence in parts, each with the number of its color and its spoken text; a part with -1 has no color and is spoken as written."""


class Pictures:
    """Drawn things by number, the colors of their codes, and kernels by name. `apart`: kernels lie in files beside the page, which
    other pages share.
    """

    def __init__(self, apart: bool = False) -> None:
        self.kernels: dict[str, str] = {}
        self.apart = apart
        self._symbols: dict[str, int] = {}
        self._inks: dict[tuple[str, str, str], int] = {}
        self._faces: dict[tuple[int, str, int, int, str], int] = {}
        self._coins: dict[str, int] = {}
        self._arts: dict[tuple[int, str], ComponentArt] = {}
        self._games = 0
        # Objects that are remembered by their id must stay alive.
        self._rulesets: list[Ruleset] = []

    def art(self, ruleset: Ruleset, component: str) -> ComponentArt:
        """The look of a component."""
        key = (id(ruleset), component)
        if key not in self._arts:
            self._rulesets.append(ruleset)
            self._arts[key] = component_art(ruleset, ruleset.components[component])
        return self._arts[key]

    def face(self, ruleset: Ruleset, component: str, face: int, voice: Voice, height: int = 1, body: str = "") -> int:
        """The number of a face's picture; its label is what is on the face. The `height` of its pile matters if its look says so;
        `body`: another than its own.
        """
        art = self.art(ruleset, component)
        key = (id(ruleset), component, face, height if art.look.counted else 1, body)
        if key not in self._faces:
            shown = art.face(face, body)
            if face != UNSEEN:
                shown = replace(shown, name=voice.face(ruleset, ruleset.components[component], face))
            self._faces[key] = self._add(draw_face(shown, SIDE, key[3] - 1))
        return self._faces[key]

    def die(self, value: int) -> int:
        """The number of the picture of a die."""
        return self._add(Drawing(SIDE, SIDE, group(draw_pips(value, SIDE), str(value))))

    def coin(self, text: str) -> int:
        """The number of the picture for a number or a name."""
        if text not in self._coins:
            self._coins[text] = self._add(draw_coin(text, SIDE))
        return self._coins[text]

    def words(self, ruleset: Ruleset, words: Words, voice: Voice) -> Inked:
        """A sentence with the colors and labels of its things."""
        said: list[tuple[str, int, str]] = []
        for part in words:
            if isinstance(part, str):
                said.append((part, -1, part))
            else:
                face = self.art(ruleset, part.component).face(part.face)
                piece = face.piece
                mark = (
                    (face.paint.fill, "", "") if piece is None else (piece.fill, piece.sign and piece.letter, piece.ink)
                )
                ink = self._inks.setdefault(mark, len(self._inks))
                called = voice.caption("unseen_thing")
                if part.face != UNSEEN:
                    called = voice.face(ruleset, ruleset.components[part.component], part.face)
                said.append((part.code, ink, called))
        return said

    def prefix(self) -> str:
        """The id prefix for the next game, so that its drawings share parts only among themselves."""
        self._games += 1
        return f"g{self._games}p"

    @property
    def inks(self) -> list[tuple[str, str, str]]:
        """What stands before codes, by number: a color, the sign on it as a style sheet writes it ("": none), and the sign's color."""
        return [(fill, "".join(f"\\{ord(letter):x} " for letter in sign), color) for fill, sign, color in self._inks]

    @property
    def markup(self) -> Markup:
        """All pictures, with the ids `s0`, `s1`, ..."""
        side = number(SIDE + 2 * ROOM)
        symbols = [
            element("symbol", body, id=f"s{at}", viewBox=f"-{ROOM} -{ROOM} {side} {side}")
            for body, at in self._symbols.items()
        ]
        defs = element("defs", "".join(symbols)) if symbols else ""
        return Markup(element(
            "svg", defs, xmlns="http://www.w3.org/2000/svg", width=0, height=0, class_="parts", aria_hidden="true"
        ))  # fmt: skip

    def _add(self, drawing: Drawing) -> int:
        return self._symbols.setdefault(drawing.body, len(self._symbols))
