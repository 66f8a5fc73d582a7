"""Commands that play games."""

from __future__ import annotations

import typer

from pwtool.cli import arguments as a
from pwtool.cli import options as o
from pwtool.cli.command import RECORDS, register


@register(RECORDS)
def play(
    ruleset: a.Address,
    seed: o.SeedOption = None,
    policy: o.PolicyOption = "random",
    players: o.PlayersOption = None,
    name: o.NameOption = None,
    person: o.PersonOption = None,
    games: o.PlayedOption = None,
    reading: o.ReadingOption = None,
    as_printed: o.PrintedOption = False,
    html: o.BoardOption = False,
    lang: o.LangOption = None,
    output: o.OutputOption = None,
    force: o.ForceOption = False,
) -> None:
    """Play a legal game at random, or yourself, and record it."""
    from pwtool.cli.common import Under
    from pwtool.cli.playing import Wanted, run_play
    from pwtool.why.voice import Voice

    under = Under(ruleset, reading, as_printed)
    voice = Voice(under.language(lang))
    wanted = Wanted(list(name or []), players, list(person or []), policy, seed, games, output, force, voice, html)
    raise typer.Exit(run_play(under, wanted))


@register(RECORDS)
def simulate(
    rulesets: a.Simulated,
    games: o.EachGamesOption = 10_000,
    players: o.HowManyOption = None,
    seed: o.SeedOption = None,
    policy: o.SimulatedOption = "random",
    jobs: o.JobsOption = 0,
    reading: o.ReadingOption = None,
    as_printed: o.PrintedOption = False,
    format: o.SimulateFormatOption = "text",
    output: o.OutputOption = None,
    force: o.ForceOption = False,
) -> None:
    """Play many games at random and summarize them. With several rulesets, mark differences that are more than chance."""
    from pwtool.cli.simulating import Asked, run_simulate

    asked = Asked(rulesets, games, players or [], seed, jobs, format, reading or [], as_printed, policy, output, force)
    raise typer.Exit(run_simulate(asked))
