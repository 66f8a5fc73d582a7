"""Settings of a project: `[tool.pwtool]` in `pyproject.toml` or `pwtool.toml`, and environment variables.

`pwtool check` reads all of them; `USED_BY` says which other commands read which.

The first folder from here upwards with such a file counts. The command line overrides the environment, and the
environment overrides the file.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, NoReturn

from msgspec import Struct

from pwtool.checking.accepted import Ignore
from pwtool.cli.common import languages, stop
from pwtool.records.json_text import decode_bytes
from pwtool.show import FORMATS
from pwtool.text import CODES, Diagnostic, did_you_mean
from pwtool.text.files import open_regular, strays
from pwtool.text.regex import regex
from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import SPOKEN, Told
from pwtool.text.words import quoted

NAMES = ("pwtool.toml", "pyproject.toml")
MAX_SIZE = 1 << 20
MAX_IGNORES = 1000
MAX_DOTS = 50
"""The number of dots between names in one line: a key of many names takes time that is quadratic in their number."""
_LISTS = ("rules", "readings", "rules-from")
_TEXTS = ("format", "lang", "baseline")
_KEYS = (*_LISTS, *_TEXTS, "ignore")
_JUDGED = ("rules", "reading", "rules_from", "lang")
USED_BY: dict[str, tuple[str, ...]] = {
    "replay": _JUDGED, "legal": _JUDGED, "score": _JUDGED, "render": _JUDGED, "match": _JUDGED, "explain": ("rules", "reading", "lang"),
    "convert": ("rules", "rules_from"), "pack": ("rules", "rules_from"), "which": ("rules_from", "lang"),
    "compare": ("lang",), "analyze": ("lang",), "play": ("lang",), "lint": ("format",),
}  # fmt: skip
"""The options of other commands that settings replace if the command line does not have them."""
_FOLLOWED = Told("settings that are elsewhere are named: `PWTOOL_CONFIG=FILE`; `PWTOOL_CONFIG=` reads none")
_PERHAPS = regex(rb"""(?<![\w-])tool["']?[ \t]*(?:[\]=]|\.[ \t]*["']?pwtool)|\\[uU]""")
"""What is in every TOML file that has a table `tool.pwtool`, however it is written."""
_DIGITS = regex(r"\d[\d_]{4000}")
_CODE = regex(r"PW\d+")
_DOT = regex(r"[\w\"'-][ \t]*\.(?=[ \t]*[\w\"'-])")
_STRING = regex(r"\"[^\"]*\"|'[^']*'")
_TOML_PLACE = regex(r"\(at line (\d+), column (\d+)\)")


class Config(Struct):
    """Settings from the file and the environment; `folder` is what the patterns of ignores are relative to, `places`
    are the places of the ignores.
    """

    rules: list[str] | None = None
    readings: list[str] | None = None
    rules_from: list[str] | None = None
    format: str | None = None
    lang: str | None = None
    baseline: str | None = None
    ignores: tuple[Ignore, ...] = ()
    places: tuple[Span, ...] = ()
    folder: str = "."


def read_config(is_wanted: bool = True) -> Config:
    """Read the settings that apply here; stops the command if they are wrong. Without `is_wanted`, only those of the environment."""
    path = _find() if is_wanted else None
    if path is not None and "PWTOOL_CONFIG" not in os.environ and (why := strays(path, path.parent)) is not None:
        stop([Diagnostic("PW801", why, file=os.path.relpath(path), help=_FOLLOWED)])
    config = Config() if path is None else _File(path).config()
    for key in _LISTS:
        value = os.environ.get(_variable(key))
        if value:
            between = os.pathsep if key == "rules-from" else ","
            _set(config, key, [part.strip() for part in value.split(between) if part.strip()])
    for key in _TEXTS:
        value = os.environ.get(_variable(key))
        if value:
            _set(config, key, value)
    return config


def defaults(command: str) -> dict[str, Any]:
    """The settings for the options of a command other than `check`; of several rulesets, the first one."""
    options = USED_BY.get(command, ())
    config = read_config() if options else Config()
    values = {
        "rules": config.rules[0] if config.rules else None, "reading": config.readings, "rules_from": config.rules_from,
        "lang": config.lang, "format": config.format,
    }  # fmt: skip
    return {option: values[option] for option in options if values[option] is not None}


def _variable(key: str) -> str:
    return "PWTOOL_" + key.upper().replace("-", "_")


def _set(config: Config, key: str, value: list[str] | str) -> None:
    match key:
        case "rules":
            config.rules = list(value)
        case "readings":
            config.readings = list(value)
        case "rules-from":
            config.rules_from = list(value)
        case "format":
            config.format = str(value)
        case "lang":
            config.lang = str(value)
        case _:
            config.baseline = str(value)


def _find() -> Path | None:
    """The file that applies: the one that is named, otherwise the nearest one in this folder or above."""
    named = os.environ.get("PWTOOL_CONFIG")
    if named is not None:
        return Path(named) if named else None
    try:
        here = Path.cwd()
    except OSError:
        return None
    for folder in (here, *here.parents):
        for name in NAMES:
            path = folder / name
            # Settings that cannot be read, such as a link to nowhere, are reported and not passed over.
            if os.path.lexists(path) if name == NAMES[0] else path.is_file() and _speaks_of_us(path):
                return path
    return None


def _speaks_of_us(path: Path) -> bool:
    """Whether a project's file has settings for pwtool; it is only parsed if some of it looks like them."""
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_SIZE)
    except OSError:
        return False
    if b"pwtool" not in data or not _PERHAPS.search(data):
        return False
    try:
        tool = _parsed(data.decode("utf-8")).get("tool")
    except (_NotToml, UnicodeDecodeError):
        # A broken file with our section is reported.
        return b"[tool.pwtool" in data
    return isinstance(tool, dict) and "pwtool" in tool


