"""Messages for readers. The language is a value: nothing here knows which language the process uses.

Messages are written in English where they are used; `pwtool/locale` has translations. English loads no catalog.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from gettext import GNUTranslations

LOCALE = Path(__file__).resolve().parents[1] / "locale"
"""The folder of the catalogs."""
SPOKEN = ("en", "fr", "de")
"""The languages of the messages, English first."""


@cache
def _catalog(language: str) -> GNUTranslations | None:
    if language == "en" or language not in SPOKEN:
        return None
    from gettext import GNUTranslations

    with (LOCALE / language / "LC_MESSAGES" / "pwtool.mo").open("rb") as file:
        return GNUTranslations(file)


def percent_of(part: float, of: float = 1) -> str:
    """A share in percent, without the sign; only nothing and all are 0.0 and 100.0."""
    value = 100 * part / of if of else 0.0
    if 0 < value < 0.05:
        return "<0.1"
    return ">99.9" if 99.95 <= value < 100 else f"{value:.1f}"


def mark(message: str) -> str:
    """Mark a message that is used elsewhere for the catalogs."""
    return message


def mark_many(one: str, more: str) -> tuple[str, str]:
    """Mark a message with a plural."""
    return one, more


class Said(str):
    """A text in some language that also knows its English form in `english`."""

    english: str

    @staticmethod
    def of(text: str, english: str) -> Said:
        """A text in two languages."""
        said = Said(text)
        said.english = english
        return said


class Told(Said):
    """A message that can be translated later; as a string it is the English text. With `more` it is a plural for
    `count` things. Its `values` may be messages too; a list of them is joined with *and*.
    """

    message: str
    more: str | None
    amount: int
    values: dict[str, Any]

    def __new__(cls, message: str, more: str | None = None, count: int = 0, /, **values: Any) -> Told:
        """The message with its placeholders filled."""
        return _saying(ENGLISH, message, more, count, values)

    def within(self, speech: Speech) -> Told:
        """The same message in a language."""
        return _saying(speech, self.message, self.more, self.amount, self.values)


class AnyOf(list[Any]):
    """What is joined with *or* in a message."""


class Listed(list[Any]):
    """What is joined with commas in a message."""


def told_later(text: str, values: dict[str, Any]) -> Told:
    """A message with these values, unless it has its own already."""
    return text if isinstance(text, Told) else Told(text, **values)


def _saying(speech: Speech, message: str, more: str | None, count: int, values: dict[str, Any]) -> Told:
    filled = {name: _filled(speech, value) for name, value in values.items()}
    text = speech.say(message, **filled) if more is None else speech.many(message, more, count, **filled)
    told = str.__new__(Told, text)
    told.message, told.more, told.amount, told.values = message, more, count, values
    told.english = text if speech is ENGLISH else str(Told(message, more, count, **values))
    return told


def _filled(speech: Speech, value: Any) -> Any:
    """The value of a placeholder in a language: numbers are amounts, everything else is text."""
    if isinstance(value, str):
        return speech.tell(value)
    if type(value) is int:
        return speech.number(value)
    if isinstance(value, list | tuple):
        parts = [speech.tell(each if isinstance(each, str) else str(each)) for each in value]
        return (
            ", ".join(parts)
            if isinstance(value, Listed)
            else speech.joined(parts, "or" if isinstance(value, AnyOf) else "and")
        )
    return speech.tell(str(value))


def english(text: str) -> str:
    """The English form of a text, if it has one."""
    return text.english if isinstance(text, Said) else text


def marked(messages: dict[str, str]) -> dict[str, str]:
    """Messages used elsewhere by their keys, which are their contexts."""
    return messages


class Speech(Struct, frozen=True):
    """Messages in a language, or in English if there is no catalog. `values` fill the placeholders of a message."""

    language: str = "en"

    def say(self, message: str, /, **values: object) -> str:
        """A message."""
        catalog = _catalog(self.language)
        text = message if catalog is None else catalog.gettext(message)
        return text.format(**values) if values else text

    def about(self, context: str, message: str, /, **values: object) -> str:
        """A message whose translation depends on its context."""
        catalog = _catalog(self.language)
        text = message if catalog is None else catalog.pgettext(context, message)
        return text.format(**values) if values else text

    def all_about(self, context: str) -> dict[str, str | list[str]]:
        """All messages with this context, by the English ones; for plurals, each form."""
        catalog = _catalog(self.language)
        found: dict[str, str | list[str]] = {}
        # There is no other way to ask a catalog for what it has.
        for key, text in sorted(catalog._catalog.items(), key=str) if catalog is not None else ():  # type: ignore[attr-defined]
            about, _, message = (key[0] if isinstance(key, tuple) else key).partition("\x04")
            if about == context and message:
                found[message] = [*found.get(message, []), text] if isinstance(key, tuple) else text
        return found

    def form(self, count: int) -> int:
        """The plural form for a number."""
        catalog = _catalog(self.language)
        return int(count != 1) if catalog is None else int(catalog.plural(count))  # type: ignore[attr-defined]

    def many(self, one: str, more: str, count: int, /, **values: object) -> str:
        """A message with a plural for `{count}`."""
        catalog = _catalog(self.language)
        text = (one if count == 1 else more) if catalog is None else catalog.ngettext(one, more, count)
        return text.format(count=count, **values)

    def tell(self, text: str) -> str:
        """A text, translated if possible."""
        return text.within(self) if isinstance(text, Told) else text

    def digits(self, text: str) -> str:
        """An English number, written as in this language."""
        signs = _SIGNS.get(self.language)
        return text if signs is None else text.replace(" %", "%").translate(signs)

    def number(self, value: int) -> str:
        """A number with thousands separators."""
        return self.digits(f"{value:,}")

    def share(self, part: float, of: float = 1) -> str:
        """A share in percent; only nothing and all are shown as 0 % and 100 %."""
        return self.digits(f"{percent_of(part, of)}%")

    def decimal(self, value: float) -> str:
        """A number with three digits."""
        return self.digits(f"{value:.3g}")

    def headed(self, head: str, text: str) -> str:
        """A text after its heading."""
        return self.say("{head}: {text}", head=head, text=text)

    def quote(self, text: str) -> str:
        """The name of something within a sentence."""
        return self.say("“{name}”", name=text)

    def joined(self, parts: list[str], last: str) -> str:
        """Items joined by ` or ` or ` and ` in the language."""
        return f" {self.say(last)} ".join(parts)


ENGLISH = Speech()
_SIGNS = {
    "fr": {ord(","): "\u202f", ord("."): ",", ord("%"): "\u202f%"},
    "de": {ord(","): ".", ord("."): ",", ord("%"): "\u202f%"},
}
