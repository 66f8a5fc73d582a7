"""Checking documents: reading, judging by a ruleset, reporting."""
