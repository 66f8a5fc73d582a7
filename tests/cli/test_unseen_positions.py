"""What commands say of positions of which not everything is known: never more than that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pwtool.cli.app import run

RACE = """
game race "Race"
players 2..2
component card { color: red "R" | blue "B" value: 1..3 }
deck pack of card = { R1 R2 R3 B1 B2 B3 }
zone hand: bag of card per player seen by owner
zone row: pile of card per player
zone prizes: pile of 1..4
zone won: slot of 1..4 per player
setup {
  deal hand "Three each": 3 each of pack to hand
  put prizes "Prizes": 1 4
}
turn = lay
action lay "Lay" (card: card from hand "From the hand") { move card to row }
consequence claim "First red on top" (prize = top of prizes) {
  rule red "Red on top" require (top of row).color == red
  rule once "Once" require won is empty
  rule left "Left" require prizes is not empty
  move top of prizes to won
}
ending out "Out" when every q in players: hand[q] is empty then stop
score prize "Prize" = sum won
ranking most total, shared
"""
LAID = ["?", "R2", "B1", "B3", "B2", "?"]
CLAIMS = {0: ("Ana", 4), 1: ("Ben", 1)}


def game(folder: Path, recorded: bool, scores: tuple[int, int] = (4, 1)) -> tuple[str, str]:
    """A file with a game in which nobody saw the first card, which is red, and one with the rules."""
    turns: list[dict[str, Any]] = []
    for turn, card in enumerate(LAID):
        actions: list[dict[str, Any]] = [{"action": "lay", "card": card}]
        if recorded and turn in CLAIMS:
            actions.append({"action": "claim", "prize": CLAIMS[turn][1]})
        turns.append({"player": ("Ana", "Ben")[turn % 2], "actions": actions})
    first, second = ("Ana", "Ben") if scores[0] > scores[1] else ("Ben", "Ana")
    record: dict[str, Any] = {
        "format": "pwtool/1", "players": ["Ana", "Ben"], "setup": {"hand": {"Ana": ["?"] * 3, "Ben": ["?"] * 3}},
        "turns": turns,
        "result": {"scores": dict(zip(("Ana", "Ben"), scores, strict=True)), "ranking": [[first], [second]]},
    }  # fmt: skip
    if recorded:
        record["recorded"] = ["claim"]
    rules, path = folder / "game.rules", folder / "game.json"
    rules.write_text(RACE, "utf-8")
    path.write_text(json.dumps(record), "utf-8")
    return str(path), str(rules)


@pytest.mark.parametrize("scores", [(4, 1), (0, 4)])
def test_a_consequence_that_may_have_happened_leaves_nothing_to_judge(
    scores: tuple[int, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No record is wrong because of what would have followed if it had not."""
    record, rules = game(tmp_path, recorded=False, scores=scores)
    assert run(["check", record, "--rules", rules]) == 3
    out = capsys.readouterr().out
    assert "from here on nothing was judged" in out and "error" not in out


