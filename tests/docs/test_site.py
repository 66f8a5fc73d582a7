"""The pages as a site: each stands in a table of contents, each link and anchor leads somewhere, and (slow) Sphinx builds
them without a warning into pages that a browser shows whole.
"""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from pwtool.cli.app import run
from pwtool.rules.library import Library
from tests.daily import one_day_in
from tests.support import BROWSER, in_browser

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
BESIDE = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SECURITY.md", "benchmarks/README.md")
# Made by the build, one page for each shipped rules file; and what is built.
MADE = ("library", "_build")


def pages() -> list[Path]:
    return [path for path in sorted(DOCS.rglob("*.md")) if path.relative_to(DOCS).parts[0] not in MADE]


@cache
def tree_of(page: Path) -> SyntaxTreeNode:
    return SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8")))


def words_of(node: SyntaxTreeNode) -> str:
    return "".join(child.content for child in node.walk() if child.type in ("text", "code_inline"))


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of the headings of a page, as repository views make them."""
    found: list[str] = []
    for node in tree_of(page).walk():
        if node.type == "heading":
            slug = re.sub(r"[^\w\- ]", "", words_of(node).lower()).replace(" ", "-")
            found.append(slug if slug not in found else f"{slug}-{found.count(slug)}")
    return frozenset(found)


def links(page: Path) -> Iterator[str]:
    """The targets of a page's links and pictures that lead to files."""
    for node in tree_of(page).walk():
        if node.type in ("link", "image"):
            target = str(node.attrs.get("href") or node.attrs.get("src"))
            if not re.match(r"[a-z]+:", target):
                yield target


def fences(page: Path, kind: str) -> Iterator[str]:
    for node in tree_of(page).walk():
        if node.type == "fence" and node.info.split()[:1] == [kind]:
            yield node.content


def listed() -> Iterator[Path]:
    """The pages in tables of contents."""
    for page in pages():
        for content in fences(page, "{toctree}"):
            for line in content.splitlines():
                if line and not line.startswith(":"):
                    name = re.sub(r"^.*<(.+)>$", r"\1", line)
                    yield from page.parent.glob(f"{name}.md")


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@one_day_in(8)
def test_every_page_stands_in_a_table_of_contents_once() -> None:
    found = [path for path in listed() if path.name != "README.md" or path.parent != DOCS / "library"]
    assert sorted(set(found)) == sorted(found)
    assert {name(page) for page in pages()} - {name(page) for page in found} == {"docs/index.md"}


def test_every_table_of_contents_names_pages() -> None:
    for page in pages():
        for content in fences(page, "{toctree}"):
            for line in content.splitlines():
                if line and not line.startswith(":") and "library/" not in line:
                    target = re.sub(r"^.*<(.+)>$", r"\1", line)
                    assert list(page.parent.glob(f"{target}.md")), f"{name(page)}: {line}"


def test_every_link_leads_somewhere() -> None:
    broken = []
    for page in (*pages(), *(ROOT / other for other in BESIDE)):
        for link in links(page):
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if target.is_relative_to(DOCS / "library"):
                continue
            if not target.exists() or (anchor and anchor not in anchors(target)):
                broken.append(f"{name(page)}: {link}")
    assert broken == []


# Pictures in the pages, by the command that draws them.
DRAWN = {
    "turn_23.svg": ["examples/records/illegal.json", "--at", "23"],
    "chess.svg": [
        "[bR . bB bQ bK bB bN bR / . bP bP bP . bP bP bP / bP . bN . . . . . / . wB . . bP . . . / "
        ". . . . wP . . . / . . . . . wN . . / wP wP wP wP . wP wP wP / wR wN wB wQ wK . . wR]",
        "--rules",
        "chess",
    ],
}


@pytest.mark.parametrize("picture", DRAWN)
def test_a_picture_is_what_render_draws(picture: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("LANG", "C")
    drawn = tmp_path / picture
    assert run(["render", *DRAWN[picture], "-o", str(drawn)]) == 0
    assert drawn.read_bytes() == (DOCS / "images" / picture).read_bytes()


# ---- the built site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sphinx")
    out = tmp_path_factory.mktemp("site")
    command = ["-W", "--keep-going", "-q", "-b", "html", "-d", str(out / "trees"), str(DOCS), str(out / "html")]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *command], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return out / "html"


