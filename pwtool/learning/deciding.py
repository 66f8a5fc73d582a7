"""A game that decides between two explanations: legal under one, refused under the other."""

from __future__ import annotations

from collections.abc import Iterator

from pwtool.checking.documents import check_loaded, load_document
from pwtool.checking.report import FileResult
from pwtool.comparing.evidence import settle_by_induction
from pwtool.comparing.row import Row
from pwtool.comparing.rows import compare_rulesets
from pwtool.comparing.witness.shrink import shrink
from pwtool.eval.work import TooMuchWork
from pwtool.learning.corpus import Corpus
from pwtool.learning.judging import Rules, Seen, applied, until
from pwtool.learning.kinds import Variant
from pwtool.learning.workers import Under
from pwtool.play.changes import FaultyRules
from pwtool.play.record import Record
from pwtool.play.selfplay import Unplayable
from pwtool.records.encoding import encode_record
from pwtool.records.inputs import Document
from pwtool.records.random_records import play_many
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.library import Library
from pwtool.text import Diagnostic
from pwtool.text.source import SourceFile
from pwtool.text.speech import Speech
from pwtool.text.terminal import dump_json

GAMES = 24
"""The number of random games under each of two rulesets, for each number of players."""
TRIES = 120
"""The number of attempts to make a game shorter."""
LARGE = 1_000, 0.8
"""From so many positions on, a game of which more than this share was not followed yet is too large to be explored."""
PROOF = 0.1
"""What the proofs for all explanations of a change may do together, as a share of the work of an ordinary comparison."""
MAX_TURNS = 200
MOST_PLAYERS = 4


def decided(
    change: Variant,
    language: str,
    by_games: bool,
    proof: float,
    under: Under,
    other: Variant,
    rules: Rules,
    samples: object,
) -> tuple[str, dict[str, object] | None] | None:
    """What decides between two changes of rules: the objection of the other in words, and a short game that only one of both accepts;
    ("", {}) if none was found, ("", None) if none was looked for; None if both are proven to mean the same, with that share of the
    work of an ordinary comparison.
    """
    made = [
        None if (m := applied(rules.merged, v)) is None else Rules.of(under.address, m, rules) for v in (change, other)
    ]
    if made[0] is None or made[1] is None:
        return "", None
    learned, instead = made[0], made[1]
    found = deciding_game(learned, instead, language) if by_games else None
    if found is not None:
        return found
    return None if are_the_same(learned, instead, proof) else ("", {} if by_games else None)


def deciding_game(learned: Rules, other: Rules, language: str = "en") -> tuple[str, dict[str, object]] | None:
    """A short game that only one of two rulesets accepts: the objection of the other in words, and the game; None if none was found."""
    if learned.vocabulary != other.vocabulary:
        return None
    for first, second in ((learned, other), (other, learned)):
        found = _shortest(first, second)
        if found is not None:
            record = _smaller(first, second, *found)
            data = _data(first, record)
            speech = Speech(language)
            side = (
                speech.say("allowed by the rules that were learned")
                if first is learned
                else speech.say("allowed only by the other")
            )
            finding = first_finding(second.book(), "game", dump_json(data).encode(), language)
            where = f"{finding.where}: " if finding is not None and finding.where else ""
            said = "" if finding is None else f"; {where}{finding.message}"
            return f"{side}{said}", data
    return None


def are_the_same(learned: Rules, other: Rules, proof: float = PROOF) -> bool:
    """Whether two rulesets are proven to mean the same, with a share of the work of an ordinary comparison."""
    rows = compare_rulesets(learned.game, other.game, LARGE)
    if not _are_settled(rows):
        rows = settle_by_induction(learned.game, other.game, rows, proof)
    return _are_settled(rows)


def _are_settled(rows: list[Row]) -> bool:
    return all(row.status in ("reworded", "no_effect") for row in rows)


def _shortest(first: Rules, second: Rules) -> tuple[Record, Seen] | None:
    """The random game under the first ruleset that the second refuses earliest."""
    games = list(_games(first))
    corpus = Corpus([""] * len(games), [dump_json(_data(first, record)).encode() for record in games])
    found: list[tuple[tuple[int, int, int], int, Record, Seen]] = []
    for number, verdict in enumerate(corpus.verdicts(second.book(), second)):
        seen = None if verdict is None else second.judge(corpus.sample(number))
        if seen is not None and not seen.clean and seen.code not in ("PW702", "PW617"):
            found.append((seen.place, number, games[number], seen))
    best = min(found, default=None, key=lambda entry: entry[:2])
    return None if best is None else best[2:]


def _data(rules: Rules, record: Record) -> dict[str, object]:
    """A game as JSON; the rules are only tried, so that it names no version of them."""
    data = encode_record(rules.game, record)
    data.pop("version", None)
    return data


def _games(rules: Rules) -> Iterator[Record]:
    ruleset = rules.game.ruleset
    for players in range(ruleset.min_players, min(ruleset.max_players, MOST_PLAYERS) + 1):
        names = [f"Player {number}" for number in range(1, players + 1)]
        try:
            yield from play_many(rules.book(), names, 1, GAMES, MAX_TURNS)
        except (Unplayable, FaultyRules, TooMuchWork):
            continue


def _smaller(first: Rules, second: Rules, record: Record, seen: Seen) -> Record:
    """The game without what is not needed for the second ruleset to refuse it."""
    turn = seen.place[0]
    if turn < len(record.turns):
        record = until(record, (turn + 2, 0, 0)) if not seen.place[1] < 1 << 20 else until(record, (turn + 1, 0, 0))

    def shows(smaller: Record) -> bool:
        return first.judge_record(smaller).clean and second.judge_record(smaller).group == seen.group

    if not shows(record):
        return record
    try:
        return shrink(first.game, record, shows, TRIES)
    except (FaultyRules, TooMuchWork, Unplayable):
        return record


def first_finding(book: Rulebook, name: str, text: bytes, language: str) -> Diagnostic | None:
    """The first finding in a game under a ruleset, in words."""
    store = RulesetStore(Library(cache=None))
    address = book.game.ruleset.address
    store.put(address, book)
    loaded = load_document(Document(name, SourceFile(name, text.decode("utf-8", "replace")), ()))
    if isinstance(loaded, FileResult):
        return next(iter(loaded.diagnostics), None)
    return next(iter(check_loaded(loaded, store, address, language, causes=False).diagnostics), None)
