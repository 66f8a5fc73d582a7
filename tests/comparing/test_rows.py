"""Rulesets against each other: what really differs is found, what is only worded differently is not."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from pwtool.cli.app import run
from pwtool.comparing.matrix import compare_all
from pwtool.comparing.row import Row
from pwtool.comparing.rows import compare_rulesets
from pwtool.kernel.material import material_of
from pwtool.play.game import Game
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.library import Library
from pwtool.show.html.witnesses import WitnessFile, summary_text
from tests.daily import one_day_in, some
from tests.support import book, full_record, raw_games

EN, FR, DE, BGA, GP = (f"paper_world/{name}" for name in ("en", "fr", "de", "bga", "gamepark"))

# The rows of the table of differences, as items of the rulesets (see docs/paper_world.md), by edition: equal words read alike.
SEMANTIC = {
    ("turn", ""): {EN: "at once", FR: "at the end", DE: "at once", BGA: "at once", GP: "at once, nobody passes"},
    ("rule", "grab.which_card"): {EN: "fresh", FR: "of the turn", DE: "of the turn", BGA: "fresh", GP: "fresh"},
    ("rule", "turn.must_take"): {EN: "", FR: "must", DE: "must", BGA: "", GP: ""},
    ("variant", "advanced"): {EN: "yes", FR: "yes", DE: "yes", BGA: "no", GP: "yes"},
    ("action", "trim"): {EN: "discard", FR: "discard", DE: "discard", BGA: "discard", GP: "lost"},
    ("action", "reshuffle"): {EN: "", FR: "", DE: "yes", BGA: "", GP: ""},
    ("action", "pass"): {EN: "yes", FR: "yes", DE: "yes", BGA: "yes", GP: ""},
    ("objective", "row_of_3s"): {EN: "row", FR: "row", DE: "row", BGA: "row", GP: "line"},
    ("objective", "three_4s"): {EN: "value", FR: "value", DE: "value", BGA: "value", GP: "height"},
}
OTHERS = {
    ("deck", "blue_back"): ("material", {EN: "92", FR: "96", DE: "96", BGA: "96", GP: "96"}),
    ("zone", "discard"): ("material", {EN: "", FR: "", DE: "hidden", BGA: "", GP: ""}),
    ("rule", "setup.even"): ("setup", {EN: "", FR: "", DE: "", BGA: "even", GP: ""}),
    ("setup", "first"): ("setup", {EN: "", FR: "", DE: "", BGA: "drawn", GP: "drawn"}),
    ("setup", "start"): ("setup", {EN: "", FR: "", DE: "", BGA: "received", GP: ""}),
    ("erratum", "five_1s_printed"): ("erratum", {EN: "", FR: "7", DE: "", BGA: "", GP: ""}),
    ("erratum", "diagonal_printed"): ("erratum", {EN: "", FR: "", DE: "", BGA: "number", GP: ""}),
    ("erratum", "prize_list"): ("erratum", {EN: "", FR: "3", DE: "", BGA: "", GP: ""}),
    ("ambiguity", "two_piles"): ("clarification", {EN: "2", FR: "2", DE: "", BGA: "2", GP: "2"}),
    ("ambiguity", "pile_sizes"): ("clarification", {EN: "about", FR: "about", DE: "about", BGA: "", GP: ""}),
    ("ambiguity", "payment_cards"): ("clarification", {EN: "any", FR: "any", DE: "", BGA: "any", GP: "any"}),
    ("ambiguity", "token_duty"): ("clarification", {EN: "", FR: "must", DE: "puts it there", BGA: "", GP: ""}),
    ("ambiguity", "token_again"): ("clarification", {EN: "", FR: "", DE: "after it", BGA: "", GP: ""}),
    ("ambiguity", "last_round"): ("clarification", {EN: "", FR: "", DE: "all", BGA: "", GP: "all"}),
    ("ambiguity", "once_a_turn"): ("clarification", {EN: "once", FR: "", DE: "", BGA: "", GP: ""}),
    ("ambiguity", "hand_penalty"): ("clarification", {EN: "", FR: "", DE: "", BGA: "one", GP: ""}),
    ("ambiguity", "counted_values"): ("clarification", {EN: "at least", FR: "at least", DE: "", BGA: "at least", GP: ""}),
}  # fmt: skip

# What is counted otherwise and makes no difference: that cannot be followed where things also come to lie elsewhere.
NOT_FOLLOWED = {frozenset({DE, GP}): {("action", "grab")}}


def semantic_of(first: str, second: str) -> set[tuple[str, str]]:
    unlike = {key for key, read in SEMANTIC.items() if read[first] != read[second]}
    return unlike | NOT_FOLLOWED.get(frozenset({first, second}), set())


def game(address: str) -> Game:
    return book(address).game


def rows(first: str, second: str) -> dict[tuple[str, str], Row]:
    return {(r.kind, r.name): r for r in compare_rulesets(game(first), game(second))}


@pytest.mark.parametrize(("first", "second"), some([*list(combinations((EN, FR, DE, BGA, GP), 2))], 2))
def test_every_difference_of_two_editions_is_found_and_no_other(first: str, second: str) -> None:
    found = rows(first, second)
    assert all(r.status != "undecided" for r in found.values())
    semantic = {key for key, row in found.items() if row.nature == "semantic"}
    assert semantic == semantic_of(first, second)
    for key, (nature, read) in OTHERS.items():
        natures = {found[key].nature} - {"wording"} if key in found else set()
        assert natures == ({nature} if read[first] != read[second] else set()), key
    back = rows(second, first)
    turned = {"permissive": "stricter", "stricter": "permissive"}
    for key, row in found.items():
        assert back[key].direction == turned.get(row.direction, row.direction), key


@one_day_in(8)
@pytest.mark.parametrize(("first", "second"), list(combinations((EN, FR, DE, GP), 2)))
def test_the_advanced_mode_changes_nothing_of_what_differs(first: str, second: str) -> None:
    found = rows(f"{first}+advanced", f"{second}+advanced")
    semantic = {key for key, row in found.items() if row.nature == "semantic"}
    assert semantic == semantic_of(first, second)


def test_the_advanced_mode_against_the_base() -> None:
    found = rows(EN, f"{EN}+advanced")
    freed = [("rule", "place.skip_one"), ("rule", "place.skip_once")]
    assert [found[key].direction for key in freed] == ["permissive", "permissive"]
    # As a formula each price asks what the other does not; that nobody pays more than in the base game is proven.
    assert found["rule", "place.skip_price"].direction == "permissive"
    # What the action counts besides shows in those rules alone.
    assert found["action", "place"].status == "no_effect"


def test_the_departures_of_the_implementation_come_out() -> None:
    found = rows(EN, GP)
    assert found["objective", "row_of_3s"].direction == "permissive"
    assert found["objective", "three_4s"].direction == "incomparable"
    assert "lost" in found["action", "trim"].second and "discard" in found["action", "trim"].first
    assert (found["action", "pass"].status, found["turn", ""].direction) == ("only_first", "stricter")
    assert "BS4 GS2 KS1 YS3" in found["deck", "blue_back"].example


def test_the_misprint_of_the_french_list_can_never_be_fulfilled() -> None:
    plain = RulesetStore(Library()).get(FR).value
    printed = RulesetStore(Library(), as_printed=True).get(FR).value
    assert plain and printed
    found = {(r.kind, r.name): r for r in compare_rulesets(plain.game, printed.game)}
    assert (found["objective", "five_1s"].direction, found["objective", "five_1s"].nature) == ("stricter", "semantic")
    assert "the second can never be fulfilled" in found["objective", "five_1s"].proof
    assert ("setup", "prizes") in found and len(found) == 2


def with_more_fours(more: str, folder: Path) -> tuple[Rulebook, Row]:
    """The English edition, and how one in which more boards have three fours is beside it."""
    house = folder / "house.rules"
    house.write_text(
        f'edition house of paper_world/en "House"\nchange objective three_4s "T" = (at least 3 card: value == 4) or ({more}) because "b"\n',
        "utf-8",
    )
    store = RulesetStore(Library())
    first, second = store.get(EN).value, store.get(str(house)).value
    assert first and second
    [row] = compare_rulesets(first.game, second.game)
    return first, row


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("count card == 0", ("undecided", "cannot arise")),
        ("count card == 2 and some [ # _ # ]", ("undecided", "cannot arise")),
        ("at least 7 card: value == 5 and color == yellow", ("no_effect", "all boards that the decks allow")),
    ],
)
def test_boards_that_cannot_arise_show_no_difference(more: str, said: tuple[str, str], tmp_path: Path) -> None:
    """A landscape holds its first card, is connected, and the decks have three yellow fives."""
    _, row = with_more_fours(more, tmp_path)
    assert row.status == said[0] and said[1] in row.proof


@pytest.mark.parametrize("more", ["at least 4 card: value == 5", "some diagonal: same color"])
def test_a_board_that_can_arise_is_found_where_the_smallest_cannot(more: str, tmp_path: Path) -> None:
    """The decks have no four equal fives, and two cards that touch by a corner are not connected."""
    first, row = with_more_fours(more, tmp_path)
    assert (row.status, row.direction) == ("different", "permissive") and "all boards" in row.proof
    (board,) = re.findall(r"\[ ([^]]*) \]", row.example)
    there = material_of(first.game.ruleset, "card", 4, 3)
    lying = Counter(first.game.ruleset.components["card"].codes.index(code) for code in re.findall(r"\w+", board))
    assert there is not None and not lying - there.whole - there.partly


def test_the_modules_of_the_second_game() -> None:
    base = "pierre_papier_morpion/fr"
    assert rows(base, "pierre_papier_morpion") == {}
    binoculars = rows(base, f"{base}+binoculars")
    assert any(r.nature == "semantic" for r in binoculars.values())
    bonus = rows(base, f"{base}+bonus")
    assert any(r.kind == "score" for r in bonus.values())
    matrix = compare_all([game(base), game(f"{base}+bonus"), game(f"{base}+binoculars")], compare_rulesets)
    assert all(r.letters[0] != r.letters[1] or r.letters[0] != r.letters[2] for r in matrix.rows)


@one_day_in(7)
def test_the_matrix_groups_what_reads_alike() -> None:
    editions = (EN, FR, DE, BGA, GP)
    matrix = compare_all([game(a) for a in editions], compare_rulesets)
    found = {(r.kind, r.name): r for r in matrix.rows}
    for key, read in SEMANTIC.items():
        if key[0] == "variant":
            continue
        letters = dict(zip(editions, found[key].letters, strict=True))
        for a, b in combinations(editions, 2):
            assert (letters[a] == letters[b]) == (read[a] == read[b]), key
        assert all((letters[a] == "-") == (read[a] == "") for a in editions)


# ---- harmless rewordings and small edits -------------------------------------------------------------------------------

REWORDED = [
    'change rule turn.hand_limit "No more than nine cards are kept" see taking\n  require count hand <= 9',
    'change rule turn.hand_limit "At most nine" see taking\n  require count hand < 10',
    'change rule turn.hand_limit "At most nine" see taking\n  require not count hand > 9',
    'change rule turn.hand_limit "At most nine" see taking\n  require 9 >= count hand',
    'change rule turn.hand_limit "At most nine" see taking\n  when count hand > 9\n  require count hand <= 5 + 4',
    'change rule trim.only_excess "Above nine" see taking\n  require 10 <= count hand',
    'change rule place.ascends "Upwards" see placement\n  require gap > -1',
    'change rule place.skip_one "One value" see skipping\n  require gap < 2',
    'change rule place.skip_once "Once" see skipping\n  when not gap <= 0\n  require skips < 1',
    'change rule place.skip_once "Once" see skipping\n  require gap <= 0 or skips == 0',
    'change rule place.skip_price "Price" see skipping\n  when not gap < 0\n'
    "  require (if holds shears or not gap > 0 then 0 else 1) == count pay",
    'change rule take.matching "All match" see taking\n  require no c in cards: not matches(c, announced)',
    'change rule take.all "None is left" see taking\n  require every c in tops of supply - cards: not matches(c, announced)',
    'change rule take.some "One at least" see turns\n  require not count cards == 0',
    'change rule place.touches "Beside another" see placement\n  require landscape[at] is not empty or (some m in neighbours of at: landscape[m] is not empty)',
    'change rule place.one_announcement "Alike" see placing\n  require same value of placed + card or same color of placed + card',
    'change rule pass.no_choice "Nothing else"\n  require not (can place or can take)',
    'change rule place.own_color "One color" see placement\n  when not landscape[at] is empty\n  require below.color == card.color',
    'change ending exhausted "Almost nothing is left" see the_end\n  when count (q in supply: not q is empty) < 3\n  then 1 more turn each',
    'change objective row_of_3s "Threes in a row" = not no row: all value == 3',
    'change score token "The token" see scoring = (if not holds shears then 0 else 2)',
    'change turn = (pass | take | (place grab?)+) trim*',
    'change rule take.matching "All match" see taking\n  require every k in cards: k.value == announced or k.color == announced',
    'change objective two_5s "Two fives" = at least 2 card: value > 4',
]  # fmt: skip


def overlay(tmp_path: Path, body: str, base: str = EN) -> Game:
    """The ruleset with declarations of our own laid over it."""
    path = tmp_path / "house.rules"
    reason = '\n  because "a test"' if body.startswith(("change", "remove")) else ""
    path.write_text(f'edition house of {base} "Our rules"\n\n{body}{reason}\n', "utf-8")
    found = RulesetStore(Library()).get(str(path))
    assert found.value is not None, [d.message for d in found.diagnostics]
    return found.value.game


@pytest.mark.parametrize("change", some([*REWORDED], 3))
def test_a_rewording_is_no_difference(change: str, tmp_path: Path) -> None:
    found = compare_rulesets(game(EN), overlay(tmp_path, change))
    assert [(r.kind, r.name, r.status) for r in found if r.nature != "wording"] == []
    assert len(found) == 1 and found[0].proof


@pytest.mark.parametrize("end", ["0 more turns each", "0 more turns for the others"])
def test_no_more_turns_are_none(end: str, tmp_path: Path) -> None:
    change = 'change ending exhausted "Empty" when count (p in supply: p is not empty) <= 3 then {}'
    (tmp_path / "a").mkdir()
    stop = overlay(tmp_path / "a", change.format("stop"))
    (row,) = compare_rulesets(stop, overlay(tmp_path, change.format(end)))
    assert (row.nature, row.status) == ("wording", "reworded")


EDITS = [
    ('change rule turn.hand_limit "x" see taking\n  require count hand <= 8', "turn.hand_limit", "stricter"),
    ('change rule turn.hand_limit "x" see taking\n  require count hand <= 10', "turn.hand_limit", "permissive"),
    ('change rule turn.hand_limit "x" see taking\n  require count hand == 9', "turn.hand_limit", "stricter"),
    ('change rule trim.only_excess "x" see taking\n  require count hand > 7', "trim.only_excess", "permissive"),
    ('change rule place.skip_once "x" see skipping\n  when gap > 0\n  require skips <= 1', "place.skip_once", "permissive"),
    ('change rule place.skip_one "x" see skipping\n  require gap <= 2', "place.skip_one", "permissive"),
    ('change rule place.skip_one "x" see skipping\n  require gap == 0', "place.skip_one", "stricter"),
    ('change rule place.ascends "x" see placement\n  require gap >= -1', "place.ascends", "permissive"),
    ('change rule place.ascends "x" see placement\n  require gap > 0', "place.ascends", "stricter"),
    ("remove rule place.not_blocked", "place.not_blocked", "permissive"),
    ("remove rule take.all", "take.all", "permissive"),
    ('change rule place.one_announcement "x" see placing\n  require same color of placed + card', "place.one_announcement", "stricter"),
    ('change rule place.own_color "x" see placement\n  when landscape[at] is not empty\n  require card.color != below.color',
     "place.own_color", "incomparable"),
    ('change rule place.skip_price "x" see skipping\n  when gap >= 0\n  require count pay == (if gap > 0 then 1 else 0)', "place.skip_price", "incomparable"),
    ('change rule place.skip_price "x" see skipping\n  when gap >= 0\n  require count pay <= 1', "place.skip_price", "permissive"),
    ('change rule take.some "x" see turns\n  require count cards >= 2', "take.some", "stricter"),
    ('rule place.early "No fives at first" see placement\n  require card.value < 5', "place.early", "stricter"),
    ('change rule place.touches "x" see placement\n  require some n in neighbours of at: landscape[n] is not empty', "place.touches", "stricter"),
    ('change ending exhausted "x" see the_end\n  when count (p in supply: p is not empty) <= 1\n  then 1 more turn each', "exhausted", "incomparable"),
    ('change ending exhausted "x" see the_end\n  when count (p in supply: p is not empty) <= 2\n  then stop', "exhausted", "incomparable"),
    ('change score token "x" see scoring = (if holds shears then 3 else 0)', "token", ""),
    ("change ranking most total, most count discard, shared", "", ""),
    ('change objective two_5s "x" = at least 3 card: value == 5', "two_5s", "stricter"),
    ('change objective two_5s "x" = exactly 2 card: value == 5', "two_5s", "stricter"),
    ('change objective row_of_3s "x" = some column: all value == 3', "row_of_3s", "incomparable"),
    ("change turn = (take | (place grab?)+ | pass)", "", "stricter"),
    ("change turn = (take? (place grab?)+ | take | pass) trim*", "", "permissive"),
    ("remove score hand", "hand", ""),
]  # fmt: skip


@pytest.mark.parametrize(("change", "name", "direction"), some(EDITS, 4))
def test_a_small_edit_is_found_with_its_direction(change: str, name: str, direction: str, tmp_path: Path) -> None:
    house = overlay(tmp_path, change)
    found = [r for r in compare_rulesets(game(EN), house) if r.nature == "semantic"]
    assert [(r.name, r.direction) for r in found] == [(name, direction)]
    turned = {"permissive": "stricter", "stricter": "permissive"}
    back = [r for r in compare_rulesets(house, game(EN)) if r.nature == "semantic"]
    assert [(r.name, r.direction) for r in back] == [(name, turned.get(direction, direction))]


def test_other_names_for_the_same_things_are_no_difference(tmp_path: Path) -> None:
    folder = tmp_path / "paper_world"
    shutil.copytree(Library().folder / "paper_world", folder)
    renamed = {"gap": "hole", "below": "under", "base_value": "height_of", "matches": "alike", "key": "what"}
    for path in folder.glob("*.rules"):
        text = re.sub(r"\b(" + "|".join(renamed) + r")\b(?!\s*:)", lambda m: renamed[m[1]], path.read_text("utf-8"))
        path.write_text(text, "utf-8")
    found = RulesetStore(Library(folder=tmp_path)).get(EN)
    assert found.value is not None, [d.message for d in found.diagnostics]
    differing = compare_rulesets(game(EN), found.value.game)
    assert {r.nature for r in differing} <= {"wording", "clarification"} and len(differing) > 4


# ---- what the commands print -------------------------------------------------------------------------------------------


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    capsys.readouterr()
    code = run(list(arguments))
    return code, capsys.readouterr().out


@one_day_in(4)
def test_compare_prints_text_markdown_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = printed(capsys, "compare", EN, FR)
    assert code == 1 and "rule turn.must_take: only in the second; the second allows less" in text
    _, markdown = printed(capsys, "compare", EN, FR, "--format", "markdown")
    assert "## What changes play or result" in markdown and "--reading token\\_duty" not in markdown
    _, data = printed(capsys, "compare", EN, FR, "--json")
    row = next(r for r in json.loads(data)["rows"] if r["name"] == "turn.must_take")
    assert row["sources"]["second"][0].startswith("French rulebook") and row["sources"]["first"] == []
    code, text = printed(capsys, "compare", EN, EN)
    assert code == 0 and text.splitlines()[3].startswith("nothing differs in play or result, ")


@one_day_in(8)
def test_what_could_not_be_decided_stands_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The order of two endings may matter only where both come at once."""
    ended = 'ending half "Half" when some q in players: points[q] >= 50 then stop at once\n'
    text = (Path(__file__).parents[2] / "rulesets/classics/pig/game.rules").read_text("utf-8")
    hundred = re.search(r"^ending .*\n( .*\n)*", text, re.MULTILINE)
    assert hundred is not None
    for name, both in (("a", hundred[0] + ended), ("b", ended + hundred[0])):
        (tmp_path / f"{name}.rules").write_text(text.replace(hundred[0], both), "utf-8")
    pair = [str(tmp_path / f"{name}.rules") for name in "ab"]
    code, told = printed(capsys, "compare", *pair, "--effort", "0")
    assert code == 3 and "What changes play or result" not in told
    lines = [
        "What could not be decided",
        "  order of the endings: not decided",
        "    first   hundred, half",
        "    second  half, hundred",
    ]
    assert told.splitlines()[3:7] == lines
    _, page = printed(capsys, "compare", *pair, "--effort", "0", "--format", "html")
    assert (
        page.index("1 item of play could not be decided")
        < page.index("<details")
        < page.index(">What could not be decided<")
    )
    _, sheet = printed(capsys, "compare", *pair, "--effort", "0", "--sheet")
    assert sheet.splitlines()[2:] == ["WHAT COULD NOT BE DECIDED", "  - order of the endings"]


