"""One page for players who know one ruleset and are about to play another: what to change, in their words."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field

from pwtool.comparing.row import Row
from pwtool.lang import tree as n
from pwtool.play.game import Game
from pwtool.show.machine.markdown import cell
from pwtool.show.text.comparing import Comparison, item_name, open_points, sources_of
from pwtool.show.text.item_words import (
    Change,
    action_changes,
    component_changes,
    deck_changes,
    deck_size,
    players_words,
    ranking_words,
    setup_changes,
    text_of,
    zone_changes,
    zone_words,
)
from pwtool.show.text.order_words import action_words, actor_words, example_words, plain, raised, turn_words
from pwtool.text.terminal import dump_json, escape

HEADINGS = {
    "material": "Material and setup", "may": "What you may do now", "may_not": "What you may no longer do",
    "must": "What is done otherwise", "counts": "What counts differently", "undecided": "What could not be decided",
    "open": "Agree on this before you play", "files": "Also different, for those who read rules files",
}  # fmt: skip
_COUNTING = frozenset(("objective", "score", "ranking", "ending", "consequence"))
_WRITTEN = frozenset(("rule", "objective", "score", "ranking", "ending", "turn"))
"""What is short enough as it is written to be shown to those who read rules files."""


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
        return dump_json({"title": title, "sections": told}, indent=2)
    nothing, remark = "Nothing changes but words.", raised(found.remark())
    if form == "html":
        from pwtool.show.html.pages import render

        headed = [(HEADINGS[key], lines) for key, lines in sections.items()]
        return render("switching.html", title=title, remark=remark, nothing=nothing, sections=headed)
    marked = form == "markdown"
    parts = [f"# {cell(title)}" if marked else title]
    parts += ["", f"{_marked(remark) if marked else remark}."] if remark else []
    parts += [] if sections else ["", nothing]
    for key, lines in sections.items():
        parts += ["", f"## {HEADINGS[key]}" if marked else HEADINGS[key], *([""] if marked else [])]
        for line in lines:
            parts += _markdown(line) if marked else _text(line)
    return "\n".join(parts if marked else map(escape, parts)) + "\n"


def _markdown(line: Line) -> list[str]:
    before = f" (before: {_marked(line.before)})" if line.before else ""
    source = f" *{cell('; '.join(line.sources))}*" if line.sources else ""
    return [f"- {_marked(line.text)}{before}{source}"]


def _marked(text: str) -> str:
    return "".join(p if p.startswith("`") and "|" not in p else cell(p) for p in re.split(r"(`[^`]+`)", text))


def _text(line: Line) -> list[str]:
    before = [f"    before: {line.before}"] if line.before else []
    return [f"  - {line.text}", *before, *(f"    ({source})" for source in line.sources[:1])]


# ---- what is said ----------------------------------------------------------------------------------------------------


def switching(found: Comparison) -> dict[str, list[Line]]:
    """The lines of every section. What has no words a player would know stands in the last one."""
    sections: dict[str, list[Line]] = {key: [] for key in HEADINGS}
    for row in found.rows:
        if row.nature in ("wording", "position") or row.kind in ("ambiguity", "erratum"):
            continue
        if row.status == "undecided":
            words = text_of(_node(found.games[1], row)) or text_of(_node(found.games[0], row)) or item_name(row)
            sections["undecided"].append(Line(words, "", _sources(found, row)))
            continue
        key = _section(row)
        changes = _order(found, row) if row.kind == "turn" else _changes(found, row)
        sections[key] += [Line(*change, _sources(found, row)) for change in changes]
        if row.kind == "turn":
            _turns(found, row, sections)
        if not changes or _unsaid(found, row):
            written = row.kind in _WRITTEN
            line = f"{item_name(row)}: {row.second}" if written and row.second else item_name(row)
            sections["files"].append(Line(line, row.first if written else "", _sources(found, row)))
    for kind, _, text, others, sources in open_points(found.games[1]):
        words = " or ".join(other for _, other in others)
        # Readings that were adopted are settled, the others can still be chosen.
        note = " (misprint, here put right)" if kind == "erratum" else f"; also possible: {words}"
        sections["open"].append(Line(text + note, "", sources[:1]))
    return sections


def _section(row: Row) -> str:
    if row.nature in ("material", "setup"):
        return "material"
    if row.kind in _COUNTING:
        return "counts"
    return "must" if row.kind == "turn" else {"permissive": "may", "stricter": "may_not"}.get(row.direction, "must")


def _sources(found: Comparison, row: Row) -> list[str]:
    return sources_of(found.games[1], row) or sources_of(found.games[0], row)


def _node(game: Game, row: Row) -> n.Node | None:
    return game.ruleset.merged.items.get((row.kind, row.name))


def _unsaid(found: Comparison, row: Row) -> bool:
    """Whether what is said leaves open what differs, because both sides use the same words or words are missing."""
    a, b = (_node(game, row) for game in found.games)
    if isinstance(a, n.Ranking) and isinstance(b, n.Ranking):
        return not ranking_words(a) or not ranking_words(b)
    return isinstance(a, n.Rule | n.Objective | n.Score | n.Ending) and text_of(a) == text_of(b)


def _changes(found: Comparison, row: Row) -> list[Change]:
    """What is said of an item: how it is now, and how it was."""
    a, b = (_node(game, row) for game in found.games)
    if row.kind == "variant":
        plays = row.status == "only_second"
        return [(f"The variant {plain(row.name)} {'can be played' if plays else 'does not exist here'}", "")]
    if row.kind == "anytime":
        before, after = (_anytime(game, row) for game in found.games)
        if not before or not after:
            return [(after or f"No longer: {before}", "")]
        return [(after, before)] if after != before else []
    if a is None or b is None:
        words = _alone(a or b)
        if row.kind == "action" and any(("anytime", row.name) in g.ruleset.merged.items for g in found.games):
            words += ", at any time"
        return [(_only(row, words, b is not None), "")] if words else []
    match a, b:
        case n.Deck(), n.Deck():
            return deck_changes(found.games, a, b)
        case n.Zone(), n.Zone():
            return zone_changes(a, b)
        case n.Component(), n.Component():
            return component_changes(found.games, row.name)
        case n.SetupStep(), n.SetupStep():
            return setup_changes(a, b)
        case n.Players(), n.Players():
            return [(players_words(b), players_words(a))]
        case n.Action(), n.Action():
            return action_changes(a, b)
        case n.Consequence(), n.Consequence():
            return action_changes(a, b)
        case n.Ranking(), n.Ranking():
            before, after = ranking_words(a), ranking_words(b)
            return (
                [(after, before)] if before and after and before != after else [("Who wins is decided otherwise", "")]
            )
    before, after = text_of(a), text_of(b)
    if before and after:
        return [(after, before)] if before != after else [(f"{after}: {_otherwise(row)}", "")]
    return []


def _alone(node: n.Node | None) -> str:
    """An item that only one of them has."""
    match node:
        case n.Zone():
            return zone_words(node)
        case n.Deck():
            return deck_size(node)
        case n.Token():
            return f"the token `{node.name.name}`"
        case n.Component():
            return f"pieces of the kind `{node.name.name}`"
        case n.Ranking():
            return ranking_words(node)
        case n.Players():
            return players_words(node)
    return text_of(node)


def _only(row: Row, words: str, new: bool) -> str:
    if row.kind == "rule":
        return f"New rule: {words}" if new else f"No longer a rule: {words}"
    return f"New: {words}" if new else f"There is no longer: {words}"


def _otherwise(row: Row) -> str:
    """How an item differs whose words are the same on both sides."""
    if row.kind == "rule":
        allows = {"permissive": "this allows more than before", "stricter": "this allows less than before"}
        return allows.get(row.direction, "this allows other things than before")
    boards = dict(re.findall(r"(first|second) (\[[^\]]*\])", row.example)) if row.kind == "objective" else {}
    shown = [f"{'no longer' if side == 'first' else 'now'} fulfilled by {board}" for side, board in boards.items()]
    return ", ".join(shown) or "the same words, counted otherwise"


# ---- the order of play -------------------------------------------------------------------------------------------------


def _anytime(game: Game, row: Row) -> str:
    node = _node(game, row)
    if not isinstance(node, n.Anytime):
        return ""
    actor = actor_words(node.actor)
    return f"At any time: {action_words(game, node.action.name)}" + (f" by {actor}" if actor != "anybody" else "")


def _order(found: Comparison, row: Row) -> list[Change]:
    """The order of play in words, where these tell both sides apart."""
    nodes = [_node(game, row) for game in found.games]
    before, after = (
        raised(f"{game.ruleset.cycle}: {turn_words(game, node)}") if isinstance(node, n.Turn) else ""
        for game, node in zip(found.games, nodes, strict=True)
    )
    return [(after, before)] if after and after != before else []


def _turns(found: Comparison, row: Row, sections: dict[str, list[Line]]) -> None:
    """Shortest turns that may come up and that only one of the two allows; the row has the first ruleset's first."""
    sides = {"permissive": ("may",), "stricter": ("may_not",)}.get(row.direction, ("may_not", "may"))
    for key, turn in zip(sides, row.example.split(" / "), strict=False):
        game = found.games[0] if key == "may_not" else found.games[1]
        words = example_words(game, turn.split())
        sections[key].append(Line(f"In one {game.ruleset.cycle}: {words}", "", _sources(found, row)))
