"""The playground in a real browser, from a plain server of static files, and without one."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pwtool.studio.playground.export import fetching, write_playground
from tests.browser import CTRL, Page, browser
from tests.studio.test_bundle import ROOT, WAIT, checkout, installed
from tests.studio.test_page import LONG, press_button, text, write_at_end
from tests.support import BROWSER

__all__ = ["installed"]
pytestmark = [
    pytest.mark.slow,
    checkout,
    pytest.mark.skipif(BROWSER is None or shutil.which("node") is None, reason="no browser or no Node here"),
]
BEGUN = 'edition my of paper_world/en "My"\n'


@pytest.fixture(scope="module")
def site(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The playground, written with the packages that its sources name."""
    pyodide = installed / "node_modules" / "pyodide"
    command = [sys.executable, *fetching(pyodide).split()[1:]]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=WAIT)
    if done.returncode:
        pytest.skip(f"the wheel of the playground cannot be had here: {done.stderr.strip()[-200:]}")
    target = tmp_path_factory.mktemp("playground") / "site"
    write_playground(target, pyodide)
    return target


class Plain(SimpleHTTPRequestHandler):
    """A server of static files that says nothing."""

    asked: list[str]

    def log_message(self, format: str, *args: object) -> None:
        """Only remember what was asked for."""
        self.asked.append(self.path)


