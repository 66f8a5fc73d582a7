"""What is known of rules files while they are edited, without any protocol."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pwtool.lsp.model.completing import completions
from pwtool.lsp.model.describing import describe, described_item
from pwtool.lsp.model.findings import quick_findings, safe_fixes, sound_fixes, thorough_findings
from pwtool.lsp.model.hints import Suggested, run_all, suggest_example
from pwtool.lsp.model.outline import folds, outline
from pwtool.lsp.model.renaming import Refused, definition, naming_records, prepare_rename, references, rename
from pwtool.lsp.model.studies import Studies
from pwtool.lsp.model.workspace import Workspace
from pwtool.text import apply_fixes
from pwtool.text.data import data_folder
from pwtool.text.source import SourceFile
from tests.daily import one_day_in
from tests.lsp.rules import GAME, mark

HOUSE = """edition house of paper_world/en "House"
change rule turn.hand_limit "Seven" require count hand <= 7
objective high_row "High row" = some row: sum value >= 12
example high_row { yes [ Y5 B5 G5 ]  no [ Y1 B1 G1 ] }
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace([tmp_path])
    made.open(tmp_path / "game.rules", GAME)
    return made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "game.rules"


def found_names(workspace: Workspace, path: Path, text: str, before: str) -> list[str]:
    """What is offered at the end of a piece of the game with something written behind it."""
    workspace.open(path, text)
    return [s.text for s in completions(workspace, path, mark(text, before, behind=True))]


# ---- findings


def test_a_good_game_has_no_findings(workspace: Workspace, path: Path) -> None:
    analysis, found = quick_findings(workspace, path)
    assert found == [] and analysis.ruleset is not None
    thorough = thorough_findings(workspace, path, lambda: False)
    assert thorough is not None and {d.level for d in thorough[1]} <= {"warning"}


def test_findings_of_what_can_be_read_stand_beside_those_of_what_cannot(workspace: Workspace, path: Path) -> None:
    workspace.analysis(path)
    broken = GAME.replace("when laid > 0 require", "when laid > require").replace("same color", "same colour")
    workspace.open(path, broken)
    _, found = quick_findings(workspace, path)
    assert sorted((d.code, d.span.text) for d in found if d.span) == [("PW101", "higher"), ("PW303", "colour")]


def test_a_broken_declaration_still_declares_what_it_did(workspace: Workspace, path: Path) -> None:
    workspace.analysis(path)
    workspace.open(path, GAME.replace("shape row = [ a b ] turned", "shape row = [ a b turned"))
    assert {d.code for d in quick_findings(workspace, path)[1]} == {"PW101"}


def test_a_new_declaration_that_is_broken_is_told_once(workspace: Workspace, path: Path) -> None:
    workspace.open(path, GAME.replace("var laid:", "var laid"))
    assert {d.code for d in quick_findings(workspace, path)[1]} == {"PW101"}


def test_what_keeps_the_base_from_loading_is_told_at_the_header(tmp_path: Path) -> None:
    workspace = Workspace([tmp_path])
    path = tmp_path / "house.rules"
    workspace.open(path, 'edition house of nowhere "House"\nremove objective x\n')
    _, [finding] = quick_findings(workspace, path)
    assert finding.code == "PW203" and finding.span is not None and finding.span.line == 1


def test_examples_that_do_not_hold_are_told(workspace: Workspace, path: Path) -> None:
    workspace.open(path, GAME.replace("no  [ R1 B2 ]", "no  [ R1 R2 ]"))
    thorough = thorough_findings(workspace, path, lambda: False)
    assert thorough is not None and "PW402" in {d.code for d in thorough[1]}
    assert thorough_findings(workspace, path, lambda: True) is None


def test_fixes_that_are_sound_are_kept(workspace: Workspace, path: Path) -> None:
    workspace.analysis(path)
    text = GAME.replace("same color", "same colr")
    workspace.open(path, text)
    analysis, found = quick_findings(workspace, path)
    fixes = safe_fixes(analysis.file, sound_fixes(workspace, path, found))
    assert apply_fixes(analysis.file, fixes) == GAME


