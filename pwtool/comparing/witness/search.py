"""For every difference between two rulesets, a short game that only one of them allows, or that ends differently."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from dataclasses import replace as replaced

from msgspec.structs import replace

from pwtool.comparing.attributes import with_all_attributes
from pwtool.comparing.renames import named_alike
from pwtool.comparing.row import Row, either_side, sides_of
from pwtool.comparing.witness.judging import Pair, Verdict
from pwtool.comparing.witness.lockstep import Candidate, Lockstep
from pwtool.comparing.witness.players import (
    barren_rating,
    layered_favour,
    make_setup,
    random_favour,
    swarm_policy,
)
from pwtool.comparing.witness.shrink import shrink
from pwtool.comparing.witness.starts import find_starts
from pwtool.comparing.witness.targets import Target, Targets
from pwtool.comparing.witness.translation import Key
from pwtool.play.changes import FaultyRules
from pwtool.play.game import Game
from pwtool.play.play import Play
from pwtool.play.record import Record, Turn
from pwtool.play.replay import replay_record
from pwtool.play.selfplay import Unplayable

GAMES = 240
STEPS = 8_000_000
"""The steps of a search at ordinary effort, some 20 seconds."""
EACH_GAME = 1_000
EACH_TURN = 50
"""The steps for beginning a game and for a turn, besides those that the engine counts."""
AHEAD = 25
"""The steps for looking at the position after an action: it takes as long as so many others."""
PLAYING = 0.75
"""The share of the steps for playing games; the rest is for making them smaller."""
MAX_TURNS = 400
DIRECTED = 40
AGAIN = 10
_RARE = ("action", "turn", "anytime")
_VISIBLE = ("move", "put", "return", "turn")
SHORT = 3
LONG = 20
FEWEST = 10
PATIENCE = 1200
WEIGHED = 5
EFFORT = 50
SHRINK_TRIES = 400
ODD = 4
SHOWN = ("semantic",)
Size = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Witness:
    """A game that one ruleset (`side` 0 or 1) accepts, and the `verdict` of the other."""

    row: Row
    side: int
    record: Record
    verdict: Verdict


class Budget:
    """Steps of a search, counted as `eval/work.py` does, and those for looking ahead: the same search ends at the same place on every machine."""

    def __init__(self, games: tuple[Game, Game], steps: int) -> None:
        self.steps, self.more = steps, 0
        self.work = list({id(game.work): game.work for game in games}.values())
        self.before = self._taken()

    @property
    def used(self) -> int:
        """The steps that were taken."""
        return self._taken() - self.before + self.more

    def _taken(self) -> int:
        return sum(AHEAD * work.ahead - work.left for work in self.work)

    def has_left(self, share: float = 1.0) -> bool:
        """Whether there are steps left of this share of the budget."""
        return self.used < self.steps * share


@dataclass(slots=True)
class Search:
    """The results of a search: witnesses by row and side, and how many games were played for each side."""

    found: dict[tuple[Key, int], Witness] = field(default_factory=dict)
    games: list[int] = field(default_factory=lambda: [0, 0])

    def of(self, row: Row) -> list[Witness]:
        """The witnesses of a row, the first ruleset's first."""
        key = (row.kind, row.name)
        return [self.found[key, side] for side in (0, 1) if (key, side) in self.found]


