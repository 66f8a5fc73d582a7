"""Objectives with their pictures and how rare they are."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from html import escape
from typing import Any

from make_gallery import GROUPS, STORED

from pwtool.ir.model import Ruleset
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from pwtool.show.svg.patterns import Patterns
from pwtool.show.svg.writer import pad, to_svg
from pwtool.show.text.studies import one_in
from pwtool_site.markdown import MarkdownDirective, code, plain
from pwtool_site.places import DOCS, LIBRARY, ROOT, write_changed

LANGUAGES = {"fr": "French", "de": "German"}


@cache
def _figures() -> dict[str, dict[str, dict[str, Any]]]:
    found: dict[str, dict[str, dict[str, Any]]] = json.loads(STORED.read_text("utf-8"))
    return found


@cache
def _ruleset(key: str) -> Ruleset:
    group = GROUPS[key]
    address = str(ROOT / group.address) if group.address.endswith(".rules") else group.address
    readings = tuple(f"{point}={reading}" for point, reading in group.readings.items())
    result = RulesetStore(Library(), readings, group.as_printed).get(address)
    assert result.value is not None, result.diagnostics
    return result.value.game.ruleset


class Gallery(MarkdownDirective):
    """The objectives of a group of `docs/make_gallery.py`, the most frequent first."""

    required_arguments = 1

    def markdown(self) -> str:
        """A card for each objective."""
        key = self.arguments[0]
        found = sorted(_figures()[key].items(), key=lambda item: -Fraction(item[1]["fulfil"], item[1]["of"]))
        cards = "\n".join(_card(key, name, figures) for name, figures in found)
        return f'<div class="gallery">\n\n{cards}\n</div>\n'


def _card(key: str, name: str, figures: dict[str, Any]) -> str:
    ruleset = _ruleset(key)
    objective = ruleset.merged.items["objective", name]
    title = ruleset.text(("objective", name), objective.text or name, "en")
    condition = " ".join(objective.condition.span.text.split())
    picture = LIBRARY / "pictures" / f"{key}-{name}.svg"
    drawing = Patterns(ruleset, "en").objective(name)
    write_changed(picture, to_svg(pad(drawing, 10), title, condition))
    others = [f"{label}: {plain(text)}" for label, text in _translated(ruleset, name, title)]
    return "\n\n".join(
        [
            f'<div class="objective" id="{key}-{name}">\n<h3>{escape(title)}</h3>',
            f"![{plain(title)}: {plain(condition)}](/{picture.relative_to(DOCS).as_posix()})",
            f"`{name}`: {code(condition)}",
            _rarity(figures),
            *(["; ".join(others)] if others else []),
            "</div>\n",
        ]
    )


def _translated(ruleset: Ruleset, name: str, title: str) -> list[tuple[str, str]]:
    texts = ((label, ruleset.text(("objective", name), title, language)) for language, label in LANGUAGES.items())
    return [(label, text) for label, text in texts if text != title]


def _rarity(figures: dict[str, Any]) -> str:
    if not figures["fulfil"]:
        return f"No board fulfils it, of {figures['of']:,}."
    share = one_in(Fraction(figures["fulfil"], figures["of"]))
    boards = "boards" if figures["of"] == _figures()["paper_world"]["l_of_2s"]["of"] else "boards of piles"
    cards = "1 card" if figures["cards"] == 1 else f"{figures['cards']} cards"
    return (
        f"**{share}**{' of' * share.endswith('%')} {boards}: {figures['fulfil']:,} of {figures['of']:,}. "
        f"It takes {cards}: `{figures['board']}`"
    )  # fmt: skip
