"""`pwtool rules`, `schema` and `explain`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pwtool.cli.common import Under, choose_language, deliver, fail, open_book, open_store, print_lines, split_name
from pwtool.cli.output_settings import output_settings
from pwtool.cli.streams import print_data, print_markdown, say
from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.lang.merged import Key, Step, describe
from pwtool.play.game import Game
from pwtool.records.ruleset_store import RulesetStore
from pwtool.text import CODES, did_you_mean
from pwtool.text.data import error_page
from pwtool.text.speech import mark
from pwtool.text.terminal import dump_json, escape
from pwtool.text.words import aligned, one_line
from pwtool.why.citing import reason_text
from pwtool.why.findings import condition_text, find_node, source_line
from pwtool.why.voice import Voice

_HEADINGS = (
    ("setup", mark("Setup")), ("turn", mark("Order of play")), ("anytime", mark("At any time")), ("action", mark("Actions")),
    ("consequence", mark("Consequences")), ("ending", mark("End")), ("score", mark("Score")), ("ranking", mark("Ranking")),
    ("objective", mark("Objectives")), ("invariant", mark("Invariants")), ("ambiguity", mark("Open points")), ("erratum", mark("Errata")),
)  # fmt: skip
_KINDS = ("rule", "action", "consequence", "setup", "ending", "score", "objective", "invariant", "turn")


def run_schema(under: Under, state: bool, output: Path | None, force: bool) -> int:
    """Print the schema of a ruleset's records or positions."""
    from pwtool.records.schema import record_schema, state_schema

    book = open_book(under.named, under.ruleset_store())
    deliver(dump_json((state_schema if state else record_schema)(book.game), indent=2), output, force)
    return 0


def show_rules(under: Under, lang: str | None, form: str, output: Path | None, force: bool) -> int:
    """Show a resolved ruleset in a language; as `html`, its objectives on one page."""
    language = under.language(lang)
    book = open_book(under.named, under.ruleset_store())
    if form == "html":
        from pwtool.show.html.sheet import render_sheet

        text = render_sheet(book.game, language)
    elif form == "json":
        text = dump_json(_as_json(book.game, language), indent=2)
    else:
        text = "\n".join(map(escape, _show(book.game, language)))
    deliver(text, output, force)
    return 0


def list_rules(as_json: bool, lang: str | None = None) -> int:
    """List all rulesets of the library, with their titles in a language."""
    ruleset_store, voice = open_store(), Voice(choose_language(lang))
    rows: list[dict[str, Any]] = []
    for game in ruleset_store.library.games():
        overlays = ruleset_store.library.overlays(game)
        addresses = [game, *(f"{game}/{name}" for name in overlays["edition"])]
        for base in list(addresses):
            addresses += [f"{base}+{variant}" for variant in overlays["variant"]]
        for address in addresses:
            result = ruleset_store.get(address)
            if result.value is None:
                rows.append(
                    {"address": address, "title": None, "version": None, "refused": result.diagnostics[0].message}
                )
                continue
            ruleset = result.value.game.ruleset
            # Output for programs is in English.
            title = ruleset.title if as_json else voice.title(result.value.game)
            rows.append({"address": address, "title": title, "version": ruleset.version, "refused": None})
    if as_json:
        print_data(dump_json(rows, indent=2) + "\n")
    else:
        say(*aligned([(r["address"], r["version"] or "-", r["title"] or r["refused"]) for r in rows]))
    return 0


def _text_of(ruleset: Ruleset, key: Key, node: n.Node, language: str) -> str:
    english = getattr(node, "text", "") or ""
    return ruleset.text(key, english, language)


def _show(game: Game, language: str) -> list[str]:
    ruleset, voice = game.ruleset, Voice(language)
    title = voice.title(game)
    lines = [f"{ruleset.address}  {title}", f"{voice.caption('version')} {ruleset.version}, {_players(ruleset, voice)}"]
    lines.append(f"{voice.say('layers')}  " + ", ".join(f"{h.kind} {h.name.name}" for h in ruleset.merged.headers))
    items = list(ruleset.merged.items.items())
    for kind, heading in _HEADINGS:
        found = [(key, node) for key, node in items if key[0] == kind]
        if not found:
            continue
        lines += ["", voice.say(heading)]
        for key, node in found:
            lines += _item_lines(game, key, node, voice, "  ")
            if kind in ("action", "consequence"):
                own = [(k, r) for k, r in items if k[0] == "rule" and k[1].partition(".")[0] == key[1]]
                for rule_key, rule in own:
                    lines += _item_lines(game, rule_key, rule, voice, "    ")
            if kind == "turn":
                for rule_key, rule in (
                    (k, r) for k, r in items if k[0] == "rule" and k[1].startswith(f"{ruleset.cycle}.")
                ):
                    lines += _item_lines(game, rule_key, rule, voice, "    ")
    changed = [
        (key, step)
        for key, steps in ruleset.merged.history.items()
        for step in steps
        if step.layer != ruleset.merged.headers[0].name.name
    ]
    if changed:
        lines += ["", voice.say("What the layers change")]
        lines += [f"  {_change_line(game, key, step, voice)}" for key, step in changed]
    return lines


