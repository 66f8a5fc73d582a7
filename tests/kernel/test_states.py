"""Things that change where they lie: engine and kernel play and judge alike, decks count things as they were at first, and
what unseen cards leave open is neither refused nor clean.
"""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.cli.app import run
from pwtool.play.position import check_position
from pwtool.play.replay import replay_record
from pwtool.play.state import all_faces
from pwtool.records.encoding import encode_record, encode_state
from pwtool.records.states import decode_state
from tests.kernel.judging import bench, dumped, engine_game, judged, names, of_text, played_alike

STATES = str(Path(__file__).parent / "rules" / "states" / "game.rules")
SEEDS = [range(12), pytest.param(range(12, 400), marks=pytest.mark.slow)]


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("players", [2, 3])
def test_engine_and_kernel_play_and_judge_alike(players: int, seeds: range) -> None:
    for seed in seeds:
        played_alike(STATES, players, seed, 60)


@pytest.mark.parametrize("seeds", SEEDS)
def test_every_position_can_be_read_and_continued(seeds: range) -> None:
    """Nothing is lost or doubled, whatever state it is in; a record may begin there, for the engine and the kernel."""
    here = bench(STATES)
    game = here.rules.game
    turned: Counter[str] = Counter()
    codes = game.ruleset.components["card"].codes
    for seed in seeds:
        record = engine_game(STATES, 2, seed, 60)
        found: list[dict[str, Any]] = []

        def observe(play: Any, turn: int, action: int | None, found: list[dict[str, Any]] = found) -> None:
            found.append(encode_state(game, play.state, names(2)))
            turned.update(codes[face][2:] for zones in play.state.zones for face in all_faces(zones))

        replay_record(game, record, here.rules.legal, observe)
        for data in found[::5]:
            read = decode_state(here.rules.decoder, data)
            assert check_position(game, read.state, read.names, read.missing) == []
            assert encode_state(game, read.state, read.names) == data
        whole = encode_record(game, record)
        rest = pwtool.load(STATES).replay(whole).at(len(record.turns) // 2).record()
        rest["turns"] = whole["turns"][len(record.turns) // 2 - 1 :]
        rest |= {"result": whole["result"]} if "result" in whole else {}
        right = of_text(here, dumped(rest))
        assert right.verdict == 0, right
        assert judged(here, [dumped(rest)]) == [right]
    assert {"d", "u", "dt", "ut"} <= set(turned)


@pytest.mark.parametrize("seeds", SEEDS)
def test_damage_is_found_alike(seeds: range) -> None:
    here = bench(STATES)
    for seed in seeds:
        rng = random.Random(seed)
        data = encode_record(here.rules.game, engine_game(STATES, 3, seed, 60))
        actions = [action for turn in data["turns"] for action in turn["actions"]]
        action = rng.choice(actions)
        if "card" in action:
            action["card"] = action["card"][:2] + rng.choice(["d", "u", "dt", "ut", "g"])
        else:
            action["action"] = rng.choice(["draw", "show", "rest"])
        assert judged(here, [dumped(data)]) == [of_text(here, dumped(data))], seed


@pytest.mark.parametrize("seeds", SEEDS)
def test_unseen_cards_leave_open_what_some_of_them_allow(seeds: range) -> None:
    """Beside every way to fill in three cards of the setup: what one of them allows is not wrong, what none allows not clean."""
    here = bench(STATES)
    game, decoder = here.rules.game, here.rules.decoder
    told: Counter[tuple[bool, bool]] = Counter()
    for seed in seeds:
        rng = random.Random(seed)
        data = encode_record(game, engine_game(STATES, 2, seed, 12))
        del data["turns"][rng.randint(1, 6) :]
        data.pop("result", None)
        if rng.random() < 0.5:
            named = [a for turn in data["turns"] for a in turn["actions"] if "card" in a]
            for action in named[:1]:
                action["card"] = rng.choice("HS") + rng.choice("123") + action["card"][2:]
        places = [
            (cards, at)
            for cards in (*data["setup"]["hand"].values(), data["setup"]["stock"])
            for at in range(len(cards))
        ]
        hidden = rng.sample(places, 3)
        there = [cards[at] for cards, at in hidden]
        possible = False
        for filling in set(permutations(there)):
            for (cards, at), card in zip(hidden, filling, strict=True):
                cards[at] = card
            possible |= not replay_record(game, decoder.record(copy.deepcopy(data)), here.rules.legal).findings
        for cards, at in hidden:
            cards[at] = "?"
        findings = replay_record(game, decoder.record(data), here.rules.legal).findings
        refused = any(not finding.undetermined for finding in findings)
        assert not (refused and possible), (seed, json.dumps(data), findings[0])
        assert findings or possible, (seed, json.dumps(data))
        told[possible, bool(findings)] += 1
    assert told[True, False] and told[False, True], told


def test_another_first_state_is_a_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever a deck says by `all`: everything begins otherwise."""
    text, other = Path(STATES).read_text("utf-8"), tmp_path / "other.rules"
    other.write_text(text.replace('down "d" | up "u"', 'up "u" | down "d"'), "utf-8")
    assert run(["compare", STATES, str(other), "--effort", "0"]) == 1
    assert "component card: different" in capsys.readouterr().out


FLIPS = """
game flips "Flips"
players 2..2
component coin { kind: gold "G" | iron "I"  state back: flag "b" }
zone board: grid 2x1 of coin
setup put board "A coin of each kind": [ G I ]
turn = flip
action flip "Flip" (at: cell of board) { turn board[at] to back }
ending all "All" when every c in cells of board: (top of board[c]).back then stop
score none "Nothing" = 0
ranking most total, shared
"""


def test_an_unseen_thing_that_no_deck_has_may_be_turned(tmp_path: Path) -> None:
    """Nobody knows which one it is, nor how it lies: nothing is judged from there on."""
    path = tmp_path / "flips.rules"
    path.write_text(FLIPS, "utf-8")
    start = {"player": "Ana", "zones": {"board": [[0, 0, ["?"]], [1, 0, ["I"]]]}}
    flip = [{"player": "Ana", "actions": [{"action": "flip", "at": [0, 0]}]}]
    record = {"format": "pwtool/1", "players": ["Ana", "Ben"], "start": start, "turns": flip}
    assert [f.code for f in pwtool.load(str(path)).check(json.dumps(record)).findings] == ["PW611", "PW616"]


GOING = """game going "Going"
players 2..2
component man { side: red "R" | blue "B"  state tired: flag "T" }
deck men of man = 3 all
zone out: pile of man
zone hand: bag of man per player
setup deal hand "All": 3 each of men to hand by chance
turn = rest
action rest "Rest or go" (man: man from hand) {
  move man to out when man.tired
  turn man to tired when not man.tired
}
ending four "Four are out" when count out >= 4 then stop
score left "Left" = count hand
ranking most total
"""


def test_what_excludes_each_other_may_move_and_turn_a_thing(tmp_path: Path) -> None:
    """Beside hands that are kept here: who is tired goes, the others get tired."""
    path = tmp_path / "going.rules"
    path.write_text(GOING, "utf-8")
    going = pwtool.load(str(path))
    games = [going.play(seed=seed) for seed in range(40)]
    for game in games:
        hands = {player: list(dealt) for player, dealt in game["setup"]["hand"].items()}
        out = 0
        for turn in game["turns"]:
            for action in turn["actions"]:
                hands[turn["player"]].remove(action["man"])
                if action["man"].endswith("T"):
                    out += 1
                else:
                    hands[turn["player"]].append(f"{action['man']}T")
        assert out == 4 and game["result"]["scores"] == {player: len(left) for player, left in hands.items()}
        assert going.check(game).status == "clean"
    assert {check.status for check in going.check_many(games)} == {"clean"}
    for other in ("man.side == red", "count out == 0"):
        path.write_text(GOING.replace("when not man.tired", f"when {other}"), "utf-8")
        with pytest.raises(pwtool.RulesError, match="may have left"):
            pwtool.load(str(path))
