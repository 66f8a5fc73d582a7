"""Learning rules from recorded games."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pwtool.api.given import amount, text
from pwtool.api.rules import RulesError
from pwtool.api.sources import Source, read_many
from pwtool.learning import Learner, NothingToLearn, Prices
from pwtool.records.inputs import Document
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from pwtool.text.store import cache_folder


@dataclass(frozen=True, slots=True)
class LearnedRules:
    """What recorded games say about the rules by which they were played.

    `ruleset` is the known ruleset to begin from, and `edition` the text of an edition file with the `changes` (None: there are none).
    `clean` of the `games` are clean under it; of the others, `wrong` names those that are probably wrong, `unexplained` those that are
    refused too often alike for that, and `undetermined` those in which unseen cards decide. `sure` is false if another explanation is nearly as
    likely or accepts more games, or if many games are left that no small change explains: there are no changes then, and what would explain
    a part of the games is `partial` in `data`. `data` is what `pwtool learn --json` prints.
    """

    ruleset: str
    edition: str | None
    changes: tuple[str, ...]
    games: int
    clean: int
    wrong: tuple[str, ...]
    unexplained: tuple[str, ...]
    undetermined: tuple[str, ...]
    sure: bool
    data: dict[str, Any]


def learn(
    records: Source | Iterable[Source],
    *,
    of: str | Iterable[str] = (),
    price: float = 2.0,
    excuse: float = 1.0,
    quick: bool = False,
) -> LearnedRules:
    """Find the smallest change of a known ruleset under which recorded games are clean, apart from slips.

    A file that is named twice, alone or in a folder, counts once. It begins from the rulesets in `of`, or else from all of the game
    that the first record names. A change has to explain `price` games, and one in a hundred more; `excuse` is the price of calling a
    game wrong. `quick` looks for no games that decide between explanations, and for nothing suspicious.

    Raises `ValueError` if there is no game or a price is not above 0, `TypeError` for arguments of the wrong type, and `RulesError`
    for a ruleset that cannot be loaded.
    """
    from pwtool.show.text.learning import item_name, learned_data

    for name, value in (("price", price), ("excuse", excuse)):
        if not amount(name, value):
            raise ValueError(f"`{name}` is above 0")
    ruleset_store = RulesetStore(Library(cache=cache_folder()))
    if not isinstance(of, str | Iterable):
        raise TypeError(f"`of` is an address or several, not {type(of).__name__}")
    addresses = (of,) if isinstance(of, str) else tuple(text("of", one) for one in of)
    for address in addresses:
        found = ruleset_store.get(address)
        if found.value is None:
            raise RulesError(address, found.diagnostics)
    learner = Learner(ruleset_store, addresses, Prices(price, excuse), decide=not quick, suspect=not quick)
    documents = (one if isinstance(one, Document) else one.document() for one in read_many(records, once=True))
    try:
        learned = learner.learn(documents)
    except NothingToLearn as nothing:
        raise ValueError(str(nothing)) from None
    return LearnedRules(
        learned.address, learned.text if learned.changes else None, tuple(item_name(c.key) for c in learned.changes),
        learned.games, learned.clean, tuple(slip.name for slip in learned.slips), tuple(slip.name for slip in learned.open), learned.undetermined,
        not learned.unexplained and all(c.sure for c in learned.changes), learned_data(learned),
    )  # fmt: skip
