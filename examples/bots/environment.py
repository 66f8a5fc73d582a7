"""A game as an environment for learning programs, with the methods of an AEC environment of PettingZoo.

Observations are the JSON of the game so far and the list of legal moves; an action is the number of a move in that list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pwtool


class Environment:
    """`for agent in env.agent_iter(): env.step(choose(*env.last()))`, as in PettingZoo."""

    metadata: ClassVar = {"name": "pwtool", "is_parallelizable": False}

    def __init__(self, address: str, players: int = 2) -> None:
        self.rules = pwtool.load(address)
        self.possible_agents = [f"P{seat}" for seat in range(1, players + 1)]

    def reset(self, seed: int = 0, options: Any = None) -> None:
        """Begin a game."""
        self.stepper = self.rules.stepper(self.possible_agents, seed=seed)
        self.agents = list(self.possible_agents)
        self._settle()

    @property
    def agent_selection(self) -> str:
        """Whose move it is; in a round of all, the first."""
        return self.stepper.player or self.agents[0]

    def observe(self, agent: str) -> dict[str, Any]:
        """What there is to choose."""
        return {"moves": list(self.stepper.moves), "turn": self.stepper.turn}

    def last(self) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """The observation, the reward, whether the game is over or cannot go on, and more, for whose move it is."""
        agent = self.agent_selection
        return self.observe(agent), self.rewards[agent], self.terminations[agent], self.truncations[agent], {}

    def step(self, action: int) -> None:
        """Play the move with this number."""
        self.stepper.play(self.stepper.moves[action])
        self._settle()

    def agent_iter(self, most: int = 10_000) -> Iterator[str]:
        """Whose move it is, until the game is over."""
        for _ in range(most):
            if self.stepper.over:
                return
            yield self.agent_selection

    def _settle(self) -> None:
        finished = self.stepper.finished
        stuck = self.stepper.over and not finished
        self.terminations = dict.fromkeys(self.agents, finished)
        self.truncations = dict.fromkeys(self.agents, stuck)
        totals = self.stepper.totals() if finished else [0] * len(self.agents)
        mean = sum(totals) / len(totals)
        self.rewards = {agent: total - mean for agent, total in zip(self.agents, totals, strict=True)}
