"""Checking documents: read, judged by a ruleset, reported."""
