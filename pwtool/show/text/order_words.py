"""The order of play as a player would say it: what may be done in a turn, in the words of its actions."""

from __future__ import annotations

from pwtool.lang import tree as n
from pwtool.play.game import Game
from pwtool.text.words import one_line


def turn_words(game: Game, node: n.Turn) -> str:
    """A whole turn."""
    return _order(game, node.order)


def action_words(game: Game, name: str) -> str:
    """An action by its text, as a part of a sentence."""
    action = game.ruleset.actions.get(name)
    return lowered(action.text) if action and action.text else name


def actor_words(node: n.Node) -> str:
    """Who acts, where a rules file names it by a name of its own; else that it is somebody whom a condition names."""
    if isinstance(node, n.Name):
        return "anybody" if node.name == "any" else f"the {plain(node.name)}"
    return "whoever is to do it"


def example_words(game: Game, names: list[str]) -> str:
    """A turn that is given by the names of its actions."""
    actions = game.ruleset.actions
    steps = [actions[name].text or name if name in actions else name for name in names]
    return ", then ".join([*steps[:1], *map(lowered, steps[1:])])


def plain(name: str) -> str:
    return name.replace("_", " ")


def lowered(text: str) -> str:
    """A sentence as a part of another; what begins with several capitals is a name."""
    return text if not text[:1].isupper() or text[1:2].isupper() else text[0].lower() + text[1:]


def raised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _order(game: Game, node: n.Node) -> str:
    match node:
        case n.Sequence():
            return ", then ".join(_order(game, item) for item in node.items)
        case n.Choice():
            if len(node.items) == 1:
                return _order(game, node.items[0])
            return f"(either {', or '.join(_grouped(game, item) for item in node.items)})"
        case n.Repeat():
            return _repeated(game, node)
        case n.Group():
            return f"{_grouped(game, node.order)} by {actor_words(node.actor)}"
        case n.Step():
            words = action_words(game, node.action.name)
            # Who does it, where it is not simply the player whose turn it is.
            words += f" by {actor_words(node.actor)}" if node.actor is not None else ""
            return words + (" (where it comes to that)" if node.guard is not None else "")
    return one_line(node.span.text)


def _repeated(game: Game, node: n.Repeat) -> str:
    """How often comes first where it is about several things: behind them it would be heard of the last alone."""
    inner = _grouped(game, node.item)
    match node.low, node.high:
        case 0, 1:
            return f"perhaps {inner}"
        case 0, None:
            often = "as often as wanted or not at all"
        case 1, None:
            often = "once or more"
        case low, None:
            often = f"{low} times or more"
        case low, high:
            often = f"{low} times" if low == high else f"{low} to {high} times"
    return f"{often}: {inner}" if inner.startswith("(") else f"{inner} {often}"


def _grouped(game: Game, node: n.Node) -> str:
    """A part of an order inside another, in brackets where it has parts itself."""
    while isinstance(node, n.Choice) and len(node.items) == 1:
        node = node.items[0]
    words = _order(game, node)
    return f"({words})" if isinstance(node, n.Sequence) and len(node.items) > 1 else words
