"""`pwtool lint`: what it finds in a small game, what it leaves alone, and the fixes it writes."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from pwtool.checking.linting import lint_target
from pwtool.cli.app import run
from pwtool.rules import choices
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.rules.targets import Target, find_targets
from pwtool.text import Diagnostic, apply_fixes
from tests.daily import one_day_in, some

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = [ROOT / "rulesets", ROOT / "examples", ROOT / "tests" / "rulesets"]

MINI = """\
game mini "Mini"
players 2..2
component card { color: red "R" | blue "B"  value: 1..3  wild: flag "W" }
deck pack of card = { R1 R2 R3 B1 B2 B3 R1W B2W }
zone stock: pile of card
zone hand: bag of card per player
zone board: grid 3x3 of card
setup { deal stock "All cards form the stock": all of pack to stock }
turn = lay | rest
define free(at) = board[at] is empty
action lay "Lay" (card: card from hand "The card is in the hand", at: cell of board) {
  rule free "The cell is free" require free(at)
  move card to board[at]
}
action rest "Rest" () { rule stuck "Only who can do nothing rests" require not can lay }
ending full "The board is full" when count board == 9 then stop
score cards "Cards on the board" = count board
ranking most total, shared
"""


def lint(tmp_path: Path, more: str, base: str = MINI, name: str = "game.rules") -> list[Diagnostic]:
    path = tmp_path / name
    path.write_text(base + more, "utf-8")
    targets, problems = find_targets([str(path)], Library())
    assert not problems
    return lint_target(targets[0], Library())


def told(findings: list[Diagnostic]) -> list[str]:
    first = MINI.count("\n")
    return [f"{d.code} {d.span.line - first}:{d.span.column}" if d.span else d.code for d in findings]


def test_the_small_game_is_clean(tmp_path: Path) -> None:
    assert lint(tmp_path, "") == []


@pytest.mark.parametrize("folder", SHIPPED, ids=[f.name for f in SHIPPED])
def test_what_is_shipped_is_clean(folder: Path) -> None:
    targets, problems = find_targets([str(folder)], Library())
    assert targets and not problems
    findings = [f"{d.span}: {d.message}" for t in targets for d in lint_target(t, Library())]
    assert findings == []


FOUND = [
    ("definition", "define x = 3\n", "PW401 1:8"),
    ("definition that uses itself nowhere else", "define x = 3\ndefine y = x\n", "PW401 2:8"),
    ("shape", "shape s = [ # # ]\n", "PW401 1:7"),
    ("zone", "zone z: pile of card\n", "PW401 1:6"),
    ("deck", "deck d of card = { R1 }\n", "PW401 1:6"),
    ("token", "token t on board\n", "PW401 1:7"),
    ("source", 'source en "E"\n', "PW401 1:8"),
    ("variable only set", "var n: 0..9 = 0 per turn\nadd effect to lay n += 1\n", "PW401 1:5"),
    ("action", 'action skip "S" () { }\n', "PW401 1:8"),
    ("same objective", 'objective a "A" = some [ # # ]: same color\nobjective b "B" = some [ # # ]: same color\n', "PW404 2:11"),
    ("same but for names", 'objective a "A" = every v in 1..2: some card: value == v\n'
     'objective b "B" = every w in 1..2: some card: value == w\n', "PW404 2:11"),
    ("same by a shape", 'shape s = [ # # ]\nobjective a "A" = some s: same color\nobjective b "B" = some [ # # ]: same color\n', "PW404 3:11"),
    ("border", 'objective a "A" = some [ # # . ]: same color\n', "PW405 1:24"),
    ("never both", 'objective a "A" = some card: value == 1 and value == 2\n', "PW501 1:30"),
    ("one or the other", 'objective a "A" = no card: value != 1 or value != 2\n', "PW406 1:28"),
    ("with itself", 'objective a "A" = some card: value == value\n', "PW406 1:30"),
    ("equal branches", 'score s "S" = (if count hand > 1 then 2 else 2)\n', "PW406 1:16"),
    ("at least none", 'objective a "A" = at least 0 card: wild\n', "PW502 1:19"),
    ("two negations", 'objective a "A" = not (not (some card: wild))\n', "PW407 1:19"),
    ("negated test", 'rule turn.x "X" require not (hand is not empty)\n', "PW407 1:25"),
    ("part twice", 'objective a "A" = some card: wild and value == 1 and wild\n', "PW408 1:54"),
    ("example twice", "example lay.free { given hand = { R1 } yes lay(R1, (0, 0)) yes lay(R1, (0, 0)) }\n", "PW409 1:60"),
    ("no text", "objective a = some card: wild\n", "PW410 1:11"),
    ("empty text", 'score s "" = count hand\n', "PW410 1:7"),
    ("full stop", 'score s "A card." = count hand\n', "PW411 1:9"),
    ("blanks", 'score s " A  card" = count hand\n', "PW411 1:9"),
    ("never so large", 'objective a "A" = some [ # # ]: sum value == 7\n', "PW501 1:33"),
    ("never so many", 'objective a "A" = at least 10 card: wild\n', "PW501 1:19"),
    ("example of nothing", "example lay.fre { no lay(R1, (0, 0)) }\n", "PW402 1:9"),
    ("card of an example", "example lay.free { given hand = { R7 } no lay(R1, (0, 0)) }\n", "PW402 1:20"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "text", "where"), FOUND, ids=[f[0] for f in FOUND])
def test_it_finds(what: str, text: str, where: str, tmp_path: Path) -> None:
    assert told(lint(tmp_path, text)) == [where]


QUIET = [
    'objective a "A" = some card: value == 1 or value == 2\n',
    'objective a "A" = no card: value != 1 and value != 2\n',
    'objective a "A" = some [ # . # ]: same color\n',
    'objective a "A" = some [ # # _ ]: same color\n',
    'objective a "A" = some [ # # ]: same color\nobjective b "B" = some [ # # ] turned: same color\n',
    'objective a "A" = some [ # # ]: sum value == 6\n',
    'score s "Cards etc. and so on ..." = count hand\n',
    "example lay.free { given board = [ . . / . R1 ] given hand = { R1 } yes lay(R1, (0, 0)) }\n",
    'define x = 3\nscore s "S" = x\n',
    'ambiguity a "A" reads "r" alternative b "B" {\n'
    "  example lay.free { given board = [ . . / . R1 ] given hand = { R1 } yes lay(R1, (0, 1)) }\n"
    '  score s "S" = 1\n}\n',
]


@one_day_in(8)
@pytest.mark.parametrize("text", QUIET)
def test_it_leaves_alone(text: str, tmp_path: Path) -> None:
    assert told(lint(tmp_path, text)) == []


def test_what_an_overlay_uses_is_used(tmp_path: Path) -> None:
    more = "var n: 0..9 = 0 per turn\nadd effect to lay n += 1\n"
    assert [d.code for d in lint(tmp_path, more)] == ["PW401"]
    (tmp_path / "rulesets" / "mini").mkdir(parents=True)
    game = tmp_path / "rulesets" / "mini" / "game.rules"
    game.write_text(MINI + more, "utf-8")
    house = tmp_path / "rulesets" / "mini" / "house.rules"
    house.write_text('edition house of mini "House"\nrule turn.one "One card" require n <= 1\n', "utf-8")
    library = Library(tmp_path / "rulesets")
    targets, _ = find_targets([str(game), str(house)], library)
    assert [lint_target(t, library) for t in targets] == [[], []]


def test_a_named_value_that_nothing_uses(tmp_path: Path) -> None:
    text = MINI.replace("  rule free", "  let x = card.value\n  let y = x\n  rule free")
    assert [d.message for d in lint(tmp_path, "", text)] == ["nothing uses the value `y`"]


def test_a_state_that_nothing_turns_to(tmp_path: Path) -> None:
    text = MINI.replace('wild: flag "W" }', 'wild: flag "W"  state up: flag "U"  state side: front "" | back "K" }', 1)
    told = ["nothing turns a thing to `up`", "nothing turns a thing to `back`"]
    assert text != MINI and [d.message for d in lint(tmp_path, "", text) if d.code == "PW401"] == told
    text = text.replace("  move card to", "  turn board[at] to back when count board > 9\n  move card to", 1)
    assert [d.message for d in lint(tmp_path, "", text) if d.code == "PW401"] == told[:1]


def test_an_edition_answers_for_its_own_lines_only(tmp_path: Path) -> None:
    (tmp_path / "mini").mkdir()
    (tmp_path / "mini" / "game.rules").write_text(MINI + "define x = 3\n", "utf-8")
    (tmp_path / "mini" / "house.rules").write_text('edition house of mini "House"\ndefine y = 3\n', "utf-8")
    library = Library(tmp_path)
    found = {
        t.name: [d.message for d in lint_target(t, library)] for t in find_targets(["mini", "mini/house"], library)[0]
    }
    assert found == {
        "mini": ["nothing uses the definition `x`"],
        "mini/house": ["nothing uses the definition `y`"],
    }


CHOSEN_LATER = """\
edition house of mini "House"
ambiguity turns "Who lays first" reads "the younger"
  alternative free "anywhere" {
    change rule lay.free "Any cell" require {reading}
    example lay.free {
      given hand = { R1 }
      given board = [ B1 ]
      yes lay(R1, (0, 0))
      {example}
    }
  }
