"""From the engine's form back to the JSON of records and states."""

from __future__ import annotations

from typing import Any

from pwtool.eval.values import UNSEEN
from pwtool.ir.model import ActionModel, ParameterModel, SetupModel, ZoneModel
from pwtool.ir.types import Type
from pwtool.play.game import Game
from pwtool.play.record import EVERYBODY, Outcome, Record, Start, Turn
from pwtool.play.state import State, zone_labels
from pwtool.records.json_form import is_list, label_key
from pwtool.records.words import FORMAT, STATE_FORMAT, UNSEEN_CODE


def encode_value(game: Game, t: Type, value: Any, players: list[str], goals: list[str]) -> Any:
    """One value in the form of records."""
    if t.kind == "face":
        return UNSEEN_CODE if value == UNSEEN else game.ruleset.components[t.component].codes[value]
    if t.kind == "cell":
        return list(value)
    if t.kind == "player":
        return players[value]
    if t.kind == "goal":
        # One that is not in play has no number, only its name.
        return value if isinstance(value, str) else goals[value]
    if t.is_collection and t.element is not None:
        return [encode_value(game, t.element, v, players, goals) for v in value]
    return value


def encode_action(
    game: Game,
    action: ActionModel,
    arguments: tuple[Any, ...],
    players: list[str],
    goals: list[str],
    by: int | None = None,
) -> dict[str, Any]:
    """An action with its arguments in the form of records; `by` is the seat of the player if the record has to say it."""
    data: dict[str, Any] = {"action": action.name}
    if by is not None:
        data["by"] = players[by]
    for parameter, argument in zip(action.parameters, arguments, strict=True):
        if parameter.kind == "derived" and argument is None:
            # Arguments that follow automatically are omitted, as are empty ones.
            continue
        data[parameter.name] = _argument(game, parameter, argument, players, goals)
    return data


def _argument(game: Game, p: ParameterModel, argument: Any, players: list[str], goals: list[str]) -> Any:
    if p.kind == "tops":
        element = p.type.element or p.type
        return {str(number): encode_value(game, element, face, players, goals) for number, face in argument}
    if p.each:
        element = p.type.element or p.type
        values = (encode_value(game, element, a, players, goals) for a in argument)
        return dict(zip(players, values, strict=True))
    return encode_value(game, p.type, argument, players, goals)


def encode_record(game: Game, record: Record) -> dict[str, Any]:
    """A whole record in the form of its file."""
    ruleset, names = game.ruleset, record.players
    data: dict[str, Any] = {
        "format": FORMAT, "ruleset": record.ruleset, "version": record.version, "id": record.id, "players": list(names),
        "recorded": sorted(record.recorded), "setup": {},
    }  # fmt: skip
    data = {key: value for key, value in data.items() if value not in (None, [])}
    if record.start is not None:
        del data["setup"]
        data["start"] = encode_start(game, record.start, names)
    else:
        if ruleset.goal_zone:
            data["setup"][ruleset.goal_zone] = list(record.goals)
        for step in ruleset.setup:
            if step.recorded:
                data["setup"][step.name] = _encode_deal(game, step, record)
    data["turns"] = [_encode_turn(game, turn, record) for turn in record.turns]
    if record.outcome is not None:
        data["result"] = encode_outcome(record.outcome, names)
    return data


def _encode_deal(game: Game, step: SetupModel, record: Record) -> Any:
    zone = game.zone_list[step.zone]
    parts: list[Any] = [_items(game, zone, faces) for faces in record.setup[step.name]]
    if step.amount == 1:
        parts = [part[0] for part in parts]
    if step.spread:
        return [parts[at : at + zone.width] for at in range(0, len(parts), zone.width)]
    if not zone.dimensions:
        return parts[0]
    if is_list(zone):
        return parts
    labels = zone_labels(zone, record.players, record.goals)
    return {label_key(label): part for label, part in zip(labels, parts, strict=True)}


def _encode_turn(game: Game, turn: Turn, record: Record) -> dict[str, Any]:
    data: dict[str, Any] = {} if turn.player == EVERYBODY else {"player": record.players[turn.player]}
    consequences = list(game.ruleset.consequences.values())
    data["actions"] = [
        encode_action(
            game,
            consequences[move.number] if move.consequence else game.action(move.number),
            move.arguments,
            record.players,
            record.goals,
            None if move.consequence or move.actor in (turn.player, EVERYBODY) else move.actor,
        )
        for move in turn.moves
    ]
    return data


