"""Cards that nobody saw, and what a record says about them later."""

from __future__ import annotations

from collections import Counter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from pwtool.eval.values import UNSEEN
from pwtool.ir.model import ParameterModel
from pwtool.play import facts
from pwtool.play.actions import Runner
from pwtool.play.finding import Finding, Path
from pwtool.play.game import Game
from pwtool.play.orders import not_the_same, part_of
from pwtool.play.record import Move, Record, Start
from pwtool.play.state import State, has_unseen


def names_unseen(arguments: tuple[Any, ...]) -> bool:
    """Whether an action itself names a card that nobody could read."""
    for argument in arguments:
        if argument == UNSEEN and not isinstance(argument, bool):
            return True
        if isinstance(argument, list) and (
            UNSEEN in argument or any(isinstance(a, tuple) and a[1] == UNSEEN for a in argument)
        ):
            return True
    return False


def with_revealed(game: Game, record: Record, revealed: dict[tuple[int, int, int], int]) -> Record:
    """The record with the cards of its setup, or of the position that it begins from, that turned up later: (zone, index
    among its kind, depth) to face.
    """
    if record.start is not None:
        return _start_revealed(game, record, record.start, revealed)
    setup = dict(record.setup)
    changed = False
    for step in game.ruleset.setup:
        if not step.recorded or step.zone in game.receiving_zones:
            continue
        dealt = [list(faces) for faces in record.setup[step.name]]
        for (zone, at, depth), face in revealed.items():
            if zone == step.zone and depth < len(dealt[at]) and dealt[at][depth] == UNSEEN:
                dealt[at][depth] = face
                changed = True
        setup[step.name] = dealt
    return replace(record, setup=setup) if changed else record


def _start_revealed(game: Game, record: Record, start: Start, revealed: dict[tuple[int, int, int], int]) -> Record:
    state, changed = start.state.copy(), False
    for (zone, at, depth), face in revealed.items():
        pile = state.zones[zone][at]
        if zone in game.receiving_zones or isinstance(pile, dict):
            continue
        if depth < len(pile) and pile[depth] == UNSEEN:
            pile[depth] = face
            state.pool[game.zone_list[zone].element.component][face] -= 1
            changed = True
    state.unseen = has_unseen(state)
    return replace(record, start=replace(start, state=state)) if changed else record


class _Named(Struct):
    """The cards that an action names at one place; `moves` if it takes them away."""

    parameter: ParameterModel
    zone: list[int]
    faces: list[int]
    moves: bool = False


