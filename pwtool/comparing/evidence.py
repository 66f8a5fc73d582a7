"""Evidence from games: many random games under one ruleset, judged by the other.

A claim that two rulesets mean the same is only accepted if no such game contradicts it; a difference is only reported
as one if a game shows it, or if none is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from contextlib import suppress
from dataclasses import replace as replaced

from msgspec import Struct, field
from msgspec.structs import replace as replace_struct

from pwtool.comparing.attributes import with_all_attributes
from pwtool.comparing.exploring import explore
from pwtool.comparing.items import expressions
from pwtool.comparing.renames import named_alike
from pwtool.comparing.row import Row, proven, sides_of
from pwtool.comparing.side_by_side import Asked, Pair
from pwtool.comparing.solver import is_installed
from pwtool.comparing.witness.judging import Pair as Judges
from pwtool.comparing.witness.judging import Refusal
from pwtool.comparing.witness.search import find_witnesses
from pwtool.comparing.witness.starts import find_starts
from pwtool.comparing.witness.translation import Key, Translation, Unknown
from pwtool.comparing.words import words_of
from pwtool.eval.work import TooMuchWork
from pwtool.ir import nodes as ir
from pwtool.ir.model import Ruleset
from pwtool.ir.walk import walk
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.run import failures
from pwtool.lang import tree as n
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.play.record import Record
from pwtool.play.selfplay import Unplayable
from pwtool.records.decoding import Decoder
from pwtool.records.ruleset_store import Rulebook
from pwtool.rules.build import build_ruleset
from pwtool.text.speech import Told

GAMES = 128
"""The number of games played under each ruleset for each number of players, at ordinary effort."""
BATCH = 64
FEW = 8
MORE = 3_000_000
"""How many numbers the packed records have of the games that are played for what these leave open: from a thousand games to a hundred thousand."""
STALLS = 100
"""So many games that come to a standstill are looked at for each reason."""
MAX_TURNS = 300
KINDS_ASKED = 30
"""How many games that differ, each in another way, are examined for the item in which they differ."""
EACH = 1
SEARCH_STEPS = 1_600_000
"""The steps of the search for games that show what random games do not, at ordinary effort."""
STALLED = "PW612"
PLAYER_NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MATERIAL = ("component", "deck", "zone", "token", "players", "setup")
_PLAYED = ("semantic",)

Played = tuple[int, int, bool]
"""How many games were played, how many of them were judged alike, and whether both rulesets had the material of the first."""


class Evidence(Struct):
    """What games showed: how many were played and judged alike, and the first that was not, for each item and for each ruleset
    that accepts it. `why` says why there were no games. If the material differs, it is `borrowed`: both were played with that of
    the first; `once` are the items that differ with that of one of them alone.
    """

    games: int = 0
    alike: int = 0
    shown: dict[tuple[Key, int], Record] = field(default_factory=dict)
    differ: list[tuple[int, Record]] = field(default_factory=list)
    why: str = ""
    borrowed: bool = False
    once: set[Key] = field(default_factory=set)

    @property
    def played(self) -> Played:
        """What is told of the games."""
        return self.games, self.alike, self.borrowed

    def sides(self, row: Row) -> set[int]:
        """The rulesets under which games were accepted that the other one refused because of this item."""
        return {side for (key, side) in self.shown if key == (row.kind, row.name)}


def play_both(
    first: Rulebook, second: Rulebook, rows: list[Row], effort: float = 1.0, seed: int = 0, more: int = 0
) -> Evidence:
    """Play under both rulesets, with the material and the setup of the first if the second can be played with them; up to `more`
    numbers of packed records longer, until a game shows each row about play. What shows with that material alone is no evidence.
    """
    other = under_names_of(second, first)
    lent = None
    if other is second and any(r.kind in _MATERIAL and r.nature in ("material", "setup") for r in rows):
        # If the second cannot be played with other material, games with its own material have to do.
        lent = _with_material(second, first)
    found = _play(first, other if lent is None else under_names_of(lent, first), rows, effort, seed, more)
    found.borrowed = lent is not None
    if lent is not None and found.shown:
        _drop_once(first, second, lent, rows, effort, found)
    return found


def _play(
    first: Rulebook,
    second: Rulebook,
    rows: list[Row],
    effort: float,
    seed: int = 0,
    more: int = 0,
    wanted: Set[Key] | None = None,
) -> Evidence:
    """Play under both rulesets, until games show all items that are `wanted`, if any are."""
    found = Evidence()
    try:
        pair = Pair(first, second)
    except (Uncompilable, ImportError):
        found.why = "one of them has no kernel"
        return found
    try:
        _ask(pair, (first, second), rows, effort, seed, more, found, wanted)
    except TooMuchWork:
        found.why = "a game takes too many steps"
    except failures():
        found.why = "a kernel stops"
    return found


def _drop_once(
    first: Rulebook, second: Rulebook, lent: Rulebook, rows: list[Row], effort: float, found: Evidence
) -> None:
    """Drop what games with the material of the first show (the second as it is `lent`), if neither games that one of the rulesets
    really has nor games with the material of the second show it: what a rule forbids may not exist there.
    """
    judges = Judges(first.game, second.game, rows)
    both = (judges, judges.turned())
    back = Translation(lent.game, second.game)
    counts = first.game.ruleset.counts_with(second.game.ruleset)
    left = {key for key, _ in found.shown} & {(row.kind, row.name) for row in rows}
    for (key, side), record in found.shown.items():
        with suppress(Unknown):
            own = back.record(record) if side else record
            if len(own.players) in counts and any(key in verdict.keys for verdict in both[side].judge(own)):
                left.discard(key)
    turned = _with_material(first, second) if left else None
    # Games with the same material are packed alike, and judged sooner.
    for one in (turned, first):
        if left and one is not None:
            left -= {key for key, _ in _play(one, second, rows, effort, wanted=frozenset(left)).shown}
    found.once = left
    found.shown = {place: record for place, record in found.shown.items() if place[0] not in left}


def _ask(
    pair: Pair,
    books: tuple[Rulebook, Rulebook],
    rows: list[Row],
    effort: float,
    seed: int,
    more: int,
    found: Evidence,
    wanted: Set[Key] | None,
) -> None:
    """Play, and find out the items in which the first game of each kind of difference differs."""
    first, second = (book.game.ruleset for book in books)
    kinds: dict[tuple[str, str, int], int] = {}
    judges = Judges(books[0].game, books[1].game, rows)
    both = (judges, judges.turned())
    games = round(GAMES * effort)
    for one in _played(pair, first, second, games, seed, FEW if wanted else BATCH):
        _examine(one, both, kinds, found)
        if wanted and wanted <= {key for key, _ in found.shown}:
            return
    # Where no game is accepted by both, something else than what is open keeps them apart.
    while more > 0 and found.alike and any(_is_asked(row) and not found.sides(row) for row in rows):
        seed, games = seed + games, BATCH
        for one in _played(pair, first, second, games, seed):
            _examine(one, both, kinds, found)
            more -= one.length


def _examine(one: Asked, both: tuple[Judges, Judges], kinds: dict[tuple[str, str, int], int], found: Evidence) -> None:
    """Count a game, and if it is the first of its kind find out in which items it differs."""
    differs = one.same is not True and one.was_played
    kind = (one.code, one.rule, one.under)
    number = kinds.get(kind, 0) + 1
    if differs:
        if one.code == STALLED and number > STALLS:
            return
        kinds[kind] = number
    found.games += 1
    found.alike += one.same is True
    if not differs or (one.code != STALLED and (number > EACH or len(kinds) > KINDS_ASKED)):
        return
    record = one.record
    assert record is not None
    # A game may come to a standstill under both rulesets: only the engine can tell.
    told = one.same is False and one.code != STALLED
    refusal = Refusal(one.code, one.rule, one.turn, one.action) if told else None
    verdicts = both[one.under].judge(record, refusal)
    # It may end where nobody can do anything, under the other ruleset as under its own.
    found.alike += one.code == STALLED and not verdicts
    for verdict in verdicts:
        if (one.under, record) not in found.differ:
            found.differ.append((one.under, record))
        for key in verdict.keys:
            found.shown.setdefault((key, one.under), record)


def _played(pair: Pair, first: Ruleset, second: Ruleset, games: int, seed: int, batch: int = BATCH) -> Iterator[Asked]:
    for start in range(0, games, batch):
        for players in first.counts_with(second):
            names = list(PLAYER_NAMES[:players])
            yield from pair.play(names, seed + start, min(batch, games - start), MAX_TURNS)


def _with_material(book: Rulebook, source: Rulebook) -> Rulebook | None:
    """A ruleset with the material and the setup of another one; None if the combination is not a valid ruleset."""
    merged, theirs = book.game.ruleset.merged, source.game.ruleset.merged
    kept = {key: node for key, node in merged.items.items() if key[0] not in _MATERIAL}
    # What follows from a thing is a rule.
    kept |= {
        key: _with_numbers(theirs.items[key], node)
        for key, node in merged.items.items()
        if key[0] == "component" and key in theirs.items
    }
    items = {key: node for key, node in theirs.items.items() if key[0] in _MATERIAL} | {
        # What only this ruleset has is still needed by its actions.
        key: node for key, node in merged.items.items() if key[0] in _MATERIAL and key not in theirs.items and key[0] != "setup"
    } | kept  # fmt: skip
    ruleset = build_ruleset(book.game.ruleset.address, replace_struct(merged, items=items)).value
    if ruleset is None:
        return None
    made_of = [found.game.ruleset.origin.stored for found in (book, source)]
    if all(made_of):
        ruleset.origin.stored = " ".join([*made_of, ruleset.version])
    return Rulebook.of(ruleset, (), shipped=False, cache=book.cache)


def _with_numbers(component: n.Node, own: n.Node) -> n.Node:
    """A component with what follows from its things in the `own` ruleset: numbers, and whose they are."""
    assert isinstance(component, n.Component)
    assert isinstance(own, n.Component)
    numbers = {one.name.name: one for one in own.attributes if one.kind in ("table", "owner")}
    attributes = (numbers.pop(one.name.name, one) for one in component.attributes)
    return replace_struct(component, attributes=(*attributes, *numbers.values()))


def under_names_of(second: Rulebook, first: Rulebook) -> Rulebook:
    """The second ruleset under the names of the first."""
    return _playing(second, named_alike(second.game, first.game).game)


def _playing(book: Rulebook, game: Game) -> Rulebook:
    return book if game is book.game else Rulebook(game, Decoder(game), LegalActions(game))


class Contradiction(Exception):
    """A game that refutes that two rulesets are the same: an internal error. `under` is the ruleset that accepts the game."""

    def __init__(self, under: int, record: Record) -> None:
        super().__init__("a game refutes that nothing differs")
        self.under, self.record = under, record


def is_related(first: Game, second: Game) -> bool:
    """Whether two rulesets have an action in common, under whichever name: without one, each refuses every game of the other at its
    first action.
    """
    return bool(first.ruleset.actions.keys() & named_alike(second, first).game.ruleset.actions.keys())


def weigh_rows(first: Rulebook, second: Rulebook, rows: list[Row], effort: float = 1.0) -> tuple[list[Row], Evidence]:
    """The rows as far as games confirm them, and what the games showed. Raises `Contradiction` if no row says that the rulesets
    differ and a game does. Beside a real difference, a game refutes no single row: an item that is the same in both may give
    another value after other actions.

    Between rulesets without a common action nothing is played. A difference in the text that no game shows is undecided, and a
    direction that games contradict is dropped.
    """
    games = with_all_attributes(first.game, second.game)
    first, second = (_playing(book, game) for book, game in zip((first, second), games, strict=True))
    alike = named_alike(second.game, first.game)
    second = under_names_of(second, first)
    if not is_related(first.game, second.game):
        return rows, Evidence(why="they have no action in common")
    found = play_both(first, second, rows, effort, more=round(MORE * effort)) if effort > 0 else Evidence()
    if not any(_counts(row) for row in rows):
        for under, record in found.differ:
            raise Contradiction(under, alike.own(record) if under else record)
    _explored(first.game, second.game, rows, found)
    open_ = [row for row in rows if _is_asked(row) and row.status != "undecided" and not found.sides(row)]
    if open_ and effort > 0:
        with suppress(TooMuchWork, Unplayable):
            search = find_witnesses(first.game, second.game, open_, steps=round(SEARCH_STEPS * effort))
            for place, witness in search.found.items():
                found.shown.setdefault(place, witness.record)
    weighed = [_weighed(row, found) if _is_asked(row) else row for row in rows]
    weighed = _dealt(first, second, weighed, effort > 0)
    if found.differ and not any(_counts(row) and row.status != "undecided" for row in weighed):
        # One of the undecided rows makes the difference: nothing else is left that could.
        weighed = [_together(row) if row.status == "undecided" else row for row in weighed]
    asking = list(_asking(first.game.ruleset, second.game.ruleset, rows, found))
    decided = {(row.kind, row.name) for row in asking}
    weighed = [row for row in weighed if (row.kind, row.name) not in decided]
    left = any(r.status == "undecided" for r in weighed)
    if left and effort > 0 and not found.differ and not asking:
        weighed = settle_by_induction(first.game, second.game, weighed, effort)
    return [*weighed, *asking], found


def settle_by_induction(first: Game, second: Game, rows: list[Row], effort: float = 1.0) -> list[Row]:
    """The rows, those about play and result without effect if a proof says that no game from a setup shows them; without the
    solver they stay as they are.
    """
    settled = [r for r in rows if _is_asked(r) or (r.nature == "setup" and r.kind == "rule")]
    if not is_installed():
        return rows
    from pwtool.comparing.induction.proving import prove_same

    proof = prove_same(first, named_alike(second, first).game, rows, effort)
    if proof is None:
        return rows
    said = Told("no game from a setup shows it: by induction over {count} steps of play", count=proof.steps)
    return [
        replaced(r, nature="wording", status="no_effect", direction="", proof=said, example="") if r in settled else r
        for r in rows
    ]


def _explored(first: Game, second: Game, rows: list[Row], found: Evidence) -> None:
    """Add the games that show the first difference, if all positions can be compared."""
    named = named_alike(second, first).game
    explored = explore(first, named) if any(map(_is_asked, rows)) else None
    if explored is None or not explored.shown:
        return
    judges = Judges(first, named, rows)
    both = (judges, judges.turned())
    for under, record in explored.shown:
        for verdict in both[under].judge(record):
            if (under, record) not in found.differ:
                found.differ.append((under, record))
            for key in verdict.keys:
                found.shown.setdefault((key, under), record)


def _dealt(first: Rulebook, second: Rulebook, rows: list[Row], look: bool) -> list[Row]:
    """The rows, those about rules of the setup as far as deals confirm them, if any are looked for."""
    asked = [r for r in rows if r.kind == "rule" and r.nature == "setup" and r.status != "undecided"]
    if not asked:
        return rows
    if not look:
        return [replaced(row, status="undecided", direction="") if row in asked else row for row in rows]
    pair = Judges(first.game, second.game, rows)
    shown = {row for side, p in enumerate((pair, pair.turned())) for row, _, _ in find_starts(p, side, asked)}
    proof = Told("no deal was found that shows it")
    return [
        replaced(row, status="undecided", direction="", proof=proof) if row in asked and row not in shown else row
        for row in rows
    ]


def _asking(first: Ruleset, second: Ruleset, rows: list[Row], found: Evidence) -> Iterator[Row]:
    """Rules that say the same in both and, as games show, decide differently: they ask whether an action can be done."""
    told = {(row.kind, row.name): row for row in rows}
    same = [key for key, _ in found.shown if key[0] == "rule" and (key not in told or told[key].nature == "wording")]
    for key in dict.fromkeys(same):
        rules = [ruleset.rule(key[1]) for ruleset in (first, second)]
        asked = sorted(
            {p.action for r in rules if r is not None for x in expressions(r) for p in walk(x) if isinstance(p, ir.Can)}
        )
        if asked and None not in rules:
            before, after = (words_of(ruleset.merged.items.get(key)) for ruleset in (first, second))
            twin = told[key].twin if key in told else ""
            names = [f"`{name}`" for name in asked]
            yield Row(
                *key,
                "semantic",
                "different",
                "",
                before,
                after,
                Told("it asks whether {names} can be done; a game shows it", names=names),
                twin=twin,
            )


def _counts(row: Row) -> bool:
    """Whether a row says that two rulesets differ, or may differ."""
    return row.nature in ("semantic", "material", "setup", "position")


def _is_asked(row: Row) -> bool:
    """Whether games have to confirm a row: boards show what an objective is, and a variant either exists or does not."""
    return row.nature in _PLAYED and row.kind not in ("objective", "variant")


def _together(row: Row) -> Row:
    return replaced(row, status="different", proof=Told("a game shows that something differs, and nothing else can"))


def _weighed(row: Row, found: Evidence) -> Row:
    sides = found.sides(row)
    if row.status == "undecided":
        return replaced(row, status="different") if sides else row
    if not sides:
        if not found.games:
            # What is written differently may never show in play.
            return replaced(row, status="undecided", direction="")
        once = (row.kind, row.name) in found.once
        seen = Told("games with the material of the first show it, others do not")
        none = seen if once else Told("no game of {count} shows it", count=found.games)
        proof = proven(row.proof, none)
        return replaced(row, status="undecided", direction="", proof=proof)
    if row.direction == "incomparable" and row.kind in ("rule", "action", "anytime") and len(sides) == 1:
        # Only games show that each ruleset allows what the other does not.
        return replaced(row, direction="")
    if row.direction in ("permissive", "stricter") and sides - set(sides_of(row)):
        return replaced(row, direction="incomparable" if len(sides) > 1 else "")
    return row
