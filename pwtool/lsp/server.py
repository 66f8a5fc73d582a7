"""The language server over standard input and output; answers an editor's requests from the model."""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from pwtool import __version__
from pwtool.lang import tree as n
from pwtool.lang.fmt.text import format_rules
from pwtool.lsp.convert import (
    Texts,
    to_completion,
    to_data,
    to_diagnostic,
    to_edit,
    to_fold,
    to_markdown,
    to_path,
    to_range,
    to_symbol,
)
from pwtool.lsp.decorations import add_decorations, refresh
from pwtool.lsp.model import renaming
from pwtool.lsp.model.completing import completions
from pwtool.lsp.model.describing import describe, described_item
from pwtool.lsp.model.findings import Stop, quick_findings, safe_fixes, sound_fixes, thorough_findings
from pwtool.lsp.model.hints import Ran, run_all
from pwtool.lsp.model.outline import folds, outline
from pwtool.lsp.model.records import Records
from pwtool.lsp.model.renaming import Place, Refused, definition, naming_records, prepare_rename, references, rename
from pwtool.lsp.model.studies import Rarity, Studies
from pwtool.lsp.model.text import Text
from pwtool.lsp.model.workspace import Workspace
from pwtool.lsp.watching import Watch
from pwtool.rules.targets import SUFFIX
from pwtool.show.text.comparing import and_more
from pwtool.text import Diagnostic
from pwtool.text.speech import ENGLISH, SPOKEN, Speech
from pwtool.why.voice import Voice

Document = types.TextDocumentIdentifier | types.TextDocumentItem | types.VersionedTextDocumentIdentifier
Looked = tuple[dict[str, str], list[Diagnostic], str]
"""The editor's URIs for the files of a ruleset, by their names in findings; the findings; the text that they are of."""
MOST_NAMED = 5
OTHERS = 0.15
"""Seconds until the other open documents are checked again."""
SWITCH = 0.001
"""Seconds for which a thread keeps the interpreter, so that typing does not wait for a proof."""


