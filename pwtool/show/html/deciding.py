"""Drawings of what distinguishes two rulesets: boards that only one of them counts, cards that only one of them has."""

from __future__ import annotations

from markupsafe import Markup

from pwtool.lang.pictures import build_picture
from pwtool.play.game import Game
from pwtool.show.svg.boards import draw_picture
from pwtool.show.svg.cards import component_art, draw_face
from pwtool.show.svg.writer import Drawing, flow, pad, to_svg
from pwtool.show.text.telling import Dealt, Line, Shown
from pwtool.text.source import SourceFile, Span

CARD = 40
ROW = 8 * (CARD + 6)


def draw_deciding(games: tuple[Game, Game], line: Line) -> list[tuple[str, Markup]]:
    """The drawings for a line, each with its caption."""
    boards = [(shown.caption, _board(games[shown.side], shown)) for shown in line.boards]
    return boards + [(dealt.caption, _cards(games[dealt.side], dealt)) for dealt in line.cards]


def _board(game: Game, shown: Shown) -> Markup:
    zone = game.ruleset.board
    assert zone is not None
    picture, _ = build_picture(Span(SourceFile("", shown.board), 0, len(shown.board)))
    return _drawn(draw_picture(game.ruleset, zone, picture, bare=True), f"{shown.caption}: {shown.board}")


def _cards(game: Game, dealt: Dealt) -> Markup:
    component = game.ruleset.components[dealt.component]
    art = component_art(game.ruleset, component)
    drawings = [
        draw_face(art.face(component.numbers[code]), CARD, times=count if count > 1 else 0)
        for code, count in dealt.cards
    ]  # fmt: skip
    return _drawn(flow(drawings, ROW, 6), f"{dealt.caption}: {', '.join(code for code, _ in dealt.cards)}")


def _drawn(drawing: Drawing, title: str) -> Markup:
    return Markup(to_svg(pad(drawing, 3), title, inline=True))
