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
    arising = {which: b for which, b in known.items() if not all(_excluded(g, analysis, b) for g in (first, second))}
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


def _excluded(game: Game, analysis: Analysis, board: Board) -> bool:
    """Whether no deck has the cards of a board, or what always holds of a player's board does not hold of it."""
    ruleset, zone, component = game.ruleset, analysis.game.ruleset.board, analysis.encoding.component
    assert zone is not None and ruleset.board is not None
    grid = analysis.space.grid(board)
    lying = Counter(component.at_first(face) for pile in grid.values() for face in pile)
    players = range(ruleset.min_players, ruleset.max_players + 1)
    found = [material_of(ruleset, component.name, n, len(ruleset.objectives)) for n in players]
    if all(there is not None and lying - there.whole - there.partly for there in found):
        return True
    state = position_with(game, grid)
    state.zones[ruleset.board.number][0] = grid
    others = [name for name in ruleset.zones if name != ruleset.board.name]
    names = [f"P{seat}" for seat in range(state.players)]
    asked = (invariant for invariant in ruleset.invariants if invariant.each_player and not invariant.between)
    findings = (f for one in asked for f in check_invariant(game, one, state, names, others, 0))
    return any(not finding.undetermined for finding in findings)


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
