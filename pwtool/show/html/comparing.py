"""The comparison of rulesets as a page that needs no other file; without its script it only shows everything at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from urllib.parse import quote as url_quote

from pwtool.compare.impact import CHANGES, Impact
from pwtool.compare.matrix import Matrix
from pwtool.compare.row import NATURES, Row
from pwtool.show.html.stepping import SteppedGame
from pwtool.show.html.style import SCRIPT, STYLE
from pwtool.show.svg.sharing import share_parts
from pwtool.show.svg.writer import quote
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
from pwtool.show.text.order_words import raised

# The natures whose rows stand open from the start are those that a reader came for.
_OPEN = frozenset(("semantic",))


def render_page(found: Comparison, games: Sequence[SteppedGame] = (), folder: str = ".") -> str:
    """The page of a comparison; `games` show its differences board by board. Games of an archive are links from a page
    in `folder`.
    """
    first, second = found.labels()
    titles = " against ".join(game.ruleset.title for game in found.games)
    body = f"<header><h1>{quote(titles)}</h1>"
    body += f'<p class="about">first: <code>{quote(first)}</code> · second: <code>{quote(second)}</code></p>'
    remark = f"{raised(found.remark())}. " if found.remark() else ""
    body += f"<p>{quote(remark + raised(found.summary()))}.</p></header>"
    for nature in NATURES:
        rows = [r for r in found.rows if r.nature == nature]
        if rows:
            body += _section(HEADINGS[nature], "".join(_row(found, row, games) for row in rows), nature)
    if found.impact is not None:
        count = len(found.impact.games)
        body += _section(
            f"What changes for {count} recorded game{'s' * (count != 1)}", _impact(found.impact, folder), "impact"
        )
    if games:
        shown = "".join(_game(game, number, (first, second)) for number, game in enumerate(games, 1))
        body += _section("Games that show it", shown, "games")
    for label, game in zip((first, second), found.games, strict=True):
        points = open_points(game)
        if points:
            body += _section(f"What {label} leaves open", _open(points), "")
    return document(titles, body, STYLE, SCRIPT)


def document(title: str, body: str, style: str, script: str = "") -> str:
    """A whole page, HTML that is also well-formed XML."""
    run = f"<script>//<![CDATA[\n{script}\n//]]></script>\n" if script else ""
    return (
        '<!DOCTYPE html>\n<html lang="en" xmlns="http://www.w3.org/1999/xhtml">\n<head>\n<meta charset="utf-8"/>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"/>\n<title>{quote(title)}</title>\n'
        f"<style>{style}</style>\n</head>\n<body>\n{body}\n{run}</body>\n</html>\n"
    )


def _section(title: str, body: str, name: str) -> str:
    identity = f' id="{quote(name)}"' if name else ""
    return f"\n<section{identity}>\n<h2>{quote(title)}</h2>\n{body}\n</section>"


def _row(found: Comparison, row: Row, games: Sequence[SteppedGame]) -> str:
    sides = ""
    for label, game, text in zip(found.labels(), found.games, (row.first, row.second), strict=True):
        words = f"<p>{quote(text)}</p>" if text else "<p>-</p>"
        sources = "".join(f'<p class="source">{quote(line)}</p>' for line in sources_of(game, row))
        sides += f'<div class="side"><h3>{quote(label)}</h3>{words}{sources if text else ""}</div>'
    inside = f'<div class="sides">{sides}</div>'
    if row.example:
        inside += f"<p>Shown by <code>{quote(row.example)}</code></p>"
    if row.proof:
        inside += f'<p class="about">Proof: {quote(row.proof)}</p>'
    drawn = {shown.file: number for number, shown in enumerate(games, 1)}
    showing = [line for line in row.witness if line in drawn]
    if not row.witness:
        # A game that nobody looked for shows a row where its rule is the first that is broken.
        showing += [g.file for g in games if (row.name or row.kind) in g.rules and g.file not in showing]
    inside += "".join(f'<p><a href="#game{drawn[file]}">Game {drawn[file]} shows it</a></p>' for file in showing)
    told = [*(line for line in row.witness if line not in drawn), *row.without]
    inside += "".join(f'<p class="about">{quote(line)}</p>' for line in told)
    opened = ' open="open"' if row.nature in _OPEN else ""
    return (
        f'<details class="row" id="{quote(f"{row.kind}-{row.name}")}"{opened}><summary>'
        f'<span class="kind">{quote(row.kind)}</span> <strong>{quote(row.name)}</strong>'
        f'<span class="verdict">{quote(found.verdict(row))}</span></summary><div class="inside">{inside}</div></details>\n'
    )


def _impact(impact: Impact, folder: str) -> str:
    rows: list[tuple[str, list[str], bool]] = []
    for change in CHANGES:
        names = impact.named(change)
        if names or change in CHANGES[:3]:
            rows.append((change, names, False))
        rows += [(f"by {rule}", games, True) for kind, rule, games in impact.by_rule if kind == change]
        if change == "becomes illegal" and impact.setup_only:
            rows.append(("by the setup alone", impact.setup_only, True))
    rows.append(("other score", impact.other_scores, False))
    rows += [(f"by {cause}", games, True) for cause, games in impact.by_score]
    rows.append(("other winner", impact.other_winners, False))
    lines = ""
    for label, names, by in rows:
        css = ' class="by"' if by else ""
        lines += (
            f'<tr><td{css}>{quote(label)}</td><td class="number">{len(names)}</td><td>{_names(names, folder)}</td></tr>'
        )
    head = '<tr><th></th><th class="number">games</th><th></th></tr>'
    unread = "".join(f'<p class="about">{quote(line)}</p>' for line in unread_lines(impact))
    return f'<div class="scroll"><table>{head}{lines}</table></div>{unread}'


def _names(names: Sequence[str], folder: str) -> str:
    full = ", ".join(_link(name, folder) for name in names)
    if len(names) <= SHOWN_GAMES:
        return full
    return f"<details><summary>{quote(short_names(names))}</summary><p>{full}</p></details>"


def _link(name: str, folder: str) -> str:
    file = game_file(name, folder)
    label = quote(PurePath(name).name)
    return f'<a href="{quote(url_quote(file))}">{label}</a>' if file else label


def _open(points: Sequence[tuple[str, str, str, list[tuple[str, str]], list[str]]]) -> str:
    lines = ""
    for kind, name, text, others, sources in points:
        readings = "".join(
            f"<li>{quote(words)} <code>--reading {quote(name)}={quote(other)}</code></li>" for other, words in others
        )
        source = "".join(f'<p class="source">{quote(line)}</p>' for line in sources)
        word = "misprint: " if kind == "erratum" else ""
        lines += f"<li>{quote(word + text)}{source}<ul>{readings}</ul></li>"
    return f"<ul>{lines}</ul>"


def _game(game: SteppedGame, number: int, labels: tuple[str, str]) -> str:
    head = f"<h3>Game {number}: {quote(game.name)}</h3>"
    head += f"<p>{quote(game.comment)}</p>" if game.comment else ""
    head += "".join(
        f"<p><code>{quote(label)}</code>: {quote(words)}</p>"
        for label, words in zip(game.labels or labels, game.verdicts, strict=True)
    )
    head += f'<p class="about">Recorded in <code>{quote(game.file)}</code></p>' if game.comment else ""
    if game.left_out:
        head += f'<p class="about">The first {game.left_out} boards are left out.</p>'
    buttons = (
        '<div class="buttons"><button type="button" data-go="-1">Back</button>'
        '<button type="button" data-go="1">Next</button> <span class="count" aria-live="polite"></span>'
        '<span class="about">or the arrow keys</span></div>'
    )
    steps = ""
    parts, drawings = share_parts([step.drawing for step in game.steps], f"g{number}p")
    deciding = next((step for step in reversed(game.steps) if step.refused), game.steps[-1])
    if game.moves:
        steps += f'<ul class="moves">{"".join(f"<li>{quote(line)}</li>" for line in game.moves)}</ul>'
    for step, drawing in zip(game.steps, drawings, strict=True):
        css = "step deciding" if step is deciding else "step"
        done = f": {quote(step.done)}" if step.done else ""
        refused = f'<br/><span class="refused">{quote(step.refused)}</span>' if step.refused else ""
        steps += (
            f'<figure class="{css}"><figcaption><strong>{quote(step.title)}</strong>{done}{refused}</figcaption>'
            f'<div class="board">{drawing}</div></figure>\n'
        )
    return f'<article class="game" id="game{number}">{head}{buttons}{parts}{steps}</article>\n'


def render_matrix_page(matrix: Matrix, addresses: Sequence[str], titles: Sequence[str]) -> str:
    """The page of more than two rulesets: a column each, below it what the letters stand for."""
    title = ", ".join(titles)
    numbered = "".join(f"<li><code>{quote(a)}</code> {quote(t)}</li>" for a, t in zip(addresses, titles, strict=True))
    head = "<tr><th></th>" + "".join(f'<th class="letter">{i + 1}</th>' for i in range(len(addresses))) + "</tr>"
    lines, readings, nature = "", "", ""
    for number, row in enumerate(matrix.rows):
        if row.nature != nature:
            nature = row.nature
            lines += f'<tr class="nature"><th colspan="{len(addresses) + 1}">{quote(HEADINGS[nature])}</th></tr>'
        name = f"{row.kind} {row.name}".strip() + (" (not all decided)" if row.undecided else "")
        cells = "".join(f'<td class="letter">{letter}</td>' for letter in row.letters)
        lines += f'<tr><td><a href="#item{number}">{quote(name)}</a></td>{cells}</tr>'
        texts = "".join(
            f'<div class="side"><h3>{letter}</h3><p>{quote(text)}</p></div>' for letter, text in row.readings
        )
        readings += (
            f'<details class="row" id="item{number}" open="open"><summary>{quote(name)}</summary>'
            f'<div class="inside"><div class="sides">{texts}</div></div></details>'
        )
    body = f"<header><h1>{quote(title)}</h1><ol>{numbered}</ol></header>"
    note = "<p>Equal letters in a row mean the same, -: there is no such item.</p>"
    body += _section("What differs", f'{note}<div class="scroll"><table>{head}{lines}</table></div>', "matrix")
    body += _section("What the letters stand for", readings, "readings") if readings else ""
    return document(title, body, STYLE, SCRIPT)
