"""Rules that nobody is told are learned from forty games, two of which are damaged."""

from __future__ import annotations

import importlib.util
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest
from msgspec import structs

import pwtool
from pwtool.cli.app import run
from pwtool.comparing.rows import compare_rulesets
from pwtool.lang.fmt.text import format_rules
from pwtool.lang.merged import Key
from pwtool.learning import Change, Explanation, Learned, Learner, Prices, Suspicion
from pwtool.learning.chances import known_decisions, missed_by
from pwtool.learning.corpus import Corpus, rules_of
from pwtool.learning.judging import Rules, Sample, applied
from pwtool.learning.kinds import KINDS, Item, Variant, kind
from pwtool.learning.learned import SURE
from pwtool.learning.near import Near
from pwtool.learning.search import Search
from pwtool.learning.states import Step, Trial
from pwtool.learning.texts import items_of, written
from pwtool.learning.words import differing
from pwtool.learning.workers import Setting, Under, outcome, trying
from pwtool.learning.writing import edition_text
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from pwtool.show.html.learned import render_learned
from pwtool.show.text.comparing import exit_code
from pwtool.show.text.learning import learned_data
from pwtool.text.source import SourceFile
from tests import daily
from tests.daily import numbers, one_day_in, some, times
from tests.learning.truths import Truth, all_changes, base_rules, changed, damage, played, refused, store, truth
from tests.support import DATA

QUICK = ("pig", "tic_tac_toe", "nim", "othello", "connect_four")
GAMES = (
    "paper_world/en",
    "paper_world/fr",
    "pierre_papier_morpion/fr",
    "mancala",
    "crazy_eights",
    "breakthrough",
    *QUICK,
)
LOCKSTEP = 60
HUNDRED = ("ending", "hundred")


def learned(found: Truth, quick: bool = True, of: Sequence[str] = ()) -> tuple[Learned, Rules]:
    """What is learned from the games of a truth, loaded from its text."""
    result = Learner(store(), of, decide=not quick, suspect=not quick).learn(found.documents())
    if not result.changes:
        book = store().get(result.address).value
    else:
        file = SourceFile("house.rules", result.text)
        assert format_rules(file).value == result.text
        book = RulesetStore(Library(drafts={"house.rules": result.text})).get("house.rules").value
    assert book is not None
    return result, rules_of(book)


def is_found(found: Truth, rules: Rules) -> bool:
    """Whether no random game tells the learned rules from the truth, which a comparison does not deny."""
    alike = not refused(found.rules, rules, LOCKSTEP) and not refused(rules, found.rules, LOCKSTEP)
    proven = (
        exit_code(compare_rulesets(found.rules.game, rules.game)) if rules.vocabulary == found.rules.vocabulary else 3
    )
    assert alike or proven != 0
    return alike


def rewritten(address: str, key: Key, old: str, new: str) -> Variant:
    """A change of the text of an item."""
    text = written(base_rules(address).merged.items, key)
    assert text is not None and old in text.text, text
    return Variant(key, "number", text.text.replace(old, new, 1))


@one_day_in(8)
@pytest.mark.parametrize("address", QUICK[1:3])
def test_one_change_is_found(address: str) -> None:
    found = truth(address, 0)
    result, rules = learned(found)
    assert is_found(found, rules)
    assert {int(slip.name.removesuffix(".json")) for slip in result.slips} <= found.damaged
    assert result.clean + len(result.slips) == result.games == len(found.games)


@pytest.mark.parametrize("numbers", numbers(2, 50))
def test_a_number_far_from_what_is_known_is_found(numbers: Sequence[int], tmp_path: Path) -> None:
    """A game that ends in a jump fits many numbers, all of them far from the one that fits the others too."""
    for number in numbers:
        limit = 10 + 3 * number if number < 25 else 2 * number + 40
        house = tmp_path / "house.rules"
        house.write_text(
            f'edition house of pig "House"\nchange ending hundred "So many" when some q in players: points[q] >= {limit} then stop at once\n',
            "utf-8",
        )
        rules = pwtool.load(house)
        played = [rules.play(seed=seed) | {"ruleset": "pig"} for seed in range(8)]
        games = [{key: part for key, part in game.items() if key != "version"} for game in played]
        path = tmp_path / "games.jsonl"
        path.write_text("".join(f"{json.dumps(game)}\n" for game in games), "utf-8")
        output = tmp_path / f"{limit}.rules"
        known = sum(pwtool.check(game).status == "clean" for game in games)
        assert run(["learn", str(path), "--of", "pig", "-o", str(output), "--force", "-q"]) in (0, 1, 3), limit
        # Where most games are clean as it is, the others may be slips.
        if known < 4:
            assert all(pwtool.load(output).check(game).status == "clean" for game in games), limit


@one_day_in(4)
@pytest.mark.parametrize(
    ("order", "learned"), [("play play? | skip", "play? play | skip"), ("play+ | skip", "play+ | skip")]
)
def test_an_alternative_may_be_longer(order: str, learned: str, tmp_path: Path) -> None:
    """Not only all alternatives together may come again and again."""
    base, house = (tmp_path / "climb" / f"{name}.rules" for name in ("game", "house"))
    base.parent.mkdir()
    base.write_text(
        'game climb "Climb"\nplayers 2..3\ncomponent card { color: red "R" value: 1..4 }\ndeck cards of card = 4 all\n'
        "zone hand: bag of card per player\nzone stack: pile of card\n"
        'setup { deal hand "Four each": 4 each of cards to hand by chance\n'
        '  deal stack "One begins": 1 each of cards to stack by chance }\n'
        'turn = play | skip\naction play "Play" (card: card from hand) {\n'
        '  rule climbs "As high or higher" require card.value >= (top of stack).value\n  move card to stack\n}\n'
        'action skip "Skip" () { rule stuck "If stuck" require not can play }\n'
        'ending out "Hand empty" when hand is empty then 1 more turn for the others\n'
        'ending stuck "All stuck" when no q in players: can play for q then stop\n'
        'score hand "Left" = - count hand\nranking most total, shared\n',
        "utf-8",
    )
    house.write_text(f'edition house of climb "House"\nchange turn = {order}\n', "utf-8")
    games = [pwtool.load(house).play(seed=seed) | {"ruleset": str(base)} for seed in range(25)]
    path = tmp_path / "games.jsonl"
    path.write_text(
        "".join(json.dumps({k: v for k, v in g.items() if k != "ruleset_version"}) + "\n" for g in games), "utf-8"
    )
    output = tmp_path / "learned.rules"
    assert run(["learn", str(path), "--of", str(base), "-o", str(output), "--force", "-q"]) in (0, 1, 3)
    assert f"change turn = {learned}\n" in output.read_text("utf-8")


