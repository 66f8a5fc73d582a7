"""The studio in a real browser: what its page shows and does, by mouse and by keyboard, on both sizes and in both schemes."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import pwtool
from tests.browser import CTRL, SHIFT, Page, browser
from tests.daily import one_day_in
from tests.studio.speaking import TOKEN, Running, studio
from tests.support import BROWSER

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no browser here")

HOUSE = """edition house of paper_world/en "Our house rules"

change rule turn.hand_limit "At most seven cards stay in hand" see taking
  require count hand <= 7
  because "seven are enough for two"

objective twos "Two 2s side by side" = some [ # # ] turned: all value == 2

example twos {
  yes [ Y2 B2 ]
  no  [ Y2 B3 ]
}
"""
LONG = 60
"""So many seconds may something take that is searched for."""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    path = tmp_path / "rules" / "house.rules"
    path.parent.mkdir()
    path.write_text(HOUSE, "utf-8")
    return path


@pytest.fixture
def drafts(tmp_path: Path) -> Path:
    return tmp_path / "drafts"


@pytest.fixture
def running(house: Path, drafts: Path) -> Iterator[Running]:
    with studio(house.parent, drafts, house) as found:
        yield found


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser(tmp_path_factory.mktemp("browser")) as page:
        yield page


@pytest.fixture
def tab(first: Page) -> Iterator[Page]:
    """A page of its own: one that is left with something that is not kept would ask."""
    page = first.browser.page()
    yield page
    page.close()


def show(tab: Page, running: Running, width: int = 1280, dark: bool = False, language: str = "en") -> None:
    """Open the studio, and wait until it knows the rules."""
    tab.size(width, dark=dark)
    tab.open(f"http://127.0.0.1:{running.port}/?token={TOKEN}&lang={language}")
    tab.until("document.querySelector('#objective option') && document.querySelector('.n-declared')", LONG)


def text(tab: Page) -> str:
    """What stands in the editor."""
    return str(tab.run("document.querySelector('.cm-content').cmTile.view.state.doc.toString()"))


def write_at_end(tab: Page, written: str) -> None:
    tab.run("document.querySelector('.cm-content').focus()")
    tab.press("End", CTRL)
    tab.type(written)


def press_button(tab: Page, title: str, within: str = "body") -> None:
    """Press the button that says this; at once, for what is shown may be drawn anew in between."""
    tab.until(
        f"""(() => {{ const one = [...document.querySelectorAll({json.dumps(within + " button")})].find(b => !b.disabled && b.checkVisibility()
        && (b.textContent.trim() === {json.dumps(title)} || b.getAttribute('aria-label') === {json.dumps(title)}));
        if (one) one.focus(), one.click(); return Boolean(one); }})()"""
    )


def choose(tab: Page, title: str, value: str) -> None:
    """Give a field a value, as a hand does."""
    tab.run(
        f"""(() => {{ const one = document.querySelector('[aria-label="{title}"]'); one.value = '{value}';
        for (const kind of ['input', 'change']) one.dispatchEvent(new Event(kind)); }})()"""
    )


def would_ask(tab: Page) -> bool:
    """Whether leaving the page would be asked back."""
    return bool(
        tab.run(
            "(() => { const e = new Event('beforeunload', {cancelable: true}); dispatchEvent(e); return e.defaultPrevented; })()"
        )
    )


@one_day_in(8)
def test_an_objective_is_written_mended_tried_kept_and_saved(tab: Page, running: Running, house: Path) -> None:
    show(tab, running)
    # By text, with a mistake that is mended with one click.
    write_at_end(tab, '\nobjective reds "Two yellow piles" = at least 2 card: colour == yellow')
    tab.until("document.querySelector('.problems .mend')", LONG)
    assert "there is no name colour" in tab.text(".problems li")
    tab.click(".problems .mend")
    tab.until("document.querySelector('.problems').hidden", LONG)
    assert "at least 2 card: color == yellow" in text(tab)
    # The objective at the cursor is what the other side is about.
    tab.until("document.querySelector('#objective').value === 'reds'", LONG)
    tab.until("document.querySelector('#panel-meaning h2')?.textContent === 'Two yellow piles'")
    tab.until("document.querySelector('#panel-meaning .share')", LONG)
    # A board, by mouse: it counts as soon as two yellow cards lie there.
    tab.click("#tab-trying")
    tab.until("document.querySelector('.fewest')", LONG)
    tab.click("[role=radio][title^='yellow 3']")
    tab.click("#panel-trying .cell")
    tab.until("document.querySelector('.fewest h3').textContent.startsWith('One change')")
    tab.click("#panel-trying .row:nth-child(2) .cell:nth-child(3)")
    tab.until("document.querySelector('.verdict').classList.contains('yes')")
    assert tab.run("document.querySelectorAll('.cell.framed').length") == 2
    # It becomes an example; what is written is kept, and saved only now.
    press_button(tab, "Example: counts")
    tab.until("document.querySelector('.notice')?.textContent.startsWith('Added')")
    assert "example reds {" in text(tab) and "Y3 . ." in text(tab)
    assert house.read_text("utf-8") == HOUSE
    tab.until("document.querySelector('.state').textContent.includes('kept as a draft')")
    tab.run("document.querySelector('.cm-content').focus()")
    tab.press("s", CTRL)
    tab.until("document.querySelector('.state').textContent === 'Saved'")
    assert house.read_text("utf-8") == text(tab)
    assert tab.complaints == []


@pytest.mark.slow
def test_what_was_typed_outlives_the_page_and_the_server(tab: Page, house: Path, drafts: Path) -> None:
    with studio(house.parent, drafts, house) as first:
        show(tab, first)
        write_at_end(tab, "# a thought")
        tab.until("document.querySelector('.state').textContent.includes('kept as a draft')")
        show(tab, first)
        assert text(tab).endswith("# a thought")
        write_at_end(tab, " more")
        tab.until("document.querySelector('.state').textContent.includes('kept as a draft')")
    tab.until("!document.querySelector('.offline').hidden")
    assert "Your text stays here" in tab.text(".offline") or "does not answer" in tab.text(".offline")
    assert text(tab).endswith("# a thought more")
    press_button(tab, "Copy the text", ".offline")
    tab.until("document.querySelector('.notice')")
    with studio(house.parent, drafts, house) as second:
        show(tab, second)
        assert text(tab).endswith("# a thought more")
        assert house.read_text("utf-8") == HOUSE
        press_button(tab, "Discard draft")
        tab.until("document.querySelector('.state').textContent === 'Saved'")
        assert text(tab) == HOUSE
        tab.run("document.querySelector('.cm-content').focus()")
        tab.press("z", CTRL)
        assert text(tab).endswith("# a thought more")
        press_button(tab, "Discard draft")
        tab.until("document.querySelector('.state').textContent === 'Saved'")


@one_day_in(7)
def test_an_objective_is_pointed_out(tab: Page, running: Running) -> None:
    """Two diagonally neighboring piles of one color, both at least three high: drawn and chosen, no word of the language typed."""
    show(tab, running)
    tab.click("#tab-palette")
    tab.click("#panel-palette .field input")
    tab.type("Two tall neighbors, corner to corner")
    tab.click(".shape button:nth-child(5)")
    press_button(tab, "Together they have: Add", "#panel-palette")
    tab.click("#panel-palette label[for^=turned]")
    choose(tab, "How high", "least")
    choose(tab, "How many", "3")
    tab.until("document.querySelector('.result pre')?.textContent.includes('height >= 3')", LONG)
    line = tab.text(".result pre")
    assert line.endswith('corner to corner" = some [ # . / . # ] turned: same color and all height >= 3')
    tab.until("document.querySelector('.result img').complete")
    press_button(tab, "Put it into the text")
    tab.until("document.querySelector('#objective').value === 'two_tall_neighbors_corner_to'", LONG)
    assert line in " ".join(text(tab).split())
    assert tab.run("document.querySelector('.problems').hidden")


@one_day_in(8)
def test_everything_by_keyboard(tab: Page, running: Running) -> None:
    show(tab, running)
    focused = "document.activeElement"
    tab.run("document.querySelector('.cm-content').focus()")
    tab.press("Escape")
    tab.press("Tab")
    assert not tab.run(f"Boolean({focused}.closest('.cm-editor'))")
    # Tabs by arrows, then the board: one stop each.
    tab.run("document.querySelector('#tab-meaning').focus()")
    for name in ("rules", "table", "trying"):
        tab.press("ArrowRight")
        assert tab.run(f"{focused}.id") == f"tab-{name}"
    tab.until("document.querySelector('.verdict.no')", LONG)
    stops = []
    for _ in range(4):
        tab.press("Tab")
        stops.append(tab.run(f"{focused}.id || {focused}.getAttribute('role') || {focused}.type"))
    assert stops == ["objective", "gridcell", "search", "radio"]
    tab.press("ArrowRight")
    tab.press("ArrowRight")
    assert tab.run(f"{focused}.getAttribute('aria-checked')") == "true"
    for _ in range(2):
        tab.press("Tab", SHIFT)
    tab.press("ArrowRight")
    tab.press("ArrowDown")
    tab.press("Enter")
    label = str(tab.run(f"{focused}.getAttribute('aria-label')"))
    assert label.startswith("Column 2, row 2: yellow ")
    tab.press("Backspace")
    assert tab.run(f"{focused}.getAttribute('aria-label')") == "Column 2, row 2: empty"
    assert tab.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"


@pytest.mark.slow
def test_boards_are_decided(tab: Page, running: Running) -> None:
    show(tab, running)
    tab.click("#tab-examples")
    tab.until("document.querySelectorAll('#panel-examples .boards li').length >= 2", LONG)
    tab.until("document.querySelector('.deciding .question')", LONG)
    before = text(tab)
    press_button(tab, "Yes, it counts", ".deciding")
    tab.until("document.querySelector('.notice, .deciding .was')", LONG)
    if tab.run("Boolean(document.querySelector('.deciding .was'))"):
        press_button(tab, "Only keep the example", ".deciding")
    tab.until(f"document.querySelector('.cm-content').cmTile.view.state.doc.length > {len(before)}", LONG)
    tab.until("document.querySelectorAll('#panel-examples > div > .boards li').length >= 3", LONG)


@pytest.mark.slow
def test_an_example_is_removed_and_comes_back(tab: Page, running: Running) -> None:
    show(tab, running)
    cards = "document.querySelectorAll('#panel-examples > div > .boards li').length"
    tab.click("#tab-examples")
    tab.until(f"{cards} === 2", LONG)
    press_button(tab, "Remove", "#panel-examples > div > .boards li")
    tab.until(f"{cards} === 1", LONG)
    assert text(tab) == HOUSE.replace("  yes [ Y2 B2 ]\n", "")
    press_button(tab, "Undo", ".bar-top")
    tab.until(f"{cards} === 2", LONG)
    assert text(tab) == HOUSE


@pytest.mark.slow
def test_differences_with_a_game_that_shows_one(tab: Page, running: Running) -> None:
    show(tab, running)
    tab.click("#tab-differences")
    tab.until("document.querySelector('.differences')", LONG)
    assert "Paper World" in tab.text("#panel-differences h2")
    press_button(tab, "Show in a game", ".differences")
    tab.until("document.querySelector('iframe')", LONG)
    assert tab.run("document.querySelector('iframe').getAttribute('sandbox')") == "allow-scripts"
    # It is apart: nothing of it can be reached from here.
    assert tab.run("document.querySelector('iframe').contentDocument") is None
    assert tab.complaints == []


@one_day_in(8)
def test_a_mistake_dims_its_objective_alone(tab: Page, running: Running) -> None:
    """It is shown as it was, with the line that was changed; all others as they are written."""
    show(tab, running)
    write_at_end(tab, '\nobjective yellows "Two yellow piles" = at least 2 card: color == yellow\n')
    tab.until("[...document.querySelectorAll('#objective option')].some(o => o.value === 'yellows')", LONG)
    content = "document.querySelector('.cm-content').cmTile.view"

    def is_chosen(name: str, title: str) -> None:
        tab.run(
            f"(o => {{ o.value = '{name}'; o.dispatchEvent(new Event('change')); }})(document.querySelector('#objective'))"
        )
        tab.until(f"document.querySelector('#panel-meaning h2')?.textContent === {json.dumps(title)}", LONG)

    def is_replaced(old: str, new: str) -> None:
        at = text(tab).index(old)
        change = json.dumps({"changes": {"from": at, "to": at + len(old), "insert": new}})
        tab.run(f"{content}.dispatch({change})")

    def seen() -> list[object]:
        return [
            tab.text("#panel-meaning pre"),
            tab.run("document.querySelector('#panel-meaning .drawing img').src"),
            tab.run("getComputedStyle(document.querySelector('#panel-meaning .drawing')).opacity"),
            tab.run("getComputedStyle(document.querySelector('#panel-meaning h2')).color"),
        ]

    is_chosen("twos", "Two 2s side by side")
    tab.until("document.querySelector('#panel-meaning .share')", LONG)
    before = seen()
    written = tab.run("document.querySelector('#panel-meaning pre').textContent")
    # Both kinds of mistakes: one in what it says, and one in how it is written.
    for old, new in [("value == 2", "valu == 2"), ("= some [ # # ]", "= = some [ # # ]")]:
        is_replaced(old, new)
        tab.until("document.querySelector('.panels').classList.contains('stale')", LONG)
        assert tab.text(".explore > .warning").endswith("this is what was meant before line 7 was changed.")
        now = seen()
        assert now[:2] == before[:2] and now[2] != before[2] and now[3] != before[3]
        assert tab.run("Boolean(document.querySelector('#panel-meaning .share'))")
        for name in ("trying", "examples"):
            tab.click(f"#tab-{name}")
            tab.until(f"document.querySelector('#panel-{name} :is(.verdict strong, .boards img)')", LONG)
            assert tab.run("document.querySelector('.panels').classList.contains('stale')")
        # What is written above it moves the line; what is written elsewhere counts.
        tab.click("#tab-meaning")
        is_replaced("edition house", "# Ours\nedition house")
        tab.until("document.querySelector('.explore > .warning').textContent.includes('before line 8 ')", LONG)
        is_replaced("at least 2 card", "at least 3 card")
        is_chosen("yellows", "Two yellow piles")
        tab.until("document.querySelector('#panel-meaning pre').textContent.includes('at least 3 card')", LONG)
        assert not tab.run("document.querySelector('.panels').classList.contains('stale')")
        assert seen()[2:] == before[2:]
        is_chosen("twos", "Two 2s side by side")
        assert tab.run("document.querySelector('.panels').classList.contains('stale')")
        # Mended, it is what it is.
        for mended, mistaken in [("edition house", "# Ours\nedition house"), ("at least 2", "at least 3"), (old, new)]:
            is_replaced(mistaken, mended)
        tab.until("document.querySelector('.explore > .warning').hidden", LONG)
        assert not tab.run("document.querySelector('.panels').classList.contains('stale')")
        tab.until(f"document.querySelector('#panel-meaning pre').textContent === {json.dumps(written)}", LONG)
        assert seen() == before
    # Without the word by which it is known, the chosen one stays, too.
    is_replaced("objective twos", "objectve twos")
    tab.until("document.querySelector('.panels').classList.contains('stale')", LONG)
    assert tab.text(".explore > .warning").endswith("before line 7 was changed.")
    assert seen()[:2] == before[:2]
    tab.click("#tab-trying")
    tab.until("document.querySelector('.verdict strong')", LONG)
    tab.click("#tab-meaning")
    is_replaced("objectve twos", "objective twos")
    tab.until("document.querySelector('.explore > .warning').hidden", LONG)
    tab.until(f"document.querySelector('#panel-meaning pre').textContent === {json.dumps(written)}", LONG)
    assert seen() == before
    assert tab.complaints == []


@one_day_in(7)
def test_differences_stay_at_a_mistake(tab: Page, running: Running) -> None:
    show(tab, running)
    tab.click("#tab-differences")
    tab.until("document.querySelector('.differences li')", LONG)
    before = tab.text(".differences")
    write_at_end(tab, "objective x = colour == yellow")
    tab.until("document.querySelector('#panel-differences .stale > .alarm')", LONG)
    assert tab.text(".differences") == before


@pytest.mark.slow
def test_a_line_that_breaks_is_made_again(tab: Page, house: Path, drafts: Path) -> None:
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(studio(house.parent, drafts, house))
        show(tab, first)
        write_at_end(tab, "# before")
        tab.until("document.querySelector('.state').textContent.includes('kept as a draft')")
        port = first.port
        stack.close()
        tab.until("!document.querySelector('.offline').hidden")
        write_at_end(tab, " and meanwhile")
        assert "keep this page open" in tab.text(".state") and would_ask(tab)
        stack.enter_context(studio(house.parent, drafts, house, port=port))
        tab.until("document.querySelector('.offline').hidden", LONG)
        tab.until("document.querySelector('.state').textContent.includes('kept as a draft')", LONG)
        assert text(tab).endswith("# before and meanwhile") and not would_ask(tab)
        write_at_end(tab, "\nobjective x = at least 2 card: colour == yellow")
        tab.until("document.querySelector('.problems .mend')", LONG)


@pytest.mark.slow
def test_texts_are_never_markup(tab: Page, house: Path, drafts: Path) -> None:
    evil = "<img src=x onerror=document.title=1><script>document.title=1</script>"
    house.write_text(HOUSE.replace("Two 2s side by side", evil).replace("Our house rules", evil), "utf-8")
    with studio(house.parent, drafts, house) as running:
        show(tab, running)
        for name in ("meaning", "trying", "examples", "palette", "differences"):
            tab.click(f"#tab-{name}")
            tab.until(f"document.querySelector('#panel-{name}').textContent.length > 20", LONG)
        tab.until("document.querySelector('.differences')", LONG)
        at = tab.run(
            "(() => { const b = [...document.querySelectorAll('.cm-line span')].find(s => s.textContent === 'twos').getBoundingClientRect();"
            " return [b.left + 8, b.top + 8]; })()"
        )
        tab.call("Input.dispatchMouseEvent", type="mouseMoved", x=at[0], y=at[1])
        tab.until("document.querySelector('.cm-lsp-hover-tooltip')")
        assert evil in tab.text(".cm-lsp-hover-tooltip")
        assert not tab.run("document.querySelector('img:not([src^=\"data:\"]), body script')")
        assert "house.rules" in tab.run("document.title") and tab.complaints == []


@pytest.mark.slow
def test_another_program_has_changed_the_file(tab: Page, running: Running, house: Path) -> None:
    show(tab, running)
    write_at_end(tab, "# mine")
    tab.until("document.querySelector('.state').textContent.includes('kept as a draft')")
    house.write_text(HOUSE + "# theirs\n", "utf-8")
    press_button(tab, "Save")
    tab.until("document.querySelector('dialog')")
    # It is shown what differs, and who goes on typing overwrites nothing.
    assert "# mine" in tab.text("dialog pre") and "# theirs" in tab.text("dialog pre ~ pre")
    assert tab.run("document.activeElement.textContent") == "Decide later"
    press_button(tab, "Mine, from this page", "dialog")
    tab.until("document.querySelector('.state').textContent === 'Saved'")
    assert house.read_text("utf-8").endswith("# mine\n") and "theirs" not in house.read_text("utf-8")


@pytest.mark.slow
def test_two_windows_and_other_programs(tab: Page, first: Page, running: Running, house: Path) -> None:
    show(tab, running)
    other = first.browser.page()
    try:
        show(other, running)
        write_at_end(tab, "# one")
        other.until("document.querySelector('.cm-content').textContent.includes('# one')")
        write_at_end(other, " and two")
        tab.until("document.querySelector('.cm-content').textContent.includes('# one and two')")
        write_at_end(tab, " and three")
        other.until("document.querySelector('.cm-content').textContent.includes('and three')")
        assert text(tab) == text(other) == HOUSE + "# one and two and three"
        press_button(other, "Save")
        tab.until("document.querySelector('.state').textContent === 'Saved'")
        assert text(tab) == house.read_text("utf-8")
    finally:
        other.close()
    # What another program writes is there when one comes back; a file that cannot be read leaves the text that is shown.
    house.write_text(HOUSE + "# theirs\n", "utf-8")
    back = "dispatchEvent(new Event('focus'))"
    tab.until(f"{back} && document.querySelector('.cm-content').textContent.includes('# theirs')")
    (house.parent / "odd.rules").write_bytes(b"\xff\xfe")
    show(tab, running)
    odd = (house.parent / "odd.rules").as_uri()
    choose(tab, "File", odd)
    tab.until("document.querySelector('.notice.alarm')")
    assert tab.run("document.querySelector('.files').selectedOptions[0].textContent") == "house.rules"
    house.unlink()
    tab.run(back)
    tab.until("document.querySelector('.notice').textContent.includes('Saving creates it again')")
    write_at_end(tab, "# mine")
    press_button(tab, "Save")
    tab.until("document.querySelector('.state').textContent === 'Saved'")
    assert house.read_text("utf-8").endswith("# mine\n")


@pytest.mark.slow
def test_what_another_window_saves_at_once_is_saved_here_too(tab: Page, first: Page, running: Running) -> None:
    show(tab, running)
    other = first.browser.page()
    try:
        show(other, running)
        # This window has not told yet that it shows the change when it is told that the change is saved.
        tab.run("window.setTimeout = () => 0")
        write_at_end(other, "# one\n")
        tab.until("document.querySelector('.cm-content').textContent.includes('# one')")
        press_button(other, "Save")
        tab.until("document.querySelector('.state').textContent === 'Saved'")
    finally:
        other.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
def test_a_file_is_begun_in_an_empty_folder(tab: Page, tmp_path: Path, drafts: Path, width: int) -> None:
    (tmp_path / "empty").mkdir()
    with studio(tmp_path / "empty", drafts) as running:
        tab.size(width)
        tab.open(f"http://127.0.0.1:{running.port}/?token={TOKEN}")
        tab.until("document.querySelector('.begin option')", LONG)
        assert tab.run("document.documentElement.scrollWidth") <= width
        press_button(tab, "Start", ".begin")
        tab.until("document.querySelector('#objective option') && document.querySelector('.begin').hidden", LONG)
        assert (
            text(tab) == 'edition my of paper_world/en "My"\n' == (tmp_path / "empty" / "my.rules").read_text("utf-8")
        )
        # The same in a file that is emptied.
        tab.run(
            "(view => view.dispatch({changes: {from: 0, to: view.state.doc.length}}))(document.querySelector('.cm-content').cmTile.view)"
        )
        tab.until("!document.querySelector('.begin').hidden")
        press_button(tab, "Start", ".begin")
        tab.until("document.querySelector('.begin').hidden", LONG)
        assert text(tab) == 'edition my of paper_world/en "My"\n'
        assert tab.complaints == []


@pytest.mark.slow
def test_the_line_that_is_written_stays_in_sight(tab: Page, running: Running, house: Path) -> None:
    house.write_text(HOUSE + "# a remark\n" * 60, "utf-8")
    show(tab, running)
    write_at_end(tab, "objective x = some [ # . / . # ] tu")
    tab.until("!document.querySelector('.problems').hidden", LONG)
    tab.until(
        "(() => { const line = document.querySelector('.cm-activeLine').getBoundingClientRect();"
        " return line.bottom <= document.querySelector('.cm-scroller').getBoundingClientRect().bottom; })()"
    )


@pytest.mark.slow
def test_the_board_stays_where_it_is(tab: Page, running: Running) -> None:
    show(tab, running)
    tab.click("#tab-trying")
    tab.until("document.querySelector('.verdict.no')", LONG)
    top = "document.querySelector('#panel-trying .board').getBoundingClientRect().top"
    before = tab.run(top)
    press_button(tab, "Make the changes", "#panel-trying")
    tab.until("document.querySelector('.verdict.yes')")
    assert tab.run(top) == before


@pytest.mark.slow
def test_an_objective_without_examples_is_asked_about(tab: Page, running: Running) -> None:
    show(tab, running)
    tab.click("#tab-palette")
    tab.click("#panel-palette .field input")
    tab.type("Größe über alles, und noch einiges mehr")
    tab.run("document.querySelector('.shape button:nth-child(5)').click()")
    tab.until("document.querySelector('.result pre')?.textContent.includes('[ # . / . # ]')", LONG)
    assert (
        tab.run("document.querySelector('#panel-palette .field + .field input').value") == "grosse_uber_alles_und_noch"
    )
    press_button(tab, "Put it into the text")
    tab.until("document.querySelector('#objective').value === 'grosse_uber_alles_und_noch'", LONG)
    assert text(tab).index("example twos") < text(tab).index("grosse_uber")
    # Another one that begins with the same words gets a name of its own.
    tab.click("#tab-palette")
    tab.click("#panel-palette .field input")
    tab.type("Größe über alles, und noch etwas")
    assert (
        tab.run("document.querySelector('#panel-palette .field + .field input').value")
        == "grosse_uber_alles_und_noch_2"
    )
    tab.click("#tab-examples")
    # Only one of the two diagonals was drawn: whether the other counts as well is asked at once.
    tab.until("document.querySelectorAll('.deciding .question').length > 1", LONG)


AXE = "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']})"


@pytest.mark.slow
@pytest.mark.skipif(find_spec("axe_core_python") is None, reason="axe-core is not installed")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_serious(tab: Page, running: Running, width: int, dark: bool) -> None:
    spec = find_spec("axe_core_python")
    assert spec is not None and spec.origin is not None
    axe = (Path(spec.origin).parent / "axe.min.js").read_text("utf-8")
    show(tab, running, width, dark)
    tab.run(axe + "; 0")
    write_at_end(tab, "\nobjective x = at least 2 card: colour == yellow")
    tab.until("document.querySelector('.problems .mend')", LONG)
    serious = []
    for side in ("text", "explore"):
        if width < 800:
            tab.click(f".sides [data-side={side}]")
        for name in (
            ("meaning", "rules", "trying", "examples", "palette", "differences") if side == "explore" else ("",)
        ):
            if name:
                tab.click(f"#tab-{name}")
                tab.until(f"document.querySelector('#panel-{name}').textContent.length > 20", LONG)
            found = tab.run(
                f"{AXE}.then(r => r.violations.map(v => [v.impact, v.id, v.nodes.slice(0, 3).map(n => n.html + n.failureSummary)]))"
            )
            serious += [[name, *issue] for issue in found if issue[0] in ("serious", "critical")]
            wide = tab.run("document.documentElement.scrollWidth")
            assert wide <= width, name
    assert serious == []


# What the page writes in signs, and names that are the same in all languages.
KEPT = {"pwtool", "studio", "English", "Français", "Deutsch", "F12", "F2", "house.rules"}
ENGLISH = re.compile(
    r"\b(the|of|is|are|and|with|this|what|boards?|cards?|to|by|from|counts?)\b",
    re.IGNORECASE,
)
"""Words that stand in no sentence of another language."""


def told(tab: Page) -> set[str]:
    """All that can be read or is said on the page, but for the text of the rules and what the language server says of it."""
    return set(
        tab.run(
            """[...document.querySelectorAll('body *')].filter(e => e.checkVisibility()
            && !e.closest('.cm-content, .cm-tooltip, pre, kbd, code, .shown, .entries .head, .problems li, svg'))
            .flatMap(e => [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.textContent.trim())
            .concat(['aria-label', 'title', 'placeholder', 'alt'].map(a => e.getAttribute(a) ?? ''))).filter(Boolean)"""
        )
    )


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("language", ["fr", "de"])
def test_every_word_is_in_the_language_of_the_reader(
    tab: Page, house: Path, drafts: Path, language: str, width: int
) -> None:
    written = HOUSE.replace("Two 2s side by side", "22").replace("Our house rules", "Maison Haus")
    written = written.replace("At most seven cards stay in hand", "7").replace("seven are enough for two", "2")
    house.write_text(written, "utf-8")
    with studio(house.parent, drafts, house) as running:
        show(tab, running, width, language=language)
        assert tab.run("document.documentElement.lang") == language
        # That the rule strands players shows beside the text.
        tab.until("document.querySelector('.sides .count')?.title", LONG)
        write_at_end(tab, "\nobjective x = at least 2 card: colour == yellow")
        tab.until("document.querySelector('.problems .mend')", LONG)
        said = told(tab)
        assert "`" not in tab.run("[...document.querySelectorAll('button')].map(one => one.textContent).join()")
        if width < 800:
            tab.click(".sides [data-side=explore]")
        else:
            assert tab.run("document.querySelector('.bar-top').offsetHeight") < 60
            tops = "new Set([...document.querySelectorAll('.tabs button')].map(one => one.offsetTop)).size"
            assert tab.run(tops) == 1
        for name in ("meaning", "rules", "trying", "examples", "palette", "differences"):
            tab.click(f"#tab-{name}")
            tab.until(f"document.querySelector('#panel-{name}').textContent.length > 20", LONG)
            said |= told(tab)
            assert tab.run("document.documentElement.scrollWidth") <= width, name
            cut = tab.run(
                "[...document.querySelectorAll('button, .tabs, label, legend')].filter(e => e.checkVisibility() && "
                "!e.querySelector('.count') && e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)"
            )
            assert cut == [], name
        tab.click(".bar-top .tools button:last-child")
        tab.until("document.querySelector('dialog')")
        said |= told(tab)
        english = {text for text in said - KEPT if ENGLISH.search(re.sub("`[^`]*`", "", text))}
        assert not english
        assert tab.complaints == []


@one_day_in(7)
def test_another_language_is_chosen_on_the_page(tab: Page, running: Running, house: Path) -> None:
    (house.parent / "another.rules").write_text('edition another of paper_world "Another"\n', "utf-8")
    show(tab, running)
    choose(tab, "File", (house.parent / "another.rules").as_uri())
    tab.until("document.querySelector('.cm-content').textContent.includes('Another')", LONG)
    write_at_end(tab, "# une idée")
    choose(tab, "Language", "fr")
    tab.until("document.documentElement?.lang === 'fr' && document.querySelector('.n-declared')", LONG)
    assert text(tab).startswith("edition another") and text(tab).endswith("# une idée")
    assert tab.text(".bar-top .primary:not([hidden])") == "Enregistrer"
    tab.until("document.querySelector('.state').textContent.startsWith('Non enregistré')")
    assert not would_ask(tab)
    # What was typed before can be undone, and done again.
    press_button(tab, "Annuler", ".bar-top")
    assert "idée" not in text(tab)
    press_button(tab, "Rétablir", ".bar-top")
    assert text(tab).endswith("# une idée")


# ---- rules


@one_day_in(8)
def test_a_house_rule_that_stops_games_is_seen_and_mended(tab: Page, running: Running) -> None:
    show(tab, running)
    # It is told where one works, and shown in its tab.
    tab.until("document.querySelector('#tab-rules .count')", LONG)
    assert (
        tab.run("document.querySelector('#tab-rules .count').getAttribute('aria-label')") == "1 oddity in random games"
    )
    tab.click("#tab-rules")
    assert tab.text(".oddities strong") == "In 145 of 150 random games nobody can move although the game is not over"
    assert tab.run("document.querySelectorAll('.cm-covered .shown.none').length") == 1
    assert "No example makes count hand <= 7 true, and none makes it false" in tab.run(
        "document.querySelector('.cm-covered .shown.none').title"
    )
    press_button(tab, "Step through it")
    tab.until("document.querySelector('#panel-rules iframe')", LONG)
    assert tab.run("document.querySelector('#panel-rules iframe').getAttribute('sandbox')") == "allow-scripts"
    press_button(tab, "Close the game")
    press_button(tab, "Step through it")
    tab.until("document.querySelector('#panel-rules iframe')", LONG)
    beside = tab.text("#panel-rules .witness")
    assert "nobody can move" in beside and "does not let the turn end" in beside
    # From the outline to the text.
    press_button(tab, "At most seven cards stay in hand", ".changes")
    assert tab.run("document.activeElement.closest('.cm-content') !== null")
    line = "(view => view.state.doc.lineAt(view.state.selection.main.head).number)(document.querySelector('.cm-content').cmTile.view)"
    assert tab.run(line) == 3
    # What was seen stays, dimmed, until the games are played again.
    tab.run(
        "window.seen = []; new MutationObserver(() => seen.push([document.querySelectorAll('.oddities li').length > 0, "
        "document.querySelector('.played').classList.contains('stale'), document.querySelector('.played [role=status]').textContent]))"
        ".observe(document.querySelector('.played'), {attributes: true, childList: true, subtree: true, characterData: true})"
    )
    tab.run(
        "(view => { const at = view.state.doc.toString().indexOf('<= 7') + 3; view.dispatch({changes: {from: at, to: at + 1, insert: '9'}}); })"
        "(document.querySelector('.cm-content').cmTile.view)"
    )
    tab.until("document.querySelector('.played') && !document.querySelector('.oddities')", LONG)
    seen = tab.run("seen")
    assert [True, True, "playing …"] in seen and seen[-1] == [False, False, ""]
    assert "Nothing odd was seen." in tab.text(".games") and not tab.run("document.querySelector('#tab-rules .count')")
    # The game was one of the rules before.
    assert not tab.run("document.querySelector('#panel-rules iframe')")
    assert tab.complaints == []


@one_day_in(8)
def test_a_whole_game_is_read_first(house: Path, drafts: Path, tab: Page) -> None:
    game = Path(__file__).parents[2] / "rulesets" / "classics" / "tic_tac_toe" / "game.rules"
    house.write_text(game.read_text("utf-8"), "utf-8")
    with studio(house.parent, drafts, house) as running:
        tab.size(1280)
        tab.open(f"http://127.0.0.1:{running.port}/?token={TOKEN}&lang=en")
        tab.until("document.querySelector('#tab-rules[aria-selected=true]')", LONG)
        assert tab.run("document.querySelector('[role=tab]').id") == "tab-rules"
        tab.until("document.querySelectorAll('.rulebook details').length > 6", LONG)
        # Who has chosen a tab stays there, whatever is learned of the rules.
        tab.click("#tab-games")
        write_at_end(tab, "# a note\n")
        tab.until("document.querySelector('.state').textContent.startsWith('Not saved')", LONG)
        assert tab.run("document.querySelector('#tab-games').getAttribute('aria-selected')") == "true"
        # A folded section stays folded.
        tab.click("#tab-rules")
        tab.run("document.querySelector('.rulebook summary').click()")
        write_at_end(tab, '\nending late "Late" when board is full then stop\n')
        tab.until("document.querySelector('.rulebook').textContent.includes('Late')", LONG)
        assert not tab.run("document.querySelector('.rulebook details').open")
        assert tab.complaints == []


# ---- games


@one_day_in(8)
def test_a_table_learns_its_rules_from_its_games(house: Path, drafts: Path, tab: Page, tmp_path: Path) -> None:
    short = tmp_path / "short.rules"
    change = 'change ending hundred "Thirty" when some q in players: points[q] >= 30 then stop at once'
    short.write_text(f'edition short of pig "Short"\n{change} because "a short evening"\n', "utf-8")
    games = "\n".join(json.dumps(game) for game in pwtool.load(short).play_many(8, seed=1))
    house.write_text('edition house of pig "House"\n', "utf-8")
    with studio(house.parent, drafts, house) as running:
        tab.size(1280)
        tab.open(f"http://127.0.0.1:{running.port}/?token={TOKEN}&lang=en")
        tab.until("document.querySelector('.n-declared')", LONG)
        tab.click("#tab-games")
        paste = "(text => { const one = document.querySelector('.record'); one.value = text; one.dispatchEvent(new Event('input')); })"
        tab.run(f"{paste}({json.dumps(games)})")
        tab.until("document.querySelector('#panel-games .verdict.no')", LONG)
        assert "0 of 8 games are clean" in tab.text("#panel-games .verdict")
        assert "games.jsonl:1" in tab.text("#panel-games h3")
        press_button(tab, "Learn the rules from these games")
        tab.until("document.querySelector('#panel-games iframe')", LONG)
        assert "8 games: 8 are clean under" in tab.text("#panel-games")
        press_button(tab, "Keep these rules in a new file")
        tab.until("document.querySelector('.cm-content').textContent.includes('points[q] >= 30')", LONG)
        # The games are judged by what is shown now.
        tab.until("document.querySelector('#panel-games .verdict.yes')", LONG)
        assert "8 of 8 games are clean" in tab.text("#panel-games .verdict")
    assert (house.parent / "house_2.rules").exists()
