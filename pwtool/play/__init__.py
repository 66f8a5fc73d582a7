"""Playing a game: state, turns, legal actions, replay, score, random play."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if not TYPE_CHECKING:

    class _Facts:
        """`pwtool.play.facts`, imported when there is one to tell of: most games are clean, and it has many classes."""

        def __getattr__(self, name: str) -> Any:
            from importlib import import_module

            found = self.__dict__[name] = getattr(import_module("pwtool.play.facts"), name)
            return found

    facts = _Facts()
