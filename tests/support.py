"""What several tests share: loaded games, recorded games, random legal play."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import pytest

from pwtool.play.chance import Chance
from pwtool.play.finding import Finding
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.play.play import Play
from pwtool.play.record import Record
from pwtool.play.replay import Replay, replay_record
from pwtool.play.selfplay import deal_at_random, outcome_of, play_game, random_policy
from pwtool.play.state import State, all_faces
from pwtool.records.encoding import encode_outcome, encode_record
from pwtool.records.importers import Format, formats
from pwtool.records.importers.gamepark import GAMEPARK
from pwtool.records.importers.installed import draft_game
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.library import Library
from pwtool.text.source import SourceFile
from pwtool.why.causes import mark_causes
from pwtool.why.messages import Messages

DATA = Path(__file__).resolve().parent / "games" / "data" / "gamepark"
EDITIONS = ("paper_world", *(f"paper_world/{name}" for name in ("en", "fr", "de", "bga", "gamepark")))
ADDRESSES = (*EDITIONS, *(f"{e}+advanced" for e in EDITIONS if not e.endswith("bga")))
COLORS = {1: "yellow", 2: "blue", 3: "green", 4: "black"}


def offer_package(source: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a package be found as if it was installed: what its pyproject.toml says of it, written into a folder of the path."""
    project = tomllib.loads((source / "pyproject.toml").read_text("utf-8"))["project"]
    about = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    points = [f"[{group}]\n{k} = {v}\n" for group, all_ in project["entry-points"].items() for k, v in all_.items()]
    (about / "entry_points.txt").write_text("".join(points))
    for path in (source, folder):
        monkeypatch.syspath_prepend(str(path))


