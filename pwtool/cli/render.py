"""`pwtool render`: pictures of objectives, shapes, boards and positions."""

from __future__ import annotations

import re
from pathlib import Path

from pwtool.cli.common import (
    choose_language,
    fail,
    load_one,
    load_record,
    load_state,
    open_book,
    open_shelf,
    stop,
    write_bytes,
)
from pwtool.cli.streams import complain, print_text
from pwtool.ir.model import Ruleset, ZoneModel
from pwtool.lang import tree as n
from pwtool.lang.pictures import build_picture
from pwtool.play.record import EVERYBODY
from pwtool.records.inputs import names_record, split_line
from pwtool.records.shelf import Shelf
from pwtool.show.captions import caption
from pwtool.show.svg.boards import Positions, draw_picture, turn_title
from pwtool.show.svg.named import draw_named
from pwtool.show.svg.writer import label, pad, stack, to_svg
from pwtool.text import did_you_mean
from pwtool.text.source import SourceFile, Span
from pwtool.text.words import one_line
from pwtool.why.describe import describe_turn
from pwtool.why.drawing import seen_by
from pwtool.why.messages import Messages

_IN_FILE = re.compile(r"(.+\.rules(?:\+\w+)*):([A-Za-z_]\w*)", re.DOTALL)
_SUFFIXES = (".svg", ".png")


def run_render(
    what: str,
    output: Path | None,
    address: str | None,
    at: int | None,
    player: str | None,
    lang: str | None,
    force: bool,
    rules_from: list[str],
) -> int:
    """Draw what is named and write the picture, as SVG on standard output where no file is named."""
    language = choose_language(lang)
    if output is not None and output.suffix.lower() not in _SUFFIXES:
        fail(f"`{output}` is no picture", "the name of a picture ends in .svg or .png")
    shelf = open_shelf(rules_from=rules_from)
    is_record = what == "-" or names_record(split_line(what)[0])
    if not is_record and (at is not None or player is not None):
        fail("--at and --player are for records and positions")
    if what.lstrip().startswith("["):
        svg, code = _board(what, shelf, address), 0
    elif is_record:
        svg, code = _position(what, shelf, address, at, player, language)
    else:
        svg, code = _pattern(what, shelf, address, language), 0
    _write(output, svg, force)
    return code


def _write(output: Path | None, svg: str, force: bool) -> None:
    if output is None:
        print_text(svg)
        return
    if output.suffix.lower() == ".png":
        from pwtool.show.svg.png import NoRenderer, to_png

        try:
            content = to_png(svg)
        except NoRenderer as error:
            fail(str(error), error.help)
    else:
        content = svg.encode("utf-8")
    write_bytes(output, content, force)


# ---- objectives and shapes -----------------------------------------------------------------------------------------


def _pattern(what: str, shelf: Shelf, address: str | None, language: str) -> str:
    name = what
    in_file = _IN_FILE.fullmatch(what)
    if in_file:
        if address is not None:
            fail("the objective's file is named already, --rules is one too many")
        address, name = in_file.groups()
    known: list[str] = []
    for candidate in [address] if address else shelf.library.games():
        ruleset = open_book(candidate, shelf).game.ruleset
        found = draw_named(ruleset, name, language)
        if found is not None:
            return found
        known += [key[1] for key in ruleset.merged.items if key[0] in ("objective", "shape")]
    where = f" in {address}" if address else ""
    help_line = did_you_mean(name, known)
    if what.endswith(".rules"):
        help_line = f"say which one: `{what}:NAME`"
    elif help_line is None and address is None:
        help_line = (
            "name the ruleset with --rules; a board stands in brackets, a record is a .json, .jsonl or .pwn file"
        )
    return fail(f"there is no objective and no shape `{name}`{where}", help_line)


# ---- the sheet of a ruleset ----------------------------------------------------------------------------------------


def run_sheet(address: str, html: bool, output: Path | None, lang: str | None, force: bool) -> int:
    """The objectives of a ruleset as one page."""
    if not html:
        fail("-o is for the page that --html makes, and there is either a page or JSON")
    language = choose_language(lang)
    book = open_book(address, open_shelf())
    from pwtool.show.html.sheet import render_sheet

    page = render_sheet(book.game, language)
    if output is None:
        print_text(page)
    else:
        write_bytes(output, page.encode("utf-8"), force)
    return 0


