"""Whether the deck has enough cards: the cheapest board of one or several diagrams that can be laid with it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from pwtool.boards.diagrams import TooLarge
from pwtool.boards.search import Cheapest, Search, State
from pwtool.boards.spaces import EMPTY, Space
from pwtool.eval.values import Grid
from pwtool.text import InternalError

MAX_TRIES = 60_000
GUESSES = 20


class Hand:
    """Cards laid so far, as sets of acceptable faces: each set needs a card of its own.

    A matching grown along augmenting paths (C. Berge, "Two Theorems in Graph Theory", 1957).
    """

    def __init__(self, cards: Mapping[int, int]) -> None:
        self.cards = cards
        self.sets: list[tuple[int, ...]] = []
        self.given: dict[int, list[int]] = {}

    def add(self, faces: tuple[int, ...]) -> bool:
        """Lay one more card, with any of these faces; return False, laying nothing, if the deck has none left."""
        self.sets.append(faces)
        if self._place(len(self.sets) - 1, set()):
            return True
        self.sets.pop()
        return False

    def _place(self, at: int, seen: set[int]) -> bool:
        for face in self.sets[at]:
            if face in seen:
                continue
            seen.add(face)
            holders = self.given.setdefault(face, [])
            if len(holders) < self.cards.get(face, 0):
                holders.append(at)
                return True
            for place, holder in enumerate(holders):
                if self._place(holder, seen):
                    holders[place] = at
                    return True
        return False

    def remove(self) -> None:
        """Take back the last card."""
        at = len(self.sets) - 1
        self.sets.pop()
        for holders in self.given.values():
            if at in holders:
                holders.remove(at)

    def face(self, at: int) -> int:
        """The face that was assigned to one of the sets."""
        return next(face for face, holders in self.given.items() if at in holders)


def within_deck(parts: Sequence[Cheapest], cards: Mapping[int, int]) -> tuple[int, ...] | None:
    """A board that is in all diagrams, with as few cards as the deck allows, as a value for each cell; None if the deck
    allows none.

    Raises `TooLarge` if the search takes too long.
    """
    space = parts[0].space
    search = Search(space, [part.diagram for part in parts])
    prices = [price for part in parts if (price := part.least()) is not None]
    if len(prices) < len(parts):
        return None
    rng = random.Random(1)
    for _ in range(GUESSES if len(parts) == 1 else 0):
        board = parts[0].board(rng)
        if board is not None and is_within(space, board, cards):
            return board
    if space.tall:
        # Covered cards are needed too, and any card will do for them: only single boards are tried.
        raise TooLarge
    tried = [0]
    most = len(space.order)
    if _Deep(search, parts, cards, most, tried).run() is None:
        return None
    for bound in range(max(prices), most + 1):
        found = _Deep(search, parts, cards, bound, tried).run()
        if found is not None:
            return found
    return None


def is_within(space: Space, board: tuple[int, ...], cards: Mapping[int, int]) -> bool:
    """Whether the deck has all the cards of a board."""
    return laid(space, board, cards) is not None


def laid(space: Space, board: tuple[int, ...], cards: Mapping[int, int]) -> Grid | None:
    """A board with cards that the deck has: a covered one may be any that is read alike. None if there are not enough."""
    hand = Hand(cards)
    grid = space.grid(board)
    for pile in grid.values():
        for face in pile[:-1]:
            if not hand.add(tuple(dict.fromkeys(map(space.at_first, space.alike(face))))):
                return None
        if not hand.add((space.at_first(pile[-1]),)):
            return None
    given = {at: face for face, holders in hand.given.items() for at in holders}
    at = 0
    for pile in grid.values():
        for depth, face in enumerate(pile[:-1]):
            pile[depth] = next(other for other in space.alike(face) if space.at_first(other) == given[at + depth])
        at += len(pile)
    return grid


class _Deep:
    """All boards of at most a given number of cards, found depth first; what failed once is not tried again.

    A set of faces of which the deck holds as many cards as there are cells never runs out (P. Hall, "On Representatives of
    Subsets", 1935): such cards are assigned at the end.
    """

    def __init__(
        self, search: Search, parts: Sequence[Cheapest], cards: Mapping[int, int], bound: int, tried: list[int]
    ) -> None:
        self.search, self.parts, self.bound, self.tried = search, parts, bound, tried
        self.cards, self.hand = cards, Hand(cards)
        self.laid: list[tuple[int, tuple[int, ...]]] = []
        self.failed: set[tuple[State, int, tuple[tuple[int, ...], ...]]] = set()
        self._faces: dict[tuple[int, ...], tuple[tuple[int, ...], bool]] = {}

    def run(self) -> tuple[int, ...] | None:
        """A board, as a value for each cell; None if there is none."""
        if self.search.is_dead(self.search.root) or not self._from(self.search.root):
            return None
        space, hand = self.search.space, Hand(self.cards)
        laid = [(level, values, self._set(values)[0]) for level, values in self.laid]
        for _, _, faces in sorted(laid, key=lambda one: len(one[2])):
            if not hand.add(faces):
                raise InternalError("a deck that suffices does not suffice")
        # The sets were assigned from the smallest on; equal sets share their faces in any order.
        given: dict[tuple[int, ...], list[int]] = {}
        for at, faces in enumerate(hand.sets):
            given.setdefault(faces, []).append(hand.face(at))
        board = [EMPTY] * len(space.order)
        for level, values, faces in laid:
            face = given[faces].pop()
            board[space.order[level]] = next(v for v in values if space.at_first(space.values[v][-1]) == face)
        return tuple(board)

    def _from(self, state: State) -> bool:
        search = self.search
        level = search.level(state)
        if level == search.end:
            return True
        self.tried[0] += 1
        if self.tried[0] > MAX_TRIES:
            raise TooLarge
        key = (state, len(self.laid), tuple(sorted(self.hand.sets)))
        if key in self.failed:
            return False
        for branch, following in search.branches(state, level):
            least = max(part.from_node[node] for part, node in zip(self.parts, following, strict=True))
            if EMPTY in branch.values:
                # No card will do as well as any card, and costs nothing.
                if len(self.laid) + least <= self.bound and self._from(following):
                    return True
                continue
            if len(self.laid) + 1 + least > self.bound:
                continue
            faces, plenty = self._set(branch.values)
            if plenty or self.hand.add(faces):
                self.laid.append((level, branch.values))
                if self._from(following):
                    return True
                self.laid.pop()
                if not plenty:
                    self.hand.remove()
        self.failed.add(key)
        return False

    def _set(self, values: tuple[int, ...]) -> tuple[tuple[int, ...], bool]:
        """The faces of some values, as decks count them, and whether the deck can never run out of them."""
        found = self._faces.get(values)
        if found is None:
            space = self.search.space
            faces = tuple(dict.fromkeys(space.at_first(space.values[v][-1]) for v in values))
            plenty = sum(self.cards.get(face, 0) for face in faces) >= len(space.order)
            found = self._faces[values] = (faces, plenty)
        return found