class _NotToml(Exception):
    """A text that is not TOML, or takes too long to read, with the place where."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message, self.at = message, at


def _parsed(text: str) -> dict[str, Any]:
    """The contents of a TOML file. Raises `_NotToml`."""
    import tomllib

    at = 0
    for line in text.split("\n"):
        if line.count(".") > MAX_DOTS and len(_DOT.findall(_STRING.sub("''", line))) > MAX_DOTS:
            raise _NotToml(f"a line with more than {MAX_DOTS} dots between names is not read", at)
        at += len(line) + 1
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _TOML_PLACE.search(str(error))
        told = str(error)[: place.start()].strip() if place else str(error)
        row, column = (int(place[1]), int(place[2])) if place else (1, 1)
        begin = sum(len(before) + 1 for before in text.split("\n")[: row - 1])
        raise _NotToml(f"this is not TOML: {told[:1].lower()}{told[1:]}", min(len(text), begin + column - 1)) from error
    except RecursionError as error:
        raise _NotToml("this is nested too deeply", 0) from error
    except ValueError as error:
        # The only other error of the parser: Python reads no number of more digits.
        digits = _DIGITS.search(text)
        raise _NotToml("a number has too many digits", digits.start() if digits else 0) from error


class _File:
    """One file of settings while it is being read."""

    def __init__(self, path: Path) -> None:
        opened = open_regular(path)
        if isinstance(opened, Diagnostic):
            stop([opened])
        with opened:
            data = opened.read(MAX_SIZE + 1)
        try:
            shown = os.path.relpath(path)
        except (OSError, ValueError):
            shown = str(path)
        decoded = decode_bytes(data, shown, MAX_SIZE)
        if decoded.value is None:
            stop(decoded.diagnostics)
        self.source: SourceFile = decoded.value
        self.folder = os.path.relpath(path.parent)
        self.begin = max(0, self.source.text.find("[tool.pwtool")) if path.name == NAMES[1] else 0
        self.is_project = path.name == NAMES[1]

    def config(self) -> Config:
        """The settings; stops the command if one is wrong."""
        config = Config(folder=self.folder)
        table = self._table()
        for key, value in table.items():
            if key in _LISTS:
                values = [value] if isinstance(value, str) else value
                if not isinstance(values, list) or not all(isinstance(v, str) and v for v in values):
                    self._wrong(f"`{key}` is a list of texts", key)
                _set(config, key, [self._path(key, v) for v in values])
            elif key in _TEXTS:
                if not isinstance(value, str) or not value:
                    self._wrong(f"`{key}` is a text", key)
                self._check_word(key, value)
                _set(config, key, self._path(key, value))
            elif key == "ignore":
                self._ignores(value, config)
            else:
                self._wrong(f"there is no setting `{key}`", key, help_line=did_you_mean(key, _KEYS) or quoted(_KEYS))
        return config

    def _table(self) -> dict[str, Any]:
        try:
            read = _parsed(self.source.text)
        except _NotToml as wrong:
            self._stop(wrong.message, Span(self.source, wrong.at, wrong.at))
        if self.is_project:
            tool = read.get("tool", {})
            read = tool.get("pwtool", {}) if isinstance(tool, dict) else {}
            if not isinstance(read, dict):
                self._wrong("`[tool.pwtool]` is a table", "pwtool")
        return read

    def _path(self, key: str, value: str) -> str:
        """A path in a setting, relative to the working directory."""
        is_path = key in ("rules-from", "baseline") or (
            key == "rules" and (value.startswith(".") or value.endswith(".rules"))
        )
        if not is_path:
            return value
        path = os.path.normpath(os.path.join(self.folder, value))
        # Paths of rules are distinguished from addresses of the library by their beginning.
        return path if key != "rules" or path.startswith((".", os.sep)) else os.path.join(".", path)

    def _check_word(self, key: str, value: str) -> None:
        known: tuple[str, ...] = FORMATS if key == "format" else SPOKEN if key == "lang" else (value,)
        if key == "lang" and value not in known:
            known = languages(folders=[self.folder])
        if value not in known:
            said = "there is no format" if key == "format" else "there are no texts in"
            self._wrong(f"{said} `{value}`", key, value, help_line=did_you_mean(value, known) or quoted(known))

    def _ignores(self, value: Any, config: Config) -> None:
        if not isinstance(value, dict):
            self._wrong("`ignore` is a table: patterns of files, and what is ignored in them", "ignore")
        ignores: list[Ignore] = []
        places: list[Span] = []
        for pattern, words in value.items():
            listed = [words] if isinstance(words, str) else words
            if not pattern or not isinstance(listed, list) or not all(isinstance(w, str) and w for w in listed):
                self._wrong(f"`{pattern}` has a list of codes and names of rules", "ignore", pattern)
            for word in listed:
                if word == "PW901":
                    self._wrong("an internal error is never ignored", "ignore", pattern, word)
                if _CODE.fullmatch(word) and word not in CODES:
                    self._wrong(
                        f"there is no finding `{word}`", "ignore", pattern, word, help_line=did_you_mean(word, CODES)
                    )
                if len(ignores) == MAX_IGNORES:
                    self._wrong(f"there are more than {MAX_IGNORES} ignores", "ignore", pattern, word)
                ignores.append(Ignore(pattern.removeprefix("./"), word))
                places.append(self._place("ignore", pattern, word))
        config.ignores, config.places = tuple(ignores), tuple(places)

    def _place(self, *words: str) -> Span:
        """The place of the last of these words, each searched for after the one before."""
        start, end = self.begin, self.begin
        for word in words:
            found = re.compile(rf"(?<![\w.-]){re.escape(word)}(?![\w-])").search(self.source.text, end)
            if found is not None:
                start, end = found.span()
        return Span(self.source, start, end)

    def _wrong(self, message: str, *words: str, help_line: str | None = None) -> NoReturn:
        self._stop(message, self._place(*words), help_line)

    def _stop(self, message: str, span: Span, help_line: str | None = None) -> NoReturn:
        stop([Diagnostic("PW801", message, span, help=help_line)])
