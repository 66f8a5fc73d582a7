"""What other languages, or plain words, say otherwise in declarations of games: tables of patterns, and what helps."""

from __future__ import annotations

import re
from collections.abc import Callable

from pwtool.lang.mistakes.words import NUMBERS
from pwtool.text.speech import mark

_Written = str | Callable[[re.Match[str]], str]
_TEXT = r"\"[^\"\n]*\""
_PLACE = r"\w+\b(?:\[[^\]\n]*\])?(?!\s*[:\[])"
_PICTURE = r"\[[^\]\n]*\]"
_LAY, _ONTO = "(?:put|lay|place|give|take|draw)", "(?:in|into|on|onto|to)"
_EFFECT = r"(?:move|put|return|shuffle|turn)\b[^\n]*?|\w+(?:\[[^\]\n]*\])?\s*[-+]?=[^\n]*?"


def _values(found: re.Match[str]) -> str:
    parts = re.split(r"\s*(?:,|/|\bor\b)\s*", found[2].strip())
    return f"{found[1]}: {' | '.join(parts)}"


def _with_name(found: re.Match[str]) -> str:
    """A declaration with a name made from its text: `rule "The cell is free"`."""
    words = re.findall(r"[a-z]\w*", found[2].lower(), re.ASCII)[:3]
    return f"{found[1]} {'_'.join(words)} {found[2]}" if words else found[0]


def _one_by_one(found: re.Match[str]) -> str:
    """Values in quotation marks or brackets."""
    values = re.findall(r"\w+", found[2])
    return f"{found[1]}: {' | '.join(values)}"


def _up_to(found: re.Match[str]) -> str:
    """`up to 3 draw`."""
    return " ".join([f"{found[2]}?"] * int(found[1]))


def _whose(found: re.Match[str]) -> str:
    """`every hand is empty`."""
    how = "some" if found[1] in ("a", "an", "any") else found[1]
    return f"{how} q in players: {found[2]}[q] is {found[3] or ''}{found[4]}"


def _of_whom(found: re.Match[str]) -> str:
    """`card's rank`, `player's hand`."""
    return found[2] if found[1] == "player" else f"{found[1]}.{found[2]}"


def _in_braces(found: re.Match[str]) -> str:
    return f"= {{ {' '.join(found[1].replace(',', ' ').split())} }}"


def _so_often(found: re.Match[str]) -> str:
    """`move top of stock to hand twice`."""
    return f"move {2 if found[2] else found[3]} of {found[1]}"


def _counted(found: re.Match[str]) -> str:
    """`move a card from stock`, `move two of stock`."""
    word = found[1].lower()
    return f"move {NUMBERS.index(word) if word in NUMBERS else 1} of "


def _impossible(found: re.Match[str]) -> str:
    """`can not step and can not jump`."""
    return re.sub(r"\bcan(?:not|['’]t|\s+not)\s+", "not can ", found[0])


def _at_least(found: re.Match[str]) -> str:
    """`two [ # # ]`."""
    return f"at least {found[1] if found[1].isdigit() else NUMBERS.index(found[1])} {found[2]}"


def _titled(found: re.Match[str]) -> str:
    """`edition "Club" of GAME`."""
    words = re.findall(r"[a-z]\w*", found[2].lower(), re.ASCII)[:3]
    return f'{found[1]} {"_".join(words) or "house"} of {found[3]} "{found[2]}"'


def _quoted_codes(found: re.Match[str]) -> str:
    """`color: red R | green G`."""
    return f"{found[1]}: " + re.sub(r"(\w+)\s+(\w+)", r'\1 "\2"', found[2])


_SIGNS = {"at least": ">=", "at most": "<=", "exactly": "==", "more than": ">", "less than": "<", "fewer than": "<"}
_HOW_MANY = "|".join(_SIGNS).replace(" ", r"\s+")


def _number_of(found: re.Match[str]) -> str:
    """`stock has at least 3 cards`."""
    return f"count {found[1]} {_SIGNS[' '.join((found[2] or 'exactly').split())]} {found[3]}"


