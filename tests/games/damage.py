"""Kinds of damage done to clean recorded games, each with the place and the rule under which it has to be caught.

The damage is built from the game's own state with plain arithmetic on card codes, not with the engine's rules.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pwtool.play.play import Play
from pwtool.play.replay import replay_record
from tests.support import book

Path = tuple[Any, ...]
Cell = tuple[int, int]


def color(code: str) -> str:
    return code[0]


def value(code: str) -> int:
    return int(code[-1])


@dataclass
class Spot:
    """The moment before an action: what lies where, in card codes."""

    turn: int
    at: int
    action: dict[str, Any]
    player: str
    hand: list[str]
    board: dict[Cell, list[str]]
    tops: dict[str, str]
    placed: list[str]
    skips: int
    token: Cell | None

    @property
    def holds(self) -> bool:
        return self.token is not None

    def gap(self, code: str, cell: Cell) -> int:
        pile = self.board.get(cell)
        return value(code) - (value(pile[-1]) if pile else 0) - 1

    def adjacent(self, cell: Cell) -> bool:
        x, y = cell
        return any(c in self.board for c in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)))

    def fits(self, cell: Cell) -> bool:
        cells = [*self.board, cell]
        return all(max(c[k] for c in cells) - min(c[k] for c in cells) < 3 for k in (0, 1))

    def empty_cells(self) -> list[Cell]:
        xs, ys = [c[0] for c in self.board], [c[1] for c in self.board]
        around = [(x, y) for x in range(min(xs) - 3, max(xs) + 4) for y in range(min(ys) - 3, max(ys) + 4)]
        return [c for c in around if c not in self.board]

    def shares(self, code: str) -> bool:
        """Whether the card may be placed in this turn's announcement."""
        cards = [*self.placed, code]
        return len({color(c) for c in cards}) == 1 or len({value(c) for c in cards}) == 1

    def good_cells(self, code: str, gap: int) -> list[Cell]:
        """Cells where the card may go with this gap, all other placement rules kept."""
        found = [c for c, pile in self.board.items() if c != self.token and color(pile[-1]) == color(code)]
        found += [c for c in self.empty_cells() if self.adjacent(c) and self.fits(c)]
        return [c for c in found if self.gap(code, c) == gap]


@dataclass
class Case:
    """A clean game ready to be damaged."""

    name: str
    record: dict[str, Any]
    advanced: bool
    spots: list[Spot] = field(default_factory=list)
    holder_after: dict[int, str | None] = field(default_factory=dict)
    hand_after: dict[int, list[str]] = field(default_factory=dict)


Damaged = tuple[dict[str, Any], str | None, str, Path]


def prepare(name: str, record: dict[str, Any]) -> Case:
    """Replay the clean game and note every moment."""
    rules = book(record["ruleset"])
    game = rules.game
    codes = game.ruleset.components["card"].codes
    zones = {z: game.ruleset.zones[z].number for z in ("hand", "landscape", "supply")}
    variables = {v: game.ruleset.variables[v].number for v in ("placed", "skips")}
    case = Case(name, record, "+advanced" in record["ruleset"])

    def observe(play: Play, turn: int, action: int | None) -> None:
        state = play.state
        seat = state.player
        hand = [codes[f] for f in state.zones[zones["hand"]][seat]]
        if action is None:
            case.hand_after[turn] = hand
            return
        token = state.tokens[0]
        case.spots.append(
            Spot(
                turn, action, record["turns"][turn]["actions"][action], record["players"][seat], hand,
                {c: [codes[f] for f in pile] for c, pile in state.zones[zones["landscape"]][seat].items()},
                {str(i + 1): codes[p[-1]] for i, p in enumerate(state.zones[zones["supply"]]) if p},
                [codes[f] for f in state.variables[variables["placed"]]],
                state.variables[variables["skips"]],
                token[1] if token is not None and token[0] == seat else None,
            )
        )  # fmt: skip

    assert replay_record(game, rules.decoder.record(record), rules.legal, observe).clean, name
    return case


def _replaced(case: Case, spot: Spot, action: dict[str, Any]) -> dict[str, Any]:
    damaged = copy.deepcopy(case.record)
    damaged["turns"][spot.turn]["actions"][spot.at] = action
    return damaged


