"""How a game looks: the ground of its boards, the bodies of its pieces, what is not shown. A look never decides anything."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

import msgspec

from pwtool.ir.grids import Cell
from pwtool.ir.model import ComponentModel, Ruleset, VariableModel, ZoneModel
from pwtool.lang.look import Feature, Look
from pwtool.lang.merged import Key
from pwtool.text.speech import Told
from pwtool.text.suggest import did_you_mean
from pwtool.text.words import quoted

COLORS = MappingProxyType({
    "light": "#f6f1e4", "dark": "#2f2b28", "white": "#fafafa", "black": "#262626", "gray": "#9a9a9a", "red": "#d1402f",
    "orange": "#e69f00", "yellow": "#f0d53c", "green": "#2f8f6b", "blue": "#2a6fbb", "sky": "#6db8e8", "pink": "#cc79a7",
    "brown": "#8a5a2b", "wood": "#e3c488",
})  # fmt: skip
"""The colors of pieces and edges by name; others are written as `"#aabbcc"`."""
TONES = ("paper", "wood", "brown", "green", "blue", "gray")
"""The colors that a board can have."""
GROUNDS = ("cards", "squares", "plain", "points", "hexes", "pits", "holes", "dots")
BODIES = ("card", "portrait", "disc", "tile", "die", "seed", "stick", "bar")
HEAPS = ("seed", "stick")
"""Bodies that lie in heaps, whose pictures say how many there are."""
SIDES = ("top", "bottom", "left", "right")

_ZONE = ("on", "beside", "hidden")
_COMPONENT = ("color", "figure", "label")
_VARIABLE = ("hidden", "die", "shown")
_PIPS = 6
_PATH = re.compile(r"[Mm][MmLlHhVvCcSsQqTtAaZz0-9eE+\-., ]*")
_HEX = re.compile("#[0-9a-fA-F]{6}")
_SIGN = 3
"""The most letters of a sign."""
_LONGEST = 4_000
"""The most characters of a path."""

Words = tuple[str, ...]
Report = Callable[..., object]
"""Is told what is wrong: the code of the finding, a message, its place, a line of help."""


class ZoneLook(msgspec.Struct, frozen=True):
    """How a zone is drawn. `ground` and `tone` are those of a grid; `stars` are marked points, `joined` the cells that a line joins,
    `edges` the colors of its sides; `on` is the zone whose board it shares, `beside` that at whose board it stands, at which of
    the `sides` by seat (-1: all).
    """

    ground: str = "cards"
    tone: str = ""
    stars: frozenset[Cell] = frozenset()
    joined: tuple[tuple[Cell, ...], ...] = ()
    edges: Mapping[str, str] = MappingProxyType({})
    on: str = ""
    beside: str = ""
    sides: Mapping[int, str] = MappingProxyType({})
    hidden: bool = False

    def side(self, seat: int) -> str:
        """The side of a board at which the zone of a seat (-1: of nobody) stands, "" if it has a place of its own."""
        return self.sides.get(seat) or self.sides.get(-1, "")


class ComponentLook(msgspec.Struct, frozen=True):
    """How a thing is drawn: as a body, or as a `figure` alone. `color` and `figure` are by the member of an attribute ("" for all
    things alike); a figure is what a terminal writes and the paths of a drawing; `label` is what is written for a member instead of
    its code.
    """

    body: str = "card"
    color_by: str = ""
    color: Mapping[str, str] = MappingProxyType({})
    figure_by: str = ""
    figure: Mapping[str, Words] = MappingProxyType({})
    label_by: str = ""
    label: Mapping[str, str] = MappingProxyType({})

    @property
    def counted(self) -> bool:
        """Whether the picture of a pile depends on its height."""
        return self.body in HEAPS


class Looks(msgspec.Struct, frozen=True):
    """The looks of a ruleset by name; what is not there looks as usual."""

    zones: Mapping[str, ZoneLook]
    components: Mapping[str, ComponentLook]
    variables: Mapping[str, str]
    """`hidden`, `die` or `shown`."""

    def shows(self, variable: VariableModel) -> bool:
        """Whether a variable is seen on the table; one that a turn begins anew only if its look says so."""
        look = self.variables.get(variable.name, "")
        return look != "hidden" and (bool(look) or bool(variable.each) or variable.per == "game")

    def zone(self, zone: ZoneModel) -> ZoneLook:
        return self.zones.get(zone.name, _USUAL_ZONE)

    def layers(self, zones: Iterable[ZoneModel]) -> dict[str, list[ZoneModel]]:
        """The zones that lie on the board of another, by its name, in order."""
        found: dict[str, list[ZoneModel]] = {}
        for zone in zones:
            if self.zone(zone).on:
                found.setdefault(self.zone(zone).on, []).append(zone)
        return found

    def beside(self, host: ZoneModel, zones: Iterable[ZoneModel], players: int) -> list[tuple[ZoneModel, int, str]]:
        """What stands beside a board: zones, the seats that they belong to (-1: to none, or to that of the board), and the sides."""
        found = []
        for zone in zones:
            look = self.zone(zone)
            seats = range(players) if zone.dimensions and not host.dimensions else (-1,)
            if look.beside == host.name and not look.hidden:
                found += [(zone, seat, look.side(seat)) for seat in seats if look.side(seat)]
        return found

    def names_beside(
        self, host: ZoneModel, zones: Iterable[ZoneModel], players: Sequence[str], title: Callable[[ZoneModel], str]
    ) -> list[str]:
        """What is said of each of them: whose it is, and which one if players have several there."""
        found = self.beside(host, zones, len(players))
        several = len({zone.name for zone, seat, _ in found if seat >= 0}) > 1
        return [
            title(zone) if seat < 0 else f"{players[seat]} · {title(zone)}" if several else players[seat]
            for zone, seat, _ in found
        ]

    def component(self, name: str) -> ComponentLook:
        return self.components.get(name, _USUAL_COMPONENT)


_USUAL_ZONE, _USUAL_COMPONENT = ZoneLook(), ComponentLook()


def read_looks(
    lines: Mapping[Key, Look],
    zones: Mapping[str, ZoneModel],
    components: Mapping[str, ComponentModel],
    variables: Mapping[str, VariableModel],
    players: int,
    report: Report = lambda *_, **__: None,
) -> Looks:
    """The looks that are declared; `report` is told of each mistake, and what is wrong is left out."""
    reader = _Reader(report, zones, players)
    found = Looks({}, {}, {})
    assert isinstance(found.zones, dict) and isinstance(found.components, dict) and isinstance(found.variables, dict)
    for (kind, name), line in lines.items():
        known: Mapping[str, object] = {"zone": zones, "component": components, "var": variables}.get(kind, {})
        if kind not in ("zone", "component", "var"):
            report("PW301", "a {kind} has no look", line.span, "zones, components and variables have one", kind=Told(kind))  # fmt: skip
        elif name not in known:
            report("PW201", "there is no {what} {name}", line.name.span, did_you_mean(name, known), what=Told(kind), name=f"`{name}`")  # fmt: skip
        elif kind == "zone":
            found.zones[name] = reader.zone(line, zones[name])
        elif kind == "component":
            found.components[name] = reader.component(line, components[name])
        else:
            found.variables.update(reader.variable(line, variables[name]))
    for name, look in found.zones.items():
        host = found.zones.get(look.on or look.beside, _USUAL_ZONE)
        if host.hidden or host.on:
            report(
                "PW301", "`{zone}` has no board of its own", lines["zone", name].span, None, zone=look.on or look.beside
            )
            found.zones[name] = msgspec.structs.replace(look, on="", beside="", sides={})
    return found


def looks_of(ruleset: Ruleset) -> Looks:
    """The looks of a checked ruleset."""
    merged = ruleset.merged
    return read_looks(merged.looks, ruleset.zones, ruleset.components, ruleset.variables, ruleset.max_players)


class _Reader:
    def __init__(self, report: Report, zones: Mapping[str, ZoneModel], players: int) -> None:
        self.report, self.zones, self.players = report, zones, players

    def zone(self, line: Look, zone: ZoneModel) -> ZoneLook:
        is_grid = zone.kind == "grid"
        fitting = ("cards", "hexes") if zone.hexagonal else tuple(g for g in GROUNDS if g != "hexes")
        grounds = fitting if is_grid and not zone.floating else GROUNDS[:1] if is_grid else ()
        known = (*_ZONE, *grounds, *((*TONES, "stars", "joined", *SIDES) if is_grid else ()))
        look: dict[str, object] = {}
        for feature in self.features(line, known):
            name, words = feature.name.name, feature.words
            kind = "ground" if name in grounds else "tone" if name in TONES else ""
            if kind and kind in look:
                self.report("PW202", "`{name}` contradicts `{look}`", feature.span, None, name=name, look=look[kind])
            elif kind:
                look[kind] = name
            elif name == "stars":
                stars = frozenset(c for text in words for c in self.cells(text, zone, feature))
                # Of stars for a board of another size those that are left would be at odd points.
                look["stars"] = stars if len(stars) == len({*" ".join(words).split()}) else frozenset()
            elif name == "joined":
                look["joined"] = tuple(tuple(self.cells(text, zone, feature)) for text in words)
            elif name in SIDES:
                edges = look.setdefault("edges", {})
                assert isinstance(edges, dict)
                edges[name] = self.color(words, feature)
            elif name == "on":
                look["on"] = self.host(zone, feature)
            elif name == "beside":
                sides = self.sides(zone, feature)
                look |= {"beside": self.zone_named(feature), "sides": sides} if sides else {}
            else:
                look[name] = True
        if zone.joined and look.get("ground") == "points":
            look.setdefault("joined", zone.joined)
        return ZoneLook(**look)  # type: ignore[arg-type]

    def component(self, line: Look, component: ComponentModel) -> ComponentLook:
        look: dict[str, object] = {}
        for feature in self.features(line, (*BODIES, *_COMPONENT)):
            name = feature.name.name
            if name in BODIES and "body" in look:
                self.report("PW202", "`{name}` contradicts `{look}`", feature.span, None, name=name, look=look["body"])
            elif name in BODIES:
                look["body"] = name
            elif name == "color":
                cases = self.cases(feature, component)
                look["color"] = {member: self.color(words, feature) for member, words in cases.items()}
            elif name == "figure":
                look["figure"] = {m: self.figure(words, feature) for m, words in self.cases(feature, component).items()}
            else:
                cases = self.cases(feature, component)
                look["label"] = {member: self.label(words, feature) for member, words in cases.items()}
            if name in ("color", "figure", "label") and feature.by is not None:
                look[f"{name}_by"] = feature.by.name
        if "figure" in look:
            look.setdefault("body", "figure")
        return ComponentLook(**look)  # type: ignore[arg-type]

    def variable(self, line: Look, variable: VariableModel) -> dict[str, str]:
        names = [feature.name.name for feature in self.features(line, _VARIABLE)]
        if "die" in names and (variable.type.kind != "int" or variable.type.low < 0 or variable.type.high > _PIPS):
            message = "a die shows numbers from 0 to {most}, which `{variable}` is not"
            self.report("PW301", message, line.span, None, most=_PIPS, variable=variable.name)
            return {}
        return {variable.name: names[0]} if names else {}

    def features(self, line: Look, known: Iterable[str]) -> list[Feature]:
        """The features of a line that make sense there."""
        found: dict[str, Feature] = {}
        names = list(known)
        for feature in line.features:
            name = feature.name.name
            if name not in names:
                hint = did_you_mean(name, names) or Told("known here: {names}", names=quoted(names))
                self.report("PW201", "a {kind} cannot look like `{name}`", feature.name.span, hint, kind=Told(line.kind), name=name)  # fmt: skip
            elif name in found:
                self.report("PW202", "`{name}` is said twice", feature.span, None, name=name)
            elif (problem := _shape(name, feature)) is not None:
                self.report("PW306", "`{name}` is followed by {problem}", feature.span, None, name=name, problem=problem)  # fmt: skip
            else:
                found[name] = feature
        if "hidden" in found and len(found) > 1:
            other = next(feature for name, feature in found.items() if name != "hidden")
            self.report("PW202", "`{name}` contradicts `{look}`", other.span, None, name=other.name.name, look="hidden")
        return list(found.values())

    def cases(self, feature: Feature, component: ComponentModel) -> dict[str, Words]:
        """The words for each member of an attribute; for every thing alike, those of the empty name."""
        if feature.by is None:
            return {"": feature.words}
        attribute = component.attributes.get(feature.by.name)
        if attribute is None:
            hint = did_you_mean(feature.by.name, component.attributes)
            message = "`{component}` has no attribute `{by}`"
            self.report("PW201", message, feature.by.span, hint, component=component.name, by=feature.by.name)
            return {}
        members = {member_name(value) for value in attribute.table}
        found: dict[str, Words] = {}
        for name, words in feature.cases:
            if name.name not in members:
                hint = did_you_mean(name.name, sorted(members))
                self.report("PW201", "`{text}` is never `{name}`", name.span, hint, text=feature.by.name, name=name.name)  # fmt: skip
            elif name.name in found:
                self.report("PW202", "`{name}` is said twice", name.span, None, name=name.name)
            else:
                found[name.name] = words
        return found

    def color(self, words: Words, feature: Feature) -> str:
        """A color as written for SVG."""
        word = words[0] if words else ""
        if word not in COLORS and not _HEX.fullmatch(word):
            hint = did_you_mean(word, COLORS) or Told('known here: {names}, or as `"#aabbcc"`', names=quoted(COLORS))
            self.report("PW306", "`{word}` is no color", feature.span, hint, word=word)
        return COLORS.get(word, word if _HEX.fullmatch(word) else COLORS["gray"])

    def label(self, words: Words, feature: Feature) -> str:
        """What is written for a member."""
        if len(words) > 1:
            self.report("PW306", "a label has one text", feature.span, None)
        return self.sign(words[0], feature, None)

    def sign(self, text: str, feature: Feature, help_line: str | None) -> str:
        """A few letters, `?` if they are none."""
        if len(text) <= _SIGN and text.strip():
            return text
        self.report("PW306", "`{text}` is no sign of at most {most} letters", feature.span, help_line, text=text[:20], most=_SIGN)  # fmt: skip
        return "?"

    def figure(self, words: Words, feature: Feature) -> Words:
        """A sign and paths, the wrong ones left out."""
        if words:
            words = (self.sign(words[0], feature, "what a terminal writes comes before the paths"), *words[1:])
        good = [w for w in words[1:] if len(w) <= _LONGEST and _PATH.fullmatch(w)]
        for path in words[1:]:
            if path not in good:
                help_line = "commands as in the paths of SVG, from (0, 0) to (100, 100), at most {most} characters"
                self.report("PW306", "`{path}` is no path", feature.span, help_line, most=_LONGEST, path=path[:40])
        return (*words[:1], *good)

    def cells(self, text: str, zone: ZoneModel, feature: Feature) -> Iterable[Cell]:
        for name in text.split():
            cell = zone.cell_named(name) if zone.names_cells else _counted(name)
            if cell is None or not zone.grid.has(cell):
                hint = None if zone.names_cells else Told("cells are written as column and row: `0,3`")
                self.report("PW201", "{name} has no cell {cell}", feature.span, hint, name=f"`{zone.name}`", cell=f"`{name}`")  # fmt: skip
            else:
                yield cell

    def zone_named(self, feature: Feature) -> str:
        """The other zone that a feature names, "" if there is none."""
        assert feature.zone is not None
        name = feature.zone.name
        if name in self.zones:
            return name
        self.report("PW201", "there is no {what} {name}", feature.zone.span, did_you_mean(name, self.zones), what=Told("zone"), name=f"`{name}`")  # fmt: skip
        return ""

    def host(self, zone: ZoneModel, feature: Feature) -> str:
        """The zone on whose board another lies."""
        name = self.zone_named(feature)
        host = self.zones.get(name, zone)
        if name and (
            host is zone or (host.kind, host.grid, host.dimensions) != (zone.kind, zone.grid, zone.dimensions)
        ):
            message = "`{zone}` and `{name}` are not grids with the same cells"
            self.report("PW301", message, feature.span, None, zone=zone.name, name=name)
            return ""
        return name

    def sides(self, zone: ZoneModel, feature: Feature) -> dict[int, str]:
        """The sides of a board at which a zone stands, by seat (-1: all)."""
        host = self.zones.get(self.zone_named(feature))
        if host is None:
            return {}
        of_seats = not host.dimensions and [kind for kind, _ in zone.dimensions] == ["player"]
        if host.kind != "grid" or host.floating or zone.kind == "grid":
            message = "only what is no grid stands beside a grid that does not grow"
            self.report("PW301", message, feature.span, None)
        elif feature.cases and not of_seats:
            message = "`{zone}` is not one for each player, beside a board for all"
            self.report("PW301", message, feature.span, None, zone=zone.name)
        elif not of_seats and zone.dimensions != host.dimensions:
            message = "there are other numbers of `{zone}` and of `{name}`"
            self.report("PW301", message, feature.span, None, zone=zone.name, name=host.name)
        else:
            return self.by_seat(feature)
        return {}

    def by_seat(self, feature: Feature) -> dict[int, str]:
        found: dict[int, str] = {}
        for name, (side,) in feature.cases or ((feature.name, feature.words),):
            seat = int(name.name) - 1 if feature.cases else -1
            if side not in SIDES:
                hint = did_you_mean(side, SIDES) or Told("known here: {names}", names=quoted(SIDES))
                self.report("PW306", "`{side}` is no side", name.span, hint, side=side)
            elif seat in found:
                self.report("PW202", "`{name}` is said twice", name.span, None, name=f"seat {name.name}")
            elif seat >= self.players or (feature.cases and seat < 0):
                message = "there is no seat {number}, the game is for at most {players} players"
                self.report("PW306", message, name.span, None, number=name.name, players=self.players)
            else:
                found[seat] = side
        return found


def member_name(value: object) -> str:
    """How a value of an attribute is written in a look."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _counted(name: str) -> Cell | None:
    column, comma, row = name.partition(",")
    return (int(column), int(row)) if comma and column.isdigit() and row.isdigit() else None


def _shape(name: str, feature: Feature) -> str | None:
    """What has to follow a feature and does not; None if all is well."""
    if name in ("color", "figure"):
        return None if feature.by is not None or feature.words else Told("words, or by `by` and an attribute")
    if name == "label":
        return None if feature.by is not None else Told("`by` and an attribute")
    if feature.by is not None:
        return Told("no attribute")
    if name == "beside":
        return None if feature.zone is not None else Told("a zone and its side")
    if name in ("stars", "joined", *SIDES):
        return None if feature.words else Told("words in quotation marks")
    return Told("nothing") if feature.words else None
