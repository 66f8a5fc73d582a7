"""The output of `pwtool analyze`: studies of objectives, as text for designers or as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pwtool.boards.invariants import not_looked_at, stays_connected
from pwtool.boards.proofs import Relation
from pwtool.boards.search import Board
from pwtool.boards.spaces import Space
from pwtool.boards.study import Open, Rank, Studied, Study
from pwtool.eval.values import Grid, bounds
from pwtool.play.game import Game
from pwtool.show.machine.json_report import diagnostic_data
from pwtool.text.speech import percent_of
from pwtool.text.terminal import BLUE, BOLD
from pwtool.text.words import counted, one_line
from pwtool.why.describe import face_code

if TYPE_CHECKING:
    from pwtool.simulating.difficulty import Difficulty

NOT_PLAYED: Mapping[str, Difficulty] = MappingProxyType({})


def picture(game: Game, grid: Grid) -> str:
    """A board as written in examples and on the command line: `[ Y1 . / G3+G4 B2 ]`."""
    board = game.ruleset.board
    assert board is not None
    if not grid:
        return "[ . ]"
    left, top, right, bottom = bounds(grid)
    if not board.floating:
        left = top = 0
    component = board.element.component

    def cell(x: int, y: int) -> str:
        return "+".join(face_code(game, component, face) for face in grid.get((x, y), [])) or "."

    rows = [" ".join(cell(x, y) for x in range(left, right + 1)) for y in range(top, bottom + 1)]
    return f"[ {' / '.join(rows)} ]"


def one_in(share: Fraction) -> str:
    """A share of boards in the words of designers: `1 in 37`, or `82.4 %` if it is more than half."""
    if share == 0:
        return "none"
    if share == 1:
        return "all"
    times = 1 / share
    if times < 2:
        return "nearly all" if f"{float(times):.3g}" == "1" else f"{percent_of(float(share))} %"
    if times >= 10:
        return f"1 in {round(times):,}"
    return f"1 in {float(times):.3g}"


def _shared(count: int, of: int, more: str = "") -> str:
    """A number of boards out of a total, or those that fail if they are few."""
    share = one_in(Fraction(count, of))
    missing = f", all but {of - count:,}" if share == "nearly all" else ""
    return f"{share}: {count:,} of {of:,}{more}{missing}"


def study_lines(
    game: Game, study: Study, language: str = "en", play: Mapping[str, Difficulty] = NOT_PLAYED, named: bool = True
) -> list[str]:
    """The whole study as lines, with the difficulty of objectives in `play`. Only if the objectives were `named`, those
    that have nothing to do with them are told apart by boards.
    """
    lines: list[str] = []
    for one in study.studied:
        if lines:
            lines.append("")
        lines += (
            _head(game, one.name, language)
            + _play_lines(play.get(one.name))
            + _objective_lines(game, study, one, named)
        )
    for still in study.open:
        if lines:
            lines.append("")
        lines += _head(game, still.name, language) + _play_lines(play.get(still.name)) + _open_lines(game, still)
    left = _not_looked_at(game, study)
    if left:
        lines += [
            "",
            f"not looked at: invariant {', '.join(f'`{name}`' for name in left)}; some boards above may be against it",
        ]
    return lines


def study_head(line: str) -> tuple[int, str]:
    """How long the head of a line is, and its style: the name of an objective, or what a line tells of it."""
    if line[:1] not in ("", " "):
        return (0, "") if line.startswith("not looked at") else (len(line.partition("  ")[0]), BOLD)
    labelled = line.startswith("  ") and line[2:3] != " " and line[13:14] == " " and line[14:15] != " "
    return (14, BLUE) if labelled else (len(line) - len(line.lstrip()), "")


def _not_looked_at(game: Game, study: Study) -> list[str]:
    return not_looked_at(game.ruleset, study.analysis.encoding.tallest)


def _head(game: Game, name: str, language: str) -> list[str]:
    objective = game.ruleset.objectives[name]
    text = game.ruleset.text(("objective", name), objective.text, language)
    written = one_line((objective.condition.span or objective.span).text)
    return [f"{name}  {text}", f"  condition   {written}"]


def _play_lines(found: Difficulty | None) -> list[str]:
    if found is None:
        return []
    share, turn = found.claimed, found.turn
    first = f", first in turn {turn.mean:.1f}" if turn is not None else ""
    mean, low, high = (percent_of(end or 0) for end in (share.mean, share.low, share.high))
    games = f"{counted(share.games, 'random game')} of {counted(found.players, 'player')}"
    return [
        f"  in play     claimed in {mean} % ({low} to {high}) of {games}{first};"
        f" rarer than {found.rarer} of {counted(found.others, 'other')}"
    ]


def _open_lines(game: Game, still: Open) -> list[str]:
    """What is known of an undecided objective: single boards, which prove only that they exist."""
    lines = [f"  boards      not decided, {still.reason}"]
    for word, board in (("fulfilled", still.fulfils), ("not", still.fails)) if still.of_grid else ():
        if board is None:
            lines.append(f"  {word:<11} no such board found, which does not say that there is none")
        else:
            cards = sum(map(len, board.values()))
            least = ", found, perhaps not with the fewest cards" if cards else ""
            lines.append(f"  {word:<11} {counted(cards, 'card')}  {picture(game, board)}{least}")
    return lines


def _objective_lines(game: Game, study: Study, one: Studied, named: bool) -> list[str]:
    ruleset = game.ruleset
    measure, space = one.measure, one.space
    if measure.count == 0:
        return [f"  boards      no board can fulfil it, of {space.size:,}"]
    lines = [f"  boards      {_shared(measure.count, space.size)}"]
    lines.append(f"  connected   {_shared(measure.connected, one.connected, ' connected boards')}")
    if measure.smallest is not None:
        lines.append(f"  fewest      {_sized(game, space, measure.smallest)}")
    together = measure.smallest_connected
    if together is not None and measure.smallest is not None:
        if space.cards(together) > space.cards(measure.smallest):
            lines.append(f"  together    {_sized(game, space, together)}, where the cards are connected")
    elif stays_connected(ruleset):
        lines.append("  together    no board whose cards hang together")
    lines += _deck_lines(game, one)
    if one.rank is not None:
        lines.append(f"  difficulty  {_rank(one.rank)}")
    lines += _relation_lines(game, study, one, named)
    if one.unrelated:
        lines.append(f"  not decided how it stands to {', '.join(one.unrelated)}")
    return lines


def _sized(game: Game, space: Space, board: Board) -> str:
    return f"{counted(space.cards(board), 'card')}  {picture(game, space.grid(board))}"


def _deck_lines(game: Game, one: Studied) -> list[str]:
    """The effect of the available cards, with numbers of players grouped if they agree."""
    groups: list[tuple[str, list[int]]] = []
    space = one.space
    ruleset = game.ruleset
    every = range(ruleset.min_players, ruleset.max_players + 1)
    for players in every:
        if players not in one.measure.decks:
            words = "not decided"
        else:
            board = one.measure.decks[players]
            words = "no board" if board is None else _sized(game, space, board)
            if board is not None and one.measure.smallest is not None:
                same = space.cards(board) == space.cards(one.measure.smallest)
                words = "allows the fewest" if same else words
        if groups and groups[-1][0] == words:
            groups[-1][1].append(players)
        else:
            groups.append((words, [players]))
    if not (one.measure.decks or one.measure.decks_open) or [g[0] for g in groups] == ["allows the fewest"]:
        return []
    lines = []
    for words, players_ in groups:
        ends = " or " if len(players_) == 2 else " to "
        who = f"{players_[0]}{ends}{players_[-1]}" if len(players_) > 1 else str(players_[0])
        lines.append(f"  deck        with {who} player{'s' * (who != '1')}: {words}")
    return lines


def _rank(rank: Rank) -> str:
    if rank.by == "cards":
        equal = f" and as many as {rank.equal}" if rank.equal else ""
        fewer = rank.of - rank.rarer - rank.equal
        return (
            f"needs more cards than {fewer} of {rank.of} others{equal}; not ranked by its share of boards, for most of them"
            " are counted among other boards"
        )
    words = f"rarer than {rank.of - rank.rarer - rank.equal} of {rank.of} others"
    if rank.equal:
        words += f" and as rare as {rank.equal}"
    near = [n for n in (rank.nearest_rarer, rank.nearest_frequent) if n is not None]
    words = f"{words}, by the share of boards" + (f"; next to {' and '.join(near)}" if near else "")
    apart = f"; {rank.apart} more are counted among other boards" if rank.apart else ""
    return words + apart


_WORDS = {
    "same": "same as", "implies": "implies", "implied": "follows from", "excludes": "excludes", "apart": "apart from"
}  # fmt: skip


def _relation_lines(game: Game, study: Study, one: Studied, named: bool) -> list[str]:
    lines = []
    width = max([len(r.second) for r in one.relations], default=0)
    for relation in sorted(one.relations, key=lambda r: list(_WORDS).index(r.kind)):
        if relation.kind != "apart" or named:
            boards = "   ".join(f"{word} {board}" for word, board in _witnesses(game, study, relation))
            name = relation.second if not boards else f"{relation.second:<{width}}"
            lines.append(f"  {_WORDS[relation.kind]:<11} {name}   {boards}".rstrip())
        elif relation.connected_kind != "apart":
            lines.append(f"  {_WORDS[relation.kind]:<11} {relation.second}")
        if relation.connected_kind != relation.kind:
            lines.append(f"    where the cards are connected it {_SAID[relation.connected_kind]}")
    if not named:
        apart = sum(r.kind == "apart" for r in one.relations)
        if apart:
            lines.append(
                f"  apart from  {counted(apart, 'other')} (--objective {one.name} shows the boards that tell them apart)"
            )
    return lines


_SAID = {
    "same": "is the same", "implies": "implies it", "implied": "follows from it", "excludes": "excludes it",
    "apart": "does neither",
}  # fmt: skip


def _witnesses(game: Game, study: Study, relation: Relation) -> list[tuple[str, str]]:
    """The boards that distinguish two objectives, in words and drawn."""
    found = []
    for word, first, second in (("alone", True, False), ("the other", False, True)):
        if relation.kind == "excludes":
            continue
        board = study.witness(relation, first, second)
        if board is not None:
            found.append((word, picture(game, board)))
    return found


# ---- data ------------------------------------------------------------------------------------------------------------


def study_data(
    game: Game, study: Study, language: str = "en", play: Mapping[str, Difficulty] = NOT_PLAYED
) -> dict[str, Any]:
    """The study as plain data; boards as pictures."""
    return {
        **({"play": {name: _play_data(one) for name, one in play.items()}} if play else {}),
        "ruleset": game.ruleset.address,
        "version": game.ruleset.version,
        "objectives": [_objective_data(game, study, one, language) for one in study.studied],
        "undecided": [still.name for still in study.open],
        "found": [_found_data(game, still) for still in study.open if still.of_grid],
        "findings": [diagnostic_data(d) for d in study.findings],
        "invariants_not_looked_at": _not_looked_at(game, study),
    }


def _play_data(found: Difficulty) -> dict[str, Any]:
    share, turn = found.claimed, found.turn
    return {
        "players": found.players, "games": share.games, "claimed": share.mean, "low": share.low, "high": share.high,
        "turn": None if turn is None else turn.mean, "rarer": found.rarer, "others": found.others,
    }  # fmt: skip


def _objective_data(game: Game, study: Study, one: Studied, language: str) -> dict[str, Any]:
    measure, space = one.measure, one.space
    objective = game.ruleset.objectives[one.name]

    def drawn(board: Board | None) -> dict[str, Any] | None:
        return None if board is None else {"cards": space.cards(board), "board": picture(game, space.grid(board))}

    rank = one.rank
    return {
        "name": one.name,
        "text": game.ruleset.text(("objective", one.name), objective.text, language),
        "boards": {"fulfil": measure.count, "of": space.size, "share": float(Fraction(measure.count, space.size))},
        "connected": {
            "fulfil": measure.connected, "of": one.connected, "share": float(Fraction(measure.connected, one.connected))
        },
        "fewest": drawn(measure.smallest),
        "fewest_connected": drawn(measure.smallest_connected),
        "deck": {str(players): drawn(board) for players, board in measure.decks.items()},
        "deck_undecided": list(measure.decks_open),
        "difficulty": None if rank is None else {
            "by": rank.by, "others": rank.of, "rarer": rank.rarer, "equal": rank.equal, "apart": rank.apart,
            "next_rarer": rank.nearest_rarer, "next_frequent": rank.nearest_frequent,
        },
        "relations": [_relation_data(game, study, r) for r in one.relations],
        "relations_undecided": list(one.unrelated),
    }  # fmt: skip


def _found_data(game: Game, still: Open) -> dict[str, Any]:
    """The boards that were found for an undecided objective: not the smallest, and proof of nothing more."""
    boards = {"fulfils": still.fulfils, "fails": still.fails}
    drawn = {word: None if board is None else picture(game, board) for word, board in boards.items()}
    return {"name": still.name, "reason": still.reason, **drawn}


def _relation_data(game: Game, study: Study, relation: Relation) -> dict[str, Any]:
    boards: Sequence[tuple[str, bool, bool]] = (
        ("only_this", True, False), ("only_other", False, True), ("both", True, True)
    )  # fmt: skip
    data: dict[str, Any] = {
        "other": relation.second,
        "kind": relation.kind,
        "connected_kind": relation.connected_kind,
    }
    for word, first, second in boards:
        board = study.witness(relation, first, second)
        data[word] = None if board is None else picture(game, board)
    return data
