"""Writing several games: one file, an archive with one game per line, or a folder with one file for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pwtool.cli.common import fail, keep_file, make_folder, write_file
from pwtool.cli.streams import note, print_data
from pwtool.records.containers import COMPRESSED, compressing, holds_files, is_compressed, suffix_of
from pwtool.records.file_names import ARCHIVES, STDIN, TABLES, is_table, names_record, split_line
from pwtool.text.addresses import is_address, path_of
from pwtool.text.speech import Told
from pwtool.text.store import STANDARD, is_stream, reason_of, written_whole
from pwtool.text.terminal import dump_json
from pwtool.text.words import MAX_QUOTED, quoted, shorten

ARCHIVE = ".jsonl"


@dataclass(frozen=True, slots=True)
class Game:
    """A game to write: the name of its document, its JSON form, and its text for a separate file."""

    name: str
    data: Mapping[str, object]
    text: str

    @property
    def stem(self) -> str:
        """The name of its file in a folder, without the suffix."""
        file, line = split_line(self.name)
        named = self.name.replace(":", "-")
        stem = Path("stdin" if file == STDIN else path_of(file) if line or is_address(file) else named).name
        while Path(stem).suffix.lower() in (*COMPRESSED, *TABLES) or names_record(stem):
            stem = Path(stem).stem
        return f"{stem}-{self.name[len(file) + 1 :]}" if line else stem


def is_archive(path: Path) -> bool:
    """Whether a file has one game per line, judging by its name."""
    return suffix_of(path.name) in ARCHIVES


def check_name(path: Path, suffixes: Sequence[str]) -> None:
    """Stop the command if the name of an output file is not one for records: a table, an archive of files, or a name
    with one of these suffixes.
    """
    if (
        is_stream(path)
        or path.is_dir()
        or holds_files(path.name)
        or is_table(path.name)
        or suffix_of(path.name) in suffixes
    ):
        return
    told = Told("it ends in {names}", names=quoted(s for s in suffixes if s))
    fail(Told("`{file}` is not a file name for records", file=str(path)), told)


def archive_line(data: Mapping[str, object]) -> str:
    """A record on one line."""
    return dump_json(data)


@contextmanager
def open_archive(path: Path | None) -> Iterator[Callable[[Mapping[str, object]], object]]:
    """A function that writes one record after the other into an archive (None: to standard output). The file only
    appears when all are written; any interruption leaves it as it was.
    """
    if path is None:
        yield lambda data: print_data(f"{archive_line(data)}\n")
        return
    try:
        with written_whole(path) as whole, compressing(whole, path.name) as file:
            yield lambda data: file.write(f"{archive_line(data)}\n".encode())
    except OSError as error:
        fail(Told("cannot write `{file}`: {reason}", file=path, reason=reason_of(error)))


def write_one(text: str, output: Path, force: bool) -> None:
    """Write a text to a file, compressed if its name says so; stops the command if that is impossible."""
    if not is_compressed(output.name):
        write_file(output, text, force)
        return
    keep_file(output, force)
    try:
        with written_whole(output) as whole, compressing(whole, output.name) as stream:
            stream.write(text.encode())
    except OSError as error:
        fail(Told("cannot write `{file}`: {reason}", file=output, reason=reason_of(error)))


def tell_left_out(left_out: Counter[str], suffix: str = "", is_restated: bool = False) -> None:
    """Say what games in foreign formats have that records have no place for, or the other way round if there is a suffix
    of the files in which the records were written; and how often. `is_restated`: these are notes that say otherwise there.
    """
    if not left_out:
        return
    names = ", ".join(f"`{shorten(name, MAX_QUOTED)}` ({count})" for name, count in sorted(left_out.items()))
    if is_restated:
        note(
            Told(
                "not as in the notes, because `{suffix}` files say this of the game itself: {names}",
                suffix=suffix,
                names=names,
            )
        )
    elif suffix:
        note(
            Told(
                "left out, because nothing in {suffix} files is read as this: {names}",
                suffix=f"`{suffix}`",
                names=names,
            )
        )
    else:
        note(Told("left out, because a record has no place for it: {names}", names=names))


def write_games(
    games: list[Game], output: Path, force: bool, several: bool, suffix: str, rules_from: Sequence[str] = ()
) -> int:
    """Write the games and say how many; stops the command before the first one if a file is in the way."""
    if not games:
        return 0
    if output == STANDARD:
        for game in games:
            print_data(archive_line(game.data) + "\n" if several or len(games) > 1 else game.text)
        return len(games)
    if holds_files(output.name) and not output.is_dir():
        from pwtool.cli.archiving import write_members

        members = {f"{game.stem}{suffix}": game.text for game in games}
        if len(members) < len(games):
            fail(
                Told("two files would have the same name"),
                Told("write them into an archive of lines: -o OUT.jsonl"),
            )
        write_members(members, output, force)
        return len(games)
    if is_table(output.name) and not output.is_dir():
        from pwtool.cli.archiving import write_table

        write_table([game.data for game in games], output, force, rules_from)
        return len(games)
    if is_archive(output):
        keep_file(output, force)
        with open_archive(output) as write:
            for game in games:
                write(game.data)
        return len(games)
    if not (several or output.is_dir() or not output.suffix):
        write_one(games[0].text, output, force)
        return 1
    targets = [output / f"{game.stem}{suffix}" for game in games]
    if len(set(targets)) < len(targets):
        fail(
            Told("two files would have the same name"),
            Told("write them into different folders, or into one archive: -o OUT.jsonl"),
        )
    for target in targets:
        keep_file(target, force)
    make_folder(output)
    for target, game in zip(targets, games, strict=True):
        write_file(target, game.text, force)
    return len(games)
