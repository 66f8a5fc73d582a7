"""The studio's server: who may ask, what may be seen, and what its answers hold."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.exceptions import InvalidStatus

import pwtool
from pwtool.lang.parser import parse_rules
from pwtool.learning import Learner, NothingToLearn
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.beginnings import GAMES
from pwtool.rules.library import Library
from pwtool.simulating.difficulty import difficulties
from pwtool.simulating.runs import Simulation, Table
from pwtool.studio.app import STATIC, make_app
from pwtool.studio.drafts import Drafts
from pwtool.studio.folder import Folder
from pwtool.text.source import SourceFile
from tests.daily import one_day_in, some
from tests.languages.catalogs import WORDS, said_on_page
from tests.studio.speaking import TOKEN, page, serving, studio, transport

__all__ = ["transport"]
by_either = pytest.mark.usefixtures("transport")
"""What no test of requests notices: whether a socket carries them or a worker of the browser."""

HOUSE = """edition house of paper_world/en "Our house"

objective twos "Two 2s side by side" = some [ # # ] turned: all value == 2

example twos {
  yes [ Y2 B2 ]
  no  [ Y2 B3 ]
}
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "house.rules").write_text(HOUSE, "utf-8")
    (folder / "notes.txt").write_text("private", "utf-8")
    (tmp_path / "other.rules").write_text("game other", "utf-8")
    return folder


@pytest.fixture
def drafts(tmp_path: Path) -> Path:
    return tmp_path / "drafts"


def board(*cells: tuple[int, int, str]) -> dict[str, Any]:
    return {"cells": [[x, y, codes.split("+")] for x, y, codes in cells]}


# ---- in which language


def test_the_page_and_its_answers_are_in_a_language(home: Path, drafts: Path) -> None:
    def spoken(address: str) -> dict[str, Any]:
        found: dict[str, Any]
        page = running.get(f"/?token={TOKEN}{address}").text
        (found,) = json.loads(page.split('id="speech">')[1].split("</script>")[0])
        assert f'<html lang="{found["language"]}">' in page and "{" not in page.split("<noscript>")[1]
        return found

    with studio(home, drafts) as running:
        french, started = spoken("&lang=fr"), spoken("&lang=xx")
        assert started == spoken("") and started["messages"] == {} and started["languages"]["de"] == "Deutsch"
        assert french["messages"]["Save"] == "Enregistrer"
        assert french["messages"]["{count} problem"] == ["{count} problème", "{count} problèmes"]
        assert (french["forms"][:3], started["forms"][:3]) == ("001", "101")
        for language, color, refused in [
            ("fr", "couleur", "n'existe pas"),
            ("de", "Farbe", "gibt es nicht"),
            ("en", "color", "there is no"),
        ]:
            with running.page(language) as shown:
                uri = shown.show(home / "house.rules")
                table = shown.ask("studio/overview", uri=uri)["board"]
                assert table["attributes"][0]["title"] == color
                assert refused in shown.refused("studio/item", uri=uri, name="tows")


def test_all_words_of_the_page_are_messages() -> None:
    """Everything that has a word in it goes through the catalogs, but for names that are written into files."""
    text, found = WORDS.read_text("utf-8"), list(said_on_page())
    assert len(found) == len(re.findall(r"\b(?:say|many)\(", text))
    messages = {message for said in found for message in (said.message, said.more)}
    # What the editor's parts say stands there as they have it.
    written = {literal for literal, key in re.findall(r'"((?:[^"\\\n]|\\.)*)"(:?)', text) if not key}
    assert {each for each in written - messages if re.search(r"[A-Za-z]", each)} == {
        "./speech",
        "F12",
        "F2",
        "my",
        "new_objective",
        "studio",
    }


# ---- who may ask


def test_only_who_knows_the_token_is_let_in(home: Path, drafts: Path) -> None:
    with studio(home, drafts) as running:
        for address in ("/", "/?token=", "/?token=wrong", f"/?token={TOKEN}x"):
            found = running.get(address)
            assert found.status == 403 and "pwtool studio" in found.text
        for address in ("/speak", "/speak?token=wrong"):
            with pytest.raises(InvalidStatus), running.connect(address):
                pass


@one_day_in(8)
@pytest.mark.parametrize("headers", [{"host": "evil.example"}, {"origin": "http://evil.example"}, {"origin": "null"}])
def test_no_other_site_leads_here(home: Path, drafts: Path, headers: dict[str, str]) -> None:
    with studio(home, drafts) as running:
        assert running.get(f"/?token={TOKEN}", **headers).status == 403
        if "origin" in headers:
            with pytest.raises(InvalidStatus), running.connect(**headers):
                pass


def test_static_files_and_nothing_else(home: Path, drafts: Path) -> None:
    with studio(home, drafts) as running:
        for name in ("nothing.js", "..%2fapp.py", "%2e%2e/app.py", "../app.py", "studio.js%00", ".", "house.rules"):
            assert running.get(f"/static/{name}?token={TOKEN}").status in (403, 404), name
        # The page itself has gaps that are filled for who asks.
        assert running.get(f"/static/index.html?token={TOKEN}").status == 404
        shown = running.get(f"/?token={TOKEN}").text
        assert running.get(f"/static/playground%2fworker.js?token={TOKEN}").status == 404
        for file in (file for file in STATIC.iterdir() if file.is_file() and file.name != "index.html"):
            assert running.get(f"/static/{file.name}").status == 403
            found = running.get(f"/static/{file.name}?token={TOKEN}")
            assert file.suffix == ".txt" or f'"/static/{file.name}?token={TOKEN}"' in shown
            assert found.status == 200 and "default-src 'none'" in found.headers["content-security-policy"]
        assert running.get("/page/guessed").status == 403
        assert running.get(f"/?token={TOKEN}", "POST").status == 405
        assert running.get("/house.rules").status == 404


