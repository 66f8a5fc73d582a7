"""Examples of an action as a whole, and of the player who acts."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.play.game import Game
from pwtool.show.text.examples import example_findings
from pwtool.why.coverage import measure_coverage
from pwtool.why.mutation import items_to_mutate, mutate
from tests.why.test_examples import details, failures, ruleset

GIVEN = "given hand = { R21 } given board = [ R31 ] given laid = 1"


def wrong(tmp_path: Path, more: str) -> list[str]:
    return [f.message.removeprefix("example of `lay`: ") for f in failures(tmp_path, more)]


def test_an_action_is_legal_or_something_refuses_it(tmp_path: Path) -> None:
    text = f"""\
example lay {{
  {GIVEN}
  yes lay(R21, (2, 0))
  no lay(R21, (1, 0))
  no lay(R21, (0, 0))
  no lay(B11, (2, 0))
  no lay(R21, (3, 0))
}}
example lay.at {{ {GIVEN} no lay(R21, (3, 0)) }}
"""
    assert failures(tmp_path, text) == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("yes lay(R21, (1, 0))", "the action is refused by `lay.higher`"),
        ("yes lay(R11, (0, 0))", "the action is refused by `lay.free`, `lay.card`"),
        ("yes lay(R21, (0, 3))", "the action is refused by `lay.at`"),
        ("no lay(R21, (2, 0))", "the action is legal"),
        ("yes rest()", "an example of `lay` asks about no other action"),
        ("yes", "`lay` needs an action or a board after `yes`"),
    ],
)
def test_what_is_wrong_is_told(call: str, message: str, tmp_path: Path) -> None:
    assert wrong(tmp_path, f"example lay {{ {GIVEN} {call} }}\n") == [message]


def test_the_reason_is_told(tmp_path: Path) -> None:
    [finding] = failures(tmp_path, f"example lay {{ {GIVEN} yes lay(R21, (1, 0)) }}\n")
    shown = details(finding)
    assert (shown["expected"], shown["actual"]) == (("legal",), ("refused by lay.higher",))
    assert shown["because"][0].startswith("lay.higher: (0, 0): (top of board[n]).value is 3")
    [finding] = failures(tmp_path, f"example lay {{ {GIVEN} no lay(R21, (2, 0)) }}\n")
    assert (details(finding)["expected"], details(finding)["actual"]) == (("refused",), ("legal",))


def test_a_bound_refuses_an_action_but_is_no_rule(tmp_path: Path) -> None:
    given = "given hand = { R21 } given laid = 9"
    assert failures(tmp_path, f"example lay {{ {given} no lay(R21, (0, 0)) }}\n") == []
    [finding] = failures(tmp_path, f"example lay {{ {given} yes lay(R21, (0, 0)) }}\n")
    assert details(finding)["because"] == ("lay.laid: `laid` would be 10, it goes from 0 to 9",)
    assert failures(tmp_path, f"example lay.free {{ {given} yes lay(R21, (0, 0)) }}\n") == []


def test_a_number_that_a_parameter_does_not_have(tmp_path: Path) -> None:
    action = 'action bid "Bid" (amount: 1..5) { rule some "One bids" require amount > 0 }\nexample bid'
    text = f"anytime bid by any\n{action} {{ yes bid(5) no bid(6) }}\nexample bid.amount {{ no bid(6) }}\n"
    assert failures(tmp_path, text) == []
    [finding] = failures(tmp_path, text.replace("yes bid(5)", "yes bid(7)"))
    assert details(finding)["because"] == ("bid.amount: it cannot have this value",)


def test_another_player_acts(tmp_path: Path) -> None:
    text = """\
var paid: 0..9 = 0 per player per game
rule lay.paid "Whoever has paid" require paid[player] == 1
example lay {
  given player = 2
  given hand = { R21 }
  given hand[1] = { R31 }
  given paid[1] = 0
  given paid = 1
  yes lay(R21, (0, 0))
  no lay(R31, (0, 0))
}
example turn.few { given player = 2 given hand[2] = { R11 R21 R31 B11 } no }
example turn.few { given player = 2 given hand[1] = { R11 R21 R31 B11 } yes }
example score { given player = 2 given hand = { R11 R21 R31 } then hand = -2 }
"""
    assert failures(tmp_path, text) == []
    [finding] = failures(tmp_path, "example lay { given player = 3 yes lay(R11, (0, 0)) }\n")
    assert finding.message == "there is no seat 3, players sit from 1 to 2"
    [finding] = failures(tmp_path, "example lay { given player = { 1 } yes lay(R11, (0, 0)) }\n")
    assert finding.message == "this is not a value of a player"


def test_a_token_lies_on_the_grid_of_somebody(tmp_path: Path) -> None:
    text = """\
zone own: grid 2x2 of card per player
token crown on own
rule lay.crown "Without the crown" require not holds crown
example lay {
  given player = 2
  given hand = { R21 }
  given crown on own[1][0, 0]
  yes lay(R21, (0, 0))
}
example lay.crown {
  given hand = { R21 }
  given crown on own[0, 0]
  no lay(R21, (0, 0))
}
"""
    assert failures(tmp_path, text) == []
    assert len(failures(tmp_path, text.replace("own[1][", "own[3]["))) == 1


def test_an_objective_may_have_the_name_of_an_action(tmp_path: Path) -> None:
    text = f"""\
objective lay "Lay" = some card: value == 3
example lay {{ yes [ R31 ] no [ R11 ] }}
example lay {{ {GIVEN} yes lay(R21, (2, 0)) no lay(R21, (0, 0)) }}
"""
    assert failures(tmp_path, text) == []


def test_they_show_the_parts_of_the_rules_and_notice_changes(tmp_path: Path) -> None:
    rules = ruleset(tmp_path, f"example lay {{ {GIVEN} yes lay(R21, (2, 0)) no lay(R21, (1, 0)) }}\n")
    assert example_findings(Game(rules)) == []
    shown = {part.span.text for part, _ in measure_coverage(rules, "lay.higher").lacking()}
    assert "(top of board[n]).value >= card.value" not in shown
    found, tally = mutate(Game(rules), items_to_mutate(rules, "lay.higher"))
    assert tally.without_examples == 0 and tally.noticed > 0
    witnesses = [s.witness for s in found if s.witness]
    assert witnesses and all(w[0].startswith("example lay {") for w in witnesses)
