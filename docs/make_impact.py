"""Writes docs/impact.md: what each rulebook would have made of the 72 recorded games of Game Park's implementation.

    python docs/make_impact.py [--check]

The games are imported, and the players' actions are judged by the rules they were played under and by each rulebook.
`--check` only compares the result with the existing page.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pwtool.comparing.impact import CHANGES, GameImpact, Impact, bare, judge
from pwtool.records.importers.gamepark import GAMEPARK
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from pwtool.text.source import SourceFile

ROOT = Path(__file__).resolve().parent.parent
GAMES = ROOT / "tests" / "games" / "data" / "gamepark"
PAGE = ROOT / "docs" / "impact.md"
PLAYED = "paper_world/gamepark"
EDITIONS = ("en", "fr", "de", "bga")
MODES = {"base": "", "advanced": "+advanced"}
SHOWN = 4
COUNT = 36


def measure(ruleset_store: RulesetStore, mode: str, count: int = COUNT) -> list[Impact]:
    """The impact of every edition that has this mode on the first so many games of it."""
    variant = MODES[mode]
    played = ruleset_store.get(PLAYED + variant).value
    assert played is not None
    records = {}
    paths = sorted((GAMES / mode).glob("*.json"))
    if len(paths) != COUNT:
        raise SystemExit(f"expected {COUNT} games in {mode}, found {len(paths)}")
    for path in paths[:count]:
        record = GAMEPARK.convert(json.loads(path.read_text("utf-8")), SourceFile(path.name, "")).value
        assert record is not None, path
        # These games were played to their end; each rulebook computes the result again.
        records[path.stem] = bare({**record, "result": {}}, played.game.ruleset.recordable)
    before = {name: judge(played.decoder.record(record), played) for name, record in records.items()}
    found = []
    for edition in EDITIONS:
        address = f"paper_world/{edition}{variant}"
        book = ruleset_store.get(address).value
        if book is None:
            continue
        games = [GameImpact(n, before[n], judge(book.decoder.record(r), book)) for n, r in records.items()]
        found.append(Impact(PLAYED + variant, address, tuple(games)))
    return found


def make_page() -> str:
    """The page."""
    ruleset_store = RulesetStore(Library())
    impacts = [(mode, impact) for mode in MODES for impact in measure(ruleset_store, mode)]
    lines = [
        "# What each rulebook makes of the recorded games",
        "",
        "What would each rulebook have meant for the 72 games recorded on Game Park's implementation? Only the players'",
        "actions count: the rules they were played under and each rulebook judge them, and claims and results are computed",
        "again under each. `pwtool compare A B --games FILE` does the same for your own archive.",
        "[departures.md](departures.md) explains every finding, and `python docs/make_impact.py` writes this page.",
        "",
        "A game that is illegal under a rulebook is played on as recorded, and its score is computed from that.",
        "",
        "| rulebook | games | stay legal | become illegal | by the setup alone | other score | other winner |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for _, i in impacts:
        assert len(i.named(CHANGES[0])) + len(i.named(CHANGES[1])) == len(i.games), i.second
        counts = (i.games, i.named(CHANGES[0]), i.named(CHANGES[1]), i.setup_only, i.other_scores, i.other_winners)
        lines.append(f"| `{i.second}` | " + " | ".join(str(len(names)) for names in counts) + " |")
    for mode, impact in impacts:
        lines += ["", f"## {impact.second}", "", "| what | games | |", "| --- | --- | --- |"]
        lines += [f"| {what} | {len(names)} | {_links(mode, names)} |" for what, names in rows(impact)]
    return "\n".join(lines) + "\n"


def rows(impact: Impact) -> list[tuple[str, list[str]]]:
    """What the page says of an edition, each with the names of its games."""
    found = [("stay legal", impact.named(CHANGES[0]))]
    found += [(f"illegal by `{rule}`", names) for change, rule, names in impact.by_rule if change == CHANGES[1]]
    found += [(f"other score by `{cause}`", names) for cause, names in impact.by_score]
    found += [("other winner", impact.other_winners)]
    return found


def _links(mode: str, names: list[str]) -> str:
    few = ", ".join(f"[{n}](../tests/games/data/gamepark/{mode}/{n}.json)" for n in names[:SHOWN])
    return few + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def main() -> None:
    """Write the page, or compare it."""
    page = make_page()
    if "--check" in sys.argv:
        if PAGE.read_text("utf-8") != page:
            raise SystemExit("docs/impact.md is out of date: run python docs/make_impact.py")
        print("docs/impact.md is up to date")
        return
    PAGE.write_text(page, "utf-8")
    print(f"wrote {PAGE.name}")


if __name__ == "__main__":
    main()