@by_either
def test_only_rules_of_the_folder_and_the_library_are_within_reach(home: Path, drafts: Path, tmp_path: Path) -> None:
    (home / "link.rules").symlink_to(tmp_path / "other.rules")
    (home / ".hidden").mkdir()
    (home / ".hidden" / "a.rules").write_text("game a", "utf-8")
    away = [home / "notes.txt", tmp_path / "other.rules", Path("/etc/passwd"), home / ".." / "other.rules", home / "link.rules",
            home / ".hidden" / "a.rules"]  # fmt: skip
    with page(home, drafts) as shown:
        assert [f["name"] for f in shown.ask("studio/hello")["files"]] == ["house.rules"]
        for path in away:
            for method in ("studio/open", "studio/save", "studio/overview", "studio/discard"):
                assert "only rules files" in shown.refused(method, uri=f"file://{path}", text="game x")
            assert "only rules files" in shown.refused(
                "textDocument/formatting", textDocument={"uri": f"file://{path}"}, options={}
            )
            shown.tell(
                "textDocument/didOpen",
                {"textDocument": {"uri": f"file://{path}", "languageId": "", "version": 1, "text": "x"}},
            )
        assert "only rules files" in shown.refused("studio/open", uri="untitled:a.rules")
        assert shown.ask("studio/hello")["files"]
    assert (tmp_path / "other.rules").read_text("utf-8") == "game other"
    assert not list(drafts.glob("*")) if drafts.exists() else True


@by_either
def test_what_is_no_message_is_passed_over(home: Path, drafts: Path) -> None:
    with page(home, drafts) as shown:
        for text in (
            "",
            "no json",
            "[]",
            "1",
            '{"jsonrpc": "2.0"}',
            '{"id": 1}',
            "[" * 10_000,
            '{"jsonrpc":"2.0","id":77,"method":"no/such"}',
        ):
            shown.socket.send(text)
        for params in ({}, {"uri": 3}, {"uri": []}, {"name": "x"}, None):
            assert "error" in shown.answer("studio/open", params)
        uri = shown.show(home / "house.rules")
        for wrong in ({"cells": 3}, {"cells": [[1, 2]]}, {"cells": [["a", 1, ["Y1"]]]}, {}):
            assert "cannot be read" in shown.refused("studio/match", uri=uri, name="twos", board=wrong)
        for method in ("studio/check", "studio/keepAction", "studio/match"):
            for wrong in ("\ud800", {"uri": uri, "games": "\ud800", "said": {"yes": "\ud800"}, "name": "\ud800"}):
                told = shown.answer(method, wrong)["error"]
                assert told["code"] == -32803 and "data" not in told, told
        assert shown.ask("studio/hello")["files"]


# ---- files and drafts


@by_either
def test_what_was_typed_outlives_the_page(home: Path, drafts: Path) -> None:
    path = home / "house.rules"
    with page(home, drafts) as shown:
        uri = shown.show(path)
        shown.type(uri, HOUSE + "\n# one")
        assert shown.wait_for("studio/kept")["params"]["kept"]
        shown.type(uri, HOUSE + "\n# two")
    # The page went before the last words were kept: they are kept then.
    assert path.read_text("utf-8") == HOUSE
    with page(home, drafts) as shown:
        found = shown.ask("studio/open", uri=uri)
        assert found["text"] == HOUSE + "\n# two" and found["saved"] == HOUSE and found["draft"]
        assert shown.ask("studio/hello")["files"][0]["draft"]
        assert shown.ask("studio/discard", uri=uri)["text"] == HOUSE
    with page(home, drafts) as shown:
        assert not shown.ask("studio/open", uri=uri)["draft"]


@by_either
def test_saving_formats_and_says_what_it_could_not(home: Path, drafts: Path) -> None:
    path = home / "house.rules"
    path.write_bytes(b"\xef\xbb\xbf" + HOUSE.replace("\n", "\r\n").encode())
    with page(home, drafts) as shown:
        uri = shown.show(path)
        found = shown.ask("studio/save", uri=uri, text=HOUSE.replace("all value == 2", "all   value==2") + "\n\n")
        assert found == {"text": HOUSE, "changed": True, "problem": None}
        assert path.read_bytes() == b"\xef\xbb\xbf" + HOUSE.replace("\n", "\r\n").encode()
        found = shown.ask("studio/save", uri=uri, text=HOUSE + "objective = =\n")
        assert (
            found["text"] == HOUSE + "objective = =\n"
            and "cannot be read" in found["problem"]
            and "line 9" in found["problem"]
        )
        assert "no text file" in shown.refused("studio/save", uri=uri, text="a \ud800 b")
    assert "objective = =" in path.read_text("utf-8-sig")


@by_either
def test_what_another_program_wrote_is_not_lost(home: Path, drafts: Path) -> None:
    path = home / "house.rules"
    with page(home, drafts) as shown:
        uri = shown.show(path)
        shown.type(uri, HOUSE + "\n# mine")
        shown.wait_for("studio/kept")
        path.write_text(HOUSE + "\n# theirs", "utf-8")
        found = shown.answer("studio/save", {"uri": uri, "text": HOUSE + "\n# mine"})["error"]
        assert found["data"] == {"conflict": True, "disk": HOUSE + "\n# theirs"}
        assert path.read_text("utf-8") == HOUSE + "\n# theirs"
    with page(home, drafts) as shown:
        # Also after a new start: the draft was begun on another text.
        assert shown.ask("studio/open", uri=uri)["text"].endswith("# mine")
        assert "another program" in shown.refused("studio/save", uri=uri, text=HOUSE)
        assert shown.ask("studio/save", uri=uri, text=HOUSE, force=True)["text"] == HOUSE
    assert path.read_text("utf-8") == HOUSE


@one_day_in(8)
@by_either
def test_what_was_not_saved_is_kept(home: Path, drafts: Path) -> None:
    path = home / "house.rules"
    with page(home, drafts) as shown:
        uri = shown.show(path)
        path.write_text(HOUSE + "# theirs\n", "utf-8")
        shown.type(uri, HOUSE + "# mine\n")
        assert "another program" in shown.refused("studio/save", uri=uri, text=HOUSE + "# mine\n")
        assert shown.wait_for("studio/kept")["params"]["kept"]
        # What was given at the beginning is a change now, for a draft is kept.
        shown.type(uri, HOUSE)
        shown.wait_for("studio/kept")
        assert shown.ask("studio/open", uri=uri)["text"] == HOUSE + "# theirs\n"


