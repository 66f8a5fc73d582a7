"""Converts results of the model to types of the Language Server Protocol."""

from __future__ import annotations

import base64
import os
from pathlib import Path

from lsprotocol import types

from pwtool.lsp.model.completing import Suggestion
from pwtool.lsp.model.describing import Description
from pwtool.lsp.model.outline import Entry, Fold
from pwtool.lsp.model.text import Text
from pwtool.show.text.full import title
from pwtool.text import Diagnostic, Fix, Severity
from pwtool.text.data import error_page
from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import ENGLISH, Speech

MAX_PICTURE = 60_000
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.UNDETERMINED: types.DiagnosticSeverity.Information,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}
_SYMBOLS = {
    "game": types.SymbolKind.Module, "edition": types.SymbolKind.Module, "variant": types.SymbolKind.Module, "part": types.SymbolKind.Module,
    "component": types.SymbolKind.Class, "attribute": types.SymbolKind.Property, "deck": types.SymbolKind.Array, "zone": types.SymbolKind.Struct,
    "token": types.SymbolKind.Object, "var": types.SymbolKind.Variable, "define": types.SymbolKind.Function, "action": types.SymbolKind.Method,
    "consequence": types.SymbolKind.Method, "rule": types.SymbolKind.Boolean, "invariant": types.SymbolKind.Boolean, "ending": types.SymbolKind.Event,
    "score": types.SymbolKind.Number, "ranking": types.SymbolKind.Number, "shape": types.SymbolKind.Interface, "objective": types.SymbolKind.Constant,
    "setup": types.SymbolKind.Constructor, "turn": types.SymbolKind.Operator, "source": types.SymbolKind.File, "section": types.SymbolKind.File,
}  # fmt: skip
_COMPLETIONS = {
    "keyword": types.CompletionItemKind.Keyword, "component": types.CompletionItemKind.Class, "attribute": types.CompletionItemKind.Property,
    "value": types.CompletionItemKind.EnumMember, "face": types.CompletionItemKind.Value,
    "cell": types.CompletionItemKind.Value, "zone": types.CompletionItemKind.Struct,
    "var": types.CompletionItemKind.Variable, "local": types.CompletionItemKind.Variable, "letter": types.CompletionItemKind.Variable,
    "param": types.CompletionItemKind.Variable, "define": types.CompletionItemKind.Function, "action": types.CompletionItemKind.Method,
    "rule": types.CompletionItemKind.Method, "shape": types.CompletionItemKind.Interface, "objective": types.CompletionItemKind.Constant,
    "file": types.CompletionItemKind.File, "word": types.CompletionItemKind.Keyword, "sign": types.CompletionItemKind.Operator,
}  # fmt: skip


def to_range(text: Text, start: int, end: int) -> types.Range:
    """The range of a part of a text."""
    return types.Range(types.Position(*text.place(start)), types.Position(*text.place(end)))


