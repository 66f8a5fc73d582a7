"""What holds at each place in play: of many guesses about it those are left out that some step does not keep, until all are kept
(C. Flanagan, K. R. M. Leino, Houdini, an annotation assistant for ESC/Java, FME 2001).
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

import z3
from msgspec import Struct

from pwtool.comparing.canonical import Normalizer
from pwtool.comparing.induction.checking import Checker
from pwtool.comparing.induction.guesses import Guess
from pwtool.comparing.induction.limits import Limit
from pwtool.comparing.induction.position import Places, Position
from pwtool.comparing.induction.reading import Reader
from pwtool.comparing.induction.terms import Open, Unread, disj, negated
from pwtool.ir.model import Ruleset
from pwtool.play.order import START


class Place(Struct, frozen=True):
    """Whose turn it is, the places that both games may have reached in their order of play, and how many turns are left, this one
    among them, if the end was triggered before.
    """

    owner: int
    reached: tuple[frozenset[int], frozenset[int]]
    left: int | None = None

    @property
    def is_first(self) -> bool:
        """Whether a turn begins here."""
        return self.reached == BEGIN


BEGIN = (START, START)


class Side:
    """One of the two games."""

    def __init__(self, ruleset: Ruleset, alike: frozenset[str]) -> None:
        self.ruleset, self.names = ruleset, Normalizer(ruleset)
        self.places = Places(self.names)
        self.alike = alike
        self.alike_here: Container[str] = alike

    def reader(self, position: Position, actor: int) -> Reader:
        return Reader(self.places, position, max(0, actor), self.alike, self.alike_here)


class Invariants:
    """What holds at the places that play may reach, with one number of players."""

    def __init__(self, guesses: Sequence[Guess | Limit], sides: tuple[Side, Side]) -> None:
        self.guesses, self.sides = guesses, sides
        self.holds: dict[Place, list[Guess | Limit]] = {}
        self.left: list[Place] = []
        """The places to visit, because less holds there than was known."""
        self.visited: tuple[Place, tuple[Position, Position]] | None = None
        self.known_there: dict[Any, Guess | Limit] = {}
        self.about: dict[Any, frozenset[tuple[int, str, str]] | None] = {}
        """What guesses are about, as far as they were asked."""

    def next_place(self) -> Place | None:
        """The place to visit next, None if there is none. A turn is followed to its end before the next one begins: what holds
        within it is then found sooner.
        """
        if not self.left:
            return None
        place = next((place for place in self.left if not place.is_first), self.left[0])
        self.left.remove(place)
        return place

    def visit(self, place: Place, positions: tuple[Position, Position]) -> None:
        """Play goes on from these positions, in which what is known of a place holds."""
        self.visited = place, (positions[0].copy(), positions[1].copy())
        self.known_there = {guess.key: guess for guess in self.holds[place]}

    def shared(self, place: Place) -> set[str]:
        """The variables that have the same value in both games."""
        return {guess.name for guess in self.holds[place] if isinstance(guess, Guess) and guess.kind == "same"}

    def known(self, place: Place, positions: tuple[Position, Position]) -> list[Any]:
        """What is known of positions at a place, beside what is shared."""
        readers = [side.reader(p, place.owner) for side, p in zip(self.sides, positions, strict=True)]
        return [guess.term(readers) for guess in self.holds[place] if guess.kind != "same"]

    def arrive(
        self, checker: Checker, positions: tuple[Position, Position], place: Place, given: Sequence[Any]
    ) -> None:
        """Keep of the guesses about a place what holds in these positions too."""
        new = place not in self.holds
        any_there = checker.model(*given) if new else False
        if any_there is None:
            # Play never comes there.
            return
        readers = [side.reader(p, place.owner) for side, p in zip(self.sides, positions, strict=True)]
        kept: list[Guess | Limit] = []
        doubtful: dict[Guess | Limit, Any] = {}
        """What may not hold, with its negation."""

        def keep(guess: Guess | Limit | None, model: Any) -> None:
            """Keep a guess as far as it holds for sure, or in a model."""
            while guess is not None:
                try:
                    term = guess.term(readers)
                except (Open, Unread):
                    return
                if term is not False:
                    if term is True:
                        kept.append(guess)
                    else:
                        doubtful[guess] = negated(term)
                    return
                guess = guess.wider(readers, model)

        before = self.guesses if new else self.holds[place]
        for guess in before:
            carried = self.carried(guess, positions, place)
            if carried is None:
                keep(guess, any_there)
            else:
                kept.append(carried)
        while doubtful:
            model = checker.model(*given, disj(*doubtful.values()))
            if model is None:
                break
            if model is False:
                # Nothing is known of any of them.
                doubtful.clear()
                break
            broken = [g for g, not_so in doubtful.items() if z3.is_true(model.eval(not_so, model_completion=True))]
            for guess in broken or [*doubtful]:
                del doubtful[guess]
                keep(guess.wider(readers, model), model)
        kept += doubtful
        if new or set(kept) != set(before):
            self.holds[place] = kept
            if place not in self.left:
                self.left.append(place)

    def carried(self, guess: Guess | Limit, positions: tuple[Position, Position], place: Place) -> Guess | Limit | None:
        """A guess as it is known where play comes from, if nothing has changed of what it is about; None if it has to be asked."""
        if self.visited is None:
            return None
        source, then = self.visited
        known = self.known_there.get(guess.key)
        if known is None or not guess.allows(known) or (guess.asks_owner and source.owner != place.owner):
            return None
        if guess.key not in self.about:
            self.about[guess.key] = guess.reads([side.places for side in self.sides])
        places = self.about[guess.key]
        if places is None or any(_has_changed(then[at], positions[at], kind, name) for at, kind, name in places):
            return None
        return known if place not in self.holds else guess


def _has_changed(then: Position, now: Position, kind: str, name: str) -> bool:
    """Whether something is no longer what it was."""
    a, b = (getattr(position, f"{kind}s")[name] for position in (then, now))
    if isinstance(a, list):
        return any(x is not y for x, y in zip(a, b, strict=True))
    return a is not b
