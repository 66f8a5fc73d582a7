"""Playing on in a page: the kernel in it says what the engine says, in every game, and a browser plays with it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pwtool.cli.app import run
from pwtool.play import replay
from pwtool.play.chance import Chance
from pwtool.play.legal import LegalActions
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY
from pwtool.play.score import score_game
from pwtool.play.selfplay import GreedyPolicy, Option, RandomPolicy, deal_at_random, play_game
from pwtool.play.setup import build_state
from pwtool.records.encoding import encode_action, encode_record
from pwtool.show.html.playing.games import GameView
from pwtool.show.html.playing.pictures import Pictures
from pwtool.show.html.playing.watching import ACTION, END, watch
from pwtool.why.voice import Voice
from tests.browser import BROWSER, Page, browser
from tests.daily import one_day_in, some
from tests.show.test_pictures import addresses
from tests.support import book, random_game

SCRIPT = Path(__file__).resolve().parents[2] / "pwtool" / "show" / "html" / "templates" / "branching.js"
DRIVER = """
(function () {
%s
return window.pwtoolKernel(window.asked.data, window.asked.wasm).then(function (kernel) {
  return window.asked.at.map(function (at) {
    if (!kernel.begin(at[0], at[1])) { return null; }
    const contents = kernel.contents(), legal = kernel.legal();
    const actions = legal.actions.map(function (one) { return kernel.json(one, legal.owner); });
    return { contents: contents, over: legal.over, actions: actions };
  });
});
}())
"""
needs_browser = pytest.mark.skipif(BROWSER is None, reason="needs Chromium")


class Lively(RandomPolicy):
    """Every way to go on is equally likely, so that boards fill up where a turn may also be passed."""

    def choose(self, play: Play, options: list[Option], may_end: bool) -> Option | None:
        left = list(options)
        while left and not (may_end and self.rng.below(5) < 2):
            chosen = left.pop(self.rng.below(len(left)))
            if chosen[0] not in play.game.judged_late or play.is_legal(*chosen):
                return chosen
        return None


def compared(tab: Page, address: str, seed: int, most: int, turns: int) -> int:
    """Compare positions of a game at random, up to so many from all of it: the table and the legal actions. How many were compared."""
    rules = book(address)
    ruleset, rng = rules.game.ruleset, Chance(seed)
    players = ruleset.min_players + seed % (ruleset.max_players - ruleset.min_players + 1)
    dealt = deal_at_random(rules.game, [f"P{i}" for i in range(1, players + 1)], rng)
    play_game(rules.game, dealt, (Lively if seed % 2 else RandomPolicy)(rng), rules.legal, turns)
    data = encode_record(rules.game, dealt)
    data.pop("result", None)
    record = rules.decoder.record(data)
    view = GameView(watch(rules, record), [], Pictures(), Voice("en"), goes_on=True)
    assert view.kernel, address
    page = json.loads(view.data)
    steps = [n for n, moment in enumerate(view.moments) if moment.kind in (ACTION, END)]
    steps = steps[:: -(-len(steps) // most)]
    asked = {
        "data": page,
        "wasm": view.pictures.kernels[view.kernel],
        "at": [page["branch"]["steps"][n] for n in steps],
    }
    tab.run(f"window.asked = {json.dumps(asked)}; 1")
    answer = tab.run(DRIVER % SCRIPT.read_text("utf-8"))
    goals, done = list(view.moves.goals), 0
    for step, said in zip(steps, answer, strict=True):
        moment = view.moments[step]
        play = moment.play.copy()
        assert said is not None, (address, step)
        assert said["contents"] == json.loads(json.dumps(view.table.start(view.contents[step]))), (address, step)
        assert said["over"] == play.over, (address, step)
        # The page goes on behind a turn of which the record says that it ended; the play that was watched has not begun the next.
        if play.over or (moment.kind == END and page["branch"]["steps"][step] == [len(record.turns), 0]):
            continue
        if moment.kind == END:
            play.act(play.owner)
        wanted = set()
        for number, actor in play.all_steps():
            if number in rules.game.ruleset.idle:
                continue
            for way in play.arguments(number, actor, 5000):
                by = None if actor in (play.owner, EVERYBODY) else actor
                action = encode_action(rules.game, rules.game.action(number), way, list(record.players), goals, by)
                wanted.add(json.dumps(action, sort_keys=True))
        assert {json.dumps(one, sort_keys=True) for one in said["actions"]} == wanted, (address, step)
        done += 1
    return done


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser(tmp_path_factory.mktemp("browser")) as page:
        yield page


@one_day_in(8)
@needs_browser
@pytest.mark.parametrize("address", some(list(addresses()), 2))
def test_a_page_knows_what_is_legal(address: str, tab: Page) -> None:
    assert compared(tab, address, seed=3, most=12, turns=40)


@needs_browser
def test_a_cell_that_a_game_remembers_has_its_name(tab: Page) -> None:
    """Where a stone may not be put back at once."""
    assert compared(tab, "go+open_spiel", seed=7, most=70, turns=63) > 60


@needs_browser
def test_a_game_that_takes_too_much_work_goes_on_from_where_it_was_judged(
    tab: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not from the end of the record, at which another position would be shown than the one to play on from."""
    rules = book("gomoku+exactly_five")
    data, _ = random_game("gomoku+exactly_five", 2, 1, 20)
    record = rules.decoder.record(data)
    monkeypatch.setattr(replay, "game_work", lambda _: 20_000)
    watched = watch(rules, record)
    assert watched.replay.cut and 2 < len(watched.moments) < len(record.turns)
    assert compared(tab, "gomoku+exactly_five", seed=1, most=60, turns=20) > 2
    # The action that was not judged is marked where it stands, not at the end.
    steps = json.loads(GameView(watched, [], Pictures(), Voice("en")).data)["steps"]
    assert "m" in steps[-2] and "m" not in steps[-1] and steps[-1]["t"] == steps[-2]["t"]


