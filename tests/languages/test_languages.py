"""What players read in a language has no English left, and every command takes any language that there are texts in."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from pwtool.cli.app import run
from pwtool.cli.completing import complete_languages
from pwtool.cli.help import CONTEXT
from pwtool.lang import tree as n
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from pwtool.text.speech import SPOKEN, Speech
from pwtool.why.voice import Voice
from tests.daily import one_day_in, some
from tests.languages.catalogs import all_said, badly_set
from tests.support import book

ROOT = Path(__file__).resolve().parents[2]
RECORDS = ("clean", "illegal", "unseen", "duels")
TRANSLATED = SPOKEN[1:]

# What stands in English on purpose: what is typed, what a rules file says, how things are written in records.
TYPED = re.compile(
    "|".join(
        (
            r"^ +\(.*\)$", r"Game Park", r"example-\w+", r"`[^`]*`", r"pwtool \w+ \S+( --\w+( \S+)?)*", r"--[\w-]+( \S+=\S+)?",
            r"\S+\.(json|pwn|rules)\S*", r"paper_world\S*", r"pierre_papier_morpion\S*", r"game \w+, edition \w+",
            # lines of the record, conditions and what they come to, examples, ids
            r"^ *\d* \|.*$", r"(require|when) .*$", r"^.* = .*$", r"\b(yes|no) \w+\(.*$", r"(some|every) \w+: .*?(?=  )",
            r"\[?PW\d+\]? +[\w.]+", r"\(?[a-z_]+\.[\w.]+\)?",
        )
    ),
    re.MULTILINE,
)  # fmt: skip

IN_OTHERS = {"also", "point", "text"}
"""English words that are words of other languages too."""


@cache
def english_words() -> set[str]:
    """Words of the English messages that no translation has."""
    english, others = set(), set()
    # Help pages have words that rulesets give to their things; they are looked at elsewhere.
    for said in (said for said in all_said() if said.context != CONTEXT):
        for message in (said.message, said.more or ""):
            english |= words(re.sub(r"\{\w+\}", " ", message))
        for language in TRANSLATED:
            speech = Speech(language)
            if said.more:
                gaps = set(re.findall(r"\{(\w+)\}", said.message + said.more)) - {"count"}
                told = speech.many(said.message, said.more, 2, **dict.fromkeys(gaps, ""))
            else:
                told = speech.about(said.context, said.message) if said.context else speech.say(said.message)
            others |= words(re.sub(r"\{\w+\}", " ", told))
    return {word for word in english - others - IN_OTHERS if len(word) > 2}


def words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]+", text.lower()))


def told(capsys: pytest.CaptureFixture[str], *line: str) -> str:
    assert run([*line]) in (0, 1, 3), line
    captured = capsys.readouterr()
    return captured.out + captured.err


def left_in_english(text: str) -> set[str]:
    return words(TYPED.sub(" ", text)) & english_words()


def test_the_words_that_are_looked_for_are_english() -> None:
    assert {"broken", "the", "legal", "findings"} <= english_words() and len(english_words()) > 200
    assert left_in_english("the card is broken") and not left_in_english("`the card`")


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def lines() -> Iterator[list[str]]:
    files = [f"examples/records/{name}.json" for name in RECORDS]
    yield ["check", *files, "--all", "--statistics"]
    yield ["check", *files[:3], "--rules", "paper_world/en", "--rules", "paper_world/fr", "--all"]
    yield ["check", "examples/records/illegal.json", "-f", "markdown"]
    yield ["check", "examples/states", "examples/notation/illegal.pwn", "--all"]
    for file in files:
        yield ["replay", file]
        yield ["score", file]
        yield ["legal", file, "--at", "3"]
    yield ["replay", files[0], "--at", "4"]
    yield ["score", "examples/states/final.json"]
    yield ["match", "two_5s", files[0]]
    yield ["match", "row_of_3s", "[ G3 . / B2 Y3 ]", "--rules", "paper_world"]
    yield ["match", "row_of_3s", "[ G3 B3 Y3 ]", "--rules", "paper_world"]
    yield ["play", "paper_world/en", "--seed", "1", "-o", os.devnull, "--force"]
    yield ["explain", "place.inside_3x3", "--rules", "paper_world"]
    yield ["which", files[1]]


@pytest.mark.parametrize(("line", "language"), some([*product(lines(), TRANSLATED)], 4))
def test_no_english_is_left(line: list[str], language: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert not left_in_english(told(capsys, *line, "--lang", language))


@one_day_in(4)
@pytest.mark.parametrize("language", some([*TRANSLATED], 1))
def test_pages_and_pictures_have_no_english_left(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    for line in (
        ["replay", "examples/records/illegal.json", "--html", "-o", "-"],
        ["check", "examples/records/illegal.json", "examples/records/clean.json", "-f", "html"],
        ["render", "examples/records/illegal.json", "--at", "4", "-o", "-"],
        ["rules", "paper_world/fr", "--html"],
        ["compare", "paper_world/en", "paper_world/fr", "--sheet"],
    ):
        text = told(capsys, *line, "--lang", language)
        assert f'lang="{language}"' in text or "<html" not in text
        shown = re.sub(r"<(style|script|code)\b.*?</\1>|<[^>]*>", " ", text, flags=re.DOTALL)
        labels = " ".join(re.findall(r'(?:aria-label|title|alt)="([^"]*)"', text))
        assert not left_in_english(f"{shown}\n{labels}"), line


MINE = """edition mine of paper_world/en "Mine"
objective corner_4 "Corner of 4s" = some L: all value == 4
objective never "Never" = count card > 9
objective always "Always" = count card >= 0
objective nine "Nine" = count card == 9
objective four "Four" = count (c in card: c.value == 4) >= 5 and some diagonal: same color
objective hands "Hands" = some q in players: count hand[q] > 2
"""
DESIGNED = (
    ["analyze", "mine.rules", "--games", "20", "--seed", "1"], ["analyze", "paper_world/en:row_sum_9"],
    ["analyze", "paper_world/fr"], ["analyze", "nothing_like_it"], ["analyze", "row_sum_9"], ["analyze", "chess"],
    ["simulate", "paper_world/en", "paper_world/fr", "--players", "2", "--games", "12", "--seed", "1"],
    ["compare", "paper_world/en", "paper_world/fr"], ["compare", "gomoku", "gomoku+exactly_five"], ["compare", "gomoku"],
    ["compare", "gomoku", "gomoku+exactly_five", "gomoku", "--effort", "0"], ["compare", "gomoku", "gomoku", "--games", "mine.rules"],
    ["compare", "nim", "nim+misere", "--witness", "found", "--effort", "0"],
    ["simulate", "nim", "--games", "20", "--seed", "1", "--as-printed"], ["simulate", "nim", "--players", "9"],
)  # fmt: skip


@one_day_in(4)
@pytest.mark.parametrize(("line", "language"), some([*product(DESIGNED, TRANSLATED)], 4))
def test_designers_read_no_english(
    line: list[str], language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.rules").write_text(MINE, "utf-8")
    monkeypatch.chdir(tmp_path)
    run([*line, "--lang", language])
    captured = capsys.readouterr()
    shown = re.sub(
        r"(?m)^.* \| .*$|^  (Bedingung|condition) .*$|^    (erstes|zweites|1re|2de) .*$|^\s+(Beispiel|exemple) .*$|^\w+  .*$|\b[a-z]+(_\w+)+\b",
        "",
        captured.out + captured.err,
    )
    assert not left_in_english(shown), captured


def test_english_is_as_it_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert "broken: The landscape stays within 3x3 piles" in told(capsys, "check", "examples/records/illegal.json")
    assert "place G3 at (-2, 0) pay B1" in told(capsys, "check", "examples/records/illegal.json")


def test_codes_and_keys_stay_english(capsys: pytest.CaptureFixture[str]) -> None:
    one, other = (
        json.loads(told(capsys, "check", "examples/records/illegal.json", "--json", "--lang", language))
        for language in ("en", "de")
    )

    def plan(data: object) -> object:
        if isinstance(data, dict):
            return {key: plan(value) for key, value in data.items()}
        return [plan(value) for value in data] if isinstance(data, list) else type(data)

    assert plan(one) == plan(other)
    legal = ["legal", "examples/records/clean.json", "--json"]
    assert told(capsys, *legal) == told(capsys, *legal, "--lang", "fr")


ITALIAN = """edition casa of paper_world "House rules"
texts it {
  rule place.inside_3x3 "Il paesaggio resta entro 3x3 pile"
  action place "Posare una carta"
}
"""


@one_day_in(8)
def test_rules_bring_languages_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Their texts are Italian then, the messages English."""
    (tmp_path / "casa.rules").write_text(ITALIAN, "utf-8")
    house = ["--rules", str(tmp_path / "casa.rules")]
    text = told(capsys, "check", "examples/records/illegal.json", *house, "--lang", "it")
    assert "broken: Il paesaggio resta entro 3x3 pile" in text and "Posare una carta: B1, (-1, 1)" in text
    assert "Posare una carta" in told(
        capsys, "legal", "examples/records/clean.json", *house, "--lang", "it", "--at", "5"
    )
    assert run(["check", "examples/records/clean.json", "--lang", "it"]) == 2
    assert "there are no texts in `it`" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", ["check", "replay", "legal", "score", "match", "render", "compare", "which", "explain", "play"]
)
def test_commands_take_a_language(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"]) == 0
    assert "--lang" in capsys.readouterr().out


def test_a_shell_offers_the_languages() -> None:
    assert complete_languages("") == list(SPOKEN) and complete_languages("d") == ["de"]


TITLED = (
    "game", "edition", "variant", "component", "deck", "zone", "token", "var", "source", "action", "consequence", "rule", "setup",
    "score", "ending", "objective", "invariant", "ambiguity", "erratum",
)  # fmt: skip


def addresses(game: str) -> Iterator[str]:
    """The game, its editions and its variants."""
    overlays = Library().overlays(game)
    yield game
    yield from (f"{game}/{edition}" for edition in overlays["edition"])
    yield from (f"{game}+{variant}" for variant in overlays["variant"])


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize("name", Library().games())
def test_all_that_players_read_of_a_ruleset_is_translated(name: str, language: str) -> None:
    """Every ruleset that is shipped; a new one fails until it has texts."""
    for address in addresses(name):
        ruleset = book(address).game.ruleset
        wanted = {key for key in ruleset.merged.items if key[0] in TITLED}
        wanted |= {(header.kind, header.name.name) for header in ruleset.merged.headers}
        for key, node in ruleset.merged.items.items():
            if isinstance(node, n.Ambiguity):
                wanted |= {("reading", key[1]), *(("reading", f"{key[1]}.{a.name.name}") for a in node.alternatives)}
        for action in ruleset.actions.values():
            wanted |= {("param", f"{action.name}.{p.name}") for p in action.parameters}
        for component, model in ruleset.components.items():
            shown = [a for a in model.attributes.values() if a.type.kind != "player"]
            values = {value for a in model.attributes.values() for value in a.table if isinstance(value, str)}
            wanted |= {("component", f"{component}.{name}") for name in (*values, *(a.name for a in shown))}
        assert wanted <= ruleset.merged.texts[language].keys(), address


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize("name", Library().games())
def test_texts_of_rulesets_are_set_as_the_language_does(name: str, language: str) -> None:
    """The titles of documents are given as printed."""
    for address in addresses(name):
        for (kind, _), translation in book(address).game.ruleset.merged.texts[language].items():
            assert kind == "source" or not badly_set(translation.text, language), translation.text


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize("address", ["kuhn_poker", "tic_tac_toe+misere", "hearts", "mancala"])
def test_no_word_of_the_rules_is_left_in_english(
    address: str, language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither their sentences nor the names of places and of what is remembered; a code is typed."""
    file, ruleset = str(tmp_path / "1.json"), book(address).game.ruleset
    told(capsys, "play", address, "--seed", "1", "-o", file)
    english = {word for key, node in ruleset.merged.items.items() for word in words(f"{getattr(node, 'text', '')}")}
    english |= {word for kind, name in ruleset.merged.items if kind in ("var", "zone") for word in words(name)}
    english -= {word for text in ruleset.merged.texts[language].values() for word in words(text.text)}
    codes = {code for component in ruleset.components.values() for code in component.codes}
    for line in (["replay", file], ["score", file], ["legal", file, "--at", "2"], ["check", file]):
        text = told(capsys, *line, "--lang", language).replace(file, "").replace(address, "")
        left = words(TYPED.sub(" ", text)) & english - codes
        assert not {word for word in left if len(word) > 1}, line


@pytest.mark.parametrize(("language", "name"), [("en", "white pawn"), ("fr", "pion blanc"), ("de", "weißer Bauer")])
def test_a_face_may_have_a_name_of_its_own(language: str, name: str) -> None:
    """Where its values in a row would not be one."""
    ruleset = book("chess").game.ruleset
    piece = ruleset.components["piece"]
    assert Voice(language).face(ruleset, piece, piece.numbers["wP"]) == name


def test_so_may_a_face_whose_code_begins_with_a_digit() -> None:
    rules = """game digits "Digits"
players 1..1
component card { rank: 2..3 suit: hearts "H" | spades "S" }
deck cards of card = { 2H 3S }
zone hand: bag of card
zone out: pile of card
setup { deal start "All": all of cards to hand by chance }
action lay "Lay" (card: card from hand "It is in hand") { move card to out }
turn = lay
ending empty "All are laid" when hand is empty then stop
texts de { component card.2H "Herzzwei" component card.3S "Pikdrei" }
"""
    ruleset = RulesetStore(Library(drafts={"digits.rules": rules})).get("digits.rules").value
    assert ruleset is not None
    card = ruleset.game.ruleset.components["card"]
    assert Voice("de").face(ruleset.game.ruleset, card, card.numbers["2H"]) == "Herzzwei"


@one_day_in(8)
def test_a_comparison_names_the_order_of_play_and_the_ranking(capsys: pytest.CaptureFixture[str]) -> None:
    """They have no text in the rules, and no name."""
    for first, second, name in (("chess", "chess+chess960", "Zugfolge"), ("go", "go+open_spiel", "Rangfolge")):
        text = told(capsys, "compare", first, second, "--sheet", "--lang", "de")
        assert f"- {name}\n" in text and "- turn" not in text and "- ranking" not in text


@pytest.mark.parametrize(
    ("address", "typed", "asked"),
    [
        ("breakthrough", ["1", ""], ("P1, départ (", "P1, arrivée (")),
        ("hearts", [], ("P1, la carte vient de la main (",)),
    ],
)
def test_questions_name_what_is_chosen(
    address: str,
    typed: list[str],
    asked: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """By the name of the parameter in the language, or its text."""
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(typed) + "\n"))
    text = told(capsys, "play", address, "--policy", "person", "--person", "P1", "--seed", "1", "--lang", "fr")
    assert all(question in text for question in asked), text


@one_day_in(7)
def test_a_comparison_names_what_is_said_with_an_action(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "compare", "checkers", "checkers+flying_kings", "--sheet", "--lang", "de", "--effort", "0.25")
    assert "„Zielfeld“" in text and "„geschlagener Stein“" in text


def test_parameters_are_told_with_their_texts(capsys: pytest.CaptureFixture[str]) -> None:
    assert 'card: card from hand "La carte vient de la main"' in told(capsys, "rules", "hearts", "--lang", "fr")
    assert 'card: card from hand "The card comes from the hand"' in told(capsys, "rules", "hearts", "--lang", "en")
