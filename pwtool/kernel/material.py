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


def laid_out(ruleset: Ruleset, component: str, players: int, goals: int) -> int:
    """How many things of a component are dealt or laid out in all."""
    decks = {s.deck for s in ruleset.setup if s.kind == "deal" and ruleset.decks[s.deck].component == component}
    total = sum(sum(deck_counts(ruleset, deck, players).values()) for deck in sorted(decks))
    for step in ruleset.setup:
        zone = next((z for z in ruleset.zones.values() if z.number == step.zone), None)
        if step.board and zone is not None and zone.element.component == component:
            total += sum(len(faces) for _, faces in step.board) * places(ruleset, step, players, goals)
    return total
