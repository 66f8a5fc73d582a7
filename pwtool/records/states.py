"""State files: a position alone."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pwtool.ir.model import ZoneModel
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.play.setup import deck_counts
from pwtool.play.state import State, has_unseen, zone_labels
from pwtool.records.decoding import Decoder, Malformed, Path
from pwtool.records.words import MAX_NAME, STATE_FORMAT

MAX_CELL = 999


class StateFile:
    """A position read from a file: its state, the players' names, and the zones that the file does not speak of."""

    __slots__ = ("missing", "names", "ruleset", "state", "version")

    def __init__(
        self, state: State, names: list[str], missing: list[str], ruleset: str | None, version: str | None
    ) -> None:
        self.state, self.names, self.missing, self.ruleset, self.version = state, names, missing, ruleset, version


def decode_state(decoder: Decoder, data: Any) -> StateFile:
    """The position in the engine's form; raises `Malformed`."""
    game = decoder.game
    if type(data) is not dict or data.get("format") != STATE_FORMAT:
        raise Malformed(("format",), f"this is no state of the form `{STATE_FORMAT}`")
    goal_key = game.ruleset.goal_zone
    known = {"format", "ruleset", "version", "id", "meta", "players", "zones", "tokens"} | (
        {goal_key} if goal_key else set()
    )
    for key in data:
        if key not in known:
            raise Malformed(
                (key,), f"`{key}` is not known here", "known here: " + ", ".join(f"`{k}`" for k in sorted(known))
            )
    names = data.get("players")
    if type(names) is not list or not names or not all(type(p) is str and 0 < len(p) <= MAX_NAME for p in names):
        raise Malformed(("players",), "`players` is a list of names")
    if len(set(names)) < len(names):
        raise Malformed(("players",), "two players have the same name")
    goals = data.get(goal_key, []) if goal_key else []
    if type(goals) is not list or not all(type(g) is str and g in game.ruleset.objectives for g in goals):
        raise Malformed((goal_key,), f"`{goal_key}` is a list of objectives")
    for key in ("ruleset", "version"):
        if key in data and type(data[key]) is not str:
            raise Malformed((key,), f"`{key}` is a text")
    state = State(game.ruleset, len(names), goals)
    zones = data.get("zones")
    if type(zones) is not dict:
        raise Malformed(("zones",), "`zones` is an object")
    for name in zones:
        if name not in game.ruleset.zones:
            raise Malformed(("zones", name), f"there is no zone `{name}`")
    for zone in game.zone_list:
        if zone.name in zones:
            _zone(decoder, zone, zones[zone.name], state, names, goals)
    _tokens(game, data.get("tokens", {}), state, names)
    missing = [z.name for z in game.zone_list if z.name not in zones]
    state.unseen = has_unseen(state)
    game.fresh_variables(state, "game")
    game.fresh_variables(state, "turn")
    state.legal = LegalActions(game)
    _fill_pool(game, state)
    return StateFile(state, names, missing, data.get("ruleset"), data.get("version"))


def _fill_pool(game: Game, state: State) -> None:
    for deck in dict.fromkeys(s.deck for s in game.ruleset.setup if s.kind == "deal"):
        component = game.ruleset.decks[deck].component
        state.pool.setdefault(component, Counter()).update(deck_counts(game, deck, state.players))


def _zone(decoder: Decoder, zone: ZoneModel, data: Any, state: State, names: list[str], goals: list[str]) -> None:
    labels = zone_labels(zone, names, goals)
    numbered = len(zone.dimensions) == 1 and zone.dimensions[0][0] == "number"
    for at, label in enumerate(labels):
        path: Path = ("zones", zone.name)
        part = data
        for key in label:
            key_ = key - 1 if numbered else str(key)
            good = type(part) is list and 0 <= key - 1 < len(part) if numbered else type(part) is dict and key_ in part
            if not good:
                raise Malformed(path, f"`{zone.name}` has no part for `{key}`")
            path = (*path, key_)
            part = part[key_]
        state.zones[zone.number][at] = _content(decoder, zone, part, path)
    _no_strangers(zone, data, labels, numbered)


def _no_strangers(zone: ZoneModel, data: Any, labels: list[tuple[Any, ...]], numbered: bool) -> None:
    if numbered and len(data) > len(labels):
        raise Malformed(("zones", zone.name, len(labels)), f"`{zone.name}` has {len(labels)} parts")
    if not numbered and zone.dimensions and type(data) is dict:
        known = {str(label[0]) for label in labels}
        for key in data:
            if key not in known:
                raise Malformed(("zones", zone.name, key), f"`{key}` is not known here")


def _content(decoder: Decoder, zone: ZoneModel, data: Any, path: Path) -> Any:
    if zone.kind == "grid":
        grid: dict[tuple[int, int], list[Any]] = {}
        if type(data) is not list:
            raise Malformed(path, "a grid is a list of `[x, y, [cards bottom to top]]`")
        for at, cell in enumerate(data):
            good = (
                type(cell) is list
                and len(cell) == 3
                and type(cell[0]) is int
                and type(cell[1]) is int
                and type(cell[2]) is list
            )
            if not good or not cell[2] or max(abs(cell[0]), abs(cell[1])) > MAX_CELL:
                raise Malformed((*path, at), "a cell is `[x, y, [cards bottom to top]]`")
            if (cell[0], cell[1]) in grid:
                raise Malformed((*path, at), "this cell is there twice")
            grid[cell[0], cell[1]] = [_item(decoder, zone, item, (*path, at, 2, i)) for i, item in enumerate(cell[2])]
        return grid
    if zone.kind == "slot":
        return [] if data is None else [_item(decoder, zone, data, path)]
    if type(data) is not list:
        raise Malformed(path, "a list is needed")
    return [_item(decoder, zone, item, (*path, i)) for i, item in enumerate(data)]


def _item(decoder: Decoder, zone: ZoneModel, item: Any, path: Path) -> int:
    if zone.element.kind == "face":
        codes = decoder.components[zone.element.component]
        if type(item) is not str or item not in codes:
            raise Malformed(path, f"there is no {zone.element.component} `{item}`")
        return codes[item]
    if type(item) is not int or not zone.element.low <= item <= zone.element.high:
        raise Malformed(path, f"a number from {zone.element.low} to {zone.element.high} is needed")
    return item


def _tokens(game: Game, data: Any, state: State, names: list[str]) -> None:
    if type(data) is not dict:
        raise Malformed(("tokens",), "`tokens` is an object")
    for name, place in data.items():
        token = game.ruleset.tokens.get(name)
        path: Path = ("tokens", name)
        if token is None:
            raise Malformed(path, f"there is no token `{name}`")
        if place is None:
            continue
        shared = not game.zone_list[token.zone].dimensions
        keys = {"at"} if shared else {"player", "at"}
        if type(place) is not dict or set(place) != keys:
            raise Malformed(path, "a token's place has " + " and ".join(f"`{k}`" for k in sorted(keys)))
        at = place["at"]
        if type(at) is not list or len(at) != 2 or not all(type(v) is int and abs(v) <= MAX_CELL for v in at):
            raise Malformed((*path, "at"), "a cell is `[x, y]`")
        if not shared and place["player"] not in names:
            raise Malformed((*path, "player"), "there is no such player")
        state.tokens[token.number] = (0 if shared else names.index(place["player"]), (at[0], at[1]))
