"""Every game of the shelf as it looks, in the middle of a game played at random."""

from __future__ import annotations

from html import escape

from pwtool.play.chance import Chance
from pwtool.play.record import Record
from pwtool.play.replay import replay_record
from pwtool.play.selfplay import RandomPolicy, deal_at_random, play_game
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.library import Library
from pwtool.show.svg.boards import Positions
from pwtool.show.svg.writer import pad, to_svg
from pwtool.why.moves import Moves
from pwtool.why.voice import Voice
from pwtool_site.markdown import MarkdownDirective, plain
from pwtool_site.places import DOCS, LIBRARY, write_changed

SEEDS, TURNS = range(8), 24
WIDE = 760
"""A picture that is wider has a row of its own."""


class Boards(MarkdownDirective):
    """A picture of each game."""

    def markdown(self) -> str:
        """A card for each game."""
        store = RulesetStore(Library())
        cards = "\n".join(_card(store, game) for game in Library().games())
        return f'<div class="gallery boards">\n\n{cards}\n</div>\n'


def _play(book: Rulebook, names: list[str], seed: int) -> Record:
    rng = Chance(seed)
    record = deal_at_random(book.game, names, rng)
    play_game(book.game, record, RandomPolicy(rng), book.legal, TURNS, rng)
    return record


def _card(store: RulesetStore, address: str) -> str:
    book = store.get(address).value
    assert book is not None, address
    game = book.game
    names = ["Ana", "Ben", "Cleo", "Dan"][: max(2, game.ruleset.min_players)]
    # Some games at random are over before there is much to see.
    record = max((_play(book, names, seed) for seed in SEEDS), key=lambda record: len(record.turns))
    record.turns = record.turns[: max(1, min(TURNS, len(record.turns) * 2 // 3))]
    record.outcome = None
    state = replay_record(game, record, book.legal).play.state
    voice = Voice("en")
    title = voice.title(game)
    picture = LIBRARY / "pictures" / f"board-{address}.svg"
    drawing = pad(Positions(Moves(game, names, state.goals, voice)).draw(state), 10)
    write_changed(picture, to_svg(drawing, title))
    wide = " wide" if drawing.width > WIDE else ""
    return "\n\n".join(
        [
            f'<div class="objective{wide}" id="board-{address}">\n<h3>{escape(title)}</h3>',
            f"![{plain(title)}, a position of a game at random](/{picture.relative_to(DOCS).as_posix()})",
            f"`pwtool play {address} --html -o board.html`",
            "</div>\n",
        ]
    )