class Texts:
    """Texts with line indexes, for places in several files."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding
        self._known: dict[int, Text] = {}

    def of(self, file: SourceFile) -> Text:
        """The text of a file."""
        text = self._known.get(id(file))
        if text is None or text.text is not file.text:
            text = self._known[id(file)] = Text(file.name, file.text, self.encoding)
        return text

    def range(self, span: Span) -> types.Range:
        """The range of a span."""
        return to_range(self.of(span.file), span.start, span.end)


def to_diagnostic(
    finding: Diagnostic, texts: Texts, uris: dict[str, str], speech: Speech = ENGLISH
) -> types.Diagnostic:
    """A finding with its help and related places, in a language; `uris` maps file names in findings to URIs."""
    page, finding = error_page(finding.code), finding.within(speech)
    lines = [finding.message, *([speech.headed(title("help", speech), finding.help)] if finding.help else [])]
    lines += [
        speech.headed(title(detail.title, speech), line) for detail in finding.details for line in detail.shown[:6]
    ]
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(uris[label.span.file.name], texts.range(label.span)), label.text
        )
        for label in finding.labels
        if label.span.file.name in uris
    ]
    return types.Diagnostic(
        range=texts.range(finding.span)
        if finding.span is not None
        else types.Range(types.Position(0, 0), types.Position(0, 0)),
        message="\n".join(lines),
        severity=_SEVERITIES[finding.level],
        code=finding.code,
        code_description=types.CodeDescription(page.as_uri()) if page is not None else None,
        source="pwtool",
        tags=[types.DiagnosticTag.Unnecessary] if finding.code == "PW401" else None,
        related_information=related or None,
    )


def to_edit(fix: Fix, texts: Texts) -> types.TextEdit:
    """The edits of a fix."""
    return types.TextEdit(texts.range(fix.span), fix.text)


def to_symbol(entry: Entry, texts: Texts) -> types.DocumentSymbol:
    """An entry of the outline."""
    return types.DocumentSymbol(
        name=entry.name,
        detail=entry.detail or entry.kind,
        kind=_SYMBOLS.get(entry.kind, types.SymbolKind.Object),
        range=texts.range(entry.whole),
        selection_range=texts.range(entry.title),
        children=[to_symbol(part, texts) for part in entry.parts],
    )


def to_fold(fold: Fold, texts: Texts) -> types.FoldingRange:
    """A folding range."""
    place = texts.range(fold.span)
    kind = types.FoldingRangeKind.Comment if fold.comment else types.FoldingRangeKind.Region
    return types.FoldingRange(start_line=place.start.line, end_line=place.end.line, kind=kind)


def to_completion(suggestion: Suggestion, text: Text, speech: Speech = ENGLISH) -> types.CompletionItem:
    """A completion item."""
    return types.CompletionItem(
        label=suggestion.text,
        kind=_COMPLETIONS.get(suggestion.kind, types.CompletionItemKind.Text),
        detail=speech.tell(suggestion.detail) or None,
        sort_text=f"{suggestion.rank}{suggestion.text}",
        text_edit=types.TextEdit(to_range(text, suggestion.start, suggestion.end), suggestion.text),
    )


def to_markdown(found: Description, speech: Speech = ENGLISH) -> str:
    """A description for people, as Markdown."""
    parts = [f"**{_plain(speech.tell(found.title))}**" + (f"  \n{_plain(found.text)}" if found.text else "")]
    if found.picture and len(found.picture) <= MAX_PICTURE:
        data = base64.b64encode(found.picture.encode()).decode()
        parts.append(f"![{_plain(found.text or found.name)}](data:image/svg+xml;base64,{data})")
    if found.written:
        fence = "```" if "```" not in found.written else "~~~~"
        parts.append(f"{fence}pwtool\n{found.written}\n{fence}")
    if found.rarity is not None:
        parts.append("\n".join(f"- {_plain(line)}" for line in found.rarity.lines))
    if found.drawn:
        parts.append(f"```text\n{found.drawn.replace('```', '')}\n```")
    parts += [_plain(speech.tell(line)) for line in found.told]
    if found.place:
        parts.append(f"*{_plain(found.place)}*")
    return "\n\n".join(parts)


def _plain(text: str) -> str:
    """A text with all markup escaped."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>()#+!|~" else c for c in text).replace("\n", " ")


def to_data(found: Description, texts: Texts, speech: Speech = ENGLISH) -> dict[str, object]:
    """A description as data, for a panel."""
    rarity = found.rarity
    return {
        "kind": found.kind, "name": speech.tell(found.name), "title": speech.tell(found.title), "text": found.text,
        "type": speech.tell(found.type), "written": found.written,
        "place": found.place, "told": [speech.tell(line) for line in found.told], "picture": found.picture, "drawn": found.drawn,
        "range": {"start": _position(texts.range(found.span).start), "end": _position(texts.range(found.span).end)},
        "rarity": None if rarity is None else {
            "share": rarity.share, "fraction": rarity.fraction, "lines": list(rarity.lines), "follows": list(rarity.follows),
            "leadsTo": list(rarity.leads_to), "excludes": list(rarity.excludes),
        },
    }  # fmt: skip


def _position(place: types.Position) -> dict[str, int]:
    return {"line": place.line, "character": place.character}


def to_path(uri: str, folder: Path) -> Path:
    """The path of a document; one that was never saved is placed in the open folder. Raises `JsonRpcInvalidParams` if this is
    the address of no file.
    """
    from pygls.exceptions import JsonRpcInvalidParams
    from pygls.uris import to_fs_path, urlparse

    try:
        path = to_fs_path(uri) if uri.startswith("file:") else None
        if path:
            os.fsencode(path)
            return Path(path).resolve()
        name = Path(urlparse(uri)[2]).name or "untitled"
    except (AttributeError, OSError, ValueError, RuntimeError) as error:
        # The parser, the encoding and the file system each have errors of their own.
        raise JsonRpcInvalidParams("this is the address of no file") from error
    return folder / (name if "." in name else f"{name}.rules")
