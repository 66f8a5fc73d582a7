"""The variables of a game in state files: writing and reading them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pwtool.eval.kleene import between, is_unknown
from pwtool.eval.values import UNKNOWN
from pwtool.ir.model import Ruleset, VariableModel
from pwtool.ir.types import Type
from pwtool.play.game import Game
from pwtool.play.state import State
from pwtool.records.encoding import encode_value
from pwtool.records.words import MAX_ITEMS, UNSEEN_CODE
from pwtool.text.speech import Told

if TYPE_CHECKING:
    from pwtool.records.decoding import Decoder


def kept(ruleset: Ruleset) -> dict[str, VariableModel]:
    """The variables of a position besides what lies on the table: those that last for the whole game."""
    return {v.name: v for v in ruleset.variables.values() if v.per == "game"}


def encode_variables(game: Game, state: State, players: list[str]) -> dict[str, Any]:
    """The variables of a position; `?` stands for a value that is not completely known."""
    found: dict[str, Any] = {}
    for name, variable in kept(game.ruleset).items():
        held = state.variables[variable.number]
        if variable.each:
            values = (_plain(game, variable.type, value, state, players) for value in held)
            found[name] = dict(zip(players, values, strict=True))
        else:
            found[name] = _plain(game, variable.type, held, state, players)
    return found


def _plain(game: Game, t: Type, value: Any, state: State, players: list[str]) -> Any:
    if is_unknown(value) or (isinstance(value, list) and any(map(is_unknown, value))):
        return UNSEEN_CODE
    return None if value is None else encode_value(game, t, value, players, state.goals)


def _needed(t: Type) -> Told:
    match t.kind:
        case "int":
            return Told("a number from {low} to {high} is needed", low=t.low, high=t.high)
        case "player":
            return Told("a player is needed")
        case "cell":
            return Told("a cell is needed, `[column, row]`, that the grid has")
        case "bool":
            return Told("true or false is needed")
        case "goal":
            return Told("an objective is needed")
        case "list" | "pile" | "bag":
            return Told("a list is needed")
    return Told("a value of the kind `{kind}` is needed", kind=t.attribute or t.component or t.kind)


def decode_variables(decoder: Decoder, data: Any, state: State, names: list[str]) -> None:
    """Set the variables that a position names; all others have their initial value. Raises `Malformed`."""
    from pwtool.records.json_form import Context, Malformed, Wrong, entries, need

    known = kept(decoder.game.ruleset)
    context = Context(names, state.goals)

    def one(t: Type, part: Any) -> Any:
        if part is None and t.optional:
            return None
        if part == UNSEEN_CODE and (t.optional or t.kind != "face"):
            # Of a card that may be none it does not say that there is one.
            return between(t.low, t.high) if t.kind == "int" else UNKNOWN
        found = decoder.value(t, part, context)
        if t.kind == "cell" and t.grid is not None and not t.grid.has(found):
            raise Wrong
        if t.kind == "goal" and isinstance(found, str):
            raise Wrong
        return found

    def value(t: Type, part: Any, path: tuple[str | int, ...]) -> Any:
        if t.is_collection and t.element is not None:
            if part == UNSEEN_CODE:
                return UNKNOWN
            need(type(part) is list and len(part) <= MAX_ITEMS, path, _needed(t))
            return [value(t.element, item, (*path, at)) for at, item in enumerate(part)]
        try:
            return one(t, part)
        except Wrong:
            raise Malformed(path, _needed(t)) from None

    for name, part, path in entries(data, ("variables",), Told("`variables` is an object"), known, Told("variable")):
        variable = known[name]
        if not variable.each:
            state.variables[variable.number] = value(variable.type, part, path)
            continue
        everybody = type(part) is dict and set(part) == set(names)
        need(everybody, path, "`{name}` has a value for each player", name=name)
        state.variables[variable.number] = [value(variable.type, part[player], (*path, player)) for player in names]
