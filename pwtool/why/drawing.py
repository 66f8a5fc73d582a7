"""Positions drawn as text."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from pwtool.eval.values import UNKNOWN, UNSEEN, Cell, bounds
from pwtool.ir.grids import cells_of
from pwtool.ir.looks import Looks
from pwtool.ir.model import Ruleset, VariableModel, ZoneModel
from pwtool.play.game import Game
from pwtool.play.state import State, zone_labels
from pwtool.text.speech import Speech
from pwtool.why.describe import face_code, format_value
from pwtool.why.marks import NO_MARKS, Marks
from pwtool.why.voice import PLAIN, Voice

EMPTY = "."
MAX_SIDE = 20
"""At most this many columns and rows of a grid are drawn."""
MAX_NAMED = 3

Box = tuple[int, int, int, int]


def draw_grid(
    game: Game,
    zone: ZoneModel,
    state: State,
    index: int,
    heights: bool = False,
    marks: Marks = NO_MARKS,
    voice: Voice = PLAIN,
) -> list[str]:
    """A grid as lines: x above, y on the left, the visible card of each pile; `*` marks a token, `'3` a pile of three, `[ ]` the
    cells in `marks`.
    """
    grid = state.zones[zone.number][index]
    about = marks.cells_of(zone, index)
    if zone.floating:
        if not grid:
            return [voice.say("(empty)")]
        left, top, right, bottom = bounds([*grid, *about])
    else:
        left, top, right, bottom = 0, 0, zone.width - 1, zone.height - 1
    marked = {
        p[1]
        for t in game.ruleset.tokens.values()
        if t.zone == zone.number and (p := state.tokens[t.number]) and p[0] == index
    }
    blank = names_in_cells(game.ruleset, zone)
    cells = dict(blank)
    for cell, pile in grid.items():
        text = _item(game, zone, pile[-1]) if pile else blank.get(cell, EMPTY)
        if heights and len(pile) > 1:
            text += f"'{len(pile)}"
        cells[cell] = text + ("*" if cell in marked else "")
    cells |= {cell: f"[{cells.get(cell, EMPTY)}]" for cell in about}
    if zone.mask:
        cells |= {(x, y): "" for y in range(zone.height) for x in range(zone.width) if not zone.grid.has((x, y))}
    lines = framed(cells, (left, top, right, bottom), zone, voice=voice)
    if zone.hexagonal:
        lines = _slanting(lines, min(zone.width, MAX_SIDE), headed=not zone.names)
    return [line.rstrip() for line in lines] if zone.mask else lines


def drawn_part(
    cells: Collection[Cell], box: Box, voice: Speech = PLAIN, zone: ZoneModel | None = None
) -> tuple[Box, str]:
    """The part of a box that is drawn, around the middle of the used cells if the whole is too large, and what is left out, in
    words.
    """
    left, right = _stretch([x for x, _ in cells], box[0], box[2])
    top, bottom = _stretch([y for _, y in cells], box[1], box[3])
    if (left, top, right, bottom) == box:
        return box, ""
    outside = [(x, y) for x, y in cells if not (left <= x <= right and top <= y <= bottom)]
    if not outside:
        return (left, top, right, bottom), voice.say("only a part is drawn")
    called = str if zone is None else zone.cell_name
    named = ", ".join(map(called, sorted(outside)[:MAX_NAMED])) + (", …" if len(outside) > MAX_NAMED else "")
    return (left, top, right, bottom), voice.many(
        "not drawn: {count} cell in use, {cells}", "not drawn: {count} cells in use, {cells}", len(outside), cells=named
    )


def _stretch(used: list[int], low: int, high: int) -> tuple[int, int]:
    """At most `MAX_SIDE` of the numbers from `low` to `high`, around the middle of the used ones."""
    if high - low < MAX_SIDE:
        return low, high
    middle = sorted(used)[len(used) // 2] if used else low
    start = min(max(low, middle - MAX_SIDE // 2), high - MAX_SIDE + 1)
    return start, start + MAX_SIDE - 1


def framed(
    cells: dict[Cell, str],
    box: Box,
    zone: ZoneModel,
    gap: str = "  ",
    behind: str = "",
    empty: str = EMPTY,
    voice: Speech = PLAIN,
) -> list[str]:
    """The cells of a box of a grid as lines, columns above and rows on the left unless its cells have names of their own; `behind` is
    written after each column.
    """
    (left, top, right, bottom), rest = drawn_part(cells, box, voice, zone)
    heads = {x: f"{zone.column_name(x)}{behind}" for x in range(left, right + 1)}
    sides = {y: "" if zone.names else zone.row_name(y) for y in range(top, bottom + 1)}
    width = max(2, *map(len, (*cells.values(), *heads.values())))
    gutter = max(map(len, sides.values()))
    above = [" " * gutter + "  " + gap.join(f"{head:>{width}}" for head in heads.values())]
    lines = [] if zone.names else above
    for y, side in sides.items():
        lines.append(f"{side:>{gutter}}  " + gap.join(f"{cells.get((x, y), empty):>{width}}" for x in heads))
    return [*lines, f"({rest})"] if rest else lines


def names_in_cells(ruleset: Ruleset, zone: ZoneModel) -> dict[Cell, str]:
    """What is written in the empty cells of a grid whose cells have names of their own: the name, with a dot before it if it could
    be taken for a thing that lies there.
    """
    if not zone.names:
        return {}
    named = {cell: name for cell in cells_of(zone.grid) if (name := zone.own_name(cell))}
    codes = ruleset.components[zone.element.component].numbers if zone.element.kind == "face" else None
    alike = codes is None or any(name in codes for name in named.values())
    return {cell: f"{EMPTY}{name}" if alike else name for cell, name in named.items()}


def _slanting(lines: list[str], columns: int, headed: bool) -> list[str]:
    """The lines of a grid, each row shifted half a cell to the right of the one above."""
    first, rows = lines[:headed], [line for line in lines[headed:] if not line.startswith("(")]
    sides = (len(line) - len(line.lstrip()) + len(line.split()[0]) for line in rows if headed)
    gutter = max(sides, default=0)
    half = (len(lines[0]) - gutter) // max(1, columns) // 2
    moved = [line[:gutter] + " " * (half * at) + line[gutter:] for at, line in enumerate(rows)]
    return [*first, *moved, *lines[len(first) + len(rows) :]]


def _item(game: Game, zone: ZoneModel, item: Any) -> str:
    return face_code(game, zone.element.component, item) if zone.element.kind == "face" else str(item)


def draw_zone(
    game: Game, zone: ZoneModel, state: State, index: int, marks: Marks = NO_MARKS, voice: Voice = PLAIN
) -> list[str]:
    """One zone as lines: a grid as a drawing, a pile by its top and size, everything else by its contents."""
    content = state.zones[zone.number][index]
    if zone.kind == "grid":
        return draw_grid(game, zone, state, index, heights=True, marks=marks, voice=voice)
    if zone.kind == "bag":
        content = sorted(content, key=lambda item: _item(game, zone, item))
    items = [_item(game, zone, item) for item in content]
    for face in marks.things_of(zone, index):
        # Of equal things, the topmost is the available one.
        at = max((at for at, item in enumerate(content) if item == face), default=None)
        if at is not None:
            items[at] = f"[{items[at]}]"
    if zone.kind == "pile" and zone.element.kind == "face":
        return [f"{items[-1]} ({len(items)})" if items else voice.caption("empty_place")]
    return [" ".join(items) if items else "-"]


def draw_state(
    game: Game,
    state: State,
    names: list[str],
    marks: Marks = NO_MARKS,
    voice: Voice = PLAIN,
    looks: Looks | None = None,
) -> list[str]:
    """The whole position: shared zones first, then each player's; what is in `marks` is put in brackets. With `looks`,
    the zones and variables that they hide are left out.
    """
    lines: list[str] = []
    zones = [z for z in game.zone_list if looks is None or not looks.zone(z).hidden]
    beside = {z.name: looks.beside(z, zones, state.players) for z in zones if looks is not None and not z.dimensions}
    there = {(zone.number, seat) for found in beside.values() for zone, seat, _ in found}
    kept = [v for v in game.variable_list if (looks.shows(v) if looks is not None else v.per == "game" or v.each)]
    if state.goals:
        goals = (voice.bare(game.ruleset, "objective", goal) for goal in state.goals)
        lines.append(
            f"{voice.caption('objectives') if voice.language != 'en' else game.ruleset.goal_zone}  " + ", ".join(goals)
        )
    for zone in zones:
        if not is_per_player(zone) and (zone.number, -1) not in there:
            drawn = draw_zones(game, zone, state, names, marks=marks, voice=voice)
            found = beside.get(zone.name, [])
            told = (
                looks.names_beside(zone, zones, names, lambda one: _called(game, one, voice)) if looks and found else []
            )
            said = []
            for (other, seat, side), name in zip(found, told, strict=True):
                text = " ".join(draw_zone(game, other, state, max(seat, 0), marks, voice))
                said.append((side, f"{name}: {text}"))
            lines += _named(game, zone, _with_sides(drawn, said), voice)
    called = {v.name: voice.translated(game.ruleset, ("var", v.name)) or v.name for v in kept}
    for v in kept:
        if not v.each:
            lines.append(f"{called[v.name]}  {_kept(game, v, state.variables[v.number], state, names, voice)}")
    owned = [[z for z in zones if is_per_player(z) and (z.number, seat) not in there] for seat in range(len(names))]
    for player, name in enumerate(names if any(owned) or any(v.each for v in kept) else ()):
        lines += ["", name]
        for zone in owned[player]:
            drawn = draw_zones(game, zone, state, names, player, marks, voice)
            lines += ["  " + line for line in _named(game, zone, drawn, voice)]
        for v in kept:
            if v.each:
                value = _kept(game, v, state.variables[v.number][player], state, names, voice)
                lines.append(f"  {called[v.name]}  {value}")
    return lines


def _kept(game: Game, variable: VariableModel, value: Any, state: State, names: list[str], voice: Voice) -> str:
    if value is None:
        return "-"
    if variable.type.kind == "goal" and isinstance(value, int):
        return voice.bare(game.ruleset, "objective", state.goals[value])
    shown = format_value(game, variable.type, value, names, voice)
    return voice.many("{count} value", "{count} values", len(value)) if shown is None else shown


def is_per_player(zone: ZoneModel) -> bool:
    """Whether each player has zones of this name."""
    return bool(zone.dimensions) and zone.dimensions[0][0] == "player"


def draw_zones(
    game: Game,
    zone: ZoneModel,
    state: State,
    names: list[str],
    player: int = 0,
    marks: Marks = NO_MARKS,
    voice: Voice = PLAIN,
) -> list[str]:
    """All zones of one name as lines, only those of `player` if each player has some: each on one line by what distinguishes it
    from the others, unless they are grids.
    """
    owned = is_per_player(zone)
    lines: list[str] = []
    parts: list[str] = []
    for index, label in enumerate(zone_labels(zone, names, state.goals)):
        if owned and label[0] != names[player]:
            continue
        which = " ".join(_label(game, zone, part, state, voice) for part in (label[1:] if owned else label))
        drawn = draw_zone(game, zone, state, index, marks, voice)
        if len(drawn) > 1:
            lines += [which, *("  " + line for line in drawn)] if which else drawn
        elif not (owned and which and drawn == ["-"]):
            parts.append(f"{which} {drawn[0]}" if which else drawn[0])
    return [*lines, (", " if owned else " | ").join(parts)] if parts else lines


def _label(game: Game, zone: ZoneModel, part: Any, state: State, voice: Voice) -> str:
    """What distinguishes one zone from others of the same name: an objective, a place, a player."""
    if isinstance(part, int):
        return zone.place_name(part)
    return voice.translated(game.ruleset, ("objective", part)) or part if part in state.goals else str(part)


def _called(game: Game, zone: ZoneModel, voice: Voice) -> str:
    return voice.translated(game.ruleset, ("zone", zone.name)) or zone.name


def _with_sides(lines: list[str], said: list[tuple[str, str]]) -> list[str]:
    """A board with what stands at its sides: above and below it, or in the middle of its height."""
    texts = {side: ", ".join(text for other, text in said if other == side) for side, _ in said}
    wide, middle = max(map(len, lines), default=0), (len(lines) - 1) // 2
    left = texts.get("left", "")
    beside = {middle: (f"{left}  " if left else "", f"  {texts['right']}" if "right" in texts else "")}
    rows = []
    for at, line in enumerate(lines):
        before, behind = beside.get(at, (" " * (len(left) + 2) if left else "", ""))
        rows.append(f"{before}{line:<{wide}}{behind}" if behind else before + line)
    return [*([texts["top"]] if "top" in texts else []), *rows, *([texts["bottom"]] if "bottom" in texts else [])]


def _named(game: Game, zone: ZoneModel, drawn: list[str], voice: Voice) -> list[str]:
    name = _called(game, zone, voice)
    if len(drawn) > 1:
        return [name, *("  " + line for line in drawn)]
    return [f"{name}  {line}" for line in drawn]


def seen_by(game: Game, state: State, viewer: int) -> State:
    """The position as one player sees it: the contents of zones that nobody or only others see are unseen, and variables that the
    player may not see are unknown.
    """
    view = state.copy()
    for zone in game.zone_list:
        if zone.seen == "all" or zone.element.kind != "face":
            continue
        for index, label in enumerate(zone_labels(zone, list(map(str, range(state.players))), state.goals)):
            if zone.seen == "owner" and label[0] == str(viewer):
                continue
            content = view.zones[zone.number][index]
            for pile in content.values() if isinstance(content, dict) else [content]:
                pile[:] = [UNSEEN] * len(pile)
    for variable in game.variable_list:
        held = view.variables[variable.number]
        if variable.each:
            held = [value if variable.seen_by(viewer, seat) else UNKNOWN for seat, value in enumerate(held)]
        elif not variable.seen_by(viewer, -1):
            held = UNKNOWN
        view.variables[variable.number] = held
    return view