erratum cards "A misprint" printed { change score cards "Cards" = {printed} }
variant quick { change ending full "Four cards" when {variant} == 4 then stop }
"""


@pytest.mark.parametrize("wrong", ["reading", "printed", "variant", "example"])
def test_mistakes_in_what_is_not_chosen_yet(wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A reading, a printed misprint or a variant is chosen by whoever checks games: its author is told before."""
    sound = {"reading": "board[at] is empty or card.value == 1", "printed": "2 * count board", "variant": "count board"}
    broken = {"reading": "bord[at] is empty", "printed": "2 * count bord", "variant": "count bord"}
    example = {"example": "no lay(R1, (0, 0))"}
    text = CHOSEN_LATER
    for name, part in {
        **sound,
        "example": "yes lay(R1, (1, 0))",
        **{n: p for n, p in (broken | example).items() if n == wrong},
    }.items():
        text = text.replace("{" + name + "}", part)
    folder = tmp_path / "mini"
    folder.mkdir()
    (folder / "game.rules").write_text(MINI, "utf-8")
    (folder / "quick.rules").write_text('variant quick of mini "Quick"\n', "utf-8")
    path = folder / "house.rules"
    path.write_text(text, "utf-8")
    option = {"printed": "--reading cards=printed", "variant": "+quick"}.get(wrong, "--reading turns=free")
    linted = run(["lint", str(path)])
    told = capsys.readouterr().out
    tested = run(["test", str(path), "--format", "json"])
    found = json.loads(capsys.readouterr().out)["rulesets"][0]
    assert tested == (1 if wrong == "example" else 2)
    assert [d["notes"] for d in found["findings"] if d["code"] in ("PW201", "PW402")] == [[f"only with `{option}`"]]
    assert found["failed"] == (1 if wrong == "example" else 0)
    if wrong == "example":
        assert linted == 0
    else:
        assert linted == 1
        assert f"only with `{option}`" in told


