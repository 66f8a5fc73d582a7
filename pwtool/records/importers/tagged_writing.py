"""Games with tags and moves, as in PGN and PDN: what is written in both in the same way."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from pwtool.records.importers.formats import NoForm
from pwtool.records.importers.tagged_games import STOPPED, TAG_NAME, player_names
from pwtool.records.words import MARKS
from pwtool.text.regex import regex
from pwtool.text.speech import Told

__all__ = ["DRAW", "OWN_TAGS", "notes_of", "number_of", "variant_of", "write_game", "written_move", "written_result"]

DRAW = "1/2-1/2"
_ROSTER = MappingProxyType({"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?"})
"""The tags that come first besides the players and the result, and what stands there if it is not known."""
_ENDS = MappingProxyType({why: said for said, why in STOPPED.items()})
OWN_TAGS = frozenset(("White", "Black", "Result", "SetUp", "Setup", "FEN", "Termination"))
"""The tags that say what the game is, who plays it and how it ends."""
_WIDTH = 79
_COMMAND = regex(r"\[%[^\]]*\]")


def variant_of(record: Mapping[str, Any], form: str, game: str, variants: Collection[str]) -> str:
    """The variant of the game in a record, one of these; raises `NoForm` for those of others, and for other games."""
    address, _, variant = str(record.get("ruleset", "")).partition("+")
    if address != game or variant not in variants:
        ruleset = f"`{record.get('ruleset')}`"
        raise NoForm(
            Told("{format} is a format for {game}, not for {ruleset}", format=form, game=game, ruleset=ruleset)
        )
    return variant


def write_game(
    record: Mapping[str, Any], sides: tuple[str, str], own: Mapping[str, str], words: list[str], result: str
) -> str:
    """A game as a text with an empty line behind it. `sides`: the tags of the players, `own`: those tags that say which
    game it is and where it begins, if they have a value; words: the moves.
    """
    others, notes = {*sides, *own, *OWN_TAGS}, notes_of(record)
    names = dict(zip(sides, record["players"], strict=True))
    if player_names(notes, sides) == [*record["players"]]:
        # Also if both have the same name.
        names = {side: notes.get(side, name) for side, name in names.items()}
    tags = dict(_ROSTER) | names | {"Result": result}
    tags |= {name: value for name, value in notes.items() if TAG_NAME.fullmatch(name) and name not in others}
    tags |= {name: value for name, value in own.items() if value}
    tags |= _set_up(notes, bool(own.get("FEN"))) | _termination(record, notes)
    head = "".join(f'[{name} "{_escaped(value)}"]\n' for name, value in tags.items())
    begin = [_comment(record["comment"])] if record.get("comment") else []
    # Programs read a clock or an evaluation only if it stands on one line.
    text = _COMMAND.sub(lambda found: found[0].replace(" ", "\0"), " ".join([*begin, *words, result]))
    body = "\n".join(textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False))
    return f"{head}\n" + body.replace("\0", " ") + "\n\n"


def notes_of(record: Mapping[str, Any]) -> dict[str, str]:
    """The notes of a record as tags."""
    return {name: str(value) for name, value in record.get("meta", {}).items()}


def _set_up(notes: Mapping[str, str], is_start: bool) -> dict[str, str]:
    """The tags that say whether the game begins from a position, as they are if that is true."""
    said = {name: notes[name] for name in ("SetUp", "Setup") if name in notes and (is_start or notes[name] == "0")}
    return said or ({"SetUp": "1"} if is_start else {})


def _termination(record: Mapping[str, Any], notes: Mapping[str, str]) -> dict[str, str]:
    """The tag that says why the game ended, as it is if that is true."""
    stopped = str(record.get("result", {}).get("stopped", ""))
    ended, told = _ENDS.get(stopped), notes.get("Termination")
    if told is not None and STOPPED.get(told.casefold()) == (stopped if ended else None):
        return {"Termination": told}
    return {} if ended is None else {"Termination": ended}


def written_result(record: Mapping[str, Any]) -> str:
    """What the record says of the result, the points of the first seat first; empty if it says nothing."""
    told = record.get("result", {})
    if "stopped" not in told and record.get("meta", {}).get("Result") == "*":
        # As in the file that the record comes from, whatever the rules make of the end.
        return "*"
    ranking = told.get("ranking")
    if not ranking:
        return ""
    if len(ranking) == 1 and len(ranking[0]) > 1:
        return DRAW
    return "1-0" if ranking[0] == [record["players"][0]] else "0-1"


def written_move(word: str, before: int, action: Mapping[str, Any], is_begin: bool) -> Iterator[str]:
    """A move with its mark and comment, and with its number if it is the first side's or `is_begin`. `before`: the number of
    turns before it.
    """
    if before % 2 == 0 or is_begin:
        yield number_of(before + 1, before % 2)
    yield word
    if action.get("mark") in MARKS:
        yield f"${MARKS.index(action['mark']) + 1}"
    if action.get("comment"):
        yield _comment(action["comment"])


def number_of(turn: int, seat: int) -> str:
    """The number before a move, where the moves of both sides have one number: `4.` for the first, `4...` for the second.
    A game may begin with a turn of the second side, whatever its number.
    """
    return f"{(turn + 1) // 2}..." if seat else f"{turn // 2 + 1}."


def _comment(text: str) -> str:
    # There is no form for a closing brace in a comment.
    return f"{{{text.replace('}', ')')}}}"


def _escaped(value: object) -> str:
    return " ".join(str(value).split()).replace("\\", "\\\\").replace('"', '\\"')
