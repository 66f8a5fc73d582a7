"""The command line: parse options, call, print, exit."""

from __future__ import annotations


def main() -> None:
    """Run `pwtool`. Exit codes: 0 clean, 1 findings, 2 usage or unreadable, 3 undetermined, 101 a mistake of this
    program, 130 interrupted.
    """
    import sys

    try:
        import gc
        import os

        # A command is short: looking for garbage while the modules are loaded finds none and costs a tenth of the start.
        gc.disable()
        from pwtool.cli.quick import run_plain

        # What completes a command line for a shell asks by this variable.
        code = None if "_PWTOOL_COMPLETE" in os.environ else run_plain(sys.argv[1:])
        if code is None:
            from pwtool.cli.app import run

            code = run()
    except KeyboardInterrupt:
        # Before or after the command itself, which tells of it.
        code = 130
    sys.exit(code)
