"""What was learned from games as a page for players: what they play, how sure that is, and what to agree on."""

from __future__ import annotations

from markupsafe import Markup

from pwtool.comparing.rows import compare_rulesets
from pwtool.learning import Change, Learned
from pwtool.show.html.deciding import draw_deciding
from pwtool.show.html.pages import render
from pwtool.show.html.switching import switching
from pwtool.show.text.comparing import Comparison
from pwtool.show.text.learning import (
    evidence,
    head_line,
    near_lines,
    other_lines,
    partial_lines,
    slip_lines,
    suspicion_lines,
    undetermined_lines,
    unexplained_lines,
)
from pwtool.show.text.telling import CHANGES
from pwtool.text.terminal import escape
from pwtool.why.voice import Voice, raised

MAX_PART = 80
"""The most characters of a part of a rule that is shown."""
Entry = tuple[str, list[str]]
"""A heading of a list, and what is said below it."""


def render_learned(learned: Learned, language: str = "en") -> str:
    """The page: self-contained, without a script, in a language."""
    voice = Voice(language)
    base, house = learned.rulesets
    found = Comparison((learned.address, learned.name), learned.rulesets, compare_rulesets(base, house), 0)
    told = switching(found, voice) if learned.changes else {}
    agreed = [
        (voice.say("the games cannot tell it from:"), _item(voice, learned, change), _rest(change, voice))
        for change in learned.changes
        if change.unsure
    ]
    return render(
        "learned.html",
        language=language,
        caption=voice.caption,
        title=voice.say("What you play: {ruleset}", ruleset=voice.title(base)),
        summary=[raised(head_line(learned, voice)), *near_lines(learned, voice)],
        changes=[(key, told[key]) for key in (*CHANGES, "undecided") if key in told],
        drawn=lambda line: draw_deciding(found.games, line),
        sure=voice.say("How sure this is"),
        evidence=[(_item(voice, learned, change), [*_in_rules(change, voice), *evidence(change, voice), _sure(change, voice)]) for change in learned.changes],
        agreed=[(f"{name}: {heading}", lines) for heading, name, lines in agreed],
        unexplained=[*unexplained_lines(learned, voice), *partial_lines(learned, voice)],
        suspected=voice.say("Allowed, but nobody ever did it: is it allowed at your table?"),
        suspicions=[
            (_named(voice, learned, s.key), suspicion_lines(s, voice)) for s in learned.suspicions
        ],
        wrong=slip_lines(learned, voice),
        undetermined=undetermined_lines(learned, voice),
        written=voice.say("These rules as a file"),
        text=Markup("\n").join(map(escape, learned.text.splitlines())) if learned.changes else "",
    )  # fmt: skip


def _item(voice: Voice, learned: Learned, change: Change) -> str:
    """A change by its text for players: that of the rule that was learned, unless it is left out."""
    base, house = learned.rulesets
    return raised(voice.item(house if change.key in house.ruleset.merged.items else base, change.key))


def _in_rules(change: Change, voice: Voice) -> list[str]:
    """What differs as rules files say it."""
    if change.before is None or change.after is None or max(len(change.before), len(change.after)) > MAX_PART:
        return []
    return [voice.say("in the rules: {before} → {after}", before=change.before, after=change.after)]


def _named(voice: Voice, learned: Learned, key: tuple[str, str]) -> str:
    """An item by its text for players: the known ruleset's, which is translated, unless only the learned one has it."""
    base, house = learned.rulesets
    return raised(voice.item(base if key in base.ruleset.merged.items else house, key))


def _sure(change: Change, voice: Voice) -> str:
    if change.unsure:
        return voice.say("not sure: another rule explains the games about as well")
    if change.exceeded:
        return voice.say("not sure: another rule that was tried accepts more games, but they are less likely under it")
    if change.wide:
        return voice.say("sure that something else is played, but this rule may allow more than that")
    if change.others or change.more:
        return voice.say("sure: every other rule that was tried explains the games worse, or plays the same")
    return voice.say("sure: nothing else that was tried explains the games")


def _rest(change: Change, voice: Voice) -> list[str]:
    return [line.strip() for other in change.others for line in other_lines(other, voice)]
