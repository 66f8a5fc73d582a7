"""What random games show of a ruleset that its designer may not have meant: games that get stuck or do not end, and what
never happens, never refuses, never ends a game, never tells players apart.

It is told as seen in so many games, never as proven. The budget is in games, turns and tries, so that a ruleset gets the
same findings everywhere.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Generator, Iterator

from msgspec import Struct
from msgspec.structs import replace

from pwtool.eval.work import TooMuchWork
from pwtool.ir import nodes as ir
from pwtool.ir.model import RuleModel
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import walk
from pwtool.play.selfplay import Endless, NoSetup
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.build import build_ruleset
from pwtool.rules.layers import merge_layers
from pwtool.rules.library import Layer
from pwtool.rules.targets import Target, own_documents
from pwtool.simulating.games import Played, Player
from pwtool.simulating.refusals import Hurdle, hurdles, refusals
from pwtool.text import Diagnostic, Severity
from pwtool.text.diagnostic import Detail
from pwtool.text.source import Span
from pwtool.text.speech import Told

GAMES, FEW_GAMES = 50, 5
"""The number of games for each number of players, of seed 1 and those after it; the fewer if the first of them takes the
engine more than `STEPS`.
"""
STEPS, ALL_STEPS = 400_000, 20_000_000
"""The steps of the engine for one game, and for all that a ruleset without a kernel may take."""
MOST_TURNS = 1_000
"""A game is stopped after this many turns."""
MOST_PLAYED = 10_000
"""No further games are begun for a number of players after this many turns."""
AT_ONCE = 10
FEW = 20
"""With fewer games, or fewer tries, nothing is said of what was always or never so."""
OFTEN = 10
"""What happens in one of so many games does so often enough to be missed where it never does."""

TOO_LONG = Told("nothing is said of random games: they take too many steps")

Key = tuple[str, str]
"""What is counted: a kind, and the name of an item or of a seat (empty: it is about whole games)."""


class Subject(Struct, frozen=True):
    """What is played: a ruleset, the names of the `own` files that findings may be about, the place of their header, how
    a command names the ruleset, and the ruleset that it changes (None: it changes none).
    """

    book: Rulebook
    own: frozenset[str]
    header: Span
    named: str
    base: Callable[[], Rulebook | None]


class Oddity(Struct, frozen=True):
    """Something odd that has no place yet: `count` of so many games are as it says. `spans` are places that explain it,
    the nearest first; `closed` says why nothing goes on; `without` is in how many of how many games it is so without the
    changes of the own files (None: there are none, or nobody asks).
    """

    key: Key
    code: str
    message: str
    command: str
    count: int
    games: int
    spans: tuple[Span, ...] = ()
    closed: tuple[Hurdle, ...] = ()
    players: int | None = None
    seed: int | None = None
    without: tuple[int, int] | None = None


class Seen(Struct, frozen=True):
    """What random games show, and the games (None: they take too many steps)."""

    found: tuple[Oddity, ...]
    games: RandomGames | None


def usual_counts(least: int, most: int) -> tuple[int, ...]:
    """The numbers of players to play with if nobody names any: all, but none above four unless the rules need more."""
    return tuple(range(least, max(least, min(most, 4)) + 1))


def subject_of(target: Target, ruleset_store: RulesetStore) -> Subject | None:
    """What is played of a ruleset; None if it cannot be loaded."""
    book, layers = ruleset_store.get(target.address).value, ruleset_store.library.layers(target.address).value
    if book is None or not layers:
        return None
    own = own_documents(layers, target)
    if not own or any(d.level is Severity.ERROR for d in book.diagnostics):
        return None
    chosen = [word for reading in ruleset_store.readings for word in ("--reading", reading)]
    named = shlex.join([target.address, *chosen, *["--as-printed"] * ruleset_store.as_printed])
    files = frozenset(document.header.span.file.name for document in own)
    return Subject(book, files, own[0].header.span, named, lambda: _base(layers, book))


def _base(layers: list[Layer], book: Rulebook) -> Rulebook | None:
    """The ruleset that the last layer changes; None if there is none."""
    below = [layer for layer in layers if layer.name != layers[-1].name]
    built = build_ruleset(below[-1].name, merge_layers(below)).value if below else None
    return None if built is None else Rulebook.of(built, (), book.shipped, cache=book.cache)


def find_oddities(subject: Subject) -> list[Diagnostic]:
    """Notes about what a designer should look at: about items of the own files, and about what these files do to whole
    games and to items of others. What an example shows is known, however rare it is.
    """
    looking = look(subject)
    while True:
        try:
            next(looking)
        except StopIteration as done:
            seen: Seen = done.value
            break
    if seen.games is None:
        return [Diagnostic("PW617", TOO_LONG, subject.header, severity=Severity.NOTE)]
    return [_told(odd, subject) for odd in seen.found]


def look(subject: Subject) -> Generator[None, None, Seen]:
    """Find the oddities, with pauses in which whoever asked may do something else, or give up."""
    try:
        games = RandomGames(subject.book)
        yield from games.play()
        found = list(_found(subject, games))
        yield
        elsewhere = [odd for odd in found if place_of(odd, subject) is None or odd.count]
        base = subject.base() if elsewhere else None
        if base is None:
            return Seen(tuple(found), games)
        before = RandomGames(base)
        yield from before.play()
    except TooMuchWork:
        return Seen((), None)
    kept = [odd for odd in found if odd not in elsewhere or _is_new(odd, before)]
    return Seen(tuple(_beside(odd, before) if odd in elsewhere else odd for odd in kept), games)


def place_of(odd: Oddity, subject: Subject) -> Span | None:
    """Its place in the own files; None if it has none there."""
    return next((span for span in odd.spans if span.file.name in subject.own), None)


def _is_new(odd: Oddity, before: RandomGames) -> bool:
    """Whether what is told of other files is not so, or less than half as often, without the own ones."""
    count, games = before.counts[odd.key], len(before.of(odd.key))
    return odd.count * games > 2 * count * odd.games if odd.count else count * OFTEN >= max(games, FEW)


def _beside(odd: Oddity, before: RandomGames) -> Oddity:
    return replace(odd, without=(before.counts[odd.key], len(before.of(odd.key))))


def _told(odd: Oddity, subject: Subject) -> Diagnostic:
    reasons = tuple(line for hurdle in odd.closed for line, _ in closed(hurdle, places=True))
    details = (*([Detail("because", reasons)] if reasons else []), Detail("see", (odd.command,)))
    data = {
        "item": odd.key[1] or None, "count": odd.count, "games": odd.games, "players": odd.players, "seed": odd.seed,
        "command": odd.command,
    }  # fmt: skip
    return Diagnostic(
        odd.code, odd.message, place_of(odd, subject) or subject.header, severity=Severity.NOTE, details=details, notes=remarks(odd),
        data={key: value for key, value in data.items() if value is not None},
    )  # fmt: skip


def remarks(odd: Oddity) -> tuple[str, ...]:
    """What has to be known about an oddity besides."""
    if odd.without is not None:
        count, games = odd.without
        return (Told("without these changes: in {count} of {games}", count=count, games=games),)
    return () if odd.count else (Told("seen, not proven: random play seldom gets to what is rare"),)


# ---- playing and counting


class RandomGames:
    """The random games of a ruleset, by the number of players; there are none before they are played."""

    def __init__(self, book: Rulebook) -> None:
        self.book = book
        self.sides: dict[int, list[Played]] = {}
        self.all: list[Played] = []

    def play(self) -> Iterator[None]:
        """Play them, with pauses. Raises `TooMuchWork`."""
        book, ruleset = self.book, self.book.game.ruleset
        counts = usual_counts(ruleset.min_players, ruleset.max_players)
        games = GAMES if _is_cheap(book, counts[0]) else FEW_GAMES
        yield
        player = Player(book)
        yield
        with book.game.work.limited(ALL_STEPS):
            for players in counts:
                self.sides[players] = side = []
                for some in _played(player, players, games):
                    side += some
                    yield
        self.all = [game for games in self.sides.values() for game in games]
        self.over = [game for game in self.all if game.over]
        self.played = [game for game in self.all if game.failed is None]
        self.counts = Counter(key for game in self.all for key in self._keys(game))

    def of(self, key: Key) -> list[Played]:
        """The games that can show something."""
        kind, name = key
        if kind == "seat":
            return [game for game in self.over if name.endswith(f" of {game.players}")]
        return (
            self.over if kind in ("ending", "score") else self.played if kind in ("action", "consequence") else self.all
        )

    def _keys(self, game: Played) -> Iterator[Key]:
        """What a game shows."""
        ruleset = self.book.game.ruleset
        if not game.over:
            yield how(game), ""
        if game.failed is not None:
            return
        done = [("action", name) for name in ruleset.actions]
        done += [("consequence", name) for name in reversed(ruleset.consequences)]
        yield from (key for key, count in zip(done, game.counts, strict=True) if count)
        if not game.over:
            return
        yield "ending", ruleset.endings[game.ending].name
        for number, score in enumerate(ruleset.scores):
            values = {line[number] for line in game.lines}
            # One player alone has nobody to differ from.
            if len(values) > 1 or (game.players == 1 and values != {self.over[0].lines[0][number]}):
                yield "score", score.name
        first = [seat for seat, place in enumerate(game.places) if place == 0]
        if len(first) == 1 and game.players > 1:
            yield "seat", f"{first[0] + 1} of {game.players}"


def _is_cheap(book: Rulebook, players: int) -> bool:
    """Whether the first game takes the engine few enough steps. It does not matter whether there is a kernel: the same
    games are played everywhere.
    """
    with book.game.work.limited(STEPS):
        try:
            list(Player(book, kernel=False).play(players, 1, 1, MOST_TURNS))
        except TooMuchWork:
            return False
    return True


def _played(player: Player, players: int, games: int) -> Iterator[list[Played]]:
    turns = 0
    for start in range(0, games, AT_ONCE):
        if turns >= MOST_PLAYED:
            return
        some = list(player.play(players, 1 + start, min(AT_ONCE, games), MOST_TURNS))
        turns += sum(game.turns for game in some)
        yield some


def how(game: Played) -> str:
    """How a game came out that is not over: it is stuck, long, or its setup, a turn or the bounds of a number fail."""
    if game.failed is None:
        return "stuck" if game.turns < MOST_TURNS else "long"
    return "setup" if game.failed is NoSetup else "turn" if game.failed is Endless else "bounds"


# ---- what is told


def _found(subject: Subject, games: RandomGames) -> Iterator[Oddity]:
    yield from _unfinished(subject, games)
    if 2 * len(games.over) < len(games.all):
        # What else is odd in games that are not over may follow from that.
        return
    command = f"pwtool simulate {subject.named} --games {GAMES} --seed 1"
    yield from _never(subject, games, command)
    for key, count in games.counts.items():
        if key[0] == "seat" and count == len(games.of(key)) >= FEW:
            seat, _, players = key[1].split()
            told = Told(
                "seat {seat} of {players} won all {games} random games", seat=seat, players=players, games=count
            )
            yield Oddity(key, "PW423", told, command, count, count, players=int(players))


def _unfinished(subject: Subject, games: RandomGames) -> Iterator[Oddity]:
    """Games that are not over."""
    first: dict[str, tuple[int, int]] = {}
    for players, side in games.sides.items():
        for seed, game in enumerate(side, 1):
            if not game.over:
                first.setdefault(how(game), (players, seed))
    for kind, (players, seed) in first.items():
        key = kind, ""
        count = {"count": games.counts[key], "games": len(games.all)}
        command = f"pwtool play {subject.named} --players {players} --seed {seed}"
        code, shut = "PW417", list[Hurdle]()
        match kind:
            case "stuck":
                message = Told(
                    "in {count} of {games} random games nobody can move although the game is not over", **count
                )
                shut = hurdles(subject.book, players, seed, MOST_TURNS)
                command += f" | pwtool replay - -r {subject.named}"
            case "setup":
                message = Told("for {count} of {games} random games no setup was found that the rules accept", **count)
            case "bounds":
                message = Told("{count} of {games} random games stop because a number leaves its bounds", **count)
            case "turn":
                code, message = "PW418", Told("in {count} of {games} random games a turn does not end", **count)
            case _:
                code, message = "PW418", _long(count, subject.book.game.ruleset.cycle)
        rules = tuple(rule.span for hurdle in shut for rule in hurdle.rules)
        yield Oddity(key, code, message, command, count["count"], count["games"], rules, tuple(shut), players, seed)


def _long(count: dict[str, int], cycle: str) -> Told:
    if cycle == "turn":
        return Told("{count} of {games} random games are not over after {most} turns", **count, most=MOST_TURNS)
    return Told("{count} of {games} random games are not over after {most} rounds", **count, most=MOST_TURNS)


def closed(hurdle: Hurdle, places: bool = False) -> Iterator[tuple[Told, RuleModel | None]]:
    """Why one way to go on is closed, in words, with the rule that they are about; `places`: say where it stands."""

    def named(rule: RuleModel) -> str:
        return f"`{rule.id}` ({rule.span})" if places else f"`{rule.id}`"

    action = hurdle.action
    for rule in hurdle.rules:
        if action is None:
            yield Told("{rule} does not let the turn end", rule=named(rule)), rule
        else:
            yield Told("{rule} refuses every `{action}`", rule=named(rule), action=action), rule
    if action is None or hurdle.rules:
        return
    if not hurdle.tried:
        yield Told("there is nothing to `{action}`", action=action), None
        return
    yield Told("each way to `{action}` is refused", action=action), None
    for rule, count in hurdle.some:
        told = Told("{rule} refuses {count} of {tried}", rule=named(rule), count=count, tried=hurdle.tried)
        yield told, rule


def _never(subject: Subject, games: RandomGames, command: str) -> Iterator[Oddity]:
    """What did not happen in any game, and no example shows."""
    ruleset, shown = subject.book.game.ruleset, _shown(subject.book)
    missed = [
        (key, code, span, told)
        for key, code, span, told in _awaited(games, shown)
        if not games.counts[key] and len(games.of(key)) >= FEW
    ]
    undone = [name for (kind, name), *_ in missed if kind == "action"]
    rules = [
        rule
        for rule in (
            *(r for a in ruleset.actions.values() if a.name not in undone for r in a.rules),
            *ruleset.turn_rules,
        )
        if rule.span.file.name in subject.own and (rule.id, "no") not in shown and not _remembers(rule.require)
    ]
    tried = refusals(subject.book, tuple(games.sides), GAMES, undone, [rule.id for rule in rules])
    for key, code, span, told in missed:
        shut: tuple[Hurdle, ...] = ()
        if key[0] == "action":
            hurdle = tried.hurdle(ruleset.actions[key[1]])
            if span.file.name in subject.own and hurdle.rules and all((r.id, "yes") in shown for r in hurdle.rules):
                continue
            shut = (hurdle,)
        yield Oddity(key, code, told, command, 0, len(games.of(key)), (span,), shut)
    for rule in rules:
        times = tried.times(rule.id)
        if times >= FEW and not tried.refused[rule.id]:
            told = Told(
                "`{name}` refused nothing in {games} random games, of {count} random tries",
                name=rule.id, games=tried.games, count=times,
            )  # fmt: skip
            yield Oddity(("rule", rule.id), "PW420", told, command, 0, tried.games, (rule.span,))


def _awaited(games: RandomGames, shown: set[tuple[str, str]]) -> Iterator[tuple[Key, str, Span, Told]]:
    """Everything that should happen in some game: what to count, and the code, the place and the message if it does not."""
    ruleset, count, over = games.book.game.ruleset, len(games.played), len(games.over)
    for name, action in ruleset.actions.items():
        if action.number not in ruleset.idle:
            told = Told("nobody did `{name}` in {games} random games", name=name, games=count)
            yield ("action", name), "PW419", action.span, told
    for name in ruleset.recordable:
        told = Told("`{name}` did not happen in {games} random games", name=name, games=count)
        yield ("consequence", name), "PW419", ruleset.consequences[name].span, told
    for ending in ruleset.endings:
        if (ending.name, "yes") not in shown and not _remembers(ending.condition):
            told = Told("`{name}` ended none of {games} random games", name=ending.name, games=over)
            yield ("ending", ending.name), "PW421", ending.span, told
    for score in ruleset.scores:
        # A number that is written as such is known to be the same.
        if (score.name, "then") not in shown and not isinstance(score.value, ir.Const):
            told = Told("`{name}` was the same for all players in {games} random games", name=score.name, games=over)
            yield ("score", score.name), "PW422", score.span, told


def _remembers(condition: Expr) -> bool:
    """Whether a condition is about earlier positions: they seldom come again at random, and examples cannot show it."""
    return any(isinstance(part, ir.Repeats) for part in walk(condition))


def _shown(book: Rulebook) -> set[tuple[str, str]]:
    """The items that examples show, each with what of them: that it holds, that it does not, a value."""
    found = set()
    for example in book.game.ruleset.merged.examples:
        for outcome in example.outcomes:
            found.add((example.name.name, outcome.kind))
            if outcome.kind == "then" and outcome.name is not None:
                found.add((outcome.name.name, "then"))
    return found
