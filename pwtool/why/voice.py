"""Names of things in a ruleset for players: their texts, notes and names in one language."""

from __future__ import annotations

from collections.abc import Iterable

from pwtool.ir.model import ComponentModel, Ruleset
from pwtool.lang import tree as n
from pwtool.lang.merged import Key
from pwtool.play.game import Game
from pwtool.text.captions import caption
from pwtool.text.speech import Speech, mark


class Voice(Speech, frozen=True):
    """Names the things of rulesets in a language, as written if there is no translation."""

    def caption(self, key: str, *values: object) -> str:
        return caption(key, self.language, *values)

    def name(self, text: str) -> str:
        """A name in a sentence."""
        return self.quote(plain(text))

    def text(self, ruleset: Ruleset, key: Key, written: str) -> str:
        """The text of an item; if it has none, its name in the translations."""
        translation = ruleset.merged.texts.get(self.language, {}).get(key)
        return written if translation is None else translation.text

    def item(self, game: Game, key: Key) -> str:
        """The text of an item, otherwise its name, or what it is if it exists only once."""
        kind, name = key
        if kind == "anytime":
            return self.action(game, name)
        node = game.ruleset.merged.items.get(key)
        return self.text(game.ruleset, key, text_of(node)) or plain(name) or self.say(_UNNAMED.get(kind, kind))

    def called(self, ruleset: Ruleset, kind: str, name: str) -> str:
        """The name of a thing without a text."""
        return self.text(ruleset, (kind, name), plain(name))

    def notes(self, game: Game, key: Key) -> tuple[str, ...]:
        """The notes of the ruleset on an item, for players who know another ruleset."""
        notes = game.ruleset.merged.notes
        found = notes.get(self.language, {}).get(key) or notes.get("en", {}).get(key)
        return found.sentences if found else ()

    def told(self, ruleset: Ruleset, kind: str, name: str) -> str:
        """The name of something in findings: as a record writes it, or as the players' language calls it."""
        translation = self.translated(ruleset, (kind, name))
        return f"`{name}`" if translation is None else self.quote(translation)

    def bare(self, ruleset: Ruleset, kind: str, name: str) -> str:
        """The same, in English without quotation marks."""
        return name if self.translated(ruleset, (kind, name)) is None else self.told(ruleset, kind, name)

    def written(self, text: str) -> str:
        """Something in a sentence as a record writes it; other languages use their own quotation marks."""
        return f"`{text}`" if self.language == "en" else self.quote(text)

    def translated(self, ruleset: Ruleset, key: Key) -> str | None:
        """The name of an item in a language other than that of the rules file."""
        if self.language == "en":
            return None
        translation = ruleset.merged.texts.get(self.language, {}).get(key)
        return None if translation is None else translation.text

    def member(self, ruleset: Ruleset, name: str) -> str | None:
        """The name of a value that has one, such as a color."""
        found = (self.translated(ruleset, ("component", f"{component}.{name}")) for component in ruleset.components)
        return next((text for text in found if text is not None), None)

    def cycle(self, ruleset: Ruleset, number: int | None = None) -> str:
        """`turn 3` or `round 3`."""
        return self.caption(ruleset.cycle) + ("" if number is None else f" {number}")

    def face(self, ruleset: Ruleset, component: ComponentModel, number: int) -> str:
        """A component by its face: `red flag 4`, or as the translations call the face with this code."""
        code = component.codes[number]
        whole = self.translated(ruleset, ("component", f"{component.name}.{code}"))
        if whole is not None:
            return whole
        words: list[str] = []
        for attribute in component.attributes.values():
            value = attribute.table[number]
            if not attribute.in_code or value is None or value is False:
                continue
            name = attribute.name if value is True else str(value)
            words.append(self.text(ruleset, ("component", f"{component.name}.{name}"), plain(name)))
        return " ".join(words) or code

    def title(self, game: Game) -> str:
        """The title of an edition with its variants."""
        merged = game.ruleset.merged
        named = [merged.edition, *(h for h in merged.headers if h.kind == "variant")]
        return ", ".join(
            self.text(game.ruleset, (h.kind, h.name.name), h.text or plain(h.name.name))
            for h in named
        )  # fmt: skip

    def action(self, game: Game, name: str) -> str:
        action = game.ruleset.actions.get(name)
        return self.text(game.ruleset, ("action", name), action.text if action and action.text else plain(name))

    def turn(self, game: Game, names: Iterable[str]) -> str:
        """A turn, given by the names of its actions."""
        return self.caption("then").join(lowered(self.action(game, name)) for name in names)

    def reading(self, game: Game, point: n.Ambiguity, alternative: n.Alternative | None = None) -> str:
        """How an open point is read, or can be read."""
        name, written = point.name.name, point.reads if alternative is None else alternative.text
        key = ("reading", name if alternative is None else f"{name}.{alternative.name.name}")
        return self.text(game.ruleset, key, written)


_UNNAMED = {"turn": mark("Order of play"), "ranking": mark("Ranking"), "players": mark("Players")}

PLAIN = Voice()
"""Names in English, in the words of the rules file."""


def text_of(node: n.Node | None) -> str:
    """The text that a rules file gives an item."""
    return str(getattr(node, "text", "") or "")


def plain(name: str) -> str:
    return name.replace("_", " ")


def lowered(text: str) -> str:
    """A sentence as part of another one; a word that begins with several capitals is a name."""
    return text if not text[:1].isupper() or text[1:2].isupper() else text[0].lower() + text[1:]


def raised(text: str) -> str:
    return text[:1].upper() + text[1:]


def sentences(parts: Iterable[str]) -> str:
    """Sentences joined together, each with its full stop."""
    return " ".join(part if part.endswith((".", "!", "?")) else f"{part}." for part in parts)
