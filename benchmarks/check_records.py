"""How fast recorded games are checked, beside python-chess validating PGN in the same run.

    python benchmarks/check_records.py [--rounds N]

Prints games and actions per second on one core once everything is loaded (JSON text to verdict), the wall time of
one whole `pwtool check` of one game,
and the same for python-chess: random legal games written as PGN, read back and every move validated. The two games
differ in what a move asks for, so
the ratio says only that both are in the same class. Machines differ and are noisy: compare ratios.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import chess
import chess.pgn

from pwtool.play.replay import replay_record
from pwtool.records.importers.gamepark import import_gamepark
from pwtool.records.json_text import load_json
from pwtool.records.shelf import Shelf
from pwtool.rules.library import Library
from pwtool.text.source import SourceFile

GAMES = Path(__file__).resolve().parent.parent / "tests" / "games" / "data" / "gamepark"


def record_texts() -> list[str]:
    """The 72 recorded games in our form, as compact JSON."""
    texts = []
    for folder in ("base", "advanced"):
        for path in sorted((GAMES / folder).glob("*.json")):
            record = import_gamepark(json.loads(path.read_text("utf-8")), SourceFile(path.name, "")).value
            assert record is not None, path
            texts.append(json.dumps(record, separators=(",", ":")))
    if len(texts) != 72:
        raise SystemExit(f"expected 72 recorded games, found {len(texts)}")
    return texts


def check_all(texts: list[str], shelf: Shelf) -> tuple[float, int]:
    """Seconds for checking all records from their text, and the number of actions."""
    start = time.perf_counter()
    actions = 0
    for text in texts:
        data = load_json(SourceFile("record", text)).value
        book = shelf.get(data["ruleset"]).value
        assert book is not None
        replay = replay_record(book.game, book.decoder.record(data), book.legal)
        assert replay.clean
        actions += replay.actions
    return time.perf_counter() - start, actions


def chess_texts(count: int, seed: int) -> list[str]:
    """Random legal chess games of at most 120 plies as PGN."""
    rng = random.Random(seed)
    texts = []
    for _ in range(count):
        board = chess.Board()
        game = chess.pgn.Game()
        node: chess.pgn.GameNode = game
        while not board.is_game_over() and board.ply() < 120:
            move = rng.choice(list(board.legal_moves))
            node = node.add_variation(move)
            board.push(move)
        texts.append(str(game))
    return texts


def read_chess(texts: list[str]) -> tuple[float, int]:
    """Seconds for reading and validating all games, and the number of plies."""
    start = time.perf_counter()
    plies = 0
    for text in texts:
        game = chess.pgn.read_game(io.StringIO(text))
        assert game is not None and not game.errors
        plies += game.end().ply()
    return time.perf_counter() - start, plies


def one_command(texts: list[str], rounds: int) -> list[float]:
    """Wall times of whole `pwtool check` commands on one game, start-up included, trees cached by the first."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.json"
        path.write_text(texts[0], "utf-8")
        times = []
        for number in range(rounds + 1):
            start = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-m", "pwtool", "check", str(path)], capture_output=True, check=False
            )
            if done.returncode != 0:
                raise SystemExit(done.stdout.decode() + done.stderr.decode())
            if number:
                times.append(time.perf_counter() - start)
    return times


def main() -> None:
    """Run all measurements and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    texts, pgn = record_texts(), chess_texts(40, seed=1)
    shelf = Shelf(Library())
    check_all(texts, shelf)
    read_chess(pgn)
    ours, theirs, actions, plies = [], [], 0, 0
    for _ in range(rounds):
        seconds, actions = check_all(texts, shelf)
        ours.append(len(texts) / seconds)
        seconds, plies = read_chess(pgn)
        theirs.append(len(pgn) / seconds)
    a, b = statistics.median(ours), statistics.median(theirs)
    print(f"{'':<28}{'games/s':>10}{'moves/s':>12}{'moves a game':>15}")
    print(f"{'pwtool check (loaded)':<28}{a:>10.0f}{a * actions / len(texts):>12.0f}{actions / len(texts):>15.1f}")
    print(f"{'python-chess PGN':<28}{b:>10.0f}{b * plies / len(pgn):>12.0f}{plies / len(pgn):>15.1f}")
    print(
        f"ratio pwtool / python-chess: {a / b:.2f} games, {a * actions / len(texts) / (b * plies / len(pgn)):.2f} moves"
    )
    wall = one_command(texts, rounds)
    print(
        f"one whole `pwtool check` of one game: median {statistics.median(wall) * 1000:.0f} ms (from {min(wall) * 1000:.0f} to {max(wall) * 1000:.0f})"
    )


if __name__ == "__main__":
    main()
