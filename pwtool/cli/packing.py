"""`pwtool pack`: writes a table of packed records."""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec
from pathlib import Path

from pwtool.checking.packing import Packer, pack_all
from pwtool.checking.pieces import cut
from pwtool.cli.common import fail, keep_apart, keep_file, open_store, print_diagnostics, told_apart
from pwtool.cli.start import Stop
from pwtool.cli.streams import Pace, complain, note, print_data, show_progress
from pwtool.cli.writing import tell_left_out
from pwtool.records.inputs import find_paths
from pwtool.text.cores import cores
from pwtool.text.speech import Told
from pwtool.text.store import STANDARD, reason_of, written_whole
from pwtool.text.terminal import dump_json
from pwtool.text.words import counted

MOST_PROBLEMS = 20


def run_pack(
    files: list[str],
    output: str,
    address: str | None,
    force: bool,
    rules_from: list[str],
    level: int,
    jobs: int,
    as_json: bool = False,
) -> int:
    """Pack all records into one file. What cannot be read and is no line of text is reported and not packed: exit code 2."""
    if find_spec("pyarrow") is None:
        fail("packed records need the package `pyarrow`", "install it with the extra: `pip install pwtool[archive]`")
    from pwtool.records.tables.writing import packed_writer

    target = Path(output)
    if target != STANDARD and target.suffix.lower() != ".parquet":
        fail(f"`{output}`: packed records are a file that ends in .parquet")
    if not 1 <= level <= 22:
        fail(f"`--level {level}`: zstd knows 1 to 22")
    if as_json:
        keep_apart(target)
    paths, problems = find_paths(files)
    keep_file(target, force)
    found = told_apart(problems)
    unread = more = len(found)
    packer = Packer(open_store(rules_from=rules_from), address)
    packed = kept = 0
    left_out: Counter[str] = Counter()
    pace = Pace()
    try:
        with written_whole(target) as stream:
            with packed_writer(stream, level) as writer:
                for rows in pack_all(cut(paths), packer, jobs or (1 if "-" in paths else cores())):
                    told = told_apart(rows.problems)
                    found += told[: max(0, MOST_PROBLEMS - len(found))]
                    more += len(told)
                    unread += rows.unread
                    left_out += rows.left_out
                    writer.add(rows.rows, rows.vocabularies)
                    packed += sum(row.game is not None for row in rows.rows)
                    kept += sum(row.game is None for row in rows.rows)
                    if pace.is_due():
                        show_progress(counted(packed + kept, "record"))
            if found:
                print_diagnostics(tuple(found[:MOST_PROBLEMS]))
            if more > MOST_PROBLEMS:
                complain(
                    Told(
                        "{count} more finding is not shown; `pwtool check` shows all",
                        "{count} more findings are not shown; `pwtool check` shows all",
                        more - MOST_PROBLEMS,
                    )
                )
            if found and not packed + kept:
                complain(Told("nothing was written"))
                raise Stop(2)
            size = stream.tell() if stream.seekable() else 0
    except BrokenPipeError:
        # The reader has closed the pipe.
        raise
    except OSError as error:
        fail(Told("cannot write `{file}`: {reason}", file=output, reason=reason_of(error)))
    if as_json:
        data = {"file": output, "packed": packed, "kept": kept, "unread": unread, "bytes": size}
        print_data(dump_json(data, indent=2) + "\n")
    else:
        each = f", {size / (packed + kept):,.0f} bytes each" if size else ""
        note(f"{packed} packed{each}" + (f", {kept} kept as text" if kept else ""))
    if unread:
        complain(
            Told(
                "{count} document is not in the table, because it cannot be read",
                "{count} documents are not in the table, because they cannot be read",
                unread,
            )
        )
    tell_left_out(left_out)
    return 2 if unread else 0