def test_unsaved_layers_count(tmp_path: Path) -> None:
    folder = tmp_path / "rulesets" / "rows"
    folder.mkdir(parents=True)
    (folder / "game.rules").write_text(GAME, "utf-8")
    (folder / "house.rules").write_text('edition house of rows "House"\nremove objective twins\n', "utf-8")
    workspace = Workspace([tmp_path], rulesets=tmp_path / "rulesets")
    house, game = folder / "house.rules", folder / "game.rules"
    workspace.open(house, house.read_text("utf-8"))
    assert quick_findings(workspace, house)[1] == []
    workspace.open(game, GAME.replace("objective twins", "objective pairs").replace("example twins", "example pairs"))
    assert [d.code for d in quick_findings(workspace, house)[1]] == ["PW204"]
    assert workspace.dependents(game) == [house]
    workspace.close(game)
    assert quick_findings(workspace, house)[1] == []


def test_a_part_is_looked_at_with_what_includes_it(tmp_path: Path) -> None:
    (tmp_path / "game.rules").write_text(GAME.replace("turn = place", "include more\nturn = place"), "utf-8")
    part = tmp_path / "more.rules"
    workspace = Workspace([tmp_path])
    workspace.open(part, "part more of rows\nobjective two = some row: same value\n")
    assert quick_findings(workspace, part)[1] == []
    workspace.open(part, "part more of rows\nobjective two = some rw: same value\n")
    assert [d.code for d in quick_findings(workspace, part)[1]] == ["PW201"]


def test_what_something_is_divided_by_is_the_attribute(workspace: Workspace, path: Path) -> None:
    divided = GAME + "zone spare: pile of card per color\nvar left: 0..9 = 9 per value per color per game\n"
    workspace.open(path, divided)
    found = rename(workspace, path, mark(divided, "per color per game") + len("per "), "shade")[path]
    before = [divided[span.start - 4 : span.start] for span in found]
    assert len(found) == 4 and before.count("per ") == 2


# ---- completion


@one_day_in(8)
@pytest.mark.parametrize(
    ("line", "offered", "not_offered"),
    [
        ("objective x = some |", {"row", "card", "pile"}, {"hand", "twins"}),
        ("objective x = some row: a.|", {"color", "value", "height"}, {"row", "red"}),
        ("objective x = some row: a.color == |", {"red", "blue", "a", "b"}, {"hand"}),
        ("objective x = some card: |", {"color", "value", "not", "some"}, {"hand", "height"}),
        ("objective x = some row: all |", {"color", "value", "height"}, {"hand"}),
        ("objective x = some row: every pile: |", {"color", "value", "height"}, {"hand"}),
        ("objective x = some row: same |", {"color", "value", "height"}, {"hand"}),
        ("objective x = some c in card: c.|", {"color", "value", "height"}, {"row"}),
        ("objective x = some c in buried: c.|", {"color", "value"}, {"height"}),
        ("rule place.new \"New\" require |", {"card", "at", "higher", "laid", "board", "free", "player"}, {"total"}),
        ("rule place.new \"New\" require at.|", {"row", "column"}, {"color"}),
        ("zone x: bag of |", {"card"}, {"hand"}),
        ("zone x: |", {"bag", "pile", "slot", "grid"}, {"card"}),
        ("zone x: bag of card per |", {"player", "goal", "color", "value"}, {"card"}),
        ("var x: 0..3 = 0 per |", {"player", "turn", "game", "color", "value"}, {"card", "goal"}),
        ("score x \"X\" = sum value of |", {"hand", "board"}, {"place"}),
        ("example |", {"twins", "place", "place.empty", "score", "full"}, {"hand"}),
        ("example place.small { given |", {"hand", "board", "laid", "player"}, {"place"}),
        ("example twins { yes [ |", {"R1", "B4", "."}, {"twins"}),
        ("example place.empty { given hand = { | } yes place(R1, (0, 0)) }", {"R1", "B4"}, {"hand"}),
        ("change rule |", {"place.empty", "pass.stuck"}, {"hand"}),
        ("remove objective |", {"twins", "stairs"}, {"row"}),
        ("|", {"objective", "zone", "action", "example", "rule"}, {"and", "hand"}),
        ("texts de { objective |", {"twins", "stairs"}, {"row"}),
        ("invariant x \"X\" for each player require count hand |", {"and", "or"}, {"objective"}),
    ],
)  # fmt: skip
def test_what_may_stand_there_is_offered(
    workspace: Workspace, path: Path, line: str, offered: set[str], not_offered: set[str]
) -> None:
    text = GAME + line.replace("|", "")
    workspace.open(path, text)
    found = {s.text for s in completions(workspace, path, len(GAME) + line.index("|"))}
    assert offered <= found and not (not_offered & found), found


