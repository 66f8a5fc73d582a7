"""What changed in an item of the rules, as a player would say it: pieces, places, steps of the setup, what actions do.

Each function gives pairs (how it is now, how it was); none where only the rules file itself can say it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pwtool.ir.model import ComponentModel
from pwtool.lang import tree as n
from pwtool.play.game import Game
from pwtool.show.text.order_words import plain
from pwtool.text.words import one_line

Change = tuple[str, str]
Done = n.Action | n.Consequence
MAX_VALUES = 8
_LAID = {"chance": "by chance", "choice": "by choice", "owner": "to whom it belongs"}


# ---- pieces ------------------------------------------------------------------------------------------------------------


def deck_changes(games: tuple[Game, Game], a: n.Deck, b: n.Deck) -> list[Change]:
    """Which pieces come into a deck and which go out."""
    out, into = _cards(a) - _cards(b), _cards(b) - _cards(a)
    found = [f"Take out of the deck `{a.name.name}`: {_listed(games[0], a, out)}"] if out else []
    found += [f"Put into the deck `{b.name.name}`: {_listed(games[1], b, into)}"] if into else []
    return [(words, "") for words in found]


def deck_size(deck: n.Deck) -> str:
    """A deck that is new or gone."""
    count = _cards(deck).total()
    return f"the deck `{deck.name.name}`" + (f", {count} of `{deck.component.name}`" if count else "")


def _cards(deck: n.Deck) -> Counter[str]:
    return Counter({code.name: count for part in deck.parts for code, count in part.cards})


def _listed(game: Game, deck: n.Deck, cards: Counter[str]) -> str:
    component = game.ruleset.components[deck.component.name]
    shown = ((face_words(component, code), count) for code, count in sorted(cards.items()))
    return ", ".join(f"{count} times {face}" if count > 1 else face for face, count in shown)


def face_words(component: ComponentModel, code: str) -> str:
    """A piece by what is on it, and its code: `red flag 4 (RF4)`."""
    number = component.numbers[code]
    words: list[str] = []
    for attribute in component.attributes.values():
        value = attribute.table[number]
        if not attribute.in_code or value is None or value is False:
            continue
        words.append(plain(attribute.name if value is True else str(value)))
    return f"{' '.join(words)} ({code})" if words else f"`{code}`"


def component_changes(games: tuple[Game, Game], name: str) -> list[Change]:
    """Pieces that are new or gone, and what counts otherwise on those that stay."""
    a, b = (game.ruleset.components[name] for game in games)
    new, gone = ([c for c in one.codes if c not in other.numbers] for one, other in ((b, a), (a, b)))
    found = [f"New on `{name}`: {', '.join(face_words(b, c) for c in new)}"] if new else []
    found += [f"No longer on `{name}`: {', '.join(face_words(a, c) for c in gone)}"] if gone else []
    changes = [(words, "") for words in found]
    for key in (k for k in b.attributes if k in a.attributes):
        here, there = b.attributes[key].table, a.attributes[key].table
        other = [c for c in b.codes if c in a.numbers and here[b.numbers[c]] != there[a.numbers[c]]]
        if other:
            more = f" and {len(other) - MAX_VALUES} more" if len(other) > MAX_VALUES else ""
            changes.append((_values(b, key, other) + more, _values(a, key, other) + more))
    return changes


def _values(component: ComponentModel, key: str, codes: Sequence[str]) -> str:
    table = component.attributes[key].table
    shown = (f"{face_words(component, c)} {table[component.numbers[c]]}" for c in codes[:MAX_VALUES])
    return f"`{plain(key)}`: " + ", ".join(shown)


# ---- places ------------------------------------------------------------------------------------------------------------


def zone_changes(a: n.Zone, b: n.Zone) -> list[Change]:
    """What another place it is, and who sees now what lies there."""
    name = b.name.name
    found = [(f"`{name}` is now {_place(b)}", _place(a))] if _place(a) != _place(b) else []
    if _seen(a) != _seen(b):
        found.append((f"What lies in {name} is seen by {_seen(b)}", f"seen by {_seen(a)}"))
    return found


def zone_words(zone: n.Zone) -> str:
    """A place that is new or gone."""
    seen = "" if _seen(zone) == "everybody" else f", seen by {_seen(zone)}"
    return f"`{zone.name.name}`, {_place(zone)}{seen}"


def _place(zone: n.Zone) -> str:
    kind = zone.kind
    what = f"`{kind.component.name}`" if kind.component is not None else "numbers"
    match kind.kind:
        case "grid":
            size = f"{kind.width}x{kind.height}"
            words = f"a board for {what}, {'at most ' if kind.floating else ''}{size}"
        case "slot":
            words = f"a place for one of {what}" if kind.component is not None else "a place for one number"
        case "pile":
            words = f"a pile of {what}"
        case _:
            words = f"a place for any number of {what}"
    if zone.size is not None:
        words += f" ({zone.size} of them)"
    owners = " and each ".join(plain(per.name) for per in zone.per)
    return words + (f", for each {owners}" if owners else ", shared by all")


def _seen(zone: n.Zone) -> str:
    seen = zone.seen.name if zone.seen is not None else "all"
    return {"owner": "its owner alone", "none": "nobody", "all": "everybody"}.get(seen, seen)


# ---- the setup ---------------------------------------------------------------------------------------------------------


def setup_changes(a: n.SetupStep, b: n.SetupStep) -> list[Change]:
    """Another text, or with the same text another number or another way of dealing."""
    if a.text != b.text:
        return [(b.text, a.text)]
    if (a.amount, a.rest) != (b.amount, b.rest):
        before, after = ("the rest" if s.rest else str(s.amount) if s.amount else "all" for s in (a, b))
        return [(f"{b.text}: {after}", before)]
    if a.manner != b.manner and a.manner in _LAID and b.manner in _LAID:
        return [(f"{b.text}: {_LAID[b.manner]}", _LAID[a.manner])]
    return []


def players_words(node: n.Players) -> str:
    return f"For {node.low} players" if node.low == node.high else f"For {node.low} to {node.high} players"


# ---- what is done ------------------------------------------------------------------------------------------------------


def action_changes(a: Done, b: Done) -> list[Change]:
    """What an action is called now, what it moves where, and what has to be said with it, as far as that differs. What it
    only notes down for rules is no part of it: those rules say what comes of it.
    """
    before, after = _effects(a), _effects(b)
    lost, new = [w for w in before if w not in after], [w for w in after if w not in before]
    asked, dropped = _asked(b, a), _asked(a, b)
    if a.text == b.text and not (lost or new or asked or dropped):
        return []
    texts = a.text or plain(a.name.name), b.text or plain(b.name.name)
    parts_before = lost or (["nothing goes anywhere"] if new and not before else [])
    parts_after = new or (["nothing goes anywhere"] if lost and not after else [])
    if lost and not new and after:
        parts_after = [f"no longer: {words}" for words in lost]
        parts_before = []
    parts_after += [f"{words} is told with it" for words in asked]
    parts_before += [f"{words} is told with it" for words in dropped]
    now = "; ".join([texts[1], *parts_after]) if not parts_after else f"{texts[1]}: {'; '.join(parts_after)}"
    was = f"{texts[0]}: {'; '.join(parts_before)}" if parts_before else texts[0]
    return [(now, was)]


def _effects(action: Done) -> list[str]:
    found = (_effect(s, action) for s in action.statements if isinstance(s, n.Effect))
    return list(dict.fromkeys(words for words in found if words))


def _effect(effect: n.Effect, action: Done) -> str:
    """What one effect moves where; nothing for what is only noted down."""
    sometimes = " in some cases" if effect.when is not None else ""
    what, target = _thing(effect.what), f" to {_where(effect.target)}" if effect.target is not None else ""
    match effect.kind:
        case "move":
            return f"{what} goes{target}{sometimes}"
        case "put":
            return f"the token {what} goes{target}{sometimes}"
        case "return":
            return f"the token {what} is given back{sometimes}"
        case "shuffle":
            return next(
                (_shuffled(p) for p in action.parameters if isinstance(p, n.Parameter) and p.name == effect.what), ""
            )
    return ""


def _shuffled(order: n.Parameter) -> str:
    assert order.origin is not None
    return f"{_where(order.origin)} is shuffled" + (" below its top" if order.below else "")


def _thing(node: n.Node) -> str:
    if isinstance(node, n.Unary) and node.operator == "top":
        return f"the top of {_where(node.operand)}"
    return f"`{plain(node.name)}`" if isinstance(node, n.Name) else f"`{one_line(node.span.text)}`"


def _where(node: n.Node) -> str:
    """A place by its name; which cell or pile of it is meant, the board shows."""
    while isinstance(node, n.Index):
        node = node.value
    return _thing(node)


def _asked(action: Done, other: Done) -> list[str]:
    """What has to be said with one action and not with the other."""
    known = {p.name.name for p in other.parameters}
    return [f"`{plain(p.name.name)}`" for p in action.parameters if p.name.name not in known]


# ---- who wins ----------------------------------------------------------------------------------------------------------


def ranking_words(node: n.Ranking) -> str:
    """Who wins, where everything that counts can be said; else nothing."""
    parts = []
    for criterion in node.criteria:
        words = _criterion(criterion)
        if not words:
            return ""
        parts.append(words)
    return f"It wins {', then '.join(parts)}"


def _criterion(criterion: n.Criterion) -> str:
    value = criterion.value
    if value is None:
        return {"shared": "nobody alone: a tie is shared", "replayed": "nobody: a tie is played again"}.get(
            criterion.kind, ""
        )
    kind = {"most": "the most", "fewest": "the fewest"}.get(criterion.kind, "")
    if isinstance(value, n.Name):
        return f"{kind} {'points' if value.name == 'total' else f'`{plain(value.name)}`'}"
    if isinstance(value, n.Unary) and value.operator == "count" and isinstance(value.operand, n.Name):
        return f"{kind} in `{plain(value.operand.name)}`"
    return ""


def text_of(node: n.Node | None) -> str:
    """The text that a rules file gives an item."""
    return str(getattr(node, "text", "") or "")
