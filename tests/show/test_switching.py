"""The page for players: what changes, in words that are not those of a rules file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pwtool.cli.app import run

EN, FR, DE, GP = (f"paper_world/{name}" for name in ("en", "fr", "de", "gamepark"))
PPM = "pierre_papier_morpion/fr"


def sheet(capsys: pytest.CaptureFixture[str], first: str, second: str) -> dict[str, list[tuple[str, str]]]:
    """The lines of each section with what they were before."""
    capsys.readouterr()
    assert run(["compare", first, second, "--sheet", "--json"]) in (0, 1)
    sections = json.loads(capsys.readouterr().out)["sections"]
    return {key: [(line["text"], line["before"]) for line in lines] for key, lines in sections.items()}


def house(tmp_path: Path, body: str, base: str = EN) -> str:
    path = tmp_path / "house.rules"
    path.write_text(f'edition house of {base} "Our house rules"\n\n{body}\n', "utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("first", "second"), [(EN, GP), (GP, EN), (FR, DE), (DE, FR), (PPM, f"{PPM}+bonus"), (PPM, f"{PPM}+binoculars")]
)
def test_players_read_no_syntax(first: str, second: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = sheet(capsys, first, second)
    assert "files" not in found
    words = " ".join(text for lines in found.values() for line in lines for text in line)
    for sign in ("zone ", "component ", "bag of", "+=", "==", "{", "move "):
        assert sign not in words, sign


def test_material_is_told_piece_by_piece(capsys: pytest.CaptureFixture[str]) -> None:
    found = sheet(capsys, PPM, f"{PPM}+bonus")["material"]
    assert ("New on `reward`: glue bonus (BG), tape bonus (BT), ruler bonus (BR), crown bonus (BC)", "") in found
    assert ("Take out of the deck `rewards`: 4 times plus two (P)", "") in found
    assert ("What lies in discard is seen by its owner alone", "seen by everybody") in sheet(capsys, FR, DE)["material"]
    assert ("New: `lost`, a place for any number of `card`, shared by all", "") in sheet(capsys, EN, GP)["material"]


def test_an_action_is_told_by_what_goes_where(capsys: pytest.CaptureFixture[str]) -> None:
    text = "Discard down to the hand limit"
    assert (f"{text}: `card` goes to `lost`", f"{text}: `card` goes to `discard`") in sheet(capsys, EN, GP)["must"]


CHANGES = [
    # The value of pieces, the size of a place, how something is dealt, who wins: all of them have words.
    ("change component card {\n  color: yellow \"Y\" | blue \"B\" | green \"G\" | black \"K\"\n  scissors: flag \"S\"\n"
     "  value: 1..5\n  stars: by value { 1: 0  2: 1  3: 2  4: 3  5: 6 }\n}", "material",
     "`stars`: yellow 5 (Y5) 6,", "`stars`: yellow 5 (Y5) 5,"),
    ("change zone prizes: bag of 1..4 per goal", "material",
     "`prizes` is now a place for any number of numbers, for each goal", "a pile of numbers, for each goal"),
    ('change setup deal start "Each player begins with one start card": 1 each of start to landscape at 0, 0 by chance',
     "material", "Each player begins with one start card: by chance", "by choice"),
    ("change players 2..3", "material", "For 2 to 3 players", "For 2 to 4 players"),
    ("change ranking most total, most count discard, shared", "counts",
     "It wins the most points, then the most in `discard`, then nobody alone: a tie is shared",
     "It wins the most points, then the fewest in `discard`, then nobody alone: a tie is shared"),
    ('change rule turn.hand_limit "At most nine cards stay in hand at the end of a turn" see taking\n  require count hand <= 8',
     "may_not", "At most nine cards stay in hand at the end of a turn: this allows less than before", ""),
    ('change objective two_5s "Two visible 5s" = at least 3 card: value == 5', "counts",
     "Two visible 5s: no longer fulfilled by [", ""),
    ("change turn = take | (place grab?)+ | pass", "must", "Turn: (either take cards, or once or more: (place a card, then",
     "Turn: (either take cards, or once or more: (place a card, then"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "section", "text", "before"), CHANGES)
def test_what_the_model_can_say_is_said(
    change: str, section: str, text: str, before: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = sheet(capsys, EN, house(tmp_path, f'{change}\n  because "a test"'))
    assert [1 for now, was in found[section] if now.startswith(text) and was.startswith(before)], found


def test_what_only_a_rules_file_says_is_left_to_those_who_read_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = sheet(
        capsys, EN,
        house(tmp_path, 'add effect to place skips += 1 when gap == 0\n  because "a test"\n'
              'change score token "Scissors token" see scoring = (if holds shears then 3 else 0)\n  because "a test"'),
    )  # fmt: skip
    assert ("Scissors token: the same words, counted otherwise", "") in found["counts"]
    files = dict(found["files"])
    assert files["action place"] == "" and "then 3 else 0" in next(
        key for key in files if key.startswith("score token")
    )
    assert any("then 2 else 0" in before for before in files.values())


def test_names_of_a_rules_file_stand_as_code(capsys: pytest.CaptureFixture[str]) -> None:
    for form, sign in (("html", "<code>blue_back</code>"), ("markdown", "`blue_back`"), ("text", "`blue_back`")):
        capsys.readouterr()
        run(["compare", EN, GP, "--sheet", "--format", form])
        assert f"Put into the deck {sign}: " in capsys.readouterr().out
    run(["compare", EN, PPM, "--sheet"])
    assert "These are different games, `paper_world` and `pierre_papier_morpion`." in capsys.readouterr().out


def test_what_is_shuffled_at_any_time_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert any(
        text.startswith("New: Reshuffle a supply pile") and text.endswith(", at any time")
        for text, _ in sheet(capsys, FR, DE)["may"]
    )
    whole = house(
        tmp_path,
        'change action reshuffle "Shuffle a pile" (pile: 1..5, order: order of supply[pile]) {\n'
        '  rule left "Two cards lie there" require count supply[pile] > 1\n  shuffle order\n}',
        DE,
    )
    text = "`supply` is shuffled"
    told = [line for lines in sheet(capsys, DE, whole).values() for line in lines]
    ((_, before),) = [line for line in told if line[0] == f"Shuffle a pile: {text}"]
    assert before.endswith(f"{text} below its top")