class _Protocol(LanguageServerProtocol):
    """Leaves edited texts to the model. The texts of pygls have more line ends than the protocol (such as U+2028) and
    would move the places of edits.
    """

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Any:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Leave this to `handle_message`: pygls asks it of every object in a message, and drops a request that it cannot read."""
        return data

    def refuse(self, number: Any, error: JsonRpcException) -> None:
        """Answer that a request is refused; one whose number cannot be read is answered without."""
        known: Any = number if isinstance(number, int | str) else None
        self._send_response(known, None, error.to_response_error())

    def handle_message(self, message: Any) -> None:
        """Handle a message; each request gets an answer, if only that it cannot be read."""
        asked = isinstance(message, dict) and "method" in message
        number = message.get("id") if asked else None
        try:
            if not isinstance(message, dict) or message.get("jsonrpc") != self.VERSION:
                raise JsonRpcInvalidRequest()
            if not isinstance(number, int | str | None) or (asked and not isinstance(message["method"], str)):
                raise JsonRpcInvalidRequest()
            if number is not None and types.METHOD_TO_TYPES.get(message["method"], (None, True))[1] is None:
                # Nothing would ever answer it.
                raise JsonRpcInvalidRequest("this is a notification")
            if self._shutdown and message.get("method") != types.EXIT:
                raise JsonRpcInvalidRequest("the server shuts down")
            try:
                read = super().structure_message(message)
            except JsonRpcInternalError as error:
                # So pygls says of a message that is no message.
                raise JsonRpcInvalidParams() from error
        except JsonRpcException as error:
            if number is not None or not isinstance(message, dict):
                self.refuse(number, error)
            return
        super().handle_message(read)


class Server(LanguageServer):
    """A server with everything that it knows about the open documents."""

    def __init__(self, cache: Path | None = None) -> None:
        super().__init__("pwtool", __version__, protocol_cls=_Protocol)
        logging.getLogger("pygls.protocol.json_rpc").addFilter(renaming.is_crash)
        self.protocol: _Protocol
        self.model = Workspace(cache=cache)
        self.watch = Watch()
        self.speech: Speech = ENGLISH
        self.studies = Studies()
        self.records = Records(self.model)
        self.uris: dict[Path, str] = {}
        self.versions: dict[Path, int] = {}
        self.examples: dict[Path, tuple[str, list[n.Example], Ran]] = {}
        self.shown: dict[Path, tuple[str, list[Diagnostic], bool]] = {}
        """The findings on display, with their text and whether their fixes are known to be sound."""
        self.typed: Callable[[Path], None] | None = None
        """Called when a document was opened or changed."""
        self.told: Callable[[Path], None] | None = None
        """Called when the slow checks of a document have finished."""

    def speak(self, speech: Speech) -> None:
        """Tell everything in a language from now on."""
        self.speech = self.studies.speech = speech

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Answer a message that is no JSON, which therefore has no number."""
        super().report_server_error(error, source)
        if isinstance(error, ValueError | RecursionError) and source is JsonRpcException:
            self.protocol.refuse(None, JsonRpcParseError())

    # ---- places

    @property
    def home(self) -> Path:
        """The open folder."""
        return self.model.folders[0] if self.model.folders else Path.cwd()

    def path(self, document: Document) -> Path:
        """The path of a document."""
        return to_path(document.uri, self.home)

    def uri(self, path: Path) -> str:
        """The editor's URI for a file."""
        return self.uris.get(path) or path.as_uri()

    def text(self, path: Path) -> Text:
        """The text of a document."""
        return self.model.text(path) or Text(str(path), "", self.model.encoding)

    def texts(self) -> Texts:
        """Texts for places in several files."""
        return Texts(self.model.encoding)

    def offset(self, path: Path, position: types.Position) -> int:
        """The character at a place of a document."""
        return self.text(path).offset(position.line, position.character)

    def location(self, place: Place, texts: Texts) -> types.Location:
        """A place in a file."""
        return types.Location(self.uri(place.path), texts.range(place.span))

    # ---- findings

    def look_at(self, path: Path, edited: bool = True) -> None:
        """Check a document, and the open ones that depend on it."""
        self._check(path, None)
        if edited and self.typed is not None:
            self.typed(path)
        if edited:
            for other in self.model.dependents(path):
                self._check(other, OTHERS)

    def _check(self, path: Path, after: float | None) -> None:
        def quick(_: Stop) -> Looked | None:
            return self._quick(path)

        def thorough(stop: Stop) -> Looked | None:
            return self._thorough(path, stop)

        self.watch.touched(path)
        self.watch.soon(path, quick, lambda found: self._show(path, found, False), after=after)
        self.watch.soon(path, thorough, lambda found: self._show(path, found, True), slow=True)

    def _quick(self, path: Path) -> Looked | None:
        if path.suffix != SUFFIX:
            return self._record(path, causes=False)
        analysis, found = quick_findings(self.model, path)
        return {file.name: self.uri(p) for p, file in analysis.files.items()}, found, analysis.file.text

    def _thorough(self, path: Path, stop: Stop) -> Looked | None:
        if path.suffix != SUFFIX:
            return self._record(path, causes=True)
        found = thorough_findings(self.model, path, stop)
        if found is None:
            return None
        analysis, findings = found
        if analysis.ruleset is not None and not stop():
            self.run_examples(path)
        if analysis.usable is not None and not stop():
            self.studies.study(analysis.usable)
        if not stop():
            gc.collect()
        return {file.name: self.uri(p) for p, file in analysis.files.items()}, findings, analysis.file.text

    def _record(self, path: Path, causes: bool) -> Looked | None:
        text = self.model.text(path)
        found = self.records.findings(path, causes)
        return None if text is None or found is None else ({text.name: self.uri(path)}, found, text.text)

    def _show(self, path: Path, looked: Looked, thorough: bool) -> None:
        uris, found, text = looked
        if not self.model.is_open(path) or self.text(path).text != text:
            return
        self.shown[path] = text, found, thorough
        texts = self.texts()
        if thorough:
            refresh(self)
            if self.told is not None:
                self.told(path)
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(
                self.uri(path), [to_diagnostic(d, texts, uris, self.speech) for d in found], self.versions.get(path)
            )
        )

    def run_examples(self, path: Path) -> Ran | None:
        """Run the examples of a ruleset; None if it has errors."""
        ruleset = self.model.analysis(path).ruleset
        if ruleset is None:
            return None
        found = run_all(ruleset)
        self.examples[path] = ruleset.version, list(ruleset.merged.examples), found
        return found

    def ran(self, path: Path) -> Ran | None:
        """The results of a ruleset's examples, if they were run in their current form."""
        ruleset = self.model.analysis(path).ruleset
        known = self.examples.get(path)
        if ruleset is None or known is None or known[:2] != (ruleset.version, ruleset.merged.examples):
            return None
        return known[2]

    def rarities(self, path: Path) -> dict[str, Rarity] | None:
        """The known rarities of objectives; does not wait for them."""
        ruleset = self.model.ruleset(path)
        return self.studies.known(ruleset) if ruleset is not None else None


