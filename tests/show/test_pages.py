"""Pages made from templates: whatever stands in a ruleset or a record is text on them, and nothing else."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jinja2 import Environment, UndefinedError

from pwtool.cli.app import run
from pwtool.comparing.rows import compare_rulesets
from pwtool.show.html import pages
from pwtool.show.html.comparing import render_page
from pwtool.show.html.pages import render
from pwtool.show.html.playing.pictures import Pictures
from pwtool.show.text.comparing import Comparison
from pwtool.text import store
from tests.daily import one_day_in, some
from tests.show.test_stepping import stepped
from tests.support import book

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "pwtool" / "show" / "html" / "templates"
EN, GP = "paper_world/en", "paper_world/gamepark"
NASTY = "</p></style><script>alert(1)</script>{{7*7}}{%if%}]]>&amp;\"'\x1b\u202e"
SEEN = NASTY.replace("\x1b", r"\u001b").replace("\u202e", r"\u202e")
"""What a reader sees of it: no sign that could turn the text around or is forbidden in XML."""
TAGS = set(
    "html head meta title style script body header section article h1 h2 h3 p div span strong code ol ul li table tr th td"
    " details summary figure figcaption br a button svg g defs use title desc rect circle line path polygon text tspan"
    " caption thead tbody h4 main aside footer section noscript input label select option symbol text dl dt dd b textarea".split()
)
ATTRIBUTES = re.compile(r"on|src|style|formaction|srcdoc")
# Every kind of text that a page shows, each with a number.
EDITION = """edition odd of paper_world/en "@1"
source odd "@2"
section odd_page: odd "@10"
change setup put prizes "@3": 1 2 4
  because odd "@4": "@5"
change objective two_5s "@6" = at least 3 card: value == 5
  because odd "@7": "@8"
change rule turn.hand_limit "@9" see odd_page
  require count hand <= 7
  because "@11"
change score token "@12" = (if holds shears then 3 else 0)
  because "@13"
ambiguity odd "@14" reads "@15"
  alternative other "@16" {
    change objective five_1s "@17" = at least 4 card: value == 1
  } because odd "@18": "@19"