@by_either
def test_a_file_that_is_gone_is_written_anew(home: Path, drafts: Path) -> None:
    path = home / "house.rules"
    with page(home, drafts) as shown:
        uri = shown.show(path)
        path.unlink()
        shown.type(uri, HOUSE + "# mine\n")
        assert shown.wait_for("studio/kept")["params"]["kept"]
        assert shown.ask("studio/save", uri=uri, text=HOUSE + "# mine\n")["problem"] is None
    assert path.read_text("utf-8") == HOUSE + "# mine\n"


@one_day_in(8)
@pytest.mark.parametrize("language", ["en", "fr"])
def test_a_file_that_may_only_be_read_keeps_what_was_typed(
    home: Path, drafts: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    path = home / "house.rules"
    typed = HOUSE + "# typed\n"
    with studio(home, drafts) as running, running.page(language) as shown:
        uri = shown.show(path)
        # Who is root may write everywhere.
        monkeypatch.setattr("os.access", lambda *_: False)
        shown.type(uri, typed)
        said = shown.refused("studio/save", uri=uri, text=typed)
        reason, kept = {"en": ("permission denied", "as a draft"), "fr": ("permission refusée", "comme brouillon")}[
            language
        ]
        assert "`house.rules`" in said and reason in said and kept in said
        assert path.read_text("utf-8") == HOUSE
        assert shown.ask("studio/open", uri=uri)["text"] == typed
    with page(home, drafts) as later:
        assert later.ask("studio/open", uri=uri)["text"] == typed


@by_either
def test_a_file_is_begun(home: Path, drafts: Path) -> None:
    with page(home, drafts) as shown:
        bases = [base["address"] for base in shown.ask("studio/hello")["bases"]]
        assert bases[0] == "paper_world/en" and {"paper_world", "chess"} <= {*bases}
        text = shown.ask("studio/beginning", name="our_club", base="paper_world/en")["text"]
        assert text == 'edition our_club of paper_world/en "Our club"\n'
        uri = shown.ask("studio/begin", name="our_club", text=text)["uri"]
        assert shown.ask("studio/open", uri=uri)["text"] == text
        for name, words in [("our_club", "already"), ("../x", "letters"), ("2", "letters")]:
            assert words in shown.refused("studio/begin", name=name, text=text)
        for kind, name, base, words in [
            ("house", "2", "chess", "letters"), ("house", "new", "nothing", "no ruleset"), ("objective", "x", "chess", "has no objectives"),
            ("objective", "five_1s", "paper_world/en", "already"), ("game", "if", "", "a word of the language"),
        ]:  # fmt: skip
            assert words in shown.refused("studio/beginning", kind=kind, name=name, base=base)
    assert (home / "our_club.rules").is_file() and not (home / "new.rules").exists()
    with page(home, drafts, writable=False) as shown:
        assert shown.ask("studio/hello")["bases"] == []
        shown.refused("studio/begin", name="new", text="game x")


@by_either
@pytest.mark.parametrize("kind", some(["objective", *GAMES], 1))
def test_what_is_begun_works_as_it_is(home: Path, drafts: Path, kind: str) -> None:
    with page(home, drafts) as shown:
        text = shown.ask("studio/beginning", name="first try", kind=kind, base="paper_world/en")["text"]
        assert not text.startswith("#")
        uri = shown.show(Path(shown.ask("studio/begin", name="first_try", text=text)["uri"][7:]))
        overview = shown.ask("studio/overview", uri=uri)
        assert overview["valid"] and bool(overview["objectives"]) == (kind == "objective")
        assert shown.ask("studio/table", uri=uri, wanted={})["page"]


def test_house_rules_of_a_game_of_the_library_lie_beside_it(home: Path, drafts: Path) -> None:
    """Who only looks at a ruleset of the library begins house rules in the folder where the studio was started."""
    chess = Path(__file__).resolve().parents[2] / "rulesets/classics/chess/game.rules"
    app = make_app(Folder(chess.parent, Drafts(drafts), chess, False, beside=home), TOKEN)
    with serving(app) as running, running.page() as shown:
        hello = shown.ask("studio/hello")
        [base] = [base for base in hello["bases"] if base["uri"] == hello["open"]]
        assert base["address"] == "chess"
        text = shown.ask("studio/beginning", name="chess_house", base="chess")["text"]
        uri = shown.ask("studio/begin", name="chess_house", text=text)["uri"]
        assert uri == (home / "chess_house.rules").as_uri()
        assert uri in [file["uri"] for file in shown.ask("studio/hello")["files"]]
        assert shown.ask("studio/save", uri=uri, text=text + "\n# ours\n")["problem"] is None
        assert "ours" in (home / "chess_house.rules").read_text("utf-8")
        assert shown.ask("studio/overview", uri=shown.show(home / "chess_house.rules"))["valid"]
        # Other files of that folder are none of its business.
        assert shown.refused("studio/open", uri=(home / "house.rules").as_uri())
        assert shown.refused("studio/save", uri=chess.as_uri(), text=text)


@by_either
def test_a_file_from_elsewhere_is_added(home: Path, drafts: Path) -> None:
    with page(home, drafts) as shown:

        def added(name: str, text: str) -> str:
            return str(shown.ask("studio/add", name=name, text=text)["uri"]).rpartition("/")[2]

        assert added("new.rules", "game new") == "new.rules" and (home / "new.rules").read_text("utf-8") == "game new"
        # The same once more is the same; another text does not take its place.
        assert added("new.rules", "game new") == "new.rules" and added("new.rules", "game x") == "new_2.rules"
        assert added("house.rules", HOUSE) == "house.rules" and added("../notes.txt", "game y") == "notes_txt.rules"
        assert added("", "game z") == "rules.rules" and added("2 Größen.rules", "game z") == "rules_2_Gr_en.rules"
        assert "no text file" in shown.refused("studio/add", name="odd", text="a \ud800 b")
        assert "more than" in shown.refused("studio/add", name="long", text="x" * 4_000_001)
        names = {file["name"] for file in shown.ask("studio/hello")["files"]}
        assert names == {
            "house.rules",
            "new.rules",
            "new_2.rules",
            "notes_txt.rules",
            "rules.rules",
            "rules_2_Gr_en.rules",
        }
    with page(home, drafts, writable=False) as shown:
        shown.refused("studio/add", name="new", text="game a")


@one_day_in(8)
def test_two_windows_show_the_same(home: Path, drafts: Path) -> None:
    path = home / "house.rules"
    with studio(home, drafts) as running, running.page() as one, running.page() as two:
        uri = one.show(path)
        assert two.show(path) == uri
        one.type(uri, HOUSE + "# one\n")
        told = {"uri": uri, "text": HOUSE + "# one\n", "saved": HOUSE, "version": 0}
        assert two.wait_for("studio/elsewhere")["params"] == told
        # The other window takes it over, which is nothing new to the first; then it goes on from there.
        two.type(uri, HOUSE + "# one\n")
        two.type(uri, HOUSE + "# one\n# two\n")
        assert one.wait_for("studio/elsewhere")["params"]["text"] == HOUSE + "# one\n# two\n"
        one.type(uri, HOUSE + "# one\n# two\n")
        one.ask("studio/save", uri=uri, text=HOUSE + "# one\n# two\n")
        assert two.wait_for("studio/elsewhere")["params"]["saved"] == path.read_text("utf-8")
        assert two.ask("studio/discard", uri=uri)["text"] == HOUSE + "# one\n# two\n"
        assert one.wait_for("studio/elsewhere")["params"]["text"].endswith("# two\n")
        assert not [m for m in one.told + two.told if m.get("method") == "studio/elsewhere"]


@one_day_in(8)
@pytest.mark.parametrize("looked", [False, True])
def test_a_text_that_was_only_shown_is_no_draft(home: Path, drafts: Path, looked: bool) -> None:
    path = home / "house.rules"
    theirs = HOUSE + "# theirs\n"
    with studio(home, drafts) as running, running.page() as two:
        uri = two.show(path)
        with running.page() as one:
            one.show(path)
            one.type(uri, HOUSE + "# one")
            assert one.ask("studio/save", uri=uri, text=HOUSE + "# one")["text"] == HOUSE + "# one\n"
            path.write_text(theirs, "utf-8")
            if looked:
                assert two.ask("studio/open", uri=uri)["text"] == theirs
            # The page takes over how its text was formatted, and is closed.
            one.type(uri, HOUSE + "# one\n")
            one.ask("studio/hello")
        found = two.ask("studio/open", uri=uri)
        assert (found["text"], found["saved"], found["draft"]) == (theirs, theirs, False)
        two.type(uri, theirs)
        two.ask("studio/hello")
        assert [m["params"]["text"] for m in two.told if m.get("method") == "studio/elsewhere"] == [HOUSE + "# one\n"]


@one_day_in(8)
def test_what_is_undone_is_undone_in_all_windows(home: Path, drafts: Path) -> None:
    path = home / "house.rules"
    with studio(home, drafts) as running, running.page() as one, running.page() as two:
        uri = one.show(path)
        two.show(path)
        one.type(uri, HOUSE + "# one\n")
        assert two.wait_for("studio/elsewhere")["params"]["text"] == HOUSE + "# one\n"
        path.write_text(HOUSE + "# theirs\n", "utf-8")
        one.type(uri, HOUSE)
        # The other window has nothing unsaved then, so that it looks for what another program wrote.
        told = two.wait_for("studio/elsewhere")["params"]
        assert (told["text"], told["saved"]) == (HOUSE, HOUSE)
        assert two.ask("studio/open", uri=uri)["text"] == HOUSE + "# theirs\n"


@by_either
def test_the_library_is_only_looked_at(home: Path, drafts: Path, tmp_path: Path) -> None:
    with page(home, drafts) as shown:
        uri = shown.show(home / "house.rules")
        places = shown.ask("textDocument/definition", textDocument={"uri": uri}, position={"line": 0, "character": 20})
        own = Path(__file__).parents[2] / "rulesets" / "paper_world" / "objectives.rules"
        other = own.as_uri()
        assert not shown.ask("studio/open", uri=other)["writable"] and isinstance(places, list)
        assert "cannot be changed here" in shown.refused("studio/save", uri=other, text="game x")
    assert "part objectives" in own.read_text("utf-8")
    with page(own.parent, tmp_path / "d", own, writable=False) as shown:
        assert not shown.ask("studio/hello")["files"][0]["writable"]


# ---- what rules mean


@by_either
@one_day_in(7)
def test_an_objective_is_shown_with_all_that_is_known_of_it(home: Path, drafts: Path) -> None:
    with page(home, drafts) as shown:
        uri = shown.show(home / "house.rules")
        shown.wait_for("studio/changed")
        found = shown.ask("studio/overview", uri=uri)
        twos = next(o for o in found["objectives"] if o["name"] == "twos")
        assert (
            twos["own"]
            and twos["line"] == 3
            and (twos["examples"], twos["failed"]) == (2, 0)
            and twos["rarity"].startswith("1 in")
        )
        assert not any(o["own"] for o in found["objectives"] if o["name"] != "twos")
        assert (found["board"]["columns"], found["board"]["rows"], found["board"]["grows"]) == (3, 3, True)
        assert {"code", "words", "svg"} == set(found["board"]["faces"][0]) and found["board"]["faces"][0][
            "words"
        ] == "yellow 1"
        one = shown.ask("studio/item", uri=uri, name="twos")
        assert (
            one["svg"].count("<svg") == 1
            and one["rarity"]["fraction"] > 0
            and [e["yes"] for e in one["examples"]] == [True, False]
        )
        assert all(e["holds"] for e in one["examples"]) and one["examples"][0]["board"] == board(
            (0, 0, "Y2"), (1, 0, "B2")
        )
        (rank,) = [found for _, found in one["rarity"]["measures"] if "next to" in found]
        assert "next to “" in rank and not re.search(r"\w_\w", rank)
        near = shown.ask("studio/neighbours", uri=uri, name="twos")
        assert near and all(0 < x["shared"] <= 1 for x in near) and near[0]["shared"] >= near[-1]["shared"]
        assert "no objective `tows`: did you mean `twos`?" in shown.refused("studio/item", uri=uri, name="tows")


@by_either
def test_neighbours_are_counted_exactly(home: Path, drafts: Path) -> None:
    """Two objectives of one visible card on a grid of one cell, counted by hand: 5 of 10 faces below six, 3 of 10 below four."""
    text = """game tiny "Tiny"
players 2..2
component card { number: 1..10 }
deck all_cards of card = all
zone spot: grid 1x1 of card
zone stock: pile of card seen by none
setup { deal stock "All cards": rest of all_cards to stock by chance }
turn = stop
action stop "Stop" () { }
score none_of_it "Nothing" = 0
ranking most total, shared
ending over "At once" when true then stop
objective low "Low" = some card: number < 6
objective lower "Lower" = some card: number < 4
"""
    (home / "tiny.rules").write_text(text, "utf-8")
    with page(home, drafts) as shown:
        uri = shown.show(home / "tiny.rules")
        found = shown.ask("studio/neighbours", uri=uri, name="low")
        assert [(x["name"], round(x["shared"], 6)) for x in found] == [("lower", 0.6)]


@one_day_in(8)
@by_either
def test_it_is_told_how_often_an_objective_is_claimed_in_play(home: Path, drafts: Path) -> None:
    """The share is that of `pwtool analyze --games`, whose games are the same."""
    with page(home, drafts) as shown:
        uri = shown.show(home / "house.rules")
        told = shown.ask("studio/inPlay", uri=uri, name="twos")["told"]
        low, high, games = map(int, re.findall(r"(\d+)(?:%| games?)", told))
        rules = RulesetStore(Library()).get(str(home / "house.rules")).value
        assert rules is not None
        simulation = Simulation((), (2,), 400, 1, home)
        claimed = difficulties(simulation, Table([rules]), 1)["twos"].claimed
        assert claimed.games == games and claimed.low is not None and claimed.high is not None
        assert abs(low - 100 * claimed.low) <= 1 and abs(high - 100 * claimed.high) <= 1
        assert shown.ask("studio/inPlay", uri=uri, name="tows")["told"] is None


@by_either
@one_day_in(7)
def test_boards_are_judged_as_the_rules_say(home: Path, drafts: Path) -> None:
    codes = ["Y2", "B2", "Y3"]
    with page(home, drafts) as shown:
        uri = shown.show(home / "house.rules")
        for first, second, far in itertools.product(codes, codes, (1, 2)):
            found = shown.ask("studio/match", uri=uri, name="twos", board=board((0, 0, first), (far, 0, second)))
            assert found["fulfilled"] == (far == 1 and first[1] == second[1] == "2")
            if found["fulfilled"]:
                assert found["places"] == [[[0, 0], [1, 0]]] and found["changes"] is None
            else:
                again = shown.ask("studio/match", uri=uri, name="twos", board=found["changes"]["board"])
                assert again["fulfilled"] and found["changes"]["count"] == len(found["changes"]["cells"]) <= 2
        tower = shown.ask("studio/match", uri=uri, name="twos", board=board((0, 0, "Y1+Y2"), (0, 1, "K2")))
        assert (
            tower["fulfilled"] and next(o for o in tower["others"] if o["name"] == "nine_piles")["fulfilled"] is False
        )
        assert "the code `Q1`" in shown.refused("studio/match", uri=uri, name="twos", board=board((0, 0, "Q1")))
        for wide in (board((0, 0, "Y1"), (3, 0, "Y1")), board((0, 0, "Y1"), (0, 10**6, "Y1"))):
            shown.refused("studio/match", uri=uri, name="twos", board=wide)


@by_either
def test_a_rule_that_is_broken_just_now_is_still_tried(home: Path, drafts: Path) -> None:
    with page(home, drafts) as shown:
        uri = shown.show(home / "house.rules")
        shown.ask("studio/overview", uri=uri)
        shown.type(uri, HOUSE + "\nobjective half = some")
        assert shown.ask("studio/overview", uri=uri)["valid"] is False
        assert shown.ask("studio/match", uri=uri, name="twos", board=board((0, 0, "Y2"), (1, 0, "Y2")))["fulfilled"]
        assert "fix the mistakes" in shown.refused(
            "studio/addExample", uri=uri, name="twos", board=board((0, 0, "Y2")), yes=True
        )


# ---- what is written


def edited(text: str, edit: dict[str, Any]) -> str:
    """An edit as a page makes it, in units of UTF-16."""
    data = text.encode("utf-16-le")
    return (data[: 2 * edit["at"]] + edit["insert"].encode("utf-16-le") + data[2 * edit["to"] :]).decode("utf-16-le")


@by_either
def test_a_board_becomes_an_example(home: Path, drafts: Path) -> None:
    text = "# 🂡 ace\n" + HOUSE
    (home / "house.rules").write_text(text, "utf-8")
    with page(home, drafts) as shown:
        uri = shown.show(home / "house.rules")
        edit = shown.ask("studio/addExample", uri=uri, name="twos", board=board((0, 0, "Y2"), (0, 1, "K2")), yes=True)
        assert edit["uri"] == uri and edit["disagrees"] is False
        text = edited(text, edit)
        assert "  no  [ Y2 B3 ]\n  yes [ Y2 / K2 ]\n}" in text
        shown.type(uri, text)
        assert "very board" in shown.refused(
            "studio/addExample", uri=uri, name="twos", board=board((5, 5, "Y2"), (5, 6, "K2")), yes=True
        )
        assert "says `yes`" in shown.refused(
            "studio/addExample", uri=uri, name="twos", board=board((0, 0, "Y2"), (0, 1, "K2")), yes=False
        )
        edit = shown.ask("studio/addExample", uri=uri, name="twos", board=board((0, 0, "Y2"), (0, 1, "K1")), yes=True)
        assert edit["disagrees"] is True
        shown.type(uri, edited(text, edit))
        assert [e["holds"] for e in shown.ask("studio/item", uri=uri, name="twos")["examples"]] == [
            True,
            True,
            True,
            False,
        ]
        assert "something on it" in shown.refused("studio/addExample", uri=uri, name="twos", board=board(), yes=True)
        assert "cannot be changed" in shown.refused(
            "studio/addExample", uri=uri, name="l_of_2s", board=board((0, 0, "Y2")), yes=False
        )


@by_either
def test_an_example_is_taken_away(home: Path, drafts: Path) -> None:
    more = (
        HOUSE
        + """
# behind

example twos { yes [ Y2 / B2 ]  no [ Y2 ] }  # short

example twos {
  no [ Y2 . B2 ]  # apart
}
objective ones = some card: value == 1
"""
    )
    with page(home, drafts) as shown:
        uri = shown.show(home / "house.rules")
        text = more
        shown.type(uri, text)
        for yes, cells, gone in [
            (True, [(0, 0, "Y2"), (1, 0, "B2")], "  yes [ Y2 B2 ]\n"),
            (True, [(0, 0, "Y2"), (0, 1, "B2")], " yes [ Y2 / B2 ]"),
            (False, [(0, 0, "Y2")], "\nexample twos {  no [ Y2 ] }  # short\n"),
            (False, [(0, 0, "Y2"), (2, 0, "B2")], "\nexample twos {\n  no [ Y2 . B2 ]  # apart\n}\n"),
            (False, [(0, 0, "Y2"), (1, 0, "B3")], "\nexample twos {\n  no  [ Y2 B3 ]\n}\n"),
        ]:
            asked = {"uri": uri, "name": "twos", "board": board(*cells), "yes": yes}
            assert "any more" in shown.refused("studio/removeExample", **{**asked, "yes": not yes})
            found = edited(text, shown.ask("studio/removeExample", **asked))
            assert found == text.replace(gone, "", 1) != text
            text = found
            shown.type(uri, text)
            assert shown.ask("studio/overview", uri=uri)["valid"]
        assert "example twos" not in text and shown.ask("studio/item", uri=uri, name="twos")["examples"] == []


@by_either
@pytest.mark.slow
def test_questions_sharpen_what_is_meant(home: Path, drafts: Path) -> None:
    """Every answer is taken: after a few no small change is left unnoticed, and the rule or its examples say so."""
    path = home / "house.rules"
    text = HOUSE
    with page(home, drafts) as shown:
        uri = shown.show(path)
        for _ in range(12):
            found = shown.ask("studio/mutants", uri=uri, name="twos")
            assert found["state"] == "done"
            if not found["mutants"]:
                break
            first = found["mutants"][0]
            changed = edited(text, first["replace"])
            shown.type(uri, changed)
            other = shown.ask("studio/match", uri=uri, name="twos", board=first["board"])["fulfilled"]
            assert other != first["fulfilled"], (first, changed)
            shown.type(uri, text)
            text = edited(
                text, shown.ask("studio/addExample", uri=uri, name="twos", board=first["board"], yes=first["fulfilled"])
            )
            shown.type(uri, text)
        else:
            raise AssertionError(text)
        shown.type(uri, text.replace("yes [ Y2 B2 ]", "yes [ Y2 B3 ]"))
        assert shown.ask("studio/mutants", uri=uri, name="twos")["state"] == "failing"
        shown.type(uri, HOUSE[: HOUSE.index("example")])
        # Without any example everything is open.
        open_now = shown.ask("studio/mutants", uri=uri, name="twos")
        assert open_now["state"] == "done" and len(open_now["mutants"]) > 2
        shown.type(uri, "edition")
        assert shown.ask("studio/mutants", uri=uri, name="twos")["state"] == "invalid"


@by_either
def test_objectives_by_pointing(home: Path, drafts: Path) -> None:
    draft: dict[str, Any] = {"name": "pair", "words": "Two of a kind", "shape": ["...", ".#.", "..#"], "turned": True,
                             "together": [{"attribute": "color", "relation": "same"}], "each": [{"attribute": "value", "op": ">=", "value": 3}],
                             "sum": {"attribute": "value", "op": "==", "value": 7}}  # fmt: skip
    with page(home, drafts) as shown:
        uri = shown.show(home / "house.rules")
        found = shown.ask("studio/palette", uri=uri, draft=draft)
        assert (
            found["text"]
            == 'objective pair "Two of a kind" = some [ # . / . # ] turned: same color and all value >= 3 and sum value == 7'
        )
        assert found["fits"] and found["problem"] is None and "<svg" in found["svg"]
        text = edited(HOUSE, {**found, "to": found["at"]})
        assert text.index("example twos") < text.index("objective pair")
        shown.type(uri, text)
        assert shown.ask("studio/overview", uri=uri)["valid"]
        got = shown.ask("studio/match", uri=uri, name="pair", board=board((0, 0, "Y3"), (1, 1, "Y4")))
        assert got["fulfilled"]
        for change, words in [
            ({"name": "pair"}, "already"), ({"name": "2"}, "begins with a letter"), ({"name": "other", "words": "a\nb"}, "cannot hold"),
            ({"name": "other", "shape": ["..."]}, "draw the shape"), ({"name": "other", "shape": ["x"]}, "drawn with"),
            ({"name": "other", "together": [{"attribute": "colour", "relation": "same"}]}, "did you mean `color`"),
            ({"name": "other", "each": [{"attribute": "value", "op": "=>", "value": 3}]}, "is not known: `==`"),
            ({"name": "other", "each": [{"attribute": "value", "op": "==", "value": "3 or true"}]}, "is not known"),
        ]:  # fmt: skip
            assert words in shown.refused("studio/palette", uri=uri, draft={**draft, **change}), change
        for said in ['A "pair"', r"Half \ half", "Ends with \\", r"Both \"", '"']:
            found = shown.ask("studio/palette", uri=uri, draft={**draft, "name": "said", "words": said})
            assert found["fits"] and found["problem"] is None, said
            told = parse_rules(SourceFile("said", f"part said of said\n{found['text']}\n")).value
            assert told is not None and [one.text for one in told.declarations] == [said]
        absent = {**draft, "name": "plain", "sum": None, "height": None}
        assert shown.ask("studio/palette", uri=uri, draft=absent)["fits"]
        odd = shown.ask("studio/palette", uri=uri, draft={**draft, "name": "odd", "shape": ["####"]})
        assert not odd["fits"] and "does not fit" in odd["problem"]


@by_either
def test_a_new_objective_leaves_what_is_there_alone(home: Path, drafts: Path) -> None:
    draft: dict[str, Any] = {"name": "pair", "words": "", "shape": ["##"]}
    head = 'edition house of paper_world/en "Our house"'
    with page(home, drafts) as shown:
        uri = shown.show(home / "house.rules")
        for text, wanted in [
            (head, f"{head}\n\nobjective pair = some [ # # ]"),
            (f"{head}  # ours\n", f"{head}  # ours\n\nobjective pair = some [ # # ]\n"),
            (
                f"{head}\nobjective a = no card: scissors  # none\n",
                f"{head}\nobjective a = no card: scissors  # none\nobjective pair = some [ # # ]\n",
            ),
            (
                f"{head}\nobjective a = no card: scissors\nexample a {{ yes [ Y1 ] }}\nremove rule pass.no_choice\n",
                f"{head}\nobjective a = no card: scissors\nexample a {{ yes [ Y1 ] }}\n\nobjective pair = some [ # # ]\nremove rule pass.no_choice\n",
            ),
        ]:
            shown.type(uri, text)
            found = shown.ask("studio/palette", uri=uri, draft=draft)
            assert edited(text, {**found, "to": found["at"]}) == wanted


# ---- house editions


@by_either
@one_day_in(7)
def test_a_house_edition_is_compared_with_its_base(home: Path, drafts: Path) -> None:
    text = HOUSE + '\nchange objective two_5s "Three visible 5s" = at least 3 card: value == 5\n'
    with page(home, drafts) as shown:
        uri = shown.show(home / "house.rules")
        shown.type(uri, text)
        found = shown.ask("studio/differs", uri=uri)
        assert found["base"]["address"] == "paper_world/en" and found["problem"] is None and found["undecided"] == []
        assert {i["item"] for i in found["items"]} == {"objective:twos", "objective:two_5s"}
        shown.type(uri, HOUSE.replace("all value == 2", "all value == 7"))
        assert shown.ask("studio/differs", uri=uri)["items"]
        shown.type(uri, "edition house of paper_world/no")
        assert "fix the mistakes" in shown.refused("studio/differs", uri=uri)


@pytest.mark.slow
def test_a_game_shows_what_differs(home: Path, drafts: Path) -> None:
    text = HOUSE + '\nchange objective two_5s "Three visible 5s" = at least 3 card: value == 5\n'
    with studio(home, drafts) as running, running.page() as shown:
        uri = shown.show(home / "house.rules")
        shown.type(uri, text)
        found = shown.ask("studio/witness", uri=uri, item="objective:two_5s")
        got = running.get(found["page"])
        assert (
            got.status == 200
            and "sandbox allow-scripts" in got.headers["content-security-policy"]
            and "two_5s" in got.text
        )
        assert "no longer different" in shown.refused("studio/witness", uri=uri, item="objective:row_of_3s")


@by_either
def test_answers_are_plain_json(home: Path, drafts: Path) -> None:
    with page(home, drafts) as shown:
        uri = shown.show(home / "house.rules")
        for found in (shown.ask("studio/overview", uri=uri), shown.ask("studio/item", uri=uri, name="twos")):
            assert "NaN" not in json.dumps(found) and "Infinity" not in json.dumps(found)


# ---- whatever is asked

STRANGE = [
    "[",
    "[::1",
    "]",
    "localhost:x",
    "127.0.0.1:99999",
    "\u00e9",
    "a b",
    "//",
    "http://[",
    "http://127.0.0.1@x",
    "null",
    "",
]
ASCII = st.text(st.characters(min_codepoint=33, max_codepoint=255), max_size=12)


def test_any_request_over_http_is_answered(home: Path, drafts: Path) -> None:
    with studio(home, drafts) as running:

        @settings(max_examples=100, deadline=None)
        @given(
            st.sampled_from(["/", "/static/", "/page/", "/speak", "/x"]),
            st.sampled_from(["", "%00", "studio.js%00", "..%2f", "%ff", "%", "a" * 5000]) | ASCII.map(quote),
            st.sampled_from([f"?token={TOKEN}", "?token=%ff", "?", f"?token={TOKEN}&lang=%00", "?token=%00"]),
            st.dictionaries(
                st.sampled_from(["host", "origin", "referer", "cookie"]), st.sampled_from(STRANGE) | ASCII, max_size=2
            ),
        )
        def ask(path: str, rest: str, query: str, headers: dict[str, str]) -> None:
            found = running.get(f"{path}{rest}{query}", **headers)
            assert 200 <= found.status < 500
            assert (
                "host" not in headers or found.status != 200 or headers["host"].startswith(("127.0.0.1", "localhost"))
            )

        ask()
        for bad in ("[", "[::1"):
            with pytest.raises(InvalidStatus) as refused, running.connect(origin=f"http://{bad}"):
                pass
            assert refused.value.response.status_code == 403


@by_either
def test_any_message_leaves_the_page_open(home: Path, drafts: Path) -> None:
    """Addresses of no file are refused like those of other files, and the next request is answered."""
    with page(home, drafts) as shown:
        for uri in (
            "file://[",
            "file:///a%00.rules",
            "file:///\ud800.rules",
            "file:///" + "a" * 5000 + ".rules",
            "",
            "x:[",
        ):
            for method in ("studio/open", "studio/overview", "textDocument/hover"):
                asked = {"uri": uri, "textDocument": {"uri": uri}, "position": {"line": -1, "character": 2**31}}
                assert "only rules files" in shown.refused(method, **asked)
            shown.tell(
                "textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "", "version": 1, "text": "x"}}
            )
        uri = (home / "house.rules").as_uri()
        for line in (-1, 2**31):
            asked = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 0}}
            assert shown.answer("textDocument/hover", asked)["error"]["code"] == -32602
        assert shown.ask("studio/hello")["files"]


