"""A whole server asked over standard input and output, as editors do."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.daily import one_day_in, some
from tests.languages.test_languages import left_in_english
from tests.lsp.rules import GAME
from tests.lsp.session import Session, at, opened

# What has to be proven is reported together with everything else that takes longer.
NEVER = GAME + 'objective never "Never" = some row: same color and a.color != b.color\n'
WIDE = '# \U0001f600\U0001f600\nobjective wide "\U0001f3b2 \U0001f3b2" = some row: same color and b.valeu == 1\n'


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with opened(tmp_path_factory.mktemp("opened")) as found:
        yield found


@one_day_in(8)
def test_findings_while_typing_and_their_fixes(session: Session) -> None:
    text = GAME.replace("same color", "same colr")
    session.open("a.rules", text)
    [finding] = session.findings("a.rules", "PW303")
    assert finding.range.start == at(text, "colr") and finding.severity == types.DiagnosticSeverity.Error
    assert finding.code_description and finding.code_description.href.endswith("PW303.md")
    assert "did you mean `color`?" in finding.message
    actions = session.run(
        session.client.text_document_code_action_async(
            types.CodeActionParams(session.document("a.rules"), finding.range, types.CodeActionContext([finding]))
        )
    )
    [fix] = [a for a in actions if a.kind == types.CodeActionKind.QuickFix]
    [edit] = fix.edit.changes[session.uri("a.rules")]
    assert (edit.range, edit.new_text, fix.is_preferred) == (finding.range, "color", True)
    start, end = edit.range.start, edit.range.end
    session.change("a.rules", edit.new_text, (start.line, start.character), (end.line, end.character))
    session.findings("a.rules", without=("PW303",))


def test_what_is_wrong_twice_names_the_other_place(session: Session) -> None:
    session.open("twice.rules", GAME + "zone hand: bag of card\n")
    found = session.findings("twice.rules", "PW202")
    [related] = next(d for d in found if d.code == "PW202").related_information or []
    assert related.location.uri == session.uri("twice.rules") and "first" in related.message
    session.close("twice.rules")
    assert session.findings("twice.rules", without=("PW202",)) == []


def test_only_line_ends_end_lines(session: Session) -> None:
    # Python's own lines end at U+2028 too, those of an editor do not.
    text = GAME + '# a\u2028b\n#\nobjective odd "Odd" = some row: same colr\n'
    session.open("lines.rules", text)
    session.findings("lines.rules", "PW303")
    start = at(text, "colr")
    session.change("lines.rules", "color", (start.line, start.character), (start.line, start.character + 4))
    session.findings("lines.rules", without=("PW303", "PW101"))


def test_places_behind_wide_characters_and_other_line_ends(session: Session) -> None:
    text = (GAME + WIDE).replace("\n", "\r\n")
    session.open("wide.rules", text)
    found = session.findings("wide.rules", "PW303")
    [finding] = [d for d in found if d.code == "PW303"]
    assert finding.range.start == at(text, "valeu") and finding.range.end == at(text, "valeu", 5)
    # An emoji more in front of it: two units.
    place = at(text, "\U0001f3b2 \U0001f3b2")
    session.change("wide.rules", "\U0001f600", (place.line, place.character))
    moved = at(text, "valeu").character + 2
    for _ in range(200):
        [now] = [d for d in session.findings("wide.rules", "PW303") if d.code == "PW303"]
        if now.range.start.character == moved:
            break
        time.sleep(0.05)
    assert now.range.start.character == moved
    hover = session.run(
        session.client.text_document_hover_async(
            types.HoverParams(
                session.document("wide.rules"), types.Position(place.line, at(text, "b.valeu").character + 2)
            )
        )
    )
    assert (hover is not None and "letter" in hover.contents.value) or "cell of the picture" in hover.contents.value


def test_completion(session: Session) -> None:
    text = GAME + "objective more = some row: a."
    session.open("c.rules", text)
    found = session.run(
        session.client.text_document_completion_async(
            types.CompletionParams(session.document("c.rules"), at(text, "row: a.", 7))
        )
    )
    assert {"color", "value"} <= {item.label for item in found.items}
    assert all(item.text_edit.range.start == at(text, "row: a.", 7) for item in found.items)


@one_day_in(8)
def test_hovers_have_pictures_and_what_is_proven(session: Session) -> None:
    session.open("h.rules", NEVER)
    session.findings("h.rules", "PW501")
    place = at(GAME, "objective twins", 12)
    hover = session.run(session.client.text_document_hover_async(types.HoverParams(session.document("h.rules"), place)))
    assert "data:image/svg+xml;base64," in hover.contents.value and "```pwtool" in hover.contents.value
    assert "boards" in hover.contents.value
    told = session.run(session.describe("h.rules", types.Position(place.line, 2)))
    assert told["name"] == "twins" and told["picture"].startswith("<?xml") and told["rarity"]["fraction"] > 0


def test_names_across_files(session: Session) -> None:
    house = 'edition house of paper_world/en "House"\nobjective high "High" = some row: sum value >= 12\n'
    session.open("house.rules", house)
    place = at(house, "row:")
    [found] = session.run(
        session.client.text_document_definition_async(types.DefinitionParams(session.document("house.rules"), place))
    )
    assert found.uri.endswith("paper_world/objectives.rules") or found.uri.endswith("paper_world/game.rules")
    uses = session.run(
        session.client.text_document_references_async(
            types.ReferenceParams(types.ReferenceContext(False), session.document("house.rules"), place)
        )
    )
    assert session.uri("house.rules") in {u.uri for u in uses} and len({u.uri for u in uses}) > 1
    with pytest.raises(Exception, match="not yours to change"):
        session.run(
            session.client.text_document_rename_async(
                types.RenameParams(session.document("house.rules"), place, "line")
            )
        )
    place = at(house, "high")
    allowed = session.run(
        session.client.text_document_prepare_rename_async(
            types.PrepareRenameParams(session.document("house.rules"), place)
        )
    )
    assert allowed.start == place
    edit = session.run(
        session.client.text_document_rename_async(types.RenameParams(session.document("house.rules"), place, "tall"))
    )
    assert [e.new_text for e in edit.changes[session.uri("house.rules")]] == ["tall"]
    marked = session.run(
        session.client.text_document_document_highlight_async(
            types.DocumentHighlightParams(session.document("house.rules"), place)
        )
    )
    assert len(marked) == 1


def test_outline_folding_and_formatting(session: Session) -> None:
    text = GAME.replace("players 2..2", "players   2..2").replace("zone stock: pile", "zone stock :pile")
    session.open("f.rules", text)
    symbols = session.run(
        session.client.text_document_document_symbol_async(types.DocumentSymbolParams(session.document("f.rules")))
    )
    assert {"rows", "card", "place", "twins"} <= {s.name for s in symbols}
    for symbol in symbols:
        assert symbol.range.start <= symbol.selection_range.start and symbol.selection_range.end <= symbol.range.end
    folds = session.run(
        session.client.text_document_folding_range_async(types.FoldingRangeParams(session.document("f.rules")))
    )
    assert any(f.kind == types.FoldingRangeKind.Comment for f in folds) and len(folds) > 5
    options = types.FormattingOptions(2, True)
    edits = session.run(
        session.client.text_document_formatting_async(
            types.DocumentFormattingParams(session.document("f.rules"), options)
        )
    )
    assert [e.new_text for e in edits] == ["players 2..2\n", "zone stock: pile of card seen by none\n"]
    first = types.Range(types.Position(0, 0), types.Position(3, 0))
    edits = session.run(
        session.client.text_document_range_formatting_async(
            types.DocumentRangeFormattingParams(session.document("f.rules"), first, options)
        )
    )
    assert [e.new_text for e in edits] == ["players 2..2\n"]


@one_day_in(4)
def test_names_are_tokens_in_order(session: Session) -> None:
    text = GAME + WIDE.replace("valeu", "value")
    session.open("t.rules", text)
    client, document = session.client, session.document("t.rules")
    data = session.run(client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))).data
    assert len(data) % 5 == 0
    lines, found = text.split("\n"), []
    line = column = 0
    for row, start, length, _, _ in zip(*[iter(data)] * 5, strict=True):
        line, column = line + row, start if row else column + start
        units = lines[line].encode("utf-16-le")
        found.append(units[2 * column : 2 * (column + length)].decode("utf-16-le"))
    assert all(word.isidentifier() for word in found)
    assert {"card", "color", "hand", "higher", "free", "place", "row", "twins", "wide", "b"} <= set(found)
    some = types.Range(types.Position(40, 0), types.Position(41, 0))
    part = session.run(
        client.text_document_semantic_tokens_range_async(types.SemanticTokensRangeParams(document, some))
    )
    assert 0 < len(part.data) < len(data)


@one_day_in(4)
def test_hints_and_lenses(session: Session) -> None:
    session.open("l.rules", NEVER)
    session.findings("l.rules", "PW501")
    client, document = session.client, session.document("l.rules")
    whole = types.Range(types.Position(0, 0), types.Position(99, 0))
    hints = session.run(client.text_document_inlay_hint_async(types.InlayHintParams(document, whole)))
    assert {"8 cards", ": a number from 0 to 3", "98.8 % of boards", "none"} <= {h.label for h in hints}
    found = session.run(client.text_document_code_lens_async(types.CodeLensParams(document)))
    titles = {(lens.command.arguments[1], lens.command.title) for lens in found}
    assert {("twins", "2 examples, all hold"), ("full", "no example"), ("twins", "add an example")} <= titles
    run = types.ExecuteCommandParams("pwtool.runExamples", arguments=[session.uri("l.rules"), "twins"])
    assert session.run(client.workspace_execute_command_async(run)) == "2 examples, all hold"
    add = types.ExecuteCommandParams("pwtool.addExample", arguments=[session.uri("l.rules"), "twins"])
    session.run(client.workspace_execute_command_async(add))
    for _ in range(200):
        if session.edits:
            break
        time.sleep(0.05)
    [edit] = session.edits[-1].changes[session.uri("l.rules")]
    place = edit.range.start
    assert GAME.split("\n")[place.line].strip() == "no  [ R1 B2 ]" and "[" in edit.new_text
    session.change("l.rules", edit.new_text, (place.line, place.character))
    session.findings("l.rules", without=("PW402", "PW101"))


# What the editor asks for, what the server is started with, and what is told.
SPEAKS = (("de-AT", "en_US.UTF-8", "de"), ("pt-BR", "fr_FR.UTF-8", "fr"), (None, "de_DE.UTF-8", "de"))


@one_day_in(4)
@pytest.mark.parametrize(("locale", "started", "language"), some(SPEAKS, 1))
def test_an_editor_is_told_everything_in_its_language(
    locale: str | None, started: str, language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", started)
    text = (
        NEVER
        + 'texts fr {\n  objective twins "Deux d\'une couleur"\n}\ntexts de {\n  objective twins "Zwei in einer Farbe"\n}\n'
    )
    with opened(tmp_path, locale) as session:
        client, document = session.client, session.document("w.rules")
        session.open("w.rules", text)
        told = [finding.message for finding in session.findings("w.rules", "PW501")]
        for piece in ('twins "Two', "free(at) =", "higher < 3", "b.value =="):
            found = session.run(client.text_document_hover_async(types.HoverParams(document, at(text, piece, 1))))
            told.append(re.sub(r"```.*?```|data:\S+", "", found.contents.value, flags=re.DOTALL))
        whole = types.Range(types.Position(0, 0), types.Position(99, 0))
        hints = session.run(client.text_document_inlay_hint_async(types.InlayHintParams(document, whole)))
        told += [hint.label for hint in hints if "cards" not in hint.label]
        lenses = session.run(client.text_document_code_lens_async(types.CodeLensParams(document)))
        told += [lens.command.title for lens in lenses]
        for piece in ("same color and", "b.value ==", "hand is empty"):
            asked = types.CompletionParams(document, at(text, piece, 2))
            told += [
                item.detail or ""
                for item in session.run(client.text_document_completion_async(asked)).items
                if item.kind in DESCRIBED
            ]
        with pytest.raises(JsonRpcException) as refused:
            place = at(text, 'twins "Two', 1)
            session.run(client.text_document_rename_async(types.RenameParams(document, place, "9")))
        told.append(str(refused.value))
    assert {"fr": "Deux d'une couleur", "de": "Zwei in einer Farbe"}[language] in "".join(told[:3])
    own = re.sub(r"\b(twins|row|card|color|value|free|higher|stairs|rows)\b|\*/.*\*", "", "\n".join(told))
    assert not left_in_english(own), own


DESCRIBED = (types.CompletionItemKind.Keyword, types.CompletionItemKind.Property, types.CompletionItemKind.EnumMember)
"""What has a description of ours; other things have the texts of the file."""
