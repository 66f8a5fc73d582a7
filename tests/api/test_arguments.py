"""What callers give: wrong numbers, names and kinds are refused at once, in words; what is handed back can be kept."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pwtool

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
CLEAN = EXAMPLES / "records" / "clean.json"


@pytest.fixture(scope="module")
def rules() -> pwtool.Rules:
    return pwtool.load("paper_world/gamepark")


@pytest.mark.parametrize("names", [["Ana", "Ana"], ["", "B"], ["x" * 81, "B"], [1, 2], ["\ud800", "B"], [], ["A"]])
def test_names_that_no_record_can_have_are_refused(rules: pwtool.Rules, names: list[Any]) -> None:
    with pytest.raises(ValueError):
        rules.play(names)
    with pytest.raises(ValueError):
        rules.play_many(3, names)


def test_names_at_the_bounds_are_read(rules: pwtool.Rules) -> None:
    record = rules.play(["x" * 80, "\x00\n"], seed=3, max_turns=2)
    assert rules.check(record).clean and rules.play(iter(["A", "B"]), max_turns=0)["players"] == ["A", "B"]  # type: ignore[arg-type]


WRONG: dict[str, tuple[type[Exception], Callable[[pwtool.Rules], Any]]] = {
    "negative turns": (ValueError, lambda r: r.play(max_turns=-1)),
    "negative turns of many": (ValueError, lambda r: r.play_many(25, max_turns=-1)),
    "negative games": (ValueError, lambda r: r.play_many(-1)),
    "games as text": (TypeError, lambda r: r.play_many("3")),  # type: ignore[arg-type]
    "turns as nothing": (TypeError, lambda r: r.play(max_turns=None)),  # type: ignore[arg-type]
    "seed as text": (TypeError, lambda r: r.play(seed="x")),  # type: ignore[arg-type]
    "seed as a part": (TypeError, lambda r: r.play(seed=1.5)),  # type: ignore[arg-type]
    "players as one text": (TypeError, lambda r: r.play("Ana")),
    "players as nothing": (TypeError, lambda r: r.play(None)),  # type: ignore[arg-type]
    "players as a part": (TypeError, lambda r: r.play(2.0)),  # type: ignore[arg-type]
    "no players": (ValueError, lambda r: r.play(0)),
    "many players": (ValueError, lambda r: r.play(10**9)),
    "address as bytes": (TypeError, lambda r: pwtool.load(b"paper_world")),  # type: ignore[arg-type]
    "address as nothing": (TypeError, lambda r: pwtool.load(None)),  # type: ignore[arg-type]
    "readings as a list": (TypeError, lambda r: pwtool.load("paper_world", readings=["a"])),  # type: ignore[arg-type]
    "readings as an empty list": (TypeError, lambda r: pwtool.load("paper_world", readings=[])),  # type: ignore[arg-type]
    "compared with nothing": (TypeError, lambda r: pwtool.compare(r, None)),  # type: ignore[arg-type]
    "board as nothing": (TypeError, lambda r: r.objectives["row_of_3s"].holds(None)),  # type: ignore[arg-type]
    "board as bytes": (TypeError, lambda r: r.objectives["row_of_3s"].holds(b"[ ]")),  # type: ignore[arg-type]
    "objectives as a list": (ValueError, lambda r: r.analyze(["row_of_3s"])),  # type: ignore[arg-type]
    "language as a list": (TypeError, lambda r: r.objectives["row_of_3s"].text([])),  # type: ignore[arg-type]
    "language of actions": (TypeError, lambda r: r.replay(CLEAN).end.legal(language=[])),  # type: ignore[arg-type]
    "zone as a list": (TypeError, lambda r: r.replay(CLEAN).end.board(None, [1])),  # type: ignore[arg-type]
    "effort as nothing": (TypeError, lambda r: pwtool.compare(r, r, None)),  # type: ignore[arg-type]
    "effort as text": (TypeError, lambda r: pwtool.compare(r, r, "")),  # type: ignore[arg-type]
    "effort that is no number": (ValueError, lambda r: pwtool.compare(r, r, float("nan"))),
    "negative effort": (ValueError, lambda r: pwtool.compare(r, r, -1)),
    "learned of a number": (TypeError, lambda r: pwtool.learn(CLEAN, of=1)),  # type: ignore[arg-type]
    "learned of nothing": (TypeError, lambda r: pwtool.learn(CLEAN, of=None)),  # type: ignore[arg-type]
    "learned of numbers": (TypeError, lambda r: pwtool.learn(CLEAN, of=[1])),  # type: ignore[list-item]
    "price as text": (TypeError, lambda r: pwtool.learn(CLEAN, price="")),  # type: ignore[arg-type]
    "excuse as nothing": (TypeError, lambda r: pwtool.learn(CLEAN, excuse=None)),  # type: ignore[arg-type]
    "price that is no number": (ValueError, lambda r: pwtool.learn(CLEAN, price=float("nan"))),
    "a price of nothing": (ValueError, lambda r: pwtool.learn(CLEAN, price=0)),
    "large audit": (ValueError, lambda r: r.check_many([], audit=2)),
    "negative audit": (ValueError, lambda r: r.check_many([], audit=-1)),
    "audit that is not a number": (ValueError, lambda r: pwtool.check_many([], audit=float("nan"))),
    "audit as text": (TypeError, lambda r: pwtool.check_many([], audit="x")),  # type: ignore[arg-type]
    "records as a number": (TypeError, lambda r: list(r.check_many(5))),  # type: ignore[arg-type]
    "negative limit": (ValueError, lambda r: r.replay(CLEAN).at(1).legal(-1)),
    "limit as text": (TypeError, lambda r: r.replay(CLEAN).at(1).legal("x")),  # type: ignore[arg-type]
    "limit as a part": (TypeError, lambda r: r.replay(CLEAN).at(1).legal(1.5)),  # type: ignore[arg-type]
    "turn as text": (TypeError, lambda r: r.replay(CLEAN).at("1")),  # type: ignore[arg-type]
    "turn as a part": (TypeError, lambda r: r.replay(CLEAN).at(1.5)),  # type: ignore[arg-type]
    "turn as nothing": (TypeError, lambda r: r.replay(CLEAN).at(None)),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_are_refused_at_once(rules: pwtool.Rules, name: str) -> None:
    kind, ask = WRONG[name]
    with pytest.raises(kind) as raised:
        ask(rules)
    assert raised.type is kind and str(raised.value) and "NoneType' object" not in str(raised.value)


def test_a_position_is_no_recorded_game(rules: pwtool.Rules) -> None:
    for replay in (pwtool.replay, rules.replay):
        with pytest.raises(pwtool.RecordError, match="a position, not a recorded game") as raised:
            replay(EXAMPLES / "states" / "final.json")
        assert [f.code for f in raised.value.findings] == ["PW702"] and raised.value.findings[0].line


def test_errors_can_be_pickled_and_copied() -> None:
    with pytest.raises(pwtool.RulesError) as no_rules:
        pwtool.load("nowhere")
    with pytest.raises(pwtool.RecordError) as no_record:
        pwtool.replay("{}")
    for error in (no_rules.value, no_record.value):
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
            assert type(again) is type(error) and str(again) == str(error) and vars(again) == vars(error)


def test_verdicts_and_actions_are_hashable(rules: pwtool.Rules) -> None:
    verdicts = [rules.check(CLEAN), rules.check(CLEAN), rules.check(EXAMPLES / "records" / "illegal.json")]
    assert len(set(verdicts)) == 2 and {hash(f) for v in verdicts for f in v.findings}
    position = rules.replay(CLEAN).at(12)
    assert set(position.legal()) == set(position.legal()) and len(set(position.legal())) == 15
    assert set(pickle.loads(pickle.dumps(position.legal()))) == set(position.legal())
