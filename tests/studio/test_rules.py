"""The rules as one reads them: the outline, what the examples show, and what random games do in the background."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from math import comb
from pathlib import Path
from typing import Any

import pytest

from pwtool.boards.spaces import dealt_cards
from pwtool.cli.oddities import oddities_of
from pwtool.play.chance import Chance
from pwtool.play.game import Game
from pwtool.play.replay import replay_record
from pwtool.play.selfplay import RandomPolicy, deal_at_random, play_game
from pwtool.play.stepping import within_turn
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.rules.targets import find_targets
from pwtool.studio import background
from pwtool.studio.app import STATIC
from pwtool.studio.background import Background, Measured
from pwtool.studio.changing import written_change
from pwtool.studio.folder import bases
from pwtool.text.speech import SPOKEN
from pwtool.why.coverage import measure_coverage
from pwtool.why.voice import text_of
from tests.daily import one_day_in, seed, some, times
from tests.show.test_pictures import addresses
from tests.studio.speaking import Page, page, studio, transport
from tests.support import book

__all__ = ["transport"]
by_either = pytest.mark.usefixtures("transport")
GAMES = Path(__file__).parents[2] / "rulesets" / "classics"
HOUSE = """edition house of paper_world/en "Our house"

change rule turn.hand_limit "At most seven cards stay in hand" see taking
  require count hand <= 7
  because "seven are enough for two"
remove invariant paid because "nobody counts"
"""
POINTS = ("ambiguity", "erratum")
TALLY = """game tally "Tally"
players 2..2
var heap: 0..99 = 0 per game
turn = say
action say "Say a number" (number: 1..3) {
  rule small "Small" when heap > 4 require number < 3
  heap += number
}
ending ten "Ten is reached" when heap >= 10 then stop
score said "The same for all" = heap
ranking most total, shared
example say.small {
  given heap = 5
  yes say(2)
}
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "rules"
    folder.mkdir()
    return folder


@pytest.fixture
def drafts(tmp_path: Path) -> Path:
    return tmp_path / "drafts"


def written(home: Path, text: str, name: str = "my.rules") -> Path:
    path = home / name
    path.write_text(text, "utf-8")
    return path


def settled(shown: Page, uri: str) -> dict[str, Any]:
    """What is known of the rules when there is nothing left to find out."""
    while True:
        found: dict[str, Any] = shown.ask("studio/rules", uri=uri)
        if not found["busy"]:
            return found
        shown.wait_for("studio/measured")


