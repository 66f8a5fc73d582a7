"""`pwtool test`: what it says of an example that does not hold, of parts nobody shows and of changes nobody notices."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from pwtool.cli.app import run
from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.lang.parser import parse_rules
from pwtool.play.game import Game
from pwtool.rules.build import build_ruleset, load_ruleset
from pwtool.rules.library import Library
from pwtool.show.text.examples import example_findings
from pwtool.text import Diagnostic
from pwtool.text.source import SourceFile
from pwtool.why.coverage import coverage_findings, coverage_line, measure_coverage
from pwtool.why.examples import check_examples, failed_examples
from pwtool.why.mutants import mutants_of
from pwtool.why.mutation import Survivor, Tally, items_to_mutate, mutate
from tests.daily import one_day_in, some

ROOT = Path(__file__).resolve().parents[2]

MINI = """\
game mini "Mini"
players 2..2
component card { color: red "R" | blue "B"  value: 1..3  weight: 1..2 "w" }
deck pack of card = { R11 R21 R31 B11 B21 B31 }
zone stock: pile of card
zone hand: bag of card per player
zone board: grid 3x3 of card
setup { deal stock "All cards form the stock": all of pack to stock }
turn = lay | rest
var laid: 0..9 = 0 per game
action lay "Lay" (card: card from hand "The card is in the hand", at: cell of board) {
  rule free "The cell is free" require board[at] is empty
  rule higher "A card is higher than its neighbours"
    when laid > 0
    require no n in neighbours of at: (top of board[n]).value >= card.value
  move card to board[at]
  laid += 1
}
action rest "Rest" () { rule stuck "Only who can do nothing rests" require not can lay }
rule turn.few "At most three cards stay in hand" require count hand <= 3
ending full "The board is full" when count board == 9 then stop
score cards "Cards on the board" = count board
score hand "Cards in hand" = (if count hand > 2 then -2 else 0)
ranking most total, shared
invariant low "Few cards" for each player when laid > 0 require count hand <= 6
""".replace('weight: 1..2 "w"', "weight: 1..2")


def ruleset(tmp_path: Path, more: str) -> Ruleset:
    path = tmp_path / "game.rules"
    path.write_text(MINI + more, "utf-8")
    result = load_ruleset(str(path), Library())
    assert result.value is not None, [d.message for d in result.diagnostics]
    return result.value


def details(finding: Diagnostic) -> dict[str, tuple[str, ...]]:
    return {d.title: d.lines for d in finding.details}


def failures(tmp_path: Path, more: str) -> list[Diagnostic]:
    return example_findings(Game(ruleset(tmp_path, more)))


def because(tmp_path: Path, more: str) -> tuple[str, ...]:
    found = failures(tmp_path, more)
    assert len(found) == 1
    return details(found[0]).get("because", ())


# ---- an example that does not hold


def objective(condition: str, verdict: str, board: str) -> str:
    return f'objective mine "Mine" = {condition}\nexample mine {{ {verdict} {board} }}\n'


REASONS = [
    ("some [ # # ]: sum value == 5", "yes", "[ R11 R21 ]", "R11 R21 at (0, 0) (1, 0): sum value is 3, 5 needed"),
    ("some [ # # ]: sum value == 5", "yes", "[ R11 R11 B21 ]",
     "none of 2 places; nearest R11 B21 at (1, 0) (2, 0): sum value is 3, 5 needed"),
    ("some [ # # ]: sum value < 3", "no", "[ R31 R31 / R11 B11 ]", "R11 B11 at (0, 1) (1, 1): sum value is 2"),
    ("some [ # # ]: same color", "yes", "[ R11 . / . R21 ]", "the shape lies nowhere"),
    ("some [ # # ]: same color", "yes", "[ R11 B21 ]", "R11 B21 at (0, 0) (1, 0): color is red blue, all alike needed"),
    ("some [ # # # ]: value reads 1 2 3", "yes", "[ R11 R21 R21 ]",
     "R11 R21 R21 at (0, 0) (1, 0) (2, 0): value is 1 2 2, 1 2 3 needed"),
    ("some [ # # # ]: ascending value", "yes", "[ R11 R31 R21 ]",
     "R11 R31 R21 at (0, 0) (1, 0) (2, 0): value is 1 3 2, each higher than the one before needed"),
    ("at least 2 card: value == 3", "yes", "[ R31 R21 ]", "1 of 2 with `value == 3`, at least 2 needed: R31"),
    ("exactly 1 card: value == 3", "no", "[ R31 R21 ]", "1 of 2 with `value == 3`: R31"),
    ("no card: value == 3", "yes", "[ R31 R21 ]", "R31: value is 3"),
    ("every v in 1..2: some card: value == v", "yes", "[ R11 ]", "2: none of 1; nearest R11: value is 1, 2 needed"),
    ("count card > 3", "yes", "[ R11 ]", "count card is 1, more than 3 needed"),
    ("some card: value == 3 and color == red", "yes", "[ B31 ]", "none of 1; nearest B31: color is blue, red needed"),
    ("count card == 1 or count card == 3", "yes", "[ R11 R21 ]", "count card is 2, 1 needed"),
    ("not count card == 1", "yes", "[ R11 ]", "count card is 1"),
    ("no [ # # ]: same color", "no", "[ R11 B11 ]", "0 of 1 places fulfil it"),
]  # fmt: skip


@pytest.mark.parametrize(("condition", "verdict", "board", "reason"), REASONS, ids=[r[0] + " " + r[1] for r in REASONS])
def test_what_decided_is_told(condition: str, verdict: str, board: str, reason: str, tmp_path: Path) -> None:
    assert because(tmp_path, objective(condition, verdict, board))[0] == reason


def test_the_cell_that_would_complete_a_shape(tmp_path: Path) -> None:
    lines = because(tmp_path, objective("some [ # # # ]: same color", "yes", "[ . . . / R11 R21 . ]"))
    assert lines == ("the shape lies nowhere", "nearest: (2, 1) would need a card")


def test_the_board_is_drawn_with_both_verdicts(tmp_path: Path) -> None:
    finding = failures(tmp_path, objective("count card > 3", "yes", "[ R11 . / . B21 ]"))[0]
    shown = details(finding)
    assert shown["expected"] == ("the board fulfils the objective",)
    assert shown["actual"] == ("the board does not fulfil the objective",)
    assert [line.split() for line in shown["board"][:3]] == [
        ["0", "1", "2"],
        ["0", "R11", ".", "."],
        ["1", ".", "B21", "."],
    ]
    assert shown["rule"] == (f"{tmp_path / 'game.rules'}:26   count card > 3",)


def test_an_action_that_is_refused(tmp_path: Path) -> None:
    text = """\