@needs_browser
@pytest.mark.slow
@pytest.mark.parametrize("address", addresses())
def test_every_page_knows_what_is_legal(address: str, tab: Page) -> None:
    done, seed = 0, 0
    while done < 60:
        done += compared(tab, address, seed, most=60, turns=300)
        seed += 1


# ---- played by hand


def choose(tab: Page, key: str) -> None:
    """Click on a cell of the first board."""
    tab.run(
        "(function () { const svg = document.querySelector('.board svg');"
        " const place = JSON.parse(document.querySelector('.data').textContent).places[0];"
        f" const at = place.at['{key}'], point = new DOMPoint(at[0], at[1]).matrixTransform(svg.getScreenCTM());"
        " svg.dispatchEvent(new MouseEvent('click', { clientX: point.x, clientY: point.y, bubbles: true })); }())"
    )


def record_of(tab: Page) -> dict[str, Any]:
    tab.run("document.querySelector('[data-copy=record]').click()")
    found: dict[str, Any] = json.loads(tab.run("document.querySelector('.copy textarea').value"))
    return found


@one_day_in(8)
@needs_browser
def test_a_game_goes_on_from_any_position_and_back(tab: Page, tmp_path: Path) -> None:
    path, page = tmp_path / "game.json", tmp_path / "game.html"
    assert run(["play", "chess", "--seed", "3", "-o", str(path)]) == 0
    assert run(["replay", str(path), "--html", "-o", str(page)]) == 0
    turns = json.loads(path.read_text("utf-8"))["turns"]
    tab.size(1280)
    tab.open(page.as_uri() + "#turn=20")
    whole = tab.text(".count")
    tab.click(".branch")
    tab.until("document.querySelector('.branching')")
    choose(tab, "6,0")
    assert tab.run("document.querySelectorAll('circle.legal').length") == 2
    choose(tab, "5,2")
    assert tab.text(".count") == "21 of 21" and tab.run("document.querySelectorAll('.moves li.own').length") == 1
    kept = record_of(tab)
    assert kept["turns"][:19] == turns[:19]
    assert kept["turns"][19]["actions"] == [{"action": "step", "start": [6, 0], "target": [5, 2]}]
    tab.click("[data-branch='back']")
    assert tab.text(".count") == "20 of 20"
    # The other side plays by itself.
    tab.run("(v => { v.value = 0; v.dispatchEvent(new Event('change')); })(document.querySelector('.policy'))")
    choose(tab, "6,0")
    choose(tab, "5,2")
    tab.until("document.querySelector('.count').textContent === '22 of 22'")
    (tmp_path / "on.json").write_text(json.dumps(record_of(tab)), "utf-8")
    assert run(["check", str(tmp_path / "on.json")]) == 0
    tab.click("[data-branch='leave']")
    assert tab.text(".count") == whole and not tab.complaints


