"""Text in pictures stays in its frame, in the fonts of a reader; what cannot be drawn is said in words."""

from __future__ import annotations

import html
import json
from pathlib import Path

import pytest

from pwtool.show.svg.named import draw_named
from pwtool.show.svg.writer import SANS, measure
from pwtool.show.text.conditions import Sayings
from tests.browser import browser
from tests.support import BROWSER, book

ROOT = Path(__file__).resolve().parents[2]
CLUB = str(ROOT / "examples" / "objectives" / "club.rules")
LANGUAGES = ("en", "fr", "de")
KING = """edition court of paper_world/en "Court"
objective king "King" = some c in card: every other d in card: c.value > d.value
objective page "Page" = some c in card: every other d in card: d.value > c.value
objective four "Four" = some c in card: count (group d around c: d.value >= 3) >= 4
objective twice "Twice" = sum (c in card: c.value * 2) >= 8
objective more "More" = count (c in card: c.value == 1) > count (c in card: c.value == 2)
objective far "Far" = some c in card: (if c.scissors then c.value else 0) > 2
objective wide "Wide" = (max value of card else 0) - (min value of card else 5) > 2
objective either "Either" = if count card > 4 then count buried > 2 else count buried == 0
objective step "Step" = at least 2 [ 3 a? / . _ ] turned: a == none or a.value == 3
objective each "Each" = every v in 4..5: some card: value == v
objective table "Table" = (by count card { 0: 0  1: 1  else 2 }) >= 1
"""
WORDS = {
    "king": "One card is higher than all others (value)",
    "page": "One card is lower than all others (value)",
    "four": "One of the cards, c: number of cards that are connected with c, each (d) with value of d: at least 3: at least 4",
    "twice": "All cards c, added up: value of c × 2: at least 8",
    "more": "Number of cards c (value of c: 1) > number of cards c (value of c: 2)",
    "far": "One of the cards, c: (if c is: scissors: value of c; if not: 0): more than 2",
    "wide": "(cards: highest value, 0 if there is none) - (cards: lowest value, 5 if there is none): more than 2",
    "either": "If number of cards: more than 4: number of covered cards: more than 2; if not: number of covered cards: 0",
    "step": "Places of this shape (row 1: 3, a or nothing; row 2: anything, nothing; may be turned; a: nothing, or value of a: 3): at least 2",
    "each": "Each of the numbers 4 to 5, v: cards (value: v): at least one",
    # What there are no words for stays as it is written.
    "table": None,
}


def test_what_cannot_be_drawn_is_said(tmp_path: Path) -> None:
    path = tmp_path / "court.rules"
    path.write_text(KING, "utf-8")
    ruleset = book(str(path)).game.ruleset
    for name, said in WORDS.items():
        node = ruleset.merged.items["objective", name]
        assert Sayings(ruleset).words(node.condition) == said  # type: ignore[attr-defined]
        picture = draw_named(ruleset, name, "en")
        assert picture is not None and f"<desc>{html.escape(said or '(by count card')}" in picture


def test_a_language_says_it_in_its_own_words() -> None:
    ruleset = book(CLUB).game.ruleset
    island = ruleset.merged.items["objective", "island"].condition  # type: ignore[attr-defined]
    assert [Sayings(ruleset, language).words(island) for language in LANGUAGES] == [
        "Cards in the largest group of the same color: at least 5",
        "Cartes du plus grand groupe de même couleur\u202f: au moins 5",
        "Karten der größten Gruppe, Farbe gleich: mindestens 5",
    ]
    # Signs name attributes in the reader's language too.
    assert "= couleur" in (draw_named(ruleset, "twist_color", "fr") or "")


def test_letters_have_their_widths() -> None:
    assert measure("i", 10) < measure("e", 10) < measure("m", 10) < measure("m", 10, bold=True)
    assert measure("\u0301", 10) == 0 and measure("漢", 10) >= 10 and measure("ii", 10) == 2 * measure("i", 10)


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="no browser here")
def test_a_browser_writes_no_wider(tmp_path: Path) -> None:
    texts = [
        "The quick brown fox jumps over 13 lazy dogs",
        "WMÄÖÜ@%…≥≤Σ×",
        "Œuvre façonnée – déjà",
        "Größte Fläche",
        "Привет, мир",
        "iljt",
    ]
    page = tmp_path / "pictures.html"
    pictures = []
    for address in ("paper_world", CLUB):
        ruleset = book(address).game.ruleset
        for language in LANGUAGES:
            drawn = [draw_named(ruleset, name, language) or "" for name in ruleset.objectives]
            pictures += [svg[svg.index("<svg") :] for svg in drawn]
    page.write_text(f"<!DOCTYPE html><meta charset='utf-8'>{''.join(pictures)}", "utf-8")
    with browser(tmp_path) as tab:
        tab.open(page)
        for family in (SANS, "DejaVu Sans", "Liberation Sans"):
            for weight in ("normal", "bold"):
                wide = tab.run(
                    f"(function () {{ const c = document.createElement('canvas').getContext('2d'); c.font = {json.dumps(f'{weight} 20px {family}')};"
                    f" return {json.dumps(texts)}.map(text => c.measureText(text).width); }}())"
                )
                for text, found in zip(texts, wide, strict=True):
                    assert found <= measure(text, 20, bold=weight == "bold") + 0.5, (text, family, weight)
        beyond = tab.run("""Array.from(document.querySelectorAll("svg")).flatMap(svg => {
          const frame = svg.getBoundingClientRect();
          return Array.from(svg.querySelectorAll("text")).filter(text => {
            const box = text.getBoundingClientRect();
            return box.left < frame.left - 1 || box.right > frame.right + 1;
          }).map(text => text.textContent);
        })""")
        assert len(pictures) > 90 and beyond == []
