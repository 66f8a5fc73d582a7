"""One sign too few in a good rules file: one finding, about the declaration that lacks it."""

from __future__ import annotations

import random
import re
from bisect import bisect_right
from pathlib import Path

import pytest

from pwtool.lang.mistakes.stuck import declarations
from pwtool.lang.parser import parse_rules
from pwtool.text.data import data_folder
from pwtool.text.source import SourceFile
from tests.daily import seed, times

FILES = sorted(data_folder("rulesets").glob("*/*.rules"))
_SIGN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\[[#._A-Za-z0-9+/ \t\r\n]*\]|#[^\n]*|\w+|[=!<>+]=|\.\.|\S')
_LACKING = (":", "else", "=", "then", "require", "(", ")", "and", "==", "in", "of")


def _lacking_one(path: Path, rng: random.Random) -> tuple[SourceFile, int, str] | None:
    """The file without one of its signs, which declaration lacks it, and the sign. A comment may stand behind it."""
    text = path.read_text("utf-8")
    starts, _ = declarations(SourceFile(path.name, text))
    signs = [m for m in _SIGN.finditer(text) if m[0] in _LACKING and bisect_right(starts, m.start()) > 1]
    if not signs:
        return None
    sign = rng.choice(signs)
    number = bisect_right(starts, sign.start())
    end = starts[number] if number < len(starts) else len(text)
    comment = "# what comes next\n" if rng.random() < 0.5 else ""
    blank = " " * len(sign[0])
    return (
        SourceFile(path.name, text[: sign.start()] + blank + text[sign.end() : end] + comment + text[end:]),
        number,
        sign[0],
    )


@pytest.mark.parametrize("seed", [*range(40), *(pytest.param(n, marks=pytest.mark.slow) for n in range(40, 1000))])
def test_one_sign_too_few_is_one_finding(seed: int) -> None:
    rng = random.Random(seed)
    made = _lacking_one(rng.choice(FILES), rng)
    if made is None:
        return
    file, number, sign = made
    found = parse_rules(file).diagnostics
    assert len(found) <= 1, (file.name, sign, [d.message for d in found])
    for finding in found:
        assert finding.span is not None
        starts, _ = declarations(file)
        places = [finding.span.start, *(label.span.start for label in finding.labels)]
        assert number in {bisect_right(starts, at) for at in places}, (file.name, sign, finding.message, finding.help)


_TEXT = re.compile(r'"(?:[^"\\\n]|\\.)+"(?=[^"\n]*$)', re.MULTILINE)


def test_a_text_that_is_not_closed_is_closed_where_it_was() -> None:
    """Or nothing is offered, as in a declaration that is too long to be tried."""
    rng = random.Random(seed())
    mended = 0
    for _ in range(times(25, 1000)):
        path = rng.choice(FILES)
        text = path.read_text("utf-8")
        found = rng.choice(
            [m for m in _TEXT.finditer(text) if "#" not in text[text.rfind("\n", 0, m.start()) + 1 : m.start()]]
        )
        open_ = text[: found.end() - 1] + text[found.end() :]
        finding = parse_rules(SourceFile(path.name, open_)).diagnostics[0]
        assert (finding.message, finding.span and finding.span.start) == ("the text is never closed", found.start())
        if finding.fix is not None:
            at = finding.fix.span.start
            assert open_[:at] + finding.fix.text + open_[at:] == text, (path, finding.fix.title)
            mended += 1
    assert mended
