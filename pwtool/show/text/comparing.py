"""The comparison of rulesets as text and as JSON, and what all formats share."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import Any

from msgspec.structs import replace

from pwtool.checking.documents import NO_FORM
from pwtool.comparing.evidence import is_related
from pwtool.comparing.impact import CHANGES, Impact
from pwtool.comparing.matrix import Matrix
from pwtool.comparing.row import NATURES, Row
from pwtool.lang import tree as n
from pwtool.play.game import Game
from pwtool.records.file_names import STDIN, split_line
from pwtool.text.addresses import is_address
from pwtool.text.terminal import BLUE, BOLD, dump_json
from pwtool.text.words import aligned, counted
from pwtool.why.citing import reason_text
from pwtool.why.findings import cited

HEADINGS = {
    "semantic": "What changes play or result", "material": "Material", "setup": "Setup", "position": "Which positions can arise",
    "clarification": "Open points that only one leaves open", "erratum": "Misprints", "wording": "Only worded differently, or without effect",
}  # fmt: skip
STATUS = {
    "reworded": "the same in other words", "different": "different", "only_first": "only in the first",
    "only_second": "only in the second", "undecided": "not decided", "no_effect": "makes no difference in play",
}  # fmt: skip
DIRECTION = {
    "permissive": "the second allows more", "stricter": "the second allows less",
    "incomparable": "each allows what the other does not",
}  # fmt: skip
SHOWN_GAMES = 5
SHOWN_REASONS = 3


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two rulesets, the rows in which they differ, the number of equal items, and the impact on an archive."""

    addresses: tuple[str, str]
    games: tuple[Game, Game]
    rows: list[Row]
    shared: int
    impact: Impact | None = None
    readings: tuple[str, ...] = ()
    played: tuple[int, int] = (0, 0)
    """The number of games played under one and judged by the other, and how many of them both accept with the same result."""

    def labels(self) -> tuple[str, str]:
        """The labels of the two: their addresses, the second with its adopted readings."""
        adopted = f" ({', '.join(self.readings)})" if self.readings else ""
        return self.addresses[0], self.addresses[1] + adopted

    def versions(self) -> str:
        """The versions that are compared."""
        pairs = zip(self.addresses, self.games, strict=True)
        return "versions: " + ", ".join(f"{address} {game.ruleset.version}" for address, game in pairs)

    def summary(self) -> str:
        """The number of differences, in words."""
        known = [r for r in self.rows if r.status != "undecided"]
        differing = sum(r.nature == "semantic" for r in known)
        open_ = sum(r.nature == "semantic" for r in self.rows) - differing
        counts = {nature: sum(r.nature == nature for r in known) for nature in ("material", "setup")}
        around = " and ".join(f"{counted(count, 'item')} of {nature}" for nature, count in counts.items() if count)
        if differing:
            words = f"{counted(differing, 'difference')} in play or result" + (f", besides {around}" if around else "")
        elif around:
            differ = "differs" if sum(counts.values()) == 1 else "differ"
            same = "no rule of play is known to differ" if open_ else "the rules of play are the same"
            words = f"{same}; {around} {differ}, which can change results"
        else:
            words = f"nothing {'is known to differ' if open_ else 'differs'} in play or result"
        words += f"; {counted(open_, 'item')} of play could not be decided" if open_ else ""
        same = f"{counted(self.shared, 'item', 'is', 'are')} the same word for word"
        return f"{words}{'; ' if around or open_ else ', '}{same}"

    def verdict(self, row: Row) -> str:
        """The verdict of a row for these two: `different; the second allows more`."""
        a, b = (game.ruleset.merged.items.get((row.kind, row.name)) for game in self.games)
        return "only the sources differ" if row.status == "reworded" and _same_but_sources(a, b) else verdict(row)

    def remark(self) -> str:
        """A preliminary remark if these are not editions of one game."""
        games = [game.ruleset.layer_names()[0] for game in self.games]
        if games[0] == games[1]:
            return ""
        said = f"these are different games, `{games[0]}` and `{games[1]}`"
        return (
            said
            if is_related(*self.games)
            else f"{said}, without an action in common: each refuses every game of the other"
        )


def _same_but_sources(a: n.Node | None, b: n.Node | None) -> bool:
    """Whether two items are equal word for word and only cite different places."""
    if isinstance(a, n.SetupStep | n.Rule) and isinstance(b, n.SetupStep | n.Rule):
        return replace(a, sees=()) == replace(b, sees=())
    if isinstance(a, n.Ending | n.Score) and isinstance(b, n.Ending | n.Score):
        return replace(a, sees=()) == replace(b, sees=())
    return False


def exit_code(rows: Sequence[Row]) -> int:
    """0 if both mean the same, 1 if not, 3 if no difference is known but something is undecided."""
    real = [r for r in rows if r.nature in ("semantic", "material", "setup", "position")]
    if any(r.status != "undecided" for r in real):
        return 1
    return 3 if real else 0


def verdict(row: Row) -> str:
    """The verdict of a row: `different; the second allows more`."""
    direction = DIRECTION.get(row.direction)
    return STATUS[row.status] + (f"; {direction}" if direction else "")