def encode_outcome(outcome: Outcome, names: list[str]) -> dict[str, Any]:
    """What a record says about the end of its game."""
    data: dict[str, Any] = {}
    if outcome.scores is not None:
        data["scores"] = {names[p]: value for p, value in outcome.scores.items()}
    if outcome.parts is not None:
        data["parts"] = {names[p]: dict(lines) for p, lines in outcome.parts.items()}
    if outcome.ranking is not None:
        data["ranking"] = [[names[p] for p in group] for group in outcome.ranking]
    if outcome.ending is not None:
        data["end"] = {"rule": outcome.ending, "turn": outcome.ending_turn}
    if outcome.stopped is not None:
        data["stopped"] = outcome.stopped
    return data


def encode_zone(
    game: Game, zone: ZoneModel, zones: list[Any], players: list[str], goals: list[str], as_held: bool = False
) -> Any:
    """All zones of one name: a value, a list by number, an object by player or objective, nested as the zone is
    divided. `as_held`: bags are not sorted.
    """
    labels = zone_labels(zone, players, goals)
    contents = [_contents(game, zone, content, as_held) for content in zones]
    if not zone.dimensions:
        return contents[0]
    if is_list(zone):
        return contents
    result: dict[str, Any] = {}
    for label, content in zip(labels, contents, strict=True):
        at = result
        for part in label[:-1]:
            at = at.setdefault(str(part), {})
        at[str(label[-1])] = content
    return result


def _contents(game: Game, zone: ZoneModel, content: Any, as_held: bool) -> Any:
    if zone.kind == "grid":
        return [[x, y, _items(game, zone, content[x, y])] for x, y in sorted(content, key=lambda c: (c[1], c[0]))]
    items = _items(game, zone, content)
    if zone.kind == "slot":
        return items[0] if items else None
    return sorted(items, key=str) if zone.kind == "bag" and not as_held else items


def _items(game: Game, zone: ZoneModel, items: list[Any]) -> list[Any]:
    return [encode_value(game, zone.element, item, [], []) for item in items]


def encode_state(game: Game, state: State, players: list[str]) -> dict[str, Any]:
    """A position as a state file."""
    return {
        "format": STATE_FORMAT,
        "ruleset": game.ruleset.address,
        "version": game.ruleset.version,
        "players": list(players),
        **_position(game, state, players),
    }


def encode_start(game: Game, start: Start, players: list[str]) -> dict[str, Any]:
    """The position that a record begins from."""
    data: dict[str, Any] = {}
    if start.player != EVERYBODY:
        data["player"] = players[start.player]
    if start.before:
        data["turn"] = start.before + 1
    if start.trigger is not None:
        data["end"] = {"rule": game.ruleset.endings[start.trigger[0]].name, "turn": start.trigger[1]}
    # Rules may ask for the first thing in a bag, so that its order matters to what follows.
    data |= _position(game, start.state, players, as_held=True)
    return {key: value for key, value in data.items() if key != "tokens" or value}


def _position(game: Game, state: State, players: list[str], as_held: bool = False) -> dict[str, Any]:
    """What lies where, and the variables."""
    tokens: dict[str, Any] = {}
    for token in game.ruleset.tokens.values():
        place = state.tokens[token.number]
        if place is None:
            tokens[token.name] = None
        else:
            tokens[token.name] = {"at": list(place[1])}
            if game.zone_list[token.zone].dimensions:
                tokens[token.name] = {"player": players[place[0]], "at": list(place[1])}
    data: dict[str, Any] = {}
    if game.ruleset.goal_zone:
        data[game.ruleset.goal_zone] = list(state.goals)
    data["zones"] = {
        z.name: encode_zone(game, z, state.zones[z.number], players, state.goals, as_held) for z in game.zone_list
    }
    data["tokens"] = tokens
    from pwtool.records.variables_json import encode_variables

    if variables := encode_variables(game, state, players):
        data["variables"] = variables
    return data
