"""Why something on the table cannot be used: what is legal is found, and what is refused breaks the rules that are named."""

from __future__ import annotations

from itertools import product

import pytest

from pwtool.ir.grids import cells_of
from pwtool.play.chance import Chance
from pwtool.play.play import Play
from pwtool.play.selfplay import Option, RandomPolicy, deal_at_random, play_game
from pwtool.why.closed import Thing, closed_ways
from pwtool.why.refusals import refusals
from tests.daily import one_day_in, some, times
from tests.support import book

GAMES = [
    "chess", "paper_world/en", "checkers", "othello", "tic_tac_toe", "nine_mens_morris", "hearts", "connect_four", "hex", "mancala",
    "amazons", "breakthrough",
]  # fmt: skip


class Stopping(RandomPolicy):
    """Plays at random and keeps some positions with what is legal there."""

    def __init__(self, seed: int, each: int) -> None:
        super().__init__(Chance(seed))
        self.each, self.count = each, 0
        self.kept: list[tuple[Play, list[Option]]] = []

    def choose(self, play: Play, options: list[Option], may_end: bool) -> Option | None:
        self.count += bool(options)
        if options and self.count % self.each == 0 and len(self.kept) < times(6, 40):
            self.kept.append((play.copy(), options))
        return super().choose(play, options, may_end)


def things_of(play: Play, option: Option) -> list[Thing] | None:
    """What an action names on the table, in order; None if it has parameters of other kinds."""
    number, _, arguments = option
    found = []
    for parameter, argument in zip(play.game.action(number).parameters, arguments, strict=True):
        if parameter.kind == "cell" and not parameter.each and argument is not None:
            found.append(Thing(parameter.zone, 0, -1, cell=argument))
        elif parameter.kind == "element" and not parameter.chance:
            found.append(Thing(parameter.zone, 0, -1, face=argument))
        else:
            return None
    return found or None


def refusing(play: Play, option: Option) -> set[str]:
    """The rules that refuse a way to act."""
    number, actor, arguments = option
    runner = play.game.machine(play.state).actions[number]
    play = play.copy()
    play.act(max(actor, 0))
    e = runner.bind(arguments)
    runner.compute(play.state, e)
    return {rule.id for rule in runner.judge(play.state, e)[0]}


def refused(play: Play, option: Option) -> list[str]:
    """All that refuses a way to act."""
    number, actor, arguments = option
    play = play.copy()
    play.act(max(actor, 0))
    return refusals(play.game, play.game.machine(play.state).actions[number], play.state, arguments).names


def rules_of(play: Play, option: Option) -> set[str]:
    return {rule.id for rule in play.game.action(option[0]).rules}


def positions(address: str, seed: int) -> list[tuple[Play, list[Option]]]:
    found = book(address)
    ruleset = found.game.ruleset
    record = deal_at_random(found.game, [f"P{n}" for n in range(ruleset.min_players)], Chance(seed))
    policy = Stopping(seed, 3)
    play_game(found.game, record, policy, found.legal, 40)
    return policy.kept


def names(option: Option, thing: Thing) -> bool:
    """Whether an action names something, wherever."""
    wanted = thing.cell if thing.cell is not None else thing.face
    named = (part if isinstance(part, list | tuple) and part != wanted else [part] for part in option[2])
    return any(wanted == one or (isinstance(one, tuple) and wanted == one[-1]) for part in named for one in part)


@one_day_in(8)
@pytest.mark.parametrize("address", some(GAMES, 2))
def test_what_is_named_is_open_or_closed_as_the_rules_say(address: str) -> None:
    looked = 0
    for play, options in positions(address, 7):
        before = repr(play.state)
        for option in options[:4]:
            things = things_of(play, option)
            if things is None:
                continue
            looked += 1
            [own] = [one for one in closed_ways(play, things) if one.way[0] == option[0]]
            assert (own.open, own.refused_by, own.way, own.in_order) == (1, (), option, True)
            for one in closed_ways(play, things[:1]):
                if one.way[2] is None:
                    assert (one.tried, one.refused_by) == (0, ())
                    continue
                rules = refusing(play, one.way)
                assert rules == {
                    name for name in one.refused_by if name in one.rules and name in rules_of(play, one.way)
                }
                assert set(one.refused_by) <= set(one.rules)
                assert one.tried >= max(one.open, *one.rules.values(), 1)
                if one.open and one.in_order:
                    assert any(names(other, things[0]) for other in options if other[0] == one.way[0])
        assert repr(play.state) == before
    assert looked


def test_of_what_no_action_names_nothing_is_said() -> None:
    [(play, _), *_] = positions("tic_tac_toe", 1)
    assert closed_ways(play, [Thing(99, 0, -1, cell=(0, 0))]) == []
    assert (
        closed_ways(play, [Thing(0, 0, -1, cell=(0, 0)), Thing(0, 0, -1, cell=(0, 1)), Thing(0, 0, -1, cell=(0, 2))])
        == []
    )


@one_day_in(4)
@pytest.mark.parametrize("address", ["checkers", "chess", "nine_mens_morris", "othello"])
def test_no_way_to_act_is_nearer_than_the_one_that_is_told(address: str) -> None:
    """Beside all that can be named, in games whose actions name cells alone."""
    looked = 0
    for play, _ in positions(address, 11)[: times(2, 12)]:
        now = {number for number, actor in play.all_steps() if play.arguments(number, actor, 1)}
        for one in closed_ways(play, []):
            number, actor, arguments = one.way
            model = play.game.action(number)
            assert number not in now and arguments is not None
            if any(parameter.kind != "cell" for parameter in model.parameters):
                continue
            grids = [play.game.zone_list[parameter.zone].grid for parameter in model.parameters]
            every = list(product(*(cells_of(grid) for grid in grids)))
            fewest = min(len(refused(play, (number, actor, way))) for way in every)
            assert len(one.refused_by) == fewest
            looked += 1
    assert looked


def test_the_nearest_way_pays_no_more_than_it_must() -> None:
    """Of payments that are as wrong as each other the smallest is told, and the one that is asked for if there is one."""
    for play, options in positions("paper_world/gamepark", 7):
        for option in options[:6]:
            for thing in things_of(play, option) or []:
                for one in closed_ways(play, [thing]):
                    number, actor, arguments = one.way
                    for at, parameter in enumerate(play.game.action(number).parameters):
                        if parameter.kind != "elements" or not arguments[at]:
                            continue
                        for left in range(len(arguments[at])):
                            fewer = [card for which, card in enumerate(arguments[at]) if which != left]
                            other = (*arguments[:at], fewer, *arguments[at + 1 :])
                            if thing.face in arguments[at] and thing.face not in fewer:
                                continue
                            assert len(refused(play, (number, actor, other))) > len(one.refused_by)
