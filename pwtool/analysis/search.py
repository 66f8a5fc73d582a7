"""Questions about one or several diagrams at once: how many boards are in all of them, and which is the cheapest.

The diagrams need not share their branches: a state is one node of each, and the branches of a cell are refined only
where the search arrives.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from pwtool.analysis.diagrams import Diagram, TooLarge
from pwtool.analysis.spaces import Space

MAX_STATES = 400_000
State = tuple[int, ...]
Board = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """Values of a cell that no diagram at hand tells apart. `weight` is the number of piles that they stand for."""

    classes: tuple[int, ...]
    values: tuple[int, ...]
    weight: int


class Search:
    """The boards that are in every one of several diagrams over one space."""

    def __init__(self, space: Space, diagrams: Sequence[Diagram]) -> None:
        self.space, self.diagrams = space, list(diagrams)
        self.end = len(space.order)
        self.root: State = tuple(d.root for d in diagrams)
        self._branches: dict[tuple[int, tuple[int, ...]], list[Branch]] = {}
        self._counts: dict[State, int] = {}
        self._total = sum(space.weights)

    def level(self, state: State) -> int:
        """The place in the order of the next cell that decides something."""
        return min([d.levels[n] for d, n in zip(self.diagrams, state, strict=True)], default=self.end)

    def branches(self, state: State, level: int) -> list[tuple[Branch, State]]:
        """The branches of a state that some board goes through, each with the state after it."""
        asked = tuple([i for i, (d, n) in enumerate(zip(self.diagrams, state, strict=True)) if d.levels[n] == level])
        branches = self._branches.get((level, asked))
        if branches is None:
            branches = self._branches[level, asked] = self._refined(level, asked)
        found = []
        for branch in branches:
            following = list(state)
            for i, at in zip(asked, branch.classes, strict=True):
                kid = self.diagrams[i].kids[state[i]][at]
                if kid == 0:
                    break
                following[i] = kid
            else:
                found.append((branch, tuple(following)))
        return found

    def _refined(self, level: int, asked: tuple[int, ...]) -> list[Branch]:
        groups: dict[tuple[int, ...], list[int]] = {}
        columns = [self.diagrams[i].classes[level] for i in asked]
        for value in range(len(self.space.values)):
            groups.setdefault(tuple([c[value] for c in columns]), []).append(value)
        weights = self.space.weights
        return [Branch(key, tuple(vs), sum(weights[v] for v in vs)) for key, vs in groups.items()]

    # ---- counting

    def count(self) -> int:
        """How many boards; raises `TooLarge`."""
        if 0 in self.root:
            return 0
        return int(self._count(self.root) * self._total ** self.level(self.root))

    def _count(self, state: State) -> int:
        level = self.level(state)
        if level == self.end:
            return 1
        found = self._counts.get(state)
        if found is None:
            if len(self._counts) > MAX_STATES:
                raise TooLarge
            found = 0
            for branch, following in self.branches(state, level):
                between = self.level(following) - level - 1
                found += branch.weight * self._count(following) * self._total**between
            self._counts[state] = found
        return found


class Cheapest:
    """The cheapest boards of a search. `costs[level][value]` is the price of a value; on every cell something is free."""

    INFINITE = 1 << 60

    def __init__(self, search: Search, costs: Sequence[Sequence[int]] | None = None) -> None:
        self.search, space = search, search.space
        self.costs = costs if costs is not None else [space.costs] * len(space.order)
        self._least: dict[State, int] = {}
        self._prices: dict[tuple[int, tuple[int, ...]], int] = {}

    def least(self) -> int | None:
        """The price of the cheapest board, None when there is none; raises `TooLarge`."""
        if 0 in self.search.root:
            return None
        price = self.least_from(self.search.root)
        return price if price < self.INFINITE else None

    def price(self, level: int, branch: Branch) -> int:
        """The price of the cheapest value of a branch."""
        key = (level, branch.values)
        found = self._prices.get(key)
        if found is None:
            costs = self.costs[level]
            found = self._prices[key] = min([costs[v] for v in branch.values])
        return found

    def least_from(self, state: State) -> int:
        """The least price of the cells from a state on."""
        search = self.search
        level = search.level(state)
        if level == search.end:
            return 0
        found = self._least.get(state)
        if found is None:
            if len(self._least) > MAX_STATES:
                raise TooLarge
            found = self.INFINITE
            for branch, following in search.branches(state, level):
                found = min(found, self.price(level, branch) + self.least_from(following))
            self._least[state] = found
        return found

    def board(self, choose: random.Random | None = None) -> Board | None:
        """A cheapest board: the first, or one by chance; None when there is none."""
        if self.least() is None:
            return None
        search = self.search
        state, path = search.root, Path(search.space, self.costs, choose)
        while (level := search.level(state)) < search.end:
            wanted = self.least_from(state)
            ways = [
                (branch, following)
                for branch, following in search.branches(state, level)
                if self.price(level, branch) + self.least_from(following) == wanted
            ]
            branch, following = choose.choice(ways) if choose else ways[0]
            path.take(level, branch.values)
            state = following
        return path.board()


class Path:
    """The values taken on the way through a search; what decides nothing is as cheap as can be."""

    def __init__(self, space: Space, costs: Sequence[Sequence[int]], choose: random.Random | None = None) -> None:
        self.space, self.costs, self.choose = space, costs, choose
        self.taken: dict[int, Sequence[int]] = {}

    def take(self, level: int, values: Sequence[int]) -> None:
        self.taken[level] = values

    def board(self) -> Board:
        """The board: a value for each cell, by number."""
        board = [0] * len(self.space.order)
        every = range(len(self.space.values))
        for level, cell in enumerate(self.space.order):
            board[cell] = self._cheap(self.costs[level], self.taken.get(level, every))
        return tuple(board)

    def _cheap(self, costs: Sequence[int], values: Sequence[int]) -> int:
        least = min([costs[v] for v in values])
        cheap = [v for v in values if costs[v] == least]
        return self.choose.choice(cheap) if self.choose else cheap[0]


class Deepening:
    """The cheapest board of several diagrams, found by allowing a little more each time (R. E. Korf, "Depth-First
    Iterative-Deepening", 1985). What each diagram alone still costs at least bounds the search.
    """

    def __init__(self, parts: Sequence[Cheapest]) -> None:
        self.parts = parts
        self.search = Search(parts[0].search.space, [p.search.diagrams[0] for p in parts])
        self.lower: dict[State, int] = {}
        self.path = Path(self.search.space, parts[0].costs)

    def exists(self) -> bool:
        """Whether there is a board at all; raises `TooLarge`."""
        seen: set[State] = set()
        pending = [self.search.root]
        while pending:
            state = pending.pop()
            if 0 in state or state in seen:
                continue
            level = self.search.level(state)
            if level == self.search.end:
                return True
            seen.add(state)
            if len(seen) > MAX_STATES:
                raise TooLarge
            pending += [following for _, following in self.search.branches(state, level)]
        return False

    def board(self) -> Board:
        """A cheapest board; there has to be one. Raises `TooLarge`."""
        while not self._within(self.search.root, self._bound(self.search.root)):
            pass
        return self.path.board()

    def _bound(self, state: State) -> int:
        """What a state costs at least: each diagram's own least price, or what was learnt since."""
        known = [part.least_from((node,)) for part, node in zip(self.parts, state, strict=True)]
        return max(*known, self.lower.get(state, 0))

    def _within(self, state: State, allowed: int) -> bool:
        search = self.search
        level = search.level(state)
        if level == search.end:
            return True
        if self._bound(state) > allowed:
            return False
        least = Cheapest.INFINITE
        for branch, following in search.branches(state, level):
            price = self.parts[0].price(level, branch)
            if price <= allowed and self._within(following, allowed - price):
                self.path.take(level, branch.values)
                return True
            least = min(least, price + self._bound(following))
        if len(self.lower) > MAX_STATES:
            raise TooLarge
        # More than was allowed, so the next round, which allows it, gets further.
        self.lower[state] = least
        return False
