"""`pwtool cache`: where the cache is, and emptying it."""

from __future__ import annotations

import shutil

from pwtool.cli.common import fail
from pwtool.cli.streams import say
from pwtool.text.store import cache_folder, reason_of


def run_path() -> int:
    """Print the folder of the cache."""
    folder = cache_folder()
    if folder is None:
        fail("the cache is off: PWTOOL_NO_CACHE is set")
    say(str(folder))
    return 0


def run_clear() -> int:
    """Delete everything in the cache; it is created again when needed."""
    folder = cache_folder()
    if folder is None:
        fail("the cache is off: PWTOOL_NO_CACHE is set")
    assert folder is not None
    if folder.is_symlink():
        fail(f"`{folder}` is a link", "delete what it leads to by hand")
    try:
        if folder.is_dir():
            shutil.rmtree(folder)
    except OSError as error:
        fail(f"`{folder}` cannot be cleared: {reason_of(error)}")
    say(f"cleared {folder}")
    return 0
