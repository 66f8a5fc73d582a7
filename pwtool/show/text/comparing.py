"""The comparison of rulesets as text and as JSON, and what all formats share."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import Any

from msgspec.structs import replace

from pwtool.checking.documents import NO_FORM
from pwtool.comparing.evidence import Played, is_related
from pwtool.comparing.impact import CHANGES, Impact
from pwtool.comparing.matrix import Matrix, MatrixRow
from pwtool.comparing.row import GROUPS, ORDERS, Row, group_of
from pwtool.comparing.words import words_of
from pwtool.lang import tree as n
from pwtool.play.game import Game
from pwtool.records.file_names import STDIN, split_line
from pwtool.text.addresses import is_address
from pwtool.text.speech import Speech, mark, mark_many
from pwtool.text.terminal import BLUE, BOLD, dump_json
from pwtool.text.words import aligned
from pwtool.why.citing import reason_text
from pwtool.why.findings import cited
from pwtool.why.voice import PLAIN, Voice

_HEADINGS = {"material": "only_material", "setup": "only_setup"}
_STATUS = {
    "reworded": mark("the same in other words"), "different": mark("different"), "only_first": mark("only in the first"),
    "only_second": mark("only in the second"), "undecided": mark("not decided"), "no_effect": mark("makes no difference in play"),
}  # fmt: skip
_DIRECTION = {
    "permissive": mark("the second allows more"), "stricter": mark("the second allows less"),
    "incomparable": mark("each allows what the other does not"),
}  # fmt: skip
_KINDS = {
    "component": mark("component"), "deck": mark("deck"), "zone": mark("zone"), "token": mark("token"), "players": mark("players"),
    "setup": mark("setup"), "turn": mark("turn"), "anytime": mark("anytime"), "action": mark("action"), "rule": mark("rule"),
    "consequence": mark("consequence"), "var": mark("var"), "ending": mark("ending"), "score": mark("score"), "ranking": mark("ranking"),
    "objective": mark("objective"), "invariant": mark("invariant"), "ambiguity": mark("ambiguity"), "erratum": mark("erratum"),
    "variant": mark("variant"),
}  # fmt: skip
_ORDERS = {
    "setup": mark("order of the setup"), "consequence": mark("order of the consequences"), "ending": mark("order of the endings"),
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
    played: Played = (0, 0, False)
    """The number of games played under one and judged by the other, and how many of them both accept with the same result."""
    voice: Voice = PLAIN
    """The language in which it is told; item names, conditions and data stay as they are written."""

    def labels(self) -> tuple[str, str]:
        """The labels of the two: their addresses, the second with its adopted readings."""
        adopted = f" ({', '.join(self.readings)})" if self.readings else ""
        return self.addresses[0], self.addresses[1] + adopted

    def versions(self) -> str:
        """The versions that are compared."""
        pairs = zip(self.addresses, self.games, strict=True)
        told = ", ".join(f"{address} {game.ruleset.version}" for address, game in pairs)
        return self.voice.headed(self.voice.say("versions"), told)

    def summary(self) -> str:
        """The number of differences, in words."""
        voice, known = self.voice, [r for r in self.rows if r.status != "undecided"]
        differing = sum(r.nature == "semantic" for r in known)
        open_ = sum(r.nature == "semantic" for r in self.rows) - differing
        material, setup = (sum(r.nature == nature for r in known) for nature in ("material", "setup"))
        items = [voice.many("{count} item of material", "{count} items of material", material)] if material else []
        items += [voice.many("{count} item of setup", "{count} items of setup", setup)] if setup else []
        around = voice.joined(items, "and")
        if differing:
            words = voice.many(
                "{count} difference in play or result", "{count} differences in play or result", differing
            )
            parts = [voice.say("{differences}, besides {items}", differences=words, items=around) if around else words]
        elif around:
            same = (
                voice.say("no rule of play is known to differ")
                if open_
                else voice.say("the rules of play are the same")
            )
            one, more = mark_many(
                "{items} differs, which can change results", "{items} differ, which can change results"
            )
            parts = [same, voice.many(one, more, material + setup, items=around)]
        elif open_:
            parts = [voice.say("nothing is known to differ in play or result")]
        else:
            parts = [voice.say("nothing differs in play or result")]
        if open_:
            parts.append(
                voice.many(
                    "{count} item of play could not be decided", "{count} items of play could not be decided", open_
                )
            )
        same = voice.many(
            "{count} item is the same word for word", "{count} items are the same word for word", self.shared
        )
        return (voice.say("; ") if around or open_ else ", ").join((voice.say("; ").join(parts), same))

    def texts(self, row: Row) -> tuple[str, str]:
        """The items of the two in words."""
        if self.voice.language == "en":
            return row.first, row.second
        told = []
        for game, text in zip(self.games, (row.first, row.second), strict=True):
            node = _item(game, row) if text else None
            told.append(
                words_of(node, game, (row.kind, row.name), self.voice) if node is not None else self.voice.tell(text)
            )
        return told[0], told[1]

    def name(self, row: Row) -> str:
        """What a row is about."""
        return item_name(row, self.voice)

    def verdict(self, row: Row) -> str:
        """The verdict of a row for these two: `different; the second allows more`."""
        a, b = (_item(game, row) for game in self.games)
        if row.status == "reworded" and not row.twin and a != b and _same_but_sources(a, b):
            return self.voice.say("only the sources differ")
        said, direction = self.voice.say(_STATUS[row.status]), _DIRECTION.get(row.direction)
        return self.voice.say("; ").join((said, self.voice.say(direction))) if direction else said

    def remark(self) -> str:
        """A preliminary remark if these are not editions of one game."""
        first, second = (f"`{game.ruleset.layer_names()[0]}`" for game in self.games)
        if first == second:
            return ""
        if is_related(*self.games):
            return self.voice.say("these are different games, {first} and {second}", first=first, second=second)
        return self.voice.say(
            "these are different games, {first} and {second}, without an action in common: each refuses every game of the other",
            first=first, second=second,
        )  # fmt: skip


def heading(group: str, voice: Voice = PLAIN) -> str:
    """What the rows of a group are about."""
    return voice.caption(_HEADINGS.get(group, group))


def _item(game: Game, row: Row) -> n.Node | None:
    return game.ruleset.merged.items.get((row.kind, row.name))


def _same_but_sources(a: n.Node | None, b: n.Node | None) -> bool:
    """Whether two items are equal word for word and only cite different places."""
    if isinstance(a, n.SetupStep | n.Rule) and isinstance(b, n.SetupStep | n.Rule):
        return replace(a, sees=()) == replace(b, sees=())
    if isinstance(a, n.Ending | n.Score) and isinstance(b, n.Ending | n.Score):
        return replace(a, sees=()) == replace(b, sees=())
    return False


_VERDICTS = {0: "same", 1: "different", 3: "not decided"}
"""What a comparison says in all, by its exit code."""


def exit_code(rows: Sequence[Row]) -> int:
    """0 if both mean the same, 1 if not, 3 if no difference is known but something is undecided."""
    real = [r for r in rows if r.nature in ("semantic", "material", "setup", "position")]
    if any(r.status != "undecided" for r in real):
        return 1
    return 3 if real else 0


def item_name(row: Row | MatrixRow, voice: Voice = PLAIN) -> str:
    """An item by its kind and its name in the rules file, and its name in the second one, if it has another there."""
    return with_twin(f"{kind_name(row, voice)} {row.name}".rstrip(), row, voice)


def with_twin(name: str, row: Row | MatrixRow, voice: Voice = PLAIN) -> str:
    """The name of an item, and its name in the second ruleset, if it has another one there."""
    if isinstance(row, Row) and row.twin:
        return voice.say("{item} (in the second {name})", item=name, name=f"`{row.twin}`")
    return name


def kind_name(row: Row | MatrixRow, voice: Voice = PLAIN) -> str:
    """What an item is; in English as a rules file says it."""
    return voice.say((_ORDERS if (row.kind, row.name) in ORDERS else _KINDS).get(row.kind, row.kind))


def sources_of(game: Game, row: Row, voice: Voice = PLAIN) -> list[str]:
    """The sources of one side's item: what it cites, then why each layer changed it."""
    merged = game.ruleset.merged
    key = (row.kind, row.name)
    node: n.Node | None = merged.without.get(row.name) if row.kind == "variant" else merged.items.get(key)
    own = cited(game, node, voice) if node is not None else None
    found = [own] if own else []
    reasons = [step.reason for step in merged.history.get(key, []) if step.reason is not None]
    reason = getattr(node, "reason", None)
    reasons += [reason] if isinstance(reason, n.Reason) else []
    return list(dict.fromkeys([*found, *(reason_text(game.ruleset, r, voice) for r in reasons)]))


