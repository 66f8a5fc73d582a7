"""Things of a ruleset in the words of its players: their texts, notes and names in one language."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.lang.merged import Key
from pwtool.play.game import Game
from pwtool.show.captions import caption


@dataclass(frozen=True, slots=True)
class Voice:
    """Says things of rulesets in a language, as they are written where there is no translation."""

    language: str = "en"

    def say(self, key: str, *values: object) -> str:
        return caption(key, self.language, *values)

    def name(self, text: str) -> str:
        """A name inside of a sentence."""
        return self.say("name", plain(text))

    def text(self, ruleset: Ruleset, key: Key, written: str) -> str:
        """The text of an item; of what has none, what the translations call it."""
        translation = ruleset.merged.texts.get(self.language, {}).get(key)
        return written if translation is None else translation.text

    def item(self, game: Game, key: Key) -> str:
        """An item by its text, else by its name."""
        node = game.ruleset.merged.items.get(key)
        return self.text(game.ruleset, key, text_of(node)) or plain(key[1]) or plain(key[0])

    def called(self, ruleset: Ruleset, kind: str, name: str) -> str:
        """What a thing without a text is called."""
        return self.text(ruleset, (kind, name), plain(name))

    def notes(self, game: Game, key: Key) -> tuple[str, ...]:
        """What the ruleset says of an item to players who know another one."""
        notes = game.ruleset.merged.notes
        found = notes.get(self.language, {}).get(key) or notes.get("en", {}).get(key)
        return found.sentences if found else ()

    def title(self, game: Game) -> str:
        """The title of an edition with its variants."""
        headers = game.ruleset.merged.headers
        edition = next((h for h in reversed(headers) if h.kind != "variant"), headers[0])
        named = [edition, *(h for h in headers if h.kind == "variant")]
        return ", ".join(
            self.text(game.ruleset, (h.kind, h.name.name), h.text or plain(h.name.name))
            for h in named
        )  # fmt: skip

    def action(self, game: Game, name: str) -> str:
        action = game.ruleset.actions.get(name)
        return self.text(game.ruleset, ("action", name), action.text if action and action.text else plain(name))

    def turn(self, game: Game, names: Iterable[str]) -> str:
        """A turn that is given by the names of its actions."""
        return self.say("then").join(lowered(self.action(game, name)) for name in names)

    def reading(self, game: Game, point: n.Ambiguity, alternative: n.Alternative | None = None) -> str:
        """How an open point is read, or can be read."""
        name, written = point.name.name, point.reads if alternative is None else alternative.text
        key = ("reading", name if alternative is None else f"{name}.{alternative.name.name}")
        return self.text(game.ruleset, key, written)


def text_of(node: n.Node | None) -> str:
    """The text that a rules file gives an item."""
    return str(getattr(node, "text", "") or "")


def plain(name: str) -> str:
    return name.replace("_", " ")


def lowered(text: str) -> str:
    """A sentence as a part of another; what begins with several capitals is a name."""
    return text if not text[:1].isupper() or text[1:2].isupper() else text[0].lower() + text[1:]


def raised(text: str) -> str:
    return text[:1].upper() + text[1:]


def sentences(parts: Iterable[str]) -> str:
    """Sentences one after the other, each with its full stop."""
    return " ".join(part if part.endswith((".", "!", "?")) else f"{part}." for part in parts)
