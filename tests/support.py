"""What several tests share: loaded games, recorded games, random legal play."""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from pwtool.engine.game import Game
from pwtool.engine.legal import LegalActions
from pwtool.engine.play import Play
from pwtool.engine.record import Record
from pwtool.engine.replay import Replay, replay_record
from pwtool.engine.score import score_game
from pwtool.engine.setup import build_state, deck_counts
from pwtool.engine.state import State, all_faces
from pwtool.formats.encoding import encode_action
from pwtool.formats.importers.gamepark import import_gamepark
from pwtool.formats.shelf import Rulebook, Shelf
from pwtool.semantics.library import Library
from pwtool.source import SourceFile

DATA = Path(__file__).resolve().parent / "replays" / "data" / "gamepark"
EDITIONS = ("paper_world", *(f"paper_world/{name}" for name in ("en", "fr", "de", "bga", "gamepark")))
ADDRESSES = (*EDITIONS, *(f"{e}+advanced" for e in EDITIONS if not e.endswith("bga")))
COLORS = {1: "yellow", 2: "blue", 3: "green", 4: "black"}


@cache
def shelf() -> Shelf:
    return Shelf(Library())


def book(address: str) -> Rulebook:
    """The rulebook at an address; it has to load without findings."""
    result = shelf().get(address)
    assert result.value is not None and not result.diagnostics, [d.message for d in result.diagnostics]
    return result.value


def raw_games(*folders: str) -> list[tuple[str, dict[str, Any]]]:
    """The raw exports in these folders, by name."""
    found = [(p.stem, json.loads(p.read_text("utf-8"))) for f in folders for p in sorted((DATA / f).glob("*.json"))]
    assert found, "no recorded games found"
    return found


def imported(raw: dict[str, Any]) -> dict[str, Any]:
    record = import_gamepark(raw, SourceFile("game", "")).value
    assert record is not None
    return record


def full_record(raw: dict[str, Any]) -> dict[str, Any]:
    """The imported record with everything that the implementation said of claims and result."""
    record: dict[str, Any] = imported(raw)
    final = raw["final"]
    goals = dict(zip(final["objectives"], record["setup"]["goals"], strict=True))
    record["recorded"] = ["claim"]
    for event in raw["events"]:
        if event["event"] == "claim":
            claim = {"action": "claim", "goal": goals[event["objective"]], "prize": event["token"]}
            record["turns"][event["turn"] - 1]["actions"].append(claim)
    scores = {COLORS[int(p)]: v for p, v in final["scores"].items()}
    discards = {COLORS[int(p)]: v for p, v in final["tie_breaker_discards"].items()}
    keys = {name: (-scores[name], discards[name]) for name in scores}
    ranking = [[n for n in record["players"] if keys[n] == key] for key in sorted(set(keys.values()))]
    lines = {
        "stars": "landscape",
        "objectives": "objectives",
        "token": "scissors",
        "hand": "hand",
        "discard": "discard",
    }
    record["result"] = {
        "scores": scores,
        "parts": {COLORS[int(p)]: {o: parts[g] for o, g in lines.items()} for p, parts in final["score_parts"].items()},
        "ranking": ranking,
        "end": {"rule": "exhausted", "turn": final["final_round_trigger"]["turn"]},
    }
    return record


def replay(address: str, record: dict[str, Any]) -> Replay:
    """The replay of a record dictionary."""
    rules = book(address)
    return replay_record(rules.game, rules.decoder.record(record), rules.legal)


def random_setup(rules: Rulebook, players: int, rng: random.Random) -> dict[str, Any]:
    """A random setup as a record writes it."""
    game = rules.game
    setup: dict[str, Any] = {}
    names = [f"P{i}" for i in range(1, players + 1)]
    for step in game.ruleset.setup:
        if step.kind == "choose":
            setup[step.name] = rng.sample(list(game.ruleset.objectives), step.amount)
        elif step.kind == "deal":
            codes = game.ruleset.components[game.ruleset.decks[step.deck].component].codes
            cards = [codes[f] for f in deck_counts(game, step.deck, players).elements()]
            rng.shuffle(cards)
            zone = game.zone_list[step.zone]
            if step.amount:
                setup[step.name] = dict(zip(names, cards, strict=False))
            else:
                count = zone.dimensions[-1][1]
                setup[step.name] = [cards[i::count] for i in range(count)]
    return setup


