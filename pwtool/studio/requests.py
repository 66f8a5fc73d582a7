"""The studio's requests, answered by the page's language server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from pwtool import __version__
from pwtool.lsp.convert import to_path
from pwtool.lsp.server import Server
from pwtool.lsp.watching import workers
from pwtool.rules.targets import SUFFIX
from pwtool.studio.background import Background
from pwtool.studio.beginning import Begun, beginning
from pwtool.studio.cells import Board
from pwtool.studio.changing import change_item
from pwtool.studio.differing import differs, witness_page
from pwtool.studio.document_context import DocumentContext
from pwtool.studio.examples import add_example, mutants, remove_example
from pwtool.studio.folder import ELSEWHERE, Folder, Opened, bases
from pwtool.studio.games import Given, judge_games, learn_rules
from pwtool.studio.meaning import item, neighbours, overview
from pwtool.studio.measuring import in_play, when_dealt
from pwtool.studio.palette import Draft, write_objective
from pwtool.studio.random_play import game_page
from pwtool.studio.refusing import Refused
from pwtool.studio.rules import rules
from pwtool.studio.table import Asked, Said, Wanted, keep_action, lay_table, why_not
from pwtool.studio.trying import match
from pwtool.why.voice import Voice

T = TypeVar("T")
REFUSED = -32803
"""The protocol's error code for a valid request that cannot be carried out."""
KEEP_AFTER = 0.3
"""Seconds without typing before a draft is stored."""


class _Of(msgspec.Struct):
    uri: str


class _Named(_Of):
    name: str


class _OnBoard(_Named):
    board: Board


class _Marked(_OnBoard):
    yes: bool


class _Written(_Of):
    text: str
    force: bool = False


class _Drafted(_Of):
    draft: Draft


class _Played(_Of):
    games: list[Given]


class _Laid(_Of):
    wanted: Wanted


class _Pointed(_Of):
    asked: Asked


class _Said(_Of):
    said: Said


class _Added(msgspec.Struct):
    name: str
    text: str
    folder: str | None = None


class _Item(_Of):
    item: str


class _Changed(_Named):
    kind: str


class _OneGame(_Of):
    players: int
    seed: int


class Studio:
    """What one page is shown and may ask. `server` is its language server; `put` keeps a page of a game and returns its address."""

    def __init__(self, server: Server, folder: Folder, put: Callable[[str], str], language: str) -> None:
        self.server, self.folder, self.put, self.voice = server, folder, put, Voice(language)
        server.speak(self.voice)
        self._waiting: dict[Path, asyncio.TimerHandle] = {}
        self._telling: set[asyncio.Future[None]] = set()
        # The text of each file as the page was given it, until it has one of its own to keep.
        self.shown: dict[Path, str] = {}
        server.told, server.typed = self.changed, self.typed
        self.pool = workers(2, "studio")
        self.background = Background(self.measured)
        folder.pages.append(self)
        _add(self)

    def path(self, uri: str) -> Path:
        """The file at an address, if the page may see it."""
        if not self.may_see(uri):
            raise Refused(ELSEWHERE)
        return to_path(uri, self.folder.root)

    def may_see(self, uri: str) -> bool:
        """Whether the page may see the file at an address."""
        try:
            return uri.startswith("file:") and self.folder.may_read(to_path(uri, self.folder.root))
        except JsonRpcInvalidParams:
            return False

    def asked(self, uri: str) -> DocumentContext:
        """What is known about a file."""
        return DocumentContext(self.server.model, self.folder, self.server.studies, self.path(uri))

    def changed(self, path: Path) -> None:
        """Tell the page that more is known about a file, so that it can ask again."""
        self.server.protocol.notify("studio/changed", {"uri": self.server.uri(path)})

    def measured(self, path: Path) -> None:
        """Tell the page that more was measured of a file."""
        self.server.protocol.notify("studio/measured", {"uri": self.server.uri(path)})

    # ---- drafts

    def typed(self, path: Path) -> None:
        """A file was changed in the editor: store the draft soon."""
        self.background.typed(path)
        self.forget(path)
        # What the page was given is stored already, perhaps by another window.
        given = self.server.text(path).text == self.shown.get(path)
        if path.suffix == SUFFIX and self.folder.may_write(path) and not given:
            self._waiting[path] = asyncio.get_running_loop().call_later(KEEP_AFTER, self._keep, path)

    def forget(self, path: Path) -> None:
        """Drop the drafts that are waiting to be stored."""
        waiting = self._waiting.pop(path, None)
        if waiting is not None:
            waiting.cancel()

    def _keep(self, path: Path) -> None:
        self._waiting.pop(path, None)
        if self.server.model.is_open(path):
            text = self.server.text(path).text
            self.shown.pop(path, None)
            kept = self.folder.keep(path, text, self)
            telling = asyncio.ensure_future(self._tell_kept(path, kept, self.server.versions.get(path)))
            # The loop itself does not hold on to it.
            self._telling.add(telling)
            telling.add_done_callback(self._telling.discard)

    async def _tell_kept(self, path: Path, kept: bool, version: int | None) -> None:
        await self.folder.settled()
        told = {"uri": self.server.uri(path), "kept": kept, "version": version}
        self.server.protocol.notify("studio/kept", told)

    def changed_elsewhere(self, path: Path, text: str, saved: str) -> None:
        """Another window changed a file: update this one unless it has its own changes at the moment."""
        if self.server.model.is_open(path):
            self.shown[path] = text
            params = {
                "uri": self.server.uri(path), "text": text, "saved": saved, "version": self.server.versions.get(path),
            }  # fmt: skip
            self.server.protocol.notify("studio/elsewhere", params)

    def close(self) -> None:
        """The page is closed: store the waiting drafts."""
        self.folder.pages.remove(self)
        for path, waiting in list(self._waiting.items()):
            waiting.cancel()
            with suppress(Exception):
                self.folder.keep(path, self.server.text(path).text, self)
        self._waiting.clear()
        self.server.watch.stop()
        self.background.stop()
        self.pool.shutdown(wait=False, cancel_futures=True)


