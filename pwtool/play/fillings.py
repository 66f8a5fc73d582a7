"""Possible scores of a position with unseen cards: every way to fill in what the deck still has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pwtool.eval.values import UNSEEN
from pwtool.eval.work import TooMuchWork
from pwtool.ir import nodes as ir
from pwtool.ir.model import Ruleset
from pwtool.ir.walk import walk
from pwtool.play import facts
from pwtool.play.finding import Finding, Path
from pwtool.play.game import Game
from pwtool.play.record import Record, Start
from pwtool.play.setup import build_state
from pwtool.play.state import State, keeps_unseen

if TYPE_CHECKING:
    from pwtool.play.replay import Replay

FILLING_WORK = 100_000
"""The steps for playing a game with every filling of its unseen cards."""
MAX_FILLINGS = 500
MAX_MOVES = 10_000
FILLING_STEPS = 50
"""At most this many fillings are enumerated, and this many actions replayed with them; beyond that only bounds are
computed. Each filling counts as this many steps of judging.
"""


def fillings(game: Game, state: State) -> list[State] | None:
    """Copies of a position with every filling of its unseen cards that can affect the score; None if there are more
    than `MAX_FILLINGS`. Cards that do not count are filled in arbitrarily.
    """
    counted = _zones_counted(game.ruleset)
    if not counted or keeps_unseen(state):
        return None
    unseen = sum(pile.count(UNSEEN) for number in counted for pile in _piles(state, number))
    if unseen > MAX_FILLINGS:
        return None
    found = list(islice(_filled(game, state.copy(), sorted(counted)), MAX_FILLINGS + 1))
    return found if found and len(found) <= MAX_FILLINGS else None


def legal_fillings(game: Game, record: Record, play: Callable[[Record], Replay]) -> list[Replay]:
    """How a game is played with every legal filling of its unseen cards; none if there are too many."""
    found: list[Replay] = []
    with game.work.limited(FILLING_WORK):
        for filled in filled_records(game, record) or ():
            replay = play(filled)
            if any(f.code == "PW617" for f in replay.findings):
                return []
            found += [replay] if all(f.undetermined for f in replay.findings) else []
    return found


def with_fillings(game: Game, replay: Replay, play: Callable[[Record], Replay]) -> Replay:
    """The replay of a record with unseen things; if nothing was found and no filling of its setup is legal, that is told."""
    record = replay.record
    if not replay.clean or replay.cut:
        return replay
    try:
        with game.work.limited(FILLING_WORK):
            filled = filled_records(game, record) or []
            for one in filled:
                findings = play(one).findings
                if all(f.undetermined for f in findings) or any(f.code == "PW617" for f in findings):
                    return replay
    except TooMuchWork:
        return replay
    if filled:
        path: Path = ("setup",) if record.start is None else ("start",)
        replay.findings.append(Finding("PW611", path, None, facts.NothingFits(len(filled))))
    return replay


def filled_records(game: Game, record: Record) -> list[Record] | None:
    """A record without its result, with every filling of the unseen cards of its setup, or of the position that it begins
    from; None if there are too many to play them all.
    """
    if record.start is not None:
        return _from_start(game, record, record.start)
    pool = build_state(game, record)[0].pool
    steps = [s for s in game.ruleset.setup if s.recorded and s.name in record.setup]
    places: list[tuple[str, int, str, bool]] = []
    for step in steps:
        zone = game.zone_list[step.zone]
        for at, faces in enumerate(record.setup[step.name]):
            if UNSEEN in faces:
                places.append((step.name, at, zone.element.component, zone.kind != "bag"))
    moves = sum(len(turn.moves) + 1 for turn in record.turns)
    most = min(MAX_FILLINGS, MAX_MOVES // max(1, moves))
    if not places or sum(record.setup[name][at].count(UNSEEN) for name, at, _, _ in places) > most:
        return None
    setup = {name: [list(faces) for faces in dealt] for name, dealt in record.setup.items()}
    piles = [(component, setup[name][at], ordered) for name, at, component, ordered in places]
    found: list[Record] = []
    for _ in islice(_fill(pool, piles, len(piles)), most + 1):
        dealt = {name: [list(faces) for faces in parts] for name, parts in setup.items()}
        found.append(replace(record, setup=dealt, outcome=None, whole=record.is_whole))
    return found if 0 < len(found) <= most else None


def _from_start(game: Game, record: Record, start: Start) -> list[Record] | None:
    moves = sum(len(turn.moves) + 1 for turn in record.turns)
    most = min(MAX_FILLINGS, MAX_MOVES // max(1, moves))
    unseen = sum(pile.count(UNSEEN) for number in range(len(game.zone_list)) for pile in _piles(start.state, number))
    if keeps_unseen(start.state) or not 0 < unseen <= most:
        return None
    states = list(islice(_filled(game, start.state.copy(), list(range(len(game.zone_list)))), most + 1))
    if not 0 < len(states) <= most:
        return None
    return [replace(record, start=replace(start, state=s), outcome=None, whole=record.is_whole) for s in states]


def _zones_counted(ruleset: Ruleset) -> set[int] | None:
    """The zones that scores and ranking read; None if they may read all."""
    read = [s.value for s in ruleset.scores] + [c.value for c in ruleset.ranking if c.value is not None]
    parts = [part for expr in read for part in walk(expr)]
    if any(isinstance(part, ir.Can) for part in parts):
        return None
    return {part.zone for part in parts if isinstance(part, ir.ZoneIndex | ir.Zone | ir.Family)}


def _piles(state: State, number: int) -> Iterator[list[int]]:
    for zone in state.zones[number]:
        if isinstance(zone, dict):
            yield from zone.values()
        else:
            yield zone


def _filled(game: Game, state: State, counted: list[int]) -> Iterator[State]:
    """Each filling of the zones that count, combined with one filling of all others."""
    places: list[tuple[str, list[int], bool]] = []
    for number in [*counted, *(n for n in range(len(state.zones)) if n not in counted)]:
        zone = game.zone_list[number]
        if zone.element.kind == "face":
            ordered = zone.kind != "bag"
            places += [(zone.element.component, p, ordered) for p in _piles(state, number) if UNSEEN in p]
        if number == counted[-1]:
            matter = len(places)
    for _ in _fill(state.pool, places, matter):
        game.work.spend(FILLING_STEPS)
        found = state.copy()
        found.unseen = False
        yield found


def _fill(pools: dict[str, Counter[int]], places: list[tuple[str, list[int], bool]], matter: int) -> Iterator[None]:
    """Fill in the unseen cards of piles, in place, in every way; only those from number `matter` on in several ways."""

    needed: Counter[str] = Counter()
    for component, pile, _ in places:
        needed[component] += pile.count(UNSEEN)
    if any(_size(pools.get(component, Counter())) < count for component, count in needed.items()):
        return iter(())

    def fill(at: int) -> Iterator[None]:
        if at == len(places):
            yield
            return
        component, pile, ordered = places[at]
        pool = pools.get(component, Counter())
        slots = [i for i, face in enumerate(pile) if face == UNSEEN]
        for faces in choices(pool, len(slots), ordered) if at < matter else _first(pool, len(slots)):
            for slot, face in zip(slots, faces, strict=True):
                pile[slot] = face
                pool[face] -= 1
            yield from fill(at + 1)
            for slot, face in zip(slots, faces, strict=True):
                pile[slot] = UNSEEN
                pool[face] += 1

    return fill(0)


def _first(pool: Counter[int], count: int) -> Iterator[tuple[int, ...]]:
    left = list(islice(pool.elements(), count))
    if len(left) == count:
        yield tuple(left)


def choices(pool: Counter[int], count: int, ordered: bool) -> Iterator[tuple[int, ...]]:
    """Choices of this many faces from a pool; each combination only once if their order does not matter."""
    faces = sorted(face for face, n in pool.items() if n > 0)
    left = {face: pool[face] for face in faces}

    def deeper(done: tuple[int, ...], first: int) -> Iterator[tuple[int, ...]]:
        if len(done) == count:
            yield done
            return
        for at in range(first, len(faces)):
            # Combinations are ascending, so there have to be enough faces that are not smaller.
            if not ordered and sum(left[face] for face in faces[at:]) < count - len(done):
                return
            if left[faces[at]] > 0:
                left[faces[at]] -= 1
                yield from deeper((*done, faces[at]), 0 if ordered else at)
                left[faces[at]] += 1

    return deeper((), 0)


def _size(pool: Counter[int]) -> int:
    return sum(n for n in pool.values() if n > 0)
