"""What was found as an ordinary edition file."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pwtool.lang import tree as n
from pwtool.lang.fmt.text import format_rules
from pwtool.lang.merged import Key
from pwtool.learning.texts import Items, items_of, written
from pwtool.text.source import SourceFile

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_TEXT = re.compile(r'"([^"\n]*)"')
_NUMBER = re.compile(r"\d+")
PLAYED = "as played"
"""What is added to a text for players that may no longer be true."""


def edition_text(name: str, base: str, title: str, before: Items, after: Items, reasons: Mapping[Key, str]) -> str:
    """The edition file of the changes between two states of a ruleset's items, with a reason for each change."""
    pieces = [f'edition {name} of {base} "{title}"']
    acts = [key for key in after if key[0] in ("action", "consequence") and key in before and before[key] != after[key]]

    def told(key: Key) -> bool:
        """Whether the text of a changed action already has this rule."""
        return key[0] == "rule" and any(key[1].startswith(f"{name}.") for _, name in acts)

    for key, node in after.items():
        if key not in before and not told(key):
            pieces.append(_text(after, key))
        elif key in before and before[key] != node and not told(key):
            text = _retold(before, after, key)
            pieces.append(f"change {text}\n  because {quoted(reasons.get(key, PLAYED))}")
    gone = [key for key in before if key not in after and not told(key)]
    for key in gone:
        if key[0] == "rule" and any(other[1] == key[1].partition(".")[0] for other in gone if other[0] != "rule"):
            continue
        pieces.append(f"remove {' '.join(key).strip()}\n  because {quoted(reasons.get(key, PLAYED))}")
    text = "\n\n".join(pieces) + "\n"
    formatted = format_rules(SourceFile(f"{name}.rules", text)).value
    return formatted if isinstance(formatted, str) else text


def quoted(words: str) -> str:
    """Words as a text of a rules file."""
    return '"' + words.replace('"', "'").replace("\n", " ") + '"'


def _text(items: Items, key: Key) -> str:
    found = written(items, key)
    assert found is not None
    return found.text


def _retold(before: Items, after: Items, key: Key) -> str:
    """The text of a changed item, with other words for players if those may no longer be true."""
    old, new = _text(before, key), _text(after, key)
    words = getattr(after[key], "text", "")
    if not words or words != getattr(before[key], "text", ""):
        return new
    numbers = [_NUMBER.findall(_TEXT.sub("", text)) for text in (old, new)]
    changed = [(int(a), int(b)) for a, b in zip(*numbers, strict=False) if a != b]
    told, played = words, PLAYED
    if len(numbers[0]) == len(numbers[1]) and len(changed) == 1:
        told = _with_number(words, *changed[0])
        played = f"{PLAYED}: {changed[0][1]}, not {changed[0][0]}"
    if told == words and isinstance(
        after[key], n.Rule | n.Ending | n.Score | n.Objective | n.Consequence | n.SetupStep
    ):
        told = f"{words} ({played})"
    retold = new.replace(f'"{words}"', quoted(told), 1)
    # It has to read back as what was tried.
    read = items_of(retold)
    return retold if read is not None and read.get(key) is not None else new


def _with_number(words: str, old: int, new: int) -> str:
    names = [str(old)] + ([_NUMBERS[old]] if old < len(_NUMBERS) else [])
    to = _NUMBERS[new] if new < len(_NUMBERS) else str(new)
    for name in names:
        found = re.search(rf"\b{name}\b", words, re.IGNORECASE)
        if found is not None:
            shown = str(new) if name.isdigit() else to.capitalize() if found.group()[0].isupper() else to
            return words[: found.start()] + shown + words[found.end() :]
    return words
