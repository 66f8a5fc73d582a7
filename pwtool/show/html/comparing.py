"""The comparison of rulesets as a page that needs no other file; without its script it only shows everything at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from markupsafe import Markup

from pwtool.comparing.impact import Impact
from pwtool.comparing.matrix import Matrix
from pwtool.comparing.row import NATURES, Row
from pwtool.show.html.pages import render
from pwtool.show.html.stepping import Step, SteppedGame
from pwtool.show.svg.sharing import share_parts
from pwtool.show.text.comparing import (
    HEADINGS,
    SHOWN_GAMES,
    Comparison,
    game_file,
    open_points,
    short_names,
    sources_of,
    unread_lines,
)
from pwtool.show.text.voice import raised
from pwtool.text.files import quote_path


@dataclass(frozen=True, slots=True)
class _Row:
    """A row as it is shown. `sides`: label, text and sources of each; `games`: the numbers of those that show it."""

    row: Row
    verdict: str
    sides: list[tuple[str, str, list[str]]]
    games: list[int]
    told: list[str]


@dataclass(frozen=True, slots=True)
class _Change:
    """A line of the impact. `games`: by name and address; `short`: the first of many; `by`: it belongs to one above."""

    label: str
    games: list[tuple[str, str]]
    short: str
    by: bool


def render_page(found: Comparison, games: Sequence[SteppedGame] = (), folder: str = ".") -> str:
    """The page of a comparison; `games` show its differences board by board. Games of an archive are links from a page
    in `folder`.
    """
    groups = [(nature, [row for row in found.rows if row.nature == nature]) for nature in NATURES]
    remark = f"{raised(found.remark())}. " if found.remark() else ""
    return render(
        "comparing.html",
        title=" against ".join(game.ruleset.title for game in found.games),
        labels=found.labels(),
        summary=f"{remark}{raised(found.summary())}; {found.versions()}",
        groups=[(n, HEADINGS[n], [_row(found, row, games) for row in rows]) for n, rows in groups if rows],
        impact=found.impact,
        changes=list(_changes(found.impact, folder)) if found.impact else [],
        unread=unread_lines(found.impact) if found.impact else [],
        games=[_game(game, number) for number, game in enumerate(games, 1)],
        open_points=[(label, open_points(game)) for label, game in zip(found.labels(), found.games, strict=True)],
    )


def _row(found: Comparison, row: Row, games: Sequence[SteppedGame]) -> _Row:
    sides = zip(found.labels(), found.games, (row.first, row.second), strict=True)
    drawn = {game.file: number for number, game in enumerate(games, 1)}
    showing = [line for line in row.witness if line in drawn]
    if not row.witness:
        # A game that nobody looked for shows a row where its rule is the first that is broken.
        showing = [game.file for game in games if (row.name or row.kind) in game.rules]
    return _Row(
        row, found.verdict(row), [(label, text, sources_of(game, row)) for label, game, text in sides],
        [drawn[file] for file in showing], [*(line for line in row.witness if line not in drawn), *row.without],
    )  # fmt: skip


def _changes(impact: Impact, folder: str) -> Iterator[_Change]:
    """The lines of the impact."""
    for change, cause, names in impact.table():
        links = [(PurePath(name).name, quote_path(game_file(name, folder) or "")) for name in names]
        short = short_names(names) if len(names) > SHOWN_GAMES else ""
        yield _Change(f"by {cause}" if cause else change, links, short, bool(cause))


def _game(game: SteppedGame, number: int) -> tuple[SteppedGame, Markup, list[tuple[Step, str, Markup]]]:
    """A game with what its drawings share, and its steps; the deciding one is that which is printed."""
    parts, drawings = share_parts([step.drawing for step in game.steps], f"g{number}p")
    deciding = next((step for step in reversed(game.steps) if step.refused), game.steps[-1])
    steps = [
        (step, "step deciding" if step is deciding else "step", Markup(drawing))
        for step, drawing in zip(game.steps, drawings, strict=True)
    ]
    return game, Markup(parts), steps


def render_matrix_page(matrix: Matrix, addresses: Sequence[str], titles: Sequence[str]) -> str:
    """The page of more than two rulesets: a column each, below it what the letters stand for."""
    undecided = " (not all decided)"
    return render(
        "matrix.html",
        title=", ".join(titles),
        rulesets=list(zip(addresses, titles, strict=True)),
        rows=[(f"{row.kind} {row.name}".strip() + undecided * row.undecided, row) for row in matrix.rows],
        headings=HEADINGS,
    )
