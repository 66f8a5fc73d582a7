"""What holds at each place in play: of many guesses about it those are left out that some step does not keep, until all are kept
(C. Flanagan, K. R. M. Leino, Houdini, an annotation assistant for ESC/Java, FME 2001).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import z3
from msgspec import Struct

from pwtool.comparing.canonical import Normalizer
from pwtool.comparing.induction.checking import Checker
from pwtool.comparing.induction.guesses import Either, Guess
from pwtool.comparing.induction.limits import Limit, Values
from pwtool.comparing.induction.position import Places, Position
from pwtool.comparing.induction.reading import Reader
from pwtool.comparing.induction.terms import Open, Unread, conj, disj, negated
from pwtool.ir.model import Ruleset
from pwtool.play.order import START

AnyGuess = Guess | Either | Limit | Values


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

    def reader(self, position: Position, actor: int) -> Reader:
        return Reader(self.places, position, max(0, actor), self.alike)


class Invariants:
    """What holds at the places that play may reach, with one number of players."""

    def __init__(self, guesses: Sequence[AnyGuess], sides: tuple[Side, Side], closer: bool) -> None:
        self.guesses, self.sides, self.closer = guesses, sides, closer
        self.holds: dict[Place, list[AnyGuess]] = {}
        self.left: list[Place] = []
        """The places to visit, because less holds there than was known."""
        self.visited: tuple[Place, tuple[Position, Position]] | None = None
        self.known_there: dict[Any, AnyGuess] = {}
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
        asked = _Asked([side.reader(p, place.owner) for side, p in zip(self.sides, positions, strict=True)])
        return asked.all_of([guess for guess in self.holds[place] if guess.kind != "same"])

    def arrive(
        self, checker: Checker, positions: tuple[Position, Position], place: Place, given: Sequence[Any]
    ) -> None:
        """Keep of the guesses about a place what holds in these positions too."""
        new = place not in self.holds
        any_there = checker.model(*given) if new else False
        if any_there is None:
            # Play never comes there.
            return
        doubtful = _Asked([side.reader(p, place.owner) for side, p in zip(self.sides, positions, strict=True)])
        kept: list[AnyGuess] = []

        def keep(guess: AnyGuess | None, model: Any) -> None:
            """Keep a guess as far as it holds for sure, or in a model."""
            while guess is not None:
                try:
                    holds = doubtful.ask(guess)
                except (Open, Unread):
                    return
                if holds is not False:
                    if holds is True:
                        kept.append(guess)
                    return
                guess = guess.wider(doubtful.readers, model)

        before = self.guesses if new else self.holds[place]
        for guess in before:
            carried = self.carried(guess, positions, place)
            if carried is None:
                keep(guess, any_there)
            else:
                kept.append(carried)
        if any_there is not False:
            for guess in doubtful.broken(any_there):
                keep(guess.wider(doubtful.readers, any_there), any_there)
        groups = [[*doubtful.guesses]]
        while groups:
            group = [guess for guess in groups.pop() if guess in doubtful.guesses]
            if not group:
                continue
            checker.world.work.spend(len(group))
            model = checker.model(*given, doubtful.question(group))
            if model is False:
                kept += doubtful.settled_in_parts(checker, given, group)
                group = [guess for guess in group if guess in doubtful.guesses]
                # In a closer look it is asked of fewer at once, but for conditions of the rules about whose turn it is.
                plain = [guess for guess in group if not _conditions(guess)]
                of_all = [g for g in group if (of := _conditions(g)) and all(c.actor is not None for c in of)]
                tried = [plain, of_all]
                if len(group) in (len(plain), len(of_all)):
                    tried = [group[::2], group[1::2]] if len(group) > 1 else []
                tried = tried if self.closer else []
                groups += tried
                for guess in {*group} - {g for some in tried for g in some}:
                    del doubtful.guesses[guess]
            elif model is not None:
                asked = {*doubtful.guesses}
                for guess in doubtful.broken(model, group):
                    keep(guess.wider(doubtful.readers, model), model)
                groups.append([*group, *(guess for guess in doubtful.guesses if guess not in asked)])
        kept += doubtful.guesses
        if new or set(kept) != set(before):
            self.holds[place] = kept
            if place not in self.left:
                self.left.append(place)

    def carried(self, guess: AnyGuess, positions: tuple[Position, Position], place: Place) -> AnyGuess | None:
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


class _Asked:
    """Guesses about two positions; what several of them are about is read once. `guesses` are those that may not hold there."""

    def __init__(self, readers: Sequence[Reader]) -> None:
        self.readers = readers
        self.guesses: dict[AnyGuess, None] = {}
        self.terms: dict[AnyGuess, tuple[Any, Any]] = {}
        """Parts of guesses as terms, each with its negation."""

    def ask(self, guess: AnyGuess) -> bool | None:
        """Whether a guess holds; None if that is doubtful from now on."""
        terms = [self.term(part)[0] for part in _parts(guess)]
        if any(term is True for term in terms):
            return True
        if all(term is False for term in terms):
            return False
        self.guesses[guess] = None
        return None

    def term(self, part: AnyGuess) -> tuple[Any, Any]:
        """A part of a guess as a term, and its negation."""
        if part not in self.terms:
            term = part.term(self.readers)
            self.terms[part] = term, negated(term)
        return self.terms[part]

    def broken(self, model: Any, group: Sequence[AnyGuess] = ()) -> list[AnyGuess]:
        """The guesses that do not hold in a model, and are no longer doubtful: all of a group, if none of them is, since the model is
        an answer to the question about them.
        """
        holds: dict[AnyGuess, bool] = {}
        for part in {part: None for guess in self.guesses for part in _parts(guess)}:
            term = self.terms[part][0]
            holds[part] = term if isinstance(term, bool) else z3.is_true(model.eval(term, model_completion=True))
        found = [guess for guess in self.guesses if not any(holds[part] for part in _parts(guess))]
        if group and not {*found} & {*group}:
            found += group
        for guess in found:
            del self.guesses[guess]
        return found

    def settled_in_parts(self, checker: Checker, given: Sequence[Any], group: Sequence[AnyGuess]) -> list[AnyGuess]:
        """Those of a group that say the same of many things and hold of one after the other; they are no longer doubtful."""
        found = []
        for guess in group:
            term = self.term(guess)[0] if not isinstance(guess, Either) else None
            parts = term.children() if isinstance(term, z3.ExprRef) and z3.is_and(term) else []
            if parts and all(checker.holds(part, given) for part in parts):
                found.append(guess)
                del self.guesses[guess]
        return found

    def question(self, group: Iterable[AnyGuess]) -> Any:
        """Whether any of those that may not hold does not."""
        alone, pairs = _in_pairs(group)
        return disj(
            *(self.term(guess)[1] for guess in alone),
            *(conj(self.term(one)[1], disj(*(self.term(x)[1] for x in others))) for one, others in pairs.items()),
        )

    def all_of(self, guesses: Iterable[AnyGuess]) -> list[Any]:
        """The terms of guesses."""
        alone, pairs = _in_pairs(guesses)
        return [
            *(self.term(guess)[0] for guess in alone),
            *(disj(self.term(one)[0], conj(*(self.term(x)[0] for x in others))) for one, others in pairs.items()),
        ]


def _in_pairs(guesses: Iterable[AnyGuess]) -> tuple[list[AnyGuess], dict[Guess, list[Guess]]]:
    """The guesses that are none of two, and the others by their first one, without those that follow from the former."""
    alone: list[AnyGuess] = [guess for guess in guesses if not isinstance(guess, Either)]
    pairs: dict[Guess, list[Guess]] = {}
    known = set(alone)
    for guess in guesses:
        if isinstance(guess, Either) and not known & {guess.one, guess.other}:
            pairs.setdefault(guess.one, []).append(guess.other)
    return alone, pairs


def _parts(guess: AnyGuess) -> tuple[AnyGuess, ...]:
    return (guess.one, guess.other) if isinstance(guess, Either) else (guess,)


def _conditions(guess: AnyGuess) -> list[Guess]:
    """The parts of a guess that are conditions of the rules."""
    return [part for part in _parts(guess) if isinstance(part, Guess) and part.condition]


def _has_changed(then: Position, now: Position, kind: str, name: str) -> bool:
    """Whether something is no longer what it was."""
    a, b = (getattr(position, f"{kind}s")[name] for position in (then, now))
    if isinstance(a, list):
        return any(x is not y for x, y in zip(a, b, strict=True))
    return a is not b
