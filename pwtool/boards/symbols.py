"""Symbolic values of expressions about an unknown board: the kinds of value that `gates` computes with.

A condition is a node of the circuit. Everything else is a record of alternatives, each under a condition; exactly one
of these conditions holds (of `Items`, any number).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from pwtool.boards.encoding import Spot
from pwtool.boards.numbers import Number
from pwtool.ir.nodes import Expr
from pwtool.text.source import Span


class Card(Struct, frozen=True):
    """One card: the visible or a covered one of a cell (a `Spot`), or a face by its number."""

    options: tuple[tuple[int, Spot | int], ...]


class Choice(Struct, frozen=True):
    """One of a few known values: of an attribute, a cell, a player. `bits` are those of the attribute `of`."""

    cases: Mapping[Any, int]
    bits: tuple[int, ...] | None = None
    of: str = ""


class Maybe(Struct, frozen=True):
    """A value that exists under a condition, otherwise `none`."""

    there: int
    value: Value | None


class PileOf(Struct, frozen=True):
    """The pile on a cell."""

    cell: int


class Items(Struct, frozen=True):
    """A collection: its possible elements in order, each under its condition."""

    items: tuple[tuple[int, Value], ...]


class Board(Struct, frozen=True):
    """The whole grid."""


Value = int | Number | Card | Choice | Maybe | PileOf | Items | Board


class Unsupported(Exception):
    """An expression that depends on more than the grid: `at` is the operation, `span` its location. Never leaves the package: it
    becomes a finding.
    """

    def __init__(self, reason: str, span: Span | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at: Expr | None = None
        self.span = span
