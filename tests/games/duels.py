"""Pierre, Papier, Morpion told again in plain Python, from a record alone: what was won, what it is worth, who wins.

Nothing here asks the engine or the rules files; the facts are those of the rulebook.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

GAME = "pierre_papier_morpion/fr"
ADDRESSES = tuple(GAME + modules for modules in ("", "+bonus", "+binoculars", "+bonus+binoculars"))
TOKENS = Counter({"G": 5, "T": 5, "R": 5, "C": 3})
BEATS = {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")}
SIGNS = ("rock", "paper", "scissors")
WORTH = {0: 0, 1: 1, 2: 2, 3: 5, 4: 3, 5: 8}
KINDS = {"glue": "G", "tape": "T", "ruler": "R"}
ROWS = [[(x, y) for x in range(3)] for y in range(3)]
COLUMNS = [[(x, y) for y in range(3)] for x in range(3)]
LINES = [*ROWS, *COLUMNS, [(i, i) for i in range(3)], [(2 - i, i) for i in range(3)]]
REWARDS = ("face_up", "face_down", "place")
Cell = tuple[int, int]


def all_tokens(address: str) -> Counter[str]:
    """The 22 reward tokens of a game."""
    return TOKENS + Counter({"BG": 1, "BT": 1, "BR": 1, "BC": 1} if "+bonus" in address else {"P": 4})


def winner_of(names: list[str], sign: dict[str, str]) -> str | None:
    """Who wins a duel; nobody where both show the same."""
    first, second = names
    if (sign[first], sign[second]) in BEATS:
        return first
    return second if (sign[second], sign[first]) in BEATS else None


@dataclass
class Table:
    """What lies where at a moment of a game, in codes and names."""

    address: str
    names: list[str]
    up: dict[Cell, str]
    down: dict[Cell, str]
    spares: list[str]
    gangs: dict[Cell, str] = field(default_factory=dict)
    won: dict[str, list[str]] = field(default_factory=dict)
    looks: dict[str, int] = field(default_factory=dict)
    contested: Cell = (0, 0)
    winner: str | None = None
    taken: list[str] = field(default_factory=list)
    rounds: int = 0

    @classmethod
    def of(cls, record: dict[str, Any]) -> Table:
        names, setup = record["players"], record["setup"]
        up, down = (
            {(x, y): code for y, row in enumerate(setup[zone]) for x, code in enumerate(row)}
            for zone in ("upturned", "downturned")
        )
        looks = dict.fromkeys(names, 2 if "+binoculars" in record["ruleset"] else 0)
        return cls(record["ruleset"], names, up, down, list(setup["spares"]), won={n: [] for n in names}, looks=looks)

    def copy(self) -> Table:
        """An independent copy."""
        won = {name: list(codes) for name, codes in self.won.items()}
        return replace(
            self, up=dict(self.up), down=dict(self.down), spares=list(self.spares), gangs=dict(self.gangs), won=won,
            looks=dict(self.looks), taken=list(self.taken),
        )  # fmt: skip

    def other(self, name: str) -> str:
        return next(n for n in self.names if n != name)

    def begin_round(self) -> None:
        """The next place in reading order that has no gang token."""
        self.rounds += 1
        self.winner, self.taken = None, []
        self.contested = next((x, y) for y in range(3) for x in range(3) if (x, y) not in self.gangs)

    @property
    def picker(self) -> str | None:
        """Who takes the next reward: the winner, the loser, the winner again."""
        if self.winner is None or len(self.taken) == 3:
            return None
        return self.other(self.winner) if len(self.taken) == 1 else self.winner

    @property
    def crowned(self) -> str | None:
        return next((n for n in self.names if self.won[n].count("C") == 3), None)

    def possible(self) -> Iterator[dict[str, Any]]:
        """Every action that the rulebook allows now."""
        if self.crowned:
            return
        picker = self.picker
        if self.winner is None:
            for signs in product(SIGNS, repeat=2):
                yield {"action": "duel", "sign": dict(zip(self.names, signs, strict=True))}
        if picker and self.contested in self.up:
            yield {"action": "face_up", "by": picker}
        if picker and self.contested in self.down:
            yield {"action": "face_down", "by": picker, "token": self.down[self.contested]}
        if picker and self.contested not in self.gangs:
            yield {"action": "place", "by": picker}
        for name, left in self.looks.items():
            if left:
                for (x, y), code in self.down.items():
                    yield {"action": "peek", "by": name, "at": [x, y], "token": code}

    def do(self, action: dict[str, Any]) -> None:
        """Carry out an action, which has to be one that the rulebook allows."""
        assert action in list(self.possible()), action
        name = action.get("by", "")
        match action["action"]:
            case "duel":
                self.winner = winner_of(self.names, action["sign"])
            case "peek":
                self.looks[name] -= 1
            case kind:
                self.taken.append(kind)
                if kind == "place":
                    self.gangs[self.contested] = name
                else:
                    lying = self.up if kind == "face_up" else self.down
                    self.won[name].append(lying.pop(self.contested))

    @property
    def tokens(self) -> Counter[str]:
        held = [code for codes in self.won.values() for code in codes]
        return Counter([*self.up.values(), *self.down.values(), *self.spares, *held])

    # ---- the end

    def lines(self, name: str) -> int:
        return sum(all(self.gangs.get(cell) == name for cell in line) for line in LINES)

    def parts(self, name: str) -> dict[str, int]:
        """The score lines of a player."""
        won = Counter(self.won[name])
        parts = {"gang_lines": 3 * self.lines(name)}
        parts |= {line: WORTH[won[code]] for line, code in KINDS.items()}
        if "+bonus" in self.address:
            parts["bonus"] = sum(won["B" + code] * won[code] for code in KINDS.values())
            parts["crown_bonus"] = 2 * won["BC"] * won["C"]
        else:
            parts["plus_two"] = 2 * won["P"]
        if "+binoculars" in self.address:
            parts["binoculars"] = self.looks[name]
        return parts

    def rank(self, name: str) -> tuple[bool, int, int]:
        """What decides, the most important first."""
        return self.crowned == name, sum(self.parts(name).values()), self.lines(name)

    def result(self) -> dict[str, Any]:
        """The result as a record writes it."""
        first, second = self.names
        better = sorted(self.names, key=self.rank, reverse=True)
        return {
            "scores": {n: sum(self.parts(n).values()) for n in self.names},
            "parts": {n: self.parts(n) for n in self.names},
            "ranking": [[first, second]] if self.rank(first) == self.rank(second) else [[n] for n in better],
            "end": {"rule": "crowns" if self.crowned else "nine_rounds", "turn": self.rounds},
        }


def moments(record: dict[str, Any]) -> Iterator[tuple[Table, int, int | None]]:
    """The table before each action (turn, action) and after each round (turn, None); it is one and the same table."""
    table = Table.of(record)
    for turn, data in enumerate(record["turns"]):
        table.begin_round()
        for at, action in enumerate(data["actions"]):
            yield table, turn, at
            table.do(action)
        yield table, turn, None


def played_out(record: dict[str, Any]) -> Table:
    """The table at the end of a record."""
    table = Table.of(record)
    for found, _, _ in moments(record):
        table = found
    return table


def by_hand(up: list[str], down: list[str], rounds: list[tuple[str, str]], address: str = GAME) -> dict[str, Any]:
    """A game in which P1 wins every duel that is written `1`; each round names the order of its rewards: `udp` is
    face-up, hidden, place.
    """
    grids = [[tokens[at : at + 3] for at in (0, 3, 6)] for tokens in (up, down)]
    spares = sorted((all_tokens(address) - Counter([*up, *down])).elements())
    turns = []
    for at, (winner, order) in enumerate(rounds):
        sign = {"P1": "rock", "P2": "scissors" if winner == "1" else "paper"}
        actors = ["P1", "P2", "P1"] if winner == "1" else ["P2", "P1", "P2"]
        actions: list[dict[str, Any]] = [{"action": "duel", "sign": sign}]
        for actor, kind in zip(actors, order, strict=False):
            name = {"u": "face_up", "d": "face_down", "p": "place"}[kind]
            actions.append({"action": name, "by": actor} | ({"token": down[at]} if kind == "d" else {}))
        turns.append({"actions": actions})
    return {
        "format": "pwtool/1", "ruleset": address, "players": ["P1", "P2"], "turns": turns,
        "setup": {"downturned": grids[1], "upturned": grids[0], "spares": spares},
    }  # fmt: skip