@one_day_in(4)
def test_what_is_odd_about_what_is_not_chosen_yet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An alternative is looked at like the rules that hold; what a misprint says is what it is."""
    path = tmp_path / "house.rules"
    path.write_text(
        'edition house of paper_world/en "House"\n'
        'ambiguity cards "Which" reads "as it stands"\n'
        '  alternative sevens "sevens" { change objective l_of_2s "Sevens" = some L: all value == 7 }\n'
        '  alternative again "as another" { change objective l_of_2s "Again" = some L: same color }\n'
        'erratum fives "Nine" printed { change objective two_5s "Nine" = at least 9 card: value == 9 }\n'
        'variant advanced { change objective two_5s "Seven" = at least 2 card: value == 7\n'
        '  ambiguity many "How many" reads "two"\n'
        '    alternative one "one" { change objective three_4s "One" = at least 1 card: value == 4\n'
        "      example three_4s { no [ Y4 ] } } }\n",
        "utf-8",
    )
    assert run(["lint", str(path), "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)["files"][0]["findings"]
    assert {(d["code"], d["span"]["line"], *d["notes"]) for d in found} == {
        ("PW501", 3, "only with `--reading cards=sevens`"), ("PW404", 4, "only with `--reading cards=again`"), ("PW501", 6, "only with `+advanced`"),
    }  # fmt: skip
    assert run(["test", str(path), "--format", "json"]) == 1
    findings = json.loads(capsys.readouterr().out)["rulesets"][0]["findings"]
    assert [d["notes"] for d in findings if d["code"] == "PW402"] == [["only with `+advanced --reading many=one`"]]


def test_a_variant_that_cannot_be_read_is_told_by_the_edition_that_speaks_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "mini"
    folder.mkdir()
    (folder / "game.rules").write_text(MINI, "utf-8")
    (folder / "quick.rules").write_text('variant quick of mini "Quick"\nremove rul lay.free\n', "utf-8")
    path = folder / "house.rules"
    path.write_text('edition house of mini "House"\nvariant quick { remove ending full }\n', "utf-8")
    assert run(["lint", str(path)]) == 1
    said = capsys.readouterr().out
    assert "quick.rules:2:" in said and "only with `+quick`" in said


def test_what_several_rulesets_share_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "mini"
    folder.mkdir()
    (folder / "game.rules").write_text(MINI + 'ending odd "Odd" when valu == 1 then stop\n', "utf-8")
    for name in ("house", "home"):
        (folder / f"{name}.rules").write_text(f'edition {name} of mini "H"\n', "utf-8")
    assert run(["lint", str(folder / "home.rules"), str(folder / "house.rules")]) == 1
    said = capsys.readouterr().out
    assert said.count("there is no name `valu`") == 1
    assert "home.rules: 1 finding\n" in said and "house.rules: what was found is told above\n" in said


@one_day_in(4)
def test_an_edition_and_a_variant_that_cannot_be_played_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are written apart, and each is right alone: both are told, until the edition says that it has no such variant."""
    folder = tmp_path / "mini"
    folder.mkdir()
    (folder / "game.rules").write_text(MINI, "utf-8")
    (folder / "house.rules").write_text('edition house of mini "House"\nremove rule lay.free because "b"\n', "utf-8")
    (folder / "quick.rules").write_text(
        'variant quick of mini "Quick"\nchange rule lay.free "Other" require board[at] is empty and at.row == 0\n',
        "utf-8",
    )
    for name in ("house", "quick"):
        assert run(["lint", str(folder / f"{name}.rules")]) == 0
        said = capsys.readouterr().out
        assert "note[PW204]: there is no rule `lay.free` to change" in said and "house.rules+quick`" in said
        assert f"{name}.rules: clean, with notes" in said
    library = Library(tmp_path)
    found = {
        t.name: [d.notes[0] for d in lint_target(t, library)]
        for t in find_targets(["mini", "mini/house", "mini+quick"], library)[0]
    }
    assert found == {
        "mini": [],
        "mini/house": ["only with `mini/house+quick`"],
        "mini+quick": ["only with `mini/house+quick`"],
    }
    with (folder / "house.rules").open("a") as file:
        file.write('without quick because "nobody does"\n')
    for name in ("house", "quick"):
        assert run(["lint", str(folder / f"{name}.rules")]) == 0
        assert capsys.readouterr().out.endswith(f"{name}.rules: clean\n")


