"""The best move for two players, found by looking at all games: `python search.py tic_tac_toe`."""

from __future__ import annotations

import sys

import pwtool


def best(stepper: pwtool.Stepper, known: dict[object, tuple[int, int]]) -> tuple[int, int]:
    """By how much the player in seat 0 wins if both play well, and the number of the move to make."""
    if stepper.over:
        first, second = stepper.totals()
        return first - second, -1
    # Positions that are reached in several orders are looked at once: what was played says which one it is.
    key = frozenset((move[1:], at % 2) for at, move in enumerate(stepper.played))
    if key not in known:
        found = []
        for number, move in enumerate(stepper.moves):
            stepper.play(move)
            found.append((best(stepper, known)[0], -number))
            stepper.undo()
        value, number = max(found) if stepper.seat == 0 else min(found, key=lambda pair: (pair[0], -pair[1]))
        known[key] = value, -number
    return known[key]


def main(address: str) -> None:
    stepper = pwtool.load(address).stepper()
    known: dict[object, tuple[int, int]] = {}
    while not stepper.over:
        value, number = best(stepper, known)
        print(f"{stepper.player}: {stepper.action(stepper.moves[number])}  (worth {value})")
        stepper.play(stepper.moves[number])
    print(f"{stepper.totals()} after {stepper.turn} turns; {len(known)} positions")


if __name__ == "__main__":
    main(*sys.argv[1:])
