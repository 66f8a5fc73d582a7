"""`pwtool which`: the rulesets that accept a record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from pwtool.checking.documents import load_document
from pwtool.checking.report import FileResult, Verdict
from pwtool.cli.common import choose_language, open_book, open_store, print_lines, told_apart, without_notes
from pwtool.cli.streams import print_data, watched
from pwtool.comparing.accepting import Answer, Candidates, try_rulesets
from pwtool.records.inputs import find_paths, read_documents
from pwtool.records.ruleset_store import RulesetStore
from pwtool.text import Diagnostic
from pwtool.text.speech import Speech, mark
from pwtool.text.terminal import dump_json
from pwtool.text.words import aligned

MANY = 4
_WORDS = {
    Verdict.CLEAN: mark("fits"), Verdict.FINDINGS: mark("refused"), Verdict.UNDETERMINED: mark("undecided"),
    Verdict.UNREADABLE: mark("unreadable"),
}  # fmt: skip


def run_which(
    files: list[str], addresses: list[str], as_json: bool, show_all: bool, lang: str | None, rules_from: list[str]
) -> int:
    """Print which rulesets accept each record; 0 if each record has one, 1 if not, 2 if one cannot be read."""
    language = choose_language(lang, addresses, rules_from)
    ruleset_store = open_store(rules_from=rules_from)
    for address in addresses:
        open_book(address, ruleset_store, quiet=True)
    paths, problems = find_paths(files)
    problems = told_apart(problems)
    speech = Speech(language)
    found: list[Candidates] = [Candidates(p.file or "", (), (p.within(speech),)) for p in problems]
    found += _all(paths, ruleset_store, addresses, speech)
    if as_json:
        print_data(dump_json(_data(found), indent=2) + "\n")
    else:
        print_lines(_lines(found, show_all, speech))
    if any(not c.answers for c in found):
        return 2
    return 0 if all(c.fitting for c in found) else 1


def _all(paths: list[str], ruleset_store: RulesetStore, addresses: list[str], speech: Speech) -> Iterator[Candidates]:
    documents = without_notes(document for path in paths for document in read_documents(path))
    for document in watched(documents, "trying game"):
        loaded = load_document(document)
        if isinstance(loaded, FileResult):
            yield Candidates(loaded.name, (), loaded.within(speech).diagnostics)
        else:
            yield try_rulesets(loaded, ruleset_store, addresses, speech.language)


def _lines(found: list[Candidates], show_all: bool, speech: Speech) -> list[str]:
    lines: list[str] = []
    if len(found) <= MANY or show_all:
        for candidates in found:
            lines += [candidates.name, *_answer_lines(candidates, speech)]
    else:
        lines = aligned([(PurePath(c.name).name, ", ".join(c.fitting) or _nearest(c, speech)) for c in found])
    if len(found) > 1:
        lines += ["", _summary(found, speech)]
    return lines


def _answer_lines(candidates: Candidates, speech: Speech) -> list[str]:
    if not candidates.answers:
        return [
            "  "
            + speech.headed(speech.say("error"), speech.tell(d.message))
            + (f" ({speech.tell(d.help)})" if d.help else "")
            for d in candidates.unreadable[:1]
        ]
    rows = []
    for answer in candidates.answers:
        rows.append(
            (
                f"  {answer.address}",
                answer.version or "",
                f"{speech.say(_WORDS[answer.verdict]):<9}",
                _reason(answer, speech),
            )
        )
        if answer.action is not None:
            rows.append(("", "", "", speech.say("then {finding}", finding=_finding(answer.action, speech))))
    return aligned(rows)


def _reason(answer: Answer, speech: Speech) -> str:
    if answer.first is None or answer.fits:
        return ", ".join(map(speech.tell, answer.summary))
    told = _finding(answer.first, speech)
    return speech.say("fits except for the material: {finding}", finding=told) if answer.material else told


def _finding(found: Diagnostic, speech: Speech) -> str:
    told = speech.say("{head}: {text}", head=found.where, text=found.message) if found.where else found.message
    return told + (f" ({found.rule})" if found.rule else "")


def _nearest(candidates: Candidates, speech: Speech) -> str:
    """The ruleset under which a game gets furthest, if none accepts it."""
    if not candidates.answers:
        return speech.say("cannot be read")
    best = candidates.answers[0]
    return speech.say(
        "undecided under {ruleset}: {reason}"
        if best.verdict is Verdict.UNDETERMINED
        else "fits none, gets furthest under {ruleset}: {reason}",
        ruleset=best.address,
        reason=_reason(best, speech),
    )


def _summary(found: list[Candidates], speech: Speech) -> str:
    counts = fitting_counts(found)
    none = sum(not c.fitting for c in found if c.answers)
    broken = sum(not c.answers for c in found)
    parts = [_fit(number, address, speech) for address, number in counts if number]
    refusing = [address for address, number in counts if not number]
    parts += [_fit(0, ", ".join(refusing), speech)] if refusing and len(refusing) < len(counts) else []
    parts += [speech.many("{count} fits none", "{count} fit none", none)] if none else []
    parts += [speech.many("{count} cannot be read", "{count} cannot be read", broken)] if broken else []
    return speech.many("{count} game: {told}", "{count} games: {told}", len(found), told=", ".join(parts))


def _fit(number: int, ruleset: str, speech: Speech) -> str:
    return speech.many("{count} fits {ruleset}", "{count} fit {ruleset}", number, ruleset=ruleset)


def fitting_counts(found: list[Candidates]) -> list[tuple[str, int]]:
    """How many documents each ruleset accepts, the best guess first."""
    tried = dict.fromkeys(sorted(a.address for c in found for a in c.answers))
    counts = Counter(address for c in found for address in c.fitting)
    return sorted(((address, counts[address]) for address in tried), key=lambda pair: -pair[1])


def _data(found: list[Candidates]) -> dict[str, Any]:
    return {
        "games": len(found),
        "fits": dict(fitting_counts(found)),
        "documents": [
            {
                "name": c.name,
                "fits": c.fitting,
                **({"unreadable": [d.message for d in c.unreadable]} if c.unreadable else {}),
                "rulesets": [_answer_data(a) for a in c.answers],
            }
            for c in found
        ],
    }


def _answer_data(answer: Answer) -> dict[str, Any]:
    data: dict[str, Any] = {"address": answer.address, "version": answer.version, "verdict": _WORDS[answer.verdict]}
    if answer.fits:
        return {**data, "summary": [*map(str, answer.summary)]}
    if answer.material:
        data["material_apart"] = True
    for key, found in (("first", answer.first), ("action", answer.action)):
        if found is not None:
            data[key] = {
                "code": found.code, "rule": found.rule, "where": found.where, "message": found.message,
                "line": found.span.line if found.span else None,
            }  # fmt: skip
    return data