def _inserted(case: Case, turn: int, at: int, action: dict[str, Any]) -> dict[str, Any]:
    damaged = copy.deepcopy(case.record)
    damaged["turns"][turn]["actions"].insert(at, action)
    return damaged


def _place(spot: Spot) -> Path:
    return ("turns", spot.turn, "actions", spot.at)


def _spots(case: Case, name: str, rng: random.Random) -> list[Spot]:
    found = [s for s in case.spots if s.action["action"] == name]
    rng.shuffle(found)
    return found


def _card(code: str, cell: Cell, pay: list[str]) -> dict[str, Any]:
    return {"action": "place", "card": code, "at": list(cell), "pay": pay}


def _payment(spot: Spot, code: str, count: int) -> list[str] | None:
    rest = list(spot.hand)
    rest.remove(code)
    return rest[:count] if len(rest) >= count else None


def _matches(code: str, announced: Any) -> bool:
    names = {"yellow": "Y", "blue": "B", "green": "G", "black": "K"}
    return value(code) == announced if isinstance(announced, int) else color(code) == names[announced]


# ---- taking ----------------------------------------------------------------------------------------------------------


def wrong_color_in_a_take(case: Case, rng: random.Random) -> Damaged | None:
    for spot in _spots(case, "take", rng):
        other = [p for p, top in spot.tops.items() if not _matches(top, spot.action["announced"])]
        if other:
            cards = {**spot.action["cards"], other[0]: spot.tops[other[0]]}
            return _replaced(case, spot, {**spot.action, "cards": cards}), "PW601", "take.matching", _place(spot)
    return None


def matching_card_left_behind(case: Case, rng: random.Random) -> Damaged | None:
    for spot in _spots(case, "take", rng):
        if len(spot.action["cards"]) > 1:
            cards = dict(list(spot.action["cards"].items())[1:])
            return _replaced(case, spot, {**spot.action, "cards": cards}), "PW601", "take.all", _place(spot)
    return None


def card_not_on_top(case: Case, rng: random.Random) -> Damaged | None:
    for spot in _spots(case, "take", rng):
        pile, top = next(iter(spot.action["cards"].items()))
        if value(top) < 5:
            other = top.replace("S", "") if "S" in top else f"{top[0]}S{top[1]}"
            cards = {**spot.action["cards"], pile: other}
            return _replaced(case, spot, {**spot.action, "cards": cards}), "PW602", "take.cards", _place(spot)
    return None


def nothing_taken(case: Case, rng: random.Random) -> Damaged | None:
    for spot in _spots(case, "take", rng):
        absent = [v for v in range(1, 6) if not any(value(t) == v for t in spot.tops.values())]
        if absent:
            action = {"action": "take", "announced": absent[0], "cards": {}}
            return _replaced(case, spot, action), "PW601", "take.some", _place(spot)
    return None


# ---- placing ---------------------------------------------------------------------------------------------------------


def card_not_in_hand(case: Case, rng: random.Random) -> Damaged | None:
    for spot in _spots(case, "place", rng):
        code = spot.action["card"]
        other = code.replace("S", "") if "S" in code else f"{code[0]}S{code[1]}"
        if value(code) < 5 and other not in spot.hand:
            return _replaced(case, spot, {**spot.action, "card": other}), "PW602", "place.card", _place(spot)
    return None


def _first_place(
    case: Case, rng: random.Random, wanted: Callable[[Spot, str], tuple[Cell, int] | None], rule: str
) -> Damaged | None:
    """Put a hand card where `wanted` says (cell, cards to pay) in place of the first card of a turn."""
    for spot in _spots(case, "place", rng):
        if spot.placed:
            continue
        for code in spot.hand:
            found = wanted(spot, code)
            if found is None:
                continue
            pay = _payment(spot, code, found[1])
            if pay is not None:
                return _replaced(case, spot, _card(code, found[0], pay)), "PW601", rule, _place(spot)
    return None


def same_value_on_a_pile(case: Case, rng: random.Random) -> Damaged | None:
    def wanted(spot: Spot, code: str) -> tuple[Cell, int] | None:
        return next(
            (
                (c, 0)
                for c, p in spot.board.items()
                if c != spot.token and color(p[-1]) == color(code) and value(p[-1]) == value(code)
            ),
            None,
        )

    return _first_place(case, rng, wanted, "place.ascends")


