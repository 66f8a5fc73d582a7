"""What was found as an ordinary edition file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from pwtool.lang import tree as n
from pwtool.lang.fmt.text import format_rules
from pwtool.lang.merged import Key
from pwtool.learning.texts import Items, items_of, written
from pwtool.text.source import SourceFile
from pwtool.text.speech import Speech, Told, mark
from pwtool.text.words import in_quotes

_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_LARGE = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100}
"""Numbers that are known where a text names them, but not written: an article may stand before them."""
_KNOWN = {word: number for number, word in enumerate(_NUMBERS, 1)} | _LARGE
_TEXT = re.compile(r'"([^"\n]*)"')
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"\w+")
Said = Told | None
PLAYED = mark("as played")
"""What is added to a text for players that may no longer be true."""


def edition_text(
    name: str,
    base: str,
    title: str,
    before: Items,
    after: Items,
    reasons: Mapping[Key, str],
    texts: Mapping[str, Mapping[Key, n.Translation]],
    examples: Iterable[n.Example] = (),
) -> str:
    """The edition file of the changes between two states of a ruleset's items, with a reason for each change; `texts` are the
    translations of the items before. `examples` are kept.
    """
    said: dict[Key, Told] = {}
    pieces = [f"edition {name} of {base} {quoted(title)}"]
    acts = [key for key in after if key[0] in ("action", "consequence") and key in before and before[key] != after[key]]

    def told(key: Key) -> bool:
        """Whether the text of a changed action already has this rule."""
        return key[0] == "rule" and any(key[1].startswith(f"{name}.") for _, name in acts)

    for key, node in after.items():
        if key not in before and not told(key):
            pieces.append(_text(after, key))
        elif key in before and before[key] != node and not told(key):
            text, played = _retold(before, after, key)
            said |= {} if played is None else {key: played}
            pieces.append(f"change {text}\n  because {quoted(reasons.get(key, PLAYED))}")
    gone = [key for key in before if key not in after and not told(key)]
    for key in gone:
        if key[0] == "rule" and any(other[1] == key[1].partition(".")[0] for other in gone if other[0] != "rule"):
            continue
        pieces.append(f"remove {' '.join(key).strip()}\n  because {quoted(reasons.get(key, PLAYED))}")
    text = "\n\n".join([*pieces, *(one.span.text.strip() for one in examples), *_translated(said, texts)]) + "\n"
    formatted = format_rules(SourceFile(f"{name}.rules", text)).value
    return formatted if isinstance(formatted, str) else text


def quoted(words: str) -> str:
    """Words as a text of a rules file."""
    return in_quotes(words.replace("\n", " "))


def _text(items: Items, key: Key) -> str:
    found = written(items, key)
    assert found is not None
    return found.text


def _retold(before: Items, after: Items, key: Key) -> tuple[str, Said]:
    """The text of a changed item, with other words for players if those may no longer be true; and what was added to them."""
    old, new = _text(before, key), _text(after, key)
    words = getattr(after[key], "text", "")
    if not words or words != getattr(before[key], "text", ""):
        return new, None
    numbers = [_NUMBER.findall(_TEXT.sub("", text)) for text in (old, new)]
    changed = [(int(a), int(b)) for a, b in zip(*numbers, strict=False) if a != b]
    told: str = words
    played: Told = Told(PLAYED)
    # What a score line counts is seldom the number that its text names.
    limit = isinstance(after[key], n.Rule | n.Ending)
    if limit and len(numbers[0]) == len(numbers[1]) and len(changed) == 1:
        was, now = changed[0]
        named = _named(words)
        if len(named) == 1 and named[0][1] == was and min(was, now) > 1 and named[0][0].group().lower() not in _LARGE:
            told = _with_number(words, named[0][0], now)
        if [number for _, number in named].count(was) == 1:
            played = Told("as played: {now}, not {was}", now=now, was=was)
    kinds = n.Rule | n.Ending | n.Score | n.Objective | n.Consequence | n.SetupStep
    if told == words and not isinstance(after[key], kinds):
        return new, None
    if told == words:
        told = f"{words} ({played})"
    retold = new.replace(in_quotes(words), quoted(told), 1)
    # It has to read back as what was tried.
    read = items_of(retold)
    return (retold, played) if read is not None and read.get(key) is not None else (new, None)


def _named(words: str) -> list[tuple[re.Match[str], int]]:
    """The numbers that a text names, and where."""
    found = []
    for match in _WORD.finditer(words):
        word = match.group().lower()
        number = int(word) if word.isdigit() else _KNOWN.get(word)
        if number is not None:
            found.append((match, number))
    return found


def _with_number(words: str, match: re.Match[str], new: int) -> str:
    to = _NUMBERS[new - 1] if new <= len(_NUMBERS) and not match.group().isdigit() else str(new)
    return words[: match.start()] + (to.capitalize() if match.group()[0].isupper() else to) + words[match.end() :]


def _translated(said: Mapping[Key, Told], texts: Mapping[str, Mapping[Key, n.Translation]]) -> Iterator[str]:
    """The translations of retold texts: those that there are, with what was added."""
    for language, translations in texts.items():
        speech = Speech(language)
        lines = [
            f"  {' '.join(key).strip()} {quoted(f'{translations[key].text} ({speech.tell(played)})')}"
            for key, played in said.items()
            if key in translations
        ]
        if lines:
            yield "\n".join([f"texts {language} {{", *lines, "}"])
