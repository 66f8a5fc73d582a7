"""Declarations of games that are nearly right: what other languages, or plain words, say otherwise. A guess that is written as a
fix is only reported if the declaration can be read with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import product

from pwtool.lang.mistakes.stuck import Stuck, short, told, unexpected, written
from pwtool.text import Diagnostic, Fix, closest
from pwtool.text.source import Span
from pwtool.text.speech import mark

_Written = str | Callable[[re.Match[str]], str]
_TEXT = r"\"[^\"\n]*\""
_PLACE = r"\w+\b(?:\[[^\]\n]*\])?(?!\s*[:\[])"
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


_YES, _NO = "(?:yes|true|on)", "(?:no|false|off)"
_CHANGED = ("action", "consequence")
_JUDGED = (*_CHANGED, "ending", "score", "invariant", "rule", "setup")
_LISTED = ("component", "choice")
_REASONED = ("ending", *_CHANGED, "score", "setup", "var", "zone", "ranking")
# In which declarations, how it is said, what it is here, and whether nothing else can be meant.
_SAID: tuple[tuple[tuple[str, ...], str, _Written, bool], ...] = (
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
    (("turn", "round"), r"\b(\d+)\s*x?\s*([A-Za-z_]\w*)", r"\2{\1}", True),
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
    (_CHANGED, rf"(?<!change )(\b(?:action|consequence)\s+\w+(?:\s+{_TEXT})?)\s*(?=\{{)", r"\1 () ", True),
    ((), r"\b(change|remove)\s+rule\s+(\w+)\s+(?!require\b|when\b|see\b)(\w+)\b(?!\.)", r"\1 rule \2.\3", False),
    (("action", "consequence", "setup", "rule"), rf"(\brule\s+[\w.]+\s+{_TEXT})(?:\s+(?:if|that|needs)\b|\s*:|\s+=(?!=))\s*", r"\1 require ", False),
    ((), rf"(\b(?:rule|invariant)\s+[\w.]+\s+{_TEXT})\s+(?=[\w(-])", r"\1 require ", False),
    (_CHANGED, r"\b(?:increase|raise)\s+(\w+(?:\[[^\]\n]*\])?)\s+by\s+", r"\1 += ", True),
    (_CHANGED, r"\b(?:decrease|reduce|lower)\s+(\w+(?:\[[^\]\n]*\])?)\s+by\s+", r"\1 -= ", True),
    (_CHANGED, r"\b(?:gain|get|earn|receive|win)s?\s+(\d+)\s+(\w+)", r"\2 += \1", False),
    (_CHANGED, r"\b(?:lose|pay|spend)s?\s+(\d+)\s+(\w+)", r"\2 -= \1", False),
    (_CHANGED, r"\badd\s+([^\n]+?)\s+to\s+(\w+(?:\[[^\]\n]*\])?)", r"\2 += \1", False),
    (_CHANGED, r"\bset\s+(\w+(?:\[[^\]\n]*\])?)\s+(?:to|=)\s+", r"\1 = ", True),
    (_CHANGED, rf"\b(?:if|when)\s+([^\n]+?)\s*(?:\bthen\b|:)\s*({_EFFECT})(?=\s*(?:\}}|$))", r"\2 when \1", True),
    (_CHANGED, rf"\b({_EFFECT})\s+if\s+(?=\S)", r"\1 when ", True),
    (_CHANGED, r"(\w+)\s*:\s*(?:an?\s+|the\s+)?(\w+)\s+(?:in|from)\s+(?=\w)", r"\1: \2 from ", True),
    (_CHANGED, r":\s*(?:empty|free)\s+cell\s+of\b", ": cell of", False),
    (_CHANGED, r"(\d+\.\.\d+)\s+(?:at\s+random|randomly)\b", r"\1 by chance", True),
    (_CHANGED, r":\s*random\s+(\d+\.\.\d+)", r": \1 by chance", True),
    (_CHANGED, r"\bto\s+(?:the\s+)?top\s+of\s+", "to ", True),
    (_CHANGED, r"\bshuffle\s+(\w+)\s+(?:into|to)\s+(\w+)", r"move \1 to \2  shuffle \2", True),
    (_CHANGED, r"\bmove\s+(?:the\s+)?top\s+(\d+)(?:\s+\w+)?\s+of\b", r"move \1 of", True),
    (_CHANGED, r"\bmove\s+(?:the\s+)?top\s+(?!of\b)\w+\s+of\b", "move top of", True),
    (_CHANGED, r"\bmove\s+(?:all\s+of\s+|all\s+\w+\s+(?:in|of)\s+|all\s+)", "move ", True),
    (_CHANGED, r"\bmove\s+\w+\s+in\s+(?=\w+(?:\[[^\]\n]*\])?\s+to\b)", "move ", False),
    (_CHANGED, r"\bmove\s+the\s+", "move ", True),
    (_CHANGED, r"\bmove\s+([^\n]+?)\s+(?:onto|into|on|in)\s+(?=\w)", r"move \1 to ", True),
    (_CHANGED, r"\bput\s+(\w+)\s+(?:at|in|into|onto|to)\s+", r"put \1 on ", True),
    (_CHANGED, r"\b(?:for\s+(?:every|all)|(?<!for )each)\s+(\w+)\s+in\b", r"for each \1 in", True),
    (_CHANGED, r"=\+\s*", "+= ", True),
    (_CHANGED, r"^(\s*\w+(?:\[[^\]\n]*\])?)\s*(?::|\bis\b|==)\s*(?=[\w(-])", r"\1 = ", False),
    (_CHANGED, r"\bfor\s+(\w+)\s+in\b", r"for each \1 in", True),
    (_CHANGED, r"\s*(?:,|;|\band\b|\bthen\b)\s*(?=(?:move|put|return|shuffle)\b|\w+(?:\[[^\]\n]*\])?\s*[-+]?=(?!=))", "  ", True),
    (_CHANGED, r"\bmove\s+(\d+)\s+(?:\w+\s+)?(?:from|of)\s+", r"move \1 of ", True),
    (_CHANGED, r"\bmove\s+([\w.]+)\s+from\s+[\w\[\]]+\s+to\b", r"move \1 to", False),
    (("ending",), rf"(\bending\s+\w+\s+{_TEXT})(?:\s+(?:if|once|as\s+soon\s+as)\b|\s*[:=])\s*", r"\1 when ", True),
    (("ending",), r"\bthen\s+(?:one|a|the)\s+(?:more|last|final)\s+turn\b(?:\s+each|\s+for\s+\w+)?", "then 1 more turn each", False),
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
    ((), r"\bminus\b", "-", True),
    ((), r"\bplus\b", "+", True),
    ((), r"\b(\w+)['’]s\s+(\w+)", _of_whom, False),
    ((), r"\b(\w+)\s+of\s+(?:the\s+)?(?:current\s+)?player\b", r"\1[player]", False),
    ((), r"(?<!to )(?<!to the )\b(?:the\s+)?next\s+player\b", "(player after player)", False),
    ((), r"(?<!of )(?<!is )(?<!not )(?<!some )(?<!every )(?<!no )\b(\w+)\s+in\s+(\w+)\b(?!\s*:)", r"\1 is in \2", False),
    (_JUDGED, r"\brequire\s+if\s+((?:(?!\belse\b)[^\n])+?)\s+then\s+((?:(?!\belse\b)[^\n])+)", r"when \1 require \2", False),
    (_JUDGED, r"\bless\s+than\b", "<", False),
    (_JUDGED, r"\b(?:more|greater)\s+than\b", ">", False),
    ((), r"\bisn['’]t\b", "is not", True),
    ((), r"\bcan(?:['’]t|\s+not)\s+(?=\w)", "not can ", True),
    ((), r"\bbelongs\s+to\s+(?:the|this)\s+player\b", "belongs to player", True),
    ((), r"\bbelongs\s+to\s+(?:an|the\s+)?other\s+player\b", "belongs to other player", True),
    ((), r"\b(?P<attribute>\w+)\s+of\s+(?:the\s+)?(top\s+of\s+\w+(?:\[[^\]\n]*\])?)", r"(\2).\1", False),
    ((), r"\b(change|remove)\s+(?:the\s+)?(\w+\.\w+)", r"\1 rule \2", True),
    ((), r"^add\s+(?=(?:objective|zone|action|score|ending|var|component|deck|shape|define|invariant)\b)", "", True),
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
    ((), r"\bcount\s+(?:the\s+)?\w+\s+in\s+(?=\w+(?:\[[^\]\n]*\])?(?!\w|\s*:))", "count ", False),
    ((), r"\b(?:the\s+)?(?:current|active)\s+player\b", "player", True),
    ((), r"\b(?:my|his|her|their|your)\s+(?=[A-Za-z_])", "", False),
    ((), r"(?<![(])(?<!some )(?<!every )(?<!no )\bline\s+of\s+(\d+)\s+on\b", r"some line of \1 on", False),
    ((), r"\b(?:rotated\s+(?:or|and)\s+(?:mirrored|flipped|reflected)|turned\s+or\s+(?:mirrored|flipped|reflected))\b", "turned mirrored", True),
    ((), r"(?<=\])((?:\s+turned|\s+mirrored)*)\s+(?:of|with)\s+(?:the\s+)?same\b", r"\1: same", True),
    ((), r"\b(rule|action|zone|deck|component|var|ending|score|objective|shape|define|consequence|invariant)\s+(\w+)-(\w+)", r"\1 \2_\3", True),
    ((), r"\b(?:the\s+)?(?:size|number|length|amount)\s+of\s+(?:\w+\s+(?:in|on|of)\s+)?(?=[A-Za-z_]\w*)", "count ", False),
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
NOTHING_DONE = mark('doing nothing is an action too, which is declared: `action NAME "..." ()` without effects')
# In which declarations, what is said, and the line that helps where no fix can be written.
_ASKED: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("turn", "round"), r"\{[^}\n]*(?:,|\.\.)|\btwice\b|\btimes\b", SO_OFTEN),
    (("turn", "round"), r",|;|\bthen\b|->", SIDE_BY_SIDE),
    (("action",), r"\(\s*\w+\s*(?=[,)])|:\s*cell\s*(?=[,)])",
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
    (("score",), r"\b(?:per|each|for)\b", mark("points for each of several things are a product: `3 * count ...`")),
    (_CHANGED, r"\b(?:swap|exchange)\b",
        mark("two moves exchange two things; the first that moves is named before: `let NAME = ...`")),
    (_CHANGED, r"\b(?:flip|rotate)\s+\w+", mark("a thing gets another state where it lies: `turn THING to STATE`")),
    (_CHANGED, r"\b(?:while|repeat|until)\b",
        mark("what is done for several is done for each of them: `for each NAME in ...: ...`; what a player repeats is said by `turn`")),
    (("var",), r"\bvar\s+\w+\s*=\s*",
        mark("a variable has bounds, a first value and a time: `var NAME: 0..9 = 0 per game`")),
    (("ending",), r"\bif\b|(?<!at )\bonce\b|\"\s*:",
        mark("an ending says when it comes and what follows: `when ... then stop`")),
    (("setup",), r"\bshuffle\b",
        mark("what is dealt `by chance` is shuffled: `deal NAME \"...\": rest of DECK to ZONE by chance`")),
    (("setup",), r"\bdeal\b[^\n]*",
        mark("a deal says how many, of which deck, and to which zone: `4 each of DECK to ZONE by chance`")),
    (_CHANGED, r"\bmove\s+(?:\d+|one|two|three|four|an?|some)\s+\w+\s+to\b",
        mark("where they come from is missing: `move 2 of ZONE to ZONE`, `move top of ZONE to ZONE`")),
    (_CHANGED, r"\bto\s+(?:the\s+)?bottom\s+of\b|\bunder\b",
        mark("things are laid on top; what is to lie below is laid first")),
    (_CHANGED, r"\b(?:ends?|finish(?:es)?|stops?)\s+(?:the\s+)?(?:turn|game|round)\b|\bskips?\s+\w+",
        mark("what comes next is said by `turn`, and when the game is over by `ending`")),
    (_CHANGED, r"\b(?:reveal|show|hide|conceal)s?\s+\w+",
        mark("who sees a thing follows from the zone where it lies: move it to one that is `seen by all`")),
    (_CHANGED, r"\b(?:to|of)\s+(?:the\s+)?(?:next|other)\s+player\b",
        mark("what belongs to a player has the player as its index: `ZONE[player after player]`, `ZONE[other player]`")),
    (_CHANGED, r"\b(?:each|every|all|next|other)\s+players?\b",
        mark("what is done for every player names the player: `for each q in players: move ... to ZONE[q]`")),
    (_CHANGED, r"^\s*(?:score|points?|total)\s*[-+]?=",
        mark("points that a player gets in play are a variable: `var NAME: 0..99 = 0 per player`, `NAME += 2`")),
    (_CHANGED, r"\bchange\s+(?:action|consequence)\s+\w+\s*\{",
        mark("what is changed is written with its parameters and rules; to do one more thing: `add effect to ACTION ...`")),
    (_CHANGED, r"^\s*require\b",
        mark('a condition stands in a rule, with a name and a text: `rule NAME "..." require ...`')),
    (_CHANGED, r"\b(?:discard|remove|take|draw|place|lay|give|play|deal)\s+\w+|\w+\s*->\s*\w+",
        mark("things are moved: `move THING to ZONE`")),
    (_CHANGED, r"\bturn\s+\d+\b",
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
    (_REASONED, r"\bbecause\b",
        mark("`because` gives the reason of `change`, `add` and `remove`; rules of one's own have a text")),
)  # fmt: skip
# Of many words, one is like nearly any other.
_FEW = 8
# What a declaration is called elsewhere.
_CALLED: tuple[tuple[str, str], ...] = (
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


def said_otherwise(at: Stuck) -> Diagnostic | None:
    """A declaration of a game in other words, and what to write: `ending out "..." if ...`, `move 2 cards from stock to hand`."""
    for place, meant, safe in _meant(at, _kind(at)):
        fix = _shortest(written(place, meant, safe))
        if fix.text != fix.span.text and at.mended(fix):
            said = fix.span.text.strip()
            help_line = "write `{text}`" if fix.text.strip() else "leave `{said}` out"
            return told(unexpected(short(said)), fix.span, help_line, fix, text=fix.text.strip(), said=said)
    return None


def _kind(at: Stuck) -> str:
    """What kind of declaration it is; what an overlay changes or adds is declared as in a game."""
    begin, kind = at.declaration()
    if kind in ("change", "add") and at.text != "because":
        found = re.match(r"(?:change|add)\s+(\w+)", at.file.text[begin : at.span.start])
        kind = found[1] if found else kind
    return kind


def said_of(at: Stuck) -> Diagnostic | None:
    """What helps with a declaration in other words that no fix is known for: `deal two cards each`."""
    kind = _kind(at)
    words = [word.lower() for word in at.expected if word.isalpha()]
    if len(words) <= _FEW and at.text not in at.keywords and closest(at.text, words):
        return None  # one of these, misspelt
    for kinds, pattern, help_line in _ASKED:
        if (not kinds or kind in kinds) and any(_around(at, pattern)):
            return told(at.unexpected(), at.span, help_line)
    return None


def unfinished(at: Stuck) -> Diagnostic | None:
    """A declaration without its last part: the next one begins instead."""
    kind = at.declaration()[1]
    asked = {
        "ending": ("THEN", mark("what follows is missing: `then stop`, `then stop at once` or `then 1 more turn each`")),
        "token": ("ON", mark("where it can lie is missing: `token NAME on ZONE`")),
        "zone": ("OF", mark("what lies there is missing: `of COMPONENT`")),
        "var": ("PER", mark("how long it lasts is missing: `per turn`, `per round` or `per game`")),
    }  # fmt: skip
    sign, help_line = asked.get(kind, ("", ""))
    if not sign or sign not in at.expected or not (at.begins_line or not at.text):
        return None
    end = len(at.file.text[: at.span.start].rstrip())
    last = at.file.text.rfind("\n", 0, end) + 1
    return told("the declaration is not complete", Span(at.file, last, end), help_line)


def called_otherwise(at: Stuck) -> Diagnostic | None:
    """A declaration that begins with another word: `winner most points`."""
    if not at.begins_line or "OBJECTIVE" not in at.expected or at.text in at.keywords:
        return None
    for pattern, help_line in _CALLED:
        if re.fullmatch(pattern, at.text, re.I):
            return told("`{text}` is not a word of the language", at.span, help_line, text=at.text)
    return None


def _shortest(fix: Fix) -> Fix:
    """The fix without the words at its beginning and the space at its end that stay, as long as something is left of both."""
    end = fix.span.end
    if fix.span.text[-1:].isspace() and fix.text[-1:].isspace():
        fix, end = written(Span(fix.span.file, fix.span.start, end - 1), fix.text[:-1], fix.safe), end - 1
    old, new = (re.split(r"(?<=\s)(?=\S)", text) for text in (fix.span.text, fix.text))
    stay = 0
    while stay < min(len(old), len(new)) - 1 and old[stay] == new[stay]:
        stay += 1
    begin = fix.span.start + len("".join(old[:stay]))
    return written(Span(fix.span.file, begin, end), "".join(new[stay:]), fix.safe)


def _around(at: Stuck, pattern: str) -> Iterator[re.Match[str]]:
    """What is said on the line of the place, at the place or right before."""
    before = at.line_before()
    return _near(pattern, before + at.line_behind(), len(before))


def _near(pattern: str, line: str, place: int) -> Iterator[re.Match[str]]:
    return (found for found in re.finditer(pattern, line) if found.start() <= place <= found.end() + 1)


def _meant(at: Stuck, kind: str) -> Iterator[tuple[Span, str, bool]]:
    """What may be meant on the line of the place, or at the end of the line before where a line begins there."""
    before = at.line_before()
    lines = [(at.span.start - len(before), before + at.line_behind(), len(before))]
    # The first word of a line may have been taken for a name that belongs to the line before.
    if re.fullmatch(r"\s*(?:\w+\s+)?", before):
        above = at.file.text[: at.line_start].rstrip().rpartition("\n")[2]
        lines.append((len(at.file.text[: at.line_start].rstrip()) - len(above), above, len(above)))
    for (begin, line, place), (kinds, pattern, meant, safe) in product(lines, _SAID):
        for found in _near(pattern, line, place) if not kinds or kind in kinds else ():
            attribute = found.groupdict().get("attribute")
            if attribute is not None and re.search(rf"\b{attribute}\s*:", at.file.text) is None:
                continue
            text = found.expand(meant) if isinstance(meant, str) else meant(found)
            yield Span(at.file, begin + found.start(), begin + found.end()), text, safe
