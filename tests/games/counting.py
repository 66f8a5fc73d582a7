"""How many ways a game can go: the number of legal sequences of actions, depth by depth ("perft" in chess programs)."""

from __future__ import annotations

from pwtool.play.play import Play


def count_sequences(play: Play, depth: int) -> list[int]:
    """The numbers of legal sequences of 1, 2, ... `depth` actions from a position at the beginning of a turn.

    Where a turn may end, going on and leaving it to the next player are different sequences; a game that is over is
    continued by nothing.
    """
    counts = [0] * depth
    start = play.copy()
    start.begin_turn(start.next_player())
    _count(start, depth, counts, began=False)
    return counts


def _count(play: Play, left: int, counts: list[int], began: bool) -> None:
    if left == 0:
        return
    if not play.over:
        actions = play.legal_actions()
        counts[-left] += len(actions)
        if left > 1:
            for action in actions:
                following = play.copy()
                following.do(*action)
                _count(following, left - 1, counts, began=True)
    if began and play.may_end_turn():
        following = play.copy()
        following.derive_consequences()
        following.end_turn()
        if not following.over:
            following.begin_turn(following.next_player())
            _count(following, left, counts, began=False)
