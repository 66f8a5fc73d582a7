"""`pwtool render`: pictures of objectives, shapes, boards and positions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pwtool.cli.common import Under, deliver, fail, open_book, split_name, stop, write_bytes
from pwtool.cli.loading import load_one, load_state
from pwtool.cli.position_at import reach
from pwtool.cli.streams import print_data
from pwtool.ir.model import Ruleset, ZoneModel
from pwtool.lang import tree as n
from pwtool.lang.pictures import build_picture
from pwtool.play.record import EVERYBODY
from pwtool.records.encoding import encode_state
from pwtool.records.file_names import names_record, split_line
from pwtool.records.ruleset_store import RulesetStore
from pwtool.show.svg.boards import Positions, draw_picture, turn_title
from pwtool.show.svg.named import draw_named, named_data, named_item
from pwtool.show.svg.writer import label, pad, stack, to_svg
from pwtool.text import did_you_mean
from pwtool.text.captions import caption
from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import Speech, Told
from pwtool.text.store import STANDARD
from pwtool.text.terminal import dump_json
from pwtool.text.words import one_line, quoted
from pwtool.why.drawing import seen_by
from pwtool.why.moves import Moves
from pwtool.why.names import MoveNames
from pwtool.why.voice import Voice

_SUFFIXES = (".svg", ".png")


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A picture to be drawn, and its contents as data; `code` is the exit code."""

    svg: Callable[[], str | None]
    data: dict[str, Any]
    code: int = 0


def run_render(
    what: str,
    output: Path | None,
    under: Under,
    at: int | None,
    player: str | None,
    lang: str | None,
    force: bool,
    as_json: bool = False,
) -> int:
    """Draw what is named and write the picture, as SVG to standard output if there is no file name; or write it as data."""
    language = under.language(lang)
    if not as_json and output not in (None, STANDARD) and output.suffix.lower() not in _SUFFIXES:
        fail(
            Told("`{file}` is not a picture", file=str(output)),
            Told("the name of a picture ends in .svg or .png, of its data in .json"),
        )
    if as_json and output is not None and output.suffix.lower() in _SUFFIXES:
        fail(
            Told("{one} and {other} cannot be combined", one="--format json", other=f"--output {output}"),
            Told("the name of a picture ends in .svg or .png, of its data in .json"),
        )
    ruleset_store, address = under.ruleset_store(), under.address
    is_record = what == "-" or names_record(split_line(what)[0])
    if not is_record and (at is not None or player is not None):
        fail(Told("--player and --at are for records and positions"))
    if what.lstrip().startswith("["):
        drawn = _board(what, ruleset_store, address)
    elif is_record:
        drawn = _position(what, ruleset_store, address, at, player, language)
    else:
        drawn = _pattern(what, under, language)
    if as_json:
        deliver(dump_json(drawn.data, indent=2), output, force)
    else:
        _write(output, drawn.svg() or "", force)
    return drawn.code


def _write(output: Path | None, svg: str, force: bool) -> None:
    if output is None or output == STANDARD:
        print_data(svg)
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


def _pattern(what: str, under: Under, language: str) -> _Drawn:
    name, under = split_name(what, under)
    ruleset_store, address = under.ruleset_store(), under.address
    known: list[str] = []
    for candidate in [address] if address else ruleset_store.library.games():
        ruleset = open_book(candidate, ruleset_store).game.ruleset
        if named_item(ruleset, name) is not None:
            return _Drawn(partial(draw_named, ruleset, name, language), named_data(ruleset, name, language))
        known += [key[1] for key in ruleset.merged.items if key[0] in ("objective", "shape")]
    help_line = did_you_mean(name, known)
    if what.endswith(".rules"):
        help_line = Told("say which one: {name}", name=f"`{what}:NAME`")
    elif help_line is None and address is None:
        help_line = Told(
            "name the ruleset with --rules; a board is written in brackets, a record is a .json, .jsonl or .pwn file"
        )
    if address:
        return fail(Told("there is no objective or shape `{name}` in {ruleset}", name=name, ruleset=address), help_line)
    return fail(Told("there is no objective or shape `{name}`", name=name), help_line)


# ---- boards --------------------------------------------------------------------------------------------------------


