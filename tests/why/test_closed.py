"""Why something on the table cannot be used: what is legal is found, and what is refused breaks the rules that are named."""

from __future__ import annotations

import pytest

from pwtool.play.chance import Chance
from pwtool.play.play import Play
from pwtool.play.selfplay import Option, RandomPolicy, deal_at_random, play_game
from pwtool.why.closed import Thing, closed_ways
from tests.daily import some, times
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


@pytest.mark.parametrize("address", some(GAMES, 4))
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