@needs_browser
def test_behind_what_is_refused_nobody_plays_on_and_the_page_says_why(tab: Page, tmp_path: Path) -> None:
    path, page = tmp_path / "game.json", tmp_path / "game.html"
    assert run(["play", "chess", "--seed", "3", "-o", str(path)]) == 0
    game = json.loads(path.read_text("utf-8"))
    game["turns"][9] = {**game["turns"][9], "actions": [{"action": "step", "start": [0, 0], "target": [5, 4]}]}
    path.write_text(json.dumps(game), "utf-8")
    run(["replay", str(path), "--html", "-o", str(page)])
    tab.size(1280)
    for turn, can in ((10, True), (12, False)):
        tab.open("about:blank")
        tab.open(page.as_uri() + f"#turn={turn}")
        assert tab.run("document.querySelector('.branch').disabled") is not can
        assert tab.run("document.querySelector('.branch').title") == (
            "" if can else "Something before this is refused: from here on nobody can play on."
        )


@needs_browser
def test_a_click_where_something_lands_chooses_what_it_passes(tab: Page, tmp_path: Path) -> None:
    """A jump names the man that is taken; players click on the cell behind."""
    path, page = tmp_path / "game.pdn", tmp_path / "game.html"
    path.write_text("1. 11-15 22-18 *\n", "utf-8")
    assert run(["replay", str(path), "--html", "-o", str(page)]) == 0
    tab.size(1280)
    tab.open(page.as_uri())
    tab.press("End")
    tab.click(".branch")
    tab.until("document.querySelector('.branching')")
    choose(tab, "3,4")
    # Nothing lands there: it is chosen anew.
    choose(tab, "3,6")
    choose(tab, "3,4")
    choose(tab, "5,2")
    kept = record_of(tab)["turns"]
    assert kept[2]["actions"] == [{"action": "jump", "start": [3, 4], "over": [4, 3]}] and len(kept) == 3
    assert not tab.complaints


@needs_browser
@pytest.mark.parametrize("address", some([a for a in addresses() if "liars" not in a], 1))
def test_a_whole_game_is_played_on_a_page(address: str, tab: Page, tmp_path: Path) -> None:
    page = tmp_path / "board.html"
    assert run(["play", address, "--html", "--seed", "5", "-o", str(page)]) == 0
    tab.open(page)
    tab.until("document.querySelector('.branching')")
    for number in range(25):
        tab.run("document.querySelector('.legal-now').open = true")
        tab.until("document.querySelector('.ways').childNodes.length")
        ways = tab.run("document.querySelectorAll('.way').length")
        if not ways:
            break
        tab.run(f"document.querySelectorAll('.way')[{number * 7 % ways}].click()")
    path = tmp_path / "on.json"
    path.write_text(json.dumps(record_of(tab)), "utf-8")
    assert run(["check", str(path)]) == 0 and not tab.complaints


