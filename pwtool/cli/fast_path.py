"""`pwtool check` with its usual options, without the library that parses command lines.

Importing that library takes as long as judging a game. Anything unusual (help, an unknown option, a missing value) is
left to it; it also reports errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from pwtool.cli.output_settings import When, output_settings
from pwtool.cli.start import guarded
from pwtool.show import FORMATS

_VALUES = {
    "--rules": "addresses",
    "-r": "addresses",
    "--reading": "readings",
    "--report": "reports",
    "--rules-from": "rules_from",
}
_SINGLE = {
    "--format": "form",
    "-f": "form",
    "--lang": "lang",
    "--baseline": "baseline",
    "--write-baseline": "write_baseline",
    "--output": "output",
    "-o": "output",
    "--results": "results",
    "--explain": "explain",
}
_NUMBERS = {"--jobs": "jobs", "-j": "jobs"}
_FLAGS = {
    "--all": "show_all",
    "--quiet": "quiet",
    "-q": "quiet",
    "--as-printed": "as_printed",
    "--force": "force",
    "--no-config": "no_config",
    "--statistics": "statistics",
    "--resume": "resume",
}
_SWITCHES = {
    "--kernel": ("kernel", True),
    "--no-kernel": ("kernel", False),
    "--causes": ("causes", True),
    "--no-causes": ("causes", False),
}


def parse_check(words: Sequence[str]) -> dict[str, Any] | None:
    """The arguments of `run_check` for a command line; None if it is not a plain one."""
    if words[:1] != ["check"]:
        return None
    found: dict[str, Any] = {"files": [], "addresses": [], "readings": [], "reports": [], "rules_from": []}
    at, as_json = 1, False
    while at < len(words):
        word = words[at]
        at += 1
        if word == "-" or not word.startswith("-"):
            found["files"].append(word)
            continue
        name, equals, value = word.partition("=")
        if name in _FLAGS and not equals:
            found[_FLAGS[name]] = True
        elif name in _SWITCHES and not equals:
            option, is_on = _SWITCHES[name]
            found[option] = is_on
        elif word == "--json":
            as_json = True
        elif name == "--color" and (equals or at < len(words)):
            if not equals:
                value, at = words[at], at + 1
            if value not in get_args(When):
                return None
            found["color"] = value
        elif (name in _VALUES or name in _SINGLE or name in _NUMBERS) and (equals == "" or name.startswith("--")):
            if not equals:
                if at == len(words):
                    return None
                value = words[at]
                at += 1
            if name in _VALUES:
                found[_VALUES[name]].append(value)
            elif name in _NUMBERS:
                if not (value.isascii() and value.isdigit() and len(value) < 10):
                    return None
                found[_NUMBERS[name]] = int(value)
            else:
                found[_SINGLE[name]] = value
        else:
            return None
    form = found.get("form")
    if "output" in found and form is None and not as_json:
        # The name of the file may tell the format.
        return None
    if as_json and form in (None, "json"):
        found["form"] = form = "json"
    elif as_json:
        return None
    return found if found["files"] and (form is None or form in FORMATS) else None


def run_plain(words: Sequence[str]) -> int | None:
    """Run the check and return its exit code; None if the command line is not a plain one."""
    arguments = parse_check(words)
    if arguments is None:
        return None
    from pwtool.cli.check import run_check
    from pwtool.cli.check_request import Request

    color, quiet = arguments.pop("color", "auto"), arguments.pop("quiet", False)
    request = Request(**arguments)

    def command() -> int:
        output_settings.color, output_settings.quiet = color, quiet
        return run_check(request)

    return guarded(command)