@one_day_in(8)
@pytest.mark.parametrize(
    ("before", "offered"), [("yes step(", True), ("given throne = ", True), ("deck promoted of piece = { ", False)]
)
def test_examples_are_offered_the_names_of_cells(workspace: Workspace, path: Path, before: str, offered: bool) -> None:
    text = (Path(__file__).resolve().parents[2] / "rulesets" / "classics" / "chess" / "game.rules").read_text("utf-8")
    workspace.open(path, text)
    at = text.index(before) + len(before)
    found = {s.text: str(s.detail) for s in completions(workspace, path, at) if s.kind == "cell"}
    assert (len(found) == 64 and found["e4"] == "cell of board") == offered


def test_a_word_is_replaced_as_a_whole(workspace: Workspace, path: Path) -> None:
    at = mark(GAME, "some row: same") + 6
    found = next(s for s in completions(workspace, path, at) if s.text == "row")
    assert GAME[found.start : found.end] == "row"


@pytest.mark.parametrize("before", ["# What lies", 'objective twins "Two'])
def test_nothing_is_offered_in_words(workspace: Workspace, path: Path, before: str) -> None:
    assert found_names(workspace, path, GAME, before) == []


# ---- what things are


def test_names_are_explained(workspace: Workspace, path: Path) -> None:
    found = describe(workspace, path, mark(GAME, "higher < 3"))
    assert found is not None and found.title == "named value higher: a number from 0 to 3"
    found = describe(workspace, path, mark(GAME, "free(at)\n  rule"))
    assert found is not None and found.kind == "define" and "board[at] is empty" in found.written
    found = describe(workspace, path, mark(GAME, "R1 R2 ]"))
    assert found is not None and found.text == "card, color red, value 1"
    found = describe(workspace, path, mark(GAME, "b.value") + 3)
    assert found is not None and found.title == "attribute value: a number from 1 to 4"


def test_objectives_are_drawn_and_counted(workspace: Workspace, path: Path) -> None:
    at = mark(GAME, 'twins "Two')
    found = describe(workspace, path, at)
    assert found is not None and found.picture.startswith("<?xml") and found.rarity is None
    ruleset = workspace.ruleset(path)
    assert ruleset is not None
    studies = Studies()
    assert studies.known(ruleset) is None
    found = describe(workspace, path, at, studies.study(ruleset))
    assert found is not None and found.rarity is not None
    assert 0 < found.rarity.fraction < 1 and any(line.startswith("boards") for line in found.rarity.lines)
    # What does not change a condition changes nothing of that.
    workspace.open(path, GAME.replace("Two of one color", "Two alike"))
    again = workspace.analysis(path).ruleset
    assert again is not None and studies.known(again) is not None


def test_the_panel_shows_the_declaration_around(workspace: Workspace, path: Path) -> None:
    found = described_item(workspace, path, mark(GAME, "b.value"))
    assert found is not None and (found.kind, found.name) == ("objective", "stairs") and found.picture
    found = described_item(workspace, path, mark(GAME, "free(at)\n  rule"))
    assert found is not None and found.kind in ("rule", "action")


# ---- names


def test_definitions_and_references(workspace: Workspace, path: Path) -> None:
    [place] = definition(workspace, path, mark(GAME, "free(at)\n  rule"))
    assert place.span.line == GAME[: GAME.index("define free")].count("\n") + 1
    places = references(workspace, path, mark(GAME, "zone hand") + 5)
    assert [p.span.text for p in places] == ["hand"] * len(places) and len(places) == 6
    [letter] = definition(workspace, path, mark(GAME, "b.value"))
    assert letter.span.line == GAME[: GAME.index("shape row")].count("\n") + 1