REACH = """game spread "Spread"
players 2..2
component stone { color: black "B" | white "W"  owner: player by color }
supply bowl "Each takes the stones of a color": 13 of stone per player
zone board: grid 5x5 of stone
turn = place
action place "Place" (at: cell of board) {
  rule free "Empty" require board[at] is empty
  rule beside "Beside a stone" when board is not empty require some n in neighbours of at: board[n] is not empty
  move top of bowl to board[at]
}
ending full "Ten stones" when count board == 10 then stop
score corners "On the edge" = count (c in cells of board: c.row == 0 and board[c] belongs to player)
ranking most total, shared
"""


def by_house(base: Path, change: str, games: int) -> list[dict[str, Any]]:
    """Games by an edition of a game in a folder, as if they were of the game itself."""
    house = base.with_name("house.rules")
    house.write_text(f'edition house of {base.parent.name} "House"\n{change}\n', "utf-8")
    played = (pwtool.load(house).play(seed=seed) | {"ruleset": str(base)} for seed in range(games))
    return [{key: part for key, part in game.items() if key != "version"} for game in played]


@one_day_in(4)
@pytest.mark.parametrize("reach", ["diagonally", "in all directions"])
def test_how_far_neighbours_reach_is_found(reach: str, tmp_path: Path) -> None:
    """Leaving the rule out explains the games as well, and allows much that nobody does."""
    base = tmp_path / "spread" / "game.rules"
    base.parent.mkdir()
    base.write_text(REACH, "utf-8")
    (rule,) = [line for line in REACH.splitlines() if "beside" in line]
    change = f"change rule place.{rule.strip().removeprefix('rule ')}".replace("of at:", f"of at {reach}:")
    result = pwtool.learn(by_house(base, change, 12), of=str(base), quick=True)
    (found,) = result.data["changes"]
    assert found["item"] == "rule place.beside" and f"neighbours of at {reach}" in found["after"], found
    assert found["used"] > 6 and not found["wide"]


