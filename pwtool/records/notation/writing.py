"""From the JSON form of a record to its notation: one canonical text for each record, readable and fit for a page."""

from __future__ import annotations

import re
from typing import Any

from pwtool.ir.model import ActionModel, ParameterModel, SetupModel
from pwtool.ir.types import GOAL
from pwtool.play.game import Game
from pwtool.records.notation.headers import LISTS, TEXTS, looks_reserved, plain_json
from pwtool.records.notation.starts import start_entries
from pwtool.records.notation.words import Lexicon, in_quotes, quote
from pwtool.text.terminal import dump_json, escape, is_plain, without_commands

WIDTH = 80
_INDENT = "    "
# A line may be broken at a single space, which reads back as one; several spaces stay as they are.
_BREAK = re.compile(r"(?<! ) (?! )")


def format_notation(data: dict[str, Any], game: Game) -> str:
    """The notation of a record that the ruleset's decoder accepts. Reading it gives an equal record."""
    begin = data.get("start", data.get("setup", {}))
    lexicon = Lexicon(game, data["players"], begin.get(game.ruleset.goal_zone, []))
    paragraphs = [_headers(data)]
    if "comment" in data:
        paragraphs.append(_filled(_BREAK.split(_comment(data["comment"])), "  "))
    if "setup" in data:
        paragraphs.append(_setup(data["setup"], lexicon))
    if "start" in data:
        entries = start_entries(data["start"], lexicon)
        paragraphs.append(["start", *(line for entry in entries for line in _entry(*entry))])
    if data["turns"]:
        paragraphs.append(_TurnWriter(lexicon).lines(data["turns"], data.get("start", {}).get("turn", 1)))
    if "result" in data:
        paragraphs.append(_result(data["result"], lexicon))
    return "\n\n".join("\n".join(lines) for lines in paragraphs) + "\n"


def action_text(action: dict[str, Any], lexicon: Lexicon) -> str:
    """One action of a record as written in a turn."""
    return " ".join(_TurnWriter(lexicon).action(action))


def whole_action(game: Game, players: list[str], goals: list[str], action: dict[str, Any]) -> str:
    """The same with the full name of the action, in a game of these players with these objectives."""
    lexicon = Lexicon(game, players, goals)
    lexicon.short_names = {name: name for name in lexicon.actions}
    return action_text(action, lexicon)


# ---- headers


def _headers(data: dict[str, Any]) -> list[str]:
    lines = [f"{key}: {_text(data[key])}".rstrip() for key in TEXTS if key in data]
    lines += [f"{key}: {', '.join(quote(name) for name in data[key])}".rstrip() for key in LISTS if key in data]
    meta = data.get("meta")
    if meta == {}:
        lines.append("meta: {}")
    for key, value in (meta or {}).items():
        name = key if quote(key) == key and not looks_reserved(key) else in_quotes(key)
        lines.append(f"{name}: {_value(value)}")
    return lines


def _text(text: str) -> str:
    plain = text and is_plain(text) and text == text.strip() and text[0] != '"'
    return text if plain else in_quotes(text)


def _value(value: Any) -> str:
    if not isinstance(value, str):
        return dump_json(value, spaced=True)
    return in_quotes(value) if value[:1] in ("{", "[") or plain_json(value) is not None else _text(value)


# ---- setup and result


def _setup(setup: dict[str, Any], lexicon: Lexicon) -> list[str]:
    lines = ["setup"]
    ruleset = lexicon.game.ruleset
    if ruleset.goal_zone in setup:
        lines += _entry(ruleset.goal_zone, [[lexicon.word(GOAL, goal) for goal in lexicon.goals]])
    for step in ruleset.setup:
        if step.name in setup and step.recorded:
            lines += _dealt(step, setup[step.name], lexicon)
    return lines


def _dealt(step: SetupModel, value: Any, lexicon: Lexicon) -> list[str]:
    zone = lexicon.game.zone_list[step.zone]

    def cards(part: Any) -> list[str]:
        return [lexicon.word(zone.element, card) for card in ([part] if step.amount == 1 else part)]

    if step.spread:
        rows = [[("+".join(cards(part)) or "-") for part in row] for row in value]
        return _entry(step.name, rows, " /")
    if not zone.dimensions:
        return _entry(step.name, [cards(value)])
    if isinstance(value, list):
        return _entry(step.name, [[str(at), *cards(part)] for at, part in enumerate(value, 1)])
    labels = lexicon.labels(zone)
    return _entry(step.name, [[quote(label), *cards(value[label])] for label in labels])


def _entry(key: str, groups: list[list[str]], sign: str = ";") -> list[str]:
    """An entry on one line if it fits, otherwise with a line for each group."""
    parts = [" ".join(group) for group in groups]
    line = f"  {key}: {f'{sign} '.join(parts)}".rstrip()
    if len(line) <= WIDTH:
        return [line]
    lines = [f"  {key}:"]
    for number, group in enumerate(groups, 1):
        words = [*group[:-1], group[-1] + (sign if number < len(groups) else "")]
        lines += [_INDENT + text for text in _filled(words, "  ", WIDTH - len(_INDENT))]
    return lines


def _filled(words: list[str], indent: str, width: int = WIDTH) -> list[str]:
    """The words in full lines; all but the first are indented."""
    lines: list[str] = []
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = indent + word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]