def _players(ruleset: Ruleset, voice: Voice) -> str:
    low, high = ruleset.min_players, ruleset.max_players
    return voice.caption("players", low, high) if low < high else voice.many("{count} player", "{count} players", low)


def _item_lines(game: Game, key: Key, node: n.Node, voice: Voice, indent: str) -> list[str]:
    ruleset = game.ruleset
    text = _text_of(ruleset, key, node, voice.language)
    if isinstance(node, n.Turn | n.Ranking | n.Anytime):
        # An item without a name is shown as it is written.
        lines = [f"{indent}{one_line(node.span.text)}"]
    else:
        lines = [f"{indent}{key[1] or key[0]}" + (f"  {text}" if text else "")]
    if isinstance(node, n.Action | n.Consequence) and node.parameters:
        lines.append(
            f"{indent}    ({', '.join(_parameter(ruleset, key[1], p, voice.language) for p in node.parameters)})"
        )
    condition = condition_text(node)
    if condition is None and isinstance(node, n.Objective):
        condition = one_line(node.condition.span.text)
    if condition is None and isinstance(node, n.Score):
        condition = one_line(node.value.span.text)
    if condition:
        lines.append(f"{indent}    {condition}")
    if isinstance(node, n.Ambiguity):
        read = voice.headed(voice.say("read here"), voice.reading(game, node))
        if key in ruleset.merged.restated:
            read = voice.say("what it is about has been changed since")
        lines.append(f"{indent}    {read}")
        for other in node.alternatives:
            option = f"--reading {node.name.name}={other.name.name}"
            lines.append(f"{indent}    {voice.headed(option, voice.reading(game, node, other))}")
    if isinstance(node, n.Erratum):
        option = f"--reading {node.name.name}=printed"
        lines.append(f"{indent}    {voice.say('{option} follows the printed text', option=option)}")
    source = source_line(game, _rule_id(key), voice) if getattr(node, "sees", ()) else None
    if source:
        lines.append(f"{indent}    {voice.headed(voice.caption('explain_source'), source)}")
    return lines


def _parameter(ruleset: Ruleset, action: str, node: n.Parameter | n.ConsequenceParameter, language: str) -> str:
    """A parameter as it is written, with its text in the language."""
    written = one_line(node.span.text)
    if not isinstance(node, n.Parameter) or not node.text:
        return written
    return written.replace(node.text, ruleset.text(("param", f"{action}.{node.name.name}"), node.text, language))


def _rule_id(key: Key) -> str:
    return f"{key[0]}.{key[1]}" if key[0] in ("setup", "invariant", "score") else key[1]


def _change_line(game: Game, key: Key, step: Step, voice: Voice) -> str:
    reason = reason_text(game.ruleset, step.reason, voice)
    return voice.say(_CHANGES[step.verb], layer=step.layer, item=describe(key)) + (f" ({reason})" if reason else "")


_CHANGES = {
    "adds": mark("{layer} adds {item}"), "changes": mark("{layer} changes {item}"), "removes": mark("{layer} removes {item}"),
    "settles": mark("{layer} settles {item}"),
}  # fmt: skip


def _as_json(game: Game, language: str) -> dict[str, Any]:
    ruleset = game.ruleset
    keys = [key for key in ruleset.merged.items if key[0] not in ("section", "source")]
    return {
        "address": ruleset.address,
        "title": ruleset.title,
        "version": ruleset.version,
        "players": [ruleset.min_players, ruleset.max_players],
        "items": [_item_data(game, key, language) for key in keys],
    }


def _item_data(game: Game, key: Key, language: str) -> dict[str, Any]:
    ruleset = game.ruleset
    node = ruleset.merged.items[key]
    return {
        "kind": key[0],
        "name": key[1],
        "text": _text_of(ruleset, key, node, language),
        "condition": condition_text(node),
        "place": f"{node.span.file.name}:{node.span.line}",
        "source": source_line(game, _rule_id(key)) if getattr(node, "sees", ()) else None,
        "history": [
            {"layer": s.layer, "verb": s.verb, "because": reason_text(ruleset, s.reason)}
            for s in ruleset.merged.history.get(key, [])
        ],
    }


