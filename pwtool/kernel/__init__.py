"""Rules ready to run: the integer form of expressions and what is made from it."""

MIN_GAMES = 20
"""From so many games of a ruleset on, its kernel is worth its making."""
