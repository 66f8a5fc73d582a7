"""Whether an action is possible does not depend on what is tried first."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pwtool.play.legal import LegalActions
from pwtool.play.play import Play
from pwtool.play.replay import replay_record
from tests.daily import one_day_in
from tests.support import book, random_game

ADDRESSES = ("chess", "checkers+flying_kings", "othello", "nine_mens_morris", "connect_four+pop_out", "amazons")


@one_day_in(8)
@pytest.mark.parametrize("address", ADDRESSES)
def test_what_is_suggested_decides_nothing(address: str) -> None:
    rules, rng = book(address), random.Random(address)
    legal, actions = rules.legal, rules.game.ruleset.actions
    asked = kept = 0

    def cell(zone: int) -> tuple[int, int]:
        grid = rules.game.zone_list[zone]
        return rng.randrange(-1, grid.width + 1), rng.randrange(-1, grid.height + 1)

    def observe(play: Play, turn: int, action: int | None) -> None:
        nonlocal asked, kept
        state = play.state.copy()
        if turn % 4 or state.unseen:
            return
        for name, model in actions.items():
            for player in range(state.players):
                state.player = player
                possible = next(legal.arguments(state, model.number), None) is not None
                suggestions: list[Any] = [state.possible.get((model.number, player))]
                if all(p.kind == "cell" for p in model.parameters):
                    suggestions += [tuple(cell(p.zone) for p in model.parameters) for _ in range(4)]
                for suggested in suggestions:
                    state.possible = {}
                    if suggested is not None:
                        legal.suggest(state, model.number, player, suggested)
                        kept += bool(state.possible)
                    assert legal.exists(state, name) is possible, (turn, name, player, suggested)
                    asked += 1

    for seed in range(2):
        data, _ = random_game(address, 2, seed)
        data = {name: part for name, part in data.items() if name != "result"} | {"turns": data["turns"][:60]}
        assert replay_record(rules.game, rules.decoder.record(data), legal, observe).findings == []
    assert asked > 100
    assert kept > 20


@one_day_in(8)
@pytest.mark.parametrize("address", ADDRESSES)
def test_findings_are_the_same_without_suggestions(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An ending may ask whether anything is possible, and what a record does next, legal or not, is tried first."""
    rules, rng = book(address), random.Random(address)
    data, _ = random_game(address, 2, 5)
    damaged = []
    for _ in range(12):
        turns = [{**turn, "actions": [*turn["actions"]]} for turn in data["turns"]]
        one, other = rng.sample(range(min(60, len(turns))), 2)
        turns[one]["actions"], turns[other]["actions"] = turns[other]["actions"], turns[one]["actions"]
        damaged.append(rules.decoder.record({**data, "turns": turns}))
    with_ = [replay_record(rules.game, record, rules.legal).findings for record in damaged]
    monkeypatch.setattr(LegalActions, "suggest", lambda *_: None)
    without = [replay_record(rules.game, record, rules.legal).findings for record in damaged]
    assert [[(f.code, f.path, f.rule) for f in found] for found in with_] == [
        [(f.code, f.path, f.rule) for f in found] for found in without
    ]
    assert any(with_)
