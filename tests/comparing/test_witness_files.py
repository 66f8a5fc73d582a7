"""What a user gets with `--witness`: games that `check` accepts under one ruleset and not under the other, from ordinary setups,
with what decides marked.
"""

from __future__ import annotations

import json
import random
from itertools import combinations
from pathlib import Path

import pytest

from pwtool.cli.app import run
from pwtool.comparing.evidence import is_related
from pwtool.comparing.rows import compare_rulesets
from pwtool.comparing.witness.judging import Pair
from pwtool.comparing.witness.players import layered_favour, random_favour
from pwtool.comparing.witness.search import Witness, _is_idle, find_witnesses
from pwtool.comparing.witness.starts import find_starts
from pwtool.play.record import Move, Record
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.show.html.witnesses import witness_file
from pwtool.why.marks import marks_of
from tests.daily import one_day_in
from tests.support import book

EN, FR, DE, BGA, GP = (f"paper_world/{name}" for name in ("en", "fr", "de", "bga", "gamepark"))
PRIZES = f"""edition prizes of {EN} "House"
change setup put prizes "Tokens": 1 3 when count players == 2, 1 3 4 see set_up because "a test"
"""


def test_material_and_setup_get_a_game_too() -> None:
    first, second = book(BGA), book(EN)
    rows = compare_rulesets(first.game, second.game)
    pair = Pair(first.game, second.game, rows)
    found = {
        (r.name, side): (game, v)
        for side, p in ((0, pair), (1, pair.turned()))
        for r, game, v in find_starts(p, side, rows)
    }
    assert set(found) == {("blue_back", 0), ("blue_back", 1), ("setup.even", 1)}
    assert "there more often than the deck has it" in found["blue_back", 0][1].message
    assert "cards of the deck are missing" in found["blue_back", 1][1].message
    uneven, _ = found["setup.even", 1]
    sizes = sorted(len(part) for part in uneven.setup["supply"])
    # No more uneven than it takes.
    assert sizes[-1] - sizes[0] in (2, 3)


@one_day_in(7)
def test_the_games_are_what_check_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    house = tmp_path / "prizes.rules"
    house.write_text(PRIZES, "utf-8")
    for first, second in ((BGA, DE), (EN, str(house))):
        folder = tmp_path / first.replace("/", "-")
        assert run(["compare", first, second, "--witness", str(folder)]) == 1
        told = capsys.readouterr().out
        games = sorted(folder.glob("*.json"))
        assert games and all(str(game) in told for game in games)
        for game in games:
            accepting = first if game.stem.endswith("first") else second
            refusing = second if accepting == first else first
            # A variant that only one of them has is shown by a game with it.
            accepting += "+advanced" if game.stem.startswith("variant-advanced") else ""
            assert run(["check", str(game), "--rules", accepting]) == 0, game
            assert run(["check", str(game), "--rules", refusing]) != 0, game
            record = json.loads(game.read_text("utf-8"))
            sizes = [len(pile) for pile in record["setup"]["supply"]]
            assert max(sizes) - min(sizes) <= (3 if game.stem.startswith("setup.even") else 1)
        capsys.readouterr()
    assert [game.stem for game in games] == ["setup-prizes-only-first"]
    assert "1 2 when count players == 2, 1 2 4" in told and "1 3 when count players == 2, 1 3 4" in told


def column_of_3s() -> tuple[Record, Move]:
    """A position in which a column of 3s is claimed, and the claim."""
    game = book(GP).game
    number = [*game.ruleset.consequences].index("claim")
    record = Record(["Ana", "Ben"], ["row_of_3s", "two_5s", "three_4s"], {}, [], GP)
    return record, Move(number, (0, 1), 0, 0, consequence=True)


