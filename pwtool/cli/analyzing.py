"""`pwtool analyze`: proofs about objectives on all boards."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from pwtool.cli.common import Under, choose_language, fail, print_diagnostics, print_laid, stop
from pwtool.cli.streams import print_data, say
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.text import Severity, did_you_mean
from pwtool.text.cores import cores
from pwtool.text.speech import AnyOf, Told
from pwtool.text.terminal import dump_json

if TYPE_CHECKING:
    from pwtool.simulating.difficulty import Difficulty

_TARGET = re.compile(r"(.+):([A-Za-z_]\w*)", re.DOTALL)


def run_analyze(
    target: str, chosen: list[str], under: Under, as_json: bool, lang: str | None, games: int = 0, seed: int = 0
) -> int:
    """Study the objectives of a ruleset, those that a rules file declares, or the chosen ones; with `games`, also their
    difficulty in random games from a seed on.
    """
    language = choose_language(lang, [target])
    match = _TARGET.fullmatch(target)
    if match and not chosen:
        target, chosen = match[1], [match[2]]
    ruleset_store = under.ruleset_store()
    book = ruleset_store.get(target)
    if book.value is None:
        homes = _homes(ruleset_store, target)
        if homes:
            forms = AnyOf(f"`pwtool analyze {home}:{target}`" for home in homes)
            fail(
                Told("`{name}` is an objective, not a ruleset", name=target),
                Told("write where it is from: {commands}", commands=forms),
            )
        stop(book.diagnostics)
    game = book.value.game
    ruleset = game.ruleset
    if not ruleset.objectives:
        fail(Told("`{name}` has no objectives", name=target), Told("a game with objectives chooses them in its setup"))
    for objective in chosen:
        if objective not in ruleset.objectives:
            fail(Told("there is no objective `{name}`", name=objective), did_you_mean(objective, ruleset.objectives))
    from pwtool.boards.study import own_objectives, study_objectives
    from pwtool.show.text.studies import study_data, study_head, study_lines

    own = _own_file(target)
    declared = own_objectives(ruleset, own) if own is not None else []
    if own is not None and not declared and not chosen:
        fail(
            Told("`{file}` declares no objective", file=target),
            Told("name one of its ruleset with {option}", option="--objective"),
        )
    officials = [name for name in ruleset.objectives if name not in declared]
    names = list(dict.fromkeys(chosen)) or declared or list(ruleset.objectives)
    study = study_objectives(game, names, officials, [n for n in declared if n not in names])
    play = _play(ruleset_store, book.value, target, under, games, seed) if games else {}
    if as_json:
        print_data(dump_json(study_data(game, study, language, play), indent=2) + "\n")
    else:
        print_laid(study_lines(game, study, language, play, bool(chosen)), study_head)
        if study.findings:
            say("")
            print_diagnostics(study.findings, results=True)
    levels = {d.level for d in study.findings}
    if Severity.ERROR in levels or Severity.WARNING in levels:
        return 1
    return 3 if Severity.UNDETERMINED in levels else 0


def _play(
    ruleset_store: RulesetStore, book: Rulebook, target: str, under: Under, games: int, seed: int
) -> dict[str, Difficulty]:
    """The difficulty of objectives in random games with the fewest players."""
    from pwtool.simulating.difficulty import difficulties
    from pwtool.simulating.runs import Side, Simulation, Table

    library, players = ruleset_store.library, book.game.ruleset.min_players
    simulation = Simulation(
        (Side(target, tuple(under.readings or ()), under.as_printed),),
        (players,),
        games,
        seed,
        library.folder,
        library.cache,
    )
    return difficulties(simulation, Table([book]), cores())


def _homes(ruleset_store: RulesetStore, name: str) -> list[str]:
    """The games of the library that have an objective with this name."""
    if not name.isidentifier():
        return []
    books = ((game, ruleset_store.get(game).value) for game in ruleset_store.library.games())
    return [game for game, book in books if book is not None and name in book.game.ruleset.objectives]


def _own_file(target: str) -> Path | None:
    """The rules file that a target names by its path, None for an address."""
    path = re.match(r".+\.rules(?=$|\+)", target, re.DOTALL)
    return Path(path.group()) if path else None
