"""JSON to notation and back gives an equal record, and the canonical text back as it was; no text crashes the reader."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pwtool.checking.documents import check_loaded, load_document
from pwtool.checking.report import FileResult
from pwtool.ir.model import ParameterModel, SetupModel
from pwtool.ir.types import Type
from pwtool.kernel.answers import STOPPED
from pwtool.play.game import Game
from pwtool.play.state import zone_labels
from pwtool.records.decoding import Decoder
from pwtool.records.encoding import label_key
from pwtool.records.inputs import Document
from pwtool.records.notation.parser import parse_notation
from pwtool.records.notation.reading import read_notation
from pwtool.records.notation.writing import format_notation
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.records.words import MARKS
from pwtool.rules.library import Library
from pwtool.text.source import SourceFile
from tests.daily import one_day_in, some, times
from tests.support import ADDRESSES, book, full_record, imported, random_game, raw_games, ruleset_store

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples" / "records").glob("*.json"))
GAMES = raw_games("base", "advanced", "anomalies")
RELAXED = settings(
    max_examples=times(20, 60), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def read(text: str, game: Game) -> dict[str, Any]:
    parsed = parse_notation(SourceFile("game.pwn", text))
    assert parsed.value is not None and not parsed.diagnostics, (
        text,
        [f"{d.span} {d.message}" for d in parsed.diagnostics],
    )
    found = read_notation(parsed.value, game)
    assert found.value is not None and not found.diagnostics, (
        text,
        [f"{d.span} {d.message}" for d in found.diagnostics],
    )
    return found.value.data


def round_trip(data: dict[str, Any], game: Game) -> str:
    text = format_notation(data, game)
    back = read(text, game)
    assert back == data, text
    assert format_notation(back, game) == text
    return text


@pytest.mark.parametrize("path", EXAMPLES, ids=[p.stem for p in EXAMPLES])
def test_examples_survive_both_ways(path: Path) -> None:
    data = json.loads(path.read_text("utf-8"))
    round_trip(data, book(data["ruleset"]).game)


@one_day_in(8)
@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_recorded_games_survive_and_fit_on_a_page(step: int) -> None:
    assert len(GAMES) >= 72
    for name, raw in GAMES[::step]:
        for data in (imported(raw), full_record(raw)):
            text = round_trip(data, book(data["ruleset"]).game)
            lines = text.splitlines()
            assert max(map(len, lines)) <= 80, name
            assert len(lines) <= 65, name


@pytest.mark.parametrize("address", some([*ADDRESSES], 2))
def test_random_games_survive(address: str) -> None:
    for players in (2, 3, 4):
        data, _ = random_game(address, players, players, max_turns=60)
        round_trip(data, book(address).game)


# ---- records that are well formed and nothing more

TEXT = st.text(max_size=12) | st.sampled_from(
    ["", " a ", "a  b", "}", "\\n", "{", "a\nb", "1.", "? !", "é\u2028\x85\U000e0001"]
)
NAMES = st.text(min_size=1, max_size=8) | st.sampled_from(
    ["Ana", "An", "A", "-3", "12.", "?", "a b", '"', "none", "R1", "ü", "x,y"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
    | st.sampled_from(["null", "3", "1e5", "[", "{}", '"x"', "2026-05-01", "NaN", " ", "true "]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=4,
)  # fmt: skip
KEYS = TEXT | st.sampled_from(
    ["place", "players", "player", "versoin", "meta", "setup", "result", "a key", "id:", "1.", "{x"]
)


class Wild:
    """Draws a record that the decoder of a ruleset accepts, legal or not."""

    def __init__(self, draw: Any, game: Game) -> None:
        self.draw = draw
        self.game = game
        self.ruleset = game.ruleset
        seats = draw(st.integers(1, self.ruleset.max_players))
        self.players: list[str] = draw(st.lists(NAMES, min_size=seats, max_size=seats, unique=True))
        self.goals: list[str] = []

    def maybe(self, data: dict[str, Any], key: str, values: st.SearchStrategy[Any]) -> None:
        if self.draw(st.booleans()):
            data[key] = self.draw(values)

    def record(self) -> dict[str, Any]:
        data: dict[str, Any] = {"format": "pwtool/1", "players": self.players, "setup": {}}
        for key in ("ruleset", "version", "id", "comment"):
            self.maybe(data, key, TEXT)
        self.maybe(data, "meta", st.dictionaries(KEYS, JSON, max_size=3))
        if self.ruleset.consequences:
            self.maybe(data, "recorded", st.lists(st.sampled_from(list(self.ruleset.consequences)), max_size=2))
        if self.ruleset.goal_zone:
            self.goals = self.draw(st.lists(st.sampled_from(list(self.ruleset.objectives)), max_size=3))
            data["setup"][self.ruleset.goal_zone] = self.goals
        for step in self.ruleset.setup:
            if step.recorded:
                data["setup"][step.name] = self.dealt(step)
        if not data["setup"]:
            del data["setup"]
        data["turns"] = [self.turn() for _ in range(self.draw(st.integers(0, 3)))]
        if self.draw(st.booleans()):
            data["result"] = self.result()
        return data

    def dealt(self, step: SetupModel) -> Any:
        zone = self.game.zone_list[step.zone]
        cards = st.lists(self.values(zone.element), max_size=3)
        part = self.values(zone.element) if step.amount == 1 else cards
        if step.spread:
            return [[self.draw(part) for _ in range(zone.width)] for _ in range(zone.height)]
        labels = [label_key(label) for label in zone_labels(zone, self.players, self.goals)]
        if not zone.dimensions:
            return self.draw(part)
        if zone.dimensions == (("number", len(labels)),):
            return [self.draw(part) for _ in labels]
        return {label: self.draw(part) for label in self.draw(st.permutations(labels))}

    def turn(self) -> dict[str, Any]:
        turn: dict[str, Any] = {} if self.ruleset.rounds else {"player": self.draw(st.sampled_from(self.players))}
        turn["actions"] = [self.action(turn.get("player")) for _ in range(self.draw(st.integers(0, 3)))]
        self.maybe(turn, "comment", TEXT)
        return turn

    def action(self, owner: str | None) -> dict[str, Any]:
        models = {**self.ruleset.actions, **self.ruleset.consequences}
        model = models[self.draw(st.sampled_from(list(models)))]
        data: dict[str, Any] = {"action": model.name}
        if not model.joint and (self.draw(st.booleans()) or (self.ruleset.rounds and not model.is_consequence)):
            # Nobody else does what the rules do.
            data["by"] = self.draw(st.sampled_from(self.players)) if not model.is_consequence else owner
            if data["by"] is None:
                del data["by"]
        for p in model.parameters:
            if p.kind != "derived" or self.draw(st.booleans()):
                data[p.name] = self.draw(self.argument(p))
        piles = {z.name: z for z in self.game.zone_list if z.kind == "pile" and z.element.kind == "face"}
        if piles and not model.is_consequence and self.draw(st.booleans()):
            data["reveal"] = {}
            for zone in [piles[z] for z in self.draw(st.lists(st.sampled_from(list(piles)), max_size=2, unique=True))]:
                faces = st.sampled_from(self.game.ruleset.components[zone.element.component].codes)
                labels = [label_key(label) for label in zone_labels(zone, self.players, self.goals)]
                shown = st.dictionaries(st.sampled_from(labels), faces, max_size=3) if zone.dimensions else faces
                data["reveal"][zone.name] = self.draw(shown)
        self.maybe(data, "mark", st.sampled_from(MARKS))
        self.maybe(data, "comment", TEXT)
        return data

    def argument(self, p: ParameterModel) -> st.SearchStrategy[Any]:
        if p.kind == "cell":
            number = st.integers(-3, 30) | st.sampled_from([-999, 999])
            return st.tuples(number, number).map(list)
        element = self.values(p.type.element or p.type)
        if p.each:
            return st.fixed_dictionaries(dict.fromkeys(self.players, element))
        if p.kind == "tops":
            return st.dictionaries(st.sampled_from(["1", "2", "9", "1234"]), element, max_size=3)
        if p.listed:
            return st.lists(element, max_size=3)
        return element

    def values(self, t: Type) -> st.SearchStrategy[Any]:
        match t.kind:
            case "face":
                return st.sampled_from([*self.ruleset.components[t.component].codes, "?"])
            case "member":
                return st.sampled_from(sorted(set(self.ruleset.components[t.component].attributes[t.attribute].table)))
            case "int":
                return st.integers(t.low, t.high)
            case "bool":
                return st.booleans()
            case "player":
                return st.sampled_from(self.players)
            case "goal":
                return st.sampled_from(list(self.ruleset.objectives))
        assert t.kind == "key"
        return st.one_of([self.values(option) for option in t.options])

    def result(self) -> dict[str, Any]:
        result: dict[str, Any] = {}
        names, numbers = st.sampled_from(self.players), st.integers(-50, 10**12)
        lines = st.dictionaries(st.sampled_from([s.name for s in self.ruleset.scores]), numbers)
        self.maybe(result, "scores", st.dictionaries(names, numbers))
        self.maybe(result, "parts", st.dictionaries(names, lines))
        self.maybe(result, "ranking", st.lists(names, unique=True).flatmap(groups))
        rules, turns = st.sampled_from([e.name for e in self.ruleset.endings]), st.integers(-5, 500)
        end = st.none() | st.fixed_dictionaries({}, optional={"rule": rules, "turn": turns})
        self.maybe(result, "end", end)
        self.maybe(result, "stopped", st.sampled_from(STOPPED))
        return result


def groups(names: list[str]) -> st.SearchStrategy[list[list[str]]]:
    return st.lists(st.booleans(), min_size=len(names), max_size=len(names)).map(
        lambda ties: [[n for n, _ in part] for part in _cut(list(zip(names, ties, strict=True)))]
    )


def _cut(names: list[tuple[str, bool]]) -> list[list[tuple[str, bool]]]:
    parts: list[list[tuple[str, bool]]] = []
    for name, tied in names:
        if tied and parts:
            parts[-1].append((name, tied))
        else:
            parts.append([(name, tied)])
    return parts


@cache
def rulebooks() -> list[Rulebook]:
    """Rulesets that between them have every kind of parameter and of setup."""
    found = [book("paper_world/gamepark+advanced"), book("paper_world/fr")]
    odd = RulesetStore(Library(Path(__file__).parent / "rules"))
    for result in (
        odd.get("odd"),
        ruleset_store().get("pierre_papier_morpion"),
        ruleset_store().get(str(ROOT / "rulesets/classics/connect_four/game.rules")),
    ):
        assert result.value is not None
        found.append(result.value)
    return found


@one_day_in(8)
@pytest.mark.parametrize("number", range(5))
@RELAXED
@given(data=st.data())
def test_any_well_formed_record_survives(number: int, data: st.DataObject) -> None:
    game = rulebooks()[number].game
    record = Wild(data.draw, game).record()
    Decoder(game).record(record)
    round_trip(record, game)


# ---- any text

CANONICAL = {
    path.stem: format_notation(data, book(data["ruleset"]).game)
    for path in EXAMPLES
    for data in [json.loads(path.read_text("utf-8"))]
}


def verdict(text: str) -> str:
    loaded = load_document(Document("odd.pwn", SourceFile("odd.pwn", text)))
    result = loaded if isinstance(loaded, FileResult) else check_loaded(loaded, ruleset_store(), None, "en")
    assert all(
        d.message and (d.span is None or 0 <= d.span.start <= d.span.end <= len(text)) for d in result.diagnostics
    )
    return result.verdict.value


@RELAXED
@given(st.text(max_size=200) | st.lists(st.sampled_from(list('1.2 \n{}"\\;:,+@=/!?>-aB#')), max_size=60).map("".join))
def test_random_text_never_crashes(text: str) -> None:
    assert verdict(text) == "unreadable"
    verdict("ruleset: paper_world/fr\nplayers: Ana, Ben\nsetup\n  goals: " + text)
    verdict("ruleset: paper_world/fr\nplayers: Ana, Ben\n1. " + text)


@RELAXED
@given(
    st.sampled_from(sorted(CANONICAL)),
    st.floats(0, 1),
    st.integers(0, 8),
    st.text(max_size=5) | st.sampled_from('\n{}";:?+@/ '),
)
def test_a_damaged_text_never_crashes(name: str, where: float, cut: int, inserted: str) -> None:
    text = CANONICAL[name]
    at = int(where * len(text))
    verdict(text[:at] + inserted + text[at + cut :])


@one_day_in(8)
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_every_line_left_out_and_every_word_replaced(step: int) -> None:
    text = CANONICAL["clean"]
    lines = text.splitlines()
    for at in range(0, len(lines), step):
        verdict("\n".join(lines[:at] + lines[at + 1 :]))
    words = text.split(" ")
    rng = random.Random(1)
    for at in range(0, len(words), 5 * step):
        odd = rng.choice(["?", "-", "X", "1", '"', "{", "}", "x,y", "-1,0", "a=b", "a@b", "a/b", ">", "=", ";", ""])
        verdict(" ".join([*words[:at], odd, *words[at + 1 :]]))
