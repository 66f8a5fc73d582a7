"""Every difference of two rulesets comes with a game that shows it: read back from its file, one ruleset accepts the
game and the other refuses it where and for what the witness says, or gives another result.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from pwtool.cli.app import run
from pwtool.comparing.drop_unreachable import settle_rows
from pwtool.comparing.impact import bare, claims_of, without_outcome
from pwtool.comparing.row import Row, either_side, sides_of
from pwtool.comparing.rows import compare_rulesets, differing_items
from pwtool.comparing.witness.search import (
    Search,
    Witness,
    find_variant_witness,
    find_witnesses,
)
from pwtool.play.record import Record
from pwtool.play.replay import Replay, replay_record
from pwtool.records.json_form import Malformed
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.library import Library
from pwtool.show.html.witnesses import no_witness, witness_file
from tests.comparing.test_rows import EDITS, EN, REWORDED
from tests.daily import one_day_in, some
from tests.support import book, message

FR, DE, BGA, GP = (f"paper_world/{name}" for name in ("fr", "de", "bga", "gamepark"))
DUELS = "pierre_papier_morpion/fr"
# No test depends on how fast the machine is: games are counted, and this is never reached.
NEVER = 10**12


@dataclass(frozen=True)
class Shown:
    """Two rulesets, their rows and what the search found."""

    books: tuple[Rulebook, Rulebook]
    rows: list[Row]
    search: Search

    def semantic(self) -> list[Row]:
        return [r for r in self.rows if r.nature == "semantic" and r.kind != "variant"]


def shown(first: Rulebook, second: Rulebook, games: int = 240, seed: int = 0) -> Shown:
    rows = compare_rulesets(first.game, second.game)
    assert rows, "nothing to show"
    return Shown((first, second), rows, find_witnesses(first.game, second.game, rows, NEVER, games, None, seed))


@cache
def editions(first: str, second: str) -> Shown:
    """Two rulesets of the library with the whole budget of games."""
    return shown(book(first), book(second))


def house(tmp_path: Path, change: str) -> Rulebook:
    """The English edition with a small edit of it."""
    path = tmp_path / "house.rules"
    reason = '\n  because "a test"' if change.startswith(("change", "remove")) else ""
    path.write_text(f'edition house of {EN} "Our rules"\n\n{change}{reason}\n', "utf-8")
    found = RulesetStore(Library()).get(str(path)).value
    assert found is not None
    return found


# ---- what a witness has to be, judged from its file alone ----------------------------------------------------------------


def read_back(witness: Witness, books: tuple[Rulebook, Rulebook]) -> tuple[Replay, Replay | Malformed, Record]:
    """The file of a witness under the ruleset that accepts it and under the other, and its record without claims under
    the other's result alone.
    """
    accepting, refusing = books[witness.side], books[1 - witness.side]
    data = json.loads(witness_file(witness, accepting, ("A", "B")).text)
    record = accepting.decoder.record(data)
    ours = replay_record(accepting.game, record, accepting.legal)
    try:
        theirs = refusing.decoder.record(data)
    except Malformed as problem:
        return ours, problem, record
    return ours, replay_record(refusing.game, theirs, refusing.legal), record


def check_witness(witness: Witness, books: tuple[Rulebook, Rulebook]) -> None:
    ours, theirs, record = read_back(witness, books)
    row, verdict = witness.row, witness.verdict
    assert ours.clean, (row.name, [message(ours, f) for f in ours.findings])
    if verdict.turn is not None:
        # Of a turn whose end is refused the next one is begun.
        begun = int(not record.turns[-1].moves and verdict.at is None)
        assert verdict.turn == len(record.turns) - 1 - begun, "the game goes on after what it shows"
    if isinstance(theirs, Malformed):
        # An action or a thing that the other has no name for.
        assert row.kind in ("action", "anytime", "turn", "score"), (row.kind, theirs)
        return
    real = [f for f in theirs.findings if f.path[0] not in ("setup", "players", "goals") and not f.undetermined]
    assert real and len(theirs.findings) - len(real) == verdict.aside
    if verdict.turn is None:
        check_result(witness, books, record)
        return
    first = real[0]
    here = [f for f in real if f.path[:4] == first.path[:4]]
    assert first.path[:2] == ("turns", verdict.turn)
    assert (first.path[3] if len(first.path) > 3 else None) == verdict.at
    assert verdict.message in [message(theirs, f) for f in here]
    if row.kind == "rule":
        assert (row.name, "PW601") in [(f.rule, f.code) for f in here]
    elif row.kind == "turn":
        assert {"PW603", "PW615"} & {f.code for f in here}
    elif row.kind == "objective":
        claimed = next(m for m in record.turns[-1].moves if m.index == verdict.at)
        assert claimed.consequence and record.goals[claimed.arguments[0]] == row.name
    elif row.kind == "ending":
        assert {"PW606", "PW607"} & {f.code for f in here}


def check_result(witness: Witness, books: tuple[Rulebook, Rulebook], record: Record) -> None:
    """Played alike, the game ends differently: the points, the ranking, or whether it is over at all."""
    results = []
    for rules in books:
        data = json.loads(witness_file(witness, books[witness.side], ("A", "B")).text)
        played = rules.decoder.record(bare(data, claims_of(*books)))
        alone = replay_record(rules.game, without_outcome(played), rules.legal)
        results.append(None if alone.result is None else (alone.result.totals, alone.result.ranking))
    assert results[0] != results[1], witness.row.name
    if witness.row.kind in ("score", "action"):
        assert results[0] and results[1] and results[0][0] != results[1][0]
    if witness.row.kind == "ranking":
        assert results[0] and results[1] and results[0][0] == results[1][0] and results[0][1] != results[1][1]


def check_all(found: Shown) -> dict[tuple[str, str], list[int]]:
    """Every row has a witness from each side that its direction names."""
    lengths: dict[tuple[str, str], list[int]] = {}
    for row in found.semantic():
        key = (row.kind, row.name)
        witnesses = found.search.of(row)
        sides = {w.side for w in witnesses}
        missing = set(sides_of(row)) - sides
        assert not missing or (either_side(row) and sides), (key, missing, found.search.games)
        for witness in witnesses:
            check_witness(witness, found.books)
        lengths[key] = [len(w.record.turns) for w in witnesses]
    return lengths


# ---- editions ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("first", "second"), some([(EN, DE), (FR, DE), (DE, BGA)], 1))
def test_editions_that_differ_in_the_order_of_play(first: str, second: str) -> None:
    lengths = check_all(shown(book(first), book(second), 60))
    assert lengths and all(turns <= 14 for found in lengths.values() for turns in found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second"),
    [
        *combinations((GP, EN, FR, DE, BGA), 2),
        *combinations([f"{a}+advanced" for a in (GP, EN, FR, DE)], 2),
        *((a, f"{a}+advanced") for a in (GP, EN, FR, DE)),
    ],
)
def test_every_difference_of_two_editions_has_its_games(first: str, second: str) -> None:
    if {first, second} == {EN, BGA}:
        assert editions(first, second).semantic() == []
        return
    lengths = check_all(editions(first, second))
    # Where hands can always be played, it takes long until somebody may pass.
    most = {key: 60 if "+" in first and key in (("action", "pass"), ("turn", "")) else 30 for key in lengths}
    assert {key: found for key, found in lengths.items() if max(found, default=0) > most[key]} == {}


@pytest.mark.slow
def test_the_departures_of_the_implementation_are_shown() -> None:
    found = editions(GP, EN)
    check_all(found)
    of = {(w.row.name, w.side): w for row in found.semantic() for w in found.search.of(row)}
    column = of["row_of_3s", 0].record
    replayed = replay_record(book(GP).game, column).play.state
    grid = replayed.zones[next(z.number for z in book(GP).game.zone_list if z.name == "landscape")][
        column.turns[-1].player
    ]
    codes = book(GP).game.ruleset.components["card"].codes
    threes = [cell for cell, pile in grid.items() if codes[pile[-1]].endswith("3")]
    assert any(all((x, y + dy) in threes for dy in range(3)) for x, y in threes)
    high, visible = of["three_4s", 0], of["three_4s", 1]
    assert {high.verdict.message, visible.verdict.message} == {"broken: The landscape fulfils the objective"}
    assert of["trim", 0].verdict.turn is None and "discard of" in of["trim", 0].verdict.message
    assert of["pass", 1].verdict.message == "there is no action `pass`"
    # What each shows takes little more than it has to: the supply has to be emptied before anybody may pass. Of a difference that
    # shows from both sides, one is enough.
    assert len(of["pass", 1].record.turns) <= 20
    assert min(len(of["trim", side].record.turns) for side in (0, 1)) <= 14


@one_day_in(8)
def test_a_variant_that_only_one_has() -> None:
    rows = compare_rulesets(book(EN).game, book(BGA).game)
    row = next(r for r in rows if r.kind == "variant")
    played = book(f"{EN}+advanced")
    differing = compare_rulesets(played.game, book(BGA).game)
    found, games = find_variant_witness(row, 0, played.game, book(BGA).game, differing, rows, NEVER, 20)
    assert found is not None and games and found.row == row
    check_witness(replace(found, row=replace(row, kind="action")), (played, book(BGA)))
    assert (found.verdict.rule or "").startswith("place.skip")
    # What differs without the variant too does not show it.
    known = [*rows, *differing]
    assert find_variant_witness(row, 0, played.game, book(BGA).game, differing, known, NEVER, 2)[0] is None


# ---- another game --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("modules", some(["+bonus", "+binoculars", "+bonus+binoculars"], 1))
def test_the_modules_of_the_second_game(modules: str) -> None:
    found = shown(book(DUELS), book(DUELS + modules), 60)
    lengths = check_all(found)
    assert ("score", "bonus" if "bonus" in modules else "binoculars") in lengths
    if "binoculars" in modules:
        assert lengths["action", "peek"] == [1]


# ---- readings and misprints ----------------------------------------------------------------------------------------------


@one_day_in(7)
def test_a_reading_and_a_misprint_are_shown() -> None:
    optional = RulesetStore(Library(), ("token_duty=optional",)).get(FR).value
    printed = RulesetStore(Library(), as_printed=True).get(FR).value
    assert optional and printed
    assert check_all(shown(book(FR), optional, 40)).keys() == {("rule", "turn.must_take")}
    assert check_all(shown(book(FR), printed, 10)).keys() == {("objective", "five_1s")}


# ---- small edits ---------------------------------------------------------------------------------------------------------

# The edits whose games are found at once; the others ask for long games.
QUICK = (2, 5, 6, 8, 10, 12, 15, 17, 18, 19, 20, 26, 27)


def edits(numbers: Iterable[int]) -> list[object]:
    return [pytest.param(EDITS[i][0], EDITS[i][1], id=f"{i}-{EDITS[i][1]}") for i in numbers]


@pytest.mark.parametrize(("change", "name"), some(edits(QUICK), 3))
def test_a_small_edit_is_shown(change: str, name: str, tmp_path: Path) -> None:
    found = shown(book(EN), house(tmp_path, change), 12)
    assert [key[1] for key in check_all(found)] == [name]


@pytest.mark.slow
@pytest.mark.parametrize(("change", "name"), edits(range(len(EDITS))))
def test_every_small_edit_is_shown(change: str, name: str, tmp_path: Path) -> None:
    found = shown(book(EN), house(tmp_path, change))
    assert [key[1] for key in check_all(found)] == [name]


@one_day_in(8)
@pytest.mark.parametrize(("change", "name"), edits((5, 15, 27)))
def test_a_small_edit_is_shown_from_its_other_end(change: str, name: str, tmp_path: Path) -> None:
    found = shown(house(tmp_path, change), book(EN), 12)
    assert [key[1] for key in check_all(found)] == [name]


@one_day_in(4)
def test_an_ending_shows_no_score(tmp_path: Path) -> None:
    """Of several edits at once each is shown by a game of its own kind."""
    change = (
        'change ending exhausted "One pile or none is left" when count (p in supply: p is not empty) <= 1 '
        'then 1 more turn each because "x"\n'
        'change score token "Token" = (if holds shears then 3 else 0) because "x"\n'
        "change ranking most total, shared"
    )
    found = shown(book(EN), house(tmp_path, change))
    assert {key[0] for key in check_all(found)} == {"ending", "score", "ranking"}


@pytest.mark.parametrize("change", REWORDED[::6])
def test_nothing_is_shown_of_a_rewording(change: str, tmp_path: Path) -> None:
    found = shown(book(EN), house(tmp_path, change), 5)
    assert found.search.found == {} and found.search.games == [0, 0]


# ---- what is said where there is none ------------------------------------------------------------------------------------


@one_day_in(8)
@pytest.mark.parametrize(
    ("first", "second", "games"),
    [
        (DE, BGA, 4),
        *(pytest.param(a, b, 60, marks=pytest.mark.slow) for a, b in [(EN, FR), (FR, DE), (FR, BGA), (GP, DE)]),
        *(pytest.param(a, f"{a}+advanced", 60, marks=pytest.mark.slow) for a in (EN, FR)),
    ],
)
def test_what_is_proven_never_to_come_about_does_not(first: str, second: str, games: int) -> None:
    """The search is told nothing of what is proven, and finds no game against it."""
    books = (book(first), book(second))
    raw = differing_items(books[0].game, books[1].game)
    settled = settle_rows(books[0].game, books[1].game, raw)
    proven = {
        ((before.kind, before.name), side)
        for before, after in zip(raw, settled, strict=True)
        for side in set(sides_of(before)) - (set(sides_of(after)) if after.nature == "semantic" else set())
        if before.nature == "semantic"
    }
    assert proven
    found = find_witnesses(books[0].game, books[1].game, raw, NEVER, games, None, 0).found
    assert not proven & found.keys()


@one_day_in(7)
def test_what_was_not_found_is_no_proof() -> None:
    found = shown(book(GP), book(EN), 1)
    row = next(r for r in found.rows if r.name == "pass")
    assert found.search.of(row) == []
    words = no_witness(1)
    assert words == "no game was found that only the second allows, which proves nothing"
    assert "proven" not in words


@one_day_in(7)
def test_the_same_seed_finds_the_same() -> None:
    pairs = [shown(book(EN), book(DE), 30, seed) for seed in (3, 3, 4)]
    games = [{key: w.record for key, w in s.search.found.items()} for s in pairs]
    assert games[0] == games[1] != games[2]


# ---- the files -----------------------------------------------------------------------------------------------------------


@one_day_in(8)
def test_the_files_are_ordinary_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "games"
    assert run(["compare", DE, BGA, "--witness", str(folder)]) == 1
    text = capsys.readouterr().out
    files = sorted(folder.glob("*.json"))
    assert files and all(f"    witness {path}\n" in text for path in files)
    for path in files:
        own, other = (DE, BGA) if "only-first" in path.name else (BGA, FR)
        own += "+advanced" * path.name.startswith("variant")
        assert run(["check", str(path), "--rules", own]) == 0, path
        # An action that the other has no name for cannot even be read.
        unknown = path.name.startswith("action-reshuffle")
        assert run(["check", str(path), "--rules", other]) == (2 if unknown else 1), path
    capsys.readouterr()
    # Nothing is overwritten unasked.
    assert run(["compare", DE, BGA, "--witness", str(folder)]) == 2
    summary = (folder / "summary.md").read_text("utf-8")
    for path in files:
        assert f"## {path.stem}\n" in summary
        assert json.loads(path.read_text("utf-8"))["comment"] in summary
    assert summary.count("\n  landscape\n") >= 2 * len(files)


@one_day_in(7)
def test_rows_name_their_games_in_every_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "games"
    page = tmp_path / "pages" / "page.md"
    page.parent.mkdir()
    arguments = ["compare", EN, DE, "--witness", str(folder), "--force"]
    run([*arguments, "--format", "markdown", "-o", str(page)])
    links = [part.split(">)")[0] for part in page.read_text("utf-8").split("](<")[1:]]
    assert links and all((page.parent / link).is_file() and link.startswith("../games/") for link in links)
    capsys.readouterr()
    run([*arguments, "--json"])
    rows = json.loads(capsys.readouterr().out)["rows"]
    named = [Path(file) for row in rows for file in row["witness"]]
    assert sorted(named) == sorted(folder.glob("*.json"))
    assert not [line for row in rows for line in row["without"]]