@one_day_in(4)
@pytest.mark.parametrize("wide", [True, False])
def test_what_allows_more_than_is_played_is_told(
    wide: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the rule that is played is none of those that are tried, and where it is."""
    base = tmp_path / "spread" / "game.rules"
    base.parent.mkdir()
    base.write_text(REACH, "utf-8")
    rule = 'change rule place.beside "Beside a stone" when board is not empty require'
    corner = "(some n in neighbours of at: board[n] is not empty) or at.row == 0 and at.column < 2"
    change = f"{rule} {corner}" if wide else "remove rule place.beside"
    games = by_house(base, change, 20)
    result = pwtool.learn(games, of=str(base), quick=True)
    (found,) = result.data["changes"]
    assert found["item"] == "rule place.beside" and found["wide"] is wide, found
    path = tmp_path / "games.jsonl"
    path.write_text("".join(json.dumps(game) + "\n" for game in games), "utf-8")
    run(["learn", str(path), "--of", str(base), "--quick"])
    assert ("it may allow more than is played" in capsys.readouterr().out) is wide


@one_day_in(8)
def test_an_edition_has_a_name_that_rules_may_have(tmp_path: Path) -> None:
    path, out = tmp_path / "games.jsonl", tmp_path / "Häus 2.rules"
    path.write_text("".join(json.dumps(game) + "\n" for game in truth("tic_tac_toe", 0).games), "utf-8")
    assert run(["learn", str(path), "--of", "tic_tac_toe", "-o", str(out), "--quick"]) in (0, 3)
    assert out.read_text("utf-8").startswith("edition H_us_2 of tic_tac_toe ") and run(["lint", str(out)]) == 0


@pytest.mark.slow
# Some thirty truths take twenty minutes where other work goes on.
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("changes", "share", "few"), [(1, 0.9, 4), (2, 0.75, 3)])
def test_most_hidden_truths_are_found(changes: int, share: float, few: int) -> None:
    """A few of ten of each game: the next full run hides the next ones."""
    hidden = [(daily.seed() * few + number) % 10 for number in range(few)]
    truths = [truth(address, number, changes) for address in GAMES for number in hidden]
    good = wrong = 0
    for found in truths:
        result, rules = learned(found)
        good += is_found(found, rules)
        # Games by the truth speak against the changes, so that they are false.
        wrong += bool(result.changes) and refused(found.rules, rules, LOCKSTEP) > 0
    assert good >= share * len(truths)
    assert wrong == 0


@one_day_in(8)
@pytest.mark.parametrize(
    ("address", "number"),
    [("tic_tac_toe", 2), ("nim", 2), *some([("pig", 1), ("tic_tac_toe", 1), ("mancala", 2)], 1)],
)
def test_what_is_learned_does_not_depend_on_who_tries(
    address: str, number: int, workers_at_once: Callable[[], None]
) -> None:
    workers_at_once()
    found = truth(address, number, 2)
    alone, together = (Learner(store(), decide=False, jobs=jobs).learn(found.documents()) for jobs in (1, 2))
    assert learned_data(alone) == learned_data(together)
    assert alone.changes


def test_a_worker_that_makes_another_ruleset_leaves_it() -> None:
    rules = base_rules("pig")
    samples = [Sample(f"{n}", game) for n, game in enumerate(played(rules, 3) or [])]
    change = rewritten("pig", HUNDRED, "100", "300")
    places = tuple(rules.judge(sample).place for sample in samples)
    setting = Setting(store().in_a_worker(here=False), tuple((s.name, s.data, s.weight) for s in samples))
    known = Under("pig", rules.hashes[0], (), places, (0, 1))
    work = trying(setting)
    assert work((outcome, known, change)) == (outcome(known, change, rules, samples),)
    assert work((outcome, structs.replace(known, meaning="another"), change)) is None


def test_slips_are_no_rules() -> None:
    rules, rng = base_rules("mancala"), random.Random(4)
    games = played(rules, 11) or []
    spoilt = frozenset((3, 17, 30))
    found = Truth("mancala", [], rules, [damage(g, rng) if n in spoilt else g for n, g in enumerate(games)], spoilt)
    result, _ = learned(found)
    assert (result.address, result.changes) == ("mancala", ())
    assert {slip.name for slip in result.slips} <= {f"{n}.json" for n in spoilt}


@one_day_in(7)
def test_what_is_looser_than_the_games_need_is_not_learned() -> None:
    # Without the rule, the games are clean as well, but much would have been allowed that nobody ever did.
    text = written(base_rules("pig").merged.items, ("ending", "hundred"))
    assert text is not None
    change = Variant(("ending", "hundred"), "number", text.text.replace("100", "30"))
    rules = changed("pig", [change])
    assert rules is not None
    found = Truth("pig", [change], rules, played(rules, 5) or [], frozenset())
    result, got = learned(found)
    assert [(c.key, c.after) for c in result.changes] == [(("ending", "hundred"), "points[q] >= 30")]
    assert is_found(found, got)
    assert "40 games show it: 0.json, 1.json, 2.json and 37 more" in result.text


@one_day_in(8)
def test_slips_are_not_looked_into_again_with_every_ruleset() -> None:
    # In many games, more are damaged than a change costs, and some of them are refused by the same rule.
    text = written(base_rules("pig").merged.items, ("ending", "hundred"))
    assert text is not None
    change = Variant(("ending", "hundred"), "number", text.text.replace("100", "30"))
    rules, rng = changed("pig", [change]), random.Random(1)
    assert rules is not None
    games = played(rules, 5, 400) or []
    spoilt = frozenset(rng.sample(range(len(games)), 20))
    found = Truth("pig", [change], rules, [damage(g, rng) if n in spoilt else g for n, g in enumerate(games)], spoilt)
    result, got = learned(found)
    assert [c.key for c in result.changes] == [("ending", "hundred")] and not refused(rules, got, 20)
    assert {int(slip.name.removesuffix(".json")) for slip in result.slips} <= spoilt
    assert result.tried < 1_000
    # Of all games is told what they show, not only of those on which changes were tried.
    named = {int(name.removesuffix(".json")) for change in result.changes for name in change.games}
    base = base_rules("pig")
    judged = {n: (base.judge(Sample("", g)).clean, got.judge(Sample("", g)).clean) for n, g in enumerate(found.games)}
    assert named == {n for n, (before, now) in judged.items() if now and not before}


@one_day_in(8)
def test_most_games_are_no_slips() -> None:
    # One rule refuses them, some for what comes after the end and some for a result before it, each of them too seldom for a rule.
    text = written(base_rules("kuhn_poker").merged.items, ("ending", "called"))
    assert text is not None
    rules = changed("kuhn_poker", [Variant(("ending", "called"), "number", text.text.replace("== 2", "== 1"))])
    assert rules is not None
    games = (played(rules, 12) or [])[:5]
    result, _ = learned(Truth("kuhn_poker", [], rules, games, frozenset()))
    assert result.tried > 0 and len(result.open) == 4 and not result.slips
    assert {rule for _, rule, _ in result.unexplained} == {"called"}


@one_day_in(7)
def test_a_change_that_games_speak_against_is_not_made() -> None:
    # Other heaps, of which no change is tried: an end before the last stick would explain most games, and refuse some in the middle.
    text = written(base_rules("nim").merged.items, ("setup", "heaps"))
    assert text is not None
    five = "+".join(["stick"] * 5)
    put = f"[ stick stick+stick+stick {five} {five}+stick ]"
    rules = changed("nim", [Variant(("setup", "heaps"), "number", f'setup put heaps "Heaps": {put}')])
    assert rules is not None
    found = Truth("nim", [], rules, played(rules, 3) or [], frozenset())
    result, got = learned(found)
    assert not result.changes or not refused(rules, got, 150)
    assert len(result.open) + len(result.slips) + result.clean == result.games


@one_day_in(8)
def test_what_leaves_many_games_refused_alike_is_a_hint_and_no_change(tmp_path: Path) -> None:
    # The game also ends with four marks, which is not tried: lines of two explain the others, and refuse nothing sooner.
    changes = [
        rewritten("tic_tac_toe", ("ending", "line"), "when some line of 3 on board: same side", "when count board >= 4 or some line of 2 on board: same side"),
        rewritten("tic_tac_toe", ("score", "line"), "of 3", "of 2"),
    ]  # fmt: skip
    rules = changed("tic_tac_toe", changes)
    assert rules is not None
    games = (played(rules, 3) or [])[:20]
    result, _ = learned(Truth("tic_tac_toe", changes, rules, games, frozenset()))
    assert not result.changes and result.partial is not None and not result.slips
    assert 0 < result.partial.clean < 18 and [rule for _, rule, _ in result.partial.left] == ["line"]
    assert [c.key for c in result.partial.changes] == [c.key for c in changes]
    assert result.clean + len(result.open) == result.games == 20
    path, out = tmp_path / "games.jsonl", tmp_path / "out.rules"
    path.write_text("".join(json.dumps(game) + "\n" for game in games), "utf-8")
    assert run(["learn", str(path), "--of", "tic_tac_toe", "-o", str(out), "--quick"]) == 1 and not out.exists()
    found = pwtool.learn(path, of="tic_tac_toe", quick=True)
    assert (found.edition, found.changes, found.sure) == (None, (), False)
    assert found.data["partial"]["clean"] == result.partial.clean
    for language, hint in (
        ("en", "hint, not a rule"),
        ("fr", "indice, et non une règle"),
        ("de", "Hinweis, keine Regel"),
    ):
        assert hint in render_learned(result, language)


@one_day_in(8)
@pytest.mark.parametrize(("shown", "is_rule"), some([(6, False), (30, True)], 1))
def test_games_refused_for_what_was_changed_count_against_what_it_explains(shown: int, is_rule: bool) -> None:
    # Three games of sixty may be slips, but hardly if they are half as many as those that show the change, and refused as these were.
    change = rewritten("leduc_poker", ("component", "card"), "jack: 1", "jack: 4")
    base, rules = base_rules("leduc_poker"), changed("leduc_poker", [change])
    assert rules is not None
    telling = [game for game in played(rules, 3, 400) or [] if not base.judge(Sample("", game)).clean]
    wrong = telling[shown : shown + 3]
    for game in wrong:
        told = game["result"]
        told["scores"] = {player: 2 * total for player, total in told["scores"].items()}
        told["parts"] = {player: {"won": total} for player, total in told["scores"].items()}
    same = [game for game in played(base, 4, 400) or [] if rules.judge(Sample("", game)).clean]
    games = [*telling[:shown], *wrong, *same[: 57 - shown]]
    result, _ = learned(Truth("leduc_poker", [change], rules, games, frozenset()))
    assert result.games == 60 and bool(result.changes) == is_rule != (result.partial is not None)
    assert (result.clean, len(result.slips), len(result.open)) == ((57, 3, 0) if is_rule else (51, 0, 9))


@one_day_in(4)
@pytest.mark.parametrize("seldom", some([True, False], 1))
def test_few_games_show_a_rule_that_matters_in_few(seldom: bool, tmp_path: Path) -> None:
    # As many games are refused: all of those in which an ending could come, or few of them.
    base, played_on = "pig", changed("pig", [rewritten("pig", HUNDRED, "100", "120")])
    assert played_on is not None
    if seldom:
        base = str(tmp_path / "base.rules")
        text = 'edition base of pig "Pig"\nending bad "60 points" when some q in players: points[q] == 60 then stop'
        Path(base).write_text(text, "utf-8")
    rules = base_rules(base)
    games = played(base_rules("pig"), 5, 60) or []
    beyond = games if seldom else played(played_on, 5, 8) or []
    some = [game for game in beyond if not rules.judge(Sample("", game)).clean][:4]
    games = [*some, *[game for game in games if rules.judge(Sample("", game)).clean][:16]]
    best = Search(store(), [Sample("", game) for game in games], Prices(share=0.3)).run([base])[0]
    assert [step.variant.key for step in best.steps] == ([("ending", "bad")] if seldom else [])
    assert sum(seen.clean for seen in best.seen) == (20 if seldom else 16)


@one_day_in(4)
def test_the_chances_of_a_suspicion_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In whatever order the games come: the first ones may be longer, or cut."""
    games = [pwtool.load("connect_four").play(seed=seed) for seed in range(16)]
    told = []
    for ordered in (games, sorted(games, key=lambda game: len(game["turns"]))):
        path = tmp_path / "games.jsonl"
        path.write_text("".join(json.dumps(game) + "\n" for game in ordered), "utf-8")
        assert run(["learn", str(path), "--of", "connect_four+pop_out", "-f", "json"]) in (0, 1)
        told.append(json.loads(capsys.readouterr().out)["suspicions"])
    assert told[0] == told[1] and told[0][0]["games"] == 16 and told[0][0]["chances"] > 100


@one_day_in(8)
def test_what_is_allowed_and_never_happens_is_a_suspicion() -> None:
    key = ("rule", "step.beside")
    rules = changed("breakthrough", [rewritten("breakthrough", key, "start.column - 1", "start.column")])
    assert rules is not None
    games = (played(rules, 3) or [])[:4]
    result, _ = learned(Truth("breakthrough", [], rules, games, frozenset()), quick=False)
    first = result.suspicions[0]
    assert not result.changes and (first.key, first.after) == (key, "start.column - 0 and target")
    assert first.chances > 200 and first.expected > 80
    # Rules that allow more are not stricter.
    base = base_rules("breakthrough")
    read = base.record(Sample("", games[0]))
    missed = None if read is None else missed_by(known_decisions(base, read) or [], rules, read)
    assert read is not None and missed is not None and missed.chances and not missed.used
    assert missed_by(known_decisions(rules, read) or [], base, read) is None


def test_what_cannot_be_known_is_no_slip() -> None:
    path = DATA.parents[3] / "examples" / "records" / "unseen.json"
    found = pwtool.learn(path, of="paper_world/gamepark", quick=True)
    assert (found.clean, found.wrong, found.unexplained, found.undetermined) == (0, (), (), (str(path),))


def test_changes_are_not_tried_on_games_with_unseen_cards_if_there_are_others() -> None:
    corpus = Corpus(["a", "b", "c"], [b'{"turns": []}', b'{"turns": [{"card": "?"}]}', b'{"turns": [1]}'])
    assert [sample.name for sample in corpus.samples([])] == ["a", "c"]
    corpus = Corpus(["d", "e"], [b'{"turns": [], "event": "?"}', b'{"players": ["?"], "turns": [{"player": "?"}]}'])
    assert corpus.known == [0, 1]
    corpus = Corpus(["b"], [b'{"turns": [{"card": "?"}]}'])
    assert not corpus.known and [sample.name for sample in corpus.samples([])] == ["b"]


def test_a_game_of_another_game_that_has_an_action_of_the_same_name_is_left_out() -> None:
    folder = DATA.parents[3] / "examples" / "records"
    found = pwtool.learn([folder / "clean.json", folder / "duels.json"], quick=True)
    assert found.games == found.clean == 1
    assert [Path(one["name"]).name for one in found.data["left_out"]] == ["duels.json"]


@one_day_in(4)
def test_one_game_is_judged_by_the_rules_that_can_read_it(club: Path, tmp_path: Path) -> None:
    one = tmp_path / "one.json"
    one.write_text(
        json.dumps({**json.loads(club.read_text("utf-8").splitlines()[0]), "ruleset": "mine.rules"}), "utf-8"
    )
    found = pwtool.learn(one, quick=True)
    assert found.ruleset == "pig" and not found.sure and len(found.unexplained) == 1


@pytest.mark.parametrize(
    ("item", "old", "new", "words"),
    [
        (("rule", "turn.hand_limit"), "<= 9", "<= 10", "At most ten cards stay in hand at the end of a turn"),
        (("rule", "place.skip_price"), "gap > 0", "gap > 1", "A skip costs one card, unless one holds the scissors token (as played)"),
        (("rule", "place.skip_one"), "gap <= 1", "gap <= 2", "A skip passes over one value (as played: 2, not 1)"),
        (("score", "token"), "then 2", "then 3", "(as played)"),
    ],
)  # fmt: skip
def test_texts_name_a_number_only_where_it_is_that_of_the_rule(item: Key, old: str, new: str, words: str) -> None:
    rules = base_rules("paper_world/en")
    text = written(rules.merged.items, item)
    assert text is not None and old in text.text, text
    house = applied(rules.merged, Variant(item, "number", text.text.replace(old, new, 1)))
    assert house is not None
    texts = store().get("paper_world/en").value.game.ruleset.merged.texts  # type: ignore[union-attr]
    made = edition_text("house", "paper_world/en", "House", rules.merged.items, house.items, {}, texts)
    assert words in made and made.count("wie gespielt") == made.count("comme joué") == 1
    assert RulesetStore(Library(drafts={"house.rules": made})).get("house.rules").value is not None


@one_day_in(8)
def test_a_number_after_an_article_is_told_beside_the_text() -> None:
    rules = base_rules("pig")
    house = applied(rules.merged, rewritten("pig", ("ending", "hundred"), ">= 100", ">= 50"))
    assert house is not None
    texts = store().get("pig").value.game.ruleset.merged.texts  # type: ignore[union-attr]
    made = edition_text("house", "pig", "House", rules.merged.items, house.items, {}, texts)
    assert '"Somebody has a hundred points (as played: 50, not 100)"' in made
    assert "Jemand hat hundert Punkte (wie gespielt: 50, nicht 100)" in made
    # What people wrote between quotes may hold them.
    made = edition_text("house", "pig", r'Our "\" house', rules.merged.items, house.items, {}, texts)
    book = RulesetStore(Library(drafts={"house.rules": made})).get("house.rules").value
    assert book is not None and book.game.ruleset.title == r'Our "\" house'


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("when points[q] >= 100\nstop", "when points[q] >= 50\nstop", ("points[q] >= 100", "points[q] >= 50")),
        ("count (hand where value > 2) <= 9", "count (hand where value > 3) <= 9", ("where value > 2", "where value > 3")),
        ("f(a, b) == 3 and x", "f(a, c) == 3 and x", ("f(a, b) ==", "f(a, c) ==")),
        ("a.y[z] + 1", "a.y[w] + 1", ("a.y[z] +", "a.y[w] +")),
        ("turn = (take | pass) trim*", "turn = (take | place | pass) trim*", ("(take | pass)", "(take | place | pass)")),
    ],
)  # fmt: skip
def test_what_differs_is_told_with_its_brackets(before: str, after: str, told: tuple[str, str]) -> None:
    assert differing(before, after) == told


