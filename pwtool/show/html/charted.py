"""Self-contained pages of charts: sections with figures, each a chart with a table of the same data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup
from msgspec import Struct

from pwtool.show.html.pages import render
from pwtool.text.speech import ENGLISH, Speech, percent_of


class Cell(Struct, frozen=True):
    """A cell of a table: a text or a formatted number; `note` is shown below it, `href` is its link, `command` a
    command line that shows more.
    """

    text: str
    number: bool = False
    note: str = ""
    href: str = ""
    command: str = ""


class Figure(Struct, frozen=True):
    """A chart (none if the table says it all) and its table, whose first column names the rows. `open`: whether the
    table is visible beside a chart, too; `wide`: whether the figure takes the full width.
    """

    title: str
    note: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    chart: str = ""
    open: bool = False
    wide: bool = False

    @property
    def drawing(self) -> Markup:
        """The chart, drawn by `pwtool/show/svg/charts.py`."""
        return Markup(self.chart)

    @property
    def numbers(self) -> list[bool]:
        """The columns that hold numbers."""
        return [all(row[at].number for row in self.rows) and bool(self.rows) for at in range(len(self.columns))]


class Section(Struct, frozen=True):
    """Figures under a heading."""

    heading: str
    note: str
    figures: Sequence[Figure]


def text(value: str) -> Cell:
    """A cell with text."""
    return Cell(value)


@dataclass(frozen=True, slots=True)
class Numbers:
    """Cells with numbers, formatted for a language."""

    speech: Speech = ENGLISH

    def whole(self, value: int) -> Cell:
        """A cell with a whole number."""
        return Cell(self.speech.number(value), number=True)

    def decimal(self, value: float, digits: int = 2) -> Cell:
        """A cell with a number with this many decimal places; only 0 is shown as 0."""
        shown, least = round(value, digits) or 0.0, 10**-digits
        if value and not shown:
            return Cell(
                self.speech.digits(f"<{least:.{digits}f}" if value > 0 else f">-{least:.{digits}f}"), number=True
            )
        return Cell(self.speech.digits(f"{shown:,.{digits}f}"), number=True)

    def share(self, part: float, of: float = 1) -> Cell:
        """A cell with a share in percent."""
        return Cell(self.percent(part, of), number=True)

    def percent(self, part: float, of: float = 1) -> str:
        """A share in percent; only exactly 0 and 1 are shown as 0 % and 100 %."""
        return f"{self.speech.digits(percent_of(part, of))} %"


def render_charted(
    title: str, lead: str, facts: Sequence[tuple[str, str]], sections: Sequence[Section], speech: Speech
) -> str:
    """The page; `facts` are the most important figures, each with its label."""
    words = {
        "table": speech.say("The same as a table"), "copy": speech.say("Copy"), "copied": speech.say("Copied"),
        "selected": speech.say("Selected"), "command": speech.say("Copy the command"),
    }  # fmt: skip
    return render(
        "charted.html", title=title, lead=lead, facts=facts, sections=sections, language=speech.language, words=words
    )
