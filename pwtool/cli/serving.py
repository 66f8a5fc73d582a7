"""`pwtool lsp`: the language server."""

from __future__ import annotations

import sys

from pwtool.cli.common import fail
from pwtool.cli.output_settings import output_settings
from pwtool.cli.streams import complain, messages
from pwtool.text.store import cache_folder


def run_lsp() -> int:
    """Serve an editor over standard input and output until it disconnects."""
    try:
        from pwtool.lsp.server import serve
    except ImportError as error:
        package = (error.name or "pygls").partition(".")[0]
        fail(
            f"the language server needs the package `{package}`", "install it with the extra: `pip install pwtool[lsp]`"
        )
    if sys.stdin.isatty():
        complain("this command speaks with an editor over standard input; docs/editors.md says how to set one up")
    with messages() as (reader, writer):
        serve(cache_folder(), reader, writer, output_settings.speech)
    return 0
