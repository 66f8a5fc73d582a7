"""Positions tell the variables of a game, and what is wrong with one is told at its place."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import pwtool
from pwtool.cli.app import run
from pwtool.play.replay import replay_record
from pwtool.play.state import keeps_unseen
from pwtool.records.encoding import encode_state
from pwtool.records.json_form import Malformed
from pwtool.records.notation.parser import parse_notation
from pwtool.records.notation.reading import read_notation
from pwtool.records.notation.writing import format_notation
from pwtool.records.schema import state_schema
from pwtool.records.states import decode_state
from pwtool.text.source import SourceFile
from tests.kernel.judging import bench, engine_game
from tests.kernel.test_kept_values import LEDGER
from tests.records.test_starts import chess_start
from tests.support import book


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


def test_what_is_not_known_stays_so_in_every_form() -> None:
    """Read again it is neither the first value nor any other one."""
    here = bench(LEDGER)
    game, schema = here.rules.game, Draft202012Validator(state_schema(here.rules.game))
    data = positions(1)[-1]
    for name, held in data["variables"].items():
        for unknown in [{player: "?"} for player in held] if isinstance(held, dict) else ["?"]:
            told = copy.deepcopy(data)
            told["variables"][name] = held | unknown if isinstance(held, dict) else unknown
            assert list(schema.iter_errors(told)) == [], told["variables"][name]
            found = decode_state(here.rules.decoder, told)
            assert found.state.unseen and keeps_unseen(found.state)
            assert encode_state(game, found.state, found.names) == told


def test_notation_tells_what_is_not_known() -> None:
    game = book("chess").game
    data = chess_start()
    first, second = data["players"]
    data["start"]["variables"] |= {"throne": {first: "?", second: [4, 7]}, "quiet": "?"}
    tree = parse_notation(SourceFile("game.pwn", format_notation(data, game))).value
    assert tree is not None
    read = read_notation(tree, game).value
    assert read is not None and read.data == data


def test_a_count_that_an_unseen_card_leaves_open_is_written_and_scored_as_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was left out if it was not known of one player, and read again it was the first value of all of them."""
    (tmp_path / "game.rules").write_text(REDS, "utf-8")
    rules = pwtool.load(str(tmp_path / "game.rules"))
    lay = [{"player": p, "actions": [{"action": "lay", "card": c}]} for p, c in (("Ana", "?"), ("Ben", "R2"))]
    dealt = {"hand": {"Ana": ["?", "?"], "Ben": ["R2", "?"]}}
    game = rules.replay({"format": "pwtool/1", "players": ["Ana", "Ben"], "setup": dealt, "turns": lay})
    position = game.at(3).state()
    assert position["variables"] == {"reds": {"Ana": "?", "Ben": 1}}
    path = tmp_path / "state.json"
    path.write_text(json.dumps(position), "utf-8")
    assert run(["score", str(path), "--rules", str(tmp_path / "game.rules"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["scores"] == {"Ana": "0 to 4", "Ben": 1}
    rest = game.at(3).record()
    rest["turns"] = [{"player": "Ana", "actions": [{"action": "lay", "card": "B1"}]}]
    for _ in range(3):
        verdict = rules.check(json.dumps(rest))
        assert verdict.status == "clean" and verdict.result is None, verdict


REDS = """
game reds "Reds"
players 2..2
component card { color: red "R" | blue "B" value: 1..2 }
deck pack of card = all
zone hand: bag of card per player seen by owner
zone row: pile of card
var reds: 0..4 = 0 per player
setup { deal hand "Two each": 2 each of pack to hand by chance }
turn = lay
action lay "Lay" (card: card from hand) {
  move card to row
  reds += 1 when card.color == red
}
ending out "Out" when every q in players: hand[q] is empty then stop
score reds "Red" = reds
ranking most total, shared
"""


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
