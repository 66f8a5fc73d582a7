"""A record does not bring its own judge along."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pwtool.cli.app import run
from tests.daily import one_day_in
from tests.support import random_game

LENIENT = """edition lenient of paper_world/fr "Everything goes"

change rule turn.hand_limit "Any number of cards may stay in hand" see taking
  require count hand <= 99
  because "it is handy"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "lenient.rules").write_text(LENIENT, "utf-8")
    return tmp_path


@cache
def played() -> str:
    return json.dumps(random_game("paper_world/fr", 2, 5)[0])


def record(address: str) -> dict[str, Any]:
    game = json.loads(played())
    return {**{key: value for key, value in game.items() if key != "version"}, "ruleset": address}


def write(folder: Path, address: str, name: str = "game.json") -> str:
    (folder / "games" / name).write_text(json.dumps(record(address)), "utf-8")
    return f"games/{name}"


@pytest.mark.parametrize(
    "address",
    ["lenient.rules", "./lenient.rules", "{}/games/lenient.rules", "../games/lenient.rules", "lenient.rules+advanced"],
)
@pytest.mark.parametrize("form", ["full", "concise", "json", "jsonl", "junit", "sarif", "github", "markdown"])
def test_rules_beside_the_record_do_not_judge(
    address: str, form: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(folder, address.format(folder))
    assert run(["check", file, "--format", form]) == 2
    out = capsys.readouterr().out
    assert "PW707" in out and "the record names its own rules" in out


COMMANDS = (
    ["replay", "FILE"], ["legal", "FILE"], ["score", "FILE"], ["render", "FILE"], ["match", "nine_piles", "FILE"],
    ["convert", "FILE", "-o", "-", "--to", "pwn"],
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=[command[0] for command in COMMANDS])
def test_every_command_that_reads_a_record_can_allow_its_rules(
    command: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the help of PW707 names is there."""
    file = write(folder, "lenient.rules")
    words = [file if word == "FILE" else word for word in command]
    refused = run(words)
    said = capsys.readouterr()
    assert refused == 2 and "PW707" in said.out + said.err, said
    assert run([*words, "--rules-from", "games"]) in (0, 1), capsys.readouterr()
    said = capsys.readouterr()
    assert "PW707" not in said.out + said.err


@pytest.mark.slow
def test_which_tries_the_rules_that_are_allowed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(folder, "lenient.rules")
    run(["which", file])
    assert "games/lenient.rules" not in capsys.readouterr().out
    run(["which", file, "--rules-from", "games"])
    assert "games/lenient.rules" in capsys.readouterr().out


def test_allowed_folders_and_given_rules_judge(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(folder, "lenient.rules")
    assert run(["check", file, "--rules-from", "games"]) == 0
    assert "clean under games/lenient.rules" in capsys.readouterr().out
    assert run(["check", file, "--rules-from", str(folder)]) == 0
    assert run(["check", file, "--rules", "games/lenient.rules"]) == 0
    assert run(["check", file, "--rules", "paper_world/fr"]) == 0
    # A path in a record starts at the record, not at whoever checks it.
    assert run(["check", write(folder, "games/lenient.rules"), "--rules-from", "games"]) == 2
    (folder / "other").mkdir()
    assert run(["check", file, "--rules-from", "other"]) == 2


def test_a_link_does_not_lead_out_of_an_allowed_folder(folder: Path) -> None:
    (folder / "allowed").mkdir()
    (folder / "allowed" / "house.rules").symlink_to(folder / "games" / "lenient.rules")
    assert run(["check", write(folder, "../allowed/house.rules"), "--rules-from", "allowed"]) == 2


def test_a_record_lends_no_part_to_allowed_rules(folder: Path) -> None:
    """A link beside the record leads to allowed rules; what they include would lie beside the record."""
    (folder / "allowed").mkdir()
    (folder / "allowed" / "house.rules").write_text(LENIENT.partition("change")[0] + "include more\n", "utf-8")
    for place in ("allowed", "games"):
        (folder / place / "more.rules").write_text("part more of paper_world\n", "utf-8")
    (folder / "games" / "house.rules").symlink_to(folder / "allowed" / "house.rules")
    assert run(["check", write(folder, "../allowed/house.rules"), "--rules-from", "allowed"]) in (0, 1)
    assert run(["check", write(folder, "house.rules"), "--rules-from", "allowed"]) == 2


@pytest.mark.parametrize("form", ["full", "json", "sarif", "github"])
def test_what_rules_include_lies_beside_them(form: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "elsewhere.txt").write_text("secret of somebody\n", "utf-8")
    allowed = folder / "allowed"
    allowed.mkdir()
    (allowed / "house.rules").write_text(LENIENT.partition("change")[0] + "include more\n", "utf-8")
    (allowed / "more.rules").symlink_to("../elsewhere.txt")
    file = write(folder, "../allowed/house.rules")
    for words in (
        ["check", file, "--rules-from", "allowed"],
        ["check", file, "--rules", "allowed/house.rules"],
        ["lint", "allowed/house.rules"],
        ["lint", "allowed"],
    ):
        assert run([*words, "--format", form]) in (1, 2)
        said = capsys.readouterr()
        assert "secret" not in said.out + said.err and "the link points outside the folder" in said.out + said.err
    # A link to a file beside them is one of theirs.
    (allowed / "more.rules").unlink()
    (allowed / "real.rules").write_text("part more of paper_world\n", "utf-8")
    (allowed / "more.rules").symlink_to("real.rules")
    assert run(["check", file, "--rules-from", "allowed"]) in (0, 1)
    assert "allowed/house.rules" in capsys.readouterr().out


@one_day_in(8)
@pytest.mark.parametrize("words", [["lint"], ["test"], ["fmt", "--check"], ["fmt"]])
def test_no_link_leads_out_of_a_folder_of_rules(
    words: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    untidy = LENIENT.replace("  require", "      require")
    (folder / "elsewhere.rules").write_text(untidy, "utf-8")
    (folder / "games" / "out.rules").symlink_to("../elsewhere.rules")
    assert run([*words, "games"]) == 2
    said = capsys.readouterr()
    assert "the link points outside the folder" in said.out + said.err
    assert (folder / "elsewhere.rules").read_text("utf-8") == untidy


@one_day_in(8)
@pytest.mark.parametrize(
    "words", [["replay"], ["score"], ["legal"], ["which"], ["convert", "-o", "x.pwn"], ["render", "-o", "x.svg"]]
)
def test_no_command_reads_them(words: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "games" / "lenient.rules").write_text("secret nonsense", "utf-8")
    run([words[0], write(folder, "lenient.rules"), *words[1:]])
    said = capsys.readouterr()
    assert "secret" not in said.out + said.err


def test_archives_are_held_to_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [json.dumps(record("paper_world/fr")), json.dumps(record("lenient.rules"))] * 20
    (folder / "games" / "all.jsonl").write_text("\n".join(lines), "utf-8")
    assert run(["check", "games/all.jsonl", "-f", "concise"]) == 2
    out = capsys.readouterr().out
    assert out.count("PW707") == 20 and out.count(": clean") == 20


@one_day_in(8)
@pytest.mark.parametrize("form", ["full", "concise", "json", "jsonl", "junit", "sarif", "github", "markdown"])
@pytest.mark.parametrize("address", ["go+open_spiel+situational", "wrong.rules"])
def test_rules_that_cannot_be_loaded_are_told_at_the_record(
    address: str, form: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "games" / "wrong.rules").write_text(LENIENT.replace("turn.hand_limit", "turn.nothing"), "utf-8")
    file = write(folder, address)
    assert run(["check", file, "--rules-from", "games", "--format", form]) == 2
    out = capsys.readouterr().out
    assert "PW708" in out and file in out
    assert "`pwtool lint " in out or form not in ("full", "json", "jsonl")
    assert "the rules that the record names cannot be loaded: there is no rule" in out
    if form == "concise":
        assert out.startswith(f"{file}:1:") and out.count("\n") == 1


@one_day_in(8)
@pytest.mark.parametrize(
    "address",
    [
        "a" * 100_006, "a" * 100_000 + ".rules", "a/" * 200 + "b.rules", "a" * 499, "paper_world/" + "b" * 400,
        "paper_world+" + "b" * 400, "a/b/c" * 90, "paper_world/en+" + "b" * 400, "../games/" * 40 + "b" * 90 + ".rules",
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["full", "concise", "github"])
def test_a_long_address_is_shortened(address: str, form: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(folder, address)
    for more in ([], ["--rules-from", "games"]):
        assert run(["check", file, *more, "--format", form]) == 2
        said = capsys.readouterr()
        assert max(map(len, (said.out + said.err).splitlines())) < 300 and "a" * 81 not in said.out


@pytest.mark.parametrize("value", [5, None, ["paper_world"], {}, True, 0, []])
def test_a_ruleset_that_is_no_text_is_told_at_its_place(
    value: Any, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = {"format": "pwtool/1", "ruleset": value}
    (folder / "game.json").write_text(json.dumps(data, indent=1), "utf-8")
    assert run(["check", "game.json", "-f", "concise"]) == 2
    assert capsys.readouterr().out.startswith("game.json:3:13: error[PW702]: `ruleset` is a text")


def test_the_words_of_a_notation_are_never_those_of_other_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one of the games `R` is red, in the other one blue."""
    monkeypatch.chdir(tmp_path)
    for name, codes in (("one", 'red "R" | blue "B"'), ("two", 'blue "R" | red "B"')):
        Path(name).mkdir()
        Path(name, "game.rules").write_text(
            f"""game {name} "{name}"
players 1..1
component stone {{ color: {codes} }}
deck stones of stone = all
zone bag_: bag of stone
zone out: pile of stone
setup deal bag_ "All": all of stones to bag_ by chance
turn = say
action say "Name one" (color: color, stone: stone from bag_) {{ move stone to out }}
ending empty "All are out" when bag_ is empty then stop
""",
            "utf-8",
        )
    Path("one/house.rules").write_text('edition house of one "House"\n', "utf-8")
    Path("game.pwn").write_text(
        "ruleset: one/game.rules\nplayers: Ana\n\nsetup\n  bag_: R B\n\n1. Ana: say R R\n", "utf-8"
    )
    for command in (["check", "game.pwn"], ["convert", "game.pwn", "-o", "-", "--to", "json"]):
        assert run([*command, "--rules", "two/game.rules"]) == 2
        said = capsys.readouterr()
        assert "PW707" in said.out + said.err
        # The same file, and what builds on it.
        for given in ("one/game.rules", str(tmp_path / "one/game.rules"), "one/house.rules"):
            assert run([*command, "--rules", given]) == 0, given
        capsys.readouterr()
    assert (
        run(["convert", "game.pwn", "-o", "-", "--to", "json", "--rules", "two/game.rules", "--rules-from", "."]) == 0
    )
    assert '"color": "red"' in capsys.readouterr().out
    # Where it is not there, those that are given have to do.
    Path("one").rename("another")
    assert run(["check", "game.pwn", "--rules", "two/game.rules"]) == 0
