"""The command line: parse options, call, print, exit."""

from __future__ import annotations


def main() -> None:
    """Run `pwtool`. Exit codes: 0 clean, 1 findings, 2 usage or unreadable, 3 undetermined, 101 internal error, 130 interrupted."""
    import sys

    try:
        import gc
        import os

        # A command is short: collecting garbage while modules are loaded finds none and takes a tenth of the start
        # time. Later on, a game makes thousands of objects of which none has to be looked for.
        gc.disable()
        gc.set_threshold(20_000)
        # msgspec takes from there what `typing` has since Python 3.11. Loading it takes as long as judging a game.
        if "msgspec" not in sys.modules and "typing_extensions" not in sys.modules:
            sys.modules["typing_extensions"] = None  # type: ignore[assignment]
            try:
                import msgspec  # noqa: F401
            finally:
                del sys.modules["typing_extensions"]
        words, code = sys.argv[1:], None
        # A shell that completes a command line sets this variable.
        if "_PWTOOL_COMPLETE" not in os.environ:
            if words in (["--version"], ["-V"]):
                from pwtool.cli.start import guarded, say_version

                code = guarded(say_version)
            elif words[:1] == ["check"]:
                from pwtool.cli.fast_path import run_plain

                code = run_plain(words)
                if code is not None:
                    from pwtool.cli.start import end_at_once

                    end_at_once(code)
        if code is None:
            from pwtool.cli.app import run

            code = run()
    except KeyboardInterrupt:
        # Before or after the command itself.
        code = 130
    sys.exit(code)
