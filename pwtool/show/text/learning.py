"""What was learned from games, in words and as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp
from typing import Any

from pwtool.learning import Change, Explanation, Learned, Slip, Suspicion
from pwtool.rules.library import split_address
from pwtool.text.codes import CODES
from pwtool.text.speech import Speech, mark
from pwtool.text.words import shorten

MAX_NAMES = 6
MAX_SLIPS = 20
MAX_PART = 160
RARE = 1e-6
_NOTHING = mark("(nothing)")


def learned_lines(learned: Learned, speech: Speech) -> list[str]:
    """The report for people."""
    lines = [head_line(learned, speech)]
    for number, change in enumerate(learned.changes, 1):
        lines += ["", *_change(number, change, speech)]
    if any(other.record for change in learned.changes for other in change.others):
        games = speech.say("the games that decide are in {option} (`changes`, `others`, `game`)", option="`--json`")
        lines += ["", games]
    for part in (near_lines, unexplained_lines, partial_lines, _priced_slip_lines, undetermined_lines):
        told = part(learned, speech)
        lines += ["", *told] if told else []
    if learned.suspicions:
        lines += ["", speech.say("allowed, and never done although there were chances (suspicions, not rules)")]
        for suspicion in learned.suspicions:
            text = f'"{suspicion.text}"' if suspicion.text else ""
            lines += [
                f"  {item_name(suspicion.key)}: {text}",
                *(f"    {line}" for line in suspicion_lines(suspicion, speech)),
            ]
    if learned.left_out:
        lines += ["", *left_out_lines(learned.left_out, speech)]
    return lines


def left_out_lines(left_out: Sequence[tuple[str, str]], speech: Speech) -> list[str]:
    """What nothing was learned from, and why."""
    lines = [
        speech.say("not learned from: {name}: {reason}", name=name, reason=speech.tell(reason))
        for name, reason in left_out[:MAX_SLIPS]
    ]
    if len(left_out) > MAX_SLIPS:
        lines.append("  " + speech.say("and {count} more", count=len(left_out) - MAX_SLIPS))
    return lines


def folder_line(learned: Learned, speech: Speech) -> str | None:
    """Where the file of an edition has to lie that changes a game of your own; None if it may lie anywhere."""
    if learned.folder is None or not learned.changes:
        return None
    return speech.say(
        "the edition changes a game of your own: it is read in the folder {folder}, beside `game.rules`",
        folder=f"`{learned.folder.name}`",
    )


def near_lines(learned: Learned, speech: Speech) -> list[str]:
    """Which other rulesets accept the same games."""
    if not learned.near:
        return []
    told = speech.many(
        "{rulesets} accepts these games as well",
        "{rulesets} accept these games as well",
        len(learned.near),
        rulesets=", ".join(learned.near),
    )
    return [told]


def head_line(learned: Learned, speech: Speech) -> str:
    """How many games are clean, and under what."""
    games = speech.many("{count} game", "{count} games", learned.games)
    if not learned.changes:
        return speech.many(
            "{games}: {count} is clean under {ruleset} as it is",
            "{games}: {count} are clean under {ruleset} as it is",
            learned.clean, games=games, ruleset=_called(learned),
        )  # fmt: skip
    changes = speech.many("{count} change", "{count} changes", len(learned.changes))
    return speech.many(
        "{games}: {count} is clean under {ruleset} with {changes}",
        "{games}: {count} are clean under {ruleset} with {changes}",
        learned.clean, games=games, ruleset=_called(learned), changes=changes,
    )  # fmt: skip


def _called(learned: Learned) -> str:
    """The known ruleset by its address; a file without the folders that it is in."""
    address = learned.address
    return _short(address) if split_address(address)[0] is not None else address


def item_name(key: tuple[str, str]) -> str:
    """An item as rules files name it."""
    return f"{key[0]} {key[1]}".strip()


def _change(number: int, change: Change, speech: Speech) -> Iterator[str]:
    text = f'  "{change.text}"' if change.text else ""
    yield f"{number}. {item_name(change.key)}{text}"
    yield from _edit(change.before, change.after, speech, "   ")
    if change.source:
        yield "   " + speech.say("as in {source}", source=change.source)
    yield from (f"   {line}" for line in evidence(change, speech))
    if change.unsure:
        yield "   " + speech.say("these games cannot tell it from:")
    elif change.others:
        yield "   " + speech.say("less likely, or the same in play:")
    for other in change.others:
        yield from (f"     {line}" for line in other_lines(other, speech))
    if change.more:
        yield "   " + speech.many(
            "{count} more change that was tried accepts the same games",
            "{count} more changes that were tried accept the same games",
            change.more,
        )


def evidence(change: Change, speech: Speech) -> Iterator[str]:
    """Which games show a change, and how it was used."""
    count = len(change.games)
    names = ", ".join(map(_short, change.games[:MAX_NAMES])) + (", ..." if count > MAX_NAMES else "")
    yield speech.many(
        "{count} game is refused without it: {names}",
        "{count} games are refused without it: {names}",
        count,
        names=names,
    )
    if change.chances and change.at_least:
        # Not all ways to do something were looked at.
        yield speech.say(
            "of {looked} games, it made something possible in {tested} or more ({chances} or more decisions up to its first use), and was used in {used}",
            tested=change.tested, looked=change.looked_at, chances=change.chances, used=change.used,
        )  # fmt: skip
    elif change.chances:
        yield speech.say(
            "of {looked} games that were looked at, it made something possible in {tested} ({chances} decisions up to its first use), and was used in {used}",
            tested=change.tested, looked=change.looked_at, chances=change.chances, used=change.used,
        )  # fmt: skip
    if change.wide:
        yield speech.say(
            "players at random would have used it {count} times: it may allow more than is played",
            count=speech.digits(f"{change.expected:.0f}"),
        )
    elif change.looked_at and not change.chances:
        yield speech.say("it shows in how games go on and end, not in what players may choose")


def _short(name: str) -> str:
    """The name of a game without the folders that it is in."""
    return name.replace("\\", "/").rpartition("/")[2]


def _edit(before: str | None, after: str | None, speech: Speech, indent: str) -> Iterator[str]:
    if before is None:
        yield f"{indent}+ {shorten(after or '', MAX_PART)}"
        return
    yield f"{indent}- {shorten(before, MAX_PART)}"
    yield f"{indent}+ {speech.say(_NOTHING) if after is None else shorten(after, MAX_PART)}"


def other_lines(other: Explanation, speech: Speech) -> Iterator[str]:
    """Another explanation, how likely it is, and a game that decides."""
    odds = ""
    if other.nats is not None:
        times = exp(min(30.0, max(-30.0, -other.nats)))
        odds = speech.say("less than one millionth as likely") if times < RARE else ""
        shown = f"{times:.2g}"
        odds = odds or (speech.say("as likely") if shown == "1" else speech.say("{times} times as likely", times=shown))
    yield _other(other, speech) + (f"  ({odds})" if odds else "")
    if other.games:
        names = ", ".join(map(_short, other.games[:MAX_NAMES])) + (", ..." if len(other.games) > MAX_NAMES else "")
        more = speech.many(
            "it accepts {count} game more: {names}",
            "it accepts {count} games more: {names}",
            len(other.games),
            names=names,
        )
        yield f"  {more}"
    if other.decides:
        yield "  " + speech.say("a game that decides: {told}", told=other.decides)
    elif other.record is not None:
        yield "  " + speech.say("no game was found that decides: it may be the same in play")


def _other(other: Explanation, speech: Speech) -> str:
    """What another change makes of an item."""
    after = speech.say(_NOTHING) if other.after is None else shorten(other.after, MAX_PART)
    return f"{item_name(other.key)}: {shorten(other.before, MAX_PART)} -> {after}"


def unexplained_lines(learned: Learned, speech: Speech) -> list[str]:
    """What refuses too many games for slips, and what other rulesets say of those."""
    lines = []
    for code, rule, games in learned.unexplained:
        if learned.partial is not None:
            # The hint says what would explain some of them.
            told = speech.many(
                "cannot tell: {count} game is refused by {rule} ({code})",
                "cannot tell: {count} games are refused by {rule} ({code})",
                games, rule=rule or code, code=_meant(rule, code, speech),
            )  # fmt: skip
        else:
            told = speech.many(
                "cannot tell: {count} game is refused by {rule} ({code}), and no small change explains it",
                "cannot tell: {count} games are refused by {rule} ({code}), and no small change explains them",
                games, rule=rule or code, code=_meant(rule, code, speech),
            )  # fmt: skip
        lines.append(told)
    lines += _refused(learned.open, speech)
    lines += [
        "  "
        + speech.many(
            "{count} game that is refused is clean under {ruleset}",
            "{count} games that are refused are clean under {ruleset}",
            count,
            ruleset=ruleset,
        )
        for ruleset, count in learned.elsewhere
    ]
    return lines


def _meant(rule: str, code: str, speech: Speech) -> str:
    """The code of a rule's refusals; without a rule, what the code means."""
    return code if rule else speech.say(CODES[code].summary)


