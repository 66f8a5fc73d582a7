"""Formulas over what two games ask about, with the values of the variables that are followed in both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pwtool.comparing.canonical import Normalizer
from pwtool.comparing.followed_variables import can_follow, can_lack
from pwtool.comparing.forms import NOTHING, NormalForm, mentions
from pwtool.comparing.prover import Builder, Facts, Formula, Size, TooMany
from pwtool.ir.model import VariableModel
from pwtool.ir.types import Type

MAX_SHARED = 500
"""So many cases of what one action asks about may come from rules that are the same in both."""
MAX_NUMBER = 99
"""The greatest absolute value up to which a variable is followed."""


class FollowingBuilder(Builder):
    """Formulas that know the variables that are followed; everything else is an unrestricted fact, which both games share as
    long as they have done the same (`stage`).
    """

    def __init__(self, names: Sequence[Normalizer], side: int, tracked: list[VariableModel], facts: Facts) -> None:
        super().__init__(names, facts)
        self.side, self.stage = side, 0
        self.tracked = {("Variable", (v.name,)): v.name for v in tracked if can_follow(v)}
        self.bounds = {v.name: max(abs(v.type.low), abs(v.type.high)) for v in tracked}
        self.present = {("Variable", (v.name,)): v.name for v in tracked if can_lack(v)}

    def follows(self, form: NormalForm) -> bool:
        """Whether a form asks about variables that are followed."""
        return form in self.tracked or self._lacking(form) is not None or any(self.follows(part) for part in form[2:])

    def _lacking(self, form: NormalForm) -> str | None:
        """The variable of which a form asks whether it has no value."""
        if form[0] != "Equal" or NOTHING not in form[2:]:
            return None
        return next((self.present[part] for part in form[2:] if part in self.present), None)

    def shares(self, form: NormalForm) -> bool:
        """Whether a condition, as it is before the action, asks about facts that are known, and few others."""
        own, all_ = Facts(), self.facts.copy()
        try:
            for facts in (own, all_):
                FollowingBuilder(self.names, self.side, [], facts).formula(form)
            all_.cut()
        except TooMany:
            return False
        return not own.domains.keys().isdisjoint(self.facts.domains) and all_.cases() <= MAX_SHARED

    def formula(self, form: NormalForm) -> Formula:
        if form in self.tracked:
            return held(("value", self.side, self.tracked[form]))
        lacking = self._lacking(form)
        if lacking is not None:
            key = ("value", self.side, lacking)
            return lambda facts: not facts[key]
        if form[0] == "Before":
            with self._at_first():
                return self.formula(form[2])
        return super().formula(form)

    def size(self, form: NormalForm) -> Size:
        if form in self.tracked:
            return {(): min(MAX_NUMBER, self.bounds[self.tracked[form]])}
        if form[0] == "Before":
            with self._at_first():
                return self.size(form[2])
        return super().size(form)

    @contextmanager
    def _at_first(self) -> Iterator[None]:
        """As it was before the action did anything."""
        stage, self.stage = self.stage, 0
        try:
            yield
        finally:
            self.stage = stage

    def keep(self, form: NormalForm) -> None:
        """Leave out no value of what a number is made of: other actions compare what a variable becomes."""
        own = Facts()
        builder = FollowingBuilder(self.names, self.side, [], own)
        builder.stage = self.stage
        builder.formula(form)
        self.facts.whole |= own.domains.keys()

    def has_value(self, form: NormalForm) -> Formula:
        """Whether a value is there."""
        if form in self.present:
            return held(("value", self.side, self.present[form]))
        if form == NOTHING or not self.type_of(form).optional:
            return lambda facts: form != NOTHING
        key = ("there", self.stage, form)
        self.facts.domains[key] = [False, True]
        return held(key)

    def fact(self, form: NormalForm, type_: Type) -> Formula:
        if any(mentions(form, variable) for variable in self.tracked):
            # It hides what may be different.
            raise TooMany
        return super().fact(form, type_)

    def key(self, form: NormalForm, type_: Type) -> NormalForm:
        if form[0] == "parameter":
            return form
        return "at", 0 if _is_of_arguments(form) else self.stage, form


def _is_of_arguments(form: NormalForm) -> bool:
    """Whether a form asks about the arguments of an action alone, which stay what they are."""
    return form[0] == "parameter" or (form[0] in ("Attribute", "Faces") and _is_of_arguments(form[2]))


def held(key: Any) -> Formula:
    """Whether, or what, a fact is."""
    return lambda facts: facts[key]
