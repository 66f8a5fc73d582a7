"""Ruleset addresses and the files behind them: `game/edition+variant`, `./house.rules`.

A rules file can only refer to files in its own folder and in the program's library: such a name is a plain word, and a
link that leads elsewhere is refused.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from pwtool.lang.limits import MAX_BYTES
from pwtool.text import Diagnostic, Label, Result, did_you_mean, name_fix, too_many
from pwtool.text.data import data_folder
from pwtool.text.files import MISSING, open_regular, strays
from pwtool.text.regex import regex
from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import Told, mark
from pwtool.text.store import reason_of
from pwtool.text.words import quoted

if TYPE_CHECKING:
    from pwtool.lang import tree as n

MAX_ADDRESS = 500
MAX_FILES = 100
MAX_ALL_BYTES = 2 << 20
RULES = "game.rules"
GAME, SHELVED = f"*/{RULES}", f"*/*/{RULES}"
_TEXTS = regex(r"^texts\s+([A-Za-z]\w*)", re.MULTILINE)
_NAMED = regex(r"([A-Za-z_]\w*)(?:/([A-Za-z_]\w*))?((?:\+[A-Za-z_]\w*)*)")
_PATH = regex(r"(.+\.rules)((?:\+[A-Za-z_]\w*)*)", re.DOTALL)


class Layer(Struct, frozen=True):
    """One rules file of a ruleset: its tree and the name findings call it by."""

    name: str
    document: n.Document


class Library(Struct):
    """Finds rules files. `folder` contains the games; `cache` the stored trees (None: no cache); `opened` are the
    files of the last address, by path; `drafts` are texts that replace the contents of files, by path.
    """

    folder: Path = field(default_factory=lambda: data_folder("rulesets"))
    cache: Path | None = None
    opened: dict[str, SourceFile] = field(default_factory=dict)
    drafts: dict[str, str] = field(default_factory=dict)

    def holds(self, path: Path) -> bool:
        """Whether there is such a rules file, or a draft of one."""
        return str(path) in self.drafts or _is_file(path)

    def games(self) -> list[str]:
        """The names of all games: those of the library itself, then those on its shelves, each sorted."""
        return [p.parent.name for depth in (GAME, SHELVED) for p in sorted(self.folder.glob(depth))]

    def home(self, game: str, beside: Path | None = None) -> Path:
        """The folder of a game: in the library itself, on a shelf, which is a folder of games, or the folder of the file that
        names it, if that is called like the game.
        """
        own = self.folder / game
        if _is_file(own / RULES):
            return own
        shelves = sorted(self.folder.iterdir()) if self.folder.is_dir() else []
        home = next((shelf / game for shelf in shelves if _is_file(shelf / game / RULES)), own)
        if beside is None or self.holds(home / RULES):
            return home
        return beside if beside.resolve().name == game and self.holds(beside / RULES) else home

    def languages(self, beside: Iterable[Path] = ()) -> list[str]:
        """The languages in which rules of the library, or those in the folders `beside` it, have texts."""
        found: set[str] = set()
        for path in (file for folder in (self.folder, *beside) for file in sorted(folder.rglob("*.rules"))):
            read = read_rules(path, path.name)
            if isinstance(read, SourceFile):
                found |= set(_TEXTS.findall(read.text))
        return sorted(found)

    def overlays(self, game: str, beside: Path | None = None) -> dict[str, list[str]]:
        """The editions and variants of a game: `{"edition": [...], "variant": [...]}`."""
        found: dict[str, list[str]] = {"edition": [], "variant": []}
        for path in sorted(self.home(game, beside).glob("*.rules")):
            file = self.read(path, path.name)
            match = isinstance(file, SourceFile) and re.search(r"^(edition|variant)\s", file.text, re.MULTILINE)
            if match:
                found[match.group(1)].append(path.stem)
        return found

    def ships(self, address: str) -> bool:
        """Whether an address names rules that come with the program."""
        return split_address(address)[0] is None and self.folder == data_folder("rulesets")

    def parse(self, file: SourceFile) -> Result[n.Document]:
        """The tree of a rules file, from the cache if possible."""
        from pwtool.lang.cache import parse_cached

        return parse_cached(file, self.cache)

    def read(self, path: Path, name: str) -> SourceFile | Diagnostic:
        """The text of a rules file under its name in findings; its draft if there is one."""
        draft = self.drafts.get(str(path))
        return read_rules(path, name) if draft is None else SourceFile(name, draft)

    def layers(self, address: str) -> Result[list[Layer]]:
        """The layers of an address, the game first, each file read and parsed."""
        self.opened = {}
        return _Resolver(self).resolve(address)


class _Resolver(Struct):
    library: Library
    diagnostics: list[Diagnostic] = field(default_factory=list)
    open: list[Path] = field(default_factory=list)

    def resolve(self, address: str) -> Result[list[Layer]]:
        layers = self._address(address.strip(), None, None)
        if self.diagnostics or layers is None:
            return Result(None, tuple(self.diagnostics))
        return Result(layers)

    @property
    def full(self) -> bool:
        """Whether there are so many errors that checking stops."""
        return too_many(self.diagnostics)

    def _fail(self, code: str, message: str, span: Span | None, help_line: str | None = None, /, **values: Any) -> None:
        self.diagnostics.append(Diagnostic.of(code, message, span, help=help_line, **values))

    def _address(self, address: str, span: Span | None, beside: Path | None) -> list[Layer] | None:
        if len(address) > MAX_ADDRESS:
            self._fail("PW203", Told("a ruleset address has at most {most} characters", most=MAX_ADDRESS), span)
            return None
        path_match = _PATH.fullmatch(address)
        if path_match:
            path = Path(path_match.group(1))
            layers = self._file(path, span)
            game_folder = self._game_folder(layers, path.parent)
            variants = path_match.group(2)
        else:
            match = _NAMED.fullmatch(address)
            if not match:
                self._fail(
                    "PW203", Told("{name} is not a ruleset address", name=quoted([address])), span,
                    _file_beside(address)
                    or Told("write `game`, `game/edition`, `game/edition+variant` or the path of a .rules file"),
                )  # fmt: skip
                return None
            game, edition, variants = match.groups()
            game_folder = self.library.home(game, beside)
            if not self.library.holds(game_folder / RULES):
                help_line = _file_beside(address) or self._overlay_called(match)
                message = Told("there is no {what} {name}", what=Told("game"), name=quoted([game]))
                if help_line is None and did_you_mean(game, self.library.games()):
                    self._misspelt(message, game, self.library.games(), span)
                    return None
                self._fail("PW203", message, span, help_line or Told("{command} lists all", command="`pwtool rules`"))
                return None
            layers = (
                self._overlay(game_folder, game, edition, "edition", span)
                if edition
                else self._file(game_folder / RULES, span)
            )
        if layers is None:
            return None
        for variant in variants.split("+")[1:]:
            found = self._variant(layers, game_folder, variant, span)
            if found is None:
                return None
            layers = [*layers, *found]
        return layers

    def _game_folder(self, layers: list[Layer] | None, beside: Path) -> Path:
        game = layers[0].document.header.name.name if layers else ""
        return self.library.home(game, beside) if game else self.library.folder

    def _overlay_called(self, address: re.Match[str]) -> str | None:
        """The hint if the name of an edition or a variant is given without its game."""
        name, edition, variants = address.groups()
        if edition:
            return None
        for game in self.library.games():
            overlays = self.library.overlays(game)
            if name in overlays["edition"]:
                return Told("did you mean {name}?", name=f"`{game}/{name}{variants}`")
            if name in overlays["variant"]:
                return Told("did you mean {name}?", name=f"`{game}+{name}{variants}`")
        return None

    def _overlay(self, folder: Path, game: str, name: str, kind: str, span: Span | None) -> list[Layer] | None:
        path = folder / f"{name}.rules"
        if name == "game" or not self.library.holds(path):
            self._unknown_overlay(game, name, kind, span)
            return None
        return self._file(path, span, kind)

    def _unknown_overlay(self, game: str, name: str, kind: str, span: Span | None) -> None:
        known = self.library.overlays(game).get(kind, []) if game in self.library.games() else []
        message = (
            Told("{game} has no edition {name}", game=quoted([game]), name=quoted([name]))
            if kind == "edition"
            else Told("{game} has no variant {name}", game=quoted([game]), name=quoted([name]))
        )
        self._misspelt(message, name, known, span)

    def _misspelt(self, message: str, name: str, known: list[str], span: Span | None) -> None:
        """A name in an address is none, and which is meant; the address that a file builds on is mended there."""
        written = (
            re.search(rf"\bof\s+(?:\S*?[/+])?({re.escape(name)})(?![\w])", span.text) if span is not None else None
        )
        fix = None
        if span is not None and written is not None:
            fix = name_fix(Span(span.file, span.start + written.start(1), span.start + written.end(1)), known)
        self.diagnostics.append(Diagnostic.of("PW203", message, span, help=did_you_mean(name, known), fix=fix))

    def _variant(self, layers: list[Layer], folder: Path, name: str, span: Span | None) -> list[Layer] | None:
        path = folder / f"{name}.rules"
        if not self.library.holds(path):
            self._unknown_overlay(folder.name, name, "variant", span)
            return None
        whole = f"{folder.name}+{name}"
        if any(layer.name == whole for layer in layers):
            self._fail("PW203", "the variant `{name}` is named twice", span, "name it once", name=name)
            return None
        document = self._parse(path, span)
        if document is None:
            return None
        if document.header.kind != "variant":
            self._fail(
                "PW203", "`{name}` is {article}, no variant", span, "write `{folder}/{name}`", name=name, article=_article(document.header.kind),
                folder=folder.name,
            )  # fmt: skip
            return None
        return self._with_parts(document, folder, whole)

    def _file(self, path: Path, span: Span | None, kind: str | None = None) -> list[Layer] | None:
        try:
            resolved = path.resolve()
        except (OSError, ValueError, RuntimeError):
            # A link that leads to itself, or an invalid name.
            self._fail("PW203", Told("the name of the rules file points nowhere"), span)
            return None
        if resolved in self.open:
            names = " -> ".join(p.name for p in [*self.open, resolved])
            self._fail("PW206", "rulesets are based on each other in a circle: {names}", span, names=names)
            return None
        document = self._parse(path, span)
        if document is None:
            return None
        header = document.header
        if kind is not None and header.kind != kind:
            self._fail(
                "PW203", "`{stem}` is {article}, no edition" if kind == "edition" else "`{stem}` is {article}, no variant", span,
                "write `{parent}/EDITION+{stem}`", stem=path.stem, article=_article(header.kind), parent=path.parent.name,
            )  # fmt: skip
            return None
        self.open.append(resolved)
        layers: list[Layer] | None = []
        if header.kind == "part":
            self._fail("PW203", Told("`{name}` is a part of a ruleset, not a ruleset", name=path.name), span or header.span)  # fmt: skip
            layers = None
        elif header.base is not None:
            layers = self._address(header.base, header.span, path.parent)
        if layers is not None:
            name = header.name.name if header.base is None else f"{header.base}/{header.name.name}"
            layers = [*layers, *self._with_parts(document, path.parent, name)]
        self.open.pop()
        return layers

    def _with_parts(self, document: n.Document, folder: Path, name: str) -> list[Layer]:
        from pwtool.lang import tree as n

        layers = [Layer(name, document)]
        included: dict[str, Span] = {}
        for node in document.declarations:
            if isinstance(node, n.Without | n.Within):
                game = name.partition("/")[0].partition("+")[0]
                places = (folder, self.library.home(game))
                if not any(self.library.holds(place / f"{node.variant.name}.rules") for place in places):
                    self._unknown_overlay(game, node.variant.name, "variant", node.variant.span)
            if not isinstance(node, n.Include):
                continue
            if self.full:
                break
            first = included.setdefault(node.name.name, node.span)
            if first is not node.span:
                message = "{name} is included twice"
                label = Label(first, "first included here")
                self.diagnostics.append(Diagnostic.of("PW202", message, node.span, labels=(label,), name=quoted([node.name.name])))  # fmt: skip
                continue
            path = folder / f"{node.name.name}.rules"
            if not self.library.holds(path):
                known = [p.stem for p in folder.glob("*.rules")]
                self._fail(
                    "PW203", "there is no rules file {path} in this folder", node.name.span, did_you_mean(node.name.name, known),
                    path=quoted([path.name]),
                )  # fmt: skip
                continue
            part = self._parse(path, node.name.span)
            if part is None:
                continue
            if part.header.kind != "part":
                self._fail(
                    "PW203", "`{path}` is {article}; only parts are included", node.name.span, path=path.name, article=_article(part.header.kind),
                )  # fmt: skip
            elif any(isinstance(d, n.Include) for d in part.declarations):
                self._fail("PW206", "a part includes no further parts", node.name.span)
            else:
                layers.append(Layer(name, part))
        return layers

    def _strays(self, path: Path) -> str | None:
        """Why a file named in a rules file is outside the allowed folder; links in the library itself are allowed."""
        library = self.library.folder
        if path.parent == self.library.home(path.parent.name) and path.parent.name != "..":
            return None
        return strays(path, path.parent, library)

    def _parse(self, path: Path, span: Span | None) -> n.Document | None:
        if self.full:
            return None
        if len(self.library.opened) >= MAX_FILES and str(path) not in self.library.opened:
            self._fail("PW308", "a ruleset consists of more than {most} files", span, "merge some of them", most=MAX_FILES)  # fmt: skip
            return None
        reason = None if span is None else self._strays(path)
        if reason is not None:
            help_line = "put the file itself there, or name it directly"
            self._fail("PW104", "cannot read {path}: {reason}", span, help_line, path=quoted([path.name]), reason=reason)  # fmt: skip
            return None
        file = self.library.read(path, shown_name(path))
        if not isinstance(file, SourceFile):
            self.diagnostics.append(replace(file, span=span))
            return None
        self.library.opened[str(path)] = file
        if sum(len(f.text) for f in self.library.opened.values()) > MAX_ALL_BYTES:
            message = "the files of a ruleset have together more than {most} MiB"
            self._fail("PW308", message, span or Span(file, 0, 0), "leave out what other rulesets need", most=MAX_ALL_BYTES >> 20)  # fmt: skip
            return None
        result = self.library.parse(file)
        self.diagnostics.extend(result.diagnostics)
        return result.value


def read_rules(path: Path, name: str) -> SourceFile | Diagnostic:
    """The text of a rules file under its name in findings, or why it cannot be read."""
    opened = open_regular(path)
    if isinstance(opened, Diagnostic):
        if opened.message == MISSING:
            return Diagnostic.of("PW203", Told("there is no rules file `{file}`", file=str(path)))
        return Diagnostic.of("PW104", Told("cannot read `{file}`: {reason}", file=str(path), reason=opened.message), help=opened.help)  # fmt: skip
    try:
        with opened as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        return Diagnostic.of("PW104", Told("cannot read `{file}`: {reason}", file=str(path), reason=reason_of(error)))
    if len(data) > MAX_BYTES:
        return Diagnostic.of(
            "PW103", Told("`{file}` is larger than {size} MiB, the limit for a rules file", file=str(path), size=MAX_BYTES >> 20),
        )  # fmt: skip
    try:
        text = data.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Diagnostic.of(
            "PW104", Told("`{file}` is not UTF-8 text (line {line})", file=str(path), line=str(line)), help=Told("save it as UTF-8"),
        )  # fmt: skip
    return SourceFile(name, text.replace("\r\n", "\n"))


def split_address(address: str) -> tuple[str | None, str]:
    """The rules file that an address names (None for a ruleset of the library), and the variants after it."""
    found = _PATH.fullmatch(address) if ".rules" in address else None
    return (found[1], found[2]) if found else (None, "")


def _is_file(path: Path) -> bool:
    """Whether there is such a file; a name that is too long for the file system does not exist."""
    try:
        return path.is_file()
    except (OSError, ValueError, RuntimeError):
        return False


def _file_beside(address: str) -> str | None:
    """The hint for an address that is not a name in the library, but that of a folder or of a file without its suffix."""
    for path in (Path(address) / "game.rules", Path(f"{address}.rules")):
        if _is_file(path):
            return Told("did you mean the file `{path}`?", path=path.as_posix())
    return None


def _article(kind: str) -> str:
    return Told(_ARTICLES[kind])


_ARTICLES = {
    "game": mark("a game"),
    "edition": mark("an edition"),
    "variant": mark("a variant"),
    "part": mark("a part"),
}


def shown_name(path: Path) -> str:
    """The name of a rules file in findings: short, and the same on every machine for the library's own files."""
    library = data_folder("rulesets")
    try:
        return "rulesets/" + path.resolve().relative_to(library.resolve()).as_posix()
    except ValueError:
        return str(path)
