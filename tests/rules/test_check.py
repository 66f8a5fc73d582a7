"""Mistakes in rules files: each is told by its code, at its place, with a help line that leads on."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from pwtool.play.game import Game
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.studio.changing import written_change
from pwtool.text import MAX_MISTAKES, Diagnostic, Severity
from pwtool.why.examples import check_examples

ROOT = Path(__file__).resolve().parents[2]

MINI = """\
game mini "Mini"
players 2..2
component card { color: red "R" | blue "B"  value: 1..3 }
deck pack of card = { R1 R2 R3 B1 B2 B3 }
zone stock: pile of card
zone hand: bag of card per player
zone board: grid 3x3 of card
setup { deal stock "All cards form the stock": all of pack to stock }
turn = draw | lay | rest
var drawn: 0..9 = 0 per turn
define free(at) = board[at] is empty
action draw "Draw" () {
  rule left "A card is left" require stock is not empty
  move top of stock to hand
  drawn += 1
}
action lay "Lay" (card: card from hand "The card is in the hand", at: cell of board) {
  rule free "The cell is free" require free(at)
  move card to board[at]
}
action rest "Rest" () { rule stuck "Only who can do nothing rests" require not can draw and not can lay }
ending full "The board is full" when count board == 9 then stop
score cards "Cards on the board" = count board
ranking most total, shared
"""


@dataclass(frozen=True)
class Mistake:
    """A rules file, what is told of it (`CODE line:column`), and what the first help line has to say."""

    name: str
    text: str
    told: tuple[str, ...]
    help: str | None = None


def game(name: str, old: str, new: str, told: str, help_line: str | None = None) -> Mistake:
    """One place of the small game written wrongly."""
    assert MINI.count(old) >= 1, old
    return Mistake(name, MINI.replace(old, new, 1), tuple(told.split(", ")), help_line)


def mini(name: str, text: str, told: str, help_line: str | None = None) -> Mistake:
    """An edition of the small game."""
    return Mistake(name, f'edition house of mini "House"\n{text}\n', tuple(told.split(", ")), help_line)


def paper(name: str, text: str, told: str, help_line: str | None = None, base: str = "paper_world") -> Mistake:
    """An edition of a shipped ruleset."""
    return Mistake(name, f'edition house of {base} "House"\n{text}\n', tuple(told.split(", ")), help_line)


MISTAKES = [
    # ---- the text
    game("colon left out", "zone stock: pile", "zone stock pile", "PW101 5:12", "`:`"),
    game("zone of an unknown kind", "hand: bag", "hand: bg", "PW101 6:12", "`bag`"),
    game("keyword misspelt", "ending full", "endng full", "PW101 22:1", "did you mean `ending`?"),
    game("bracket never closed", "require free(at)", "require (free(at)", "PW101 19:3", "`)`"),
    game("one bracket too many", "drawn += 1\n}", "drawn += 1\n}}", "PW101 16:2"),
    game("text never closed", '"The cell is free"', '"The cell is free', "PW101 18:13", '`"`'),
    game("other quotation marks", '"The cell is free"', "\u201cThe cell is free\u201d", "PW101 18:13", '`"`'),
    game("two comparisons", "count board == 9", "0 < count board < 9", "PW101 22:54", "`and`"),
    game("then misspelt", "then stop", "the stop", "PW101 22:55", "`then`"),
    game("capital keyword", "require free(at)", "Require free(at)", "PW101 18:32", "`require`"),
    Mistake("nothing", "", ("PW101 1:1",), "`game`"),
    # ---- pictures
    mini("ragged picture", "shape s = [ # # / # ]", "PW102 2:19", "same number of signs"),
    mini("row without signs", "shape s = [ # # / / # # ]", "PW102 2:11"),
    mini("picture that asks for nothing", "shape s = [ . . ]", "PW102 2:11", "`#`"),
    mini("sign of no meaning", "shape s = [ # 2a ]", "PW102 2:15", "`.` for any cell"),
    mini("pile in a pattern", 'objective o "O" = some [ R1+R2 # ]: same color', "PW102 2:26"),
    mini("picture larger than the grid", 'objective o "O" = some [ # # # # ]: same color', "PW305 2:24"),
    mini("number that no card has, drawn", 'objective o "O" = some [ 9 # ]', "PW306 2:26"),
    # ---- names
    game("zone misspelt", "stock to hand", "stock to hnd", "PW201 14:24", "did you mean `hand`?"),
    game("zone misspelt in an expression", "count board ==", "count bord ==", "PW201 22:44", "did you mean `board`?"),
    game("action misspelt in the turn", "draw | lay | rest", "draw | lya | rest", "PW201 9:15, PW401 17:8", "`lay`"),
    game("action misspelt after can", "not can lay", "not can ly", "PW201 21:101", "did you mean `lay`?"),
    game("definition misspelt", "require free(at)", "require fre(at)", "PW201 18:40", "did you mean `free`?"),
    game("variable misspelt", "drawn += 1", "drwn += 1", "PW201 15:3", "did you mean `drawn`?"),
    game("deck misspelt", "all of pack", "all of pck", "PW201 8:55", "did you mean `pack`?"),
    game("component misspelt", "card: card from", "card: crd from", "PW201 17:25", "did you mean `card`?"),
    mini("shape misspelt", 'shape ell = [ # # ]\nobjective o "O" = some el: same color', "PW201 3:24", "`ell`"),
    mini("source misspelt", 'source en "E"\nsection s: enn "x"', "PW201 3:12", "did you mean `en`?"),
    mini("division misspelt", "zone z: pile of card per plaeyr", "PW201 2:26", "did you mean `player`?"),
    mini("sight misspelt", "zone z: pile of card seen by ower", "PW201 2:30", "did you mean `owner`?"),
    mini("type of a variable", "var n: flg per turn", "PW201 2:8", "did you mean `flag`?"),
    mini("rule of no action", 'rule dr.x "X" require stock is empty', "PW201 2:6", "`ACTION.name`"),
    mini("effect on no variable", "add effect to draw drwn += 1", "PW201 2:20", "did you mean `drawn`?"),
    paper("section misspelt", 'rule take.x "X" see takin require count cards > 0', "PW201 2:21", "`taking`"),
    game("zone declared twice", "zone board", "zone hand: pile of card\nzone board", "PW202 7:1"),
    game("attribute declared twice", "value: 1..3 }", "value: 1..3  color: x | y }", "PW202 3:58, PW304"),
    game("parameter declared twice", "(card: card from hand", "(at: card from hand", "PW202 17:65, PW201"),
    game("codes alike", 'blue "B"', 'blue "R"', "PW202 3:11, PW304", "codes that differ"),
    paper(
        "declared again", 'objective two_5s "Two" = count card == 2', "PW202 2:1", "write `change objective two_5s ...`"
    ),
    mini("definitions in a circle", 'define f(c) = g(c)\ndefine g(c) = f(c)\nscore s "S" = f(1)', "PW208 3:15"),
    # ---- addresses
    paper("no such game", "", "PW203 1:1", "did you mean `paper_world`?", base="paper_wrld"),
    paper("no such edition", "", "PW203 1:1", "`gamepark`", base="paper_world/gamepar"),
    paper("variant as an edition", "", "PW203 1:1", "`paper_world/EDITION+advanced`", base="paper_world/advanced"),
    paper("edition as a variant", "", "PW203 1:1", "`paper_world/fr`", base="paper_world+fr"),
    paper("no such variant", "", "PW203 1:1", "did you mean `advanced`?", base="paper_world/fr+advnced"),
    paper("part as a ruleset", "", "PW203 1:1", base="paper_world/objectives"),
    paper("edition on itself", "", "PW206 1:1", base="paper_world/house"),
    paper("no such part", "include objctives", "PW203 2:9"),
    paper("edition as a part", "include fr", "PW203 2:9"),
    # ---- overlays
    paper("change of nothing", 'change objective two_5 "X" = count card == 3', "PW204 2:18", "did you mean `two_5s`?"),
    paper("removal of nothing", "remove rule place.skip_too", "PW204 2:13", "did you mean `place.skip_one`?"),
    paper("effect for no action", "add effect to plac skips += 1", "PW204 2:15", "did you mean `place`?"),
    paper("change into itself", "change ranking most total, fewest count discard, shared", "PW205 2:8", "leave"),
    paper(
        "change and removal",
        'change rule turn.hand_limit "A" require count hand <= 7\nremove rule turn.hand_limit',
        "PW202 3:13",
        "leave out one",
    ),
    paper(
        "two changes",
        'change rule turn.hand_limit "A" require count hand <= 7\nchange rule turn.hand_limit "B" require count hand <= 8',
        "PW202 3:8",
    ),
    paper("reading of nothing", 'ambiguity a "A" reads "R" alternative x "X" { remove rule place.nope }', "PW204 2:59"),
    paper("reading that changes nothing", 'erratum e "E" printed { } because "y"', "PW205 2:1"),
    # ---- types
    mini("color compared with a number", 'objective o "O" = some card: color == 3', "PW301 2:30"),
    game("number where a condition is needed", "when count board == 9", "when count board", "PW301 22:38"),
    game("condition where a number is needed", "= count board", "= count board == 3", "PW301 23:36"),
    game("score of a player", "= count board", "= player", "PW301 23:36"),
    game("else that is never used", "= count board", "= (count hand else 0)", "PW301 23:37"),
    game("absent value counted with", "= count board", "= 1 + (top of stock).value", "PW301 23:40", "else 0"),
    game("two kinds in one choice", "= count board", "= if count hand == 3 then 1 else player", "PW301 23:36"),
    game("sum of cards", "= count board", "= sum hand", "PW301 23:36", "`sum ATTRIBUTE of ...`"),
    game("sum of colors", "= count board", "= sum color of hand", "PW301 23:40"),
    game("count of a number", "= count board", "= count 3", "PW301 23:36"),
    game("same of what", "require free(at)", "require same color", "PW301 18:40", "`of`"),
    game("colors ascend", "require free(at)", "require ascending color of hand", "PW301 18:50"),
    game("shape outside of an objective", "require free(at)", "require some [ # # ]: same color", "PW301 18:40"),
    game("cell in a hand", "require free(at)", "require at is in hand", "PW301 18:40"),
    game("hand that fits", "require free(at)", "require hand fits 3x3", "PW301 18:40"),
    game("too many values", "require free(at)", "require free(at, at)", "PW301 18:40"),
    game("move to a grid", "card to board[at]", "card to board", "PW301 19:16"),
    game("move of a number", "move top of stock to", "move 3 to", "PW301 14:8"),
    game("card into a number", "drawn += 1", "drawn = hand", "PW301 15:11"),
    game("cards from a grid", "from hand", "from board", "PW301 17:35"),
    game("empty turn", "turn = draw | lay | rest", "turn = (draw | lay)* rest?", "PW301 9:1", "`pass`"),
    game("number acts", "draw | lay", "draw by (3) | lay", "PW301 9:17"),
    game("deal to a grid", "pack to stock", "pack to board", "PW301 8:9", "at 0, 0"),
    mini("token on a pile", "token t on stock", "PW301 2:12"),
    mini("values for too many cells", 'objective o "O" = some [ # # ]: value reads 1 2 3', "PW301 2:33"),
    # ---- indices, attributes, faces, bounds, order
    mini("index of an undivided zone", 'score s "S" = count stock[1]', "PW302 2:27"),
    paper("index beyond the places", 'score s "S" = count supply[6]', "PW302 2:28"),
    paper("player in place of an objective", 'score s "S" = count prizes[player]', "PW302 2:28"),
    mini("player where none is meant", 'invariant i "I" require count hand <= 3', "PW302 2:31", "`for each player`"),
    mini("attribute misspelt", 'objective o "O" = some [ # # ]: same colour', "PW303 2:38", "did you mean `color`?"),
    game("attribute of a number", "require free(at)", "require drawn.value == 1", "PW303 18:46"),
    mini("card that does not exist", "deck d of card = { R1 R4 }", "PW304 2:23", "`R3`"),
    mini("value that no card has", 'objective o "O" = some card: value == 7', "PW306 2:30"),
    mini("first value out of bounds", "var n: 0..3 = 7 per turn", "PW306 2:15"),
    mini("more objectives than there are", 'setup choose goals "G": 3 of objective', "PW306 2:7"),
    game("players the wrong way round", "players 2..2", "players 4..2", "PW306 2:1"),
    mini("no cells", "zone z: grid 0x3 of card", "PW306 2:9"),
    game("alternative twice", "draw | lay | rest", "draw | lay | draw | rest", "PW307 9:21"),
    mini("number without a first value", "var n: 0..3 per turn", "PW209 2:5", "write `= 0`"),
    game("no order of play", "turn = draw | lay | rest\n", "", "PW209 1:1, PW401", "`turn = ...`"),
    game("no end", 'ending full "The board is full" when count board == 9 then stop\n', "", "PW209 1:1", "`ending`"),
    game("action without a place", "draw | lay | rest", "draw | lay", "PW401 21:8"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("library") / "rulesets"
    shutil.copytree(ROOT / "rulesets", copy)
    return copy


def load(folder: Path, text: str) -> tuple[Diagnostic, ...]:
    (folder / "mini").mkdir(exist_ok=True)
    (folder / "mini" / "game.rules").write_text(MINI, "utf-8")
    base = "paper_world" if " of paper_w" in text else "mini"
    is_overlay = text.startswith("edition")
    path = folder / base / ("house.rules" if is_overlay else "game.rules")
    path.write_text(text, "utf-8")
    return load_ruleset(f"{base}/house" if " of paper_world" in text else str(path), Library(folder)).diagnostics


def places(findings: tuple[Diagnostic, ...]) -> list[str]:
    return [f"{d.code} {d.span.line}:{d.span.column}" if d.span else d.code for d in findings]


def test_the_small_game_is_right(folder: Path) -> None:
    assert load(folder, MINI) == ()


def test_there_are_many_mistakes_of_many_kinds() -> None:
    assert len({m.name for m in MISTAKES}) == len(MISTAKES) >= 40
    assert len({t.split()[0] for m in MISTAKES for t in m.told}) >= 18


@pytest.mark.parametrize("mistake", MISTAKES, ids=[m.name for m in MISTAKES])
def test_a_mistake_is_told_where_it_is(mistake: Mistake, folder: Path) -> None:
    findings = load(folder, mistake.text)
    first, *later = mistake.told
    assert places(findings)[:1] == [first]
    # What follows from the mistake may be told too, but nothing of another kind.
    assert {d.code for d in findings[1:]} <= {first.split()[0], *(t.split()[0] for t in later)}
    if mistake.help:
        assert findings[0].help is not None
        assert mistake.help in findings[0].help
    assert not findings[0].message.endswith("."), "messages have no full stop"


def test_a_bracket_opened_lines_above_is_pointed_at(folder: Path) -> None:
    text = MINI.replace("  move card to board[at]\n}\n", "  move card to board[at]\n")
    finding = load(folder, text)[0]
    assert (finding.code, finding.span and finding.span.line) == ("PW101", 20)
    assert finding.help == "close `{` from line 17"
    assert [(label.span.line, label.span.text) for label in finding.labels] == [(17, "{")]


def test_a_second_declaration_points_at_the_first(folder: Path) -> None:
    finding = load(folder, 'edition house of paper_world "House"\nzone hand: pile of card\n')[0]
    assert [label.text for label in finding.labels] == ["first declared here"]
    assert finding.labels[0].span.text.startswith("zone hand")


def test_a_variant_that_the_edition_does_not_have(folder: Path) -> None:
    finding = load_ruleset("paper_world/bga+advanced", Library(folder)).diagnostics[0]
    assert finding.code == "PW207"
    assert [label.span.text.split()[:2] for label in finding.labels] == [["without", "advanced"]]
    assert "source: " in finding.notes[0]


def test_what_an_edition_changes_in_a_variant(folder: Path) -> None:
    """It holds where the variant is played with it, and nowhere else."""
    library = Library(folder)
    points = {
        address: ("ambiguity", "discount") in found.merged.items
        for address in ("paper_world/de+advanced", "paper_world/en+advanced")
        if (found := load_ruleset(address, library).value) is not None
    }
    assert points == {"paper_world/de+advanced": False, "paper_world/en+advanced": True}
    finding = load_ruleset("paper_world/de+advanced", library, ("discount=each_skip",)).diagnostics[0]
    assert finding.code == "PW201"
    plain = folder / "plain.rules"
    plain.write_text(
        'edition plain of paper_world "Plain"\nvariant advanced { remove rule place.nowhere because "x" }\n', "utf-8"
    )
    assert load_ruleset(str(plain), library).diagnostics == ()
    wrong = load_ruleset(f"{plain}+advanced", library).diagnostics[0]
    assert wrong.code == "PW204" and wrong.span is not None and wrong.span.text == "place.nowhere"
    plain.write_text('edition plain of paper_world "Plain"\nvariant advnced { }\n', "utf-8")
    misspelt = load_ruleset(str(plain), library).diagnostics[0]
    assert misspelt.span is not None and misspelt.span.text == "advnced" and "advanced" in str(misspelt.help)


@pytest.mark.parametrize(
    ("base", "wrong", "meant"),
    [
        ("paper_wrld/en", "paper_wrld", "paper_world"), ("paper_world/gamepar", "gamepar", "gamepark"),
        ("paper_world+advnced", "advnced", "advanced"), ("paper_world/en+advnced", "advnced", "advanced"),
    ],
)  # fmt: skip
def test_a_misspelt_base_is_mended_where_it_stands(folder: Path, base: str, wrong: str, meant: str) -> None:
    """Also if the file itself, or its title, has the same name."""
    [finding] = load(folder, f'edition {wrong} of {base} "{base}"\n')
    fix = finding.fix
    assert finding.code == "PW203" and fix is not None and (fix.text, fix.span.text) == (meant, wrong)
    assert fix.span.start == f"edition {wrong} of {base}".rindex(wrong)


def test_a_part_and_its_file_change_an_item_once(folder: Path) -> None:
    """Whichever is read last would count, without a word."""
    (folder / "paper_world" / "more.rules").write_text(
        'part more of house\nchange rule turn.hand_limit "A" require count hand <= 7\n', "utf-8"
    )
    text = (
        'edition house of paper_world "House"\ninclude more\nchange rule turn.hand_limit "B" require count hand <= 8\n'
    )
    [finding] = load(folder, text)
    assert (finding.code, len(finding.labels)) == ("PW202", 1)


def test_a_reading_that_does_not_exist(folder: Path) -> None:
    for reading, helpful in (("once_a_turn=frely", "`freely`"), ("once=freely", "once_a_turn")):
        finding = load_ruleset("paper_world/en", Library(folder), (reading,)).diagnostics[0]
        assert finding.code == "PW201"
        assert finding.help is not None
        assert helpful in finding.help


def test_a_step_of_a_removed_action_is_told_where_the_order_names_it(folder: Path) -> None:
    finding = load(folder, 'edition house of paper_world "House"\nremove action pass\n')[0]
    assert (finding.code, finding.span and finding.span.text) == ("PW201", "pass")
    assert finding.span is not None
    assert finding.span.file.line_text(finding.span.line).startswith("turn = ")
    assert finding.help == "known here: `grab`, `place`, `take`, `trim`"


def test_several_mistakes_give_several_findings(folder: Path) -> None:
    text = """\
