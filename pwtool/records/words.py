"""Names and limits shared by all parts of the file formats."""

FORMAT = "pwtool/1"
STATE_FORMAT = "pwtool-state/1"
UNSEEN_CODE = "?"
SCHEMA = "$schema"
"""The URL at which editors find the schema of a file."""
MAX_NAME = 80
MAX_TURNS = 100_000
MAX_CELL = 999
MAX_PLAYERS = 100
MAX_GOALS = 100
MAX_ITEMS = 10_000
"""The most cards in one deal or one action, and the most entries of a list in a position."""
MARKS = ("!", "?", "!!", "??", "!?", "?!")
"""What an annotator may set behind an action, as in chess."""
