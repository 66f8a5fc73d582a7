"""`pwtool new`: commented rules files to start from. They pass `pwtool test` as written."""

from __future__ import annotations

import re
from pathlib import Path

from pwtool.cli.common import fail, keep_apart, make_folder, open_book, open_store, write_file
from pwtool.cli.streams import note, print_data
from pwtool.ir.model import AttributeModel, ComponentModel, RuleModel, Ruleset
from pwtool.lang.mistakes.stuck import NAME_HELP
from pwtool.records.ruleset_store import Rulebook
from pwtool.text.store import STANDARD
from pwtool.text.terminal import dump_json, escape
from pwtool.text.words import one_line

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,40}")

_GAME = """\
# {title}: a first version to change. `pwtool test {path}` runs the examples below,
# `pwtool play {path} --seed 1` plays a random game. docs/language.md is the reference.
game {name} "{title}"
players 2..4

# ---- what the game is made of ----------------------------------------------------------------------------------------

# Each card has a color and a value; its code is put together from both: R3 is the red 3.
component card {{
  color: red "R" | blue "B"
  value: 1..6
}}
deck cards of card = {{ R1 R2 R3 R4 R5 R6  B1 B2 B3 B4 B5 B6 }}

# Where cards lie. A hand is seen by its owner only, the stack by all.
zone hand: bag of card per player seen by owner
zone stack: pile of card

setup {{
  deal hand "Everybody receives three cards": 3 each of cards to hand by chance
}}

# ---- what players do -------------------------------------------------------------------------------------------------

# In a turn one either plays a card or passes.
turn = play | pass

var passes: 0..99 = 0 per game

action play "Play a card" (card: card from hand "The card comes from the hand") {{
  rule higher "A card is higher than the one on the stack"
    when stack is not empty
    require card.value > (top of stack).value
  move card to stack
  passes = 0
}}

action pass "Pass" () {{
  passes += 1
}}

# ---- the end and the score -------------------------------------------------------------------------------------------

ending all_pass "Everybody passed in a row" when passes == count players then stop
ending empty "A hand is empty"              when hand is empty           then stop

score cards "Cards left in hand" = - count hand
ranking most total, shared

# ---- examples: run by `pwtool test` ----------------------------------------------------------------------------------

example play.higher {{
  given stack = {{ R3 }}
  given hand = {{ B2 B4 }}
  yes play(B4)
  no  play(B2)
}}
example all_pass {{
  given hand = {{ R1 }}
  given passes = 2
  yes
}}
example all_pass {{
  given hand = {{ R1 }}
  given passes = 1
  no
}}
example empty {{
  yes
}}
example empty {{
  given hand = {{ R1 }}
  no
}}
example score {{
  given hand = {{ R1 B6 }}
  then cards = -2
}}
"""

_EDITION = """\
# {title}: what differs from {base}. Everything else stays as it is there.
# `pwtool test {path}` runs the examples, `pwtool check RECORD --rules {path}` judges by these rules.
edition {name} of {base} "{title}"

# A change writes one item anew and may say why. Take the `#` away and edit:
#
{rule}
#   because "why we play it so"
#
# What the base does not have is declared; what it should not have is removed:
#
{declared}# remove {removed}
#   because "why"
#
# Examples show what a change means, and are run as tests:
#
# example {example} {{
#   given ...
#   yes ...
#   no  ...
# }}
"""

_OBJECTIVE = """\
# {title}: an objective of your own. Edit the line that begins with `objective`, then its examples.
# `pwtool test {path}` runs them. docs/language.md, "Shapes and objectives", shows everything a condition can say.
edition {name}_edition of {base} "{base_title}, with {title}"

objective {name} "{title}" = some [ # # ] turned: same {attribute}

# Boards that fulfil it, and boards that do not; `.` is an empty cell, `/` begins a new row.
example {name} {{
  yes [ {same[0]} {same[1]} ]
  yes [ {same[0]} / {same[1]} ]
  no  [ {other[0]} {other[1]} ]
  no  [ {same[0]} . / . {same[1]} ]
}}
"""