@one_day_in(7)
def test_an_invariant_that_the_games_break_is_left_out() -> None:
    items = base_rules("paper_world/en").merged.items
    changes = []
    for key, old in ((("rule", "turn.hand_limit"), "<= 9"), (("rule", "trim.only_excess"), "> 9")):
        text = written(items, key)
        assert text is not None
        changes.append(Variant(key, "number", text.text.replace(old, old.replace("9", "11"))))
    rules = changed("paper_world/en", changes)
    assert rules is not None
    result, _ = learned(Truth("paper_world/en", changes, rules, (played(rules, 3) or [])[:12], frozenset()))
    assert "remove invariant hand_limit" in result.text


@one_day_in(8)
def test_other_explanations_are_told_with_a_game_that_decides() -> None:
    """Of each change, whatever comes after it."""
    changes = [
        Variant(("rule", "pass.stuck"), "number", 'rule pass.stuck "Stuck" require draws >= 3 or stock is empty'),
        Variant(("define", "must_call"), "sign", "define must_call = (top of pile).rank == eight and called != none"),
    ]
    rules = changed("crazy_eights", changes)
    assert rules is not None
    found = Truth("crazy_eights", changes, rules, (played(rules, 3) or [])[:24], frozenset())
    result, _ = learned(found, quick=False)
    told = {change.key: change for change in result.changes}
    assert {("rule", "pass.stuck"), ("define", "must_call")} == told.keys()
    assert all(c.others and all(o.record is not None for o in c.others) for c in result.changes)
    stuck = told["rule", "pass.stuck"]
    assert stuck.used > 0 and stuck.chances >= stuck.used
    assert any(o.decides and o.record for o in stuck.others)
    assert not stuck.unsure


