"""Whether a board can arise as far as the cards of the game and the invariants tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pwtool.boards.proofs import position_with
from pwtool.eval.values import Grid
from pwtool.ir.model import ComponentModel
from pwtool.kernel.material import material_of
from pwtool.play.game import Game
from pwtool.play.position import check_invariant

Decks = Sequence[Counter[int] | None]


def decks_of(games: Sequence[Game], component: ComponentModel) -> Decks:
    """How often each card may be in one of the games, for any number of players; None where that is not known."""
    found: dict[frozenset[tuple[int, int]] | None, Counter[int] | None] = {}
    for ruleset in (game.ruleset for game in games):
        if ruleset.components[component.name].codes != component.codes:
            # Its numbers stand for other cards.
            return [None]
        for players in range(ruleset.min_players, ruleset.max_players + 1):
            there = material_of(ruleset, component.name, players, len(ruleset.objectives))
            deck = None if there is None else there.whole + there.partly
            found[None if deck is None else frozenset(deck.items())] = deck
    return list(found.values())


def lacking(component: ComponentModel, decks: Decks, grid: Grid) -> Counter[int]:
    """The cards of a board that these decks do not have, for the deck that has most of them."""
    lying = Counter(component.at_first(face) for pile in grid.values() for face in pile)
    beyond = [Counter[int]() if deck is None else lying - deck for deck in decks]
    return min(beyond, key=Counter.total)


def broken_by(game: Game, grid: Grid) -> list[str]:
    """The invariants that a board breaks, whatever lies elsewhere."""
    ruleset = game.ruleset
    assert ruleset.board is not None
    state = position_with(game, grid)
    state.zones[ruleset.board.number][0] = grid
    others = [name for name in ruleset.zones if name != ruleset.board.name]
    names = [f"P{seat}" for seat in range(state.players)]
    shared = not ruleset.board.dimensions
    asked = [one for one in ruleset.invariants if not one.between and (shared or one.each_player)]
    return [
        one.name
        for one in asked
        if any(not finding.undetermined for finding in check_invariant(game, one, state, names, others, 0))
    ]