class Page(HTMLParser):
    """The ids and the links of a built page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {key: value for key, value in attrs if value}
        self.ids |= {values["id"]} if "id" in values else set()
        self.links += [values[key] for key in ("href", "xlink:href", "src") if key in values]


@pytest.mark.slow
def test_the_links_of_the_built_pages_lead_somewhere(site: Path) -> None:
    built = {path: Page(path) for path in site.rglob("*.html")}
    assert len(built) > 200
    for path, page in built.items():
        for link in page.links:
            target, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            found = (path.parent / target.partition("?")[0]).resolve() if target else path
            assert found.is_file(), f"{path.name}: {link}"
            # Pages that the program makes read their anchor themselves: `#turn=23`.
            if anchor and found in built and "=" not in anchor:
                assert anchor in built[found].ids, f"{path.name}: {link}"


# Loads a page in a frame of a given width and writes down what it looks like. No window of Chromium is as narrow.
FRAME = """<!doctype html><iframe id="page" src="{page}" style="width:{width}px;height:900px"></iframe>
<script>
const told = found => {{ document.body.dataset.found = JSON.stringify(found); }};
onload = () => {{
  const inner = document.getElementById("page").contentDocument, whole = inner.documentElement;
  const lost = [...inner.images].filter(i => i.loading !== "lazy" && !i.naturalWidth).map(i => i.src);
  const found = [whole.clientWidth, whole.scrollWidth, lost];
  if (!"{axe}") return told([...found, []]);
  const script = inner.createElement("script");
  script.src = "{axe}";
  script.onload = () => inner.defaultView.axe.run(inner, {{runOnly: ["wcag2a", "wcag2aa", "best-practice"]}}).then(
    result => told([...found, result.violations.map(v => [v.id, v.impact, v.nodes.map(n => n.html)])]));
  inner.body.append(script);
}};
</script>"""


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="no browser is installed")
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(
    "page", ["index", "gallery", "grammar", "side_by_side", "language", "commands", "api_reference", "first_record", "library/index"]
)  # fmt: skip
def test_a_browser_shows_a_page_whole(site: Path, tmp_path: Path, page: str, width: int) -> None:
    """Nothing is wider than the window, every picture is there, nothing is complained of, and axe finds nothing serious."""
    spec = find_spec("axe_core_python")
    axe = (Path(str(spec.origin)).parent / "axe.min.js").as_uri() if spec else ""
    frame = tmp_path / "frame.html"
    frame.write_text(FRAME.format(page=f"{(site / page).as_uri()}.html", width=width, axe=axe), "utf-8")
    dumped = in_browser(
        frame, tmp_path, "--allow-file-access-from-files", "--virtual-time-budget=20000", "--window-size=1400,1000",
        "--enable-logging", "--dump-dom",
    )  # fmt: skip
    found = re.search(r'data-found="([^"]*)"', dumped)
    assert found, dumped[:2000]
    room, needed, lost, violations = json.loads(html.unescape(found[1]))
    assert needed <= room, f"{page} is {needed} wide in {room}"
    assert lost == []
    assert [v for v in violations if v[1] in ("serious", "critical")] == []
    told = tmp_path / "profile" / "chrome_debug.log"
    log = told.read_text("utf-8", "replace") if told.is_file() else ""
    assert not [line for line in log.splitlines() if "CONSOLE" in line], log


@pytest.mark.slow
def test_the_figures_of_the_gallery_are_what_is_proven() -> None:
    done = subprocess.run(
        [sys.executable, str(DOCS / "make_gallery.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_gallery_has_every_shipped_objective() -> None:
    stored = json.loads((DOCS / "gallery.json").read_text("utf-8"))
    shown = {name for group in stored.values() for name in group}
    declared = {
        found
        for folder in ("rulesets", "examples")
        for path in (ROOT / folder).rglob("*.rules")
        for found in re.findall(r"^(?:change )?objective (\w+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert declared and shown == declared
    groups = re.findall(r"^```\{gallery\} (\w+)$", (DOCS / "gallery.md").read_text("utf-8"), re.MULTILINE)
    assert groups == list(stored)


@pytest.mark.slow
def test_the_gallery_has_every_game_and_objective_as_a_picture(site: Path) -> None:
    page = (site / "gallery.html").read_text("utf-8")
    cards = re.findall(
        r'<div class="objective(?: wide)?" id="([^"]+)">.*?<img alt="[^"]+".*?src="([^"]+)"', page, re.DOTALL
    )
    stored = json.loads((DOCS / "gallery.json").read_text("utf-8"))
    expected = [f"board-{game}" for game in Library().games()]
    expected += [f"{key}-{name}" for key, group in stored.items() for name in group]
    assert sorted(card for card, _ in cards) == sorted(expected)
    assert all((site / picture).is_file() and Path(picture).stem == card for card, picture in cards)


def test_every_public_name_is_in_the_python_reference() -> None:
    import pwtool

    text = (DOCS / "api_reference.md").read_text("utf-8")
    named = re.findall(r"^\.\. auto(?:function|class|exception|data):: (\w+)", text, re.MULTILINE)
    assert sorted(named) == sorted(set(pwtool.__all__) - {"__version__"})


def test_the_citation_names_this_version() -> None:
    import pwtool

    assert f"\nversion: {pwtool.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_pictures_and_pages_use_the_words_of_the_glossary() -> None:
    from pwtool.text.captions import _WORDS as SAID
    from pwtool.text.captions import caption

    rows = [line.strip().strip("|").split(" | ") for line in (DOCS / "glossary.md").read_text("utf-8").splitlines()]
    words = {row[0].strip(): [re.split(", ", cell.strip()) for cell in row[2:]] for row in rows if len(row) == 4}
    found = [
        ([caption(key, language) for language in ("en", "fr", "de")], words[english.lower()])
        for key, english in SAID.items()
        if english.lower() in words
    ]
    assert len(found) > 10
    for (_, french, german), (in_french, in_german) in found:
        assert re.sub("s$", "", french.lower()) in {re.sub("s$", "", word) for word in in_french}, french
        assert german in in_german, german