example lay.higher {
  given hand = { R21 }
  given board = [ R31 ]
  given laid = 1
  yes lay(R21, (1, 0))
}
"""
    shown = details(failures(tmp_path, text)[0])
    assert shown["actual"] == ("refused by lay.higher",)
    assert shown["given"] == ("hand: R21",)
    assert shown["because"][0].startswith("lay.higher: (0, 0): (top of board[n]).value is 3")


def test_a_rule_that_does_not_apply(tmp_path: Path) -> None:
    text = "example lay.higher { given hand = { R21 } given board = [ R31 ] no lay(R21, (1, 0)) }\n"
    shown = details(failures(tmp_path, text)[0])
    assert (shown["expected"], shown["actual"]) == (("refused by lay.higher",), ("legal",))
    assert [line.strip() for line in shown["because"]] == [
        "lay.higher: it does not apply here, its `when` does not hold",
        "laid is 0, more than 0 needed",
    ]


def test_other_kinds_of_examples(tmp_path: Path) -> None:
    text = """\
example turn.few { given hand = { R11 R21 R31 B11 } yes }
example full { yes }
example low { given laid = 1 given hand[2] = { R11 R11 R11 R11 R11 R11 R11 } yes }
example score { given hand = { R11 R21 R31 } then hand = 0 }
"""
    found = [details(f)["because"][0] for f in failures(tmp_path, text)]
    assert found == [
        "count hand is 4, at most 3 needed",
        "count board is 0, 9 needed",
        "count hand is 7, at most 6 needed",
        "count hand is 3",
    ]


def test_an_example_that_cannot_be_built_is_told_as_before(tmp_path: Path) -> None:
    rules = ruleset(tmp_path, "example lay.free { given hand = { R99 } yes lay(R11, (0, 0)) no lay(R11, (0, 0)) }\n")
    found = check_examples(Game(rules))
    assert [f.message for f in found] == ["there is no card `R99`"]


# ---- coverage


def uncovered(tmp_path: Path, more: str, only: str | None = None) -> list[str]:
    return [d.message for d in coverage_findings(measure_coverage(ruleset(tmp_path, more), only))]


def test_parts_that_no_example_shows(tmp_path: Path) -> None:
    text = 'objective mine "M" = some card: value == 3 and color == red\nexample mine { yes [ R31 ] no [ R11 ] }\n'
    assert uncovered(tmp_path, text, "mine") == ["no example makes `color == red` false"]
    more = text.replace("no [ R11 ]", "no [ R11 ] no [ B31 ]")
    assert uncovered(tmp_path, more, "mine") == []


def test_a_rule_without_any_example(tmp_path: Path) -> None:
    found = uncovered(tmp_path, "", "lay.higher")
    assert found[0] == "no example makes `laid > 0` true, and none makes it false"
    assert len(found) == 3


def test_the_condition_of_a_rule_is_covered_where_it_applies(tmp_path: Path) -> None:
    text = """\
