"""Both games explored together: every position that they can reach by the same actions, from every setup.

If in each of them the same is legal, turns and games end alike, and results are equal, no game that begins with a setup can
tell the two rulesets apart, however they are worded. The first position that differs is a game that shows it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import replace as replace_row
from functools import lru_cache
from itertools import combinations_with_replacement, pairwise, permutations
from typing import Any

from msgspec import Struct, msgpack
from msgspec.structs import replace

from pwtool.comparing.items import asks_for_order
from pwtool.comparing.renames import named_alike
from pwtool.comparing.row import Row
from pwtool.comparing.witness.judging import Pair
from pwtool.comparing.witness.translation import Unknown
from pwtool.eval.work import TooMuchWork
from pwtool.ir.model import Ruleset
from pwtool.play.changes import FaultyRules
from pwtool.play.fillings import choices
from pwtool.play.game import Game
from pwtool.play.opening import opening
from pwtool.play.play import Play
from pwtool.play.record import Move, Record, Turn
from pwtool.play.score import score_game
from pwtool.play.selfplay import outcome_of
from pwtool.play.setup import build_state, deck_counts, places
from pwtool.play.state import State
from pwtool.text.speech import Told

MAX_ACTIONS = 150_000
"""The number of actions, and ends of turns, that are followed."""
MAX_WORK = 1_000_000
"""The steps for finding out what is legal, as `eval/work.py` counts them."""
MAX_SETUPS = 2_000
MAX_DEALT = 60
"""The number of things that one step of the setup may deal."""
SHOWN = 20
"""How many games are named for the first difference."""
_EXPLORED = ("semantic", "material", "setup")
_TOLD = ("seen", "columns", "rows", "names")
"""What players see of a zone or a variable, and what they call its cells."""
Crowded = tuple[int, float]
"""From so many positions on, an exploration stops if more than this share of them was not followed yet: it would not end soon."""
CROWDED: Crowded = 10_000, 0.48


class Explored(Struct, frozen=True):
    """Two games of which all positions were compared: the number of pairs of positions, and the games that one of them (0 or 1)
    should accept and the other refuse; none if they are the same.
    """

    positions: int
    shown: tuple[tuple[int, Record], ...] = ()


class _Open(Exception):
    """The exploration cannot tell."""


class _Differs(Exception):
    """Games that only one of two rulesets accepts, each with that one."""

    def __init__(self, shown: list[tuple[int, Record]]) -> None:
        super().__init__()
        self.shown = tuple(shown)


def settle_by_exploring(first: Game, second: Game, rows: list[Row], crowded: Crowded = CROWDED) -> list[Row]:
    """The rows, those about material, play and result without effect if the two games are the same in all positions that they can
    reach, with each number of players that both allow.
    """
    other = named_alike(second, first).game
    about = [r for r in rows if r.nature in _EXPLORED]
    settled = [r for r in about if not _is_apart(r, first.ruleset, other.ruleset)]
    # Where only the numbers of players differ, nothing is left to be settled.
    if not settled or any(r.kind == "variant" for r in about):
        return rows
    found = explore(first, other, crowded)
    if found is None or found.shown:
        return rows
    proof = Told("no game from a setup shows it: all {count} positions", count=found.positions)
    return [
        replace_row(r, nature="wording", status="no_effect", direction="", proof=proof, example="")
        if r in settled
        else r
        for r in rows
    ]


def _is_apart(row: Row, first: Ruleset, second: Ruleset) -> bool:
    """Whether a row is about something that positions do not show: who may play, and what players see and write."""
    if row.kind in ("players", "variant"):
        return True
    if row.kind not in ("zone", "var"):
        return False
    held = [(r.zones if row.kind == "zone" else r.variables).get(row.name) for r in (first, second)]
    told = [[getattr(x, name, ()) for name in _TOLD] for x in held if x is not None]
    # What only one has may be what the other calls otherwise: all players see both.
    return told[0] != told[-1] or (None in held and told[0][0] != "all")


@lru_cache(maxsize=4)
def explore(first: Game, second: Game, crowded: Crowded = CROWDED) -> Explored | None:
    """Compare all positions that two games reach by the same actions, for every number of players that both allow; None if they are
    too many, or cannot be related. Positions given by a record are not asked about, nor what unseen cards leave open.
    """
    a, b = first.ruleset, second.ruleset
    counts = a.counts_with(b)
    if not counts or a.rounds != b.rounds or _is_wide(a, b):
        return None
    explorer = _Explorer(first, second, crowded)
    try:
        with first.work.limited(MAX_WORK), second.work.limited(MAX_WORK):
            for players in counts:
                explorer.run(players)
    except (_Open, Unknown, FaultyRules, TooMuchWork, OverflowError):
        return None
    except _Differs as found:
        return Explored(explorer.positions, found.shown)
    return Explored(explorer.positions)


def _is_wide(*rulesets: Ruleset) -> bool:
    """Whether a record may name cells that nobody lists: those far out on a floating grid."""
    return any(
        p.kind == "cell" and zone.floating and zone.number == p.zone
        for r in rulesets for a in r.actions.values() for p in a.parameters for zone in r.zones.values()
    )  # fmt: skip


class _Explorer:
    """Explores two games. `came` has for each pair of positions how it was reached: from which one, by which action, or by the end
    of whose turn.
    """

    def __init__(self, first: Game, second: Game, crowded: Crowded) -> None:
        self.pair = Pair(first, second, [])
        self.crowded = crowded
        self.back = self.pair.turned().translation
        self.games = (first, second)
        self.ordered = any(asks_for_order(g.ruleset) for g in self.games)
        self.bags = [
            [z.kind == "bag" and not self.ordered for z in g.ruleset.zones.values()] for g in self.games
        ]  # fmt: skip
        self.idle = [frozenset(g.action(n).name for n in g.idle) for g in self.games]
        self.came: list[tuple[int | None, Move | int | Record]] = []
        self.positions = 0

    def run(self, players: int) -> None:
        """All positions with this number of players. Raises `_Differs`, `_Open`, and what the engine raises."""
        if self.idle[0] != self.idle[1]:
            raise _Open
        self.came = []
        self.seen: set[bytes] = set()
        self.left: deque[tuple[int, Play, Play]] = deque()
        for record in self.starts(players):
            ours = opening(self.games[0], record, self.pair.legal[0])[0]
            theirs = opening(self.games[1], self.pair.translation.record(record), self.pair.legal[1])[0]
            if ours.state.unseen or theirs.state.unseen:
                raise _Open
            self.begin(ours, theirs, None, record)
            while self.left:
                enough, share = self.crowded
                if len(self.seen) >= enough and len(self.left) > share * len(self.seen):
                    raise _Open
                self.expand(*self.left.popleft())

    # ---- setups

    def starts(self, players: int) -> list[Record]:
        """Every setup; both games have to allow the same."""
        own = [list(self.setups(game, players)) for game in self.games]
        carried = [self.back.record(record) for record in own[1]]
        asked = [{repr((r.goals, sorted(r.setup.items()))): r for r in side} for side in (own[0], carried)]
        if asked[0].keys() != asked[1].keys():
            raise _Open
        return list(asked[0].values())

    def setups(self, game: Game, players: int) -> Iterator[Record]:
        """The setups that a game allows."""
        ruleset = game.ruleset
        names = [f"P{seat}" for seat in range(1, players + 1)]
        amounts = [s.amount for s in ruleset.setup if s.kind == "choose"]
        count = 0
        for goals in permutations(ruleset.objectives, sum(amounts)):
            for setup in self.deals(game, players, list(goals), 0, {}):
                record = Record(names, list(goals), setup, [], ruleset.address, ruleset.version)
                count += 1
                if count > MAX_SETUPS:
                    raise _Open
                if not build_state(game, record)[1]:
                    yield record

    def deals(
        self, game: Game, players: int, goals: list[str], at: int, pools: dict[str, Counter[int]]
    ) -> Iterator[dict[str, Any]]:
        """Every way to deal what the steps from `at` on deal, from what is left of the decks."""
        steps = [s for s in game.ruleset.setup if s.recorded]
        if at == len(steps):
            yield {}
            return
        step = steps[at]
        pool = pools[step.deck] if step.deck in pools else deck_counts(game, step.deck, players)
        count = places(game, step, State(game.ruleset, players, goals))
        total = step.amount * count if step.amount else pool.total()
        if total > MAX_DEALT:
            raise _Open
        bag = game.zone_list[step.zone].kind == "bag" and not self.ordered
        for sizes in [[step.amount] * count] if step.amount else _sizes(total, count):
            for parts in _parts(pool, sizes, bag):
                rest = {**pools, step.deck: pool - Counter(face for part in parts for face in part)}
                for more in self.deals(game, players, goals, at + 1, rest):
                    yield {step.name: parts, **more}

    # ---- positions

    def begin(self, ours: Play, theirs: Play, parent: int | None, how: Record | int) -> None:
        """Begin the next turn."""
        at = self.note(parent, how)
        if ours.next_player() != theirs.next_player():
            raise _Open
        for play in (ours, theirs):
            play.begin_turn(play.next_player())
        self.arrive(ours, theirs, at)

    def note(self, parent: int | None, how: Move | int | Record) -> int:
        self.came.append((parent, how))
        if len(self.came) > MAX_ACTIONS:
            raise _Open
        return len(self.came) - 1

    def arrive(self, ours: Play, theirs: Play, at: int) -> None:
        """A pair of positions: compared if the games are over, else explored unless that was done."""
        if ours.state.unseen or theirs.state.unseen or ours.state.lost or theirs.state.lost:
            raise _Open
        if ours.over or theirs.over:
            self.results(ours, theirs, at)
            return
        key = msgpack.encode((self.key(ours, 0), self.key(theirs, 1)))
        if key in self.seen:
            return
        self.seen.add(key)
        self.positions += 1
        self.left.append((at, ours, theirs))

    def key(self, play: Play, side: int) -> Any:
        """Everything on which the rest of a game depends."""
        state = play.state
        zones = [
            [self.cells(held) if isinstance(held, dict) else sorted(held) if bag else held for held in family]
            for family, bag in zip(state.zones, self.bags[side], strict=True)
        ]
        since = None if play.trigger is None else (play.trigger[0], play.turn - play.trigger[1])
        past = [sorted(Counter(kept).items(), key=repr) for kept in state.history]
        return (
            zones, state.variables, state.tokens, play.owner, sorted(play.places), play.left, since, past, state.goals,
        )  # fmt: skip

    def cells(self, held: dict[Any, Any]) -> list[Any]:
        return list(held.items()) if self.ordered else sorted(held.items())

    def expand(self, at: int, ours: Play, theirs: Play) -> None:
        """Follow everything that is legal in a pair of positions."""
        plays = (ours, theirs)
        known = {self.carried(move): move for move in self.moves(ours)}
        other = {repr(move): move for move in self.moves(theirs)}
        alone = [(0, known[text]) for text in known if text not in other]
        alone += [(1, other[text]) for text in other if text not in known]
        if alone:
            raise _Differs([(side, self.record(at, plays[side], [move])) for side, move in alone[:SHOWN]])
        ends = [play.may_end_turn() for play in plays]
        if ends[0] != ends[1]:
            side = ends.index(True)
            raise _Differs([(side, self.record(at, plays[side], ended=True))])
        for text, move in known.items():
            there = other[text]
            a, b = ours.copy(), theirs.copy()
            a.do(move.number, move.actor, move.arguments)
            b.do(there.number, there.actor, there.arguments)
            for play in (a, b) if a.over != b.over else ():
                # One may end in the middle of a turn in which nothing else can be done.
                if not play.over and play.may_end_turn() and not self.moves(play) and not self.consequences(play):
                    play.end_turn()
            self.arrive(a, b, self.note(at, move))
        if ends[0]:
            self.end_turn(ours, theirs, at)

    def carried(self, move: Move) -> str:
        """How the second game has an action of the first; an argument that it does not have stays as it is."""
        translation = self.pair.translation
        try:
            return repr(translation.move(move))
        except Unknown:
            order = translation.actions[move.number]
            if order is None or len(order) != len(move.arguments):
                raise
            return f"only the first {move}"

    def moves(self, play: Play) -> list[Move]:
        """All legal actions, with everything that chance may decide."""
        return [
            Move(number, arguments, 0, actor)
            for number, actor in play.all_steps()
            for arguments in play.arguments(number, actor, every=True)
        ]

    def end_turn(self, ours: Play, theirs: Play, at: int) -> None:
        """End a turn, with its consequences."""
        plays = (ours, theirs)
        done = [self.consequences(play) for play in plays]
        told = [repr(done[0] and self.pair.translation.move(done[0])), repr(done[1])]
        if told[0] != told[1]:
            shown = [(side, move) for side, move in enumerate(done) if move is not None]
            raise _Differs([(side, self.record(at, plays[side], [move], ended=True)) for side, move in shown])
        owner = ours.owner
        for play in plays:
            play.end_turn()
        if ours.over or theirs.over:
            self.arrive(ours, theirs, self.note(at, owner))
        else:
            self.begin(ours, theirs, at, owner)

    def consequences(self, play: Play) -> Move | None:
        """Carry out the consequence of a turn, if there is one; a record may tell several in any order."""
        if play.over or not play.game.ruleset.consequences:
            return None
        if self.due(play) > 1:
            raise _Open
        done = [
            Move(
                play.game.consequence_numbers[runner.model.name],
                tuple(e[p.slot] for p in runner.model.parameters), 0, play.owner, consequence=True,
            )
            for runner, e in play.derive_consequences()
        ]  # fmt: skip
        if len(done) > 1 or self.due(play):
            raise _Open
        return done[0] if done else None

    def due(self, play: Play) -> int:
        """How many consequences a record might tell here."""
        runners = play.game.machine(play.state).consequences
        return sum(play.is_due(runner, e) for runner in runners for e in play.consequence_cases(runner))

    def results(self, ours: Play, theirs: Play, at: int) -> None:
        """Compare the ends of two games."""
        plays = (ours, theirs)
        if not (ours.over and theirs.over):
            side = 0 if ours.over else 1
            raise _Differs([(side, self.record(at, plays[side]))])
        found = [score_game(play.game, play.state) for play in plays]
        names = [set(lines) for result in found for lines in result.parts]
        ends = [p.game.ruleset.endings[p.trigger[0]].name for p in plays if p.trigger is not None]
        turns = [p.trigger[1] for p in plays if p.trigger is not None]
        same = found[0].parts == found[1].parts and found[0].ranking == found[1].ranking
        if len(ends) < 2 or any(n != names[0] for n in names) or found[0].replayed != found[1].replayed:
            raise _Open
        if not same or ends[1] != ends[0] or turns[0] != turns[1]:
            raise _Differs([(side, self.record(at, plays[side])) for side in (0, 1)])

    # ---- games

    def record(self, at: int, play: Play, more: Sequence[Move] = (), ended: bool = False) -> Record:
        """The game that led to a pair of positions, as the ruleset of `play` has it, with more actions, or with its turn `ended`."""
        trail: list[Move | int] = []
        step: int | None = at
        while step is not None:
            step, how = self.came[step]
            if isinstance(how, Record):
                start = how
            else:
                trail.append(how)
        turns: list[Turn] = []
        moves: list[Move] = []
        for part in reversed(trail):
            if isinstance(part, int):
                turns.append(Turn(part, moves))
                moves = []
            else:
                moves.append(part)
        if moves or more or ended:
            turns.append(Turn(play.owner, moves))
        record = replace(start, turns=turns)
        if play.game is not self.games[0]:
            record = self.pair.translation.record(record)
        if more:
            record.turns[-1].moves.extend(more)
        for turn in record.turns:
            turn.moves = [replace(move, index=number) for number, move in enumerate(turn.moves)]
        if ended:
            record.turns.append(Turn(play.next_player(), []))
        record.outcome = outcome_of(play) if play.over else None
        return record


def _parts(pool: Counter[int], sizes: list[int], bag: bool) -> Iterator[list[list[int]]]:
    """Every way to deal parts of these sizes; in a bag things have no order."""
    if not sizes:
        yield []
        return
    for part in choices(pool, sizes[0], ordered=not bag):
        yield from ([[*part], *rest] for rest in _parts(pool - Counter(part), sizes[1:], bag))


def _sizes(total: int, parts: int) -> Iterator[list[int]]:
    """Every way to split a number into so many."""
    for cuts in combinations_with_replacement(range(total + 1), parts - 1):
        yield [b - a for a, b in pairwise((0, *cuts, total))]
