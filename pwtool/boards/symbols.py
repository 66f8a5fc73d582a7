"""Symbolic values of expressions about an unknown board: the kinds of value that `gates` computes with.

A condition is a node of the circuit. Everything else is a record of alternatives, each under a condition; exactly one
of these conditions holds (of `Items`, any number).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pwtool.boards.encoding import Spot
from pwtool.boards.numbers import Number
from pwtool.ir.nodes import Expr
from pwtool.text.source import Span


@dataclass(frozen=True, slots=True)
class Card:
    """One card: the visible or a covered one of a cell (a `Spot`), or a face by its number."""

    options: tuple[tuple[int, Spot | int], ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few known values: of an attribute, a cell, a player. `bits` are those of the attribute `of`."""

    cases: Mapping[Any, int]
    bits: tuple[int, ...] | None = None
    of: str = ""


@dataclass(frozen=True, slots=True)
class Maybe:
    """A value that exists under a condition, otherwise `none`."""

    there: int
    value: Value | None


@dataclass(frozen=True, slots=True)
class PileOf:
    """The pile on a cell."""

    cell: int


@dataclass(frozen=True, slots=True)
class Items:
    """A collection: its possible elements in order, each under its condition."""

    items: tuple[tuple[int, Value], ...]


@dataclass(frozen=True, slots=True)
class Board:
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