def _board(text: str, ruleset_store: RulesetStore, address: str | None) -> _Drawn:
    if address is None:
        fail(Told("the ruleset of these cards is not known"), Told("name the ruleset with --rules"))
    book = open_book(address, ruleset_store)
    text = text.strip()
    if not text.endswith("]"):
        fail(Told("the board has no closing bracket"), Told("write it as in examples: `[ Y1+Y2 B3 / . G2 ]`"))
    source = SourceFile("board", text)
    picture, problems = build_picture(Span(source, 0, len(text)))
    if problems:
        stop(problems)
    ruleset = book.game.ruleset
    zone = _grid_for(ruleset, picture)

    def draw() -> str:
        shown = stack([draw_picture(ruleset, zone, picture), label(f"{ruleset.title}: {zone.name}", 12)], 10)
        rows = text.strip("[] ").split("/")
        description = "\n".join(f"{y}: {one_line(row)}" for y, row in enumerate(rows))
        return to_svg(pad(shown, 16), f"{ruleset.title}: {zone.name}", description)

    cells = [
        {"at": [cell.column, cell.row], "cards": cell.content.split("+")}
        for cell in picture.cells
        if cell.content != "_"
    ]
    size = {"width": picture.width, "height": picture.height}
    return _Drawn(draw, {"kind": "board", "ruleset": ruleset.address, "zone": zone.name, **size, "cells": cells})


def _grid_for(ruleset: Ruleset, picture: n.Picture) -> ZoneModel:
    """A grid on which these cards can lie, preferably the one that objectives look at."""
    grids = [z for z in ruleset.zones.values() if z.kind == "grid" and z.element.kind == "face"]
    if ruleset.board is not None:
        grids = [ruleset.board, *(z for z in grids if z is not ruleset.board)]
    if not grids:
        fail(Told("{game} has no grid for cards", game=ruleset.address))
    codes = [code for cell in picture.cells if cell.sign not in ("_", "#") for code in cell.sign.split("+")]
    able = [z for z in grids if all(code in ruleset.components[z.element.component].numbers for code in codes)]
    if not able:
        component = ruleset.components[grids[0].element.component]
        wrong = next(code for code in codes if code not in component.numbers)
        fail(
            Told("there is no {what} {name}", what=component.name, name=f"`{wrong}`"),
            did_you_mean(wrong, list(component.codes)),
        )
    large = [z for z in able if picture.width <= z.width and picture.height <= z.height]
    if not large:
        asked, most = (f"{one.width}x{one.height}" for one in (picture, able[0]))
        fail(Told("a board of {asked} cells does not fit on a {most} grid", asked=asked, most=most))
    return large[0]


# ---- positions -----------------------------------------------------------------------------------------------------


def _position(
    file: str, ruleset_store: RulesetStore, address: str | None, at: int | None, player: str | None, language: str
) -> _Drawn:
    loaded, book = load_one(file, ruleset_store, address)
    game, code, notes = book.game, 0, []
    missing: list[str] = []
    data: dict[str, Any] = {"kind": "position", "file": loaded.document.name, "turn": None, "player": None}
    if loaded.is_state:
        if at is not None:
            fail(Told("this is a position, --at is for recorded games"))
        position = load_state(loaded, book)
        state, names, title = position.state, position.names, Voice(language).title(game)
        missing = position.missing
    else:
        reached = reach(loaded, book, at, language)
        state, record, turn = reached.play.state, reached.record, reached.turn
        names, code = record.players, reached.code
        voice = Voice(language)
        title = voice.headed(voice.title(game), turn_title(game, turn, record.end - 1, language))
        acting = record.turns[turn - record.first] if turn is not None and turn < record.end else None
        if acting is not None and acting.player != EVERYBODY:
            title += f", {names[acting.player]}"
        reached.complain()
        data |= {"turn": turn, "player": None if acting is None or acting.player == EVERYBODY else names[acting.player]}
        if acting is not None and turn is not None:
            done = MoveNames(game, names, voice).tell_turn(record, turn - record.first, reached.play, state.goals)
            notes = [caption("next", language, done)] if done else []
        elif reached.play.over:
            notes = [caption("over", language)]
    if player is not None:
        if player not in names:
            fail(
                Told("there is no {what} {name}", what=Told("player"), name=f"`{player}`"), did_you_mean(player, names)
            )
        state = seen_by(game, state, names.index(player))
        # Everybody sees what a player does, but not what the player drew or looked at.
        notes = [caption("seen", language, player)]
    if missing:
        silent = Told(
            "{names} is not given, and drawn as empty", "{names} are not given, and drawn as empty", len(missing),
            names=quoted(missing),
        )  # fmt: skip
        notes = [Speech(language).tell(silent), *notes]
    written = encode_state(game, state, names)
    written["zones"] = {name: content for name, content in written["zones"].items() if name not in missing}
    data |= {"seen_by": player, "position": written}
    moves = Moves(game, names, state.goals, Voice(language))
    return _Drawn(lambda: Positions(moves).picture(state, title, notes), data, code)