_YES, _NO = "(?:yes|true|on)", "(?:no|false|off)"
CHANGED = ("action", "consequence")
JUDGED = (*CHANGED, "ending", "score", "invariant", "rule", "setup")
_TITLED = (*CHANGED, "ending", "score")
_LISTED = ("component", "choice")
_REASONED = ("ending", *CHANGED, "score", "setup", "var", "zone", "ranking")
# In which declarations, how it is said, what it is here, and whether nothing else can be meant.
SAID: tuple[tuple[tuple[str, ...], str, _Written, bool], ...] = (
    (("players", "component", "var", "zone", "action"), r"(-?\d+)\s*(?:-|–|…|\.\.\.|\bto\b|\buntil\b)\s*(\d+)", r"\1..\2", True),
    (("players",), r"\bplayers\s+(\d+)(?:\s*,\s*\d+)*\s*(?:,|\band\b|\bor\b)\s*(\d+)", r"players \1..\2", True),
    ((), r"^players?\s*[:=]?\s*(?=\d)", "players ", True),
    (("component", "var"), r":\s*(?:numbers?|int)\s+(?=-?\d)", ": ", True),
    (("component", "var"), rf":\s*(?:{_YES}\s*(?:/|\||\bor\b)\s*{_NO}|{_NO}\s*(?:/|\||\bor\b)\s*{_YES})\b", ": flag", True),
    (("component",), rf"(\bcomponent\s+\w+(?:\s+{_TEXT})?)\s*[:=]\s*(?=\{{)", r"\1 ", True),
    (_LISTED, rf"\b(\w+)\s*[:=]\s*(\w+(?:\s+{_TEXT})?(?:\s*(?:,|/|\bor\b)\s*\w+(?:\s+{_TEXT})?)+)", _values, True),
    (_LISTED, r"\b(\w+)\s*:\s*(\"\w+\"(?:\s*(?:\||,)\s*\"\w+\")+|[\[{]\s*\w+(?:[\s,|]+\w+)+\s*[\]}])", _one_by_one, True),
    (("component",), r"\b(\w+)\s*=\s*(?=-?\d+\s*\.\.|flag\b|by\b|\w+[^\n|]*\|)", r"\1: ", True),
    (("deck",), r"\bdeck\s+(\w+)\s*=\s*(\d+\s+)?all\s+(?:of\s+)?(\w+)", r"deck \1 of \3 = \2all", True),
    (("deck",), r"=\s*(\d+)\s+(?:(?:of\s+)?(?:each|every)|of\s+all)\b(?:\s+\w+)?", r"= \1 all", True),
    (("deck",), r"=\s*all\s*[x*×]\s*(\d+)", r"= \1 all", True),
    (("deck",), r"\bdeck\s+(\w+)\s+of\s+(\w+)\s*(?::\s*|(?=\{))", r"deck \1 of \2 = ", True),
    (("zone",), r"\bzone\s+(\w+(?:\[[^\]\n]*\])?)\s*=\s*", r"zone \1: ", True),
    (("define",), r"(\bdefine\s+\w+\s*(?:\([^)\n]*\))?)\s*:\s*", r"\1 = ", True),
    ((), rf"\b(rule|score|ending|action|consequence|objective|invariant)\s+({_TEXT})", _with_name, False),
    (("zone",), r"\b(?:hidden|face\s+down|secret|invisible)\b", "seen by none", False),
    (("zone",), r"\bseen\s+by\s+(\w+)\s+per\s+player\b", r"per player seen by \1", True),
    (("zone", "var"), r"\b(?:for|per)\s+(?:each|every)\s+player\b|\b(?:each|every)\s+player\b", "per player", True),
    (("zone",), r"\bzone\s+(\w+)\s+per\s+player\s*:\s*(\w+(?:\s+\w+)?\s+of\s+\w+)", r"zone \1: \2 per player", True),
    (("zone",), r":\s*(?:stack|heap)\s+of\b", ": pile of", True),
    (("zone",), r":\s*(?:hand|set|collection|group|pool)\s+of\b", ": bag of", True),
    (("zone",), r"\b(bag|pile|slot)\s+of\s+\d+\s+(?=[A-Za-z])", r"\1 of ", False),
    (("zone",), r"\b(?:(?:visible|known|shown|open)\s+(?:only\s+)?(?:to|for|by)|seen\s+only\s+by|only\s+seen\s+by)\b", "seen by", True),
    (("zone",), r"\bseen\s+by\s+no\s+(?:one|player)\b", "seen by none", True),
    (("supply",), r"\beach\b", "per player", False),
    ((), r"^\s*(\w+)\s*:\s*(?=(?:pile|bag|slot|grid|hex|floating)\b)", r"zone \1: ", False),
    (("zone",), r"\s*,\s*(?=(?:per|seen|named|joined)\b)", " ", True),
    (("zone",), r"\bgrid\s+(\d+)\s*(?:x|by|×|\*)\s*(\d+)", r"grid \1x\2", True),
    (("zone",), r"\b(\d+)\s*(?:x|by)\s*(\d+)\s+grid\b", r"grid \1x\2", True),
    (("component",), r"\s*,\s*(?=\w+\s*:)", " ", True),
    (("deck",), r"\b(\d+)\s*[x×*]\s*(?=[A-Za-z_])", r"\1 ", True),
    (("deck",), r"=\s*((?:\d+\s+)?\w+(?:\s*,\s*(?:\d+\s+)?\w+)+)", _in_braces, True),
    (("turn", "round"), r"\b(turn|round)\s*(?:order\s*[:=]|:)\s*", r"\1 = ", True),
    ((), r"^(?:each|every|a|the)\s+(turn|round)\s*[:=]\s*", r"\1 = ", True),
    (("turn", "round"), r"\b(turn|round)\s*=?\s*\{\s*([^{}\n]+?)\s*\}", r"\1 = \2", True),
    (("turn", "round"), r"\b(?:up\s+to|at\s+most)\s+([2-6])\s+([A-Za-z_]\w*)", _up_to, True),
    (("turn", "round"), r"\b(\d+)\s*x?\s*(?!times\b)([A-Za-z_]\w*)", r"\2{\1}", True),
    (("turn", "round"), r"\[\s*(\w+)\s*\]", r"\1?", False),
    (("var",), r"\b(?:each|every|in|in\s+a|during)\s+(?:the\s+)?(turn|round|game)\b", r"per \1", True),
    (("var",), r":\s*([\w.]+)\s+(per\s+\w+)\s*=\s*(-?\w+)", r": \1 = \3 \2", True),
    (("var",), r":?\s*\bfrom\s+(-?\d+)\s+to\s+(-?\d+)", r": \1..\2", True),
    (("var",), r"\bvar\s+(\w+)\s+in\s+", r"var \1: ", True),
    (("var",), r"=\s*(?:no|off)\b(\s+per\b)?", r"= false\1", True),
    (("var",), r"=\s*(?:yes|on)\b", "= true", True),
    (("setup",), r"\bsetup\s*:\s*", "setup ", True),
    ((), r"^deal\s+(?=\w+\s)", "setup deal ", True),
    (("setup",), rf"\b(deal|put)\s+({_TEXT})", _with_name, False),
    (("setup",), r"\b(deal|put)\s+(\w+)\s*:\s*", r'\1 \2 "...": ', False),
    (("setup",), r":\s*(\d+)\s+of\s+(\w+)\s+to\b", r": \1 each of \2 to", False),
    (("setup",), r"\b(?:randomly|at\s+random|by\s+luck|by\s+random)\b", "by chance", True),
    (("action",), r"(\.\.\d+)\s+(?:for\s+|per\s+|by\s+)?(?:each\s+|every\s+)player\b", r"\1 per player", True),
    (("action",), r"([(,])\s*(\w+)\s+from\s+(?=\w)", r"\1\2: \2 from ", True),
    (("action",), r":\s*(?:\d+\.\.\d+|\d+|many|several|some|any\s+number\s+of|one\s+or\s+more)\s+(\w+?)s?\s+from\b", r": \1s from", False),
    (("action",), rf"\baction\s+(\w+)\s*(\((?:[^()\"\n]|{_TEXT})*\))\s*({_TEXT})", r"action \1 \3 \2", True),
    (CHANGED, rf"(?<!change )(\b(?:action|consequence)\s+\w+(?:\s+{_TEXT})?)\s*(?=\{{)", r"\1 () ", True),
    ((), r"\b(change|remove)\s+rule\s+(\w+)\s+(?!require\b|when\b|see\b)(\w+)\b(?!\.)", r"\1 rule \2.\3", False),
    (("action", "consequence", "setup", "rule"), rf"(\brule\s+[\w.]+\s+{_TEXT})(?:\s+(?:if|that|needs)\b|\s*:|\s+=(?!=))\s*", r"\1 require ", False),
    ((), rf"(\b(?:rule|invariant)\s+[\w.]+\s+{_TEXT})\s+(?=[\w(-])", r"\1 require ", False),
    (_TITLED, r"\b(action|ending|consequence|score)\s+(\w+)\s+([A-Z][^\"({=\n:]*?)\s*(?=[({=]|when\b)", r'\1 \2 "\3" ', False),
    (("action", "ending", "consequence", "score", "rule"), rf"\b(action|ending|consequence|score|rule)\s+({_TEXT})\s+(\w+)", r"\1 \3 \2", True),
    (CHANGED, r"\)\s*[:=]\s*(?=\{)", ") ", True),
    (CHANGED, rf"\b(action|consequence)\s+(\w+)\s*\(\s*({_TEXT})\s*\)", r"\1 \2 \3 ()", True),
    (CHANGED, r":\s*(?:roll(?:s|ed)?\s+)?d(\d+)\b", r": 1..\1 by chance", False),
    (CHANGED, r":\s*(?:any\s+|an)?other\s+player\b", ": player", False),
    (CHANGED, r"\badd\s+([^\n]+?)\s+to\s+(?:the\s+)?(?P<zone>\w+)", r"move \1 to \2", True),
    (CHANGED, r"(?P<zone>\w+)\.(?:add|append|push|put)\(([^)\n]*)\)", r"move \2 to \1", True),
    (CHANGED, r"\bmove\s*\(([^,()\n]+),\s*([^)\n]+)\)", r"move \1 to \2", True),
    (CHANGED, r"^(\s*)(?:the\s+)?(top\s+of\s+\w+|\w+)\s+(?:is\s+|are\s+)?(?:moved|moves|goes|go)\s+to\s+", r"\1move \2 to ", True),
    (CHANGED, rf"\b{_LAY}\s+(?:the\s+)?(top\s+of\s+\w+)\s+{_ONTO}\s+(?:the\s+)?(?!player)(?=\w)", r"move \1 to ", False),
    (CHANGED, r"\bmove\s+top\s+of\s+([^\n]+?)\s+(?:(twice)|(\d+)\s+times)\b", _so_often, False),
    (CHANGED, rf"\bmove\s+(an?|{'|'.join(NUMBERS)})\s+(?:\w+\s+)?(?:from|of)\s+", _counted, True),
    (CHANGED, r"\bmove\s+(?:first|last)\s+of\s+", "move top of ", False),
    (CHANGED, r"\bto\s+(?:my|your|his|her|their)\s+(\w+)(?=\s*$)", r"to \1", True),
    (CHANGED, r"\bmove\s+(top\s+of\s+\w+|\d+\s+of\s+\w+)\s+(?P<zone>\w+)", r"move \1 to \2", False),
    (CHANGED, r"\bmove\s+(top\s+of\s+\w+)\s+from\s+\w+\s+to\b", r"move \1 to", True),
    (CHANGED, r"\blet\s+(\w+)\s+(?:be|is|:)\s+", r"let \1 = ", True),
    (CHANGED, r"\b(\w+)\s+(?:increases|rises|grows|goes\s+up)\s+by\s+", r"\1 += ", True),
    (CHANGED, r"\b(\w+)\s+(?:decreases|falls|sinks|goes\s+down)\s+by\s+", r"\1 -= ", True),
    (CHANGED, r"\bincrease\s+(\w+)(?=\s*$)", r"\1 += 1", False),
    (CHANGED, r"\bdecrease\s+(\w+)(?=\s*$)", r"\1 -= 1", False),
    (CHANGED, r"\breset\s+(\w+)(?:\s+to\s+0)?(?=\s*$)", r"\1 = 0", False),
    (CHANGED, r"\b(?:increase|raise)\s+(\w+(?:\[[^\]\n]*\])?)\s+by\s+", r"\1 += ", True),
    (CHANGED, r"\b(?:decrease|reduce|lower)\s+(\w+(?:\[[^\]\n]*\])?)\s+by\s+", r"\1 -= ", True),
    (CHANGED, r"\b(?:gain|get|earn|receive|win)s?\s+(\d+)\s+(\w+)", r"\2 += \1", False),
    (CHANGED, r"\b(?:lose|pay|spend)s?\s+(\d+)\s+(\w+)", r"\2 -= \1", False),
    (CHANGED, r"\badd\s+([^\n]+?)\s+to\s+(\w+(?:\[[^\]\n]*\])?)", r"\2 += \1", False),
    (CHANGED, r"\bset\s+(\w+(?:\[[^\]\n]*\])?)\s+(?:to|=)\s+", r"\1 = ", True),
    (CHANGED, rf"\b(?:if|when)\s+([^\n]+?)\s*(?:\bthen\b|:|,)\s*({_EFFECT})(?=\s*(?:\}}|$))", r"\2 when \1", True),
    (CHANGED, rf"\b({_EFFECT})\s+if\s+(?=\S)", r"\1 when ", True),
    (CHANGED, r"(\w+)\s*:\s*(?:an?\s+|the\s+)?(\w+)\s+(?:in|from)\s+(?=\w)", r"\1: \2 from ", True),
    (CHANGED, r":\s*(?:empty|free)\s+cell\s+of\b", ": cell of", False),
    (CHANGED, r"(\d+\.\.\d+)\s+(?:at\s+random|randomly)\b", r"\1 by chance", True),
    (CHANGED, r":\s*random\s+(\d+\.\.\d+)", r": \1 by chance", True),
    (CHANGED, r"\bto\s+(?:the\s+)?top\s+of\s+", "to ", True),
    (CHANGED, r"\bshuffle\s+(\w+)\s+(?:into|to)\s+(\w+)", r"move \1 to \2  shuffle \2", True),
    (CHANGED, r"\bmove\s+(?:the\s+)?top\s+(\d+)(?:\s+\w+)?\s+of\b", r"move \1 of", True),
    (CHANGED, r"\bmove\s+(?:the\s+)?top\s+(?!of\b)\w+\s+of\b", "move top of", True),
    (CHANGED, r"\bmove\s+(?:all\s+of\s+|all\s+\w+\s+(?:in|of)\s+|all\s+)", "move ", True),
    (CHANGED, r"\bmove\s+\w+\s+in\s+(?=\w+(?:\[[^\]\n]*\])?\s+to\b)", "move ", False),
    (CHANGED, r"\bmove\s+the\s+", "move ", True),
    (CHANGED, r"\bmove\s+([^\n]+?)\s+(?:onto|into|on|in)\s+(?=\w)", r"move \1 to ", True),
    (CHANGED, r"\bput\s+(\w+)\s+(?:at|in|into|onto|to)\s+", r"put \1 on ", True),
    (CHANGED, r"\b(?:for\s+(?:every|all)|(?<!for )each)\s+(\w+)\s+in\b", r"for each \1 in", True),
    (CHANGED, r"=\+\s*", "+= ", True),
    (CHANGED, r"^(\s*\w+(?:\[[^\]\n]*\])?)\s*(?::|\bis\b|==)\s*(?=[\w(-])", r"\1 = ", False),
    (CHANGED, r"\bfor\s+(\w+)\s+in\b", r"for each \1 in", True),
    (CHANGED, r"\s*(?:,|;|\band\b|\bthen\b)\s*(?=(?:move|put|return|shuffle)\b|\w+(?:\[[^\]\n]*\])?\s*[-+]?=(?!=))", "  ", True),
    (CHANGED, r"\bmove\s+(\d+)\s+(?:\w+\s+)?(?:from|of)\s+", r"move \1 of ", True),
    (CHANGED, r"\bmove\s+([\w.]+)\s+from\s+[\w\[\]]+\s+to\b", r"move \1 to", False),
    ((), rf"\b(?:an?|one)\s+({_PICTURE})", r"some \1", False),
    ((), rf"\b(\d+|{'|'.join(NUMBERS)})\s+({_PICTURE})", _at_least, False),
    ((), rf"\bneither\s+({_PICTURE})\s+nor\s+({_PICTURE})", r"no \1 and no \2", True),
    ((), rf"\bwithout\s+({_PICTURE})", r"and no \1", True),
    ((), r"\b(some|no|every)\s*[({]\s*((?:[#._/0-9]+\s*)+)[)}]", r"\1 [ \2]", True),
    ((), r"\b(?:at\s+)?(?:minimum|min)\s+(\d+)\s+(?=\w+\s*:|\[)", r"at least \1 ", True),
    ((), r"(?<=\")\s+must\s+(?:be\s+)?", " require ", True),
    (CHANGED, r",?\s+unless\s+([^\n}]*[^\n}\s])", r" when not (\1)", True),
    (CHANGED, r",\s*when\b", " when", True),
    (CHANGED, r"\bif\s*\(([^()\n]*)\)\s*\{\s*([^{}\n]*[^{}\n\s])\s*\}", r"\2 when \1", True),
    (CHANGED, r"^(\s*\w+)\s*\+\s*(\d+)(?=\s*$)", r"\1 += \2", False),
    (("action",), r":\s*(?!top\b|bottom\b)(\w+)\s+of\s+(?P<zone>\w+)", r": \1 from \2", True),
    ((), r"^turn\s+(?=\w+[\s*+?|])", "turn = ", True),
    (CHANGED, r"\bturn\s+([^\n]+?)\s+(?:into|in)\s+(?=\w)", r"turn \1 to ", True),
    (CHANGED, r"\bturn\s+([^\n]+?)\s+to\s+(?:an?|the)\s+(\w+)", r"turn \1 to \2", True),
    (CHANGED, rf"(top\s+of\s+{_PLACE}|\w+)\s+(?:becomes|turns\s+into|is\s+turned\s+to)\s+(?:an?\s+)?(\w+)", r"turn \1 to \2", True),
    (CHANGED, r"\bmove\s+(\w+\[[^\]\n]*\])\s+(?P<zone>\w+)", r"move \1 to \2", True),
    (CHANGED, r"\bsubtract\s+([^\n]+?)\s+from\s+(\w+(?:\[[^\]\n]*\])?)", r"\2 -= \1", True),
    (CHANGED, r"\b(for\s+each\s+\w+\s+in\s+\w+(?:\[[^\]\n]*\])?)\s+(?=\w)", r"\1: ", True),
    (("action",), r"([(,]\s*)(\w+)\s+(?=-?\d+\.\.)", r"\1\2: ", True),
    (("action",), r"\b(\w+)\s+per\s+player\s*:\s*([\w.]+)", r"\1: \2 per player", True),
    (JUDGED, r"\bif\s+([^\n]+?)\s+then\s+require\b", r"when \1 require", True),
    (JUDGED, r"\bunless\s+([^\n]+?)\s+require\b", r"when not (\1) require", True),
    ((), r"\bcan(?:not|['’]t|\s+not)\s+\w+[^\n]*", _impossible, True),
    ((), r"\bneither\s+([^\n]+?)\s+nor\s+", r"not \1 and not ", True),
    ((), r"\b(\w+)\s+(?:is\s+)?(?:next\s+to|adjacent\s+to|beside|touches)\s+(\w+)", r"\1 is in neighbours of \2", False),
    ((), r"\bin\s+(?:any|every|each)\s+directions?\b", "in all directions", True),
    ((), r"\bneighbours\s+(?!of\b)(\w+)", r"neighbours of \1", True),
    ((), rf"\bplayer\s+owns\s+({_PLACE})", r"\1 belongs to player", True),
    ((), rf"({_PLACE})\s+has\s+owner\s+(\w+)", r"\1 belongs to \2", True),
    ((), rf"({_PLACE})\s+(?:not\s+belongs?|does\s+not\s+belong|doesn['’]t\s+belong)\s+to\b", r"not \1 belongs to", True),
    ((), r"\b(first|last|some|every|no)\s+(\w+)\s+in\s+(\w+)\s+(?:where|such\s+that|with)\s+([^\n]*[^\n\s])", r"\1 \2 in \3: \4", True),
    ((), r"\ball\s+(\w+)\s+in\s+(?=\w+\s*:)", r"every \1 in ", True),
    ((), r"\b((?:some|every|no)\s+\w+\s+in\s+(?:cells\s+of\s+)?\w+)\s*,\s*(?=\w)", r"\1: ", False),
    ((), r"\b(?:reaches|hits|gets\s+to)\s+(?=\d)", ">= ", False),
    ((), r"\bsum\s+(?P<attribute>\w+)\s+of\s+(?P<component>\w+)\s+(?:in|on)\s+(\w+)", r"sum \1 of \3", True),
    (("score",), r"\b(\d+)\s+(?=(?:count|sum)\b)", r"\1 * ", True),
    (("score",), rf"\b({'|'.join(NUMBERS)})\s+times\s+", lambda found: f"{NUMBERS.index(found[1])} * ", True),
    (("score",), r"\+=", "=", True),
    (("score",), rf"(\bscore\s+\w+\s+{_TEXT})\s+(?=[\w(-])", r"\1 = ", True),
    (("ranking",), r"\bties?\s*:?\s*(?=most\b|fewest\b)", "", True),
    (("ranking",), r"\s+if\s+tied\s*,?\s*", ", ", True),
    ((), rf"\b(change\s+rule\s+[\w.]+\s+{_TEXT})\s+(because\s+{_TEXT})\s+(require\s+[^\n]*[^\n\s])", r"\1 \3 \2", True),
    ((), r"^(?:no|without|delete|drop)\s+(rule|objective|ending|score|action)\s+(?=\w)", r"remove \1 ", True),
    ((), r"\b(remove|change)\s+(\w+)\s+([\w.]+)\s+(?!because\b)(\w+)(?=\s*(?:$|\bbecause\b|\"))", r"\1 \2 \3_\4", False),
    ((), rf"\badd\s+(?:an?\s+)?effects?\s+to\s+(\w+)\s*(?::|{_TEXT})?\s*(?=\w)", r"add effect to \1 ", True),
    ((), r"\badd\s+(?:an?\s+)?effects?\s+(?!to\b)(\w+)\s*:\s*(?=\w)", r"add effect to \1 ", True),
    ((), r"\badd\s+(?:an?\s+)?effects?\s+(\w+\s*[-+]?=[^\n]*?)\s+to\s+(\w+)(?=\s*$)", r"add effect to \2 \1", True),
    ((), r"\badd\s+to\s+(\w+)\s*:?\s+(?=\w)", r"add effect to \1 ", True),
    ((), r"^(edition|variant|part)\s+(\w+)\s+of\s+\"([\w/+]+)\"", r"\1 \2 of \3", True),
    ((), r"^(edition|variant|part)\s+\"([^\"\n]+)\"\s+of\s+([\w/+]+)", _titled, True),
    (("setup",), rf"\bput\s+(?=\w+\s+{_TEXT}\s*:\s*(?:rest|all|\d+\s+each)\b)", "deal ", True),
    (("setup",), rf"\b(first\s+{_TEXT})(?=\s*(?:\}}|$))", r"\1 by choice", False),
    ((), r"^(\d+)\s*(?:\.\.|-|–|to)\s*(\d+)\s+players?\b", r"players \1..\2", True),
    (("deck",), r"=\s*(?:each|every|all)\s+(?:twice|two\s+times)\b", "= 2 all", True),
    (("deck",), rf"=\s*({'|'.join(NUMBERS)})\s+(?=all\b|each\b)", lambda found: f"= {NUMBERS.index(found[1])} ", True),
    (("component",), r"\b(\w+)\s*:\s*((?:[a-z]\w*\s+[A-Z0-9]\w*\s*\|\s*)+[a-z]\w*\s+[A-Z0-9]\w*)", _quoted_codes, True),
    (("component",), r"(\bby\s+\w+\s*\{)([^}\n]*=[^}\n]*)(?=\})", lambda found: found[1] + found[2].replace("=", ":"), True),
    ((), r"\bsum\s+(?P<zone>\w+)['’]s\s+(?P<attribute>\w+)", r"sum \2 of \1", True),
    ((), r"\b(\w+)['’]s\s+(?P<own>\w+)\b(?!\s*:)", r"\2[\1]", True),
    ((), r"\b(?P<own>\w+)\s+of\s+(?!top\b|the\b)(\w+)\b", r"\1[\2]", True),
    ((), r"\[(\w+\s+else\s+[^\]\n]+)\]", r"[(\1)]", True),
    ((), r"\b(every|some|no)\s+(\w+)\s+of\s+players\b", r"\1 \2 in players", True),
    ((), r"\b((?:every|some|no)\s+\w+\s+in\s+players)\s+(?=\w)", r"\1: ", True),
    ((), r"\bthere\s+is\s+an?\s+(?P<var>\w+)", r"\1 != none", False),
    ((), r"\bthere\s+is\s+no\s+(?P<var>\w+)", r"\1 == none", False),
    ((), r"\botherwise\b", "else", True),
    ((), r"\b(?:number\s+of|count)\s+(?:the\s+)?(?P<attribute>\w+?)s?\s+(?:of|in|on)\s+(?P<zone>\w+)", r"count distinct \1 of \2", False),
    (("score",), r"(?<!sum )(?<!distinct )(?<!max )(?<!min )\b(?P<attribute>\w+)\s+of\s+(?P<zone>\w+)", r"sum \1 of \2", False),
    (("score", "define"), r"=\s*([^\s=][^\n=]*?)\s+if\s+([^\n]+?)\s+else\s+([^\n]*[^\n\s])", r"= if \2 then \1 else \3", True),
    (("ending",), r"\bthen\s+(?:\d+|one|a|another)\s+(?:more\s+)?rounds?\b", "then 1 more turn each", False),
    (("ending",), r"\bthen\s+each\s+(\d+)\s+more\s+turns?\b", r"then \1 more turn each", True),
    ((), r"^(?:variable|int|state|number)\s+(\w+)\s*:", r"var \1:", True),
    ((), r"^(\w+)\s*:\s*(?=-?\d+\.\.-?\d)", r"var \1: ", True),
    (("var",), r"\bvar\s+(\w+)\s+(?:of|per|for)\s+(?:each\s+|every\s+)?player\s*:\s*([^\n]*[^\n\s])", r"var \1: \2 per player", True),
    (("var",), r"\bvar\s+player['’]s\s+(\w+)\s*:\s*([^\n]*[^\n\s])", r"var \1: \2 per player", True),
    (("var",), r":\s*an?\s+(?=\w)", ": ", True),
    (("var",), r"(?<=\d)\s*(?:==|\b(?:starts|starting|begins|beginning|initially|first)(?:\s+(?:at|with|as))?)\s*(?=-?\d)", " = ", True),
    (("ending",), r"\bthe(?=\s+stop\b)", "then", True),
    (("ending",), r"(?<!then)\s*:?\s+stop\b", " then stop", True),
    (("ending",), r"\bthen\s+(?:(?:one|a|the)\s+)?(?:more|last|final)\s+turn\b(?:\s+each|\s+for\s+\w+)?", "then 1 more turn each", False),
    (("ending",), r"\b(?:both\s+)?(\w+)\s+and\s+(\w+)\s+are\s+(empty|full)\b", r"\1 is \3 and \2 is \3", True),
    ((), r"\b(?:all|both)\s+(?P<zone>\w+?)s\s+are\s+(empty|full)\b", r"every q in players: \1[q] is \2", False),
    ((), r"\b(?:nobody|no\s+one|no\s+player|neither\s+player)\s+can\s+(?P<action>\w+)", r"no q in players: can \1 for q", True),
    ((), r"\bplayer\s+can(?:not|\s+not|['’]t)\s+(?P<action>\w+)", r"not can \1", True),
    ((), r"\bcount\s+(\w+)\s+in\s+(\w+)\s+(?:where|if|with|when)\s+([^\n()]*[^\n()\s])", r"count (\1 in \2: \3)", True),
    ((), r"\bcount\s*\(\s*(\w+)\s+in\s+(\w+)\s+(?:where|if|with|when)\s+", r"count (\1 in \2: ", True),
    ((), r"\bcount\s+(?:the\s+)?(?P<component>\w+)\s+in\s+(?=\w+(?:\[[^\]\n]*\])?(?!\w|\s*:))", "count ", True),
    ((), r"\b(?:number\s+of|count)\s+(?:different|distinct|unique)\s+(?P<attribute>\w+?)s?\s+(?:in|of|on)\s+(\w+)", r"count distinct \1 of \2", True),
    ((), r"\bsum\s*\(\s*(?P<attribute>\w+?)s?\s+(?:in|of|on)\s+(\w+)\s*\)", r"sum \1 of \2", True),
    ((), r"\bsum\s+(?:of\s+)?(?:the\s+|all\s+)?(?P<attribute>\w+?)s?\s+(?:(?:in|of|on)\s+)?(?:the\s+)?(?P<zone>\w+)", r"sum \1 of \2", True),
    ((), r"\b(?:highest|greatest|largest|biggest)\s+(?P<attribute>\w+?)s?\s+(?:in|on)\s+(?P<zone>\w+)", r"(max \1 of \2 else 0)", False),
    ((), r"\b(?:lowest|least|smallest)\s+(?P<attribute>\w+?)s?\s+(?:in|on)\s+(?P<zone>\w+)", r"(min \1 of \2 else 0)", False),
    ((), r"(\w+\s+is\s+(?:not\s+)?(?:empty|full))\s*\?\s*(\w+)\s*:\s*(\w+)", r"if \1 then \2 else \3", True),
    (("ranking",), r"\branking\s+(?:winners?|first|(?:the\s+)?winner\s+(?:is|has))\s+", "ranking ", True),
    (("ranking",), r"\b(?:the\s+)?player\s+with\s+(?:the\s+)?", "", True),
    (("ranking",), r"\s+wins?\b", "", True),
    (("ranking",), r"\branking\s+(\w+)\s+desc\w*", r"ranking most \1", True),
    (("ranking",), r"\branking\s+(\w+)\s+asc\w*", r"ranking fewest \1", True),
    (("ranking",), r"\branking\s+(?=total\b|count\b|sum\b)", "ranking most ", False),
    (("ranking",), r",\s*then\s+", ", ", True),
    (("ranking",), r"\b(?:least|lowest|smallest)\s+\w+\s+(?:in|on)\s+(?=\w)", "fewest count ", True),
    (("ranking",), r"\b(?:ties?|draws?)(?:\s*:)?(?:\s+(?:is|are))?(?:\s+shared)?(?=\s*$)", "shared", False),
    (("ending",), rf"(\bending\s+\w+\s+{_TEXT})(?:\s+(?:if|once|as\s+soon\s+as)\b|\s*[:=])\s*", r"\1 when ", True),
    (("ending",), r"\bthen\s+1\s+more\s+turn\b(?!\s+(?:each|for))", "then 1 more turn each", False),
    (("ending",), r"\bstop\s+(?:immediately|now)\b", "stop at once", True),
    (("ranking",), r"\s+then\s+(?=(?:most|fewest|shared)\b)", ", ", True),
    (("ranking",), r"\b(most|fewest)\s+\w+\s+(?:in|on)\s+(?=\w)", r"\1 count ", False),
    (("ranking",), r"\bcount\s+of\b", "count", True),
    (("ranking",), r"\branking\s+by\s+", "ranking most ", False),
    (("ranking",), r"\b(?:ties?|draws?)\s+(?:(?:is|are)\s+)?shared\b", "shared", True),
    (("ranking",), r"\branking\s*[:=]\s*", "ranking ", True),
    (("ranking",), r"\b(?:highest|greatest|maximum|max|best)\b", "most", True),
    (("ranking",), r"\b(?:lowest|least|smallest|minimum|min)\b", "fewest", True),
    (("score", "define"), r"=\s*([^\s=][^\n=]*?)\s+(?:if|when)\s+([^\n]+)", r"= if \2 then \1 else 0", False),
    (("score",), r"\bscore\s+(\w+)\s*[:=]\s*", r'score \1 "..." = ', False),
    ((), rf"\b(objective|invariant|score|ending|rule|shape|action|example)\s*(\w+)\s*:\s*(?={_TEXT}|=)", r"\1 \2 ", True),
    ((), r"\b(objective|invariant|score|ending|rule|shape|action|example)\s*:\s*(?=\w)", r"\1 ", True),
    ((), r"(?<=[\w)\]])\.(?=\s*$)", "", True),
    (JUDGED, r"\brequire\s+only\s+(?:if|when)\s+", "require ", True),
    (JUDGED, r"\brequire\s+([^\n]+?),?\s+unless\s+([^\n}]*[^\n}\s])", r"when not (\2) require \1", False),
    (("ending",), r"\bwhen\s+([^\n]+?),?\s+unless\s+([^\n]+?)(?=\s+then\b)", r"when (\1) and not (\2)", False),
    ((), r",?\s*\bbut\b", " and", True),
    ((), rf"\b(?:there\s+(?:is|are)\s+)?no\s+(?P<component>\w+)\s+(?:left\s+)?(?:in|on)\s+(?P<zone>{_PLACE})", r"\2 is empty", False),
    ((), rf"\bthere\s+(?:is|are)\s+(?:an?\s+|some\s+|still\s+)?(?P<component>\w+)\s+(?:left\s+)?(?:in|on)\s+(?P<zone>{_PLACE})", r"\2 is not empty", False),
    ((), rf"\b(?P<zone>{_PLACE})\s+(?:has|contains|holds)\s+no\s+(?P<component>\w+)", r"\1 is empty", False),
    ((), rf"\b(?P<zone>{_PLACE})\s+(?:has|contains|holds)\s+(?:an?\s+|some\s+)?(?P<component>\w+)(?!\s+\w)", r"\1 is not empty", False),
    ((), rf"\b(?P<zone>{_PLACE})\s+(?:has|contains|holds)\s+({_HOW_MANY})?\s*(\d+)\s+(?P<component>\w+)", _number_of, False),
    (("turn", "round"), r"\bwhen\s+(?!\()([^|()\n]+?)(?=\s*(?:[|)]|$))", r"when (\1)", True),
    (("turn", "round"), r"\b(\w+)\s+(?:twice|two\s+times)\b", r"\1{2}", True),
    (("turn", "round"), r"\b(\w+)\s*[x*×]?\s*(\d+)(?:\s+times)?\b", r"\1{\2}", True),
    (("turn", "round"), r"\s*/\s*(?=\w)", " | ", True),
    (("turn", "round"), r"\[([^\]\n]*)\]", r"(\1)", True),
    (("turn", "round"), r"\s*\|\s*$", "", True),
    ((), r"^(turn|round)s\s*=", r"\1 =", True),
    ((), r"([=!<>]=|[<>])\s*\"(\w+)\"", r"\1 \2", False),
    ((), r"\bminus\b", "-", True),
    ((), r"\bplus\b", "+", True),
    ((), r"\b(\w+)['’]s\s+(\w+)", _of_whom, False),
    ((), r"\b(\w+)\s+of\s+(?:the\s+)?(?:current\s+)?player\b", r"\1[player]", False),
    ((), r"(?<!to )(?<!to the )\b(?:the\s+)?next\s+player\b", "(player after player)", False),
    ((), r"(?<!of )(?<!is )(?<!not )(?<!some )(?<!every )(?<!no )(?<!count )\b(\w+)\s+in\s+(\w+)\b(?!\s*:)", r"\1 is in \2", False),
    (JUDGED, r"\brequire\s+if\s+((?:(?!\belse\b)[^\n])+?)\s+then\s+((?:(?!\belse\b)[^\n])+)", r"when \1 require \2", False),
    (JUDGED, r"\bless\s+than\b", "<", False),
    (JUDGED, r"\b(?:more|greater)\s+than\b", ">", False),
    ((), r"\bisn['’]?t\b", "is not", True),
    ((), r"\bcan(?:['’]t|\s+not)\s+(?=\w)", "not can ", True),
    ((), r"\bbelongs\s+to\s+(?:the|this)\s+player\b", "belongs to player", True),
    ((), r"\bbelongs\s+to\s+(?:an|the\s+)?other\s+player\b", "belongs to other player", True),
    ((), r"\b(?P<attribute>\w+)\s+of\s+(?:the\s+)?(top\s+of\s+\w+(?:\[[^\]\n]*\])?)", r"(\2).\1", False),
    ((), r"\b(change|remove)\s+(?:the\s+)?(\w+\.\w+)", r"\1 rule \2", True),
    ((), r"\bchange\s+players\s*(?:=|:|\bto\b)?\s*(\d+)(?=\s*$)", r"change players \1..\1", True),
    ((), r"\bchange\s+players\s*(?:=|:|\bto\b)\s*(?=\d)", "change players ", True),
    ((), rf"\bremove\s+(\w+)\s+([\w.]+)\s+(?={_TEXT})", r"remove \1 \2 because ", True),
    ((), rf"\b(rule|objective|ending)\s+([\w.]+)\s*=\s*(?={_TEXT})", r"\1 \2 ", True),
    ((), r"^add\s+(?=(?:rule|objective|zone|action|score|ending|var|component|deck|shape|define|invariant)\b)", "", True),
    ((), r"\b(\d+)\s*(?:x|times)\s+(?=(?:count|sum)\b|\()", r"\1 * ", True),
    ((), r"\bequals\b", "==", True),
    ((), r"\bis\s+(?:greater|more|higher|larger)\s+than\b", ">", True),
    ((), r"\bis\s+(?:less|lower|smaller|fewer)\s+than\b", "<", True),
    ((), r"\bcannot\s+(?=\w)", "not can ", True),
    ((), r"(?<!is )\b(?!is\b)(\w+(?:\[[^\]\n]*\])?)\s+not\s+empty\b", r"\1 is not empty", True),
    ((), r"\b(an?|any|some|every|no)\s+(\w+)\s+is\s+(not\s+)?(empty|full)\b", _whose, False),
    ((), r"\bis\s+at\s+least\s+(?=[\w(])", ">= ", True),
    ((), r"\bis\s+at\s+most\s+(?=[\w(])", "<= ", True),
    ((), r"\bis\s+(?:below|under)\s+(?=[\w(])", "< ", True),
    ((), r"\bis\s+(?:above|over)\s+(?=[\w(])", "> ", True),
    ((), r"\bis\s+(\w+)\s+or\s+more\b", r">= \1", True),
    ((), r"\bis\s+(\w+)\s+or\s+(?:less|fewer)\b", r"<= \1", True),
    ((), r"\b(?:the|either)\s+(?=[a-z_])", "", False),
    ((), r"(?<!is )(?<!is not )\b(?!is\b|not\b)(\w+(?:\[[^\]\n]*\])?)\s+(empty|full)\b", r"\1 is \2", True),
    ((), rf"\bat\s+most\s+(\d+)\s+\w+\s+(?:in|on)\s+({_PLACE})", r"count \2 <= \1", False),
    ((), rf"\bat\s+least\s+(\d+)\s+\w+\s+(?:in|on)\s+({_PLACE})", r"count \2 >= \1", False),
    ((), rf"\bexactly\s+(\d+)\s+\w+\s+(?:in|on)\s+({_PLACE})", r"count \2 == \1", False),
    ((), r"(==|!=|\bthen|\belse)\s+no\b(?!\s*[\w\[])", r"\1 false", True),
    ((), r"\b(?:the\s+)?(?:current|active)\s+player\b", "player", True),
    ((), r"\b(?:my|his|her|their|your)\s+(?=[A-Za-z_])", "", False),
    ((), r"(?<![(])(?<!some )(?<!every )(?<!no )\bline\s+of\s+(\d+)\s+on\b", r"some line of \1 on", False),
    ((), r"\b(?:rotated\s+(?:or|and)\s+(?:mirrored|flipped|reflected)|turned\s+or\s+(?:mirrored|flipped|reflected))\b", "turned mirrored", True),
    ((), r"(?<=\])\s+(?:rotated|rotatable)\b(?!\s*:)", " turned", True),
    ((), r"(?<=\])((?:\s+turned)?)\s+(?:flipped|reflected)\b(?!\s*:)", r"\1 mirrored", True),
    ((), r"(?<=\])((?:\s+turned|\s+mirrored)*)\s+(?:of|with)\s+(?:the\s+)?same\b", r"\1: same", True),
    ((), r"\b(rule|action|zone|deck|component|var|ending|score|objective|shape|define|consequence|invariant)\s+(\w+)-(\w+)", r"\1 \2_\3", True),
    ((), r"\b(?:the\s+)?(?:size|number|length|amount)\s+of\s+(?:(?P<component>\w+)\s+(?:in|on|of)\s+)?(?=[A-Za-z_]\w*)", "count ", False),
    ((), r"\bsum\s+of\s+(?:the\s+)?(\w+)\s+(?:in|of|on)\s+(?:the\s+)?(\w+)", r"sum \1 of \2", True),
    (("action", "consequence", "rule", "invariant", "ending"), r"(?<=[\w)\]]),\s*(?:and\s+)?(?=[\w(-])", " and ", False),
    ((), r"(?<!top )(?<!tops )(?<!cells )(?<!cards )\b(?P<attribute>\w+)\s+of\s+(?:the\s+)?(?!top\b)(\w+)\b", r"\2.\1", False),
    ((), r"\b(\w+)\s+has\s+(?:the\s+)?same\s+(\w+)\s+as\s+(?:the\s+)?((?:top\s+of\s+)?\w+(?:\[[^\]\n]*\])?)", r"\1.\2 == (\3).\2", True),
)  # fmt: skip
SIDE_BY_SIDE = mark(
    "actions that come one after the other stand side by side; `|` is between those of which one is done"
)
PLAYER_NAMED = mark("a player gets a name: `some q in players: ...`, `every q in players: ...`")
SO_OFTEN = mark(
    "a step is done so often: `STEP{2}`, at least once: `STEP+`, at most once: `STEP?`, any number of times: `STEP*`"
)
WHEN_DONE = mark("when a step may be done stands behind it, in parentheses: `STEP when (...)`")
WHO_ACTS = mark("a turn is one player's, and in a round all players act: the action is written alone")
NOTHING_DONE = mark('doing nothing is an action too, which is declared: `action NAME "..." ()` without effects')
COUNTED_TURNS = mark("turns are counted by a variable that an action changes: `var NAME: 0..99 = 0 per game`")
POINTS_IN_PLAY = mark("points that a player gets in play are a variable: `var NAME: 0..99 = 0 per player`, `NAME += 2`")
PROSE = {
    **dict.fromkeys("or and then either choose one".split(), SIDE_BY_SIDE),
    **dict.fromkeys("once twice thrice times repeat again until while optional optionally maybe may".split(), SO_OFTEN),
    **dict.fromkeys("if unless when only must".split(), WHEN_DONE),
    **dict.fromkeys("each every all player players everyone everybody".split(), WHO_ACTS),
}
"""Words that are no steps of a turn, and what helps."""
# In which declarations, what is said, and the line that helps where no fix can be written. These are never right, so that they
# are also looked for at the end of the line before.
NEVER_RIGHT: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (CHANGED, r"\b(?:wins?|loses?|won|lost)\b\s*$",
        mark("who wins is said by `ranking`, and when the game is over by `ending`")),
    (CHANGED, r"\bto\s+(?:all|each|every)\s+\w+(?=\s*$)",
        mark("what is done for every player names the player: `for each q in players: move ... to ZONE[q]`")),
    (CHANGED, r"(?<!then )\b(?:stop|end|finish|next|next\s+player)\s*$",
        mark("what comes next is said by `turn`, and when the game is over by `ending`")),
)  # fmt: skip
ASKED: tuple[tuple[tuple[str, ...], str, str], ...] = (
    *NEVER_RIGHT,
    (("turn", "round"), r"\{[^}\n]*(?:,|\.\.)|\btwice\b|\btimes\b", SO_OFTEN),
    (("turn", "round"), r"\b(?:if|unless|until|while)\b[^\n]*", WHEN_DONE),
    (("turn", "round"), r",|;|\bthen\b|->", SIDE_BY_SIDE),
    (CHANGED, r"\)\s*(?:when|if|requires?|where|only)\b",
        mark('a condition stands in a rule, with a name and a text: `rule NAME "..." require ...`')),
    (CHANGED, r"\b\d+\s+times\b|\btwice\b",
        mark("what is done for several is done for each of them: `for each NAME in ...: ...`; what a player repeats is said by `turn`")),
    (CHANGED, r"\b(?:scores|gets|earns)\s+\d+",
        POINTS_IN_PLAY),
    (CHANGED, r"\bwhen\b[^\n]*\b(?:move|put|turn|return|shuffle)\b",
        mark("a condition of an effect stands behind it: `move ... to ZONE when ...`")),
    (("action",), r"\(\s*(?:from\s+)?\w+\s*(?=[,)])|:\s*cell\s*(?=[,)])",
        mark("a parameter has a name and says what it names: `at: cell of ZONE`, `thing: COMPONENT from ZONE`")),
    (("deck",), r"\bdeck\s+(?:\w+\s*[:={]|of\b)|\bof\s+\d+", mark("a deck says what its things are: `deck NAME of COMPONENT = ...`")),
    (("component",), r"\bcomponent\s+\w+\s*(?:\(|(?:with|has)\b)",
        mark("attributes stand in braces: `component NAME { ATTRIBUTE: VALUE | VALUE }`")),
    (("zone",), r"\bzone\s+\w+\s*:\s*\w+",
        mark("what kind of zone it is comes first: `bag of COMPONENT` (in no order), `pile of COMPONENT`, `grid 3x3 of COMPONENT`")),
    (("action",), r":\s*(?:top|bottom)\s+of\b",
        mark("a parameter is what the player chooses; what is not chosen is named by the effect: `move top of ZONE to ZONE`")),
    (("action",), r"\bfrom\s+\w+\s+(?:where|with|if|when|that)\b",
        mark("what a player may choose is said by a rule of the action: `rule NAME \"...\" require ...`")),
    (("component",), r":\s*player\s*(?=[}\n])",
        mark("who owns a thing follows from an attribute: `owner: player by ATTRIBUTE`")),
    (("ending",), r"\bthen\s+(?!stop\b|\d)\w+",
        mark("an ending says how the game ends: `then stop`, `then stop at once`; who wins is said by `ranking`")),
    (("ending", "score", "rule", "action", "invariant"), r"\b(?:\d+|three|four|five)\s+in\s+a\s+(?:row|line)\b",
        mark("stones in a row are a line: `some line of 3 on ZONE: same ATTRIBUTE`")),
    (("ending",), r"\bafter\s+\w+\s+(?:turn|round)s?\b", COUNTED_TURNS),
    (("ending",), r"\b(?:no|legal|possible|valid)\s+(?:\w+\s+)?moves?\b",
        mark("whether an action can be done is asked by `can ACTION`: `not can ACTION`")),
    (("ending",), r"\b(?:has|have|gets|reaches|with)\s+\d+\s+points?\b", POINTS_IN_PLAY),
    (CHANGED, r"\b(?:promote|flip|rotate|tap|untap)s?\s+\w+|\bturn\s+to\b",
        mark("one thing is turned, or all of a zone: `turn top of ZONE to STATE`, `turn ZONE to STATE`")),
    (CHANGED, r"\bif\b[^\n]*\bthen\b[^\n]*\belse\b",
        mark("an effect for each case: `... when CONDITION`, `... when not CONDITION`")),
    (CHANGED, r"\b(?:capture|beat|return|eat)s?\s+\w+", mark("things are moved: `move THING to ZONE`")),
    (CHANGED, r"\boff\s+\w+", mark("what leaves goes to a zone of its own: `zone NAME: bag of COMPONENT`")),
    (CHANGED, r"=\s*(?:random|roll|\d+\.\.\d+)", mark("what chance decides is a parameter: `die: 1..6 by chance`")),
    (CHANGED, r"\b(?:pays|spends|loses|gains|earns)\s+\w+", mark("a variable is changed: `NAME += 2`, `NAME -= 2`")),
    ((), r"\bof\s+(?:some|any|an?|every|each)\s+player\b", PLAYER_NAMED),
    ((), r"\bcount\s+\w+\s+(?:in|on)\s+\w+",
        mark("things are counted by what they are: `count (c in ZONE: c.ATTRIBUTE == VALUE)`")),
    (CHANGED, r"\b(?:gets|takes|draws|receives|discards)\s+\w+", mark("things are moved: `move THING to ZONE`")),
    (("score",), r"\bpoints?\b", mark("write the number of points alone: `3 * count ...`")),
    (("score",), r"\b(?:per|each|for)\b", mark("points for each of several things are a product: `3 * count ...`")),
    (CHANGED, r"\b(?:swap|exchange)\b",
        mark("two moves exchange two things; the first that moves is named before: `let NAME = ...`")),
    (CHANGED, r"\b(?:while|repeat|until)\b",
        mark("what is done for several is done for each of them: `for each NAME in ...: ...`; what a player repeats is said by `turn`")),
    (("var",), r"\bvar\s+\w+\s*=\s*",
        mark("a variable has bounds, a first value and a time: `var NAME: 0..9 = 0 per game`")),
    (("ending",), r"\bif\b|(?<!at )\bonce\b|\"\s*:",
        mark("an ending says when it comes and what follows: `when ... then stop`")),
    (("setup",), r"\bshuffle\b",
        mark("what is dealt `by chance` is shuffled: `deal NAME \"...\": rest of DECK to ZONE by chance`")),
    (("setup",), r"\bdeal\b[^\n]*",
        mark("a deal says how many, of which deck, and to which zone: `4 each of DECK to ZONE by chance`")),
    (CHANGED, r"\bmove\s+(?:\d+|one|two|three|four|an?|some)\s+\w+\s+to\b",
        mark("where they come from is missing: `move 2 of ZONE to ZONE`, `move top of ZONE to ZONE`")),
    (CHANGED, r"\bto\s+(?:the\s+)?bottom\s+of\b|\bunder\b",
        mark("things are laid on top; what is to lie below is laid first")),
    (CHANGED, r"\b(?:ends?|finish(?:es)?|stops?)\s+(?:the\s+)?(?:turn|game|round)\b|\bskips?\s+\w+",
        mark("what comes next is said by `turn`, and when the game is over by `ending`")),
    (CHANGED, r"\b(?:reveal|show|hide|conceal)s?\s+\w+",
        mark("who sees a thing follows from the zone where it lies: move it to one that is `seen by all`")),
    (CHANGED, r"\b(?:to|of)\s+(?:the\s+)?(?:next|other)\s+player\b",
        mark("what belongs to a player has the player as its index: `ZONE[player after player]`, `ZONE[other player]`")),
    (CHANGED, r"\b(?:each|every|all|next|other)\s+players?\b",
        mark("what is done for every player names the player: `for each q in players: move ... to ZONE[q]`")),
    (CHANGED, r"^\s*(?:score|points?|total)\s*[-+]?=",
        POINTS_IN_PLAY),
    (CHANGED, r"\bchange\s+(?:action|consequence)\s+\w+\s*\{",
        mark("what is changed is written with its parameters and rules; to do one more thing: `add effect to ACTION ...`")),
    (CHANGED, r"^\s*require\b",
        mark('a condition stands in a rule, with a name and a text: `rule NAME "..." require ...`')),
    (CHANGED, r"\b(?:discard|remove|take|draw|place|lay|give|play|deal)\s+\w+|\w+\s*->\s*\w+",
        mark("things are moved: `move THING to ZONE`")),
    (CHANGED, r"\bturn\s+\d+\b",
        mark("one thing is turned, or all of a zone: `turn top of ZONE to STATE`, `turn ZONE to STATE`")),
    ((), r"\bmatch(?:es)?\b",
        mark("things are compared by their attributes: `card.ATTRIBUTE == (top of ZONE).ATTRIBUTE`")),
    ((), r"\b(?:an?|any|some|every|no)\s+\w+\s+(?:is\s+(?:not\s+)?)?(?:empty|full)\b",
        mark("whose it is has to be said: `some q in players: ZONE[q] is empty`, `every q in players: ...`")),
    ((), r"\b(?:any|some|every|each|all|no|another)\s+players?\b(?!\s*:)",
        PLAYER_NAMED),
    ((), r"\bplayers?\s+(?:has|have)\b",
        mark("zones and variables of a player are asked: `count ZONE[q] == 0`, `VARIABLE[q] > 0`")),
    ((), r"\w+\s+(?:contains?|holds|has)\s+\w+\b(?!\s*\d)",
        mark("what lies in a zone is asked one by one: `some c in ZONE: c.ATTRIBUTE == ...`")),
    ((), r"\b(?:some|every|no|any|each|all)\s+neighbou?rs?\s+of\b",
        mark("each gets a name: `some c in neighbours of ...: ...`")),
    ((), r"^change\s+\w+", mark("what is changed is named with its kind: `change rule NAME ...`, `change score NAME ...`")),
    ((), r"^remove\s+(?!choice\b|supply\b)\w+", mark("what is removed is named with its kind, one by one: `remove rule NAME`, `remove objective NAME`")),
    (_REASONED, r"\bbecause\b",
        mark("`because` gives the reason of `change`, `add` and `remove`; rules of one's own have a text")),
)  # fmt: skip
# What a declaration is called elsewhere.
CALLED: tuple[tuple[str, str], ...] = (
    ("most|fewest|highest|lowest", mark("who wins is said by `ranking`: `ranking most total`")),
    ("optional|optionally|may", mark("what may be left out is said by `turn`: `turn = ACTION?`")),
    ("winners?|wins?|victory", mark("who wins is said by `ranking`: `ranking most total`")),
    ("end|gameover|finish|ends",
        mark("when the game ends is said by `ending`: `ending NAME \"...\" when ... then stop`")),
    ("points|scoring", mark("what counts is said by `score`: `score NAME \"...\" = ...`")),
    ("variable|let|int|state|number", mark("what changes and lies nowhere is a variable: `var NAME: 0..9 = 0 per game`")),
    ("board|grid|pile|hand|field",
        mark("where things lie is a zone: `zone NAME: pile of COMPONENT`, `zone NAME: grid 3x3 of COMPONENT`")),
    ("cards?|pieces?|tiles?|counters?",
        mark("things are declared by `component NAME {{ ... }}`, and how many there are by `deck`")),
    ("move|moves|phase|turns", mark("what a player does is declared by `action`, and in which order by `turn`")),
    ("function|def|func|macro", mark("a condition or a number gets a name by `define NAME(x) = ...`")),
    ("delete|erase", mark("what an edition leaves out is removed: `remove rule NAME`, `remove objective NAME`")),
    ("replace|override|modify", mark("what an edition says otherwise is changed: `change rule NAME ...`")),
    ("new", mark("what is new is declared as in a game: `objective NAME ...`")),
    ("condition|constraint|rules|require",
        mark("a rule stands in the action that it is about: `rule NAME \"...\" require ...`")),
)  # fmt: skip
