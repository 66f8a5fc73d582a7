"""What is known of a game, or of a turn, that begins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pwtool.comparing.induction.invariants import Side
from pwtool.comparing.induction.position import PILES, Position, no_pile
from pwtool.comparing.induction.reading import Reader
from pwtool.comparing.induction.terms import NOTHING, Open, Value, equal
from pwtool.ir.model import Ruleset, SetupModel, VariableModel, ZoneModel
from pwtool.kernel.material import deck_counts


def dealt(ruleset: Ruleset, players: int, zone: ZoneModel, step: SetupModel, held: list[Any]) -> Iterator[Any]:
    """What is known of the zones of a name after the only step of the setup that lays something there."""
    if zone.floating:
        yield from (one.some for one in held if step.kind == "deal" and step.amount and step.cell)
    elif step.board:
        laid = dict(step.board)
        for at, pile in (found for one in held for found in one.piles.items()):
            yield from (equal(pile.count(v), laid.get(at, ()).count(v)) for v in pile.values)
    elif step.owner and len(held) == players and [s.deck for s in ruleset.setup].count(step.deck) == 1:
        component = ruleset.components[ruleset.decks[step.deck].component]
        owners, counts = component.attributes[step.owner].table, deck_counts(ruleset, step.deck, players)
        for seat, pile in enumerate(held):
            yield from (equal(pile.count(v), counts[v] if owners[v] == seat else 0) for v in pile.values)
    elif step.kind == "deal" and step.amount and not (step.owner or step.cell):
        piles = [pile for one in held for pile in (one.piles.values() if zone.kind == "grid" else [one])]
        yield from (equal(pile.size, step.amount) for pile in piles if step.spread or zone.kind != "grid")


def set_first_values(side: Side, position: Position, per: str, actor: int) -> None:
    """Give the variables of a game or a turn their first values."""
    for v in side.ruleset.variables.values():
        if v.per == per and v.each:
            seats = range(position.world.players)
            position.variables[v.name] = [_first_value(v, side.reader(position, seat)) for seat in seats]
        elif v.per == per:
            position.variables[v.name] = _first_value(v, side.reader(position, actor))


def _first_value(v: VariableModel, reader: Reader) -> Any:
    if v.type.kind in PILES:
        if v.initial is not None:
            raise Open
        return no_pile(reader.world, v.type.element)
    if v.initial is None:
        return Value((False,)) if v.type.kind == "bool" else NOTHING
    return reader.value(v.initial, {})
