"""Whatever way records take through the forms that `pwtool convert` writes, they come out as they went in."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pwtool.cli.app import run
from pwtool.records.inputs import Text, find_paths, read_texts
from pwtool.text.terminal import dump_json
from tests.daily import one_day_in
from tests.laws.test_notation import Wild
from tests.support import book, few_or_many

pytest.importorskip("pyarrow")
pytest.importorskip("zstandard")
ADDRESSES = ("paper_world/gamepark+advanced", "paper_world/fr", "pierre_papier_morpion/fr+bonus", "connect_four")
FORMS = (
    ("all.jsonl",), ("all.ndjson.gz",), ("all.jsonl.xz",), ("all.tar.zst", "--to", "pwn"), ("all.zip", "--to", "json"),
    ("all.tgz", "--to", "pwn"), ("all.parquet",), ("all.arrow",), ("all.feather",), ("folder", "--to", "json"),
    ("folder", "--to", "pwn"),
)  # fmt: skip
"""Where to, and with what said besides."""


def records_of(place: Path) -> list[dict[str, Any]]:
    """The records of files that hold no notation."""
    (paths, problems) = find_paths([str(place)])
    assert not problems
    texts = [text for path in paths for text in read_texts(path)]
    assert all(isinstance(text, Text) for text in texts), texts
    return [json.loads(text.data) for text in texts if isinstance(text, Text)]


@one_day_in(8)
@pytest.mark.parametrize("examples", few_or_many(12, 300))
def test_records_survive_any_way_through_all_forms(examples: int) -> None:
    relaxed = settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))

    @relaxed
    @given(st.data())
    def law(data: st.DataObject) -> None:
        address = data.draw(st.sampled_from(ADDRESSES))
        records = [
            Wild(data.draw, book(address).game).record() | {"ruleset": address}
            for _ in range(data.draw(st.integers(1, 3)))
        ]
        way = data.draw(st.lists(st.sampled_from(FORMS), min_size=1, max_size=3))
        with TemporaryDirectory() as name:
            place = Path(name) / "begin.jsonl"
            place.write_text("".join(f"{dump_json(record)}\n" for record in records), "utf-8")
            for number, (to, *how) in enumerate((*way, ("end.jsonl",))):
                target = Path(name) / str(number) / to
                target.parent.mkdir()
                if to == "folder":
                    target.mkdir()
                assert run(["convert", str(place), "-o", str(target), "-q", *how]) == 0, (to, how)
                place = target
            assert records_of(place) == records

    law()
