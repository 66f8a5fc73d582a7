"""The results of a check as a page of charts: which findings there are, and statistics of the clean games."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count
from math import isqrt, lcm

from pwtool.checking.overview import Finding, Judged, Overview, Seat
from pwtool.checking.report import Verdict
from pwtool.show.html.charted import Cell, Figure, Numbers, Section, render_charted, text
from pwtool.show.svg.charts import Bar, Point, Range, draw_bars, draw_lines, draw_ranges
from pwtool.show.text.comparing import game_file
from pwtool.show.text.full import LEVELS
from pwtool.show.text.statistics import WORDS
from pwtool.simulating.estimates import Estimate, estimate
from pwtool.text import Severity
from pwtool.text.files import quote_path
from pwtool.text.speech import ENGLISH, Speech
from pwtool.why.voice import raised

COLORS = {
    Verdict.CLEAN: "var(--c3)", Verdict.FINDINGS: "var(--bad)", Verdict.UNDETERMINED: "var(--unsure)",
    Verdict.UNREADABLE: "var(--none)",
}  # fmt: skip
MOST_BARS = 15
MOST_RULESETS = 30
"""How many rulesets have a section of their own."""
BINS = 40


def render_report(found: Overview, source: str, folder: str = ".", speech: Speech = ENGLISH) -> str:
    """The page of the results in a file; games are links relative to `folder`."""
    numbers = Numbers(speech)
    # A document may be judged under several rulesets.
    noun = speech.say("documents") if found.rows <= found.documents else speech.say("results")
    facts = [(speech.number(found.documents), speech.say("documents"))]
    facts += [(speech.number(found.rows), noun)] * (found.rows > found.documents)
    facts += [
        (speech.number(count), f"{speech.say(WORDS[v])} ({numbers.percent(count, found.rows)})")
        for v in Verdict
        if (count := found.verdicts.get(v, 0))
    ]
    played = sorted((one for one in found.judged if one.over), key=lambda one: -one.over)
    left_out = len(played) - MOST_RULESETS
    note = speech.many(
        "How games go is shown for the rulesets with most games; {count} is left out.",
        "How games go is shown for the rulesets with most games; {count} are left out.", left_out,
    ) if left_out > 0 else ""  # fmt: skip
    sections = [Section(speech.say("What was found"), note, list(_found(found, folder, noun, numbers)))]
    for one in played[:MOST_RULESETS]:
        heading = speech.say("How games go under {ruleset}", ruleset=_name(one, speech))
        note = speech.many(
            "Of {games} finished game without findings.", "Of {games} finished games without findings.", one.over,
            games=speech.number(one.over),
        )  # fmt: skip
        if others := one.verdicts[Verdict.CLEAN] - one.over:
            note += " " + speech.many(
                "{games} other clean document is a position or a game that is not finished.",
                "{games} other clean documents are positions or games that are not finished.", others,
                games=speech.number(others),
            )  # fmt: skip
        sections.append(Section(heading, note, list(_played(one, numbers))))
    lead = speech.say("Results in {file}", file=source)
    return render_charted(speech.say("What these games come to"), lead, facts, sections, speech)


def _name(one: Judged, speech: Speech) -> str:
    return one.name or speech.say("without a ruleset")


# ---- findings


def _found(found: Overview, folder: str, noun: str, numbers: Numbers) -> Iterator[Figure]:
    speech = numbers.speech
    words = {verdict: speech.say(WORDS[verdict]) for verdict in Verdict}
    addresses = Counter(one.ruleset for one in found.judged)
    most = sorted(found.judged, key=lambda one: -sum(one.verdicts.values()))[:MOST_BARS]
    bars = []
    for one in most:
        label = one.ruleset if addresses[one.ruleset] == 1 and one.ruleset else _name(one, speech)
        some = [v for v in Verdict if one.verdicts.get(v)]
        bars += [
            Bar(label, one.verdicts[v], speech.number(sum(one.verdicts.values())) * (v == some[-1]), words[v])
            for v in some
        ]
    note = speech.say("The chart shows the {count} rulesets with most of them.", count=MOST_BARS)
    note *= len(found.judged) > MOST_BARS
    used = {words[v]: COLORS[v] for v in Verdict if found.verdicts.get(v)}
    yield Figure(
        speech.say("Verdicts"), note, (speech.say("Ruleset"), *used, speech.say("all")),
        [
            [text(_name(one, speech)), *(numbers.whole(one.verdicts.get(v, 0)) for v in Verdict if words[v] in used),
             numbers.whole(sum(one.verdicts.values()))]
            for one in found.judged
        ],
        draw_bars(bars, noun, speech, used),
    )  # fmt: skip
    players = [
        (_players(count, speech) if count else speech.say("not known"), games)
        for count, games in sorted(found.players.items())
    ]
    yield _shares(speech.say("Players"), speech.say("Players"), noun, players, found.rows, numbers)
    if found.findings:
        yield _findings(found, folder, numbers)


def _shares(title: str, kind: str, noun: str, counts: Sequence[tuple[str, int]], of: int, numbers: Numbers) -> Figure:
    """How a whole is made up of some kinds."""
    speech = numbers.speech
    return Figure(
        title, "", (kind, noun, speech.say("share")),
        [[text(name), numbers.whole(count), numbers.share(count, of)] for name, count in counts],
        draw_bars([Bar(name, count, numbers.percent(count, of)) for name, count in counts], noun, speech),
    )  # fmt: skip


def _players(count: int, speech: Speech) -> str:
    return speech.many("{count} player", "{count} players", count)


def _findings(found: Overview, folder: str, numbers: Numbers) -> Figure:
    speech = numbers.speech
    several = len(found.judged) > 1
    first = found.findings[:MOST_BARS]
    labels = [one.rule or one.code for one in first]
    # Rules of several rulesets may share a name. The end of an address is what tells editions apart.
    parts = [f"({one.ruleset.rpartition('/')[2]})" for one in first], [one.code for one in first], [one.version for one in first]  # fmt: skip
    for part in parts:
        alike = Counter(labels)
        labels = [f"{label} {more}" if alike[label] > 1 else label for label, more in zip(labels, part, strict=True)]
    notes = [speech.say("A game counts for each rule that it breaks, unless that follows from another.")]
    if found.unexplained:
        only = speech.many(
            "of {games} game only the first refusal is counted",
            "of {games} games only the first refusal is counted",
            found.unexplained, games=speech.number(found.unexplained),
        )  # fmt: skip
        notes.append(f"{raised(only)}.")
    if len(found.findings) > MOST_BARS:
        notes.append(speech.say("The chart shows the first {count} rules.", count=MOST_BARS))
    if found.more_rules:
        more = speech.many(
            "{count} rule more is left out, with a total of {games}.",
            "{count} rules more are left out, with a total of {games}.",
            found.more_rules, games=speech.number(found.more_games),
        )  # fmt: skip
        notes.append(more)
    rows, levels = [], {str(level): word for level, word in LEVELS.items() if level is not Severity.ERROR}
    for one in found.findings:
        note = [one.code] * bool(one.rule) + [speech.say(levels[s]) for s in (one.severity,) if s in levels]
        note += [f"{one.ruleset} {one.version}".strip() or speech.say("no ruleset")] * several
        rows.append(
            [Cell(one.rule or one.code, note=", ".join(note)), numbers.whole(one.games), _place(one, folder, speech)]
        )
    return Figure(
        speech.say("Findings, by the number of games"), " ".join(notes),
        (speech.say("Rule"), speech.say("Games"), speech.say("First in")), rows,
        draw_bars([Bar(label, one.games, speech.number(one.games)) for label, one in zip(labels, first, strict=True)], speech.say("games"), speech),
        open=True, wide=True,
    )  # fmt: skip


def _place(finding: Finding, folder: str, speech: Speech) -> Cell:
    """The place of the first game, and the command that shows what is found."""
    name = finding.document
    place = speech.say("{file}, turn {turn}", file=name, turn=finding.turn) if finding.turn else name
    command = f"pwtool check {shlex.quote(name)}" if not name.startswith("-") else ""
    if command and finding.ruleset:
        command += f" --rules {shlex.quote(finding.ruleset)}"
    return Cell(place, href=quote_path(game_file(name, folder) or ""), command=command)


# ---- how games went


def _played(one: Judged, numbers: Numbers) -> Iterator[Figure]:
    speech = numbers.speech
    yield _lengths(one, numbers)
    endings = [(ending.name, ending.games) for ending in one.endings]
    without = one.over - one.ended - sum(games for _, games in endings)
    endings += [(speech.say("others"), one.ended)] * bool(one.ended) + [(speech.say("none"), without)] * bool(without)
    if len(endings) > 1:
        yield _shares(
            speech.say("How games end"), speech.say("Ending"), speech.say("games"), endings, one.over, numbers
        )
    ranked, scored = [seat for seat in one.seats if seat.ranked], [seat for seat in one.seats if seat.games]
    if ranked:
        yield _wins(ranked, numbers)
    # Where nobody has more than one point, points are another word for wins.
    if any(seat.squares != seat.total for seat in scored):
        yield _scores(scored, numbers)
        if len({seat.players for seat in scored}) > 1:
            yield _scores_by_players(scored, numbers)
    if len(one.lines) > 1:
        means = [(line, line.total / line.players) for line in one.lines]
        yield Figure(
            speech.say("Where points come from"), _more(speech.say("Mean of a player."), one, "lines", speech),
            (speech.say("Line"), speech.say("mean"), speech.say("least"), speech.say("most")),
            [[text(line.name), numbers.decimal(mean), numbers.whole(line.low), numbers.whole(line.high)] for line, mean in means],
            draw_bars([Bar(line.name, mean, numbers.decimal(mean).text) for line, mean in means], speech.say("points"), speech),
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
    # As many steps as there are games to fill them, of 1, 2, 5, 10, 20, 50, … turns.
    most = min(BINS, 2 * isqrt(max(sum(lengths.values()) for lengths in one.lengths.values())))
    step = next(n * 10**power for power in count() for n in (1, 2, 5) if n * 10**power * most > high - low)
    for players, lengths in one.lengths.items():
        games = sum(lengths.values())
        name = _players(players, speech)
        mean = sum(turns * times for turns, times in lengths.items()) / games
        quantiles = map(numbers.whole, _quantiles(lengths, (0, 0.1, 0.5, 0.9, 1)))
        rows.append([text(name), numbers.whole(games), numbers.decimal(mean, 1), *quantiles])
        bins = Counter[int]()
        for turns, times in lengths.items():
            bins[turns // step] += times
        # Nothing lies beyond the ends: there the steps go down.
        for number in range(low // step - 1, high // step + 2):
            points.append(Point(step * number + (step - 1) / 2, bins[number] / games, name))
    across = speech.say("turns") if step == 1 else speech.say("turns, by {step}", step=step)
    chart = draw_lines(points, across, speech.say("share of games"), speech) if high > low else ""
    columns = (
        speech.say("Players"), speech.say("games"), speech.say("mean"), speech.say("shortest"), "10 %", speech.say("median"), "90 %",
        speech.say("longest"),
    )  # fmt: skip
    return Figure(speech.say("How long games are"), "", columns, rows, chart)


def _quantiles(counts: dict[int, int], shares: Sequence[float]) -> list[int]:
    """The quantiles for these shares."""
    found, whole_ = [], sum(counts.values())
    for part in shares:
        passed = 0
        for value, times in sorted(counts.items()):
            passed += times
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
            [text(_label(seat, speech)), numbers.whole(seat.ranked), *map(share, (found.mean, low, high, even))]
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
        between = [decimal(end) if end is not None else _NONE for end in (found.low, found.high)]
        rows.append(
            [text(_label(seat, speech)), whole(seat.games), decimal(found.mean), *between, *map(whole, seat.quartiles)]
        )
    return Figure(
        speech.say("Points, by seat"), speech.say("The mean with its 95 % interval."),
        (speech.say("Seat"), speech.say("games"), speech.say("mean"), speech.say("from"), speech.say("to"), speech.say("a quarter below"),
         speech.say("median"), speech.say("a quarter above")),
        rows, draw_ranges(ranges, speech.say("points"), speech),
    )  # fmt: skip


def _scores_by_players(seats: Sequence[Seat], numbers: Numbers) -> Figure:
    speech = numbers.speech
    bars, rows = [], []
    for players in dict.fromkeys(seat.players for seat in seats):
        of = [seat for seat in seats if seat.players == players]
        mean = sum(seat.total for seat in of) / sum(seat.games for seat in of)
        bars.append(Bar(_players(players, speech), mean, numbers.decimal(mean).text))
        rows.append(
            [text(_players(players, speech)), numbers.whole(max(seat.games for seat in of)), numbers.decimal(mean)]
        )
    return Figure(
        speech.say("Points, by number of players"), speech.say("Mean of a player."),
        (speech.say("Players"), speech.say("games"), speech.say("mean")), rows, draw_bars(bars, speech.say("points"), speech)
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
