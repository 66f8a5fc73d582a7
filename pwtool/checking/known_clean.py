"""Rulesets in which `pwtool lint` found nothing, and that have not changed since."""

from __future__ import annotations

from dataclasses import dataclass, field

from pwtool.rules.library import Library, read_rules
from pwtool.rules.targets import SUFFIX, Target
from pwtool.text import Diagnostic
from pwtool.text.blake2b import blake2b
from pwtool.text.data import read_grammar
from pwtool.text.store import Store, fingerprint


@dataclass(slots=True)
class KnownClean:
    """Remembers rulesets without a single finding, in the cache of the library, if it has one. `asked`: under which readings they are
    examined.

    What is found depends on the rules files in the folder of a ruleset, on those of the library, and on the program.
    """

    library: Library
    asked: object
    targets: set[Target] = field(default_factory=set)
    """Those that `look` found."""
    _open: dict[Target, str] = field(default_factory=dict)

    def look(self, target: Target) -> bool:
        """Whether nothing was found in a ruleset before, and everything is as it was then."""
        key = self._key(target)
        self.targets.discard(target)
        self._open.pop(target, None)
        if self.library.cache is None or key is None:
            return False
        if self._store.get(key) is not None:
            self.targets.add(target)
            return True
        self._open[target] = key
        return False

    def forget(self, target: Target) -> None:
        """Something was found."""
        self._open.pop(target, None)

    def keep(self, target: Target) -> None:
        """Remember that nothing was found since `look`, unless something was, or files changed meanwhile."""
        key = self._open.get(target)
        if key is not None and key == self._key(target):
            self._store.put(key, b"")

    @property
    def _store(self) -> Store:
        assert self.library.cache is not None
        return Store(self.library.cache / "lint")

    def _key(self, target: Target) -> str | None:
        """A hash of all that the findings depend on; None if a file cannot be read."""
        folder = target.folder(self.library)
        try:
            # A rules file names others of its own folder and of the library only.
            files = [*sorted(folder.glob(f"*{SUFFIX}")), *sorted(self.library.folder.rglob(f"*{SUFFIX}"))]
            named = [str(path.resolve()) for path in (target.path, target.part) if path is not None]
        except (OSError, ValueError, RuntimeError):
            return None
        texts = []
        for path in files:
            file = read_rules(path, str(path))
            if isinstance(file, Diagnostic):
                return None
            texts.append((file.name, blake2b(file.text.encode("utf-8", "replace"), digest_size=20).hexdigest()))
        program = [fingerprint((".",)), *map(read_grammar, ("rules.lark", "notation.lark"))]
        said = ascii([program, target.name, target.address, named, repr(self.asked), texts])
        return blake2b(said.encode(), digest_size=20).hexdigest()
