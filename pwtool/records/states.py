"""Positions in files: state files, and the starts of records."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from pwtool.eval.values import UNSEEN
from pwtool.ir.model import ZoneModel
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.play.opening import turns_left
from pwtool.play.record import EVERYBODY, Start
from pwtool.play.setup import deck_counts
from pwtool.play.state import State, all_faces, has_unseen, zone_labels
from pwtool.records.json_form import (
    Malformed,
    Path,
    Wrong,
    check_texts,
    entries,
    is_list,
    known_keys,
    need,
    no_such,
    read_cell,
    read_players,
    unknown,
)
from pwtool.records.variables_json import decode_variables
from pwtool.records.words import MAX_GOALS, MAX_ITEMS, MAX_TURNS, SCHEMA, STATE_FORMAT
from pwtool.text.speech import Told
from pwtool.text.words import quoted

if TYPE_CHECKING:
    from pwtool.records.decoding import Decoder

_POSITION = {"player", "turn", "end", "zones", "tokens", "variables"}
_KEYS = {SCHEMA, "format", "ruleset", "version", "id", "meta", "players", "moment"} | _POSITION
MOMENTS = ("between", "within")
"""The moment of a position: between two turns (or rounds), or within one."""


class StateFile(NamedTuple):
    """A position read from a file: its state, the players' names, the zones that the file does not mention, and its
    moment (one of `MOMENTS`; None: the file does not say), and the seat whose turn is over, if it says who is next.
    """

    state: State
    names: list[str]
    missing: list[str]
    ruleset: str | None
    version: str | None
    moment: str | None = None
    last: int | None = None


def decode_state(decoder: Decoder, data: Any) -> StateFile:
    """The position in the engine's form; raises `Malformed`."""
    game, ruleset = decoder.game, decoder.game.ruleset
    good = type(data) is dict and data.get("format") == STATE_FORMAT
    need(good, ("format",), "this is not a state file in the format `{format}`", format=STATE_FORMAT)
    known_keys(data, _KEYS | {ruleset.goal_zone} - {""}, ())
    names = read_players(data)
    check_texts(data, (SCHEMA, "ruleset", "version"))
    moment = data.get("moment")
    need(moment is None or moment in MOMENTS, ("moment",), "`moment` is `between` or `within`")
    state, missing = _position(decoder, data, names)
    _progress(game, data, state, names)
    last = (state.player - 1) % state.players if "player" in data else None
    return StateFile(state, names, missing, data.get("ruleset"), data.get("version"), moment, last)


def decode_start(decoder: Decoder, data: Any, names: list[str]) -> Start:
    """The position that a record begins from; raises `Malformed` with a path within it."""
    game = decoder.game
    need(type(data) is dict, (), "`start` is an object with a position")
    known_keys(data, _POSITION | {game.ruleset.goal_zone} - {""}, ())
    if not game.ruleset.rounds:
        need("player" in data, (), "`start` does not say whose turn it is: `player` is missing")
    state, missing = _position(decoder, data, names)
    if missing:
        names_of = [quoted([zone]) for zone in missing]
        message = Told("{names} is missing", "{names} are missing", len(missing), names=names_of)
        raise Malformed(("zones",), message)
    return _progress(game, data, state, names)


def _progress(game: Game, data: Any, state: State, names: list[str]) -> Start:
    """Whose turn it is in a position, how many turns came before, and the ending that was triggered in them."""
    ruleset, player = game.ruleset, data.get("player")
    if "player" in data:
        need(not ruleset.rounds, ("player",), "in a round it is nobody's turn")
        if type(player) is not str or player not in names:
            raise Malformed(("player",), no_such(Told("player"), player))
    turn = data.get("turn", 1)
    need(
        type(turn) is int and 1 <= turn <= MAX_TURNS,
        ("turn",),
        "a number from {low} to {high} is needed",
        low=1,
        high=MAX_TURNS,
    )
    start = Start(state, EVERYBODY if ruleset.rounds else names.index(player) if player else 0, turn - 1)
    state.player = max(0, start.player)
    if (end := data.get("end")) is not None:
        good = type(end) is dict and set(end) == {"rule", "turn"}
        need(good, ("end",), "`end` has a `rule` and a `turn`")
        number = next((n for n, e in enumerate(ruleset.endings) if e.name == end["rule"]), None)
        if number is None:
            raise Malformed(("end", "rule"), Told("there is no such ending"))
        need(type(end["turn"]) is int and end["turn"] >= 1, ("end", "turn"), "a turn is a number")
        start.trigger = (number, end["turn"])
        need(end["turn"] < turn, ("end", "turn"), "the ending was triggered before the turn of this position")
        need((turns_left(game, start) or 0) >= 0, ("end", "turn"), "by this turn the game was over already")
    return start


def _position(decoder: Decoder, data: Any, names: list[str]) -> tuple[State, list[str]]:
    """What lies where, and the zones that are not given."""
    game, ruleset = decoder.game, decoder.game.ruleset
    key = ruleset.goal_zone
    goals = data.get(key, []) if key else []
    known = type(goals) is list and all(type(g) is str and g in ruleset.objectives for g in goals)
    need(known, (key,), "`{name}` is a list of objectives", name=key)
    need(len(goals) <= MAX_GOALS, (key,), "`{name}` names at most {most} objectives", name=key, most=MAX_GOALS)
    state = State(ruleset, len(names), goals)
    given = entries(data.get("zones"), ("zones",), Told("`zones` is an object"), ruleset.zones, Told("zone"))
    zones = {name: zone for name, zone, _ in given}
    for zone in game.zone_list:
        if zone.name in zones:
            _zone(decoder, zone, zones[zone.name], state, names, goals)
    _tokens(game, data.get("tokens", {}), state, names)
    missing = [z.name for z in game.zone_list if z.name not in zones]
    state.unseen = has_unseen(state)
    game.fresh_variables(state, "game")
    game.fresh_variables(state, "turn")
    decode_variables(decoder, data.get("variables", {}), state, names)
    state.unseen = has_unseen(state)
    state.legal = LegalActions(game)
    _fill_pool(game, state)
    return state, missing