def test_what_is_not_proven_to_be_the_same_is_unsure() -> None:
    key = ("rule", "pass.stuck")
    alike = Explanation(key, "number", "1", "2", 0.0, "", {})  # No game was found that decides.
    open_ = Explanation(key, "number", "1", "3", 0.0, "turn 3", {"turns": []})
    change = Change(key, "number", "", "1", "0", "", ())
    assert replace(change, others=(alike,)).unsure
    assert replace(change, others=(alike, open_)).unsure
    assert not replace(change, others=(replace(open_, nats=SURE + 1),)).unsure


def departures() -> ModuleType:
    """The script of the page that documents the departures: it completes imported games with their results."""
    path = Path(__file__).resolve().parents[2] / "docs" / "make_departures.py"
    spec = importlib.util.spec_from_file_location("make_departures", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("paper_world/en+advanced", {"deck blue_back": "paper_world/bga", "action trim": "paper_world/gamepark"}),
        ("paper_world/fr+advanced", {"turn": "", "rule turn.must_take": "", "action trim": "paper_world/gamepark"}),
        ("paper_world/de+advanced", {"rule turn.must_take": "", "action trim": "paper_world/gamepark"}),
        ("paper_world/bga", {"action place": "", "action trim": "paper_world/gamepark"}),
    ],
)
def test_recorded_games_of_a_platform_show_how_it_departs(address: str, found: dict[str, str]) -> None:
    script = departures()
    paths = sorted((DATA / "advanced").glob("*.json"))
    games = [script.full_record(json.loads(path.read_text("utf-8")), path.name) for path in paths]
    result, _ = learned(Truth(address, [], base_rules(address), games, frozenset()), of=[address])
    changes = {" ".join(c.key).strip(): c.source for c in result.changes}
    assert changes.keys() == found.keys()
    assert all(source in ("", changes[item]) for item, source in found.items())
    # What shows in two of the games may be a slip.
    assert result.clean >= len(games) - 2


def repeated(rng: random.Random, times: int) -> str | None:
    """The moves of a game of chess in which both sides at last move a piece to and fro, and nobody claims a draw; None if that is
    not possible.
    """
    chess = pytest.importorskip("chess")
    board, way = chess.Board(), list[Any]()
    for _ in range(2 * rng.randint(6, 14)):
        board.push(rng.choice(list(board.legal_moves)))
        if board.is_game_over():
            return None
    for back in (None, None, 0, 1):
        moves = [
            m for m in board.legal_moves if not board.is_capture(m) and board.piece_type_at(m.from_square) in (2, 3)
        ]
        if back is not None:
            moves = [m for m in moves if m == chess.Move(way[back].to_square, way[back].from_square)]
        if not moves:
            return None
        way.append(rng.choice(moves))
        board.push(way[-1])
    for move in way * (times - 1):
        board.push(move)
    return str(chess.Board().variation_san(board.move_stack))