example lay.higher {
  given hand = { R21 }
  given board = [ R31 ]
  yes lay(R21, (1, 0))
}
"""
    assert uncovered(tmp_path, text, "lay.higher")[0] == "no example makes `laid > 0` true"


def test_choices_of_a_score_line(tmp_path: Path) -> None:
    text = "example score { given hand = { R11 R21 R31 } then hand = -2 }\n"
    assert uncovered(tmp_path, text, "hand") == ["no example makes `count hand > 2` false"]


def test_a_negated_test_is_one_part(tmp_path: Path) -> None:
    text = 'rule turn.hold "H" require hand is not empty\nexample turn.hold { given hand = { R11 } yes }\n'
    assert uncovered(tmp_path, text, "turn.hold") == ["no example makes `hand is not empty` false"]


def test_the_sum_of_it(tmp_path: Path) -> None:
    text = 'objective mine "M" = some card: value == 3 and color == red\nexample mine { yes [ R31 ] no [ R11 ] }\n'
    line = coverage_line(measure_coverage(ruleset(tmp_path, text), "mine"))
    assert line == "7 of 8 outcomes of 4 conditions and parts are shown by examples"


# ---- changes


def survivors(tmp_path: Path, more: str, only: str) -> tuple[list[Survivor], Tally]:
    rules = ruleset(tmp_path, more)
    assert check_examples(Game(rules)) == []
    return mutate(Game(rules), items_to_mutate(rules, only))


def told(found: list[Survivor]) -> set[str]:
    return {f"{s.mutant.before} / {s.mutant.after}" for s in found}


def changes(tmp_path: Path, more: str, name: str) -> set[str]:
    rules = ruleset(tmp_path, more)
    return {f"{m.before} / {m.after}" for _, item in items_to_mutate(rules, name) for m in mutants_of(item, rules)}


def test_the_kinds_of_changes(tmp_path: Path) -> None:
    text = """\
