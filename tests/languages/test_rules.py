"""What designers are told of their rules is said in their language, too."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from pwtool.checking.linting import lint_target
from pwtool.cli.app import run
from pwtool.rules.library import Library
from pwtool.rules.targets import find_targets
from pwtool.text import Diagnostic
from pwtool.text.speech import Speech, Told
from tests.daily import some
from tests.golden.test_mistakes import FILES
from tests.languages.test_languages import TRANSLATED, left_in_english
from tests.rules import test_check, test_lint

SHARES = some(range(8), 1)


def in_english(found: list[Diagnostic]) -> list[str]:
    """What of these findings has no translation into one of the languages, or only a part of one."""
    wrong = []
    for finding in found:
        told = [
            finding.message,
            *([finding.help] if finding.help else []),
            *finding.notes,
            *(label.text for label in finding.labels),
        ]
        told += [finding.fix.title] if finding.fix else []
        for speech in map(Speech, TRANSLATED):
            wrong += [text for text in told if not isinstance(text, Told) or left_in_english(_own(text.within(speech)))]
        # Every gap is filled.
        wrong += [text for text in told if re.search(r"\{[a-z_]+\}", text)]
    return wrong


def _own(text: str) -> str:
    """A text without the name that the rules give to an attribute."""
    return text.replace("(color)", "")


def test_lints(tmp_path: Path) -> None:
    for what, text, _ in test_lint.FOUND:
        assert not in_english(test_lint.lint(tmp_path, text)), what


@pytest.mark.parametrize("share", SHARES)
def test_mistakes(share: int) -> None:
    library = Library()
    for file in FILES[share::8]:
        targets, _ = find_targets([str(file)], library)
        assert not in_english(lint_target(targets[0], library)), file.name


@pytest.mark.parametrize("share", SHARES)
def test_mistakes_of_meaning(share: int, tmp_path: Path) -> None:
    shutil.copytree(test_check.ROOT / "rulesets" / "paper_world", tmp_path / "paper_world")
    for mistake in test_check.MISTAKES[share::8]:
        assert not in_english([*test_check.load(tmp_path, mistake.text)]), mistake.name


WRONG_EXAMPLES = """
example lay.free { given hand = { R1 } given board = [ R2 ] yes lay(R1, (0, 0)) no lay(R1, (1, 0)) }
example full { yes }
example draw.left { yes draw() no draw() }
example score { then cards = 3 }
invariant few "Few cards" for each player require count hand < 3
example few { given hand = { R1 R2 R3 } yes }
"""


@pytest.mark.parametrize("language", TRANSLATED)
def test_examples_that_do_not_hold(language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "game.rules"
    file.write_text(test_check.MINI + WRONG_EXAMPLES, "utf-8")
    for more in ((), ("--coverage",), ("--mutate",)):
        assert run(["test", str(file), *more, "--lang", language]) == 1
        told = capsys.readouterr().out
        assert told.count("PW402") >= 4 - bool(more) and not left_in_english(told.replace(str(file), "")), told
