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
from pwtool.text.speech import ENGLISH, Speech

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
    speech: Speech = ENGLISH

    @property
    def brief(self) -> str:
        """The share, and the nearest relations."""
        say, said = self.speech.say, [self.share]
        if 0 < self.fraction < 1:
            part = (
                say("{share} of boards", share=self.share)
                if self.share.endswith("%")
                else say("{share} boards", share=self.share)
            )
            said = [part]
        said += [say("follows from {names}", names=", ".join(self.follows))] if self.follows else []
        said += [say("excludes {names}", names=", ".join(self.excludes))] if self.excludes else []
        return say("; ").join(said)


_StudyInput = tuple[Any, ...]


class Studies:
    """The most recent studies of rulesets, told in the language of `speech`."""

    def __init__(self, speech: Speech = ENGLISH) -> None:
        self.speech = speech
        self._kept: OrderedDict[int, tuple[_StudyInput, dict[str, Rarity]]] = OrderedDict()

    def known(self, ruleset: Ruleset) -> dict[str, Rarity] | None:
        """The rarities of a ruleset's objectives; None if they were not studied yet."""
        form = self._form(ruleset)
        return next((found for kept, found in self._kept.values() if kept == form), None)

    def study(self, ruleset: Ruleset) -> dict[str, Rarity]:
        """Study all objectives of a ruleset; this may take seconds."""
        known = self.known(ruleset)
        if known is not None:
            return known
        found = (
            _studied(ruleset, self.speech)
            if ruleset.board is not None and len(ruleset.objectives) <= MAX_OBJECTIVES
            else {}
        )
        self._kept[id(found)] = self._form(ruleset), found
        if len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return found

    def _form(self, ruleset: Ruleset) -> _StudyInput:
        """The input of a study, and its language."""
        conditions = [(name, objective.condition) for name, objective in ruleset.objectives.items()]
        players = ruleset.min_players, ruleset.max_players
        return conditions, ruleset.components, ruleset.board, ruleset.decks, players, self.speech.language


def _studied(ruleset: Ruleset, speech: Speech) -> dict[str, Rarity]:
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
            one_in(share, speech), float(share), _lines(game, alone, speech.language), tuple(related.get("implied", ())),
            tuple(related.get("implies", ())), tuple(related.get("excludes", ())), study_data(game, apart)["objectives"][0],
            speech,
        )  # fmt: skip
    return found


def _lines(game: Game, study: Study, language: str) -> tuple[str, ...]:
    """The results for one objective, without its name."""
    from pwtool.show.text.studies import study_lines

    return tuple(line.strip() for line in study_lines(game, study, language)[2:])
