"""Games whose start shows how two rulesets differ in material or setup."""

from __future__ import annotations

import random
from collections.abc import Iterator

from msgspec.structs import replace

from pwtool.comparing.row import Row, sides_of
from pwtool.comparing.witness.judging import Pair, Verdict
from pwtool.comparing.witness.translation import Key, Unknown
from pwtool.ir.model import Ruleset
from pwtool.play.chance import Chance
from pwtool.play.finding import Finding
from pwtool.play.game import Game
from pwtool.play.record import Record
from pwtool.play.selfplay import NoSetup, Unplayable, deal_at_random, play_game, random_policy
from pwtool.play.setup import build_state
from pwtool.why.messages import Messages

DEALS = 40
"""The number of deals tried for each number of players."""
NATURES = ("material", "setup")


def find_starts(pair: Pair, side: int, rows: list[Row], seed: int = 0) -> Iterator[tuple[Row, Record, Verdict]]:
    """For rows about material and setup, a game of one turn whose start the first ruleset of the pair allows and the second does
    not; the most ordinary start that shows it. Material that is laid out without being recorded shows in a result.
    """
    wanted = {(r.kind, r.name): r for r in rows if r.nature in NATURES and side in sides_of(r)}
    game, rng = pair.first, random.Random(f"{seed} {side}")
    ruleset = game.ruleset
    for players in range(ruleset.min_players, ruleset.max_players + 1):
        for _ in range(DEALS if wanted else 0):
            for record in _setups(game, players, rng):
                found = _refused(pair, record)
                for key in [key for key in wanted if found is not None and key in found.keys]:
                    assert found is not None
                    yield wanted.pop(key), _with_a_turn(game, record, rng), found


def _setups(game: Game, players: int, rng: random.Random) -> Iterator[Record]:
    """A deal as even as possible, then the same with one thing moved from one part to another."""
    try:
        record = deal_at_random(game, [f"P{seat}" for seat in range(1, players + 1)], Chance(rng.getrandbits(64)))
    except NoSetup:
        return
    yield record
    for name, dealt in record.setup.items():
        parts = [list(part) for part in dealt]
        if len(parts) < 2 or not all(parts):
            continue
        smallest, largest = (pick(range(len(parts)), key=lambda at: len(parts[at])) for pick in (min, max))
        if smallest == largest:
            smallest, largest = 0, 1
        parts[largest].append(parts[smallest].pop())
        moved = replace(record, setup={**record.setup, name: parts})
        if not build_state(game, moved)[1]:
            yield moved


def _refused(pair: Pair, record: Record) -> Verdict | None:
    """The second's objections to the start of a game."""
    try:
        carried = pair.translation.record(record)
    except Unknown as found:
        return Verdict(frozenset({found.key}), None, None, found.message)
    findings = [f for f in build_state(pair.second, carried)[1] if not f.undetermined]
    if not findings:
        return None
    keys = {key for finding in findings for key in _keys(pair.second.ruleset, finding)}
    words = Messages(pair.second, record.players).message(findings[0]).text
    rule = (findings[0].rule or "") if findings[0].code == "PW601" else ""
    return Verdict(frozenset(keys), None, None, words, 0, rule)


def _keys(ruleset: Ruleset, finding: Finding) -> Iterator[Key]:
    """The items that a finding about the start is about."""
    rule = finding.rule or ""
    yield ("rule", rule)
    name = rule.removeprefix("setup.")
    yield (name, "") if name == "players" else ("setup", name)
    for step in ruleset.setup:
        if step.name == name and step.deck:
            component = ruleset.decks[step.deck].component
            yield ("component", component)
            # The decks may have different contents.
            yield from (("deck", deck.name) for deck in ruleset.decks.values() if deck.component == component)


def _with_a_turn(game: Game, record: Record, rng: random.Random) -> Record:
    """The game with its first turn, if there is one."""
    played = replace(record, turns=[])
    chance = Chance(rng.getrandbits(64))
    try:
        play_game(game, played, random_policy(chance), max_turns=1, rng=chance)
    except Unplayable:
        return record
    return played if played.outcome is None else record
