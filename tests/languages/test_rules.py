"""What designers are told of their rules is said in their language, too."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from pwtool.checking.linting import lint_target
from pwtool.rules.library import Library
from pwtool.rules.targets import find_targets
from pwtool.text import Diagnostic
from pwtool.text.speech import Speech, Told
from tests.golden.test_mistakes import FILES
from tests.languages.test_languages import TRANSLATED, left_in_english
from tests.rules import test_check, test_lint


def in_english(found: list[Diagnostic], language: str) -> list[str]:
    """What of these findings has no translation, or only a part of one."""
    wrong = []
    for finding in found:
        told = [
            finding.message,
            *([finding.help] if finding.help else []),
            *finding.notes,
            *(label.text for label in finding.labels),
        ]
        told += [finding.fix.title] if finding.fix else []
        wrong += [
            text for text in told if not isinstance(text, Told) or left_in_english(_own(text.within(Speech(language))))
        ]
        # Every gap is filled.
        wrong += [text for text in told if re.search(r"\{[a-z_]+\}", text)]
    return wrong


def _own(text: str) -> str:
    """A text without the name that the rules give to an attribute."""
    return text.replace("(color)", "")


@pytest.mark.parametrize("language", TRANSLATED)
def test_lints(language: str, tmp_path: Path) -> None:
    for what, text, _ in test_lint.FOUND:
        if not what.startswith(("example of", "card of")):
            assert not in_english(test_lint.lint(tmp_path, text), language), what


@pytest.mark.parametrize("language", TRANSLATED)
def test_mistakes(language: str) -> None:
    library = Library()
    for file in FILES:
        targets, _ = find_targets([str(file)], library)
        found = [d for d in lint_target(targets[0], library) if d.code != "PW402"]
        assert not in_english(found, language), file.name


@pytest.mark.parametrize("language", TRANSLATED)
def test_mistakes_of_meaning(language: str, tmp_path: Path) -> None:
    shutil.copytree(test_check.ROOT / "rulesets" / "paper_world", tmp_path / "paper_world")
    for mistake in test_check.MISTAKES:
        assert not in_english([*test_check.load(tmp_path, mistake.text)], language), mistake.name
