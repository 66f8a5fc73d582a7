"""Writes docs/departures.md: the recorded games of Game Park's implementation under three rulebooks, every finding explained.

    python docs/make_departures.py [--check]

Each of the 72 games is imported, completed with the claims and the result that the implementation recorded, and
checked under `en`, `fr` and `de`. Every root cause must be explained by a known departure of the implementation or a
difference of the edition. The script verifies each explanation on the game itself and fails if a finding has none.
`--check` only compares the result with the existing page.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from pwtool.play.finding import Finding
from pwtool.play.replay import Replay, replay_record
from pwtool.records.importers.gamepark import GAMEPARK
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from pwtool.text.source import SourceFile
from pwtool.why.causes import mark_causes
from pwtool.why.messages import Messages

ROOT = Path(__file__).resolve().parent.parent
GAMES = ROOT / "tests" / "games" / "data" / "gamepark"
PAGE = ROOT / "docs" / "departures.md"
EDITIONS = ("en", "fr", "de")
NAMES = {1: "yellow", 2: "blue", 3: "green", 4: "black"}

WHY = {
    "cards": "EN lists 92 cards, but the games were played with 96 (difference 1)",
    "must_take": "this rulebook requires players to take the token, but the implementation lets them decline (difference 3)",
    "timing": "this rulebook gives the token at the end of the turn, but the implementation gave it at once and the turn went on (difference 2)",
    "by_height": "the implementation checks the height of three piles instead of three visible 4s (departure 1)",
    "column": "the implementation accepts a column of 3s too (departure 2)",
    "limit": "in the implementation, cards discarded for the hand limit cost nothing (departure 3)",
    "limit_and_claims": "the claims above, and cards discarded for the hand limit, which cost nothing in the implementation (departures 1 to 3)",
}


def full_record(raw: dict[str, Any], name: str) -> dict[str, Any]:
    """The imported record with the implementation's own claims and result."""
    record = GAMEPARK.convert(raw, SourceFile(name, "")).value
    assert record is not None, name
    goals = dict(zip(raw["final"]["objectives"], record["setup"]["goals"], strict=True))  # type: ignore[index]
    turns: list[Any] = record["turns"]  # type: ignore[assignment]
    record["recorded"] = ["claim"]
    for event in raw["events"]:
        if event["event"] == "claim":
            claim = {"action": "claim", "goal": goals[event["objective"]], "prize": event["token"]}
            turns[event["turn"] - 1]["actions"].append(claim)
    final = raw["final"]
    record["result"] = {
        "scores": {NAMES[int(player)]: points for player, points in final["scores"].items()},
        "end": {"rule": "exhausted", "turn": final["final_round_trigger"]["turn"]},
    }
    return record


def explain(finding: Finding, edition: str, record: dict[str, Any], raw: dict[str, Any], replay: Replay) -> str | None:
    """The reason of a finding, verified on the game; None when there is none."""
    rule = finding.rule
    if rule == "setup.supply" and edition == "en":
        return WHY["cards"]
    if rule == "turn.must_take" and edition in ("fr", "de"):
        return WHY["must_take"]
    if finding.code == "PW603" and edition == "fr":
        actions = record["turns"][finding.path[1]]["actions"]
        before = [a["action"] for a in actions[: finding.path[3]]]
        return WHY["timing"] if "grab" in before else None
    if rule in ("claim", "claim.earned"):
        text = _message(finding, replay) + json.dumps(_at(record, finding))
        return WHY["by_height"] if "three_4s" in text else WHY["column"] if "row_of_3s" in text else None
    if rule == "score":
        return _score(finding, raw, replay)
    return None


def _message(finding: Finding, replay: Replay) -> str:
    return Messages(replay.play.game, replay.record.players).message(finding).text


def _at(record: dict[str, Any], finding: Finding) -> Any:
    value: Any = record
    for key in finding.path:
        value = value[key]
    return value


def _score(finding: Finding, raw: dict[str, Any], replay: Replay) -> str | None:
    player = str(next(number for number, name in NAMES.items() if name == finding.path[2]))
    final = raw["final"]
    computed = replay.result.totals[replay.record.players.index(str(finding.path[2]))] if replay.result else None
    if computed == final["scores_with_limit_discards"][player]:
        return WHY["limit"]
    claims = any(f.rule in ("claim", "claim.earned") for f in replay.findings)
    return WHY["limit_and_claims"] if claims else None


