"""The summary of a run in a few lines."""

from __future__ import annotations

from collections import Counter

from pwtool.checking.report import Verdict
from pwtool.checking.statistics import Statistics
from pwtool.text.speech import Speech, mark, mark_many
from pwtool.text.words import aligned

MOST = 20
"""The number of rules listed."""
WORDS = {
    Verdict.CLEAN: mark("clean"), Verdict.FINDINGS: mark("refused"), Verdict.UNDETERMINED: mark("undetermined"),
    Verdict.UNREADABLE: mark("unreadable"),
}  # fmt: skip
_SHARES = {
    Verdict.CLEAN: mark_many("{games} clean ({share})", "{games} clean ({share})"),
    Verdict.FINDINGS: mark_many("{games} refused ({share})", "{games} refused ({share})"),
    Verdict.UNDETERMINED: mark_many("{games} undetermined ({share})", "{games} undetermined ({share})"),
    Verdict.UNREADABLE: mark_many("{games} unreadable ({share})", "{games} unreadable ({share})"),
}


def statistics_lines(found: Statistics, speech: Speech, engine: bool = True) -> list[str]:
    """Verdicts by ruleset and number of players, the rules that refuse most games, and what the `engine` judged."""
    lines = [speech.many("{count} document", "{count} documents", found.documents)]
    for address, counts in sorted(found.verdicts.items()):
        under = address or speech.say("without a ruleset")
        lines.append("  " + speech.say("{head}: {text}", head=under, text=_shares(counts, speech)))
        seats = {n: games for n, games in sorted(found.players[address].items()) if n}
        if len(seats) > 1:
            lines.append(
                "    "
                + ", ".join(
                    speech.many(
                        "{games} with {count} player", "{games} with {count} players", n, games=speech.number(g)
                    )
                    for n, g in seats.items()
                )
            )
    if found.rules:
        lines += ["", speech.say("Findings, by the number of games"), *_rule_lines(found, speech)]
        if found.unexplained:
            lines.append(
                "  "
                + speech.many(
                    "of {games} game only the first refusal is counted",
                    "of {games} games only the first refusal is counted",
                    found.unexplained, games=speech.number(found.unexplained),
                )
            )  # fmt: skip
    if engine and found.engine:
        share = speech.share(sum(found.engine.values()), sum(map(Counter.total, found.verdicts.values())))
        reasons = (speech.headed(speech.say(why), speech.number(games)) for why, games in found.engine.most_common())
        why = speech.say("; ").join(reasons)
        lines += ["", speech.say("{share} judged by the engine: {why}", share=share, why=why)]
    return lines


def _shares(counts: Counter[str], speech: Speech) -> str:
    whole = counts.total()
    return ", ".join(
        speech.many(
            *said, counts[verdict], games=speech.number(counts[verdict]), share=speech.share(counts[verdict], whole)
        )
        for verdict, said in _SHARES.items()
        if counts[verdict]
    )


def _rule_lines(found: Statistics, speech: Speech) -> list[str]:
    ordered = sorted(found.rules.items(), key=lambda pair: (-pair[1].games, pair[0]))
    several = len(found.verdicts) > 1
    rows = [
        (
            f"  {speech.number(refusals.games)}",
            code,
            rule,
            speech.say("first in {file}", file=refusals.document) + (f", {refusals.where}" if refusals.where else ""),
            speech.say("under {ruleset}", ruleset=address) if several and address else "",
        )
        for (address, code, rule), refusals in ordered[:MOST]
    ]
    lines = aligned(rows)
    if len(ordered) > MOST:
        lines.append("  " + speech.many("and {count} rule more", "and {count} rules more", len(ordered) - MOST))
    return lines
