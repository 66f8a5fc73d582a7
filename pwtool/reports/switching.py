"""One page for players who know one ruleset and are about to play another: what to change, in their words."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field

from pwtool.analysis.comparison.row import Row
from pwtool.engine.game import Game
from pwtool.reports.comparing import Comparison, item_name, open_points, sources_of
from pwtool.reports.comparing_page import document
from pwtool.reports.markdown import cell
from pwtool.reports.svg import quote
from pwtool.syntax import nodes as n

HEADINGS = {
    "material": "Material and setup", "may": "What you may do now", "may_not": "What you may no longer do",
    "must": "What is done otherwise", "counts": "What counts differently", "undecided": "What could not be decided",
    "open": "Agree on this before you play",
}  # fmt: skip
_COUNTING = frozenset(("objective", "score", "ranking", "ending", "consequence"))

_STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem; max-width: 48rem; background: #fff; color: #1b1b1b;
  font: 1rem/1.45 Helvetica, Arial, "Liberation Sans", "DejaVu Sans", "Noto Sans", sans-serif; }
h1 { margin: 0 0 .3rem; font-size: 1.5rem; line-height: 1.2; }
h2 { margin: 1.3rem 0 .3rem; padding-bottom: .15rem; border-bottom: 2px solid #1b1b1b; font-size: 1.08rem; break-after: avoid; }
p { margin: .3rem 0; }
ul { margin: .3rem 0; padding-left: 1.2rem; }
li { margin: .3rem 0; break-inside: avoid; overflow-wrap: anywhere; }
.before, .source { display: block; color: #555; font-size: .87rem; }
@page { size: A4; margin: 14mm; }
@media print {
  body { padding: 0; max-width: none; font-size: 9.5pt; line-height: 1.3; }
  h1 { font-size: 15pt; } h2 { margin: 3.5mm 0 1mm; font-size: 11pt; }
  li { margin: 1mm 0; } .before, .source { font-size: 8pt; }
}
"""


@dataclass(slots=True)
class Line:
    """One thing to know: what it is now, what it was before, where that is said."""

    text: str
    before: str = ""
    sources: list[str] = field(default_factory=list)


def render_switching(found: Comparison, form: str) -> str:
    """The page as text, Markdown, HTML or JSON."""
    sections = {key: lines for key, lines in switching(found).items() if lines}
    before, after = (game.ruleset.title for game in found.games)
    title = f"From {before} to {after}"
    if found.readings:
        title += f" ({', '.join(found.readings)})"
    if form == "json":
        told = {key: [asdict(line) for line in lines] for key, lines in sections.items()}
        return json.dumps({"title": title, "sections": told}, indent=2, ensure_ascii=False)
    nothing = "Nothing changes but words."
    if form == "html":
        body = f"<h1>{quote(title)}</h1>" + ("" if sections else f"<p>{nothing}</p>")
        for key, lines in sections.items():
            items = "".join(_html(line) for line in lines)
            body += f"\n<section><h2>{HEADINGS[key]}</h2><ul>{items}</ul></section>"
        return document(title, body, _STYLE)
    marked = form == "markdown"
    parts = [f"# {cell(title)}" if marked else title]
    parts += [] if sections else ["", nothing]
    for key, lines in sections.items():
        parts += ["", f"## {HEADINGS[key]}" if marked else HEADINGS[key], *([""] if marked else [])]
        for line in lines:
            parts += _markdown(line) if marked else _text(line)
    return "\n".join(parts) + "\n"


def _html(line: Line) -> str:
    before = f'<span class="before">before: {quote(line.before)}</span>' if line.before else ""
    source = f'<span class="source">{quote("; ".join(line.sources))}</span>' if line.sources else ""
    return f"<li>{quote(line.text)}{before}{source}</li>"


def _markdown(line: Line) -> list[str]:
    before = f" (before: {cell(line.before)})" if line.before else ""
    source = f" *{cell('; '.join(line.sources))}*" if line.sources else ""
    return [f"- {cell(line.text)}{before}{source}"]


def _text(line: Line) -> list[str]:
    before = [f"    before: {line.before}"] if line.before else []
    return [f"  - {line.text}", *before, *(f"    ({source})" for source in line.sources[:1])]