def open_points(game: Game) -> list[tuple[str, str, str, list[tuple[str, str]], list[str]]]:
    """Every open point and misprint of a ruleset: kind, name, adopted reading, the other readings by name, sources."""
    found = []
    for (kind, name), node in game.ruleset.merged.items.items():
        if (kind, name) in game.ruleset.merged.restated:
            continue
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
    voice = found.voice
    lines = [_labelled(label, text) for label, text in zip(row_labels(voice).values(), found.labels(), strict=False)]
    lines += [found.remark()] if found.remark() else []
    for group in GROUPS:
        rows = [r for r in found.rows if group_of(r) == group]
        if rows:
            lines += ["", heading(group, voice)]
        for row in rows:
            lines += _row_lines(found, row)
    lines += ["", found.summary()]
    lines += [games_line(*found.played, voice)] if found.played[0] else []
    return lines + (["", *impact_lines(found.impact, voice)] if found.impact else [])


def row_labels(voice: Voice) -> dict[str, str]:
    """What the parts of a comparison are called: the two rulesets, then what is told of a difference."""
    return {
        "first": voice.about("compare", "first"), "second": voice.about("compare", "second"),
        "shown": voice.about("compare", "shown by"), "proof": voice.about("compare", "proof"),
        "witness": voice.about("compare", "witness"),
    }  # fmt: skip


