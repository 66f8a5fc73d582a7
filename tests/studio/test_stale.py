"""A mistake in one declaration: the others go on, and it keeps the meaning that it had."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.daily import one_day_in
from tests.studio.speaking import page

HOUSE = """edition house of paper_world/en "Our house"
objective twos "Two 2s" = some [ # # ] turned: all value == 2
objective rich "Rich" = some row: sum value >= 12
"""


@one_day_in(8)
def test_one_mistake_leaves_the_other_objectives_as_they_are_written(tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "house.rules").write_text(HOUSE, "utf-8")
    with page(folder, tmp_path / "drafts") as shown:
        uri = shown.show(folder / "house.rules")

        def own() -> dict[str, tuple[bool, str]]:
            found = shown.ask("studio/overview", uri=uri)["objectives"]
            named = [(one["name"], one["stale"]) for one in found if one["own"]]
            return {name: (stale, shown.ask("studio/item", uri=uri, name=name)["written"]) for name, stale in named}

        before = own()
        assert [stale for stale, _ in before.values()] == [False, False]
        shown.type(uri, HOUSE.replace("all value == 2", "all valu == 2").replace(">= 12", ">= 13"))
        after = own()
        assert after["twos"] == (True, before["twos"][1])
        assert after["rich"] == (False, before["rich"][1].replace("12", "13"))
        shown.type(uri, HOUSE.replace("= some [ # # ]", "= = some [ # # ]"))
        assert own()["twos"][0]
        assert not shown.ask("studio/overview", uri=uri)["valid"]
        shown.type(uri, HOUSE)
        assert own() == before


def test_without_a_ruleset_all_objectives_are_what_they_were(tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "house.rules").write_text(HOUSE, "utf-8")
    with page(folder, tmp_path / "drafts") as shown:
        uri = shown.show(folder / "house.rules")
        shown.ask("studio/overview", uri=uri)
        shown.type(uri, HOUSE.replace("paper_world/en", "paper_wrld/en"))
        found = shown.ask("studio/overview", uri=uri)
        assert not found["valid"] and found["objectives"]
        assert all(one["stale"] for one in found["objectives"])


def test_an_example_with_a_card_that_there_is_not_costs_its_picture_alone(tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "house.rules").write_text(HOUSE + "example twos {\n  yes [ Y2 B22 ]\n  no [ Y2 B3 ]\n}\n", "utf-8")
    with page(folder, tmp_path / "drafts") as shown:
        uri = shown.show(folder / "house.rules")
        found = shown.ask("studio/item", uri=uri, name="twos")["examples"]
        assert [bool(one["svg"]) for one in found] == [False, True]


@one_day_in(8)
@pytest.mark.parametrize(
    "broken", [HOUSE.replace("all value", "all valu"), HOUSE.replace("of paper_world/en", "of paper_wrld/en"), ""]
)
def test_a_draft_with_a_mistake_that_is_opened_shows_what_the_file_means(tmp_path: Path, broken: str) -> None:
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "house.rules").write_text(HOUSE, "utf-8")
    with page(folder, tmp_path / "drafts") as shown:
        uri = (folder / "house.rules").as_uri()
        document = {"uri": uri, "languageId": "pwtool", "version": 0, "text": broken}
        shown.tell("textDocument/didOpen", {"textDocument": document})
        found = shown.ask("studio/overview", uri=uri)
        assert not found["valid"] and {"twos", "rich"} <= {one["name"] for one in found["objectives"]}
        assert shown.ask("studio/rules", uri=uri)["outline"]["sections"]
