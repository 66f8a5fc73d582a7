"""The table of the studio: the rules in the editor are played, and what cannot be done is explained."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.checking.examples import run_examples
from pwtool.play.chance import Chance
from pwtool.play.game import Game
from pwtool.play.selfplay import RandomPolicy, deal_at_random, play_game
from pwtool.records.encoding import encode_record
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from tests.browser import Page, browser
from tests.daily import one_day_in
from tests.studio.speaking import TOKEN, Running, page, studio, transport
from tests.support import BROWSER

__all__ = ["transport"]
by_either = pytest.mark.usefixtures("transport")
PLAIN = 'variant mine of tic_tac_toe "Mine"\n'
CORNER = PLAIN + 'rule lay.corner "Nobody lays in a corner" require at.column == 1 or at.row == 1\n'
ORDERLY = """game orderly "Orderly"
players 2..2
component chip { tone: red "R" }
zone hand: bag of chip per player
var heap: 0..9 = 0 per game
turn = (go | stop | hide) wink?
action go "Go on" () { heap += 1 }
action stop "Stop" () { rule late "Nobody stops at once" require heap > 0 }
action hide "Hide a chip" (chip: chip from hand "The chip is one's own") { heap += 1 }
action wink "Wink" () { heap += 1 }
ending over "Nine" when heap >= 9 then stop
score said "The same" = heap
ranking most total, shared
"""
LONG = 60


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "mine.rules").write_text(PLAIN, "utf-8")
    return folder


@pytest.fixture
def drafts(tmp_path: Path) -> Path:
    return tmp_path / "drafts"


@pytest.fixture
def running(home: Path, drafts: Path) -> Iterator[Running]:
    with studio(home, drafts, home / "mine.rules") as found:
        yield found


def lay(*cells: tuple[int, int]) -> dict[str, Any]:
    """A game of tic-tac-toe."""
    turns = [
        {"player": f"P{1 + n % 2}", "actions": [{"action": "lay", "at": list(cell)}]} for n, cell in enumerate(cells)
    ]
    return {"format": "pwtool/1", "ruleset": "tic_tac_toe", "players": ["P1", "P2"], "setup": {}, "turns": turns}


def told(shown: Any, uri: str, record: dict[str, Any], *things: dict[str, Any], is_open: bool = False) -> Any:
    return shown.ask(
        "studio/whyNot", uri=uri, asked={"record": json.dumps(record), "open": is_open, "things": list(things)}
    )


@by_either
def test_a_game_is_laid_and_goes_on_under_changed_rules(home: Path, drafts: Path) -> None:
    with page(home, drafts) as shown:
        uri = shown.show(home / "mine.rules")
        first = shown.ask("studio/table", uri=uri, wanted={})
        assert (first["seats"], first["players"], first["said"]) == ([2, 2], 2, None) and first["page"]
        assert shown.ask("studio/table", uri=uri, wanted={"shown": first["shown"]})["page"] is None
        record = lay((0, 0), (1, 1), (1, 0))
        on = shown.ask("studio/table", uri=uri, wanted={"record": json.dumps(record)})
        assert on["page"] and on["said"] is None
        # A rule that refuses the second action: the game stands before it, and says why.
        shown.type(uri, CORNER.replace("== 1", "== 0"))
        cut = shown.ask("studio/table", uri=uri, wanted={"record": json.dumps(record)})
        assert cut["page"] and "Nobody lays in a corner" in cut["said"]
        shown.type(uri, "variant")
        assert "fix the mistakes" in shown.refused("studio/table", uri=uri, wanted={})


@one_day_in(4)
@by_either
def test_other_rules_begin_another_game(home: Path, drafts: Path) -> None:
    with page(home, drafts) as shown:
        uri = shown.show(home / "mine.rules")
        shown.type(uri, 'variant mine of pig "Mine"\n')
        found = shown.ask("studio/table", uri=uri, wanted={"record": json.dumps(lay((0, 0))), "players": 3})
        assert found["page"] and "begins anew" in found["said"]
        assert shown.ask("studio/table", uri=uri, wanted={"players": 99})["players"] == found["seats"][1]
        assert shown.ask("studio/table", uri=uri, wanted={"record": "{"})["players"] == found["seats"][0]
        # With cards that these rules do not have nobody plays on.
        english = pwtool.load("paper_world/en").play(["A", "B"], seed=1)
        english["turns"] = english["turns"][:3]
        shown.type(uri, 'variant mine of paper_world/fr "Mine"\n')
        found = shown.ask("studio/table", uri=uri, wanted={"record": json.dumps(english)})
        assert found["page"] and "begins anew" in found["said"]


@by_either
def test_a_recorded_game_is_laid(home: Path, drafts: Path) -> None:
    with page(home, drafts) as shown:
        uri = shown.show(home / "mine.rules")
        found = shown.ask("studio/table", uri=uri, wanted={"text": json.dumps(lay((0, 0), (0, 0)))})
        assert found["page"] and found["said"] is None
        for text in ("{", "no game", json.dumps({"format": "pwtool-state/1", "ruleset": "tic_tac_toe"})):
            assert shown.refused("studio/table", uri=uri, wanted={"text": text})


@by_either
def test_what_cannot_be_done_is_explained_as_check_does(home: Path, drafts: Path) -> None:
    with page(home, drafts) as shown:
        uri = shown.show(home / "mine.rules")
        shown.type(uri, CORNER)
        record = lay((1, 0), (0, 1))
        corner = {"place": 0, "cell": [0, 0]}
        found = told(shown, uri, record, corner)
        [action] = found["actions"]
        assert (action["title"], action["legal"], action["tried"]) == ("Lay a mark", False, 1) and not found["over"]
        assert "Nobody lays in a corner" in action["said"]
        assert [(rule["rule"], rule["line"]) for rule in action["rules"]] == [("lay.corner", 2)]
        # Nothing names two cells: the last one is meant.
        assert told(shown, uri, record, {"place": 0, "cell": [1, 1]}, corner) == found
        [taken] = told(shown, uri, record, {"place": 0, "cell": [1, 0]})["actions"]
        assert [rule["rule"] for rule in taken["rules"]] == ["lay.free"]
        assert told(shown, uri, record, {"place": 0, "cell": [2, 1]})["actions"][0]["legal"]
        # Within a turn nothing more is in order.
        [late] = told(shown, uri, record, {"place": 0, "cell": [2, 1]}, is_open=True)["actions"]
        assert not late["legal"] and "not possible" in late["said"]
        won = lay((1, 0), (0, 1), (1, 1), (2, 1), (1, 2))
        assert told(shown, uri, won, corner) == {"actions": [], "over": True}
        assert told(shown, uri, record, {"place": 0, "code": "?"})["actions"] == []
        for wrong in ({"place": 99}, {"place": -1}):
            asked = {"record": json.dumps(record), "open": False, "things": [wrong]}
            assert "no such place" in shown.refused("studio/whyNot", uri=uri, asked=asked)
        asked = {"record": "{}", "open": False, "things": []}
        assert shown.refused("studio/whyNot", uri=uri, asked=asked)


@one_day_in(4)
@by_either
def test_of_two_cells_one_may_be_where_something_goes_from(home: Path, drafts: Path) -> None:
    with page(home, drafts) as shown:
        uri = shown.show(home / "mine.rules")
        shown.type(uri, 'variant mine of chess "Mine"\n')
        record = {"format": "pwtool/1", "ruleset": "chess", "players": ["P1", "P2"], "setup": {}, "turns": []}
        [move, *_] = told(shown, uri, record, {"place": 0, "cell": [0, 7]}, {"place": 0, "cell": [0, 5]})["actions"]
        assert move["title"] == "Move a piece" and "jumps over nothing" in move["said"]


@by_either
def test_what_is_not_possible_is_told_of_actions_that_name_nothing(home: Path, drafts: Path) -> None:
    """Without things, every action is told of that cannot be done: its rules, its time in the order of play, or nothing to name."""
    (home / "mine.rules").write_text(ORDERLY, "utf-8")
    with page(home, drafts) as shown:
        uri = shown.show(home / "mine.rules")
        record = {**lay(), "ruleset": "orderly"}
        found = {one["name"]: one for one in told(shown, uri, record)["actions"]}
        assert sorted(found) == ["hide", "stop", "wink"]
        assert (found["stop"]["inOrder"], found["stop"]["tried"]) == (True, 1) and not found["stop"]["legal"]
        assert "Nobody stops at once" in found["stop"]["said"]
        assert [(rule["rule"], rule["times"]) for rule in found["stop"]["rules"]] == [("stop.late", 1)]
        assert not found["wink"]["inOrder"] and "not possible at this point" in found["wink"]["said"]
        assert (found["hide"]["tried"], found["hide"]["action"]) == (0, "") and found["hide"]["said"]
        record["turns"] = [{"player": "P1", "actions": [{"action": "go"}]}]
        assert "stop" not in {one["name"] for one in told(shown, uri, record)["actions"]}


@by_either
def test_what_does_not_let_a_turn_end_is_told_first(home: Path, drafts: Path) -> None:
    text = 'variant mine of paper_world/en "Mine"\nchange rule turn.hand_limit "Seven" require count hand <= 7\n'
    (home / "mine.rules").write_text(text, "utf-8")
    game, rng = Game(load_ruleset(str(home / "mine.rules"), Library()).value), Chance(1)
    stuck = deal_at_random(game, ["P1", "P2"], rng)
    play_game(game, stuck, RandomPolicy(rng), None, 200, rng, unfinished=True)
    with page(home, drafts) as shown:
        uri = shown.show(home / "mine.rules")
        [end, *others] = told(shown, uri, encode_record(game, stuck), is_open=True)["actions"]
        assert (end["title"], end["legal"]) == ("End the turn", False) and "Seven" in end["said"]
        assert [(rule["rule"], rule["line"]) for rule in end["rules"]] == [("turn.hand_limit", 2)] and others


@one_day_in(4)
@by_either
def test_what_only_shuffles_is_possible_too(home: Path, drafts: Path) -> None:
    """An action that does not advance the game is never a way out of being stuck, but people may do it."""
    (home / "mine.rules").write_text('variant mine of paper_world/de "Mine"\n', "utf-8")
    with page(home, drafts) as shown:
        uri = shown.show(home / "mine.rules")
        game = pwtool.load("paper_world/de").play(["P1", "P2"], seed=1)
        game.pop("result")
        found = told(shown, uri, {**game, "turns": game["turns"][:4]})["actions"]
        assert found and "reshuffle" not in {one["name"] for one in found}


@by_either
def test_in_a_round_nobody_is_missing(home: Path, drafts: Path) -> None:
    (home / "mine.rules").write_text('variant mine of hearts "Mine"\n', "utf-8")
    with page(home, drafts) as shown:
        uri = shown.show(home / "mine.rules")
        game = pwtool.load("hearts").play(["P1", "P2", "P3", "P4"], seed=1)
        game.pop("result")
        for turns in (0, 1, 2):
            found = told(shown, uri, {**game, "turns": game["turns"][:turns]})
            assert all(one["said"] and "`by`" not in one["said"] for one in found["actions"])


@by_either
def test_what_is_said_of_an_action_becomes_an_example(home: Path, drafts: Path) -> None:
    with page(home, drafts) as shown:
        uri = shown.show(home / "mine.rules")
        shown.type(uri, CORNER)
        record = lay((1, 0), (0, 1))
        text = CORNER

        def said(at: tuple[int, int], about: str, yes: bool, is_open: bool = False) -> dict[str, Any]:
            nonlocal text
            action = {"action": "lay", "at": list(at)}
            what = {
                "record": json.dumps(record),
                "open": is_open,
                "action": json.dumps(action),
                "about": about,
                "yes": yes,
            }
            edit: dict[str, Any] = shown.ask("studio/keepAction", uri=uri, said=what)
            assert edit["uri"] == uri
            text = text[: edit["at"]] + edit["insert"] + text[edit["to"] :]
            shown.type(uri, text)
            return edit

        assert not said((0, 0), "lay.corner", False)["disagrees"]
        assert not said((1, 1), "lay", True)["disagrees"]
        assert not said((1, 0), "lay", False)["disagrees"]
        assert said((2, 2), "lay", True)["disagrees"]
        assert said((1, 2), "lay", False)["disagrees"]
        (home / "mine.rules").write_text(text, "utf-8")
        assert text.count("example lay") == 5
        rules = load_ruleset(str(home / "mine.rules"), Library()).value
        assert rules is not None
        failed, _ = run_examples(Game(rules))
        assert len(failed) == 2
        what = {
            "record": json.dumps(record),
            "open": False,
            "action": '{"action": "pass"}',
            "about": "lay",
            "yes": True,
        }
        assert shown.refused("studio/keepAction", uri=uri, said=what)
        what = {
            "record": json.dumps(record),
            "open": False,
            "action": '{"action": "lay", "at": [0, 0]}',
            "about": "no",
            "yes": True,
        }
        assert "no example" in shown.refused("studio/keepAction", uri=uri, said=what)


@one_day_in(4)
@by_either
def test_keys_that_are_no_words_reach_the_table(home: Path, drafts: Path) -> None:
    """Piles are named by numbers in records, and players as they like."""
    (home / "mine.rules").write_text('edition mine of paper_world/en "Mine"\n', "utf-8")
    with page(home, drafts) as shown:
        uri = shown.show(home / "mine.rules")
        game = pwtool.load("paper_world/en").play(["Ana Maria", "2 fast"], seed=3)
        record = {**game, "turns": game["turns"][:4]}
        record.pop("result", None)
        assert "1" in json.dumps(record)
        found = shown.ask("studio/table", uri=uri, wanted={"record": json.dumps(record)})
        assert found["page"] and found["said"] is None
        assert not told(shown, uri, record)["over"]
        assert not told(shown, uri, {**record, "turns": []}, is_open=True)["over"]
        # What follows by itself is no action of anybody, whatever its number.
        claim = json.dumps({"action": "claim", "goal": game["setup"]["goals"][0], "prize": 2})
        what = {"record": json.dumps(record), "open": False, "action": claim, "about": "take", "yes": True}
        assert "no example" in shown.refused("studio/keepAction", uri=uri, said=what)


def test_a_page_on_the_table_may_run_its_kernel_and_nothing_else(home: Path, drafts: Path) -> None:
    with studio(home, drafts) as running, running.page() as shown:
        laid = shown.ask("studio/table", uri=shown.show(home / "mine.rules"), wanted={})
        got = running.get(laid["page"])
        policy = got.headers["content-security-policy"]
        assert "sandbox allow-scripts" in policy and "'wasm-unsafe-eval'" in policy and "default-src 'none'" in policy
        data = re.search(r'class="data">(.*?)</script>', got.text, re.DOTALL)
        assert data is not None and 'data-hosted="1"' in got.text
        assert json.loads(html.unescape(data[1]))["branch"]["record"]["turns"] == []


@pytest.fixture(scope="module")
def tabs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser(tmp_path_factory.mktemp("browser")) as found:
        yield found


def click(tab: Page, x: float, y: float) -> None:
    for kind in ("mousePressed", "mouseReleased"):
        tab.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)


@one_day_in(4)
@pytest.mark.skipif(BROWSER is None, reason="no browser here")
def test_it_is_played_and_a_refused_click_says_why(tabs: Page, running: Running) -> None:
    tabs.size(1280)
    tabs.open(f"http://127.0.0.1:{running.port}/?token={TOKEN}&lang=en")
    tabs.until("document.querySelector('.n-declared')", LONG)
    tabs.click("#tab-table")
    tabs.until("document.querySelector('#panel-table iframe')", LONG)
    box = tabs.run(
        "(b => [b.left + b.width / 2, b.top])(document.querySelector('#panel-table iframe').getBoundingClientRect())"
    )
    why = "document.querySelector('#panel-table .why')"
    # The first click lays a mark there as soon as the kernel runs, the next one is refused.
    for _ in range(40):
        click(tabs, box[0], box[1] + 200)
        if tabs.run(f"new Promise(r => setTimeout(() => r(!{why}.hidden), 250))"):
            break
    assert "The cell is empty" in tabs.text("#panel-table .why")
    assert tabs.complaints == []
    press = "[...document.querySelectorAll('#panel-table button')].find(b => b.textContent === {}).click()"
    tabs.run(press.format('"This must be refused"'))
    text = "document.querySelector('.cm-content').cmTile.view.state.doc.toString()"
    tabs.until(f"{text}.includes('example lay.free')", LONG)
    tabs.run(press.format('"The last action must be refused"'))
    tabs.until(f"/example lay \\{{[^]*no +lay/.test({text})", LONG)
    # In another language, or after the page was loaded again, the game is still there.
    tabs.until("document.querySelector('.state').textContent.includes('kept as a draft')", LONG)
    tabs.open(f"http://127.0.0.1:{running.port}/?token={TOKEN}&lang=de")
    # So is the tab.
    tabs.until("document.querySelector('#tab-table').getAttribute('aria-selected') === 'true'", LONG)
    kept = "[...document.querySelectorAll('#panel-table button')].some(b => b.textContent === {} && !b.hidden)"
    tabs.until(kept.format('"Die letzte Aktion muss verboten sein"'), LONG)
    tabs.run(press.format('"Was geht nicht?"'))
    tabs.until(f"!{why}.hidden", LONG)
    # The rules change: the page is laid anew with the game as it was.
    before = tabs.run("document.querySelector('#panel-table iframe').src")
    tabs.run("document.querySelector('.cm-content').focus()")
    tabs.press("End", 2)
    tabs.type('\nrule lay.middle "The middle stays empty" require at != (1, 1)\n')
    tabs.until(f"document.querySelector('#panel-table iframe').src !== {json.dumps(before)}", LONG)
    assert tabs.run(f"{why}.hidden")


@one_day_in(8)
@by_either
def test_a_place_in_which_nothing_lies_says_what_could_be_done_with_it(home: Path, drafts: Path) -> None:
    """Actions that could name it are told, those too for which there is nothing at all."""
    with page(home, drafts) as shown:
        uri = shown.show(home / "mine.rules")
        shown.type(uri, 'variant mine of paper_world/gamepark "Mine"\n')
        dealt = pwtool.load("paper_world/gamepark").play(["A", "B"], seed=1)
        dealt["turns"] = []

        def asked(thing: dict[str, Any]) -> list[dict[str, dict[str, Any]]]:
            """For each place of the table: the actions that this could be about."""
            found = []
            for place in range(40):
                given = {"record": json.dumps(dealt), "open": False, "things": [{"place": place, **thing}]}
                answer = shown.answer("studio/whyNot", {"uri": uri, "asked": given})
                if "result" in answer:
                    found.append({one["name"]: one for one in answer["result"]["actions"]})
            return found

        for thing in ({"code": ""}, {"cell": [0, 0]}):
            places = [found["place"] for found in asked(thing) if "place" in found]
            assert places and {one["said"] for one in places} == {"there is nothing to do this with"}
            assert not any(one["legal"] for one in places)