@one_day_in(4)
def test_of_more_pairs_than_are_looked_at_a_warning_tells(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices, "MAX_CHOICES", 2)
    folder = tmp_path / "mini"
    folder.mkdir()
    (folder / "game.rules").write_text(MINI, "utf-8")
    house = folder / "house.rules"
    house.write_text('edition house of mini "House"\n', "utf-8")
    for name, told in (("quick", 0), ("short", 0), ("slow", 1)):
        (folder / f"{name}.rules").write_text(f'variant {name} of mini "{name}"\n', "utf-8")
        assert run(["lint", str(house)]) == told
        assert ("only 2 of 3" in capsys.readouterr().out) == bool(told)


def test_a_part_is_looked_at_with_what_includes_it(tmp_path: Path) -> None:
    (tmp_path / "game.rules").write_text(MINI.replace("players", "include more\nplayers", 1), "utf-8")
    part = tmp_path / "more.rules"
    part.write_text('part more of mini\nobjective a "A" = some card: valu == 1\n', "utf-8")
    targets, _ = find_targets([str(part)], Library())
    assert [d.message for d in lint_target(targets[0], Library())] == ["there is no name `valu`"]
    assert len(find_targets([str(tmp_path)], Library())[0]) == 1


# ---- fixes


def fixed(tmp_path: Path, more: str, *options: str) -> str:
    path = tmp_path / "game.rules"
    path.write_bytes((MINI + more).encode())
    run(["lint", str(path), "--fix", *options])
    return path.read_bytes().decode()


