"""The catalogs have every message of the program, translated, and nothing else."""

from __future__ import annotations

import ast
import io
import re
from gettext import GNUTranslations
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message

from pwtool.cli.app import run
from pwtool.text.codes import CODES
from pwtool.text.speech import LOCALE, SPOKEN, Speech
from tests.architecture.test_structure import CLASSIC, FORBIDDEN
from tests.languages.catalogs import (
    ROOT,
    TEMPLATE,
    all_said,
    badly_set,
    catalog_of,
    compiled,
    forms,
    read,
    template,
    written,
)

TRANSLATED = SPOKEN[1:]
RENEW = "run `python -m tests.languages.catalogs`"
SAYS = ("say", "about", "many")


def messages(catalog: Catalog) -> dict[tuple[str | None, str], Message]:
    found = {}
    for message in catalog:
        if message.id:
            found[message.context, forms(message.id)[0]] = message
    return found


def gaps(text: str) -> set[str]:
    """What has to be filled in; `{ }` alone is a sign like any other where nothing fills a gap."""
    return set(re.findall(r"\{(\w+)\}", text))


def test_the_template_has_what_the_program_says() -> None:
    assert TEMPLATE.read_bytes() == written(template()), RENEW


@pytest.mark.parametrize("language", TRANSLATED)
def test_each_message_is_translated_and_none_is_left_over(language: str) -> None:
    catalog = catalog_of(language)
    assert not catalog.obsolete
    assert messages(catalog).keys() == messages(template()).keys(), RENEW
    lacking = [m.id for m in catalog if m.id and (m.fuzzy or not m.string or not all(forms(m.string)))]
    assert not lacking
    assert (LOCALE / language / "LC_MESSAGES" / "pwtool.po").read_bytes() == written(catalog), RENEW


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_have_the_gaps_of_their_messages(language: str) -> None:
    for message in messages(catalog_of(language)).values():
        one, *more = map(gaps, forms(message.id))
        wanted = one | set().union(*more)
        for number, text in enumerate(forms(message.string)):
            # *One* may be said without its number, as English does.
            least = wanted - {"count"} if number == 0 and "count" not in one else wanted
            assert least <= gaps(text) <= wanted, message.id


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_message_has_an_escape_sequence_that_is_not_quoted(language: str) -> None:
    for message in messages(catalog_of(language)).values():
        for text in (*forms(message.id), *forms(message.string)):
            assert "\\" not in re.sub("`[^`]*`", "", text), text


def test_what_fills_the_gaps_is_given() -> None:
    for said in all_said():
        if said.names is not None:
            wanted = gaps(said.message) | gaps(said.more or "")
            assert wanted <= said.names, said


def test_the_compiled_catalogs_are_those_that_are_read() -> None:
    for language in TRANSLATED:
        path = LOCALE / language / "LC_MESSAGES" / "pwtool.mo"
        # What made it stands in its head, which nobody reads.
        kept, now = (
            {key: text for key, text in GNUTranslations(io.BytesIO(data))._catalog.items() if key}  # type: ignore[attr-defined]
            for data in (path.read_bytes(), compiled(read(path.with_suffix(".po"), language)))
        )
        assert kept == now, RENEW


def test_messages_are_written_where_they_are_said() -> None:
    """What is said is a text, or comes from a table of marked ones: it is never put together."""
    for path in sorted((ROOT / "pwtool").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SAYS:
                wrong = [a for a in node.args[: 2 if node.func.attr == "many" else 1] if is_put_together(a)]
                assert not wrong or node.func.attr == "about", f"{path}:{node.lineno}"


def is_put_together(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr | ast.BinOp)


@pytest.mark.parametrize("language", TRANSLATED)
def test_signs_are_set_as_the_language_does(language: str) -> None:
    for message in messages(catalog_of(language)).values():
        for text in (re.sub("`[^`]*`", "``", form) for form in forms(message.string)):
            assert not badly_set(text, language), text


def test_no_message_speaks_of_one_game() -> None:
    for said in all_said():
        words = set(re.findall(r"[a-z]+", f"{said.message} {said.more or ''}".lower()))
        assert not words & (FORBIDDEN | CLASSIC), said


def test_a_catalog_counts_as_its_language_does() -> None:
    def told(language: str) -> list[str]:
        speech = Speech(language)
        return [speech.many("{count} finding", "{count} findings", count) for count in (0, 1, 2)]

    assert told("en") == ["0 findings", "1 finding", "2 findings"]
    assert told("fr") == ["0 remarque", "1 remarque", "2 remarques"]
    assert told("de") == ["0 Befunde", "1 Befund", "2 Befunde"]
    assert told("it") == told("en")


def test_several_languages_are_spoken_at_once() -> None:
    assert [Speech(language).say("error") for language in ("fr", "en", "de", "it")] == [
        "erreur", "error", "Fehler", "error",
    ]  # fmt: skip


def test_the_wheel_has_the_catalogs() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    assert 'packages = ["pwtool"]' in text and Path(LOCALE).is_relative_to(ROOT / "pwtool")


TOLD_IN = (
    "why/messages.py", "why/findings.py", "why/moves.py", "why/drawing.py", "why/reasons.py", "why/citing.py",
    "show/text/full.py", "show/text/statistics.py", "cli/show.py", "cli/which.py", "cli/suggest_rulesets.py",
)  # fmt: skip


@pytest.mark.parametrize("name", TOLD_IN)
def test_no_sentence_goes_past_the_catalogs(name: str) -> None:
    """Texts that are put together have no words of their own, but for commands and what is as the rules language has it."""
    for node in ast.walk(ast.parse((ROOT / "pwtool" / name).read_text("utf-8"))):
        if isinstance(node, ast.JoinedStr):
            parts = [p.value for p in node.values if isinstance(p, ast.Constant)]
            kept = [p for p in parts if not re.match(r"pwtool |--|require|when|^ ?--|detail_|verdict_", p.strip("` "))]
            assert not re.search(r"[A-Za-z]{3}", " ".join(kept)), f"{name}:{node.lineno}: {parts}"


@pytest.mark.parametrize("language", SPOKEN)
def test_what_a_code_means_is_told_in_every_language(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    speech = Speech(language)
    told = {code: speech.say(entry.summary) for code, entry in CODES.items()}
    assert run(["explain", "PW307", "--lang", language]) == 0
    assert told["PW307"] in capsys.readouterr().out.splitlines()[0]
    if language != "en":
        assert not [code for code, entry in CODES.items() if told[code] == entry.summary]
