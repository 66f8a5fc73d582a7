"""Parameters and variables that have a different name in the second ruleset and are otherwise the same."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from pwtool.comparing.row import Row
from pwtool.ir.model import ActionModel, ParameterModel, Ruleset, VariableModel
from pwtool.play.game import Game


class Renames(Struct, frozen=True):
    """The first ruleset's names for what the second calls something else: parameters by action and name, variables."""

    parameters: dict[tuple[str, str], str]
    variables: dict[str, str]


def find_renames(first: Ruleset, second: Ruleset) -> Renames:
    """What is most likely the same under another name. A wrong pair makes forms differ, never agree."""
    parameters: dict[tuple[str, str], str] = {}
    for kind in ("actions", "consequences"):
        ours, theirs = getattr(first, kind), getattr(second, kind)
        for name in ours.keys() & theirs.keys():
            renamed = renamed_parameters(ours[name], theirs[name])
            parameters |= {(name, new): old for new, old in renamed.items()}
    left = _unmatched(first.variables.values(), second.variables.values())
    return Renames(parameters, {b.name: a.name for a, b in _paired(*left)})


def renamed_parameters(first: ActionModel, second: ActionModel) -> dict[str, str]:
    """The first action's names for parameters of the second."""
    return {b.name: a.name for a, b in _paired(*_unmatched(first.parameters, second.parameters))}


def named_alike(game: Game, other: Game, rows: list[Row]) -> Game:
    """A game in which everything that records name, and that the other one calls something else, has the other's name."""
    ruleset = game.ruleset
    parameters = find_renames(other.ruleset, ruleset).parameters
    endings = {row.name: row.twin for row in rows if row.kind == "ending" and row.twin}
    if not parameters and not endings:
        return game

    def named(models: dict[str, ActionModel]) -> dict[str, ActionModel]:
        return {
            name: replace(
                m, parameters=tuple(replace(p, name=parameters.get((name, p.name), p.name)) for p in m.parameters)
            )
            for name, m in models.items()
        }

    return Game(
        replace(
            ruleset, actions=named(ruleset.actions), consequences=named(ruleset.consequences),
            endings=tuple(replace(e, name=endings.get(e.name, e.name)) for e in ruleset.endings),
        )
    )  # fmt: skip


Named = ParameterModel | VariableModel


def _unmatched(first: Iterable[Named], second: Iterable[Named]) -> tuple[list[Named], list[Named]]:
    ours, theirs = {x.name: x for x in first}, {x.name: x for x in second}
    return [x for name, x in ours.items() if name not in theirs], [x for name, x in theirs.items() if name not in ours]


def _paired(first: list[Named], second: list[Named]) -> list[tuple[Named, Named]]:
    """Each one with the first unused one of the same kind on the other side."""
    left = list(second)
    found = []
    for a in first:
        b = next((b for b in left if _kind(a) == _kind(b)), None)
        if b is not None:
            left.remove(b)
            found.append((a, b))
    return found


def _kind(model: Named) -> object:
    if isinstance(model, VariableModel):
        return replace(model, name="", number=0)
    return model.kind, model.type, model.each
