"""The classics as OpenSpiel plays them: for each what pwtool's actions are there."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pwtool import Action
from tests.classics.lockstep import Match, Plies, points

LETTERS = "abcdefghijklmnopqrs"


def cell(action: Action, name: str = "at") -> tuple[int, int]:
    x, y = action.arguments[name]
    return x, y


def numbered(width: int) -> Callable[[Action], Plies]:
    """The cell, counted row by row."""

    def say(action: Action) -> Plies:
        x, y = cell(action)
        return (y * width + x,)

    return say


def kind(*names: str) -> Callable[[Action], Plies]:
    """The kind of action, by its number."""
    return lambda action: (names.index(action.name),)


def step_of_chess(action: Action) -> Plies:
    """From and to as chess players write them, the first row above."""
    return ("".join(f"{LETTERS[x]}{8 - y}" for x, y in (cell(action, "start"), cell(action, "target"))),)


def line_of_boxes(action: Action) -> Plies:
    """The line between two dots: across (`h`) or down (`v`), its row and its column among these."""
    x, y = cell(action)
    return (f"({'hv'[y % 2]},{y // 2},{x // 2})",)


def disc_or_pass(action: Action) -> Plies:
    return numbered(8)(action) if action.name == "lay" else (64,)


def point_or_pass(action: Action) -> Plies:
    return numbered(9)(action) if action.name == "place" else (81,)


def long_move(action: Action) -> Plies:
    """From, to, and what a pawn becomes."""
    if action.name == "castle":
        x, y = cell(action, "tower")
        return (f"e{8 - y}{'g' if x else 'c'}{8 - y}",)
    x, y = cell(action, "start")
    if action.name == "step":
        to_x, to_y = cell(action, "target")
        return (f"{LETTERS[x]}{8 - y}{LETTERS[to_x]}{8 - to_y}",)
    to_y = y - 1 if action.arguments["into"][0] == "w" else y + 1
    return (
        f"{LETTERS[x]}{8 - y}{LETTERS[x + action.arguments['aside']]}{8 - to_y}{action.arguments['into'][1].lower()}",
    )


def long_words(state: Any, number: int) -> str:
    """The same by OpenSpiel."""
    import pyspiel

    words: str = pyspiel.chess.action_to_move(number, state.board()).to_lan()
    return words


def amazon(action: Action) -> Plies:
    """The cells from which, to which, and at which is shot."""
    cells = [cell(action, "start"), cell(action, "target")] if action.name == "step" else [cell(action, "target")]
    return tuple(y * 10 + x for x, y in cells)


def pit(action: Action) -> Plies:
    """The first player's pits are counted from 1, the second's from 8, in the order of sowing."""
    x, y = cell(action, "pit")
    return (1 + x if y else 13 - x,)


def step_or_jump(action: Action) -> Plies:
    """From and to; of a jump the man that is jumped over is named."""
    (x, y), (over_x, over_y) = cell(action, "start"), cell(action, "over" if action.name == "jump" else "target")
    far = 2 if action.name == "jump" else 1
    to_x, to_y = x + far * (over_x - x), y + far * (over_y - y)
    return (f"{LETTERS[x]}{8 - y}{LETTERS[to_x]}{8 - to_y}",)


def bid(action: Action) -> Plies:
    """A bid, a call, or the roll of a die, which is not a ply."""
    if action.name == "roll":
        return ()
    return ("Liar" if action.name == "call" else f"{action.arguments['dice']}-{action.arguments['face']}",)


def leduc_card(code: str) -> int:
    return 2 * "JQK".index(code[0]) + "sh".index(code[1])


POINTS = (
    (0, 0), (3, 0), (6, 0), (1, 1), (3, 1), (5, 1), (2, 2), (3, 2), (4, 2), (0, 3), (1, 3), (2, 3),
    (4, 3), (5, 3), (6, 3), (2, 4), (3, 4), (4, 4), (1, 5), (3, 5), (5, 5), (0, 6), (3, 6), (6, 6),
)  # fmt: skip


def man_of_morris(action: Action) -> Plies:
    """The point, by its number; of a step both, by the number of all such pairs."""
    if action.name != "step":
        return (POINTS.index(cell(action)),)
    return (24 + 24 * POINTS.index(cell(action, "start")) + POINTS.index(cell(action, "target")),)


def deal_of_eights(setup: dict[str, Any]) -> list[str]:
    """The dealer, who plays last, the cards one by one, and the first one of the pile."""
    hands = list(setup["hand"].values())
    dealt = [hand[at] for at in range(5) for hand in hands]
    return [
        f"Decide Player {len(hands) - 1} to be the dealer",
        *(f"Deal {card}" for card in [*dealt, setup["pile"]]),
    ]


def next_of_stock(action: Action, setup: dict[str, Any], state: Any) -> list[str]:
    """The card that is drawn: OpenSpiel tells how many are left."""
    left = re.search(r"left in deck: (\d+)", str(state))
    assert left
    return [f"Deal {setup['stock'][int(left[1]) - 1]}"]


def eights(action: Action) -> Plies:
    names = {"draw": "Draw", "pass": "Pass", "play": "Play {card}", "call": "Nominate suit {suit}"}
    arguments = {**action.arguments, **({"suit": action.arguments["suit"][0].upper()} if action.name == "call" else {})}
    return (names[action.name].format(**arguments),)


def sticks(action: Action) -> Plies:
    """The heap, counted from 1, and how many."""
    return (f"pile:{cell(action, 'heap')[0] + 1}, take:{action.arguments['number']}",)


def deal_of_hearts(setup: dict[str, Any]) -> list[str]:
    """Where cards are passed, then the cards one by one."""
    ways = {"left": "Left", "right": "Right", "across": "Across", "keep": "No Pass"}
    hands = list(setup["hand"].values())
    return [ways[setup["passing"]], *(hand[at][::-1] for at in range(13) for hand in hands)]


MATCHES = (
    Match("tic_tac_toe", "tic_tac_toe", numbered(3)),
    Match("connect_four", "connect_four", lambda action: (cell(action)[0],)),
    Match("gomoku", "gomoku", numbered(15)),
    Match("breakthrough", "breakthrough", step_of_chess, text=lambda text: text.rstrip("*")),
    Match(
        "kuhn_poker", "kuhn_poker", kind("pass", "bet"),
        deal=lambda setup: ["JQK".index(card) for card in setup["hand"].values()], result=points,
    ),
    Match("dots_and_boxes", "dots_and_boxes", line_of_boxes, text=lambda text: text[2:]),
    Match("nim+misere", "nim", sticks, text=lambda text: text.rstrip(";")),
    Match("nim", "nim(is_misere=False)", sticks, text=lambda text: text.rstrip(";")),
    Match("othello", "othello", disc_or_pass),
    Match("amazons", "amazons", amazon, few=4),
    Match("mancala", "mancala", pit),
    Match("hex", "hex", numbered(11)),
    Match("chess+automatic_draws", "chess", long_move, words=long_words, seats=(1, 0), few=3),
    Match("go+open_spiel", "go(board_size=9)", point_or_pass, few=10),
    Match("pig+open_spiel", "pig", kind("roll", "hold"), draw=lambda text: {"die": int(text[-1])}),
    Match("liars_dice", "liars_dice", bid, draw=lambda text: {"face": int(text[-1])}),
    Match(
        "leduc_poker", "leduc_poker", kind("fold", "call", "raise"), result=points,
        deal=lambda setup: map(leduc_card, setup["hand"].values()), chance=lambda _, setup, state: [leduc_card(setup["stock"][-1])],
    ),
    Match("checkers+open_spiel", "checkers", step_or_jump),
    Match(
        "crazy_eights+open_spiel", "crazy_eights(players=3)", eights, result=points, deal=deal_of_eights, chance=next_of_stock,
    ),
    Match("nine_mens_morris+open_spiel", "nine_mens_morris", man_of_morris, few=10),
    Match(
        "hearts", "hearts", lambda action: (action.arguments["card"][::-1],), deal=deal_of_hearts,
        result=lambda table: [26.0 + value for value in table.points()],
    ),
)  # fmt: skip
BY_ADDRESS = {match.address: match for match in MATCHES}