def _result(result: dict[str, Any], lexicon: Lexicon) -> list[str]:
    lines = ["result"]
    players = lexicon.players
    for key in ("scores", "parts"):
        if key in result:
            told = [(name, result[key][name]) for name in players if name in result[key]]
            lines += _entry(key, [[quote(name), *_numbers(value, lexicon)] for name, value in told])
    if "ranking" in result:
        places = [_between([quote(name) for name in group], "=") for group in result["ranking"]]
        words = [word for at, place in enumerate(places) for word in ([">"] if at else []) + place]
        lines += _entry("ranking", [words] if players else [])
    if "end" in result:
        end = result["end"]
        words = ["none"] if end is None else [str(end[key]) for key in ("rule", "turn") if key in end]
        lines += _entry("end", [words])
    if "stopped" in result:
        lines += _entry("stopped", [[result["stopped"]]])
    return lines


def _between(words: list[str], sign: str) -> list[str]:
    """The words with a sign between them; a word may contain spaces."""
    return [part for at, word in enumerate(words) for part in ([sign, word] if at else [word])]


def _numbers(value: Any, lexicon: Lexicon) -> list[str]:
    if not isinstance(value, dict):
        return [str(value)]
    lines = [score.name for score in lexicon.game.ruleset.scores if score.name in value]
    return [word for line in lines for word in (line, str(value[line]))]


# ---- turns


class _TurnWriter:
    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon

    def lines(self, turns: list[dict[str, Any]], first: int) -> list[str]:
        """The turns in order, numbered from `first`, as many per line as fit. With two players, the first player's turns begin a line, as do
        rounds.
        """
        lines: list[str] = []
        players = self.lexicon.players
        for number, turn in enumerate(turns, first):
            words = self._turn(number, turn)
            text = " ".join(words)
            begins = "player" not in turn or (len(players) < 3 and turn["player"] == players[0])
            if lines and not begins and len(lines[-1]) + 2 + len(text) <= WIDTH:
                lines[-1] += "  " + text
            else:
                lines += _filled(words, _INDENT)
        return lines

    def _turn(self, number: int, turn: dict[str, Any]) -> list[str]:
        words = [f"{number}."]
        if "player" in turn:
            words.append(f"{quote(turn['player'])}:")
        if "comment" in turn:
            words += _BREAK.split(_comment(turn["comment"]))
        for at, action in enumerate(turn["actions"], 1):
            words += self.action(action)
            if at < len(turn["actions"]):
                words[-1] += ";"
        return words

    def action(self, action: dict[str, Any]) -> list[str]:
        """The words of an action."""
        model = self.lexicon.actions[action["action"]]
        words = [f"{quote(action['by'])}:"] if "by" in action else []
        words += [self.lexicon.short_names[model.name], *self._arguments(action, model)]
        if "mark" in action:
            words = _marked(words, action["mark"])
        if "reveal" in action:
            words += self._reveal(action["reveal"])
        if "comment" in action:
            words += _BREAK.split(_comment(action["comment"]))
        return words

    def _arguments(self, action: dict[str, Any], model: ActionModel) -> list[str]:
        """One word for each argument; omitted ones at the end read back as empty."""
        words: list[str] = []
        named = False
        written = 0
        for p in model.parameters:
            if p.name not in action:
                # Only arguments that follow by the rules may be omitted; the ones after them are written with their
                # names.
                named = True
                continue
            value = action[p.name]
            word = self._value(p, value)
            words.append(f"{p.name}={word}" if named else word)
            if value not in ([], {}):
                written = len(words)
        return words[:written]

    def _value(self, p: ParameterModel, value: Any) -> str:
        element = p.type.element or p.type
        if p.each:
            return "/".join(self.lexicon.word(element, value[name]) for name in self.lexicon.players)
        if p.kind == "tops":
            return "+".join(f"{self.lexicon.word(element, thing)}@{place}" for place, thing in value.items()) or "-"
        if p.listed:
            return "+".join(self.lexicon.word(element, thing) for thing in value) or "-"
        if p.type.kind == "cell":
            return self.lexicon.cell_word(p, value)
        return self.lexicon.word(element, value)

    def _reveal(self, reveal: dict[str, Any]) -> list[str]:
        if not reveal:
            return [">"]
        words: list[str] = []
        for name, shown in reveal.items():
            zone = self.lexicon.revealed[name]
            tops = shown if zone.dimensions else {"": shown}
            parts = []
            for place, thing in tops.items():
                word = self.lexicon.word(zone.element, thing)
                parts.append(f"{word}@{quote(place)}" if zone.dimensions else word)
            words += [">", name, "+".join(parts) or "-"]
        return words


def _marked(words: list[str], mark: str) -> list[str]:
    """The mark right after the action. After a `?` of the action, it would be read as a part of it."""
    if not words[-1].endswith("?"):
        return [*words[:-1], words[-1] + mark]
    if mark == "?":
        return [*words[:-1], f'{words[-1][:-1]}"?"?']
    return [*words, mark]


def _comment(text: str) -> str:
    """The text in braces; characters that would end it, break the line or get lost are escaped."""
    inner = without_commands(escape("".join(_ESCAPES.get(c, c) for c in text)))
    if inner.startswith(" "):
        inner = "\\u0020" + inner[1:]
    if inner.endswith(" "):
        inner = inner[:-1] + "\\u0020"
    return f"{{{inner}}}"


_ESCAPES = {"\\": "\\\\", "}": "\\}"}