def _fill_pool(game: Game, state: State) -> None:
    for deck in dict.fromkeys(s.deck for s in game.ruleset.setup if s.kind == "deal"):
        component = game.ruleset.decks[deck].component
        state.pool.setdefault(component, Counter()).update(deck_counts(game, deck, state.players))
    for zone in game.zone_list:
        if (pool := state.pool.get(zone.element.component)) is not None and zone.element.kind == "face":
            first = game.ruleset.components[zone.element.component].at_first
            pool.subtract(first(face) for face in all_faces(state.zones[zone.number]) if face != UNSEEN)
    for zone in game.zone_list:
        if zone.number in game.turned_zones and UNSEEN in all_faces(state.zones[zone.number]):
            # It may have been turned: what the decks have says nothing about its state, and nothing about any other unseen thing.
            state.pool.pop(zone.element.component, None)
            state.lost = True


def _zone(decoder: Decoder, zone: ZoneModel, data: Any, state: State, names: list[str], goals: list[str]) -> None:
    labels = zone_labels(zone, names, goals)
    numbered = is_list(zone)
    for at, label in enumerate(labels):
        path: Path = ("zones", zone.name)
        part = data
        for key in label:
            place: Any = key - 1 if numbered else str(key)
            good = type(part) is list and place < len(part) if numbered else type(part) is dict and place in part
            need(good, path, "`{name}` has no part for {label}", name=zone.name, label=quoted([key]))
            path = (*path, place)
            part = part[place]
        state.zones[zone.number][at] = _content(decoder, zone, part, path)
    if numbered:
        need(
            len(data) <= len(labels),
            ("zones", zone.name, len(labels)),
            "`{name}` has {count} parts",
            name=zone.name,
            count=len(labels),
        )
    elif zone.dimensions and type(data) is dict:
        known = {str(label[0]) for label in labels}
        for key in data:
            if key not in known:
                raise Malformed(("zones", zone.name, key), unknown([key]))


def _content(decoder: Decoder, zone: ZoneModel, data: Any, path: Path) -> Any:
    if zone.kind == "grid":
        grid: dict[tuple[int, int], list[Any]] = {}
        need(type(data) is list, path, "a grid is a list of `[x, y, [cards bottom to top]]`")
        need(len(data) <= MAX_ITEMS, path, "a grid has at most {most} cells in use", most=MAX_ITEMS)
        for at, cell in enumerate(data):
            good = type(cell) is list and len(cell) == 3 and type(cell[2]) is list and 0 < len(cell[2]) <= MAX_ITEMS
            place = _cell(cell[:2] if good else None, (*path, at), Told("a cell is `[x, y, [cards bottom to top]]`"))
            need(place not in grid, (*path, at), "this cell appears twice")
            need(zone.floating or zone.grid.has(place), (*path, at), "`{name}` has no such cell", name=zone.name)
            grid[place] = [_item(decoder, zone, item, (*path, at, 2, i)) for i, item in enumerate(cell[2])]
        return grid
    if zone.kind == "slot":
        return [] if data is None else [_item(decoder, zone, data, path)]
    need(type(data) is list, path, "a list is needed")
    need(len(data) <= MAX_ITEMS, path, "at most {most} things lie in one place", most=MAX_ITEMS)
    return [_item(decoder, zone, item, (*path, i)) for i, item in enumerate(data)]


def _item(decoder: Decoder, zone: ZoneModel, item: Any, path: Path) -> int:
    if zone.element.kind == "face":
        codes = decoder.components[zone.element.component]
        if type(item) is not str or item not in codes:
            raise Malformed(path, no_such(zone.element.component, item))
        return codes[item]
    low, high = zone.element.low, zone.element.high
    need(type(item) is int and low <= item <= high, path, "a number from {low} to {high} is needed", low=low, high=high)
    number: int = item
    return number


def _cell(data: Any, path: Path, message: str) -> tuple[int, int]:
    try:
        return read_cell(data)
    except Wrong:
        raise Malformed(path, message) from None


def _tokens(game: Game, data: Any, state: State, names: list[str]) -> None:
    for name, place, path in entries(
        data, ("tokens",), Told("`tokens` is an object"), game.ruleset.tokens, Told("token")
    ):
        if place is None:
            continue
        token = game.ruleset.tokens[name]
        shared = not game.zone_list[token.zone].dimensions
        keys = {"at"} if shared else {"player", "at"}
        good = type(place) is dict and set(place) == keys
        need(good, path, "a token's place has " + " and ".join(f"`{k}`" for k in sorted(keys)))
        at = _cell(place["at"], (*path, "at"), Told("a cell is `[x, y]`"))
        zone = game.zone_list[token.zone]
        need(zone.floating or zone.grid.has(at), (*path, "at"), "`{name}` has no such cell", name=zone.name)
        need(shared or place["player"] in names, (*path, "player"), "there is no such player")
        state.tokens[token.number] = (0 if shared else names.index(place["player"]), at)