@one_day_in(8)
def test_definitions_lead_into_the_base(tmp_path: Path) -> None:
    workspace = Workspace([tmp_path])
    path = tmp_path / "house.rules"
    workspace.open(path, HOUSE)
    assert quick_findings(workspace, path)[1] == []
    places = definition(workspace, path, mark(HOUSE, "hand_limit"))
    assert [p.path.name for p in places] == ["game.rules"]
    places = definition(workspace, path, mark(HOUSE, "paper_world/en") + 2)
    assert [p.path.name for p in places] == ["en.rules"]
    others = {p.path.name for p in references(workspace, path, mark(HOUSE, "row: sum"))}
    assert {"house.rules", "objectives.rules"} <= others


def renamed(workspace: Workspace, path: Path, text: str, at: str, new: str) -> str:
    for other, spans in rename(workspace, path, mark(text, at), new).items():
        assert other == path
        for span in sorted(spans, key=lambda s: -s.start):
            text = text[: span.start] + new + text[span.end :]
    return text


def offered_in(folder: Path, text: str) -> dict[str, tuple[int, int]]:
    path = folder / "edited.rules"
    workspace = Workspace([folder])
    workspace.open(path, text)
    return {s.text: (s.start, s.end) for s in completions(workspace, path, len(text))}


def test_what_editions_change_remove_and_build_on_is_offered(tmp_path: Path) -> None:
    header = 'edition mine of hearts "H"\n'
    removed = offered_in(tmp_path, header + "remove ")
    assert {"rule", "score", "action", "ending", "ranking"} <= removed.keys()
    assert not {"game", "edition", "reading", "param"} & removed.keys()
    assert {"rule", "score", "ranking", "turn"} <= offered_in(tmp_path, header + "change ").keys()
    assert offered_in(tmp_path, header + "add effect to ").keys() == {"give", "play"}
    text = "edition mine of paper_world/"
    bases = offered_in(tmp_path, text)
    assert {"paper_world", "paper_world/en", "hearts"} <= bases.keys()
    assert bases["paper_world/en"] == (text.index("paper"), len(text))
    # Behind an effect, another one may begin: it sets a variable.
    effect = offered_in(tmp_path, header + 'action again "Again" () { broken = true ')
    assert effect.keys() & {"player", "hand", "passer", "broken"} == {"passer", "broken"}
    given = 'edition mine of checkers "C"\nexample step given '
    assert "goals" not in offered_in(tmp_path, given)


LINE = """game line "Line"
players 2..2
component card { value: 1..9 }
deck cards of card = 1 all
zone hand: bag of card per player seen by owner
zone row: pile of card
var quiet: 0..9 = 0 per game
define low(c) = c.value < 3
define high(d) = d.value > 7
setup deal hand "Three": 3 each of cards to hand by chance
turn = lay
action lay "Lay" (thing: card from hand) { move thing to row quiet += 1 when low(thing) or high(thing) }
ending out "No cards" when every q in players: hand[q] is empty then stop
ranking most count hand
"""


def test_a_name_of_another_layer_is_not_taken(tmp_path: Path) -> None:
    """In any ruleset that has what is renamed, also where the file does not name it."""
    folder = tmp_path / "line"
    folder.mkdir()
    base, house = folder / "game.rules", folder / "dull.rules"
    base.write_text(LINE, "utf-8")
    text = 'variant dull of line "Dull"\nvar dull: 0..9 = 0 per game\nadd effect to lay dull += 1\n'
    house.write_text(text, "utf-8")
    workspace = Workspace([tmp_path])
    with pytest.raises(Refused, match="there already"):
        rename(workspace, base, mark(LINE, "quiet: 0"), "dull")
    for new in ("row", "quiet", "low"):
        with pytest.raises(Refused, match="there already"):
            rename(workspace, house, mark(text, "dull: 0"), new)
    assert set(rename(workspace, house, mark(text, "dull: 0"), "calm")) == {house}


