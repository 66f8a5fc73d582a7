"""The comparison of rulesets as a self-contained page; without its script it shows everything at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from pwtool.comparing.impact import Impact
from pwtool.comparing.matrix import Matrix
from pwtool.comparing.row import GROUPS, Row, group_of
from pwtool.play.game import Game
from pwtool.show.html.deciding import draw_deciding
from pwtool.show.html.pages import render
from pwtool.show.html.playing.pictures import Pictures
from pwtool.show.html.stepping import SteppedGame
from pwtool.show.text.comparing import (
    SHOWN_GAMES,
    Comparison,
    cause_name,
    change_name,
    game_file,
    heading,
    item_name,
    kind_name,
    letters_line,
    open_points,
    row_labels,
    same_by_names,
    short_names,
    sources_of,
    unread_lines,
    with_twin,
)
from pwtool.show.text.telling import Line, Teller
from pwtool.text.files import quote_path
from pwtool.why.voice import PLAIN, Voice, plain, raised


@dataclass(frozen=True, slots=True)
class _Row:
    """A row as shown. `kind` and `name`: its item; `lines`: its sentences, each with its section; `sides`: label, text and sources of each ruleset;
    `games`: the numbers of the games that show it.
    """

    row: Row
    kind: str
    name: str
    lines: list[tuple[str, Line]]
    verdict: str
    sides: list[tuple[str, str, list[str]]]
    games: list[int]
    told: list[str]


@dataclass(frozen=True, slots=True)
class _Change:
    """A line of the impact. `games`: by name and address; `short`: the first of many; `by`: whether it belongs to the line above."""

    label: str
    games: list[tuple[str, str]]
    short: str
    by: bool


def render_page(
    found: Comparison,
    games: Sequence[SteppedGame] = (),
    folder: str = ".",
    language: str = "en",
    pictures: Pictures | None = None,
) -> str:
    """The page of a comparison; `games` show its differences board by board, with these pictures. Games of an archive
    are links relative to `folder`. Sentences and headings are translated; what is behind a disclosure is shown as
    written.
    """
    voice = Voice(language)
    found = replace(found, voice=voice)
    teller = Teller(found, voice)
    remark = f"{raised(found.remark())}. " if found.remark() else ""
    titles = [voice.title(game) for game in found.games]
    rows = [_row(teller, row, games) for row in found.rows]
    return render(
        "comparing.html",
        language=language,
        caption=voice.caption,
        tell=voice.tell,
        colon=voice.headed("", ""),
        words={
            **{
                part: label if part in ("first", "second") else raised(label)
                for part, label in row_labels(voice).items()
            },
            "recorded": voice.say("Recorded in"),
        },
        title=voice.caption("against", *titles),
        labels=found.labels(),
        summary=remark + raised(found.summary()),
        versions=found.versions(),
        groups=[
            (group, heading(group, voice), inside)
            for group in GROUPS
            if (inside := [row for row in rows if group_of(row.row) == group])
        ],
        drawn=lambda line: draw_deciding(found.games, line),
        impact=found.impact,
        changes=list(_changes(found.impact, folder, teller)) if found.impact else [],
        unread=unread_lines(found.impact, voice) if found.impact else [],
        games=[(game, _headline(game, rows)) for game in games],
        pictures=pictures or Pictures(),
        open_points=[
            (voice.caption("leaves_open", title), list(teller.open_points((), side)), _options(found.games[side]))
            for side, title in enumerate(titles)
        ],
    )


def _options(game: Game) -> list[tuple[str, str]]:
    """For each other reading of a ruleset, the option of the command and what the reading says."""
    return [
        (f"--reading {name}={other}", words) for _, name, _, others, _ in open_points(game) for other, words in others
    ]


def _row(teller: Teller, row: Row, games: Sequence[SteppedGame]) -> _Row:
    found = teller.found
    sides = zip(found.labels(), found.games, found.texts(row), strict=True)
    drawn = {game.file: number for number, game in enumerate(games, 1)}
    showing = [line for line in row.witness if line in drawn]
    if not row.witness:
        # A recorded game belongs to a row if the rule of that row is the first one it breaks.
        showing = [game.file for game in games if (row.name or row.kind) in game.rules]
    return _Row(
        row, kind_name(row, teller.voice), with_twin(row.name, row, teller.voice).replace("`", ""), _lines(teller, row), found.verdict(row),
        [(label, text, sources_of(game, row, teller.voice)) for label, game, text in sides],
        [drawn[file] for file in showing],
        [*(line for line in row.witness if line not in drawn), *map(teller.voice.tell, row.without)],
    )  # fmt: skip


def _headline(game: SteppedGame, rows: list[_Row]) -> str:
    """The title of a game: the difference that it shows if it is a witness, otherwise its own name."""
    shown = next((row for row in rows if game.file in row.row.witness), None)
    return shown.lines[0][1].text if shown is not None and shown.lines else game.name


def _lines(teller: Teller, row: Row) -> list[tuple[str, Line]]:
    """The sentences of a row; only a name if it is told with another row or makes no difference."""
    name = teller.voice.item(teller.found.games[row.status != "only_first"], (row.kind, row.name))
    if row.nature in ("wording", "position"):
        return [("", Line(with_twin(name, row, teller.voice)))]
    told = []
    for section, line in teller.rows(row):
        if section in ("files", "undecided"):
            line.text = teller.voice.caption("only_file" if section == "files" else "not_decided", line.text)
        told.append((section if section not in ("files", "undecided", "material") else "", line))
    return told or [("", Line(name))]


def _changes(impact: Impact, folder: str, teller: Teller) -> Iterator[_Change]:
    """The lines of the impact; the cause of a change is given by its text."""
    voice = teller.voice
    for change, cause, names in impact.table():
        links = [(PurePath(name).name, quote_path(game_file(name, folder) or "")) for name in names]
        short = short_names(names, voice=voice) if len(names) > SHOWN_GAMES else ""
        label = change_name(change, voice)
        yield _Change(voice.caption("cause", _cause(teller, cause)) if cause else label, links, short, bool(cause))


def _cause(teller: Teller, cause: str) -> str:
    """The text of a rule or another item; anything else stays as it is."""
    for game in reversed(teller.found.games):
        for kind in ("rule", "score", "ending", "invariant", "objective"):
            if (kind, cause) in game.ruleset.merged.items:
                return teller.voice.item(game, (kind, cause))
    return teller.voice.caption(cause) if cause in ("turn", "round") else plain(cause_name(cause, teller.voice))


def render_matrix_page(matrix: Matrix, addresses: Sequence[str], titles: Sequence[str], voice: Voice = PLAIN) -> str:
    """The page for more than two rulesets: a column for each, and the meanings of the letters below."""
    undecided = voice.say(" (not all decided)")
    return render(
        "matrix.html",
        language=voice.language,
        title=", ".join(titles),
        what_differs=voice.say("What differs"),
        letters=" ".join((letters_line(voice), *same_by_names(matrix, voice))).replace("`", ""),
        readings=voice.say("What the letters stand for"),
        tell=voice.tell,
        rulesets=list(zip(addresses, titles, strict=True)),
        rows=[(item_name(row, voice) + undecided * row.undecided, row) for row in matrix.rows],
        heading=lambda nature: heading(nature, voice),
    )