def _labelled(label: str, text: str) -> str:
    return f"{label:<7} {text}"


def text_head(line: str, voice: Voice = PLAIN) -> tuple[int, str]:
    """How long the head of a line of `text_lines` is, and its style: a heading, an item, or what a line tells of it."""
    indent = len(line) - len(line.lstrip())
    if indent in (0, 4):
        label = next((label for label in row_labels(voice).values() if line.startswith(f"{label} ", indent)), None)
        if label is not None:
            return indent + len(_labelled(label, "")), BLUE
    if indent == 0:
        return (len(line), BOLD) if line in (heading(group, voice) for group in GROUPS) else (0, "")
    end = voice.headed("", "")
    return (len(line.partition(end)[0]), BOLD) if indent == 2 and end in line else (indent, "")


def games_line(games: int, alike: int, borrowed: bool, voice: Voice = PLAIN) -> str:
    """The result of random games: how many of them are judged alike."""
    count = voice.number(games)
    if alike != games:
        count = voice.say("{count} of {of}", count=voice.number(alike), of=count)
    said = voice.say(
        "{count} games played at random, half of them under each ruleset, are accepted alike by the other", count=count
    )
    return voice.say("{games}, both with the material of the first", games=said) if borrowed else said


def _row_lines(found: Comparison, row: Row) -> list[str]:
    voice = found.voice
    *sides, shown, proof, witness = row_labels(voice).values()
    lines = [f"  {voice.headed(found.name(row), found.verdict(row))}"]
    if row.status != "reworded":
        for label, text, game in zip(sides, found.texts(row), found.games, strict=True):
            if text:
                lines.append(f"    {_labelled(label, text)}")
                lines += [f"            ({source})" for source in sources_of(game, row, voice)]
    if row.example:
        lines.append(f"    {_labelled(shown, voice.tell(row.example))}")
    if row.proof:
        lines.append(f"    {_labelled(proof, voice.tell(row.proof))}")
    return lines + [f"    {_labelled(witness, voice.tell(told))}" for told in (*row.witness, *row.without)]


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


def short_names(names: Sequence[str], shown: int = SHOWN_GAMES, voice: Voice = PLAIN) -> str:
    """The first few games by the last part of their names."""
    few = ", ".join(PurePath(name).name for name in names[:shown])
    more = len(names) - shown
    return and_more(few, more, voice)


def and_more(few: str, more: int, speech: Speech = PLAIN) -> str:
    """Some names, and how many more there are."""
    if more <= 0:
        return few
    return speech.many("{names} and {count} more", "{names} and {count} more", more, names=few)


def change_name(change: str, voice: Voice = PLAIN) -> str:
    """What happens to a game."""
    return voice.caption("impact_undecided" if change == "undecided" else change)


def cause_name(cause: str, voice: Voice = PLAIN) -> str:
    """What makes it happen: the name of a rule or of a consequence, a score line, or a part of the record."""
    line = cause.removeprefix("score ")
    return voice.tell(cause) if line == cause else f"{voice.say(_KINDS['score'])} {line}"


def impact_lines(impact: Impact, voice: Voice = PLAIN) -> list[str]:
    """What happens to the games of an archive, by rule."""
    rows = []
    for change, cause, names in impact.table():
        said = (
            f"    {voice.say('by {cause}', cause=cause_name(cause, voice))}"
            if cause
            else f"  {change_name(change, voice)}"
        )
        rows.append((said, f"{len(names):>4}", short_names(names, voice=voice)))
    head = voice.many(
        "{count} game under {second} instead of {first}", "{count} games under {second} instead of {first}",
        len(impact.games), second=impact.second, first=impact.first,
    )  # fmt: skip
    return [head, *aligned(rows), *(f"  {line}" for line in unread_lines(impact, voice))]