def run_new(kind: str, name: str, base: str | None, output: Path | None, force: bool, as_json: bool = False) -> int:
    """Write a file to start from; exit code 2 if the base cannot be loaded."""
    from pwtool.lang.parser import keywords

    if not _NAME.fullmatch(name):
        fail(f"`{name[:40]}` is not a name", f"{NAME_HELP}, and begin with a letter")
    if name in keywords():
        fail(f"`{name}` is a word of the language", "choose another name")
    title = name.replace("_", " ").capitalize()
    path = output or (Path(name) / "game.rules" if kind == "game" else Path(f"{name}.rules"))
    if path != STANDARD and path.suffix != ".rules":
        fail(f"`{path}` is not a rules file", "its name has to end in `.rules`")
    if as_json:
        keep_apart(path)
    if kind == "game":
        if base is not None:
            fail("a game stands on nothing", "`--of` is for editions and objectives")
        text = _GAME.format(name=name, title=title, path=escape(path.as_posix()))
    else:
        if base is None:
            fail(f"which ruleset is the {kind} for?", "name it: `--of GAME/EDITION`, `pwtool rules` lists all")
        if base.endswith(".rules"):
            fail("a rules file stands on a ruleset of the library, not on another file", "`pwtool rules` lists all")
        begun = _edition if kind == "edition" else _objective
        text = begun(open_book(base, open_store(), quiet=True), name, title, base, path)
    if path.parent != Path():
        make_folder(path.parent)
    write_file(path, text, force)
    if as_json:
        print_data(dump_json({"kind": kind, "name": name, "files": [path.as_posix()]}, indent=2) + "\n")
    elif path != STANDARD:
        note(f"{path.as_posix()} is written", f"next: edit it, then `pwtool test {path.as_posix()}`")
    return 0


def _edition(book: Rulebook, name: str, title: str, base: str, path: Path) -> str:
    ruleset = book.game.ruleset
    rules = _rules(ruleset)
    rule = (
        [f'# change rule {rules[0].id} "{rules[0].text}"', *_commented(rules[0])]
        if rules
        else ["# change ranking most total, shared"]
    )
    removed = f"rule {rules[-1].id}" if rules else "ranking"
    declared = ""
    if ruleset.board is not None and ruleset.goal_zone:
        shared = _pairs(ruleset, ruleset.components[ruleset.board.element.component])[0].name
        declared = f'# objective pair "Two side by side with one {shared}" = some [ # # ] turned: same {shared}\n#\n'
    return _EDITION.format(
        name=name, title=title, base=base, path=escape(path.as_posix()), rule="\n".join(rule), removed=removed, declared=declared,
        example=rules[0].id if rules else "score",
    )  # fmt: skip


def _rules(ruleset: Ruleset) -> list[RuleModel]:
    return [*ruleset.turn_rules, *(rule for action in ruleset.actions.values() for rule in action.rules)]


def _commented(rule: RuleModel) -> list[str]:
    words = [("when", rule.when), ("require", rule.require)]
    return [f"#   {word} {one_line(x.span.text)}" for word, x in words if x is not None and x.span is not None]


def _objective(book: Rulebook, name: str, title: str, base: str, path: Path) -> str:
    ruleset = book.game.ruleset
    board = ruleset.board
    if board is None or not ruleset.goal_zone:
        fail(f"`{base}` has no objectives", "a game with objectives chooses them in its setup")
    if name in ruleset.objectives:
        fail(f"`{base}` already has an objective `{name}`", "choose another name")
    component = ruleset.components[board.element.component]
    attribute, same, other = _pairs(ruleset, component)
    return _OBJECTIVE.format(
        name=name, title=title, base=base, base_title=ruleset.title, path=escape(path.as_posix()), attribute=attribute.name, same=same, other=other
    )  # fmt: skip


def _pairs(ruleset: Ruleset, component: ComponentModel) -> tuple[AttributeModel, tuple[str, str], tuple[str, str]]:
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
