"""The games to learn from: all of them as texts, some of them read, and what rules say of all."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard, TypeVar

import msgspec

from pwtool.checking.documents import Loaded, choose_rulebook
from pwtool.checking.kernels import encoded
from pwtool.checking.report import FileResult
from pwtool.comparing.accepting import addresses_of, known_rulesets
from pwtool.kernel import MIN_GAMES, run
from pwtool.kernel.answers import CLEAN, NOT_MINE, Uncompilable
from pwtool.learning.judging import UNKNOWN, Rules, Sample
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.records.words import UNSEEN_CODE
from pwtool.text.speech import Told

Some = TypeVar("Some")
Refused = tuple[str, str]
"""What refuses a game first: the code and the rule."""
OPEN: Refused = (UNKNOWN, "")
"""Nothing refuses a game, but something in it cannot be known."""
FEW = 150
"""Up to so many games, every change is tried on all of them."""
EACH_REFUSAL = 24
CLEAN_ONES = 40
"""Of more games, how many of each refusal, and of those that are clean, changes are tried on."""
FEW_UNSEEN = 3
"""On so many games changes are tried if all have cards that nobody saw."""


@dataclass(slots=True)
class Corpus:
    """The games: their names, their records as JSON, and the names of documents that are no games."""

    names: list[str] = field(default_factory=list)
    texts: list[bytes] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)

    def add(self, loaded: Loaded | FileResult, ruleset_store: RulesetStore, address: str | None) -> None:
        """Add a document, of which the words of a notation are read by the ruleset at an address."""
        if isinstance(loaded, FileResult):
            reason = loaded.diagnostics[0].message if loaded.diagnostics else ""
            self.left_out.append((loaded.name, reason))
            return
        name = loaded.document.name
        if loaded.is_state:
            self.left_out.append((name, Told("a position, not a game")))
            return
        if loaded.notation is not None:
            chosen = choose_rulebook(loaded, ruleset_store, address)
            if isinstance(chosen, FileResult):
                self.add(chosen, ruleset_store, address)
                return
            loaded = chosen[0]
        text = encoded(loaded.data)
        if text is None or not isinstance(loaded.data, dict) or "turns" not in loaded.data:
            self.left_out.append((name, Told("not a game")))
            return
        self.names.append(name)
        self.texts.append(text)

    def keep_games_of(self, books: Sequence[Rulebook], ruleset: str, games: Collection[str]) -> None:
        """Leave out games of another game than these rulesets have, called like one of them: they name another one of the known
        `games`, or nothing that was done in them is an action there.
        """
        known = {name for b in books for name in (*b.game.ruleset.actions, *b.game.ruleset.consequences)}
        others = {name for name in games if all(b.game.ruleset.merged.headers[0].name.name != name for b in books)}
        kept = [
            number
            for number, text in enumerate(self.texts)
            if (not (done := _done_in(text)) or done & known) and _named_in(text) not in others
        ]
        for number in sorted({*range(len(self.names))}.difference(kept)):
            self.left_out.append((self.names[number], Told("another game than {ruleset}", ruleset=ruleset)))
        self.names, self.texts = [self.names[n] for n in kept], [self.texts[n] for n in kept]

    def sample(self, number: int, weight: float = 1.0) -> Sample:
        """One of the games, read."""
        return Sample(self.names[number], msgspec.json.decode(self.texts[number]), weight)

    def verdicts(self, book: Rulebook, rules: Rules | None = None) -> list[Refused | None]:
        """What refuses each game first (None: it is clean; `OPEN`), by the kernel if there is one."""
        found: list[Refused | None] = []
        known = self._by_kernel(book)
        for number in range(len(self.texts)):
            verdict = known.get(number, "unknown")
            if isinstance(verdict, str):
                rules = rules or rules_of(book)
                seen = rules.judge(self.sample(number))
                verdict = OPEN if seen.open else None if seen.clean else (seen.code, seen.rule)
            found.append(verdict)
        return found

    def _by_kernel(self, book: Rulebook) -> dict[int, Refused | None]:
        if len(self.texts) < MIN_GAMES or not run.is_installed():
            return {}
        try:
            instance = book.runner().instance()
            answers = instance.check(self.texts, False)
        except Uncompilable:
            return {}
        except run.failures():
            return {}
        replies = ((number, answers[number]) for number in range(len(answers)))
        return {
            number: None if reply.verdict == CLEAN else (reply.code, reply.rule)
            for number, reply in replies
            if reply.verdict != NOT_MINE
        }

    def samples(self, books: Iterable[Rulebook], learned: Sequence[Refused | None] | None = None) -> list[Sample]:
        """The games on which changes are tried: all if they are few, else some of each refusal under these rulesets and under
        what was `learned` so far, each for as many as it stands for.
        """
        known = self.known or spread(range(len(self.texts)), FEW_UNSEEN)
        if len(known) <= FEW:
            return [self.sample(number) for number in known]
        kinds: dict[tuple[Refused | None, ...], list[int]] = {}
        verdicts = [self.verdicts(book) for book in books]
        told_of = list(zip(*verdicts, *([] if learned is None else [learned]), strict=True))
        for number in known:
            kinds.setdefault(told_of[number], []).append(number)
        weights: dict[int, float] = {}
        for told, numbers in kinds.items():
            some = spread(numbers, CLEAN_ONES if None in told[: len(verdicts)] else EACH_REFUSAL)
            for number in some:
                weights[number] = len(numbers) / len(some)
        return [self.sample(number, weight) for number, weight in sorted(weights.items())]

    @property
    def known(self) -> list[int]:
        """The games without a card that nobody saw, which takes long to judge."""
        return [number for number, text in enumerate(self.texts) if not _has_unseen(text)]


def _has_unseen(text: bytes) -> bool:
    """Whether a card in a record is unknown; what is noted of a game may be `?` too."""
    unseen = msgspec.json.encode(UNSEEN_CODE)
    if unseen not in text:
        return False
    data = msgspec.json.decode(text)
    played = msgspec.json.encode([data.get(part) for part in ("setup", "start", "turns")])
    return unseen in played and UNSEEN_CODE not in data.get("players", ())


def _named_in(text: bytes) -> str:
    """The game that a record names."""
    named = msgspec.json.decode(text).get("ruleset")
    return re.split(r"[/+]", named)[0] if isinstance(named, str) else ""


def _done_in(text: bytes) -> set[str]:
    """The names of the actions in a record."""
    turns = msgspec.json.decode(text)["turns"]
    lists = [turn.get("actions") for turn in turns if isinstance(turn, dict)] if isinstance(turns, list) else []
    moves = [move for moves in lists if isinstance(moves, list) for move in moves if isinstance(move, dict)]
    return {name for move in moves if isinstance(name := move.get("action"), str)}


def is_refused(verdict: Refused | None) -> TypeGuard[Refused]:
    """Whether a game is refused: nothing else is known that speaks against it."""
    return verdict is not None and verdict != OPEN


def spread(numbers: Sequence[Some], most: int) -> list[Some]:
    """So many of these, evenly from all of them."""
    if len(numbers) <= most:
        return list(numbers)
    return [numbers[at * len(numbers) // most] for at in range(most)]


def rules_of(book: Rulebook) -> Rules:
    """A rulebook as rules under trial."""
    from pwtool.learning.judging import vocabulary

    ruleset = book.game.ruleset
    return Rules(ruleset.merged, book.game, book.legal, book.decoder, vocabulary(ruleset))


def known_editions(loaded: Loaded, ruleset_store: RulesetStore) -> list[str]:
    """The rulesets of the game that a document names; the one that it names itself if that is none of the library."""
    named = loaded.named_ruleset()
    game = (named or "").partition("/")[0].partition("+")[0]
    if game in ruleset_store.library.games():
        return addresses_of(ruleset_store.library, game)
    return known_rulesets(ruleset_store, loaded)
