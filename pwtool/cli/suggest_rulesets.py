"""Games that all fail for the same reason were probably played by other rules: finds rulesets that fit."""

from __future__ import annotations

from pwtool.checking.documents import Loaded, load_document
from pwtool.checking.pieces import chosen
from pwtool.checking.statistics import Statistics
from pwtool.cli.which import fitting_counts
from pwtool.comparing.accepting import Candidates, files_below, try_rulesets
from pwtool.records.inputs import Text
from pwtool.records.ruleset_store import RulesetStore
from pwtool.text.speech import Speech

TRIED = 20
"""The number of games, from the beginning, that are tried under other rulesets."""
MANY, MOST = 10, 0.9
"""Other rulesets are tried if there are at least this many games and this share of them is refused for one reason."""


def fitting_lines(
    paths: list[str], ruleset_store: RulesetStore, found: Statistics, language: str, numbers: bool = True
) -> list[str]:
    """For each ruleset that refuses nearly all games for one reason: the reason, with `numbers` if all games were judged,
    and the rulesets that the first games fit.
    """
    lines: list[str] = []
    refusing: list[str] = []
    speech = Speech(language)
    for address, counts in found.verdicts.items():
        if not address:
            # A document that no ruleset judges is not a game that others could accept.
            continue
        games = counts.total()
        reason, refused = max(
            ((key, r.games) for key, r in found.rules.items() if key[0] == address and r.level == "error"),
            key=lambda pair: pair[1],
            default=((address, "", ""), 0),
        )
        if games >= MANY and refused >= games * MOST:
            rule = f"`{reason[2] or reason[1]}`"
            lines.append(
                speech.say(
                    "{refused} of {games} games are refused by {rule} under {ruleset}", refused=speech.number(refused),
                    games=speech.number(games), rule=rule, ruleset=address,
                ) if numbers else
                speech.say("so far {rule} refuses nearly all games under {ruleset}", rule=rule, ruleset=address)
            )  # fmt: skip
            # Its version is told beside it.
            refusing.append(address.rpartition(" ")[0])
    if lines and "-" not in paths:
        lines += _fitting(paths, ruleset_store, speech, refusing)
    return lines


def _fitting(paths: list[str], ruleset_store: RulesetStore, speech: Speech, refusing: list[str]) -> list[str]:
    # What a given rules file builds on is the game as well, wherever it lies.
    more = [file for address in refusing for file in files_below(ruleset_store, address) if file not in refusing]
    texts = [text for piece in chosen(paths, most=TRIED) for text in piece.unpacked()]
    loaded = [load_document(text.document() if isinstance(text, Text) else text) for text in texts]
    candidates: list[Candidates] = []
    for one in loaded:
        if isinstance(one, Loaded):
            # What cannot even read the first game that some can is of another game.
            without = next((c.unread for c in candidates if c.answers), frozenset[str]())
            candidates.append(try_rulesets(one, ruleset_store, more, speech.language, without))
    fits = [(address, number) for address, number in fitting_counts(candidates) if number]
    if not fits:
        return []
    told = ", ".join(
        speech.many("{count} fits {ruleset}", "{count} fit {ruleset}", number, ruleset=f"`{address}`")
        for address, number in fits[:3]
    )
    return [speech.say("of the first {tried}, {told}", tried=len(candidates), told=told)]
