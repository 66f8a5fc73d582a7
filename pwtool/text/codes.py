"""The registry of finding codes. The meaning of a code never changes; each has a page in `docs/errors/`."""

from __future__ import annotations

from msgspec import Struct

from pwtool.text.speech import mark


class Code(Struct, frozen=True):
    """A kind of finding: its number, its short name, its default severity and its meaning in one sentence."""

    number: str
    slug: str
    severity: str
    summary: str


def _registry(*rows: tuple[str, str, str, str]) -> dict[str, Code]:
    codes = {number: Code(number, slug, severity, summary) for number, slug, severity, summary in rows}
    if len(codes) != len(rows):
        raise AssertionError("a finding code is listed twice")
    return codes


CODES: dict[str, Code] = _registry(
    # 1xx: the text of a ruleset
    ("PW101", "syntax", "error", mark("the text does not follow the grammar of the rules language")),
    ("PW102", "bad-picture", "error", mark("a grid picture is ragged, empty or holds a sign it cannot hold")),
    ("PW103", "too-large", "error", mark("a file is larger, or nested deeper, than the tool reads")),
    ("PW104", "unreadable", "error", mark("a file cannot be opened or is not UTF-8 text")),
    # 2xx: names and overlays
    ("PW201", "unknown-name", "error", mark("a name is not declared")),
    ("PW202", "duplicate-name", "error", mark("a name is declared twice")),
    ("PW203", "unknown-ruleset", "error", mark("an address names no ruleset")),
    ("PW204", "overlay-target", "error", mark("an overlay changes or removes something that does not exist")),
    ("PW205", "overlay-no-effect", "warning", mark("an overlay changes something into what it already is")),
    ("PW206", "overlay-cycle", "error", mark("rulesets build on each other in a circle")),
    ("PW207", "excluded-variant", "error", mark("an edition does not have this variant")),
    ("PW208", "recursive-definition", "error", mark("a definition uses itself")),
    ("PW209", "missing-part", "error", mark("a ruleset lacks a part that every game needs")),
    # 3xx: types and finiteness
    ("PW301", "wrong-type", "error", mark("a value is of another kind than its place needs")),
    ("PW302", "bad-index", "error", mark("a zone is indexed in a way it is not divided")),
    ("PW303", "unknown-attribute", "error", mark("a component has no such attribute")),
    ("PW304", "unknown-face", "error", mark("a code names no face of the component")),
    ("PW305", "picture-too-large", "error", mark("a picture cannot fit on the grid")),
    ("PW306", "out-of-range", "error", mark("a number can never have this value here")),
    ("PW307", "unreachable-step", "error", mark("a step of the order of play can never be reached")),
    ("PW308", "too-dear", "error", mark("a ruleset is too expensive to run")),
    # 4xx: lints
    ("PW401", "unused-name", "warning", mark("a name is declared and never used")),
    ("PW402", "example-fails", "error", mark("an example of a ruleset does not hold")),
    ("PW403", "missing-example", "warning", mark("a rule or objective lacks an accepted or a rejected example")),
    ("PW404", "repeated-objective", "warning", mark("an objective asks for the same as another one")),
    ("PW405", "wide-picture", "warning", mark("a picture has rows or columns at its border in which anything may lie")),
    ("PW406", "fixed-condition", "warning", mark("a condition always holds or never holds")),
    ("PW407", "double-negation", "warning", mark("two negations cancel each other")),
    ("PW408", "repeated-part", "warning", mark("a condition asks twice for the same")),
    ("PW409", "repeated-example", "warning", mark("an example shows what another one shows")),
    ("PW410", "missing-text", "warning", mark("an objective or a rule has no text for the players")),
    ("PW411", "untidy-text", "warning", mark("a text ends with a full stop or has stray blanks")),
    (
        "PW412",
        "uncovered",
        "warning",
        mark("no example makes a part of a condition true, or no example makes it false"),
    ),
    ("PW413", "unnoticed-change", "warning", mark("a small change of a condition would be noticed by no example")),
    (
        "PW414",
        "reaches-too-far",
        "warning",
        mark("a condition about each thing contains a part that does not depend on it"),
    ),
    ("PW415", "unspoken-cell", "warning", mark("a picture names a cell that no condition uses")),
    ("PW416", "dear-examples", "error", mark("the examples of a ruleset take more steps than the limit")),
    ("PW417", "gets-stuck", "note", mark("random games get stuck, or cannot be played")),
    ("PW418", "does-not-end", "note", mark("random games do not end")),
    ("PW419", "never-done", "note", mark("nobody does an action, or a consequence does not happen, in random games")),
    ("PW420", "refuses-nothing", "note", mark("a rule refuses nothing in random games")),
    ("PW421", "ends-nothing", "note", mark("an ending ends no random game")),
    ("PW422", "same-for-all", "note", mark("a score line is the same for all players in random games")),
    ("PW423", "always-wins", "note", mark("a seat wins all random games")),
    # 5xx: what is true on all boards
    ("PW501", "never-fulfilled", "error", mark("no board can fulfil an objective")),
    ("PW502", "always-fulfilled", "error", mark("every board fulfils an objective")),
    ("PW503", "same-boards", "error", mark("an objective is fulfilled by the same boards as another one")),
    ("PW504", "beyond-deck", "error", mark("no board of the cards of the deck fulfils an objective")),
    ("PW505", "undecided", "undetermined", mark("nothing can be proven of an objective")),
    # 6xx: records and states against rules
    ("PW601", "rule-broken", "error", mark("an action breaks a rule")),
    ("PW602", "not-available", "error", mark("an action uses something that is not where it has to be")),
    ("PW603", "out-of-order", "error", mark("an action is not allowed at this point of the turn")),
    ("PW604", "wrong-player", "error", mark("a player acts out of turn")),
    ("PW605", "consequence-missing", "error", mark("a consequence that the rules demand is not in the record")),
    ("PW606", "after-the-end", "error", mark("something is played after the game has ended")),
    ("PW607", "ended-early", "error", mark("the record gives a result although the game is not over")),
    ("PW608", "wrong-result", "error", mark("a recorded score, ranking or end differs from the computed one")),
    ("PW609", "bad-setup", "error", mark("the setup is not one that the rules allow")),
    ("PW610", "invariant-broken", "error", mark("a position cannot arise under the rules")),
    ("PW611", "unknowable", "undetermined", mark("a rule cannot be judged because something is unknown")),
    ("PW612", "no-legal-action", "error", mark("the game is stuck: it is not over, and no action is legal")),
    ("PW613", "ruleset-changed", "error", mark("the record was made for another version of its ruleset")),
    ("PW614", "reveal-conflict", "error", mark("what a record reveals contradicts what is known")),
    ("PW615", "turn-incomplete", "error", mark("a turn ends before everything that it needs was done")),
    ("PW616", "not-judged", "undetermined", mark("too much is wrong with a game to judge it to its end")),
    ("PW617", "too-much-work", "undetermined", mark("judging a game takes more steps than the limit")),
    ("PW618", "endless", "error", mark("a repeated consequence comes more often than the limit")),
    ("PW619", "out-of-bounds", "error", mark("a consequence, or chance, exceeds a bound")),
    ("PW620", "agreed-otherwise", "undetermined", mark("players agreed on a result that the rules do not give")),
    # 7xx: file formats
    ("PW701", "not-json", "error", mark("a file is not valid JSON")),
    ("PW702", "bad-record", "error", mark("a record does not match its schema")),
    ("PW703", "file-unreadable", "error", mark("a file cannot be opened, is not text or is too large")),
    ("PW704", "import-failed", "error", mark("a record of another program cannot be imported")),
    ("PW705", "nothing-to-check", "error", mark("the given paths hold no record")),
    ("PW706", "no-ruleset", "error", mark("a record names no ruleset and none was given")),
    ("PW707", "own-rules", "error", mark("a record names rules that are not the library's, and nobody allowed them")),
    ("PW708", "broken-rules", "error", mark("the rules that a record names cannot be loaded")),
    ("PW711", "notation-syntax", "error", mark("the text does not follow the grammar of the game notation")),
    (
        "PW712",
        "unknown-word",
        "error",
        mark("a word of a notated game names nothing: no action, no player, no value that can stand there"),
    ),
    ("PW713", "ambiguous-word", "error", mark("a shortened word of a notated game can mean several things")),
    (
        "PW714",
        "wrong-arguments",
        "error",
        mark("an action or an entry of a notated game has too few, too many or the wrong parts"),
    ),
    ("PW715", "wrong-number", "error", mark("the turns of a notated game are not numbered in order")),
    ("PW716", "wrong-header", "error", mark("a part of a notated game is missing, repeated or unknown")),
    ("PW717", "left-out", "warning", mark("files that are no records, or text around games, are left out")),
    (
        "PW718",
        "untrue-sign",
        "warning",
        mark("a sign of a move or a position in a file of another program is not true of it"),
    ),
    (
        "PW719",
        "other-scoring",
        "warning",
        mark("a file of another program counts the result otherwise than the ruleset"),
    ),
    ("PW721", "not-convertible", "error", mark("a document cannot be converted")),
    # 8xx: what a team has set
    ("PW801", "bad-setting", "error", mark("a setting is unknown, or has an invalid value")),
    ("PW802", "unused-ignore", "warning", mark("what the settings ignore is no longer found")),
    # 9xx: this program
    ("PW901", "internal", "error", mark("internal error")),
)