def test_a_local_name_of_another_declaration_is_free(tmp_path: Path) -> None:
    path = tmp_path / "line.rules"
    path.write_text(LINE, "utf-8")
    workspace = Workspace([tmp_path])
    assert len(rename(workspace, path, mark(LINE, "c) = c"), "d")[path]) == 2
    for new in ("quiet", "row", "value"):
        with pytest.raises(Refused, match="there already"):
            rename(workspace, path, mark(LINE, "c) = c"), new)
    with pytest.raises(Refused, match="there already"):
        rename(workspace, path, mark(LINE, "quiet: 0"), "thing")


@one_day_in(8)
@pytest.mark.parametrize(
    "at",
    [
        "hand: bag", "laid: 0", "free(at) =", "higher =", "row = [", "twins {", "color: red", "value: 1", "board: grid",
        'small "No', 'red "R"', "b ] turned", "stock: pile",
    ],
)  # fmt: skip
def test_a_renamed_game_means_the_same(workspace: Workspace, path: Path, at: str) -> None:
    text = renamed(workspace, path, GAME, at, "renamed_so")
    assert text != GAME
    workspace.open(path, text)
    analysis, found = quick_findings(workspace, path)
    assert found == [] and analysis.ruleset is not None
    thorough = thorough_findings(workspace, path, lambda: False)
    assert thorough is not None and {d.level for d in thorough[1]} <= {"warning"}


WORDS = """game words "Words"
players 2..2
component stone { color: black "B" | white "W"  owner: player by color }
component letter "L" { }
choice way { across | down }
supply bowl "Each takes a color": 9 of stone per player
zone map: grid [ # . # / . # . / # . # ] of stone named [ a . b / . m . / c . d ] joined "a m d" "b m c" "a b"
zone post: grid 2x2 of letter
setup {
  put post "A letter waits": [ L ]
}
var last_way: way per game
var left: 0..30 = 30 per game
shape row = line of 3
turn = lay
action lay "Lay" (at: cell of map, along: way, twice: flag) {
  rule free "Free" require map[at] is empty
  rule near "Near" when twice require every n in neighbours of at where n != (0, 0) of map: map[n] is empty
  rule lined "Lined" when along == across require left > count { map is full, twice } or last_way == down
  move top of bowl to map[at]
  left -= 1
  last_way = along
}
ending e "E" when map is full or some row through (1, 1) of map on map: same color then stop
score s "S" = count { some line of 3 on map: all owner == player } + count post
ranking most total, shared
texts de { setup bowl "Jeder nimmt"  setup post "Ein Brief wartet"  zone post "Post" }
look { zone bowl: beside map { seat 1: left  seat 2: right } }
"""


@one_day_in(8)
@pytest.mark.parametrize(
    "at",
    ["way {", "way,", "across |", 'bowl "Each', "bowl to", 'bowl "Jeder', "map: grid", "post: grid", 'post "A', 'post "Ein', "left: 0",
        "left -=", "row =", "n in", "n !=", "along:", "twice:", "last_way:", 'letter "L', "color:", "map { seat",
    ],
)  # fmt: skip
def test_words_for_boards_are_renamed_as_a_whole(workspace: Workspace, path: Path, at: str) -> None:
    workspace.open(path, WORDS)
    assert quick_findings(workspace, path)[1] == []
    assert describe(workspace, path, mark(WORDS, at)) is not None or at.startswith("n ")
    text = renamed(workspace, path, WORDS, at, "renamed_so")
    assert text != WORDS
    workspace.open(path, text)
    analysis, found = quick_findings(workspace, path)
    assert found == [] and analysis.ruleset is not None


@pytest.mark.parametrize(
    "outside", sorted((Path(__file__).parents[1] / "rules" / "outside").glob("*/game.rules")), ids=str
)
@pytest.mark.slow
def test_every_name_of_an_outsider_is_renamed_or_refused(tmp_path: Path, outside: Path) -> None:
    text, path = outside.read_text("utf-8"), tmp_path / "game.rules"
    workspace = Workspace([tmp_path])
    done = set()
    for found in re.finditer(r"[A-Za-z_]\w*", text):
        workspace.open(path, text)
        try:
            spans = rename(workspace, path, found.start(), "renamed_so").get(path, [])
        except Refused:
            continue
        if (key := tuple(s.start for s in spans)) in done:
            continue
        done.add(key)
        new = text
        for span in sorted(spans, key=lambda s: -s.start):
            new = new[: span.start] + "renamed_so" + new[span.end :]
        workspace.open(path, new)
        analysis, told = quick_findings(workspace, path)
        assert [d.message for d in told if d.level == "error"] == [] and analysis.ruleset is not None, found[0]
    assert len(done) > 10


