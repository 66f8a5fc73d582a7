"""One action looked ahead, and what another player could do: held against the same game written in Python."""

from __future__ import annotations

from copy import deepcopy
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pwtool.comparing.rows import compare_rulesets
from pwtool.eval.values import UNSEEN
from pwtool.kernel.run import CLEAN, REFUSED
from pwtool.play.chance import Chance
from pwtool.play.play import Play
from pwtool.play.replay import replay_record
from pwtool.play.selfplay import deal_at_random, play_game, random_policy
from tests.daily import some
from tests.kernel.judging import bench, dumped, judged, of_text
from tests.rules.test_constructs import load, loaded
from tests.support import book

SIEGE = Path(__file__).resolve().parents[1] / "kernel" / "rules" / "siege" / "game.rules"
CELLS = [(x, y) for y in range(3) for x in range(4)]
Board = dict[tuple[int, int], tuple[int, str]]


class Siege:
    """A position of `siege`: who stands where, and how many guards are left."""

    def __init__(self, play: Play) -> None:
        ruleset, state = play.game.ruleset, play.state
        owner, kind = (ruleset.components["man"].attributes[name].table for name in ("owner", "kind"))
        zones = {name: state.zones[z.number] for name, z in ruleset.zones.items()}
        self.board: Board = {c: (owner[p[-1]], kind[p[-1]]) for c, p in zones["board"][0].items()}
        self.hands = [len(h) for h in zones["hand"]]
        self.taken = [len(h) for h in zones["taken"]]
        self.moves = state.variables[0]

    def after(self, name: str, player: int, arguments: tuple[Any, ...]) -> Siege:
        other = deepcopy(self)
        board = other.board
        if name == "move":
            at, to = arguments
            other.taken[player] += to in board
            board[to] = board.pop(at)
        else:
            other.hands[player] -= 1
            board[arguments[0]] = (player, "guard")
        for _ in range(6):
            again = False
            for at in CELLS:
                beside = [c for c in CELLS if abs(c[0] - at[0]) + abs(c[1] - at[1]) == 1]
                others = sum(c in board and at in board and board[c][0] != board[at][0] for c in beside)
                if board.get(at, (0, ""))[1] == "guard" and others >= 3:
                    del board[at]
                    other.taken[player] += 1
                    again = True
            if not again:
                break
        return other

    def checked(self, player: int) -> bool:
        (king,) = (c for c, man in self.board.items() if man == (player, "king"))
        return any(
            man[0] != player and apart(c, king) <= (2 if man[1] == "king" else 1) for c, man in self.board.items()
        )

    def moves_of(self, player: int) -> set[tuple[Any, ...]]:
        found = set()
        for at, to in product(CELLS, CELLS):
            man, there = self.board.get(at), self.board.get(to)
            if man is None or man[0] != player or (there is not None and (there[0] == player or there[1] == "king")):
                continue
            steps = apart(at, to) == 1 or (apart(at, to) == 2 and man[1] == "king")
            if steps and not self.after("move", player, (at, to)).checked(player):
                found.add((at, to))
        return found

    def puts_of(self, player: int) -> set[tuple[Any, ...]]:
        found = set()
        for to in CELLS:
            if to not in self.board and self.hands[player]:
                after = self.after("put", player, (to,))
                if to in after.board and not after.checked(player) and after.taken[player] <= self.taken[player] + 1:
                    found.add((to,))
        return found

    def legal(self, player: int) -> set[tuple[str, tuple[Any, ...]]]:
        found = {("move", a) for a in self.moves_of(player)} | {("put", a) for a in self.puts_of(player)}
        if not found and (self.moves_of(1 - player) or self.moves > 20):
            found.add(("pass", ()))
        return found


def apart(a: tuple[int, int], b: tuple[int, int]) -> int:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


@pytest.mark.parametrize("seed", range(8))
def test_the_same_is_legal_as_in_the_same_game_in_python(seed: int) -> None:
    rules = book(str(SIEGE))
    rng = Chance(seed)
    record = deal_at_random(rules.game, ["a", "b"], rng)
    play_game(rules.game, record, random_policy(rng), rules.legal, 40, rng)
    names = [a.name for a in rules.game.ruleset.actions.values()]

    def observe(play: Play, turn: int, action: int | None) -> None:
        if action is not None:
            found = {(names[n], arguments) for n, _, arguments in play.legal_actions()}
            assert found == Siege(play).legal(play.owner), (turn, action)
        elif play.over:
            assert play.trigger is not None

    assert len(record.turns) > 5
    assert not [f for f in replay_record(rules.game, record, rules.legal, observe).findings if f.code != "PW612"]


GAME = """game mini "Mini"
players 2..2
component card { color: red "R" | blue "B"  value: 1..3 }
deck pack of card = { R1 R2 R3 B1 B2 B3 }
zone stock: pile of card
zone heap: pile of card
zone hand: bag of card per player
setup deal hand "h": 1 each of pack to hand
setup deal stock "s": rest of pack to stock
var n: 0..9 = 0 per game
turn = go | stay
action go "Go" (card: card from hand) { RULE EFFECTS }
action stay "Stay" () { OTHER }
CONSEQUENCE
ending out "o" when END then stop
score s "s" = count hand
ranking most total, shared
"""
PLAIN = {"RULE": "", "EFFECTS": "move card to heap", "OTHER": "", "CONSEQUENCE": "", "END": "stock is empty"}


def written(**parts: str) -> str:
    text = GAME
    for name, part in (PLAIN | parts).items():
        text = text.replace(name, part, 1)
    return text


