"""`pwtool report`: the results of `pwtool check --results` as a page of charts."""

from __future__ import annotations

from pathlib import Path

from pwtool.checking.overview import Unreadable, read_overview
from pwtool.cli.common import fail, keep_file, write_file
from pwtool.cli.manner import manner
from pwtool.cli.streams import print_data
from pwtool.show.svg.charts import is_installed
from pwtool.text.store import is_stream, reason_of


def run_report(results: Path, output: Path | None, force: bool) -> int:
    """Summarize the results and write the page."""
    from pwtool.show.html.reporting import render_report

    begin_page(output, force)
    if output is not None and output.resolve() == results.resolve():
        fail(f"`{output}` is an input of this command and cannot be overwritten", "write to another file")
    try:
        found = read_overview(results)
    except ImportError:
        fail("adding results up needs the package `duckdb`", "install it with the extra: `pip install pwtool[report]`")
    except Unreadable as error:
        cause = error.__cause__
        told = reason_of(cause) if isinstance(cause, OSError) else str(error)
        fail(f"`{results}` contains no results: {told}", "`pwtool check FILE... --results` writes them")
    write_page(render_report(found, str(results), _folder(output), manner.speech), output, force)
    return 0


def begin_page(output: Path | None, force: bool) -> None:
    """Stop the command at its beginning if it could not write a page of charts at its end."""
    if not is_installed():
        fail("charts need the package `vl-convert-python`", "install it with the extra: `pip install pwtool[report]`")
    if output is not None:
        keep_file(output, force)


def write_page(page: str, output: Path | None, force: bool) -> None:
    """Write a page to its file, or to standard output."""
    if output is None:
        print_data(page)
    else:
        write_file(output, page, force)


def _folder(output: Path | None) -> str:
    return str(output.parent) if output is not None and not is_stream(output) else "."
