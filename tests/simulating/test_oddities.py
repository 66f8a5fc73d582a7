"""Notes about what random games show: each kind where it has to come, and where it must not."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.checking.linting import Adopted
from pwtool.cli.app import run as run_command
from pwtool.cli.linting import run_lint
from pwtool.cli.oddities import oddities_of
from pwtool.kernel import run
from pwtool.play.chance import Chance
from pwtool.play.legal import LegalActions
from pwtool.play.opening import opening
from pwtool.play.selfplay import deal_at_random
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from pwtool.rules.targets import find_targets
from pwtool.simulating import oddities
from pwtool.text import Diagnostic, Severity
from tests.daily import one_day_in

GAME = """game adding "Adding"
players 2..3
var tally: 0..99 = 0 per game
var own: 0..99 = 0 per player
turn = say
action say "Say a number" (number: 1..3) {
  tally += number
  own += number
}
ending ten "Ten is reached" when tally >= 10 then stop
score said "What the player said" = own
ranking most total, shared
"""
HOUSE = """edition house of paper_world/en "Our house rules"
change rule turn.hand_limit "At most seven cards stay in hand at the end of a turn" see taking
  require count hand <= 7
"""
TRIM = """change rule trim.only_excess "Cards are discarded only above seven in hand" see taking
  require count hand > 7
"""


def written(tmp_path: Path, text: str, name: str = "mine.rules") -> Path:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def seen(tmp_path: Path, text: str) -> list[Diagnostic]:
    path = written(tmp_path, text)
    store = RulesetStore(Library())
    assert store.get(str(path)).ok
    return [odd for target in find_targets([str(path)], store.library)[0] for odd in oddities_of(target, store)]


def told(tmp_path: Path, text: str) -> list[tuple[str, str]]:
    return [(odd.code, odd.message) for odd in seen(tmp_path, text)]


def changed(*changes: tuple[str, str]) -> str:
    text = GAME
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return text


ROOM = ("  tally += number", '  rule room "Room" require tally + number <= {most}\n  tally += number')
TWENTY = 'ending twenty "Twenty is reached" when tally >= 20 then stop\nscore said'
SKIP = 'action skip "Skip" () {{\n  rule late "Late" require tally >= {least}\n}}\nending'
SHIFT = 'consequence shift "Lost" () {{\n  rule due "Due" require tally == {least}\n  tally = 0\n}}\nending'


def test_a_game_without_oddities_has_no_notes(tmp_path: Path) -> None:
    assert told(tmp_path, GAME) == []


@one_day_in(8)
@pytest.mark.parametrize(
    ("changes", "code", "message"),
    [
        (
            [(ROOM[0], ROOM[1].format(most=9))],
            "PW417",
            "in 100 of 100 random games nobody can move although the game is not over",
        ),
        (
            [("  tally += number", "  tally = number"), ("own += number", "own = number")],
            "PW418",
            "20 of 20 random games are not over after 1,000 turns",
        ),
        (
            [("turn = say", "turn = say | skip"), ("ending", SKIP.format(least=12))],
            "PW419",
            "nobody did `skip` in 100 random games",
        ),
        ([("ending", SHIFT.format(least=50))], "PW419", "`shift` did not happen in 100 random games"),
        ([("score said", TWENTY)], "PW421", "`twenty` ended none of 100 random games"),
        ([("= own\n", "= tally\n")], "PW422", "`said` was the same for all players in 100 random games"),
    ],
)
def test_what_is_odd_in_all_games_is_told(
    changes: list[tuple[str, str]], code: str, message: str, tmp_path: Path
) -> None:
    found = seen(tmp_path, changed(*changes))
    assert [(odd.code, odd.message) for odd in found] == [(code, message)]
    assert found[0].level is Severity.NOTE
    assert str(tmp_path / "mine.rules") in str(found[0].data["command"])


@pytest.mark.parametrize(
    "changes",
    [
        [(ROOM[0], ROOM[1].format(most=10))],
        [("turn = say", "turn = say | skip"), ("ending", SKIP.format(least=5))],
        [("ending", SHIFT.format(least=9))],
        [("score said", TWENTY.replace(">= 20", "== 12").replace("twenty", "also")), ("tally >= 10", "tally == 10 or tally == 11")],
        [("= own\n", "= 0\n")],
    ],
)  # fmt: skip
def test_what_happens_now_and_then_is_not_told(changes: list[tuple[str, str]], tmp_path: Path) -> None:
    assert told(tmp_path, changed(*changes)) == []


def test_a_rule_that_refuses_nothing_is_told(tmp_path: Path) -> None:
    [odd] = seen(tmp_path, changed((ROOM[0], ROOM[1].format(most=20))))
    assert odd.code == "PW420"
    assert odd.message.startswith("`say.room` refused nothing in ")
    assert odd.data["games"] in range(20, 101)
    assert odd.span is not None
    assert odd.span.line == 7


def test_a_rule_of_the_end_of_a_turn_that_refuses_nothing_is_told(tmp_path: Path) -> None:
    rule = 'rule turn.enough "Enough" require tally > {least}\nending'
    repeated = ("turn = say", "turn = say+")
    assert [code for code, _ in told(tmp_path, changed(repeated, ("ending", rule.format(least=0))))] == ["PW420"]
    assert told(tmp_path, changed(repeated, ("ending", rule.format(least=2)))) == []


def test_a_seat_that_always_wins_is_told_with_the_number_of_players(tmp_path: Path) -> None:
    first = ("= own\n", "= (if player == seat 1 then 1 else 0)\n")
    assert told(tmp_path, changed(first)) == [
        ("PW423", "seat 1 of 2 won all 50 random games"),
        ("PW423", "seat 1 of 3 won all 50 random games"),
    ]


@pytest.mark.parametrize(
    ("changes", "example"),
    [
        ([(ROOM[0], ROOM[1].format(most=20))], "example say.room {\n given tally = 20\n no say(1)\n}\n"),
        ([("score said", TWENTY)], "example twenty {\n given tally = 20\n yes\n}\n"),
        ([("= own\n", "= tally\n")], "example score {\n given tally = 3\n then said = 3\n}\n"),
    ],
)
def test_what_an_example_shows_is_known(changes: list[tuple[str, str]], example: str, tmp_path: Path) -> None:
    text = changed(*changes)
    assert len(told(tmp_path, text)) == 1
    assert told(tmp_path, text + example) == []


def test_what_is_about_earlier_positions_is_not_told(tmp_path: Path) -> None:
    again = 'ending again "It comes again" when repeats of { tally } >= 5 then stop\nscore said'
    assert told(tmp_path, changed(("score said", again))) == []


@one_day_in(8)
def test_a_house_rule_that_leaves_its_sister_behind_is_told_with_both(tmp_path: Path) -> None:
    [odd] = seen(tmp_path, HOUSE)
    assert (odd.code, odd.data["count"], odd.data["games"]) == ("PW417", 145, 150)
    assert odd.span is not None
    assert odd.span.line == 2
    because, see = (detail.lines for detail in odd.details)
    assert [line.split()[0] for line in because] == ["`turn.hand_limit`", "`trim.only_excess`"]
    assert because[1].endswith("refuses every `trim`")
    path = tmp_path / "mine.rules"
    assert see == (f"pwtool play {path} --players 2 --seed 1 | pwtool replay - -r {path}",)
    assert odd.notes == ("without these changes: in 0 of 150",)
    assert told(tmp_path, HOUSE + TRIM) == []


@one_day_in(4)
def test_what_is_so_without_the_changes_is_not_theirs(tmp_path: Path) -> None:
    """One of 150 random games of Game Park's rules gets stuck, whatever objective is added."""
    objective = 'edition mine of paper_world/gamepark "Mine"\nobjective four "A four" = some card: value == 4\n'
    assert told(tmp_path, objective) == []


