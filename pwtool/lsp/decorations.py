"""Requests for what is shown with the text: semantic tokens, hints and code lenses with their commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from pwtool.lsp.convert import to_path, to_range
from pwtool.lsp.model.findings import Stop
from pwtool.lsp.model.hints import KINDS, Suggested, hints, lenses, suggest_example, tokens
from pwtool.lsp.model.text import Text
from pwtool.rules.targets import SUFFIX
from pwtool.text.speech import Told

if TYPE_CHECKING:
    from pwtool.lsp.server import Server

RUN, ADD = "pwtool.runExamples", "pwtool.addExample"


def add_decorations(server: Server) -> None:
    """Register the handlers for what is shown with the text."""
    legend = types.SemanticTokensLegend(list(KINDS), ["declaration"])

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    def semantic_tokens(params: types.SemanticTokensParams) -> types.SemanticTokens:
        return types.SemanticTokens(_tokens(server, server.path(params.text_document), 0, None))

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, legend)
    def semantic_tokens_in(params: types.SemanticTokensRangeParams) -> types.SemanticTokens:
        path = server.path(params.text_document)
        return types.SemanticTokens(_tokens(server, path, params.range.start.line, params.range.end.line))

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def inlay_hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        path = server.path(params.text_document)
        if path.suffix != SUFFIX:
            return []
        text = server.text(path)
        found = [
            types.InlayHint(
                types.Position(*text.place(hint.at)), server.speech.tell(hint.text), padding_left=not hint.text.startswith(":"),
                kind=types.InlayHintKind.Type if hint.text.startswith(":") else None, tooltip=hint.more or None,
            )
            for hint in hints(server.model, path, server.rarities(path))
        ]  # fmt: skip
        return [h for h in found if params.range.start.line <= h.position.line <= params.range.end.line]

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))
    def code_lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        path = server.path(params.text_document)
        if path.suffix != SUFFIX:
            return []
        text, uri = server.text(path), server.uri(path)
        found = []
        for lens in lenses(server.model, path, server.ran(path)):
            place = to_range(text, lens.span.start, lens.span.start)
            found.append(
                types.CodeLens(place, types.Command(server.speech.tell(lens.title), RUN, arguments=[uri, lens.name]))
            )
            if lens.suggests:
                found.append(
                    types.CodeLens(
                        place, types.Command(server.speech.say("add an example"), ADD, arguments=[uri, lens.name])
                    )
                )
        return found

    @server.command(RUN)
    def run_examples(uri: str = "", name: str = "") -> str:
        if not (isinstance(uri, str) and uri):
            return server.speech.say("no example")
        path = to_path(uri, server.home)
        ran = server.run_examples(path)
        if ran is None:
            said = Told("first fix what is wrong with the rules")
        else:
            told = (x.title for x in lenses(server.model, path, ran) if x.name == name)
            said = next(told, Told("no example"))
        said = said.within(server.speech)
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, server.speech.headed(name, said)))
        server.look_at(path, edited=False)
        return said

    @server.command(ADD)
    def add_example(uri: str = "", name: str = "") -> None:
        if not (isinstance(uri, str) and uri):
            return
        path = to_path(uri, server.home)

        def suggest(_: Stop) -> tuple[Suggested | str]:
            return (suggest_example(server.model, path, name),)

        server.watch.now(path, suggest, lambda found: _write(server, *found))


def _write(server: Server, found: Suggested | str) -> None:
    if isinstance(found, str):
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, server.speech.tell(found)))
        return
    text = server.text(found.path)
    if text.text != found.file.text:
        return
    edit = types.TextEdit(to_range(text, found.at, found.at), found.text)
    changes = types.WorkspaceEdit(changes={server.uri(found.path): [edit]})
    server.workspace_apply_edit(types.ApplyWorkspaceEditParams(changes, server.speech.say("Add an example")))


def _tokens(server: Server, path: Path, first: int, last: int | None) -> list[int]:
    """Names in the protocol's encoding: each relative to the one before."""
    if path.suffix != SUFFIX:
        return []
    text: Text = server.text(path)
    data: list[int] = []
    line = column = 0
    for named in tokens(server.model, path):
        row, start = text.place(named.span.start)
        if row < first or (last is not None and row > last):
            continue
        data += [
            row - line,
            start - column if row == line else start,
            len(named.span.text),
            named.kind,
            int(named.declares),
        ]
        line, column = row, start
    return data


def refresh(server: Server) -> None:
    """Ask the editor to request these again because slower results have arrived."""
    asked: Any = server.client_capabilities.workspace
    if asked is None:
        return
    if asked.inlay_hint is not None and asked.inlay_hint.refresh_support:
        server.workspace_inlay_hint_refresh(None)
    if asked.code_lens is not None and asked.code_lens.refresh_support:
        server.workspace_code_lens_refresh(None)
