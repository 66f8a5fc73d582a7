"""What commands say of positions of which not everything is known: never more than that."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import pwtool
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


STOCK = """
players 2..2
component card "C" { value: 1..4 }
deck pack of card = DECK
zone stock: pile of card seen by none
zone hand: bag of card per player seen by owner
zone table: pile of card
setup deal stock "All": all of pack to stock by chance
"""
DRAWING = """
turn = draw | wait | lay
action draw "Draw" () {
  rule left "A card is left" require stock is not empty
  move top of stock to hand
}
action wait "Wait" () { rule early "Some are left" require count stock > 1 }
action lay "Lay a higher one" (card: card from hand) {
  rule higher "Higher" require stock is empty and card.value > ((top of table).value else 0)
  move card to table
}
score value "Values" = sum value of hand
ranking most total, shared
"""
ENDINGS = """
ending three "Three points" when some q in players: sum value of hand[q] >= 3 then 1 more turn each
ending few "One card is left" when count stock <= 1 then stop
"""


def drawn(
    folder: Path, deck: str, endings: str, done: list[str], result: dict[str, Any] | None = None
) -> tuple[str, str]:
    """A file with a game in which nobody saw the stock, and one with the rules."""
    rules, path = folder / "stock.rules", folder / "game.json"
    rules.write_text('game stock "Stock"' + STOCK.replace("DECK", deck) + DRAWING + endings, "utf-8")
    actions = [dict(zip(("action", "card"), words.split(), strict=False)) for words in done]
    record: dict[str, Any] = {
        "format": "pwtool/1", "players": ["Ana", "Ben"], "setup": {"stock": ["?"] * 4},
        "turns": [{"player": ("Ana", "Ben")[turn % 2], "actions": [a]} for turn, a in enumerate(actions)],
    }  # fmt: skip
    path.write_text(json.dumps(record | ({"result": result} if result else {})), "utf-8")
    return str(path), str(rules)


@pytest.mark.parametrize(
    ("endings", "done", "result", "code"),
    [
        # The first ending may have been triggered in the third turn: then the second one is not asked.
        (ENDINGS, "draw wait draw draw draw", None, 0),
        (ENDINGS, "draw wait draw draw draw draw", None, 1),
        (ENDINGS, "draw wait draw draw draw", {"end": {"rule": "three", "turn": 3}}, 0),
        (ENDINGS, "draw wait draw draw draw", {"end": {"rule": "few", "turn": 4}}, 1),
        (ENDINGS, "draw wait draw draw", {"end": {"rule": "few", "turn": 4}}, 3),
        (ENDINGS.replace("1 more turn each", "stop"), "draw wait draw draw draw", None, 1),
        # Nobody can go on unless the end came.
        ('ending low "Low" when sum value of hand <= 3 and stock is empty then stop', "draw draw draw draw", None, 0),
    ],
)
def test_an_ending_that_may_have_been_triggered_goes_before_later_ones(
    endings: str,
    done: str,
    result: dict[str, Any] | None,
    code: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each is held against the six orders of the cards, played with all of them seen."""
    path, rules = drawn(tmp_path, "{ 2 C1  2 C2 }", endings, done.split(), result)
    assert run(["check", path, "--rules", rules]) == code, capsys.readouterr().out
    record = json.loads(Path(path).read_text("utf-8"))
    legal = 0
    for order in set(permutations(["C1", "C1", "C2", "C2"])):
        record["setup"]["stock"] = order
        legal += pwtool.load(rules).check(record).status == "clean"
    assert (legal > 0) is (code != 1), legal