class Drawn(random.Random):
    """Random numbers of which the first are given, so that a property can choose and shrink them."""

    def __init__(self, given: list[float], seed: int) -> None:
        super().__init__(seed)
        self.given = given[::-1]

    def random(self) -> float:
        return self.given.pop() if self.given else super().random()


def random_game(
    address: str, players: int, seed: int, max_turns: int = 400, choices: random.Random | None = None
) -> tuple[dict[str, Any], Play]:
    """A random legal game to its end (or to where nobody can move), as a record with claims and result, and the play itself.

    The seed makes the setup; `choices` makes the moves, and the seed does where it is left out.
    """
    rules = book(address)
    game, rng = rules.game, random.Random(seed)
    names = [f"P{i}" for i in range(1, players + 1)]
    data: dict[str, Any] = {"format": "pwtool/1", "ruleset": address, "version": game.ruleset.version, "players": names}
    data["recorded"] = list(game.ruleset.consequences)
    data["setup"] = random_setup(rules, players, rng)
    data["turns"] = []
    record = rules.decoder.record(data)
    state, findings = build_state(game, record)
    assert not findings, findings
    play = Play(game, state, rules.legal)
    while not play.over and len(data["turns"]) < max_turns:
        turn = random_turn(play, choices or rng, names)
        if turn is None:
            return data, play
        data["turns"].append(turn)
    if play.over:
        data["result"] = outcome(play, names)
    return data, play


def outcome(play: Play, names: list[str]) -> dict[str, Any]:
    """The result of a play that is over, as a record writes it."""
    result = score_game(play.game, play.state)
    assert play.trigger is not None
    return {
        "scores": {names[p]: t for p, t in enumerate(result.totals)},
        "parts": {names[p]: lines for p, lines in enumerate(result.parts)},
        "ranking": [[names[p] for p in group] for group in result.ranking or []],
        "end": {"rule": play.game.ruleset.endings[play.trigger[0]].name, "turn": play.trigger[1]},
    }


def faces_of(game: Game, state: State) -> Counter[int]:
    """Every card that lies anywhere."""
    return Counter(f for z in game.zone_list if z.element.kind == "face" for f in all_faces(state.zones[z.number]))


def random_turn(play: Play, rng: random.Random, names: list[str]) -> dict[str, Any] | None:
    """One random legal turn, played and recorded; None when the player can do nothing."""
    game, state = play.game, play.state
    play.begin_turn(play.next_player())
    actions: list[dict[str, Any]] = []
    while True:
        options = play.legal_actions()
        by_kind: dict[int, list[Any]] = {}
        for number, arguments in options:
            by_kind.setdefault(number, []).append(arguments)
        may_end = bool(actions) and play.may_end_turn()
        if may_end and (not by_kind or rng.random() < 0.4):
            break
        if not by_kind:
            assert not actions, "a turn that can neither go on nor end"
            play.turn -= 1
            return None
        number = rng.choice(sorted(by_kind))
        arguments = rng.choice(by_kind[number])
        actions.append(encode_action(game, game.action(number), arguments, names, state.goals))
        play.do(number, arguments)
    for runner, e in play.derive_consequences():
        values = tuple(e[p.slot] for p in runner.model.parameters)
        actions.append(encode_action(game, runner.model, values, names, state.goals))
    play.end_turn()
    return {"player": names[state.player], "actions": actions}


def decode(address: str, data: dict[str, Any]) -> Record:
    return book(address).decoder.record(data)


def legal_actions(address: str) -> LegalActions:
    return book(address).legal
