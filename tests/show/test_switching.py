"""The page for players: what changes, in sentences of theirs and in their language."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import permutations
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pwtool.cli.app import run
from pwtool.comparing.row import Row
from pwtool.comparing.rows import compare_rulesets
from pwtool.show.html.switching import render_switching, switching
from pwtool.show.text.comparing import Comparison
from pwtool.show.text.item_words import ItemWords
from pwtool.show.text.telling import Teller
from pwtool.why.voice import Voice
from tests.daily import one_day_in, some
from tests.support import BROWSER, book, printed_pages

EN, FR, DE, BGA, GP = (f"paper_world/{name}" for name in ("en", "fr", "de", "bga", "gamepark"))
PPM = "pierre_papier_morpion/fr"
LANGUAGES = ("en", "fr", "de")
PAIRS = [
    *permutations((FR, EN, DE, BGA, GP), 2), (PPM, f"{PPM}+bonus"), (f"{PPM}+binoculars", PPM), (FR, f"{FR}+advanced"),
    (f"{DE}+advanced", DE),
]  # fmt: skip


@cache
def compared(first: str, second: str) -> Comparison:
    games = (book(first).game, book(second).game)
    return Comparison((first, second), games, compare_rulesets(*games), 0)


def told(first: str, second: str, language: str = "en") -> dict[str, list[tuple[str, str]]]:
    """The lines of each section with what they were before."""
    sections = switching(compared(first, second), Voice(language))
    return {key: [(line.text, line.before) for line in lines] for key, lines in sections.items()}


def sheet(capsys: pytest.CaptureFixture[str], first: str, second: str, *more: str) -> dict[str, list[tuple[str, str]]]:
    """The same by the command."""
    capsys.readouterr()
    assert run(["compare", first, second, "--sheet", "--json", "--lang", "en", *more]) in (0, 1)
    sections = json.loads(capsys.readouterr().out)["sections"]
    return {key: [(line["text"], line["before"]) for line in lines] for key, lines in sections.items()}


def house(tmp_path: Path, body: str, base: str = EN) -> str:
    path = tmp_path / "house.rules"
    path.write_text(f'edition house of {base} "Our house rules"\n\n{body}\n', "utf-8")
    return str(path)


def visible(page: str) -> str:
    """What a reader of a page sees: no titles of drawings."""
    root = ElementTree.fromstring(page.replace("<!DOCTYPE html>", ""))
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.endswith(("}style", "}svg", "}title")):
                child.text, child[:] = "", []
    return " ".join("".join(root.itertext()).split())


# ---- what is said ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("first", "second"), some([*PAIRS], 3))
def test_players_read_sentences(first: str, second: str, language: str) -> None:
    found = compared(first, second)
    html, text = (render_switching(found, form, language) for form in ("html", "text"))
    for words in (visible(html), text):
        assert "`" not in words and "--" not in words and "(either" not in words
        assert not re.search(r"\w_\w|\w\+\w*\(|==|\+=|[{}|]|zone |require ", words), words
    # Nothing of the rules file, no reading of it, no order of play as it is written.
    spoken = text.casefold()
    assert not any(row.first and row.first.casefold() in spoken for row in found.rows if row.kind == "turn")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("first", "second"), some([*PAIRS], 4))
def test_every_difference_is_told(first: str, second: str, language: str) -> None:
    found = compared(first, second)
    teller, lines = Teller(found, Voice(language)), switching(found, Voice(language))
    said = {sentence for told in lines.values() for line in told for sentence in line.about}
    texts = {line.text for told in lines.values() for line in told}
    for row in found.rows:
        if row.nature not in ("wording", "position"):
            mine = [line for _, line in teller.rows(row)]
            same = [r for r in found.rows if r.name == row.name and r.kind in ("action", "anytime")]
            assert mine or len(same) == 2, row
            assert all(line.text in texts or (line.about and line.about <= said) for line in mine), row


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "The scissors token comes only at the end of the turn and gives no free skip in that turn."),
        ("fr", "Le jeton ciseaux ne s'obtient qu'à la fin du tour et n'offre aucun saut gratuit dans ce tour."),
        ("de", "Das Scherenplättchen gibt es erst am Ende des Zuges, in diesem Zug also noch kein kostenloses Überspringen."),
    ],
)  # fmt: skip
def test_the_order_of_play_is_told_by_what_it_means(language: str, sentence: str) -> None:
    found = told(DE, FR, language)
    assert found["may_not"][0][0] == sentence
    assert found["may_not"][0][1] and found["may_not"][0][1] != sentence
    assert told(FR, DE, language)["may"][0][1] == sentence


def test_what_both_sides_say_is_not_said_again() -> None:
    """A note has several sentences: of English against Game Park, the one on passing alone differs."""
    (line,) = switching(compared(EN, GP), Voice("en"))["may_not"]
    assert line.text == "Nobody passes: when a player can neither take nor place, the game comes to a halt."
    assert line.before == "Whoever can neither take nor place passes."
    texts = [text for lines in told(FR, GP).values() for text, _ in lines]
    assert len(texts) == len(set(texts))


@one_day_in(4)
def test_first_what_changes_then_what_is_settled_then_what_is_open(capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["compare", DE, FR, "--sheet", "--lang", "de", "--effort", "0.25"]) == 1
    said = capsys.readouterr().out
    parts = [said.index(part) for part in ("WAS SICH BEIM SPIELEN ÄNDERT", "WAS DIE NEUEN REGELN KLÄREN", "VOR DEM SPIELEN ABSPRECHEN")]  # fmt: skip
    assert parts == sorted(parts)
    assert "„Paper World, deutsche Anleitung“ zu „Paper World, französische Anleitung“" in said


@one_day_in(8)
def test_the_locale_chooses_the_language(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("LC_ALL", ""), ("LC_MESSAGES", ""), ("LANG", "fr_FR.UTF-8")):
        monkeypatch.setenv(name, value)
    capsys.readouterr()
    run(["compare", EN, FR, "--sheet", "--effort", "0.25"])
    assert "À CONVENIR AVANT DE JOUER" in capsys.readouterr().out


def test_what_is_settled_is_told_as_the_second_has_it() -> None:
    """By the reading of the first that the second follows: what it reads itself, an alternative, or neither."""
    settled = [text for text, _ in told(DE, FR)["settled"]]
    assert "Who plays in the last round – everyone, the player who triggered it too." in settled
    assert "When the token is gained – only at the end of the turn." in settled
    assert "On which card the token may go a second time in one turn: as above." in settled
    assert ("Whether the token has to be taken – no, the player may leave it.", "") in told(FR, EN)["settled"]
    texts = [text for text, _ in told(BGA, GP)["settled"]]
    assert "Whether cards left in hand cost points – one point each." in texts
    # A note on a point that is gone says more than any of its readings.
    assert "Each card goes to one of the five piles at random, so their sizes differ." in [t for t, _ in told(EN, GP)["settled"]]  # fmt: skip


@one_day_in(8)
def test_an_adopted_reading_is_named_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    run(["compare", FR, FR, "--sheet", "--reading", "token_duty=optional", "--lang", "fr", "--effort", "0.25"])
    said = capsys.readouterr().out
    assert (
        "Lu ici autrement\u202f: Si le jeton doit être pris\u202f: non, on peut le laisser." in said
        and "token" not in said
    )
    assert said.count("Si le jeton doit être pris") == 1


# ---- without notes ---------------------------------------------------------------------------------------------------

CHANGES = [
    # The value of pieces, the size of a place, how something is dealt, who wins: all of them have words.
    ("change component card {\n  color: yellow \"Y\" | blue \"B\" | green \"G\" | black \"K\"\n  scissors: flag \"S\"\n"
     "  value: 1..5\n  stars: by value { 1: 0  2: 1  3: 2  4: 3  5: 6 }\n}", "material",
     "“stars”: yellow 5 6,", "“stars”: yellow 5 5,"),
    ("change zone prizes: bag of 1..4 per goal", "material",
     "“prizes” is now a place for any number, one for each objective", "a pile, one for each objective"),
    ('change setup deal start "Each player begins with one start card": 1 each of start to landscape at 0, 0 by chance',
     "material", "Each player begins with one start card: by chance", "by choice"),
    ("change players 2..3", "material", "For 2 to 3 players", "For 2 to 4 players"),
    ("change ranking most total, most count discard, shared", "counts",
     "What counts: the most points, then the most of “discard”; a tie is shared",
     "What counts: the most points, then the fewest of “discard”; a tie is shared"),
    ('change rule turn.hand_limit "At most nine cards stay in hand at the end of a turn" see taking\n  require count hand <= 8',
     "may_not", "At most nine cards stay in hand at the end of a turn: this now allows less; the rules file says", ""),
    ('change objective two_5s "Two visible 5s" = at least 3 card: value == 5', "counts",
     "Two visible 5s: counted differently", ""),
    ("change turn = take | (place grab?)+ | pass", "may_not", "Turns work differently.", ""),
    ("change action trim \"Drop a card\" (card: card from hand \"It comes from the hand\") {\n"
     "  rule only_excess \"Only above nine\" see taking require count hand > 9\n  move card to hand\n}", "must",
     "Drop a card: “card” goes to “hand”", "Discard down to the hand limit: “card” goes to “discard”"),
    ('change score token "Scissors token" see scoring = (if holds shears then 3 else 0)', "counts",
     "Scissors token: counted differently; the rules file says how", ""),
]  # fmt: skip


@one_day_in(8)
@pytest.mark.parametrize(("change", "section", "text", "before"), some(CHANGES, 3))
def test_what_the_model_can_say_is_said(
    change: str, section: str, text: str, before: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = sheet(capsys, EN, house(tmp_path, f'{change}\n  because "a test"'), "--effort", "0.25")
    assert [1 for now, was in found[section] if now.startswith(text) and was.startswith(before)], found


@one_day_in(8)
def test_what_only_a_rules_file_says_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    address = house(tmp_path, 'add effect to place skips += 1 when gap == 0\n  because "a test"')
    assert ("Place a card", "") in sheet(capsys, EN, address, "--effort", "0.25")["files"]


CASTLING = ("chess", "chess+chess960")


@one_day_in(7)
def test_what_has_no_words_is_not_nothing() -> None:
    """Castling moves pieces to places that are computed: only the rules file can say which."""
    for pair in (CASTLING, CASTLING[::-1]):
        found = compared(*pair)
        nodes = [game.ruleset.merged.items["action", "castle"] for game in found.games]
        (line,) = [line for line in ItemWords(Voice("en"), found.games).action(*nodes) if line[0].startswith("Castle:")]  # type: ignore[arg-type]
        assert "nothing moves" not in " ".join(line)
        assert all("only the rules file says what" in side for side in line)


@pytest.mark.parametrize(("first", "second"), some([*PAIRS, CASTLING, CASTLING[::-1]], 5))
def test_nothing_moves_where_no_effect_moves_anything(first: str, second: str) -> None:
    found = compared(first, second)
    for row in found.rows:
        nodes = [game.ruleset.merged.items.get((row.kind, row.name)) for game in found.games]
        if row.kind in ("action", "consequence") and None not in nodes:
            words = ItemWords(Voice("en"), found.games)
            for now, before in words.action(*nodes):  # type: ignore[arg-type]
                for game, told in zip(found.games, (before, now), strict=True):
                    kinds = {e.kind for e in getattr(game.ruleset, f"{row.kind}s")[row.name].all_effects}
                    assert "nothing moves" not in told or not kinds & {"move", "put", "return", "shuffle"}, row


@one_day_in(8)
def test_a_change_beside_one_with_words_is_not_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The place changes, which has words, and so does a condition under which another card moves, which has none."""
    rules = 'rule only_excess "Only above nine" see taking require count hand > 9'
    trim = 'change action trim "Drop a card" (card: card from hand "It comes from the hand") {\n  %s\n  move card to %s\n%s}'
    one = trim % (rules, "discard", "  move top of supply[1] to discard when count hand > 9\n")
    other = trim % (rules, "hand", "  move top of supply[1] to discard when count hand > 8\n")
    (tmp_path / "first.rules").write_text(f'edition first of {EN} "First"\n{one}\n', "utf-8")
    (tmp_path / "second.rules").write_text(f'edition second of {EN} "Second"\n{other}\n', "utf-8")
    lines = sheet(capsys, str(tmp_path / "first.rules"), str(tmp_path / "second.rules"), "--effort", "0.25")["must"]
    assert any(line.endswith("“card” goes to “hand”; only the rules file says what else moves.") for line, _ in lines)