def test_what_a_page_to_play_on_is_not_for(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = str(tmp_path / "b.html")
    assert run(["play", "nim", "--html", "--games", "3", "-o", page]) == 2
    assert run(["play", "nim", "--html", "--policy", "person", "-o", page]) == 2
    assert run(["play", "nim", "--html", "-o", str(tmp_path / "b.json")]) == 2
    assert not list(tmp_path.iterdir())


def ways(tab: Page) -> list[str]:
    """What the list offers."""
    tab.run("document.querySelector('.legal-now').open = true")
    tab.until("document.querySelector('.ways').childNodes.length")
    found: list[str] = tab.run("Array.from(document.querySelectorAll('.way'), one => one.textContent)")
    return found


def board(tab: Page, tmp_path: Path, address: str) -> None:
    """A page to play on, open."""
    page = tmp_path / "board.html"
    assert run(["play", address, "--html", "--seed", "5", "-o", str(page), "--force"]) == 0
    tab.size(1280)
    tab.open(page)
    tab.until("document.querySelector('.branching')")


@needs_browser
def test_more_may_lie_than_ever_did(tab: Page, tmp_path: Path) -> None:
    board(tab, tmp_path, "crazy_eights")
    for _ in range(24):
        offered = ways(tab)
        draw = next((n for n, words in enumerate(offered) if "Draw" in words), 0)
        tab.run(f"document.querySelectorAll('.way')[{draw}].click()")
    shown = "Array.from(document.querySelectorAll('section.seat .things'), one => one.querySelectorAll('.thing:not(.spare)').length)"
    said = "Array.from(document.querySelectorAll('section.seat .things'), one => one.getAttribute('aria-label').split(',').length - 1)"
    assert tab.run(shown) == tab.run(said) and max(tab.run(shown)) > 8


@one_day_in(8)
@needs_browser
def test_what_the_board_does_not_offer_is_in_the_list(tab: Page, tmp_path: Path) -> None:
    board(tab, tmp_path, "go+nineteen")
    assert ways(tab)[0] == "Pass" and len(ways(tab)) == 61


@needs_browser
def test_a_seat_sees_no_secrets_while_people_play_on(tab: Page, tmp_path: Path) -> None:
    board(tab, tmp_path, "crazy_eights")
    cards = [words for words in ways(tab) if ":" in words]
    look = "(v => {{ v.value = {}; v.dispatchEvent(new Event('change')); }})(document.querySelector('.view'))"
    tab.run(look.format(1))
    assert not tab.run("document.querySelectorAll('.way').length") and tab.text(".where") == "P1"
    tab.run(look.format(0))
    assert [words for words in ways(tab) if ":" in words] == cards
    tab.run("document.querySelectorAll('.way')[0].click()")
    own = "document.querySelector('.moves li.own .words').textContent"
    whole = tab.run(own)
    tab.run(look.format(2))
    assert tab.run(own) == whole.partition(":")[0]
    tab.run(look.format(-1))
    assert tab.run(own) == whole


@one_day_in(8)
@needs_browser
def test_nothing_that_is_said_of_the_record_is_said_of_what_is_played(tab: Page, tmp_path: Path) -> None:
    page, records = tmp_path / "illegal.html", Path(__file__).resolve().parents[2] / "examples" / "records"
    assert run(["replay", str(records / "illegal.json"), "--html", "-o", str(page)]) == 1
    tab.size(1280)
    tab.open(page)
    whole = json.loads(
        tab.run(
            "(document.querySelector('[data-copy=record]').click(), document.querySelector('.copy textarea').value)"
        )
    )
    assert len(whole["turns"]) > 23
    tab.click(".branch")
    tab.until("document.querySelector('.branching')")
    assert ways(tab)
    tab.run("document.querySelectorAll('.way')[0].click()")
    tab.run("document.querySelector('.moves li.own .move').click()")
    assert "roken" not in tab.text(".spoken") and not tab.run("document.querySelectorAll('.note.here').length")


@one_day_in(8)
@needs_browser
def test_one_takes_back_ones_own_move_from_a_machine(tab: Page, tmp_path: Path) -> None:
    board(tab, tmp_path, "chess")
    tab.run("(v => { v.value = 1; v.dispatchEvent(new Event('change')); })(document.querySelector('.policy'))")
    for count in (3, 5):
        assert ways(tab)
        tab.run("document.querySelectorAll('.way')[3].click()")
        tab.until(f"document.querySelector('.count').textContent === '{count} of {count}'")
    tab.click("[data-branch='back']")
    assert tab.text(".count") == "3 of 3" and tab.text(".where") == "P1"


@one_day_in(4)
@needs_browser
def test_a_machine_plays_for_points(tab: Page, tmp_path: Path) -> None:
    board(tab, tmp_path, "othello")
    offered: list[str] = tab.run("Array.from(document.querySelectorAll('.policy option'), one => one.value)")
    assert offered == ["-1", "0", "1", "0 greedy", "1 greedy"]
    tab.run("(v => { v.value = '1 greedy'; v.dispatchEvent(new Event('change')); })(document.querySelector('.policy'))")
    for count in (3, 5, 7, 9, 11):
        assert ways(tab)
        tab.run("document.querySelectorAll('.way')[0].click()")
        tab.until(f"document.querySelector('.count').textContent === '{count} of {count}'")
    # Each of its moves gave as much as any that was legal.
    rules, policy, chosen = book("othello"), GreedyPolicy(Chance(1)), 0
    record = rules.decoder.record(record_of(tab))
    play = Play(rules.game, build_state(rules.game, record)[0], LegalActions(rules.game))
    for turn in record.turns:
        play.begin_turn(play.next_player())
        (move,) = turn.moves
        options = play.legal_actions()
        if turn.player == 1:
            standing = score_game(play.game, play.state).totals
            gains = {option: policy._gain(play, option, standing) for option in options}
            assert gains[move.number, move.actor, move.arguments] == max(gains.values())
            chosen += max(gains.values()) > min(gains.values())
        play.do(move.number, move.actor, move.arguments)
        play.derive_consequences()
        play.end_turn()
    assert chosen


def test_names_that_json_escapes_have_no_page_to_play_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = str(tmp_path / "b.html")
    assert run(["play", "nim", "--html", "--players", "2", "--name", 'An"a', "-o", page]) == 2
    assert "quotation marks" in capsys.readouterr().err


@needs_browser
def test_who_chooses_with_the_keyboard_goes_on_from_the_list(tab: Page, tmp_path: Path) -> None:
    board(tab, tmp_path, "nim")
    assert ways(tab)
    # A click without a pointer, as Enter makes it.
    tab.run("document.querySelector('.way').focus(), document.querySelector('.way').click()")
    assert tab.run("document.activeElement.tagName") == "SUMMARY"


@needs_browser
def test_cards_in_a_hand_are_a_fan_and_heaps_tell_one_number(tab: Page, tmp_path: Path) -> None:
    board(tab, tmp_path, "hearts")
    turned = "Array.from(document.querySelectorAll('.things.fan')[0].querySelectorAll('.thing:not(.spare)'), one => one.style.transform)"
    found: list[str] = tab.run(turned)
    assert len(found) == 13 == len(set(found)) and found[6] == "rotate(0deg)"
    inside = (
        "Array.from(document.querySelectorAll('.things.fan > .thing:not(.spare)')).every(one => {"
        " const box = one.getBoundingClientRect(), around = one.closest('.panel').getBoundingClientRect();"
        " return box.left >= around.left && box.right <= around.right; })"
    )
    for width in (1600, 390):
        tab.size(width)
        tab.until(inside, 3)
    path, page = tmp_path / "game.json", tmp_path / "game.html"
    assert run(["play", "mancala", "--seed", "4", "-o", str(path)]) == 0
    assert run(["replay", str(path), "--html", "-o", str(page)]) == 0
    tab.open(page.as_uri() + "#turn=12")
    both = "Array.from(document.querySelectorAll('.board svg > g > g')).some(one => one.querySelectorAll('use').length > 1)"
    assert not tab.run(both) and tab.run("document.querySelectorAll('.ghost').length") > 0


@needs_browser
def test_pages_that_lie_together_share_a_kernel(tab: Page, tmp_path: Path) -> None:
    games, folder = tmp_path / "games.jsonl", tmp_path / "pages"
    assert run(["play", "connect_four", "--games", "2", "--seed", "3", "-o", str(games)]) == 0
    assert run(["replay", str(games), "--html", "-o", str(folder)]) == 0
    pages, (kernel,) = sorted(folder.glob("*.html")), folder.glob("kernel-*.js")
    assert len(pages) == 2 and not any("text/plain" in page.read_text("utf-8") for page in pages)
    tab.size(1280)
    for page in pages:
        tab.open(page.as_uri() + "#turn=3")
        tab.click(".branch")
        tab.until("document.querySelector('.branching')")
        assert ways(tab) and not tab.complaints
    # Who gets a page alone still steps through the game.
    kernel.unlink()
    tab.open(pages[0])
    tab.run("document.querySelector(\"[data-go='next']\").click()")
    assert tab.text(".count").startswith("2 of") and tab.run("document.querySelector('.branch').hidden")
    tab.browser.forget("Log.entryAdded")


@one_day_in(8)
@needs_browser
def test_games_of_one_report_share_a_kernel(tab: Page, tmp_path: Path) -> None:
    record = json.loads(
        (Path(__file__).resolve().parents[2] / "examples" / "records" / "illegal.json").read_text("utf-8")
    )
    for number in (1, 2):
        (tmp_path / f"{number}.json").write_text(json.dumps(record | {"id": f"game {number}"}), "utf-8")
    page = tmp_path / "report.html"
    assert run(["check", str(tmp_path / "1.json"), str(tmp_path / "2.json"), "--format", "html", "-o", str(page)]) == 1
    assert page.read_text("utf-8").count('<script type="text/plain"') == 1
    tab.size(1280)
    tab.open(page)
    tab.click("#game2 .branch")
    tab.until("document.querySelector('#game2.branching') && !document.querySelector('#game1.branching')")
    assert not tab.complaints


@one_day_in(4)
@needs_browser
def test_a_slider_says_where_it_stands_though_nobody_has_the_turn(tab: Page, tmp_path: Path) -> None:
    board(tab, tmp_path, "pierre_papier_morpion")
    assert tab.run("document.querySelector('.slider').getAttribute('aria-valuetext')") == "1"


@one_day_in(4)
@needs_browser
def test_what_may_be_done_has_the_room_that_there_is(tab: Page, tmp_path: Path) -> None:
    board(tab, tmp_path, "pierre_papier_morpion")
    assert len(ways(tab)) == 9
    assert tab.run("document.querySelector('.ways').clientHeight") > 150
