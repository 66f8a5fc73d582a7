"""Rules files without one of their declarations: what is called unused occurs nowhere else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pwtool.checking.linting import lint_target
from pwtool.lang.parser import parse_rules
from pwtool.rules.library import Library
from pwtool.rules.targets import find_targets
from pwtool.text import Diagnostic, Severity
from pwtool.text.source import SourceFile
from tests.daily import one_day_in

ROOT = Path(__file__).resolve().parents[2]
GAMES = sorted(
    [*(ROOT / "rulesets" / "classics").glob("*/game.rules"), *(ROOT / "tests" / "rulesets").glob("*/game.rules")]
)
SAMPLE = ("nim", "kuhn_poker")
# Claims that something is used nowhere; the last name in the message is what they are about.
CLAIMS = r"^nothing |^no rule names |has no place in the order of play|is never (used|reached)"


def edits(text: str) -> list[str]:
    """The file without one of its declarations, and with one of them named otherwise."""
    document = parse_rules(SourceFile("f", text)).value
    assert document is not None
    found = []
    for declaration in document.declarations:
        span = declaration.span
        found.append(text[: span.start] + text[span.end :])
        name = getattr(declaration, "name", None)
        if name is not None and hasattr(name, "span"):
            found.append(text[: name.span.end] + "_renamed" + text[name.span.end :])
    return found


def elsewhere(text: str, finding: Diagnostic) -> list[str]:
    """Where the name of a claim occurs but in its declaration, in comments and texts, and where a variable is only set.
    A part that is removed is not in the text, and beside an erroneous part there is no claim at all.
    """
    name = re.findall(r"`([^`]+)`", finding.message)[-1]
    assert finding.span is not None
    span = finding.span
    rest = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
    rest = re.sub(r'"[^"\n]*"', "", rest)
    rest = re.sub(r"^ *#.*|  #.*", "", rest, flags=re.MULTILINE)
    if "order of play" in finding.message:
        rest = "\n".join(re.findall(r"^(?:turn|round|anytime)\b[^{\"]*?(?=^\S|\Z|\n\n)", rest, re.MULTILINE))
    return [line for line in rest.splitlines() if re.search(rf"(?<![\w.]){re.escape(name)}\b(?!\s*\+?=[^=])", line)]


@one_day_in(8)
@pytest.mark.parametrize(
    "path",
    [pytest.param(p, marks=() if p.parent.name in SAMPLE else pytest.mark.slow, id=p.parent.name) for p in GAMES],
)
def test_what_is_called_unused_occurs_nowhere_else(path: Path, tmp_path: Path) -> None:
    text = path.read_text("utf-8")
    file = tmp_path / path.parent.name / "game.rules"
    file.parent.mkdir()
    for edited in edits(text):
        file.write_text(edited, "utf-8")
        found = lint_target(find_targets([str(file)], Library())[0][0], Library())
        claims = [d for d in found if re.search(CLAIMS, d.message)]
        # Errors of examples and proofs come from rules that load, so all uses are known.
        if any(d.level is Severity.ERROR and d.code < "PW4" for d in found):
            assert not claims, [d.message for d in claims]
        for claim in claims:
            assert not elsewhere(edited, claim), (claim.message, elsewhere(edited, claim))
