"""What a page needs to play on from any position: the ruleset's kernel, and where the things of the table lie in its memory."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Sequence
from typing import Any

from pwtool.ir.model import ActionModel, ParameterModel, VariableModel, ZoneModel
from pwtool.ir.types import Type
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.layout import GridPlace, Layout, PilePlace
from pwtool.kernel.module import load_kernel
from pwtool.play.record import Record
from pwtool.records.encoding import encode_record
from pwtool.records.ruleset_store import Rulebook
from pwtool.show.html.playing.table import Table
from pwtool.show.html.playing.watching import END, Moment, Watched
from pwtool.show.svg.grounds import body_on
from pwtool.show.svg.places import Place, letter


def can_go_on(record: Record) -> bool:
    """Whether a kernel reads a record: nothing in it is unseen, and no name has to be escaped in JSON."""
    return not record.has_unseen and all(json.dumps(name, ensure_ascii=False) == f'"{name}"' for name in record.players)


def share_kernel(book: Rulebook, kernels: dict[str, str]) -> str:
    """Put the kernel of a ruleset among those of a page, compressed, in letters: its name, "" if there is none. Equal kernels are one."""
    try:
        wasm = book.wasm or load_kernel(book.game.ruleset, book.cache).wasm
    except Uncompilable:
        return ""
    name = f"kernel-{hashlib.sha256(wasm).hexdigest()[:16]}"
    if name not in kernels:
        # The highest level takes three times as long for one percent less.
        kernels[name] = base64.b64encode(gzip.compress(wasm, 7, mtime=0)).decode()
    return name


def kernel_file(name: str, text: str) -> str:
    """The file of a kernel that lies beside pages: a script, because a page that is opened from a folder can read nothing else."""
    return f'(window.pwtoolKernels = window.pwtoolKernels || {{}})["{name}"] = "{text}";\n'


def branching_data(watched: Watched, table: Table, moments: Sequence[Moment], kernel: str) -> dict[str, Any]:
    """The record, where each moment is in it, the name of the kernel, and what the words of the kernel mean."""
    record = watched.record
    data = encode_record(watched.book.game, record)
    data.pop("result", None)
    steps = [_step(watched, moment) for moment in moments]
    return {"record": data, "steps": steps, "kernel": kernel, **_Meanings(table, len(record.players)).data()}


def _step(watched: Watched, moment: Moment) -> tuple[int, int]:
    """How many turns, and how many actions of the next one, come before a moment. The last turn is still under way if nothing in the
    record says that it ended.
    """
    turns = watched.record.turns
    if moment.move is not None and moment.turn < len(turns):
        number = next((n for n, move in enumerate(turns[moment.turn].moves) if move is moment.move), 0)
        return moment.turn, number
    if moment.kind == END and turns and not moment.play.over:
        known = list(watched.book.game.ruleset.consequences.values())
        moves = turns[moment.turn].moves
        if not any(m.consequence and not known[m.number].each_action for m in moves):
            return moment.turn, len(moves)
    return min(moment.turn + 1, len(turns)), 0


class _Meanings:
    """The places of the table in the memory of a kernel, and what the words of actions mean."""

    def __init__(self, table: Table, players: int) -> None:
        self.table, self.players = table, players
        self.ruleset = table.game.ruleset
        self.layout = Layout(self.ruleset)

    def data(self) -> dict[str, Any]:
        components = sorted({z.element.component for z in self.ruleset.zones.values() if z.element.kind == "face"})
        return {
            "places": [self._place(place) for place in self.table.places],
            "tokens": [[self.layout.tokens[t.number], self._hosts(t.zone)] for t in self.ruleset.tokens.values()],
            "letters": [letter(t) for t in self.ruleset.tokens.values()],
            "faces": {name: self._faces(name) for name in components},
            "coins": self._coins(),
            "codes": {name: list(c.codes) for name, c in self.ruleset.components.items()},
            "actions": [self._action(action) for action in self.ruleset.actions.values()],
            "members": [[name, self.table.moves.voice.member(self.ruleset, name) or name] for name in self.layout.members],
            "goals": [[name, self.table.moves.goal(name)] for name in self.table.moves.goals],
        }  # fmt: skip

    def _hosts(self, zone: int) -> list[int]:
        """The places of the grids that a token can lie on, by seat."""
        return [n for n, place in enumerate(self.table.places) if place.zone is not None and place.zone.number == zone]

    # ---- the table

    def _place(self, place: Place) -> dict[str, Any]:
        if place.zone is None:
            assert place.variable is not None
            return self._variable(place.variable, place.owner)
        laid = self.layout.zones[place.zone.number]
        found: dict[str, Any] = {"a": laid.address + self._offset(place.zone, laid, place.index)}
        if place.zone.element.kind == "face":
            found["c"] = place.zone.element.component
        if isinstance(laid, GridPlace):
            found |= {"n": laid.slots, "p": laid.piles, "z": laid.pile_size, "w": place.zone.width}
            if place.zone.floating:
                found |= {"f": laid.cells, "u": GridPlace.USED, "o": GridPlace.ORDER}
        return found

    def _offset(self, zone: ZoneModel, laid: PilePlace, index: int) -> int:
        """How far one zone of its name is from the first, in bytes."""
        known = {"player": self.players, "goal": len(self.table.moves.goals)}
        sizes = [known.get(name, size) for name, size in zone.dimensions]
        offset = 0
        for size, stride in zip(reversed(sizes), reversed(laid.strides), strict=True):
            index, at = divmod(index, size)
            offset += at * stride
        return offset

    def _variable(self, variable: VariableModel, owner: int) -> dict[str, Any]:
        address = self.layout.variables[variable.number] + 4 * max(owner, 0)
        die = self.table.looks.variables.get(variable.name) == "die"
        shown = [self.table.pictures.die(value) for value in range(variable.type.high + 1)] if die else None
        return {"a": address, "v": self._type(variable.type), **({"die": shown} if shown else {})}

    def _faces(self, component: str) -> list[Any]:
        """The picture of each face; a list by the height of its pile where that matters, and of other bodies."""
        zones = [
            z for z in self.ruleset.zones.values() if z.element.kind == "face" and z.element.component == component
        ]
        look = self.table.looks.component(component)
        # The picture of a heap says how many there are, whatever can lie there.
        most = max(self.layout.capacity(z) for z in zones) if look.counted else 1
        heights = range(1, 1 + most)
        inside = {body_on(self.table.looks.zone(z), (1, 1)) for z in zones if z.kind == "grid"} - {""}
        found = []
        for face in range(len(self.ruleset.components[component].codes)):
            shown = [self.table.picture(zones[0], face, height) for height in heights]
            found.append([shown, *(self.table.picture(zones[0], face, 1, body) for body in sorted(inside))])
        return found

    def _coins(self) -> dict[int, int]:
        """The pictures of the numbers that lie in zones."""
        numbers = [z for z in self.ruleset.zones.values() if z.element.kind != "face"]
        return {n: self.table.picture(z, n) for z in numbers for n in range(z.element.low, z.element.high + 1)}

    # ---- actions

    def _action(self, action: ActionModel) -> dict[str, Any]:
        moves = self.table.moves
        return {
            "name": action.name,
            "title": moves.title(action),
            "of": [self._parameter(p) for p in action.parameters],
        }

    def _parameter(self, parameter: ParameterModel) -> dict[str, Any]:
        kind = parameter.kind if parameter.kind in ("tops", "derived") else "list" if parameter.listed else ""
        found: dict[str, Any] = {"n": parameter.name, "t": self._type(parameter.type), "k": kind}
        if parameter.each:
            found["each"] = 1
        if parameter.chance or parameter.kind == "order":
            found["by"] = 1
        if parameter.zone >= 0:
            found["z"] = self._hosts(parameter.zone)
        return found

    def _is_board(self, place: Place, kind: Type) -> bool:
        """Whether a cell of this type can be on the board of a place."""
        zone = place.zone
        if zone is None or zone.kind != "grid" or self.table.looks.zone(zone).on:
            return False
        return kind.grid in (None, zone.grid)

    def _type(self, kind: Type) -> dict[str, Any]:
        """What a word of a type is."""
        element = kind.element or kind
        found: dict[str, Any] = {"k": element.kind}
        if kind.is_collection:
            found["many"] = 1
        if element.kind == "face":
            found["c"] = element.component
        if element.kind == "cell":
            found["g"] = [n for n, place in enumerate(self.table.places) if self._is_board(place, element)]
        if element.kind == "int":
            found |= {"lo": element.low, "hi": element.high}
        if element.kind == "member" and (owner := self.ruleset.components.get(element.component)) is not None:
            values = dict.fromkeys(owner.attributes[element.attribute].table)
            found["of"] = [self.layout.members[value] for value in values]
        return found
