"""Executable rules: the integer form of expressions and its back ends."""

MIN_GAMES = 20
"""From so many games of a ruleset on, its kernel is worth its making."""
