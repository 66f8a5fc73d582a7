"""Settings of a team: `pwtool.toml`, `[tool.pwtool]`, the environment, and what they ignore."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pwtool.checking import accepted
from pwtool.checking.accepted import matches
from pwtool.cli.app import run
from pwtool.text.store import cache_folder
from tests.daily import one_day_in, some

ROOT = Path(__file__).resolve().parents[2]
RULES = "paper_world/gamepark"


@pytest.fixture(autouse=True)
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "games").mkdir()
    for name in ("clean", "illegal", "unseen"):
        shutil.copy(ROOT / f"examples/records/{name}.json", tmp_path / "games")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANG", "C")
    return tmp_path


def ignoring(**words: list[str]) -> str:
    return "[ignore]\n" + "".join(f"{json.dumps(k)} = {json.dumps(v)}\n" for k, v in words.items())


@one_day_in(8)
def test_the_command_line_goes_before_the_environment_and_that_before_the_file(
    team: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (team / "pyproject.toml").write_text('[project]\nname = "x"\n[tool.pwtool]\nformat = "jsonl"\n', "utf-8")
    monkeypatch.chdir(team / "games")

    def printed(*words: str) -> str:
        run(["check", "clean.json", *words])
        return capsys.readouterr().out

    assert json.loads(printed())["verdict"] == "clean"
    assert "clean under" in printed("--no-config")
    monkeypatch.setenv("PWTOOL_FORMAT", "concise")
    assert printed() == f"clean.json: clean [{RULES} 3d898d4c37f3a9c2]\n"
    assert "clean under" in printed("-f", "full")
    monkeypatch.setenv("PWTOOL_RULES", "paper_world/fr, paper_world/en")
    assert "paper_world/fr" in printed() and "paper_world/en" in printed()
    assert RULES in printed("--rules", RULES)


def test_settings_of_a_project_are_found_however_they_are_written(
    team: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(team)
    project = '[project]\nname = "pwtool-games"\npwtool = "x"\n'
    for written in (
        '[tool.pwtool]\nformat = "concise"', '[ tool . "pwtool" ]\nformat = "concise"', "['tool'.'pwtool']\nformat = 'concise'",
        '[tool]\npwtool.format = "concise"', '[ "tool" ]\npwtool = { format = "concise" }', '["t\\u006fol".pwtool]\nformat = "concise"',
    ):  # fmt: skip
        (team / "pyproject.toml").write_text(f"{project}{written}\n", "utf-8")
        assert run(["check", "games/clean.json"]) == 0 and ": clean [" in capsys.readouterr().out, written
    for written in ('tool.pwtool.format = "concise"', 'tool = { pwtool = { format = "concise" } }'):
        (team / "pyproject.toml").write_text(f"{written}\n{project}", "utf-8")
        assert run(["check", "games/clean.json"]) == 0 and ": clean [" in capsys.readouterr().out, written
    (team / "pyproject.toml").write_text(f"{project}[tool.other]\nx = 1\n", "utf-8")
    assert run(["check", "games/clean.json"]) == 0 and "clean under" in capsys.readouterr().out


def test_the_cache_is_where_such_programs_have_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from platformdirs import user_cache_path

    monkeypatch.delenv("PWTOOL_NO_CACHE", raising=False)
    for folder in (str(tmp_path), "", " ", None):
        if folder is None:
            monkeypatch.delenv("XDG_CACHE_HOME")
        else:
            monkeypatch.setenv("XDG_CACHE_HOME", folder)
        assert cache_folder() == user_cache_path("pwtool", appauthor=False)


def test_the_first_file_upwards_counts(
    team: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (team / "pwtool.toml").write_text('format = "concise"\n', "utf-8")
    (team / "games/pyproject.toml").write_text('[project]\nname = "pwtool-games"\n', "utf-8")
    monkeypatch.chdir(team / "games")
    assert run(["check", "clean.json"]) == 0 and ": clean [" in capsys.readouterr().out
    (team / "games/pwtool.toml").write_text("", "utf-8")
    assert run(["check", "clean.json"]) == 0 and "clean under" in capsys.readouterr().out
    monkeypatch.setenv("PWTOOL_CONFIG", str(team / "pwtool.toml"))
    assert run(["check", "clean.json"]) == 0 and ": clean [" in capsys.readouterr().out


@one_day_in(8)
@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ('lang = "fr"\nruels = []\n', "2:1", "did you mean `rules`?"),
        ('format = "concis"\n', "1:11", "did you mean `concise`?"),
        ('lang = "xx"\n', "1:9", "`en`"),
        ("rules = 3\n", "1:1", "a list of texts"),
        ('[ignore]\n"games/*" = ["PW999"]\n', "2:15", "no finding `PW999`"),
        ('[ignore]\n"games/*" = ["PW901"]\n', "2:15", "never ignored"),
        ('rules = ["a"\n\nlang = 3\n', "3:1", "not TOML"),
        ("ignore = 3\n", "1:1", "is a table"),
        ('lang = "en"\nx = ' + "9" * 5000, "2:5", "a number has too many digits"),
        ('lang = "en"\r\n' + ".".join("a" * 20_000) + " = 1", "2:1", "more than 50 dots"),
        ("x = " + "[" * 5000, "1:1", "nested too deeply"),
        ("[ignore]\n" + "".join(f'"a{n}" = "PW601"\n' for n in range(1001)), "1002:", "more than 1000 ignores"),
    ],
)
def test_a_wrong_setting_is_told_with_its_place(
    team: Path, capsys: pytest.CaptureFixture[str], text: str, place: str, said: str
) -> None:
    (team / "pwtool.toml").write_text(text, "utf-8")
    assert run(["check", "games/clean.json"]) == 2
    told = capsys.readouterr().err
    assert "error[PW801]" in told and f"pwtool.toml:{place}" in told and said in told


def test_ignored_findings_are_taken_out_and_unused_ignores_told(team: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (team / "pwtool.toml").write_text(ignoring(games=["place.inside_3x3", "PW611", "PW613"]), "utf-8")
    assert run(["check", "games", "-f", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {f["name"]: len(f["findings"]) for f in told["files"]} == {
        "games/clean.json": 0, "games/illegal.json": 0, "games/unseen.json": 0, "pwtool.toml": 1,
    }  # fmt: skip
    assert told["files"][3]["findings"][0]["code"] == "PW802"
    # Of files that were not all judged nothing is known.
    capsys.readouterr()
    assert run(["check", "games/illegal.json", "-f", "concise"]) == 0
    said = capsys.readouterr()
    assert "PW802" not in said.out
    assert said.err == "1 finding is ignored, as `pwtool.toml` says\n"


def test_paths_of_the_settings_are_seen_from_their_file(
    team: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (team / "house.rules").write_text(f'edition house of {RULES} "House"\n', "utf-8")
    settings = 'rules = "house.rules"\nbaseline = "known.json"\n' + ignoring(**{"games/*.json": ["PW611"]})
    (team / "pwtool.toml").write_text(settings, "utf-8")
    monkeypatch.chdir(team / "games")
    assert run(["check", "illegal.json", "--write-baseline", "../known.json"]) == 1
    assert run(["check", "illegal.json", "unseen.json", "-f", "concise"]) == 0
    assert "house" in capsys.readouterr().out


@pytest.mark.parametrize("form", some(["full", "concise", "json", "jsonl", "sarif", "junit", "github", "markdown"], 2))
def test_a_baseline_leaves_new_findings(team: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "games", "--write-baseline", "games/known.json"]) == 1
    first = Path("games/known.json").read_bytes()
    capsys.readouterr()
    assert run(["check", "games", "--baseline", "games/known.json", "-f", form]) == 0
    assert "inside_3x3" not in capsys.readouterr().out
    # In any order and from any folder it is the same file.
    words = [f"games/{n}.json" for n in ("unseen", "clean", "illegal")]
    assert run(["check", *words, "--write-baseline", str(team / "games/known.json"), "--force"]) == 1
    assert Path("games/known.json").read_bytes() == first
    text = Path("games/illegal.json").read_text("utf-8")
    Path("games/illegal.json").write_text(text.replace('"card": "B1", "at": [1, 1]', '"card": "B1", "at": [5, 5]'))
    assert run(["check", "games", "--baseline", "games/known.json", "-f", form]) == 1
    assert "PW6" in capsys.readouterr().out


def test_known_findings_that_are_gone_are_counted(team: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", "games", "--write-baseline", "known.json"])
    shutil.copy("games/clean.json", "games/illegal.json")
    capsys.readouterr()
    assert run(["check", "games", "--baseline", "known.json"]) == 0
    assert "1 known finding is gone" in capsys.readouterr().err
    assert run(["check", "games/unseen.json", "--baseline", "known.json"]) == 0
    assert "gone" not in capsys.readouterr().err
    assert run(["check", "games", "--baseline", "known.json", "--write-baseline", "known.json"]) == 0
    assert "`known.json` contains 2 findings, 1 gone" in capsys.readouterr().err
    assert [f["rule"] for f in json.loads(Path("known.json").read_text("utf-8"))["findings"]] == ["take.all"] * 2


@pytest.mark.parametrize("written", ["en", "de"])
def test_a_baseline_holds_in_every_language(team: Path, written: str, capsys: pytest.CaptureFixture[str]) -> None:
    (team / "games/cut.json").write_text('{"format": ', "utf-8")
    assert run(["check", "games", "--write-baseline", "known.json", "--lang", written]) == 2
    for language in ("en", "de", "fr"):
        assert run(["check", "games", "--baseline", "known.json", "--lang", language]) == 0
    capsys.readouterr()


def test_a_baseline_that_was_written_in_another_language_still_counts(
    team: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Earlier versions knew a finding by what was said, in whatever language."""
    illegal = ["check", "games/illegal.json", "--lang", "de"]
    assert run([*illegal, "--json"]) == 1
    result = json.loads(capsys.readouterr().out)["files"][0]
    assert run([*illegal, "--write-baseline", "known.json"]) == 1
    known = json.loads((team / "known.json").read_text("utf-8"))
    said = [blake2b(f["message"].encode(), digest_size=8).hexdigest() for f in result["findings"] if not f["follows"]]
    new = {f["message"] for f in known["findings"]}
    assert new.isdisjoint(said)
    for one in known["findings"]:
        one["message"] = said[0]
    (team / "known.json").write_text(json.dumps(known), "utf-8")
    assert len(said) == 1 and run([*illegal, "--baseline", "known.json"]) == 0


