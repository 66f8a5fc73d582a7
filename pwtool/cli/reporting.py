"""`pwtool report`: the results of `pwtool check --results` as a page of charts."""

from __future__ import annotations

import os
from pathlib import Path

from pwtool.checking.overview import Unreadable, read_overview
from pwtool.cli.common import deliver, fail, keep_file
from pwtool.cli.output_settings import output_settings
from pwtool.show.svg.charts import is_installed
from pwtool.text.store import is_stream, reason_of


def run_report(results: Path, output: Path | None, force: bool) -> int:
    """Summarize the results and write the page."""
    from pwtool.show.html.reporting import render_report

    need_charts()
    if output is not None:
        keep_file(output, force)
    if output is not None and os.path.realpath(output) == os.path.realpath(results):
        fail(f"`{output}` is an input of this command and cannot be overwritten", "write to another file")
    try:
        found = read_overview(results)
    except ImportError:
        fail("adding results up needs the package `duckdb`", "install it with the extra: `pip install pwtool[report]`")
    except Unreadable as error:
        cause = error.__cause__
        told = reason_of(cause) if isinstance(cause, OSError) else str(error)
        fail(f"`{results}` contains no results: {told}", "`pwtool check FILE... --results` writes them")
    deliver(render_report(found, str(results), _folder(output), output_settings.speech), output, force)
    return 0


def need_charts() -> None:
    """Stop the command at its beginning if it could not draw charts at its end."""
    if not is_installed():
        fail("charts need the package `vl-convert-python`", "install it with the extra: `pip install pwtool[report]`")


def _folder(output: Path | None) -> str:
    return str(output.parent) if output is not None and not is_stream(output) else "."
