"""What random games show of the rules in the editor: what is odd, how games go, and one of them to step through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from statistics import median_low

from msgspec import Struct

from pwtool.ir.model import RuleModel, Ruleset
from pwtool.lang.merged import Key
from pwtool.play.chance import Chance
from pwtool.play.selfplay import NoSetup, RandomPolicy, Unplayable, deal_at_random, play_game
from pwtool.show.html.playing.page import render_played
from pwtool.simulating.games import Played
from pwtool.simulating.oddities import FEW, TOO_LONG, Oddity, RandomGames, Subject, closed, place_of, remarks
from pwtool.studio.background import Measured
from pwtool.studio.changing import may_change
from pwtool.studio.document_context import DocumentContext
from pwtool.studio.refusing import Refused
from pwtool.text.source import Span
from pwtool.text.speech import Told
from pwtool.why.voice import Voice, raised

MOST_TURNS = 200
"""A game to step through stops after this many turns."""


class Reason(Struct):
    """Why nothing goes on; `rule` is the rule's text for players, `line` its place in this file; `name` is its name if this file may
    change it.
    """

    text: str
    rule: str = ""
    line: int | None = None
    name: str = ""


class Note(Struct):
    """Something odd. `players` and `seed`: a game that shows it, if there is one."""

    text: str
    reasons: list[Reason]
    remarks: list[str]
    line: int | None
    players: int | None = None
    seed: int | None = None


class Play(Struct):
    """What is told of random games; `figures` are labels with what was counted."""

    notes: list[Note]
    figures: list[tuple[str, str]]
    problem: str = ""


def told_of(measured: Measured, asked: DocumentContext, voice: Voice) -> Play | None:
    """What random games show; None if they are not played yet."""
    seen, subject = measured.seen, measured.subject
    if measured.problem is not None:
        return Play([], [], voice.say("internal error: {reason}", reason=measured.problem))
    if seen is None or subject is None:
        return None
    if seen.games is None:
        return Play([], [], raised(voice.tell(TOO_LONG)))
    writer = _Writer(asked, subject, voice)
    return Play([writer.note(odd) for odd in seen.found], list(_figures(seen.games, subject.book.game.ruleset, voice)))


class _Writer:
    def __init__(self, asked: DocumentContext, subject: Subject, voice: Voice) -> None:
        self.asked, self.subject, self.voice = asked, subject, voice
        self.ruleset = subject.book.game.ruleset
        self.keys: dict[Span, Key] = {node.span: key for key, node in self.ruleset.merged.items.items()}

    def note(self, odd: Oddity) -> Note:
        shows = odd.seed is not None and odd.key[0] != "setup"
        return Note(
            raised(self.voice.tell(odd.message)),
            [
                self._reason(text, rule) for hurdle in odd.closed for text, rule in closed(hurdle)
            ],
            [raised(self.voice.tell(remark)) for remark in remarks(odd)],
            self._line(place_of(odd, self.subject)),
            odd.players if shows else None, odd.seed if shows else None,
        )  # fmt: skip

    def _reason(self, text: Told, rule: RuleModel | None) -> Reason:
        said = str(self.voice.tell(text))
        if rule is None:
            return Reason(said)
        key = ("rule", rule.id)
        name = rule.id if may_change(self.asked, key) else ""
        return Reason(said, self.voice.text(self.ruleset, key, rule.text), self._line(rule.span), name)

    def _line(self, span: Span | None) -> int | None:
        """The line of an item in this file, as it stands now."""
        key = self.keys.get(span) if span is not None else None
        node = self.asked.analysis.merged.items.get(key) if key is not None else None
        return node.span.line if node is not None and node.span.file.name == self.asked.analysis.file.name else None


# ---- figures


def _figures(games: RandomGames, ruleset: Ruleset, voice: Voice) -> Iterator[tuple[str, str]]:
    counts = list(games.sides)
    count = voice.number(len(games.all))
    if len(counts) == 1:
        said = voice.many("{games} with {count} player", "{games} with {count} players", counts[0], games=count)
    else:
        said = voice.say("{games} with {low} to {high} players", games=count, low=counts[0], high=counts[-1])
    yield voice.say("Games"), said
    if games.over:
        turns = sorted(game.turns for game in games.over)
        least, middle, most = (voice.number(number) for number in (turns[0], median_low(turns), turns[-1]))
        length = middle
        if least != most:
            length = voice.say(
                "{least} to {most}, half of them at most {median}", least=least, most=most, median=middle
            )
        yield voice.say("Rounds") if ruleset.rounds else voice.say("Turns"), length
    if len(games.over) < len(games.all):
        yield voice.say("Not over"), _of(len(games.all) - len(games.over), len(games.all), voice)
    ended = Counter(game.ending for game in games.over)
    for number, ending in enumerate(ruleset.endings):
        text = voice.text(ruleset, ("ending", ending.name), ending.text or ending.name)
        yield raised(text), _of(ended[number], len(games.all), voice)
    for players, side in games.sides.items():
        over = [game for game in side if game.over]
        if players > 1 and len(over) >= FEW:
            label = voice.many("Wins, {count} player", "Wins, {count} players", players)
            yield label, ", ".join(_wins(over, players, voice))


def _of(count: int, of: int, voice: Voice) -> str:
    return voice.say("{count} of {of}", count=voice.number(count), of=voice.number(of))


def _wins(over: list[Played], players: int, voice: Voice) -> Iterator[str]:
    """How often each seat wins alone, and how often several share."""
    winners = [[seat for seat, place in enumerate(game.places) if place == 0] for game in over]
    for seat in range(players):
        share = _share(sum(who == [seat] for who in winners), len(over), voice)
        yield voice.say("seat {seat}: {share}", seat=seat + 1, share=share)
    shared = sum(len(who) != 1 for who in winners)
    if shared:
        yield voice.say("nobody alone: {share}", share=_share(shared, len(over), voice))


def _share(count: int, of: int, voice: Voice) -> str:
    # Of fifty games, more digits would say nothing.
    return voice.digits(f"{round(100 * count / of)}%")


# ---- one game


def game_page(measured: Measured | None, players: int, seed: int, voice: Voice) -> str:
    """A page to step through one of the games that something odd was seen in, at its end."""
    found = (measured.seen.found if measured.seen is not None else ()) if measured is not None else ()
    odd = next((odd for odd in found if (odd.players, odd.seed) == (players, seed)), None)
    if measured is None or measured.subject is None or odd is None:
        raise Refused(Told("the rules have changed since these games were played"))
    book, rng = measured.subject.book, Chance(seed)
    try:
        record = deal_at_random(book.game, [f"P{seat}" for seat in range(1, players + 1)], rng)
    except NoSetup as error:
        raise Refused(Told("no setup was found that the ruleset's own setup rules accept")) from error
    with suppress(Unplayable):
        play_game(book.game, record, RandomPolicy(rng), book.legal, MOST_TURNS, rng, unfinished=True)
    why = [voice.tell(text) for hurdle in odd.closed for text, _ in closed(hurdle)]
    return render_played(
        book,
        record,
        voice.say("Random game {number}", number=seed),
        raised(voice.tell(odd.message)),
        why,
        voice.language,
    )
