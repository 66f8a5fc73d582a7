"""The results of a check as a page: a summary, and each game with findings to step through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from pwtool.checking.documents import Loaded, choose_rulebook, decode_loaded, load_document
from pwtool.checking.report import FileResult, Report, Verdict
from pwtool.records.inputs import read_documents
from pwtool.records.ruleset_store import RulesetStore
from pwtool.show.html.pages import render
from pwtool.show.html.playing.games import GameView
from pwtool.show.html.playing.page import view_loaded
from pwtool.show.html.playing.pictures import Pictures
from pwtool.show.text.full import excerpt
from pwtool.text import Diagnostic
from pwtool.why.voice import Voice, raised

MOST_GAMES = 12
"""The most games that can be stepped through."""
MOST_LISTED = 200
MOST_RULES = 20


class CheckedGame(Struct):
    """A game of the report to step through."""

    name: str
    rules: str
    view: GameView


class Line(Struct):
    """A document in the list. `game` is the number of the game to step through, 0 if there is none; `told` is what is
    shown instead of it.
    """

    result: FileResult
    verdict: str
    game: int
    told: Sequence[Diagnostic]


def render_html(report: Report, *, color: bool = False, show_all: bool = False) -> str:
    """The page without games, with everything that the results alone contain."""
    return render_checked(report, [], Pictures(), "en")


def games_of(report: Report, ruleset_store: RulesetStore, pictures: Pictures, language: str) -> list[CheckedGame]:
    """The first games with findings, or the only one that was checked."""
    wrong = [r for r in report.results if r.verdict in (Verdict.FINDINGS, Verdict.UNDETERMINED)]
    wrong.sort(key=lambda result: not result.explained)
    found: list[CheckedGame] = []
    for result in wrong or (report.results if len(report.results) == 1 else ()):
        if len(found) == MOST_GAMES:
            break
        game = _game(result, ruleset_store, pictures, Voice(language))
        found += [game] if game is not None else []
    return found


def _game(result: FileResult, ruleset_store: RulesetStore, pictures: Pictures, voice: Voice) -> CheckedGame | None:
    """Read a game again; None if it is not a game, or no longer exists."""
    if result.ruleset is None or result.together or result.name.startswith("-"):
        return None
    for document in read_documents(result.name):
        loaded = load_document(document)
        if not isinstance(loaded, Loaded) or loaded.is_state:
            continue
        chosen = choose_rulebook(loaded, ruleset_store, result.ruleset)
        if isinstance(chosen, FileResult):
            continue
        whole, book, _ = chosen
        record = decode_loaded(whole, book)
        if not isinstance(record, FileResult):
            return CheckedGame(result.name, result.rules, view_loaded(whole, book, record, pictures, voice))
    return None


def render_checked(report: Report, games: Sequence[CheckedGame], pictures: Pictures, language: str) -> str:
    """The page; whatever is left out of a list is mentioned below it."""
    voice = Voice(language)
    caption = voice.caption
    number = {(game.name, game.rules): at for at, game in enumerate(games, 1)}
    worst = sorted(report.results, key=lambda r: r.verdict is Verdict.CLEAN)
    lines = [
        Line(r, caption(f"verdict_{r.verdict}"), at, [] if at else r.told())
        for r in worst[:MOST_LISTED]
        for at in (number.get((r.name, r.rules), 0),)
    ]
    wrong = sum(
        (r.played is not None or not r.explained) and r.verdict in (Verdict.FINDINGS, Verdict.UNDETERMINED)
        for r in report.results
    )
    broken = Counter(
        (rule, text)
        for r in report.results
        for rule, text in dict.fromkeys((d.rule or d.code, raised(d.message)) for d in r.told())
    )
    return render(
        "checked.html", language=language, caption=caption, tell=voice.tell, title=caption("checked_title"), games=games, pictures=pictures,
        lines=lines, excerpt=excerpt, number=voice.number,
        facts=[(voice.number(count), caption(f"verdict_{verdict}")) for verdict, count in report.counts.items() if count],
        documents=voice.number(sum(report.counts.values())), left_out=len(worst) - len(lines), not_drawn=max(0, wrong - len(games)),
        broken=broken.most_common(MOST_RULES), more_rules=max(0, len(broken) - MOST_RULES),
    )  # fmt: skip
