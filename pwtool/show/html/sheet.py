"""The printable sheet of a ruleset: its objectives as cards with pictures, on one page that needs no other file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from pwtool.ir.model import Ruleset, SetupModel
from pwtool.lang import tree as n
from pwtool.play.game import Game
from pwtool.show.captions import caption
from pwtool.show.svg.cards import Face, component_art, draw_coin, draw_empty, draw_face, draw_forbidden
from pwtool.show.svg.paints import abstract_paint
from pwtool.show.svg.patterns import Patterns
from pwtool.show.svg.signs import draw_mirrored, draw_turned
from pwtool.show.svg.writer import Drawing, beside, label, pad, quote, to_svg
from pwtool.why.findings import source_line

# From this width on a picture gets two columns.
WIDE = 300

_STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem; max-width: 72rem; background: #fff; color: #1b1b1b;
  font: 1rem/1.4 Helvetica, Arial, "Liberation Sans", "DejaVu Sans", "Noto Sans", sans-serif; }
h1 { margin: 0; font-size: 1.7rem; line-height: 1.2; }
h2 { margin: 1.6rem 0 .7rem; font-size: 1.2rem; }
h3 { margin: .7rem 0 .2rem; font-size: 1.05rem; line-height: 1.25; }
p { margin: .25rem 0; line-height: 1.3; }
code { font: .8rem/1.35 "DejaVu Sans Mono", Menlo, Consolas, monospace; color: #444; overflow-wrap: anywhere; }
svg { max-width: 100%; height: auto; overflow: visible; }
.about, .note { color: #555; font-size: .85rem; }
.cards { display: grid; gap: .8rem; grid-template-columns: repeat(auto-fill, minmax(13.5rem, 1fr)); grid-auto-flow: dense; }
.card { display: flex; flex-direction: column; padding: .9rem; border: 1px solid #b9b9b9; border-radius: .6rem;
  text-align: center; break-inside: avoid; min-width: 0; }
.picture { flex: 1; display: flex; align-items: center; justify-content: center; min-height: 7.5rem; }
.coins { margin-top: .4rem; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; padding: .6rem .9rem; border: 1px solid #dcdcdc;
  border-radius: .6rem; break-inside: avoid; }
.sign { display: flex; align-items: center; gap: .5rem; font-size: .85rem; }
.sign svg { flex: none; }
ul { margin: .3rem 0; padding-left: 1.2rem; }
li { margin: .2rem 0; }
@media (min-width: 30.5rem) { .wide { grid-column: span 2; } }
@page { size: A4; margin: 12mm; }
@media print {
  body { padding: 0 .5mm; max-width: none; font-size: 10pt; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  .cards { grid-template-columns: repeat(4, 1fr); gap: 2.5mm; }
  .card { padding: 2.5mm; border-radius: 2mm; }
  .picture { min-height: 22mm; }
  .picture svg { max-height: 31mm; width: auto; }
  .coins svg { height: 5mm; width: auto; }
  h1 { font-size: 16pt; }
  h2 { margin: 4mm 0 2mm; font-size: 12pt; break-after: avoid; }
  h3 { font-size: 10pt; }
  code { font-size: 7.5pt; }
  .note { font-size: 7pt; }
}
"""