def partial_lines(learned: Learned, speech: Speech) -> list[str]:
    """What would explain some of the games, and what speaks against it."""
    partial = learned.partial
    if partial is None:
        return []
    lines = [
        speech.say(
            "a hint, not a rule: this would explain {count} of {games}, but the others are no slips, so something else is played",
            count=partial.clean, games=speech.many("{count} game", "{count} games", learned.games),
        )
    ]  # fmt: skip
    for change in partial.changes:
        text = f'  "{change.text}"' if change.text else ""
        lines += [f"  {item_name(change.key)}{text}", *_edit(change.before, change.after, speech, "    ")]
    for code, rule, games in partial.left:
        told = speech.many(
            "{count} game would still be refused by {rule} ({code})",
            "{count} games would still be refused by {rule} ({code})",
            games, rule=rule or code, code=_meant(rule, code, speech),
        )  # fmt: skip
        lines.append(f"  {told}")
    for code, rule, games in partial.lost:
        told = speech.many(
            "{count} game that is clean now would be refused by {rule} ({code})",
            "{count} games that are clean now would be refused by {rule} ({code})",
            games, rule=rule or code, code=_meant(rule, code, speech),
        )  # fmt: skip
        lines.append(f"  {told}")
    return lines


def slip_lines(learned: Learned, speech: Speech) -> list[str]:
    """The games that are probably wrong: how many there are, and the finding of each."""
    if not learned.slips:
        return []
    lines = [speech.many("{count} game is probably wrong", "{count} games are probably wrong", len(learned.slips))]
    return [*lines, *_refused(learned.slips, speech)]


