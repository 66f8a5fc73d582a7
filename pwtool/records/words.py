"""Names and limits that all parts of the file formats share."""

FORMAT = "pwtool/1"
STATE_FORMAT = "pwtool-state/1"
UNSEEN_CODE = "?"
SCHEMA = "$schema"
"""Where editors look for the schema of a file."""
MAX_NAME = 80
MAX_TURNS = 100_000
MAX_CELL = 999
MAX_PLAYERS = 100
MAX_GOALS = 100
MAX_ITEMS = 10_000
"""The most cards that one deal or one action names, and the most entries of a list in a position."""
MAX_PROBLEMS = 20
"""So many findings of the form are told."""
MARKS = ("!", "?", "!!", "??", "!?", "?!")
"""What an annotator may set behind an action, as in chess."""
