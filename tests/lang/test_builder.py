"""From Lark's tree to our own: every construct of the grammar has a row, and nodes are compared by what they say."""

from __future__ import annotations

import msgspec
import pytest

from pwtool.lang import builder
from pwtool.lang import tree as n
from pwtool.lang.parser import parse_rules
from pwtool.lang.tables import rules_parser
from pwtool.lang.traversal import exchange, walk
from pwtool.text.source import SourceFile, Span

GAME = """game a "A"
players 2..4
component card { color: red "R" | blue "" value: 1..3 }
deck main of card = { 2 R1 R2 }
zone hand: bag of card per player
setup { deal hands "Hands": 3 each of main to hand rule fair "Fair" require count hand == 3 }
define big(c) = c.value > 2
"""


def document(text: str) -> n.Document:
    result = parse_rules(SourceFile("x.rules", text))
    assert result.value is not None, result.diagnostics
    return result.value


def test_every_construct_has_a_row_and_every_row_a_construct() -> None:
    constructs = set()
    for rule in rules_parser().rules:
        name, whole = str(rule.alias or rule.origin.name), rule.alias or not rule.options.expand1
        if whole and not name.startswith("_"):
            constructs.add(name)
    rows = [set(builder._MADE), set(builder._WHOLE), builder._AS_WRITTEN, builder._PASSED_ON]
    assert set().union(*rows) == constructs
    assert sum(map(len, rows)) == len(constructs), "a construct has two rows"


def test_a_node_is_what_it_says_wherever_it_stands() -> None:
    first, second = document(GAME), document("# a comment\n\n" + GAME.replace("\n", "\n  "))
    assert first == second and hash(first) == hash(second) and repr(first) == repr(second)
    assert first.span != second.span
    third = document(GAME.replace("> 2", "> 3"))
    assert (first == third) is False and (first != third) is True
    assert n.Number(first.span, 1) != n.CellValue(first.span, 1, 1)
    assert n.Number(first.span, 1) != 1
    assert len({first, second, third}) == 2


def test_nodes_do_not_change() -> None:
    number = n.Number(Span(SourceFile("x", "7"), 0, 1), 7)
    with pytest.raises(AttributeError):
        number.value = 8  # type: ignore[misc]
    assert msgspec.structs.replace(number, value=8) == n.Number(number.span, 8)
    assert number.value == 7 and n.fields(number) == ("value",)


def test_a_tree_is_walked_and_exchanged_in_parts() -> None:
    tree = document(GAME)
    assert [node.value for node in walk(tree) if isinstance(node, n.Number)] == [3, 2]
    old = next(node for node in walk(tree) if isinstance(node, n.Number) and node.value == 2)
    new = exchange(tree, old, n.Number(old.span, 3))
    assert new == document(GAME.replace("> 2", "> 3")) and tree == document(GAME)


def test_a_member_without_a_code_and_one_with_an_empty_code() -> None:
    (component,) = (d for d in document(GAME).declarations if isinstance(d, n.Component))
    assert [(m.name, m.code) for m in component.attributes[0].members] == [("red", "R"), ("blue", "")]
    other = document(GAME.replace('blue ""', "blue"))
    (component,) = (d for d in other.declarations if isinstance(d, n.Component))
    assert component.attributes[0].members[1].code == "blue"


def test_a_rule_of_the_setup_has_its_name() -> None:
    (rule,) = (d for d in document(GAME).declarations if isinstance(d, n.Rule))
    assert rule.name.name == "setup.fair"
    assert rule.name.span.text == "fair"


BLOCK = 'setup { rule r "x" require true  rule s "y" require true }'


def test_a_block_of_the_setup_is_its_steps_in_other_readings_too() -> None:
    text = f'ambiguity a "a" reads "b" alternative c "d" {{ {BLOCK} }}\nerratum e "e" printed {{ {BLOCK} }}\n'
    point, erratum = document(f'edition x of y "x"\n{text}').declarations
    assert isinstance(point, n.Ambiguity) and isinstance(erratum, n.Erratum)
    for steps in (point.alternatives[0].declarations, erratum.printed):
        assert [step.name.name for step in steps if isinstance(step, n.Rule)] == ["setup.r", "setup.s"]


@pytest.mark.parametrize("block", [BLOCK, "setup { }"])
def test_a_block_of_the_setup_is_not_changed_at_once(block: str) -> None:
    text = f'edition x of y "x"\nchange {block} because "so"\n'
    result = parse_rules(SourceFile("x.rules", text))
    (found,) = result.diagnostics
    assert result.value is None and found.code == "PW101" and found.span is not None
    assert found.span.text == f'change {block} because "so"'
    assert "one step" in found.message


@pytest.mark.parametrize(
    ("written", "in_brackets"),
    [
        ("some [ # ] and no [ # # ]", "(some [ # ]) and (no [ # # ])"),
        (
            "no [ # ] or exactly 2 [ # # ] turned and some [ 2 ]",
            "(no [ # ]) or ((exactly 2 [ # # ] turned) and (some [ 2 ]))",
        ),
        ("not some [ # ] and some [ # # ]: same color", "(not (some [ # ])) and (some [ # # ]: same color)"),
        ("if some [ # ] then no [ 2 ] else some [ 3 ]", "if (some [ # ]) then (no [ 2 ]) else (some [ 3 ])"),
        # What reaches as far as it can may end a condition, whatever stands before it.
        (
            "some [ 1 ] or some [ 5 5 ] and no [ # # ]: same color",
            "(some [ 1 ]) or ((some [ 5 5 ]) and (no [ # # ]: same color))",
        ),
        (
            "some [ 1 ] or not some [ 2 ] and not no [ # ]: same color",
            "(some [ 1 ]) or ((not some [ 2 ]) and (not (no [ # ]: same color)))",
        ),
        ("some [ # ]: same color and no [ 2 ]", "some [ # ]: (same color and (no [ 2 ]))"),
    ],
)
def test_a_picture_without_a_condition_ends_there(written: str, in_brackets: str) -> None:
    one, other = (document(f'{GAME}objective o "O" = {text}\n').declarations[-1] for text in (written, in_brackets))
    assert isinstance(one, n.Objective)
    assert isinstance(other, n.Objective)
    assert one.condition == other.condition