AHEAD = 'rule r "r" require after this: count heap < 3'
ONE_IS_LEFT = AHEAD.replace("< 3", "< 2")
CAN_STAY = 'rule r "r" require can stay for player'
FIRST = 'rule s "s" require player == seat 1'
MISTAKES = [
    ({"END": "after this: stock is empty"}, "after this", "no action is meant here"),
    ({"CONSEQUENCE": 'consequence c "c" () { rule r "r" require after this: n > 1 }'}, "after this", "no action is meant here"),
    ({"RULE": 'rule r "r" require after this: after this: n > 1'}, "after this: n > 1", "not two"),
    ({"RULE": 'rule r "r" require after this: 3'}, "3", "a condition is needed"),
    ({"RULE": AHEAD, "OTHER": 'rule s "s" require after this: can go'}, "after this: can go", "`go` looks ahead itself"),
    ({"RULE": AHEAD, "CONSEQUENCE": 'consequence c "c" after each action () { rule r "r" require can go }'}, "after this",
     "`go` looks ahead itself"),
    ({"RULE": AHEAD, "EFFECTS": "move card to heap when can go"}, "after this", "`go` looks ahead itself"),
    ({"RULE": 'rule r "r" require can stay', "OTHER": 'rule s "s" require can go'}, "action", "depends on whether it is possible"),
    ({"RULE": 'rule r "r" require can stay for n'}, "n", "no player"),
    ({"RULE": 'rule r "r" require can stay for (first q in players: count hand[q] > 1)'}, "first q", "may be no player"),
]  # fmt: skip


@pytest.mark.parametrize(("parts", "at", "says"), MISTAKES, ids=[f"{m[0]}" for m in MISTAKES])
def test_a_mistake_is_told(parts: dict[str, str], at: str, says: str, tmp_path: Path) -> None:
    game, findings = load(tmp_path, written(**parts))
    assert game is None
    told = [(d.message, d.span and d.span.text) for d in findings]
    assert any(d.span and at in d.span.text and says in d.message for d in findings), told


@pytest.mark.parametrize(
    ("first", "second", "same"),
    some([
        ({"RULE": AHEAD}, {"RULE": AHEAD}, True),
        ({"RULE": ONE_IS_LEFT}, {"RULE": ONE_IS_LEFT.replace("after this: ", "")}, False),
        ({"RULE": ONE_IS_LEFT}, {"RULE": ONE_IS_LEFT.replace("< 2", "< 3")}, False),
        ({"RULE": ONE_IS_LEFT}, {"RULE": ONE_IS_LEFT, "EFFECTS": "move card to stock"}, False),
        ({"RULE": CAN_STAY, "OTHER": FIRST}, {"RULE": CAN_STAY.replace("for player", "for player after player"), "OTHER": FIRST}, False),
        # No third card ever gets to the heap, and everybody can stay.
        ({"RULE": AHEAD}, {"RULE": AHEAD.replace("< 3", "< 4")}, True),
        ({"RULE": CAN_STAY}, {"RULE": CAN_STAY.replace("for player", "for player after player")}, True),
    ], 2),
)  # fmt: skip
def test_what_differs_is_never_called_the_same(
    first: dict[str, str], second: dict[str, str], same: bool, tmp_path: Path
) -> None:
    games = []
    for name, parts in (("one", first), ("two", second)):
        (tmp_path / name).mkdir()
        games.append(loaded(tmp_path / name, written(**parts)))
    assert all(row.nature == "wording" for row in compare_rulesets(*games)) == same


def test_what_unseen_cards_decide_is_undetermined(tmp_path: Path) -> None:
    effects = "move top of stock to heap move card to heap"
    game = loaded(
        tmp_path,
        written(RULE='rule r "r" require after this: some c in heap: c.value > 1 and c != card', EFFECTS=effects),
    )
    rng = Chance(2)
    record = deal_at_random(game, ["a", "b"], rng)
    play_game(game, record, random_policy(rng), max_turns=1, rng=rng)
    record.setup["stock"] = [[UNSEEN] * len(record.setup["stock"][0])]
    found = replay_record(game, record).findings
    if record.turns[0].moves[0].number == 0:
        assert [f.code for f in found] == ["PW611"]


SINK = """game sink "Sink"
players 2..2
var v: 0..9 = 7 per game
var n: 0..9 = 0 per game
turn = go | rest
action go "Go" () {
  rule look "Look" require after this: v != 6
  v += 5
}
action rest "Rest" () { n += 1  v -= 1 when v > 2 }
consequence sink after each action () { v -= 1 when v > 0 }
ending over "Over" when n >= 4 then stop
score rested "Rested" = n
ranking most total, shared
"""


def test_what_exceeds_a_bound_is_not_legal_whatever_would_follow(tmp_path: Path) -> None:
    """`go` would set `v` to 12, and the consequence to 11: it is left out, and refused, by engine and kernel."""
    path = tmp_path / "sink.rules"
    path.write_text(SINK, "utf-8")
    here = bench(str(path))
    turns = [{"player": "a", "actions": [{"action": "go"}]}]
    text = dumped({"format": "pwtool/1", "players": ["a", "b"], "setup": {}, "turns": turns})
    assert of_text(here, text).verdict == REFUSED
    assert all(one.verdict != CLEAN for one in judged(here, [text]))
    for seed in range(10):
        rng = Chance(seed)
        record = deal_at_random(here.rules.game, ["a", "b"], rng)
        play = play_game(here.rules.game, record, random_policy(rng), here.rules.legal)
        assert play.over
        # At 7 and 5 nobody can go; at 4 one comes to 9, and to 8.
        assert [move.number for turn in record.turns[:1] for move in turn.moves] == [1]
