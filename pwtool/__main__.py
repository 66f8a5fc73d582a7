"""`python -m pwtool` is the same command as `pwtool`."""

from pwtool.cli import main

main()
