"""Random expressions as text, by kind: what the declarations of a game let one write.

A kind is what an expression is: `bool number cell player goal`, `face:COMPONENT`, `member:COMPONENT.ATTRIBUTE`, each with
`?` where it may be nothing; `list:ELEMENT` (gone through), `pile:ELEMENT` and `bag:ELEMENT` (a zone, with a top),
`piles:ELEMENT` (several zones), `grid:COMPONENT`. Most of what is written here passes the checker; what does not is
left out by those who ask.
"""

from __future__ import annotations

from tests.kernel.writing.conditions import Conditions
from tests.kernel.writing.text import Definition, Local, NoWayError, Place, Text


class Writer(Conditions):
    """Writes expressions about a game. Definitions that it makes on the way are in `definitions`."""


__all__ = ["Definition", "Local", "NoWayError", "Place", "Text", "Writer"]