def entries(found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for section in found["outline"]["sections"]:
        for entry in section["entries"]:
            yield entry
            yield from entry["parts"]


def named(found: dict[str, Any], kind: str, name: str) -> dict[str, Any]:
    return next(entry for entry in entries(found) if (entry["kind"], entry["name"]) == (kind, name))


# ---- the outline


@by_either
def test_the_rules_of_a_game_are_a_rulebook(home: Path, drafts: Path) -> None:
    path = written(home, (GAMES / "crazy_eights" / "game.rules").read_text("utf-8"))
    with page(home, drafts) as shown:
        found = shown.ask("studio/rules", uri=shown.show(path))["outline"]
    assert [section["name"] for section in found["sections"]] == [
        "box", "table", "setup", "turn", "actions", "endings", "scores", "kept", "words",
    ]  # fmt: skip
    assert (found["changes"], found["removed"]) == (False, [])
    order = next(s for s in found["sections"] if s["name"] == "turn")["entries"][0]["words"][0]
    assert order["ordered"] and order["parts"][0]["text"] == "Any number of times: Draw a card"
    ways = order["parts"][1]
    assert ways["text"] == "One of these" and [way["text"] for way in ways["parts"]] == ["Pass", "In this order"]
    assert ways["parts"][1]["parts"][1]["text"] == "At most once: Name a suit, if “must call”"
    draw = next(s for s in found["sections"] if s["name"] == "actions")["entries"][0]
    assert (draw["text"], draw["line"], draw["own"]) == ("Draw a card", 40, "")
    assert draw["words"][0]["parts"][0]["text"] == "The top of “stock” goes to “hand”"
    assert [part["name"] for part in draw["parts"]] == ["draw.five", "draw.left"]


@one_day_in(4)
@pytest.mark.parametrize("language", ["fr", "de"])
def test_order_and_ranking_are_in_words(home: Path, drafts: Path, language: str) -> None:
    """Also who acts, and if: by the names of what the rules ask for, in the reader's language."""

    def lines(words: list[dict[str, Any]]) -> Iterator[str]:
        for line in words:
            yield line["text"]
            yield from lines(line["parts"])

    with studio(home, drafts) as running, running.page(language) as shown:
        for address in (
            "pierre_papier_morpion+binoculars",
            "hearts",
            "go/chinese",
            *addresses()[seed() % 30 :: times(30, 1)],
        ):
            merged = book(address).game.ruleset.merged
            texts = merged.texts.get(language, {})
            names = {n.replace("_", " ") for k, n in merged.items if k in ("var", "define") and (k, n) not in texts}
            uri = shown.show(written(home, f'variant house of {address} "House"\n'))
            for entry in entries(shown.ask("studio/rules", uri=uri)):
                if entry["kind"] in ("turn", "anytime", "ranking"):
                    for told in lines(entry["words"]):
                        # What is composed of several things has no name.
                        assert all(" and " in code for code in re.findall("`([^`]*)`", told)), (address, told)
                        assert names.isdisjoint(re.findall("[„«]\\s*(.*?)\\s*[“»]", told)), (address, told)


@by_either
def test_an_edition_says_what_is_its_own(home: Path, drafts: Path) -> None:
    with page(home, drafts) as shown:
        found = shown.ask("studio/rules", uri=shown.show(written(home, HOUSE)))
    own = [entry for entry in entries(found) if entry["own"]]
    assert [(e["name"], e["own"], e["line"], e["reason"]) for e in own] == [
        ("turn.hand_limit", "changed", 3, "seven are enough for two")
    ]
    (gone,) = found["outline"]["removed"]
    assert (gone["kind"], gone["name"], gone["reason"]) == ("invariant", "paid", "nobody counts")
    deck = named(found, "deck", "blue_back")
    assert (deck["line"], deck["file"], deck["words"][0]["text"]) == (None, "paper_world/en.rules", "52 pieces")
    assert deck["uri"].endswith("/en.rules") and deck["there"] == 4
    assert next(e["text"] for e in entries(found) if e["kind"] == "objectives") == "20 objectives"


@one_day_in(8)
def test_players_read_their_language(home: Path, drafts: Path) -> None:
    with studio(home, drafts) as running, running.page("de") as shown:
        uri = shown.show(written(home, HOUSE))
        found = settled(shown, uri)
    assert named(found, "action", "place")["text"] == "Eine Karte legen"
    (note,) = found["play"]["notes"]
    assert note["text"].startswith("In 145 von 150 zufälligen Partien")
    assert found["play"]["figures"][0] == ["Partien", "150 mit 2 bis 4 Spielern"]


@one_day_in(8)
@by_either
def test_rules_with_a_mistake_stay_as_far_as_they_can_be_read(home: Path, drafts: Path) -> None:
    with page(home, drafts) as shown:
        uri = shown.show(written(home, TALLY))
        assert settled(shown, uri)["marks"] is not None
        shown.type(uri, TALLY.replace("heap >= 10", "heep >= 10"))
        found = shown.ask("studio/rules", uri=uri)
        assert (found["busy"], found["marks"], found["play"]) == (False, None, None)
        assert named(found, "ending", "ten")["stale"] and not named(found, "rule", "say.small")["stale"]
        shown.type(uri, "game")
        assert settled(shown, uri)["outline"]["title"] == "Tally"
    with page(home, drafts / "other") as shown:
        assert "fix the mistakes" in shown.refused("studio/rules", uri=shown.show(written(home, "game", "no.rules")))


# ---- what the examples show


@one_day_in(8)
@by_either
def test_marks_say_what_no_example_shows(home: Path, drafts: Path) -> None:
    with page(home, drafts) as shown:
        uri = shown.show(written(home, TALLY))
        found = settled(shown, uri)
        assert found["marks"]["items"]["rule:say.small"] == {
            "state": "part",
            "lacks": ["No example makes `heap > 4` false", "No example makes `number < 3` false"],
        }
        assert found["marks"]["items"]["ending:ten"]["state"] == "none"
        assert [(line, mark["state"]) for line, mark in found["marks"]["lines"]] == [(6, "part"), (9, "none")]
        # What moves in the text is not measured again.
        shown.type(uri, "# a note\n" + TALLY)
        moved = shown.ask("studio/rules", uri=uri)
        assert not moved["busy"] and moved["play"]["figures"] == found["play"]["figures"]
        assert (found["play"]["notes"][0]["line"], moved["play"]["notes"][0]["line"]) == (10, 11)
        assert [line for line, _ in moved["marks"]["lines"]] == [7, 10]
        assert moved["marks"]["items"] == found["marks"]["items"]
        # An example more is.
        shown.type(uri, TALLY.replace("yes say(2)", "yes say(2)\n  no say(3)"))
        assert shown.ask("studio/rules", uri=uri)["marks"] is None
        lacks = settled(shown, uri)["marks"]["items"]["rule:say.small"]["lacks"]
        assert lacks == ["No example makes `heap > 4` false"]


@one_day_in(8)
@pytest.mark.parametrize("name", some(["tic_tac_toe", "go", "chess"], 1))
def test_marks_agree_with_the_coverage_of_the_command_line(home: Path, drafts: Path, name: str) -> None:
    path = written(home, (GAMES / name / "game.rules").read_text("utf-8"))
    book = RulesetStore(Library()).get(str(path)).value
    assert book is not None
    lacking = {part.span.line for part, _ in measure_coverage(book.game.ruleset).lacking()}
    with page(home, drafts) as shown:
        lines = settled(shown, shown.show(path))["marks"]["lines"]
    assert {line for line, mark in lines if mark["state"] != "both"} == lacking
    assert all(bool(mark["lacks"]) == (mark["state"] != "both") for _, mark in lines)


@one_day_in(8)
def test_examples_that_take_too_long_are_said_to(home: Path, drafts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "EACH", 5)
    path = written(home, (GAMES / "go" / "game.rules").read_text("utf-8"))
    with page(home, drafts) as shown:
        found = settled(shown, shown.show(path))
    assert found["marks"] is None and found["play"]["figures"]


# ---- random games


@one_day_in(8)
@by_either
def test_random_games_are_told_as_lint_does(home: Path, drafts: Path) -> None:
    path = written(home, HOUSE)
    store = RulesetStore(Library())
    (target,), _ = find_targets([str(path)], store.library)
    (known,) = oddities_of(target, store)
    with page(home, drafts) as shown:
        found = settled(shown, shown.show(path))["play"]
    (note,) = found["notes"]
    assert note["text"].lower() == known.message.lower()
    assert note["text"] == "In 145 of 150 random games nobody can move although the game is not over"
    assert (note["line"], note["players"], note["seed"]) == (3, 2, 1)
    assert [(r["rule"], r["line"]) for r in note["reasons"]] == [
        ("At most seven cards stay in hand", 3), ("Cards are discarded only above nine in hand", None),
    ]  # fmt: skip
    assert note["remarks"] == ["Without these changes: in 0 of 150"]
    assert dict(found["figures"])["Not over"] == "145 of 150"


@one_day_in(8)
@by_either
def test_plain_figures_tell_how_games_go(home: Path, drafts: Path) -> None:
    path = written(home, (GAMES / "tic_tac_toe" / "game.rules").read_text("utf-8"))
    with page(home, drafts) as shown:
        found = settled(shown, shown.show(path))["play"]
    assert found["notes"] == [] and found["problem"] == ""
    figures = dict(found["figures"])
    assert figures["Games"] == "50 with 2 players" and "Not over" not in figures
    line, full = (
        int(figures[text].partition(" of 50")[0]) for text in ("Three of one side in a line", "The board is full")
    )
    assert line + full == 50 and line > full
    least, most = re.match(r"(\d) to (\d), half of them at most \d", figures["Turns"]).groups()  # type: ignore[union-attr]
    assert 5 <= int(least) < int(most) == 9
    shares = [int(share) for share in re.findall(r"(\d+)%", figures["Wins, 2 players"])]
    assert len(shares) == 3 and 99 <= sum(shares) <= 101 and shares[0] > shares[1]


@one_day_in(8)
def test_a_game_in_which_nobody_can_move_is_stepped_through(home: Path, drafts: Path) -> None:
    with studio(home, drafts) as running, running.page() as shown:
        uri = shown.show(written(home, HOUSE))
        assert "the rules have changed" in shown.refused("studio/randomGame", uri=uri, players=2, seed=1)
        settled(shown, uri)
        got = running.get(shown.ask("studio/randomGame", uri=uri, players=2, seed=1)["page"])
        assert got.status == 200 and "sandbox allow-scripts" in got.headers["content-security-policy"]
        assert "nobody can move although the game is not over" in got.text and "trim.only_excess" in got.text
        assert "the rules have changed" in shown.refused("studio/randomGame", uri=uri, players=2, seed=2)


@one_day_in(8)
def test_a_game_that_never_ends_is_stepped_through_too(home: Path, drafts: Path) -> None:
    with studio(home, drafts) as running, running.page() as shown:
        uri = shown.show(written(home, TALLY.replace("heap += number", "heap = number")))
        (note,) = settled(shown, uri)["play"]["notes"]
        assert note["text"] == "10 of 10 random games are not over after 1,000 turns"
        got = running.get(shown.ask("studio/randomGame", uri=uri, players=2, seed=note["seed"])["page"])
        assert got.status == 200 and "are not over after 1,000 turns" in got.text


# ---- in the background


def test_what_is_superseded_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last one that is asked for is measured, in steps between which others may speak."""
    monkeypatch.setattr(background, "PAUSE", 0.01)
    steps: list[str] = []
    told: list[Path] = []

    def measure(name: str, count: int) -> Any:
        def measuring(found: Measured) -> Iterator[bool]:
            for _ in range(count):
                steps.append(name)
                yield False

        return measuring

    async def work() -> None:
        one = Background(told.append)
        ruleset: Any = None
        for name in ("a", "b"):
            one._begin((Path(name),), Path(name), measure(name, 10**9), ruleset)
            while name not in steps:
                await asyncio.sleep(0.01)
        # Of what is typed elsewhere nothing follows, but what is typed here has to be asked about again.
        one.typed(Path("elsewhere"))
        assert one._now is not None
        one.typed(Path("b"))
        assert one._now is None
        for again in ("c", "c again"):
            one._begin((Path("c"),), Path("c"), measure(again, 3), ruleset)
        while not told:
            await asyncio.sleep(0.01)
        one.stop()

    asyncio.run(work())
    assert told == [Path("c")] and steps.count("c") == 3 and "c again" not in steps


@one_day_in(8)
def test_a_failure_is_told(home: Path, drafts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ValueError("of glass")

    monkeypatch.setattr(background, "subject_of", fails)
    with page(home, drafts) as shown:
        found = settled(shown, shown.show(written(home, TALLY)))
    assert found["play"]["problem"] == "internal error: ValueError: of glass" and found["marks"]["lines"]


def test_marks_differ_by_their_shape() -> None:
    """A full, a half and an empty circle: nobody has to tell colors apart."""
    css = (STATIC / "studio.css").read_text("utf-8")
    grounds = {state: re.search(rf"\.shown\.{state}{{([^}}]*)}}", css) for state in ("both", "part", "none")}
    found = {state: match[1] for state, match in grounds.items() if match is not None}
    assert "linear-gradient" in found["part"] and "background" in found["both"] and "background" not in found["none"]


@one_day_in(8)
@by_either
def test_a_rule_of_the_base_is_written_into_the_file_to_be_changed(home: Path, drafts: Path) -> None:
    with page(home, drafts) as shown:
        text = 'variant mine of paper_world/en "Mine"\n'
        path = written(home, text)
        uri = shown.show(path)
        limit = next(e for e in entries(settled(shown, uri)) if e["name"] == "turn.hand_limit")
        assert limit["changes"] and limit["line"] is None
        edit = shown.ask("studio/change", uri=uri, kind="rule", name="turn.hand_limit")
        assert (edit["uri"], edit["at"], edit["line"]) == (uri, len(text), 3)
        now = text + edit["insert"]
        assert now.split("\n")[edit["line"] - 1].startswith("change rule turn.hand_limit ")
        # As long as nothing is different there is nothing wrong, and who clicks again is led there.
        shown.type(uri, now)
        rules = settled(shown, uri)
        assert (
            next(e for e in entries(rules) if e["name"] == "trim.only_excess")["changes"] and rules["play"]["figures"]
        )
        again = shown.ask("studio/change", uri=uri, kind="rule", name="turn.hand_limit")
        assert (again["insert"], again["line"]) == ("", 3)
        shown.type(uri, now.replace("<= 9", "<= 7"))
        limit = next(e for e in entries(settled(shown, uri)) if e["name"] == "turn.hand_limit")
        assert (limit["own"], limit["changes"], limit["line"]) == ("changed", False, 3)
        assert "cannot be changed" in shown.refused("studio/change", uri=uri, kind="rule", name="no.such")
        # Rules that change no others have nothing beneath them, and what is not written whole cannot be changed so.
        shown.type(uri, TALLY)
        assert not any(e["changes"] for e in entries(settled(shown, uri)))
        shown.type(uri, "variant mine of")
        assert "fix the mistakes" in shown.refused("studio/change", uri=uri, kind="rule", name="take.all")


@one_day_in(8)
@by_either
def test_what_strands_players_names_the_rules_to_change(home: Path, drafts: Path) -> None:
    with page(home, drafts) as shown:
        # Where no rule refuses all ways, those that refuse most are named.
        rules = 'rule even "Even" when heap > 4 require number == 2\n  rule odd "Odd" when heap > 4 require number != 2'
        text = TALLY.replace('rule small "Small" when heap > 4 require number < 3', rules).partition("example")[0]
        [stuck, *_] = settled(shown, shown.show(written(home, text)))["play"]["notes"]
        said = [reason["text"] for reason in stuck["reasons"]]
        assert said[0] == "each way to `say` is refused" and len(said) == 3
        assert "`say.even` refuses " in said[1] and "`say.odd` refuses " in said[2]
        assert [reason["line"] for reason in stuck["reasons"]] == [None, 6, 7]
        assert all(reason["name"] == "" for reason in stuck["reasons"])
        # A rule beneath can be changed from there.
        few = 'variant few of paper_world/en "Few"\nchange rule turn.hand_limit "Seven" require count hand <= 7\n'
        notes = settled(shown, shown.show(written(home, few, "few.rules")))["play"]["notes"]
        assert "trim.only_excess" in {reason["name"] for reason in notes[0]["reasons"]}


def test_a_game_that_nobody_can_go_on_with_is_shown_where_it_stops(tmp_path: Path) -> None:
    """The turn that cannot end is there with what was done in it, and the rule that does not let it end."""
    text = 'variant few of paper_world/en "Few"\nchange rule turn.hand_limit "Seven" require count hand <= 7\n'
    ruleset = load_ruleset(str(written(tmp_path, text, "few.rules")), Library()).value
    assert ruleset is not None
    game, legal = Game(ruleset), None
    for number in range(1, 4):
        records = []
        for unfinished in (False, True):
            rng = Chance(number)
            record = deal_at_random(game, ["P1", "P2"], rng)
            assert not play_game(game, record, RandomPolicy(rng), legal, 200, rng, unfinished).over
            records.append(record)
        whole, stopped = records
        assert stopped.turns[:-1] == whole.turns and replay_record(game, whole).findings == []
        assert [f.rule for f in replay_record(game, stopped).findings] == ["turn.hand_limit"]
        play = replay_record(game, whole).play.copy()
        play.begin_turn(play.next_player())
        last = within_turn(play, stopped.turns[-1])
        assert not last.may_end_turn() and not any(
            last.arguments(number, actor, 1) for number, actor in last.all_steps()
        )


@pytest.mark.parametrize("language", SPOKEN)
def test_rulesets_to_build_on_are_called_as_their_texts_call_them(language: str) -> None:
    for base in bases(language):
        merged = book(base.address).game.ruleset.merged
        header = merged.edition
        translation = merged.texts.get(language, {}).get((header.kind, header.name.name))
        assert base.title == (header.text if translation is None else translation.text), base


@one_day_in(8)
@pytest.mark.parametrize("address", some(addresses(), 3))
def test_every_item_of_the_library_can_be_written_as_a_change(home: Path, address: str) -> None:
    """What `change` writes changes nothing yet, wherever editions and variants have changed or added parts; the rest says that it cannot
    be changed so.
    """
    ruleset = load_ruleset(address, Library()).value
    assert ruleset is not None
    merged, left = ruleset.merged, set()
    for key, node in merged.items.items():
        text = written_change(merged, key, "mine.rules")
        if text is None:
            left.add(key[0])
            if key[0] in ("action", "consequence"):
                # Parts of it are written elsewhere.
                assert len(merged.history[key]) > 1 or any(
                    len(steps) > 1 or rule not in merged.items or merged.items[rule].span.file is not node.span.file
                    for rule, steps in merged.history.items()
                    if rule[1].startswith(f"{key[1]}.")
                )
            continue
        written(home, f'variant mine of {address} "Mine"\n\n{text}\n')
        found = load_ruleset(str(home / "my.rules"), Library())
        assert {d.code for d in found.diagnostics} == {"PW205"}, (address, key, text)
        for language in SPOKEN[1:]:
            translation = merged.texts[language].get(key)
            told = written_change(merged, key, "mine.rules", language)
            if translation is not None and text_of(node):
                assert translation.text in told and text_of(node) not in told.replace(translation.text, ""), (key, told)
                written(home, f'variant mine of {address} "Mine"\n\n{told}\n')
                codes = {d.code for d in load_ruleset(str(home / "my.rules"), Library()).diagnostics}
                assert codes <= {"PW205"}, (address, key, told)
    assert left <= {"deck", "zone", "component", "setup", "action", "consequence", *POINTS}


@one_day_in(4)
@by_either
def test_boards_that_the_cards_can_make(home: Path, drafts: Path) -> None:
    """A card is dealt on each cell: how often that fulfils an objective is what the hypergeometric distribution says."""
    with page(home, drafts) as shown:
        text = 'edition mine of paper_world/en "Mine"\nobjective fives "Two 5s" = at least 2 card: value == 5\n'
        text += 'objective tower "A tower" = at least 1 pile: height >= 2\n'
        uri = shown.show(written(home, text))
        game = book("paper_world/en").game
        assert game.ruleset.board is not None
        component = game.ruleset.components[game.ruleset.board.element.component]
        cards = dealt_cards(game, component.name, 2)
        assert cards is not None
        values = component.attributes["value"].table
        fives, all_cards = sum(n for face, n in cards.items() if values[face] == 5), cards.total()
        wanted = 1 - sum(comb(fives, k) * comb(all_cards - fives, 9 - k) for k in (0, 1)) / comb(all_cards, 9)
        told = shown.ask("studio/dealt", uri=uri, name="fives")["told"]
        found = re.fullmatch(r"(\d+) of 2,000: about (\d+)%", told)
        assert found is not None
        assert abs(int(found[1]) / 2000 - wanted) < 4 * (wanted * (1 - wanted) / 2000) ** 0.5
        assert shown.ask("studio/dealt", uri=uri, name="tower")["told"] == "0 of 2,000: about 0%"
        assert shown.ask("studio/dealt", uri=uri, name="none")["told"] is None
        # The game has no board, or fewer cards than cells.
        assert (
            shown.ask("studio/dealt", uri=shown.show(written(home, TALLY, "tally.rules")), name="small")["told"] is None
        )
