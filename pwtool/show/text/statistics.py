"""What a run comes to, in a few lines."""

from __future__ import annotations

from collections import Counter

from pwtool.checking.report import Verdict
from pwtool.checking.statistics import Statistics
from pwtool.text.words import aligned, counted

MOST = 20
"""So many rules are named."""
WORDS = {
    Verdict.CLEAN: "clean", Verdict.FINDINGS: "refused", Verdict.UNDETERMINED: "undetermined", Verdict.UNREADABLE: "unreadable",
}  # fmt: skip


def statistics_lines(found: Statistics, engine: bool = True) -> list[str]:
    """Verdicts by ruleset and number of players, the rules that refuse most games, and what the `engine` judged."""
    lines = [counted(found.documents, "document")]
    for address, counts in sorted(found.verdicts.items()):
        lines.append(f"  {address or 'without a ruleset'}: {_shares(counts)}")
        seats = {n: games for n, games in sorted(found.players[address].items()) if n}
        if len(seats) > 1:
            lines.append("    " + ", ".join(f"{games:,} with {n} players" for n, games in seats.items()))
    if found.rules:
        lines += ["", "Findings, by the number of games", *_rule_lines(found)]
    if engine and found.engine:
        share = sum(found.engine.values()) / max(1, sum(map(Counter.total, found.verdicts.values())))
        why = ", ".join(f"{games:,} {reason}" for reason, games in found.engine.most_common())
        lines += ["", f"{share:.1%} judged by the engine: {why}"]
    return lines


def _shares(counts: Counter[str]) -> str:
    whole = counts.total()
    return ", ".join(
        f"{counts[verdict]:,} {word} ({counts[verdict] / whole:.1%})"
        for verdict, word in WORDS.items()
        if counts[verdict]
    )


def _rule_lines(found: Statistics) -> list[str]:
    ordered = sorted(found.rules.items(), key=lambda pair: (-pair[1].games, pair[0]))
    several = len(found.verdicts) > 1
    rows = [
        (
            f"  {refusals.games:,}",
            code,
            rule,
            f"first in {refusals.document}" + (f", {refusals.where}" if refusals.where else ""),
            f"under {address}" if several and address else "",
        )
        for (address, code, rule), refusals in ordered[:MOST]
    ]
    lines = aligned(rows)
    if len(ordered) > MOST:
        lines.append(f"  and {counted(len(ordered) - MOST, 'rule')} more")
    return lines