class Revealer:
    """Makes unseen cards of a position known when a record names them; `revealed` remembers where in a pile each of them was."""

    def __init__(self, game: Game, state: State) -> None:
        self.game = game
        self.state = state
        self.revealed: dict[tuple[int, int, int], int] = {}
        # For shuffled piles: how many cards from the bottom may not be where they were dealt.
        self.shuffled: dict[tuple[int, int], int] = {}

    def reveal_arguments(self, runner: Runner, e: list[Any]) -> None:
        """An action names a card that was unseen so far: it becomes known, if the deck still has one. If the position
        determines a `?` in the record, the action gets to know it.
        """
        named: dict[int, _Named] = {}
        for parameter, origin, extra in zip(runner.model.parameters, runner.origins, runner.positions, strict=True):
            if origin is None or parameter.kind == "derived":
                continue
            zone = origin(self.state, e)
            if parameter.kind == "tops":
                e[extra] = [self._top(parameter, zone, number, face) for number, face in e[extra]]
                e[parameter.slot] = [face for _, face in e[extra]]
                continue
            if parameter.kind == "order":
                e[parameter.slot] = self._shuffled(parameter, zone, e[parameter.slot])
                continue
            single = parameter.kind == "element"
            faces = [e[parameter.slot]] if single else list(e[parameter.slot])
            if zone and UNSEEN in faces and len(set(zone)) == 1:
                # The card was not read but is known, because all cards there are the same.
                faces = [zone[0] if face == UNSEEN else face for face in faces]
                e[parameter.slot] = faces[0] if single else faces
            moves = any(x.source == "parameter" and x.slot == parameter.slot for x in runner.model.effects)
            here = named.setdefault(id(zone), _Named(parameter, zone, []))
            here.faces += faces
            here.moves |= moves
        for here in named.values():
            self._reveal_faces(here)

    def _top(self, parameter: ParameterModel, piles: list[list[int]], number: int, face: int) -> tuple[int, int]:
        """A card named on top of a pile: an unseen top becomes known, and a `?` in the record becomes the top."""
        pile = piles[number - 1] if 1 <= number <= len(piles) else []
        if not pile:
            return number, face
        if pile[-1] == UNSEEN and self._draw(parameter, face):
            pile[-1] = face
            self._remember(parameter.zone, number - 1, pile)
        return number, pile[-1] if face == UNSEEN else face

    def _reveal_faces(self, here: _Named) -> None:
        """All cards that an action names at one place, in any parameters: equal ones are different cards."""
        if here.moves and self.game.zone_list[here.parameter.zone].kind != "bag":
            self._forget_between(here)
        known = Counter(face for face in here.zone if face != UNSEEN)
        for face in here.faces:
            if known[face] > 0:
                known[face] -= 1
            elif face != UNSEEN and UNSEEN in here.zone and self._is_placed(here) and self._draw(here.parameter, face):
                here.zone[here.zone.index(UNSEEN)] = face
        if here.moves and UNSEEN in here.faces:
            # Unread cards leave: each may have been any that the action does not name.
            self._forget(here.parameter, here.zone, known)

    def _forget_between(self, here: _Named) -> None:
        """If one of several unseen cards leaves a pile, nobody knows any more at which place those between them lie."""
        hidden = [at for at, face in enumerate(here.zone) if face == UNSEEN]
        there = Counter(face for face in here.zone if face != UNSEEN)
        if len(hidden) > 1 and not Counter(face for face in here.faces if face != UNSEEN) <= there:
            between = Counter(face for face in here.zone[hidden[0] : hidden[-1]] if face != UNSEEN)
            pool = self.state.pool.setdefault(self.game.zone_list[here.parameter.zone].element.component, Counter())
            pool.update(between)
            here.zone[hidden[0] : hidden[-1]] = [UNSEEN] * (hidden[-1] - hidden[0])

    def _is_placed(self, here: _Named) -> bool:
        """Whether it makes no difference which of the unseen cards a named one is: where they have no order, where there is but
        one, or if it leaves.
        """
        kind = self.game.zone_list[here.parameter.zone].kind
        return kind == "bag" or here.moves or here.zone.count(UNSEEN) == 1

    def _remember(self, zone: int, at: int, pile: list[int]) -> None:
        """The top of a pile is revealed: it has been there from the start, unless the pile was shuffled."""
        if len(pile) > self.shuffled.get((zone, at), 0):
            self.revealed[zone, at, len(pile) - 1] = pile[-1]

    def _shuffled(self, parameter: ParameterModel, pile: list[int], named: list[int]) -> list[int]:
        """A pile is shuffled: what turns up there later need not have been there from the start. Returns the named
        order, with each `?` resolved for which only one thing is possible.
        """
        for at, other in enumerate(self.state.zones[parameter.zone]):
            if other is pile:
                self.shuffled[parameter.zone, at] = max(len(named), self.shuffled.get((parameter.zone, at), 0))
        there = part_of(parameter, pile)
        rest = set((Counter(there) - Counter(named)).elements())
        if UNSEEN in named and UNSEEN not in there and len(rest) == 1 and not_the_same(there, named) is None:
            named = [face if face != UNSEEN else next(iter(rest)) for face in named]
        return named

    def _draw(self, parameter: ParameterModel, face: int) -> bool:
        pool = self.state.pool.get(self.game.zone_list[parameter.zone].element.component)
        if face == UNSEEN or pool is None or pool[face] <= 0:
            return False
        pool[face] -= 1
        return True

    def _forget(self, parameter: ParameterModel, zone: list[int], known: Counter[int]) -> None:
        pool = self.state.pool.setdefault(self.game.zone_list[parameter.zone].element.component, Counter())
        for face, count in known.items():
            for _ in range(count):
                pool[face] += 1
                zone[zone.index(face)] = UNSEEN

    def reveal(self, where: Path, move: Move) -> list[Finding]:
        """The cards that show on piles after an action; a finding for each impossible one."""
        return [f for zone, at, face in move.reveals if (f := self._show(where, zone, at, face)) is not None]

    def _show(self, where: Path, zone_number: int, at: int, face: int) -> Finding | None:
        zone = self.game.zone_list[zone_number]
        pile = self.state.zones[zone_number][at]
        top = pile[-1] if pile else None
        if top == face:
            return None
        pool = self.state.pool.get(zone.element.component)
        if top == UNSEEN and (pool is None or pool[face] > 0):
            if pool is not None:
                pool[face] -= 1
            pile[-1] = face
            self._remember(zone_number, at, pile)
            return None
        fact = facts.CannotShow(zone_number, at, face, top)
        return Finding("PW614", (*where, "reveal", zone.name), f"setup.{zone.name}", fact)