@pytest.mark.slow
def test_games_in_which_nobody_claims_a_draw_show_that_it_is_claimed(tmp_path: Path) -> None:
    rng = random.Random(4)
    games = [game for _ in range(2_000) if (game := repeated(rng, rng.choice((1, 1, 1, 3)))) is not None][:60]
    path = tmp_path / "club.pgn"
    path.write_text("".join(f'[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n{game} 1-0\n\n' for game in games), "utf-8")
    refused = [not one.clean for one in pwtool.load("chess+automatic_draws").check_many(path)]
    assert sum(refused) > 5 and all(one.clean for one in pwtool.load("chess").check_many(path))
    found = pwtool.learn(path, of="chess+automatic_draws", quick=True)
    (change,) = found.data["changes"]
    assert (change["item"], change["source"]) == ("ending repeated", "chess") and found.clean == len(games)
    assert pwtool.learn(path, quick=True).ruleset == "chess"


@one_day_in(4)
@pytest.mark.parametrize(
    "address", some(["paper_world/en", "chess", "mancala", "pierre_papier_morpion/fr", "crazy_eights"], 1)
)
def test_what_is_taken_from_rules_that_are_alike_means_the_same(address: str) -> None:
    rules, rng = base_rules(address), random.Random(2)
    changes = [v for kind in all_changes(address, rules).values() for v in kind]
    games = [Sample("", damage(g, rng) if n % 2 else g) for n, g in enumerate(played(rules, 3, 6) or ())]
    loaded, tried = 0, times(24, 60)
    for change in rng.sample(changes, tried):
        merged = applied(rules.merged, change)
        afresh = None if merged is None else Rules.of(address, merged)
        taken = None if merged is None else Rules.of(address, merged, rules)
        assert (afresh is None) == (taken is None), change
        if afresh is None or taken is None:
            continue
        one, other = (structs.replace(r.game.ruleset, slots=0) for r in (afresh, taken))
        assert one == other, change
        assert [afresh.judge(game) for game in games] == [taken.judge(game) for game in games], change
        loaded += 1
    assert loaded > 0.4 * tried


def test_a_kind_is_registered_once() -> None:
    before = dict(KINDS)

    @kind("as it was", 3.0)
    def same(item: Item) -> Iterator[str]:
        yield item.written.text

    try:
        assert KINDS["as it was"] == (same, 3.0)
    finally:
        KINDS.clear()
        KINDS.update(before)


@pytest.mark.parametrize("address", ["paper_world/de+advanced", "paper_world/gamepark", "chess", "hearts", "go/aga"])
def test_an_item_reads_back_as_it_is(address: str) -> None:
    book = store().get(address).value
    assert book is not None
    items = book.game.ruleset.merged.items
    for key in items:
        if key[0] in ("source", "section", "ambiguity", "erratum"):
            continue
        text = written(items, key)
        assert text is not None
        read = items_of(text.text)
        assert read is not None and all(items[k] == node for k, node in read.items()), key