def item_name(row: Row) -> str:
    return f"{row.kind} {row.name}".rstrip()


def sources_of(game: Game, row: Row) -> list[str]:
    """The sources of one side's item: what it cites, then why each layer changed it."""
    merged = game.ruleset.merged
    key = (row.kind, row.name)
    node: n.Node | None = merged.without.get(row.name) if row.kind == "variant" else merged.items.get(key)
    own = cited(game, node) if node is not None else None
    found = [own] if own else []
    reasons = [step.reason for step in merged.history.get(key, []) if step.reason is not None]
    reason = getattr(node, "reason", None)
    reasons += [reason] if isinstance(reason, n.Reason) else []
    return list(dict.fromkeys([*found, *(reason_text(game.ruleset, r) for r in reasons)]))


def open_points(game: Game) -> list[tuple[str, str, str, list[tuple[str, str]], list[str]]]:
    """Every open point and misprint of a ruleset: kind, name, adopted reading, the other readings by name, sources."""
    found = []
    for (kind, name), node in game.ruleset.merged.items.items():
        reason = getattr(node, "reason", None)
        sources = [reason_text(game.ruleset, reason)] if isinstance(reason, n.Reason) else []
        if isinstance(node, n.Ambiguity):
            others = [(a.name.name, a.text) for a in node.alternatives]
            found.append((kind, name, f"{node.text}: {node.reads}", others, sources))
        elif isinstance(node, n.Erratum):
            found.append((kind, name, node.text, [("printed", "as printed")], sources))
    return found


# ---- text ------------------------------------------------------------------------------------------------------------


def text_lines(found: Comparison) -> list[str]:
    """The comparison for a terminal."""
    first, second = found.labels()
    lines = [f"first   {first}", f"second  {second}", *([found.remark()] if found.remark() else [])]
    for nature in NATURES:
        rows = [r for r in found.rows if r.nature == nature]
        if rows:
            lines += ["", HEADINGS[nature]]
        for row in rows:
            lines += _row_lines(found, row)
    lines += ["", found.summary()]
    lines += [games_line(*found.played)] if found.played[0] else []
    return lines + (["", *impact_lines(found.impact)] if found.impact else [])


_LABELS = ("first ", "second ", "shown by ", "proof ", "witness ")


def text_head(line: str) -> tuple[int, str]:
    """How long the head of a line of `text_lines` is, and its style: a heading, an item, or what a line tells of it."""
    indent = len(line) - len(line.lstrip())
    if indent in (0, 4) and line[indent:].startswith(_LABELS):
        return indent + (9 if line[indent:].startswith("shown by") else 8), BLUE
    if indent == 0:
        return (len(line), BOLD) if line in HEADINGS.values() else (0, "")
    return (len(line.partition(": ")[0]), BOLD) if indent == 2 and ": " in line else (indent, "")


def games_line(games: int, alike: int) -> str:
    """The result of random games: how many of them are judged alike."""
    count = f"{games:,}" if alike == games else f"{alike:,} of {games:,}"
    return f"{count} games played at random, half of them under each ruleset, are accepted alike by the other"


def _row_lines(found: Comparison, row: Row) -> list[str]:
    lines = [f"  {item_name(row)}: {found.verdict(row)}"]
    if row.status != "reworded":
        for label, text, game in zip(("first", "second"), (row.first, row.second), found.games, strict=True):
            if text:
                lines.append(f"    {label:<8}{text}")
                lines += [f"            ({source})" for source in sources_of(game, row)]
    if row.example:
        lines.append(f"    shown by {row.example}")
    if row.proof:
        lines.append(f"    proof   {row.proof}")
    lines += [f"    witness {found}" for found in (*row.witness, *row.without)]
    return lines