def wrong_color_on_a_pile(case: Case, rng: random.Random) -> Damaged | None:
    def wanted(spot: Spot, code: str) -> tuple[Cell, int] | None:
        return next(
            (
                (c, 0)
                for c, p in spot.board.items()
                if c != spot.token and color(p[-1]) != color(code) and spot.gap(code, c) == 0
            ),
            None,
        )

    return _first_place(case, rng, wanted, "place.own_color")


def diagonal_neighbour(case: Case, rng: random.Random) -> Damaged | None:
    def wanted(spot: Spot, code: str) -> tuple[Cell, int] | None:
        if value(code) != 1:
            return None
        for x, y in spot.empty_cells():
            diagonal = any(c in spot.board for c in ((x + 1, y + 1), (x - 1, y + 1), (x + 1, y - 1), (x - 1, y - 1)))
            if diagonal and not spot.adjacent((x, y)) and spot.fits((x, y)):
                return (x, y), 0
        return None

    return _first_place(case, rng, wanted, "place.touches")


def fourth_column(case: Case, rng: random.Random) -> Damaged | None:
    def wanted(spot: Spot, code: str) -> tuple[Cell, int] | None:
        if value(code) != 1:
            return None
        return next(((c, 0) for c in spot.empty_cells() if spot.adjacent(c) and not spot.fits(c)), None)

    return _first_place(case, rng, wanted, "place.inside_3x3")


def gap_of_two(case: Case, rng: random.Random) -> Damaged | None:
    if case.advanced:
        return None

    def wanted(spot: Spot, code: str) -> tuple[Cell, int] | None:
        return next(((c, 0 if spot.holds else 1) for c in spot.good_cells(code, 2)), None)

    return _first_place(case, rng, wanted, "place.skip_one")


def second_skip(case: Case, rng: random.Random) -> Damaged | None:
    if case.advanced:
        return None
    for spot in _spots(case, "place", rng):
        if not spot.skips:
            continue
        for code in spot.hand:
            if not spot.shares(code):
                continue
            cells = spot.good_cells(code, 1)
            pay = _payment(spot, code, 0 if spot.holds else 1)
            if cells and pay is not None:
                return _replaced(case, spot, _card(code, cells[0], pay)), "PW601", "place.skip_once", _place(spot)
    return None


def skip_unpaid(case: Case, rng: random.Random) -> Damaged | None:
    for spot in _spots(case, "place", rng):
        if spot.action["pay"]:
            return _replaced(case, spot, {**spot.action, "pay": []}), "PW601", "place.skip_price", _place(spot)
    return None


def skip_overpaid(case: Case, rng: random.Random) -> Damaged | None:
    for spot in _spots(case, "place", rng):
        rest = list(spot.hand)
        for code in (spot.action["card"], *spot.action["pay"]):
            rest.remove(code)
        if rest:
            pay = [*spot.action["pay"], rest[0]]
            return _replaced(case, spot, {**spot.action, "pay": pay}), "PW601", "place.skip_price", _place(spot)
    return None


def build_on_the_blocked_pile(case: Case, rng: random.Random) -> Damaged | None:
    def wanted(spot: Spot, code: str) -> tuple[Cell, int] | None:
        if spot.token is None:
            return None
        pile = spot.board[spot.token]
        return (spot.token, 0) if color(pile[-1]) == color(code) and spot.gap(code, spot.token) == 0 else None

    return _first_place(case, rng, wanted, "place.not_blocked")


def cards_that_share_nothing(case: Case, rng: random.Random) -> Damaged | None:
    for spot in _spots(case, "place", rng):
        if not spot.placed:
            continue
        for code in spot.hand:
            cells = spot.good_cells(code, 0)
            if cells and not spot.shares(code):
                return _replaced(case, spot, _card(code, cells[0], [])), "PW601", "place.one_announcement", _place(spot)
    return None


# ---- hand limit, token -----------------------------------------------------------------------------------------------


