"""What the name of a file says: whether it has records, in which form, and how many."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from pwtool.records.containers import holds_files, inside_of, suffix_of
from pwtool.text.addresses import is_there, path_of
from pwtool.text.regex import regex
from pwtool.text.speech import Told

_LINE = regex(r"(.+):([1-9][0-9]*)(?:\.[1-9][0-9]*)?", re.DOTALL)
STDIN = "<stdin>"
NOTATION = ".pwn"
RULES = ".rules"
ARCHIVES = (".jsonl", ".ndjson")
TABLES = (".parquet", ".arrow", ".arrows", ".feather", ".ipc")
"""Files with a record in each row; `pwtool.records.tables` reads them."""
RECORD_NAMES = Told("records are files that end in .json, .jsonl or .pwn, or in the suffix of an installed importer")
SUFFIXES = (".json", *ARCHIVES, NOTATION)
"""Files with records in our own forms."""
UNOPENED = (
    ".zip",
    ".tar",
    ".bz2",
    ".tbz",
    ".tbz2",
    ".7z",
    ".rar",
    ".lz4",
    ".lzma",
    ".lz",
    ".br",
    ".z",
    ".cab",
    ".iso",
)
"""Files that may contain records and are not opened in a folder or an archive."""


def format_of(file: str) -> str | None:
    """The format of another program in which a file is written, judging by its name; None for our own."""
    suffix = suffix_of(file)
    if suffix in ("", *SUFFIXES, *TABLES, *UNOPENED, RULES):
        return None
    from pwtool.records.importers.installed import format_names

    return suffix[1:] if suffix[1:] in format_names() else None


def split_line(name: str) -> tuple[str, int | None]:
    """The file at the beginning of a document's name, and the line in which its game begins if the file has several. Of
    several games in one line, the name of the second ends in `.2`. Any file may have several: what is in it tells.
    """
    found = _LINE.fullmatch(name) if ":" in name else None
    if found is None:
        return name, None
    is_file = found[1] == STDIN or holds_many(found[1]) or (suffix_of(found[1]) and "://" not in found[1])
    return (found[1], int(found[2])) if is_file else (name, None)


def holds_many(name: str) -> bool:
    """Whether a file has, or may have, a record in each line or row, judging by its name."""
    return is_table(name) or suffix_of(name) in ARCHIVES or format_of(name) is not None


def names_record(name: str) -> bool:
    """Whether a file contains records, judging by its name; compressed or not, one or several."""
    return suffix_of(name) in SUFFIXES or holds_files(name) or is_table(name) or format_of(name) is not None


@lru_cache(maxsize=1024)
def is_table(name: str) -> bool:
    """Whether a file is a table with a record in each row, judging by its name."""
    return Path(path_of(name)).suffix.lower() in TABLES


def has_groups(name: str) -> bool:
    """Whether a table has row groups that can be read separately."""
    return Path(path_of(name)).suffix.lower() == ".parquet"


def begins_with_a_file(name: str) -> bool:
    """Whether the file at the beginning of a document's name exists."""
    file, _ = split_line(name)
    inside = inside_of(file)
    return is_there(file) or (inside is not None and is_there(inside[0]))
