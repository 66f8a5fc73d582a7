"""How long the language server takes to answer while somebody types: edits in a ruleset of 600 lines, over standard input and output.

    python benchmarks/language_server.py [--edits 200] [--rules FILE] [--pause 0]

For each edit: the time until the findings of the text as it then is are there (with the silence that the server waits for), and
the times of the requests that editors send behind an edit, one after the other. `--pause` waits between edits, so that what takes
longer (proofs, examples) runs beside them.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import sys
import tempfile
import time
from collections.abc import Awaitable
from itertools import pairwise
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from pwtool.lang.mistakes.stuck import declarations
from pwtool.text.data import data_folder
from pwtool.text.source import SourceFile

LINES = 600


def long_game() -> str:
    """A whole game of the library in one file, with as many of its examples as make it 600 lines long."""
    folder = data_folder("rulesets") / "paper_world"
    text = re.sub(r"^include .*\n", "", (folder / "game.rules").read_text("utf-8"), flags=re.MULTILINE)
    for part in ("objectives", "examples"):
        more = (folder / f"{part}.rules").read_text("utf-8")
        starts = [*declarations(SourceFile(part, more))[0][1:], len(more)]
        for begin, end in pairwise(starts):
            if text.count("\n") + more.count("\n", begin, end) > LINES:
                break
            text += more[begin:end]
    return text


class Editor:
    """A client that types."""

    def __init__(self, path: Path, text: str) -> None:
        self.client = LanguageClient("benchmark", "1")
        self.uri, self.text, self.version = path.as_uri(), text, 1
        self.told: asyncio.Queue[tuple[float, int | None]] = asyncio.Queue()
        self.times: dict[str, list[float]] = {}

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.told.put_nowait((time.perf_counter(), params.version))

    async def begin(self) -> None:
        await self.client.start_io(sys.executable, "-m", "pwtool", "lsp")
        await self.client.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities()))
        self.client.initialized(types.InitializedParams())
        item = types.TextDocumentItem(self.uri, "pwtool", 1, self.text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        await self.findings()

    async def findings(self) -> float:
        """When the findings of the text as it is now were there."""
        while True:
            when, version = await asyncio.wait_for(self.told.get(), 60)
            if version == self.version:
                return when

    async def timed(self, what: str, answer: Awaitable[Any]) -> None:
        begun = time.perf_counter()
        await answer
        self.times.setdefault(what, []).append(time.perf_counter() - begun)

    async def edit(self, line: int, column: int, end: int, text: str, requests: bool) -> None:
        """Write something, and wait for all that an editor then asks for."""
        self.version += 1
        place = types.Range(types.Position(line, column), types.Position(line, end))
        change = types.TextDocumentContentChangePartial(range=place, text=text)
        document = types.VersionedTextDocumentIdentifier(version=self.version, uri=self.uri)
        begun = time.perf_counter()
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
        here, at = types.TextDocumentIdentifier(self.uri), types.Position(line, column + len(text))
        if requests:
            whole = types.Range(types.Position(0, 0), types.Position(80, 0))
            await self.timed("completion", self.client.text_document_completion_async(types.CompletionParams(here, at)))
            await self.timed("hover", self.client.text_document_hover_async(types.HoverParams(here, at)))
            await self.timed(
                "outline", self.client.text_document_document_symbol_async(types.DocumentSymbolParams(here))
            )
            await self.timed("folding", self.client.text_document_folding_range_async(types.FoldingRangeParams(here)))
            await self.timed(
                "semantic tokens",
                self.client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(here)),
            )
            await self.timed(
                "inlay hints", self.client.text_document_inlay_hint_async(types.InlayHintParams(here, whole))
            )
            await self.timed("code lenses", self.client.text_document_code_lens_async(types.CodeLensParams(here)))
        name = "findings, requests beside them" if requests else "findings"
        self.times.setdefault(name, []).append(await self.findings() - begun)

    async def end(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)


async def measure(text: str, edits: int, pause: float) -> dict[str, list[float]]:
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder).resolve() / "game.rules"
        path.write_text(text, "utf-8")
        editor = Editor(path, text)
        await editor.begin()
        lines = text.split("\n")
        words = [(row, m) for row, line in enumerate(lines) for m in re.finditer(r"\b[a-z]\w+", line.partition("#")[0])]
        for number in range(edits):
            # A letter is written into a word and taken out again, as somebody who types does: half of the texts are wrong.
            row, word = rng.choice(words)
            await editor.edit(row, word.end(), word.end(), "x", requests=number % 2 == 0)
            await asyncio.sleep(pause)
            await editor.edit(row, word.end(), word.end() + 1, "", requests=number % 2 == 0)
            await asyncio.sleep(pause)
        await editor.end()
        return editor.times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--edits", type=int, default=100)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rules", type=Path)
    parser.add_argument("--pause", type=float, default=0)
    asked = parser.parse_args()
    if asked.quick:
        asked.edits = 2
    text = asked.rules.read_text("utf-8") if asked.rules else long_game()
    times = asyncio.run(measure(text, asked.edits, asked.pause))
    print(f"{text.count(chr(10))} lines, {2 * asked.edits} edits; milliseconds")
    print(f"{'':<32}{'p50':>8}{'p95':>8}{'max':>8}{'n':>7}")
    for name, found in times.items():
        found.sort()
        shown = (found[len(found) // 2], found[int(len(found) * 0.95)], found[-1])
        print(f"{name:<32}" + "".join(f"{1000 * t:>8.1f}" for t in shown) + f"{len(found):>7}")


if __name__ == "__main__":
    main()