def tenth_card_kept(case: Case, rng: random.Random) -> Damaged | None:
    for spot in _spots(case, "trim", rng):
        if len(spot.hand) == 10:
            damaged = copy.deepcopy(case.record)
            del damaged["turns"][spot.turn]["actions"][spot.at]
            return damaged, "PW601", "turn.hand_limit", ("turns", spot.turn)
    return None


def trim_below_the_limit(case: Case, rng: random.Random) -> Damaged | None:
    turns = [t for t, hand in case.hand_after.items() if 0 < len(hand) <= 9]
    rng.shuffle(turns)
    for turn in turns:
        actions = case.record["turns"][turn]["actions"]
        at = len([a for a in actions if a["action"] != "claim"])
        action = {"action": "trim", "card": case.hand_after[turn][0]}
        return _inserted(case, turn, at, action), "PW601", "trim.only_excess", ("turns", turn, "actions", at)
    return None


def grab_without_scissors(case: Case, rng: random.Random) -> Damaged | None:
    for spot in _spots(case, "place", rng):
        if "S" not in spot.action["card"]:
            action = {"action": "grab", "at": spot.action["at"]}
            place = ("turns", spot.turn, "actions", spot.at + 1)
            return _inserted(case, spot.turn, spot.at + 1, action), "PW601", "grab.scissors_card", place
    return None


def grab_on_an_older_card(case: Case, rng: random.Random) -> Damaged | None:
    for spot in _spots(case, "place", rng):
        older = [c for c, p in spot.board.items() if "S" in p[-1] and list(c) != spot.action["at"]]
        if older:
            action = {"action": "grab", "at": list(older[0])}
            place = ("turns", spot.turn, "actions", spot.at + 1)
            return _inserted(case, spot.turn, spot.at + 1, action), "PW601", "grab.which_card", place
    return None


# ---- claims ----------------------------------------------------------------------------------------------------------


def _claims(case: Case) -> list[tuple[int, int, dict[str, Any]]]:
    return [
        (t, i, a)
        for t, turn in enumerate(case.record["turns"])
        for i, a in enumerate(turn["actions"])
        if a["action"] == "claim"
    ]


def claim_too_high(case: Case, rng: random.Random) -> Damaged | None:
    for turn, at, claim in _claims(case):
        if claim["prize"] < 4:
            damaged = copy.deepcopy(case.record)
            damaged["turns"][turn]["actions"][at]["prize"] = 4
            return damaged, "PW601", "claim.prize", ("turns", turn, "actions", at)
    return None


def claim_twice(case: Case, rng: random.Random) -> Damaged | None:
    for turn, _at, claim in _claims(case):
        player = case.record["turns"][turn]["player"]
        later = [t for t in range(turn + 1, len(case.record["turns"])) if case.record["turns"][t]["player"] == player]
        if later:
            at = len(case.record["turns"][later[0]]["actions"])
            again = {"action": "claim", "goal": claim["goal"]}
            return _inserted(case, later[0], at, again), "PW601", "claim.once", ("turns", later[0], "actions", at)
    return None


def claim_unearned(case: Case, rng: random.Random) -> Damaged | None:
    at = len(case.record["turns"][0]["actions"])
    prize = 4 if len(case.record["players"]) > 2 else 2
    claim = {"action": "claim", "goal": case.record["setup"]["goals"][0], "prize": prize}
    return _inserted(case, 0, at, claim), "PW601", "claim.earned", ("turns", 0, "actions", at)


def claim_missing(case: Case, rng: random.Random) -> Damaged | None:
    for turn, at, _ in _claims(case):
        damaged = copy.deepcopy(case.record)
        del damaged["turns"][turn]["actions"][at]
        return damaged, "PW605", "claim", ("turns", turn)
    return None


# ---- order, end, result, setup ---------------------------------------------------------------------------------------


def play_after_the_end(case: Case, rng: random.Random) -> Damaged | None:
    damaged = copy.deepcopy(case.record)
    players = damaged["players"]
    following = players[(players.index(damaged["turns"][-1]["player"]) + 1) % len(players)]
    damaged["turns"].append({"player": following, "actions": [{"action": "take", "announced": 1, "cards": {}}]})
    return damaged, "PW606", "exhausted", ("turns", len(damaged["turns"]) - 1)