edition house of mini "House"
deck more of card = { R9 }
zone pool: pile of crd
objective a "A" = some card: valu == 3
score b "B" = count hnd
remove rule draw.lft
"""
    assert sorted(places(load(folder, text))) == ["PW201 3:20", "PW201 4:30", "PW201 5:21", "PW204 6:13", "PW304 2:23"]


def test_several_breaches_of_the_grammar_give_several_findings(folder: Path) -> None:
    text = """\
edition house of mini "House"
objective a "A" some card: value == 3
score b "B" = count hand
score c = count hand
shape d = [ # / # # ]
"""
    assert places(load(folder, text)) == ["PW101 2:17", "PW101 4:9", "PW102 5:17"]


EXAMPLE_MISTAKES = [
    ("rule misspelt", "lay.fre { no lay(R1, (0, 0)) }", "25:9", "did you mean `lay.free`?"),
    ("zone misspelt", "lay.free { given hnd = { R1 } no lay(R1, (0, 0)) }", "25:26", "did you mean `hand`?"),
    ("card that does not exist", "lay.free { no lay(R9, (0, 0)) }", "25:27", "`R3`"),
    ("action misspelt", "lay.free { no layy(R1, (0, 0)) }", "25:23", "did you mean `lay`?"),
    ("score line misspelt", "score { then card = 3 }", "25:22", "did you mean `cards`?"),
    ("parameter misspelt", "lay.free { no lay(cards: R1, at: (0, 0)) }", "25:34", "did you mean `card`?"),
    ("parameter left out", "lay.free { no lay(R1) }", "25:23", None),
    ("board for a rule", "lay.free { yes [ R1 ] }", "25:24", None),
    ("index that does not exist", "lay.free { given hand[9] = { R1 } no lay(R1, (0, 0)) }", "25:20", None),
    ("another score", "score { then cards = 3 }", "25:17", None),
    ("not yet the end", "full { yes }", "25:16", None),
    ("refused by another rule", "lay.free { no lay(R1, (0, 0)) }", "25:20", None),
]


@pytest.mark.parametrize(("name", "text", "where", "helpful"), EXAMPLE_MISTAKES, ids=[e[0] for e in EXAMPLE_MISTAKES])
def test_an_example_that_does_not_hold(name: str, text: str, where: str, helpful: str | None, folder: Path) -> None:
    path = folder / "mini" / "game.rules"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{MINI}example {text}\n", "utf-8")
    ruleset = load_ruleset("mini", Library(folder)).value
    assert ruleset is not None
    findings = tuple(check_examples(Game(ruleset)))
    assert places(findings) == [f"PW402 {where}"]
    if helpful:
        assert findings[0].help is not None
        assert helpful in findings[0].help


def test_any_number_of_changes_may_change_nothing(tmp_path: Path) -> None:
    """They are warnings: what is wrong besides is still found, and nothing else is."""
    ruleset = load_ruleset("chess", Library()).value
    assert ruleset is not None
    same = [text for key in ruleset.merged.items if (text := written_change(ruleset.merged, key, "mine")) is not None]
    assert len(same) > MAX_MISTAKES
    path = tmp_path / "same.rules"
    path.write_text("\n\n".join(['variant same of chess "Same"', *same, ""]), "utf-8")
    found = load_ruleset(str(path), Library())
    assert found.value is not None and [d.code for d in found.diagnostics] == ["PW205"] * len(same)
    path.write_text("\n\n".join(['variant same of chess "Same"', *same, "remove rule no.such", ""]), "utf-8")
    assert [d.code for d in load_ruleset(str(path), Library()).diagnostics if d.level is Severity.ERROR] == ["PW204"]


@pytest.mark.parametrize(
    ("wrong", "mended"),
    [("hand <= 7", "count hand <= 7"), ("7 > hand", "7 > count hand"), ("hand == 7", "count hand == 7"), ("7 != hand", "7 != count hand")],
)  # fmt: skip
def test_things_where_their_number_is_meant_are_counted(folder: Path, wrong: str, mended: str) -> None:
    text = f'edition mine of paper_world "M"\nchange rule turn.hand_limit "A" require {wrong}\n'
    [finding] = load(folder, text)
    fix = finding.fix
    assert finding.code == "PW301" and fix is not None and "count hand" in (finding.help or "")
    source = fix.span.file.text
    assert source[: fix.span.start] + fix.text + source[fix.span.end :] == text.replace(wrong, mended)
