"""What a check says of rules that it sees in part: an overlay's base, a file with errors, names that nothing can read."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.checking.linting import lint_target
from pwtool.lang.parser import keywords, parse_rules
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.rules.targets import find_targets
from pwtool.text import Diagnostic, Severity
from pwtool.text.source import SourceFile
from tests.daily import one_day_in
from tests.rules.test_lint import MINI, lint


def overlay(tmp_path: Path, text: str) -> list[Diagnostic]:
    (tmp_path / "house.rules").write_text(text, "utf-8")
    assert not [
        d for d in load_ruleset(str(tmp_path / "house.rules"), Library()).diagnostics if d.level is Severity.ERROR
    ]
    return lint_target(find_targets([str(tmp_path / "house.rules")], Library())[0][0], Library())


OVERLAYS = [
    'edition h of chess "H"\nremove ending dead\n',
    'edition h of othello "H"\nremove ending stuck\nending full "Full" when count board == 64 then stop\n',
]


@pytest.mark.parametrize("text", OVERLAYS)
def test_what_an_overlay_leaves_unused_in_its_base_is_no_finding(text: str, tmp_path: Path) -> None:
    assert overlay(tmp_path, text) == []


def house(tmp_path: Path, base: str, text: str) -> list[Diagnostic]:
    (tmp_path / "mini").mkdir()
    (tmp_path / "mini" / "game.rules").write_text(base, "utf-8")
    (tmp_path / "mini" / "house.rules").write_text('edition house of mini "House"\n' + text, "utf-8")
    library = Library(tmp_path)
    return lint_target(find_targets(["mini/house"], library)[0][0], library)


def test_a_condition_of_the_base_that_an_overlay_makes_constant_is_a_note(tmp_path: Path) -> None:
    base = MINI.replace("turn = lay", "define most = count players\nturn = lay") + 'rule lay.few "F" require 3 > most\n'
    found = house(tmp_path, base, "change define most = 2\n")
    assert [(d.code, d.level, d.span and d.span.line) for d in found] == [("PW306", Severity.NOTE, base.count("\n"))]


def test_an_action_of_the_base_that_an_overlay_leaves_out_is_a_note(tmp_path: Path) -> None:
    found = house(tmp_path, MINI, "change turn = lay\n")
    assert [(d.code, d.level) for d in found] == [("PW401", Severity.NOTE)]


def test_nothing_is_called_unused_beside_an_error(tmp_path: Path) -> None:
    found = lint(tmp_path, "", MINI.replace("turn = lay |", "turn = layx |"))
    assert [d.message for d in found] == ["there is no action `layx`"]


def test_what_an_overlay_with_a_syntax_error_names_counts_as_used(tmp_path: Path) -> None:
    more = "zone extra: pile of card\n"
    assert [d.code for d in lint(tmp_path, more)] == ["PW401"]
    (tmp_path / "house.rules").write_text('edition house of mini "H"\nscore s "S" = count extra (\n', "utf-8")
    assert lint(tmp_path, more) == []


def test_an_undeclared_alternative_is_not_a_repeated_one(tmp_path: Path) -> None:
    found = lint(tmp_path, "", MINI.replace("turn = lay | rest", "turn = lay | rest | x | y"))
    assert [d.code for d in found] == ["PW201", "PW201"]


STEPS = [
    ("some d in directions: count (cells from at towards -1 * d) > 0", "cells from at towards (-1 * d)"),
    ("some d in directions: every c in neighbours of at + d: free(c)", "neighbours of (at + d)"),
]


@pytest.mark.parametrize(("condition", "meant"), STEPS)
def test_missing_brackets_are_one_finding_that_shows_them(condition: str, meant: str, tmp_path: Path) -> None:
    (found,) = lint(tmp_path, f'rule lay.x "X" require {condition}\n')
    assert found.help == f"put brackets around the end: `{meant}`"


@pytest.mark.parametrize(("written", "meant"), [("n--", "n -= 1"), ("n *= 2", "n = n * ..."), ("n++", "n += 1")])
def test_other_ways_to_set_a_variable_are_told_apart(written: str, meant: str, tmp_path: Path) -> None:
    (found,) = lint(tmp_path, f"var n: 0..9 = 0 per turn\nadd effect to lay {written}\n")
    assert found.code == "PW101" and found.help is not None and f"`{meant}`" in found.help


DECLARED_AND_USED = {
    "variable": 'var {0}: 0..9 = 0 per game\nscore s "S" = {0}\nadd effect to a {0} += 1\n'
    "action b () {{ move card to hand {0} = 1 {0} += 2 }}\n",
    "definition": 'define {0} = 1\nscore s "S" = {0} + {0}\n',
    "parameter": 'define f({0}) = {0} + 1\naction a ({0}: 1..2) {{ rule r "R" require {0} > 1 }}\n',
    "let": 'action a () {{ let {0} = 1 rule r "R" require {0} > 0 }}\n',
    "loop": 'score s "S" = (if some {0} in hand: {0}.value == 1 then 1 else 0)\n',
    "zone": 'zone {0}: pile of card\nscore s "S" = count {0}\naction a () {{ shuffle {0} move {0} to {0} }}\n',
    "action": 'turn = {0} {0}* ({0} | a) {0}\naction {0} "A" () {{ }}\nrule {0}.r "R" require can {0}\n',
    "attribute": 'component c {{ {0}: 1..2 }}\nobjective o "O" = some c: {0} == 1 and sum {0} of c == 2\n',
    "value": 'component c {{ k: {0} "A" | other_one "B" }}\nscore s "S" = count hand where k == {0}\nobjective o "O" = some c: {0} == k\n',
    "component": "component {0} {{ }}\nzone z: pile of {0}\nvar v: {0} per game\naction a ({0}: {0} from z) {{ move {0} to z }}\n",
    "deck": "deck {0} of card = {{ R1 }}\ndeck d of card = {0}, {0}\n",
    "objective": 'objective {0} "O" = true\nexample {0} {{ yes }}\n',
    "rule": 'rule turn.{0} "R" require 1 < 2\nremove rule turn.{0}\nexample turn.{0} {{ yes }}\n',
    "ending": 'ending {0} "E" when 1 < 2 then stop\nremove ending {0}\n',
    "score": 'score {0} "S" = 1\nexample score {{ then {0} = 1 }}\n',
    "source": 'source {0} "S"\nsection s: {0} "x"\nremove ending a because {0} "y"\n',
    "token": 'token {0} on board\naction a () {{ put {0} on board[at] return {0} }}\nrule a.r "R" require {0} on board[at]\n',
}


@one_day_in(8)
@pytest.mark.parametrize("kind", DECLARED_AND_USED)
def test_a_word_of_the_language_is_usable_as_a_name_or_refused_where_it_is_declared(kind: str) -> None:
    text = "part p of mini\n" + DECLARED_AND_USED[kind]
    assert not parse_rules(SourceFile("f", text.format("plain"))).diagnostics
    for word in sorted(keywords()):
        found = parse_rules(SourceFile("f", text.format(word))).diagnostics
        assert not found or min(d.span.line for d in found if d.span) == 2, (word, [d.message for d in found])


def test_what_an_overlay_changes_is_used_by_its_base(tmp_path: Path) -> None:
    assert overlay(tmp_path, 'edition small of go "Go on seven lines"\nchange zone board: grid 7x7 of stone\n') == []