def make_server(cache: Path | None = None, speech: Speech = ENGLISH) -> Server:
    """A server with all handlers; it speaks the language of the editor if there are messages in it, otherwise this one."""
    server = Server(cache)
    server.speak(speech)
    _documents(server)
    _names(server)
    _texts(server)
    add_decorations(server)
    return server


def serve(cache: Path | None, reader: BinaryIO, writer: BinaryIO, speech: Speech = ENGLISH) -> None:
    """Answer an editor until it disconnects, in this language if it names no other; then close the writer."""
    sys.setswitchinterval(SWITCH)
    server = make_server(cache, speech)
    # Trees are many small objects: a garbage collection takes longer than an edit, so it runs while nobody types.
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        server.start_io(reader, writer)
    finally:
        server.watch.stop()


def _documents(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        folders = [f.uri for f in params.workspace_folders or ()] or ([params.root_uri] if params.root_uri else [])
        server.model.folders = [to_path(uri, Path.cwd()) for uri in folders if uri.startswith("file:")]
        language = (params.locale or "").replace("_", "-").partition("-")[0].lower()
        if language in SPOKEN:
            server.speak(Speech(language))

    @server.feature(types.INITIALIZED)
    def initialized(_: types.InitializedParams) -> None:
        encoding = server.workspace.position_encoding
        server.model.encoding = str(getattr(encoding, "value", encoding) or "utf-16")

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        path = server.path(params.text_document)
        server.uris[path] = params.text_document.uri
        server.versions[path] = params.text_document.version
        server.model.open(path, params.text_document.text)
        server.look_at(path)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        path = server.path(params.text_document)
        server.versions[path] = params.text_document.version
        for change in params.content_changes:
            if isinstance(change, types.TextDocumentContentChangeWholeDocument):
                server.model.open(path, change.text)
                continue
            start, end = change.range.start, change.range.end
            changed = server.text(path).changed((start.line, start.character), (end.line, end.character), change.text)
            server.model.change(path, changed)
        server.look_at(path)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        server.look_at(server.path(params.text_document))

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        path = server.path(params.text_document)
        uri = server.uri(path)
        server.watch.touched(path)
        server.model.close(path)
        server.uris.pop(path, None)
        server.shown.pop(path, None)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
        for other in list(server.uris):
            server.look_at(other, edited=False)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(_: types.DidChangeWatchedFilesParams) -> None:
        server.records.forget()
        for path in list(server.uris):
            server.look_at(path, edited=False)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(params: types.DidChangeWorkspaceFoldersParams) -> None:
        gone = {to_path(f.uri, server.home) for f in params.event.removed}
        new = [to_path(f.uri, server.home) for f in params.event.added]
        server.model.folders = [f for f in server.model.folders if f not in gone] + new

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions([types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll]),
    )
    def code_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        return list(_code_actions(server, params))


