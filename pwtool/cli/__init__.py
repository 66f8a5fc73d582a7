"""The command line: parse options, call, print, exit."""

from __future__ import annotations


def main() -> None:
    """Run `pwtool`. Exit codes: 0 clean, 1 findings, 2 usage or unreadable, 3 undetermined, 101 a mistake of this
    program.
    """
    import sys

    from pwtool.cli.app import run

    sys.exit(run())
