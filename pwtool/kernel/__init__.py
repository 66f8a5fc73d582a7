"""Executable rules: the integer form of expressions and its back ends."""

MIN_GAMES = 20
"""The smallest number of games of a ruleset for which making its kernel pays off."""
