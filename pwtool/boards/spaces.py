"""The space of boards: what can lie on a cell, how often the decks have it, which cells are connected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from pwtool.boards.circuit import FALSE, TRUE
from pwtool.boards.diagrams import Diagram
from pwtool.boards.encoding import Encoding
from pwtool.boards.invariants import pile_rules, tallest_allowed
from pwtool.boards.symbols import Unsupported
from pwtool.eval.values import Grid
from pwtool.ir.model import Ruleset
from pwtool.play.game import Game
from pwtool.play.setup import deck_counts
from pwtool.text.speech import Told

MAX_PILES = 20_000
EMPTY = 0


@dataclass(frozen=True, slots=True)
class Space:
    """All boards of one kind: on every cell one of `values`, the first of which is the empty cell.

    `weights[v]` is the number of piles that value `v` stands for, `costs[v]` how many cards it has; `order` is the order in
    which diagrams look at the cells; `first[face]` is the face that decks count it as (empty: itself). `below` has the covered cards of
    piles, each with those that may lie there as well: nothing reads a difference.
    """

    values: tuple[tuple[int, ...], ...]
    weights: tuple[int, ...]
    order: tuple[int, ...]
    width: int
    height: int
    tall: bool = False
    below: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    costs: tuple[int, ...] = field(default=())
    first: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """How many boards there are."""
        return int(sum(self.weights) ** len(self.order))

    def grid(self, board: Sequence[int]) -> Grid:
        """A board, given as a value for each cell, in the form that the engine uses."""
        return {
            (cell % self.width, cell // self.width): list(self.values[v]) for cell, v in enumerate(board) if v != EMPTY
        }

    def at_first(self, face: int) -> int:
        """What a card was before anything changed its state: decks count by that."""
        return self.first[face] if self.first else face

    def alike(self, face: int) -> tuple[int, ...]:
        """The cards that may lie covered where this one does."""
        return self.below.get(face, (face,))

    def cards(self, board: Sequence[int]) -> int:
        """How many cards lie on a board."""
        return sum(self.costs[v] for v in board)


def make_space(game: Game, encoding: Encoding, inputs: Iterable[int], more: Iterable[tuple[int, ...]] = ()) -> Space:
    """The boards that circuits with these inputs can distinguish. `more` are piles that are wanted even if they cannot occur (no
    deck holds the card); they are never counted.
    """
    inputs = list(inputs)
    keys = [encoding.circuit.keys[n] for n in inputs]
    levels = encoding.levels(inputs)
    faces = deck_faces(game, encoding.component.name)
    covered = sorted({k[0] for k in keys if isinstance(k, tuple) and k[2] > 0 and k[0] != "there"})
    piles: list[tuple[tuple[int, ...], int]]
    below: Mapping[int, tuple[int, ...]] = {}
    if levels == 1:
        piles = [((face,), 1) for face in faces]
    else:
        below = _read_alike(game.ruleset, encoding, faces, covered)
        piles = list(_piles(game.ruleset, encoding, faces, below))
    known = {pile for pile, _ in piles}
    for pile in more:
        seen = pile if levels > 1 else pile[-1:]
        if seen not in known:
            known.add(seen)
            piles.append((seen, 0))
    values = ((), *(pile for pile, _ in piles))
    board = encoding.board
    order = cell_order(board.width, board.height)
    return Space(
        values, (1, *(weight for _, weight in piles)), order, board.width, board.height, levels > 1,
        below, tuple(len(v) for v in values), encoding.component.first,
    )  # fmt: skip


def cell_order(width: int, height: int) -> tuple[int, ...]:
    """The cells row by row, or column by column if that makes the frontier between visited and remaining cells much shorter.
    Circuits count in reading order, and a diagram that follows it stays small.
    """
    cells = range(width * height)
    if width <= 2 * height:
        return tuple(cells)
    return tuple(sorted(cells, key=lambda c: (c % width, c // width)))


def deck_faces(game: Game, component: str) -> list[int]:
    """The faces that some deck of a component holds, in every state; all faces if it has no deck."""
    decks = [d for d in game.ruleset.decks.values() if d.component == component]
    found = {face for d in decks for cards, _ in d.parts for face, count in cards if count}
    model = game.ruleset.components[component]
    every = range(len(model.codes))
    return [face for face in every if model.at_first(face) in found] or list(every)


def dealt_cards(game: Game, component: str, players: int) -> Counter[int] | None:
    """How often each face is in the game with that many players; None if no deck says so."""
    names = {
        s.deck for s in game.ruleset.setup if s.kind == "deal" and game.ruleset.decks[s.deck].component == component
    }
    if not names:
        return None
    total: Counter[int] = Counter()
    for name in sorted(names):
        total += deck_counts(game, name, players)
    return total


# ---- piles -----------------------------------------------------------------------------------------------------------


def tallest_pile(game: Game) -> int:
    """The greatest height of a pile: what the decks hold, limited by the invariants; a pile that only ascends has at most as
    many cards as the attribute has values.
    """
    ruleset = game.ruleset
    assert ruleset.board is not None
    component = ruleset.components[ruleset.board.element.component]
    cards = dealt_cards(game, component.name, ruleset.max_players)
    bounds = [sum(cards.values()) if cards else len(component.codes)]
    for kind, attribute in pile_rules(ruleset):
        if kind == "ascending":
            bounds.append(len(set(component.attributes[attribute].table)))
    return tallest_allowed(ruleset, max(1, min(bounds)))


def _read_alike(
    ruleset: Ruleset, encoding: Encoding, faces: list[int], covered: list[str]
) -> dict[int, tuple[int, ...]]:
    """The faces that differ in nothing that is read of a covered card, by the first of them."""
    asked = [
        encoding.component.attributes[name].table for name in (*covered, *(name for _, name in pile_rules(ruleset)))
    ]
    kinds: dict[tuple[object, ...], list[int]] = {}
    for face in faces:
        kinds.setdefault(tuple(table[face] for table in asked), []).append(face)
    return {group[0]: tuple(group) for group in kinds.values()}


def _piles(
    ruleset: Ruleset, encoding: Encoding, faces: list[int], below: Mapping[int, tuple[int, ...]]
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Piles, bottom to top, with the number of piles that each stands for: those that agree in everything that is read."""
    tables = [(kind, encoding.component.attributes[name].table) for kind, name in pile_rules(ruleset)]
    made = 0
    for top in faces:
        pending: list[tuple[tuple[int, ...], int]] = [((top,), 1)]
        while pending:
            pile, weight = pending.pop()
            made += 1
            if made > MAX_PILES:
                raise Unsupported(Told("there are too many kinds of piles to examine"))
            yield pile, weight
            if len(pile) < encoding.tallest:
                for face, group in below.items():
                    if pile_allows(tables, face, pile[0]):
                        pending.append(((face, *pile), weight * len(group)))