def _code_actions(server: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    path = server.path(params.text_document)
    text, found, sound = server.shown.get(path, ("", [], False))
    if path.suffix != SUFFIX or text != server.text(path).text:
        return []
    start, end = server.offset(path, params.range.start), server.offset(path, params.range.end)
    here = [
        d for d in found if d.fix is not None and d.span is not None and d.span.start <= end and start <= d.span.end
    ]
    if here and not sound:
        here = [d for d in sound_fixes(server.model, path, here) if d.fix is not None]
    wanted, texts, uri = params.context.only, server.texts(), server.uri(path)
    actions = []
    files = {file.name: server.uri(p) for p, file in server.model.analysis(path).files.items()}
    for finding in here:
        fix = finding.within(server.speech).fix
        if fix is None or fix.span.file.name not in files or not _asked(wanted, types.CodeActionKind.QuickFix):
            continue
        edit = types.WorkspaceEdit(changes={files[fix.span.file.name]: [to_edit(fix, texts)]})
        actions.append(
            types.CodeAction(
                fix.title[:1].upper() + fix.title[1:], types.CodeActionKind.QuickFix, [to_diagnostic(finding, texts, files, server.speech)],
                is_preferred=fix.safe, edit=edit,
            )
        )  # fmt: skip
    if _asked(wanted, types.CodeActionKind.SourceFixAll):
        fixes = safe_fixes(server.model.analysis(path).file, found if sound else sound_fixes(server.model, path, found))
        if fixes and (wanted or len(fixes) > 1):
            edit = types.WorkspaceEdit(changes={uri: [to_edit(fix, texts) for fix in fixes]})
            actions.append(
                types.CodeAction(
                    server.speech.say("Fix all that is beyond doubt"), types.CodeActionKind.SourceFixAll, edit=edit
                )
            )
    return actions


def _asked(wanted: Any, kind: types.CodeActionKind) -> bool:
    return not wanted or any(kind.value == w or kind.value.startswith(f"{getattr(w, 'value', w)}") for w in wanted)


def _names(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[".", "[", "{"]))
    def completion(params: types.CompletionParams) -> types.CompletionList:
        path = server.path(params.text_document)
        text = server.text(path)
        offset = text.offset(params.position.line, params.position.character)
        is_rules = path.suffix == SUFFIX
        found = completions(server.model, path, offset) if is_rules else server.records.completions(path, offset)
        return types.CompletionList(is_incomplete=False, items=[to_completion(s, text, server.speech) for s in found])

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        path = server.path(params.text_document)
        offset = server.offset(path, params.position)
        if path.suffix == SUFFIX:
            found = describe(server.model, path, offset, server.rarities(path), Voice(server.speech.language))
        else:
            found = server.records.describe(path, offset)
        if found is None:
            return None
        return types.Hover(
            types.MarkupContent(types.MarkupKind.Markdown, to_markdown(found, server.speech)),
            server.texts().range(found.span),
        )

    @server.feature("pwtool/describe")
    def describe_here(params: Any) -> dict[str, object] | None:
        try:
            path = to_path(params.textDocument.uri, server.home)
            offset = server.text(path).offset(int(params.position.line), int(params.position.character))
        except (AttributeError, ArithmeticError, TypeError, ValueError) as error:
            raise JsonRpcInvalidParams() from error
        if path.suffix == SUFFIX:
            found = described_item(server.model, path, offset, server.rarities(path), Voice(server.speech.language))
        else:
            found = server.records.describe(path, offset)
        return None if found is None else to_data(found, server.texts(), server.speech)

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def go_to(params: types.DefinitionParams) -> list[types.Location]:
        path = server.path(params.text_document)
        if path.suffix != SUFFIX:
            return []
        texts = server.texts()
        places = definition(server.model, path, server.offset(path, params.position))
        return [server.location(place, texts) for place in places]

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def find_references(params: types.ReferenceParams) -> list[types.Location]:
        path = server.path(params.text_document)
        if path.suffix != SUFFIX:
            return []
        texts = server.texts()
        places = references(server.model, path, server.offset(path, params.position))
        shown = [p for p in places if params.context.include_declaration or not p.declares]
        return [server.location(place, texts) for place in shown]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlight(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        path = server.path(params.text_document)
        if path.suffix != SUFFIX:
            return []
        found = server.model.name_at(path, server.offset(path, params.position))
        texts = server.texts()
        alike = [o for o in server.model.names(path) if found is not None and o.symbol.key == found.symbol.key]
        kinds = {True: types.DocumentHighlightKind.Write, False: types.DocumentHighlightKind.Read}
        return [types.DocumentHighlight(texts.range(o.span), kinds[o.declares]) for o in alike]

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare(params: types.PrepareRenameParams) -> types.Range | None:
        path = server.path(params.text_document)
        if path.suffix != SUFFIX:
            return None
        try:
            found = prepare_rename(server.model, path, server.offset(path, params.position))
        except Refused:
            return None
        return server.texts().range(found.span)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def rename_all(params: types.RenameParams) -> types.WorkspaceEdit:
        path = server.path(params.text_document)
        try:
            found = rename(server.model, path, server.offset(path, params.position), params.new_name)
        except Refused as refused:
            # This is the only way to tell the editor why.
            raise JsonRpcInvalidParams(server.speech.tell(refused.reason)) from refused
        _tell_of_records(server, path, server.offset(path, params.position))
        texts = server.texts()
        edits = {
            server.uri(other): [types.TextEdit(texts.range(span), params.new_name) for span in spans]
            for other, spans in found.items()
        }
        return types.WorkspaceEdit(changes=edits)


def _tell_of_records(server: Server, path: Path, offset: int) -> None:
    """Name the recorded games that may need an update after a name is changed."""
    named = [record.name for record in naming_records(server.model, path, offset)]
    if named:
        shown = and_more(", ".join(named[:MOST_NAMED]), len(named) - MOST_NAMED, server.speech)
        said = server.speech.say("recorded games may write this name and are not changed: {names}", names=shown)
        server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, said))


