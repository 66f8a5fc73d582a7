"""Games as somebody wrote them who only knew the page of the language, against what they should be: antichess of python-chess,
Othello and 2048 in a few lines of Python.
"""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pwtool.kernel import run as kernels
from pwtool.kernel.module import compile_kernel
from pwtool.play.play import Play
from pwtool.play.replay import Replay, replay_record
from tests.daily import one_day_in
from tests.support import Rulebook, book, few_or_many

OUTSIDE = Path(__file__).resolve().parent / "outside"
Cell = tuple[int, int]


@pytest.fixture(autouse=True)
def any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here all legal actions are found before each action, which takes more than judging a record may."""
    monkeypatch.setattr("pwtool.play.replay.game_work", lambda moves: 10**9)


def judged(
    rules: Rulebook, actions: list[list[dict[str, Any]]], legal: list[set[Any]], named: Any, **setup: list[str]
) -> Replay:
    """Judge turns of actions, and compare what is legal before each action."""
    players = ["a", "b"][: rules.game.ruleset.max_players]
    turns = [{"player": players[n % len(players)], "actions": done} for n, done in enumerate(actions)]
    record = {"format": "pwtool/1", "players": players, "setup": setup, "turns": turns}
    names = {a.number: a.name for a in rules.game.ruleset.actions.values()}
    asked = iter(legal)

    def observe(play: Play, turn: int, action: int | None) -> None:
        if action is not None:
            found = {named(names[number], arguments) for number, _, arguments in play.legal_actions()}
            assert found - {None} == next(asked), (turn, action)

    if kernels.is_installed():
        kernel = kernels.Runner(compile_kernel(rules.game.ruleset)).instance()
        assert kernel.check([json.dumps(record).encode()], own=False)[0].is_clean
    return replay_record(rules.game, rules.decoder.record(record), rules.legal, observe)


# ---- Othello


LINES = [step for step in product((-1, 0, 1), repeat=2) if any(step)]


def flipped(board: dict[Cell, int], at: Cell, color: int) -> set[Cell]:
    found = set[Cell]()
    for x, y in LINES if at not in board else ():
        line = [(at[0] + n * x, at[1] + n * y) for n in range(1, 8)]
        end = next((n for n, cell in enumerate(line) if board.get(cell) != 1 - color), 7)
        if end < 7 and board.get(line[end]) == color:
            found |= set(line[:end])
    return found


@pytest.mark.parametrize("games", few_or_many(1, 10))
def test_othello(games: int) -> None:
    rules = book(str(OUTSIDE / "othello" / "game.rules"))
    for seed in range(games):
        rng, board, color = random.Random(seed), {(3, 3): 1, (4, 4): 1, (4, 3): 0, (3, 4): 0}, 0
        actions, legal = list[list[dict[str, Any]]](), list[set[Any]]()
        while True:
            options = {at for at in product(range(8), repeat=2) if flipped(board, at, color)}
            if not options and not any(flipped(board, at, 1 - color) for at in product(range(8), repeat=2)):
                break
            legal.append(options or {"pass"})
            at = rng.choice(sorted(options)) if options else None
            actions.append([{"action": "pass"} if at is None else {"action": "lay", "at": list(at)}])
            if at is not None:
                board |= dict.fromkeys([at, *flipped(board, at, color)], color)
            color = 1 - color
        replay = judged(rules, actions, legal, lambda name, a: a[0] if name == "lay" else name)
        assert not replay.findings
        assert replay.result is not None
        assert replay.result.totals == [sum(c == color for c in board.values()) for color in (0, 1)]


# ---- 2048


def slid(line: list[int]) -> tuple[list[int], int]:
    """A line towards its first cell, and the points."""
    tiles, found, points = [n for n in line if n], list[int](), 0
    while tiles:
        if tiles[:1] == tiles[1:2]:
            found.append(tiles.pop(0) + 1)
            points += 2 ** found[-1]
        else:
            found.append(tiles[0])
        del tiles[0]
    return found + [0] * (4 - len(found)), points


def after(board: list[list[int]], x: int, y: int) -> tuple[list[list[int]], int]:
    """A board of rows after everything slides, and the points."""
    rows = [list(row) for row in (zip(*board, strict=True) if y else board)]
    back = x + y > 0
    done = [slid(row[::-1] if back else row) for row in rows]
    rows = [row[::-1] if back else row for row, _ in done]
    return [list(row) for row in zip(*rows, strict=True)] if y else rows, sum(points for _, points in done)


@one_day_in(8)
@pytest.mark.parametrize("games", few_or_many(1, 10))
def test_twenty48(games: int) -> None:
    rules = book(str(OUTSIDE / "twenty48" / "game.rules"))
    for seed in range(games):
        rng, board, points = random.Random(seed), [[0] * 4 for _ in range(4)], 0
        first, second = rng.sample(list(product(range(4), repeat=2)), 2)
        for x, y in (first, second):
            board[y][x] = 1
        actions: list[list[dict[str, Any]]] = [[{"action": "start", "one": list(first), "two": list(second)}]]
        legal: list[set[Any]] = [set()]
        ways = [(-1, 0), (1, 0), (0, -1), (0, 1)]
        while len(actions) < 60 * games and (options := {way for way in ways if after(board, *way)[0] != board}):
            x, y = rng.choice(sorted(options))
            board, more = after(board, x, y)
            points += more
            free = [(x, y) for x, y in product(range(4), repeat=2) if not board[y][x]]
            at, worth = rng.choice(free), rng.choice([1, 1, 1, 2])
            board[at[1]][at[0]] = worth
            actions.append(
                [{"action": "slide", "x": x, "y": y}, {"action": "drop", "at": list(at), "tile": f"T{worth}"}]
            )
            legal += [options, {(*cell, n) for cell in free for n in (1, 2)}]

        def named(name: str, a: Any) -> Any:
            return tuple(a) if name == "slide" else (*a[0], a[1] + 1) if name == "drop" else None

        tiles = [f"T{worth}" for worth in range(1, 18) for _ in range(16)]
        replay = judged(rules, actions, legal, named, box=tiles)
        assert [f.code for f in replay.findings] in ([], ["PW612"])
        assert replay.play.state.variables[3] == points


# ---- antichess


@one_day_in(7)
@pytest.mark.parametrize("games", few_or_many(2, 30))
def test_antichess(games: int) -> None:
    variant = pytest.importorskip("chess.variant")
    import chess

    rules = book(str(OUTSIDE / "antichess.rules"))

    def cell(square: int) -> list[int]:
        return [chess.square_file(square), 7 - chess.square_rank(square)]

    def action(move: Any, color: bool) -> dict[str, Any]:
        start, target = cell(move.from_square), cell(move.to_square)
        if not move.promotion:
            return {"action": "step", "start": start, "target": target}
        into = ("w" if color else "b") + chess.piece_symbol(move.promotion).upper()
        return {"action": "promote", "start": start, "aside": target[0] - start[0], "into": into}

    codes = rules.game.ruleset.components["piece"].codes

    def named(name: str, a: Any) -> Any:
        if name == "claim":
            return None
        if name == "step":
            return "step", a[0], a[1]
        return "promote", a[0], a[1], codes[a[2]]

    for seed in range(games):
        rng, board = random.Random(seed), variant.AntichessBoard()
        board.set_castling_fen("-")
        actions, legal = list[list[dict[str, Any]]](), list[set[Any]]()
        while len(actions) < 120 and any(board.legal_moves) and board.halfmove_clock < 140:
            options = {move: action(move, board.turn) for move in board.legal_moves}
            legal.append({tuple(tuple(v) if isinstance(v, list) else v for v in o.values()) for o in options.values()})
            move = rng.choice(sorted(options, key=str))
            actions.append([options[move]])
            board.push(move)
            if board.is_repetition(4):
                break
        replay = judged(rules, actions, legal, named)
        assert not replay.findings
        if not any(board.legal_moves):
            # Whoever cannot move has won.
            assert replay.result is not None and replay.result.totals == [int(board.turn), int(not board.turn)]