def test_what_a_supply_deals_by_keeps_its_name(workspace: Workspace, path: Path) -> None:
    workspace.open(path, WORDS)
    with pytest.raises(Refused, match="a supply deals by"):
        rename(workspace, path, mark(WORDS, "owner: player"), "keeper")
    plain = WORDS.replace('letter "L"', "letter").replace("[ L ]", "[ letter ]")
    workspace.open(path, plain)
    with pytest.raises(Refused, match="codes of things"):
        rename(workspace, path, mark(plain, "letter {"), "note")


@pytest.mark.parametrize(
    ("at", "new", "why"),
    [
        ("hand: bag", "board", "there already"), ("hand: bag", "some", "word of the language"), ("hand: bag", "2x", "names have"),
        ("hand: bag", "height", "meaning in every"), ("rows \"Rows\"", "lines", "rename the file"), ("twins {", "stairs", "there already"),
    ],
)  # fmt: skip
def test_names_that_would_break_something_are_refused(
    workspace: Workspace, path: Path, at: str, new: str, why: str
) -> None:
    with pytest.raises(Refused, match=why):
        rename(workspace, path, mark(GAME, at), new)


@one_day_in(8)
def test_names_of_files_of_others_are_not_changed(tmp_path: Path) -> None:
    workspace = Workspace([tmp_path])
    path = tmp_path / "house.rules"
    workspace.open(path, HOUSE)
    with pytest.raises(Refused, match="not yours to change"):
        rename(workspace, path, mark(HOUSE, "row: sum"), "line")
    assert list(rename(workspace, path, mark(HOUSE, 'high_row "High'), "tall_row")) == [path]
    with pytest.raises(Refused, match="no name"):
        prepare_rename(workspace, path, mark(HOUSE, "<= 7"))


