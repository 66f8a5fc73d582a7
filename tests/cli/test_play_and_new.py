"""`pwtool play` makes records that are clean, `pwtool new` files that pass `pwtool test`."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from pwtool.cli.app import run
from pwtool.cli.playing import person_policy
from pwtool.play.chance import Chance
from pwtool.play.selfplay import deal_at_random, play_game, random_policy
from pwtool.records.schema import record_schema
from pwtool.rules.beginnings import GAMES
from pwtool.text.speech import SPOKEN
from pwtool.why.voice import PLAIN
from tests.cli.test_terminal import command_names
from tests.daily import one_day_in, some
from tests.support import ADDRESSES, book

DUELS = tuple(f"pierre_papier_morpion/fr{v}" for v in ("", "+bonus", "+binoculars", "+bonus+binoculars"))
CLASSICS = ("rulesets/classics/tic_tac_toe/game.rules", "rulesets/classics/connect_four/game.rules")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("address", some([*ADDRESSES, *DUELS, *CLASSICS], 3))
def test_a_played_game_is_clean(address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "record.json"
    assert run(["play", address, "--seed", "5", "-o", str(record)]) == 0
    assert run(["check", str(record), "--rules", address]) == 0, capsys.readouterr().out
    data = json.loads(record.read_text("utf-8"))
    assert "result" in data and data["id"] == "seed-5"
    schema = record_schema(book(address).game)
    Draft202012Validator.check_schema(schema)
    assert list(Draft202012Validator(schema).iter_errors(data)) == []
    assert run(["play", address, "--seed", "5"]) == 0
    capsys.readouterr()
    assert run(["play", address, "--seed", "5"]) == 0
    assert json.loads(capsys.readouterr().out) == data


def test_games_that_come_to_a_standstill_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = str(tmp_path / "games.jsonl")
    assert run(["play", "paper_world/gamepark", "--players", "3", "--seed", "60", "--games", "1", "-o", archive]) == 0
    assert "in one game nobody can move any more, and it is not over" in capsys.readouterr().err
    assert run(["check", archive, "--format", "concise"]) == 1
    assert "PW612" in capsys.readouterr().out


def test_an_archive_has_a_game_for_each_seed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = tmp_path / "games.jsonl"
    assert run(["play", CLASSICS[0], "--seed", "3", "--games", "20", "-o", str(archive)]) == 0
    games = [json.loads(line) for line in archive.read_text("utf-8").splitlines()]
    assert [g["id"] for g in games] == [f"seed-{n}" for n in range(3, 23)]
    assert len({json.dumps(g["turns"]) for g in games}) > 10
    assert "nobody can move" not in capsys.readouterr().err
    assert run(["check", str(archive), "--rules", CLASSICS[0]]) == 0
    assert run(["play", CLASSICS[0], "--seed", "3", "-o", str(archive)]) == 2, "nothing is overwritten unasked"
    assert len(archive.read_text("utf-8").splitlines()) == 20


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["play", "paper_world/frr"], "did you mean `fr`?"),
        (["play", "paper_world/fr", "--players", "7"], "the game is for 2 to 4"),
        (["play", "paper_world/fr", "--players", "9" * 18], "the game is for 2 to 4"),
        (["play", "paper_world/fr", "--players", "2", "--name", "A", "--name", "B", "--name", "C"], "3 names for 2"),
        (["play", "paper_world/fr", "--name", "A", "--name", "A"], "the same name"),
        (["play", "paper_world/fr", "--policy", "clever"], "`--policy` cannot be `clever`"),
        (["play", "paper_world/fr", "--games", "3", "-o", "three.json"], "an archive"),
        (["play", "paper_world/fr", "--policy", "person", "--person", "Zoe"], "`Zoe` is not one of the players"),
        (["new", "gam", "x"], "did you mean `game`?"),
        (["new", "game", "1st"], "is not a name"),
        (["new", "objective", "brücke", "--of", "paper_world"], "letters from a to z"),
        (["new", "objective", "if", "--of", "paper_world"], "`if` is a word of the language"),
        (["new", "game", "x", "-o", "x.txt"], "`x.txt` is not a rules file"),
        (["new", "edition", "x"], "which ruleset is the edition for?"),
        (["new", "edition", "x", "--of", "paper_world/enn"], "did you mean `en`?"),
        (["new", "objective", "x", "--of", "pierre_papier_morpion"], "has no objectives"),
        (["new", "objective", "five_1s", "--of", "paper_world"], "already has an objective"),
        (["new", "game", "x", "--of", "paper_world"], "a game stands on nothing"),
    ],
)
def test_what_cannot_be_is_said(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(words) == 2
    printed = capsys.readouterr()
    assert said in printed.out + printed.err
    assert list(tmp_path.iterdir()) == []


@one_day_in(8)
@pytest.mark.parametrize(
    "words",
    [
        *([kind, "ladder"] for kind in GAMES),
        *some([["edition", "house", "--of", a] for a in (*ADDRESSES, *DUELS)], 2),
        *some([["objective", "twins", "--of", a] for a in ADDRESSES if "+" not in a], 1),
    ],
    ids=" ".join,
)
def test_a_new_file_passes_its_test(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", *words]) == 0
    (path,) = tmp_path.rglob("*.rules")
    written = path.read_text("utf-8")
    capsys.readouterr()
    for command in ("lint", "test"):
        assert run([command, str(path)]) == 0
        assert not re.search("^(error|warning|note)", capsys.readouterr().out, re.MULTILINE)
    assert run(["new", *words]) == 2, "nothing is overwritten unasked"
    assert path.read_text("utf-8") == written
    if words[0] == "edition":
        # Where there are objectives one is shown, which is right without its `#`.
        shown = written.replace("\n# objective", "\nobjective")
        assert (shown != written) == words[3].startswith("paper_world")
        path.write_text(shown, "utf-8")
        assert run(["lint", str(path)]) == 0, capsys.readouterr().out
    if words[0] in GAMES:
        assert run(["play", str(path), "--players", "2", "--seed", "1", "-o", "g.json"]) == 0
        assert run(["check", "g.json", "--rules", str(path)]) == 0


@pytest.mark.parametrize("lang", SPOKEN)
@pytest.mark.parametrize(
    "words",
    [
        *([*kind, *form] for kind in (["game", "x"], ["edition", "x", "--of", "paper_world/en"]) for form in ([], ["--json"], ["-o", "-"])),
        *(["objective", "x", "--of", address] for address in ("paper_world/en", "chess", "nix", "paper_world/nix")),
        *([], ["game"], ["nix"], ["nix", "x"], ["game", "a b"], ["game", "if"], ["edition", "x"], ["objective", "x"]),
        *(["game", "x", "-o", "x.txt"], ["game", "x", "--form"], ["game", "x", "--format", "xml"], ["game", "x", "--of"]),
    ],
    ids=" ".join,
)  # fmt: skip
def test_new_says_nothing_with_an_escape_sequence(
    words: list[str], lang: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        # The second time there may be a file already.
        run(["new", *words, "--lang", lang])
        printed = capsys.readouterr()
        assert "\\" not in printed.out + printed.err


def test_no_usage_error_has_an_escape_sequence(capsys: pytest.CaptureFixture[str]) -> None:
    """Each command with a wrong choice for options that may have choices, and some without what they require."""
    wrong = (["--color", "nix"], ["--format", "nix"], ["--policy", "nix"], ["--nix"])
    slips = [[*command, *words] for command in command_names() for words in wrong]
    assert len(slips) > 100
    for words in [*slips, ["new"], ["explain"], ["render"], ["import"], ["convert"], ["rules", "show"]]:
        run(words)
        assert "\\" not in capsys.readouterr().err, words


# ---- people at the terminal


@pytest.mark.parametrize("address", [DUELS[3], CLASSICS[1], "paper_world/en"])
def test_a_game_played_by_people_is_clean(address: str) -> None:
    rules = book(address)
    rng = Chance(4)
    record = deal_at_random(rules.game, ["Ana", "Leo"], rng)
    asked: list[tuple[str, list[str]]] = []

    def ask(question: str, lines: list[str]) -> int:
        asked.append((question, lines))
        return rng.below(len(lines))

    policy = person_policy(rules, record, {0}, random_policy(rng), ask, PLAIN)
    play = play_game(rules.game, record, policy, rules.legal, 400)
    assert play.over and record.outcome is not None
    assert any("Ana" in question for question, _ in asked)
    assert not any(question.startswith("Leo") for question, _ in asked), "the other seat plays by itself"


def test_a_person_is_not_shown_what_is_hidden(capsys: pytest.CaptureFixture[str]) -> None:
    rules = book(DUELS[0])
    record = deal_at_random(rules.game, ["Ana", "Leo"], Chance(1))

    rng = Chance(1)

    def ask(question: str, lines: list[str]) -> int:
        assert "token" not in question
        return rng.below(len(lines))

    policy = person_policy(rules, record, {0, 1}, random_policy(rng), ask, PLAIN)
    play_game(rules.game, record, policy, rules.legal, 1)
    printed = capsys.readouterr().err
    board = printed[printed.index("downturned") :].partition("\n\n")[0]
    assert "?" in board and not set("GTRCP") & set(board.replace("downturned", ""))
    # Its look hides what lies beside the table.
    assert "spares" not in printed


def test_the_terminal_takes_numbers_and_keeps_what_was_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record = tmp_path / "record.json"
    # Five, an answer that is none, two, and then enough.
    monkeypatch.setattr("sys.stdin", io.StringIO("5\nseven\n2\nq\n"))
    assert run(["play", CLASSICS[0], "--policy", "person", "--seed", "1", "-o", str(record)]) == 0
    assert "`seven` is not one of the choices" in capsys.readouterr().err
    data = json.loads(record.read_text("utf-8"))
    assert [t["actions"][0]["at"] for t in data["turns"]] == [[1, 1], [1, 0]] and "result" not in data
    assert run(["check", str(record), "--rules", CLASSICS[0]]) == 0


@pytest.mark.parametrize("name", ["g.json", "g.json.gz", "g.pwn", "g.pwn.xz", "g.jsonl", "g.zip", "g"])
def test_a_game_is_written_as_its_name_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["play", "nim", "--seed", "3", "-o", name]) == 0
    capsys.readouterr()
    assert run(["check", name, "--json"]) == 0
    assert '"verdict": "clean"' in capsys.readouterr().out
    assert (name.endswith(".pwn") and "{" not in Path(name).read_text("utf-8")) or not name.endswith(".pwn")


def test_a_game_is_not_written_in_a_form_that_nobody_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["play", "nim", "--seed", "3", "-o", str(tmp_path / "g.pgn")]) == 2
    assert "is not a file name for records" in capsys.readouterr().err and list(tmp_path.iterdir()) == []