def _priced_slip_lines(learned: Learned, speech: Speech) -> list[str]:
    """The same, with what decides whether so many games are wrong or a rule."""
    lines, prices = slip_lines(learned, speech), learned.prices
    games = speech.digits(f"{prices.of(learned.games) / prices.slip:.3g}")
    told = speech.say("a change has to explain more than {games} games (`--price`, `--excuse`)", games=games)
    return [*lines, f"  {told}"] if lines else []


def _refused(slips: Sequence[Slip], speech: Speech) -> Iterator[str]:
    """Games with their first findings."""
    for slip in slips[:MAX_SLIPS]:
        finding = slip.finding.within(speech)
        where = f"{finding.where}: " if finding.where else ""
        yield f"  {slip.name}: {where}{finding.message}" + (f" ({finding.rule})" if finding.rule else "")
        if slip.explained is not None:
            changed = speech.say(
                "it is clean with another change that was tried: {change}", change=_other(slip.explained, speech)
            )
            yield f"    {changed}"
    if len(slips) > MAX_SLIPS:
        yield "  " + speech.say("and {count} more", count=len(slips) - MAX_SLIPS)


def undetermined_lines(learned: Learned, speech: Speech) -> list[str]:
    """The games that nothing refuses, but in which something cannot be known."""
    names = learned.undetermined
    if not names:
        return []
    shown = ", ".join(map(_short, names[:MAX_NAMES])) + (", ..." if len(names) > MAX_NAMES else "")
    told = speech.many(
        "{count} game is neither clean nor refused, because cards in it are not known: {names}",
        "{count} games are neither clean nor refused, because cards in them are not known: {names}",
        len(names),
        names=shown,
    )
    return [told]


