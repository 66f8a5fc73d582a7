"""A server in a process of its own, and what tests ask of it."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.client import LanguageClient

COMMAND = (sys.executable, "-m", "pwtool", "lsp")
WAIT = 30
T = TypeVar("T")


class Session:
    """An open folder of an editor. Texts are known by the names of their files. The client lives in a thread of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.versions: dict[str, int] = {}
        self.edits: list[types.WorkspaceEdit] = []
        self.told: dict[str, list[types.Diagnostic]] = {}
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.client: Any = LanguageClient("tests", "1")

        @self.client.feature(types.WORKSPACE_APPLY_EDIT)
        def edit(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            self.edits.append(params.edit)
            return types.ApplyWorkspaceEditResult(applied=True)

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.told[params.uri] = list(params.diagnostics)

    def run(self, asked: Coroutine[Any, Any, T]) -> T:
        """The answer to a request."""
        return asyncio.run_coroutine_threadsafe(asked, self.loop).result(WAIT)

    def tell(self, notification: Any, params: Any) -> None:
        """Send what has no answer."""
        self.loop.call_soon_threadsafe(notification, params)

    async def describe(self, name: str, place: types.Position) -> Any:
        """What a panel would show of a place, as plain data."""
        position = {"line": place.line, "character": place.character}
        asked = {"textDocument": {"uri": self.uri(name)}, "position": position}
        return plain(await self.client.protocol.send_request_async("pwtool/describe", asked))

    async def begin(self, capabilities: types.ClientCapabilities | None = None, locale: str | None = None) -> None:
        """Start a server for the folder, in the language of the editor if it has one."""
        await self.client.start_io(*COMMAND)
        folder = types.WorkspaceFolder(self.folder.as_uri(), "opened")
        await self.client.initialize_async(
            types.InitializeParams(
                capabilities=capabilities or types.ClientCapabilities(), workspace_folders=[folder], locale=locale
            )
        )
        self.client.initialized(types.InitializedParams())

    async def end(self) -> int | None:
        """End the server; its exit code."""
        await self.client.shutdown_async(None)
        self.client.exit(None)
        server = self.client._server
        await asyncio.wait_for(server.wait(), WAIT)
        code: int | None = server.returncode
        return code

    def uri(self, name: str) -> str:
        return (self.folder / name).resolve().as_uri()

    def document(self, name: str) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri(name))

    def open(self, name: str, text: str) -> None:
        self.versions[name] = 1
        item = types.TextDocumentItem(self.uri(name), "pwtool", 1, text)
        self.tell(self.client.text_document_did_open, types.DidOpenTextDocumentParams(item))

    def change(
        self, name: str, text: str, start: tuple[int, int] | None = None, end: tuple[int, int] | None = None
    ) -> None:
        """Write a text in place of another one, or of the whole."""
        self.versions[name] += 1
        document = types.VersionedTextDocumentIdentifier(version=self.versions[name], uri=self.uri(name))
        whole: Any = types.TextDocumentContentChangeWholeDocument(text)
        if start is not None:
            place = types.Range(types.Position(*start), types.Position(*(end or start)))
            whole = types.TextDocumentContentChangePartial(range=place, text=text)
        self.tell(self.client.text_document_did_change, types.DidChangeTextDocumentParams(document, [whole]))

    def close(self, name: str) -> None:
        self.tell(self.client.text_document_did_close, types.DidCloseTextDocumentParams(self.document(name)))

    def findings(self, name: str, *codes: str, without: tuple[str, ...] = ()) -> list[types.Diagnostic]:
        """The findings of a document as soon as these are among them, and others are not."""
        for _ in range(WAIT * 20):
            found = self.told.get(self.uri(name))
            known = {d.code for d in found or ()}
            if found is not None and set(codes) <= known and not known & set(without):
                return found
            time.sleep(0.05)
        raise AssertionError((name, codes, without, self.told.get(self.uri(name))))


@contextmanager
def opened(folder: Path, locale: str | None = None) -> Iterator[Session]:
    """A session in a folder; its server has to end well."""
    session = Session(folder)
    session.run(session.begin(locale=locale))
    try:
        yield session
    finally:
        code = session.run(session.end())
        session.loop.call_soon_threadsafe(session.loop.stop)
        session.thread.join(WAIT)
    assert code == 0


def at(text: str, piece: str, more: int = 0) -> types.Position:
    """Where a piece of a text stands, in units of UTF-16, or so many characters behind."""
    assert text.count(piece) == 1, (text.count(piece), piece)
    before = text[: text.index(piece) + more]
    line = before.rpartition("\n")[2]
    return types.Position(before.count("\n"), len(line.encode("utf-16-le")) // 2)


def plain(value: Any) -> Any:
    """A value of a custom request as plain data."""
    if hasattr(value, "_asdict"):
        return {key: plain(part) for key, part in value._asdict().items()}
    return [plain(part) for part in value] if isinstance(value, list) else value


async def ask_everything(session: Session, name: str, place: types.Position) -> None:
    """All requests there are, about one place of a document; an error is raised. A name that cannot be changed is none."""
    client, document = session.client, session.document(name)
    here = types.Range(types.Position(0, 0), place)
    asked: list[Any] = [
        client.text_document_completion_async(types.CompletionParams(document, place)),
        client.text_document_hover_async(types.HoverParams(document, place)),
        client.text_document_definition_async(types.DefinitionParams(document, place)),
        client.text_document_references_async(types.ReferenceParams(types.ReferenceContext(True), document, place)),
        client.text_document_document_highlight_async(types.DocumentHighlightParams(document, place)),
        client.text_document_prepare_rename_async(types.PrepareRenameParams(document, place)),
        client.text_document_document_symbol_async(types.DocumentSymbolParams(document)),
        client.text_document_folding_range_async(types.FoldingRangeParams(document)),
        client.text_document_code_action_async(types.CodeActionParams(document, here, types.CodeActionContext([]))),
        client.text_document_formatting_async(
            types.DocumentFormattingParams(document, types.FormattingOptions(2, True))
        ),
        session.describe(name, place),
        client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document)),
        client.text_document_semantic_tokens_range_async(types.SemanticTokensRangeParams(document, here)),
        client.text_document_inlay_hint_async(types.InlayHintParams(document, here)),
        client.text_document_code_lens_async(types.CodeLensParams(document)),
    ]
    for answer in await asyncio.gather(*asked, return_exceptions=True):
        if isinstance(answer, BaseException):
            raise AssertionError((name, place)) from answer