# ---- what is said ----------------------------------------------------------------------------------------------------


def switching(found: Comparison) -> dict[str, list[Line]]:
    """The lines of every section."""
    sections: dict[str, list[Line]] = {key: [] for key in HEADINGS}
    for row in found.rows:
        if row.nature in ("wording", "position") or row.kind in ("ambiguity", "erratum"):
            continue
        if row.status == "undecided":
            sections["undecided"].append(_line(found, row))
        elif row.nature in ("material", "setup"):
            sections["material"] += _material(found, row)
        elif row.kind in ("turn", "anytime"):
            _order(found, row, sections)
        elif row.kind in _COUNTING:
            sections["counts"].append(_line(found, row))
        else:
            key = {"permissive": "may", "stricter": "may_not"}.get(row.direction, "must")
            sections[key].append(_line(found, row))
    for kind, _, text, others, sources in open_points(found.games[1]):
        words = " or ".join(other for _, other in others)
        # Readings that were adopted are settled, the others can still be chosen.
        note = " (misprint, here put right)" if kind == "erratum" else f"; also possible: {words}"
        sections["open"].append(Line(text + note, "", sources[:1]))
    return sections


def _node(game: Game, row: Row) -> n.Node | None:
    return game.ruleset.merged.items.get((row.kind, row.name))


def _words(node: n.Node | None) -> str:
    """The text of an item, what is written where there is none."""
    text = str(getattr(node, "text", "") or "")
    if text or node is None:
        return text
    return " ".join(node.span.text.split())


def _line(found: Comparison, row: Row) -> Line:
    """A rule or another item in words; what is written is added where both sides use the same words."""
    a, b = (_node(game, row) for game in found.games)
    sources = sources_of(found.games[1], row) or sources_of(found.games[0], row)
    if row.kind == "variant":
        plays = row.status == "only_second"
        return Line(f"The variant {row.name} {'can be played' if plays else 'does not exist here'}", "", sources)
    if a is None or b is None:
        return Line(_only(row, _words(a) or _words(b) or item_name(row), b is not None), "", sources)
    before, after = _words(a), _words(b)
    if before == after and isinstance(a, n.Action | n.Consequence) and isinstance(b, n.Action | n.Consequence):
        return Line(f"{after}: {_done(b)}", _done(a), sources)
    # The same words for another thing: what is written tells them apart.
    return Line(row.second, row.first, sources) if before == after else Line(after, before, sources)


def _done(action: n.Action | n.Consequence) -> str:
    """What an action does to the table, as written."""
    done = [" ".join(s.span.text.split()) for s in action.statements if isinstance(s, n.Effect)]
    return "; ".join(done) or "nothing changes on the table"


def _only(row: Row, words: str, new: bool) -> str:
    if row.kind == "rule":
        return f"New rule: {words}" if new else f"No longer a rule: {words}"
    return f"New: {words}" if new else f"There is no longer: {words}"


def _material(found: Comparison, row: Row) -> list[Line]:
    a, b = (_node(game, row) for game in found.games)
    sources = sources_of(found.games[1], row) or sources_of(found.games[0], row)
    if isinstance(a, n.Deck) and isinstance(b, n.Deck):
        out, into = _cards(a) - _cards(b), _cards(b) - _cards(a)
        lines = [Line(f"Take out of {row.name}: {_listed(out)}", "", sources)] if out else []
        return lines + ([Line(f"Put into {row.name}: {_listed(into)}", "", sources)] if into else [])
    if isinstance(a, n.Zone) and isinstance(b, n.Zone) and _seen(a) != _seen(b):
        return [Line(f"What lies in {row.name} is seen by {_seen(b)}", f"seen by {_seen(a)}", sources)]
    if row.kind in ("zone", "component", "token") and not _text_of(a or b):
        # What has no words of its own is for those who read rules files.
        if a is None or b is None:
            return [Line(_only(row, f"the {row.kind} `{row.name}` of the rules file", b is not None), "", sources)]
        return [Line(f"The {row.kind} `{row.name}` of the rules file is another one", "", sources)]
    return [_line(found, row)]


def _text_of(node: n.Node | None) -> str:
    return str(getattr(node, "text", "") or "")


