"""A ruleset as it stands in the editor, or its last valid version, for one request."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.lsp.model.analysis import Analysis
from pwtool.lsp.model.studies import Rarity, Studies
from pwtool.lsp.model.workspace import Workspace
from pwtool.play.game import Game
from pwtool.studio.folder import Folder
from pwtool.studio.refusing import Refused
from pwtool.text import did_you_mean
from pwtool.text.source import SourceFile
from pwtool.text.speech import Told

NOT_NOW = Told("fix the mistakes in the text first")


@dataclass(frozen=True)
class DocumentContext:
    """A rules file of the workspace, and what is known about it."""

    workspace: Workspace
    folder: Folder
    studies: Studies
    path: Path

    @property
    def analysis(self) -> Analysis:
        """The analysis of the file as it stands."""
        return self.workspace.analysis(self.path)

    @property
    def ruleset(self) -> Ruleset:
        """The ruleset as it stands, or its last valid version."""
        found = self.analysis.ruleset or self.workspace.ruleset(self.path)
        if found is None:
            raise Refused(NOT_NOW)
        return found

    @property
    def valid(self) -> Ruleset:
        """The ruleset as it stands. Raises `Refused` if it has errors."""
        found = self.analysis.ruleset
        if found is None:
            raise Refused(NOT_NOW)
        return found

    def rarities(self) -> dict[str, Rarity]:
        """The known rarities of objectives."""
        found = self.workspace.ruleset(self.path)
        return (self.studies.known(found) if found is not None else None) or {}

    def objective(self, name: str, ruleset: Ruleset) -> n.Objective:
        """The declaration of an objective."""
        found = ruleset.merged.items.get(("objective", name))
        if not isinstance(found, n.Objective) or name not in ruleset.objectives:
            raise Refused(
                Told("there is no {what} {name}", what=Told("objective"), name=f"`{name}`"),
                did_you_mean(name, ruleset.objectives),
            )
        return found

    def home(self, file: SourceFile) -> Path | None:
        """The path of a file that the page may change; None for all others."""
        path = self.analysis.path_of(file.name)
        return path if path is not None and self.folder.may_write(path) else None


def game_of(ruleset: Ruleset) -> Game:
    """The game of a ruleset."""
    return Game(ruleset)


def units(text: str, offset: int) -> int:
    """A place in a text as browsers count it: in UTF-16 code units."""
    return len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2
