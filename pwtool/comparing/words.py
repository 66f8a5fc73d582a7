"""Items of a ruleset in words for readers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.text.words import one_line


def words_of(node: n.Node | None) -> str:
    """An item in words, on one line: its text, then its condition or its parts as written."""
    if node is None:
        return ""
    text = str(getattr(node, "text", "") or "")
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
            others = " or ".join(f'"{a.text}"' for a in node.alternatives)
            return f'{text}: read as "{node.reads}", otherwise {others}'
        case n.Erratum():
            return text
        case n.SetupStep():
            written = _laid_out(_written(node), text)
        case _:
            return _written(node)
    return ": ".join(part for part in (text, written) if part)


def _laid_out(written: str, text: str) -> str:
    """What a step of the setup says after its text, without its source."""
    rest = written.partition(f'"{text}"')[2] if text else written
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
    parts = []
    for label, more in (("first", counts[0] - counts[1]), ("second", counts[1] - counts[0])):
        if more:
            cards = " ".join(f"{count} {code}" if count > 1 else code for code, count in sorted(more.items()))
            parts.append(f"the {label} has {cards} more")
    return ", ".join(parts)
