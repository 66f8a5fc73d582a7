"""The compiled functions and the reference interpreter agree, and with unknowns the interpreter never claims too much."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from pwtool.eval.kleene import Between
from pwtool.eval.values import UNKNOWN, UNSEEN
from pwtool.ir.model import refusal
from pwtool.play.game import Game, Machine
from pwtool.play.play import Play
from pwtool.play.replay import replay_record
from pwtool.play.state import State
from tests.daily import one_day_in, some
from tests.support import ADDRESSES, DATA, book, causes, few_or_many, full_record, imported, random_game, raw_games

RECORDED = raw_games("base", "advanced")
Verdicts = dict[tuple[Any, ...], Any]


def positions(address: str, data: dict[str, Any], rng: random.Random, count: int) -> list[Play]:
    """Positions before actions and between turns of a recorded game."""
    rules = book(address)
    found: list[Play] = []

    def observe(play: Play, turn: int, action: int | None) -> None:
        if rng.random() < 0.3:
            found.append(play.copy())

    replay_record(rules.game, rules.decoder.record(data), rules.legal, observe)
    assert found
    return rng.sample(found, min(count, len(found)))


def played(address: str, seed: int, count: int) -> list[Play]:
    """Positions of a random game."""
    rng = random.Random(seed)
    data, _ = random_game(address, rng.choice([2, 3, 4]), seed, max_turns=80)
    data.pop("result", None)
    return positions(address, data, rng, count)


def random_arguments(address: str, action: Any, state: State, rng: random.Random) -> tuple[Any, ...]:
    """Arguments of the right form, mostly illegal."""
    game = book(address).game
    faces = range(len(game.ruleset.components["card"].codes))
    arguments: list[Any] = []
    for parameter in action.parameters:
        hand = state.zones[game.ruleset.zones["hand"].number][state.player]
        if parameter.kind == "element":
            arguments.append(rng.choice(hand) if hand and rng.random() < 0.8 else rng.choice(faces))
        elif parameter.kind == "elements":
            arguments.append(rng.sample(hand, min(len(hand), rng.choice([0, 0, 1, 2]))))
        elif parameter.kind == "tops":
            piles = state.zones[parameter.zone]
            tops = [(i + 1, p[-1]) for i, p in enumerate(piles) if p]
            arguments.append(sorted(rng.sample(tops, rng.randint(0, len(tops)))))
        elif parameter.kind == "order":
            piles = state.zones[parameter.zone]
            arguments.append(rng.sample(pile := rng.choice(piles)[:-1], len(pile)))
        elif parameter.kind == "cell":
            arguments.append((rng.randint(-3, 3), rng.randint(-3, 3)))
        elif parameter.type.kind == "int":
            arguments.append(rng.randint(parameter.type.low, parameter.type.high))
        else:
            arguments.append(rng.choice(["yellow", "blue", "green", "black", 1, 2, 3, 4, 5]))
    return tuple(arguments)


def exact(verdict: Any) -> Any:
    return verdict if verdict is UNKNOWN else bool(verdict)


def machine_verdicts(game: Game, machine: Machine, play: Play) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Everything but actions that a machine says of a position, for every player in turn; conditions as truth values."""
    state, backend, ruleset = play.state, machine.backend, game.ruleset
    mover = state.player
    landscapes = state.zones[ruleset.zones["landscape"].number]
    for number, condition in enumerate(machine.endings):
        yield ("ending", number), exact(condition(state, game.locals()))
    for player in range(state.players):
        state.player = player
        for model, refuses in (*machine.turn_rules, *machine.setup_rules):
            yield ("rule", player, model.id), exact(refuses(state, game.locals()))
        for runner in machine.consequences:
            for goal, e in enumerate(play.consequence_cases(runner)):
                for model, rule in zip(runner.model.rules, runner.rules, strict=True):
                    yield ("claim", player, goal, model.id), exact(backend.compile(rule.condition)(state, e))
        for invariant in ruleset.invariants:
            refuses = backend.compile(refusal(invariant.when, invariant.require))
            yield ("invariant", player, invariant.name), exact(refuses(state, game.locals()))
        for line, score in zip(ruleset.scores, machine.scores, strict=True):
            yield ("score", player, line.name), score(state, game.locals())
        for name in ruleset.objectives:
            yield ("objective", player, name), exact(backend.objective(name)(state, landscapes[player]))
    state.player = mover


