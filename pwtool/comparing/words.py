"""Items of a ruleset in words for readers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.lang.merged import Key
from pwtool.play.game import Game
from pwtool.text.speech import Listed, Told, mark
from pwtool.text.words import in_quotes, one_line
from pwtool.why.voice import PLAIN, Voice


def words_of(node: n.Node | None, game: Game | None = None, key: Key | None = None, voice: Voice = PLAIN) -> str:
    """An item in words, on one line: its text, then its condition or its parts as written. What players read of it is in the
    language of the voice, as far as the game has texts for this key in it.
    """
    if node is None:
        return ""
    text = own = str(getattr(node, "text", "") or "")
    if game is not None and key is not None and own:
        text = voice.text(game.ruleset, key, own)
    match node:
        case n.Rule() | n.Invariant():
            start = node.when.span.start if node.when else node.require.span.start
            written = ("when " if node.when else "require ") + _written(node, start)
        case n.Ending():
            written = "when " + _written(node, node.condition.span.start)
        case n.Objective() | n.Score():
            value = node.condition if isinstance(node, n.Objective) else node.value
            written = _written(value)
        case n.Action() | n.Consequence():
            effects = "; ".join(_written(s) for s in node.statements if isinstance(s, n.Effect | n.ForEach))
            asked = ", ".join(_written(p).split(' "')[0] for p in node.parameters)
            written = f"({asked}) {effects}".rstrip()
            if isinstance(node, n.Consequence):
                rounds = f" at most {node.rounds} times" if node.rounds else ""
                when = ("after each action" if node.each_action else "", f"repeated{rounds}" if node.repeated else "")
                written = " ".join(part for part in (*when, written) if part)
        case n.Ambiguity():
            reads, *others = (
                f'"{words}"' if voice.language == "en" else voice.quote(words)
                for words in (_reading(node, alternative, game, voice) for alternative in (None, *node.alternatives))
            )
            other = voice.joined(others, "or")
            return voice.headed(text, voice.say("read as {reads}, otherwise {others}", reads=reads, others=other))
        case n.Erratum():
            return text
        case n.SetupStep():
            written = _laid_out(_written(node), own)
        case _:
            return _written(node)
    return voice.headed(text, written) if text and written else text or written


def with_definitions(first: str, second: str, items: Sequence[Mapping[Key, n.Node]]) -> tuple[str, str]:
    """The words of an item of two rulesets, each with the definitions and attributes it uses, through others too, that are not
    the same in both.
    """
    told = [first, second]
    used: list[str] = []
    defined = [_attributes(own) | _definitions(own) for own in items]
    names = defined[0].keys() & defined[1].keys()
    written = [{name: own[name] for name in names} for own in defined]
    left = [*told]
    while left:
        found = [name for name in dict.fromkeys(re.findall(r"\w+", left.pop())) if name in names and name not in used]
        used += found
        left += [own[name] for name in found for own in written]
    for side, own in enumerate(written):
        parts = [own[name] for name in used if written[0][name] != written[1][name]]
        told[side] += f" where {', '.join(parts)}" if parts else ""
    return told[0], told[1]


def _definitions(items: Mapping[Key, n.Node]) -> dict[str, str]:
    return {
        name: re.sub(r"^(change\s+)?define\s+", "", _written(node))
        for (kind, name), node in items.items()
        if kind == "define"
    }


def _attributes(items: Mapping[Key, n.Node]) -> dict[str, str]:
    """What is written of each attribute; of several things that have one of that name, all of it."""
    found: dict[str, list[str]] = {}
    for node in items.values():
        for one in node.attributes if isinstance(node, n.Component) else ():
            found.setdefault(one.name.name, []).append(_written(one))
    return {name: ", ".join(texts) for name, texts in found.items()}


def _reading(node: n.Ambiguity, alternative: n.Alternative | None, game: Game | None, voice: Voice) -> str:
    if game is not None:
        return voice.reading(game, node, alternative)
    return node.reads if alternative is None else alternative.text


def _laid_out(written: str, text: str) -> str:
    """What a step of the setup says after its text, without its source."""
    rest = written.partition(in_quotes(text))[2] if text else written
    return re.sub(r"\s+see\s+[\w, ]+$", "", rest).lstrip(": ")


def _written(node: n.Node, start: int | None = None) -> str:
    span = node.span
    return one_line(span.file.text[span.start if start is None else start : span.end])


def cards_in(deck: n.Deck, ruleset: Ruleset) -> Counter[str]:
    """The number of cards of each code in a deck."""
    listed = Counter({code.name: count for part in deck.parts for code, count in part.cards})
    every = sum(part.every for part in deck.parts)
    return listed + Counter(dict.fromkeys(ruleset.components[deck.component.name].codes, every))


def deck_difference(first: n.Deck, second: n.Deck, rulesets: Sequence[Ruleset]) -> str:
    """The cards of which one deck has more than the other."""
    counts = [cards_in(deck, ruleset) for deck, ruleset in zip((first, second), rulesets, strict=True)]
    sides = (mark("the first has {cards} more"), mark("the second has {cards} more"))
    parts = []
    for side, more in zip(sides, (counts[0] - counts[1], counts[1] - counts[0]), strict=True):
        if more:
            cards = " ".join(f"{count} {code}" if count > 1 else code for code, count in sorted(more.items()))
            parts.append(Told(side, cards=cards))
    return Told("{parts}", parts=Listed(parts)) if parts else ""
