"""Questions about one or several diagrams at once: how many boards all of them contain, and which is the cheapest.

The diagrams need not have the same branches: a state is one node of each, and the branches of a cell are refined only
where the search arrives.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from operator import add, mul, ne

from pwtool.boards.diagrams import Diagram, TooLarge
from pwtool.boards.spaces import Space

MAX_STATES = 400_000
State = tuple[int, ...]
Board = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """Values of a cell that none of the diagrams distinguishes. `weight` is the number of piles that they stand for."""

    classes: tuple[int, ...]
    values: tuple[int, ...]
    weight: int


class Search:
    """The boards that are in all of several diagrams over one space."""

    def __init__(self, space: Space, diagrams: Sequence[Diagram]) -> None:
        self.space, self.diagrams = space, list(diagrams)
        self.end = len(space.order)
        self.root: State = tuple(d.root for d in diagrams)
        self._branches: dict[tuple[int, tuple[int, ...]], list[Branch]] = {}
        self._classes: list[dict[tuple[int, ...], list[tuple[int, ...]]]] = [{} for _ in space.order]

    def is_dead(self, state: State) -> bool:
        """Whether no board passes through a state."""
        return any(node == d.dead for d, node in zip(self.diagrams, state, strict=True))

    def level(self, state: State) -> int:
        """The place in the order of the next cell that makes a difference."""
        return min([d.levels[n] for d, n in zip(self.diagrams, state, strict=True)], default=self.end)

    def branches(self, state: State, level: int) -> list[tuple[Branch, State]]:
        """The branches of a state that some board takes, each with the state after it."""
        diagrams = self.diagrams
        asked = tuple([i for i, n in enumerate(state) if diagrams[i].levels[n] == level])
        found = []
        for branch in self.refined(level, asked):
            following = list(state)
            for i, at in zip(asked, branch.classes, strict=True):
                kid = diagrams[i].kids[state[i]][at]
                if kid == diagrams[i].dead:
                    break
                following[i] = kid
            else:
                found.append((branch, tuple(following)))
        return found

    def following(self, state: State, level: int) -> set[State]:
        """The distinct states after this one, including dead ones."""
        kids = [d.kids[n] if d.levels[n] == level else None for d, n in zip(self.diagrams, state, strict=True)]
        asked = tuple([i for i, own in enumerate(kids) if own is not None])
        if asked not in self._classes[level]:
            self._classes[level][asked] = [branch.classes for branch in self.refined(level, asked)]
        ways = self._classes[level][asked]
        if len(asked) == 1:
            (at,) = asked
            return {(*state[:at], kid, *state[at + 1 :]) for kid in set(kids[at] or ())}
        if len(asked) == len(state) == 2:
            us, vs = kids
            assert us is not None and vs is not None
            return {(us[x], vs[y]) for x, y in ways}
        found = set()
        for classes in ways:
            after = list(state)
            for i, at in zip(asked, classes, strict=True):
                after[i] = (kids[i] or ())[at]
            found.add(tuple(after))
        return found

    def refined(self, level: int, asked: tuple[int, ...]) -> list[Branch]:
        """The branches of a cell that these diagrams need."""
        branches = self._branches.get((level, asked))
        if branches is None:
            groups: dict[tuple[int, ...], list[int]] = {}
            columns = [self.diagrams[i].classes[level] for i in asked]
            for value in range(len(self.space.values)):
                groups.setdefault(tuple([c[value] for c in columns]), []).append(value)
            weights = self.space.weights
            branches = [Branch(key, tuple(vs), sum(weights[v] for v in vs)) for key, vs in groups.items()]
            self._branches[level, asked] = branches
        return branches

    # ---- counting

    def count(self) -> int:
        """How many boards are in all of them; raises `TooLarge`.

        The number of a node counts all boards that it would accept if it were the root, so cells that nothing reads need no
        special treatment.
        """
        if self.is_dead(self.root):
            return 0
        if len(self.diagrams) == 1:
            return self._count_one(self.diagrams[0])
        first, second = self.diagrams
        return self._count_two(first, second)

    def _count_two(self, first: Diagram, second: Diagram) -> int:
        total, size = sum(self.space.weights), self.space.size
        memo: dict[tuple[int, int], int] = {(1 - first.dead, 1 - second.dead): size}
        ways = [
            [[(b.classes, b.weight) for b in self.refined(level, asked)] for asked in ((0, 1), (0,), (1,))]
            for level in range(self.end)
        ]
        levels = first.levels, second.levels
        kids = first.kids, second.kids
        dead = first.dead, second.dead

        def through(u: int, v: int) -> int:
            a, b = levels[0][u], levels[1][v]
            # This takes most of the time: branches that lead to the same state are added up before they are followed.
            weights: dict[tuple[int, int], int] = {}
            if a == b:
                us, vs = kids[0][u], kids[1][v]
                for (x, y), weight in ways[a][0]:
                    if us[x] != dead[0] and vs[y] != dead[1]:
                        pair = us[x], vs[y]
                        weights[pair] = weights.get(pair, 0) + weight
            elif a < b:
                us = kids[0][u]
                for (x,), weight in ways[a][1]:
                    if us[x] != dead[0]:
                        weights[us[x], v] = weights.get((us[x], v), 0) + weight
            else:
                vs = kids[1][v]
                for (y,), weight in ways[b][2]:
                    if vs[y] != dead[1]:
                        weights[u, vs[y]] = weights.get((u, vs[y]), 0) + weight
            found = 0
            for pair, weight in weights.items():
                number = memo.get(pair)
                found += weight * (through(*pair) if number is None else number)
            found //= total
            if len(memo) > MAX_STATES:
                raise TooLarge
            memo[u, v] = found
            return found

        start = first.root, second.root
        return memo[start] if start in memo else through(*start)

    def _count_one(self, diagram: Diagram) -> int:
        total, size = sum(self.space.weights), self.space.size
        numbers = [size if node != diagram.dead else 0 for node in (0, 1)]
        # Branches lead to nodes that were created earlier: from the terminals up, each is ready when it is needed.
        weights = [[0] * (max(c) + 1) for c in diagram.classes]
        for row, classes in zip(weights, diagram.classes, strict=True):
            for value, at in enumerate(classes):
                row[at] += self.space.weights[value]
        for node in range(2, diagram.root + 1):
            kids = map(numbers.__getitem__, diagram.kids[node])
            numbers.append(sum(map(mul, weights[diagram.levels[node]], kids)) // total)
        return numbers[diagram.root]


class Cheapest:
    """The cheapest boards of one diagram. `costs[level][value]` is the price of a value; on every cell some value is free."""

    INFINITE = 1 << 40

    def __init__(self, diagram: Diagram, costs: Sequence[Sequence[int]] | None = None) -> None:
        self.diagram, self.space = diagram, diagram.space
        self.costs = costs if costs is not None else [self.space.costs] * len(self.space.order)
        prices = []
        for level, classes in enumerate(diagram.classes):
            row = [self.INFINITE] * (max(classes) + 1)
            for value, at in enumerate(classes):
                row[at] = min(row[at], self.costs[level][value])
            prices.append(row)
        self.prices = prices
        # `from_node[n]` is the least price of the cells from node `n` on.
        self.from_node = [self.INFINITE if node == diagram.dead else 0 for node in (0, 1)]
        for node in range(2, diagram.root + 1):
            kids = map(self.from_node.__getitem__, diagram.kids[node])
            self.from_node.append(min(map(add, prices[diagram.levels[node]], kids)))

    def least(self) -> int | None:
        """The price of the cheapest board, None if there is none."""
        price = self.from_node[self.diagram.root]
        return price if price < self.INFINITE else None

    def board(self, choose: random.Random | None = None) -> Board | None:
        """A cheapest board, the first or a random one; None if there is none."""
        if self.least() is None:
            return None
        diagram = self.diagram
        node, path = diagram.root, Path(self.space, self.costs, choose)
        while (level := diagram.levels[node]) < len(self.space.order):
            wanted, kids, prices = self.from_node[node], diagram.kids[node], self.prices[level]
            ways = [at for at, kid in enumerate(kids) if prices[at] + self.from_node[kid] == wanted]
            way = choose.choice(ways) if choose else ways[0]
            path.take(level, [v for v, at in enumerate(diagram.classes[level]) if at == way])
            node = kids[way]
        return path.board()


class Path:
    """The values chosen along a search; cells that decide nothing get the cheapest value."""

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
    Iterative-Deepening", 1985). The least remaining price in each diagram alone bounds the search.
    """

    def __init__(self, parts: Sequence[Cheapest]) -> None:
        self.parts = parts
        self.search = Search(parts[0].space, [p.diagram for p in parts])
        self.costs = parts[0].costs
        self.lower: dict[State, int] = {}
        self.path = Path(parts[0].space, self.costs)
        self._prices: dict[tuple[int, tuple[int, ...]], int] = {}

    def exists(self) -> bool:
        """Whether there is a board at all; raises `TooLarge`."""
        search = self.search
        dead = [diagram.dead for diagram in search.diagrams]
        seen: set[State] = {search.root}
        pending = [] if search.is_dead(search.root) else [search.root]
        left = MAX_STATES
        while pending:
            state = pending.pop()
            level = search.level(state)
            if level == search.end:
                return True
            left -= 1
            if left < 0:
                raise TooLarge
            for after in search.following(state, level) - seen:
                if all(map(ne, after, dead)):
                    seen.add(after)
                    pending.append(after)
        return False

    def board(self) -> Board:
        """A cheapest board; there must be one. Raises `TooLarge`."""
        while not self._within(self.search.root, self._bound(self.search.root)):
            pass
        return self.path.board()

    def _bound(self, state: State) -> int:
        """A lower bound for the price of a state: the least price in each diagram, or what was learned since."""
        known = [part.from_node[node] for part, node in zip(self.parts, state, strict=True)]
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
            price = self._price(level, branch)
            if price <= allowed and self._within(following, allowed - price):
                self.path.take(level, branch.values)
                return True
            least = min(least, price + self._bound(following))
        if len(self.lower) > MAX_STATES:
            raise TooLarge
        # More than was allowed, so the next round, which allows it, gets further.
        self.lower[state] = least
        return False

    def _price(self, level: int, branch: Branch) -> int:
        key = (level, branch.values)
        found = self._prices.get(key)
        if found is None:
            found = self._prices[key] = min([self.costs[level][v] for v in branch.values])
        return found