@contextmanager
def served(site: Path, port: int = 0) -> Iterator[tuple[int, list[str]]]:
    """The site on a port of this machine, with the paths that were asked for."""
    handler = type("Handler", (Plain,), {"asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", port), partial(handler, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port, handler.asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def tab(tmp_path: Path) -> Iterator[Page]:
    """A browser that has never been here."""
    with browser(tmp_path / "browser") as page:
        yield page


def begin(tab: Page, address: str, width: int = 1280) -> None:
    """Open the playground and begin a file."""
    tab.size(width)
    tab.open(address)
    tab.until("document.querySelector('.begin option') && !document.querySelector('.begin').hidden", LONG)
    press_button(tab, "Start", ".begin")
    tab.until("document.querySelector('#objective option') && document.querySelector('.n-declared')", LONG)


def again(tab: Page, address: str) -> None:
    """Open it again, and wait until it knows the rules."""
    tab.open(address)
    tab.until("document.querySelector('#objective option') && document.querySelector('.n-declared')", LONG)


def say(tab: Page, state: str) -> None:
    """Wait until the bar says this."""
    tab.until(f"document.querySelector('.state').textContent.includes('{state}')", LONG)


def kept(tab: Page) -> None:
    """Wait until leaving would not be asked back."""
    tab.until(
        "(() => { const e = new Event('beforeunload', {cancelable: true}); dispatchEvent(e); return !e.defaultPrevented; })()",
        LONG,
    )


def test_an_objective_is_written_mended_tried_saved_and_there_without_a_network(site: Path, tab: Page) -> None:
    with served(site) as (port, asked):
        address = f"http://127.0.0.1:{port}/"
        begin(tab, address)
        write_at_end(tab, '\nobjective reds "Two yellow piles" = at least 2 card: colour == yellow')
        tab.until("document.querySelector('.problems .mend')", LONG)
        assert "there is no name colour" in tab.text(".problems li")
        tab.click(".problems .mend")
        tab.until("document.querySelector('.problems').hidden", LONG)
        tab.until("document.querySelector('#panel-meaning h2')?.textContent === 'Two yellow piles'", LONG)
        tab.until("document.querySelector('#panel-meaning .share')", LONG)
        tab.click("#tab-trying")
        tab.until("document.querySelector('.fewest')", LONG)
        tab.click("[role=radio][title^='yellow 3']")
        tab.click("#panel-trying .cell")
        tab.until("document.querySelector('.fewest h3').textContent.startsWith('One change')", LONG)
        tab.click("#panel-trying .row:nth-child(2) .cell:nth-child(3)")
        tab.until("document.querySelector('.verdict').classList.contains('yes')", LONG)
        press_button(tab, "Example: counts")
        tab.until("document.querySelector('.cm-content').textContent.includes('example reds')")
        kept(tab)
        written = text(tab)
        again(tab, address)
        assert text(tab) == written
        say(tab, "kept as a draft")
        tab.run("document.querySelector('.cm-content').focus()")
        tab.press("s", CTRL)
        say(tab, "Saved")
        written = text(tab)
        tab.until("navigator.serviceWorker.controller", LONG)
        tab.until(
            "caches.keys().then(async names => (await (await caches.open(names[0])).match('snapshot')) !== undefined)",
            LONG,
        )
        # Nothing was sent: files of the site were read, and that is all.
        names = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
        assert {re.sub(r"\?.*", "", path).lstrip("/") for path in asked} <= {"", *names}
    again(tab, address)
    assert text(tab) == written
    write_at_end(tab, "# without a network\n")
    say(tab, "kept as a draft")
    press_button(tab, "Save")
    say(tab, "Saved")
    assert tab.complaints == []


def test_a_link_carries_a_file(site: Path, tab: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("docs", "docs/_ext"):
        monkeypatch.syspath_prepend(str(ROOT / folder))
    from pwtool_site.playground import held

    with served(site) as (port, _):
        address = f"http://127.0.0.1:{port}/"
        begin(tab, address, 390)
        assert tab.run("document.documentElement.scrollWidth") <= 390
        write_at_end(tab, "# für alle\n")
        tab.run("navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }")
        press_button(tab, "Files")
        press_button(tab, "Copy a link that holds this file", "dialog")
        tab.until("window.copied")
        link = str(tab.run("window.copied"))
        assert link.startswith(f"{address}#name=my.rules&code=")
        other = tab.browser.page()
        try:
            other.open(link)
            other.until("document.querySelector('#objective option')", LONG)
            # The file of this name has another text: it stays as it is.
            assert text(other) == BEGUN + "# für alle\n" and "my_2.rules" in other.run("document.title")
            assert other.run("location.hash") == ""
            # Both windows have one program: what is typed here is seen there.
            again(other, f"{address}?file=my.rules")
            write_at_end(other, "# two\n")
            tab.until("document.querySelector('.cm-content').textContent.includes('# two')", LONG)
            kept(other)
            # The links of the documentation are made in the same way.
            other.open(address + held("shown", 'edition shown of paper_world/en "Größe"'))
            other.until("document.title.includes('shown.rules') && document.querySelector('#objective option')", LONG)
            assert text(other) == 'edition shown of paper_world/en "Größe"\n'
            other.open(f"{address}#code=xx")
            other.until("document.querySelector('.notice.alarm')", LONG)
            assert "damaged" in other.text(".notice")
        finally:
            other.close()


def test_a_house_rule_strands_players_is_mended_and_sent(site: Path, tab: Page) -> None:
    """The way of somebody new: choose the rules, change a number, be told what it does, change another one, send the link."""
    change = "[...document.querySelectorAll('{} button')].find(one => one.ariaLabel === 'Change {} in this file')"

    def write(panel: str, rule: str, number: str) -> None:
        tab.until(change.format(panel, rule), LONG)
        tab.run(change.format(panel, rule) + ".click()")
        tab.until(f"document.querySelector('.cm-content').textContent.includes('change rule {rule}')", LONG)
        tab.until("document.activeElement.className.includes('cm-content')", LONG)
        # Its number is the last thing in the text.
        for key, held in (("End", CTRL), ("ArrowUp", 0), ("End", 0), ("Backspace", 0)):
            tab.press(key, held)
        tab.type(number)

    with served(site) as (port, _):
        tab.size(1280)
        tab.open(f"http://127.0.0.1:{port}/")
        tab.until("document.querySelector('.begin option') && !document.querySelector('.begin').hidden", LONG)
        press_button(tab, "Start", ".begin")
        write("#panel-rules", "turn.hand_limit", "7")
        tab.until("document.querySelector('.oddities')", LONG)
        assert "random games nobody can move although the game is not over" in tab.text(".oddities strong")
        write(".oddities", "trim.only_excess", "7")
        tab.until("!document.querySelector('.oddities') && document.querySelector('.games .measures')", LONG)
        tab.until("document.querySelector('.games').textContent.includes('Nothing odd')", LONG)
        kept(tab)
        tab.run("navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }")
        press_button(tab, "Files")
        press_button(tab, "Copy a link that holds this file", "dialog")
        tab.until("window.copied")
        other = tab.browser.page()
        try:
            other.open(str(tab.run("window.copied")))
            other.until("document.querySelector('.n-declared')", LONG)
            assert "count hand <= 7" in text(other) and "count hand > 7" in text(other)
        finally:
            other.close()
        assert tab.complaints == []


def test_the_table_is_played_at(site: Path, tab: Page) -> None:
    """The page on it has a script and a kernel, which the policy of the playground has to let through."""
    with served(site) as (port, _):
        begin(tab, f"http://127.0.0.1:{port}/")
        tab.click("#tab-table")
        ask = "[...document.querySelectorAll('#panel-table .tools button')].find(one => one.textContent === 'What is not possible?')"
        tab.until(f"{ask} && !{ask}.hidden", LONG)
        tab.run(f"{ask}.click()")
        tab.until("document.querySelector('#panel-table .why details')", LONG)
        assert "Pass" in tab.text("#panel-table .why")
        assert tab.complaints == []


def test_a_game_that_shows_a_difference_is_apart(site: Path, tab: Page) -> None:
    with served(site) as (port, _):
        tab.size(1280)
        tab.open(f"http://127.0.0.1:{port}/?lang=fr")
        tab.until("document.querySelector('.begin option') && !document.querySelector('.begin').hidden", LONG)
        assert tab.run("document.documentElement.lang") == "fr"
        tab.run("document.querySelector('.begin button').click()")
        tab.until("document.querySelector('#objective option') && document.querySelector('.n-declared')", LONG)
        write_at_end(tab, '\nchange objective two_5s "Four visible 5s" = at least 4 card: value == 5\n')
        kept(tab)
        tab.click("#tab-differences")
        tab.until("document.querySelector('.differences button')", LONG)
        tab.run("document.querySelector('.differences button').click()")
        tab.until("document.querySelector('iframe')", LONG)
        assert tab.run("document.querySelector('iframe').getAttribute('sandbox')") == "allow-scripts"
        assert tab.run("document.querySelector('iframe').src").startswith("blob:")
        assert tab.run("document.querySelector('iframe').contentDocument") is None
        assert tab.complaints == []


def test_random_games_are_played_and_stepped_through(site: Path, tab: Page) -> None:
    with served(site) as (port, _):
        begin(tab, f"http://127.0.0.1:{port}/")
        rule = 'change rule turn.hand_limit "At most seven cards stay in hand" see taking\n  require count hand <= 7\n'
        write_at_end(tab, f"\n{rule}")
        tab.until("document.querySelector('#tab-rules .count')", LONG)
        tab.click("#tab-rules")
        assert "In 145 of 150 random games nobody can move" in tab.text(".oddities strong")
        assert tab.run("document.querySelectorAll('.cm-covered .shown.none').length") == 1
        press_button(tab, "Step through it")
        tab.until("document.querySelector('#panel-rules iframe')", LONG)
        assert tab.run("document.querySelector('#panel-rules iframe').src").startswith("blob:")
        assert tab.complaints == []


def test_a_pasted_game_is_judged(site: Path, tab: Page) -> None:
    record = (ROOT / "examples" / "records" / "illegal.json").read_text("utf-8")
    with served(site) as (port, _):
        begin(tab, f"http://127.0.0.1:{port}/")
        tab.run(
            "(view => view.dispatch({changes: {from: 0, to: view.state.doc.length, insert: 'edition my of paper_world/gamepark \"My\"'}}))"
            "(document.querySelector('.cm-content').cmTile.view)"
        )
        kept(tab)
        tab.click("#tab-games")
        paste = "(text => { const one = document.querySelector('.record'); one.value = text; one.dispatchEvent(new Event('input')); })"
        tab.run(f"{paste}({json.dumps(record)})")
        tab.until("document.querySelector('#panel-games .verdict.no')", LONG)
        assert "turn 23, Ana" in tab.text(".findings li") and "3x3" in tab.text(".findings")
        tab.run(f"{paste}({json.dumps(record.replace('players', 'playerz'))})")
        tab.until("document.querySelector('#panel-games .alarm')", LONG)
        assert "pwtool check" in tab.text("#panel-games .alarm")
        assert tab.complaints == []


def test_a_page_that_is_opened_as_a_file_says_what_it_needs(site: Path, tab: Page) -> None:
    tab.open(site / "index.html")
    tab.until("!document.querySelector('.offline').hidden && document.querySelector('.offline.soft') === null")
    assert "from a web server" in tab.text(".offline")
