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

_SHORT = {"-r": "--rules", "-f": "--format", "-o": "--output", "-j": "--jobs", "-q": "--quiet"}
_REPEATED = ("--rules", "--reading", "--report", "--rules-from")
_SINGLE = ("--format", "--lang", "--baseline", "--write-baseline", "--output", "--results", "--explain")
_FLAGS = ("--all", "--quiet", "--as-printed", "--force", "--no-config", "--statistics", "--resume")
_SWITCHES = ("--kernel", "--no-kernel", "--causes", "--no-causes")


def parse_check(words: Sequence[str]) -> dict[str, Any] | None:
    """The arguments of `run_check` for a command line; None if it is not a plain one."""
    if words[:1] != ["check"]:
        return None
    found: dict[str, Any] = {"files": []}
    at, as_json = 1, False
    while at < len(words):
        word = words[at]
        at += 1
        if word == "-" or not word.startswith("-"):
            found["files"].append(word)
            continue
        written, equals, value = word.partition("=")
        name = _SHORT.get(written, written)
        if name in _FLAGS and not equals:
            found[_field(name)] = True
        elif name in _SWITCHES and not equals:
            found[name.removeprefix("--no-").removeprefix("--")] = not name.startswith("--no-")
        elif word == "--json":
            as_json = True
        elif name == "--color" and (equals or at < len(words)):
            if not equals:
                value, at = words[at], at + 1
            if value not in get_args(When):
                return None
            found["color"] = value
        elif name in (*_REPEATED, *_SINGLE, "--jobs") and (equals == "" or written.startswith("--")):
            if not equals:
                if at == len(words):
                    return None
                value = words[at]
                at += 1
            if name in _REPEATED:
                found.setdefault(_field(name), []).append(value)
            elif name in _SINGLE:
                found[_field(name)] = value
            elif value.isascii() and value.isdigit() and len(value) < 10:
                found["jobs"] = int(value)
            else:
                return None
        else:
            return None
    form = found.get("format")
    if "output" in found and form is None and not as_json:
        # The name of the file may tell the format.
        return None
    if as_json and form in (None, "json"):
        found["format"] = form = "json"
    elif as_json:
        return None
    return found if found["files"] and (form is None or form in FORMATS) else None


def _field(option: str) -> str:
    """The name of an option's value in a request."""
    return "all_" if option == "--all" else option.removeprefix("--").replace("-", "_")


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
