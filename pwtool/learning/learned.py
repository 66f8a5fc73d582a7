"""What games say about the rules by which they were played."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path

from pwtool.lang.merged import Key
from pwtool.learning.states import Prices
from pwtool.play.game import Game
from pwtool.text import Diagnostic


@dataclass(frozen=True, slots=True)
class Explanation:
    """Another change that explains the same games: what it is, and the logarithm of how many times less likely the games are
    under it (None: unknown). `refused`: a game at random that the learned rules allow and it refuses, or `allowed`, the other
    way round, told in words; `record` is that game, empty if none was found that decides (None: none was looked for). `games` are
    accepted only under this one.
    """

    key: Key
    kind: str
    before: str
    after: str | None
    nats: float | None
    decides: str = ""
    record: dict[str, object] | None = None
    games: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a known ruleset. `before` and `after` are the parts of the item's text that differ (None: there is no such
    item); `source` is where another ruleset of the game has the same.

    `games` are refused without it. In `tested` games something was possible only with it, in `chances` decisions (of the games
    that were looked at), and was done in `used`; if `at_least`, perhaps in more, because not all ways to do something were
    looked at. Up to these uses, players at random would have done it `expected` times. Of the changes that were tried, `others`
    and `more` accept the same games, or more.
    """

    key: Key
    kind: str
    text: str
    before: str | None
    after: str | None
    source: str
    games: tuple[str, ...]
    looked_at: int = 0
    tested: int = 0
    chances: int = 0
    used: int = 0
    at_least: bool = False
    expected: float = 0.0
    others: tuple[Explanation, ...] = ()
    more: int = 0

    @property
    def unsure(self) -> bool:
        """Whether another explanation is nearly as likely, so that these games cannot tell."""
        return any(o.nats is not None and o.nats < SURE for o in self.others)

    @property
    def exceeded(self) -> bool:
        """Whether another change that was tried accepts more games, whatever speaks against it."""
        return any(other.games for other in self.others)

    @property
    def wide(self) -> bool:
        """Whether what only this change allows was done much less often than players at random would have: it may allow more than
        is played. Of so many uses to expect, as few come by chance less than once in twenty thousand times.
        """
        return self.expected - self.used > WIDE * sqrt(self.expected)

    @property
    def sure(self) -> bool:
        """Whether no other explanation is nearly as likely, and none accepts more games."""
        return not (self.unsure or self.exceeded)


WIDE = 4.0
"""By how many standard deviations less than by chance something is used that is allowed too widely."""
SURE = 3.0
"""The logarithm of how many times less likely the games have to be under another explanation."""


@dataclass(frozen=True, slots=True)
class Slip:
    """A game that the learned rules refuse, its first finding, and a change that was tried and accepts this game and all that the
    learned rules accept.
    """

    name: str
    finding: Diagnostic
    explained: Explanation | None = None


@dataclass(frozen=True, slots=True)
class Partial:
    """Changes that are not made, because they explain only some of the games: so many would be `clean`, and what refuses the others
    is too frequent for slips (code, rule and games), of those that are refused anyway (`left`) and of those that are not (`lost`).
    """

    changes: tuple[Change, ...]
    clean: int
    left: tuple[tuple[str, str, int], ...]
    lost: tuple[tuple[str, str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Something that is allowed and never happened: in so many `games` it could have been done in `chances` decisions, and players
    at random would have done it `expected` times.
    """

    key: Key
    kind: str
    text: str
    before: str
    after: str | None
    games: int
    chances: int
    expected: float


@dataclass(frozen=True, slots=True)
class Learned:
    """What was learned: a known ruleset (`address`) and its changes, as the text of an edition file. `unexplained` says which
    refusals are too frequent to be slips and that no change explains; there are no changes then.
    """

    address: str
    name: str
    text: str
    changes: tuple[Change, ...]
    games: int
    clean: int
    slips: tuple[Slip, ...]
    unexplained: tuple[tuple[str, str, int], ...]
    left_out: tuple[tuple[str, str], ...]
    suspicions: tuple[Suspicion, ...]
    prices: Prices
    tried: int
    rulesets: tuple[Game, Game]
    """The known ruleset and the learned one."""
    version: str = ""
    near: tuple[str, ...] = field(default=())
    """Other known rulesets that explain the games as well."""
    elsewhere: tuple[tuple[str, int], ...] = ()
    """How many of the refused games other known rulesets accept: those from which a change is, and all if nothing explains the games."""
    folder: Path | None = None
    """The folder in which the edition file has to lie, beside the `game.rules` of a game of your own; None: it may lie anywhere."""
    open: tuple[Slip, ...] = ()
    """The games that are refused for what is `unexplained`."""
    undetermined: tuple[str, ...] = ()
    """The games that nothing refuses, but in which something cannot be known."""
    partial: Partial | None = None
    """The best explanation if games speak against it; no change is made then."""