# ---- games


@one_day_in(4)
@by_either
def test_a_pasted_game_is_judged_by_the_rules_in_the_editor(home: Path, drafts: Path) -> None:
    games = Path(__file__).resolve().parents[2] / "examples" / "records"
    clean, illegal = ((games / f"{name}.json").read_text("utf-8") for name in ("clean", "illegal"))
    with page(home, drafts) as shown:
        uri = shown.show(home / "house.rules")
        shown.type(uri, 'edition house of paper_world/gamepark "House"\n')

        def judged(text: str) -> dict[str, Any]:
            found: dict[str, Any] = shown.ask("studio/check", uri=uri, games=[{"text": text}])
            assert found["games"] == 1 and found["clean"] + len(found["shown"]) == 1
            return found["shown"][0] if found["shown"] else {}

        assert judged(clean) == {}
        found = judged(illegal)
        assert found["verdict"] == "findings" and found["findings"][0]["where"] == "turn 23, Ana"
        assert found["findings"][0]["rule"] == "place.inside_3x3"
        assert [one["follows"] for one in found["findings"]] == sorted(one["follows"] for one in found["findings"])
        # What is typed counts, not what is saved.
        shown.type(uri, 'edition house of paper_world/gamepark "House"\nremove rule place.inside_3x3\n')
        assert judged(illegal) != found
        for text in ("{", "[]", "no game", '{"format": "x"}', clean.replace('"turns"', '"turn"'), "\ud800"):
            assert judged(text)["verdict"] == "unreadable" and judged(text)["findings"]
        both = shown.ask("studio/check", uri=uri, games=[{"name": "a.json", "text": clean}, {"text": "{}\n" * 15}])
        assert (both["games"], both["clean"], len(both["shown"])) == (16, 1, 10)
        assert both["shown"][0]["name"] == "games.jsonl:1"
        assert "too many" in shown.refused("studio/check", uri=uri, games=[{"text": "x" * 3_600_000}] * 2)
        # There is no command line to choose an option of.
        shown.type(uri, 'edition house of chess "House"\n')
        other = judged('[Event "x"]\n[Variant "Chess960"]\n[Result "1-0"]\n\n1. e4 1-0\n')["findings"]
        assert other and all("--" not in (one["help"] or "") for one in other), other
        shown.type(uri, "edition")
        for question in ("studio/check", "studio/learn"):
            assert "fix the mistakes" in shown.refused(question, uri=uri, games=[{"text": clean}])


