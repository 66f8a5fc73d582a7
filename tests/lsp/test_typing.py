"""Rules typed sign by sign and damaged at random: every request is answered, and nothing ever ends the server."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from lsprotocol import types

from tests.daily import one_day_in
from tests.lsp.rules import GAME
from tests.lsp.session import Session, ask_everything, opened
from tests.support import few_or_many

PIECES = [
    "{",
    "}",
    "[",
    "]",
    "(",
    '"',
    "#",
    " some ",
    "\n",
    "\r\n",
    "\U0001f600",
    ".",
    ":",
    "objective ",
    "\x00",
    "\u2028",
    "-",
    "9" * 12,
]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with opened(tmp_path_factory.mktemp("opened")) as found:
        yield found


@one_day_in(8)
@pytest.mark.parametrize("step", [53, pytest.param(1, marks=pytest.mark.slow)])
def test_a_game_typed_sign_by_sign(session: Session, step: int) -> None:
    name = f"typed{step}.rules"
    session.open(name, "")
    line = column = 0
    for at, sign in enumerate(GAME):
        session.change(name, sign, (line, column))
        line, column = (line + 1, 0) if sign == "\n" else (line, column + 1)
        if at % step == 0:
            session.run(ask_everything(session, name, types.Position(line, column)))
    session.findings(name, without=("PW101", "PW209"))


@one_day_in(4)
@pytest.mark.parametrize("times", few_or_many(20, 400))
def test_damage_of_all_kinds(session: Session, times: int) -> None:
    rng = random.Random(1)
    name = f"damaged{times}.rules"
    session.open(name, GAME)
    text = GAME
    for number in range(times):
        lines = text.split("\n")
        row = rng.randrange(len(lines))
        column = rng.randrange(len(lines[row]) + 1)
        end = min(row + rng.randrange(2), len(lines) - 1), rng.randrange(12)
        place = types.Position(*rng.choice([(row, column), end, (999, 999)]))
        session.change(name, rng.choice(PIECES), (row, column), max((row, column), end))
        if number % 3 == 0:
            session.run(ask_everything(session, name, place))
        if number % 10 == 9:
            session.change(name, text)
    session.change(name, GAME)
    session.findings(name, without=("PW101", "PW102", "PW103", "PW209"))