def _texts(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        path = server.path(params.text_document)
        if path.suffix != SUFFIX:
            return []
        texts = server.texts()
        return [to_symbol(entry, texts) for entry in outline(server.model.analysis(path).read)]

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    def folding(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        path = server.path(params.text_document)
        if path.suffix != SUFFIX:
            return []
        texts = server.texts()
        return [to_fold(fold, texts) for fold in folds(server.model.analysis(path).read)]

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        return formatted(params.text_document, 0, None)

    @server.feature(types.TEXT_DOCUMENT_RANGE_FORMATTING)
    def range_formatting(params: types.DocumentRangeFormattingParams) -> list[types.TextEdit] | None:
        return formatted(params.text_document, params.range.start.line, params.range.end.line + 1)

    def formatted(document: types.TextDocumentIdentifier, first: int, last: int | None) -> list[types.TextEdit] | None:
        path = server.path(document)
        text = server.text(path)
        found = format_rules(text.file).value if path.suffix == SUFFIX else None
        return None if found is None else _edits(text, found, first, text.lines if last is None else last)


def _edits(text: Text, formatted: str, first: int, last: int) -> list[types.TextEdit]:
    """Edits for the lines within a range that change."""
    from difflib import SequenceMatcher

    before, after = text.text.split("\n"), formatted.split("\n")
    edits = []
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal" or a >= last or max(b, a + 1) <= first:
            continue
        lines = "\n".join(after[c:d])
        start = sum(len(line) + 1 for line in before[:a])
        end = start + sum(len(line) + 1 for line in before[a:b])
        new = lines + "\n" if d > c else ""
        if end > len(text.text):
            # The last line has no end to replace.
            end, new = len(text.text), lines
            if d == c and start:
                start -= 1
        elif start > len(text.text):
            start, new = len(text.text), "\n" + lines
        edits.append(types.TextEdit(to_range(text, start, min(end, len(text.text))), new))
    return edits
