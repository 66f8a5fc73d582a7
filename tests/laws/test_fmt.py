"""However a rules file is spaced, its formatted text says the same, loses no comment, and is formatted already."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pwtool.lang.fmt.lines import WIDTH
from pwtool.lang.fmt.text import comments_of, format_rules
from pwtool.lang.fmt.tokens import read_tokens
from pwtool.lang.parser import parse_rules
from pwtool.lang.tree import Document, SetupStep
from pwtool.text.source import SourceFile
from tests.daily import one_day_in, times
from tests.docs.test_language import BLOCKS

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(p for folder in ("rulesets", "examples", "tests/rulesets") for p in (ROOT / folder).rglob("*.rules"))
RELAXED = settings(
    max_examples=times(50, 150), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
SPACES = ("", " ", " ", "  ", "      ", "\t", "\n", "\n    ", "\n\n", " \n\n\n\n  ", "\r\n")
COMMENTS = (" # why\n", "\n# what\n", "#\n", "\n\n  # one\n\n      # two\n", "   # behind\n# below\n\n")


KEYWORDS = set(
    re.findall(
        r"[a-z]+", " ".join(re.findall(r'"[a-z]+"|/[a-z]+\[', (ROOT / "grammar" / "rules.lark").read_text("utf-8")))
    )
)


@cache
def declarations() -> list[tuple[str, str]]:
    """Declarations of the shipped files and of the reference, each with a header that it may stand behind."""
    found = []
    for text in [*(p.read_text("utf-8") for p in FILES), *(source for b in BLOCKS for source in b.sources)]:
        document = parse(text)
        assert document is not None
        header = document.header.span.text
        for d in document.declarations:
            # The steps of a setup stand in its block, but a supply is a line of its own.
            is_inside = isinstance(d, SetupStep) and not d.span.text.startswith("supply")
            found.append((header, "setup " * is_inside + d.span.text))
    assert len(found) > 500
    return found


def parse(text: str) -> Document | None:
    return parse_rules(SourceFile("x.rules", text)).value


def formatted(text: str) -> str:
    result = format_rules(SourceFile("x.rules", text))
    assert result.value is not None, result.diagnostics
    return result.value


@st.composite
def respaced(draw: st.DrawFn, longest: int = 3) -> str:
    """A header and some declarations with other blanks, line breaks and comments between the tokens, with longer names."""
    header, _ = draw(st.sampled_from(declarations()))
    chosen = draw(st.lists(st.sampled_from(declarations()), min_size=1, max_size=4))
    text = "\n".join([header, *(body for _, body in chosen)])
    # Mostly as it is, sometimes torn apart.
    rate = draw(st.sampled_from((0.02, 0.1, 0.4, 0.9)))
    with_comments = draw(st.booleans())
    rng = draw(st.randoms(use_true_random=False))
    longer = draw(st.sampled_from((0, 0, min(1, longest), longest)))
    parts: list[str] = []
    tokens = read_tokens(text)
    for number, leaf in enumerate(tokens.leaves):
        space = "" if not number else "\n" if leaf.breaks else " " * leaf.run
        if number and rng.random() < rate:
            inside = leaf.construct == "picture" and leaf.text != "["
            choices = SPACES if inside or not with_comments or rng.random() < 0.8 else COMMENTS
            new = rng.choice(choices)
            space = new or space
        is_name = re.fullmatch(r"[A-Za-z_]\w*", leaf.text) and not KEYWORDS & set(leaf.text.split())
        parts += space, leaf.text + "_and_longer" * longer * bool(is_name)
    return "".join(parts) + draw(st.sampled_from(("", "\n", "\n\n\n", " # the end", "\n\n# the\n# end")))


@one_day_in(8)
@RELAXED
@given(respaced())
def test_formatting_keeps_tree_and_comments_and_is_idempotent(text: str) -> None:
    before = parse(text)
    assume(before is not None)
    result = formatted(text)
    assert parse(result) == before
    assert comments_of(read_tokens(result)) == comments_of(read_tokens(text))
    assert formatted(result) == result
    assert result.endswith("\n") and "\n\n\n" not in result and "\r" not in result
    assert not re.search(r"[ \t]$", result, re.MULTILINE)


@one_day_in(4)
@RELAXED
@given(respaced(longest=0))
def test_only_what_cannot_be_broken_is_longer_than_the_page(text: str) -> None:
    assume(parse(text) is not None)
    for line in formatted(text).splitlines():
        code = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)
        assert len(line) <= WIDTH or "#" in code or '"' in line, line


@one_day_in(4)
@RELAXED
@given(respaced(), st.integers(0, 10**6), st.sampled_from([*'{}()[]"#:=.,|+-\\\x00é\n ', "when", "at", "of"]))
def test_a_damaged_text_is_formatted_or_refused(text: str, at: int, sign: str) -> None:
    at %= len(text) + 1
    for damaged in (text[:at] + sign + text[at:], text[:at] + text[at + 1 :], text[:at]):
        result = format_rules(SourceFile("x.rules", damaged))
        assert (result.value is None) == bool(result.diagnostics)
        if result.value is not None:
            assert formatted(result.value) == result.value


@RELAXED
@given(st.text(alphabet=st.sampled_from('gameruldckx "{}()[]:=#\n\r\t.+-|/0123\x00\x0c\u2028'), max_size=80))
def test_no_text_crashes_the_formatter(text: str) -> None:
    for source in (text, f'game x "X"\n{text}'):
        result = format_rules(SourceFile("x.rules", source))
        assert (result.value is None) == bool(result.diagnostics)
