"""A game that is ready to play is used by one thread at a time: others wait until a call has its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from functools import wraps
from threading import RLock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from pwtool.play.game import Game
from pwtool.records.ruleset_store import Rulebook

_Method = TypeVar("_Method", bound=Callable[..., Any])
_Item = TypeVar("_Item")
_END = object()
_LOCKS: WeakKeyDictionary[Game, AbstractContextManager[Any]] = WeakKeyDictionary()
"""The lock of each game. They are no part of games, which are copied."""


def alone_with(book: Rulebook) -> AbstractContextManager[Any]:
    """Wait until no other thread uses a game, and keep it meanwhile. Calls of the same thread may stand inside each other."""
    return _LOCKS.setdefault(book.game, RLock())


def alone(method: _Method) -> _Method:
    """A method of an object with a `_book` that only one thread carries out at a time."""

    @wraps(method)
    def waiting(self: Any, *given: Any, **named: Any) -> Any:
        with alone_with(self._book):
            return method(self, *given, **named)

    return waiting  # type: ignore[return-value]


def each_alone(book: Rulebook, items: Iterable[_Item]) -> Iterator[_Item]:
    """Items that use a game to come about, one after the other."""
    iterator = iter(items)
    while True:
        with alone_with(book):
            item = next(iterator, _END)
        if item is _END:
            return
        yield item  # type: ignore[misc]
