"""Shrinking a game: everything that is not needed to show the difference is removed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from pwtool.play.game import Game
from pwtool.play.opening import opening
from pwtool.play.record import Move, Record, Turn
from pwtool.play.selfplay import outcome_of

Shows = Callable[[Record], bool]


def shrink(game: Game, record: Record, shows: Shows, tries: int, more: Callable[[], bool] = lambda: True) -> Record:
    """The smallest game found by evening out the setup, then leaving out turns, then actions, in at most that many tries and as
    long as there may be `more`.

    Whatever follows automatically (consequences, result) is written anew each time.
    """
    changed = True
    while changed and tries > 0:
        changed = False
        for smaller in _smaller(record, game):
            tries -= 1
            if tries <= 0 or not more():
                return record
            mended = rewrite(game, smaller)
            if mended is not None and shows(mended):
                record, changed = mended, True
                break
    return record


def _smaller(record: Record, game: Game) -> Iterator[Record]:
    yield from _evened(record)
    turns = record.turns
    each = 1 if game.ruleset.rounds else len(record.players)
    blocks = [size for size in (each * 8, each * 4, each * 2, each) if size < len(turns)]
    for size in blocks:
        for at in range(0, len(turns) - size + 1, each):
            yield replace(record, turns=turns[:at] + turns[at + size :])
    for number, turn in enumerate(turns):
        for at, move in enumerate(turn.moves):
            if not move.consequence and sum(not m.consequence for m in turn.moves) > 1:
                moves = [m for i, m in enumerate(turn.moves) if i != at]
                yield replace(record, turns=[*turns[:number], Turn(turn.player, moves), *turns[number + 1 :]])


def _evened(record: Record) -> Iterator[Record]:
    """The game from a setup whose parts are as equal as possible: what lies deep in the large ones moves below the small ones, from
    either end.
    """
    for name, parts in record.setup.items():
        sizes = [len(part) for part in parts] if parts else [0]
        if max(sizes) - min(sizes) < 2:
            continue
        least, more = divmod(sum(sizes), len(parts))
        largest = sorted(range(len(parts)), key=sizes.__getitem__, reverse=True)[:more]
        wanted = [least + (i in largest) for i in range(len(parts))]
        for end in (1, -1):
            seen = [part[::-end] for part in parts]
            deep = [face for part, size in zip(seen, wanted, strict=True) for face in part[size:]]
            evened = []
            for part, size in zip(seen, wanted, strict=True):
                kept = part[:size]
                kept += [deep.pop() for _ in range(size - len(kept))]
                evened.append(kept[::-end])
            yield replace(record, setup={**record.setup, name: evened})


def rewrite(game: Game, record: Record) -> Record | None:
    """The game with the consequences and the result that now follow; None if an action is not possible."""
    play = opening(game, record)[0]
    turns: list[Turn] = []
    for count, turn in enumerate(record.turns, 1):
        if play.over:
            return None
        play.begin_turn(play.next_player())
        if not turn.moves and count == len(record.turns) and record.outcome is None:
            # A turn that was only begun.
            turns.append(Turn(play.owner, []))
            break
        moves: list[Move] = []
        for move in turn.moves:
            if move.consequence:
                continue
            if play.over:
                return None
            # After turns were left out, it may be another seat's turn: that seat then plays what it played in its own turn.
            actor = play.owner if move.actor == turn.player else move.actor
            if not play.after(move.number, actor) or not play.is_legal(move.number, actor, move.arguments):
                return None
            play.do(move.number, actor, move.arguments)
            moves.append(replace(move, actor=actor, index=len(moves)))
        for runner, e in play.derive_consequences():
            values = tuple(e[p.slot] for p in runner.model.parameters)
            number = game.consequence_numbers[runner.model.name]
            moves.append(Move(number, values, len(moves), play.owner, consequence=True))
        turns.append(Turn(play.owner, moves))
        play.end_turn()
    outcome = outcome_of(play) if play.over and record.outcome is not None else None
    if record.outcome is not None and outcome is None:
        return None
    return replace(record, turns=turns, outcome=outcome)
