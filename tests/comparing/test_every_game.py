"""All games of small rulesets and of their mutants, played one by one: what exploring says of a pair is what they show.

Nothing is remembered here and no position is compared: each whole game of one ruleset is written down, and the other judges it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pwtool.comparing.evidence import Contradiction, weigh_rows
from pwtool.comparing.exploring import explore
from pwtool.comparing.rows import compare_rulesets, differing_items
from pwtool.play.changes import FaultyRules
from pwtool.play.game import Game
from pwtool.play.opening import opening
from pwtool.play.play import Play
from pwtool.play.record import Move, Record, Turn
from pwtool.play.replay import replay_record
from pwtool.play.selfplay import outcome_of
from pwtool.play.setup import build_state, deck_counts
from pwtool.records.encoding import encode_record
from pwtool.records.json_form import Malformed
from pwtool.records.ruleset_store import Rulebook
from pwtool.show.text.comparing import exit_code
from tests.comparing.mutants import built, mutants
from tests.comparing.test_exploring import GAMES
from tests.comparing.test_false_proofs import made
from tests.daily import one_day_in
from tests.support import book

MOST = 6_000
"""How many positions of games are followed; mutants with more are left out."""
SMALL = ("kuhn_poker", "draws", "dice", "secret", "shuttle", "trophies")


class TooManyGames(Exception):
    """There are more games than a test has time for."""


def setups(game: Game, players: int) -> list[dict[str, Any]]:
    """Every deal of games whose steps deal all of a deck, one thing each or the rest."""
    names = [s for s in game.ruleset.setup if s.recorded]
    decks = {s.deck for s in names}
    assert len(decks) <= 1
    if not decks:
        return [{}]
    found: dict[str, dict[str, Any]] = {}
    for things in permutations(sorted(deck_counts(game, decks.pop(), players).elements())):
        left, dealt = list(things), {}
        for step in names:
            zone = game.zone_list[step.zone]
            parts = players if zone.dimensions else 1
            amount = step.amount or len(left) // parts
            dealt[step.name] = [[left.pop() for _ in range(min(amount, len(left)))] for _ in range(parts)]
            if zone.kind == "bag":
                dealt[step.name] = [sorted(part) for part in dealt[step.name]]
        found[repr(dealt)] = dealt
    return list(found.values())


def options(play: Play) -> Iterator[tuple[int, int, tuple[Any, ...]]]:
    """All legal actions, with every number that chance may draw."""
    for number, actor, arguments in play.legal_actions():
        model = play.game.action(number)
        drawn = [at for at, p in enumerate(model.parameters) if p.chance]
        if not drawn:
            yield number, actor, arguments
            continue
        assert len(drawn) == 1 == len(arguments)
        kind = model.parameters[0].type
        for value in range(kind.low, kind.high + 1):
            yield number, actor, (value,)


class Player:
    """Plays all games of a ruleset from a record on."""

    def __init__(self, one: Rulebook) -> None:
        self.one, self.nodes = one, 0

    def games(self, play: Play, record: Record, moves: list[Move]) -> Iterator[Record]:
        """Every game that goes on from here, to its end or to where nobody can do anything; `moves` are those of this turn."""
        self.nodes += 1
        if self.nodes > MOST:
            raise TooManyGames
        if play.over:
            yield replace(record, turns=[*record.turns, Turn(play.owner, moves)], outcome=outcome_of(play))
            return
        stuck = True
        for number, actor, arguments in options(play):
            stuck = False
            after = play.copy()
            after.do(number, actor, arguments)
            yield from self.games(after, record, [*moves, Move(number, arguments, len(moves), actor)])
        if play.may_end_turn():
            yield from self.next_turn(play.copy(), record, moves)
        elif stuck:
            yield replace(record, turns=[*record.turns, Turn(play.owner, moves)] if moves else record.turns)

    def next_turn(self, play: Play, record: Record, moves: list[Move]) -> Iterator[Record]:
        done = list(moves)
        for runner, e in play.derive_consequences():
            number = play.game.consequence_numbers[runner.model.name]
            values = tuple(e[p.slot] for p in runner.model.parameters)
            done.append(Move(number, values, len(done), play.owner, consequence=True))
        record = replace(record, turns=[*record.turns, Turn(play.owner, done)])
        play.end_turn()
        if play.over:
            yield replace(record, outcome=outcome_of(play))
            return
        play.begin_turn(play.next_player())
        yield from self.games(play, record, [])

    def all_games(self) -> Iterator[Record]:
        game = self.one.game
        for players in range(game.ruleset.min_players, game.ruleset.max_players + 1):
            names = [f"P{seat}" for seat in range(players)]
            recorded = frozenset(game.ruleset.recordable)
            for deal in setups(game, players):
                record = Record(names, [], deal, [], recorded=recorded)
                if build_state(game, record)[1]:
                    continue
                play = opening(game, record)[0]
                play.begin_turn(play.next_player())
                yield from self.games(play, record, [])


def findings(one: Rulebook, data: dict[str, Any]) -> list[str] | None:
    """What a ruleset says of a record; None: it cannot read it."""
    try:
        record = one.decoder.record(data)
    except Malformed:
        return None
    return [f.code for f in replay_record(one.game, record, one.legal).findings]


def really_same(first: Rulebook, second: Rulebook) -> bool | None:
    """Whether each ruleset says of all games of the other what that one says; None: there are too many, or the rules are at fault."""
    try:
        for own, other in ((first, second), (second, first)):
            for record in Player(own).all_games():
                data = encode_record(own.game, record)
                data = {key: held for key, held in data.items() if key not in ("ruleset", "version")}
                if findings(own, data) != findings(other, data):
                    return False
    except (TooManyGames, FaultyRules, RecursionError):
        return None
    return True


def base(name: str, folder: Path) -> Rulebook:
    return made(folder / name, GAMES[name]) if name in GAMES else book(name)


def judge(name: str, step: int, start: int, folder: Path) -> Counter[str]:
    """What was said of how many mutants of a game."""
    one = base(name, folder)
    every = list(mutants(one.game.ruleset))
    random.Random(f"{name} 3").shuffle(every)
    told: Counter[str] = Counter()
    for key, new in every[start::step]:
        other = built(one.game.ruleset, key, new)
        truth = None if other is None else really_same(one, other)
        if other is None or truth is None:
            told["left out"] += 1
            continue
        rows = differing_items(one.game, other.game)
        played = all(r.nature in ("semantic", "wording") for r in rows)
        found = explore(one.game, other.game) if played else None
        how = "apart" if not played else "open" if found is None else "shown" if found.shown else "proven"
        told[f"{'same' if truth else 'different'}, {how}"] += 1
        if found is not None:
            # What exploring shows still has to be replayed; what it proves does not.
            assert truth or found.shown, key
        code = exit_code(compare_rulesets(one.game, other.game))
        assert truth or code != 0, key
        if truth and code == 1:
            try:
                weighed, evidence = weigh_rows(one, other, rows, effort=0)
            except Contradiction as wrong:
                raise AssertionError(key) from wrong
            assert not evidence.differ, key
            assert not [r for r in weighed if r.nature == "semantic" and r.status != "undecided"], key
    return told


@one_day_in(8)
@pytest.mark.parametrize("name", [name for name in SMALL if name != "secret"])
def test_some_mutants_are_what_their_games_show(name: str, tmp_path: Path) -> None:
    told = judge(name, 12, 5, tmp_path)
    assert told["different, shown"] >= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_every_mutant_is_what_its_games_show(name: str, tmp_path: Path) -> None:
    told = judge(name, 1, 0, tmp_path)
    print(name, told)
    assert told["different, shown"] >= 20 and told["same, proven"] >= 1
    assert told["different, open"] + told["same, open"] <= told.total() / 3
