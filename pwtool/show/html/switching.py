"""One page for players who know one ruleset and are about to play another: what changes, in their words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace

from pwtool.comparing.row import NATURES, Row
from pwtool.lang import tree as n
from pwtool.show.html.deciding import draw_deciding
from pwtool.show.machine.markdown import cell
from pwtool.show.text.comparing import Comparison
from pwtool.show.text.telling import CHANGES, Line, Teller
from pwtool.text.terminal import dump_json, escape
from pwtool.why.voice import Voice, plain, sentences

PARTS = (("changes", CHANGES), ("undecided", ("undecided",)), ("settled", ("settled",)), ("open", ("open",)))
"""The parts of the page and their sections: what changes, what could not be decided, what is settled, what to agree on."""

_LYING = ("component", "deck", "zone", "setup")


def render_switching(found: Comparison, form: str, language: str = "en") -> str:
    """The page as text, Markdown, HTML or JSON."""
    voice = Voice(language)
    told = switching(found, voice)
    title = voice.caption("sheet_title", *(voice.title(game) for game in found.games))
    if form == "json":
        sections = {key: [_data(line) for line in lines] for key, lines in told.items()}
        return dump_json({"title": title, "language": language, "sections": sections}, indent=2)
    remarks = list(_remarks(found, voice))
    remarks += [] if any(key in told for key in (*CHANGES, "undecided")) else [voice.caption("nothing_changes")]
    parts: _Parts = []
    for key, names in PARTS:
        shown = [(s, told[s]) for s in names if s in told]
        parts += [(key, _heading(found, voice, key), shown)] if shown else []
    if form == "html":
        from pwtool.show.html.pages import render

        return render(
            "switching.html", language=language, caption=voice.caption, title=title, remarks=remarks, parts=parts,
            drawn=lambda line: draw_deciding(found.games, line),
        )  # fmt: skip
    write = _markdown if form == "markdown" else _text
    return "\n".join(map(escape, write(voice, title, remarks, parts))) + "\n"


def _heading(found: Comparison, voice: Voice, part: str) -> str:
    """The heading of a part. What an online edition leaves open is not for players to agree on."""
    online = part == "open" and found.games[1].ruleset.merged.edition.online
    return voice.caption("open_online" if online else part)


def switching(found: Comparison, voice: Voice) -> dict[str, list[Line]]:
    """The lines of every section that has any; nothing is said twice."""
    teller = Teller(found, voice)
    sections: dict[str, list[Line]] = {key: [] for _, keys in PARTS for key in keys}
    said: set[str] = set()
    for row in sorted([*map(_as_lying, found.rows), *_numbers(found)], key=lambda row: NATURES.index(row.nature)):
        if row.nature in ("wording", "position"):
            continue
        for key, line in teller.rows(row):
            # The open points of the second ruleset are listed completely, in their order.
            if key == "open":
                continue
            if line.about and line.about <= said:
                _join(line, next(one for lines in sections.values() for one in lines if one.about & line.about))
            else:
                sections[key].append(line)
            said |= line.about
    adopted = {reading.partition("=")[0] for reading in found.readings}
    sections["open"] = list(teller.open_points(adopted))
    return {key: lines for key, lines in sections.items() if lines}


def _as_lying(row: Row) -> Row:
    """A row about what lies on the table, which players see although it makes no difference in play."""
    if row.kind not in _LYING or row.status != "no_effect" or not (row.first and row.second):
        return row
    return replace(row, nature="material", status="different")


def _numbers(found: Comparison) -> Iterable[Row]:
    """Rows for things of which something else counts, where anything differs: in rules, that is told where it is read."""
    told = {row.name for row in found.rows if row.kind == "component"}
    if all(row.nature == "wording" for row in found.rows):
        return
    ours, theirs = (game.ruleset.components for game in found.games)
    for name in ours:
        if name in theirs and name not in told and ours[name] != theirs[name]:
            yield Row("component", name, "material", "different", "", "", "")


def _join(line: Line, to: Line) -> None:
    """What illustrates a repeated line is added to its first occurrence."""
    to.details += [detail for detail in line.details if detail not in to.details]
    to.boards += line.boards
    to.cards += line.cards


def _remarks(found: Comparison, voice: Voice) -> Iterable[str]:
    """Preliminary remarks: that these are two different games, and which readings are adopted."""
    if found.remark():
        yield sentences([voice.caption("other_games")])
    for reading in found.readings:
        point, _, choice = reading.partition("=")
        game = found.games[1]
        steps = [s for kind in ("ambiguity", "erratum") for s in game.ruleset.merged.history.get((kind, point), [])]
        nodes = [game.ruleset.merged.items.get((kind, point)) for kind in ("ambiguity", "erratum")]
        node = next(filter(None, [*nodes, *(s.before or s.after for s in reversed(steps))]), None)
        told = plain(point)
        if isinstance(node, n.Ambiguity):
            text = voice.text(game.ruleset, ("ambiguity", point), node.text)
            told = voice.headed(
                text, next(voice.reading(game, node, a) for a in node.alternatives if a.name.name == choice)
            )
        elif isinstance(node, n.Erratum):
            told = voice.text(game.ruleset, ("erratum", point), node.text)
        yield sentences([voice.caption("read_as", told)])


def _data(line: Line) -> dict[str, object]:
    return {key: value for key, value in asdict(line).items() if key != "about"}


_Parts = list[tuple[str, str, list[tuple[str, list[Line]]]]]
"""The parts that have any lines: each with its heading and its sections."""


def _notes(voice: Voice, line: Line) -> list[str]:
    """The notes below a line."""
    found = [voice.caption("before", line.before)] if line.before else []
    found += [voice.caption("also_possible", line.other)] if line.other else []
    return found + line.details


def _markdown(voice: Voice, title: str, remarks: list[str], parts: _Parts) -> list[str]:
    lines = [f"# {cell(title)}", *(line for remark in remarks for line in ("", cell(remark)))]
    for key, heading, sections in parts:
        lines += ["", f"## {heading}"]
        for section, told in sections:
            lines += ["", f"### {voice.caption(section)}"] if section != key else []
            lines.append("")
            for line in told:
                source = f" *{cell('; '.join(line.sources))}*" if line.sources else ""
                lines.append(f"- {cell(line.text)}{source}")
                lines += [f"  - {cell(note)}" for note in _notes(voice, line)]
                lines += [f"  - {cell(shown.caption)}: `{shown.board}`" for shown in line.boards]
    return lines


def _text(voice: Voice, title: str, remarks: list[str], parts: _Parts) -> list[str]:
    lines = [title, *(line for remark in remarks for line in ("", remark))]
    for key, heading, sections in parts:
        lines += ["", heading.upper()]
        for section, told in sections:
            lines += ["", f"{voice.caption(section)}"] if section != key else []
            for line in told:
                lines.append(f"  - {line.text}")
                lines += [f"      {note}" for note in _notes(voice, line)]
                for shown in line.boards:
                    lines += _board(shown.caption, shown.board)
                lines += [f"      ({source})" for source in line.sources]
    return lines


def _board(caption: str, board: str) -> list[str]:
    """A board row by row, after its caption."""
    rows = [row.split() for row in board.strip("[ ]").split("/")]
    wide = [max(len(row[at]) for row in rows if at < len(row)) for at in range(max(map(len, rows)))]
    drawn = ["  ".join(code.ljust(width) for code, width in zip(row, wide, strict=False)).rstrip() for row in rows]
    indent = " " * len(caption)
    return [f"      {indent if number else caption}  {row}" for number, row in enumerate(drawn)]
