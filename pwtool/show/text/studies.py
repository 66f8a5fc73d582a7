"""The output of `pwtool analyze`: studies of objectives, as text for designers or as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pwtool.boards.decks import laid
from pwtool.boards.invariants import not_looked_at, stays_connected
from pwtool.boards.matching import NearMiss
from pwtool.boards.proofs import Relation
from pwtool.boards.search import Board
from pwtool.boards.spaces import Space, dealt_cards
from pwtool.boards.study import Open, Rank, Studied, Study
from pwtool.eval.values import Grid, bounds
from pwtool.play.game import Game
from pwtool.show.machine.json_report import diagnostic_data
from pwtool.text.speech import ENGLISH, Speech, mark, percent_of
from pwtool.text.terminal import BLUE, BOLD
from pwtool.text.words import one_line, quoted
from pwtool.why.describe import face_code
from pwtool.why.voice import Voice

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


def why_impossible(game: Game, miss: NearMiss, voice: Voice) -> list[str]:
    """Why no game has the board that would do, as sentences."""
    board = game.ruleset.board
    assert board is not None
    lines = []
    if miss.lacking:
        cards = quoted(face_code(game, board.element.component, face) for face in miss.lacking)
        lines.append(voice.say("no game has this board: there are fewer {cards}", cards=cards))
    return lines + [
        voice.say("no game has this board: the invariant `{name}` forbids it", name=name) for name in miss.broken
    ]


def one_in(share: Fraction, speech: Speech = ENGLISH) -> str:
    """A share of boards in the words of designers: `1 in 37`, or `82.4 %` if it is more than half."""
    if share == 0:
        return speech.about("study", "none")
    if share == 1:
        return speech.about("study", "all")
    times = 1 / share
    if times < 2:
        nearly = f"{float(times):.3g}" == "1"
        return speech.about("study", "nearly all") if nearly else speech.digits(f"{percent_of(float(share))} %")
    return speech.say(
        "1 in {times}", times=speech.number(round(times)) if times >= 10 else speech.decimal(float(times))
    )


def study_lines(
    game: Game, study: Study, language: str = "en", play: Mapping[str, Difficulty] = NOT_PLAYED, named: bool = True
) -> list[str]:
    """The whole study as lines, with the difficulty of objectives in `play`. Only if the objectives were `named`, those
    that have nothing to do with them are told apart by boards.
    """
    teller = _Teller(game, study, Voice(language), named)
    lines: list[str] = []
    each: list[Studied | Open] = [*study.studied, *study.open]
    for one in each:
        told = teller.objective(one) if isinstance(one, Studied) else teller.open(one)
        lines += [*([""] if lines else []), *teller.head(one.name), *teller.in_play(play.get(one.name)), *told]
    left = _not_looked_at(game, study)
    return [*lines, "", teller.left_out(left)] if left else lines


def study_head(line: str) -> tuple[int, str]:
    """How long the head of a line is, and its style: the name of an objective, or what a line tells of it."""
    if line[:1] not in ("", " "):
        name, between, _ = line.partition("  ")
        return (len(name), BOLD) if between else (0, "")
    labelled = line.startswith("  ") and line[2:3] != " " and line[13:14] == " " and line[14:15] != " "
    return (14, BLUE) if labelled else (len(line) - len(line.lstrip()), "")


def _not_looked_at(game: Game, study: Study) -> list[str]:
    return not_looked_at(game.ruleset, study.analysis.encoding.tallest)


def _line(label: str, text: str) -> str:
    """A line with its label, which has a column of its own; `study_head` finds it there."""
    return f"  {label:<11} {text}"


@dataclass(frozen=True, slots=True)
class _Teller:
    """The lines of a study in one language."""

    game: Game
    study: Study
    voice: Voice
    named: bool

    def head(self, name: str) -> list[str]:
        objective = self.game.ruleset.objectives[name]
        text = self.voice.text(self.game.ruleset, ("objective", name), objective.text)
        written = one_line((objective.condition.span or objective.span).text)
        return [f"{name}  {text}", _line(self.voice.about("study", "condition"), written)]

    def left_out(self, invariants: Sequence[str]) -> str:
        names = ", ".join(f"`{name}`" for name in invariants)
        return self.voice.say("not looked at: invariant {names}; some boards above may be against it", names=names)

    def in_play(self, found: Difficulty | None) -> list[str]:
        if found is None:
            return []
        voice, share, turn = self.voice, found.claimed, found.turn
        mean, low, high = (voice.digits(percent_of(end or 0)) for end in (share.mean, share.low, share.high))
        said = voice.many(
            "claimed in {mean} % ({low} to {high}) of {count} random game {of}",
            "claimed in {mean} % ({low} to {high}) of {count} random games {of}",
            share.games, mean=mean, low=low, high=high,
            of=voice.many("of {count} player", "of {count} players", found.players),
        )  # fmt: skip
        said += "" if turn is None else voice.say(", first in turn {turn}", turn=voice.digits(f"{turn.mean:.1f}"))
        return [_line(voice.about("study", "in play"), voice.say("; ").join((said, self._rarer(found.rarer, found.others))))]  # fmt: skip

    def _rarer(self, fewer: int, others: int) -> str:
        return self.voice.many(
            "rarer than {fewer} of {count} other", "rarer than {fewer} of {count} others", others, fewer=fewer
        )

    def open(self, still: Open) -> list[str]:
        """What is known of an undecided objective: single boards, which prove only that they exist."""
        voice = self.voice
        said = voice.say("not decided, {reason}", reason=voice.tell(still.reason))
        lines = [_line(voice.about("study", "boards"), said)]
        labels = voice.about("study", "fulfilled"), voice.about("study", "not")
        for label, board in zip(labels, (still.fulfils, still.fails), strict=True) if still.of_grid else ():
            if board is None:
                lines.append(_line(label, voice.say("no such board found, which does not say that there is none")))
            else:
                cards = sum(map(len, board.values()))
                least = voice.say(", found, perhaps not with the fewest cards") if cards else ""
                lines.append(_line(label, f"{self._cards(cards)}  {picture(self.game, board)}{least}"))
        return lines

    def objective(self, one: Studied) -> list[str]:
        voice, measure, space = self.voice, one.measure, one.space
        if measure.count == 0:
            said = voice.say("no board can fulfil it, of {count}", count=voice.number(space.size))
            return [_line(voice.about("study", "boards"), said)]
        lines = [_line(voice.about("study", "boards"), self._shared(measure.count, space.size))]
        lines.append(_line(voice.about("study", "connected"), self._shared(measure.connected, one.connected, True)))
        if measure.smallest is not None:
            lines.append(_line(voice.about("study", "fewest"), self._sized(space, measure.smallest)))
        together, label = measure.smallest_connected, voice.about("study", "together")
        if together is not None and measure.smallest is not None:
            if space.cards(together) > space.cards(measure.smallest):
                said = voice.say("{cards}, where the cards are connected", cards=self._sized(space, together))
                lines.append(_line(label, said))
        elif stays_connected(self.game.ruleset):
            lines.append(_line(label, voice.say("no board whose cards hang together")))
        lines += self._decks(one)
        if one.rank is not None:
            lines.append(_line(voice.about("study", "difficulty"), self._rank(one.rank)))
        lines += self._relations(one)
        if one.unrelated:
            lines.append(f"  {voice.say('not decided how it stands to {names}', names=', '.join(one.unrelated))}")
        return lines

    def _shared(self, count: int, of: int, connected: bool = False) -> str:
        """A number of boards out of a total, or those that fail if they are few."""
        voice, share = self.voice, Fraction(count, of)
        message = mark("{count} of {of} connected boards") if connected else mark("{count} of {of}")
        said = voice.headed(one_in(share, voice), voice.say(message, count=voice.number(count), of=voice.number(of)))
        few = one_in(share) == "nearly all"
        return said + (voice.say(", all but {count}", count=voice.number(of - count)) if few else "")

    def _cards(self, count: int) -> str:
        return self.voice.many("{count} card", "{count} cards", count)

    def _sized(self, space: Space, board: Board) -> str:
        return f"{self._cards(space.cards(board))}  {picture(self.game, space.grid(board))}"

    def _decks(self, one: Studied) -> list[str]:
        """The effect of the available cards, with numbers of players grouped if they agree."""
        voice, space, measure = self.voice, one.space, one.measure
        groups: list[tuple[str, list[int]]] = []
        fewest = voice.say("allows the fewest")
        ruleset = self.game.ruleset
        for players in range(ruleset.min_players, ruleset.max_players + 1):
            if players not in measure.decks:
                words = voice.say("not decided")
            else:
                board = measure.decks[players]
                words = voice.say("no board")
                if board is not None:
                    words = f"{self._cards(space.cards(board))}  {picture(self.game, _dealt(self.game, space, board, players))}"
                if board is not None and measure.smallest is not None:
                    same = space.cards(board) == space.cards(measure.smallest)
                    words = fewest if same else words
            if groups and groups[-1][0] == words:
                groups[-1][1].append(players)
            else:
                groups.append((words, [players]))
        if not (measure.decks or measure.decks_open) or [words for words, _ in groups] == [fewest]:
            return []
        return [
            _line(voice.about("study", "deck"), voice.headed(self._with(counts), words)) for words, counts in groups
        ]

    def _with(self, counts: Sequence[int]) -> str:
        voice, low, high = self.voice, counts[0], counts[-1]
        who = str(low)
        if counts[1:]:
            who = voice.say("{low} to {high}" if counts[2:] else "{low} or {high}", low=low, high=high)
        return voice.many("with {who} player", "with {who} players", high, who=who)

    def _rank(self, rank: Rank) -> str:
        voice, fewer = self.voice, rank.of - rank.rarer - rank.equal
        if rank.by == "cards":
            words = voice.many(
                "needs more cards than {fewer} of {count} other", "needs more cards than {fewer} of {count} others",
                rank.of, fewer=fewer,
            )  # fmt: skip
            words += voice.say(" and as many as {equal}", equal=rank.equal) if rank.equal else ""
            left = voice.say("not ranked by its share of boards, for most of them are counted among other boards")
            return voice.say("; ").join((words, left))
        words = self._rarer(fewer, rank.of)
        words += voice.say(" and as rare as {equal}", equal=rank.equal) if rank.equal else ""
        parts = [voice.say("{rank}, by the share of boards", rank=words)]
        near = [n for n in (rank.nearest_rarer, rank.nearest_frequent) if n is not None]
        if near:
            parts.append(voice.say("next to {names}", names=voice.joined(near, "and")))
        if rank.apart:
            parts.append(
                voice.many(
                    "{count} more is counted among other boards",
                    "{count} more are counted among other boards",
                    rank.apart,
                )
            )
        return voice.say("; ").join(parts)

    def _relations(self, one: Studied) -> list[str]:
        lines, voice = [], self.voice
        words = {
            "same": voice.about("study", "same as"), "implies": voice.about("study", "implies"),
            "implied": voice.about("study", "follows from"), "excludes": voice.about("study", "excludes"),
            "apart": voice.about("study", "apart from"),
        }  # fmt: skip
        width = max([len(r.second) for r in one.relations], default=0)
        for relation in sorted(one.relations, key=lambda r: list(words).index(r.kind)):
            if relation.kind != "apart" or self.named:
                boards = "   ".join(f"{word} {board}" for word, board in self._witnesses(relation))
                name = relation.second if not boards else f"{relation.second:<{width}}"
                lines.append(_line(words[relation.kind], f"{name}   {boards}").rstrip())
            elif relation.connected_kind != "apart":
                lines.append(_line(words[relation.kind], relation.second))
            if relation.connected_kind != relation.kind:
                lines.append(f"    {voice.say(_CONNECTED[relation.connected_kind])}")
        apart = sum(r.kind == "apart" for r in one.relations)
        if apart and not self.named:
            said = voice.many(
                "{count} other ({option} shows the boards that tell them apart)",
                "{count} others ({option} shows the boards that tell them apart)", apart, option=f"--objective {one.name}",
            )  # fmt: skip
            lines.append(_line(words["apart"], said))
        return lines

    def _witnesses(self, relation: Relation) -> list[tuple[str, str]]:
        """The boards that distinguish two objectives, in words and drawn."""
        found = []
        labels = self.voice.about("study", "alone"), self.voice.about("study", "the other")
        for word, first in zip(labels, (True, False), strict=True) if relation.kind != "excludes" else ():
            board = self.study.witness(relation, first, not first)
            if board is not None:
                found.append((word, picture(self.game, board)))
            elif relation.surely_exists(first, not first):
                found.append((word, self.voice.say("there is a board, but none was found")))
        return found


_CONNECTED = {
    "same": mark("where the cards are connected it is the same"),
    "implies": mark("where the cards are connected it implies it"),
    "implied": mark("where the cards are connected it follows from it"),
    "excludes": mark("where the cards are connected it excludes it"),
    "apart": mark("where the cards are connected it does neither"),
}


# ---- data ------------------------------------------------------------------------------------------------------------


def _dealt(game: Game, space: Space, board: Board, players: int) -> Grid:
    """A board as it can be laid with the cards of so many players."""
    assert game.ruleset.board is not None
    cards = dealt_cards(game, game.ruleset.board.element.component, players)
    return laid(space, board, cards or {}) or space.grid(board)


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
        "turn": None if turn is None else turn.mean, "rarer_than": found.rarer, "others": found.others,
    }  # fmt: skip


def _objective_data(game: Game, study: Study, one: Studied, language: str) -> dict[str, Any]:
    measure, space = one.measure, one.space
    objective = game.ruleset.objectives[one.name]

    def drawn(board: Board | None) -> dict[str, Any] | None:
        return None if board is None else {"cards": space.cards(board), "board": picture(game, space.grid(board))}

    def dealt(board: Board | None, players: int) -> dict[str, Any] | None:
        if board is None:
            return None
        return {"cards": space.cards(board), "board": picture(game, _dealt(game, space, board, players))}

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
        "deck": {str(players): dealt(board, players) for players, board in measure.decks.items()},
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
    not_found = []
    for word, first, second in boards:
        board = study.witness(relation, first, second)
        data[word] = None if board is None else picture(game, board)
        not_found += [word] if board is None and relation.surely_exists(first, second) else []
    return {**data, "not_found": not_found}
