"""Syntax errors in words: where the parser stopped, which mistake is likely, what to write instead."""