"""


def checked(page: str) -> str:
    """The text of a page that holds nothing but what its template has; what the pictures say of themselves included."""
    assert not [c for c in page if not c.isprintable() and c != "\n"]
    root = ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>\n"))
    scripts = []
    for element in root.iter():
        tag = element.tag.partition("}")[2] or element.tag
        assert tag in TAGS, tag
        assert not [name for name in element.attrib if ATTRIBUTES.match(name)], element.attrib
        assert not element.get("href", "#").lower().startswith("javascript:")
        # Data is not a script: nothing in it runs.
        is_data = element.get("type") in ("application/json", "text/plain")
        scripts += [element] if tag == "script" and not is_data else []
    assert len(scripts) <= 1 and all("alert" not in (script.text or "") for script in scripts)
    # Whoever hears a page goes to its contents at once.
    first, *others = [child.tag.rpartition("}")[2] for child in root.findall("{*}body/*")]
    assert first == "main" and set(others) <= {"script"}
    assert "49" not in re.findall(r"\d+", root.findtext(".//{*}h1") or "")
    return "".join(root.itertext())


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("odd") / "odd.rules"
    written = NASTY.replace('"', r"\"")
    path.write_text(re.sub(r"@(\d+)", lambda m: f"@{m[1]} {written}", EDITION), "utf-8")
    return str(path)


def numbers(text: str) -> set[int]:
    """Which of the texts stand on a page, each as it is written."""
    found = set(map(int, re.findall(r"@(\d+) ", text)))
    assert {n for n in found if f"@{n} {SEEN}" not in text} == set()
    return found


COMPARED = {*range(1, 17), 18, 19}


@one_day_in(8)
@pytest.mark.parametrize(
    ("arguments", "shown"),
    some(
        [
            (["rules", "show", "ODD", "--html"], {1, 2, 3, 6, 7, 8, 12, 17}),
            (["compare", EN, "ODD", "--format", "html"], COMPARED),
            (["compare", "ODD", EN, "--format", "html"], COMPARED),
            # Players read where it is said, not what the rules file notes on it.
            (["compare", EN, "ODD", "--sheet", "--format", "html"], COMPARED - {5, 8, 11, 13, 19}),
            (["compare", EN, GP, "ODD", "--format", "html"], {1, 3, 6, 9, 12, 14, 15, 16}),
        ],
        1,
    ),
)
def test_the_texts_of_a_ruleset_are_text(arguments: list[str], shown: set[int], odd: str, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    run([odd if a == "ODD" else a for a in arguments] + ["-o", str(path)])
    assert numbers(checked(path.read_text("utf-8"))) == shown


def hostile_record() -> dict[str, Any]:
    """A recorded game whose players, name and comment are numbered texts."""
    record = json.loads((ROOT / "examples" / "records" / "clean.json").read_text("utf-8"))

    def renamed(value: Any) -> Any:
        if isinstance(value, dict):
            return {renamed(key): renamed(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [renamed(inner) for inner in value]
        return {"Ana": f"@1 {NASTY}", "Ben": f"@2 {NASTY}"}.get(value, value) if isinstance(value, str) else value

    found: dict[str, Any] = renamed(record)
    return {**found, "id": f"@8 {NASTY}", "comment": f"@9 {NASTY}"}


def test_the_names_and_remarks_of_a_record_are_text(tmp_path: Path) -> None:
    record = hostile_record()
    games = (book(GP).game, book(EN).game)
    rows = compare_rulesets(*games)
    pictures = Pictures()
    game = stepped(tmp_path, record, GP, EN, pictures=pictures)
    page = render_page(Comparison((GP, EN), games, rows, 0), [game], pictures=pictures)
    assert numbers(checked(page)) == {1, 2, 8, 9}


@one_day_in(8)
def test_files_and_what_is_wrong_in_them_are_text(tmp_path: Path) -> None:
    good, bad, path = tmp_path / "it's {{ 7 * 7 }} &amp;.json", tmp_path / "bad.json", tmp_path / "page.html"
    record = hostile_record()
    good.write_text(json.dumps(record), "utf-8")
    record["turns"][0]["actions"][0]["action"] = f"@7 {NASTY}"
    bad.write_text(json.dumps(record), "utf-8")
    games = [a for file in (good, bad) for a in ("--games", str(file))]
    run(["compare", GP, EN, "--witness", str(good), *games, "--format", "html", "-o", str(path)])
    text = checked(path.read_text("utf-8"))
    assert 7 in numbers(text) and "it's {{ 7 * 7 }} &amp;.json" in text


def test_games_to_step_through_say_what_others_wrote_as_text(tmp_path: Path) -> None:
    record = hostile_record()
    record["turns"][0] |= {"comment": f"@3 {NASTY}"}
    record["turns"][1]["actions"][0] |= {"comment": f"@4 {NASTY}"}
    # Not legal, so that what is wrong names the player too.
    record["turns"][3]["actions"][0]["at"] = [5, 5]
    path = tmp_path / "it's {{ 7 * 7 }} &amp;.json"
    path.write_text(json.dumps(record), "utf-8")
    for number, command in enumerate((["replay", str(path), "--html"], ["check", str(path), "--format", "html"])):
        page = tmp_path / f"{number}.html"
        assert run([*command, "-o", str(page)]) == 1
        text = page.read_text("utf-8")
        assert numbers(checked(text)) >= {1, 2, 3, 4, 9}
        # The script gets the same as data, in which nothing is markup.
        (data,) = re.findall(r'<script type="application/json" class="data">(.*?)</script>', text, re.DOTALL)
        assert not re.search("[<>&]", data) and json.loads(data)["names"][0].startswith("@1 </p></style>")


def test_a_template_that_misses_something_makes_no_page() -> None:
    with pytest.raises(UndefinedError):
        render("switching.html", title="From one to another", remark="", nothing="")


def test_no_template_marks_text_as_safe() -> None:
    templates = sorted(TEMPLATES.glob("*.html"))
    assert len(templates) > 4
    for path in templates:
        text = path.read_text("utf-8")
        assert not re.search(r"\|\s*safe|autoescape|Markup", text), path.name
        # What stands in an attribute is quoted: nothing can get out of one without a quotation mark.
        assert not re.search(r"=\{\{", re.sub(r">[^<]*<", "><", text)), path.name


@one_day_in(7)
def test_templates_are_read_for_a_page_only() -> None:
    code = (
        "import sys; from pwtool.cli.app import run; "
        f"code = run(['compare', {EN!r}, {GP!r}, '--sheet', '--format', 'markdown']); "
        "print(code, 'jinja2' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.splitlines()[-1] == "1 False"


def test_all_scripts_of_pages_are_known() -> None:
    """The playground lets those through that `SCRIPTS` names, and no others."""
    texts = [path.read_text("utf-8") for path in (Path(pages.__file__).parent / "templates").glob("*.html")]
    declared = [line for text in texts for line in re.findall(r"set script = (.*?) %}", text)]
    assert {name for line in declared for name in re.findall('"([^"]+)"', line)} == set(pages.SCRIPTS)


@one_day_in(4)
def test_compiled_templates_are_kept_and_damaged_ones_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(store, "damaged", set())
    record = ROOT / "examples" / "records" / "clean.json"

    def made() -> str:
        pages._environment.cache_clear()
        path = tmp_path / "page.html"
        assert run(["replay", "--html", str(record), "-o", str(path), "--force"]) == 0
        return path.read_text("utf-8")

    try:
        first, kept = made(), sorted((tmp_path / "templates").iterdir())
        data = [path.read_bytes() for path in kept]
        compiling = []
        monkeypatch.setattr(Environment, "_parse", lambda *given: compiling.append(given[2]))
        assert made() == first and len(kept) > 2 and not compiling
        monkeypatch.undo()
        monkeypatch.setattr(pages, "cache_folder", lambda: tmp_path)
        for path in kept:
            path.write_bytes(b"damaged")
        assert made() == first and [path.read_bytes() for path in kept] == data
    finally:
        pages._environment.cache_clear()
        store.damaged.clear()
