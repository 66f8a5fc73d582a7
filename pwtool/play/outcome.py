"""A record's own result against the computed one."""

from __future__ import annotations

from pwtool.eval.kleene import is_unknown
from pwtool.play.finding import Finding
from pwtool.play.game import Game
from pwtool.play.play import Play
from pwtool.play.record import Record
from pwtool.play.score import Result


def check_outcome(game: Game, play: Play, record: Record, result: Result) -> list[Finding]:
    """Compare scores, score lines, ranking and the end of the game, as far as the record gives them."""
    outcome = record.outcome
    assert outcome is not None
    if not play.over and play.unsure is not None:
        perhaps = game.ruleset.endings[play.unsure[0]].name
        message = f"whether the game is over cannot be known: `{perhaps}` may have been reached"
        return [Finding("PW611", message, ("result",), perhaps, turn=play.unsure[1])]
    if not play.over:
        message = "the record gives a result although the game is not over"
        notes = (f"{play.left} turns are left to play",) if play.left else ("no ending is triggered",)
        rule = game.ruleset.endings[play.trigger[0]].name if play.trigger else game.ruleset.endings[0].name
        return [Finding("PW607", message, ("result",), rule, notes=notes)]
    findings: list[Finding] = []
    names = record.players
    for player, lines in sorted((outcome.parts or {}).items()):
        for line, computed in result.parts[player].items():
            value = lines.get(line)
            if value is not None and not is_unknown(computed) and computed != value:
                message = f"{line} of {names[player]} is {computed}, not {value}"
                findings.append(
                    Finding("PW608", message, ("result", "parts", names[player], line), f"score.{line}", player=player)
                )
    for player, total in sorted((outcome.scores or {}).items()):
        computed = result.totals[player]
        if is_unknown(computed):
            message = f"the score of {names[player]} cannot be known, it is {computed}"
            findings.append(Finding("PW611", message, ("result", "scores", names[player]), "score", player=player))
        elif computed != total:
            values = tuple((line, str(value)) for line, value in result.parts[player].items())
            message = f"{names[player]} has {computed} points, not {total}"
            findings.append(
                Finding("PW608", message, ("result", "scores", names[player]), "score", values=values, player=player)
            )
    if outcome.ranking is not None and result.ranking is not None:
        recorded = [sorted(group) for group in outcome.ranking]
        if recorded != [sorted(group) for group in result.ranking]:
            right = ", then ".join(" and ".join(names[p] for p in group) for group in result.ranking)
            values = tuple((names[p], str(total)) for p, total in enumerate(result.totals))
            findings.append(
                Finding("PW608", f"the ranking is {right}", ("result", "ranking"), "ranking", values=values)
            )
    if play.trigger is not None:
        ending = game.ruleset.endings[play.trigger[0]].name
        if outcome.ending is not None and outcome.ending != ending:
            findings.append(Finding("PW608", f"the game ends by `{ending}`", ("result", "end", "rule"), ending))
        if outcome.ending_turn is not None and outcome.ending_turn != play.trigger[1]:
            message = f"the end is triggered in turn {play.trigger[1]}, not {outcome.ending_turn}"
            findings.append(Finding("PW608", message, ("result", "end", "turn"), ending))
    return findings
