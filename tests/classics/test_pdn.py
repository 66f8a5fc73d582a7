"""Games of checkers in PDN: games at random are clean, and with one move that is not legal refused at that move."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.cli.app import run
from pwtool.records.importers.formats import import_game, recognised
from pwtool.records.importers.pdn import PDN
from pwtool.records.inputs import read_documents
from pwtool.text.source import SourceFile
from tests.support import few_or_many, games_in

Way = tuple[int, ...]
"""A move: the squares on which the piece stands one after the other."""

# ---- checkers, played by force: what is legal, in a second way -------------------------------------------------------


def cell(square: int) -> tuple[int, int]:
    """The column and the row of a square, both from the left and from below as the first side sees them."""
    row, place = divmod(square - 1, 4)
    return (6 if row % 2 == 0 else 7) - 2 * place, row


SQUARES = {cell(square): square for square in range(1, 33)}


class Position:
    """A position as a dictionary from cells to pieces, `b` and `w`, kings large."""

    def __init__(self) -> None:
        self.at = {cell(n): "b" for n in range(1, 13)} | {cell(n): "w" for n in range(21, 33)}
        self.side = "b"

    def moves(self) -> set[Way]:
        """All legal moves."""
        own = [at for at, piece in self.at.items() if piece.lower() == self.side]
        jumps = {way for at in own for way in self.jumps((SQUARES[at],), dict(self.at))}
        return jumps or {
            (SQUARES[x, y], SQUARES[x + dx, y + dy])
            for x, y in own
            for dx, dy in self.directions(self.at[x, y])
            if (x + dx, y + dy) in SQUARES and (x + dx, y + dy) not in self.at
        }

    def directions(self, piece: str) -> list[tuple[int, int]]:
        aheads = (1, -1) if piece.isupper() else (1,) if piece == "b" else (-1,)
        return [(aside, ahead) for ahead in aheads for aside in (1, -1)]

    def jumps(self, way: Way, at: dict[tuple[int, int], str]) -> Iterator[Way]:
        (x, y), ends = cell(way[-1]), True
        piece = at[x, y]
        for dx, dy in self.directions(piece):
            over, to = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
            if to in SQUARES and to not in at and over in at and at[over].lower() != piece.lower():
                after = {c: p for c, p in at.items() if c not in ((x, y), over)}
                after[to] = crowned = piece.upper() if to[1] in (0, 7) else piece
                ends = False
                if crowned == piece:
                    yield from self.jumps((*way, SQUARES[to]), after)
                else:
                    yield (*way, SQUARES[to])
        if ends and len(way) > 1:
            yield way

    def play(self, way: Way) -> None:
        for start, to in zip(way, way[1:], strict=False):
            (x, y), (z, v) = cell(start), cell(to)
            piece = self.at.pop((x, y))
            if abs(x - z) == 2:
                del self.at[(x + z) // 2, (y + v) // 2]
            self.at[z, v] = piece.upper() if v in (0, 7) else piece
        self.side = "w" if self.side == "b" else "b"


# ---- our own writer --------------------------------------------------------------------------------------------------


@cache
def played(seed: int) -> dict[str, Any]:
    record: dict[str, Any] = pwtool.load("checkers").play(2, seed=seed)
    return record


def ways(record: dict[str, Any]) -> list[Way]:
    """The moves of a record."""

    def square(at: Sequence[int]) -> int:
        return SQUARES[at[0], 7 - at[1]]

    found: list[Way] = []
    for turn in record["turns"]:
        if turn["actions"][0]["action"] == "claim":
            break
        way = [square(turn["actions"][0]["start"])]
        for action in turn["actions"]:
            if action["action"] == "step":
                way.append(square(action["target"]))
            elif action["action"] == "jump":
                (x, y), (z, v) = action["start"], action["over"]
                way.append(square((2 * z - x, 2 * v - y)))
        found.append(tuple(way))
    return found


def is_capture(way: Way) -> bool:
    return abs(cell(way[0])[1] - cell(way[1])[1]) == 2


def written(moves: Sequence[Way], short: bool = False) -> list[str]:
    """The moves as players write them; `short`: only the squares between that are needed to tell a capture."""
    position, words = Position(), []
    for way in moves:
        same = [other for other in position.moves() if (other[0], other[-1]) == (way[0], way[-1])]
        squares = (way[0], way[-1]) if short and len(same) == 1 else way
        words.append(("x" if is_capture(way) else "-").join(map(str, squares)))
        position.play(way)
    return words


def as_pdn(words: Sequence[str], result: str = "*", tags: str = '[Black "Ana"]\n[White "Ben"]\n') -> str:
    numbered = [f"{at // 2 + 1}. {word}" if at % 2 == 0 else word for at, word in enumerate(words)]
    lines = [" ".join(numbered[at : at + 12]) for at in range(0, len(numbered), 12)]
    return f"{tags}\n" + "\n".join([*lines, result]) + "\n"


def result_of(record: dict[str, Any]) -> str:
    ranking = record["result"]["ranking"]
    return "1/2-1/2" if len(ranking) == 1 else "1-0" if ranking[0] == record["players"][:1] else "0-1"


def damaged(moves: Sequence[Way], rng: random.Random) -> tuple[list[str], int]:
    """The moves with one that is not legal among them, and where it stands."""
    at, position = rng.randrange(len(moves)), Position()
    words = written(moves, short=rng.random() < 0.5)
    for way in moves[:at]:
        position.play(way)
    legal = position.moves()
    told = {(way[0], way[-1]) for way in legal}
    while True:
        way = tuple(rng.sample(range(1, 33), rng.choice([2, 2, 2, 3])))
        if rng.random() < 0.5:
            # Something near to a legal move: another square, or only a part of a capture.
            near = list(rng.choice(sorted(legal)))
            near = near[:-1] if len(near) > 2 and rng.random() < 0.5 else near
            near[-1] = near[-1] if len(near) < len(way) else max(1, min(32, near[-1] + rng.choice([-1, 0, 1])))
            way = tuple(near)
        if (way[0], way[-1]) not in told and len(way) > 1:
            # What goes on after a part of a capture would be its rest.
            word = rng.choice("-x").join(map(str, way))
            rest = [w for w in words[at + 1 :] if not w.startswith((f"{way[-1]}x", f"{way[-1]}-"))]
            return [*words[:at], word, *rest], at


def read(text: str) -> dict[str, Any]:
    result = import_game(SourceFile("game.pdn", text), "pdn")
    assert result.value is not None, [d.message for d in result.diagnostics]
    return result.value[0]


def problems(text: str) -> list[Any]:
    result = import_game(SourceFile("game.pdn", text), "pdn")
    assert (result.value is None) == bool(result.diagnostics)
    return list(result.diagnostics)


def actions(record: dict[str, Any]) -> list[Any]:
    return [turn["actions"] for turn in record["turns"]]


# ---- games at random -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("games", few_or_many(15, 1000))
def test_games_at_random_come_back_and_are_clean(games: int, short: bool) -> None:
    records = [played(seed) for seed in range(games)]
    texts = [as_pdn(written(ways(record), short), result_of(record)) for record in records]
    again = [read(text) for text in texts]
    for record, imported in zip(records, again, strict=True):
        assert imported["ruleset"] == "checkers" and imported["players"] == ["Ana", "Ben"]
        assert actions(imported) == actions(record)[: len(imported["turns"])]
    for verdict, record in zip(pwtool.load("checkers").check_many(again), again, strict=True):
        assert not verdict.findings, record


@pytest.mark.parametrize("games", few_or_many(60, 3000))
def test_an_illegal_move_is_refused_where_it_stands(games: int, tmp_path: Path) -> None:
    rng = random.Random(7)
    path = tmp_path / "games.pdn"
    texts, places = [], []
    for number in range(games):
        words, at = damaged(ways(played(number % 30)), rng)
        texts.append(as_pdn(words))
        places.append(at)
    path.write_text("\n".join(texts), "utf-8")
    verdicts = list(pwtool.load("checkers").check_many(path))
    assert len(verdicts) == games
    for verdict, at, text in zip(verdicts, places, texts, strict=True):
        assert verdict.status == "findings", text
        assert verdict.causes[0].turn == at + 1, text
