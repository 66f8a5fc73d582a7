"""`pwtool studio`: the editor for designers in a browser."""

from __future__ import annotations

import os
import re
import signal
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import quote

from pwtool.cli.common import fail, stop
from pwtool.cli.streams import note, say
from pwtool.rules.library import Library
from pwtool.rules.targets import SUFFIX, find_targets
from pwtool.text import did_you_mean
from pwtool.text.files import is_folder
from pwtool.text.speech import Told
from pwtool.text.store import cache_folder, reason_of, state_folder

if TYPE_CHECKING:
    from pwtool.studio.folder import Folder
    from pwtool.studio.running import Running


def run_studio(what: str | None, base: str | None, port: int, open_browser: bool, language: str) -> int:
    """Run the studio for a file, a folder or a ruleset of the library until Ctrl-C. A file that does not exist is
    created as an edition of `base`.
    """
    try:
        from pwtool.studio.app import serve
        from pwtool.studio.drafts import Drafts
        from pwtool.studio.folder import Folder
        from pwtool.studio.running import Register
    except ImportError as error:
        _need(error)
    if base is not None:
        _begin(what, base)
    root, first, writable = _opened(what)
    folder = Folder(root, Drafts(state_folder() / "drafts"), first, writable, beside=Path())
    register, known = Register(state_folder() / "studios"), ""
    other = register.near(folder.root) if writable else None
    if other is not None:
        return _lead_to(other, folder, language, open_browser)

    def ready(address: str) -> None:
        nonlocal known
        if writable:
            known = address
            register.enter(folder.root, address)
        say(address)
        # Whoever reads it through a pipe needs it now, not when the studio ends.
        sys.stdout.flush()
        note(Told("the studio runs on this machine alone; Ctrl-C ends it, what was typed is kept"))
        if open_browser:
            webbrowser.open(address)

    # Whatever ends the studio in an orderly way ends it like Ctrl-C, so that it leaves the register.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        serve(folder, language, cache_folder(), port, ready)
    except KeyboardInterrupt:
        # This is how the studio is stopped.
        return 0
    except OSError as error:
        fail(
            Told("port {port} cannot be used: {reason}", port=str(port), reason=reason_of(error)),
            Told("name another one with --port, or 0 for any that is free"),
        )
    finally:
        signal.signal(signal.SIGTERM, before)
        register.leave(known)
    return 0


def run_export(target: Path, pyodide: Path) -> int:
    """Write the playground into a folder."""
    try:
        from pwtool.studio.playground.export import Missing, write_playground
    except ImportError as error:
        _need(error)
    try:
        size = write_playground(target, pyodide)
    except Missing as missing:
        fail(missing.message, missing.help)
    except OSError as error:
        fail(Told("cannot write `{file}`: {reason}", file=str(error.filename or target), reason=reason_of(error)))
    say(str(target))
    note(
        Told("the playground is written ({size} MB): any server of static files can offer it", size=f"{size / 1e6:.1f}")
    )
    return 0


def _need(error: ImportError) -> NoReturn:
    """Say which package is missing."""
    package = (error.name or "starlette").partition(".")[0]
    fail(
        Told("the studio needs the package {package}", package=f"`{package}`"),
        Told("install it with the extra: {command}", command="`pip install pwtool[studio]`"),
    )


def _lead_to(other: Running, folder: Folder, language: str, open_browser: bool) -> int:
    """Open the studio that is already running: two on one folder would overwrite each other's drafts."""
    shown = Path(other.root)
    if not folder.root.is_relative_to(shown):
        fail(
            Told("a studio runs already for {folder}, a folder in this one", folder=f"`{shown}`"),
            Told("end it first, or use it: {address}", address=other.address),
        )
    first = f"&file={quote(str(folder.first.relative_to(shown)))}" if folder.first is not None else ""
    address = f"{other.address}&lang={language}{first}"
    say(address)
    note(Told("a studio runs already for this folder: this is its address"))
    if open_browser:
        webbrowser.open(address)
    return 0


def _begin(what: str | None, base: str) -> None:
    """Create the file to open if it does not exist."""
    from pwtool.cli.scaffolding import run_new

    if what is None or not what.endswith(SUFFIX):
        fail(
            Told("--of begins a rules file that is not there yet"),
            Told("name it: {command}", command=f"`pwtool studio my{SUFFIX} --of {base}`"),
        )
    if not Path(what).exists():
        name = re.sub(r"\W+", "_", Path(what).stem)
        run_new("edition", name, base, Path(what), force=False)


def _opened(what: str | None) -> tuple[Path, Path | None, bool]:
    """The folder to open, the file to show first, and whether it may be changed."""
    if what == "":
        fail(Told("the name of a file, a folder or a ruleset is needed"), Told("leave it out for this folder"))
    path = Path(what) if what is not None else Path(".")
    if is_folder(path):
        return path, None, True
    if what is not None and what.endswith(SUFFIX):
        if not path.is_file():
            near = [p.name for p in path.parent.glob(f"*{SUFFIX}")] if path.parent.is_dir() else []
            fail(
                Told("there is no rules file `{file}`", file=what),
                did_you_mean(path.name, near)
                or Told("{command} begins one", command=f"`pwtool studio {what} --of GAME/EDITION`"),
            )
        if not os.access(path, os.R_OK):
            fail(Told("cannot read `{file}`: {reason}", file=what, reason=Told("permission denied")))
        return path.parent, path, True
    assert what is not None
    library = Library()
    targets, problems = find_targets([what], library)
    found = library.layers(targets[0].address) if targets else None
    if problems or found is None or found.value is None:
        stop(found.diagnostics if found is not None and not problems else problems)
    shown = next(layer.document.header for layer in reversed(found.value) if layer.document.header.kind != "part")
    own = next(Path(name) for name, file in library.opened.items() if file.name == shown.span.file.name)
    return own.parent, own, False
