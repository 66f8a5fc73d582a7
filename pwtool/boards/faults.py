"""Proven faults of objectives: fulfilled by no board, by every board, by none that can be laid with the deck, or by the same
boards as another one.

Random boards come first, for all objectives at once: nearly every objective is fulfilled by some of them (some of them
laid with the deck), not by others, and distinguished from every other objective. Proofs are only needed where random
boards show nothing, so a file of hundreds of objectives takes a second or two.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from pwtool.boards.decks import within_deck
from pwtool.boards.diagrams import TooLarge
from pwtool.boards.proofs import Analysis
from pwtool.boards.search import Board
from pwtool.boards.spaces import EMPTY
from pwtool.play.game import Game
from pwtool.text import Diagnostic, Label
from pwtool.text.speech import mark

# Random boards laid with the deck: most objectives are fulfilled by one of the first few.
DEALS = (1 << 8, (1 << 12) - (1 << 8))
# On a larger grid even random boards take too long for a check that nobody asked for.
MAX_CELLS = 150


def prove_faults(game: Game, names: Sequence[str]) -> list[Diagnostic]:
    """Which of these objectives are proven to be fulfilled never, always, only beyond the deck, or by the same boards as another
    one of the ruleset. What cannot be decided quickly is skipped: that is left to `study_objectives`.
    """
    board = game.ruleset.board
    if board is not None and board.width * board.height > MAX_CELLS:
        return []
    others = [n for n in game.ruleset.objectives if n not in names]
    analysis = Analysis(game, [*names, *others], patient=False)
    flat = analysis.flat() if analysis.roots and analysis.space.tall else analysis
    if not analysis.roots:
        return []
    sample = analysis.sample
    alike: dict[int, list[str]] = {}
    for name in game.ruleset.objectives:
        if name in analysis.roots:
            alike.setdefault(sample.verdicts[name], []).append(name)
    laid = _laid(flat, [n for n in names if n in flat.roots])
    found: list[Diagnostic] = []
    for name in names:
        if name not in analysis.roots:
            continue
        home = flat if name in flat.roots else analysis
        verdicts = sample.verdicts[name]
        try:
            if verdicts in (0, sample.full) and home.number(name) == (0 if verdicts == 0 else home.space.size):
                found.append(never_or_always(game, name, verdicts != 0))
                continue
            if name not in laid and _beyond_deck(home, name):
                found.append(beyond_deck(game, name))
        except TooLarge:
            pass
        first = _first_same(analysis, name, alike[verdicts])
        if first is not None:
            found.append(repeated(game, name, first))
    return found


def _first_same(analysis: Analysis, name: str, alike: Sequence[str]) -> str | None:
    """The first earlier objective that is proven to be fulfilled by the same boards."""
    for other in alike:
        if other == name:
            return None
        try:
            # An objective that never or always holds is reported as such, not as equal to another one.
            if not analysis.exists({name: True}) or not analysis.exists({name: False}):
                return None
            if not analysis.exists({name: True, other: False}) and not analysis.exists({name: False, other: True}):
                return other
        except TooLarge:
            continue
    return None


def _beyond_deck(analysis: Analysis, name: str) -> bool:
    """Whether no number of players has enough cards for a board; raises `TooLarge`."""
    parts = [analysis.cheapest(name)]
    decks = {frozenset(cards.items()): cards for _, cards in analysis.dealt()}
    return bool(decks) and all(within_deck(parts, cards) is None for cards in decks.values())


def _laid(analysis: Analysis, names: list[str]) -> set[str]:
    """Those of these objectives that a random board laid with the deck fulfils."""
    decks = [cards for _, cards in analysis.dealt()]
    if not names or not decks:
        return set(names)
    cards = max(decks, key=lambda of: sum(of.values()))
    rng = random.Random(1)
    space, encoding = analysis.space, analysis.encoding
    value_of = {space.values[v][-1]: v for v in range(1, len(space.values))}
    from pwtool.boards.bulk import Program

    laid: set[str] = set()
    for deals in DEALS:
        left = [name for name in names if name not in laid]
        if not left:
            break
        boards = [_deal(cards, len(space.order), value_of, rng) for _ in range(deals)]
        program = Program(analysis.circuit, [analysis.roots[n] for n in left])
        planes = encoding.planes(
            [[space.values[board[at]] for board in boards] for at in range(len(space.order))], program.inputs
        )
        laid |= {name for name, holds in zip(left, program.run(planes, deals), strict=True) if holds}
    return laid


def _deal(cards: Mapping[int, int], cells: int, value_of: Mapping[int, int], rng: random.Random) -> Board:
    """A board of cards from the deck, with few different ones so that more cards agree with each other."""
    faces = [face for face in cards if cards[face] and face in value_of]
    few = rng.sample(faces, min(len(faces), rng.choice((3, 6, 12, len(faces)))))
    pool = [value_of[face] for face in few for _ in range(cards[face])]
    rng.shuffle(pool)
    board = pool[: rng.choice((cells, cells, cells // 2 + 1))]
    board += [EMPTY] * (cells - len(board))
    if rng.random() < 0.5:
        rng.shuffle(board)
    return tuple(board)


# ---- findings


def never_or_always(game: Game, name: str, always: bool) -> Diagnostic:
    """The finding that no board, or every board, fulfils an objective."""
    message = "every board fulfils the objective `{name}`" if always else "no board fulfils the objective `{name}`"
    return _of(game, "PW502" if always else "PW501", message, name)


def beyond_deck(game: Game, name: str) -> Diagnostic:
    """The finding that some board fulfils an objective, but none that can be laid with the deck."""
    return _of(game, "PW504", mark("no board of the cards of the deck fulfils `{name}`"), name)


def repeated(game: Game, name: str, first: str) -> Diagnostic:
    """The finding that an objective is fulfilled by the same boards as an earlier one."""
    labels = (Label(game.ruleset.objectives[first].span, "the other"),)
    return _of(game, "PW503", mark("`{name}` is fulfilled by the same boards as `{first}`"), name, first, labels)


def _of(game: Game, code: str, message: str, name: str, first: str = "", labels: tuple[Label, ...] = ()) -> Diagnostic:
    span, address = game.ruleset.objectives[name].span, game.ruleset.address
    return Diagnostic.of(code, message, span, labels=labels, ruleset=address, name=name, first=first)