def _seen(zone: n.Zone) -> str:
    """Who sees what lies in a zone."""
    seen = zone.seen.name if zone.seen is not None else "all"
    return {"owner": "its owner alone", "none": "nobody", "all": "everybody"}.get(seen, seen)


def _cards(deck: n.Deck) -> Counter[str]:
    return Counter({code.name: count for part in deck.parts for code, count in part.cards})


def _listed(cards: Counter[str]) -> str:
    return ", ".join(f"{count} {code}" if count > 1 else code for code, count in sorted(cards.items()))


def _order(found: Comparison, row: Row, sections: dict[str, list[Line]]) -> None:
    """The order of play: shortest turns that may come up and that only one of the two allows, and the order in words."""
    a, b = found.games
    sources = sources_of(b, row) or sources_of(a, row)
    if row.kind == "anytime":
        key = {"permissive": "may", "stricter": "may_not"}.get(row.direction, "must")
        before, after = (_anytime_words(game, row) for game in found.games)
        sections[key].append(Line(after or before, before if after else "", sources))
        return
    before, after = (f"{g.ruleset.cycle}: {_turn_words(g, row)}".capitalize() for g in found.games)
    sections["must"].append(Line(after, before, sources))
    # The row's turns are those that may come up, the first ruleset's before the second's.
    sides = {"permissive": ("may",), "stricter": ("may_not",)}.get(row.direction, ("may_not", "may"))
    for key, turn in zip(sides, row.example.split(" / "), strict=False):
        game = a if key == "may_not" else b
        names = turn.split()
        actions = game.ruleset.actions
        steps = [actions[name].text or name if name in actions else name for name in names]
        words = ", then ".join(_lower(step, place) for place, step in enumerate(steps))
        sections[key].append(Line(f"In one {game.ruleset.cycle}: {words}", "", sources))


def _anytime_words(game: Game, row: Row) -> str:
    node = _node(game, row)
    if not isinstance(node, n.Anytime):
        return ""
    actor = " ".join(node.actor.span.text.split())
    return f"At any time: {_action_words(game, node.action.name)}" + (f" [{actor}]" if actor != "any" else "")


def _action_words(game: Game, name: str) -> str:
    action = game.ruleset.actions.get(name)
    return _lower(action.text, 1) if action and action.text else name


def _turn_words(game: Game, row: Row) -> str:
    node = _node(game, row)
    return _order_words(game, node.order) if isinstance(node, n.Turn) else ""


def _order_words(game: Game, node: n.Node) -> str:
    """The order of play in the words of its actions: `place a card, any number of times`."""
    match node:
        case n.Sequence():
            return ", then ".join(_order_words(game, item) for item in node.items)
        case n.Choice():
            if len(node.items) == 1:
                return _order_words(game, node.items[0])
            return f"(either {', or '.join(_grouped(game, item) for item in node.items)})"
        case n.Repeat():
            inner = _grouped(game, node.item)
            match node.low, node.high:
                case 0, 1:
                    return f"perhaps {inner}"
                case 0, None:
                    often = "as often as wanted or not at all"
                    return f"{often}: {inner}" if inner.startswith("(") else f"{inner} {often}"
                case 1, None:
                    # Said first where it is about several things: behind them it would be heard of the last alone.
                    return f"once or more: {inner}" if inner.startswith("(") else f"{inner} once or more"
                case low, high:
                    return f"{inner} {low} to {high} times" if high else f"{inner} {low} times or more"
        case n.Step():
            words = _action_words(game, node.action.name)
            # Who does it and when, where it is not simply the player whose turn it is.
            extra = [p for p in (node.actor, node.guard) if p is not None]
            return words + "".join(f" [{' '.join(part.span.text.split())}]" for part in extra)
    return " ".join(node.span.text.split())


def _grouped(game: Game, node: n.Node) -> str:
    """A part of an order inside another, in brackets where it has parts itself."""
    words = _order_words(game, node)
    while isinstance(node, n.Choice) and len(node.items) == 1:
        node = node.items[0]
    return f"({words})" if isinstance(node, n.Sequence) and len(node.items) > 1 else words


def _lower(text: str, place: int) -> str:
    return text if place == 0 or not text[:1].isupper() or text[1:2].isupper() else text[0].lower() + text[1:]
