"""The page in a language: what it says is in the catalogs, and is handed over with it."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

from pwtool.text.speech import SPOKEN, Speech

PAGE = "studio"
"""What the messages of the page are about, as the catalogs have it."""
FORMS = 200
"""Behind so many things, languages count as they do in each hundred before."""
NAMES = {"en": "English", "fr": "Français", "de": "Deutsch"}


def chosen(asked: str | None, started: str) -> str:
    """The language that a page is shown in: the one that was asked for, else the one that the studio was started in."""
    return asked if asked in offered(started) else started


def offered(started: str) -> dict[str, str]:
    """The languages there are to choose from, by their own names."""
    return {code: NAMES.get(code, code) for code in dict.fromkeys((*SPOKEN, started))}


def speak(template: Path, language: str, started: str) -> bytes:
    """The page, with all that it says."""
    speech = Speech(language)
    data = {
        "language": language, "languages": offered(started), "messages": speech.all_about(PAGE),
        "forms": "".join(str(speech.form(count)) for count in range(FORMS)),
    }  # fmt: skip
    # No text ends the element that it stands in.
    spoken = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    text = template.read_text("utf-8").replace("{language}", escape(language))
    return (
        text.replace("{noscript}", escape(speech.say("This page needs JavaScript.")))
        .replace("{speech}", spoken)
        .encode()
    )
