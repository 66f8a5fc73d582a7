"""Scores and ranking."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from msgspec import Struct

from pwtool.eval.backend import Evaluator
from pwtool.eval.kleene import Between, between, high_of, is_unknown, low_of, total
from pwtool.eval.values import UNKNOWN
from pwtool.ir.access import read_by
from pwtool.ir.nodes import Expr
from pwtool.play.game import Game
from pwtool.play.state import State


class Result(Struct, frozen=True):
    """The result of a game. `parts[p][line]` and `totals[p]` are for each seat; `ranking` groups seats that share a
    place, best first; `replayed`: the best are equal and the rules ask them to play again.

    Unknown numbers stay unknown, with bounds as tight as the rest of the deck makes them. `keys[p]` is what a seat is
    ranked by, less is better; `possible` are the results with every filling of the unseen cards, None if there are too
    many or nothing is unknown. `ended`: the endings by which the game may have ended, each with its turn.
    """

    parts: list[dict[str, Any]]
    totals: list[Any]
    ranking: list[list[int]] | None
    replayed: bool = False
    keys: tuple[tuple[Any, ...], ...] = ()
    possible: tuple[Result, ...] | None = None
    ended: tuple[tuple[str, int], ...] = ()

    @property
    def known(self) -> bool:
        """Whether it does not depend on unseen cards."""
        numbers = (*self.totals, *(value for lines in self.parts for value in lines.values()))
        return self.ranking is not None and not any(map(is_unknown, numbers))


def score_game(game: Game, state: State, silent: Collection[int] = ()) -> Result:
    """The score lines, totals and ranking of a position, as if the game ended here. What reads a `silent` zone, of which
    nothing is known, is unknown.
    """
    result = _scored(game, state, silent)
    if not state.unseen or silent or result.known:
        return result
    from pwtool.play.fillings import fillings

    filled = fillings(game, state)
    return result if filled is None else together([_scored(game, one) for one in filled])


def _scored(game: Game, state: State, silent: Collection[int] = ()) -> Result:
    machine = game.careful if silent else game.machine(state)
    scores, criteria = machine.scores, machine.criteria
    if silent:
        scores = [_unless(_reads(s.value, silent), f) for s, f in zip(game.ruleset.scores, scores, strict=True)]
        ranked = zip(game.ruleset.ranking, criteria, strict=True)
        criteria = [(kind, f and _unless(_reads(c.value, silent), f)) for c, (kind, f) in ranked]
    own = state.player
    parts: list[dict[str, Any]] = []
    totals: list[Any] = []
    for player in range(state.players):
        state.player = player
        lines = {s.name: scores[i](state, game.locals()) for i, s in enumerate(game.ruleset.scores)}
        parts.append(lines)
        totals.append(total(lines.values()))
    state.totals = totals
    keys: list[tuple[Any, ...]] = []
    for player in range(state.players):
        state.player = player
        keys.append(
            tuple(
                _negative(value(state, game.locals())) if kind == "most" else value(state, game.locals())
                for kind, value in criteria
                if value is not None
            )
        )
    known = not any(is_unknown(number) for number in (*totals, *(part for key in keys for part in key)))
    ranking = _groups(keys) if known else None
    state.player, state.totals = own, None
    tie = ranking is not None and len(ranking[0]) > 1
    replayed = tie and any(kind == "replayed" for kind, _ in machine.criteria)
    return Result(parts, totals, ranking, replayed, tuple(keys))


def _reads(expr: Expr | None, silent: Collection[int]) -> bool:
    """Whether a number depends on one of these zones, or on what is possible."""
    return any(kind == "action" or (kind == "zone" and number in silent) for kind, number in read_by(expr))


def _unless(is_open: bool, value: Evaluator) -> Evaluator:
    return (lambda state, e: UNKNOWN) if is_open else value


def together(results: list[Result]) -> Result:
    """What is known about a result that is one of these known ones."""
    first = results[0]
    seats = range(len(first.totals))
    parts = [{name: _one_of([r.parts[p][name] for r in results]) for name in first.parts[p]} for p in seats]
    totals = [_one_of([r.totals[p] for r in results]) for p in seats]
    keys = tuple(tuple(map(_one_of, zip(*(r.keys[p] for r in results), strict=True))) for p in seats)
    same = all(r.ranking == first.ranking for r in results)
    return Result(
        parts,
        totals,
        first.ranking if same else None,
        same and first.replayed,
        keys,
        tuple(results),
        tuple(e for r in results for e in r.ended),
    )


def _one_of(numbers: Any) -> Any:
    numbers = list(numbers)
    return between(min(numbers), max(numbers))


def _negative(number: Any) -> Any:
    if isinstance(number, Between):
        return Between(-number.high, -number.low)
    return number if is_unknown(number) else -number


def may_rank(keys: tuple[tuple[Any, ...], ...], ranking: list[list[int]]) -> bool:
    """Whether seats with these keys, which may be bounds, can be ranked like this."""
    for place, group in enumerate(ranking):
        for seat in group:
            if any(not _may_be(keys[seat], keys[other], tied=True) for other in group if other != seat):
                return False
            if any(not _may_be(keys[seat], keys[other]) for later in ranking[place + 1 :] for other in later):
                return False
    return True


def _may_be(key: tuple[Any, ...], other: tuple[Any, ...], tied: bool = False) -> bool:
    """Whether a key may be less than another, or equal to it if they are tied."""
    for a, b in zip(key, other, strict=True):
        if a is None or b is None or not (_is_number(a) and _is_number(b)):
            return True
        if low_of(a) > high_of(b) or (tied and high_of(a) < low_of(b)):
            return False
        if not tied and low_of(a) < high_of(b):
            return True
    return tied


def _is_number(value: Any) -> bool:
    return isinstance(value, int | Between)


def _groups(keys: list[tuple[Any, ...]]) -> list[list[int]]:
    order = sorted(range(len(keys)), key=lambda p: keys[p])
    groups: list[list[int]] = []
    for player in order:
        if groups and keys[groups[-1][0]] == keys[player]:
            groups[-1].append(player)
        else:
            groups.append([player])
    return groups
