"""All errors in the form of a record: pydantic for the envelope, the ruleset's schema for the rest.

Only records that the strict decoder refused get here, so valid records never import these libraries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from pwtool.records.decoding import Decoder
from pwtool.records.excerpts import excerpt
from pwtool.records.json_form import Malformed, Path, no_such, unknown
from pwtool.text import Diagnostic, did_you_mean
from pwtool.text.diagnostic import MAX_PROBLEMS, first_problems
from pwtool.text.source import Span
from pwtool.text.speech import Told
from pwtool.text.words import quoted

Locate = Callable[[Path], Span]
Words = list[tuple[Path, str, str | None]]
_MAX_KEYS = 8
_KINDS = {
    "object": Told("an object is needed here"), "array": Told("a list is needed here"), "integer": Told("a whole number is needed here"),
    "string": Told("a text is needed here"), "boolean": Told("true or false is needed here"),
}  # fmt: skip


def diagnose(decoder: Decoder, data: Any, malformed: Malformed, locate: Locate, is_state: bool) -> list[Diagnostic]:
    """The findings of a record that the decoder refused; at least the one that it stopped at."""
    found: dict[Path, list[tuple[str, str | None]]] = {}
    problems = [malformed, *_in_turns(decoder, data, is_state)]
    part = excerpt(data, problems)
    for path, message, help_line in _schema(decoder, part.data, is_state):
        found.setdefault(part.path(path), []).append((message, help_line))
    for path, message, help_line in _envelope(part.data, is_state):
        found.setdefault(part.path(path), [(message, help_line)])
    # The decoder's own message is the plainest; it also covers what a schema cannot express.
    for problem in problems:
        if len(found.get(problem.path, [])) < 2 or problem.help:
            found[problem.path] = [(problem.message, problem.help)]
    diagnostics = [
        Diagnostic(
            # A schema reports the list of missing keys once for each of them.
            "PW702",
            _together(dict.fromkeys(m for m, _ in entries)),
            locate(path),
            help=next((h for _, h in entries if h), None),
        )
        for path, entries in found.items()
    ]
    diagnostics.sort(key=lambda d: d.span.start if d.span else 0)
    return [*first_problems(_without_ancestors(diagnostics))]


def _together(messages: Iterable[str]) -> str:
    """The findings for one place."""
    first, *others = messages
    for other in others:
        first = Told("{one}; {other}", one=first, other=other)
    return first


def _in_turns(decoder: Decoder, data: Any, is_state: bool) -> list[Malformed]:
    problems: list[Malformed] = []
    if not is_state:
        try:
            decoder.record(data, problems)
        except Malformed as malformed:
            problems.append(malformed)
    return problems


def _without_ancestors(found: list[Diagnostic]) -> list[Diagnostic]:
    """One finding per place: if a part is wrong, what contains it is not reported again."""
    kept: list[Diagnostic] = []
    for finding in found:
        span = finding.span
        inner = any(
            other is not finding and other.span and span and span.start <= other.span.start and other.span.end <= span.end
            and (other.span.start, other.span.end) != (span.start, span.end)
            for other in found
        )  # fmt: skip
        if not inner:
            kept.append(finding)
    return kept or found[:1]


def _envelope(data: Any, is_state: bool) -> Words:
    from pydantic import ValidationError

    from pwtool.records.models import RecordEnvelope, StateEnvelope

    try:
        (StateEnvelope if is_state else RecordEnvelope).model_validate(data)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_context=False, include_input=False)
        return [(tuple(e["loc"]), _words(e), None) for e in errors]
    return []


def _words(error: Any) -> str:
    kind = error["type"]
    name = error["loc"][-1] if error["loc"] else ""
    if kind == "missing":
        return _missing([name])
    if kind == "extra_forbidden":
        return unknown([name])
    message = str(error["msg"]).rstrip(".")
    return message[:1].lower() + message[1:]


@cache
def _validator() -> Any:
    """A validator that tells errors in the order of the data: `jsonschema` itself visits objects with arbitrary keys in an
    order that changes between runs.
    """
    from jsonschema import Draft202012Validator, ValidationError
    from jsonschema.validators import extend

    def others(validator: Any, wanted: Any, instance: Any, within: Any) -> Iterator[Any]:
        extra = [k for k in instance if k not in within.get("properties", {})] if isinstance(instance, dict) else []
        if wanted is False and extra:
            yield ValidationError("unknown keys")
        elif wanted is not False:
            for key in extra:
                yield from validator.descend(instance[key], wanted, path=key)

    return extend(Draft202012Validator, {"additionalProperties": others})  # type: ignore[no-untyped-call]


def _errors(schema: dict[str, Any], data: Any) -> Iterator[Any]:
    found: Iterator[Any] = _validator()(schema).iter_errors(data)
    return found


def _schema(decoder: Decoder, data: Any, is_state: bool) -> Words:
    from pwtool.records.schema import record_schema, state_schema

    schema = (state_schema if is_state else record_schema)(decoder.game)
    found: Words = []
    for error in _errors(schema, data):
        path: Path = tuple(error.absolute_path)
        if error.validator == "oneOf" and isinstance(error.instance, dict):
            found += _action(schema, error.instance, path)
        else:
            found.append((path, *_plain(error)))
        if len(found) > MAX_PROBLEMS:
            break
    return found


def _action(schema: dict[str, Any], data: dict[str, Any], path: Path) -> Words:
    """The errors of an action, judged by the branch that its name selects."""
    branches = {b["properties"]["action"]["const"]: b for b in schema["$defs"]["action"]["oneOf"]}
    name = data.get("action")
    branch = branches.get(name) if isinstance(name, str) else None
    if branch is None:
        return [((*path, "action"), no_such(Told("action"), name), did_you_mean(str(name), branches))]
    whole = {"$defs": schema["$defs"], **branch}
    return [((*path, *e.absolute_path), *_plain(e)) for e in _errors(whole, data)]


def _plain(error: Any) -> tuple[str, str | None]:
    match error.validator:
        case "required":
            missing = [k for k in error.validator_value if k not in error.instance]
            return _missing(missing), None
        case "additionalProperties" if isinstance(error.instance, dict):
            known = error.schema.get("properties", {})
            extra = [k for k in error.instance if k not in known]
            return unknown(extra, _MAX_KEYS), did_you_mean(extra[0], known) if extra else None
        case "enum":
            values = [str(v) for v in error.validator_value]
            return Told("{value} is not possible here", value=quoted([error.instance])), did_you_mean(
                str(error.instance), values
            )
        case "const":
            return Told("{what} is needed here", what=quoted([error.validator_value])), None
        case "type":
            return _KINDS[error.validator_value], None
        case "maxItems":
            return Told("at most {most} are possible here", most=error.validator_value), None
        case "minItems":
            return Told("at least {least} are needed here", least=error.validator_value), None
        case "minLength":
            return Told("an empty text is not possible here"), None
        case "maxLength":
            return Told("a text of at most {most} characters is possible here", most=error.validator_value), None
        case "minimum":
            return (
                Told("{value} is not possible here", value=quoted([error.instance])),
                Told("the smallest number is {number}", number=error.validator_value),
            )
        case "maximum":
            return (
                Told("{value} is not possible here", value=quoted([error.instance])),
                Told("the greatest number is {number}", number=error.validator_value),
            )
    return Told("this is not possible here"), None


def _missing(names: Sequence[object]) -> Told:
    return Told("{names} is missing", "{names} are missing", len(names), names=[quoted([name]) for name in names])