def end_too_early(case: Case, rng: random.Random) -> Damaged | None:
    damaged = copy.deepcopy(case.record)
    damaged["turns"].pop()
    return damaged, "PW607", "exhausted", ("result",)


def wrong_final_score(case: Case, rng: random.Random) -> Damaged | None:
    damaged = copy.deepcopy(case.record)
    player = rng.choice(damaged["players"])
    damaged["result"]["scores"][player] += rng.choice([-1, 1, 5])
    return damaged, "PW608", "score", ("result", "scores", player)


def wrong_score_line(case: Case, rng: random.Random) -> Damaged | None:
    damaged = copy.deepcopy(case.record)
    player = rng.choice(damaged["players"])
    damaged["result"]["parts"][player]["stars"] += 1
    return damaged, "PW608", "score.stars", ("result", "parts", player, "stars")


def wrong_winner(case: Case, rng: random.Random) -> Damaged | None:
    damaged = copy.deepcopy(case.record)
    ranking = damaged["result"]["ranking"]
    if len(ranking) < 2:
        return None
    ranking[0], ranking[1] = ranking[1], ranking[0]
    return damaged, "PW608", "ranking", ("result", "ranking")


def card_doubled_in_the_setup(case: Case, rng: random.Random) -> Damaged | None:
    damaged = copy.deepcopy(case.record)
    supply = damaged["setup"]["supply"]
    pile = rng.randrange(5)
    supply[pile].insert(0, "K5" if rng.random() < 0.5 else "YS1")
    return damaged, "PW609", "setup.supply", ("setup", "supply")


def card_missing_in_the_setup(case: Case, rng: random.Random) -> Damaged | None:
    damaged = copy.deepcopy(case.record)
    supply = damaged["setup"]["supply"]
    del supply[rng.randrange(5)][0]
    return damaged, "PW609", "setup.supply", ("setup", "supply")


def objective_chosen_twice(case: Case, rng: random.Random) -> Damaged | None:
    damaged = copy.deepcopy(case.record)
    goals = damaged["setup"]["goals"]
    goals[2] = goals[0]
    return damaged, "PW609", "setup.goals", ("setup", "goals", 2)


def out_of_turn(case: Case, rng: random.Random) -> Damaged | None:
    damaged = copy.deepcopy(case.record)
    turn = rng.randrange(len(damaged["turns"]))
    own = damaged["turns"][turn]["player"]
    damaged["turns"][turn]["player"] = next(p for p in damaged["players"] if p != own)
    return damaged, "PW604", "turn", ("turns", turn, "player")


def take_after_placing(case: Case, rng: random.Random) -> Damaged | None:
    for spot in _spots(case, "place", rng):
        announced = value(next(iter(spot.tops.values()), "K1"))
        cards = {p: t for p, t in spot.tops.items() if value(t) == announced}
        if cards:
            action = {"action": "take", "announced": announced, "cards": cards}
            place = ("turns", spot.turn, "actions", spot.at + 1)
            return _inserted(case, spot.turn, spot.at + 1, action), "PW603", "turn", place
    return None


def empty_turn(case: Case, rng: random.Random) -> Damaged | None:
    damaged = copy.deepcopy(case.record)
    turn = rng.randrange(len(damaged["turns"]))
    damaged["turns"][turn]["actions"] = []
    return damaged, "PW615", "turn", ("turns", turn)


KINDS: tuple[Callable[[Case, random.Random], Damaged | None], ...] = (
    wrong_color_in_a_take, matching_card_left_behind, card_not_on_top, nothing_taken, card_not_in_hand, same_value_on_a_pile,
    wrong_color_on_a_pile, diagonal_neighbour, fourth_column, gap_of_two, second_skip, skip_unpaid, skip_overpaid,
    build_on_the_blocked_pile, cards_that_share_nothing, tenth_card_kept, trim_below_the_limit, grab_without_scissors,
    grab_on_an_older_card, claim_too_high, claim_twice, claim_unearned, claim_missing, play_after_the_end, end_too_early,
    wrong_final_score, wrong_score_line, wrong_winner, card_doubled_in_the_setup, card_missing_in_the_setup,
    objective_chosen_twice, out_of_turn, take_after_placing, empty_turn,
)  # fmt: skip
