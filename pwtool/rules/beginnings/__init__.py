"""Rules to begin with: small whole games, and an objective with its examples. They pass their tests as they are."""

from __future__ import annotations

from pathlib import Path

from pwtool.ir.model import AttributeModel, ComponentModel, Ruleset
from pwtool.text.speech import Told
from pwtool.text.words import in_quotes

GAMES = {"game": "cards", "board-game": "board", "die-game": "die"}
"""The kinds of games to begin with, and the file of each beside this module."""
_NAMED = 'game first "First"'

_OBJECTIVE = """\
edition {name}_edition of {base} {edition_title}

objective {name} "{title}" = some [ # # ] turned: same {attribute}

# Boards that fulfil it, and boards that do not; `.` is an empty cell, `/` begins a new row.
example {name} {{
  yes [ {same[0]} {same[1]} ]
  yes [ {same[0]} / {same[1]} ]
  no  [ {other[0]} {other[1]} ]
  no  [ {same[0]} . / . {same[1]} ]
}}
"""


class NoBeginning(Exception):
    """There can be no such beginning: why, and what to do."""

    def __init__(self, message: str, help: str) -> None:
        super().__init__(message)
        self.message, self.help = message, help


def begin_game(kind: str, name: str, title: str) -> str:
    """The rules of a small game of a kind of `GAMES`."""
    text = Path(__file__).with_name(f"{GAMES[kind]}.rules").read_text("utf-8")
    return text.replace(_NAMED, f'game {name} "{title}"', 1)


def begin_objective(ruleset: Ruleset, name: str, title: str, base: str) -> str:
    """An edition of a ruleset with an objective of its own. Raises `NoBeginning` if it has none, or one of this name."""
    board = ruleset.board
    if board is None or not ruleset.goal_zone:
        raise NoBeginning(
            Told("{base} has no objectives", base=f"`{base}`"), Told("a game with objectives chooses them in its setup")
        )
    if name in ruleset.objectives:
        raise NoBeginning(
            Told("{base} already has an objective {name}", base=f"`{base}`", name=f"`{name}`"),
            Told("choose another name"),
        )
    component = ruleset.components[board.element.component]
    attribute, same, other = pair_of(ruleset, component)
    return _OBJECTIVE.format(
        name=name,
        title=title,
        base=base,
        edition_title=in_quotes(f"{ruleset.title}, with {title}"),
        attribute=attribute.name,
        same=same,
        other=other,
    )


def pair_of(ruleset: Ruleset, component: ComponentModel) -> tuple[AttributeModel, tuple[str, str], tuple[str, str]]:
    """An attribute, two faces of the decks that share it and two that do not (if there are any)."""
    dealt = {
        f for d in ruleset.decks.values() if d.component == component.name for faces, _ in d.parts for f, _ in faces
    }
    attribute = sorted(component.attributes.values(), key=lambda a: a.type.kind != "member")[0]
    faces = sorted(dealt) or list(range(len(component.codes)))
    codes, value = component.codes, attribute.table[faces[0]]
    alike = [codes[f] for f in faces if attribute.table[f] == value]
    unlike = [codes[f] for f in faces if attribute.table[f] != value]
    return attribute, (alike[0], alike[-1]), (alike[0], unlike[0] if unlike else alike[0])
