"""Effects over collections: what they do, held against the same game written in Python; mistakes in them are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pwtool.comparing.rows import compare_rulesets
from pwtool.eval.values import UNSEEN
from pwtool.kernel.module import compile_kernel
from pwtool.kernel.run import CLEAN, NOT_MINE
from pwtool.kernel.run import Runner as Kernels
from pwtool.lang.fmt.text import format_rules
from pwtool.play.chance import Chance
from pwtool.play.play import Play
from pwtool.play.record import Move, Turn
from pwtool.play.replay import replay_record
from pwtool.play.selfplay import Endless, deal_at_random, play_game, random_policy
from pwtool.play.setup import build_state
from pwtool.play.state import State
from pwtool.records.decoding import Decoder
from pwtool.records.encoding import encode_record
from pwtool.records.json_form import Malformed
from pwtool.records.schema import record_schema
from pwtool.text.source import SourceFile
from tests.daily import one_day_in
from tests.kernel.packing import Packer
from tests.rules.test_constructs import load, loaded
from tests.support import book

SWEEP = Path(__file__).resolve().parents[1] / "kernel" / "rules" / "sweep" / "game.rules"


class Table:
    """The game of `sweep` in Python, taken from a position of the engine."""

    def __init__(self, play: Play) -> None:
        ruleset, state = play.game.ruleset, play.state
        zones = {name: state.zones[z.number] for name, z in ruleset.zones.items()}
        self.hands = [list(h) for h in zones["hand"]]
        self.board = {c: list(p) for c, p in zones["board"][0].items()}
        self.row = [list(p) for p in zones["row"]]
        self.shown = [list(p) for p in zones["shown"]]
        self.open = [list(p) for p in zones["open"]]
        self.stock, self.heap = list(zones["stock"][0]), list(zones["heap"][0])
        number = {v.name: v.number for v in ruleset.variables.values()}
        self.points, self.seen = state.variables[number["points"]], list(state.variables[number["seen"]])
        component = ruleset.components["card"]
        self.color = [component.attributes["color"].table[f] for f in range(len(component.codes))]
        self.value = [component.attributes["value"].table[f] for f in range(len(component.codes))]

    def lowest(self, hand: list[int]) -> int | None:
        return next((c for c in hand if self.value[c] == min(map(self.value.__getitem__, hand))), None)

    def do(self, name: str, player: int, arguments: tuple[Any, ...]) -> None:
        hand, row, value = self.hands[player], self.row, self.value
        match name:
            case "draw":
                taken = self.stock[max(0, len(self.stock) - arguments[0]) :]
                del self.stock[len(self.stock) - len(taken) :]
                hand += taken
            case "feed":
                for slot in self.open:
                    slot.append(self.stock.pop())
            case "lay":
                hand.remove(arguments[0])
                self.board.setdefault(arguments[1], []).append(arguments[0])
            case "cull":
                least = self.lowest(hand)
                for c in list(hand):
                    if self.color[c] == arguments[0]:
                        self.seen.append(c)
                        self.points += value[c] > 2
                        hand.remove(c)
                        self.heap.append(c)
                if least in hand:
                    hand.remove(least)
                    self.heap.append(least)
            case "stack":
                moved = self.board.pop(arguments[0])
                self.board.setdefault(arguments[1], []).extend(moved)
            case "low":
                self.points -= 1
                row[0].append(found := self.lowest(hand))  # type: ignore[arg-type]
                hand.remove(found)  # type: ignore[arg-type]
            case "high":
                pile = row[arguments[0] - 1]
                at = max(i for i, c in enumerate(pile) if value[c] >= 2)
                row[arguments[0] - 2].append(pile.pop(at))
            case "spread":
                for n in (1, 2, 3):
                    for c in [c for c in hand if value[c] == n]:
                        hand.remove(c)
                        row[n - 1].append(c)
                self.points += len(row[0]) - len(row[1])
            case "clear":
                for cell in [(x, y) for y in range(2) for x in range(3)]:
                    for c in [c for c in self.board.get(cell, []) if value[c] == arguments[0]]:
                        self.board[cell].remove(c)
                        self.heap.append(c)
                    self.points += not self.board.get(cell) and cell[1] == 0
                self.board = {cell: pile for cell, pile in self.board.items() if pile}
            case "pour":
                for n in (1, 2):
                    row[0] += row[n]
                    row[n].clear()
                self.heap += row[0][3:]
                del row[0][3:]
            case "deal_out":
                for n in range(4):
                    if n < 2:
                        self.heap += self.shown[n]
                        self.shown[n].clear()
                    if n != 3 and self.stock:
                        self.shown[n].append(self.stock.pop())
            case "sort":
                for n in range(3):
                    if not self.shown[n]:
                        self.shown[n] += self.shown[n + 1]
                        self.shown[n + 1].clear()
                for slot in self.open:
                    self.heap += slot
                    slot.clear()
            case "count_up":
                for c in self.heap + row[0]:
                    self.points += 2 if self.color[c] == "red" else -1

    def follows(self) -> None:
        for cell in [(x, y) for y in range(2) for x in range(3)]:
            pile = self.board.get(cell, [])
            if len(pile) >= 3 and self.color[pile[-1]] == "red":
                self.stock += self.board.pop(cell)
        for hand in self.hands:
            if not hand and len(self.stock) > 2:
                hand.extend(self.stock[-2:])
                del self.stock[-2:]

    def same(self, play: Play) -> bool:
        return {k: v for k, v in vars(self).items() if k != "seen"} == {
            k: v for k, v in vars(Table(play)).items() if k != "seen"
        }


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("seed", range(12))
def test_effects_do_what_the_same_game_in_python_does(seed: int, players: int) -> None:
    rules = book(str(SWEEP))
    rng = Chance(seed)
    record = deal_at_random(rules.game, [str(n) for n in range(players)], rng)
    play_game(rules.game, record, random_policy(rng), rules.legal, 60, rng)
    table: Table | None = None
    names = [a.name for a in rules.game.ruleset.actions.values()]

    def observe(play: Play, turn: int, action: int | None) -> None:
        nonlocal table
        if action is None:
            if table is not None and not play.over:
                table.follows()
            assert table is None or play.over or table.same(play)
            table = None
            return
        assert table is None or table.same(play), (turn, action)
        table = Table(play)
        move = record.turns[turn].moves[action]
        table.do(names[move.number], move.actor, move.arguments)

    replay = replay_record(rules.game, record, rules.legal, observe)
    assert not replay.findings
    play = Play(rules.game, build_state(rules.game, record)[0], rules.legal)
    assert play.state.zones != replay.play.state.zones


def test_the_formatter_leaves_effects_as_they_are() -> None:
    text = SWEEP.read_text("utf-8")
    assert format_rules(SourceFile("game.rules", text)).value == text


GAME = """game mini "Mini"
players 2..2
component card { color: red "R" | blue "B"  value: 1..3  state up: flag "U"  state kept: here "" | away "A" }
deck pack of card = { R1 R2 R3 B1 B2 B3 }
zone hand: bag of card per player
zone stock: pile of card
zone heap: pile of card
zone row[3]: pile of card
zone pot: bag of 1..1
zone pit[3]: bag of 1..1
zone shown[3]: slot of card
zone board: grid 2x2 of card
setup deal hand "h": 1 each of pack to hand
setup deal stock "s": rest of pack to stock
setup put pot "p": 1 1 1 1 1
var n: 0..5 = 0 per turn
var spot: cell per game
turn = go
action go "Go" (card: card from hand, cards: cards from hand) { EFFECTS }
ending out "o" when stock is empty then stop
score s "s" = count hand
ranking most total, shared
"""
MISTAKES = [
    ("for each p in row: move top of p to heap", "row", "not for a pile"),
    ("for each g in board: n += 1", "board", "not for a pile"),
    ("for each c in n: n += 1", "n", "no elements"),
    ("for each card in hand: n += 1", "card", "declared twice"),
    ("for each c in hand: move card to heap", "card", "moves once"),
    ("for each c in hand: move cards to heap", "cards", "moves once"),
    ("for each c in tops of row: move c to heap", "c", "it is not known where this lies"),
    ("for each c in hand + heap: move c to heap", "c", "it is not known where this lies"),
    ("for each v in 1..3: move v to heap", "v", "it is not known where this lies"),
    ("for each c in hand: move c to shown[1]", "move c to shown[1]", "holds one thing"),
    ("for each v in 1..3: for each c in hand: move c to shown[v]", "move c to shown[v]", "holds one thing"),
    ("for each c in hand: move c to pot", "move c to pot", "holds other things"),
    ("for each q in players: n += q", "q", "`n` is a number"),
    ("for each v in 1..0: n += v", "1..0", "empty"),
    ("move 2 of hand to heap", "hand", "which things of the bag"),
    ("move red of stock to heap", "red", "how many move is a number"),
    ("move 2 of board to heap", "board", "so many things move out of a zone"),
    ("move 2 of row to heap", "row", "so many things move out of a zone"),
    ("move board[spot] to heap", "board[spot]", "no cell at all"),
    ("move 1 of board[spot] to heap", "board[spot]", "no cell at all"),
    ("for each v in 1..3: move top of stock to board[spot]", "board[spot]", "no cell at all"),
    ("move (first c in hand: c.value) to heap", "c.value", "a condition"),
    ("move (first v in 1..3: v > 1) to heap", "first v in 1..3: v > 1", "it is not known where this lies"),
    ("move (if n > 1 then top of stock else top of heap) to heap", "if", "it is not known where this lies"),
    ("move R1 to heap", "R1", "no parameter or zone"),
    ("move hand to stock move card to heap", "card: card from hand", "move `card` first"),
    ("for each c in hand { move c to stock when c.color == red } move cards to heap", "cards: ", "move `cards` first"),
    ("move (first c in hand where c != card: true) to stock move card to heap", "card: ", "move `card` first"),
    ("move card to heap move hand[player] to stock move cards to heap", "cards: ", "move `cards` first"),
]


MISTAKES += [
    ("turn card to red", "red", "`color` of a card never changes"),
    ("turn card to gone", "gone", "there is no state `gone`"),
    ("turn card to not away", "away", "`away` has no opposite"),
    ("turn n to up", "n", "this is a number"),
    ("turn pot to up", "pot", "a thing in a zone is turned"),
    ("turn (first c in hand + heap: c.up) to up", "first c", "it is not known where this lies"),
    ("turn top of board[spot] to up", "board[spot]", "no cell at all"),
    ("turn R1 to up", "R1", "it is not known where this lies"),
    ("turn card to up move card to heap", "card: ", "may have left, or be turned"),
    ("move card to heap turn card to up", "card: ", "may have left, or be turned"),
    ("turn hand to up move card to heap", "card: ", "may have left, or be turned"),
    ("for each c in hand: turn c to up when c.value == 1 move cards to heap", "cards: ", "may have left, or be turned"),
    ("turn cards to up move cards to heap", "cards: ", "may have left, or be turned"),
    ("for each c in hand { turn c to up move c to heap }", "c", "may have left, or be turned"),
    ("for each c in stock { turn c to up turn c to away }", "c", "may have left, or be turned"),
    ("let t = top of stock turn t to up turn t to away", "t", "may have left, or be turned"),
    ("let t = top of stock move top of stock to heap turn t to up", "t", "may have left, or be turned"),
    ("let t = top of stock turn stock to up move t to heap", "t", "may have left, or be turned"),
    ("for each c in stock { turn c to up when n == 1 n += 1 }", "n == 1", "which of equal things is turned"),
    ("turn (hand + heap) to up", "hand + heap", "a thing in a zone is turned, this is a collection"),
]


@pytest.mark.parametrize(("effects", "at", "says"), MISTAKES, ids=[m[0] for m in MISTAKES])
def test_a_mistake_in_an_effect_is_told(effects: str, at: str, says: str, tmp_path: Path) -> None:
    game, findings = load(tmp_path, GAME.replace("EFFECTS", effects))
    assert game is None
    assert any(d.span and at in d.span.text and says in f"{d.message} {d.help}" for d in findings), [
        (d.message, d.span and d.span.text) for d in findings
    ]


def test_what_loops_counts_as_often_as_it_goes_round(tmp_path: Path) -> None:
    loops = "".join(f"for each {v} in 1..900: " for v in "abcd")
    game, findings = load(tmp_path, GAME.replace("EFFECTS", f"{loops}n += 1"))
    assert game is None and [d.code for d in findings] == ["PW308"]


RIGHT = [
    "for each c in stock where c.color == red: move c to heap",
    "move (first c in (stock where c.color == red): c.value > 1) to heap",
    "for each v in 1..3: move 2 of pot to pit[v]",
    "for each c in stock: move c to heap when c.color == red",
    "for each at in cells of board { move board[at] to heap  move 1 of stock to board[at] }",
    "let one = (first c in hand: c.value > 1) move one to heap move one to heap",
    "let one = top of stock move one to heap",
    "move card to heap when card.value <= 2 move card to stock when card.value >= 2",
    "move cards to heap when n == 0 move cards to stock when count cards > 0",
    "move card to heap when n == 0 n += 1 move card to stock when n == 1",
    "move hand[player after player] to heap  move card to stock",
    "move card to stock  move hand to heap",
    "for each v in 1..3: for each c in stock { move c to row[v] when c.value == v  n += v when c.value == v and v < 2 }",
]


@pytest.mark.parametrize("effects", RIGHT)
def test_nothing_is_made_or_lost(effects: str, tmp_path: Path) -> None:
    game = loaded(tmp_path, GAME.replace("EFFECTS", effects))
    rng = Chance(3)
    record = deal_at_random(game, ["a", "b"], rng)
    before = things(build_state(game, record)[0])
    play = play_game(game, record, random_policy(rng), max_turns=4, rng=rng)
    assert things(play.state) == before and record.turns


def things(state: State) -> list[int]:
    piles = [p for z in state.zones for g in z for p in (g.values() if isinstance(g, dict) else [g])]
    return sorted(face for pile in piles for face in pile)


@pytest.mark.parametrize(
    ("effects", "lost"),
    [
        ("for each c in stock: move c to heap", False),
        ("move 2 of stock to heap", False),
        ("for each c in stock: move c to heap when c.color == red", True),
        ("move (first c in stock: c.value == 2) to heap", True),
        ("move (if (top of stock).value > 1 then 2 else 1) of stock to heap", True),
        ("for each c in stock: n += 1 when c.color == red", False),
        ("let high = stock where value > 1 n = count high", False),
    ],
)
def test_what_hangs_on_unseen_cards_is_told_and_nothing_behind_it_judged(
    effects: str, lost: bool, tmp_path: Path
) -> None:
    game = loaded(tmp_path, GAME.replace("EFFECTS", effects))
    rng = Chance(5)
    record = deal_at_random(game, ["a", "b"], rng)
    play_game(game, record, random_policy(rng), max_turns=2, rng=rng)
    assert replay_record(game, record).clean
    record.setup["stock"] = [[UNSEEN] * len(record.setup["stock"][0])]
    replay = replay_record(game, record)
    assert {f.code for f in replay.findings} <= {"PW611"}
    assert replay.cut == lost
    if lost:
        assert replay.findings[-1].rule == "go" and all(f.undetermined for f in replay.findings)


def test_a_number_that_a_loop_takes_out_of_its_bounds_forbids_the_action(tmp_path: Path) -> None:
    text = GAME.replace("(card: card from hand, cards: cards from hand)", "(many: 1..9)")
    game = loaded(
        tmp_path, text.replace("EFFECTS", "n = 2 for each v in 1..4 { n += 1 when v <= many  n += - 1 when v == 4 }")
    )
    play = Play(game, build_state(game, deal_at_random(game, ["a", "b"], Chance(1)))[0])
    play.begin_turn(0)
    # On the way it would be 6 where all four count.
    assert [arguments for _, _, arguments in play.legal_actions()] == [(1,), (2,), (3,)]


AFTER = GAME.replace(
    'action go "Go" (card: card from hand, cards: cards from hand) { EFFECTS }',
    'action go "Go" () { move top of stock to heap }\nCONSEQUENCES',
)


@one_day_in(8)
@pytest.mark.parametrize(
    ("written", "endless"),
    [
        ('consequence ping "p" repeated () { n = 1 - n }', True),
        (
            'consequence ping "p" after each action repeated at most 3 times () { rule r "r" require n < 4  n += 1 }',
            True,
        ),
        (
            'consequence ping "p" after each action repeated at most 4 times () { rule r "r" require n < 4  n += 1 }',
            False,
        ),
        ('consequence ping "p" repeated at most 3 times () { rule r "r" require n < 4  n += 1 }', True),
        ('consequence ping "p" after each action () { n = 1 - n }', False),
    ],
)
def test_what_never_ends_is_told(written: str, endless: bool, tmp_path: Path) -> None:
    game = loaded(tmp_path, AFTER.replace("CONSEQUENCES", written))
    record = deal_at_random(game, ["a", "b"], Chance(1))
    record.turns = [Turn(0, [Move(0, (), 0, 0)]), Turn(1, [Move(0, (), 0, 1)])]
    replay = replay_record(game, record)
    assert [f.code for f in replay.findings] == (["PW618"] if endless else [])
    assert replay.cut == endless
    instance = Kernels(compile_kernel(game.ruleset)).instance()
    (said,) = instance.judge([Packer(game.ruleset).pack(record)])
    assert said.verdict == (NOT_MINE if endless else CLEAN)
    if endless:
        with pytest.raises(Endless):
            play_game(game, record, random_policy(Chance(1)), max_turns=3)


def test_what_follows_after_each_action_stands_in_no_record(tmp_path: Path) -> None:
    text = AFTER.replace(
        "CONSEQUENCES", 'consequence ping "p" after each action () { n = 1 }\nconsequence pong "q" () { n = 2 }'
    )
    game = loaded(tmp_path, text)
    assert game.ruleset.recordable == ("pong",)
    record = encode_record(game, deal_at_random(game, ["a", "b"], Chance(1)))
    decoder = Decoder(game)
    assert decoder.record(record | {"recorded": ["pong"]}).recorded == {"pong"}
    for changed in (
        record | {"recorded": ["ping"]},
        record | {"turns": [{"player": "a", "actions": [{"action": "go"}, {"action": "ping"}]}]},
    ):
        with pytest.raises(Malformed):
            decoder.record(changed)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(changed, record_schema(game))


@one_day_in(8)
@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("consequence a \"a\" () { n = 1 }", "consequence a \"a\" after each action () { n = 1 }", False),
        ("consequence a \"a\" () { n = 1 }", "consequence a \"a\" repeated () { n = 1 }", False),
        ("consequence a \"a\" repeated () { n = 1 }", "consequence a \"a\" repeated at most 9 times () { n = 1 }", False),
        ("consequence a \"a\" repeated () { for each c in hand: move c to heap }",
         "consequence a \"a\" repeated () { for each d in hand: move d to heap }", True),
        ("consequence a \"a\" () { for each c in hand: move c to heap }",
         "consequence a \"a\" () { for each c in hand: move c to stock }", False),
        ("consequence a \"a\" () { for each c in hand: move c to heap }",
         "consequence a \"a\" () { for each c in stock: move c to heap }", False),
        ("consequence a \"a\" () { move 2 of stock to heap }", "consequence a \"a\" () { move 3 of stock to heap }", False),
        ("consequence a \"a\" () { move (first c in stock: c.value > 1) to heap }",
         "consequence a \"a\" () { move (last c in stock: c.value > 1) to heap }", False),
        ("consequence a \"a\" () { for each v in 1..2: for each w in 1..3: n += v }",
         "consequence a \"a\" () { for each v in 1..2: for each w in 1..3: n += w }", False),
        ("consequence a \"a\" () { for each v in 1..2 { n = v  n += 1 } }",
         "consequence a \"a\" () { for each v in 1..2 { n += 1  n = v } }", False),
    ],
)  # fmt: skip
def test_what_differs_is_never_called_the_same(first: str, second: str, same: bool, tmp_path: Path) -> None:
    games = []
    for name, written in (("one", first), ("two", second)):
        (tmp_path / name).mkdir()
        games.append(loaded(tmp_path / name, AFTER.replace("CONSEQUENCES", written)))
    rows = compare_rulesets(*games)
    assert all(row.nature == "wording" for row in rows) == same, rows


@pytest.mark.parametrize(
    ("effects", "twice"),
    [
        ("move card to heap move card to stock", True),
        ("move card to heap when points > 1 move card to stock", True),
        ("move card to heap when points > 1 move card to stock when points <= 1", False),
    ],
)
def test_a_parameter_moves_once(effects: str, twice: bool, tmp_path: Path) -> None:
    text = """\
