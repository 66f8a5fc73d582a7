"""The envelope of a record: the part of its form that is the same for all rulesets."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from pwtool.kernel.answers import STOPPED
from pwtool.records.words import FORMAT, MAX_NAME, MAX_PLAYERS, MAX_TURNS, SCHEMA, STATE_FORMAT

Name = Annotated[str, StringConstraints(min_length=1, max_length=MAX_NAME)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class TurnEnvelope(_Strict):
    """One turn or round: who played it (nobody: a round), and the actions in order (each described by the ruleset's
    schema).
    """

    player: Name | None = None
    actions: list[dict[str, Any]]
    comment: str | None = None


class EndEnvelope(_Strict):
    """Which ending was triggered, and in which turn (counted from 1)."""

    rule: str | None = None
    turn: Annotated[int, Field(ge=1)] | None = None


class ResultEnvelope(_Strict):
    """What the record says of the end of the game. Everything is optional; what is there is checked."""

    scores: dict[str, int] | None = None
    parts: dict[str, dict[str, int]] | None = None
    ranking: list[list[Name]] | None = None
    end: EndEnvelope | None = None
    stopped: Literal[STOPPED] | None = None  # type: ignore[valid-type]


class RecordEnvelope(_Strict):
    """A recorded game."""

    schema_: Annotated[str | None, Field(alias=SCHEMA)] = None
    format: Literal[FORMAT]  # type: ignore[valid-type]
    ruleset: str | None = None
    version: str | None = None
    id: str | None = None
    players: Annotated[list[Name], Field(min_length=1, max_length=MAX_PLAYERS)]
    recorded: list[str] = []
    meta: dict[str, Any] = {}
    comment: str | None = None
    setup: dict[str, Any] = {}
    start: dict[str, Any] | None = None
    turns: Annotated[list[TurnEnvelope], Field(max_length=MAX_TURNS)]
    result: ResultEnvelope | None = None


class StateEnvelope(BaseModel):
    """A position alone."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    schema_: Annotated[str | None, Field(alias=SCHEMA)] = None
    format: Literal[STATE_FORMAT]  # type: ignore[valid-type]
    ruleset: str | None = None
    version: str | None = None
    players: Annotated[list[Name], Field(min_length=1, max_length=MAX_PLAYERS)]
    moment: Literal["between", "within"] | None = None
    player: Name | None = None
    turn: Annotated[int, Field(ge=1, le=MAX_TURNS)] | None = None
    end: EndEnvelope | None = None
    zones: dict[str, Any]
    tokens: dict[str, Any] = {}
