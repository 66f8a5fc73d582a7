"""The Paper World rulesets: every address loads, its examples hold, its texts and sources are complete."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.lang.merged import Key
from pwtool.play.game import Game
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.why.examples import check_examples, missing_examples
from tests.daily import some

ROOT = Path(__file__).resolve().parents[2]
BASES = ["paper_world", *(f"paper_world/{e}" for e in ("en", "fr", "de", "bga", "gamepark"))]
ADDRESSES = BASES + [f"{base}+advanced" for base in BASES if base != "paper_world/bga"]
LANGUAGES = ("fr", "de")
SHELF = RulesetStore(Library())

# Rules that no document states.
WITHOUT_SOURCE = {
    "pass.no_choice": "no document speaks of a player who can do nothing",
}
# The documents an item of a ruleset has to cite one of; where an address is missing here, any document will do: the
# common ground is what they share, Game Park's implementation has recorded games and no document.
DOCUMENTS = {f"paper_world/{e}": {e} for e in ("en", "fr", "de", "bga")}
# The printed 7 is a value that no card has: the ruleset read so is refused, which proves the misprint.
IMPOSSIBLE = {"five_1s_printed=printed": "PW306"}
RULE_KINDS = ("setup", "rule", "ending", "score", "invariant")


@cache
def game(address: str) -> Game:
    book = SHELF.get(address)
    assert book.value is not None, book.diagnostics
    return book.value.game


def texts(ruleset: Ruleset) -> dict[Key, str]:
    """The English text of every item and parameter."""
    found: dict[Key, str] = {}
    for key, node in ruleset.merged.items.items():
        if getattr(node, "text", None):
            found[key] = node.text  # type: ignore[attr-defined]
        for parameter in getattr(node, "parameters", ()):
            if getattr(parameter, "text", None):
                found["param", f"{key[1]}.{parameter.name.name}"] = parameter.text
    return found


def other_names(ruleset: Ruleset) -> set[Key]:
    """What else may have a name in another language: rulesets, sources, readings, zones, tokens, variables, decks, components and their faces' words."""
    found: set[Key] = {(header.kind, header.name.name) for header in ruleset.merged.headers}
    for key, node in ruleset.merged.items.items():
        if isinstance(node, n.Source):
            found.add(("source", key[1]))
        elif isinstance(node, n.Ambiguity):
            found |= {("reading", key[1]), *(("reading", f"{key[1]}.{a.name.name}") for a in node.alternatives)}
    found |= {("param", f"{action.name}.{p.name}") for action in ruleset.actions.values() for p in action.parameters}
    found |= {("zone", zone) for zone in ruleset.zones} | {("token", token) for token in ruleset.tokens}
    found |= {key for key in ruleset.merged.items if key[0] in ("var", "deck", "component")}
    for component in ruleset.components.values():
        words = {
            *component.attributes,
            *(v for a in component.attributes.values() for v in a.table if isinstance(v, str)),
        }
        found |= {("component", f"{component.name}.{word}") for word in words}
    return found


def readings(address: str) -> list[str]:
    """Every reading that can be adopted at an address, as `--reading` takes it."""
    found = []
    for (_, name), node in game(address).ruleset.merged.items.items():
        if isinstance(node, n.Ambiguity):
            found += [f"{name}={a.name.name}" for a in node.alternatives]
        elif isinstance(node, n.Erratum):
            found.append(f"{name}=printed")
    return found


def reading_cases() -> list[tuple[str, str]]:
    return [(address, reading) for address in ADDRESSES for reading in readings(address)]


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_ruleset_loads_without_findings(address: str) -> None:
    assert list(SHELF.get(address).diagnostics) == []


@pytest.mark.parametrize("address", ADDRESSES)
def test_all_examples_hold_and_none_is_missing(address: str) -> None:
    assert check_examples(game(address)) == []
    assert missing_examples(game(address)) == []


@pytest.mark.parametrize(("address", "reading"), some([*reading_cases()], 6))
def test_examples_hold_under_every_other_reading(address: str, reading: str) -> None:
    result = load_ruleset(address, Library(), (reading,))
    if reading in IMPOSSIBLE:
        assert [d.code for d in result.diagnostics] == [IMPOSSIBLE[reading]]
        return
    assert result.diagnostics == ()
    assert result.value is not None
    assert check_examples(Game(result.value)) == []
    assert result.value.version != game(address).ruleset.version


def test_the_online_version_has_no_advanced_mode() -> None:
    result = SHELF.get("paper_world/bga+advanced")
    assert result.value is None
    assert [d.code for d in result.diagnostics] == ["PW207"]


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_translated(address: str, language: str) -> None:
    ruleset = game(address).ruleset
    translated = ruleset.merged.texts[language]
    assert [key for key in texts(ruleset) if not translated.get(key)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_translation_belongs_to_something(language: str) -> None:
    known = {key for address in ADDRESSES for key in texts(game(address).ruleset)}
    known |= {key for address in ADDRESSES for key in other_names(game(address).ruleset)}
    given = {key for address in ADDRESSES for key in game(address).ruleset.merged.texts[language]}
    assert given - known == set()


@pytest.mark.parametrize("address", ADDRESSES[1:])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_changed_text_is_translated_anew(address: str, language: str) -> None:
    base, changed = game("paper_world").ruleset, game(address).ruleset
    english = texts(base)
    for key, text in texts(changed).items():
        if key in english and text != english[key]:
            assert changed.text(key, text, language) != base.text(key, english[key], language), key


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_rule_cites_the_document_of_its_edition(address: str) -> None:
    ruleset = game(address).ruleset
    items = ruleset.merged.items
    documents = DOCUMENTS.get(address.partition("+")[0], {"en", "fr", "de", "bga", "gp"})
    uncited = []
    for (kind, name), node in items.items():
        if kind not in RULE_KINDS:
            continue
        cited = set()
        for section_name in getattr(node, "sees", ()):
            section = items["section", section_name.name]
            assert isinstance(section, n.Section)
            cited |= {cite.source.name for cite in section.cites}
        if not cited & documents:
            uncited.append(name)
    assert set(uncited) <= set(WITHOUT_SOURCE)


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_change_says_why(address: str) -> None:
    for key, steps in game(address).ruleset.merged.history.items():
        for step in steps:
            if step.verb in ("changes", "removes"):
                assert step.reason is not None, key


def test_the_page_names_all_readings_and_only_those() -> None:
    page = (ROOT / "docs" / "paper_world.md").read_text("utf-8")
    shown = set(re.findall(r"`(\w+=\w+)`", page))
    assert shown == {reading for _, reading in reading_cases()}
