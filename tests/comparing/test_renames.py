"""What is the same under another name: found again, told, and never taken for what it is not."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest
from msgspec import Struct

import pwtool
from pwtool.cli.app import run
from pwtool.comparing.evidence import weigh_rows
from pwtool.comparing.renames import find_names, named_alike
from pwtool.comparing.rows import compare_rulesets, differing_items
from pwtool.ir.model import Ruleset
from pwtool.ir.renaming import renamed
from pwtool.lang.merged import Key
from pwtool.play.game import Game
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.library import Library
from pwtool.show.text.comparing import exit_code
from tests.daily import one_day_in, some
from tests.kernel.judging import GAMES
from tests.support import EDITIONS, book

PLURAL = {"component": "components", "deck": "decks", "zone": "zones", "token": "tokens", "var": "variables",
          "action": "actions", "consequence": "consequences", "objective": "objectives"}  # fmt: skip


def names_in(ruleset: Ruleset) -> Iterator[Key]:
    """Everything that has a name of its own, but for what the players choose first."""
    for kind, field in PLURAL.items():
        yield from ((kind, name) for name in getattr(ruleset, field))
    for kind in ("ending", "score", "invariant"):
        yield from ((kind, model.name) for model in getattr(ruleset, f"{kind}s"))
    yield from (("setup", step.name) for step in ruleset.setup if step.kind in ("deal", "put"))
    yield from (("rule", rule.id) for rule in (*ruleset.turn_rules, *ruleset.setup_rules))
    for action in (*ruleset.actions.values(), *ruleset.consequences.values()):
        yield from (("param", f"{action.name}.{p.name}") for p in action.parameters)
        yield from (("rule", rule.id) for rule in action.rules)
    for component in ruleset.components.values():
        for attribute in component.attributes.values():
            of = f"{component.name}.{attribute.name}"
            yield "attribute", of
            if attribute.type.kind == "member":
                yield from (("value", f"{of}.{value}") for value in dict.fromkeys(attribute.table) if value is not None)


def otherwise(key: Key) -> str:
    own = f"{key[1].rpartition('.')[2]}_x"
    if key[0] != "rule":
        return own
    of = key[1].partition(".")[0]
    return f"{of}.{own}" if of in ("turn", "round", "setup") else f"{of}_x.{own}"


def under_other_names(game: Game) -> Game:
    """A game in which everything has another name."""
    return Game(renamed(game.ruleset, {key: otherwise(key) for key in names_in(game.ruleset)}))


def test_a_parameter_may_be_called_like_its_action() -> None:
    """What all name at once has the name of the action often."""
    game = book(next(address for address in GAMES if "gulls" in address)).game
    assert "bid" in game.ruleset.actions and [p.name for p in game.ruleset.actions["bid"].parameters] == ["bid"]
    other = under_other_names(game)
    for pair in ((game, other), (other, game)):
        rows = compare_rulesets(*pair)
        assert exit_code(rows) == 0 and {row.nature for row in rows} == {"wording"}, rows


@one_day_in(4)
@pytest.mark.parametrize("address", some([*GAMES, *EDITIONS], 2))
def test_every_name_is_found_again(address: str) -> None:
    game = book(address).game
    other = under_other_names(game)
    names = find_names(game.ruleset, other.ruleset)
    # Of what is never used, nothing is said that could be the same.
    assert len(names) >= 0.9 * len(set(names_in(game.ruleset)))
    for pair in ((game, other), (other, game)):
        rows = compare_rulesets(*pair)
        assert exit_code(rows) == 0 and {row.nature for row in rows} == {"wording"}, rows
    alike = named_alike(other, game).game.ruleset
    assert (alike.actions, alike.order, alike.scores) == (game.ruleset.actions, game.ruleset.order, game.ruleset.scores)


def loaded(path: Path, text: str) -> Rulebook:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    result = RulesetStore(Library()).get(str(path))
    assert result.value is not None, [d.message for d in result.diagnostics]
    return result.value


# ---- games of one's own, written as somebody else would

WORDS = {
    "tic_tac_toe": "noughts", "mark": "sign", "side": "kind", "cross": "plus", "ring": "zero", "stock": "heap", "board": "field",
    "lay": "put_down", "at": "where", "free": "nothing_there", "line": "three", "full": "filled",
}  # fmt: skip
"""Other words for those of a game."""


def text_of(game: str, words: dict[str, str]) -> str:
    """The rules of a game of the library in other words, without its examples, its looks and its texts."""
    path = Library().folder / "classics" / game / "game.rules"
    rules, texts = path.read_text("utf-8").partition("# ---- examples")[0], []

    def kept(found: re.Match[str]) -> str:
        texts.append(found[0])
        return f"<{len(texts) - 1}>"

    rules = re.sub(r'"[^"]*"|line of|is full', kept, rules)
    rules = re.sub(r"\b[a-z_]+\b", lambda found: words.get(found[0], found[0]), rules)
    return re.sub(r"<(\d+)>", lambda found: texts[int(found[1])], rules)


@one_day_in(4)
@pytest.mark.parametrize("words", [*({"tic_tac_toe": "noughts", w: WORDS[w]} for w in WORDS), WORDS], ids="-".join)
def test_a_game_in_other_words_is_the_same(words: dict[str, str], tmp_path: Path) -> None:
    first, second = book("tic_tac_toe"), loaded(tmp_path / "noughts" / "game.rules", text_of("tic_tac_toe", words))
    for pair in ((first, second), (second, first)):
        rows, found = weigh_rows(*pair, compare_rulesets(pair[0].game, pair[1].game), effort=0.1)
        assert exit_code(rows) == 0 and found.games == found.alike > 0
        # Whatever does not mention them is not told.
        assert all(row.twin or row.proof for row in rows), rows


def test_what_is_called_otherwise_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "noughts" / "game.rules"
    loaded(path, text_of("tic_tac_toe", WORDS))
    assert run(["compare", "tic_tac_toe", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "action lay (in the second `put_down`)" in shown and "in records `at` is `where`" in shown
    assert "component mark (in the second `sign`)" in shown and "nothing differs in play or result" in shown
    assert run(["compare", "tic_tac_toe", str(path), "--lang", "de"]) == 0
    assert "im zweiten `put_down`" in capsys.readouterr().out


def test_what_differs_under_another_name_is_shown_by_games(tmp_path: Path) -> None:
    """The games that show it are written in the words of the ruleset that accepts them."""
    path = tmp_path / "noughts" / "game.rules"
    text = text_of("tic_tac_toe", WORDS).replace("require field[where] is empty", "require where != (1, 1)")
    loaded(path, text)
    assert run(["compare", "tic_tac_toe", str(path), "--witness", str(tmp_path / "shown")]) == 1
    games = [json.loads(game.read_text("utf-8")) for game in sorted((tmp_path / "shown").glob("*.json"))]
    spoken = {action["action"] for game in games for turn in game["turns"] for action in turn["actions"]}
    assert spoken == {"lay", "put_down"}
    for game in games:
        is_second = game["ruleset"] != "tic_tac_toe"
        assert is_second == any("put_down" in json.dumps(turn) for turn in game["turns"])
        assert pwtool.load(str(path) if is_second else "tic_tac_toe").check(game).status == "clean"
    names = {row.name: row.status for row in pwtool.compare("tic_tac_toe", str(path)).rows if row.nature == "semantic"}
    assert names == {"lay.free": "different"}


PILES = """game {name} "Piles"
players 2..2
component stone {{ }}
deck heap of stone = {{ 6 stone }}
zone {a}: bag of stone per player
zone {b}: bag of stone per player
zone {c}: pile of stone
setup deal {c} "S": all of heap to {c}
turn = keep | give
action keep "K" () {{ move top of {c} to {a} }}
action give "G" () {{ move top of {c} to {b} }}
ending over "O" when {c} is empty then stop
score kept "K" = {score}
ranking most total, shared
"""


@one_day_in(4)
@pytest.mark.parametrize("order", [("x", "y"), ("y", "x")])
@pytest.mark.parametrize("score", ["2 * count {a} + count {b}", "count {a} - count {b}", "count {b}"])
def test_of_several_of_one_shape_those_are_the_same_of_which_the_same_is_said(
    score: str, order: tuple[str, str], tmp_path: Path
) -> None:
    def written(name: str, a: str, b: str, c: str) -> str:
        return PILES.format(name=name, a=a, b=b, c=c, score=score.format(a=a, b=b))

    first = loaded(tmp_path / "one" / "game.rules", written("one", "a", "b", "c"))
    # The zones are declared in either order.
    text = written("two", *order, "z")
    if order[0] == "y":
        lines = text.splitlines(keepends=True)
        lines[4], lines[5] = lines[5], lines[4]
        text = "".join(lines)
    second = loaded(tmp_path / "two" / "game.rules", text)
    assert exit_code(compare_rulesets(first.game, second.game)) == 0
    swapped = (
        text.replace(f"to {order[0]} ", "to ? ")
        .replace(f"to {order[1]} ", f"to {order[0]} ")
        .replace("to ? ", f"to {order[1]} ")
    )
    third = loaded(tmp_path / "third" / "two" / "game.rules", swapped)
    rows, _ = weigh_rows(first, third, compare_rulesets(first.game, third.game), effort=0.2)
    assert exit_code(rows) == 1


TILES = """game g "G"
players 2..2
component tile { color: red "R" | blue "B"  mood: x "1" | y "2" }
choice way { left_w | right_w }
deck d of tile = 2 all
zone pool: bag of tile
zone won: bag of tile per player
var last_way: way per game
var taken: 0..20 = 0 per player
setup deal pool "S": all of d to pool by chance
turn = grab
action grab "Grab" (tile: tile from pool, w: way) {
  rule turns "Not the same way twice" require w != last_way
  move tile to won
  last_way = w
  taken += 1
}
ending e "E" when pool is empty then stop
score s "S" = count (c in won: c.mood == x)
score t "T" = count (c in won: some k in color: k == red and c.color == k)
score first "F" = (if last_way == (first k in way: k != left_w) then 1 else 0)
ranking most total, shared
"""


@one_day_in(4)
@pytest.mark.parametrize(
    ("changes", "same"),
    [
        # A loop goes through the values under their new names, also where a name means something else in the first.
        ({"red": "x", "x": "m"}, True), ({"k == red": "k == blue", "red": "x", "x": "m"}, False),
        ({"red": "blue", "blue": "red"}, True), ({"color": "mood", "mood": "color"}, True),
        ({"k == red": "k == blue", "color": "mood", "mood": "color"}, False),
        ({"left_w": "links", "right_w": "rechts"}, True), ({"left_w": "right_w", "right_w": "left_w"}, False),
        ({"tile": "card", "won": "heap", "taken": "held"}, True), ({"tile": "card", "2 all": "{ 3 R1 R2 2 B1 2 B2 }"}, False),
        ({"grab": "take_it", "0..20": "0..3"}, False),
        ({"turns": "other", "w != last_way": "w == last_way or last_way == none"}, False),
        ({"s": "points", "c.mood == x": "c.mood == y"}, False),
        # A word that means two things: the cards of a deck are still counted.
        ({"(tile: tile from": "(one: card from", "move tile": "move one", "tile": "card", "2 all": "{ 3 R1 R2 2 B1 2 B2 }"}, False),
    ],
)  # fmt: skip
def test_games_whose_truth_is_known(changes: dict[str, str], same: bool, tmp_path: Path) -> None:
    text = TILES
    for at, (old, _) in enumerate(changes.items()):
        text = re.sub(
            rf"(?<![\w.]){re.escape(old)}(?!\w)" if old[0].islower() and " " not in old else re.escape(old),
            f"<{at}>",
            text,
        )
        text = text.replace(f"c.{old}", f"c.<{at}>")
    for at, new in enumerate(changes.values()):
        text = text.replace(f"<{at}>", new)
    first, second = loaded(tmp_path / "one" / "game.rules", TILES), loaded(tmp_path / "two" / "game.rules", text)
    for pair in ((first, second), (second, first)):
        rows, _ = weigh_rows(*pair, compare_rulesets(pair[0].game, pair[1].game), effort=0.5)
        assert (exit_code(rows) == 0) is same, [(row.kind, row.name, row.status) for row in rows]


STEPS = """game g "G"
players 2..2
component piece { color: red "R" | blue "B"  v: 1..2 }
choice way { go | stay }
deck p of piece = { 2 R1 1 B2 1 B1 }
zone hand: bag of piece per player
zone board: grid 2x2 of piece
zone out: pile of piece
setup deal hand "H": 2 each of p to hand by chance
turn = lay | step | toss | rest
var last_by: player per game
action lay "Lay" (c: piece from hand, at: cell of board) { rule free "F" require board[at] is empty move c to board[at] }
action step "Step" (from: cell of board, to: cell of board) {
  rule a "a" require board[from] is not empty
  rule b "b" require board[to] is empty
  move top of board[from] to board[to]
}
action toss "Toss" (c: piece from hand, say: color or v, w: way) {
  rule m "m" require c.color == say or c.v == say
  rule lit "l" require c.color == red or w == go
  move c to out
  last_by = player
}
action rest "Rest" () { rule stuck "r" require not can lay }
ending e "E" when every q in players: hand[q] is empty then stop
score s "S" = count { last_by == player }
ranking most total, shared
"""
STEP, TOSS = (
    STEPS[STEPS.index("action step") : STEPS.index("action toss")],
    STEPS[STEPS.index("action toss") : STEPS.index("action rest")],
)


TURNED = (
    STEP.replace("from: cell of board, to", "bb: cell of board, aa").replace("[from]", "[aa]").replace("[to]", "[bb]")
)
CLASSICS = [game for game in Library().games() if "/" not in game]


def other(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        text = re.sub(rf"(?<![\w.]){re.escape(old)}(?!\w)", new, text)
    return text


@one_day_in(4)
@pytest.mark.parametrize(
    ("text", "same"),
    [
        # Parameters of one kind in another order, some with other names.
        (STEPS.replace(STEP, TURNED), True),
        (STEPS.replace(STEP, STEP.replace("from: cell of board, to: cell", "to: cell of board, from: cell")), True),
        (STEPS.replace(STEP, STEP.replace("board[from]", "board[x]").replace("board[to]", "board[from]").replace("board[x]", "board[to]")), False),
        # What names one of several, in another order.
        (STEPS.replace(TOSS, other(TOSS, ("say: color or v", "sag: v or color"), ("say", "sag"))), True),
        # Values that keep their names, with other codes and in another order; or the other way round.
        (STEPS.replace('red "R" | blue "B"', 'blue "Y" | red "X"').replace("R1", "X1").replace("B2", "Y2").replace("B1", "Y1"), True),
        (STEPS.replace('red "R" | blue "B"', 'blue "Y" | red "X"').replace("2 R1 1 B2 1 B1", "2 Y1 1 X2 1 X1"), False),
        (STEPS.replace("go | stay", "bleib | geh").replace("w == go", "w == geh"), True),
        (STEPS.replace("go | stay", "bleib | geh").replace("w == go", "w == bleib"), True),
        (STEPS.replace("go | stay", "stay | go").replace("w == go", "w == stay"), False),
        # A variable with another name and another life, beside a zone with another name.
        (other(STEPS, ("out", "gone"), ("last_by", "wisp")).replace("var wisp: player per game", "var wisp: player per turn"), False),
    ],
)  # fmt: skip
def test_what_has_another_place_as_well_is_found(text: str, same: bool, tmp_path: Path) -> None:
    first, second = loaded(tmp_path / "one" / "game.rules", STEPS), loaded(tmp_path / "two" / "game.rules", text)
    for pair in ((first, second), (second, first)):
        rows, _ = weigh_rows(*pair, compare_rulesets(pair[0].game, pair[1].game), effort=0.5)
        assert (exit_code(rows) == 0) is same, [(row.kind, row.name, row.status) for row in rows]


@one_day_in(4)
@pytest.mark.parametrize("words", [("lay", "r"), ("put_down", "r"), ("lay", "other words")])
def test_what_asks_for_an_action_differs_where_that_does(words: tuple[str, str], tmp_path: Path) -> None:
    """Also if it is worded differently, or the action is called otherwise."""
    name, said = words
    text = STEPS.replace("board[at] is empty move", "board[at] is empty and c.color == red move").replace(
        'stuck "r"', f'stuck "{said}"'
    )
    text = (
        text.replace("action lay", f"action {name}")
        .replace("turn = lay", f"turn = {name}")
        .replace("can lay", f"can {name}")
    )
    first, second = loaded(tmp_path / "one" / "game.rules", STEPS), loaded(tmp_path / "two" / "game.rules", text)
    rows, _ = weigh_rows(first, second, compare_rulesets(first.game, second.game))
    found = {row.name: (row.status, row.nature) for row in rows if row.kind == "rule"}
    assert found == {"lay.free": ("different", "semantic"), "rest.stuck": ("different", "semantic")}


def test_names_that_are_exchanged_differ_in_either_direction(tmp_path: Path) -> None:
    """A zone that both have is the same one, so that the other is in one of them alone; games show no difference."""
    text = other(STEPS, ("board", "deck_"), ("out", "board")).replace("deck_", "field")
    first, second = loaded(tmp_path / "one" / "game.rules", STEPS), loaded(tmp_path / "two" / "game.rules", text)
    for pair in ((first, second), (second, first)):
        rows = differing_items(pair[0].game, pair[1].game)
        assert exit_code(rows) == 1
        assert not [row for row in rows if row.kind == "zone" and row.twin]
        assert exit_code(compare_rulesets(pair[0].game, pair[1].game)) == 0


@one_day_in(4)
@pytest.mark.parametrize(("first", "second"), some([*permutations(CLASSICS, 2)], 6))
def test_any_two_games_are_compared(first: str, second: str) -> None:
    assert exit_code(compare_rulesets(book(first).game, book(second).game)) == 1


@one_day_in(7)
def test_a_table_says_where_names_alone_keep_two_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside the first, where a name means something else, the third one is another game; beside the second it is the same."""
    texts = (
        STEPS,
        other(STEPS, ("hand", "fist"), ("out", "gone")),
        other(STEPS, ("hand", "x"), ("out", "hand"), ("x", "out")),
    )
    files = []
    for at, text in enumerate(texts):
        files.append(str(tmp_path / f"g{at}" / "game.rules"))
        loaded(Path(files[-1]), text.replace("game g", f"game g{at}"))
    assert run(["compare", *files, "--json", "--effort", "0.1"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["same_by_names"] == [files[1:]]
    assert {(row["name"], "".join(row["letters"])) for row in found["rows"] if row["kind"] == "zone"} == {
        ("hand", "AAB"),
        ("out", "AAB"),
    }
    assert run(["compare", *files, "--effort", "0.1"]) == 1
    assert "2 and 3 mean the same under other names" in capsys.readouterr().out


@one_day_in(4)
def test_games_are_judged_in_the_words_of_either(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--games`, and the page of witnesses: a record in the words of one ruleset is judged by the other under these."""
    words = (("lay", "put_down"), ("toss", "throw_away"), ("rest", "pass_by"), ("hand", "fist"), ("a", "aa"))
    text = other(STEPS, *words).replace("board[at] is empty move", "board[at] is empty and c.color == red move")
    first, second = tmp_path / "one" / "game.rules", tmp_path / "two" / "game.rules"
    for path, written in ((first, STEPS), (second, text)):
        loaded(path, written)
        rules = pwtool.load(path)
        games = [rules.play(seed=seed) | {"ruleset": str(path)} for seed in range(8)]
        (tmp_path / f"{path.parent.name}.jsonl").write_text("".join(f"{json.dumps(game)}\n" for game in games), "utf-8")
    back = tuple((new, old) for old, new in words)
    for archive, judge, said in (("one", second, words), ("two", first, back)):
        lines = (tmp_path / f"{archive}.jsonl").read_text("utf-8").splitlines()
        own = str(first if archive == "one" else second)
        records = [json.loads(other(line.replace(own, "?"), *said).replace("?", str(judge))) for line in lines]
        legal = sum(pwtool.load(judge).check(record).status == "clean" for record in records)
        compared = ["compare", str(first), str(second), "--games", str(tmp_path / f"{archive}.jsonl"), "--json"]
        assert run([*compared, "--effort", "0"]) == 1
        impact = json.loads(capsys.readouterr().out)["impact"]
        assert impact["games"] == 8 and not impact["unreadable"], impact
        assert len(impact["stays_legal"]) == legal < 8
        assert len(impact["becomes_illegal" if archive == "one" else "becomes_legal"]) == 8 - legal
    page = tmp_path / "page.html"
    assert (
        run(["compare", str(first), str(second), "--format", "html", "-o", str(page), "--witness", str(tmp_path / "w")])
        == 1
    )
    shown = page.read_text("utf-8")
    assert "there is no action" not in shown and "in the second put_down" in shown
    assert run(["compare", str(first), str(second), "--effort", "0"]) == 1
    assert "only the sources" not in capsys.readouterr().out


def test_no_rule_gets_the_name_of_another(tmp_path: Path) -> None:
    """What is left of an action that has another name keeps its own suffix, whatever else is called so."""
    own = '  rule turns "Not the same way twice" require w != last_way\n'
    more = '  rule turns_ "M" require count pool > 1\n  rule turns__ "N" require count pool > 2\n  rule turns "O" require count pool > 3\n'
    text = TILES.replace("grab", "take_it").replace(own, more + own.replace("turns", "way"))
    first, second = loaded(tmp_path / "one" / "game.rules", TILES), loaded(tmp_path / "two" / "game.rules", text)
    for a, b in ((first, second), (second, first)):
        alike = named_alike(b.game, a.game).game.ruleset
        (action,) = alike.actions.values()
        assert (
            len({rule.id for rule in action.rules})
            == len(action.rules)
            == len(next(iter(b.game.ruleset.actions.values())).rules)
        )
        assert exit_code(compare_rulesets(a.game, b.game)) != 0


def test_cells_may_have_other_names_in_a_zone_with_another_name(tmp_path: Path) -> None:
    text = text_of("tic_tac_toe", {"tic_tac_toe": "noughts", "board": "field"}).replace("a3", "d3").replace("c1", "f1")
    rows = compare_rulesets(book("tic_tac_toe").game, loaded(tmp_path / "noughts" / "game.rules", text).game)
    assert exit_code(rows) == 0 and "`a3` is called `d3`" in " ".join(row.proof for row in rows)


@one_day_in(4)
def test_more_rulesets_have_one_name_for_an_item(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = []
    for at, (score, factor) in enumerate((("s", 1), ("points", 1), ("points", 2))):
        files.append(str(tmp_path / f"g{at}" / "game.rules"))
        text = TILES.replace("score s ", f"score {score} ").replace(
            "= count (c in won: c.mood", f"= {factor} * count (c in won: c.mood"
        )
        loaded(Path(files[-1]), text.replace("game g", f"game g{at}"))
    assert run(["compare", *files, "--json", "--effort", "0.2"]) == 1
    rows = [row for row in json.loads(capsys.readouterr().out)["rows"] if row["kind"] == "score"]
    assert [(row["name"], "".join(row["letters"])) for row in rows] == [("s", "AAB")]


@pytest.mark.parametrize("address", some([*GAMES, *EDITIONS], 2))
def test_no_name_is_left_behind(address: str) -> None:
    """Whatever a model refers to by name has its new one: otherwise it could mean another thing of that name."""
    game = book(address).game
    own = {
        key[1].rpartition(".")[2]
        for key in names_in(game.ruleset)
        if key[0] in ("component", "attribute", "value", "action")
    }
    silent = {"text", "span", "origin", "kind", "manner", "source", "per", "seen", "sees", "lets", "codes", "numbers", "sign", "part",
              "which", "mask", "columns", "rows", "names", "address", "title", "places"}  # fmt: skip
    left: list[tuple[str, str]] = []

    def look(held: object, where: str) -> None:
        if isinstance(held, Struct):
            for name in held.__struct_fields__:
                if name not in silent:
                    look(getattr(held, name), f"{type(held).__name__}.{name}")
        elif isinstance(held, dict):
            look(tuple(held), where)
            look(tuple(held.values()), where)
        elif isinstance(held, tuple | list | frozenset):
            for part in held:
                look(part, where)
        elif held in own:
            left.append((where, str(held)))

    look(under_other_names(game).ruleset, "")
    assert left == []


@one_day_in(8)
@pytest.mark.parametrize("seed", some(range(40), 2))
def test_names_change_no_answer(seed: int) -> None:
    """Two editions differ in the same items whatever the second calls the others."""
    rng = random.Random(seed)
    first, second = (book(address).game for address in rng.sample(EDITIONS, 2))

    def told(game: Game) -> set[tuple[str, str, str, str]]:
        rows = compare_rulesets(first, game)
        return {(row.kind, row.name, row.status, row.direction) for row in rows if row.nature != "wording"}

    known = told(second)
    unlike = {row.name.partition(".")[0] for row in compare_rulesets(first, second)}
    keys = [
        key
        for key in names_in(second.ruleset)
        if key[0] not in ("rule", "ending", "score", "invariant", "objective")
        if key[1].partition(".")[0] not in unlike
    ]
    names = {key: otherwise(key) for key in rng.sample(keys, rng.randrange(1, len(keys)))}
    assert told(Game(renamed(second.ruleset, names))) == known
