"""Small changes of each classic, old words and new ones, that play differently."""

from __future__ import annotations

MUTANTS: dict[str, list[tuple[str, str]]] = {
    "tic_tac_toe": [
        ("when some line of 3 on board: same side", "when some [ # # # ] turned on board: same side"),
        ("require board[at] is empty", "require board[at] is empty or count board > 7"),
        ("when board is full", "when count board >= 8"),
    ],
    "connect_four": [
        ("c.row > at.row and board[c] is empty", "c.row > at.row + 1 and board[c] is empty"),
        ("when some line of 4 on board: same color", "when some [ # # # # ] turned on board: same color"),
        ("some line of 4 on board: all owner == player", "some line of 4 on board: all owner == other player"),
    ],
    "gomoku": [
        ("when some line of 5 on board: same color", "when some [ # # # # # ] turned on board: same color"),
        ("some line of 5 on board: all owner == player", "some line of 4 on board: all owner == player"),
        ("require board[at] is empty", "require board[at] is empty and at.row + at.column < 28"),
    ],
    "breakthrough": [
        ("target.column >= start.column - 1 and", "target.column >= start.column and"),
        ("when target.column == start.column\n    require board[target] is empty", "require not board[target] belongs to player"),
        ("white: 0", "white: 1"),
    ],
    "kuhn_poker": [
        ("passes == 2 and", "passes == 1 and"),
        ("folded != player else", "folded == player else"),
        ("then stake[other player] else", "then stake + 1 else"),
    ],
    "othello": [
        ("some d in all directions: encloses(at, d, player)", "some d in directions: encloses(at, d, player)"),
        ("when ends_own(at, d, player)", "when ends_own(at, d, player) and c.row > 0"),
        ("require not can lay", "require not can lay or count board == 63"),
    ],
    "amazons": [
        ("target is in cells from start towards all directions", "target is in cells from start towards directions"),
        ("when stuck(other player)", "when stuck(player)"),
        ("require open_way(archer, target)", "require board[target] is empty"),
    ],
    "mancala": [
        ("count pits[place] == 1 and", "count pits[place] == 2 and"),
        ("(if own(place) then other_start else own_start)", "own_start"),
        ("require not sown or stored", "require not sown or not stored"),
    ],
    "checkers": [
        ("require goes(start, over - start)", "require goes(start, start - over)"),
        ("turn board[target] to king when crowned", ""),
        ("require jumper == none or crowned or", "require jumper != none or crowned or"),
        ("is_free(c + 2 * d))", "is_free(c + d))"),
    ],
    "nine_mens_morris": [
        ('"a7 a4 a1"', '"a7 a4"'),
        ("some line of 3 through c on board", "some line of 3 on board"),
        ("men_of(player) == 3 or target", "men_of(player) == 4 or target"),
        ("or (every c in cells of board where is_of(c, other player): in_mill(c, other player))", ""),
        ("count stock[q] + count (c in cells", "count (c in cells"),
    ],
    "crazy_eights": [
        ("draws < 5", "draws < 4"),
        ("card.suit == wanted", "card.suit == (top of pile).suit"),
        ("require draws == 5 or stock is empty", "require draws >= 4 or stock is empty"),
        ("called = none passed = 0", "passed = 0"),
    ],
    "pig": [
        ("done = die == 1", "done = die == 2"),
        ("points[q] >= 100", "points[q] > 100"),
        ("points += brought", "points += brought + 1"),
    ],
    "liars_dice": [
        ("dice > dice_bid or", "dice >= dice_bid or"),
        ("or die[q] == 6", ""),
        ("bidder = player", "bidder = player after player"),
    ],
    "leduc_poker": [
        ("raises < 2", "raises < 1"),
        ("if board is empty then 2 else 4", "if board is empty then 4 else 2"),
        ("then seat 1 else other player", "then other player else seat 1"),
        ("then 10 else 0", "then 0 else 0"),
    ],
    "go": [
        ("l != at and board[l] is empty", "board[l] is empty"),
        ("passes == 2", "passes == 1"),
        ("board[c] is empty or is_of(c, player)", "is_of(c, player)"),
    ],
    "chess": [
        ("and corner(tower) and tower is not in touched", "and corner(tower)"),
        ("b is in neighbours of a diagonally and (board[b] is not empty or b == passed)", "b is in neighbours of a diagonally and board[b] is not empty"),
        ("require not attacked((place + (side, 0) else place), other player)", "require board[tower] is not empty"),
        ("(some d in diagonals: slides(met(c, d), q, bishop))", "(some d in diagonals: is_kind(met(c, d), q, bishop))"),
    ],
    "hex": [
        ("then n.row else n.column", "then n.column else n.row"),
        ("reaches(0) and reaches(10)", "reaches(1) and reaches(10)"),
        ("hex grid 11x11", "grid 11x11"),
    ],
    "hearts": [
        ("card.suit != hearts or broken or", "card.suit != hearts or"),
        ("points(card) == 0 or (every c in hand: points(c) > 0)", "card.suit != hearts or (every c in hand: points(c) > 0)"),
        ("if direction == left then next(player) else", "if direction == right then next(player) else"),
        ("rank == queen then 13", "rank == queen then 12"),
    ],
    "nim": [
        ("number <= count heaps[heap]", "number < count heaps[heap] or number == 1 and heaps[heap] is not empty"),
        ("count { taker == player }", "count { taker != player }"),
        ("move number of heaps[heap]", "move 1 of heaps[heap]"),
    ],
    "dots_and_boxes": [
        (
            "for each c in neighbours of at: move top of pencil to board[c] when closed(c, at)",
            "move top of pencil to board[(first c in neighbours of at: closed(c, at) else at)] when closes",
        ),
        ("done = not closes", "done = true"),
        ("every n in neighbours of c: n == at or", "some n in neighbours of c: n == at or"),
    ],
}  # fmt: skip
