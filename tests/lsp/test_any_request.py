"""Whatever is asked of the language server: each request gets an answer, and none of them is an internal error."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pwtool.lsp.server import make_server
from tests.daily import one_day_in
from tests.lsp.session import COMMAND
from tests.support import started

# A request without an answer is the fault that is looked for: it must not wait for long.
pytestmark = pytest.mark.timeout(300)
INTERNAL = -32603
ENDING = {"exit", "shutdown", "initialize"}
FEATURES = make_server().protocol.fm
METHODS = sorted({*FEATURES.features, *FEATURES.builtin_features, "pwtool/describe", "no/such/method"} - ENDING)
GAME = 'edition house of paper_world/en "House"\n\nobjective twos "Two 2s" = at least 2 card: value == 2\n'


class Raw:
    """A server that is sent whatever bytes, and its answers."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self.input, self.output, self.numbers = process.stdin, process.stdout, count(1)
        self.home = ""
        """The address of the open document."""

    def send(self, body: bytes) -> None:
        self.input.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.input.flush()

    def receive(self) -> dict[str, Any]:
        length = 0
        while line := self.output.readline().strip():
            if line.startswith(b"Content-Length:"):
                length = int(line[15:])
        assert length, "the server has ended"
        found: dict[str, Any] = json.loads(self.output.read(length))
        return found

    def answer(self, method: str, params: Any) -> dict[str, Any]:
        number = next(self.numbers)
        self.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())
        return self.next_answer(number)

    def next_answer(self, number: int | None) -> dict[str, Any]:
        while True:
            found = self.receive()
            if "method" not in found and found.get("id") == number:
                return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Raw]:
    folder = tmp_path_factory.mktemp("any")
    (folder / "house.rules").write_text(GAME, "utf-8")
    with started(
        [*COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder
    ) as process:
        raw = Raw(process)
        assert "result" in raw.answer("initialize", {"processId": None, "capabilities": {}, "rootUri": folder.as_uri()})
        raw.send(json.dumps({"jsonrpc": "2.0", "method": "initialized", "params": {}}).encode())
        document = {"uri": (folder / "house.rules").as_uri(), "languageId": "pwtool", "version": 1, "text": GAME}
        raw.send(
            json.dumps(
                {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}}
            ).encode()
        )
        raw.home = document["uri"]
        yield raw


HOME = "HOME"
uris = st.sampled_from(
    [HOME, HOME, HOME, "file://[", "file:///a%00b.rules", "", "file:", "untitled:a.rules", "http://[x", "%", "file:///\ud800",
     "file:///" + "a" * 5000 + ".rules", "file:///", "file:///x.json"]
)  # fmt: skip
numbers = st.sampled_from([-1, 0, 1, 2, 30, 2**31 - 1, 2**31, 2**70, -(2**40), 1.5, 1e308, "x", None])
positions = st.fixed_dictionaries({"line": numbers, "character": numbers})
ranges = st.fixed_dictionaries({"start": positions, "end": positions})
scraps = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
params = st.fixed_dictionaries(
    {},
    optional={
        "textDocument": st.fixed_dictionaries({"uri": uris}, optional={"version": numbers, "text": st.text(max_size=9)}) | scraps,
        "position": positions | scraps, "range": ranges | scraps,
        "context": st.just({"includeDeclaration": True}) | st.just({"diagnostics": []}) | scraps,
        "newName": st.text(max_size=5), "query": st.text(max_size=5), "options": st.just({"tabSize": 2, "insertSpaces": True}) | scraps,
        "command": st.sampled_from(["pwtool.runExamples", "pwtool.addExample", "x"]),
        "arguments": st.lists(uris | scraps, max_size=3), "ch": st.text(max_size=2), "ranges": st.lists(ranges, max_size=2),
    },
)  # fmt: skip
whole = st.fixed_dictionaries(
    {
        "textDocument": st.fixed_dictionaries({"uri": uris}), "position": positions, "range": ranges, "newName": st.text(max_size=5),
        "context": st.sampled_from([{"includeDeclaration": True}, {"diagnostics": []}]), "options": st.just({"tabSize": 2, "insertSpaces": True}),
        "query": st.text(max_size=5), "command": st.just("pwtool.runExamples"), "arguments": st.lists(uris, max_size=3), "ch": st.just("}"),
    }
)  # fmt: skip


def _named(value: Any, home: str) -> Any:
    """The same with the address of the open document."""
    return json.loads(json.dumps(value).replace(f'"{HOME}"', json.dumps(home)))


@one_day_in(8)
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@example("workspace/executeCommand", {"command": "pwtool.runExamples"})
@example("workspace/executeCommand", {"command": "pwtool.addExample", "arguments": [7, None]})
@given(st.sampled_from(METHODS), whole | params | scraps)
def test_each_request_gets_an_answer(server: Raw, method: str, asked: Any) -> None:
    found = server.answer(method, _named(asked, server.home))
    assert ("result" in found) != ("error" in found)
    assert found.get("error", {}).get("code") != INTERNAL, found


@one_day_in(4)
@pytest.mark.parametrize("line", [-1, 2**31, 2**40])
@pytest.mark.parametrize("method", ["textDocument/hover", "textDocument/definition", "textDocument/completion"])
def test_positions_that_cannot_be_are_refused(server: Raw, method: str, line: int) -> None:
    document = {"uri": server.home}
    for position in ({"line": line, "character": 0}, {"line": 0, "character": line}):
        found = server.answer(method, {"textDocument": document, "position": position})
        assert found["error"]["code"] == -32602


@one_day_in(4)
@pytest.mark.parametrize(
    ("body", "number", "code"),
    [
        (b"no json", None, -32700),
        (b'{"jsonrpc": "2.0", "id": 99' + b"9" * 5000 + b', "method": "x"}', None, -32700),
        (b"[" * 100_000, None, -32700),
        (b"[]", None, -32600),
        (b'{"jsonrpc": "1.0", "id": 990, "method": "textDocument/hover"}', 990, -32600),
        (b'{"jsonrpc": "2.0", "id": 991, "method": 3}', 991, -32600),
        (b'{"jsonrpc": "2.0", "id": 994, "method": "initialized", "params": {}}', 994, -32600),
        (b'{"jsonrpc": "2.0", "id": 995, "method": "textDocument/didOpen", "params": {}}', 995, -32600),
        (
            b'{"jsonrpc": "2.0", "id": 992, "method": "textDocument/hover", "params": {"jsonrpc": "2.0", "id": 1, "method": "x"}}',
            992,
            -32602,
        ),
        (b'{"jsonrpc": "2.0", "id": 993, "method": "textDocument/hover"}', 993, -32602),
    ],
)
def test_what_is_no_request_is_answered_too(server: Raw, body: bytes, number: int | None, code: int) -> None:
    server.send(body)
    assert server.next_answer(number)["error"]["code"] == code
