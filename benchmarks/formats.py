"""How fast games in the formats of other programs are checked, compared with the libraries that read them.

    python benchmarks/formats.py [--games N] [--rounds N]

Random games: chess and checkers written by `pwtool convert`, Go on nineteen lines, Othello. A check is a command of its own
from its start to its end, in one process; a library only reads the games and plays their moves on its board. CPU seconds,
the best of some rounds in turn; games in a second do not count the start of a check, which is that of one game.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from measuring import ROOT

import pwtool

CHESS = """
import sys, chess.pgn
with open(sys.argv[1]) as file:
    while (game := chess.pgn.read_game(file)) is not None:
        board = game.board()
        for move in game.mainline_moves():
            board.push(move)
"""
GO = """
import sys
from sgfmill import boards, sgf
for text in open(sys.argv[1], "rb").read().split(b"\\n(;"):
    game = sgf.Sgf_game.from_bytes(b"(;" + text.removeprefix(b"(;").strip().removesuffix(b")") + b")")
    board = boards.Board(game.get_size())
    for node in game.get_main_sequence():
        color, move = node.get_move()
        if move is not None:
            board.play(*move, color)
"""


def seconds(*words: str) -> float:
    """The CPU seconds of a Python process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run([sys.executable, *words], env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def written(path: Path, games: int, address: str) -> Path:
    """A file with so many random games under a ruleset."""
    rules, source = pwtool.load(address), path.parent / "games.jsonl"
    different = [json.dumps(rules.play(2, seed=seed)) for seed in range(min(games, 100))]
    source.write_text("".join(different[at % len(different)] + "\n" for at in range(games)))
    subprocess.run(
        [sys.executable, "-m", "pwtool", "convert", str(source), "-o", str(path), "--force"],
        check=True, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return path


def go_games(path: Path, games: int) -> Path:
    """So many games of Go on nineteen lines, 250 random moves each: those of random play would pass too soon."""
    from sgfmill.boards import Board

    texts = []
    for seed in range(min(games, 60)):
        rng, board, seen, moves = random.Random(seed), Board(19), set(), []
        while len(moves) < 250:
            row, column, after = rng.randrange(19), rng.randrange(19), board.copy()
            if board.get(row, column) is not None:
                continue
            after.play(row, column, "bw"[len(moves) % 2])
            position = tuple(map(tuple, after.board))
            if after.get(row, column) is None or position in seen:
                continue
            board = after
            seen.add(position)
            moves.append(f";{'BW'[len(moves) % 2]}[{chr(97 + column)}{chr(97 + 18 - row)}]")
        texts.append(f"(;GM[1]FF[4]SZ[19]{''.join(moves)})")
    path.write_text("\n".join(texts[at % len(texts)] for at in range(games)))
    return path


def othello_games(path: Path, games: int) -> Path:
    """So many random games of Othello in a WTHOR file."""
    rules, packed = pwtool.load("othello"), []
    for seed in range(min(games, 100)):
        record = rules.play(2, seed=seed)
        cells = [action["at"] for turn in record["turns"] for action in turn["actions"] if "at" in action]
        black = record["result"]["scores"][record["players"][0]]
        white = record["result"]["scores"][record["players"][1]]
        # The winner gets the cells that are left.
        black += (64 - black - white) * (1 if black > white else 0.5 if black == white else 0)
        moves = bytes(10 * (y + 1) + x + 1 for x, y in cells)
        packed.append(struct.pack("<3H2B60s", 1, 2, 3, int(black), int(black), moves))
    head = struct.pack("<4BIHH4B", 20, 20, 1, 1, games, 0, 2020, 8, 0, 0, 0)
    path.write_bytes(head + b"".join(packed[at % len(packed)] for at in range(games)))
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    print(f"{asked.games} games\n{'':6}{'check':>9}{'games/s':>10}{'library':>9}   check is so many times as fast")
    with tempfile.TemporaryDirectory() as folder:
        for name, make, library, program in (
            ("games.pgn", partial(written, address="chess"), "python-chess", CHESS),
            ("games.sgf", go_games, "sgfmill", GO),
            ("games.pdn", partial(written, address="checkers"), "", ""),
            ("games.wtb", othello_games, "", ""),
        ):
            file, one = make(Path(folder) / name, games=asked.games), make(Path(folder) / f"one_{name}", games=1)
            # As many as kernels are made for.
            check = ("-m", "pwtool", "check", "-q", "--no-config", "--jobs", "1")
            begun, checks, reads = [], [], []
            for _ in range(asked.rounds):
                begun.append(seconds(*check, *[str(one)] * 32))
                checks.append(seconds(*check, str(file)))
                reads += [seconds("-c", program, str(file))] if library else []
            ours = min(checks)
            line = f"{name[-3:]:6}{ours:9.2f}{asked.games / (ours - min(begun)):10,.0f}"
            print(line + (f"{min(reads):9.2f}   {min(reads) / ours:.1f} ({library})" if library else ""))


if __name__ == "__main__":
    main()
