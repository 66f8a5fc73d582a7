"""No record makes the interface raise, whatever is wrong with it: damaged games, positions, texts, paths and objects each get
a verdict, in order, and a verdict that was cut short says so.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pwtool
from pwtool.play.replay import MAX_FINDINGS
from tests.daily import one_day_in, some, times
from tests.fuzz import mutations
from tests.support import few_or_many

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
STATES = ("clean", "findings", "undetermined", "unreadable")
ADDRESSES = (
    "paper_world/gamepark",
    "paper_world/fr",
    "pierre_papier_morpion",
    "chess",
    "checkers",
    "go",
    "mancala",
    "leduc_poker",
)
SEED = int(os.environ.get("PWTOOL_DAMAGE_SEED") or random.randrange(10**6))


def swapped(address: str, turns: int) -> dict[str, Any]:
    """A game in which every turn is the other player's."""
    game = pwtool.load(address).play(["A", "B"], seed=1, max_turns=1000)
    del game["version"]
    for turn in game["turns"]:
        turn["player"] = "AB"[turn["player"] == "A"]
    assert len(game["turns"]) >= turns
    return game


def judge(record: Any) -> pwtool.Verdict:
    """The verdict, and all that is told of it; the game itself too, if it can be read."""
    verdict = pwtool.check(record)
    assert verdict.status in STATES and not any(f.code == "PW901" for f in verdict.findings), verdict.findings
    assert verdict.report() and repr(verdict) and hash(verdict) is not None
    assert not verdict.cut_short or (verdict.findings and verdict.status in ("findings", "undetermined"))
    if verdict.result is not None:
        assert set(verdict.result.scores) == set(verdict.result.lines)
    try:
        game = pwtool.replay(record)
    except pwtool.RecordError:
        return verdict
    assert game.verdict == verdict
    for turn in {1, game.turns // 2 + 1, game.turns + 1}:
        position = game.at(turn)
        position.draw()
        position.score()
        if not position.over:
            position.legal(limit=1)
    return verdict


@one_day_in(7)
def test_a_game_with_swapped_names_is_cut_short() -> None:
    game = swapped("chess", 120)
    for verdict in pwtool.check_many([game] * 2, causes=False):
        assert verdict.status == "findings" and verdict.cut_short and verdict.result is None
        assert verdict.findings[-1].code == "PW616"


def test_a_verdict_to_the_end_is_not_cut_short() -> None:
    for name in ("clean", "illegal", "unseen", "duels"):
        assert not pwtool.check(EXAMPLES / "records" / f"{name}.json").cut_short
    assert not pwtool.check("{}").cut_short


def test_two_hundred_open_questions_are_cut_short_too() -> None:
    """The last of them says nothing of what follows."""
    from pwtool.play import facts
    from pwtool.why.findings import _SAY_SO

    assert not issubclass(facts.Broken, _SAY_SO)


def test_an_objective_twice_is_cut_short() -> None:
    game = json.loads((EXAMPLES / "records" / "clean.json").read_text("utf-8"))
    game["setup"]["goals"] = [game["setup"]["goals"][0]] * 2 + game["setup"]["goals"][2:]
    verdict = judge(game)
    assert verdict.cut_short and verdict.result is None and "PW616" in [f.code for f in verdict.findings]


@one_day_in(7)
def test_results_and_reports_say_that_a_verdict_was_cut_short(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from pwtool.cli.app import run

    game = swapped("chess", 120)
    clean = pwtool.load("chess").play(2, seed=2)
    path, rows = tmp_path / "games.jsonl", tmp_path / "rows.jsonl"
    path.write_text(f"{json.dumps(game)}\n{json.dumps(clean)}\n", "utf-8")
    assert run(["check", str(path), "--results", str(rows), "--format", "jsonl", "--no-causes"]) == 1
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    first, second = [json.loads(line) for line in rows.read_text("utf-8").splitlines()]
    assert [t["cut_short"] for t in told] == [True, False]
    assert (first["cut_short"], first["over"], first["scores"], first["places"]) == (True, None, [], [])
    assert (second["cut_short"], second["over"]) == (False, True) and second["scores"]
    assert run(["check", str(path), "--format", "junit", "--no-causes"]) == 1
    assert capsys.readouterr().out.count('name="cut_short" value="true"') == 1


def damaged(rng: random.Random, address: str) -> Any:
    """A game damaged in its bytes, its words or its tree."""
    rules = pwtool.load(address)
    game = rules.play(rng.choice(list(rules.players)), seed=rng.randrange(10**6), max_turns=rng.choice([0, 3, 30, 400]))
    if rng.random() < 0.9:
        del game["version"]
    if rng.random() < 0.3:
        for turn in game["turns"]:
            if "player" in turn:
                turn["player"] = rng.choice(game["players"])
    if rng.random() < 0.2 and game["turns"]:
        turn = rng.choice(game["turns"])
        turn["actions"] = turn["actions"] * rng.choice([2, MAX_FINDINGS + 5])
    data = json.dumps(game).encode()
    for _ in range(rng.choice([0, 1, 1, 1, 3])):
        data = rng.choice([mutations.damaged, mutations.json_tree, mutations.json_tree, mutations.json_tree])(rng, data)
    try:
        return json.loads(data) if rng.random() < 0.5 else data
    except ValueError:
        return data


@one_day_in(4)
@pytest.mark.parametrize("games", few_or_many(2, 40))
@pytest.mark.parametrize("address", some(ADDRESSES, 2))
def test_damaged_games_get_a_verdict_each(address: str, games: int) -> None:
    rng = random.Random(f"{SEED} {address}")
    print(f"PWTOOL_DAMAGE_SEED={SEED}")
    records = [record for _ in range(games) if isinstance(record := damaged(rng, address), dict | bytes)]
    verdicts = [judge(record) for record in records]
    # Together they are enough for a kernel, and each keeps its place.
    times = 20
    many = list(pwtool.check_many([record for record in records for _ in range(times)], causes=False))
    assert [v.name for v in many] == [f"<record {number}>" for number in range(1, times * len(records) + 1)]
    for number, verdict in enumerate(many):
        alone = verdicts[number // times]
        assert (verdict.status, verdict.cut_short, verdict.result) == (alone.status, alone.cut_short, alone.result)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.integers(), inner, max_size=4),
    max_leaves=12,
)
KEYS = (
    "format",
    "ruleset",
    "version",
    "players",
    "setup",
    "turns",
    "result",
    "zones",
    "variables",
    "meta",
    "id",
    "recorded",
)
FORMATS = st.sampled_from(["pwtool/1", "pwtool-state/1", "x"])
RULESETS = st.sampled_from([*ADDRESSES, "chess+nothing", "../x.rules", "nowhere", "", "\x00"])


@one_day_in(4)
@settings(max_examples=times(8, 40))
@given(st.dictionaries(st.sampled_from(KEYS), JSON), FORMATS, RULESETS)
def test_any_dictionary_gets_a_verdict(data: dict[str, Any], form: str, ruleset: str) -> None:
    judge(data)
    judge({**data, "format": form, "ruleset": ruleset})


@one_day_in(4)
@given(st.binary() | st.text().map(lambda text: "{" + text) | st.text().map(lambda text: text + "\n"))
def test_any_text_gets_a_verdict(source: bytes | str) -> None:
    judge(source)


@pytest.mark.parametrize(
    "name", ["nowhere.json", "\x00", "a\x00b.json", "x" * 5000, "~", "games.zip/x.json", "a.jsonl:0", "?:*", "\ud800"]
)
def test_a_path_that_leads_nowhere_gets_a_verdict(name: str) -> None:
    for source in (name, Path(name)):
        assert judge(source).status == "unreadable"
        assert [v.status for v in pwtool.check_many([source, EXAMPLES / "records" / "clean.json"])] == [
            "unreadable",
            "clean",
        ]


def test_what_is_no_record_ends_a_stream_after_the_records_before_it() -> None:
    """That is the caller's mistake, as is an iterable that raises."""
    clean = EXAMPLES / "records" / "clean.json"

    def failing() -> Iterator[Path]:
        yield clean
        yield clean
        raise OSError("mine")

    for records, error in (([clean, clean, None], TypeError), (failing(), OSError)):
        found = []
        with pytest.raises(error):
            for verdict in pwtool.check_many(records):  # type: ignore[arg-type]
                found.append(verdict.status)
        assert found == ["clean", "clean"]
