"""Things without attributes or with one value, codes that begin with a digit, owners of nobody, decks of all faces; and
consequences that compute cells and what may be absent.
"""

from __future__ import annotations

import json
from pathlib import Path

from jsonschema import Draft202012Validator

from pwtool.records.encoding import encode_record
from pwtool.records.schema import record_schema
from tests.daily import one_day_in
from tests.kernel.judging import Bench, by_engine, names, verdicts
from tests.laws.test_notation import round_trip
from tests.support import ruleset_store

GAME = """\
game codes "Codes"
players 2..3
component card { rank: two "2" | ten "10"  suit: hearts "H" | spades "S" }
component stone "S" { }
component pebble { }
component die "D" { pips: 1..3 }
component step { size: -1..1 }
component chip { color: white ""  kind: big "B" | small "b" }
component man {
  side: red "r" | blue "b" | grey "g"
  owner: player by side { red: 1  blue: 2  grey: none }
}
deck pack of card = 2 all, { 2H  3 10S }
deck stones of stone = { 5 S }
deck pebbles of pebble = 4 all when count players == 3, { 2 pebble }
deck dice of die = all
deck steps of step = 2 all
deck chips of chip = { 3 B  2 b }
deck men of man = { 4 r  4 b }
zone hand: bag of card per player
zone board: grid 3x2 of stone
zone rest: pile of card
zone bowl: pile of stone
zone army: bag of man per player
zone field: grid 3x1 of man
zone dice_: pile of die
zone steps_: pile of step
zone pebbles_: pile of pebble
zone chips_: pile of chip
setup {
  deal hand "Three": 3 each of pack to hand by chance
  deal rest "The others": rest of pack to rest by chance
  deal bowl "All": all of stones to bowl by chance
  deal army "Each its own": all of men to army by owner
  deal dice_ "All": all of dice to dice_ by chance
  deal steps_ "All": all of steps to steps_ by chance
  deal pebbles_ "All": all of pebbles to pebbles_ by chance
  deal chips_ "All": all of chips to chips_ by chance
  put board "Some": [ S . / . S+S ]
  put field "One each": [ r g b ]
}
var trump: card = 2H per game
var moved: -9..9 = 0 per player
turn = play | swap | pass
define corner = (first c in cells of field: true)
action play "Play" (card: card from hand, at: cell of board) {
  rule not_trump "Not the trump" require card != trump or count hand < 2
  rule free "The cell is free" require board[at] is empty or card == 10S
  move card to rest
  move top of bowl to board[at]
  moved += ((top of steps_).size else 0)
}
action swap "Swap" (at: cell of field) {
  rule mine "Mine or nobody's" require field[at] is not empty and ((top of field[at]).owner else player) == player
  move top of field[at] to army
}
action pass "Pass" () { }
consequence fall "A stone falls" (who: player, at = (first c in cells of board: count board[c] > 1),
  step = top of steps_, lord = (top of field[corner]).owner) {
  rule own "In one's own turn" require who == player and at != none
  move top of board[at] to bowl
}
ending done "Done" when bowl is empty or (some q in players: hand[q] is empty) then stop
score moved "Moved" = moved + count army + sum pips of dice_ + count (c in dice_: c == D1)
score seen "Seen" = count (p in pebbles_: p == pebble) + count (c in chips_: c == B and c.color == white)
ranking most total, shared
"""


def loaded(tmp_path: Path, text: str) -> Bench:
    path = tmp_path / "codes.rules"
    path.write_text(text, "utf-8")
    result = ruleset_store().get(str(path))
    assert result.value is not None, [d.message for d in result.diagnostics]
    return Bench(result.value)


@one_day_in(8)
def test_games_with_them_are_played_recorded_and_judged_alike(tmp_path: Path) -> None:
    here = loaded(tmp_path, GAME)
    happened, unowned = 0, 0
    for players in (2, 3):
        for seed in range(25):
            (played,) = here.instance.play(seed, 1, players, 60)
            record = here.packer.unpack(played, names(players))
            (said,) = verdicts(here, here.instance.judge([played]))
            assert said == by_engine(here, record)
            data = encode_record(here.rules.game, record)
            falls = [a for turn in data["turns"] for a in turn["actions"] if a["action"] == "fall"]
            happened, unowned = happened + len(falls), unowned + sum("lord" not in fall for fall in falls)
            assert list(Draft202012Validator(record_schema(here.rules.game)).iter_errors(data)) == []
            assert by_engine(here, here.rules.decoder.record(data)) == said
            assert verdicts(here, here.instance.check([json.dumps(data).encode()], own=False)) == [said]
            round_trip(data, here.rules.game)
    assert happened > 10 and unowned > 2
