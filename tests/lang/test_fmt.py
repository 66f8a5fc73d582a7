"""`pwtool fmt`: the style, what stays as the author has it, and files written whole or not at all."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from pwtool.cli.app import run
from pwtool.lang.fmt.lines import WIDTH
from pwtool.lang.fmt.text import comments_of, format_rules
from pwtool.lang.fmt.tokens import read_tokens
from pwtool.lang.parser import parse_rules
from pwtool.text.source import SourceFile
from tests.daily import one_day_in, some
from tests.docs.test_language import BLOCKS

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted(p for folder in ("rulesets", "examples") for p in (ROOT / folder).rglob("*.rules"))
HEADER = "part p of g\n"


def formatted(text: str) -> str:
    result = format_rules(SourceFile("x.rules", text))
    assert result.value is not None and result.diagnostics == (), result.diagnostics
    return result.value


def check_formatting(text: str) -> str:
    """The formatted text, which has the same tree and comments and is formatted already."""
    result = formatted(text)
    before, after = (parse_rules(SourceFile("x.rules", t)).value for t in (text, result))
    assert before is not None and before == after
    assert comments_of(read_tokens(result)) == comments_of(read_tokens(text))
    assert formatted(result) == result
    return result


def body(text: str) -> str:
    """The formatted text of declarations, without the header."""
    result = check_formatting(HEADER + text)
    assert result.startswith(HEADER)
    return result[len(HEADER) :]


@pytest.mark.parametrize("path", some(SHIPPED, len(SHIPPED) // 6), ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_what_is_shipped_is_formatted(path: Path) -> None:
    text = path.read_text("utf-8")
    assert check_formatting(text) == text
    for line in text.splitlines():
        assert len(line) <= WIDTH or '"' in line or line.lstrip().startswith("#"), line


def test_shipped_files_were_found() -> None:
    assert len(SHIPPED) > 15


@pytest.mark.parametrize("block", BLOCKS, ids=lambda b: f"line {b.line}")
def test_a_block_of_the_reference_keeps_tree_and_comments(block: object) -> None:
    for source in block.sources:  # type: ignore[attr-defined]
        check_formatting(source)


STAYS = {
    "a rule on one line": 'rule a.b "B" see c, d when e > 0 require f == 1\n',
    "a rule on several lines": 'rule a.b "B" see c, d\n  when e > 0\n  require f == 1\n',
    "for each player before the condition": 'invariant a "A"\n  for each player when b require c\n',
    "a block on one line": "component card { kind: red \"R\" | blue \"B\"  step: 1..3 }\n",
    "a block on several lines": "component card {\n  step: 1..3\n}\n",
    "an empty block": 'action a "A" () { }\n',
    "no padded for yes": "example a {\n  yes b(1)\n  no  b(2)\n}\n",
    "no without yes": "example a {\n  no b(2)\n}\n",
    "columns": 'section set_up:  en "Setup"\nsection turns:   en "Turns"\nsection somewhat_longer: en "X"\nsection a:       en "A"\n',
    "columns of clauses": 'ending a "A" when b == 9  then stop\nending a "A" when b == 12 then stop\n',
    "numbers that end below each other": "deck d of c = {\n  10 A  B\n   2 C  D\n}\n",
    "rows of a deck": "deck d of c = {\n  3 A  2 B  1 C\n  3 D       1 E\n       2 F  1 G\n}\n",
    "one blank in a deck": "deck d of c = { 3 A 2 B  1 C }\n",
    "a picture of several lines": "example a {\n  given b = [ R .\n            / . Y ]\n}\n" .replace("}", "  yes\n}"),
    "a picture in a block": "shape a = [\n  # # /\n  # .\n]\n",
    "columns of a picture": "example a {\n  yes [ Y1+Y2 .  / B  K ]\n}\n",
    "because behind a block": 'erratum a "A" printed {\n  remove rule b\n} because "c"\n',
    "because below one": 'ambiguity a "A" reads "b"\n  alternative c "C" {\n    remove rule b\n  }\n  because "c"\n',
    "and at the beginning of a line": "define a(b) = b == 1\n  and b == 2\n",
    "a value below": 'score a "A" =\n  b + c\n',
    "the order of play below its first step": "round = (a | b)+\n        c by (d)\n        e by (d)\n",
    "comments": '# one\n\n# two\nsource a "A"  # three\n# four\n\n# ---- five ----\n\nsource b "B"\n# six\n',
    "comments in a block": "component c {  # one\n  # two\n  a: 1..2  # three\n\n  # four\n  b: 1..2\n  # five\n}\n",
    "columns of comments": "component c {\n  a: 1..2            # one\n  bcd: red | green   # two\n}\n",
    "one empty line in a block": 'texts fr {\n  rule a "A"\n\n  rule b "B"\n}\n',
}  # fmt: skip


@pytest.mark.parametrize("name", STAYS)
def test_good_style_stays(name: str) -> None:
    assert body(STAYS[name]) == STAYS[name]


CHANGES = {
    "blanks": ('rule   a.b"B"require( c+1 )*-2>=d [ e,f ] . g', 'rule a.b "B" require (c + 1) * -2 >= d[e, f].g\n'),
    "a minus before words": ("define a = -count b", "define a = - count b\n"),
    "a colon": ('setup deal a "A" : 2 each of b to c at 0 ,0', 'setup deal a "A": 2 each of b to c at 0, 0\n'),
    "an address": ("remove rule a . b", "remove rule a.b\n"),
    "the order of play": ("turn=(a|( b c ? ) +|d)e * |f { 2 }", "turn = (a | (b c?)+ | d) e* | f{2}\n"),
    "conditions in the order of play": ("turn=(a|b)by(c)when( d )(e f) when(g>1)", "turn = (a | b) by (c) when (d) (e f) when (g > 1)\n"),
    "two things on a line": ('source a "A" source b "B"', 'source a "A"\nsource b "B"\n'),
    "lines that may not end there": ('source\na\n"A"\nzone b:\npile of c', 'source a "A"\nzone b: pile of c\n'),
    "several empty lines": ('source a "A"\n\n\n\nsource b "B"', 'source a "A"\n\nsource b "B"\n'),
    "empty lines at the ends of a block": ("component c {\n\n  a: 1..2\n\n}\n\n\n", "component c {\n  a: 1..2\n}\n"),
    "an empty line inside of a rule": ('rule a.b "B"\n\n  require c', 'rule a.b "B"\n  require c\n'),
    "both clauses or none": ('rule a.b "B"\n  when c require d', 'rule a.b "B"\n  when c\n  require d\n'),
    "a broken block": ("component c { a: 1..2\nb: 1..2 }", "component c {\n  a: 1..2\n  b: 1..2\n}\n"),
    "an operator at the end of a line": ("define a = b or\n c", "define a = b\n  or c\n"),
    "because behind several lines": (
        'change rule a.b "B"\n  require c because "d"', 'change rule a.b "B"\n  require c\n  because "d"\n'
    ),
    "tables": ("define a = by b { 1:2 3:4 else 5 }", "define a = by b { 1: 2  3: 4  else 5 }\n"),
    "items on one line": ("example a { given b = 1 yes }", "example a { given b = 1  yes }\n"),
    "pictures": ("shape a = [# #/# .]turned  mirrored", "shape a = [ # # / # . ] turned mirrored\n"),
    "blanks that line up with nothing": ('source  a   "A"', 'source a "A"\n'),
    "a comment close by": ('source a "A"# b', 'source a "A"  # b\n'),
    "a comment far away": ('source a "A"       # b', 'source a "A"  # b\n'),
    "tabs": ('rule a.b "B"\n\trequire c\t\t# d', 'rule a.b "B"\n  require c  # d\n'),
    "comments between words": (
        "define a = # b\n# c\n d and # e\n f", "define a =  # b\n  # c\n  d\n  and  # e\n  f\n"
    ),
    "a sign of two words": ("define a = at \t least  2 b: top \t of c", "define a = at least 2 b: top of c\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_other_style_is_changed(name: str) -> None:
    before, after = CHANGES[name]
    assert body(before) == after


def test_two_words_stay_apart_where_one_line_would_join_them() -> None:
    joined, apart = "define a = sum top of b\n", "define a = sum top\n  of b\n"
    assert body(joined) == joined and body(apart) == apart


LONG = "a_rather_long_name_of_something"
TOO_LONG = {
    "clauses": (
        f'rule a.b "B" see c when {LONG} == {LONG} require {LONG} == 1 or {LONG} == 2',
        f'rule a.b "B" see c\n  when {LONG} == {LONG}\n  require {LONG} == 1 or {LONG} == 2\n',
    ),
    "parameters": (
        f'action a "A" ({LONG}: cell of b "B", c: {LONG}, d: card from {LONG} "D") {{ b = c }}',
        f'action a "A" (\n  {LONG}: cell of b "B",\n  c: {LONG},\n  d: card from {LONG} "D"\n) {{ b = c }}\n',
    ),
    "a chain": (
        "define a = " + " or ".join([LONG] * 5),
        "define a =\n  " + "\n  or ".join([LONG] * 5) + "\n",
    ),
    "a sum": (
        "define a = " + " + ".join([LONG] * 5),
        "define a =\n  " + " + ".join([LONG] * 3) + "\n  + " + " + ".join([LONG] * 2) + "\n",
    ),
    "a quantifier": (
        f"define a = every b in {LONG}: some c in {LONG}: {LONG} == {LONG} + c",
        f"define a =\n  every b in {LONG}:\n    some c in {LONG}: {LONG} == {LONG} + c\n",
    ),
    "a deck": (
        "deck d of c = { " + " ".join(f"{n} {LONG}" for n in range(1, 8)) + " }",
        "deck d of c = {\n  1 {0} 2 {0} 3 {0}\n  4 {0} 5 {0} 6 {0}\n  7 {0}\n}}\n".replace("{0}", LONG).replace("}}", "}"),
    ),
    "a picture": (
        "shape a = [ " + " / ".join(["#" + " ." * 20] * 4) + " ]",
        "shape a =\n  [ " + "\n  / ".join(["#" + " ." * 20] * 4) + " ]\n",
    ),
    "a reason": (
        f'remove rule a because b "C": "{LONG * 3}"',
        f'remove rule a\n  because b "C": "{LONG * 3}"\n',
    ),
    "a column": (
        f'section a:{" " * 60}en "{LONG}"\nsection {"b" * 59}: en "{LONG} {LONG}"',
        f'section a: en "{LONG}"\nsection {"b" * 59}: en "{LONG} {LONG}"\n',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TOO_LONG)
def test_long_lines_end_at_their_joints(name: str) -> None:
    before, after = TOO_LONG[name]
    assert body(before) == after


@pytest.mark.parametrize(
    "text", ["", "\n", "#", "\x00\x01", "game", 'game g "G"\n}', 'game g "G"\ndefine a = (((', "é"]
)
def test_what_does_not_parse_is_not_formatted(text: str) -> None:
    result = format_rules(SourceFile("x.rules", text))
    assert result.value is None and {d.code for d in result.diagnostics} <= {"PW101", "PW103"} and result.diagnostics


@one_day_in(8)
def test_long_and_deep_files() -> None:
    check_formatting(HEADER + 'source  a "A"  # b\n' * 2000)
    check_formatting(HEADER + "# b\n" * 5000)
    check_formatting(HEADER + "define a = " + "(" * 58 + "b" + ")" * 58)
    check_formatting(HEADER + "define a = " + " or ".join(["b"] * 150))
    check_formatting(HEADER + "define a = b" + ".c" * 150)
    assert format_rules(SourceFile("x", HEADER + "# b\n" * 300_000)).diagnostics[0].code == "PW103"


# ---- the command

UGLY, NICE = 'part   p of g\nsource a "A"', 'part p of g\nsource a "A"\n'


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(name: str, text: str | bytes) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_files_are_formatted_in_place(capsys: pytest.CaptureFixture[str]) -> None:
    path, nice = written("a.rules", UGLY), written("b.rules", NICE)
    before = nice.stat()
    assert run(["fmt", "a.rules", "b.rules"]) == 0
    assert capsys.readouterr().out == "a.rules: formatted\n"
    assert path.read_text() == NICE and nice.stat().st_ino == before.st_ino
    assert run(["fmt", "a.rules", "b.rules"]) == 0
    assert capsys.readouterr().out == ""
    assert sorted(p.name for p in Path().iterdir()) == ["a.rules", "b.rules"]


def test_check_and_diff_change_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    path = written("a.rules", UGLY)
    assert run(["fmt", "--check", "a.rules"]) == 1
    assert capsys.readouterr().out == "a.rules: would be formatted\n"
    for options in (["--diff"], ["--diff", "--check"]):
        assert run(["fmt", *options, "a.rules"]) == 1
        lines = capsys.readouterr().out.splitlines()
        assert lines[:2] == ["--- a.rules", "+++ a.rules (formatted)"]
        assert "-part   p of g" in lines and "+part p of g" in lines and "\\ No newline at end of file" in lines
    assert path.read_text() == UGLY
    written("a.rules", NICE)
    assert run(["fmt", "--check", "a.rules"]) == run(["fmt", "--diff", "a.rules"]) == 0
    assert capsys.readouterr().out == ""


def test_folders_are_searched(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("f/b.rules", "f/g/a.rules", "f/other.txt"):
        written(name, UGLY)
    assert run(["fmt", "f", "f/b.rules"]) == 0
    assert capsys.readouterr().out == "f/b.rules: formatted\nf/g/a.rules: formatted\n"
    assert Path("f/other.txt").read_text() == UGLY
    Path("empty").mkdir()
    assert run(["fmt", "empty"]) == 2
    assert "contains no rules file" in capsys.readouterr().err


def test_standard_input(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    def given(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    given(UGLY.replace("A", "Å"))
    assert run(["fmt", "-"]) == 0
    assert capfdbinary.readouterr().out == NICE.replace("A", "Å").encode()
    for text, options, code, shown in (
        (UGLY, ["--check"], 1, b"<stdin>: would be formatted\n"),
        (NICE, ["--check"], 0, b""),
        (NICE, ["--diff"], 0, b""),
    ):
        given(text)
        assert run(["fmt", *options, "-"]) == code
        assert capfdbinary.readouterr().out == shown
    given("part p")
    assert run(["fmt", "-"]) == 2
    assert b"PW101" in capfdbinary.readouterr().err


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'\xef\xbb\xbfpart  p of g\nsource a "A"', b'\xef\xbb\xbfpart p of g\nsource a "A"\n'),
        (b'part  p of g\r\nsource a "A" # b\r\n', b'part p of g\r\nsource a "A"  # b\r\n'),
        (b'part p of g\r\nsource a "A"\nsource b "B"', b'part p of g\r\nsource a "A"\r\nsource b "B"\r\n'),
        (b'part p of g\nsource a "A"\r\n', b'part p of g\nsource a "A"\n'),
    ],
)
def test_line_ends_and_a_byte_order_mark_stay(before: bytes, after: bytes) -> None:
    path = written("a.rules", before)
    assert run(["fmt", "--diff", "a.rules"]) == 1
    assert run(["fmt", "a.rules"]) == 0
    assert path.read_bytes() == after
    assert run(["fmt", "--check", "a.rules"]) == 0


def test_a_file_that_cannot_be_formatted_stays_and_the_others_are_formatted(capsys: pytest.CaptureFixture[str]) -> None:
    broken = {"syntax.rules": b'part p of g\nsource "A"\n', "bytes.rules": b"\xff\xfe", "nul.rules": b"\x00" * 100}
    broken |= {"empty.rules": b"", "large.rules": b"#" * ((1 << 20) + 1)}
    for name, data in broken.items():
        written(name, data)
    written("a.rules", UGLY)
    assert run(["fmt", ".", "none.rules"]) == 2
    said = capsys.readouterr()
    assert "a.rules: formatted" in said.out and Path("a.rules").read_text() == NICE
    for name in (*broken, "none.rules"):
        assert name in said.err
    assert {name: Path(name).read_bytes() for name in broken} == broken
    assert run(["fmt", "--check", "a.rules", "syntax.rules"]) == 2
    assert run(["fmt", "x" * 5000]) == 2 and run(["fmt", "a\0b"]) == 2


def test_links_and_permissions_stay(capsys: pytest.CaptureFixture[str]) -> None:
    path = written("real/a.rules", UGLY)
    path.chmod(0o640)
    link = Path("a.rules")
    link.symlink_to(path)
    assert run(["fmt", "a.rules"]) == 0
    assert link.is_symlink() and path.read_text() == NICE and path.stat().st_mode & 0o777 == 0o640
    written("real/a.rules", UGLY)
    path.chmod(0o440)
    if os.access(path, os.W_OK):
        return  # an administrator may write anywhere
    assert run(["fmt", "a.rules"]) == 2
    assert "cannot write" in capsys.readouterr().err and path.read_text() == UGLY


def test_new_files_are_formatted() -> None:
    assert run(["new", "game", "ladder"]) == 0
    assert run(["new", "edition", "house", "--of", "paper_world/en"]) == 0
    assert run(["new", "objective", "mine", "--of", "paper_world"]) == 0
    assert run(["fmt", "--check", "."]) == 0