Rows = dict[tuple[str, str, str, str], list[str]]


def paths() -> list[Path]:
    """The recorded games."""
    return sorted((GAMES / "base").glob("*.json")) + sorted((GAMES / "advanced").glob("*.json"))


def judge(games: list[Path]) -> tuple[Rows, Counter[tuple[str, str, str]], Counter[str]]:
    """What is found in these games; raises SystemExit naming the findings that nothing explains."""
    ruleset_store = RulesetStore(Library())
    rows: Rows = {}
    sums: Counter[tuple[str, str, str]] = Counter()
    clean: Counter[str] = Counter()
    unexplained: list[str] = []
    for path in games:
        raw = json.loads(path.read_text("utf-8"))
        record = full_record(raw, path.stem)
        for edition in EDITIONS:
            address = f"paper_world/{edition}" + ("+advanced" if "+advanced" in str(record["ruleset"]) else "")
            book = ruleset_store.get(address).value
            assert book is not None, address
            replay = replay_record(book.game, book.decoder.record(record), book.legal)
            mark_causes(book.game, replay, book.legal)
            causes = [f for f in replay.findings if not f.follows]
            clean[edition] += not causes
            for finding in causes:
                why = explain(finding, edition, record, raw, replay)
                if why is None:
                    unexplained.append(f"{path.stem} {edition} turn {finding.turn}: {finding.rule} {finding.message}")
                    continue
                sums[edition, finding.rule or "", why] += 1
                turn = "setup" if finding.rule == "setup.supply" else str(finding.turn or "result")
                turns = rows.setdefault((path.stem, edition, finding.rule or "", why), [])
                if turn not in turns:
                    turns.append(turn)
    if unexplained:
        raise SystemExit("nothing explains:\n" + "\n".join(unexplained))
    return rows, sums, clean


def make_page() -> str:
    """The page; raises SystemExit naming the findings that nothing explains."""
    games = paths()
    if len(games) != 72:
        raise SystemExit(f"expected 72 games, found {len(games)}")
    return _render(*judge(games))


def table(rows: Rows) -> list[str]:
    """The lines of the page on every finding."""
    return [
        f"| {game} | {edition} | `{rule}` | {', '.join(turns)} | {why} |"
        for (game, edition, rule, why), turns in rows.items()
    ]


def _render(rows: Rows, sums: Counter[tuple[str, str, str]], clean: Counter[str]) -> str:
    lines = [
        "# The recorded games under the rulebooks",
        "",
        "The 72 recorded games of Game Park's implementation are clean under its own edition, `paper_world/gamepark`.",
        "This page judges them by the English, French and German rulebooks, with the advanced mode if it was played.",
        "Only root causes are listed, not the follow-up errors. `python docs/make_departures.py` writes this page.",
        "",
        "Differences are numbered as in [paper_world.md](paper_world.md). The implementation departs from the rulebooks",
        "in three points: (1) three 4s are counted by the height of piles, (2) a row of 3s may also be a column,",
        "(3) cards discarded for the hand limit cost nothing.",
        "",
        "| edition | rule | findings | why |",
        "| --- | --- | --- | --- |",
    ]
    lines += [f"| {edition} | `{rule}` | {number} | {why} |" for (edition, rule, why), number in sorted(sums.items())]
    lines += [
        "",
        "Games without a finding: " + ", ".join(f"{edition} {clean[edition]}" for edition in EDITIONS) + ".",
        "",
        "## Every finding",
        "",
    ]
    lines += ["| game | edition | rule | turns | why |", "| --- | --- | --- | --- | --- |"]
    return "\n".join(lines + table(rows)) + "\n"


def main() -> None:
    """Write the page, or compare it."""
    page = make_page()
    if "--check" in sys.argv:
        if PAGE.read_text("utf-8") != page:
            raise SystemExit("docs/departures.md is out of date: run python docs/make_departures.py")
        print("docs/departures.md is up to date")
        return
    PAGE.write_text(page, "utf-8")
    print(f"wrote {PAGE.name}")


if __name__ == "__main__":
    main()
