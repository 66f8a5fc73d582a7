"""How a change was used is counted from everything that it allows, and compared with a count of another kind."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.lang.merged import Key
from pwtool.learning import Change
from pwtool.learning.chances import Use, known_decisions, missed_by, use_of
from pwtool.learning.judging import Rules, Sample, applied
from pwtool.learning.kinds import Variant
from pwtool.learning.sisters import trimmed
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from pwtool.show.text.learning import evidence
from pwtool.text.speech import Speech
from tests.daily import one_day_in

GRID = """game row "Row"
players 2..2
component disc { side: red "R" | yellow "Y"  owner: player by side }
zone board: grid 3x3 of disc
supply bowl "Each takes discs": 8 of disc per player
var free: 0..99 = 0 per game
turn = put
action put "Put" (at: cell of board) {
  rule empty "Empty" require board[at] is empty
  rule edge "Beside" require free < 1 or some n in neighbours of at in all directions: board[n] is not empty
  move top of bowl to board[at]
  free += 1
}
ending full "Full" when count board >= 4 then stop
score discs "Discs" = 0
ranking most total, shared
"""
AT_ONCE = """game stakes "Stakes"
players 2..4
var pts: 0..999 = 0 per player
var past: 0..99 = 0 per game
round = bid
action bid "Bid" (stake: 0..7 per player) {
  rule low "Low" require every q in players: stake[q] < LIMIT
  pts[seat 1] += stake[seat 1]
  past += 1
}
ending long "Long" when past >= 3 then stop
score pts "Points" = pts
ranking most total, shared
"""


def rules(name: str, text: str) -> Rules:
    """The rules of a game of one's own."""
    path = f"{name}/game.rules"
    found = RulesetStore(Library(drafts={path: text})).get(path)
    book = found.value
    assert book is not None, found.diagnostics
    made = Rules.of(path, trimmed(book.game.ruleset.merged))
    assert made is not None
    return made


def without(base: Rules, key: Key) -> Rules:
    """Rules without one of their items."""
    merged = applied(base.merged, Variant(key, "left out", None, 0.0))
    made = None if merged is None else Rules.of("", merged, base)
    assert made is not None
    return made


def record(name: str, turns: list[dict[str, Any]], players: int = 2) -> Sample:
    """A game of these turns."""
    names = [f"P{number}" for number in range(1, players + 1)]
    data = {"format": "pwtool/1", "ruleset": f"{name}/game.rules", "players": names, "setup": {}, "turns": turns}
    return Sample("", data)


def puts(*cells: tuple[int, int]) -> Sample:
    """A game in which discs are put on these cells."""
    turns = [
        {"player": f"P{number % 2 + 1}", "actions": [{"action": "put", "at": list(cell)}]}
        for number, cell in enumerate(cells)
    ]
    return record("row", turns)


def bids(*stakes: tuple[int, ...]) -> Sample:
    """A game in which all players bid at once."""
    turns = [
        {"actions": [{"action": "bid", "stake": {f"P{seat}": stake for seat, stake in enumerate(round_, 1)}}]}
        for round_ in stakes
    ]
    return record("stakes", turns, len(stakes[0]))


def used(before: Rules, after: Rules, sample: Sample) -> Use:
    """How what only the second rules allow was used in a game."""
    one, other = after.record(sample), before.record(sample)
    assert one is not None and other is not None and after.judge(sample).clean
    found = use_of(before, after, one, other)
    assert found is not None
    return found


def test_a_cell_is_not_the_one_across_the_diagonal() -> None:
    base = rules("row", GRID)
    loose = without(base, ("rule", "put.edge"))
    # Beside (1, 0) is not (1, 2), but (2, 1).
    assert used(base, loose, puts((1, 0), (1, 2))) == Use(1, pytest.approx(3 / 8), True)
    assert used(base, loose, puts((1, 0), (2, 1), (1, 2))).used is False
    assert used(base, loose, puts((0, 0), (1, 1), (0, 2))) == Use(1, pytest.approx(5 / 8), False)


