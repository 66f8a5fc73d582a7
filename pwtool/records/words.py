"""Words and bounds that all parts of the file formats share."""

FORMAT = "pwtool/1"
STATE_FORMAT = "pwtool-state/1"
UNSEEN_CODE = "?"
MAX_NAME = 80
MAX_TURNS = 100_000
MAX_CELL = 999
MARKS = ("!", "?", "!!", "??", "!?", "?!")
"""What an annotator may set behind an action, as in chess."""