def check_agreement(address: str, plays: list[Play], rng: random.Random) -> tuple[int, int]:
    """Both machines on these positions; how many actions were judged, how many refused."""
    game = book(address).game
    judged = refused = 0
    for play in plays:
        state = play.state
        fast, careful = (dict(machine_verdicts(game, m, play)) for m in (game.fast, game.careful))
        assert fast == careful
        assert fast and UNKNOWN not in careful.values() and not any(isinstance(v, Between) for v in careful.values())
        for quick, slow in zip(game.fast.actions, game.careful.actions, strict=True):
            legal = (
                rng.sample(found, 2)
                if len(found := list(play.legal.arguments(state, quick.model.number))) > 1
                else found
            )
            for arguments in [*legal, *(random_arguments(address, quick.model, state, rng) for _ in range(6))]:
                e, f = quick.bind(arguments), slow.bind(arguments)
                assert quick.unavailable(state, e) == slow.unavailable(state, f)
                quick.compute(state, e)
                slow.compute(state, f)
                (broken, known), (other, unknown) = quick.judge(state, e), slow.judge(state, f)
                assert [r.id for r in broken] == [r.id for r in other] and known == unknown == []
                judged += 1
                refused += bool(broken)
            for arguments in legal:
                assert quick.judge(state, computed(quick, state, arguments)) == ([], [])
    return judged, refused


def computed(runner: Any, state: State, arguments: tuple[Any, ...]) -> list[Any]:
    e: list[Any] = runner.bind(arguments)
    runner.compute(state, e)
    return e


@pytest.mark.parametrize("games", few_or_many(1, 4))
@pytest.mark.parametrize("address", some(ADDRESSES, 2))
def test_both_evaluators_agree_in_random_play(address: str, games: int) -> None:
    rng = random.Random(7)
    judged, refused = check_agreement(address, [p for seed in range(games) for p in played(address, seed, 8)], rng)
    assert judged > 100 * games and 0 < refused < judged


@pytest.mark.slow
@pytest.mark.parametrize("address", some(ADDRESSES, 2))
def test_both_evaluators_agree_in_much_random_play(address: str) -> None:
    rng = random.Random(8)
    judged, refused = check_agreement(address, [p for seed in range(40, 90) for p in played(address, seed, 8)], rng)
    assert judged > 5000 and 0 < refused < judged


