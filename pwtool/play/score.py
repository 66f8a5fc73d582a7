"""Scores and ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pwtool.eval.kleene import is_unknown
from pwtool.play.game import Game
from pwtool.play.state import State


@dataclass(frozen=True, slots=True)
class Result:
    """`parts[p][line]` and `totals[p]` for each seat; `ranking` groups seats that share a place, best first;
    `replayed`: the best are equal and the rules ask them to play again. Unknown numbers stay unknown.
    """

    parts: list[dict[str, Any]]
    totals: list[Any]
    ranking: list[list[int]] | None
    replayed: bool = False


def score_game(game: Game, state: State) -> Result:
    """The score lines, totals and ranking of a position, as if the game ended here."""
    machine = game.machine(state)
    own = state.player
    parts: list[dict[str, Any]] = []
    totals: list[Any] = []
    for player in range(state.players):
        state.player = player
        lines = {s.name: machine.scores[i](state, game.locals()) for i, s in enumerate(game.ruleset.scores)}
        parts.append(lines)
        totals.append(_sum(lines.values()))
    state.totals = totals
    ranking = None
    if not any(is_unknown(t) for t in totals):
        keys: list[tuple[Any, ...]] = []
        for player in range(state.players):
            state.player = player
            key = []
            for kind, value in machine.criteria:
                if value is not None:
                    number = value(state, game.locals())
                    key.append(-number if kind == "most" and not is_unknown(number) else number)
            keys.append(tuple(key))
        if not any(is_unknown(part) for key in keys for part in key):
            ranking = _groups(keys)
    state.player, state.totals = own, None
    tie = ranking is not None and len(ranking[0]) > 1
    return Result(parts, totals, ranking, tie and any(kind == "replayed" for kind, _ in machine.criteria))


def _sum(values: Any) -> Any:
    low = high = 0
    unknown = False
    for value in values:
        if is_unknown(value):
            unknown = True
            low += getattr(value, "low", 0)
            high += getattr(value, "high", 0)
        else:
            low += value
            high += value
    if not unknown:
        return low
    from pwtool.eval.kleene import Between

    return Between(low, high)


def _groups(keys: list[tuple[Any, ...]]) -> list[list[int]]:
    order = sorted(range(len(keys)), key=lambda p: keys[p])
    groups: list[list[int]] = []
    for player in order:
        if groups and keys[groups[-1][0]] == keys[player]:
            groups[-1].append(player)
        else:
            groups.append([player])
    return groups