@one_day_in(4)
@by_either
def test_rules_are_learned_from_games(home: Path, drafts: Path) -> None:
    house = """edition short of pig "Short"
change ending hundred "Thirty" when some q in players: points[q] >= 30 then stop at once because "a short evening"
"""
    (home / "short.rules").write_text(house, "utf-8")
    games = "".join(json.dumps(game) + "\n" for game in pwtool.load(home / "short.rules").play_many(12, seed=1))
    with page(home, drafts) as shown:
        uri = shown.show(home / "house.rules")
        own = "example hold.goes_on {\n  given brought = 5\n  yes hold()\n}"
        about = "example hundred {\n  given points[2] = 98\n  no\n}"
        shown.type(uri, f'edition house of pig "House"\n\n{own}\n{about}\n')
        found = shown.ask("studio/check", uri=uri, games=[{"text": games}])
        assert (found["games"], found["clean"]) == (12, 0)
        found = shown.ask("studio/learn", uri=uri, games=[{"text": games}])
        assert "12 are clean under" in found["said"] and found["page"]
        assert "points[q] >= 30" in found["edition"]
        # What the file shows of what stays as it was is kept.
        assert own in found["edition"] and about not in found["edition"]
        added = shown.ask("studio/add", name="house", text=found["edition"])["uri"]
        assert shown.ask("studio/check", uri=shown.show(Path(added[7:])), games=[{"text": games}])["clean"] == 12
        assert "nothing to learn" in shown.refused("studio/learn", uri=uri, games=[{"text": "{"}])


