"""Positions tell the variables of a game, and what is wrong with one is told at its place."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pwtool.play.replay import replay_record
from pwtool.records.encoding import encode_state
from pwtool.records.json_form import Malformed
from pwtool.records.schema import state_schema
from pwtool.records.states import decode_state
from tests.kernel.judging import bench, engine_game
from tests.kernel.test_kept_values import LEDGER


def positions(seed: int) -> list[dict[str, Any]]:
    """The positions between the turns of a game, as files."""
    here, found = bench(LEDGER), []
    record = engine_game(LEDGER, 2, seed, 100)

    def observe(play: Any, turn: int, action: int | None) -> None:
        if action is None:
            found.append(encode_state(here.rules.game, play.state, record.players))

    replay_record(here.rules.game, record, here.rules.legal, observe)
    return found


def test_a_position_is_the_same_read_again_and_its_schema_takes_it() -> None:
    here = bench(LEDGER)
    schema = Draft202012Validator(state_schema(here.rules.game))
    for data in [d for seed in range(6) for d in positions(seed)]:
        assert list(schema.iter_errors(data)) == []
        found = decode_state(here.rules.decoder, json.loads(json.dumps(data)))
        assert encode_state(here.rules.game, found.state, found.names) == data


def test_what_is_left_out_has_its_first_value() -> None:
    here, data = bench(LEDGER), positions(1)[-1]
    del data["variables"]
    state = decode_state(here.rules.decoder, data).state
    values = {v.name: state.variables[v.number] for v in here.rules.game.variable_list}
    assert values["points"] == [0, 0] and values["called"] is None and values["rich"] == 1


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("points", {"P1": 3}, "`points` has a value for each player"),
        ("points", {"P1": 3, "P2": 21}, "a number from -4 to 20 is needed"),
        ("points", 3, "`points` has a value for each player"),
        ("called", "clubs", "a value of the kind `suit` is needed"),
        ("rich", None, "a player is needed"),
        ("last_cell", [3, 0], "a cell is needed, `[column, row]`, that the grid has"),
        ("trump", "H9", "a value of the kind `card` is needed"),
        ("tricks", {"P1": 0, "P2": 0}, "there is no variable `tricks`"),
        ("spoke", {"P1": 1, "P2": False}, "true or false is needed"),
    ],
)
def test_what_a_variable_cannot_be_is_told(name: str, value: Any, message: str) -> None:
    here, data = bench(LEDGER), copy.deepcopy(positions(1)[-1])
    data["variables"][name] = value
    assert list(Draft202012Validator(state_schema(here.rules.game)).iter_errors(data)) or name == "points"
    with pytest.raises(Malformed) as told:
        decode_state(here.rules.decoder, data)
    assert told.value.message == message and told.value.path[:2] == ("variables", name)
