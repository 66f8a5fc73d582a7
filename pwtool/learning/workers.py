"""Trying changes on all cores: each worker is a process with its own rulesets and games; what is found does not depend on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from pwtool.learning.judging import Place, Rules, Sample, Seen, applied
from pwtool.learning.kinds import Variant
from pwtool.learning.sisters import trimmed
from pwtool.records.ruleset_store import RulesetStore

if TYPE_CHECKING:
    from pwtool.text.processes import Crew

Found = TypeVar("Found")
EARLY = 100
"""How many outcomes may wait for an earlier one: most changes do not help, which is seen at once; others are tried on all games."""
WORTH = 3.0
"""The number of seconds after which starting workers pays off: each loads the rulesets and reads the games for itself."""


class Under(Struct, frozen=True):
    """Where changes are tried: a known ruleset with some changes, the places up to which it accepts the games, and the games that are
    judged first. Its `meaning` is the hash of its items.
    """

    address: str
    meaning: str
    changes: tuple[Variant, ...]
    places: tuple[Place, ...]
    probes: tuple[int, ...]


class Setting(Struct, frozen=True):
    """The known rulesets and the games, in the form that another process can load."""

    store: RulesetStore
    games: tuple[tuple[str, Any, float], ...]


Try = Callable[[Under, Variant, Rules, Sequence[Sample]], Found]
"""What is done with a change of rules: a function of a module, which another process finds there."""
Task = tuple[Try[Any], Under, Variant]


class Outcome(Struct, frozen=True):
    """What came of a change: whether it makes a text that can be read, and how far games are accepted if it helps in the first ones."""

    is_text: bool
    seen: list[Seen] | None = None


def outcome(under: Under, variant: Variant, rules: Rules, samples: Sequence[Sample]) -> Outcome:
    """What comes of a change of rules: it is tried on a few games first, then on all."""
    merged = applied(rules.merged, variant)
    made = None if merged is None else Rules.of(under.address, merged, rules)
    if made is None:
        return Outcome(merged is not None)
    known: dict[int, Seen] = {}
    for number, at in enumerate(under.probes):
        known[at] = made.judge(samples[at])
        better = sum(known[i].place > under.places[i] for i in known)
        if not better and number + 1 >= max(1, len(under.probes) // 2):
            return Outcome(True)
    return Outcome(True, [known.get(at) or made.judge(sample) for at, sample in enumerate(samples)])


class Workers:
    """Processes that try changes, from when the search has taken so long that they are worth their start."""

    def __init__(self, store: RulesetStore, samples: Sequence[Sample], jobs: int) -> None:
        self._store, self._samples, self._jobs = store, samples, jobs
        self._begun = monotonic()
        self._crew: Crew | None = None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: object) -> None:
        if self._crew is not None:
            self._crew.__exit__(*error)

    def map(self, try_: Try[Found], under: Under, rules: Rules, variants: Iterable[Variant]) -> Iterator[Found]:
        """What comes of each change, in order; `rules` are those that it would be a change of."""
        left = iter(variants)
        while self._crew is None and (variant := next(left, None)) is not None:
            yield try_(under, variant, rules, self._samples)
            if self._jobs > 1 and monotonic() > self._begun + WORTH:
                self._start()
        if self._crew is not None:
            tasks = ((try_, under, variant) for variant in left)

            def here(task: Task) -> tuple[Any] | None:
                return (try_(under, task[2], rules, self._samples),)

            for task, found in self._crew.share(tasks, here):
                # Of changes of which one replaces another, a worker may make another ruleset.
                yield (found or (try_(under, task[2], rules, self._samples),))[0]

    def _start(self) -> None:
        # Imported where they are used: a short search needs no other processes.
        from pwtool.text.processes import Crew

        # Known before it begins: it may be interrupted at once.
        self._crew = Crew(self._jobs - 1, trying, early=EARLY)
        self._crew.__enter__()
        games = tuple((sample.name, sample.data, sample.weight) for sample in self._samples)
        self._crew.give(Setting(self._store.in_a_worker(here=False), games))


def trying(setting: Setting) -> Callable[[Task], tuple[Any] | None]:
    """The function that a worker applies to a change; None if it cannot make the ruleset."""
    samples = [Sample(*game) for game in setting.games]
    made: list[tuple[str, Rules | None]] = []

    def rules_of(under: Under) -> Rules | None:
        if not made or made[0][0] != under.meaning:
            book = setting.store.get(under.address).value
            rules = (
                None if book is None else Rules.made(under.address, trimmed(book.game.ruleset.merged), under.changes)
            )
            made[:] = [(under.meaning, rules if rules is not None and rules.hashes[0] == under.meaning else None)]
        return made[0][1]

    def do(task: Task) -> tuple[Any] | None:
        try_, under, variant = task
        rules = rules_of(under)
        return None if rules is None else (try_(under, variant, rules, samples),)

    return do