def test_the_studio_tells_what_decides_and_what_nobody_did(
    home: Path, drafts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {}

    def learn(learner: Learner, _: object) -> None:
        asked.update(decide=learner.decide, suspect=learner.suspect)
        raise NothingToLearn("enough", ())

    monkeypatch.setattr(Learner, "learn", learn)
    with page(home, drafts) as shown:
        uri = shown.show(home / "house.rules")
        shown.refused("studio/learn", uri=uri, games=[{"text": "{}"}])
    assert asked == {"decide": True, "suspect": True}


@one_day_in(7)
@by_either
def test_rules_learned_for_a_game_of_ones_own_are_kept_beside_it(home: Path, drafts: Path, tmp_path: Path) -> None:
    pig = (Path(__file__).resolve().parents[2] / "rulesets/classics/pig/game.rules").read_text("utf-8")
    own = home / "race"
    own.mkdir()
    (own / "game.rules").write_text(pig.replace("game pig", "game race"), "utf-8")
    ending = 'edition house of race "Ours"\nchange ending hundred "H" when some q in players: points[q] >= {} then stop at once because "b"\n'
    (own / "house.rules").write_text(ending.format(40), "utf-8")
    (own / "short.rules").write_text(ending.format(25), "utf-8")
    games = "".join(json.dumps(game) + "\n" for game in pwtool.load(own / "short.rules").play_many(12, seed=1))
    with page(home, drafts) as shown:
        for number, name in enumerate(("game.rules", "house.rules"), 2):
            uri = shown.show(own / name)
            found = shown.ask("studio/learn", uri=uri, games=[{"text": games}])
            assert found["note"] is None and found["edition"].startswith(f"edition house_{number} of race")
            added = shown.ask("studio/add", name=found["name"], text=found["edition"], folder=found["folder"])["uri"]
            assert added.endswith(f"race/house_{number}.rules")
            answer = shown.ask("studio/check", uri=shown.show(Path(added[7:])), games=[{"text": games}])
            assert answer["clean"] == 12
        shown.refused("studio/add", name="out", text="game a", folder=tmp_path.parent.as_uri())