def without_package(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """Let a package be missing, also for the modules of formats that have imported it."""
    modules = [name for name, module in sys.modules.items() if name.startswith("pwtool.records.importers.")]
    for name in [n for n in modules if hasattr(sys.modules[n], package)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)


def games_in(data: bytes, form: Format, block: int = 1 << 20) -> list[tuple[int, bytes]]:
    """The games of a file and the lines in which they begin, read in blocks of this many bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(formats, "_BLOCK", block)
        return [game[:2] for game in form.games(BytesIO(data))]


def drafted_of(game: str | bytes, form: str) -> formats.Draft | None:
    """What is read quickly of a game."""
    data = game.encode() if isinstance(game, str) else game
    found = draft_game(data, form, f"game.{form}", 1 << 20, 1)
    return None if found is None else found[0]


def for_rules(record: dict[str, Any]) -> dict[str, Any]:
    """A record without what players say of it."""
    turns = [
        {
            **turn,
            "actions": [
                {k: v for k, v in action.items() if k not in ("comment", "mark")} for action in turn["actions"]
            ],
        }
        for turn in record["turns"]
    ]
    return {k: v for k, v in record.items() if k not in ("meta", "comment")} | {"turns": turns}


def few_or_many(few: int, many: int) -> list[Any]:
    """A parameter that says how much of the same is tried: a little every day, more in the full run."""
    return [few, pytest.param(many, marks=pytest.mark.slow)]


@cache
def ruleset_store() -> RulesetStore:
    return RulesetStore(Library())


def book(address: str) -> Rulebook:
    """The rulebook at an address; it has to load without findings."""
    result = ruleset_store().get(address)
    assert result.value is not None and not result.diagnostics, [d.message for d in result.diagnostics]
    return result.value


def raw_games(*folders: str) -> list[tuple[str, dict[str, Any]]]:
    """The raw exports in these folders, by name."""
    found = [(p.stem, json.loads(p.read_text("utf-8"))) for f in folders for p in sorted((DATA / f).glob("*.json"))]
    assert found, "no recorded games found"
    return found


def imported(raw: dict[str, Any]) -> dict[str, Any]:
    record = GAMEPARK.convert(raw, SourceFile("game", "")).value
    assert record is not None
    return record


def full_record(raw: dict[str, Any]) -> dict[str, Any]:
    """The imported record with everything that the implementation said of claims and result."""
    record: dict[str, Any] = imported(raw)
    final = raw["final"]
    goals = dict(zip(final["objectives"], record["setup"]["goals"], strict=True))
    record["recorded"] = ["claim"]
    for event in raw["events"]:
        if event["event"] == "claim":
            claim = {"action": "claim", "goal": goals[event["objective"]], "prize": event["token"]}
            record["turns"][event["turn"] - 1]["actions"].append(claim)
    scores = {COLORS[int(p)]: v for p, v in final["scores"].items()}
    discards = {COLORS[int(p)]: v for p, v in final["tie_breaker_discards"].items()}
    keys = {name: (-scores[name], discards[name]) for name in scores}
    ranking = [[n for n in record["players"] if keys[n] == key] for key in sorted(set(keys.values()))]
    lines = {
        "stars": "landscape",
        "objectives": "objectives",
        "token": "scissors",
        "hand": "hand",
        "discard": "discard",
    }
    record["result"] = {
        "scores": scores,
        "parts": {COLORS[int(p)]: {o: parts[g] for o, g in lines.items()} for p, parts in final["score_parts"].items()},
        "ranking": ranking,
        "end": {"rule": "exhausted", "turn": final["final_round_trigger"]["turn"]},
    }
    return record


def replay(address: str, record: dict[str, Any]) -> Replay:
    """The replay of a record dictionary."""
    rules = book(address)
    return replay_record(rules.game, rules.decoder.record(record), rules.legal)


def causes(address: str, record: dict[str, Any]) -> list[Finding]:
    """What is wrong with a record and does not follow from something else."""
    rules, found = book(address), replay(address, record)
    mark_causes(rules.game, found, rules.legal)
    return [f for f in found.findings if not f.follows]


def message(found: Replay, finding: Finding) -> str:
    """What a finding of a replay says."""
    return Messages(found.play.game, found.record.players).message(finding).text


class Drawn(Chance):
    """Random numbers of which the first are given, so that a property can choose and shrink them."""

    def __init__(self, given: list[float], seed: int) -> None:
        super().__init__(seed)
        self.given = given[::-1]

    def below(self, count: int) -> int:
        return min(count - 1, int(self.given.pop() * count)) if self.given else super().below(count)


def random_game(
    address: str, players: int, seed: int, max_turns: int = 400, choices: Chance | None = None
) -> tuple[dict[str, Any], Play]:
    """A random legal game to its end (or to where nobody can move), as a record with claims and result, and the play itself.

    The seed makes the setup; `choices` makes the moves, and the seed does where it is left out.
    """
    rules = book(address)
    rng = Chance(seed)
    record = deal_at_random(rules.game, [f"P{i}" for i in range(1, players + 1)], rng)
    play = play_game(rules.game, record, random_policy(choices or rng), rules.legal, max_turns)
    return encode_record(rules.game, record), play


def outcome(play: Play, names: list[str]) -> dict[str, Any]:
    """The result of a play that is over, as a record writes it."""
    return encode_outcome(outcome_of(play), names)


def faces_of(game: Game, state: State) -> Counter[int]:
    """Every card that lies anywhere."""
    return Counter(f for z in game.zone_list if z.element.kind == "face" for f in all_faces(state.zones[z.number]))


def decode(address: str, data: dict[str, Any]) -> Record:
    return book(address).decoder.record(data)


def legal_actions(address: str) -> LegalActions:
    return book(address).legal


@contextmanager
def started(command: list[str], **settings: Any) -> Iterator[subprocess.Popen[Any]]:
    """A command that runs beside the test and never outlives it; it hears an interrupt even where the tests do not."""
    if os.name == "posix":
        # What is started in the background by a shell ignores it.
        settings["preexec_fn"] = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(command, **settings) as process:
        try:
            yield process
        finally:
            process.kill()


def feed(stream: IO[bytes], data: bytes) -> threading.Thread:
    """Write to a command's standard input while the test reads: neither waits for the other with its pipe full."""

    def write() -> None:
        left = memoryview(data)
        # A stream without a buffer may take a part: somebody looked at the process meanwhile.
        while left:
            left = left[stream.write(left) :]
        stream.flush()

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    return writer


# ---- pages in a browser ----------------------------------------------------------------------------------------------

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)


def in_browser(page: Path, folder: Path, *options: str) -> str:
    """What a browser without a window says of a page."""
    done = subprocess.run(
        [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}", *options,
         page.as_uri()],
        capture_output=True, text=True, timeout=120, check=False, env={**os.environ, "HOME": str(folder)},
    )  # fmt: skip
    return done.stdout


def printed_pages(page: Path, folder: Path) -> int:
    """How many pages it has on paper."""
    target = folder / "printed.pdf"
    in_browser(page, folder, "--no-pdf-header-footer", f"--print-to-pdf={target}")
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", target.read_bytes()))