shape two = [ # # ]
objective mine "M" = some two: same color and sum value <= 4 or not (at least 2 card: value == 3)
objective five "F" = every v in 1..3: some [ # . / # # ] turned: any value == v
"""
    found = changes(tmp_path, text, "mine")
    assert {
        "4 / 5", "4 / 3", "<= / <", "same / distinct", "value / weight", "and / or", "or / and", "some / every",
        "at least 2 / exactly 2", "at least 2 / at least 3", "at least 2 / at least 1", "== / !=", "== / >=",
        "not (at least 2 card: value == 3) / at least 2 card: value == 3",
        "same color / not same color",
        "same color and sum value <= 4 / sum value <= 4",
    } <= found  # fmt: skip
    assert not any("color / value" in change for change in found)
    assert {
        "1..3 / 2..3", "1..3 / 1..2", "any / all", "[ # . / # # ] turned / [ # . / # # ]",
        "[ # . / # # ] turned / [ # . / # # ] turned mirrored", "[ # . / # # ] turned / [ # # / # # ] turned",
        "[ # . / # # ] turned / [ . . / # # ] turned",
    } <= changes(tmp_path, text, "five")  # fmt: skip
    assert "[ # # ] / [ # # ] turned" in changes(tmp_path, text, "two")
    assert "when laid > 0 / always" in changes(tmp_path, text, "lay.higher")


def test_a_number_that_no_example_tells_from_the_next(tmp_path: Path) -> None:
    text = 'objective mine "M" = some [ # # ]: sum value >= 4\nexample mine { yes [ R31 R31 ] no [ R11 R11 ] }\n'
    found, tally = survivors(tmp_path, text, "mine")
    assert {"4 / 5", "4 / 3", ">= / >"} <= told(found)
    assert tally.noticed > 0
    by_change = {s.mutant.after: s for s in found}
    assert by_change["5"].witness and by_change["5"].witness[0].startswith("example mine { yes [ ")
    assert by_change["3"].witness and by_change["3"].witness[0].startswith("example mine { no [ ")


@one_day_in(8)
def test_what_is_proposed_settles_it(tmp_path: Path) -> None:
    text = 'objective mine "M" = some [ # # ]: sum value >= 4\nexample mine { yes [ R31 R31 ] no [ R11 R11 ] }\n'
    for _ in range(12):
        found = [s for s in survivors(tmp_path, text, "mine")[0] if s.witness]
        if not found:
            break
        text += "\n".join(found[0].witness) + "\n"
    assert not found
    assert text.count("example") >= 4


def test_what_means_the_same_is_no_survivor(tmp_path: Path) -> None:
    text = """\
objective mine "M" = some [ # # / # # ]: same color
example mine {
  yes [ R11 R21 / R31 R31 ]
  no [ R11 R21 / B31 R31 ]
  no [ R11 R21 / R31 . ]
  no [ R11 R21 / . R31 ]
  no [ R11 . / R31 R31 ]
  no [ . R21 / R31 R31 ]
  no [ B21 R21 / R31 R31 ]
  no [ R21 B21 / R31 R31 ]
  no [ R21 R21 / R31 B31 ]
}
"""
    found, tally = survivors(tmp_path, text, "mine")
    assert not any("turned" in change or "mirrored" in change for change in told(found))
    assert not [s for s in found if s.witness]
    assert tally.tried > 5


def test_a_variable_that_is_never_negative(tmp_path: Path) -> None:
    text = """\
rule turn.none "N" require laid == 0
example turn.none { given laid = 0 yes }
example turn.none { given laid = 1 no }
"""
    assert "== / <=" not in told(survivors(tmp_path, text, "turn.none")[0])


def test_a_change_of_a_rule_with_a_position_that_tells(tmp_path: Path) -> None:
    text = """\
example lay.higher {
  given hand = { R31 R11 }
  given board = [ R21 ]
  given laid = 1
  yes lay(R31, (1, 0))
  no  lay(R11, (1, 0))
}
"""
    found, _ = survivors(tmp_path, text, "lay.higher")
    changed = {s.mutant.before + s.mutant.after: s for s in found}
    assert ">=>" in changed
    witness = "\n".join(changed[">=>"].witness)
    assert witness.startswith("example lay.higher {\n  given hand = {")
    assert re.search(r"^  (yes|no ) lay\(", witness, re.MULTILINE)


def test_an_item_without_examples_is_counted(tmp_path: Path) -> None:
    found, tally = survivors(tmp_path, 'objective mine "M" = count card == 3\n', "mine")
    assert (found, tally.without_examples) == ([], 1)


def test_the_same_changes_give_the_same_answer(tmp_path: Path) -> None:
    text = 'objective mine "M" = some [ # # ]: sum value >= 4\nexample mine { yes [ R31 R31 ] no [ R11 R11 ] }\n'
    first, second = (survivors(tmp_path, text, "mine")[0] for _ in range(2))
    assert [s.witness for s in first] == [s.witness for s in second]


# ---- the command


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.rules"
    text = 'objective mine "M" = some [ # # ]: sum value >= 4\nexample mine { yes [ R31 R31 ] no [ R11 R11 ] }\n'
    path.write_text(MINI + text, "utf-8")
    assert run(["test", str(path)]) == 0
    assert "2 examples, 0 failed" in capsys.readouterr().out
    assert run(["test", str(tmp_path), "--coverage", "--mutate", "--only", "mine"]) == 0
    said = capsys.readouterr().out
    assert "4 of 4 outcomes of 2 conditions" in said
    assert "the examples do not tell `4` from `5` here" in said
    assert re.search(r"^\d+ small changes tried, \d+ noticed by an example, \d+ not", said, re.MULTILINE)
    path.write_text(MINI + text.replace("no [ R11", "no [ R31"), "utf-8")
    assert run(["test", str(path), "--mutate", "--only", "mine"]) == 1
    assert "first let all examples hold" in capsys.readouterr().out
    assert run(["test", str(path), "--mutate", "--only", "mien"]) == 2
    assert "did you mean `mine`?" in capsys.readouterr().err
    path.write_text("game", "utf-8")
    assert run(["test", str(path)]) == 2


@one_day_in(4)
def test_an_edition_is_asked_about_its_own_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    house = tmp_path / "house.rules"
    house.write_text(
        'edition house of paper_world "House"\nobjective mine "M" = at least 4 card: value == 5\n'
        "example mine { yes [ Y5 Y5 / Y5 Y5 ] no [ Y5 Y5 Y5 ] }\n",
        "utf-8",
    )
    assert run(["test", str(house), "--mutate", "--coverage"]) == 0
    said = capsys.readouterr().out
    assert "  --> rulesets/" not in said
    assert "in mine" in said


GAMES = ["rulesets/classics/tic_tac_toe", "rulesets/classics/connect_four", "tests/rulesets/gulls"]


@pytest.mark.parametrize("folder", some([*GAMES], 1))
def test_every_proposed_example_holds_and_tells_the_two_apart(folder: str) -> None:
    rules = load_ruleset(str(ROOT / folder / "game.rules"), Library()).value
    assert rules is not None
    found, _ = mutate(Game(rules), items_to_mutate(rules, None))
    proposed = [s for s in found if s.witness]
    assert proposed
    for survivor in proposed:
        text = "part more of game\n" + "\n".join(survivor.witness)
        document = parse_rules(SourceFile("more.rules", text)).value
        assert document is not None, text
        examples = [d for d in document.declarations if isinstance(d, n.Example)]
        assert not list(failed_examples(Game(rules), examples)), text
        merged = replace(rules.merged, items={**rules.merged.items, survivor.key: survivor.mutant.item})
        changed = build_ruleset("changed", merged).value
        assert changed is not None
        assert list(failed_examples(Game(changed), examples)), text