def find_witnesses(
    first: Game,
    second: Game,
    rows: list[Row],
    steps: int = STEPS,
    games: int = GAMES,
    progress: Callable[[str], None] | None = None,
    seed: int = 0,
    starts: bool = False,
) -> Search:
    """Search for the witnesses of all rows about play and result, with `starts` also of those about material and setup. The same
    seed and the same number of `steps` give the same result.
    """
    # A variant is not a part of either ruleset's own games: `find_variant_witness` searches for it.
    told = [row for row in rows if row.status != "undecided" and row.kind != "variant"]
    search = Search()
    first, second = with_all_attributes(first, second)
    alike = named_alike(second, first)
    second = alike.game
    pair = Pair(first, second, rows)
    pairs = (pair, pair.turned())
    for side in (0, 1) if starts else ():
        for row, record, verdict in find_starts(pairs[side], side, told, seed):
            named = replace(record, id=f"{row.kind}-{row.name}".rstrip("-"))
            search.found[(row.kind, row.name), side] = Witness(row, side, named, verdict)
    wanted = [row for row in told if row.nature in SHOWN or (starts and _shows_in_result(row, first, second))]
    whole = Budget((first, second), steps)
    searchers = [_Searcher(search, pairs[side], side, wanted, progress, seed) for side in (0, 1) if wanted]
    searchers = [searcher for searcher in searchers if searcher.rows]
    for left, searcher in zip(range(len(searchers), 0, -1), searchers, strict=True):
        searcher.run(games, (steps - whole.used) // left)
        whole.more += searcher.budget.more
    for (key, side), witness in search.found.items() if alike.names else ():
        search.found[key, side] = replaced(witness, record=alike.own(witness.record)) if side else witness
    return search


def _shows_in_result(row: Row, *games: Game) -> bool:
    """Whether a row is about what is laid out without being recorded: it shows in the results of the players."""
    steps = (step for game in games for step in game.ruleset.setup if step.kind == "put")
    return row.kind == "setup" and row.nature == "setup" and any(step.name == row.name for step in steps)


def find_variant_witness(
    row: Row,
    side: int,
    played: Game,
    other: Game,
    rows: list[Row],
    known: Collection[Row] = (),
    steps: int = STEPS // 4,
    games: int = GAMES // 4,
    seed: int = 0,
) -> tuple[Witness | None, int]:
    """For a variant that only one ruleset has: the shortest game found that is allowed with it but not by the other ruleset, and
    how many games were played. `rows` are the differences between `played`, with the variant, and `other`; those that exist
    without the variant too (`known`) do not count.
    """
    wanted = [r for r in rows if r.nature in SHOWN and r.status != "undecided" and r not in known]
    search = Search()
    played, other = with_all_attributes(played, other)
    other = named_alike(other, played).game
    _Searcher(search, Pair(played, other, rows), 0, wanted, None, seed).run(games, steps)
    found = min(search.found.values(), key=lambda w: _size(w.record), default=None)
    return (None if found is None else Witness(row, side, found.record, found.verdict)), search.games[0]


class _Searcher:
    """Searches for games that the first ruleset of a pair accepts and the second refuses."""

    def __init__(
        self, search: Search, pair: Pair, side: int, rows: list[Row],
        progress: Callable[[str], None] | None, seed: int,
    ) -> None:  # fmt: skip
        self.search, self.pair, self.side = search, pair, side
        self.progress = progress
        self.budget = Budget((pair.first, pair.second), 0)
        self.seed = seed
        # A game for more players than the other one allows is refused for that alone.
        own = pair.first.ruleset
        self.counts = own.counts_with(pair.second.ruleset) or own.counts_with(own)
        self.rows = {(r.kind, r.name): r for r in rows if side in sides_of(r)}
        # An action with different effects shows in the result.
        self.deeds = {name for (_, name), r in self.rows.items() if r.kind == "action" and r.status == "different"}
        self.targets: dict[Key, Targets] = {}
        self.best: dict[Key, tuple[Size, Record]] = {}
        # The number of games aimed at each item, and of turns of them played since its game last became shorter: counted, not
        # timed, so that the same seed gives the same result.
        self.tries = dict.fromkeys(self.rows, 0)
        self.stale = dict.fromkeys(self.rows, 0)
        # Items that came up because the players left nothing to do: more such games may be shorter.
        self.emptied: set[Key] = set()
        self.emptying = False

    def run(self, games: int, steps: int) -> None:
        """Play games until none gets shorter any more or the budget is used up, then shrink what was found."""
        self.budget = Budget((self.pair.first, self.pair.second), steps)
        for number in range(games):
            aims = self._aims(number)
            if not aims or not self.budget.has_left(PLAYING):
                break
            if self.progress:
                self.progress(f"game {number + 1}, {len(self.best)} of {len(self.rows)} differences shown")
            self._game(number, aims)
            self.search.games[self.side] += 1
        for number, (key, (_, record)) in enumerate(sorted(self.best.items(), key=lambda item: item[1][0]), 1):
            if self.progress:
                self.progress(f"making {number} of {len(self.best)} smaller")
            self._keep(key, record)

    def _aims(self, number: int) -> list[Key]:
        """The items that the next game may be about, least tried first: those that no game shows yet, and those that a shorter game may
        show. Empty: enough was played.
        """
        aims = [
            key for key in self.rows
            if (self.stale[key] < PATIENCE and self.best[key][0][0] > SHORT if key in self.best else not self._shown(key))
        ]  # fmt: skip
        if not aims and self.best and number < FEWEST:
            aims = list(self.best)
        return sorted(aims, key=lambda key: self.tries[key])

    def _shown(self, key: Key) -> bool:
        row = self.rows[key]
        return either_side(row) and (key, 0) in self.search.found

    def _game(self, number: int, keys: list[Key]) -> None:
        rng = random.Random(f"{self.seed} {self.side} {number}")
        game = self.pair.first
        key = keys[0]
        attempt = self.tries[key]
        self.budget.more += EACH_GAME
        self.tries[key] += 1
        self.stale[key] += 1
        shortest = self.best.get(key)
        goals = [name for kind, name in keys if kind == "objective"]
        rng.shuffle(goals)
        counts = self.counts
        players = rng.choice([counts[0]] * 3 + list(counts))
        try:
            favour, rating, first = random_favour(game, rng), None, False
            most = self.best[key][0][0] if key in self.best else MAX_TURNS
            target = self._target(key, rng, counts[0])
            if target is not None:
                players, first, most = counts[0], True, min(most, DIRECTED)
                favour, rating = self.targets[key].favour(target), self.targets[key].rating(target, 0, rng)
            rare = key[0] in _RARE and key[1] not in self.deeds
            self.emptying = rare and attempt % 2 == 1 and (most > LONG or key in self.emptied)
            if self.emptying:
                players, first, rating = counts[0], True, barren_rating(game, rng)
                favour = layered_favour(game, rng)
            record = make_setup(game, rng, goals, players, favour, first)
            if shortest is not None and shortest[1].turns and key[0] != "objective" and attempt % 3 == 2:
                # Playing on differently from the middle of the shortest game may give a shorter one.
                turns = shortest[1].turns[: rng.randrange(len(shortest[1].turns))]
                record = replace(shortest[1], turns=turns, outcome=None)
            policy = swarm_policy(game, rng, _action_of(key), rating)
            lockstep = Lockstep(self.pair, record, policy, rng, self._useful)
            self._look(lockstep, most)
            # Games in which every option is rated take that much longer.
            effort = min(EFFORT, len(record.turns) * (1 if rating is None else WEIGHED))
            self.stale[key] += effort if self.best.get(key) is shortest else 0
            for _ in range(AGAIN if rare and key not in self.best else 0):
                # Items that come up at the end of few games are searched for from the ends of the games at hand.
                cut = max(0, len(record.turns) - rng.randint(2, 9))
                if not self.budget.has_left(PLAYING):
                    break
                end = replace(record, turns=record.turns[:cut], outcome=None)
                policy = swarm_policy(game, rng, _action_of(key))
                self._look(Lockstep(self.pair, end, policy, rng, self._useful), MAX_TURNS)
            self.emptying = False
        except (Unplayable, FaultyRules):
            return

    def _look(self, lockstep: Lockstep, turns: int) -> None:
        played = len(lockstep.record.turns)
        for candidate in lockstep.candidates(turns):
            self._weigh(candidate)
            if not self.budget.has_left(PLAYING):
                break
        self.budget.more += EACH_TURN * (len(lockstep.record.turns) - played)

    def _target(self, key: Key, rng: random.Random, players: int) -> Target | None:
        """A board to play toward, for an objective."""
        if key[0] != "objective" or key[1] not in self.pair.first.ruleset.objectives:
            return None
        if key not in self.targets:
            self.targets[key] = Targets(self.pair.first, self.pair.second, key[1])
        return self.targets[key].choose(rng, players)

    def _useful(self, key: Key, turns: int, actions: int) -> bool:
        if key not in self.rows:
            return False
        held = self.best.get(key)
        return held is None or (turns, 0, 0) < held[0]

    def _weigh(self, candidate: Candidate) -> None:
        size = _size(candidate.record)
        if not any(self._useful(key, size[0], 0) for key in candidate.keys):
            return
        for verdict in self.pair.judge(candidate.record):
            record = _until(candidate.record, verdict)
            size = _size(record, idle=_is_idle(self.pair.first, record, verdict))
            for key in verdict.keys & self.rows.keys():
                held = self.best.get(key)
                if held is None or size < held[0]:
                    self.best[key] = (size, record)
                    (self.emptied.add if self.emptying else self.emptied.discard)(key)
                    if held is None or size[0] < held[0][0]:
                        self.stale[key] = 0

    def _keep(self, key: Key, record: Record) -> None:
        """Shrink a game and keep it, once both rulesets have replayed it."""

        def shows(smaller: Record) -> bool:
            return self._verdict(key, smaller) is not None

        def more() -> bool:
            self.budget.more += EACH_GAME
            return self.budget.has_left()

        tries = SHRINK_TRIES if len(record.turns) > 2 else SHRINK_TRIES // 4
        record = shrink(self.pair.first, record, shows, tries, more)
        names = [[s.name for s in game.ruleset.scores] for game in (self.pair.first, self.pair.second)]
        if record.outcome is not None and names[0] != names[1]:
            # The total shows the difference too, and the other could not even read a line that it does not have.
            record = replace(record, outcome=replace(record.outcome, parts=None))
        verdict = self._verdict(key, record)
        if verdict is not None:
            record = replace(record, id=f"{key[0]}-{key[1]}".rstrip("-"))
            self.search.found[key, self.side] = Witness(self.rows[key], self.side, record, verdict)

    def _verdict(self, key: Key, record: Record) -> Verdict | None:
        """The other ruleset's verdict on a game in this matter."""
        return next((v for v in self.pair.judge(record) if key in v.keys), None)


def _until(record: Record, verdict: Verdict) -> Record:
    """The game to the end of the turn in which the other ruleset refuses it, with the next turn begun if it refuses the end of the
    turn; the whole game if the objection is about all of it.
    """
    if verdict.turn is None:
        return record
    turns, more = record.turns[: verdict.turn + 1], record.turns[verdict.turn + 1 :]
    if verdict.at is None:
        if not more:
            return record
        turns.append(Turn(more[0].player, []))
    return replace(record, turns=turns, outcome=None)


def _size(record: Record, idle: bool = False) -> Size:
    """The number of turns, with a penalty for an uneven setup and for an action that changes nothing; then the number of actions,
    and how uneven the setup is: among games of similar length, the most ordinary is kept.
    """
    parts = [[len(part) for part in dealt] for dealt in record.setup.values() if dealt]
    uneven = max((max(sizes) - min(sizes) for sizes in parts), default=0)
    odd = ODD * (uneven > 1) + ODD * idle
    return len(record.turns) + odd, sum(len(turn.moves) for turn in record.turns), uneven


def _is_idle(game: Game, record: Record, verdict: Verdict) -> bool:
    """Whether the action that the other ruleset refuses changes nothing on the table, although others of its kind do."""
    if verdict.turn is None or verdict.at is None:
        return False
    move = next((m for m in record.turns[verdict.turn].moves if m.index == verdict.at), None)
    if move is None or move.consequence or not any(e.kind in _VISIBLE for e in game.action(move.number).effects):
        return False
    tables: list[tuple[object, object]] = []

    def observe(play: Play, turn: int, action: int | None) -> None:
        here = action is None or record.turns[turn].moves[action].index >= move.index
        if turn == verdict.turn and here and len(tables) < 2:
            state = play.state.copy()
            tables.append((state.zones, state.tokens))

    replay = replay_record(game, record, observer=observe)
    if len(tables) < 2:
        tables.append((replay.play.state.zones, replay.play.state.tokens))
    return tables[0] == tables[1]


def _action_of(key: Key) -> str | None:
    kind, name = key
    return name if kind in ("action", "anytime") else name.split(".")[0] if kind == "rule" else None
