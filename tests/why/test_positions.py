"""What somebody says of an action on the table, as an example that says the same of it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from pwtool.checking.accepting import place_example
from pwtool.checking.examples import run_examples
from pwtool.eval.values import UNSEEN
from pwtool.lang import tree as n
from pwtool.lang.fmt.text import format_rules
from pwtool.lang.parser import parse_rules
from pwtool.play.chance import Chance
from pwtool.play.game import Game
from pwtool.play.legal import Arguments
from pwtool.play.play import Play
from pwtool.play.selfplay import Option as Way
from pwtool.play.selfplay import RandomPolicy, deal_at_random, play_game
from pwtool.play.state import State, has_unseen
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.text.source import SourceFile
from pwtool.why.positions import NoExample, example_of_action
from tests.daily import one_day_in, seed, some, times

ROOT = Path(__file__).resolve().parents[2]
RULESETS = [p for p in sorted((ROOT / "rulesets").rglob("*.rules")) if "\npart " not in f"\n{p.read_text('utf-8')}"]


@cache
def game_of(path: Path) -> Game:
    found = load_ruleset(str(path), Library())
    assert found.value is not None, [d.message for d in found.diagnostics]
    return Game(found.value)


class _Watched(RandomPolicy):
    """Keeps a few moments of a game, each with a legal action and with one of things that are there."""

    def __init__(self, rng: Chance, chosen: random.Random) -> None:
        super().__init__(rng)
        self.chosen = chosen
        self.seen: list[tuple[Play, Way]] = []

    def choose(self, play: Play, options: list[Way], may_end: bool) -> Way | None:
        way = super().choose(play, options, may_end)
        if way is not None and (not self.seen or self.chosen.random() < 0.3):
            self.seen.append((play.copy(), way))
            action, actor, _ = self.chosen.choice(options)
            play.act(actor)
            arguments = play.legal.at_random(play.state, action, self.rng)
            play.act(play.owner)
            if arguments is not None:
                self.seen.append((play.copy(), (action, actor, arguments)))
        return way


def moments(game: Game, number: int) -> list[tuple[Play, Way]]:
    """Some moments of a random game."""
    chosen, rng = random.Random(number), Chance(number)
    ruleset = game.ruleset
    players = chosen.randint(ruleset.min_players, min(ruleset.max_players, ruleset.min_players + 2))
    policy = _Watched(rng, chosen)
    play_game(game, deal_at_random(game, [f"p{i}" for i in range(players)], rng), policy, max_turns=60, rng=rng)
    return chosen.sample(policy.seen, min(len(policy.seen), 8))


def refused_by(play: Play, action: int, actor: int, arguments: Arguments) -> set[str]:
    """The rules and parameters that refuse an action."""
    state = play.state.copy()
    state.player = max(0, actor)
    runner = play.game.machine(state).actions[action]
    e = runner.bind(arguments)
    missing = {f"{runner.model.name}.{p.name}" for p, _ in runner.unavailable(state, e)}
    runner.compute(state, e)
    return missing | {rule.id for rule in runner.judge(state, e)[0]}


def read(lines: list[str]) -> n.Example:
    document = parse_rules(SourceFile("more.rules", "part more of game\n" + "\n".join(lines) + "\n")).value
    assert document is not None, lines
    [example] = document.declarations
    assert isinstance(example, n.Example)
    return example


def written(game: Game, number: int) -> Iterator[tuple[str, bool]]:
    """Examples of what can be said of actions in a random game, each with whether the rules agree."""
    chosen = random.Random(number)
    for play, (action, actor, arguments) in moments(game, number):
        model = game.action(action)
        by, legal = refused_by(play, action, actor, arguments), play.is_legal(action, actor, arguments)
        items = sorted(by) or [rule.id for rule in model.rules]
        for about in (model.name, *([chosen.choice(items)] if items else [])):
            for yes in (True, False):
                if yes and about != model.name and not legal and not by:
                    # Only a bound refuses it, which is no matter of a rule.
                    continue
                try:
                    lines = example_of_action(play, actor, action, arguments, about, yes)
                except NoExample:
                    assert game.ruleset.histories, "only what was before is not in the position"
                    continue
                yield "\n".join(lines), legal if yes else not legal if about == model.name else about in by


@one_day_in(8)
@pytest.mark.parametrize("path", some(RULESETS, 6), ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_the_example_says_what_the_engine_says(path: Path) -> None:
    game, head = game_of(path), f"part more of {path.parent.name}\n\n"
    for number in range(seed(), seed() + times(1, 3)):
        texts, agreeing = zip(*written(game, number), strict=True)
        more = "\n\n".join(texts) + "\n"
        assert format_rules(SourceFile("more.rules", head + more)).value == head + more
        text = path.read_text("utf-8").rstrip() + "\n\n" + more
        found = load_ruleset(str(path), Library(drafts={str(path): text}))
        assert found.value is not None, [d.message for d in found.diagnostics]
        own = [e for e in found.value.merged.examples if e.span.file.text == text]
        changed = Game(found.value)
        for example, agrees in zip(own[-len(texts) :], agreeing, strict=True):
            failed, too_dear = run_examples(changed, [example])
            assert too_dear is None and bool(failed) != agrees, example.span.text
            assert all(one.outcome is not None for one in failed)


@one_day_in(8)
@pytest.mark.parametrize("game", ["chess", "nim", "nine_mens_morris"])
def test_the_example_calls_cells_as_people_do(game: str) -> None:
    path = next(path for path in RULESETS if path.parent.name == game and path.stem == "game")
    texts = [text for text, _ in written(game_of(path), seed())]
    assert texts and not [text for text in texts if re.search(r"\(\d+, \d+\)", text)]


MINI = """\
game mini "Mini"
players 2..3
component card { color: red "R" | blue "B"  value: 1..3 }
token crown on board
zone stock: pile of card
zone hand: bag of card per player
zone board: grid 3x3 of card
turn = lay | claim
var laid: 0..2 = 0 per game
var points: 0..9 = 0 per player per game
var left: 0..9 = 4 per color per game
var latest: cell = none per game
action lay "Lay" (card: card from hand, at: cell of board) {
  rule free "The cell is free" require board[at] is empty
  rule higher "Only who has few points" when laid > 0 require points[player] < 5
  rule new "No position comes again" require after this: repeats of board == 0
  move card to board[at]
  laid += 1
  latest = at
}
action claim "Claim" (at: cell of board) { rule crowned "The crown lies there" require crown on board[at] }
ending full "The board is full" when count board == 9 then stop
score points "Points" = points
ranking most total, shared
"""


@cache
def mini() -> Game:
    found = load_ruleset("/mini.rules", Library(drafts={"/mini.rules": MINI}))
    assert found.value is not None, [d.message for d in found.diagnostics]
    return Game(found.value)


R1, R2, B1 = 0, 1, 3


def begun(players: int = 2) -> tuple[Play, State]:
    game = mini()
    state = State(game.ruleset, players, [])
    game.fresh_variables(state, "game")
    play = Play(game, state)
    play.begin_turn(0)
    return play, state


def say(play: Play, actor: int, name: str, arguments: Arguments, about: str, yes: bool) -> list[str]:
    return example_of_action(play, actor, play.game.action_numbers[name], arguments, about, yes)


def test_where_the_author_agrees_only_what_the_rules_ask_about_is_given() -> None:
    play, state = begun(3)
    zones, variables = play.game.ruleset.zones, play.game.ruleset.variables
    state.zones[zones["hand"].number] = [[R1], [R2, B1], []]
    state.zones[zones["stock"].number][0] = [R2]
    state.zones[zones["board"].number][0][1, 1] = [R1, R2]
    state.variables[variables["points"].number] = [1, 5, 2]
    state.variables[variables["left_blue"].number] = 3
    state.variables[variables["latest"].number] = (1, 1)
    assert say(play, 1, "lay", (B1, (1, 1)), "lay.free", False) == [
        "example lay.free {",
        "  given 3 players",
        "  given player = 2",
        "  given hand = { R2 B1 }",
        "  given board = [ . . / . R1+R2 ]",
        "  no lay(B1, (1, 1))",
        "}",
    ]
    assert say(play, 1, "lay", (B1, (0, 0)), "lay", False) == [
        "example lay {",
        "  given 3 players",
        "  given player = 2",
        "  given stock = { R2 }",
        "  given hand[1] = { R1 }",
        "  given hand = { R2 B1 }",
        "  given board = [ . . / . R1+R2 ]",
        "  given points[1] = 1",
        "  given points = 5",
        "  given points[3] = 2",
        "  given left[blue] = 3",
        "  given latest = (1, 1)",
        "  no lay(B1, (0, 0))",
        "}",
    ]


def test_tokens_are_given_where_they_lie() -> None:
    play, state = begun()
    state.tokens[0] = (0, (2, 1))
    lines = ["example claim {", "  given crown on board[2, 1]", "  yes claim((2, 1))", "}"]
    assert say(play, 0, "claim", ((2, 1),), "claim", True) == lines


def test_what_would_exceed_a_bound_is_refused() -> None:
    play, state = begun()
    state.zones[play.game.ruleset.zones["hand"].number][0] = [R1]
    state.variables[play.game.ruleset.variables["laid"].number] = 2
    lines = say(play, 0, "lay", (R1, (0, 0)), "lay", False)
    assert "  given laid = 2" in lines and run_examples(mini(), [read(lines)]) == ([], None)
    [failed], _ = run_examples(mini(), [read(say(play, 0, "lay", (R1, (0, 0)), "lay", True))])
    assert failed.diagnostic.message == "example of `lay`: the action is refused by `lay.laid`"
    # No rule refuses it, and yet it is not legal.
    with pytest.raises(NoExample, match="say it of `lay` as a whole"):
        say(play, 0, "lay", (R1, (0, 0)), "lay.free", True)


def test_what_depends_on_earlier_turns_is_not_written() -> None:
    play, state = begun()
    zones = play.game.ruleset.zones
    state.zones[zones["hand"].number][0] = [R1]
    state.zones[zones["board"].number][0][0, 0] = [R1]
    play.begin_turn(1)
    state.zones[zones["board"].number][0].clear()
    assert refused_by(play, 0, 0, (R1, (0, 0))) == {"lay.new"}
    for yes in (True, False):
        with pytest.raises(NoExample, match="earlier turns"):
            say(play, 0, "lay", (R1, (0, 0)), "lay", yes)


def test_all_that_refuses_has_to_be_the_same() -> None:
    """What another rule says is not lost, although the example would hold without it."""
    play, state = begun()
    zones = play.game.ruleset.zones
    state.zones[zones["hand"].number][0] = [R1]
    state.zones[zones["board"].number][0][0, 0] = [R1, R1]
    play.begin_turn(1)
    state.zones[zones["board"].number][0][0, 0] = [R1]
    assert refused_by(play, 0, 0, (R1, (0, 0))) == {"lay.free", "lay.new"}
    with pytest.raises(NoExample, match="earlier turns"):
        say(play, 0, "lay", (R1, (0, 0)), "lay.free", False)


def test_it_is_added_beside_the_examples_of_its_item() -> None:
    play, state = begun()
    state.zones[play.game.ruleset.zones["hand"].number][0] = [R1]
    for name in ("lay", "lay.free"):
        kind = "rule" if "." in name else "action"
        lines = say(play, 0, "lay", (R1, (0, 0)), name, True)
        placed = place_example(mini(), (kind, name), lines, lambda file: Path("/mini.rules"))
        assert placed is not None
        _, _, at, piece = placed
        found = load_ruleset("/mini.rules", Library(drafts={"/mini.rules": MINI[:at] + piece + MINI[at:]}))
        assert found.value is not None and run_examples(Game(found.value)) == ([], None)
        assert [e.name.name for e in found.value.merged.examples] == [name]


def test_what_nobody_has_seen_is_left_out_or_told() -> None:
    play, state = begun()
    hands = state.zones[play.game.ruleset.zones["hand"].number]
    hands[0], hands[1] = [R1], [UNSEEN]
    state.unseen = has_unseen(state)
    lines = ["example lay {", "  given hand = { R1 }", "  yes lay(R1, (0, 0))", "}"]
    assert say(play, 0, "lay", (R1, (0, 0)), "lay", True) == lines
    # A rule that the author has in mind may ask about it.
    with pytest.raises(NoExample, match="what is in `hand`"):
        say(play, 0, "lay", (R1, (0, 0)), "lay", False)
    with pytest.raises(NoExample, match="nobody has seen"):
        say(play, 1, "lay", (UNSEEN, (0, 0)), "lay", True)


def test_an_example_is_about_its_action() -> None:
    play, _ = begun()
    with pytest.raises(NoExample, match="no other action"):
        say(play, 0, "lay", (R1, (0, 0)), "claim.crowned", False)
