"""`pwtool simulate`: the same on any number of cores, the same as the records of the same games, and right about chance."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import islice
from multiprocessing import active_children
from pathlib import Path
from statistics import mean, stdev, variance
from typing import Any

import pytest

from pwtool.cli.app import run
from pwtool.kernel import run as kernels
from pwtool.play.selfplay import Endless, NoSetup
from pwtool.records.random_records import play_many
from pwtool.show.text.simulations import between_text
from pwtool.simulating import games as simulated
from pwtool.simulating import runs
from pwtool.simulating.estimates import Difference, Z, _wilson, corrected, difference, estimate
from pwtool.simulating.games import Played, Player
from pwtool.simulating.measures import Measure, Measures
from pwtool.simulating.results import Results, results_of
from pwtool.simulating.runs import Side, Simulation, Table, Unit
from pwtool.simulating.sums import Pairs, Sums, Tally
from pwtool.text.data import data_folder
from tests.daily import one_day_in, some
from tests.support import book, few_or_many

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = "pierre_papier_morpion/fr+bonus+binoculars"
needs_wasmtime = pytest.mark.skipif(not kernels.is_installed(), reason="kernels need wasmtime")


@pytest.fixture(autouse=True)
def _at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert run(["simulate", *words]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    return printed.out


def measured(capsys: pytest.CaptureFixture[str], *words: str) -> dict[tuple[int, str, str], dict[str, Any]]:
    """The measures, by the number of players, group and name."""
    data = json.loads(said(capsys, *words, "--format", "json"))
    return {(r["players"], m["group"], m["name"]): m for r in data["results"] for m in r["measures"]}


# ---- on any number of cores ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", some(["text", "json"], 1))
def test_the_output_is_the_same_on_any_number_of_cores(
    form: str, monkeypatch: pytest.MonkeyPatch, workers_at_once: Callable[[], None], capsys: pytest.CaptureFixture[str]
) -> None:
    workers_at_once()
    words = ["connect_four", "connect_four+pop_out", "--games", "1300", "--seed", "5", "--format", form]
    one = said(capsys, *words, "--jobs", "1")
    assert said(capsys, *words, "--jobs", "2") == one
    monkeypatch.setattr(runs, "UNIT", 130)
    assert said(capsys, *words, "--jobs", "3") == one


def test_a_worker_that_dies_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, workers_at_once: Callable[[], None]
) -> None:
    workers_at_once()
    monkeypatch.setattr(runs, "UNIT", 100)
    simulation = Simulation((Side("tic_tac_toe"),), (2,), 1000, 3, data_folder("rulesets"))
    table = simulation.open_table()
    expected = list(simulation.run(table, 1))
    found = simulation.run(table, 2)
    got = list(islice(found, 3))
    victims = active_children()
    assert victims
    for victim in victims:
        victim.kill()
    assert [*got, *found] == expected
    assert not active_children()


# ---- the same games as elsewhere -------------------------------------------------------------------------------------


KINDS = ("take", "place", "grab", "trim", "claim")


def counted_by_hand(records: Sequence[dict[str, Any]]) -> dict[tuple[str, str], list[Fraction]]:
    """What records say, read as anybody reads them: the values of each measure, game by game."""
    found: dict[tuple[str, str], list[Fraction]] = {}

    def note(group: str, name: str, value: Fraction | int | bool) -> None:
        found.setdefault((group, name), []).append(Fraction(value))

    for record in records:
        names, result = record["players"], record.get("result")
        turns = record["turns"]
        moves = [move for turn in turns for move in turn["actions"]]
        note("end", "over", result is not None)
        times = Counter(move["action"] for move in moves)
        for kind in KINDS:
            note("consequence" if kind == "claim" else "action", kind, times[kind])
        claims: dict[str, list[int]] = {goal: [] for goal in record["setup"].get("goals", [])}
        for number, turn in enumerate(turns, 1):
            for move in turn["actions"]:
                if move["action"] == "claim":
                    claims[move["goal"]].append(number)
        for goal, when in claims.items():
            note("claimed", goal, bool(when))
            note("claims", goal, len(when))
            if when:
                note("claim turn", goal, when[0])
        if result is None:
            continue
        note("length", "turns", len(turns))
        note("length", "actions", times.total() - times["claim"])
        for line in ("stars", "objectives", "token", "hand", "discard"):
            note("line", line, Fraction(sum(parts[line] for parts in result["parts"].values()), len(names)))
        note("score", "of a player", Fraction(sum(result["scores"].values()), len(names)))
        for seat, name in enumerate(names, 1):
            first = result["ranking"][0]
            note("wins", f"seat {seat}", Fraction(name in first, len(first)))
            note("seat", f"seat {seat}", result["scores"][name])
        note("wins", "shared", len(result["ranking"][0]) > 1)
    return found


@one_day_in(8)
@pytest.mark.parametrize(("address", "players"), [("paper_world/gamepark", 3), ("paper_world/en+advanced", 2)])
def test_statistics_are_those_of_the_records_that_play_writes(
    address: str, players: int, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [address, "--games", "300", "--seed", "40", "--players", str(players)]
    got = measured(capsys, *words)
    assert run(["play", *words]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    by_hand = counted_by_hand(records)
    assert len(by_hand) > 60
    for (group, name), values in by_hand.items():
        found = got[players, group, name]["rulesets"][0]
        assert found["games"] == len(values), (group, name)
        assert found["mean"] == pytest.approx(float(mean(values)), rel=1e-5), (group, name)
        if group in ("length", "seat"):
            away = Z * stdev(map(float, values)) / len(values) ** 0.5
            assert found["high"] == pytest.approx(found["mean"] + away, rel=1e-5), (group, name)


@one_day_in(4)
@needs_wasmtime
@pytest.mark.parametrize(
    "address",
    some(["paper_world/gamepark", ROUNDS, "tests/rulesets/gulls/game.rules", "tests/rulesets/harbour/game.rules"], 1),
)
def test_engine_and_kernel_are_counted_alike(address: str) -> None:
    rules = book(address)
    for players in {rules.game.ruleset.min_players, min(4, rules.game.ruleset.max_players)}:
        by_engine = list(Player(rules, kernel=False).play(players, 70, 20))
        assert list(Player(rules).play(players, 70, 20)) == by_engine
        assert any(game.over for game in by_engine)


@needs_wasmtime
@pytest.mark.parametrize(("word", "why"), [(0, None), (-1, NoSetup), (-2, Endless), (None, None)])
def test_what_a_kernel_cannot_play(word: int | None, why: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = book("tic_tac_toe")
    expected = list(Player(rules).play(2, 0, 200))
    whole = kernels.Instance.play_counted

    def play(self: Any, seed: int, games: int, players: int, most: int) -> Any:
        for number, (words, single) in enumerate(whole(self, seed, games, players, most), seed):
            if number == 70 and word is None:
                raise kernels.failures()[0]("stopped")
            yield (type(words)("i", [word or 0]) if number == 70 else words), single

    monkeypatch.setattr(kernels.Instance, "play_counted", play)
    got = list(Player(rules).play(2, 0, 200))
    if why is not None:
        assert got[70] == Played(2, failed=why)
        found = Measures(rules.game.ruleset, 2).of(got[70])
        assert sum(found.values()) == 1 and found["end", "no setup" if why is NoSetup else "endless turn"] == 1
        expected[70] = got[70]
    assert got == expected


# ---- right about chance ----------------------------------------------------------------------------------------------


def test_tic_tac_toe_comes_out_as_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    """Of all ways to play at random 737 of 1260 are won by the first, 121 of 420 by the second (counted by many)."""
    got = measured(capsys, "tic_tac_toe", "--games", "5000", "--seed", "1")
    first, second, drawn = 737 / 1260, 121 / 420, 8 / 63
    for name, known in (("seat 1", first + drawn / 2), ("seat 2", second + drawn / 2), ("shared", drawn)):
        found = got[2, "wins", name]["rulesets"][0]
        assert abs(found["mean"] - known) < 1.5 * (found["high"] - found["mean"])
        assert found["high"] - found["low"] < 0.03


HOUSE = """edition house of paper_world/en "House"