def pile_allows(rules: Iterable[tuple[str, tuple[Any, ...]]], under: int, above: int) -> bool:
    """Whether one card may lie directly under another, by rules about piles and the values that they read."""
    return all(table[under] == table[above] if kind == "same" else table[under] < table[above] for kind, table in rules)


# ---- connected boards ------------------------------------------------------------------------------------------------


def connected_diagram(space: Space, nonempty: bool = True) -> Diagram:
    """The boards whose cards are connected side by side.

    Cell by cell, remembering which of the last cells are connected so far (the frontier method: K. Sekine, H. Imai and
    S. Tani, "Computing the Tutte Polynomial of a Graph of Moderate Size", 1995).
    """
    short = space.width if space.order[:2] in ((0, 1), (0,)) else space.height
    classes = tuple(0 if v == EMPTY else 1 for v in range(len(space.values)))
    diagram = Diagram(space, [classes] * len(space.order))
    made: dict[tuple[int, tuple[int, ...], str], int] = {}

    def build(at: int, labels: tuple[int, ...], status: str) -> int:
        if at == len(space.order):
            if status == "none":
                return 0 if nonempty else 1
            return 1 if len(set(labels) - {0}) <= 1 else 0
        key = (at, labels, status)
        found = made.get(key)
        if found is None:
            column = at % short
            kids = (_without_card(at, column, labels, status), _with_card(at, column, labels, status))
            empty, filled = kids
            low = 0 if empty is None else build(at + 1, *empty)
            high = 0 if filled is None else build(at + 1, *filled)
            found = made[key] = diagram.node(at, (low, high))
        return found

    diagram.root = build(0, (0,) * short, "none")
    return diagram


def filled_diagram(space: Space) -> Diagram:
    """The boards with at least one card."""
    classes = tuple(0 if v == EMPTY else 1 for v in range(len(space.values)))
    diagram = Diagram(space, [classes] * len(space.order))
    for level in reversed(range(len(space.order))):
        diagram.root = diagram.node(level, (diagram.root, 1))
    return diagram


_State = tuple[tuple[int, ...], str] | None


def _without_card(at: int, column: int, labels: tuple[int, ...], status: str) -> _State:
    left = (*labels[:column], 0, *labels[column + 1 :])
    if labels[column] and labels[column] not in left:
        # A group that nothing can join any more must be the only one.
        return None if any(left) else (left, "done")
    return left, status


def _with_card(at: int, column: int, labels: tuple[int, ...], status: str) -> _State:
    if status == "done":
        return None
    above, beside = labels[column], labels[column - 1] if column else 0
    label = above or beside or max(labels) + 1
    joined = [label if name and name in (above, beside) else name for name in labels]
    joined[column] = label
    names: dict[int, int] = {0: 0}
    return tuple(names.setdefault(name, len(names)) for name in joined), "some"


def connected_circuit(encoding: Encoding) -> int:
    """The same as a part of a circuit; true for the empty board."""
    width, height = encoding.board.width, encoding.board.height
    diagram = connected_diagram(Space(((), (0,)), (1, 1), cell_order(width, height), width, height), nonempty=False)
    made = {0: FALSE, 1: TRUE}
    for _, nodes in groupby(range(2, len(diagram.kids)), key=diagram.levels.__getitem__):
        for node in nodes:
            low, high = diagram.kids[node]
            there = encoding.there(diagram.space.order[diagram.levels[node]])
            made[node] = encoding.circuit.mux(there, made[high], made[low])
    return made[diagram.root]