# ---- the command and the function


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games to thirty points, one with a wrong total."""
    text = written(base_rules("pig").merged.items, ("ending", "hundred"))
    assert text is not None
    rules = changed("pig", [Variant(("ending", "hundred"), "number", text.text.replace("100", "30"))])
    assert rules is not None
    games = [{**game, "ruleset": "pig"} for game in (played(rules, 5) or [])]
    scores = games[7]["result"]["scores"]
    scores[next(iter(scores))] += 1
    path = tmp_path_factory.mktemp("club") / "club.jsonl"
    path.write_text("".join(json.dumps(game) + "\n" for game in games), "utf-8")
    return path


@one_day_in(8)
def test_the_command_writes_an_edition(club: Path, capsys: pytest.CaptureFixture[str]) -> None:
    house = club.parent / "house.rules"
    assert run(["learn", str(club), "-o", str(house), "--quick"]) == 0
    out = capsys.readouterr().out
    assert "40 games: 39 are clean under pig with 1 change" in out
    assert "- points[q] >= 100\n   + points[q] >= 30" in out
    assert "a change has to explain more than 2.4 games (`--price`, `--excuse`)" in out
    assert "1 game is probably wrong" in out and "club.jsonl:8" in out
    assert run(["check", str(club), "--rules", str(house)]) == 1
    assert "39" in capsys.readouterr().out
    assert run(["fmt", "--check", str(house)]) == 0
    assert run(["lint", str(house)]) == 0
    assert run(["learn", str(club), "-o", str(house), "--quick"]) == 2


@one_day_in(7)
def test_the_command_as_json(club: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["learn", str(club), "--of", "pig", "--json", "--quick"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["ruleset"], data["games"], data["clean"]) == ("pig", 40, 39)
    (change,) = data["changes"]
    assert (change["item"], change["before"], change["after"]) == (
        "ending hundred",
        "points[q] >= 100",
        "points[q] >= 30",
    )
    assert len(change["games"]) == 39
    assert [slip["name"].rpartition(":")[2] for slip in data["probably_wrong"]] == ["8"]


@one_day_in(7)
def test_a_page_tells_players_what_they_play(club: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = club.parent / "page.html"
    assert run(["learn", str(club), "--of", "pig", "-o", str(page), "--quick"]) == 0
    told = page.read_text("utf-8")
    ElementTree.fromstring(told.removeprefix("<!DOCTYPE html>"))
    assert "What you play: Pig" in told and "40 games: 39 are clean under pig with 1 change" in told
    assert "Somebody has thirty points" not in told and 'id="changes"' in told and 'id="sure"' in told
    assert "39 games are refused without it" in told and "1 game is probably wrong" in told
    assert "change ending hundred" in told and "points[q] &gt;= 30" in told and "<script" not in told
    for language, of in (("fr", "parties"), ("de", "Partien")):
        capsys.readouterr()
        assert run(["learn", str(club), "--of", "pig", "--format", "html", "--lang", language, "--quick"]) == 0
        told = capsys.readouterr().out
        assert f'lang="{language}"' in told and f"40 {of}" in told
    assert run(["learn", str(club), "--of", "pig", "-o", str(page), "--quick"]) == 2
    assert "exists" in capsys.readouterr().err


def test_the_page_names_what_is_not_sure() -> None:
    rules = base_rules("pig").game
    key = ("ending", "hundred")
    other = Explanation(key, "number", "1", "3", 0.0, "turn 3", {"turns": []})
    change = Change(key, "number", "", "1", "0", "", ("a",), others=(other,))
    suspicion = Suspicion(key, "sign", "", ">=", "==", 12, 30, 9.0)
    found = Learned(
        "pig", "house", "edition house of pig", (change,), 3, 2, (), (("PW601", "some.rule", 4),), (), (suspicion,), Prices(), 1,
        (rules, rules), elsewhere=(("pig+open_spiel", 2),),
    )  # fmt: skip
    told = render_learned(found)
    assert told.count("<h2>") == 2 and "not sure: another rule" in told
    agreed = told[told.index('id="open"') :]
    assert "the games cannot tell it from" in agreed and "a game that decides: turn 3" in agreed
    assert "4 games are refused by some.rule" in agreed and "2 games that are refused are clean under" in agreed
    assert "30 chances (games looked at: 12), never used" in agreed


@one_day_in(8)
def test_a_limit_and_the_last_turns_of_an_ending_are_one_change() -> None:
    key = ("ending", "hundred")
    text = 'ending hundred "H" when some q in players: points[q] >= 30 then 1 more turn each'
    rules = changed("pig", [Variant(key, "number", text)])
    assert rules is not None
    result, got = learned(Truth("pig", [], rules, (played(rules, 5) or [])[:20], frozenset()))
    (change,) = result.changes
    assert change.key == key and change.before is not None and change.before.endswith("stop at once")
    assert len(change.games) >= 18 and not refused(rules, got, 20)


@one_day_in(8)
@pytest.mark.parametrize(
    ("address", "key", "old", "new"),
    some(
        [
            # Leaving out the rule that refuses gets games further, but does not explain them.
            ("mancala", ("define", "own_start"), "(0, 1)", "(1, 1)"),
            # Something cheaper explains nearly all of them.
            ("breakthrough", ("score", "won"), "goal_row", "ahead"),
        ],
        1,
    ),
)
def test_what_explains_most_games_wins(address: str, key: tuple[str, str], old: str, new: str) -> None:
    text = written(base_rules(address).merged.items, key)
    assert text is not None and old in text.text
    change = Variant(key, "number", text.text.replace(old, new, 1))
    rules = changed(address, [change])
    assert rules is not None
    games = played(rules, 5) or []
    result, got = learned(Truth(address, [change], rules, games, frozenset()))
    assert [c.key for c in result.changes] == [key] and result.clean == len(games)
    assert not refused(rules, got, 20)


@one_day_in(8)
def test_another_deal_is_found() -> None:
    key = ("setup", "hand")
    text = written(base_rules("crazy_eights").merged.items, key)
    assert text is not None
    change = Variant(key, "number", text.text.replace("5 each", "13 each"))
    rules = changed("crazy_eights", [change])
    assert rules is not None
    found = Truth("crazy_eights", [change], rules, (played(rules, 3) or [])[:12], frozenset())
    result, _ = learned(found)
    assert [c.key for c in result.changes] == [key] and result.clean == 12


@one_day_in(4)
@pytest.mark.parametrize(
    ("address", "deck", "old", "new"),
    some(
        [
            ("kuhn_poker", "cards", "J Q K", "J 2 Q K"),
            ("kuhn_poker", "cards", "J Q K", "J Q"),
            ("pierre_papier_morpion/fr", "rewards", "5 G  5 T  5 R", "7 G  7 T  7 R"),
            ("crazy_eights", "cards", "= all", "= 2 all"),
        ],
        1,
    ),
)
def test_a_deck_with_other_counts_is_found(address: str, deck: str, old: str, new: str) -> None:
    key = ("deck", deck)
    text = written(base_rules(address).merged.items, key)
    assert text is not None and old in text.text
    change = Variant(key, "deck", text.text.replace(old, new))
    rules = changed(address, [change])
    assert rules is not None
    games = (played(rules, 3) or [])[:12]
    result, got = learned(Truth(address, [change], rules, games, frozenset()), of=[address])
    assert [(c.key, c.kind) for c in result.changes] == [(key, "deck")] and result.clean == 12
    assert got.game.ruleset.decks == rules.game.ruleset.decks


def test_any_objective_may_be_behind_a_claim() -> None:
    items = base_rules("paper_world/en").merged.items
    near = Near(items)
    _, beside = list(near.around(near.seeds("PW601", "claim.earned"), 1))
    assert {key for key in items if key[0] == "objective"} <= set(beside)


@one_day_in(4)
def test_the_end_of_a_game_counts_before_its_totals() -> None:
    # The changed ending alone explains no game, because the totals are wrong as well.
    ending = Variant(("ending", "empty"), "negated", 'ending empty "E" when not (count heaps == 0) then stop')
    rules = changed("nim", [ending, Variant(("score", "won"), "dropped", None)])
    assert rules is not None
    result, got = learned(Truth("nim", [], rules, (played(rules, 3) or [])[:20], frozenset()))
    assert {c.key for c in result.changes} == {("ending", "empty"), ("score", "won")}
    assert not refused(rules, got, 20)


@one_day_in(8)
def test_an_edition_of_a_file_is_written_as_one_of_the_ruleset_beneath(club: Path) -> None:
    base, house = club.parent / "base.rules", club.parent / "learned.rules"
    change = 'change ending hundred "Forty" when some q in players: points[q] >= 40 then stop at once because "h"'
    base.write_text(f'edition base of pig "B"\n{change}\n', "utf-8")
    assert run(["learn", str(club), "--of", str(base), "-o", str(house), "--quick"]) == 0
    assert house.read_text("utf-8").startswith("edition learned of pig ")
    assert run(["lint", str(house)]) == 0
    found = RulesetStore(Library()).get(str(house)).value
    assert found is not None and "points[q] >= 30" in found.game.ruleset.merged.items["ending", "hundred"].span.text


@one_day_in(7)
def test_an_edition_of_a_game_of_ones_own_lies_beside_it(
    club: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (Path(__file__).resolve().parents[2] / "rulesets/classics/pig/game.rules").read_text("utf-8")
    for path, name in (("own/game.rules", "own"), ("mine.rules", "own")):
        game, out = tmp_path / path, (tmp_path / path).with_name("learned.rules")
        game.parent.mkdir(exist_ok=True)
        game.write_text(text.replace("game pig", f"game {name}"), "utf-8")
        assert run(["learn", str(club), "--of", str(game), "-o", str(out), "--quick"]) == 0
        assert out.read_text("utf-8").startswith("edition learned of own ")
        told = "it is read in the folder `own`, beside `game.rules`" in capsys.readouterr().err
        assert told == (path == "mine.rules")
        assert run(["lint", str(out)]) == (1 if told else 0)
        capsys.readouterr()


def test_prices_decide_what_is_a_rule(club: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # With games that are nearly free to call wrong, nothing is worth a change.
    assert run(["learn", str(club), "--price", "50", "--quick"]) == 1
    assert "40 games: 0 are clean under pig as it is" in capsys.readouterr().out
    for wrong in (["--price", "0"], ["--price", "inf"], ["--excuse", "nan"]):
        assert run(["learn", str(club), *wrong]) == 2


def test_what_is_written_is_a_rules_file(club: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["learn", str(club), "-o", str(tmp_path / "house.txt"), "--quick"]) == 2
    assert "house.txt` is not a rules file" in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]


@one_day_in(7)
def test_a_file_that_is_named_twice_counts_once(club: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["learn", str(club), str(club.parent), str(club), "--quick"]) == 0
    assert "40 games: 39 are clean" in capsys.readouterr().out
    link = club.parent / "link.jsonl"
    link.symlink_to(club)
    assert pwtool.learn([club, str(club), club.parent, link], quick=True).games == 40


def test_a_page_is_written_or_data_is_printed(club: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = club.parent / "other.html"
    assert run(["learn", str(club), "-o", str(page), "--format", "json", "--quick"]) == 2
    assert "cannot be combined" in capsys.readouterr().err and not page.exists()


def test_nothing_to_learn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("", "utf-8")
    assert run(["learn", str(empty)]) == 2
    broken = tmp_path / "broken.json"
    broken.write_text("{", "utf-8")
    assert run(["learn", str(broken)]) == 2
    assert run(["learn", str(tmp_path / "missing.json")]) == 2
    assert run(["learn", str(empty), "--of", "no_such_game"]) == 2
    capsys.readouterr()


@one_day_in(8)
def test_games_of_another_game_are_left_out(club: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.rules"
    assert run(["learn", str(club), "--of", "nim", "-o", str(out), "--quick"]) == 2
    told = capsys.readouterr().err
    assert "there are no games of nim" in told and "leave out --of" in told and not out.exists()
    assert "club.jsonl:1: another game than nim" in told and "and 20 more" in told
    other = tmp_path / "nim.json"
    other.write_text(json.dumps(pwtool.load("nim").play(seed=1)), "utf-8")
    nothing = tmp_path / "nothing.json"
    nothing.write_text("{}", "utf-8")
    assert run(["learn", str(club), str(other), str(nothing), "--quick"]) == 0
    told = capsys.readouterr().out
    assert "40 games: 39 are clean under pig with 1 change" in told and "nim.json: another game than pig" in told
    assert "nothing.json: not a game" in told
    with pytest.raises(ValueError, match="no games of nim"):
        pwtool.learn(club, of="nim")
    assert run(["learn", str(nothing)]) == 2
    assert "nothing.json: not a game" in capsys.readouterr().err


def test_which_rulesets_accept_the_same_games_is_told(
    club: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pigs, nims = tmp_path / "pig.json", tmp_path / "nim.json"
    for path in (pigs, nims):
        record = pwtool.load(path.stem).play(seed=1)
        path.write_text(json.dumps({name: held for name, held in record.items() if name != "result"}), "utf-8")
    run(["learn", str(pigs), str(nims), "--of", "nim", "--of", "pig", "--quick"])
    assert "as well" not in capsys.readouterr().out
    pigs.write_text(pigs.read_text("utf-8").replace("hold", "halt"), "utf-8")
    run(["learn", str(pigs), "--of", "pig", "--of", "pig+open_spiel", "--quick"])
    assert "0 are clean" in (told := capsys.readouterr().out) and "as well" not in told
    assert run(["learn", str(nims), "--of", "nim", "--of", "nim+misere", "--quick"]) == 0
    assert "nim+misere accepts these games as well" in capsys.readouterr().out


def test_a_known_ruleset_is_met_once() -> None:
    """It is not among the states again because the changes of another one do not help it."""
    search = Search(store(), [Sample(f"{n}", game) for n, game in enumerate(played(base_rules("nim"), 3) or [])])
    text = written(base_rules("nim").merged.items, ("score", "won"))
    start, other = search.start("nim"), search.start("nim+misere")
    assert text is not None and start is not None and other is not None
    change = Variant(("score", "won"), "word", text.text)
    best = search.remade(other, [(change, Step(Trial(change, other.rules, other.seen), [], other, []))])
    assert best is not None and search.in_own_words(start, best, inf) is None


def test_games_of_two_editions_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    both = [*pwtool.load("nim").play_many(6, seed=1), *pwtool.load("nim+misere").play_many(5, seed=1)]
    path.write_text("".join(json.dumps(game) + "\n" for game in both), "utf-8")
    assert run(["learn", str(path), "--quick"]) == 1
    assert "5 games that are refused are clean under nim+misere" in capsys.readouterr().out
    found = pwtool.learn(both, quick=True)
    assert found.data["clean_elsewhere"] == [{"ruleset": "nim+misere", "games": 5}] and not found.sure


def test_the_same_in_other_words_is_no_other_explanation() -> None:
    found = pwtool.learn(list(pwtool.load("nim+misere").play_many(8, seed=1)), of="nim", quick=True)
    assert found.changes == ("score won",) and found.sure
    # Whether the taker is the player, or is not, is the same question.
    assert not [o for c in found.data["changes"] for o in c["others"] if "!=" in str(o["after"])]


def test_no_edition_is_written_of_games_that_nothing_explains(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games, out = tmp_path / "games.jsonl", tmp_path / "out.rules"
    record = pwtool.load("nim").play(seed=1)
    record["turns"][0]["actions"][0]["number"] = 99
    games.write_text((json.dumps(record) + "\n") * 6, "utf-8")
    assert run(["learn", str(games), "-o", str(out), "--quick"]) == 1
    assert "was not written: no small change explains the games" in capsys.readouterr().err


@one_day_in(8)
def test_the_function(club: Path) -> None:
    found = pwtool.learn(club, of="pig", quick=True)
    assert (found.ruleset, found.changes, found.games, found.clean, found.sure) == (
        "pig",
        ("ending hundred",),
        40,
        39,
        True,
    )
    assert found.edition is not None and "points[q] >= 30" in found.edition
    assert len(found.wrong) == 1
    with pytest.raises(ValueError, match="no games"):
        pwtool.learn([])
    with pytest.raises(ValueError, match="above 0"):
        pwtool.learn(club, price=0)
    with pytest.raises(pwtool.RulesError):
        pwtool.learn(club, of="no_such_game")