{}
"""
ONE_MORE = 'change score stars "Stars, and one for luck" see scoring = sum stars of tops of landscape + 1'
SEVEN = """change rule turn.hand_limit "At most seven cards stay in hand at the end of a turn" see taking
  require count hand <= 7
change rule trim.only_excess "Cards are discarded only above seven in hand" see taking
  require count hand > 7"""
SAID_OTHERWISE = """change rule turn.hand_limit "At most nine cards stay in hand at the end of a turn" see taking
  require not count hand > 9"""


def compared(capsys: pytest.CaptureFixture[str], folder: Path, change: str) -> dict[tuple[str, str], dict[str, Any]]:
    """The differences that a house rule makes, by group and name."""
    house = folder / "house.rules"
    house.write_text(HOUSE.format(change), "utf-8")
    words = ["paper_world/en", str(house), "--games", "400", "--seed", "9", "--players", "2"]
    found = {(group, name): m["differences"][0] for (_, group, name), m in measured(capsys, *words).items()}
    return {key: row for key, row in found.items() if row is not None}


@one_day_in(8)
def test_a_rule_with_a_known_effect_is_found_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = compared(capsys, tmp_path, ONE_MORE)
    more = {
        ("line", "stars"),
        ("score", "of a player"),
        ("score", "of the first"),
        ("seat", "seat 1"),
        ("seat", "seat 2"),
    }
    for key, row in found.items():
        assert row["beyond_chance"] == (key in more), key
        assert row["difference"] == row["low"] == row["high"] == (key in more), key


@one_day_in(8)
def test_a_rule_that_changes_play_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = compared(capsys, tmp_path, SEVEN)
    trim = found["action", "trim"]
    assert trim["beyond_chance"] and trim["low"] > 0
    assert found["line", "hand"]["beyond_chance"] and found["line", "hand"]["low"] > 0
    assert not found["wins", "seat 1"]["beyond_chance"]


@one_day_in(8)
def test_the_same_in_other_words_is_no_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = compared(capsys, tmp_path, SAID_OTHERWISE)
    assert len(found) > 50
    assert all(d["difference"] == d["low"] == d["high"] == 0 and not d["beyond_chance"] for d in found.values())


def unpaired(table: Table, first: int, second: int, games: int) -> Results:
    """The differences of one ruleset from itself, other games of it."""
    one, other = (table.play(Unit(2, seed, games)).sums[0] for seed in (first, second))
    measures = table.measures(2) * 2
    return results_of({2: (Tally([one, other], [Pairs()]), measures)})[0]


@one_day_in(4)
@pytest.mark.parametrize("rounds", few_or_many(40, 400))
def test_chance_alone_is_seldom_taken_for_a_difference(rounds: int) -> None:
    """In at most one of twenty runs, however many measures there are."""
    table = Table([book("connect_four")])
    wrong = small = of = 0
    for number in range(rounds):
        rows = unpaired(table, number * 400, number * 400 + 200, 200).rows
        found = [d for row in rows for d in row.differences if d is not None and d.p is not None]
        wrong += any(d.beyond_chance for d in found)
        small += sum(d.p is not None and d.p < 0.05 for d in found if d.high > d.low)
        of += sum(d.high > d.low for d in found)
    assert wrong <= rounds * 0.05 + 2 * (rounds * 0.05) ** 0.5
    # Uncorrected, one of twenty is.
    assert 0.02 < small / of < 0.09


# ---- sums and intervals ----------------------------------------------------------------------------------------------


def rows(values: Sequence[int]) -> list[int]:
    return [len(values), sum(values), sum(v * v for v in values)]


def test_intervals_of_shares_are_those_of_the_books() -> None:
    """R. G. Newcombe, Statistics in Medicine 17 (1998), table I, method 3."""
    for times, of, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        found = estimate([of, times, times], 1, True)
        assert (found.low, found.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


def test_differences_are_those_of_the_values_themselves() -> None:
    rng = random.Random(4)
    first = [rng.randrange(50) for _ in range(300)]
    second = [value + rng.randrange(-3, 5) for value in first]
    both = [300, sum(first), sum(second), sum(a * b for a, b in zip(first, second, strict=True))]
    apart = [(b - a) / 2 for a, b in zip(first, second, strict=True)]
    paired = difference(rows(first), rows(second), both, (2, 2))
    assert paired is not None and paired.p is not None
    assert paired.difference == pytest.approx(mean(apart))
    assert paired.high - paired.difference == pytest.approx(Z * (variance(apart) / 300) ** 0.5)
    welch = difference(rows(first), rows(second[:200]), None, (1, 1))
    assert welch is not None
    assert welch.difference == pytest.approx(mean(second[:200]) - mean(first))
    error = (variance(first) / 300 + variance(second[:200]) / 200) ** 0.5
    assert welch.high - welch.difference == pytest.approx(Z * error)


def test_of_few_games_nothing_is_said() -> None:
    few = difference([99, 0, 0], [500, 500, 500], None, (1, 1))
    assert few is not None and few.p is None and not corrected([few])[0].beyond_chance
    assert difference([1, 4, 16], [500, 500, 500], None, (1, 1)) is None


def test_many_differences_are_corrected_for() -> None:
    given = [Difference(1, 0, 2, p) for p in (0.01, None, 0.04, 0.03, 0.005)]
    found = [d.p_corrected for d in corrected(given)]
    assert found == [pytest.approx(0.03), None, pytest.approx(0.06), pytest.approx(0.06), pytest.approx(0.02)]
    assert [d.beyond_chance for d in corrected(given)] == [True, False, False, False, True]


def test_parts_add_up_to_the_whole() -> None:
    rng = random.Random(1)
    games = [[{("g", str(k)): rng.randrange(9) for k in rng.sample(range(4), 2)} for _ in range(2)] for _ in range(40)]
    whole, parts = Tally.empty(2), Tally.empty(2)
    for start in range(0, 40, 10):
        part = Tally.empty(2)
        for game in games[start : start + 10]:
            whole.add(game)
            part.add(game)
        parts.merge(part)
    assert parts == whole and isinstance(whole.sums[0], Sums)


# ---- the command -----------------------------------------------------------------------------------------------------


@one_day_in(7)
def test_readings_are_for_the_last_ruleset(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["paper_world", "paper_world", "--games", "200", "--seed", "2", "--players", "2"]
    assert "beyond chance: 0 of" in said(capsys, *words)
    other = said(capsys, *words, "--reading", "last_round=others")
    assert "(last_round=others)" in other and "beyond chance: 0 of" not in other


def test_few_games_are_said_to_be_few(capsys: pytest.CaptureFixture[str]) -> None:
    assert "too few games" in said(capsys, "tic_tac_toe", "tic_tac_toe", "--games", "50")


def test_all_numbers_of_players_up_to_four_are_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert {key[0] for key in measured(capsys, "crazy_eights", "--games", "3")} == {3, 4}
    assert {key[0] for key in measured(capsys, "paper_world/en", "--games", "3", "--players", "3")} == {3}


def test_without_kernels_it_is_the_same(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = [ROUNDS, "--games", "30", "--seed", "0", "--jobs", "1"]
    expected = said(capsys, *words)
    monkeypatch.setattr(simulated.run, "is_installed", lambda: False)
    assert said(capsys, *words) == expected


@pytest.mark.parametrize(
    ("words", "help_"),
    [
        (["tic_tac_toe", "--players", "3"], "3 players, the game is for 2 to 2"),
        (["tic_tac_toe", "--format", "xml"], "`--format` cannot be `xml`"),
        (["tic_tac_to"], "tic_tac_toe"),
        (["tic_tac_toe", "--games", "0"], "--games"),
        (["tic_tac_toe", "--reading", "a=b"], "there is no open point `a`"),
    ],
)
def test_what_cannot_be_is_said(words: list[str], help_: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and help_ in printed.err


# ---- as a page -------------------------------------------------------------------------------------------------------


def test_a_page_says_what_the_text_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("vl_convert")
    from tests.show.test_pages import checked

    words = ("connect_four", "tic_tac_toe", "--games", "120", "--seed", "3", "--jobs", "1")
    target = tmp_path / "page.html"
    assert said(capsys, *words, "-o", str(target)) == ""
    page = target.read_text("utf-8")
    shown = checked(page).lower()
    for line in said(capsys, *words).splitlines():
        for part in line.split("  "):
            told = part.strip(" *").partition(" (even")[0].lower()
            assert told in shown or told.startswith("beyond chance"), part
    assert page.count("<svg") == page.count("<caption>") > 4
    assert run(["simulate", *words, "-o", str(target)]) == 2
    assert "--force" in capsys.readouterr().err


@pytest.mark.parametrize("kernel", [pytest.param(True, marks=needs_wasmtime), False])
def test_where_there_is_one_way_to_go_on(kernel: bool) -> None:
    # The ninth field is the only one that is left.
    games = list(Player(book("tic_tac_toe"), kernel).play(2, 1, 60))
    assert {game.turns for game in games} >= {5, 9}
    assert all(game.single == (game.turns == 9) for game in games)
    measures = Measures(book("tic_tac_toe").game.ruleset, 2)
    found = [measures.of(game)["choice", "no choice"] for game in games]
    assert found == [round(1_000_000 / 9) if game.turns == 9 else 0 for game in games]


# ---- greedy play -----------------------------------------------------------------------------------------------------


@one_day_in(8)
@needs_wasmtime
@pytest.mark.parametrize(
    ("address", "players", "games"),
    [("tic_tac_toe", 2, 30), ("connect_four", 2, 3), (ROUNDS, 2, 6), ("paper_world/gamepark", 3, 3), ("nim", 2, 10)],
)
def test_kernels_play_as_greedily_as_the_engine(address: str, players: int, games: int) -> None:
    by_kernel = list(Player(book(address), True, "greedy").play(players, 5, games))
    assert by_kernel == list(Player(book(address), False, "greedy").play(players, 5, games))
    assert by_kernel != list(Player(book(address)).play(players, 5, games))


def test_who_plays_greedily_wins_where_one_action_wins() -> None:
    rules = book("tic_tac_toe")
    lines = [{(x, y) for x in range(3)} for y in range(3)] + [{(x, y) for y in range(3)} for x in range(3)]
    lines += [{(0, 0), (1, 1), (2, 2)}, {(2, 0), (1, 1), (0, 2)}]
    missed = won = 0
    for record in play_many(rules, ["a", "b"], 1, 60, 100, "greedy"):
        cells = [turn.moves[0].arguments[0] for turn in record.turns]
        assert set(cells) <= {(x, y) for x in range(3) for y in range(3)}
        for at, cell in enumerate(cells):
            own, all_ = set(cells[at % 2 : at : 2]), set(cells[:at])
            could = any(len(line & own) == 2 and not (line - own) & all_ for line in lines)
            does = any(line <= own | {cell} for line in lines)
            won, missed = won + does, missed + (could and not does)
    assert won > 20 and missed == 0


def test_greedy_games_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("tic_tac_toe", "--games", "40", "--seed", "1", "--policy", "greedy")
    assert "40 greedy games for each number of players, seeds 1 to 40" in said(capsys, *words)
    assert run(["simulate", "tic_tac_toe", "--policy", "wise"]) == 2
    assert "known here: `greedy`, `random`" in capsys.readouterr().err


# ---- beside proofs ---------------------------------------------------------------------------------------------------


@one_day_in(7)
def test_the_difficulty_in_play_stands_beside_the_proofs(capsys: pytest.CaptureFixture[str]) -> None:
    address, words = "paper_world/gamepark", ("--games", "300", "--seed", "4")
    capsys.readouterr()
    assert run(["analyze", f"{address}:row_of_3s", *words, "--json"]) in (0, 1)
    found = json.loads(capsys.readouterr().out)
    assert len(found["play"]) == 20 and found["objectives"][0]["boards"]["fulfil"] > 0
    claims = measured(capsys, address, "--players", "2", *words)
    for name, one in found["play"].items():
        simulated = claims[2, "claimed", name]["rulesets"][0]
        assert [one["games"], pytest.approx(one["claimed"], rel=1e-5)] == [simulated["games"], simulated["mean"]]
    shares = sorted((one["claimed"] for one in found["play"].values()), reverse=True)
    assert all(shares.index(one["claimed"]) == one["rarer_than"] for one in found["play"].values())
    run(["analyze", f"{address}:row_of_3s", *words])
    one = found["play"]["row_of_3s"]
    told = f"claimed in {100 * one['claimed']:.1f} % ({100 * one['low']:.1f} to {100 * one['high']:.1f}) of {one['games']} random games"
    assert told in capsys.readouterr().out


def test_an_interval_is_not_shown_as_a_point() -> None:
    share = Measure("games", "over", share=True)
    low, high = _wilson(1.0, 500_000)
    assert low < high and high == pytest.approx(1.0)
    assert between_text(share, low, high) == "99.999 to 100.000"
    assert between_text(share, 1.0, 1.0) == "100.00 to 100.00"
    assert between_text(Measure("games", "turns"), 3.0, 4.5) == "3.00 to 4.50"