def test_names_are_changed_in_all_files_of_an_opened_game(tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    folder.mkdir()
    game, house = folder / "game.rules", folder / "house.rules"
    game.write_text(GAME, "utf-8")
    house.write_text('edition house of rows "House"\nremove objective twins\n', "utf-8")
    workspace = Workspace([tmp_path], rulesets=tmp_path)
    workspace.open(game, GAME)
    found = rename(workspace, game, mark(GAME, "twins {"), "pairs")
    assert {p.name: len(spans) for p, spans in found.items()} == {"game.rules": 2, "house.rules": 1}


def test_records_that_write_a_name_are_known(tmp_path: Path) -> None:
    folder = tmp_path / "opened"
    (folder / ".old").mkdir(parents=True)
    path = folder / "rows.rules"
    path.write_text(GAME, "utf-8")
    played = {
        "a.json": '{"format": "pwtool/1", "ruleset": "rows.rules", "turns": [{"actions": [{"action": "place"}]}]}',
        "b.json": '{"format": "pwtool/1",\n "ruleset": "rows.rules+more", "turns": [{"actions": [{"action": "pass"}]}]}',
        "c.pwn": "ruleset: ./rows.rules\nplayers: Ana, Ben\n\n1. Ana: pl R1 a1\n",
        "d.pwn": "ruleset: chess\nplayers: Ana, Ben\n\n1. Ana: place R1 a1\n",
        ".old/e.json": '{"format": "pwtool/1", "ruleset": "rows.rules", "turns": [{"actions": [{"action": "place"}]}]}',
    }
    for name, text in played.items():
        (folder / name).write_text(text, "utf-8")
    workspace = Workspace([folder])
    workspace.open(path, GAME)

    def naming(at: str) -> list[str]:
        return [p.name for p in naming_records(workspace, path, GAME.index(at))]

    assert naming("place |") == ["a.json", "c.pwn"]
    assert naming('pass "Pass"') == ["b.json"]
    assert naming("higher =") == []


def test_hidden_folders_and_packages_are_left_alone(tmp_path: Path) -> None:
    for folder in ("one", ".hidden", "node_modules/x"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "game.rules").write_text(GAME, "utf-8")
    workspace = Workspace([tmp_path])
    path = tmp_path / "mine.rules"
    workspace.open(path, GAME)
    assert workspace.family(path) == [path, tmp_path / "one" / "game.rules"]


def test_names_of_all_shipped_files_are_understood() -> None:
    """Every name that is written in an expression is one that was found to mean something."""
    workspace = Workspace()
    for path in sorted(data_folder("rulesets").rglob("*.rules"))[::9]:
        found = {o.span.start: o for o in workspace.names(path)}
        assert found or path.stem == "fr"
        for checked in workspace.analysis(path).seen.in_file(workspace.analysis(path).file.name):
            kind = type(checked.expr).__name__
            if type(checked.node).__name__ == "Name" and kind in ("Variable", "Zone", "Family", "Attribute", "Let"):
                assert checked.node.span.start in found, (
                    f"{path.name}:{checked.node.span.line} {checked.node.span.text}"
                )


# ---- examples


def test_the_first_example_of_an_objective(workspace: Workspace, path: Path) -> None:
    start, end = mark(GAME, "example stairs"), mark(GAME, "example place.empty")
    text = GAME[:start] + GAME[end:]
    workspace.open(path, text)
    found = suggest_example(workspace, path, "stairs")
    assert isinstance(found, Suggested) and found.text.startswith("\nexample stairs { yes [")
    workspace.open(path, text[: found.at] + found.text + text[found.at :])
    ruleset = workspace.analysis(path).ruleset
    assert ruleset is not None and not run_all(ruleset).failed and run_all(ruleset).outcomes["stairs"] == 2
    assert isinstance(suggest_example(workspace, path, "full"), str)
    assert isinstance(suggest_example(workspace, path, "nothing"), str)


# ---- outline


def test_outline_and_folding(workspace: Workspace, path: Path) -> None:
    read = workspace.analysis(path).read
    entries = outline(read)
    names = [(e.kind, e.name) for e in entries]
    assert names[0] == ("game", "rows") and ("objective", "twins") in names and ("component", "card") in names
    place = next(e for e in entries if e.name == "place" and e.kind == "action")
    assert [p.name for p in place.parts] == ["empty", "small"]
    lines = [(f.span.line, f.comment) for f in folds(read)]
    assert (4, True) in lines and (6, False) in lines
    for fold in folds(read):
        assert "\n" in fold.span.text


def test_the_outline_names_what_cannot_be_read(workspace: Workspace, path: Path) -> None:
    workspace.open(path, GAME.replace("objective stairs", "objective stairs ="))
    entries = outline(workspace.analysis(path).read)
    assert ("objective", "stairs", "cannot be read") in [(e.kind, e.name, e.detail) for e in entries]


def test_an_empty_file_is_no_trouble(tmp_path: Path) -> None:
    workspace = Workspace([tmp_path])
    path = tmp_path / "new.rules"
    for text in ("", "\n", "game", "\ufeffgame x", "{", '"', "[ # ", "zone a", "\U0001f600"):
        workspace.open(path, text)
        quick_findings(workspace, path)
        outline(workspace.analysis(path).read)
        folds(workspace.analysis(path).read)
        completions(workspace, path, len(text))
        describe(workspace, path, 0)
        definition(workspace, path, 0)
    assert isinstance(workspace.analysis(path).file, SourceFile)


def test_a_broken_file_matters_only_if_the_name_stands_in_it(tmp_path: Path) -> None:
    workspace = Workspace([tmp_path])
    path = tmp_path / "house.rules"
    workspace.open(path, HOUSE)
    others = {
        "other.rules": 'game other "Other"\nplayers 2..2\nvar high_row 0..\n',
        "same.rules": 'edition same of paper_world "Same"\nvar x 0..\n',
        "unread.rules": "edtion unread of nim high_row\n",
    }
    for name, text in others.items():
        (tmp_path / name).write_text(text, "utf-8")
    at = mark(HOUSE, 'high_row "High')
    assert list(rename(workspace, path, at, "tall_row")) == [path]
    (tmp_path / "uses.rules").write_text('edition uses of paper_world "Uses"\nvar high_row 0..\n', "utf-8")
    with pytest.raises(Refused, match=r"`high_row` stands in files that cannot be read, first fix them: uses\.rules"):
        rename(workspace, path, at, "tall_row")


def test_files_without_the_word_are_not_read_for_references(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = Workspace([tmp_path])
    path = tmp_path / "house.rules"
    workspace.open(path, HOUSE)
    for number in range(60):
        (tmp_path / f"e{number}.rules").write_text(f'edition e{number} of paper_world "E"\n', "utf-8")
    analysed: list[str] = []
    analysis = workspace.analysis
    monkeypatch.setattr(workspace, "analysis", lambda one: (analysed.append(one.name), analysis(one))[1])
    assert len(references(workspace, path, mark(HOUSE, 'high_row "High'))) == 2
    assert not [name for name in analysed if name.startswith("e") and name[1:2].isdigit()]


# ---- mistakes in single declarations

TWO = HOUSE + 'objective twins "Twins" = some [ a b ] turned: same value\n'


def values(workspace: Workspace, path: Path) -> dict[str, str]:
    ruleset = workspace.ruleset(path)
    assert ruleset is not None
    own = ("high_row", "twins")
    return {name: (o.condition.span or o.span).text for name, o in ruleset.objectives.items() if name in own}


def test_a_mistake_costs_its_declaration_what_it_has_become(tmp_path: Path) -> None:
    workspace = Workspace([tmp_path])
    path = tmp_path / "house.rules"
    workspace.open(path, TWO)
    workspace.analysis(path)
    workspace.open(path, TWO.replace(": sum value >= 12", ": sum valu >= 12").replace("same value", "same color"))
    analysis = workspace.analysis(path)
    assert analysis.ruleset is None
    assert analysis.stale == {"high_row"}
    assert values(workspace, path) == {
        "high_row": "some row: sum value >= 12",
        "twins": "some [ a b ] turned: same color",
    }


def test_a_declaration_that_never_had_a_meaning_costs_itself_alone(tmp_path: Path) -> None:
    workspace = Workspace([tmp_path])
    path = tmp_path / "house.rules"
    workspace.open(path, TWO.replace("sum value >= 12", "sum valu >= 12"))
    assert list(values(workspace, path)) == ["twins"]
    ruleset = workspace.ruleset(path)
    assert ruleset is not None
    assert "seven" in str(ruleset.rule("turn.hand_limit").text).lower()


@one_day_in(4)
@pytest.mark.parametrize(
    ("before", "after", "stale"),
    [
        ('objective twins "Twins" = some', 'objective twins "Twins" = = some', {"twins"}),
        ('objective twins "Twins" = some', 'objective high_row "Twins" = some', set()),
        ("change rule turn.hand_limit", "change rule turn.hand_limits", set()),
        ("require count hand <= 7", "require count hands <= 7", {"turn.hand_limit"}),
    ],
)
def test_the_others_go_on_whatever_the_mistake(before: str, after: str, stale: set[str], tmp_path: Path) -> None:
    workspace = Workspace([tmp_path])
    path = tmp_path / "house.rules"
    workspace.open(path, TWO)
    workspace.analysis(path)
    assert before in TWO
    workspace.open(path, TWO.replace(before, after).replace("sum value >= 12", "sum value >= 13"))
    analysis = workspace.analysis(path)
    assert analysis.ruleset is None
    assert analysis.stale == stale
    assert values(workspace, path)["high_row"] == "some row: sum value >= 13"


def test_without_a_header_nothing_goes_on_but_what_was(tmp_path: Path) -> None:
    workspace = Workspace([tmp_path])
    path = tmp_path / "house.rules"
    workspace.open(path, TWO)
    workspace.analysis(path)
    workspace.open(path, TWO.replace("paper_world/en", "nowhere"))
    assert workspace.analysis(path).usable is None
    assert list(values(workspace, path)) == ["high_row", "twins"]
