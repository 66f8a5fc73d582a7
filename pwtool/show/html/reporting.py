"""The results of a check as a page of charts: what is refused by which rule, and statistics of the clean games."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from math import ceil, lcm

from pwtool.checking.overview import Judged, Overview, Refusal, Seat
from pwtool.checking.report import Verdict
from pwtool.show.html.charted import Cell, Figure, Numbers, Section, render_charted, text
from pwtool.show.svg.charts import Bar, Point, Range, draw_bars, draw_lines, draw_ranges
from pwtool.show.text.comparing import game_file
from pwtool.show.text.statistics import WORDS
from pwtool.simulating.estimates import Estimate, estimate
from pwtool.text.files import quote_path
from pwtool.text.speech import ENGLISH, Speech

COLORS = {
    Verdict.CLEAN: "var(--c3)", Verdict.FINDINGS: "var(--bad)", Verdict.UNDETERMINED: "var(--unsure)",
    Verdict.UNREADABLE: "var(--none)",
}  # fmt: skip
MOST_BARS = 15
BINS = 40


def render_report(found: Overview, source: str, folder: str = ".", speech: Speech = ENGLISH) -> str:
    """The page of the results in a file; games are links relative to `folder`."""
    numbers = Numbers(speech)
    # A document may be judged under several rulesets.
    noun = speech.say("documents") if len(found.judged) < 2 else speech.say("results")
    facts = [(speech.number(found.rows), noun)]
    facts += [
        (numbers.percent(count, found.rows), speech.say(WORDS[v]))
        for v in Verdict
        if (count := found.verdicts.get(v, 0))
    ]
    facts.append((numbers.percent(sum(found.engine.values()), found.rows), speech.say("left to the engine")))
    sections = [
        Section(speech.say("What was found"), _left_out(found, speech), list(_found(found, folder, noun, numbers)))
    ]
    for one in found.judged:
        figures = list(_played(one, numbers))
        heading = speech.say("How games go under {ruleset}", ruleset=_name(one, speech))
        if figures:
            note = speech.many(
                "Of {games} finished game without findings.", "Of {games} finished games without findings.", one.over,
                games=speech.number(one.over),
            )  # fmt: skip
            sections.append(Section(heading, note, figures))
    lead = speech.say("Results in {file}", file=source)
    return render_charted(speech.say("What these games come to"), lead, facts, sections, speech)


def _name(one: Judged, speech: Speech) -> str:
    return one.name if one.ruleset else speech.say("without a ruleset")


def _left_out(found: Overview, speech: Speech) -> str:
    told = []
    if found.others:
        told.append(
            speech.say("How games go is shown for the {count} rulesets with most games.", count=len(found.judged))
        )
    if found.more_rules:
        told.append(
            speech.many(
                "{count} other rule is left out of the refusals.",
                "{count} other rules are left out of the refusals.",
                found.more_rules,
            )
        )
    return " ".join(told)


# ---- findings


def _found(found: Overview, folder: str, noun: str, numbers: Numbers) -> Iterator[Figure]:
    speech = numbers.speech
    words = {verdict: speech.say(WORDS[verdict]) for verdict in Verdict}
    rulesets = sorted([*found.judged, *found.others], key=lambda one: (one.ruleset, one.version))
    addresses = [one.ruleset for one in rulesets]
    listed = [
        (_name(one, speech), one.ruleset if addresses.count(one.ruleset) == 1 and one.ruleset else _name(one, speech), one.verdicts)
        for one in rulesets
    ]  # fmt: skip
    most = sorted(listed, key=lambda one: -sum(one[2].values()))[:MOST_BARS]
    used = {words[v]: COLORS[v] for v in Verdict if found.verdicts.get(v)}
    yield Figure(
        speech.say("Verdicts"), "", (speech.say("Ruleset"), *used, speech.say("all")),
        [
            [text(name), *(numbers.whole(counts.get(v, 0)) for v in Verdict if words[v] in used), numbers.whole(sum(counts.values()))]
            for name, _, counts in listed
        ],
        draw_bars(
            [Bar(short, counts[v], series=words[v]) for _, short, counts in most for v in Verdict if counts.get(v)], noun, speech, used
        ),
    )  # fmt: skip
    players_ = [
        (_players(players, speech) if players else speech.say("not known"), games)
        for players, games in sorted(found.players.items())
    ]
    yield Figure(
        speech.say("Players"), "", (speech.say("Players"), noun, speech.say("share")),
        [[text(label), numbers.whole(games), numbers.share(games, found.rows)] for label, games in players_],
        draw_bars([Bar(label, games, numbers.percent(games, found.rows)) for label, games in players_], noun, speech),
    )  # fmt: skip
    why = [*found.engine.items()]
    yield Figure(
        speech.say("Left to the engine"),
        speech.say("What compiled rules can judge is judged fast; the rest the engine judges, and it explains what is refused."),
        (speech.say("Why"), noun, speech.say("share")),
        [[text(speech.say(reason)), numbers.whole(games), numbers.share(games, found.rows)] for reason, games in why],
        draw_bars([Bar(speech.say(reason), games, numbers.percent(games, found.rows)) for reason, games in why], noun, speech) if why else "",
        open=not why,
    )  # fmt: skip
    if found.refusals:
        yield _refusals(found, folder, numbers)


def _players(count: int, speech: Speech) -> str:
    return speech.many("{count} player", "{count} players", count)


def _refusals(found: Overview, folder: str, numbers: Numbers) -> Figure:
    speech = numbers.speech
    several = len(found.judged) > 1
    first = found.refusals[:MOST_BARS]
    names = [f"{r.rule or r.code}" for r in first]
    # If rules of several rulesets share a name, the rulesets are added to tell them apart.
    labels = [
        # The end of an address is what tells editions apart.
        f"{name} ({r.ruleset.rpartition('/')[2]})" if names.count(name) > 1 and several else name
        for name, r in zip(names, first, strict=True)
    ]
    labels = [f"{label} {r.code}" if labels.count(label) > 1 else label for label, r in zip(labels, first, strict=True)]
    bars = [Bar(label, r.games, speech.number(r.games)) for label, r in zip(labels, first, strict=True)]
    note = speech.say("A game counts for each rule that it breaks, unless that follows from another.")
    if len(found.refusals) > MOST_BARS:
        note += " " + speech.say("The chart shows the first {count} rules.", count=MOST_BARS)
    return Figure(
        speech.say("Games refused, by rule"), note,
        (speech.say("Rule"), speech.say("Games"), speech.say("First in")),
        [
            [Cell(r.rule or r.code, note=", ".join([*[r.code] * bool(r.rule), *[r.ruleset or speech.say("no ruleset")] * several])), numbers.whole(r.games),
             _first(r, folder, speech)]
            for r in found.refusals
        ],
        draw_bars(bars, speech.say("games"), speech), open=True, wide=True,
    )  # fmt: skip


def _first(refusal: Refusal, folder: str, speech: Speech) -> Cell:
    """The place of the first game, and the command that shows why it is refused."""
    name = refusal.document
    place = speech.say("{file}, turn {turn}", file=name, turn=refusal.turn) if refusal.turn else name
    command = f"pwtool check {shlex.quote(name)}" if not name.startswith("-") else ""
    if command and refusal.ruleset:
        command += f" --rules {shlex.quote(refusal.ruleset)}"
    return Cell(place, href=quote_path(game_file(name, folder) or ""), command=command)


# ---- how games went


def _played(one: Judged, numbers: Numbers) -> Iterator[Figure]:
    speech = numbers.speech
    if not one.over:
        return
    yield _lengths(one, numbers)
    endings = [(ending.name, ending.games) for ending in one.endings]
    without = one.over - one.ended - sum(games for _, games in endings)
    endings += [(speech.say("others"), one.ended)] * bool(one.ended) + [(speech.say("none"), without)] * bool(without)
    if len(endings) > 1:
        yield Figure(
            speech.say("How games end"), "", (speech.say("Ending"), speech.say("games"), speech.say("share")),
            [[text(name), numbers.whole(games), numbers.share(games, one.over)] for name, games in endings],
            draw_bars([Bar(name, games, numbers.percent(games, one.over)) for name, games in endings], speech.say("games"), speech),
        )  # fmt: skip
    ranked, scored = [seat for seat in one.seats if seat.ranked], [seat for seat in one.seats if seat.games]
    if ranked:
        yield _wins(ranked, numbers)
    if scored:
        yield _scores(scored, numbers)
        if len({seat.players for seat in scored}) > 1:
            yield _scores_by_players(scored, numbers)
    if len(one.lines) > 1:
        means = [(line, line.total / line.players) for line in one.lines]
        yield Figure(
            speech.say("Where points come from"), _more(speech.say("Mean of a player."), one, "lines", speech),
            (speech.say("Line"), speech.say("mean"), speech.say("least"), speech.say("most")),
            [[text(line.name), numbers.decimal(mean), numbers.whole(line.low), numbers.whole(line.high)] for line, mean in means],
            draw_ranges([Range(line.name, min(0, mean), mean, max(0, mean)) for line, mean in means], speech.say("points"), speech),
        )  # fmt: skip
    if one.objectives:
        yield from _objectives(one, numbers)


def _more(note: str, one: Judged, kind: str, speech: Speech) -> str:
    """A note, and how many things are left out of the figure."""
    left_out = one.more.get(kind, 0)
    return (
        note
        if not left_out
        else f"{note} {speech.many('{count} more is left out.', '{count} more are left out.', left_out)}"
    )


def _lengths(one: Judged, numbers: Numbers) -> Figure:
    speech = numbers.speech
    rows, points = [], []
    low = min(min(lengths) for lengths in one.lengths.values())
    high = max(max(lengths) for lengths in one.lengths.values())
    step = max(1, ceil((high - low + 1) / BINS))
    for players, lengths in one.lengths.items():
        games = sum(lengths.values())
        name = _players(players, speech)
        mean = sum(turns * count for turns, count in lengths.items()) / games
        rows.append(
            [
                text(name),
                numbers.whole(games),
                numbers.decimal(mean, 1),
                *map(numbers.whole, _quantiles(lengths, (0, 0.1, 0.5, 0.9, 1))),
            ]
        )
        bins: dict[int, int] = {}
        for turns, count in lengths.items():
            bins[(turns - low) // step] = bins.get((turns - low) // step, 0) + count
        # Nothing lies beyond the ends: there the steps go down.
        for number in range(-1, (high - low) // step + 2):
            middle = low + step * number + (step - 1) / 2
            points.append(Point(middle, 100 * bins.get(number, 0) / games, name))
    across = speech.say("turns") if step == 1 else speech.say("turns, by {step}", step=step)
    chart = draw_lines(points, across, speech.say("% of games"), speech) if high > low else ""
    columns = (
        speech.say("Players"), speech.say("games"), speech.say("mean"), speech.say("shortest"), "10 %", speech.say("median"), "90 %",
        speech.say("longest"),
    )  # fmt: skip
    return Figure(speech.say("How long games are"), "", columns, rows, chart, open=not chart)


def _quantiles(counts: dict[int, int], shares: Sequence[float]) -> list[int]:
    """The quantiles for these shares."""
    found, whole_ = [], sum(counts.values())
    for part in shares:
        passed = 0
        for value, count in sorted(counts.items()):
            passed += count
            if passed >= part * whole_:
                found.append(value)
                break
    return found


def _label(seat: Seat, speech: Speech) -> str:
    return speech.say("seat {seat} of {seats}", seat=seat.seat, seats=seat.players)


def _wins(seats: Sequence[Seat], numbers: Numbers) -> Figure:
    speech, share = numbers.speech, numbers.share
    rows, ranges = [], []
    for seat in seats:
        found = _won(seat)
        assert found.low is not None and found.high is not None, "it is a share"
        low, high = found.low, found.high
        even = 1 / seat.players
        ranges.append(Range(_label(seat, speech), low, found.mean, high, even=even))
        rows.append(
            [
                text(_label(seat, speech)),
                numbers.whole(seat.ranked),
                share(found.mean),
                share(low),
                share(high),
                share(even),
            ]
        )
    return Figure(
        speech.say("Games won, by seat"),
        speech.say("A shared win counts in equal parts. The band is the 95 % interval, the tick marks an even share."),
        (speech.say("Seat"), speech.say("games"), speech.say("won"), speech.say("from"), speech.say("to"), speech.say("even")), rows,
        draw_ranges(ranges, speech.say("share of games"), speech, percent=True),
    )  # fmt: skip


def _won(seat: Seat) -> Estimate:
    """The share of games that a seat wins."""
    part = lcm(*(others + 1 for others in seat.wins))
    won = [(part // (others + 1), games) for others, games in seat.wins.items()]
    row = (seat.ranked, sum(value * games for value, games in won), sum(value * value * games for value, games in won))
    # Shared wins vary less than whole ones, so the interval is wide enough.
    return estimate(row, part, share=True)


_NONE = Cell("–", number=True)
"""One game alone has no interval."""


def _scores(seats: Sequence[Seat], numbers: Numbers) -> Figure:
    speech, decimal, whole = numbers.speech, numbers.decimal, numbers.whole
    rows, ranges = [], []
    for seat in seats:
        found = estimate((seat.games, seat.total, seat.squares), 1, share=False)
        low, high = (found.mean if end is None else end for end in (found.low, found.high))
        ranges.append(Range(_label(seat, speech), low, found.mean, high))
        assert seat.quartiles is not None, "a score is known"
        first, median, third = seat.quartiles
        rows.append(
            [
                text(_label(seat, speech)),
                decimal(found.mean),
                decimal(low) if found.low is not None else _NONE,
                decimal(high) if found.high is not None else _NONE,
                whole(first),
                whole(median),
                whole(third),
            ]
        )
    return Figure(
        speech.say("Points, by seat"), speech.say("The mean with its 95 % interval."),
        (speech.say("Seat"), speech.say("mean"), speech.say("from"), speech.say("to"), speech.say("a quarter below"), speech.say("median"),
         speech.say("a quarter above")),
        rows, draw_ranges(ranges, speech.say("points"), speech),
    )  # fmt: skip


def _scores_by_players(seats: Sequence[Seat], numbers: Numbers) -> Figure:
    speech = numbers.speech
    bars, rows = [], []
    for players in dict.fromkeys(seat.players for seat in seats):
        of = [seat for seat in seats if seat.players == players]
        mean = sum(seat.total for seat in of) / sum(seat.games for seat in of)
        bars.append(Range(_players(players, speech), min(0, mean), mean, max(0, mean)))
        rows.append(
            [text(_players(players, speech)), numbers.whole(max(seat.games for seat in of)), numbers.decimal(mean)]
        )
    return Figure(
        speech.say("Points, by number of players"), speech.say("Mean of a player."),
        (speech.say("Players"), speech.say("games"), speech.say("mean")), rows, draw_ranges(bars, speech.say("points"), speech)
    )  # fmt: skip


def _objectives(one: Judged, numbers: Numbers) -> Iterator[Figure]:
    speech, whole, percent = numbers.speech, numbers.whole, numbers.percent
    yield Figure(
        speech.say("Objectives claimed"), _more(speech.say("Of the games in which each is in play."), one, "objectives", speech),
        (speech.say("Objective"), speech.say("in play"), speech.say("claimed"), speech.say("share")),
        [[text(o.name), whole(o.games), whole(o.claimed), numbers.share(o.claimed, o.games)] for o in one.objectives],
        draw_bars([Bar(o.name, o.claimed / o.games, percent(o.claimed, o.games)) for o in one.objectives], speech.say("share of games"), speech,
                  percent=True),
    )  # fmt: skip
    claimed = [(o, o.quartiles) for o in one.objectives if o.quartiles is not None]
    if claimed:
        claimed.sort(key=lambda pair: (pair[1][1], pair[0].name))
        yield Figure(
            speech.say("When they are claimed"),
            speech.say("The turn of the first claim: the median, and between which turns the middle half lies."),
            (speech.say("Objective"), speech.say("claimed"), speech.say("a quarter before"), speech.say("median"), speech.say("a quarter after")),
            [[text(o.name), whole(o.claimed), *map(whole, between)] for o, between in claimed],
            draw_ranges([Range(o.name, low, middle, high) for o, (low, middle, high) in claimed], speech.say("turn"), speech),
        )  # fmt: skip


__all__ = ["render_report"]