def game_file(name: str, folder: str) -> str | None:
    """The path of a recorded game relative to a page's folder, with its line if it is in an archive; None for a game
    from standard input.
    """
    path, _ = split_line(name)
    if is_address(path):
        return path if path.lower().startswith(("http://", "https://")) else None
    if path in ("-", STDIN):
        return None
    try:
        return PurePath(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        # On another drive.
        return PurePath(path).as_posix()


def short_names(names: Sequence[str], shown: int = SHOWN_GAMES) -> str:
    """The first few games by the last part of their names."""
    few = ", ".join(PurePath(name).name for name in names[:shown])
    return few + (f" and {len(names) - shown} more" if len(names) > shown else "")


def impact_lines(impact: Impact) -> list[str]:
    """What happens to the games of an archive, by rule."""
    rows = [
        (f"    by {cause}" if cause else f"  {change}", f"{len(names):>4}", short_names(names))
        for change, cause, names in impact.table()
    ]
    head = f"{counted(len(impact.games), 'game')} under {impact.second} instead of {impact.first}"
    return [head, *aligned(rows), *(f"  {line}" for line in unread_lines(impact))]


def unread_lines(impact: Impact) -> list[str]:
    """Which games of an archive were not judged and why, with the first few reasons."""
    lines = []
    for why, helps, names in impact.reasons[:SHOWN_REASONS]:
        lines.append(f"{short_names(names, SHOWN_REASONS)}: {why}" + (f" ({helps})" if helps else ""))
    if len(impact.reasons) > SHOWN_REASONS:
        more = counted(len(impact.reasons) - SHOWN_REASONS, "other reason")
        lines.append(f"and {more}: `pwtool check` tells them all")
    if any(why == NO_FORM for why, _, _ in impact.reasons) and "pwtool import" not in " ".join(lines):
        lines.append("records of other programs are brought into this form first: `pwtool import`")
    if impact.unsearched:
        games = counted(impact.unsearched, "game")
        lines.append(f"in {games} the rule that is broken first is counted, root causes were not looked for")
    if impact.positions:
        positions = counted(impact.positions, "position", "is", "are")
        lines.append(f"{positions} left out: there is no play in a position")
    return lines


def matrix_lines(matrix: Matrix, addresses: Sequence[str], played: tuple[int, int] = (0, 0)) -> list[str]:
    """More than two rulesets: one column for each, equal letters mean the same."""
    numbers = [str(i + 1) for i in range(len(addresses))]
    lines = [f"{number}  {address}" for number, address in zip(numbers, addresses, strict=True)]
    width = max((len(f"{r.kind} {r.name}") for r in matrix.rows), default=0) + 4
    lines += ["", " " * width + "".join(f"{number:<4}" for number in numbers).rstrip()]
    nature = ""
    for row in matrix.rows:
        if row.nature != nature:
            nature = row.nature
            lines.append(HEADINGS[nature])
        letters = "".join(f"{letter:<4}" for letter in row.letters).rstrip()
        lines.append(f"  {f'{row.kind} {row.name}'.strip():<{width - 2}}{letters}" + ("  ?" * row.undecided))
    if not matrix.rows:
        lines.append("nothing differs but words")
    lines += ["", "Equal letters in a row mean the same, `-`: there is no such item."]
    return lines + ([games_line(*played)] if played[0] else [])


# ---- JSON ------------------------------------------------------------------------------------------------------------


def to_json(found: Comparison) -> str:
    """The comparison with everything that the other formats shorten."""
    data: dict[str, Any] = {
        "first": found.addresses[0],
        "second": found.addresses[1],
        "versions": [game.ruleset.version for game in found.games],
        "readings": list(found.readings),
        "same": found.shared,
        "games": {"played": found.played[0], "alike": found.played[1]},
        "rows": [
            {**asdict(row), "sources": {"first": sources_of(found.games[0], row), "second": sources_of(found.games[1], row)}}
            for row in found.rows
        ],
        "open": {label: _open_data(game) for label, game in zip(("first", "second"), found.games, strict=True)},
    }  # fmt: skip
    if found.impact is not None:
        data["impact"] = impact_data(found.impact)
    return dump_json(data, indent=2)


def _open_data(game: Game) -> list[dict[str, Any]]:
    return [
        {"kind": kind, "name": name, "text": text, "alternatives": [{"name": a, "text": t} for a, t in others], "sources": sources}
        for kind, name, text, others, sources in open_points(game)
    ]  # fmt: skip


def impact_data(impact: Impact) -> dict[str, Any]:
    """The impact with the names of all games."""
    return {
        "first": impact.first,
        "second": impact.second,
        "games": len(impact.games),
        **{change.replace(" ", "_"): impact.named(change) for change in CHANGES},
        "by_the_setup_alone": impact.setup_only,
        "by_rule": [{"change": change, "rule": rule, "games": names} for change, rule, names in impact.by_rule],
        "other_score": impact.other_scores,
        "by_score": [{"cause": cause, "games": names} for cause, names in impact.by_score],
        "other_winner": impact.other_winners,
        "positions_left_out": impact.positions,
        "root_causes_not_looked_for": impact.unsearched,
        "reasons": [{"message": why, "help": helps, "games": names} for why, helps, names in impact.reasons],
        "details": [
            {
                "name": g.name, "change": g.change,
                **{
                    side: {"verdict": j.verdict, "causes": list(j.causes), "scores": j.totals, "winners": j.winners, "message": j.message}
                    for side, j in (("first", g.first), ("second", g.second))
                },
            }
            for g in impact.games
            if g.change != "stays legal" or g.other_score or g.other_winner
        ],
    }  # fmt: skip


def matrix_json(matrix: Matrix, addresses: Sequence[str], played: tuple[int, int] = (0, 0)) -> str:
    """The matrix with the meanings of the letters, and the rows of each pair."""
    data = {
        "rulesets": list(addresses),
        "games": {"played": played[0], "alike": played[1]},
        "rows": [
            {
                "kind": r.kind, "name": r.name, "nature": r.nature, "undecided": r.undecided, "letters": list(r.letters),
                "readings": [{"letter": letter, "text": text} for letter, text in r.readings],
            }
            for r in matrix.rows
        ],
        "pairs": [
            {"first": addresses[i], "second": addresses[j], "rows": [asdict(row) for row in rows]}
            for (i, j), rows in matrix.pairs.items()
        ],
    }  # fmt: skip
    return dump_json(data, indent=2)