def render_sheet(game: Game, language: str) -> str:
    """The page as HTML that is also well-formed XML; it runs no script and loads nothing."""
    ruleset = game.ruleset
    title = ruleset.title
    body = f"<header><h1>{quote(title)}</h1>{_about(ruleset, language)}</header>"
    names = list(ruleset.objectives)
    shapes = [key[1] for key in ruleset.merged.items if key[0] == "shape"]
    if names:
        cards = "".join(_objective(ruleset, name, language) for name in names)
        body += _section(caption("objectives", language), f'<div class="cards">{cards}</div>')
    else:
        body += f"<p>{quote(caption('none', language))}</p>"
        cards = "".join(_shape(ruleset, name, language) for name in shapes)
        body += _section(caption("shapes", language), f'<div class="cards">{cards}</div>') if shapes else ""
    body += _section(caption("scoring", language), _scores(ruleset, language)) if ruleset.scores else ""
    if names or shapes:
        body += _section(caption("legend", language), f'<div class="legend">{_legend(ruleset, language)}</div>')
    sources = _sources(game, language)
    body += _section(caption("sources", language), sources) if sources else ""
    return (
        f'<!DOCTYPE html>\n<html lang="{quote(language)}">\n<head>\n<meta charset="utf-8"/>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"/>\n<title>{quote(title)}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _section(title: str, body: str) -> str:
    return f"\n<section>\n<h2>{quote(title)}</h2>\n{body}\n</section>"


def _about(ruleset: Ruleset, language: str) -> str:
    low, high = ruleset.min_players, ruleset.max_players
    players = caption("same_players", language, low) if low == high else caption("players", language, low, high)
    facts = f"{ruleset.address} · {players} · {caption('version', language)} {ruleset.version}"
    lines = [f'<p class="about">{quote(facts)}</p>']
    steps = [s for s in ruleset.setup if s.kind == "choose" or _at_goals(ruleset, s)]
    lines += [f"<p>{quote(_text(ruleset, 'setup', s.name, s.text, language))}.</p>" for s in steps if s.text]
    return "".join(lines)


def _text(ruleset: Ruleset, kind: str, name: str, text: str, language: str) -> str:
    return ruleset.text((kind, name), text or name, language)


def _at_goals(ruleset: Ruleset, step: SetupModel) -> bool:
    """Whether a step of the setup puts something down at every objective."""
    zones = list(ruleset.zones.values())
    return step.kind == "put" and any(kind == "goal" for kind, _ in zones[step.zone].dimensions)


# ---- cards ---------------------------------------------------------------------------------------------------------


def _objective(ruleset: Ruleset, name: str, language: str) -> str:
    node = ruleset.merged.items[("objective", name)]
    assert isinstance(node, n.Objective)
    title = _text(ruleset, "objective", name, node.text, language)
    picture = Patterns(ruleset, language).objective(name)
    condition = " ".join(node.condition.span.text.split())
    body = _card_head(picture, title, condition)
    coins = _coins(ruleset)
    if coins.width:
        body += f'<div class="coins">{to_svg(pad(coins, 1), caption("tokens", language), inline=True)}</div>'
    notes = [f"{caption('written', language)} {PurePath(node.span.file.name).name}:{node.span.line}"]
    for step in ruleset.merged.history.get(("objective", name), []):
        if step.layer != ruleset.merged.headers[0].name.name:
            key = "added" if step.verb == "adds" else "changed"
            notes.append(caption(key, language, step.layer) + _because(ruleset, step.reason))
    notes += [f"{caption('readings', language)}: {other}" for other in _other_readings(ruleset, name, language)]
    body += "".join(f'<p class="note">{quote(note)}</p>' for note in notes)
    return _card(picture, body)


def _shape(ruleset: Ruleset, name: str, language: str) -> str:
    picture = Patterns(ruleset, language).shape(name)
    node = ruleset.merged.items[("shape", name)]
    return _card(picture, _card_head(picture, name, " ".join(node.span.text.split())))


def _card(picture: Drawing, body: str) -> str:
    return f'<article class="card{" wide" if picture.width > WIDE else ""}">{body}</article>\n'


def _card_head(picture: Drawing, title: str, condition: str) -> str:
    drawn = to_svg(pad(picture, 2), title, condition, inline=True)
    return f'<div class="picture">{drawn}</div><h3>{quote(title)}</h3><p><code>{quote(condition)}</code></p>'


def _coins(ruleset: Ruleset) -> Drawing:
    """What the setup puts down at each objective where nothing else is said, the first to be won first."""
    for step in ruleset.setup:
        if _at_goals(ruleset, step) and step.cases:
            values = next((v for v, when in step.cases if when is None), step.cases[-1][0])
            return beside([draw_coin(str(value), 26) for value in reversed(values)], 5)
    return Drawing(0, 0, "")


def _because(ruleset: Ruleset, reason: n.Reason | None) -> str:
    if reason is None:
        return ""
    if reason.cite is None:
        return f": {reason.words}"
    source = ruleset.merged.items.get(("source", reason.cite.source.name))
    title = source.title if isinstance(source, n.Source) else reason.cite.source.name
    return f': {title}, "{reason.cite.section}"' + (f", {reason.words}" if reason.words else "")


def _other_readings(ruleset: Ruleset, name: str, language: str) -> Iterable[str]:
    """How else the objective can be read, and the option that reads it so."""
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
                    yield f"{declared.text or name} (--reading {point}={reading})"


# ---- what stands below ---------------------------------------------------------------------------------------------


def _scores(ruleset: Ruleset, language: str) -> str:
    lines = ""
    for score in ruleset.scores:
        node = ruleset.merged.items.get(("score", score.name))
        text = " ".join(node.value.span.text.split()) if isinstance(node, n.Score) else ""
        lines += (
            f"<li>{quote(_text(ruleset, 'score', score.name, score.text, language))}: <code>{quote(text)}</code></li>"
        )
    return f"<ul>{lines}</ul>"


def _legend(ruleset: Ruleset, language: str) -> str:
    """The colors of the cards and the signs of the pictures."""
    size = 34
    parts: list[tuple[list[Drawing], str]] = []
    zone = ruleset.board or next(
        (z for z in ruleset.zones.values() if z.kind == "grid" and z.element.kind == "face"), None
    )
    if zone is not None:
        art = component_art(ruleset, ruleset.components[zone.element.component])
        parts += [([draw_face(Face(m, art.paints[m], letter), size)], m) for m, letter in art.letters.items()]
        parts += [([draw_face(Face(flag, marks=(code,)), size)], flag) for flag, code in art.flags.items()]
    same = [Face("=", abstract_paint(0)), Face("=", symbol=0)]
    other = [Face("≠", abstract_paint(1)), Face("≠", abstract_paint(2)), Face("≠", symbol=1), Face("≠", symbol=2)]
    signs: list[tuple[list[Drawing], str]] = [
        ([draw_face(Face("card"), size)], "a_card"),
        ([draw_empty(size, dashed=True)], "any_cell"),
        ([draw_forbidden(size)], "must_be_empty"),
        ([draw_face(f, size) for f in same], "same_sign"),
        ([draw_face(f, size) for f in other], "other_sign"),
        ([draw_turned("")], "turned"),
        ([draw_mirrored("")], "mirrored"),
        ([label("Σ", 20, bold=True)], "sum"),
    ]
    parts += [(drawings, caption(key, language)) for drawings, key in signs]
    return "".join(
        f'<p class="sign">{to_svg(pad(beside(drawings, 5), 1), text, inline=True)}<span>{quote(text)}</span></p>'
        for drawings, text in parts
    )


def _sources(game: Game, language: str) -> str:
    """Where the objectives come from: what the rules and steps that speak of them cite, and the documents."""
    ruleset = game.ruleset
    ids = [f"setup.{s.name}" for s in ruleset.setup if s.kind == "choose" or _at_goals(ruleset, s)]
    ids += [key[1] for key, node in ruleset.merged.items.items() if isinstance(node, n.Rule) and _speaks_of_goals(node)]
    lines = []
    for rule_id in ids:
        cited = source_line(game, rule_id)
        if cited:
            lines.append(f"<li>{quote(rule_id)}: {quote(cited)}</li>")
    for key, node in ruleset.merged.items.items():
        if isinstance(node, n.Source):
            lines.append(f"<li>{quote(key[1].upper())}: {quote(node.title)}</li>")
    return f'<ul class="note">{"".join(lines)}</ul>' if lines else ""


def _speaks_of_goals(rule: n.Rule) -> bool:
    return isinstance(rule.require, n.Binary) and rule.require.operator == "fulfils"