def suspicion_lines(suspicion: Suspicion, speech: Speech) -> list[str]:
    """What a stricter rule would say, and how often there was a chance to break it."""
    odds = exp(-min(30.0, suspicion.expected))
    rare = (
        speech.say("with players at random less than once in a million such collections")
        if odds < RARE
        else speech.say("with players at random once in {times} such collections", times=round(1 / odds))
    )
    chances = speech.say(
        "{chances} chances (games looked at: {games}), never used: {rare}",
        chances=suspicion.chances, games=suspicion.games, rare=rare,
    )  # fmt: skip
    return [*_edit(suspicion.before, suspicion.after, speech, ""), chances]


# ---- data


def learned_data(learned: Learned) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "ruleset": learned.address,
        "version": learned.version,
        "games": learned.games,
        "clean": learned.clean,
        "edition": learned.text if learned.changes else None,
        "changes": [_change_data(change) for change in learned.changes],
        "as_well": list(learned.near),
        "probably_wrong": [_slip_data(slip) for slip in learned.slips],
        "not_explained": [_slip_data(slip) for slip in learned.open],
        "undetermined": list(learned.undetermined),
        "cannot_tell": _refusals_data(learned.unexplained),
        "partial": None if learned.partial is None else {
            "changes": [_change_data(change) for change in learned.partial.changes],
            "clean": learned.partial.clean,
            "cannot_tell": _refusals_data(learned.partial.left),
            "lost": _refusals_data(learned.partial.lost),
        },
        "clean_elsewhere": [{"ruleset": ruleset, "games": count} for ruleset, count in learned.elsewhere],
        "suspicions": [
            {
                "item": item_name(s.key), "kind": s.kind, "text": s.text, "before": s.before, "after": s.after,
                "games": s.games, "chances": s.chances, "expected": round(s.expected, 2),
            }
            for s in learned.suspicions
        ],
        "left_out": [{"name": name, "reason": str(reason)} for name, reason in learned.left_out],
        "prices": {"change": learned.prices.change, "slip": learned.prices.slip, "share": learned.prices.share},
        "tried": learned.tried,
    }  # fmt: skip


def _refusals_data(refusals: Sequence[tuple[str, str, int]]) -> list[dict[str, Any]]:
    return [{"code": code, "rule": rule, "games": games} for code, rule, games in refusals]


def _slip_data(slip: Slip) -> dict[str, Any]:
    found = slip.finding
    return {
        "name": slip.name,
        "code": found.code,
        "rule": found.rule,
        "where": found.where,
        "message": str(found.message),
        "explained_by": None
        if slip.explained is None
        else {
            "item": item_name(slip.explained.key),
            "kind": slip.explained.kind,
            "before": slip.explained.before,
            "after": slip.explained.after,
        },
    }


def _change_data(change: Change) -> dict[str, Any]:
    return {
        "item": item_name(change.key), "kind": change.kind, "text": change.text, "before": change.before, "after": change.after,
        "source": change.source or None, "games": list(change.games), "looked_at": change.looked_at, "tested": change.tested,
        "chances": change.chances, "used": change.used, "at_least": change.at_least, "expected": round(change.expected, 1), "wide": change.wide,
        "sure": change.sure,
        "others": [
            {
                "item": item_name(o.key), "kind": o.kind, "before": o.before, "after": o.after,
                "nats": None if o.nats is None else round(o.nats, 2), "decides": o.decides or None, "game": o.record or None,
                "games": list(o.games),
            }
            for o in change.others
        ],
        "more": change.more,
    }  # fmt: skip