@one_day_in(7)
def test_a_baseline_holds_whoever_judges(team: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Many pieces, several processes: games of an archive are known by their ids, not by their lines."""
    game = json.loads(Path("games/illegal.json").read_text("utf-8"))
    lines = [json.dumps({**game, "id": f"g{number}"}) for number in range(30)]
    Path("all.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    run(["check", "all.jsonl", "-q", "--write-baseline", "known.json"])
    Path("all.jsonl").write_text("\n".join(reversed(lines)) + "\n", "utf-8")
    assert run(["check", "all.jsonl", "--baseline", "known.json", "--jobs", "2"]) == 0
    capsys.readouterr()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--baseline", "none.json"], "cannot read the baseline"),
        (["--baseline", "games/clean.json"], "is not a baseline"),
        (["--write-baseline", "x.json", "--limit", "1"], "needs all findings"),
        (["--write-baseline", "notes"], "already exists"),
    ],
)
def test_a_baseline_that_cannot_be(team: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    (team / "notes").write_text("", "utf-8")
    assert run(["check", "games", *words]) == 2
    assert said in capsys.readouterr().err


@one_day_in(7)
def test_other_commands_read_what_concerns_them(
    team: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record, english, board = "games/clean.json", "paper_world/en", "[ Y1+Y2 B3 / . G2 ]"
    own = ROOT / "examples" / "objectives" / "club.rules"

    def printed(*words: str) -> str:
        run(list(words))
        said = capsys.readouterr()
        return said.out + said.err

    lines = [
        ("replay", record), ("legal", record, "--at", "3"), ("score", record), ("render", record, "--at", "5"), ("explain", "place.inside_3x3"),
        ("render", board), ("match", "row_of_3", board), ("which", record), ("rules",),
    ]  # fmt: skip
    usual = {words: printed(*words) for words in lines}
    asked = {words: printed(*words, "--rules", english) for words in lines[:7]}
    packed = printed("convert", record, "-o", "-", "--to", "json")
    (team / "pwtool.toml").write_text(f'rules = ["{english}", "{RULES}"]\nformat = "json"\n', "utf-8")
    for words in lines:
        assert printed(*words) == asked.get(words, usual[words]), words
    for words in lines[:4]:
        assert printed(*words, "--rules", RULES) == usual[words], words
    # What names its rules itself needs no others.
    assert printed("convert", record, "-o", "-", "--to", "json") == packed
    assert "already names its ruleset" in printed("render", f"{own}:peak", "--rules", english)
    assert "already names its ruleset" not in printed("render", f"{own}:peak")
    assert "already names its ruleset" not in printed("match", f"{own}:peak", board)
    monkeypatch.setenv("PWTOOL_CONFIG", "")
    assert printed("score", record) == usual["score", record]
    monkeypatch.setenv("PWTOOL_RULES", english)
    assert printed("score", record) == asked["score", record]
    monkeypatch.setenv("PWTOOL_LANG", "fr")
    assert printed("score", record) == printed("score", record, "--lang", "fr") != asked["score", record]
    assert printed("explain", "place.inside_3x3") == printed(
        "explain", "place.inside_3x3", "--rules", english, "--lang", "fr"
    )


def test_readings_are_those_of_check_in_other_commands_too(team: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def printed(*words: str) -> str:
        run(list(words))
        return capsys.readouterr().out

    usual = printed("replay", "games/clean.json")
    (team / "pwtool.toml").write_text('readings = ["last_round=others"]\n', "utf-8")
    other = printed("replay", "games/clean.json")
    assert "the game is over: " in other and "the game is over: " not in usual
    (team / "pwtool.toml").unlink()
    assert printed("replay", "games/clean.json", "--reading", "last_round=others") == other
    for command in ("legal", "score"):
        assert run([command, "games/clean.json", "--reading", "no=where"]) == 2
        assert "no" in capsys.readouterr().err


def test_wrong_settings_stop_the_commands_that_read_them(team: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (team / "pwtool.toml").write_text("rule = 1\n", "utf-8")
    assert run(["score", "games/clean.json"]) == 2 and "there is no setting `rule`" in capsys.readouterr().err
    assert run(["rules"]) == 0 and run(["explain", "PW601"]) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("kind", ["nowhere", "circle", "pipe", "folder"])
def test_settings_that_are_no_file_are_not_passed_over(
    kind: str, team: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = team / "games" / "pwtool.toml"
    path.unlink(missing_ok=True)
    match kind:
        case "nowhere":
            path.symlink_to("missing.toml")
        case "circle":
            path.symlink_to("pwtool.toml")
        case "pipe":
            os.mkfifo(path)
        case _:
            path.mkdir()
    monkeypatch.chdir(team / "games")
    assert run(["check", "clean.json"]) == 2
    told = capsys.readouterr()
    assert "error[PW" in told.err and "pwtool.toml" in told.err and told.out == ""


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("name", ["pwtool.toml", "pyproject.toml"])
@pytest.mark.parametrize("command", [["check"], ["replay"], ["which"]], ids=" ".join)
def test_settings_behind_a_link_out_of_the_folder_are_not_read(
    command: list[str], name: str, team: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither followed nor quoted, whether they are right or wrong."""
    for content in ('lang = "fr"\n', "a secret = of another\n"):
        (team / "outside.toml").write_text(
            f"[tool.pwtool]\n{content}" if name == "pyproject.toml" else content, "utf-8"
        )
        link = team / "games" / name
        link.unlink(missing_ok=True)
        link.symlink_to("../outside.toml")
        monkeypatch.chdir(team / "games")
        assert run([*command, "clean.json"]) == 2
        told = capsys.readouterr()
        assert "error[PW801]: the link points outside the folder" in told.err and f"--> {name}" in told.err
        assert "PWTOOL_CONFIG" in told.err and "secret" not in told.err and told.out == ""
    # A link within the folder is a file of the folder, and who names a file means it.
    (team / "outside.toml").write_text(
        '[tool.pwtool]\nlang = "fr"\n' if name == "pyproject.toml" else 'lang = "fr"\n', "utf-8"
    )
    monkeypatch.setenv("PWTOOL_CONFIG", name)
    assert run([*command, "clean.json", *(["--rules", RULES] if command == ["which"] else [])]) in (0, 1)
    monkeypatch.delenv("PWTOOL_CONFIG")
    link.unlink()
    (team / "outside.toml").replace(team / "games" / "settings.toml")
    link.symlink_to("settings.toml")
    assert run([*command, "clean.json", *(["--rules", RULES] if command == ["which"] else [])]) in (0, 1)


def test_the_file_of_a_project_that_does_not_use_pwtool_may_be_a_link(team: Path) -> None:
    (team / "outside.toml").write_text('[project]\nname = "x"\n', "utf-8")
    (team / "games" / "pyproject.toml").symlink_to("../outside.toml")


# ---- whatever a file of settings has in it


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(max_size=300)
    | st.text(st.sampled_from("[]{}=\".,'#-_:\n aT9e0x\\"), max_size=300).map(str.encode)
    | st.lists(
        st.tuples(
            st.sampled_from(["", "tool.", "tool.pwtool.", '"tool".']),
            st.sampled_from(
                ["rules", "readings", "rules-from", "format", "lang", "baseline", "ignore", "ignore.a", "x"]
            ),
            st.sampled_from(
                [
                    "1",
                    "[]",
                    "{}",
                    '""',
                    '"a"',
                    "['\\u0000']",
                    "{'*' = 'PW601'}",
                    "nan",
                    "1979-05-27",
                    '["a", 1]',
                    "9" * 4301,
                ]
            ),
        )
    ).map(lambda lines: "\n".join(f"{table}{key} = {value}" for table, key, value in lines).encode()),
    st.sampled_from(["pwtool.toml", "pyproject.toml"]),
)
def test_any_file_is_read_or_refused(team: Path, capsys: pytest.CaptureFixture[str], data: bytes, name: str) -> None:
    for other in ("pwtool.toml", "pyproject.toml"):
        (team / other).unlink(missing_ok=True)
    (team / name).write_bytes(b"[tool.pwtool]\n" + data if name == "pyproject.toml" else data)
    code, told = run(["explain", "PW601"]), capsys.readouterr()
    assert code in (0, 2) and "PW901" not in told.err
    assert code != 2 or "error[" in told.err