@one_day_in(4)
def test_compare_more_than_two(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = printed(capsys, "compare", EN, FR, DE)
    assert code == 1 and re.search(r"rule turn\.must_take +- +A +A$", text, re.MULTILINE)
    _, data = printed(capsys, "compare", EN, FR, DE, "--json")
    assert len(json.loads(data)["pairs"]) == 3
    assert printed(capsys, "compare", EN, FR, DE, "--sheet")[0] == 2


@one_day_in(7)
def test_a_reading_and_the_misprints_are_for_the_second(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = printed(capsys, "compare", FR, FR, "--reading", "token_duty=optional")
    assert code == 1 and "rule turn.must_take: only in the first; the second allows more" in text
    code, text = printed(capsys, "compare", BGA, BGA, "--as-printed")
    assert code == 1 and "objective diagonal_color: different; each allows what the other does not" in text


@one_day_in(4)
def test_the_sheet_is_in_the_words_of_the_rules(capsys: pytest.CaptureFixture[str]) -> None:
    _, text = printed(capsys, "compare", EN, FR, "--sheet")
    assert "Add: blue scissors 4, green scissors 2, black scissors 1" in text
    assert "New: Whoever placed a scissors card that still shows takes the token." in text
    assert "No longer possible in one turn: place a card, then take the scissors token, then place a card" in text
    _, text = printed(capsys, "compare", GP, EN, "--sheet")
    assert "Row of 3s\n      before: Row or column of 3s\n      no longer counts  .  .  Y3" in text
    _, data = printed(capsys, "compare", GP, EN, "--sheet", "--json")
    first = json.loads(data)["sections"]["counts"][0]
    assert {"text": "Row of 3s", "before": "Row or column of 3s"}.items() <= first.items()
    assert first["boards"] == [{"caption": "no longer counts", "board": "[ . . Y3 / . . Y3 / . . Y3 ]", "side": 0}]


@one_day_in(8)
def test_check_by_the_misprints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = next(r for _, raw in raw_games("base") if len((r := full_record(raw))["players"]) > 2 and " 4}" in str(r))
    path = tmp_path / "game.json"
    path.write_text(json.dumps(record), "utf-8")
    _, plain = printed(capsys, "check", str(path), "--rules", FR, "--all", "--format", "concise")
    code, as_printed = printed(
        capsys, "check", str(path), "--rules", FR, "--as-printed", "--all", "--format", "concise"
    )
    assert code == 1 and set(as_printed.splitlines()) - set(plain.splitlines())


def archive(tmp_path: Path, *folders: str) -> Path:
    path = tmp_path / "games.jsonl"
    games = [full_record(raw) for _, raw in raw_games(*folders)]
    path.write_text("\n".join(json.dumps(g) for g in games) + "\n", "utf-8")
    return path


@one_day_in(7)
def test_the_impact_on_an_archive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = archive(tmp_path, "base")
    _, data = printed(capsys, "compare", GP, DE, "--games", str(path), "--json")
    impact = json.loads(data)["impact"]
    count = len(raw_games("base"))
    assert impact["games"] == count
    assert len(impact["stays_legal"]) + len(impact["becomes_illegal"]) == count and impact["stays_legal"]
    assert {r["rule"] for r in impact["by_rule"]} == {"turn.must_take"}
    assert "score discard" in {s["cause"] for s in impact["by_score"]}
    _, back = printed(capsys, "compare", DE, GP, "--games", str(path), "--json")
    assert json.loads(back)["impact"]["becomes_legal"] == impact["becomes_illegal"]


@one_day_in(8)
def test_a_link_out_of_a_folder_of_games_is_counted_as_unreadable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    shutil.copy("examples/records/clean.json", folder)
    (tmp_path / "elsewhere").mkdir()
    (folder / "out.json").symlink_to("../elsewhere/game.json")
    (folder / "more").symlink_to("../elsewhere")
    code, text = printed(capsys, "compare", GP, GP, "--games", str(folder))
    assert code == 2 and text.count("the link points outside the folder") == 2
    assert "out.json: the link" in text and "more: the link" in text
    _, data = printed(capsys, "compare", GP, GP, "--games", str(folder), "--json")
    assert json.loads(data)["impact"]["games"] == 3 and len(json.loads(data)["impact"]["stays_legal"]) == 1


def test_the_impact_of_the_same_rules_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    _, text = printed(capsys, "compare", GP, GP, "--games", "examples/records/clean.json")
    assert re.search(r"stays legal +1 ", text) and re.search(r"other score +0$", text, re.MULTILINE)


@one_day_in(7)
def test_what_only_one_ruleset_can_read_changes_its_legality(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = full_record(raw_games("base")[0][1])
    record["turns"][-1]["actions"] = [{"action": "pass"}]
    del record["result"]
    path = tmp_path / "passed.json"
    path.write_text(json.dumps(record), "utf-8")
    _, data = printed(capsys, "compare", BGA, GP, "--games", str(path), "--json")
    details = json.loads(data)["impact"]["details"][0]
    assert details["second"]["verdict"] == "unreadable" and "pass" in details["second"]["message"]
    (tmp_path / "no.json").write_text("[]", "utf-8")
    assert printed(capsys, "compare", BGA, GP, "--games", str(tmp_path / "no.json"))[0] == 2
    assert printed(capsys, "compare", BGA, GP, "--games", str(tmp_path / "nowhere"))[0] == 2


@one_day_in(8)
def test_which_guesses_the_edition(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = full_record(raw_games("base")[0][1])
    record.pop("ruleset"), record.pop("version", None)
    path = tmp_path / "unlabelled.json"
    path.write_text(json.dumps(record), "utf-8")
    code, data = printed(capsys, "which", str(path), "--json")
    found = json.loads(data)["documents"][0]
    assert code == 0 and GP in found["fits"] and EN not in found["fits"]
    refused = next(a for a in found["rulesets"] if a["address"] == EN)
    assert refused["first"]["rule"] == "setup.supply"


def test_which_says_that_only_the_material_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.json"
    assert run(["play", EN, "--games", "1", "--players", "2", "--seed", "3", "-o", str(tmp_path / "games.jsonl")]) == 0
    path.write_text((tmp_path / "games.jsonl").read_text("utf-8"), "utf-8")
    capsys.readouterr()
    run(["which", str(path)])
    told = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line.startswith("  paper")}
    assert "refused    fits except for the material: 4 cards of the deck are missing" in told[BGA]
    assert "apart" not in told[EN] and "apart" not in told[DE]
    run(["which", str(path), "--json"])
    (document,) = json.loads(capsys.readouterr().out)["documents"]
    assert {a["address"] for a in document["rulesets"] if a.get("material_apart")} >= {BGA}


@one_day_in(7)
def test_which_sums_up_an_archive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = printed(capsys, "which", str(archive(tmp_path, "base")))
    count = len(raw_games("base"))
    assert code == 0 and text.splitlines()[-1].startswith(f"{count} games: {count} fit {GP}, ")


def test_which_without_an_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = printed(capsys, "which", "examples/records/illegal.json")
    assert code == 1 and "place.inside_3x3" in text
    path = tmp_path / "broken.json"
    path.write_text("{}", "utf-8")
    assert printed(capsys, "which", str(path))[0] == 2
    assert printed(capsys, "which", "examples/records/clean.json", "--rules", "paper_world/nowhere")[0] == 2


SAME_PLAY = {
    "renamed": 'remove rule place.skip_one because "x"\nrule place.hop "A skip passes one" require gap <= 1\n',
    "implied": 'rule place.far "Not far" require gap <= 3\n',
    "merged": 'remove rule place.skip_one because "x"\nremove rule place.skip_once because "x"\n'
    'rule place.once "One skip of one value" when gap > 0 require skips == 0 and gap == 1\n',
}


@pytest.mark.parametrize("name", SAME_PLAY)
def test_rules_that_change_no_game_are_no_difference(name: str, tmp_path: Path) -> None:
    path = tmp_path / "house.rules"
    path.write_text(f'edition house of {EN} "x"\n{SAME_PLAY[name]}', "utf-8")
    other = RulesetStore(Library()).get(str(path)).value
    plain = RulesetStore(Library()).get(EN).value
    assert other and plain
    found = compare_rulesets(plain.game, other.game)
    # A rule under another name says the same; the others say less or more than can come up.
    assert {r.status for r in found if r.kind == "rule"} == {"reworded" if name == "renamed" else "no_effect"}
    assert not [r for r in found if r.nature == "semantic"]


def test_two_rules_that_imply_each_other_are_missed_when_both_go(tmp_path: Path) -> None:
    """Either of them alone could go: together they decide."""
    twice, neither = tmp_path / "twice.rules", tmp_path / "neither.rules"
    twice.write_text(f'edition twice of {EN} "x"\nrule place.hop "A skip passes one" require gap <= 1\n', "utf-8")
    neither.write_text(f'edition neither of {EN} "x"\nremove rule place.skip_one because "x"\n', "utf-8")
    ruleset_store = RulesetStore(Library())
    first, second = ruleset_store.get(str(twice)).value, ruleset_store.get(str(neither)).value
    assert first and second
    found = {(r.kind, r.name): r for r in compare_rulesets(first.game, second.game)}
    assert found["rule", "place.skip_one"].direction == found["rule", "place.hop"].direction == "permissive"


def test_an_order_is_shown_by_a_turn_that_may_come_up() -> None:
    found = rows(EN, FR)
    assert (found["turn", ""].direction, found["turn", ""].example) == ("stricter", "place grab place")
    assert found["rule", "grab.which_card"].direction == "permissive"
    assert rows(FR, DE)["turn", ""].direction == "permissive"


@one_day_in(4)
def test_what_is_asked_for_in_vain_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (
        ["--sheet", "--games", str(tmp_path)],
        ["--sheet", "--witness", str(tmp_path / "w")],
        ["--json", "--format", "html"],
        ["--json", "--format", "text"],
        ["--games", str(tmp_path / "nothing")],
        ["--games", str(tmp_path / "nothing.jsonl:3"), "--games", "examples/records/clean.json"],
        ["--witness", str(tmp_path / "nothing.json")],
        ["--witness", "examples/records/clean.json"],
        ["--witness", "examples/records/duels.json", "--format", "html"],
        ["--witness", "examples/states/final.json", "--format", "html"],
    ):
        assert run(["compare", EN, FR, *arguments]) == 2, arguments
        told = capsys.readouterr()
        assert told.err.startswith("error: ") and not told.out


@one_day_in(7)
def test_games_that_cannot_be_read_say_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "odd.json"
    path.write_text('{"players": 3}', "utf-8")
    for form in ("text", "markdown", "html"):
        assert run(["compare", EN, FR, "--games", str(path), "--format", form]) == 2
        told = capsys.readouterr().out
        assert "unreadable" in told and "odd.json" in told and "pwtool import" in told


@one_day_in(7)
def test_what_is_no_game_is_told_by_its_reasons(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, export = tmp_path / "log.jsonl", tmp_path / "export.json"
    path.write_text('{"level": "info"}\n' * 5 + "[1]\n", "utf-8")
    export.write_text(json.dumps(raw_games("base")[0][1]), "utf-8")
    files = ["--games", str(path), "--games", str(export), "--games", "examples/records/duels.json"]
    files += ["--games", "examples/states/final.json"]
    code, text = printed(capsys, "compare", EN, FR, *files)
    lines = [line.strip() for line in text.splitlines()]
    assert code == 2
    assert any(
        line.startswith("log.jsonl:1, log.jsonl:2, log.jsonl:3 and 3 more: this is neither a rec") for line in lines
    )
    # Another program's export is a game like others.
    assert any("export.json" in line and not line.startswith("export.json") for line in lines)
    assert "duels.json: this is a game of `pierre_papier_morpion`, not of `paper_world`" in lines
    assert "1 position is left out: there is no play in a position" in lines
    impact = json.loads(printed(capsys, "compare", EN, FR, *files, "--json")[1])["impact"]
    assert [len(reason["games"]) for reason in impact["reasons"]] == [6, 1] and impact["positions_left_out"] == 1


def test_the_same_is_said_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.json").write_text("{}", "utf-8")
    code, text = printed(capsys, "which", str(tmp_path / "empty.json"))
    assert code == 2 and text.count("neither a record nor a state") == 1 and "missing" not in text
    (tmp_path / "bare.json").write_text('{"format": "pwtool/1"}', "utf-8")
    code, text = printed(capsys, "check", str(tmp_path / "bare.json"), "--rules", EN)
    assert code == 2 and text.count("`players` and `turns` are missing; `setup` is missing") == 1


@one_day_in(7)
def test_two_games_are_told_from_two_editions(capsys: pytest.CaptureFixture[str]) -> None:
    run(["compare", EN, "pierre_papier_morpion/fr"])
    assert "these are different games" in capsys.readouterr().out
    run(["compare", EN, FR, "--effort", "0"])
    assert "different games" not in capsys.readouterr().out


@one_day_in(7)
def test_a_sheet_speaks_as_players_do(capsys: pytest.CaptureFixture[str]) -> None:
    run(["compare", "paper_world/fr", EN, "--sheet"])
    told = capsys.readouterr().out
    assert "Now possible in one turn: place a card, then take the scissors token, then place a card" in told
    assert "either" not in told.split("WHAT THE NEW")[0] and "ass, then take" not in told
    run(["compare", "paper_world/de", FR, "--sheet"])
    assert "Everybody may see the discarded cards." in capsys.readouterr().out


@one_day_in(7)
def test_what_differs_only_before_play_is_no_sameness(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["compare", "paper_world/fr", "paper_world/fr", "--reading", "prize_list=printed"])
    told = capsys.readouterr().out
    assert "the rules of play are the same; 1 item of setup differs, which can change results; " in told
    run(["compare", EN, "paper_world/gamepark"])
    assert (
        "5 differences in play or result, besides 2 items of material and 1 item of setup; " in capsys.readouterr().out
    )


@one_day_in(4)
def test_other_sources_are_no_other_words(capsys: pytest.CaptureFixture[str]) -> None:
    run(["compare", BGA, GP])
    assert "  setup first: only the sources differ\n" in capsys.readouterr().out
    run(["compare", EN, "pierre_papier_morpion/fr"])
    assert re.search(r"\n\d+ differences in play or result, besides .*; 1 item is the same", capsys.readouterr().out)


def test_the_summary_of_witness_games_says_how_drawings_are_read() -> None:
    drawn = ["```", "supply  1 empty | 2 R7 (25)", "        0   1", "    0  R4'2*   .", "    1  RS1*  R3", "```"]
    told = summary_text([WitnessFile("a.json", "{}", "\n".join(["## a (3)", "", *drawn]))], ("one", "two"), [])
    legend = next(line for line in told.splitlines() if line.startswith("In the drawings "))
    for words in ("`R7 (25)` is a pile of 25", "`R4'2` is a pile of 2", "`R4'2*` has a token", "`.` holds nothing"):
        assert words in legend
    assert told.index(legend) < told.index("## a") and "(3)` is a pile" not in legend
    assert "In the drawings" not in summary_text([], ("one", "two"), ["rule a: nothing"])


@pytest.mark.parametrize("other", some([EN, FR, BGA, GP], 1))
def test_only_the_german_rulebook_knows_a_shuffle(other: str) -> None:
    row = rows(DE, other)["action", "reshuffle"]
    assert (row.nature, row.status, row.direction) == ("semantic", "only_first", "stricter")
    back = rows(other, DE)["action", "reshuffle"]
    assert (back.nature, back.status, back.direction) == ("semantic", "only_second", "permissive")
    # That it comes at any time is no difference of its own, nor is its rule.
    assert not {("anytime", "reshuffle"), ("rule", "reshuffle.left")} & rows(DE, other).keys()


def test_a_rule_of_what_comes_beside_the_order_of_play_is_no_rule_without_effect(tmp_path: Path) -> None:
    path = tmp_path / "house.rules"
    path.write_text(
        f'edition house of {DE} "House"\nchange rule reshuffle.left "Two cards lie below the top card" see edge_of_a_pile\n'
        '  require count supply[pile] > 2\n  because "one card is in order"\n',
        "utf-8",
    )
    found = RulesetStore(Library()).get(str(path)).value
    assert found is not None
    (row,) = [r for r in compare_rulesets(game(DE), found.game) if r.nature == "semantic"]
    assert (row.kind, row.name, row.direction) == ("rule", "reshuffle.left", "stricter")


def test_items_with_the_same_words_show_the_definitions_that_differ(tmp_path: Path) -> None:
    """Through other definitions too; those that are the same are left out."""
    text = (
        'game mini "Mini"\nplayers 2..2\nvar steps: 0..9 = 0 per game\nturn = step\ndefine most = 5\n'
        "define late = steps >= most\ndefine early = steps == 0\n"
        'action step "Step" () {\n  rule more "More" require not late or early\n  steps += 1\n}\n'
        'ending over "Over" when late then stop\nscore steps "Steps" = steps\n'
    )
    books = []
    for name, written in (("one", text), ("other", text.replace("most = 5", "most = 6"))):
        (tmp_path / f"{name}.rules").write_text(written, "utf-8")
        books.append(RulesetStore(Library()).get(str(tmp_path / f"{name}.rules")).value)
    assert None not in books
    rows = {row.name: row for row in compare_rulesets(*(found.game for found in books if found is not None))}
    assert (rows["over"].first, rows["over"].second) == (
        "Over: when late then stop where most = 5",
        "Over: when late then stop where most = 6",
    )
    assert rows["step.more"].first == "More: require not late or early where most = 5"