@one_day_in(4)
@pytest.mark.parametrize("games", few_or_many(9, 36))
@pytest.mark.parametrize("folder", ["base", "advanced"])
def test_both_evaluators_agree_in_the_recorded_games(folder: str, games: int) -> None:
    rng = random.Random(folder)
    judged = refused = 0
    for _, raw in raw_games(folder)[:: 36 // games]:
        data = imported(raw)
        counts = check_agreement(data["ruleset"], positions(data["ruleset"], data, rng, 3), rng)
        judged, refused = judged + counts[0], refused + counts[1]
    assert judged > 2000 * games // 36 and 0 < refused < judged


@one_day_in(8)
@pytest.mark.parametrize("address", ["paper_world", "paper_world/gamepark"])
def test_both_evaluators_agree_on_all_objectives_of_the_boards(address: str) -> None:
    game = book(address).game
    numbers = game.ruleset.components["card"].numbers
    boards = (DATA / "objective_vectors.sample.jsonl").read_text("utf-8").splitlines()
    assert len(boards) == 1000
    state = State(game.ruleset, 2, [])
    for line in boards:
        grid = {(x, y): [numbers[c] for c in pile] for x, y, pile in json.loads(line)["cells"]}
        for name in game.ruleset.objectives:
            fast, careful = (m.objective(name)(state, grid) for m in (game.fast.backend, game.interpreter))
            assert bool(fast) == bool(careful) and careful is not UNKNOWN


def test_recorded_games_judge_alike_with_both_machines() -> None:
    for name, raw in RECORDED[::9]:
        data = full_record(raw)
        rules = book(data["ruleset"])
        record = rules.decoder.record(data)
        fast = replay_record(rules.game, record, rules.legal)
        machine = rules.game.fast
        rules.game.fast = rules.game.careful
        try:
            careful = replay_record(rules.game, record, rules.legal)
        finally:
            rules.game.fast = machine
        assert fast.findings == careful.findings == [], name
        assert fast.result == careful.result and fast.consequences == careful.consequences


# ---- unknowns --------------------------------------------------------------------------------------------------------


def hide(game: Game, play: Play, rng: random.Random, zones: tuple[str, ...], share: float) -> Play:
    """The same position with some cards of these zones unseen."""
    hidden = play.copy()
    for name in zones:
        for content in hidden.state.zones[game.ruleset.zones[name].number]:
            for pile in content.values() if isinstance(content, dict) else [content]:
                for at in range(len(pile)):
                    if rng.random() < share:
                        pile[at] = UNSEEN
    hidden.state.unseen = True
    return hidden


def sound(claimed: Any, true: Any) -> bool:
    """Whether a verdict or number claims nothing that is not so."""
    if isinstance(claimed, Between):
        return claimed.low <= true <= claimed.high
    return claimed is UNKNOWN or bool(claimed == true)


def hidden_positions(address: str, rng: random.Random, games: int) -> Iterator[tuple[Play, Play]]:
    """Positions as they are, each with versions of which less and less is known."""
    game = book(address).game
    every = tuple(z.name for z in game.zone_list if z.element.kind == "face")
    for seed in range(games):
        for play in played(address, seed, 5):
            yield play, hide(game, play, rng, ("supply",), 0.3)
            yield play, hide(game, play, rng, ("supply",), 1.0)
            yield play, hide(game, play, rng, every, 0.3)


@pytest.mark.parametrize("games", few_or_many(1, 4))
@pytest.mark.parametrize("address", some(ADDRESSES, 2))
def test_with_unknown_cards_no_rule_claims_too_much(address: str, games: int) -> None:
    game = book(address).game
    rng = random.Random(3)
    known = unknown = 0
    for play, hidden in hidden_positions(address, rng, games):
        for runner in game.careful.actions:
            if runner.model.name == "pass":
                continue  # below
            for _ in range(5):
                arguments = random_arguments(address, runner.model, play.state, rng)
                true = {r.id for r in runner.judge(play.state, computed(runner, play.state, arguments))[0]}
                broken, open_ = runner.judge(hidden.state, computed(runner, hidden.state, arguments))
                claimed, undecided = {r.id for r in broken}, {r.id for r in open_}
                assert claimed <= true <= claimed | undecided, (runner.model.name, arguments)
                known += len(runner.model.rules) - len(undecided)
                unknown += len(undecided)
    assert known > 250 * games and unknown > 25 * games


@pytest.mark.parametrize("games", few_or_many(1, 4))
@pytest.mark.parametrize("address", some(ADDRESSES, 2))
def test_with_unknown_cards_nothing_else_claims_too_much(address: str, games: int) -> None:
    game = book(address).game
    unknown: set[str] = set()
    for play, hidden in hidden_positions(address, random.Random(4), games):
        true = dict(machine_verdicts(game, game.careful, play))
        claimed = dict(machine_verdicts(game, game.careful, hidden))
        assert true.keys() == claimed.keys()
        for what, verdict in claimed.items():
            assert sound(verdict, true[what]), (what, verdict, true[what])
            if verdict is UNKNOWN or isinstance(verdict, Between):
                unknown.add(what[0])
    assert unknown >= {"claim", "invariant", "score", "objective"}


@one_day_in(8)
@pytest.mark.parametrize("games", few_or_many(2, 4))
@pytest.mark.parametrize("address", [a for a in ADDRESSES if "gamepark" not in a])
def test_with_unknown_cards_a_pass_is_not_judged_too_early(address: str, games: int) -> None:
    game = book(address).game
    runner = game.careful.actions[game.action_numbers["pass"]]
    decided = undecided = 0
    for play, hidden in hidden_positions(address, random.Random(5), games):
        true = not runner.judge(play.state, computed(runner, play.state, ()))[0]
        broken, open_ = runner.judge(hidden.state, computed(runner, hidden.state, ()))
        assert open_ or (not broken) == true
        decided, undecided = decided + (not open_), undecided + bool(open_)
    assert decided and undecided


def test_a_pass_before_unseen_piles_is_not_cleared() -> None:
    rules = book("paper_world")
    data, _ = random_game("paper_world", 2, 1, max_turns=0)
    data["turns"] = [{"player": "P1", "actions": [{"action": "pass"}]}]
    place = ("turns", 0, "actions", 0)
    for codes, code in (([], "PW601"), (["?"], "PW611")):
        for pile in data["setup"]["supply"]:
            pile[:] = codes * len(pile) or pile
        findings = replay_record(rules.game, rules.decoder.record(data), rules.legal).findings
        assert [(f.code, f.rule, f.path) for f in findings] == [(code, "pass.no_choice", place)]


def told(address: str, data: dict[str, Any]) -> list[tuple[str, str | None, tuple[Any, ...]]]:
    """Everything that a replay reports as certain and as a cause: code, rule and place."""
    return [(f.code, f.rule, f.path) for f in causes(address, data) if not f.undetermined]


def cover(data: dict[str, Any], rng: random.Random, share: float) -> dict[str, Any]:
    covered = copy.deepcopy(data)
    for pile in covered["setup"]["supply"]:
        pile[:] = ["?" if rng.random() < share else card for card in pile]
    return covered


@pytest.mark.parametrize("games", few_or_many(2, 6))
@pytest.mark.parametrize("address", some(ADDRESSES, 2))
def test_a_clean_record_is_not_blamed_when_cards_are_unseen(address: str, games: int) -> None:
    for seed in range(games):
        rng = random.Random(seed)
        data, play = random_game(address, rng.choice([2, 3, 4]), seed, max_turns=rng.choice([20, 400]))
        for share in (0.1, 0.4, 1.0):
            # A standstill may be told or not: with unseen cards it need not be known.
            found = [f for f in told(address, cover(data, rng, share)) if f[0] != "PW612"]
            assert found == [], (seed, share)
        assert play.turn > 5


@one_day_in(8)
def test_the_recorded_games_are_not_blamed_when_cards_are_unseen() -> None:
    for name, raw in RECORDED[::4]:
        data = full_record(raw)
        for share in (0.1, 1.0):
            assert told(data["ruleset"], cover(data, random.Random(name), share)) == [], (name, share)


# Two players, and what both tests below start from: `Y3` lies deep in pile 4, `BS1` on top of pile 2, and the start
# cards Y1 and G1 are out of the game.
def unseen_start() -> dict[str, Any]:
    data, _ = random_game("paper_world", 2, 1, max_turns=0)
    supply = data["setup"]["supply"]
    places = [(0, -1, "K3"), (1, -1, "BS1"), (2, -1, "GS4"), (3, -1, "G1"), (4, -1, "G1"), (3, 0, "Y3")]
    for number, (pile, depth, code) in enumerate(places):
        kept = {(p, d % len(supply[p])) for p, d, _ in places[:number]}
        other, at = next((p, d) for p in range(5) for d, c in enumerate(supply[p]) if c == code and (p, d) not in kept)
        supply[other][at], supply[pile][depth] = supply[pile][depth], supply[other][at]
    assert [pile[-1] for pile in supply] == ["K3", "BS1", "GS4", "G1", "G1"] and "Y3" in supply[3]
    data["setup"]["start"] = {"P1": "K1", "P2": "B1"}
    data.pop("result", None)
    return data


def take(player: str, announced: str | int, cards: dict[str, str]) -> dict[str, Any]:
    return {"player": player, "actions": [{"action": "take", "announced": announced, "cards": cards}]}


def test_a_legal_turn_is_not_blamed_for_what_an_illegal_one_reveals() -> None:
    data = unseen_start()
    data["turns"] = [take("P1", 3, {"1": "K3"}), take("P1", 3, {"2": "Y3"})]
    assert {place[:2] for _, _, place in told("paper_world", data)} == {("turns", 1)}
    supply = data["setup"]["supply"]
    supply[1] = ["?"] * len(supply[1])
    supply[3][supply[3].index("Y3")] = "?"
    assert {place[:2] for _, _, place in told("paper_world", data)} == {("turns", 1)}


def test_an_unseen_card_of_the_piles_is_none_of_the_start_cards() -> None:
    data = unseen_start()
    data["setup"]["supply"][1][-1] = "?"
    # Every G5 and every Y1 of the deck are known to lie elsewhere, only that one Y1 is a start card as well.
    for announced, code in ((5, "G5"), (1, "Y1")):
        others = {"4": "G1", "5": "G1"} if announced == 1 else {}
        data["turns"] = [take("P1", announced, {"2": code, **others})]
        assert told("paper_world", data) == [("PW602", "take.cards", ("turns", 0, "actions", 0, "cards", "2"))]