def test_what_decides_is_marked() -> None:
    from pwtool.play.state import State

    game = book(GP).game
    record, claim = column_of_3s()
    state = State(game.ruleset, 2, record.goals)
    board = game.ruleset.board
    assert board is not None
    codes = game.ruleset.components["card"].numbers
    state.zones[board.number][0] = {
        (0, 0): [codes["Y1"]], (1, 0): [codes["Y3"]], (1, 1): [codes["B1"], codes["B3"]], (1, 2): [codes["G3"]],
    }  # fmt: skip
    marks = marks_of(game, state, claim)
    assert {cell for _, _, cell in marks.cells} == {(1, 0), (1, 1), (1, 2)}
    place = Move(game.action_numbers["place"], (codes["K1"], (2, 0), []), 0, 0)
    marks = marks_of(game, state, place)
    (hand,) = [z for z in game.zone_list if z.name == "hand"]
    assert {cell for _, _, cell in marks.cells} == {(2, 0)} and marks.things == {(hand.number, 0, codes["K1"])}


@one_day_in(7)
def test_a_drawn_position_marks_the_refused_move() -> None:
    first, second = book(BGA), book(DE)
    rows = compare_rulesets(first.game, second.game)
    from pwtool.comparing.witness.search import find_witnesses

    search = find_witnesses(first.game, second.game, rows, games=60)
    witnesses: list[Witness] = [*search.found.values()]
    assert witnesses
    for witness in witnesses:
        assert not _is_idle((first, second)[witness.side].game, witness.record, witness.verdict)
        # Where a pile is shuffled, no single card decides.
        if witness.verdict.at is not None and witness.row.name != "reshuffle":
            section = witness_file(witness, (first, second)[witness.side], ("A", "B")).section
            assert "[" in section.split("```")[1], section


@one_day_in(7)
def test_games_without_components_are_searched_too() -> None:
    first, second = book("pig").game, book("pig+open_spiel").game
    assert not first.ruleset.components
    search = find_witnesses(first, second, compare_rulesets(first, second), games=2)
    assert sum(search.games) == 2


@pytest.mark.parametrize("address", Library().games())
def test_preferences_fit_the_material_of_every_game(address: str) -> None:
    game, rng = book(address).game, random.Random(1)
    for _ in range(40):
        assert all(
            favour is None or favour(0) == favour(0) for favour in (random_favour(game, rng), layered_favour(game, rng))
        )


def shelf_pairs() -> list[tuple[str, str]]:
    """Every ruleset of the library beside each of its overlays, half of the pairs the other way round."""
    library, pairs = Library(), []
    for game in library.games():
        overlays = library.overlays(game)
        editions = [game, *(f"{game}/{name}" for name in overlays["edition"])]
        pairs += [*combinations(editions, 2)]
        for name in overlays["variant"]:
            # Not every edition is played with every variant.
            last = next(e for e in reversed(editions) if load_ruleset(f"{e}+{name}", library).value is not None)
            pairs.append((last, f"{last}+{name}"))
    return [pair[::-1] if at % 2 else pair for at, pair in enumerate(pairs)]


BARE = ("nim+misere", "nim")
"""A game without components."""
OTHERS = [*(pair for pair in shelf_pairs() if {*pair} != {*BARE}), ("liars_dice", "pig"), ("chess", "kuhn_poker")]


@one_day_in(7)
@pytest.mark.parametrize(("first", "second"), [BARE, *(pytest.param(*p, marks=pytest.mark.slow) for p in OTHERS)])
def test_every_pair_gets_its_pages(first: str, second: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["compare", first, second, "--effort", "0.1"]
    assert run([*asked, "--witness", str(tmp_path / "games"), "--format", "html", "-o", str(tmp_path / "page")]) in (
        0,
        1,
        3,
    )
    if is_related(book(first).game, book(second).game):
        assert list((tmp_path / "games").iterdir())
    else:
        assert "no action in common" in capsys.readouterr().err
    for form in ("text", "markdown", "json", "html"):
        for sheet in ([], ["--sheet", "--lang", "de"]):
            assert run([*asked, "--format", form, *sheet]) in (0, 1, 3)
            assert capsys.readouterr().out
