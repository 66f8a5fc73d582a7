"""The bounds on a rules file and on a notated game, apart from the parsers so that reading a file does not import Lark."""

MAX_BYTES = 1 << 20
MAX_DEPTH = 60
MAX_CHAIN = 250
MAX_DIGITS = 9
MAX_NOTATION = 1 << 20