def counted(cells: list[tuple[int, int]]) -> tuple[int, bool]:
    """The same count for the grid, from the rule alone."""
    everywhere = [(x, y) for x in range(3) for y in range(3)]
    chances = 0
    for number, cell in enumerate(cells):
        beside = {(x, y) for x, y in everywhere for a, b in cells[:number] if max(abs(a - x), abs(b - y)) == 1}
        far = {one for one in everywhere if one not in cells[:number] and one not in beside} if number else set()
        chances += bool(far)
        if cell in far:
            return chances, True
    return chances, False


def test_what_a_change_allows_is_counted_wherever_it_is_done() -> None:
    base = rules("row", GRID)
    loose = without(base, ("rule", "put.edge"))
    rng = random.Random(1)
    for _ in range(40):
        cells = rng.sample([(x, y) for x in range(3) for y in range(3)], 4)
        found = used(base, loose, puts(*cells))
        assert (found.chances, found.used) == counted(cells), cells


def test_what_players_do_at_once_is_told_by_who_does_it() -> None:
    base = rules("stakes", AT_ONCE.replace("every q in players: stake[q] < LIMIT", "stake[seat 1] <= 3"))
    loose = without(base, ("rule", "bid.low"))
    assert used(base, loose, bids((2, 5), (5, 2))) == Use(2, pytest.approx(1.0), True)
    assert used(base, loose, bids((2, 5), (3, 4))).used is False


@pytest.mark.parametrize("limit", [7, 4])
def test_of_very_many_ways_what_was_done_is_known(limit: int) -> None:
    """Only some of them are looked at, so that there may be more chances than were counted."""
    base = rules("stakes", AT_ONCE.replace("LIMIT", str(limit)))
    loose = without(base, ("rule", "bid.low"))
    found = used(base, loose, bids((1, 2, 3, 0), (7, 7, 7, 7)))
    assert found.used and found.chances in (1, 2)
    found = used(base, loose, bids((1, 2, 3, 0), (0, 1, 2, 3)))
    assert not found.used and (found.chances == 2 or found.at_least)
    read = base.record(bids((1, 2, 3, 0), (0, 1, 2, 3)))
    assert read is not None
    missed = missed_by(known_decisions(loose, read) or [], base, read)
    assert missed is not None and not missed.used and (missed.chances == 2 or missed.at_least)
    # Rules that say the same in other words allow nothing more.
    same = rules("stakes", AT_ONCE.replace("stake[q] < LIMIT", f"stake[q] <= {limit - 1}"))
    assert used(base, same, bids((1, 2, 3, 0), (0, 1, 2, 3))).chances == 0


def test_it_is_said_where_more_may_be_possible() -> None:
    change = Change(("rule", "bid.low"), "number", "", "1", "2", "", ("a",), 4, 3, 7, 2)
    assert "7 decisions up to its first use" in " ".join(evidence(change, Speech("en")))
    told = list(evidence(replace(change, at_least=True), Speech("en")))
    assert any("in 3 or more (7 or more decisions" in line for line in told)


def refused_at_the_end(folder: Path) -> Iterator[dict[str, Any]]:
    """Games of which the last action puts a disc beside no other."""
    for cells in ([(1, 0), (1, 2)], [(0, 1), (2, 1)], [(1, 2), (1, 0)], [(2, 1), (0, 1)]):
        yield {**puts(*cells).data, "ruleset": str(folder / "row" / "game.rules")}


@one_day_in(4)
def test_the_report_counts_each_use(tmp_path: Path) -> None:
    path = tmp_path / "row" / "game.rules"
    path.parent.mkdir()
    path.write_text(GRID, "utf-8")
    result = pwtool.learn([*refused_at_the_end(tmp_path)], of=str(path), quick=True)
    (change,) = result.data["changes"]
    assert (change["looked_at"], change["tested"], change["used"]) == (4, 4, 4) and change["at_least"] is False
