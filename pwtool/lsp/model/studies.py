"""What is proven about the objectives of a ruleset, computed once and kept while their conditions stay the same."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from pwtool.ir.model import Ruleset
from pwtool.play.game import Game

if TYPE_CHECKING:
    from pwtool.boards.study import Study

MAX_KEPT = 8
MAX_OBJECTIVES = 80
"""The most objectives studied in the editor; `pwtool analyze` studies more on request."""


@dataclass(frozen=True, slots=True)
class Rarity:
    """How many boards fulfil an objective: the share in words, the share (0 to 1), and everything else in lines; which
    others it follows from, implies and excludes. `measured` is the data on this objective alone.
    """

    share: str
    fraction: float
    lines: tuple[str, ...]
    follows: tuple[str, ...] = ()
    leads_to: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    measured: Mapping[str, Any] = field(default_factory=dict)

    @property
    def brief(self) -> str:
        """The share, and the nearest relations."""
        said = [
            self.share if self.share in ("none", "all") else f"{self.share}{' of' * self.share.endswith('%')} boards"
        ]
        said += [f"follows from {', '.join(self.follows)}"] if self.follows else []
        said += [f"excludes {', '.join(self.excludes)}"] if self.excludes else []
        return "; ".join(said)


_StudyInput = tuple[Any, ...]


class Studies:
    """The most recent studies of rulesets."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, tuple[_StudyInput, dict[str, Rarity]]] = OrderedDict()

    def known(self, ruleset: Ruleset) -> dict[str, Rarity] | None:
        """The rarities of a ruleset's objectives; None if they were not studied yet."""
        form = _form(ruleset)
        return next((found for kept, found in self._kept.values() if kept == form), None)

    def study(self, ruleset: Ruleset) -> dict[str, Rarity]:
        """Study all objectives of a ruleset; this may take seconds."""
        known = self.known(ruleset)
        if known is not None:
            return known
        found = _studied(ruleset) if ruleset.board is not None and len(ruleset.objectives) <= MAX_OBJECTIVES else {}
        self._kept[id(found)] = _form(ruleset), found
        if len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return found


def _form(ruleset: Ruleset) -> _StudyInput:
    """The input of a study."""
    conditions = [(name, objective.condition) for name, objective in ruleset.objectives.items()]
    return conditions, ruleset.components, ruleset.board, ruleset.decks, ruleset.max_players, ruleset.min_players


def _studied(ruleset: Ruleset) -> dict[str, Rarity]:
    from pwtool.boards.study import study_objectives
    from pwtool.show.text.studies import one_in, study_data

    names = list(ruleset.objectives)
    if not names:
        return {}
    game = Game(ruleset)
    study = study_objectives(game, names, names)
    found: dict[str, Rarity] = {}
    for one in study.studied:
        alone = dataclasses.replace(study, studied=(one,), open=())
        apart = dataclasses.replace(alone, studied=(dataclasses.replace(one, relations=()),))
        share = Fraction(one.measure.count, one.space.size)
        related: dict[str, list[str]] = {}
        for relation in one.relations:
            related.setdefault(relation.kind, []).append(relation.second)
        found[one.name] = Rarity(
            one_in(share), float(share), _lines(game, alone), tuple(related.get("implied", ())),
            tuple(related.get("implies", ())), tuple(related.get("excludes", ())), study_data(game, apart)["objectives"][0],
        )  # fmt: skip
    return found


def _lines(game: Game, study: Study) -> tuple[str, ...]:
    """The results for one objective, without its name."""
    from pwtool.show.text.studies import study_lines

    return tuple(line.strip() for line in study_lines(game, study)[2:])
