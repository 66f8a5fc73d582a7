"""Every field of the model decides, or is listed as words: changed anywhere, a ruleset is no longer the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pwtool.comparing.canonical import Normalizer
from pwtool.comparing.items import WORDS, Items, reachable
from pwtool.comparing.rows import compare_rulesets
from pwtool.ir import model as m
from pwtool.ir import nodes as ir
from pwtool.ir.types import BOOL, Type, number
from pwtool.play.game import Game
from pwtool.show.text.comparing import exit_code
from tests.daily import one_day_in, some
from tests.support import book

ROOT = Path(__file__).resolve().parents[2]

RULESETS = (
    "paper_world/gamepark+advanced",
    "paper_world/de",
    "pierre_papier_morpion/fr+bonus+binoculars",
    str(ROOT / "tests/rulesets/gulls/game.rules"),
)
MODELS = [
    getattr(m, name) for name in dir(m)
    if isinstance(getattr(m, name), type) and issubclass(getattr(m, name), msgspec.Struct) and name.endswith(("Model", "Step"))
]  # fmt: skip
# What names something by its number within one ruleset, or holds models that are changed by themselves.
BY_NAME = {
    (m.ParameterModel, "name"), (m.ComponentModel, "codes"), (m.ComponentModel, "attributes"), (m.ActionModel, "parameters"),
    (m.ActionModel, "effects"), (m.OrderModel, "steps"), (m.AttributeModel, "table"),
}  # fmt: skip


def others(value: Any) -> Iterator[Any]:
    """Other values that a field could have."""
    match value:
        case bool():
            yield not value
        case int():
            yield value + 1
        case str():
            yield value + "x"
        case None:
            yield ir.Const(number(1, 1), 1)
        case ir.Node():
            yield (
                ir.Const(BOOL, value != ir.Const(BOOL, True))
                if value.type.kind == "bool"
                else ir.Const(number(7, 7), 7)
            )  # type: ignore[attr-defined]
        case Type():
            yield msgspec.structs.replace(value, optional=not value.optional)
            if value.kind == "int":
                yield msgspec.structs.replace(value, high=value.high + 1)
        case frozenset():
            yield value | {99}
        case tuple() if value:
            yield value[:-1]
            if isinstance(value[-1], tuple | str | int | frozenset):
                yield from ((*value[:-1], other) for other in others(value[-1]))
        case tuple():
            yield ((0, 0),)


def changes(held: Any) -> Iterator[tuple[str, Any]]:
    """The value with one field of one model in it changed, and which."""
    if isinstance(held, msgspec.Struct) and not isinstance(held, ir.Node | Type):
        for name in held.__struct_fields__:
            own = isinstance(held, m.ActionModel) and name == "rules"
            if name in WORDS.get(type(held), ()) and not own:
                continue
            inner = getattr(held, name)
            if (type(held), name) not in BY_NAME and not _holds_models(inner):
                for other in others(inner):
                    yield f"{type(held).__name__}.{name}", msgspec.structs.replace(held, **{name: other})
            for where, other in changes(inner):
                yield where, msgspec.structs.replace(held, **{name: other})
    elif isinstance(held, tuple):
        for at, part in enumerate(held):
            for where, other in changes(part):
                yield where, (*held[:at], other, *held[at + 1 :])
    elif isinstance(held, dict):
        for key, part in held.items():
            for where, other in changes(part):
                yield where, {**held, key: other}


def _holds_models(held: Any) -> bool:
    parts = held.values() if isinstance(held, dict) else held if isinstance(held, tuple) else (held,)
    return any(isinstance(part, msgspec.Struct) and not isinstance(part, ir.Node | Type) for part in parts)


def forms(ruleset: m.Ruleset) -> Any:
    names = Normalizer(ruleset)
    return dict(Items(names, list(range(ruleset.min_players, ruleset.max_players + 1))).items())


def test_every_model_is_asked() -> None:
    assert set(WORDS) >= set(MODELS)
    for model, words in WORDS.items():
        assert words <= set(model.__struct_fields__), model


@one_day_in(8)
@pytest.mark.parametrize("address", some(RULESETS, 1))
def test_every_field_decides(address: str) -> None:
    ruleset = book(address).game.ruleset
    used = reachable(ruleset)
    kept = msgspec.structs.replace(ruleset, actions={k: a for k, a in ruleset.actions.items() if k in used})
    plain = forms(kept)
    seen: set[str] = set()
    for where, changed in changes(kept):
        try:
            same = forms(changed) == plain
        except (
            KeyError,
            StopIteration,
            IndexError,
            ValueError,
            AttributeError,
            TypeError,
            RuntimeError,
            AssertionError,
        ):
            # It is not a ruleset any more.
            same = False
        assert not same, where
        seen.add(where)
    assert len(seen) > 40, sorted(seen)


def test_a_kind_of_item_that_nobody_compares_is_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever differs and has no row of its own makes the answer open."""
    from pwtool.comparing import rows

    first = book("paper_world/en").game
    bonus = msgspec.structs.replace(first.ruleset, variables={
        name: msgspec.structs.replace(v, per="game" if v.per == "turn" else "turn") for name, v in first.ruleset.variables.items()
    })  # fmt: skip
    assert exit_code(compare_rulesets(first, Game(bonus))) == 1
    monkeypatch.setattr(rows._Comparer, "variables", lambda self: iter(()))
    found = compare_rulesets(first, Game(bonus))
    assert exit_code(found) == 3 and {r.kind for r in found if r.status == "undecided"} == {"var"}