def test_a_record_says_which_consequences_happened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record, rules = game(tmp_path, recorded=True)
    assert run(["check", record, "--rules", rules]) == 3
    assert "from here on" not in capsys.readouterr().out
    assert run(["score", record, "--rules", rules, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scores"] == {"Ana": 4, "Ben": 1}


def test_no_command_goes_on_where_nothing_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record, rules = game(tmp_path, recorded=False)
    assert run(["score", record, "--rules", rules]) == 3
    out, err = capsys.readouterr()
    assert "as it stands at the beginning of turn 1" in out and "from here on nothing was judged" in err
    assert run(["legal", record, "--rules", rules, "--at", "4"]) == 3
    out, err = capsys.readouterr()
    assert out.startswith("turn 1") and "from here on nothing was judged" in err
    assert run(["replay", record, "--rules", rules, "--at", "4"]) == 3
    out, err = capsys.readouterr()
    assert out.startswith("before turn 1\n") and "from here on nothing was judged" in out
    assert run(["replay", record, "--rules", rules, "--json"]) == 3
    replayed = json.loads(capsys.readouterr().out)
    assert replayed["end"] is None and [turn["position"] is None for turn in replayed["turns"]] == [False] + 5 * [True]


# ---- positions and boards


def position(folder: Path, **zones: Any) -> str:
    path = folder / "position.json"
    data = {
        "format": "pwtool-state/1", "ruleset": "paper_world/en", "players": ["A", "B"],
        "goals": ["l_of_2s", "two_5s", "diagonal_2_3_4"], "zones": zones,
    }  # fmt: skip
    path.write_text(json.dumps(data), "utf-8")
    return str(path)


BOARDS = {"A": [[0, 0, ["K1"]], [0, 1, ["?"]]], "B": [[0, 0, ["B1"]]]}


@pytest.mark.parametrize("objective", ["two_5s", "five_1s", "column_sum_12", "one_to_five"])
def test_no_change_is_called_the_fewest_where_a_card_is_unseen(
    objective: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two cards fulfil none of these, whatever the second one is."""
    assert run(["match", objective, position(tmp_path, landscape=BOARDS), "--player", "A"]) == 1
    out = capsys.readouterr().out
    assert f"{objective} is not fulfilled" in out and "it depends on cards that nobody saw" in out


def test_an_unseen_card_may_decide(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    boards = {"A": [[0, 0, ["K5"]], [0, 1, ["?"]]], "B": []}
    assert run(["match", "two_5s", position(tmp_path, landscape=boards), "--player", "A"]) == 3
    assert "it depends on a card that nobody saw" in capsys.readouterr().out


def test_zones_that_are_left_out_are_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["score", position(tmp_path, landscape=BOARDS), "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert found["finished"] is None and found["ranking"] is None
    assert (
        found["parts"]["A"] | {"objectives": "unknown", "hand": "unknown", "discard": "unknown"} == found["parts"]["A"]
    )
    # In what ranks the players as well.
    path = tmp_path / "race.json"
    zones = {"hand": {"Ana": [], "Ben": []}, "won": {"Ana": 4, "Ben": 4}}
    path.write_text(json.dumps({"format": "pwtool-state/1", "players": ["Ana", "Ben"], "zones": zones}), "utf-8")
    rules = tmp_path / "game.rules"
    rules.write_text(RACE.replace("most total", "most total, fewest count row"), "utf-8")
    assert run(["score", str(path), "--rules", str(rules), "--json"]) == 3
    assert json.loads(capsys.readouterr().out) == {
        "finished": None, "scores": {"Ana": 4, "Ben": 4}, "parts": {"Ana": {"prize": 4}, "Ben": {"prize": 4}}, "ranking": None,
    }  # fmt: skip
    assert run(["match", "two_5s", position(tmp_path, hand={"A": ["K1"], "B": []})]) == 3
    assert "the position does not say what lies in `landscape`" in capsys.readouterr().err


# ---- what no record is wrong of

HIDDEN = """
game hidden "Hidden"
players 2..2
component tile { color: red "R" | blue "B"  value: 1..3 }
deck tiles of tile = all
zone stock: pile of tile seen by none
zone heap: pile of tile seen by none
zone table: bag of tile seen by none
zone board: grid 2x1 of tile
token pin on board
setup deal stock "All": all of tiles to stock by chance
var shown: tile per game
turn = mark | flip | keep | look | pile | pinned | lift | name | take
action mark "Mark" () {
  put pin on board[(0, 0) of board] when (top of stock).value == 2
  move top of stock to heap
}
action pinned "Pinned" () { rule there "There" require pin on board[(0, 0) of board] }
action flip "Flip" () {
  shown = top of stock
  move top of stock to table
}
action keep "Keep" (card: tile from table) {
  rule worth "No more than the one shown" require card.value <= (shown.value else 0)
  move card to heap
}
action pile "Pile" () { move top of stock to heap }
action lift "Lift" () { move top of heap to table }
action name "Name" (card: tile from table) { move card to heap }
action take "Take" (card: tile from heap) { move card to table }
action look "Look" (card: tile from heap) { rule top "The top" require (top of heap).value == card.value }
ending empty "Empty" when stock is empty then stop
score heap "Heap" = count heap
ranking most total, shared
"""


@pytest.mark.parametrize(
    ("stock", "actions", "code"),
    [
        # A token lies there or not, as an unseen tile says.
        ("? ? ? ? ? ?", ["mark", "pinned"], 3),
        # The one that was shown is the only one on the table.
        ("R1 B1 R2 B2 ? ?", ["flip", "keep B3"], 3),
        # Of three tiles the second is known, and one of the others leaves: which, and so what lies on top, nobody knows.
        ("? ? ? ? R1 ?", ["pile", "pile", "pile", "take R2", "lift", "name R1"], 0),
        # One of two unseen ones in a pile, whichever.
        ("? ? ? ? ? ?", ["pile", "pile", "look R2", "lift", "name R2"], 3),
    ],
)
def test_a_record_is_not_wrong_because_of_what_nobody_saw(
    stock: str, actions: list[str], code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, path = tmp_path / "hidden.rules", tmp_path / "hidden.json"
    rules.write_text(HIDDEN, "utf-8")
    done = [dict(zip(("action", "card"), words.split(), strict=False)) for words in actions]
    turns = [{"player": ("Ana", "Ben")[turn % 2], "actions": [action]} for turn, action in enumerate(done)]
    record = {"format": "pwtool/1", "players": ["Ana", "Ben"], "setup": {"stock": stock.split()}, "turns": turns}
    path.write_text(json.dumps(record), "utf-8")
    assert run(["check", str(path), "--rules", str(rules), "-f", "concise"]) == code, capsys.readouterr().out


DRAWN = """
game drawn "Drawn"
players 2..2
component card { value: 1..3 }
deck pack of card = 2 all
zone hand: bag of card per player seen by owner
zone kept: bag of card per player
setup deal hand "Three each": 3 each of pack to hand by chance
turn = lay
action lay "Lay" (card: card from hand) { move card to kept }
ending rich "Four" when some q in players: sum value of kept[q] >= 4 then 1 more turn each
ending empty "No card is left" when every q in players: hand[q] is empty then stop
score kept "Kept" = sum value of kept
ranking most total, shared
"""


@pytest.mark.parametrize(("turn", "code"), [(4, 3), (2, 1)])
def test_the_end_may_come_in_each_turn_in_which_unseen_cards_allow_it(
    turn: int, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the first one counted: a true game was called wrong. In the second turn nobody can have four."""
    rules = tmp_path / "game.rules"
    rules.write_text(DRAWN, "utf-8")
    record = {
        "format": "pwtool/1", "players": ["Ana", "Ben"], "setup": {"hand": {"Ana": ["?"] * 3, "Ben": ["?"] * 3}},
        "turns": [{"player": player, "actions": [{"action": "lay", "card": "?"}]} for player in ["Ana", "Ben"] * 3],
        "result": {"end": {"rule": "rich", "turn": turn}},
    }  # fmt: skip
    (tmp_path / "game.json").write_text(json.dumps(record), "utf-8")
    assert run(["check", str(tmp_path / "game.json"), "--rules", str(rules)]) == code, capsys.readouterr().out


def test_what_a_position_leaves_out_is_drawn_with_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = {
        "format": "pwtool-state/1", "ruleset": "paper_world/en", "players": ["Ana", "Ben"],
        "zones": {"landscape": {"Ana": [[0, 0, ["Y1"]]], "Ben": []}},
    }  # fmt: skip
    path, picture = tmp_path / "state.json", tmp_path / "state.svg"
    path.write_text(json.dumps(state), "utf-8")
    assert run(["render", str(path), "-o", str(picture)]) == 0
    assert "`hand`, `discard`, `prizes`, `won` are not given, and drawn as empty" in picture.read_text("utf-8")
    assert run(["render", str(path), "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)["position"]["zones"]) == ["landscape"]
