"""A record's own result against the computed one."""

from __future__ import annotations

from collections.abc import Iterator

from pwtool.eval.kleene import is_unknown
from pwtool.play import facts
from pwtool.play.finding import Finding
from pwtool.play.game import Game
from pwtool.play.play import Play
from pwtool.play.record import Record
from pwtool.play.score import Result


def check_outcome(game: Game, play: Play, record: Record, result: Result) -> list[Finding]:
    """Compare scores, score lines, ranking and the end of the game, as far as the record gives them."""
    if not play.over:
        return [_not_over(game, play)]
    return [*_scores(record, result), *_ranking(record, result), *_end(game, play, record)]


def _not_over(game: Game, play: Play) -> Finding:
    endings = game.ruleset.endings
    if play.unsure is not None:
        ending = endings[play.unsure[0]].name
        return Finding("PW611", ("result",), ending, facts.PerhapsNotOver(ending), play.unsure[1])
    ending = endings[play.trigger[0] if play.trigger else 0].name
    return Finding("PW607", ("result",), ending, facts.NotOver(play.left))


def _scores(record: Record, result: Result) -> Iterator[Finding]:
    outcome, names = record.outcome, record.players
    assert outcome is not None
    for player, lines in sorted((outcome.parts or {}).items()):
        for line, computed in result.parts[player].items():
            given = lines.get(line)
            if given is not None and not is_unknown(computed) and computed != given:
                fact = facts.WrongLine(line, player, computed, given)
                yield Finding("PW608", ("result", "parts", names[player], line), f"score.{line}", fact, player=player)
    for player, total in sorted((outcome.scores or {}).items()):
        computed, path = result.totals[player], ("result", "scores", names[player])
        if is_unknown(computed):
            yield Finding("PW611", path, "score", facts.UnknownTotal(player, computed), player=player)
        elif computed != total:
            wrong = facts.WrongTotal(player, computed, total, tuple(result.parts[player].items()))
            yield Finding("PW608", path, "score", wrong, player=player)


def _ranking(record: Record, result: Result) -> Iterator[Finding]:
    assert record.outcome is not None
    given, right = record.outcome.ranking, result.ranking
    if given is None or right is None or [sorted(group) for group in given] == [sorted(group) for group in right]:
        return
    fact = facts.WrongRanking(tuple(map(tuple, right)), tuple(result.totals))
    yield Finding("PW608", ("result", "ranking"), "ranking", fact)


def _end(game: Game, play: Play, record: Record) -> Iterator[Finding]:
    outcome = record.outcome
    if play.trigger is None or outcome is None:
        return
    ending, turn = game.ruleset.endings[play.trigger[0]].name, play.trigger[1]
    if outcome.ending is not None and outcome.ending != ending:
        yield Finding("PW608", ("result", "end", "rule"), ending, facts.WrongEnding(ending))
    if outcome.ending_turn is not None and outcome.ending_turn != turn:
        yield Finding("PW608", ("result", "end", "turn"), ending, facts.WrongEndTurn(turn, outcome.ending_turn))