FIXES = [
    ('objective a "A" = some card: vale == 1\n', 'objective a "A" = some card: value == 1\n'),
    ('objective a "A" = some card: color == Red\n', 'objective a "A" = some card: color == red\n'),
    ('objective a "A." = some card: value == 1 && wild\n', 'objective a "A" = some card: value == 1 and wild\n'),
    ('objective a "A" = some card: value = 1\n', 'objective a "A" = some card: value == 1\n'),
    ('objective a “A” = some card: value is 1\n', 'objective a "A" = some card: value == 1\n'),
    ('objective a "A" = some card: value is not 1\n', 'objective a "A" = some card: value != 1\n'),
    ('Objective a "A" = at least two card: wild\n', 'objective a "A" = at least 2 card: wild\n'),
    ('objective a "A" = At Least 2 card: wild\n', 'objective a "A" = at least 2 card: wild\n'),
    ('objective a "A" = some turned [ # # ]: same color\n', 'objective a "A" = some [ # # ] turned: same color\n'),
    ('objective a "A" = some [ # # ]: color same\n', 'objective a "A" = some [ # # ]: same color\n'),
    ('objective a "A" = some card value == 1\n', 'objective a "A" = some card: value == 1\n'),
    ('objective a "A" = some card: value ≥ 2\n', 'objective a "A" = some card: value >= 2\n'),
    ("// mine\n", "# mine\n"),
    ('rule turn.x "X" require not (hand is not empty)\n', 'rule turn.x "X" require hand is empty\n'),
    ('objective a "A" = some card: wild and value == 1 and wild\n', 'objective a "A" = some card: wild and value == 1\n'),
    ('objective a "A" = exactly 0 card: wild\n', 'objective a "A" = no card: wild\n'),
    ("deck d of card = { R1, R2,R3 }\nsetup deal d \"D\": all of d to stock\n",
     "deck d of card = { R1 R2 R3 }\nsetup deal d \"D\": all of d to stock\n"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "mended"), some(FIXES, 3), ids=[f[0][:40] for f in FIXES])