def unread_lines(impact: Impact, voice: Voice = PLAIN) -> list[str]:
    """Which games of an archive were not judged and why, with the first few reasons."""
    lines = []
    for why, helps, names in impact.reasons[:SHOWN_REASONS]:
        told = voice.headed(short_names(names, SHOWN_REASONS, voice), voice.tell(why))
        lines.append(told + (f" ({voice.tell(helps)})" if helps else ""))
    left = len(impact.reasons) - SHOWN_REASONS
    if left > 0:
        lines.append(
            voice.many(
                "and {count} other reason: {command} tells them all", "and {count} other reasons: {command} tells them all",
                left, command="`pwtool check`",
            )
        )  # fmt: skip
    if any(why == NO_FORM for why, _, _ in impact.reasons) and "pwtool import" not in " ".join(lines):
        command = "`pwtool import`"
        lines.append(
            voice.say("records of other programs are brought into this form first: {command}", command=command)
        )
    if impact.unsearched:
        one, more = mark_many(
            "in {count} game the rule that is broken first is counted, root causes were not looked for",
            "in {count} games the rule that is broken first is counted, root causes were not looked for",
        )
        lines.append(voice.many(one, more, impact.unsearched))
    if impact.positions:
        one, more = mark_many(
            "{count} position is left out: there is no play in a position",
            "{count} positions are left out: there is no play in a position",
        )
        lines.append(voice.many(one, more, impact.positions))
    return lines


def matrix_lines(
    matrix: Matrix, addresses: Sequence[str], played: Played = (0, 0, False), voice: Voice = PLAIN
) -> list[str]:
    """More than two rulesets: one column for each, equal letters mean the same."""
    numbers = [str(i + 1) for i in range(len(addresses))]
    lines = [f"{number}  {address}" for number, address in zip(numbers, addresses, strict=True)]
    width = max((len(item_name(r, voice)) for r in matrix.rows), default=0) + 4
    lines += ["", " " * width + "".join(f"{number:<4}" for number in numbers).rstrip()]
    nature = ""
    for row in matrix.rows:
        if row.nature != nature:
            nature = row.nature
            lines.append(heading(nature, voice))
        letters = "".join(f"{letter:<4}" for letter in row.letters).rstrip()
        lines.append(f"  {item_name(row, voice):<{width - 2}}{letters}" + ("  ?" * row.undecided))
    if not matrix.rows:
        lines.append(voice.say("nothing differs but words"))
    lines += ["", letters_line(voice), *same_by_names(matrix, voice)]
    return lines + ([games_line(*played, voice)] if played[0] else [])


def letters_line(voice: Voice = PLAIN) -> str:
    """What the letters of a matrix mean."""
    return voice.say("Equal letters in a row mean the same, `-`: there is no such item.")


def same_by_names(matrix: Matrix, voice: Voice = PLAIN) -> list[str]:
    """The pairs whose letters differ only because they have names of the first ruleset for other things."""
    return [
        voice.say(
            "{first} and {second} mean the same under other names; beside 1 they are told apart by names that it has too.",
            first=str(i + 1), second=str(j + 1),
        )
        for i, j in matrix.by_names
    ]  # fmt: skip


# ---- JSON ------------------------------------------------------------------------------------------------------------


def _games_data(played: Played) -> dict[str, Any]:
    games, alike, borrowed = played
    return {"played": games, "alike": alike, "material": "first" if borrowed else "own"}


def to_json(found: Comparison) -> str:
    """The comparison with everything that the other formats shorten."""
    data: dict[str, Any] = {
        "first": found.addresses[0],
        "second": found.addresses[1],
        "versions": [game.ruleset.version for game in found.games],
        "readings": list(found.readings),
        "verdict": _VERDICTS[exit_code(found.rows)],
        "same": found.shared,
        "games": _games_data(found.played),
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
        "by_the_setup_perhaps_alone": impact.perhaps_setup_only,
        "by_rule": [{"change": change, "rule": rule, "games": names} for change, rule, names in impact.by_rule],
        "other_score": impact.other_scores,
        "by_score": [{"cause": cause, "games": names} for cause, names in impact.by_score],
        "other_winner": impact.other_winners,
        "over_under_one_only": impact.over_under_one,
        "positions_left_out": impact.positions,
        "root_causes_not_looked_for": impact.unsearched,
        "reasons": [{"message": why, "help": helps, "games": names} for why, helps, names in impact.reasons],
        "details": [
            {
                "name": g.name, "change": g.change,
                **{
                    side: {
                        "verdict": j.verdict, "causes": list(j.causes), "over": j.over, "scores": j.totals, "winners": j.winners,
                        "message": j.message,
                    }
                    for side, j in (("first", g.first), ("second", g.second))
                },
            }
            for g in impact.games
            if g.change != "stays legal" or g.other_score or g.other_winner or g.over_under_one
        ],
    }  # fmt: skip


def matrix_json(matrix: Matrix, addresses: Sequence[str], played: Played = (0, 0, False)) -> str:
    """The matrix with the meanings of the letters, and the rows of each pair."""
    data = {
        "rulesets": list(addresses),
        "games": _games_data(played),
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
        "same_by_names": [[addresses[i], addresses[j]] for i, j in matrix.by_names],
    }  # fmt: skip
    return dump_json(data, indent=2)
