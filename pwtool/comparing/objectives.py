"""Comparing the objectives of two rulesets through their circuits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pwtool.boards.diagrams import TooLarge
from pwtool.boards.proofs import Analysis, position_with
from pwtool.boards.search import Board
from pwtool.boards.symbols import Unsupported
from pwtool.comparing.forms import NormalForm
from pwtool.comparing.words import words_of
from pwtool.kernel.material import material_of
from pwtool.lang.merged import Key
from pwtool.play.game import Game
from pwtool.play.position import check_invariant
from pwtool.text.speech import Listed, Told, mark

if TYPE_CHECKING:
    from pwtool.comparing.row import Row


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
        if analysis.relation("first", "second").kind == "same":
            return Row("objective", name, "wording", "reworded", "", *texts, Told("all boards"))
        boards = [analysis.smallest({"first": here, "second": not here}) for here in (True, False)]
        never = [which for which in sides if not analysis.exists({which: True})]
    except (Unsupported, TooLarge) as found:
        reason = found.reason if isinstance(found, Unsupported) else Told("too many boards to go through")
        return Row("objective", name, "semantic", "undecided", "", *texts, reason)
    known = {which: board for which, board in zip(sides, boards, strict=True) if board is not None}
    arising: dict[str, Board] = {}
    for which, board in known.items():
        wanted = {side: side == which for side in sides}
        found_there = _arising((first, second), analysis, board, wanted)
        if found_there is None and (joined := _connected(analysis, wanted)) is not None:
            # What lies on a floating board mostly has to be in one piece.
            found_there = _arising((first, second), analysis, joined, wanted)
        if found_there is not None:
            arising[which] = found_there
    if not arising:
        drawn = _drawn(analysis, next(iter(known.values())))
        reason = Told("they differ on boards such as {board}, which cannot arise", board=f"`{drawn}`")
        return Row("objective", name, "semantic", "undecided", "", *texts, reason)
    # An objective that no board fulfils implies everything; the boards show the direction, even if the relation has another name.
    direction = "incomparable" if len(known) > 1 else "stricter" if "first" in known else "permissive"
    if len(arising) < len(known):
        # Whether it goes that way too, nobody knows.
        direction = ""
    proof = proven(Told("all boards"), *(_NEVER[which] for which in never))
    shown = [Told(_SHOWN[which], board=_drawn(analysis, board)) for which, board in arising.items()]
    return Row(
        "objective", name, "semantic", "different", direction, *texts, proof, Told("{parts}", parts=Listed(shown))
    )


def _connected(analysis: Analysis, wanted: dict[str, bool]) -> Board | None:
    try:
        return analysis.smallest(wanted, connected=True)
    except TooLarge:
        return None


def _arising(games: Sequence[Game], analysis: Analysis, board: Board, wanted: dict[str, bool]) -> Board | None:
    """A board with these verdicts that can arise in one of the games: this one, or one with other cards in the place of those that
    are in no deck so often. The smallest boards mostly have the same card several times. None if none was found.
    """
    space = analysis.space
    while lacking := min(_lacking(game, analysis, board) for game in games):
        others = (
            (*board[:cell], v, *board[cell + 1 :])
            for cell, held in enumerate(board)
            for v, cards in enumerate(space.values)
            if held != v and cards and len(cards) == len(space.values[held])
        )
        fewer = (b for b in others if min(_lacking(game, analysis, b) for game in games) < lacking)
        found = next((b for b in fewer if analysis.has(space.grid(b), wanted)), None)
        if found is None:
            return None
        board = found
    return board if any(_is_allowed(game, analysis, board) for game in games) else None


def _lacking(game: Game, analysis: Analysis, board: Board) -> int:
    """How many cards of a board no deck has, whatever the number of players."""
    ruleset, component = game.ruleset, analysis.encoding.component
    lying = Counter(component.at_first(face) for pile in analysis.space.grid(board).values() for face in pile)
    players = range(ruleset.min_players, ruleset.max_players + 1)
    found = [material_of(ruleset, component.name, n, len(ruleset.objectives)) for n in players]
    return min(0 if there is None else (lying - there.whole - there.partly).total() for there in found)


def _is_allowed(game: Game, analysis: Analysis, board: Board) -> bool:
    """Whether a deck has the cards of a board, and what always holds of a player's board may hold of it."""
    ruleset = game.ruleset
    assert ruleset.board is not None
    if _lacking(game, analysis, board):
        return False
    grid = analysis.space.grid(board)
    state = position_with(game, grid)
    state.zones[ruleset.board.number][0] = grid
    others = [name for name in ruleset.zones if name != ruleset.board.name]
    names = [f"P{seat}" for seat in range(state.players)]
    asked = (invariant for invariant in ruleset.invariants if invariant.each_player and not invariant.between)
    findings = (f for one in asked for f in check_invariant(game, one, state, names, others, 0))
    return all(finding.undetermined for finding in findings)


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
