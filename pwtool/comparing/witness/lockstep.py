"""One game under two rulesets at once: what the first allows next and the second does not."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from pwtool.comparing.witness.judging import Pair
from pwtool.comparing.witness.translation import Key, Unknown
from pwtool.play.chance import Chance
from pwtool.play.opening import opening
from pwtool.play.play import Play
from pwtool.play.record import Move, Record, Turn
from pwtool.play.selfplay import Option, Policy, legal_options, outcome_of, play_game, random_policy

MAX_FINISHES = 12
MAX_TURN = 60
ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A game that may show a difference, and the items that it may be about."""

    record: Record
    keys: frozenset[Key]


Wanted = Callable[[Key, int, int], bool]
"""Whether a game with that many turns and actions is still useful for an item."""


class Lockstep:
    """Plays a game that both rulesets allow, starting from where a record stops; `candidates` yields on the way what only the first
    allows.
    """

    def __init__(self, pair: Pair, record: Record, policy: Policy, rng: random.Random, wanted: Wanted) -> None:
        self.pair, self.record, self.policy, self.rng, self.wanted = pair, record, policy, rng, wanted
        self.ours = opening(pair.first, record, pair.legal[0])[0]
        self.theirs: Play | None = None
        record.recorded = frozenset(pair.first.ruleset.recordable)
        self.unreadable: Unknown | None = None
        try:
            carried = pair.translation.record(record)
            self.theirs = opening(pair.second, carried, pair.legal[1])[0]
        except Unknown as found:
            self.unreadable = found
        for turn in record.turns:
            if self.theirs is None:
                break
            _follow(self.ours, turn.player, [m for m in turn.moves if not m.consequence])
            carried_moves = [pair.translation.move(m) for m in turn.moves if not m.consequence]
            _follow(self.theirs, turn.player, carried_moves)

    def candidates(self, max_turns: int) -> Iterator[Candidate]:
        """Play on until the game is over, both rulesets allow no way on, or `max_turns` are played."""
        if self.theirs is None:
            yield from self._alone()
            return
        ours, theirs, record = self.ours, self.theirs, self.record
        while not ours.over and len(record.turns) < max_turns:
            ours.begin_turn(ours.next_player())
            theirs.begin_turn(theirs.next_player())
            if ours.owner != theirs.owner:
                return
            start = ours.copy(), theirs.copy()
            for _ in range(ATTEMPTS):
                moves: list[Move] = []
                if (yield from self._turn(moves)):
                    break
                # A turn that only one of them can end: it may be continued in another way.
                ours, theirs = self.ours, self.theirs = start[0].copy(), start[1].copy()
            else:
                return
            record.turns.append(self._concluded(ours, moves))
            claims = [(runner.model.name, e) for runner, e in theirs.derive_consequences()]
            theirs.end_turn()
            if not self._same_claims(record.turns[-1], claims):
                keys = self._claim_keys(record.turns[-1], claims)
                yield Candidate(self._gone_on(ours, self.record.turns), keys)
            if (ours.left, ours.trigger) != (theirs.left, theirs.trigger):
                yield from self._ended(ours.trigger or theirs.trigger)
                return
        if ours.over:
            record.outcome = outcome_of(ours)
            told = {
                (r.kind, r.name)
                for r in self.pair.rows
                if r.kind in ("score", "ranking", "action", "consequence", "setup", "token", "zone")
            }
            yield Candidate(self._copy(), frozenset(told))

    # ---- within a turn

    def _turn(self, moves: list[Move]) -> Generator[Candidate, None, bool]:
        """Play a turn that both allow; return whether that succeeded."""
        ours, theirs = self.ours, self.theirs
        assert theirs is not None
        while not ours.over and not theirs.over:
            options = legal_options(ours, Chance(self.rng.getrandbits(64)), idle=True)
            # An action that only shuffles is checked, but does not advance the game.
            common = [option for option in options if option[0] not in ours.game.idle]
            refused: dict[frozenset[Key], list[Option]] = {}
            for option in self._asked(options, len(moves)):
                keys = self._refusal(option)
                if keys:
                    refused.setdefault(keys, []).append(option)
            for keys, found in refused.items():
                if any(self.wanted(key, len(self.record.turns) + 1, len(moves) + 1) for key in keys):
                    yield from self._completed(moves, keys, found)
            may_end = bool(moves) and ours.may_end_turn()
            if may_end and not theirs.may_end_turn():
                keys = frozenset({("rule", r.id) for r in theirs.broken_turn_rules()} or {("turn", "")})
                if any(self.wanted(key, len(self.record.turns) + 1, len(moves)) for key in keys):
                    ended = ours.copy()
                    turns = [*self.record.turns, self._concluded(ended, moves)]
                    yield Candidate(self._gone_on(ended, turns), keys)
                may_end = False
            chosen: Option | None = None
            while common and len(moves) <= MAX_TURN:
                chosen = self.policy(ours, common, may_end)
                if chosen is None or not self._refusal(chosen):
                    break
                common.remove(chosen)
                chosen = None
            if chosen is None:
                return may_end
            self._do(moves, chosen)
        if ours.over != theirs.over:
            yield from self._ended(ours.trigger or theirs.trigger, moves)
            return False
        return True

    def _asked(self, options: list[Option], done: int) -> Iterator[Option]:
        """The options that the second ruleset is asked about in advance: one of each kind, but all of an action with rules that are
        still searched for.
        """
        turns = len(self.record.turns) + 1
        wanted = {
            r.name.split(".")[0]
            for r in self.pair.rows
            if r.kind == "rule" and self.wanted((r.kind, r.name), turns, done)
        }
        seen: set[tuple[int, int]] = set()
        for option in options:
            if option[:2] not in seen or self.pair.first.action(option[0]).name in wanted:
                seen.add(option[:2])
                yield option

    def _refusal(self, option: Option) -> frozenset[Key]:
        """The second ruleset's objection to an action; empty if it allows the action."""
        theirs = self.theirs
        assert theirs is not None
        number, actor, arguments = option
        name = self.pair.first.action(number).name
        try:
            move = self.pair.translation.move(Move(number, arguments, 0, actor))
        except Unknown as found:
            return frozenset({found.key, ("anytime", name), ("turn", "")})
        if not theirs.after(move.number, actor):
            return frozenset({("turn", ""), ("anytime", name)})
        theirs.act(actor)
        try:
            runner = self.pair.second.machine(theirs.state).actions[move.number]
            e = runner.bind(move.arguments)
            if runner.unavailable(theirs.state, e):
                return frozenset({("action", name)})
            runner.compute(theirs.state, e)
            broken, _ = runner.judge(theirs.state, e)
            if not broken and runner.overflow(theirs.state, e) is not None:
                return frozenset({("action", name)})
            return frozenset(("rule", r.id) for r in broken)
        finally:
            theirs.act(theirs.owner)

    def _do(self, moves: list[Move], option: Option) -> None:
        number, actor, arguments = option
        move = Move(number, arguments, len(moves), actor)
        moves.append(move)
        self.ours.do(number, actor, arguments)
        assert self.theirs is not None
        carried = self.pair.translation.move(move)
        self.theirs.do(carried.number, actor, carried.arguments)

    # ---- games to show

    def _completed(self, moves: list[Move], keys: frozenset[Key], options: list[Option]) -> Iterator[Candidate]:
        """The game up to an action that only the first allows, and to the end of its turn."""
        best: list[Move] | None = None
        for _ in range(MAX_FINISHES):
            play, tail = self.ours.copy(), list(moves)
            chosen: Option | None = self.rng.choice(options)
            while chosen is not None:
                number, actor, arguments = chosen
                tail.append(Move(number, arguments, len(tail), actor))
                play.do(number, actor, arguments)
                chosen = None
                if not play.over and not play.may_end_turn():
                    further = legal_options(play, Chance(self.rng.getrandbits(64)))
                    if not further or len(tail) > MAX_TURN:
                        break
                    chosen = self.rng.choice(further)
            else:
                if best is None or len(tail) < len(best):
                    best = tail
                    turn = self._concluded(play, tail)
                if len(best) == len(moves) + 1:
                    break
        if best is not None:
            yield Candidate(self._with(turn), keys)

    def _ended(self, trigger: tuple[int, int] | None, moves: list[Move] | None = None) -> Iterator[Candidate]:
        """The game played to its end under the first alone, if the two do not end alike."""
        record = self._copy()
        if moves is not None:
            record.turns.append(self._concluded(self.ours.copy(), moves))
        keys = frozenset(("ending", e.name) for g in (self.pair.first, self.pair.second) for e in g.ruleset.endings)
        play = resumed(self.pair, record)
        if not play.over:
            finish_game(play, record, self.rng)
        if play.over:
            record.outcome = outcome_of(play)
            yield Candidate(record, keys)

    def _alone(self) -> Iterator[Candidate]:
        """A whole game under the first alone, if the second cannot even read the setup."""
        play = play_game(
            self.pair.first, self.record, self.policy, self.pair.legal[0], rng=Chance(self.rng.getrandbits(64))
        )
        if play.over:
            keys = frozenset((r.kind, r.name) for r in self.pair.rows)
            yield Candidate(self.record, keys)

    def _concluded(self, play: Play, moves: list[Move]) -> Turn:
        """End a turn: its actions and the consequences, written down."""
        done = list(moves)
        for runner, e in play.derive_consequences():
            values = tuple(e[p.slot] for p in runner.model.parameters)
            number = play.game.consequence_numbers[runner.model.name]
            done.append(Move(number, values, len(done), play.owner, consequence=True))
        play.end_turn()
        return Turn(play.owner, done)

    def _same_claims(self, turn: Turn, claims: list[tuple[str, list[object]]]) -> bool:
        ours = [m for m in turn.moves if m.consequence]
        names = list(self.pair.first.ruleset.consequences)
        if [names[m.number] for m in ours] != [name for name, _ in claims]:
            return False
        for move, (name, e) in zip(ours, claims, strict=True):
            model = self.pair.second.ruleset.consequences[name]
            try:
                if self.pair.translation.move(move).arguments != tuple(e[p.slot] for p in model.parameters):
                    return False
            except Unknown:
                return False
        return True

    def _claim_keys(self, turn: Turn, claims: list[tuple[str, list[object]]]) -> frozenset[Key]:
        return frozenset(
            (r.kind, r.name)
            for r in self.pair.rows
            if r.kind in ("objective", "consequence", "rule", "action", "setup")
        )

    def _copy(self) -> Record:
        return replace(
            self.record, turns=list(self.record.turns), outcome=None if not self.ours.over else self.record.outcome
        )

    def _gone_on(self, play: Play, turns: list[Turn]) -> Record:
        """The game with its result, or with its next turn begun: a record may stop before the end of its last turn."""
        if play.over:
            return replace(self.record, turns=list(turns), outcome=outcome_of(play))
        return replace(self.record, turns=[*turns, Turn(play.next_player(), [])], outcome=None)

    def _with(self, turn: Turn) -> Record:
        return replace(self.record, turns=[*self.record.turns, turn], outcome=None)


def resumed(pair: Pair, record: Record) -> Play:
    """A play under the first ruleset after all the turns of a record."""
    play = opening(pair.first, record, pair.legal[0])[0]
    for turn in record.turns:
        _follow(play, turn.player, [move for move in turn.moves if not move.consequence])
    return play


def _follow(play: Play, player: int, moves: list[Move]) -> None:
    """Replay one turn."""
    play.begin_turn(player)
    for move in moves:
        play.do(move.number, move.actor, move.arguments)
    play.derive_consequences()
    play.end_turn()


def finish_game(play: Play, record: Record, rng: random.Random, max_turns: int = 400) -> None:
    """Play on to the end of the game and write down the turns."""
    from pwtool.play.selfplay import play_turn

    chance = Chance(rng.getrandbits(64))
    policy = random_policy(chance)
    while not play.over and len(record.turns) < max_turns:
        turn = play_turn(play, policy, chance)
        if turn is None:
            return
        record.turns.append(turn)
