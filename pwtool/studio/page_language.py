"""The page in a language: its messages are in the catalogs and are delivered with it."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

from pwtool.text.speech import SPOKEN, Speech

PAGE = "studio"
"""The context of the page's messages in the catalogs."""
FORMS = 200
"""Number of counts for which plural forms are listed; they repeat every hundred after that."""
NAMES = {"en": "English", "fr": "Français", "de": "Deutsch"}


def chosen(asked: str | None, started: str) -> str:
    """The language of a page: the requested one if it is offered, otherwise the one that the studio was started in."""
    return asked if asked in offered(started) else started


def offered(started: str) -> dict[str, str]:
    """The available languages, by their own names."""
    return {code: NAMES.get(code, code) for code in dict.fromkeys((*SPOKEN, started))}


def speak(template: Path, language: str, started: str) -> bytes:
    """The page with all of its messages in a language."""
    return _filled(template, language, [_spoken(language, offered(started))])


def speak_all(template: Path) -> bytes:
    """The page with its messages in all languages: it chooses the reader's itself."""
    languages = offered("en")
    return _filled(template, "en", [_spoken(language, languages) for language in dict.fromkeys(("en", *languages))])


def _spoken(language: str, languages: dict[str, str]) -> dict[str, Any]:
    speech = Speech(language)
    return {
        "language": language, "languages": languages, "messages": speech.all_about(PAGE),
        "forms": "".join(str(speech.form(count)) for count in range(FORMS)),
    }  # fmt: skip


def _filled(template: Path, language: str, spoken: list[dict[str, Any]]) -> bytes:
    # No text may end the element that it stands in.
    data = json.dumps(spoken, ensure_ascii=False).replace("<", "\\u003c")
    text = template.read_text("utf-8").replace("{language}", escape(language))
    noscript = Speech(language).say("This page needs JavaScript.")
    return text.replace("{noscript}", escape(noscript)).replace("{speech}", data).encode()
