"""Results of a check as a page of charts: what is refused and by which rule, and how the games went that are clean."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from math import ceil, lcm

from pwtool.checking.overview import Judged, Overview, Refusal, Seat
from pwtool.checking.report import Verdict
from pwtool.show.html.charted import (
    Cell,
    Figure,
    Section,
    decimal,
    percent,
    render_charted,
    share,
    text,
    whole,
)
from pwtool.show.svg.charts import Bar, Point, Range, draw_bars, draw_lines, draw_ranges
from pwtool.show.text.comparing import game_file
from pwtool.show.text.statistics import WORDS
from pwtool.simulating.estimates import Estimate, estimate
from pwtool.text.files import quote_path
from pwtool.text.words import counted

COLORS = {
    Verdict.CLEAN: "var(--c3)", Verdict.FINDINGS: "var(--bad)", Verdict.UNDETERMINED: "var(--unsure)",
    Verdict.UNREADABLE: "var(--none)",
}  # fmt: skip
MOST_BARS = 15
BINS = 40


def render_report(found: Overview, source: str, folder: str = ".") -> str:
    """The page of the results in a file; games are links from a page in `folder`."""
    verdicts = {verdict: sum(one.verdicts.get(verdict, 0) for one in found.judged) for verdict in Verdict}
    # A document may be judged under several rulesets.
    noun = "documents" if len(found.judged) < 2 else "results"
    facts = [(f"{found.rows:,}", noun)]
    facts += [(percent(count, found.rows), WORDS[v]) for v, count in verdicts.items() if count]
    facts.append((percent(sum(found.engine.values()), found.rows), "left to the engine"))
    sections = [Section("What was found", _left_out(found), list(_found(found, folder, noun)))]
    for one in found.judged:
        figures = list(_played(one))
        heading = f"How games go under {one.name}"
        if figures:
            note = f"Of {counted(one.over, 'game')} that {'is' if one.over == 1 else 'are'} clean and over."
            sections.append(Section(heading, note.replace(f"{one.over}", f"{one.over:,}", 1), figures))
    return render_charted("What these games come to", f"Results in {source}", facts, sections)


def _left_out(found: Overview) -> str:
    told = []
    if found.more_rulesets:
        told.append(f"{counted(found.more_rulesets, 'other ruleset')} with fewer documents left out.")
    if found.more_rules:
        told.append(f"{counted(found.more_rules, 'rule')} with fewer games left out.")
    return " ".join(told)


# ---- what was found


def _found(found: Overview, folder: str, noun: str) -> Iterator[Figure]:
    verdicts = [
        (one, verdict, one.verdicts[verdict]) for one in found.judged for verdict in Verdict if verdict in one.verdicts
    ]
    used = {WORDS[v]: COLORS[v] for v in Verdict if any(v is verdict for _, verdict, _ in verdicts)}
    yield Figure(
        "Verdicts", "", ("Ruleset", *used, "all"),
        [
            [text(one.name), *(whole(one.verdicts.get(v, 0)) for v in Verdict if WORDS[v] in used), whole(sum(one.verdicts.values()))]
            for one in found.judged
        ],
        draw_bars([Bar(one.ruleset or one.name, games, series=WORDS[v]) for one, v, games in verdicts], noun, used),
    )  # fmt: skip
    counts: dict[int, int] = {}
    for one in found.judged:
        for players, games in one.players.items():
            counts[players] = counts.get(players, 0) + games
    players_ = [
        (counted(players, "player") if players else "not known", games) for players, games in sorted(counts.items())
    ]
    yield Figure(
        "Players", "", ("Players", noun, "share"),
        [[text(label), whole(games), share(games, found.rows)] for label, games in players_],
        draw_bars([Bar(label, games, percent(games, found.rows)) for label, games in players_], noun),
    )  # fmt: skip
    why = [*found.engine.items()]
    yield Figure(
        "Left to the engine",
        "What compiled rules can judge is judged fast; the rest the engine judges, and it explains what is refused.",
        ("Why", noun, "share"), [[text(reason), whole(games), share(games, found.rows)] for reason, games in why],
        draw_bars([Bar(reason, games, percent(games, found.rows)) for reason, games in why], noun) if why else "",
        open=not why,
    )  # fmt: skip
    if found.refusals:
        yield _refusals(found, folder)


def _refusals(found: Overview, folder: str) -> Figure:
    several = len(found.judged) > 1
    first = found.refusals[:MOST_BARS]
    names = [f"{r.rule or r.code}" for r in first]
    # Where rules of several rulesets have one name their rulesets tell them apart.
    labels = [
        f"{name} ({r.ruleset})" if names.count(name) > 1 and several else name
        for name, r in zip(names, first, strict=True)
    ]
    labels = [f"{label} {r.code}" if labels.count(label) > 1 else label for label, r in zip(labels, first, strict=True)]
    bars = [Bar(label, r.games, f"{r.games:,}") for label, r in zip(labels, first, strict=True)]
    return Figure(
        "Games refused, by rule", "A game counts for each rule that it breaks, unless that follows from another.",
        ("Rule", "Games", "First in"),
        [
            [Cell(r.rule or r.code, note=", ".join([*[r.code] * bool(r.rule), *[r.ruleset or "no ruleset"] * several])), whole(r.games),
             _first(r, folder)]
            for r in found.refusals
        ],
        draw_bars(bars, "games"), open=True, wide=True,
    )  # fmt: skip


def _first(refusal: Refusal, folder: str) -> Cell:
    """Where the first game is, and what shows why it is refused."""
    name = refusal.document
    turn = f", turn {refusal.turn}" if refusal.turn else ""
    command = f"pwtool check {shlex.quote(name)}" if not name.startswith("-") else ""
    if command and refusal.ruleset:
        command += f" --rules {shlex.quote(refusal.ruleset)}"
    return Cell(f"{name}{turn}", href=quote_path(game_file(name, folder) or ""), command=command)


# ---- how games go


def _played(one: Judged) -> Iterator[Figure]:
    if not one.over:
        return
    yield _lengths(one)
    if len(one.endings) > 1:
        yield Figure(
            "How games end", "", ("Ending", "games", "share"),
            [[text(e.name), whole(e.games), share(e.games, one.over)] for e in one.endings],
            draw_bars([Bar(e.name, e.games, percent(e.games, one.over)) for e in one.endings], "games"),
        )  # fmt: skip
    if one.seats:
        yield _wins(one.seats)
        yield _scores(one.seats)
        if len({seat.players for seat in one.seats}) > 1:
            yield _scores_by_players(one.seats)
    if len(one.lines) > 1:
        means = [(line, line.total / line.players) for line in one.lines]
        yield Figure(
            "Where points come from", "Mean of a player.", ("Line", "mean", "least", "most"),
            [[text(line.name), decimal(mean), whole(line.low), whole(line.high)] for line, mean in means],
            draw_ranges([Range(line.name, min(0, mean), mean, max(0, mean)) for line, mean in means], "points"),
        )  # fmt: skip
    if one.objectives:
        yield from _objectives(one)


def _lengths(one: Judged) -> Figure:
    rows, points = [], []
    low = min(min(lengths) for lengths in one.lengths.values())
    high = max(max(lengths) for lengths in one.lengths.values())
    step = max(1, ceil((high - low + 1) / BINS))
    for players, lengths in one.lengths.items():
        games = sum(lengths.values())
        name = counted(players, "player")
        mean = sum(turns * count for turns, count in lengths.items()) / games
        rows.append(
            [text(name), whole(games), decimal(mean, 1), *map(whole, _quantiles(lengths, (0, 0.1, 0.5, 0.9, 1)))]
        )
        bins: dict[int, int] = {}
        for turns, count in lengths.items():
            bins[(turns - low) // step] = bins.get((turns - low) // step, 0) + count
        for number in range((high - low) // step + 1):
            middle = low + step * number + (step - 1) / 2
            points.append(Point(middle, 100 * bins.get(number, 0) / games, name))
    across = "turns" if step == 1 else f"turns, by {step}"
    chart = draw_lines(points, across, "% of games") if high > low else ""
    columns = ("Players", "games", "mean", "shortest", "10 %", "median", "90 %", "longest")
    return Figure("How long games are", "", columns, rows, chart)


def _quantiles(counts: dict[int, int], shares: Sequence[float]) -> list[int]:
    """The values below which such shares of all lie."""
    found, whole_ = [], sum(counts.values())
    for part in shares:
        passed = 0
        for value, count in sorted(counts.items()):
            passed += count
            if passed >= part * whole_:
                found.append(value)
                break
    return found


def _label(seat: Seat) -> str:
    return f"seat {seat.seat} of {seat.players}"


def _wins(seats: Sequence[Seat]) -> Figure:
    rows, ranges = [], []
    for seat in seats:
        found = _won(seat)
        low, high = found.low or 0.0, found.high or 1.0
        even = 1 / seat.players
        ranges.append(Range(_label(seat), low, found.mean, high, even=even))
        rows.append([text(_label(seat)), whole(seat.games), share(found.mean), share(low), share(high), share(even)])
    return Figure(
        "Games won, by seat",
        "A win that several share counts in equal parts. The band holds what is true of all such games in 95 of 100 cases; the tick is what is even.",
        ("Seat", "games", "won", "from", "to", "even"), rows, draw_ranges(ranges, "share of games", percent=True),
    )  # fmt: skip


def _won(seat: Seat) -> Estimate:
    """The share of games that a seat wins."""
    part = lcm(*(others + 1 for others in seat.wins))
    won = [(part // (others + 1), games) for others, games in seat.wins.items()]
    row = (seat.games, sum(value * games for value, games in won), sum(value * value * games for value, games in won))
    # A win in parts varies less than one that is whole, whose interval is therefore wide enough.
    return estimate(row, part, share=True)


_NONE = Cell("–", number=True)
"""One game alone has no interval."""


def _scores(seats: Sequence[Seat]) -> Figure:
    rows, ranges = [], []
    for seat in seats:
        found = estimate((seat.games, seat.total, seat.squares), 1, share=False)
        low, high = (found.mean if end is None else end for end in (found.low, found.high))
        ranges.append(Range(_label(seat), low, found.mean, high))
        first, median, third = seat.quartiles
        rows.append(
            [
                text(_label(seat)),
                decimal(found.mean),
                decimal(low) if found.low is not None else _NONE,
                decimal(high) if found.high is not None else _NONE,
                whole(first),
                whole(median),
                whole(third),
            ]
        )
    return Figure(
        "Points, by seat", "The mean, with the band that holds the true one in 95 of 100 cases.",
        ("Seat", "mean", "from", "to", "a quarter below", "median", "a quarter above"), rows, draw_ranges(ranges, "points"),
    )  # fmt: skip


def _scores_by_players(seats: Sequence[Seat]) -> Figure:
    bars, rows = [], []
    for players in dict.fromkeys(seat.players for seat in seats):
        of = [seat for seat in seats if seat.players == players]
        mean = sum(seat.total for seat in of) / sum(seat.games for seat in of)
        bars.append(Range(counted(players, "player"), min(0, mean), mean, max(0, mean)))
        rows.append([text(counted(players, "player")), whole(of[0].games), decimal(mean)])
    return Figure(
        "Points, by number of players", "Mean of a player.", ("Players", "games", "mean"), rows, draw_ranges(bars, "points")
    )  # fmt: skip


def _objectives(one: Judged) -> Iterator[Figure]:
    yield Figure(
        "Objectives claimed", "Of the games in which each is in play.", ("Objective", "in play", "claimed", "share"),
        [[text(o.name), whole(o.games), whole(o.claimed), share(o.claimed, o.games)] for o in one.objectives],
        draw_bars([Bar(o.name, o.claimed / o.games, percent(o.claimed, o.games)) for o in one.objectives], "share of games", percent=True),
    )  # fmt: skip
    claimed = [(o, o.quartiles) for o in one.objectives if o.quartiles is not None]
    if claimed:
        claimed.sort(key=lambda pair: (pair[1][1], pair[0].name))
        yield Figure(
            "When they are claimed", "The turn of the first claim: the median, and between which turns the middle half lies.",
            ("Objective", "claimed", "a quarter before", "median", "a quarter after"),
            [[text(o.name), whole(o.claimed), *map(whole, between)] for o, between in claimed],
            draw_ranges([Range(o.name, low, middle, high) for o, (low, middle, high) in claimed], "turn"),
        )  # fmt: skip


__all__ = ["render_report"]
