"""Comparing the objectives of two rulesets through their circuits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import TYPE_CHECKING

from pwtool.boards.diagrams import TooLarge
from pwtool.boards.possible import Decks, broken_by, decks_of, lacking
from pwtool.boards.proofs import Analysis
from pwtool.boards.search import Board
from pwtool.boards.symbols import Unsupported
from pwtool.comparing.forms import NormalForm
from pwtool.comparing.words import words_of
from pwtool.ir.model import ComponentModel
from pwtool.lang.merged import Key
from pwtool.play.game import Game
from pwtool.text.speech import Listed, Told, mark

if TYPE_CHECKING:
    from pwtool.comparing.row import Row


MANY = 1_000
"""So often every card is there, where no deck is known."""
MOST_TRIED = 20_000
"""So many boards are tried in the place of one that no deck allows, for each card that is too many."""


def compare_objectives(
    first: Game, second: Game, same_board: bool, forms: Sequence[Mapping[Key, NormalForm]]
) -> Iterator[Row]:
    """A row for each objective that only one ruleset has or whose boards differ, with a smallest board that shows it. Objectives
    on different boards are about different things: whether they mean the same is undecided.
    """
    from pwtool.comparing.row import Row

    a, b = first.ruleset.objectives, second.ruleset.objectives
    items = first.ruleset.merged.items, second.ruleset.merged.items
    for name in dict.fromkeys([*a, *b]):
        key = ("objective", name)
        texts = (words_of(items[0].get(key)), words_of(items[1].get(key)))
        if name not in a or name not in b:
            status = "only_second" if name not in a else "only_first"
            yield Row("objective", name, "semantic", status, "", *texts)
        elif forms[0][key] != forms[1][key]:
            if same_board:
                yield _judged(first, second, name, texts)
            elif items[0].get(key) != items[1].get(key):
                yield Row("objective", name, "semantic", "undecided", "", *texts, Told("the boards are not the same"))
        elif items[0].get(key) != items[1].get(key):
            yield Row("objective", name, "wording", "reworded", "", *texts, Told("the same form"))


def _judged(first: Game, second: Game, name: str, texts: tuple[str, str]) -> Row:
    from pwtool.comparing.row import Row, proven

    sides = {"first": first.ruleset.objectives[name], "second": second.ruleset.objectives[name]}
    try:
        analysis = Analysis(first, sides)
        if not _has_same_things(first, second):
            return _shown_by_what_both_have(first, second, name, texts, analysis)
        if analysis.relation("first", "second").kind == "same":
            return Row("objective", name, "wording", "reworded", "", *texts, Told("all boards"))
        boards = [analysis.smallest({"first": here, "second": not here}) for here in (True, False)]
        never = [which for which in sides if not analysis.exists({which: True})]
    except (Unsupported, TooLarge) as found:
        reason = found.reason if isinstance(found, Unsupported) else Told("too many boards to go through")
        return Row("objective", name, "semantic", "undecided", "", *texts, reason)
    known = {which: board for which, board in zip(sides, boards, strict=True) if board is not None}
    games, arising = (first, second), dict[str, Board]()
    decks = decks_of(games, analysis.encoding.component)
    wanted = {which: {side: side == which for side in sides} for which in known}
    for which, board in known.items():
        tried = _boards(decks, analysis, board, wanted[which])
        allowed = (b for b in tried if any(_is_allowed(game, analysis, b) for game in games))
        if (found_there := next(allowed, None)) is not None:
            arising[which] = found_there
    possible = {which for which in known if which in arising or not _is_beyond(decks, analysis, wanted[which])}
    gone_through = Told("all boards") if len(possible) == len(known) else Told("all boards that the decks allow")
    if not possible:
        return Row("objective", name, "wording", "no_effect", "", *texts, gone_through)
    if not arising:
        drawn = _drawn(analysis, next(iter(known.values())))
        reason = Told("they differ on boards such as {board}, which cannot arise", board=f"`{drawn}`")
        return Row("objective", name, "semantic", "undecided", "", *texts, reason)
    # An objective that no board fulfils implies everything; the boards show the direction, even if the relation has another name.
    direction = "incomparable" if len(possible) > 1 else "stricter" if "first" in possible else "permissive"
    if len(arising) < len(possible):
        # Whether it goes that way too, nobody knows.
        direction = ""
    proof = proven(gone_through, *(_NEVER[which] for which in never))
    shown = [Told(_SHOWN[which], board=_drawn(analysis, board)) for which, board in arising.items()]
    return Row(
        "objective", name, "semantic", "different", direction, *texts, proof, Told("{parts}", parts=Listed(shown))
    )


def _things(game: Game) -> ComponentModel | None:
    """What lies on the board; None if that has no faces."""
    board = game.ruleset.board
    return None if board is None else game.ruleset.components.get(board.element.component)


def _has_same_things(first: Game, second: Game) -> bool:
    a, b = _things(first), _things(second)
    if a is None or b is None:
        return True
    return a.numbers.keys() == b.numbers.keys() and _values(a, a.codes) == _values(b, a.codes)


def _values(component: ComponentModel, codes: Sequence[str]) -> dict[str, list[object]]:
    """What each attribute says of the things with these codes."""
    faces = [component.numbers[code] for code in codes]
    return {name: [x.table[face] for face in faces] for name, x in component.attributes.items()}


def _shown_by_what_both_have(first: Game, second: Game, name: str, texts: tuple[str, str], analysis: Analysis) -> Row:
    """The row of an objective where the two games have not the same things: boards of those that both have can show that it differs,
    nothing shows that it is the same.
    """
    from pwtool.comparing.row import Row

    a, b = _things(first), _things(second)
    assert a is not None and b is not None
    both = [code for code in a.codes if code in b.numbers]
    shown: dict[str, Board] = {}
    if both and _values(a, both) == _values(b, both):
        decks = decks_of([first], a)
        for which, deck in product(("first", "second"), decks):
            cards = {face: MANY if deck is None else deck[face] for face in (a.numbers[code] for code in both)}
            board = analysis.dealt_board({side: side == which for side in ("first", "second")}, cards)
            if board is not None and _is_allowed(first, analysis, board):
                shown[which] = board
    if not shown:
        return Row("objective", name, "semantic", "undecided", "", *texts, Told("the boards are not the same"))
    told = [Told(_SHOWN[which], board=_drawn(analysis, board)) for which, board in shown.items()]
    direction = "incomparable" if len(shown) > 1 else ""
    proof = Told("boards of what both have")
    return Row(
        "objective", name, "semantic", "different", direction, *texts, proof, Told("{parts}", parts=Listed(told))
    )


def _boards(decks: Decks, analysis: Analysis, smallest: Board, wanted: dict[str, bool]) -> Iterator[Board]:
    """Boards with these verdicts that may arise: the smallest one, mostly with the same card several times, then one that the cards
    in the game allow, and such a connected one, as what lies on a floating board mostly has to be in one piece.
    """
    yield smallest
    for connected in (False, True):
        for deck in decks:
            try:
                if deck is not None:
                    found = analysis.dealt_board(wanted, deck, connected)
                else:
                    found = analysis.smallest(wanted, connected=connected)
            except TooLarge:
                found = _exchanged(analysis, decks, smallest, wanted, connected)
            if found is not None:
                yield found


def _is_beyond(decks: Decks, analysis: Analysis, wanted: dict[str, bool]) -> bool:
    """Whether it is known that the cards in the game allow no board with these verdicts."""
    try:
        return all(deck is not None and analysis.dealt_board(wanted, deck) is None for deck in decks)
    except TooLarge:
        return False


def _exchanged(
    analysis: Analysis, decks: Decks, smallest: Board, wanted: dict[str, bool], connected: bool
) -> Board | None:
    """The smallest board with other cards in the place of those that are in no deck so often; None if none was found."""
    try:
        board = analysis.smallest(wanted, connected=True) if connected else smallest
    except TooLarge:
        return None
    space = analysis.space
    while board is not None and (beyond := _lacking(analysis, decks, board)):
        others = (
            (*board[:cell], v, *board[cell + 1 :])
            for cell, held in enumerate(board)
            for v, cards in enumerate(space.values)
            if held != v and cards and len(cards) == len(space.values[held])
        )
        fewer = (b for b in islice(others, MOST_TRIED) if _lacking(analysis, decks, b) < beyond)
        board = next((b for b in fewer if analysis.has(space.grid(b), wanted)), None)
    return board


def _lacking(analysis: Analysis, decks: Decks, board: Board) -> int:
    """How many cards of a board none of these decks has."""
    return lacking(analysis.encoding.component, decks, analysis.space.grid(board)).total()


def _is_allowed(game: Game, analysis: Analysis, board: Board) -> bool:
    """Whether a deck has the cards of a board, and what always holds may hold of it."""
    decks = decks_of([game], analysis.encoding.component)
    return not _lacking(analysis, decks, board) and not broken_by(game, analysis.space.grid(board))


_NEVER = {
    "first": Told("the first can never be fulfilled"), "second": Told("the second can never be fulfilled")
}  # fmt: skip
_SHOWN = {"first": mark("first {board}"), "second": mark("second {board}")}


def _drawn(analysis: Analysis, board: Board) -> str:
    """A board as written in examples."""
    zone, codes = analysis.game.ruleset.board, analysis.encoding.component.codes
    assert zone is not None
    grid = analysis.space.grid(board)
    rows = [
        " ".join("+".join(codes[f] for f in grid[x, y]) if (x, y) in grid else "." for x in range(zone.width))
        for y in range(zone.height)
    ]
    return f"[ {' / '.join(rows)} ]"
