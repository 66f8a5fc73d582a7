"""The printable sheet of a ruleset: its objectives as cards with pictures, on one self-contained page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from markupsafe import Markup

from pwtool.ir.model import Ruleset, SetupModel
from pwtool.lang import tree as n
from pwtool.lang.traversal import walk
from pwtool.play.game import Game
from pwtool.show.html.pages import render
from pwtool.show.svg.cards import Face, component_art, draw_coin, draw_empty, draw_face, draw_forbidden
from pwtool.show.svg.paints import abstract_paint
from pwtool.show.svg.patterns import Patterns, Shown
from pwtool.show.svg.signs import draw_mirrored, draw_turned
from pwtool.show.svg.writer import Drawing, beside, label, pad, to_svg
from pwtool.text.captions import caption
from pwtool.text.words import one_line
from pwtool.why.citing import reason_text
from pwtool.why.findings import source_line
from pwtool.why.voice import Voice

# A picture at least this wide takes two columns.
WIDE = 300


@dataclass(frozen=True, slots=True)
class _Card:
    """An objective or, if there are none, a shape. `notes`: where an objective comes from."""

    title: str
    condition: str
    picture: Markup
    wide: bool
    notes: tuple[str, ...] = ()


def render_sheet(game: Game, language: str) -> str:
    """The page as HTML that is also well-formed XML; it runs no script and loads nothing."""
    ruleset, voice = game.ruleset, Voice(language)
    low, high = ruleset.min_players, ruleset.max_players
    players = voice.caption("same_players", low) if low == high else voice.caption("players", low, high)
    return render(
        "sheet.html",
        language=language,
        caption=voice.caption,
        title=voice.title(game),
        facts=f"{ruleset.address} · {players} · {voice.caption('version')} {ruleset.version}",
        setup=[_text(ruleset, "setup", s.name, s.text, language) for s in _goal_steps(ruleset) if s.text],
        objectives=[_objective(ruleset, name, language) for name in ruleset.objectives],
        shapes=[_card(Patterns(ruleset, language).shown(shape)) for shape in ruleset.merged.of_kind(n.Shape)],
        coins=_coins(ruleset, language),
        scores=list(_scores(ruleset, language)),
        legend=list(_legend(ruleset, language)),
        sources=list(_sources(game, voice)),
    )


def _text(ruleset: Ruleset, kind: str, name: str, text: str, language: str) -> str:
    return ruleset.text((kind, name), text or name, language)


def _at_goals(ruleset: Ruleset, step: SetupModel) -> bool:
    """Whether a step of the setup puts something at every objective."""
    zones = list(ruleset.zones.values())
    return step.kind == "put" and any(kind == "goal" for kind, _ in zones[step.zone].dimensions)


def _goal_steps(ruleset: Ruleset) -> list[SetupModel]:
    """The steps of the setup that are about objectives."""
    return [step for step in ruleset.setup if step.kind == "choose" or _at_goals(ruleset, step)]


# ---- cards ---------------------------------------------------------------------------------------------------------


def _objective(ruleset: Ruleset, name: str, language: str) -> _Card:
    node = ruleset.merged.items["objective", name]
    assert isinstance(node, n.Objective)
    voice = Voice(language)
    notes = [f"{voice.caption('written')} {PurePath(node.span.file.name).name}:{node.span.line}"]
    for step in ruleset.merged.history.get(("objective", name), []):
        if step.layer != ruleset.merged.headers[0].name.name:
            key = "added" if step.verb == "adds" else "changed"
            reason = reason_text(ruleset, step.reason, voice, ", ")
            said = voice.caption(key, step.layer)
            notes.append(voice.headed(said, reason) if reason else said)
    notes += [voice.headed(voice.caption("readings"), other) for other in _other_readings(ruleset, name, voice)]
    return _card(Patterns(ruleset, language).shown(node), tuple(notes))


def _card(shown: Shown, notes: tuple[str, ...] = ()) -> _Card:
    title, written, said, picture = shown
    return _Card(title, written, _drawn(picture, 2, title, said), picture.width > WIDE, notes)


def _drawn(drawing: Drawing, around: float, title: str, description: str = "") -> Markup:
    return Markup(to_svg(pad(drawing, around), title, description, inline=True))


def _coins(ruleset: Ruleset, language: str) -> Markup | None:
    """What the setup puts at each objective by default, the first to be won first."""
    for step in ruleset.setup:
        if _at_goals(ruleset, step) and step.cases:
            values = next((v for v, when in step.cases if when is None), step.cases[-1][0])
            coins = beside([draw_coin(str(value), 26) for value in reversed(values)], 5)
            return _drawn(coins, 1, caption("tokens", language)) if coins.width else None
    return None


def _other_readings(ruleset: Ruleset, name: str, voice: Voice) -> Iterator[str]:
    """The other readings of the objective, with the option for each."""
    for kind, point in (key for key in ruleset.merged.items if key[0] in ("ambiguity", "erratum")):
        node = ruleset.merged.items[kind, point]
        readings: list[tuple[str, tuple[n.Node, ...]]] = []
        if isinstance(node, n.Ambiguity):
            readings = [(a.name.name, a.declarations) for a in node.alternatives]
        elif isinstance(node, n.Erratum):
            readings = [("printed", node.printed)]
        for reading, declarations in readings:
            for change in declarations:
                declared = change.declaration if isinstance(change, n.Change) else None
                if isinstance(declared, n.Objective) and declared.name.name == name:
                    key = ("erratum", point) if reading == "printed" else ("reading", f"{point}.{reading}")
                    text = voice.translated(ruleset, key) or declared.text or name
                    yield f"{text} (--reading {point}={reading})"


# ---- below the cards -----------------------------------------------------------------------------------------------


def _scores(ruleset: Ruleset, language: str) -> Iterator[tuple[str, str]]:
    for score in ruleset.scores:
        node = ruleset.merged.items.get(("score", score.name))
        text = one_line(node.value.span.text) if isinstance(node, n.Score) else ""
        yield _text(ruleset, "score", score.name, score.text, language), text


def _legend(ruleset: Ruleset, language: str) -> Iterator[tuple[Markup, str]]:
    """The colors of the cards and the signs in the pictures."""
    size, voice = 34, Voice(language)
    parts: list[tuple[list[Drawing], str]] = []
    if ruleset.board is not None:
        art = component_art(ruleset, ruleset.components[ruleset.board.element.component])
        parts += [
            ([draw_face(Face(m, art.paints[m], letter), size)], voice.member(ruleset, m) or m)
            for m, letter in art.letters.items()
        ]
        parts += [
            ([draw_face(Face(flag, marks=(code,)), size)], voice.member(ruleset, flag) or flag)
            for flag, code in art.flags.items()
        ]
    same = [Face("=", abstract_paint(0)), Face("=", symbol=0)]
    other = [Face("≠", abstract_paint(1)), Face("≠", abstract_paint(2)), Face("≠", symbol=1), Face("≠", symbol=2)]
    signs: list[tuple[list[Drawing], str]] = [
        ([draw_face(Face(voice.caption("card")), size)], "a_card"),
        ([draw_empty(size, dashed=True)], "any_cell"),
        ([draw_forbidden(size)], "must_be_empty"),
        ([draw_face(f, size) for f in same], "same_sign"),
        ([draw_face(f, size) for f in other], "other_sign"),
        ([draw_turned("")], "turned"),
        ([draw_mirrored("")], "mirrored"),
        ([label("Σ", 20, bold=True)], "sum"),
    ]
    if _tells_heights(ruleset):
        signs.append(([draw_face(Face(voice.caption("card"), high="3+"), size)], "high"))
    parts += [(drawings, caption(key, language)) for drawings, key in signs]
    for drawings, text in parts:
        yield _drawn(beside(drawings, 5), 1, text), text


def _tells_heights(ruleset: Ruleset) -> bool:
    """Whether a condition on the cells of a shape depends on the height of piles."""
    shaped = (
        part.body
        for item in ruleset.merged.items.values()
        for part in walk(item)
        if isinstance(part, n.OverPicture)
        or (isinstance(part, n.OverNamed) and ("shape", part.subject.name) in ruleset.merged.items)
    )
    names = (part for body in shaped if body is not None for part in walk(body) if isinstance(part, n.Name))
    return any(part.name == "height" for part in names)


def _sources(game: Game, voice: Voice) -> Iterator[tuple[str, str]]:
    """The sources of the objectives: what the relevant rules and steps cite, and the documents."""
    items = game.ruleset.merged.items
    ids = [f"setup.{step.name}" for step in _goal_steps(game.ruleset)]
    ids += [key[1] for key, node in items.items() if isinstance(node, n.Rule) and _speaks_of_goals(node)]
    for rule_id in ids:
        cited = source_line(game, rule_id, voice)
        if cited:
            yield rule_id, cited
    for key, node in items.items():
        if isinstance(node, n.Source):
            yield key[1].upper(), voice.translated(game.ruleset, key) or node.title


def _speaks_of_goals(rule: n.Rule) -> bool:
    return isinstance(rule.require, n.Binary) and rule.require.operator == "fulfils"
