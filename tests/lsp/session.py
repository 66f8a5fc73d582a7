"""A server in a process of its own, and what tests ask of it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from lsprotocol import types

COMMAND = [sys.executable, "-m", "pwtool", "lsp"]
WAIT = 30


class Session:
    """An open folder of an editor. Texts are known by the names of their files."""

    def __init__(self, client: Any, folder: Path) -> None:
        self.client, self.folder = client, folder
        self.versions: dict[str, int] = {}

    def uri(self, name: str) -> str:
        return (self.folder / name).resolve().as_uri()

    def document(self, name: str) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri(name))

    def open(self, name: str, text: str) -> None:
        self.versions[name] = 1
        item = types.TextDocumentItem(self.uri(name), "pwtool", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

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
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))

    def close(self, name: str) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.document(name)))

    async def findings(self, name: str, *codes: str, without: tuple[str, ...] = ()) -> list[types.Diagnostic]:
        """The findings of a document as soon as these are among them, and others are not."""
        found: list[types.Diagnostic] = []
        for _ in range(WAIT * 20):
            found = list(self.client.diagnostics.get(self.uri(name), ["never"]))
            known = {d.code for d in found if not isinstance(d, str)}
            if "never" not in found and set(codes) <= known and not known & set(without):
                return found
            await asyncio.sleep(0.05)
        raise AssertionError((name, codes, without, found))


def at(text: str, piece: str, more: int = 0) -> types.Position:
    """Where a piece of a text stands, in units of UTF-16, or so many characters behind."""
    assert text.count(piece) == 1, (text.count(piece), piece)
    before = text[: text.index(piece) + more]
    line = before.rpartition("\n")[2]
    return types.Position(before.count("\n"), len(line.encode("utf-16-le")) // 2)


def capabilities() -> types.ClientCapabilities:
    """What the editor of the tests can do."""
    return types.ClientCapabilities()


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
        client.protocol.send_request_async(
            "pwtool/describe",
            {"textDocument": {"uri": document.uri}, "position": {"line": place.line, "character": place.character}},
        ),
    ]
    for answer in await asyncio.gather(*asked, return_exceptions=True):
        if isinstance(answer, BaseException):
            raise AssertionError((name, place)) from answer
