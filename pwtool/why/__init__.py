"""Explaining verdicts, and how well the examples of a ruleset cover it: which parts they reach, which changes they notice."""