def test_a_fix_writes(text: str, mended: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fixed(tmp_path, text) == MINI + mended
    assert "fixed" in capsys.readouterr().out


NOT_FIXED = [
    'objective a "A" = some card: color == purple\n',  # nothing is like it
    "deck d of card = { R1 R7 }\n",  # another card is not a slip of the pen
    'objective a "A" = some [ # # . ]: same color\n',  # means something else without the border
    "define x = 3\n",  # may be wanted later
]


@pytest.mark.parametrize("text", NOT_FIXED)
def test_what_is_open_to_doubt_is_left(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fixed(tmp_path, text) == MINI + text
    assert capsys.readouterr().out.startswith("nothing to fix")


def test_quiet_says_nothing_of_fixes_beside_a_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "my_game.rules"
    assert run(["new", "game", "my_game", "-q", "-o", str(path)]) == 0
    assert run(["lint", str(path), "--fix", "--format", "github"]) == 0
    assert capsys.readouterr().err == "nothing to fix\n"
    assert run(["lint", str(path), "--fix", "--format", "github", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_unsafe_fixes_are_made_when_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fixed(tmp_path, 'define x = 3\nobjective a "A" = some [ # # . ]: same color\n', "--unsafe") == (
        MINI + 'objective a "A" = some [ # # ]: same color\n'
    )
    assert "line 19: remove `x`" in capsys.readouterr().out


def test_several_fixes_in_several_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game, part = tmp_path / "game.rules", tmp_path / "more.rules"
    game.write_text(MINI.replace("players", "include more\nplayers", 1).replace('"Lay"', '"Lay."'), "utf-8")
    part.write_text(
        'part more of mini\nobjective a "A" = some card: Value == 1\nobjective b "B." = no card: wild\n', "utf-8"
    )
    assert run(["lint", str(tmp_path), "--fix"]) == 0
    said = capsys.readouterr().out
    assert f'{game}: 1 fixed\n  line 12: write `"Lay"`' in said
    assert f"{part}: 2 fixed\n" in said
    assert (
        part.read_text("utf-8")
        == 'part more of mini\nobjective a "A" = some card: value == 1\nobjective b "B" = no card: wild\n'
    )


def test_a_fixed_file_keeps_its_line_ends_mark_and_rights(tmp_path: Path) -> None:
    path = tmp_path / "game.rules"
    text = "\ufeff" + (MINI + 'objective a "A." = no card: wild\n').replace("\n", "\r\n")
    path.write_bytes(text.encode())
    path.chmod(0o640)
    assert run(["lint", str(path), "--fix"]) == 0
    assert path.read_bytes() == text.replace('"A."', '"A"').encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["game.rules"]


def test_a_fix_of_words_leaves_the_version(tmp_path: Path) -> None:
    path = tmp_path / "game.rules"
    path.write_text(MINI + 'objective a "A." = no card: wild\n', "utf-8")
    before = load_ruleset(str(path), Library()).value
    run(["lint", str(path), "--fix"])
    after = load_ruleset(str(path), Library()).value
    assert before and after and before.version == after.version


@one_day_in(8)
def test_the_library_itself_is_never_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    house = tmp_path / "house.rules"
    house.write_text('edition house of paper_world "House"\nobjective two_5s "Two" = count card == 2\n', "utf-8")
    before = {p: p.read_bytes() for p in (ROOT / "rulesets").rglob("*.rules")}
    run(["lint", str(house), "--fix", "--unsafe"])
    assert before == {p: p.read_bytes() for p in (ROOT / "rulesets").rglob("*.rules")}


# ---- exit codes and forms


def test_exit_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.rules"
    path.write_text(MINI, "utf-8")
    assert run(["lint", str(path)]) == 0
    path.write_text(MINI + "define x = 3\n", "utf-8")
    assert run(["lint", str(path)]) == 1
    path.write_text("game", "utf-8")
    assert run(["lint", str(path)]) == 1
    assert run(["lint", str(tmp_path / "nothing.rules")]) == 2
    assert run(["lint", "no_such_game"]) == 2
    path.write_bytes('game a "André"'.encode("latin-1"))
    assert run(["lint", str(path)]) == 2
    (tmp_path / "empty").mkdir()
    assert run(["lint", str(tmp_path / "empty")]) == 2
    assert run(["lint", str(path), "--format", "nothing"]) == 2
    capsys.readouterr()


def test_data_formats_carry_the_fix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.rules"
    path.write_text(MINI + 'score s "A card." = count hand\n', "utf-8")
    assert run(["lint", str(path), "--format", "json"]) == 1
    finding = json.loads(capsys.readouterr().out)["files"][0]["findings"][0]
    assert (finding["fix"]["text"], finding["fix"]["safe"], finding["fix"]["span"]["line"]) == ('"A card"', True, 19)
    run(["lint", str(path), "--format", "sarif"])
    fixes = json.loads(capsys.readouterr().out)["runs"][0]["results"][0]["fixes"]
    assert fixes[0]["artifactChanges"][0]["replacements"][0]["insertedContent"] == {"text": '"A card"'}
    run(["lint", str(path), "--fix", "--format", "json"])
    captured = capsys.readouterr()
    assert json.loads(captured.out)["exit_code"] == 0 and "1 fixed" in captured.err


@one_day_in(8)
def test_a_printed_objective_that_nobody_can_fulfil(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint", "paper_world/fr"]) == 0
    capsys.readouterr()
    for option in (["--as-printed"], ["--reading", "five_1s_printed=printed"]):
        assert run(["lint", "paper_world/fr", "--format", "concise", *option]) == 1
        said = capsys.readouterr().out
        assert "PW501" in said and "no board fulfils the objective `five_1s`: no value is 7" in said
    assert run(["lint", "paper_world/fr", "--reading", "no_such_point=x"]) == 1
    assert "PW201" in capsys.readouterr().out


def test_faults_that_only_a_proof_finds(tmp_path: Path) -> None:
    path = tmp_path / "own.rules"
    path.write_text(
        'edition own of paper_world/en "x"\n'
        'objective six "Six values" = some [ # # # / # # # ] turned: distinct value\n'
        'objective fives "Two plain 5s" = at least 2 card: value == 5 and not scissors\n'
        'objective deck "Six yellow scissors" = at least 6 card: scissors and color == yellow\n'
        'objective fine "A yellow 5" = some card: value == 5 and color == yellow\n',
        "utf-8",
    )
    found = lint_target(Target(str(path), str(path), path), Library())
    assert [(d.code, d.span.line) for d in found if d.span] == [("PW501", 2), ("PW503", 3), ("PW504", 4)]


def test_a_repeated_objective_is_told_once_with_the_first(tmp_path: Path) -> None:
    path = tmp_path / "own.rules"
    path.write_text(
        'edition own of paper_world/en "x"\n'
        'objective a "Three 2s" = at least 3 card: value == 2\n'
        'objective b "Not at most two" = not (at most 2 card: value == 2)\n'
        'objective c "More than two" = not (no card: value == 2) and not (at least 1 card: value == 2 and exactly 1 card: value == 2)'
        " and not (exactly 2 card: value == 2)\n",
        "utf-8",
    )
    found = [d for d in lint_target(Target(str(path), str(path), path), Library()) if d.code == "PW503"]
    assert [d.message for d in found] == [
        "`b` is fulfilled by the same boards as `a`", "`c` is fulfilled by the same boards as `a`",
    ]  # fmt: skip


@one_day_in(4)
@pytest.mark.parametrize(
    ("declaration", "title", "fixed"),
    [
        ('objective cross_colors "Mine" = some L: all value == 3\n', "write `change` before it", "change objective cross_colors"),
        ('rule place.inside_3x3 "Mine" require landscape with at fits 2x3\n', "write `change` before it", "change rule place"),
        (
            'objective a "A" = count card == 8\nobjective a_2 "B" = count card == 7\nobjective a "C" = count card == 6\n',
            "call it `a_3`", 'objective a_3 "C"',
        ),
    ],
)  # fmt: skip
def test_what_is_declared_twice_can_be_mended(declaration: str, title: str, fixed: str, tmp_path: Path) -> None:
    path = tmp_path / "house.rules"
    path.write_text(f'edition house of paper_world/en "House"\n{declaration}', "utf-8")
    target = Target(str(path), str(path), path)
    [twice] = lint_target(target, Library())
    assert twice.code == "PW202"
    assert twice.labels[0].text == "first declared here"
    assert twice.fix is not None
    assert (twice.fix.title, twice.fix.safe) == (title, False)
    path.write_text(apply_fixes(twice.fix.span.file, [twice.fix]), "utf-8")
    assert fixed in path.read_text("utf-8")
    assert not [d for d in lint_target(target, Library()) if d.level == "error"]