# ---- boards --------------------------------------------------------------------------------------------------------


def _board(text: str, shelf: Shelf, address: str | None) -> str:
    if address is None:
        fail("whose cards these are has to be said", "name the ruleset with --rules")
    book = open_book(address, shelf)
    text = text.strip()
    if not text.endswith("]"):
        fail("the board has no closing bracket", "write it as in examples: `[ Y1+Y2 B3 / . G2 ]`")
    source = SourceFile("board", text)
    picture, problems = build_picture(Span(source, 0, len(text)))
    if problems:
        stop(problems)
    ruleset = book.game.ruleset
    zone = _grid_for(ruleset, picture)
    drawing = draw_picture(ruleset, zone, picture)
    shown = stack([drawing, label(f"{ruleset.title}: {zone.name}", 12)], 10)
    rows = text.strip("[] ").split("/")
    description = "\n".join(f"{y}: {one_line(row)}" for y, row in enumerate(rows))
    return to_svg(pad(shown, 16), f"{ruleset.title}: {zone.name}", description)


def _grid_for(ruleset: Ruleset, picture: n.Picture) -> ZoneModel:
    """The grid that these cards can lie on, the one that objectives look at first."""
    grids = [z for z in ruleset.zones.values() if z.kind == "grid" and z.element.kind == "face"]
    if ruleset.board is not None:
        grids = [ruleset.board, *(z for z in grids if z is not ruleset.board)]
    if not grids:
        fail(f"{ruleset.address} has no grid that cards lie on")
    codes = [code for cell in picture.cells if cell.sign not in ("_", "#") for code in cell.sign.split("+")]
    able = [z for z in grids if all(code in ruleset.components[z.element.component].numbers for code in codes)]
    if not able:
        component = ruleset.components[grids[0].element.component]
        wrong = next(code for code in codes if code not in component.numbers)
        fail(f"there is no {component.name} `{wrong}`", did_you_mean(wrong, list(component.codes)))
    large = [z for z in able if picture.width <= z.width and picture.height <= z.height]
    if not large:
        size = f"{able[0].width}x{able[0].height}"
        fail(f"a board of {picture.width}x{picture.height} cells does not fit on a {size} grid")
    return large[0]


# ---- positions -----------------------------------------------------------------------------------------------------


def _position(
    file: str, shelf: Shelf, address: str | None, at: int | None, player: str | None, language: str
) -> tuple[str, int]:
    loaded, book = load_one(file, shelf, address)
    game, code, notes = book.game, 0, []
    if loaded.is_state:
        if at is not None:
            fail("this is a position, --at is for recorded games")
        position = load_state(loaded, book)
        state, names, title = position.state, position.names, game.ruleset.title
    else:
        from pwtool.play.replay import replay_record

        record = load_record(loaded, book)
        if at is not None and at > len(record.turns):
            fail(f"there is no turn {at}, the record has {len(record.turns)}")
        names = record.players
        title = f"{game.ruleset.title}: {turn_title(game, at, len(record.turns), language)}"
        acting = record.turns[at - 1] if at is not None else None
        if acting is not None and acting.player != EVERYBODY:
            title += f", {names[acting.player]}"
        whole = record.turns
        record.outcome = None
        if at is not None:
            record.turns = whole[: at - 1]
        replay = replay_record(game, record, book.legal)
        state = replay.play.state
        causes = [f for f in replay.findings if f.code not in ("PW611", "PW612")]
        if causes:
            where = f" ({game.ruleset.cycle} {causes[0].turn})" if causes[0].turn else ""
            message = Messages(game, names).message(causes[0])
            complain(f"drawn as recorded, not legal up to there{where}: {message.text}")
            code = 1
        if at is not None:
            record.turns = whole
            done = describe_turn(game, record, at - 1, state.goals)
            notes = [caption("next", language, done)] if done else []
        elif replay.play.over:
            notes = [caption("over", language)]
    if player is not None:
        if player not in names:
            fail(f"there is no player `{player}`", did_you_mean(player, names))
        state = seen_by(game, state, names.index(player))
        # What a player does is seen by all, what they drew or looked at is not.
        notes = [caption("seen", language, player)]
    return Positions(game, names, language).picture(state, title, notes), code