game twice "Twice"
players 2..2
component card { color: red "R" | blue "B"  value: 1..3 }
deck cards of card = { 4 R1 4 B2 4 R3 }
zone heap: pile of card
zone stock: pile of card
zone hand: bag of card per player
setup { deal hand "h": 6 each of cards to hand by chance }
var points: 0..9 = 0 per game
turn = play
action play "Play" (card: card from hand) { EFFECTS }
ending out "o" when hand is empty then stop
score s "s" = count hand
ranking most total
""".replace("EFFECTS", effects)
    found = [d.message for d in load(tmp_path, text)[1]]
    assert found == (["`card` moves twice, and would lie in two places"] if twice else [])


@one_day_in(8)
@pytest.mark.parametrize("effects", [e for e in RIGHT if "move card" in e])
def test_the_kernel_moves_the_same(effects: str, tmp_path: Path) -> None:
    path = tmp_path / "mini.rules"
    path.write_text(GAME.replace("EFFECTS", effects), "utf-8")
    found = book(str(path))
    packer = Packer(found.game.ruleset)
    for seed, words in enumerate(Kernels(found.runner().kernel).instance().play(0, 20, 2, 20)):
        rng = Chance(seed)
        record = deal_at_random(found.game, ["a", "b"], rng)
        play_game(found.game, record, random_policy(rng), found.legal, 20, rng)
        assert packer.pack(record) == words
