"""How often a position came before: held against a count of one's own, by the engine, the interpreter and a kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pwtool.comparing.rows import compare_rulesets
from pwtool.eval.kleene import Between
from pwtool.eval.values import UNSEEN
from pwtool.ir import nodes as ir
from pwtool.kernel.module import compile_kernel
from pwtool.kernel.run import CLEAN
from pwtool.kernel.run import Runner as Kernels
from pwtool.lang.fmt.text import format_rules
from pwtool.play.chance import Chance
from pwtool.play.play import Play
from pwtool.play.selfplay import deal_at_random, play_game, play_turn, random_policy
from pwtool.play.setup import build_state
from pwtool.show.text.comparing import exit_code
from pwtool.text.source import SourceFile
from tests.daily import one_day_in
from tests.kernel.packing import Packer
from tests.rules.test_constructs import load, loaded
from tests.support import book

WANDER = Path(__file__).resolve().parents[1] / "kernel" / "rules" / "wander" / "game.rules"
NAMES = ["Ana", "Ben", "Cem"]


def picture(play: Play, last: int) -> dict[str, Any]:
    """Everything that `wander` remembers, by name; `last` is who acted last."""
    ruleset, state = play.game.ruleset, play.state
    zones = {name: state.zones[zone.number] for name, zone in ruleset.zones.items()}
    found: dict[str, Any] = {name: state.variables[v.number] for name, v in ruleset.variables.items()}
    found["board"] = sorted((cell, list(pile)) for cell, pile in zones["board"][0].items() if pile)
    found["sack"] = sorted(zones["sack"][0])
    found["pits"] = [list(pile) for pile in zones["pits"]]
    return found | {"player": last}


@pytest.mark.parametrize("seed", range(12))
def test_positions_are_counted_as_by_hand(seed: int) -> None:
    game = book(str(WANDER)).game
    wanted = [[item.span.text for item in items if item.span] for items in game.ruleset.histories]
    assert sorted(map(" ".join, wanted)) == [
        "board", "board asleep", "board sack player", "board stay", "sack pits came",
    ]  # fmt: skip
    rng = Chance(seed)
    record = deal_at_random(game, NAMES[: 2 + seed % 2], rng)
    play = Play(game, build_state(game, record)[0])
    before: list[dict[str, Any]] = []
    most = 0
    while not play.over:
        before.append(picture(play, play.owner if play.turn else play.state.players - 1))
        if play_turn(play, random_policy(rng), rng) is None:
            break
        now = picture(play, play.owner)
        for number, names in enumerate(wanted):
            times = sum(all(p[name] == now[name] for name in names) for p in before)
            x = ir.Repeats(number=number, items=game.ruleset.histories[number])
            for machine in (game.fast, game.careful):
                assert machine.backend.compile(x)(play.state, game.locals()) == times
            most = max(most, times)
    assert most >= 2


@pytest.mark.parametrize("seed", range(12))
def test_a_kernel_counts_them_too(seed: int) -> None:
    shelved = book(str(WANDER))
    game, rng = shelved.game, Chance(seed)
    record = deal_at_random(game, NAMES[: 2 + seed % 2], rng)
    play = play_game(game, record, random_policy(rng))
    instance = Kernels(compile_kernel(game.ruleset)).instance()
    (reply,) = instance.judge([Packer(game.ruleset).pack(record)])
    assert reply.verdict == CLEAN
    if play.over:
        assert record.outcome is not None and record.outcome.scores is not None
        assert reply.totals == [record.outcome.scores[seat] for seat in range(len(record.players))]


MISTAKES = [
    ("some c in cells of board: repeats of c > 1", "`c` depends on a name of this place, which earlier positions do not know"),
    ("repeats of heap > 1", "`heap` belongs to a player, and another one acted in earlier turns"),
    ("repeats of { board, top of heap } > 1", "`top of heap` belongs to a player, and another one acted in earlier turns"),
    ("repeats of { board, repeats of board } > 1", "`repeats of board` is not part of a position"),
    ("repeats of { board, nobody } > 1", "there is no name `nobody`"),
    ("repeats of { } > 1", "unexpected `}`"),
]  # fmt: skip


@pytest.mark.parametrize(("condition", "message"), MISTAKES)
def test_mistakes_are_told(condition: str, message: str, tmp_path: Path) -> None:
    text = WANDER.read_text("utf-8").replace("repeats of board < 3", condition)
    assert [d.message for d in load(tmp_path, text)[1]] == [message]


@one_day_in(8)
def test_what_is_remembered_is_compared(tmp_path: Path) -> None:
    base = book(str(WANDER)).game
    for at, (old, new, same) in enumerate([
        ("{ board, sack, player }", "{ player, board, sack }", True),
        ("{ board, sack, player }", "{ board, sack }", False),
        ("repeats of board < 3", "repeats of { board, asleep } < 3", False),
        ("repeats of board < 3", "not repeats of board >= 3", True),
    ]):  # fmt: skip
        (tmp_path / str(at)).mkdir()
        other = loaded(tmp_path / str(at), WANDER.read_text("utf-8").replace(old, new))
        assert (exit_code(compare_rulesets(base, other)) == 0) == same, (old, new)


def test_what_nobody_saw_is_counted_between_bounds() -> None:
    game = book(str(WANDER)).game
    rng = Chance(3)
    record = deal_at_random(game, NAMES[:2], rng)
    play = Play(game, build_state(game, record)[0])
    number = next(n for n, items in enumerate(game.ruleset.histories) if isinstance(items[-1], ir.Actor))
    x = ir.Repeats(number=number, items=game.ruleset.histories[number])
    assert play_turn(play, random_policy(rng), rng) is not None
    sack = play.state.zones[game.ruleset.zones["sack"].number][0]
    sack[:] = [UNSEEN] * len(sack)
    play.state.unseen = True
    assert play_turn(play, random_policy(rng), rng) is not None
    assert game.machine(play.state).backend.compile(x)(play.state, game.locals()) == Between(0, 2)
    assert game.machine(play.state) is game.careful


def test_the_formatter_keeps_it() -> None:
    text = WANDER.read_text("utf-8")
    assert format_rules(SourceFile("game.rules", text)).value == text
