"""Questions about one world, which the solver answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from pwtool.comparing.induction.terms import Open, World, negated

RESOURCES = 4_000_000
"""The limit of one question, in the solver's own unit of work."""
QUESTION = 100
"""What a question costs, beside what is known when it is asked and what the solver does."""
EFFORT = 96
"""So many units of the solver's work take about as long as an operation that is read."""


class Checker:
    """Questions about one world, under what holds at a place."""

    def __init__(self, world: World, known: Sequence[Any]) -> None:
        self.world = world
        self.solver = z3.Solver(ctx=world.context)
        self.solver.set("rlimit", RESOURCES)
        self.known = [k for k in known if k is not True]
        self._add(self.known)
        self.told = self.used = 0

    def model(self, *wanted: Any) -> Any:
        """A model in which all of this holds; None if there is none, False if the solver does not know."""
        if any(w is False for w in wanted):
            return None
        self.world.work.spend(QUESTION + len(self.world.facts))
        self._add([*self.world.facts[self.told :], *self.world.material()])
        self.told = len(self.world.facts)
        self.solver.push()
        try:
            self._add(wanted)
            found = self.solver.check()
            self.pay()
            return self.solver.model() if found == z3.sat else None if found == z3.unsat else False
        finally:
            self.solver.pop()

    def _add(self, conditions: Sequence[Any]) -> None:
        """Let all of this hold; the solver's own function asks each condition first what it is."""
        context, solver = self.world.context.ref(), self.solver.solver
        for condition in conditions:
            if condition is not True:
                z3.Z3_solver_assert(context, solver, self.world.as_term(condition).ast)

    def pay(self) -> None:
        """Count what the last question took."""
        used = self.solver.statistics().get_key_value("rlimit count")
        self.world.work.spend((used - self.used) // EFFORT)
        self.used = used

    def is_possible(self, *wanted: Any) -> bool:
        """Whether all of this may hold; play comes to a place that is visited."""
        return all(w is True for w in wanted) or self.model(*wanted) is not None

    def holds(self, goal: Any, given: Sequence[Any]) -> bool:
        """Whether something is known to hold always. What the rules allow may only distract the solver."""
        if goal is True:
            return True
        found = self.model(*given, negated(goal))
        if found is False and isinstance(goal, z3.ExprRef) and z3.is_and(goal):
            # Too much at once: one after the other.
            return all(self.holds(part, given) for part in goal.children())
        return found is None or (found is False and self.model(negated(goal)) is None)

    def demand(self, goal: Any, given: Sequence[Any]) -> None:
        """Raises `Open` if this does not always hold."""
        if not self.holds(goal, given):
            raise Open
