"""Comparing a record's own result with the computed one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pwtool.eval.kleene import Between, OneOf, is_unknown
from pwtool.play import facts
from pwtool.play.finding import Finding
from pwtool.play.game import Game
from pwtool.play.play import Play
from pwtool.play.record import Outcome, Record
from pwtool.play.score import Result, may_rank

MAX_NUMBERS = 6
"""Up to this many possible numbers are listed individually."""


def check_outcome(game: Game, play: Play, record: Record, result: Result, over: bool | None) -> list[Finding]:
    """Compare scores, score lines, ranking and the end of the game, as far as they are recorded. If unseen cards leave
    something open, it is compared with its bounds, and with every filling if there are few. `over`: whether the game is
    over, None if unknown.
    """
    assert record.outcome is not None
    if over is False:
        return [_not_over(game, play, record.outcome)]
    wrong = [*_scores(record, result), *_ranking(record, result), *_end(record.outcome, result)]
    if wrong:
        return wrong
    if result.possible and not any(_gives(r, record.outcome) for r in result.possible):
        return [Finding("PW608", ("result",), "score", facts.NoFilling(len(result.possible)))]
    return [_perhaps_over(game, play)] if over is None else _open(record, result)


def _perhaps_over(game: Game, play: Play) -> Finding:
    number, turn = play.unsure[0]
    ending = game.ruleset.endings[number].name
    return Finding("PW611", ("result",), ending, facts.PerhapsNotOver(ending), turn)


def _not_over(game: Game, play: Play, outcome: Outcome | None) -> Finding:
    """The finding is about the ending that was triggered, or else the recorded one."""
    endings = game.ruleset.endings
    claimed = outcome.ending if outcome is not None else None
    ending = endings[play.trigger[0]].name if play.trigger else claimed or endings[0].name
    return Finding("PW607", ("result",), ending, facts.NotOver(play.left))


def _scores(record: Record, result: Result) -> Iterator[Finding]:
    outcome, names = record.outcome, record.players
    assert outcome is not None
    for player, lines in sorted((outcome.parts or {}).items()):
        for line, computed in result.parts[player].items():
            given = lines.get(line)
            possible = [r.parts[player][line] for r in result.possible or ()]
            if given is not None and not _may_be(given, computed, possible):
                fact = facts.WrongLine(line, player, _right(computed, possible), given)
                yield Finding("PW608", ("result", "parts", names[player], line), f"score.{line}", fact, player=player)
    for player, total in sorted((outcome.scores or {}).items()):
        computed, path = result.totals[player], ("result", "scores", names[player])
        possible = [r.totals[player] for r in result.possible or ()]
        if not _may_be(total, computed, possible):
            lines_of = tuple(result.parts[player].items())
            wrong = facts.WrongTotal(player, _right(computed, possible), total, lines_of)
            yield Finding("PW608", path, "score", wrong, player=player)


def _may_be(given: int, computed: Any, possible: list[int]) -> bool:
    """Whether a recorded number is possible: it is the computed one, within its bounds, or from some filling."""
    if possible:
        return given in possible
    if isinstance(computed, Between):
        return computed.low <= given <= computed.high
    return is_unknown(computed) or computed == given


def _right(computed: Any, possible: list[int]) -> Any:
    """The possible values of a number: a list if they are few and have gaps, otherwise bounds."""
    numbers = set(possible)
    if len(numbers) < 2 or len(numbers) > MAX_NUMBERS or max(numbers) - min(numbers) < len(numbers):
        return computed
    return OneOf(frozenset(numbers))


def _ranking(record: Record, result: Result) -> Iterator[Finding]:
    assert record.outcome is not None
    given = record.outcome.ranking
    if given is None:
        return
    if result.possible:
        right = any(_ranks(given) == _ranks(r.ranking or []) for r in result.possible)
    elif result.ranking is None:
        right = may_rank(result.keys, given)
    else:
        right = _ranks(given) == _ranks(result.ranking)
    if not right:
        ranked = None if result.ranking is None else tuple(map(tuple, result.ranking))
        endings = {name for name, _ in result.ended}
        fact = facts.WrongRanking(ranked, tuple(result.totals), endings.pop() if len(endings) == 1 else None)
        yield Finding("PW608", ("result", "ranking"), "ranking", fact)


def _ranks(ranking: list[list[int]]) -> list[list[int]]:
    return [sorted(group) for group in ranking]


def _open(record: Record, result: Result) -> list[Finding]:
    """The recorded parts of the result that unseen cards leave open."""
    outcome, names = record.outcome, record.players
    assert outcome is not None
    found = [
        Finding("PW611", ("result", "scores", names[p]), "score", facts.UnknownTotal(p, result.totals[p]), player=p)
        for p in sorted(outcome.scores or {})
        if is_unknown(result.totals[p])
    ]
    if found:
        return found
    found += [
        Finding(
            "PW611",
            ("result", "parts", names[p], line),
            f"score.{line}",
            facts.UnknownLine(line, p, computed),
            player=p,
        )
        for p, lines in sorted((outcome.parts or {}).items())
        for line, computed in result.parts[p].items()
        if lines.get(line) is not None and is_unknown(computed)
    ]
    if not found and outcome.ranking is not None and result.ranking is None:
        found.append(Finding("PW611", ("result", "ranking"), "ranking", facts.UnknownRanking(tuple(result.totals))))
    endings = set(result.ended)
    if not found and (outcome.ending or outcome.ending_turn) and len(endings) > 1:
        names_of = tuple(sorted({name for name, _ in endings}))
        found.append(Finding("PW611", ("result", "end"), names_of[0], facts.UnknownEnding(names_of)))
    return found


def _gives(result: Result, outcome: Outcome) -> bool:
    """Whether a known result agrees with everything that a record says about it."""
    if outcome.ranking is not None and _ranks(outcome.ranking) != _ranks(result.ranking or []):
        return False
    if result.ended and not any(_names(outcome, ended) for ended in result.ended):
        return False
    if any(result.totals[p] != total for p, total in (outcome.scores or {}).items()):
        return False
    return all(
        result.parts[p].get(line, given) == given
        for p, lines in (outcome.parts or {}).items()
        for line, given in lines.items()
        if given is not None
    )


def _names(outcome: Outcome, ended: tuple[str, int]) -> bool:
    """Whether a record may mean this ending in this turn."""
    return outcome.ending in (None, ended[0]) and outcome.ending_turn in (None, ended[1])


def _end(outcome: Outcome, result: Result) -> Iterator[Finding]:
    endings = set(result.ended)
    if not endings or any(_names(outcome, ended) for ended in endings):
        return
    right = sorted({name for name, _ in endings})
    if outcome.ending is not None and outcome.ending not in right:
        yield Finding("PW608", ("result", "end", "rule"), right[0], facts.WrongEnding(tuple(right), outcome.ending))
    else:
        right = sorted({name for name, _ in endings if outcome.ending in (None, name)})
    turns = tuple(sorted({turn for name, turn in endings if name in right}))
    if outcome.ending_turn is not None and outcome.ending_turn not in turns:
        yield Finding("PW608", ("result", "end", "turn"), right[0], facts.WrongEndTurn(turns, outcome.ending_turn))