@one_day_in(4)
def test_what_is_possible_under_other_conditions_is_not_impossible() -> None:
    """Castling needs the pieces to be put up, which they are from the first turn on."""
    (line,) = [line for line in switching(compared(*CASTLING), Voice("en"))["must"] if line.text.startswith("Turns")]
    assert line.details == [
        "In one turn under other conditions: castle",
        "Now possible in one turn: put up the pieces as they were drawn, then castle",
    ]


@one_day_in(7)
def test_what_an_online_edition_leaves_open_is_for_its_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at_the_table = house(tmp_path, "", BGA)
    for second, online in ((BGA, True), (GP, True), (f"{GP}+advanced", True), (DE, False), (at_the_table, False)):
        for form in ("text", "markdown", "html"):
            capsys.readouterr()
            run(["compare", EN, second, "--sheet", "--lang", "en", "--effort", "0.25", "--format", form])
            said = capsys.readouterr().out.casefold()
            assert ("and the program decides" in said) is online
            assert ("agree on this before you play" in said or "play by what is meant" in said) is not online


@one_day_in(8)
def test_notes_of_a_changed_item_are_gone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They speak of what it was; the overlay may give its own."""
    change = 'change turn = (take | place) grab?\n  because "a test"'
    without = sheet(capsys, EN, house(tmp_path, change), "--effort", "0.25")
    assert "Turns work differently." in {text for lines in without.values() for text, _ in lines}
    noted = house(tmp_path, f'{change}\nnotes en {{ turn "One card a turn" }}')
    texts = dict(line for lines in sheet(capsys, EN, noted, "--effort", "0.25").values() for line in lines)
    assert texts["One card a turn."].endswith("Whoever can neither take nor place passes.")


def test_rows_without_a_decision_stay_undecided() -> None:
    found = compared(EN, FR)
    row = Row("rule", "place.ascends", "semantic", "undecided", "", "a", "b")
    lines = switching(Comparison(found.addresses, found.games, [row], 0), Voice("de"))
    assert [line.text for line in lines["undecided"]] == [
        "Ein Stapel steigt an, nie auf die gleiche oder eine kleinere Zahl"
    ]


@one_day_in(8)
def test_other_games_and_no_difference_at_all(capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    run(["compare", EN, PPM, "--sheet", "--lang", "en", "--effort", "0.25"])
    assert "These are different games." in capsys.readouterr().out
    run(["compare", EN, EN, "--sheet", "--lang", "fr", "--effort", "0.25"])
    assert "Rien ne change que des mots." in capsys.readouterr().out


# ---- what is shown ---------------------------------------------------------------------------------------------------


def test_the_deciding_boards_stand_beside_the_difference() -> None:
    (three,) = [line for line in switching(compared(EN, GP), Voice("de"))["counts"] if line.text.startswith("Drei")]
    assert [(shown.caption, shown.side) for shown in three.boards] == [("zählt nicht mehr", 0), ("zählt jetzt", 1)]
    page = render_switching(compared(EN, GP), "html", "de")
    assert page.count("<figcaption>zählt jetzt</figcaption>") == 2
    assert page.count("<figcaption>zählt nicht mehr</figcaption>") == 1
    text = render_switching(compared(EN, GP), "text", "en")
    assert "counts now  .  .  Y3\n" + " " * 18 + ".  .  Y3\n" in text


def test_cards_that_come_and_go_are_drawn() -> None:
    page = render_switching(compared(FR, EN), "html", "en")
    (drawn,) = re.findall(r'aria-label="out: ([^"]+)"', page)
    assert drawn == "BS4, GS2, KS1, YS3"
    assert "Take out: blue scissors 4, green scissors 2" in visible(page)
    assert f'<html lang="{"en"}"' in page


@one_day_in(8)
@pytest.mark.skipif(BROWSER is None, reason="no browser here")
@pytest.mark.parametrize(
    ("first", "second", "language"),
    some(
        [
            (first, second, language)
            for first, second in [(GP, DE), (DE, GP), (GP, FR), (DE, FR), (EN, FR), (PPM, f"{PPM}+bonus")]
            for language in LANGUAGES
        ],
        1,
    ),
)
def test_one_page_of_a4(first: str, second: str, language: str, tmp_path: Path) -> None:
    path = tmp_path / "sheet.html"
    path.write_text(render_switching(compared(first, second), "html", language), "utf-8")
    assert printed_pages(path, tmp_path) == 1
    sizes = re.findall(r"font-size: ([\d.]+)pt", path.read_text("utf-8"))
    assert sizes and min(map(float, sizes)) >= 9