def test_what_no_filling_allows_is_not_clean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever the first player drew, the game is over after three cards; neither half of the condition is known."""
    total = "sum value of hand[seat 1]"
    ending = f'ending either "Either" when count stock == 1 and ({total} <= 2 or {total} >= 3) then stop'
    path, rules = drawn(tmp_path, "{ 2 C1  2 C2 }", ending, ["draw"] * 4)
    assert run(["check", path, "--rules", rules]) == 3
    assert "none of the 6 fillings of the unseen cards is legal" in capsys.readouterr().out


def test_a_turn_that_may_go_on_is_unfinished(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That the next player is stuck says nothing as long as this one may do more."""
    rules = tmp_path / "optional.rules"
    body = STOCK.replace("DECK", "{ C1  C2  C3  C4 }") + DRAWING.replace("draw | wait | lay", "draw wait?")
    rules.write_text(
        'game optional "Optional"'
        + body.replace("count stock > 1", "count stock == 0")
        + ENDINGS.replace(">= 3", ">= 30").replace("<= 1", "<= -1"),
        "utf-8",
    )
    record: dict[str, Any] = {
        "format": "pwtool/1", "players": ["Ana", "Ben"], "setup": {"stock": ["C1", "C2", "C3", "C4"]},
        "turns": [{"player": ("Ana", "Ben")[turn % 2], "actions": [{"action": "draw"}]} for turn in range(4)],
    }  # fmt: skip
    (tmp_path / "game.json").write_text(json.dumps(record), "utf-8")
    assert run(["check", str(tmp_path / "game.json"), "--rules", str(rules)]) == 0
    record["turns"][-1]["actions"].append({"action": "wait"})
    (tmp_path / "game.json").write_text(json.dumps(record), "utf-8")
    assert run(["check", str(tmp_path / "game.json"), "--rules", str(rules)]) == 1
    assert "has no legal action" in capsys.readouterr().out


@pytest.mark.parametrize(
    "change", ["reds = if reds > 0 then reds - 1 else 0", "reds = if (top of stock).value == 1 then reds else 0"]
)
def test_a_game_may_begin_with_a_number_that_is_not_known(change: str, tmp_path: Path) -> None:
    rules = tmp_path / "stock.rules"
    drawing = DRAWING.replace("move top of stock to hand", change + "\n  move top of stock to hand")
    rules.write_text(
        'game stock "Stock"' + STOCK.replace("DECK", "all") + "var reds: 0..4 = 2 per player\n" + drawing + ENDINGS,
        "utf-8",
    )
    start = {
        "player": "Ana", "variables": {"reds": {"Ana": "?", "Ben": 1}},
        "zones": {"stock": ["?"] * 4, "table": [], "hand": {"Ana": [], "Ben": []}},
    }  # fmt: skip
    record = {
        "format": "pwtool/1",
        "players": ["Ana", "Ben"],
        "start": start,
        "turns": [{"player": "Ana", "actions": [{"action": "draw"}]}],
    }
    (tmp_path / "game.json").write_text(json.dumps(record), "utf-8")
    assert run(["check", str(tmp_path / "game.json"), "--rules", str(rules)]) == 0


def test_what_an_invariant_asks_of_a_zone_that_is_left_out_is_undetermined(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    state = {"format": "pwtool-state/1", "ruleset": "breakthrough", "players": ["Ana", "Ben"], "zones": {}}
    path.write_text(json.dumps(state), "utf-8")
    assert run(["check", str(path)]) == 3


@pytest.mark.parametrize(
    ("address", "zone", "content"),
    [
        ("nim", "heaps", [[0, 0, ["stick"]]]),
        ("mancala", "pits", [[0, 0, ["s"]]]),
        ("breakthrough", "board", [[x, y, ["B"]] for x in range(7) for y in range(3)]),
    ],
)
def test_things_that_no_deck_has_are_neither_lost_nor_doubled(
    address: str, zone: str, content: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = pwtool.load(address).replay(pwtool.load(address).play(seed=1)).end.state()
    for zones, code in ((state["zones"], 0), (state["zones"] | {zone: content}, 1)):
        path = tmp_path / "state.json"
        path.write_text(json.dumps(state | {"zones": zones}), "utf-8")
        assert run(["check", str(path), "--rules", address]) == code, capsys.readouterr().out


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
