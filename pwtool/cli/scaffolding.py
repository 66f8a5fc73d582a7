"""`pwtool new`: commented rules files to start from. They pass `pwtool test` as written."""

from __future__ import annotations

import re
from pathlib import Path

from pwtool.cli.common import fail, keep_apart, make_folder, open_book, open_store, write_file
from pwtool.cli.streams import note, print_data
from pwtool.ir.model import RuleModel, Ruleset
from pwtool.lang.mistakes.stuck import NAME_HELP
from pwtool.rules.beginnings import GAMES, NoBeginning, begin_game, begin_objective, pair_of
from pwtool.text.store import STANDARD
from pwtool.text.terminal import dump_json, escape
from pwtool.text.words import in_quotes, one_line

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,40}")

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

_HEADS = {
    "game": """\
# {title}: a first version to change. `pwtool test {path}` runs the examples below,
# `pwtool play {path} --seed 1` plays a random game. docs/language.md is the reference.
""",
    "objective": """\
# {title}: an objective of your own. Edit the line that begins with `objective`, then its examples.
# `pwtool test {path}` runs them. docs/language.md, "Shapes and objectives", shows everything a condition can say.
""",
}
"""What stands before a game, and before an objective."""


def run_new(kind: str, name: str, base: str | None, output: Path | None, force: bool, as_json: bool = False) -> int:
    """Write a file to start from; exit code 2 if the base cannot be loaded."""
    from pwtool.lang.parser import keywords

    if not _NAME.fullmatch(name):
        fail(f"`{name[:40]}` is not a name", f"{NAME_HELP}, and begin with a letter")
    if name in keywords():
        fail(f"`{name}` is a word of the language", "choose another name")
    title = name.replace("_", " ").capitalize()
    path = output or (Path(name) / "game.rules" if kind in GAMES else Path(f"{name}.rules"))
    if path != STANDARD and path.suffix != ".rules":
        fail(f"`{path}` is not a rules file", "its name has to end in `.rules`")
    if as_json:
        keep_apart(path)
    shown = escape(path.as_posix())
    if kind in GAMES:
        if base is not None:
            fail("a game stands on nothing", "`--of` is for editions and objectives")
        text = _HEADS["game"].format(title=title, path=shown) + begin_game(kind, name, title)
    else:
        if base is None:
            fail(f"which ruleset is the {kind} for?", "name it: `--of GAME/EDITION`, `pwtool rules` lists all")
        if base.endswith(".rules"):
            fail("a rules file stands on a ruleset of the library, not on another file", "`pwtool rules` lists all")
        ruleset = open_book(base, open_store(), quiet=True).game.ruleset
        if kind == "edition":
            text = _edition(ruleset, name, title, base, shown)
        else:
            try:
                text = _HEADS["objective"].format(title=title, path=shown) + begin_objective(ruleset, name, title, base)
            except NoBeginning as reason:
                fail(reason.message, reason.help)
    if path.parent != Path():
        make_folder(path.parent)
    write_file(path, text, force)
    if as_json:
        print_data(dump_json({"kind": kind, "name": name, "files": [path.as_posix()]}, indent=2) + "\n")
    elif path != STANDARD:
        note(f"{path.as_posix()} is written", f"next: edit it, then `pwtool test {path.as_posix()}`")
    return 0


def _edition(ruleset: Ruleset, name: str, title: str, base: str, path: str) -> str:
    rules = _rules(ruleset)
    rule = (
        [f"# change rule {rules[0].id} {in_quotes(rules[0].text)}", *_commented(rules[0])]
        if rules
        else ["# change ranking most total, shared"]
    )
    removed = f"rule {rules[-1].id}" if rules else "ranking"
    declared = ""
    if ruleset.board is not None and ruleset.goal_zone:
        shared = pair_of(ruleset, ruleset.components[ruleset.board.element.component])[0].name
        declared = f'# objective pair "Two side by side with one {shared}" = some [ # # ] turned: same {shared}\n#\n'
    return _EDITION.format(
        name=name, title=title, base=base, path=path, rule="\n".join(rule), removed=removed, declared=declared,
        example=rules[0].id if rules else "score",
    )  # fmt: skip


def _rules(ruleset: Ruleset) -> list[RuleModel]:
    return [*ruleset.turn_rules, *(rule for action in ruleset.actions.values() for rule in action.rules)]


def _commented(rule: RuleModel) -> list[str]:
    words = [("when", rule.when), ("require", rule.require)]
    return [f"#   {word} {one_line(x.span.text)}" for word, x in words if x is not None and x.span is not None]
