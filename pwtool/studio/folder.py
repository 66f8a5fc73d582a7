"""The open folder: which files the page may read and write, their contents and drafts."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pwtool.checking.rewriting import write_rules
from pwtool.lang.fmt.text import format_rules
from pwtool.lang.parser import parse_rules
from pwtool.lsp.model.text import plain_lines
from pwtool.rules.library import RULES, Library
from pwtool.rules.targets import SUFFIX, rules_files
from pwtool.studio.drafts import Drafts, sum_of
from pwtool.studio.refusing import Refused
from pwtool.text.source import SourceFile
from pwtool.text.speech import Told
from pwtool.text.store import reason_of

MAX_NAME = 40
_NAME = re.compile(rf"[A-Za-z]\w{{0,{MAX_NAME}}}", re.ASCII)
_TEXTS = re.compile(r"^texts (\w+) \{$(.*?)^\}", re.MULTILINE | re.DOTALL)
_TITLE_THERE = re.compile(r'^ +(game|edition) (\w+) "([^"]+)"', re.MULTILINE)
_TITLE = re.compile(r'^(?:game|edition)\s+\w+(?:\s+of\s+\S+)?\s+"([^"]+)"', re.MULTILINE)
ELSEWHERE = Told("only rules files of the opened folder and of the library can be opened here")
NAMED = Told("a name is made of letters, digits and `_`, and begins with a letter")
_TOO_LONG = Told("this is more than a rules file can hold")
MAX_FILES = 500
MAX_FILE = 4_000_000


@dataclass(frozen=True, slots=True)
class Opened:
    """A file as shown on the page: `text` is the latest text, `saved` the contents of the file."""

    path: Path
    text: str
    saved: str
    writable: bool

    @property
    def is_draft(self) -> bool:
        """Whether there are unsaved changes."""
        return self.text != self.saved


class Page(Protocol):
    """One of the windows that show files of a folder."""

    def changed_elsewhere(self, path: Path, text: str, saved: str) -> None:
        """Called if another window changed a file or its saved contents."""


class Folder:
    """Rules files below one folder; those of the library can be read too. `first` is shown at the beginning. Of a folder that is not
    `writable`, new files are begun in the folder `beside`, if one is given. What is written is safe after `settle`, if that is given.
    """

    def __init__(
        self,
        root: Path,
        drafts: Drafts,
        first: Path | None = None,
        writable: bool = True,
        settle: Callable[[], Awaitable[object]] | None = None,
        beside: Path | None = None,
    ) -> None:
        self.root = root.resolve()
        self.begins_in = self.root if writable else beside.resolve() if beside is not None else None
        self._begun: set[Path] = set()
        self.drafts = drafts
        self.writable = writable
        self.first = first.resolve() if first is not None else None
        self._own = Library().folder.resolve()
        self._bases: dict[Path, str] = {}
        self.pages: list[Page] = []
        self._settle = settle

    async def settled(self) -> None:
        """Wait until everything that was written would outlive this program."""
        if self._settle is not None:
            await self._settle()

    def files(self) -> list[Path]:
        """The rules files of the folder and its subfolders."""
        found, _ = rules_files(self.root)
        own = (path.resolve() for path in found[:MAX_FILES] if not _is_hidden(path, self.root))
        return [*own, *sorted(self._begun)]

    def may_read(self, path: Path) -> bool:
        """Whether the page may see a file: only rules files of the folder and of the library."""
        real = path.resolve()
        inside = real.is_relative_to(self.root) and not _is_hidden(real, self.root)
        return real.suffix == SUFFIX and (inside or real.is_relative_to(self._own) or real in self._begun)

    def may_write(self, path: Path) -> bool:
        """Whether the page may save a file."""
        real = path.resolve()
        return real in self._begun or (self.writable and self.may_read(path) and real.is_relative_to(self.root))

    def begin(self, name: str, text: str) -> Path:
        """Write a new file."""
        if _NAME.fullmatch(name) is None:
            raise Refused(NAMED)
        if self.begins_in is None:
            raise Refused(ELSEWHERE)
        if len(text) > MAX_FILE:
            raise Refused(_TOO_LONG)
        path = self.begins_in / f"{name}{SUFFIX}"
        self._create(path, text)
        if not self.writable:
            self._begun.add(path)
        return path

    def has(self, where: Path) -> bool:
        """Whether a folder is this one or one of its own."""
        return where.is_dir() and where.resolve().is_relative_to(self.root)

    def free(self, name: str, where: Path | None = None) -> str:
        """A name for a file in a folder (none: the first one) that has none of that name."""
        names = (name if number == 1 else f"{name}_{number}" for number in range(1, MAX_FILES))
        return next((free for free in names if not ((where or self.root) / f"{free}{SUFFIX}").exists()), name)

    def add(self, name: str, text: str, where: Path | None = None) -> Path:
        """A file from elsewhere in a folder (none: the first one): the one that is there with this text, or a new one with this name or
        the next that is free.
        """
        if not self.writable or (where is not None and not self.has(where)):
            raise Refused(ELSEWHERE)
        if len(text.encode("utf-8", "surrogatepass")) > MAX_FILE:
            raise Refused(_TOO_LONG)
        stem = re.sub(r"\W+", "_", name.removesuffix(SUFFIX), flags=re.ASCII).strip("_")[:MAX_NAME]
        stem = stem if _NAME.fullmatch(stem) else f"rules_{stem}".strip("_")
        for number in range(1, MAX_FILES):
            path = (where or self.root) / (f"{stem}{SUFFIX}" if number == 1 else f"{stem}_{number}{SUFFIX}")
            if not path.exists():
                self._create(path, text)
                return path
            if self.may_read(path) and self._saved(path) == plain_lines(text):
                return path
        raise Refused(Told("there is a file {name} already", name=f"`{path.name}`"))

    def _create(self, path: Path, text: str) -> None:
        try:
            data = text.encode("utf-8")
            with path.open("xb") as file:
                file.write(data)
        except FileExistsError as error:
            raise Refused(Told("there is a file {name} already", name=f"`{path.name}`")) from error
        except (OSError, UnicodeError) as error:
            raise Refused(Told("could not save: {reason}", reason=_reason(error))) from error

    def open(self, path: Path) -> Opened:
        """A file with its unsaved changes."""
        saved = self._saved(path)
        draft = self.drafts.find(path) if self.may_write(path) else None
        self._bases[path] = draft.base if draft is not None else sum_of(saved)
        return Opened(path, draft.text if draft is not None else saved, saved, self.may_write(path))

    def keep(self, path: Path, text: str, page: Page | None = None) -> bool:
        """Keep what was typed in one of the windows; returns whether it is stored safely. The other windows are updated."""
        if not self.may_write(path):
            return False
        try:
            saved = self._saved(path)
        except Refused:
            saved = None
        draft = self.drafts.find(path)
        # Nothing was typed since the file was opened or saved, whatever another program did to it.
        unchanged = text == saved or sum_of(text) == self._bases.get(path)
        known = text == draft.text if draft is not None else unchanged
        if unchanged:
            self.drafts.drop(path)
            kept = True
        else:
            kept = self.drafts.keep(path, text, self._bases.get(path, sum_of(saved or "")))
        if not known:
            self._tell(path, text, text if unchanged else saved or "", page)
        return kept

    def discard(self, path: Path, page: Page | None = None) -> Opened:
        """Discard unsaved changes."""
        self.drafts.drop(path)
        found = self.open(path)
        self._tell(path, found.text, found.saved, page)
        return found

    def _tell(self, path: Path, text: str, saved: str, teller: Page | None) -> None:
        for page in self.pages:
            if page is not teller:
                page.changed_elsewhere(path, text, saved)

    def save(self, path: Path, text: str, force: bool = False, page: Page | None = None) -> tuple[str, str | None]:
        """Write a file, formatted if it can be parsed; returns its contents, and why it could not be formatted. A file
        that another program changed in the meantime is only overwritten with `force`; a deleted one is written again.
        """
        if not self.may_write(path):
            raise Refused(
                Told("this file cannot be changed here: it belongs to the library, or lies outside of the folder")
            )
        if len(text.encode("utf-8", "surrogatepass")) > MAX_FILE:
            raise Refused(_TOO_LONG)
        saved = self._saved(path) if path.exists() else None
        if saved is not None and not force and saved != text and sum_of(saved) != self._bases.get(path, sum_of(saved)):
            raise Refused(Told("another program has changed the file since you opened it"), conflict=True, disk=saved)
        written, problem = _formatted(path, text)
        if written != saved:
            try:
                if saved is None:
                    path.touch()
                write_rules(path, written)
            except (OSError, UnicodeError) as error:
                reason = _reason(error)
                if not self.keep(path, text, page):
                    raise Refused(Told("could not save: {reason}", reason=reason)) from error
                raise Refused(
                    Told(
                        "{file} could not be saved ({reason}); your text is kept as a draft",
                        file=f"`{path.name}`",
                        reason=reason,
                    )
                ) from error
        self._bases[path] = sum_of(written)
        self.drafts.drop(path)
        self._tell(path, written, written, page)
        return written, problem

    def _saved(self, path: Path) -> str:
        if not self.may_read(path):
            raise Refused(ELSEWHERE)
        try:
            if path.stat().st_size > MAX_FILE:
                raise Refused(_TOO_LONG)
            return plain_lines(path.read_bytes().decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise Refused(Told("this file is not text in UTF-8")) from error
        except OSError as error:
            raise Refused(Told("cannot read the file: {reason}", reason=reason_of(error))) from error


@dataclass(frozen=True, slots=True)
class Base:
    """A ruleset of the library that editions can build on."""

    address: str
    title: str
    path: Path


def bases(language: str = "en") -> list[Base]:
    """The rulesets of the library that editions can build on, with their titles in a language."""
    library = Library()
    found = []
    for game in library.games():
        titles = {} if language == "en" else _titles(library.home(game), language)
        for address, file in [
            (game, RULES),
            *((f"{game}/{e}", f"{e}{SUFFIX}") for e in library.overlays(game)["edition"]),
        ]:
            path = library.home(game) / file
            title = titles.get(address.rpartition("/")[2])
            if title is None:
                written = _TITLE.search(path.read_text("utf-8"))
                title = address if written is None else written[1]
            found.append(Base(address, title, path.resolve()))
    return found


def _titles(home: Path, language: str) -> dict[str, str]:
    """What a game and its editions are called in a language."""
    texts = (path.read_text("utf-8") for path in sorted(home.glob(f"*{SUFFIX}")))
    blocks = (block[2] for text in texts for block in _TEXTS.finditer(text) if block[1] == language)
    return {title[2]: title[3] for block in blocks for title in _TITLE_THERE.finditer(block)}


def _reason(error: OSError | UnicodeError) -> str:
    return reason_of(error) if isinstance(error, OSError) else Told("it has characters that no text file can hold")


def _formatted(path: Path, text: str) -> tuple[str, str | None]:
    file = SourceFile(path.name, text)
    formatted = format_rules(file).value
    if isinstance(formatted, str):
        return formatted, None
    wrong = next(iter(parse_rules(file).diagnostics), None)
    if wrong is None or wrong.span is None:
        return text, Told("some of it cannot be read")
    return text, Told(
        "line {line} cannot be read: {reason}",
        line=wrong.span.line,
        reason=wrong.message,
    )


def _is_hidden(path: Path, root: Path) -> bool:
    return path.is_relative_to(root) and any(part.startswith(".") for part in path.relative_to(root).parts)
