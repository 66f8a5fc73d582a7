"""The number of each thing in a game, before anything is dealt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from pwtool.ir.model import ActionModel, Ruleset, SetupModel
from pwtool.kernel.compiler import Compiler


class _Table(Struct, frozen=True):
    """The only property of a game that a deck depends on: the number of players."""

    players: int


def deck_counts(ruleset: Ruleset, deck: str, players: int) -> Counter[int]:
    """How many of each face a deck has with this number of players."""
    compiler = Compiler(ruleset)
    total: Counter[int] = Counter()
    for cards, when in ruleset.decks[deck].parts:
        if when is None or compiler.compile(when)(_Table(players), [None] * ruleset.slots):
            for face, count in cards:
                total[face] += count
    return total


def in_blocks(models: Iterable[ActionModel], each_action: bool) -> list[list[tuple[int, ActionModel]]]:
    """The consequences that come at one time, by number; those that are repeated together form one block."""
    blocks: list[list[tuple[int, ActionModel]]] = []
    for number, model in enumerate(models):
        if model.each_action != each_action:
            continue
        if model.repeated and blocks and blocks[-1][-1][1].repeated:
            blocks[-1].append((number, model))
        else:
            blocks.append([(number, model)])
    return blocks


def places(ruleset: Ruleset, step: SetupModel, players: int, goals: int) -> int:
    """The number of zones, or cells of a grid, that a deal goes to."""
    zone = next(z for z in ruleset.zones.values() if z.number == step.zone)
    if step.spread:
        return zone.width * zone.height
    count = 1
    for name, size in zone.dimensions:
        count *= {"player": players, "goal": goals}.get(name, size)
    return count


class Material(Struct, frozen=True):
    """The things of a component in a game, as they are at first: those that are all in play, those of which `dealt` are."""

    whole: Counter[int]
    partly: Counter[int]
    dealt: int


def material_of(ruleset: Ruleset, component: str, players: int, goals: int) -> Material | None:
    """What there is of a component at any time; None if nobody counts it, because nothing of it is dealt or laid out, or lies
    in a zone.
    """
    steps = [s for s in ruleset.setup if s.kind == "deal" and ruleset.decks[s.deck].component == component]
    zones = {z.number: z for z in ruleset.zones.values() if z.element.kind == "face"}
    boards = [s for s in ruleset.setup if s.board and zones[s.zone].element.component == component]
    if not (steps or boards) or not any(z.element.component == component for z in zones.values()):
        return None
    whole: Counter[int] = Counter()
    partly: Counter[int] = Counter()
    dealt = 0
    for deck in dict.fromkeys(s.deck for s in steps):
        counts = deck_counts(ruleset, deck, players)
        dealing = [s for s in steps if s.deck == deck]
        if all(s.amount for s in dealing):
            partly += counts
            dealt += sum(s.amount * places(ruleset, s, players, goals) for s in dealing)
        elif any(s.owner for s in dealing):
            owners = ruleset.components[component].attributes[dealing[0].owner].table
            whole += Counter({f: c for f, c in counts.items() if owners[f] < players})
        else:
            whole += counts
    first = ruleset.components[component].at_first
    for step in boards:
        # What lies there from the beginning belongs to no deck.
        count = places(ruleset, step, players, goals)
        whole += Counter(first(f) for _, faces in step.board for f in faces for _ in range(count))
    return Material(whole, partly, dealt)


def laid_out(ruleset: Ruleset, component: str, players: int, goals: int) -> int:
    """How many things of a component are dealt or laid out in all."""
    decks = {s.deck for s in ruleset.setup if s.kind == "deal" and ruleset.decks[s.deck].component == component}
    total = sum(sum(deck_counts(ruleset, deck, players).values()) for deck in sorted(decks))
    for step in ruleset.setup:
        zone = next((z for z in ruleset.zones.values() if z.number == step.zone), None)
        if step.board and zone is not None and zone.element.component == component:
            total += sum(len(faces) for _, faces in step.board) * places(ruleset, step, players, goals)
    return total