def run_explain(what: str, under: Under, lang: str | None, as_json: bool = False) -> int:
    """Explain a code or a rule."""
    code = what.upper()
    if code in CODES:
        return _explain_code(code, as_json)
    language = under.language(lang)
    what, under = split_name(what, under)
    ruleset_store, address = under.ruleset_store(), under.address
    addresses = [address] if address else ruleset_store.library.games()
    known: list[str] = list(CODES)
    for candidate in addresses:
        book = open_book(candidate, ruleset_store)
        known += [r for k, r in book.game.ruleset.merged.items if r]
        if find_node(book.game, what) is not None:
            return _tell_rule(book.game, what, language, as_json)
    overlay = _in_overlays(what, ruleset_store) if address is None else None
    if overlay is not None:
        return _tell_rule(overlay, what, language, as_json)
    elsewhere = None if address else "rules of a file of your own: name it with --rules FILE.rules"
    return fail(f"there is no code and no rule `{what}`", did_you_mean(what, known) or elsewhere)


def _in_overlays(what: str, ruleset_store: RulesetStore) -> Game | None:
    """The game whose edition or variant is the only place that has a rule."""
    for game in ruleset_store.library.games():
        overlays = ruleset_store.library.overlays(game)
        for address in [*(f"{game}/{e}" for e in overlays["edition"]), *(f"{game}+{v}" for v in overlays["variant"])]:
            book = ruleset_store.get(address).value
            if book is not None and find_node(book.game, what) is not None:
                return book.game
    return None


def _explain_code(code: str, as_json: bool) -> int:
    entry, page = CODES[code], error_page(code)
    text = None if page is None else page.read_text("utf-8")
    if as_json:
        data = {
            "code": entry.number,
            "name": entry.slug,
            "severity": str(entry.severity),
            "summary": entry.summary,
            "page": text,
        }
        print_data(dump_json(data, indent=2) + "\n")
        return 0
    speech = output_settings.speech
    say(speech.headed(f"{entry.number} {entry.slug} ({speech.say(entry.severity)})", speech.say(entry.summary)))
    if text is not None:
        say("")
        print_markdown(text)
    return 0


def _tell_rule(game: Game, what: str, language: str, as_json: bool) -> int:
    if as_json:
        node = find_node(game, what)
        key = next(k for k, item in game.ruleset.merged.items.items() if item is node)
        data = {"ruleset": game.ruleset.address, **_item_data(game, key, language)}
        print_data(dump_json(data, indent=2) + "\n")
    else:
        print_lines(_explain_rule(game, what, language))
    return 0


def _explain_rule(game: Game, what: str, language: str) -> list[str]:
    ruleset, voice = game.ruleset, Voice(language)
    node = find_node(game, what)
    assert node is not None
    key = next(k for k, item in ruleset.merged.items.items() if item is node)
    kind = voice.caption(f"kind_{key[0]}") if key[0] in _KINDS else key[0]
    lines = [voice.headed(ruleset.address, f"{kind} {key[1]}".strip()), ""]
    text = _text_of(ruleset, key, node, language)
    if text:
        lines.append(text)
    tail = what.partition(".")[2]
    for parameter in getattr(node, "parameters", ()):
        if parameter.name.name == tail and getattr(parameter, "text", ""):
            lines.append(ruleset.text(("param", what), parameter.text, language))
    told = [("explain_written", f"{node.span.file.name}:{node.span.line}")]
    told += [("explain_condition", condition) for condition in [condition_text(node)] if condition]
    told += [("explain_source", source) for source in [source_line(game, what, voice)] if source]
    for step in ruleset.merged.history.get(key, []):
        reason = reason_text(game.ruleset, step.reason, voice)
        if step.verb != "adds" or step.layer != ruleset.merged.headers[0].name.name:
            said = voice.say(_STEPS[step.verb], layer=step.layer)
            told.append(("explain_history", voice.headed(said, reason) if reason else said))
    shown = 0
    for example in ruleset.merged.examples:
        if example.name.name == key[1] and shown < 4:
            given = "; ".join(one_line(g.span.text) for g in example.givens)
            for outcome in example.outcomes[:4]:
                words = one_line(outcome.span.text)
                told.append(("explain_example", words + (f"   ({given})" if given else "")))
                shown += 1
    heads = [voice.caption(head) for head, _ in told]
    width = max(9, *map(len, heads))
    return [*lines, *(f"  {head:<{width}}  {words}" for head, (_, words) in zip(heads, told, strict=True))]


_STEPS = {
    "adds": mark("{layer} adds it"), "changes": mark("{layer} changes it"), "removes": mark("{layer} removes it"),
    "settles": mark("{layer} settles it"),
}  # fmt: skip