# ---- patterns


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("games", "games games/a.json games:3 games/a/b.json:7", "game games.json a/games"),
        ("games/", "games/a.json", "games.json"),
        ("*.json", "a.json .json a.json:3", "a/b.json a.jsonl"),
        ("a/*/c", "a/b/c a/b/c/d", "a/c a/b/b/c"),
        ("**.json", "a.json a/b.json", "a.jso"),
        ("a/**/c", "a/b/c a/b/b/c a//c", "a/c"),
        ("***", "a a/b", ""),
        ("?[x].json", "a[x].json", "/[x].json ax.json"),
        ("archives/**.jsonl", "archives/a.jsonl archives/a/b.jsonl:12", "archive/a.jsonl"),
    ],
)
def test_what_a_pattern_matches(pattern: str, yes: str, no: str) -> None:
    assert all(matches(pattern, place) for place in yes.split())
    assert not any(matches(pattern, place) for place in no.split())


@given(st.text(st.sampled_from("ab/:*?"), max_size=8), st.text(st.sampled_from("ab/:"), max_size=8))
def test_patterns_mean_what_regular_expressions_say(pattern: str, place: str) -> None:
    """These take exponential time for many stars; for few they are the shorter definition."""
    signs = {"**": ".*", "*": "[^/]*", "?": "[^/]"}
    made = "".join(signs.get(part, re.escape(part)) for part in re.findall(r"\*\*|.", pattern.rstrip("/")))
    assert matches(pattern, place) == (re.fullmatch(f"{made}([/:].*)?", place) is not None)


@pytest.mark.parametrize("pattern", ["*a" * 50 + "b", "**/a" * 50 + "b", "**a" * 50 + "b"])
def test_many_stars_take_no_longer(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work is bounded by the lengths of both, one step for each part and character."""
    steps = [0]

    def counted(parts: tuple[str, ...], at: int, sign: str, takes: Any = accepted._takes) -> bool:
        steps[0] += 1
        return bool(takes(parts, at, sign))

    monkeypatch.setattr(accepted, "_takes", counted)
    place = "a" * 200 + "/" + "a" * 200
    assert not matches(pattern, place)
    assert steps[0] <= (len(pattern) + 1) * len(place)


def test_a_long_line_of_versions_is_no_key(team: Path) -> None:
    versions = ", ".join(f'"package{n}>=1.{n}.0"' for n in range(100))
    (team / "pyproject.toml").write_text(
        f"[project]\ndependencies = [{versions}]\n[tool.pwtool]\nformat = 'concise'\n", "utf-8"
    )
    assert run(["check", "games/clean.json"]) == 0
