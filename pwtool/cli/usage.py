"""Mistakes in a command line, told as other findings are: in the reader's language, with what may be meant."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

from pwtool.cli.common import complain_of
from pwtool.cli.streams import complain
from pwtool.text import did_you_mean
from pwtool.text.speech import Told, mark
from pwtool.text.words import one_line, quoted, shorten

_ELSEWHERE = {
    "init": mark("`pwtool new game NAME` begins a game, `pwtool new edition NAME --of GAME` house rules; records need nothing"),
    "validate": mark("`pwtool check FILE` checks records, `pwtool lint FILE` rules"),
    "verify": mark("`pwtool check FILE` checks records, `pwtool lint FILE` rules"),
    "format": mark("`pwtool fmt FILE` formats rules files"),
    "diff": mark("`pwtool compare FIRST SECOND` shows how rulesets differ"),
    "show": mark("`pwtool rules ADDRESS` shows a ruleset, `pwtool replay FILE` a recorded game"),
    "list": mark("`pwtool rules` lists all rulesets"),
    "run": mark("`pwtool play RULESET` plays a game, `pwtool test FILE` runs the examples of rules"),
    "serve": mark("`pwtool studio` opens rules in the browser"),
}  # fmt: skip
"""Words that other programs use, and what does here what they may mean."""
_COMMAND = re.compile(r"No such command '([^']*)'")
_CHOICES = re.compile(r"'([^']*)' is not one of (.*)", re.DOTALL)
_MORE = re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", re.DOTALL)
_OPTION = re.compile(r"Option '([^']*)' ")
_QUOTED = re.compile(r"'([^']*)'")


def complain_of_usage(error: Any) -> None:
    """Report an error in the command line, which the library has its own words for."""
    context, said = getattr(error, "ctx", None), error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":
        # A command without required words shows its help.
        complain(*said.splitlines())
        return
    message, hints = _told(error, context, said)
    if context is not None and context.parent is not None:
        hints.append(Told("`{command} --help` shows how it is used", command=context.command_path))
    complain_of(message, *hints)


def _told(error: Any, context: Any, said: str) -> tuple[str, list[str]]:
    """What is wrong, and what a user may have meant."""
    kind, parameter = type(error).__name__, getattr(error, "param", None)
    if kind == "NoSuchOption":
        name = error.option_name
        known = [] if context is None else [name for p in context.command.params for name in p.opts if name[:2] == "--"]
        return Told("there is no option {name}", name=_quoted(name)), _meant(name, known)
    if unknown := _COMMAND.match(said):
        name = unknown[1]
        known = [] if context is None else list(context.command.list_commands(context))
        elsewhere = _ELSEWHERE.get(name)
        hints: list[str] = _meant(name, known) if elsewhere is None else [Told(elsewhere)]
        return Told("there is no command {name}", name=_quoted(name)), hints
    if kind == "MissingParameter" and parameter is not None:
        return Told("{name} is missing", name=_quoted(_name(parameter))), list(_examples(parameter, context))
    if kind == "BadParameter" and parameter is not None:
        return _unfit(parameter, said)
    if more := _MORE.match(said):
        return Told("these are more words than the command takes: {words}", words=_quoted(more[1])), []
    if option := _OPTION.match(said):
        takes = "does not take" not in said
        message = mark("{name} needs a value") if takes else mark("{name} takes no value")
        return Told(message, name=_quoted(option[1])), []
    return one_line(said), []


def _unfit(parameter: Any, said: str) -> tuple[str, list[str]]:
    """A value that an option or argument does not take."""
    name = _quoted(_name(parameter))
    if given := _CHOICES.search(said):
        choices = _QUOTED.findall(given[2]) or [word.strip(" .") for word in given[2].split(",")]
        hint = did_you_mean(given[1], choices) or Told("known here: {names}", names=quoted(choices))
        return Told("{name} cannot be {value}", name=name, value=_quoted(given[1])), [hint]
    kind = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
    known = f"{kind} {getattr(getattr(parameter, 'type', None), 'name', '')}"
    if "int" not in known and "float" not in known:
        return one_line(said), []
    low, high = _limit(parameter, "min"), _limit(parameter, "max")
    whole = "int" in known
    if low is None and high is None:
        return Told("{name} is a whole number" if whole else "{name} is a number", name=name), []
    if high is None:
        least = (
            mark("{name} is a whole number of at least {low}")
            if whole
            else mark("{name} is a number of at least {low}")
        )
        return Told(least, name=name, low=str(low)), []
    between = (
        mark("{name} is a whole number from {low} to {high}")
        if whole
        else mark("{name} is a number from {low} to {high}")
    )
    return Told(between, name=name, low=str(low or 0), high=str(high)), []


def _limit(parameter: Any, end: str) -> Any:
    """The least or the greatest value. The library keeps it in the parameter or, an older one, in its type."""
    own = getattr(parameter, end, None)
    return getattr(getattr(parameter, "type", None), end, None) if own is None else own


def _name(parameter: Any) -> str:
    """An option as it is written at length, or an argument as the help shows it."""
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return str(parameter.metavar or parameter.name.upper())


def _meant(name: str, known: list[str]) -> list[str]:
    begun = sorted({other for other in known if len(name) > 2 and other.startswith(name)})
    hint = Told("did you mean {name}?", name=quoted(begun)) if begun else did_you_mean(name, known)
    return [] if hint is None else [hint]


def _examples(parameter: Any, context: Any) -> Iterator[str]:
    """A call with what is missing."""
    from pwtool.cli.example_lines import examples

    name = context.command_path.partition(" ")[2]
    found = examples(name)
    if found:
        yield Told("for example {command}", command=f"`{found[0]}`")
    if "standard input" in (getattr(parameter, "help", None) or "") and not sys.stdin.isatty():
        yield Told("{command} reads standard input", command=f"`pwtool {name} -`")


def _quoted(name: str) -> str:
    return f"`{shorten(name, 80)}`"