@one_day_in(8)
def test_what_changes_keep_from_happening_is_theirs(tmp_path: Path) -> None:
    limit = 'remove rule turn.hand_limit\nchange rule trim.only_excess "Above forty" require count hand > 40\n'
    [odd] = seen(tmp_path, f'edition mine of paper_world/en "Mine"\n{limit}')
    assert odd.message == "nobody did `trim` in 150 random games"
    assert odd.span is not None
    assert odd.span.line == 1
    assert str(odd.notes[0]).startswith("without these changes: in 1")


def test_a_ruleset_without_a_setup_is_told(tmp_path: Path) -> None:
    text = changed(("turn = say", 'rule setup.never "Never" require tally > 0\nturn = say'))
    assert told(tmp_path, text) == [("PW417", "for 100 of 100 random games no setup was found that the rules accept")]


def test_the_engine_tells_what_the_kernel_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [changed((ROOM[0], ROOM[1].format(most=20))), changed((ROOM[0], ROOM[1].format(most=9)))]
    before = [[(odd.message, odd.data) for odd in seen(tmp_path, text)] for text in texts]
    monkeypatch.setattr(run, "is_installed", lambda: False)
    assert [[(odd.message, odd.data) for odd in seen(tmp_path, text)] for text in texts] == before


def test_few_games_are_played_of_rules_that_take_many_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oddities, "STEPS", 10)
    standstill = "in 10 of 10 random games nobody can move although the game is not over"
    assert told(tmp_path, changed((ROOM[0], ROOM[1].format(most=9)))) == [("PW417", standstill)]
    assert told(tmp_path, changed(("score said", TWENTY))) == []


def test_games_that_take_too_many_steps_are_not_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "is_installed", lambda: False)
    monkeypatch.setattr(oddities, "ALL_STEPS", 10)
    [odd] = seen(tmp_path, GAME)
    assert (odd.code, odd.level) == ("PW617", Severity.NOTE)


def test_random_arguments_are_of_what_is_there() -> None:
    game = RulesetStore(Library()).get("paper_world/en").value
    assert game is not None
    rng = Chance(5)
    play = opening(game.game, deal_at_random(game.game, ["Ana", "Ben"], rng))[0]
    legal, numbers = LegalActions(game.game), game.game.action_numbers
    play.begin_turn(0)
    for _ in range(20):
        arguments = legal.at_random(play.state, numbers["take"], rng)
        assert arguments is not None
        runner = game.game.machine(play.state).actions[numbers["take"]]
        assert not runner.unavailable(play.state, runner.bind(arguments))
    hand = next(zone for zone in game.game.zone_list if zone.name == "hand")
    play.state.zones[hand.number][0].clear()
    assert legal.at_random(play.state, numbers["trim"], rng) is None


# ---- the commands


@one_day_in(8)
def test_notes_do_not_change_the_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, HOUSE)
    assert run_command(["lint", str(path), "--lang", "en"]) == 0
    told = capsys.readouterr().out
    assert "note[PW417]: in 145 of 150 random games" in told
    assert told.endswith("clean, with notes\n")


def test_a_ruleset_with_errors_is_not_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, HOUSE + 'objective odd "Odd" = some card: valu == 4\n')
    assert run_lint([str(path)], "full", False, False, Adopted()) == 1
    assert "PW417" not in capsys.readouterr().out