def _add(studio: Studio) -> None:
    server, folder, voice = studio.server, studio.folder, studio.voice

    def answer(method: str, kind: type[T], work: Callable[[T], Any], wait: bool = True) -> None:
        """Answer a request; slow ones run in the background so that they do not delay the editor's requests."""

        async def answered(params: Any) -> Any:
            try:
                asked = msgspec.convert({} if params is None else _plain(params), kind)
            except (msgspec.ValidationError, UnicodeError) as error:
                # Half of a surrogate pair, which no answer can hold, either.
                reason = str(error).encode("utf-8", "backslashreplace").decode()
                raise JsonRpcException(f"this request cannot be read: {reason}", REFUSED) from error
            try:
                if not wait:
                    found = work(asked)
                    await folder.settled()
                    return found
                return await asyncio.get_running_loop().run_in_executor(studio.pool, partial(work, asked))
            except Refused as refused:
                raise JsonRpcException(refused.within(voice), REFUSED, refused.data or None) from refused
            except Exception as error:
                words = voice.say("internal error: {reason}", reason=f"{type(error).__name__}: {error}")
                raise JsonRpcException(words, REFUSED) from error

        server.feature(method)(answered)

    def hello(_: Any) -> dict[str, Any]:
        files = folder.files()
        first = folder.first or next(iter(files), None)
        shown = files if first is None or first in files else [first, *files]
        return {
            "root": folder.root.as_uri(),
            "folder": folder.root.name,
            "files": [_file(path) for path in shown],
            "open": first.as_uri() if first is not None else None,
            "version": __version__,
            # Those in the reader's language first.
            "bases": sorted(
                (
                    {"address": base.address, "title": base.title, "uri": base.path.as_uri()}
                    for base in bases(studio.voice.language)
                ),
                key=lambda base: not base["address"].endswith(f"/{studio.voice.language}"),
            )
            if folder.begins_in is not None
            else [],
        }

    def _file(path: Path) -> dict[str, Any]:
        name = str(path.relative_to(folder.root)) if path.is_relative_to(folder.root) else path.name
        return {
            "uri": path.as_uri(), "name": name, "writable": folder.may_write(path),
            "draft": folder.drafts.find(path) is not None,
        }  # fmt: skip

    def opened(found: Opened) -> dict[str, Any]:
        studio.shown[found.path] = found.text
        return {
            "uri": found.path.as_uri(), "text": found.text, "saved": found.saved, "writable": found.writable,
            "draft": found.is_draft,
        }  # fmt: skip

    def save(asked: _Written) -> dict[str, Any]:
        path = studio.path(asked.uri)
        studio.shown.pop(path, None)
        text, problem = folder.save(path, asked.text, asked.force, studio)
        # A text that was not saved is kept as a draft in a moment.
        studio.forget(path)
        studio.shown[path] = text
        return {
            "text": text,
            "changed": text != asked.text,
            "problem": voice.tell(problem) if problem is not None else None,
        }

    def witness(asked: _Item) -> dict[str, Any]:
        html, said = witness_page(studio.asked(asked.uri), asked.item, voice)
        return {"page": studio.put(html) if html is not None else None, "said": said}

    def random_game(asked: _OneGame) -> dict[str, Any]:
        measured = studio.background.of(studio.asked(asked.uri))
        return {"page": studio.put(game_page(measured, asked.players, asked.seed, voice))}

    uri = server.uri

    def added(asked: _Added) -> Any:
        where = None if asked.folder is None else to_path(asked.folder, folder.root)
        return {"uri": folder.add(asked.name, asked.text, where).as_uri()}

    answer("studio/hello", dict, hello, wait=False)
    answer("studio/open", _Of, lambda a: opened(folder.open(studio.path(a.uri))), wait=False)
    answer("studio/discard", _Of, lambda a: opened(folder.discard(studio.path(a.uri), studio)), wait=False)
    answer("studio/save", _Written, save, wait=False)
    answer("studio/beginning", Begun, lambda a: {"text": beginning(server.records, a)})
    answer("studio/begin", _Added, lambda a: {"uri": folder.begin(a.name, a.text).as_uri()}, wait=False)
    answer("studio/add", _Added, added, wait=False)
    answer("studio/overview", _Of, lambda a: overview(studio.asked(a.uri), voice))
    answer("studio/item", _Named, lambda a: item(studio.asked(a.uri), a.name, voice))
    answer("studio/neighbours", _Named, lambda a: neighbours(studio.asked(a.uri), a.name, voice))
    answer("studio/inPlay", _Named, lambda a: {"told": in_play(studio.asked(a.uri), server.records, a.name, voice)})
    answer("studio/dealt", _Named, lambda a: {"told": when_dealt(studio.asked(a.uri), a.name, voice)})
    answer("studio/match", _OnBoard, lambda a: match(studio.asked(a.uri), a.name, a.board, voice))
    answer("studio/addExample", _Marked, lambda a: add_example(studio.asked(a.uri), a.name, a.board, a.yes, uri))
    answer("studio/removeExample", _Marked, lambda a: remove_example(studio.asked(a.uri), a.name, a.board, a.yes, uri))
    answer("studio/mutants", _Named, lambda a: mutants(studio.asked(a.uri), a.name, uri, voice))
    answer("studio/palette", _Drafted, lambda a: write_objective(studio.asked(a.uri), a.draft, voice))
    answer("studio/differs", _Of, lambda a: differs(studio.asked(a.uri), voice))
    answer("studio/witness", _Item, witness)
    answer("studio/table", _Laid, lambda a: lay_table(studio.asked(a.uri), server.records, a.wanted, studio.put, voice))
    answer("studio/whyNot", _Pointed, lambda a: why_not(studio.asked(a.uri), server.records, a.asked, voice))
    answer("studio/keepAction", _Said, lambda a: keep_action(studio.asked(a.uri), server.records, a.said, uri))
    answer("studio/change", _Changed, lambda a: change_item(studio.asked(a.uri), (a.kind, a.name), uri, voice.language))
    answer("studio/rules", _Of, lambda a: rules(studio.asked(a.uri), studio.background, voice))
    answer("studio/randomGame", _OneGame, random_game)
    answer("studio/check", _Played, lambda a: judge_games(studio.asked(a.uri), server.records, a.games, voice))
    answer(
        "studio/learn", _Played, lambda a: learn_rules(studio.asked(a.uri), server.records, a.games, studio.put, voice)
    )


def _plain(value: Any) -> Any:
    """Plain data for what the protocol's reader turned into objects."""
    if hasattr(value, "_asdict"):
        return {key: _plain(part) for key, part in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return value
