"""PW619: the rules take a number out of its bounds, or a second thing into a slot. Wherever it is met, judging and playing
stop and say so.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import pwtool
from pwtool.cli.app import run
from pwtool.kernel import run as kernels
from pwtool.kernel.module import compile_kernel
from pwtool.kernel.run import CLEAN, NOT_MINE, Runner
from pwtool.play.chance import Chance
from pwtool.play.changes import FaultyRules
from pwtool.play.play import Play
from pwtool.play.record import Move, Record, Turn
from pwtool.play.replay import replay_record
from pwtool.play.selfplay import OutOfBounds, deal_at_random, play_game, random_policy
from pwtool.play.setup import build_state
from pwtool.records.encoding import encode_record
from tests.daily import one_day_in
from tests.kernel.packing import Packer
from tests.rules.test_constructs import load, loaded

GAME = """\
game mini "Mini"
players 2..2
component stone "S" { value: 1..2 }
deck bowl of stone = { 5 S1 5 S2 }
zone pot: pile of stone
zone place: slot of stone
zone board: grid 3x1 of stone
setup deal pot "p": rest of bowl to pot
var v: 0..2 = 0 per game
var turns: 0..99 = 0 per game
turn = go
action go "Go" (DRAWN) {
  turns += 1
EFFECTS}
FOLLOWS
ending done "d" when turns == 9 then stop
score s "s" = v
ranking most total, shared
"""
WAYS = {
    "the end of the turn": ("", "", 'consequence more "f" () { v += 1 }', "more.v", 3),
    "each action": ("", "", 'consequence more "f" after each action () { v += 1 }', "more.v", 3),
    "each value": ("", "", 'consequence more "f" (q: player) { v += 1 when turns > 1 }', "more.v", 3),
    "again and again": (
        "", "",
        'consequence more "f" repeated at most 9 times () { rule r "r" require v < turns  v += 1 }', "more.v", 3,
    ),
    "a loop": ("", "", 'consequence more "f" () { for each x in 1..3 { v += x when x == turns } }', "more.v", 2),
    "a slot": ("", "", 'consequence more "f" () { move top of pot to place }', "more.place", 2),
    "chance": ("die: 2..3 by chance", "  v = die\n", "", "go.v", 1),
    "chance indirectly": ("die: 1..3 by chance", "  v += 2 when die > 0\n", "", "go.v", 2),
}  # fmt: skip
"""For each way to go out of bounds: the parameter, effects and consequences, what is at fault, and in which turn."""


def game_of(way: str) -> str:
    drawn, effects, follows, *_ = WAYS[way]
    return GAME.replace("DRAWN", drawn).replace("EFFECTS", effects).replace("FOLLOWS", follows)


def record_of(game: pwtool.play.game.Game, turns: int, die: int = 3) -> Record:
    record = deal_at_random(game, ["a", "b"], Chance(1))
    values = (die,) * len(game.action(0).parameters)
    record.turns = [Turn(turn % 2, [Move(0, values, 0, turn % 2)]) for turn in range(turns)]
    return record


@one_day_in(8)
@pytest.mark.parametrize("way", WAYS)
def test_judging_stops_where_rules_exceed_a_bound(way: str, tmp_path: Path) -> None:
    *_, rule, turn = WAYS[way]
    game = loaded(tmp_path, game_of(way))
    record = record_of(game, 6)
    replay = replay_record(game, record)
    assert [(f.code, f.rule, f.turn) for f in replay.findings] == [("PW619", rule, turn)]
    assert replay.cut and replay.prefix == (turn - 1, turn - (rule[:2] == "go" or way == "each action"))
    instance, packer = Runner(compile_kernel(game.ruleset)).instance(), Packer(game.ruleset)
    before, after = instance.judge([packer.pack(record_of(game, turn - 1)), packer.pack(record)])
    assert (before.verdict, after.verdict) == (CLEAN, NOT_MINE)
    assert replay_record(game, record_of(game, turn - 1)).clean
    with pytest.raises(OutOfBounds, match=rule.partition(".")[2]):
        play_game(game, deal_at_random(game, ["a", "b"], Chance(1)), random_policy(Chance(3)))


@pytest.mark.parametrize("die", [2, 3])
def test_chance_decides_what_is_at_fault_but_not_what_is_legal(die: int, tmp_path: Path) -> None:
    game = loaded(tmp_path, game_of("chance"))
    play = Play(game, build_state(game, record_of(game, 0))[0])
    play.begin_turn(0)
    assert [arguments for _, _, arguments in play.legal_actions()] == [(2,)]
    assert [f.code for f in replay_record(game, record_of(game, 1, die)).findings] == ["PW619"] * (die - 2)


def test_a_consequence_that_may_lack_its_cell_is_refused(tmp_path: Path) -> None:
    follows = 'consequence more "f" () { move top of pot to board[(turns, 0) of board] }'
    _, found = load(tmp_path, GAME.replace("DRAWN", "").replace("EFFECTS", "").replace("FOLLOWS", follows))
    assert [d.code for d in found] == ["PW301"]


AHEAD = (
    GAME.replace("DRAWN", "")
    .replace("EFFECTS", '  rule kept "It grows" require after this: v != 0\n')
    .replace("FOLLOWS", 'consequence more "f" after each action () { v += 1 }')
)


def test_looking_ahead_meets_it(tmp_path: Path) -> None:
    game = loaded(tmp_path, AHEAD)
    replay = replay_record(game, record_of(game, 5))
    assert [(f.code, f.rule, f.turn) for f in replay.findings] == [("PW619", "more.v", 3)]
    assert replay.findings[0].path == ("turns", 2, "actions", 0)
    replay = replay_record(game, record_of(game, 2))
    # Whether anybody could go on is not known either.
    assert [(f.code, f.rule) for f in replay.findings] == [("PW619", "more.v")]
    play = Play(game, build_state(game, record_of(game, 0))[0])
    for turn in range(2):
        play.begin_turn(turn)
        play.do(0, turn, ())
        play.end_turn()
    play.begin_turn(0)
    with pytest.raises(FaultyRules):
        play.legal_actions()
    said = Runner(compile_kernel(game.ruleset)).instance().judge([Packer(game.ruleset).pack(record_of(game, 5))])
    assert said[0].verdict == NOT_MINE


def test_unseen_cards_that_may_keep_to_a_bound_are_no_fault(tmp_path: Path) -> None:
    follows = 'consequence more "f" () {{ v += ((top of pot).value else 0)  v += {} when turns == 2 }}'
    for least, codes in ((0, []), (1, ["PW619"])):
        text = GAME.replace("DRAWN", "").replace("EFFECTS", "").replace("FOLLOWS", follows.format(least))
        game = loaded(tmp_path, text)
        record = record_of(game, 2)
        record.setup = {"pot": [[-1] * 10]}
        assert [f.code for f in replay_record(game, record).findings] == codes


# ---- the commands ----------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    monkeypatch.chdir(tmp_path)

    def write(text: str) -> None:
        """The ruleset, a game that goes out of bounds, and an archive with many that stop before and some that do not."""
        game = loaded(tmp_path, text)
        Path("game.rules").write_text(text, "utf-8")
        games = [encode_record(game, record_of(game, 5)), encode_record(game, record_of(game, 1))]
        Path("one.json").write_text(json.dumps(games[0]), "utf-8")
        Path("many.jsonl").write_text("".join(json.dumps(games[k % 50 > 0]) + "\n" for k in range(200)), "utf-8")

    return write


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = run(list(words))
    got = capsys.readouterr()
    return code, got.out + got.err


@pytest.mark.parametrize(
    "words",
    [
        ["check"],
        ["replay"],
        ["replay", "--at", "3"],
        ["replay", "--at", "5"],
        ["legal"],
        ["legal", "--at", "5"],
        ["score"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("text", [game_of("the end of the turn"), AHEAD], ids=["following", "ahead"])
def test_commands_that_judge_say_so(
    words: list[str], text: str, files: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    files(text)
    code, out = said(capsys, words[0], "one.json", *words[1:], "--rules", "game.rules")
    assert code == 1 and "PW619" in out and "would be 3, it goes from 0 to 2" in out, out
    assert "Traceback" not in out


def test_archives_say_so_with_and_without_kernels(
    files: Callable[[str], None], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files(game_of("the end of the turn"))
    found = []
    for installed in (True, False):
        if not installed:
            monkeypatch.setattr(kernels, "is_installed", lambda: False)
        code, out = said(capsys, "check", "many.jsonl", "--rules", "game.rules", "--format", "concise")
        assert code == 1
        found.append([line for line in out.splitlines() if "PW6" in line])
    assert found[0] == found[1] and len(found[0]) == 4 and all("PW619" in line for line in found[0])


def test_random_games_stop_and_say_so(files: Callable[[str], None], capsys: pytest.CaptureFixture[str]) -> None:
    files(game_of("the end of the turn"))
    wrong = "`more` exceeds a bound: `v` would be 3, it goes from 0 to 2"
    for more in ([], ["--games", "3"], ["--games", "100"]):
        code, out = said(capsys, "play", "game.rules", "--seed", "1", *more)
        assert code == 2 and wrong in out
    code, out = said(capsys, "simulate", "game.rules", "--games", "100", "--seed", "1")
    assert code == 0 and "out of bounds  100.00 %" in out
    rules = pwtool.load("game.rules")
    with pytest.raises(pwtool.OutOfBounds, match="exceeds a bound"):
        rules.play()
    position = rules.replay(json.loads(Path("one.json").read_text("utf-8"))).at(3)
    position = position.play(position.legal()[0])
    with pytest.raises(pwtool.OutOfBounds, match="exceeds a bound"):
        position.end_turn()


# ---- effects that ask whether their own action is possible ------------------------------------------------------------


@pytest.mark.parametrize(
    ("effects", "refused"),
    [
        ("v = 2 + turns when can go", True),
        ("turns += v when can go  v = turns", True),
        ("v = if can other then 1 + turns else 0", False),
        ("v = if can back then 1 + turns else 0", True),
        ("move top of pot to place when can go", True),
        ("move top of pot to board[(0, 0) of board] when can go", False),
        ("v = 2 when can go", False),
        ("for each x in 1..2 { v += x when can go }", True),
    ],
)
def test_whether_an_action_is_possible_never_depends_on_itself(effects: str, refused: bool, tmp_path: Path) -> None:
    others = 'action other "O" () { }\naction back "B" () { v += 1 when can go }\n'
    text = GAME.replace("DRAWN", "").replace("EFFECTS", f"  {effects}\n").replace("FOLLOWS", others)
    game, found = load(tmp_path, text.replace("turn = go", "turn = go | other | back"))
    assert ("PW208" in [d.code for d in found]) == refused
    if game is not None:
        play_game(game, deal_at_random(game, ["a", "b"], Chance(1)), random_policy(Chance(1)), max_turns=5)


@pytest.mark.parametrize(
    ("variables", "code"),
    [
        ("var t: 1..2 = 1 per turn\nvar a: 1..2 = t per game", "PW301"),
        ("var t: 1..2 = 1 per turn\nvar a: 1..2 = t per player", "PW301"),
        ("var a: flag = can go per game", "PW201"),
        ("var t: 1..2 = 1 per game\nvar a: 1..2 = t per game", None),
        ("var t: 1..2 = 1 per turn\nvar a: 1..2 = t per turn", None),
        ("var t: 0..3 = 1 per game\nvar a: 1..2 = t per turn", "PW306"),
    ],
)
def test_a_first_value_is_within_its_bounds_when_it_is_read(variables: str, code: str | None, tmp_path: Path) -> None:
    text = (
        GAME.replace("DRAWN", "")
        .replace("EFFECTS", "")
        .replace("FOLLOWS", "")
        .replace("turn = go", f"{variables}\nturn = go")
    )
    game, found = load(tmp_path, text)
    assert [d.code for d in found] == ([code] if code else [])
    if game is not None:
        play_game(game, deal_at_random(game, ["a", "b"], Chance(1)), random_policy(Chance(1)), max_turns=3)
