"""What lies unseen in a place that an earlier argument tells (`at: cell of board, tile: tile from board[at]`) can be named; and
what nobody saw in the middle of a game may have been turned before.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pwtool

PLACES = {
    "cell": ("zone board: grid 2x2 of tile seen by none", "at: cell of board, tile: tile from board[at]"),
    "pile": ("zone board[2]: pile of tile", "p: 1..2, tile: tile from board[p]"),
    "slot": ("zone board[4]: slot of tile", "p: 1..4, tile: tile from board[p]"),
    "hand": ("zone board: bag of tile per player", "q: player, tile: tile from board[q]"),
}
ENDINGS = {
    "number": "count done >= 3",
    "nothing": "not can act",
}


def rules(folder: Path, place: str, ending: str) -> pwtool.Rules:
    zone, parameters = PLACES[place]
    amount = {"cell": 1, "slot": 1, "pile": 2, "hand": 2}[place]
    path = folder / "window.rules"
    path.write_text(
        f"""game window "Window"
players 2..2
component tile {{ pic: ape "A" | bee "B" }}
deck tiles of tile = 2 all
{zone}
zone done: bag of tile
setup deal board "All lie there": {amount} each of tiles to board by chance
turn = act
action act "Turn up" ({parameters}) {{ move tile to done }}
ending over "It is over" when {ENDINGS[ending]} then stop
score taken "Taken" = count done
ranking most total, shared
""",
        "utf-8",
    )
    return pwtool.load(path)


def hidden(value: Any) -> Any:
    """The same with all things unseen."""
    return [hidden(part) for part in value] if isinstance(value, list) else (
        {key: hidden(part) for key, part in value.items()} if isinstance(value, dict) else "?"
    )  # fmt: skip


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("place", PLACES)
def test_a_game_may_stop_where_things_lie_unseen(place: str, ending: str, tmp_path: Path) -> None:
    window = rules(tmp_path, place, ending)
    for seed in range(6):
        game = window.play(seed=seed)
        setup = hidden(game["setup"])
        assert window.check({**game, "setup": setup}).status in ("clean", "undetermined")
        for turns in range(len(game["turns"])):
            stopped = {**game, "setup": setup, "turns": game["turns"][:turns]}
            result = stopped.pop("result")
            found = window.check(stopped)
            assert found.status in ("clean", "undetermined"), (place, ending, seed, turns, found.findings)
            # Things are left, so that it is not over.
            early = {**stopped, "result": {**result, "end": {"rule": "over", "turn": turns}}}
            assert turns == 0 or window.check(early).status != "clean", (place, ending, seed, turns)


TIRED = """game tired "Tired"
players 2..2
component man { side: red "R" | blue "B"  state tired: flag "T" }
deck men of man = 3 all
zone camp: bag of man
zone hand: bag of man per player
zone out: pile of man
setup deal hand "Two each": 2 each of men to hand by chance
setup deal camp "The others": rest of men to camp by chance
turn = rest | wake | play
action rest "Tire one" (man: man from hand) { rule fresh "It is fresh" require not man.tired turn man to tired }
action wake "Wake one" (man: man from hand) { rule tired "It is tired" require man.tired turn man to not tired }
action play "Play one" (man: man from hand) { move man to out }
ending e "A hand is empty" when some q in players: hand[q] is empty then stop
score tired "Tired men in hand" = count (c in hand where c.tired)
ranking most total, shared
"""
WAKE = {"player": "Ana", "actions": [{"action": "wake", "man": "RT"}]}


@pytest.mark.parametrize(
    ("hands", "camp", "turn", "status"),
    [
        # In the hand there may be a tired man; in the camp nobody gets tired, and nobody comes there.
        ((["?"], ["B", "RT"]), ["R"], WAKE, "undetermined"),
        ((["?"], ["B", "RT"]), ["R"], {"player": "Ana", "actions": [{"action": "wake", "man": "?"}]}, "undetermined"),
        ((["RT"], ["B", "RT"]), ["?"], WAKE, "clean"),
        ((["R"], ["B", "RT"]), ["?"], WAKE, "findings"),
    ],
)
def test_what_nobody_saw_may_have_been_turned(
    hands: tuple[list[str], list[str]], camp: list[str], turn: dict[str, Any], status: str, tmp_path: Path
) -> None:
    (tmp_path / "tired.rules").write_text(TIRED, "utf-8")
    tired = pwtool.load(tmp_path / "tired.rules")
    zones = {"hand": {"Ana": hands[0], "Ben": hands[1]}, "camp": camp, "out": ["B", "B"]}
    game = {
        "format": "pwtool/1",
        "ruleset": "tired",
        "players": ["Ana", "Ben"],
        "start": {"player": "Ana", "zones": zones},
    }
    assert tired.check({**game, "turns": [turn]}).status == status
    assert [check.status for check in tired.check_many([{**game, "turns": [turn]}])] == [status]
