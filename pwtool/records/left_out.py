"""Files of folders and archives that are not records."""

from __future__ import annotations

from pwtool.records.containers import suffix_of
from pwtool.records.file_names import RECORD_NAMES, UNOPENED
from pwtool.text import Diagnostic
from pwtool.text.speech import Told
from pwtool.text.words import shorten

__all__ = ["LeftOut"]

_NAMED = 3
"""How many of the files that are left out are named."""


class LeftOut:
    """The files of a folder or an archive that are not records by their names, or by what is in them (`is_json`)."""

    def __init__(self, name: str, is_json: bool = False) -> None:
        self.name, self.count, self.is_json = name, 0, is_json
        self.first: list[str] = []

    def add(self, member: str, name: str) -> Diagnostic | None:
        """Count a file; one that may contain records is a finding of its own."""
        suffix = suffix_of(member)
        if suffix in UNOPENED:
            what = (
                Told("an archive in an archive is not opened")
                if suffix in (".zip", ".tar")
                else Told("files that end in {suffix} are not opened", suffix=f"`{suffix}`")
            )
            return Diagnostic("PW703", what, file=name, help=Told("unpack it, and name what it contains"))
        self.count += 1
        self.first += [member] if len(self.first) < _NAMED else []
        return None

    def note(self) -> Diagnostic | None:
        """The warning that names these files."""
        if not self.count:
            return None
        names = ", ".join(f"`{shorten(name, 80)}`" for name in self.first) + (", …" if self.count > _NAMED else "")
        if self.is_json:
            message = Told(
                "{count} file is not read, because it is JSON of another kind: {names}",
                "{count} files are not read, because they are JSON of another kind: {names}",
                self.count, names=names,
            )  # fmt: skip
            help_line = Told("a file that is named itself is read, unless {option} is given", option="`--skip-foreign`")
            return Diagnostic("PW717", message, file=self.name, help=help_line)
        message = Told(
            "{count} file is not read, because its name is not that of a record: {names}",
            "{count} files are not read, because their names are not those of records: {names}",
            self.count, names=names,
        )  # fmt: skip
        return Diagnostic("PW717", message, file=self.name, help=RECORD_NAMES)
